"""The native release folder: reproducible byte for byte, verifiable from the folder alone, and readable again.

``items.jsonl`` holds everything; ``criteria/`` and ``tests/`` repeat parts of it for readers;
``manifest.json`` has the SHA-256 of every other file and a hash of every part of every item.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.open_files import refuse_project
from annotator.formats.documents import semantic_hashes
from annotator.formats.documents.attribution import credit_texts
from annotator.formats.documents.croissant import citation_text, croissant_text, text_fields
from annotator.formats.documents.datasheet_document import audit_text, datasheet_text
from annotator.formats.documents.personal_data import PRIVACY, privacy_text
from annotator.formats.documents.release_facts import bug_review_sentence, collect_facts, count_modes, overridden_lines
from annotator.formats.interchange.folder_state import folder_problems, inspect_folder, printable_name
from annotator.formats.interchange.release_items import (
    ITEMS,
    are_parts,
    describe_change,
    items_text,
    manifest_problems,
    repeated_parts,
)
from annotator.formats.read import jsonl
from annotator.formats.read.field_names import FIELDS
from annotator.formats.read.import_records import Candidate, RowError
from annotator.formats.read.typed_columns import ColumnError, read_rows
from annotator.formats.write.export_folder import (
    EXPORT_FORMAT,
    EXPORT_VERSION,
    MANIFEST,
    SIGNATURE,
    ExportResult,
    Head,
    Item,
    manifest_text,
    markdown_key,
    markdown_line,
    markdown_text,
    sha256,
    write_folder,
)
from annotator.model.rows.project_rows import override_sentences

FORMAT = "annotator-release"
FORMAT_VERSION = 1
_MODES = MappingProxyType(
    {"judged": "judged (apart from the answer)", "shared": "shared (in one process with the answer)"}
)


@dataclass(frozen=True, slots=True)
class FrozenParts:
    """A release's version and the hash of every part of every item, as its manifest lists them."""

    version: str
    parts: semantic_hashes.Parts


def export_release(head: Head, items: Sequence[Item], folder: Path) -> ExportResult:
    """Write a release to a new or empty folder, the manifest last.

    Raises `BadInputError` if the folder is not empty, `MissingEnvironmentError` if it cannot be written.
    """
    texts = _release_texts(head, items)
    manifest = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "project": head["project"],
        "version": head["version"],
        "created_at": head["created_at"],
        "content_hash": head["content_hash"],
        "items": len(items),
        "about": head["manifest"],
        "semantic": semantic_hashes.hash_parts(items),
        "files": {name: sha256(text.encode()) for name, text in sorted(texts.items())},
    }
    return ExportResult(write_folder(folder, {**texts, MANIFEST: manifest_text(manifest)}), len(items))


def _release_texts(head: Head, items: Sequence[Item]) -> dict[str, str]:
    facts = collect_facts(head, items)
    records = items_text(items)
    texts = {ITEMS: records, **dict(repeated_parts(items))}
    texts["README.md"] = _readme_text(head, items, bug_review_sentence(facts))
    texts["DATASHEET.md"] = datasheet_text(facts)
    texts["CITATION.cff"] = citation_text(facts)
    texts |= credit_texts(head, items)
    texts[PRIVACY] = privacy_text(head, items)
    if audit_rows := head["manifest"].get("audit"):
        texts["AUDIT.md"] = audit_text(head["project"], head["version"], audit_rows)
        texts["audit.json"] = json.dumps(audit_rows, indent=2, ensure_ascii=False) + "\n"
    if head["manifest"].get("since"):
        texts["CHANGES.md"] = _changes_text(head, facts.errata)
    texts["croissant.json"] = croissant_text(facts, "items.jsonl", records, text_fields("items.jsonl"))
    return texts


def _readme_text(head: Head, items: Sequence[Item], review_sentence: str) -> str:
    manifest = head["manifest"]
    title = f"# {markdown_line(head['project'])} {markdown_line(head['version'])}"
    lines = [title, "", f"{len(items)} items, made with Annotator.", ""]
    if head["notes"]:
        lines += [markdown_text(head["notes"]), ""]
    for title, name in (("Languages", "languages"), ("Tasks", "tasks"), ("Domains", "domains")):
        counts = manifest.get(name, {})
        if counts:
            values = (f"- {markdown_line(key or 'not set')}: {count}" for key, count in counts.items())
            lines += [f"## {title}", "", *values, ""]
    modes = count_modes(items)
    if modes:
        lines += ["## Where tests run", "", *(f"- {_MODES[name]}: {count}" for name, count in modes.items()), ""]
    lines += ["## Review", "", review_sentence, ""] if review_sentence else []
    lines += overridden_lines(override_sentences(manifest))
    licences = sorted({item["licence"] or "not known" for item in items})
    lines += ["## Licences", "", *(f"- {markdown_line(licence)}" for licence in licences), ""]
    lines += ["## Files", "", "- `items.jsonl`: every item in full", "- `criteria/`: how responses are scored"]
    lines += ["- `tests/`: test code by item", "- `DATASHEET.md`: what the release is and how it was made"]
    if manifest.get("since"):
        lines += ["- `CHANGES.md`: what is new, what changed since the version before, which scores still count"]
    if manifest.get("audit"):
        lines += ["- `AUDIT.md`, `audit.json`: a checklist of the release, with evidence, statements and what is open"]
    lines += ["- `ATTRIBUTION.md`, `LICENSE`, `CITATION.cff`: whose work it is, under which terms, how to cite it"]
    lines += [f"- `{PRIVACY}`: what a search for personal data and secrets found"]
    lines += ["- `croissant.json`: a description for programs", "- `manifest.json`: the SHA-256 of every file", ""]
    return "\n".join(lines)


def _changes_text(head: Head, errata: Sequence[str]) -> str:
    """Return CHANGES.md: the differences from the previous version, and the errata."""
    since = head["manifest"]["since"]
    void = set(since["void"])
    project, version, previous = map(markdown_line, (head["project"], head["version"], since["version"]))
    lines = [f"# Changes of {project} {version} since {previous}", ""]
    lines += [f"Results of both versions can be compared on {since['comparable']} items.", ""]
    if errata:
        lines += ["## Errata", "", *(f"- {markdown_line(line)}" for line in errata), ""]
    for title, name in (("Added", "added"), ("Removed", "removed")):
        if since[name]:
            lines += [f"## {title}", "", *(f"- {markdown_key(key)}" for key in since[name]), ""]
    if since["changed"]:
        notes = {key: "; earlier scores are no longer valid" if key in void else "" for key in since["changed"]}
        lines += ["## Changed", ""]
        lines += [f"- {markdown_key(key)}: {', '.join(parts)}{notes[key]}" for key, parts in since["changed"].items()]
        lines += [""]
    return "\n".join(lines)


def frozen_parts(folder: Path) -> FrozenParts:
    """Return a release folder's version and the hashes of its items' parts, from the manifest alone.

    Raises `BadInputError` if it is not a release folder.
    """
    manifest = read_manifest(folder)
    parts = manifest.get("semantic")
    if manifest["format"] != FORMAT or not are_parts(parts):
        raise BadInputError(f"{folder.name} is an export in another format. Compare release folders.")
    return FrozenParts(str(manifest.get("version", "")), parts)


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a release folder or other export. Raises `BadInputError` if it is not ours."""
    path = folder / MANIFEST
    refuse_project(path)
    try:
        manifest = json.loads(path.read_bytes().decode("utf-8"))
    except FileNotFoundError as error:
        raise BadInputError(f"{folder.name} has no manifest.json, so it is not an exported release.") from error
    except OSError as error:
        raise BadInputError(f"manifest.json in {folder.name} cannot be read ({error.strerror}).") from error
    except (ValueError, RecursionError) as error:
        raise BadInputError(
            f"manifest.json in {folder.name} is not JSON written by an export: {_first_line(error)}."
        ) from error
    versions = {FORMAT: FORMAT_VERSION, EXPORT_FORMAT: EXPORT_VERSION}
    kind = manifest.get("format") if isinstance(manifest, dict) else None
    if not isinstance(kind, str) or kind not in versions or not isinstance(manifest.get("files"), dict):
        raise BadInputError(f"manifest.json in {folder.name} is not the manifest of an exported release.")
    if manifest.get("format_version") != versions[kind]:
        raise BadInputError(f"{folder.name} was written in another version of the format. Update the program.")
    return dict(manifest)


def is_export(folder: Path) -> bool:
    """Return whether a folder has the manifest of a release folder or of an export in another format."""
    try:
        return bool(read_manifest(folder))
    except BadInputError:
        return False


def verify_release_folder(folder: Path) -> tuple[str, ...]:
    """Compare a release folder with its manifest and return a sentence for each deviation.

    Deviations are files that differ, are missing or new, folders without files of the release, links, pipes and other
    special files, and modes that exports never set. Only plain files are opened, and links are not followed. A
    signature may be present; `annotator.services.release.signatures` checks it.
    """
    if folder.is_file():
        raise BadInputError(f"{folder.name} is a file. Unpack the release into a new folder, then verify that.")
    if not folder.is_dir():
        raise BadInputError(f"There is no folder {folder.name}.")
    state = inspect_folder(folder)
    if MANIFEST in state.others:
        return (f"{MANIFEST} is {state.others[MANIFEST]}",)
    try:
        manifest = read_manifest(folder)
    except BadInputError as error:
        return (error.message,)
    problems = []
    for name, digest in manifest["files"].items():
        relative_path = PurePosixPath(name)
        if relative_path.is_absolute() or ".." in relative_path.parts or "\x00" in name or str(relative_path) != name:
            problems.append(f"{name!r} is outside the release")
        elif name in state.files:
            problems += _file_problems(folder / name, name, digest, manifest)
        elif name not in state.others:
            problems.append(f"{printable_name(name)} is missing")
    problems += folder_problems(state, {*manifest["files"], MANIFEST, SIGNATURE})
    if (folder / MANIFEST).read_bytes() != manifest_text(manifest).encode("utf-8", "surrogatepass"):
        problems.append("manifest.json has changed since it was written")
    if manifest["format"] == FORMAT and not problems:
        has_items = ITEMS in manifest["files"]
        problems += manifest_problems((folder / ITEMS).read_bytes() if has_items else b"", manifest)
    return tuple(problems)


def _file_problems(path: Path, name: str, digest: str, manifest: Mapping[str, Any]) -> list[str]:
    """Return the problem of a file, if any; the files of an open project are not read."""
    try:
        refuse_project(path)
        content = path.read_bytes()
    except BadInputError as error:
        return [error.message]
    except OSError as error:
        return [f"{printable_name(name)} cannot be read ({error.strerror})"]
    if sha256(content) == digest:
        return []
    if name == ITEMS and are_parts(manifest.get("semantic")):
        return [describe_change(content, manifest["semantic"])]
    return [f"{printable_name(name)} has changed"]


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def read_release_folder(path: Path, _: Mapping[str, str]) -> Iterator[Candidate | RowError]:
    """Yield the items of a release folder as candidates. Raises `BadInputError` if the folder does not verify."""
    if not path.is_dir():
        raise BadInputError(f"{path.name} is not a release folder.")
    if read_manifest(path)["format"] != FORMAT:
        raise BadInputError(f"{path.name} is an export in another format. Import it in that format.")
    problems = verify_release_folder(path)
    if problems:
        raise BadInputError(
            f"{path.name} has changed since it was exported, so nothing was imported.", details=problems[:20]
        )
    for item in read_rows(path / "items.jsonl", item_candidate):
        if isinstance(item, Candidate) and item.place is not None:
            # The content hash is not lost: verification checked it, and the candidate computes its own.
            left_out = tuple(name for name in item.place.left_out if name != "content_hash")
            item = replace(item, place=replace(item.place, left_out=left_out))
        yield item


def item_candidate(row: Mapping[str, Any]) -> Candidate:
    """Return an item as the candidate it was frozen from, with its own key and its paraphrase."""
    prompt = row.get("prompt")
    original = row.get("original_prompt")
    is_rewritten = isinstance(original, str) and bool(original.strip()) and original != prompt
    extra = row.get("extra") or {}
    files = row.get("files") or {}
    if not isinstance(extra, dict) or not isinstance(files, dict):
        raise ColumnError("extra and files must be objects")
    if not all(isinstance(text, str) for text in files.values()):
        raise ColumnError("files must hold texts by name")
    key = row.get("key")
    if not isinstance(key, str) or not key.strip() or "\x00" in key:
        raise ColumnError("there is no text in column key")
    row_fields = {name: row.get(name) for name in FIELDS}
    fields = {
        **row_fields,
        "prompt": original if is_rewritten else prompt,
        "extra": {**extra, "files": files} if files else extra,
    }
    candidate = jsonl.row_candidate(fields, {}, prefix="annotator")
    # It keeps its key and language as written, so that importing a release into its own project adds nothing.
    candidate = replace(candidate, key=key, language=str(row.get("language") or ""))
    return replace(candidate, paraphrase=str(prompt)) if is_rewritten else candidate
