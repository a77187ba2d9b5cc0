"""`assay reproduce colors`: how well listeners and metrics grade descriptions of colors (Newman et al. 2020)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from assay.evaluator import Evaluator
from assay.io import load
from assay.io.cache import ScoreCache, cache_folder
from assay.io.code import code_fingerprint
from assay.kernels.statistics.beliefs import entropy
from assay.kernels.statistics.correlation import pearson
from assay.kernels.statistics.jackknife import jackknife, t_interval
from assay.kernels.statistics.significance import holm, williams
from assay.listening import beliefs_of, share_of_hits
from assay.part import Bounded, Cell, Number, Part, Table
from assay.records import Dataset
from assay.registry import factory, parse
from assay.reproduce.color_calibration import calibration_tables
from assay.reproduce.color_games import Candidates, candidate_games, contradicted_contexts
from assay.reproduce.color_pictures import category_picture
from assay.reproduce.communication import (
    HUMAN,
    ROWS,
    STATISTICS,
    Grouped,
    candidates,
    click_grades,
    clicks_by_triple,
    clicks_on_target,
    graded,
    unfiltered_clicks,
    with_itself,
)
from assay.run import score
from assay.run.fit import fit
from assay.scores import ScoreTable

Floats = NDArray[np.float64]

LITERAL, PRAGMATIC, MIXTURE = "literal listener", "pragmatic listener", "mixture of both listeners"
PUBLISHED = {LITERAL: ("0.581", "0.613", "0.486"), PRAGMATIC: ("0.554", "0.556", "0.444")}
GRADES = {1.0: "descriptive", 2.0: "ambiguous", 3.0: "misleading"}
PARTS = (64, 16, 4, 1)
CITE = "Newman, Cohn-Gordon and Potts 2020; Monroe et al. 2017; Williams 1959; Sharma, Wu and Dalal 2005"


@dataclass(frozen=True, eq=False)
class Grading:
    """Scores and grades of the same units, and the triple of colors that each belongs to."""

    scores: Floats
    grades: Floats
    triples: NDArray[np.int64]
    published: tuple[str, ...] = ("", "", "")

    def correlations(self, name: str) -> tuple[float, Floats]:
        """The absolute correlation, and its values with each triple left out."""
        statistic = STATISTICS[name]
        left_out = [
            abs(statistic(self.scores[keep], self.grades[keep]))
            for keep in (self.triples != triple for triple in np.unique(self.triples))
        ]
        return abs(statistic(self.scores, self.grades)), np.array(left_out)


def colors(listeners: str | Path | None = None, *, seed: int = 0) -> Part:
    """Grade the candidates of Newman et al. (2020) with people, metrics and listeners, and compare the graders.

    Args:
        listeners: a folder with, or for, the fitted listeners `literal` and `pragmatic`; by default one in the cache.
        seed: of the training.
    """
    dataset = load("data:colors/utterances")
    groups = candidates(dataset)
    games = candidate_games(dataset, groups)
    models = fitted_listeners(listeners, seed)
    heard = score(games.games, [*map(repr, models.values()), "human_listener"], cache=ScoreCache())
    metrics = score(graded(groups)[0], [call for call, _ in ROWS.values()], cache=ScoreCache())
    by_candidate = dict(_gradings(games, heard, metrics, models))
    clicks, click_grade = click_grades(groups)
    by_click = {"human listener, per click": Grading(clicks, click_grade, clicks_by_triple(groups), HUMAN)}
    table, numbers = _correlations({**by_click, **by_candidate})
    pairs, pair_numbers = _pairs({name: by_candidate[name] for name in by_candidate if not name.startswith("human")})
    calibrated = calibration_tables(models)
    quality = _quality(games, by_candidate, listeners, seed)
    return Part(
        title="Descriptions of colors: people, metrics and listeners as graders",
        summary=(
            f"{len(games.games):,} candidates: {_counts(games.grade)}. Correlations of scores with these grades are "
            "absolute; intervals (95%) leave out triples of colors, of which there are "
            f"{len(np.unique(games.triple))}: utterances about the same colors resemble each other."
        ),
        numbers=(*numbers, *pair_numbers, *calibrated.numbers),
        tables=(
            table,
            pairs,
            _conditions(games, by_candidate),
            _entropies(games, heard, models),
            *calibrated.tables,
            quality,
        ),
        pictures=(category_picture({name: by_candidate[name].scores for name in by_candidate}, games.grade, GRADES),),
        methods=(*(column.signature for column in (*heard.columns.values(), *metrics.columns.values())), CITE),
        notes=_cautions(dataset, groups),
        seed=seed,
    )


def fitted_listeners(folder: str | Path | None, seed: int) -> dict[str, Evaluator]:
    """The two listeners and their mixture, trained on `data:colors/train` unless the folder has them."""
    kinds = ((LITERAL, "literal"), (PRAGMATIC, "pragmatic"))
    models = {name: _fitted(folder, seed, kind, kind, 1) for name, kind in kinds}
    return {**models, MIXTURE: factory("mixed_listener")(tuple(models.values()))}


def _fitted(folder: str | Path | None, seed: int, name: str, kind: str, part: int) -> Evaluator:
    """A listener of this kind, fitted on one of `part` equal parts of the games unless the folder has it."""
    place = Path(folder) if folder else cache_folder() / "listeners" / f"{code_fingerprint()[:16]}-{seed}"
    place.mkdir(parents=True, exist_ok=True)
    if not (place / name).exists():
        data = load("data:colors/train")
        game = np.unique([identity.partition("/")[0] for identity in data.outputs.id], return_inverse=True)[1]
        fit(f"listener(kind={kind!r})", data.select(game % part == 0), place / name, seed=seed)
    return parse(f"listener(model={str(place / name)!r})")


def _quality(games: Candidates, gradings: Mapping[str, Grading], folder: str | Path | None, seed: int) -> Table:
    """How far the ranking of evaluators depends on how good the listener is: literal ones trained on less data."""
    rivals = [abs(pearson(g.scores, g.grades)) for name, g in gradings.items() if name in ROWS]
    dev, rows = load("data:colors/dev"), []
    for part in PARTS:
        model = repr(_fitted(folder, seed, "literal" if part == 1 else f"literal-of-{part}", "literal", part))
        share, _ = share_of_hits(score(dev, [model], cache=ScoreCache())[model])
        grades = score(games.games, [model], cache=ScoreCache())[model].values
        r = abs(pearson(grades, games.grade))
        rows.append((f"1/{part}" if part > 1 else "all", share, r, sum(r > rival for rival in rivals), len(rivals)))
    header = ("training games", "share of hits (dev)", "Pearson", "metrics below it", "metrics")
    return Table("quality", "Literal listeners trained on parts of the data", header, tuple(rows))


def _gradings(
    games: Candidates, heard: ScoreTable, metrics: ScoreTable, models: Mapping[str, Evaluator]
) -> Iterator[tuple[str, Grading]]:
    human = heard["human_listener"].values
    yield "human listeners, mean of an utterance", Grading(human, games.grade, games.triple)
    for name, (call, published) in ROWS.items():
        yield name, Grading(metrics[call].values, games.grade, games.triple, published)
    for name, model in models.items():
        yield name, Grading(heard[repr(model)].values, games.grade, games.triple, PUBLISHED.get(name, ("", "", "")))


def _correlations(gradings: Mapping[str, Grading]) -> tuple[Table, list[Number]]:
    rows: list[tuple[Cell, ...]] = []
    numbers = []
    for name, grading in gradings.items():
        cells: list[Cell] = []
        for (statistic, _), printed in zip(STATISTICS.items(), grading.published, strict=True):
            value, left_out = grading.correlations(statistic)
            interval = t_interval(value, [left_out])
            cells += [printed or None, Bounded(value, interval.low, interval.high)]
            about = {"evaluator": name, "statistic": statistic, "published": printed}
            signature = f"{statistic.lower()} with the grade, clusters: triples of colors"
            numbers.append(
                Number("correlation", value, len(grading.scores), signature, 0, interval.low, interval.high, "", about)
            )
        rows.append((name, len(grading.scores), *cells))
    header = ("evaluator", "n", *(part for name in STATISTICS for part in (f"{name}, paper", name)))
    note = (
        "The paper's listeners were trained differently: its literal one finds 76.53% of the targets of its test "
        "part, its pragmatic one 75.02%."
    )
    return Table(
        "correlations", "Correlation with the grade of the description (Table 1)", header, tuple(rows), note
    ), numbers


def _pairs(gradings: Mapping[str, Grading]) -> tuple[Table, list[Number]]:
    """Williams' test of two correlations with the grade, beside one that knows that triples are clusters."""
    values = {name: grading.correlations("Pearson") for name, grading in gradings.items()}
    names = list(combinations(gradings, 2))
    tests = [_clustered(values[one], values[other]) for one, other in names]
    naive = [_williams(gradings[one], gradings[other]) for one, other in names]
    adjusted = holm(np.array([p for _, p in tests]))
    rows = tuple(
        (one, other, values[one][0] - values[other][0], p_williams, p, adjusted_p)
        for (one, other), p_williams, (_, p), adjusted_p in zip(names, naive, tests, adjusted.tolist(), strict=True)
    )
    numbers = [
        Number(
            "difference of correlations",
            values[one][0] - values[other][0],
            len(gradings[one].scores),
            "difference of Pearson correlations, clusters: triples of colors",
            low=interval.low,
            high=interval.high,
            about={"evaluator": one, "other": other, "williams_p": p_williams, "p": p},
        )
        for (one, other), p_williams, (interval, p) in zip(names, naive, tests, strict=True)
    ]
    header = ("evaluator", "other", "difference", "p (Williams)", "p (triples)", "p (triples, Holm)")
    note = (
        "Williams' test takes every utterance for independent; the test over triples does not, and is the one to "
        "believe where they differ."
    )
    return Table("pairs", "Do two evaluators differ in Pearson's correlation?", header, rows, note), numbers


def _clustered(one: tuple[float, Floats], other: tuple[float, Floats]) -> tuple[Bounded, float]:
    difference, left_out = one[0] - other[0], one[1] - other[1]
    variance = jackknife(difference, left_out)
    interval = t_interval(difference, [left_out])
    p = float(2 * stdtr(variance.freedom, -abs(difference) / sqrt(variance.value))) if variance.value > 0 else np.nan
    return Bounded(difference, interval.low, interval.high), p


def _williams(one: Grading, other: Grading) -> float:
    between = abs(pearson(one.scores, other.scores))
    return williams(
        abs(pearson(one.scores, one.grades)), abs(pearson(other.scores, other.grades)), between, len(one.scores)
    )


def _conditions(games: Candidates, gradings: Mapping[str, Grading]) -> Table:
    """Pearson's correlation by the condition as labeled, and as the color differences give it."""
    parts = {
        f"{kind}, {how}": of == kind
        for how, of in (("labeled", games.labeled), ("derived", games.derived))
        for kind in ("close", "split", "far")
    }
    rows: list[tuple[Cell, ...]] = []
    for name, grading in gradings.items():
        rows.append((name, *(abs(pearson(grading.scores[part], grading.grades[part])) for part in parts.values())))
    note = "Derived: CIEDE2000 of the target to both distractors (close), to one (split) or to none (far) is below 20."
    header = ("evaluator", *(f"{name} (n = {int(part.sum()):,})" for name, part in parts.items()))
    return Table("conditions", "Pearson's correlation by condition", header, tuple(rows), note)


def _entropies(games: Candidates, heard: ScoreTable, models: Mapping[str, Evaluator]) -> Table:
    """How uncertain listeners are about each kind of utterance, and how often they take the target."""
    rows: list[tuple[Cell, ...]] = []
    for name, column in {
        **{name: repr(model) for name, model in models.items()},
        "human listeners": "human_listener",
    }.items():
        beliefs = beliefs_of(heard[column])
        for grade, kind in GRADES.items():
            rows_of = np.flatnonzero(games.grade == grade)
            share, _ = share_of_hits(heard[column].take(rows_of))
            mean = float(np.mean(heard[column].values[rows_of]))
            rows.append((name, kind, float(entropy(beliefs.take(rows_of).heard).mean()) / np.log(2), mean, share))
    header = ("listener", "utterances", "entropy (bits)", "mean L(target)", "share of hits")
    return Table("entropy", "Uncertainty of listeners", header, tuple(rows), "Three choices: at most 1.585 bits.")


def _cautions(dataset: Dataset, groups: tuple[Grouped, Grouped, Grouped]) -> tuple[str, ...]:
    inside = abs(pearson(*with_itself(groups)))
    unfiltered = abs(pearson(*unfiltered_clicks(dataset, groups)))
    by_colors, by_file, n_contexts = contradicted_contexts(dataset)
    return (
        f"A candidate must not be among its own references: with it there, BLEU-1 has {inside:.3f}.",
        "Descriptive utterances were kept if two of three listeners found the target, and the same clicks are the "
        f"human score, which inflates it: with all descriptive utterances it is {unfiltered:.4f}.",
        f"The label `condition` contradicts the colors in {by_colors} of {n_contexts} contexts (CIEDE2000, 20), and "
        f"the rounded differences in the file itself in {by_file}.",
        "A click on a misleading utterance counts here unless it is on the described color, as in the paper; counting "
        f"only clicks on the target gives {abs(pearson(*clicks_on_target(dataset, groups))):.4f}.",
        "A listener is blind to grammar: report it beside a score of fluency.",
    )


def _counts(grade: Floats) -> str:
    return ", ".join(f"{int((grade == number).sum()):,} {kind}" for number, kind in GRADES.items())
