"""Runs from recorded responses: no endpoint, no key, no network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.criteria import CriterionDocument, load
from annotator.evaluation.scoring import Answer, ScoredResponse, score_answers
from annotator.formats.candidate import RowError
from annotator.formats.responses import RecordedResponse, read_responses
from annotator.jobs.progress import Progress
from annotator.model.rows import Changes, RunRow
from annotator.model.words import Outcome, RunState
from annotator.services import result_data
from annotator.services.workbench import Workbench, workbench
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
    with workbench(store) as bench:
        for model in models or present:
            mine = [response for response in chosen if response.model == model]
            replaying = _Replay(store, items, bench, work, done, len(chosen))
            run_ids.append(replaying.run(release.id, model, mine, replay.name))
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
        document = load(item["criterion"], files=item.get("files", {})) if item["criterion"] else None
        entry = _Item(item["id"], content_hash(item["criterion"]), document)
        items[item["key"]] = entry
        short.setdefault(item["key"].partition(":")[2], []).append(entry)
    for name, entries in short.items():
        if name and len(entries) == 1:
            items.setdefault(name, entries[0])
    return items


@dataclass
class _Replay:
    """Scores recorded responses of one model and stores them, a batch at a time."""

    store: ProjectFile
    items: dict[str, _Item]
    bench: Workbench
    progress: Progress
    done: int
    total: int

    def run(self, release_id: str, model: str, recorded: Sequence[RecordedResponse], file_name: str) -> str:
        """Make a run of these responses; returns its id."""
        answers: dict[tuple[str, int], RecordedResponse] = {}
        for response in recorded:
            if response.subject in self.items:
                answers[self.items[response.subject].subject_id, response.sample] = response
        left_out = sum(response.subject not in self.items for response in recorded)
        samples = 1 + max((sample for _, sample in answers), default=0)
        with self.store.write(durable=False) as db:
            about = {"file": file_name, "left_out": left_out}
            run = stored.start(db, self.store.annotator.id, release_id, model, "replay", samples, about)
        reason = f"{left_out} responses answer no item of this release" if left_out else ""
        try:
            # Together by item, so that what an item's answers share is done once.
            pending = sorted(answers.items(), key=_place)
            for start in range(0, len(pending), _BATCH):
                self.progress.report(self.done + start, self.total, f"scoring {model}")
                self._save_batch(run.id, run.model_id, pending[start : start + _BATCH])
        except BaseException:
            with self.store.write(durable=False) as db:
                stored.end(db, run.id, RunState.STOPPED, "stopped before its end")
            raise
        self.progress.report(self.done + len(recorded), self.total, f"scored {model}")
        with self.store.write(durable=False) as db:
            stored.end(db, run.id, RunState.DONE, reason)
        result_data.keep(self.store, run.id)
        return run.id

    def _save_batch(
        self, run_id: str, model_id: str, batch: Sequence[tuple[tuple[str, int], RecordedResponse]]
    ) -> None:
        by_item: dict[str, list[RecordedResponse]] = {}
        for (subject, _), answer in batch:
            by_item.setdefault(subject, []).append(answer)
        items = {item.subject_id: item for item in self.items.values()}
        scored: dict[tuple[str, int], ScoredResponse] = {}
        for subject, answers in by_item.items():
            for answer, result in zip(answers, _score(items[subject], answers, self.bench), strict=True):
                scored[subject, answer.sample] = result
        with self.store.write(durable=False) as db:
            for (subject, sample), answer in batch:
                result = scored[subject, sample]
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
                numbers = {
                    "points": result.points,
                    "total": result.total,
                    "score": result.score,
                    "detail": result.detail,
                }
                db.add(stored.new_score(response.id, items[subject].criterion_hash, result.outcome, numbers))


def _place(answer: tuple[tuple[str, int], RecordedResponse]) -> tuple[str, int]:
    return answer[0]


def _score(item: _Item, answers: Sequence[RecordedResponse], bench: Workbench) -> tuple[ScoredResponse, ...]:
    if item.document is None:
        detail = {"rules": [], "reason": "The item was released without a criterion."}
        return tuple(ScoredResponse(Outcome.MACHINERY, None, None, None, detail) for _ in answers)
    sandbox = bench.runner_for(item.document)
    return score_answers(item.document, [Answer(answer.text, answer.finish_reason) for answer in answers], sandbox)


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
