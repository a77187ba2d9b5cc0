"""A score or a piece of a training that another version of a package computed is never taken for one's own."""

import ast
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import assay
from assay.io.code import COMPUTED_WITH

COMPUTING = ("backends", "evaluators", "generators", "kernels", "metaeval", "text")
ONLY_CARRY = {"dask", "distributed", "safetensors"}


def test_every_package_that_computes_is_in_the_fingerprint() -> None:
    imported: set[str] = set()
    for folder in COMPUTING:
        for path in (Path(assay.__file__).parent / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    imported |= {name.name.partition(".")[0] for name in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    imported.add(node.module.partition(".")[0])
    others = imported - set(sys.stdlib_module_names) - {"assay"} - ONLY_CARRY
    distributions = packages_distributions()
    assert {"numpy", "xgboost"} <= others
    assert {name for name in others if not set(distributions.get(name, [name])) & set(COMPUTED_WITH)} == set()
