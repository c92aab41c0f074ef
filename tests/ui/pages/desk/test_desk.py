"""The desk: items made by keys alone, the focus, how much is seen at once, and the item on screen."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from pytestqt.qtbot import QtBot

from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import aspect_reviews
from annotator.services.project import projects
from annotator.services.select import triage
from annotator.store.queue import stored_subjects
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.desk.page import CriterionPage, PromptPage
from annotator.ui.pages.desk.steps import DeskStep, read_item
from annotator.ui.widgets.code.code_view import CodeView
from tests.windows import Wait, open_page, open_store, window_on

ITEMS = (
    ("flatten", "chain.from_iterable"), ("reverse", "reversed"), ("count", "Counter"), ("pair", "zip"),
    ("number", "enumerate"), ("order", "sorted"), ("merge", "ChainMap"), ("slice", "islice"),
    ("group", "groupby"), ("repeat", "cycle"),
)  # fmt: skip
MOST_KEYS = 6


class Hands:
    """Somebody who has a keyboard alone: texts are typed, and other keys are counted."""

    def __init__(self, qtbot: QtBot, window: MainWindow) -> None:
        self.qtbot, self.window, self.keys = qtbot, window, 0

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        self.keys += 1
        self.qtbot.keyClick(self._focus(), key, modifiers)

    def go_on(self) -> None:
        self.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)

    def write(self, text: str) -> None:
        for letter in text:
            self.qtbot.keyClicks(self._focus(), letter)

    def _focus(self) -> Any:
        found = QApplication.focusWidget()
        assert found is not None
        return found


@pytest.fixture
def fresh(qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    """The window on an empty project."""
    path = tmp_path / "fresh.annotator"
    projects.create_project(path, "Fresh", "Ada").close()
    with window_on(qtbot, path) as window:
        yield window


def _mine_done(page: Any) -> bool:
    """Whether every step is done but for what others do."""
    return all(state.done for step, state in page.step_states().items() if step != DeskStep.REVIEWED)


def _rows(folder: Path, count: int) -> Path:
    path = folder / "items.jsonl"
    lines = [
        {
            "id": name,
            "prompt": f"How do I {name} the values of a long list in Python without a loop of my own?",
            "reference": f"The standard library has {word} for this; it takes the list and gives what you want.",
        }
        for name, word in ITEMS[:count]
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize("count", [3, 10])
def test_items_from_import_to_proven_by_keys(
    fresh: MainWindow, qtbot: QtBot, wait: Wait, tmp_path: Path, count: int
) -> None:
    store = fresh.session.store
    assert store is not None
    sources = open_page(fresh, "Sources")
    sources.import_paths([_rows(tmp_path, count)])
    wait(lambda: f"{count} added" in sources.report.text())
    select = open_page(fresh, "Select")
    wait(lambda: select.view is not None and select.queue.model.rowCount() == count)
    hands = Hands(qtbot, fresh)
    for number in range(1, count + 1):
        hands.press(Qt.Key.Key_A)
        wait(lambda number=number: projects.stage_counts(store).accepted == number)  # type: ignore[misc]
    page = open_page(fresh, "Prompt")
    wait(lambda: page.view is not None and page.queue.model.rowCount() == count)
    names = {f"How do I {name}": word for name, word in ITEMS}
    for number in range(1, count + 1):
        view = page.view
        word = next(word for start, word in names.items() if view.prompt.startswith(start))
        verb = view.prompt.split()[3]
        wait(page.panes.editor.hasFocus)
        hands.write(f"Which tool of Python's standard library can {verb} what a big list holds?")
        hands.go_on()
        wait(lambda: page.current_step() == DeskStep.CRITERION)
        hands.write(word)
        wait(lambda: page.header.buttons["subject.save_next"].text().startswith("Save and prove"))
        hands.go_on()
        subject = view.row.id
        wait(lambda subject=subject: triage.load_subject(store, subject).proof is not None)  # type: ignore[misc]
        found = triage.load_subject(store, subject)
        assert found.row.proven, [check for check in found.proof.checks if check["outcome"] != "pass"]  # type: ignore[union-attr]
        assert found.paraphrase is not None and verb in found.paraphrase.text
        wait(lambda: _mine_done(page))
        assert page.current_step() == DeskStep.PROVEN
        assert page.header.buttons["subject.save_next"].text().startswith("Save and next")
        if number == count:
            wait(lambda: page.next_page[1] == "Release")
        hands.go_on()
        if number < count:
            wait(lambda subject=subject: page.view.row.id != subject)  # type: ignore[misc]
        assert len(page.queue.list.selectionModel().selectedRows()) == 1
        assert fresh.pages.current_name == "Prompt"
    assert fresh.status.offer_button.text() == "Go to Release", "nothing is left to prove"
    counts = projects.stage_counts(store)
    assert (counts.accepted, counts.proven, counts.without_prompt) == (count, count, 0)
    assert hands.keys <= MOST_KEYS * count


def test_a_step_that_is_not_done_says_why(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Prompt")
    wait(lambda: page.view is not None and _mine_done(page))
    page.panes.editor.setPlainText("Say why it returns what it returns.")
    wait(lambda: "missing" in page.steps.reasons[DeskStep.PARAPHRASED].full)
    assert "earlier" in page.steps.reasons[DeskStep.PROVEN].full
    page.document.yaml.setPlainText("grading:\n  keywords: 3\n")
    wait(lambda: "Line 2" in page.steps.reasons[DeskStep.CRITERION].full)
    page.document.yaml.setPlainText("")
    wait(lambda: page.steps.reasons[DeskStep.CRITERION].full == "no rule yet")
    for writing in page.writings:
        writing.unsaved_texts.clear()


def _move_by_steps(window: MainWindow, qtbot: QtBot, wait: Wait, name: str) -> None:
    page = open_page(window, name)
    wait(lambda: page.view is not None and page.current_step() == page.own_step)
    wait(lambda: not page.queue.list.hasFocus())
    for key, panel in (
        (Qt.Key.Key_F5, page.frame.material),
        (Qt.Key.Key_F6, page.paraphrase.panel),
        (Qt.Key.Key_F7, page.criterion.panel),
        (Qt.Key.Key_F8, page.proof),
    ):
        qtbot.keyClick(QApplication.focusWidget(), key)
        assert panel.isAncestorOf(QApplication.focusWidget())
    page.steps.buttons[DeskStep.CRITERION].click()
    assert page.criterion.panel.isAncestorOf(QApplication.focusWidget())
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert page.queue.list.hasFocus()


def test_the_steps_move_the_focus_and_escape_leaves_a_field(
    window: MainWindow, qtbot: QtBot, wait: Wait, subtests: pytest.Subtests
) -> None:
    for name in ("Prompt", "Criterion"):
        with subtests.test(name):
            _move_by_steps(window, qtbot, wait, name)


@pytest.mark.parametrize("name", ["Prompt", "Consensus"])
def test_escape_and_letters_in_the_queue_say_where_the_keys_go(
    window: MainWindow, qtbot: QtBot, wait: Wait, name: str
) -> None:
    page = open_page(window, name)
    rows = page.queue.list if name == "Prompt" else page.queue.table
    if name == "Consensus":
        page.faces.choose(2)
    wait(lambda: rows.currentIndex().isValid() and (name == "Prompt" or page.stack.isEnabled()))
    page.go_to_step(DeskStep.PARAPHRASED)
    wait(lambda: not rows.hasFocus())
    said: list[str] = []
    window.session.message_posted.connect(said.append)
    without = rows.grab().toImage()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert rows.hasFocus() and said == ["The keyboard now controls the queue. Press Return to go back to the item."]
    assert rows.grab().toImage() != without, "the current row shows that it has the keys"
    before = rows.currentIndex().row()
    qtbot.keyClicks(rows, "mu")
    assert said[1:] == [
        f"{letter} has no effect in the queue. Press Return for the item, / for the search." for letter in "mu"
    ]
    qtbot.keyClick(rows, Qt.Key.Key_Escape)
    assert len(said) == 3 and rows.currentIndex().row() == before
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    assert not rows.hasFocus() and page.isAncestorOf(QApplication.focusWidget())


def test_material_or_steps_are_shown_where_the_window_is_narrow(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Prompt")
    frame = page.frame
    wait(lambda: page.view is not None and page.panes.original.isVisible() and page.panes.editor.isVisible())
    assert not frame.is_narrow and not frame.faces.isVisible()
    window.theme.set_scale(175)
    try:
        wait(lambda: frame.is_narrow and not frame.material.isVisible() and page.panes.editor.isVisible())
        page.go_to_step(DeskStep.ACCEPTED)
        wait(lambda: page.panes.original.isVisible() and not page.panes.editor.isVisible())
        page.go_to_step(DeskStep.CRITERION)
        wait(lambda: page.criterion.panel.isVisible() and not frame.material.isVisible())
    finally:
        window.theme.set_scale(100)
    wait(lambda: frame.material.isVisible() and page.criterion.panel.isVisible())


def test_the_main_button_is_in_view_with_large_letters(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Criterion")
    wait(lambda: page.view is not None)
    button = page.header.buttons["subject.save_next"]
    for scale in (100, 175):
        window.theme.set_scale(scale)
        QTest.qWait(200)
        wait(lambda: button.mapTo(window, button.rect().bottomRight()).x() < 1280)
        assert window.size().width() == 1280 and not button.visibleRegion().isEmpty(), scale
    wait(lambda: page.frame.is_narrow)
    page.go_to_step(DeskStep.PROVEN)
    wait(lambda: not QApplication.focusWidget().visibleRegion().isEmpty())
    window.theme.set_scale(100)


def test_the_last_step_says_what_others_said_and_goes_there(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Criterion")
    store = page.session.store
    wait(lambda: page.view is not None and page.steps.reasons[DeskStep.REVIEWED].full != "")
    subject = page.view.row.id
    before = len(aspect_reviews.list_reviews(store, subject))
    window.session.act(partial(aspect_reviews.add_review, store, subject, {"correctness": 4}))
    wait(lambda: len(aspect_reviews.list_reviews(store, subject)) >= max(1, before))
    wait(lambda: page.steps.reasons[DeskStep.REVIEWED].full in ("1 review", "2 reviews", "3 reviews"))
    assert page.step_states()[DeskStep.REVIEWED].done
    assert page.open_step(DeskStep.REVIEWED) is None, "what others say is theirs to do"
    window.actions_table.action("desk.reviewed").trigger()
    wait(lambda: window.pages.current_name == "Consensus")
    consensus: Any = window.pages.page("Consensus")
    wait(lambda: consensus.subject_id == subject)


@pytest.mark.parametrize(
    ("name", "unproven", "after"),
    [("Prompt", True, "Criterion"), ("Prompt", False, "Release"), ("Criterion", True, "Release")],
)
def test_the_end_of_the_list_says_where_to_go_on(
    window: MainWindow, wait: Wait, name: str, unproven: bool, after: str
) -> None:
    store = open_store(window)
    if unproven:
        candidate = triage.queue_subjects(store, QueueFilter(verdicts=("open",)))[0]
        triage.decide_subjects(store, [candidate.id], Verdict.ACCEPT)
    page = open_page(window, name)
    wait(lambda: page.view is not None)
    wait(lambda: page.next_page[1] == after)
    page.queue.go_to_row(page.queue.model.rows[-1])
    wait(lambda: page.view is not None and page.view.row.id == page.queue.shown_id())

    def at_end() -> bool:
        page.save_next()
        return str(window.status.message.text()).startswith("That was the last item")

    wait(at_end)
    window.status.offer_button.click()
    wait(lambda: window.pages.current_name == after)


def test_an_item_is_read_once_for_all_its_steps(
    sample_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []
    view_of = stored_subjects.view_of

    def counted(db: Any, subject: Any) -> Any:
        reads.append(subject.id)
        return view_of(db, subject)

    monkeypatch.setattr(stored_subjects, "view_of", counted)
    with closing(projects.open_project(Path(shutil.copy(sample_file, tmp_path)))) as store:
        for row in triage.accepted_subjects(store):
            reviewed = bool(aspect_reviews.list_reviews(store, row.id))
            reads.clear()
            item = read_item(store, row.id)
            # What was reviewed is compared with what stands now.
            assert reads == [row.id] * (2 if reviewed else 1)
            assert (item.prompt is not None) == (item.view.paraphrase is not None)


# The item on screen stays the same from page to page, however the page is changed.


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
    window.session.notice_posted.connect(offered.append)
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
    window.session.notice_posted.connect(offered.append)
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


# How much of an item is seen at once in a window of 1440 x 900.


def _room(view: QPlainTextEdit) -> tuple[float, float]:
    """How many characters and lines are seen of a text."""
    metrics, size = view.fontMetrics(), view.viewport().size()
    return size.width() / metrics.horizontalAdvance("0"), size.height() / metrics.lineSpacing()


def test_the_material_and_the_open_step_can_be_read(window: MainWindow, wait: Wait) -> None:
    window.resize(1440, 900)
    prompt = open_page(window, "Prompt")
    assert isinstance(prompt, PromptPage)
    wait(lambda: prompt.view is not None and prompt.queue.is_folded)
    assert _room(prompt.panes.editor)[1] >= 20
    page = open_page(window, "Criterion")
    assert isinstance(page, CriterionPage)
    wait(lambda: page.view is not None and page.queue.is_folded)
    page.details.show_tab("Reference")
    [code] = [view for view in page.details.findChildren(CodeView) if view.isVisible()]
    wait(lambda: _room(code)[0] >= 80)
    assert _room(code)[1] >= 30
    page.go_to_step(DeskStep.PROVEN)
    table = page.proof.table
    wait(lambda: table.viewport().height() // table.verticalHeader().defaultSectionSize() >= 12)


def test_two_steps_side_by_side_have_the_room_of_two(window: MainWindow, wait: Wait, qtbot: QtBot) -> None:
    window.resize(1920, 1080)
    page = open_page(window, "Criterion")
    assert isinstance(page, CriterionPage)
    columns = page.frame.columns

    def share() -> float:
        material, steps = columns.sizes()
        return steps / (material + steps)

    wait(lambda: page.view is not None and abs(share() - 0.54) < 0.02)
    handle = columns.handle(1)
    start = handle.rect().center()
    qtbot.mousePress(handle, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(handle, start - QPoint(100, 0))
    qtbot.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=start - QPoint(100, 0))
    dragged = share()
    assert dragged > 0.57
    window.resize(1440, 900)
    qtbot.waitUntil(lambda: abs(share() - 0.37) < 0.02)
    window.resize(1920, 1080)
    qtbot.waitUntil(lambda: abs(share() - dragged) < 0.03)


def test_a_wide_window_becomes_a_narrow_one_in_one_step(window: MainWindow, wait: Wait) -> None:
    for name in ("Prompt", "Select", "Sources", "Bugs", "Runs", "Results"):
        window.resize(1920, 1080)
        window.show_page(name)
        if name in ("Prompt", "Select"):
            page: Any = window.pages.page(name)
            wait(lambda page=page: page.view is not None)
        window.resize(720, 700)
        assert window.width() == 720, name
    wait(lambda: window.theme.is_cramped)


def test_the_question_asked_for_before_the_item_has_come_keeps_the_cursor(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Criterion")
    assert isinstance(page, CriterionPage) and page.view is None
    page.go_to_step(DeskStep.ACCEPTED)
    wait(lambda: page.view is not None and page.panes.original.hasFocus())


def test_the_step_asked_for_before_the_item_has_come_is_the_open_one(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Criterion")
    assert isinstance(page, CriterionPage)
    assert page.view is None, "the item is still being read"
    page.go_to_step(DeskStep.PROVEN)
    wait(lambda: page.view is not None)
    wait(lambda: page.current_step() == DeskStep.PROVEN and page.proof.table.hasFocus())


def test_the_cursor_never_begins_on_the_button_that_removes_a_rule(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Criterion")
    assert isinstance(page, CriterionPage)
    wait(lambda: page.view is not None)
    nested = "grading:\n  keywords:\n    - content: {and: [sort, {or: [first, last]}]}\n"
    page.document.set_source(f"{nested}    - content: tail\n", has_tests=False)
    boxes = page.document.form.boxes
    assert [box.is_locked for box in boxes] == [True, False]
    page.document.focus()
    focus = window.focusWidget()
    assert focus is not None and boxes[1].isAncestorOf(focus) and focus.isEnabled()
    page.document.set_source(nested, has_tests=False)
    page.document.focus()
    assert window.focusWidget() is page.document.form
