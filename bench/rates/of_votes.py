"""Agreement, annotators, preferences and human diversity scores: intervals, tests and sentences from people's votes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from assay.analyses.agree import FIRM, TENTATIVE, verdict
from assay.metaeval.estimate import Estimate
from assay.metaeval.questions.question import Resampling
from assay.metaeval.sets.human_diversity import score_of_set
from assay.metaeval.votes.agreement import AgreementOptions, agreement_statistics
from assay.metaeval.votes.annotator_quality import AnnotatorQuality, annotator_quality
from assay.metaeval.votes.ceiling import human_ceiling
from assay.metaeval.votes.consensus import consensus
from assay.metaeval.votes.preference import preferences_of
from assay.metaeval.votes.preference_spread import PreferenceOptions
from assay.metaeval.votes.vote_draws import checked
from assay.metaeval.votes.votes import Votes
from bench.rates.compared_worlds import Judges, true_difference
from bench.rates.judged_worlds import ANNOTATOR, ITEM, NOISE, Panel, true_agreement, votes_from
from bench.rates.rate import Rate

Trial = Callable[[np.random.Generator], bool | None]
USUAL = checked(Resampling())
BOTH = checked(Resampling(factors=("items", "annotators")))
LABELS = {"fleiss_kappa": "Fleiss' kappa", "cohen_kappa": "Cohen's kappa", "percent_agreement": "percent agreement"}


def covers(estimate: Estimate, truth: float) -> bool | None:
    """Whether the interval holds the truth; None where there is no interval."""
    return None if np.isnan(estimate.low) else bool(estimate.low <= truth <= estimate.high)


def agreement_rate(world: Panel, statistic: str, before: str, scale: str | None = None) -> Rate:
    """Coverage of an agreement statistic for other items, these annotators."""
    options = AgreementOptions(scale=scale, icc=statistic.startswith("ICC"))  # type: ignore[arg-type]

    def trial(rng: np.random.Generator) -> bool | None:
        votes = votes_from(world.ratings(rng, world.effects()), world.outputs)
        estimate = agreement_statistics(votes, options, USUAL)[statistic]
        return covers(estimate, true_agreement(world, options)[statistic])

    name = statistic if options.icc else LABELS.get(statistic, f"Krippendorff's alpha, {scale}")
    return Rate("items, outputs and annotators differ", f"agree: {name}", _sizes(world), "coverage", trial, before)


def annotators_rate(world: Panel, statistic: str, before: str) -> Rate:
    """Coverage for other items and other annotators."""

    def trial(rng: np.random.Generator) -> bool | None:
        effects = ANNOTATOR * rng.normal(size=world.annotators)
        votes = votes_from(world.ratings(rng, effects), world.outputs)
        many = Panel(world.items, world.outputs, 60, world.categories)
        truth = true_agreement(many, AgreementOptions(), 1_000)[statistic]
        return covers(agreement_statistics(votes, AgreementOptions(), BOTH)[statistic], truth)

    name = LABELS.get(statistic, "Krippendorff's alpha, ordinal")
    method = f"agree --resample items annotators: {name}"
    # Variances of items and annotators are added, and what both hold is in the sum twice.
    return Rate("annotators drawn anew", method, _sizes(world), "coverage", trial, before, conservative=True)


def quality_rate(world: Panel, row: str, measure: str, before: str) -> Rate:
    """Coverage of a measure of the first annotator, or of the average one."""

    def measured(votes: Votes, how: Resampling) -> AnnotatorQuality:
        return annotator_quality(votes, np.zeros(world.annotators), how, world.categories - 1.0, None)

    def chosen(quality: AnnotatorQuality) -> Estimate:
        return quality.annotators[0].measures[measure] if row == "one" else quality.summary[row][measure]

    @cache
    def truth() -> float:
        ratings = world.ratings(np.random.default_rng(99), world.effects(), 5_000)
        return chosen(measured(votes_from(ratings, world.outputs), checked(Resampling(0)))).value

    def trial(rng: np.random.Generator) -> bool | None:
        votes = votes_from(world.ratings(rng, world.effects()), world.outputs)
        return covers(chosen(measured(votes, USUAL)), truth())

    name = f"agree: {measure} of {'an annotator' if row == 'one' else 'the average annotator'}"
    # The average allows for other annotators too, and here they are the same.
    conservative = row == "average"
    world_name = "items, outputs and annotators differ"
    return Rate(world_name, name, _sizes(world), "coverage", trial, before, conservative)


def best_rate(world: Panel, before: str) -> Rate:
    """How often the best of equal annotators is said to be better than they are by a tenth or more."""

    @cache
    def truth() -> float:
        ratings = world.ratings(np.random.default_rng(99), np.zeros(world.annotators), 5_000)
        quality = annotator_quality(
            votes_from(ratings, 1), np.zeros(world.annotators), checked(Resampling(0)), world.categories - 1.0, None
        )
        return quality.summary["average"]["rho_left_out"].value

    def trial(rng: np.random.Generator) -> bool | None:
        votes = votes_from(world.ratings(rng, np.zeros(world.annotators)), 1)
        quality = annotator_quality(votes, np.zeros(world.annotators), checked(Resampling(0)), None, None)
        return quality.summary["best_held_out"]["rho_left_out"].value > truth() + 0.1

    method = "agree: rho of the best annotator, .1 or more above the truth"
    return Rate("equal annotators", method, _sizes(world), "false sentences", trial, before)


def ceiling_rate(world: Panel, before: str) -> Rate:
    """Coverage of the human ceiling."""

    @cache
    def truth() -> float:
        ratings = world.ratings(np.random.default_rng(99), world.effects(), 20_000)
        return human_ceiling(votes_from(ratings, world.outputs), checked(Resampling(0)))["ceiling"].value

    def trial(rng: np.random.Generator) -> bool | None:
        votes = votes_from(world.ratings(rng, world.effects()), world.outputs)
        return covers(human_ceiling(votes, USUAL)["ceiling"], truth())

    name = "items, outputs and annotators differ"
    return Rate(name, "agree: human ceiling", _sizes(world), "coverage", trial, before)


def share_rate(n_items: int, n_annotators: int, before: str) -> Rate:
    """Coverage of the share of a label by Dawid and Skene's model, which is the world here."""

    def trial(rng: np.random.Generator) -> bool | None:
        right = np.linspace(0.7, 0.95, n_annotators)
        truth = rng.random(n_items) < 0.4
        answers = np.where(rng.random((n_items, n_annotators)) < right, truth[:, None], ~truth[:, None])
        fitted = consensus(votes_from(answers.astype(np.int64), 1), checked(Resampling(60)))
        return covers(fitted.prevalence["1"], 0.4)

    sizes = f"{n_items} items, {n_annotators} annotators"
    method = "agree: share of a label by Dawid and Skene's model"
    return Rate("annotators err at rates of their own", method, sizes, "coverage", trial, before)


def sentence_rate(world: Panel, before: str) -> Rate:
    """How often the report says that annotators agree well, enough or little when they do not."""

    def trial(rng: np.random.Generator) -> bool | None:
        options = AgreementOptions(scale="ordinal")
        truth = true_agreement(world, options)["krippendorff_alpha"]
        votes = votes_from(world.ratings(rng, world.effects()), world.outputs)
        words = verdict(agreement_statistics(votes, options, USUAL)["krippendorff_alpha"])
        least = {"well": FIRM, "enough for tentative conclusions": TENTATIVE}.get(words, -1.0)
        return bool(truth < least or (words == "little" and truth >= TENTATIVE))

    alpha = true_agreement(world, AgreementOptions(scale="ordinal"))["krippendorff_alpha"]
    method = "[agreement]: annotators agree well, enough, little"
    return Rate(f"alpha {alpha:.3f}", method, _sizes(world), "false sentences", trial, before)


def equal_systems_rate(world: Judges, intervals: str, before: str, any_pair: bool = False) -> Rate:
    """How often two equal systems differ, or, after the correction, any two of all."""

    def trial(rng: np.random.Generator) -> bool | None:
        ranked = preferences_of(world.compared(rng), PreferenceOptions(intervals=intervals, resamples=40))  # type: ignore[arg-type]
        if ranked.reason or ranked.no_interval:
            return None
        if any_pair:
            return bool(min(pair.p_adjusted for pair in ranked.pairs) < 0.05)
        return next(bool(pair.difference.p < 0.05) for pair in ranked.pairs if {pair.left, pair.right} == {0, 1})

    method = f"prefer{'' if intervals == 'clustered' else f' --intervals {intervals}'}: "
    method += "any pair, adjusted" if any_pair else "p of a pair"
    return Rate(world.name, method, world.sizes, "false positives", trial, before)


def difference_rate(world: Judges, before: str) -> Rate:
    """Coverage of the difference of two strengths."""

    def trial(rng: np.random.Generator) -> bool | None:
        ranked = preferences_of(world.compared(rng))
        if ranked.reason or ranked.no_interval:
            return None
        first, second = ranked.fitted.strengths[:2]
        pair = next(pair for pair in ranked.pairs if {pair.left, pair.right} == {0, 1})
        sign = 1.0 if first >= second else -1.0
        return bool(pair.difference.low <= sign * true_difference(world) <= pair.difference.high)

    return Rate(world.name, "prefer: difference of two strengths", world.sizes, "coverage", trial, before)


def set_rate(n_annotators: int, n_pairs: int, shared: bool, points: int, before: str) -> Rate:
    """Coverage of a set's score for other annotators; `points` of the scale, or 0 for a slider."""
    pairs = ITEM * np.linspace(-1.0, 1.0, n_pairs) if n_pairs > 1 else np.zeros(1)

    def answered(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        pair = np.repeat(np.arange(n_pairs), n)
        who = np.tile(np.arange(n), n_pairs) if shared else np.arange(n * n_pairs)
        felt = pairs[pair] + 0.6 * rng.normal(size=int(who.max()) + 1)[who] + NOISE * rng.normal(size=len(pair))
        return (np.clip(np.rint(felt + (points + 1) / 2), 1, points) if points else felt), who, pair

    @cache
    def truth() -> float:
        return float(answered(np.random.default_rng(99), 200_000 // n_pairs)[0].mean())

    def trial(rng: np.random.Generator) -> bool | None:
        _, (low, high, _), _ = score_of_set(*answered(rng, n_annotators))
        return None if np.isnan(low) else bool(low <= truth() <= high)

    people = "the same for all pairs" if shared else "others for each pair"
    sizes = f"{n_annotators} annotators" + (f", {n_pairs} pairs, {people}" if n_pairs > 1 else "")
    world = f"annotators differ, {f'{points} points' if points else 'a slider'}"
    # Few points make the means of few annotators lumpy: wide steps, and more coverage than was asked for.
    return Rate(world, "hds: score of a set", sizes, "coverage", trial, before, conservative=bool(points))


def _sizes(world: Panel) -> str:
    outputs = f" of {world.outputs} outputs" if world.outputs > 1 else ""
    return f"{world.items} items{outputs}, {world.annotators} annotators, {world.categories} answers"


TASTES = Judges(annotators=10, items=40, systems=4, taste=0.8, difficulty=0.6)
STRONG_TASTES = Judges(annotators=8, items=100, systems=4, taste=1.5, difficulty=0.6)
FEW_JUDGES = Judges(annotators=4, items=60, systems=4, taste=0.8, difficulty=0.6)
NO_TASTE = Judges(annotators=10, items=40, systems=4, taste=0.0, difficulty=0.8)
MANY_SYSTEMS = Judges(annotators=12, items=60, systems=8, taste=0.8, difficulty=0.6)
APART = Judges(annotators=10, items=40, systems=4, taste=0.8, difficulty=0.6, apart=0.8)

RATES = [
    agreement_rate(Panel(20, 1, 5, 2), "fleiss_kappa", "93.0%"),
    agreement_rate(Panel(50, 4, 3, 2), "fleiss_kappa", "90.7%"),
    agreement_rate(Panel(200, 1, 5, 2, rare=1.0), "fleiss_kappa", "93.0%"),
    agreement_rate(Panel(50, 1, 10, 5), "krippendorff_alpha", "93.3%", "nominal"),
    agreement_rate(Panel(20, 1, 3, 5), "krippendorff_alpha", "92.7%", "ordinal"),
    agreement_rate(Panel(50, 4, 3, 5, noise=0.4), "krippendorff_alpha", "86.0%", "ordinal"),
    agreement_rate(Panel(50, 4, 10, 5), "krippendorff_alpha", "82.7%", "interval"),
    agreement_rate(Panel(25, 12, 5, 5), "krippendorff_alpha", "62.7%", "interval"),
    agreement_rate(Panel(20, 4, 2, 2), "cohen_kappa", "93.0%"),
    agreement_rate(Panel(50, 4, 5, 5), "cohen_kappa", "85.3%"),
    agreement_rate(Panel(20, 1, 5, 2), "percent_agreement", "93.0%"),
    agreement_rate(Panel(50, 4, 5, 2), "percent_agreement", "88.0%"),
    agreement_rate(Panel(20, 1, 3, 5), "ICC(1,1)", ""),
    agreement_rate(Panel(50, 1, 5, 5), "ICC(2,1)", ""),
    agreement_rate(Panel(50, 4, 3, 5), "ICC(3,k)", ""),
    annotators_rate(Panel(50, 2, 5, 5), "krippendorff_alpha", "96.0%"),
    annotators_rate(Panel(50, 2, 10, 5), "fleiss_kappa", "97.3%"),
    quality_rate(Panel(50, 1, 5, 5), "one", "rho_left_out", "95.0%"),
    quality_rate(Panel(50, 4, 5, 2), "one", "agreement", "87.7%"),
    quality_rate(Panel(50, 1, 10, 5), "average", "mse_left_out", "86.7%"),
    best_rate(Panel(30, 1, 20, 5), "76.4%"),
    ceiling_rate(Panel(50, 4, 5, 5), "85.0%"),
    share_rate(50, 5, "88.7%"),
    sentence_rate(Panel(50, 2, 5, 5, noise=0.57), "38.0%"),
    sentence_rate(Panel(50, 2, 5, 5, noise=0.54), "49.3%"),
    sentence_rate(Panel(50, 2, 5, 5, noise=0.25), "2.3%"),
    equal_systems_rate(FEW_JUDGES, "clustered", "20.0%"),
    equal_systems_rate(TASTES, "clustered", "17.7%"),
    equal_systems_rate(TASTES, "bootstrap", "17.7%"),
    equal_systems_rate(STRONG_TASTES, "bootstrap", "42.0%"),
    equal_systems_rate(NO_TASTE, "clustered", "8.0%"),
    equal_systems_rate(MANY_SYSTEMS, "clustered", "77.7%", any_pair=True),
    difference_rate(APART, "81.0%"),
    set_rate(3, 1, True, 0, "74.0%"),
    set_rate(5, 1, True, 0, "86.3%"),
    set_rate(5, 1, True, 5, "81.0%"),
    set_rate(3, 10, True, 0, "67.3%"),
    set_rate(3, 10, False, 0, "94.0%"),
]
