"""The first page of a filtered queue: the same rows by a walk as by sorting, and what the walk looks at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.model.rows.queue_rows import SORTS, QueueFilter
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import first_page
from tests.benchmarks import making

SUBJECTS = 1_200
FILTERS = (
    QueueFilter(languages=("python",)),
    QueueFilter(languages=("bash",)),
    QueueFilter(languages=("swift", "php"), areas=("back-end",)),
    QueueFilter(domains=("domain 3",), difficulties=("easy", "")),
    QueueFilter(languages=("cobol",)),
    QueueFilter(),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProjectFile]:
    """A made project."""
    path: Path = tmp_path_factory.mktemp("walks") / "made.annotator"
    found = ProjectFile.open(making.project(path, SUBJECTS))
    yield found
    found.close()


@pytest.mark.parametrize("sort", ["", *SORTS])
@pytest.mark.parametrize("walk", [0, 10**9])
def test_a_walk_and_a_sort_find_the_same_first_page(
    store: ProjectFile, sort: str, walk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_page, "_WALK_FACTOR", walk)
    monkeypatch.setattr(first_page, "_COVERED_WALK_FACTORS", {})
    with store.reader() as connection:
        for wanted in FILTERS:
            asked = QueueFilter(**{name: getattr(wanted, name) for name in wanted.__slots__} | {"sort": sort})
            whole = tuple(first_page.list_queue_rows(connection, asked))
            assert first_page.list_queue_rows(connection, asked, 64) == whole[:64]
            assert len(whole) == first_page.count_queue(connection, asked)


def test_many_are_walked_to_and_few_are_sorted(store: ProjectFile) -> None:
    with store.reader() as connection:
        assert first_page.should_walk_index(connection, QueueFilter(languages=("python",), sort="views"))
        assert not first_page.should_walk_index(connection, QueueFilter(languages=("cobol",), sort="views"))


@pytest.mark.parametrize("sort", ["views", "title"])
def test_a_walk_along_views_or_titles_looks_at_nothing_but_its_index(store: ProjectFile, sort: str) -> None:
    seen: list[str] = []
    with store.reader() as connection:
        connection.set_trace_callback(seen.append)
        first_page.list_queue_rows(
            connection, QueueFilter(languages=("python", "java"), tasks=("generation", "repair"), sort=sort), 64
        )
        connection.set_trace_callback(None)
        steps = [record[3] for record in connection.execute(f"EXPLAIN QUERY PLAN {seen[-1]}")]
    assert steps == [f"SCAN s USING COVERING INDEX ix_subject_{sort}"]
