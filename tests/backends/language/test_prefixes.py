"""Prompts that begin alike: grouped as well as can be, computed once, with the values they have alone."""

from functools import cache
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.backends.language import prefixes
from assay.backends.language.local import LocalModel
from assay.backends.language.opening import open_model
from assay.backends.language.prefixes import shared_beginnings
from assay.backends.language.protocol import Reading, ToScore
from assay.run.models import _together
from tests.tiny_models import tiny_language_model

PROMPTS = st.lists(st.lists(st.integers(0, 2), max_size=5).map(tuple), max_size=8)


def alike(prompts):
    return next(
        (n for n, column in enumerate(zip(*prompts, strict=False)) if len({*column}) > 1), min(map(len, prompts))
    )


def most_saved(prompts, worth):
    """Every way of cutting sorted prompts into runs, by brute force."""
    ordered = sorted(prompts)

    @cache
    def best(start):
        if start == len(ordered):
            return 0
        runs = (ordered[start:stop] for stop in range(start + 1, len(ordered) + 1))
        return max(max(0, (len(run) - 1) * alike(run) - worth) + best(start + len(run)) for run in runs)

    return best(0)


@given(prompts=PROMPTS, worth=st.integers(0, 6))
@example(prompts=[(0,), (0,), (0, 0, 0), (0, 0, 0)], worth=0)
@example(prompts=[(0, 1), (0, 2), (0, 3, 3, 3), (0, 3, 3, 3)], worth=0)
def test_groups_begin_alike_and_no_others_save_more(prompts, worth):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prefixes, "WORTH_SHARING", worth)
        groups = shared_beginnings(prompts)
    grouped = [place for places, _ in groups for place in places]
    assert len(grouped) == len({*grouped})
    for places, length in groups:
        assert alike([prompts[place] for place in places]) == length
    saved = sum((len(places) - 1) * length - worth for places, length in groups)
    assert saved == most_saved(prompts, worth)


def test_a_common_beginning_is_computed_once_and_changes_no_value(monkeypatch):
    model = open_model(str(tiny_language_model()))
    assert isinstance(model, LocalModel)
    rng = np.random.default_rng(0)
    begin = "".join(rng.choice(list("abcd"), 40))
    wanted = [
        ToScore(begin + "".join(rng.choice(list("abcd"), rng.integers(0, 9))), "ab"[: 1 + n % 2], Reading(end="none"))
        for n in range(16)
    ]
    alone = [model.score([one])[0].logprob for one in wanted]
    sizes = []
    network = model.forward.network
    forward = network.forward

    def counted(*args, **kwargs):
        sizes.append(kwargs["input_ids"].numel())
        return forward(*args, **kwargs)

    monkeypatch.setattr(network, "forward", counted)
    model.forward.__dict__.pop("_takes_columns", None)
    together = [one.logprob for one in model.score(wanted)]
    np.testing.assert_allclose(together, alone, atol=1e-5)
    assert np.std(alone) > 0.1
    assert sum(sizes) < 40 + 16 * 12  # not 16 times the beginning


def test_a_network_without_such_a_memory_computes_every_prompt(monkeypatch):
    model = open_model(str(tiny_language_model()))
    wanted = [ToScore("abcd" * 10 + "ab"[n % 2], "ab", Reading(end="none")) for n in range(16)]
    before = [one.logprob for one in model.score(wanted)]
    network = model.forward.network
    forward = network.forward

    def forgetful(*args, **kwargs):
        assert kwargs.get("past_key_values") is None
        return SimpleNamespace(logits=forward(*args, **kwargs).logits, cache_params=object())

    monkeypatch.setattr(network, "forward", forgetful)
    model.forward.__dict__["_takes_columns"] = False
    np.testing.assert_allclose([one.logprob for one in model.score(wanted)], before, atol=1e-5)


def test_only_wanted_columns_have_logits_whether_the_network_can_leave_others_out_or_not():
    forward = open_model(str(tiny_language_model())).forward
    rows = [[1, 2, 3, 4], [1, 3, 2]]
    whole = forward.logits(rows)
    for takes in (True, False):
        forward._takes_columns = takes
        np.testing.assert_array_equal(forward.logits(rows, keep=[1, 2]), whole[:, [1, 2]])


def test_prompts_that_begin_alike_are_asked_together_and_others_by_length():
    shared = [ToScore(f"{'The same instruction. ' * 4}{n % 3}", "a", Reading()) for n in range(9)]
    ordered = [shared[place].prompt for place in _together(shared)]
    assert sum(a != b for a, b in pairwise(ordered)) == 2
    apart = [ToScore(f"{n}" * (1 + n % 5), "a", Reading()) for n in range(9)]
    lengths = [len(apart[place].prompt) for place in _together(apart)]
    assert lengths == sorted(lengths, reverse=True)
