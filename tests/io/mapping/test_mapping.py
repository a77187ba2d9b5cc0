"""Mappings: paths, fields, long and wide tables, comparisons, and messages that say what would work."""

import json
from pathlib import Path

import pandas as pd
import pytest

import assay
from assay.io.mapping import read_column_map
from assay.io.mapping.paths import Path as Place


def load(tmp_path: Path, name: str, content: str, mapping: object) -> assay.Dataset:
    (tmp_path / name).write_text(content)
    return assay.load(tmp_path / name, mapping=mapping)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("a", [1]),
        ("b.c", [2]),
        ("b.d.e", [3]),
        ("l[].r", [4, 5]),
        ("l[0].r", [4]),
        ("l[-1].r", [5]),
        ("l[7].r", []),
        ("ref*", [6, 7]),
        ("b.*", [2, {"e": 3}]),
        ("x.y", [8]),
        ("j.k", [9]),
        ("m[]", ["p", "q"]),
        ("out_{system}", ["u", "v"]),
        ("out_{system:b|c}", ["v"]),
        ("`How [1-5], {x}?`", [10]),
        ("`out_{system}`", []),
        ("missing", []),
    ],
)
def test_paths(path: str, values: list[object]) -> None:
    record = {
        "a": 1, "b": {"c": 2, "d": {"e": 3}}, "l": [{"r": 4}, {"r": 5}], "ref1": 6, "ref2": 7, "x.y": 8, "x": {"y": 0},
        "j": '{"k": 9}', "m": ["p", "q"], "out_a": "u", "out_b": "v", "How [1-5], {x}?": 10,
    }  # fmt: skip
    assert [match.value for match in Place.of(path).matches(record)] == values


def test_a_mapping_on_one_line_in_toml_and_in_python_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "map.toml").write_text(
        'text = "response"\nreferences = ["ref1", "ref2"]\nsystem = "\'gpt\'"\n[judgments]\noverall = "score"\n'
    )
    line = "text=response,references=ref1,references=ref2,system='gpt',judgments.overall=score"
    table = {"text": "response", "references": ["ref1", "ref2"], "system": "'gpt'", "judgments": {"overall": "score"}}
    content = "response,ref1,ref2,score\nhi,a,b,3\n"
    one, two, three = (load(tmp_path, "x.csv", content, how) for how in (line, tmp_path / "map.toml", table))
    assert one == two == three and one.systems.id.to_list() == ["gpt"]
    assert str(read_column_map(str(read_column_map(table)))) == line


def test_values_stay_what_they_are(tmp_path: Path) -> None:
    data = load(tmp_path, "x.csv", "response,price,score,text\nhi,1.10,04,old\n", "text=response,judgments.s=score")
    assert data.outputs.columns["price"].to_list() == ["1.10"]  # type: ignore[union-attr]
    assert data.outputs.columns["file.text"].to_list() == ["old"]  # type: ignore[union-attr]
    assert data.output(0).judgments[0].value == "04"  # not a number as JSON writes them: a label


def test_gaps_among_numbers_and_labels(tmp_path: Path) -> None:
    data = load(tmp_path, "x.csv", "t,n,l\na,1,good\nb,NA,NA\nc,,\nd,2.5,bad\n", "text=t,judgments.n=n,judgments.l=l")
    values = [(one.criterion, one.value) for row in range(4) for one in data.output(row).judgments]
    assert values == [("n", 1.0), ("l", "good"), ("l", "NA"), ("n", 2.5), ("l", "bad")]


def test_a_column_per_system(tmp_path: Path) -> None:
    records = [{"q": "?", "out": {"a": "x", "b": "y"}, "score": {"a": {"o": 1}, "b": {"o": 2}}}]
    content = "".join(json.dumps(record) + "\n" for record in records)
    data = load(tmp_path, "x.jsonl", content, "text=out.{system},context=q,judgments.o=score.{system}.o")
    assert data.systems.id.to_list() == ["a", "b"] and len(data.items) == 1
    assert [data.output(row).judgments[0].value for row in range(2)] == [1.0, 2.0]


def test_a_column_whose_name_begins_like_the_second_output_of_a_comparison(tmp_path: Path) -> None:
    data = load(tmp_path, "x.csv", "id,a,other b\n1,u,v\n", "text={system:a|other b},id=id")
    assert data.systems.id.to_list() == ["a", "other b"]
    assert data.outputs.id.to_list() == ["1|a", "1|other b"]


def test_names_in_braces_may_have_dots_and_brackets(tmp_path: Path) -> None:
    line = "text={system:gpt-4.5 [new]|Llama [old]}"
    data = load(tmp_path, "x.csv", "gpt-4.5 [new],Llama [old]\nu,v\n", line)
    assert data.systems.id.to_list() == ["gpt-4.5 [new]", "Llama [old]"]
    nested = '{"out": {"a.1": ["u", "w"], "b [2]": ["v"]}}\n'
    inside = load(tmp_path, "x.jsonl", nested, "text=out.{system:a.1|b [2]}[0]")
    assert inside.systems.id.to_list() == ["a.1", "b [2]"] and inside.outputs.text.to_list() == ["u", "v"]
    with pytest.raises(assay.DataError, match=r"no column '{system:x \[1\]\|y}'"):
        load(tmp_path, "x.csv", "a,b\nu,v\n", "text={system:x [1]|y}")


def test_a_column_with_any_name_in_backticks(tmp_path: Path) -> None:
    content = 'answer,"How good, [1-5] = ?"\nhi,4\n'
    line = "text=answer,judgments.good=`How good, [1-5] = ?`"
    data = load(tmp_path, "x.csv", content, line)
    assert data.output(0).judgments[0].value == 4
    assert str(read_column_map(line)) == line
    with pytest.raises(assay.DataError, match=r"This would work: --map 'text=answer,judgments.good=`How good"):
        load(tmp_path, "x.csv", content, "text=answer,judgments.good=`How good, [1-5]`")


def test_a_row_per_annotator_and_a_column_per_item(tmp_path: Path) -> None:
    content = "who,Story 1: fluent?,Story 2: fluent?,Story 1: fun?,Story 2: fun?\np,1,2,3,4\nq,5,4,3,NA\n"
    ratings = "judgments.fluent=Story {item}: fluent?,judgments.fun=Story {item}: fun?"
    data = load(tmp_path, "x.csv", content, f"annotator=who,{ratings}")
    assert data.items.id.to_list() == ["1", "2"] and len(data.judgments) == 7
    assert assay.score(data, ["human('fluent')"])["human('fluent')"].values.tolist() == [3.0, 3.0]
    with pytest.raises(assay.DataError, match=r"whose ratings are in a row\? A mapping with \{item\} needs annotator="):
        load(tmp_path, "x.csv", content, ratings)


def test_decimal_commas_where_cells_are_separated_by_semicolons(tmp_path: Path) -> None:
    for content, expected in (("t;s\na;3,5\nb;4\n", [3.5, 4.0]), ('t,s\na,"3,5"\nb,4\n', ["3,5", "4"])):
        data = load(tmp_path, "x.csv", content, "text=t,judgments.s=s")
        assert [data.output(row).judgments[0].value for row in range(2)] == expected


def test_annotators_beside_ratings(tmp_path: Path) -> None:
    record = {"r": "hi", "annotations": [{"who": "w1", "rating": 3}, {"who": "w2", "rating": 5}]}
    mapping = "text=r,judgments.rating=annotations[].rating,annotator=annotations[].who"
    data = load(tmp_path, "x.json", json.dumps([record]), mapping)
    assert [(one.annotator, one.value) for one in data.output(0).judgments] == [("w1", 3.0), ("w2", 5.0)]
    without = load(tmp_path, "x.json", json.dumps([record]), "text=r,judgments.rating=annotations[].rating")
    assert [one.annotator for one in without.output(0).judgments] == ["annotations[0]", "annotations[1]"]


def test_long_ratings_are_merged_and_need_no_texts(tmp_path: Path) -> None:
    content = "item,system,annotator,criterion,value,seconds\n" + "".join(
        f"{item},{system},{who},{criterion},{value},{value * 10}\n"
        for value, (item, system, who, criterion) in enumerate(
            (item, system, who, criterion) for item in "12" for system in "ab" for who in "pq" for criterion in "xy"
        )
    )
    data = load(tmp_path, "r.csv", content, "value=value,criterion=criterion")
    assert (len(data), len(data.judgments), data.judgments.criteria.to_list()) == (4, 16, ["x", "y"])
    assert data.outputs.id.to_list() == ["1|a", "1|b", "2|a", "2|b"]
    assert "seconds" in data.judgments.columns
    part = assay.agree(data, resamples=10)
    assert part.numbers
    assert assay.score(data, ["human('x')"])["human('x')"].values.tolist() == [1.0, 5.0, 9.0, 13.0]
    with pytest.raises(assay.EvaluatorError, match="length needs texts, and the data has none"):
        assay.score(data, ["length"])


def test_another_text_of_the_same_output(tmp_path: Path) -> None:
    with pytest.raises(assay.DataError, match=r"r\.csv line 3: another text of the output '1'"):
        load(tmp_path, "r.csv", "id,t,who,v\n1,a,p,2\n1,b,q,3\n", "text=t,annotator=who,judgments.v=v")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["model_a", "model_b", "tie (bothbad)"], [1, -1, 0]),
        (["x", "y", "tie"], [1, -1, 0]),
        (["A", "B", "both"], [1, -1, 0]),
        (["1", "2", "1.5"], [1, -1, 0]),
        (["1", "-1", "0"], [1, -1, 0]),
    ],
)
def test_comparisons(tmp_path: Path, values: list[str], expected: list[int]) -> None:
    content = "q,model_a,model_b,ra,rb,winner,judge\n" + "".join(
        f"{q},x,y,r{q},s{q},{v},j\n" for q, v in enumerate(values)
    )
    mapping = "item=q,text=ra,other.text=rb,system=model_a,other.system=model_b,preferences.best=winner,annotator=judge"
    data = load(tmp_path, "v.csv", content, mapping)
    assert data.judgments.value.tolist() == expected and len(data) == 6
    assert assay.prefer(data, "best").numbers


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ("text=respons", r"no column 'respons', which text=respons names\. Did you mean 'response'\?"),
        ("text=respons", "the columns are prompt, response, score"),
        ("text=respons,judgments.o=score", "This would work: --map text=response,judgments.o=score"),
        ("text=zzzzz", "See what fits with: assay init x.csv"),
        ("texts=response", "no field 'texts'. Did you mean 'text'"),
        ("text", "no mapping 'text'"),
        ("judgments=score", "judgments needs a name"),
        ("text=response,text=", None),
        ("item=prompt", "names neither texts nor judgments"),
        ("item=prompt,item=score", "item is given twice"),
        ("text=out_{model}", "remembers {model}"),
        ("text=a[x]", "is not a path"),
        ("judgments.{criterion}=score,text=response", "needs a column with {criterion}"),
        ("text=response,value=score", None),
        ("value=score", "which rows are about the same output"),
    ],
)
def test_wrong_mappings_say_what_would_work(tmp_path: Path, mapping: str, message: str | None) -> None:
    content = "prompt,response,score\np,r,1\n"
    if message is None:
        assert len(load(tmp_path, "x.csv", content, mapping)) == 1
        return
    with pytest.raises(assay.DataError) as error:
        load(tmp_path, "x.csv", content, mapping)
    assert message.replace("\\", "") in str(error.value)


def test_a_file_without_texts_gets_one_message(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("prompt,response,score\n" + "p,some answer,1\n" * 980)
    with pytest.raises(assay.DataError) as error:
        assay.load(tmp_path / "x.csv")
    assert len(error.value.problems) == 3
    assert "This would work: --map text=response,context=prompt,judgments.score=score" in str(error.value)


def test_records_inside_a_document(tmp_path: Path) -> None:
    content = json.dumps({"meta": [{"a": 1}], "results": {"rows": [{"out": "hi"}]}})
    assert len(load(tmp_path, "x.json", content, "text=out,rows=results.rows")) == 1
    with pytest.raises(assay.DataError, match=r"rows=meta, rows=results\.rows"):
        load(tmp_path, "x.json", content, "text=out")


def test_a_frame_through_a_mapping() -> None:
    frame = pd.DataFrame({"response": ["a", "b"], "qid": [1, 2], "score": [3, None]})
    data = assay.load(frame, mapping="text=response,item=qid,judgments.s=score")
    assert data.items.id.to_list() == ["1", "2"] and len(data.judgments) == 1


def test_a_criterion_or_column_named_as_an_evaluator_says_what_to_write() -> None:
    data = assay.Dataset.from_records(
        [{"text": "a", "x": 1, "judgments": [{"annotator": "p", "criterion": "overall", "value": 3}]}]
    )
    with pytest.raises(assay.EvaluatorError, match=r"write human\(criterion='overall'\)"):
        assay.meta(data, ["length"], target="overall")
    with pytest.raises(assay.EvaluatorError, match=r"write column\('x'\)"):
        assay.score(data, ["x"])
