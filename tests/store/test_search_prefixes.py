"""The search index of files: which words it finds, whatever is typed, and how older files come to it."""

from __future__ import annotations

import contextlib
import gzip
import re
import sqlite3
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotator.model.rows.queue_rows import QueueFilter
from annotator.services.project import projects, undo
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file import schema
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue.first_page import search_expression

DIVIDING = "\u19b0"
"""A letter to Python, at which SQLite divides words."""
GOLDEN = Path(__file__).parent / "golden" / "schema-8.annotator.gz"


def _found(*texts: str, typed: str) -> list[int]:
    connection = sqlite3.connect(":memory:")
    connection.execute(schema.SEARCH_INDEX)
    connection.executemany(
        "INSERT INTO subject_search (rowid, title, key, prompt) VALUES (?, ?, '', '')", enumerate(texts, start=1)
    )
    query = "SELECT rowid FROM subject_search WHERE subject_search MATCH ? ORDER BY rowid"
    rows = [row for (row,) in connection.execute(query, (search_expression(typed),))]
    connection.close()
    return rows


@pytest.mark.parametrize("typed", ["s", "so", "sor", "sort", "sorte", "sorted", "SORTED", "sort li", "li s", "sörted"])
def test_every_word_typed_starts_some_word(typed: str) -> None:
    texts = ("sorted list", "a list", "list of sorted_things", "Sorted, in a line", "sort", "resort lines")
    wanted = [
        number
        for number, text in enumerate(texts, start=1)
        if all(
            any(word.startswith(part) for word in text.lower().replace(",", "").split())
            for part in typed.lower().replace("ö", "o").split()
        )
    ]
    assert _found(*texts, typed=typed) == wanted and wanted


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=12))
@example(f"a{DIVIDING}b")
@example(DIVIDING)
@example('"*" AND (')
def test_whatever_is_typed_is_a_search(typed: str) -> None:
    expression = search_expression(typed)
    if expression:
        assert _found("sorted list", typed=typed) in ([], [1])


def test_a_word_that_the_index_holds_in_parts_is_found_by_its_beginning() -> None:
    word = f"ab{DIVIDING}cd"
    assert _found(f"one {word}", "ab", "cd", typed=word) == [1, 2]


def test_an_older_file_is_searched_as_before(tmp_path: Path) -> None:
    path = tmp_path / "old.annotator"
    path.write_bytes(gzip.decompress(GOLDEN.read_bytes()))
    with contextlib.closing(sqlite3.connect(path)) as connection:
        (title, count) = connection.execute("SELECT max(title), count(*) FROM subject WHERE active = 1").fetchone()
    store = projects.open_project(path)
    word = re.findall(r"\w+", title)[0]
    found = {typed: _rows(store, typed) for typed in (word[:1], word[:3], word, title)}
    assert all(1 <= rows <= count for rows in found.values()), found
    assert "detail=none" in _index_of(store)
    store.close()


def test_what_was_taken_back_is_not_found(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        "".join(f'{{"id": "q{n}", "title": "sorted {n}", "prompt": "p", "licence": "x"}}\n' for n in range(3)),
        encoding="utf-8",
    )
    store = projects.create_project(tmp_path / "p.annotator", "New", "Ada")
    imports.import_paths(store, "jsonl", [rows])
    assert _rows(store, "so") == 3
    undo.undo_last_act(store)
    assert _rows(store, "so") == 0 == _rows(store, "")
    undo.redo_last_act(store)
    assert _rows(store, "s") == 3
    store.close()


def _index_of(store: ProjectFile) -> str:
    with store.reader() as connection:
        return str(connection.execute("SELECT sql FROM sqlite_master WHERE name = 'subject_search'").fetchone()[0])


def _rows(store: ProjectFile, typed: str) -> int:
    return len(triage.queue_rows(store, QueueFilter(text=typed)).rows)
