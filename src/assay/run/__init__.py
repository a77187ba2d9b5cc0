"""Scoring: evaluators run over a data set."""

from assay.run.scoring import score as score
