"""`python -m bench.long.logprobs`: log-probabilities of 10,000 short texts under SmolLM2, against bare forward passes.

Ours and the peer take turns in blocks of 1,000 texts, so that a busy machine slows both. `--blocks 0:5` measures some,
`--end model` counts the end of every text, which is one more token of each that the network sees.
"""

import argparse
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from assay.backends.language.local import LocalModel
from assay.backends.language.opening import open_model
from assay.backends.language.protocol import Reading, ToScore
from assay.io.answers import AnswerStore
from assay.run.models import score_texts
from assay.run.requests import Requests
from bench.bench_models import forward_only
from bench.table import best_cpu
from bench.texts import short_responses

BLOCKS, BLOCK = 10, 1000


def main() -> None:
    """Print a row for each block, and the ratio of the sums."""
    parser = argparse.ArgumentParser(prog="python -m bench.long.logprobs", description=__doc__)
    parser.add_argument("--blocks", default=f"0:{BLOCKS}", metavar="FIRST:LAST")
    parser.add_argument("--end", default="none", choices=("none", "model"))
    arguments = parser.parse_args()
    first, last = map(int, arguments.blocks.split(":"))
    reading = Reading(end=arguments.end)
    texts = short_responses(BLOCKS * BLOCK)
    model = open_model("smollm2")
    assert isinstance(model, LocalModel)
    model.score([ToScore("", "load the model before the clock starts")])
    bare = ours = 0.0
    print("| texts | bare forward passes, CPU s | log-probabilities, CPU s | ratio |")
    print("| --- | --- | --- | --- |", flush=True)
    with TemporaryDirectory() as place:
        requests = Requests(store=AnswerStore(Path(place)))
        for number in range(first, last):
            block = texts[number * BLOCK : (number + 1) * BLOCK]
            bare += best_cpu(partial(forward_only, model, block), 1)
            ours += best_cpu(partial(logprobs, model, block, reading, requests), 1)
            n = (number + 1 - first) * BLOCK
            print(f"| {n:,} | {bare:.1f} | {ours:.1f} | {ours / bare:.3f} |", flush=True)


def logprobs(model: LocalModel, texts: list[str], reading: Reading, requests: Requests) -> None:
    """Score texts through the store."""
    score_texts(model, [ToScore("", text, reading) for text in texts], requests)


if __name__ == "__main__":
    main()
