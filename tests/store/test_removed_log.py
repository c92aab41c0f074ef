"""The log of an open project is removed by others: what was committed is in the project, and what was not is said."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from annotator.base.errors import DamagedFileError, KnownError, MissingEnvironmentError
from annotator.base.messages import Message
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.tables.project_tables import Annotator
from annotator.model.vocabulary import Verdict
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file import open_connections, replay
from annotator.store.file.connection import connect
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.replay import TransactionRecording, write_again
from annotator.store.file.writer import FileWriter
from annotator.store.history import undo_log
from tests.locks import needs_list, own_locks

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nobody can remove a file that is open there")
ADD = "INSERT INTO annotator (id, created_at, name, role) VALUES ('{0}', '2026-01-01', '{0}', 'expert')"
COPY_AND_REMOVE = (
    "import os; c.execute('PRAGMA wal_checkpoint(TRUNCATE)'); [os.remove(p + e) for e in ('-wal', '-shm')]"
)


def _elsewhere(path: Path, *steps: str) -> str:
    """Do something with a project in another process, which opens it and closes it; returns what it prints."""
    opening = "import sqlite3, sys; p = sys.argv[1]; c = sqlite3.connect(p, isolation_level=None)"
    script = "\n".join((opening, *steps, "c.close()"))
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _add_elsewhere(name: str) -> str:
    return f"c.execute({ADD.format(name)!r})"


def _on_disk(path: Path) -> list[str]:
    """Return the people in the project as a new process finds them, which is what is left after a kill."""
    for ending in ("", "-wal"):
        if Path(f"{path}{ending}").exists():
            # Another process copies, so that nothing is opened and closed here.
            subprocess.run(["cp", f"{path}{ending}", f"{path}.seen{ending}"], check=True)
    seen = Path(f"{path}.seen")
    try:
        names = _elsewhere(seen, "print(*[row[0] for row in c.execute('SELECT name FROM annotator ORDER BY rowid')])")
        assert _elsewhere(seen, "print(*c.execute('PRAGMA integrity_check').fetchone())").strip() == "ok"
    finally:
        for ending in ("", "-wal", "-shm"):
            Path(f"{seen}{ending}").unlink(missing_ok=True)
    return names.split()


def _add(store: ProjectFile, name: str, meanwhile: Callable[[], object] = lambda: None) -> None:
    """Do an act of the undo log that adds somebody."""
    with store.write() as db:
        undo_log.record_change(db, store.annotator.id, f"Add {name}", ["annotator"])
        db.add(Annotator(name=name))
        db.flush()
        meanwhile()


def _pages_are_sound(store: ProjectFile) -> bool:
    """Whether SQLite finds nothing: the people added here are rows alone, which no act of the program would write."""
    with store.reader() as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)] and not list(
            connection.execute("PRAGMA foreign_key_check")
        )


def _remove(path: Path) -> None:
    for ending in ("-wal", "-shm"):
        Path(f"{path}{ending}").unlink()


def _removed_and_open_here(path: Path) -> list[str]:
    names = [os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd") if _is_link(name)]
    return [name for name in names if name.startswith(str(path)) and name.endswith("(deleted)")]


def _is_link(name: str) -> bool:
    return os.path.islink(f"/proc/self/fd/{name}")


@needs_list
def test_another_process_does_not_take_itself_for_the_last(store: ProjectFile) -> None:
    _add(store, "Ben")
    store.path.open("rb").close()
    assert [line for line in own_locks(store.path) if line.startswith("file")] == [], "our locks are lost"
    _elsewhere(store.path, _add_elsewhere("Cid"))
    assert Path(f"{store.path}-wal").exists() and Path(f"{store.path}-shm").exists()
    _add(store, "Dan")
    assert _on_disk(store.path) == ["Ada", "Ben", "Cid", "Dan"]


def test_a_closed_project_leaves_no_log_no_lock_and_no_descriptor(store: ProjectFile) -> None:
    _add(store, "Ben")
    store.close()
    assert [item.name for item in store.path.parent.iterdir()] == ["p.annotator"]
    open_here = [os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd") if _is_link(name)]
    assert str(store.path) not in open_here


def test_a_second_opening_here_does_not_end_the_locks_of_the_first(store: ProjectFile) -> None:
    before = own_locks(store.path)
    other = ProjectFile.open(store.path)
    _add(other, "Ben")
    other.close()
    assert own_locks(store.path) and [line for line in own_locks(store.path) if line in before] == before
    _add(store, "Cid")
    assert _on_disk(store.path) == ["Ada", "Ben", "Cid"]


def test_a_deleted_log_is_copied_into_the_file_before_the_next_act(store: ProjectFile) -> None:
    told: list[Message] = []
    store.on_warning(told.append)
    for name in ("Ben", "Cid", "Dan"):
        _add(store, name)
    _remove(store.path)
    assert _on_disk(store.path) != ["Ada", "Ben", "Cid", "Dan"], "what is to be mended"
    _add(store, "Eve")
    assert _on_disk(store.path) == ["Ada", "Ben", "Cid", "Dan", "Eve"]
    assert told == ["Another program removed the project's log. Your last changes are safe."]
    assert _removed_and_open_here(store.path) == []


def test_a_deleted_log_is_copied_when_something_is_read(store: ProjectFile) -> None:
    _add(store, "Ben")
    _remove(store.path)
    with store.reader() as connection:
        assert connection.execute("SELECT count(*) FROM annotator").fetchone()[0] == 2
    assert _on_disk(store.path) == ["Ada", "Ben"]


@pytest.mark.parametrize("missing", ["-wal", "-shm"])
def test_half_of_it_is_removed(store: ProjectFile, missing: str) -> None:
    _add(store, "Ben")
    Path(f"{store.path}{missing}").unlink()
    _add(store, "Cid")
    assert _on_disk(store.path) == ["Ada", "Ben", "Cid"]
    assert _pages_are_sound(store)


@pytest.mark.parametrize("later", [(), ("Dan", "Eve")])
def test_another_process_removes_the_log_as_the_last(store: ProjectFile, later: tuple[str, ...]) -> None:
    """What SQLite does where it finds no lock: it copies the log and removes it; then others may go on."""
    _add(store, "Ben")
    _elsewhere(store.path, _add_elsewhere("Cid"), COPY_AND_REMOVE)
    for name in later:
        _elsewhere(store.path, _add_elsewhere(name))
    _add(store, "Fay")
    assert _on_disk(store.path) == ["Ada", "Ben", "Cid", *later, "Fay"]
    with store.read() as db:
        assert db.execute(text("SELECT count(*) FROM annotator")).scalar_one() == 4 + len(later)
    assert _pages_are_sound(store)
    assert _removed_and_open_here(store.path) == []


def test_the_log_is_removed_while_an_act_is_written(store: ProjectFile) -> None:
    _add(store, "Ben")
    _add(store, "Cid", lambda: _remove(store.path))
    assert _on_disk(store.path) == ["Ada", "Ben", "Cid"]


def test_others_go_on_without_the_log_while_an_act_is_written(store: ProjectFile) -> None:
    told: list[Message] = []
    store.on_warning(told.append)
    _add(store, "Ben")
    _elsewhere(store.path, "c.execute('PRAGMA wal_checkpoint(PASSIVE)')")

    def others() -> None:
        _remove(store.path)
        _elsewhere(store.path, _add_elsewhere("Cid"))

    _add(store, "Dan", others)
    assert _on_disk(store.path) == ["Ada", "Ben", "Cid", "Dan"]
    assert told == ["Another program removed the project's log. Your last change was saved again."]
    assert _pages_are_sound(store)


def test_acts_that_others_left_out_are_written_again(store: ProjectFile) -> None:
    """The log is removed without having been copied, and others write into the file before anybody looks."""
    _elsewhere(store.path, "c.execute('PRAGMA wal_checkpoint(PASSIVE)')")
    _add(store, "Ben")
    _add(store, "Cid")
    _remove(store.path)
    _elsewhere(store.path, _add_elsewhere("Dan"))
    _add(store, "Eve")
    assert sorted(_on_disk(store.path)) == ["Ada", "Ben", "Cid", "Dan", "Eve"]
    with store.reader() as connection:
        labels = [row[0] for row in connection.execute("SELECT label FROM change ORDER BY seq")]
    assert labels == ["Add Ben", "Add Cid", "Add Eve"]


def test_an_act_that_was_copied_before_the_log_was_removed_is_there_once(
    store: ProjectFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = FileWriter.confirm

    def finish(writer: FileWriter, recording: TransactionRecording) -> None:
        monkeypatch.undo()
        _elsewhere(store.path, COPY_AND_REMOVE)
        _elsewhere(store.path, _add_elsewhere("Cid"))
        real(writer, recording)

    told: list[Message] = []
    store.on_warning(told.append)
    monkeypatch.setattr(FileWriter, "confirm", finish)
    _add(store, "Ben")
    assert _on_disk(store.path) == ["Ada", "Ben", "Cid"]
    assert told == ["Another program removed the project's log. Your last changes are safe."]


def test_an_act_that_contradicts_the_others_is_not_called_saved(store: ProjectFile) -> None:
    def others() -> None:
        _elsewhere(store.path, "c.execute('PRAGMA wal_checkpoint(PASSIVE)')")
        _remove(store.path)
        _elsewhere(store.path, _add_elsewhere("Ben"))

    with pytest.raises(MissingEnvironmentError, match="changed the same"):
        _add(store, "Ben", others)
    assert _on_disk(store.path) == ["Ada", "Ben"]
    _add(store, "Cid")
    assert _on_disk(store.path) == ["Ada", "Ben", "Cid"]


def test_what_is_too_long_to_be_kept_is_not_called_saved(store: ProjectFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "MAX_RECORDED_ROWS", 5)

    def others() -> None:
        _elsewhere(store.path, "c.execute('PRAGMA wal_checkpoint(PASSIVE)')")
        _remove(store.path)
        _elsewhere(store.path, _add_elsewhere("Ben"))

    with (
        pytest.raises(MissingEnvironmentError, match="Do this again"),
        store.write() as db,
    ):
        db.add_all([Annotator(name=f"Person{number}") for number in range(6)])
        db.flush()
        others()
    assert _on_disk(store.path) == ["Ada", "Ben"]


def test_an_import_can_be_made_again(store: ProjectFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(f'{{"id": "{number}", "prompt": "Prompt {number}"}}\n' for number in range(20)))
    real = FileWriter.confirm
    broken: list[TransactionRecording] = []

    def finish(writer: FileWriter, recording: TransactionRecording) -> None:
        if not recording.is_whole and not broken:
            broken.append(recording)
            _elsewhere(store.path, _add_elsewhere("Ben"))
            _remove(store.path)
            _elsewhere(store.path, _add_elsewhere("Cid"))
        real(writer, recording)

    monkeypatch.setattr(FileWriter, "confirm", finish)
    with pytest.raises(MissingEnvironmentError, match="Do this again"):
        imports.import_paths(store, "jsonl", [rows])
    assert imports.import_paths(store, "jsonl", [rows]).added == 20
    assert _pages_are_sound(store)
    with store.reader() as connection:
        assert connection.execute("SELECT count(*) FROM subject WHERE active = 1").fetchone()[0] == 20


def test_a_decision_on_rows_of_the_queue_is_written_again(
    store: ProjectFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It chooses its subjects by a temporary table, which a new connection does not have."""
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(f'{{"id": "{number}", "prompt": "Prompt {number}"}}\n' for number in range(5)))
    imports.import_paths(store, "jsonl", [rows])
    chosen = [row.row for row in triage.queue_page(store, QueueFilter()).rows]
    triage.decide_queue_rows(store, chosen[:1], Verdict.ACCEPT)
    _elsewhere(store.path, "c.execute('PRAGMA wal_checkpoint(PASSIVE)')")
    real = FileWriter.confirm

    def finish(writer: FileWriter, recording: TransactionRecording) -> None:
        monkeypatch.undo()
        _remove(store.path)
        _elsewhere(store.path, _add_elsewhere("Ben"))
        real(writer, recording)

    told: list[Message] = []
    store.on_warning(told.append)
    monkeypatch.setattr(FileWriter, "confirm", finish)
    _, changes = triage.decide_queue_rows(store, chosen[1:4], Verdict.REJECT)
    assert told == ["Another program removed the project's log. Your last change was saved again."]
    with store.reader() as connection:
        found = connection.execute("SELECT count(*) FROM decision WHERE change_id = ?", (changes.change_id,)).fetchone()
        verdicts = [row[0] for row in connection.execute("SELECT verdict FROM subject ORDER BY row")]
    assert found[0] == 3 and verdicts == ["accept", "reject", "reject", "reject", None]
    assert _pages_are_sound(store)


def test_who_reads_in_another_thread_is_waited_for(store: ProjectFile) -> None:
    _add(store, "Ben")
    lent, removed, done = threading.Event(), threading.Event(), threading.Event()
    counts: list[int] = []

    def read() -> None:
        with store.reader() as connection:
            lent.set()
            removed.wait(60)
            done.wait(0.3)
            counts.append(connection.execute("SELECT count(*) FROM annotator").fetchone()[0])

    thread = threading.Thread(target=read)
    thread.start()
    lent.wait(60)
    _elsewhere(store.path, _add_elsewhere("Cid"), COPY_AND_REMOVE)
    removed.set()
    _add(store, "Dan")
    assert counts == [3]
    thread.join()
    assert _on_disk(store.path) == ["Ada", "Ben", "Cid", "Dan"]
    with store.reader() as connection:
        assert connection.execute("SELECT count(*) FROM annotator").fetchone()[0] == 4


def test_who_reads_for_too_long_lets_nothing_be_called_saved(
    store: ProjectFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_connections, "_MAX_WAIT_S", 0.1)
    _add(store, "Ben")
    with store.reader():
        _remove(store.path)
        refused: list[str] = []

        def act() -> None:
            try:
                _add(store, "Cid")
            except KnownError as error:
                refused.append(error.message)

        thread = threading.Thread(target=act)
        thread.start()
        thread.join()
        assert "Another program removed the log of p.annotator while it is in use here" in refused[0]
        with pytest.raises(MissingEnvironmentError, match="in use here"):
            _add(store, "Cid")
    _add(store, "Cid")
    assert _on_disk(store.path) == ["Ada", "Ben", "Cid"]


def test_a_second_opening_of_the_removed_log_is_waited_for(store: ProjectFile) -> None:
    other = ProjectFile.open(store.path)
    with other.reader() as connection:
        connection.execute("SELECT 1 FROM annotator").fetchone()
    _add(store, "Ben")
    _remove(store.path)
    with pytest.raises(MissingEnvironmentError, match="in use here"):
        _add(store, "Cid")
    other.close()
    _add(store, "Cid")
    assert _on_disk(store.path) == ["Ada", "Ben", "Cid"]


def test_a_listener_finds_out_by_itself(store: ProjectFile) -> None:
    told = threading.Event()
    store.on_warning(lambda _message: told.set())
    assert store.listen(lambda _changes: None, lambda _windows: None)
    _add(store, "Ben")
    _remove(store.path)
    assert told.wait(60)
    assert _on_disk(store.path) == ["Ada", "Ben"]
    _add(store, "Cid")
    assert _on_disk(store.path) == ["Ada", "Ben", "Cid"]


def test_the_past_is_shown_of_the_log_that_is_there(store: ProjectFile) -> None:
    from annotator.services.project import time_machine

    _add(store, "Ben")
    _elsewhere(store.path, COPY_AND_REMOVE)
    _elsewhere(store.path, _add_elsewhere("Cid"))
    then = time_machine.open_as_of(store, time_machine.parse_moment(store, "1 min"))
    with then.reader() as connection:
        assert connection.execute("SELECT count(*) FROM change").fetchone()[0] == 0
    then.close()
    _add(store, "Dan")
    assert _on_disk(store.path) == ["Ada", "Ben", "Cid", "Dan"]


def test_a_sound_file_is_not_called_damaged(store: ProjectFile) -> None:
    with pytest.raises(MissingEnvironmentError, match="and is intact"), store.reader():
        raise sqlite3.DatabaseError("database disk image is malformed")
    with pytest.raises(MissingEnvironmentError, match="and is intact"), store.read():
        raise sqlite3.DatabaseError("database disk image is malformed")
    with pytest.raises(MissingEnvironmentError, match="and is intact"), store.write():
        raise sqlite3.DatabaseError("database disk image is malformed")


def test_a_damaged_file_is_still_called_damaged(store: ProjectFile) -> None:
    _add(store, "Ben")
    _elsewhere(store.path, "c.execute('PRAGMA wal_checkpoint(TRUNCATE)')", "f = open(p, 'r+b')", "f.seek(16384)",
               "f.write(bytes(16384 * 20))")  # fmt: skip
    with pytest.raises(DamagedFileError, match="is damaged"), store.reader() as connection:
        connection.execute("SELECT count(*) FROM change c JOIN annotator a").fetchone()
        raise sqlite3.DatabaseError("database disk image is malformed")


def test_opening_looks_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from annotator.store.file import project_file

    path = tmp_path / "p.annotator"
    ProjectFile.create(path, "Demo", "Ada").close()
    real, calls = project_file.quick_check, []

    def check(connection: sqlite3.Connection, checked: Path) -> None:
        calls.append(checked)
        if len(calls) == 1:
            raise DamagedFileError("p.annotator is damaged.")
        real(connection, checked)

    monkeypatch.setattr(project_file, "quick_check", check)
    ProjectFile.open(path).close()
    assert len(calls) == 2


# -- what is kept and done again ---------------------------------------------------------------------------------------


def _recording(*statements: tuple[str, object]) -> TransactionRecording:
    made = TransactionRecording()
    for statement, parameters in statements:
        made.add(statement, parameters, isinstance(parameters, list))
    return made


@pytest.fixture
def table() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE change (seq INTEGER PRIMARY KEY, id TEXT UNIQUE)")
        connection.execute("CREATE TABLE word (id TEXT PRIMARY KEY, name TEXT UNIQUE, change_id TEXT)")
        yield connection


def test_only_what_changes_something_is_kept() -> None:
    made = _recording(
        ("SELECT 1", ()), ("\n  select 2", ()), ("PRAGMA synchronous = FULL", ()), ("BEGIN IMMEDIATE", ())
    )
    assert made.statements == [] and made.is_whole and not made.is_act
    made.add("UPDATE word SET name = ?", ("x",), False)
    made.add("PRAGMA defer_foreign_keys = ON", (), False)
    assert [item[0] for item in made.statements] == ["UPDATE word SET name = ?", "PRAGMA defer_foreign_keys = ON"]


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO subject (id) VALUES (?)",
        'insert or ignore into "subject" VALUES (?)',
        "INSERT INTO subject SELECT 1",
    ],
)
def test_what_numbers_rows_is_not_kept(statement: str) -> None:
    made = _recording(("UPDATE word SET name = 'x'", ()), (statement, ("a",)), ("UPDATE word SET name = 'y'", ()))
    assert not made.is_whole and made.statements == []


def test_subjects_tests_and_texts_are_kept() -> None:
    assert _recording(("INSERT INTO subjecttext (id) VALUES (?)", ("a",)), ("UPDATE subject SET x = 1", ())).is_whole


def test_the_first_row_added_tells_what_an_act_is() -> None:
    temporary = "CREATE TEMP TABLE IF NOT EXISTS chosen (row INTEGER PRIMARY KEY)"
    made = _recording(
        (temporary, ()), ("INSERT INTO chosen VALUES (1)", ()), ("INSERT INTO change (id) VALUES ('a')", ())
    )
    assert made.added_first() == (2, "change") and made.is_act
    assert not _recording(("INSERT INTO lease VALUES (1) ON CONFLICT DO NOTHING", ())).is_act
    assert _recording(("INSERT INTO word VALUES (1)", ())).added_first() == (0, "word")


def test_transactions_are_there_whole_or_not_at_all(table: sqlite3.Connection) -> None:
    one = _recording(
        ("INSERT INTO change (id) VALUES (?)", ("a",)),
        ("INSERT INTO word VALUES (?, ?, 'a')", [("1", "x"), ("2", "y")]),
        ("UPDATE word SET name = :name WHERE id = '1'", {"name": "z"}),
    )
    assert write_again(table, [one]) == 1
    assert write_again(table, [one]) == 0
    assert table.execute("SELECT id, name FROM word ORDER BY id").fetchall() == [("1", "z"), ("2", "y")]
    two = _recording(("INSERT INTO change (id) VALUES ('b')", ()), ("INSERT INTO word VALUES ('3', 'y', 'b')", ()))
    with pytest.raises(sqlite3.IntegrityError, match="failed: word"):
        write_again(table, [one, two])
    assert table.execute("SELECT count(*) FROM change").fetchone()[0] == 1
    assert not table.in_transaction


def test_updates_alone_are_done_again(table: sqlite3.Connection) -> None:
    table.execute("INSERT INTO word VALUES ('1', 'x', '')")
    change = _recording(("UPDATE word SET name = 'new' WHERE id = '1'", ()))
    assert write_again(table, [change]) == 1
    assert table.execute("SELECT name FROM word").fetchone()[0] == "new"


def test_savepoints_are_done_again(table: sqlite3.Connection) -> None:
    made = _recording(
        ("INSERT INTO change (id) VALUES ('a')", ()),
        ("SAVEPOINT one", ()),
        ("INSERT INTO word VALUES ('1', 'x', '')", ()),
        ("ROLLBACK TO SAVEPOINT one", ()),
        ("INSERT INTO word VALUES ('2', 'x', '')", ()),
        ("RELEASE SAVEPOINT one", ()),
    )
    assert write_again(table, [made]) == 1
    assert table.execute("SELECT id FROM word").fetchall() == [("2",)]


def test_a_connection_knows_that_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "p.annotator"
    ProjectFile.create(path, "Demo", "Ada").close()
    connection = connect(path, read_only=True)
    assert connection.is_open
    connection.close()
    connection.close()
    assert not connection.is_open
    shutil.rmtree(tmp_path / "p.annotator-backups", ignore_errors=True)


def test_a_reader_that_is_done_soon_does_not_keep_an_act_from_being_saved(
    store: ProjectFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_connections, "_CLOSING_S", 60.0)
    _add(store, "Ben")
    with Path(f"{store.path}-wal").open("rb") as held:
        _remove(store.path)
        done_soon = threading.Timer(1.5, held.close)
        done_soon.start()
        _add(store, "Cid")
        done_soon.join()
    assert _on_disk(store.path) == ["Ada", "Ben", "Cid"]
