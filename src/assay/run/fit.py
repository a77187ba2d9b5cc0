"""Fit an evaluator on a whole data set, and save it for other texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from assay.applied import Applied, with_model
from assay.errors import EvaluatorError
from assay.evaluator import Evaluator, Fitted
from assay.io.fitted_models import new_model_folder, read_model, write_model
from assay.needs import choose_unit
from assay.records import Dataset
from assay.registry import parse
from assay.run.learning import Learning
from assay.run.one_pass import Run, RunSettings


def fit(
    evaluator: str | Evaluator, dataset: Dataset, folder: str | Path, *, unit: str | None = None, seed: int = 0
) -> Evaluator:
    """Fit an evaluator on all of a data set and write it to a new folder; return it ready to score other data.

    The folder is written atomically and holds plain arrays: reading it executes nothing. Score with it as
    `EVALUATOR(model='FOLDER')`, with the parameters it was fitted with.

    Args:
        evaluator: a fitted evaluator, by name, signature or value.
        dataset: the training data.
        folder: where to write; must not exist.
        unit: the unit to score, where the evaluator offers several.
        seed: the random seed.
    """
    evaluator = parse(evaluator) if isinstance(evaluator, str) else evaluator
    shape = evaluator.shape
    if isinstance(shape, Applied):
        raise EvaluatorError(f"{evaluator!r} is fitted already. Leave out 'model' to fit it on other data.")
    inner = [part for part in evaluator.parts(dataset) if isinstance(part.shape, Fitted) and part != evaluator]
    if inner and not isinstance(shape, Fitted):
        raise EvaluatorError(
            f"{evaluator.name} does not learn itself; {inner[0].name}, which it uses, does. Fit that, and name its "
            f"folder: {inner[0].name}(model=...)."
        )
    if not isinstance(shape, Fitted):
        raise EvaluatorError(f"{evaluator.name} does not learn, so there is nothing to fit. Score with it directly.")
    path = new_model_folder(folder)
    if inner:
        raise EvaluatorError(
            f"{evaluator.name} uses {inner[0].name}, which learns too. Fit that first, and name its folder: "
            f"{inner[0].name}(model=...)."
        )
    Learning(train=dataset).check(dataset, [evaluator])
    kind = choose_unit(dataset, [evaluator], unit)
    batch = Run(dataset, RunSettings(Learning(seed=seed))).over(kind).batch(evaluator)
    state = shape.fit(batch, np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0]))
    write_model(path, evaluator.signature, kind, shape.save(state) if shape.save else state, dataset, seed)
    return with_model(evaluator, read_model(str(path)))
