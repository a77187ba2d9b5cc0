"""A HUSE study in words: plain values for JSON, a table with examples for a terminal, and notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from assay.analyses.huse.analysis import HuseStudy, SystemHuse
from assay.analyses.huse.stability import Curve, Plan
from assay.part.text import text_table
from assay.records import Dataset

SHOWN_TEXT = 70


def as_json_value(
    study: HuseStudy, dataset: Dataset, examples: int, plans: Mapping[str, Plan | None]
) -> dict[str, Any]:
    """Return a study as plain values. `systems` is the result; the other keys explain it."""
    systems, details = [], []
    for entry in study.systems:
        systems.append(
            {
                "system": entry.system,
                "huse": entry.huse,
                "huse_q": entry.huse_q,
                "huse_d": entry.huse_d,
                "n_human": entry.n_human,
                "n_model": entry.n_model,
                "interval": {name: [part.low, part.high] for name, part in entry.interval.items()},
                "tie_range": {name: list(ends) for name, ends in entry.tie_range.items()},
                "signature": entry.signature,
            }
        )
        detail = {
            "system": entry.system,
            "annotator_interval": {name: [part.low, part.high] for name, part in entry.annotator_interval.items()},
            "reasons": dict(entry.reasons),
            "n_missing": sum(entry.problem.dropped.values()),
            "missing": dict(entry.problem.dropped),
            "n_minus_infinity": int(entry.problem.floored.sum()),
            "floor": entry.problem.floor,
            "failures": _failure_lists(entry, dataset, examples),
        }
        made = plans.get(entry.system)
        if made is not None:
            detail["plan"] = asdict(made)
            curves = {"items": entry.item_curve(), "annotators": entry.annotator_curve()}
            detail["curves"] = {name: _curve(curve) for name, curve in curves.items() if curve is not None}
        details.append(detail)
    findings = [asdict(finding) for finding in study.findings]
    return {"systems": systems, "details": details, "findings": findings, "seed": study.seed}


def _curve(curve: Curve) -> dict[str, Any]:
    return {
        "sizes": curve.sizes.tolist(),
        "mean": {name: values.tolist() for name, values in curve.mean.items()},
        "deviation": {name: values.tolist() for name, values in curve.deviation.items()},
    }


def _failure_lists(entry: SystemHuse, dataset: Dataset, examples: int) -> dict[str, list[dict[str, Any]]]:
    found = entry.failures()
    if found is None:
        return {}
    lists = {}
    for name in ("quality", "diversity", "indistinguishable"):
        lists[name] = [
            {
                "output": dataset.outputs.id[int(entry.problem.rows[position])],
                "text": dataset.outputs.text[int(entry.problem.rows[position])],
                "human": bool(entry.problem.human[position]),
                "quality": float(entry.problem.quality[position, 0]),
                "human_share": float(found.human_share[position]),
                "human_share_by_quality": float(found.human_share_by_quality[position]),
            }
            for position in getattr(found, name)[:examples].tolist()
        ]
    return lists


def as_text(study: HuseStudy, dataset: Dataset, examples: int, plans: Mapping[str, Plan | None]) -> str:
    """Return a table of systems, then the clearest failures of each, then the plans."""
    lines = [_table(study)]
    for entry in study.systems:
        lines += _examples(entry, dataset, examples)
    return "\n".join([*lines, *(_plan_text(system, made) for system, made in plans.items())])


def _table(study: HuseStudy) -> str:
    header = ["system"]
    for name in ("HUSE", "HUSE-Q", "HUSE-D"):
        header += [name, "95% interval", "ties"]
    rows: list[list[str | float]] = []
    for entry in study.systems:
        row: list[str | float] = [entry.system]
        for name in ("huse", "huse_q", "huse_d"):
            value, interval, ends = getattr(entry, name), entry.interval[name], entry.tie_range[name]
            row += [_number(value), _ends(interval.low, interval.high), _ends(*ends)]
        rows.append([*row, str(entry.n_human), str(entry.n_model)])
    return text_table([*header, "people", "outputs"], rows)


def _number(value: float) -> str:
    return "-" if value != value else f"{value:.3f}"


def _ends(low: float, high: float) -> str:
    return "-" if low != low else f"{low:.2f}..{high:.2f}"


def _examples(entry: SystemHuse, dataset: Dataset, examples: int) -> list[str]:
    titles = {
        "quality": "quality failures (the judgment gives them away)",
        "diversity": "diversity failures (only the log-probability gives them away)",
        "indistinguishable": "cannot be told apart",
    }
    found, lines = entry.failures(), []
    for name, shown in _failure_lists(entry, dataset, examples).items():
        if shown:
            lines.append(f"\n{entry.system}: {len(getattr(found, name))} {titles[name]}")
        for one in shown:
            who = "people" if one["human"] else "system"
            text = one["text"] if len(one["text"]) <= SHOWN_TEXT else one["text"][: SHOWN_TEXT - 3] + "..."
            lines.append(
                f"  {who}  judged {one['quality']:.2f}  human {one['human_share_by_quality']:.2f} by judgment, "
                f"{one['human_share']:.2f} with log p  {text}"
            )
    return lines


def _plan_text(system: str, made: Plan | None) -> str:
    if made is None:
        return f"\n{system}: no plan, because HUSE has no interval on this data."
    more = "" if made.enough_annotators else " (all there are; HUSE still moved with the last of them)"
    other = made.n_items_by_measure
    return (
        f"\n{system}: for a 95% interval of +-{made.half_width:g} around HUSE, about {made.n_items:,} items "
        f"({made.n_outputs:,} outputs, people's included), judgments per output: {made.n_annotators}{more}. "
        f"That is {made.n_judgments:,} judgments, {made.cost:,.2f} at {made.price:g} each. "
        f"HUSE-Q takes {other['huse_q']:,} items, HUSE-D {other['huse_d']:,}."
    )


def notes(study: HuseStudy) -> list[str]:
    """Say what could not be computed, what was left out, and what looks wrong."""
    notes = []
    for entry in study.systems:
        for reason in dict.fromkeys(entry.reasons.values()):
            without = ", ".join(name for name, why in entry.reasons.items() if why == reason)
            notes.append(f"{entry.system}: no {without}: {reason}")
        for reason, count in entry.problem.dropped.items():
            notes.append(f"{entry.system}: {count} outputs left out: {reason}")
        if entry.problem.floored.any():
            count = int(entry.problem.floored.sum())
            notes.append(f"{entry.system}: {count} log-probabilities of -inf stand at {entry.problem.floor:.3f}")
    notes += [f"{found.system}: {found.name}: {found.seen}. {found.remedy}" for found in study.findings]
    return notes
