"""File dialogs: where they begin, and that they never look into a file, so that SQLite keeps its locks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QThread, QTimer
from PySide6.QtWidgets import (
    QApplication,
    QDialogButtonBox,
    QFileDialog,
    QFileSystemModel,
    QLineEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from annotator.base.paths import data_dir
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app import file_dialogs
from annotator.ui.app.settings.window_state import WindowState
from tests.locks import needs_list, own_locks

Asked = Callable[[QWidget, Path], object]
KINDS: dict[str, Asked] = {
    "open": lambda over, folder: file_dialogs.choose_file(over, "Open", "Projects (*.annotator);;All (*)", folder),
    "open many": lambda over, folder: file_dialogs.choose_files(over, "Open", "", folder),
    "save": lambda over, folder: file_dialogs.choose_new_file(over, "Save", folder / "new.csv", "CSV (*.csv)"),
    "save beside": lambda over, folder: file_dialogs.choose_new_file(
        over, "Save", folder / "new.annotator", keep_folder=True
    ),
    "folder": lambda over, folder: file_dialogs.choose_folder(over, "Folder", folder),
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ProjectFile]:
    """A project that is open in this process, with its log."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "inner").mkdir()
    (folder / "notes.txt").write_text("plain")
    (folder / "no-ending").write_bytes(b"%PDF-1.4")
    made = ProjectFile.create(folder / "p.annotator", "Demo", "Ada")
    with made.reader() as connection:
        connection.execute("SELECT count(*) FROM annotator").fetchone()
    yield made
    made.close()


def _look(qtbot: QtBot, folder: Path, look: Callable[[QFileDialog], object], accept: bool = False) -> None:
    """Once a file dialog is open and lists a folder, in both its views, call ``look`` and close it."""

    def begin() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, QFileDialog)
        try:
            model = dialog.findChild(QFileSystemModel)
            assert model is not None
            names = [path.name for path in folder.iterdir()]
            if dialog.fileMode() == QFileDialog.FileMode.Directory:
                names = [path.name for path in folder.iterdir() if path.is_dir()]
            for view in (QFileDialog.ViewMode.List, QFileDialog.ViewMode.Detail):
                dialog.setViewMode(view)
                qtbot.waitUntil(lambda: all(model.index(str(folder / name)).isValid() for name in names))
                qtbot.wait(50)
                for name in names:
                    model.data(model.index(str(folder / name)))
                    model.type(model.index(str(folder / name)))
                    model.fileIcon(model.index(str(folder / name)))
            look(dialog)
            if accept:
                dialog.accept()
        finally:
            if dialog.isVisible():
                dialog.reject()

    QTimer.singleShot(0, begin)


def _type_name(dialog: QFileDialog, name: str) -> None:
    field = dialog.findChild(QLineEdit, "fileNameEdit")
    assert field is not None
    field.setText(name)


@needs_list
@pytest.mark.parametrize("kind", KINDS)
def test_the_locks_on_an_open_project_stay(qtbot: QtBot, store: ProjectFile, kind: str) -> None:
    over = QWidget()
    qtbot.addWidget(over)
    before = own_locks(store.path)
    during: list[list[str]] = []
    _look(qtbot, store.path.parent, lambda _dialog: during.append(own_locks(store.path)))
    assert not KINDS[kind](over, store.path.parent)
    assert len(before) == 2
    assert during == [before]
    assert own_locks(store.path) == before


@needs_list
def test_a_usual_dialog_drops_them(qtbot: QtBot, store: ProjectFile) -> None:
    """What the test above would find if a dialog looked into files."""
    over = QWidget()
    qtbot.addWidget(over)
    before = own_locks(store.path)
    _look(qtbot, store.path.parent, lambda _dialog: None)
    options = QFileDialog.Option.DontUseNativeDialog
    QFileDialog.getOpenFileName(over, "Open", str(store.path.parent), "", "", options)
    assert len(before) == 2
    assert len(own_locks(store.path)) < 2


def test_icons_are_asked_for_in_the_windows_thread(
    qtbot: QtBot, store: ProjectFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An icon provider in Python that another thread called could wait for the thread that ends the dialog."""
    threads = set()
    real = file_dialogs.NameIcons.type

    def recorded(icons: file_dialogs.NameIcons, info: object) -> str:
        threads.add(QThread.currentThread())
        return real(icons, info)

    monkeypatch.setattr(file_dialogs.NameIcons, "type", recorded)
    over = QWidget()
    qtbot.addWidget(over)
    _look(qtbot, store.path.parent, lambda _dialog: None)
    file_dialogs.choose_file(over, "Open", "", store.path.parent)
    assert threads == {QApplication.instance().thread()}


def test_types_come_from_names(qtbot: QtBot, store: ProjectFile) -> None:
    over = QWidget()
    qtbot.addWidget(over)
    folder, types = store.path.parent, {}

    def look(dialog: QFileDialog) -> None:
        model = dialog.findChild(QFileSystemModel)
        types.update({path.name: model.type(model.index(str(path))) for path in folder.iterdir()})

    _look(qtbot, folder, look)
    file_dialogs.choose_file(over, "Open", "", folder)
    assert types.pop("p.annotator") == "ANNOTATOR file"
    assert (types["inner"], types["notes.txt"], types["no-ending"]) == ("Folder", "TXT file", "File")


def test_a_dialog_begins_in_the_last_folder_used(qtbot: QtBot, tmp_path: Path) -> None:
    over = QWidget()
    qtbot.addWidget(over)
    used, other = tmp_path / "used", tmp_path / "other"
    for folder in (used, other):
        folder.mkdir()
        (folder / "a.jsonl").write_text("{}")
    assert file_dialogs.first_folder(other) == other
    assert file_dialogs.first_folder(None) == Path.home()

    def choose(dialog: QFileDialog) -> None:
        _type_name(dialog, "a.jsonl")

    _look(qtbot, used, choose, accept=True)
    assert file_dialogs.choose_file(over, "Open", "", used) == used / "a.jsonl"
    assert WindowState().last_folder == used
    seen: list[str] = []
    _look(qtbot, used, lambda dialog: seen.append(dialog.directory().absolutePath()))
    assert file_dialogs.choose_files(over, "Open", "", other) == []
    assert seen == [str(used)]
    (used / "a.jsonl").unlink()
    used.rmdir()
    assert file_dialogs.first_folder(other) == other


def test_a_new_file_keeps_its_proposed_name(qtbot: QtBot, tmp_path: Path) -> None:
    over = QWidget()
    qtbot.addWidget(over)
    WindowState().last_folder = tmp_path
    (tmp_path / "typed").mkdir()
    _look(qtbot, tmp_path, lambda _dialog: None, accept=True)
    assert file_dialogs.choose_new_file(over, "Save", Path("tag-tree.json")) == tmp_path / "tag-tree.json"
    _look(qtbot, tmp_path / "typed", lambda _dialog: None, accept=True)
    there = tmp_path / "typed" / "p.annotator"
    assert file_dialogs.choose_new_file(over, "Save", there, keep_folder=True) == there


def test_a_dialog_never_begins_in_a_folder_of_the_program(tmp_path: Path) -> None:
    backups, drafts = tmp_path / "p.annotator-backups", tmp_path / "p.annotator-drafts"
    sample = data_dir() / "sample"
    for folder in (backups, drafts, sample):
        folder.mkdir(parents=True)
        assert file_dialogs.first_folder(folder) == Path.home()
        WindowState().last_folder = folder
        assert file_dialogs.first_folder(tmp_path) == tmp_path


def test_a_choice_among_backups_is_not_remembered(qtbot: QtBot, tmp_path: Path) -> None:
    over = QWidget()
    qtbot.addWidget(over)
    backups = tmp_path / "p.annotator-backups"
    backups.mkdir()
    (backups / "old.annotator").write_text("x")

    def choose(dialog: QFileDialog) -> None:
        dialog.setDirectory(str(backups))
        _type_name(dialog, "old.annotator")

    _look(qtbot, tmp_path, choose, accept=True)
    assert file_dialogs.choose_file(over, "Open", "", tmp_path, allow_projects=True) == backups / "old.annotator"
    assert WindowState().last_folder is None


@needs_list
@pytest.mark.parametrize("save", [False, True])
def test_a_project_is_no_file_to_import_or_to_replace(
    qtbot: QtBot, store: ProjectFile, monkeypatch: pytest.MonkeyPatch, save: bool
) -> None:
    over = QWidget()
    qtbot.addWidget(over)
    told: list[str] = []
    monkeypatch.setattr(file_dialogs, "show_message", lambda _over, _title, text: told.append(text))
    before = own_locks(store.path)
    _look(qtbot, store.path.parent, lambda dialog: _type_name(dialog, "p.annotator"), accept=True)
    folder = store.path.parent
    if save:
        assert file_dialogs.choose_new_file(over, "Save", folder / "p.csv") is None
    else:
        assert file_dialogs.choose_file(over, "Import", "", folder) is None
    assert told == ["p.annotator belongs to a project. Choose another file."]
    _look(qtbot, folder, lambda dialog: _type_name(dialog, "p.annotator"), accept=True)
    assert file_dialogs.choose_file(over, "Open", "", folder, allow_projects=True) == store.path
    assert own_locks(store.path) == before


def test_a_folder_to_write_into_is_made(qtbot: QtBot, store: ProjectFile) -> None:
    over = QWidget()
    qtbot.addWidget(over)
    folder = store.path.parent
    proposed: list[str] = []

    def look(dialog: QFileDialog) -> None:
        field = dialog.findChild(QLineEdit, "fileNameEdit")
        assert field is not None
        proposed.append(field.text())
        field.setText(str(folder / "exported"))
        box = dialog.findChild(QDialogButtonBox)
        assert box is not None
        [choose] = [made for made in box.buttons() if box.buttonRole(made) == QDialogButtonBox.ButtonRole.AcceptRole]
        qtbot.wait(100)
        assert choose.isEnabled()
        choose.click()

    _look(qtbot, folder, look)
    assert file_dialogs.choose_new_folder(over, "Export", folder / "humaneval-0.1") == folder / "exported"
    assert (folder / "exported").is_dir() and proposed == ["humaneval-0.1"]


def test_a_file_can_go_into_a_folder_that_is_not_there_yet(qtbot: QtBot, tmp_path: Path) -> None:
    over = QWidget()
    qtbot.addWidget(over)
    wanted = tmp_path / "new" / "folder" / "board.csv"
    _look(qtbot, tmp_path, lambda dialog: _type_name(dialog, str(wanted)), accept=True)
    assert file_dialogs.choose_new_file(over, "Save", tmp_path / "board.csv", keep_folder=True) == wanted
    assert wanted.parent.is_dir()


def test_every_word_beside_a_field_is_ours(qtbot: QtBot, tmp_path: Path) -> None:
    """Qt's own catalogues lack two of them in some languages."""
    dialog = file_dialogs.FileDialog(None, "Open", QFileDialog.FileMode.ExistingFile, "", tmp_path)
    qtbot.addWidget(dialog)
    words = [dialog.labelText(kind) for kind in (QFileDialog.DialogLabel.LookIn, QFileDialog.DialogLabel.FileType)]
    assert words == ["Folder", "Kind"]


def test_the_ending_of_a_new_file_follows_the_chosen_kind(qtbot: QtBot, tmp_path: Path) -> None:
    over = QWidget()
    qtbot.addWidget(over)
    kinds = "CSV (*.csv);;LaTeX (*.tex);;Report (*.html *.htm);;All files (*)"
    names: list[str] = []

    def look(dialog: QFileDialog) -> None:
        field = dialog.findChild(QLineEdit, "fileNameEdit")
        assert field is not None
        names.append(f"{field.text()} as {dialog.selectedNameFilter()}")
        for typed, number in (("a.tex", 2), ("a.htm", 0), ("v1.2", 1), ("a.csv", 3), (str(tmp_path / "a.csv"), 1)):
            field.setText(typed)
            dialog.filterSelected.emit(dialog.nameFilters()[number])
            names.append(field.text())
        field.setText("board")

    _look(qtbot, tmp_path, look, accept=True)
    assert file_dialogs.choose_new_file(over, "Save", tmp_path / "a.tex", kinds) == tmp_path / "board.tex"
    assert names == ["a.tex as LaTeX (*.tex)", "a.html", "a.csv", "v1.2", "a.csv", str(tmp_path / "a.tex")]
