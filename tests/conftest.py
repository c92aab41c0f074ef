"""What all tests share."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings

from tests.long_tests import LONG_TESTS

settings.register_profile("quick", deadline=None, max_examples=60)
# The gate gives the same answer for the same commit; the random search is what everybody's own runs are for.
settings.register_profile("gate", deadline=None, max_examples=40, derandomize=True)
# Beside the long tests (tests/long_tests.py), which have the time.
settings.register_profile("thorough", deadline=None, max_examples=1000)
# For the second run without PySide6, which is about what gets imported and not about what is computed.
settings.register_profile("glance", deadline=None, max_examples=5, derandomize=True)
if os.environ.get("ANNOTATOR_LONG"):
    settings.load_profile("thorough")
else:
    settings.load_profile("gate" if os.environ.get("CI") else "quick")

# A suite in the background of a script inherits an ignored SIGINT, and so would every command that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A real engine for every test that runs code, a real server for those that share a project.
pytest_plugins = ["tests.engine", "tests.server"]


@pytest.fixture(autouse=True)
def _logs_end() -> Iterator[None]:
    """Close the log that a command opened: a process has one, but one test after another would write into all."""
    logger = logging.getLogger("annotator")
    before = list(logger.handlers)
    yield
    for handler in [item for item in logger.handlers if item not in before]:
        logger.removeHandler(handler)
        handler.close()


@pytest.fixture(scope="session")
def sample_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample project with every kind of work, built once for all workers, and to be copied."""
    from annotator.services.program import demo

    folder = tmp_path_factory.getbasetemp()
    shared = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "built-sample"
    with FileLock(f"{shared}.lock"):
        if not shared.exists():
            making = shared.with_name("sample-in-the-making")
            demo.build_demo(making).close()
            making.rename(shared)
    return Path(shutil.copytree(shared, folder / "sample")) / demo.FILE_NAME


@pytest.fixture
def command(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[str, str]]:
    """Return what runs a command, checks its status, and gives what it wrote to both streams."""

    from annotator.__main__ import main

    def call(*arguments: str | Path, status: int = 0) -> tuple[str, str]:
        capfd.readouterr()
        exit_status = main([str(item) for item in arguments])
        out, err = capfd.readouterr()
        assert exit_status == status, err
        return out, err

    return call


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Keep all modules and tests out of every later garbage collection: 8 % of the suite's CPU time went into that."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the table of long tests, and skip them unless they are asked for."""
    is_asked_for = bool(os.environ.get("ANNOTATOR_LONG"))
    for item in items:
        if not any(entry.covers(item.nodeid) for entry in LONG_TESTS):
            continue
        item.add_marker(pytest.mark.long)
        if not is_asked_for:
            item.add_marker(pytest.mark.skip(reason="a long test (tests/long_tests.py): set ANNOTATOR_LONG=1"))
