"""EvoCodeBench's JSON lines: subjects in their repository, by namespace and position. Read, and written.

The rows name files of the repositories, which travel apart; so a candidate of this format has no reference of its own.

The published scripts find a repository in the first folder of ``completion_path`` below their source folder, run its
tests there by pytest's names, and tell items apart by ``namespace`` alone.
"""

from __future__ import annotations

import re
from collections import Counter
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
    keep_first,
    safe_name,
    unique_names,
    write_export,
)
from annotator.text.signatures import description_of

DATASET = "EvoCodeBench"
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
            "dataset": DATASET,
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
    folders = _folders(items)
    made, left = convert(items, lambda item: _row(item, folders))
    made, namesakes = keep_first(made, lambda row: str(row["namespace"]), "namespace")
    left += namesakes
    texts = {"data.jsonl": "".join(json_line(row) for _, row in made), **credit_texts(head, (item for item, _ in made))}
    keys = {row["namespace"]: item["key"] for item, row in made}
    return write_export("evocodebench", head, folder, texts, len(made), left, keys=keys)


def _row(item: Item, folders: Mapping[str, str]) -> dict[str, Any]:
    extra, provenance = item.get("extra", {}), item["provenance"]
    if item["language"].lower() != "python":
        raise CannotHoldError("the format holds Python only")
    namespace, path = provenance.get("namespace"), provenance.get("path")
    missing = [name for name in ("signature_position", "body_position") if not _is_span(extra.get(name))]
    if missing or not namespace or not path:
        what = missing[0] if missing else ("namespace" if not namespace else "path")
        raise CannotHoldError(f"its place in a repository is not known (there is no {what})")
    needs = item["dependencies"]
    project = _project_of(item)
    if not _is_published(item):
        project, path = folders[project], f"{folders[project]}/{path}"
    return {
        "namespace": namespace,
        "type": extra.get("type", "function"),
        "project_path": project,
        "completion_path": path,
        "signature_position": extra["signature_position"],
        "body_position": extra["body_position"],
        "dependency": {name: list(needs.get(name) or ()) for name in DEPENDENCIES},
        "requirement": _requirement(item),
        "tests": _test_names(item),
        "indent": extra.get("indent", 0),
        "domain": item["domain"],
    }


def _is_published(item: Item) -> bool:
    return bool(item["provenance"].get("dataset") == DATASET)


def _project_of(item: Item) -> str:
    return str(item.get("extra", {}).get("project_path") or item["provenance"].get("repository") or "")


def _folders(items: Sequence[Item]) -> dict[str, str]:
    """Return the folder below the source folder for each repository: its own name, or its whole one to tell two apart.

    It is one folder, never one in another, as the scripts run tests in the first.
    """
    projects = sorted({_project_of(item) for item in items})
    short = {project: safe_name(project.rstrip("/").rpartition("/")[2].removesuffix(".git")) for project in projects}
    count = Counter(name.lower() for name in short.values())
    whole = unique_names(projects)
    return {project: name if count[name.lower()] == 1 else whole[project] for project, name in short.items()}


def _test_names(item: Item) -> list[str]:
    """Return pytest's names of the tests. Raises `CannotHoldError` where there are none, or one has another name."""
    names = [str(test["name"]) for test in item["tests"]]
    if not names:
        raise CannotHoldError("it has no tests")
    foreign = next((name for name in names if not _is_node_id(name)), None)
    if foreign is not None:
        raise CannotHoldError(f"its test {foreign} is none that pytest finds in the repository by name")
    return names


def _is_node_id(name: str) -> bool:
    """Tell whether a name is one of pytest's: a file of Python, and what stands in it."""
    return name.partition("::")[0].endswith(".py")


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
