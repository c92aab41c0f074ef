"""A project on a real server: what is refused, what is kept, what others see."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlmodel import Session

from annotator.base.addresses import ServerAddress
from annotator.base.errors import BadInputError, ExitCode, KnownError, MissingEnvironmentError
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import three_experts
from annotator.services.criterion import proofs, revisions
from annotator.services.project import members, projects, search_index, time_machine, undo
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.core_tables import SUBJECT
from annotator.store.file import people, schema
from annotator.store.queue import bulk_acts, first_page
from annotator.store.server import server_connection as connecting
from annotator.store.server.server_project import ServerProject, upgrade_server
from tests.server import LOCKED, Server

pytestmark = pytest.mark.slow

ROWS = [
    ("Merge two dictionaries", "How do I merge ж and naïve dicts? Use numpy_array."),
    ("Greedy match", "Why is my regex greedy? (?P<x>.*)"),
    ("Über alles", "Файл читать: 100 % of it"),
]


@pytest.fixture
def rows_file(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    with path.open("w") as out:
        for number, (title, prompt) in enumerate(ROWS):
            row = {"id": str(number), "title": title, "prompt": prompt, "reference": "x", "language": "python",
                   "task": "question", "licence": "MIT", "provenance": {"source": "made"}}  # fmt: skip
            out.write(json.dumps(row) + "\n")
    return path


@pytest.fixture
def store(database: ServerAddress, rows_file: Path) -> Iterator[ServerProject]:
    made = ServerProject.make(database, "Demo", "Ada")
    imports.import_paths(made, "jsonl", [rows_file])
    yield made
    made.close()


def _other(store: ServerProject, name: str = "Bo") -> ServerProject:
    members.add_annotator(store, name)
    return ServerProject.reach(store.address, annotator=name)


def _ids(store: ServerProject) -> list[str]:
    return [row.id for row in triage.queue_page(store, QueueFilter()).rows]


TYPES = {"AutoString": "text", "JSON": "text", "Integer": "bigint", "Float": "double precision", "Boolean": "smallint",
         "LargeBinary": "bytea"}  # fmt: skip
"""What the server keeps values of the models' types in."""


def test_the_tables_are_those_of_the_models(store: ServerProject, postgres: Server) -> None:
    rows = postgres.execute(
        store.address.database,
        "SELECT table_name, column_name, is_nullable, data_type, coalesce(collation_name, '') "
        "FROM information_schema.columns WHERE table_schema = 'annotator'",
    )
    found: dict[str, dict[str, object]] = {}
    for table, name, *described in rows:
        found.setdefault(table, {})[name] = tuple(described)
    for table in SUBJECT.metadata.sorted_tables:
        kinds = {column.name: TYPES[type(column.type).__name__] for column in table.columns}
        assert found[table.name] == {
            column.name: ("YES" if column.nullable else "NO", kind, "C" if kind == "text" else "")
            for column, kind in zip(table.columns, kinds.values(), strict=True)
        }, table.name


def test_the_indexes_and_triggers_are_those_of_a_file(store: ServerProject, postgres: Server, tmp_path: Path) -> None:
    file = projects.create_project(tmp_path / "p.annotator", "Demo", "Ada")
    with file.reader() as connection:
        kinds = {kind: set[tuple[str, str]]() for kind in ("index", "trigger", "view")}
        for kind, name, table in connection.execute(
            "SELECT type, name, tbl_name FROM sqlite_master WHERE type <> 'table' AND name NOT LIKE 'sqlite%'"
        ):
            kinds[kind].add((name, table))
    file.close()
    database = store.address.database
    indexes = postgres.execute(
        database,
        "SELECT c.relname, t.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
        "JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace "
        "WHERE n.nspname = 'annotator' AND c.relname LIKE 'ix%'",
    )
    assert set(indexes) == kinds["index"] | {("ix_subject_search_words", "subject_search")}
    triggers = postgres.execute(
        database,
        "SELECT DISTINCT trigger_name, event_object_table FROM information_schema.triggers "
        "WHERE trigger_schema = 'annotator' AND trigger_name NOT LIKE 'tell%'",
    )
    assert set(triggers) == kinds["trigger"]
    views = postgres.execute(database, "SELECT viewname, viewname FROM pg_views WHERE schemaname = 'annotator'")
    assert set(views) == kinds["view"]
    references = sum(len(table.foreign_keys) for table in SUBJECT.metadata.sorted_tables)
    deferrable = "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND condeferrable AND NOT condeferred"
    assert postgres.execute(database, deferrable) == [(references,)]


def test_a_second_project_is_not_put_over_the_first(store: ServerProject) -> None:
    with pytest.raises(BadInputError, match="already"):
        ServerProject.make(store.address, "Other", "Eve")
    assert ServerProject.reach(store.address, annotator="Ada").project_name == "Demo"


def test_a_schema_of_somebody_elses_is_left_alone(database: ServerAddress, postgres: Server) -> None:
    postgres.execute(database.database, "CREATE SCHEMA annotator")
    postgres.execute(database.database, "CREATE TABLE annotator.mine (a int)")
    for act in (lambda: ServerProject.make(database, "Demo", "Ada"), lambda: ServerProject.reach(database)):
        with pytest.raises(BadInputError, match="not an Annotator project"):
            act()
    assert postgres.execute(database.database, "SELECT count(*) FROM annotator.mine") == [(0,)]


def test_an_empty_database_says_how_to_begin(database: ServerAddress) -> None:
    with pytest.raises(BadInputError, match="no project in"):
        ServerProject.reach(database, annotator="Ada")


def test_a_newer_project_is_refused(store: ServerProject, postgres: Server) -> None:
    postgres.execute(
        store.address.database, f"UPDATE annotator.schema_version SET version = {schema.SCHEMA_VERSION + 1}"
    )
    with pytest.raises(BadInputError, match="newer version"):
        ServerProject.reach(store.address, annotator="Ada")
    with pytest.raises(BadInputError, match="newer version"):
        upgrade_server(store.address)


def test_a_project_of_before_the_first_release_says_how_it_comes_here(store: ServerProject, postgres: Server) -> None:
    assert upgrade_server(store.address) == (schema.SCHEMA_VERSION, schema.SCHEMA_VERSION)
    postgres.execute(store.address.database, "UPDATE annotator.schema_version SET version = 19")
    for act in (lambda: ServerProject.reach(store.address, annotator="Ada"), lambda: upgrade_server(store.address)):
        with pytest.raises(BadInputError, match=r"schema is 19.*annotator project copy.*empty database"):
            act()


def test_a_project_of_version_20_is_upgraded_on_demand(store: ServerProject, postgres: Server) -> None:
    other, came, (subject, _, _) = _other(store), threading.Event(), _ids(store)
    store.listen(lambda _changes: None, _ignore_windows)
    other.listen(lambda _changes: None, lambda _names: came.set())
    assert came.wait(60)
    triage.decide_subjects(store, [subject], Verdict.ACCEPT)
    revisions.save_criterion(store, subject, "grading:\n  keywords: [x]\n")
    proofs.prove_subjects(store)
    three_experts.save_artefact_edit(store, subject, "solution", "Nothing fits here.")
    name = store.address.database
    postgres.execute(name, "DROP TABLE annotator.block_digest; ALTER TABLE annotator.proof DROP COLUMN edits")
    postgres.execute(name, "SET search_path = annotator; UPDATE subject SET proven = 1 WHERE verdict = 'accept'")
    postgres.execute(name, "UPDATE annotator.schema_version SET version = 20")
    with pytest.raises(BadInputError, match="annotator project upgrade"):
        ServerProject.reach(store.address, annotator="Ada")
    with pytest.raises(BadInputError, match=r"open in windows \(Ada, Bo\)"):
        upgrade_server(store.address)
    store.close()
    other.close()
    # The server ends a client's locks a moment after the client has gone.
    deadline = time.monotonic() + 60
    while postgres.execute(name, "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted"):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert upgrade_server(store.address) == (20, schema.SCHEMA_VERSION)
    upgraded = ServerProject.reach(store.address, annotator="Ada")
    assert not triage.load_subject(upgraded, subject).row.proven and upgraded.integrity() == ()
    upgraded.close()


def test_of_two_who_make_a_project_at_once_one_is_refused(database: ServerAddress, postgres: Server) -> None:
    with ThreadPoolExecutor(2) as threads:
        made = [threads.submit(ServerProject.make, database, "Demo", name) for name in ("Ada", "Bo")]
        errors = [future.exception(60) for future in made]
    assert [type(error) for error in errors if error] == [BadInputError]
    assert postgres.execute(database.database, "SELECT count(*) FROM annotator.project") == [(1,)]


def test_who_works_must_be_said(store: ServerProject) -> None:
    with pytest.raises(BadInputError, match=r"say who you are.*Ada"):
        ServerProject.reach(store.address)
    with pytest.raises(BadInputError, match=r"no annotator Zoe.*Ada"):
        ServerProject.reach(store.address, annotator="Zoe")
    assert ServerProject.reach(replace(store.address, annotator="Ada")).annotator.name == "Ada"


def test_switching_is_each_clients_own_affair(store: ServerProject) -> None:
    other = _other(store)
    members.switch_annotator(store, "Cy")
    assert (store.annotator.name, other.annotator.name) == ("Cy", "Bo")
    assert ServerProject.reach(store.address, annotator="Bo").annotator.name == "Bo"
    other.close()


@pytest.mark.parametrize(
    ("change", "kind", "reason"),
    [
        ({"database": "nowhere"}, BadInputError, "no database nowhere"),
        ({"user": "nobody_here"}, BadInputError, "no such role"),
        ({"port": 1}, MissingEnvironmentError, "cannot be reached"),
        ({"options": (("host", "/nonexistent"),)}, MissingEnvironmentError, "cannot be reached"),
    ],
)
def test_what_cannot_be_reached_says_so(
    database: ServerAddress, change: dict[str, object], kind: type[KnownError], reason: str
) -> None:
    with pytest.raises(kind, match=reason):
        ServerProject.reach(replace(database, **change), annotator="Ada")  # type: ignore[arg-type]


def test_a_missing_driver_says_what_to_install(database: ServerAddress, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for act in (
        lambda: projects.open_project(database, annotator="Ada"),
        lambda: projects.create_project(database, "Demo", "Ada"),
    ):
        with pytest.raises(MissingEnvironmentError, match=r"annotator\[postgres\]") as caught:
            act()
        assert caught.value.exit_code == ExitCode.ENVIRONMENT


def test_a_role_without_rights_is_told(store: ServerProject, postgres: Server) -> None:
    postgres.execute(
        "postgres", "DO $$ BEGIN CREATE ROLE guest LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$"
    )
    guest = replace(store.address, user="guest")
    with pytest.raises(MissingEnvironmentError, match="may not"):
        ServerProject.reach(guest, annotator="Ada")
    database = store.address.database
    postgres.execute(database, "GRANT USAGE ON SCHEMA annotator TO guest")
    postgres.execute(database, "GRANT SELECT ON ALL TABLES IN SCHEMA annotator TO guest")
    reading = ServerProject.reach(guest, annotator="Ada")
    assert len(_ids(reading)) == len(ROWS)
    with pytest.raises(MissingEnvironmentError, match="may not"):
        triage.decide_subjects(reading, _ids(reading)[:1], Verdict.ACCEPT)
    reading.close()


def test_a_password_comes_from_the_environment_or_the_keyring(
    store: ServerProject, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, asked = "s3cretWord", list[str]()
    kept: dict[str, str] = {}
    postgres.execute("postgres", f"CREATE ROLE {LOCKED} LOGIN SUPERUSER PASSWORD '{secret}'")
    monkeypatch.delenv("PGPASSWORD", raising=False)
    address = replace(store.address, user=LOCKED, annotator="Ada")

    def keyring(name: str) -> str | None:
        asked.append(name)
        return kept.get("password")

    monkeypatch.setattr(connecting, "find_key", keyring)
    for password in ({}, {"password": "wrong"}):
        kept.update(password)
        with pytest.raises(MissingEnvironmentError, match="requires a password") as caught:
            ServerProject.reach(address)
        assert caught.value.exit_code == ExitCode.ENVIRONMENT and "wrong" not in caught.value.message
    kept["password"] = secret
    ServerProject.reach(address).close()
    assert set(asked) == {str(replace(address, annotator=""))}
    asked.clear()
    monkeypatch.setenv("PGPASSWORD", secret)
    found = ServerProject.reach(address)
    assert len(_ids(found)) == len(ROWS) and asked == []
    assert secret not in repr(found.place) + str(found.place)
    found.close()
    postgres.execute("postgres", f"DROP ROLE {LOCKED}")


def test_a_read_only_project_takes_nothing(store: ServerProject) -> None:
    reading = ServerProject.reach(store.address, read_only=True)
    with pytest.raises(MissingEnvironmentError, match="read-only"):
        triage.decide_subjects(reading, _ids(reading)[:1], Verdict.ACCEPT)
    with pytest.raises(MissingEnvironmentError, match="read-only at the moment"), reading.reader() as connection:
        connection.execute("DELETE FROM lease")
    reading.close()


def test_a_zero_character_is_refused_and_nothing_is_kept(store: ServerProject) -> None:
    with pytest.raises(BadInputError, match="null character"):
        triage.decide_subjects(store, _ids(store)[:1], Verdict.REJECT, "a\0b")
    assert undo.undo_label(store) != "Reject"
    assert projects.stage_counts(store).decisions == 0


@pytest.mark.parametrize(
    "typed",
    ["merge", "naive", "naïve", "NUMPY", "numpy_array", "uber", "über", "файл", "100", "greedy regex", "zzz", "%",
     "o'x", "?"],
)  # fmt: skip
def test_search_finds_what_it_finds_in_a_file(
    store: ServerProject, rows_file: Path, tmp_path: Path, typed: str
) -> None:
    file = projects.create_project(tmp_path / "p.annotator", "Demo", "Ada")
    imports.import_paths(file, "jsonl", [rows_file])
    wanted = QueueFilter(text=typed)
    assert triage.queue_ids(store, wanted) == triage.queue_ids(file, wanted)
    file.close()


def test_every_order_of_the_queue_is_that_of_a_file(store: ServerProject, rows_file: Path, tmp_path: Path) -> None:
    file = projects.create_project(tmp_path / "p.annotator", "Demo", "Ada")
    imports.import_paths(file, "jsonl", [rows_file])
    for sort in ("title", "views", "language", "area", "domain", "difficulty", ""):
        wanted = QueueFilter(sort=sort)
        assert triage.queue_ids(store, wanted) == triage.queue_ids(file, wanted), sort
    file.close()


def test_two_people_who_write_at_once_lose_nothing(store: ServerProject) -> None:
    other, subject, rounds = _other(store), _ids(store)[0], 25
    failures: list[BaseException] = []

    def decide(project: ServerProject) -> None:
        try:
            for number in range(rounds):
                verdict = (Verdict.ACCEPT, Verdict.REJECT)[number % 2]
                triage.decide_subjects(project, [subject], verdict, str(number), anyway=True)
        except Exception as error:  # noqa: BLE001 - handed to the test's own thread
            failures.append(error)

    threads = [threading.Thread(target=decide, args=(project,)) for project in (store, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    view = triage.load_subject(store, subject)
    assert len(view.decisions) == 2 * rounds
    assert view.row.verdict == view.decisions[0].verdict, "the newest decision is the current one"
    other.close()


def test_who_waits_too_long_for_the_lane_hears_of_it(store: ServerProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connecting.RULES, "lock_timeout", "200")
    other = _other(store)
    with store.write() as db:
        people.set_setting(db, "key", "value")
        with pytest.raises(MissingEnvironmentError, match="Another client has been writing"):
            triage.decide_subjects(other, _ids(other)[:1], Verdict.ACCEPT)
    triage.decide_subjects(other, _ids(other)[:1], Verdict.ACCEPT)
    other.close()


def test_who_hangs_inside_the_lane_loses_it(store: ServerProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "_IDLE_MS", 300)
    other, subject = _other(store), _ids(store)[0]
    with pytest.raises(MissingEnvironmentError, match=r"ended the connection|cannot be reached"), other.write() as db:
        people.set_setting(db, "key", "value")
        db.flush()
        triage.decide_subjects(store, [subject], Verdict.ACCEPT)
        people.set_setting(db, "key", "other")
    assert triage.load_subject(store, subject).row.verdict == "accept"
    with store.read() as db:
        assert people.read_setting(db, "key") is None
    other.close()


def test_a_connection_that_was_cut_is_made_again(store: ServerProject, postgres: Server) -> None:
    ids = _ids(store)
    triage.decide_subjects(store, ids[:1], Verdict.ACCEPT)
    postgres.execute(
        "postgres",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'annotator%' "
        f"AND datname = '{store.address.database}'",
    )
    time.sleep(0.1)
    for act in (lambda: triage.decide_subjects(store, ids[1:2], Verdict.ACCEPT), lambda: _ids(store)):
        with pytest.raises(MissingEnvironmentError, match=r"ended the connection|cannot be reached"):
            act()
        act()
    assert projects.stage_counts(store).accepted == 2


def _more(folder: Path) -> Path:
    path = folder / "more.jsonl"
    path.write_text('{"id": "more", "title": "T", "prompt": "Do it.", "reference": "x", "language": "python"}\n')
    return path


def _ignore_windows(_names: tuple[str, ...]) -> None:
    """Hear only of changes."""


def test_windows_know_of_each_other_by_name(store: ServerProject, postgres: Server) -> None:
    other, heard, came = _other(store), list[tuple[str, ...]](), threading.Event()

    def windows_told(names: tuple[str, ...]) -> None:
        heard.append(names)
        came.set()

    store.listen(lambda _changes: None, windows_told)
    commands = _other(store)
    assert not came.wait(0.5), "a command is no window"
    commands.close()
    other.listen(lambda _changes: None, _ignore_windows)
    assert came.wait(20) and heard == [(other.annotator.name,)]
    came.clear()
    members.switch_annotator(other, "Cy")
    assert came.wait(20) and heard[-1] == ("Cy",)
    came.clear()
    # A window that is killed says nothing; the server ends its lock with its connection.
    other.listeners[0].ended.set()
    postgres.execute(
        "postgres",
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name "
        f"= 'annotator {other.client}'",
    )
    assert came.wait(20) and heard[-1] == ()
    other.close()


def test_what_others_change_is_told_and_ones_own_is_not(store: ServerProject, tmp_path: Path) -> None:
    other, heard, came = _other(store), list[Changes](), threading.Event()

    def told(changes: Changes) -> None:
        heard.append(changes)
        came.set()

    assert store.listen(told, _ignore_windows)
    (listener,) = store.listeners
    assert listener.ready.wait(20)
    triage.decide_subjects(store, _ids(store)[:1], Verdict.ACCEPT)
    triage.decide_subjects(other, _ids(store)[1:2], Verdict.FLAG)
    assert came.wait(20)
    assert heard == [Changes(frozenset({"decision", "subject"}), frozenset(_ids(store)[1:2]))]
    came.clear()
    triage.decide_subjects(store, _ids(store)[:1], Verdict.REJECT)
    assert not came.wait(1.0)
    undo.undo_last_act(other)
    assert came.wait(20)
    assert heard[1].subjects == frozenset(_ids(store)[1:2]) and {"decision", "subject"} <= heard[1].nouns <= {
        "decision",
        "subject",
    }
    came.clear()
    imports.import_paths(other, "jsonl", [_more(tmp_path)])
    assert came.wait(20)
    assert {"subject", "source"} <= heard[2].nouns and heard[2].subjects == frozenset()
    other.close()


def test_a_server_says_how_it_is_backed_up_and_gives_a_copy(store: ServerProject, tmp_path: Path) -> None:
    with pytest.raises(MissingEnvironmentError, match="pg_dump"):
        projects.back_up_and_check(store)
    copy, _ = projects.back_up_and_check(store, tmp_path / "copy.annotator")
    mine = projects.open_project(copy)
    assert projects.stage_counts(mine).subjects == len(ROWS) and mine.integrity() == ()
    mine.close()
    assert projects.disk_status(store).on_server and projects.check_integrity(store) == ()


def test_a_missing_table_is_found(store: ServerProject, postgres: Server) -> None:
    postgres.execute(store.address.database, "DROP TABLE annotator.vote")
    assert projects.check_integrity(store) == ("the table vote is missing",)


def test_many_subjects_at_once_are_counted_sorted_and_found(store: ServerProject, tmp_path: Path) -> None:
    """One act on more subjects than the counts of a file are kept by triggers for, and its undo."""
    path = tmp_path / "many.jsonl"
    rows = [
        {
            "id": f"m{number}",
            "title": f"{'aB'[number % 2]}lpha {number:04d}",
            "prompt": "Which one?",
            "language": "java",
        }
        for number in range(bulk_acts.MAX_TRIGGER_COUNTED + 100)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    imports.import_paths(store, "jsonl", [path])
    search_index.complete_search_index(store)
    wanted = QueueFilter(text="which", sort="title")
    with store.reader() as connection:
        found = first_page.load_queue_rows(connection, wanted)
        titles = [row.title for row in first_page.load_subject_rows(connection, tuple(found.rows))]
        everything = first_page.list_queue_rows(connection, QueueFilter(sort="views"))
        before = first_page.stage_counts(connection)
    assert len(titles) == len(rows) and titles == sorted(titles, key=str.lower)
    assert len(everything) == before.subjects and not found.capped
    triage.decide_queue_rows(store, tuple(found.rows), Verdict.REJECT, "")
    with store.reader() as connection:
        after = first_page.stage_counts(connection)
        sums = connection.execute("SELECT sum(subjects) FROM subject_count WHERE verdict = 'reject'").fetchone()
    assert (after.rejected, after.open) == (len(rows), before.open - len(rows))
    assert sums == (len(rows),)
    undo.undo_last_act(store)
    with store.reader() as connection:
        assert first_page.stage_counts(connection) == replace(before, decisions=0)


def test_going_back_in_time_is_for_files(store: ServerProject) -> None:
    for act in (lambda: time_machine.parse_moment(store, "2 h"), lambda: time_machine.open_as_of(store, "2026-01-01")):
        with pytest.raises(MissingEnvironmentError, match=r"on a server.*annotator project copy"):
            act()


def test_of_two_that_wait_for_each_others_rows_both_get_them_in_the_end(store: ServerProject) -> None:
    other = _other(store)
    first, second = (row.id for row in triage.queue_page(store, QueueFilter()).rows[:2])
    both_have_one, tries = threading.Barrier(2, timeout=30), [0, 0]

    def lock(place: int, ids: tuple[str, ...], db: Session) -> int:
        tries[place] += 1
        for number, subject_id in enumerate(ids):
            db.connection().execute(select(SUBJECT.c.id).where(SUBJECT.c.id == subject_id).with_for_update())
            if number == 0 and tries[place] == 1:
                both_have_one.wait()
        return place

    with ThreadPoolExecutor(2) as threads:
        mine = threads.submit(store.claim, partial(lock, 0, (first, second)))
        theirs = threads.submit(other.claim, partial(lock, 1, (second, first)))
        assert (mine.result(60), theirs.result(60)) == (0, 1)
    # The one that is ended may be back before the other has woken up, and is ended once more.
    assert min(tries) == 1 < max(tries), "the server ended one of the two"
    other.close()
