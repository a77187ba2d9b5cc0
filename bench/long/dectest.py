"""`python -m bench.long.dectest`: decTest of SmolLM2 on replies and endings of stories, the table of docs/generate.md.

`--only TASK` measures one of them. A killed run goes on: drawn texts are in the answer store.
"""

import argparse
import sys
from time import process_time

import assay
from assay.cli.model_options import numbers_of
from assay.part import Bounded

METRICS = ("distinct", "cos_sim")
CONTEXTS, TEXTS, TOKENS = 30, 10, 24
TEMPERATURES = numbers_of("--sweep", ".2:1.2:10")  # those of the commands in the docs: a text depends on every digit
# Task, data set whose first contexts are prompts, template, and what Tevet and Berant (2021) measured on other models.
TASKS = (
    ("replies", "data:diversity/dectest200-resp", "A: {context}\nB: {text}", (".89", ".89")),
    ("stories", "data:diversity/dectest200-story", "{context} {text}", (".76", ".71")),
)


def main() -> None:
    """Print a row as soon as it is known."""
    parser = argparse.ArgumentParser(prog="python -m bench.long.dectest", description=__doc__)
    parser.add_argument("--only", choices=[task for task, *_ in TASKS])
    only = parser.parse_args().only
    print("| task | contexts | CPU minutes | `distinct` | `cos_sim` | distinct-n, published | cos-sim, published |")
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for task, source, template, published in TASKS:
        if only not in (None, task):
            continue
        start = process_time()
        rhos = measure(source, template)
        minutes = (process_time() - start) / 60
        print("|", " | ".join([task, str(CONTEXTS), f"{minutes:.1f}", *rhos, *published]), "|", flush=True)


def measure(source: str, template: str) -> list[str]:
    """Rho with temperature of each metric, with its interval over contexts."""
    data = assay.load(source)
    first = data.select(data.outputs.item < CONTEXTS)
    drawn = assay.generate(
        first,
        "smollm2",
        n=TEXTS,
        temperature=TEMPERATURES,
        max_tokens=TOKENS,
        template=template,
        progress=lambda done, total: print(f"\r{done}/{total}", end="", file=sys.stderr, flush=True),
    )
    part = assay.dectest(drawn.dataset, METRICS)
    cells = [row[1] for row in part.tables[0].rows]
    return [
        f"{cell.value:.3f} ({cell.low:.3f} to {cell.high:.3f})".replace("0.", ".")
        for cell in cells
        if isinstance(cell, Bounded)
    ]


if __name__ == "__main__":
    main()
