"""Groups of outputs: by number of choices, by difficulty, by a parameter, by system."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.analyses.communicate.heard import Heard
from assay.errors import DataError, did_you_mean
from assay.kernels.overlap.cider import tfidf_similarities
from assay.kernels.overlap.ngrams import count_ngrams
from assay.kernels.points.colors import ciede2000, lab_of_rgb
from assay.kernels.ragged import Ragged
from assay.records import Dataset
from assay.records.columns import numbers_of
from assay.text.colors import rgb_of_text
from assay.text.tokenizers import tokenize

Floats = NDArray[np.float64]
MOST_VALUES = 10
TOKENIZER = "lower+13a"


class Group(NamedTuple):
    """Some of the outputs that a listener understood."""

    kind: str
    name: str
    keep: NDArray[np.bool_]


def groups(heard: Heard, by: str | None) -> Iterator[Group]:
    """All groups that are worth a row: kinds with a single group are left out."""
    yield from _worthwhile(_by_choices(heard))
    yield from _worthwhile(_by_difficulty(heard))
    if by:
        yield from _worthwhile(_by_parameter(heard, by))
    yield from _worthwhile(_by_system(heard))


def _worthwhile(kind: Iterator[Group]) -> list[Group]:
    rows = [group for group in kind if group.keep.any()]
    return rows if len(rows) > 1 else []


def _by_choices(heard: Heard) -> Iterator[Group]:
    for n in np.unique(heard.n_choices).tolist():
        yield Group("choices", str(n), heard.n_choices == n)


def _by_difficulty(heard: Heard) -> Iterator[Group]:
    """Thirds by how near the nearest distractor is to the target: words in common, or the distance of colors."""
    nearness, what = nearest_distractor(heard.game)[heard.item], "similarity of the nearest distractor"
    if np.isnan(nearness).all():
        nearness, what = -nearest_color(heard.game)[heard.item], "CIEDE2000 to the nearest distractor"
    known = ~np.isnan(nearness)
    if not known.any():
        return
    edges = np.unique(np.quantile(nearness[known], [0, 1 / 3, 2 / 3, 1]))
    names = ("easy", "medium", "hard") if len(edges) == 4 else ("easy", "hard")
    for name, (low, high, keep) in zip(names, _cut(nearness, edges), strict=False):
        yield Group("difficulty", f"{name} ({what} {abs(low):.2f} to {abs(high):.2f})", keep)


def _by_parameter(heard: Heard, by: str) -> Iterator[Group]:
    values = parameter(heard.game, by)[heard.rows]
    known = np.unique(values[~np.isnan(values)])
    if len(known) <= MOST_VALUES:
        for value in known.tolist():
            yield Group(by, f"{value:g}", values == value)
        return
    edges = np.unique(np.quantile(values[~np.isnan(values)], np.linspace(0, 1, 6)))
    for low, high, keep in _cut(values, edges):
        yield Group(by, f"{low:g} to {high:g}", keep)


def _by_system(heard: Heard) -> Iterator[Group]:
    system = heard.game.outputs.system[heard.rows]
    # A system for each single output is none: their rows would fill pages.
    if len(np.unique(system)) > max(MOST_VALUES, len(heard.game.items) // 2):
        return
    for number, name in enumerate(heard.game.systems.id.to_list()):
        yield Group("system", name, system == number)


def _cut(values: Floats, edges: Floats) -> Iterator[tuple[float, float, NDArray[np.bool_]]]:
    """Cut at the edges; a value on an edge belongs below it."""
    for place, (low, high) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)):
        above = values >= low if place == 0 else values > low
        yield low, high, above & (values <= high)


def parameter(dataset: Dataset, name: str) -> Floats:
    """A decoding parameter or a column of the outputs, as numbers."""
    columns = dataset.outputs.columns
    key = f"params.{name}" if f"params.{name}" in columns else name
    if key not in columns:
        known = [column.removeprefix("params.") for column in columns]
        raise DataError(f"the outputs have no parameter or column {name!r}.{did_you_mean(name, known)}")
    values = numbers_of(columns[key])
    if values is None:
        raise DataError(f"the column {name!r} holds texts, not numbers.")
    return values


def nearest_distractor(game: Dataset) -> Floats:
    """How similar the nearest distractor of each item is to its target: cosine of tf-idf weighted words.

    NaN without choices, or where more than one choice is meant. Colors are no texts: NaN.
    """
    items = game.items
    choices, nearness = items.choices, np.full(len(items), np.nan)
    meant = items.target
    single = np.bincount(meant.row_of[meant.values > 0], minlength=len(items)) == 1
    usable = np.flatnonzero(single & ~are_colors(game))
    if not len(usable):
        return nearness
    codes, distinct = choices.texts.factorize()
    tokens = tokenize(distinct, TOKENIZER)
    counted = count_ngrams(tokens.ids, tokens.offsets)
    frequency = np.bincount(counted[0], minlength=len(tokens.vocabulary))
    weights = np.log((1 + len(distinct)) / (1 + frequency)) + 1
    shown = choices.numbers.take(usable).mapped(codes.astype(np.int64))
    aimed = meant.take(usable).values > 0
    others = Ragged(shown.values[~aimed], np.concatenate([[0], np.cumsum(shown.lengths - 1)]))
    similarity = tfidf_similarities(*counted, weights, shown.values[aimed], others.values, others.offsets, False)
    nearness[usable] = np.maximum.reduceat(similarity, others.offsets[:-1])
    return nearness


def nearest_color(game: Dataset) -> Floats:
    """How far the nearest distractor of each item is from its target, in CIEDE2000; NaN where choices are no colors."""
    items = game.items
    distance = np.full(len(items), np.nan)
    single = np.bincount(items.target.row_of[items.target.values > 0], minlength=len(items)) == 1
    usable = np.flatnonzero(single & are_colors(game))
    if not len(usable):
        return distance
    codes, rgb = _colors(game)
    shown, aimed = items.choices.numbers.take(usable), items.target.take(usable).values > 0
    lab = lab_of_rgb(rgb)[codes[shown.values]]
    target = lab[aimed][shown.row_of]
    apart = np.where(aimed, np.inf, ciede2000(target, lab))
    distance[usable] = np.minimum.reduceat(apart, shown.offsets[:-1])
    return distance


def are_colors(game: Dataset) -> NDArray[np.bool_]:
    """Whether the choices of each item are colors, not texts."""
    choices = game.items.choices
    codes, rgb = _colors(game)
    is_color = ~np.isnan(rgb[:, 0])[codes] if len(codes) else np.zeros(0, bool)
    n_colors = np.bincount(choices.numbers.row_of[is_color], minlength=len(choices))
    return (choices.lengths > 0) & (n_colors == choices.lengths)


def _colors(game: Dataset) -> tuple[NDArray[np.int32], Floats]:
    """The distinct color of each choice, and its RGB; NaN of a text that is no color."""
    codes, distinct = game.items.choices.texts.factorize()
    rgb = np.full((len(distinct), 3), np.nan)
    for row, text in enumerate(distinct):
        if text.startswith(("hsl", "hsv", "rgb", "lab", "#")):
            with suppress(ValueError):
                rgb[row] = rgb_of_text(text)
    return codes, rgb
