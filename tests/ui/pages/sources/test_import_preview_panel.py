"""Files are shown before they are imported: their format, first items, and what would be left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from annotator.ui.app.main_window import MainWindow
from tests import careless_tables as tables
from tests.windows import Wait

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


def _choose(page: Any, column: str, field: str) -> None:
    """Choose what a column holds, as somebody at its head does."""
    names = [page.preview.items.model().headerData(at + 1, Qt.Orientation.Horizontal) for at in range(20)]
    box = page.preview.heads.boxes[names.index(column)]
    box.setCurrentIndex(box.findData(field))
    box.activated.emit(box.currentIndex())


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
    assert page.preview.items.row_count() == 1 and page.preview.items.model().index(0, 1).data() == "add_one: Add one."
    assert not page.preview.heads.boxes, "the columns of a published format are known"
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
    assert "Recorded… on the Runs page" in page.preview.warning.text()


def test_a_table_in_no_known_format_is_read_once_its_prompt_is_chosen(
    window: MainWindow, wait: Wait, tmp_path: Path
) -> None:
    page = _page(window)
    page.preview_paths([_file(tmp_path, "rows.jsonl", {"a": "What is a monad?", "b": "x"})])
    wait(lambda: page.preview.isVisible())
    assert "Choose the column that contains the prompt" in page.preview.warning.text()
    assert not page.preview.take.isEnabled() and "1 bad" in page.preview.heading.text()
    _choose(page, "a", "prompt")
    wait(page.preview.take.isEnabled)
    assert page.mapping.text() == "prompt=a" and page.preview.left_out.text() == "Columns left out: b."
    page.preview.leave.click()
    assert page.preview.isHidden() and not page.mapping.text()
    page.preview_paths([_file(tmp_path, "others.jsonl", {"a": "What is a functor?", "c": "x"})])
    wait(lambda: "others.jsonl" in page.preview.heading.text())
    assert not page.preview.take.isEnabled(), "a file with other heads is asked about anew"
    page.preview_paths([_file(tmp_path, "more.jsonl", {"b": "y", "a": "What is a functor?"})])
    wait(lambda: "more.jsonl" in page.preview.heading.text())
    assert page.mapping.text() == "prompt=a" and page.preview.take.isEnabled()
    state = page.state()
    page.restore({})
    page.restore(json.loads(json.dumps(state)))
    assert page.state() == state, "what was chosen outlives the window"


def test_a_long_table_without_a_prompt_cannot_be_imported_yet(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = _page(window)
    path = tmp_path / "long.jsonl"
    path.write_text("".join(f'{{"a": "What is {number}?"}}\n' for number in range(300)), "utf-8")
    page.preview_paths([path])
    wait(lambda: page.preview.isVisible())
    assert not page.preview.take.isEnabled() and "Choose the column" in page.preview.warning.text()
    _choose(page, "a", "prompt")
    wait(page.preview.take.isEnabled)


def test_rows_in_an_object_are_shown_with_their_place(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = _page(window)
    path = tmp_path / "quiz.json"
    path.write_text(json.dumps({"about": "A quiz", "questions": [{"question": "What is a monad?"}] * 3}), "utf-8")
    page.preview_paths([path])
    wait(lambda: page.preview.isVisible())
    assert page.preview.notes.text() == "The rows are the list questions; left out beside it: about."
    assert page.mapping.text() == "prompt=question rows=questions" and page.preview.take.isEnabled()
    before = page.table.row_count()
    page.preview.take.click()
    wait(lambda: page.table.row_count() == before + 1)


def test_what_cannot_be_read_is_said(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = _page(window)
    path = tmp_path / "notes.txt"
    path.write_text("a shopping list\n", "utf-8")
    page.preview_paths([path])
    wait(lambda: "an unknown format" in page.report.text())
    assert page.preview.isHidden()


def test_a_careless_table_becomes_twenty_items_in_three_steps(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = _page(window)
    page.preview_paths([tables.careless_csv(tmp_path)])
    wait(lambda: page.preview.isVisible())
    assert page.preview.heading.text().endswith("20 new rows, 1 bad.")
    assert [box.currentData() for box in page.preview.heads.boxes] == ["id", "prompt", "reference", ""]
    assert "careless.csv:22: the row has the id of line 4" in page.preview.warning.text()
    assert page.preview.items.model().index(20, 0).data().startswith("22: bad: the row has the id of line 4")
    assert page.preview.items.model().index(0, 2).data().startswith("How do I **reverse a list** if a > 1?")
    assert page.preview.take.text() == "Import 20 good rows"
    page.preview.take.click()
    wait(lambda: page.show_on_select.isVisible())
    assert page.report.text().startswith("20 added") and page.list_card.isVisible()


def test_the_report_of_an_import_is_not_shown_under_a_file_opened_meanwhile(
    window: MainWindow, wait: Wait, tmp_path: Path
) -> None:
    page = _page(window)
    page.preview_paths([tables.careless_csv(tmp_path)])
    wait(lambda: page.preview.isVisible())
    page.preview.take.click()
    page.preview_paths([_file(tmp_path, "rows.jsonl", ROW)])
    wait(lambda: page.preview.isVisible() and not page.session.jobs)
    assert "rows.jsonl" in page.preview.heading.text()
    assert page.report.isHidden() and page.show_on_select.isHidden()


def test_a_column_takes_a_field_from_the_one_that_had_it(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = _page(window)
    row = {"question": "Short?", "details": "What is a monad, at length?", "answer": "a"}
    page.preview_paths([_file(tmp_path, "rows.jsonl", row)])
    wait(lambda: page.preview.isVisible())
    _choose(page, "details", "prompt")
    wait(lambda: "prompt=details" in page.mapping.text())
    _choose(page, "answer", "")
    wait(lambda: page.mapping.text() == "prompt=details ignore=answer")
    wait(lambda: page.preview.left_out.text() == "Columns left out: question, answer.")
    page.preview.take.click()
    wait(lambda: page.show_on_select.isVisible())
    with page.store.reader() as connection:
        query = (
            "SELECT t.prompt, t.reference FROM subjecttext t JOIN subject s ON s.id = t.subject_id WHERE s.title = ?"
        )
        assert [tuple(one) for one in connection.execute(query, [row["details"]])] == [(row["details"], "")]


def test_a_format_chosen_by_hand_is_used(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = _page(window)
    folder = tmp_path / "repository"
    (folder / "suite").mkdir(parents=True)
    page.format.setCurrentIndex(page.format.findData("infibench"))
    page.preview_paths([folder])
    wait(lambda: bool(page.report.text()) or page.preview.isVisible())
    assert "no .jsonl files" not in page.report.text()
    page.format.setCurrentIndex(page.format.findData("mbpp"))
    page.preview_paths([_file(tmp_path, "rows.jsonl", ROW)])
    wait(lambda: page.preview.isVisible())


def test_a_table_is_pasted(window: MainWindow, wait: Wait) -> None:
    page = _page(window)
    QGuiApplication.clipboard().setText("Question\tAnswer\nWhat is a monad?\ta burrito\n")
    page.paste.click()
    wait(lambda: page.preview.isVisible())
    assert "clipboard.csv" in page.preview.heading.text() and "1 new row." in page.preview.heading.text()
    QGuiApplication.clipboard().setText("")
    page.paste.click()
    wait(lambda: "The clipboard contains no text" in page.report.text())


def test_a_careless_file_fills_in_its_columns_and_leads_on(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = _page(window)
    careless = {"question": "Which command shows who changed a line last?", "answer": "git blame FILE"}
    page.preview_paths([_file(tmp_path, "careless.jsonl", careless)])
    wait(lambda: page.preview.isVisible())
    assert page.mapping.text() == "prompt=question reference=answer" and page.preview.left_out.isHidden()
    places: list[object] = []
    page.go_to.connect(places.append)
    page.preview.take.click()
    wait(lambda: page.show_on_select.isVisible())
    page.show_on_select.click()
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
    assert page.preview.items.model().index(0, 1).data() == "What is a monad?"


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
    assert page.preview.heading.text().endswith("9 new rows, 1 bad.") and page.preview.items.row_count() == 10


def test_a_refused_file_takes_the_place_of_an_earlier_one(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = _page(window)
    page.preview_paths([_file(tmp_path, "rows.jsonl", ROW)])
    wait(lambda: page.preview.isVisible())
    path = tmp_path / "notes.txt"
    path.write_text("a shopping list\n", "utf-8")
    page.preview_paths([path])
    wait(lambda: "an unknown format" in page.report.text())
    assert page.preview.isHidden(), "the button to import was that of the earlier file"
    page.preview_paths([_file(tmp_path, "own.jsonl", {"My ask": "What is a monad?", "lang": "haskell"})])
    wait(lambda: page.preview.isVisible())
    assert page.mapping.text() == "language=lang"
    page.mapping.setText("language=lang prompt=My ask")
    page.mapping.editingFinished.emit()
    wait(page.preview.take.isEnabled)
    assert page.preview.items.model().index(0, 1).data() == "What is a monad?"
    assert page.preview.left_out.isHidden()
