"""What speaks against a candidate, in the order of the specification (4.2), each with a reason to be overruled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotator.mining.generated_code.clusters import name_words
from annotator.mining.generated_code.duplicates import Duplicate, duplicates, normalise
from annotator.mining.generated_code.hard_to_test import hindrances
from annotator.mining.generated_code.languages import parse_piece
from annotator.mining.generated_code.licences import permissive
from annotator.mining.generated_code.scanning import Found
from annotator.mining.generated_code.syntax import Parsed

STAGES = ("attributed", "usable", "simple", "hard", "duplicate")
LINES = (3, 100)
SIMPLE_LINES = 5
IDIOM_LINES = 20

# Words that say nothing of what is computed, so that "calculate_nth_fibonacci" is still the idiom.
_FILLING = frozenset((
    "calculate", "calc", "compute", "computes", "get", "find", "check", "generate", "nth", "the", "of", "a", "an",
    "number", "numbers", "num", "int", "integer", "string", "str", "list", "array", "arr", "recursive", "iterative",
    "simple", "my", "two", "values", "variables", "between", "points", "sequence", "series", "in", "place", "helper",
    "elements", "with", "using", "recursion",
))  # fmt: skip
_IDIOMS = frozenset((
    ("euclidean", "distance"), ("swap",), ("factorial",), ("fibonacci",), ("fib",), ("is", "prime"), ("prime",),
    ("isprime",), ("reverse",), ("reversed",),
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a candidate is weak: the stage it fails at, the rule, what was seen; ``mockable`` if tests could stand in."""

    stage: str
    rule: str
    detail: str
    mockable: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate with everything that speaks against it, and its measures; ``pair`` is what it is a duplicate of."""

    id: str
    found: Found
    logical_lines: int
    complexity: int
    reasons: tuple[Reason, ...]
    pair: Duplicate | None = None

    @property
    def kept(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.reasons

    @property
    def dropped_at(self) -> str:
        """Return the first stage it fails at, "" if it is kept."""
        return next((stage for stage in STAGES if any(item.stage == stage for item in self.reasons)), "")


@dataclass(frozen=True, slots=True)
class StageCount:
    """How many candidates of a language are left after a stage."""

    stage: str
    language: str
    left: int


def judge(found: Sequence[Found]) -> tuple[Judged, ...]:
    """Say of every candidate what speaks against it; the later one of two that are alike is the duplicate.

    Candidates that fail an earlier stage are not compared: what is dropped anyway takes nothing else with it.
    """
    first = [_judge(identity(item), item) for item in found]
    chosen = [item for item in first if item.kept]
    ranked = sorted(chosen, key=lambda item: -item.found.stars)
    pairs = duplicates([normalise(i.id, i.found.code, i.found.language, i.found.path) for i in ranked])
    later: dict[str, Duplicate] = {}
    for pair in pairs:
        # Against the first that is itself kept: a chain of near duplicates keeps its beginning.
        if pair.first not in later:
            later.setdefault(pair.second, pair)
    return tuple(_with_pair(item, later[item.id]) if item.id in later else item for item in first)


def counts(judged: Sequence[Judged]) -> tuple[StageCount, ...]:
    """Count, for every language, what was found ("found") and what is left after each stage."""
    result = []
    for language in sorted({item.found.language for item in judged}):
        own = [item for item in judged if item.found.language == language]
        result.append(StageCount("found", language, len(own)))
        for place, stage in enumerate(STAGES):
            passed = STAGES[place + 1 :]
            left = sum(not item.dropped_at or item.dropped_at in passed for item in own)
            result.append(StageCount(stage, language, left))
    return tuple(result)


def identity(found: Found) -> str:
    """Return what names a candidate within its tree: "name:path#function@line"."""
    return f"{found.tree.name}:{found.path}#{found.name or 'comment'}@{found.start}"


def _judge(name: str, found: Found) -> Judged:
    if found.how == "manual":
        reason = Reason("attributed", "nobody's", "the comment belongs to no function or class")
        return Judged(name, found, 0, 0, (reason,))
    parsed = parse_piece(found.code, found.language, found.path)
    reasons = [*_unusable(found, parsed), *_simple(found, parsed)]
    for item in hindrances(parsed.tokens, found.imports, found.language):
        reasons.append(Reason("hard", item.kind, ", ".join(item.seen), item.mockable))
    return Judged(name, found, parsed.logical_lines, parsed.complexity, tuple(reasons))


def _with_pair(item: Judged, pair: Duplicate) -> Judged:
    rule = "the same" if pair.exact else "nearly the same"
    detail = f"as {pair.first} (Jaccard {pair.jaccard:.2f}, Levenshtein similarity {pair.levenshtein:.2f})"
    reasons = (*item.reasons, Reason("duplicate", rule, detail))
    return Judged(item.id, item.found, item.logical_lines, item.complexity, reasons, pair)


def _unusable(found: Found, parsed: Parsed) -> list[Reason]:
    reasons = []
    if found.mention.negated:
        reasons.append(Reason("attributed", "negated", found.comment.text[:200]))
    if not parsed.sound:
        reasons.append(Reason("usable", "cannot be parsed", f"as {found.language}"))
    low, high = LINES
    if not low <= parsed.logical_lines <= high:
        reasons.append(Reason("usable", "length", f"{parsed.logical_lines} logical lines, not {low} to {high}"))
    if not permissive(found.licence):
        reasons.append(Reason("usable", "licence", found.licence or "none is known"))
    return reasons + [Reason("usable", rule, detail) for rule, detail in found.file_faults]


def _simple(found: Found, parsed: Parsed) -> list[Reason]:
    reasons = []
    if parsed.logical_lines < SIMPLE_LINES:
        reasons.append(Reason("simple", "few lines", f"{parsed.logical_lines} logical lines"))
    if found.kind == "function" and parsed.complexity == 1 and parsed.logical_lines <= 2:
        reasons.append(Reason("simple", "one expression", "no branch, and one statement"))
    words = tuple(word for word in name_words(found.name) if word not in _FILLING)
    if words in _IDIOMS and parsed.logical_lines <= IDIOM_LINES:
        reasons.append(Reason("simple", "idiom", " ".join(words)))
    return reasons
