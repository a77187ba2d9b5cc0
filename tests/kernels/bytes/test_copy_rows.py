import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels.bytes.copy_rows import copy_rows


@given(rows=st.lists(st.binary(max_size=6), max_size=6), gap=st.integers(0, 3))
def test_rows_are_copied_to_their_positions(rows: list[bytes], gap: int) -> None:
    source = np.frombuffer(bytearray(b"".join(rows)), np.uint8)
    lengths = np.array([len(row) for row in rows], np.int64)
    starts = np.cumsum(lengths) - lengths
    places = starts + gap * np.arange(len(rows))
    target = np.zeros(int(lengths.sum()) + gap * len(rows), np.uint8)
    copy_rows(source, starts, lengths, target, places)
    assert target.tobytes() == b"".join(row + b"\0" * gap for row in rows)
