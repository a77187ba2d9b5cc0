"""Garbacea et al. (2019) at the level of generators: how every evaluator ranks them, and which evaluators agree.

Overlap is measured against the ten nearest human reviews. Discriminators are cross-fitted on the 3,600 public reviews;
those of the paper learnt from texts that are not public. Quality by an evaluator that decides, a person or a
discriminator, is the share of a generator's texts that it takes for human: 1 - its accuracy on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assay.errors import MissingExtra
from assay.io.cache import ScoreCache
from assay.kernels.statistics.calibration import area_under_curve, balanced_weights, brier_score, reliability
from assay.kernels.statistics.rank import average_ranks
from assay.metaeval.questions.correlation import Correlation
from assay.metaeval.questions.question import Question
from assay.metaeval.questions.study import ask
from assay.records import Dataset
from assay.registry import BUILTIN
from assay.reproduce.cells import Cell
from assay.run import score
from assay.scores import Column, ScoreTable
from assay.text.strings import Strings

NEAREST = "references=nearest(k=10, among='human', tokenizer='lower+whitespace')"
OF_TEXTS = {
    "BLEU": f"bleu(tokenizer='whitespace', {NEAREST})",
    "ROUGE-L": f"rouge(variant='coco', {NEAREST})",
    "METEOR": f"meteor(align='nltk', tokenizer='whitespace', {NEAREST})",
    "METEOR 1.5": f"meteor(variant='1.5', {NEAREST})",
    "CIDEr": f"cider(documents='system', {NEAREST})",
}
OF_SETS = {"Self-BLEU": "self_bleu(tokenizer='whitespace')", "type-token ratio": "type_token_ratio"}
DISCRIMINATORS = {
    "naive Bayes": "nb",
    "random forest": "rf",
    "SVM": "svm",
    "XGBoost": "xgboost",
}
NEURAL = {
    "logistic regression on embeddings": "logistic",
    "LSTM": "lstm",
    "CNN": "cnn",
    "CNN-LSTM": "cnn_lstm",
}
CROSS_FITTED = "Discriminators, cross-fitted"
SCORES, RANKS, TWELVE = "Generators, score", "Generators, rank", "12 generators"
H1, H2 = "H1: single votes", "H2: majority of five"
STATISTICS = {"pearson": "Pearson", "spearman": "Spearman", "kendall": "Kendall's tau-b"}
PUBLIC = "on the 3,600 public reviews; the paper's discriminators learnt from texts that are not public"
OTHER_TEXTS = "the paper also scored texts that are not public"
N_OF_GENERATOR = 150
"""Texts of each generator; human texts as a thirteenth system are as many, since set metrics depend on the number."""


def generator_cells(
    paper: str,
    dataset: Dataset,
    votes: NDArray[np.float64],
    majority: NDArray[np.float64],
    neural: bool,
    cache: ScoreCache | None,
) -> Iterator[Cell]:
    """The cells of all evaluators; `neural` adds the networks and the regression on embeddings.

    `votes` is the share of valid votes for "real" of each review, counted per vote within a system; `majority` is
    1 or 0, NaN without five votes.
    """
    texts = _columns(dataset, OF_TEXTS, cache)
    discriminators = {**DISCRIMINATORS, **(NEURAL if neural else {})}
    deciding = {name: column for name, column in _columns(dataset, discriminators, cache).items() if column.n}
    yield from _accuracies(paper, dataset, deciding, majority)
    table = _generators(dataset, texts, deciding, majority)
    yield from _ranked(paper, table)
    yield from _matrix(paper, table)
    yield from _against_people(paper, table)
    yield from _within(paper, dataset, texts, deciding, votes)


def _columns(dataset: Dataset, evaluators: Mapping[str, str], cache: ScoreCache | None) -> dict[str, Column]:
    """The scores of each review; what is not installed is left out."""
    columns = {}
    for name, call in evaluators.items():
        if call.partition("(")[0] not in BUILTIN:
            continue
        try:
            columns[name] = replace(score(dataset, [call], cache=cache)[call], name=name)
        except MissingExtra:
            continue
    return columns


def _decided(column: Column) -> NDArray[np.float64]:
    """1 where a discriminator takes a text for human, 0 where not, NaN where it has no score."""
    return np.where(np.isnan(column.values), np.nan, (column.values >= 0.5).astype(np.float64))


def _accuracies(
    paper: str, dataset: Dataset, deciding: Mapping[str, Column], majority: NDArray[np.float64]
) -> Iterator[Cell]:
    human = dataset.human
    for name, column in deciding.items():
        called = _decided(column)
        right = np.where(np.isnan(called), np.nan, (called == human).astype(np.float64))
        rates = {"accuracy": right, "TPR": right[human], "TNR": right[~human]}
        for rate, values in rates.items():
            measured = 100 * float(np.nanmean(values))
            yield Cell(paper, CROSS_FITTED, name, rate, "", measured, _note(name))
        known = ~np.isnan(column.values)
        probability, labels = column.values[known], human[known]
        weights = balanced_weights(labels)
        measures = {
            "AUC": area_under_curve(probability, labels),
            "Brier score": brier_score(probability, labels, weights),
            "calibration error": reliability(probability, labels, weights).error,
        }
        for measure, value in measures.items():
            yield Cell(paper, CROSS_FITTED, name, measure, "", value, _note(name))
        agrees = called[~np.isnan(majority)] == majority[~np.isnan(majority)]
        table = "Majority votes as ground truth (5.2)"
        yield Cell(paper, table, name, "accuracy", "", 100 * float(agrees.mean()), _note(name))


def _generators(
    dataset: Dataset,
    texts: Mapping[str, Column],
    deciding: Mapping[str, Column],
    majority: NDArray[np.float64],
) -> ScoreTable:
    """All systems, people last, with a column per evaluator."""
    names = dataset.systems.id
    groups = dataset.outputs_by_system
    judgments = dataset.judgments
    by_vote = dataset.outputs.system[judgments.unit]
    columns = [
        Column.of(H1, [float(np.mean(judgments.value[by_vote == system])) for system in range(len(names))]),
        Column.of(H2, [float(np.nanmean(majority[groups[system]])) for system in range(len(names))]),
        *(replace(column.pooled(groups), name=name) for name, column in texts.items()),
        *_of_equal_sets(dataset),
        *(
            Column.of(name, [float(np.nanmean(_decided(column)[groups[system]])) for system in range(len(names))])
            for name, column in deciding.items()
        ),
    ]
    # Correlations are as published: no column is turned round.
    turned = {column.name: replace(column, higher_is_better=True, signature="") for column in columns}
    return ScoreTable("system", names, Strings.empty(len(names)), names, turned)


def _of_equal_sets(dataset: Dataset) -> Iterator[Column]:
    """Diversity of as many texts of every system: of people, the first."""
    groups = dataset.outputs_by_system
    first = np.concatenate([groups[system][:N_OF_GENERATOR] for system in range(len(groups))])
    keep = np.zeros(len(dataset), bool)
    keep[first] = True
    kept = dataset.select(keep)
    table = score(kept, list(OF_SETS.values()), unit="system")
    rows = [table.unit.to_list().index(system) for system in dataset.systems.id]
    for name, call in OF_SETS.items():
        yield replace(table[call].take(np.array(rows)), name=name)


def _without(table: ScoreTable, *systems: str) -> ScoreTable:
    rows = np.array([row for row, system in enumerate(table.unit) if system not in systems])
    columns = {name: column.take(rows) for name, column in table.columns.items()}
    return replace(table, unit=table.unit.take(rows), item=table.item.take(rows), system=table.system.take(rows),
                   columns=columns)  # fmt: skip


def _ranked(paper: str, table: ScoreTable) -> Iterator[Cell]:
    """The score of each generator by each evaluator, and its rank: 1 is the highest score, ties share the mean."""
    generators = _without(table, "Real")
    for name, column in generators.columns.items():
        ranks = average_ranks(-column.values)
        for system, value, rank in zip(generators.unit, column.values.tolist(), ranks.tolist(), strict=True):
            yield Cell(paper, SCORES, name, system, "", value, _note(name))
            yield Cell(paper, RANKS, name, system, "", rank, _note(name))


def _matrix(paper: str, table: ScoreTable) -> Iterator[Cell]:
    """Every two evaluators over the twelve generators (Figures 2 to 7)."""
    generators = _without(table, "Real")
    names = list(generators.columns)
    for at, target in enumerate(names[:-1]):
        for answer in _correlations(generators, target, names[at + 1 :]):
            note = _note(answer.candidate, target)
            yield _cell(paper, f"Generators, {STATISTICS[answer.statistic]}", answer, TWELVE, note)


def _against_people(paper: str, table: ScoreTable) -> Iterator[Cell]:
    """Every evaluator with single votes: without Google LM, and with people as a thirteenth system."""
    variants = {"without Google LM": _without(table, "Real", "GoogleLM"), "with human texts as a 13th": table}
    for column, systems in variants.items():
        others = [name for name in systems.columns if name != H1]
        for answer in _correlations(systems, H1, others):
            note = _note(answer.candidate)
            yield _cell(paper, f"Generators, {STATISTICS[answer.statistic]}", answer, column, note)


def _correlations(table: ScoreTable, target: str, candidates: list[str]) -> list[Correlation]:
    question = Question(target, tuple(candidates), tuple(STATISTICS), ("system",))
    return ask(table, question, None).correlations


def _note(*names: str) -> str:
    """What of the paper's design could not be had for a number about these evaluators."""
    if set(names) <= {H1, H2}:
        return ""
    return PUBLIC if set(names) & {*DISCRIMINATORS, *NEURAL} else OTHER_TEXTS


def _cell(paper: str, table: str, answer: Correlation, column: str, note: str) -> Cell:
    row = f"{answer.candidate} with {answer.target}"
    return Cell(
        paper, table, row, column, "", answer.value, note, low=answer.low, high=answer.high, p_value=answer.p_value
    )


def _within(
    paper: str,
    dataset: Dataset,
    texts: Mapping[str, Column],
    deciding: Mapping[str, Column],
    votes: NDArray[np.float64],
) -> Iterator[Cell]:
    """Correlation with votes between generators, and among the texts of one generator."""
    generated = np.flatnonzero(~dataset.human)
    columns = {"votes": Column.of("votes", votes.tolist()), **texts, **deciding}
    table = ScoreTable(
        "output",
        dataset.outputs.id.take(generated),
        dataset.items.id.take(dataset.outputs.item[generated]),
        dataset.systems.id.take(dataset.outputs.system[generated]),
        {
            name: replace(column.take(generated), signature="", higher_is_better=True)
            for name, column in columns.items()
        },
    )
    candidates = tuple(name for name in columns if name != "votes")
    question = Question("votes", candidates, ("pearson",), ("output", "system"), ("pooled", "system"))
    answers = {(a.candidate, a.level, a.grouping): a for a in ask(table, question, None).correlations}
    for name in candidates:
        for where, key in (("between", ("system", "pooled")), ("within", ("output", "system"))):
            one = answers[name, *key]
            yield Cell(
                paper, "Votes, Pearson", name, f"{where} generators", "", one.value, _note(name),
                low=one.low, high=one.high, p_value=one.p_value,
            )  # fmt: skip
