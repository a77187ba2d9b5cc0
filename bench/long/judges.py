"""`python -m bench.long.judges`: SmolLM2 as a judge of the whole sample, for docs/judge.md and docs/probe.md.

Prints the card of the judge and the table of several judges, and draws docs/probe.svg. A killed run goes on: answers
are in the answer store. `--twice` asks everything with two empty stores and compares the bytes.
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np

import assay
from assay import AnswerStore, Dataset, Requests
from assay.part import Part
from assay.part.markup import markdown_table
from assay.sample import PATH

DOCS = Path(__file__).parents[2] / "docs"
NAME, JUDGE = "smollm2", "judge('smollm2', 'typicality', answer='compared')"
OVERLAP = ("bleu", "chrf", "rouge", "meteor", "cider", "ter")
OTHERS = ("neighbors(criterion='typicality')", "nb", "svm", "text_listener", "length")
N_TEXTS = 60


def main() -> None:
    """Print each table as soon as it is known."""
    parser = argparse.ArgumentParser(prog="python -m bench.long.judges", description=__doc__)
    parser.add_argument("--twice", action="store_true")
    if parser.parse_args().twice:
        print("the same bytes twice:", same_bytes_twice(), flush=True)
    beside_people(asked(assay.load(PATH)))
    wind_tunnel(assay.load(PATH))


def asked(data: Dataset, how: Requests | None = None) -> Dataset:
    """The data with what SmolLM2 says of it."""
    with timed("judging"):
        return assay.judge(data, "smollm2", "typicality", answer="compared", annotator=NAME, requests=how).dataset


def same_bytes_twice() -> bool:
    """Ask about the whole sample with two empty stores."""
    written = []
    for _ in range(2):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "judged.jsonl"
            assay.save(asked(assay.load(PATH), Requests(store=AnswerStore(Path(folder) / "answers"))), path)
            written.append(path.read_bytes())
    return written[0] == written[1]


def beside_people(judged: Dataset) -> None:
    """The card of SmolLM2, and all judges in one table."""
    with timed("beside people"):
        part = assay.probe(judged, [NAME, *OVERLAP, *OTHERS], "typicality", perturbations=())
    for name in ("probe_agreement", "probe_judges", "probe_biases"):
        print(table_of(part, name), end="\n\n")
    human = "human(criterion='typicality')"
    answers = np.array([next(j.value for j in one.judgments if j.annotator == NAME) for one in judged.iter_outputs()])
    people = assay.score(assay.load(PATH), [human])[human].values
    words = np.log2([len(text.split()) for text in judged.outputs.text])
    for name, values in (("SmolLM2", answers), ("people", people)):
        print(
            f"{name}: {values.min():.2f} to {values.max():.2f}, mean {values.mean():.2f}, SD {values.std():.2f}, "
            f"r with log2 of the length {np.corrcoef(values, words)[0, 1]:.2f}"
        )
    for number, system in enumerate(judged.systems.id):
        mine = judged.outputs.system == number
        print(f"{system}: people {people[mine].mean():.2f}, SmolLM2 {answers[mine].mean():.3f}", flush=True)


def wind_tunnel(data: Dataset) -> None:
    """The figure, and its numbers."""
    with timed("wind tunnel"):
        part = assay.probe(data, [*OVERLAP, *OTHERS, JUDGE], n_texts=N_TEXTS)
    (DOCS / "probe.svg").write_text(part.pictures[0].svg(), encoding="utf-8")
    print(table_of(part, "probe"), *part.answers["trust"], sep="\n")


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Tell the CPU time."""
    start = process_time()
    yield
    print(f"{what}: {process_time() - start:.0f} CPU s", file=sys.stderr, flush=True)


def table_of(part: Part, name: str) -> str:
    """One table of a part, as Markdown."""
    return markdown_table(next(one for one in part.tables if one.name == name))


if __name__ == "__main__":
    main()
