import numpy as np
import pytest

from assay.kernels.statistics.rank import order_within


@pytest.mark.parametrize("seed", range(5))
def test_each_segment_is_sorted_separately(seed):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 9, 30)
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    values = rng.integers(0, 4, offsets[-1]).astype(float)
    expected = np.lexsort((values, np.repeat(np.arange(30), lengths)))
    assert order_within(offsets, values).tolist() == expected.tolist()
