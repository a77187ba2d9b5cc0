"""Perplexity of outputs and of systems."""

import numpy as np
import pytest

import assay
from assay.sample import copy_to


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> assay.Dataset:
    return assay.load(str(copy_to(tmp_path_factory.mktemp("sample"))))


def test_perplexity(sample: assay.Dataset) -> None:
    own, under = "perplexity", "perplexity(under='ngram-t1.0')"
    table = assay.score(sample, [own, under], unit="system")
    row = list(table.unit).index("ngram-t1.0")
    assert table[own].values[row] == table[under].values[row]
    output = assay.score(sample, [under])
    first = sample.output(0)
    logprob = sample.logprobs.value[(sample.logprobs.output == 0)]
    code = sample.systems.id.to_list().index("ngram-t1.0")
    logprob = sample.logprobs.value[(sample.logprobs.output == 0) & (sample.logprobs.system == code)][0]
    assert output[under].values[0] == pytest.approx(np.exp(-logprob / first.n_tokens))
    retrieval = assay.score(sample, ["perplexity(under='retrieval')"])["perplexity(under='retrieval')"]
    assert "cannot say this text" in retrieval.gaps[0]
