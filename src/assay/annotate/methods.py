"""What a paper says about a study: a paragraph for its methods section, and a codebook of the exported files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from assay.annotate.protocol import Protocol
from assay.annotate.records import Progress, StoredJudgment

EXPORTED = {
    "annotator": "pseudonym of who answered; the ids of the panel are not exported",
    "kind": "what the judgment is about: output, set or system",
    "unit": "its id in the data",
    "other": "the second unit of a pair, empty otherwise",
    "criterion": "the question, described above",
    "value": "the answer: a number, or a label",
    "at": "when it was saved, in seconds since 1970-01-01 UTC",
    "order": "seed of the order of options and of the sides of a pair",
    "probability": "probability with which the unit was chosen for this annotator, given what was known then",
    "ms": "milliseconds for which the page was visible; empty if the browser did not say",
    "revision": "1 for a first answer, more if it was changed in time",
    "page": "number of the page among those of the annotator",
    "slot": "place on the page",
    "version": "version of the protocol under which the page was given",
}


def methods_paragraph(
    protocol: Protocol,
    progress: Progress,
    judgments: Sequence[StoredJudgment],
    checks: Mapping[str, Sequence[tuple[str, bool]]],
) -> str:
    """The design of a study and what came of it, in a few sentences."""
    rules = protocol.rules
    annotators = {one.annotator for one in judgments}
    units = len(progress.units)
    sentences = [
        f"{len(annotators):,} annotators gave {len(judgments):,} judgments on {units:,} units "
        f'(form "{protocol.form.name}", protocol {protocol.sha[:16]}).',
        f"Each unit was to be judged by {rules.judgments_per_unit} annotators, {rules.page_size} on a page; they were "
        f"assigned by the policy {rules.policy} (seed {rules.seed}), with the probability of each assignment stored.",
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
    for name in dict.fromkeys(one.criterion for one in judgments):
        values = Counter(one.value for one in judgments if one.criterion == name)
        answers = ", ".join(f"{value} ({count:,})" for value, count in sorted(values.items(), key=str)[:50])
        more = f", and {len(values) - 50:,} more" if len(values) > 50 else ""
        lines += [f"- **{name}**: {answers}{more}"]
    lines += ["", "## Columns of judgments", "", "| column | meaning |", "| --- | --- |"]
    lines += [f"| {name} | {meaning} |" for name, meaning in EXPORTED.items()]
    return "\n".join(lines) + "\n"


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")
