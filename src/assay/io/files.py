"""Load and save datasets by file name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io.aligned import read_aligned
from assay.io.catalogue import PREFIX, entry
from assay.io.criteria import read_criteria
from assay.io.folder import is_folder_of_tables, read_folder, table_files, write_folder
from assay.io.frames import from_frame, is_frame
from assay.io.mapping import read_column_map
from assay.io.mapping.read import mapped_dataset, no_text
from assay.io.parts import DataParts, is_folder_of_parts
from assay.io.paths import existing, is_file
from assay.io.places import PACKED, STDIN, expanded, stem, unpacked
from assay.io.score_parts import is_score_folder
from assay.io.score_tables import describes_scores
from assay.io.special.annotations import annotation_files, is_annotations, read_annotations
from assay.io.special.formats import OTHER_ENDINGS, read_file, read_foreign_rows, write_file, written_endings
from assay.io.special.helm import SPEC, STATE, STATISTICS, helm_runs, read_helm
from assay.io.special.hugging_face import dataset_files, dataset_rows, is_dataset_folder
from assay.io.special.judgment_stores import ENDING as STORE
from assay.io.special.judgment_stores import is_database, is_store, read_store
from assay.io.special.lm_eval import are_sample_logs, read_lm_eval_folder, read_lm_eval_logs, sample_logs
from assay.io.special.potato import potato_files, potato_rows
from assay.io.special.rowwise import format_of_row
from assay.io.special.wmt import is_wmt_folder, read_wmt, wmt_files
from assay.io.tabular import READABLE
from assay.io.tabular.rows import Row, first_rows
from assay.records import Dataset
from assay.records.joined import join
from assay.records.selected import select_named

# How a mapping is given: `field=column,...`, a TOML file, the name of a bundled mapping, or a table.
GivenMapping = str | Path | Mapping[str, Any]


@dataclass(frozen=True)
class Given:
    """What to load, as a command line says it: files, or aligned texts, with a mapping and a selection of systems."""

    paths: tuple[str, ...]
    mapping: GivenMapping | None = None
    hypotheses: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    format: str | None = None
    keep_worker_ids: bool = False

    def __str__(self) -> str:
        return ", ".join(self.paths or self.hypotheses)

    @property
    def path(self) -> str | None:
        """The only path, if there is one and nothing says how to read it: it may be a table of scores."""
        return self.paths[0] if len(self.paths) == 1 and self.mapping is None else None

    def load(self) -> Dataset:
        """Load and select."""
        if self.hypotheses:
            dataset = read_aligned(self.hypotheses, self.references)
        else:
            dataset = _load(list(self.paths), self.format, self.mapping, self.keep_worker_ids)
        return select_named(dataset, self.systems, self.exclude)


def load(
    path: str | Path | Any,
    format: str | None = None,
    mapping: GivenMapping | None = None,
    *,
    keep_worker_ids: bool = False,
    criteria: str | Path | None = None,
) -> Dataset:
    """Read a dataset from a file, a folder, standard input (`-`) or, as `data:NAME`, from the catalogue.

    Several paths, or a pattern such as `runs/*.jsonl`, are read together: a file's stem is its system where none is
    given. A `.sqlite` file or a `postgresql://` address is a study of `assay annotate`, read as it stands now. A pandas
    or polars DataFrame, or a pyarrow Table, with a row per output works too. Compressed files (`.gz`,
    `.zst`) are read as they are.

    Args:
        path: what to read.
        format: the format, detected from the ending and the header unless given.
        mapping: which columns are texts, names and judgments: `text=response,item=prompt_id`, a TOML file, or the same
            as a dictionary; for an MTurk batch, a TOML file with its pages, or the name of a bundled mapping.
        keep_worker_ids: keep the annotator ids of annotation platforms, which are replaced by numbers otherwise.
        criteria: a TOML file that declares criteria, one table each.
    """
    if isinstance(path, Given):
        dataset = path.load()
    else:
        dataset = _load(path, format, mapping, keep_worker_ids)
    return dataset if criteria is None else dataset.with_criteria(read_criteria(criteria))


def _load(path: Any, format: str | None, mapping: GivenMapping | None, keep_worker_ids: bool) -> Dataset:
    if is_frame(path):
        return from_frame(path, mapping)
    if isinstance(path, list | tuple) and all(isinstance(one, str | Path) for one in path):
        paths = [name for one in path for name in _named(one)]
    elif isinstance(path, str | Path):
        paths = _named(path)
    else:
        raise DataError(
            f"a {type(path).__name__} cannot be loaded. Pass a path, a DataFrame, or records to Dataset.from_records."
        )
    if not paths:
        raise DataError("no files. Name at least one.")
    if len(paths) == 1:
        return _load_one(paths[0], format, mapping, keep_worker_ids)
    repeated = sorted({name for name in paths if paths.count(name) > 1})
    if repeated:
        raise DataError(f"{repeated[0]} is given twice. Name each file once.")
    files = [unpacked(name) for name in paths]
    if format in (None, "lm-eval") and mapping is None and are_sample_logs(files):
        return read_lm_eval_logs(files)
    datasets = [_load_one(name, format, mapping, keep_worker_ids) for name in paths]
    if mapping is None:
        _check_aligned(files, datasets)
    return join(datasets, _short_names(paths))


def _check_aligned(files: Sequence[Path], datasets: Sequence[Dataset]) -> None:
    """Without item, context and id, items are lines: files of such lines are aligned only if they are equally long."""
    unnamed = {
        file: len(data)
        for file, data in zip(files, datasets, strict=True)
        if file.suffix.lower() in READABLE
        and not any({"item", "context", "id"} & set(row) for _, row in first_rows(file, 1))
    }
    if len(set(unnamed.values())) > 1:
        sizes = ", ".join(f"{file.name} has {n} outputs" for file, n in unnamed.items())
        raise DataError(f"{sizes}, and no line names its item, so lines cannot be matched. Give each an item.")


def _named(path: str | Path) -> list[str]:
    return [str(path)] if str(path).startswith(PREFIX) or is_database(path) else expanded(str(path))


def _short_names(paths: Sequence[str]) -> list[str]:
    """The stems of files, with their folders if stems repeat."""
    stems = [stem(path) if path != STDIN else "stdin" for path in paths]
    return stems if len(set(stems)) == len(stems) else [f"{Path(path).parent.name}/{stem(path)}" for path in paths]


def _load_one(path: str | Path, format: str | None, mapping: GivenMapping | None, keep_worker_ids: bool) -> Dataset:
    if is_database(path):
        return read_store(path)
    if str(path).startswith(PREFIX):
        listed = entry(str(path))
        path = listed.existing_file()
        format, mapping = format or listed.format, mapping or listed.mapping
    path = existing(unpacked(path))
    if is_annotations(path) and not is_folder_of_tables(path):
        return read_annotations(path)
    if path.is_dir():
        return _load_folder(path, mapping, keep_worker_ids)
    if is_store(path):
        return read_store(path)
    if path.suffix.lower() not in (*READABLE, *OTHER_ENDINGS):
        _refuse_scores(path)
        known = ", ".join((*READABLE, *OTHER_ENDINGS, STORE, *PACKED))
        if path.suffix.lower() in (".txt", ""):
            raise DataError(
                f"{path}: texts, one per line, are given as --hyp {path} (and their references as --ref FILE). "
                f"Other files are read by their ending, one of {known}."
            )
        raise DataError(f"{path}: files are read by their ending, one of {known}. Rename it.")
    try:
        return read_file(path, format, mapping, keep_worker_ids=keep_worker_ids)
    except DataError:
        _refuse_scores(path)
        raise
    except OSError as error:
        why = error.strerror or str(error)
        raise DataError(f"{path}: cannot be read ({why}). Check the name and its permissions.") from None


def _load_folder(path: Path, mapping: GivenMapping | None, keep_worker_ids: bool) -> Dataset:
    if is_folder_of_tables(path):
        return read_folder(path)
    if sample_logs(path):
        return read_lm_eval_folder(path)
    if helm_runs(path):
        return read_helm(path)
    if is_wmt_folder(path):
        return read_wmt(path)
    if potato_files(path):
        return read_foreign_rows(potato_rows(path), "potato", path, keep_worker_ids=keep_worker_ids)
    if is_dataset_folder(path):
        return _load_rows(dataset_rows(path), path, mapping, keep_worker_ids)
    if is_score_folder(path):
        raise DataError(f"{path}: a folder of scores, without texts. meta, compare, power and replay take it.")
    if is_folder_of_parts(path):
        return DataParts.find(path).load()
    raise DataError(f"{path}: a folder without an outputs table. Name a file, or a folder with outputs.jsonl.")


def _load_rows(rows: Sequence[Row], path: Path, mapping: GivenMapping | None, keep_worker_ids: bool) -> Dataset:
    """Read rows by a mapping, as a known format, or as a flat file."""
    if mapping is not None:
        return mapped_dataset(rows, read_column_map(mapping), path.name, path.name)
    first = rows[0][1] if rows else {}
    known = format_of_row(first)
    if known is not None:
        return read_foreign_rows(rows, known, path, keep_worker_ids=keep_worker_ids)
    if rows and not any("text" in row for _, row in rows):
        raise no_text(path, first, rows)
    return Dataset.from_records([dict(row) for _, row in rows], path.name, default_system=path.name)


def _refuse_scores(path: Path) -> None:
    """Raise a clearer error if a file that is not a dataset is a score table."""
    if describes_scores(path):
        raise DataError(
            f"{path}: a table of scores, without texts and votes. meta, compare, power and replay take it; "
            "for anything else give the data that was scored."
        ) from None


def data_files(path: Path) -> list[Path]:
    """The files that `load` reads for this path."""
    if is_annotations(path) and not is_folder_of_tables(path):
        return annotation_files(path)
    if not path.is_dir():
        return [path]
    if is_dataset_folder(path):
        return dataset_files(path)
    runs = [run / name for run in helm_runs(path) for name in (STATE, STATISTICS, SPEC) if is_file(run / name)]
    return table_files(path) or sample_logs(path) or runs or potato_files(path) or wmt_files(path)


def check_data_path(path: str | Path, format: str = "flat") -> None:
    """Raise now if `save` could not write a dataset to this path later, after long work."""
    path = Path(path)
    endings = written_endings(format)
    if path.suffix and path.suffix.lower() not in endings:
        raise DataError(
            f"{path}: files are written by their ending, one of {', '.join(endings)}; "
            "a path without an ending is a folder of tables."
        )
    if not path.absolute().parent.is_dir():
        raise DataError(f"{path.absolute().parent}: no such folder. Make it first.")


def save(dataset: Dataset, path: str | Path, format: str = "flat") -> None:
    """Write a dataset to a file, or to a folder of tables if the path has no suffix."""
    check_data_path(path, format)
    path = Path(path)
    if path.suffix:
        write_file(dataset, path, format)
    elif format != "flat":
        raise DataError(f"{path}: a folder of tables has no other format. Name a file for {format}.")
    else:
        write_folder(dataset, path)
