"""Values that the project keeps in English are shown in the user's language, and kept in English."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from annotator.services.judge.blind_judging import default_guidelines
from annotator.services.results import error_labels
from annotator.store.queue import stored_subjects
from annotator.ui.app import translation
from annotator.ui.app.main_window import MainWindow
from tests.windows import Wait, open_page, open_store


@pytest.fixture(autouse=True)
def chinese(qapp: QApplication) -> Iterator[None]:
    """The window in Chinese; asked for before the window is made."""
    catalogue = translation.install_translation(qapp, "zh_CN")
    assert catalogue is not None
    yield
    qapp.removeTranslator(catalogue)


def test_a_question_type_is_chosen_in_chinese_and_kept_in_english(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Select")
    wait(lambda: page.view is not None and page.kind_row.type.currentText() == "知识问答")
    subject, box = page.view.row.id, page.kind_row.type
    box.setCurrentIndex(box.findText("代码调试"))
    box.activated.emit(box.currentIndex())
    store = open_store(window)

    def kept() -> str:
        with store.read() as db:
            return stored_subjects.load_subject_view(db, subject).question_type

    wait(lambda: kept() == "code debugging")
    box.setEditText("自己的类型")
    box.activated.emit(-1)
    wait(lambda: kept() == "自己的类型")


def test_a_domain_is_shown_as_it_is_and_passing_by_saves_nothing(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Criterion")
    wait(lambda: page.view is not None)
    facts, view, told = page.details.facts, page.view, []
    facts.label_chosen.connect(lambda *given: told.append(given))
    facts.show_subject(replace(view, row=replace(view.row, domain="text", area="state"), question_type="text"))
    boxes = [box for box in facts.findChildren(type(facts.type)) if box.currentText() in ("text", "state")]
    assert translation.translate_word("text") != "text" and len(boxes) == 3
    for box in boxes:
        box.lineEdit().editingFinished.emit()
    assert told == []


def test_an_error_label_is_chosen_in_chinese_and_kept_in_english(window: MainWindow, qtbot: QtBot, wait: Wait) -> None:
    page = open_page(window, "Results")
    wait(lambda: page.panel.explanation is not None)
    rows = [page.items.payload_at(page.items.model().index(at, 0)) for at in range(page.items.row_count())]
    at = next(at for at, row in enumerate(rows) if row.outcome not in ("pass", "machinery"))
    page.items.select(at)
    response = rows[at].response_id
    wait(lambda: page.panel.explanation.detail.response_id == response)
    store = open_store(window)
    assert [page.panel.label_choice.itemText(place) for place in range(3)] == ["逻辑错误", "缺少上下文", "需求不清"]
    page.panel.label_choice.setEditText("缺少上下文")
    page.panel.add_label_button.click()
    wait(lambda: [row.label for row in error_labels.labels_of_response(store, response)] == ["missing context"])
    wait(lambda: "缺少上下文" in page.panel.given_labels.text())
    menu: QMenu = page.panel.label_menu()
    assert menu.actions()[0].text() == "&1  逻辑错误" and menu.actions()[0].data() == "logic error"
    menu.close()


def test_the_usual_guidelines_are_shown_in_chinese(window: MainWindow) -> None:
    page = open_page(window, "Judge")
    page.panel.show_pair(None, default_guidelines("response"))
    assert page.panel.guidelines.text().startswith("选择更好地完成任务的回答")
    page.panel.show_pair(None, "Choose the shorter one.")
    assert page.panel.guidelines.text() == "Choose the shorter one."
