"""Trees and archives that mean harm are read as far as they go, and nothing of them runs."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from annotator.base.errors import BadInputError
from annotator.jobs.progress import Cancelled, Progress
from annotator.mining.repository.confirmation.confirm import repository_files
from annotator.mining.repository.discovery import tree
from annotator.mining.repository.discovery.modules import load_project
from annotator.mining.repository.discovery.repository_facts import read_facts
from annotator.mining.repository.discovery.tree import open_repository, read_repository_tree
from annotator.mining.repository.pipeline import MiningOptions, mine_folder
from annotator.services.sources.repository_mining import mine_repositories
from tests.samples import load_samples

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


# Reading a repository runs none of it: watched in a fresh interpreter by an audit hook that misses nothing.
SAMPLES = load_samples(__file__)
HARM = "import os\nopen({mark!r}, 'w').close()\nraise SystemExit('it was run')\n"
WATCHED = SAMPLES["watched"]


def test_nothing_of_it_is_executed_imported_or_started(write: Write, tmp_path: Path) -> None:
    mark = tmp_path / "it-was-run"
    harm = HARM.format(mark=str(mark))
    names = (
        "setup.py", "conftest.py", "sitecustomize.py", "usercustomize.py", "ast.py", "json.py", "packaging/__init__.py",
        "annotator/__init__.py", "tests/conftest.py", "noxfile.py", "build_backend.py", "lib/__init__.py",
    )  # fmt: skip
    root = write(
        dict.fromkeys(names, harm)
        | {
            "lib/good.py": "def f(x):\n    y = x\n    y += 1\n    return y\n",
            "tests/test_good.py": f"{harm}\nfrom lib.good import f\n\n\ndef test_f():\n    assert f(1) == 2\n",
            "pyproject.toml": '[build-system]\nrequires = ["x"]\nbuild-backend = "build_backend"\n'
            'backend-path = ["."]\n[project]\nname = "good"\nversion = "1"\n'
            'dependencies = ["six", "evil @ file:///tmp/evil.whl"]\n',
            "uv.toml": 'index-url = "http://127.0.0.1:1/simple"\n',
            "pip.conf": "[global]\nindex-url = http://127.0.0.1:1/simple\n",
            "requirements.txt": "-e .\n--index-url http://127.0.0.1:1\ngit+https://127.0.0.1/x\nattrs\n",
            "evil.pth": f"import os; open({str(mark)!r}, 'w')\n",
            "tests/__init__.py": "",
        }
    )
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, str(root)], cwd=root.parent, capture_output=True, text=True, check=False,
        timeout=120, env={"PYTHONPATH": str(Path(__file__).parents[3]), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["seen"] == {"exec": [], "import": [], "started": [], "written": [], "away": []}
    assert told["rows"] == ["f"]
    assert [item.partition(">")[0] for item in told["requirements"]] == ["attrs", "pytest", "six"]
    assert not mark.exists()


def test_the_watch_itself_sees_what_is_run(tmp_path: Path) -> None:
    (tmp_path / "harm.py").write_text("x = 1\n")
    source = WATCHED.replace(
        "mined, session = mine_folder(Path(root))",
        "sys.path.insert(0, root); import harm; raise SystemExit(json.dumps(seen))",
    )
    done = subprocess.run(
        [sys.executable, "-c", source, str(tmp_path)], capture_output=True, text=True, check=False, timeout=120,
        env={"PYTHONPATH": str(Path(__file__).parents[3]), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert str(tmp_path / "harm.py") in json.loads(done.stderr)["exec"]


def test_modules_and_classes_that_lead_in_circles_are_mined(write: Write) -> None:
    chain = {
        f"pkg/m{n}.py": f"from pkg.m{(n + 1) % 30} import *\nfrom pkg import m{(n + 7) % 30}\n\n\n"
        f"class C{n}(m{(n + 7) % 30}.C{(n + 7) % 30}):\n    pass\n\n\n"
        f"def f{n}(x):\n    y = f{(n + 1) % 30}(x) if x else 0\n    y += 1\n    return y\n"
        for n in range(30)
    }
    root = write(
        chain
        | {
            "pkg/__init__.py": "from pkg.m0 import *\nfrom pkg import *\nfrom . import m1\n",
            "test_pkg.py": "from pkg.m3 import C3, f3\n\n\ndef test_f():\n    assert f3(0) == 1\n    C3().run()\n",
        }
    )
    rows = {row.qualified_name: row for row in mine_folder(root)[0].rows}
    assert set(rows) == {"f3"}
    assert rows["f3"].dependencies.cross_file == ("pkg.m4.f4",)


@pytest.mark.parametrize("depth", [30, 200, 3000])
def test_code_that_is_nested_deep_ends(write: Write, depth: int) -> None:
    nested = "".join(f"{' ' * n}if x:\n" for n in range(min(depth, 90)))
    root = write(
        {
            "lib.py": "def f(x):\n    y = x\n    y += 1\n    return y\n",
            "calls.py": f"def g(x):\n    return {'g(' * depth}x{')' * depth}\n",
            "tower.py": f"{nested}{' ' * min(depth, 90)}y = 1\n",
            "attributes.py": f"x = a{'.b' * depth}\n",
            "test_lib.py": "import attributes, calls, tower\nfrom lib import f\n\n\n"
            "def test_f():\n    assert f(1) == 2\n",
        }
    )
    mined, _ = mine_folder(root)
    assert [row.qualified_name for row in mined.rows] == ["f"]
    assert {item.path for item in mined.skipped} <= {"calls.py", "attributes.py", "tower.py"}
    assert bool(mined.skipped) == (depth > 1000)


# Archives are mined like folders; what means harm in them stays outside or is refused with a sentence.
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
    monkeypatch.setattr(tree, "MAX_UNPACKED_BYTES", 1024 * 1024)
    with pytest.raises(BadInputError, match="more than 1 MB"), open_repository(bomb):
        pass
    monkeypatch.setattr(tree, "MAX_MEMBERS", 1)
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
