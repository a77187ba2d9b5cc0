"""Judge text generators, and judge the judges.

>>> import assay
>>> data = assay.Dataset.from_records([{"text": "Very good!", "references": ["Very good indeed!"]}])
>>> assay.score(data, ["length"])["length"].values
array([2.])
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__version__ = "0.1.0"

# Every public name and the module it comes from; what authors of evaluators need is in `assay.evaluator`.
# Nothing is imported before it is used, so `import assay` is quick.
_PUBLIC = {
    "AnswerStore": "io.answers",
    "AssayError": "errors",
    "Batch": "batch",
    "Column": "scores",
    "DataError": "errors",
    "Criterion": "records",
    "Dataset": "records",
    "Evaluator": "evaluator",
    "EvaluatorError": "errors",
    "Executor": "run.executor",
    "Folds": "run.folds",
    "Game": "records.games",
    "Gaps": "scores",
    "Item": "records",
    "Judgment": "records",
    "MissingExtra": "errors",
    "NeighborRegressor": "evaluators.neighbors.regressor",
    "Output": "records",
    "Part": "part",
    "Requests": "run.requests",
    "ScoreCache": "io.cache",
    "ScoreTable": "scores",
    "adversaries": "analyses.discriminators.adversaries",
    "agree": "analyses.agree",
    "answers": "io.answers",
    "certify": "analyses.sets.certify",
    "communicate": "analyses.communicate.part",
    "compare": "analyses.compare",
    "contest": "analyses.sets.contest",
    "convert": "io.convert",
    "correct": "analyses.correct",
    "data": "io.public_data",
    "demo": "demonstration",
    "dectest": "analyses.sets.dectest",
    "detect": "analyses.detect",
    "fit": "run.fit",
    "fit_generator": "generators.fitting",
    "gate": "analyses.gate",
    "generate": "analyses.models.generate",
    "giveaways": "analyses.discriminators.giveaways",
    "hds": "analyses.sets.hds",
    "huse": "analyses.huse.part",
    "init": "study.init",
    "judge": "analyses.models.judge",
    "list": "analyses.listing",
    "load": "io",
    "load_game": "io.games",
    "load_scores": "score_files",
    "logprob": "analyses.models.logprob",
    "meta": "analyses.meta",
    "mtme": "analyses.mtme",
    "neighbors": "analyses.neighbors.part",
    "nuggets": "analyses.sets.nuggets",
    "originality": "analyses.originality",
    "parse": "registry",
    "partition": "io.partition",
    "power": "analyses.power",
    "prefer": "analyses.prefer",
    "probe": "analyses.probe",
    "replace": "analyses.replace",
    "replay": "analyses.replay",
    "rsa": "analyses.rsa",
    "run_study": "study.run",
    "save": "io",
    "save_scores": "io.score_tables",
    "score": "run",
    "score_parts": "run.parts",
    "split": "run.split",
    "testbed": "tester_study.testbed",
    "track": "analyses.track",
}

__all__ = ["__version__", *_PUBLIC]

if TYPE_CHECKING:
    from assay.analyses.agree import agree as agree
    from assay.analyses.communicate.part import communicate as communicate
    from assay.analyses.compare import compare as compare
    from assay.analyses.correct import correct as correct
    from assay.analyses.detect import detect as detect
    from assay.analyses.discriminators.adversaries import adversaries as adversaries
    from assay.analyses.discriminators.giveaways import giveaways as giveaways
    from assay.analyses.gate import gate as gate
    from assay.analyses.huse.part import huse as huse
    from assay.analyses.listing import list as list
    from assay.analyses.meta import meta as meta
    from assay.analyses.models.generate import generate as generate
    from assay.analyses.models.judge import judge as judge
    from assay.analyses.models.logprob import logprob as logprob
    from assay.analyses.mtme import mtme as mtme
    from assay.analyses.neighbors.part import neighbors as neighbors
    from assay.analyses.originality import originality as originality
    from assay.analyses.power import power as power
    from assay.analyses.prefer import prefer as prefer
    from assay.analyses.probe import probe as probe
    from assay.analyses.replace import replace as replace
    from assay.analyses.replay import replay as replay
    from assay.analyses.rsa import rsa as rsa
    from assay.analyses.sets.certify import certify as certify
    from assay.analyses.sets.contest import contest as contest
    from assay.analyses.sets.dectest import dectest as dectest
    from assay.analyses.sets.hds import hds as hds
    from assay.analyses.sets.nuggets import nuggets as nuggets
    from assay.analyses.track import track as track
    from assay.batch import Batch as Batch
    from assay.demonstration import demo as demo
    from assay.errors import AssayError as AssayError
    from assay.errors import DataError as DataError
    from assay.errors import EvaluatorError as EvaluatorError
    from assay.errors import MissingExtra as MissingExtra
    from assay.evaluator import Evaluator as Evaluator
    from assay.evaluators.neighbors.regressor import NeighborRegressor as NeighborRegressor
    from assay.generators.fitting import fit_generator as fit_generator
    from assay.io import load as load
    from assay.io import save as save
    from assay.io.answers import AnswerStore as AnswerStore
    from assay.io.answers import answers as answers
    from assay.io.cache import ScoreCache as ScoreCache
    from assay.io.convert import convert as convert
    from assay.io.games import load_game as load_game
    from assay.io.partition import partition as partition
    from assay.io.public_data import data as data
    from assay.io.score_tables import save_scores as save_scores
    from assay.part import Part as Part
    from assay.records import Criterion as Criterion
    from assay.records import Dataset as Dataset
    from assay.records import Item as Item
    from assay.records import Judgment as Judgment
    from assay.records import Output as Output
    from assay.records.games import Game as Game
    from assay.registry import parse as parse
    from assay.run import score as score
    from assay.run.executor import Executor as Executor
    from assay.run.fit import fit as fit
    from assay.run.folds import Folds as Folds
    from assay.run.parts import score_parts as score_parts
    from assay.run.requests import Requests as Requests
    from assay.run.split import split as split
    from assay.score_files import load_scores as load_scores
    from assay.scores import Column as Column
    from assay.scores import Gaps as Gaps
    from assay.scores import ScoreTable as ScoreTable
    from assay.study.init import init as init
    from assay.study.run import run_study as run_study
    from assay.tester_study.testbed import testbed as testbed


# Packages with the name of a command, which can be called, or whose functions are its subcommands.
_PACKAGES = ("annotate", "reproduce", "run")


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"assay.{name}")
    if name not in _PUBLIC:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    return getattr(import_module(f"assay.{_PUBLIC[name]}"), name)


def __dir__() -> "Sequence[str]":
    return sorted([*globals(), *_PUBLIC, *_PACKAGES])
