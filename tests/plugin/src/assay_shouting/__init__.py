"""How much of a text is in capitals."""

from assay.evaluator import Shape, evaluator, per_unit
from assay.records import Output


@evaluator(higher_is_better=False, scale="0 to 1")
def shouting(*, minimum: int = 1) -> Shape:
    """Share of letters that are capitals; a gap for a text with fewer than `minimum` letters."""

    def score(output: Output) -> float:
        letters = [character for character in output.text if character.isalpha()]
        if len(letters) < minimum:
            raise ValueError(f"too few letters ({len(letters)} < {minimum})")
        return sum(letter.isupper() for letter in letters) / len(letters)

    return per_unit(score)
