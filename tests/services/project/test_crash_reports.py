"""Reports of bugs hold nothing of the project; the log turns over; doctor looks everywhere."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from annotator.base import crash, logs
from annotator.services.program import doctor
from annotator.services.project import backups
from annotator.services.runs import run_setups
from annotator.store.file.backup_files import Rotation
from annotator.store.file.project_file import ProjectFile

KEY = "sk-abcdefghijklmnopqrstuvwxyz012345"
WORDS = f"the secret question of /home/mei/work/p.annotator with {KEY}"
MORE = "a text of the project"


def _error() -> BaseException:
    def inner(subject: str) -> None:
        raise KeyError(subject)

    try:
        try:
            inner(WORDS)
        except KeyError as first:
            raise ValueError(MORE) from first
    except ValueError as error:
        return error


def test_a_report_names_the_place_and_not_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    text = crash.crash_report(_error(), {"page": "Select"})
    assert "page: Select" in text
    assert "test_crash_reports.py" in text and "inner" in text
    assert text.index("builtins.KeyError") < text.index("which led to") < text.index("builtins.ValueError")
    for hidden in ("secret question", "a text of the project", KEY, "/home/mei", str(Path.home())):
        assert hidden not in text
    assert text.count(crash.LEFT_OUT) == 2


def test_with_consent_the_words_go_in_but_no_keys_and_folders() -> None:
    text = crash.crash_report(_error(), with_message=True)
    assert "secret question of …/p.annotator" in text
    assert KEY not in text and "/home/mei" not in text


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("open /srv/data/x.db now", "open …/x.db now"),
        (r"open C:\Users\mei\x.db now", "open …/x.db now"),
        ("https://example.org/a/b", "https://example.org/a/b"),
        ("3/4 and /tmp", "3/4 and /tmp"),
        ("api_key=abcdef123456", "[removed]"),
    ],
)
def test_what_is_scrubbed(text: str, clean: str) -> None:
    assert crash.scrub_report(text) == clean


def test_errors_that_name_each_other_end() -> None:
    one, two = ValueError("1"), KeyError("2")
    one.__cause__, two.__cause__ = two, one
    assert crash.crash_report(one).count("builtins.") == 2


@pytest.mark.slow
def test_logs_turn_over_and_hold_no_key(tmp_path: Path) -> None:
    logger = logging.getLogger(logs.LOGGER)
    assert logs.set_up_logging(tmp_path) is not None
    for _ in range(60):
        logger.error("%s %s", KEY, "x" * 100_000)
    files = sorted(tmp_path.glob("annotator.log*"))
    assert len(files) == 6
    assert all(file.stat().st_size < 1_100_000 for file in files)
    assert not any(KEY in file.read_text() for file in files)


def test_a_fault_of_last_time_is_said_once(tmp_path: Path) -> None:
    import faulthandler

    enabled = faulthandler.is_enabled()
    (tmp_path / "fault.txt").write_text("Fatal Python error: Segmentation fault\n")
    try:
        assert logs.watch_for_crashes(tmp_path)
        assert not logs.watch_for_crashes(tmp_path)
        assert not logs.watch_for_crashes(tmp_path / "nowhere")
    finally:
        faulthandler.disable()
        if enabled:
            faulthandler.enable()


def test_doctor_looks_at_a_project(small_project: ProjectFile, capfd: pytest.CaptureFixture[str]) -> None:
    run_setups.save_run_setup(
        small_project,
        "endpoint",
        "gone",
        {"base_url": "http://127.0.0.1:9/v1", "key_name": "ANNOTATOR_TEST_NO_SUCH_KEY"},
    )
    path = small_project.path
    assert not doctor.check_backups(path).ok
    row = backups.make_project_backup(small_project, Rotation(3))
    assert doctor.check_backups(path).ok
    row.path.write_bytes(row.path.read_bytes()[:-1])
    assert "damaged" in doctor.check_backups(path).detail
    assert doctor.check_file_locks(path.parent).ok
    assert doctor.check_disk_room(path).ok
    assert not doctor.check_disk_room(path.with_name("none")).ok
    (found,) = doctor.check_endpoints(path)
    assert not found.ok
    assert "does not answer" in found.detail and "is missing" in found.detail
    assert not doctor.check_endpoints(path.with_name("none"))[0].ok


@pytest.mark.gui
def test_the_window_is_tried_in_a_process_of_its_own(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("PySide6")
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    assert [item.name for item in doctor.check_window()] == ["Window", "Fonts"]
    monkeypatch.setenv("QT_QPA_PLATFORM", "nosuchplatform")
    (broken,) = doctor.check_window()
    assert not broken.ok


def test_programs_are_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = doctor.check_program("uv", "mining")
    assert found.ok and found.detail[0].isdigit()
    assert doctor.check_program("no-such-program", "mining").detail == "not installed (mining)"
    broken = tmp_path / "broken-program"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert doctor.check_program("broken-program", "mining").detail == "does not start (mining)"
