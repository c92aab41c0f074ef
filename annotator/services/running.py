"""Runs from recorded responses: no endpoint, no key, no network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.criteria import CriterionDocument, load
from annotator.evaluation.scoring import ScoredResponse, score_response
from annotator.formats.candidate import RowError
from annotator.formats.responses import RecordedResponse, read_responses
from annotator.jobs.progress import Progress
from annotator.model.rows import Changes, RunRow
from annotator.model.words import Outcome, RunState
from annotator.store import changes, releases
from annotator.store import runs as stored
from annotator.store.project_file import ProjectFile

_BATCH = 200


@dataclass(frozen=True, slots=True)
class ReplayContent:
    """What a file of recorded responses holds, by model: how many responses, on how many subjects."""

    models: dict[str, int]
    subjects: int


@dataclass(frozen=True)
class _Item:
    subject_id: str
    criterion_hash: str
    document: CriterionDocument | None


def replay_content(path: Path) -> ReplayContent:
    """Look into a file of recorded responses. Raises `BadInputError` for bad rows."""
    models: dict[str, int] = {}
    subjects = set()
    for response in _read(path):
        models[response.model] = models.get(response.model, 0) + 1
        subjects.add(response.subject)
    return ReplayContent(models, len(subjects))


def _read(path: Path) -> list[RecordedResponse]:
    good: list[RecordedResponse] = []
    bad: list[RowError] = []
    for row in read_responses(path):
        if isinstance(row, RowError):
            bad.append(row)
        else:
            good.append(row)
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
    replay: Path,
    models: Sequence[str] = (),
    progress: Progress | None = None,
) -> tuple[tuple[RunRow, ...], Changes]:
    """Score recorded responses against a release: one run per model of the file (or per model named).

    A response to a subject that the release does not have is left out and counted in the run's reason. Raises
    `BadInputError` if the file is bad, or if a model named is not in it.
    """
    recorded = _read(replay)
    present = list(dict.fromkeys(response.model for response in recorded))
    missing = [model for model in models if model not in present]
    if missing:
        raise BadInputError(
            f"{replay.name} has no responses of {', '.join(missing)}. It has: {', '.join(present)}. No run was started."
        )
    with store.read() as db:
        release = releases.find(db, version)
        items = _items(releases.items_of(db, release.id))
    work = progress or Progress()
    chosen = [response for response in recorded if not models or response.model in models]
    if not any(response.subject in items for response in chosen):
        raise BadInputError(f"No response in {replay.name} answers an item of release {release.version}.")
    done = 0
    run_ids = []
    for model in models or present:
        mine = [response for response in chosen if response.model == model]
        run_ids.append(_replay_model(store, release.id, model, mine, items, replay.name, work, done, len(chosen)))
        done += len(mine)
    with store.write(durable=False) as db:
        names = ", ".join(models or present)
        label = f"Run of {names} on {release.version}"
        changes.record_event(db, store.annotator.id, label, ["run"])
    rows = tuple(row for row in runs(store) if row.id in run_ids)
    return rows, Changes(frozenset({"run", "response", "score"}), label=label)


def _items(frozen: Sequence[dict[str, Any]]) -> dict[str, _Item]:
    """Index a release's items by key, and by the part of the key after the format's name where that is unique."""
    items: dict[str, _Item] = {}
    short: dict[str, list[_Item]] = {}
    for item in frozen:
        document = load(item["criterion"]) if item["criterion"] else None
        entry = _Item(item["id"], content_hash(item["criterion"]), document)
        items[item["key"]] = entry
        short.setdefault(item["key"].partition(":")[2], []).append(entry)
    for name, entries in short.items():
        if name and len(entries) == 1:
            items.setdefault(name, entries[0])
    return items


def _replay_model(
    store: ProjectFile,
    release_id: str,
    model: str,
    recorded: Sequence[RecordedResponse],
    items: dict[str, _Item],
    file_name: str,
    progress: Progress,
    done: int,
    total: int,
) -> str:
    answers = {
        (items[response.subject].subject_id, response.sample): response
        for response in recorded
        if response.subject in items
    }
    left_out = sum(response.subject not in items for response in recorded)
    samples = 1 + max((sample for _, sample in answers), default=0)
    with store.write(durable=False) as db:
        run = stored.start(
            db, store.annotator.id, release_id, model, "replay", samples, {"file": file_name, "left_out": left_out}
        )
    by_subject = {item.subject_id: item for item in items.values()}
    reason = f"{left_out} responses answer no item of this release" if left_out else ""
    try:
        pending = list(answers.items())
        for start in range(0, len(pending), _BATCH):
            batch = pending[start : start + _BATCH]
            progress.report(done + start, total, f"scoring {model}")
            _save_batch(store, run.id, run.model_id, batch, by_subject)
    except BaseException:
        with store.write(durable=False) as db:
            stored.end(db, run.id, RunState.STOPPED, "stopped before its end")
        raise
    progress.report(done + len(recorded), total, f"scored {model}")
    with store.write(durable=False) as db:
        stored.end(db, run.id, RunState.DONE, reason)
    return run.id


def _save_batch(
    store: ProjectFile,
    run_id: str,
    model_id: str,
    batch: Sequence[tuple[tuple[str, int], RecordedResponse]],
    items: dict[str, _Item],
) -> None:
    scored = [(subject, sample, answer, _score(items[subject], answer)) for (subject, sample), answer in batch]
    with store.write(durable=False) as db:
        for subject, sample, answer, result in scored:
            response = stored.new_response(
                subject,
                model_id,
                sample,
                answer.text,
                run_id=run_id,
                outcome="answer" if answer.text.strip() else "empty",
                finish_reason=answer.finish_reason,
            )
            db.add(response)
            db.flush()
            numbers = {"points": result.points, "total": result.total, "score": result.score, "detail": result.detail}
            db.add(stored.new_score(response.id, items[subject].criterion_hash, result.outcome, numbers))


def _score(item: _Item, answer: RecordedResponse) -> ScoredResponse:
    if item.document is None:
        return ScoredResponse(
            Outcome.MACHINERY, None, None, None, {"rules": [], "reason": "The item was released without a criterion."}
        )
    return score_response(item.document, answer.text, answer.finish_reason)


def keep_samples(store: ProjectFile, path: Path) -> tuple[int, Changes]:
    """Keep recorded responses as samples to try criteria on; returns how many were new."""
    from annotator.store import subjects

    recorded = _read(path)
    with store.write(durable=False) as db:
        ids = {key: subjects.find(db, key).id for key in dict.fromkeys(item.subject for item in recorded)}
        added = stored.store_samples(db, ((ids[item.subject], item.model, item.sample, item.text) for item in recorded))
    return added, Changes(frozenset({"response"}), frozenset(ids.values()))


def runs(store: ProjectFile) -> tuple[RunRow, ...]:
    """Return all runs, newest first."""
    with store.read() as db:
        return stored.listing(db)
