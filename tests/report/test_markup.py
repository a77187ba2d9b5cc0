from assay.report.markup import latex_table, markdown_table, render

ROWS = [["bleu_4 & co", 0.5, 3], ["a|b", float("nan"), 12]]


def test_markdown_aligns_numbers_and_escapes_bars():
    assert markdown_table(["name", "value", "n"], ROWS) == (
        "| name | value | n |\n| --- | ---: | ---: |\n| bleu_4 & co | 0.5000 | 3 |\n| a\\|b | - | 12 |"
    )


def test_latex_escapes_what_it_must():
    text = latex_table("100% of {x}", ["name", "value", "n"], ROWS)
    assert r"\begin{tabular}{lrr}" in text
    assert r"bleu\_4 \& co & 0.5000 & 3 \\" in text
    assert r"\caption{100\% of \{x\}}" in text


def test_three_forms_of_one_table():
    for form, mark in (("text", "----"), ("markdown", "**T**"), ("latex", r"\midrule")):
        assert mark in render(form, "T", ["name", "value", "n"], ROWS)
