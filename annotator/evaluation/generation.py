"""The threads that ask: each takes the next request, asks, and hands the answer over at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from annotator.base.errors import KnownError
from annotator.evaluation.forecast import Budget
from annotator.evaluation.judging import Finished
from annotator.evaluation.planning import Planned
from annotator.jobs.progress import Progress
from annotator.llm import Answer, RequestFailedError

_LOOK_S = 0.1


@dataclass(frozen=True, slots=True)
class Failed:
    """A request without an answer after all attempts: machinery, to be asked again. ``cause`` groups them."""

    planned: Planned
    cause: str
    reason: str
    attempts: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why nothing more is asked: a sentence, or a bug that is to be raised."""

    reason: str
    error: BaseException | None = None


@dataclass(frozen=True, slots=True)
class Left:
    """A thread has ended."""


class Generation:
    """Threads between a plan and a queue of what came of it (`Finished`, `Failed`, `Stopped`, `Left`).

    The plan is read as requests are needed. Nothing is taken while the control is paused, while ``room`` says that
    too much waits to be scored, or while the budget might be passed; requests on the wire finish all the same.
    """

    def __init__(
        self,
        planned: Iterator[Planned],
        ask: Callable[[Planned], Answer],
        events: SimpleQueue[Any],
        control: Progress,
        budget: Budget,
        room: Callable[[], bool],
    ) -> None:
        """Start nothing yet."""
        self._planned, self._ask, self._events = planned, ask, events
        self._control, self._budget, self._room = control, budget, room
        self._condition = threading.Condition()
        self._closed = False
        self._waiting: Planned | None = None
        self._asking = 0
        self.capped = False

    def start(self, workers: int) -> None:
        """Start the threads; they end with the process, and with the plan."""
        for number in range(workers):
            threading.Thread(target=self._work, name=f"ask-{number}", daemon=True).start()

    def close(self) -> None:
        """Take nothing more."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()

    def _work(self) -> None:
        try:
            while (planned := self._next()) is not None:
                self._one(planned)
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that runs the engine
            self.close()
            self._events.put(Stopped(str(error), error))
        finally:
            self._events.put(Left())

    def _one(self, planned: Planned) -> None:
        answer: Answer | None = None
        outcome: Any = None
        try:
            answer = self._ask(planned)
        except RequestFailedError as error:
            outcome = Failed(planned, error.cause, error.message, error.attempts)
        except KnownError as error:
            # The endpoint refuses, or the client was stopped.
            outcome = Stopped(error.message)
        finally:
            cost = self._budget.settle(planned, answer)
            with self._condition:
                self._asking -= 1
                self._condition.notify_all()
        if answer is not None:
            outcome = Finished(planned, answer, cost)
        if isinstance(outcome, Stopped):
            self.close()
        if outcome is not None:
            self._events.put(outcome)

    def _next(self) -> Planned | None:
        """Return the next request when it may be asked; None when nothing more is to be."""
        with self._condition:
            while not self._closed:
                if self._control.cancelled:
                    return None
                if self._control.paused or not self._room():
                    self._condition.wait(_LOOK_S)
                    continue
                if self._waiting is None:
                    self._waiting = next(self._planned, None)
                if self._waiting is None:
                    return None
                if self._budget.reserve(self._waiting):
                    planned, self._waiting = self._waiting, None
                    self._asking += 1
                    return planned
                if not self._asking:
                    # Nothing on the wire can give anything back: this is the cap.
                    self.capped, self._closed = True, True
                    self._condition.notify_all()
                    return None
                self._condition.wait(_LOOK_S)
            return None
