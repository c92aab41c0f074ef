"""The welcome screen, shown while no project is open, and the dialog for a new project."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QColor, QDesktopServices, QFont, QFontMetrics, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from annotator.base.addresses import Place, ServerAddress
from annotator.base.paths import PROJECT_SUFFIX, project_path
from annotator.ui.app import file_dialogs
from annotator.ui.app.action_registry import ActionRegistry
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, translate_word
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.flow_layout import FlowRow
from annotator.ui.widgets.layouts import arrange, fill_layout, make_column, make_row
from annotator.ui.widgets.row_menu import RowMenu, add_copy

_PATH_ROLE = int(Qt.ItemDataRole.UserRole)
_ROW_HEIGHT = 54
_WIDTH = 600
_MIN_ROWS = 3


def project_filter() -> str:
    """Return the filter of file dialogs for project files."""
    return tr("Annotator projects (*{PROJECT_SUFFIX});;All files (*)", PROJECT_SUFFIX=PROJECT_SUFFIX)


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


class _RecentDelegate(QStyledItemDelegate):
    """Draws a project in two lines: its name, and its folder dimmed."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        height = 2 * QFontMetrics(option.font).height() + 16
        return QSize(0, max(_ROW_HEIGHT, height))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        path = index.data(_PATH_ROLE)
        if not isinstance(path, (Path, ServerAddress)):
            return
        tokens = self._theme.tokens
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.selection))
            painter.drawRoundedRect(area, 6, 6)
        inner = area.adjusted(12, 6, -12, -6)
        upper = QRect(inner.left(), inner.top(), inner.width(), inner.height() // 2)
        lower = QRect(inner.left(), upper.bottom() + 1, inner.width(), inner.height() // 2)
        metrics = painter.fontMetrics()
        painter.setPen(QColor(tokens.text))
        name = metrics.elidedText(path.stem, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(upper, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, name)
        painter.setPen(QColor(tokens.dim))
        folder = metrics.elidedText(short_folder(path), Qt.TextElideMode.ElideMiddle, inner.width())
        painter.drawText(lower, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, folder)
        painter.restore()


class Welcome(QWidget):
    """The welcome screen: recent projects, and buttons for a new project, an existing one or the sample."""

    open_recent = Signal(object)
    """The place of the chosen recent project."""

    def __init__(self, theme: Theme, actions: ActionRegistry) -> None:
        """Build the screen; its buttons trigger actions of the table."""
        super().__init__()
        self.setObjectName("welcome")
        self.setAccessibleName(tr("Welcome"))
        self._actions = actions
        title = QLabel("Annotator")
        title.setObjectName("welcome-title")
        font = QFont(title.font())
        font.setPixelSize(24)
        font.setWeight(QFont.Weight.DemiBold)
        title.setFont(font)
        lead = QLabel(
            tr(
                "Turn candidates into a benchmark you can trust. A project is one file on this machine; the sample "
                "shows a finished one."
            )
        )
        lead.setProperty("role", "dim")
        lead.setWordWrap(True)
        self.buttons = {
            "file.new": self._button("file.new", primary=True),
            "file.open": self._button("file.open"),
            "file.sample": self._button("file.sample"),
        }
        self.heading = QLabel(tr("Recent projects"))
        self.heading.setProperty("role", "heading")
        self.model = QStandardItemModel(self)
        self.view = QListView()
        self.view.setObjectName("welcome-recent")
        self.view.setAccessibleName(tr("Recent projects"))
        self.view.setModel(self.model)
        self.view.setItemDelegate(_RecentDelegate(theme, self.view))
        self.view.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        self.view.setMouseTracking(True)
        self.view.setSizeAdjustPolicy(QListView.SizeAdjustPolicy.AdjustToContents)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.activated.connect(self._activated)
        self.view.clicked.connect(self._activated)
        RowMenu(self.view, self._fill_menu)
        self.none_yet = QLabel(tr("Projects you open will be listed here."))
        self.none_yet.setProperty("role", "dim")
        self._lay_out(title, lead)
        self.set_recent(())

    def _button(self, action_id: str, *, primary: bool = False) -> QPushButton:
        action = self._actions.action(action_id)
        button = QPushButton(translate_word(self._actions.spec(action_id).text))
        button.setObjectName(f"welcome-{action_id.replace('.', '-')}")
        button.setToolTip(action.toolTip())
        if primary:
            button.setProperty("role", "primary")
        button.clicked.connect(action.trigger)
        return button

    def _lay_out(self, title: QLabel, lead: QLabel) -> None:
        card = QFrame()
        card.setObjectName("welcome-card")
        card.setProperty("role", "card")
        make_column(card, self.heading, self.none_yet, self.view, spacing=8, margin=12)
        column = QWidget()
        column.setMaximumWidth(_WIDTH)
        layout = arrange(QVBoxLayout(column), title, lead, spacing=12, margins=(24, 48, 24, 24))
        layout.addSpacing(4)
        buttons = FlowRow(spacing=8)
        buttons.add(*self.buttons.values())
        layout.addWidget(buttons)
        layout.addSpacing(12)
        fill_layout(layout, card, None)
        fill_layout(QHBoxLayout(self), None, (column, 8), None, margin=0)

    def set_recent(self, paths: tuple[Place, ...]) -> None:
        """List these projects, newest first."""
        self.model.clear()
        for path in paths:
            item = QStandardItem(path.stem)
            item.setData(path, _PATH_ROLE)
            item.setToolTip(str(path))
            item.setAccessibleText(tr("{stem}, in {short_folder}", stem=path.stem, short_folder=short_folder(path)))
            self.model.appendRow(item)
        self.view.setVisible(bool(paths))
        self.none_yet.setVisible(not paths)
        if paths:
            row = self.view.sizeHintForRow(0)
            # A long list scrolls instead of making the window taller than the screen.
            self.view.setMinimumHeight(row * min(len(paths), _MIN_ROWS) + 4)
            self.view.setMaximumHeight(row * len(paths) + 4)
            self.view.setCurrentIndex(self.model.index(0, 0))

    def _fill_menu(self, menu: QMenu) -> None:
        place = self.view.currentIndex().data(_PATH_ROLE)
        opening = menu.addAction(tr("Open", "what a menu does"))
        opening.triggered.connect(partial(self._open, place))
        menu.setDefaultAction(opening)
        if isinstance(place, Path):
            menu.addAction(tr("Show its folder")).triggered.connect(partial(_show_folder, place))
            add_copy(menu, tr("Copy the path"), str(place))

    def _open(self, place: Place, _checked: bool = False) -> None:
        self.open_recent.emit(place)

    def _activated(self, index: QModelIndex) -> None:
        path = index.data(_PATH_ROLE)
        if isinstance(path, (Path, ServerAddress)):
            self.open_recent.emit(path)


class NewProjectDialog(Dialog):
    """Asks for the project's name, its file and the user's name; the button is enabled when all three are valid."""

    def __init__(self, folder: Path, annotator: str, parent: QWidget | None = None) -> None:
        """Suggest files in ``folder``, and ``annotator`` as the user's name."""
        super().__init__(parent)
        self.setObjectName("new-project-dialog")
        self.setWindowTitle(tr("New project"))
        self._folder = folder
        self._file_typed = False
        self.name = self._field("new-project-name", tr("Project name"), "")
        self.name.setPlaceholderText(tr("pandas questions 2026"))
        self.file = self._field("new-project-file", tr("Project file"), "")
        self.annotator = self._field("new-project-annotator", tr("Your name"), annotator)
        self.choose = QPushButton(tr("Choose…"))
        self.choose.setObjectName("new-project-choose")
        self.choose.setAccessibleName(tr("Choose the project file"))
        self.problem = QLabel()
        self.problem.setObjectName("new-project-problem")
        self.problem.setProperty("role", "dim")
        self.problem.setWordWrap(True)
        self.buttons = self.make_buttons(QDialogButtonBox.StandardButton.Cancel)
        self.create_button = self.buttons.addButton(tr("Create project"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.create_button.setProperty("role", "primary")
        self.create_button.setDefault(True)
        self._lay_out()
        self.name.textChanged.connect(self._suggest_file)
        self.file.textEdited.connect(self._keep_file)
        self.file.textChanged.connect(self._check)
        self.annotator.textChanged.connect(self._check)
        self.choose.clicked.connect(self.choose_file)
        self._check()

    def _field(self, object_name: str, label: str, text: str) -> QLineEdit:
        field = QLineEdit(text)
        field.setObjectName(object_name)
        field.setAccessibleName(label)
        return field

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(12)
        form.addRow(tr("Name"), self.name)
        form.addRow(tr("File"), make_row((self.file, 1), self.choose, spacing=8))
        form.addRow(tr("Your name"), self.annotator)
        make_column(self, form, self.problem, None, self.buttons, spacing=12, margin=16)
        self.setMinimumWidth(520)

    def path(self) -> Path:
        """Return the file's path, with the suffix added if missing."""
        return project_path(self.file.text().strip())

    def _suggest_file(self, name: str) -> None:
        if not self._file_typed:
            stem = "".join(c if c.isalnum() or c in "-_." else "-" for c in name.strip()).strip("-.")
            self.file.setText(str(self._folder / f"{stem}{PROJECT_SUFFIX}") if stem else "")
        self._check()

    def _keep_file(self, _text: str) -> None:
        self._file_typed = True

    def choose_file(self) -> None:
        """Ask for the path of the project file."""
        typed = self.file.text().strip()
        proposed = project_path(typed) if typed else self._folder / f"project{PROJECT_SUFFIX}"
        path = file_dialogs.choose_new_file(
            self, tr("New project file"), proposed, project_filter(), keep_folder=bool(typed)
        )
        if path is not None:
            self._file_typed = True
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
