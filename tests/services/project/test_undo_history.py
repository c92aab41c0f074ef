"""The history, and going to a point of it, also after the clock was ahead."""

from __future__ import annotations

import json
import threading
from datetime import timedelta

import pytest

from annotator.__main__ import main
from annotator.base import clock
from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import aspect_reviews, panel_votes
from annotator.services.criterion import revisions
from annotator.services.project import members, projects, undo
from annotator.services.prompt import paraphrases
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile


def _decide(store: ProjectFile, ids: list[str]) -> list[str]:
    return [triage.decide_subjects(store, [item], Verdict.ACCEPT).change_id or "" for item in ids]


def test_acts_are_listed_with_who_when_and_how_many(small_project: ProjectFile, ids: list[str]) -> None:
    triage.decide_subjects(small_project, ids[:5], Verdict.ACCEPT)
    members.switch_annotator(small_project, "Ben")
    triage.decide_subjects(small_project, ids[:2], Verdict.REJECT)
    rows = undo.load_acts(small_project).rows
    assert [(row.annotator, row.items, row.mine) for row in rows] == [
        ("Ben", 2, True),
        ("Ada", 5, False),
        ("Ada", len(ids), False),
    ]
    assert rows[0].created_at > rows[1].created_at > rows[2].created_at
    undo.undo_last_act(small_project)
    assert undo.load_acts(small_project).rows[0].state == "undone"


def test_labels_come_back_as_messages(small_project: ProjectFile, ids: list[str]) -> None:
    triage.decide_subjects(small_project, ids[:5], Verdict.ACCEPT)
    for label in (undo.undo_label(small_project), undo.load_acts(small_project).rows[0].label):
        assert isinstance(label, Message) and label == "Accept 5 subjects"
        assert (label.template, label.fields) == ("Accept {count} subjects", {"count": "5"})
    changed = undo.undo_last_act(small_project)
    assert changed is not None and changed.nouns == {"decision", "subject"}
    assert changed.label == "Undo: Accept 5 subjects"
    label = changed.label
    assert isinstance(label, Message) and label.template == "Undo: {label}"
    assert isinstance(label.fields["label"], Message)


def test_a_label_of_before_is_english(small_project: ProjectFile, ids: list[str]) -> None:
    triage.decide_subjects(small_project, ids[:5], Verdict.ACCEPT)
    with small_project.write() as db:
        db.connection().exec_driver_sql("UPDATE change SET nouns = '[\"decision\"]' WHERE label LIKE 'Accept%'")
    label = undo.load_acts(small_project).rows[0].label
    assert label == "Accept 5 subjects" and not isinstance(label, Message)
    assert undo.undo_last_act(small_project) is not None


def test_every_word_of_a_search_must_fit(small_project: ProjectFile, ids: list[str]) -> None:
    _decide(small_project, ids[:3])
    assert undo.load_acts(small_project, "ADA accept").total == 3
    triage.decide_subjects(small_project, ids[:1], Verdict.REJECT)
    assert undo.load_acts(small_project, "Reject ada").total == 1
    assert undo.load_acts(small_project, "accept %").total == 0
    assert undo.load_acts(small_project, "ben").total == 0


def test_pages_follow_each_other(small_project: ProjectFile, ids: list[str]) -> None:
    _decide(small_project, ids)
    first = undo.load_acts(small_project, limit=5)
    second = undo.load_acts(small_project, limit=5, before=first.before)
    assert first.total == second.total == len(ids) + 1
    assert [row.seq for row in first.rows + second.rows] == sorted(
        (row.seq for row in first.rows + second.rows), reverse=True
    )
    last = undo.load_acts(small_project, limit=5, before=3)
    assert last.before is None


def test_a_preview_is_exact_and_changes_nothing(small_project: ProjectFile, ids: list[str]) -> None:
    acts = _decide(small_project, ids[:4])
    before = small_project.path.read_bytes(), undo.load_acts(small_project)
    steps = undo.preview_move_to_act(small_project, acts[1])
    assert (steps.way, len(steps.acts)) == ("undo", 2)
    assert {(item.subject_id, item.field, item.before, item.after) for item in steps.effects} == {
        (ids[2], "verdict", "accept", "open"),
        (ids[3], "verdict", "accept", "open"),
    }
    assert (small_project.path.read_bytes(), undo.load_acts(small_project)) == before
    assert len(undo.preview_move_to_act(small_project, acts[1], before=True).acts) == 3


def test_going_back_and_forth(small_project: ProjectFile, ids: list[str]) -> None:
    acts = _decide(small_project, ids[:4])
    steps, changes = undo.move_to_act(small_project, acts[0])
    assert (len(steps.acts), changes.label) == (3, "Undo 3 acts")
    assert projects.stage_counts(small_project).accepted == 1
    steps, _ = undo.move_to_act(small_project, acts[2])
    assert (steps.way, len(steps.acts)) == ("redo", 2)
    assert projects.stage_counts(small_project).accepted == 3
    assert undo.move_to_act(small_project, acts[2])[0].way == ""
    assert undo.move_to_act(small_project, acts[3])[0].way == "redo"


def test_only_ones_own_acts_move(small_project: ProjectFile, ids: list[str]) -> None:
    first = _decide(small_project, ids[:2])
    members.switch_annotator(small_project, "Ben")
    _decide(small_project, ids[2:4])
    steps, _ = undo.move_to_act(small_project, first[0])
    assert len(steps.acts) == 2
    assert projects.stage_counts(small_project).accepted == 2


def test_acts_are_taken_back_in_the_order_they_were_begun(small_project: ProjectFile, ids: list[str]) -> None:
    store = small_project
    triage.decide_subjects(store, ids[:1], Verdict.ACCEPT)
    goes_on, ended = threading.Event(), threading.Event()

    def job() -> None:
        with store.job():
            ended.set()
            assert goes_on.wait(60)
            triage.decide_subjects(store, ids[1:2], Verdict.REJECT)
            triage.decide_subjects(store, ids[2:3], Verdict.REJECT)

    thread = threading.Thread(target=job)
    thread.start()
    assert ended.wait(60)
    triage.decide_subjects(store, ids[3:4], Verdict.SKIP)
    triage.decide_subjects(store, ids[4:5], Verdict.FLAG)
    undo.undo_last_act(store)
    goes_on.set()
    thread.join()

    def taken_back() -> list[str]:
        verdicts = {subject: triage.load_subject(store, subject).row.verdict for subject in ids[:5]}
        return [subject for subject in ids[:5] if verdicts[subject] is None]

    assert taken_back() == [ids[4]]
    # What the job wrote does not keep anybody from doing again what they undid meanwhile.
    assert undo.redo_label(store) is not None
    undo.redo_last_act(store)
    order = []
    for _ in range(5):
        before = set(taken_back())
        undo.undo_last_act(store)
        [subject] = set(taken_back()) - before
        order.append(subject)
    assert order == [ids[4], ids[3], ids[2], ids[1], ids[0]]


def test_what_is_not_there_is_said(small_project: ProjectFile) -> None:
    for wrong in ("", "ffffffff", "%", "0"):
        with pytest.raises(BadInputError):
            undo.preview_move_to_act(small_project, wrong)


def test_the_commands(small_project: ProjectFile, ids: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    acts, path = _decide(small_project, ids[:3]), str(small_project.path)
    assert main(["history", "list", path, "--search", "accept", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert [row["id"] for row in found["rows"]] == acts[::-1]
    assert main(["history", "go", path, "--to", acts[0], "--dry-run"]) == 0
    assert "2 changes would be undone" in capfd.readouterr().out
    assert projects.stage_counts(small_project).accepted == 3
    assert main(["history", "go", path, "--to", acts[0]]) == 0
    assert "2 changes undone" in capfd.readouterr().out
    assert projects.stage_counts(small_project).accepted == 1
    for subject_id, is_undone in zip(ids[:2], (False, True), strict=True):
        assert main(["team", "history", path, "--subject", subject_id]) == 0
        assert ("accept (undone)" in capfd.readouterr().out) == is_undone
    assert main(["history", "go", path, "--to", acts[0]]) == 0
    assert "Nothing to change" in capfd.readouterr().out
    assert main(["history", "go", path, "--to", "nothing"]) == 3
    assert main(["history"]) == 2


# A machine whose clock was ahead for a while: what is done afterwards counts all the same.
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
