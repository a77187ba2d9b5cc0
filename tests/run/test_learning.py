"""What fitted evaluators learn from: a training set with one bank of texts, checked before anything is computed."""

import numpy as np
import pytest

from assay import Dataset, score
from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import EvaluatorFactory, Shape, evaluator, fitted
from assay.references import References, given
from tests.run.probe import probe
from tests.run.test_folds import data, outputs

GIVEN = given()


def other(n: int = 6, **about: object) -> Dataset:
    rows = [{"item": f"o{i}", "system": "abz"[i % 3], "text": f"{i} says a new text", **about} for i in range(n)]
    return Dataset.from_records(rows)


@pytest.mark.parametrize("train", [None, other()], ids=["folds", "train"])
def test_training_and_scored_texts_number_their_tokens_and_ngrams_alike(train: Dataset | None) -> None:
    probing, meetings = probe()
    score(data(), [probing()], train=train, folds=None if train else 2)
    for learnt, scored in meetings:
        assert learnt.bank is scored.bank
        tokens, (grams, _) = scored.tokens("whitespace"), scored.ngrams("whitespace", 2)
        met: dict[str, set[int]] = {}
        for batch in (learnt, scored):
            for output, text in zip(outputs(batch), batch.candidates.tolist(), strict=True):
                assert tokens.spell(text) == output.text.split(), "the rows of the batch are those of its outputs"
                first = int(tokens.offsets[text])
                for at, word in enumerate(output.text.split()):
                    met.setdefault(word, set()).add(int(tokens.ids[first + at]))
                for at, pair in enumerate(zip(output.text.split(), output.text.split()[1:], strict=False)):
                    met.setdefault(" ".join(pair), set()).add(int(grams[1, first + at]))
        assert met and all(len(ids) == 1 for ids in met.values())


def test_fitted_evaluators_of_a_run_share_one_bank() -> None:
    (one, first), (two, second) = probe(), probe()
    renamed = EvaluatorFactory(two.factory.function, two.about)
    renamed.factory = type(two.factory)("second", two.factory.function)
    score(data(), [one(), renamed()], train=other())
    assert first[0].scored.bank is second[0].scored.bank


def test_references_of_training_units_are_theirs() -> None:
    met: list[tuple[list[str], list[list[str]]]] = []

    @evaluator(scale="any", needs=("references",))
    def referring(*, references: References = GIVEN) -> Shape:
        """Notes the references it is fitted on."""

        def fit(train: Batch, rng: np.random.Generator) -> None:
            texts = [train.texts[int(row)] for row in train.candidates]
            met.append(
                (
                    texts,
                    [train.texts.take(rows).to_list() for rows in map(train.references.__getitem__, range(len(train)))],
                )
            )

        return fitted(fit, lambda state, batch: np.zeros(len(batch)))

    def rows(name: str) -> list[dict[str, object]]:
        return [
            {
                "item": f"{name}{i}",
                "text": f"{name} {i}",
                "references": [f"{name} {i} of {k}" for k in range(i % 3 + 1)],
            }
            for i in range(8)
        ]

    here, there = rows("here"), rows("there")
    there[3]["text"] = "here 3"
    score(Dataset.from_records(here), [referring()], train=Dataset.from_records(there))
    score(Dataset.from_records(here), [referring()], folds=2)
    expected = {row["text"]: row["references"] for row in [*there, *here]}
    assert [len(texts) for texts, _ in met] == [7, 4, 4]
    for texts, references in met:
        assert references == [expected[text] for text in texts]


def test_a_scored_system_is_left_out_of_the_training_set() -> None:
    probing, meetings = probe()
    plain = score(data(), [probing()], train=other())["probing()"]
    assert [{o.system for o in outputs(meeting.train)} for meeting in meetings] == [{"a", "b", "z"}]
    meetings.clear()
    apart = score(data(), [probing()], train=other(), folds="system")["probing()"]
    for meeting in meetings:
        judged = {o.system for o in outputs(meeting.scored)} - {"people"}
        assert {o.system for o in outputs(meeting.train)} == {"a", "b", "z"} - judged
    assert len(meetings) == 3
    assert not np.array_equal(plain.values, apart.values)
    assert plain.signature != apart.signature
    assert other().fingerprint[:16] in plain.signature


@pytest.mark.parametrize("folds", [5, "annotator", "column:topic"])
def test_folds_beside_a_training_set_are_refused(folds: object) -> None:
    probing, _ = probe()
    with pytest.raises(EvaluatorError, match="with a training set there are no folds"):
        score(data(), [probing()], train=other(), folds=folds)  # type: ignore[arg-type]


def learner(*lessons: str) -> EvaluatorFactory:
    @evaluator(scale="any")
    def pupil() -> Shape:
        """Learns nothing of what it asks for."""
        return fitted(lambda train, rng: None, lambda state, batch: pytest.fail("computed"), learns_from=lessons)

    return pupil


@pytest.mark.parametrize(
    ("lesson", "message"),
    [
        ("judgments", 'pupil learns from judgments, and the training data has none. Add "judgments"'),
        ("judgments:quality", "judgments of 'quality', and the training data has none"),
        ("human", "human texts, and the training data has none. Mark"),
        ("generated", "pupil learns from context, and the training data has none"),
        ("logprobs", "logprobs, and the training data has none"),
        ("choices", "choices, and the training data has none"),
        ("references", "references, and the training data has none"),
        ("column:grade", "the column 'grade' of outputs, and the training data has none"),
        ("column:name", "numbers in the column 'name' of outputs, and the training data has none there"),
        ("set_column:label", "the column 'label' of sets, and the training data has none"),
    ],
)
def test_what_there_is_to_learn_from_is_checked_before_anything_is_computed(lesson: str, message: str) -> None:
    asked = learner("context", lesson)()
    with pytest.raises(EvaluatorError) as raised:
        score(data(), [asked], train=other(name="x"))
    assert message in str(raised.value)


def test_several_criteria_want_a_choice_and_one_of_them_is_enough() -> None:
    votes = [{"annotator": "w", "criterion": criterion, "value": 1} for criterion in ("fluency", "sense")]
    train = other(judgments=votes)
    with pytest.raises(EvaluatorError, match="one criterion, and the training data has several: fluency, sense"):
        score(other(), [learner("judgments")()], train=train)
    with pytest.raises(EvaluatorError, match="Did you mean 'fluency'"):
        score(other(), [learner("judgments:fluenci")()], train=train)


def test_without_a_training_set_the_data_itself_must_have_it() -> None:
    with pytest.raises(EvaluatorError, match=r"and the data has none.*Or give other data to learn from with --train"):
        score(other(), [learner("judgments")()])


def test_neighbors_with_a_training_set_need_no_judgments_in_what_they_score() -> None:
    asked = "neighbors(min_neighbors=1, max_fraction=1.0)"
    assert score(other(), [asked], train=data())[asked].n > 0
