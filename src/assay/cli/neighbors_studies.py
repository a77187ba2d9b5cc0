"""What `assay neighbors` can be asked: one function per question, each with its JSON, table, rows and figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from assay.errors import EvaluatorError

if TYPE_CHECKING:
    from assay.analyses.neighbors.neighborhood import Neighborhood
    from assay.evaluators.neighbors.judged import Judged
    from assay.evaluators.neighbors.rule import Rule
    from assay.evaluators.neighbors.similarity import Similarity
    from assay.plot import Figure

Rows = list[list[str | float]]
Given = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What is printed and written."""

    json: dict[str, Any]
    header: list[str]
    table: Rows
    rows: list[dict[str, Any]]
    figure: Figure
    notes: list[str] = field(default_factory=list)


Study = Callable[[Mapping[str, "Judged"], "Judged | None", "Similarity", "Rule", Given], Answer]


def check_study(
    texts: Mapping[str, Judged], train: Judged | None, similarity: Similarity, rule: Rule, given: Given
) -> Answer:
    """Estimate, and hold the estimates against what is known."""
    from assay.analyses.neighbors import figures as neighbor_figures
    from assay.analyses.neighbors import values as neighbors
    from assay.analyses.neighbors.check import check

    found = check(
        next(iter(texts.values())),
        similarity,
        rule,
        train=train,
        **{name: given[name] for name in ("fold", "subsample", "alpha", "most", "seed", "workers")},
    )
    answer = {**neighbors.check_json(found), "seed": given["seed"]}
    notes = [f"{n} outputs have no estimate: {reason}" for reason, n in answer["abstentions"].items()]
    if len(found.train) < found.n_judged:
        notes.append(_drawn(len(found.train), found.n_judged))
    if found.n_shared:
        notes.append(f"{found.n_shared} training texts are to be estimated themselves and were left out")
    if train is not None and not found.found.n:
        table = [[row["id"], row["estimate"], row["low"], row["high"], row["reason"]] for row in answer["outputs"]]
        header = ["output", "estimate", "low", "high", "why not"]
    else:
        header, table = ["estimate", "mse", "rho", "coverage"], neighbors.check_table(found)
    return Answer(answer, header, table, answer["outputs"], neighbor_figures.check_figure(found), notes)


def sweep_study(
    texts: Mapping[str, Judged], train: Judged | None, similarity: Similarity, rule: Rule, given: Given
) -> Answer:
    """Change one threshold at a time."""
    from assay.analyses.neighbors import figures as neighbor_figures
    from assay.analyses.neighbors import values as neighbors
    from assay.analyses.neighbors.studies import sweep

    points = sweep(_near(texts, train, similarity, given), rule, fold=given["fold"])
    rows = neighbors.sweep_json(points)
    json = {"sweep": rows, **neighbors.settings_json(similarity, rule), "fold": given["fold"]}
    columns = ["varied", "tau", "min_neighbors", "max_fraction", "mse", "rho", "coverage"]
    return Answer(json, columns, _table(rows, columns), rows, neighbor_figures.sweep_figure(points))


def tune_study(
    texts: Mapping[str, Judged], train: Judged | None, similarity: Similarity, rule: Rule, given: Given
) -> Answer:
    """Try all combinations of thresholds, and say what the choice is worth on texts it was not made on."""
    from assay.analyses.neighbors import figures as neighbor_figures
    from assay.analyses.neighbors import values as neighbors
    from assay.analyses.neighbors.neighborhood import agreement
    from assay.analyses.neighbors.studies import sweep
    from assay.analyses.neighbors.tuning import tune, tuned_apart

    near = _near(texts, train, similarity, given)
    how = {"min_coverage": given["min_coverage"], "fold": given["fold"]}
    best = tune(near, rule, **how)
    apart = agreement(tuned_apart(near, rule, seed=given["seed"], **how), near.test.quality)
    json = {**neighbors.settings_json(similarity, best.rule), **neighbors.agreement_json(best.found), **how}
    json |= {"held_out": neighbors.agreement_json(apart), "seed": given["seed"]}
    rows = [
        {"measured": "on the texts it was chosen on", **neighbors.sweep_json([best])[0]},
        {"measured": "chosen on nine tenths, the others estimated", **asdict(best.rule), **asdict(apart)},
    ]
    columns = ["measured", "tau", "min_neighbors", "max_fraction", "mse", "rho", "coverage"]
    table = _table(rows, columns)
    table[1][1:4] = ["", "", ""]
    figure = neighbor_figures.sweep_figure(sweep(near, best.rule, fold=given["fold"]))
    return Answer(json, columns, table, [neighbors.sweep_json([best])[0]], figure)


def sizes_study(
    texts: Mapping[str, Judged], train: Judged | None, similarity: Similarity, rule: Rule, given: Given
) -> Answer:
    """Draw training sets of several sizes."""
    from assay.analyses.neighbors import figures as neighbor_figures
    from assay.analyses.neighbors import values as neighbors
    from assay.analyses.neighbors.studies import training_sizes

    near = _near(texts, train, similarity, given, rule.tau)
    points = training_sizes(near, rule, seed=given["seed"], fold=given["fold"])
    rows = neighbors.sizes_json(points)
    json = {"sizes": rows, **neighbors.settings_json(similarity, rule), "fold": given["fold"], "seed": given["seed"]}
    columns = ["n_train", "mse", "mse_sd", "rho", "rho_sd", "coverage", "coverage_sd"]
    return Answer(json, columns, _table(rows, columns), rows, neighbor_figures.sizes_figure(points))


def covered_study(
    texts: Mapping[str, Judged], train: Judged | None, similarity: Similarity, rule: Rule, given: Given
) -> Answer:
    """Compare annotators on texts with and without an estimate."""
    from assay.analyses.neighbors import figures as neighbor_figures
    from assay.analyses.neighbors import values as neighbors
    from assay.analyses.neighbors.studies import low_hanging_fruit

    near = _near(texts, train, similarity, given, rule.tau)
    if not len(near.test.votes.text):
        raise EvaluatorError("there are no single judgments of the outputs to be estimated, so no annotators.")
    found = low_hanging_fruit(near, rule, fold=given["fold"])
    json = {**neighbors.fruit_json(found), **neighbors.settings_json(similarity, rule)}
    rows: list[dict[str, Any]] = [
        {"outputs": name, "n": json[f"n_{name}"], **json[name]} for name in ("covered", "uncovered")
    ]
    columns = ["outputs", "n", "best_mse", "best_rho", "average_mse", "average_rho"]
    return Answer(json, columns, _table(rows, columns), rows, neighbor_figures.fruit_figure(found))


def across_study(
    texts: Mapping[str, Judged], train: Judged | None, similarity: Similarity, rule: Rule, given: Given
) -> Answer:
    """Train on each data set and estimate each."""
    from assay.analyses.neighbors import figures as neighbor_figures
    from assay.analyses.neighbors import values as neighbors
    from assay.analyses.neighbors.studies import across_tasks

    tasks = {name: _few(part, given) for name, part in texts.items()}
    found = across_tasks(tasks, similarity, rule, workers=given["workers"])
    rows = neighbors.matrix_json(found)
    json = {"across": rows, **neighbors.settings_json(similarity, rule)}
    columns = ["train", "test", "mse", "rho", "coverage"]
    return Answer(json, columns, _table(rows, columns), rows, neighbor_figures.matrix_figure(found))


def compare_study(
    texts: Mapping[str, Judged], train: Judged | None, similarity: Similarity, rule: Rule, given: Given
) -> Answer:
    """Estimate the same texts with several similarities, the others at their own threshold."""
    from assay.analyses.neighbors import figures as neighbor_figures
    from assay.analyses.neighbors import values as neighbors
    from assay.analyses.neighbors.studies import compare_kernels
    from assay.evaluators.neighbors.similarity import ENCODER, Similarity

    settings = [(similarity, rule)]
    for kernel in given["compare"]:
        other = Similarity(kernel, encoder=given["encoder"] if kernel in ENCODER else None)
        settings.append((other, replace(rule, tau=other.tau)))
    own = _few(next(iter(texts.values())), given)
    found = compare_kernels(own, settings, fold=given["fold"], workers=given["workers"])
    rows = neighbors.kernels_json(found)
    columns = ["kernel", "tau", "mse", "rho", "coverage"]
    return Answer({"kernels": rows}, columns, _table(rows, columns), rows, neighbor_figures.kernels_figure(found))


STUDIES: dict[str, Study] = {
    "check": check_study,
    "sweep": sweep_study,
    "tune": tune_study,
    "sizes": sizes_study,
    "covered": covered_study,
    "across": across_study,
    "compare": compare_study,
}


def own_encoder(given: Given) -> str | None:
    """The encoder of the main kernel; one that is given for the kernels compared with it is theirs alone."""
    from assay.evaluators.neighbors.similarity import ENCODER

    for_others = given["kernel"] not in ENCODER and any(kernel in ENCODER for kernel in given["compare"])
    return None if for_others else given["encoder"]


def _near(
    texts: Mapping[str, Judged], train: Judged | None, similarity: Similarity, given: Given, tau: float | None = None
) -> Neighborhood:
    """All similarities from tau up, or from the lowest threshold that a study tries."""
    from assay.analyses.neighbors.neighborhood import Neighborhood
    from assay.analyses.neighbors.tuning import TAUS

    own = _few(next(iter(texts.values())), given)
    lowest = min(TAUS) if tau is None else tau
    if train is None:
        return Neighborhood.among(own, similarity, lowest, given["workers"])
    return Neighborhood.between(own, _few(train, given), similarity, lowest, given["workers"])


def _few(texts: Judged, given: Given) -> Judged:
    """The judged texts, or as many of them as are compared with each other; says so where some are left out."""
    from assay.cli import options

    judged = texts.with_quality()
    drawn = judged.drawn(given["most"], given["seed"])
    if len(drawn) < len(judged):
        options.say(_drawn(len(drawn), len(judged)))
    return drawn


def _drawn(n: int, of: int) -> str:
    return f"{n:,} of {of:,} judged texts were drawn; --most takes more, in the square of the time and memory"


def _table(rows: list[dict[str, Any]], columns: list[str]) -> Rows:
    return [[row[column] for column in columns] for row in rows]
