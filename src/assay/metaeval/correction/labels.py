"""Labels of people and predictions of judges, unit by unit, and several predictions joined into one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, DataError, did_you_mean
from assay.kernels.statistics.prediction_powered import LabeledSample
from assay.kernels.statistics.ridge import ridge
from assay.records import Criterion, Dataset, JudgmentView
from assay.records.columns import numbers_of
from assay.records.preferences import preferred
from assay.text.strings import Strings

FOLDS = 5
PENALTY = 1.0
"""Of the regression that joins predictions, on squared weights of standardized columns."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LabeledUnits:
    """One row per unit: `group` is a system, or two systems where judgments compare outputs.

    `label` is the mean answer of people, NaN without one; `predictions` has a column per judge. `raw` is whether the
    only judge answers on the scale of people, so that its answers need no calibration. `scale` is the least and the
    largest label there can be, where that is known.
    """

    criterion: str
    judges: tuple[str, ...]
    groups: tuple[str, ...]
    group: NDArray[np.int64]
    cluster: NDArray[np.int64]
    label: Floats
    predictions: Floats
    probability: Floats
    stratum: NDArray[np.int64]
    typical: float
    raw: bool
    n_unpredicted: int
    scale: tuple[float, float] | None

    def bounded(self, values: Floats) -> Floats:
        """Means of labels, which lie on the scale of the labels where there is one."""
        return values if self.scale is None else np.clip(values, *self.scale)

    def sample(self, seed: int) -> LabeledSample:
        """The units with one prediction each."""
        prediction = self.predictions[:, 0] if self.raw else joined(self, seed)
        parts = (self.group, self.cluster, self.stratum, self.label, prediction)
        return LabeledSample(*parts, self.probability, self.typical)


def outputs_with_labels(
    dataset: Dataset,
    criterion: str,
    judges: Mapping[str, Floats | None],
    *,
    ignore: Collection[str] = (),
    answer: str | None = None,
    strata: str | None = None,
    probability: str | None = None,
) -> LabeledUnits:
    """Outputs with the mean answers of people, and the answers or scores of judges.

    `judges` are annotators (None) or evaluators with their scores by output. With `answer`, the share of that label is
    estimated instead of a mean.
    """
    view = dataset.judgments.about("output").of(criterion)
    values = _values(dataset, view, criterion, answer)
    n = len(dataset)
    columns = [
        scores if scores is not None else _means(view.unit, values, _given_by(view, {name}), n)
        for name, scores in judges.items()
    ]
    label = _means(view.unit, values, _of_people(dataset, view, judges, ignore), n)
    if np.count_nonzero(~np.isnan(label)) < 2:
        raise DataError(f"fewer than 2 outputs have answers of people to {criterion!r}. Label some.")
    predictions, n_unpredicted = _filled(np.stack(columns, axis=1), dataset.outputs.system)
    return LabeledUnits(
        criterion,
        tuple(judges),
        tuple(dataset.systems.id),
        dataset.outputs.system,
        dataset.outputs.item,
        label,
        predictions,
        _probabilities(dataset, probability, ~np.isnan(label)),
        _strata(dataset, strata),
        _typical(label, dataset.criterion(criterion).span),
        raw=len(judges) == 1 and all(scores is None for scores in judges.values()),
        n_unpredicted=n_unpredicted,
        scale=(0.0, 1.0) if answer is not None else _scale(dataset.criterion(criterion), label),
    )


def matchups_with_labels(
    dataset: Dataset, criterion: str, judges: Sequence[str], *, ignore: Collection[str] = ()
) -> LabeledUnits:
    """Pairs of outputs of two systems, with the share of people who prefer the first system, a tie being half."""
    view = dataset.judgments.about("pair").of(criterion)
    left, right = dataset.outputs.system[view.unit], dataset.outputs.system[view.other]
    names = dataset.systems.id.to_list()
    order = np.argsort(np.argsort(names))
    swapped = order[left] > order[right]
    outcome = np.sign(preferred(dataset, view)) * np.where(swapped, -1, 1)
    first, second = np.where(swapped, view.other, view.unit), np.where(swapped, view.unit, view.other)
    between = left != right
    keys, unit = np.unique(np.stack([first, second], axis=1), axis=0, return_inverse=True)
    unit, share, n = unit.ravel(), (outcome + 1) / 2, len(keys)
    people = _of_people(dataset, view, dict.fromkeys(judges), ignore) & between
    label = _means(unit, share, people, n)
    columns = [_means(unit, share, _given_by(view, {name}) & between, n) for name in judges]
    systems = dataset.outputs.system[keys]
    pairs, group = np.unique(systems, axis=0, return_inverse=True)
    if np.count_nonzero(~np.isnan(label)) < 2:
        raise DataError(f"people compared fewer than 2 pairs of outputs of two systems by {criterion!r}. Label some.")
    group = group.ravel().astype(np.int64)
    predictions, n_unpredicted = _filled(np.stack(columns, axis=1), group)
    return LabeledUnits(
        criterion,
        tuple(judges),
        tuple(f"{names[a]} over {names[b]}" for a, b in pairs),
        group,
        dataset.outputs.item[keys[:, 0]],
        label,
        predictions,
        np.full(n, np.nan),
        np.zeros(n, np.int64),
        _typical(label, 1.0),
        raw=len(judges) == 1,
        n_unpredicted=n_unpredicted,
        scale=(0.0, 1.0),
    )


def joined(units: LabeledUnits, seed: int) -> Floats:
    """Predict the label from all columns by ridge regression, cross-fitted by cluster.

    A labeled unit is predicted from the labels of other folds, an unlabeled one by the mean of the fits. Columns are
    centered by group: what differs between groups is for the labels to say, not for the regression.
    """
    features = units.predictions - _group_means(units.predictions, units.group)[units.group]
    labeled = np.flatnonzero(~np.isnan(units.label))
    target = (
        units.label[labeled] - _group_means(units.label[labeled, None], units.group[labeled])[units.group[labeled], 0]
    )
    clusters, cluster = np.unique(units.cluster[labeled], return_inverse=True)
    n_folds = min(FOLDS, len(clusters))
    if n_folds < 2:
        raise DataError(f"all labels of {units.criterion!r} belong to one item. Label outputs of several items.")
    fold = np.random.default_rng(seed).permutation(len(clusters))[cluster] % n_folds
    fits = []
    prediction = np.zeros(len(units.label))
    for held_out in range(n_folds):
        rows = labeled[fold != held_out]
        weights, _ = ridge(features[rows], target[fold != held_out], PENALTY)
        fits.append(weights)
        prediction[labeled[fold == held_out]] = features[labeled[fold == held_out]] @ weights
    unlabeled = np.isnan(units.label)
    prediction[unlabeled] = features[unlabeled] @ np.mean(fits, axis=0)
    return prediction


def with_labels(units: LabeledUnits, keep: NDArray[np.bool_]) -> LabeledUnits:
    """The same units with only some of their labels."""
    return replace(units, label=np.where(keep, units.label, np.nan))


def _values(dataset: Dataset, view: JudgmentView, criterion: str, answer: str | None) -> Floats:
    if answer is not None:
        return view.gives(answer).astype(np.float64)
    if np.isnan(view.value).any():
        labels = dataset.judgments.labels.to_list()
        raise DataError(
            f"answers to {criterion!r} are labels, which have no mean. Choose one with --answer, such as "
            f"--answer {labels[0]!r}, and its share is estimated."
        )
    return view.value


def _given_by(view: JudgmentView, names: Collection[str]) -> NDArray[np.bool_]:
    known = view.table.annotators.to_list()
    return np.array([name in names for name in known], np.bool_)[view.annotator]


def _of_people(
    dataset: Dataset, view: JudgmentView, judges: Mapping[str, object], ignore: Collection[str]
) -> NDArray[np.bool_]:
    known = dataset.judgments.annotators.to_list()
    for name in ignore:
        if name not in known:
            raise AssayError(f"no annotator {name!r} to ignore.{did_you_mean(name, known)}")
    return ~_given_by(view, {*judges, *ignore} | dataset.judgments.models())


def _means(unit: NDArray[np.int64], values: Floats, rows: NDArray[np.bool_], n: int) -> Floats:
    counts = np.bincount(unit[rows], minlength=n)
    sums = np.bincount(unit[rows], values[rows], n)
    return np.divide(sums, counts, out=np.full(n, np.nan), where=counts > 0)


def _group_means(values: Floats, group: NDArray[np.int64]) -> Floats:
    n = np.maximum(np.bincount(group), 1)
    return np.stack([np.bincount(group, column) / n for column in values.T], axis=1)


def _filled(predictions: Floats, group: NDArray[np.int64]) -> tuple[Floats, int]:
    """Predictions with gaps filled by the mean of the group, which is no information and no bias."""
    gaps = np.isnan(predictions)
    for column, gap in zip(predictions.T, gaps.T, strict=True):
        if gap.all():
            raise DataError("a judge gave no answer or score at all. Look at `assay score` for the reasons.")
        n = np.bincount(group[~gap], minlength=group.max() + 1)
        means = np.bincount(group[~gap], column[~gap], group.max() + 1) / np.maximum(n, 1)
        column[gap] = np.where(n > 0, means, column[~gap].mean())[group[gap]]
    return predictions, int(gaps.any(axis=1).sum())


def _scale(criterion: Criterion, label: Floats) -> tuple[float, float] | None:
    """The ends of a declared scale, unless a label lies outside of it."""
    low, high = criterion.low, criterion.high
    if low is None or high is None or np.nanmin(label) < low or np.nanmax(label) > high:
        return None
    return float(low), float(high)


def _typical(label: Floats, span: float | None) -> float:
    """The standard deviation of labels; where all are equal, half the declared scale."""
    deviation = float(np.nanstd(label))
    return deviation if deviation > 0 else (span or 0.0) / 2


def _column(dataset: Dataset, name: str) -> Floats | Strings:
    if name not in dataset.outputs.columns:
        raise DataError(f"outputs have no column {name!r}.{did_you_mean(name, dataset.outputs.columns)}")
    return dataset.outputs.columns[name]


def _strata(dataset: Dataset, name: str | None) -> NDArray[np.int64]:
    if name is None:
        return np.zeros(len(dataset), np.int64)
    values = _column(dataset, name)
    listed = values.to_list() if isinstance(values, Strings) else values.tolist()
    return np.unique(np.array([str(value) for value in listed]), return_inverse=True)[1].astype(np.int64)


def _probabilities(dataset: Dataset, name: str | None, labeled: NDArray[np.bool_]) -> Floats:
    if name is None:
        return np.full(len(dataset), np.nan)
    values = numbers_of(_column(dataset, name))
    if values is None or not ((values[labeled] > 0) & (values[labeled] <= 1)).all():
        raise DataError(f"the column {name!r} must hold a probability above 0 and up to 1 for every labeled output.")
    return values
