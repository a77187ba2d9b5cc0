"""`assay.fit_generator`: train a small generator of one's own on texts, and save it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.errors import GeneratorError
from assay.generators.kinds import FitTask, color_items, kind_named, why_not
from assay.io.fitted_models import new_model_folder
from assay.io.generator_folders import GeneratorFolder, read_generator, write_generator
from assay.named import load_named
from assay.records import Dataset

HELD_OUT = 0.1
FEWEST = 20


def fit_generator(
    dataset: Dataset,
    folder: str,
    kind: str = "lstm",
    *,
    attributes: Sequence[str] = (),
    model: str | None = None,
    steps: int | None = None,
    epochs: int | None = None,
    rounds: int | None = None,
    size: int | None = None,
    min_count: int | None = None,
    order: int | None = None,
    seed: int = 0,
) -> GeneratorFolder:
    """Train a generator on the human-written texts of a dataset, on all where none is marked, and save it to a folder.

    A tenth of the distinct texts is held out, or, where they are about choices, a tenth of the items; the perplexity on
    it is in the folder's manifest, beside that of word trigrams with the same vocabulary. A training that was
    interrupted goes on where it stopped. An option that a kind does not have is refused.

    Args:
        dataset: the texts.
        folder: a new folder.
        kind: a name in `assay.generators.kinds.all_kinds()`, such as `lstm`.
        attributes: columns of outputs or items that conditioned generators read.
        model: a pretrained language model to tune: a folder, a `.gguf` file, or the name of an installed one.
        steps: of its tuning (50).
        epochs: passes over the texts.
        rounds: of adversarial training.
        size: of embeddings and states.
        min_count: how often a word must occur to be known (2); others are read and drawn as `<unk>`.
        order: of n-grams (3).
        seed: of the held-out texts and the training.
    """
    chosen = kind_named(kind)
    given: dict[str, Any] = {
        "attributes": tuple(attributes) or None,
        "model": model,
        "steps": steps,
        "epochs": epochs,
        "rounds": rounds,
        "size": size,
        "min_count": min_count,
        "order": order,
    }
    options = {name: value for name, value in given.items() if value is not None}
    _check(kind, chosen.options, options)
    path = new_model_folder(folder)
    reason = why_not(kind, dataset, tuple(attributes), model)
    if reason:
        raise GeneratorError(f"the generator {kind!r} cannot be trained on this data: {reason}.")
    usable = dataset.human if dataset.human.any() else np.ones(len(dataset), bool)
    if chosen.needs == "colors":
        usable = usable & color_items(dataset)[dataset.outputs.item]
    rows = [row for row in np.flatnonzero(usable).tolist() if dataset.outputs.text[row].split()]
    train_rows, held_out = _split(dataset, rows, seed, by_item=chosen.needs == "colors")
    fitted = load_named(chosen.fit)(FitTask(dataset, train_rows, held_out, options, seed))
    training = {
        "fingerprint": dataset.fingerprint,
        "texts": len(train_rows),
        "held_out": len(held_out),
        "seed": seed,
        **fitted.training,
    }
    write_generator(folder, kind, fitted.settings, fitted.arrays, training)
    return read_generator(path)


def _check(kind: str, known: Sequence[str], options: dict[str, Any]) -> None:
    for name, value in options.items():
        if name not in known:
            raise GeneratorError(f"the generator {kind!r} has no option {name!r}: leave it out.")
        if isinstance(value, int) and value < (0 if name == "rounds" else 1):
            raise GeneratorError(f"{name} is {value}; give at least 1.")


def _split(dataset: Dataset, rows: Sequence[int], seed: int, by_item: bool) -> tuple[list[int], list[int]]:
    """Rows to learn from, and held-out rows: no text is in both; with `by_item` no item is."""
    texts = [" ".join(dataset.outputs.text[row].split()) for row in rows]
    if len(set(texts)) < FEWEST:
        raise GeneratorError(f"{len(set(texts))} distinct texts are too few to learn from; give at least {FEWEST}.")
    units: list[Any] = [int(dataset.outputs.item[row]) for row in rows] if by_item else list(texts)
    distinct = list(dict.fromkeys(units))
    order = np.random.default_rng(seed).permutation(len(distinct))
    held_out = {distinct[place] for place in order[: max(1, round(HELD_OUT * len(distinct)))]}
    kept = [row for row, unit in zip(rows, units, strict=True) if unit not in held_out]
    apart = [row for row, unit in zip(rows, units, strict=True) if unit in held_out]
    if not by_item:
        apart = list({text: row for row, text in zip(rows, texts, strict=True) if text in held_out}.values())
    return kept, sorted(apart, key=lambda row: dataset.outputs.text[row])
