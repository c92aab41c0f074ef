"""Criteria: save a revision, and try it on stored responses."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.base.errors import BadInputError
from annotator.criteria import CriterionDocument, Scored, load, score_many
from annotator.criteria.from_tests import GivenTest, from_tests
from annotator.criteria.templates import template
from annotator.model.rows import Changes, QueueFilter, ResponseRow, SubjectView
from annotator.store.project_file import ProjectFile


def save_criterion(store: ProjectFile, subject_id: str, source: str, note: str = "") -> Changes:
    """Save a revision of a subject's criterion. Raises `CriterionError` naming line and column if it has errors."""
    from annotator.store import subjects, work

    with store.write() as db:
        subject = subjects.find(db, subject_id)
        load(source, files=subjects.files(db, subject.id))
        return work.add_criterion(db, store.annotator.id, subject.id, source, note, f"Criterion of {subject.title}")


def criteria_from_tests(store: ProjectFile, ids: Sequence[str] = ()) -> tuple[list[str], list[tuple[str, str]]]:
    """Write criteria from the tests that subjects came with; all accepted subjects without one if none are named.

    Returns the keys that got one, and (key, reason) of those that did not. Each is an act that can be undone.
    """
    from annotator.store import queue, subjects

    if not ids:
        wanted = QueueFilter(verdicts=("accept",), missing=("criterion",))
        with store.reader() as connection:
            ids = [row.id for row in queue.rows_at(connection, queue.ids(connection, wanted))]
    written: list[str] = []
    left_out: list[tuple[str, str]] = []
    for subject_id in ids:
        with store.read() as db:
            view = subjects.view(db, subject_id)
        try:
            source = draft_from_tests(view)
            save_criterion(store, view.row.id, source, "from its tests")
        except (ValueError, BadInputError) as problem:
            left_out.append((view.row.key, str(problem)))
        else:
            written.append(view.row.key)
    return written, left_out


def draft_from_tests(view: SubjectView) -> str:
    """Return a criterion of a subject's own tests; raises ValueError saying why there can be none."""
    tests = [GivenTest(test.name, test.code) for test in view.tests]
    return from_tests(view.row.language, view.entry_point, tests)


def try_responses(document: CriterionDocument, responses: Sequence[ResponseRow]) -> tuple[Scored, ...]:
    """Score stored sample responses, in their order."""
    return tuple(score_many(document, [response.text for response in responses]))


def criterion_template(metric: str = "keywords") -> str:
    """Return a commented document to start from."""
    return template(metric)
