"""`assay.nuggets`: labeled sets on which a form metric is uninformative about the label."""

from __future__ import annotations

from typing import Unpack

from assay.analyses.sets.against_target import CITE, WITHOUT_INTERVAL, scored_target
from assay.evaluators.set_value import set_value
from assay.metaeval.questions.question import signature
from assay.metaeval.sets.contest import two_classes
from assay.metaeval.sets.nuggets import nuggets as choose
from assay.part import Number, Part, Table
from assay.records import Dataset
from assay.run import score
from assay.run.scoring import ScoringOptions

CHOSEN = "nuggets-sets"
"""The table of the selected sets."""


def nuggets(
    dataset: Dataset,
    form: str = "distinct",
    *,
    label: str = "label_value",
    high: str | None = None,
    group_size: int = 40,
    decimals: int | None = 3,
    seed: int = 0,
    **scoring: Unpack[ScoringOptions],
) -> Part:
    """Select sets of two classes on which a form metric is uninformative about the class.

    Args:
        dataset: sets of outputs, with a label of two values.
        form: the form metric, by name or call.
        label: a column of the sets, a parameter of their outputs, or `system`.
        high: the value of the label that is high diversity; by default the larger number.
        group_size: sets per group; each group keeps equally many sets of either class.
        decimals: decimals of the metric before sorting; None for no rounding.
        seed: of the draw from a group's larger class.
        scoring: how evaluators are scored: `train`, `folds`, `executor`, `cache` and `requests` of `assay.score`.
    """
    target = scored_target(dataset, set_value(label, high=high))
    two_classes(label, target)
    column = score(dataset, [form], unit="set", seed=seed, failures="error", **scoring)[form]
    result = choose(column.values, target.values, group_size=group_size, decimals=decimals, seed=seed)
    settings = {"group_size": group_size, "decimals": decimals, "seed": seed}
    origin = signature("nuggets", form=column, label=target, **settings)
    n, n_missing = len(result.rows), len(dataset.sets) - result.n_before
    numbers = (
        Number("rho before", result.rho_before, result.n_before, origin, n_missing, reason=WITHOUT_INTERVAL),
        Number("rho after", result.rho_after, n, origin, n_missing, reason=WITHOUT_INTERVAL),
    )
    rows = (("all", result.n_before, result.rho_before), ("nuggets", n, result.rho_after))
    chosen = tuple((dataset.sets.id[int(row)],) for row in result.rows)
    return Part(
        title="Form-neutral subset (nuggets)",
        summary=(
            f"{n} of {result.n_before} sets: rho of {form} {result.rho_before:.3f} -> {result.rho_after:.3f}. "
            f"Sets are sorted by {form} and cut into groups of {group_size}; each keeps equally many sets of "
            "either class."
        ),
        numbers=numbers,
        tables=(
            Table("nuggets", f"{form} and {label}", ("sets", "n", "rho"), rows),
            Table(CHOSEN, "Selected sets", ("set",), chosen, in_file=True),
        ),
        methods=(origin, CITE),
        seed=seed,
    )
