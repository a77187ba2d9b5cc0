"""The overlap metrics on 10,000 x 5 references against other libraries, and how a whole run scales.

A unit is a response with the five that follow it in the files as references, mostly answers to the same context. Peers
start from Python strings in memory and we from a dataset in memory; whole runs start from a file, in separate processes
with imports included.
"""

import contextlib
import io
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from itertools import cycle
from math import nan
from pathlib import Path

import numpy as np
import pycocoevalcap
from fast_bleu import SelfBLEU
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from nltk.translate.meteor_score import meteor_score
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider_scorer import CiderScorer
from pycocoevalcap.rouge.rouge import Rouge
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from assay import Dataset, load, score
from assay.io.meteor_tables import open_meteor_tables
from bench.table import Row, best_cpu
from bench.texts import bank, responses

N_UNITS, N_REFERENCES = 10_000, 5
N_SELF, N_SELF_NLTK = 1_000, 20
GROWTH = (10_000, 100_000, 1_000_000)
FAMILY = (
    "bleu",
    "chrf",
    "chrf(word_order=2)",
    "rouge('1')",
    "rouge('2')",
    "rouge('L')",
    "meteor",
    "cider",
    "ter",
    "self_bleu",
)
FEW = 2_000  # units for the slowest peers

Cases = list[tuple[str, list[str]]]


def rows() -> list[Row]:
    cases = units(N_UNITS)
    data = dataset(cases)
    return [*against_peers(cases, data), *meteor_jar(cases, data), *self_bleu(), *whole_runs()]


def units(n: int) -> Cases:
    texts = bank(n * (1 + N_REFERENCES))
    step = 1 + N_REFERENCES
    return [(texts[i], texts[i + 1 : i + step]) for i in range(0, len(texts), step)]


def dataset(cases: Cases) -> Dataset:
    return Dataset.from_records([{"text": text, "references": refs, "system": "s"} for text, refs in cases])


def ours(data: Dataset, evaluator: str) -> float:
    score(data, [evaluator])
    return best_cpu(lambda: score(data, [evaluator]))


def against_peers(cases: Cases, data: Dataset) -> Iterator[Row]:
    peers: list[tuple[str, str, str, Callable[[Cases], object], int]] = [
        ("BLEU, whitespace", "sacrebleu", "bleu(tokenizer='none')", lambda c: sacrebleu(BLEU(tokenize="none"), c), 0),
        ("BLEU, 13a", "sacrebleu", "bleu", lambda c: sacrebleu(BLEU(), c), 0),
        ("BLEU, COCO", "pycocoevalcap", "bleu(variant='coco')", coco_bleu, 0),
        ("chrF", "sacrebleu", "chrf", lambda c: sacrebleu(CHRF(), c), 0),
        ("chrF++", "sacrebleu", "chrf(word_order=2)", lambda c: sacrebleu(CHRF(word_order=2), c), 0),
        ("TER", "sacrebleu", "ter", lambda c: sacrebleu(TER(), c), FEW),
        ("ROUGE-1", "rouge-score", "rouge('1')", lambda c: rouge("rouge1", False, c), 0),
        ("ROUGE-2", "rouge-score", "rouge('2')", lambda c: rouge("rouge2", False, c), 0),
        ("ROUGE-L", "rouge-score", "rouge('L')", lambda c: rouge("rougeL", False, c), 0),
        ("ROUGE-L, stems", "rouge-score", "rouge('L', stemmer=True)", lambda c: rouge("rougeL", True, c), FEW),
        ("ROUGE-L, COCO", "pycocoevalcap", "rouge('L', variant='coco')", coco_rouge, 0),
        ("CIDEr-D", "pycocoevalcap", "cider", cider, 0),
        ("METEOR, nltk's alignment", "nltk", "meteor(align='nltk', tokenizer='whitespace')", meteor, FEW),
        ("METEOR, fewest chunks", "nltk", "meteor(tokenizer='whitespace')", meteor, FEW),
    ]
    for work, peer, evaluator, run, few in peers:
        measured = cases[:few] if few else cases
        seconds = best_cpu(lambda run=run, measured=measured: run(measured), 1) * len(cases) / len(measured)
        note = f"{N_UNITS:,} x {N_REFERENCES}" + (f"; peer measured on {few:,} units" if few else "")
        yield Row(work, peer, seconds, ours(data, evaluator), note)


def sacrebleu(metric: BLEU | CHRF | TER, cases: Cases) -> object:
    Tokenizer13a.__call__.cache_clear()  # it caches across rows
    streams = [[references[k] for _, references in cases] for k in range(N_REFERENCES)]
    return metric.corpus_score([text for text, _ in cases], streams)


def coco_bleu(cases: Cases) -> object:
    references_of = {i: references for i, (_, references) in enumerate(cases)}
    with contextlib.redirect_stdout(io.StringIO()):
        return Bleu(4).compute_score(references_of, {i: [text] for i, (text, _) in enumerate(cases)}, verbose=0)


def coco_rouge(cases: Cases) -> list[float]:
    scorer = Rouge()
    return [scorer.calc_score([text], references) for text, references in cases]


def rouge(kind: str, stemmer: bool, cases: Cases) -> list[object]:
    scorer = RougeScorer([kind], use_stemmer=stemmer)
    return [scorer.score_multi(references, text) for text, references in cases]


def cider(cases: Cases) -> object:
    scorer = CiderScorer()
    for text, references in cases:
        scorer += (text, references)
    return scorer.compute_score()


class NoSynonyms:
    """A WordNet without synonyms, for nltk's exact and stem stages alone."""

    def synsets(self, word: str) -> list[object]:
        """Return no synsets."""
        return []


def meteor(cases: Cases) -> list[float]:
    none = NoSynonyms()
    return [meteor_score([reference.split() for reference in refs], text.split(), wordnet=none) for text, refs in cases]


def meteor_jar(cases: Cases, data: Dataset) -> Iterator[Row]:
    """METEOR 1.5 in Java, with and without the seconds in which each side reads its tables."""
    if shutil.which("java") is None:
        return
    name = "meteor(variant='1.5')"
    seconds, loading = jar_cpu(cases), jar_cpu(cases[:1])
    warm = ours(data, name)
    cold = best_cpu(lambda: (open_meteor_tables.cache_clear(), score(data, [name])))
    note = f"{N_UNITS:,} x {N_REFERENCES}"
    yield Row("METEOR 1.5", "meteor-1.5.jar", seconds, cold, f"{note}; both read their tables")
    yield Row("METEOR 1.5", "meteor-1.5.jar", seconds - loading, warm, f"{note}; both have read them")


def jar_cpu(cases: Cases) -> float:
    """CPU seconds of the Java process that scores the cases."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    folder = Path(pycocoevalcap.__path__[0]) / "meteor"
    command = ["java", "-Xmx2G", "-jar", "meteor-1.5.jar", "-", "-", "-stdio", "-l", "en", "-norm"]
    lines = "".join(" ||| ".join(("SCORE", *references, text)) + "\n" for text, references in cases)
    subprocess.run(command, cwd=folder, input=lines.encode(), stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def self_bleu() -> Iterator[Row]:
    people = load("data:judges/reviews")
    reviews = people.outputs.text.take(np.flatnonzero(people.human)[:N_SELF]).to_list()
    short = list(dict.fromkeys(responses()))[:N_SELF]
    name = "self_bleu(tokenizer='whitespace')"
    for what, texts in (("reviews", reviews), ("short replies", short)):
        data = Dataset.from_records({"text": text, "item": "i", "system": "s"} for text in texts)
        score(data, [name], unit="system")
        seconds = best_cpu(lambda data=data: score(data, [name], unit="system"), 20)
        split = [text.split() for text in texts]
        note = f"{N_SELF:,} texts of {sum(map(len, split)) / N_SELF:.0f} words, from texts to the score"
        fast = best_cpu(lambda split=split: SelfBLEU(split, {"4": (0.25,) * 4}).get_score(), 3)
        yield Row(f"Self-BLEU-4, {what}", "fast-bleu", fast, seconds, note)
        slow = best_cpu(lambda split=split: nltk_self_bleu(split), 1) * N_SELF / N_SELF_NLTK
        yield Row(f"Self-BLEU-4, {what}", "nltk", slow, seconds, f"nltk measured on {N_SELF_NLTK} of the texts")


def nltk_self_bleu(split: list[list[str]]) -> list[float]:
    method = SmoothingFunction().method1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            sentence_bleu(split[:i] + split[i + 1 :], split[i], smoothing_function=method) for i in range(N_SELF_NLTK)
        ]


ASSAY = """
from assay.cli import cli
cli(sys.argv[1:], standalone_mode=False)
"""
SACREBLEU = """
import json
from sacrebleu.metrics import BLEU
lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
print(BLEU().corpus_score([line["text"] for line in lines], list(zip(*(line["references"] for line in lines)))))
"""
# The process reports its own usage: the child usage seen by a parent includes the parent's memory at the fork.
MEASURED = """
import re, sys, time
{code}
status = open("/proc/self/status").read()
print(time.process_time(), re.search(r"VmHWM:\\s+(\\d+)", status)[1], file=sys.stderr)
"""


def whole_runs() -> Iterator[Row]:
    """Measure processes on growing data: sacrebleu's BLEU alone, and all metrics in one `assay score`."""
    options = [word for name in FAMILY for word in ("-e", name)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "outputs.jsonl")
        arguments = [
            "score",
            str(path),
            "--no-cache",
            "--unit",
            "system",
            *options,
            "-o",
            str(Path(folder, "scores.csv")),
        ]
        for n in GROWTH:
            write(path, n)
            seconds, megabytes = measured(ASSAY, arguments)
            peer, peer_seconds = "", nan
            if n == N_UNITS:
                seconds = min(seconds, *(measured(ASSAY, arguments)[0] for _ in range(2)))
                peer, peer_seconds = "sacrebleu, BLEU alone", measured(SACREBLEU, [str(path)])[0]
            note = f"{len(FAMILY)} evaluators, {n:,} x {N_REFERENCES}, one process; at most {megabytes:,.0f} MB"
            yield Row(f"the family, {n:,} outputs", peer, peer_seconds, seconds, note)


def write(path: Path, n: int) -> None:
    texts = cycle(responses())
    with path.open("w", encoding="utf-8") as file:
        for number in range(n):
            text, *references = (next(texts) for _ in range(1 + N_REFERENCES))
            record = {"id": str(number), "item": str(number), "system": "s", "text": text, "references": references}
            file.write(json.dumps(record) + "\n")


def measured(code: str, arguments: list[str]) -> tuple[float, float]:
    """Return CPU seconds and peak memory in MB of a separate process, imports included."""
    command = [sys.executable, "-c", MEASURED.format(code=code), *arguments]
    completed = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, kilobytes = completed.stderr.split()[-2:]
    return float(seconds), int(kilobytes) / 1024
