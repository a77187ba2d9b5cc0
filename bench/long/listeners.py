"""`python -m bench.long.listeners`: SmolLM2 as a text listener on model texts, for a table of docs/text_listener.md.

It reads the texts of every fourth context, with `--every 1` of all, with `--contexts N` of the first N of these;
distractors come from all contexts in any case. A killed run goes on: log-probabilities are in the answer store.
"""

import argparse
import sys
from time import process_time

import numpy as np

import assay
from assay import Dataset
from assay.analyses.communicate.groups import groups
from assay.analyses.communicate.heard import Heard
from assay.analyses.communicate.probe import fall, with_shuffled_words
from assay.distractors import with_choices
from assay.metaeval.estimate import Estimate

LISTENER = "lm_listener('smollm2')"
DATA = ("dectest200-resp", "dectest200-story")
CONFIDENCE = 0.95


def main() -> None:
    """Print a row as soon as it is known."""
    parser = argparse.ArgumentParser(prog="python -m bench.long.listeners", description=__doc__)
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--contexts", type=int, default=1000)
    parser.add_argument("--only", choices=DATA)
    parser.add_argument("--shuffle", action="store_true", help="also how far the score falls when words are shuffled")
    chosen = parser.parse_args()
    header = ["data", "contexts", "5 choices", "10 choices", "by fifths of temperature, 5 choices"]
    header += ["fall when words are shuffled"] if chosen.shuffle else []
    print("|", " | ".join(header), "|")
    print("|", " | ".join("---" for _ in header), "|", flush=True)
    for name in DATA:
        if chosen.only in (None, name):
            start = process_time()
            print(
                "|", " | ".join(cells_of(name, chosen.every, chosen.contexts, shuffle=chosen.shuffle)), "|", flush=True
            )
            print(f"{name}: {process_time() - start:.0f} CPU s", file=sys.stderr, flush=True)


def cells_of(name: str, every: int, most: int, *, shuffle: bool) -> list[str]:
    """Accuracy with 5 and 10 choices, by temperature, and what shuffled words do."""
    data = assay.load(f"data:diversity/{name}")
    games = {n: games_of(data, n, every, most) for n in (10, 5)}
    heard = {n: heard_in(game) for n, game in games.items()}
    five, ten = heard[5], heard[10]
    by_temperature = [
        f"{five.accuracy(group.keep, CONFIDENCE).value:.3f}"
        for group in groups(five, "temperature")
        if group.kind == "temperature"
    ]
    cells = [name, str(len(games[5].items)), bounded(overall(five)), bounded(overall(ten)), ", ".join(by_temperature)]
    if shuffle:
        after = heard_in(with_shuffled_words(games[5], 0))
        cells.append(bounded(fall(five.column, after.column, games[5].outputs.item, CONFIDENCE)))
    return cells


def overall(heard: Heard) -> Estimate:
    """The share of hits."""
    return heard.accuracy(np.ones(len(heard.rows), bool), CONFIDENCE)


def bounded(one: Estimate) -> str:
    """A value with its interval."""
    return f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]"


def games_of(data: Dataset, n_choices: int, every: int, most: int) -> Dataset:
    """Games of some of the contexts, with distractors from all."""
    game = with_choices(data, n_choices=n_choices, seed=0)
    return game.select((game.outputs.item % every == 0) & (game.outputs.item < every * most))


def heard_in(game: Dataset) -> Heard:
    """What SmolLM2 understands."""
    return Heard.of(LISTENER, assay.score(game, [LISTENER])[LISTENER], game)


if __name__ == "__main__":
    main()
