"""Rehearsals: the same for a seed, for every form, and what they say follows from who comes."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import assay
from assay import AssayError
from assay.annotate.protocol import Protocol
from assay.annotate.simulated.people import Assumptions, crowd_of
from assay.annotate.simulated.rehearsing import rehearse
from assay.cli import cli
from assay.forms import QUESTIONNAIRES
from tests.annotate.served import protocol_of, records

PAGES = "[pages]\nunits = 5\njudgments = 3\nmost = 3\n"
CHECKED = """
[pages]
units = 5
judgments = 3
checks = 1
most = 4
[payment]
per_page = 0.5
seconds_per_unit = 10.0
[[checks]]
text = "Choose 5."
answers = { typicality = 5 }
[[checks]]
text = "Choose 0."
answers = { typicality = 0 }
[[checks]]
text = "Choose 1."
answers = { typicality = 1 }
[[checks]]
text = "Choose 4."
answers = { typicality = 4 }
"""
ROWS = [
    {"id": f"{item}{system}", "item": f"i{item}", "system": system, "text": f"{system} of {item}"}
    for item in range(20)
    for system in ("one", "two", "three")
]


def alpha(part: assay.Part) -> float:
    return next(row[2].value for row in part.table("agreement").rows if row[1] == "krippendorff_alpha")


def numbers(part: assay.Part, table: str = "rehearsal") -> dict[str, float]:
    return dict(part.table(table).rows)


@pytest.fixture
def checked(tmp_path: Path) -> Protocol:
    return protocol_of(tmp_path, "typicality", CHECKED, ROWS)


def test_a_rehearsal_is_the_same_for_a_seed_and_leaves_nothing_behind(checked: Protocol, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    one, again, other = (assay.annotate.simulate(checked, annotators=40, seed=seed) for seed in (0, 0, 1))
    assert one == again and one.tables != other.tables
    assert sorted(tmp_path.iterdir()) == before
    assert one.summary.startswith("All numbers are simulated, under the assumptions below.")
    assert one.headline["complete"] and "Every unit gets its judgments" in one.summary
    assert numbers(one)["answers"] == 180 and all(row[2:] == (3, 3) for row in one.table("units").rows)
    assert numbers(one, "costs")["money, USD"] == numbers(one)["pages answered"] * 0.5
    assert numbers(one)["most pages of one annotator"] <= 4
    assert {row[0] for row in one.table("assumptions").rows} == set(one.headline["assumptions"])
    widths = one.table("systems").rows
    assert len(widths) == 3 and all(row[3] == pytest.approx(row[2].high - row[2].low) for row in widths)


@pytest.mark.parametrize("form", QUESTIONNAIRES)
def test_every_form_is_rehearsed(form: str, tmp_path: Path) -> None:
    pages = "[pages]\nunits = 2\njudgments = 3\n"
    part = assay.annotate.simulate(protocol_of(tmp_path, form, pages), annotators=8, leave=0.0, seed=3)
    assert part.headline["complete"], part.summary
    told = {table.name for table in part.tables} | {note.partition(":")[0] for note in part.notes}
    assert form in ("writing", "speaker") or told & {"agreement", "Agreement"}


def test_honest_annotators_prefer_the_better_side_wherever_it_stands(tmp_path: Path) -> None:
    """Without noise all say the same about a pair, though its order is drawn for each."""
    protocol = protocol_of(tmp_path, "preference", PAGES, records())
    done = rehearse(protocol, Assumptions(30, spammers=0.0, leave=0.0, noise=0.0))
    votes: dict[str, set[object]] = {}
    for one in done.judgments:
        votes.setdefault(one.unit, set()).add(one.value)
    assert len(done.judgments) == 12 and {len(said) for said in votes.values()} == {1}
    assert len({one.columns["shown"] for one in done.judgments}) == 2


def test_spammers_lower_agreement_and_checks_find_them(checked: Protocol) -> None:
    few, many = (assay.annotate.simulate(checked, annotators=60, spammers=share, leave=0.0) for share in (0.0, 0.6))
    assert alpha(few) > alpha(many) + 0.1
    spammers, honest = many.table("flags").rows
    assert spammers[1] >= 5 and spammers[2] / spammers[1] > 0.6 and honest[2] / honest[1] < 0.3
    assert few.table("flags").rows[0][1:3] == (0, 0)


def test_noise_lowers_agreement(checked: Protocol) -> None:
    quiet, loud = (assay.annotate.simulate(checked, annotators=60, spammers=0.0, noise=sd) for sd in (0.0, 0.5))
    assert alpha(quiet) > alpha(loud) + 0.2


def test_those_who_leave_are_replaced_or_it_is_said_that_annotators_do_not_suffice(checked: Protocol) -> None:
    enough = assay.annotate.simulate(checked, annotators=200, leave=0.3)
    assert enough.headline["complete"] and enough.headline["left"] > 0
    short = assay.annotate.simulate(checked, annotators=5, leave=0.0)
    assert not short.headline["complete"] and numbers(short)["answers"] == 100
    assert "5 annotators do not suffice: " in short.summary and "80 of 180 in all." in short.summary
    assert "At this rate it needs about 4 more." in short.summary
    nobody = assay.annotate.simulate(checked, annotators=3, leave=1.0, arrivals=1e6)
    assert not nobody.headline["complete"] and numbers(nobody)["answers"] < 180


def test_a_test_keeps_spammers_out(tmp_path: Path) -> None:
    test = "".join(
        f'[[qualification.units]]\ntext = "Choose {n}."\nanswers = {{ typicality = {n} }}\n' for n in (0, 2, 4, 5)
    )
    practice = '[[practice]]\ntext = "Choose 3."\nanswers = { typicality = 3 }\n'
    survey = "[[survey]]\nname = 'age'\nquestion = 'How old are you?'\nkind = 'choice'\nanswers = ['young', 'old']\n"
    text = f'{PAGES}[instructions]\ntext = "Read."\n[qualification]\npass = 1.0\nattempts = 2\n{test}{practice}{survey}'
    part = assay.annotate.simulate(protocol_of(tmp_path, "typicality", text, ROWS), annotators=60, spammers=0.5)
    assert numbers(part)["annotators who did not pass the test"] >= 5
    assert part.table("flags").rows[0][1] <= 1 and part.headline["complete"]


def test_every_stretch_of_annotators_has_its_share_of_spammers() -> None:
    crowd = crowd_of(Assumptions(200, spammers=0.1, leave=0.25))
    assert [sum(one.spams for one in crowd[at : at + 20]) for at in range(0, 200, 20)] == [2] * 10
    assert sum(one.leaves_at is not None for one in crowd) == 50


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"annotators": 0}, "annotators is 0. Give 1 to 100,000."),
        ({"spammers": 1.1}, "spammers is 1.1. Give a share from 0 to 1."),
        ({"leave": -0.1}, "leave is -0.1."),
        ({"noise": float("nan")}, "noise is nan. Give a standard deviation from 0 to 3."),
        ({"hurry": 0.0}, "hurry is 0. Give a share above 0, to 1."),
        ({"arrivals": 0.0}, "arrivals is 0."),
        ({"seed": -1}, "seed is -1."),
    ],
)
def test_what_cannot_be_assumed_is_refused(checked: Protocol, given: dict[str, float], told: str) -> None:
    with pytest.raises(AssayError, match=told.replace(".", r"\.")):
        assay.annotate.simulate(checked, **given)


def test_the_command(checked: Protocol, tmp_path: Path) -> None:
    path = tmp_path / "protocol.toml"
    path.write_text(checked.text)
    done = CliRunner().invoke(cli, ["annotate", "simulate", str(path), "--annotators", "20", "--spammers", ".1"])
    assert done.exit_code == 0 and "All numbers are simulated" in done.output and "krippendorff_alpha" in done.output
    for wrong in (["--spammers", "1.5"], ["--annotators", "0"], ["--leave", "x"]):
        assert CliRunner().invoke(cli, ["annotate", "simulate", str(path), *wrong]).exit_code == 2
