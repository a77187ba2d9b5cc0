"""Small tables in the layout of pycocoevalcap's METEOR 1.5, for tests."""

import gzip
import zipfile
from pathlib import Path

RESOURCES = {
    "function/english.words": "the\na\nof\nis\nwas\n.\n,\n",
    "nonbreaking/english.prefixes": "# titles\nMr\nDr\n\nNo #NUMERIC_ONLY#\n",
    "synonym/english.synsets": "automobile\n100\nbig\n300\ncar\n100 200\nlarge\n300\nox\n400\n",
    "synonym/english.exceptions": "ox\noxen\n",
    "synonym/english.relations": "",
}
PARAPHRASES = (
    ("in order to", "so as to"),
    ("in order to", "to"),
    ("so as to", "in order to"),
    ("sat on", "was on"),
    ("big", "very large"),
)


def write_tables(folder: Path, paraphrases: tuple[tuple[str, str], ...] = PARAPHRASES) -> Path:
    """Write a jar with function words, abbreviations and synonyms, and the paraphrases beside it."""
    (folder / "data").mkdir(parents=True)
    with zipfile.ZipFile(folder / "meteor-1.5.jar", "w") as jar:
        for name, content in RESOURCES.items():
            jar.writestr(name, content)
    lines = "".join(f"0.5\n{phrase}\n{other}\n" for phrase, other in paraphrases)
    with gzip.GzipFile(folder / "data" / "paraphrase-en.gz", "wb", mtime=0) as file:
        file.write(lines.encode())
    return folder
