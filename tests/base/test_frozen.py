"""What differs in a frozen bundle: where files of ours lie, and which Python runs code."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from annotator.base.errors import MissingEnvironmentError
from annotator.base.resources import resource_path
from annotator.construction.bugs import static_rules
from annotator.sandbox import sandbox_places


def test_resources_of_the_bundle_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "resources" / "help").mkdir(parents=True)
    (tmp_path / "resources" / "help" / "select.md").write_text("# Frozen\n")
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert resource_path("help", "select.md").read_text() == "# Frozen\n"


def test_the_rule_checker_of_the_bundle_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    name = "ruff.exe" if sys.platform == "win32" else "ruff"
    (tmp_path / name).write_text("")
    (tmp_path / name).chmod(0o755)
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert static_rules.find_ruff() == str(tmp_path / name)


def test_a_bundle_runs_code_with_the_machines_python_or_says_that_there_is_none(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sandbox_places.shutil, "which", lambda name, path=None: f"/usr/bin/{name}")
    assert sandbox_places.find_python() == "/usr/bin/python3"
    monkeypatch.setattr(sandbox_places.shutil, "which", lambda name, path=None: None)
    with pytest.raises(MissingEnvironmentError, match="requires Python on this machine"):
        sandbox_places.find_python()
