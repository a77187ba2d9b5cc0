"""Scoring: evaluators run over a data set. Called, it runs a study, as the command `assay run` does."""

import sys
from types import ModuleType
from typing import Any

from assay.run.scoring import score as score


class _Package(ModuleType):
    """The package under the name of the command: `assay.run("study.toml")` is `assay.run_study("study.toml")`."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return sys.modules["assay"].run_study(*args, **options)


sys.modules[__name__].__class__ = _Package
