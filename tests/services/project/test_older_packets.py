"""Packets that an older version of the program wrote: what they hold comes in, as if the project itself had come."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import BadInputError
from annotator.formats.interchange import packet_files as packet_files
from annotator.services.consensus import disagreements
from annotator.services.project import packets, projects
from annotator.store.file import schema
from annotator.store.file.project_file import ProjectFile
from annotator.store.merge import row_union

GOLDEN = [
    path
    for path in sorted((Path(__file__).parents[2] / "store" / "sound").glob("*.gz"))
    if path.name != f"schema-{schema.SCHEMA_VERSION}.annotator.gz"
]


@pytest.fixture(params=GOLDEN, ids=lambda path: path.name.partition(".")[0])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a project file as an older version left it."""
    path = tmp_path / "old.annotator"
    path.write_bytes(gzip.decompress(request.param.read_bytes()))
    return path


def _packet(old: Path, **also: Any) -> packet_files.Packet:
    """Return what the older version would have written: its own tables with its own columns."""
    tables: dict[str, list[dict[str, Any]]] = {}
    with closing(sqlite3.connect(old)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        project, name = connection.execute("SELECT id, name FROM project").fetchone()
        for table in row_union.TABLES:
            present = {row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')}
            if not present:
                continue
            names = [name for name in row_union.exchanged_columns(table) if name in present]
            listed = ", ".join(f'"{name}"' for name in names)
            tables[table] = [
                dict(zip(names, row, strict=True)) for row in connection.execute(f'SELECT {listed} FROM "{table}"')
            ]
    if "origin" in tables:
        tables["origin"] = row_union.with_origins(tables["origin"], tables["subject"])
    return packet_files.Packet(
        **({"project_id": project, "project_name": name, "schema": version} | also), tables=tables
    )


def _rows(store: ProjectFile) -> dict[str, Any]:
    with store.read() as db:
        return row_union.read_all(db, run_data=True)


def test_an_older_packet_brings_what_the_project_itself_would_bring(old: Path, tmp_path: Path) -> None:
    path = tmp_path / "old.packet"
    packet = _packet(old)
    assert packet.tables["decision"] and packet.schema < schema.SCHEMA_VERSION
    packet_files.write_packet(path, packet)
    with closing(projects.open_project(old)) as same:
        before = disagreements.load_conflicts(same)
        report = packets.import_packet(same, path)
        assert (report.total, report.conflicts) == (0, 0) and report.known > 0
        assert disagreements.load_conflicts(same) == before
        wanted = _rows(same)
    with closing(projects.create_project(tmp_path / "new.annotator", "Other", "Zoe")) as fresh:
        packets.import_packet(fresh, path, unrelated=True)
        brought = _rows(fresh)
        for table, rows in wanted.items():
            key = row_union.identifying_columns(table)
            known = {tuple(row[name] for name in key): row for row in brought[table]}
            for row in rows:
                assert known[tuple(row[name] for name in key)] == row, table
        assert fresh.integrity() == ()


def test_a_packet_of_a_newer_version_is_refused_where_it_is_opened_too(old: Path, tmp_path: Path) -> None:
    path = tmp_path / "newer.packet"
    packet_files.write_packet(path, _packet(old, schema=schema.SCHEMA_VERSION + 1, for_id="x", for_name="Bo"))
    with pytest.raises(BadInputError, match="newer version"):
        packets.open_packet(path, tmp_path / "made.annotator")
    assert not (tmp_path / "made.annotator").exists()


def test_what_no_migration_gave_is_still_missed(old: Path, tmp_path: Path) -> None:
    packet = _packet(old)
    tables = json.loads(json.dumps(packet.tables))
    del tables["prompt"][0]["text"]
    path = tmp_path / "bad.packet"
    packet_files.write_packet(
        path, packet_files.Packet(project_id=packet.project_id, project_name="x", schema=packet.schema, tables=tables)
    )
    with (
        closing(projects.open_project(old)) as store,
        pytest.raises(BadInputError, match="has missing or unknown fields"),
    ):
        packets.import_packet(store, path)
