"""EvoCodeBench's JSON lines: subjects in their repository, by namespace and position. Read, and written.

The rows name files of the repositories, which travel apart; so a candidate of this format has no reference of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotator.formats.documents.attribution import credit_texts
from annotator.formats.read.candidates import Candidate, CandidateTest, RowError, first_line
from annotator.formats.read.columns import (
    ColumnError,
    Row,
    listing,
    mapping,
    name_of,
    read_rows,
    row_files,
    text,
    texts,
)
from annotator.formats.write.export_folder import (
    CannotHoldError,
    Exported,
    Head,
    Item,
    convert,
    json_line,
    write_export,
)
from annotator.text.signatures import description_of

DEPENDENCIES = ("intra_class", "intra_file", "cross_file")
_TYPES = ("function", "method")
_PARTS = re.compile(
    r"(?:Functionality:)?(?P<what>.*?)(?:^[ \t]*Arguments:[ \t]*$|(?=^[ \t]*:param\b))(?P<arguments>.*)",
    re.DOTALL | re.MULTILINE,
)


def read(path: Path, _: Mapping[str, str]) -> Iterator[Candidate | RowError]:
    """Yield a candidate per subject of a file, or of every file below a folder."""
    for file, name in row_files(path):
        yield from read_rows(file, _candidate, name)


def _candidate(row: Row) -> Candidate:
    namespace = name_of(row, "namespace")
    kind = text(row, "type", default="function")
    if kind not in _TYPES:
        raise ColumnError(f"type must be function or method, not {kind[:40]}")
    needs, wanted = mapping(row, "dependency"), mapping(row, "requirement")
    tests = texts(row, "tests")
    functionality, arguments = text(wanted, "Functionality", filled=True), text(wanted, "Arguments", default="")
    project = text(row, "project_path", default="")
    return Candidate(
        key=f"evocodebench:{namespace}",
        title=first_line(f"{namespace.rpartition('.')[2]}: {functionality}"),
        task="generation",
        language="python",
        domain=text(row, "domain", default=""),
        prompt=f"{functionality}\n\n{arguments}" if arguments else functionality,
        entry_point=namespace.rpartition(".")[2],
        dependencies={name: texts(needs, name) for name in DEPENDENCIES},
        provenance={
            "dataset": "EvoCodeBench",
            "namespace": namespace,
            "repository": project or text(row, "completion_path").partition("/")[0],
            "path": text(row, "completion_path", filled=True),
        },
        extra={
            "type": kind,
            "project_path": project,
            "signature_position": _span(row, "signature_position"),
            "body_position": _span(row, "body_position"),
            "indent": _indent(row),
            "requirement": {"Functionality": functionality, "Arguments": arguments},
        },
        tests=tuple(CandidateTest(name=name, language="python") for name in tests),
    )


def _span(row: Row, name: str) -> list[int]:
    value = listing(row, name)
    if len(value) != 2 or not all(isinstance(line, int) and not isinstance(line, bool) for line in value):
        raise ColumnError(f"column {name} must be two line numbers")
    if not 0 <= value[0] <= value[1]:
        raise ColumnError(f"column {name} must name lines in order, not below 0")
    return value


def _indent(row: Row) -> int:
    value = row.get("indent", 0)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 1000:
        raise ColumnError("column indent must be a number of spaces")
    return value


def export(head: Head, items: Sequence[Item], folder: Path) -> Exported:
    """Write the release as ``data.jsonl``."""
    made, left = convert(items, _row)
    texts = {"data.jsonl": "".join(json_line(row) for _, row in made), **credit_texts(head, (item for item, _ in made))}
    return write_export("evocodebench", head, folder, texts, len(made), left)


def _row(item: Item) -> dict[str, Any]:
    extra, provenance = item.get("extra", {}), item["provenance"]
    if item["language"].lower() != "python":
        raise CannotHoldError("the format holds Python only")
    namespace, path = provenance.get("namespace"), provenance.get("path")
    missing = [name for name in ("signature_position", "body_position") if not _is_span(extra.get(name))]
    if missing or not namespace or not path:
        what = missing[0] if missing else ("namespace" if not namespace else "path")
        raise CannotHoldError(f"its place in a repository is not known (there is no {what})")
    if not item["tests"]:
        raise CannotHoldError("it has no tests")
    needs = item["dependencies"]
    return {
        "namespace": namespace,
        "type": extra.get("type", "function"),
        "project_path": extra.get("project_path") or provenance.get("repository") or "",
        "completion_path": path,
        "signature_position": extra["signature_position"],
        "body_position": extra["body_position"],
        "dependency": {name: list(needs.get(name) or ()) for name in DEPENDENCIES},
        "requirement": _requirement(item),
        "tests": [test["name"] for test in item["tests"]],
        "indent": extra.get("indent", 0),
        "domain": item["domain"],
    }


def _is_span(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2


def _requirement(item: Item) -> dict[str, str]:
    """Return the published requirement as long as the prompt says the same, else what the prompt says.

    Its signature stands in the repository, and what it says of arguments after ``Arguments:`` or from the first
    ``:param`` on is a part of its own.
    """
    known = item.get("extra", {}).get("requirement")
    if isinstance(known, dict) and item["prompt"] == item["original_prompt"]:
        return {"Functionality": str(known.get("Functionality", "")), "Arguments": str(known.get("Arguments", ""))}
    decorators, signature = (str(item.get("extra", {}).get(name, "")) for name in ("decorators", "signature"))
    asked = description_of(item["prompt"], item["entry_point"], decorators, signature, item["language"])
    found = _PARTS.fullmatch(asked.strip())
    functionality, arguments = (found["what"], found["arguments"]) if found else (asked, "")
    return {"Functionality": functionality.strip(), "Arguments": arguments.strip()}
