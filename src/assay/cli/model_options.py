"""Options of commands that use a language model."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from assay.cli import options

F = TypeVar("F", bound=Callable[..., Any])


class Money(click.ParamType["tuple[float, str]"]):
    """An amount, with or without the name of a currency: 5, 5USD, 5 EUR or $5."""

    name = "amount"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, str]:
        """The amount and the currency."""
        if isinstance(value, tuple):
            return value
        found = re.fullmatch(r"\s*(?P<sign>[$€£])?\s*(?P<amount>\d+(\.\d*)?|\.\d+)\s*(?P<name>[A-Za-z]{3})?\s*", value)
        if found is None or (found["sign"] and found["name"]) or not float(found["amount"]) > 0:
            self.fail(f"{value!r} is no amount of money. Write it as 5 or 5USD.", param, ctx)
        return float(found["amount"]), (found["name"] or "").upper() or (found["sign"] or "")


model_option = click.option(
    "--model",
    required=True,
    metavar="MODEL",
    help="A model folder, a .gguf file, smollm2, a fitted generator, or url(MODEL@BASE) for an endpoint.",
)

_PROMPT_OPTIONS = (
    click.option(
        "--template",
        default="{context} {text}",
        show_default=True,
        help="How context and text are put together; \\n is a line break. White space before {text} is the text's.",
    ),
    click.option("--chat", is_flag=True, help="Put what stands before {text} into a chat message of the user."),
    click.option(
        "--bos",
        type=click.Choice(["model", "always", "never"]),
        default="model",
        show_default=True,
        help="Beginning-of-text token: where the tokenizer adds one and before an empty prompt, always, or never.",
    ),
    click.option(
        "--end",
        default="model",
        show_default=True,
        help="What ends a text: the model's end tokens, none, or tokens separated by commas.",
    ),
    click.option(
        "--dtype",
        type=click.Choice(["float32", "bfloat16"]),
        default="float32",
        show_default=True,
        help="Precision of a local model.",
    ),
)
_ENDPOINT_OPTIONS = (
    *options.REQUEST_OPTIONS,
    click.option("--max-model-tokens", type=options.count(), help="Most tokens an endpoint may read and write."),
    click.option("--budget", type=Money(), help="Most money an endpoint may cost, such as 5 or 5USD; needs --prices."),
    click.option(
        "--prices",
        type=(click.FloatRange(0), click.FloatRange(0)),
        help="Prices of a million tokens, read and written: what was spent is told.",
    ),
)


def prompt_options(command: F) -> F:
    """Add the options of prompts, and of the beginning and end of texts."""
    return _with(command, _PROMPT_OPTIONS)


def endpoint_options(command: F) -> F:
    """Add the options of requests and budgets."""
    return _with(command, _ENDPOINT_OPTIONS)


def asking(settings: dict[str, Any]) -> dict[str, Any]:
    """Take the options of requests out of `settings`, and return them as arguments of `logprob` and `generate`."""
    from assay.run.models import Budget
    from assay.run.requests import Requests

    at_once, most, offline = (settings.pop(name) for name in ("requests", "max_requests", "offline"))
    tokens, money, prices = (settings.pop(name) for name in ("max_model_tokens", "budget", "prices"))
    amount, currency = money or (None, "")
    limited = tokens is not None or money is not None or prices is not None
    budget = Budget(tokens, amount, prices, currency) if limited else None
    return {"requests": Requests(at_once or 8, most=most, offline=offline), "budget": budget}


def end_of(text: str) -> Any:
    """The option --end as a value."""
    return text if text in ("model", "none") else tuple(text.split(","))


def sweep_option(name: str, default: str, about: str) -> Callable[[F], F]:
    """An option with one or more values of a sampling parameter."""
    return click.option(name, default=default, show_default=True, metavar="VALUES", help=about)


def numbers_of(option: str, text: str) -> tuple[float, ...]:
    """Numbers separated by commas, or `first:last:how many`."""
    try:
        if ":" in text:
            first, last, n = text.split(":")
            step = (float(last) - float(first)) / (int(n) - 1)
            return tuple(round(float(first) + step * k, 10) for k in range(int(n)))
        return tuple(map(float, text.split(",")))
    except (ValueError, ZeroDivisionError):
        raise click.UsageError(f"{option} {text}: give numbers separated by commas, or FIRST:LAST:HOW_MANY.") from None


def counts_of(option: str, text: str) -> tuple[int | None, ...]:
    """Counts separated by commas; `all` is None."""
    try:
        return tuple(None if part.strip() == "all" else int(part) for part in text.split(","))
    except ValueError:
        raise click.UsageError(f"{option} {text}: give whole numbers or all, separated by commas.") from None


def sweep_of(text: str) -> tuple[str, dict[str, Any]]:
    """`temperature=.2:1.2:11` as the parameter's name and an argument of `generate`."""
    name, _, values = text.partition("=")
    name = name.strip().replace("-", "_")
    if name not in ("temperature", "top_k", "top_p"):
        raise click.UsageError(f"--sweep {text}: write temperature=VALUES, top_k=VALUES or top_p=VALUES.")
    return name, {name: (counts_of if name == "top_k" else numbers_of)("--sweep", values)}


def _with(command: F, added: tuple[Any, ...]) -> F:
    for option in reversed(added):
        command = option(command)
    return command
