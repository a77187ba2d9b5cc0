"""The plane of HUSE says what it shows, with the intervals of both measures."""

from xml.etree import ElementTree

from assay.analyses.huse.figures import plane_figure

SVG = "{http://www.w3.org/2000/svg}"
INTERVALS = [
    {"huse_q": (0.6, 1.15), "huse_d": (-0.1, 0.4)},
    {"huse_q": (0.1, 0.3), "huse_d": (0.9, 1.2)},
]


def test_both_measures_have_their_interval() -> None:
    figure = plane_figure(["careful", "wild"], [0.9, 0.2], [0.1, 1.0], INTERVALS)
    root = ElementTree.fromstring(figure.svg())
    whiskers = [group for group in root.iter(f"{SVG}g") if group.get("class") == "intervals"]
    assert [len(group.findall(f"{SVG}path")) for group in whiskers] == [2, 2]
    said = str(root.findtext(f"{SVG}desc"))
    assert "careful: HUSE-Q 0.90 (0.60 to 1.15), HUSE-D 0.10 (-0.10 to 0.40)" in said
    assert "wild: HUSE-Q 0.20 (0.10 to 0.30), HUSE-D 1.00 (0.90 to 1.20)" in said


def test_without_intervals_and_with_gaps_it_is_still_drawn() -> None:
    nan = float("nan")
    root = ElementTree.fromstring(plane_figure(["a", "b"], [0.9, nan], [0.2, 0.4]).svg())
    assert "a: HUSE-Q 0.90, HUSE-D 0.20." in str(root.findtext(f"{SVG}desc"))
    assert "b: " not in str(root.findtext(f"{SVG}desc"))
    ElementTree.fromstring(plane_figure([], [], []).svg())
