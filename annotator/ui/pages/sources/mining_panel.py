"""The base class of the mining panels of the page Sources, and the widgets they share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHeaderView, QListWidgetItem, QWidget

from annotator.base.errors import UsageError
from annotator.jobs.progress import Progress
from annotator.services.sources.imports import ImportReport
from annotator.ui.app.base_page import Page
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, tr_count, translate_word
from annotator.ui.widgets.bar_list import Bar, BarList
from annotator.ui.widgets.card import Card, EmptyState
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.fields import EntryTable
from annotator.ui.widgets.labels import Segments, button, label
from annotator.ui.widgets.layouts import fill_column, make_row, make_splitter, make_stack
from annotator.ui.widgets.table import CellContent, DataTable

T = TypeVar("T")


class FunnelView(BarList):
    """The stages of a funnel; `stage_chosen` carries the name of the selected stage, to show what it dropped."""

    stage_chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("Funnel"))
        self.currentItemChanged.connect(self._emit_current)

    def set_stages(self, stages: Sequence[tuple[str, str, int | None]]) -> None:
        """Show stages given as (name, label, number of items left or None if it is not known)."""
        largest = max((count or 0 for _, _, count in stages), default=0)
        bars = []
        for _, condition, count in stages:
            text, number = translate_word(condition), tr("not known") if count is None else f"{count:,}"
            share = (count or 0) / largest if largest else 0.0
            summary = f"{text}: {number}"
            tip = tr("{summary}. Select it to see what it drops.", summary=summary)
            bars.append(Bar(label=text, number=number, share=share, summary=summary, tip=tip))
        self.set_bars(bars, [name for name, _, _ in stages])
        self.setMinimumHeight(self.full_height)

    def _emit_current(self, current: QListWidgetItem | None, _previous: QListWidgetItem | None) -> None:
        if current is not None:
            self.stage_chosen.emit(current.data(Qt.ItemDataRole.UserRole))


class ShareTable(EntryTable):
    """An editable table of names and their shares."""

    def __init__(self, name: str, first_header: str) -> None:
        """``name`` is for screen readers, ``first_header`` names the first column."""
        super().__init__(name, (first_header, tr("share")))
        self.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().hide()

    def add_share(self, name: str = "", share: float | None = None) -> None:
        """Add a row."""
        self.add_row((name, "" if share is None else f"{share:g}"))

    def shares(self) -> dict[str, float]:
        """Return the shares by name; rows without a name are left out.

        Raises `UsageError` for a share that is not a number.
        """
        shares = {}
        for name, share_text in self.texts():
            if not name.strip():
                continue
            try:
                shares[name.strip()] = float(share_text.strip().replace(",", ".") or "0")
            except ValueError:
                raise UsageError(tr("{text} is not a share from 0 to 1.", text=share_text.strip())) from None
        return shares


class MinedItems(QWidget, Generic[T]):
    """Mined candidates: a table to select from, and the current one in two views of code.

    Subclasses lay out ``results`` and ``pair``.
    """

    import_requested = Signal()
    """Request to import the selected candidates into the project."""
    title = ""
    """The table's name for screen readers."""
    headers: tuple[str, ...] = ()
    wide_columns: tuple[int, ...] = ()

    def __init__(self, theme: Theme, lists: Sequence[str], other: tuple[str, str], *tools: QWidget) -> None:
        """``lists`` names the lists to show, ``other`` is title and name of the second view."""
        super().__init__()
        self.selected_names: set[str] = set()
        """The names of the candidates to import."""
        self._current_item: T | None = None
        self.faces = Segments(tr("Functions to show"), lists, selected=self._show_list)
        self.table = DataTable(translate_word(self.title), selected=self.show_item)
        self.leave_out_button = button(tr("Leave out"), clicked=self.toggle)
        self.add_button = button(tr("Add to project"), primary=True, clicked=self.import_requested)
        self.why = label("", wrap=True)
        self.code, self.other = CodeView(theme, tr("Function")), CodeView(theme, other[1])
        self.code_card, self.other_card = Card(tr("Function"), (self.code, 1)), Card(other[0], (self.other, 1))
        row = make_row(self.faces, *tools[:1], None, *tools[1:], self.leave_out_button, self.add_button)
        self.results = Card("", row, (self.table, 1), self.why)
        self.pair = make_splitter(Qt.Orientation.Horizontal, self.code_card, self.other_card)

    def name_of(self, item: T) -> str:
        """Return the unique name of a candidate."""
        raise NotImplementedError

    def items_of_list(self, number: int) -> Sequence[T]:
        """Return the candidates of a list, empty before anything was mined."""
        raise NotImplementedError

    def cells_of(self, item: T, choice: str) -> Sequence[CellContent]:
        """Return the table row of a candidate; ``choice`` is the word for selected or left out."""
        raise NotImplementedError

    def show_pair(self, item: T) -> str:
        """Show a candidate in both views; return why it was or was not selected."""
        raise NotImplementedError

    def _show_list(self, number: int) -> None:
        self.set_listed(self.items_of_list(number))

    def set_listed(self, items: Sequence[T]) -> None:
        """List some of the candidates; the current one stays if it is among them."""
        state_words = {True: tr("✓ selected"), False: tr("left out")}
        rows = [self.cells_of(item, state_words[self.name_of(item) in self.selected_names]) for item in items]
        self.table.set_rows(self.headers, rows, items, stretch=self.wide_columns)
        self.add_button.setText(tr("Add {count} to the project", count=f"{len(self.selected_names):,}"))
        self.add_button.setEnabled(bool(self.selected_names))
        current_name = self.name_of(self._current_item) if self._current_item is not None else None
        if not self.table.select_first(lambda item: self.name_of(item) == current_name):
            self.show_item(None)

    def show_item(self, item: T | None) -> None:
        """Show a candidate, and the reasons for rejecting it."""
        self._current_item = item
        self.leave_out_button.setEnabled(item is not None)
        if item is None:
            self.code.set_code("")
            self.other.set_code("")
            self.why.setText("")
            return
        self.leave_out_button.setText(
            tr("Leave out") if self.name_of(item) in self.selected_names else tr("Add anyway")
        )
        self.why.setText(self.show_pair(item))

    def toggle(self) -> None:
        """Include or exclude the current candidate, regardless of the filters."""
        if self._current_item is not None:
            self.selected_names ^= {self.name_of(self._current_item)}
            self._show_list(self.faces.current)


class MiningPanel(QWidget):
    """The base of the panels that mine candidates; subclasses call `fill` to lay out their widgets."""

    def __init__(self, page: Page, about: str) -> None:
        """``about`` is a sentence on what can be mined."""
        super().__init__()
        self.session, self.store, self.theme = page.session, page.store, page.theme
        self.state = label(about, "dim", wrap=True)
        """Shows what can be mined, then the progress and the outcome."""

    def fill(self, card: Card, empty: EmptyState, *results: QWidget) -> None:
        """Lay out the card with the inputs above a stack of the empty state and the views of results."""
        self.card, self.empty = card, empty
        self.stack = make_stack(empty, *results)
        fill_column(self, card, (self.stack, 1), spacing=12)

    def take_paths(self, paths: Sequence[Path]) -> None:
        """Handle paths dropped on the page."""
        raise NotImplementedError

    def _show_failure(self, failure: WorkFailure) -> None:
        self.state.setText(failure.message)

    def import_items(self, title: str, work: Callable[[Progress], ImportReport]) -> None:
        """Start a job that imports candidates, and show how many were added."""
        self.session.start_job(title, work, self._show_import, self._show_failure, summary=_describe_import)

    def _show_import(self, report: ImportReport) -> None:
        self.session.announce(report.changes)
        self.state.setText(_describe_import(report))


def _describe_import(report: ImportReport) -> str:
    return tr_count(
        "{count} candidate added, {known} already in the project.",
        "{count} candidates added, {known} already in the project.",
        report.added,
        known=f"{report.known + report.changed:,}",
    )
