"""Rewriting mined code into a new task that its author's code does not solve (specification, 4.3 and 4.4).

A rewrite keeps the purpose and difficulty of the code and changes its signature. The gates here say what still blocks
it; the caller runs the code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from rapidfuzz.distance import Levenshtein

from annotator.base.errors import BadInputError
from annotator.model.rows.gate_numbers import MINED_PERCENT
from annotator.sandbox import TestResult
from annotator.sandbox.language_imports import undefined_name
from annotator.sandbox.sandbox_jobs import COMPILE_ERROR, FAIL, MACHINERY, PASS

SIMILARITY_LIMIT = 0.9
COVERAGE_CONFIRMATIONS = 2

ChangeKind = Literal["parameter count", "parameter type", "return", "twist"]
_MAX_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class TaskParameter:
    """One parameter; its type is in words or in a language's notation."""

    name: str
    type: str = ""
    meaning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSignature:
    """The interface of a function: objective, parameters, result, and ``constraints`` on the result."""

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
    """The plan of a new task made from a mined function.

    ``summary`` is what the mined code does, ``requirement`` what the new task asks for; ``before``, ``after`` are the
    old and new signatures, ``signatures`` the new one by language. ``twists`` are changes of meaning, in words: "the
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
        """The change list: differences between the signatures, and the twists."""
        return (
            *signature_changes(self.before, self.after),
            *(SignatureChange("twist", twist) for twist in self.twists),
        )

    @property
    def similarity(self) -> float:
        """The similarity of the requirement to the summary of the mined code, 0 to 1."""
        return requirement_similarity(self.summary, self.requirement)


@dataclass(frozen=True, slots=True)
class RewriteGate:
    """One condition: whether it holds (None: unknown yet), and the evidence."""

    name: str
    passed: bool | None
    detail: str


def signature_changes(before: TaskSignature, after: TaskSignature) -> tuple[SignatureChange, ...]:
    """Return the differences between two interfaces: number of parameters, types by position, result.

    A type stated in only one of them is not a change, since an annotation does not affect calls.
    """
    changes = []
    if len(before.parameters) != len(after.parameters):
        changes.append(SignatureChange("parameter count", f"{len(before.parameters)} → {len(after.parameters)}"))
    for number, (old, new) in enumerate(zip(before.parameters, after.parameters, strict=False), start=1):
        if _types_differ(old.type, new.type):
            changes.append(
                SignatureChange("parameter type", f"parameter {number}, {new.name}: {old.type} → {new.type}")
            )
    if _types_differ(before.returns, after.returns):
        changes.append(SignatureChange("return", f"{before.returns} → {after.returns}"))
    return tuple(changes)


def _types_differ(old: str, new: str) -> bool:
    """Return whether two types (in words or in a language's notation) are both stated and differ."""
    old_type, new_type = _type_words(old), _type_words(new)
    return bool(old_type and new_type) and old_type != new_type


def _type_words(text: str) -> str:
    """Return a type in a common notation: ``list of str`` becomes ``list[str]``; empty for ``any``."""
    kind, of, item = normalise_text(text).replace("<", "[").replace(">", "]").partition(" of ")
    words = f"{kind}[{item}]".replace(" ", "") if of else kind.replace(" ", "")
    return "" if words in ("any", "typing.any") else words


def requirement_similarity(old: str, new: str) -> float:
    """Return 1 - Levenshtein distance / longer length of two requirements, in lower case with white space collapsed.

    Only the first 20,000 characters of each count, which limits the time.
    """
    return float(Levenshtein.normalized_similarity(normalise_text(old)[:_MAX_CHARS], normalise_text(new)[:_MAX_CHARS]))


def check_rewrite_gates(
    rewrite: Rewrite, original: Sequence[MinedRow] | None = None, mined_percent: int = MINED_PERCENT.default
) -> tuple[RewriteGate, ...]:
    """Return the gates of a rewrite; all must hold.

    ``original`` are the results of the mined code with the new tests (`read_mined_rows`): at least one row must fail,
    and at most ``mined_percent`` percent may pass, because a row that the mined code passes requires nothing new. Rows
    that could not be run are unknown.
    """
    changes, similarity, limit = rewrite.changes, rewrite.similarity, SIMILARITY_LIMIT
    return (
        RewriteGate(
            "changed", bool(changes), "; ".join(f"{c.kind}: {c.detail}" for c in changes) or "nothing has changed"
        ),
        RewriteGate("new words", similarity < limit, f"similarity {similarity:.3f}, must be below {limit:g}"),
        _check_signatures(rewrite),
        _check_original_fails(original, mined_percent),
    )


MinedOutcome = Literal["passes", "other value", "other error", "does not fit", "lacks a name", "unknown"]


@dataclass(frozen=True, slots=True)
class MinedRow:
    """The outcome of one row of the new table with the mined code.

    The code passes, returns another value (or a value instead of an error), raises another error, cannot be called with
    the row's arguments, or needs a missing name (``lacking``), so that the row shows nothing about it.
    """

    name: str
    outcome: MinedOutcome
    lacking: str = ""


def read_mined_rows(
    results: Sequence[TestResult], raising: Collection[str], misfits: Collection[str]
) -> tuple[MinedRow, ...]:
    """Interpret the test results of the mined code.

    ``raising`` are the rows that expect an error, ``misfits`` those whose call does not fit the mined code: an error of
    such a call is not the expected one, so these rows never pass (specification, 4.3).
    """
    return tuple(_make_mined_row(item, item.name in raising, item.name in misfits) for item in results)


def _make_mined_row(result: TestResult, is_raising: bool, is_misfit: bool) -> MinedRow:
    outcome = _find_mined_outcome(result, is_raising, is_misfit)
    name = undefined_name(result.message) if outcome == "other error" else ""
    return MinedRow(result.name, "lacks a name", name) if name else MinedRow(result.name, outcome)


def _find_mined_outcome(result: TestResult, is_raising: bool, is_misfit: bool) -> MinedOutcome:
    if result.outcome == MACHINERY:
        return "unknown"
    if result.outcome == PASS:
        return "does not fit" if is_raising and is_misfit else "passes"
    if is_misfit or result.outcome == COMPILE_ERROR:
        return "does not fit"
    is_test_message = any(mark in result.message for mark in _TEST_MESSAGES)
    return "other value" if result.outcome == FAIL and is_test_message else "other error"


_TEST_MESSAGES = ("AssertionError", "got ", "another result", "no error was raised")
"""Parts of messages that the rendered tests themselves produce (`annotator.mining.rendering`)."""


def _check_signatures(rewrite: Rewrite) -> RewriteGate:
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
        return RewriteGate("original fails", False, f"{passed}; change these tests or the requirement")
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
    """Describe which tests the mined code passes, and how many are allowed."""
    if not passing:
        return ""
    test_names = ", ".join(passing[:_MAX_NAMED]) + (
        f" and {len(passing) - _MAX_NAMED} more" if len(passing) > _MAX_NAMED else ""
    )
    share = f"{len(passing)} of {count} tests ({100 * len(passing) / count:.0f}%, at most {mined_percent}% are allowed)"
    return f"the mined code passes {share}: {test_names}"


_MAX_NAMED = 10
_FAILURES: tuple[MinedOutcome, ...] = ("other value", "other error", "does not fit")


@dataclass(frozen=True, slots=True)
class ReferenceDisagreement:
    """A row that not every reference passes, with the outcome by language."""

    row: str
    outcomes: Mapping[str, str]


def find_disagreements(references: Mapping[str, Sequence[TestResult]]) -> tuple[ReferenceDisagreement, ...]:
    """Return the rows of the test table that not every language's reference passes; a row not run is "missing".

    ``references`` are results by language, named by row. Each returned row opens an issue.
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
    """The reason to accept less than full coverage of a reference, its author, and who confirmed it."""

    reason: str
    by: str
    confirmed_by: tuple[str, ...] = ()


def coverage_gate(
    shares: tuple[float, float] | None, exception: CoverageException | None = None, not_run: str = ""
) -> RewriteGate:
    """Require full coverage of a reference, or a reason that two others confirmed.

    ``shares`` are the covered shares of lines and branches, 0 to 1; None if the language cannot be measured.
    ``not_run`` names the parts that no row runs.
    """
    detail = "coverage is not measured for this language"
    if shares is not None:
        detail = f"lines {shares[0]:.1%}, branches {shares[1]:.1%}"
        if min(shares) >= 1:
            return RewriteGate("coverage", True, detail)
        detail += f"; not run: {not_run}" if not_run else ""
    if exception is None or not exception.reason.strip():
        advice = "give a reason" if shares is None else "write more tests, or give a reason"
        return RewriteGate("coverage", False, f"{detail}; {advice}")
    others = {name for name in exception.confirmed_by if name != exception.by}
    if len(others) < COVERAGE_CONFIRMATIONS:
        return RewriteGate(
            "coverage", False, f"{detail}; {len(others)} of {COVERAGE_CONFIRMATIONS} others confirmed the reason"
        )
    return RewriteGate("coverage", True, f"{detail}; {exception.reason}")


def rewrite_json(rewrite: Rewrite) -> dict[str, Any]:
    """Return a rewrite as JSON data for `parse_rewrite`, with its change list for people."""
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
    """Read a rewrite from a JSON object. Raises `BadInputError` naming the invalid field."""
    if not isinstance(row, Mapping):
        raise BadInputError("A rewrite is an object with summary, requirement, before, after and signatures.")
    signatures, twists = row.get("signatures", {}), row.get("twists", [])
    if not isinstance(signatures, Mapping) or not isinstance(twists, list):
        raise BadInputError("A rewrite's signatures must be an object, and its twists a list.")
    if not all(isinstance(twist, str) and twist.strip() for twist in twists):
        raise BadInputError("A rewrite's twists must be texts.")
    return Rewrite(
        summary=_read_text(row, "summary", "the rewrite"),
        requirement=_read_text(row, "requirement", "the rewrite"),
        before=_parse_signature(row.get("before"), "before"),
        after=_parse_signature(row.get("after"), "after"),
        signatures={
            str(language): _parse_signature(item, f"the signature in {language}")
            for language, item in signatures.items()
        },
        twists=tuple(twists),
    )


def _parse_signature(row: Any, where: str) -> TaskSignature:
    if not isinstance(row, Mapping):
        raise BadInputError(f"In a rewrite, {where} must be an object with name and parameters.")
    parameters = row.get("parameters", [])
    if not isinstance(parameters, list) or not all(isinstance(item, Mapping) for item in parameters):
        raise BadInputError(f"In a rewrite, {where}: parameters must be a list of objects.")
    return TaskSignature(
        name=_read_text(row, "name", where),
        parameters=tuple(
            TaskParameter(
                _read_text(item, "name", where), _read_text(item, "type", where), _read_text(item, "meaning", where)
            )
            for item in parameters
        ),
        returns=_read_text(row, "returns", where),
        objective=_read_text(row, "objective", where),
        constraints=_read_text(row, "constraints", where),
    )


def _signature_json(signature: TaskSignature) -> dict[str, Any]:
    return {**asdict(signature), "parameters": [asdict(item) for item in signature.parameters]}


def _read_text(row: Mapping[str, Any], name: str, where: str) -> str:
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
    """Parse the output of `signature_text`; commas and colons inside brackets belong to types.

    Raises `BadInputError` for a line without brackets, brackets that do not match, or a parameter without a name.
    """
    text = text.strip()
    if not text:
        return TaskSignature(name="", parameters=(), returns="", objective=objective, constraints=constraints)
    head, bracket, rest = text.partition("(")
    end, depth = -1, 1
    part_starts = [0]
    for index, letter in enumerate(rest):
        # The ">" of an arrow in a type ("->", "=>") closes no bracket.
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
    # A single empty part means no parameters; among several parts, it is an error.
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


def normalise_text(text: str) -> str:
    """Return a text in lower case with white space collapsed."""
    return " ".join(text.lower().split())
