"""Compare the items of a release folder with its manifest, and with the files that repeat parts of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeGuard

from annotator.base.ids import content_hash
from annotator.formats.documents import semantic_hashes
from annotator.formats.interchange.folder_state import printable_name
from annotator.formats.write.export_folder import Item, sha256, unique_names

ITEMS = "items.jsonl"
SUFFIXES: Mapping[str, str] = MappingProxyType({
    "python": ".py", "javascript": ".js", "typescript": ".ts", "java": ".java", "c": ".c", "c++": ".cpp", "go": ".go",
    "c#": ".cs", "r": ".R", "rust": ".rs", "ruby": ".rb", "php": ".php", "bash": ".sh", "sql": ".sql",
})  # fmt: skip
_MAX_LISTED = 5


def repeated_parts(items: Sequence[Item]) -> Iterator[tuple[str, str]]:
    """Yield the files that repeat criteria and tests of items for readers, as (name, text)."""
    names = unique_names(item["key"] for item in items)
    for item in items:
        name = names[item["key"]]
        if item["criterion"]:
            yield f"criteria/{name}.yaml", item["criterion"]
        for number, test in enumerate(item["tests"], start=1):
            if test["code"]:
                yield f"tests/{name}/{number:03d}{SUFFIXES.get(test['language'].lower(), '.txt')}", test["code"]


def describe_change(content: bytes, expected: semantic_hashes.Parts) -> str:
    """Return a sentence on how items.jsonl differs, item by item, from the hashes in the manifest."""
    rows, unreadable_numbers = _read_rows(content)
    changes = [f"row {number} cannot be read" for number in unreadable_numbers]
    changes += _repeated_keys(rows)
    changes += _describe_differences(expected, semantic_hashes.hash_parts(rows))
    return f"{ITEMS} has changed: {_join_first(changes) or 'the same items, in another order or in another notation'}"


def items_text(items: Sequence[Item]) -> str:
    """Return the text of items.jsonl."""
    return "".join(json.dumps(item, sort_keys=True, ensure_ascii=False) + "\n" for item in items)


def _repeated_keys(rows: Sequence[Item]) -> list[str]:
    counts = Counter(row["key"] for row in rows)
    return [f"{key} occurs {count} times" for key, count in counts.items() if count > 1]


def manifest_problems(content: bytes, manifest: Mapping[str, Any]) -> list[str]:
    """Check the manifest's other facts, and the files that repeat parts of items, against the items.

    A manifest rewritten with correct file hashes can only be detected if it contradicts the items.
    """
    rows, _ = _read_rows(content)
    problems = [f"in {ITEMS}, {text}" for text in _repeated_keys(rows)]
    if items_text(rows).encode("utf-8", "surrogatepass") != content:
        problems.append(f"{ITEMS} is not formatted as an export formats it, so programs may read other items")
    if manifest.get("items") != len(rows):
        problems.append(f"manifest.json counts {manifest.get('items')} items, but {ITEMS} holds {len(rows)}")
    hashes = json.dumps([row.get("content_hash") for row in rows], separators=(",", ":"))
    if manifest.get("content_hash") != sha256(hashes.encode()):
        problems.append("the content hash in manifest.json does not match the items")
    expected_parts = manifest.get("semantic")
    if expected_parts is not None and not are_parts(expected_parts):
        problems.append("manifest.json has no valid list of the items' parts")
    elif expected_parts is not None and (
        differences := _describe_differences(expected_parts, semantic_hashes.hash_parts(rows))
    ):
        problems.append(f"manifest.json and {ITEMS} describe different items: {_join_first(differences)}")
    problems += [f"the content of {row['key']} in {ITEMS} does not match its content hash" for row in rows
                 if content_hash({name: row[name] for name in row if name != "content_hash"}) != row.get("content_hash")
                 ]  # fmt: skip
    return problems or _repetition_problems(rows, manifest["files"])


def _repetition_problems(rows: Sequence[Item], digests: Mapping[str, str]) -> list[str]:
    try:
        repeated = list(repeated_parts(rows))
    except (AttributeError, KeyError, TypeError):
        return [f"{ITEMS} holds an item that no release contains"]
    return [
        f"{printable_name(name)} differs from its copy in {ITEMS}"
        for name, text in repeated
        if digests.get(name) not in (None, sha256(text.encode()))
    ]


def are_parts(value: object) -> TypeGuard[semantic_hashes.Parts]:
    """Return whether a manifest entry maps every item to the hashes of its parts."""
    return isinstance(value, dict) and all(
        isinstance(parts, dict) and all(isinstance(digest, str) for digest in parts.values())
        for parts in value.values()
    )


def _read_rows(content: bytes) -> tuple[list[dict[str, Any]], list[int]]:
    """Return the items of a file, and the numbers of unreadable rows."""
    rows: list[dict[str, Any]] = []
    unreadable_numbers = []
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            row = None
        if isinstance(row, dict) and isinstance(row.get("key"), str):
            rows.append(row)
        else:
            unreadable_numbers.append(number)
    return rows, unreadable_numbers


def _describe_differences(expected: semantic_hashes.Parts, actual: semantic_hashes.Parts) -> list[str]:
    diff = semantic_hashes.compare_parts(expected, actual)
    changed = [f"{key} ({', '.join(parts)})" for key, parts in diff.changed.items()]
    return [*changed, *(f"{key} is missing" for key in diff.removed), *(f"{key} is new" for key in diff.added)]


def _join_first(texts: Sequence[str]) -> str:
    remainder = f" and {len(texts) - _MAX_LISTED} more" if len(texts) > _MAX_LISTED else ""
    return ", ".join(map(printable_name, texts[:_MAX_LISTED])) + remainder
