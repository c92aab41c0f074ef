"""A person at a screen: a thread that presses real keys, and asks the window's own thread what is to be seen."""

from __future__ import annotations

import re
import subprocess
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMenu, QPlainTextEdit, QWidget

T = TypeVar("T")
PATIENCE = 120.0
_LOOK = 0.03
_FLUENCY_MS = "6"


class Window(QObject):
    """Runs what the person asks for in the window's thread, also while a dialog waits there."""

    _asked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._asked.connect(self._answer, Qt.ConnectionType.QueuedConnection)

    def ask(self, question: Callable[[], T]) -> T:
        """Return what ``question`` returns there; raises what it raises."""
        found: dict[str, Any] = {}
        done = threading.Event()
        self._asked.emit((question, found, done))
        if not done.wait(PATIENCE):
            raise TimeoutError("the window does not answer")
        if "error" in found:
            raise found["error"]
        return found["value"]  # type: ignore[no-any-return]  # what the question returned

    def _answer(self, asked: tuple[Callable[[], object], dict[str, object], threading.Event]) -> None:
        question, found, done = asked
        try:
            found["value"] = question()
        except Exception as error:  # noqa: BLE001  # it is raised again where it was asked
            found["error"] = error
        finally:
            done.set()


def front() -> QWidget:
    """The dialog in front, else the window."""
    modal = QApplication.activeModalWidget()
    if modal is not None:
        return modal
    return next(item for item in QApplication.topLevelWidgets() if item.objectName() == "main-window")


def _words(widget: QWidget) -> set[str]:
    text = getattr(widget, "text", None)
    shown = text() if callable(text) and not isinstance(widget, QLineEdit) else ""
    return {widget.accessibleName(), str(shown).replace("&", ""), str(shown).partition("  ")[0], widget.objectName()}


def part(name: str) -> QWidget | None:
    """What is called so in front: by its word, its accessible name or its object name; what can be used comes first."""
    fitting = [item for item in front().findChildren(QWidget) if item.isVisible() and name in _words(item)]
    fitting.sort(key=lambda item: (not item.isEnabled(), isinstance(item, QLabel)))
    return fitting[0] if fitting else None


class Person:
    """Looks, types and clicks. Everything waits until the window has come so far, however busy the machine is."""

    def __init__(self, window: Window, pictures: Path | None, look: str) -> None:
        self._window = window
        self._pictures = pictures
        self._look = look
        self._taken = 0
        self.windows_shown: list[str] = []

    # -- looking --------------------------------------------------------------------------------------------------

    def ask(self, question: Callable[[], T]) -> T:
        return self._window.ask(question)

    def wait(self, what: str, condition: Callable[[], object], seconds: float = PATIENCE) -> None:
        """Wait until something holds, asked in the window's thread."""
        end = time.monotonic() + seconds
        while not self.ask(condition):
            if time.monotonic() > end:
                raise TimeoutError(f"waited in vain: {what}")
            time.sleep(_LOOK)

    def see(self, name: str, *, calm: bool = True) -> None:
        """Take a picture of the whole screen, if pictures are wanted; ``calm``: no error may be on it."""
        if calm:
            problem = self.ask(_trouble)
            assert not problem, f"{name}: {problem}"
        self._taken += 1
        if self._pictures is None:
            return
        time.sleep(0.5)
        path = self._pictures / f"{self._taken:02}-{name}-{self._look}.png"
        self.ask(partial(_picture, path))

    # -- hands ----------------------------------------------------------------------------------------------------

    def press(self, *keys: str) -> None:
        """Press keys by their X names, such as ``ctrl+n`` or ``Return``."""
        for key in keys:
            subprocess.run(["xdotool", "key", "--clearmodifiers", key], check=True, timeout=PATIENCE)

    def write(self, text: str) -> None:
        """Type into what has the focus, and wait until it stands there."""
        before = self.ask(_written)
        subprocess.run(["xdotool", "type", "--delay", _FLUENCY_MS, "--", text], check=True, timeout=PATIENCE)
        self.wait(f"“{text}” is typed", lambda: text in _written() and _written() != before)

    def click(self, name: str) -> None:
        """Point at what is called so in front, once it is there and awake, and click."""
        self.wait(f"“{name}” can be clicked", partial(_awake, name))
        self._click_at(self.ask(partial(_middle, name)))

    def choose_in_menu(self, button: str, text: str) -> None:
        """Open a button's menu and click an entry."""
        self.click(button)
        self.wait(f"“{text}” is in the menu", lambda: _entry(text) is not None)
        self._click_at(self.ask(lambda: _entry(text)))

    def give_file(self, path: Path) -> None:
        """Type a path into the file dialog in front."""
        self.wait("a file dialog", lambda: front().inherits("QFileDialog"))
        self.press("ctrl+a")
        self.write(str(path))
        end = time.monotonic() + PATIENCE
        while self.ask(lambda: front().inherits("QFileDialog")):
            # The first one may only close the list of proposals.
            self.press("Return")
            time.sleep(0.4)
            assert time.monotonic() < end, "the file dialog stays open"

    def _click_at(self, where: QPoint | None) -> None:
        assert where is not None
        command = ["xdotool", "mousemove", str(where.x()), str(where.y()), "click", "1"]
        subprocess.run(command, check=True, timeout=PATIENCE)


def plain(text: str) -> str:
    """A text without what only sets it out."""
    return re.sub(r"\s+", " ", text).strip()


def _written() -> str:
    focus = QApplication.focusWidget()
    if isinstance(focus, QLineEdit):
        return focus.text()
    return focus.toPlainText() if isinstance(focus, QPlainTextEdit) else ""


def _trouble() -> str:
    for item in QApplication.topLevelWidgets():
        if item.isVisible() and item.objectName() == "crash-dialog":
            return "the report of a crash is shown"
    bar = next((item for item in front().findChildren(QWidget) if type(item).__name__ == "ErrorBar"), None)
    if bar is None or not bar.isVisible():
        return ""
    return " / ".join(item.text() for item in bar.findChildren(QLabel) if item.isVisible())


def _picture(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    QApplication.primaryScreen().grabWindow(0).save(str(path))


def _awake(name: str) -> bool:
    found = part(name)
    return found is not None and found.isEnabled() and found.window().isActiveWindow()


def _middle(name: str) -> QPoint:
    found = part(name)
    assert found is not None, name
    seen = found.visibleRegion().boundingRect()
    assert not seen.isEmpty(), f"{name} is hidden behind something"
    return found.mapToGlobal(seen.center())


def _entry(text: str) -> QPoint | None:
    menu = QApplication.activePopupWidget()
    if not isinstance(menu, QMenu):
        return None
    for action in menu.actions():
        if action.text().partition("\t")[0].replace("&", "") == text:
            return menu.mapToGlobal(menu.actionGeometry(action).center())
    return None
