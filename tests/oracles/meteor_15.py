"""METEOR 1.5's matches and beam search in plain Python: lists of matches, sorted lists of partial alignments."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

Match = tuple[int, int, int, int, int]  # position, words (reference), position, words (candidate), stage
Phrases = Sequence[tuple[tuple[int, ...], tuple[int, ...]]]
BEAM = 40


def matches(
    words: list[int], others: list[int], stems: list[int], near: list[set[int]], phrases: Phrases
) -> list[list[Match]]:
    """List the matches of each position of the reference, in the order of the original."""
    found: list[list[Match]] = [[] for _ in others]
    pairs = [(at, start) for at in range(len(others)) for start in range(len(words))]
    stages = [lambda a, b: a == b]
    if words != others:
        stages += [lambda a, b: a != b and stems[a] == stems[b], lambda a, b: a != b and b in near[a]]
    for stage, matched in enumerate(stages):
        for at, start in pairs:
            if matched(words[start], others[at]):
                found[at].append((at, 1, start, 1, stage))
    if words != others:
        for at, length, start, other in _paraphrases(others, words, phrases):
            found[at].append((at, length, start, other, 3))
        for start, length, at, other in _paraphrases(words, others, phrases):
            found[at].append((at, other, start, length, 3))
    return found


def _paraphrases(words: list[int], others: list[int], phrases: Phrases) -> list[tuple[int, int, int, int]]:
    return [
        (start, length, place, len(target))
        for start in range(len(words))
        for length in range(1, len(words) - start + 1)
        for source, target in phrases
        if tuple(words[start : start + length]) == source
        for place in range(len(others))
        if tuple(others[place : place + len(target)]) == target
    ]


@dataclass(frozen=True)
class Path:
    taken: tuple[Match, ...] = ()
    used: frozenset[tuple[str, int]] = field(default_factory=frozenset)
    covered: int = 0
    chunks: int = 0
    distance: int = 0
    next: int = 0
    end: int = -1

    @property
    def key(self) -> tuple[int, int, int]:
        return -self.covered, self.chunks, self.distance


def _places(match: Match) -> set[tuple[str, int]]:
    at, length, start, other, _ = match
    return {("r", at + k) for k in range(length)} | {("c", start + k) for k in range(other)}


def _with(path: Path, match: Match, distance: int) -> Path:
    at, length, start, other, stage = match
    covered = length + other if stage == 0 else length // 2 + other // 2
    return Path(
        (*path.taken, match),
        path.used | _places(match),
        path.covered + covered,
        path.chunks + (path.end not in (-1, start)),
        distance,
        at + length,
        start + other,
    )


def align(found: list[list[Match]]) -> list[Match]:
    """Return the matches taken."""
    cover: dict[tuple[str, int], int] = {}
    for match in (match for row in found for match in row):
        for place in _places(match):
            cover[place] = cover.get(place, 0) + 1
    certain = {
        at: row[0] for at, row in enumerate(found) if len(row) == 1 and all(cover[p] == 1 for p in _places(row[0]))
    }
    start = frozenset().union(*(_places(match) for match in certain.values()))
    paths = [Path(used=start)]
    for at, row in enumerate(found):
        following = []
        for path in sorted(paths, key=lambda path: path.key)[:BEAM]:
            if at < path.next:
                following.append(path)
                continue
            if at in certain:
                following.append(_with(path, certain[at], path.distance + abs(at - certain[at][2])))
                continue
            distance = path.distance
            for match in row:
                if not path.used & _places(match):
                    following.append(_with(path, match, distance))
                    distance += abs(at - match[2])
            following.append(
                replace(path, chunks=path.chunks + (path.end != -1), end=-1, next=at + 1, distance=distance)
            )
        paths = following
    closed = [replace(p, chunks=p.chunks + (p.end != -1)) for p in sorted(paths, key=lambda path: path.key)[:BEAM]]
    return list(min(closed, key=lambda path: path.key).taken) if closed else []
