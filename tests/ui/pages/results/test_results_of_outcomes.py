"""DomainEval's published outcomes on the Results page: the printed numbers, and the subjects behind each cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt

from annotator.__main__ import main
from tests.windows import open_page, window_on

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

OUTCOMES = Path(__file__).parents[5] / "shared" / "data" / "domaineval-results" / "outcomes.jsonl.gz"
EXPECTED = {
    "gpt-3.5-turbo · outcomes pass@1": ((60, 1421, 31, 151, 33, 91), (107, 1705, 100, 256, 100, 186), "51.89"),
    "gpt-4o-mini · outcomes pass@1": ((74, 1540, 43, 180, 52, 111), (107, 1705, 100, 256, 100, 186), "64.08"),
    "std · outcomes pass@1": ((107, 1703, 100, 256, 100, 186), (107, 1705, 100, 256, 100, 186), "99.98"),
}
DOMAINS = ("Basic", "Computation", "Cryptography", "Network", "System", "Visualization")


@pytest.fixture
def page(qtbot: QtBot, tmp_path: Path) -> Iterator[Any]:
    if not OUTCOMES.is_file():
        pytest.skip("the published outcomes are not beside the project")
    path = tmp_path / "d.annotator"
    assert main(["new", str(path), "--name", "D", "--annotator", "Mei"]) == 0
    assert main(["import", "outcomes", str(OUTCOMES), "--project", str(path)]) == 0
    with window_on(qtbot, path) as window:
        results = open_page(window, "Results")
        qtbot.waitUntil(lambda: results.board.table.row_count() == 5)
        yield results


@pytest.mark.slow
def test_the_page_shows_the_published_numbers_and_each_cell_opens_its_subjects(page: Any, qtbot: QtBot) -> None:
    def wait(condition: Callable[[], bool]) -> None:
        qtbot.waitUntil(condition)

    page.bar.choose("domains")
    wait(lambda: page.board.current_table is not None and page.board.current_table.name == "domains")
    headers = page.board.current_table.headers
    model = page.board.table.model()
    shown = [model.headerData(at, Qt.Orientation.Horizontal) for at in range(model.columnCount())]
    for number, row in enumerate(page.board.rows()):
        cells = dict(zip(headers, row, strict=True))
        name = cells["model"].text
        if name not in EXPECTED:
            continue
        passes, sizes, mean = EXPECTED[name]
        assert [cells[f"{domain} passed"].text for domain in DOMAINS] == [
            f"{passed}/{size}" for passed, size in zip(passes, sizes, strict=True)
        ]
        assert cells["mean"].text == mean
        for domain, passed, size in zip(DOMAINS, passes, sizes, strict=True):
            index = model.index(number, shown.index(domain))
            assert model.data(index) == f"{100 * passed / size:.2f}"
            page.board.table.setCurrentIndex(index)
            run = cells["mean"].target or cells["model"].target
            wait(lambda domain=domain, run=run: _domains(page) == {domain} and page.items.row_count() > 0
                 and {item.run_id for item in _rows(page)} == {run.run_id})  # fmt: skip
            wait(lambda size=size: page.items.row_count() == size)
            rows = _rows(page)
            assert len(rows) == size and sum(item.outcome == "pass" for item in rows) == passed
            assert {item.run_id for item in rows} == {run.run_id}


def _rows(page: Any) -> list[Any]:
    return [page.items.payload_at(page.items.model().index(at, 0)) for at in range(page.items.row_count())]


def _domains(page: Any) -> set[str]:
    return {item.domain for item in _rows(page)}
