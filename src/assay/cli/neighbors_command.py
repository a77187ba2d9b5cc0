"""`assay neighbors`: the quality of outputs from the judged outputs most like them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from assay.cli import options
from assay.cli.show import figures_option, result_options, show, write_table


@click.command("neighbors")
@options.data_argument
@click.option(
    "--train", metavar="DATA", help="Judged outputs to learn from; without it DATA is checked against itself."
)
@click.option("--kernel", default="bleu", show_default=True, help="bleu, rouge_l, meteor, chrf, cosine, bertscore, ...")
@click.option("--tau", type=float, help="Similarity that makes a neighbor; by default the kernel's.")
@click.option(
    "-a", "--min-neighbors", type=options.count(), default=5, show_default=True, help="With fewer: no estimate."
)
@click.option(
    "-b", "--max-fraction", type=float, default=0.66, show_default=True, help="With a larger share: no estimate."
)
@click.option("--tokenizer", help="For bleu (chars by default) and rouge_l (whitespace).")
@click.option(
    "--order", "orders", type=options.count(), multiple=True, help="N-gram lengths of bleu; 2, 3 and 4 by default."
)
@click.option("--encoder", help="Encoder folder, for cosine and bertscore; minilm by default.")
@click.option(
    "--weights",
    type=click.Choice(["uniform", "similarity"]),
    default="uniform",
    show_default=True,
    help="How much each neighbor counts.",
)
@click.option("--criterion", help="The judgments to learn, where there are several kinds.")
@click.option("--column", help="Learn this numeric column of the outputs (grades) instead of judgments.")
@click.option("--scale", type=float, help="What quality is divided by; by default the largest single judgment.")
@click.option("--dedupe", is_flag=True, help="Keep one of the outputs with the same context and text.")
@click.option(
    "--fold",
    type=click.Choice(["output", "item", "system"]),
    default="output",
    show_default=True,
    help="What a check leaves out: the output, its item and its copies, or its whole system.",
)
@click.option("--subsample", type=float, default=1.0, show_default=True, help="Share of the training texts to use.")
@click.option(
    "--most",
    type=options.count(2),
    default=10_000,
    show_default=True,
    help="Of more judged texts draw this many: each is compared with each.",
)
@click.option("--alpha", type=float, default=0.1, show_default=True, help="How often intervals may miss.")
@click.option("--sweep", "study", flag_value="sweep", help="Study coverage against correlation as tau, a, b change.")
@click.option("--tune", "study", flag_value="tune", help="Choose tau, a and b: the highest rho with enough coverage.")
@click.option("--min-coverage", type=float, default=0.4, show_default=True, help="What --tune calls enough.")
@click.option("--sizes", "study", flag_value="sizes", help="Study training sets of several sizes, 20 draws of each.")
@click.option("--covered", "study", flag_value="covered", help="Study annotators on texts with and without estimates.")
@click.option("--across", multiple=True, metavar="DATA", help="Study training on one data set, estimating another.")
@click.option("--compare", multiple=True, metavar="KERNEL", help="Study the same texts under other kernels.")
@options.seed_option
@options.workers_option
@figures_option
@options.output_option(".jsonl or .csv, a row per output or setting")
@result_options
def command(
    data: str,
    train: str | None,
    across: tuple[str, ...],
    form: str,
    as_json: bool,
    figures: Path | None,
    output: Path | None,
    **settings: Any,
) -> None:
    """Estimate the quality of outputs from the judged outputs most like them, or abstain and say why.

    \b
    assay neighbors judged.jsonl                          leave-one-out check on judged data
    assay neighbors new.jsonl --train judged.jsonl        estimates for new texts
    assay neighbors judged.jsonl --sweep                  coverage against correlation
    assay neighbors judged.jsonl --tune                   choose tau, a and b

    Prints mean squared error, Spearman's rho and coverage beside the baselines; -o writes the estimates.
    """
    from assay.analyses.neighbors.part import neighbors
    from assay.io import load
    from assay.io.results import ROW_ENDINGS, check_path

    questions = [name for name in ("study", "compare") if settings[name]] + (["across"] if across else [])
    if len(questions) > 1:
        raise click.UsageError("ask one thing at a time: --sweep, --tune, --sizes, --covered, --across or --compare.")
    if train and questions and questions != ["study"]:
        raise click.UsageError(f"--{questions[0]} takes no --train: each data set is learnt from in turn.")
    if output is not None:
        check_path(output, ROW_ENDINGS)
    part = neighbors(
        load(data),
        train=load(train) if train else None,
        across={name: load(name) for name in across},
        name=data,
        **settings,
    )
    write_table(part, part.tables[-1].name, output)
    show(part, form, as_json, figures=figures)
