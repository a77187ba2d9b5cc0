"""Write docs/cli.md from the help of the commands: `python -m assay.cli.reference > docs/cli.md`."""

from collections.abc import Iterator

import click

from assay.cli import cli

INTRODUCTION = """\
# The command line

This page is generated from `--help`: `python -m assay.cli.reference > docs/cli.md`.

Data goes to stdout, messages to stderr. Exit code 0 is success, 1 an error in the input, 2 a usage error.
"""


def reference() -> str:
    """Return the page: the help of every command; subcommands follow their group."""
    sections = [f"## {name}\n\n```text\n{context.get_help().rstrip()}\n```\n" for name, context in commands()]
    return "\n".join([INTRODUCTION, *sections])


def commands() -> Iterator[tuple[str, click.Context]]:
    """Yield every command by its full name, `assay` first, with a fixed-width context."""
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
