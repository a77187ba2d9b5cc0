"""Texts drawn in training, with a value for every word: the reward of texts that go on from there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.backends.language.recurrent import IMPOSSIBLE, WordNetwork
from assay.backends.language.word_training import Row
from assay.backends.language.words import END, START

BLOCK = 6
"""Words between two places that texts are played out from."""
ROLLOUTS = 2


@dataclass(frozen=True, eq=False)
class Played:
    """Drawn texts: their words (texts, words) with the end, how many count, and the value of each word."""

    words: Any
    lengths: Any
    values: Any

    @property
    def present(self) -> Any:
        """Which words count."""
        import torch

        return torch.arange(self.words.shape[1]) < self.lengths[:, None]

    @property
    def inputs(self) -> Any:
        """What the network read before each word."""
        import torch

        return torch.cat([torch.full_like(self.words[:, :1], START), self.words[:, :-1]], 1)


def texts_of(rows: Sequence[Row], most: int) -> tuple[Any, Any]:
    """Human texts as critics read them: words with the end, at most so many, and how many count."""
    import torch

    cut = [row[1 : most + 1] for row in rows]
    words = torch.full((len(cut), most), END)
    for place, row in enumerate(cut):
        words[place, : len(row)] = torch.tensor(row)
    return words, torch.tensor([len(row) for row in cut])


def drawn_texts(network: WordNetwork, n: int, most: int) -> tuple[Any, Any]:
    """Draw texts of at most so many words; the end counts as one."""
    import torch

    words = torch.full((n, most), END)
    with torch.no_grad():
        _go_on(network, words, torch.zeros(n, dtype=torch.long), torch.full((n,), START), None)
    return words, _lengths(words)


def played(network: WordNetwork, critic: Any, n: int, most: int) -> Played:
    """Draw texts, and play them out from several places to value their words (Yu et al. 2017)."""
    import torch

    words, lengths = drawn_texts(network, n, most)
    with torch.no_grad():
        whole = critic.rewards(words, lengths)
        values = whole[:, None].repeat(1, most)
        starts, rows, states = [], [], []
        state = None
        inputs = Played(words, lengths, values).inputs
        for done in range(BLOCK, int(lengths.max()), BLOCK):
            _, state = network.run(inputs[:, done - BLOCK : done], state)
            # The end of a text is not played on from.
            alive = (lengths > done).nonzero()[:, 0].repeat(ROLLOUTS)
            starts.append(torch.full((len(alive),), done))
            rows.append(alive)
            states.append(tuple(part[:, alive] for part in state))
        if not rows:
            return Played(words, lengths, values)
        place, row = torch.cat(starts), torch.cat(rows)
        copies = words[row].masked_fill(torch.arange(most) >= place[:, None], END)
        state = tuple(torch.cat(parts, 1) for parts in zip(*states, strict=True))
        _go_on(network, copies, place, words[row, place - 1], state)
        rewards = critic.rewards(copies, _lengths(copies))
        for start in {int(one) for one in place.tolist()}:
            # The words of a block have the mean value of the texts that go on after it.
            ours = place == start
            total = torch.zeros(n).index_add(0, row[ours], rewards[ours])
            alive = lengths > start
            values[alive, start - BLOCK : start] = (total[alive] / ROLLOUTS)[:, None]
    return Played(words, lengths, values)


def _go_on(network: WordNetwork, words: Any, places: Any, last: Any, state: Any) -> None:
    """Draw words into `words` from each text's place on, until its end or until it is full."""
    import torch

    alive, places = torch.arange(len(words)), places.clone()
    while len(alive):
        logits, state = network.run(last[:, None], state)
        logits[:, -1, START] = IMPOSSIBLE
        last = torch.multinomial(logits[:, -1].softmax(-1), 1)[:, 0]
        words[alive, places] = last
        places = places + 1
        on = ((last != END) & (places < words.shape[1])).nonzero()[:, 0]
        alive, places, last = alive[on], places[on], last[on]
        state = tuple(part[:, on].contiguous() for part in state)


def _lengths(words: Any) -> Any:
    """Words up to the first end, it included."""
    ends = words == END
    first = ends.float().argmax(-1) + 1
    return first.where(ends.any(-1), words.new_full((len(words),), words.shape[1]))
