"""The release audit: every point of the checklist with evidence from the project, a person's statement, or open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.base.messages import Message
from annotator.metrics.comparison.leakage import leak_report
from annotator.model.changes import Changes
from annotator.model.contents import hash_items
from annotator.model.rows.audit import (
    MET,
    OPEN,
    STATES,
    Audit,
    AuditEvidence,
    AuditPoint,
    AuditRow,
    AuditStatement,
)
from annotator.model.tables.release import Release
from annotator.services.consensus import disagreements
from annotator.services.release import datasheet, rewrite_facts
from annotator.services.release.audit_items import FROM_ITEMS, Item, ItemFacts, judge_value, unknown
from annotator.services.release.audit_points import BY_ID, FROM_DATASHEET, POINTS
from annotator.services.release.audit_runs import FROM_RUNS, RunFacts, evidence_of_runs, isolation
from annotator.services.release.exports import gather_facts
from annotator.services.results import error_labels, leakage, score_data
from annotator.services.results.published_tables import published_tables
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.judging import consensus
from annotator.store.runs import releases as stored
from annotator.store.runs import runs, score_columns
from annotator.store.work import audit_answers, proofs

SETTING = "release_audit"
_LABELS = ("language", "domain", "area", "difficulty", "task")
_LIMIT = 5000


def audit(store: ProjectFile, version: str | None = None) -> Audit:
    """Return every point for a release (None: the present state, with the runs of the newest release if it is that).

    Raises `BadInputError` for a version that does not exist, and if there is no item.
    """
    now = _current(store)
    with store.read() as db:
        versions = stored.listing(db)
        release = stored.find(db, version or versions[0].version) if version or versions else None
        items = stored.items_of(db, release.id) if version and release else now
    digest = hash_items([item["content_hash"] for item in items])
    if release is not None and not version and release.content_hash != digest:
        release = None
    return audit_items(store, items, release, now)


def audit_items(
    store: ProjectFile, items: Sequence[Item], release: Release | None, now: Sequence[Item], *, has_runs: bool = True
) -> Audit:
    """Return every point for some frozen items; ``now`` are those of the present state, which proofs are about.

    ``has_runs`` is False for a release that is being made: nothing can have run on it.
    """
    if not items:
        raise BadInputError("No subject is accepted yet, so there is nothing to audit.")
    of_items, of_runs = _item_facts(store, items, now), _run_facts(store, items, release if has_runs else None)
    with store.read() as db:
        said = audit_answers.current(db)
    said = {**_from_datasheet(store), **said}
    rows = []
    for point in current_points(store):
        evidence = _evidence(store, point, of_items, of_runs, release)
        rows.append(AuditRow(point, evidence, said.get(point.id)))
    return Audit(store.project_name, release.version if release else "", tuple(rows))


def state(store: ProjectFile, point: str, answer: str, text: str) -> Changes:
    """Keep what a person states on a point, as one act that can be undone; the answer open takes it back.

    Raises `BadInputError` for a point or state that does not exist, and for a statement without a text.
    """
    _find(point)
    if answer not in STATES:
        raise BadInputError(f"A point is {', '.join(STATES)}, not {answer}. Nothing was changed.")
    words = " ".join(text.split())
    if answer != OPEN and not words:
        raise BadInputError("A statement needs a sentence that says why. Nothing was changed.")
    if len(words) > _LIMIT:
        raise BadInputError(f"A statement may have at most {_LIMIT:,} characters. Nothing was changed.")
    with store.write() as db:
        return audit_answers.add(db, store.annotator.id, point, answer, words)


def set_threshold(store: ProjectFile, point: str, value: float) -> Changes:
    """Ask more of a point than the checklist does; the history tells who did.

    Raises `BadInputError` for a point without a number, and for a threshold that asks less.
    """
    found = _find(point)
    if found.threshold is None:
        raise BadInputError(f"The point {point} has no number. Nothing was changed.")
    if value != value or (value > found.threshold if found.at_most else value < found.threshold):
        bound = "at most" if found.at_most else "at least"
        raise BadInputError(f"The threshold of {point} is {bound} {found.threshold:g}. Nothing was changed.")
    label = Message("Audit: {point} needs {value}", point=point, value=f"{value:g}")
    with store.write() as db:
        kept = people.setting(db, SETTING)
        thresholds = {**(kept if isinstance(kept, Mapping) else {}), point: value}
        people.set_setting(db, SETTING, thresholds)
        undo_log.record_event(db, store.annotator.id, label, ["audit"])
    return Changes(frozenset({"audit"}), label=label)


def current_points(store: ProjectFile) -> tuple[AuditPoint, ...]:
    """Return the checklist with the thresholds of the project."""
    with store.read() as db:
        kept = people.setting(db, SETTING)
    own = kept if isinstance(kept, Mapping) else {}
    return tuple(
        replace(point, threshold=float(own[point.id])) if isinstance(own.get(point.id), int | float) else point
        for point in POINTS
    )


def frozen_rows(store: ProjectFile, version: str | None = None) -> list[dict[str, Any]]:
    """Return the audit that a release (None: the newest) was frozen with; none for one of an earlier program.

    Raises `BadInputError` for a version that does not exist.
    """
    with store.read() as db:
        return list(stored.find(db, version).manifest.get("audit") or ())


def compare(old: Audit, new: Audit) -> tuple[tuple[AuditRow, AuditRow], ...]:
    """Return the points whose state differs between two versions."""
    return tuple((a, b) for a, b in zip(old.rows, new.rows, strict=True) if a.state != b.state)


def _find(point: str) -> AuditPoint:
    if point not in BY_ID:
        raise BadInputError(f"The audit has no point {point}. There are: {', '.join(BY_ID)}. Nothing was changed.")
    return BY_ID[point]


def _current(store: ProjectFile) -> list[dict[str, Any]]:
    with store.read() as db:
        items = stored.current_items(db)
    return [{**item, "content_hash": content_hash(item)} for item in rewrite_facts.add_facts(store, items)]


def _item_facts(store: ProjectFile, items: Sequence[Item], now: Sequence[Item]) -> ItemFacts:
    same = {(item["id"], item["content_hash"]) for item in now}
    chosen = {item["id"] for item in items}
    unchanged = {item["id"] for item in items if (item["id"], item["content_hash"]) in same}
    with store.read() as db:
        checks = proofs.checks_of_items(db)
        labels = audit_answers.candidate_labels(db, _LABELS)
        verdicts = audit_answers.verdicts_by_person(db)
        reviews = [(row.subject_id, row.annotator_id) for row in consensus.reviews(db)]
    known = gather_facts(store)
    readers: dict[str, set[str]] = {}
    for subject, person in reviews:
        readers.setdefault(subject, set()).add(person)
        readers[subject] |= verdicts.get(subject, {}).keys()
    several = [set(said.values()) for subject, said in verdicts.items() if subject in chosen and len(said) > 1]
    return ItemFacts(
        items=items,
        checks={subject: found for subject, found in checks.items() if subject in unchanged},
        sources=known.sources,
        candidates=labels,
        candidate_count=sum(labels["task"].values()),
        rejected=known.filters,
        readers={subject: frozenset(found) for subject, found in readers.items()},
        agreed=sum(len(said) == 1 for said in several),
        shared=len(several),
        unsettled=sum(subject in chosen for subject in disagreements.open_matters(store)),
    )


def _run_facts(store: ProjectFile, items: Sequence[Item], release: Release | None) -> RunFacts:
    if release is None:
        return RunFacts(data=None, items=items)
    data = score_data.load(store, release.version)
    if not data.entries:
        return RunFacts(data=None, items=items)
    with store.read() as db:
        found = score_columns.finished(db, release.version)
        rows = [row for row in runs.listing(db) if row.version == release.version]
    every = found[2] if found else ()
    failed = {
        entry.run.id: data.outcomes(at)["fail"] + data.outcomes(at)["partial"] for at, entry in enumerate(data.entries)
    }
    peaks = {}
    for entry in data.entries:
        of_items = leakage.item_peaks(store, entry.run, every)
        peaks[entry.label] = leak_report({subject: peak for subject, (peak, _) in of_items.items()}).ratio
    return RunFacts(
        data=data,
        items=items,
        labels=error_labels.counts_of_runs(store, failed),
        peaks=peaks,
        failures=sum(sum(row.failures.values()) for row in rows),
        published=tuple(published_tables(store)),
    )


def _from_datasheet(store: ProjectFile) -> dict[str, AuditStatement]:
    """Return what the datasheet says to points that only people know, with who wrote it and when."""
    answered = datasheet.written(store).get("answers", {})
    found = {}
    with store.read() as db:
        for point, question in FROM_DATASHEET.items():
            text = str(answered.get(question, "")).strip()
            if text:
                who, when = undo_log.last_with_label(db, Message("Datasheet: {name}", name=question))
                found[point] = AuditStatement(MET, text, who, when)
    return found


def _evidence(
    store: ProjectFile, point: AuditPoint, of_items: ItemFacts, of_runs: RunFacts, release: Release | None
) -> AuditEvidence:
    if not point.evidence:
        return AuditEvidence(OPEN, "")
    if point.id in FROM_ITEMS:
        return FROM_ITEMS[point.id](point, of_items)
    if point.id in FROM_RUNS:
        return evidence_of_runs(point, of_runs)
    if point.id == "isolation":
        return isolation(point, of_runs)
    if point.id == "documents":
        count = len(datasheet.open_questions(store))
        return judge_value(
            point, count, Message("{count} required questions of the datasheet are open", count=count), "Release"
        )
    return _of_release(point, release)


def _of_release(point: AuditPoint, release: Release | None) -> AuditEvidence:
    if release is None:
        return unknown(Message("The present state is no release yet."), "Release")
    if point.id == "digest":
        digest = release.content_hash[:16]
        return unknown(Message("The digest is {digest}; nothing tells of a signature.", digest=digest), "Release")
    since = release.manifest.get("since")
    if not since:
        return AuditEvidence(MET, Message("Version {version}, the first one", version=release.version), "Release")
    text = Message("Version {version}; what changed since {old} is told", version=release.version, old=since["version"])
    return AuditEvidence(MET, text, "Release")
