"""The way to the first page: one project opened once, and nothing loaded, built or read twice on it."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from annotator.__main__ import main
from annotator.base.errors import BadInputError
from annotator.base.settings import Settings
from annotator.services.project import projects
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app import application as app
from annotator.ui.app.base_page import Page
from annotator.ui.app.main_window import MainWindow
from annotator.ui.app.theme.look import Theme
from annotator.ui.pages.select.page import SelectPage
from tests.benchmarks.making import project as made_project

pytestmark = pytest.mark.usefixtures("without_backups")

_UNTIL_PAINTED = """
import os, sys
from pathlib import Path
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from annotator.services.project import projects
store = projects.open_project(Path(sys.argv[1]))
from annotator.ui.app.application import open_main_window
application, window, collector = open_main_window(store)
from PySide6.QtCore import QEvent, QObject
heavy = {"sqlmodel", "sqlalchemy", "openai", "docker", "rouge_score", "matplotlib", "pydantic", "pygments", "rapidfuzz"}
painted = []
class Watch(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and watched in (window.menuBar(), window.sidebar):
            painted.append(type(watched).__name__)
            if len(painted) == 2:
                print("painted", *sorted(heavy & set(sys.modules)))
                sys.stdout.flush()
                os._exit(0)
        return False
watch = Watch()
application.installEventFilter(watch)
application.exec()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return made_project(tmp_path / "made.annotator", 30)


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, path: Path) -> Iterator[MainWindow]:
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    made = MainWindow(Theme(application), Settings(tmp_path / "s.json", {}), place=path)
    yield made
    made.close()
    made.deleteLater()


def _is_closed(store: ProjectFile) -> bool:
    try:
        with store.reader():
            return False
    except BadInputError:
        return True


def _refused(*_: object) -> None:
    raise AssertionError("opened again")


def test_the_frame_is_painted_before_the_libraries_that_it_does_not_need_are_loaded(path: Path, tmp_path: Path) -> None:
    surroundings = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    words = [sys.executable, "-c", _UNTIL_PAINTED, str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=surroundings, timeout=300)
    assert done.stdout.strip() == "painted", done.stderr


def test_a_project_that_is_open_already_is_taken_over(
    qtbot: QtBot, window: MainWindow, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = projects.open_project(path)
    monkeypatch.setattr(projects, "open_project", _refused)
    window.acts.hold(store)
    window.show()
    qtbot.waitUntil(lambda: window.pages.current_name == "Select")
    assert window.session.store is store
    page = window.pages.page("Select")
    assert isinstance(page, SelectPage)
    qtbot.waitUntil(lambda: page.view is not None)
    window.close()
    assert _is_closed(store)


def test_one_that_is_never_taken_over_is_closed(qtbot: QtBot, window: MainWindow, path: Path) -> None:
    store = projects.open_project(path)
    window.acts.hold(store)
    window.close()
    assert _is_closed(store)


def test_another_one_opened_meanwhile_closes_it(qtbot: QtBot, window: MainWindow, path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.annotator"
    projects.create_project(other, "Other", "Mei").close()
    store = projects.open_project(path)
    window.acts.hold(store)
    window.open_project(other)
    assert _is_closed(store)
    qtbot.waitUntil(lambda: window.session.store is not None)
    assert window.session.store is not None and window.session.store.place == other


def test_the_queue_is_read_once_while_its_page_is_built(
    qtbot: QtBot, window: MainWindow, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    run = window.session.run

    def counting(lane: str, fn: Any, *rest: Any, **named: Any) -> None:
        asked.append(named.get("latest", ""))
        run(lane, fn, *rest, **named)

    monkeypatch.setattr(window.session, "run", counting)
    window.show()
    qtbot.waitUntil(lambda: window.pages.current_name == "Select")
    page = window.pages.page("Select")
    assert isinstance(page, SelectPage)
    qtbot.waitUntil(lambda: page.view is not None)
    assert sum(name.startswith("queue-") for name in asked) == 1
    # Shown again, it is read again.
    window.show_page("Sources")
    window.show_page("Select")
    assert sum(name.startswith("queue-") for name in asked) == 2


def test_what_nobody_sees_is_not_made(qtbot: QtBot, window: MainWindow) -> None:
    window.show()
    qtbot.waitUntil(lambda: window.pages.current_name == "Select")
    page = window.pages.page("Select")
    assert isinstance(page, SelectPage)
    qtbot.waitUntil(lambda: page.view is not None)
    assert not {"quotas", "empty_state"} & set(page.__dict__)
    assert page.quotas.isHidden() and page.queue.isAncestorOf(page.quotas)


def test_what_is_left_of_a_page_that_cannot_be_built_goes(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: SelectPage) -> None:
        QWidget(self)
        raise ValueError("no")

    monkeypatch.setattr(SelectPage, "build", broken)
    window.show()
    qtbot.waitUntil(lambda: window.error_bar.isVisible())
    option = Qt.FindChildOption.FindDirectChildrenOnly
    qtbot.waitUntil(lambda: not window.pages.findChildren(Page, options=option))


def test_the_command_hands_over_the_project_it_has_opened(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[ProjectFile, bool]] = []

    def shown(store: ProjectFile) -> int:
        given.append((store, gc.isenabled()))
        return 0

    monkeypatch.setattr(app, "run_app", shown)
    gc.enable()
    assert main(["open", str(path)]) == 0
    ((store, collecting),) = given
    assert store.place == path and not _is_closed(store)
    assert not collecting and gc.isenabled()
    store.close()


def test_without_a_project_the_command_starts_as_the_program_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: list[ProjectFile | None] = []

    def shown(store: ProjectFile | None) -> int:
        given.append(store)
        return 0

    monkeypatch.setattr(app, "run_app", shown)
    assert main(["open"]) == 0 and given == [None]
    assert main(["open", "--annotator", "Ada"]) == 3 and given == [None]
    assert "Name the project in which Ada works" in capsys.readouterr().err


def test_without_a_toolkit_the_project_is_closed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[ProjectFile] = []
    open_project = projects.open_project

    def remembering(place: Path, *, annotator: str | None = None) -> ProjectFile:
        opened.append(open_project(place, annotator=annotator))
        return opened[-1]

    monkeypatch.setattr(projects, "open_project", remembering)
    monkeypatch.setitem(sys.modules, "annotator.ui.app.application", None)
    gc.enable()
    assert main(["open", str(path)]) == 4
    assert _is_closed(opened[0])
    assert gc.isenabled()


def test_what_cannot_be_opened_is_said_before_there_is_a_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(app, "run_app", _refused)
    assert main(["open", str(tmp_path / "nowhere.annotator")]) == 3
    assert "There is no project nowhere.annotator" in capsys.readouterr().err


def test_without_a_terminal_the_window_says_what_cannot_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted: list[Path | None] = []

    def shown(store: ProjectFile | None = None, wanted_place: Path | None = None, **named: Path) -> int:
        assert store is None
        wanted.append(named["place"])
        return 0

    # As the window of Windows has it; what is written goes nowhere there.
    monkeypatch.setattr(sys, "__stderr__", None)
    monkeypatch.setattr(app, "run_app", shown)
    assert main(["open", str(tmp_path / "nowhere.annotator")]) == 0
    assert wanted == [tmp_path / "nowhere.annotator"]


_ASKED_BY_THE_SYSTEM = """
import sys
from pathlib import Path
from PySide6.QtGui import QFileOpenEvent
from annotator.ui.app.application import open_main_window
application, window, collector = open_main_window()
window.open_project = lambda path: print(f"opens {path}")
application.sendEvent(application, QFileOpenEvent(sys.argv[1]))
collector.stop()
"""


def test_a_file_that_is_double_clicked_on_macos_is_opened(path: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _ASKED_BY_THE_SYSTEM, str(path)],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert f"opens {path}" in done.stdout, done.stderr
