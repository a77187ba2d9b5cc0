"""Mechanical Turk batch results: a row per assignment, several texts per page, read through a mapping.

The mapping (`assay.io.special.mturk_mapping`) defines which columns are texts and which are answers. Unless the caller
keeps them, worker ids become `annotator-0001`, `annotator-0002` ... by first appearance in the file, which cannot be
undone without the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io.special.mturk_mapping import Mapping
from assay.io.tabular.cells import Cells, read_cells
from assay.records import Dataset
from assay.records.columns import number_in


def read_mturk(path: Path, mapping: Mapping, *, keep_worker_ids: bool = False) -> Dataset:
    """Read the texts of all pages, and the answers of valid assignments."""
    cells = read_cells(path, short_rows=True)
    _check_columns(cells, mapping)
    reader = _PageReader(cells, mapping)
    workers = _annotators(cells.columns[mapping.worker], keep_worker_ids)
    for row in range(len(cells)):
        reader.add_texts(row)
        if reader.is_valid(row):
            reader.add_answers(row, workers[row])
    if reader.problems:
        raise DataError(reader.problems)
    records = reader.records.values()
    dataset = Dataset.from_records(records, path.name, lines=reader.lines, default_system=path.stem)
    return dataset.with_criteria(mapping.criteria)


class _PageReader:
    """Collects one record per text; all rows of a page must have the same texts."""

    def __init__(self, cells: Cells, mapping: Mapping) -> None:
        self.records: dict[str, dict[str, Any]] = {}
        self.lines: list[int] = []
        self.problems: list[str] = []
        self._columns = cells.columns
        self._cells = cells
        self._mapping = mapping
        self._extra = {name: cells.kept(column) for name, column in mapping.judgment_columns.items()}

    def add_texts(self, row: int) -> None:
        """Add the texts on the page of this row, unless already present."""
        for index in self._shown(row):
            record = self._record(row, index)
            earlier = self.records.get(record["id"])
            if earlier is None:
                self.records[record["id"]] = record | {"judgments": []}
                self.lines.append(self._cells.lines[row])
            elif any(earlier.get(name) != value for name, value in record.items()):
                self._problem(row, f"text {index} of the page differs from an earlier line of this page.")

    def is_valid(self, row: int) -> bool:
        """Whether the answers of this row count, by the [valid] columns and the attention check."""
        mapping = self._mapping
        if any(self._columns[column][row] not in allowed for column, allowed in mapping.valid.items()):
            return False
        check = self._check_position(row)
        if check is None or mapping.check is None:
            return True
        return self._columns[mapping.check.answer_column.replace("{i}", str(check))][row] == mapping.check.answer

    def add_answers(self, row: int, annotator: str) -> None:
        """Add the non-empty answers of one assignment."""
        columns = {name: values[row] for name, values in self._extra.items() if values[row] not in ("",)}
        columns = {name: value for name, value in columns.items() if value == value}
        for index in self._shown(row):
            for answers in self._mapping.answers:
                answer = self._columns[answers.column.replace("{i}", str(index))][row]
                if answer == "":
                    continue
                if answers.values and answer not in answers.values:
                    self._problem(
                        row, f"the answer {answer!r} has no value in the mapping. Add it to {answers.column}."
                    )
                    continue
                value = answers.values.get(answer, number_in(answer))
                judgment: dict[str, Any] = {"annotator": annotator, "criterion": answers.criterion}
                judgment |= {"value": answer if value is None else value}
                self.records[self._id(row, index)]["judgments"].append(judgment | columns)

    def _shown(self, row: int) -> list[int]:
        check = self._check_position(row)
        return [index for index in range(self._mapping.texts) if index != check]

    def _check_position(self, row: int) -> int | None:
        if self._mapping.check is None:
            return None
        cell = self._columns[self._mapping.check.position_column][row]
        if not cell.isdecimal() or int(cell) >= self._mapping.texts:
            self._problem(row, f"{self._mapping.check.position_column} is {cell!r}, not the number of a text.")
            return None
        return int(cell)

    def _id(self, row: int, index: int) -> str:
        own = self._mapping.text_fields.get("id")
        if own is not None:
            return str(self._columns[own.replace("{i}", str(index))][row])
        return f"{self._columns[self._mapping.page][row]}-{index}"

    def _record(self, row: int, index: int) -> dict[str, Any]:
        mapping = self._mapping
        cell = {
            name: self._columns[column.replace("{i}", str(index))][row] for name, column in mapping.text_fields.items()
        }
        page = str(self._columns[mapping.page][row])
        record: dict[str, Any] = {"id": self._id(row, index), "text": cell["text"], "page": page}
        if "system" in cell:
            record["system"] = mapping.system_names.get(cell["system"], cell["system"])
            record["human"] = record["system"] in mapping.people
        for name in ("context", "item"):
            if cell.get(name):
                record[name] = cell[name]
        if cell.get("logprob"):
            record |= self._logprob(row, cell["logprob"], record.get("system", ""))
        return record

    def _logprob(self, row: int, cell: str, system: str) -> dict[str, Any]:
        value = number_in(cell)
        if value is None:
            self._problem(row, f"the log-probability {cell!r} is not a number.")
            return {}
        return {"logprobs": {self._mapping.logprob_system or system: value}}

    def _problem(self, row: int, text: str) -> None:
        problem = f"{self._cells.source} line {self._cells.lines[row]}: {text}"
        if problem not in self.problems[-1:]:
            self.problems.append(problem)


def _check_columns(cells: Cells, mapping: Mapping) -> None:
    for column in mapping.columns():
        cells.column(column, "the mapping")


def _annotators(workers: Any, keep: bool) -> list[str]:
    if keep:
        return list(workers)
    numbers = {worker: number for number, worker in enumerate(dict.fromkeys(workers), 1)}
    return [f"annotator-{numbers[worker]:04d}" for worker in workers]
