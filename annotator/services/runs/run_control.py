"""Runs: start, resume, retry; recorded responses through the same engine; the list of runs."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence
from pathlib import Path

from annotator.base.errors import BadInputError, KnownError
from annotator.base.messages import Message
from annotator.base.open_files import refuse_project
from annotator.evaluation.engine import RunEnd
from annotator.evaluation.planning import PlannedRequest, replay
from annotator.evaluation.presets import Protocol
from annotator.formats.interchange.responses import read_responses
from annotator.formats.read.candidates import RecordedResponse, RowError
from annotator.jobs.progress import Progress
from annotator.llm.requests import Message as ChatMessage
from annotator.llm.requests import Request
from annotator.model.changes import Changes
from annotator.model.rows.views import RunRow
from annotator.model.tables.run import Run
from annotator.model.vocabulary import RunState
from annotator.services.runs.execution import Recording, Watch, carry_out
from annotator.services.runs.run_plan import (
    RELEASED,
    endpoint_of,
    protocol_of,
    recorded_protocol,
    score_hashes,
)
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.queue import subjects
from annotator.store.runs import releases, run_data, run_views
from annotator.store.runs import runs as stored

_NOUNS = frozenset({"run", "response", "score"})


def runs(store: ProjectFile) -> tuple[RunRow, ...]:
    """Return all runs, newest first; what was counted of runs that rest is kept for the next time."""
    with store.read() as db:
        found = stored.listing(db)
        fresh = stored.uncounted(db)
    if fresh and not store.read_only:
        # A project that cannot be written just now is counted again next time.
        with contextlib.suppress(KnownError), store.write(durable=False) as db:
            run_views.keep_counts(db, fresh)
    return found


def find(store: ProjectFile, run_id: str) -> RunRow:
    """Return a run by its id or a beginning of it. Raises `BadInputError` if none or several fit."""
    with store.read() as db:
        exact = run_data.find(db, run_id).id
        return next(row for row in stored.listing(db) if row.id == exact)


def resume(
    store: ProjectFile,
    run_id: str,
    progress: Progress | None = None,
    watch: Watch | None = None,
    *,
    recorded: Path | None = None,
) -> tuple[RunRow, Changes]:
    """Go on with a run that waits, was paused, stopped or cut off: what is on disk is not asked again.

    That includes requests that the endpoint refused or answered with what nobody can read; `retry` asks those.

    A run of recorded responses needs its file again if not all of it had been read. Raises `BadInputError` for a run
    that is done or under way.
    """
    row = find(store, run_id)
    if row.state == RunState.DONE:
        raise BadInputError("This run is done. Retry it to complete what failed, or start another.")
    return _carry_out(store, row, progress, watch, recorded=recorded, machinery=False)


def retry(
    store: ProjectFile, run_id: str, progress: Progress | None = None, watch: Watch | None = None
) -> tuple[RunRow, Changes]:
    """Ask again what has no answer and score again what could not be scored, and nothing else.

    Raises `BadInputError` if nothing failed.
    """
    row = find(store, run_id)
    if not (row.failures or row.outcomes.get("machinery") or row.done < row.answered or row.state != RunState.DONE):
        raise BadInputError("Nothing of this run failed in machinery, so there is nothing to retry.")
    return _carry_out(store, row, progress, watch, recorded=None, machinery=True)


def queued(store: ProjectFile) -> tuple[RunRow, ...]:
    """Return the runs that wait to be started, the longest waiting first."""
    return tuple(row for row in reversed(runs(store)) if row.state == RunState.PLANNED)


def stop(store: ProjectFile, run_id: str) -> Changes:
    """Take a run out of the queue, or end one that was cut off; what it has is kept and it can be resumed."""
    row = find(store, run_id)
    if row.live:
        raise BadInputError("This run is under way. Stop it where it runs.")
    if row.state == RunState.DONE:
        raise BadInputError("This run is done; there is nothing to stop.")
    with store.write(durable=False) as db:
        stored.end(db, row.id, RunState.STOPPED, "Stopped. What was answered is kept; resume to go on.")
    return Changes(frozenset({"run"}))


def _carry_out(
    store: ProjectFile,
    row: RunRow,
    progress: Progress | None,
    watch: Watch | None,
    *,
    recorded: Path | None,
    machinery: bool,
) -> tuple[RunRow, Changes]:
    with store.read() as db:
        run = run_data.find(db, row.id)
        frozen = releases.items_of(db, run.release_id)
    recording = None
    if endpoint_of(run) is None:
        recording = _recording_again(run, row, frozen, recorded)
    elif recorded is not None:
        raise BadInputError("This run asks an endpoint; it cannot go on with recorded responses.")
    end = carry_out(store, row.id, progress or Progress(), recording=recording, machinery=machinery, watch=watch)
    return _ended(store, row.id, end)


def _ended(store: ProjectFile, run_id: str, end: RunEnd) -> tuple[RunRow, Changes]:
    """Say with the run what is not complete, and return it."""
    row = find(store, run_id)
    reason = _reason(row, end)
    with store.write(durable=False) as db:
        run = run_data.find(db, run_id)
        run.reason = reason
        db.add(run)
    return find(store, run_id), Changes(
        _NOUNS, label=Message("Run of {model} on {version}", model=row.model, version=row.version)
    )


def _reason(row: RunRow, end: RunEnd) -> str:
    if end.state != RunState.DONE:
        return end.reason
    failed, lost = sum(row.failures.values()), row.outcomes.get("machinery", 0)
    parts = []
    if failed:
        parts.append(f"{failed} requests have no answer")
    if lost:
        parts.append(f"{lost} responses have no score")
    said = [f"{' and '.join(parts)} because the machinery failed; retry to complete them"] if parts else []
    left_out = (row.settings.get("replay") or {}).get("left_out", 0)
    if left_out:
        said.append(f"{left_out} responses answer no item of this release")
    return ". ".join(said)


def _read(path: Path) -> list[RecordedResponse]:
    rows = list(read_responses(path))
    good = [row for row in rows if not isinstance(row, RowError)]
    bad = [row for row in rows if isinstance(row, RowError)]
    if bad:
        raise BadInputError(
            f"{path.name} has {len(bad)} bad rows, so no run was started. Mend the file and try again.",
            details=tuple(str(error) for error in bad[:50]),
        )
    if not good:
        raise BadInputError(f"{path.name} holds no responses, so no run was started.")
    return good


def start_replay(
    store: ProjectFile,
    version: str | None,
    recorded: Path,
    models: Sequence[str] = (),
    progress: Progress | None = None,
    *,
    protocol: Protocol | None = None,
    watch: Watch | None = None,
) -> tuple[tuple[RunRow, ...], Changes]:
    """Score recorded responses against a release: one run per model of the file (or per model named).

    ``protocol`` says how they were made, where that is known; samples beyond its number are left out. A response to a
    subject that the release does not have is left out and counted in the run's reason. Raises `BadInputError` if the
    file is bad, or if a model named is not in it.
    """
    rows = _read(recorded)
    present = list(dict.fromkeys(response.model for response in rows))
    missing = [model for model in models if model not in present]
    if missing:
        raise BadInputError(
            f"{recorded.name} has no responses of {', '.join(missing)}. It has: {', '.join(present)}. "
            "No run was started."
        )
    with store.read() as db:
        release = releases.find(db, version)
        frozen = releases.items_of(db, release.id)
    chosen = [response for response in rows if not models or response.model in models]
    names = _names(frozen)
    if not any(response.subject in names for response in chosen):
        raise BadInputError(f"No response in {recorded.name} answers an item of release {release.version}.")
    work, digest, done = progress or Progress(), _digest(recorded), []
    for model in models or present:
        mine = [response for response in chosen if response.model == model]
        run_id = _plan_replay(store, release.id, model, mine, frozen, protocol, (recorded.name, digest))
        with store.read() as db:
            run = run_data.find(db, run_id)
        end = carry_out(store, run_id, work, recording=_recording(run, model, mine, frozen), watch=watch)
        done.append(_ended(store, run_id, end)[0])
        if end.state != RunState.DONE:
            break
    label = Message("Run of {model} on {version}", model=", ".join(models or present), version=release.version)
    with store.write(durable=False) as db:
        undo_log.record_event(db, store.annotator.id, label, ["run"])
    return tuple(done), Changes(_NOUNS, label=label)


def _plan_replay(
    store: ProjectFile,
    release_id: str,
    model: str,
    mine: Sequence[RecordedResponse],
    frozen: Sequence[dict[str, object]],
    protocol: Protocol | None,
    file: tuple[str, str],
) -> str:
    names = _names(frozen)
    samples = [response.sample for response in mine if response.subject in names]
    used = protocol or recorded_protocol(1 + max(samples, default=0))
    places = {
        (names[item.subject], item.sample) for item in mine if item.subject in names and item.sample < used.samples
    }
    left_out = len(mine) - len(samples)
    about = {"file": file[0], "sha256": file[1], "left_out": left_out, "responses": len(places)}
    settings = {"replay": about, "protocol": used.as_json()}
    with store.write(durable=False) as db:
        kind = protocol.name if protocol else "replay"
        who = store.annotator.id
        run = stored.start(db, who, release_id, model, kind, used.samples, settings, RunState.PLANNED)
        made = stored.new_set(db, run.id, who, RELEASED, score_hashes(frozen, used))
        stored.choose_set(db, run.id, made.id)
        return run.id


def _names(frozen: Sequence[dict[str, object]]) -> dict[str, tuple[str, str]]:
    """Return (id, key) of items by key, and by the part of the key after the format's name where that is unique."""
    found: dict[str, tuple[str, str]] = {}
    short: dict[str, list[tuple[str, str]]] = {}
    for item in frozen:
        entry = (str(item["id"]), str(item["key"]))
        found[entry[1]] = entry
        short.setdefault(entry[1].partition(":")[2], []).append(entry)
    for name, entries in short.items():
        if name and len(entries) == 1:
            found.setdefault(name, entries[0])
    return found


def _digest(path: Path) -> str:
    refuse_project(path)
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _recording(
    run: Run, model: str, mine: Sequence[RecordedResponse], frozen: Sequence[dict[str, object]]
) -> Recording:
    """Return what a run's recorded responses plan and answer; of several to the same sample the last counts."""
    names, samples = _names(frozen), protocol_of(run).samples
    prompts = {str(item["id"]): str(item.get("prompt") or "") for item in frozen}
    place = f"recorded:{(run.settings.get('replay') or {}).get('sha256', '')}"
    answers: dict[tuple[str, int], tuple[str, str]] = {}
    planned: dict[tuple[str, int], PlannedRequest] = {}
    for response in mine:
        entry = names.get(response.subject)
        if entry is None or response.sample >= samples:
            continue
        request = Request(place, model, messages=(ChatMessage("user", prompts[entry[0]]),), sample=response.sample)
        answers[entry[1], response.sample] = response.text, response.finish_reason
        planned[entry[0], response.sample] = PlannedRequest(*entry, response.sample, "", "", request, request.hash)
    # Together by item, so that what an item's answers share is done once.
    return Recording([planned[at] for at in sorted(planned)], replay(answers, model))


def _recording_again(run: Run, row: RunRow, frozen: Sequence[dict[str, object]], path: Path | None) -> Recording | None:
    """Return the recording of a run that goes on; None if its file is not given and not needed."""
    about = run.settings.get("replay") or {}
    if path is None:
        if row.answered < about.get("responses", 0):
            raise BadInputError(
                f"Not all of the recorded responses had been read. Give the file {about.get('file', '')} again."
            )
        return None
    if about.get("sha256") not in (None, _digest(path)):
        raise BadInputError(f"{path.name} is not the file this run was started with ({about.get('file')}).")
    return _recording(run, row.model, [item for item in _read(path) if item.model == row.model], frozen)


def keep_samples(store: ProjectFile, path: Path) -> tuple[int, Changes]:
    """Keep recorded responses as samples to try criteria on; returns how many were new."""
    recorded = _read(path)
    with store.write(durable=False) as db:
        ids = {key: subjects.find(db, key).id for key in dict.fromkeys(item.subject for item in recorded)}
        added = stored.store_samples(db, ((ids[item.subject], item.model, item.sample, item.text) for item in recorded))
    return added, Changes(frozenset({"response"}), frozenset(ids.values()))
