"""The journal of drafts: what people typed and have not saved, in a folder beside the project, one small file each.

The project itself never holds a draft, so copies of it (backups, packets, shares, exports) have none.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from annotator.base.addresses import Place
from annotator.base.errors import MissingEnvironmentError
from annotator.base.ids import content_hash
from annotator.base.messages import Message
from annotator.base.paths import DRAFTS_SUFFIX, data_dir
from annotator.model.rows.drafts import Draft, DraftKey
from annotator.store.file.project_file import ProjectFile

_FORMAT = "annotator-draft-1"
_NAME = re.compile(r"[0-9a-f]{32}\.json")
_PART = ".part"
_MOST_BYTES = 64 * 1024 * 1024
_ABANDONED_S = 24 * 3600


def draft_folder(place: Place) -> Path:
    """Return the folder of a project's drafts: beside its file, or in the user's data folder for one on a server."""
    if isinstance(place, Path):
        return place.with_name(f"{place.name}{DRAFTS_SUFFIX}")
    # Who works there is no part of the address: each file names its person.
    address = str(replace(place, annotator=""))
    return data_dir() / "drafts" / hashlib.sha256(address.encode()).hexdigest()[:32]


def keep(store: ProjectFile, draft: Draft) -> None:
    """Write a draft to disk in place of the one before; nothing is written for a read-only project.

    Raises `MissingEnvironmentError` if it cannot be written; the draft before is still there then.
    """
    if store.read_only:
        return
    folder = draft_folder(store.place)
    try:
        if not isinstance(store.place, Path):
            folder.parent.mkdir(parents=True, exist_ok=True)
        _write(folder, draft)
    except FileNotFoundError:
        # Another window discarded the last draft and with it the folder, just now.
        _try_again(folder, draft)
    except OSError as error:
        raise _not_kept(folder, error) from error


def discard(store: ProjectFile, key: DraftKey, window: str = "", text: str | None = None) -> None:
    """Take a draft of a window off the disk if there is one; with ``text``, only if it still is this.

    The folder goes with the last draft. Raises `MissingEnvironmentError`.
    """
    if store.read_only:
        return
    folder = draft_folder(store.place)
    path = folder / _file_name(key, window)
    if text is not None and (found := _read(path)) is not None and found.text != text:
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
        return  # Other drafts are in it, or there was none.


def drafts(store: ProjectFile) -> tuple[Draft, ...]:
    """Return the drafts of whoever works in the project now, oldest first; of one text there may be several.

    What is not a whole draft of ours is left alone and left out. A read-only project offers none, as they could not be
    saved there.
    """
    if store.read_only:
        return ()
    folder = draft_folder(store.place)
    found = [draft for draft in _read_all(folder) if draft.key.person_id == store.annotator.id]
    return tuple(sorted(found, key=_written_at))


def _written_at(draft: Draft) -> tuple[str, str, str]:
    return draft.written_at, draft.key.field, draft.key.item_id


def _not_kept(folder: Path, error: OSError) -> MissingEnvironmentError:
    return MissingEnvironmentError(
        Message(
            "What you type cannot be kept in {folder} until you save it ({reason}). Make room there, and save often "
            "meanwhile.",
            folder=folder.name,
            reason=error.strerror,
        )
    )


def _try_again(folder: Path, draft: Draft) -> None:
    try:
        _write(folder, draft)
    except OSError as error:
        raise _not_kept(folder, error) from error


def _write(folder: Path, draft: Draft) -> None:
    """Write a file that appears whole or not at all, for nobody else to read."""
    folder.mkdir(mode=0o700, exist_ok=True)
    # Made with mode 0600 and a name of its own: two windows of one person may write at the same time.
    handle, part = tempfile.mkstemp(suffix=_PART, prefix=".", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            json.dump(_as_document(draft), file)
            file.flush()
            os.fsync(handle)
        Path(part).replace(folder / _file_name(draft.key, draft.window))
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def _file_name(key: DraftKey, window: str) -> str:
    return f"{content_hash([key.person_id, key.field, key.item_id, window])[:32]}.json"


def _as_document(draft: Draft) -> dict[str, str]:
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


def _read_all(folder: Path) -> Iterator[Draft]:
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return
    for path in paths:
        if path.name.endswith(_PART):
            _remove_abandoned(path)
        elif _NAME.fullmatch(path.name):
            draft = _read(path)
            if draft is not None:
                yield draft


def _read(path: Path) -> Draft | None:
    """Return the draft in a file, None for what is broken or not ours."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return None
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        return None
    if found.keys() != _as_document(Draft(key=DraftKey("", "", ""), text="")).keys() or found["format"] != _FORMAT:
        return None
    key = DraftKey(found["person"], found["field"], found["item"])
    if path.name != _file_name(key, found["window"]):
        return None
    return Draft(
        key=key,
        text=found["text"],
        subject_id=found["subject"],
        began_from=found["began_from"],
        written_at=found["written_at"],
        window=found["window"],
    )


def _remove_abandoned(part: Path) -> None:
    """Remove what a process that was killed in the middle of writing left behind, once it is a day old."""
    try:
        if time.time() - part.stat().st_mtime > _ABANDONED_S:
            part.unlink()
    except OSError:
        return
