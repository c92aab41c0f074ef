"""Different code for the same task: near summaries in clusters, for a person to thin (specification, 4.2, 4c)."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

THRESHOLD = 0.75
_NAME = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_WORD = re.compile(r"\w+")
_COMMON = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "function", "if", "in", "into", "is", "it", "its",
    "method", "of", "on", "or", "return", "returns", "that", "the", "their", "this", "to", "using", "with",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Summarised:
    """What a candidate does in one sentence, and what speaks for keeping it."""

    id: str
    summary: str
    stars: int = 0
    tests: int = 0


@dataclass(frozen=True, slots=True)
class Cluster:
    """Candidates for the same task, with each one's cosine to its nearest in the cluster; ``keep`` comes first.

    ``keep`` is the one with the most stars, then the most tests; a person decides.
    """

    members: tuple[str, ...]
    cosines: tuple[float, ...]
    keep: str


def name_words(name: str) -> tuple[str, ...]:
    """Return the words of an identifier's last part: "Shop.isValidEMail" gives is, valid, e, mail."""
    return tuple(word.lower() for word in _NAME.findall(name.rpartition(".")[2]))


def clusters(found: Sequence[Summarised], threshold: float = THRESHOLD) -> tuple[Cluster, ...]:
    """Group candidates whose summaries have a TF-IDF cosine of at least ``threshold``, directly or through others.

    Terms are lower-case words without the commonest; the weight is tf · (ln((1 + n) / (1 + df)) + 1). Clusters come
    largest first; a candidate like no other is in none.
    """
    vectors = _vectors([item.summary for item in found])
    pairs = _pairs(vectors, threshold)
    parent = list(range(len(found)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    nearest: dict[int, float] = defaultdict(float)
    for (a, b), cosine in pairs.items():
        parent[root(a)] = root(b)
        nearest[a], nearest[b] = max(nearest[a], cosine), max(nearest[b], cosine)
    groups: dict[int, list[int]] = defaultdict(list)
    for place in range(len(found)):
        groups[root(place)].append(place)
    result = []
    for group in groups.values():
        if len(group) > 1:
            keep = max(group, key=lambda place: (found[place].stars, found[place].tests, -place))
            ranked = sorted(group, key=lambda place: (place != keep, -nearest[place], place))
            cosines = tuple(nearest[place] for place in ranked)
            result.append(Cluster(tuple(found[place].id for place in ranked), cosines, found[keep].id))
    return tuple(sorted(result, key=lambda item: (-len(item.members), item.keep)))


def _vectors(texts: Sequence[str]) -> list[dict[str, float]]:
    counts = [Counter(word for word in _WORD.findall(text.lower()) if word not in _COMMON) for text in texts]
    documents = Counter(word for count in counts for word in count)
    total = len(texts)
    vectors = []
    for count in counts:
        vector = {word: n * (math.log((1 + total) / (1 + documents[word])) + 1) for word, n in count.items()}
        length = math.sqrt(sum(weight * weight for weight in vector.values()))
        vectors.append({word: weight / length for word, weight in vector.items()} if length else {})
    return vectors


def _pairs(vectors: Sequence[dict[str, float]], threshold: float) -> dict[tuple[int, int], float]:
    """Return the cosines at or above the threshold; only texts that share a word are compared."""
    index: dict[str, list[tuple[int, float]]] = defaultdict(list)
    pairs = {}
    for place, vector in enumerate(vectors):
        cosines: dict[int, float] = defaultdict(float)
        for word, weight in vector.items():
            for other, there in index[word]:
                cosines[other] += weight * there
            index[word].append((place, weight))
        for other, cosine in cosines.items():
            if cosine >= threshold - 1e-12:
                pairs[other, place] = min(cosine, 1.0)
    return pairs
