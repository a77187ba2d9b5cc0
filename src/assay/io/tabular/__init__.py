"""Tables as files: JSON lines, CSV, TSV and Parquet, read in chunks and written row by row.

The meaning of columns is defined elsewhere. Here a column has a kind, which defines how its values are written.
"""

from assay.io.tabular.formats import ENDINGS, READABLE, read_chunks, write_rows
from assay.io.tabular.kinds import Chunk, Kinds, Problem

__all__ = ["ENDINGS", "READABLE", "Chunk", "Kinds", "Problem", "read_chunks", "write_rows"]
