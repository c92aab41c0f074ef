"""Two copies with random work of every kind: every row is in the merged file, and what differs is shown, in any order.

What people do with the services is in `tests/services/project/test_conflicts.py`, locks among it.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlalchemy import insert, select

from annotator.base.clock import now_text
from annotator.base.ids import new_id
from annotator.model.tables.table_columns import WORDS
from annotator.store.core_tables import find_table
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.judging import stored_consensus
from annotator.store.merge import row_union
from annotator.store.merge.contradictions import TOPICS
from annotator.store.soundness import hashes
from tests.store.make_golden import FOLDER, identifier

ACCUMULATING = {"source", "subject", "seal", "study", "unblinding", "comment"}
"""Undoable work that only adds up: two rows of it never speak of one topic."""
KINDS = sorted(set(TOPICS) - {"lock"})


class Act(NamedTuple):
    """Work in a copy, on the topic of the first or second row of its kind; two values, so that copies often agree."""

    copy: int
    kind: str
    number: int
    value: int


ACTS = st.builds(Act, st.integers(0, 1), st.sampled_from(KINDS), st.integers(0, 1), st.integers(0, 1))


def test_every_kind_of_work_has_a_matter_or_adds_up() -> None:
    assert set(undo_log.UNDOABLE) == set(TOPICS) | ACCUMULATING and len(TOPICS) == 23
    assert set(undo_log.UNDOABLE) <= set(row_union.TABLES)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with two rows of every kind."""
    path = tmp_path_factory.mktemp("base") / "base.annotator"
    path.write_bytes(gzip.decompress((FOLDER / "schema-20.annotator.gz").read_bytes()))
    ProjectFile.open(path).close()
    return path


def _other_value(table: str, column: str, old: Any, value: int) -> Any:
    """Return one of two values of a column that the project does not hold yet, if it is free to choose."""
    words = list(find_table(table).c[column].info.get(WORDS, ()))
    if table == "decision":
        words = ["skip", "flag"]
    if words:
        return sorted(words, key=str)[value]
    if isinstance(old, bool) or not isinstance(old, str):
        return [value] if isinstance(old, list) else {"value": value} if isinstance(old, dict) else bool(value)
    return f"{table} {column} {value}"


def _other_hashed_content(act: Act, row: dict[str, Any]) -> dict[str, Any]:
    """Return other content for a row with a hash of its content, and that hash."""
    if act.kind not in hashes.HASHED_COLUMNS:
        return {}
    covered, compute = hashes.HASHED_COLUMNS[act.kind]
    content = {covered[-1]: _other_value(act.kind, covered[-1], row[covered[-1]], act.value)}
    stored = [value if isinstance(value, str) else json.dumps(value) for value in map((row | content).get, covered)]
    return {**content, "content_hash": compute(*stored)}


def _do(store: ProjectFile, act: Act) -> tuple[tuple[Any, ...], tuple[str, tuple[Any, ...]]]:
    """Add a row; returns its topic, and its id with its content."""
    table, topic = find_table(act.kind), TOPICS[act.kind]
    with store.write() as db:
        old = identifier(act.kind, act.number + 1)
        row = dict(db.connection().execute(select(table).where(table.c.id == old)).mappings().one())
        change = undo_log.record_change(db, row["annotator_id"], "Work", [act.kind])
        people = sorted(db.connection().execute(select(find_table("annotator").c.id)).scalars())
        row |= {
            name: people[act.value] if name == "person_id" else _other_value(act.kind, name, row[name], act.value)
            for name in topic.content
        }
        row |= {"id": new_id(), "change_id": change.id, "created_at": now_text(), "active": True}
        row |= {"replaces": old} if act.kind == "bug" else {}
        row |= _other_hashed_content(act, row)
        db.connection().execute(insert(table).values({name: value for name, value in row.items() if name in table.c}))
    about = (act.kind, *(row[name] for name in topic.about))
    return about, (row["id"], tuple(str(row[name]) for name in topic.content))


def _merge(into: Path, other: Path) -> Iterator[frozenset[str]]:
    """Merge a file into a copy, twice; yields the ids of the sides of each conflict."""
    path = into.with_suffix(f".{other.stem}.annotator")
    shutil.copy(into, path)
    with closing(ProjectFile.open(path)) as store, closing(ProjectFile.open(other, read_only=True)) as source:
        with source.read() as db:
            rows = row_union.read_all(db, run_data=True)
        for _ in range(2):
            with store.write() as db:
                row_union.merge_rows(db, rows)
        with store.read() as db:
            for name in KINDS:
                present = {row["id"] for row in row_union.read_table(db, name)}
                assert {row["id"] for row in rows.get(name, ())} <= present
            for row in stored_consensus.fetch_conflicts(db):
                if row.table in TOPICS:
                    yield frozenset(str(side["id"]) for side in (row.ours, row.theirs))
    path.unlink()


@settings(
    max_examples=max(6, settings().max_examples // 15),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(acts=st.lists(ACTS, min_size=20, max_size=60))
def test_random_work_of_every_kind_is_kept_and_what_differs_is_shown(
    base: Path, tmp_path_factory: pytest.TempPathFactory, acts: list[Act]
) -> None:
    folder = tmp_path_factory.mktemp("kinds")
    last: list[dict[tuple[Any, ...], tuple[str, tuple[Any, ...]]]] = [{}, {}]
    files = [folder / f"{number}.annotator" for number in range(2)]
    # Each kind at least once with two values, whatever is drawn.
    every = [Act(copy, kind, 0, copy) for kind in KINDS for copy in range(2)]
    for number, path in enumerate(files):
        shutil.copy(base, path)
        with closing(ProjectFile.open(path)) as store:
            for act in (*acts, *every):
                if act.copy == number:
                    about, side = _do(store, act)
                    last[number][about] = side
    expected = {
        frozenset((last[0][about][0], last[1][about][0]))
        for about in last[0].keys() & last[1].keys()
        if last[0][about][1] != last[1][about][1]
    }
    assert len(expected) >= len(KINDS)
    assert set(_merge(*files)) == set(_merge(*reversed(files))) == expected
    shutil.rmtree(folder)
