"""`assay testbed`: generators trained on one's own texts, judged, and the judges judged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli import model_options, options, stop
from assay.cli.run_command import report_progress
from assay.cli.several import several
from assay.cli.show import result_options, show
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("testbed")
@options.data_argument
@click.option(
    "-o", "--output", metavar="FOLDER", type=click.Path(path_type=Path), required=True,
    help="Folder of the study; name it again to go on.",
)  # fmt: skip
@several("--kinds", "kinds", metavar="KIND", help="Generators to train, as of assay fit generator. Default: all.")
@several("--models", "models", metavar="MODEL", help="Language models that are sampled as they are, such as smollm2.")
@click.option("--n", type=options.count(2), help="Texts of each system. Default: 150, or as many as there are items.")
@model_options.sweep_option("--temperature", "1,.7,.5", "Temperatures of the word LSTM, each of which makes a system.")
@click.option("--attributes", default="", metavar="COLUMNS", help="Columns for conditioned generators: rating,product.")
@click.option("--tune", metavar="MODEL", help="Pretrained language model that the generator fine_tuned begins with.")
@click.option("--reader", metavar="MODEL", help="Language model of the simulated readers. Default: word trigrams.")
@click.option("--quick", is_flag=True, help="A small study, with trainings too short to be good.")
@options.seed_option
@result_options
def command(
    data: Given,
    output: Path,
    kinds: tuple[str, ...],
    models: tuple[str, ...],
    n: int | None,
    temperature: str,
    attributes: str,
    tune: str | None,
    reader: str | None,
    quick: bool,
    seed: int,
    form: str,
    as_json: bool,
) -> None:
    """Train generators on the human texts of DATA, let them write, judge them and the judges, and write a report.

    The study of Garbacea et al. (2019) on texts of one's own, without people: simulated readers stand in for them, and
    are named as such. One half of the texts is for generators, the other for judges. What is finished is kept: after
    an interrupt the same command goes on.

    \b
    assay testbed reviews.jsonl -o study
    assay testbed reviews.jsonl -o first --kinds lstm ngram --quick
    """
    from assay.io import load
    from assay.tester_study.testbed import testbed

    try:
        part = testbed(
            load(data),
            output,
            kinds=kinds,
            models=models,
            n=n,
            temperature=model_options.numbers_of("--temperature", temperature),
            attributes=[name.strip() for name in attributes.split(",") if name.strip()],
            tune=tune,
            reader=reader,
            quick=quick,
            seed=seed,
            progress=report_progress,
        )
    except KeyboardInterrupt:
        stop("stopped; run the same command to resume")
    show(part, form, as_json)
    options.say(f"report: {part.headline['report']}")
    if part.headline["failed"]:
        raise AssayError("a step failed; the report has the reason, and the other steps.")
