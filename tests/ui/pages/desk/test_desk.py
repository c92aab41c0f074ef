"""The desk: items from import to proven by keys alone, and where the focus is after each of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import aspect_reviews
from annotator.services.project import projects
from annotator.services.select import triage
from annotator.store.queue import stored_subjects
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.desk.steps import DeskStep, read_item
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
    assert fresh.status.offer.text() == "Go to Release", "nothing is left to prove"
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
    window.status.offer.click()
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
