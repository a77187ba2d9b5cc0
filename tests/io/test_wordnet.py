"""WordNet's files, against nltk's reader where they are installed, and a tiny one made here."""

import shutil
import zipfile
from pathlib import Path

import pytest

from assay.errors import DataError
from assay.io.wordnet import DEBIAN, PARTS_OF_SPEECH, open_wordnet
from tests.overlap_cases import real_texts

LEXNAMES = "adj.all adj.pert adv.all noun.Tops " + " ".join(f"x{i}" for i in range(41))


def write_tiny(folder: Path) -> Path:
    """Write car = automobile, big = large and the irregular plural of ox."""
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


def test_words_share_sets_through_their_base_forms(tmp_path: Path) -> None:
    net = open_wordnet(str(write_tiny(tmp_path / "wn")))
    assert net.synsets("cars") == net.synsets("Car") == [100, 200]
    assert net.synsets("automobiles") == [100]
    assert net.synsets("oxen") == [300]
    assert net.synsets("largest") == net.synsets("big") != []
    assert net.synsets("unheard-of") == []
    # The same file offset in another part of speech is another set.
    assert not set(net.synsets("big")) & set(net.synsets("car"))


def test_identity_is_version_and_content(tmp_path: Path) -> None:
    first = open_wordnet(str(write_tiny(tmp_path / "a")))
    second = open_wordnet(str(write_tiny(tmp_path / "b")))
    assert first.identity == second.identity
    assert first.identity.startswith("9.9-")


def test_a_zip_of_nltk_data_is_read(tmp_path: Path) -> None:
    folder = write_tiny(tmp_path / "wordnet")
    with zipfile.ZipFile(tmp_path / "wordnet.zip", "w") as packed:
        for file in folder.iterdir():
            packed.write(file, f"wordnet/{file.name}")
    assert open_wordnet(str(tmp_path / "wordnet.zip")).identity == open_wordnet(str(folder)).identity


def test_a_folder_without_wordnet_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a WordNet folder"):
        open_wordnet(str(tmp_path))


def test_nltk_data_comes_before_debian(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tiny(tmp_path / "corpora" / "wordnet")
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    open_wordnet.cache_clear()
    assert open_wordnet("installed").identity.startswith("9.9-")
    open_wordnet.cache_clear()


def test_equals_nltk_on_real_words(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (DEBIAN / "index.noun").is_file():
        pytest.skip("needs Debian's wordnet-base")
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    # Maps between versions of WordNet, for other languages, need files that Debian does not have.
    monkeypatch.setattr(WordNetCorpusReader, "map_wn", lambda self: None)

    for file in DEBIAN.iterdir():
        if file.is_file():
            shutil.copy(file, tmp_path / file.name)
    rows = [f"{n:02d}\t{name}\t{1 if n > 2 else 3}" for n, name in enumerate(LEXNAMES.split())]
    (tmp_path / "lexnames").write_text("\n".join(rows) + "\n")
    with pytest.warns(UserWarning, match="multilingual"):
        peer = WordNetCorpusReader(str(tmp_path), None)
    net = open_wordnet(str(DEBIAN))
    words = sorted({word.lower() for text in real_texts(data)[::10] for word in text.split()})
    assert len(words) > 4000
    numbers = {"n": 0, "v": 1, "a": 2, "s": 2, "r": 3}
    for word in words:
        expected = {numbers[synset.pos()] << 25 | synset.offset() for synset in peer.synsets(word)}
        assert net.synsets(word) == sorted(expected), word
    assert len(PARTS_OF_SPEECH) == 4
