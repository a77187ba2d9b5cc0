import pytest

from assay.errors import AssayError
from assay.metaeval.questions import study
from assay.metaeval.questions.pair_tests import Procedure
from assay.metaeval.questions.question import Question, Resampling
from tests.metaeval.score_tables import score_table


def test_a_level_that_there_is_not_is_named():
    with pytest.raises(AssayError, match="no level 'segment': levels are output, pair, matchup, set, system"):
        study.plan(Question("human", levels=("segment",)))


def test_too_many_systems_are_not_left_out_in_turn(monkeypatch):
    monkeypatch.setattr(study, "MOST_LEFT_OUT", 6)
    for n_systems in (6, 7):
        table = score_table(5, n_systems, 1)
        answers = study.ask(table, Question("human", resampling=Resampling(0)), None, ranking=True)
        warned = "7 systems are too many to leave out in turn; up to 6 are" in answers.warnings
        assert (bool(answers.leave_one_out), warned) == (n_systems == 6, n_systems == 7)


def test_a_bootstrap_that_can_never_be_significant_says_so():
    table = score_table(10, 6, 4)
    procedure = Procedure("bootstrap")
    few = study.ask(table, Question("human", resampling=Resampling(100)), procedure)
    assert any("100 resamples are too few for a bootstrap test of 6 pairs" in warning for warning in few.warnings)
    assert any("Use --resamples 480, or --test t" in warning for warning in few.warnings)
    enough = study.ask(table, Question("human", statistics=("pearson",), resampling=Resampling(480)), procedure)
    assert not any("too few for a bootstrap" in warning for warning in enough.warnings)
