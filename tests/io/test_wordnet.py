"""WordNet files: against nltk's reader if installed, and a tiny WordNet."""

import zipfile
from pathlib import Path

import pytest

from assay.errors import DataError
from assay.io.wordnet import DEBIAN, PARTS_OF_SPEECH, open_wordnet
from tests.overlap_cases import real_texts
from tests.wordnets import read_by_nltk, write_tiny


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
    peer = read_by_nltk(tmp_path, monkeypatch)
    net = open_wordnet(str(DEBIAN))
    words = sorted({word.lower() for text in real_texts(data)[::10] for word in text.split()})
    assert len(words) > 4000
    numbers = {"n": 0, "v": 1, "a": 2, "s": 2, "r": 3}
    for word in words:
        expected = {numbers[synset.pos()] << 25 | synset.offset() for synset in peer.synsets(word)}
        assert net.synsets(word) == sorted(expected), word
    assert len(PARTS_OF_SPEECH) == 4
