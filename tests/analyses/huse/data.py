"""The authors' batch file as records: 200 headlines, 20 judgments each."""

import csv
from pathlib import Path
from typing import Any

LABELS = ("Invalid", "Rare", "Specific", "Average", "Typical", "Very Typical")


def summarization(folder: Path) -> list[dict[str, Any]]:
    """Read the outputs with judgments 0..5 and log-probabilities under the system `model`."""
    records: dict[tuple[str, int], dict[str, Any]] = {}
    with open(folder / "huse" / "summarization_mturk_batch.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for place in range(25):
                human = row[f"Input.TYPE{place}"] == "HUMAN_SUM"
                record = records.setdefault(
                    (row["HITId"], place),
                    {
                        "id": f"{row['HITId']}/{place}",
                        "item": row[f"Input.CTX{place}"],
                        "system": "people" if human else "model",
                        "human": human,
                        "text": row[f"Input.OUT{place}"],
                        "logprobs": {"model": float(row[f"Input.LOGP{place}"])},
                        "judgments": [],
                    },
                )
                value = LABELS.index(row[f"Answer.{place}"])
                record["judgments"].append({"annotator": row["WorkerId"], "criterion": "typicality", "value": value})
    return list(records.values())
