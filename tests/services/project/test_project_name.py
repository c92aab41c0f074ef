"""A project gets another name: shown at once, told in the history, and releases say what they said before."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError
from annotator.services.project import members, projects, time_machine
from annotator.services.project import undo as history
from annotator.services.release import exports, versions
from annotator.store.file.project_file import ProjectFile
from tests.template_projects import project_of_rows


@pytest.fixture
def project(tmp_path: Path) -> Path:
    criterion = "grading:\n  keywords: [add]\n"
    row = {"id": "one", "prompt": "Add two numbers.", "reference": "add", "language": "python", "criterion": criterion}
    project_of_rows(tmp_path / "p.annotator", [row]).close()
    return tmp_path / "p.annotator"


def read_files(store: ProjectFile, version: str, folder: Path) -> dict[str, bytes]:
    exports.export_release(store, version, "annotator", folder)
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_release_is_written_the_same_after_a_new_name(project: Path, tmp_path: Path) -> None:
    store = projects.open_project(project)
    versions.create_release(store, "0.1", override_reason="a test")
    before = read_files(store, "0.1", tmp_path / "before")
    assert b'"Demo"' in before["manifest.json"]
    for name in ("Second", "  Third "):
        members.rename_project(store, name)
    assert read_files(store, "0.1", tmp_path / "after") == before
    versions.create_release(store, "0.2", override_reason="a test")
    assert b'"Third"' in read_files(store, "0.2", tmp_path / "new")["manifest.json"]
    store.close()


def test_other_windows_and_the_history_know(project: Path) -> None:
    store, other = projects.open_project(project), projects.open_project(project)
    past = time_machine.parse_moment(store, history.load_acts(store).rows[0].id, before=False)
    changes = members.rename_project(store, "Second")
    assert (store.project_name, members.read_project_name(other), other.project_name) == ("Second",) * 3
    assert "project" in changes.nouns
    newest = history.load_acts(store).rows[0]
    assert (newest.label, newest.state) == ("Rename the project from Demo to Second", "event")
    assert history.undo_label(store) and "Rename" not in str(history.undo_label(store))
    assert not members.rename_project(store, "Second").nouns, "it is called that already"
    with time_machine.visit_moment(store, past) as earlier:
        assert members.read_project_name(earlier).endswith("as it was")
    with pytest.raises(BadInputError, match="needs a name"):
        members.rename_project(store, "  ")
    store.close()
    other.close()


def test_by_command(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["project", "rename", str(project), "Questions about lists"]) == 0
    assert capsys.readouterr().out == "The project is now called Questions about lists.\n"
    assert main(["status", str(project)]) == 0
    assert capsys.readouterr().out.startswith("Questions about lists, as Ada")
    assert main(["project", "rename", str(project), ""]) == 3
    assert main(["project", "rename", str(project)]) == 2
