"""Studies of neighbor estimates as results: thresholds, training size, task, similarity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace

from assay.analyses.neighbors import figures
from assay.analyses.neighbors.check_part import CITE, agreement_numbers, check_part
from assay.analyses.neighbors.neighborhood import EstimateAgreement, agreement
from assay.analyses.neighbors.settings import NeighborSettings
from assay.analyses.neighbors.studies import (
    across_tasks,
    compare_kernels,
    low_hanging_fruit,
    sweep,
    training_sizes,
)
from assay.analyses.neighbors.tuning import TAUS, tune, tuned_apart
from assay.errors import EvaluatorError
from assay.evaluators.neighbors.rule import Rule
from assay.evaluators.neighbors.similarity import ENCODER, Similarity
from assay.part import Cell, Number, Part, Picture, Table
from assay.plot import Figure

THRESHOLDS = ("tau", "min_neighbors", "max_fraction")


@dataclass(frozen=True)
class Trial:
    """One setting with its agreement and signature."""

    about: Mapping[str, Cell]
    agreement: EstimateAgreement
    signature: str


def sweep_part(settings: NeighborSettings) -> Part:
    """Change one threshold at a time."""
    points = sweep(settings.near(min(TAUS)), settings.rule, fold=settings.fold)
    trials = [
        Trial({"varied": point.varied, **_thresholds(point.rule)}, point.agreement, settings.signature(point.rule))
        for point in points
    ]
    summary = "Coverage against correlation as one of tau, a and b varies and the others stay fixed."
    return _of_trials(settings, "sweep", "What thresholds cost and gain", summary, trials, figures.sweep_figure(points))


def tune_part(settings: NeighborSettings) -> Part:
    """Choose thresholds by grid search, and evaluate the choice on held-out texts."""
    near, rule, fold, enough = settings.near(min(TAUS)), settings.rule, settings.fold, settings.min_coverage
    best = tune(near, rule, min_coverage=enough, fold=fold)
    held_out = tuned_apart(near, rule, min_coverage=enough, fold=fold, seed=settings.seed)
    apart = agreement(held_out, near.test.quality)
    signature = settings.signature(best.rule)
    trials = [
        Trial({"measured": "on the texts it was chosen on", **_thresholds(best.rule)}, best.agreement, signature),
        Trial(
            {"measured": "chosen on nine tenths, the others estimated", **dict.fromkeys(THRESHOLDS)}, apart, signature
        ),
    ]
    summary = f"The thresholds with the highest rho that give {enough:.0%} of the texts an estimate."
    figure = figures.sweep_figure(sweep(near, best.rule, fold=fold))
    return _of_trials(settings, "tune", "The thresholds chosen", summary, trials, figure)


def across_part(settings: NeighborSettings) -> Part:
    """Train on each data set and estimate each."""
    tasks = {name: settings.few(part) for name, part in settings.texts.items()}
    cells = across_tasks(tasks, settings.similarity, settings.rule, workers=settings.workers)
    signature = settings.signature()
    trials = [Trial({"train": train, "test": test}, cell, signature) for (train, test), cell in cells.items()]
    summary = "Texts of one task estimated from those of another; within a task one text at a time is left out."
    figure = figures.matrix_figure(cells)
    return _of_trials(settings, "across", "Training on one task, estimating another", summary, trials, figure)


def compare_part(settings: NeighborSettings, kernels: Sequence[str], encoder: str | None) -> Part:
    """Estimate the same texts with several similarities, each at its own threshold."""
    pairs = [(settings.similarity, settings.rule)]
    for kernel in kernels:
        other = Similarity(kernel, encoder=encoder if kernel in ENCODER else None)
        pairs.append((other, replace(settings.rule, tau=other.tau)))
    rows = compare_kernels(settings.few(settings.test), pairs, fold=settings.fold, workers=settings.workers)
    trials = [
        Trial(
            {"kernel": row.similarity.kernel, "tau": row.rule.tau},
            row.agreement,
            settings.signature(row.rule, row.similarity),
        )
        for row in rows
    ]
    summary = "The same texts under several similarities, each at its own threshold."
    return _of_trials(settings, "kernels", "Similarities compared", summary, trials, figures.kernels_figure(rows))


def sizes_part(settings: NeighborSettings) -> Part:
    """Draw training sets of several sizes."""
    near = settings.near(settings.rule.tau)
    points = training_sizes(near, settings.rule, seed=settings.seed, fold=settings.fold)
    header = tuple(asdict(points[0]))
    numbers = [
        Number(
            name,
            getattr(point, name),
            point.n_train,
            settings.signature(),
            reason="a mean over draws of the training texts; sd is over the draws",
            about={"n_train": point.n_train, "n_draws": point.n_draws, "sd": getattr(point, f"{name}_sd")},
        )
        for point in points
        for name in ("rho", "mse", "coverage")
    ]
    summary = f"Agreement with training sets of several sizes, {points[0].n_draws} random draws of each."
    rows = [astuple(point) for point in points]
    figure = figures.sizes_figure(points)
    return _part(settings, "sizes", "Agreement by training size", summary, numbers, (header, rows), figure)


def covered_part(settings: NeighborSettings) -> Part:
    """Compare annotators on texts with and without an estimate."""
    near = settings.near(settings.rule.tau)
    if not len(near.test.votes.text):
        raise EvaluatorError("there are no single judgments of the outputs to be estimated, so no annotators.")
    annotators = low_hanging_fruit(near, settings.rule, fold=settings.fold)
    sides = (
        ("covered", annotators.n_covered, annotators.covered),
        ("uncovered", annotators.n_uncovered, annotators.uncovered),
    )
    measures = ("best_mse", "best_rho", "average_mse", "average_rho")
    rows: list[tuple[Cell, ...]] = [
        (side, n, *(getattr(summary, name) for name in measures)) for side, n, summary in sides
    ]
    numbers = [
        Number(name, value, n, settings.signature(), reason="annotators are not resampled", about={"outputs": side})
        for side, n, summary in sides
        for name, value in ((name, getattr(summary, name)) for name in measures)
    ]
    about = "How well annotators do on the texts that have an estimate, and on the others."
    figure, header = figures.fruit_figure(annotators), ("outputs", "n", *measures)
    return _part(settings, "covered", "Are covered texts easier for people?", about, numbers, (header, rows), figure)


STUDIES: dict[str, Callable[[NeighborSettings], Part]] = {
    "check": check_part,
    "sweep": sweep_part,
    "tune": tune_part,
    "sizes": sizes_part,
    "covered": covered_part,
    "across": across_part,
}


def _thresholds(rule: Rule) -> dict[str, Cell]:
    return {name: getattr(rule, name) for name in THRESHOLDS}


def _of_trials(
    settings: NeighborSettings, name: str, title: str, summary: str, trials: Sequence[Trial], figure: Figure
) -> Part:
    measures = ("mse", "rho", "coverage", "n")
    header = (*trials[0].about, *measures)
    rows = [(*trial.about.values(), *(getattr(trial.agreement, measure) for measure in measures)) for trial in trials]
    numbers = [
        number for trial in trials for number in agreement_numbers(trial.agreement, trial.signature, dict(trial.about))
    ]
    return _part(settings, name, title, summary, numbers, (header, rows), figure)


def _part(
    settings: NeighborSettings,
    name: str,
    title: str,
    summary: str,
    numbers: Sequence[Number],
    table: tuple[tuple[str, ...], Sequence[tuple[Cell, ...]]],
    figure: Figure,
) -> Part:
    header, rows = table
    return Part(
        title,
        summary,
        numbers=tuple(numbers),
        tables=(Table(f"neighbors_{name}", title, header, tuple(rows)),),
        pictures=(Picture.of(f"neighbors-{name}", figure, summary),),
        methods=(settings.signature(), CITE),
        notes=tuple(settings.drawn_notes()),
        seed=settings.seed,
    )
