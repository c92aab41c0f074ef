"""Commands in processes of their own, to be interrupted or killed, which start in no time.

They are forked from one process that has imported the program once. What becomes of the process as a process of
`python -m annotator` is for tests that start that.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from multiprocessing.context import ForkServerContext
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

from annotator.__main__ import main

ROOT = Path(__file__).parents[1]
_LOADED = (
    "tests.forked_commands",
    "annotator.cli.run",
    "annotator.cli.commands.runs.start",
    "annotator.cli.commands.runs.views",
    "annotator.llm.openai_api",
    "annotator.services.runs.execution",
)


def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(_LOADED))
    return context


def _run(words: tuple[str, ...], folder: Path, environment: Mapping[str, str]) -> None:
    """Run a command with its streams in files."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    for number, name in ((1, "out"), (2, "err")):
        with (folder / name).open("wb") as stream:
            os.dup2(stream.fileno(), number)
    sys.exit(main(words))


class ForkedCommand:
    """A running command, which does not outlive the ``with`` block it is used in."""

    def __init__(self, *words: str | Path) -> None:
        self._folder = TemporaryDirectory()
        target = (tuple(map(str, words)), Path(self._folder.name), dict(os.environ))
        self._process = _context().Process(target=_run, args=target)

    def __enter__(self) -> ForkedCommand:
        self._process.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.kill()
        self._process.close()
        self._folder.cleanup()

    @property
    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.is_alive()

    @property
    def out(self) -> str:
        """What it wrote to its output by now."""
        return (Path(self._folder.name) / "out").read_text("utf-8")

    @property
    def err(self) -> str:
        """What it wrote to its second output by now."""
        return (Path(self._folder.name) / "err").read_text("utf-8")

    def wait_until(self, condition: Callable[[], bool], timeout_s: float = 300) -> None:
        """Wait until something holds, before which the command must not end."""
        deadline = time.monotonic() + timeout_s
        while not condition():
            assert self.is_running, self.err
            assert time.monotonic() < deadline, "it never came there"
            time.sleep(0.01)

    def send(self, sent: signal.Signals) -> None:
        """Send it a signal."""
        assert self._process.pid is not None
        os.kill(self._process.pid, sent)

    def kill(self) -> None:
        """Kill it at once; nothing happens if it has ended."""
        self._process.kill()
        self._process.join()

    def wait(self, timeout_s: float = 120) -> int:
        """Wait for its end and return its exit status, which is negative for a signal."""
        self._process.join(timeout_s)
        assert self._process.exitcode is not None, "it does not end"
        return self._process.exitcode
