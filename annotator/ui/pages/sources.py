"""Where candidates come from: import with progress, and what was read so far."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from annotator.base import clock
from annotator.jobs.progress import Progress
from annotator.model.rows import Changes, SourceRow
from annotator.ui.folders import beside_project
from annotator.ui.notices import Failure
from annotator.ui.page import Page, PageContext
from annotator.ui.when import ago
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.empty_state import EmptyState
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.segments import Segments
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.words import tr, tr_known, tr_later

if TYPE_CHECKING:
    from annotator.services.importing import ImportReport

_WAYS = (
    (tr_later("Import"), "", ""),
    (tr_later("Stack Exchange"), "annotator.ui.pages.parts.exchange_panel", "ExchangePanel"),
    (tr_later("Generated code"), "annotator.ui.pages.parts.code_panel", "CodePanel"),
    (tr_later("Repositories"), "annotator.ui.pages.parts.repository_panel", "RepositoryPanel"),
)


class SourcesPage(Page):
    """Import candidates and see every source."""

    name = "Sources"
    icon = "ph.download-simple"

    def __init__(self, context: PageContext) -> None:
        """Put the import card and the list of sources together."""
        super().__init__(context)
        self.setAcceptDrops(True)
        self._paths: tuple[Path, ...] = ()
        self.card = Card(tr("Import candidates"), tr("Files can be dropped on this page"))
        self.format = QComboBox()
        self.format.setAccessibleName(tr("Format"))
        self.about = label("", "dim", wrap=True)
        self.mapping = QLineEdit()
        self.mapping.setAccessibleName(tr("Columns"))
        self.mapping.setPlaceholderText(tr("Columns, if they have other names: prompt=question reference=answer"))
        self.files = button(tr("Choose files…"), context.actions.keys("sources.import"), primary=True)
        self.folder = button(tr("Choose a folder…"))
        self.report = label("", wrap=True)
        self.errors = QPlainTextEdit()
        self.errors.setReadOnly(True)
        self.errors.setAccessibleName(tr("Rows that could not be read"))
        self.errors.setMaximumHeight(140)
        self.keep_good = button(tr("Import the good rows"))
        self._lay_out_import()
        self.list_card = Card(tr("Sources"))
        self.table = DataTable(tr("Sources"))
        self.empty = EmptyState(
            self.theme,
            "ph.tray",
            tr("No source yet"),
            tr(
                "Import JSON lines, HumanEval, an InfiBench suite or an exported release. Importing the same file "
                "twice adds nothing."
            ),
            tr("Choose files…"),
        )
        self.empty.acted.connect(self.choose_files)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.empty)
        self.list_card.body.addWidget(self.stack)
        first = QWidget()
        inside = QVBoxLayout(first)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(12)
        inside.addWidget(self.card)
        inside.addWidget(self.list_card, 1)
        self.ways = Segments(tr("Where candidates come from"), [name for name, _, _ in _WAYS])
        self.ways.chosen.connect(self._show_way)
        self.panels = QStackedWidget()
        self.panels.addWidget(first)
        self._built: dict[int, QWidget] = {0: first}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 12, 8)
        layout.setSpacing(12)
        layout.addWidget(self.ways, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self.panels, 1)
        self._fill_formats()

    def _show_way(self, number: int) -> None:
        self.panels.setCurrentWidget(self.panel(number))

    def panel(self, number: int) -> QWidget:
        """Return a way in (0 import, then mining), built when it is first looked at."""
        if number not in self._built:
            _, module, name = _WAYS[number]
            made = getattr(importlib.import_module(module), name)(self.context)
            self._built[number] = made
            self.panels.addWidget(made)
        return self._built[number]

    def state(self) -> dict[str, Any]:
        """Return which way in is shown."""
        return {"way": self.ways.current}

    def restore(self, state: dict[str, Any]) -> None:
        """Show the way in that was shown last."""
        way = state.get("way")
        if isinstance(way, int) and 0 <= way < len(_WAYS):
            self.ways.choose(way)

    def _lay_out_import(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.format)
        row.addWidget(self.mapping, 100)
        # Where there is nothing to map, the buttons keep their size.
        row.addStretch(1)
        row.addWidget(self.folder)
        row.addWidget(self.files)
        self.card.body.addLayout(row)
        self.card.body.addWidget(self.about)
        self.card.body.addWidget(self.report)
        self.card.body.addWidget(self.errors)
        self.card.body.addWidget(self.keep_good)
        for widget in (self.report, self.errors, self.keep_good):
            widget.hide()
        self.format.currentIndexChanged.connect(self._format_chosen)
        self.files.clicked.connect(self.choose_files)
        self.folder.clicked.connect(self.choose_folder)
        self.keep_good.clicked.connect(self._import_good)

    def _fill_formats(self) -> None:
        from annotator.formats.registry import IMPORTS

        for item in IMPORTS:
            self.format.addItem(tr_known(item.title), item.name)

    def _format_chosen(self, index: int) -> None:
        from annotator.formats.registry import IMPORTS

        self.about.setText(tr_known(IMPORTS[index].description))
        self.mapping.setVisible(IMPORTS[index].accepts_mapping)

    def activate(self) -> None:
        """Load the list of sources."""
        store = self.session.store
        if store is not None:
            self.session.run("read", partial(_sources, store), self._take_sources, latest="sources")

    def refresh(self, changes: Changes) -> None:
        """Load the list again when a source came or went."""
        if changes.nouns & {"source", "subject"}:
            self.activate()

    def actions(self) -> dict[str, Callable[[], object]]:  # type: ignore[override]  # see Page.actions
        """Return the import."""
        return {"sources.import": self.choose_files}

    def choose_files(self) -> None:
        """Ask for files and import them."""
        self.ways.choose(0)
        names, _ = QFileDialog.getOpenFileNames(self, tr("Import candidates"), beside_project(self.session))
        if names:
            self.import_paths([Path(name) for name in names])

    def choose_folder(self) -> None:
        """Ask for a folder and import it."""
        name = QFileDialog.getExistingDirectory(self, tr("Import a folder"), beside_project(self.session))
        if name:
            self.import_paths([Path(name)])

    def import_paths(self, paths: Sequence[Path], *, skip_bad: bool = False) -> None:
        """Import files or folders as a job; bad rows are shown where the import was started."""
        store = self.session.store
        if store is None:
            return
        self._paths = tuple(paths)
        mapping = dict(pair.split("=", 1) for pair in self.mapping.text().split() if "=" in pair)
        kind = self.format.currentData()
        self._show_report(tr("Importing…"), ())
        self.session.start_job(
            tr("Importing {name}", name=paths[0].name),
            partial(_import, store, kind, self._paths, mapping, skip_bad),
            self._imported,
            self._failed,
            summary=_summary,
        )

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Import what was dropped, or mine it where a panel for that is shown."""
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        shown = self.panels.currentWidget()
        take = getattr(shown, "take_paths", None)
        if paths and take is not None:
            take(paths)
        elif paths:
            self.import_paths(paths)

    def _import_good(self) -> None:
        self.import_paths(self._paths, skip_bad=True)

    def _imported(self, report: ImportReport) -> None:
        self._show_report(_summary(report), tuple(str(error) for error in report.errors))

    def _failed(self, failure: Failure) -> None:
        self._show_report(failure.message, failure.details, can_skip=bool(failure.details))

    def _show_report(self, text: str, lines: Sequence[str], *, can_skip: bool = False) -> None:
        self.report.setText(text)
        self.report.show()
        self.errors.setPlainText("\n".join(lines))
        self.errors.setVisible(bool(lines))
        self.keep_good.setVisible(can_skip)

    def _take_sources(self, rows: tuple[SourceRow, ...]) -> None:
        self.stack.setCurrentWidget(self.table if rows else self.empty)
        lines = [
            (
                Cell(row.name),
                Cell(_format_title(row.kind)),
                *(Cell(f"{row.counts.get(name, 0):,}", row.counts.get(name, 0)) for name in ("added", "known", "bad")),
                Cell(row.annotator),
                Cell(ago(clock.parse(row.created_at)), row.created_at),
            )
            for row in rows
        ]
        self.table.set_rows(
            (tr("source"), tr("format"), tr("added"), tr("known"), tr("bad"), tr("by"), tr("when")), lines, list(rows)
        )


def _summary(report: ImportReport) -> str:
    text = tr("{added} added, {known} known", added=f"{report.added:,}", known=f"{report.known:,}")
    if report.changed:
        text += tr(", {changed} known with other content and left as they were", changed=f"{report.changed:,}")
    return tr("{text}, {bad} bad.", text=text, bad=f"{report.bad:,}") if report.bad else f"{text}."


def _format_title(kind: str) -> str:
    """Return a format's name as the choice above the list has it; what was mined is named by its kind."""
    from annotator.formats.registry import IMPORTS

    return next((tr_known(item.title) for item in IMPORTS if item.name == kind), kind)


# The store's type would load SQLModel before the first paint, so these take it as an object.


def _import(
    store: object, kind: str, paths: tuple[Path, ...], mapping: dict[str, str], skip_bad: bool, progress: Progress
) -> ImportReport:
    from annotator.services import importing

    return importing.import_paths(store, kind, paths, mapping, skip_bad, progress)  # type: ignore[arg-type]  # see above


def _sources(store: object) -> tuple[SourceRow, ...]:
    from annotator.services import importing

    return importing.sources(store)  # type: ignore[arg-type]  # see above
