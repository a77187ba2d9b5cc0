"""A store is data: what was shown, what was asked, and what was answered, at every moment."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.annotate.operations import study
from assay.annotate.service import JudgmentRow, Page, Rules, Service, Unit
from assay.errors import DataError
from assay.records import Criterion, Dataset
from tests.annotate.studies import answer_all, enrolled

HOSTILE = "<b>&amp;</b> \u202e\u200b\x00 \U0001f600 \ud7ff"
QUALITY = Criterion(
    "quality", "How good is the text?", scale="ordinal", low=1.0, high=5.0, unit="output", asks="quality"
)


def data() -> Dataset:
    return Dataset.from_records(
        [
            {
                "id": f"o{item}{system}",
                "item": f"i{item}",
                "context": f"context {item}" if system == "a" else None,
                "references": ["one", "two"] if system == "a" else None,
                "system": system,
                "human": system == "a",
                "text": HOSTILE + system,
                "logprobs": {"b": "-inf" if item else -1.5},
                "note": 7,
                "judgments": [{"annotator": "before", "criterion": "quality", "value": 1}],
            }
            for item in range(2)
            for system in "ab"
        ]
    )


def served(url: str, *units: Unit) -> Service:
    outputs = units or tuple(Unit(name, "output", {"output": name}) for name in data().outputs.id)
    return Service.create(
        url,
        'title = "A study"',
        "0" * 64,
        Rules(judgments_per_unit=2, page_size=2),
        outputs,
        data=data(),
        criteria=[QUALITY],
    )


def test_a_store_is_data_at_every_moment(fresh_store: Callable[[], str], tmp_path: Path) -> None:
    url = fresh_store()
    with served(url) as service:
        before = assay.load(url)
        assert len(before.judgments) == 0 and before.criteria == {"quality": QUALITY}
        assert before.outputs.text.to_list() == data().outputs.text.to_list()
        for part in ("logprobs", "systems", "items"):
            ours, theirs = getattr(before, part), getattr(data(), part)
            assert len(ours) == len(theirs)
        one = enrolled(service)
        answer_all(service, one)
        now = assay.load(url)
        assert len(now.judgments) == 4 and now.judgments.annotators.to_list() == [one]
        columns = {"at", "order", "probability", "ms", "revision", "page", "slot", "version"}
        assert set(now.judgments.columns) == columns
        assert (now.judgments.columns["ms"] == 1500.0).all() and (now.judgments.columns["probability"] > 0).all()
        assert assay.score(now, ["human('quality')"])["human('quality')"].values.tolist() == [3.0] * 4
    for name in ("judged.jsonl", "judged.csv", "judged.parquet", "folder"):
        assay.save(now, tmp_path / name)
        assert assay.load(tmp_path / name) == now, name


def test_pairs_sets_and_written_texts(tmp_path: Path) -> None:
    sets = data().sets.id.to_list()
    units = [Unit("pair", "pair", {}), Unit("set", "set", {}), Unit("item", "item", {})]
    with served(str(tmp_path / "s.sqlite"), *units) as service:
        one = enrolled(service)
        while isinstance(page := service.next_page(one), Page):
            rows = {
                "pair": [JudgmentRow("output", "o0a", "preference", 1.0, "o0b", {"shown": "1 0"})],
                "set": [JudgmentRow("set", sets[0], "diversity", "high")],
                "item": [JudgmentRow("written", "i0", "low", HOSTILE, columns={"place": n}) for n in range(2)],
            }
            service.submit(one, page.nonce, {}, {a.id: rows[a.unit.id] for a in page.assignments})
        assert service.verify() == []
    loaded = assay.load(tmp_path / "s.sqlite")
    assert len(loaded.judgments.about("pair")) == 1 and len(loaded.judgments.about("set")) == 1
    assert loaded.systems.id.to_list() == ["a", "b", "low"] and loaded.human.tolist()[-2:] == [True, True]
    assert loaded.outputs.text[4] == HOSTILE and loaded.outputs.set[4] == loaded.outputs.set[5]


def test_a_study_reads_a_store_live(tmp_path: Path) -> None:
    with served(str(tmp_path / "s.sqlite")) as service:
        answer_all(service, enrolled(service))
        (tmp_path / "study.toml").write_text('data = "s.sqlite"\n[health]\n')
        first = str(assay.run_study(tmp_path / "study.toml", tmp_path / "out").parts["health"])
        assert str(assay.run_study(tmp_path / "study.toml", tmp_path / "out").parts["health"]) == first
        answer_all(service, enrolled(service))
        second = assay.run_study(tmp_path / "study.toml", tmp_path / "out")
        assert not second.failures and str(second.parts["health"]) != first


def test_the_step_annotate_names_the_data_and_reports_it(tmp_path: Path) -> None:
    with served(str(tmp_path / "protocol.sqlite")) as service:
        (tmp_path / "study.toml").write_text('[annotate]\nprotocol = "protocol.toml"\n[health]\n')
        before = assay.run_study(tmp_path / "study.toml", tmp_path / "out")
        assert not before.failures and before.parts["annotate"].summary.startswith("0 of 8 answers")
        answer_all(service, enrolled(service))
        now = assay.run_study(tmp_path / "study.toml", tmp_path / "out")
        assert now.parts["annotate"].summary.startswith("4 of 8 answers")
        assert [one.name for one in now.parts["annotate"].tables][:2] == [
            "collected progress",
            "collected annotators at work",
        ]
        assert "Human judgment" in now.report.read_text("utf-8")
    proposed = assay.init(tmp_path / "protocol.sqlite", folder=tmp_path)
    assert "[annotate]\nstore = " in proposed and "\ndata = " not in proposed
    (tmp_path / "proposed.toml").write_text(proposed)
    assert not assay.run_study(tmp_path / "proposed.toml", tmp_path / "out").failures


def test_texts_kept_for_the_export_are_verified(tmp_path: Path) -> None:
    with served(str(tmp_path / "s.sqlite")) as service:
        assert service.verify() == []
        more = 'title = "More"', "1" * 64, Rules(judgments_per_unit=3, page_size=2)
        added = data()
        service.amend(*more, [Unit("o9", "output", {"output": "o9"})], data=added)
        assert service.verify() == []
        change = 'UPDATE record SET body = replace(body, \'"id":"o0a"\', \'"id":"o0c"\')'
        service._store.write(lambda tx: tx.run(change)).result()
        assert service.verify() == ["the 4 texts kept for the export were changed."]


def test_texts_of_an_older_assay_have_no_hash_and_those_added_since_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = study.record

    def unhashed(tx: Any, kind: str, *about: Any, **more: Any) -> None:
        if kind != study.RECORDS_ADDED:
            record(tx, kind, *about, **more)

    with monkeypatch.context() as older:
        older.setattr(study, "record", unhashed)
        service = served(str(tmp_path / "s.sqlite"))
    with service:
        more = 'title = "More"', "1" * 64, Rules(judgments_per_unit=3, page_size=2)
        lines = [{"id": name, "item": "i", "system": "s", "text": "t"} for name in ("new", "newer")]
        units = [Unit(line["id"], "output", {"output": line["id"]}) for line in lines]
        service.amend(*more, units, data=Dataset.from_records(lines))
        assert service.verify() == []
        service._store.write(lambda tx: tx.run("UPDATE record SET body = '{}' WHERE number = 6")).result()
        assert service.verify() == ["the 2 texts kept for the export were changed."]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[annotate]\n", r"line 1: \[annotate\]: name the study of annotators"),
        ('data = "x.jsonl"\n[annotate]\nstore = "s.sqlite"\n', r"line 1: \[annotate\] says where the data is"),
        ('[annotate]\nstore = "s.jsonl"\n', "Name an SQLite file"),
        ('[annotate]\nprotocol = "p.sqlite"\n', "Name the TOML file"),
        ('[annotate]\nstore = "none.sqlite"\n', "none.sqlite: no such store"),
    ],
)
def test_mistakes_in_the_table(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "study.toml").write_text(text)
    with pytest.raises(DataError, match=message):
        assay.run_study(tmp_path / "study.toml", tmp_path / "out")


def test_what_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        assay.load(tmp_path / "none.sqlite")
    (tmp_path / "text.sqlite").write_text("no database " * 1000)
    with pytest.raises(DataError, match=r"text\.sqlite: not the store of a study"):
        assay.load(tmp_path / "text.sqlite")
    with pytest.raises(DataError, match="cannot be read as the store") as failed:
        assay.load(f"postgresql://me:secret@localhost:1/none?host={tmp_path}")
    assert "secret" not in str(failed.value)
