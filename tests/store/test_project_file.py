"""The project file: what is refused, kept and migrated, its compiled statements and its search index."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import re
import sqlite3
import subprocess
import sys
import traceback
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from annotator.base.errors import BadInputError, DamagedFileError, ExitCode, MissingEnvironmentError
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.tables.project_tables import Annotator
from annotator.services.project import members, projects, undo
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.core_tables import SUBJECT
from annotator.store.file import schema
from annotator.store.file.connection import connect
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import compiled_statements
from annotator.store.queue.first_page import build_search_expression

SOUND = Path(__file__).parent / "sound"
"""Files of older versions with the hashes that people's files have; those in golden/ have placeholders."""
GOLDEN = sorted((*(Path(__file__).parent / "golden").glob("*.gz"), *SOUND.glob("*.gz")))
GOLDEN_8 = Path(__file__).parent / "golden" / "schema-8.annotator.gz"
"""A file of the released version 0.1.0."""


def _unpacked(golden: Path, folder: Path) -> Path:
    path = folder / "old.annotator"
    path.write_bytes(gzip.decompress(golden.read_bytes()))
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "p.annotator"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_new_file_carries_our_mark_and_rules(path: Path) -> None:
    store = ProjectFile.create(path, "Demo", "Ada")
    with store.reader() as connection:
        assert connection.execute("PRAGMA application_id").fetchone()[0] == schema.APPLICATION_ID
        assert connection.execute("PRAGMA user_version").fetchone()[0] == schema.SCHEMA_VERSION
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert connection.execute("PRAGMA foreign_keys").fetchone()[0] == 1
        assert connection.execute("PRAGMA page_size").fetchone()[0] == schema.PAGE_SIZE
    assert (store.project_name, store.annotator.name) == ("Demo", "Ada")
    store.close()


def _described(connection: sqlite3.Connection) -> dict[str, object]:
    """Return what SQLite says of each table, index, trigger and view of a file, whatever the words that made it."""
    found: dict[str, object] = {}
    for kind, name, table, sql in connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall():
        if kind == "table":
            columns = {row[1]: row[2:] for row in connection.execute(f'PRAGMA table_xinfo("{name}")')}
            references = sorted(str(row[2:]) for row in connection.execute(f'PRAGMA foreign_key_list("{name}")'))
            options = connection.execute("SELECT type, wr, strict FROM pragma_table_list WHERE name = ?", (name,))
            others = re.findall(r"(?:CHECK|COLLATE|GENERATED|ON CONFLICT).*", sql)
            found[name] = (columns, references, options.fetchall(), others)
        elif kind == "index":
            unique, origin, partial = next(
                row[2:] for row in connection.execute(f'PRAGMA index_list("{table}")') if row[1] == name
            )
            # The rowid at the end of each has no name, and columns count from different places.
            keys = tuple(row[2:] for row in connection.execute(f'PRAGMA index_xinfo("{name}")') if row[5])
            where = re.findall(r"WHERE (.*)", sql or "")
            label = name if origin == "c" else (table, origin, keys)
            found[str(label)] = (table, unique, origin, partial, keys, where)
        else:
            found[name] = re.sub(r"\s*([(),;])\s*|\s+", lambda match: match[1] or " ", sql.strip().rstrip(";"))
    return found


def test_an_upgraded_file_has_the_schema_of_a_new_one(tmp_path: Path) -> None:
    ProjectFile.create(tmp_path / "new.annotator", "Demo", "Ada").close()
    with contextlib.closing(sqlite3.connect(tmp_path / "new.annotator")) as connection:
        new = _described(connection)
    assert {"subject", "ix_subject_title", "run_scores_settled", "response_score", "subject_search"} <= set(new)
    for golden in GOLDEN:
        path = _unpacked(golden, tmp_path)
        ProjectFile.open(path).close()
        with contextlib.closing(sqlite3.connect(path)) as connection:
            upgraded = _described(connection)
        assert {name for name in new if new[name] != upgraded.get(name)} == set(upgraded) - set(new) == set(), golden
        path.unlink()


def test_the_schema_of_a_new_file_is_that_of_the_models(path: Path) -> None:
    ProjectFile.create(path, "Demo", "Ada").close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for table in SUBJECT.metadata.sorted_tables:
            found = {row[1]: bool(row[3]) for row in connection.execute(f"PRAGMA table_info({table.name})")}
            assert found == {column.name: not column.nullable for column in table.columns}, table.name


def test_existing_file_is_never_overwritten(path: Path) -> None:
    path.write_text("mine")
    with pytest.raises(BadInputError, match="already exists"):
        ProjectFile.create(path, "Demo", "Ada")
    assert path.read_text() == "mine"


@pytest.mark.parametrize(("name", "annotator"), [("", "Ada"), ("Demo", " ")])
def test_empty_names_are_refused(path: Path, name: str, annotator: str) -> None:
    with pytest.raises(BadInputError):
        ProjectFile.create(path, name, annotator)
    assert not path.exists()


@pytest.mark.parametrize("content", [b"", b"hello", b"SQLite format 3\x00", b"\x00" * 4096])
def test_foreign_files_are_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(BadInputError, match="not an Annotator project"):
        ProjectFile.open(path)
    assert path.read_bytes() == content


def test_another_programs_database_is_refused(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (a)")
    connection.close()
    with pytest.raises(BadInputError, match="another program"):
        ProjectFile.open(path)


def test_a_newer_file_is_refused_and_left_alone(path: Path) -> None:
    ProjectFile.create(path, "Demo", "Ada").close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute(f"PRAGMA user_version = {schema.SCHEMA_VERSION + 1}")
    connection.close()
    before = _digest(path)
    with pytest.raises(BadInputError, match="newer version"):
        ProjectFile.open(path)
    assert _digest(path) == before


def test_a_newer_version_still_in_the_log_is_seen(path: Path) -> None:
    store = ProjectFile.create(path, "Demo", "Ada")
    other = sqlite3.connect(path)
    other.execute("PRAGMA wal_autocheckpoint = 0")
    other.execute(f"PRAGMA user_version = {schema.SCHEMA_VERSION + 1}")
    with pytest.raises(BadInputError, match="newer version"):
        ProjectFile.open(path)
    other.close()
    store.close()


def test_a_damaged_file_is_refused(path: Path) -> None:
    ProjectFile.create(path, "Demo", "Ada").close()
    data = bytearray(path.read_bytes())
    data[schema.PAGE_SIZE : schema.PAGE_SIZE + 4000] = os.urandom(4000)
    path.write_bytes(bytes(data))
    with pytest.raises(BadInputError, match="damaged"):
        ProjectFile.open(path)


def test_a_file_without_write_permission_is_read_only_for_everybody(path: Path) -> None:
    ProjectFile.create(path, "Demo", "Ada").close()
    path.chmod(0o444)
    before = _digest(path)
    store = ProjectFile.open(path)
    assert store.read_only
    with pytest.raises(MissingEnvironmentError, match="read-only") as caught, store.write():
        pass
    assert caught.value.exit_code == ExitCode.ENVIRONMENT
    store.close()
    assert _digest(path) == before


def test_a_locked_file_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotator.store.file.connection.BUSY_MILLISECONDS", 50)
    store = ProjectFile.create(path, "Demo", "Ada")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(MissingEnvironmentError, match="Another program"), store.write() as db:
        db.add(Annotator(name="Ben"))
    other.execute("ROLLBACK")
    other.close()
    store.close()


def test_a_failed_block_saves_nothing(path: Path) -> None:
    store = ProjectFile.create(path, "Demo", "Ada")

    def fail() -> None:
        with store.write() as db:
            db.add(Annotator(name="Ben"))
            db.flush()
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        fail()
    with store.reader() as connection:
        assert connection.execute("SELECT count(*) FROM annotator").fetchone()[0] == 1
    store.close()


def test_an_upgrade_that_fails_leaves_the_old_version(tmp_path: Path) -> None:
    """A step finds a table in its place, after others were done."""
    path = _unpacked(GOLDEN_8, tmp_path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE settlement (a)")
        before = _described(connection)
    with pytest.raises(DamagedFileError) as refused:
        ProjectFile.open(path)
    assert "settlement already exists" in refused.value.details[0]
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == 8
        assert _described(connection) == before


def test_an_older_file_is_backed_up_and_upgraded(tmp_path: Path) -> None:
    path = _unpacked(GOLDEN_8, tmp_path)
    store = ProjectFile.open(path)
    with store.reader() as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == schema.SCHEMA_VERSION
        assert connection.execute("SELECT count(*) FROM settlement").fetchone()[0] == 0
    store.close()
    (backup,) = (tmp_path / "old.annotator-backups").glob("*.annotator")
    with contextlib.closing(sqlite3.connect(backup)) as old:
        assert old.execute("PRAGMA user_version").fetchone()[0] == 8


def test_backups_are_checked_and_the_oldest_given_up(path: Path) -> None:
    store = ProjectFile.create(path, "Demo", "Ada")
    made = [store.make_backup(keep=3).path for _ in range(5)]
    there = sorted(item.name for item in (path.parent / "p.annotator-backups").iterdir())
    assert there == sorted(name for item in made[2:] for name in (item.name, item.with_suffix(".json").name))
    copy = ProjectFile.open(made[-1])
    assert copy.project_name == "Demo"
    assert copy.integrity() == ()
    copy.close()
    store.close()


def test_unknown_annotator_is_named_with_those_there_are(path: Path) -> None:
    ProjectFile.create(path, "Demo", "Ada").close()
    with pytest.raises(BadInputError, match="Choose from: Ada"):
        ProjectFile.open(path, annotator="Eve")


EVIL = {
    "a trigger": "CREATE TRIGGER evil AFTER INSERT ON decision BEGIN DELETE FROM label; END",
    "a view": "CREATE VIEW evil AS SELECT * FROM decision",
    "one of ours with other content": (
        "DROP TRIGGER run_scores_resumed; "
        "CREATE TRIGGER run_scores_resumed AFTER UPDATE ON run BEGIN DELETE FROM run; END"
    ),
    "a view in the place of a table": (
        "ALTER TABLE label RENAME TO hidden; CREATE VIEW label AS SELECT * FROM hidden WHERE active = 0"
    ),
}


@pytest.mark.parametrize("script", EVIL.values(), ids=list(EVIL))
@pytest.mark.parametrize("read_only", [False, True])
def test_foreign_triggers_and_views_are_refused_and_left_alone(path: Path, script: str, read_only: bool) -> None:
    ProjectFile.create(path, "Demo", "Ada").close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
        connection.execute("PRAGMA journal_mode = DELETE")
    before = _digest(path)
    with pytest.raises(
        BadInputError, match=r"not Annotator's \((trigger|view) (evil|run_scores_resumed|label)"
    ) as caught:
        ProjectFile.open(path, read_only=read_only)
    assert any("CREATE" in line for line in caught.value.details)
    assert _digest(path) == before


def test_an_older_file_with_a_foreign_trigger_is_refused_before_it_is_migrated(tmp_path: Path) -> None:
    path = _unpacked(GOLDEN[0], tmp_path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript("CREATE TRIGGER evil AFTER INSERT ON decision BEGIN DELETE FROM decision; END")
        connection.execute("PRAGMA journal_mode = DELETE")
    before = _digest(path)
    with pytest.raises(BadInputError, match="trigger evil"):
        ProjectFile.open(path)
    assert _digest(path) == before
    assert not path.with_name("old.annotator-backups").exists()


def test_the_check_names_what_came_into_an_open_project(path: Path) -> None:
    store = ProjectFile.create(path, "Demo", "Ada")
    assert store.integrity() == ()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"{EVIL['a trigger']}; CREATE TABLE mine (a); CREATE INDEX more ON label (id, active)")
        connection.execute("ANALYZE")
    assert store.integrity() == (
        "the index more is not Annotator's", "the table mine is not Annotator's", "the trigger evil is not Annotator's",
    )  # fmt: skip
    store.close()


def test_a_project_without_the_foreign_trigger_is_made_of_it(path: Path, tmp_path: Path) -> None:
    from annotator.services.project import recovery

    ProjectFile.create(path, "Demo", "Ada").close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(EVIL["a trigger"])
    recovery.salvage_project(path, tmp_path / "rows.jsonl", tmp_path / "sound.annotator")
    store = ProjectFile.open(tmp_path / "sound.annotator")
    assert (store.project_name, store.annotator.name, store.integrity()) == ("Demo", "Ada", ())
    store.close()


def test_a_backup_with_a_foreign_trigger_is_not_put_back(path: Path) -> None:
    from annotator.store.file import backup_files

    store = ProjectFile.create(path, "Demo", "Ada")
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(EVIL["a trigger"])
    backup = store.make_backup()
    store.close()
    assert backup_files.verify_backup(backup).problems == ("the trigger evil is not Annotator's",)
    with pytest.raises(BadInputError, match="was not restored"):
        backup_files.put_backup_back(path, backup)


def _rows(connection: sqlite3.Connection, names: Sequence[str]) -> dict[str, list[dict[str, object]]]:
    """Return the rows of tables by name, in the order they lie there."""
    found = {}
    for name in names:
        cursor = connection.execute(f'SELECT * FROM "{name}"')
        columns = [column[0] for column in cursor.description]
        found[name] = [dict(zip(columns, row, strict=True)) for row in cursor]
    return found


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_projects_of_older_versions_open_with_everything_in_them(golden: Path, tmp_path: Path) -> None:
    path = _unpacked(golden, tmp_path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == int(golden.name.split("-")[1].split(".")[0])
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        before = _rows(connection, [name for name in names if not name.startswith(("sqlite_", "subject_search"))])
    assert sum(map(bool, before.values())) >= 15
    with closing(ProjectFile.open(path)) as store:
        if golden.parent == SOUND:
            assert store.integrity() == ()
        with store.reader() as connection:
            assert connection.execute("PRAGMA user_version").fetchone()[0] == schema.SCHEMA_VERSION
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
            after = _rows(connection, list(before))
        for name, rows in before.items():
            kept = [{column: row[column] for column in old} for old, row in zip(rows, after[name], strict=True)]
            assert kept == rows, name
        is_older = f"schema-{schema.SCHEMA_VERSION}." not in golden.name
        assert (tmp_path / "old.annotator-backups").exists() == is_older, "a backup is made before it is changed"


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_projects_of_older_versions_can_be_worked_in(golden: Path, tmp_path: Path) -> None:
    from annotator.model.rows.queue_rows import QueueFilter
    from annotator.services.project import packets
    from annotator.services.release import release_list, suggested_version
    from annotator.services.runs import run_list
    from annotator.services.select import triage

    with closing(ProjectFile.open(_unpacked(golden, tmp_path))) as store:
        found = triage.queue_page(store, QueueFilter(verdicts=("accept",)))
        assert found.rows
        assert triage.load_subject(store, found.rows[0].id).criterion is not None
        assert triage.load_subject_history(store, found.rows[0].id) and run_list.list_runs(store)
        assert suggested_version.diff_versions(store, release_list.list_releases(store)[0].version).same >= 0
        packet = packets.export_packet(store, tmp_path / "all.packet", run_data=True)
        with contextlib.closing(ProjectFile.create(tmp_path / "other.annotator", "Old", "Zed")) as other:
            if golden.parent == SOUND or "schema-1." in golden.name:
                merged = packets.import_packet(other, tmp_path / "all.packet", unrelated=True)
                assert merged.total == packet.rows and merged.conflicts == 0
            else:
                # The texts of these files are placeholders, with hashes of nothing.
                with pytest.raises(BadInputError, match=r"does not match its hash|is not an allowed value"):
                    packets.import_packet(other, tmp_path / "all.packet", unrelated=True)


def test_there_is_a_file_of_every_version_up_to_the_first_release_and_of_the_last_step() -> None:
    released = [*range(1, 9), 20]
    for is_sound, expected in ((False, released), (True, [*released, schema.SCHEMA_VERSION])):
        found = [path for path in GOLDEN if (path.parent == SOUND) == is_sound]
        assert sorted(int(path.name.split("-")[1].split(".")[0]) for path in found) == expected


def test_an_unexpected_error_of_the_database_holds_no_text_of_a_subject(tmp_path: Path) -> None:
    """Its traceback goes to the log."""
    title = "a secret prompt"
    with contextlib.closing(ProjectFile.create(tmp_path / "p.annotator", "P", "Ada")) as store:
        for session in (store.read, store.write):
            with session() as db, pytest.raises(SQLAlchemyError) as caught:
                db.connection().execute(text("SELECT nothing FROM subject WHERE title = :t"), {"t": title})
            told = "".join(traceback.format_exception(caught.value))
            assert "SELECT nothing" in told and title not in told


# Statements are compiled once in a process, and a connection is not closed under another thread's statement.


def test_another_project_takes_what_was_compiled_for_the_first(tmp_path: Path) -> None:
    compiled = compiled_statements()
    sizes = []
    for name in ("one", "two"):
        store = projects.create_project(tmp_path / f"{name}.annotator", name, "Ada")
        members.add_annotator(store, "Bo")
        assert [person.name for person in members.list_annotators(store)] == ["Ada", "Bo"]
        store.close()
        sizes.append(len(compiled))
    assert sizes[0] == sizes[1] > 0


def test_the_tables_load_without_the_dialect_of_servers() -> None:
    code = "import sys, annotator.store.core_tables; sys.exit('sqlalchemy.dialects.postgresql' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_closing_waits_for_a_borrower(tmp_path: Path) -> None:
    path = tmp_path / "p.annotator"
    projects.create_project(path, "P", "Ada").close()
    connection = connect(path, read_only=False)
    closing = Thread(target=connection.close)
    with connection.borrowed() as is_open:
        closing.start()
        closing.join(0.05)
        assert is_open and closing.is_alive()
        assert connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone() is not None
    closing.join(30)
    with connection.borrowed() as is_open:
        assert not is_open
    connection.close()


# The search index of files: which words it finds, whatever is typed, and how older files come to it.
DIVIDING = "\u19b0"
"""A letter to Python, at which SQLite divides words."""
PREFIX_GOLDEN = Path(__file__).parent / "golden" / "schema-8.annotator.gz"


def _found(*texts: str, typed: str) -> list[int]:
    connection = sqlite3.connect(":memory:")
    connection.execute(schema.SEARCH_INDEX)
    connection.executemany(
        "INSERT INTO subject_search (rowid, title, key, prompt) VALUES (?, ?, '', '')", enumerate(texts, start=1)
    )
    query = "SELECT rowid FROM subject_search WHERE subject_search MATCH ? ORDER BY rowid"
    rows = [row for (row,) in connection.execute(query, (build_search_expression(typed),))]
    connection.close()
    return rows


@pytest.mark.parametrize("typed", ["s", "so", "sor", "sort", "sorte", "sorted", "SORTED", "sort li", "li s", "sörted"])
def test_every_word_typed_starts_some_word(typed: str) -> None:
    texts = ("sorted list", "a list", "list of sorted_things", "Sorted, in a line", "sort", "resort lines")
    wanted = [
        number
        for number, text in enumerate(texts, start=1)
        if all(
            any(word.startswith(part) for word in text.lower().replace(",", "").split())
            for part in typed.lower().replace("ö", "o").split()
        )
    ]
    assert _found(*texts, typed=typed) == wanted and wanted


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=12))
@example(f"a{DIVIDING}b")
@example(DIVIDING)
@example('"*" AND (')
def test_whatever_is_typed_is_a_search(typed: str) -> None:
    expression = build_search_expression(typed)
    if expression:
        assert _found("sorted list", typed=typed) in ([], [1])


def test_a_word_that_the_index_holds_in_parts_is_found_by_its_beginning() -> None:
    word = f"ab{DIVIDING}cd"
    assert _found(f"one {word}", "ab", "cd", typed=word) == [1, 2]


def test_an_older_file_is_searched_as_before(tmp_path: Path) -> None:
    path = tmp_path / "old.annotator"
    path.write_bytes(gzip.decompress(PREFIX_GOLDEN.read_bytes()))
    with contextlib.closing(sqlite3.connect(path)) as connection:
        (title, count) = connection.execute("SELECT max(title), count(*) FROM subject WHERE active = 1").fetchone()
    store = projects.open_project(path)
    word = re.findall(r"\w+", title)[0]
    found = {typed: _prefix_rows(store, typed) for typed in (word[:1], word[:3], word, title)}
    assert all(1 <= rows <= count for rows in found.values()), found
    assert "detail=none" in _index_of(store)
    store.close()


def test_what_was_taken_back_is_not_found(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        "".join(f'{{"id": "q{n}", "title": "sorted {n}", "prompt": "p", "licence": "x"}}\n' for n in range(3)),
        encoding="utf-8",
    )
    store = projects.create_project(tmp_path / "p.annotator", "New", "Ada")
    imports.import_paths(store, "jsonl", [rows])
    assert _prefix_rows(store, "so") == 3
    undo.undo_last_act(store)
    assert _prefix_rows(store, "so") == 0 == _prefix_rows(store, "")
    undo.redo_last_act(store)
    assert _prefix_rows(store, "s") == 3
    store.close()


def _index_of(store: ProjectFile) -> str:
    with store.reader() as connection:
        return str(connection.execute("SELECT sql FROM sqlite_master WHERE name = 'subject_search'").fetchone()[0])


def _prefix_rows(store: ProjectFile, typed: str) -> int:
    return len(triage.queue_rows(store, QueueFilter(text=typed)).rows)
