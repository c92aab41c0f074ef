"""The item on screen stays the same from page to page, however the page is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from tests.windows import Wait

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from annotator.ui.app.main_window import MainWindow


def _on(page: Any) -> str:
    row = page.subject_on_screen()
    return row.id if row is not None else ""


def _go(window: MainWindow, name: str) -> Any:
    window.actions_table.trigger(f"go.{name.lower()}")
    return window.pages.page(name)


def _prompt_on(window: MainWindow, wait: Wait, place: int) -> tuple[Any, str]:
    """Make an item of the queue of Prompt current."""
    page = _go(window, "Prompt")
    wait(lambda: page.view is not None and page.queue.model.subject(place) is not None)
    row = page.queue.model.subject(place)
    page.show_subject(row.id)
    wait(lambda: page.view.row.id == row.id and _on(page) == row.id)
    return page, row.id


def test_a_key_keeps_the_item(window: MainWindow, qtbot: QtBot, wait: Wait) -> None:
    prompt, item = _prompt_on(window, wait, 3)
    qtbot.keyClick(prompt.queue.list, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    criterion: Any = window.pages.page("Criterion")
    wait(lambda: criterion.view is not None and criterion.view.row.id == item)
    wait(lambda: criterion.criterion.panel.isAncestorOf(QApplication.focusWidget()))
    following = criterion.queue.model.subject(4).id
    criterion.show_subject(following)
    wait(lambda: criterion.view.row.id == following)
    _go(window, "Prompt")
    wait(lambda: prompt.view.row.id == following)


def test_the_sidebar_keeps_the_item_also_past_pages_without_items(window: MainWindow, qtbot: QtBot, wait: Wait) -> None:
    _, item = _prompt_on(window, wait, 2)
    for name in ("Release", "Criterion"):
        qtbot.mouseClick(window.sidebar.button(name), Qt.MouseButton.LeftButton)
    criterion: Any = window.pages.page("Criterion")
    wait(lambda: criterion.view is not None and criterion.view.row.id == item)


def test_consensus_keeps_an_accepted_item_and_gives_it_back(window: MainWindow, wait: Wait) -> None:
    _, item = _prompt_on(window, wait, 5)
    consensus = _go(window, "Consensus")
    wait(lambda: _on(consensus) == item)
    _go(window, "Criterion")
    criterion: Any = window.pages.page("Criterion")
    wait(lambda: criterion.view is not None and criterion.view.row.id == item)


def test_select_keeps_the_item_and_offers_the_candidate_before(window: MainWindow, wait: Wait) -> None:
    select = _go(window, "Select")
    wait(lambda: select.queue.model.subject(20) is not None)
    before = next(row for n in range(24) if (row := select.queue.model.subject(n)) and row.verdict != "accept")
    select.show_subject(before.id)
    wait(lambda: _on(select) == before.id)
    offered: list[Any] = []
    window.session.noticed.connect(offered.append)
    _, item = _prompt_on(window, wait, 3)
    assert not offered, "a candidate that is not accepted is missed by nobody on Prompt"
    _go(window, "Select")
    wait(lambda: _on(select) == item)
    offered[-1].act()
    wait(lambda: _on(select) == before.id)


def test_what_a_filter_hides_is_said_and_the_filter_stays(window: MainWindow, wait: Wait) -> None:
    criterion = _go(window, "Criterion")
    wait(lambda: criterion.queue.model.subject(3) is not None)
    other = criterion.queue.model.subject(0)
    criterion.queue.search.setText(other.title)
    wait(lambda: len(criterion.queue.model.rows) == 1)
    _, item = _prompt_on(window, wait, 3)
    offered: list[Any] = []
    window.session.noticed.connect(offered.append)
    _go(window, "Criterion")
    wait(lambda: bool(offered))
    assert offered[0].text == "The search and filters hide the item you were on."
    assert criterion.queue.search.text() == other.title
    assert criterion.view.row.id == other.id
    offered[0].act()
    wait(lambda: criterion.view.row.id == item)


@pytest.mark.parametrize("name", ["Criterion", "Consensus"])
def test_a_place_that_was_asked_for_is_not_overruled(window: MainWindow, wait: Wait, name: str) -> None:
    prompt, _ = _prompt_on(window, wait, 3)
    wanted = prompt.queue.model.subject(1).id
    window.show_page(name, wanted)
    page: Any = window.pages.page(name)
    wait(lambda: _on(page) == wanted)
