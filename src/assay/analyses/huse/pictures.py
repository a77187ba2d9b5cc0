"""All figures of a HUSE study, by file name."""

from __future__ import annotations

import numpy as np

from assay.analyses.huse.analysis import HuseStudy
from assay.analyses.huse.figures import decision_figure, frequency_figure, plane_figure, stability_figure
from assay.analyses.names import plain_name
from assay.errors import DataError, did_you_mean
from assay.plot import Figure
from assay.records import Dataset
from assay.records.columns import numbers_of


def huse_figures(
    study: HuseStudy, dataset: Dataset, *, frequency: str | None = None, curves: bool = False
) -> dict[str, Figure]:
    """Draw the plane of systems, each system's decision surface, and on demand stability and frequency."""
    measured = [entry for entry in study.systems if not np.isnan(entry.huse)]
    intervals = [{name: (part.low, part.high) for name, part in entry.interval.items()} for entry in measured]
    figures = {
        "huse-plane": plane_figure(
            [entry.system for entry in measured],
            [entry.huse_q for entry in measured],
            [entry.huse_d for entry in measured],
            intervals,
        )
    }
    for entry in measured:
        name = plain_name(entry.system)
        ids = dataset.outputs.id.take(entry.problem.rows).to_list()
        texts = dataset.outputs.text.take(entry.problem.rows).to_list()
        figures[f"huse-system-{name}"] = decision_figure(entry.problem, entry.rules, entry.system, ids, texts)
        if curves:
            by_items = entry.item_curve()
            figures[f"huse-items-{name}"] = stability_figure(by_items, "items", entry.system)
            by_annotators = entry.annotator_curve()
            if by_annotators is not None:
                figures[f"huse-annotators-{name}"] = stability_figure(by_annotators, "annotators", entry.system)
    if frequency is not None:
        figures["huse-frequency"] = _frequency(study, dataset, frequency)
    return figures


def _frequency(study: HuseStudy, dataset: Dataset, column: str) -> Figure:
    columns = dataset.outputs.columns
    values = numbers_of(columns[column]) if column in columns else None
    if values is None:
        known = [name for name, part in columns.items() if numbers_of(part) is not None]
        raise DataError(f"the data has no column of numbers {column!r} about outputs.{did_you_mean(column, known)}")
    quality = np.full(len(dataset.outputs), np.nan)
    for entry in study.systems:
        quality[entry.problem.rows] = entry.problem.quality[:, 0]
    judged = ~np.isnan(quality)
    return frequency_figure(quality[judged], values[judged], dataset.human[judged], column)
