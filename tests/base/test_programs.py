"""Programs are found beside Python first, then on the search path."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from annotator.base.resources import find_program


def test_programs_of_the_environment_need_no_search_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    for name in ("ruff", "uv"):
        found = find_program(name)
        assert found is not None and Path(found).parent.samefile(Path(sys.executable).parent)
    assert find_program("no-such-program") is None


@pytest.mark.skipif(os.name != "posix", reason="programs end in .exe on Windows")
def test_other_programs_are_found_on_the_search_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "some-program"
    program.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_program("some-program") == str(program)


@pytest.mark.skipif(os.name != "posix", reason="programs end in .exe on Windows")
def test_a_frozen_bundle_has_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "uv"
    program.touch(0o755)
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert find_program("uv") == str(program)
