"""Read and write DomainEval's JSON lines: one file per repository, in a folder per domain.

A subject's domain is the folder of its file, as in the published scripts; the folder in its path is where the code was
collected, which differs for some. Subjects with the same name are distinguished by the first twelve hex digits of the
SHA-256 of their masked code, as in the published outcomes.
"""

from __future__ import annotations

import ast
import hashlib
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path, PurePosixPath
from typing import Any

from annotator.answers.masked import MASK, CodeTask, find_masked_place, place_in_context
from annotator.formats.documents.attribution import credit_texts
from annotator.formats.interchange.called_tests import with_check, without_future
from annotator.formats.read.import_records import Candidate, CandidateTest, RowError, first_line
from annotator.formats.read.typed_columns import ColumnError, Row, list_column, read_rows, row_files, text_column
from annotator.formats.write.export_folder import (
    CannotHoldError,
    ExportResult,
    Head,
    Item,
    convert_items,
    json_line,
    safe_name,
    write_export,
)
from annotator.text.python_tree import readable_tree, tree_or_empty

DATASET = "DomainEval"
_SOURCES = "srcdata"
_DOMAINS = frozenset({"Basic", "Computation", "Cryptography", "Network", "System", "Visualization"})


def read_domaineval(path: Path, options: Mapping[str, str]) -> Iterator[Candidate | RowError]:
    """Yield a candidate for each subject in a file, or in every file below a folder."""
    for file, name in row_files(path):
        parts = PurePosixPath(name).parts
        domain = parts[-2] if len(parts) > 1 else _domain_of_folder(file.parent)
        repository = parts[-1].removesuffix(".gz").removesuffix(".jsonl")

        def make(row: Row, domain: str = domain, repository: str = repository) -> Candidate:
            # The defaults above bind the values of this file; a plain closure would see those of the last one.
            return _make_candidate(row, domain, repository)

        yield from read_rows(file, make, name, options)


def _domain_of_folder(folder: Path) -> str:
    """Return a folder's name if it is a known domain, else ""; other folders may have any name."""
    name = folder.resolve().name
    return name if name in _DOMAINS else ""


def code_mask(masked: str) -> str:
    """Return the start of the SHA-256 of the masked code, which distinguishes subjects of the same name."""
    return hashlib.sha256(masked.encode()).hexdigest()[:12]


def domaineval_key(repository: str, path: str, function: str, mask: str) -> str:
    """Return a subject's key; ``path`` is the file's path below the repository."""
    return f"domaineval:{repository}/{path}:{function}:{mask}"


def _locate_subject(method_path: str, domain: str, repository: str) -> tuple[str, str, str]:
    """Return domain, repository and path inside it; the published paths start with ``../srcdata/FOLDER/REPO/``."""
    parts = [part for part in PurePosixPath(method_path).parts if part not in ("..", ".", "/")]
    if len(parts) > 3 and parts[0] == _SOURCES:
        return domain or parts[1], parts[2], "/".join(parts[3:])
    return domain, repository, "/".join(parts)


def _make_candidate(row: Row, folder_domain: str, file_repository: str) -> Candidate:
    name = text_column(row, "method_name", filled=True)
    full_name = text_column(row, "full_method_name", default=name)
    method_path = text_column(row, "method_path", filled=True)
    masked = text_column(row, "method_code_mask", filled=True)
    prompt = text_column(row, "instruction", filled=True)
    domain, repository, path = _locate_subject(method_path, folder_domain, file_repository)
    return Candidate(
        key=domaineval_key(repository, path, full_name, code_mask(masked)),
        title=first_line(f"{full_name}: {prompt.removeprefix('Functionality:').strip()}"),
        language="python",
        domain=domain,
        prompt=prompt,
        reference=text_column(row, "method_code"),
        context=masked,
        entry_point=name,
        provenance={"dataset": DATASET, "repository": repository, "path": path, "method_path": method_path},
        extra={"full_method_name": full_name},
        tests=tuple(
            _make_test(number, item) for number, item in enumerate(list_column(row, "test_code_list"), start=1)
        ),
    )


def _make_test(number: int, entry: Any) -> CandidateTest:
    if not isinstance(entry, dict):
        raise ColumnError(f"entry {number} of test_code_list must be an object")
    path = text_column(entry, "test_path", default="")
    start = text_column(entry, "code_start", default="")
    return CandidateTest(
        name=f"{number} {path}".strip(),
        code=text_column(entry, "test_code"),
        language="python",
        inputs={"code_start": start, "test_path": path},
    )


def export_domaineval(head: Head, items: Sequence[Item], folder: Path) -> ExportResult:
    """Write the release as one file per repository, in a folder per domain."""
    converted, left_out = convert_items(items, domaineval_row)
    texts = credit_texts(head, (item for item, _ in converted))
    for item, row in converted:
        repository = safe_name(str(item["provenance"].get("repository") or head["project"]))
        name = f"{safe_name(item['domain'] or 'General')}/{repository}.jsonl"
        texts[name] = texts.get(name, "") + json_line(row)
    return write_export("domaineval", head, folder, texts, len(converted), left_out)


def domaineval_row(item: Item) -> dict[str, Any]:
    """Return an item as a row. Raises `CannotHoldError` if the format cannot hold it."""
    if item["language"].lower() != "python":
        raise CannotHoldError("the format supports only Python")
    if item.get("extra", {}).get("repositoryplace"):
        raise CannotHoldError("its tests run in its repository; only the format evocodebench can hold such items")
    if not item["reference"] or not item["entry_point"]:
        raise CannotHoldError("it has no reference, or no entry point")
    tests = _test_rows(item)
    provenance = item["provenance"]
    return {
        "method_name": item["entry_point"].rpartition(".")[2],
        "full_method_name": item.get("extra", {}).get("full_method_name")
        or provenance.get("qualified_name")
        or item["entry_point"],
        "method_path": provenance.get("method_path") or provenance.get("path") or "",
        "method_code": _code_in_context(item),
        "test_code_list": tests,
        "instruction": item["prompt"],
        "method_code_mask": _masked_code(item),
    }


def item_masks(item: Item) -> tuple[str, ...]:
    """Return the masks by which published outcomes name an item: of its context, and of its exported code."""
    try:
        exported = _masked_code(item)
    except CannotHoldError:
        exported = item["context"]
    return tuple(dict.fromkeys((code_mask(item["context"]), code_mask(exported))))


def _masked_code(item: Item) -> str:
    """Return the context with the mask after the subject's ``def`` line; rows of the data set have it already.

    Raises `CannotHoldError` if there is no such place, or if the published script would misread a line: it copies each
    line that begins like an import.
    """
    context = str(item["context"])
    if item["provenance"].get("dataset") == DATASET:
        return context
    place = find_masked_place(context)
    if place is None:
        raise CannotHoldError(f"its context has no {MASK} where the subject was")
    lines = context.split("\n")
    if place.function is None:
        head = _definition_head(item["reference"], item["entry_point"].rpartition(".")[2])
        number = place.hole.lineno - 1
        lines[number] = textwrap.indent(f"{head} {MASK}", lines[number].partition(MASK)[0])
    for node in reversed(place.tree.body):
        if isinstance(node, ast.Import | ast.ImportFrom) and node.end_lineno != node.lineno:
            lines[node.lineno - 1 : node.end_lineno] = [ast.unparse(node)]
    import_like_line = next(
        (line for line in lines if line.startswith(("import ", "from ")) and readable_tree(line) is None), None
    )
    if import_like_line is not None:
        raise CannotHoldError(
            f"the published script would take the text {import_like_line[:40]!r} in its context for an import"
        )
    return "\n".join(lines)


def _definition_head(code: str, name: str) -> str:
    """Return the decorators and the ``def`` line of a function, without its body."""
    functions = [
        node
        for node in ast.walk(tree_or_empty(code))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name
    ]
    if not functions:
        raise CannotHoldError("its reference does not define the entry point")
    outline = copy(functions[0])
    outline.body = [ast.Pass()]
    return ast.unparse(outline).rpartition("\n")[0]


def _code_in_context(item: Item) -> str:
    """Return the reference inside its context, as a row's tests need it; rows of the data set are whole already."""
    if item["provenance"].get("dataset") == DATASET:
        return str(item["reference"])
    return place_in_context(
        CodeTask(language="python", entry_point=item["entry_point"], context=item["context"]), item["reference"]
    )


def _test_rows(item: Item) -> list[dict[str, str]]:
    """Return the rows of the tests, which run by executing their code.

    Raises `CannotHoldError` if there are none, and if one is no code: with fewer tests, more answers would pass.
    """
    without_code = [test["name"] for test in item["tests"] if not test["code"]]
    if without_code or not item["tests"]:
        raise CannotHoldError(f"its test {without_code[0]} has no code" if without_code else "it has no test code")
    return [_test_row(test, item) for test in item["tests"]]


def _test_row(test: Mapping[str, Any], item: Item) -> dict[str, str]:
    """Return a test's row, with code that runs after ``code_start`` and the program; tests of the data set stay."""
    inputs = test["inputs"]
    start = str(inputs.get("code_start", ""))
    code = str(test["code"])
    if item["provenance"].get("dataset") != DATASET:
        future_imports, remaining_code = without_future(code)
        start = future_imports + start
        code = with_check({**test, "code": remaining_code}, item["entry_point"], _code_in_context(item))
    return {"test_code": code, "code_start": start, "test_path": str(inputs.get("test_path", test["name"]))}
