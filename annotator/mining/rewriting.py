"""Rewriting mined code into a new task that its author's code does not solve (specification, 4.3 and 4.4).

A rewrite keeps what the code is for and how hard it is, and changes its signature. The gates here say what still
blocks it; running code is left to whoever calls.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from rapidfuzz.distance import Levenshtein

from annotator.base.errors import BadInputError
from annotator.model.rows.gate_numbers import MINED_PERCENT
from annotator.sandbox import TestResult
from annotator.sandbox.sandbox_jobs import COMPILE_ERROR, FAIL, MACHINERY, PASS
from annotator.sandbox.undefined_names import undefined_name

SIMILARITY_LIMIT = 0.9
COVERAGE_CONFIRMATIONS = 2

ChangeKind = Literal["parameter count", "parameter type", "return", "twist"]
_TEXT_LIMIT = 20_000
_ITEM_TYPE = re.compile(r" of ([\w\[\]., ]+)$")
"""The items of a collection in words: ``list of str`` is ``list[str]``."""


@dataclass(frozen=True, slots=True)
class TaskParameter:
    """One parameter; its type and meaning in words or in the notation of a language."""

    name: str
    type: str = ""
    meaning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSignature:
    """What a function is called with and gives: its objective, parameters, and what holds of its result."""

    name: str
    parameters: tuple[TaskParameter, ...]
    returns: str = ""
    objective: str = ""
    constraints: str = ""


@dataclass(frozen=True, slots=True)
class SignatureChange:
    """One difference between the old interface and the new."""

    kind: ChangeKind
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """A mined function on its way to a new task.

    ``summary`` is what its code does, ``requirement`` what is asked for now; ``before`` its own signature and ``after``
    the new one; ``signatures`` state the new one for each language. ``twists`` are changes of meaning, in words: "the
    delimiter becomes a parameter".
    """

    summary: str
    requirement: str
    before: TaskSignature
    after: TaskSignature
    signatures: Mapping[str, TaskSignature]
    twists: tuple[str, ...] = ()

    @property
    def changes(self) -> tuple[SignatureChange, ...]:
        """Return the change list: what a comparison of the signatures shows, and the twists."""
        return (
            *signature_changes(self.before, self.after),
            *(SignatureChange("twist", twist) for twist in self.twists),
        )

    @property
    def similarity(self) -> float:
        """Return how near the requirement still is to the summary of the old code, 0 to 1."""
        return requirement_similarity(self.summary, self.requirement)


@dataclass(frozen=True, slots=True)
class RewriteGate:
    """One condition: whether it holds (None: not known yet), and what was seen."""

    name: str
    passed: bool | None
    detail: str


def signature_changes(before: TaskSignature, after: TaskSignature) -> tuple[SignatureChange, ...]:
    """Return how an interface differs: number of parameters, types of parameters in their places, result.

    A type that only one of the two states is an annotation, which calls do not notice, and no change.
    """
    changes = []
    if len(before.parameters) != len(after.parameters):
        changes.append(SignatureChange("parameter count", f"{len(before.parameters)} → {len(after.parameters)}"))
    for number, (old, new) in enumerate(zip(before.parameters, after.parameters, strict=False), start=1):
        if _differs(old.type, new.type):
            changes.append(
                SignatureChange("parameter type", f"parameter {number}, {new.name}: {old.type} → {new.type}")
            )
    if _differs(before.returns, after.returns):
        changes.append(SignatureChange("return", f"{before.returns} → {after.returns}"))
    return tuple(changes)


def _differs(old: str, new: str) -> bool:
    """Return whether two types, each in words or in the notation of a language, are stated and not the same."""
    one, other = _type_words(old), _type_words(new)
    return bool(one and other) and one != other


def _type_words(text: str) -> str:
    """Return a type in one notation; nothing for one that allows everything."""
    words = _ITEM_TYPE.sub(r"[\1]", plain_text(text).replace("<", "[").replace(">", "]")).replace(" ", "")
    return "" if words in ("any", "typing.any") else words


def requirement_similarity(old: str, new: str) -> float:
    """Return 1 - Levenshtein distance / longer length of two requirements, in lower case with white space collapsed.

    Only the first 20,000 characters of each count, which bounds the time.
    """

    return float(Levenshtein.normalized_similarity(plain_text(old)[:_TEXT_LIMIT], plain_text(new)[:_TEXT_LIMIT]))


def check_rewrite_gates(
    rewrite: Rewrite, original: Sequence[MinedRow] | None = None, mined_percent: int = MINED_PERCENT.default
) -> tuple[RewriteGate, ...]:
    """Return the gates of a rewrite; all must hold.

    ``original`` is what became of the mined code under the new interface with the new tests (`read_mined_rows`): at
    least one row must fail, and at most ``mined_percent`` percent may pass, because a row that the old code passes asks
    for nothing new. What the machinery broke counts as unknown.
    """
    changes, similarity, limit = rewrite.changes, rewrite.similarity, SIMILARITY_LIMIT
    return (
        RewriteGate(
            "changed", bool(changes), "; ".join(f"{c.kind}: {c.detail}" for c in changes) or "nothing has changed"
        ),
        RewriteGate("new words", similarity < limit, f"similarity {similarity:.3f}, below {limit:g} is wanted"),
        _check_stated(rewrite),
        _check_original_fails(original, mined_percent),
    )


MinedOutcome = Literal["passes", "other value", "other error", "does not fit", "lacks a name", "unknown"]


@dataclass(frozen=True, slots=True)
class MinedRow:
    """What the mined code did with a row of the new table.

    It passes, gives another value (or none where an error is wanted), raises an error of its own, the call does not
    fit it at all, or what it calls is not there: then ``lacking`` is the name, and the row says nothing of it.
    """

    name: str
    outcome: MinedOutcome
    lacking: str = ""


def read_mined_rows(
    results: Sequence[TestResult], raising: Collection[str], misfits: Collection[str]
) -> tuple[MinedRow, ...]:
    """Interpret the test results of the mined code.

    ``raising`` are the rows that expect an error, ``misfits`` those whose call does not fit the mined code: the error
    of such a call is not the one that is expected, so it never passes a row (specification, 4.3).
    """
    return tuple(_mined_row(item, item.name in raising, item.name in misfits) for item in results)


def _mined_row(result: TestResult, is_raising: bool, is_misfit: bool) -> MinedRow:
    outcome = _mined_outcome(result, is_raising, is_misfit)
    name = undefined_name(result.message) if outcome == "other error" else ""
    return MinedRow(result.name, "lacks a name", name) if name else MinedRow(result.name, outcome)


def _mined_outcome(result: TestResult, is_raising: bool, is_misfit: bool) -> MinedOutcome:
    if result.outcome == MACHINERY:
        return "unknown"
    if result.outcome == PASS:
        return "does not fit" if is_raising and is_misfit else "passes"
    if is_misfit or result.outcome == COMPILE_ERROR:
        return "does not fit"
    is_test_message = any(mark in result.message for mark in _TEST_MESSAGES)
    return "other value" if result.outcome == FAIL and is_test_message else "other error"


_TEST_MESSAGES = ("AssertionError", "got ", "another result", "no error was raised")
"""Messages of the tests themselves (`annotator.mining.rendering`)."""


def _check_stated(rewrite: Rewrite) -> RewriteGate:
    faults = []
    for language, signature in sorted(rewrite.signatures.items()):
        missing = [name for name in ("objective", "returns", "constraints") if not getattr(signature, name).strip()]
        missing += [f"the type of {item.name}" for item in signature.parameters if not item.type.strip()]
        if len(signature.parameters) != len(rewrite.after.parameters):
            missing.append(f"{len(rewrite.after.parameters)} parameters")
        if missing:
            faults.append(f"{language} lacks {', '.join(missing)}")
    if not rewrite.signatures:
        faults.append("no language has a signature")
    return RewriteGate("stated", not faults, "; ".join(faults) or f"in {len(rewrite.signatures)} languages")


def _check_original_fails(original: Sequence[MinedRow] | None, mined_percent: int) -> RewriteGate:
    if original is None:
        return RewriteGate("original fails", None, "the mined code was not run yet")
    passing = [item.name for item in original if item.outcome == "passes"]
    passed = _describe_passing(passing, len(original), mined_percent)
    if passing and (len(passing) == len(original) or 100 * len(passing) > mined_percent * len(original)):
        return RewriteGate("original fails", False, f"{passed}; change these tests, or what is asked for")
    if any(item.outcome == "unknown" for item in original):
        return RewriteGate("original fails", None, "some tests could not be run")
    if not original:
        return RewriteGate("original fails", False, "there are no tests")
    if lacking := sorted({item.lacking for item in original if item.lacking}):
        detail = f"the mined code lacks {', '.join(lacking)}: add it there with annotator team edit --artefact solution"
        return RewriteGate("original fails", None, detail)
    counts = Counter(item.outcome for item in original)
    summary = ", ".join(f"{outcome} {counts[outcome]}" for outcome in _FAILURES if counts[outcome])
    if passing:
        return RewriteGate("original fails", True, f"{passed}; the others: {summary}")
    return RewriteGate("original fails", True, f"all {len(original)} tests: {summary}")


def _describe_passing(passing: Sequence[str], count: int, mined_percent: int) -> str:
    """Return how many tests the mined code passes, what is allowed, and which they are."""
    if not passing:
        return ""
    named = ", ".join(passing[:_MOST_NAMED]) + (
        f" and {len(passing) - _MOST_NAMED} more" if len(passing) > _MOST_NAMED else ""
    )
    share = f"{len(passing)} of {count} tests ({100 * len(passing) / count:.0f}%, at most {mined_percent}% are allowed)"
    return f"the mined code passes {share}: {named}"


_MOST_NAMED = 10
_FAILURES: tuple[MinedOutcome, ...] = ("other value", "other error", "does not fit")


@dataclass(frozen=True, slots=True)
class ReferenceDisagreement:
    """A row of the common table of tests on which the references differ: language → outcome."""

    row: str
    outcomes: Mapping[str, str]


def find_disagreements(references: Mapping[str, Sequence[TestResult]]) -> tuple[ReferenceDisagreement, ...]:
    """Return the rows of the test table that not every language's reference passes; a row not run is "missing".

    ``references`` is language → results, named by row. Each of them opens an issue.
    """
    rows = dict.fromkeys(item.name for results in references.values() for item in results)
    differing = []
    for row in rows:
        outcomes = {
            language: next((item.outcome for item in results if item.name == row), "missing")
            for language, results in references.items()
        }
        if set(outcomes.values()) != {"pass"}:
            differing.append(ReferenceDisagreement(row, outcomes))
    return tuple(differing)


@dataclass(frozen=True, slots=True)
class CoverageException:
    """Why less than full coverage of a reference is right, who says so, and who has confirmed it."""

    reason: str
    by: str
    confirmed_by: tuple[str, ...] = ()


def coverage_gate(
    shares: tuple[float, float] | None, exception: CoverageException | None = None, not_run: str = ""
) -> RewriteGate:
    """Ask for full coverage of a reference, or a reason that two others confirmed.

    ``shares`` are those of its lines and of its branches, 0 to 1; None is for a language that cannot be measured.
    ``not_run`` names the places that no row runs.
    """
    detail = "coverage is not measured for this language"
    if shares is not None:
        detail = f"lines {shares[0]:.1%}, branches {shares[1]:.1%}"
        if min(shares) >= 1:
            return RewriteGate("coverage", True, detail)
        detail += f"; not run: {not_run}" if not_run else ""
    if exception is None or not exception.reason.strip():
        what = "give a reason" if shares is None else "write more tests, or give a reason"
        return RewriteGate("coverage", False, f"{detail}; {what}")
    others = {name for name in exception.confirmed_by if name != exception.by}
    if len(others) < COVERAGE_CONFIRMATIONS:
        return RewriteGate(
            "coverage", False, f"{detail}; {len(others)} of {COVERAGE_CONFIRMATIONS} others confirmed the reason"
        )
    return RewriteGate("coverage", True, f"{detail}; {exception.reason}")


def rewrite_json(rewrite: Rewrite) -> dict[str, Any]:
    """Return a rewrite as `parse_rewrite` reads it, with its change list for people."""
    return {
        "summary": rewrite.summary,
        "requirement": rewrite.requirement,
        "before": _signature_json(rewrite.before),
        "after": _signature_json(rewrite.after),
        "signatures": {language: _signature_json(item) for language, item in rewrite.signatures.items()},
        "twists": list(rewrite.twists),
        "changes": [asdict(change) for change in rewrite.changes],
    }


def parse_rewrite(row: Any) -> Rewrite:
    """Read a rewrite from a JSON object. Raises `BadInputError` naming the field that does not fit."""
    if not isinstance(row, Mapping):
        raise BadInputError("A rewrite is an object with summary, requirement, before, after and signatures.")
    signatures, twists = row.get("signatures", {}), row.get("twists", [])
    if not isinstance(signatures, Mapping) or not isinstance(twists, list):
        raise BadInputError("A rewrite's signatures must be an object, and its twists a list.")
    if not all(isinstance(twist, str) and twist.strip() for twist in twists):
        raise BadInputError("A rewrite's twists must be texts.")
    return Rewrite(
        summary=_text(row, "summary", "the rewrite"),
        requirement=_text(row, "requirement", "the rewrite"),
        before=_signature(row.get("before"), "before"),
        after=_signature(row.get("after"), "after"),
        signatures={
            str(language): _signature(item, f"the signature in {language}") for language, item in signatures.items()
        },
        twists=tuple(twists),
    )


def _signature(row: Any, where: str) -> TaskSignature:
    if not isinstance(row, Mapping):
        raise BadInputError(f"In a rewrite, {where} must be an object with name and parameters.")
    parameters = row.get("parameters", [])
    if not isinstance(parameters, list) or not all(isinstance(item, Mapping) for item in parameters):
        raise BadInputError(f"In a rewrite, {where}: parameters must be a list of objects.")
    return TaskSignature(
        name=_text(row, "name", where),
        parameters=tuple(
            TaskParameter(_text(item, "name", where), _text(item, "type", where), _text(item, "meaning", where))
            for item in parameters
        ),
        returns=_text(row, "returns", where),
        objective=_text(row, "objective", where),
        constraints=_text(row, "constraints", where),
    )


def _signature_json(signature: TaskSignature) -> dict[str, Any]:
    return {**asdict(signature), "parameters": [asdict(item) for item in signature.parameters]}


def _text(row: Mapping[str, Any], name: str, where: str) -> str:
    value = row.get(name, "")
    if not isinstance(value, str):
        raise BadInputError(f"In a rewrite, {where}: {name} must be text.")
    return value


def signature_text(signature: TaskSignature) -> str:
    """Return a signature in one line: "cut(text: str, sign: str) -> list"."""
    parameters = ", ".join(f"{item.name}: {item.type}" if item.type else item.name for item in signature.parameters)
    returns = f" -> {signature.returns}" if signature.returns else ""
    return f"{signature.name}({parameters}){returns}" if signature.name else ""


def read_signature(text: str, objective: str = "", constraints: str = "") -> TaskSignature:
    """Read what `signature_text` writes; commas and colons inside of brackets belong to types.

    Raises `BadInputError` for a line without brackets, brackets that do not match, or a parameter without a name.
    """
    text = text.strip()
    if not text:
        return TaskSignature(name="", parameters=(), returns="", objective=objective, constraints=constraints)
    head, bracket, rest = text.partition("(")
    end, depth = -1, 1
    part_starts = [0]
    for index, letter in enumerate(rest):
        arrow = letter == ">" and rest[index - 1 : index] in ("-", "=")
        depth += 0 if arrow else (letter in "([{<") - (letter in ")]}>")
        if depth == 0:
            end = index
            break
        if letter == "," and depth == 1:
            part_starts.append(index + 1)
    tail = rest[end + 1 :].strip() if end >= 0 else ""
    if not bracket or end < 0 or not head.strip() or (tail and not tail.startswith("->")):
        raise BadInputError(f"{text} is not a signature such as cut(text: str, sign: str) -> list.")
    parts = [rest[a:b].rstrip(", ").strip() for a, b in zip(part_starts, [*part_starts[1:], end], strict=True)]
    parameters = []
    for part in filter(None, parts) if len(parts) == 1 else parts:
        name, _, kind = part.partition(":")
        if not name.strip():
            raise BadInputError(f"In {text}, a parameter has no name.")
        parameters.append(TaskParameter(name.strip(), kind.strip()))
    return TaskSignature(
        name=head.strip(),
        parameters=tuple(parameters),
        returns=tail.removeprefix("->").strip(),
        objective=objective,
        constraints=constraints,
    )


def plain_text(text: str) -> str:
    """Return a text in lower case with white space collapsed."""
    return " ".join(text.lower().split())
