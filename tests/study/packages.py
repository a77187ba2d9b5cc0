"""Other people's packages, as pip would leave them in a folder."""

from pathlib import Path

STEP = """
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from assay.report.pieces import Part
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
    about = site / "slow_package-1.0.dist-info"
    about.mkdir(parents=True, exist_ok=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: slow-package\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[assay.studies]\nslow = {requires}:Slow\n")
    (site / "slow_step.py").write_text(code)
    return site / "slow_step.py"


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
    about = site / "flaky_package-1.0.dist-info"
    about.mkdir(parents=True, exist_ok=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: flaky-package\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[assay.evaluators]\nflaky = flaky_words:flaky\n")
    (site / "flaky_words.py").write_text(EVALUATOR)
