"""`python -m bench.long.listeners`: SmolLM2 as a text listener on model texts, for a table of docs/text_listener.md.

It reads the texts of every fourth context, with `--every 1` of all; distractors come from all contexts either way. A
killed run goes on: log-probabilities are in the answer store.
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

LISTENER = "lm_listener('smollm2')"
DATA = ("dectest200-resp", "dectest200-story")
CONFIDENCE = 0.95


def main() -> None:
    """Print a row as soon as it is known."""
    parser = argparse.ArgumentParser(prog="python -m bench.long.listeners", description=__doc__)
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--only", choices=DATA)
    chosen = parser.parse_args()
    print("| data | contexts | 5 choices | 10 choices | by fifths of temperature, 5 choices | fall when shuffled |")
    print("| --- | --- | --- | --- | --- | --- |", flush=True)
    for name in DATA:
        if chosen.only in (None, name):
            start = process_time()
            print(row_of(name, chosen.every), flush=True)
            print(f"{name}: {process_time() - start:.0f} CPU s", file=sys.stderr, flush=True)


def row_of(name: str, every: int) -> str:
    """Accuracy with 5 and 10 choices, by temperature, and what shuffled words do."""
    data = assay.load(f"data:diversity/{name}")
    games = {n: games_of(data, n, every) for n in (10, 5)}
    heard = {n: heard_in(game) for n, game in games.items()}
    five = heard[5]
    by_temperature = [
        f"{five.accuracy(group.keep, CONFIDENCE).value:.3f}"
        for group in groups(five, "temperature")
        if group.kind == "temperature"
    ]
    shuffled = heard_in(with_shuffled_words(games[5], 0))
    lost = fall(five.column, shuffled.column, games[5].outputs.item, CONFIDENCE)
    cells = [
        f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]"
        for one in (*(heard[n].accuracy(np.ones(len(heard[n].rows), bool), CONFIDENCE) for n in (5, 10)), lost)
    ]
    n_contexts = len(games[5].items)
    return f"| {' | '.join([name, str(n_contexts), cells[0], cells[1], ', '.join(by_temperature), cells[2]])} |"


def games_of(data: Dataset, n_choices: int, every: int) -> Dataset:
    """Games of some of the contexts, with distractors from all."""
    game = with_choices(data, n_choices=n_choices, seed=0)
    return game.select(game.outputs.item % every == 0)


def heard_in(game: Dataset) -> Heard:
    """What SmolLM2 understands."""
    return Heard.of(LISTENER, assay.score(game, [LISTENER])[LISTENER], game)


if __name__ == "__main__":
    main()
