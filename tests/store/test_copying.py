"""A project from a file onto a server and back: the same rows, or nothing."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from pathlib import Path

import pytest

from annotator.base.addresses import ServerAddress
from annotator.base.errors import BadInputError, MissingEnvironmentError, UsageError
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.project import projects, server_copy, undo
from annotator.services.results import named_tables, responses, result_tables, score_data
from annotator.services.runs import run_list, run_log
from annotator.services.select import leases, triage
from annotator.store.server import project_copy
from tests.server import Server

pytestmark = pytest.mark.slow


def _rows(path: Path) -> dict[str, str]:
    """Return a hash of every table's rows, worked out by the test itself."""
    connection = sqlite3.connect(path)
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    left = ("lease", "run_scores", "run_counts", "subject_search", "search_gap", "block_digest")
    found = {}
    for table in tables:
        if not table.startswith(left):
            # A kind that has no subjects any more may be kept with the count zero.
            some = "WHERE subjects > 0" if table == "subject_count" else ""
            rows = sorted(map(repr, connection.execute(f'SELECT * FROM "{table}" {some}')))
            found[table] = f"{len(rows)} {hashlib.sha256(chr(10).join(rows).encode()).hexdigest()}"
    connection.close()
    return found


def test_there_and_back_nothing_is_lost(sample_file: Path, database: ServerAddress, tmp_path: Path) -> None:
    before = _rows(sample_file)
    there = server_copy.copy_project(sample_file, database)
    back = server_copy.copy_project(database, tmp_path / "back.annotator")
    assert _rows(sample_file) == before, "the source stays as it was"
    assert _rows(tmp_path / "back.annotator") == before
    assert there.rows == back.rows and there.digest == back.digest
    assert there.rows["decision"] > 0 and there.rows["score"] > 0 and there.rows["releaseitem"] > 0


def test_the_copy_works_on(sample_file: Path, database: ServerAddress, tmp_path: Path) -> None:
    server_copy.copy_project(sample_file, database)
    mine = projects.open_project(sample_file)
    store = projects.open_project(database, annotator=mine.annotator.name)
    assert result_tables.load_leaderboard(store) == result_tables.load_leaderboard(mine)
    for text in ("sort", "dict", "regex", "java"):
        wanted = QueueFilter(text=text)
        assert triage.queue_ids(store, wanted) == triage.queue_ids(mine, wanted)
    assert undo.undo_label(store) == undo.undo_label(mine)
    row = triage.queue_page(store, QueueFilter()).rows[0]
    triage.decide_subjects(store, [row.id], Verdict.FLAG)
    acts = undo.load_acts(store)
    assert acts.rows[0].label.startswith("Flag"), "new acts come after those that were copied"
    leases.take_next_subjects(store, QueueFilter(), 3)
    store.close()
    again = server_copy.copy_project(database, tmp_path / "back.annotator")
    assert "lease" not in again.rows
    back = projects.open_project(tmp_path / "back.annotator", annotator=mine.annotator.name)
    assert back.integrity() == () and undo.load_acts(back) == acts
    assert triage.load_subject(back, row.id).row.verdict == "flag"
    for project in (mine, back):
        project.close()


def test_a_text_the_server_cannot_keep_leaves_nothing_behind(
    sample_file: Path, database: ServerAddress, tmp_path: Path, postgres: Server
) -> None:
    odd = tmp_path / "odd.annotator"
    shutil.copy(sample_file, odd)
    connection = sqlite3.connect(odd)
    connection.execute("UPDATE subjecttext SET context = 'a' || char(0) || 'b'")
    connection.commit()
    connection.close()
    with pytest.raises(BadInputError, match="null character"):
        server_copy.copy_project(odd, database)
    assert postgres.execute(database.database, "SELECT count(*) FROM pg_namespace WHERE nspname = 'annotator'") == [
        (0,)
    ]
    server_copy.copy_project(sample_file, database)


def test_a_copy_that_differs_is_not_kept(
    sample_file: Path, database: ServerAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server_copy.copy_project(sample_file, database)
    real = project_copy.make_file_writer

    def loses_a_row(connection: sqlite3.Connection) -> object:
        write = real(connection)
        return lambda table, rows: (
            write(table, (part[:-1] if table.name == "vote" else part for part in rows))
            or (
                connection.execute("DELETE FROM comment") if table.name == "comment" else None,
                connection.execute("DELETE FROM decision WHERE id = (SELECT max(id) FROM decision)"),
            )
        )

    monkeypatch.setattr(project_copy, "make_file_writer", loses_a_row)
    with pytest.raises(BadInputError, match="differs from the project in decision"):
        server_copy.copy_project(database, tmp_path / "back.annotator")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_over(sample_file: Path, database: ServerAddress, tmp_path: Path) -> None:
    server_copy.copy_project(sample_file, database)
    with pytest.raises(BadInputError, match="already"):
        server_copy.copy_project(sample_file, database)
    target = tmp_path / "mine.annotator"
    target.write_text("mine")
    with pytest.raises(BadInputError, match="already exists"):
        server_copy.copy_project(database, target)
    assert target.read_text() == "mine"
    with pytest.raises(MissingEnvironmentError, match="could not be created"):
        server_copy.copy_project(database, tmp_path / "nowhere" / "x.annotator")


def test_one_is_a_file_and_one_a_server(sample_file: Path, database: ServerAddress, tmp_path: Path) -> None:
    for source, target in ((sample_file, tmp_path / "x.annotator"), (database, database)):
        with pytest.raises(UsageError, match="Copy between a file and a server"):
            server_copy.copy_project(source, target)
    with pytest.raises(UsageError, match="project file"):
        server_copy.upgrade_server_project(sample_file)


def test_every_table_of_results_is_that_of_the_file(sample_file: Path, database: ServerAddress) -> None:
    server_copy.copy_project(sample_file, database)
    mine = projects.open_project(sample_file)
    store = projects.open_project(database, annotator=mine.annotator.name)
    compared = 0
    for name in named_tables.TABLES:
        tables = []
        for project in (mine, store):
            try:
                tables.append(named_tables.make_table(project, score_data.load_results(project), name))
            except BadInputError as error:
                tables.append(error.message)
        assert tables[0] == tables[1], name
        compared += not isinstance(tables[0], str)
    assert compared > 8
    assert run_list.list_runs(store) == run_list.list_runs(mine)
    for run in run_list.list_runs(mine):
        assert responses.responses_of_run(
            store, responses.load_run_data(store, run.id), run.id
        ) == responses.responses_of_run(mine, responses.load_run_data(mine, run.id), run.id)
        assert run_log.list_requests(store, run.id) == run_log.list_requests(mine, run.id)
    mine.close()
    store.close()
