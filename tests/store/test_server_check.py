"""`check` of a project on a server finds triggers, functions and rows that somebody else changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from annotator.base.addresses import ServerAddress
from annotator.services.project import server_copy
from annotator.store.server.server_project import ServerProject
from tests.server import Server

FAULTS = {
    "CREATE FUNCTION annotator.empty() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN DELETE FROM annotator.decision; RETURN NULL; END $$; "
    "CREATE TRIGGER cleared AFTER INSERT ON annotator.decision EXECUTE FUNCTION annotator.empty()": (
        "the function empty is not Annotator's", "the trigger cleared on decision is not Annotator's",
    ),
    "CREATE OR REPLACE FUNCTION annotator.subject_count_added() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RETURN NULL; END $$": ("the function subject_count_added is missing or changed",),
    "ALTER TABLE annotator.subject DISABLE TRIGGER subject_count_added": (
        "the trigger subject_count_added on subject is missing or changed",
    ),
    "CREATE RULE quiet AS ON INSERT TO annotator.vote DO INSTEAD NOTHING": (
        "the rule quiet on vote is not Annotator's",
    ),
    "DROP INDEX annotator.ix_decision_created_at": ("the index ix_decision_created_at is missing",),
    "ALTER TABLE annotator.vote DROP COLUMN choice": ("the column choice of the table vote is missing",),
}  # fmt: skip
CHANGED = {
    "UPDATE annotator.criterion SET source = source || ' '": "its content does not match its hash",
    "UPDATE annotator.subjecttext SET reference = 'other'": "its content does not match its hash",
    "UPDATE annotator.decision SET verdict = 'maybe'": "verdict is 'maybe', which is not an allowed value",
    "DELETE FROM annotator.decision": "its verdict is not that of its newest work",
    "UPDATE annotator.subject_count SET subjects = subjects + 1": "counts are not those of the subjects",
    "UPDATE annotator.project SET settings = '[]'": "settings is not a JSON object",
}


@pytest.fixture
def address(database: ServerAddress, sample_file: Path) -> Iterator[ServerAddress]:
    server_copy.copy_project(sample_file, database)
    yield database


def _found(address: ServerAddress) -> tuple[str, ...]:
    with closing(ServerProject.reach(address, read_only=True, annotator="Mei")) as store:
        return store.integrity()


def test_a_sound_project_is_sound(address: ServerAddress) -> None:
    assert _found(address) == ()


@pytest.mark.parametrize("fault", FAULTS)
def test_foreign_code_is_found(fault: str, address: ServerAddress, postgres: Server) -> None:
    postgres.execute(address.database, fault)
    assert set(FAULTS[fault]) <= set(_found(address))


@pytest.mark.parametrize("change", CHANGED)
def test_changed_rows_are_found(change: str, address: ServerAddress, postgres: Server) -> None:
    postgres.execute(address.database, change)
    assert any(CHANGED[change] in line for line in _found(address))
