"""What passes between the web application, the forms and the store: plain records, JSON in and JSON out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal, get_args

from assay.errors import AssayError, did_you_mean
from assay.forms.questionnaire import Row

Policy = Literal["balanced", "blocks", "pages"]
POLICIES: tuple[str, ...] = get_args(Policy)

# One answer to one criterion about a unit of the data or two, or a text that was written.
JudgmentRow = Row

# Any JSON object: a payload, a posted form, the answers of a stage.
Body = Mapping[str, Any]


class StoreError(AssayError):
    """A store that cannot be opened, is served by another process, or is not a store."""


class NotSaved(StoreError):
    """Nothing of a request was stored, as when the disk is full; the same request may be sent again."""


@dataclass(frozen=True)
class Unit:
    """What one question is about.

    Attributes:
        id: its name, unique in the study.
        kind: output, pair, set, game, text, ...
        payload: all that a form needs to show it.
        item: the item it belongs to; under the policy `blocks` nobody gets an item twice.
        stratum: what assignment balances over, usually the system.
        gold: the expected answers of an attention check or a warm-up; its answers are never counted as judgments.
    """

    id: str
    kind: str
    payload: Body
    item: str = ""
    stratum: str = ""
    gold: Body | None = None


@dataclass(frozen=True)
class Rules:
    """How units are assigned to annotators.

    Attributes:
        judgments_per_unit: the cap: so many annotators answer about each unit.
        page_size: units on a page, without checks.
        lease_seconds: how long an open page is kept for its annotator.
        revise_seconds: how long after saving an answer may be changed; 0 for never.
        max_pages_per_annotator: how many pages one annotator may answer; None for as many as there are.
        policy: `balanced`, `blocks` or `pages`, see `assay.annotate.assign`.
        checks_per_page: units with known answers on each page, at random places.
        seed: of all random choices.
        price_per_page: what an annotator is paid for a page.
        currency: of the price.
    """

    judgments_per_unit: int = 3
    page_size: int = 1
    lease_seconds: float = 1800.0
    revise_seconds: float = 0.0
    max_pages_per_annotator: int | None = None
    policy: str = "balanced"
    checks_per_page: int = 0
    seed: int = 0
    price_per_page: float = 0.0
    currency: str = "USD"

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            raise ValueError(f"policy is {self.policy!r}.{did_you_mean(self.policy, POLICIES)}")
        for name in ("judgments_per_unit", "page_size", "max_pages_per_annotator"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} is {value}. Give 1 or more.")
        for name in ("checks_per_page", "revise_seconds", "price_per_page", "seed"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}. Give 0 or more.")
        for name in ("lease_seconds", "revise_seconds", "price_per_page"):
            if not isfinite(getattr(self, name)):
                raise ValueError(f"{name} is {getattr(self, name)}. Give a number.")
        if self.lease_seconds <= 0:
            raise ValueError(f"lease_seconds is {self.lease_seconds:g}. Give more than 0.")


@dataclass(frozen=True)
class Enrolled:
    """A new or returning annotator. The token is stored only as a hash: this is the one time it is known."""

    annotator: str
    session: str
    token: str


@dataclass(frozen=True)
class Annotator:
    """An annotator, by pseudonym.

    Attributes:
        id: the pseudonym.
        state: active, complete, withdrawn or not qualified.
        consented: when they consented, as a Unix timestamp; None if they did not.
        stage: the stage saved last, empty at the start.
        stages: all stages saved, with their answers.
        pages: pages submitted.
    """

    id: str
    state: str
    consented: float | None
    stage: str
    stages: Mapping[str, Any]
    pages: int


@dataclass(frozen=True)
class Assigned:
    """A unit on somebody's page, with the seed of its order of options and its probability of being chosen."""

    id: int
    unit: Unit
    order_seed: int
    probability: float


@dataclass(frozen=True)
class Page:
    """Units to be answered together, in the words of a version of the protocol.

    The nonce makes its answer count once, however often it is sent.
    """

    nonce: str
    stage: str
    version: int
    assignments: tuple[Assigned, ...]
    number: int
    of: int | None
    draft: Body | None = None


@dataclass(frozen=True)
class GivenPage:
    """A page that somebody was given before, by its nonce.

    Attributes:
        page: what is on it.
        state: open, released, submitted, accepted or rejected.
        body: the answer, None without one.
        revision: of the answer, 0 without one.
    """

    page: Page
    state: str
    body: Body | None
    revision: int


@dataclass(frozen=True)
class Done:
    """There is no page: why, and the completion code once the completion is stored."""

    reason: str
    completion_code: str | None = None


@dataclass(frozen=True)
class Receipt:
    """An answer is stored. `again` says that the same answer had come before."""

    at: float
    revision: int
    again: bool


@dataclass(frozen=True)
class Conflict:
    """Another answer to this page is stored, and it stays."""

    stored: Body
    sent: Body


@dataclass(frozen=True)
class Expired:
    """The page was given to others, or its time for changes is over; what was sent is not counted."""

    reason: str


@dataclass(frozen=True)
class StoredJudgment:
    """A judgment as it is exported: the answer, and how it came about.

    Attributes:
        kind: output, set or system; or `written` for a text, by an item and a system.
        unit: the id of what is judged.
        other: the second of a pair.
        criterion: what was asked.
        value: a number or a text.
        annotator: the pseudonym.
        at: when it was stored, as a Unix timestamp.
        order: the seed of the order in which things were shown.
        probability: that the unit had of being on this page, before any answer to it was known.
        ms: how long the page was visible, in milliseconds; None if unknown.
        revision: 1 for a first answer.
        page: the number of the page among those of the annotator, from 1.
        slot: the place on the page, from 0.
        version: of the protocol.
        columns: what the form keeps with it.
    """

    kind: str
    unit: str
    other: str | None
    criterion: str
    value: float | str
    annotator: str
    at: float
    order: int
    probability: float
    ms: int | None
    revision: int
    page: int
    slot: int
    version: int
    columns: Mapping[str, float | str]


@dataclass(frozen=True)
class PageRecord:
    """A page that was given to somebody, with its number in the store.

    Attributes:
        number: what `decide` takes.
        nonce: what the annotator's browser sends.
        annotator: the pseudonym.
        state: open, released, submitted, accepted or rejected.
        version: of the protocol.
        opened: when it was given.
        answered: when the answer was stored, None without one.
        ms_visible: how long it was visible, in milliseconds.
        body: the answer.
        checks: whether each check on it was passed; None without an answer.
    """

    number: int
    nonce: str
    annotator: str
    state: str
    version: int
    opened: float
    answered: float | None
    ms_visible: int | None
    body: Body | None
    checks: Mapping[str, bool] | None


@dataclass(frozen=True)
class Progress:
    """How far a study is.

    Attributes:
        units: per unit that is not a check: its id, stratum, live assignments and stored answers.
        strata: per stratum: units, answers wanted, and stored.
        annotators: number of annotators by state.
        pages: number of pages by state.
        spent: price of the pages submitted and not rejected, each at that of the protocol it was given under.
        to_come: price of the pages still needed, at the page size of the rules.
        currency: of both.
        seconds: time from opening a page to its first answer, for every page submitted, in order.
        paused: whether new pages are given.
    """

    units: tuple[tuple[str, str, int, int], ...]
    strata: Mapping[str, tuple[int, int, int]]
    annotators: Mapping[str, int]
    pages: Mapping[str, int]
    spent: float
    to_come: float
    currency: str
    seconds: tuple[float, ...] = field(repr=False)
    paused: bool

    @property
    def complete(self) -> bool:
        """Whether every unit has its number of judgments."""
        cap = {stratum: wanted // units for stratum, (units, wanted, _) in self.strata.items()}
        return all(stored >= cap[stratum] for _, stratum, _, stored in self.units)
