"""The journal of drafts: one private file each beside the project, whole or not at all, and never part of a copy."""

from __future__ import annotations

import errno
import gzip
import json
import os
import stat
import time
from contextlib import closing
from pathlib import Path

import pytest

from annotator.base.addresses import parse_server_address
from annotator.base.clock import now_text
from annotator.base.errors import MissingEnvironmentError
from annotator.base.paths import data_dir
from annotator.model.rows.draft_rows import Draft, DraftKey
from annotator.model.rows.queue_rows import QueueFilter
from annotator.services.project import backups, draft_journal, members, packets, projects
from annotator.services.select import triage
from annotator.store.file.backup_files import Rotation
from annotator.store.file.project_file import ProjectFile

SECRET = "a sentence that nobody has saved"


@pytest.fixture(autouse=True)
def private_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep drafts of a project on a server in the test's own folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def _draft(store: ProjectFile, text: str = SECRET, item: str = "s-1", field: str = "prompt.paraphrase") -> Draft:
    return Draft(
        key=DraftKey(store.annotator.id, field, item),
        text=text,
        subject_id=item,
        began_from="revision-1",
        written_at=now_text(),
    )


def test_a_draft_is_one_private_file_and_goes_with_its_folder(store: ProjectFile) -> None:
    draft = _draft(store, "ein Entwurf \N{SNOWMAN} \ud800 with a lone surrogate")
    draft_journal.save_draft(store, draft)
    folder = draft_journal.draft_folder(store.place)
    files = list(folder.iterdir())
    assert len(files) == 1
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o600
    assert draft_journal.load_drafts(store) == (draft,)
    newer = _draft(store, "another text")
    draft_journal.save_draft(store, newer)
    assert draft_journal.load_drafts(store) == (newer,)
    draft_journal.discard_draft(store, draft.key)
    draft_journal.discard_draft(store, draft.key)
    assert draft_journal.load_drafts(store) == ()
    assert not folder.exists()


@pytest.mark.file_only("its folder is beside the file")
def test_the_folder_has_the_name_of_the_file(store: ProjectFile) -> None:
    assert draft_journal.draft_folder(store.path) == store.path.with_name("p.annotator-drafts")


def test_fields_items_and_people_do_not_meet(store: ProjectFile) -> None:
    mine = [_draft(store, f"{item} {field}", item, field) for item in ("a", "b") for field in ("x.one", "x.two")]
    for draft in mine:
        draft_journal.save_draft(store, draft)
    person, _ = members.switch_annotator(store, "Bo")
    theirs = Draft(
        key=DraftKey(person.id, "x.one", "a"), text="Bo's", subject_id="a", began_from="", written_at=now_text()
    )
    draft_journal.save_draft(store, theirs)
    assert draft_journal.load_drafts(store) == (theirs,)
    members.switch_annotator(store, "Ada")
    assert set(draft_journal.load_drafts(store)) == set(mine)


def test_one_on_a_server_lies_in_the_user_s_own_folder_whoever_works_there() -> None:
    one = draft_journal.draft_folder(parse_server_address("postgresql+psycopg://mei@host/db?annotator=Ada"))
    assert one.parent == data_dir() / "drafts"
    assert one == draft_journal.draft_folder(parse_server_address("postgresql+psycopg://mei@host/db?annotator=Bo"))
    assert one != draft_journal.draft_folder(parse_server_address("postgresql+psycopg://mei@host/other"))
    assert "host" not in one.name


@pytest.mark.file_only("a folder beside the file is looked at")
def test_what_is_broken_or_foreign_is_left_alone(store: ProjectFile, tmp_path: Path) -> None:
    draft = _draft(store)
    draft_journal.save_draft(store, draft)
    folder = draft_journal.draft_folder(store.path)
    [good] = folder.iterdir()
    document = json.loads(good.read_text())
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text(good.read_text())
    contents = {
        "notes.txt": b"mine",
        "0" * 32 + ".json": good.read_bytes(),
        "1" * 32 + ".json": good.read_bytes()[:40],
        "2" * 32 + ".json": b"\xff\xfe",
        "3" * 32 + ".json": b"[" * 100_000,
        "4" * 32 + ".json": json.dumps([1]).encode(),
        "5" * 32 + ".json": json.dumps({**document, "text": 3}).encode(),
        "6" * 32 + ".json": json.dumps({**document, "format": "other"}).encode(),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (folder / ("7" * 32 + ".json")).mkdir()
    (folder / ("8" * 32 + ".json")).symlink_to(elsewhere)
    assert draft_journal.load_drafts(store) == (draft,)
    draft_journal.discard_draft(store, draft.key)
    assert {path.name for path in folder.iterdir() if path.is_file() and not path.is_symlink()} == contents.keys()
    assert all((folder / name).read_bytes() == content for name, content in contents.items())


@pytest.mark.file_only("a folder beside the file is looked at")
def test_what_a_kill_left_in_the_middle_of_writing_goes_after_a_day(store: ProjectFile) -> None:
    draft_journal.save_draft(store, _draft(store))
    folder = draft_journal.draft_folder(store.path)
    new, old = folder / ".a.part", folder / ".b.part"
    for path in (new, old):
        path.write_text("{")
    os.utime(old, (time.time() - 90_000,) * 2)
    assert len(draft_journal.load_drafts(store)) == 1
    assert new.exists()
    assert not old.exists()


def test_a_full_disk_keeps_the_draft_before(store: ProjectFile, monkeypatch: pytest.MonkeyPatch) -> None:
    draft = _draft(store)
    draft_journal.save_draft(store, draft)

    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(MissingEnvironmentError, match="No space left"):
        draft_journal.save_draft(store, _draft(store, "longer"))
    assert draft_journal.load_drafts(store) == (draft,)
    assert len(list(draft_journal.draft_folder(store.place).iterdir())) == 1


@pytest.mark.file_only("a file stands where the folder would be")
def test_a_folder_that_cannot_be_made_is_said(store: ProjectFile) -> None:
    draft_journal.draft_folder(store.path).write_text("not a folder")
    with pytest.raises(MissingEnvironmentError, match=r"p\.annotator-drafts"):
        draft_journal.save_draft(store, _draft(store))
    assert draft_journal.load_drafts(store) == ()


@pytest.mark.file_only("its folder is beside the file")
def test_a_folder_that_went_away_is_not_made_again(tmp_path: Path) -> None:
    usb = tmp_path / "usb"
    usb.mkdir()
    with closing(projects.create_project(usb / "p.annotator", "Demo", "Ada")) as store:
        usb.rename(tmp_path / "pulled out")
        with pytest.raises(MissingEnvironmentError, match="No such file"):
            draft_journal.save_draft(store, _draft(store))
        assert not usb.exists()


@pytest.mark.file_only("a file is opened for reading only")
def test_nothing_is_written_for_a_read_only_project(store: ProjectFile) -> None:
    draft = _draft(store)
    draft_journal.save_draft(store, draft)
    folder = draft_journal.draft_folder(store.path)
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    with closing(projects.open_project(store.path, read_only=True)) as with_looks:
        draft_journal.save_draft(with_looks, _draft(with_looks, "other", "s-2"))
        draft_journal.discard_draft(with_looks, draft.key)
        assert draft_journal.load_drafts(with_looks) == ()
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before


@pytest.mark.file_only("backups are of files")
def test_no_copy_of_the_project_has_a_draft(store: ProjectFile, tmp_path: Path) -> None:
    subject = triage.queue_page(store, QueueFilter()).rows[0].id
    draft_journal.save_draft(store, _draft(store, item=subject))
    backup = backups.make_project_backup(store, Rotation(5)).path
    packet, copy = tmp_path / "out.packet", tmp_path / "copy.annotator"
    packets.export_packet(store, packet)
    store.copy_to(copy)
    for path in (backup, copy, store.path, Path(f"{store.path}-wal")):
        assert SECRET.encode() not in path.read_bytes()
    assert SECRET.encode() not in gzip.decompress(packet.read_bytes())
