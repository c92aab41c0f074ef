"""Make a release of stand-ins for subjects known only by name, so that verdicts without items can be imported."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from annotator.base.messages import Message
from annotator.formats.documents.release_facts import count_by
from annotator.formats.read.import_records import Candidate
from annotator.formats.read.outcomes import RecordedOutcome
from annotator.model.contents import hash_items
from annotator.model.tables.release_tables import Release
from annotator.model.vocabulary import Verdict
from annotator.services.release.versions import freeze_item
from annotator.services.sources.imports import import_candidates
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.queue import stored_subjects
from annotator.store.runs import stored_releases
from annotator.store.work import expert_work

_REASON = "Only verdicts on it are known; the subject itself is not in this project."
PREFIX = "outcomes:"


def stand_in_key(row: RecordedOutcome) -> str:
    """Return the key of a row's stand-in; it differs from the subject's own key, which may be imported later."""
    return PREFIX + row.key.partition(":")[2]


def make_verdict_release(store: ProjectFile, path: Path, rows: Iterable[RecordedOutcome]) -> str:
    """Add a stand-in for every subject named by the rows and freeze them as a release; returns its version.

    The stand-ins get the decision "skip", so that they do not appear in any queue.
    """
    first_rows: dict[str, RecordedOutcome] = {}
    for row in rows:
        first_rows.setdefault(stand_in_key(row), row)
    report = import_candidates(
        store, "outcomes", path, (_build_stand_in(key, row) for key, row in first_rows.items()), {}
    )
    with store.write() as db:
        used_versions = {row.version for row in stored_releases.fetch_release_rows(db)}
        version = next(
            name for number in range(1, len(used_versions) + 2) if (name := f"verdicts-{number}") not in used_versions
        )
        subjects = stored_subjects.find_subjects(db, sorted(first_rows))
        ids = {key: subject.id for key, subject in zip(sorted(first_rows), subjects, strict=True)}
        items = [freeze_item(_freeze_stand_in(ids[key], key, first_rows[key])) for key in ids]
        if report.added:
            label = Message("Skip {count} subjects known only from verdicts", count=len(ids))
            expert_work.add_decisions(db, store.annotator.id, list(ids.values()), Verdict.SKIP, _REASON, label)
        digest = hash_items([item["content_hash"] for item in items])
        manifest: dict[str, Any] = {
            "languages": {},
            "tasks": {},
            "domains": count_by(items, "domain"),
            "overridden": [],
            "override_reason": _REASON,
        }
        release = Release(
            version=version,
            notes=f"Made from the verdicts of {path.name}",
            annotator_id=store.annotator.id,
            content_hash=digest,
            item_count=len(items),
            manifest=manifest,
        )
        stored_releases.freeze_release(db, release, items)
        undo_log.record_event(db, store.annotator.id, Message("Release {version}", version=version), ["release"])
    return version


def _build_stand_in(key: str, row: RecordedOutcome) -> Candidate:
    return Candidate(
        key=key,
        title=row.function,
        task="generation",
        language=_language_of(row),
        domain=row.domain,
        prompt="",
        entry_point=row.function.rpartition(".")[2],
        provenance={"repository": row.repository, "path": row.path, "mask": row.mask},
    )


def _language_of(row: RecordedOutcome) -> str:
    return "python" if row.path.endswith(".py") else ""


def _freeze_stand_in(subject_id: str, key: str, row: RecordedOutcome) -> dict[str, Any]:
    empty = ("area", "difficulty", "question_type", "licence", "prompt", "original_prompt", "reference", "context")
    return {
        "id": subject_id,
        "key": key,
        "title": row.function,
        "task": "generation",
        "language": _language_of(row),
        "domain": row.domain,
        **dict.fromkeys(empty, ""),
        "entry_point": row.function.rpartition(".")[2],
        "dependencies": {},
        "provenance": {"repository": row.repository, "path": row.path, "mask": row.mask},
        "extra": {},
        "views": None,
        "tests": [],
        "criterion": "",
    }
