"""Save revisions of criteria, and write criteria from subjects' own tests."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from annotator.answers.masked import MASK
from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.criteria import load_criterion
from annotator.criteria.document.from_tests import CriterionTest, criterion_from_tests
from annotator.evaluation.answer_scoring import grader_of
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.rows.view_rows import SubjectView
from annotator.services.edit_conflicts import refuse_unseen
from annotator.services.select.triage import queue_subjects
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import stored_subjects
from annotator.store.work import expert_work


def save_criterion(
    store: ProjectFile, subject_id: str, source: str, note: str = "", *, seen_ids: Collection[str] | None = None
) -> Changes:
    """Save a revision of a subject's criterion.

    Raises `CriterionError` with line and column if it has errors, and `EditConflictError` if the current revision is
    not in ``seen_ids``.
    """
    with store.write() as db:
        subject = stored_subjects.find_subject(db, subject_id)
        load_criterion(source, files=stored_subjects.load_criterion_files(db, subject.id))
        current = expert_work.find_criterion(db, subject.criterion_id)
        refuse_unseen(db, current, seen_ids, theirs=current.source if current else "", mine=source)
        return expert_work.add_criterion(
            db, store.annotator.id, subject.id, source, note, Message("Criterion of {title}", title=subject.title)
        )


def criteria_from_tests(store: ProjectFile, ids: Sequence[str] = ()) -> tuple[list[str], list[tuple[str, str]]]:
    """Write criteria from subjects' own tests (default: for all accepted subjects without a criterion).

    Returns the keys of subjects that got one, and (key, reason) for the others. Each criterion is one undoable change.
    """
    if not ids:
        queue_filter = QueueFilter(verdicts=("accept",), missing=("criterion",))
        ids = [row.id for row in queue_subjects(store, queue_filter)]
    written: list[str] = []
    left_out: list[tuple[str, str]] = []
    for subject_id in ids:
        with store.read() as db:
            view = stored_subjects.load_subject_view(db, subject_id)
        try:
            source = draft_from_tests(view)
            seen_ids = {view.criterion.id if view.criterion else ""}
            save_criterion(store, view.row.id, source, "from its tests", seen_ids=seen_ids)
        except (ValueError, BadInputError) as error:
            left_out.append((view.row.key, str(error)))
        else:
            written.append(view.row.key)
    return written, left_out


def draft_from_tests(view: SubjectView) -> str:
    """Return a criterion made of a subject's own tests. Raises `ValueError` with the reason if that is impossible."""
    if view.tests and (MASK in view.context or grader_of({"extra": view.extra})):
        raise ValueError("its tests need the code around its function, so they are used without a criterion")
    tests = [CriterionTest(test.name, test.code) for test in view.tests]
    return criterion_from_tests(view.row.language, view.entry_point, tests)
