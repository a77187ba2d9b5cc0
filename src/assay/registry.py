"""Names to evaluators: the built-in table, other packages by entry point, and the parser of names and signatures."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple

from assay import __version__
from assay.errors import EvaluatorError, did_you_mean, pass_on_interrupt
from assay.evaluator import Evaluator, EvaluatorFactory
from assay.grammar import Call, Value, parse_call
from assay.named import load_named
from assay.references import ReferenceFactory, References

GROUP = "assay.evaluators"

# One line per evaluator: where its factory is. Nothing is imported before it is asked for.
BUILTIN = {
    "abs_hds": "assay.evaluators.human.diversity_scores:abs_hds",
    "asp_hds": "assay.evaluators.human.diversity_scores:asp_hds",
    "bert_score": "assay.evaluators.neural.bert_score:bert_score",
    "blend": "assay.evaluators.blend:blend",
    "bleu": "assay.evaluators.overlap.bleu:bleu",
    "chrf": "assay.evaluators.overlap.chrf:chrf",
    "cider": "assay.evaluators.overlap.cider:cider",
    "column": "assay.evaluators.column:column",
    "compression_ratio": "assay.evaluators.diversity.compression_ratio:compression_ratio",
    "content_diversity": "assay.evaluators.diversity.content_diversity:content_diversity",
    "cos_sim": "assay.evaluators.diversity.cos_sim:cos_sim",
    "cross_encoder": "assay.evaluators.neural.cross_encoder:cross_encoder",
    "distinct": "assay.evaluators.diversity.distinct:distinct",
    "edit_distance": "assay.evaluators.diversity.edit_distance:edit_distance",
    "embedding_diversity": "assay.evaluators.diversity.embedding_diversity:embedding_diversity",
    "homogeneity": "assay.evaluators.diversity.homogeneity:homogeneity",
    "human": "assay.evaluators.human.human:human",
    "huse": "assay.evaluators.huse.huse:huse",
    "huse_d": "assay.evaluators.huse.huse:huse_d",
    "huse_q": "assay.evaluators.huse.huse:huse_q",
    "inertia": "assay.evaluators.diversity.inertia:inertia",
    "length": "assay.evaluators.length:length",
    "meteor": "assay.evaluators.overlap.meteor:meteor",
    "mtld": "assay.evaluators.diversity.mtld:mtld",
    "neighbors": "assay.evaluators.neighbors.neighbors:neighbors",
    "ngram_entropy": "assay.evaluators.diversity.ngram_entropy:ngram_entropy",
    "perplexity": "assay.evaluators.perplexity:perplexity",
    "reduce": "assay.evaluators.diversity.reduce:reduce",
    "rnk_hds": "assay.evaluators.human.diversity_scores:rnk_hds",
    "rouge": "assay.evaluators.overlap.rouge:rouge",
    "self_bleu": "assay.evaluators.overlap.self_bleu:self_bleu",
    "set_value": "assay.evaluators.set_value:set_value",
    "sim_hds": "assay.evaluators.human.diversity_scores:sim_hds",
    "ter": "assay.evaluators.overlap.ter:ter",
    "trained_content_diversity": "assay.evaluators.diversity.trained_content_diversity:trained_content_diversity",
    "type_token_ratio": "assay.evaluators.diversity.type_token_ratio:type_token_ratio",
    "vendi": "assay.evaluators.diversity.vendi:vendi",
    "volume": "assay.evaluators.diversity.volume:volume",
}

REFERENCES = {
    "given": "assay.references:given",
    "nearest": "assay.retrieval:nearest",
    "others": "assay.retrieval:others",
}


class _Registered(NamedTuple):
    """Evaluators of other installed packages by name, and why some of what they register is not among them."""

    found: Mapping[str, EntryPoint]
    refused: Mapping[str, str]


def plugins() -> Mapping[str, EntryPoint]:
    """Evaluators of other installed packages by name."""
    return _registered().found


@cache
def _registered() -> _Registered:
    """Look up what other packages register. A name that is taken is never replaced: who came first keeps it."""
    found: dict[str, EntryPoint] = {}
    refused: dict[str, str] = {}
    for point in entry_points(group=GROUP):
        taken = "assay itself" if point.name in BUILTIN else _owner(found[point.name]) if point.name in found else ""
        if taken:
            why = f"{_owner(point)} registers the evaluator {point.name!r}, which {taken} has already."
            refused[f"{point.name} ({_owner(point)})"] = f"{why} Rename it, or remove one of them."
        else:
            found[point.name] = point
    return _Registered(found, refused)


def names() -> list[str]:
    """All evaluators by name."""
    return sorted([*BUILTIN, *plugins()])


def broken() -> dict[str, str]:
    """What other packages register and cannot be used, each with the reason. This loads all of them."""
    found = dict(_registered().refused)
    for name in plugins():
        try:
            factory(name)
        except EvaluatorError as error:
            found[name] = str(error)
    return found


@cache
def factory(name: str) -> EvaluatorFactory:
    """Find an evaluator's factory."""
    if name in BUILTIN:
        found, origin = load_named(BUILTIN[name]), f"assay:{__version__}"
    elif name in plugins():
        point = plugins()[name]
        found = _of_package(name, point)
        origin = f"{point.dist.name}:{point.dist.version}" if point.dist else "local"
    else:
        raise EvaluatorError(f"no evaluator {name!r}.{did_you_mean(name, names())}")
    found.origin = origin
    return found


def _of_package(name: str, point: EntryPoint) -> EvaluatorFactory:
    """Load the factory of another package, whatever it does on the way."""
    where = f"the evaluator {name!r} of {_owner(point)} ({point.value})"
    try:
        found = point.load()
        usable = isinstance(found, EvaluatorFactory) and found.factory.parameters is not None
    except (Exception, SystemExit) as error:
        pass_on_interrupt(error)
        why = f"{type(error).__name__}: {error}"
        raise EvaluatorError(f"{where} cannot be loaded: {why}. Repair or remove that package.") from error
    if not usable:
        raise EvaluatorError(f"{where} is not decorated with @evaluator. Repair or remove that package.")
    loaded: EvaluatorFactory = found
    return loaded


def _owner(point: EntryPoint) -> str:
    return f"the package {point.dist.name}" if point.dist else point.value


def parse(text: str) -> Evaluator:
    """Make the evaluator that a name or a signature describes.

    >>> parse("bleu(max_order=2)").params["max_order"]
    2
    """
    return build(parse_call(text))


def travels(evaluator: Evaluator) -> bool:
    """Whether an evaluator can be made again elsewhere from its signature: nothing in it is of this session alone."""
    return evaluator.origin != "local" and all(map(_part_travels, evaluator.params.values()))


def _part_travels(value: Any) -> bool:
    match value:
        case Evaluator():
            return travels(value)
        case References():
            return value.name in REFERENCES and value.resolve.__module__.partition(".")[0] == "assay"
        case tuple():
            return all(map(_part_travels, value))
    return True


def build(call: Call) -> Evaluator:
    """Make the evaluator of a parsed call."""
    return factory(call.name)(*map(_resolved, call.args), **arguments(call))


def arguments(call: Call) -> dict[str, Any]:
    """The named arguments of a parsed call, with what they name."""
    return {key: _resolved(value) for key, value in call.kwargs.items()}


def _resolved(value: Value) -> Any:
    """Turn nested calls into what they name: a source of references or an evaluator."""
    if isinstance(value, tuple):
        return tuple(map(_resolved, value))
    if not isinstance(value, Call):
        return value
    if value.name not in REFERENCES:
        return build(value)
    source = load_named(REFERENCES[value.name])
    assert isinstance(source, ReferenceFactory)
    return source(*map(_resolved, value.args), **arguments(value))
