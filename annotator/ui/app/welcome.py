"""The welcome screen, shown while no project is open, and the dialog for a new project."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QModelIndex, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialogButtonBox, QFrame, QGridLayout, QLabel, QMenu, QPushButton, QWidget

from annotator.base.addresses import Place, ServerAddress
from annotator.base.paths import PROJECT_SUFFIX, project_path
from annotator.ui.app import file_dialogs
from annotator.ui.app.action_registry import ActionRegistry
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.fields import line_edit
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import fill_column, fill_layout, fill_row, make_form, make_row, make_scroll
from annotator.ui.widgets.line_queue import LineList, QueueLine
from annotator.ui.widgets.row_menu import add_copy

_MAX_WIDTH = 720
_WAYS = (
    (
        "file.sample",
        mark_for_translation("See the sample"),
        mark_for_translation("A small finished project with a tour. Try everything; it is yours to change."),
    ),
    (
        "sources.import",
        mark_for_translation("Start from your own data"),
        mark_for_translation("A table, JSON lines or a known benchmark: name a project, then choose the file."),
    ),
    (
        "sources.repository",
        mark_for_translation("Start from a repository"),
        mark_for_translation("Name a project, then choose Python code: tested functions become candidates."),
    ),
)
"""The ways to start: the action, the title of its button, and the description."""


def project_filter() -> str:
    """Return the filter of file dialogs for project files."""
    return tr("Annotator projects (*{suffix});;All files (*)", suffix=PROJECT_SUFFIX)


def short_folder(path: Place) -> str:
    """Return a project's folder, with the home folder shortened to ``~``, or its server."""
    if isinstance(path, ServerAddress):
        return tr("on {host}", host=path.host or tr("the server of this machine"))
    folder = path.parent
    try:
        inside = folder.relative_to(Path.home())
    except (ValueError, RuntimeError):
        return str(folder)
    return "~" if inside == Path() else str(Path("~") / inside)


def _show_folder(path: Path, _checked: bool = False) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))


class Welcome(QWidget):
    """The welcome screen: three ways to start, the recent projects, and buttons for a new or existing project."""

    open_recent = Signal(object)
    """The `Place` of the chosen recent project."""
    started = Signal(str)
    """The id of the action to trigger in a new project."""

    def __init__(self, theme: Theme, actions: ActionRegistry) -> None:
        """Build the screen; its buttons trigger actions of the table."""
        super().__init__()
        self.setObjectName("welcome")
        self.setAccessibleName(tr("Welcome"))
        self._theme, self._actions = theme, actions
        title = label("Annotator", "heading")
        about = tr("Turn candidates into a benchmark you can trust. A project is one file on this machine.")
        lead = label(about, "dim", wrap=True)
        self.buttons = {action_id: self._way_button(action_id, title) for action_id, title, _ in _WAYS}
        for action_id in ("file.new", "file.open"):
            self.buttons[action_id] = button(
                translate_word(actions.spec(action_id).text),
                tip=actions.action(action_id).toolTip(),
                clicked=actions.action(action_id).trigger,
            )
        self.heading = label(tr("Recent projects"), "section")
        self.view = LineList(theme, tr("Recent projects"))
        self.view.setObjectName("welcome-recent")
        self.view.row_opened.connect(self._open_current)
        self.view.clicked.connect(self._activated)
        self.view.menu.add(self._fill_menu)
        self.none_yet = label(tr("Projects you open will be listed here."), "dim")
        self._lay_out(title, lead)
        self.set_recent(())
        theme.changed.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        self._column.setMaximumWidth(self._theme.pixels(_MAX_WIDTH))
        self.view.setFixedHeight(self.view.verticalHeader().length() + 4)

    def _way_button(self, action_id: str, title: str) -> QPushButton:
        way = button(translate_word(title), primary=action_id == "file.sample")
        if action_id == "file.sample":
            way.clicked.connect(self._actions.action(action_id).trigger)
        else:
            way.clicked.connect(partial(self._start, action_id))
        return way

    def _start(self, action_id: str, _checked: bool = False) -> None:
        self.started.emit(action_id)

    def _lay_out(self, title: QLabel, lead: QLabel) -> None:
        ways_grid = QGridLayout()
        ways_grid.setHorizontalSpacing(16)
        ways_grid.setVerticalSpacing(12)
        ways_grid.setColumnStretch(1, 1)
        for row, (action_id, _, about) in enumerate(_WAYS):
            ways_grid.addWidget(self.buttons[action_id], row, 0)
            ways_grid.addWidget(label(translate_word(about), "dim", wrap=True), row, 1)
        card = QFrame()
        card.setObjectName("welcome-card")
        card.setProperty("role", "card")
        others = make_row(self.heading, None, self.buttons["file.new"], self.buttons["file.open"])
        fill_column(card, others, self.none_yet, self.view, margin=12)
        self._column = QWidget()
        layout = fill_column(self._column, title, lead, spacing=12, margin=(24, 48, 24, 24))
        layout.addSpacing(4)
        ways_card = QFrame()
        ways_card.setProperty("role", "card")
        fill_column(ways_card, ways_grid, margin=12)
        fill_layout(layout, ways_card, card, None)
        inner = QWidget()
        fill_row(inner, None, (self._column, 8), None)
        self.area = make_scroll(inner)
        fill_column(self, self.area)

    def set_recent(self, paths: tuple[Place, ...]) -> None:
        """List these projects, newest first."""
        self.view.set_lines([QueueLine(path.stem, short_folder(path), tip=str(path)) for path in paths], paths)
        self.view.setVisible(bool(paths))
        self.none_yet.setVisible(not paths)
        self._fit()
        if paths:
            self.view.select(0)

    def _fill_menu(self, menu: QMenu) -> None:
        place = self.view.current_payload()
        open_action = menu.addAction(tr("Open", "what a menu does"))
        open_action.triggered.connect(self._open_current)
        menu.setDefaultAction(open_action)
        if isinstance(place, Path):
            menu.addAction(tr("Show its folder")).triggered.connect(partial(_show_folder, place))
            add_copy(menu, tr("Copy the path"), str(place))

    def _open_current(self, _checked: bool = False) -> None:
        self.open_recent.emit(self.view.current_payload())

    def _activated(self, _index: QModelIndex) -> None:
        self._open_current()


class NewProjectDialog(Dialog):
    """Asks for the project's name, its file and the user's name; the button is enabled when all three are valid."""

    def __init__(self, folder: Path, annotator: str, parent: QWidget | None = None) -> None:
        """Suggest files in ``folder``, and ``annotator`` as the user's name."""
        super().__init__(parent, tr("New project"), name="new-project-dialog")
        self._folder = folder
        self._is_file_edited = False
        self.name = line_edit(tr("Project name"), tr("pandas questions 2026"))
        self.file = line_edit(tr("Project file"))
        self.annotator = line_edit(tr("Your name"))
        self.annotator.setText(annotator)
        self.choose_button = button(tr("Choose…"), clicked=self.choose_file)
        self.choose_button.setAccessibleName(tr("Choose the project file"))
        self.problem = label("", "dim", wrap=True)
        self.create_button = button(tr("Create project"), primary=True)
        buttons = self.make_buttons(QDialogButtonBox.StandardButton.Cancel, self.create_button)
        file_row = make_row((self.file, 1), self.choose_button)
        form = make_form((tr("Name"), self.name), (tr("File"), file_row), (tr("Your name"), self.annotator))
        self.lay_out(form, self.problem, None, buttons)
        self.setMinimumWidth(520)
        self.name.textChanged.connect(self._suggest_file)
        self.file.textEdited.connect(self._record_edit)
        self.file.textChanged.connect(self._check)
        self.annotator.textChanged.connect(self._check)
        self._check()

    def path(self) -> Path:
        """Return the file's path, with the suffix added if missing."""
        return project_path(self.file.text().strip())

    def _suggest_file(self, name: str) -> None:
        if not self._is_file_edited:
            letters = (letter if letter.isalnum() or letter in "-_." else "-" for letter in name.strip())
            stem = "".join(letters).strip("-.")
            self.file.setText(str(self._folder / f"{stem}{PROJECT_SUFFIX}") if stem else "")
        self._check()

    def _record_edit(self, _text: str) -> None:
        self._is_file_edited = True

    def choose_file(self, _checked: bool = False) -> None:
        """Ask for the path of the project file."""
        typed = self.file.text().strip()
        proposed = project_path(typed) if typed else self._folder / f"project{PROJECT_SUFFIX}"
        path = file_dialogs.choose_new_file(
            self, tr("New project file"), proposed, project_filter(), keep_folder=bool(typed)
        )
        if path is not None:
            self._is_file_edited = True
            self.file.setText(str(project_path(path)))

    def _check(self) -> None:
        problem = self._problem()
        self.problem.setText(problem)
        self.create_button.setEnabled(not problem)

    def _problem(self) -> str:
        if not self.name.text().strip():
            return tr("Give the project a name.")
        if not self.file.text().strip():
            return tr("Choose where to save the project file.")
        path = self.path()
        try:
            if path.is_dir():
                return tr("{path} is a folder. Add a file name.", path=path)
            if path.exists():
                return tr("{name} already exists. Choose another name.", name=path.name)
            if not path.parent.is_dir():
                return tr("The folder {parent} does not exist.", parent=path.parent)
        except OSError as error:
            return tr("No file can be created there ({reason}).", reason=error.strerror)
        if not self.annotator.text().strip():
            return tr("Enter your name; it is stored with every decision.")
        return ""
