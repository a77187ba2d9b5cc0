"""`assay.power`: how many units a study needs, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import nan
from typing import Any, Unpack, cast

from assay.analyses.sources import refuse_unused
from assay.errors import AssayError, did_you_mean
from assay.kernels.statistics.power import Design
from assay.metaeval.planning.paired_power import plan_paired_proportions, plan_two_correlations, plan_win_rate
from assay.metaeval.planning.pilot import Simulation, judged_systems, plan_from_scores, plan_from_votes
from assay.metaeval.planning.power import Effort, Plan, plan_correlation, plan_proportions, plan_width
from assay.metaeval.questions.question import signature
from assay.metaeval.votes.votes import votes_of
from assay.part import Number, Part, Table
from assay.records import Dataset
from assay.run import score
from assay.run.scoring import ScoringOptions
from assay.scores import Column, ScoreTable

NEEDED = {
    "superiority": ("p",),
    "noninferiority": ("p", "margin"),
    "equivalence": ("p", "margin"),
    "paired": ("p", "p_reference"),
    "winrate": ("wins",),
    "correlation": ("r",),
    "correlations": ("r", "r_other", "r_between"),
    "width": ("r", "width"),
    "pilot": ("pilot", "systems"),
}
# The quantities shown, if a plan has them, and their names.
QUANTITIES = {
    "n": "n",
    "n_exact": "n, before rounding up",
    "power": "power",
    "power_of_the_exact_test": "power of the exact test",
    "n_if_the_pilot_is_right": "n if the pilot is right",
    "difference": "difference in the pilot",
    "n_reference": "n of the reference",
    "n_total": "n in total",
    "judgments": "judgments",
    "cost": "cost",
}
BY_FORMULA = "computed from the assumptions, not estimated"


def power(
    design: str | None = None,
    *,
    p: float | None = None,
    p_reference: float | None = None,
    margin: float | None = None,
    ratio: float = 1.0,
    pooled: bool = False,
    discordant: float | None = None,
    wins: float | None = None,
    ties: float = 0.0,
    r: float | None = None,
    r_other: float | None = None,
    r_between: float | None = None,
    r_null: float = 0.0,
    width: float | None = None,
    statistic: str = "pearson",
    confidence: float = 0.95,
    alpha: float = 0.05,
    sides: int | None = None,
    power: float = 0.8,
    n: int | None = None,
    pilot: Dataset | ScoreTable | None = None,
    systems: Sequence[str] | None = None,
    evaluator: str | None = None,
    criterion: str | None = None,
    effect: float | None = None,
    studies: int = 400,
    annotators: int = 1,
    n_systems: int = 2,
    price: float | None = None,
    seed: int = 0,
    **scoring: Unpack[ScoringOptions],
) -> Part:
    """Plan a study: the number of units for a power or a width, or with `n` the power of that many.

    Args:
        design: what is tested: superiority, noninferiority, equivalence, paired, winrate, correlation, correlations,
            or the width of an interval; left out with a pilot.
        p: expected proportion of the new system (proportions).
        p_reference: expected proportion of the other system; by default the same.
        margin: the largest negligible difference (noninferiority, equivalence).
        ratio: sample size of the other system relative to the new one.
        pooled: whether to use the pooled variance under the null (superiority).
        discordant: proportion of discordant pairs (paired); by default that of independent answers.
        wins: expected win rate (winrate).
        ties: expected tie rate (winrate).
        r: expected correlation.
        r_other: expected correlation of the other evaluator (correlations).
        r_between: expected correlation of the two evaluators (correlations).
        r_null: correlation under the null.
        width: target width of the interval (width).
        statistic: the correlation whose interval is planned (width).
        confidence: of the interval (width), and in the pilot's difference.
        alpha: type I error rate.
        sides: of the test; by default 1 with a margin, else 2.
        power: target power.
        n: compute the power of this many units instead.
        pilot: outputs or scores to simulate studies from.
        systems: the two systems of the pilot to compare.
        evaluator: what to compare them by: an evaluator, or a column of the scores.
        criterion: compare them by judgments instead, `annotators` of them per text.
        effect: plan for this difference; the pilot supplies the variance.
        studies: simulated studies per size.
        annotators: per text.
        n_systems: systems in the study, for its cost.
        price: of one judgment.
        seed: of the simulated studies.
        scoring: how evaluators are scored: `train`, `folds`, `executor`, `cache` and `requests` of `assay.score`.
    """
    chosen = dict(locals())
    kind = design or ("pilot" if pilot is not None else None)
    if kind is None:
        raise AssayError("say what is planned: give --design, or --pilot with data to simulate from.")
    if kind not in NEEDED:
        raise AssayError(f"no design {kind!r}.{did_you_mean(kind, NEEDED)}")
    missing = [f"--{name.replace('_', '-')}" for name in NEEDED[kind] if chosen[name] is None]
    if missing:
        raise AssayError(f"the design {kind} needs {' and '.join(missing)}.")
    if not isinstance(pilot, Dataset) or evaluator is None:
        refuse_unused(scoring, "no evaluator is given" if evaluator is None else "there are no texts")
    effort = Effort(annotators, n_systems, price)
    if kind == "pilot":
        plan, column = _from_pilot(effort, chosen)
    else:
        plan, column = _by_formula(kind, effort, chosen), None
    return _part(plan, _signature(chosen, column), seed)


def _signature(chosen: dict[str, Any], column: Column | None) -> str:
    """How to plan this again: every argument that is not at its default; data is named beside it."""
    arguments = {
        name: value
        for name, value in chosen.items()
        if name not in ("pilot", "scoring") and value != (power.__kwdefaults__ or {}).get(name)
    }
    return signature("power", **arguments | ({} if column is None else {"evaluator": column}))


def _by_formula(kind: str, effort: Effort, chosen: dict[str, Any]) -> Plan:
    setting = {name: chosen[name] for name in ("alpha", "power", "n")}
    two_sided = setting | {"sides": chosen["sides"] or 2}
    match kind:
        case "width":
            how = {name: chosen[name] for name in ("width", "confidence", "statistic")}
            return plan_width(chosen["r"], effort=effort, **how)
        case "correlation":
            return plan_correlation(chosen["r"], r_null=chosen["r_null"], effort=effort, **two_sided)
        case "correlations":
            correlations = (chosen["r"], chosen["r_other"], chosen["r_between"])
            return plan_two_correlations(*correlations, effort=effort, **two_sided)
        case "winrate":
            return plan_win_rate(chosen["wins"], ties=chosen["ties"], effort=effort, **two_sided)
        case "paired":
            shares, apart = (chosen["p"], chosen["p_reference"]), chosen["discordant"]
            return plan_paired_proportions(*shares, discordant=apart, effort=effort, **two_sided)
    return plan_proportions(
        cast(Design, kind),
        chosen["p"],
        p_reference=chosen["p_reference"],
        margin=chosen["margin"] or 0.0,
        sides=chosen["sides"],
        ratio=chosen["ratio"],
        variance="pooled" if chosen["pooled"] else "unpooled",
        effort=effort,
        **setting,
    )


def _from_pilot(effort: Effort, chosen: dict[str, Any]) -> tuple[Plan, Column | None]:
    """The plan, and the scores that the pilot's systems are compared by, if any."""
    pilot, evaluator, criterion = chosen["pilot"], chosen["evaluator"], chosen["criterion"]
    if (evaluator is None) == (criterion is None):
        raise AssayError("compare the pilot's systems by an evaluator (-e) or by judgments (--criterion): give one.")
    simulation = Simulation(
        chosen["alpha"], chosen["power"], chosen["studies"], seed=chosen["seed"], confidence=chosen["confidence"]
    )
    how = {"simulation": simulation, "n": chosen["n"], "effect": chosen["effect"], "effort": effort}
    if criterion is not None:
        votes = votes_of(pilot, criterion)
        of_systems = judged_systems(pilot, votes)
        return plan_from_votes(votes, of_systems, chosen["systems"], annotators=effort.annotators, **how), None
    if isinstance(pilot, Dataset):
        pilot = score(pilot, [evaluator], unit="output", seed=chosen["seed"], failures="error", **chosen["scoring"])
    return plan_from_scores(pilot, evaluator, chosen["systems"], **how), pilot[evaluator]


def _part(plan: Plan, made_by: str, seed: int) -> Part:
    numbers = tuple(_numbers(plan, made_by))
    assumed = tuple((name, _written(value)) for name, value in plan.assumptions.items() if value is not None)
    header, values = (QUANTITIES[number.name] for number in numbers), (number.cell for number in numbers)
    tables = [
        Table("power", "Study size", tuple(header), (tuple(values),)),
        Table("power_assumptions", "Assumptions", ("assumption", "value"), assumed),
    ]
    if "curve" in plan.details:
        curve = tuple((point["n"], point["power"]) for point in plan.details["curve"])
        tables.append(Table("power_curve", "Power by size", ("n", "power"), curve, in_file=True))
    return Part(
        title="Sample size",
        summary=f"{plan.design}: {plan.source}.",
        numbers=numbers,
        tables=tuple(tables),
        methods=(made_by,),
        seed=seed,
    )


def _numbers(plan: Plan, made_by: str) -> Iterator[Number]:
    known = plan.as_json()
    for name in QUANTITIES:
        if known.get(name) is None:
            continue
        low, high = known.get(f"{name}_low", nan), known.get(f"{name}_high", nan)
        reason = BY_FORMULA if low != low else ""
        yield Number(name, known[name], plan.n, made_by, low=low, high=high, reason=reason, about=dict(plan.effort))


def _written(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
