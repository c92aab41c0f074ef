"""A million void Qt calls in one process: a wrong binding loses a reference to None at each and aborts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from annotator.services.project import projects

_PROGRAM = """
import os
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QLabel
app = QApplication([])
label, thing = QLabel(), QObject()
for number in range(500_000):
    thing.setObjectName("name")
    label.setEnabled(True)
print("done")
"""


@pytest.mark.slow
def test_a_million_void_calls() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "done\n"


def test_the_first_paint_imports_nothing_heavy(tmp_path: Path) -> None:
    path = tmp_path / "p.annotator"
    projects.create_project(path, "Demo", "Ada").close()
    program = f"""
import os, sys
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from pathlib import Path
from annotator.base.settings import Settings
from annotator.ui.app.application import make_application
from annotator.ui.app.main_window import MainWindow
from annotator.ui.app.theme.look import Theme
heavy = {{"openai", "docker", "rouge_score", "matplotlib"}}
database = {{"sqlmodel", "sqlalchemy", "pydantic"}}
app = make_application()
window = MainWindow(Theme(app), Settings(Path({str(tmp_path)!r}) / "s.json", {{}}))
window.show()
window.grab()
print(" ".join(sorted((heavy | database) & set(sys.modules))))
window.open_project(Path({str(path)!r}))
while window.session.store is None or not window.pages.current_name:
    app.processEvents()
window.grab()
print(" ".join(sorted(heavy & set(sys.modules))))
window.close()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
