"""The native release folder: written byte for byte the same twice, verified from the folder alone, read back.

``items.jsonl`` holds everything; ``criteria/`` and ``tests/`` repeat parts of it for readers; ``manifest.json`` has
the SHA-256 of every other file.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.ids import content_hash
from annotator.formats import jsonl
from annotator.formats.candidate import Candidate, RowError
from annotator.formats.lines import read_objects

FORMAT = "annotator-release"
FORMAT_VERSION = 1
_SUFFIXES = {
    "python": ".py", "javascript": ".js", "typescript": ".ts", "java": ".java", "c": ".c", "c++": ".cpp", "go": ".go",
    "c#": ".cs", "r": ".R", "rust": ".rs", "ruby": ".rb", "php": ".php", "bash": ".sh", "sql": ".sql",
}  # fmt: skip


def export_release(release: Mapping[str, Any], items: Sequence[Mapping[str, Any]], folder: Path) -> tuple[Path, ...]:
    """Write a release into a new or empty folder; returns the files, the manifest last.

    Raises `BadInputError` if the folder holds something, `MissingEnvironmentError` if it cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInputError(f"{folder.name} is not empty, so nothing was written. Choose a new or empty folder.")
    texts = {"items.jsonl": "".join(_json_line(item) for item in items)}
    names = _file_names(items)
    for item in items:
        name = names[item["key"]]
        if item["criterion"]:
            texts[f"criteria/{name}.yaml"] = item["criterion"]
        for number, test in enumerate(item["tests"], start=1):
            if test["code"]:
                texts[f"tests/{name}/{number:03d}{_SUFFIXES.get(test['language'].lower(), '.txt')}"] = test["code"]
    texts["README.md"] = _readme(release, items)
    manifest = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "project": release["project"],
        "version": release["version"],
        "created_at": release["created_at"],
        "content_hash": release["content_hash"],
        "items": len(items),
        "about": release["manifest"],
        "files": {name: _sha256(text.encode()) for name, text in sorted(texts.items())},
    }
    texts["manifest.json"] = _manifest_text(manifest)
    try:
        return tuple(_write(folder / name, text) for name, text in texts.items())
    except OSError as error:
        raise MissingEnvironmentError(
            f"The release could not be written to {folder.name} ({error.strerror}). What is there is incomplete."
        ) from error


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def _json_line(item: Mapping[str, Any]) -> str:
    return json.dumps(item, sort_keys=True, ensure_ascii=False) + "\n"


def _manifest_text(manifest: Mapping[str, Any]) -> str:
    """Return the manifest as text, with a hash of the rest of it so that no part can change unnoticed."""
    rest = {name: value for name, value in manifest.items() if name != "manifest_hash"}
    whole = {**rest, "manifest_hash": content_hash(rest)}
    return json.dumps(whole, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _file_names(items: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return a safe file name per key; names that would collide on any file system get a number."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for item in items:
        base = re.sub(r"[^A-Za-z0-9._-]+", "-", item["key"]).strip(".-")[:80] or "item"
        name, number = base, 2
        while name.lower() in taken:
            name, number = f"{base}-{number}", number + 1
        taken.add(name.lower())
        names[item["key"]] = name
    return names


def _readme(release: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> str:
    about = release["manifest"]
    lines = [f"# {release['project']} {release['version']}", "", f"{len(items)} items, made with Annotator.", ""]
    if release["notes"]:
        lines += [release["notes"], ""]
    for title, name in (("Languages", "languages"), ("Tasks", "tasks"), ("Domains", "domains")):
        counts = about.get(name, {})
        if counts:
            lines += [f"## {title}", "", *(f"- {key or 'not set'}: {count}" for key, count in counts.items()), ""]
    licences = sorted({item["licence"] or "not known" for item in items})
    lines += ["## Licences", "", *(f"- {licence}" for licence in licences), ""]
    lines += ["## Files", "", "- `items.jsonl`: every item, whole", "- `criteria/`: how responses are scored"]
    lines += ["- `tests/`: test code by item", "- `manifest.json`: the SHA-256 of every file", ""]
    return "\n".join(lines)


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return a release folder's manifest. Raises `BadInputError` if it is missing or not ours."""
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_bytes().decode("utf-8"))
    except FileNotFoundError as error:
        raise BadInputError(f"{folder.name} has no manifest.json, so it is not an exported release.") from error
    except (OSError, ValueError, RecursionError) as error:
        raise BadInputError(f"manifest.json in {folder.name} cannot be read ({type(error).__name__}).") from error
    if (
        not isinstance(manifest, dict)
        or manifest.get("format") != FORMAT
        or not isinstance(manifest.get("files"), dict)
    ):
        raise BadInputError(f"manifest.json in {folder.name} is not that of an exported release.")
    if manifest.get("format_version") != FORMAT_VERSION:
        raise BadInputError(f"{folder.name} was written in another version of the format. Update the program.")
    return manifest


def verify(folder: Path) -> tuple[str, ...]:
    """Compare a release folder with its manifest; returns a sentence per file that differs, is missing or is new."""
    if not folder.is_dir():
        raise BadInputError(f"There is no folder {folder.name}.")
    try:
        manifest = read_manifest(folder)
    except BadInputError as error:
        return (error.message,)
    problems = []
    for name, digest in manifest["files"].items():
        pure = PurePosixPath(name)
        if pure.is_absolute() or ".." in pure.parts:
            problems.append(f"{name} lies outside the release")
            continue
        path = folder / name
        if not path.is_file():
            problems.append(f"{name} is missing")
        elif _sha256(path.read_bytes()) != digest:
            problems.append(f"{name} has changed")
    listed = {*manifest["files"], "manifest.json"}
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    problems += [f"{name} is not part of the release" for name in sorted(present - listed)]
    problems += _manifest_problems(folder, manifest)
    return tuple(problems)


def _manifest_problems(folder: Path, manifest: Mapping[str, Any]) -> list[str]:
    """Check the manifest's own facts against the items, so that a flipped byte in it is found as well."""
    items = [item for item in read_objects(folder / "items.jsonl") if not isinstance(item, RowError)]
    problems = []
    hashes = json.dumps([row.get("content_hash") for _, row in items], separators=(",", ":"))
    if manifest.get("items") != len(items):
        problems.append("manifest.json counts other items than there are")
    if manifest.get("content_hash") != _sha256(hashes.encode()):
        problems.append("manifest.json names another content hash than the items have")
    if (folder / "manifest.json").read_bytes() != _manifest_text(manifest).encode():
        problems.append("manifest.json has changed")
    return problems


def read(path: Path, _: Mapping[str, str]) -> Iterator[Candidate | RowError]:
    """Yield the items of a release folder as candidates; a folder that does not verify is refused."""
    if not path.is_dir():
        raise BadInputError(f"{path.name} is not a release folder.")
    problems = verify(path)
    if problems:
        raise BadInputError(f"{path.name} is not as it was exported, so nothing was imported.", details=problems[:20])
    for item in read_objects(path / "items.jsonl"):
        if isinstance(item, RowError):
            yield item
            continue
        number, row = item
        try:
            yield _with_files(jsonl.candidate({**row, "id": row.get("key")}, {}, prefix="annotator"), row)
        except jsonl.RowMappingError as problem:
            yield RowError("items.jsonl", number, str(problem))


def _with_files(candidate: Candidate, row: Mapping[str, Any]) -> Candidate:
    """Keep the files that the item's criterion refers to."""
    files = row.get("files")
    if files is None:
        return candidate
    if not isinstance(files, dict) or not all(isinstance(text, str) for text in files.values()):
        raise jsonl.RowMappingError("files must map names to texts")
    return replace(candidate, extra={**candidate.extra, "files": files})
