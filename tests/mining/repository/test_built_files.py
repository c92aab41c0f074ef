"""What a repository lacks until it is built comes from its published wheel, and from no other project's."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.base.errors import BadInputError
from annotator.mining.repository.confirmation import built_files as module
from annotator.mining.repository.confirmation.built_files import built_files, files_of_wheel, missing_modules
from annotator.mining.repository.confirmation.confirm import end_of_message
from annotator.mining.repository.discovery.modules import load_project
from annotator.mining.repository.discovery.repository_facts import own_version
from annotator.mining.repository.discovery.tree import read_repository_tree
from annotator.services import repository_snapshots
from tests.mining.repository.conftest import Write
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

CLOUD = SAMPLES["cloud"]


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    folder = tmp_path / "wheel"
    for name, data in SAMPLES["wheel"].items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(data)
    return folder


def test_modules_that_are_imported_and_not_there_are_found(write: Write) -> None:
    files = {
        **CLOUD,
        "src/cloud/colours.py": "VERSION = 1\n",
        "src/cloud/more.py": SAMPLES["modules_that_are_imported_and_not_there_are_found"],
        "src/cloud/nested/inner.py": "",
    }
    found = missing_modules(load_project(read_repository_tree(write(files))))
    # ``fast`` is a name that the package itself has, and a folder without __init__ is a package all the same.
    assert found == ["cloud.absolute", "cloud.deep.er", "cloud.fast", "cloud.lines", "cloud.unknown"]


def test_files_are_laid_beside_the_package_and_replace_nothing(write: Write, wheel: Path) -> None:
    files = files_of_wheel(wheel, read_repository_tree(write(CLOUD)))
    assert sorted(files) == [
        "src/cloud.libs/libm.so",
        "src/cloud/fast.py",
        "src/cloud/lines.cpython-311-x86_64-linux-gnu.so",
    ]
    assert files["src/cloud/fast.py"] == b"def count(): return 1"


def test_a_wheel_of_another_project_gives_nothing(write: Write, wheel: Path) -> None:
    assert (
        files_of_wheel(wheel, read_repository_tree(write({"sky/__init__.py": "", "sky/test_x.py": "assert 1\n"}))) == {}
    )


def test_the_version_asked_for_comes_before_that_written_out_and_the_day(
    write: Write, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(CLOUD)
    tree = read_repository_tree(root)
    project = load_project(tree)
    asked: list[tuple[str, str]] = []
    known = {"cloud==1.2", "cloud"}

    def wheel_folder(requirement: str, until: str, cache: Path) -> tuple[Path, str] | None:
        asked.append((requirement, until))
        return (wheel, "cloud==1.2") if requirement in known else None

    monkeypatch.setattr(module, "wheel_folder", wheel_folder)
    built = built_files(root, tree, project, tmp_path, version="", day="2024-05-06")
    assert asked == [("cloud==1.2", "")] and built.wheel == "cloud==1.2" and len(built.files) == 3
    assert built.note == "built files were taken from the wheel cloud==1.2"
    asked.clear()
    built_files(root, tree, project, tmp_path, version="1.3", day="2024-05-06")
    assert asked == [("cloud==1.3", ""), ("cloud", "2024-05-06")]
    known.clear()
    built = built_files(root, tree, project, tmp_path, version="", day="")
    assert not built.files and "cloud.fast, cloud.lines must be built, and no wheel of cloud 1.2" in built.note


def test_a_whole_repository_asks_for_nothing(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "wheel_folder", lambda *_: pytest.fail("it was asked for"))
    root = write({"lib.py": "def f(): return 1\n", "test_lib.py": "import lib\n"})
    tree = read_repository_tree(root)
    assert not built_files(root, tree, load_project(tree), tmp_path, version="1", day="").note


@pytest.mark.parametrize(("files", "version"), SAMPLES["versions_are_read_where_they_are_written_out"])
def test_versions_are_read_where_they_are_written_out(write: Write, files: dict[str, str], version: str) -> None:
    assert own_version(write({**files, "x.py": ""})) == version


def test_a_colleague_keeps_the_same_content_with_the_same_wheel(
    write: Write, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repository_snapshots, "data_dir", lambda: tmp_path / "data")
    monkeypatch.setattr(repository_snapshots, "wheel_folder", lambda *_: (wheel, "cloud==1.2"))
    root = write(CLOUD)
    digest = repository_snapshots.snapshot_digest(repository_snapshots.read_snapshot_files(root, wheel="cloud==1.2"))
    with pytest.raises(BadInputError, match="No item runs in"):
        repository_snapshots.take_snapshots([root], [(digest, 1)])
    assert repository_snapshots.take_snapshots([root], [(digest, 1)], wheels=["cloud==1.2"]) == (digest,)
    assert "src/cloud/fast.py" in repository_snapshots.load_snapshot(digest)


def test_the_cause_of_a_long_report_is_told() -> None:
    report = "x.py:3: in <module>\n    from .fast import count\nE   ModuleNotFoundError: No module named 'cloud.fast'"
    assert end_of_message(report) == "ModuleNotFoundError: No module named 'cloud.fast'"
    assert end_of_message("x.py:3: AssertionError: assert 1 == 2") == "x.py:3: AssertionError: assert 1 == 2"
