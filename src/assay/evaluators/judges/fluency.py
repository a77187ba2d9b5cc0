"""A language model as a judge without a question: how likely is the text itself?"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from math import inf, log
from typing import Annotated, Any, Literal

from assay.backends.language.opening import open_model
from assay.backends.language.protocol import Reading, TextScore, ToScore
from assay.errors import EvaluatorError
from assay.evaluator import Answer, Shape, evaluator, per_request
from assay.evaluators.listeners.lm_listener import opened_by_name
from assay.io.corpora import named_corpus, read_corpus
from assay.records import Output
from assay.run.models import sender_to, service_of

IMPOSSIBLE = "the model cannot say this text (log-probability -inf)"


@evaluator(
    units=("output",),
    higher_is_better=True,
    scale="log-probability; slor around 0 and upwards",
    cite="Kann, Rothe and Filippova 2018",
    stored=False,
)
def fluency(
    model: Annotated[str, opened_by_name],
    *,
    norm: Literal["token", "text", "slor"] = "token",
    corpus: Annotated[str, named_corpus] = "",
) -> Shape:
    """How likely a language model finds the text, with nothing before it: fluency without a reference or a question.

    Args:
        model: a folder, a .gguf file, `smollm2` or a fitted generator.
        norm: `token` is the mean log-probability of a token, `text` the sum over the text, `slor` the mean beyond that
            of unigrams, so that rare words cost nothing.
        corpus: of slor: a text file in which the tokens are counted, one text a line.
    """
    if (not corpus) == (norm == "slor"):
        raise EvaluatorError(
            "slor needs a corpus in which tokens are counted: give corpus='texts.txt'."
            if not corpus
            else "a corpus is for norm='slor': leave it out, or take that."
        )
    opened = open_model(model)

    def request(output: Output) -> dict[str, Any]:
        return ToScore("", output.text, Reading(end="none"), per_token=norm == "slor").to_json()

    def read(reply: dict[str, Any], output: Output) -> Answer:
        scored = TextScore.from_json(reply)
        if scored.reason or scored.logprob == -inf or not scored.n_tokens:
            return Answer(reason=scored.reason or (IMPOSSIBLE if scored.n_tokens else "no tokens"))
        if norm == "text":
            return Answer(scored.logprob)
        common = sum(map(_unigrams(model, corpus), scored.tokens)) if corpus else 0.0
        return Answer((scored.logprob - common) / scored.n_tokens)

    about: dict[str, Any] = {"at_once": opened.at_once, "batch": opened.batch}
    return per_request(service_of(opened), request=request, send=sender_to(opened), read=read, **about)


@lru_cache(maxsize=4)
def _unigrams(model: str, corpus: str) -> Any:
    """The log-probability of a token by its count in a corpus, plus one; all that never occur are one token more."""
    opened = open_model(model)
    counts = Counter(token for line in read_corpus(corpus) for token in opened.tokenize(line))
    total = counts.total() + len(counts) + 1
    return lambda token: log((counts[token] + 1) / total)
