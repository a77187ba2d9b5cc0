"""Small studies for the tests, a clock that only moves when told, and annotators who answer everything."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.annotate.service import JudgmentRow, Page, Receipt, Rules, Service, Unit

SYSTEMS = ("a", "b", "c")
GOLD = Unit("check", "output", {"text": "Choose 5."}, gold={"quality": 5.0})


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def units(n_items: int = 4, *, checks: int = 0) -> list[Unit]:
    counted = [
        Unit(f"o{item}{system}", "output", {"text": f"text {item} of {system}"}, item=f"i{item}", stratum=system)
        for item in range(n_items)
        for system in SYSTEMS
    ]
    return counted + [Unit(f"check{n}", "output", {"text": "Choose 5."}, gold={"quality": 5.0}) for n in range(checks)]


@contextmanager
def study(
    where: Path | str, rules: Rules, n_items: int = 4, *, checks: int = 0, clock: Callable[[], float] | None = None
) -> Iterator[Service]:
    service = Service.create(
        where, 'title = "A study"', "0" * 64, rules, units(n_items, checks=checks), clock=clock or Clock()
    )
    with service:
        yield service


def enrolled(service: Service) -> str:
    return service.enroll().annotator


def page_of(service: Service, annotator: str) -> Page:
    page = service.next_page(annotator)
    assert isinstance(page, Page), page
    return page


def rows(page: Page, value: float = 3.0) -> dict[int, list[JudgmentRow]]:
    return {
        one.id: [JudgmentRow("output", one.unit.id, "quality", value)]
        for one in page.assignments
        if one.unit.gold is None
    }


def answer(service: Service, annotator: str, page: Page, value: float = 3.0) -> Receipt:
    checks = {one.unit.id: True for one in page.assignments if one.unit.gold is not None}
    receipt = service.submit(annotator, page.nonce, {"value": value}, rows(page, value), checks, 1500)
    assert isinstance(receipt, Receipt), receipt
    return receipt


def answer_all(service: Service, annotator: str) -> int:
    """Answer every page there is; return how many."""
    n = 0
    while isinstance(page := service.next_page(annotator), Page):
        answer(service, annotator, page)
        n += 1
    return n
