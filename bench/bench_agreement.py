"""Agreement: bootstrap of alpha against krippendorff, Dawid-Skene against crowd-kit."""

import os
import warnings

import numpy as np

from assay.io import load
from assay.kernels.statistics.resample import Block, bootstrap_counts
from assay.kernels.votes.agreement import fleiss_kappa, krippendorff_alpha
from assay.kernels.votes.dawid_skene import dawid_skene
from assay.metaeval.votes.votes import Votes, votes_of
from bench.table import Row, best_cpu

N_RESAMPLES = 1000
N_PEER = 20  # resamples timed for the peer, then scaled


def rows() -> list[Row]:
    if "ASSAY_DATA" not in os.environ:
        return []
    votes = votes_of(load("data:judges/reviews"), "real")
    return [_alpha_bootstrap(votes), _fleiss_bootstrap(votes), _dawid_skene(votes)]


def _alpha_bootstrap(votes: Votes) -> Row:
    import krippendorff

    counts, self_pairs = votes.counts()
    weights = _weights(votes)

    def ours() -> np.ndarray:
        return krippendorff_alpha(counts, self_pairs, weights, votes.values, "ordinal")

    def peer() -> list[float]:
        return [
            krippendorff.alpha(value_counts=np.repeat(counts, row, axis=0), level_of_measurement="ordinal")
            for row in weights[:N_PEER]
        ]

    gap = np.abs(ours()[:N_PEER] - peer()).max()
    seconds = best_cpu(peer, 2) * N_RESAMPLES / N_PEER
    return Row(
        f"Krippendorff's alpha, ordinal, {N_RESAMPLES} resamples of {votes.n_units} units",
        "krippendorff",
        seconds,
        best_cpu(ours, 3),
        f"largest difference {gap:.0e}; the peer's time is for {N_PEER}, times {N_RESAMPLES // N_PEER}",
    )


def _fleiss_bootstrap(votes: Votes) -> Row:
    from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_kappa

    counts, self_pairs = votes.counts()
    five = votes.per_unit == 5
    counts, self_pairs, weights = counts[five], self_pairs[five], _weights(votes)[:, five]

    def ours() -> np.ndarray:
        return fleiss_kappa(counts, self_pairs, weights)

    def peer() -> list[float]:
        return [statsmodels_kappa(np.repeat(counts, row, axis=0)) for row in weights[:N_PEER]]

    gap = np.abs(ours()[:N_PEER] - peer()).max()
    seconds = best_cpu(peer, 2) * N_RESAMPLES / N_PEER
    return Row(
        f"Fleiss' kappa, {N_RESAMPLES} resamples of {len(counts)} units",
        "statsmodels",
        seconds,
        best_cpu(ours, 3),
        f"largest difference {gap:.0e}; the peer's time is for {N_PEER}, times {N_RESAMPLES // N_PEER}",
    )


def _dawid_skene(votes: Votes) -> Row:
    import pandas as pd
    from crowdkit.aggregation import DawidSkene

    shape = (votes.n_units, votes.n_annotators, votes.n_categories)
    frame = pd.DataFrame({"task": votes.unit, "worker": votes.annotator, "label": votes.category})

    def ours() -> np.ndarray:
        return dawid_skene(
            votes.unit, votes.annotator, votes.category, shape, tolerance=0.0, max_iterations=50
        ).posterior

    def peer() -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = DawidSkene(n_iter=50, tol=-np.inf).fit(frame)
        return fitted.probas_.sort_index()[[0, 1]].to_numpy()

    gap = np.abs(ours() - peer()).max()
    return Row(
        f"Dawid-Skene, 50 iterations, {len(votes)} votes of {votes.n_annotators} annotators",
        "crowd-kit",
        best_cpu(peer, 2),
        best_cpu(ours, 3),
        f"largest difference {gap:.0e}",
    )


def _weights(votes: Votes) -> np.ndarray:
    return bootstrap_counts(Block(0, 0, N_RESAMPLES).rng(0), N_RESAMPLES, votes.n_units)
