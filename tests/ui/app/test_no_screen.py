"""Where no window can be shown, the program says why and ends with 4 instead of being aborted by Qt."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("PySide6")

from annotator.services.program import window_reasons
from annotator.ui.app import application

pytestmark = [pytest.mark.gui, pytest.mark.skipif(sys.platform != "linux", reason="only Linux has several platforms")]
ROOT = Path(__file__).parents[3]
SCREENS = ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE")


def _run(words: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    without = {name: value for name, value in os.environ.items() if name not in SCREENS}
    return subprocess.run(
        [sys.executable, "-m", "annotator", *words], cwd=ROOT, env={**without, **environment},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({}, "DISPLAY and WAYLAND_DISPLAY are not set"),
        ({"DISPLAY": ":8123"}, "cannot reach the screen :8123"),
        ({"QT_QPA_PLATFORM": "nosuchplatform"}, "Qt has no platform nosuchplatform"),
    ],
)
def test_without_a_screen_one_sentence_says_so(environment: dict[str, str], sentence: str) -> None:
    if window_reasons.missing_packages() and "QT_QPA_PLATFORM" not in environment:
        pytest.skip("libraries of the window are missing on this machine, which is said first")
    done = _run([], **environment)
    assert done.returncode == 4
    assert len(done.stderr.strip().splitlines()) == 1
    assert sentence in done.stderr
    assert "annotator --help" in done.stderr


def test_the_sample_is_not_made_for_a_window_that_cannot_be_shown(tmp_path: Path) -> None:
    done = _run(["demo", "--dir", str(tmp_path / "sample")])
    assert done.returncode == 4
    assert "annotator --help" in done.stderr
    assert not (tmp_path / "sample").exists()


def test_doctor_looks_at_the_screen_the_window_would_use() -> None:
    done = _run(["doctor", "--json"], DISPLAY=":8123")
    assert '"Window"' in done.stdout
    assert "cannot reach the screen :8123" in done.stdout or "apt install" in done.stdout


def test_missing_libraries_are_named_by_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = {"libxcb-cursor.so.0", "libxcb-icccm.so.4"}
    monkeypatch.setattr(
        window_reasons.ctypes, "CDLL", lambda name: (_ for _ in ()).throw(OSError()) if name in gone else None
    )
    said = window_reasons.explain_failure("qt.qpa.plugin: Could not load the Qt platform plugin")
    assert said.endswith("apt install libxcb-cursor0 libxcb-icccm4"), "it is copied as it stands"
    assert "annotator --help" in said


def test_other_reasons_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_reasons, "missing_packages", tuple)
    assert "(it fell over)" in window_reasons.explain_failure("\nit fell over\n")
    assert "(it gave no reason)" in window_reasons.explain_failure("")


def test_an_application_that_runs_needs_no_probe(qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("forked"))
    application.check_platform()
