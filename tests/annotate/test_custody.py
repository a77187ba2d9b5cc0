"""Backups, restoring into either kind of store, and versions of the tables."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.annotate.custody import backup, restore
from assay.annotate.records import StoreError
from assay.annotate.service import Rules, Service
from assay.annotate.store.migrate import STEPS, migrate
from assay.annotate.store.sqlite import reading
from assay.errors import DataError
from tests.annotate.studies import answer, answer_all, enrolled, page_of, study

RULES = Rules(judgments_per_unit=2, page_size=3)


def test_a_backup_of_a_served_study_is_restored(fresh_store: Callable[[], str], tmp_path: Path) -> None:
    url = fresh_store()
    with study(url, RULES) as service:
        one = enrolled(service)
        open_page = page_of(service, one)
        enrolled(service)
        service.forget("a2")
        backup(url, tmp_path / "backup.sqlite")
        answer(service, one, open_page)  # not in the backup
        expected = service.progress().units
    other = fresh_store()
    restore(tmp_path / "backup.sqlite", other)
    with Service.open(other, clock=lambda: 1001.0) as service:
        assert service.verify() == [] and not list(service.judgments())
        assert page_of(service, one) == open_page
        answer(service, one, open_page)
        assert service.progress().units == expected
        assert enrolled(service) == "a3"  # a2 was somebody, who is forgotten
    with pytest.raises(StoreError, match=r"exists|holds a study"):
        restore(tmp_path / "backup.sqlite", other)


def test_a_damaged_backup_is_refused(tmp_path: Path) -> None:
    with study(tmp_path / "s.sqlite", RULES) as service:
        answer_all(service, enrolled(service))
        service._store.write(lambda tx: tx.run("UPDATE judgment SET value = '5.0' WHERE assignment = 1")).result()
        service.backup(tmp_path / "b.sqlite")
    with pytest.raises(StoreError, match=r"(?s)not restored.*judgments of page 1 of a1 were changed"):
        restore(tmp_path / "b.sqlite", str(tmp_path / "new.sqlite"))
    assert not (tmp_path / "new.sqlite").exists()


def test_a_backup_cannot_go_where_there_is_no_folder(tmp_path: Path) -> None:
    with study(tmp_path / "s.sqlite", RULES) as service, pytest.raises(DataError, match="cannot write"):
        service.backup(tmp_path / "none" / "b.sqlite")


def test_tables_of_other_versions(fresh_store: Callable[[], str]) -> None:
    older = "UPDATE study SET schema_version = 1"
    steps = {**STEPS, 2: ["ALTER TABLE unit ADD COLUMN weight REAL"], 3: ["UPDATE unit SET weight = 1.5"]}
    with study(fresh_store(), RULES) as service:
        write = lambda operation: service._store.write(operation).result()  # noqa: E731
        write(lambda tx: tx.run(older))
        assert write(lambda tx: migrate(tx, 2000.0, steps=steps, wanted=4)) == 1
        assert write(lambda tx: migrate(tx, 2000.0, steps=steps, wanted=4)) == 4
        assert service._store.read(lambda tx: tx.one("SELECT min(weight) FROM unit")) == (1.5,)
        assert service.verify() == []
        with pytest.raises(StoreError, match="version 4, and this assay knows 2"):
            write(lambda tx: migrate(tx, 2000.0))


def test_reading_what_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "text.sqlite").write_text("no database " * 1000)
    with pytest.raises(StoreError, match="not the store of a study"), reading(tmp_path / "text.sqlite") as tx:
        tx.all("SELECT * FROM study")
