"""What a paper says about a study: a paragraph for its methods section, and a codebook of the exported files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from assay.analyses.words import counted
from assay.annotate.protocol import Protocol
from assay.annotate.records import Progress, StoredJudgment
from assay.forms.questionnaire import WRITTEN
from assay.records import Criterion

EXPORTED = {
    "annotator": "pseudonym of who answered; the ids of the panel are not exported",
    "kind": "what the judgment is about: output, set or system",
    "unit": "its id in the data",
    "other": "the second unit of a pair, empty otherwise",
    "criterion": "the question, described above",
    "value": "the answer: a number, or a label; of a comparison 1 for the unit, -1 for the other, 0 for neither",
    "at": "when it was saved, in seconds since 1970-01-01 UTC",
    "order": "seed of the order of options and of the sides of a pair",
    "probability": "probability with which the unit was chosen for this annotator, given what was known then",
    "ms": "milliseconds for which the page was visible; empty if the browser did not say",
    "revision": "1 for a first answer, more if it was changed in time",
    "page": "number of the page among those of the annotator",
    "slot": "place on the page",
    "version": "version of the protocol under which the page was given",
}
# What forms keep with a judgment.
OF_FORMS = {
    "shown": "order in which texts, sets or choices stood on the page: positions in the data, from 0",
    "choice": "position of the choice that a listener took, from 0",
    "comment": "what the annotator remarked",
    "spans": "marked passages as JSON: start, end, category, severity; in characters of the text, from 0",
}
MOST_ANSWERS = 50


def methods_paragraph(
    protocol: Protocol,
    progress: Progress,
    judgments: Sequence[StoredJudgment],
    checks: Mapping[str, Sequence[tuple[str, bool]]],
) -> str:
    """The design of a study and what came of it, in a few sentences."""
    rules = protocol.rules
    annotators = {one.annotator for one in judgments}
    sentences = [
        f"{counted(len(annotators), 'annotator')} gave {counted(len(judgments), 'judgment')} "
        f'on {counted(len(progress.units), "unit")} (form "{protocol.form.name}", protocol {protocol.sha[:16]}).',
        f"Each unit was to be judged by {counted(rules.judgments_per_unit, 'annotator')}, {rules.page_size} on a page; "
        f"they were assigned by the policy {rules.policy} (seed {rules.seed}), with the probability of each "
        "assignment stored.",
    ]
    if judgments:
        first, last = (_day(pick(one.at for one in judgments)) for pick in (min, max))
        sentences.append(f"Answers were collected from {first} to {last} (UTC).")
    answered = [passed for given in checks.values() for _, passed in given]
    if answered:
        sentences.append(f"{sum(answered):,} of {len(answered):,} attention checks were passed.")
    if protocol.qualification:
        sentences.append(f"Annotators had to pass a test of {len(protocol.qualification)} questions first.")
    if rules.price_per_page:
        sentences.append(
            f"They were paid {rules.price_per_page:.2f} {rules.currency} per page, {progress.spent:,.2f} in all."
        )
    if protocol.retention:
        sentences.append(f"Retention: {' '.join(protocol.retention.split())}")
    return " ".join(sentences)


def codebook(protocol: Protocol, judgments: Sequence[StoredJudgment]) -> str:
    """The criteria with their answers, and the columns of the exported judgments, as Markdown."""
    lines = [f"# Codebook: {protocol.title}", "", "## Criteria", ""]
    declared = {one.name: f"{' '.join(one.question.split())} {_scale(one)}".strip() for one in protocol.form.criteria}
    for name in dict.fromkeys([*declared, *(one.criterion for one in judgments)]):
        given = [one for one in judgments if one.criterion == name]
        if given and given[0].kind == WRITTEN:
            lines += [f"- **{name}**: {len(given):,} texts that annotators wrote; each is an output of this system"]
            continue
        answers = _answers(Counter(one.value for one in given)) or "none yet"
        lines += [" ".join(part for part in (f"- **{name}**:", declared.get(name), f"Answers: {answers}") if part)]
    lines += ["", "## Columns of judgments", "", "| column | meaning |", "| --- | --- |"]
    kept = {name for one in judgments for name in one.columns}
    listed = EXPORTED | {name: meaning for name, meaning in OF_FORMS.items() if name in kept}
    lines += [f"| {name} | {meaning} |" for name, meaning in listed.items()]
    return "\n".join(lines) + "\n"


def _scale(criterion: Criterion) -> str:
    """The ends of a scale, and what its points are called."""
    low, high = ("" if end is None else f"{end:g}" for end in (criterion.low, criterion.high))
    ends = f"{low} to {high}" if low and high else f"from {low} on" if low else f"up to {high}" if high else ""
    words = dict(criterion.anchors)
    for point, label in enumerate(criterion.labels, round(criterion.low or 0)):
        words[point] = f"{label} ({words[point]})" if point in words else label
    points = [f"{point:g} = {word}" for point, word in sorted(words.items())]
    return f"({': '.join(part for part in (ends, ', '.join(points)) if part)})" if ends or points else ""


def _answers(values: Counter[float | str]) -> str:
    """The answers in order, numbers first, each with how often it was given."""
    ordered = sorted(values.items(), key=lambda pair: (isinstance(pair[0], str), pair[0]))
    more = f", and {len(values) - MOST_ANSWERS:,} more" if len(values) > MOST_ANSWERS else ""
    return ", ".join(f"{value} ({count:,})" for value, count in ordered[:MOST_ANSWERS]) + more


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")
