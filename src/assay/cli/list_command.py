"""`assay list`: the evaluators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from assay.cli import options


@click.command("list")
@click.argument("names", nargs=-1)
@options.json_option
def command(names: tuple[str, ...], as_json: bool) -> None:
    """List all evaluators, one line each, or describe the named ones in full.

    \b
    assay list
    assay list bleu human
    """
    from assay.analyses.listing import list as described_evaluators
    from assay.part.text import text_table
    from assay.registry import broken

    unusable = {} if names else broken()
    described = described_evaluators(names)
    if as_json:
        options.print_json({"evaluators": described, "broken": unusable})
    elif names:
        click.echo("\n\n".join(_in_full(entry) for entry in described))
    else:
        rows = [[entry["name"], ", ".join(entry["units"]), entry["description"]] for entry in described]
        click.echo(text_table(["evaluator", "units", "what it measures"], rows))
    for reason in unusable.values():
        options.say(f"unavailable: {reason}")


def _in_full(entry: Mapping[str, Any]) -> str:
    direction = {True: "higher is better", False: "lower is better", None: "no direction"}[entry["higher_is_better"]]
    lines = [f"{entry['name']}: {entry['description']}", f"  units   {', '.join(entry['units'])}"]
    lines.append(f"  scale   {entry['scale'] or 'not stated'}; {direction}")
    if entry["needs"]:
        lines.append(f"  needs   {', '.join(entry['needs'])}")
    if entry["uses"]:
        lines.append(f"  uses    the evaluators given as {', '.join(entry['uses'])}, and needs what they need")
    if entry["learns_from"] is not None:
        lines.append(f"  learns  from {', '.join(entry['learns_from'])} of the other folds, or of --train")
    if entry["cite"]:
        lines.append(f"  source  {entry['cite']}")
    lines += [f"  {key} = {default}" for key, default in entry["parameters"].items()]
    if entry["learns_from"] is not None:
        lines.append("  model = a folder written by `assay fit`, to apply it without fitting")
    return "\n".join(lines)
