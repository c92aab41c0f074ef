"""Read and write RealisticCodeBench's folders: ``tasks/tN/LANGUAGE/`` with a signature, an answer and tests.

On import, each language of a task becomes a separate candidate. On export, items made from the same rewrite become the
languages of one task. A folder that lacks one of the three files is reported. ``item.json`` contains the whole released
item, which an import restores; other programs read the three files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from annotator.base.errors import BadInputError
from annotator.base.open_files import refuse_project
from annotator.formats.documents.attribution import credit_texts
from annotator.formats.interchange.release_folder import item_candidate
from annotator.formats.read.import_records import Candidate, CandidateTest, RowError, first_line
from annotator.formats.write.export_folder import (
    CannotHoldError,
    ExportResult,
    Head,
    Item,
    LeftOut,
    convert_items,
    json_text,
    sha256,
    write_export,
)

ITEM_FILE = "item.json"
FOLDERS = {"python": "python", "javascript": "javascript", "typescript": "typescript", "java": "java", "c++": "c&cpp"}
"""The folder of each of our languages."""
_FILES = {
    "python": ("signature.py", "answer.py", "test.py"),
    "javascript": ("signature.js", "answer.js", "test.js"),
    "typescript": ("signature.ts", "answer.ts", "test.ts"),
    "java": ("Signature.java", "Answer.java", "Test.java"),
    "c++": ("signature.cpp", "answer.cpp", "test.cpp"),
}
_EXPORT_LINES = {"javascript": "\nmodule.exports = {{ {name} }};\n", "typescript": "\nexport {{ {name} }};\n"}
FILE_LIMIT = 4 * 1024 * 1024
_LANGUAGES = {folder: language for language, folder in FOLDERS.items()}
_PART_STEMS = {
    "signature": ("signature",),
    "answer": ("answer", "adapted"),
    "tests": ("test", "tester"),
}


class _FileError(ValueError):
    """A file that is missing or cannot be read, with its name and the reason."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(reason)
        self.name = name


def read_realisticcodebench(path: Path, _: Mapping[str, str]) -> Iterator[Candidate | RowError]:
    """Yield a candidate for each task and language below a folder. Raises `BadInputError` if there is none.

    A project among the files is refused with the same error, before it is read.
    """
    if not path.is_dir():
        raise BadInputError(f"{path.name} is a file. RealisticCodeBench is read from its folder of tasks.")
    root = path.resolve()
    folders = [
        folder
        for folder in sorted(path.rglob("*"), key=_task_order)
        if folder.name in _LANGUAGES and folder.is_dir() and _is_task(folder.parent.name)
    ]
    if not folders:
        raise BadInputError(f"{path.name} has no folders such as t1/python. Nothing was imported.")
    for folder in folders:
        try:
            if not folder.resolve().is_relative_to(root):
                raise _FileError(folder.name, "it links to a place outside the folder and was not read")
            yield _make_candidate(folder, root)
        except _FileError as error:
            place = folder.relative_to(path).as_posix()
            yield RowError(f"{place}/{error.name}".rstrip("/"), 0, str(error))


def _is_task(name: str) -> bool:
    return name[:1] == "t" and name[1:].isdecimal()


def _task_order(path: Path) -> tuple[int, str]:
    return next((int(part[1:]) for part in path.parts if _is_task(part)), 0), path.as_posix()


def _make_candidate(folder: Path, root: Path) -> Candidate:
    if (folder / ITEM_FILE).is_file():
        return _released_candidate(folder, root)
    language = _LANGUAGES[folder.name]
    task = folder.parent.name
    parts = {name: _read_part(folder, name, stems, root) for name, stems in _PART_STEMS.items()}
    return Candidate(
        key=f"realisticcodebench:{task}/{folder.name}",
        title=_find_title(parts["signature"]) or f"{task} {language}",
        language=language,
        prompt=parts["signature"],
        reference=parts["answer"],
        provenance={"dataset": "RealisticCodeBench", "task": task, "path": f"{task}/{folder.name}"},
        tests=(CandidateTest(name="tests", code=parts["tests"], language=language),),
    )


def _released_candidate(folder: Path, root: Path) -> Candidate:
    """Return the item that our export wrote, if the files beside it are unchanged."""
    text = _read_text(folder / ITEM_FILE, root)
    try:
        row = json.loads(text)
        files = dict(row["files"])
        item = row["item"]
        changed = [name for name, digest in files.items() if sha256(_read_bytes(folder / name, root)) != digest]
        candidate = None if changed else item_candidate(item)
    except _FileError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _FileError(ITEM_FILE, f"it has changed since it was exported ({type(error).__name__})") from error
    if candidate is None:
        raise _FileError(
            ITEM_FILE, f"{changed[0]} has changed since the export; delete {ITEM_FILE} to read only the files"
        )
    return candidate


def _read_part(folder: Path, part: str, stems: tuple[str, ...], root: Path) -> str:
    files = [file for file in sorted(folder.iterdir()) if file.stem.lower() in stems and file.is_file()]
    if not files:
        raise _FileError("", f"there is no file with the {part} ({' or '.join(stems)})")
    return _read_text(files[0], root)


def _read_text(file: Path, root: Path) -> str:
    try:
        text = _read_bytes(file, root).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise _FileError(file.name, f"it is not UTF-8 text (byte {error.start + 1})") from error
    if not text.strip() or "\x00" in text:
        raise _FileError(file.name, "it is empty" if not text.strip() else "it contains a null character")
    return text


def _read_bytes(file: Path, root: Path) -> bytes:
    try:
        if not file.resolve().is_relative_to(root):
            raise _FileError(file.name, "it links to a place outside the folder and was not read")
        refuse_project(file)
        if file.stat().st_size > FILE_LIMIT:
            raise _FileError(file.name, f"it is larger than {FILE_LIMIT // (1024 * 1024)} MB")
        return file.read_bytes()
    except OSError as error:
        raise _FileError(file.name, f"it cannot be read ({error.strerror})") from error


def _find_title(signature: str) -> str:
    """Return the first line of prose in a signature's comment."""
    for line in signature.splitlines():
        words = line.lstrip(" \t/*\"'#!").rstrip(" \t*/\"'").removeprefix("@brief").strip()
        is_code = set(words) & set(";{}=") or words.removesuffix(":").rstrip().endswith(")")
        if len(words.split()) >= 3 and words[0].isupper() and not is_code:
            return first_line(words)
    return ""


@dataclass(frozen=True, slots=True)
class _TaskEntry:
    """An item's place in the exported folder: its task, the task number it was imported with, and its files."""

    task: str
    number: int | None
    folder: str
    files: dict[str, str]


def export_realisticcodebench(head: Head, items: Sequence[Item], folder: Path) -> ExportResult:
    """Write the release as a folder per task and language, with one item each."""
    converted, left_out = convert_items(items, _make_entry)
    numbers = _number_tasks([entry for _, entry in converted])
    texts = credit_texts(head, (item for item, _ in converted))
    items_by_place: dict[str, Item] = {}
    for item, entry in converted:
        place = f"tasks/t{numbers[entry.task]}/{entry.folder}"
        if place in items_by_place:
            left_out.append(LeftOut(item["key"], item["title"], f"its task has another item in {item['language']}"))
            continue
        items_by_place[place] = item
        hashes = {name: sha256(text.encode()) for name, text in entry.files.items()}
        files = {**entry.files, ITEM_FILE: json_text({"files": hashes, "item": dict(item)})}
        texts |= {f"{place}/{name}": text for name, text in files.items()}
    return write_export("realisticcodebench", head, folder, texts, len(items_by_place), left_out)


def _number_tasks(entries: Sequence[_TaskEntry]) -> dict[str, int]:
    """Return the number of every task: its own if it has one, else the next free number, in order."""
    numbers = {entry.task: entry.number for entry in entries if entry.number is not None}
    used_numbers = set(numbers.values())
    free_numbers = (number for number in count(1) if number not in used_numbers)
    for entry in entries:
        if entry.task not in numbers:
            numbers[entry.task] = next(free_numbers)
    return numbers


def _make_entry(item: Item) -> _TaskEntry:
    language = str(item["language"])
    if language not in FOLDERS:
        raise CannotHoldError(f"the format has no folder for {language or 'an item without a language'}")
    extra = item.get("extra") or {}
    provenance = item["provenance"]
    name = str(provenance.get("task") or "")
    number: int | None = None
    if isinstance(extra.get("test_file"), str) and provenance.get("made_from"):
        tests = extra["test_file"]
        task = f"rewrite {provenance['made_from']}"
    elif _is_task(name) and len(name) < 11 and len(item["tests"]) == 1 and item["tests"][0]["code"].strip():
        tests = item["tests"][0]["code"]
        number = int(name[1:])
        task = f"task {name[1:]}"
    else:
        raise CannotHoldError("it was not made from a rewrite or imported from RealisticCodeBench")
    if not item["reference"].strip() or not item["prompt"].strip():
        raise CannotHoldError("it has no reference, or no prompt")
    answer = item["reference"] if number is not None else _loadable_answer(item, language)
    files = dict(zip(_FILES[language], (item["prompt"], answer, tests), strict=True))
    return _TaskEntry(task, number, FOLDERS[language], files)


def _loadable_answer(item: Item, language: str) -> str:
    """Return a reference as a file that the tests can load: with an export of its function, or without ``public``."""
    code = str(item["reference"])
    code = code if code.endswith("\n") else f"{code}\n"
    if language == "java":
        # A public class would have to be in a file of the same name.
        return "".join(map(_without_public, code.splitlines(keepends=True)))
    is_exported = any(line.split()[:1] == ["export"] for line in code.splitlines())
    if is_exported or (language == "javascript" and "module.exports" in code):
        return code
    return code + _EXPORT_LINES.get(language, "").format(name=item["entry_point"])


def _without_public(line: str) -> str:
    """Return a line without the ``public`` of a top-level class."""
    first, *words = line.split() or [""]
    kind = next((word for word in words if word not in ("final", "abstract")), "")
    is_public_class = line.startswith("public") and first == "public" and kind == "class"
    return line.removeprefix("public").lstrip() if is_public_class else line
