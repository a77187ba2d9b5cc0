from hypothesis import given
from hypothesis import strategies as st

from assay.text.strings import Strings

few_letters = st.text("ab\u00e9", max_size=12)


@given(st.lists(few_letters, max_size=6), st.text("ab\u00e9", min_size=1, max_size=3), st.text("abc", max_size=4))
def test_replace_equals_str_replace(texts: list[str], old: str, new: str) -> None:
    replaced = Strings.of(texts).replace(old, new)
    assert replaced.to_list() == [text.replace(old, new) for text in texts]


def test_a_pattern_across_two_texts_is_not_replaced() -> None:
    assert Strings.of(["xa", "bx", "ab"]).replace("ab", "").to_list() == ["xa", "bx", ""]


def test_replacing_in_a_slice() -> None:
    assert Strings.of(["ab", "cab", "ab"]).slice(1, 2).replace("ab", "!").to_list() == ["c!"]
