"""Figures of the diversity tests: each metric has its own file."""

from assay import Column, ScoreTable
from assay.analyses.sets.figures import scatters
from assay.metaeval.questions.inquiry import Inquiry
from assay.metaeval.questions.question import Question
from assay.text.strings import Strings


def test_metrics_with_like_names_have_files_of_their_own() -> None:
    names = ["column('a b')", "column('a-b')", "column('A-b')", "distinct"]
    ids = Strings.of(["1", "2", "3"])
    columns = {name: Column.of(name, [1.0, 2.0, 3.0]) for name in (*names, "t")}
    pictures = list(scatters(Inquiry(ScoreTable("set", ids, ids, ids, columns), Question("t")), "temperature"))
    assert len({picture.name.lower() for picture in pictures}) == len(names)
    assert "dectest-distinct" in {picture.name for picture in pictures}
