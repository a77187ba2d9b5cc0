"""Numbers that mean little come with a caution, or not at all."""

from assay import Dataset, agree, score


def votes(rows: list[list[int]], lone: int | None = None) -> Dataset:
    """Items with one vote of each annotator; `lone` votes on the first item only."""
    records = [
        {
            "item": f"i{item}",
            "system": "s",
            "text": "x",
            "judgments": [{"annotator": f"a{at}", "criterion": "q", "value": vote} for at, vote in enumerate(given)],
        }
        for item, given in enumerate(rows)
    ]
    if lone is not None:
        records[0]["judgments"].append({"annotator": "lone", "criterion": "q", "value": lone})  # type: ignore[attr-defined]
    return Dataset.from_records(records)


def test_halves_that_disagree_have_no_reliability() -> None:
    part = agree(votes([[item % 5, 4 - item % 5] for item in range(30)]), ["q"])
    numbers = {number.name: number for number in part.numbers}
    brown = next(number for name, number in numbers.items() if "spearman_brown" in name)
    assert brown.value != brown.value and brown.reason == "the halves do not agree: r is below 0"


def test_a_reliability_is_not_said_to_be_below_0() -> None:
    part = agree(votes([[item % 5, (item * 7 + item // 5) % 5, item % 3] for item in range(40)]), ["q"])
    brown = next(number for number in part.numbers if "spearman_brown" in number.name)
    assert not brown.value < 0 and not brown.low < 0


def test_a_best_annotator_with_one_judgment_is_cautioned_about() -> None:
    part = agree(votes([[item % 5, item * 3 % 5, item * 2 % 5] for item in range(30)], lone=0), ["q"])
    best = [number for number in part.numbers if number.about.get("annotator") == "lone" and number.reason]
    assert any(number.reason.startswith("1 judgment only, which says little") for number in best)


def test_diversity_of_sets_of_one_text_is_cautioned_about() -> None:
    data = Dataset.from_records({"item": f"i{n}", "system": "s", "text": f"a b {n}"} for n in range(4))
    (note,) = score(data, ["distinct"], unit="set").notes
    assert note == "distinct: every set has one text, so it measures repetition within a text, not among texts"
