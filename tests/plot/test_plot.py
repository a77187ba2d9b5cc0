"""Figures: well-formed, escaped, free of NaN, and deterministic."""

import re
from collections.abc import Mapping
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.plot import DARK, LIGHT, Figure, theme
from assay.plot.axis import linear_ticks, logarithmic_ticks
from assay.plot.grid import READABLE
from assay.plot.svg import text_width

SVG = "{http://www.w3.org/2000/svg}"


def every_layer(title: str = "All") -> Figure:
    rng = np.random.default_rng(1)
    x = np.arange(10.0)
    gap = np.where(x == 4, np.nan, x)
    return (
        Figure(title, "x", "y")
        .grid(
            np.arange(4),
            np.arange(3),
            [[0.1, np.nan, 0.9], [0.2, 0.2, 0.4]],
            middle=0.5,
            low=0,
            high=1,
            name="surface",
        )
        .band(x, gap - 1, x + 1, name="band")
        .line(x, gap, name="line")
        .bars(np.arange(5), [1, 2, np.nan, 0])
        .points(
            rng.normal(size=10),
            gap,
            name="points",
            tooltips=["tip"] * 10,
            data={"output": list("abcdefghij")},
        )
        .intervals([1, 2, np.nan], [0, 1, 2], [2, np.inf, 3], name="intervals")
        .rule(x=3, label="here")
        .rule(y=2)
        .label(1, 1, "there")
    )


def tree(figure: Figure) -> ElementTree.Element:
    return ElementTree.fromstring(figure.svg())


def drawn(figure: Figure, tag: str, layer: int) -> list[ElementTree.Element]:
    group = tree(figure).find(f".//{SVG}g[@id='figure-layer-{layer}']")
    assert group is not None
    return list(group.iter(SVG + tag))


def test_every_layer_is_well_formed_without_nan_and_stable() -> None:
    svg = every_layer().svg()
    ElementTree.fromstring(svg)
    attributes = re.sub(r">[^<]*<", "><", svg)
    assert "nan" not in attributes.lower().replace("dominant", "")
    assert "inf" not in attributes.lower()
    assert svg == every_layer().svg()


def test_text_alternatives_and_notes() -> None:
    root = tree(every_layer("A & B"))
    assert root.findtext(f"{SVG}title") == "A & B"
    assert "points: 1 not drawn (no number)" in str(root.findtext(f"{SVG}desc"))
    assert (root.get("aria-labelledby"), root.get("aria-describedby")) == ("figure-title", "figure-desc")


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_escaped(words: str) -> None:
    figure = Figure(words, words, words, y_categories=[words]).intervals([1], [0], [2], name=words)
    figure.points([1], [0], tooltips=[words], data={"output": [words]}).label(1, 0, words).rule(x=1, label=words)
    root = tree(figure)
    assert {child.tag for child in root.iter()} <= {
        SVG + tag
        for tag in (
            "svg",
            "title",
            "desc",
            "style",
            "rect",
            "text",
            "g",
            "path",
            "circle",
            "polygon",
            "clipPath",
        )
    }


def test_points_carry_data_for_the_page() -> None:
    marks = drawn(Figure("t").points([1, 2], [3, 4], data={"output": ["o<1", "o2"]}), "circle", 0)
    assert [mark.get("data-output") for mark in marks] == ["o<1", "o2"]


def test_points_lie_where_the_axes_say() -> None:
    figure = Figure("t", x_range=(0, 10), y_range=(0, 10)).points([0, 5, 10], [0, 5, 10])
    marks = drawn(figure, "circle", 0)
    x = [float(mark.get("cx", "nan")) for mark in marks]
    y = [float(mark.get("cy", "nan")) for mark in marks]
    assert x[1] == pytest.approx((x[0] + x[2]) / 2, abs=0.01) and x[0] < x[2]
    assert y[1] == pytest.approx((y[0] + y[2]) / 2, abs=0.01) and y[0] > y[2]


def test_many_points_are_drawn_as_counts_with_a_note() -> None:
    rng = np.random.default_rng(0)
    figure = Figure("t").points(rng.normal(size=2000), rng.normal(size=2000), limit=1000)
    cells = drawn(figure, "rect", 0)
    assert len(cells) < 2000
    counted = sum(int(str(cell.findtext(f"{SVG}title")).split()[0].replace(",", "")) for cell in cells)
    assert counted == 2000
    assert "points: 2,000 drawn as counts" in figure.svg()


def test_a_sample_of_many_points_has_a_note() -> None:
    x = np.arange(2000.0)
    figure = Figure("t").points(x, x, name="texts", tooltips=[str(n) for n in range(2000)], limit=300, sampled=True)
    marks = drawn(figure, "circle", 0)
    titles = [int(str(mark.findtext(f"{SVG}title"))) for mark in marks]
    assert len(set(titles)) == 300 and min(titles) < 100 and max(titles) > 1900
    assert "texts: 300 of 2,000 drawn" in figure.svg()


def test_long_notes_take_several_lines_inside_the_figure() -> None:
    figure = Figure("t", "x", width=360, height=300)
    for name in ("people", "a system"):
        figure.points(np.arange(500), np.arange(500), name=name, limit=100, sampled=True)
    lines = [text for text in tree(figure).iter(f"{SVG}text") if "note" in text.get("class", "")]
    assert [line.text for line in lines] == ["people: 100 of 500 drawn", "a system: 100 of 500 drawn"]
    assert sorted(float(line.get("y", "nan")) for line in lines)[-1] <= 300


def described(figure: Figure) -> str:
    return str(tree(figure).findtext(f"{SVG}desc"))


def test_the_text_alternative_gives_the_numbers() -> None:
    ranking = Figure("t", y_categories=["bleu", "chrf"]).intervals([0.5, 0.25], [0.4, np.nan], [0.6, np.nan])
    assert "bleu 0.5 (0.4 to 0.6); chrf 0.25." in described(ranking)
    assert [mark.findtext(f"{SVG}title") for mark in drawn(ranking, "circle", 0)] == [
        "bleu 0.5 (0.4 to 0.6)",
        "chrf 0.25",
    ]
    edges = [-0.5, 0.5, 1.5]
    matrix = Figure("t", x_categories=["a", "b"], y_categories=["a", "b"])
    matrix.grid(edges, edges, [[1, -0.001], [0.5, np.nan]], name="rho", low=-1, high=1, middle=0, cell_text=".2f")
    assert "rho, -1 to 1: a and a: 1.00; a and b: 0.00; b and a: 0.50." in described(matrix)
    scatter = Figure("t").points(np.arange(101), np.arange(101) / 100, name="people")
    assert "people: 101, most of them from 10 to 90 across and 0.1 to 0.9 up." in described(scatter)
    line = Figure("t").line([1, 2, 3], [0.1, 0.9, 0.3], name="rho").rule(x=2, label="here")
    assert "rho from 0.1 at 1 to 0.3 at 3, lowest 0.1, highest 0.9. here at 2." in described(line)
    few = Figure("t").points([1], [2], tooltips=["one at 1, 2"])
    assert "one at 1, 2." in described(few)


def boxes(figure: Figure, layer: int) -> list[tuple[float, float, float, float]]:
    result = []
    for words in drawn(figure, "text", layer):
        width = text_width(str(words.text))
        x, y = float(words.get("x", "nan")), float(words.get("y", "nan"))
        left = x - width if words.get("text-anchor") == "end" else x
        result.append((left, y - 10, left + width, y + 2))
    return result


def test_labels_of_close_points_do_not_overlap() -> None:
    x, y = [0.5, 0.51, 0.52, 0.98], [0.5, 0.505, 0.495, 0.02]
    names = ["first", "second", "third", "in the corner"]
    figure = Figure("t", x_range=(0, 1), y_range=(0, 1)).label(0.52, 0.52, "a line").labels(x, y, names)
    placed = boxes(figure, 0) + boxes(figure, 1)
    assert len(placed) == 5
    for one, two in combinations(placed, 2):
        assert min(one[2], two[2]) <= max(one[0], two[0]) or min(one[3], two[3]) <= max(one[1], two[1])
    assert max(box[2] for box in placed) <= 550 and max(box[3] for box in placed) <= 400


def test_a_figure_of_many_categories_grows_and_keeps_its_labels_inside() -> None:
    names = [f"evaluator(criterion='a long name', variant={n})" for n in range(20)]
    edges = np.arange(21) - 0.5
    figure = Figure("t", x_categories=names, y_categories=names)
    root = tree(figure.grid(edges, edges, np.zeros((20, 20)), cell_text=".1f"))
    assert int(root.get("height", "0")) > 20 * 28
    cells = [float(cell.get("width", "nan")) for cell in drawn(figure, "rect", 0)]
    assert min(cells) >= text_width("-0.21", 12)
    for words in root.findall(f"{SVG}text"):
        width, x = text_width(str(words.text)), float(words.get("x", "nan"))
        turned = 0.82 if "rotate(-35" in words.get("transform", "") else 1.0
        assert words.get("text-anchor") != "end" or x - turned * width >= 0
        assert str(words.text) == "t" or words.findtext(f"{SVG}title") in names


def contrast(one: tuple[float, ...], two: tuple[float, ...]) -> float:
    """The contrast ratio of WCAG 2."""
    light = [
        sum(
            weight * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
            for weight, part in zip((0.2126, 0.7152, 0.0722), color, strict=True)
        )
        for color in (one, two)
    ]
    return (max(light) + 0.05) / (min(light) + 0.05)


def rgb(color: str) -> tuple[float, ...]:
    return tuple(int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_text_has_the_contrast_of_level_aa(colors: Mapping[str, str]) -> None:
    paper, ink = rgb(colors["paper"]), rgb(colors["ink"])
    for text in ("ink", "muted", "c0"):
        assert contrast(rgb(colors[text]), paper) >= 4.5
    for color in ("c0", "c1"):
        blended = zip(rgb(colors[color]), paper, strict=True)
        cell = tuple(READABLE * part + (1 - READABLE) * below for part, below in blended)
        assert contrast(ink, cell) >= 4.5


def test_long_lines_keep_their_extremes() -> None:
    y = np.zeros(50_000)
    y[31_234] = 7.0
    (line,) = drawn(Figure("t", y_range=(0, 7)).line(np.arange(50_000), y, limit=100), "path", 0)
    assert line.get("d", "").count("L") < 200
    heights = [float(step.split()[1]) for step in re.split("[ML]", line.get("d", "")) if step]
    assert min(heights) < max(heights) - 100


def test_large_grids_are_averaged_to_the_limit() -> None:
    values = np.random.default_rng(0).normal(size=(101, 99))
    paths = drawn(Figure("t").grid(np.arange(100), np.arange(102), values, limit=1000), "path", 0)
    assert 100 < sum(path.get("d", "").count("M") for path in paths) <= 1000


def test_a_gap_breaks_the_line() -> None:
    (line,) = drawn(Figure("t").line([0, 1, 2, 3, 4], [1, 1, np.nan, 1, 1]), "path", 0)
    assert line.get("d", "").count("M") == 2


@pytest.mark.parametrize("values", [[], [np.nan], [3.0, 3.0], [-1e300, 1e300], [1e-12, 2e-12], [1e9, 1e9 + 1e-6]])
@pytest.mark.parametrize("log", [False, True])
def test_degenerate_ranges_still_draw(values: list[float], log: bool) -> None:
    svg = Figure("t", x_log=log).points(values, values).line(values, values).svg()
    ElementTree.fromstring(svg)
    assert not re.search(r'="[^"]*\b(nan|inf)\b', svg)


def test_ticks_are_round() -> None:
    assert [label for _, label in linear_ticks(0.0, 1.0, 5)] == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    assert [label for _, label in linear_ticks(-3, 3, 6)] == ["−3", "−2", "−1", "0", "1", "2", "3"]
    assert [label for _, label in logarithmic_ticks(9, 1100, 5)] == [
        "10",
        "20",
        "50",
        "100",
        "200",
        "500",
        "1,000",
    ]
    assert logarithmic_ticks(20, 40, 4)[0][1] == "20"


def test_themes_set_every_color() -> None:
    assert LIGHT.keys() == DARK.keys()
    rule = theme(DARK, ".dark")
    assert rule.startswith(".dark{--assay-paper:#16181c;") and rule.count("--assay-") == len(DARK)
    used = set(re.findall(r"var\(--assay-(\w+)", every_layer().svg()))
    assert used == set(LIGHT)
