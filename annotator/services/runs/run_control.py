"""Control runs: resume, retry, stop, and replay recorded responses through the same engine."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.evaluation.answer_scoring import ItemScorer
from annotator.evaluation.presets import Protocol
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import RunRow
from annotator.model.vocabulary import RunState
from annotator.services.runs import replayed_runs
from annotator.services.runs.execution import RecordedSource, RunExecution, Watch, open_scoring_executor
from annotator.services.runs.replayed_runs import MatchedResponses, item_order, load_release_order
from annotator.services.runs.run_list import find_run, find_run_in
from annotator.services.runs.run_plan import endpoint_of, queue_run, score_hashes
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.queue import stored_subjects
from annotator.store.runs import run_data, stored_releases
from annotator.store.runs import stored_runs as stored

_NOUNS = frozenset({"run", "response", "score"})


def resume_execution(
    store: ProjectFile,
    run_id: str,
    progress: Progress | None = None,
    watch: Watch | None = None,
    *,
    recorded: Path | None = None,
) -> tuple[RunRow, Changes]:
    """Resume a run that is queued or was paused, stopped or killed; stored answers are not requested again.

    Requests that the endpoint refused or answered unreadably are not repeated either; see `retry_failures`.

    A run of recorded responses needs its file again unless it was read completely. Raises `BadInputError` for a run
    that is done or under way.
    """
    row = find_run(store, run_id)
    if row.state == RunState.DONE:
        raise BadInputError("This run is done. Retry it to repeat what failed, or start another.")
    recording = _reopen_recording(store, row, recorded)
    RunExecution(store, row.id, progress, watch, recording=recording).run()
    return _describe_end(store, row.id)


def retry_failures(
    store: ProjectFile, run_id: str, progress: Progress | None = None, watch: Watch | None = None
) -> tuple[RunRow, Changes]:
    """Repeat the requests without an answer and score the unscored answers; nothing else is repeated.

    Raises `BadInputError` if nothing failed.
    """
    row = find_run(store, run_id)
    if not (row.failures or row.outcomes.get("machinery") or row.done < row.answered or row.state != RunState.DONE):
        raise BadInputError("This run has no technical failures, so there is nothing to retry.")
    recording = _reopen_recording(store, row, None)
    RunExecution(store, row.id, progress, watch, recording=recording, retry_failed=True).run()
    return _describe_end(store, row.id)


def stop_run(store: ProjectFile, run_id: str) -> Changes:
    """Remove a run from the queue, or end one that was killed; its answers are kept and it can be resumed."""
    with store.write(durable=False) as db:
        row = find_run_in(db, run_id)
        if row.live:
            raise BadInputError("This run is still running. Stop it where it runs.")
        if row.state == RunState.DONE:
            raise BadInputError("This run is done; there is nothing to stop.")
        stored.store_run_end(db, row.id, RunState.STOPPED, "Stopped. Answers so far are kept; resume to go on.")
    return Changes(frozenset({"run"}))


def _reopen_recording(store: ProjectFile, row: RunRow, recorded: Path | None) -> RecordedSource | None:
    """Return the rest of a run's recorded responses, None if nothing is left or the run uses an endpoint."""
    with store.read() as db:
        run = run_data.fetch_run(db, row.id)
        frozen = stored_releases.items_of(db, run.release_id)
    if endpoint_of(run) is None:
        return replayed_runs.reopen_recording(run, row.model, row.answered, frozen, recorded)
    if recorded is not None:
        raise BadInputError("This run uses an endpoint; it cannot continue with recorded responses.")
    return None


def _describe_end(store: ProjectFile, run_id: str) -> tuple[RunRow, Changes]:
    row = find_run(store, run_id)
    return row, Changes(_NOUNS, label=Message("Run of {model} on {version}", model=row.model, version=row.version))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOptions:
    """Options for replaying recorded responses.

    ``models`` are the models to replay, by default all in the file; ``name`` is the model of rows without one.
    ``protocol`` is the protocol they were made with, if known; samples beyond its number are left out.
    ``test_timeout_s`` overrides its default time limit for tests. ``executor`` is where responses are scored.
    """

    models: Sequence[str] = ()
    name: str = ""
    protocol: Protocol | None = None
    executor: str = "local"
    test_timeout_s: float | None = None


def start_replay(
    store: ProjectFile,
    version: str | None,
    recorded: Path,
    options: ReplayOptions = ReplayOptions(),
    *,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> tuple[tuple[RunRow, ...], Changes]:
    """Score recorded responses against a release, in one run per model.

    Responses to unknown subjects or to other prompts are left out and counted in the run's reason. Raises
    `BadInputError` if the file is bad or nothing in it fits, if it lacks one of the models, or if rows have no model
    and no name is given; `MissingEnvironmentError` if the executor is not available. No run is started then.
    """
    rows = replayed_runs.read_recorded_file(recorded, partial(load_release_order, store, version))
    responses = replayed_runs.select_responses_of_models(rows, options.models, options.name, recorded.name)
    with store.read() as db:
        release = stored_releases.fetch_release(db, version)
        frozen = stored_releases.items_of(db, release.id)
    protocol = options.protocol
    by_model = {
        model: replayed_runs.match_responses([row for row in responses if row.model == model], frozen, protocol)
        for model in options.models or dict.fromkeys(row.model for row in responses)
    }
    _refuse_no_match(by_model.values(), recorded.name, release.version)
    if options.test_timeout_s is not None:
        by_model = {model: match.with_test_timeout(options.test_timeout_s) for model, match in by_model.items()}
    open_scoring_executor(options.executor, ItemScorer(), frozen).close()
    work = progress or Progress()
    finished_runs = []
    digest = replayed_runs.file_sha256(recorded)
    replay_settings = {"file": recorded.name, "sha256": digest, "asked": protocol is not None}
    for model, match in by_model.items():
        settings = {
            "replay": replay_settings | match.counts_in(frozen),
            "protocol": match.protocol.as_json(),
            "executor": options.executor,
        }
        with store.write(durable=False) as db:
            run = queue_run(
                db,
                annotator_id=store.annotator.id,
                release_id=release.id,
                model=model,
                preset=protocol.name if protocol is not None else "replay",
                settings=settings,
                hashes=score_hashes(frozen, match.protocol),
            )
        recording = replayed_runs.make_recording(run, model, match.rows, frozen)
        RunExecution(store, run.id, work, watch, recording=recording).run()
        finished_runs.append(find_run(store, run.id))
        if work.cancelled:
            break
    label = Message("Run of {model} on {version}", model=", ".join(by_model), version=release.version)
    with store.write(durable=False) as db:
        undo_log.record_event(db, store.annotator.id, label, ["run"])
    return tuple(finished_runs), Changes(_NOUNS, label=label)


def _refuse_no_match(matches: Collection[MatchedResponses], file: str, version: str) -> None:
    """Raise `BadInputError` if none of the file's responses can be scored."""
    if any(match.rows for match in matches):
        return
    if any(match.other_prompt_count for match in matches):
        raise BadInputError(
            f"The responses in {file} answer other prompts than those of {version}. Choose the release they were made "
            "with, or the protocol. No run was started."
        )
    raise BadInputError(f"No response in {file} answers an item of release {version}.")


def store_recorded_samples(store: ProjectFile, path: Path) -> tuple[int, Changes]:
    """Store recorded responses as samples to try criteria on; returns how many were new."""
    recorded = replayed_runs.read_recorded_file(path, partial(item_order, store))
    with store.write(durable=False) as db:
        keys = list(dict.fromkeys(item.subject for item in recorded))
        subjects = stored_subjects.find_subjects(db, keys)
        ids = {key: subject.id for key, subject in zip(keys, subjects, strict=True)}
        added = stored.store_samples(db, ((ids[item.subject], item.model, item.sample, item.text) for item in recorded))
    return added, Changes(frozenset({"response"}), frozenset(ids.values()))
