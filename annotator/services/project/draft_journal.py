"""Store drafts (unsaved text) as one small file per draft in a folder next to the project.

Drafts are never stored in the project itself, so backups, packets, shares and exports do not contain them.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from annotator.base.addresses import Place
from annotator.base.errors import MissingEnvironmentError
from annotator.base.ids import content_hash, is_hex
from annotator.base.messages import Message
from annotator.base.paths import DRAFTS_SUFFIX, data_dir
from annotator.model.rows.draft_rows import Draft, DraftKey
from annotator.store.file.project_file import ProjectFile

_FORMAT = "annotator-draft-1"
_PART_SUFFIX = ".part"
_MAX_FILE_BYTES = 64 * 1024 * 1024
_ABANDONED_AFTER_S = 24 * 3600


def draft_folder(place: Place) -> Path:
    """Return the folder of a project's drafts: next to its file, or in the user's data folder for one on a server."""
    if isinstance(place, Path):
        return place.with_name(f"{place.name}{DRAFTS_SUFFIX}")
    # Everybody's drafts share a folder: each file names its author.
    address = str(replace(place, annotator=""))
    return data_dir() / "drafts" / hashlib.sha256(address.encode()).hexdigest()[:32]


def save_draft(store: ProjectFile, draft: Draft) -> None:
    """Write a draft to disk, replacing the previous one; does nothing for a read-only project.

    Raises `MissingEnvironmentError` if it cannot be written; the previous draft is then still there.
    """
    if store.read_only:
        return
    folder = draft_folder(store.place)
    try:
        if not isinstance(store.place, Path):
            folder.parent.mkdir(parents=True, exist_ok=True)
        try:
            _write_draft(folder, draft)
        except FileNotFoundError:
            # Another window has just discarded the last draft and removed the folder with it.
            _write_draft(folder, draft)
    except OSError as error:
        raise MissingEnvironmentError(
            Message(
                "Drafts cannot be written to {folder} ({reason}). Free some space there; until then, save often.",
                folder=folder.name,
                reason=error.strerror,
            )
        ) from error


def discard_draft(store: ProjectFile, key: DraftKey, window: str = "", text: str | None = None) -> None:
    """Delete a window's draft if there is one; with ``text``, only if the draft still has that text.

    The folder is removed with the last draft. Raises `MissingEnvironmentError` if the file cannot be deleted.
    """
    if store.read_only:
        return
    folder = draft_folder(store.place)
    path = folder / _build_file_name(key, window)
    if text is not None and (stored := _read_draft(path)) is not None and stored.text != text:
        return
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise MissingEnvironmentError(
            Message(
                "A draft that is no longer needed could not be removed from {folder} ({reason}).",
                folder=folder.name,
                reason=error.strerror,
            )
        ) from error
    try:
        folder.rmdir()
    except OSError:
        return  # The folder holds other drafts, or does not exist.


def load_drafts(store: ProjectFile) -> tuple[Draft, ...]:
    """Return the current annotator's drafts, oldest first; several windows may each have a draft of one field.

    Files that are not complete drafts are skipped and not deleted. A read-only project has no drafts, since they could
    not be saved there.
    """
    if store.read_only:
        return ()
    folder = draft_folder(store.place)
    own_drafts = [draft for draft in _read_drafts(folder) if draft.key.person_id == store.annotator.id]
    return tuple(sorted(own_drafts, key=lambda draft: (draft.written_at, draft.key.field, draft.key.item_id)))


def _write_draft(folder: Path, draft: Draft) -> None:
    """Write a draft atomically, readable by its owner only."""
    folder.mkdir(mode=0o700, exist_ok=True)
    # mkstemp gives mode 0600 and a unique name: two windows of one person may write at the same time.
    handle, part = tempfile.mkstemp(suffix=_PART_SUFFIX, prefix=".", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            json.dump(_convert_to_document(draft), file)
            file.flush()
            os.fsync(handle)
        Path(part).replace(folder / _build_file_name(draft.key, draft.window))
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def _build_file_name(key: DraftKey, window: str) -> str:
    return f"{content_hash([key.person_id, key.field, key.item_id, window])[:32]}.json"


def _convert_to_document(draft: Draft) -> dict[str, str]:
    return {
        "format": _FORMAT,
        "person": draft.key.person_id,
        "field": draft.key.field,
        "item": draft.key.item_id,
        "subject": draft.subject_id,
        "began_from": draft.began_from,
        "written_at": draft.written_at,
        "window": draft.window,
        "text": draft.text,
    }


def _read_drafts(folder: Path) -> Iterator[Draft]:
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return
    for path in paths:
        if path.name.endswith(_PART_SUFFIX):
            _remove_abandoned(path)
        elif path.suffix == ".json" and is_hex(path.stem, (32,)):
            draft = _read_draft(path)
            if draft is not None:
                yield draft


def _read_draft(path: Path) -> Draft | None:
    """Return the draft in a file, None if the file is damaged or not a draft."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MAX_FILE_BYTES:
            return None
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or not all(isinstance(value, str) for value in content.values()):
        return None
    if (
        content.keys() != _convert_to_document(Draft(key=DraftKey("", "", ""), text="")).keys()
        or content["format"] != _FORMAT
    ):
        return None
    key = DraftKey(content["person"], content["field"], content["item"])
    if path.name != _build_file_name(key, content["window"]):
        return None
    return Draft(
        key=key,
        text=content["text"],
        subject_id=content["subject"],
        began_from=content["began_from"],
        written_at=content["written_at"],
        window=content["window"],
    )


def _remove_abandoned(part: Path) -> None:
    """Remove the temporary file of a process that was killed while writing, once the file is a day old."""
    try:
        if time.time() - part.stat().st_mtime > _ABANDONED_AFTER_S:
            part.unlink()
    except OSError:
        return
