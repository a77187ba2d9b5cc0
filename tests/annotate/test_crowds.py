"""The whole application under crowds of bots: killed servers, repeated posts, people who leave, published votes."""

import json
import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

import assay
from assay.annotate.service import Progress, Service
from assay.annotate.simulated.bots import Bot
from assay.annotate.simulated.browser import Browser, HtmlForm
from assay.annotate.simulated.crowd import Habits, Load, crowd
from tests.annotate.postgres import Cluster
from tests.annotate.serve_process import Server, first_choices, protocol_file, serving

pytest.importorskip("starlette")


def texts(folder: Path, n: int) -> str:
    path = folder / "outputs.jsonl"
    lines = [{"id": f"o{k}", "item": f"i{k // 2}", "system": "ab"[k % 2], "text": f"text {k}"} for k in range(n)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def check(service: Service, load: Load, *, copies: int = 1) -> None:
    """Every acknowledged page is stored, once; nothing is above its cap or otherwise wrong."""
    assert load.problems == []
    assert service.verify() == []
    answered = {page.nonce for page in service.pages() if page.answered is not None}
    assert set(load.acknowledged) <= answered
    units = Counter((row.annotator, row.unit, row.criterion) for row in service.judgments())
    assert set(units.values()) <= {1}


def test_everything_is_sent_three_times_and_a_tenth_again_later(tmp_path: Path) -> None:
    path = protocol_file(tmp_path, texts(tmp_path, 24), "rating", units=2, judgments=3)
    with serving(path) as server:
        load = crowd([server.url], first_choices, 8, Habits(copies=3, reordered=0.1))
    with Service.open(path.with_suffix(".sqlite")) as service:
        check(service, load)
        pages = service.progress().pages  # more than 36 where somebody's last page had one unit
        assert set(pages) == {"submitted"} and pages["submitted"] >= 36, pages
        assert len(load.acknowledged) >= 3 * 36
        assert service.progress().complete and sum(1 for _ in service.judgments()) == 72


@pytest.mark.slow
def test_people_who_leave_are_replaced_without_help(tmp_path: Path) -> None:
    path = protocol_file(tmp_path, texts(tmp_path, 60), "rating", units=3, judgments=3, lease_minutes=0.02)
    with serving(path) as server:
        while not progress(path).complete:
            load = crowd([server.url], first_choices, 40, Habits(leaving=0.3, most=6))
            # On a busy machine a lease may be over before its page is sent, which is then given to others.
            load.problems = [problem for problem in load.problems if not problem.startswith("status 410 ")]
            assert load.problems == []
            time.sleep(0.2)  # leases run out
    with Service.open(path.with_suffix(".sqlite")) as service:
        check(service, load)
        assert {stored for *_, stored in service.progress().units} == {3}
        assert service.progress().pages.get("released", 0) > 0


@pytest.mark.slow
def test_balance_and_order_under_two_hundred_at_once(tmp_path: Path) -> None:
    path = protocol_file(tmp_path, texts(tmp_path, 200), "preference", units=1, judgments=5)
    done = Event()
    spread: list[int] = []

    def watch() -> None:
        while not done.wait(0.1):
            live = [live for _, _, live, _ in progress(path).units]
            spread.append(max(live) - min(live))

    with serving(path) as server:
        watcher = Thread(target=watch)
        watcher.start()
        try:
            load = crowd([server.url], first_choices, 200, Habits(most=2))
        finally:
            done.set()
            watcher.join()
    with Service.open(path.with_suffix(".sqlite")) as service:
        check(service, load)
        votes = [stored for *_, stored in service.progress().units]
        assert max(votes) - min(votes) <= 1 and sum(votes) == 400 and max(spread) <= 1
        as_given = [row.columns["shown"] == "0 1" for row in service.judgments()]
        assert abs(sum(as_given) - len(as_given) / 2) <= 3 * np.sqrt(len(as_given) / 4)


def kill_under_load(servers: list[Server], kills: int, annotators: int, n_stored: Callable[[], int]) -> list[float]:
    """Kill a server again and again while bots work; return the seconds until it served again."""
    seconds = []
    for round_ in range(kills):
        before, waited = n_stored(), time.monotonic()
        while n_stored() < before + annotators // 4 and time.monotonic() < waited + 60:
            time.sleep(0.02)
        victim = servers[round_ % len(servers)]
        victim.kill()
        start = time.monotonic()
        victim.start()  # until it answers
        seconds.append(time.monotonic() - start)
    return seconds


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_servers_are_killed_under_load(tmp_path: Path, kind: str, request: pytest.FixtureRequest) -> None:
    path = protocol_file(tmp_path, texts(tmp_path, 400), "rating", units=1, judgments=20)
    stop, loads = Event(), [Load()]
    if kind == "sqlite":
        store, servers = str(path.with_suffix(".sqlite")), [Server(path)]
    else:
        cluster: Cluster = request.getfixturevalue("cluster")
        store = cluster.fresh()
        servers = [Server(path, "--store", store), Server(path, "--store", store)]

    def work() -> None:
        loads[0] = crowd([one.url for one in servers], first_choices, 30, stop=stop)

    crowd_thread = Thread(target=work)
    crowd_thread.start()
    try:
        kill_under_load(servers, 3, 30, lambda: stored_pages(store))
    finally:
        stop.set()
        crowd_thread.join()
        for server in servers:
            server.stop()
    with Service.open(store) as service:
        check(service, loads[0])
        assert len(loads[0].acknowledged) > 20 and loads[0].failed > 0


def stored_pages(store: str) -> int:
    from assay.io.special.judgment_stores import _selecting

    with _selecting(store) as select:
        return next(iter(select("SELECT count(*) FROM answer")))[0]


def progress(path: Path) -> Progress:
    from assay.annotate.operations.results import progress as of
    from assay.annotate.store.sqlite import reading

    with reading(path.with_suffix(".sqlite")) as tx:
        return of(tx)


class Replayed:
    """Answers pages with the published votes of their units, each vote once."""

    def __init__(self, data: assay.Dataset, store: Path, criterion: str) -> None:
        self._store, self._criterion = store, criterion
        ids = data.outputs.id.to_list()
        self._votes: dict[str, list[float]] = defaultdict(list)
        answers = data.judgments.about("output").of(criterion)
        for unit, value in zip(answers.unit.tolist(), answers.value.tolist(), strict=True):
            self._votes[ids[unit]].append(value)

    def __call__(self, nonce: str, form: HtmlForm) -> dict[str, str]:
        with closing(sqlite3.connect(self._store)) as connection:
            sql = (
                "SELECT u.id FROM assignment a JOIN unit u ON u.number = a.unit JOIN page p ON p.number = a.page "
                "WHERE p.nonce = ? ORDER BY a.slot"
            )
            units = [row[0] for row in connection.execute(sql, (nonce,))]
        return {f"u{place}.{self._criterion}": f"{self._votes[unit].pop(0):g}" for place, unit in enumerate(units, 1)}


def replay(folder: Path, data: assay.Dataset, form: str, criterion: str, **pages: object) -> assay.Dataset:
    """Serve the texts of published data, let bots give the published votes, and load the store."""
    folder.mkdir()
    assay.save(data, folder / "data.jsonl")
    path = protocol_file(folder, str(folder / "data.jsonl"), form, **pages)
    with serving(path) as server:
        answer = Replayed(data, path.with_suffix(".sqlite"), criterion)
        while True:
            with Browser(server.url) as browser:
                if not Bot(browser, answer).work():
                    break
    with Service.open(path.with_suffix(".sqlite")) as service:
        assert service.verify() == [] and service.progress().complete
    judged = assay.load(path.with_suffix(".sqlite"))
    assay.save(judged, folder / "judged.jsonl")
    assert assay.load(folder / "judged.jsonl") == judged
    assert judged.outputs.text.to_list() == data.outputs.text.to_list()
    return judged


@pytest.mark.slow
def test_the_votes_of_huse_come_back_as_huse(tmp_path: Path) -> None:
    data = assay.load("data:huse/summarization")
    judged = replay(tmp_path / "huse", data, "typicality", "typicality", units=25, judgments=20)
    part = assay.huse(judged, ties="exact", intervals=False, figures=False)
    numbers = {number.name: round(number.value, 2) for number in part.numbers}
    assert numbers == {"huse": 0.53, "huse_q": 0.60, "huse_d": 0.93}


@pytest.mark.slow
def test_the_votes_about_reviews_come_back_as_published(tmp_path: Path) -> None:
    data = assay.load("data:judges/reviews")
    n_votes = np.bincount(data.judgments.unit, minlength=len(data))
    right, n = 0, 0
    for votes in (3, 4, 5):  # a few pages were answered by less than five people
        part = data.select(n_votes == votes)
        judged = replay(tmp_path / str(votes), part, "real", "real", units=20, judgments=votes)
        real = judged.human[judged.judgments.unit]
        right, n = right + int(((judged.judgments.value == 1) == real).sum()), n + len(real)
    assert n == len(data.judgments) == 17920 and round(100 * right / n, 2) == 66.61
