"""Damaged files: what is intact is said, and everything readable comes out as a sound project."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Collection
from contextlib import closing
from pathlib import Path

import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError, DamagedFileError, KnownError
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.project import backups, members, projects, recovery
from annotator.services.prompt import paraphrases
from annotator.services.select import triage
from annotator.store.core_tables import SUBJECT
from annotator.store.file import schema
from annotator.store.file.backup_files import Rotation
from annotator.store.file.connection import as_known_file_error, connect
from tests.services.project.conftest import make_project
from tests.store import damage

COUNT = 300


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "p.annotator"
    store = make_project(path, COUNT)
    ids = [row.id for row in triage.queue_page(store, QueueFilter(), limit=COUNT).rows]
    triage.decide_subjects(store, ids[:200], Verdict.ACCEPT)
    for number in range(40):
        paraphrases.save_prompt(store, ids[number], f"Paraphrase {number} " + "word " * 400)
    store.close()
    return path


def _copied(sound: Path, folder: Path) -> Path:
    path = folder / "p.annotator"
    shutil.copy(sound, path)
    return path


def _first_name(path: Path) -> str:
    """Return what SQLite itself still reads of the first annotator's name in a damaged file, or nothing."""
    try:
        with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as connection:
            return str(connection.execute("SELECT name FROM annotator ORDER BY rowid").fetchone()[0])
    except (sqlite3.Error, TypeError):
        return ""


def _decisions(path: Path, told: Collection[str] = ()) -> dict[str, str]:
    with closing(projects.open_project(path)) as store:
        # A flipped bit may be a letter of a text: then it is told.
        assert {f"in the new project, {problem}" for problem in store.integrity()} <= set(told)
        with store.reader() as connection:
            return dict(connection.execute("SELECT subject_id, verdict FROM decision"))


@pytest.mark.parametrize("kind", damage.KINDS)
def test_what_can_be_read_comes_out_sound(kind: str, sound: Path, tmp_path: Path) -> None:
    _check_recovery(kind, 1, sound, tmp_path)


@pytest.mark.parametrize("seed", [0, 2, 3, 4, 5])
@pytest.mark.parametrize("kind", damage.KINDS)
def test_what_can_be_read_comes_out_sound_after_more_damage(kind: str, seed: int, sound: Path, tmp_path: Path) -> None:
    _check_recovery(kind, seed, sound, tmp_path)


def test_a_file_that_an_earlier_program_laid_out_comes_out_sound(sound: Path, tmp_path: Path) -> None:
    """Its tables lie in other places than those of a new file."""
    old = tmp_path / "old.annotator"
    with closing(sqlite3.connect(old, isolation_level=None)) as connection:
        schema.upgrade_file_schema(connection, 0)
        connection.execute("ATTACH ? AS sound", (str(sound),))
        for table in SUBJECT.metadata.sorted_tables:
            if table.name != "subject_count":  # its rows come by triggers
                names = ", ".join(f'"{column.name}"' for column in table.columns)
                connection.execute(f'INSERT INTO "{table.name}" ({names}) SELECT {names} FROM sound."{table.name}"')
    _check_recovery("beheaded", 1, old, tmp_path)


def _check_recovery(kind: str, seed: int, sound: Path, tmp_path: Path) -> None:
    path = _copied(sound, tmp_path)
    damage.KINDS[kind](path, seed)
    wreck = path.read_bytes()
    target = tmp_path / "new.annotator"
    try:
        found = recovery.examine_project(path)
    except BadInputError as error:
        assert "Nothing" in error.message
        return
    saved = recovery.salvage_project(path, tmp_path / "new.jsonl", target)
    assert path.read_bytes() == wreck, "the damaged file is only read"
    [changes] = [table.readable for table in found.tables if table.name == "change"]
    assert (found.newest is not None) == (changes > 0)
    assert saved.written == sum(1 for _ in (tmp_path / "new.jsonl").open(encoding="utf-8"))
    truth = _decisions(sound)
    kept = _decisions(target, saved.left_out if kind == "flipped" else ())
    if kind != "flipped":  # a flipped bit may be a letter of a text, which nobody can tell
        assert kept.items() <= truth.items()
    again = projects.open_project(target)
    counts = projects.stage_counts(again)
    # Somebody whose row is lost keeps their work under a name that says so.
    name = members.list_annotators(again)[0].name
    assert name == "Ada" or (name.startswith("Unknown ") and _first_name(path) != "Ada"), name
    triage.queue_page(again, QueueFilter(text="sort"))
    again.close()
    assert counts.subjects <= COUNT
    if kind == "beheaded":
        assert (kept, counts.subjects, counts.without_prompt) == (truth, COUNT, 160)


@pytest.mark.parametrize("kind", damage.KINDS)
def test_a_backup_gives_what_the_file_lost(kind: str, sound: Path, tmp_path: Path) -> None:
    path = _copied(sound, tmp_path)
    store = projects.open_project(path)
    backups.make_project_backup(store, Rotation(5))
    late = triage.queue_page(store, QueueFilter(), limit=COUNT).rows[-1].id
    triage.decide_subjects(store, [late], Verdict.FLAG, "after the backup")
    store.close()
    intact = recovery.salvage_project(path, tmp_path / "intact.jsonl", tmp_path / "intact.annotator")
    assert intact.from_backup == 0
    damage.KINDS[kind](path, 1)
    saved = recovery.salvage_project(path, tmp_path / "new.jsonl", tmp_path / "new.annotator")
    # A flipped bit may be a letter of a text, which loses no row.
    assert kind == "flipped" or (saved.from_backup > 0) == (kind != "beheaded")
    assert _decisions(sound).items() <= _decisions(tmp_path / "new.annotator").items()


def test_every_opening_says_that_the_file_is_damaged(sound: Path, tmp_path: Path) -> None:
    for kind in ("truncated", "zeroed", "garbled", "beheaded"):
        folder = tmp_path / kind
        folder.mkdir()
        path = _copied(sound, folder)
        damage.KINDS[kind](path, 2)
        before = path.read_bytes()
        with pytest.raises(DamagedFileError):
            projects.open_project(path)
        assert path.read_bytes() == before


def test_a_file_system_that_cannot_share_memory_is_named() -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorname = "SQLITE_IOERR_SHMMAP"
    known_error = as_known_file_error(error, "p.annotator")
    assert known_error is not None and "share memory" in str(known_error)


def test_a_search_index_whose_tables_are_gone_is_damage(sound: Path, tmp_path: Path) -> None:
    # Some versions of SQLite say it when the file is checked, others when something is searched for.
    error = sqlite3.DatabaseError("vtable constructor failed: subject_search")
    assert isinstance(as_known_file_error(error, sound.name), DamagedFileError)
    path = _copied(sound, tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("DELETE FROM sqlite_master WHERE name = 'subject_search_data'")
        connection.commit()
    with pytest.raises(DamagedFileError):
        triage.queue_page(projects.open_project(path), QueueFilter(text="sort"))


def test_the_log_of_another_project_is_not_let_in(sound: Path, tmp_path: Path) -> None:
    path = _copied(sound, tmp_path)
    other = make_project(tmp_path / "other.annotator", 5)
    with closing(connect(other.path, read_only=False)) as held:
        held.execute("PRAGMA wal_autocheckpoint = 0")
        triage.decide_subjects(other, [triage.queue_page(other, QueueFilter()).rows[0].id], Verdict.ACCEPT)
        assert Path(f"{other.path}-wal").stat().st_size
        damage.foreign_log(path, other.path)
    other.close()
    before = path.read_bytes(), Path(f"{path}-wal").read_bytes()
    with pytest.raises(DamagedFileError):
        projects.open_project(path)
    assert (path.read_bytes(), Path(f"{path}-wal").read_bytes()) == before
    found = recovery.examine_project(path)
    assert found.source == "the file"
    recovery.salvage_project(path, tmp_path / "new.jsonl", tmp_path / "new.annotator")
    assert _decisions(tmp_path / "new.annotator") == _decisions(sound)


def test_what_was_still_in_the_log_is_recovered_too(sound: Path, tmp_path: Path) -> None:
    path, left = _copied(sound, tmp_path), tmp_path / "left"
    left.mkdir()
    store = projects.open_project(path)
    late = triage.queue_page(store, QueueFilter(), limit=COUNT).rows[-1].id
    triage.decide_subjects(store, [late], Verdict.FLAG)
    for ending in ("", "-wal"):
        shutil.copy(f"{path}{ending}", left / f"p.annotator{ending}")
    store.close()
    damage.zeroed(left / "p.annotator", 3)
    saved = recovery.salvage_project(left / "p.annotator", left / "new.jsonl", left / "new.annotator")
    # Which texts are on the zeroed pages depends on the order in which rows were written.
    assert _decisions(left / "new.annotator", saved.left_out)[late] == "flag"


def test_work_whose_act_is_lost_stays(sound: Path, tmp_path: Path) -> None:
    path = _copied(sound, tmp_path)
    with closing(connect(path, read_only=False)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("DELETE FROM change WHERE label LIKE 'Paraphrase%'")
        connection.execute("DELETE FROM annotator")
    saved = recovery.salvage_project(path, tmp_path / "new.jsonl", tmp_path / "new.annotator")
    assert saved.kept["prompt"] == 40
    again = projects.open_project(tmp_path / "new.annotator")
    assert projects.stage_counts(again).without_prompt == 160
    assert members.list_annotators(again)[0].name.startswith("Unknown")
    again.close()


def test_nothing_is_overwritten(sound: Path, tmp_path: Path) -> None:
    path, taken = _copied(sound, tmp_path), tmp_path / "taken.annotator"
    taken.write_text("mine")
    with pytest.raises(BadInputError, match="already exists"):
        recovery.salvage_project(path, tmp_path / "l.jsonl", taken)
    with pytest.raises(BadInputError, match="already exists"):
        recovery.salvage_project(path, taken)
    assert taken.read_text() == "mine"


@pytest.mark.parametrize("content", [b"", b"hello", bytes(1 << 20), b"SQLite format 3\x00" + bytes(200)])
def test_what_never_was_a_project_gives_nothing(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "p.annotator"
    path.write_bytes(content)
    with pytest.raises(KnownError):
        recovery.examine_project(path)
    with pytest.raises(BadInputError, match="no file"):
        recovery.examine_project(tmp_path / "none.annotator")


def test_the_command(sound: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = _copied(sound, tmp_path)
    damage.zeroed(path, 1)
    assert main(["recover", str(path)]) == 0
    out = capfd.readouterr().out
    assert "readable" in out and "There is no backup" in out
    assert main(["recover", str(path), "--to", str(tmp_path / "new"), "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["salvaged"]["project"].endswith("new.annotator")
    assert main(["check", str(tmp_path / "new.annotator")]) == 0
    assert main(["recover", str(path), "--to", str(tmp_path / "new")]) == 3
    assert main(["recover", str(path), "--without-backup"]) == 2
    assert main(["recover", str(tmp_path / "none")]) == 3
    assert "Traceback" not in capfd.readouterr().err
