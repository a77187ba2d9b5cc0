"""Column mappings: which columns of a foreign file are texts, names and judgments."""

from assay.io.mapping.apply import mapped_records
from assay.io.mapping.columns import ColumnMap, read_column_map

__all__ = ["ColumnMap", "mapped_records", "read_column_map"]
