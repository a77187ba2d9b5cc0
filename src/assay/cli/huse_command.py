"""`assay huse`: quality and diversity of systems in one number."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli import options

if TYPE_CHECKING:
    from assay.analyses.huse.analysis import HuseStudy
    from assay.records import Dataset


@click.command("huse")
@options.data_argument
@click.option("--system", "systems", multiple=True, metavar="NAME", help="Compare only this system; may be repeated.")
@click.option("-k", type=options.count(1), default=16, show_default=True, help="How many neighbors vote.")
@click.option("--quality", metavar="EVALUATOR", help="What stands for quality instead of the mean judgment.")
@click.option("--beside", multiple=True, metavar="EVALUATOR", help="A further feature; may be repeated.")
@click.option(
    "--ties",
    type=click.Choice(["exact", "paper"]),
    default="exact",
    show_default=True,
    help="Compare distances exactly, or as the published numbers did.",
)
@click.option(
    "--vote-tie",
    type=click.Choice(["human", "model", "half"]),
    default="human",
    show_default=True,
    help="To whom a tied vote goes.",
)
@click.option("--plan", is_flag=True, help="Say how many items and annotators a study of this kind needs.")
@click.option(
    "--half-width",
    type=click.FloatRange(0, min_open=True),
    default=0.05,
    show_default=True,
    help="With --plan: how far the 95% interval of HUSE may reach to each side.",
)
@click.option(
    "--price",
    type=click.FloatRange(0),
    default=0.05,
    show_default=True,
    help="With --plan: the price of one judgment, in any currency.",
)
@click.option("--examples", type=options.count(), default=3, show_default=True, help="Outputs per list of failures.")
@click.option(
    "--figures", type=click.Path(path_type=Path, file_okay=False), help="Write figures as SVG into this folder."
)
@click.option("--frequency", metavar="COLUMN", help="With --figures: the column with the log corpus frequency.")
@click.option("--no-intervals", is_flag=True, help="Leave out the intervals, which take most of the time.")
@options.learning_options
@options.seed_option
@options.json_option
def command(
    data: str,
    systems: tuple[str, ...],
    k: int,
    quality: str | None,
    beside: tuple[str, ...],
    ties: str,
    vote_tie: str,
    plan: bool,
    half_width: float,
    price: float,
    examples: int,
    figures: Path | None,
    frequency: str | None,
    no_intervals: bool,
    learning: options.Learning,
    seed: int,
    as_json: bool,
) -> None:
    """Compare every system with people: HUSE, and its parts quality (HUSE-Q) and diversity (HUSE-D).

    DATA must mark the outputs of people, hold judgments, and the log-probability of every output, people's too,
    under each system.

    \b
    assay huse outputs.jsonl
    assay huse data:huse/summarization --json
    assay huse outputs.jsonl --plan --price 0.02
    """
    from assay.analyses.huse.analysis import huse
    from assay.io import load
    from assay.study.huse_words import as_json_value, as_text, notes

    dataset = load(data)
    study = huse(
        dataset,
        systems=systems,
        k=k,
        quality=quality,
        beside=beside,
        ties=ties,  # type: ignore[arg-type]
        vote_tie=vote_tie,  # type: ignore[arg-type]
        intervals=plan or not no_intervals,
        **learning.arguments(dataset, [*filter(None, [quality]), *beside]),
        seed=seed,
    )
    plans = study.plans(half_width=half_width, price=price) if plan else {}
    if as_json:
        options.print_json(as_json_value(study, dataset, examples, plans))
    else:
        click.echo(as_text(study, dataset, examples, plans))
    for note in notes(study):
        options.say(note)
    if figures is not None:
        _write_figures(study, dataset, figures, frequency, plan)


def _write_figures(study: HuseStudy, dataset: Dataset, folder: Path, frequency: str | None, curves: bool) -> None:
    from assay.analyses.huse.pictures import huse_figures
    from assay.io.results import make_folder, write_text

    make_folder(folder)
    for name, figure in huse_figures(study, dataset, frequency=frequency, curves=curves).items():
        write_text(figure.svg(name), folder / f"{name}.svg")
        options.say(f"wrote {folder / name}.svg")
