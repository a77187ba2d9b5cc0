"""The words of the application in English: buttons, headings and messages. A protocol may change each of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from assay.forms.posted import MESSAGES

CONSENT = """\
You are invited to take part in a study about texts. You will read texts and answer questions about them.

Taking part is voluntary. You may stop at any time and withdraw your answers without giving a reason. Your answers are
stored under a pseudonym and used for research only."""

RETENTION = "Answers are kept under a pseudonym for as long as the data of the study is kept."

INTERFACE: Mapping[str, str] = MappingProxyType(
    {
        "consent_title": "Before you begin",
        "consent_button": "I agree and take part",
        "instructions_title": "Instructions",
        "continue_button": "Continue",
        "practice_title": "Practice",
        "practice_help": "These questions are for practice. Their answers are known and will be explained.",
        "practice_right": "That is what we expected.",
        "practice_wrong": "We expected another answer: {expected}.",
        "practice_done": "You answered {right} of {all} questions as expected.",
        "qualification_title": "Test",
        "qualification_help": "Please answer these questions to show that the instructions are clear.",
        "qualification_again": "You answered {right} of {all} questions as expected. Please read and try again.",
        "page_title": "Page {number}",
        "page_title_of": "Page {number} of {of}",
        "unit_title": "{number} of {of}",
        "save_button": "Save and continue",
        "optional": "optional",
        "required": "All questions need an answer unless they say otherwise.",
        "problems_title": "Not saved yet",
        "problems": "Please look at the marked questions. Your other answers are kept.",
        "restored": "Your unsaved answers were restored.",
        "copy_warning": "This repeats another of your texts.",
        "no_error": "There is no error in this text.",
        "category": "What is wrong?",
        "severity": "How bad is it?",
        "add_span": "Add the selected passage",
        "remove_span": "Remove",
        "nothing_selected": "Select a passage of the text first.",
        "needs_script": "Marking passages needs JavaScript. Please switch it on, or use another browser.",
        "boxed": "this one is meant",
        "survey_title": "A few questions about you",
        "survey_help": "These answers describe who took part. They are never shown with your name.",
        "revise_link": "Change the answers of the page before",
        "revise_title": "Change your answers",
        "done_title": "Thank you",
        "done": "Your answers are saved. This is the end of the study.",
        "done_code": "Your completion code:",
        "done_link": "Return to the panel",
        "no_work_title": "Nothing to do right now",
        "no_work": "There is no text for you at the moment. Nothing that you saved is lost.",
        "paused": "The study is paused. Please come back later; everything you saved is kept.",
        "withdraw_button": "Withdraw from the study",
        "withdraw_title": "Withdraw from the study?",
        "withdraw_help": "Pages you began are given to others. Pages you saved are kept under your pseudonym.",
        "withdraw_confirm": "Yes, withdraw",
        "withdraw_back": "No, go on",
        "withdrawn_title": "You have withdrawn",
        "withdrawn": "You take no further part in the study. Tell the researchers if your answers are to be deleted.",
        "not_qualified_title": "Thank you for your interest",
        "not_qualified": "The test was not passed, so the study ends here for you.",
        "conflict_title": "This page was already answered",
        "conflict": "Another answer to this page was saved before, perhaps in a second window. That one counts.",
        "conflict_stored": "Saved",
        "conflict_sent": "Sent now, not saved",
        "expired_title": "The time for this page is over",
        "expired": "Its texts were given to others, and what you sent just now is not counted.",
        "unknown_title": "No study is open in this browser",
        "unknown": "Please open the link that you were given, in the browser in which you began.",
        "failed_title": "Not saved",
        "failed": "The server could not save your answers. Nothing is lost: go back and send them again in a while.",
        **{f"problem_{name}": text for name, text in MESSAGES.items()},
    }
)
