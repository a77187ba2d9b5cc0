"""Names to evaluators: the built-in table, other packages by entry point, and the parser of names and signatures."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from assay import __version__
from assay.errors import EvaluatorError, did_you_mean
from assay.evaluator import Evaluator, EvaluatorFactory
from assay.grammar import Call, Value, parse_call
from assay.references import ReferenceFactory

GROUP = "assay.evaluators"

# One line per evaluator: where its factory is. Nothing is imported before it is asked for.
BUILTIN = {
    "abs_hds": "assay.evaluators.human.diversity_scores:abs_hds",
    "asp_hds": "assay.evaluators.human.diversity_scores:asp_hds",
    "bert_score": "assay.evaluators.neural.bert_score:bert_score",
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


@cache
def plugins() -> Mapping[str, EntryPoint]:
    """Evaluators of other installed packages. A name that is taken is an error, never a silent replacement."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        taken = "assay itself" if point.name in BUILTIN else found.get(point.name)
        if taken:
            owner = point.dist.name if point.dist else point.value
            raise EvaluatorError(f"package {owner} registers the evaluator {point.name!r}, which {taken} has already.")
        found[point.name] = point
    return found


def names() -> list[str]:
    """All evaluators by name."""
    return sorted([*BUILTIN, *plugins()])


@cache
def factory(name: str) -> EvaluatorFactory:
    """Find an evaluator's factory."""
    if name in BUILTIN:
        found, origin = _load(BUILTIN[name]), f"assay:{__version__}"
    elif name in plugins():
        point = plugins()[name]
        try:
            found = point.load()
        except Exception as error:
            raise EvaluatorError(f"the evaluator {name!r} ({point.value}) cannot be loaded: {error}.") from error
        origin = f"{point.dist.name}:{point.dist.version}" if point.dist else "local"
    else:
        raise EvaluatorError(f"no evaluator {name!r}.{did_you_mean(name, names())}")
    if not isinstance(found, EvaluatorFactory):
        raise EvaluatorError(f"{name!r} is registered but is not decorated with @evaluator.")
    found.origin = origin
    return found


def parse(text: str) -> Evaluator:
    """Make the evaluator that a name or a signature describes.

    >>> parse("bleu(max_order=2)").params["max_order"]
    2
    """
    return build(parse_call(text))


def build(call: Call) -> Evaluator:
    """Make the evaluator of a parsed call."""
    made = factory(call.name)
    kwargs = {key: _resolved(value) for key, value in call.kwargs.items()}
    return made(*map(_resolved, call.args), **kwargs)


def _resolved(value: Value) -> Any:
    """Turn nested calls into what they name: a source of references or an evaluator."""
    if isinstance(value, tuple):
        return tuple(map(_resolved, value))
    if not isinstance(value, Call):
        return value
    if value.name not in REFERENCES:
        return build(value)
    source = _load(REFERENCES[value.name])
    assert isinstance(source, ReferenceFactory)
    return source(*map(_resolved, value.args), **{key: _resolved(part) for key, part in value.kwargs.items()})


def _load(path: str) -> Any:
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)
