"""Write docs/cli.md from the help of the commands: `python -m assay.cli.reference > docs/cli.md`."""

from collections.abc import Iterator

import click

from assay.cli import cli

INTRODUCTION = """\
# The command line

This page is written by `python -m assay.cli.reference > docs/cli.md`, from what `--help` says.

stdout is data and stderr is talk. Exit code 0 means fine, 1 an error of yours in one plain message, 2 a wrong call.
"""


def reference() -> str:
    """Return the page: the help of every command, subcommands after their group."""
    sections = [f"## {name}\n\n```text\n{context.get_help().rstrip()}\n```\n" for name, context in commands()]
    return "\n".join([INTRODUCTION, *sections])


def commands() -> Iterator[tuple[str, click.Context]]:
    """Give every command by its full name, `assay` first, with a context of fixed width."""
    yield from _below(_context(cli, "assay", None))


def _below(context: click.Context) -> Iterator[tuple[str, click.Context]]:
    yield context.command_path, context
    group = context.command
    if isinstance(group, click.Group):
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield from _below(_context(command, name, context))


def _context(command: click.Command, name: str, parent: click.Context | None) -> click.Context:
    settings = {**command.context_settings, "terminal_width": 100, "max_content_width": 100}
    return click.Context(command, parent, info_name=name, **settings)


if __name__ == "__main__":
    click.echo(reference(), nl=False)
