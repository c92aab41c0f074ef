"""An open project is read by SQLite alone: no import, check, copy or export costs it its locks."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import text

from annotator.base import open_files
from annotator.base.errors import BadInputError, KnownError, MissingEnvironmentError
from annotator.cli.output import read_text
from annotator.criteria.document import loader
from annotator.formats.format_registry import IMPORTS, RESPONSES
from annotator.formats.interchange import packet_files as packet_files
from annotator.formats.interchange import realisticcodebench, release_folder
from annotator.formats.write import export_folder
from annotator.mining.generated_code import source_files as code_files
from annotator.mining.repository.discovery import repository_facts, tree
from annotator.mining.stackexchange import archives, tags
from annotator.services.judge import study_files
from annotator.services.project import packets, recovery
from annotator.services.results import comparisons, published_tables
from annotator.services.runs import recorded_answers, run_control
from annotator.services.sources import imports
from annotator.store.file import backup_files
from annotator.store.file.project_file import ProjectFile
from tests.locks import needs_list, own_locks
from tests.services.project.conftest import make_project

Read = Callable[[ProjectFile, Path], object]
READERS: dict[str, Read] = {
    **{
        f"import {kind.name}": partial(lambda name, store, path: imports.import_paths(store, name, [path]), kind.name)
        for kind in IMPORTS
    },
    **{
        f"import {kind.name}": partial(
            lambda name, store, path: recorded_answers.import_answers(store, name, [path]), kind.name
        )
        for kind in RESPONSES
    },
    "import published tables": published_tables.import_published,
    "import mined candidates": lambda store, path: imports.import_candidates(store, "mined", path, [], {}),
    "responses to try criteria on": run_control.store_recorded_samples,
    "a study's pairs": study_files.read_candidate_pairs,
    "judgements": lambda _, path: study_files.read_judgements(path),
    "scores of another benchmark": lambda _, path: comparisons.read_other_scores(path),
    "a criterion": lambda _, path: loader.load_criterion(path),
    "a text for a command": lambda _, path: read_text(path),
    "a tag tree": lambda _, path: tags.read_tag_tree(path),
    "a dump": lambda _, path: archives.detect_packing(path),
    "generated code": lambda _, path: list(code_files.source_files(path)),
    "a repository": lambda _, path: _unpack(path),
    "facts of a repository": lambda _, path: repository_facts.read_metadata(path),
    "a packet": lambda _, path: packet_files.read_packet(path),
}


def _unpack(path: Path) -> None:
    with tree.open_repository(path):
        pass


WRITERS: dict[str, Callable[[Path], object]] = {
    "a table or list": lambda path: export_folder.write_file(path, "text"),
    "candidates": lambda path: imports.write_rows(path, []),
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ProjectFile]:
    folder = tmp_path / "work"
    folder.mkdir()
    store = make_project(folder / "p.annotator")
    with store.reader() as connection:
        connection.execute("SELECT count(*) FROM subject").fetchone()
    yield store
    store.close()


@pytest.fixture
def names(store: ProjectFile, tmp_path: Path) -> tuple[Path, ...]:
    """The file of an open project, as somebody may give it: itself, its log, a link to it, a second name of it."""
    link, second = tmp_path / "link.jsonl", tmp_path / "second.jsonl"
    link.symlink_to(store.path)
    second.hardlink_to(store.path)
    return store.path, Path(f"{store.path}-wal"), link, second


@needs_list
def test_readers_refuse_an_open_project(store: ProjectFile, names: tuple[Path, ...], subtests: pytest.Subtests) -> None:
    before = own_locks(store.path)
    assert len(before) == 2
    for reader, read in READERS.items():
        for name in names:
            with subtests.test(reader, name=name.name):
                with pytest.raises(BadInputError, match="is a project, or part of one"):
                    read(store, name)
                assert own_locks(store.path) == before


@needs_list
@pytest.mark.parametrize("name", ["manifest.json", "items.jsonl"])
def test_a_release_folder_does_not_lead_to_an_open_project(store: ProjectFile, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "release"
    folder.mkdir()
    files = {"items.jsonl": "0" * 64}
    manifest = {"format": release_folder.FORMAT, "format_version": release_folder.FORMAT_VERSION, "files": files}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / name).unlink(missing_ok=True)
    (folder / name).hardlink_to(store.path)
    before = own_locks(store.path)
    assert f"{name} is a project, or part of one" in " ".join(release_folder.verify_release_folder(folder))
    if name == "manifest.json":
        with pytest.raises(BadInputError, match="is a project, or part of one"):
            release_folder.frozen_parts(folder)
    assert len(before) == 2 and own_locks(store.path) == before


@needs_list
def test_a_folder_of_tasks_does_not_lead_to_an_open_project(store: ProjectFile, tmp_path: Path) -> None:
    folder = tmp_path / "tasks" / "t1" / "python"
    folder.mkdir(parents=True)
    (folder / "answer.py").hardlink_to(store.path)
    (folder / "signature.py").write_text("def f(): ...")
    before = own_locks(store.path)
    with pytest.raises(BadInputError, match="is a project, or part of one"):
        list(realisticcodebench.read_realisticcodebench(tmp_path / "tasks", {}))
    assert len(before) == 2 and own_locks(store.path) == before


@needs_list
@pytest.mark.parametrize("writer", WRITERS)
def test_writers_do_not_replace_an_open_project(store: ProjectFile, names: tuple[Path, ...], writer: str) -> None:
    before = own_locks(store.path)
    for name in names:
        content = name.stat()
        with pytest.raises(BadInputError, match="so nothing was written"):
            WRITERS[writer](name)
        assert (name.stat().st_ino, name.stat().st_mtime_ns) == (content.st_ino, content.st_mtime_ns)
    assert own_locks(store.path) == before


def test_readers_refuse_closed_projects_and_databases(
    store: ProjectFile, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    closed, other = tmp_path / "closed.annotator", tmp_path / "other.jsonl"
    ProjectFile.create(closed, "Closed", "Ada").close()
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    for reader, read in READERS.items():
        with subtests.test(reader):
            with pytest.raises(BadInputError, match="is a project, or part of one"):
                read(store, closed)
            with pytest.raises(BadInputError, match="is a database"):
                read(store, other)


@needs_list
@pytest.mark.parametrize(
    "act",
    [
        lambda path: ProjectFile.open(path, read_only=True).close(),
        lambda path: ProjectFile.open(path).close(),
        lambda path: recovery.examine_project(path),
        lambda path: recovery.salvage_project(path, path.with_name("rows.out"), path.with_name("new.annotator")),
        lambda path: packet_files.is_packet(path),
    ],
    ids=["reading", "opening", "examining", "salvaging", "asking whether it is a packet"],
)
def test_what_looks_at_a_project_keeps_the_locks_of_an_open_one(
    store: ProjectFile, act: Callable[[Path], object]
) -> None:
    store.make_backup()
    before = own_locks(store.path)
    assert len(before) == 2
    act(store.path)
    assert own_locks(store.path) == before


@needs_list
def test_a_plain_look_drops_them(store: ProjectFile) -> None:
    """What the tests above would find."""
    assert len(own_locks(store.path)) == 2
    store.path.open("rb").close()
    assert len(own_locks(store.path)) == 1


@needs_list
def test_an_open_project_is_merged_with_itself(store: ProjectFile) -> None:
    before = own_locks(store.path)
    assert packets.import_packet(store, store.path).total == 0
    assert own_locks(store.path) == before


@needs_list
def test_a_damaged_project_that_is_open_is_examined_beside_its_locks(store: ProjectFile) -> None:
    store.make_backup()
    subprocess.run(  # in another process: writing here would drop the locks
        [sys.executable, "-c", "import sys; f = open(sys.argv[1], 'r+b'); f.write(bytes(16384))", str(store.path)],
        check=True,
    )
    before = own_locks(store.path)
    with pytest.raises(BadInputError, match="damaged"):
        ProjectFile.open(store.path)
    assert recovery.examine_project(store.path).tables
    assert own_locks(store.path) == before


def test_the_folder_of_an_open_project_is_imported_without_the_project(
    store: ProjectFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    real = Path.open

    def recorded(path: Path, *more: object, **rest: object) -> object:
        opened.append(path.name)
        return real(path, *more, **rest)

    monkeypatch.setattr(Path, "open", recorded)
    folder = store.path.parent
    (folder / "notes.txt").write_text("notes")
    first = imports.path_digest(folder)
    with store.write() as db:
        db.execute(text("UPDATE project SET name = 'Other'"))
    assert imports.path_digest(folder) == first
    assert "notes.txt" in opened and not any(name.startswith("p.annotator") for name in opened)


def test_a_repository_is_mined_without_the_projects_in_it(store: ProjectFile) -> None:
    folder = store.path.parent
    (folder / "code.py").write_text("x = 1\n")
    found = tree.read_repository_tree(folder)
    assert "p.annotator" not in [path for path, _ in found.others]
    assert [(item.path, item.reason) for item in found.skipped if item.path == "p.annotator"] == [
        ("p.annotator", "a project of Annotator")
    ]


def test_a_backup_that_is_open_as_a_project_is_not_read_beside_it(store: ProjectFile) -> None:
    backup = store.make_backup()
    other = ProjectFile.open(backup.path)
    with other.reader() as connection:
        connection.execute("SELECT count(*) FROM subject").fetchone()
    with pytest.raises(MissingEnvironmentError, match="is open in another window"):
        backup_files.verify_backup(backup)
    other.close()
    assert backup_files.verify_backup(backup).problems == ()


def test_what_a_shell_opened_for_us_is_no_project(tmp_path: Path) -> None:
    rows = tmp_path / "rows.txt"
    rows.write_text("text")
    with rows.open() as stream:
        os.set_inheritable(stream.fileno(), True)
        assert not open_files.is_open_here(rows)
        os.set_inheritable(stream.fileno(), False)
        assert open_files.is_open_here(rows)
    assert not open_files.is_open_here(rows)
    assert not open_files.is_open_here(tmp_path)
    assert not open_files.is_open_here(tmp_path / "missing")


def test_headers_of_odd_files(tmp_path: Path) -> None:
    path = tmp_path / "p.annotator"
    ProjectFile.create(path, "Demo", "Ada").close()
    data = path.read_bytes()
    for length in (99, 100, 511, 16_383, 16_384, len(data) // 2):
        path.write_bytes(data[:length])
        with pytest.raises(BadInputError, match="damaged" if length >= 100 else "is not an Annotator project"):
            ProjectFile.open(path)
        assert path.read_bytes() == data[:length]
        assert sorted(item.name for item in tmp_path.iterdir()) == ["p.annotator"]
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(BadInputError, match="is not an Annotator project"):
        ProjectFile.open(path)
    with pytest.raises(KnownError, match="cannot be read"):
        ProjectFile.open(path / "inside")


def test_another_programs_database_gets_no_files_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "p.annotator"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (a)")
    connection.close()
    with pytest.raises(BadInputError, match="another program"):
        ProjectFile.open(path)
    assert [item.name for item in tmp_path.iterdir()] == ["p.annotator"]
