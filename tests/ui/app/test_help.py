"""F1 at the right place, the manual's window, the tour, what the palette finds, and when search is complete."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QTimer, QUrl
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import QueueFilter
from annotator.services.program import manual
from annotator.services.project import projects, search_index
from annotator.services.sources import imports
from annotator.store.file.long_writes import FIRST_STEP
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.action_registry import key_text
from annotator.ui.app.actions import ACTIONS
from annotator.ui.app.help.help_actions import PLACES, manual_place
from annotator.ui.app.help.help_windows import HelpWindow
from annotator.ui.app.session.session import Session
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.tour import STEPS, TourBar
from annotator.ui.care.care_controller import SearchKeeper
from annotator.ui.pages.page_registry import PAGES
from annotator.ui.widgets.queue_card import Queue

UI = Path(__file__).parents[3] / "annotator" / "ui"


@pytest.fixture(scope="module")
def pages() -> manual.Manual:
    return manual.load_manual()


def test_every_page_of_the_window_has_its_page(pages: manual.Manual):
    for page in PAGES:
        assert pages.topic(page.name.lower()).title == page.name
        assert manual_place(None, page.name) == page.name.lower()


def test_places_of_parts_exist(pages: manual.Manual):
    code = "\n".join(path.read_text("utf-8") for path in UI.rglob("*.py"))
    for name, place in PLACES.items():
        assert f"class {name}(" in code, name
        topic, _, anchor = place.partition("#")
        if place:
            found = pages.topic(topic)
            assert not anchor or anchor in {section.anchor for section in found.sections}, place


def test_keys_in_the_manual_are_those_of_the_table(pages: manual.Manual):
    first: dict[str, str] = {}
    for spec in ACTIONS:
        for at, key in enumerate(spec.shortcuts, start=1):
            first[spec.id if at == 1 else f"{spec.id}/{at}"] = key_text(key)
    for topic in pages.topics.values():
        for text, action in re.findall(r"\[([^\]]+)\]\(key:([^)]+)\)", topic.text):
            assert first.get(action) == text, f"{topic.id}: {text} for {action}"


def test_the_focused_part_decides_the_place(qtbot: QtBot):
    class ProofPanel(QWidget):
        pass

    outer = ProofPanel()
    qtbot.addWidget(outer)
    assert manual_place(QWidget(outer), "Criterion") == "criterion#prove-it"
    assert manual_place(None, "") == "getting-started"


@pytest.fixture
def viewer(qtbot: QtBot, theme: Theme, pages: manual.Manual) -> HelpWindow:
    window = HelpWindow(pages, theme, lambda: {"select.accept": "X"})
    qtbot.addWidget(window)
    window.show()
    return window


def test_places_links_back_and_forward(viewer: HelpWindow):
    viewer.show_place("select")
    assert "X" in viewer.page.toPlainText()
    assert "key:" not in viewer.page.toHtml()
    viewer.page.anchorClicked.emit(QUrl("criterion.md#prove-it"))
    assert viewer.place == "criterion#prove-it"
    assert viewer.page.verticalScrollBar().value() > 0
    viewer.go_back()
    assert (viewer.place, viewer.page.verticalScrollBar().value()) == ("select", 0)
    viewer.go_forward()
    assert viewer.place == "criterion#prove-it"
    viewer.show_place("no-such-page")
    assert viewer.place == "getting-started"
    assert viewer.windowTitle().startswith("Getting started")


def test_headings_are_larger_than_text_and_code_is_monospaced(viewer: HelpWindow, theme: Theme):
    viewer.show_place("criterion-language")
    sizes, families = {}, set()
    block = viewer.page.document().begin()
    while block.isValid():
        if block.text() == "Criterion language":
            sizes["title"] = block.begin().fragment().charFormat().font().pixelSize()
        if block.text().startswith("grading:"):
            families.add(block.begin().fragment().charFormat().font().family())
        block = block.next()
    assert sizes["title"] == theme.pixels(20)
    assert families == {theme.code_font().family()}


def test_searching_the_manual(viewer: HelpWindow):
    viewer.search.setText("docker engine")
    assert viewer.contents.count() > 0
    viewer.search.returnPressed.emit()
    assert viewer.place == "troubleshooting#no-docker-engine-answers"
    viewer.search.setText("zebra quagga")
    assert viewer.nothing.isVisible()
    viewer.search.clear()
    assert viewer.contents.count() == len(manual.TOPICS)


def test_nothing_is_loaded_from_anywhere(viewer: HelpWindow):
    assert viewer.page.loadResource(2, QUrl("https://example.org/x.png")) is None


def test_the_tour_leads_through_pages_and_ends(qtbot: QtBot):
    shown: list[str] = []
    bar = TourBar(shown.append)
    qtbot.addWidget(bar)
    assert {step.page for step in STEPS} <= {page.name for page in PAGES}
    bar.start()
    assert bar.isVisible()
    for _ in STEPS[1:]:
        bar.next_button.click()
    assert shown == [step.page for step in STEPS]
    assert bar.next_button.text() == "Done"
    bar.back_button.click()
    assert bar.step == STEPS[-2]
    bar.next_button.click()
    bar.next_button.click()
    assert not bar.isVisible()
    bar.start()
    bar.end_button.click()
    assert not bar.isVisible()


# Search becomes complete behind imports and after openings, says so meanwhile, and rests when it was cancelled.
MANY = FIRST_STEP + 100


def _import(store: ProjectFile | None, folder: Path, name: str = "a") -> None:
    assert store is not None
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps({"id": f"{name}{n}", "prompt": f"Okapi {n}?"}) + "\n" for n in range(MANY)))
    imports.import_paths(store, "jsonl", [path])


@pytest.fixture
def keeper(session: Session) -> Iterator[SearchKeeper]:
    parent = QObject()
    yield SearchKeeper(session, parent)
    session.close()
    parent.deleteLater()


def _lacking(session: Session) -> int:
    assert session.store is not None
    return search_index.count_unindexed(session.store)


def test_an_import_is_made_searchable_behind_it(
    qtbot: QtBot, session: Session, keeper: SearchKeeper, theme: Theme, tmp_path: Path
) -> None:
    assert keeper.parent() is not None
    _import(session.store, tmp_path)
    queue = Queue(session, theme, "Candidates", QueueFilter())
    qtbot.addWidget(queue)
    queue.search.setText("okapi")
    qtbot.waitUntil(lambda: not queue.incomplete.isHidden())
    assert queue.incomplete.text() == f"Search is not complete yet: {MANY:,} candidates left to index."
    session.changed.connect(queue.reload)
    session.announce(Changes(frozenset({"source"})))
    qtbot.waitUntil(lambda: _lacking(session) == 0 and not session.jobs)
    qtbot.waitUntil(lambda: len(queue.model.rows) == MANY and queue.incomplete.isHidden())


def test_what_was_left_is_made_searchable_at_the_next_opening(
    qtbot: QtBot, session: Session, keeper: SearchKeeper, project_file: Path, tmp_path: Path
) -> None:
    assert keeper.parent() is not None
    _import(session.store, tmp_path)
    session.close()
    session.adopt(projects.open_project(project_file))
    assert _lacking(session) == MANY
    qtbot.waitUntil(lambda: _lacking(session) == 0 and not session.jobs)


def test_it_is_not_started_again_by_being_cancelled(
    qtbot: QtBot, session: Session, keeper: SearchKeeper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    complete = search_index.complete_search_index

    def waiting(_store: ProjectFile, progress: Progress) -> int:
        started.append("started")
        while True:
            progress.check()
            time.sleep(0.01)

    monkeypatch.setattr(search_index, "complete_search_index", waiting)
    _import(session.store, tmp_path)
    session.announce(Changes(frozenset({"source"})))
    qtbot.waitUntil(lambda: started == ["started"] and len(session.jobs) == 1)
    # An import meanwhile does not start a second one.
    _import(session.store, tmp_path, "b")
    with qtbot.waitSignal(session.changed):
        session.announce(Changes(frozenset({"source"})))
    qtbot.waitUntil(lambda: not keeper.findChild(QTimer).isActive())
    # A late notice about the file may come while the job still ends.
    with qtbot.waitSignal(session.changed, check_params_cb=lambda _changes: not session.jobs):
        session.jobs[0].progress.cancel()
    assert not keeper.findChild(QTimer).isActive() and started == ["started"]
    monkeypatch.setattr(search_index, "complete_search_index", complete)
    session.announce(Changes(frozenset({"source"})))
    qtbot.waitUntil(lambda: _lacking(session) == 0 and not session.jobs)
