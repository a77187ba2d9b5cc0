"""Connected components: what shares a code in any of several codings belongs together."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def connected(codes: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the number of the component of each row, by first appearance; each coding has a code per row, from 0."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(codes[0])
    rows, columns, size = [], [], n
    for coding in codes:
        rows.append(np.arange(n))
        columns.append(size + coding)
        size += int(coding.max(initial=-1)) + 1
    edges = (np.ones(n * len(codes), np.int8), (np.concatenate(rows), np.concatenate(columns)))
    return connected_components(coo_array(edges, shape=(size, size)), directed=False)[1][:n].astype(np.int64)
