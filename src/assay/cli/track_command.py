"""`assay track`: scores over several studies."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.several import several
from assay.cli.show import figures_option, result_options, show


@click.command("track")
@click.argument("studies", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--by", "measures", multiple=True, metavar="MEASURE", help="Evaluator or huse; repeatable. Default: all.")
@several("--systems", "systems", metavar="NAME", help="Systems to follow. Default: all that several studies have.")
@click.option("--title", default="Over time", show_default=True, help="Title of the page.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write a page: .html.")
@click.option("--to", "tracker", type=click.Choice(["wandb", "mlflow"]), help="Write the curves there, if installed.")
@click.option("--project", default="assay", show_default=True, help="Project of wandb, experiment of mlflow.")
@figures_option
@result_options
def command(
    studies: tuple[Path, ...],
    measures: tuple[str, ...],
    systems: tuple[str, ...],
    title: str,
    output: Path | None,
    tracker: str | None,
    project: str,
    figures: Path | None,
    form: str,
    as_json: bool,
) -> None:
    """Scores of systems over studies, in the order given: curves with intervals.

    STUDIES are output folders of `assay run`, such as one per checkpoint of a training run. A system that each study
    has under a name of its own, such as checkpoint-100, checkpoint-200, makes one curve.

    \b
    assay track runs/step-1000 runs/step-2000 runs/step-3000 --by bleu -o track.html
    """
    from assay import __version__
    from assay.analyses.track import export_track, track
    from assay.cli.options import say
    from assay.io.results import check_path, write_text
    from assay.report.html import Section, page

    if output is not None:
        check_path(output, (".html",))
    part = track(studies, measures=measures, systems=systems, title=title)
    show(part, form, as_json, figures=figures)
    if output is not None:
        facts = {"studies": str(len(studies)), "assay": __version__}
        write_text(page(title, facts, [Section("track", part)], questions=False), output)
        say(f"wrote {output}")
    if tracker is not None:
        say(f"wrote {export_track(part, tracker, project)} metrics of {len(studies)} studies to {tracker}")
