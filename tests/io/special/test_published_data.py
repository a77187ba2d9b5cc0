"""The readers on the authors' files: counts and numbers from the papers."""

import numpy as np
import pytest

from assay.io import load
from assay.io.catalogue import entries

HERE = [name for name in entries() if entries()[name].outputs > 0]


@pytest.mark.parametrize("name", HERE)
def test_counts(data, name):
    about = entries()[name]
    dataset = load(f"data:{name}")
    assert len(dataset) == about.outputs
    assert len(dataset.judgments) == max(about.judgments, 0)


def test_huse(data):
    dataset = load("data:huse/summarization")
    assert dataset.systems.id.to_list() == ["model", "human"]
    assert dataset.human.sum() == 100
    assert set(dataset.judgments.criteria) == {"typicality"}
    assert np.bincount(dataset.judgments.value.astype(int)).tolist() == [496, 288, 627, 803, 1014, 772]
    assert set(np.bincount(dataset.judgments.unit)) == {20}
    assert len(dataset.logprobs) == 200
    assert set(dataset.logprobs.system) == {0}  # the model's, of human texts too
    assert len(set(zip(dataset.outputs.item.tolist(), dataset.outputs.text, strict=True))) == 199
    # log-probabilities of whole texts: longer texts have lower ones
    words = [len(text.split()) for text in dataset.outputs.text]
    assert np.corrcoef(words, dataset.logprobs.value)[0, 1] < -0.4
    assert len(dataset.judgments.annotators) == 93
    assert dataset.judgments.annotators[0].startswith("annotator-0")


def test_worker_ids_are_kept_only_on_request(data):
    named = load("data:huse/summarization", keep_worker_ids=True)
    assert named.judgments.annotators[0].startswith("w0")


def test_judges(data):
    """H1 and H2 of Garbacea et al. 2019, Table 2: accuracy, true positive and true negative rate in percent."""
    dataset = load("data:judges/reviews")
    real = dataset.human[dataset.judgments.unit]
    vote = dataset.judgments.value == 1
    assert rates(real, vote) == [66.61, 78.96, 54.26]

    votes = np.bincount(dataset.judgments.unit, minlength=len(dataset))
    positive = np.bincount(dataset.judgments.unit[vote], minlength=len(dataset))
    full = votes == 5
    assert full.sum() == 3540
    assert rates(dataset.human[full], positive[full] >= 3) == [72.63, 88.31, 56.95]
    sizes = dict(zip(dataset.systems.id, np.bincount(dataset.outputs.system).tolist(), strict=True))
    assert sizes.pop("Real") == 1800
    assert len(sizes) == 12 and set(sizes.values()) == {150}
    assert len(dataset.judgments.columns["comment"]) == 17920


def test_judges_kappa(data):
    """Fleiss' kappa on real/fake votes of the items with five votes is .3122, not the printed .2748."""
    dataset = load("data:judges/reviews")
    counts = np.zeros((len(dataset), 2))
    np.add.at(counts, (dataset.judgments.unit, dataset.judgments.value.astype(int)), 1)
    counts = counts[counts.sum(axis=1) == 5]
    share = counts.sum(axis=0) / counts.sum()
    agreed = ((counts**2).sum(axis=1) - 5) / 20
    assert round((agreed.mean() - (share**2).sum()) / (1 - (share**2).sum()), 4) == 0.3122


def test_diversity_sets(data):
    dataset = load("data:diversity/contest-resp")
    assert len(dataset.sets) == 220
    assert len(dataset.items) == 134  # contexts repeat across sets
    assert dataset.systems.id.to_list() == ["people"] and dataset.systems.human.all()
    assert set(dataset.sets.columns["label_value"].tolist()) == {0.0, 1.0}
    assert set(dataset.sets.columns["label_name"]) == {"content_diversity"}
    # one sample has two sets of each label
    twice = [name for name in dataset.sets.id if "#" in name]
    assert twice == ["test.ca-cb.ca::00332|1.0#2", "test.ca-cb.ca::00332|0.0#2"]


def test_decoding_parameter(data):
    dataset = load("data:diversity/dectest200-story")
    by_set = dataset.outputs.columns["params.temperature"][dataset.outputs_by_set.values]
    label = dataset.sets.columns["label_value"][dataset.outputs_by_set.row_of]
    assert np.array_equal(by_set, label)
    assert dataset.systems.id[0] == "temp0.6" and not dataset.systems.human.any()


def rates(real, vote):
    hit = real == vote
    return [round(100 * float(part), 2) for part in (hit.mean(), hit[real].mean(), hit[~real].mean())]
