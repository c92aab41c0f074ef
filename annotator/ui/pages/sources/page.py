"""Where candidates come from: import with progress, and what was read so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from annotator.formats.registry import IMPORTS
from annotator.model.changes import Changes
from annotator.model.rows.drafts import Draft
from annotator.model.rows.views import SourceRow
from annotator.services.sources import import_preview, imports
from annotator.services.sources.import_preview import ImportPreview, name_columns
from annotator.services.sources.imports import ImportReport
from annotator.ui.app import file_dialogs
from annotator.ui.app.base_page import Destination, Page, PageContext
from annotator.ui.app.session.notices import Failure
from annotator.ui.app.translation import mark_for_translation, tr, tr_count, translate_word
from annotator.ui.pages.sources.generated_code_panel import CodePanel
from annotator.ui.pages.sources.import_preview_panel import ImportPreviewPanel
from annotator.ui.pages.sources.repository_panel import RepositoryPanel
from annotator.ui.pages.sources.stackexchange_panel import ExchangePanel
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.empty_state import EmptyState
from annotator.ui.widgets.fields import choice_box, line_edit
from annotator.ui.widgets.labels import Segments, button, join_list, label
from annotator.ui.widgets.layouts import CurrentStack, arrange, fill_layout, make_column, make_row, make_stack
from annotator.ui.widgets.table import Cell, DataTable, count_cell, moment_cell

_Miner = type[ExchangePanel] | type[CodePanel] | type[RepositoryPanel]
_MINERS: tuple[tuple[str, _Miner], ...] = (
    (mark_for_translation("Stack Exchange"), ExchangePanel),
    (mark_for_translation("Generated code"), CodePanel),
    (mark_for_translation("Repositories"), RepositoryPanel),
)


class SourcesPage(Page):
    """Import candidates and see every source."""

    name = "Sources"
    icon = "ph.download-simple"

    def __init__(self, context: PageContext) -> None:
        """Put the import card and the list of sources together."""
        super().__init__(context)
        self._paths: tuple[Path, ...] = ()
        self._libraries: tuple[str, ...] = ()
        self._suggested = ""
        self._refused = False
        self.card = Card(tr("Import candidates"), trailing=tr("Files can be dropped on this page"))
        self.format = choice_box(tr("Format"))
        self.about = label("", "dim", wrap=True)
        hint = tr("Columns, if they have other names: prompt=question reference=answer")
        self.mapping = line_edit(tr("Columns"), hint)
        self.files = button(tr("Choose files…"), context.actions.keys("sources.import"), primary=True)
        self.folder = button(tr("Choose a folder…"), clicked=self.choose_folder)
        self.report = label("", wrap=True)
        self.errors = QPlainTextEdit()
        self.errors.setReadOnly(True)
        self.errors.setAccessibleName(tr("Rows that could not be read"))
        self.errors.setMaximumHeight(140)
        self.keep_good = button(tr("Import the good rows"), clicked=self._import_good)
        self.onwards = button(tr("Show on {page}", page=translate_word("Select")), clicked=self._go_on)
        self.preview = ImportPreviewPanel()
        self._lay_out_import()
        self.table = DataTable(tr("Sources"))
        self.empty = EmptyState(
            self.theme,
            "ph.tray",
            tr("No source yet"),
            tr(
                "Import JSON lines, a table (CSV), HumanEval, an InfiBench suite or an exported release. Importing the "
                "same file twice adds nothing."
            ),
            tr("Choose files…"),
        )
        self.empty.acted.connect(self.choose_files)
        self.stack = make_stack(self.table, self.empty, kind=CurrentStack)
        self.list_card = Card(tr("Sources"), self.stack)
        first = QWidget()
        make_column(first, self.card, (self.list_card, 1), spacing=12)
        self.ways = Segments(tr("Where candidates come from"), (tr("Import"), *(name for name, _ in _MINERS)))
        self.ways.chosen.connect(self._show_way)
        self.panels = make_stack(first)
        self._built: dict[int, QWidget] = {0: first}
        ways = (self.ways, Qt.AlignmentFlag.AlignLeft)
        arrange(QVBoxLayout(self), ways, (self.panels, 1), spacing=12, margins=(0, 8, 12, 8))
        for item in IMPORTS:
            self.format.addItem(translate_word(item.title), item.name)

    def _show_way(self, number: int) -> None:
        self.panels.setCurrentWidget(self.panel(number))

    def panel(self, number: int) -> QWidget:
        """Return a way in (0 import, then mining), built when it is first looked at."""
        if number not in self._built:
            _, kind = _MINERS[number - 1]
            self._built[number] = kind(self)
            self.panels.addWidget(self._built[number])
            self.part_built.emit(self._built[number])
        return self._built[number]

    def show_draft(self, draft: Draft) -> None:
        """Show the suggestion that was being edited."""
        number = 1 + next(at for at, (_, kind) in enumerate(_MINERS) if kind is RepositoryPanel)
        self.ways.choose(number)
        panel = self.panel(number)
        if isinstance(panel, RepositoryPanel):
            panel.show_suggestion(draft.key.item_id)

    def state(self) -> dict[str, Any]:
        """Return which way in is shown."""
        return {"way": self.ways.current}

    def restore(self, state: dict[str, Any]) -> None:
        """Show the way in that was shown last."""
        way = state.get("way")
        if isinstance(way, int) and 0 <= way <= len(_MINERS):
            self.ways.choose(way)

    def _lay_out_import(self) -> None:
        choices = make_row(self.format, (self.mapping, 100), spacing=8)
        # Where there is nothing to map, the buttons keep their size.
        self._row = arrange(QHBoxLayout(), (choices, 100), make_row(None, self.folder, self.files, spacing=8))
        acts = make_row(self.keep_good, self.onwards, None, spacing=8)
        fill_layout(self.card.body, self._row, self.about, self.preview, self.report, self.errors, acts)
        for widget in (self.preview, self.report, self.errors, self.keep_good, self.onwards):
            widget.hide()
        self.theme.changed.connect(self._make_room)
        self._make_room()
        self.format.currentIndexChanged.connect(self._format_chosen)
        self.mapping.editingFinished.connect(self._preview_again)
        self.files.clicked.connect(self.choose_files)
        self.preview.accepted.connect(self._import_previewed)
        self.preview.cancelled.connect(self.preview.hide)

    def _make_room(self) -> None:
        """Put the buttons below the choices where there is no room beside them."""
        directions = QBoxLayout.Direction
        self._row.setDirection(directions.TopToBottom if self.theme.is_cramped else directions.LeftToRight)

    def _format_chosen(self, index: int) -> None:
        self.about.setText(translate_word(IMPORTS[index].description))
        self.mapping.setVisible(IMPORTS[index].accepts_mapping)
        if self._refused:
            # The format chosen by hand is used where none was recognised.
            self.preview_paths(self._paths, IMPORTS[index].name)
        else:
            self._preview_again()

    def activate(self) -> None:
        """Load the list of sources."""
        self.session.run("read", partial(imports.sources, self.store), self._show_sources, latest="sources")

    def refresh(self, changes: Changes) -> None:
        """Load the list again when a source came or went."""
        if changes.nouns & {"source", "subject"}:
            self.activate()

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the import."""
        return {"sources.import": self.choose_files}

    def choose_files(self) -> None:
        """Ask for files and show what they hold."""
        self.ways.choose(0)
        folder = file_dialogs.project_folder(self.session)
        paths = file_dialogs.choose_files(self, tr("Import candidates"), folder=folder)
        if paths:
            self.preview_paths(paths)

    def choose_folder(self) -> None:
        """Ask for a folder and show what it holds."""
        path = file_dialogs.choose_folder(self, tr("Import a folder"), file_dialogs.project_folder(self.session))
        if path is not None:
            self.preview_paths([path])

    def preview_paths(self, paths: Sequence[Path], format: str = "") -> None:
        """Show the first items of what was chosen, in the format that fits it best unless one is named."""
        self._paths = tuple(paths)
        self._show_report("", ())
        self.report.hide()
        if not format and self.mapping.text() == self._suggested:
            # What was suggested for another file says nothing about this one.
            self.mapping.clear()
        work = partial(import_preview.preview_import, paths[0], format, self._mapping())
        self.session.run("read", work, self._show_preview, self._preview_failed, latest="import-preview")

    def _preview_again(self) -> None:
        if self.preview.isVisible():
            self.preview_paths(self._paths, self.format.currentData())
        elif self._refused:
            self.preview_paths(self._paths)

    def _show_preview(self, preview: ImportPreview) -> None:
        self._refused = False
        if preview.mapping != self._mapping():
            text = import_preview.write_mapping(preview.mapping)
            if not self.mapping.text().strip():
                self._suggested = text
            self.mapping.setText(text)
        place = self.format.findData(preview.format)
        if place >= 0 and place != self.format.currentIndex():
            # It is shown in this format already: no second look.
            self.preview.hide()
            self.format.setCurrentIndex(place)
        more = len(self._paths) - 1
        name = self._paths[0].name
        named = tr_count("{name} and {count} other", "{name} and {count} others", more, name=name) if more else name
        self.preview.show()
        self.preview.show_preview(named, preview)

    def _preview_failed(self, failure: Failure) -> None:
        # Nothing of an earlier file stays beside this, and naming its columns is a second look at this file.
        self._refused = True
        self.preview.hide()
        self._failed(failure)

    def _import_previewed(self) -> None:
        self._libraries = self.preview.wanted_libraries()
        self.preview.hide()
        self.import_paths(self._paths)

    def _mapping(self) -> dict[str, str]:
        return import_preview.read_mapping(self.mapping.text())

    def import_paths(self, paths: Sequence[Path], *, skip_bad: bool = False) -> None:
        """Import files or folders as a job; bad rows are shown where the import was started."""
        self._paths = tuple(paths)
        mapping = self._mapping()
        kind, libraries = self.format.currentData(), self._libraries
        self._show_report(tr("Importing…"), ())
        self.session.start_job(
            tr("Importing {name}", name=paths[0].name),
            partial(imports.import_paths, self.store, kind, self._paths, mapping, skip_bad, libraries=libraries),
            self._imported,
            self._failed,
            summary=_summary,
        )

    def take_paths(self, paths: Sequence[Path]) -> None:
        """Show what was dropped, or mine it where a panel for that is shown."""
        shown = self.panels.currentWidget()
        if isinstance(shown, (ExchangePanel, CodePanel, RepositoryPanel)):
            shown.take_paths(list(paths))
        else:
            self.preview_paths(paths)

    def _import_good(self) -> None:
        self.import_paths(self._paths, skip_bad=True)

    def _imported(self, report: ImportReport) -> None:
        lines = (*(str(error) for error in report.errors), *report.changed_keys)
        text = _summary(report)
        if report.left_out:
            text += "\n" + tr("Columns left out: {columns}.", columns=join_list(name_columns(report.left_out)))
        self._show_report(text, lines)
        self.onwards.setVisible(report.added > 0)
        if report.added:
            self.onwards.setFocus()

    def _go_on(self) -> None:
        self.go_to.emit(Destination("Select"))

    def _failed(self, failure: Failure) -> None:
        self._show_report(failure.message, failure.details, can_skip=bool(failure.details))

    def _show_report(self, text: str, lines: Sequence[str], *, can_skip: bool = False) -> None:
        self.report.setText(text)
        self.report.show()
        self.errors.setPlainText("\n".join(lines))
        self.errors.setVisible(bool(lines))
        self.keep_good.setVisible(can_skip)
        self.onwards.hide()
        if can_skip:
            self.keep_good.setFocus()

    def _show_sources(self, rows: tuple[SourceRow, ...]) -> None:
        self.stack.setCurrentWidget(self.table if rows else self.empty)
        # What was mined is named by its kind.
        titles = {item.name: translate_word(item.title) for item in IMPORTS}
        lines = [
            (
                Cell(row.name),
                Cell(titles.get(row.kind, row.kind)),
                *(count_cell(row.counts.get(name, 0)) for name in ("added", "known", "bad")),
                Cell(row.annotator),
                moment_cell(row.created_at),
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
