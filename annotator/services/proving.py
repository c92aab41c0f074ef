"""Prove the criteria of subjects and keep what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from annotator.base.errors import BadInputError
from annotator.criteria import CriterionDocument, check
from annotator.criteria.impostors import Question
from annotator.criteria.proving import ProofReport, prove
from annotator.criteria.unit_tests import Runner
from annotator.jobs.progress import Progress
from annotator.model.rows import Changes, ProvedRow, QueueFilter, SubjectView
from annotator.services.workbench import workbench
from annotator.store import proofs, queue, subjects
from annotator.store.project_file import ProjectFile


def question_of(view: SubjectView) -> Question:
    """Return what a subject's criterion is about: the prompt as models will see it, and the reference."""
    prompt = view.paraphrase.text if view.paraphrase else view.prompt
    return Question(prompt, view.reference, view.entry_point, view.row.language)


def prove_subjects(
    store: ProjectFile, ids: Sequence[str] = (), progress: Progress | None = None
) -> tuple[tuple[ProvedRow, ...], Changes]:
    """Prove the criteria of some subjects, or of all accepted ones that are not proven yet.

    Each result is saved as soon as it is there. Without a sandbox, criteria that run code are not proven. Raises
    `BadInputError` if a subject named has no criterion.
    """
    work = progress or Progress()
    views = _named(store, ids) if ids else _unproven(store)
    rows: list[ProvedRow] = []
    with workbench(store) as bench:
        for number, view in enumerate(views):
            work.report(number, len(views), f"proving {view.row.title}")
            report = prove_view(view, bench.runner_for)
            rows.append(_keep(store, view, report))
    work.report(len(views), len(views), "proven")
    return tuple(rows), Changes(frozenset({"proof", "subject"}), frozenset(row.subject_id for row in rows))


def prove_view(
    view: SubjectView, runner_for: Callable[[CriterionDocument], Runner | None], source: str | None = None
) -> ProofReport | str:
    """Prove a subject's criterion (or a draft of it); a sentence where the document itself has an error."""
    text = source if source is not None else (view.criterion.source if view.criterion else "")
    document = check(text, view.files).document
    if document is None:
        return "The criterion has an error."
    return prove(document, question_of(view), runner_for(document))


def as_checks(report: ProofReport) -> list[dict[str, Any]]:
    """Return a report as JSON objects."""
    return [asdict(item) for item in report.checks]


def _named(store: ProjectFile, ids: Sequence[str]) -> list[SubjectView]:
    with store.read() as db:
        views = [subjects.view(db, subject) for subject in ids]
    for view in views:
        if view.criterion is None:
            raise BadInputError(f"{view.row.key} has no criterion yet, so there is nothing to prove.")
    return views


def _unproven(store: ProjectFile) -> list[SubjectView]:
    wanted = QueueFilter(verdicts=("accept",), missing=("proof",))
    with store.reader() as connection:
        rows = queue.rows_at(connection, queue.ids(connection, wanted))
    with store.read() as db:
        return [subjects.view(db, row.id) for row in rows if row.has_criterion]


def _keep(store: ProjectFile, view: SubjectView, report: ProofReport | str) -> ProvedRow:
    assert view.criterion is not None
    if isinstance(report, str):
        outcome, checks, reason = "fail", list[dict[str, Any]](), report
    else:
        outcome, checks = "pass" if report.proven else "fail", as_checks(report)
        reason = next((item.summary for item in report.checks if item.required and item.outcome != "pass"), "")
    prompt_id = view.paraphrase.id if view.paraphrase else None
    with store.write() as db:
        proofs.add(db, view.row.id, view.criterion.id, prompt_id, outcome, checks)
    return ProvedRow(view.row.id, view.row.key, view.row.title, outcome, reason)
