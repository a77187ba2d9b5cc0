"""The contract of listeners: scores, gaps, and the distributions beside them."""

from math import log
from pathlib import Path

import numpy as np
import pytest

from assay import DataError, Dataset, load_scores, save_scores, score
from assay.batch import Batch
from assay.evaluator import Shape, evaluator
from assay.kernels.ragged import Ragged
from assay.listening import Heard, ListenerScore, beliefs_of, choices_of, has_beliefs, listener, share_of_hits
from assay.scores import Column
from assay.text.strings import LateStrings

BELIEFS = {"sure": [1.0, 0.0, 0.0], "split": [0.5, 0.5, 0.0], "leaning": [0.7, 0.2, 0.1]}


@evaluator(needs=("choices",), scale="that of a probability")
def table_listener(*, score: ListenerScore = "probability") -> Shape:
    """A listener that looks the utterance up."""

    def listen(batch: Batch) -> Heard:
        texts = batch.texts.take(batch.candidates).to_list()
        choices = choices_of(batch)
        rows = [BELIEFS.get(text, [1 / 3] * 3)[:n] for text, n in zip(texts, choices.lengths.tolist(), strict=True)]
        unknown = np.array([text not in BELIEFS for text in texts])
        return Heard(Ragged(np.array([p for row in rows for p in row]), choices.offsets), {"unknown word": unknown})

    return listener(listen, score)


def games(*utterances: str, target: object = 0) -> Dataset:
    return Dataset.from_records(
        [
            {"text": text, "item": f"i{n}", "choices": ["a", "b", "c"], "target": target}
            for n, text in enumerate(utterances)
        ]
    )


def values(data: Dataset, kind: ListenerScore) -> list[float]:
    (column,) = score(data, [table_listener(score=kind)]).columns.values()
    return column.values.tolist()


def test_scores_of_a_single_target() -> None:
    data = games("sure", "split", "leaning")
    assert values(data, "probability") == [1.0, 0.5, 0.7]
    assert values(data, "surprisal") == pytest.approx([0.0, -log(0.5), -log(0.7)], abs=1e-12)
    assert values(data, "kl") == values(data, "surprisal")
    assert values(data, "hit") == [1.0, 0.5, 1.0]


def test_scores_of_a_speaker_with_beliefs() -> None:
    data = games("split", "leaning", target=[0.5, 0.5, 0.0])
    assert values(data, "probability") == pytest.approx([0.5, 0.45])
    assert values(data, "kl") == pytest.approx([0.0, 0.5 * log(0.5 / 0.7) + 0.5 * log(0.5 / 0.2)], abs=1e-12)
    assert values(data, "surprisal") == pytest.approx([log(2), -0.5 * log(0.7) - 0.5 * log(0.2)])
    assert values(data, "hit") == [1.0, 1.0]


def test_gaps_have_reasons() -> None:
    records = [
        {"text": "sure", "choices": ["a", "b", "c"], "target": 1},
        {"text": " ", "choices": ["a", "b", "c"], "target": 1},
        {"text": "sure"},
        {"text": "sure", "choices": ["a", "b", "c"]},
        {"text": "hm", "choices": ["a", "b", "c"], "target": 1},
    ]
    (column,) = score(Dataset.from_records(records), [table_listener(score="kl")]).columns.values()
    assert [column.gaps[row] for row in range(5)] == [
        "infinite: the listener gives no chance to what is meant",
        "empty utterance",
        "no choices",
        "no target",
        "unknown word",
    ]
    assert [bool(text) for text in column.texts or ()] == [True, False, False, True, False]


def test_distributions_survive_a_table_on_disk(tmp_path: Path) -> None:
    table = score(games("leaning", "split", "hm", target=[0.1, 0.2, 0.7]), [table_listener()])
    for ending in ("csv", "json", "parquet"):
        save_scores(table, tmp_path / f"scores.{ending}")
        (column,) = load_scores(tmp_path / f"scores.{ending}").columns.values()
        beliefs = beliefs_of(column)
        assert [beliefs.heard[row].tolist() for row in range(3)] == [[0.7, 0.2, 0.1], [0.5, 0.5, 0.0], []]
        assert beliefs.meant[0].tolist() == [0.1, 0.2, 0.7]
        assert share_of_hits(column) == (0.0, 2)


def test_share_of_hits() -> None:
    (column,) = score(games("sure", "split", "leaning"), [table_listener()]).columns.values()
    assert share_of_hits(column) == (pytest.approx(2.5 / 3), 3)


def test_other_columns_have_no_beliefs() -> None:
    column = Column.of("bleu", [0.5])
    assert not has_beliefs(column)
    with pytest.raises(DataError, match="bleu is not a column of a listener"):
        beliefs_of(column)


def test_direction() -> None:
    data = games("sure")
    kinds: list[ListenerScore] = ["probability", "hit", "kl", "surprisal"]
    assert [table_listener(score=kind).higher_is_better(data) for kind in kinds] == [True, True, False, False]


def test_distributions_are_not_written_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    (column,) = score(games("sure", "leaning"), [table_listener()]).columns.values()
    assert isinstance(column.texts, LateStrings)
    with monkeypatch.context() as patch:
        patch.setattr("assay.listening._texts", lambda *_: pytest.fail("written"))
        score(games("sure", "leaning"), [table_listener()])
    assert column.texts.to_list() == [
        '{"heard": [1.0, 0.0, 0.0], "meant": 0}',
        '{"heard": [0.7, 0.2, 0.1], "meant": 0}',
    ]


def test_utterances_of_white_space_are_empty() -> None:
    (column,) = score(games("sure", " \u3000\n", "\u00a0"), [table_listener()]).columns.values()
    assert [column.gaps[row] for row in range(3)] == ["", "empty utterance", "empty utterance"]
