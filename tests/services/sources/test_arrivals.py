"""The end of a long import: its subjects become visible in parts, whole in the end, whatever happens meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.project import projects, undo
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store import core_tables
from annotator.store.file import long_writes
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import arrivals, bulk_acts, first_page, stored_candidates
from tests.benchmarks import making

CHUNK = 20
MANY = 16 * CHUNK
SOURCE = stored_candidates.SourceInfo("jsonl", "made.jsonl", "")


@pytest.fixture(autouse=True)
def short_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((long_writes, "MOST"), (long_writes, "FIRST_STEP"), (stored_candidates, "FIRST_STEP")):
        monkeypatch.setattr(module, name, CHUNK)


def _add(
    store: ProjectFile, told: Callable[[int], object] | None = None, many: int = MANY
) -> stored_candidates.AddedCandidates:
    rows = (replace(item, criterion=f"# {n}", paraphrase=f"Ask {n}") for n, item in enumerate(making.subjects(many)))
    return stored_candidates.insert_candidates(store, SOURCE, rows, {}, "Import made.jsonl", told)[0]


def _seen(store: ProjectFile) -> int:
    return len(triage.queue_ids(store, QueueFilter()))


def _counts_are_right(store: ProjectFile) -> bool:
    order = ", ".join(map(str, range(1, 11)))
    with store.reader() as connection:
        kept = connection.execute(f"SELECT * FROM subject_count WHERE subjects > 0 ORDER BY {order}").fetchall()
        subject = core_tables.raw_table("subject")
        counting = core_tables.statement_text(bulk_acts.subject_count_query(subject, subject.c.active == 1))
        right = connection.execute(f"{counting} ORDER BY {order}")
        return [tuple(row) for row in kept] == [tuple(row) for row in right.fetchall()]


def _pending(store: ProjectFile) -> list[str]:
    with store.reader() as connection:
        return first_page.list_arriving_changes(connection)


def test_subjects_become_visible_in_parts_with_right_counts(store: ProjectFile) -> None:
    before, seen = _seen(store), list[tuple[int, int]]()

    def told(shown: int) -> None:
        seen.append((shown, _seen(store) - before))
        assert projects.stage_counts(store).subjects == before + shown
        assert _counts_are_right(store)

    assert _add(store, told).added == MANY
    assert all(shown == there for shown, there in seen)
    assert len({shown for shown, _ in seen}) > 2, "more than one part"
    assert (_seen(store), _pending(store)) == (before + MANY, [])
    counts = projects.stage_counts(store)
    assert (counts.subjects, counts.decisions) == (before + MANY, 0)
    rows = triage.subjects_at_rows(store, triage.queue_ids(store, QueueFilter())[before:])
    assert {(row.has_prompt, row.has_criterion, row.proven) for row in rows} == {(True, True, False)}


def test_what_a_merge_makes_visible_before_its_turn_is_counted_once(store: ProjectFile) -> None:
    """A merge with some of the same subjects makes those visible, in the midst of others that are not yet."""
    before, early = _seen(store), list[int]()

    def told(_: int) -> None:
        with store.write() as db:
            hidden = db.connection().exec_driver_sql("SELECT row FROM subject WHERE active = 0 ORDER BY row")
            rows = [] if early else hidden.scalars().all()[CHUNK + 3 : CHUNK + 6]
            early.extend(rows)
            for row in rows:
                db.connection().exec_driver_sql(f"UPDATE subject SET active = 1 WHERE row = {row}")

    _add(store, told)
    assert len(early) == 3 and _seen(store) == before + MANY
    assert _counts_are_right(store)


def test_what_came_is_undone_and_done_again_whole(store: ProjectFile) -> None:
    before, label = _seen(store), undo.undo_label(store)
    _add(store)
    assert undo.undo_label(store) == "Import made.jsonl"
    undo.undo_last_act(store)
    assert (_seen(store), undo.undo_label(store)) == (before, label)
    assert _counts_are_right(store)
    undo.redo_last_act(store)
    assert _seen(store) == before + MANY
    assert _counts_are_right(store)


def test_an_import_that_is_undone_while_it_becomes_visible_stays_undone(store: ProjectFile) -> None:
    before = _seen(store)

    def told(shown: int) -> None:
        if before < _seen(store) and undo.undo_label(store) == "Import made.jsonl":
            assert shown < MANY
            undo.undo_last_act(store)

    _add(store, told)
    assert (_seen(store), _pending(store)) == (before, [])
    assert _counts_are_right(store)
    undo.redo_last_act(store)
    assert _seen(store) == before + MANY
    assert _counts_are_right(store)


def test_people_may_decide_on_what_is_visible_meanwhile(store: ProjectFile) -> None:
    before = _seen(store)

    def told(shown: int) -> None:
        triage.decide_queue_rows(store, triage.queue_ids(store, QueueFilter())[before : before + shown], Verdict.ACCEPT)

    _add(store, told)
    assert projects.stage_counts(store).accepted == MANY
    assert _counts_are_right(store)


def _cut_off(store: ProjectFile) -> None:
    """Import, and end when only some of the subjects are visible."""

    def told(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _add(store, told)


def test_an_end_that_was_cut_off_goes_on_at_the_next_opening(store: ProjectFile) -> None:
    before = _seen(store)
    _cut_off(store)
    assert before < _seen(store) < before + MANY
    assert len(_pending(store)) == 1
    with closing(projects.open_project(store.place, annotator="Ada")) as again:
        assert (_seen(again), _pending(again)) == (before + MANY, [])
        assert _counts_are_right(again)
        undo.undo_last_act(again)
        assert _seen(again) == before


def test_who_only_reads_leaves_it_as_it_is(store: ProjectFile) -> None:
    _cut_off(store)
    seen = _seen(store)
    with closing(projects.open_project(store.place, annotator="Ada", read_only=True)) as reading:
        assert (_seen(reading), len(_pending(reading))) == (seen, 1)


def test_the_next_import_brings_the_one_before_to_its_end(store: ProjectFile) -> None:
    before = _seen(store)
    _cut_off(store)
    done = _add(store)
    assert (done.added, done.already_present) == (0, MANY)
    assert _seen(store) == before + MANY
    assert undo.undo_label(store) == "Import made.jsonl"


def test_another_import_takes_nothing_from_one_that_becomes_visible(
    store: ProjectFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, others = _seen(store), list[stored_candidates.AddedCandidates]()

    def told(_: int) -> None:
        if not others:
            # It began before the first one's end, so it does not bring that about.
            with monkeypatch.context() as patch:
                patch.setattr(arrivals, "complete_arrivals", _later)
                others.append(
                    stored_candidates.insert_candidates(
                        store, SOURCE, list(making.subjects(MANY)), {}, "Import it again"
                    )[0]
                )

    _add(store, told)
    assert [(other.added, other.already_present) for other in others] == [(0, MANY)]
    assert _seen(store) == before + MANY
    undo.undo_last_act(store)
    assert _seen(store) == before


def _later(*_: object) -> None:
    """Leave what arrives to others."""


def test_several_may_bring_it_to_its_end_at_once(store: ProjectFile) -> None:
    before = _seen(store)
    _cut_off(store)
    threads = [threading.Thread(target=arrivals.complete_arrivals, args=(store,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (_seen(store), _pending(store)) == (before + MANY, [])
    assert _counts_are_right(store)


@pytest.mark.file_only("copies the file in the middle of an import")
@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_kill_at_the_end_loses_nothing(store: ProjectFile, tmp_path: Path, after: int) -> None:
    before, calls, copy = _seen(store), list[int](), tmp_path / "killed.annotator"

    def told(shown: int) -> None:
        if len(calls) == after:
            store.copy_to(copy)
        calls.append(shown)

    _add(store, told)
    with closing(projects.open_project(copy)) as left:
        assert (_seen(left), _pending(left)) == (before + MANY, [])
        assert _counts_are_right(left)
        assert left.integrity() == ()
        undo.undo_last_act(left)
        assert _seen(left) == before


def test_many_chunks_are_counted_right(store: ProjectFile) -> None:
    before = _seen(store)
    _add(store, many=3 * MANY)
    assert _seen(store) == before + 3 * MANY
    assert _counts_are_right(store)
    with store.reader() as connection:
        if not store.shared:
            names = connection.execute("SELECT name FROM sqlite_master WHERE name LIKE 'subject_count_%'").fetchall()
            assert len(names) == 3, "the triggers are back"


def test_a_command_that_imports_says_how_much_is_there(store: ProjectFile, tmp_path: Path) -> None:
    from annotator.jobs.progress import Progress

    path, texts = tmp_path / "long.jsonl", list[str]()
    path.write_text("".join(f'{{"id": "x{n}", "prompt": "p{n}"}}\n' for n in range(MANY)))

    told = Progress(lambda progress: texts.append(progress.text), every_s=0.0)
    imports.import_paths(store, "jsonl", [path], progress=told)
    assert f"{MANY} candidates of long.jsonl added" in texts
