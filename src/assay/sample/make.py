"""Regenerate outputs.jsonl, byte for byte: `python -m assay.sample.make`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from math import isinf
from pathlib import Path

import numpy as np

from assay.generators.collapsed import CollapsedGenerator
from assay.generators.generator import Generator
from assay.generators.ngram import NGramGenerator, NGramModel
from assay.generators.retrieval import RetrievalGenerator
from assay.sample import PATH
from assay.sample.panel import Panel
from assay.sample.source import SourceItem, read_items

SEED = 20190604
PEOPLE = "people"
TEMPERATURES = (0.5, 0.7, 1.0, 1.3)
N_OUTPUTS = 5
N_OTHER_CONTEXTS = 3
MAX_WORDS = 30


def make(path: Path = PATH) -> None:
    """Write the sample to `path`."""
    items = read_items()
    path.write_text("".join(f"{line}\n" for line in lines(items)), encoding="utf-8", newline="\n")


CRITERIA = {
    "typicality": {
        "question": "How typical is this answer of what people say?",
        "scale": "ordinal",
        "low": 0,
        "high": 5,
        "anchors": {"0": "not an answer", "5": "very typical"},
        "better": "higher",
        "unit": "output",
        "asks": "quality",
    },
    "real": {
        "question": "Did a person write this answer?",
        "scale": "nominal",
        "labels": ["fake", "real"],
        "better": "higher",
        "unit": "output",
        "asks": "authorship",
    },
}


def lines(items: Sequence[SourceItem]) -> Iterator[str]:
    """Sample and judge the outputs of every system; yield one JSON line per output, the first with the criteria."""
    criteria: dict[str, object] = {"criteria": CRITERIA}
    systems = generators(items)
    # One random stream per purpose, so that changing one leaves the others unchanged.
    choosing, sampling, judging = np.random.default_rng(SEED).spawn(3)
    panel = Panel(items, judging)
    for item in items:
        texts: dict[str, Sequence[str]] = {PEOPLE: item.people}
        texts |= {name: system.sample(item.context, N_OUTPUTS, sampling) for name, system in systems.items()}
        shared = {"item": item.id, "context": item.context, "references": item.references}
        choice_fields = choices(item, items, choosing)
        for name, outputs in texts.items():
            for number, text in enumerate(outputs, start=1):
                line = {
                    "id": f"{item.id}/{name}/{number}",
                    **shared,
                    **choice_fields,
                    "system": name,
                    "set": f"{item.id}/{name}",
                    "text": text,
                    "human": name == PEOPLE,
                    "params": params(systems.get(name)),
                    "logprobs": logprobs(text, item.context, systems),
                    "n_tokens": len(text.split()),
                    "judgments": [vars(answer) for answer in panel.answers(text, item.context)],
                }
                yield json.dumps(line | criteria, ensure_ascii=False, separators=(",", ":"))
                criteria = {}


def generators(items: Sequence[SourceItem]) -> dict[str, Generator]:
    """Fit the six systems on the training texts.

    The vocabulary contains the words of all written texts, so that human texts have a finite log-probability under the
    n-gram systems.
    """
    training = {item.context: item.training for item in items}
    vocabulary = [word for item in items for text in item.written for word in text.split()]
    model = NGramModel(training, order=2, backoff=0.3, topic_weight=0.8, max_words=MAX_WORDS, vocabulary=vocabulary)
    ngrams = {f"ngram-t{temperature}": NGramGenerator(model, temperature) for temperature in TEMPERATURES}
    collapsed = CollapsedGenerator(NGramGenerator(model, TEMPERATURES[0]), n_modes=2, n_tries=200, seed=SEED)
    return {**ngrams, "collapsed": collapsed, "retrieval": RetrievalGenerator(training)}


def choices(item: SourceItem, items: Sequence[SourceItem], rng: np.random.Generator) -> Mapping[str, object]:
    """Hide the item's context among distractors from other items: which question does this answer?"""
    others = [other.context for other in items if other is not item]
    picked = [item.context, *(others[i] for i in rng.choice(len(others), N_OTHER_CONTEXTS, replace=False))]
    order = rng.permutation(len(picked))
    return {"choices": [picked[i] for i in order], "target": int(np.flatnonzero(order == 0)[0])}


def params(system: Generator | None) -> Mapping[str, object]:
    """Return the settings of a system; humans have none."""
    return {} if system is None else system.params


def logprobs(text: str, context: str, systems: Mapping[str, Generator]) -> Mapping[str, float | str]:
    """Return the log-probability of a text under every system; -inf is a string, because JSON has none."""
    by_system = {name: system.logprob(text, context).logprob for name, system in systems.items()}
    return {name: "-inf" if isinf(logprob) else round(logprob, 6) for name, logprob in by_system.items()}


if __name__ == "__main__":
    make()
