"""Signs that a problem was in a model's training data (metrics specification, sections 1.14 and 1.15).

Sequences of tokens come from the model's tokenizer or a code lexer; any hashable tokens do.
"""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from rapidfuzz.distance import Levenshtein

from annotator.metrics.metric_values import BadNumbersError

Tokens = Sequence[Hashable]
MIN_GREEDY_TOKENS = 20
XI = 0.01
"""A peak above this counts as contaminated; without a labelled set .2 with alpha 0 is more precise."""
HIGH_SIMILARITY = 0.8
LEAK_CAVEATS = (
    "Needs the greedy answer and samples at a higher temperature.",
    "A short or forced answer is peaked without any leakage; compare with problems newer than the model.",
    "Later work finds it near chance on small models that did not memorise word by word.",
)


@dataclass(frozen=True, slots=True)
class Peak:
    """How peaked a problem's samples are around the greedy answer; None with a reason if undefined."""

    value: float | None
    contaminated: bool | None
    samples: int
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakReport:
    """Leak ratio and mean peak over the judged problems."""

    ratio: float | None
    mean_peak: float | None
    flagged: tuple[str, ...]
    judged: int
    skipped: int


@dataclass(frozen=True, slots=True)
class LeakMatch:
    """A solution's similarity to its own original; flagged if it exceeds those to other problems' originals."""

    problem: str
    similarity: float
    flagged: bool


@dataclass(frozen=True, slots=True)
class OriginalLeak:
    """All matches, most similar first; ``limit`` is the 99th percentile of similarities to other originals."""

    matches: tuple[LeakMatch, ...]
    limit: float | None
    null_pairs: int


@dataclass(frozen=True, slots=True)
class Diversity:
    """How different the samples of one problem are.

    ``distance`` is the mean normalised distance of pairs; ``distinct`` counts normal forms; ``duplicates`` is the share
    of samples that repeat an earlier one exactly.
    """

    samples: int
    distance: float | None
    distinct: int
    duplicates: float


def clean_completion(text: str) -> str:
    """Return a completion for leak detection: stripped, and cut at the first two blank lines.

    Take the code out of its fence first: a sample that starts with a fence is not code yet.
    """
    return text.strip().partition("\n\n\n")[0]


def cdd_peak(greedy: Tokens, samples: Sequence[Tokens], alpha: float = 0.05, max_tokens: int = 100) -> float | None:
    """Return the share of samples within edit distance alpha·l of the greedy answer; None without samples.

    All sequences are cut to ``max_tokens``; l is the longest of them.
    """
    if not 0 <= alpha <= 1 or max_tokens < 1:
        raise BadNumbersError("Alpha must lie between 0 and 1, and at least one token must count.")
    if not samples:
        return None
    greedy_tokens = list(greedy[:max_tokens])
    all_sample_tokens = [list(sample[:max_tokens]) for sample in samples]
    # A product such as 0.07 · 100 is slightly above 7 in floating point; a distance of exactly the limit must count.
    limit = math.floor(
        alpha * max(len(greedy_tokens), *(len(sample_tokens) for sample_tokens in all_sample_tokens)) + 1e-9
    )
    return sum(
        Levenshtein.distance(greedy_tokens, sample_tokens) <= limit for sample_tokens in all_sample_tokens
    ) / len(all_sample_tokens)


def judge_peak(greedy: Tokens, samples: Sequence[Tokens]) -> Peak:
    """Return a problem's peak and whether it counts as contaminated; skipped if the greedy answer is too short."""
    if len(greedy) < MIN_GREEDY_TOKENS:
        return Peak(None, None, len(samples), f"the greedy answer has fewer than {MIN_GREEDY_TOKENS} tokens")
    value = cdd_peak(greedy, samples)
    if value is None:
        return Peak(None, None, 0, "there are no samples")
    return Peak(value, value > XI, len(samples))


def leak_ratio(peaks: Sequence[float], xi: float = XI) -> float | None:
    """Return the share of problems whose peak is above xi; None for no problem."""
    return sum(peak > xi for peak in peaks) / len(peaks) if peaks else None


def leak_report(peaks: Mapping[str, float | None]) -> LeakReport:
    """Summarise problem -> peak (None if skipped)."""
    judged = {name: peak for name, peak in peaks.items() if peak is not None}
    return LeakReport(
        ratio=leak_ratio(list(judged.values())),
        mean_peak=fmean(judged.values()) if judged else None,
        flagged=tuple(name for name, peak in judged.items() if peak > XI),
        judged=len(judged),
        skipped=len(peaks) - len(judged),
    )


def levenshtein_similarity(a: Tokens, b: Tokens) -> float:
    """Return 1 - distance / longer length of two texts or token sequences; two empty ones are equal."""
    longest = max(len(a), len(b))
    return 1 - Levenshtein.distance(a, b) / longest if longest else 1.0


def original_leak(
    solutions: Mapping[str, Tokens], originals: Mapping[str, Tokens], *, null_pairs: int = 20_000, seed: int = 0
) -> OriginalLeak:
    """Compare each problem's solution with its own original, and with the originals of other problems.

    Flags similarities above .8 or above the 99th percentile of the others, for reading by a person. Give problems of
    one language, as tokens without comments; call again with identifiers normalised. At most ``null_pairs`` pairs,
    drawn with a seed, make the comparison.
    """
    names = [name for name in solutions if name in originals]
    others = list(originals)
    total = len(names) * len(others)
    pair_numbers: Iterable[int] = range(total)
    if total > null_pairs:
        pair_numbers = random.Random(seed).sample(range(total), null_pairs)
    pairs = [(names[number // len(others)], others[number % len(others)]) for number in pair_numbers]
    other_similarities = sorted(levenshtein_similarity(solutions[a], originals[b]) for a, b in pairs if a != b)
    limit = (
        other_similarities[min(len(other_similarities) - 1, math.ceil(0.99 * len(other_similarities)) - 1)]
        if other_similarities
        else None
    )
    matches = []
    for name in names:
        similarity = levenshtein_similarity(solutions[name], originals[name])
        is_flagged = similarity > HIGH_SIMILARITY or (limit is not None and similarity > limit)
        matches.append(LeakMatch(name, similarity, is_flagged))
    matches.sort(key=lambda match: -match.similarity)
    return OriginalLeak(tuple(matches), limit, len(other_similarities))


def sample_diversity(samples: Sequence[Tokens], normal_forms: Sequence[Hashable] | None = None) -> Diversity:
    """Return how different the samples of one problem are.

    ``normal_forms`` are the forms in which samples are compared to count distinct ones, such as syntax trees without
    names; by default the token sequences themselves.
    """
    exact = [tuple(sample) for sample in samples]
    if normal_forms is not None and len(normal_forms) != len(exact):
        raise BadNumbersError("There must be one normal form per sample.")
    distances = [1 - levenshtein_similarity(a, b) for a, b in combinations(exact, 2)]
    return Diversity(
        samples=len(exact),
        distance=fmean(distances) if distances else None,
        distinct=len(set(normal_forms if normal_forms is not None else exact)),
        duplicates=1 - len(set(exact)) / len(exact) if exact else 0.0,
    )
