"""`python -m bench.long.testers`: every tester trained at full size, the table of docs/testers.md.

`--only KIND` trains one. The reviews carry no attributes; conditioned testers get one that is made from the texts: who
is spoken of first, by the first personal pronoun.
"""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import assay
from assay import Dataset
from assay.generators.kinds import all_kinds, why_not

WHO = {"i": "i", "my": "i", "me": "i", "we": "we", "our": "we", "you": "you", "your": "you"}
WHO |= {"he": "he", "his": "he", "she": "she", "her": "she", "it": "it", "this": "it", "they": "they", "their": "they"}
COLUMNS = ("who", "length")
HEADER = ("kind", "texts", "CPU seconds", "perplexity", "of trigrams", "likelihood is its goal")


def main() -> None:
    """Print a row as soon as a tester is trained."""
    parser = argparse.ArgumentParser(prog="python -m bench.long.testers", description=__doc__)
    parser.add_argument("--only", choices=list(all_kinds()), action="append")
    print("|", " | ".join(HEADER), "|")
    print("|", " | ".join(["---"] * len(HEADER)), "|", flush=True)
    reviews = with_attributes(assay.load("data:judges/reviews"))
    for kind in parser.parse_args().only or all_kinds():
        about = all_kinds()[kind]
        data = assay.load("data:colors/train") if about.needs == "colors" else reviews
        options: dict[str, Any] = {"attributes": COLUMNS} if "attributes" in about.options else {}
        options |= {"model": "smollm2"} if about.needs == "model" else {}
        if reason := why_not(kind, data, options.get("attributes", ()), options.get("model")):
            print(f"{kind}: {reason}", file=sys.stderr)
            continue
        start = process_time()
        with TemporaryDirectory() as place:
            training = assay.fit_generator(data, str(Path(place, kind)), kind, **options).manifest["training"]
        seconds = f"{process_time() - start:.0f}"
        perplexities = [shown(training.get(name)) for name in ("perplexity", "perplexity_of_trigrams")]
        print("|", f"`{kind}`", "|", training["texts"], "|", seconds, "|", " | ".join(perplexities), end=" | ")
        print("yes" if about.likelihood else "no", "|", flush=True)


def with_attributes(dataset: Dataset) -> Dataset:
    """The human texts, each with who is spoken of first and a third of the lengths."""
    texts = [dataset.outputs.text[row] for row in range(len(dataset)) if dataset.human[row]]
    lengths = sorted(len(text.split()) for text in texts)
    thirds = lengths[len(lengths) // 3], lengths[2 * len(lengths) // 3]
    return Dataset.from_records(
        [
            {
                "text": text,
                "who": next((WHO[word] for word in text.lower().split() if word in WHO), "nobody"),
                "length": ("short", "middle", "long")[sum(len(text.split()) > third for third in thirds)],
            }
            for text in texts
        ]
    )


def shown(value: float | None) -> str:
    """A perplexity, or a dash where there is none."""
    return "-" if value is None else f"{value:.1f}"


if __name__ == "__main__":
    main()
