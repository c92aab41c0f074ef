"""What imports bring under names that the program reads: sets of libraries, places in repositories, or anything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotator.base.errors import BadInputError, KnownError
from annotator.mining.repository.confirmation.environment import Environment
from annotator.sandbox.libraries import library_set
from annotator.services import library_sets, repository_snapshots
from annotator.services.project import projects
from annotator.services.sources import imports
from annotator.services.sources.import_preview import preview_import
from annotator.store.file.project_file import ProjectFile
from tests.formats.releases import write_rows


def _import(store: ProjectFile, folder: Path, *extras: object) -> None:
    rows = [{"id": f"e{number}", "prompt": f"Do {number}.", "extra": extra} for number, extra in enumerate(extras)]
    imports.import_paths(store, "jsonl", [write_rows(folder / "extras.jsonl", rows)])


def test_sets_and_places_are_counted(store: ProjectFile, tmp_path: Path) -> None:
    wanted = library_set(["six==1.16.0"])
    place = {"digest": "a" * 64}
    needing = {"libraries": wanted.to_extra()}
    others = ({"note": "libraries"}, {"libraries": None}, {})
    _import(store, tmp_path, needing, {**needing, "repositoryplace": place}, *others)
    assert library_sets.project_library_sets(store) == ((wanted, 2),)
    assert repository_snapshots.count_items_by_repository(store) == (("a" * 64, 1),)


@pytest.mark.parametrize("told", ["numpy", 3, [1], "{", True])
def test_what_is_no_set_is_said(store: ProjectFile, tmp_path: Path, told: object) -> None:
    _import(store, tmp_path, {"libraries": told, "repositoryplace": told})
    assert repository_snapshots.count_items_by_repository(store) == ()
    with pytest.raises(BadInputError):
        library_sets.project_library_sets(store)


def test_names_of_modules_are_no_set(store: ProjectFile, tmp_path: Path) -> None:
    _import(store, tmp_path, {"libraries": ["pandas", "random"]})
    assert library_sets.project_library_sets(store) == ()


def _environment(folder: Path, *installed: str, missing: tuple[str, ...] = ()) -> Environment:
    for item in installed:
        name, _, version = item.partition("==")
        place = folder / f"{name}-{version}.dist-info"
        place.mkdir(parents=True)
        (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    return Environment(folder=folder, requirements=(), missing=missing)


def test_libraries_are_given_to_python_that_names_none(
    store: ProjectFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def made(lines: list[str], _cache: Path) -> Environment:
        asked.extend(lines)
        return _environment(tmp_path / "made", "rsa==4.9", "pyasn1==0.6.1")

    monkeypatch.setattr(library_sets, "make_environment", made)
    listed = tmp_path / "requirements.txt"
    # As editors on Windows write it, with a byte order mark.
    listed.write_text("# what rsa needs\n\npyasn1>=0.1.3\n", "utf-8-sig")
    own = library_set(["six==1.16.0"])
    path = tmp_path / "rows.jsonl"
    rows = [{"id": "a", "language": "python"}, {"id": "b", "language": "java"},
            {"id": "c", "language": "python", "extra": {"libraries": own.to_extra()}}]  # fmt: skip
    path.write_text("".join(json.dumps({"prompt": "Do it.", **row}) + "\n" for row in rows))
    imports.import_paths(store, "jsonl", [path], libraries=["rsa==4.9", str(listed)])
    assert asked == ["rsa==4.9", "pyasn1>=0.1.3"]
    assert dict(library_sets.project_library_sets(store)) == {
        library_set(["rsa==4.9", "pyasn1==0.6.1"]): 1, own: 1,
    }  # fmt: skip


@pytest.mark.parametrize("named", ["../somewhere", "rsa @ file:///etc", "--index-url=x", "rsa==4.9 ; os_name == 'nt'"])
def test_what_is_no_library_changes_nothing(store: ProjectFile, tmp_path: Path, named: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "a", "prompt": "Do it.", "language": "python"}\n')
    before = projects.stage_counts(store)
    with pytest.raises(BadInputError):
        imports.import_paths(store, "jsonl", [path], libraries=[named])
    assert projects.stage_counts(store) == before


def test_a_library_without_a_wheel_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = _environment(tmp_path / "made", missing=("rsa==99",))
    monkeypatch.setattr(library_sets, "make_environment", lambda *_: found)
    with pytest.raises(BadInputError, match=r"No wheel for Python 3\.11 .*was found for rsa==99"):
        library_sets.resolve_library_set(["rsa==99"])


def test_a_misspelt_column_is_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"promt": "What is a set?", "refrence": "no order"}\n')
    with pytest.raises(BadInputError, match="Is promt the prompt"):
        preview_import(path)
    shown = preview_import(path, "", {"prompt": "promtt"})
    assert "Did you mean promt?" in str(shown.warnings[0])


def test_a_misspelt_field_is_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"question": "What is a set?"}\n')
    with pytest.raises(KnownError, match=r"no field promt\. Did you mean prompt"):
        preview_import(path, "", {"promt": "question"})
