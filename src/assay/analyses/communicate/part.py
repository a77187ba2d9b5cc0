"""`assay.communicate`: do listeners recover what was meant, where do they fail, and what are they blind to?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import Any, Unpack

from assay.analyses.communicate.fluency import fluency_of, fluency_table
from assay.analyses.communicate.probe import with_shuffled_words
from assay.analyses.communicate.reading import Reading, read, tables_of
from assay.analyses.words import counted, interval
from assay.distractors import N_CHOICES, Rule, with_choices
from assay.errors import AssayError
from assay.limits import check_share
from assay.listening import CAUTION
from assay.part import Number, Part, Picture
from assay.plot import Figure
from assay.records import Dataset
from assay.registry import parse
from assay.run import score
from assay.run.scoring import ScoringOptions
from assay.scores import Column

LISTENERS = ("text_listener",)
GIVEN = "given"
CITE = "Newman, Cohn-Gordon and Potts 2020"
BLIND = (
    "A listener is blind to grammar (Newman et al. 2020, section 6.4): it rewards any text that points to its target, "
    "so read it beside a fluency score."
)


def communicate(
    dataset: Dataset,
    listeners: Sequence[str] = LISTENERS,
    *,
    distractors: Rule | None = None,
    n_choices: Sequence[int] = (),
    by: str | None = None,
    fluency: str | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    workers: int = 1,
    **scoring: Unpack[ScoringOptions],
) -> Part:
    """Measure how often listeners recover what was meant: by difficulty, number of choices, parameter and system.

    Args:
        dataset: outputs with choices and targets, or with contexts that are hidden among those of other items.
        listeners: names or calls of evaluators that leave beliefs beside their scores.
        distractors: `sampled`, `nearest` or `mixed`: make games of the contexts by this rule, whatever choices the data
            has. By default the data's own choices, or sampled ones where it has none.
        n_choices: of made games, one or several; by default 5.
        by: a decoding parameter or numeric column of the outputs to show accuracy by; by default the temperature,
            where the data has one.
        fluency: an evaluator to put beside; by default `perplexity` where the data has log-probabilities.
        confidence: of the intervals.
        seed: of sampled distractors and shuffled words.
        workers: threads; the result does not depend on it.
        scoring: how evaluators are scored: `train`, `folds`, `executor`, `cache` and `requests` of `assay.score`.
    """
    check_share("confidence", confidence)
    names = list(dict.fromkeys(listeners))
    if not names:
        raise AssayError("name a listener, such as text_listener.")
    options: dict[str, Any] = {"seed": seed, "workers": workers, **scoring}
    games, chosen = _games(dataset, distractors, n_choices, seed)
    rule = GIVEN if chosen is None else f"{chosen}, {_listed(list(games))} choices"
    if by is None and "params.temperature" in dataset.outputs.columns:
        by = "temperature"
    readable = [name for name in names if "judgments" not in parse(name).about.needs]
    readings: list[Reading] = []
    notes = [BLIND]
    for size, game in games.items():
        table = score(game, names, unit="output", failures="error", **options)
        columns = table.columns
        shuffled: Mapping[str, Column] = {}
        if readable:
            mixed_up = with_shuffled_words(game, seed)
            shuffled = score(mixed_up, readable, unit="output", failures="error", **options).columns
        notes += [*(note for note in table.notes if not note.endswith(CAUTION)), *table.gap_notes()]
        readings += [
            read(
                name,
                columns[name],
                shuffled.get(name),
                game,
                distractors=chosen,
                n_choices=() if chosen is None else (size,),
                by=by,
                several=len(games) > 1,
                confidence=confidence,
                seed=seed,
            )
            for name in names
        ]
    notes += [
        f"{name} is made of people's answers: its words cannot be shuffled." for name in names if name not in readable
    ]
    fluent, fluency_notes = fluency_of(dataset, fluency, options)
    probes = [one.probe for one in readings if one.probe]
    return Part(
        title="Communication",
        summary=_summary(dataset, readings[0].accuracy[0], rule),
        answers={"trust": list(map(_trust, probes))} if probes else {},
        numbers=(*(n for one in readings for n in (*one.accuracy, *one.calibration)), *probes, *fluent),
        tables=(*tables_of(readings), *([fluency_table(fluent)] if fluent else [])),
        pictures=(*_by_parameter(readings, by), *_calibrations(readings)),
        methods=(*dict.fromkeys(one.origin for one in readings), CITE),
        notes=tuple(dict.fromkeys([*notes, *fluency_notes])),
        seed=seed,
    )


def _games(
    dataset: Dataset, distractors: Rule | None, n_choices: Sequence[int], seed: int
) -> tuple[dict[int, Dataset], Rule | None]:
    """The games to play by number of choices, and the rule that made them; None for the data's own choices."""
    if distractors is None and not n_choices and len(dataset.items.choices.texts):
        return {0: dataset}, None
    rule: Rule = distractors or "sampled"
    return {n: with_choices(dataset, rule, n_choices=n, seed=seed) for n in n_choices or (N_CHOICES,)}, rule


def _listed(sizes: Sequence[int]) -> str:
    return " and ".join(map(str, sizes))


def _summary(dataset: Dataset, first: Number, rule: str) -> str:
    games = "the choices in the data" if rule == GIVEN else f"contexts hidden among others ({rule})"
    return (
        f"{counted(first.n, 'output')} of {counted(len(dataset.items), 'item')}, {games}. "
        f"{first.about['listener']} picks what was meant in {first.value:.1%} of them "
        f"({interval(first.low, first.high, 3)}); guessing would in {first.about['chance']:.1%}."
    )


def _trust(probe: Number) -> str:
    listener, before, after = (probe.about[key] for key in ("listener", "before", "after"))
    moved = f"from {before:.3f} to {after:.3f} when the words of every output are shuffled"
    if isnan(probe.low) and probe.value == 0:
        return f"{listener} does not read word order: its mean score stays at {before:.3f} when words are shuffled."
    if isnan(probe.low) or probe.low <= 0 <= probe.high:
        return f"{listener} shows no sign of reading word order: its mean score goes {moved}."
    return f"{listener} reads word order a little: its mean score goes {moved}."


def _by_parameter(readings: Sequence[Reading], by: str | None) -> list[Picture]:
    own = {one.label: [n for n in one.accuracy if by and n.about["by"] == by] for one in readings}
    groups = list(dict.fromkeys(str(number.about["group"]) for numbers in own.values() for number in numbers))
    if not groups:
        return []
    figure = Figure(f"Accuracy by {by}", "share of hits", str(by), y_categories=groups)
    for place, (label, numbers) in enumerate(own.items()):
        figure.intervals(
            [number.value for number in numbers],
            [number.low for number in numbers],
            [number.high for number in numbers],
            positions=[groups.index(str(number.about["group"])) + 0.15 * place for number in numbers],
            name=label if len(own) > 1 else "",
        )
    return [Picture.of("accuracy-by-parameter", figure, f"Share of hits by {by}, with intervals over items.")]


def _calibrations(readings: Sequence[Reading]) -> list[Picture]:
    if len(readings) == 1:
        return [readings[0].picture]
    return [replace(one.picture, name=f"{one.picture.name}-{number}") for number, one in enumerate(readings, start=1)]
