"""Protocols: what is proposed can be read, every mistake has its line, and estimates add up."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import assay
from assay import DataError
from assay.annotate.protocol_file import parse_protocol, read_protocol
from assay.annotate.wording import INTERFACE
from assay.cli import cli
from assay.forms import QUESTIONNAIRES

ROWS = [
    {
        "id": f"{item}{system}{copy}",
        "item": item,
        "context": f"What of {item}?",
        "choices": ["#ff0000", "#00ff00"],
        "target": 1,
        "system": system,
        "text": f"{system} {copy} of {item}",
    }
    for item in "xyz"
    for system in ("people", "model")
    for copy in range(2)
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("outputs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return tmp_path


@pytest.mark.parametrize("form", QUESTIONNAIRES)
def test_what_is_proposed_is_the_form_as_shipped_with_every_word(folder: Path, form: str) -> None:
    text = assay.annotate.init("outputs.jsonl", form)
    protocol = parse_protocol(text, folder / "protocol.toml")
    assert protocol.form == QUESTIONNAIRES[form]
    assert protocol.interface == INTERFACE and all(f"\n{name} = " in text for name in INTERFACE)
    assert len(protocol.units(protocol.dataset())) == len(list(protocol.form.units(assay.load("outputs.jsonl"))))


def test_the_hash_is_of_the_content(folder: Path) -> None:
    text = assay.annotate.init("outputs.jsonl", "typicality")
    one = parse_protocol(text, "a.toml")
    assert parse_protocol(f"# a remark\n{text}\n\n", "b.toml").sha == one.sha
    assert parse_protocol(text.replace("units = 25", "units = 24"), "a.toml").sha != one.sha
    assert parse_protocol(text.replace("How typical", "how typical"), "a.toml").sha != one.sha


MINIMAL = 'form = "typicality"\ndata = "outputs.jsonl"\n'
CHECK = "[[checks]]\ntext = 'a'\nanswers = {typicality = 0}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('data = "x"\n', "p.toml line 1: no form. Known: "),
        ('form = "typicalty"\ndata = "x"\n', "p.toml line 1: no form 'typicalty'. Did you mean 'typicality'?"),
        ('form = "real"\n', "no data"),
        (MINIMAL + "sedd = 1\n", "p.toml line 3: no key 'sedd'. Did you mean 'seed'?"),
        (MINIMAL + "[pages]\nunits = 0\n", "p.toml line 4: [pages] units: 0 does not fit."),
        (MINIMAL + "[pages]\nunit = 2\n", "p.toml line 4: [pages] has no key 'unit'. Did you mean 'units'?"),
        (MINIMAL + "[pages]\npolicy = 'block'\n", "policy is 'block'. Did you mean 'blocks'?"),
        (MINIMAL + "[pages]\nchecks = 1\n", "p.toml line 4: [pages] checks is 1, and there are 0."),
        (MINIMAL + "[words]\ntexts = 'x'\n", "p.toml line 4: [words] has no key 'texts'. Did you mean 'text'?"),
        (MINIMAL + "[interface]\ndone = 1\n", "p.toml line 4: [interface] done: 1 does not fit. Give a text."),
        (MINIMAL + "[options]\nties = true\n", "p.toml line 4: [options] has no key 'ties'."),
        (MINIMAL + "[criteria.x]\nlow = 1\nhigh = 2\n", "p.toml line 3: [criteria.x] has no question."),
        (MINIMAL + "[criteria.x]\nquestion = 'How?'\n", "p.toml line 3: [criteria.x] has no scale."),
        (MINIMAL + "[[checks]]\nanswers = {typicality = 0}\n", "p.toml line 3: [[checks]] needs the key 'text'"),
        (
            MINIMAL + CHECK + "[[checks]]\ntext = 'b'\nanswers = {typical = 0}\n",
            "p.toml line 8: [[checks]] no answer 'typical'. Did you mean 'typicality'?",
        ),
        (MINIMAL + CHECK.replace("0", "9"), "p.toml line 5: [[checks]] ['9'] is no answer."),
        (MINIMAL + "[qualification]\npass = 2\n", "p.toml line 4: [qualification] pass is 2."),
        (MINIMAL + "[[survey]]\nname = 'age'\n", "p.toml line 3: [[survey]] needs the key 'question'."),
        (MINIMAL + "[[survey]]\nname = 'a'\nquestion = 'b'\nkind = 'choice'\n", "Give answers to a choice"),
        (MINIMAL + "[panel]\ncompletion_url = 'http://x'\n", "p.toml line 4: [panel] completion_url must begin"),
        (MINIMAL + "[panel]\nname = 'x'\n", "[panel] needs the key 'person'"),
        (MINIMAL + "[consent]\n", "p.toml line 3: [consent] needs the key 'text'"),
        (MINIMAL + "checks = 1\n", "checks is a list of tables. Write [[checks]]"),
        (MINIMAL + "pages = 1\n", "pages is a table. Write [pages]"),
        ('form = "preference"\ndata = "x"\n[criteria.preference]\nlow = 1\nhigh = 5\n', "are fixed: leave it out."),
        ('form = "writing"\ndata = "x"\n[options]\ntexts = 1\n', "texts is 1. Give a number from 2 to 20."),
        ('form = "writing"\ndata = "x"\n[criteria.x]\nlow = 1\n', "asks for texts, not for judgments"),
        ('form = "spans"\ndata = "x"\n[options.weights]\nminor = 1\n', "Give each severity its weight."),
        ('form = "speaker"\ndata = "x"\n[options.conditions]\n', "is a table with at least one key"),
    ],
)  # fmt: skip
def test_every_mistake_has_its_line(text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_protocol(text, "p.toml")
    assert message in str(caught.value)


def test_all_mistakes_are_told_together() -> None:
    text = MINIMAL + "[pages]\nunits = 0\njudgments = 'x'\n[word]\n[interface]\nok = 'x'\n"
    with pytest.raises(DataError) as caught:
        parse_protocol(text, "p.toml")
    assert [problem.split(":")[0] for problem in caught.value.problems] == [f"p.toml line {n}" for n in (6, 4, 5, 8)]


def test_any_wording_and_scale_can_be_changed(folder: Path) -> None:
    text = MINIMAL.replace("typicality", "rating") + (
        'language = "he"\ndirection = "rtl"\n'
        '[criteria.fluency]\nquestion = "שוטף?"\nlow = 0\nhigh = 100\nscale = "interval"\n'
        '[criteria.tone]\nquestion = "?"\nlabels = ["rude", "kind"]\n'
        '[[checks]]\ntext = "Choose kind."\nanswers = {tone = ["kind"], fluency = 3}\n'
    )
    protocol = parse_protocol(text, folder / "p.toml")
    card = protocol.form.card({"text": "x"}, 0)
    assert [(field.name, field.kind) for field in card.fields] == [("fluency", "number"), ("tone", "choice")]
    check = protocol.units(protocol.dataset())[-1]
    assert check.gold == {"tone": ["1"], "fluency": ["3"]}
    assert protocol.checks[0].passed({"tone": "1", "fluency": "3"})
    assert not protocol.checks[0].passed({"tone": "0", "fluency": "3"})


def test_estimates_add_up(folder: Path) -> None:
    text = MINIMAL + (
        "[pages]\nunits = 5\njudgments = 4\nchecks = 1\nmost = 2\n"
        "[payment]\nper_page = 0.5\ncurrency = 'EUR'\nseconds_per_unit = 30\n"
        "[[checks]]\ntext = 'Choose 0.'\nanswers = {typicality = 0}\n"
    )
    Path("p.toml").write_text(text)
    part = assay.annotate.check(read_protocol("p.toml"))
    rows = dict(part.table("estimates").rows)
    assert rows["answers"] == 12 * 4 and rows["pages"] == 10 and rows["money, EUR"] == 5.0
    assert rows["hours"] == round((48 + 10) * 30 / 3600, 2)
    assert rows["annotators, at least"] == 5
    assert rows["EUR per hour of work"] == 10.0
    assert part.headline["units"] == 12


def test_the_commands(folder: Path) -> None:
    def run(*words: str) -> object:
        return CliRunner().invoke(cli, ["annotate", *words], standalone_mode=True)

    assert run("init", "outputs.jsonl", "--form", "real", "-o", "studies/p.toml").exit_code == 1  # no such folder
    Path("studies").mkdir()
    assert run("init", "outputs.jsonl", "--form", "real", "-o", "studies/p.toml").exit_code == 0
    assert 'data = "../outputs.jsonl"' in Path("studies/p.toml").read_text()
    done = run("check", "studies/p.toml", "--json")
    assert done.exit_code == 0 and json.loads(done.stdout)["units"] == 12
    assert "no command 'chek'. Did you mean 'check'?" in run("chek").output
    with pytest.raises(DataError, match="assay annotate init"):
        read_protocol("absent.toml")
    with pytest.raises(DataError, match="Did you mean 'real'"):
        assay.annotate.init("outputs.jsonl", "reel")
    Path("plain.jsonl").write_text('{"text": "a"}\n')
    with pytest.raises(DataError, match="nothing to ask the form 'preference' about"):
        assay.annotate.init("plain.jsonl", "preference")
