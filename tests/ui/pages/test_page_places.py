"""The parts of the real pages have places of their own, and panels that are made later come back arranged."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractScrollArea, QSplitter

from annotator.ui.app.main_window import MainWindow
from annotator.ui.app.settings.page_layout import place_in
from annotator.ui.pages.page_registry import PAGES
from tests.windows import Wait, open_page


def test_every_part_of_every_page_has_a_place_of_its_own(window: MainWindow, wait: Wait) -> None:
    for item in PAGES:
        page = open_page(window, item.name)
        parts = [*page.findChildren(QSplitter), *page.findChildren(QAbstractScrollArea)]
        places = [place_in(page, part) for part in parts]
        assert len(set(places)) == len(places), item.name


def test_panels_that_are_made_later_are_arranged_too(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Sources")
    page.ways.choose(3)
    splitter = page.panel(3).suggestions.findChild(QSplitter)
    page.panel(3).faces.choose(2)
    wait(splitter.isVisible)
    splitter.setSizes([300, 700])
    sizes = splitter.sizes()
    window.pages.keep_states()
    page.ways.choose(0)
    window.pages.drop_pages()
    page = open_page(window, "Sources")
    page.ways.choose(3)
    page.panel(3).faces.choose(2)
    splitter = page.panel(3).suggestions.findChild(QSplitter)
    wait(splitter.isVisible)
    assert [abs(one - other) < 3 for one, other in zip(splitter.sizes(), sizes, strict=True)] == [True, True]
