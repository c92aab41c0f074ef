"""The queue of responses to score while others are requested: identical responses are scored once."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from annotator.base.errors import MissingEnvironmentError
from annotator.base.ids import content_hash
from annotator.evaluation.executors import ScoringExecutor, WorkerLostError
from annotator.evaluation.planning import AnsweredRequest

ATTEMPTS = 3
"""Number of lost workers after which a response is not scored."""
_MAX_CACHED_RESULTS = 4096


@dataclass(frozen=True, slots=True)
class ScoreKey:
    """The inputs of a score besides the criterion: the item, the text, and its finish reason."""

    item_id: str
    text_hash: str
    finish_reason: str


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """The score of a response; ``shared`` if it was copied from an identical one.

    ``result`` is the scoring function's result, or None if scoring failed for technical reasons; ``problem`` says why.
    """

    finished: AnsweredRequest
    result: Any
    shared: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Scoring:
    """How responses are scored: the executor, and the function that makes a job of a response."""

    executor: ScoringExecutor
    job_of: Callable[[AnsweredRequest], Any]


class ScoringQueue:
    """Submits responses to an executor, a few more than it can run at once, and returns their scores.

    Its methods are called from one thread; a job that is done is put into ``events``, to be passed to `settle`.
    """

    def __init__(
        self,
        scoring: Scoring,
        events: SimpleQueue[Any],
        find_stored: Callable[[Collection[ScoreKey]], Mapping[ScoreKey, Any]],
    ) -> None:
        """``find_stored`` returns stored results by key."""
        self._executor = scoring.executor
        self._job_of = scoring.job_of
        self._events = events
        self._find_stored = find_stored
        self._ahead = self._executor.ahead
        self._waiting: dict[ScoreKey, list[AnsweredRequest]] = {}
        self._queue: deque[ScoreKey] = deque()
        self._running: dict[Future[Any], ScoreKey] = {}
        self._backlog = 0
        self._lost: dict[ScoreKey, int] = {}
        self._results: OrderedDict[ScoreKey, Any] = OrderedDict()
        self.executed = 0

    @property
    def backlog(self) -> int:
        """How many responses wait for a score, their own or an identical one's."""
        return self._backlog

    @property
    def idle(self) -> bool:
        """Whether nothing is left to score."""
        return not self._waiting

    def add(self, batch: Sequence[AnsweredRequest]) -> list[ScoredAnswer]:
        """Queue responses; return the scores of those whose identical response is already scored."""
        requests_with_keys = [
            (
                ScoreKey(request.planned.item_id, content_hash(request.answer.text), request.answer.finish_reason),
                request,
            )
            for request in batch
        ]
        new_keys = dict.fromkeys(
            key for key, _ in requests_with_keys if key not in self._waiting and key not in self._results
        )
        stored = self._find_stored(new_keys) if new_keys else {}
        scored = []
        for key, request in requests_with_keys:
            result = self._results.get(key)
            if result is None:
                result = stored.get(key)
            if result is not None:
                self._remember(key, result)
                scored.append(ScoredAnswer(request, result, shared=True))
                continue
            self._backlog += 1
            if key in self._waiting:
                self._waiting[key].append(request)
            else:
                self._waiting[key] = [request]
                self._queue.append(key)
        self._submit()
        return scored

    def is_job(self, future: Future[Any]) -> bool:
        """Return whether a future is that of a job under way."""
        return future in self._running

    def settle(self, future: Future[Any]) -> list[ScoredAnswer]:
        """Process a finished job; return the scores that it decides. A lost worker costs a retry."""
        key = self._running.pop(future)
        error = future.exception()
        if isinstance(error, WorkerLostError):
            self._lost[key] = self._lost.get(key, 0) + 1
            if self._lost[key] < ATTEMPTS:
                self._queue.append(key)
                self._submit()
                return []
        answers = self._waiting.pop(key)
        self._backlog -= len(answers)
        self._lost.pop(key, None)
        self._submit()
        if error is not None:
            return [ScoredAnswer(answer, None, problem=f"{type(error).__name__}: {error}"[:500]) for answer in answers]
        result = future.result()
        self._remember(key, result)
        return [ScoredAnswer(answer, result, shared=number > 0) for number, answer in enumerate(answers)]

    def _submit(self) -> None:
        while self._queue and len(self._running) < self._ahead:
            key = self._queue[0]
            job = self._job_of(self._waiting[key][0])
            try:
                future = self._executor.submit(job)
            except MissingEnvironmentError:
                # The engine asks for the executor's obstacle, which raises and ends the run; the queue stays intact.
                return
            except (OSError, RuntimeError) as error:
                # The executor itself is gone or closed.
                future = Future()
                future.set_exception(WorkerLostError(str(error)))
            self._queue.popleft()
            self._running[future] = key
            self.executed += 1
            future.add_done_callback(self._events.put)

    def _remember(self, key: ScoreKey, result: Any) -> None:
        """Cache the newest results: the samples of an item come close together, and the store has the rest."""
        self._results[key] = result
        self._results.move_to_end(key)
        while len(self._results) > _MAX_CACHED_RESULTS:
            self._results.popitem(last=False)
