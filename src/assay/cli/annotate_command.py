"""`assay annotate`: collect human judgments. One file per subcommand, in `assay/cli/annotate/`."""

from __future__ import annotations

from importlib import import_module

import click

from assay.errors import did_you_mean

SUBCOMMANDS = ("init", "check", "simulate", "serve", "status", "export", "pay", "backup", "restore", "verify", "forget")


class _Subcommands(click.Group):
    """Imports a subcommand when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name them in the order of a study."""
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one."""
        if cmd_name not in SUBCOMMANDS:
            return None
        command = import_module(f"assay.cli.annotate.{cmd_name}_command").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the closest match for an unknown subcommand."""
        if args and not args[0].startswith("-") and args[0] not in SUBCOMMANDS:
            raise click.UsageError(f"no command {args[0]!r}.{did_you_mean(args[0], SUBCOMMANDS)}", ctx)
        return super().resolve_command(ctx, args)


@click.group("annotate", cls=_Subcommands)
def command() -> None:
    """Collect human judgments: a protocol, a web application, an export.

    \b
    assay annotate init outputs.jsonl --form typicality > protocol.toml
    assay annotate check protocol.toml
    assay annotate serve protocol.toml
    """
