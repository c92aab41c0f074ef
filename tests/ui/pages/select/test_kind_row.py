"""Difficulty, question type and licence of a candidate: all fields are in view, and nothing is said twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from annotator.ui.app.main_window import MainWindow

Wait = Callable[[Callable[[], object]], None]


def test_the_fields_are_whole_in_a_small_window(window: MainWindow, wait: Wait) -> None:
    window.show_page("Select")
    page: Any = window.pages.page("Select")
    wait(lambda: page.view is not None)
    window.resize(760, 430)

    def whole() -> None:
        for field in (page.kind.difficulty, page.kind.type, page.kind.licence):
            place = field.rect().translated(field.mapTo(page.kind, field.rect().topLeft()))
            assert page.kind.rect().contains(place)
        assert page.kind.geometry().bottom() < page.prompt.geometry().top()

    wait(whole)


def test_a_licence_alone_is_told_in_its_field_only(window: MainWindow, wait: Wait) -> None:
    window.show_page("Select")
    page: Any = window.pages.page("Select")
    wait(lambda: page.view is not None and bool(page.view.licence))
    assert page.kind.licence.currentText() == page.view.licence
    assert page.credit.isHidden() or page.credit.text() != page.view.licence
