"""Write the engine's answers, failures and scores to the project as soon as they exist, and look up cached answers."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from annotator.base.records import record_from
from annotator.evaluation.answer_scoring import ScoredResponse, unscorable
from annotator.evaluation.batch_queue import SentBatch
from annotator.evaluation.planning import AnsweredRequest, FailedRequest, PlannedRequest
from annotator.evaluation.scoring_queue import ScoredAnswer, ScoreKey
from annotator.llm.answers import Answer
from annotator.llm.requests import Request
from annotator.model.vocabulary import Outcome
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import run_data
from annotator.store.runs.run_data import Place, StoredAnswer, StoredFailure, StoredScore

_ROWS_PER_READ = 200
_BATCHES_SETTING = "batches"
_LOOK_AHEAD = 32
"""The number of requests that are looked up together."""
_UNANSWERED_TTL_S = 0.5
"""How long it is trusted that a request has no stored answer."""


class StoreCache:
    """Cached answers by request hash: those on disk, and those not written yet."""

    def __init__(self, store: ProjectFile) -> None:
        self._store = store
        self._unwritten: dict[str, Answer] = {}
        self._lock = threading.Lock()
        # Hash of a request without an answer -> time until which that is trusted.
        self._unanswered: dict[str, float] = {}
        self._recently_added: set[str] = set()

    def prefetch(self, planned: Iterable[PlannedRequest]) -> Iterator[PlannedRequest]:
        """Yield planned requests; look up unanswered ones in batches, so that `get` need not read the disk for them."""
        remaining = iter(planned)
        while batch := list(islice(remaining, _LOOK_AHEAD)):
            self._look_up([item.hash for item in batch])
            yield from batch

    def _look_up(self, hashes: Sequence[str]) -> None:
        with self._lock:
            # An answer that is put and written during the read below would be missed in both places.
            self._recently_added = set(self._unwritten)
        with self._store.read() as db:
            answered = run_data.answered_hashes(db, hashes)
        now = time.monotonic()
        with self._lock:
            fresh = dict.fromkeys(set(hashes) - answered - self._recently_added, now + _UNANSWERED_TTL_S)
            self._unanswered = {
                name: trusted_until for name, trusted_until in self._unanswered.items() if trusted_until > now
            } | fresh

    def get(self, request_hash: str) -> Answer | None:
        """Return the answer to a request, None if there is none."""
        with self._lock:
            unwritten = self._unwritten.get(request_hash)
            trusted_until = self._unanswered.pop(request_hash, 0.0)
        if unwritten is not None:
            return unwritten
        if trusted_until > time.monotonic():
            return None
        with self._store.read() as db:
            row = run_data.cached_answer(db, request_hash)
        return answer_from_stored(row) if row is not None else None

    def store_answer(self, answer: Answer) -> None:
        """Hold an answer until the sink has written it."""
        with self._lock:
            self._unwritten[answer.request_hash] = answer
            self._recently_added.add(answer.request_hash)
            self._unanswered.pop(answer.request_hash, None)

    def forget_written(self, request_hash: str) -> None:
        """Forget an answer that has been written."""
        with self._lock:
            self._unwritten.pop(request_hash, None)


def answer_from_stored(row: StoredAnswer) -> Answer:
    """Convert a stored answer to the engine's record."""
    return record_from(Answer, row, model=row.served_model, usage=dict(row.usage), request=dict(row.request))


def answer_to_stored(item: AnsweredRequest) -> StoredAnswer:
    """Convert an engine's answer to the store's record."""
    answer = item.answer
    planned = item.planned
    return record_from(
        StoredAnswer,
        answer,
        subject_id=planned.item_id,
        sample=planned.sample,
        request_hash=planned.hash,
        served_model=answer.model,
        template=planned.template,
        label=planned.label,
        cost=item.cost,
    )


class StoreSink:
    """The engine's sink: writes to a project. ``hashes`` is item id -> hash of the criterion that scores it.

    ``outcomes`` counts the scores written by this sink.
    """

    def __init__(
        self, store: ProjectFile, run_id: str, model_id: str, hashes: Mapping[str, str], cache: StoreCache | None = None
    ) -> None:
        self._store = store
        self._run_id = run_id
        self._model_id = model_id
        self._hashes = hashes
        self._cache = cache
        self.outcomes: Counter[str] = Counter()

    def answers(self, batch: Sequence[AnsweredRequest]) -> None:
        """Write answers, in one transaction."""
        with self._store.write(durable=False) as db:
            run_data.add_answers(db, self._run_id, self._model_id, (answer_to_stored(item) for item in batch))
        if self._cache is not None:
            for item in batch:
                self._cache.forget_written(item.planned.hash)

    def failures(self, batch: Sequence[FailedRequest]) -> None:
        """Write requests without an answer."""
        rows = [
            record_from(StoredFailure, item, subject_id=item.planned.item_id, sample=item.planned.sample)
            for item in batch
        ]
        with self._store.write(durable=False) as db:
            run_data.add_failures(db, self._run_id, rows)

    def scores(self, batch: Sequence[ScoredAnswer]) -> None:
        """Write scores; an answer that could not be scored gets the outcome "machinery" with the reason."""
        rows = [self._score(item) for item in batch]
        with self._store.write(durable=False) as db:
            run_data.add_scores(db, self._run_id, rows)
        self.outcomes.update(row.outcome for row in rows)

    def stored_scores(self, keys: Collection[ScoreKey]) -> dict[ScoreKey, ScoredResponse]:
        """Return existing scores of identical responses under the same criterion, from any model."""
        by_place = {
            (key.item_id, key.text_hash, key.finish_reason, self._hashes.get(key.item_id, "")): key for key in keys
        }
        with self._store.read() as db:
            stored_scores = run_data.find_known_scores(db, list(by_place))
        return {
            by_place[place]: record_from(ScoredResponse, row, outcome=Outcome(row.outcome), detail=dict(row.detail))
            for place, row in stored_scores.items()
        }

    def _score(self, item: ScoredAnswer) -> StoredScore:
        planned = item.finished.planned
        result = item.result
        if not isinstance(result, ScoredResponse):
            result = unscorable(item.problem)
        return record_from(
            StoredScore,
            result,
            subject_id=planned.item_id,
            sample=planned.sample,
            criterion_hash=self._hashes[planned.item_id],
            outcome=result.outcome.value,
        )


def load_stored_answers(
    store: ProjectFile, run_id: str, places: Sequence[Place], keys: Mapping[str, str]
) -> Iterator[AnsweredRequest]:
    """Yield a run's stored answers at some places, read in chunks, as the engine's records."""
    for start in range(0, len(places), _ROWS_PER_READ):
        with store.read() as db:
            rows = run_data.answers_at(db, run_id, places[start : start + _ROWS_PER_READ])
        for row in rows:
            request = Request(endpoint="", model=row.served_model)
            key = keys.get(row.subject_id, "")
            planned = PlannedRequest(
                item_id=row.subject_id,
                item_key=key,
                sample=row.sample,
                label=row.label,
                template=row.template,
                request=request,
                hash=row.request_hash,
            )
            yield AnsweredRequest(planned, answer_from_stored(row))


class StoredBatches:
    """A `BatchJournal` in the settings of a run, so that it survives a restart."""

    def __init__(self, store: ProjectFile, run_id: str) -> None:
        self._store = store
        self._run_id = run_id

    def load(self) -> tuple[SentBatch, ...]:
        """Return the batches whose answers have not been stored yet."""
        with self._store.read() as db:
            rows = run_data.fetch_run(db, self._run_id).settings.get(_BATCHES_SETTING) or ()
        return tuple(SentBatch(row["file"], row["id"], tuple((a, b) for a, b in row["places"])) for row in rows)

    def save(self, sent: Sequence[SentBatch]) -> None:
        """Replace the stored batches. This waits for the disk, since losing track of a batch costs money."""
        rows = [
            {"file": batch.file, "id": batch.id, "places": [list(place) for place in batch.places]} for batch in sent
        ]
        with self._store.write() as db:
            run = run_data.fetch_run(db, self._run_id)
            run.settings = {**run.settings, _BATCHES_SETTING: rows}
            db.add(run)
