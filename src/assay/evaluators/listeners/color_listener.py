"""Neural listeners for games with colors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.backends.listener_training import Games, Kind, Recipe, network_of, train, weights_of
from assay.backends.listener_training import listen as listen_with
from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Scored, Shape, State, evaluator, fitted
from assay.kernels.points.colors import fourier_features, hsv_of_rgb
from assay.kernels.ragged import Ragged, running_offsets
from assay.kernels.statistics.beliefs import row_sums
from assay.listening import CAUTION, Heard, ListenerScore, choices_of, clicks_of, direction, items_of, scored
from assay.text.colors import rgb_of_text
from assay.text.descriptions import description_tokens, frequent_words
from assay.text.strings import Strings

EPOCHS: dict[Kind, int] = {"literal": 7, "pragmatic": 8}
LEAST_COUNT = 2
"""Words that the training data has less often are all the same unknown word."""
UNKNOWN, N_SPECIAL = 1, 3
MOST_WORDS = 100


@dataclass(frozen=True, eq=False)
class Model:
    """A trained network and the words it knows."""

    network: Any
    words: Strings


@evaluator(
    needs=("choices",),
    scale="0 to 1 (probability, hit); 0 upwards (surprisal, kl)",
    cite="Newman et al. 2020; Monroe et al. 2017",
    cautions={"output": CAUTION, "system": CAUTION},
)
def listener(
    *,
    kind: Kind = "literal",
    learns: Literal["targets", "clicks"] = "targets",
    epochs: int | None = None,
    score: ListenerScore = "probability",
) -> Shape:
    """What a network that reads the utterance takes for the target, in a game with colors.

    `kind` is `literal` (what do the words describe?) or `pragmatic` (for which color would a speaker have said this,
    among these?). It learns from what speakers meant, or with learns='clicks' from what human listeners chose.
    """
    epochs = EPOCHS[kind] if epochs is None else epochs
    if epochs < 1:
        raise EvaluatorError(f"the parameter 'epochs' of listener must be 1 or more, not {epochs}.")

    def fit(batch: Batch, rng: np.random.Generator) -> Model:
        (meant, is_known), colors = _meant(batch, learns), Colors.of(batch)
        usable = np.flatnonzero(is_known & (colors.reason == ""))
        if not len(usable):
            raise EvaluatorError(
                f"listener learns from utterances about colors with {learns}, and there are none. "
                f"{next(filter(None, colors.reason), '')}".rstrip()
            )
        texts = [description_tokens(text) for text in batch.texts.take(batch.candidates[usable])]
        words = frequent_words(texts, LEAST_COUNT)
        games = _games(batch.take(usable), Strings.of(words), colors.features(kind, usable), meant.take(usable))
        key = (learns, batch.dataset.fingerprint, str(len(batch)))
        network = train(kind, games, len(words) + N_SPECIAL, Recipe(epochs), int(rng.integers(2**31)), key)
        return Model(network, Strings.of(words))

    def listen(model: Model, batch: Batch) -> Scored:
        colors, choices = Colors.of(batch), choices_of(batch)
        usable = np.flatnonzero((colors.reason == "") & (choices.lengths > 0))
        beliefs = np.zeros(len(choices.values))
        if len(usable):
            games = _games(batch.take(usable), model.words, colors.features(kind, usable))
            beliefs[np.isin(choices.row_of, usable)] = listen_with(kind, model.network, games).values
        reasons = {reason: colors.reason == reason for reason in dict.fromkeys(colors.reason) if reason}
        return scored(Heard(Ragged(beliefs, choices.offsets), reasons), batch, score)

    def save(model: Model) -> State:
        return {"words": model.words} | {f"weights {name}": part for name, part in weights_of(model.network).items()}

    def load(state: State) -> Model:
        weights = {name.removeprefix("weights "): part for name, part in state.items() if name.startswith("weights ")}
        return Model(network_of(kind, weights), state["words"])

    return fitted(
        fit,
        listen,
        learns_from=("choices",),
        apart="game",
        save=save,
        load=load,
        settled={"epochs": epochs},
        direction=direction(score),
        scoring=("score",),
    )


def _meant(batch: Batch, learns: str) -> tuple[Ragged, NDArray[np.bool_]]:
    """What each utterance is to be understood as, and where that is known."""
    if learns == "targets":
        meant = batch.dataset.items.target.take(items_of(batch))
        return meant, meant.lengths > 0
    clicks = clicks_of(batch)
    total = row_sums(clicks)
    shares = clicks.values / np.maximum(total, 1.0)[clicks.row_of]
    return Ragged(shares, clicks.offsets), total > 0


@dataclass(frozen=True, eq=False)
class Colors:
    """The choices of a batch as colors: rows of `rgb`; why an output's choices are none is in `reason`."""

    choices: Ragged
    rgb: NDArray[np.float64]
    reason: NDArray[np.object_]

    @classmethod
    def of(cls, batch: Batch) -> Colors:
        """Read the choices."""
        choices = choices_of(batch)
        codes, distinct = batch.dataset.items.choices.texts.take(choices.values).factorize()
        rgb, problems = np.zeros((len(distinct), 3)), np.full(len(distinct), "", object)
        for row, text in enumerate(distinct):
            try:
                rgb[row] = rgb_of_text(text)
            except ValueError as error:
                problems[row] = str(error)
        reason = np.full(len(batch), "", object)
        wrong = np.flatnonzero(problems[codes] != "")[::-1]
        reason[choices.row_of[wrong]] = problems[codes[wrong]]
        return cls(Ragged(codes.astype(np.int64), choices.offsets), rgb, reason)

    def features(self, kind: Kind, rows: NDArray[np.int64]) -> tuple[Ragged, NDArray[np.float32]]:
        """The choices of some outputs as rows of Fourier features: of RGB or, for a pragmatic listener, of HSV."""
        points = self.rgb * (255 / 256 / 2) if kind == "literal" else hsv_of_rgb(self.rgb) * [1 / 360, 1 / 2, 1 / 2]
        return self.choices.take(rows), fourier_features(points).astype(np.float32)


def _games(
    batch: Batch, words: Strings, colors: tuple[Ragged, NDArray[np.float32]], meant: Ragged | None = None
) -> Games:
    """The utterances and colors of a batch, as a network takes them."""
    number = {word: place for place, word in enumerate(words, N_SPECIAL)}
    texts = [description_tokens(text)[:MOST_WORDS] for text in batch.texts.take(batch.candidates)]
    said = [[number.get(token, UNKNOWN) for token in tokens] or [UNKNOWN] for tokens in texts]
    offsets = running_offsets(np.array([len(line) for line in said], np.int64))
    choices, features = colors
    words_said = Ragged(np.array([word for line in said for word in line], np.int64), offsets)
    return Games(words_said, choices, features, choices if meant is None else meant)
