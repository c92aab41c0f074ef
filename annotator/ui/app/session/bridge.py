"""Passes work to worker threads, and its results back to the main thread."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from functools import partial
from typing import Any, NamedTuple, TypeVar

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from shiboken6 import isValid

from annotator.base.errors import KnownError
from annotator.jobs.lanes import Lanes
from annotator.ui.app.session.session_notices import OnError, WorkFailure, failure_of
from annotator.ui.app.translation import tr
from annotator.ui.loading import load_services

T = TypeVar("T")
_log = logging.getLogger("annotator.ui")

_STORE_LANE = "store"
_FLUSH_SECONDS = 30.0


class RequestKey(NamedTuple):
    """Identifies requests that replace each other; those without a name do not."""

    receiver_id: int
    name: str


class _WorkRequest(NamedTuple):
    """A piece of work in a lane: its callbacks, and the numbers that tell whether its result is still needed."""

    lane: str
    on_done: Callable[[Any], object] | None
    on_error: OnError
    generation: int
    key: RequestKey
    number: int


def find_receiver(callback: Callable[..., object] | None) -> object | None:
    """Return the object to which a callback is bound, or None for a plain function."""
    while isinstance(callback, partial):
        callback = callback.func
    return getattr(callback, "__self__", None)


def is_receiver_deleted(callback: Callable[..., object] | None) -> bool:
    """Return whether a callback belongs to a deleted Qt object, such as a closed dialog."""
    receiver = find_receiver(callback)
    return isinstance(receiver, QObject) and not isValid(receiver)


class Bridge(QObject):
    """Passes work to lanes and results back to the main thread; results of an older generation are dropped.

    A new generation starts when the project is closed. Results are delivered by queued signals of this one object,
    because functions connected to a worker's own signals would run in the worker thread.
    """

    failed = Signal(object)
    """The `WorkFailure` of work without ``on_error``."""
    _posted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.lanes = Lanes(load_services)
        self._generation = 0
        self._latest: dict[RequestKey, int] = {}
        self._flush_failures: list[WorkFailure] | None = None
        self._posted.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        lane: str,
        work: Callable[[], T],
        on_done: Callable[[T], object] | None = None,
        on_error: OnError = None,
        *,
        latest: str = "",
    ) -> None:
        """Run ``work`` in a lane of `annotator.jobs.lanes` and pass its result to ``on_done`` in the main thread.

        Requests of one object that supersede each other (the current subject, the typed search) share a ``latest``
        name: only the newest result is delivered, and superseded requests that have not started are not run.
        """
        try:
            self._submit(lane, work, on_done, on_error, latest=latest)
        except KnownError as error:
            self._report(failure_of(error), on_error)

    def flush(self, seconds: float = _FLUSH_SECONDS) -> tuple[WorkFailure, ...]:
        """Wait until all work submitted to lane *store* so far is done; return its failures."""
        self._flush_failures = []
        try:
            self.lanes.submit(_STORE_LANE, _do_nothing).result(seconds)
        except TimeoutError:
            self._flush_failures.append(
                WorkFailure(message=tr("Saving takes longer than expected; it is still running."))
            )
        except (KnownError, CancelledError) as error:
            self._flush_failures.append(failure_of(error))
        # The results are still in this object's event queue; deliver them now.
        QCoreApplication.sendPostedEvents(self, 0)
        failures = tuple(self._flush_failures)
        self._flush_failures = None
        return failures

    def _new_generation(self) -> None:
        """Drop all results of work submitted so far."""
        self._generation += 1
        self._latest.clear()

    def _submit(
        self,
        lane: str,
        work: Callable[[], T],
        on_done: Callable[[T], object] | None,
        on_error: OnError,
        *,
        latest: str = "",
    ) -> Future[T | None]:
        key = RequestKey(receiver_id=id(find_receiver(on_done)), name=latest)
        number = self._latest.get(key, 0) + 1
        if latest:
            self._latest[key] = number
        request = _WorkRequest(lane, on_done, on_error, self._generation, key, number)
        return self.lanes.submit(lane, partial(self._work, request, work))

    def _is_replaced(self, request: _WorkRequest) -> bool:
        return bool(request.key.name) and self._latest.get(request.key) != request.number

    def _work(self, request: _WorkRequest, work: Callable[[], T]) -> T | None:
        """Run ``work`` in the worker thread and post its result or failure; never raises."""
        if self._is_replaced(request):
            return None
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - every error is reported to the user
            failure = failure_of(self.explain(error))
            is_save = request.lane == _STORE_LANE
            self._post(request.generation, partial(self._report, failure, request.on_error, saving=is_save))
            return None
        if request.on_done is not None:
            self._post(request.generation, partial(self._finish, request, request.on_done, result))
        return result

    def explain(self, error: BaseException) -> BaseException:
        """Return the error to report for this one, such as its actual cause; subclasses override it."""
        return error

    def _post(self, generation: int, call: Callable[[], object]) -> None:
        try:
            self._posted.emit((generation, call))
        except RuntimeError:  # the window is gone
            _log.info("a result arrived after the window was closed")

    def _deliver(self, delivery: tuple[int, Callable[[], object]]) -> None:
        generation, call = delivery
        if generation != self._generation:
            return
        try:
            call()
        except Exception as error:  # noqa: BLE001 - a slot must not raise; the error is shown instead
            self._report(failure_of(error), None)

    def _finish(self, request: _WorkRequest, on_done: Callable[[Any], object], result: object) -> None:
        if not self._is_replaced(request) and not is_receiver_deleted(on_done):
            on_done(result)

    def _report(self, failure: WorkFailure, on_error: OnError, *, saving: bool = False) -> None:
        if not isinstance(failure.error, KnownError):
            _log.error("unexpected error", exc_info=failure.error)
        if saving and self._flush_failures is not None:
            self._flush_failures.append(failure)
        if on_error is not None and not is_receiver_deleted(on_error):
            on_error(failure)
        else:
            self.failed.emit(failure)


def _do_nothing() -> None:
    """Do nothing; when this has run, everything queued before it has run too."""
