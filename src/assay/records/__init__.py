"""The data of a study in columns: items, outputs, sets, systems, log-probabilities and judgments."""

from assay.records.criteria import Criterion
from assay.records.dataset import Dataset
from assay.records.tables import JUDGED, Items, Judgments, JudgmentView, LogProbs, Outputs, Sets, Systems, Values
from assay.records.views import Item, Judgment, Output

__all__ = [
    "JUDGED",
    "Criterion",
    "Dataset",
    "Item",
    "Items",
    "Judgment",
    "JudgmentView",
    "Judgments",
    "LogProbs",
    "Output",
    "Outputs",
    "Sets",
    "Systems",
    "Values",
]
