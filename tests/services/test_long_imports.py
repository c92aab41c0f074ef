"""Imports of more candidates than come in one transaction: whole, gone, or lying unseen after a kill."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.formats.candidate import Candidate
from annotator.model.rows import QueueFilter
from annotator.model.words import Verdict
from annotator.services import history, importing, projects, selecting
from annotator.store import candidates
from annotator.store.project_file import ProjectFile

MANY = 3 * candidates.CHUNK


def _candidates(stop: int = MANY) -> Iterator[Candidate]:
    for number in range(stop):
        yield Candidate(key=f"long{number}", title=f"Long {number}", prompt=f"What is zebra{number}?", language="go")


def _found(store: ProjectFile, text: str) -> int:
    return len(selecting.queue_rows(store, QueueFilter(text=text)).rows)


def _indexed(store: ProjectFile) -> int:
    with store.reader() as connection:
        return int(connection.execute("SELECT count(*) FROM subject_search").fetchone()[0])


def _import(store: ProjectFile, rows: Iterator[Candidate], place: Path) -> importing.ImportReport:
    return importing.import_candidates(store, "jsonl", place, rows, {})


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "long.jsonl"
    path.write_text("stands for what was read\n")
    return path


def test_a_long_import_is_seen_when_all_of_it_is_there(store: ProjectFile, place: Path) -> None:
    before, seen = projects.stage_counts(store).subjects, []

    def rows() -> Iterator[Candidate]:
        for number, candidate in enumerate(_candidates()):
            if number % 100 == 0:
                seen.append((projects.stage_counts(store).subjects, _found(store, "zebra1"), history.undo_label(store)))
            yield candidate

    label = history.undo_label(store)
    report = _import(store, rows(), place)
    assert report.added == MANY
    assert set(seen) == {(before, 0, label)}, "nobody sees half of it, nor undoes it"
    assert projects.stage_counts(store).subjects == before + MANY
    assert [_found(store, f"zebra{number}") for number in (0, 700, MANY - 1)] == [1, 1, 1]
    assert history.undo_label(store) == f"Mine {place.name}"
    history.undo(store)
    assert (projects.stage_counts(store).subjects, _found(store, "zebra700")) == (before, 0)
    history.redo(store)
    assert (projects.stage_counts(store).subjects, _found(store, "zebra700")) == (before + MANY, 1)


def test_what_fails_half_way_leaves_nothing_behind(store: ProjectFile, place: Path) -> None:
    before, indexed = projects.stage_counts(store).subjects, _indexed(store)

    def rows() -> Iterator[Candidate]:
        yield from _candidates(2 * candidates.CHUNK)
        raise OSError("the disk went away")

    with pytest.raises(OSError, match="went away"):
        _import(store, rows(), place)
    with store.reader() as connection:
        assert connection.execute("SELECT count(*) FROM subject").fetchone()[0] == before
    assert _indexed(store) == indexed
    assert _import(store, _candidates(), place).added == MANY
    assert [_found(store, f"zebra{number}") for number in (0, 700, MANY - 1)] == [1, 1, 1]


@pytest.mark.file_only("copies the file in the middle of an import")
def test_a_killed_import_lies_unseen_until_it_is_made_again(store: ProjectFile, place: Path, tmp_path: Path) -> None:
    killed = tmp_path / "killed.annotator"
    before, label = projects.stage_counts(store).subjects, history.undo_label(store)

    def rows() -> Iterator[Candidate]:
        for number, candidate in enumerate(_candidates()):
            if number == MANY - 1:
                store.copy_to(killed)
            yield candidate

    _import(store, rows(), place)
    left = projects.open_project(killed)
    try:
        with left.reader() as connection:
            assert connection.execute("SELECT count(*) FROM subject").fetchone()[0] > before
        assert projects.stage_counts(left).subjects == before
        assert _found(left, "zebra1") == 0
        assert history.undo_label(left) == label and history.redo_label(left) is None
        selecting.decide(left, ["1"], Verdict.ACCEPT)
        assert _import(left, _candidates(), place).added == MANY
        assert projects.stage_counts(left).subjects == before + MANY
        assert [_found(left, f"zebra{number}") for number in (0, 700, MANY - 1)] == [1, 1, 1]
        assert left.integrity() == ()
    finally:
        left.close()
