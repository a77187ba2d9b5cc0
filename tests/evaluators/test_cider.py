"""CIDEr-D equals pycocoevalcap's, CIDEr a plain version of the paper's formula."""

from pathlib import Path

import numpy as np
import pytest
from pycocoevalcap.cider.cider_scorer import CiderScorer

from assay import Dataset, save, score
from assay.errors import DataError
from assay.registry import parse
from tests.oracles import overlap as plain
from tests.overlap_cases import dataset, real_cases, strange_cases


def peer_scores(cases: list[tuple[str, list[str]]], sigma: float = 6.0) -> np.ndarray:
    scorer = CiderScorer(n=4, sigma=sigma)
    for text, references in cases:
        scorer += (text, references)
    return scorer.compute_score()[1]


@pytest.mark.parametrize("sigma", [6.0, 1.5])
def test_cider_d_equals_pycocoevalcap(data: Path, sigma: float) -> None:
    cases = strange_cases(1000) + real_cases(data, 1500)
    name = f"cider(sigma={sigma})"
    table = score(dataset(cases), [name])
    expected = peer_scores(cases, sigma)
    assert table[name].values == pytest.approx(expected, rel=0, abs=1e-6)
    assert table.by_system()[name].values == pytest.approx([expected.mean()], rel=0, abs=1e-6)


def test_plain_cider_equals_pycocoevalcap_where_clipping_and_length_do_nothing(data: Path) -> None:
    cases = real_cases(data, 3600, seed=1)
    ours = score(dataset(cases), ["cider(variant='plain')"])["cider(variant='plain')"].values
    theirs = peer_scores(cases, sigma=1e9)
    unclipped = [i for i, (text, references) in enumerate(cases) if not clips(text, references)]
    assert len(unclipped) >= 2000
    assert ours[unclipped] == pytest.approx(theirs[unclipped], rel=0, abs=1e-6)
    assert (ours >= theirs - 1e-9).all()  # clipping can only lower a score


def clips(text: str, references: list[str]) -> bool:
    """Tell whether any n-gram occurs more often in the text than in a reference that has it."""
    for order in range(1, 5):
        mine = plain.ngrams(text.split(), order)
        for reference in references:
            theirs = plain.ngrams(reference.split(), order)
            if any(mine[gram] > theirs[gram] for gram in mine.keys() & theirs.keys()):
                return True
    return False


@pytest.mark.parametrize(("variant", "sigma"), [("plain", None), ("d", 6.0)])
def test_equal_to_the_plain_formula(data: Path, variant: str, sigma: float | None) -> None:
    cases = real_cases(data, 25)
    documents = [[reference.split() for reference in references] for _, references in cases]
    expected = [
        plain.cider(text.split(), document, documents, sigma is not None, sigma)
        for (text, _), document in zip(cases, documents, strict=True)
    ]
    name = f"cider(variant='{variant}')"
    assert score(dataset(cases), [name])[name].values == pytest.approx(expected, abs=1e-9)


def test_documents_of_each_system_are_a_run_of_its_own(data: Path) -> None:
    cases = {"a": real_cases(data, 40, seed=2), "b": real_cases(data, 30, seed=3)}
    both = Dataset.from_records(
        {"text": text, "references": references, "system": system}
        for system, of_system in cases.items()
        for text, references in of_system
    )
    found = score(both, ["cider(documents='system')"])["cider(documents='system')"].values
    assert found == pytest.approx(np.concatenate([peer_scores(cases["a"]), peer_scores(cases["b"])]), abs=1e-6)


def test_given_documents_are_read_from_a_file_and_named_by_content(data: Path, tmp_path: Path) -> None:
    cases = real_cases(data, 60, seed=4)
    path = tmp_path / "documents.jsonl"
    save(dataset(cases), path)
    evaluator = parse(f"cider(documents={str(path)!r})")
    assert parse(evaluator.signature) == evaluator
    # The same references as documents: the same scores as pooled, even for a few of the units.
    found = score(dataset(cases[:5]), [evaluator])[repr(evaluator)].values
    assert found == pytest.approx(peer_scores(cases)[:5], abs=1e-6)
    save(dataset(cases[:30]), path)
    with pytest.raises(DataError, match="has changed"):
        parse(evaluator.signature)


def test_one_document_is_a_gap() -> None:
    column = score(dataset([("a cat", ["a cat"])]), ["cider"])["cider"]
    assert np.isnan(column.values).all()
    assert "two units" in column.gaps[0]
