"""Files, also dropped ones, and labels are shown before they are imported, with their licences."""

from __future__ import annotations

import json
import shutil
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from annotator.ui.app.main_window import MainWindow
from tests import careless_tables as tables
from tests.windows import Wait, open_page

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
    box = page.preview.column_heads.boxes[names.index(column)]
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
    assert not page.preview.column_heads.boxes, "the columns of a published format are known"
    assert page.preview.warning.isHidden() and page.table.row_count() == before
    page.preview.import_button.click()
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
    page.preview.cancel_button.click()
    assert page.preview.isHidden()


def test_answers_are_not_taken_for_candidates(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = _page(window)
    page.preview_paths([_file(tmp_path, "rows.jsonl", {"task_id": "a", "completion": "x"})])
    wait(lambda: page.preview.isVisible())
    assert not page.preview.import_button.isEnabled() and "answers of models" in page.preview.warning.text()
    assert "Recorded… on the Runs page" in page.preview.warning.text()


def test_a_table_in_no_known_format_is_read_once_its_prompt_is_chosen(
    window: MainWindow, wait: Wait, tmp_path: Path
) -> None:
    page = _page(window)
    page.preview_paths([_file(tmp_path, "rows.jsonl", {"a": "What is a monad?", "b": "x"})])
    wait(lambda: page.preview.isVisible())
    assert "Choose the column that contains the prompt" in page.preview.warning.text()
    assert not page.preview.import_button.isEnabled() and "1 bad" in page.preview.heading.text()
    _choose(page, "a", "prompt")
    wait(page.preview.import_button.isEnabled)
    assert page.mapping.text() == "prompt=a" and page.preview.left_out.text() == "Columns left out: b."
    page.preview.cancel_button.click()
    assert page.preview.isHidden() and not page.mapping.text()
    page.preview_paths([_file(tmp_path, "others.jsonl", {"a": "What is a functor?", "c": "x"})])
    wait(lambda: "others.jsonl" in page.preview.heading.text())
    assert not page.preview.import_button.isEnabled(), "a file with other heads is asked about anew"
    page.preview_paths([_file(tmp_path, "more.jsonl", {"b": "y", "a": "What is a functor?"})])
    wait(lambda: "more.jsonl" in page.preview.heading.text())
    assert page.mapping.text() == "prompt=a" and page.preview.import_button.isEnabled()
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
    assert not page.preview.import_button.isEnabled() and "Choose the column" in page.preview.warning.text()
    _choose(page, "a", "prompt")
    wait(page.preview.import_button.isEnabled)


def test_rows_in_an_object_are_shown_with_their_place(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = _page(window)
    path = tmp_path / "quiz.json"
    path.write_text(json.dumps({"about": "A quiz", "questions": [{"question": "What is a monad?"}] * 3}), "utf-8")
    page.preview_paths([path])
    wait(lambda: page.preview.isVisible())
    assert page.preview.notes.text() == "The rows are the list questions; left out beside it: about."
    assert page.mapping.text() == "prompt=question rows=questions" and page.preview.import_button.isEnabled()
    before = page.table.row_count()
    page.preview.import_button.click()
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
    assert [box.currentData() for box in page.preview.column_heads.boxes] == ["id", "prompt", "reference", ""]
    assert "careless.csv:22: the row has the id of line 4" in page.preview.warning.text()
    assert page.preview.items.model().index(20, 0).data().startswith("22: bad: the row has the id of line 4")
    assert page.preview.items.model().index(0, 2).data().startswith("How do I **reverse a list** if a > 1?")
    assert page.preview.import_button.text() == "Import 20 good rows"
    page.preview.import_button.click()
    wait(lambda: page.show_on_select_button.isVisible())
    assert page.report.text().startswith("20 added") and page.list_card.isVisible()


def test_the_report_of_an_import_is_not_shown_under_a_file_opened_meanwhile(
    window: MainWindow, wait: Wait, tmp_path: Path
) -> None:
    page = _page(window)
    page.preview_paths([tables.careless_csv(tmp_path)])
    wait(lambda: page.preview.isVisible())
    page.preview.import_button.click()
    page.preview_paths([_file(tmp_path, "rows.jsonl", ROW)])
    wait(lambda: page.preview.isVisible() and not page.session.jobs)
    assert "rows.jsonl" in page.preview.heading.text()
    assert page.report.isHidden() and page.show_on_select_button.isHidden()


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
    page.preview.import_button.click()
    wait(lambda: page.show_on_select_button.isVisible())
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
    page.paste_button.click()
    wait(lambda: page.preview.isVisible())
    assert "clipboard.csv" in page.preview.heading.text() and "1 new row." in page.preview.heading.text()
    QGuiApplication.clipboard().setText("")
    page.paste_button.click()
    wait(lambda: "The clipboard contains no text" in page.report.text())


def test_a_careless_file_fills_in_its_columns_and_leads_on(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = _page(window)
    careless = {"question": "Which command shows who changed a line last?", "answer": "git blame FILE"}
    page.preview_paths([_file(tmp_path, "careless.jsonl", careless)])
    wait(lambda: page.preview.isVisible())
    assert page.mapping.text() == "prompt=question reference=answer" and page.preview.left_out.isHidden()
    places: list[object] = []
    page.go_to.connect(places.append)
    page.preview.import_button.click()
    wait(lambda: page.show_on_select_button.isVisible())
    page.show_on_select_button.click()
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
    wait(page.preview.import_button.isEnabled)
    assert page.preview.items.model().index(0, 1).data() == "What is a monad?"
    assert page.preview.left_out.isHidden()


# Labels from other tools in the window: shown, chosen and imported where candidates are.


def _export(folder: Path) -> Path:
    path = folder / "export.json"
    annotations = [
        {
            "completed_by": person,
            "created_at": "2024-03-01T10:00:00Z",
            "result": [{"from_name": "quality", "type": "choices", "value": {"choices": [value]}}],
        }
        for person, value in (("Ana", "keep"), (None, "gut"))
    ]
    path.write_text(json.dumps([{"id": 1, "data": {"question": "What is a set?"}, "annotations": annotations}]))
    return path


def test_labels_are_shown_chosen_and_imported(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = open_page(window, "Sources")
    page.preview_paths([_export(tmp_path)])
    panel = page.label_panel
    wait(lambda: panel.isVisible())
    assert not page.preview.isVisible() and "Label Studio" in panel.heading.text()
    assert list(panel.boxes) == ["quality"] and not panel.import_button.isEnabled()
    # Nothing is guessed for a question with a value of its own: its two answers are named.
    assert panel.left_out.toPlainText().count("nothing was chosen") == 2
    box = panel.boxes["quality"]
    box.setCurrentIndex(box.findData("decision"))
    panel.add_tasks.setChecked(True)
    panel.words.setText("gut=accept")
    panel.person.setText("Bo, Ana=Ann")
    assert (panel.choices().person, panel.choices().people) == ("Bo", {"Ana": "Ann"})
    assert panel.study.isHidden(), "a study is made of comparisons only"
    panel.person.editingFinished.emit()
    wait(lambda: panel.import_button.isEnabled() and "Bo" in panel.people.text())
    panel.import_button.click()
    wait(lambda: "2 labels added" in page.report.text())
    assert "Ann" in page.report.text() and not panel.isVisible()


# The licences of code that a model wrote are shown, and choose what the list shows.
CODE = (
    "# Generated by ChatGPT\ndef {name}(rows):\n    kept = []\n    for row in rows:\n        if row{sign}:\n"
    "            kept.append(row)\n    return kept\n"
)
MIT = (
    "Permission is hereby granted, free of charge, to any person. The above copyright notice and this permission "
    "notice shall be included."
)


def test_licences_are_shown_and_filter_the_list(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    folder = tmp_path / "code"
    (folder / "free").mkdir(parents=True)
    (folder / "free" / "LICENSE").write_text(MIT)
    (folder / "free" / "a.py").write_text(CODE.format(name="positive", sign=" > 0"))
    (folder / "b.py").write_text(CODE.format(name="full", sign=".strip()"))
    page = open_page(window, "Sources")
    page.source_tabs.choose(2)
    panel = page.panels.currentWidget()
    panel.take_paths([folder])
    wait(lambda: panel.functions.table.row_count() == 2)
    offered = [panel.functions.licence.itemText(place) for place in range(panel.functions.licence.count())]
    assert sorted(offered) == ["All licences", "MIT: 1", "none known: 1"]
    panel.functions.licence.setCurrentIndex(panel.functions.licence.findData(""))
    assert panel.functions.table.row_count() == 1
    assert "licence, none is known" in panel.functions.why.text()
    panel.functions.leave_out_button.click()
    assert panel.functions.selected_names == {item.id for item in panel.functions.mined_code.judged}
    panel.functions.licence.setCurrentIndex(0)
    assert panel.functions.table.row_count() == 2


# Files that are dropped on the window, wherever it takes them.


def _drop(target: QWidget, paths: Sequence[Path]) -> bool:
    """Drag files onto a widget and let go; returns whether it, or what it is in, took them."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    place, copy = target.rect().center(), Qt.DropAction.CopyAction
    keys, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    over = QDragEnterEvent(QPoint(place), copy, data, left, keys)
    QApplication.sendEvent(target, over)
    if over.isAccepted():
        QApplication.sendEvent(target, QDropEvent(QPointF(place), copy, data, left, keys))
    return over.isAccepted()


def _rows(folder: Path, name: str = "rows.jsonl") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(json.dumps({"id": name, "prompt": "What is a set?"}) + "\n")
    return path


def _drop_page(window: MainWindow) -> Any:
    return window.pages.page("Sources")


@pytest.mark.parametrize("name", ["Sources", "Select", "Judge", "Results"])
def test_a_file_dropped_on_any_page_is_shown_before_it_is_imported(
    window: MainWindow, wait: Wait, tmp_path: Path, name: str
) -> None:
    page = open_page(window, name)
    assert _drop(page, [_rows(tmp_path)])
    wait(lambda: window.pages.current_name == "Sources" and _drop_page(window).preview.isVisible())
    _drop_page(window).preview.accepted.emit()
    wait(lambda: "1 added" in _drop_page(window).report.text())


def test_several_files_and_a_folder_are_taken_together(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    window.show_page("Sources")
    folder = tmp_path / "folder"
    _rows(folder, "three.jsonl")
    assert _drop(_drop_page(window), [_rows(tmp_path, "one.jsonl"), _rows(tmp_path, "two.jsonl"), folder])
    wait(lambda: _drop_page(window).preview.isVisible())
    _drop_page(window).preview.accepted.emit()
    wait(lambda: "3 added" in _drop_page(window).report.text())


def test_what_cannot_be_imported_says_what_it_is(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = open_page(window, "Select")
    picture, archive = tmp_path / "picture.png", tmp_path / "code.tar.gz"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff")
    with tarfile.open(archive, "w:gz") as made:
        made.add(picture, "picture.png")
    assert _drop(page, [picture])
    wait(lambda: "picture.png is a file of type image." in _drop_page(window).report.text())
    assert _drop(_drop_page(window), [archive])
    wait(lambda: "code.tar.gz is an archive." in _drop_page(window).report.text())


def test_without_a_project_files_wait_for_one_and_a_project_is_opened(
    window: MainWindow, wait: Wait, tmp_path: Path
) -> None:
    other = tmp_path / "other.annotator"
    window.acts.close_project()
    wait(window.welcome.isVisible)
    shutil.copy(tmp_path / "starter.annotator", other)
    assert _drop(window.welcome, [_rows(tmp_path)])
    assert "project first" in window.error_bar.message.text()
    assert _drop(window.welcome, [other])
    wait(lambda: window.session.store is not None and window.session.store.path == other)


def test_what_is_no_file_is_not_taken(window: MainWindow) -> None:
    data = QMimeData()
    data.setText("a sentence")
    over = QDragEnterEvent(
        QPoint(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(window, over)
    assert not over.isAccepted()


def _field_drop(target: QWidget, path: Path) -> None:
    """Drag a file as file managers do, with its address as text."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    data.setText(path.as_uri())
    place, copy = target.rect().center(), Qt.DropAction.CopyAction
    keys, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    QApplication.sendEvent(target, QDragEnterEvent(QPoint(place), copy, data, left, keys))
    QApplication.sendEvent(target, QDropEvent(QPointF(place), copy, data, left, keys))


def _drop_on_a_field(window: MainWindow, wait: Wait, tmp_path: Path, name: str) -> None:
    page = open_page(window, name)
    field = page.mapping if name == "Sources" else page.panes.editor
    if name == "Prompt":
        wait(lambda: page.view is not None)
    before = field.text() if name == "Sources" else field.toPlainText()
    target = field if name == "Sources" else field.viewport()
    _field_drop(target, _rows(tmp_path))
    assert (field.text() if name == "Sources" else field.toPlainText()) == before
    wait(lambda: window.pages.current_name == "Sources" and _drop_page(window).preview.isVisible())


def test_a_file_dropped_on_a_field_is_not_typed_into_it(
    window: MainWindow, wait: Wait, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for name in ("Sources", "Prompt"):
        with subtests.test(name):
            _drop_on_a_field(window, wait, tmp_path, name)
