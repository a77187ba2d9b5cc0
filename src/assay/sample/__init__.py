"""The embedded sample: a small data set written for this project, to try everything on."""

from pathlib import Path

PATH = Path(__file__).with_name("outputs.jsonl")
"""The sample as a flat file: 150 texts standing for people and 900 outputs of six small systems."""
