"""The page Sources: import or mine candidates, and list all sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QBoxLayout, QPlainTextEdit, QWidget

from annotator.formats.format_registry import IMPORTS
from annotator.formats.read.field_names import READING_WORDS
from annotator.formats.recognition import OWN_FORMAT
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.draft_rows import Draft
from annotator.model.rows.queue_rows import SourceRow
from annotator.services.sources import import_preview, imports, tool_labels
from annotator.services.sources.import_preview import ImportPreview, Pairs
from annotator.services.sources.imports import ImportReport
from annotator.services.sources.label_plan import LabelChoices
from annotator.services.sources.tool_labels import LabelPreview, LabelReport
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app import file_dialogs
from annotator.ui.app.base_page import Destination, Page, PageContext
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.translation import mark_for_translation, tr, tr_count, translate_word
from annotator.ui.pages.sources.generated_code_panel import CodePanel
from annotator.ui.pages.sources.import_preview_panel import ImportPreviewPanel, LabelPanel, describe_label_report
from annotator.ui.pages.sources.mining_panel import MiningPanel
from annotator.ui.pages.sources.repository_panel import RepositoryPanel
from annotator.ui.pages.sources.stackexchange_panel import ExchangePanel
from annotator.ui.widgets.card import Card, EmptyState
from annotator.ui.widgets.fields import choice_box, line_edit
from annotator.ui.widgets.labels import OptionalLabel, Segments, button, join_list, label
from annotator.ui.widgets.layouts import CurrentStack, fill_column, fill_layout, make_row, make_stack
from annotator.ui.widgets.table import CellContent, DataTable, moment_cell

_MAX_SHAPES = 50
"""The number of table shapes, that is sets of columns, whose chosen fields are remembered."""
_MINING_PANELS: tuple[tuple[str, type[ExchangePanel] | type[CodePanel] | type[RepositoryPanel]], ...] = (
    (mark_for_translation("Stack Exchange"), ExchangePanel),
    (mark_for_translation("Generated code"), CodePanel),
    (mark_for_translation("Repositories"), RepositoryPanel),
)


class SourcesPage(Page):
    """Imports candidates and lists all sources."""

    name = "Sources"
    icon = "ph.download-simple"

    def __init__(self, context: PageContext) -> None:
        """Build the import card and the list of sources."""
        super().__init__(context)
        self._paths: tuple[Path, ...] = ()
        self._libraries: tuple[str, ...] = ()
        self._mapped_paths: tuple[Path, ...] = ()
        self._pairs_by_shape: dict[str, Pairs] = {}
        self._pasted_folders: list[TemporaryDirectory[str]] = []
        self._shape = ""
        self._preview_has_failed = False
        self._chosen_format = ""
        self._format = ""
        self.card = Card(tr("Import candidates"), trailing=tr("Drop files on this page to import them"))
        self.format = choice_box(tr("Format"))
        self.format_description = label("", "dim", wrap=True)
        hint = tr("Other column names: prompt=question")
        self.mapping = line_edit(tr("Columns"), hint)
        tip = tr("Read a table or JSON lines from the clipboard")
        self.paste_button = button(tr("Paste"), clicked=self.paste_table, tip=tip)
        key = context.actions.keys("sources.import")
        self.files_button = button(tr("Choose files…"), key, primary=True, clicked=self.choose_files)
        self.folder_button = button(tr("Choose a folder…"), clicked=self.choose_folder)
        self.report = OptionalLabel()
        self.errors = QPlainTextEdit()
        self.errors.setReadOnly(True)
        self.errors.setAccessibleName(tr("Unreadable rows"))
        self.errors.setMaximumHeight(140)
        self.import_good_button = button(tr("Import the good rows"), clicked=self._import_good)
        page_name = translate_word("Select")
        self.show_on_select_button = button(tr("Show on {page}", page=page_name), clicked=self._go_to_select)
        self.preview = ImportPreviewPanel()
        self.label_panel = LabelPanel(self.session, lambda: self.store)
        self._lay_out_import()
        self.table = DataTable(tr("Sources"))
        self.empty = EmptyState(
            self.theme,
            "ph.tray",
            tr("No sources yet"),
            tr(
                "Import a table (CSV, Excel), JSON lines, HumanEval, an InfiBench suite or an exported release. "
                "Importing the same file twice adds nothing."
            ),
            tr("Choose files…"),
        )
        self.empty.acted.connect(self.choose_files)
        self.stack = make_stack(self.table, self.empty, kind=CurrentStack)
        self.list_card = Card(tr("Sources"), self.stack)
        import_panel = QWidget()
        fill_column(import_panel, (self.card, 0), (self.list_card, 1), spacing=12)
        tab_names = (tr("Import"), *(name for name, _ in _MINING_PANELS))
        self.source_tabs = Segments(tr("Where candidates come from"), tab_names, self._show_tab)
        self.panels = make_stack(import_panel)
        self._built_panels: dict[int, QWidget] = {0: import_panel}
        tab_row = (self.source_tabs, Qt.AlignmentFlag.AlignLeft)
        fill_column(self, tab_row, (self.panels, 1), spacing=12, margin=(0, 8, 12, 8))
        with QSignalBlocker(self.format):
            self.format.addItem(tr("Format: detect"), "")
            for item in IMPORTS:
                self.format.addItem(translate_word(item.title), item.name)
        self._describe_format()

    def _show_tab(self, number: int) -> None:
        self.panels.setCurrentWidget(self.panel(number))

    def panel(self, number: int) -> QWidget:
        """Return a panel (0: import, then the miners), built on first use."""
        if number not in self._built_panels:
            _, panel_class = _MINING_PANELS[number - 1]
            self._built_panels[number] = panel_class(self)
            self.panels.addWidget(self._built_panels[number])
            self.part_built.emit(self._built_panels[number])
        return self._built_panels[number]

    def show_draft(self, draft: Draft) -> None:
        """Show the suggestion that the draft edits."""
        self._repository_panel().show_suggestion(draft.key.item_id)

    def state(self) -> dict[str, Any]:
        """Return the current panel, and the chosen pairs of field and column by shape of file."""
        return {
            "way": self.source_tabs.current,
            "columns": {shape: list(pairs) for shape, pairs in self._pairs_by_shape.items()},
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore the last panel and the chosen columns."""
        way = state.get("way")
        if isinstance(way, int) and 0 <= way <= len(_MINING_PANELS):
            self.source_tabs.choose(way)
        columns = state.get("columns")
        if isinstance(columns, dict):
            self._pairs_by_shape = {str(shape): _pairs_from_state(pairs) for shape, pairs in columns.items()}

    def _lay_out_import(self) -> None:
        choices = make_row(self.format, (self.mapping, 100))
        # The stretch keeps the buttons' size when the mapping field is hidden.
        self._choice_row = make_row(
            (choices, 100), make_row(None, self.paste_button, self.folder_button, self.files_button)
        )
        buttons = make_row(self.import_good_button, self.show_on_select_button, None)
        steps = (self.preview, self.label_panel, self.report, self.errors)
        fill_layout(self.card.body, self._choice_row, self.format_description, *steps, buttons)
        for widget in (*steps, self.import_good_button, self.show_on_select_button):
            widget.hide()
        self.theme.changed.connect(self._fit_buttons)
        self._fit_buttons()
        self.format.currentIndexChanged.connect(self._choose_format)
        self.mapping.editingFinished.connect(self._apply_mapping)
        self.preview.accepted.connect(self._import_previewed)
        self.preview.cancelled.connect(self._end_preview)
        self.preview.columns_chosen.connect(self._choose_columns)
        self.label_panel.imported.connect(self._show_imported_labels)
        self.label_panel.failed.connect(self._show_failure)

    def _fit_buttons(self) -> None:
        """Move the buttons below the choices in a cramped window."""
        directions = QBoxLayout.Direction
        self._choice_row.setDirection(directions.TopToBottom if self.theme.is_cramped else directions.LeftToRight)

    def _choose_format(self, _index: int) -> None:
        self._chosen_format = self.format.currentData()
        self._describe_format()
        self._preview_again()

    def _describe_format(self) -> None:
        name = self.format.currentData()
        import_format = next((item for item in IMPORTS if item.name == name), None)
        self.format_description.setText(
            translate_word(import_format.description)
            if import_format
            else tr("The format is detected from the content: CSV, Excel, Parquet, JSON lines and others.")
        )
        self.mapping.setVisible(import_format is None or import_format.name == OWN_FORMAT)

    def _show_format(self, name: str) -> None:
        """Show a recognised format without treating it as the user's choice."""
        with QSignalBlocker(self.format):
            self.format.setCurrentIndex(max(0, self.format.findData(name)))
        self._describe_format()

    def activate(self) -> None:
        """Load the list of sources."""
        self.session.run("read", partial(imports.list_sources, self.store), self._show_sources, latest="sources")

    def refresh(self, changes: Changes) -> None:
        """Reload the list when sources or subjects changed."""
        if changes.nouns & {"source", "subject"}:
            self.activate()

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the page's handlers by action id."""
        return {"sources.import": self.choose_files, "sources.repository": self.choose_repository}

    def choose_repository(self) -> None:
        """Show the panel that mines repositories, and put the cursor into its source field."""
        self._repository_panel().source_field.setFocus()

    def _repository_panel(self) -> RepositoryPanel:
        number = 1 + next(
            index for index, (_, panel_class) in enumerate(_MINING_PANELS) if panel_class is RepositoryPanel
        )
        self.source_tabs.choose(number)
        panel = self.panel(number)
        assert isinstance(panel, RepositoryPanel)
        return panel

    def choose_files(self) -> None:
        """Ask for files and preview them."""
        self.source_tabs.choose(0)
        folder = file_dialogs.project_folder(self.session)
        paths = file_dialogs.choose_files(self, tr("Import candidates"), folder=folder)
        if paths:
            self.preview_paths(paths)

    def choose_folder(self) -> None:
        """Ask for a folder and preview it."""
        path = file_dialogs.choose_folder(self, tr("Import folder"), file_dialogs.project_folder(self.session))
        if path is not None:
            self.preview_paths([path])

    def paste_table(self) -> None:
        """Preview the table or JSON lines on the clipboard."""
        self.source_tabs.choose(0)
        text = QGuiApplication.clipboard().text()
        # Each paste gets its own folder, as an earlier one may still be importing; all are deleted with the page.
        self._pasted_folders.append(TemporaryDirectory(prefix="annotator-pasted-"))
        work = partial(imports.save_pasted_text, text, Path(self._pasted_folders[-1].name))
        self.session.run("read", work, self._preview_pasted, self._show_failure)

    def _preview_pasted(self, path: Path) -> None:
        self._forget_choices()
        self.preview_paths([path])

    def preview_paths(self, paths: Sequence[Path]) -> None:
        """Preview the first rows of files, in the recognised format unless the user chose one."""
        if self._mapped_paths and self._mapped_paths != tuple(paths):
            # Choices for one file do not apply to another.
            self._forget_choices()
        self._paths = self._mapped_paths = tuple(paths)
        self._show_report("", ())
        mapping, ignored = self._mapping()
        preview = partial(_preview_file, self.store, paths[0], self._chosen_format, mapping, ignored)
        work = partial(preview, pairs_by_shape=dict(self._pairs_by_shape))
        self.session.run("read", work, self._show_preview, self._show_preview_failure, latest="import-preview")

    def _preview_again(self) -> None:
        if self.preview.isVisible() or self._preview_has_failed:
            self.preview_paths(self._paths)

    def _choose_columns(self, pairs: Pairs) -> None:
        """Remember the chosen columns for files of this shape and update the preview."""
        self._remember_pairs(pairs)
        reader_options = [pair for pair in import_preview.read_pairs(self.mapping.text()) if pair[0] in READING_WORDS]
        self.mapping.setText(import_preview.write_pairs((*reader_options, *pairs)))
        self._chosen_format = OWN_FORMAT
        self.preview_paths(self._paths)

    def _apply_mapping(self) -> None:
        if self.preview.isVisible() and self.mapping.isModified():
            self._remember_pairs(import_preview.read_pairs(self.mapping.text()))
        self._preview_again()

    def _remember_pairs(self, pairs: Pairs) -> None:
        self._pairs_by_shape.pop(self._shape, None)
        pairs = tuple(pair for pair in pairs if pair[0] not in READING_WORDS)
        if pairs and self._shape:
            self._pairs_by_shape[self._shape] = pairs
        for shape in list(self._pairs_by_shape)[:-_MAX_SHAPES]:
            del self._pairs_by_shape[shape]

    def _show_preview(self, preview: ImportPreview | LabelPreview) -> None:
        self._preview_has_failed = False
        self.label_panel.hide()
        if isinstance(preview, LabelPreview):
            self.preview.hide()
            self.label_panel.show_file(self._paths[0], preview)
            return
        self._format = preview.format
        self._shape = import_preview.column_shape(preview.columns) if preview.columns else ""
        self.mapping.setText(import_preview.write_pairs(preview.pairs))
        self._show_format(preview.format)
        other_count = len(self._paths) - 1
        name = self._paths[0].name
        display_name = (
            tr_count("{name} and {count} other", "{name} and {count} others", other_count, name=name)
            if other_count
            else name
        )
        self.preview.show()
        # On a small screen the preview needs the space of the list of sources.
        self.list_card.setVisible(not preview.columns)
        self.preview.show_preview(display_name, preview)

    def _show_preview_failure(self, failure: WorkFailure) -> None:
        # Hide an earlier file's preview; once the user has named the columns, this file is previewed again.
        self._preview_has_failed = True
        self._format = self._chosen_format
        self._hide_preview()
        self._show_failure(failure)

    def _import_previewed(self) -> None:
        self._libraries = self.preview.entered_libraries()
        self._hide_preview()
        self.import_paths(self._paths, skip_bad=self.preview.skips_bad_rows and len(self._paths) == 1)

    def _end_preview(self) -> None:
        self._hide_preview()
        self._forget_choices()
        self._show_format("")

    def _forget_choices(self) -> None:
        self.mapping.clear()
        self._chosen_format = ""

    def _hide_preview(self) -> None:
        self.preview.hide()
        self.list_card.show()

    def _mapping(self) -> tuple[dict[str, str], tuple[str, ...]]:
        return import_preview.split_mapping(import_preview.read_pairs(self.mapping.text()))

    def import_paths(self, paths: Sequence[Path], *, skip_bad: bool = False) -> None:
        """Import files or folders as a job; bad rows are listed on this page."""
        imported_paths = self._paths = tuple(paths)
        pairs, libraries = import_preview.read_pairs(self.mapping.text()), self._libraries
        format_name = self._format or self.format.currentData()
        self._show_report(tr("Importing…"), ())
        self.session.start_job(
            tr("Importing {name}", name=paths[0].name),
            partial(_import, self.store, format_name, imported_paths, pairs, skip_bad=skip_bad, libraries=libraries),
            partial(self._show_imported, imported_paths),
            partial(self._show_import_failure, imported_paths),
            summary=_import_summary,
            on_end=partial(self._end_import, imported_paths),
        )

    def take_paths(self, paths: Sequence[Path]) -> None:
        """Preview dropped files, or pass them to the current mining panel."""
        panel = self.panels.currentWidget()
        if isinstance(panel, MiningPanel):
            panel.take_paths(paths)
        else:
            self.preview_paths(paths)

    def _import_good(self) -> None:
        self.import_paths(self._paths, skip_bad=True)

    def _end_import(self, paths: Sequence[Path]) -> None:
        if paths == self._paths:
            self._show_report("", ())

    def _show_import_failure(self, paths: Sequence[Path], failure: WorkFailure) -> None:
        # "Import the good rows" imports the files on the page, which may be others by now.
        can_skip = bool(failure.details) and paths == self._paths
        self._show_report(failure.message, failure.details, can_skip=can_skip)

    def _show_imported(self, paths: Sequence[Path], report: ImportReport) -> None:
        if paths != self._paths:
            # Another file was opened meanwhile, and the status bar has the summary.
            return
        report_lines = (*(str(error) for error in report.errors), *report.changed_keys)
        text = _import_summary(report)
        if report.left_out:
            text += "\n" + tr(
                "Columns left out: {columns}.", columns=join_list(import_preview.name_columns(report.left_out))
            )
        self._show_report(text, report_lines)
        self.show_on_select_button.setVisible(report.added > 0)
        if report.added:
            self.show_on_select_button.setFocus()

    def _show_imported_labels(self, report: LabelReport) -> None:
        self._show_report(describe_label_report(report), report.left_out)
        self.show_on_select_button.setVisible(bool(report.added))

    def _go_to_select(self) -> None:
        self.go_to.emit(Destination("Select"))

    def _show_failure(self, failure: WorkFailure) -> None:
        self._show_report(failure.message, failure.details, can_skip=bool(failure.details))

    def _show_report(self, text: str, lines: Sequence[str], *, can_skip: bool = False) -> None:
        self.report.setText(text)
        self.errors.setPlainText("\n".join(lines))
        self.errors.setVisible(bool(lines))
        self.import_good_button.setVisible(can_skip)
        self.show_on_select_button.hide()
        if can_skip:
            self.import_good_button.setFocus()

    def _show_sources(self, rows: tuple[SourceRow, ...]) -> None:
        self.stack.setCurrentWidget(self.table if rows else self.empty)
        # Mined sources have no import format and are named by their kind.
        titles = {item.name: translate_word(item.title) for item in IMPORTS}
        cells: list[tuple[CellContent, ...]] = [
            (
                row.name,
                titles.get(row.kind, row.kind),
                *(row.counts.get(name, 0) for name in ("added", "known", "bad")),
                row.annotator,
                moment_cell(row.created_at),
            )
            for row in rows
        ]
        headers = ("source", "format", "added", "known", "bad", "by", "when")
        self.table.set_rows(headers, cells, rows)


def _preview_file(
    store: ProjectFile,
    path: Path,
    format: str,
    mapping: dict[str, str],
    ignored: Sequence[str],
    pairs_by_shape: dict[str, Pairs],
) -> ImportPreview | LabelPreview:
    """Return a preview of labels if no format is given and the file comes from a label tool, else of candidates."""
    if not format and tool_labels.find_label_tool(path):
        return tool_labels.preview_labels(store, path, LabelChoices())
    return import_preview.preview_import(
        path, format, mapping, ignored, store, needs_prompt=False, saved_pairs=pairs_by_shape
    )


def _import(
    store: ProjectFile,
    format: str,
    paths: Sequence[Path],
    pairs: Pairs,
    progress: Progress,
    *,
    skip_bad: bool,
    libraries: Sequence[str],
) -> ImportReport:
    """Import files with the format and columns of the first one."""
    mapping, ignored = import_preview.split_mapping(pairs)
    plan = import_preview.plan_import(paths[0], format, mapping, ignored)
    return imports.import_paths(store, plan.format, paths, plan.mapping, skip_bad, progress, libraries=libraries)


def _pairs_from_state(pairs: Any) -> Pairs:
    """Return saved pairs of field and column, ignoring invalid entries of the state file."""
    if not isinstance(pairs, (list, tuple)):
        return ()
    return tuple((str(pair[0]), str(pair[1])) for pair in pairs if isinstance(pair, (list, tuple)) and len(pair) == 2)


def _import_summary(report: ImportReport) -> str:
    text = tr("{added} added, {known} already in the project", added=f"{report.added:,}", known=f"{report.known:,}")
    if report.changed:
        text += tr(", {changed} already there with other content (left unchanged)", changed=f"{report.changed:,}")
    return tr("{text}, {bad} bad.", text=text, bad=f"{report.bad:,}") if report.bad else f"{text}."
