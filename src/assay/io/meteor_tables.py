"""The English tables of METEOR 1.5, read from an installed `pycocoevalcap`: no Java runs (Denkowski & Lavie 2014).

Its jar, a zip file, holds function words, abbreviations and synonym sets; the paraphrases lie beside it. They take a
few seconds to read, so what is read is kept in the cache folder.
"""

from __future__ import annotations

import gzip
import hashlib
import zipfile
import zlib
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError, MissingExtra
from assay.io.arrays import packed, unpacked
from assay.io.cache import cache_folder
from assay.io.code import code_fingerprint
from assay.io.paths import expanded, is_file
from assay.io.sealed import kept_content, write_sealed
from assay.kernels.bytes.intern import Interner
from assay.kernels.overlap.phrase_table import Listed, listed
from assay.text.plain import split_at_white_space
from assay.text.strings import Strings

JAR, PARAPHRASES = "meteor-1.5.jar", "data/paraphrase-en.gz"
BLOCK = 1 << 24
MOST_WORDS = 1 << 16
LINES_OF_ENTRY = 3  # probability, phrase, paraphrase

# The suffixes of nouns, verbs and adjectives, in the order in which they are tried.
ENDINGS = tuple(
    (rule.partition(":")[0], rule.partition(":")[2])
    for rule in (
        "s: ses:s xes:x zes:z ches:ch shes:sh men:man ies:y s: ies:y es:e es: ed:e ed: ing:e ing: er: est: er:e est:e"
    ).split()
)
ENDINGS_BY_LETTER = {
    letter: tuple(ending for ending in ENDINGS if ending[0][-1] == letter) for letter in {e[0][-1] for e in ENDINGS}
}


@cache
def open_meteor_tables(where: str) -> MeteorTables:
    """Open the tables in a folder, or those of pycocoevalcap for `where='installed'`.

    `MeteorTables.name`, which is `where@identity`, opens the same ones again, or is an error if the content differs.
    """
    place, _, identity = where.partition("@")
    tables = MeteorTables(_folder(place), place)
    if identity not in ("", tables.identity):
        raise DataError(f"{where}: the tables of METEOR in this folder are others ({tables.identity}).")
    return tables


def _folder(place: str) -> Path:
    folder = expanded(place)
    if place == "installed":
        spec = find_spec("pycocoevalcap")
        if spec is None or not spec.submodule_search_locations:
            raise MissingExtra("meteor(variant='1.5')", "pycocoevalcap", "meteor")
        folder = Path(spec.submodule_search_locations[0]) / "meteor"
    for name in (JAR, PARAPHRASES):
        if not is_file(folder / name):
            raise DataError(f"{folder}: no tables of METEOR 1.5 (no {name}). Name pycocoevalcap's folder 'meteor'.")
    return folder


@dataclass(frozen=True, eq=False)
class Paraphrases:
    """The table; its words are numbers in the vocabulary."""

    vocabulary: Strings
    listed: Listed


class MeteorTables:
    """The tables; each is read when it is first needed."""

    def __init__(self, folder: Path, place: str) -> None:
        self._folder, self._place = folder, place

    @property
    def name(self) -> str:
        """Location and identity, for signatures."""
        return f"{self._place}@{self.identity}"

    @cached_property
    def identity(self) -> str:
        """A hash of the jar, and of size and checksum that stand at the end of the compressed paraphrases."""
        try:
            digest = hashlib.sha256((self._folder / JAR).read_bytes())
            with (self._folder / PARAPHRASES).open("rb") as file:
                file.seek(-8, 2)
                digest.update(file.read())
        except OSError as error:
            raise self._damaged(error) from None
        return digest.hexdigest()[:16]

    @cached_property
    def function_words(self) -> frozenset[str]:
        """Words that count less."""
        return frozenset(self._lines("function/english.words"))

    @cached_property
    def prefixes(self) -> dict[str, bool]:
        """Abbreviations that keep their dot, and whether only before a number."""
        rows = [line.split() for line in self._lines("nonbreaking/english.prefixes")]
        return {row[0]: row[1:2] == ["#NUMERIC_ONLY#"] for row in rows if row and not row[0].startswith("#")}

    def synsets(self, word: str) -> list[int]:
        """Return the synonym sets of a word and of its base form, some of them perhaps twice."""
        sets = [self._synsets.get(form, "") for form in (word, *self._base_forms(word))]
        return [int(number) for numbers in sets for number in numbers.split()]

    @cached_property
    def paraphrases(self) -> Paraphrases:
        """The paraphrases, from the cache folder if they were read before."""
        name = f"{self.identity}-{code_fingerprint()[:16]}.npz"
        path = cache_folder() / "meteor" / name
        content = kept_content(path)
        if content is None:
            paraphrases = self._read_paraphrases()
            _keep(paraphrases, path)
            return paraphrases
        arrays = unpacked(content)[1]
        return Paraphrases(Strings(arrays.pop("texts"), arrays.pop("ends")), Listed(**arrays))

    def _base_forms(self, word: str) -> list[str]:
        if word in self._exceptions:
            return self._exceptions[word]
        if word.endswith("ss") or len(word) <= 2:
            return [word]
        for ending, replacement in ENDINGS_BY_LETTER.get(word[-1], ()):
            if word.endswith(ending) and word.removesuffix(ending) + replacement in self._synsets:
                return [word.removesuffix(ending) + replacement]
        return []

    @cached_property
    def _synsets(self) -> dict[str, str]:
        """The numbers of the sets of each word, as they are written: few words are ever looked up."""
        lines = self._lines("synonym/english.synsets")
        return dict(zip(lines[::2], lines[1::2], strict=True))

    @cached_property
    def _exceptions(self) -> dict[str, list[str]]:
        lines = self._lines("synonym/english.exceptions")
        bases: dict[str, list[str]] = {}
        for base, forms in zip(lines[::2], lines[1::2], strict=True):
            for form in forms.split():
                bases.setdefault(form, []).append(base)
        return bases

    def _lines(self, name: str) -> list[str]:
        try:
            with zipfile.ZipFile(self._folder / JAR) as jar:
                return jar.read(name).decode("utf-8").splitlines()
        except (OSError, KeyError, ValueError, zipfile.BadZipFile, zlib.error) as error:
            raise self._damaged(error) from None

    def _read_paraphrases(self) -> Paraphrases:
        try:
            with gzip.open(self._folder / PARAPHRASES) as file:
                return _parsed(file)
        except (OSError, EOFError, ValueError, zlib.error) as error:
            raise self._damaged(error) from None

    def _damaged(self, error: Exception) -> DataError:
        return DataError(f"{self._place}: the tables of METEOR are damaged ({error}). Install pycocoevalcap again.")


def _parsed(file: gzip.GzipFile) -> Paraphrases:
    interner = Interner()
    words: list[NDArray[np.uint16]] = []
    lengths: list[NDArray[np.uint8]] = []
    rest, before = b"", 0
    while block := file.read(BLOCK):
        whole, _, rest = (rest + block).rpartition(b"\n")
        data = np.frombuffer(bytearray(whole + b"\n"), np.uint8)
        ends = np.flatnonzero(data == ord("\n")) + 1
        starts, stops, counts = split_at_white_space(data, np.concatenate([np.zeros(1, np.int64), ends]))
        of_entry = (before + np.arange(len(counts))) % LINES_OF_ENTRY > 0
        in_entry = np.repeat(of_entry, counts)
        words.append(interner.add(data, starts[in_entry], stops[in_entry]).astype(np.uint16))
        lengths.append(counts[of_entry].astype(np.uint8))
        before += len(counts)
        if len(interner) > MOST_WORDS:
            raise ValueError(f"the paraphrases have more than {MOST_WORDS:,} different words")
    if rest or before % LINES_OF_ENTRY:
        raise ValueError("the list of paraphrases ends within an entry")
    pairs = listed(np.concatenate(words), np.concatenate(lengths).reshape(-1, 2))
    return Paraphrases(Strings(*interner.strings), pairs)


def _keep(paraphrases: Paraphrases, path: Path) -> None:
    """Cache the table. Errors of a full or read-only disk are ignored."""
    texts = paraphrases.vocabulary
    arrays = {
        "texts": texts.packed,
        "ends": texts.offsets - texts.offsets[0],
        **paraphrases.listed._asdict(),
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_sealed(packed({}, arrays), path, name=path.name)
    except (OSError, DataError):
        return
