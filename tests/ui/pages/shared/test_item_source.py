"""An item's source is opened in the browser or an editor, and its path is copied, on every page with items."""

from __future__ import annotations

import stat
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication

from annotator.ui.pages.shared.item_source import build_editor_command, find_local_file
from tests.windows import Wait, open_page

if TYPE_CHECKING:
    from annotator.ui.app.main_window import MainWindow

ACTS = ("subject.editor", "subject.browser", "subject.copy_path")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[QUrl]:
    """What the system was asked to open."""
    found: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: found.append(url) or True)
    return found


def _prompt(window: MainWindow, wait: Wait) -> Any:
    page = open_page(window, "Prompt")
    wait(lambda: page.view is not None and page.queue.shown_id() == page.view.row.id)
    return page


def _use_editor(window: MainWindow, command: str) -> None:
    assert window.settings_acts.keep("editor", command)


def test_every_page_with_items_has_the_acts(window: MainWindow, wait: Wait, subtests: pytest.Subtests) -> None:
    for name in ("Select", "Prompt", "Criterion", "Bugs", "Consensus"):
        with subtests.test(name):
            window.show_page(name)
            wait(lambda: set(ACTS) <= set(window.actions_table.enabled_ids()))
            window.show_page("Runs")
            assert not set(ACTS) & set(window.actions_table.enabled_ids())


def test_without_a_setting_the_system_shows_a_text(window: MainWindow, wait: Wait, opened: list[QUrl]) -> None:
    page = _prompt(window, wait)
    assert page.row_menu.open(None)
    assert "Open in your editor" in [action.text().partition("\t")[0] for action in page.row_menu.menu.actions()]
    page.row_menu.menu.hide()
    window.actions_table.trigger("subject.editor")
    path = Path(opened[0].toLocalFile())
    assert path.suffix == ".txt", "a file of code might be run"
    assert path.read_text().strip()
    assert not stat.S_IMODE(path.stat().st_mode) & 0o222
    window.actions_table.trigger("subject.editor")
    assert opened[1] == opened[0]


def test_an_editor_is_started_without_a_shell(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = _prompt(window, wait)
    page.view = replace(page.view, reference="def f(x):\n    return x\n", context="", provenance={})
    page.view = replace(page.view, row=replace(page.view.row, language="python"))
    told = tmp_path / "told.txt"
    script = tmp_path / "an editor.py"
    script.write_text("import pathlib, sys\npathlib.Path(sys.argv[1]).write_text('|'.join(sys.argv[2:]))\n")
    _use_editor(window, f'"{sys.executable}" "{script}" "{told}" $HOME;ls {{file}}')
    window.actions_table.trigger("subject.editor")
    wait(lambda: told.exists() and bool(told.read_text()))
    first, file = told.read_text().split("|")
    assert first == "$HOME;ls" and file.endswith(".py")
    assert Path(file).read_text() == "def f(x):\n    return x\n"


def test_an_editor_that_is_not_there_is_named(window: MainWindow, wait: Wait) -> None:
    _prompt(window, wait)
    _use_editor(window, "no-such-editor-here --wait")
    failures: list[Any] = []
    window.session.failed.connect(failures.append)
    window.actions_table.trigger("subject.editor")
    assert [failure.message for failure in failures] == [
        "The editor no-such-editor-here could not be started. Check Editor in the settings."
    ]
    assert window.error_bar.isVisible()


def test_the_browser_and_the_path(window: MainWindow, wait: Wait, opened: list[QUrl]) -> None:
    page = _prompt(window, wait)
    page.view = replace(page.view, provenance={"url": "https://example.org/q/1", "path": "src/a.py"})
    window.actions_table.trigger("subject.browser")
    window.actions_table.trigger("subject.copy_path")
    assert opened == [QUrl("https://example.org/q/1")]
    assert QGuiApplication.clipboard().text() == "src/a.py"
    page.view = replace(page.view, provenance={"url": "file:///etc/passwd"})
    said: list[str] = []
    window.session.message_posted.connect(said.append)
    for act in ("subject.browser", "subject.copy_path"):
        window.actions_table.trigger(act)
    assert said == ["This item has no address to open.", "This item does not come from a file."]
    assert len(opened) == 1


def test_consensus_has_them_in_its_menu(window: MainWindow, wait: Wait, opened: list[QUrl]) -> None:
    page = open_page(window, "Consensus")
    page.faces.choose(2)
    wait(lambda: page.subject_on_screen() is not None and page.table.currentIndex().isValid())
    assert page.table.menu.open(None)
    texts = [action.text().partition("\t")[0] for action in page.table.menu.menu.actions()]
    assert {"Open in your editor", "Copy the key", "Copy the row"} <= set(texts)
    page.table.menu.menu.hide()
    window.actions_table.trigger("subject.editor")
    assert len(opened) == 1


def test_the_file_takes_its_place_in_the_command() -> None:
    path = Path("/x/a b.py")
    assert build_editor_command("code --wait", path) == ["code", "--wait", str(path)]
    assert build_editor_command('"/opt/my editor/e" --file={file} -n', path) == [
        "/opt/my editor/e",
        f"--file={path}",
        "-n",
    ]


def test_a_file_on_this_machine_is_opened_only_from_the_folder_that_was_read(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.py").write_text("x = 1\n")
    (tmp_path / "other.py").write_text("y = 1\n")
    root = str(tmp_path / "tree")
    assert find_local_file({"repository": root, "path": "a.py"}) == (tmp_path / "tree" / "a.py").resolve()
    for path in ("../other.py", str(tmp_path / "other.py"), "", "b.py"):
        assert find_local_file({"repository": root, "path": path}) is None
    assert find_local_file({"repository": "https://example.org/a", "path": "a.py"}) is None
    assert find_local_file({"path": str(tmp_path / "other.py")}) is None
