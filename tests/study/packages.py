"""A step and an evaluator of other people's packages."""

from pathlib import Path

from tests.packages import install_package

STEP = """
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from assay.part import Part
from assay.study.step import Step


@dataclass(frozen=True)
class Slow(Step):
    name: ClassVar[str] = "slow"
    about: ClassVar[str] = "Takes long, but for the file `quick`."

    def run(self, task):
        try:
            if not Path("quick").exists():
                time.sleep(300)
        except KeyboardInterrupt as error:
            # What compiled code makes of Ctrl-C.
            raise SystemError("<kernel> returned a result with an exception set") from error
        return Part("Slow", "Done at last.")

    @classmethod
    def proposal(cls, dataset):
        return {}
"""


def install_step(site: Path, code: str = STEP, requires: str = "slow_step") -> Path:
    """Install a package with the step [slow] into a folder, and return the file of its code."""
    return install_package(site, "slow_step", code, "assay.studies", f"slow = {requires}:Slow")


EVALUATOR = """
from pathlib import Path

from assay.evaluator import evaluator, per_unit


@evaluator(scale="any")
def flaky():
    'Words, once the file `quick` is there; before, there is no memory for texts of the system a.'

    def score(output):
        if output.system == "a" and not Path("quick").exists():
            raise MemoryError
        return len(output.text.split())

    return per_unit(score)
"""


def install_evaluator(site: Path) -> None:
    """Install a package with the evaluator `flaky` into a folder."""
    install_package(site, "flaky_words", EVALUATOR, "assay.evaluators", "flaky = flaky_words:flaky")
