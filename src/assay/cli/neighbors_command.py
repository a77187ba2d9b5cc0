"""`assay neighbors`: the quality of outputs from the judged outputs most like them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli import options
from assay.cli.neighbors_studies import STUDIES, own_encoder

if TYPE_CHECKING:
    from assay.evaluators.neighbors.judged import Judged


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
@options.json_option
@click.option("--figure", type=click.Path(path_type=Path), help="Write the figure of the answer to this file (.svg).")
@options.output_option(".jsonl or .csv, a row per output or setting")
def command(data: str, **given: Any) -> None:
    """Estimate the quality of outputs from the judged outputs most like them, or abstain and say why.

    \b
    assay neighbors judged.jsonl                          leave-one-out check on judged data
    assay neighbors new.jsonl --train judged.jsonl        estimates for new texts
    assay neighbors judged.jsonl --sweep                  coverage against correlation
    assay neighbors judged.jsonl --tune                   choose tau, a and b

    Prints mean squared error, Spearman's rho and coverage beside the baselines; -o writes the estimates.
    """
    from assay.evaluators.neighbors.rule import Rule
    from assay.evaluators.neighbors.similarity import Similarity
    from assay.io.results import ROW_ENDINGS, check_path, write_rows, write_text
    from assay.part.text import text_table

    output, figure = given["output"], given["figure"]
    if output is not None:
        check_path(output, ROW_ENDINGS)
    if figure is not None:
        check_path(figure, [".svg"])
    given["orders"] = given["orders"] or None
    similarity = Similarity(given["kernel"], given["tokenizer"], given["orders"], own_encoder(given))
    tau = similarity.tau if given["tau"] is None else given["tau"]
    rule = Rule(tau, given["min_neighbors"], given["max_fraction"], given["weights"])
    study = _study(given)
    texts = {name: _read(name, given, learn=given["train"] is None) for name in (data, *given["across"])}
    train = _read(given["train"], given, learn=True) if given["train"] else None
    answer = STUDIES[study](texts, train, similarity, rule, given)
    if output is not None:
        write_rows(answer.rows, output)
    if figure is not None:
        write_text(answer.figure.svg(), figure)
    if given["as_json"]:
        options.print_json(answer.json)
    else:
        click.echo(text_table(answer.header, answer.table))
    for note in answer.notes:
        options.say(note)
    if output is not None:
        options.say(f"wrote {len(answer.rows)} rows to {output}")


def _study(given: dict[str, Any]) -> str:
    """The one question that is asked."""
    asked = [name for name in ("study", "across", "compare") if given[name]]
    if len(asked) > 1:
        raise click.UsageError("ask one thing at a time: --sweep, --tune, --sizes, --covered, --across or --compare.")
    if given["train"] and asked and asked != ["study"]:
        raise click.UsageError(f"--{asked[0]} takes no --train: each data set is learnt from in turn.")
    return given["study"] or (asked[0] if asked else "check")


def _read(name: str, given: dict[str, Any], learn: bool) -> Judged:
    """Read outputs with their quality; what is only to be estimated may have none."""
    from assay.errors import DataError
    from assay.evaluators.neighbors.judged import has_quality, judged_outputs, unjudged_outputs
    from assay.io import load

    dataset = load(name)
    which = {"criterion": given["criterion"], "column": given["column"]}
    if not learn and not has_quality(dataset, **which):
        texts = unjudged_outputs(dataset)
    else:
        try:
            texts = judged_outputs(dataset, scale=given["scale"], **which)
        except DataError as error:
            raise DataError(f"{name}: {error}") from None
    return texts.deduplicated() if given["dedupe"] else texts
