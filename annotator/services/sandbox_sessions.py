"""A sandbox for one operation: opened when the first criterion needs it, and closed at the end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, closing, contextmanager
from functools import partial

from annotator.base.errors import MissingEnvironmentError
from annotator.criteria import CriterionDocument
from annotator.sandbox import Job, JobResult, Runner
from annotator.services.program import sandbox
from annotator.services.project import members
from annotator.store.file.project_file import ProjectFile


class Workbench:
    """Opens the sandbox on first use; ``problem`` is the reason if there is none. Thread-safe.

    It is itself a `Runner`, for callers that do not know beforehand whether any job will run.
    """

    def __init__(self, *, allow_local: Callable[[], bool] = lambda: False, size: int | None = None) -> None:
        self._stack = ExitStack()
        self._allow_local = allow_local
        self._size = size
        self._runner: Runner | None = None
        self._was_opened = self._stopped = False
        self._lock = threading.Lock()
        self.problem = ""

    def runner_for(self, document: CriterionDocument) -> Runner | None:
        """Return the sandbox, or None if the document runs no code or there is no sandbox."""
        return self.runner() if document.needs_sandbox else None

    def submit(self, job: Job) -> Future[JobResult]:
        """Run a job. Without a sandbox its result has the outcome "machinery" and the reason as its message."""
        runner = self.runner()
        if runner is not None:
            return runner.submit(job)
        failed_future: Future[JobResult] = Future()
        failed_future.set_result(JobResult(id=job.id, outcome="machinery", message=self.problem))
        return failed_future

    def runner(self) -> Runner | None:
        """Return the sandbox, or None if there is none."""
        with self._lock:
            if not self._was_opened and not self._stopped:
                self._was_opened = True
                try:
                    opening = sandbox.open_sandbox(allow_local=self._allow_local(), size=self._size)
                    self._runner, _ = self._stack.enter_context(opening)
                except MissingEnvironmentError as error:
                    self.problem = error.message
            return self._runner

    def stop(self) -> None:
        """Close the sandbox for good: waiting threads and later jobs fail at once."""
        with self._lock:
            self._stopped = True
            self._stack.close()
            self._runner = None
            self.problem = "The sandbox was closed."

    def close(self) -> None:
        """Close the sandbox; the next use opens it again."""
        self._stack.close()
        self._runner = None
        self._was_opened = False
        self.problem = ""


@contextmanager
def workbench(store: ProjectFile) -> Iterator[Workbench]:
    """Open a workbench for the block, with the sandbox engines that the project allows."""
    with closing(Workbench(allow_local=partial(members.is_local_execution_allowed, store))) as bench:
        yield bench
