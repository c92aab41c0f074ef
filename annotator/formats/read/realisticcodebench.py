"""Read RealisticCodeBench's folders: ``tasks/tN/LANGUAGE/`` with a signature, an answer and tests.

Each language of a task is a separate candidate. A folder that lacks one of the three files is reported. If our export
wrote ``item.json`` beside them, the candidate is the released item.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from annotator.base.errors import BadInputError
from annotator.base.open_files import refuse_project
from annotator.formats.interchange.release_folder import item_candidate
from annotator.formats.read.import_records import Candidate, CandidateTest, RowError, first_line
from annotator.formats.write.export_folder import sha256
from annotator.formats.write.realisticcodebench_writer import ITEM

FILE_LIMIT = 4 * 1024 * 1024
_LANGUAGES = {
    "python": "python", "javascript": "javascript", "typescript": "typescript", "java": "java", "c&cpp": "c++",
}  # fmt: skip
_PARTS = {
    "signature": ("signature",),
    "answer": ("answer", "adapted"),
    "tests": ("test", "tester"),
}
_COMMENT = re.compile(r"^[\s/*\"'#!]+|[\s*/\"']+$")


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
    inside = path.resolve()
    folders = [
        item
        for item in sorted(path.rglob("*"), key=_order)
        if item.name in _LANGUAGES and item.is_dir() and re.fullmatch(r"t\d+", item.parent.name)
    ]
    if not folders:
        raise BadInputError(f"{path.name} holds no folders tN/LANGUAGE. Nothing was imported.")
    for folder in folders:
        try:
            if not folder.resolve().is_relative_to(inside):
                raise _FileError(folder.name, "it leads out of the folder and was not read")
            yield _candidate(folder, inside)
        except _FileError as problem:
            place = folder.relative_to(path).as_posix()
            yield RowError(f"{place}/{problem.name}".rstrip("/"), 0, str(problem))


def _order(path: Path) -> tuple[int, str]:
    digits = re.search(r"(?:^|/)t(\d+)(?:/|$)", path.as_posix())
    return (int(digits[1]) if digits and len(digits[1]) < 12 else 0), path.as_posix()


def _candidate(folder: Path, inside: Path) -> Candidate:
    if (folder / ITEM).is_file():
        return _released_candidate(folder, inside)
    language, task = _LANGUAGES[folder.name], folder.parent.name
    parts = {name: _read_part(folder, name, stems, inside) for name, stems in _PARTS.items()}
    return Candidate(
        key=f"realisticcodebench:{task}/{folder.name}",
        title=_title(parts["signature"]) or f"{task} {language}",
        language=language,
        prompt=parts["signature"],
        reference=parts["answer"],
        provenance={"dataset": "RealisticCodeBench", "task": task, "path": f"{task}/{folder.name}"},
        tests=(CandidateTest(name="tests", code=parts["tests"], language=language),),
    )


def _released_candidate(folder: Path, inside: Path) -> Candidate:
    """Return the item that our export wrote, if the files beside it are unchanged."""
    text = _text(folder / ITEM, inside)
    try:
        row = json.loads(text)
        files, item = dict(row["files"]), row["item"]
        changed = [name for name, digest in files.items() if sha256(_bytes(folder / name, inside)) != digest]
        candidate = None if changed else item_candidate(item)
    except _FileError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _FileError(ITEM, f"it has changed since it was exported ({type(error).__name__})") from error
    if candidate is None:
        raise _FileError(ITEM, f"{changed[0]} was changed since; delete {ITEM} to read the files alone")
    return candidate


def _read_part(folder: Path, part: str, stems: tuple[str, ...], inside: Path) -> str:
    files = [item for item in sorted(folder.iterdir()) if item.stem.lower() in stems and item.is_file()]
    if not files:
        raise _FileError("", f"there is no file with the {part} ({' or '.join(stems)})")
    return _text(files[0], inside)


def _text(file: Path, inside: Path) -> str:
    try:
        text = _bytes(file, inside).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise _FileError(file.name, f"it is not UTF-8 text (byte {error.start + 1})") from error
    if not text.strip() or "\x00" in text:
        raise _FileError(file.name, "it is empty" if not text.strip() else "it holds a null character")
    return text


def _bytes(file: Path, inside: Path) -> bytes:
    try:
        if not file.resolve().is_relative_to(inside):
            raise _FileError(file.name, "it leads out of the folder and was not read")
        refuse_project(file)
        if file.stat().st_size > FILE_LIMIT:
            raise _FileError(file.name, f"it is larger than {FILE_LIMIT // (1024 * 1024)} MB")
        return file.read_bytes()
    except OSError as error:
        raise _FileError(file.name, f"it cannot be read ({error.strerror})") from error


def _title(signature: str) -> str:
    """Return the first line of prose in a signature's comment."""
    for line in signature.splitlines():
        words = _COMMENT.sub("", line).removeprefix("@brief").strip()
        if len(words.split()) >= 3 and re.match(r"[A-Z]", words) and not re.search(r"[;{}=]|\)\s*:?$", words):
            return first_line(words)
    return ""
