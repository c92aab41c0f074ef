"""A project on a network drive names the computer that has it open, and another computer is refused."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

import pytest

from annotator.base.errors import MissingEnvironmentError
from annotator.store.file import network_drive
from annotator.store.file.network_drive import is_network_device
from annotator.store.file.project_file import ProjectFile

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="mounts are listed on Linux only")


@pytest.fixture
def computer(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Treat every folder as a network drive of the computer ``first``."""
    monkeypatch.setattr(network_drive, "is_on_network_drive", lambda _: True)
    monkeypatch.setattr(platform, "node", lambda: "first")
    return monkeypatch


def test_a_second_computer_is_refused_until_the_first_has_closed(tmp_path: Path, computer: pytest.MonkeyPatch) -> None:
    path = tmp_path / "p.annotator"
    window, command = ProjectFile.create(path, "P", "Ada"), ProjectFile.open(path)
    computer.setattr(platform, "node", lambda: "second")
    with pytest.raises(MissingEnvironmentError, match="in use on the computer first"):
        ProjectFile.open(path)
    window.close()
    with pytest.raises(MissingEnvironmentError, match=r"delete the file p\.annotator-in-use-on-first"):
        ProjectFile.open(path)
    command.close()
    ProjectFile.open(path).close()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_the_mark_that_a_crash_leaves_does_not_hinder_the_same_computer(
    tmp_path: Path, computer: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "p.annotator"
    ProjectFile.create(path, "P", "Ada").close()
    (tmp_path / "p.annotator-in-use-on-first").touch()
    ProjectFile.open(path).close()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_project_on_a_local_disk_has_no_mark(tmp_path: Path) -> None:
    store = ProjectFile.create(tmp_path / "p.annotator", "P", "Ada")
    assert not list(tmp_path.glob("*-in-use-on-*"))
    store.close()


@pytest.mark.parametrize(
    ("mount", "is_network"),
    [
        ("nfs4 server:/home rw,vers=4.2", True),
        ("cifs //server/share rw", True),
        ("fuse.sshfs ada@server:/home rw", True),
        ("fuse https://cloud.example/dav rw", True),
        ("ext4 /dev/sda1 rw", False),
        ("ext4 /dev/disk/by-path/pci-0000:00:1f.2 rw", False),
        ("tmpfs tmpfs rw", False),
        ("zfs pool/home rw", False),
    ],
)
def test_a_mount_is_a_network_drive_if_its_source_names_a_computer(mount: str, is_network: bool) -> None:
    mounts = f"22 1 8:1 / / rw - ext4 /dev/root rw\n40 22 0:51 / /home rw,nosuid shared:5 - {mount}\n"
    assert is_network_device(mounts, os.makedev(0, 51)) is is_network
