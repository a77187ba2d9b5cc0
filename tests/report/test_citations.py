"""Works cited: found by first author and year, in time that grows no faster than the lines."""

import time

from assay.report.citations import works_cited


def test_works_are_found_by_author_and_year_each_once() -> None:
    works = works_cited(["Papineni et al. 2002; Post 2018", "Post 2018, A call for clarity", "Nobody 1999; Post 18"])
    assert [work.partition("{")[2].partition(",")[0][:8] for work in works] == ["papineni", "post2018"]


def test_a_year_needs_its_space_and_its_end() -> None:
    assert works_cited(["Post2018", "Post 20180", "Post 2018a", "Post; 2018", "Post 1 2018"]) == []


def test_long_lines_are_read_in_no_time() -> None:
    lines = [f"human(criterion='{'a' * 200_000}')", "a " * 100_000, "1 " * 100_000, " " * 200_000]
    start = time.process_time()
    works_cited(lines)
    assert time.process_time() - start < 2
