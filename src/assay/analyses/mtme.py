"""Score tables as files of mt-metrics-eval, and back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.errors import AssayError
from assay.io.mtme import is_mtme_folder, read_mtme, write_mtme
from assay.io.score_tables import save_scores
from assay.score_files import load_scores


def mtme(
    scores: str | Path,
    output: str | Path,
    *,
    pair: str | None = None,
    human: Sequence[str] = (),
    reference: str = "all",
    level: str = "seg",
) -> list[str]:
    """Convert a score table to score files, or the other way round; return notes for the reader.

    Args:
        scores: a score table, or a folder SET/metric-scores/PAIR.
        output: the folder of a test set, or a score table.
        pair: the language pair, or other name, of the files to write.
        human: columns of human scores.
        reference: the references of metrics whose name does not tell.
        level: of the scores to read from a folder, seg or sys.
    """
    if is_mtme_folder(scores):
        table = read_mtme(scores, level)
        save_scores(table, output)
        return [f"wrote {len(table)} rows to {output}"]
    if pair is None:
        raise AssayError("name the pair of the score files with --pair, such as --pair en-de.")
    table = load_scores(scores)
    notes = [*table.notes, *write_mtme(table, output, pair, human=human, reference=reference)]
    return [*notes, f"wrote {len(table.columns)} evaluators to {output}"]
