"""Archives are mined like folders; what means harm in them stays outside or is refused with a sentence."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from annotator.base.errors import BadInputError
from annotator.jobs.progress import Cancelled, Progress
from annotator.mining.repository.confirmation.confirm import repository_files
from annotator.mining.repository.discovery import tree
from annotator.mining.repository.discovery.tree import open_repository, read_repository_tree
from annotator.mining.repository.pipeline import MiningOptions
from annotator.services.sources.repository_mining import mine_repositories

FILES = {"lib-1.0/lib.py": "def f(x):\n    y = x\n    y += 1\n    return y\n",
         "lib-1.0/test_lib.py": "from lib import f\ndef test_f():\n    assert f(1) == 2\n"}  # fmt: skip


def tar(path: Path, files: dict[str, str], extra: list[tarfile.TarInfo] | None = None) -> Path:
    with tarfile.open(path, "w:gz") as bundle:
        for item in extra or []:
            bundle.addfile(item)
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            bundle.addfile(member, io.BytesIO(text.encode()))
    return path


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


def found(root: Path) -> set[str]:
    return {item.relative_to(root).as_posix() for item in root.rglob("*") if not item.is_dir()}


def test_an_sdist_is_mined_and_nothing_stays(tmp_path: Path) -> None:
    path = tar(tmp_path / "lib-1.0.tar.gz", FILES)
    (outcome,) = mine_repositories([path], MiningOptions(), Progress(), static_only=True)
    assert outcome.mined is not None and outcome.source.path == path
    assert [row.key for row in outcome.mined.rows] == [("lib.py", "f")]
    assert outcome.mined.facts.name == "lib"
    with open_repository(path) as root:
        assert found(root) == {"lib.py", "test_lib.py"}
    assert not root.exists()
    with open_repository(tmp_path) as folder:
        assert folder == tmp_path


def test_a_zip_without_a_folder_is_named_like_itself(tmp_path: Path) -> None:
    path = tmp_path / "tool-2.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tool.py", "x = 1\n")
        made = zipfile.ZipInfo("link.py")
        made.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(made, "/etc/passwd")
    with open_repository(path) as root:
        assert root.name == "tool-2" and found(root) == {"tool.py"}


def test_nothing_leaves_the_folder(tmp_path: Path) -> None:
    extra = [
        link("lib-1.0/out.py", "/etc/passwd"), link("lib-1.0/up", "../../.."),
        link("lib-1.0/hard", "/etc/passwd", tarfile.LNKTYPE),
        link("lib-1.0/same.py", "./lib.py"), link("lib-1.0/again.py", "same.py"), link("lib-1.0/all", "."),
        link("lib-1.0/long.py", "n" * 300), link("lib-1.0/longer.py", "n/" * 4000),
        link("../evil5.py", "a/lib-1.0/lib.py"), link("lib-1.0/test_lib.py", "lib.py"),
        link("lib-1.0/device", "", tarfile.CHRTYPE), link("lib-1.0/pipe", "", tarfile.FIFOTYPE),
    ]  # fmt: skip
    harm = {"../evil.py": "x", "/abs.py": "x", "lib-1.0/../../evil2.py": "x", "lib-1.0/up/evil3.py": "x",
            "a\\..\\..\\evil4.py": "x", "lib-1.0/lib.py/inside.py": "x", f"lib-1.0/{'d/' * 90}deep.py": "x",
            f"lib-1.0/{'n' * 300}.py": "x", "lib-1.0/with\nline.py": "x"}  # fmt: skip
    path = tar(tmp_path / "a.tar.gz", FILES | harm, extra)
    with open_repository(path) as root:
        assert found(root) == {"lib.py", "test_lib.py", "same.py", "up/evil3.py"}
        assert [item.name for item in root.parent.rglob("*") if item.is_symlink()] == ["same.py"]
        files = repository_files(read_repository_tree(root), root)
        assert files["same.py"] == files["lib.py"], "tests may import a file under the name of its link"
        assert {item.name for item in root.parent.parent.iterdir()} == {"a"}
    assert not list(tmp_path.rglob("evil*"))


def test_bombs_and_damage_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.py", b"\0" * 3_000_000)
    monkeypatch.setattr(tree, "UNPACKED_LIMIT", 1024 * 1024)
    with pytest.raises(BadInputError, match="more than 1 MB"), open_repository(bomb):
        pass
    monkeypatch.setattr(tree, "MEMBERS_LIMIT", 1)
    with pytest.raises(BadInputError, match="more than 1 files"), open_repository(tar(tmp_path / "b.tgz", FILES)):
        pass
    monkeypatch.undo()
    torn = tmp_path / "torn.tar.gz"
    torn.write_bytes(tar(tmp_path / "c.tgz", FILES).read_bytes()[:-40])
    text = tmp_path / "notes.txt"
    text.write_text("hello")
    for path in (torn, text):
        (outcome,) = mine_repositories([path], MiningOptions(), Progress(), static_only=True)
        assert outcome.mined is None and outcome.problem.startswith(path.name)


def test_unpacking_stops_when_asked(tmp_path: Path) -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled), open_repository(tar(tmp_path / "a.tgz", FILES), progress):
        pass
