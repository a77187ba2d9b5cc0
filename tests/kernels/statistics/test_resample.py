import numpy as np
import pytest
from scipy import stats

from assay.kernels.statistics import intervals
from assay.kernels.statistics.resample import (
    BLOCK,
    blocks,
    bootstrap_counts,
    leave_one_out,
    map_blocks,
    swaps,
    without_replacement,
)


def draw(block):
    return bootstrap_counts(block.rng(0), block.size, 50)


def test_any_number_of_workers_gives_the_same_bits():
    one, two, five = (np.concatenate(map_blocks(draw, 300, 11, workers=w)) for w in (1, 2, 5))
    assert (one == two).all()
    assert (one == five).all()
    assert one.shape == (300, 50)
    assert (one.sum(axis=1) == 50).all()


def test_the_first_resamples_do_not_depend_on_how_many_follow():
    few = np.concatenate(map_blocks(draw, BLOCK + 5, 11))
    many = np.concatenate(map_blocks(draw, 4 * BLOCK, 11))
    assert (few == many[: len(few)]).all()


def test_seeds_blocks_and_purposes_differ():
    first, second = blocks(2 * BLOCK, 1)
    other = blocks(BLOCK, 2)[0]
    drawn = [block.rng(purpose).integers(2**60) for block in (first, second, other) for purpose in (0, 1)]
    assert len(set(drawn)) == 6


def test_counts_and_swaps_are_fair():
    rng = np.random.default_rng(0)
    counts = bootstrap_counts(rng, 4000, 10)
    assert counts.mean(axis=0) == pytest.approx(np.ones(10), abs=0.06)
    assert counts.var() == pytest.approx(0.9, abs=0.03)
    assert swaps(rng, 4000, 6).mean(axis=0) == pytest.approx(np.full(6, 0.5), abs=0.04)
    assert bootstrap_counts(rng, 3, 0).shape == (3, 0)


def test_every_choice_without_replacement_is_equally_likely():
    drawn = without_replacement(np.random.default_rng(0), 6000, 4, 2)
    assert (drawn.sum(axis=1) == 2).all()
    kinds, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(kinds) == 6
    assert stats.chisquare(counts).pvalue > 0.001
    assert (without_replacement(np.random.default_rng(0), 3, 4, 4) == 1).all()


def test_leave_one_out_drops_a_group_at_a_time():
    weights = leave_one_out(np.array([0, 1, 0, 2]), 3, 0, 9)
    assert weights.tolist() == [[0, 1, 0, 1], [1, 0, 1, 1], [1, 1, 1, 0]]


def test_percentile_counts_undefined_resamples():
    values = np.concatenate([np.arange(101.0), [np.nan] * 9])
    assert intervals.percentile(values, 0.9) == pytest.approx((5.0, 95.0, 9))
    assert np.isnan(intervals.percentile(np.array([np.nan, np.nan, 1.0])).low)


@pytest.mark.parametrize("statistic", [np.mean, np.var, np.median])
def test_bca_equals_scipys_on_the_same_resamples(statistic):
    rng = np.random.default_rng(4)
    data = rng.exponential(size=40)
    peer = stats.bootstrap((data,), statistic, n_resamples=2000, method="BCa", rng=np.random.default_rng(9))
    jackknife = np.array([statistic(np.delete(data, i)) for i in range(40)])
    ours = intervals.bca(peer.bootstrap_distribution, statistic(data), [jackknife])
    # same bias and acceleration; the quantile rules may differ by one resample
    spread = np.ptp(peer.bootstrap_distribution) / 200
    assert ours.low == pytest.approx(peer.confidence_interval.low, abs=spread)
    assert ours.high == pytest.approx(peer.confidence_interval.high, abs=spread)


def test_bca_is_undefined_when_nothing_varies():
    assert np.isnan(intervals.bca(np.ones(10), 1.0, [np.ones(5)]).low)
    assert np.isnan(intervals.bca(np.arange(10.0), 99.0, [np.arange(5.0)]).low)
