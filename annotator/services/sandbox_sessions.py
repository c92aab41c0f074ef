"""A sandbox for a piece of work: opened when the first criterion needs it, kept until the work is done."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager

from annotator.base.errors import MissingEnvironmentError
from annotator.criteria import CriterionDocument
from annotator.sandbox import Job, JobResult, Runner
from annotator.services.program import sandbox
from annotator.services.project import members
from annotator.store.file.project_file import ProjectFile


class Workbench:
    """Gives the sandbox to criteria that run code; ``problem`` says why there is none. Threads may share it.

    It is itself a `Runner`, for work that learns only from job to job whether anything is to be run.
    """

    def __init__(self, *, allow_local: bool = False) -> None:
        """Open nothing yet."""
        self._stack = ExitStack()
        self._allow_local = allow_local
        self._runner: Runner | None = None
        self._asked = self._stopped = False
        self._lock = threading.Lock()
        self.problem = ""

    def runner_for(self, document: CriterionDocument) -> Runner | None:
        """Return the sandbox if the document runs code and there is one."""
        return self.runner() if document.needs_sandbox else None

    def submit(self, job: Job) -> Future[JobResult]:
        """Run a job; without a sandbox its result is machinery, saying what is missing."""
        runner = self.runner()
        if runner is not None:
            return runner.submit(job)
        done: Future[JobResult] = Future()
        done.set_result(JobResult(id=job.id, outcome="machinery", message=self.problem))
        return done

    def runner(self) -> Runner | None:
        """Return the sandbox if there is one."""
        with self._lock:
            if not self._asked and not self._stopped:
                self._asked = True
                try:
                    self._runner, _ = self._stack.enter_context(sandbox.sandbox(allow_local=self._allow_local))
                except MissingEnvironmentError as error:
                    self.problem = error.message
            return self._runner

    def stop(self) -> None:
        """End the sandbox for good: threads that wait for what runs in it, or ask for more, are told so at once."""
        with self._lock:
            self._stopped = True
            self._stack.close()
            self._runner, self.problem = None, "The sandbox was closed."

    def close(self) -> None:
        """End the sandbox; the next document opens it again."""
        self._stack.close()
        self._runner, self._asked, self.problem = None, False, ""


@contextmanager
def workbench(store: ProjectFile) -> Iterator[Workbench]:
    """Give a bench for as long as the block lasts, with what the project allows."""
    bench = Workbench(allow_local=members.local_execution(store))
    try:
        yield bench
    finally:
        bench.close()
