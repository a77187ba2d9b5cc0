"""Answers of a language model to a form, added to the data as judgments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, Literal, NamedTuple

from assay.analyses.words import counted
from assay.backends.language.opening import open_model
from assay.backends.language.protocol import Drawn, Sampling, ToSample
from assay.errors import AssayError, EvaluatorError
from assay.evaluators.judges.judge import CHOSEN_TOKENS, LEAST_MASS, TOP, chats, prompt_of, seed_of
from assay.forms import Form
from assay.forms.verdicts import Verdict, chosen, expected
from assay.io.forms import named_form, read_form
from assay.metaeval.questions.question import signature
from assay.part import Cell, Number, Part, Table
from assay.records import Dataset, Output
from assay.records.tables import ANNOTATOR_KIND, MODEL
from assay.records.unflat import flat_records
from assay.run.models import Budget, sample_texts
from assay.run.requests import Progress, Requests, Sender
from assay.scores import FOR_NOW
from assay.units import Units


class Judged(NamedTuple):
    """The data with the judgments of the model, and what there is to say about them."""

    dataset: Dataset
    part: Part


@dataclass(frozen=True)
class _Question:
    """One sample of one question: the texts in the order in which they are shown."""

    outputs: tuple[Output, ...]
    sample: int


def judge(
    data: Dataset,
    model: str,
    form: str = "rating",
    *,
    answer: Literal["expected", "chosen"] = "chosen",
    orders: Literal["both", "first"] = "both",
    samples: int = 1,
    temperature: float | None = None,
    max_tokens: int = CHOSEN_TOKENS,
    annotator: str | None = None,
    requests: Requests | Sender | None = None,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> Judged:
    """Ask a language model a form about every output, or about pairs of outputs of two systems, in both orders.

    Its answers become judgments of an annotator, so everything that works on people's works on them.

    Args:
        data: the outputs.
        model: a folder, a .gguf file, `smollm2` or `url(model@base)`.
        form: rating, typicality, real or preference, or a .toml file with a question and its answers.
        answer: the `chosen` answer in the reply, or the `expected` one by the probabilities of the answers.
        orders: in which the texts of a pair are shown; each is a judgment of its own.
        samples: replies to each question; each is a judgment.
        temperature: by default 0, or 1 for several samples.
        max_tokens: the longest reply.
        annotator: the name of the model among the annotators; by default a signature.
        requests: how many at once, how many at most, offline.
        budget: in tokens or money.
        progress: called with (questions answered, questions).
    """
    asked, opened = read_form(form), open_model(model)
    if answer == "expected" and samples > 1:
        raise AssayError("an expected answer is the same in every sample. Leave --samples out, or use --answer chosen.")
    if samples < 1 or max_tokens < 1:
        raise AssayError("samples and max_tokens must be at least 1.")
    sampling = Sampling((1.0 if samples > 1 else 0.0) if temperature is None else temperature)
    origin = signature(
        "judge",
        model=opened.name,
        form=named_form(form),
        answer=answer,
        orders=orders if asked.compares else None,
        samples=samples,
        temperature=sampling.temperature,
        max_tokens=1 if answer == "expected" else max_tokens,
    )
    questions = list(_questions(data, asked, orders, samples))
    limit, top = (1, TOP) if answer == "expected" else (max_tokens, 0)
    as_chat = chats(opened)
    prompts = [asked.prompt(one.outputs) for one in questions]
    wanted = [
        ToSample(prompt_of(prompt, as_chat), seed_of(prompt, one.sample), limit, sampling, top=top)
        for one, prompt in zip(questions, prompts, strict=True)
    ]
    drawn = sample_texts(opened, wanted, requests, budget=budget, progress=progress)
    _refuse_failures(drawn)
    verdicts = [_verdict(one, asked, answer, opened.name) for one in drawn]
    name = annotator or origin
    judged = _with_judgments(data, asked, name, questions, verdicts, drawn)
    return Judged(judged, _part(name, asked, verdicts, budget, origin))


def _questions(data: Dataset, form: Form, orders: str, samples: int) -> Iterator[_Question]:
    if not form.compares:
        for row in range(len(data)):
            for nth in range(samples):
                yield _Question((data.output(row),), nth)
        return
    for left, right in Units("matchup", data).members.values.reshape(-1, 2).tolist():
        shown = data.output(left), data.output(right)
        for pair in (shown, shown[::-1]) if orders == "both" else (shown,):
            for nth in range(samples):
                yield _Question(pair, nth)


def _refuse_failures(drawn: Sequence[Drawn | str]) -> None:
    """Refuse what may pass, such as a host that does not answer: a gap that may be gone is never a result."""
    failed = [one for one in drawn if isinstance(one, str) and one.startswith(FOR_NOW)]
    if failed:
        raise AssayError(
            f"{len(failed):,} of {len(drawn):,} questions {failed[0]}. Replies that came are kept: the same command "
            "asks only the others."
        )


def _verdict(drawn: Drawn | str, form: Form, answer: str, model: str) -> Verdict:
    if isinstance(drawn, str):
        return Verdict(reason=drawn)
    if answer == "chosen":
        return chosen(drawn.text, form.answers, cut=drawn.finish == "length")
    if not drawn.first:
        raise EvaluatorError(
            f"{model} gives no log-probabilities of the tokens it writes, which an expected answer is read from. Use "
            "--answer chosen."
        )
    return expected(drawn.first, form.answers, LEAST_MASS)


def _with_judgments(
    data: Dataset,
    form: Form,
    annotator: str,
    questions: Sequence[_Question],
    verdicts: Sequence[Verdict],
    drawn: Sequence[Drawn | str],
) -> Dataset:
    criterion = form.criterion
    added: dict[str, list[dict[str, Any]]] = {}
    for question, verdict, reply in zip(questions, verdicts, drawn, strict=True):
        if isnan(verdict.value) or isinstance(reply, str):
            continue
        judgment = {"annotator": annotator, "criterion": criterion.name, "value": verdict.value}
        judgment |= {ANNOTATOR_KIND: MODEL, "reply": reply.text}
        if form.compares:
            judgment["other"] = question.outputs[1].id
        added.setdefault(question.outputs[0].id, []).append(judgment)
    records = []
    for number, record in enumerate(flat_records(data)):
        if number == 0 and criterion.name not in data.criteria:
            record["criteria"] = {**record.get("criteria", {}), criterion.name: criterion.as_record()}
        judgments = [*record.get("judgments", []), *added.get(record["id"], [])]
        records.append(record | ({"judgments": judgments} if judgments else {}))
    return Dataset.from_records(records)


def _part(name: str, form: Form, verdicts: Sequence[Verdict], budget: Budget | None, origin: str) -> Part:
    answered = [one.value for one in verdicts if not isnan(one.value)]
    reasons = Counter(one.reason for one in verdicts if one.reason)
    spent = f" {budget.n_tokens:,} tokens, {budget.spent:.4f} spent." if budget is not None else ""
    rows: list[tuple[Cell, ...]] = [(answer, answered.count(value)) for answer, value in form.answers.items()]
    rest = len(answered) - sum(count for _, count in rows if isinstance(count, int))
    tables = [Table("judge", "Answers", ("answer", "times"), (*rows, *((("between", rest),) if rest else ())))]
    if reasons:
        tables.append(Table("judge_gaps", "No answer", ("why", "times"), tuple(reasons.most_common())))
    share = len(answered) / len(verdicts) if verdicts else 0.0
    number = Number("answered", share, len(verdicts), origin, reason="a count", about={"annotator": name})
    return Part(
        title="Judge",
        summary=f"{name} on {form.criterion.name}: {counted(len(answered), 'answer')} to "
        f"{counted(len(verdicts), 'question')}.{spent}",
        numbers=(number,),
        tables=tuple(tables),
        methods=(origin,),
    )
