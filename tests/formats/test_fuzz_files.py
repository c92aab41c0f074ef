"""Published tables and packets under hostile content: taken in whole or refused with a sentence, nothing between."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.base.errors import KnownError
from annotator.formats.interchange import packet_files as packet_files
from annotator.formats.read import published_table_files
from annotator.services.project import packets, projects
from annotator.store.file.project_file import ProjectFile
from annotator.store.merge import row_union
from tests.formats.test_fuzz import MANY, QUIET, hostile_file, mutated, new_folder
from tests.formats.test_fuzz import hostile_bytes as bent_bytes

GOLDEN = Path(__file__).parents[1] / "store" / "sound" / "schema-8.annotator.gz"
TABLE = {
    "name": "t", "columns": ["a", "b", "mean"], "rows": {"m": [1.0, 2.0, 1.5], "n": [None, 3.0, 3.0]}, "score": "a",
    "groups": ["a", "b"], "mean_of": {"mean": ["a", "b"]}, "sizes": {"a": 3}, "weighted": {"mean": {"a": 0.5}},
    "rising": [["a", "b"]], "average": "n", "dsi": {"a": [0.5]}, "kinds": {"m": "open"},
}  # fmt: skip
COLLECTION = {
    "domaineval": {"table": {}}, "evocodebench": {"x": 1}, "coco": {"rows": []}, "realistic": {},
    "infi": {"a": {"b": 2}},
}  # fmt: skip


def _fuzz_published(data: bytes) -> None:
    with new_folder() as folder:
        path = folder / "tables.json"
        path.write_bytes(data)
        try:
            found = published_table_files.read_published(path)
        except KnownError as error:
            assert error.message
        else:
            assert found and all(table.name and table.models() is not None for table in found)


@settings(max_examples=MANY, suppress_health_check=QUIET, deadline=5000, database=None)
@given(data=hostile_file([TABLE, COLLECTION]))
def test_any_tables_are_read_or_refused(data: bytes) -> None:
    _fuzz_published(data)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """Rows of every kind as a packet carries them."""
    path = tmp_path_factory.mktemp("rows") / "p.annotator"
    path.write_bytes(gzip.decompress(GOLDEN.read_bytes()))
    with closing(ProjectFile.open(path)) as store, store.read() as db:
        return row_union.read_all(db, run_data=True)


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProjectFile]:
    store = projects.create_project(tmp_path_factory.mktemp("target") / "p.annotator", "Demo", "Ada")
    yield store
    assert projects.check_integrity(store) == ()
    store.close()


def _counts(store: ProjectFile) -> dict[str, int]:
    with store.reader() as connection:
        names = [*row_union.TABLES, "conflict"]
        return {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}


def _merge(store: ProjectFile, path: Path) -> None:
    """Merge a file; refused, it leaves every table as it was, taken in, it is known whole the next time."""
    before = _counts(store)
    try:
        report = packets.import_packet(store, path, unrelated=True)
    except KnownError as error:
        assert error.message and _counts(store) == before
        return
    after = _counts(store)
    assert sum(after.values()) - sum(before.values()) >= report.total
    again = packets.import_packet(store, path, unrelated=True)
    assert again.total == 0 and _counts(store) == after
    with store.reader() as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def _fuzz_packet(data: st.DataObject, tables: dict[str, list[dict[str, Any]]], target: ProjectFile) -> None:
    chosen: dict[str, list[Any]] = json.loads(json.dumps(tables))
    for name in data.draw(st.lists(st.sampled_from(sorted(chosen)), max_size=3)):
        if data.draw(st.booleans()):
            chosen[name] = data.draw(st.sampled_from([[], chosen[name][:1], chosen[name] * 2]))
        elif chosen[name]:
            chosen[name][-1] = mutated(data.draw, chosen[name][-1])
    lines = [
        {"format": packet_files.FORMAT, "version": packet_files.VERSION, "project": {"id": "p", "name": "n"},
         "for": {"id": "", "name": ""}, "schema": 8, "made_at": "", "rows": sum(map(len, chosen.values()))},
        *([name, row] for name, rows in chosen.items() for row in rows),
    ]  # fmt: skip
    text = "\n".join(json.dumps(line) for line in lines) + "\n"
    content = gzip.compress(text.encode(), 1)
    if data.draw(st.integers(0, 5)) == 0:
        content = data.draw(bent_bytes(content))
    with new_folder() as folder:
        (folder / "p.packet").write_bytes(content)
        _merge(target, folder / "p.packet")


@settings(max_examples=MANY, suppress_health_check=QUIET, deadline=None, database=None)
@given(data=st.data())
def test_any_packet_is_merged_or_refused(
    tables: dict[str, list[dict[str, Any]]], target: ProjectFile, data: st.DataObject
) -> None:
    _fuzz_packet(data, tables, target)
