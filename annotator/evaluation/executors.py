"""Executors of scoring jobs: threads or processes of this machine, or a Dask cluster."""

from __future__ import annotations

import logging
import multiprocessing
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.messages import Message
from annotator.jobs.worker_process import lower_priority

_JOBS_PER_WORKER = 32
"""Number of jobs submitted ahead per worker of this machine."""
_RESULT_S = 30.0
_LOGGERS = ("distributed", "distributed.client", "distributed.core", "tornado.application")


class WorkerLostError(Exception):
    """The worker of a job is gone; the job itself is not to blame and can be retried."""


class ScoringExecutor(Protocol):
    """Runs scoring jobs."""

    @property
    def ahead(self) -> int:
        """How many jobs to submit before the first result is back."""
        ...

    @property
    def obstacle(self) -> str:
        """Why nothing is scored at the moment; "" if scoring works.

        Raises `MissingEnvironmentError` when nothing will be scored any more.
        """
        ...

    def submit(self, job: Any) -> Future[Any]:
        """Start a job. Its future raises `WorkerLostError` if its worker died."""
        ...

    def close(self) -> None:
        """Drop jobs that have not begun and release the workers."""
        ...


class LocalExecutor:
    """Scores on this machine: in threads (when the work is done in the sandbox), or in processes.

    The process pool is restarted when one of its processes dies.
    """

    def __init__(self, score: Callable[[Any], Any], workers: int = 2, *, processes: bool = False) -> None:
        """Use ``workers`` threads or processes. For processes ``score`` must be a function of a module."""
        self._score = score
        self._workers = max(1, workers)
        self._processes = processes
        self._lock = threading.Lock()
        self._pool = self._start_pool()

    @property
    def ahead(self) -> int:
        """How many jobs to submit ahead: the thread that takes results may be busy writing for a while."""
        return self._workers * _JOBS_PER_WORKER

    @property
    def obstacle(self) -> str:
        """Always "": this machine can always score."""
        return ""

    def submit(self, job: Any) -> Future[Any]:
        """Start a job."""
        result: Future[Any] = Future()
        with self._lock:
            pool = self._pool
        try:
            pool_future = pool.submit(self._score, job)
        except BrokenProcessPool:
            self._replace(pool)
            result.set_exception(WorkerLostError("a scoring process died"))
            return result
        pool_future.add_done_callback(lambda future: self._settle(future, result, pool))
        return result

    def close(self) -> None:
        """Drop jobs that have not begun, and wait for the others."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _settle(self, pool_future: Future[Any], result: Future[Any], pool: Executor) -> None:
        if pool_future.cancelled():
            result.set_exception(WorkerLostError("the scoring was closed"))
            return
        error = pool_future.exception()
        if isinstance(error, BrokenProcessPool):
            self._replace(pool)
            error = WorkerLostError("a scoring process died")
        if error is not None:
            result.set_exception(error)
        else:
            result.set_result(pool_future.result())

    def _start_pool(self) -> Executor:
        if self._processes:
            spawn = multiprocessing.get_context("spawn")
            return ProcessPoolExecutor(self._workers, mp_context=spawn, initializer=_prepare_process)
        return ThreadPoolExecutor(self._workers, thread_name_prefix="scoring")

    def _replace(self, broken: Executor) -> None:
        with self._lock:
            if self._pool is broken:
                # A broken pool ends by itself. Python 3.13 holds its lock here, so `shutdown` would never return.
                self._pool = self._start_pool()


def _prepare_process() -> None:
    """Lower the priority of a scoring process, and end it with its parent."""
    lower_priority()
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        # A parent that was killed cannot tell its processes to stop.
        os._exit(1)


class SplitExecutor:
    """Scores in threads if a job mostly waits, and in processes if it would hold this interpreter's lock for long.

    The process pool is started with the first heavy job.
    """

    def __init__(
        self,
        score: Callable[[Any], Any],
        is_heavy: Callable[[Any], bool],
        score_in_process: Callable[[Any], Any],
        workers: int,
    ) -> None:
        """Use ``workers`` threads and as many processes; ``score_in_process`` must be a module-level function."""
        self._threads = LocalExecutor(score, workers)
        self._workers = workers
        self._is_heavy = is_heavy
        self._score_in_process = score_in_process
        self._processes: LocalExecutor | None = None
        self._lock = threading.Lock()

    @property
    def ahead(self) -> int:
        """How many jobs to submit ahead."""
        return self._threads.ahead

    @property
    def obstacle(self) -> str:
        """Always "": this machine can always score."""
        return ""

    def submit(self, job: Any) -> Future[Any]:
        """Start a job."""
        if not self._is_heavy(job):
            return self._threads.submit(job)
        with self._lock:
            if self._processes is None:
                self._processes = LocalExecutor(self._score_in_process, self._workers, processes=True)
        return self._processes.submit(job)

    def close(self) -> None:
        """Drop jobs that have not begun, and wait for the others."""
        self._threads.close()
        if self._processes is not None:
            self._processes.close()


@dataclass(frozen=True, slots=True)
class WorkerFacts:
    """A cluster worker's own report; ``problem`` says why it runs no code, ``languages`` which it can run."""

    version: str
    problem: str
    languages: tuple[str, ...]


class DaskExecutor:
    """Scores on a Dask cluster. The scheduler runs the jobs of a worker that died on another one."""

    def __init__(self, score: Callable[[Any], Any], address: str, *, connect_s: float = 10.0) -> None:
        """Connect to ``HOST:PORT``. Raises `MissingEnvironmentError` if that fails or the package is not there.

        ``score`` must be a function that the workers can import; jobs and results must be plain data.
        """
        try:
            import distributed
        except ImportError:
            raise MissingEnvironmentError(
                "Scoring on a cluster needs the package distributed. "
                "Install it with: pip install 'benchmark-annotator[cluster]'"
            ) from None
        self._score, self._address = score, address
        for name in _LOGGERS:
            # We report a lost connection in a sentence; the package would print its traceback as well.
            logging.getLogger(name).setLevel(logging.CRITICAL)
        parts = urlsplit(f"dask://{address}")
        try:
            # Dask keeps retrying where nothing listens; this fails at once.
            socket.create_connection((parts.hostname or "", parts.port or 0), connect_s).close()
            self._client: Any = distributed.Client(  # type: ignore[no-untyped-call]  # not typed
                f"tcp://{address}", timeout=connect_s, set_as_default=False
            )
        except (OSError, TimeoutError) as error:
            raise MissingEnvironmentError(
                f"There is no Dask scheduler at {address} ({error or 'no answer'}). Start one, or score locally."
            ) from None
        self._open: set[Any] = set()
        self._lock = threading.Lock()

    @property
    def ahead(self) -> int:
        """How many jobs to submit ahead: two for each thread that the cluster has now."""
        return 2 * max(1, sum(int(worker.get("nthreads", 1)) for worker in self._workers().values()))

    @property
    def obstacle(self) -> str:
        """Why nothing is scored: no worker, or no scheduler; "" if there are workers.

        Raises `MissingEnvironmentError` once the client has failed to reconnect for the seconds given as ``connect_s``.
        """
        self._check_scheduler()
        try:
            workers = self._workers() if self._client.status == "running" else None
        except (OSError, TimeoutError):
            workers = None
        if workers is None:
            return Message("The Dask scheduler at {address} does not answer.", address=self._address)
        if workers:
            return ""
        return Message(
            "The Dask scheduler at {address} has no worker; scoring continues when one joins.", address=self._address
        )

    def check_workers(
        self, describe: Callable[[], WorkerFacts], refuse: Callable[[WorkerFacts], str], wait_s: float = 3.0
    ) -> None:
        """Check every worker. Raises `MissingEnvironmentError` if there is none, or an unsuitable one.

        ``describe`` runs in the workers; ``refuse`` returns what is wrong with one, or an empty text.
        """
        deadline = time.monotonic() + wait_s
        while not (workers := self._workers()) and time.monotonic() < deadline:
            time.sleep(0.1)
        if not workers:
            raise MissingEnvironmentError(
                f"The Dask scheduler at {self._address} has no worker. Start some with: annotator cluster join "
                f"{self._address}, or score locally."
            )
        answers: Mapping[str, Any] = self._client.run(describe, on_error="return")
        for name, facts in answers.items():
            if isinstance(facts, OSError):
                # A connection error, which does not tell what is installed on the worker.
                raise MissingEnvironmentError(
                    f"The worker at {name} ended while it was asked what it can do ({facts or type(facts).__name__}). "
                    "Look there for what ended it and start it again, or score locally."
                )
            if not isinstance(facts, WorkerFacts):
                raise MissingEnvironmentError(
                    f"The worker at {name} cannot score: {facts or type(facts).__name__}. Install the same version of "
                    "Annotator there as here."
                )
            problem = refuse(facts)
            if problem:
                raise MissingEnvironmentError(f"The worker at {name} cannot score: {problem}")

    def _workers(self) -> Mapping[str, Mapping[str, Any]]:
        workers: Mapping[str, Mapping[str, Any]] = self._client.scheduler_info(n_workers=-1).get("workers", {})
        return workers

    def _check_scheduler(self) -> None:
        if self._client.status in ("closing", "closed"):
            raise MissingEnvironmentError(
                f"The Dask scheduler at {self._address} is gone. Answers so far are kept. Start it again and resume, "
                "or score locally."
            )

    def submit(self, job: Any) -> Future[Any]:
        """Start a job. Raises `MissingEnvironmentError` if the scheduler is gone."""
        self._check_scheduler()
        result: Future[Any] = Future()
        remote = self._client.submit(self._score, job, pure=False)
        with self._lock:
            # The cluster forgets a job as soon as nobody holds its future.
            self._open.add(remote)
        remote.add_done_callback(lambda future: self._settle(future, result))
        return result

    def _settle(self, remote: Any, result: Future[Any]) -> None:
        from distributed.scheduler import KilledWorker

        with self._lock:
            self._open.discard(remote)
        if remote.status == "finished" and self._client.status == "running":
            try:
                result.set_result(remote.result(timeout=_RESULT_S))
            except Exception as error:  # noqa: BLE001 - whatever it is, the result did not get here: run the job again
                result.set_exception(WorkerLostError(f"the result was lost ({type(error).__name__})"))
            return
        problem = remote.exception() if remote.status == "error" else None
        if problem is None or isinstance(problem, KilledWorker):
            problem = WorkerLostError("the cluster's workers died under the job")
        result.set_exception(problem)

    def close(self) -> None:
        """Cancel open jobs, if the scheduler is reachable, and disconnect."""
        with self._lock:
            open_futures = list(self._open)
            self._open.clear()
        if open_futures and self._client.status == "running":
            self._client.cancel(open_futures)
        self._client.close()


def make_executor(name: str, score: Callable[[Any], Any]) -> ScoringExecutor:
    """Return the executor of that name: "local", or "dask://HOST:PORT". Raises `BadInputError` for another name."""
    if name == "local":
        return LocalExecutor(score)
    try:
        parts = urlsplit(name)
        is_valid = parts.scheme == "dask" and bool(parts.hostname) and parts.port is not None
    except ValueError:
        is_valid = False
    if not is_valid:
        raise BadInputError(f"There is no executor {name!r}. Use local, or dask://HOST:PORT.")
    return DaskExecutor(score, parts.netloc)
