"""Store the sandbox's answers about a repository on disk, one per line, so that interrupted mining can resume.

A journal is named after the image with the repository and its libraries, so it is valid for that content only.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from annotator.base.errors import MissingEnvironmentError

MAX_JOURNALS = 40
"""Opening one more journal removes the oldest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way to run some tests: with ``files`` added or replaced, in the repository or (``alone``) without it."""

    name: str
    tests: tuple[str, ...]
    files: dict[str, str] = field(default_factory=dict)
    trace: bool = False
    alone: bool = False
    until_failure: bool = False
    """Whether to stop at the first failure."""
    reach: bool = False
    """Whether to report all functions that ran, also during collection and set-up."""
    shared: bool = False
    """Whether variants may share one collection of their test files; those that run ``alone`` need different names."""
    changed: tuple[str, int] | None = None
    """The function whose body ``files`` replaces: its file and first line."""

    @property
    def digest(self) -> str:
        """The key of the variant in the journal."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:32]


@dataclass(slots=True, kw_only=True)
class VariantAnswer:
    """The result of a variant: outcomes and messages by node, and the functions that each test called, as (path, first
    line, is called directly).

    ``reached`` are functions that ran, as (path, first line): all of them if the variant has ``reach``; those that ran
    outside of tests (during collection and set-up) if it has ``trace``. ``disturbed`` are the nodes that passed in a
    process of their own but failed in one that had collected the tests of other variants, too.
    """

    exit: int = -1
    outcomes: dict[str, str] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    calls: dict[str, list[tuple[str, int, bool]]] = field(default_factory=dict)
    durations: dict[str, float] = field(default_factory=dict)
    problem: str = ""
    reached: list[tuple[str, int]] = field(default_factory=list)
    disturbed: list[str] = field(default_factory=list)

    def passed(self, node_id: str) -> bool:
        """Return whether a test passed: at least one parameter set ran, and none failed."""
        outcomes = [outcome for name, outcome in self.outcomes.items() if is_node_of_test(name, node_id)]
        return "pass" in outcomes and "fail" not in outcomes

    def skipped(self, node_id: str) -> bool:
        """Return whether pytest skipped the whole test, or its file."""
        if self.outcomes.get(node_id.partition("::")[0]) == "skip":
            return True
        outcomes = {outcome for name, outcome in self.outcomes.items() if is_node_of_test(name, node_id)}
        return outcomes == {"skip"}

    def failed(self, node_id: str) -> bool:
        """Return whether a test did not pass, also because it was skipped or not collected."""
        return not self.passed(node_id)


def is_node_of_test(name: str, node_id: str) -> bool:
    """Return whether a node is a test, or one of its parameter sets."""
    return name == node_id or name.startswith(f"{node_id}[")


def read_answer(report: Any) -> VariantAnswer:
    """Read an answer from a JSON object. Raises KeyError, TypeError, ValueError or AttributeError if malformed."""
    calls = {
        str(node): [(str(path), int(line), bool(direct)) for path, line, direct in items]
        for node, items in report.get("calls", {}).items()
    }
    outcomes, messages = dict(report.get("outcomes", {})), dict(report.get("messages", {}))
    durations = {str(node): float(seconds) for node, seconds in report.get("durations", {}).items()}
    reached = [(str(path), int(line)) for path, line in report.get("reached", ())]
    problem = str(report.get("problem", ""))
    return VariantAnswer(
        exit=int(report.get("exit", -1)),
        outcomes=outcomes,
        messages=messages,
        calls=calls,
        durations=durations,
        problem=problem,
        reached=reached,
        disturbed=[str(node) for node in report.get("disturbed", ())],
    )


class Journal:
    """The answers so far; a line that was cut off by a crash is ignored."""

    def __init__(self, folder: Path, name: str) -> None:
        """Open or create the journal of that name. Raises `MissingEnvironmentError` if it cannot be written."""
        self._path = folder / f"{name}.jsonl"
        self._answers: dict[str, VariantAnswer] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._path.touch()
            with self._path.open("rb") as stream:
                for line in stream:
                    self._read(line)
        except OSError as error:
            raise MissingEnvironmentError(f"Test results cannot be saved in {folder} ({error.strerror}).") from error
        self._forget_oldest(folder)

    def _read(self, line: bytes) -> None:
        try:
            row = json.loads(line)
            self._answers[str(row["variant"])] = read_answer(row["answer"])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return

    def __len__(self) -> int:
        """Return the number of stored answers."""
        return len(self._answers)

    def get(self, variant: Variant) -> VariantAnswer | None:
        """Return the stored answer of a variant, None if it has not been run."""
        return self._answers.get(variant.digest)

    def record(self, variant: Variant, answer: VariantAnswer) -> None:
        """Save an answer, except for a failure of the sandbox, which is retried the next time."""
        if answer.problem:
            return
        self._answers[variant.digest] = answer
        # The leading newline keeps this line intact if the one before it was cut off.
        line = "\n" + json.dumps({"variant": variant.digest, "answer": asdict(answer)}) + "\n"
        try:
            with self._path.open("ab") as stream:
                stream.write(line.encode())
        except OSError as error:
            raise MissingEnvironmentError(f"Test results cannot be saved ({error.strerror}).") from error

    def _forget_oldest(self, folder: Path) -> None:
        with suppress(OSError):
            journals = sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
            for path in journals[:-MAX_JOURNALS]:
                path.unlink(missing_ok=True)
