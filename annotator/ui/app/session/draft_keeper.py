"""Keeps unsaved text as drafts: it is in the journal on disk within a second of typing."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from functools import partial
from uuid import uuid4

from PySide6.QtCore import QObject, QTimer, Signal

from annotator.base.clock import now_text
from annotator.base.errors import KnownError
from annotator.model.rows.draft_rows import Draft, DraftKey
from annotator.services.project import draft_journal
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.bridge import Bridge
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.translation import tr_message
from annotator.ui.widgets.fields import debounce

LANE = "drafts"
# Typing does not restart the timer. On a busy machine, the write itself may take half a second.
_WRITE_MS = 200
_RETRY_MS = 5_000
_FLUSH_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class PendingWrite:
    """A draft to be written to disk, or deleted; a draft of another window is deleted only if it has not changed."""

    draft: Draft
    is_kept: bool
    is_own: bool


class DraftKeeper(QObject):
    """Keeps the current annotator's drafts in the open project; a read-only project has no drafts."""

    write_failed = Signal(str)
    """The reason why drafts cannot be written; not emitted again until a write has succeeded."""
    has_draft_changed = Signal(str, str)
    """The field and the item of a draft that was created or removed."""
    flushing = Signal()
    """Drafts are about to be written, so fields that update with a delay must pass on their text now."""
    drafts_loaded = Signal()
    """The drafts were loaded from disk, on opening or after a change of annotator."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__(bridge)
        self._bridge = bridge
        self._store: ProjectFile | None = None
        self._drafts: dict[DraftKey, Draft] = {}
        self._pending: dict[tuple[DraftKey, str], PendingWrite] = {}
        self._window = uuid4().hex[:12]
        self._is_writing = False
        self._has_warned = False
        self._timer: QTimer = debounce(self, _WRITE_MS, self._write)

    # -- a project ------------------------------------------------------------------------------------------------

    def begin(self, store: ProjectFile) -> None:
        """Start keeping drafts for an opened project; those on disk are loaded at once."""
        self._store = store
        self._is_writing = self._has_warned = False
        self._pending.clear()
        # Read in this thread, so that no page shows a text without its draft. Usually there are none, so it is fast.
        self._load_drafts(draft_journal.load_drafts(store))

    def end(self) -> None:
        """Write pending drafts, and stop keeping drafts until the next project."""
        self.flush()
        self._store = None
        self._drafts.clear()
        self._pending.clear()

    def flush(self) -> bool:
        """Wait until pending drafts are on disk; return whether all were written."""
        self.flushing.emit()
        self._timer.stop()
        store, writes = self._store, tuple(self._pending.values())
        self._pending.clear()
        if store is None or not (writes or self._is_writing):
            return True
        try:
            failed, _ = self._bridge.lanes.submit(LANE, partial(_write_all, store, writes)).result(_FLUSH_SECONDS)
        except (KnownError, CancelledError, TimeoutError):
            return False
        self._requeue(failed)
        return not failed

    def read_again(self) -> None:
        """Load the drafts of the current annotator."""
        store = self._store
        if store is not None:
            self.flush()
            self._bridge.run(LANE, partial(draft_journal.load_drafts, store), self._load_drafts, latest="drafts")

    def _load_drafts(self, drafts: Sequence[Draft]) -> None:
        # The newest draft of each text wins; an older one of another window stays on disk.
        self._drafts = {draft.key: draft for draft in drafts}
        self.drafts_loaded.emit()

    # -- a field --------------------------------------------------------------------------------------------------

    @property
    def drafts(self) -> tuple[Draft, ...]:
        """All drafts, oldest first."""
        return tuple(self._drafts.values())

    def draft(self, field: str, item_id: str) -> Draft | None:
        """Return the draft of a field for an item."""
        key = self._key(field, item_id)
        return self._drafts.get(key) if key is not None else None

    def keep(self, field: str, item_id: str, text: str, *, subject_id: str = "", began_from: str = "") -> None:
        """Keep a typed text as a draft; ``began_from`` is the revision that it is based on, or empty."""
        key = self._key(field, item_id)
        if key is None:
            return
        earlier = self._drafts.get(key)
        if earlier is None:
            draft = Draft(
                key=key,
                text=text,
                subject_id=subject_id,
                began_from=began_from,
                written_at=now_text(),
                window=self._window,
            )
        elif earlier.text == text:
            return
        else:
            draft = replace(earlier, text=text, written_at=now_text(), window=self._window)
        self._drafts[key] = draft
        self._queue_write(draft, is_kept=True)
        if earlier is None:
            self.has_draft_changed.emit(field, item_id)
        if earlier is not None and earlier.window != self._window:
            # This draft continues one of another window; delete that one once this one is on disk.
            self._queue_write(earlier, is_kept=False)

    def discard(self, field: str, item_id: str) -> None:
        """Discard the draft of a field for an item."""
        key = self._key(field, item_id)
        draft = self._drafts.pop(key, None) if key is not None else None
        if draft is not None:
            self._queue_write(draft, is_kept=False)
            self.has_draft_changed.emit(field, item_id)

    def finish(self, field: str, item_id: str, text: str | None = None) -> None:
        """Discard the draft of a field for an item after ``text`` was saved, unless it has changed since."""
        draft = self.draft(field, item_id)
        if draft is not None and (text is None or draft.text == text):
            self.discard(field, item_id)

    def _key(self, field: str, item_id: str) -> DraftKey | None:
        store = self._store
        return DraftKey(store.annotator.id, field, item_id) if store is not None and not store.read_only else None

    # -- writing --------------------------------------------------------------------------------------------------

    def _queue_write(self, draft: Draft, *, is_kept: bool) -> None:
        self._pending[draft.key, draft.window] = PendingWrite(draft, is_kept, draft.window == self._window)
        if not self._timer.isActive() and not self._is_writing:
            self._timer.start(_WRITE_MS)

    def _write(self) -> None:
        store = self._store
        if store is None or self._is_writing or not self._pending:
            return
        writes = tuple(self._pending.values())
        self._pending.clear()
        self._is_writing = True
        self._bridge.run(LANE, partial(_write_all, store, writes), self._finish_write, self._fail_write)

    def _finish_write(self, result: tuple[tuple[PendingWrite, ...], str]) -> None:
        failed, reason = result
        self._is_writing = False
        self._requeue(failed)
        if failed and not self._has_warned:
            self.write_failed.emit(reason)
        self._has_warned = bool(failed)
        if self._pending:
            self._timer.start(_RETRY_MS if failed else _WRITE_MS)

    def _requeue(self, failed: Sequence[PendingWrite]) -> None:
        for write in failed:
            self._pending.setdefault((write.draft.key, write.draft.window), write)

    def _fail_write(self, failure: WorkFailure) -> None:
        self._is_writing = False
        self._bridge.failed.emit(failure)


def _write_all(store: ProjectFile, writes: Sequence[PendingWrite]) -> tuple[tuple[PendingWrite, ...], str]:
    """Write drafts to disk; return those that failed, and the reason."""
    failed: list[PendingWrite] = []
    reason = ""
    for write in writes:
        draft = write.draft
        if not write.is_kept and any(draft.key == other.draft.key for other in failed):
            # The draft that continues this one is not on disk yet.
            failed.append(write)
            continue
        try:
            if write.is_kept:
                draft_journal.save_draft(store, draft)
            else:
                draft_journal.discard_draft(store, draft.key, draft.window, None if write.is_own else draft.text)
        except KnownError as error:
            failed.append(write)
            reason = tr_message(error.message)
    return tuple(failed), reason
