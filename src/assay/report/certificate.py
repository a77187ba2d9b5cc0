"""The card of a diversity metric as text: metrics side by side, a block for each question."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from assay.metaeval.sets.certify import Card, Reaction, Trial
from assay.part import Cell
from assay.part.text import text_table

QUESTIONS = {
    "content": "Content: does it tell high from low content diversity? rho [95% interval], OCA",
    "content, same form": "Content where form says nothing (nuggets): rho [95% interval], OCA",
    "form": "Form: does it follow distinct-n on the same sets? rho [95% interval]",
    "decoding": "Decoding: does it follow the decoding parameter? rho [95% interval]",
}


def write_card(card: Card) -> str:
    """Write a card; columns are metrics, the certified one first."""
    blocks = [f"Certificate of {card.metric}"]
    for test, question in QUESTIONS.items():
        rows = [row for row in card.tests if row.test == test]
        if rows:
            blocks.append(f"{question}\n\n{_trials(rows)}")
        else:
            blocks.append(f"{question}\n\nnot measured: no data for it on this computer")
    if card.reactions:
        title = "What it reacts to: change in standard deviations of the metric [95% interval]"
        blocks.append(f"{title}\n\n{_reactions(card.reactions)}")
    if card.speed:
        rows_: list[list[Cell]] = [[row.evaluator, row.seconds_per_1000_sets, row.n_sets] for row in card.speed]
        table = text_table(["metric", "CPU s per 1,000 sets", "sets timed"], rows_)
        blocks.append(f"Speed (kernels compiled, embeddings known)\n\n{table}")
    return "\n\n".join(blocks)


def _trials(rows: Sequence[Trial]) -> str:
    metrics = list(dict.fromkeys(row.evaluator for row in rows))
    cells = {(row.data, row.evaluator): _cell(row.rho, row.low, row.high, row.oca) for row in rows}
    sizes = {row.data: row.n for row in rows}
    lines: list[list[Cell]] = [
        [data, str(n), *(cells.get((data, name), "-") for name in metrics)] for data, n in sizes.items()
    ]
    return text_table(["data", "sets", *metrics], lines)


def _reactions(rows: Sequence[Reaction]) -> str:
    metrics = list(dict.fromkeys(row.evaluator for row in rows))
    cells = {(row.change, row.evaluator): _cell(row.effect, row.low, row.high) for row in rows}
    expected = {row.change: row.expected for row in rows}
    lines: list[list[Cell]] = [
        [change, wanted, *(cells.get((change, name), "-") for name in metrics)] for change, wanted in expected.items()
    ]
    return text_table(["change", "should be", *metrics], lines)


def _cell(value: float, low: float, high: float, oca: float = float("nan")) -> str:
    if isnan(value):
        return "-"
    interval = "" if isnan(low) else f" [{low:.2f} {high:.2f}]"
    return f"{value:.2f}{interval}" + ("" if isnan(oca) else f" {oca:.2f}")
