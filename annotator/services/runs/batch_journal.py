"""The journal of a run's batches, stored in the run's settings so that it survives a restart."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.evaluation.batch_queue import SentBatch
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import run_data

_FIELD = "batches"


class StoredBatches:
    """A `BatchJournal` stored with a run."""

    def __init__(self, store: ProjectFile, run_id: str) -> None:
        self._store, self._run_id = store, run_id

    def load(self) -> tuple[SentBatch, ...]:
        """Return the batches whose answers have not been stored yet."""
        with self._store.read() as db:
            rows = run_data.fetch_run(db, self._run_id).settings.get(_FIELD) or ()
        return tuple(SentBatch(row["file"], row["id"], tuple((a, b) for a, b in row["places"])) for row in rows)

    def save(self, sent: Sequence[SentBatch]) -> None:
        """Replace the stored batches. This waits for the disk, since losing track of a batch costs money."""
        rows = [{"file": one.file, "id": one.id, "places": [list(place) for place in one.places]} for one in sent]
        with self._store.write() as db:
            run = run_data.fetch_run(db, self._run_id)
            run.settings = {**run.settings, _FIELD: rows}
            db.add(run)
