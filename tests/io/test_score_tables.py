"""Score tables in four file formats, foreign tables, and damaged files."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest

import assay
from assay.errors import DataError, EvaluatorError
from assay.evaluator import additive, evaluator
from assay.io.score_tables import is_score_table, read_scores, save_scores
from assay.sample import PATH
from assay.score_files import load_scores
from assay.scores import Column, Gaps, ScoreTable
from assay.text.strings import Strings
from tests.metaeval.score_tables import score_table, table_of

ENDINGS = ["csv", "tsv", "json", "parquet"]
NAMES = ("a\rb", "a\r\nb", "a\nb", 'a"b', "a,b", "a\tb", " a ", "", "=1+1", "naïve 🙂", "a\x00b", "\ufeffa", "a\u2028b")


def assert_same(one: ScoreTable, two: ScoreTable) -> None:
    """Equal to the last bit, except for statistics of units without a score."""
    assert (one.kind, one.seed, one.notes) == (two.kind, two.seed, two.notes)
    assert (one.unit, one.item, one.system) == (two.unit, two.item, two.system)
    assert list(one.columns) == list(two.columns)
    for name in one.columns:
        a, b = one[name], two[name]
        assert (a.name, a.signature, a.higher_is_better, a.gaps.reasons) == (
            b.name, b.signature, b.higher_is_better, b.gaps.reasons,
        )  # fmt: skip
        assert a.values.tobytes() == b.values.tobytes(), name
        np.testing.assert_array_equal(a.gaps.codes, b.gaps.codes)
        assert a.texts == b.texts
        assert (a.statistics is None) == (b.statistics is None)
        if a.statistics is not None and b.statistics is not None:
            known = ~np.isnan(a.values)
            assert a.statistics[known].tobytes() == b.statistics[known].tobytes()


@pytest.mark.parametrize("ending", ENDINGS)
def test_tables_round_trip(tmp_path, ending):
    numbers = np.array([0.1, -0.0, np.inf, -np.inf, 1 / 3, 5e-324, 1e308, np.nan, np.nan, 2.0, 3.0, np.nan, 7.0])
    gaps = Gaps.where(13, {"not used": np.zeros(13, bool), 'a, "b"\r\nc': np.arange(13) == 7, "": np.zeros(13, bool)})
    gaps = Gaps(np.where(np.isnan(numbers) & (gaps.codes == 0), 1, gaps.codes).astype(np.int32), gaps.reasons[:3])
    statistics = np.random.default_rng(0).normal(size=(13, 3))
    statistics[np.isnan(numbers)] = np.nan
    columns = {
        "up": Column("up", numbers, gaps, "up()|local", True),
        "down": Column("down", np.arange(13.0), Gaps.none(13), "", False),
        "no, way": Column("no, way", np.arange(13.0), Gaps.none(13), "no_way(x='\\r')|local", None),
        "text": Column("text", np.where(np.isnan(numbers), np.nan, 1.0), gaps, "s()|local", True, statistics),
    }
    names = Strings.of(list(NAMES))
    table = ScoreTable("set", names, names, names.take(np.arange(13)[::-1]), columns, 7, ("mind the gap", "éé"))
    path = tmp_path / f"scores.{ending}"
    save_scores(table, path)
    assert is_score_table(path)
    assert_same(table, read_scores(path))
    save_scores(read_scores(path), tmp_path / f"again.{ending}")
    assert (tmp_path / f"again.{ending}").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("ending", ENDINGS)
def test_scores_of_systems_are_pooled_from_statistics_as_before(tmp_path, ending):
    table = assay.score(assay.load(PATH), ["bleu", "chrf", "ter", "length"])
    path = tmp_path / f"scores.{ending}"
    assay.save_scores(table, path)
    again = assay.load_scores(path)
    assert_same(table, again)
    assert_same(table.by_system(), again.by_system())
    assert again["ter"].higher_is_better is False


def test_a_csv_survives_other_programs(tmp_path):
    """A program that filters, sorts and adds columns preserves the companions."""
    table = assay.score(assay.load(PATH), ["bleu", "ter"])
    assay.save_scores(table, tmp_path / "scores.csv")
    with open(tmp_path / "scores.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:5] == ["unit", "item", "system", "bleu", "ter"]
    assert [float(row["bleu"]) for row in rows] == table["bleu"].values.tolist()
    kept = sorted(rows[100:], key=lambda row: row["unit"])
    with open(tmp_path / "edited.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, ["mine", *rows[0]])
        writer.writeheader()
        writer.writerows({"mine": k, **row} for k, row in enumerate(kept))
    again = assay.load_scores(tmp_path / "edited.csv")
    assert again["mine"].higher_is_better is None
    order = np.argsort(table.unit.to_list()[100:]) + 100
    assert_same(table.take(order), replace(again, columns={name: again[name] for name in ("bleu", "ter")}))
    assert_same(
        table.take(order).by_system(), replace(again, columns={n: again[n] for n in ("bleu", "ter")}).by_system()
    )


def own_bleu():
    @evaluator(units=("output",), higher_is_better=True, scale="counts")
    def mine():
        """Counts characters."""
        return additive(lambda batch: np.array([[1.0, 2.0]] * len(batch)), lambda sums: sums[:, 1] / sums[:, 0])

    return mine()


def test_statistics_without_their_evaluator_are_not_averaged(tmp_path):
    mine = own_bleu()
    table = assay.score(assay.load(PATH), [mine])
    assay.save_scores(table, tmp_path / "scores.csv")
    again = load_scores(tmp_path / "scores.csv")
    assert_same(table, again)
    with pytest.raises(EvaluatorError, match=r"the scores of 'mine\(\)' cannot be pooled"):
        again.by_system()
    assert_same(table.by_system(), load_scores(tmp_path / "scores.csv", [mine]).by_system())


def test_an_edited_score_is_detected(tmp_path):
    path = tmp_path / "scores.json"
    assay.save_scores(assay.score(assay.load(PATH), ["bleu"]), path)
    content = json.loads(path.read_text())
    content["columns"][0]["values"][3] += 0.01
    path.write_text(json.dumps(content))
    with pytest.raises(
        DataError, match="the statistics of 'bleu' do not give its scores, so one of the two was changed"
    ):
        assay.load_scores(path)


def test_a_duplicate_key_is_reported(tmp_path):
    path = tmp_path / "scores.json"
    assay.save_scores(assay.score(assay.load(PATH), ["bleu"]), path)
    path.write_text(path.read_text().replace('"values":', '"values": [1], "values":'))
    with pytest.raises(DataError, match="the key 'values' appears twice"):
        read_scores(path)


DAMAGE = [
    ("wrong type", '"higher_is_better"": true', '"higher_is_better"": ""yes""', "'higher_is_better' is 'yes'"),
    ("later version", '"version"": 1', '"version"": 2', "a later version of assay"),
    ("too much", '"n_statistics"": ', '"n_statistics"": 9999', "a unit cannot have 9999"),
    ("no unit", '"unit"": ""output""', '"unit"": ""word""', "no unit 'word'"),
    ("said twice", '""column"": ""bleu"",', '""column"": ""bleu"", ""column"": ""bleu"",', "'column' appears twice"),
    ("not JSON", '"assay {""column""', '"assay {column""', "cannot be read"),
    (
        "another column",
        '{""column"": ""bleu""',
        '{""column"": ""blue""',
        "the column 'blue' is described but missing",
    ),
    ("two kinds", '""ter"", ""unit"": ""output""', '""ter"", ""unit"": ""set""', "some about sets"),
]


@pytest.mark.parametrize(("before", "after", "message"), [d[1:] for d in DAMAGE], ids=[d[0] for d in DAMAGE])
def test_a_damaged_description_is_reported(tmp_path, before, after, message):
    path = tmp_path / "scores.csv"
    assay.save_scores(assay.score(assay.load(PATH), ["bleu", "ter"]), path)
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    with pytest.raises(DataError, match=message):
        read_scores(path)


def test_damaged_statistics_are_reported_with_their_line(tmp_path):
    path = tmp_path / "scores.csv"
    assay.save_scores(assay.score(assay.load(PATH), ["bleu", "length"]), path)
    header, *rows = csv.reader(path.read_text().splitlines())
    at = next(k for k, name in enumerate(header) if name.startswith('assay {"column": "bleu"'))
    rows[0][at], rows[1][at], rows[2][at] = "1 2", "", "1 2 3 4 5 6 7 8 9 x"
    rows[3][at + 1] = "why not"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    with pytest.raises(DataError) as told:
        read_scores(path)
    assert [problem.split(": ")[0] for problem in told.value.problems] == [
        "scores.csv line 3", "scores.csv line 2", "scores.csv line 4", "scores.csv line 5",
    ]  # fmt: skip


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_truncated_or_corrupted_file_is_detected_or_read_unchanged(tmp_path, ending):
    """Only ever a DataError and, in Parquet, whose pages have checksums, never a different number."""
    table = assay.score(assay.load(PATH).select(np.arange(1050) < 60), ["bleu", "length"])
    path = tmp_path / f"scores.{ending}"
    assay.save_scores(table, path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for trial in range(120):
        at = int(rng.integers(len(whole)))
        bad = bytearray(whole)
        bad[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(whole[:at] if trial < 20 else bytes(bad))
        try:
            again = assay.load_scores(path) if is_score_table(path) else None
        except DataError as error:
            assert str(path.name) in str(error) or "described" in str(error) or "the column" in str(error)
            continue
        if ending == "parquet" and again is not None and list(again.columns) == list(table.columns):
            assert again["length"].values.tobytes() == table["length"].values.tobytes()


def test_a_path_that_is_not_a_table_is_an_error(tmp_path):
    for path in (tmp_path, tmp_path / "nothing.csv", tmp_path / ("x" * 5000 + ".csv")):
        assert not is_score_table(path)
        with pytest.raises(DataError, match=r"a folder|no such file|cannot be read"):
            read_scores(path)
    assert not is_score_table("a\x00b.csv")


def test_a_reserved_name_is_rejected(tmp_path):
    with pytest.raises(DataError, match="an evaluator called 'item' cannot be written"):
        save_scores(table_of({"item": [1.0]}, ["i"], ["s"]), tmp_path / "scores.csv")
    with pytest.raises(DataError, match=r"scores are written as \.csv, \.tsv, \.json or \.parquet"):
        save_scores(score_table(2, 2, 1), tmp_path / "scores.xlsx")
    assert not list(tmp_path.iterdir())


def test_dates_and_flags_in_a_foreign_parquet_file_are_left_out(tmp_path):
    import datetime

    import pyarrow as pa
    import pyarrow.parquet as pq

    day = datetime.datetime(2020, 1, 1)
    columns = {"system": ["a", "b"], "m": [1.5, None], "n": [1, 2], "when": [day, day], "raw": [b"\xff", None]}
    pq.write_table(pa.table(columns), tmp_path / "own.parquet")
    table = read_scores(tmp_path / "own.parquet")
    assert list(table.columns) == ["m", "n"]
    np.testing.assert_array_equal(table["m"].values, [1.5, np.nan])
    assert table.notes == tuple(f"the column {name!r} contains texts and is left out" for name in ("when", "raw"))


def test_gaps_ids_and_texts(tmp_path):
    path = tmp_path / "own.tsv"
    path.write_text("system\titem\tm\tnote\nA\t1\t0.5\tgood\nA\t2\tNA\tbad\nB\t1\t\tgood\nB\t2\t1e-3\t\n")
    table = read_scores(path)
    assert table.unit.to_list() == ["A/1", "A/2", "B/1", "B/2"]
    np.testing.assert_array_equal(table["m"].values, [0.5, np.nan, np.nan, 0.001])
    assert table["m"].gaps[1] == "missing"
    assert table.notes == ("the column 'note' contains texts and is left out",)
    assert table["m"].higher_is_better is None


def test_outputs_are_not_scores(tmp_path):
    path = tmp_path / "outputs.csv"
    path.write_text("system,item,text\nA,1,Fine.\n")
    assert not is_score_table(path)
    assert not is_score_table(tmp_path / "nowhere.csv")
    assert not is_score_table(tmp_path / "outputs.jsonl")


PROBLEMS = [
    ("unit,m\nu1,1\nu1,2\n", "line 3: the unit 'u1' already appears on line 2"),
    ("system,item,m\nA,1,1\nA,1,2\n", "line 3: system 'A', item '1' already appears on line 2"),
    ("system,item,m,m\nA,1,1,2\n", "line 1: the column 'm' appears twice"),
    ("system,item\nA,1\n", "no column of numbers"),
    ("system,item,m\nA,1,1_000\nA,2,2\n", "line 2: '1_000' in the column 'm' is not a finite number"),
    ('system,item,m\nA,"1,2\n', "not readable as CSV"),
    ("", "no scores"),
]


@pytest.mark.parametrize(("text", "message"), PROBLEMS)
def test_problems_name_the_line_and_the_remedy(tmp_path, text, message):
    path = tmp_path / "scores.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_scores(path)


def test_not_utf8(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_bytes(b"system,item,m\n\xff,1,2\n")
    with pytest.raises(DataError, match="not UTF-8"):
        read_scores(path)


@pytest.mark.parametrize("ending", ENDINGS)
def test_texts_round_trip(tmp_path, ending):
    n = len(NAMES)
    texts = Strings.of([*NAMES[:-1], "because \x1b[31m 1.0"])
    values = np.where(np.arange(n) % 3 == 0, np.nan, np.arange(n))
    gaps = Gaps.where(n, {"no verdict": np.isnan(values)})
    columns = {
        "judge": Column("judge", values, gaps, "judge()|local", True, texts=texts),
        "judge text": Column("judge text", np.arange(n) * 1.0, Gaps.none(n), texts=Strings.of(["é"] * n)),
        "plain": Column("plain", np.arange(n) * 1.0, Gaps.none(n)),
    }
    units = Strings.of([f"u{k}" for k in range(n)])
    table = ScoreTable("output", units, units, units, columns)
    path = tmp_path / f"scores.{ending}"
    save_scores(table, path)
    assert_same(table, read_scores(path))
    save_scores(read_scores(path), tmp_path / f"again.{ending}")
    assert (tmp_path / f"again.{ending}").read_bytes() == path.read_bytes()
    rows = np.array([4, 1])
    assert table.take(rows)["judge"].texts == texts.take(rows)
    assert table.by_system()["judge"].texts is None


def test_scores_survive_a_removed_text_column(tmp_path):
    column = Column("judge", np.array([1.0, 2.0]), Gaps.none(2), "judge()|local", True, texts=Strings.of(["a", "b"]))
    units = Strings.of(["u", "v"])
    save_scores(ScoreTable("output", units, units, units, {"judge": column}), tmp_path / "scores.csv")
    with open(tmp_path / "scores.csv", newline="") as file:
        header, *rows = csv.reader(file)
    at = header.index("assay text of judge")
    with open(tmp_path / "less.csv", "w", newline="") as file:
        csv.writer(file).writerows([cell for k, cell in enumerate(row) if k != at] for row in (header, *rows))
    again = read_scores(tmp_path / "less.csv")["judge"]
    assert again.texts is None and again.values.tolist() == [1, 2] and again.signature == "judge()|local"
