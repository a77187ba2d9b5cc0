"""`assay list`: the evaluators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli import options

if TYPE_CHECKING:
    from assay.evaluator import EvaluatorFactory


@click.command("list")
@click.argument("names", nargs=-1)
@options.json_option
def command(names: tuple[str, ...], as_json: bool) -> None:
    """List all evaluators, one line each, or describe the named ones in full.

    \b
    assay list
    assay list bleu human
    """
    from assay.part.text import text_table
    from assay.registry import broken, factory
    from assay.registry import names as registered

    unusable = {} if names else broken()
    chosen = names or [name for name in registered() if name not in unusable]
    described = [_describe(name, factory(name)) for name in chosen]
    if as_json:
        options.print_json({"evaluators": described, "broken": unusable})
    elif names:
        click.echo("\n\n".join(_in_full(entry) for entry in described))
    else:
        rows = [[entry["name"], ", ".join(entry["units"]), entry["description"]] for entry in described]
        click.echo(text_table(["evaluator", "units", "what it measures"], rows))
    for reason in unusable.values():
        options.say(f"unavailable: {reason}")


def _describe(name: str, factory: EvaluatorFactory) -> dict[str, Any]:
    about = factory.about
    return {
        "name": name,
        "description": factory.description,
        "units": list(about.units),
        "higher_is_better": about.higher_is_better,
        "needs": list(about.needs),
        "uses": [key for key, value in factory.factory.parameters.items() if "Evaluator" in str(value.annotation)],
        "learns_from": _learns_from(factory),
        "scale": about.scale,
        "cite": about.cite,
        "parameters": {
            key: "required" if parameter.default is parameter.empty else repr(parameter.default)
            for key, parameter in factory.factory.parameters.items()
        },
        "origin": factory.origin,
    }


def _learns_from(factory: EvaluatorFactory) -> list[str] | None:
    """What the training data must have, or None; required parameters are filled with placeholders."""
    from assay.errors import AssayError
    from assay.evaluator import Fitted
    from assay.registry import parse

    arguments: dict[str, Any] = {}
    for key, parameter in factory.factory.parameters.items():
        if parameter.default is parameter.empty:
            annotation = str(parameter.annotation)
            value = parse("length") if "Evaluator" in annotation else key.upper()
            arguments[key] = (value,) if annotation.startswith("tuple") else value
    try:
        shape = factory(**arguments).shape
    except AssayError:  # such as an encoder that is not on this computer
        return None
    return list(shape.learns_from) if isinstance(shape, Fitted) else None


def _in_full(entry: dict[str, Any]) -> str:
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
