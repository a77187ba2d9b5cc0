"""`assay neighbors`: quality from the most similar judged outputs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli import options
from assay.cli.show import figures_option, result_options, show, write_table

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("neighbors")
@options.data_argument
@click.option("--train", metavar="DATA", help="Judged outputs to learn from. Default: leave-one-out on DATA.")
@click.option("--kernel", default="bleu", show_default=True, help="bleu, rouge_l, meteor, chrf, cosine, bertscore, ...")
@click.option("--tau", type=float, help="Similarity threshold of a neighbor. Default: the kernel's.")
@click.option(
    "-a", "--min-neighbors", type=options.count(), default=5, show_default=True, help="Abstain with fewer neighbors."
)
@click.option(
    "-b",
    "--max-fraction",
    type=float,
    default=0.66,
    show_default=True,
    help="Abstain with a larger share of neighbors.",
)
@click.option("--tokenizer", help="For bleu (default chars) and rouge_l (default whitespace).")
@click.option(
    "--order", "orders", type=options.count(), multiple=True, help="N-gram orders of bleu. Default: 2, 3 and 4."
)
@click.option("--encoder", help="Encoder folder for cosine and bertscore. Default: minilm.")
@click.option(
    "--weights",
    type=click.Choice(["uniform", "similarity"]),
    default="uniform",
    show_default=True,
    help="Neighbor weights.",
)
@click.option("--criterion", help="The criterion to learn, if there are several.")
@click.option("--column", help="Learn a numeric output column (grades) instead of judgments.")
@click.option("--scale", type=float, help="Divisor of quality. Default: the largest single judgment.")
@click.option("--dedupe", is_flag=True, help="Keep one output per context and text.")
@click.option(
    "--fold",
    type=click.Choice(["output", "item", "system"]),
    default="output",
    show_default=True,
    help="What is held out: the output, its item and its copies, or its whole system.",
)
@click.option("--subsample", type=float, default=1.0, show_default=True, help="Share of the training texts to use.")
@click.option(
    "--most",
    type=options.count(2),
    default=10_000,
    show_default=True,
    help="Sample this many if more texts are judged: all pairs are compared.",
)
@click.option("--alpha", type=float, default=0.1, show_default=True, help="Miscoverage rate of the intervals.")
@click.option("--sweep", "study", flag_value="sweep", help="Coverage against correlation over tau, a and b.")
@click.option(
    "--tune", "study", flag_value="tune", help="Choose tau, a and b: the highest rho with sufficient coverage."
)
@click.option("--min-coverage", type=float, default=0.4, show_default=True, help="Coverage that --tune requires.")
@click.option("--sizes", "study", flag_value="sizes", help="Learning curve: 20 draws per training-set size.")
@click.option("--covered", "study", flag_value="covered", help="Annotators on texts with and without estimates.")
@click.option("--across", multiple=True, metavar="DATA", help="Train on one dataset, estimate another; repeatable.")
@click.option("--compare", multiple=True, metavar="KERNEL", help="Compare with other kernels; repeatable.")
@options.seed_option
@options.workers_option
@figures_option
@options.output_option(".jsonl or .csv, a row per output or setting")
@result_options
def command(
    data: Given,
    train: str | None,
    across: tuple[str, ...],
    form: str,
    as_json: bool,
    figures: Path | None,
    output: Path | None,
    **settings: Any,
) -> None:
    """Estimate the quality of outputs from the most similar judged outputs, or abstain with a reason.

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
        raise click.UsageError("choose one of --sweep, --tune, --sizes, --covered, --across and --compare.")
    if train and questions and questions != ["study"]:
        raise click.UsageError(f"--{questions[0]} takes no --train: it trains on each dataset in turn.")
    if output is not None:
        check_path(output, ROW_ENDINGS)
    part = neighbors(
        load(data),
        train=load(train) if train else None,
        across={name: load(name) for name in across},
        name=str(data),
        **settings,
    )
    write_table(part, part.tables[-1].name, output)
    show(part, form, as_json, figures=figures)
