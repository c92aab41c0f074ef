"""Trees that mean harm or are broken are read as far as they go, and each thing left out has a reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from annotator.base.errors import BadInputError
from annotator.mining.repository.discovery.modules import load_project
from annotator.mining.repository.discovery.repository_facts import read_facts
from annotator.mining.repository.discovery.tree import read_repository_tree
from annotator.mining.repository.pipeline import mine_folder

from .conftest import Write

GOOD = {"lib.py": "def f(x):\n    y = x\n    y += 1\n    return y\n",
        "test_lib.py": "from lib import f\ndef test_f():\n    assert f(1) == 2\n"}  # fmt: skip


def reasons(root: Path) -> dict[str, str]:
    return {item.path: item.reason for item in load_project(read_repository_tree(root)).skipped}


def test_what_is_left_out_says_why(write: Write, tmp_path: Path) -> None:
    root = write(GOOD)
    secret = tmp_path / "secret.py"
    secret.write_text("def stolen(): return 1\n")
    (root / "out.py").symlink_to(secret)
    (root / "away").symlink_to(tmp_path)
    (root / "inside.py").symlink_to(root / "lib.py")
    (root / "loop").symlink_to(root / "loop")
    os.mkfifo(root / "pipe.py")
    (root / "big.py").write_bytes(b"x = 1\n" * 9_000_000)
    (root / "bytes.py").write_bytes(b"x = '\xff\xfe'\n")
    (root / "cookie.py").write_bytes(b"# -*- coding: rot13 -*-\nk = 1\n")
    (root / "null.py").write_bytes(b"x = 1\x00\n")
    (root / "broken.py").write_text("def (:\n")
    (root / "deep.py").write_text("x = " + "(" * 300 + ")" * 300 + "\n")
    (root / "chain.py").write_text("x = " + "-" * 5000 + "1\n")
    (root / "sum.py").write_text("x = " + "+".join(["1"] * 2000) + "\n")
    (root / "latin.py").write_bytes("# coding: latin-1\nx = 'é'\n".encode("latin-1"))
    found = reasons(root)
    assert found["out.py"] == "a symbolic link out of the tree"
    assert found["away"] == "a symbolic link out of the tree"
    assert found["inside.py"] == "a symbolic link to another place of the tree"
    assert found["loop"].startswith("a symbolic link")
    assert found["pipe.py"] == "not a regular file"
    assert "51.5 MB" in found["big.py"]
    assert "encoding" in found["bytes.py"]
    assert "encoding" in found["cookie.py"]
    assert "null" in found["null.py"]
    assert found["broken.py"].startswith("it does not parse: line 1")
    assert {"deep.py", "chain.py", "sum.py"} <= set(found)
    assert "latin.py" not in found
    mined, _ = mine_folder(root)
    assert [row.key for row in mined.rows] == [("lib.py", "f")]
    assert "stolen" not in str(mined)


def test_deep_folders_and_virtual_environments(write: Write) -> None:
    root = write({**GOOD, "env/pyvenv.cfg": "", "env/lib/m.py": "x = 1", ".hidden/m.py": "x = 1"})
    place = root
    for _ in range(60):
        place = place / "d"
        place.mkdir()
    (place / "m.py").write_text("x = 1\n")
    tree = read_repository_tree(root)
    assert [file.path for file in tree.files] == ["lib.py", "test_lib.py"]
    assert any("nested deeper" in item.reason for item in tree.skipped)


def test_a_file_named_like_a_module_of_ours_is_only_read(write: Write) -> None:
    harm = "import os\nraise SystemExit('it was run')\n"
    root = write({**GOOD, "ast.py": harm, "annotator/__init__.py": harm, "conftest.py": harm, "setup.py": harm})
    assert len(mine_folder(root)[0].rows) == 1


def test_settings_of_a_repository_run_nothing(write: Write, tmp_path: Path) -> None:
    subprocess = pytest.importorskip("subprocess")
    root = write(GOOD)
    mark = tmp_path / "ran"

    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    for name in ("core.fsmonitor", "core.pager", "core.sshCommand", "gpg.program", "diff.external", "core.editor"):
        git("config", name, f"touch {mark}")
    git("config", "log.showSignature", "true")
    facts = read_facts(root)
    assert len(facts.revision) == 40
    assert facts.first_commit[:2] == facts.last_commit[:2] == "20"
    assert not mark.exists()


def test_a_broken_git_folder_is_no_revision(write: Write) -> None:
    root = write({**GOOD, ".git/HEAD": "ref: refs/heads/../../../../etc/passwd\n", ".git/config": "[broken\n"})
    facts = read_facts(root)
    assert (facts.revision, facts.first_commit) == ("", "")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="There is no folder gone"):
        mine_folder(tmp_path / "gone")
