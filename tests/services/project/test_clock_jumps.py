"""A machine whose clock was ahead for a while: what is done afterwards counts all the same."""

from __future__ import annotations

from datetime import timedelta

import pytest

from annotator.base import clock
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import aspect_reviews, panel_votes
from annotator.services.criterion import revisions
from annotator.services.project import undo
from annotator.services.prompt import paraphrases
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile

YES, NO = ({"realistic": word, "uses_llm": word} for word in ("yes", "no"))
CRITERION = "grading:\n  keywords:\n    - {word}\n"


def test_later_work_counts_after_the_clock_was_ahead(
    small_project: ProjectFile, ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, subject = small_project, ids[0]

    def work(verdict: Verdict, word: str, vote: dict[str, str]) -> None:
        triage.decide_subjects(store, [subject], verdict)
        paraphrases.save_prompt(store, subject, f"{word} words")
        revisions.save_criterion(store, subject, CRITERION.format(word=word))
        triage.label_rows(store, [triage.queue_row_of(store, subject)], "difficulty", word)
        panel_votes.cast_vote(store, subject, vote)
        aspect_reviews.add_review(store, subject, {"difficulty": len(word)}, word)

    panel_votes.set_panel(store, 3)
    with monkeypatch.context() as ahead:
        real = clock.now
        ahead.setattr(clock, "now", lambda: real() + timedelta(days=20_000))
        work(Verdict.FLAG, "hard", NO)
        aspect_reviews.set_locked(store, subject, True, "done")
    aspect_reviews.set_locked(store, subject, False, "not yet")
    work(Verdict.ACCEPT, "easy", YES)
    view = triage.load_subject(store, subject)
    assert view.paraphrase is not None and view.paraphrase.text == "easy words"
    assert view.criterion is not None and "easy" in view.criterion.source
    assert (view.row.verdict, view.row.difficulty) == ("accept", "easy")
    assert panel_votes.vote_state(store, subject).mine == YES
    assert [row.note for row in aspect_reviews.list_reviews(store, subject)] == ["easy"]
    assert not aspect_reviews.is_subject_locked(store, subject)
    for _ in range(7):
        undo.undo_last_act(store)
    view = triage.load_subject(store, subject)
    assert view.paraphrase is not None and view.paraphrase.text == "hard words"
    assert (view.row.verdict, view.row.difficulty) == ("flag", "hard")
    assert aspect_reviews.is_subject_locked(store, subject)


def test_work_is_saved_after_work_of_the_last_moment_there_is(small_project: ProjectFile, ids: list[str]) -> None:
    paraphrases.save_prompt(small_project, ids[0], "hard words")
    with small_project.write() as db:
        db.connection().exec_driver_sql("UPDATE prompt SET created_at = '9999-12-31T23:59:59.999999Z'")
    paraphrases.save_prompt(small_project, ids[0], "easy words")
    with small_project.read() as db:
        texts = db.connection().exec_driver_sql("SELECT text FROM prompt WHERE active = 1").scalars().all()
    assert sorted(texts) == ["easy words", "hard words"]
