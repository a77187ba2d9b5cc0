"""`assay split`: texts for generators and for judges."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli import options


class Percentages(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic from click 8.4 on
    """Three percentages, `train/valid/test`."""

    name = "train/valid/test"

    def convert(
        self, value: str | tuple[float, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        """Read `40/5/5`."""
        if not isinstance(value, str):
            return value
        try:
            train, valid, test = map(float, value.split("/"))
        except ValueError:
            self.fail(f"{value!r} is not three percentages such as 40/5/5.", param, ctx)
        return train, valid, test


@click.command("split")
@options.data_argument
@click.option(
    "--generator", type=Percentages(), default="40/5/5", show_default=True, help="Human texts for generators."
)
@click.option("--judge", type=Percentages(), default="40/5/5", show_default=True, help="Percent for judges.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="NAME",
    help="An output column whose values must not be in two parts, such as an author; repeatable.",
)
@options.seed_option
@options.json_option
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Output file or folder.")
def command(
    data: str,
    generator: tuple[float, ...],
    judge: tuple[float, ...],
    columns: tuple[str, ...],
    seed: int,
    as_json: bool,
    output: Path,
) -> None:
    """Split texts among generators and judges: train, valid and test.

    Writes the data with two columns: split_for (generator or judge) and split (train, valid or test). Human texts are
    divided among all six parts, generated ones among those of judges. Outputs that share a text, an item or a value of
    --column are in one part.

    \b
    assay split reviews.jsonl -o split.jsonl --column author
    assay split outputs.jsonl -o split.jsonl --generator 0/0/0 --judge 80/10/10
    """
    from collections import Counter

    from assay.io import load, save
    from assay.part import Cell
    from assay.part.text import text_table
    from assay.run.split import FOR, PLACES, SPLIT, split

    dataset = split(load(data), generator=generator, judge=judge, columns=columns, seed=seed)
    save(dataset, output)
    kinds = ("human" if human else "generated" for human in dataset.human)
    counts = Counter(zip(dataset.outputs.columns[FOR], dataset.outputs.columns[SPLIT], kinds, strict=True))
    kinds_of = ("human", "generated")
    rows: list[list[Cell]] = [[role, part, *(counts[role, part, kind] for kind in kinds_of)] for role, part in PLACES]
    header = [FOR, SPLIT, *kinds_of]
    if as_json:
        parts = [dict(zip(header, row, strict=True)) for row in rows]
        options.print_json({"output": str(output), "seed": seed, "parts": parts})
    else:
        click.echo(text_table(header, rows))
    options.say(f"wrote {len(dataset):,} outputs to {output}")
