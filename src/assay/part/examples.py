"""Texts worth reading: one output, beside the answers of the other systems to the same item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from math import isfinite
from typing import Any

from assay.part.words import sentence


@dataclass(frozen=True)
class Reply:
    """The text of one system: its scores by each evaluator, and what annotators answered."""

    system: str
    text: str
    scores: tuple[float | None, ...]
    judgments: tuple[str, ...]


@dataclass(frozen=True)
class Example:
    """A text of a system with the reason why it is shown; `replies` starts with it.

    Attributes:
        system: whose text it is.
        why: best, worst or disputed.
        item: the name of the item.
        context: of the item.
        references: of the item.
        evaluators: names of the scores of each reply.
        replies: the text, then those of other systems for the same item.
    """

    system: str
    why: str
    item: str
    context: str
    references: tuple[str, ...]
    evaluators: tuple[str, ...]
    replies: tuple[Reply, ...]

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Example:
        """Rebuild an example from its fields, in which tuples have become lists."""
        replies = tuple(
            Reply(one["system"], one["text"], tuple(one["scores"]), tuple(one["judgments"]))
            for one in stored["replies"]
        )
        texts = {key: tuple(stored[key]) for key in ("references", "evaluators")}
        return cls(**{**stored, **texts, "replies": replies})


def html_examples(examples: tuple[Example, ...]) -> str:
    """Render examples by system, each folded under its first line."""
    by_system: dict[str, list[Example]] = {}
    for example in examples:
        by_system.setdefault(example.system, []).append(example)
    return "".join(
        f'<section class="examples"><h3>{escape(system)}</h3>{"".join(map(_folded, own))}</section>'
        for system, own in by_system.items()
    )


def _folded(example: Example) -> str:
    told = "".join(
        f"<div><dt>{name}</dt><dd>{escape(text)}</dd></div>"
        for name, text in [
            ("item", example.item),
            ("context", example.context),
            *(("reference", reference) for reference in example.references),
        ]
        if text
    )
    replies = "".join(_reply(reply, example.evaluators) for reply in example.replies)
    first = escape(example.replies[0].text) or "(empty)"
    return (
        f'<details class="example"><summary><b>{escape(example.why)}</b> {first}</summary>'
        f'<dl class="item">{told}</dl><div class="replies">{replies}</div></details>'
    )


def _reply(reply: Reply, evaluators: tuple[str, ...]) -> str:
    scores = "".join(
        f"<div><dt>{sentence(name)}</dt><dd>{_written(value)}</dd></div>"
        for name, value in zip(evaluators, reply.scores, strict=True)
    )
    judged = "".join(f"<li>{escape(line)}</li>" for line in reply.judgments)
    judgments = f'<ul aria-label="judgments">{judged}</ul>' if judged else ""
    return (
        f'<article class="reply"><h4>{escape(reply.system)}</h4><p>{escape(reply.text) or "(empty)"}</p>'
        f'<dl class="scores">{scores}</dl>{judgments}</article>'
    )


def _written(value: float | None) -> str:
    return "–" if value is None or not isfinite(value) else f"{value:.3g}"
