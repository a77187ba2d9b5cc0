"""When `assay init` proposes `[communication]`, and with which listener."""

from assay import Dataset
from assay.study.steps.communication import Communication

COLORS = ["hsl(1, 20%, 50%)", "hsl(90, 20%, 50%)"]


def proposal(**record):
    return Communication.proposal(Dataset.from_records([{"text": "x", **record}]))


def test_texts_are_read():
    assert proposal(choices=["a", "b"], target=0) == {"listeners": ["text_listener"]}


def test_colors_need_people_who_chose():
    assert proposal(choices=COLORS, target=0) is None
    click = {"annotator": "w", "criterion": "understanding", "value": 1, "choice": 0}
    assert proposal(choices=COLORS, target=0, judgments=[click]) == {"listeners": ["human_listener"]}


def test_nothing_without_choices_or_targets():
    assert proposal() is None and proposal(choices=["a", "b"]) is None
