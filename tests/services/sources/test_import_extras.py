"""What imports bring under names that the program reads: sets of libraries, places in repositories, or anything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotator.base.errors import BadInputError
from annotator.sandbox.libraries import library_set
from annotator.services import library_sets, repository_snapshots
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile


def _import(store: ProjectFile, folder: Path, *extras: object) -> None:
    path = folder / "extras.jsonl"
    rows = [{"id": f"e{number}", "prompt": f"Do {number}.", "extra": extra} for number, extra in enumerate(extras)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    imports.import_paths(store, "jsonl", [path])


def test_sets_and_places_are_counted(store: ProjectFile, tmp_path: Path) -> None:
    wanted = library_set(["six==1.16.0"])
    place = {"digest": "a" * 64}
    needing = {"libraries": wanted.to_extra()}
    others = ({"note": "libraries"}, {"libraries": None}, {})
    _import(store, tmp_path, needing, {**needing, "repositoryplace": place}, *others)
    assert library_sets.of_project(store) == ((wanted, 2),)
    assert repository_snapshots.of_project(store) == (("a" * 64, 1),)


@pytest.mark.parametrize("told", ["numpy", 3, [1], "{", True])
def test_what_is_no_set_is_said(store: ProjectFile, tmp_path: Path, told: object) -> None:
    _import(store, tmp_path, {"libraries": told, "repositoryplace": told})
    assert repository_snapshots.of_project(store) == ()
    with pytest.raises(BadInputError):
        library_sets.of_project(store)
