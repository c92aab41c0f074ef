"""What keeps a function from being tested alone and the same way every time (specification, 4.2, 3)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from annotator.base.resources import resource
from annotator.mining.generated_code.syntax import Token
from annotator.sandbox import Job, Pool

_SEEDS = frozenset(("seed", "default_rng", "RandomState", "manual_seed", "mt19937", "srand", "setSeed"))
_JOINTS = (".", "->", "::", "?.")
_PRINTS = {
    "python": {"print()"},
    "java": {"System.out"},
    "javascript": {"console.log"},
    "typescript": {"console.log"},
    "c++": {"printf()", "puts()", "cout", "std.cout"},
}


@dataclass(frozen=True, slots=True)
class Hindrance:
    """One kind of obstacle, the names it was seen by, and whether a test could put something in their place."""

    kind: str
    seen: tuple[str, ...]
    mockable: bool


def hindrances(tokens: Sequence[Token], imports: Iterable[tuple[str, str]], language: str) -> tuple[Hindrance, ...]:
    """Return what a function uses that is hard to test: calls and imported names against the lists per language.

    ``imports`` maps the file's local names to what they stand for; only those the function uses count. The lists are
    ``resources/mining/hard-to-test.json``.
    """
    table = _table()["languages"][language]
    origins = dict(imports)
    uses = _uses(tokens)
    for chain, form in tuple(uses):
        if chain[0] in origins and origins[chain[0]]:
            uses.add(((*origins[chain[0]].split("."), *chain[1:]), form))
    names = {".".join(chain) + form for chain, form in uses}
    used = {token.text for token in tokens if token.kind == "name"}
    imported = {origin for local, origin in origins.items() if local in used}
    found = []
    for kind, lists in table.items():
        seen = {name for name in imported if _within(name, lists.get("imports", ()))}
        seen |= {name for name in names if _within(name, lists.get("calls", ()))}
        if seen and not (kind == "random" and _seeded(tokens, names)):
            found.append(Hindrance(kind, tuple(sorted(seen))[:5], kind in _table()["mockable"]))
    if prints := _only_prints(tokens, names, language):
        found.append(Hindrance("output", prints, False))
    return tuple(found)


def replay(pool: Pool, code: str, language: str, runs: int = 3) -> Hindrance | None:
    """Run a whole program several times in the sandbox; returns a hindrance if it does not do the same every time."""
    futures = [pool.submit(Job(str(number), language, code)) for number in range(runs)]
    results = [future.result() for future in futures]
    outcomes = {(result.outcome, result.stdout) for result in results}
    if len(outcomes) == 1:
        return None
    return Hindrance("replay", (f"{len(outcomes)} different results of {runs} runs",), False)


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(resource("mining", "hard-to-test.json").read_text(encoding="utf-8"))
    return table


def _uses(tokens: Sequence[Token]) -> set[tuple[tuple[str, ...], str]]:
    """Return the dotted names that code makes use of, each with a form: "()" for a call, "(void)" for one without
    arguments, "" for an object whose members are used, a type of what is declared, or a dotted name as it stands.
    """
    found: set[tuple[tuple[str, ...], str]] = set()
    chain: list[str] = []
    texts = [token.text for token in tokens] + ["", ""]
    for place, token in enumerate(tokens):
        if token.kind == "name":
            chain = [token.text]
        elif token.kind == "member" and chain:
            chain.append(token.text)
        elif token.text not in _JOINTS:
            chain = []
        if token.kind not in ("name", "member") or not chain:
            continue
        declares = place + 1 < len(tokens) and tokens[place + 1].kind == "name"
        made = len(chain) == 1 and place > 0 and texts[place - 1] == "new"
        if len(chain) > 1 or texts[place + 1] in (*_JOINTS, "<<", ">>") or declares or made:
            found.add((tuple(chain), ""))
        if texts[place + 1] == "(":
            found.add((tuple(chain), "()"))
            if texts[place + 2] == ")":
                found.add((tuple(chain), "(void)"))
    return found


def _within(name: str, listed: Iterable[str]) -> bool:
    return any(name == item or name.startswith((f"{item}.", f"{item}/")) for item in listed)


def _seeded(tokens: Sequence[Token], names: set[str]) -> bool:
    generators = {name for name in names if name.endswith("Random()")}
    given = {name for name in generators if name.replace("()", "(void)") not in names}
    return bool(given) or any(token.text in _SEEDS for token in tokens)


def _only_prints(tokens: Sequence[Token], names: set[str], language: str) -> tuple[str, ...]:
    """Return what a function prints with if that is all that comes of it: nothing is returned."""
    printed = tuple(sorted(names & _PRINTS[language]))
    for before, after in pairwise(tokens):
        if before.text in ("return", "yield", "throw", "raise") and after.text not in (";", "}"):
            return ()
    return printed
