"""Find which static rules fire on Python code, and where. The checker only parses the code and never runs it."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotator.base.errors import MissingEnvironmentError
from annotator.base.resources import find_program

# No rule covers misleading names as such; these cover letters that look like digits, and shadowed built-ins.
NAMING_RULES = ("N", "E741", "A001", "A002")
SECURITY_RULES = ("S",)
UNDEFINED_NAME_RULES = ("F821",)
_SELECTED = (*NAMING_RULES, *SECURITY_RULES, *UNDEFINED_NAME_RULES)
_TIMEOUT_S = 120
_HIGH_SEVERITY_RULES = {"S602", "S605", "S604", "S501", "S324", "S701", "S202", "S608", "S307", "S102", "S301"}
_LOW_SEVERITY_RULES = {"S105", "S106", "S107", "S311", "S113", "S404", "S603", "S607", "S403", "S101", "S110"}


@dataclass(frozen=True, slots=True, order=True)
class RuleHit:
    """One rule that fires: its id (``S307`` is bandit's B307), its first and last line, and its message."""

    rule: str
    line: int
    end_line: int
    message: str = ""

    @property
    def severity(self) -> str:
        """The severity of a security finding: high, medium or low."""
        if self.rule in _HIGH_SEVERITY_RULES:
            return "high"
        return "low" if self.rule in _LOW_SEVERITY_RULES else "medium"


def rule_hits(codes: Sequence[str]) -> list[tuple[RuleHit, ...]]:
    """Return the rules that fire on each program, ignoring ``noqa`` comments.

    Raises `MissingEnvironmentError` if the checker (ruff) is not installed or does not answer.
    """
    if not codes:
        return []
    with tempfile.TemporaryDirectory(prefix="annotator-rules-") as folder:
        for number, code in enumerate(codes):
            Path(folder, f"p{number}.py").write_text(code, encoding="utf-8", errors="replace", newline="")
        hits_by_code: list[list[RuleHit]] = [[] for _ in codes]
        for row in _run_ruff(folder):
            code_id = row.get("code")
            number = int(Path(row["filename"]).stem[1:])
            if code_id and code_id != "invalid-syntax":
                first, last = row["location"]["row"], row["end_location"]["row"]
                hits_by_code[number].append(RuleHit(code_id, first, last, row["message"]))
    return [tuple(sorted(hits)) for hits in hits_by_code]


def _run_ruff(folder: str) -> list[dict[str, Any]]:
    argv = [
        find_ruff(), "check", "--isolated", "--no-cache", "--ignore-noqa", "--exit-zero", "--quiet",
        "--target-version", "py311", "--select", ",".join(_SELECTED), "--output-format", "json", folder,
    ]  # fmt: skip
    try:
        process = subprocess.run(  # noqa: S603 - our own argument list; the code is data in files
            argv, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S, cwd=folder
        )
        rows: list[dict[str, Any]] = json.loads(process.stdout or "[]")
    except (OSError, subprocess.TimeoutExpired, json.JSONDecodeError) as error:
        raise MissingEnvironmentError(
            f"The rule checker ruff did not answer ({error}). Nothing was changed."
        ) from error
    if process.returncode:
        raise MissingEnvironmentError(f"The rule checker ruff failed: {process.stderr.strip()[:200]}")
    return rows


def find_ruff() -> str:
    """Return the path of ruff. Raises `MissingEnvironmentError` if it is not installed."""
    program = find_program("ruff")
    if program is None:
        raise MissingEnvironmentError(
            "The rule checker ruff is not installed. Install annotator again, or ruff itself."
        )
    return program


def new_hits(before: Sequence[RuleHit], after: Sequence[RuleHit], prefixes: Sequence[str]) -> tuple[RuleHit, ...]:
    """Return the hits of rules with one of the prefixes that did not fire before."""
    earlier_rules = {hit.rule for hit in before}
    return tuple(hit for hit in after if hit.rule not in earlier_rules and matches_rule(hit.rule, prefixes))


def matches_rule(rule: str, prefixes: Sequence[str]) -> bool:
    """Return whether a rule matches one of the prefixes: a whole id, or a letter that covers all its rules."""
    return any(
        rule == prefix or (len(prefix) == 1 and rule[:1] == prefix and rule[1:].isdigit()) for prefix in prefixes
    )
