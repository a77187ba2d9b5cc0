"""The words of METEOR 1.5, against what its Java normalizer gives for the same lines, in lower case."""

import pytest

from assay.text.meteor_words import meteor_words
from assay.text.strings import Strings

PREFIXES = {"Mr": False, "No": True, "pp": True, "e.g": False}
LINES = {
    "The U.S.-based Mr. Smith's car cost $1,000, didn't it?": (
        "the us based mr. smith 's car cost $ 1,000 , didn 't it ?"
    ),
    "a,b,c and a,,b and 1,2 and x ,3": "a , b,c and a , ,b and 1,2 and x , 3",
    "She said ``hello'' – or “goodbye” -- to the well-known e.g. man... end.": (
        'she said " hello " - or " goodbye " - to the well known eg man ... end .'
    ),
    "No. 5 is pp. 12, No. nine; Inc. agreed. Inc. Agreed": "no. 5 is pp. 12 , no. nine ; inc. agreed . inc . agreed",
    "the dogs' bones aren't 1990's 'quoted' o'clock": "the dogs ' bones aren 't 1990 's ' quoted ' o 'clock",
    "wait....what?? it's 3.5% of $2.50.": "wait .... what ? ? it 's 3.5 % of $ 2.50 .",
}


def test_words_equal_the_original() -> None:
    tokens = meteor_words(Strings.of(LINES), PREFIXES)
    assert [" ".join(tokens.spell(row)) for row in range(len(LINES))] == list(LINES.values())


@pytest.mark.parametrize("text", ["", " ", "\n", ".", "...", "a\nb", "a\u00a0b.", ".\n.", "'"])
def test_odd_texts_stay_apart(text: str) -> None:
    alone = meteor_words(Strings.of([text]), PREFIXES)
    among = meteor_words(Strings.of(["x.", text, "Y y", text]), PREFIXES)
    assert among.spell(1) == among.spell(3) == alone.spell(0)
    assert among.spell(0) == ["x", "."]
    assert among.spell(2) == ["y", "y"]
