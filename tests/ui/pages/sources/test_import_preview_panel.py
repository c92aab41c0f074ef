"""Files are shown before they are imported: their format, first items, and what would be left out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from annotator.ui.app.main_window import MainWindow

Wait = Callable[[Callable[[], bool]], None]
ROW = {
    "task_id": "HumanEval/900",
    "prompt": 'from typing import List\n\n\ndef add_one(n):\n    """Add one. Always."""\n',
    "canonical_solution": "    return n + 1\n",
    "test": "def check(candidate):\n    assert candidate(1) == 2\n",
    "entry_point": "add_one",
}


def _page(window: MainWindow) -> Any:
    window.show_page("Sources")
    return window.pages.page("Sources")


def _file(tmp_path: Path, name: str, row: dict[str, Any]) -> Path:
    path = tmp_path / name
    path.write_text(json.dumps(row) + "\n", "utf-8")
    return path


def test_the_format_is_recognised_and_nothing_is_imported_before_it_is_said(
    window: MainWindow, wait: Wait, tmp_path: Path
) -> None:
    page = _page(window)
    wait(lambda: page.table.row_count() > 0)
    before = page.table.row_count()
    page.preview_paths([_file(tmp_path, "rows.jsonl", ROW)])
    wait(lambda: page.preview.isVisible())
    assert page.format.currentData() == "humaneval"
    assert "HumanEval" in page.preview.heading.text()
    assert page.preview.items.row_count() == 1 and page.preview.items.model().index(0, 0).data() == "add_one: Add one."
    assert page.preview.warning.isHidden() and page.table.row_count() == before
    page.preview.take.click()
    wait(lambda: page.table.row_count() == before + 1)
    assert page.preview.isHidden()


def test_another_format_says_what_it_leaves_out(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = _page(window)
    page.preview_paths([_file(tmp_path, "rows.jsonl", ROW)])
    wait(lambda: page.preview.isVisible())
    page.format.setCurrentIndex(page.format.findData("jsonl"))
    wait(lambda: not page.preview.warning.isHidden())
    assert "This looks like humaneval" in page.preview.warning.text()
    assert "canonical_solution" in page.preview.left_out.text()
    page.preview.leave.click()
    assert page.preview.isHidden()


def test_answers_are_not_taken_for_candidates(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = _page(window)
    page.preview_paths([_file(tmp_path, "rows.jsonl", {"task_id": "a", "completion": "x"})])
    wait(lambda: page.preview.isVisible())
    assert not page.preview.take.isEnabled() and "answers of models" in page.preview.warning.text()
    assert "Recorded… on the page Runs" in page.preview.warning.text()


def test_what_cannot_be_read_is_said(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = _page(window)
    page.preview_paths([_file(tmp_path, "rows.jsonl", {"a": 1})])
    wait(lambda: "no format that is known here" in page.report.text())
    assert page.preview.isHidden()


def test_a_careless_file_fills_in_its_columns_and_leads_on(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = _page(window)
    careless = {"question": "Which command shows who changed a line last?", "answer": "git blame FILE"}
    page.preview_paths([_file(tmp_path, "careless.jsonl", careless)])
    wait(lambda: page.preview.isVisible())
    assert page.mapping.text() == "prompt=question reference=answer" and page.preview.left_out.isHidden()
    places: list[object] = []
    page.go_to.connect(places.append)
    page.preview.take.click()
    wait(lambda: page.onwards.isVisible())
    page.onwards.click()
    assert [str(getattr(place, "page", "")) for place in places] == ["Select"]
    page.preview_paths([_file(tmp_path, "rows.jsonl", ROW)])
    assert not page.mapping.text(), "what one file calls its columns says nothing about another"
    wait(lambda: not page.preview.isHidden())
    assert page.format.currentData() == "humaneval"


def test_columns_that_were_typed_count_for_a_file_in_no_known_format(
    window: MainWindow, wait: Wait, tmp_path: Path
) -> None:
    page = _page(window)
    page.mapping.setText("prompt=ask")
    page.preview_paths([_file(tmp_path, "own.jsonl", {"ask": "What is a monad?"})])
    wait(lambda: page.preview.isVisible())
    assert page.preview.items.model().index(0, 0).data() == "What is a monad?"


def test_a_misspelt_column_is_named_with_the_field_that_is_meant(
    window: MainWindow, wait: Wait, tmp_path: Path
) -> None:
    page = _page(window)
    path = tmp_path / "slips.jsonl"
    rows: list[dict[str, str]] = [{"id": "a", "promt": "Write a."}]
    rows += [{"id": f"b{number}", "prompt": "Write b.", "entrypoint": "b"} for number in range(9)]
    path.write_text("\ufeff" + "".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    page.preview_paths([path])
    wait(lambda: page.preview.isVisible())
    assert page.preview.left_out.text() == "Columns left out: promt (prompt?), entrypoint (entry_point?)."
    assert "map it: prompt=promt" in page.preview.warning.text() and "--" not in page.preview.warning.text()
    assert page.preview.heading.text().endswith("It begins with:") and page.preview.items.row_count() == 5


def test_a_refused_file_takes_the_place_of_an_earlier_one_and_is_read_again_with_its_columns(
    window: MainWindow, wait: Wait, tmp_path: Path
) -> None:
    page = _page(window)
    page.preview_paths([_file(tmp_path, "rows.jsonl", ROW)])
    wait(lambda: page.preview.isVisible())
    page.preview_paths([_file(tmp_path, "own.jsonl", {"My ask": "What is a monad?", "lang": "haskell"})])
    wait(lambda: "no format that is known here" in page.report.text())
    assert page.preview.isHidden(), "the button to import was that of the earlier file"
    page.mapping.setText("prompt=My ask")
    page.mapping.editingFinished.emit()
    wait(lambda: page.preview.isVisible())
    assert page.preview.items.model().index(0, 0).data() == "What is a monad?"
    assert page.mapping.text() == "language=lang prompt=My ask" and page.preview.left_out.isHidden()
