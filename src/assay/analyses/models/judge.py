"""Answers of a language model to a form, added to the data as judgments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any, Literal, NamedTuple

from assay.analyses.words import counted
from assay.backends.language.opening import open_model
from assay.backends.language.protocol import Drawn, LanguageModel, Sampling, TextScore
from assay.errors import AssayError
from assay.evaluators.judges.asking import CHOSEN_TOKENS, AnswerMode, Asking, check_tells, for_model
from assay.forms import Form
from assay.forms.verdicts import Verdict
from assay.io.forms import named_form, read_form
from assay.metaeval.questions.question import signature
from assay.part import Cell, Number, Part, Table
from assay.records import Dataset, Output
from assay.records.tables import ANNOTATOR_KIND, MODEL
from assay.records.unflat import flat_records
from assay.run.models import Budget, sample_texts, score_texts
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


class _Given(NamedTuple):
    """An answer, and what was said."""

    verdict: Verdict
    said: str


def judge(
    data: Dataset,
    model: str,
    form: str = "rating",
    *,
    answer: AnswerMode = "chosen",
    orders: Literal["both", "first"] = "both",
    samples: int = 1,
    temperature: float | None = None,
    max_tokens: int = CHOSEN_TOKENS,
    annotator: str | None = None,
    person_price: float | None = None,
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
        answer: the `chosen` answer in the reply; the `expected` one by the probabilities of its first token; or
            `compared`, by those of the whole answers relative to each other.
        orders: in which the texts of a pair are shown; each is a judgment of its own.
        samples: replies to each question; each is a judgment.
        temperature: by default 0, or 1 for several samples.
        max_tokens: the longest reply.
        annotator: the name of the model among the annotators; by default a signature.
        person_price: what an answer of a person costs, to compare with; needs prices in the budget.
        requests: how many at once, how many at most, offline.
        budget: in tokens or money.
        progress: called with (questions answered, questions).
    """
    if person_price is not None and (budget is None or budget.prices is None):
        raise AssayError("the price of a person's answer is compared with the model's. Give --prices of its tokens.")
    asked, opened = read_form(form), open_model(model)
    if answer != "chosen" and samples > 1:
        raise AssayError(
            "an answer read off probabilities is the same in every sample. Leave --samples out, or use --answer chosen."
        )
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
        max_tokens=max_tokens if answer == "chosen" else None,
    )
    asking = Asking(asked, answer, sampling, max_tokens)
    questions = list(_questions(data, asked, orders, samples))
    replies = _replies(asking, opened, questions, requests, budget, progress)
    answers = [_answer(asking, group, opened.name) for group in replies]
    name = annotator or origin
    judged = _with_judgments(data, asked, name, questions, answers)
    part = _part(name, asked, [one.verdict for one in answers], budget, origin)
    cost = _cost(name, replies, budget, person_price, origin)
    return Judged(judged, part if cost is None else replace(part, numbers=(*part.numbers, cost[0]), answers=cost[1]))


def _replies(
    asking: Asking,
    model: LanguageModel,
    questions: Sequence[_Question],
    requests: Requests | Sender | None,
    budget: Budget | None,
    progress: Progress | None,
) -> list[list[Drawn | TextScore | str]]:
    """The replies to each question; a text is why there is none."""
    asked: list[list[Any]] = [
        [for_model(model, one) for one in asking.requests(asking.form.prompt(question.outputs), question.sample)]
        for question in questions
    ]
    wanted = [one for group in asked for one in group]
    how: dict[str, Any] = {"budget": budget, "progress": progress}
    replies: list[Any] = [
        *(score_texts if asking.answer == "compared" else sample_texts)(model, wanted, requests, **how)
    ]
    _refuse_failures(replies)
    answered = iter(replies)
    return [[next(answered) for _ in group] for group in asked]


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


def _refuse_failures(replies: Sequence[Drawn | TextScore | str]) -> None:
    """Refuse what may pass, such as a host that does not answer: a gap that may be gone is never a result."""
    reasons = [one if isinstance(one, str) else one.reason for one in replies]
    failed = [one for one in reasons if one.startswith(FOR_NOW)]
    if failed:
        raise AssayError(
            f"{len(failed):,} of {len(replies):,} questions {failed[0]}. Replies that came are kept: the same command "
            "asks only the others."
        )


def _answer(asking: Asking, replies: list[Any], model: str) -> _Given:
    missing = next((one for one in replies if isinstance(one, str)), "")
    if missing:
        return _Given(Verdict(reason=missing), "")
    if asking.answer == "expected":
        check_tells(model, replies, "--answer chosen")
    verdict = asking.verdict(replies)
    return _Given(verdict, asking.said(replies, verdict))


def _with_judgments(
    data: Dataset,
    form: Form,
    annotator: str,
    questions: Sequence[_Question],
    answers: Sequence[_Given],
) -> Dataset:
    criterion = form.criterion
    added: dict[str, list[dict[str, Any]]] = {}
    for question, (verdict, said) in zip(questions, answers, strict=True):
        if isnan(verdict.value):
            continue
        judgment = {"annotator": annotator, "criterion": criterion.name, "value": verdict.value}
        judgment |= {ANNOTATOR_KIND: MODEL, "reply": said}
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
    spent = ""
    if budget is not None:
        money = f", {budget.amount(budget.spent)}" if budget.prices else ""
        spent = f" Spent in this run: {budget.n_tokens:,} tokens{money}."
    rows: list[tuple[Cell, ...]] = [(answer, answered.count(value)) for answer, value in form.answers.items()]
    rest = len(answered) - sum(count for _, count in rows if isinstance(count, int))
    tables = [Table("judge", "Answers", ("answer", "times"), (*rows, *((("between", rest),) if rest else ())))]
    if reasons:
        tables.append(Table("judge_gaps", "No answer", ("why", "times"), tuple(reasons.most_common())))
    share = len(answered) / len(verdicts) if verdicts else 0.0
    numbers = [Number("answered", share, len(verdicts), origin, reason="a count", about={"annotator": name})]
    covered = [one.mass for one in verdicts if not isnan(one.mass)]
    if covered:
        mean = sum(covered) / len(covered)
        about = {"annotator": name, "least": min(covered), "most": max(covered)}
        numbers.append(Number("covered mass", mean, len(covered), origin, reason="a description", about=about))
        spent += (
            f" The answers cover {mean:.2g} of the probability on average ({min(covered):.2g} to {max(covered):.2g})."
        )
    return Part(
        title="Judge",
        summary=f"{name} on {form.criterion.name}: {counted(len(answered), 'answer')} to "
        f"{counted(len(verdicts), 'question')}.{spent}",
        numbers=tuple(numbers),
        tables=tuple(tables),
        methods=(origin,),
    )


def _cost(
    name: str, replies: Sequence[Sequence[Any]], budget: Budget | None, person_price: float | None, origin: str
) -> tuple[Number, dict[str, list[str]]] | None:
    """What an answer cost, answers of earlier runs too, beside what one of a person does."""
    if budget is None or budget.prices is None:
        return None
    used = [[one.usage or (0, 0) for one in group if isinstance(one, Drawn)] for group in replies]
    used = [group for group in used if group]
    if not used:
        return None
    read, written = (sum(usage[side] for group in used for usage in group) for side in (0, 1))
    each = budget.cost(read, written) / len(used)
    about = {"annotator": name, "currency": budget.currency, "tokens_read": read, "tokens_written": written}
    said = f"An answer of {name} cost {budget.amount(each)}"
    if person_price is not None and each > 0:
        about["person_price"] = person_price
        said += f", one of a person {budget.amount(person_price)}: {person_price / each:,.0f} times as much"
    number = Number("cost per answer", each, len(used), origin, reason="an amount", about=about)
    return number, {"trust": [f"{said}."]}
