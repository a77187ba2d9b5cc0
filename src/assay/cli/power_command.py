"""`assay power`: how many units a study needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli import options
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.metaeval.planning.power import Effort, Plan

PROPORTIONS = ("superiority", "noninferiority", "equivalence")
EXACT = "power_of_the_exact_test"
SHOWN = ("n_if_the_pilot_is_right", "n_reference", "n_total", "judgments", "cost")
PAIRED = ("paired", "winrate", "correlations")


@click.command("power")
@click.option(
    "--design",
    type=click.Choice([*PROPORTIONS, "paired", "winrate", "correlation", "correlations", "width", "pilot"]),
    help="A test of two proportions, of two on the same texts (paired), of wins against losses, of a correlation, of "
    "two correlations with one target, the width of a correlation's interval, or a pilot's difference.",
)
@click.option("--p", type=float, help="Expected share of the new system (proportions).")
@click.option("--p-reference", type=float, help="Expected share of the other system; by default the same.")
@click.option("--margin", type=float, help="Largest difference that does not matter (noninferiority, equivalence).")
@click.option("--ratio", type=float, default=1.0, show_default=True, help="Texts of the other system per text.")
@click.option("--pooled", is_flag=True, help="Take the variance under the null from the common share (superiority).")
@click.option("--discordant", type=float, help="Share of texts on which both differ (paired); by default by chance.")
@click.option("--wins", type=float, help="Expected share of comparisons that are won (winrate).")
@click.option("--ties", type=float, default=0.0, show_default=True, help="Expected share of ties (winrate).")
@click.option("--r", type=float, help="Expected correlation (correlation, correlations, width).")
@click.option("--r-other", type=float, help="Expected correlation of the other evaluator (correlations).")
@click.option("--r-between", type=float, help="Expected correlation of the two evaluators (correlations).")
@click.option("--r-null", type=float, default=0.0, show_default=True, help="Correlation under the null.")
@click.option("--width", type=float, help="Wanted width of the interval (width).")
@click.option(
    "--statistic",
    type=click.Choice(["pearson", "spearman", "kendall"]),
    default="pearson",
    show_default=True,
    help="The correlation whose interval is planned (width).",
)
@click.option(
    "--confidence",
    type=float,
    default=0.95,
    show_default=True,
    help="Confidence of the interval (width), and in the pilot's difference.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Error of the first kind.")
@click.option("--sides", type=click.IntRange(1, 2), help="Sides of the test; by default 1 with a margin, else 2.")
@click.option("--power", type=float, default=0.8, show_default=True, help="Wanted power.")
@click.option("--n", type=options.count(1), help="Give the power of this many units instead.")
@click.option("--pilot", metavar="DATA", help="Simulate from this data: outputs, or a table of scores.")
@click.option("--systems", nargs=2, metavar="A B", help="The two systems of the pilot to compare.")
@click.option("-e", "--evaluator", metavar="NAME", help="The evaluator, or the column of a table, to compare them by.")
@click.option("--criterion", metavar="NAME", help="Compare them by human judgments, --annotators of them per text.")
@click.option("--effect", type=float, help="Plan for this difference; the pilot says how much items vary.")
@click.option(
    "--studies", type=options.count(1), default=400, show_default=True, help="Simulated studies per size (pilot)."
)
@click.option("--annotators", type=options.count(1), default=1, show_default=True, help="Annotators per text.")
@click.option(
    "--n-systems", type=options.count(1), default=2, show_default=True, help="Systems in the study, for its cost."
)
@click.option("--price", type=float, help="Price of one judgment.")
@options.learning_options
@options.seed_option
@options.json_option
def command(
    design: str | None, as_json: bool, annotators: int, n_systems: int, price: float | None, **chosen: Any
) -> None:
    """How many units a study needs, and what it costs.

    By formula for proportions, win rates and correlations; by simulation, with --pilot, for any evaluator. A pilot
    knows its difference only so well: n is for the smallest one in its interval, and a power has the interval that
    follows.

    \b
    assay power --design noninferiority --p 0.9 --margin 0.10 --alpha 0.05 --power 0.8
    assay power --design width --r 0.5 --width 0.2
    assay power --pilot outputs.jsonl --systems ngram-t0.7 ngram-t1.3 -e bleu
    """
    from assay.metaeval.planning.power import Effort

    if design is None and chosen["pilot"] is None:
        raise AssayError("say what is planned: --design, or --pilot with data to simulate from.")
    if chosen["evaluator"] is None and chosen["learning"] != options.Learning():
        raise AssayError("--train, --folds and --leave-out are for an evaluator (-e) that learns. Leave them out.")
    effort = Effort(annotators, n_systems, price)
    if design is None or design == "pilot":
        plan = _from_pilot(effort, annotators, chosen)
    elif design in PROPORTIONS:
        plan = _proportions(design, effort, chosen)
    elif design in PAIRED:
        plan = _paired(design, effort, chosen)
    else:
        plan = _correlation(design, effort, chosen)
    if as_json:
        options.print_json(plan.as_json())
    else:
        click.echo(_shown(plan))


def _proportions(design: Any, effort: Effort, chosen: dict[str, Any]) -> Plan:
    from assay.metaeval.planning.power import plan_proportions

    _need(chosen, design, "p", *(() if design == "superiority" else ("margin",)))
    return plan_proportions(
        design,
        chosen["p"],
        p_reference=chosen["p_reference"],
        margin=chosen["margin"] or 0.0,
        alpha=chosen["alpha"],
        sides=chosen["sides"],
        power=chosen["power"],
        n=chosen["n"],
        ratio=chosen["ratio"],
        variance="pooled" if chosen["pooled"] else "unpooled",
        effort=effort,
    )


def _correlation(design: str, effort: Effort, chosen: dict[str, Any]) -> Plan:
    from assay.metaeval.planning.power import plan_correlation, plan_width

    if design == "width":
        _need(chosen, design, "r", "width")
        return plan_width(
            chosen["r"],
            width=chosen["width"],
            confidence=chosen["confidence"],
            statistic=chosen["statistic"],
            effort=effort,
        )
    _need(chosen, design, "r")
    return plan_correlation(
        chosen["r"],
        r_null=chosen["r_null"],
        alpha=chosen["alpha"],
        sides=chosen["sides"] or 2,
        power=chosen["power"],
        n=chosen["n"],
        effort=effort,
    )


def _paired(design: str, effort: Effort, chosen: dict[str, Any]) -> Plan:
    from assay.metaeval.planning.paired_power import plan_paired_proportions, plan_two_correlations, plan_win_rate

    setting = {name: chosen[name] for name in ("alpha", "power", "n")} | {"sides": chosen["sides"] or 2}
    if design == "paired":
        _need(chosen, design, "p", "p_reference")
        apart = chosen["discordant"]
        return plan_paired_proportions(chosen["p"], chosen["p_reference"], discordant=apart, effort=effort, **setting)
    if design == "winrate":
        _need(chosen, design, "wins")
        return plan_win_rate(chosen["wins"], ties=chosen["ties"], effort=effort, **setting)
    _need(chosen, design, "r", "r_other", "r_between")
    return plan_two_correlations(chosen["r"], chosen["r_other"], chosen["r_between"], effort=effort, **setting)


def _from_pilot(effort: Effort, annotators: int, chosen: dict[str, Any]) -> Plan:
    from assay.cli.scores import Source
    from assay.metaeval.planning.pilot import Simulation, judged_systems, plan_from_scores, plan_from_votes
    from assay.metaeval.votes.votes import votes_of

    _need(chosen, "pilot", "pilot", "systems")
    if (chosen["evaluator"] is None) == (chosen["criterion"] is None):
        raise AssayError("compare the pilot's systems by an evaluator (-e) or by judgments (--criterion): give one.")
    simulation = Simulation(
        chosen["alpha"], chosen["power"], chosen["studies"], seed=chosen["seed"], confidence=chosen["confidence"]
    )
    source = Source(chosen["pilot"], chosen["seed"], learning=chosen["learning"])
    if chosen["criterion"] is not None:
        dataset = source.dataset
        votes = votes_of(dataset, chosen["criterion"])
        return plan_from_votes(
            votes,
            judged_systems(dataset, votes),
            chosen["systems"],
            annotators=annotators,
            simulation=simulation,
            n=chosen["n"],
            effect=chosen["effect"],
            effort=effort,
        )
    table = source.table([chosen["evaluator"]], None if source.is_table else "output")
    name = next(iter(table.columns))
    return plan_from_scores(
        table, name, chosen["systems"], simulation=simulation, n=chosen["n"], effect=chosen["effect"], effort=effort
    )


def _need(chosen: dict[str, Any], design: str, *names: str) -> None:
    missing = [f"--{name.replace('_', '-')}" for name in names if chosen[name] is None]
    if missing:
        raise AssayError(f"the design {design} needs {' and '.join(missing)}.")


def _shown(plan: Plan) -> str:
    plain = plan.as_json()
    assumed = ", ".join(f"{name} {value}" for name, value in plan.assumptions.items() if value is not None)
    lines = [f"n: {plan.n}"]
    if plan.n_exact is not None:
        lines.append(f"exactly: {plan.n_exact:.2f}")
    if plan.power is not None:
        ends = (plan.details.get("power_low"), plan.details.get("power_high"))
        within = "" if ends[0] is None else f" ({ends[0]:.3f} to {ends[1]:.3f})"
        lines.append(f"power: {plan.power:.3f}{within}")
    if plain.get(EXACT) is not None:
        lines.append(f"{EXACT}: {plain[EXACT]:.3f}")
    lines += [f"{name}: {plain[name]}" for name in SHOWN if plain.get(name)]
    lines += [f"assumed: {assumed}", f"source: {plan.source}"]
    return "\n".join(lines)
