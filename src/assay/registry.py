"""Evaluators by name: the built-in table, entry points of other packages, and the parser of signatures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, NamedTuple

from assay import __version__
from assay.errors import EvaluatorError, did_you_mean, pass_on_interrupt
from assay.evaluator import Evaluator, EvaluatorFactory
from assay.grammar import Call, Value, parse_call
from assay.io.model_folders import learn_folders
from assay.named import load_named
from assay.references import ReferenceFactory, References

GROUP = "assay.evaluators"

# The factory of each evaluator, imported on first use.
BUILTIN = {
    "abs_hds": "assay.evaluators.human.diversity_scores:abs_hds",
    "asp_hds": "assay.evaluators.human.diversity_scores:asp_hds",
    "bert_score": "assay.evaluators.neural.bert_score:bert_score",
    "blend": "assay.evaluators.blend:blend",
    "bleu": "assay.evaluators.overlap.bleu:bleu",
    "chrf": "assay.evaluators.overlap.chrf:chrf",
    "cider": "assay.evaluators.overlap.cider:cider",
    "cnn": "assay.evaluators.discriminators.cnn:cnn",
    "cnn_lstm": "assay.evaluators.discriminators.cnn_lstm:cnn_lstm",
    "column": "assay.evaluators.column:column",
    "compression_ratio": "assay.evaluators.diversity.compression_ratio:compression_ratio",
    "content_diversity": "assay.evaluators.diversity.content_diversity:content_diversity",
    "cos_sim": "assay.evaluators.diversity.cos_sim:cos_sim",
    "cross_encoder": "assay.evaluators.neural.cross_encoder:cross_encoder",
    "distinct": "assay.evaluators.diversity.distinct:distinct",
    "edit_distance": "assay.evaluators.diversity.edit_distance:edit_distance",
    "embedding_diversity": "assay.evaluators.diversity.dispersion:embedding_diversity",
    "exact_match": "assay.evaluators.answers.exact_match:exact_match",
    "fine_tuned": "assay.evaluators.discriminators.fine_tuned:fine_tuned",
    "fluency": "assay.evaluators.judges.fluency:fluency",
    "homogeneity": "assay.evaluators.diversity.dispersion:homogeneity",
    "human": "assay.evaluators.human.human:human",
    "human_listener": "assay.evaluators.listeners.human_listener:human_listener",
    "huse": "assay.evaluators.huse.huse:huse",
    "huse_d": "assay.evaluators.huse.huse:huse_d",
    "huse_q": "assay.evaluators.huse.huse:huse_q",
    "inertia": "assay.evaluators.diversity.dispersion:inertia",
    "judge": "assay.evaluators.judges.judge:judge",
    "length": "assay.evaluators.length:length",
    "listener": "assay.evaluators.listeners.color_listener:listener",
    "lm_listener": "assay.evaluators.listeners.lm_listener:lm_listener",
    "logistic": "assay.evaluators.discriminators.logistic:logistic",
    "lstm": "assay.evaluators.discriminators.lstm:lstm",
    "mauve": "assay.evaluators.distributions.distributions:mauve",
    "meteor": "assay.evaluators.overlap.meteor:meteor",
    "mixed_listener": "assay.evaluators.listeners.mixed_listener:mixed_listener",
    "mmd": "assay.evaluators.distributions.distributions:mmd",
    "mtld": "assay.evaluators.diversity.mtld:mtld",
    "nb": "assay.evaluators.discriminators.nb:nb",
    "neighbors": "assay.evaluators.neighbors.neighbors:neighbors",
    "ngram_entropy": "assay.evaluators.diversity.ngram_entropy:ngram_entropy",
    "numeric_match": "assay.evaluators.answers.numeric_match:numeric_match",
    "perplexity": "assay.evaluators.perplexity:perplexity",
    "reduce": "assay.evaluators.diversity.reduce:reduce",
    "repetition": "assay.evaluators.discriminators.repetition:repetition",
    "rf": "assay.evaluators.discriminators.rf:rf",
    "rnk_hds": "assay.evaluators.human.diversity_scores:rnk_hds",
    "rouge": "assay.evaluators.overlap.rouge:rouge",
    "rsa": "assay.evaluators.listeners.rsa:rsa",
    "self_bleu": "assay.evaluators.overlap.self_bleu:self_bleu",
    "set_value": "assay.evaluators.set_value:set_value",
    "sim_hds": "assay.evaluators.human.diversity_scores:sim_hds",
    "surface": "assay.evaluators.discriminators.surface:surface",
    "svm": "assay.evaluators.discriminators.svm:svm",
    "support_precision": "assay.evaluators.distributions.distributions:support_precision",
    "support_recall": "assay.evaluators.distributions.distributions:support_recall",
    "ter": "assay.evaluators.overlap.ter:ter",
    "text_listener": "assay.evaluators.listeners.text_listener:text_listener",
    "token_f1": "assay.evaluators.answers.token_f1:token_f1",
    "trained_content_diversity": "assay.evaluators.diversity.trained_content_diversity:trained_content_diversity",
    "type_token_ratio": "assay.evaluators.diversity.type_token_ratio:type_token_ratio",
    "vendi": "assay.evaluators.diversity.dispersion:vendi",
    "volume": "assay.evaluators.diversity.dispersion:volume",
    "wms": "assay.evaluators.overlap.wms:wms",
    "xgboost": "assay.evaluators.discriminators.xgboost:xgboost",
}

REFERENCES = {
    "given": "assay.references:given",
    "nearest": "assay.retrieval:nearest",
    "others": "assay.retrieval:others",
}


# A function outside the registry: `package.module:name`, in signatures `function('package.module:name')`.
_PATH = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
FUNCTION = "function"
OUTSIDE = "assay.evaluators.outside:from_path"


class _Registered(NamedTuple):
    """Evaluators of other packages by name, and why some were refused."""

    accepted: Mapping[str, EntryPoint]
    refused: Mapping[str, str]


def plugins() -> Mapping[str, EntryPoint]:
    """Evaluators of other installed packages by name."""
    return _registered().accepted


@cache
def _registered() -> _Registered:
    """Read the entry points of other packages. A name that is taken is never replaced."""
    accepted: dict[str, EntryPoint] = {}
    refused: dict[str, str] = {}
    for point in entry_points(group=GROUP):
        first = accepted.get(point.name)
        taken = "assay itself" if point.name in BUILTIN else _owner(first) if first else ""
        if taken:
            why = f"{_owner(point)} registers the evaluator {point.name!r}, which {taken} has already."
            refused[f"{point.name} ({_owner(point)})"] = f"{why} Rename it, or remove one of them."
        else:
            accepted[point.name] = point
    return _Registered(accepted, refused)


ENDPOINT = "url"
"""`url('model@base')` names a language model behind an endpoint, as a text."""


def names() -> list[str]:
    """All evaluators by name."""
    return sorted([*BUILTIN, *plugins()])


def broken() -> dict[str, str]:
    """Evaluators of other packages that cannot be used, with the reason. This loads all of them."""
    reasons = dict(_registered().refused)
    for name in plugins():
        try:
            factory(name)
        except EvaluatorError as error:
            reasons[name] = str(error)
    return reasons


@cache
def factory(name: str) -> EvaluatorFactory:
    """Look up an evaluator's factory."""
    if name in BUILTIN:
        loaded, origin = load_named(BUILTIN[name]), f"assay:{__version__}"
    elif name in plugins():
        point = plugins()[name]
        loaded = _of_package(name, point)
        origin = f"{point.dist.name}:{point.dist.version}" if point.dist else "local"
    else:
        # The name may be that of a source of references, with a typo.
        raise EvaluatorError(f"no evaluator {name!r}.{did_you_mean(name, [*names(), *REFERENCES])}")
    loaded.origin = origin
    return loaded


def _of_package(name: str, point: EntryPoint) -> EvaluatorFactory:
    """Load the factory of another package, which may raise anything."""
    where = f"the evaluator {name!r} of {_owner(point)} ({point.value})"
    try:
        loaded = point.load()
        usable = isinstance(loaded, EvaluatorFactory) and loaded.factory.parameters is not None
    except (Exception, SystemExit) as error:
        pass_on_interrupt(error)
        why = f"{type(error).__name__}: {error}"
        raise EvaluatorError(f"{where} cannot be loaded: {why}. Repair or remove that package.") from error
    if not usable:
        raise EvaluatorError(f"{where} is not decorated with @evaluator. Repair or remove that package.")
    return loaded


def _owner(point: EntryPoint) -> str:
    return f"the package {point.dist.name}" if point.dist else point.value


def parse(text: str) -> Evaluator:
    """Make an evaluator from a name or a signature.

    >>> parse("bleu(max_order=2)").params["max_order"]
    2

    `package.module:function` is a function of yours.
    """
    if _PATH.fullmatch(text):
        return build(Call(FUNCTION, (text,)))
    return build(parse_call(text))


def arrived(signature: str, folders: Mapping[str, Path]) -> Evaluator:
    """Make the evaluator of another process, whose models may be in folders that were never used here."""
    learn_folders(folders)
    return parse(signature)


def travels(evaluator: Evaluator) -> bool:
    """Whether an evaluator can be rebuilt from its signature in another process."""
    return evaluator.origin != "local" and all(map(_part_travels, evaluator.params.values()))


def _part_travels(value: Any) -> bool:
    match value:
        case Evaluator():
            return travels(value)
        case References():
            return value.name in REFERENCES and value.is_ours
        case tuple():
            return all(map(_part_travels, value))
    return True


def build(call: Call) -> Evaluator:
    """Make the evaluator of a parsed call."""
    if call.name == FUNCTION:
        path = call.args[0] if call.args else call.kwargs.get("path")
        if not isinstance(path, str):
            raise EvaluatorError("function takes a path: function('package.module:name').")
        made: Evaluator = load_named(OUTSIDE)(path)
        return made
    return factory(call.name)(*map(_resolved, call.args), **arguments(call))


def arguments(call: Call) -> dict[str, Any]:
    """The keyword arguments of a parsed call, resolved."""
    return {key: _resolved(value) for key, value in call.kwargs.items()}


def _resolved(value: Value) -> Any:
    """Resolve nested calls to reference sources or evaluators."""
    if isinstance(value, tuple):
        return tuple(map(_resolved, value))
    if not isinstance(value, Call):
        return value
    if value.name == ENDPOINT and len(value.args) == 1 and not value.kwargs:
        return f"{ENDPOINT}({value.args[0]})"
    if value.name not in REFERENCES:
        return build(value)
    source = load_named(REFERENCES[value.name])
    assert isinstance(source, ReferenceFactory)
    return source(*map(_resolved, value.args), **arguments(value))
