"""WordNet synonym sets, read from the original files (Fellbaum 1998).

Two words are synonyms if they share a set. For each part of speech a word is looked up verbatim and in its base forms,
by WordNet's own rules and exception lists ("automobiles" -> "automobile"). Only `index.*` and `*.exc` are needed.
"""

import hashlib
import os
import re
import sys
import zipfile
import zlib
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Protocol

from assay.errors import DataError
from assay.io.paths import expanded, is_file

PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")
DEBIAN = Path("/usr/share/wordnet")

# Suffix replacements from WordNet's morphy(7), and -ves as in nltk.
ENDINGS = {
    "noun": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
    "verb": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "adj": "er: est: er:e est:e",
    "adv": "",
}


class Folder(Protocol):
    """A folder on disk or inside a zip file."""

    def joinpath(self, name: str) -> "Folder":
        """Return the entry of that name."""

    def read_bytes(self) -> bytes:
        """Return the content of a file."""

    def is_file(self) -> bool:
        """Whether it is a file."""


@cache
def open_wordnet(where: str) -> "WordNet":
    """Open the WordNet in a folder or zip file, or the first installed one for `where='installed'`.

    `WordNet.name`, which is `where@identity`, opens the same one again, or is an error if the content differs.
    """
    place, _, identity = where.partition("@")
    try:
        for folder in _installed() if place == "installed" else _given(place):
            wordnet = WordNet(folder, place)
            if identity in ("", wordnet.identity):
                return wordnet
    except (OSError, zipfile.BadZipFile, zlib.error) as error:
        raise DataError(f"{where}: the files of this WordNet cannot be read ({error}). Get them again.") from None
    if identity:
        raise DataError(f"{where}: no WordNet with this content was found. Name its folder.")
    raise DataError(
        "no WordNet was found. Install Debian's wordnet-base (apt-get install wordnet-base), put NLTK's wordnet into "
        "one of its data folders, or name the folder that contains index.noun."
    )


class WordNet:
    """Synonym sets by word; `identity` is the version and a hash of the files."""

    def __init__(self, folder: Folder, place: str) -> None:
        self._place = place
        self._files: dict[str, bytes] = {}
        for part in PARTS_OF_SPEECH:
            for name in (f"index.{part}", f"{part}.exc"):
                file = folder.joinpath(name)
                self._files[name] = file.read_bytes() if file.is_file() else b""

    @cached_property
    def identity(self) -> str:
        """Version and content hash, such as `3.0-0123456789abcdef`."""
        digest = hashlib.sha256()
        for name, content in sorted(self._files.items()):
            digest.update(name.encode() + hashlib.sha256(content).digest())
        version = re.search(rb"WordNet (\S+) Copyright", self._files["index.noun"])
        return f"{version.group(1).decode(errors='replace') if version else 'unknown'}-{digest.hexdigest()[:16]}"

    @property
    def name(self) -> str:
        """Location and identity, for signatures."""
        return f"{self._place}@{self.identity}"

    def synsets(self, word: str) -> list[int]:
        """Return the ids of all sets that contain a base form of the word, ascending."""
        word = word.lower()
        synsets: set[int] = set()
        for number, part in enumerate(PARTS_OF_SPEECH):
            index = self._index[part]
            for form in self._base_forms(word, part):
                fields = index[form].split()
                # lemma pos n_sets n_pointers pointer... n_senses n_tagged offset...
                try:
                    n_sets = int(fields[1])
                    synsets.update((number << 25) | int(offset) for offset in fields[len(fields) - n_sets :])
                except (ValueError, IndexError):
                    raise self._damaged(f"index.{part}") from None
        return sorted(synsets)

    @cached_property
    def _index(self) -> dict[str, dict[str, str]]:
        """For each part of speech: lemma -> the rest of its line."""
        tables = {}
        for part in PARTS_OF_SPEECH:
            lines = self._text(f"index.{part}").split("\n")
            entries = (line.partition(" ") for line in lines if line and not line.startswith(" "))
            tables[part] = {lemma: rest for lemma, _, rest in entries}
        return tables

    @cached_property
    def _exceptions(self) -> dict[str, dict[str, list[str]]]:
        tables = {}
        for part in PARTS_OF_SPEECH:
            rows = (line.split() for line in self._text(f"{part}.exc").splitlines())
            tables[part] = {row[0]: row[1:] for row in rows if row}
        return tables

    def _text(self, name: str) -> str:
        try:
            return self._files[name].decode()
        except UnicodeDecodeError:
            raise self._damaged(name) from None

    def _damaged(self, name: str) -> DataError:
        return DataError(f"{self._place}: {name} of this WordNet is damaged. Get its files again.")

    def _base_forms(self, word: str, part: str) -> list[str]:
        """Return the forms of the word that WordNet lists: verbatim, and irregular or suffix-stripped forms."""
        index = self._index[part]
        forms = self._exceptions[part].get(word) or _stripped(word, part)
        return [form for form in dict.fromkeys([word, *forms]) if form in index]


def _stripped(word: str, part: str) -> Iterator[str]:
    for rule in ENDINGS[part].split():
        ending, _, replacement = rule.partition(":")
        if word.endswith(ending):
            yield word[: len(word) - len(ending)] + replacement


def _given(place: str) -> Iterator[Folder]:
    """Yield the WordNet of a folder, or of a zip file as stored by NLTK."""
    path = expanded(place)
    opened: Folder = path
    exists = is_file(path / "index.noun")
    if path.suffix == ".zip" and is_file(path):
        opened = zipfile.Path(path).joinpath("wordnet")
        exists = opened.joinpath("index.noun").is_file()
    if not exists:
        raise DataError(f"{place}: not a WordNet folder (no index.noun in it). Name the folder that contains it.")
    yield opened


def _installed() -> Iterator[Folder]:
    """Yield the WordNets in NLTK's data folders, then Debian's."""
    from_environment = [Path(part) for part in os.environ.get("NLTK_DATA", "").split(os.pathsep) if part]
    defaults = [Path(sys.prefix) / "nltk_data", Path("~/nltk_data").expanduser(), Path("/usr/share/nltk_data")]
    for folder in [*from_environment, *defaults, Path("/usr/local/share/nltk_data")]:
        unpacked = folder / "corpora" / "wordnet"
        if (unpacked / "index.noun").is_file():
            yield unpacked
        elif unpacked.with_suffix(".zip").is_file():
            yield zipfile.Path(unpacked.with_suffix(".zip")).joinpath("wordnet")
    if (DEBIAN / "index.noun").is_file():
        yield DEBIAN
