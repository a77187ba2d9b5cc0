"""Names, calls and signatures."""

from keyword import iskeyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import parse
from assay.errors import EvaluatorError
from assay.grammar import Call, parse_call, print_call

literals = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=5,
)
names = st.from_regex(r"[a-z_]{1,8}", fullmatch=True).filter(lambda name: not iskeyword(name))
calls = st.recursive(
    st.builds(Call, names, st.lists(literals, max_size=2).map(tuple), st.dictionaries(names, literals, max_size=2)),
    lambda inner: st.builds(
        Call, names, st.lists(inner, max_size=2).map(tuple), st.dictionaries(names, inner, max_size=1)
    ),
    max_leaves=4,
)


@given(calls)
def test_printed_calls_parse_back(call: Call) -> None:
    assert parse_call(print_call(call)) == call
    assert parse_call(print_call(call) + "|assay:0.1.0") == call


@pytest.mark.parametrize(
    "text",
    [
        *("", "bleu(", "1", "'bleu'", "bleu(x+1)", "a.b()", "bleu(**{})", "[f() for f in x]", "lambda: 1"),
        *("__import__('os').system('ls')", "bleu(\0)", "(" * 500, "bleu(x={1: 2})"),
    ],
)
def test_anything_but_a_call_with_literals_is_rejected_and_never_run(text: str) -> None:
    with pytest.raises(EvaluatorError, match="cannot read"):
        parse_call(text)


def test_a_signature_spells_every_parameter_and_the_version() -> None:
    evaluator = parse("bleu(max_order=2)")
    assert evaluator.signature.startswith("bleu(max_order=2, smoothing='exp'")
    assert evaluator.signature.endswith("references=given())|assay:0.1.0")


def test_equal_parameters_make_equal_evaluators() -> None:
    assert parse("bleu") == parse("bleu(max_order=4)") != parse("bleu(max_order=3)")
    assert len({parse("bleu"), parse("bleu()"), parse("bleu(tokenizer='13a')")}) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("blue", "no evaluator 'blue'. Did you mean 'bleu'?"),
        ("bleu(references=neerest(k=2))", "no evaluator 'neerest'. Did you mean 'nearest'?"),
        ("bleu(maxorder=3)", "bleu has no parameter 'maxorder'. Did you mean 'max_order'?"),
        ("bleu(max_order='x')", "must be a whole number. Got 'x' instead."),
        ("bleu(max_order=True)", "must be a whole number. Got True instead."),
        ("bleu(smoothing='ex')", "Did you mean 'exp'?"),
        ("human()", "human needs the parameter 'criterion': write human(criterion=...)."),
        ("human('a', criterion='b')", "human got 'criterion' twice."),
        ("column('a', 'b')", "column takes at most 1 parameters, not 2."),
        ("bleu(tokenizer='13b')", "no tokenizer '13b'. Did you mean '13a'?"),
        ("bleu(references=bleu())", "'references' of bleu must be"),
    ],
)
def test_mistakes_are_reported(text: str, message: str) -> None:
    with pytest.raises(EvaluatorError) as caught:
        parse(text)
    assert message in str(caught.value)


def test_an_integer_is_accepted_as_a_float() -> None:
    assert parse("bleu(smoothing='floor', smooth_value=1)").params["smooth_value"] == 1.0


@pytest.mark.parametrize(
    "text",
    [
        *("bleu(" * 150 + ")" * 150, "bleu(x=" + "-" * 3000 + "1)", "bleu(x=" + "1+" * 3000 + "1)", "a" + ".b" * 3000),
        *("bleu(x=" + "[" * 150 + "]" * 150 + ")", "reduce(" * 25 + "bleu" + ")" * 25),
        *("bleu(x=0x" + "f" * 5000 + ")", "bleu(x=1e999)", "bleu(x=-1e999)", "bleu(x='\\ud800')", "bleu('\ud800')"),
        *("bleu(max_order=2, max_order=3)", "bleu(x='\\d', y=f'{1}')"),
    ],
)
def test_values_python_cannot_represent_are_rejected(text: str) -> None:
    with pytest.raises(EvaluatorError, match="cannot read") as caught:
        parse_call(text)
    assert len(str(caught.value)) < 1000
