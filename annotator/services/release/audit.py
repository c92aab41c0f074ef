"""The release audit: a checklist whose points are answered by evidence from the project or by a person's statement."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.base.messages import Message
from annotator.jobs.progress import Progress
from annotator.metrics.comparison.leakage_signs import leak_report
from annotator.model.changes import Changes
from annotator.model.contents import hash_items
from annotator.model.rows.audit_rows import (
    MET,
    OPEN,
    STATES,
    Audit,
    AuditEvidence,
    AuditPoint,
    AuditRow,
    AuditStatement,
)
from annotator.model.tables.release_tables import Release
from annotator.services.consensus import disagreements
from annotator.services.release import datasheet, rewrite_gates
from annotator.services.release.audit_items import FROM_ITEMS, Item, ItemFacts, judge_value, unknown_evidence
from annotator.services.release.audit_points import BY_ID, FROM_DATASHEET, POINTS
from annotator.services.release.audit_runs import RUN_POINT_IDS, RunFacts, evidence_of_runs, isolation_evidence
from annotator.services.release.exports import gather_facts
from annotator.services.results import error_labels, leakage, score_data
from annotator.services.results.published_tables import published_tables
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.judging import stored_consensus
from annotator.store.runs import stored_releases, stored_runs
from annotator.store.work import stored_proofs

SETTING = "release_audit"
_COMPARED_LABELS = ("language", "domain", "area", "difficulty", "task")
_MAX_STATEMENT_CHARACTERS = 5000


def load_audit(store: ProjectFile, version: str | None = None) -> Audit:
    """Return the audit of a release (None: the current state).

    The current state is audited with the runs of the newest release if both have the same items. Raises `BadInputError`
    for an unknown version, and if there are no items.
    """
    current_items = _load_current_items(store)
    with store.read() as db:
        versions = stored_releases.fetch_release_rows(db)
        release = stored_releases.fetch_release(db, version or versions[0].version) if version or versions else None
        items = stored_releases.items_of(db, release.id) if version and release else current_items
    digest = hash_items([item["content_hash"] for item in items])
    if release is not None and not version and release.content_hash != digest:
        release = None
    return audit_frozen_items(store, items, release, current_items)


def audit_frozen_items(
    store: ProjectFile,
    items: Sequence[Item],
    release: Release | None,
    current_items: Sequence[Item],
    *,
    has_runs: bool = True,
    progress: Progress | None = None,
) -> Audit:
    """Return the audit of frozen items; ``current_items`` are those of the current state, to which the proofs belong.

    ``has_runs`` is False for a release in preparation, which cannot have runs yet. ``progress`` counts the points.
    """
    if not items:
        raise BadInputError("No accepted subjects yet, so there is nothing to audit.")
    item_facts = _gather_item_facts(store, items, current_items)
    run_facts = _gather_run_facts(store, items, release if has_runs else None)
    with store.read() as db:
        statements = stored_releases.current_audit_answers(db)
    statements = {**_load_datasheet_statements(store), **statements}
    rows = []
    points = load_audit_points(store)
    work = progress or Progress()
    for number, point in enumerate(points):
        work.report(number, len(points), f"auditing: {point.text}")
        evidence = _find_evidence(store, point, item_facts, run_facts, release)
        rows.append(AuditRow(point, evidence, statements.get(point.id)))
    return Audit(store.project_name, release.version if release else "", tuple(rows))


def save_statement(store: ProjectFile, point: str, answer: str, text: str) -> Changes:
    """Save a person's statement on a point in one undoable change; the answer "open" withdraws it.

    Raises `BadInputError` for an unknown point or state, and for a statement without a text.
    """
    _find_point(point)
    if answer not in STATES:
        raise BadInputError(f"The answer to a point is {', '.join(STATES)}, not {answer}. Nothing was changed.")
    statement = " ".join(text.split())
    if answer != OPEN and not statement:
        raise BadInputError("A statement needs a text that gives the reason. Nothing was changed.")
    if len(statement) > _MAX_STATEMENT_CHARACTERS:
        raise BadInputError(
            f"A statement may have at most {_MAX_STATEMENT_CHARACTERS:,} characters. Nothing was changed."
        )
    with store.write() as db:
        return stored_releases.add_audit_answer(db, store.annotator.id, point, answer, statement)


def set_audit_threshold(store: ProjectFile, point: str, value: float) -> Changes:
    """Set a stricter threshold than the checklist's for a point; the history records who did.

    Raises `BadInputError` for a point without a threshold, and for a laxer one.
    """
    definition = _find_point(point)
    if definition.threshold is None:
        raise BadInputError(f"The point {point} has no threshold. Nothing was changed.")
    is_laxer = value > definition.threshold if definition.at_most else value < definition.threshold
    if math.isnan(value) or is_laxer:
        relation = "at most" if definition.at_most else "at least"
        raise BadInputError(f"The threshold of {point} is {relation} {definition.threshold:g}. Nothing was changed.")
    label = Message("Audit: set {point} to {value}", point=point, value=f"{value:g}")
    with store.write() as db:
        people.set_setting(db, SETTING, {**people.read_settings(db, SETTING), point: value})
        undo_log.record_event(db, store.annotator.id, label, ["audit"])
    return Changes(frozenset({"audit"}), label=label)


def load_audit_points(store: ProjectFile) -> tuple[AuditPoint, ...]:
    """Return the checklist with the project's own thresholds."""
    with store.read() as db:
        own_thresholds = people.read_settings(db, SETTING)
    return tuple(
        replace(point, threshold=float(own_thresholds[point.id]))
        if isinstance(own_thresholds.get(point.id), int | float)
        else point
        for point in POINTS
    )


def compare_audits(old: Audit, new: Audit) -> tuple[tuple[AuditRow, AuditRow], ...]:
    """Return the points whose state differs between two versions."""
    return tuple(
        (old_row, new_row)
        for old_row, new_row in zip(old.rows, new.rows, strict=True)
        if old_row.state != new_row.state
    )


def _find_point(point: str) -> AuditPoint:
    if point not in BY_ID:
        raise BadInputError(f"The audit has no point {point}. Choose from: {', '.join(BY_ID)}. Nothing was changed.")
    return BY_ID[point]


def _load_current_items(store: ProjectFile) -> list[dict[str, Any]]:
    with store.read() as db:
        items = stored_releases.current_items(db)
    return [{**item, "content_hash": content_hash(item)} for item in rewrite_gates.add_rewrite_facts(store, items)]


def _gather_item_facts(store: ProjectFile, items: Sequence[Item], current_items: Sequence[Item]) -> ItemFacts:
    current_contents = {(item["id"], item["content_hash"]) for item in current_items}
    item_ids = {item["id"] for item in items}
    unchanged = {item["id"] for item in items if (item["id"], item["content_hash"]) in current_contents}
    with store.read() as db:
        checks = stored_proofs.checks_of_items(db)
        labels = stored_releases.candidate_labels(db, _COMPARED_LABELS)
        verdicts = stored_releases.verdicts_by_person(db)
        reviews = [(row.subject_id, row.annotator_id) for row in stored_consensus.newest_reviews(db)]
    project_facts = gather_facts(store)
    readers: dict[str, set[str]] = {}
    for subject, person in reviews:
        readers.setdefault(subject, set()).add(person)
        readers[subject] |= verdicts.get(subject, {}).keys()
    opinions_of_shared = [
        set(opinions.values()) for subject, opinions in verdicts.items() if subject in item_ids and len(opinions) > 1
    ]
    return ItemFacts(
        items=items,
        checks={subject: entries for subject, entries in checks.items() if subject in unchanged},
        sources=project_facts.sources,
        candidates=labels,
        candidate_count=sum(labels["task"].values()),
        rejected=project_facts.filters,
        readers={subject: frozenset(entries) for subject, entries in readers.items()},
        agreed=sum(len(opinions) == 1 for opinions in opinions_of_shared),
        shared=len(opinions_of_shared),
        unsettled=sum(subject in item_ids for subject in disagreements.open_disagreement_topics(store)),
    )


def _gather_run_facts(store: ProjectFile, items: Sequence[Item], release: Release | None) -> RunFacts:
    if release is None:
        return RunFacts(data=None, items=items)
    data = score_data.load_results(store, release.version)
    if not data.entries:
        return RunFacts(data=None, items=items)
    with store.read() as db:
        rows = [row for row in stored_runs.fetch_run_rows(db) if row.version == release.version]
    failed = {
        entry.run.id: data.outcomes(index)["fail"] + data.outcomes(index)["partial"]
        for index, entry in enumerate(data.entries)
    }
    peaks = {}
    for entry in data.entries:
        item_peaks = leakage.item_peaks(store, entry.run, data.finished)
        peaks[entry.label] = leak_report({subject: peak for subject, (peak, _) in item_peaks.items()}).ratio
    return RunFacts(
        data=data,
        items=items,
        labels=error_labels.count_labels_of_runs(store, failed),
        peaks=peaks,
        failures=sum(sum(row.failures.values()) for row in rows),
        published=tuple(published_tables(store)),
    )


def _load_datasheet_statements(store: ProjectFile) -> dict[str, AuditStatement]:
    """Return point id -> the datasheet's answer as a statement, with its author and time."""
    answers = datasheet.load_datasheet_texts(store).get("answers", {})
    statements = {}
    with store.read() as db:
        for point, question in FROM_DATASHEET.items():
            text = str(answers.get(question, "")).strip()
            if text:
                person, written_at = undo_log.find_last_with_label(db, Message("Datasheet: {name}", name=question))
                statements[point] = AuditStatement(MET, text, person, written_at)
    return statements


def _find_evidence(
    store: ProjectFile, point: AuditPoint, item_facts: ItemFacts, run_facts: RunFacts, release: Release | None
) -> AuditEvidence:
    if not point.evidence:
        return AuditEvidence(OPEN, "")
    if point.id in FROM_ITEMS:
        return FROM_ITEMS[point.id](point, item_facts)
    if point.id in RUN_POINT_IDS:
        return evidence_of_runs(point, run_facts)
    if point.id == "isolation":
        return isolation_evidence(point, run_facts)
    if point.id == "documents":
        count = len(datasheet.open_questions(store))
        return judge_value(
            point, count, Message("{count} required questions of the datasheet are open", count=count), "Release"
        )
    return _find_release_evidence(point, release)


def _find_release_evidence(point: AuditPoint, release: Release | None) -> AuditEvidence:
    if release is None:
        return unknown_evidence(Message("The current state is not a release yet."), "Release")
    if point.id == "digest":
        digest = release.content_hash[:16]
        return unknown_evidence(Message("The digest is {digest}; there is no signature.", digest=digest), "Release")
    since = release.manifest.get("since")
    if not since:
        return AuditEvidence(MET, Message("Version {version}, the first one", version=release.version), "Release")
    text = Message(
        "Version {version}; changes since {old} are described", version=release.version, old=since["version"]
    )
    return AuditEvidence(MET, text, "Release")
