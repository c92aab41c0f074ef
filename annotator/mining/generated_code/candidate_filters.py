"""Filter candidates, in the order of the specification (4.2); a person may overrule each reason."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

from annotator.base.resources import resource_path
from annotator.mining.generated_code.code_languages import parse_piece
from annotator.mining.generated_code.duplicates import Duplicate, find_duplicates, name_words, normalise_code
from annotator.mining.generated_code.parsed_source import Parsed, Token
from annotator.mining.generated_code.scanning import CodeMatch
from annotator.mining.generated_code.standing_alone import missing_names
from annotator.mining.licences import is_permissive_licence

STAGES = ("attributed", "usable", "simple", "hard", "duplicate")
LINE_RANGE = (3, 100)
MIN_NONTRIVIAL_LINES = 5
MAX_IDIOM_LINES = 20

# Ignored words in names, so that "calculate_nth_fibonacci" still counts as the idiom.
_FILLER_WORDS = frozenset((
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
class WeaknessReason:
    """A reason against a candidate: stage, rule, evidence; ``mockable`` if a test could mock the obstacle."""

    stage: str
    rule: str
    detail: str
    mockable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCandidate:
    """A candidate with its measures and all reasons against it; ``pair`` is the earlier candidate it duplicates."""

    id: str
    match: CodeMatch
    logical_lines: int
    complexity: int
    reasons: tuple[WeaknessReason, ...]
    pair: Duplicate | None = None

    @property
    def is_kept(self) -> bool:
        """Whether there is no reason against the candidate."""
        return not self.reasons

    @property
    def dropped_at(self) -> str:
        """The first stage that the candidate fails, "" if it is kept."""
        return next((stage for stage in STAGES if any(item.stage == stage for item in self.reasons)), "")


@dataclass(frozen=True, slots=True)
class StageCount:
    """The number of candidates of a language that remain after a stage."""

    stage: str
    language: str
    remaining: int


def judge_candidates(candidates: Sequence[CodeMatch], *, any_licence: bool = False) -> tuple[JudgedCandidate, ...]:
    """Collect the reasons against every candidate; of two similar ones the later is the duplicate.

    ``any_licence`` skips the licence check; a release checks licences again. Candidates that fail an earlier stage are
    not compared, so they cannot make another one a duplicate.
    """
    judged = [_judge_candidate(candidate_id(item), item, any_licence) for item in candidates]
    kept_candidates = [item for item in judged if item.is_kept]
    ranked = sorted(kept_candidates, key=lambda item: -item.match.stars)
    pairs = find_duplicates([normalise_code(i.id, i.match.code, i.match.language, i.match.path) for i in ranked])
    pairs_by_second: dict[str, Duplicate] = {}
    for pair in pairs:
        # Compare with kept candidates only, so that a chain of near duplicates keeps its first member.
        if pair.first not in pairs_by_second:
            pairs_by_second.setdefault(pair.second, pair)
    return tuple(_with_pair(item, pairs_by_second[item.id]) if item.id in pairs_by_second else item for item in judged)


def count_stages(judged: Sequence[JudgedCandidate]) -> tuple[StageCount, ...]:
    """Count, for every language, the candidates found ("found") and those remaining after each stage."""
    result = []
    for language in sorted({item.match.language for item in judged}):
        of_language = [item for item in judged if item.match.language == language]
        result.append(StageCount("found", language, len(of_language)))
        for index, stage in enumerate(STAGES):
            later_stages = STAGES[index + 1 :]
            remaining = sum(not item.dropped_at or item.dropped_at in later_stages for item in of_language)
            result.append(StageCount(stage, language, remaining))
    return tuple(result)


def candidate_id(match: CodeMatch) -> str:
    """Return a candidate's id within its tree: "name:path#function@line"."""
    return f"{match.tree.name}:{match.path}#{match.name or 'comment'}@{match.start}"


def _judge_candidate(name: str, match: CodeMatch, any_licence: bool) -> JudgedCandidate:
    if match.how == "data":
        reason = WeaknessReason(
            "attributed", "data", f"the comment is about {match.name}, which is not a function or class"
        )
        return JudgedCandidate(id=name, match=match, logical_lines=0, complexity=0, reasons=(reason,))
    if match.how == "manual":
        reason = WeaknessReason("attributed", "of no function", "the comment belongs to no function or class")
        return JudgedCandidate(id=name, match=match, logical_lines=0, complexity=0, reasons=(reason,))
    parsed = parse_piece(match.code, match.language, match.path)
    reasons = [*_find_faults(match, parsed, any_licence), *_find_simplicity(match, parsed)]
    for item in find_test_obstacles(parsed.tokens, match.imports, match.language):
        reasons.append(WeaknessReason("hard", item.kind, ", ".join(item.names), item.mockable))
    return JudgedCandidate(
        id=name, match=match, logical_lines=parsed.logical_lines, complexity=parsed.complexity, reasons=tuple(reasons)
    )


def _with_pair(item: JudgedCandidate, pair: Duplicate) -> JudgedCandidate:
    rule = "the same" if pair.exact else "nearly the same"
    detail = f"as {pair.first} (Jaccard {pair.jaccard:.2f}, Levenshtein similarity {pair.levenshtein:.2f})"
    return replace(item, reasons=(*item.reasons, WeaknessReason("duplicate", rule, detail)), pair=pair)


def _find_faults(match: CodeMatch, parsed: Parsed, any_licence: bool) -> list[WeaknessReason]:
    reasons = []
    if match.mention.negated:
        reasons.append(WeaknessReason("attributed", "negated", match.comment.text[:200]))
    if not parsed.sound:
        reasons.append(WeaknessReason("usable", "cannot be parsed", f"as {match.language}"))
    low, high = LINE_RANGE
    if not low <= parsed.logical_lines <= high:
        reasons.append(WeaknessReason("usable", "length", f"{parsed.logical_lines} logical lines, not {low} to {high}"))
    if not any_licence and not is_permissive_licence(match.licence):
        reasons.append(WeaknessReason("usable", "licence", match.licence or "none is known"))
    missing = missing_names(f"{match.head}\n\n{match.code}", match.language) + _missing_receiver(match, parsed)
    if missing:
        reasons.append(WeaknessReason("usable", "not self-contained", f"it lacks {', '.join(missing)}"))
    return reasons + [WeaknessReason("usable", rule, detail) for rule, detail in match.file_faults]


def _missing_receiver(match: CodeMatch, parsed: Parsed) -> tuple[str, ...]:
    """Return the receiver that a method uses, since its class is not shown; () for Java, whose members are shown.

    A capitalised function in JavaScript is a constructor, so its ``this`` is a new object.
    """
    receivers = {"python": ("self", "cls"), "javascript": ("this",), "typescript": ("this",)}.get(match.language, ())
    names = [token.text for token in parsed.tokens if token.kind != "member"]
    is_constructor = match.language != "python" and match.name[:1].isupper()
    is_alone = match.kind == "function" and "class" not in names and not is_constructor
    # In Python the receiver is also a parameter, so its name occurs once even if the method does not use it.
    uses = 2 if match.language == "python" else 1
    return tuple(name for name in receivers if is_alone and names.count(name) >= uses)


def _find_simplicity(match: CodeMatch, parsed: Parsed) -> list[WeaknessReason]:
    reasons = []
    if parsed.logical_lines < MIN_NONTRIVIAL_LINES:
        reasons.append(WeaknessReason("simple", "few lines", f"{parsed.logical_lines} logical lines"))
    if match.kind == "function" and parsed.complexity == 1 and parsed.logical_lines <= 2:
        reasons.append(WeaknessReason("simple", "one expression", "no branch, and one statement"))
    words = tuple(word for word in name_words(match.name) if word not in _FILLER_WORDS)
    if words in _IDIOMS and parsed.logical_lines <= MAX_IDIOM_LINES:
        reasons.append(WeaknessReason("simple", "idiom", " ".join(words)))
    return reasons


_SEEDS = frozenset(("seed", "default_rng", "RandomState", "manual_seed", "mt19937", "srand", "setSeed"))
_CONNECTORS = (".", "->", "::", "?.")
_PRINTS = {
    "python": {"print()"},
    "java": {"System.out"},
    "javascript": {"console.log"},
    "typescript": {"console.log"},
    "c++": {"printf()", "puts()", "cout", "std.cout"},
}


@dataclass(frozen=True, slots=True)
class TestObstacle:
    """An obstacle to testing: its kind, the names that show it, and whether a test could mock them."""

    kind: str
    names: tuple[str, ...]
    mockable: bool


def find_test_obstacles(
    tokens: Sequence[Token], imports: Iterable[tuple[str, str]], language: str
) -> tuple[TestObstacle, ...]:
    """Return the obstacles to testing a function, by the lists of calls and imports in ``hard-to-test.json``.

    ``imports`` maps the file's local names to their origins; only those that the function uses count.
    """
    table = _load_obstacle_table()["languages"][language]
    origins = dict(imports)
    uses = _used_names(tokens)
    for chain, form in tuple(uses):
        if chain[0] in origins and origins[chain[0]]:
            uses.add(((*origins[chain[0]].split("."), *chain[1:]), form))
    names = {".".join(chain) + form for chain, form in uses}
    used = {token.text for token in tokens if token.kind == "name"}
    imported = {origin for local, origin in origins.items() if local in used}
    obstacles = []
    for kind, lists in table.items():
        names_seen = {name for name in imported if _has_prefix(name, lists.get("imports", ()))}
        names_seen |= {name for name in names if _has_prefix(name, lists.get("calls", ()))}
        if names_seen and not (kind == "random" and _is_seeded(tokens, names)):
            obstacles.append(
                TestObstacle(kind, tuple(sorted(names_seen))[:5], kind in _load_obstacle_table()["mockable"])
            )
    if prints := _only_prints(tokens, names, language):
        obstacles.append(TestObstacle("output", prints, False))
    return tuple(obstacles)


@cache
def _load_obstacle_table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(resource_path("mining", "hard-to-test.json").read_text(encoding="utf-8"))
    return table


def _used_names(tokens: Sequence[Token]) -> set[tuple[tuple[str, ...], str]]:
    """Return the dotted names in code, each with a suffix: "()" for a call, "(void)" for a call without arguments, else
    "" (for a dotted name, an object whose members are used, or the type in a declaration).
    """
    uses: set[tuple[tuple[str, ...], str]] = set()
    chain: list[str] = []
    texts = [token.text for token in tokens] + ["", ""]
    for index, token in enumerate(tokens):
        if token.kind == "name":
            chain = [token.text]
        elif token.kind == "member" and chain:
            chain.append(token.text)
        elif token.text not in _CONNECTORS:
            chain = []
        if token.kind not in ("name", "member") or not chain:
            continue
        declares = index + 1 < len(tokens) and tokens[index + 1].kind == "name"
        is_new = len(chain) == 1 and index > 0 and texts[index - 1] == "new"
        if len(chain) > 1 or texts[index + 1] in (*_CONNECTORS, "<<", ">>") or declares or is_new:
            uses.add((tuple(chain), ""))
        if texts[index + 1] == "(":
            uses.add((tuple(chain), "()"))
            if texts[index + 2] == ")":
                uses.add((tuple(chain), "(void)"))
    return uses


def _has_prefix(name: str, prefixes: Iterable[str]) -> bool:
    return any(name == item or name.startswith((f"{item}.", f"{item}/")) for item in prefixes)


def _is_seeded(tokens: Sequence[Token], names: set[str]) -> bool:
    generators = {name for name in names if name.endswith("Random()")}
    seeded = {name for name in generators if name.replace("()", "(void)") not in names}
    return bool(seeded) or any(token.text in _SEEDS for token in tokens)


def _only_prints(tokens: Sequence[Token], names: set[str], language: str) -> tuple[str, ...]:
    """Return the printing calls of a function that only prints and returns nothing; else empty."""
    printed = tuple(sorted(names & _PRINTS[language]))
    for before, after in pairwise(tokens):
        if before.text in ("return", "yield", "throw", "raise") and after.text not in (";", "}"):
            return ()
    return printed
