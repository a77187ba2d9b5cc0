"""Arrow files and streams, as the Hugging Face library datasets writes them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np

from assay.errors import DataError
from assay.io.arrow import arrow
from assay.io.tabular.arrow_columns import column_from_arrow
from assay.io.tabular.kinds import Chunk, Problem, kind_of
from assay.io.tabular.rows import arrow_batches
from assay.io.tabular.separated import unique_header
from assay.io.tabular.strict_json import Unusable


def read(path: Path, problem: Problem, known: Collection[str]) -> Iterator[Chunk]:
    """Read the record batches; row numbers serve as line numbers."""
    pa = arrow()
    done = 0
    try:
        for batch in arrow_batches(path):
            names = unique_header(path, list(batch.schema.names))
            lines = list(range(done + 1, done + batch.num_rows + 1))
            columns = {
                name: column_from_arrow(column, name, kind_of(name, known), lines, problem)
                for name, column in zip(names, batch.columns, strict=True)
            }
            yield Chunk(columns, np.array(lines, np.int64))
            done += batch.num_rows
    except Unusable as error:
        raise DataError(f"{path.name}: {error}") from None
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(f"{path}: not a readable Arrow file ({why}). It may be damaged: make it again.") from None
