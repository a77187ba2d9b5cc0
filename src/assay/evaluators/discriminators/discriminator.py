"""What all discriminators share: balanced classes, a random search of settings, and calibrated probabilities.

The training texts are cut into held-back folds, identical texts and texts of one item in one fold. Settings are drawn
at random and compared by their log loss on one of the folds; the best ones are trained once without each fold, which
gives margins of texts that a model has not seen; Platt scaling (1999) turns those into probabilities; the model that
scores is trained on all of the texts. Classes weigh the same, so one half means "no idea" whatever the
number of human and generated texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Fitted, Scored, State, fitted
from assay.evaluators.discriminators.learner import Examples, Features, Floats, Learner, Mask, Settings
from assay.kernels.statistics.calibration import Scaling, balanced_weights, log_loss, platt_scaling
from assay.run.folds import independent_parts
from assay.scores import Gaps

FOLDS = 3
UNKNOWN = "nothing in the text occurs in the training texts"


def discriminator(
    features: Features,
    learner: Learner,
    search: int,
    settled: Mapping[str, Any] | None = None,
    unknown_because: str = UNKNOWN,
) -> Fitted:
    """Make the shape of a discriminator: its score is the probability that a human wrote the text.

    A set of texts is human if all of its texts are.

    Args:
        features: how texts become rows.
        learner: the classifier.
        search: how many settings are tried, the usual ones first.
        settled: values of parameters that were left open.
        unknown_because: why some units have no features.
    """
    if search < 1:
        raise EvaluatorError(f"search must be 1 or more, not {search}: with 1, the usual settings are taken.")

    def fit(train: Batch, rng: np.random.Generator) -> State:
        human = np.minimum.reduceat(train.dataset.human[train.outputs.values], train.outputs.offsets[:-1])
        known, rows = features.learn(train)
        examples = Examples(rows, human, balanced_weights(human), known)
        fold = held_back_folds(train, human, rng)
        settings = _searched(learner, examples, fold, search, rng)
        margins = _held_back_margins(learner, examples, fold, settings, rng)
        scaling = platt_scaling(margins, human, examples.weights)
        trained = learner.train(examples, settings, None, rng)
        learnt = {f"model {name}": part for name, part in trained.model.items()}
        return {**known, **learnt, "settings": dict(settings), "scaling": list(scaling)}

    def score(state: State, batch: Batch) -> Scored:
        rows, unknown = features.rows(state, batch)
        probability = Scaling(*state["scaling"]).probability(learner.margins(model_of(state), rows))
        return Scored(np.where(unknown, np.nan, probability), Gaps.where(len(batch), {unknown_because: unknown}))

    return fitted(fit, score, learns_from=("human", "generated"), settled=settled, reads=("text",))


def model_of(state: State) -> dict[str, Any]:
    """The learner's part of what a discriminator learnt."""
    return {name.removeprefix("model "): part for name, part in state.items() if name.startswith("model ")}


def held_back_folds(train: Batch, human: Mask, rng: np.random.Generator) -> NDArray[np.int64]:
    """A fold for every training text, both classes in each; what shares an item or a text shares the fold.

    Where there are too few items, only identical texts are kept together.
    """
    outputs = train.outputs.values[train.outputs.offsets[:-1]]  # the first one of a set stands for it
    texts = train.dataset.outputs.text.codes()[outputs].astype(np.int64)
    for groups in (independent_parts(train.dataset)[outputs], texts):
        numbers = [np.unique(groups[human == one]) for one in (True, False)]
        if min(map(len, numbers)) >= FOLDS:
            fold = _dealt(groups, human, rng)
            if all(len(np.unique(fold[human == one])) == FOLDS for one in (True, False)):
                return fold
    counts = [len(np.unique(texts[human == one])) for one in (True, False)]
    raise EvaluatorError(
        f"a discriminator needs at least {FOLDS} different human and {FOLDS} different generated texts to learn from, "
        f"and here are {counts[0]} and {counts[1]}. Give more training texts."
    )


def _dealt(groups: NDArray[np.int64], human: Mask, rng: np.random.Generator) -> NDArray[np.int64]:
    """Deal shuffled groups to folds in turn: those with human texts, then the others."""
    _, first, group = np.unique(groups, return_index=True, return_inverse=True)
    by_appearance = np.argsort(np.argsort(first))  # numbers that do not depend on how groups are coded
    group = by_appearance[group]
    share = np.bincount(group, weights=human) / np.bincount(group)
    order = rng.permutation(len(share))
    order = order[np.argsort(-share[order], kind="stable")]
    fold_of_group = np.empty(len(share), np.int64)
    fold_of_group[order] = np.arange(len(share)) % FOLDS
    return fold_of_group[group]


def _searched(
    learner: Learner, examples: Examples, fold: NDArray[np.int64], search: int, rng: np.random.Generator
) -> Settings:
    """The settings with the smallest calibrated log loss on the first fold, as they were trained."""
    kept, held_back = _split(examples, fold, 0)
    best, smallest = learner.usual, np.inf
    for attempt in range(search):
        trained = learner.train(kept, learner.draw(rng) if attempt else learner.usual, held_back, rng)
        margins = learner.margins(trained.model, held_back.rows)
        scaling = platt_scaling(margins, held_back.human, held_back.weights)
        loss = log_loss(scaling.probability(margins), held_back.human, held_back.weights)
        if loss < smallest:
            best, smallest = trained.settings, loss
    return best


def _held_back_margins(
    learner: Learner, examples: Examples, fold: NDArray[np.int64], settings: Settings, rng: np.random.Generator
) -> Floats:
    margins = np.empty(len(fold))
    for number in range(FOLDS):
        kept, held_back = _split(examples, fold, number)
        model = learner.train(kept, settings, None, rng).model
        margins[fold == number] = learner.margins(model, held_back.rows)
    return margins


def _split(examples: Examples, fold: NDArray[np.int64], number: int) -> tuple[Examples, Examples]:
    return examples.take(np.flatnonzero(fold != number)), examples.take(np.flatnonzero(fold == number))
