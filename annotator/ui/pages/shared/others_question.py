"""The confirmation before deciding on a subject that another person or window has reserved or decided."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Protocol, TypeVar

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from annotator.model.rows.queue_rows import DecidedRow, HeldRow
from annotator.services.select.triage import OthersWorkError
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import OnError, WorkFailure
from annotator.ui.app.translation import mark_for_translation, tr, tr_count, translate_word
from annotator.ui.widgets.dialog import ask_question

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
_VERDICTS = {
    "accept": mark_for_translation("accepted"),
    "reject": mark_for_translation("rejected"),
    "skip": mark_for_translation("skipped"),
    "flag": mark_for_translation("flagged"),
}


class CheckedAct(Protocol[T_co]):
    """A service that decides on candidates; without ``anyway``, it refuses those reserved or decided by others."""

    def __call__(self, *, anyway: bool) -> T_co:
        """Decide, or raise `OthersWorkError`."""
        ...


class OthersQuestion(QObject):
    """Runs acts and asks for confirmation of those refused because of other people's work, one question at a time."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        """``parent`` is the window that questions are shown over."""
        super().__init__(parent)
        self._session, self._parent = session, parent
        self._refusals: list[tuple[OthersWorkError, Callable[[], object]]] = []
        self._is_asking = False

    def act(self, act: CheckedAct[T], on_done: Callable[[T], object] | None = None, on_error: OnError = None) -> None:
        """Run an act as `Session.act` does; if it is refused, run it again once the user agrees."""
        retry = partial(self._session.act, partial(act, anyway=True), on_done, on_error)
        self._session.act(partial(act, anyway=False), on_done, partial(self._take_failure, retry, on_error))

    def ask(self, error: OthersWorkError, retry: Callable[[], object]) -> None:
        """Ask whether to decide in spite of other people's work; call ``retry`` if the user agrees."""
        self._refusals.append((error, retry))
        self._ask_next()

    def _take_failure(self, retry: Callable[[], object], on_error: OnError, failure: WorkFailure) -> None:
        if isinstance(failure.error, OthersWorkError):
            self.ask(failure.error, retry)
        elif on_error is not None:
            on_error(failure)
        else:
            self._session.failed.emit(failure)

    def _ask_next(self) -> None:
        if self._is_asking or not self._refusals:
            return
        self._is_asking = True
        error, retry = self._refusals.pop(0)
        ask_question(
            self._parent,
            "others-question",
            tr("Decide anyway?"),
            describe_others(error),
            partial(self._take_answer, retry),
            proceed=tr("Decide anyway"),
            stay=tr("Leave unchanged"),
        )

    def _take_answer(self, retry: Callable[[], object], has_agreed: bool) -> None:
        self._is_asking = False
        if has_agreed:
            retry()
        self._ask_next()


def describe_others(error: OthersWorkError) -> str:
    """Describe which candidates others hold or have decided."""
    parts = []
    if error.held_row is not None:
        parts.append(_held_text(error.held_row, error.held_count))
    if error.decided_row is not None:
        parts.append(_decided_text(error.decided_row, error.decided_count))
    return " ".join(parts)


def _held_text(held_row: HeldRow, count: int) -> str:
    if count > 1:
        return tr_count("{count} candidate is reserved by others.", "{count} candidates are reserved by others.", count)
    return tr(
        "{key} is reserved by {person} until {time}.",
        key=held_row.key,
        person=held_row.person,
        time=lease_end_text(held_row.seconds_left),
    )


def _decided_text(decided_row: DecidedRow, count: int) -> str:
    if count > 1:
        return tr_count("{count} candidate was decided by others.", "{count} candidates were decided by others.", count)
    verdict = translate_word(_VERDICTS.get(decided_row.verdict, decided_row.verdict))
    if decided_row.mine:
        return tr("{key} was {verdict} in another window or by a command.", key=decided_row.key, verdict=verdict)
    return tr("{key} was {verdict} by {person}.", key=decided_row.key, verdict=verdict, person=decided_row.person)


def lease_end_text(seconds_left: float) -> str:
    """Return the local time at which a lease ends; this machine's clock may differ from the server's."""
    return f"{datetime.now() + timedelta(seconds=seconds_left):%H:%M}"
