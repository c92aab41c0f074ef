"""Read and write CoCo-Bench's four families as JSON lines: understanding, generation, modification and review.

A row's columns determine its family: ``issue_categories`` makes a review (CR), ``bug_code`` a modification (CM),
``incomplete_code`` a generation task (CG), ``code`` with ``input`` and ``expected_output`` an understanding task (CU).
Review rows are written with four kinds of issues, or with naming as the fifth (construction specification, 2.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from annotator.formats.documents.attribution import credit_texts
from annotator.formats.read.import_records import Candidate, CandidateTest, RowError, first_line
from annotator.formats.read.typed_columns import (
    ColumnError,
    Row,
    object_column,
    read_rows,
    row_files,
    row_name,
    text_column,
    text_list_column,
)
from annotator.formats.write.export_folder import (
    CannotHoldError,
    ExportResult,
    Head,
    Item,
    convert_items,
    json_line,
    short_key,
    write_export,
)

NAMING = "naming_violations"
_NAMING_ALIASES = (NAMING, "irregular_naming")
_FAMILIES = {"CU": "understanding", "CG": "completion", "CM": "modification", "CR": "review"}
_FAMILY_BY_TASK = {task: family for family, task in _FAMILIES.items()}
_PYTHON_LABELS = ("python", "numpy", "pytorch", "tensorflow", "pandas")
_BLANK = "____"


def read_cocobench(path: Path, options: Mapping[str, str]) -> Iterator[Candidate | RowError]:
    """Yield a candidate for each task in a file, or in every file below a folder."""
    for file, name in row_files(path):
        stem = PurePosixPath(name).name.removesuffix(".gz").removesuffix(".jsonl")

        def make(row: Row, stem: str = stem) -> Candidate:
            # The defaults above bind the values of this file; a plain closure would see those of the last one.
            return _make_candidate(row, stem)

        yield from read_rows(file, make, name, options)


def _make_candidate(row: Row, stem: str) -> Candidate:
    family = _find_family(row)
    name = row_name(row, "task_id" if "task_id" in row else "id")
    metadata = object_column(row, "metadata")
    description = text_column(row, "description", filled=True)
    language = _find_language(text_column(metadata, "programming_language", default=""), name, stem)
    context, reference, tests, extra = _family_columns(row, family, language)
    return Candidate(
        key=f"coco:{family}/{name}",
        title=first_line(description),
        task=_FAMILIES[family],
        language=language,
        area=text_column(metadata, "test_aspect", default=""),
        difficulty=text_column(metadata, "difficulty", default="").lower(),
        prompt=description,
        reference=reference,
        context=context,
        provenance=_make_provenance(row, family, name),
        extra={**extra, **({"metadata": metadata} if metadata else {})},
        tests=tests,
    )


def _find_family(row: Row) -> str:
    if "issue_categories" in row:
        return "CR"
    if "bug_code" in row:
        return "CM"
    if "incomplete_code" in row:
        return "CG"
    if "code" in row and "expected_output" in row:
        return "CU"
    columns = ", ".join(list(row)[:12]) or "none"
    raise ColumnError(f"the columns fit none of the four families; the columns are: {columns}")


def _find_language(label: str, name: str, stem: str) -> str:
    spelling = (label or name.partition("/")[0] or stem).lower()
    if spelling in _PYTHON_LABELS:
        return "python"
    return {"cpp": "c++", "js": "javascript", "ts": "typescript"}.get(
        spelling, spelling if label or "/" in name else ""
    )


def _make_provenance(row: Row, family: str, name: str) -> dict[str, Any]:
    # The published data set spells this column data_soure.
    source = text_column(row, "data_soure", default="") or text_column(row, "data_source", default="")
    return {"dataset": "CoCo-Bench", "family": family, "task_id": name, **({"url": source} if source else {})}


def _family_columns(row: Row, family: str, language: str) -> tuple[str, str, tuple[CandidateTest, ...], dict[str, Any]]:
    """Return context, reference, tests and extra fields of a row."""
    if family == "CR":
        code = text_column(row, "code", filled=True)
        return code, text_column(row, "corrected_code", default=""), (), _read_issues(row)
    if family == "CM":
        return text_column(row, "bug_code", filled=True), text_column(row, "corrected_code"), (), {}
    if family == "CG":
        incomplete = text_column(row, "incomplete_code", filled=True)
        return incomplete, text_column(row, "complete_code"), _make_tests(row, language), {}
    return text_column(row, "code", filled=True), "", _make_tests(row, language), {}


def _make_tests(row: Row, language: str) -> tuple[CandidateTest, ...]:
    if row.get("input") is None and row.get("expected_output") is None:
        return ()
    expected = row.get("expected_output")
    is_text = isinstance(expected, str)
    inputs = {"arguments": row.get("input"), **({} if is_text else {"expected": expected})}
    return (
        CandidateTest(
            name="instance",
            language=language,
            inputs=inputs,
            expected=text_column(row, "expected_output") if is_text else "",
        ),
    )


def _read_issues(row: Row) -> dict[str, Any]:
    issues = object_column(row, "issue_categories")
    for kind in issues:
        text_list_column(object_column(issues, kind), "lines")
    if not issues:
        raise ColumnError("issue_categories names no issue")
    return {"issue_categories": issues}


def export_cocobench(head: Head, items: Sequence[Item], folder: Path, *, naming: bool) -> ExportResult:
    """Write the four families; review rows have four kinds of issues, or naming as the fifth with ``naming``."""

    def make_row(item: Item) -> tuple[str, dict[str, Any]]:
        return _make_row(item, naming=naming)

    converted, left_out = convert_items(items, make_row)
    files: dict[str, str] = {}
    notes = []
    for item, (family, row) in converted:
        name = f"{family}/{family}.jsonl"
        files[name] = files.get(name, "") + json_line(row)
        if family == "CR" and not naming and any(kind in _NAMING_ALIASES for kind in _issue_lines(item)):
            notes.append(f"{item['key']}: written without its naming issue, which is not among the four keys")
    files |= credit_texts(head, (item for item, _ in converted))
    return write_export(
        "coco-five-keys" if naming else "coco",
        head=head,
        folder=folder,
        texts=files,
        items=len(converted),
        left_out=left_out,
        notes=notes,
    )


def _make_row(item: Item, *, naming: bool) -> tuple[str, dict[str, Any]]:
    family = item["provenance"].get("family") or _FAMILY_BY_TASK.get(item["task"], "")
    if family not in _FAMILIES:
        raise CannotHoldError(f"its task ({item['task']}) is none of the four families")
    if not item["context"]:
        raise CannotHoldError("it has no code to work on in its context")
    row: dict[str, Any] = {
        "task_id": item["provenance"].get("task_id") or short_key(item["key"]),
        "description": _find_description(item),
    }
    if family == "CR":
        row |= _review_columns(item, naming=naming)
    elif family == "CM":
        if not item["reference"]:
            raise CannotHoldError("it has no corrected code")
        return family, row | {"corrected_code": item["reference"], "bug_code": item["context"]} | _metadata_column(item)
    elif family == "CG":
        row |= _generation_columns(item)
    else:
        instance = _instance_columns(item)
        if instance is None:
            raise CannotHoldError("it has no input with an expected output")
        row |= {"code": item["context"]} | instance
    return family, row | _metadata_column(item)


def _find_description(item: Item) -> str:
    """Return a description of the code's purpose: the item's own if it has one, since a prompt may repeat the code."""
    description = item.get("extra", {}).get("description")
    has_description = isinstance(description, str) and description and item["prompt"] == item["original_prompt"]
    return str(description if has_description else item["prompt"])


def _generation_columns(item: Item) -> dict[str, Any]:
    if not item["reference"]:
        raise CannotHoldError("it has no complete code")
    if _BLANK not in item["context"]:
        raise CannotHoldError(f"its context has no blank ({_BLANK})")
    url = item["provenance"].get("url")
    source = {"data_soure": url} if url else {}
    code = {"incomplete_code": item["context"], "complete_code": item["reference"]}
    return code | source | (_instance_columns(item) or {})


def _instance_columns(item: Item) -> dict[str, Any] | None:
    for test in item["tests"]:
        if "arguments" in test["inputs"]:
            expected = test["inputs"].get("expected", test["expected"])
            return {"input": test["inputs"]["arguments"], "expected_output": expected}
    return None


def _metadata_column(item: Item) -> dict[str, Any]:
    """Return the published metadata, or metadata made from the item's labels."""
    metadata = item.get("extra", {}).get("metadata")
    if isinstance(metadata, dict):
        return {"metadata": metadata}
    if item["provenance"].get("dataset") == "CoCo-Bench":
        return {}
    labels = {"programming_language": item["language"], "difficulty": item["difficulty"], "test_aspect": item["area"]}
    return {"metadata": labels}


def _issue_lines(item: Item) -> dict[str, Any]:
    """Return an item's issues by key: as published, or made from issues with line numbers."""
    extra = item.get("extra", {})
    published = extra.get("issue_categories")
    if isinstance(published, dict):
        return published
    lines = item["context"].splitlines()
    issues: dict[str, Any] = {}
    for issue in extra.get("issues") or ():
        first, last = issue["lines"][0], issue["lines"][-1]
        issue_entry = issues.setdefault(issue["key"], {"lines": []})
        issue_entry["lines"] += [line.strip() for line in lines[first - 1 : last]]
    return issues


def _review_columns(item: Item, *, naming: bool) -> dict[str, Any]:
    issues = _issue_lines(item)
    if not issues:
        raise CannotHoldError("it names no issue in the code")
    written_issues = {kind: value for kind, value in issues.items() if naming or kind not in _NAMING_ALIASES}
    if not written_issues:
        raise CannotHoldError("its only issue is naming, which is not among the four keys")
    corrected = {"corrected_code": item["reference"]} if item["reference"] else {}
    return {"code": item["context"], "issue_categories": written_issues} | corrected
