"""The page of a report: self-contained, escaped, with a policy that allows nothing from outside."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

from assay.part import Part, Picture, Table
from assay.part.html import MOST_PRINTED, MOST_ROWS
from assay.plot import Figure
from assay.report.html import Section, page
from assay.report.html.first_screen import MOST_ANSWERS

NASTY = "<script>alert(1)</script> \"quoted\" & 'single'"


def nasty_part() -> Part:
    figure = Figure(NASTY, NASTY, NASTY).points([0, 1], [0, 1], name=NASTY, tooltips=[NASTY, "b"])
    table = Table("t", NASTY, ("name", NASTY), ((NASTY, 1.0), ("b", None)), NASTY)
    pictures = (Picture.of("p", figure, NASTY),)
    return Part(NASTY, NASTY, {"best": [NASTY]}, tables=(table,), pictures=pictures, methods=(NASTY,))


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def tags(html: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Tags()
    parser.feed(html)
    return parser.seen


def test_texts_of_users_are_shown_and_never_run() -> None:
    html = page(NASTY, {NASTY: NASTY}, [Section("s", nasty_part()), Section("f", None, NASTY)])
    assert sum(tag == "script" for tag, _ in tags(html)) == 1
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_nothing_is_loaded_and_nothing_carries_a_style_or_a_handler() -> None:
    for tag, attributes in tags(page("t", {}, [Section("s", nasty_part())])):
        assert tag not in ("link", "iframe", "object", "img")
        assert "src" not in attributes
        assert "style" not in attributes
        assert not any(name.startswith("on") for name in attributes)
        assert (attributes.get("href") or "#").startswith("#")


def test_the_policy_names_exactly_the_script_and_style_of_the_page() -> None:
    html = page("t", {}, [Section("s", nasty_part())])
    policy = next(a["content"] for tag, a in tags(html) if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None and policy.startswith("default-src 'none'; ")
    for tag in ("script", "style"):
        blocks = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        assert len(blocks) == 1, "figures bring no style of their own"
        digest = b64encode(sha256(blocks[0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_every_id_is_there_once_and_every_reference_leads_to_one() -> None:
    # Figures of different steps may have the same id, or that of a section; a text may look like one.
    figure = Figure("t").points([0, 1], [0, 1], tooltips=['see id="huse-title"', "b"])
    parts = [Part("T", "", pictures=(Picture.of(name, figure, "c"), Picture.of("p", figure, "d"))) for name in "ab"]
    html = page("t", {}, [Section("huse", parts[0]), Section("meta", parts[1])])
    seen = tags(html)
    ids = [attributes["id"] for _, attributes in seen if "id" in attributes]
    assert len(ids) == len(set(ids)) and {"huse", "huse-a", "huse-p", "meta-b", "meta-p"} <= set(ids)
    named = [
        attributes[f"aria-{kind}by"]
        for _, attributes in seen
        for kind in ("labelled", "described")
        if f"aria-{kind}by" in attributes
    ]
    clips = re.findall(r"url\(#([^)]*)\)", html)
    assert len(named) == 16 and len(clips) == 8, "each in two layouts"
    assert set(named) | set(clips) <= set(ids)
    assert html.count('see id="huse-title"') == 16, "in the mark and in the text alternative of each"


def test_a_failed_step_is_shown_where_something_is_missing() -> None:
    html = page("t", {}, [Section("huse", None, "no log-probabilities")])
    assert "The step huse failed: no log-probabilities" in html


def test_a_long_table_is_cut_and_says_so() -> None:
    rows = tuple((f"r{n}", float(n)) for n in range(MOST_ROWS + 7))
    part = Part("T", "", tables=(Table("long", "Long", ("name", "value"), rows),))
    html = page("t", {}, [Section("s", part)])
    assert html.count("<tr>") == MOST_ROWS + 1
    assert f"{MOST_ROWS} of {MOST_ROWS + 7} rows are shown; tables/long.csv has all." in html


def test_style_and_tables_agree_on_what_is_printed() -> None:
    html = page("t", {}, [])
    assert f"tbody tr:nth-child(n + {MOST_PRINTED + 1} of :not([hidden])) {{ display: none; }}" in html


def test_a_question_links_to_a_section_once() -> None:
    part = Part("Evaluators", "", {"trust": ["One.", "Two.", "Three."]})
    html = page("t", {}, [Section("meta", part)])
    answers = html[html.index('id="answers"') : html.index("<nav")]
    assert answers.count('href="#meta"') == 1
    assert [f"<li>{word}</li>" in answers for word in ("One.", "Two.", "Three.")] == [True] * 3


def test_many_answers_of_a_section_are_folded() -> None:
    part = Part("HUSE", "", {"wrong": [f"System {n} lacks quality." for n in range(40)]})
    html = page("t", {}, [Section("huse", part)])
    first, folded = html.split("<details>")
    assert first.count("lacks quality") == MOST_ANSWERS and "<summary>37 more</summary>" in folded
    assert folded.count("lacks quality") == 37


def test_signatures_and_the_works_they_cite_can_be_pasted() -> None:
    part = Part("Scores", "", methods=("bleu(max_order=4)|assay:0.1.0", "Papineni et al. 2002; Post 2018"))
    html = page("t", {}, [Section("scores", part)])
    assert ">bleu(max_order=4)|assay:0.1.0\nPapineni et al. 2002; Post 2018</pre>" in html
    assert "@inproceedings{papineni2002bleu," in html and "@inproceedings{post2018call," in html
    assert "@inproceedings{lin2004rouge," not in html


def test_the_same_parts_give_the_same_bytes() -> None:
    one, two = (page("t", {}, [Section("s", nasty_part())]) for _ in range(2))
    assert one == two
