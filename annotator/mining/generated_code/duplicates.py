"""Code that is the same but for names, comments and little else (specification, 4.2, 4a and 4b).

The near ones are found by an exact join on the rarest shingles (Bayardo, Ma and Srikant, 2007) instead of hashed
sketches: it misses no pair above the threshold and needs no dependency.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotator.mining.generated_code.languages import parse_piece
from annotator.mining.generated_code.syntax import Token

SHINGLE = 5
JACCARD = 0.7
LEVENSHTEIN = 0.8


@dataclass(frozen=True, slots=True)
class Normalised:
    """Code without what may differ: ``exact`` is a hash with names numbered in order, ``words`` has one mark for all.

    Members (what follows a dot) keep their names: they belong to somebody else's interface.
    """

    id: str
    language: str
    exact: str
    words: tuple[str, ...]

    @property
    def shingles(self) -> frozenset[tuple[str, ...]]:
        """Return every run of five words; shorter code is one run."""
        count = max(1, len(self.words) - SHINGLE + 1)
        return frozenset(self.words[place : place + SHINGLE] for place in range(count))


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Two candidates that are alike: ``second`` comes later. ``exact`` if they differ in names and comments alone."""

    first: str
    second: str
    exact: bool
    jaccard: float
    levenshtein: float


def normalise(identity: str, code: str, language: str, name: str = "") -> Normalised:
    """Read the code of one definition for comparison."""
    tokens = parse_piece(code, language, name).tokens
    return Normalised(identity, language, _digest(tokens), tuple("$" if t.kind == "name" else t.text for t in tokens))


def _digest(tokens: Sequence[Token]) -> str:
    numbers: dict[str, int] = {}
    digest = hashlib.sha256()
    for token in tokens:
        text = f"${numbers.setdefault(token.text, len(numbers))}" if token.kind == "name" else token.text
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


def jaccard(a: Normalised, b: Normalised) -> float:
    """Return the share of shingles that two candidates have in common, 0 to 1."""
    first, second = a.shingles, b.shingles
    return len(first & second) / len(first | second)


def similarity(a: Normalised, b: Normalised) -> float:
    """Return 1 - Levenshtein / longer length on words, 0 to 1."""
    from rapidfuzz.distance import Levenshtein

    return float(Levenshtein.normalized_similarity(a.words, b.words))


def duplicates(
    found: Sequence[Normalised], least_jaccard: float = JACCARD, least_levenshtein: float = LEVENSHTEIN
) -> tuple[Duplicate, ...]:
    """Return the pairs of one language that are alike, with their figures, in order of the later one.

    Near ones have a Jaccard index of shingles and a Levenshtein similarity of words of at least the two limits. Of
    candidates that are exactly the same, each is paired with the first alone.
    """
    pairs = []
    first: dict[tuple[str, str], int] = {}
    fresh: list[int] = []
    for place, item in enumerate(found):
        known = first.setdefault((item.language, item.exact), place)
        if known != place:
            pairs.append((place, known, Duplicate(found[known].id, item.id, True, 1.0, 1.0)))
        else:
            fresh.append(place)
    for language in dict.fromkeys(found[place].language for place in fresh):
        group = [place for place in fresh if found[place].language == language]
        shingles = [found[place].shingles for place in group]
        for a, b in _candidates(shingles, least_jaccard):
            common = len(shingles[a] & shingles[b])
            share = common / (len(shingles[a]) + len(shingles[b]) - common)
            early, late = sorted((group[a], group[b]))
            if share >= least_jaccard and (alike := similarity(found[early], found[late])) >= least_levenshtein:
                pairs.append((late, early, Duplicate(found[early].id, found[late].id, False, share, alike)))
    return tuple(pair for _, _, pair in sorted(pairs, key=lambda item: item[:2]))


def _candidates(shingles: Sequence[frozenset[tuple[str, ...]]], least: float) -> Iterator[tuple[int, int]]:
    """Yield the pairs that can reach a Jaccard index of ``least``: they share one of their rarest shingles.

    Sets that are alike enough cannot differ in all of the first n - ⌈least · n⌉ + 1 of their n shingles in one order.
    """
    frequency = Counter(shingle for found in shingles for shingle in found)
    index: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place in sorted(range(len(shingles)), key=lambda item: len(shingles[item])):
        size = len(shingles[place])
        ranked = sorted(shingles[place], key=lambda item: (frequency[item], item))
        rare = ranked[: size - _least_common(size, least) + 1]
        near = {other for shingle in rare for other in index[shingle] if len(shingles[other]) >= least * size - 1e-9}
        yield from ((other, place) for other in sorted(near))
        for shingle in rare:
            index[shingle].append(place)


def _least_common(size: int, least: float) -> int:
    whole = int(least * size)
    return whole if whole >= least * size - 1e-9 else whole + 1
