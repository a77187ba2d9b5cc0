"""Texts that may not be neighbors: the text itself, those of its item, or those of its system."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.kernels.pairs.sparse_rows import SparseRows

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Texts that share a code in any of `groups` are not neighbors. Rows and columns are the same texts.

    `bank` marks the texts that may be neighbors at all (a subsample of the training texts).
    """

    groups: tuple[Codes, ...]
    bank: NDArray[np.bool_] | None = None

    @classmethod
    def itself(cls, n: int, bank: NDArray[np.bool_] | None = None) -> HeldOut:
        """Leave-one-out, as in the paper."""
        return cls((np.arange(n),), bank)

    def kept(self, rows: SparseRows, first: int = 0) -> NDArray[np.bool_]:
        """Whether the column of each entry may be used, for a block that starts at row `first`."""
        row_of = rows.rows + first
        allowed = np.ones(len(rows.columns), bool) if self.bank is None else self.bank[rows.columns]
        for codes in self.groups:
            allowed &= codes[row_of] != codes[rows.columns]
        return allowed

    def n_train(self) -> NDArray[np.int64]:
        """The number of other texts that each text may use."""
        n = len(self.groups[0])
        bank = np.ones(n, bool) if self.bank is None else self.bank
        n_allowed = np.full(n, int(bank.sum()))
        # Inclusion-exclusion over the groups that a text shares with others.
        for chosen in range(1, 1 << len(self.groups)):
            members = [codes for place, codes in enumerate(self.groups) if chosen >> place & 1]
            joint = np.unique(np.stack(members), axis=1, return_inverse=True)[1].ravel()
            shared = np.bincount(joint[bank], minlength=int(joint.max(initial=0)) + 1)[joint]
            n_allowed += shared if len(members) % 2 == 0 else -shared
        return n_allowed
