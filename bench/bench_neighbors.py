"""BLEU* of all pairs, from Python strings to sparse rows, against plain Python with cached counters."""

import resource
import subprocess
import sys
from collections import Counter
from math import exp, log, nan

from assay.evaluators.neighbors.similarity import Similarity
from assay.kernels.pairs.sparse_rows import SparseRows, stack
from assay.text.strings import Strings
from bench.table import Row, best_cpu
from bench.texts import bank, responses

N, N_LARGE = 2_000, 100_000
PYTHON_ROWS = 100
TAU = 0.08


def rows() -> list[Row]:
    texts = list(dict.fromkeys(responses()))[:N]
    result = []
    for name, tokenizer, split in (("words", "whitespace", str.split), ("characters", "chars", list)):
        similarity = Similarity(tokenizer=tokenizer)
        pairs_found = all_pairs(texts, similarity)
        counters = [(len(split(text)), [ngrams(split(text), order) for order in (2, 3, 4)]) for text in texts]
        expected = python_pairs(counters[:PYTHON_ROWS], counters)
        assert [len(row) for row in expected] == [
            pairs_found.offsets[i + 1] - pairs_found.offsets[i] for i in range(PYTHON_ROWS)
        ]
        sampled = best_cpu(lambda counters=counters: python_pairs(counters[:PYTHON_ROWS], counters), 2)
        result.append(
            Row(
                f"BLEU* {N:,} x {N:,}, {name}",
                "Python, cached counters",
                sampled * N / PYTHON_ROWS,
                best_cpu(lambda similarity=similarity: all_pairs(texts, similarity), 3),
                f"{len(pairs_found.values):,} pairs from {TAU}; Python measured on {PYTHON_ROWS} of {N:,} rows",
            )
        )
    seconds, megabytes, pairs = measured_apart()
    note = f"{pairs:,} pairs from {TAU}; at most {megabytes:,.0f} MB in all"
    result.append(Row(f"BLEU* {N_LARGE:,} x {N_LARGE:,}, words", "", nan, seconds, note))
    return result


def all_pairs(texts: list[str], similarity: Similarity) -> SparseRows:
    return stack([part for _, part in similarity.rows(Strings.of(texts), None, TAU)])


def ngrams(tokens: list[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))


def python_pairs(candidates: list, references: list) -> list[list[tuple[int, float]]]:
    """A fair baseline: counters are precomputed, and a pair stops at the first order without a match."""
    pairs_found = []
    for length, ours in candidates:
        row = []
        for column, (reference_length, theirs) in enumerate(references):
            total = 0.0
            for order in (2, 1, 0):
                matched = sum((ours[order] & theirs[order]).values())
                if not matched:
                    break
                total += log(matched / (length - order - 1))
            else:
                score = exp(total / 3 + min(0.0, 1 - reference_length / length))
                if score >= TAU:
                    row.append((column, score))
        pairs_found.append(row)
    return pairs_found


def measured_apart() -> tuple[float, float, int]:
    """CPU seconds, peak memory and pairs of the large case, in a separate process."""
    run = subprocess.run([sys.executable, "-m", "bench.bench_neighbors"], capture_output=True, text=True, check=True)
    seconds, megabytes, pairs = run.stdout.split()
    return float(seconds), float(megabytes), int(pairs)


def main() -> None:
    """Count the pairs of the large case block by block, as an estimator would."""
    all_pairs(bank(50), Similarity(tokenizer="whitespace"))
    column = Strings.of(bank(N_LARGE))
    pairs = 0

    def stream() -> None:
        nonlocal pairs
        for _, part in Similarity(tokenizer="whitespace").rows(column, None, TAU):
            pairs += len(part.values)

    seconds = best_cpu(stream, 1)
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, pairs)


if __name__ == "__main__":
    main()
