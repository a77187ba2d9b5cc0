"""The questionnaires by name, in assay's own English words. A protocol may change every one of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from assay.forms.games import Listener, Speaker
from assay.forms.pairs import Preference, Similarity
from assay.forms.questionnaire import Questionnaire
from assay.forms.scales import Scales
from assay.forms.sets import Diversity, Ranking
from assay.forms.shipped import SHIPPED
from assay.forms.spans import Spans
from assay.forms.writing import Writing
from assay.records import Criterion

_CONTEXT = {"context": "Context"}
_ONE = {**_CONTEXT, "text": "Text"}
_TWO = {**_CONTEXT, "text_a": "Text A", "text_b": "Text B"}
_CHOICE_OF_TEXTS = {"choose_a": "A", "choose_b": "B", "choose_tie": "tie"}
_SIMILAR = {1.0: "nothing in common", 2.0: "a little alike", 3.0: "partly alike", 4.0: "much alike", 5.0: "the same"}
_DIVERSE = {
    1.0: "all alike",
    2.0: "slightly different",
    3.0: "partly different",
    4.0: "different",
    5.0: "all different",
}


def _scale(name: str, question: str, anchors: Mapping[float, str], unit: str, asks: str, aspect: str = "") -> Criterion:
    low, high = min(anchors), max(anchors)
    return Criterion(name, question, "ordinal", low, high, (), anchors, "", unit, asks, aspect)


QUESTIONNAIRES: Mapping[str, Questionnaire] = MappingProxyType(
    {
        "typicality": Scales(
            "typicality",
            "Say for each text how typical it is of what a person would write here. A text that makes no sense, or is "
            "not in the language of the study, is not valid. A word you do not know is no reason to rate a text lower.",
            (SHIPPED["typicality"].criterion,),
            {**_ONE, "comment": "Comment (optional)"},
        ),
        "real": Scales(
            "real",
            "Some of these texts were written by people, the others by a program. Say for each what you believe, and "
            "why if you like. A text that asks for a certain answer is a check of attention: give that answer.",
            (SHIPPED["real"].criterion,),
            {**_ONE, "comment": "What gave it away? (optional)"},
            comment=True,
        ),
        "rating": Scales(
            "rating",
            "Rate each text, which was written in response to the context above it.",
            (SHIPPED["rating"].criterion,),
            {**_ONE, "comment": "Comment (optional)"},
        ),
        "preference": Preference(
            "preference",
            "Compare two texts that were written in response to the same context.",
            (Criterion("preference", "Which text is better?", low=-1.0, high=1.0, unit="pair", asks="preference"),),
            {**_TWO, **_CHOICE_OF_TEXTS},
        ),
        "diversity": Diversity(
            "diversity",
            "Each set holds several responses to one context. Say how much they differ from each other as a whole.",
            (_scale("diversity", "How different are these texts from each other?", _DIVERSE, "set", "diversity"),),
            _ONE,
        ),
        "diversity_aspect": Diversity(
            "diversity_aspect",
            "Each set holds several responses to one context. Judge what they say apart from how they say it: the same "
            "thing in other words has the same content, and another thing in like words has another.",
            (
                _scale(
                    "content_diversity",
                    "How different is what these texts say?",
                    _DIVERSE,
                    "set",
                    "diversity",
                    "content",
                ),
                _scale("form_diversity", "How different are their words?", _DIVERSE, "set", "diversity", "form"),
            ),
            _ONE,
        ),
        "diversity_ranking": Ranking(
            "diversity_ranking",
            "You see two sets of responses to one context. Say in which of them the responses differ more.",
            (
                Criterion(
                    "more_diverse",
                    "Which set is more diverse?",
                    low=-1.0,
                    high=1.0,
                    better="neither",
                    unit="set pair",
                    asks="diversity",
                ),
            ),
            {**_CONTEXT, "set_a": "Set A", "set_b": "Set B", **_CHOICE_OF_TEXTS},
        ),
        "similarity": Similarity(
            "similarity",
            "You see two responses to one context. Say how similar they are.",
            (_scale("similarity", "How similar are these two texts?", _SIMILAR, "pair", "similarity"),),
            _TWO,
        ),
        "writing": Writing(
            "writing",
            "Write responses to the context, each a sentence or two.",
            (),
            {
                **_CONTEXT,
                "high_text": "Response",
                "high_help": "Let each of these responses say something else than the others.",
                "low_text": "Same response, version",
                "low_help": "Now take one of your responses and say the same thing each time in other words.",
            },
        ),
        "speaker": Speaker(
            "speaker",
            "A listener will see these choices, in another order, and read what you write. The boxed one is meant.",
            (),
            _CONTEXT,
            {
                "descriptive": "Describe the boxed one so that the listener finds it.",
                "ambiguous": "Describe it so that it is true of the boxed one, but might mean another as well.",
            },
        ),
        "listener": Listener(
            "listener",
            "Somebody described one of the choices. Choose the one that you believe was meant.",
            (
                Criterion(
                    "target",
                    "Which one is meant?",
                    scale="nominal",
                    low=0.0,
                    high=1.0,
                    unit="output",
                    asks="understanding",
                ),
            ),
            {**_CONTEXT, "utterance": "Description"},
        ),
        "spans": Spans(
            "spans",
            "Mark every error of the text. Passages may overlap.",
            (
                Criterion(
                    "errors",
                    "Where are the errors?",
                    scale="ratio",
                    low=0.0,
                    better="lower",
                    unit="output",
                    asks="quality",
                ),
            ),
            {
                **_CONTEXT,
                "how_to_mark": "Select a passage with the mouse, by touch or with Shift and the arrow keys. Say what "
                "is wrong with it, and add it.",
            },
            {"accuracy": "Accuracy", "fluency": "Fluency", "style": "Style", "other": "Other"},
            {"minor": "minor", "major": "major"},
            {"minor": 1.0, "major": 5.0},
        ),
    }
)
