from pathlib import Path

import pytest

from assay import DataError
from assay.io import load
from assay.io.special.mturk_mapping import read_mapping, shipped_mappings

MAPPING = """
[page]
id = "HITId"
texts = 2

[text]
text = "Input.out{i}"
system = "Input.sys{i}"
context = "Input.ctx"
logprob = "Input.lp{i}"

[systems]
names = { M = "model" }
people = ["H"]
logprob = "model"

[valid]
AssignmentStatus = ["Submitted"]

[[answers]]
column = "Answer.{i}"
criterion = "quality"
values = { good = 1, bad = 0 }

[judgment_columns]
seconds = "WorkTimeInSeconds"
"""
HEADER = (
    "HITId,AssignmentId,WorkerId,AssignmentStatus,WorkTimeInSeconds,"
    "Input.ctx,Input.out0,Input.sys0,Input.lp0,Input.out1,Input.sys1,Input.lp1,Answer.0,Answer.1,Approve,Reject\n"
)
PAGE = "why?,a,M,-1.5,b,H,"
ROWS = [
    f"p1,a1,AXY,Submitted,12,{PAGE},good,bad",
    f"p1,a2,BXY,Submitted,7,{PAGE},bad,",
    f"p1,a3,CXY,Rejected,7,{PAGE},bad,bad",
    f"p2,a4,AXY,Submitted,9,{PAGE},good,good",
]


@pytest.fixture
def batch(tmp_path: Path) -> Path:
    (tmp_path / "mine.toml").write_text(MAPPING)
    path = tmp_path / "batch.csv"
    path.write_text(HEADER + "".join(row + "\n" for row in ROWS))
    return path


def test_texts_and_answers(batch):
    data = load(batch, mapping=batch.parent / "mine.toml")
    assert data.outputs.id.to_list() == ["p1-0", "p1-1", "p2-0", "p2-1"]
    assert data.outputs.text.to_list() == ["a", "b", "a", "b"]
    assert data.systems.id.to_list() == ["model", "H"]
    assert data.systems.human.tolist() == [False, True]
    assert data.items.context.to_list() == ["why?"]
    assert data.logprobs.value.tolist() == [-1.5, -1.5]
    # a rejected assignment and an empty answer count for nothing
    assert data.judgments.value.tolist() == [1, 0, 0, 1, 1]
    assert data.judgments.columns["seconds"].tolist() == [12, 7, 12, 9, 9]
    assert [data.judgments.annotators[a] for a in data.judgments.annotator] == [
        f"annotator-000{n}" for n in (1, 2, 1, 1, 1)
    ]


def test_worker_ids_are_kept_on_request(batch):
    data = load(batch, mapping=batch.parent / "mine.toml", keep_worker_ids=True)
    assert set(data.judgments.annotators) == {"AXY", "BXY"}


def test_the_attention_check_is_dropped_and_filters_assignments(batch):
    check = '[check]\nposition = "Input.check"\ncolumn = "Answer.{i}"\nanswer = "bad"\n'
    (batch.parent / "mine.toml").write_text(MAPPING + check)
    header = HEADER.replace("Input.ctx", "Input.check,Input.ctx")
    batch.write_text(header + "".join(row.replace(",why?", ",1,why?") + "\n" for row in ROWS))
    data = load(batch, mapping=batch.parent / "mine.toml")
    assert data.outputs.id.to_list() == ["p1-0", "p2-0"]
    assert len(data.judgments) == 1  # only the first worker called text 1 bad


def test_a_batch_needs_a_mapping(batch):
    with pytest.raises(DataError, match=r"needs a mapping .* or one of huse, judges"):
        load(batch)
    with pytest.raises(DataError, match="no mapping 'hose'"):
        load(batch, mapping="hose")
    with pytest.raises(DataError, match=r"line 1: no column 'Input\.OUT0', which the mapping needs. Did you mean"):
        load(batch, mapping="huse")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("bad\n", "awful\n", "line 2: the answer 'awful' has no value in the mapping. Add it to Answer.{i}."),
        ("-1.5", "much", "line 2: the log-probability 'much' is not a number."),
    ],
)
def test_cells_that_do_not_fit(batch, old, new, message):
    batch.write_text(batch.read_text().replace(old, new))
    with pytest.raises(DataError) as caught:
        load(batch, mapping=batch.parent / "mine.toml")
    assert f"batch.csv {message}" in str(caught.value)


def test_pages_that_show_different_texts(batch):
    lines = batch.read_text().splitlines()
    batch.write_text("\n".join([*lines[:2], lines[2].replace("why?,a", "why?,z")]))
    with pytest.raises(DataError, match=r"line 3: text 0 of the page differs from an earlier line of this page"):
        load(batch, mapping=batch.parent / "mine.toml")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[page]", "[pages]", "no section [pages] is known. Did you mean 'page'?"),
        ('id = "HITId"', "id = 3", "[page] id is 3, where a text should be."),
        ("texts = 2", "", "[page] lacks texts."),
        ("texts = 2", "texts = true", "where a whole number should be"),
        ("texts = 2", "text = 2", "[page] has no key 'text'. Did you mean 'texts'?"),
        ('["Submitted"]', '"Submitted"', "[valid] needs lines as"),
        ("good = 1", 'good = "yes"', "values needs a number for each answer"),
        ("[[answers]]", "[answers]", "[[answers]] is missing"),
        ('["H"]', "[1]", "[systems] people is a list of texts"),
        ('"WorkTimeInSeconds"', "1", "[judgment_columns] needs lines as"),
        ("[page]", "[page", "not TOML"),
    ],
)
def test_a_wrong_mapping_is_explained(batch, old, new, message):
    path = batch.parent / "mine.toml"
    path.write_text(MAPPING.replace(old, new))
    with pytest.raises(DataError) as caught:
        read_mapping(path)
    assert message in str(caught.value)


def test_bundled_mappings():
    assert shipped_mappings() == ["huse", "judges"]
    assert read_mapping("judges").people == ("Real",)


MINIMAL = """
[page]
id = "HITId"
texts = 1
[text]
text = "T{i}"
[[answers]]
column = "A{i}"
criterion = "c"
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('id = "HITId"', "id = 7"),
        ("texts = 1", "texts = 1000000000000"),
        ("texts = 1", "texts = 0"),
        ("texts = 1", "texts = -1"),
        ("texts = 1", "texts = true"),
        ("[page]", "systems = 3\n[page]"),
        ("[page]", "page = 3\n[systems]"),
        ("[page]", "check = [[1]]\n[page]"),
        ("[page]", 'systems = {names = ["a"]}\n[page]'),
        ("[page]", 'systems = {names = ["ab", "cd"]}\n[page]'),
        ("[page]", "systems = {names = 1, people = {}}\n[page]"),
        ("[page]", "valid = {a = 1}\n[page]"),
        ("[page]", "judgment_columns = [1]\n[page]"),
        ("[page]", "text2 = " + "[" * 3000 + "]" * 3000 + "\n[page]"),
        ("[page]", "x = " + "9" * 5000 + "\n[page]"),
    ],
)
def test_wrong_types_in_a_mapping(tmp_path, old, new):
    mapping = MINIMAL.replace(old, new, 1)
    assert mapping != MINIMAL
    (tmp_path / "m.toml").write_text(mapping)
    with pytest.raises(DataError) as caught:
        read_mapping(tmp_path / "m.toml")
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("value", ["inf", "nan", "true", "'1'", "[1]"])
def test_answer_values_must_be_finite(tmp_path, value):
    (tmp_path / "m.toml").write_text(f"{MINIMAL}values = {{yes = {value}}}\n")
    with pytest.raises(DataError, match="values needs a number for each answer"):
        read_mapping(tmp_path / "m.toml")
