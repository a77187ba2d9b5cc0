"""The wind tunnel and the bias card: what deceives a judge, and which way it leans."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from math import nan
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from assay.analyses.judge_agreement import agreement_numbers, agreement_sentences, agreement_tables
from assay.analyses.judges import evaluators_among, judge_scores, only_criterion
from assay.analyses.sources import source_of
from assay.analyses.words import counted, listed
from assay.errors import AssayError, DataError, did_you_mean
from assay.kernels.statistics.significance import holm
from assay.limits import check_share
from assay.metaeval.probes.agreement import JudgesAgreement, judges_agreement
from assay.metaeval.probes.biases import Bias, answers_biases, preference_biases
from assay.metaeval.probes.bounded import clusters_needed
from assay.metaeval.probes.tunnel import LEAST_TEXTS, Gust, Tunnel, gusts, tunnel_of
from assay.metaeval.questions.question import signature
from assay.part import Bounded, Cell, Number, Part, Picture, Table
from assay.plot import Figure
from assay.records import Dataset
from assay.registry import parse
from assay.run.scoring import ScoringOptions
from assay.scores import Column
from assay.shapes import PerRequest
from assay.text.perturbations import PERTURBATIONS

NAMES = tuple(one.name for one in PERTURBATIONS)
ALPHA = 0.05
FOLDS = 5


def probe(
    data: Dataset,
    judges: Sequence[str],
    criterion: str | None = None,
    *,
    perturbations: Sequence[str] = NAMES,
    n_texts: int = 200,
    own: Sequence[str] = (),
    ignore: Sequence[str] = (),
    confidence: float = 0.95,
    seed: int = 0,
    **scoring: Unpack[ScoringOptions],
) -> Part:
    """Probe judges: evaluators with damaged texts, and all for biases compared with people.

    Args:
        data: outputs; with judgments for biases.
        judges: annotators of the data, or evaluators of outputs.
        criterion: the answers that are looked at for biases; of outputs or of pairs. By default the only one that the
            annotators among the judges answered; without annotators, only damaged texts are looked at.
        perturbations: the ways texts are damaged, by default all.
        n_texts: how many texts are damaged, at most.
        own: systems of the judge's own family, for self-preference.
        ignore: annotators who are no people; those declared to be models are left out anyway.
        confidence: of the intervals.
        seed: of the sample of texts and of the damage.
        scoring: how evaluators are scored; see `assay.score`.
    """
    check_share("confidence", confidence)
    unknown = [name for name in perturbations if name not in NAMES]
    if unknown:
        raise AssayError(f"no perturbation {unknown[0]!r}.{did_you_mean(unknown[0], NAMES)}")
    judges = tuple(dict.fromkeys(judges))
    evaluators = evaluators_among(data, judges)
    if criterion is None and len(evaluators) < len(judges):
        criterion = only_criterion(data, judges)
    # What answers about one text at a time, and perhaps for money, is asked about no more texts than are needed.
    asked = {name for name in evaluators if isinstance(parse(name).shape, PerRequest)}
    whole = [name for name in judges if criterion is not None or name not in asked]
    columns = judge_scores(source_of(data, seed, **scoring), data, whole)
    tunnel = tunnel_of(data, perturbations, n_texts, seed) if evaluators and perturbations else None
    winds = [] if tunnel is None else gusts(tunnel, _oriented(tunnel, data, evaluators, asked, seed, scoring))
    # High scores are to mean what high answers to the criterion mean.
    sign = -1.0 if criterion is not None and data.criterion(criterion).higher_is_better is False else 1.0
    scores = {name: None if column is None else sign * _high_is_good(column) for name, column in columns.items()}
    biases = [] if criterion is None else _biases(data, scores, criterion, own, ignore)
    winds, biases = _adjusted(winds, biases)
    beside = None
    if criterion is not None and criterion in data.judgments.about("output").criteria:
        beside = judges_agreement(data, criterion, scores, ignore=ignore, confidence=confidence, seed=seed)
    if not winds and not biases:
        raise DataError(
            f"nothing to probe: a kind of damage takes {LEAST_TEXTS} texts that it changes, and a bias judgments of a "
            "criterion."
        )
    origin = signature(
        "probe",
        judges=tuple(columns.get(name) or (str(parse(name)) if name in asked else name) for name in judges),
        criterion=criterion,
        perturbations=tuple(perturbations),
        n_texts=n_texts,
        own=tuple(own),
        ignore=tuple(ignore),
        confidence=confidence,
        seed=seed,
    )
    part = _part(judges, winds, biases, origin, confidence, seed)
    return part if beside is None else _with_agreement(part, beside, str(criterion), origin)


def _with_agreement(part: Part, beside: JudgesAgreement, criterion: str, origin: str) -> Part:
    trust = [*agreement_sentences(beside, criterion), *part.answers["trust"]]
    return replace(
        part,
        answers={**part.answers, "trust": trust},
        numbers=(*part.numbers, *agreement_numbers(beside, origin)),
        tables=(*part.tables, *agreement_tables(beside)),
    )


def _high_is_good(column: Column) -> NDArray[np.float64]:
    return -column.values if column.higher_is_better is False else column.values


def _oriented(
    tunnel: Tunnel,
    data: Dataset,
    evaluators: Sequence[str],
    asked: Collection[str],
    seed: int,
    scoring: ScoringOptions,
) -> dict[str, NDArray[np.float64]]:
    """Scores of all texts, damaged ones too, higher being better.

    An evaluator that learns is fitted on the texts as they were, of other items: damaged copies are no examples of what
    people or systems write.
    """
    learning = [name for name in evaluators if scoring.get("train") is None and parse(name).learns(data)]
    plain = [name for name in evaluators if name not in learning and name not in asked]
    compared = np.zeros(len(tunnel.dataset), np.bool_)
    for pairs in tunnel.pairs.values():
        compared[pairs.ravel()] = True
    folds = np.random.default_rng(seed).permutation(len(data.items)) % min(FOLDS, len(data.items))
    fold_of = dict(zip(data.items.id, folds.tolist(), strict=True))
    fold = np.array([fold_of[tunnel.dataset.items.id[int(item)]] for item in tunnel.dataset.outputs.item])
    scored = {name: np.full(len(tunnel.dataset), nan) for name in evaluators}
    passes: list[tuple[list[str], NDArray[np.bool_], ScoringOptions]] = [
        (plain, np.ones(len(fold), np.bool_), scoring),
        ([name for name in evaluators if name in asked], compared, scoring),
    ]
    for held_out in range(int(folds.max()) + 1):
        train = data.select(folds[data.outputs.item] != held_out)
        own = ScoringOptions({**scoring, "train": train, "folds": None})
        passes.append((learning, fold == held_out, own))
    for names, rows, options in passes:
        if names and rows.any():
            table = source_of(tunnel.dataset.select(rows), seed, **options).score(names, "output")
            place = {identity: at for at, identity in enumerate(table.unit)}
            order = [place[identity] for identity in tunnel.dataset.outputs.id.take(np.flatnonzero(rows))]
            for name in names:
                scored[name][rows] = _high_is_good(table[name])[order]
    return scored


def _biases(
    data: Dataset,
    scores: dict[str, NDArray[np.float64] | None],
    criterion: str,
    own: Sequence[str],
    ignore: Sequence[str],
) -> list[Bias]:
    known = data.judgments.annotators.to_list()
    for name in ignore:
        if name not in known:
            raise AssayError(f"no annotator {name!r} to ignore.{did_you_mean(name, known)}")
    about_pairs = criterion in data.judgments.about("pair").criteria
    if not about_pairs:
        return [
            bias
            for name, values in scores.items()
            for bias in answers_biases(data, name, criterion, scores=values, own=own, ignore=ignore)
        ]
    compared = [name for name, values in scores.items() if values is None]
    return [bias for name in compared for bias in preference_biases(data, name, criterion, own=own, ignore=ignore)]


def _adjusted(winds: list[Gust], biases: list[Bias]) -> tuple[list[Gust], list[Bias]]:
    """Holm's correction over all probes of all judges: the chance of a single false alarm is 5%."""
    p_values = [one.margin.p_value for one in winds]
    p_values += [one.p_value for one in biases]
    adjusted = holm(np.array(p_values, np.float64)).tolist()
    return (
        [replace(one, p_adjusted=p) for one, p in zip(winds, adjusted, strict=False)],
        [replace(one, p_adjusted=p) for one, p in zip(biases, adjusted[len(winds) :], strict=True)],
    )


def _part(
    judges: Sequence[str], winds: Sequence[Gust], biases: Sequence[Bias], origin: str, confidence: float, seed: int
) -> Part:
    adjusted = [*(one.p_adjusted for one in winds), *(one.p_adjusted for one in biases)]
    n_tests = sum(p == p for p in adjusted)
    return Part(
        title="Probes",
        summary=f"{listed(list(judges))}: {counted(n_tests, 'test')}, p adjusted for all of them (Holm); intervals and "
        "tests over items.",
        answers={"trust": [*_tunnel_sentences(winds, n_tests), *_bias_sentences(biases)]},
        numbers=(*_tunnel_numbers(winds, origin, confidence), *_bias_numbers(biases, origin, confidence)),
        tables=tuple(_tables(winds, biases, confidence)),
        pictures=(_picture(winds),) if winds else (),
        methods=(origin,),
        seed=seed,
    )


def _tunnel_numbers(winds: Sequence[Gust], origin: str, confidence: float) -> Iterator[Number]:
    for one in winds:
        about = {
            "judge": one.evaluator,
            "perturbation": one.perturbation.name,
            "expected": one.perturbation.expected,
            "better": one.better,
            "same": one.same,
            "worse": one.worse,
            "p_value": one.margin.p_value,
            "p_adjusted": one.p_adjusted,
            "verdict": one.verdict(ALPHA),
        }
        low, high = one.margin.interval(confidence)
        reason = "" if low == low else "too few items"
        yield Number("margin", one.margin.value, one.margin.n, origin, one.n_missing, low, high, reason, about)


def _bias_numbers(biases: Sequence[Bias], origin: str, confidence: float) -> Iterator[Number]:
    for one in biases:
        low, high = one.estimate.interval(confidence)
        about = {"judge": one.judge, "about": one.about, "p_adjusted": one.p_adjusted}
        reason = one.reason or ("" if low == low else "too few items")
        yield Number(one.probe, one.estimate.value, one.estimate.n, origin, 0, low, high, reason, about)


def _tables(winds: Sequence[Gust], biases: Sequence[Bias], confidence: float) -> Iterator[Table]:
    if winds:
        rows: list[tuple[Cell, ...]] = [
            (
                one.evaluator,
                one.perturbation.name,
                one.perturbation.expected,
                one.better,
                one.same,
                one.worse,
                Bounded(one.margin.value, *one.margin.interval(confidence)),
                one.p_adjusted,
                one.verdict(ALPHA),
            )
            for one in winds
        ]
        header = ("judge", "damage", "should be", "scored better", "the same", "worse", "better minus worse")
        note = "; ".join(f"{one.name}: {one.about}" for one in PERTURBATIONS) + "."
        yield Table("probe", "Damaged texts", (*header, "p (holm)", "verdict"), tuple(rows), note)
    if biases:
        card: list[tuple[Cell, ...]] = [
            (
                one.judge,
                one.probe,
                Bounded(one.estimate.value, *one.estimate.interval(confidence)),
                one.about,
                one.estimate.n,
                one.p_adjusted,
                one.reason,
            )
            for one in biases
        ]
        columns = ("judge", "bias", "size", "what it is", "n", "p (holm)", "note")
        yield Table("probe_biases", "Biases", columns, tuple(card))


def _picture(winds: Sequence[Gust]) -> Picture:
    judges = list(dict.fromkeys(one.evaluator for one in winds))
    names = [name for name in NAMES if any(one.perturbation.name == name for one in winds)]
    values = np.full((len(judges), len(names)), nan)
    for one in winds:
        values[judges.index(one.evaluator), names.index(one.perturbation.name)] = one.better + one.same / 2
    caption = "How often damage raises the score, a tie being half: 0 is always noticed, 0.5 is blind, 1 always fooled."
    figure = Figure("Damaged texts preferred", description=caption, x_categories=names, y_categories=judges, width=760)
    x_edges, y_edges = (np.arange(n + 1) - 0.5 for n in (len(names), len(judges)))
    figure.grid(x_edges, y_edges, values, low=0.0, high=1.0, middle=0.5, color=1, color_below=0, cell_text=".2f")
    return Picture.of("probe", figure, caption)


def _tunnel_sentences(winds: Sequence[Gust], n_tests: int) -> Iterator[str]:
    n_tests = max(1, n_tests)
    needed = clusters_needed(n_tests, ALPHA)
    for judge in dict.fromkeys(one.evaluator for one in winds):
        mine = [one for one in winds if one.evaluator == judge]
        by_verdict = {
            v: [one.perturbation.name for one in mine if one.verdict(ALPHA) == v] for v in ("fooled", "blind")
        }
        said = [
            f"{words} {listed(names)}"
            for words, names in zip(("is deceived by", "does not see"), by_verdict.values(), strict=True)
            if names
        ]
        n_items = max(one.margin.n_clusters for one in mine)
        if said:
            yield f"{judge} {' and '.join(said)}."
        if n_items < needed:
            yield (
                f"{counted(n_items, 'item')} cannot show that {judge} is deceived: with {counted(n_tests, 'test')} it "
                f"takes {needed}."
            )
        elif not said:
            yield f"{judge} was not found to be deceived by the damage that was tried."


def _bias_sentences(biases: Sequence[Bias]) -> Iterator[str]:
    for one in biases:
        if one.p_adjusted <= ALPHA:
            yield f"{one.judge} has a bias of {one.probe}: {one.estimate.value:+.2f} {one.about}."
