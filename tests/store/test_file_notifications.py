"""What others commit to a project file is told; what this program commits itself is not."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlmodel import SQLModel

from annotator.base.clock import now_text
from annotator.model.changes import Changes
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import aspect_reviews
from annotator.services.project import members, search_index, time_machine, undo
from annotator.services.prompt import paraphrases
from annotator.services.select import leases, triage
from annotator.services.sources import imports
from annotator.store.core_tables import PROOF, insert_rows
from annotator.store.file import notifications
from annotator.store.file.open_connections import OpenConnections
from annotator.store.file.project_file import ProjectFile
from tests.processes import run_command

COUNT = 60


class Heard:
    """What a listener told, and a way to wait for it."""

    def __init__(self) -> None:
        self.all: list[Changes] = []
        self.windows: list[tuple[str, ...]] = []
        self._came = threading.Condition()

    def __call__(self, changes: Changes) -> None:
        with self._came:
            self.all.append(changes)
            self._came.notify_all()

    def next(self, seconds: float = 20.0) -> Changes:
        with self._came:
            assert self._came.wait_for(lambda: bool(self.all), seconds), "nothing was told"
            return self.all.pop(0)

    def nothing(self, seconds: float = 1.0) -> bool:
        with self._came:
            return not self._came.wait_for(lambda: bool(self.all), seconds)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        "".join(
            f'{{"id": "{number}", "title": "Task {number}", "prompt": "Do it.", "reference": "x", "language": "python",'
            f' "task": "question", "licence": "MIT", "provenance": {{"source": "made"}}}}\n'
            for number in range(COUNT)
        )
    )
    store = ProjectFile.create(tmp_path / "p.annotator", "Demo", "Ada")
    imports.import_paths(store, "jsonl", [rows])
    store.close()
    return tmp_path / "p.annotator"


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def store(path: Path, heard: Heard) -> Iterator[ProjectFile]:
    found = ProjectFile.open(path)
    assert found.listen(heard, heard.windows.append)
    yield found
    found.close()


@pytest.fixture
def other(path: Path) -> Iterator[ProjectFile]:
    found = ProjectFile.open(path)
    yield found
    found.close()


def _ids(store: ProjectFile) -> list[str]:
    return [row.id for row in triage.queue_subjects(store, leases.OPEN)]


def test_what_another_commits_is_told_with_its_nouns_and_subjects(
    store: ProjectFile, other: ProjectFile, heard: Heard
) -> None:
    first, second = _ids(store)[:2]
    triage.decide_subjects(other, [first], Verdict.ACCEPT)
    assert heard.next() == Changes(frozenset({"decision", "subject"}), frozenset({first}))
    undo.undo_last_act(other)
    assert heard.next() == Changes(frozenset({"decision", "subject"}), frozenset({first}))
    paraphrases.save_prompt(other, second, "Do this.")
    assert heard.next() == Changes(frozenset({"prompt", "subject"}), frozenset({second}))
    aspect_reviews.add_comment(other, first, "Why?", None)
    assert heard.next() == Changes(frozenset({"comment", "subject"}), frozenset({first}))
    triage.decide_subjects(other, _ids(store), Verdict.SKIP)
    assert heard.next() == Changes(frozenset({"decision", "subject"})), "too many to name"


def test_own_commits_are_not_told(store: ProjectFile, other: ProjectFile, heard: Heard) -> None:
    ids = _ids(store)
    for subject in ids[:5]:
        triage.decide_subjects(store, [subject], Verdict.ACCEPT)
    undo.undo_last_act(store)
    members.add_annotator(store, "Bo")
    assert heard.nothing()
    triage.decide_subjects(other, ids[9:10], Verdict.FLAG)
    assert heard.next() == Changes(frozenset({"decision", "subject"}), frozenset(ids[9:10]))


def test_a_failed_write_of_ones_own_hides_nothing(store: ProjectFile, other: ProjectFile, heard: Heard) -> None:
    (first, *_) = _ids(store)
    with pytest.raises(RuntimeError), store.write():
        raise RuntimeError
    with pytest.raises(RuntimeError), store.write() as db:
        db.connection().exec_driver_sql("DELETE FROM lease")
        raise RuntimeError
    triage.decide_subjects(other, [first], Verdict.FLAG)
    assert heard.next().subjects == {first}


def test_what_has_no_act_is_told_too(store: ProjectFile, other: ProjectFile, heard: Heard, tmp_path: Path) -> None:
    (first, *_) = _ids(store)
    members.add_annotator(other, "Bo")
    assert heard.next() == Changes(frozenset({"annotator"}))
    triage.save_filter(other, "open ones", leases.OPEN)
    assert heard.next() == Changes(frozenset({"project"}))
    proof = {"id": "p", "created_at": "2026", "subject_id": first, "content_hash": "h", "kind": "k", "outcome": "fail",
             "detail": "{}"}  # fmt: skip
    with other.write(durable=False) as db:
        insert_rows(db.connection(), PROOF, [proof])
    assert heard.next() == Changes(frozenset({"proof", "subject"}), frozenset({first}))
    more = tmp_path / "more.jsonl"
    more.write_text('{"id": "more", "title": "T", "prompt": "Do it.", "reference": "x", "language": "python"}\n')
    imports.import_paths(other, "jsonl", [more])
    told = heard.next()
    assert {"source", "subject"} <= told.nouns and told.subjects == frozenset()


def test_what_pages_do_not_show_wakes_nobody(store: ProjectFile, other: ProjectFile, heard: Heard) -> None:
    leases.take_next_subjects(other)
    leases.renew_leases(other)
    search_index.complete_search_index(other)
    assert heard.nothing()


def test_every_table_is_told_or_left_out_on_purpose(store: ProjectFile) -> None:
    """A new table has acts in the log, is compared by itself, comes with one that is, or is silent."""
    told = notifications.READ
    # Caches, requests, and leases, which pages show for servers only.
    silent = ("subject_search", "subject_count", "run_scores", "run_counts", "question", "lease", "block_digest")
    comes_with = {
        "subjecttext": "subject", "testcase": "subject", "source": "change", "subject": "change", "origin": "change",
        "releaseitem": "release", "score_set_item": "score_set", "model_under_test": "run", "blind_key": "study",
        "assignment": "study", "pair": "study", "change": "change",
    }  # fmt: skip
    for table in SQLModel.metadata.sorted_tables:
        is_logged = "change_id" in table.columns
        is_compared = f"FROM {table.name}" in told
        is_known = table.name in comes_with or table.name in silent
        assert is_logged or is_compared or is_known, f"who is told when {table.name} changes?"


def test_two_who_write_at_once_hear_of_each_other(path: Path) -> None:
    stores, heards = [ProjectFile.open(path) for _ in range(2)], [Heard(), Heard()]
    for store, heard in zip(stores, heards, strict=True):
        store.listen(heard, heard.windows.append)
    ids = _ids(stores[0])
    halves = ids[: COUNT // 2], ids[COUNT // 2 :]

    def work(number: int) -> None:
        for subject in halves[number]:
            triage.decide_subjects(stores[number], [subject], Verdict.ACCEPT)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, heard in enumerate(heards):
        missing, told = set(halves[1 - number]), False
        while missing and not told:
            changes = heard.next()
            missing -= changes.subjects
            told = not changes.subjects
    for store in stores:
        store.close()


def test_a_command_in_another_process_is_heard(store: ProjectFile, heard: Heard) -> None:
    (first, *_) = _ids(store)
    run_command("select", str(store.path), "--subject", first, "--verdict", "reject")
    assert heard.next() == Changes(frozenset({"decision", "subject"}), frozenset({first}))


def test_a_run_that_ends_elsewhere_is_heard_once_a_gap(store: ProjectFile, heard: Heard, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for number in range(5):
            connection.execute(
                "INSERT INTO failure (run_id, subject_id, sample, cause, reason, attempts, created_at) "
                "VALUES ('r', 's', ?, 'c', '', 1, '2026')",
                (number,),
            )
    assert heard.next() == Changes(frozenset({"response"}))
    assert heard.nothing(2 * notifications.GAP_S), "five commits, one notice"


def test_the_thread_ends_with_the_project(path: Path, heard: Heard, other: ProjectFile) -> None:
    store = ProjectFile.open(path)
    store.listen(heard, heard.windows.append)
    assert store.listen(heard, heard.windows.append), "a second call listens no more than the first"
    mine = [thread for thread in threading.enumerate() if thread.name == "file-listener"]
    assert len(mine) == 1
    store.close()
    assert not mine[0].is_alive()
    triage.decide_subjects(other, _ids(other)[:1], Verdict.FLAG)
    assert heard.nothing()
    assert not store.listen(heard, heard.windows.append), "a closed project does not listen"


def test_the_past_does_not_change(store: ProjectFile, heard: Heard) -> None:
    with time_machine.visit_moment(store, now_text()) as then:
        assert not then.listen(heard, heard.windows.append)


def test_a_connection_that_fails_is_made_again(
    path: Path, other: ProjectFile, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, opened = OpenConnections.open, list[sqlite3.Connection]()
    monkeypatch.setattr(OpenConnections, "open", lambda *of, **how: opened.append(real(*of, **how)) or opened[-1])
    with closing(ProjectFile.open(path)) as store:
        assert store.listen(heard, heard.windows.append)
        opened[-1].close()
        (first, *_) = _ids(other)
        triage.decide_subjects(other, [first], Verdict.FLAG)
        assert heard.next().subjects == {first}
