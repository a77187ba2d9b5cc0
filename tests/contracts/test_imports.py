"""Imports go one way, and `import assay` is light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from assay.registry import BUILTIN

SOURCE = Path(__file__).parents[2] / "src" / "assay"

# From the bottom up. A module may import its own layer's package (itself) and any layer below.
LAYERS = (
    ("errors", "named", "progress", "__init__"),
    ("limits",),
    ("framed",),
    ("kernels",),
    ("text",),
    ("records", "scores", "plot"),
    ("part", "forms"),
    ("io",),
    ("grammar", "typed_values", "factory"),
    ("backends",),
    (
        "references",
        "distractors",
        "retrieval",
        "units",
        "batch",
        "scored",
        "shapes",
        "evaluator",
        "listening",
        "applied",
        "registry",
        "needs",
        "outside_code",
        "score_files",
    ),
    ("run",),
    ("evaluators", "metaeval", "generators"),
    ("analyses",),
    ("report",),
    ("sample", "study"),
    ("annotate",),
    ("reproduce", "demonstration", "tester_study"),
    ("cli",),
    ("__main__",),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
# These layers hold single modules that build one contract together.
TOGETHER = {name for layer in LAYERS if {"grammar", "batch"} & set(layer) for name in layer}

HEAVY = ("torch", "sklearn", "xgboost", "numba", "scipy", "pyarrow", "matplotlib", "sacrebleu", "nltk", "flask")


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def part(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def imported(path: Path) -> set[str]:
    """The assay modules that a file imports, at its top or inside functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {f"assay.{alias.name}" for alias in node.names} if node.module == "assay" else {node.module}
            found |= names
    return {name for name in found if name.split(".")[0] == "assay"}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_only_go_down(path: Path) -> None:
    own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    if path == SOURCE / "__init__.py":
        return  # the public names, which `__getattr__` imports when they are used
    for module in imported(path):
        other = part(module)
        if other not in LEVEL:
            assert module == "assay.__version__", module
            continue
        allowed = other == own or LEVEL[other] < LEVEL[own] or (own in TOGETHER and other in TOGETHER)
        assert allowed, f"{path.relative_to(SOURCE)} imports {module}, which is not below it"


def test_every_module_has_a_layer() -> None:
    parts = {path.relative_to(SOURCE).parts[0].removesuffix(".py") for path in modules()}
    assert parts <= set(LEVEL)


@pytest.mark.parametrize("code", ["import assay", "from assay.cli import cli; cli(['--help'], standalone_mode=False)"])
def test_a_fresh_start_loads_nothing_heavy(code: str) -> None:
    check = f"import sys\n{code}\nprint('loaded:', sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded: []"


def test_evaluators_are_listed_without_the_packages_of_extras() -> None:
    extras = ("dask", "gguf", "sklearn", "starlette", "torch", "transformers", "xgboost")
    check = f"import sys\nsys.modules.update(dict.fromkeys({extras!r}))\nimport assay\nprint(len(assay.list()))"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True)
    assert int(done.stdout or 0) == len(BUILTIN), done.stderr


def test_import_takes_under_a_third_of_a_second_of_cpu() -> None:
    code = "import time; start = time.process_time(); import assay; print(time.process_time() - start)"
    times = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(3)]
    assert min(times) < 0.3
