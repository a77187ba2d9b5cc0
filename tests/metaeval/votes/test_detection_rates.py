"""Intervals of detection hold their rate where annotators differ, judge many pages, and some far more than others."""

from math import isnan

import numpy as np
import pytest

from assay import Dataset
from assay.metaeval.votes.detection import EVEN, Detection

N_TEXTS, VOTES = 20, 5
MEAN, OF_ANNOTATOR, OF_PAGE, OF_TEXT = 0.8, 0.5, 0.3, 0.8


def study(rng: np.random.Generator, annotators: int, pages: int, *, heavy: bool, votes: int = VOTES) -> Detection:
    """Pages of human and generated texts; an annotator is good at one of the two, and not so good at the other."""
    weights = rng.pareto(1.5, annotators) + 0.2 if heavy else np.ones(annotators)
    skill = rng.normal(0, OF_ANNOTATOR, (annotators, 2))
    rows = []
    for page in range(pages):
        chosen = rng.choice(annotators, votes, replace=False, p=weights / weights.sum())
        here = rng.normal(0, OF_PAGE)
        for text in range(N_TEXTS):
            human = text % 2 == 0
            latent = MEAN + here + rng.normal(0, OF_TEXT) + skill[chosen, int(human)] + rng.normal(size=votes)
            given = [
                {"annotator": f"a{who}", "criterion": "real", "value": int(right == human)}
                for who, right in zip(chosen, latent > 0, strict=True)
            ]
            system = "people" if human else "bot"
            rows.append(
                {"item": f"p{page}", "text": f"{page} {text}", "system": system, "human": human, "judgments": given}
            )
    return Detection(Dataset.from_records(rows), "real")


def test_majorities_vary_with_annotators_too() -> None:
    """Two annotators of opposite skill decide majorities on many pages: pages alone do not show it."""
    detection = study(np.random.default_rng(1), 20, 30, heavy=False)
    together = detection.together
    both = together.share(together.human, 0.95)
    pages = type(together)(together.right, together.human, together.system, together.clusters).share(
        together.human, 0.95
    )
    assert both.value == pages.value
    assert both.high - both.low > 1.2 * (pages.high - pages.low)


def test_majorities_of_an_even_number_of_votes_have_a_reason() -> None:
    rates = study(np.random.default_rng(1), 8, 6, heavy=False, votes=4).together.rates(0.95)
    assert rates.accuracy.reason == EVEN and isnan(rates.accuracy.low) and not isnan(rates.accuracy.value)


@pytest.mark.slow
@pytest.mark.parametrize("heavy", [False, True])
def test_intervals_hold_their_rate(heavy: bool) -> None:
    many = study(np.random.default_rng(5), 3_000, 600, heavy=False)
    truth = [float(answers.right[answers.human].mean()) for answers in (many.single, many.together)]
    rng = np.random.default_rng(2)
    covered = np.zeros(2)
    n = 150
    for _ in range(n):
        detection = study(rng, 20, 20, heavy=heavy)
        for at, answers in enumerate((detection.single, detection.together)):
            estimate = answers.share(answers.human, 0.95)
            covered[at] += estimate.low <= truth[at] <= estimate.high
    assert (covered / n > 0.87).all() and (covered / n <= 0.99).all(), covered / n
