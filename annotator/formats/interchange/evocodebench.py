"""Read and write EvoCodeBench's JSON lines: subjects in their repository, by namespace and position.

The rows name files of repositories, which are distributed separately, so a candidate of this format has no reference.

The published scripts find a repository in the first folder of ``completion_path`` below their source folder, run its
tests there by pytest node id, and identify items by ``namespace`` alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from annotator.formats.read.import_records import Candidate, CandidateTest, first_line
from annotator.formats.read.typed_columns import (
    ColumnError,
    Row,
    list_column,
    object_column,
    row_name,
    text_column,
    text_list_column,
)
from annotator.formats.write.export_folder import CannotHoldError, ExportResult, Head, Item, safe_name, unique_names
from annotator.formats.write.row_exports import export_rows
from annotator.text.function_signatures import extract_description

DATASET = "EvoCodeBench"
DEPENDENCIES = ("intra_class", "intra_file", "cross_file")
_TYPES = ("function", "method")


def evocodebench_candidate(row: Row) -> Candidate:
    """Return a row as a candidate."""
    namespace = row_name(row, "namespace")
    kind = text_column(row, "type", default="function")
    if kind not in _TYPES:
        raise ColumnError(f"type must be function or method, not {kind[:40]}")
    dependencies = object_column(row, "dependency")
    requirement = object_column(row, "requirement")
    tests = text_list_column(row, "tests")
    functionality = text_column(requirement, "Functionality", filled=True)
    arguments = text_column(requirement, "Arguments", default="")
    project = text_column(row, "project_path", default="")
    return Candidate(
        key=f"evocodebench:{namespace}",
        title=first_line(f"{namespace.rpartition('.')[2]}: {functionality}"),
        language="python",
        domain=text_column(row, "domain", default=""),
        prompt=f"{functionality}\n\n{arguments}" if arguments else functionality,
        entry_point=namespace.rpartition(".")[2],
        dependencies={name: text_list_column(dependencies, name) for name in DEPENDENCIES},
        provenance={
            "dataset": DATASET,
            "namespace": namespace,
            "repository": project or text_column(row, "completion_path").partition("/")[0],
            "path": text_column(row, "completion_path", filled=True),
        },
        extra={
            "type": kind,
            "project_path": project,
            "signature_position": _span_column(row, "signature_position"),
            "body_position": _span_column(row, "body_position"),
            "indent": _indent_column(row),
            "requirement": {"Functionality": functionality, "Arguments": arguments},
        },
        tests=tuple(CandidateTest(name=name, language="python") for name in tests),
    )


def _span_column(row: Row, name: str) -> list[int]:
    value = list_column(row, name)
    if len(value) != 2 or not all(isinstance(line, int) and not isinstance(line, bool) for line in value):
        raise ColumnError(f"column {name} must be two line numbers")
    if not 0 <= value[0] <= value[1]:
        raise ColumnError(f"column {name} must name lines in order, not below 0")
    return value


def _indent_column(row: Row) -> int:
    value = row.get("indent", 0)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 1000:
        raise ColumnError("column indent must be a number of spaces")
    return value


def export_evocodebench(head: Head, items: Sequence[Item], folder: Path) -> ExportResult:
    """Write the release as ``data.jsonl``."""
    folders = _repository_folders(items)
    make = partial(_make_row, folders=folders)
    return export_rows("evocodebench", head, items, folder, file="data.jsonl", make=make, name="namespace")


def _make_row(item: Item, folders: Mapping[str, str]) -> dict[str, Any]:
    extra = item.get("extra", {})
    provenance = item["provenance"]
    if item["language"].lower() != "python":
        raise CannotHoldError("the format supports only Python")
    namespace = provenance.get("namespace")
    path = provenance.get("path")
    missing = [name for name in ("signature_position", "body_position") if not _is_span(extra.get(name))]
    if missing or not namespace or not path:
        missing += [name for name, value in (("namespace", namespace), ("path", path)) if not value]
        raise CannotHoldError(f"its location in a repository is not known (it has no {missing[0]})")
    dependencies = item["dependencies"]
    project = _project_of(item)
    if item["provenance"].get("dataset") != DATASET:
        project = folders[project]
        path = f"{project}/{path}"
    return {
        "namespace": namespace,
        "type": extra.get("type", "function"),
        "project_path": project,
        "completion_path": path,
        "signature_position": extra["signature_position"],
        "body_position": extra["body_position"],
        "dependency": {name: list(dependencies.get(name) or ()) for name in DEPENDENCIES},
        "requirement": _make_requirement(item),
        "tests": _test_names(item),
        "indent": extra.get("indent", 0),
        "domain": item["domain"],
    }


def _project_of(item: Item) -> str:
    return str(item.get("extra", {}).get("project_path") or item["provenance"].get("repository") or "")


def _repository_folders(items: Sequence[Item]) -> dict[str, str]:
    """Return each repository's folder below the source folder: its short name, or its full name if two would clash.

    It is always a single folder level, since the scripts run tests in the first one.
    """
    projects = sorted({_project_of(item) for item in items})
    short_names = {
        project: safe_name(project.rstrip("/").rpartition("/")[2].removesuffix(".git")) for project in projects
    }
    count = Counter(name.lower() for name in short_names.values())
    full_names = unique_names(projects)
    return {project: name if count[name.lower()] == 1 else full_names[project] for project, name in short_names.items()}


def _test_names(item: Item) -> list[str]:
    """Return the tests' pytest node ids. Raises `CannotHoldError` if there are none, or a name is no node id."""
    names = [str(test["name"]) for test in item["tests"]]
    if not names:
        raise CannotHoldError("it has no tests")
    other_name = next((name for name in names if not _is_node_id(name)), None)
    if other_name is not None:
        raise CannotHoldError(f"its test {other_name} is not a pytest node id, by which the repository's tests run")
    return names


def _is_node_id(name: str) -> bool:
    """Return whether a name is a pytest node id, which starts with a Python file."""
    return name.partition("::")[0].endswith(".py")


def _is_span(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2


def _make_requirement(item: Item) -> dict[str, str]:
    """Return the published requirement if the prompt is unchanged, else one made from the prompt.

    The signature is left out, since the repository has it; the text after ``Arguments:``, or from the first ``:param``
    on, becomes the arguments.
    """
    published = item.get("extra", {}).get("requirement")
    if isinstance(published, dict) and item["prompt"] == item["original_prompt"]:
        return {
            "Functionality": str(published.get("Functionality", "")),
            "Arguments": str(published.get("Arguments", "")),
        }
    decorators, signature = (str(item.get("extra", {}).get(name, "")) for name in ("decorators", "signature"))
    description = extract_description(item["prompt"], item["entry_point"], decorators, signature, item["language"])
    lines = description.strip().split("\n")
    starts_arguments = [line.strip() == "Arguments:" or line.lstrip().startswith(":param") for line in lines]
    functionality_end = starts_arguments.index(True) if True in starts_arguments else len(lines)
    functionality = "\n".join(lines[:functionality_end]).removeprefix(
        "Functionality:" if True in starts_arguments else ""
    )
    arguments = "\n".join(lines[functionality_end:]).strip().removeprefix("Arguments:")
    return {"Functionality": functionality.strip(), "Arguments": arguments.strip()}
