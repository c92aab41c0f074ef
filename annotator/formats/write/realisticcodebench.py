"""Write releases as RealisticCodeBench's folders: ``tasks/tN/LANGUAGE/`` with a signature, an answer and tests.

The items of one rewrite are the languages of one task. ``item.json`` beside them holds the item whole, so that it is
read back as it was released; who does not know it reads the three files.
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
    Exported,
    Head,
    Item,
    LeftOut,
    convert,
    json_text,
    sha256,
    write_export,
)

ITEM = "item.json"
FOLDERS = {"python": "python", "javascript": "javascript", "typescript": "typescript", "java": "java", "c++": "c&cpp"}
"""The folder of each language of ours."""
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
class _Entry:
    """An item as it stands in the layout: the task it belongs to, a number that it wants, and its files."""

    task: str
    number: int | None
    folder: str
    files: dict[str, str]


def export(head: Head, items: Sequence[Item], folder: Path) -> Exported:
    """Write the release as a folder a task and language; of a task there is one item a language."""
    made, left = convert(items, _entry)
    numbers = _numbers([entry for _, entry in made])
    texts = credit_texts(head, (item for item, _ in made))
    held: dict[str, Item] = {}
    for item, entry in made:
        place = f"tasks/t{numbers[entry.task]}/{entry.folder}"
        if place in held:
            left.append(LeftOut(item["key"], item["title"], f"its task has another item in {item['language']}"))
            continue
        held[place] = item
        hashes = {name: sha256(text.encode()) for name, text in entry.files.items()}
        files = {**entry.files, ITEM: json_text({"files": hashes, "item": dict(item)})}
        texts |= {f"{place}/{name}": text for name, text in files.items()}
    return write_export("realisticcodebench", head, folder, texts, len(held), left)


def _numbers(entries: Sequence[_Entry]) -> dict[str, int]:
    """Return the number of every task: its own where it came with one, else the next that is free, in their order."""
    numbers = {entry.task: entry.number for entry in entries if entry.number is not None}
    free = (number for number in count(1) if number not in set(numbers.values()))
    for entry in entries:
        if entry.task not in numbers:
            numbers[entry.task] = next(free)
    return numbers


def _entry(item: Item) -> _Entry:
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
    return _Entry(task, own, FOLDERS[language], dict(zip(names, (item["prompt"], answer, tests), strict=True)))


def _answer(item: Item, language: str) -> str:
    """Return a reference as the file that the tests load: one that gives away its function, or is not public."""
    code = str(item["reference"])
    code = code if code.endswith("\n") else f"{code}\n"
    if language == "java":
        # A public class would have to stand in a file of its own name.
        return _PUBLIC.sub("", code)
    known = _EXPORTS.get(language)
    if known is None or known[0].search(code):
        return code
    return code + known[1].format(name=item["entry_point"])
