"""An option that takes several values at once: `--systems A B` as well as `--systems A --systems B`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


class Several(click.Option):
    """Takes all following arguments up to the next option; put DATA before it."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Make the parser pass on all the arguments."""
        super().add_to_parser(parser, ctx)
        for name in self.opts:
            option = parser._long_opt[name]
            option.process = _taking_all(option.process)


def several(name: str, *parameters: str, **about: Any) -> Callable[[F], F]:
    """Declare an option that takes several values."""
    return click.option(name, *parameters, cls=Several, multiple=True, **about)


def _taking_all(process: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    def take(value: Any, state: Any) -> None:
        process(value, state)
        while state.rargs and not state.rargs[0].startswith("-"):
            process(state.rargs.pop(0), state)

    return take
