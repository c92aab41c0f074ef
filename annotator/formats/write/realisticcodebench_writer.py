"""Write releases as RealisticCodeBench's folders: ``tasks/tN/LANGUAGE/`` with a signature, an answer and tests.

The items of one rewrite are the languages of one task. ``item.json`` contains the whole item, so that an import
restores it as released; other programs read the three files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from annotator.formats.documents.attribution import credit_texts
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

ITEM = "item.json"
FOLDERS = {"python": "python", "javascript": "javascript", "typescript": "typescript", "java": "java", "c++": "c&cpp"}
"""The folder of each of our languages."""
_FILES = {
    "python": ("signature.py", "answer.py", "test.py"),
    "javascript": ("signature.js", "answer.js", "test.js"),
    "typescript": ("signature.ts", "answer.ts", "test.ts"),
    "java": ("Signature.java", "Answer.java", "Test.java"),
    "c++": ("signature.cpp", "answer.cpp", "test.cpp"),
}
_PUBLIC = re.compile(r"^public\s+(?=(?:final\s+|abstract\s+)*class\b)", re.MULTILINE)
_EXPORTS = {
    "javascript": (re.compile(r"\bmodule\.exports\b|^\s*export\s", re.MULTILINE), "\nmodule.exports = {{ {name} }};\n"),
    "typescript": (re.compile(r"^\s*export\s", re.MULTILINE), "\nexport {{ {name} }};\n"),
}


@dataclass(frozen=True, slots=True)
class _TaskEntry:
    """An item in the layout: its task, its preferred task number, and its files."""

    task: str
    number: int | None
    folder: str
    files: dict[str, str]


def export_realisticcodebench(head: Head, items: Sequence[Item], folder: Path) -> ExportResult:
    """Write the release as a folder per task and language, with one item each."""
    converted, left_out = convert_items(items, _entry)
    numbers = _numbers([entry for _, entry in converted])
    texts = credit_texts(head, (item for item, _ in converted))
    items_by_place: dict[str, Item] = {}
    for item, entry in converted:
        place = f"tasks/t{numbers[entry.task]}/{entry.folder}"
        if place in items_by_place:
            left_out.append(LeftOut(item["key"], item["title"], f"its task has another item in {item['language']}"))
            continue
        items_by_place[place] = item
        hashes = {name: sha256(text.encode()) for name, text in entry.files.items()}
        files = {**entry.files, ITEM: json_text({"files": hashes, "item": dict(item)})}
        texts |= {f"{place}/{name}": text for name, text in files.items()}
    return write_export("realisticcodebench", head, folder, texts, len(items_by_place), left_out)


def _numbers(entries: Sequence[_TaskEntry]) -> dict[str, int]:
    """Return the number of every task: its own if it has one, else the next free number, in order."""
    numbers = {entry.task: entry.number for entry in entries if entry.number is not None}
    free = (number for number in count(1) if number not in set(numbers.values()))
    for entry in entries:
        if entry.task not in numbers:
            numbers[entry.task] = next(free)
    return numbers


def _entry(item: Item) -> _TaskEntry:
    language = str(item["language"])
    if language not in FOLDERS:
        raise CannotHoldError(f"the format has no folder for {language or 'an item without a language'}")
    extra, provenance = item.get("extra") or {}, item["provenance"]
    number = re.fullmatch(r"t(\d{1,9})", str(provenance.get("task") or ""))
    if isinstance(extra.get("test_file"), str) and provenance.get("made_from"):
        tests, task, own = extra["test_file"], f"rewrite {provenance['made_from']}", None
    elif number is not None and len(item["tests"]) == 1 and item["tests"][0]["code"].strip():
        tests, task, own = item["tests"][0]["code"], f"task {number[1]}", int(number[1])
    else:
        raise CannotHoldError("it was neither made from a rewrite nor imported from such a folder")
    if not item["reference"].strip() or not item["prompt"].strip():
        raise CannotHoldError("it has no reference, or no prompt")
    answer = item["reference"] if own is not None else _answer(item, language)
    names = _FILES[language]
    return _TaskEntry(task, own, FOLDERS[language], dict(zip(names, (item["prompt"], answer, tests), strict=True)))


def _answer(item: Item, language: str) -> str:
    """Return a reference as a file that the tests can load: with an export of its function, or without ``public``."""
    code = str(item["reference"])
    code = code if code.endswith("\n") else f"{code}\n"
    if language == "java":
        # A public class would have to be in a file of the same name.
        return _PUBLIC.sub("", code)
    export_rule = _EXPORTS.get(language)
    if export_rule is None or export_rule[0].search(code):
        return code
    return code + export_rule[1].format(name=item["entry_point"])
