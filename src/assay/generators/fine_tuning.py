"""A pretrained language model, tuned to write as the texts do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from math import exp

from assay.backends.language.fine_tuning import TokenRow, TunedModel, TuningRecipe, tune
from assay.backends.language.local import LocalModel
from assay.backends.language.opening import open_model
from assay.backends.language.protocol import ToScore
from assay.backends.language.template import Template, following
from assay.errors import DataError, GeneratorError
from assay.generators.kinds import FitTask, FittedGenerator
from assay.io.generator_folders import GeneratorFolder

MEASURED = 200
"""Held-out texts that the perplexity is measured on, at most."""
WEIGHTS = "weights "


def fit_fine_tuned(task: FitTask) -> FittedGenerator:
    """Tune the last layers of the model that is named."""
    model = _pretrained(task.options["model"])
    recipe = TuningRecipe()
    recipe = replace(recipe, **{name: task.options[name] for name in ("steps",) if name in task.options})
    end = model.encoder.end("model")[:1]
    rows = []
    for one in _to_score(task, task.rows):
        encoded = model.encoder.encode(one.prompt, one.text, one.reading.bos, "separate")
        if encoded.reason:
            raise GeneratorError(f"{task.options['model']}: {encoded.reason}.")
        rows.append(TokenRow(encoded.prompt, encoded.text + end))
    weights = tune(model, rows, recipe, task.seed)
    tuned = TunedModel(model.folder, "tuned", recipe.layers, weights)
    measured = list(task.held_out[:MEASURED])
    training = {
        "model": model.name,
        "perplexity": _perplexity(tuned, task, measured),
        "perplexity_before": _perplexity(model, task, measured),
        "measured": len(measured),
        "recipe": asdict(recipe),
    }
    settings = {"model": model.name, "layers": recipe.layers}
    return FittedGenerator(settings, {f"{WEIGHTS}{name}": part for name, part in weights.items()}, training)


def open_fine_tuned(folder: GeneratorFolder) -> TunedModel:
    """The model of a folder: the pretrained one, which is found by its content, with the weights that were learnt."""
    name = str(folder.settings["model"])
    try:
        model = _pretrained(name)
    except DataError:
        raise DataError(
            f"{folder.folder}: the model that was tuned, {name}, is not found by its content. Open it once by its "
            "path, as with assay logprob --model PATH, or train the generator again."
        ) from None
    weights = {key.removeprefix(WEIGHTS): part for key, part in folder.arrays.items() if key.startswith(WEIGHTS)}
    return TunedModel(model.folder, folder.name, int(folder.settings["layers"]), weights)


def _pretrained(name: str) -> LocalModel:
    model = open_model(name)
    if not isinstance(model, LocalModel) or isinstance(model, TunedModel):
        raise GeneratorError(f"{name}: only a pretrained model from a local folder or a .gguf file can be tuned.")
    return model


def _to_score(task: FitTask, rows: Sequence[int]) -> list[ToScore]:
    """Texts after their contexts, as `assay generate` and `assay logprob` put them together by default."""
    outputs, template = task.dataset.outputs, Template()
    wanted = []
    for row in rows:
        prompt, space = template.split(task.dataset.items.context[int(outputs.item[row])])
        wanted.append(ToScore(prompt, following(space, outputs.text[row])))
    return wanted


def _perplexity(model: LocalModel, task: FitTask, rows: Sequence[int]) -> float:
    """Per word, the end of each text counted as one; texts that do not fit the window are left out."""
    total, n = 0.0, 0
    for one, score in zip(wanted := _to_score(task, rows), model.score(wanted), strict=True):
        if not score.reason:
            total, n = total + score.logprob, n + len(one.text.split()) + 1
    return exp(-total / n) if n else float("nan")
