"""Find duplicate code, exact (except for names and comments) or near, and similar tasks (specification, 4.2).

Near duplicates are found by an exact join on the rarest shingles (Bayardo, Ma and Srikant, 2007) instead of hashed
sketches: it misses no pair above the threshold and needs no dependency.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from annotator.mining.generated_code.code_languages import parse_piece
from annotator.mining.generated_code.parsed_source import Token
from annotator.text.distance import split_identifier

SHINGLE_LENGTH = 5
MIN_JACCARD = 0.7
MIN_LEVENSHTEIN = 0.8


@dataclass(frozen=True, slots=True)
class NormalisedCode:
    """Code without names: ``exact`` is a hash with numbers for names, ``words`` has the same mark for every name.

    Members (after a dot) keep their names, since these belong to the interface of other code.
    """

    id: str
    language: str
    exact: str
    words: tuple[str, ...]

    @property
    def shingles(self) -> frozenset[tuple[str, ...]]:
        """All runs of five words; shorter code is one run."""
        count = max(1, len(self.words) - SHINGLE_LENGTH + 1)
        return frozenset(self.words[start : start + SHINGLE_LENGTH] for start in range(count))


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """Two similar candidates; ``second`` comes later. ``exact``: they differ only in names and comments."""

    first: str
    second: str
    exact: bool
    jaccard: float
    levenshtein: float


def normalise_code(candidate_id: str, code: str, language: str, name: str = "") -> NormalisedCode:
    """Return the code of one definition in the form for comparison."""
    tokens = parse_piece(code, language, name).tokens
    return NormalisedCode(
        candidate_id, language, _digest(tokens), tuple("$" if t.kind == "name" else t.text for t in tokens)
    )


def _digest(tokens: Sequence[Token]) -> str:
    numbers: dict[str, int] = {}
    digest = hashlib.sha256()
    for token in tokens:
        text = f"${numbers.setdefault(token.text, len(numbers))}" if token.kind == "name" else token.text
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


def word_similarity(a: NormalisedCode, b: NormalisedCode) -> float:
    """Return 1 - Levenshtein distance / longer length, on words, 0 to 1."""
    return float(Levenshtein.normalized_similarity(a.words, b.words))


def find_duplicates(
    candidates: Sequence[NormalisedCode], min_jaccard: float = MIN_JACCARD, min_levenshtein: float = MIN_LEVENSHTEIN
) -> tuple[Duplicate, ...]:
    """Return the pairs of similar candidates of the same language, in order of the later one.

    Near duplicates reach both the minimal Jaccard index of shingles and the minimal Levenshtein similarity of words. An
    exact duplicate is paired only with its first occurrence.
    """
    pairs: dict[tuple[int, int], Duplicate] = {}
    first: dict[tuple[str, str], int] = {}
    distinct: list[int] = []
    for index, item in enumerate(candidates):
        early = first.setdefault((item.language, item.exact), index)
        if early == index:
            distinct.append(index)
        else:
            pairs[index, early] = Duplicate(
                first=candidates[early].id, second=item.id, exact=True, jaccard=1.0, levenshtein=1.0
            )
    for language in dict.fromkeys(candidates[index].language for index in distinct):
        group = [index for index in distinct if candidates[index].language == language]
        shingles = [candidates[index].shingles for index in group]
        for a, b in _candidate_pairs(shingles, min_jaccard):
            common = len(shingles[a] & shingles[b])
            share = common / (len(shingles[a]) + len(shingles[b]) - common)
            early, late = sorted((group[a], group[b]))
            similarity = word_similarity(candidates[early], candidates[late]) if share >= min_jaccard else 0.0
            if share >= min_jaccard and similarity >= min_levenshtein:
                pairs[late, early] = Duplicate(
                    first=candidates[early].id,
                    second=candidates[late].id,
                    exact=False,
                    jaccard=share,
                    levenshtein=similarity,
                )
    return tuple(pairs[key] for key in sorted(pairs))


def _candidate_pairs(shingles: Sequence[frozenset[tuple[str, ...]]], min_jaccard: float) -> Iterator[tuple[int, int]]:
    """Yield the pairs that can reach a Jaccard index of ``min_jaccard``: they share one of their rarest shingles.

    Sets that reach it must share one of their first n - ⌈min_jaccard · n⌉ + 1 of n shingles, sorted in the same order.
    """
    frequency = Counter(shingle for shingle_set in shingles for shingle in shingle_set)
    postings: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for index in sorted(range(len(shingles)), key=lambda item: len(shingles[item])):
        size = len(shingles[index])
        ranked = sorted(shingles[index], key=lambda item: (frequency[item], item))
        rare = ranked[: size - _min_common(size, min_jaccard) + 1]
        near = {
            other
            for shingle in rare
            for other in postings[shingle]
            if len(shingles[other]) >= min_jaccard * size - 1e-9
        }
        yield from ((other, index) for other in sorted(near))
        for shingle in rare:
            postings[shingle].append(index)


def _min_common(size: int, min_jaccard: float) -> int:
    rounded_down = int(min_jaccard * size)
    return rounded_down if rounded_down >= min_jaccard * size - 1e-9 else rounded_down + 1


MIN_COSINE = 0.75
_WORD = re.compile(r"\w+")
_STOP_WORDS = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "function", "if", "in", "into", "is", "it", "its",
    "method", "of", "on", "or", "return", "returns", "that", "the", "their", "this", "to", "using", "with",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class CandidateSummary:
    """A candidate with a summary of what it does, and the numbers that decide which one of a cluster to keep."""

    id: str
    summary: str
    stars: int = 0
    tests: int = 0


@dataclass(frozen=True, slots=True)
class Cluster:
    """Candidates for the same task, with each one's cosine to its nearest in the cluster; ``keep`` comes first.

    ``keep`` is the suggestion, the one with most stars, then most tests; a person decides.
    """

    members: tuple[str, ...]
    cosines: tuple[float, ...]
    keep: str


def name_words(name: str) -> tuple[str, ...]:
    """Return the words of an identifier's last part: "Shop.isValidEMail" gives is, valid, e, mail."""
    return tuple(split_identifier(name.rpartition(".")[2]))


def cluster_candidates(candidates: Sequence[CandidateSummary], threshold: float = MIN_COSINE) -> tuple[Cluster, ...]:
    """Group candidates whose summaries have a TF-IDF cosine of at least ``threshold``, directly or through others.

    Terms are lower-case words except stop words; the weight is tf · (ln((1 + n) / (1 + df)) + 1). The largest cluster
    comes first; a candidate without a similar one is in no cluster.
    """
    vectors = _vectors([item.summary for item in candidates])
    pairs = _pairs(vectors, threshold)
    parent = list(range(len(candidates)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    nearest: dict[int, float] = defaultdict(float)
    for (a, b), cosine in pairs.items():
        parent[root(a)] = root(b)
        nearest[a], nearest[b] = max(nearest[a], cosine), max(nearest[b], cosine)
    groups: dict[int, list[int]] = defaultdict(list)
    for index in range(len(candidates)):
        groups[root(index)].append(index)
    result = []
    for group in groups.values():
        if len(group) > 1:
            keep = max(group, key=lambda index: (candidates[index].stars, candidates[index].tests, -index))
            ranked = sorted(group, key=lambda index: (index != keep, -nearest[index], index))
            cosines = tuple(nearest[index] for index in ranked)
            result.append(Cluster(tuple(candidates[index].id for index in ranked), cosines, candidates[keep].id))
    return tuple(sorted(result, key=lambda item: (-len(item.members), item.keep)))


def _vectors(texts: Sequence[str]) -> list[dict[str, float]]:
    counts = [Counter(word for word in _WORD.findall(text.lower()) if word not in _STOP_WORDS) for text in texts]
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
    postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
    pairs = {}
    for index, vector in enumerate(vectors):
        cosines: dict[int, float] = defaultdict(float)
        for word, weight in vector.items():
            for other, other_weight in postings[word]:
                cosines[other] += weight * other_weight
            postings[word].append((index, weight))
        for other, cosine in cosines.items():
            if cosine >= threshold - 1e-12:
                pairs[other, index] = min(cosine, 1.0)
    return pairs
