"""A generator that says one text, the first it learnt from."""

from math import inf

from assay.backends.language.protocol import Drawn, TextScore
from assay.generators.kinds import FittedGenerator, GeneratorKind

parrot = GeneratorKind("says one text", "assay_shouting.parrot:fit", "assay_shouting.parrot:Parrot", likelihood=False)


def fit(task):
    """Keep the first text."""
    return FittedGenerator({"text": task.texts(task.rows)[0]}, {}, {})


class Parrot:
    """The language model of a folder."""

    at_once = 1
    batch = 1000

    def __init__(self, folder):
        self.name = folder.name
        self.text = folder.settings["text"]

    def tokenize(self, text):
        """The words of a text."""
        return text.split()

    def score(self, wanted):
        """Probability 1 for its text, and 0 for any other."""
        return [TextScore(0.0 if one.text.strip() == self.text else -inf, len(one.text.split())) for one in wanted]

    def sample(self, wanted):
        """Its text."""
        return [Drawn(self.text, 0.0, len(self.text.split()), "end", 0.0) for _ in wanted]
