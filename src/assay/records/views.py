"""Items, outputs and judgments as objects, for functions of one unit and for display."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Item:
    """A context with its references, and choices with a target if the data has them."""

    id: str
    context: str = ""
    references: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    target: tuple[float, ...] = ()


@dataclass(frozen=True)
class Judgment:
    """One annotator's answer to one criterion."""

    annotator: str
    criterion: str
    value: float | str


@dataclass(frozen=True)
class Output:
    """One text for an item, from a system."""

    id: str
    text: str
    item: Item
    system: str
    set: str
    human: bool = False
    n_tokens: int | None = None
    columns: Mapping[str, float | str] = field(default_factory=dict)
    judgments: tuple[Judgment, ...] = ()
