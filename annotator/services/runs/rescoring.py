"""Score a run's responses again with other criteria, without asking models; earlier scores are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.base.records import record_from
from annotator.evaluation.engine import Evaluation, RunEnd, Tally
from annotator.evaluation.request_queue import AskingLimits, RequestQueue
from annotator.jobs.progress import Cancelled, Progress
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import RunRow
from annotator.model.rows.run_rows import ScoreSetRow
from annotator.model.tables.run_tables import Run
from annotator.services.runs.execution import open_scoring
from annotator.services.runs.recorder import StoreSink, load_stored_answers
from annotator.services.runs.run_list import find_run, find_run_in
from annotator.services.runs.run_log import refuse_blind_run
from annotator.services.runs.run_plan import RELEASED, engine_item, protocol_of, score_hashes
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.runs import run_data, stored_releases
from annotator.store.runs import stored_runs as stored_runs

PROJECT = "project"
"""The source of scores made with the project's present criteria."""
_SCORING_FIELDS = ("criterion", "files", "tests", "reference", "context", "entry_point", "extra", "mode")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreChange:
    """A response whose score differs between two sets; ``was`` and ``now`` are its outcomes."""

    subject_id: str
    sample: int
    before: float | None
    after: float | None
    was: str
    now: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RescoreResult:
    """The result of rescoring a run. ``before`` and ``after`` are means over the items that both sets scored.

    ``flips`` counts the responses that passed under one set and not under the other, ``unscored`` those that could not
    be scored with the new one.
    """

    run_id: str
    set_id: str
    source: str
    responses: int
    executed: int
    unscored: int
    before: float | None
    after: float | None
    flips: int
    differing: tuple[ScoreChange, ...]


def rescore_responses(
    store: ProjectFile, run_id: str, source: str = PROJECT, progress: Progress | None = None
) -> tuple[RescoreResult, Changes]:
    """Score a run again with the criteria of ``source``: "project", "release" (its own), or "release V".

    The new scores count once they are complete; the earlier ones are kept, and `use_score_set` switches back. Raises
    `BadInputError` for a run that is under way or has no responses, for an unknown source, and to a rater of a blind
    study of its items, who could read off how a changed criterion moves each model; `Cancelled` on cancellation, after
    which the earlier scores still count.
    """
    row = find_run(store, run_id)
    _refuse_live(row)
    with store.read() as db:
        run_row = run_data.fetch_run(db, row.id)
        refuse_blind_run(store, db, run_row)
        items = _load_items(store, run_row, source)
    if not row.answered:
        raise BadInputError("This run has no responses yet, so there is nothing to score.")
    hashes = score_hashes(items.values(), protocol_of(run_row))
    with store.write(durable=False) as db:
        _refuse_live(find_run_in(db, row.id))
        annotator_id = store.annotator.id
        sets = stored_runs.sets_of(db, row.id)
        if not sets:
            stored_runs.choose_score_set(
                db, row.id, stored_runs.current_score_set(db, row.id, annotator_id, RELEASED).id
            )
        set_id_before = run_data.fetch_run(db, row.id).score_set_id or ""
        equal_set_id = next((item.id for item in sets if stored_runs.hashes_of(db, item.id) == hashes), None)
        set_id = equal_set_id or stored_runs.add_score_set(db, row.id, annotator_id, source, hashes).id
    end = _score_run(store, run_row, items, set_id, hashes, progress or Progress())
    if end.reason.startswith("Cancelled"):
        raise Cancelled("Cancelled. The scores from before still count; score again to go on.")
    with store.write(durable=False) as db:
        stored_runs.choose_score_set(db, row.id, set_id)
        label = Message("Score the run of {model} again ({source})", model=row.model, source=source)
        undo_log.record_event(db, store.annotator.id, label, ["score"])
    report = _compare_score_sets(store, row.id, set_id_before, set_id, source, end)
    return report, Changes(frozenset({"run", "score"}), label=label)


def _refuse_live(row: RunRow) -> None:
    if row.live:
        raise BadInputError("This run is still running; score it again when it has ended.")


def _load_items(store: ProjectFile, run_row: Run, source: str) -> dict[str, dict[str, Any]]:
    """Return a run's items by subject id, with the criteria and tests of the source."""
    kind, _, version = source.partition(" ")
    with store.read() as db:
        items = {item["id"]: engine_item(item) for item in stored_releases.items_of(db, run_row.release_id)}
        if source == PROJECT:
            source_items = stored_releases.current_items(db)
        elif kind == RELEASED and version:
            source_items = stored_releases.items_of(db, stored_releases.fetch_release(db, version).id)
        elif source == RELEASED:
            return items
        else:
            raise BadInputError(
                f"Runs are scored with the criteria of project, release, or release V, not of {source}."
            )
    for item in source_items:
        if item["id"] in items and (item["criterion"] or not items[item["id"]]["criterion"]):
            # Only the fields used in scoring come from the source; the prompt stays the one that was asked.
            own_fields = {name: value for name, value in items[item["id"]].items() if name not in _SCORING_FIELDS}
            items[item["id"]] = engine_item({**item, **own_fields})
    return items


def _score_run(
    store: ProjectFile,
    run_row: Run,
    items: Mapping[str, Mapping[str, Any]],
    set_id: str,
    hashes: Mapping[str, str],
    work: Progress,
) -> RunEnd:
    with store.read() as db:
        places = run_data.find_unscored_places(db, run_row.id, set_id, machinery=True)
    keys = {subject: str(item["key"]) for subject, item in items.items()}

    def watch(tally: Tally) -> None:
        scored = tally.scored + tally.unscored
        text = f"{scored:,} of {len(places):,} scored"
        work.tell(scored, len(places), f"{text}. {tally.obstacle}" if tally.obstacle else text)

    with open_scoring(store, run_row, list(items.values())) as scoring:
        queue = RequestQueue(limits=AskingLimits(workers=0), control=work)
        sink = StoreSink(store, run_row.id, run_row.model_id, hashes)
        evaluation = Evaluation(queue, scoring, sink, watch=watch)
        return evaluation.run(load_stored_answers(store, run_row.id, places, keys))


def _compare_score_sets(
    store: ProjectFile, run_id: str, set_before: str, set_after: str, source: str, end: RunEnd
) -> RescoreResult:
    with store.read() as db:
        rows = stored_runs.compare_sets(db, run_id, set_before, set_after)
    scored_in_both = [row for row in rows if row[2] is not None and row[3] is not None]
    means = []
    for column in (2, 3):
        by_item: dict[str, list[float]] = {}
        for row in scored_in_both:
            by_item.setdefault(row[0], []).append(float(row[column]))
        means.append(fmean(fmean(scores) for scores in by_item.values()) if by_item else None)
    differing = tuple(
        ScoreChange(subject_id=subject, sample=sample, before=old, after=new, was=was, now=now)
        for subject, sample, old, new, was, now in rows
        if old != new
    )
    return RescoreResult(
        run_id=run_id,
        set_id=set_after,
        source=source,
        responses=len(rows),
        executed=end.tally.executed,
        unscored=sum(row[3] is None for row in rows),
        before=means[0],
        after=means[1],
        flips=sum((row[4] == "pass") != (row[5] == "pass") for row in scored_in_both),
        differing=differing,
    )


def list_score_sets(store: ProjectFile, run_id: str) -> tuple[ScoreSetRow, ...]:
    """Return a run's score sets, oldest first."""
    with store.read() as db:
        run_row = run_data.fetch_run(db, run_id)
        totals = stored_runs.set_totals(db, run_row.id)
        sets = [(item, *totals.get(item.id, (None, 0))) for item in stored_runs.sets_of(db, run_row.id)]
        return tuple(
            record_from(ScoreSetRow, item, current=item.id == run_row.score_set_id, score=score, scored=scored)
            for item, score, scored in sets
        )


def use_score_set(store: ProjectFile, run_id: str, set_id: str) -> Changes:
    """Make another score set of a run the current one. Raises `BadInputError` if the run has no such set."""
    with store.write(durable=False) as db:
        run_row = run_data.fetch_run(db, run_id)
        score_set = next((item for item in stored_runs.sets_of(db, run_row.id) if item.id.startswith(set_id)), None)
        if score_set is None or not set_id:
            raise BadInputError("This run has no such scores. Nothing was changed.")
        stored_runs.choose_score_set(db, run_row.id, score_set.id)
        label = Message("Use the scores of {source}", source=score_set.source)
        undo_log.record_event(db, store.annotator.id, label, ["score"])
    return Changes(frozenset({"run", "score"}), label=label)
