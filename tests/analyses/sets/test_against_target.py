"""The sentence about metrics of sets, and what backs it."""

from math import nan

from assay.analyses.sets.against_target import followed
from assay.metaeval.questions.contrast import Contrast
from assay.metaeval.questions.correlation import Correlation


def row(name: str, rho: float, p: float, n: int = 100, reason: str = "") -> Correlation:
    low, high = rho - 0.1, rho + 0.1
    levels = ("t", "spearman", "set", "pooled")
    counts = (n, 0, 1.0, n, 1, ("contexts",), 1000, 0, "t", 0.95, 0)
    return Correlation(name, *levels, rho, low, high, p, *counts, reason, "")


def pair(left: str, right: str, p: float) -> Contrast:
    levels = ("t", "spearman", "set", "pooled")
    return Contrast(left, right, *levels, 0.4, 0.3, 0.1, 0.0, 0.2, p, p, "holm", "t", (), 0, 100, "", "")


def test_the_best_metric_is_named_where_it_is_above_all_others() -> None:
    rows = [row("a", 0.6, 1e-6), row("b", 0.3, 1e-3)]
    assert followed(rows, [pair("a", "b", 0.01)], "t") == "a follows t best (rho 0.60 on these sets)."
    assert followed(rows, [pair("a", "b", 0.2)], "t").endswith("but is not clearly above b.")
    assert followed(rows[:1], [], "t") == "a follows t (rho 0.60 on these sets)."


def test_one_of_many_that_is_significant_by_chance_is_not_named() -> None:
    rows = [row(f"m{k}", 0.1, 0.5) for k in range(9)] + [row("lucky", 0.3, 0.02)]
    assert followed(rows, [], "t") == "No metric clearly follows t."
    assert "follows t" in followed(rows[-1:], [], "t")


def test_where_there_is_no_test_there_is_no_claim() -> None:
    why = "4 contexts are too few to draw from, 5 are needed"
    told = followed([row("a", 0.9, nan, reason=f"no interval: {why}")], [], "t")
    assert told == f"Whether a metric follows t is unknown: {why}."
    assert "too few to trust" in followed([row("a", 0.9, 0.001, n=5)], [], "t")
    assert followed([row("a", nan, nan)], [], "t").startswith("No metric can be compared with t")
    assert followed([row("a", -0.9, 1e-9)], [], "t") == "No metric clearly follows t."
