"""Read functions mined from repositories, as ``mine repository --out`` writes them, one per row.

Mining directly into a project makes its candidates here too, so both ways give the same ones.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from annotator.base.errors import BadInputError
from annotator.formats.read.import_records import Candidate, CandidateTest, first_line
from annotator.formats.read.typed_columns import (
    ColumnError,
    Row,
    list_column,
    object_column,
    text_column,
    text_list_column,
)
from annotator.sandbox.libraries import library_set

GRADER = "repository"
"""The grader that runs a repository's own tests inside the repository."""
_ORIGIN_COLUMNS = ("provenance", "revision", "context_lines", "taken_against")
"""Columns about the origin, or derived from others. Without them an archive and a clone give equal candidates."""
_REPEATED_COLUMNS = ("place", "masked", "context")
"""Columns left out of the stored row of a function with a place, since the candidate has their content."""


def mined_candidate(row: Row) -> Candidate:
    """Return a row as a candidate. Raises `ColumnError` for a row that mining did not write.

    The tests use the module's own objects, which cannot be passed between processes, so code and tests share one. A
    function with a place in a stored repository is judged there by its confirmed tests, any other by the tests that run
    alone.
    """
    repository = text_column(row, "repository", filled=True)
    path = text_column(row, "module_path", filled=True)
    name = text_column(row, "qualified_name", filled=True)
    docstring = text_column(row, "docstring", default="")
    place = object_column(row, "place")
    omitted_columns = _ORIGIN_COLUMNS + _REPEATED_COLUMNS if place else _ORIGIN_COLUMNS
    stored_row = {key: value for key, value in row.items() if key not in omitted_columns}
    summary = first_line(_first_sentence(docstring.strip().partition("\n\n")[0]))
    decorators = _decorator_lines(row, place)
    signature = _dedented_signature(row, place)
    return Candidate(
        key=f"repository:{repository}:{path}:{name}",
        title=f"{name}: {summary}" if summary else name,
        language="python",
        domain=text_column(row, "domain", default=""),
        licence=text_column(row, "licence", default=""),
        prompt=text_column(row, "instruction", default="") or f"{decorators}{signature}\n\n{docstring}".strip(),
        reference=text_column(row, "code", filled=True),
        context=text_column(row, "masked", default=""),
        entry_point=name,
        dependencies=object_column(row, "dependencies"),
        provenance={"repository": repository, "revision": text_column(row, "revision", default=""), "path": path}
        | object_column(row, "provenance")
        | ({"namespace": text_column(place, "namespace")} if place else {}),
        extra={"row": stored_row, "sandbox_mode": "shared"} | _mining_findings(row) | _repository_parts(row, place),
        tests=tuple(
            CandidateTest(
                name=text_column(test, "node_id", default="") or text_column(test, "qualified_name"),
                code=text_column(test, "code", default=""),
                language="python",
                # Published rows give a test's file instead of a pytest node id.
                inputs={} if test.get("node_id") else {"test_path": text_column(test, "path", default="")},
            )
            for test in _judging_tests(row)
        ),
    )


def _first_sentence(text: str) -> str:
    """Return a text up to the first full stop before a capital letter: *e.g. a list* goes on."""
    words = text.split()
    for count, (word, following) in enumerate(pairwise(words), start=1):
        if word.endswith(".") and following[0].isupper():
            return " ".join(words[:count])[:-1]
    return " ".join(words)


def _is_in_place(row: Row) -> bool:
    return bool(row.get("in_place"))


def _judging_tests(row: Row) -> list[dict[str, Any]]:
    """Return the tests that judge answers: in a repository the confirmed ones, elsewhere those that run alone."""
    tests = list_column(row, "tests")
    if not all(isinstance(test, dict) for test in tests):
        raise ColumnError("column tests must be a list of objects")
    return [test for test in tests if test.get("confirmed" if _is_in_place(row) else "code")] or tests


def _mining_findings(row: Row) -> dict[str, Any]:
    """Return mining's findings about a function: filters it failed, its libraries, and weaknesses of its tests."""
    filters = list_column(row, "filters")
    if not all(isinstance(item, dict) for item in filters):
        raise ColumnError("column filters must be a list of objects")
    failed_filters = [
        {"name": text_column(item, "name"), "reason": text_column(item, "reason", default="")}
        for item in filters
        if not item.get("passed")
    ]
    findings: dict[str, Any] = {}
    if not row.get("selected", True):
        # Rows of older versions do not separate filters that the recipe only reports.
        findings["taken_against"] = list_column(row, "taken_against") or failed_filters
    if libraries := text_list_column(row, "libraries"):
        try:
            findings["libraries"] = library_set(libraries).to_extra()
        except BadInputError as error:
            raise ColumnError(f"column libraries: {error.message}") from None
    weakness = next((item["reason"] for item in failed_filters if item["name"] == "strong"), "")
    return findings | ({"weak_tests": weakness} if weakness else {})


def _decorator_lines(row: Row, place: Row) -> str:
    """Return the decorator lines above a function's signature; an answer without ``@classmethod`` would fail."""
    count = _line_span(place, "signature")[0] - _line_span(row, "span")[0] if place else 0
    return "".join(f"{line}\n" for line in text_column(row, "code").split("\n")[:count])


def _dedented_signature(row: Row, place: Row) -> str:
    """Return a function's signature without the indentation of its class, like its code."""
    return text_column(row, "signature", default="").replace(f"\n{text_column(place, 'margin', default='')}", "\n")


def _line_span(row: Row, name: str) -> list[int]:
    value = row.get(name)
    if not isinstance(value, list) or len(value) != 2 or not all(isinstance(line, int) for line in value):
        raise ColumnError(f"column {name} must be two line numbers")
    return value


def _repository_parts(row: Row, place: Row) -> dict[str, Any]:
    """Return the parts of a function's repository for prompts and for running answers in it."""
    if not place:
        return {}
    functions = list_column(place, "functions")
    if not all(isinstance(item, list) and len(item) == 2 for item in functions):
        raise ColumnError("column place must hold functions as pairs of name and code")
    surroundings: dict[str, Any] = {
        "signature": text_column(row, "signature", default=""),
        "decorators": _decorator_lines(row, place),
        "margin": text_column(place, "margin", default=""),
        "step": text_column(place, "step", default="    "),
        "context_above": text_column(place, "above"),
        "context_below": text_column(place, "below"),
        "functions": [{"name": name, "code": code} for name, code in functions],
        "qualified_name": text_column(place, "namespace"),
        "type": text_column(row, "kind"),
        "project_path": text_column(row, "repository"),
        "signature_position": _line_span(place, "signature"),
        "body_position": _line_span(row, "body_span"),
        "indent": row.get("indent", 0),
    }
    return surroundings | (
        {"grader": GRADER, "repositoryplace": _repository_place(row, place)} if _is_in_place(row) else {}
    )


def _repository_place(row: Row, place: Row) -> dict[str, Any]:
    """Return the place for answers in the stored repository, as `annotator.evaluation.repository_tests` reads it."""
    confirmed = [text_column(test, "node_id") for test in _judging_tests(row) if test.get("confirmed")]
    wheel = text_column(place, "wheel", default="")
    return {
        "digest": text_column(place, "digest", filled=True),
        "roots": text_list_column(place, "roots"),
        "path": text_column(row, "module_path"),
        "body": _line_span(row, "body_span"),
        "name": text_column(row, "qualified_name"),
        "tests": list(dict.fromkeys(confirmed)),
    } | ({"wheel": wheel} if wheel else {})
