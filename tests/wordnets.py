"""WordNets for tests: a tiny one, and Debian's read by nltk."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from assay.io.wordnet import DEBIAN

LEXNAMES = "adj.all adj.pert adv.all noun.Tops " + " ".join(f"x{i}" for i in range(41))


def write_tiny(folder: Path) -> Path:
    """Write car = automobile, big = large, and the irregular plural of ox."""
    folder.mkdir(parents=True)
    header = "  1 WordNet 9.9 Copyright 2006 by nobody in particular  \n"
    nouns = [
        "automobile n 1 1 @ 1 0 00000100  ",
        "car n 2 1 @ 2 0 00000100 00000200  ",
        "ox n 1 0 1 0 00000300  ",
    ]
    adjectives = ["big a 1 0 1 0 00000100  ", "large a 1 0 1 0 00000100  "]
    (folder / "index.noun").write_text(header + "\n".join(nouns) + "\n")
    (folder / "index.adj").write_text(header + "\n".join(adjectives) + "\n")
    (folder / "noun.exc").write_text("oxen ox\n")
    return folder


def read_by_nltk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Open Debian's WordNet with nltk, which needs a file that Debian omits."""
    if not (DEBIAN / "index.noun").is_file():
        pytest.skip("needs Debian's wordnet-base")
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    monkeypatch.setattr(nltk.data, "path", [str(folder)])
    # Maps between versions of WordNet, for other languages, need files that Debian does not have.
    monkeypatch.setattr(WordNetCorpusReader, "map_wn", lambda self: None)
    for file in DEBIAN.iterdir():
        if file.is_file():
            shutil.copy(file, folder / file.name)
    rows = [f"{n:02d}\t{name}\t{1 if n > 2 else 3}" for n, name in enumerate(LEXNAMES.split())]
    (folder / "lexnames").write_text("\n".join(rows) + "\n")
    with pytest.warns(UserWarning, match="multilingual"):
        return WordNetCorpusReader(str(folder), None)
