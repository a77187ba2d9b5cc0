"""The pictures of a HUSE result: the plane of systems, each system's decision surface, how the measures converge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from assay.analyses.huse.figures import decision_figure, frequency_figure, plane_figure, stability_figure
from assay.analyses.huse.stability import Curve
from assay.analyses.huse.systems import HuseResult, SystemHuse
from assay.analyses.names import plain_name
from assay.errors import DataError, did_you_mean
from assay.part import Picture
from assay.plot import Figure
from assay.records import Dataset
from assay.records.columns import numbers_of

PLANE = "Quality against diversity, with lines of equal HUSE; the shaded region is dominated."
DECISION = "Outputs over the neighbors' vote: hover over a mark, or click it, to read its text."
SETTLING = "The mean over random subsamples, and one standard deviation to each side."
FREQUENCY = "How often texts occur in a corpus, and how they are judged."


def huse_pictures(
    result: HuseResult, dataset: Dataset, curves: Sequence[Mapping[str, Curve]], frequency: str | None
) -> tuple[Picture, ...]:
    """Draw the figures; `curves` are those of each system, `frequency` is a column of the outputs."""
    pictures = [Picture.of("huse-plane", _plane(result), PLANE)]
    for entry, settling in zip(result.systems, curves, strict=True):
        if not np.isnan(entry["huse"]):
            pictures += _of_system(entry, dataset, settling)
    if frequency is not None:
        pictures.append(Picture.of("huse-frequency", _frequency(result, dataset, frequency), FREQUENCY))
    return tuple(pictures)


def _plane(result: HuseResult) -> Figure:
    measured = [entry for entry in result.systems if not np.isnan(entry["huse"])]
    return plane_figure(
        [entry.system for entry in measured],
        [entry["huse_q"] for entry in measured],
        [entry["huse_d"] for entry in measured],
        [{name: (over.low, over.high) for name, over in entry.interval.items()} for entry in measured],
    )


def _of_system(entry: SystemHuse, dataset: Dataset, settling: Mapping[str, Curve]) -> Iterator[Picture]:
    name, rows = plain_name(entry.system), entry.problem.rows
    ids, texts = dataset.outputs.id.take(rows).to_list(), dataset.outputs.text.take(rows).to_list()
    decision = decision_figure(entry.problem, entry.measured.rules, entry.system, ids, texts)
    yield Picture.of(f"huse-system-{name}", decision, DECISION)
    for of, curve in settling.items():
        yield Picture.of(f"huse-{of}-{name}", stability_figure(curve, of, entry.system), SETTLING)


def _frequency(result: HuseResult, dataset: Dataset, column: str) -> Figure:
    columns = dataset.outputs.columns
    values = numbers_of(columns[column]) if column in columns else None
    if values is None:
        known = [name for name, part in columns.items() if numbers_of(part) is not None]
        raise DataError(f"the data has no column of numbers {column!r} about outputs.{did_you_mean(column, known)}")
    quality = np.full(len(dataset.outputs), np.nan)
    for entry in result.systems:
        quality[entry.problem.rows] = entry.problem.quality[:, 0]
    judged = ~np.isnan(quality)
    return frequency_figure(quality[judged], values[judged], dataset.human[judged], column)
