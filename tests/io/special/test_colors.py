import csv
from pathlib import Path

import numpy as np
import pytest

from assay import DataError, Dataset
from assay.io import load, save

PARTS = ("Status", "ColH", "ColS", "ColL", "LocS", "LocL")
SHOWN = [f"{shown}{part}" for shown in ("click", "alt1", "alt2") for part in PARTS]
HEADER = ["contextId", "contextNum", "condition", "quality", *SHOWN, "targetD1Diff", "outcome", "contents"]
RED, GREEN, BLUE = ("0.0", "99.0", "50.0"), ("120.0", "99.0", "50.0"), ("240.0", "99.0", "50.0")


def row(context, number, clicked, *, target=RED, other=GREEN, heard=True, text="red", quality="descriptive"):
    colors = {"target": target, "distr1": other, "distr2": BLUE}
    order = [clicked, *(role for role in colors if role != clicked)]
    shown = [
        cell for role in order for cell in (role, *colors[role], str(list(colors).index(role)), "1.0" if heard else "")
    ]
    outcome = str(clicked == "target" and heard)
    return [context, str(number), "far", quality, *shown, "15", outcome, text]


ROWS = [
    row("ci0.0", 0, "target"),
    row("ci0.0", 0, "distr2"),
    row("ci0.0", 1, "target", heard=False, quality="ambiguous", text="bright"),
    row("ci0.1", 0, "distr1", target=GREEN, other=RED, text="green"),
    row("ci0.0", 12, "target", target=("10.0", "20.0", "50.0"), text="dull"),
]


def written(tmp_path: Path, rows) -> Path:
    path = tmp_path / "clicks.csv"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([HEADER, *rows])
    return path


def test_clicks(tmp_path):
    data = load(written(tmp_path, ROWS))
    assert data.outputs.id.to_list() == ["ci0.0/0", "ci0.0/1", "ci0.1/0", "ci0.0/12"]
    assert [data.items.id[i] for i in data.outputs.item] == ["ci0.0", "ci0.0", "ci0.1", "ci0.0/12"]
    # the swapped twin has the same choices and the other target
    assert data.items.choices[0] == data.items.choices[1] == [f"hsl({hue}, 99%, 50%)" for hue in (0, 120, 240)]
    assert data.items.target[0].tolist() == [1, 0, 0]
    assert data.items.target[1].tolist() == [0, 1, 0]
    assert data.items.columns["contextId"].to_list() == ["ci0.0", "ci0.1", "ci0.0"]
    assert data.items.columns["distr1"].tolist() == [1, 0, 1]
    assert data.judgments.value.tolist() == [1, 0, 0, 1]
    assert data.judgments.columns["choice"].tolist() == [0, 2, 0, 0]
    assert data.judgments.columns["clickStatus"].to_list() == ["target", "distr2", "distr1", "target"]
    assert set(data.judgments.criteria) == {"target"}
    assert len(data.judgments.annotators) == 4  # the file does not say who clicked
    assert data.systems.id.to_list() == ["descriptive", "ambiguous"] and data.systems.human.all()
    assert data.outputs.columns["unheard"][1] == 1 and np.isnan(data.outputs.columns["unheard"][0])


def test_written_and_read_again(tmp_path):
    data = load(written(tmp_path, ROWS))
    save(data, tmp_path / "again.csv", format="colors")
    assert load(tmp_path / "again.csv") == data
    save(data, tmp_path / "tables")
    assert load(tmp_path / "tables") == data


def test_rounds_of_a_game(tmp_path):
    header = ["gameid" if name == "contextId" else "roundNum" if name == "contextNum" else name for name in HEADER]
    path = tmp_path / "game.csv"
    with open(path, "w", newline="") as file:
        rows = [row("12-3", 1, "target"), row("12-3", 1, "target", text="more"), row("12-3", 2, "distr1")]
        csv.writer(file).writerows([header, *rows])
    data = load(path)
    assert data.outputs.id.to_list() == ["12-3/1", "12-3/1#2", "12-3/2"]
    assert data.items.id.to_list() == ["12-3/1", "12-3/2"]
    assert data.judgments.annotators.to_list() == ["listener-12-3"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[*ROWS[0][:4], "distr1", *ROWS[0][5:]]], "line 2: clickStatus, alt1Status and alt2Status are distr1, distr2"),
        ([[*ROWS[0][:5], "red", *ROWS[0][6:]]], "line 2: the color click is not three numbers"),
        ([ROWS[0], [*ROWS[1][:5], "red", *ROWS[1][6:]]], "line 3: the color click is not three numbers"),
        (
            [[*ROWS[0][:5], "360.5", *ROWS[0][6:]]],
            "line 2: the color click has a hue of 360.5. It must be from 0 to 360",
        ),
        ([[*ROWS[0][:6], "-1", *ROWS[0][7:]]], "line 2: the color click has a saturation of -1"),
        ([ROWS[0], [*ROWS[1][:-1], "blue"]], "line 3: another utterance than on an earlier line about ci0.0/0"),
    ],
)
def test_problems_are_reported(tmp_path, rows, message):
    with pytest.raises(DataError) as caught:
        load(written(tmp_path, rows))
    assert message in str(caught.value)


def test_other_data_is_not_a_color_game(tmp_path):
    with pytest.raises(DataError, match="item 'i' is not a color game"):
        save(Dataset.from_records([{"text": "a", "item": "i"}]), tmp_path / "x.csv", format="colors")
    assert not (tmp_path / "x.csv").exists()


@pytest.mark.parametrize("name", ["utterances", pytest.param("dev", marks=pytest.mark.slow)])
def test_nothing_of_the_published_files_is_lost(data, tmp_path, name):
    """Written back, each file has the same cells, up to number formatting."""
    from assay.io.catalogue import entry

    save(load(f"data:colors/{name}"), tmp_path / "again.csv", format="colors")
    assert cells(tmp_path / "again.csv") == cells(entry(f"colors/{name}").file)


def test_counts_of_the_published_utterances(data):
    """Newman et al. 2020: 3,600 utterances with three listeners each, and 461 of the original game with one."""
    dataset = load("data:colors/utterances")
    clicks = np.bincount(dataset.judgments.unit, minlength=len(dataset))
    original = dataset.outputs.columns["contextNum"] >= 10
    quality = np.array(dataset.outputs.columns["quality"].to_list())
    assert original.sum() == 461 and set(clicks[original]) == {1}
    assert (quality == "ambiguous").sum() == 1800
    assert np.nansum(dataset.outputs.columns["unheard"]) == 864
    # kept when at least two of three listeners found the target: 1,912 descriptive candidates with the original game's
    result = np.bincount(dataset.judgments.unit[dataset.judgments.value == 1], minlength=len(dataset))
    assert ((quality == "descriptive") & ~original & (result >= 2)).sum() + original.sum() == 1912


def cells(path: Path) -> list[dict[str, object]]:
    def plain(cell: str) -> object:
        try:
            return float(cell)
        except ValueError:
            return cell

    with open(path, newline="", encoding="utf-8") as file:
        return [{name: plain(cell) for name, cell in record.items()} for record in csv.DictReader(file)]
