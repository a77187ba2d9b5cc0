"""The written texts of the sample, read from items.toml."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

ITEMS = Path(__file__).with_name("items.toml")


@dataclass(frozen=True)
class SourceItem:
    """One everyday question, with the texts written for it."""

    id: str
    context: str
    people: tuple[str, ...]
    references: tuple[str, ...]
    training: tuple[str, ...]

    @property
    def written(self) -> tuple[str, ...]:
        """Every text written for this item."""
        return self.people + self.references + self.training


def read_items(path: Path = ITEMS) -> list[SourceItem]:
    """Read the items in file order."""
    with path.open("rb") as file:
        rows = tomllib.load(file)["items"]
    return [
        SourceItem(
            id=row["id"],
            context=row["context"],
            people=tuple(row["people"].split("\n")[:-1]),
            references=tuple(row["references"].split("\n")[:-1]),
            training=tuple(row["training"].split("\n")[:-1]),
        )
        for row in rows
    ]
