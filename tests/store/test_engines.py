"""Statements are compiled once in a process."""

from __future__ import annotations

from pathlib import Path

from annotator.services.project import members, projects
from annotator.store.engines import compiled_statements


def test_another_project_takes_what_was_compiled_for_the_first(tmp_path: Path) -> None:
    compiled = compiled_statements()
    sizes = []
    for name in ("one", "two"):
        store = projects.create_project(tmp_path / f"{name}.annotator", name, "Ada")
        members.add_annotator(store, "Bo")
        assert [person.name for person in members.list_annotators(store)] == ["Ada", "Bo"]
        store.close()
        sizes.append(len(compiled))
    assert sizes[0] == sizes[1] > 0
