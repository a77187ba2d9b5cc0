"""Small data sets with judgments, for the tests of agreement, preferences and power."""

import csv

import numpy as np

from assay.records import Dataset

LABELS = {
    label: value for value, label in enumerate(["Invalid", "Rare", "Specific", "Average", "Typical", "Very Typical"])
}


def dataset(votes, *, human=(), systems=None, items=None):
    """`votes` are (unit, annotator, value) about outputs of one criterion, `quality`; each its own item by default."""
    records = {}
    for unit, annotator, value in votes:
        name = (systems or {}).get(unit, "a")
        record = records.setdefault(
            unit, {"id": unit, "item": (items or {}).get(unit, unit), "text": "x", "system": name, "judgments": []}
        )
        record["human"] = name in human
        record["judgments"].append({"annotator": annotator, "criterion": "quality", "value": value})
    return Dataset.from_records(records.values())


def random_votes(rng, n_units=30, n_annotators=6, n_categories=4, share=0.8):
    truth = rng.integers(0, n_categories, n_units)
    return [
        (f"u{unit}", f"a{annotator}", int(truth[unit] if rng.random() < 0.6 else rng.integers(0, n_categories)))
        for unit in range(n_units)
        for annotator in range(n_annotators)
        if rng.random() < share
    ]


def huse(folder):
    """Hashimoto et al. 2019: 200 headlines, 20 votes each, on a scale of 0 to 5."""
    votes = []
    with open(folder / "huse/summarization_mturk_batch.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            votes += [(f"{row['HITId']}-{k}", row["WorkerId"], LABELS[row[f"Answer.{k}"]]) for k in range(25)]
    return dataset(votes)


def preferences(comparisons):
    """`comparisons` are (left system, right system, value), each about an item of its own."""
    records = []
    for k, (left, right, value) in enumerate(comparisons):
        item = f"i{k}"
        judgment = {"annotator": f"a{k % 7}", "criterion": "better", "value": value, "other": f"{item}-r"}
        records.append({"id": f"{item}-l", "item": item, "system": left, "text": "x", "judgments": [judgment]})
        records.append({"id": f"{item}-r", "item": item, "system": right, "text": "y"})
    return Dataset.from_records(records)


def simulated_comparisons(seed, strengths, n, tie=0.5):
    """Draw comparisons from Davidson's model."""
    rng = np.random.default_rng(seed)
    names = list(strengths)
    found = []
    for _ in range(n):
        left, right = rng.choice(len(names), 2, replace=False)
        gap = (strengths[names[left]] - strengths[names[right]]) / 2
        weights = np.array([np.exp(gap), np.exp(-gap), tie])
        outcome = rng.choice(3, p=weights / weights.sum())
        found.append((names[left], names[right], [1, -1, 0][outcome]))
    return found
