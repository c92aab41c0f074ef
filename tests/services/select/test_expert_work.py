"""Decisions, paraphrases and criteria; undo and redo across restarts and people."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import col, select

from annotator.base.errors import BadInputError
from annotator.formats.read.import_records import Candidate
from annotator.model.rows.queue_rows import SORTS, QueueFilter
from annotator.model.tables.project_tables import Change
from annotator.model.vocabulary import Verdict
from annotator.services.criterion import revisions
from annotator.services.project import members, projects, undo
from annotator.services.prompt import paraphrases
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile


def _verdicts(store: ProjectFile) -> list[str | None]:
    return [row.verdict for row in triage.queue_page(store, QueueFilter()).rows]


def _ids(store: ProjectFile) -> list[str]:
    return [row.id for row in triage.queue_page(store, QueueFilter()).rows]


def test_a_decision_is_current_and_said(store: ProjectFile) -> None:
    first = _ids(store)[0]
    changes = triage.decide_subjects(store, [first], Verdict.ACCEPT)
    assert changes.subjects == {first}
    assert "decision" in changes.nouns
    assert changes.label == "Accept Merge two dictionaries"
    triage.decide_subjects(store, [first], Verdict.REJECT, "too simple")
    view = triage.load_subject(store, first)
    assert view.row.verdict == "reject"
    assert [(item.verdict, item.reason) for item in view.decisions] == [("reject", "too simple"), ("accept", "")]


def test_a_bulk_decision_is_one_act(store: ProjectFile) -> None:
    triage.decide_subjects(store, _ids(store), Verdict.ACCEPT)
    assert _verdicts(store) == ["accept"] * 4
    assert undo.undo_label(store) == "Accept 4 subjects"
    undo.undo_last_act(store)
    assert _verdicts(store) == [None] * 4


def test_undo_and_redo_survive_a_restart(store: ProjectFile) -> None:
    ids = _ids(store)
    triage.decide_subjects(store, ids[:1], Verdict.ACCEPT)
    triage.decide_subjects(store, ids[1:2], Verdict.FLAG)
    paraphrases.save_prompt(store, ids[0], "Merge dictionaries a and b.")
    path = store.place
    store.close()
    again = projects.open_project(path)
    for expected in ("Undo: Paraphrase Merge two dictionaries", "Undo: Flag Greedy match across lines"):
        changes = undo.undo_last_act(again)
        assert changes is not None
        assert changes.label == expected
    again.close()
    third = projects.open_project(path)
    assert _verdicts(third)[:2] == ["accept", None]
    assert undo.redo_label(third) == "Flag Greedy match across lines"
    undo.redo_last_act(third)
    assert _verdicts(third)[:2] == ["accept", "flag"]
    undo.redo_last_act(third)
    paraphrase = triage.load_subject(third, ids[0]).paraphrase
    assert paraphrase is not None
    assert paraphrase.text == "Merge dictionaries a and b."
    assert undo.redo_last_act(third) is None
    third.close()


def test_a_new_act_ends_what_could_be_redone(store: ProjectFile) -> None:
    ids = _ids(store)
    triage.decide_subjects(store, ids[:1], Verdict.ACCEPT)
    undo.undo_last_act(store)
    triage.decide_subjects(store, ids[1:2], Verdict.ACCEPT)
    assert undo.redo_label(store) is None


def test_an_act_of_somebody_else_leaves_ones_own_redo(store: ProjectFile) -> None:
    ids = _ids(store)
    triage.decide_subjects(store, ids[:1], Verdict.ACCEPT)
    undo.undo_last_act(store)
    members.switch_annotator(store, "Ben")
    triage.decide_subjects(store, ids[1:2], Verdict.REJECT)
    members.switch_annotator(store, "Ada")
    assert undo.redo_label(store) == "Accept Merge two dictionaries"
    undo.redo_last_act(store)
    assert _verdicts(store)[:2] == ["accept", "reject"]


@pytest.mark.parametrize("sort", ["", *SORTS])
def test_pages_in_any_order_join_to_the_whole_queue(store: ProjectFile, sort: str) -> None:
    wanted = QueueFilter(sort=sort)
    whole = list(triage.queue_ids(store, wanted))
    paged: list[int] = []
    while rows := triage.queue_page(store, wanted, paged[-1] if paged else None, limit=2).rows:
        paged += [row.row for row in rows]
        assert len(paged) <= len(whole), "a page begins behind the last row of the page before"
    assert paged == whole


def test_undo_is_each_annotators_own(store: ProjectFile) -> None:
    ids = _ids(store)
    triage.decide_subjects(store, ids[:1], Verdict.ACCEPT)
    members.switch_annotator(store, "Ben")
    assert undo.undo_last_act(store) is None
    triage.decide_subjects(store, ids[:1], Verdict.REJECT, anyway=True)
    members.switch_annotator(store, "Ada")
    assert undo.undo_label(store) == "Accept Merge two dictionaries"


def test_undoing_an_import_hides_it_and_importing_again_brings_it_back(store: ProjectFile, rows_file: Path) -> None:
    undo.undo_last_act(store)
    assert _verdicts(store) == []
    report = imports.import_paths(store, "jsonl", [rows_file])
    assert (report.added, report.known) == (4, 0)
    assert len(_verdicts(store)) == 4


@settings(
    max_examples=max(10, settings().max_examples // 20),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(acts=st.lists(st.sampled_from(["accept", "reject", "skip", "flag", "undo", "redo"]), max_size=25))
def test_undo_and_redo_behave_as_two_stacks(store: ProjectFile, acts: list[str]) -> None:
    subject = _ids(store)[0]
    while undo.undo_label(store) != "Import rows.jsonl":
        undo.undo_last_act(store)
    triage.decide_subjects(store, [subject], Verdict.FLAG)
    done: list[str] = ["flag"]
    undone: list[str] = []
    for act in acts:
        if act == "undo":
            if done:
                undo.undo_last_act(store)
                undone.append(done.pop())
        elif act == "redo":
            changes = undo.redo_last_act(store)
            assert (changes is not None) == bool(undone)
            if undone:
                done.append(undone.pop())
        else:
            triage.decide_subjects(store, [subject], Verdict(act))
            done.append(act)
            undone.clear()
        assert triage.load_subject(store, subject).row.verdict == (done[-1] if done else None)


def test_history_tells_undone_acts_too(store: ProjectFile) -> None:
    first = _ids(store)[0]
    triage.decide_subjects(store, [first], Verdict.ACCEPT)
    undo.undo_last_act(store)
    acts = {(row.act, row.active) for row in triage.load_subject_history(store, first)}
    assert acts == {("import", True), ("accept", False)}
    with store.read() as db:
        kinds = [change.kind for change in db.exec(select(Change).order_by(col(Change.seq).desc()))]
    assert kinds == ["undo", "do", "do"]


def test_search_and_filters(store: ProjectFile) -> None:
    def titles(wanted: QueueFilter) -> list[str]:
        return [row.title for row in triage.queue_page(store, wanted).rows]

    assert titles(QueueFilter(text="dict")) == ["Merge two dictionaries"]
    assert titles(QueueFilter(text='"; DROP TABLE subject --')) == []
    assert titles(QueueFilter(text="***")) == []
    assert titles(QueueFilter(languages=("javascript",), text="in")) == ["Debounce an input"]
    triage.decide_subjects(store, _ids(store)[:1], Verdict.ACCEPT)
    assert len(titles(QueueFilter(verdicts=("open",)))) == 3
    assert len(titles(QueueFilter(verdicts=("open", "accept")))) == 4
    assert len(titles(QueueFilter(missing=("criterion",)))) == 4
    facets = triage.queue_facets(store, QueueFilter(languages=("java",)))
    assert facets.counts["language"] == (("javascript", 2), ("java", 1), ("python", 1))
    assert facets.counts["verdict"] == (("open", 1),)


def test_paging_is_by_keyset(store: ProjectFile) -> None:
    rows = triage.queue_ids(store, QueueFilter())
    first = triage.queue_page(store, QueueFilter(), limit=3)
    second = triage.queue_page(store, QueueFilter(), after=first.rows[-1].row, limit=3)
    assert [row.row for row in (*first.rows, *second.rows)] == list(rows)
    assert first.total == 4
    assert [row.row for row in triage.subjects_at_rows(store, rows[::-1])] == list(rows[::-1])


def test_subjects_are_found_by_the_short_key(store: ProjectFile) -> None:
    assert triage.load_subject(store, "0").row.key == "jsonl:0"
    with pytest.raises(BadInputError, match="no subject"):
        triage.load_subject(store, "%")


def test_an_empty_paraphrase_is_refused(store: ProjectFile) -> None:
    with pytest.raises(BadInputError, match="empty"):
        paraphrases.save_prompt(store, _ids(store)[0], "  \n")


def test_a_criterion_with_errors_is_refused_with_its_place(store: ProjectFile) -> None:
    with pytest.raises(BadInputError) as caught:
        revisions.save_criterion(store, _ids(store)[0], "grading:\n  keywords: 3\n")
    assert "2" in str(caught.value) + str(caught.value.details)
    assert triage.load_subject(store, _ids(store)[0]).criterion is None


def test_a_criterion_is_kept_as_written(store: ProjectFile) -> None:
    source = "# my remark\ngrading:\n  keywords:\n    - merge_them\n"
    revisions.save_criterion(store, _ids(store)[0], source)
    criterion = triage.load_subject(store, _ids(store)[0]).criterion
    assert criterion is not None
    assert criterion.source == source


def test_mined_code_goes_by_the_name_of_its_function(store: ProjectFile, tmp_path: Path) -> None:
    keys = [f"generated-code:tree:a.py#{name}" for name in ("cut@7", "cut_all@9", "A.run@4", "A.cut@5", "cutXall@3")]
    keys += ["rewrite:tree:a.py#cut@7/java-1", "generated-code:tree:b.py#twice@1", "generated-code:tree:c.py#twice@2"]
    made = [Candidate(key=key, title=key, prompt=key) for key in keys]
    imports.import_candidates(store, "generated-code", tmp_path, made, {})
    assert [triage.load_subject(store, name).row.key for name in ("cut", "cut_all", "run")] == keys[:3]
    with pytest.raises(BadInputError, match="Several subjects fit twice"):
        triage.load_subject(store, "twice")
    with pytest.raises(BadInputError, match="There is no subject ut "):
        triage.load_subject(store, "ut")
