"""Imports of more candidates than come in one transaction: whole, gone, or lying unseen after a kill."""

from __future__ import annotations

import contextlib
import itertools
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.formats.read.import_records import Candidate
from annotator.jobs.progress import Cancelled, Progress
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.project import projects, search_index, undo
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file import long_writes
from annotator.store.file.long_writes import LongWrite
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import stored_candidates as insertion

CHUNK = 20
MANY = 15 * CHUNK
MIDDLE = 7 * CHUNK


@pytest.fixture(autouse=True)
def short_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((long_writes, "MOST"), (long_writes, "FIRST_STEP"), (insertion, "FIRST_STEP")):
        monkeypatch.setattr(module, name, CHUNK)


def _candidates(stop: int = MANY) -> Iterator[Candidate]:
    for number in range(stop):
        yield Candidate(key=f"long{number}", title=f"Long {number}", prompt=f"What is zebra{number}?", language="go")


def _found(store: ProjectFile, text: str) -> int:
    return len(triage.queue_rows(store, QueueFilter(text=text)).rows)


def _indexed(store: ProjectFile) -> int:
    with store.reader() as connection:
        return int(connection.execute("SELECT count(*) FROM subject_search").fetchone()[0])


def _import(store: ProjectFile, rows: Iterator[Candidate], place: Path) -> imports.ImportReport:
    return imports.import_candidates(store, "jsonl", place, rows, {})


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "long.jsonl"
    path.write_text("stands for what was read\n")
    return path


def test_a_long_import_is_seen_when_all_of_it_is_there(store: ProjectFile, place: Path) -> None:
    before, seen = projects.stage_counts(store).subjects, []

    def rows() -> Iterator[Candidate]:
        for number, candidate in enumerate(_candidates()):
            if number % CHUNK == 0:
                seen.append((projects.stage_counts(store).subjects, _found(store, "zebra1"), undo.undo_label(store)))
            yield candidate

    label = undo.undo_label(store)
    report = _import(store, rows(), place)
    assert report.added == MANY
    assert set(seen) == {(before, 0, label)}, "nobody sees half of it, nor undoes it"
    assert projects.stage_counts(store).subjects == before + MANY
    assert [_found(store, f"zebra{number}") for number in (0, MIDDLE, MANY - 1)] == [1, 1, 1]
    assert undo.undo_label(store) == f"Mine {place.name}"
    undo.undo_last_act(store)
    assert (projects.stage_counts(store).subjects, _found(store, f"zebra{MIDDLE}")) == (before, 0)
    undo.redo_last_act(store)
    assert (projects.stage_counts(store).subjects, _found(store, f"zebra{MIDDLE}")) == (before + MANY, 1)


def test_what_fails_half_way_leaves_nothing_behind(store: ProjectFile, place: Path) -> None:
    before, indexed = projects.stage_counts(store).subjects, _indexed(store)

    def rows() -> Iterator[Candidate]:
        yield from _candidates(10 * CHUNK)
        raise OSError("the disk went away")

    with pytest.raises(OSError, match="went away"):
        _import(store, rows(), place)
    with store.reader() as connection:
        assert connection.execute("SELECT count(*) FROM subject").fetchone()[0] == before
    assert _indexed(store) == indexed
    assert _import(store, _candidates(), place).added == MANY
    assert [_found(store, f"zebra{number}") for number in (0, MIDDLE, MANY - 1)] == [1, 1, 1]


def test_a_failed_import_is_taken_out_in_parts(store: ProjectFile, place: Path) -> None:
    def written() -> int:
        with store.reader() as connection:
            return int(connection.execute("SELECT count(*) FROM subject").fetchone()[0])

    def rows() -> Iterator[Candidate]:
        for number, candidate in enumerate(_candidates(100 * MANY)):
            if number % CHUNK == 0 and written() > MANY:
                raise OSError("the disk went away")
            yield candidate

    def listen(*words: Any, **options: Any) -> Iterator[int]:
        for count in repeat(*words, **options):
            left.append(written())
            yield count

    left, repeat = list[int](), LongWrite.repeat
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LongWrite, "repeat", listen)
        with pytest.raises(OSError, match="went away"):
            _import(store, rows(), place)
    most = max(left)
    going = left[left.index(most) :]
    assert most > MANY
    assert all(0 <= before - after <= CHUNK for before, after in itertools.pairwise(going))
    assert going[-1] == 4, "what was there before"
    with store.reader() as connection:
        assert connection.execute("SELECT count(*) FROM subjecttext").fetchone()[0] == 4
        assert connection.execute("SELECT count(*) FROM source WHERE active = 1").fetchone()[0] == 1


@pytest.mark.file_only("copies the file in the middle of an import")
def test_what_a_failed_import_took_over_from_a_killed_one_keeps_its_work(
    store: ProjectFile, place: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "killed.annotator"

    def rows(ending: Callable[[], object]) -> Iterator[Candidate]:
        for number, candidate in enumerate(_candidates()):
            if number == MANY - 1:
                ending()
            yield replace(candidate, paraphrase=f"Ask {number}")

    def fail() -> None:
        raise OSError("the disk went away")

    _import(store, rows(lambda: store.copy_to(copy)), place)
    with closing(projects.open_project(copy)) as left:
        before = projects.stage_counts(left).subjects
        with pytest.raises(OSError, match="went away"):
            _import(left, rows(fail), place)
        assert projects.stage_counts(left).subjects == before
        assert _import(left, rows(list), place).added == MANY
        found = triage.subjects_at_rows(left, triage.queue_ids(left, QueueFilter()))
        assert [row.has_prompt for row in found] == [False] * before + [True] * MANY
        assert left.integrity() == ()


def _killed(store: ProjectFile, place: Path, folder: Path) -> ProjectFile:
    """Import all candidates; returns the project as it was before the last of them, where the program was killed."""
    copy = folder / "killed.annotator"

    def rows() -> Iterator[Candidate]:
        for number, candidate in enumerate(_candidates()):
            if number == MANY - 1:
                store.copy_to(copy)
            yield candidate

    _import(store, rows(), place)
    return projects.open_project(copy)


@pytest.mark.file_only("copies the file in the middle of an import")
def test_a_killed_import_lies_unseen_until_it_is_made_again(store: ProjectFile, place: Path, tmp_path: Path) -> None:
    before, label = projects.stage_counts(store).subjects, undo.undo_label(store)
    with closing(_killed(store, place, tmp_path)) as left:
        with left.reader() as connection:
            assert connection.execute("SELECT count(*) FROM subject").fetchone()[0] > before
        assert projects.stage_counts(left).subjects == before
        assert _found(left, "zebra1") == 0
        assert undo.undo_label(left) == label and undo.redo_label(left) is None
        triage.decide_subjects(left, ["1"], Verdict.ACCEPT)
        assert _import(left, _candidates(), place).added == MANY
        assert projects.stage_counts(left).subjects == before + MANY
        assert [_found(left, f"zebra{number}") for number in (0, MIDDLE, MANY - 1)] == [1, 1, 1]
        assert left.integrity() == ()


@pytest.mark.file_only("copies the file in the middle of an import")
def test_what_a_killed_import_left_is_not_taken_for_other_content(
    store: ProjectFile, place: Path, tmp_path: Path
) -> None:
    before = projects.stage_counts(store).subjects
    with closing(_killed(store, place, tmp_path)) as left:
        other = (replace(item, prompt="What is a quagga?") if item.key == "long0" else item for item in _candidates())
        report = _import(left, other, place)
        assert (report.added, report.changed) == (MANY - 1, 1)
        assert projects.stage_counts(left).subjects == before + MANY - 1
        assert (_found(left, "zebra0"), _found(left, "quagga"), _found(left, f"zebra{MIDDLE}")) == (0, 0, 1)


def _file(folder: Path, many: int = MANY, name: str = "rows.jsonl") -> Path:
    path = folder / name
    rows = ({"id": f"f{number}", "prompt": f"What is yak{number}?", "title": f"Row {number}"} for number in range(many))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _import_file(store: ProjectFile, path: Path) -> imports.ImportReport:
    return imports.import_paths(store, "jsonl", [path])


def test_search_learns_behind_the_import_and_says_what_it_lacks(store: ProjectFile, tmp_path: Path) -> None:
    assert search_index.count_unindexed(store) == 0
    before = _indexed(store)
    assert _import_file(store, _file(tmp_path)).added == MANY
    assert search_index.count_unindexed(store) == MANY
    assert _found(store, f"yak{MIDDLE}") == 0, "it is there, but search does not know it yet"
    assert triage.queue_rows(store, QueueFilter(text=f"yak{MIDDLE}")).unsearched == MANY
    assert triage.queue_page(store, QueueFilter(text=f"yak{MIDDLE}")).unsearched == MANY
    assert triage.queue_page(store, QueueFilter(text=f"yak{MIDDLE}", sort="title")).unsearched == MANY
    assert triage.queue_page(store, QueueFilter()).unsearched == 0, "a list without a search is whole"
    told: list[tuple[int, int | None]] = []
    assert search_index.complete_search_index(store, Progress(lambda now: told.append((now.done, now.total)))) == MANY
    assert told[-1] == (MANY, MANY)
    assert [_found(store, f"yak{number}") for number in (0, MIDDLE, MANY - 1)] == [1, 1, 1]
    assert triage.queue_rows(store, QueueFilter(text=f"yak{MIDDLE}")).unsearched == 0
    assert (search_index.count_unindexed(store), _indexed(store)) == (0, before + MANY)
    assert search_index.complete_search_index(store) == 0


def test_an_index_that_was_stopped_goes_on_where_it_was(store: ProjectFile, tmp_path: Path) -> None:
    _import_file(store, _file(tmp_path))

    def stop(progress: Progress) -> None:
        progress.cancel()

    with pytest.raises(Cancelled):
        search_index.complete_search_index(store, Progress(stop))
    left = search_index.count_unindexed(store)
    assert 0 < left < MANY
    assert search_index.complete_search_index(store) == left
    assert [_found(store, f"yak{number}") for number in (0, MIDDLE, MANY - 1)] == [1, 1, 1]
    with store.reader() as connection:
        assert connection.execute("SELECT count(*) FROM subject").fetchone()[0] == _indexed(store)


def test_what_comes_in_while_search_lacks_something_is_known_once(store: ProjectFile, tmp_path: Path) -> None:
    _import_file(store, _file(tmp_path))
    few = [Candidate(key=f"few{number}", title=f"Few {number}", prompt="What is okapi?") for number in range(3)]
    assert imports.import_candidates(store, "jsonl", _file(tmp_path, 1, "few.jsonl"), iter(few), {}).added == 3
    assert _import_file(store, _file(tmp_path, 2 * MANY, "more.jsonl")).added == MANY
    search_index.complete_search_index(store)
    assert [_found(store, text) for text in ("okapi", f"yak{MIDDLE}", f"yak{2 * MANY - 1}")] == [3, 1, 1]
    with store.reader() as connection:
        assert connection.execute("SELECT count(*) FROM subject").fetchone()[0] == _indexed(store)


def test_taking_out_a_failed_import_leaves_no_gap(store: ProjectFile, place: Path) -> None:
    def rows() -> Iterator[Candidate]:
        yield from _candidates(10 * CHUNK)
        # Somebody else brings the index up to date meanwhile, as far as it goes.
        search_index.complete_search_index(store)
        raise OSError("the disk went away")

    before = _indexed(store)
    with pytest.raises(OSError, match="went away"):
        _import(store, rows(), place)
    assert (search_index.count_unindexed(store), _indexed(store)) == (0, before)
    assert _import(store, _candidates(), place).added == MANY
    assert [_found(store, f"zebra{number}") for number in (0, MIDDLE, MANY - 1)] == [1, 1, 1]


@pytest.mark.file_only("copies the file in the middle of an import")
def test_what_a_killed_import_left_is_made_searchable_at_the_next_opening(
    store: ProjectFile, place: Path, tmp_path: Path
) -> None:
    with closing(_killed(store, place, tmp_path)) as left:
        lacking = search_index.count_unindexed(left)
        assert lacking > 0
        assert search_index.complete_search_index(left) == lacking
        assert _found(left, "zebra1") == 0, "they are still unseen"
        assert _import(left, _candidates(), place).added == MANY
        assert [_found(left, f"zebra{number}") for number in (0, MIDDLE, MANY - 1)] == [1, 1, 1]
        assert left.integrity() == ()


@pytest.mark.file_only("looks at SQLite's own index")
def test_the_index_is_sound_and_merged_when_it_is_complete(store: ProjectFile, tmp_path: Path) -> None:
    _import_file(store, _file(tmp_path))
    search_index.complete_search_index(store)
    with store.write() as db:
        db.connection().exec_driver_sql("INSERT INTO subject_search (subject_search) VALUES ('integrity-check')")
    with store.reader() as connection:
        kept = dict(connection.execute("SELECT k, v FROM subject_search_config"))
        assert (kept["automerge"], kept["crisismerge"]) == (4, 16), "what comes in later is merged as it comes"


def test_decisions_are_taken_while_an_import_and_its_index_are_written(store: ProjectFile, tmp_path: Path) -> None:
    row = 1
    stop, made = threading.Event(), []

    def decide() -> None:
        while not stop.is_set():
            made.append(triage.decide_queue_rows(store, [row], Verdict.ACCEPT)[1])

    thread = threading.Thread(target=decide)
    thread.start()
    try:
        _import_file(store, _file(tmp_path))
        search_index.complete_search_index(store)
    finally:
        stop.set()
        thread.join()
    assert made
    assert [_found(store, f"yak{number}") for number in (0, MIDDLE, MANY - 1)] == [1, 1, 1]
    assert projects.check_integrity(store) == ()


@pytest.mark.file_only("looks at SQLite's own settings")
@pytest.mark.parametrize("fails", [False, True])
def test_long_writing_leaves_the_connection_as_it_was(store: ProjectFile, place: Path, fails: bool) -> None:
    def options() -> list[int]:
        with store.write() as db:
            names = ("cache_size", "wal_autocheckpoint", "foreign_keys")
            return [int(db.connection().exec_driver_sql(f"PRAGMA {name}").scalar_one()) for name in names]

    def rows() -> Iterator[Candidate]:
        yield from _candidates()
        during.extend(options())
        if fails:
            raise OSError("the disk went away")

    before, during = options(), list[int]()
    with contextlib.suppress(OSError):
        _import(store, rows(), place)
    assert options() == before
    assert during[:2] != before[:2], "and it is another while it writes"
