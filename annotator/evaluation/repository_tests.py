"""Score an answer in its repository's own tree: the body goes into its file, and the repository's own tests decide.

(Specification of repository mining, section 5.)

An item says where it stands in ``extra.repositoryplace`` and names the repository's content by digest; the files
themselves are handed in. What a sandbox is given holds neither the reference nor anything of another answer.
"""

from __future__ import annotations

import ast
import base64
import io
import json
import secrets
import tarfile
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from annotator.answers.code import find_code, wanted_code
from annotator.answers.forgotten_imports import complete_imports, continued_code
from annotator.base.errors import BadInputError
from annotator.base.resources import resource
from annotator.evaluation.items import Item
from annotator.evaluation.scoring import CUT_SHORT, Program, ScoredResponse, ScoreJob
from annotator.model.vocabulary import Outcome
from annotator.sandbox import Job, JobResult, Limits
from annotator.sandbox.libraries import LIBRARIES, libraries_of
from annotator.text.python_tree import first_line, readable_tree, tree_or_empty

GRADER = "repository"
"""What such an item's ``extra.grader`` says."""
WEAKER = "the repository's tests share a process with the code"
TEST_SECONDS = 20.0
PATIENCE = 4
"""How many times as long a test may wait as it may work: the machine may be busy."""
START_SECONDS, MOST_SECONDS = 120.0, 1800.0
_ARCHIVE = "repository.b64"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a function stands: the repository's digest, what imports start from, its file, the lines of its body (from
    1, both ends included), its name, and pytest's names of its tests. ``wheel`` (``name==version``) is what the built
    files of the repository were taken from, if it has any."""

    digest: str
    roots: tuple[str, ...]
    path: str
    first: int
    last: int
    name: str
    tests: tuple[str, ...]
    wheel: str = ""


def place_of(item: Item) -> Place:
    """Return an item's place. Raises `BadInputError` for one that cannot be meant, as files from elsewhere may hold."""
    extra = item.get("extra")
    told = extra.get("repositoryplace") if isinstance(extra, Mapping) else None
    if not isinstance(told, Mapping):
        raise BadInputError("The item does not say where in its repository it stands.")
    texts = [told.get(name) for name in ("digest", "path", "name")]
    lists = [told.get(name) for name in ("roots", "tests")]
    body = told.get("body")
    good = (
        all(isinstance(text, str) and text for text in texts)
        and all(isinstance(each, list) and all(isinstance(text, str) for text in each) for each in lists)
        and isinstance(body, list)
        and len(body) == 2
        and all(isinstance(line, int) and not isinstance(line, bool) for line in body)
        and 1 <= body[0] <= body[1]
    )
    if not good:
        raise BadInputError("What the item says of its place in its repository cannot be read.")
    digest, path, name = (str(text) for text in texts)
    roots, tests = (tuple(map(str, each or ())) for each in lists)
    for file in (path, *roots):
        if file.startswith("/") or ".." in file.split("/"):
            raise BadInputError("The item's place lies outside its repository.")
    if not tests or any(test.startswith("-") for test in tests):
        raise BadInputError("The item has no tests that pytest knows by name.")
    assert isinstance(body, list)
    wheel = told.get("wheel")
    return Place(
        digest=digest,
        roots=roots,
        path=path,
        first=body[0],
        last=body[1],
        name=name,
        tests=tests,
        wheel=wheel if isinstance(wheel, str) else "",
    )


# -- from an answer to the file ----------------------------------------------------------------------------------------


def body_of(job: ScoreJob, place: Place) -> Program:
    """Return the body that an answer gives, at the left edge; empty if it gives none.

    A chat answer holds the whole function, or the body alone; what stands outside the function is no part of it, but
    where the protocol completes imports, those that the answer makes and its body uses are put before that. A base
    model went on behind the signature: its body ends with the first line that stands further left.
    """
    if job.continued:
        body = _first_body(continued_code(job.text, job.stops))
        return Program(code=body, added=(), how="took the text as the continuation of the prompt")
    answer = find_code(job.text, wanted_code("python", place.name), finish_reason=job.finish_reason)
    code = textwrap.dedent(answer.text).strip("\n")
    found = function_body(code, place.name)
    if found is None:
        return Program(code=code, added=(), how=answer.how, outcome=answer.outcome)
    body, added = complete_imports(found, (code,)) if job.complete else (found, ())
    return Program(code=body, added=added, how=answer.how)


def function_body(code: str, name: str) -> str | None:
    """Return the body of a function of that name, not indented and without its docstring; None if there is none."""
    code = textwrap.dedent(code)
    tree = tree_or_empty(code)
    wanted = name.rpartition(".")[2]
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == wanted:
            body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
            if not body:
                return "pass"
            lines = code.split("\n")
            first = first_line(body[0])
            if first == node.lineno or lines[first - 1][: body[0].col_offset].strip():
                return ast.unparse(ast.Module(body, []))
            return _reindent(lines, first, node.end_lineno or first, _inside_texts(tree), "")
    return None


def _inside_texts(tree: ast.AST) -> frozenset[int]:
    """Return the lines that begin inside a text: moving them would change what it says."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))):
            found.update(range(node.lineno + 1, (node.end_lineno or 0) + 1))
    return frozenset(found)


def _reindent(lines: list[str], first: int, last: int, fixed: frozenset[int], margin: str) -> str:
    """Return some lines with the margin of the first of them replaced."""
    old = lines[first - 1][: len(lines[first - 1]) - len(lines[first - 1].lstrip())]
    moved = []
    for number in range(first, last + 1):
        line = lines[number - 1]
        if number not in fixed:
            line = margin + line.removeprefix(old) if line.strip() else ""
        moved.append(line)
    return "\n".join(moved)


def _first_body(text: str) -> str:
    """Return the lines of a continued text up to the first that stands further left and is no part of the body."""
    lines = text.strip("\n").split("\n")
    start = next((line for line in lines if line.strip()), "")
    margin = start[: len(start) - len(start.lstrip())]
    for number, line in enumerate(lines):
        if number and margin and line.strip() and not line.startswith(margin) and _is_body(lines[:number]):
            lines = lines[:number]
            break
    whole = "\n".join(lines).rstrip()
    return _at_left(whole, margin)


def _is_body(lines: list[str]) -> bool:
    """Tell whether lines make a body: a text that goes over several lines may stand further left."""
    text = "\n".join(lines)
    return readable_tree(f"if 1:\n{text}\n") is not None


def _at_left(text: str, margin: str) -> str:
    if not margin:
        return text
    fixed = frozenset(line - 1 for line in _inside_texts(tree_or_empty(f"if 1:\n{text}\n")))
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines, start=1) if line.strip()), 1)
    return _reindent(lines, first, len(lines), fixed, "")


def with_body(source: str, place: Place, body: str) -> str:
    """Return a file with the body of the place replaced. Raises `BadInputError` if the lines are not there."""
    lines = source.split("\n")
    if place.last > len(lines):
        raise BadInputError(f"{place.path} has {len(lines)} lines, so the body cannot end in line {place.last}.")
    shown = lines[place.first - 1]
    margin = shown[: len(shown) - len(shown.lstrip())]
    fixed = _inside_texts(tree_or_empty(body))
    given = body.split("\n")
    moved = [
        line if number in fixed or not line.strip() else margin + line for number, line in enumerate(given, start=1)
    ]
    return "\n".join([*lines[: place.first - 1], *moved, *lines[place.last :]])


# -- running -----------------------------------------------------------------------------------------------------------


def pack_files(files: Mapping[str, bytes]) -> bytes:
    """Return files as a compressed archive, the same for the same files."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz", preset=1) as archive:
        for name, data in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(data), 0o644
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


@dataclass(frozen=True, slots=True)
class RepositoryJob:
    """A job of the sandbox with the mark behind which its report stands."""

    job: Job
    mark: str


@cache
def _runner() -> str:
    return resource("sandbox", "mining", "runner.py").read_text(encoding="utf-8")


def make_job(item: Item, place: Place, files: Mapping[str, bytes], body: str) -> RepositoryJob:
    """Return the job that runs an item's tests on a body, in a repository of these files.

    The file that the function stands in, and every copy of it, is left out of the archive: the answer's takes its
    place. Raises `BadInputError` if the repository does not have it.
    """
    original = files.get(place.path)
    if original is None:
        raise BadInputError(f"The repository has no file {place.path}.")
    source = with_body(original.decode("utf-8"), place, body)
    others = {name: data for name, data in files.items() if data != original and not name.endswith((".pyc", ".pyo"))}
    mark = secrets.token_hex(12)
    deadline = min(MOST_SECONDS, START_SECONDS + TEST_SECONDS * PATIENCE * len(place.tests))
    request = {
        "mark": mark,
        "roots": list(place.roots),
        "environment": LIBRARIES,
        "archive": _ARCHIVE,
        "variants": [
            {
                "name": place.name, "tests": list(place.tests), "files": {place.path: source}, "trace": False,
                "alone": False, "until_failure": True, "seconds": TEST_SECONDS, "deadline": deadline,
            }
        ],
    }  # fmt: skip
    given = {"request.json": json.dumps(request), _ARCHIVE: base64.b64encode(pack_files(others)).decode("ascii")}
    limits = Limits(
        wall_s=deadline + START_SECONDS, cpu_s=deadline + START_SECONDS, memory_mb=1024, file_mb=64, output_kb=8192,
        kept_kb=8192,
    )  # fmt: skip
    name = str(item.get("key") or item.get("id") or "item")
    libraries = libraries_of(item.get("extra"))
    return RepositoryJob(
        Job(id=name, language="python", code=_runner(), files=given, limits=limits, libraries=libraries), mark
    )


# -- scoring -----------------------------------------------------------------------------------------------------------


def score_result(
    asked: RepositoryJob, place: Place, result: JobResult, finish_reason: str = "stop", added: tuple[str, ...] = ()
) -> ScoredResponse:
    """Return the score of an answer: 1 if every test of its item passes, else 0; None where the sandbox failed.

    ``added`` are the imports that were put before its body, to be logged.
    """
    if result.outcome == "machinery":
        reason = {"rules": [], "reason": result.message}
        return ScoredResponse(outcome=Outcome.MACHINERY, points=None, total=None, score=None, detail=reason)
    ready, report = _reports(asked.mark, result)
    if not ready:
        return ScoredResponse(
            outcome=Outcome.MACHINERY,
            points=None,
            total=None,
            score=None,
            detail={"rules": [], "reason": _not_ready(result)},
        )
    told = report.get("outcomes")
    outcomes = dict(told) if isinstance(told, Mapping) else {}
    said = report.get("messages")
    messages = [str(text) for text in said.values()] if isinstance(said, Mapping) else []
    rules = [
        {"label": test, "metric": "unit_test", "matched": good, "points": float(good), "total": 1.0}
        for test in place.tests
        for good in [_has_passed(outcomes, test)]
    ]
    good = report.get("exit") == 0 and all(rule["matched"] for rule in rules)
    message = "" if good else (messages[0] if messages else result.message or "its tests ended without a report")
    detail: dict[str, Any] = {
        "rules": rules, "outcome": "pass" if good else "fail", "message": message[:2000], "weaker": WEAKER,
    }  # fmt: skip
    if added:
        detail["imports_added"] = list(added)
    total = float(len(rules))
    if good:
        return ScoredResponse(outcome=Outcome.PASS, points=total, total=total, score=1.0, detail=detail)
    earned = float(sum(bool(rule["matched"]) for rule in rules))
    return ScoredResponse(
        outcome=CUT_SHORT.get(finish_reason, Outcome.FAIL), points=earned, total=total, score=0.0, detail=detail
    )


def _reports(mark: str, result: JobResult) -> tuple[bool, Mapping[str, Any]]:
    """Return whether the repository was laid out, and the report (empty without one)."""
    lines = [line[len(mark) :] for line in result.stdout.splitlines() if line.startswith(mark)]
    try:
        report = json.loads(lines[1]) if len(lines) > 1 else {}
    except (ValueError, RecursionError):
        report = {}
    return bool(lines), report if isinstance(report, Mapping) else {}


def _not_ready(result: JobResult) -> str:
    return f"The repository could not be laid out in the sandbox: {result.message or result.outcome}"[:500]


def _has_passed(outcomes: Mapping[str, Any], test: str) -> bool:
    """Tell whether a test passed: all its parameter sets that ran did, and one ran."""
    found = [outcome for name, outcome in outcomes.items() if name == test or name.startswith(f"{test}[")]
    return "pass" in found and "fail" not in found
