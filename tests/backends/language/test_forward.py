"""How rows are cut into passes: as cheaply as can be, and no value depends on it."""

from functools import cache
from inspect import signature

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.backends.language import forward, prefixes
from assay.backends.language.forward import by_length
from assay.backends.language.local import LocalModel
from assay.backends.language.opening import open_model
from assay.backends.language.protocol import Reading, Sampling, ToScore
from tests.tiny_models import tiny_language_model


def cost(lengths, a_pass):
    return len(lengths) * max(lengths) + a_pass


def least_cost(lengths, most, a_pass):
    """Every way of cutting rows, the longest first, by brute force; a row that is too long is alone."""
    ranked = sorted(lengths, reverse=True)

    @cache
    def best(start):
        if start == len(ranked):
            return 0
        runs = (ranked[start:stop] for stop in range(start + 1, len(ranked) + 1))
        fitting = [run for run in runs if len(run) == 1 or cost(run, 0) <= most]
        return min(cost(run, a_pass) + best(start + len(run)) for run in fitting)

    return best(0)


@given(lengths=st.lists(st.integers(1, 9), max_size=9), most=st.integers(1, 30), a_pass=st.integers(0, 12))
@example(lengths=[], most=8, a_pass=4)
@example(lengths=[9, 9, 1], most=8, a_pass=4)
def test_every_row_is_in_one_pass_and_no_other_passes_cost_less(lengths, most, a_pass):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forward, "MOST_TOKENS", most)
        patch.setattr(forward, "PASS", a_pass)
        groups = [[lengths[place] for place in group] for group in by_length(lengths)]
        places = [place for group in by_length(lengths) for place in group]
    assert sorted(places) == list(range(len(lengths)))
    assert [length for group in groups for length in group] == sorted(lengths, reverse=True)
    assert all(len(group) == 1 or cost(group, 0) <= most for group in groups)
    assert sum(cost(group, a_pass) for group in groups) == least_cost(tuple(lengths), most, a_pass)


@pytest.mark.parametrize(("a_pass", "n_passes"), [(1, 12), (20, 3), (10_000, 1)])
def test_texts_of_many_lengths_have_the_same_values_in_few_and_in_many_passes(monkeypatch, a_pass, n_passes):
    model = open_model(str(tiny_language_model()))
    assert isinstance(model, LocalModel)
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("abcd"), 1 + n % 12)) for n in range(36)]
    wanted = [ToScore("", text, Reading(end="none"), per_token=True) for text in texts]
    alone = [model.score([one])[0].token_logprobs for one in wanted]
    monkeypatch.setattr(forward, "PASS", a_pass)
    sizes = []
    logits = model.forward.logits

    def counted(rows, side, keep):
        sizes.append(len(rows) * max(map(len, rows)))
        return logits(rows, side, keep)

    monkeypatch.setattr(model.forward, "logits", counted)
    together = [one.token_logprobs for one in model.score(wanted)]
    for ours, theirs in zip(together, alone, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)
    assert len(sizes) == n_passes
    if n_passes == 12:  # one for each length
        assert sum(sizes) <= sum(map(len, texts))


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_a_row_that_is_too_long_for_a_pass_has_the_same_value_part_by_part(monkeypatch, kind):
    model = open_model(str(tiny_language_model(kind=kind)))
    assert isinstance(model, LocalModel)
    rng = np.random.default_rng(0)
    text, other = ("".join(rng.choice(list("abcd"), 40)) for _ in range(2))
    readings = [Reading(end="none"), Reading(), Reading(Sampling(0.7, top_p=0.9)), Reading(window=17, stride=9)]
    wanted = [ToScore(prompt, text, one, per_token=True) for one in readings for prompt in ("", "ab", other[:20])]
    wanted += [ToScore(other[:20], end, per_token=True) for end in ("a", "b" * 30)]  # after one prompt
    monkeypatch.setattr(prefixes, "WORTH_SHARING", 4)
    at_once = model.score(wanted)
    monkeypatch.setattr(forward, "MOST_TOKENS", 6)
    columns = []
    network = model.forward.network.forward

    def counted(*args, **options):
        found = network(*args, **options)
        columns.append(found.logits.shape[1])
        return found

    counted.__signature__ = signature(network)
    monkeypatch.setattr(model.forward.network, "forward", counted)
    in_parts = model.score(wanted)
    for ours, theirs in zip(in_parts, at_once, strict=True):
        np.testing.assert_allclose(ours.token_logprobs, theirs.token_logprobs, atol=1e-5)
    assert max(columns) <= 6
    # A network that cannot go on from what it saw computes the row at once.
    monkeypatch.setattr(model.forward, "_remembers", False)
    alone = model.score(wanted[:1])[0]
    np.testing.assert_allclose(alone.token_logprobs, at_once[0].token_logprobs, atol=1e-5)
    assert columns[-1] == 40
