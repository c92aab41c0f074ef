"""Contents of repositories: named by what is in them, kept once, and refused where they are not the same."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.services import repository_snapshots as kept

FILES = {"lib.py": b"def f():\n    return 1\n", "data/a.bin": b"\x00\xff"}


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(kept, "data_dir", lambda: tmp_path / "data")
    return tmp_path / "data"


def test_what_is_kept_comes_back(data: Path) -> None:
    digest = kept.save_snapshot(FILES)
    assert kept.load_snapshot(digest) == FILES and kept.save_snapshot(dict(reversed(FILES.items()))) == digest
    assert [path.name for path in (data / "repositories").iterdir()] == [f"{digest}.tar.xz"]
    rows = kept.snapshot_status([(digest, 2), ("0" * 24, 1), ("../../etc/passwd", 1)])
    assert [row.ready for row in rows] == [True, False, False]


@given(
    st.dictionaries(st.from_regex(r"[a-z]{1,6}(/[a-z]{1,6})?\.py", fullmatch=True), st.binary(max_size=20), max_size=4)
)
def test_a_content_is_named_by_all_of_it(files: dict[str, bytes]) -> None:
    digest = kept.snapshot_digest(files)
    assert digest != kept.snapshot_digest({**files, "another.txt": b""})
    for name in files:
        assert digest != kept.snapshot_digest({**files, name: files[name] + b"#"})


@pytest.mark.parametrize("digest", ["", "0" * 24, "../../../etc/passwd", "A" * 24, "0" * 23])
def test_what_is_not_kept_says_how_to_get_it(digest: str) -> None:
    with pytest.raises(MissingEnvironmentError, match="annotator sandbox repositories"):
        kept.load_snapshot(digest)


@pytest.mark.parametrize("harm", ["torn", "empty", "no archive", "another content", "a link", "out of the folder"])
def test_damaged_contents_are_not_used(data: Path, harm: str) -> None:
    digest = kept.save_snapshot(FILES)
    path = data / "repositories" / f"{digest}.tar.xz"
    whole = path.read_bytes()
    if harm in ("a link", "out of the folder"):
        with tarfile.open(path, "w:xz") as archive:
            member = tarfile.TarInfo("lib.py" if harm == "a link" else "../lib.py")
            if harm == "a link":
                member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(member)
    else:
        another = data / "repositories" / f"{kept.save_snapshot({'a': b''})}.tar.xz"
        changed = {"torn": whole[: len(whole) // 2], "empty": b"", "no archive": b"x" * 100}
        path.write_bytes(changed[harm] if harm in changed else another.read_bytes())
    with pytest.raises(MissingEnvironmentError, match="damaged"):
        kept.load_snapshot(digest)


def test_only_the_same_version_is_taken(tmp_path: Path) -> None:
    root = tmp_path / "rsa"
    root.mkdir()
    (root / "lib.py").write_text("x = 1\n")
    (root / "PKG-INFO").write_text("Name: rsa\nVersion: 4.9\n")
    digest = kept.snapshot_digest(kept.read_snapshot_files(root))
    assert "rsa-4.9.dist-info/METADATA" in kept.read_snapshot_files(root)
    with pytest.raises(BadInputError, match="No item runs in this version of rsa"):
        kept.take_snapshots([root], [("0" * 24, 1)])
    assert not kept.snapshots_folder().exists()
    assert kept.take_snapshots([root], [(digest, 1)]) == (digest,)
    packed = tmp_path / "rsa-4.9.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(root, "rsa-4.9")
    assert kept.take_snapshots([packed], [(digest, 1)]) == (digest,)
    (root / "lib.py").write_text("x = 2\n")
    with pytest.raises(BadInputError, match="version that was mined"):
        kept.take_snapshots([root], [(digest, 1)])
    with pytest.raises(BadInputError):
        kept.take_snapshots([tmp_path / "gone"], [(digest, 1)])


def test_nothing_from_outside_the_tree_is_kept(tmp_path: Path) -> None:
    root = tmp_path / "harm"
    root.mkdir()
    (root / "lib.py").write_text("x = 1\n")
    (tmp_path / "secret.txt").write_text("secret")
    (root / "data.txt").symlink_to(tmp_path / "secret.txt")
    (root / "code.py").symlink_to(tmp_path / "secret.txt")
    (root / "above").symlink_to(tmp_path)
    (root / "bytes.py").write_bytes(b"x = '\xff'\n")
    (root / "large.bin").write_bytes(b"0" * (9 * 1024 * 1024))
    os.mkfifo(root / "pipe")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("[core]\n")
    (root / "PKG-INFO").write_text("Name: ../../harm\nVersion: 1\n")
    assert set(kept.read_snapshot_files(root)) == {"lib.py", "PKG-INFO"}
