"""Write an export atomically and reproducibly, with a manifest that detects every changed byte."""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ruamel.yaml import YAML

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.ids import content_hash, new_id
from annotator.base.open_files import open_output
from annotator.text.hidden_characters import visible_text

MANIFEST = "manifest.json"
SIGNATURE = "manifest.json.sig"
"""The signature of the manifest, made after the export, so the manifest does not list it."""
EXPORT_FORMAT = "annotator-export"
EXPORT_VERSION = 1

Head = Mapping[str, Any]
Item = Mapping[str, Any]
Converted = TypeVar("Converted")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An item that the format cannot hold, and why."""

    key: str
    title: str
    reason: str

    def __str__(self) -> str:
        """Return "key: reason"."""
        return f"{self.key}: {self.reason}"


@dataclass(frozen=True, slots=True)
class ExportResult:
    """The result of an export: the files, the number of items, the items left out, and notes on changed ones."""

    files: tuple[Path, ...]
    items: int
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()


class CannotHoldError(ValueError):
    """A format cannot represent an item; the message is the reason."""


def convert_items(
    items: Sequence[Item], convert: Callable[[Item], Converted]
) -> tuple[list[tuple[Item, Converted]], list[LeftOut]]:
    """Convert every item, and collect the items that the format cannot hold, with the reason."""
    converted: list[tuple[Item, Converted]] = []
    left_out: list[LeftOut] = []
    for item in items:
        try:
            converted.append((item, convert(item)))
        except CannotHoldError as problem:
            left_out.append(LeftOut(item["key"], item["title"], str(problem)))
    return converted, left_out


def keep_first(
    converted: Sequence[tuple[Item, Converted]], name_of: Callable[[Converted], str], name_column: str
) -> tuple[list[tuple[Item, Converted]], list[LeftOut]]:
    """Return the first item of each name, and the others as left out: graders identify items by ``name_column``."""
    key_by_name: dict[str, str] = {}
    unique: list[tuple[Item, Converted]] = []
    left_out: list[LeftOut] = []
    for item, row in converted:
        name = name_of(row)
        if name in key_by_name:
            reason = f"its {name_column} {name} is that of {key_by_name[name]}"
            left_out.append(LeftOut(item["key"], item["title"], reason))
        else:
            key_by_name[name] = item["key"]
            unique.append((item, row))
    return unique, left_out


def json_line(row: Mapping[str, Any]) -> str:
    """Return a row as one line of JSON in the row's own order of columns."""
    return json.dumps(row, ensure_ascii=False) + "\n"


def json_text(value: Any) -> str:
    """Return a value as indented JSON with sorted names."""
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def yaml_text(value: Any) -> str:
    """Return a value as YAML in block style, with keys in their order, so that the text is reproducible."""
    writer = YAML(typ="safe", pure=True)
    writer.default_flow_style = False
    writer.sort_base_mapping_type_on_output = False  # type: ignore[assignment]  # typed as None only
    writer.width = 10_000
    out = io.StringIO()
    writer.dump(value, out)
    return out.getvalue()


_MARKDOWN_ESCAPES = str.maketrans({letter: f"\\{letter}" for letter in "\\|`*_<>[]&"})


def markdown_line(text: str) -> str:
    """Return a name or title as one line of Markdown that displays it unchanged; addresses stay readable as they are.

    Control characters are written out.
    """
    words = visible_text(text).split()
    line = " ".join(word if _is_address(word) else word.translate(_MARKDOWN_ESCAPES) for word in words)
    # A sign before a digit starts a number, not a list.
    return f"\\{line}" if line[:1] in tuple("#+-=~") and not line[1:2].isdecimal() else line


def markdown_key(key: str) -> str:
    """Return a key as code in a line of Markdown."""
    line = " ".join(visible_text(key).split())
    return markdown_line(key) if "`" in line else f"`{line}`"


def markdown_text(text: str) -> str:
    """Return a text that a person wrote for a Markdown document: it may have Markdown, but no HTML or open fence.

    Control characters are written out.
    """
    lines = visible_text(text).replace("<", "&lt;").strip().split("\n")
    open_fence = ""
    for line in lines:
        fence = _fence_marks(line)
        if not open_fence:
            open_fence = fence
        elif fence.startswith(open_fence) and fence == line.strip():
            open_fence = ""
    return "\n".join([*lines, *([open_fence] if open_fence else [])])


def _fence_marks(line: str) -> str:
    """Return the mark that opens or closes a block of code ("```"), or "" for any other line."""
    text = line.lstrip(" ")
    marks = text[: len(text) - len(text.lstrip(text[:1]))]
    is_fence = len(line) - len(text) < 4 and marks[:3] in ("```", "~~~")
    return marks if is_fence and (marks[0] == "~" or "`" not in text[len(marks) :]) else ""


def _is_address(word: str) -> bool:
    return "://" in word and not set(word) & set("\\|`*<>[]")


def sha256(data: bytes) -> str:
    """Return the SHA-256 of bytes as hex digits."""
    return hashlib.sha256(data).hexdigest()


def short_key(key: str) -> str:
    """Return a key without the format name before it ("humaneval:HumanEval/0" → "HumanEval/0")."""
    return key.partition(":")[2] or key


def safe_name(text: str, limit: int = 80) -> str:
    """Return a text as a file name that is valid on every file system and never empty."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip(".-")[:limit].rstrip(".-")
    return name or "item"


def unique_names(texts: Iterable[str]) -> dict[str, str]:
    """Return a safe file name per text; those that would collide on any file system get a number."""
    names: dict[str, str] = {}
    used_names: set[str] = set()
    for text in texts:
        base = safe_name(text)
        name = base
        number = 2
        while name.lower() in used_names:
            name = f"{base}-{number}"
            number += 1
        used_names.add(name.lower())
        names[text] = name
    return names


def manifest_text(manifest: Mapping[str, Any]) -> str:
    """Return a manifest as text, with a hash of its other entries, so that changes are detected."""
    entries = {name: value for name, value in manifest.items() if name != "manifest_hash"}
    return json_text({**entries, "manifest_hash": content_hash(entries)})


def write_export(
    target: str,
    head: Head,
    folder: Path,
    texts: Mapping[str, str | bytes],
    items: int,
    left_out: Sequence[LeftOut] = (),
    notes: Sequence[str] = (),
    keys: Mapping[str, str] | None = None,
) -> ExportResult:
    """Write an export to a new or empty folder, with a manifest of its origin, the items left out and all hashes.

    ``keys`` maps the items' names in the format to their keys, so that an import restores the keys.
    Raises `BadInputError` if the format can hold none of the items or the folder is not empty,
    `MissingEnvironmentError` if it cannot be written; nothing is left behind then.
    """
    if not items:
        raise BadInputError(
            f"No item of the release fits the format {target}, so nothing was written.",
            details=tuple(str(item) for item in left_out[:20]),
        )
    manifest = {
        "format": EXPORT_FORMAT,
        "format_version": EXPORT_VERSION,
        "target": target,
        "project": head["project"],
        "version": head["version"],
        "created_at": head["created_at"],
        "content_hash": head["content_hash"],
        "items": items,
        "left_out": [{"key": item.key, "reason": item.reason} for item in left_out],
        "notes": list(notes),
        **({"keys": dict(sorted(keys.items()))} if keys else {}),
        "files": {name: sha256(as_bytes(text)) for name, text in sorted(texts.items())},
    }
    files = write_folder(folder, {**texts, MANIFEST: manifest_text(manifest)})
    return ExportResult(files, items, tuple(left_out), tuple(notes))


def as_bytes(text: str | bytes) -> bytes:
    """Return a file's bytes."""
    return text if isinstance(text, bytes) else text.encode()


def write_file(path: Path, text: str | bytes) -> None:
    """Write a file atomically.

    Raises `BadInputError` if it would replace a project, `MissingEnvironmentError` if it cannot be written.
    """
    with open_output(path) as stream:
        stream.buffer.write(as_bytes(text))


def write_folder(folder: Path, texts: Mapping[str, str | bytes]) -> tuple[Path, ...]:
    """Write files (by name relative to the folder) to a new or empty folder, all of them or none.

    Raises `BadInputError` if the folder is not empty, `MissingEnvironmentError` if it cannot be written.
    """
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        raise BadInputError(f"{folder.name} is not empty, so nothing was written. Choose a new or empty folder.")
    # Written beside the target and moved there at the end, so that a full disk leaves no partial export.
    part = folder.absolute().with_name(f".{folder.absolute().name}.{new_id()[-12:]}.part")
    try:
        for name, text in texts.items():
            path = part / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(as_bytes(text))
        if folder.exists():
            folder.rmdir()
        part.replace(folder)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        raise MissingEnvironmentError(
            f"The export could not be written to {folder.name} ({error.strerror}). Nothing was left behind."
        ) from error
    return tuple(folder / name for name in texts)
