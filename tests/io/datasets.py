"""Random datasets and files for the tests of readers and writers."""

from typing import Any

from hypothesis import strategies as st

from assay import Dataset

# Texts that are hard to store: separators, quotes, line breaks, and words that look like numbers or gaps.
HARD = [
    *("", " ", ",", '"', '""', "\n", "\r\n", "\t", "\ufeff"),
    *("1", "01", "1e3", "nan", "NA", "null", "-inf", '"1"', "[1]"),
    *(
        "1.10",
        "1.0",
        "-0.0",
        "1234567890123456789",
        '"a"',
        '"\\"1\\""',
        "\r",
        "\x00",
        "\x1b[0m",
        "\u2028",
        "\x85",
        "😀",
    ),
]
ANY_CHARACTER = st.characters(exclude_categories=["Cs"])
TEXTS = st.one_of(st.sampled_from(HARD), st.text(ANY_CHARACTER, max_size=8), st.text("ab\r\n\"',;|", max_size=5))
NAMES = TEXTS.filter(bool)
FEATURES = st.dictionaries(
    NAMES, st.one_of(TEXTS, st.integers(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False)), min_size=1
)
NUMBERS = st.one_of(st.integers(-5, 5).map(float), st.floats(allow_nan=False, allow_infinity=False))


@st.composite
def columns(draw: st.DrawFn, kinds: dict[str, bool], names: list[str]) -> dict[str, Any]:
    """Values for some of the columns; a column is numbers, including integers of any size, or texts."""
    numbers = st.one_of(st.floats(allow_nan=False), st.integers(-5, 5), st.integers(2**53 - 2, 2**64), st.booleans())
    return {name: draw(numbers if kinds[name] else NAMES) for name in names if draw(st.booleans())}


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    """A dataset with anything a flat file can represent."""
    items = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    systems = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    people = set(draw(st.lists(st.sampled_from(systems), max_size=1)))
    extra = {name: draw(st.booleans()) for name in ("metric_a", "note", "x,y", 'quo"te', "é")}
    ids = draw(st.lists(NAMES, min_size=1, max_size=6, unique=True))
    about = {item: draw(item_fields()) | {"item_columns": draw(columns(extra, list(extra)))} for item in items}
    records: list[dict[str, Any]] = []
    described: set[str] = set()
    for identity in ids:
        item, system = draw(st.sampled_from(items)), draw(st.sampled_from(systems))
        record = {"id": identity, "item": item, "system": system, "text": draw(TEXTS), "human": system in people}
        record |= about[item] if draw(st.booleans()) else {}
        if draw(st.booleans()):
            record["set"] = f"{item}:{draw(st.integers(0, 1))}"
            if record["set"] not in described:
                described.add(record["set"])
                record["set_columns"] = draw(columns(extra, list(extra)))
        record |= draw(columns(extra, list(extra)))
        record["params"] = draw(columns(extra, ["metric_a", "note"]))
        record |= draw(logprob_fields(systems))
        record["judgments"] = draw(st.lists(judgments(ids, extra), max_size=3))
        record["judgments"] += draw(st.lists(GRADES, max_size=2))
        records.append(record)
    asked = {judgment["criterion"] for record in records for judgment in record["judgments"]} | {"not asked yet"}
    declared = {name: draw(criteria()) for name in sorted(asked) if draw(st.booleans())}
    records[draw(st.integers(0, len(records) - 1))]["criteria"] = declared | {"graded": GRADED}
    return Dataset.from_records(records)


# A criterion whose answers are words or their numbers.
GRADED = {"question": "How good?", "scale": "ordinal", "low": -1, "labels": ["bad", "1", "good"], "unit": "output"}
GRADES = st.fixed_dictionaries(
    {
        "annotator": NAMES,
        "criterion": st.just("graded"),
        "value": st.sampled_from(["bad", "1", "good", -1, 0, 1]),
    }
)


@st.composite
def criteria(draw: st.DrawFn) -> dict[str, Any]:
    """A declaration that allows every answer; what it says may be empty."""
    return {
        "question": draw(TEXTS),
        "scale": draw(st.sampled_from(["", "nominal"])),
        "better": draw(st.sampled_from(["", "higher", "lower", "neither"])),
        "asks": draw(st.sampled_from(["", "quality", "preference"])),
        "aspect": draw(TEXTS),
        "anchors": {repr(number): draw(TEXTS) for number in draw(st.lists(NUMBERS, max_size=2))},
    }


@st.composite
def item_fields(draw: st.DrawFn) -> dict[str, Any]:
    choices = draw(st.lists(st.one_of(TEXTS, FEATURES), max_size=3).filter(lambda choices: len(choices) != 1))
    fields: dict[str, Any] = {
        "context": draw(TEXTS),
        "references": draw(st.lists(TEXTS, max_size=3)),
        "choices": choices,
    }
    if choices and draw(st.booleans()):
        index = st.integers(0, len(choices) - 1)
        shared = st.permutations([0.3, 0.7, 0.0][: len(choices)])
        fields["target"] = draw(st.one_of(index, shared))
    return fields


@st.composite
def logprob_fields(draw: st.DrawFn, systems: list[str]) -> dict[str, Any]:
    values = st.one_of(st.floats(-1e3, 0), st.just("-inf"))
    under = draw(st.lists(st.sampled_from(systems), unique=True, max_size=2))
    fields: dict[str, Any] = {"logprobs": {system: draw(values) for system in under}}
    if draw(st.booleans()):
        fields["n_tokens"] = draw(st.integers(0, 9))
    elif under and draw(st.booleans()):
        fields["n_tokens"] = {under[0]: draw(st.integers(0, 9))}
    return fields


@st.composite
def judgments(draw: st.DrawFn, ids: list[str], kinds: dict[str, bool]) -> dict[str, Any]:
    judgment: dict[str, Any] = {
        "annotator": draw(NAMES),
        "criterion": draw(NAMES),
        "value": draw(st.one_of(NUMBERS, NAMES)),
    }
    unit = draw(st.sampled_from(["output", "set", "system"]))
    if unit != "output":
        judgment["unit"] = unit
    elif draw(st.booleans()):
        judgment["other"] = draw(st.sampled_from(ids))
    return judgment | draw(columns(kinds, ["metric_a", "note"]))
