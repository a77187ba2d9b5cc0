"""The forms that come with assay, in assay's own words."""

from __future__ import annotations

from collections.abc import Mapping

from assay.forms.form import Form
from assay.records import Criterion

SHIPPED: Mapping[str, Form] = {
    "rating": Form(
        Criterion(
            "rating",
            "How good is the text?",
            scale="ordinal",
            low=1.0,
            high=5.0,
            anchors={1.0: "very bad", 2.0: "bad", 3.0: "fair", 4.0: "good", 5.0: "very good"},
            unit="output",
            asks="quality",
        ),
        "You rate a text that was written in response to a context.",
    ),
    "typicality": Form(
        Criterion(
            "typicality",
            "How typical is the text of what a person would write here?",
            scale="ordinal",
            low=0.0,
            high=5.0,
            anchors={0.0: "not a valid text", 1.0: "very untypical", 3.0: "somewhat typical", 5.0: "very typical"},
            unit="output",
            asks="quality",
        ),
        "You judge whether a text could have been written by a person in response to a context.",
    ),
    "real": Form(
        Criterion(
            "real",
            "Was this text written by a person, or is it generated?",
            scale="nominal",
            labels=("fake", "real"),
            anchors={0.0: "generated", 1.0: "written by a person"},
            unit="output",
            asks="authorship",
        ),
        "You read a text that was written in response to a context, by a person or by a program.",
    ),
    "preference": Form(
        Criterion("preference", "Which text is better?", unit="pair", asks="preference"),
        "You compare two texts that were written in response to the same context.",
    ),
}
