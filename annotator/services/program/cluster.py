"""Start a Dask cluster for scoring: a scheduler with workers on this machine, or workers that join another one."""

from __future__ import annotations

import importlib.util
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from annotator.base.errors import BadInputError, MissingEnvironmentError

_POLL_S = 0.2
_END_TIMEOUT_S = 1.5
_START_TIMEOUT_S = 30.0


def serve_cluster(host: str, port: int, workers: int, ready: Callable[[str], None]) -> None:
    """Run a scheduler and its workers until one of them ends or the program is interrupted.

    ``ready`` is called with the scheduler's address. Raises `MissingEnvironmentError` if Dask is not installed or a
    process does not start.
    """
    _require_distributed()
    scheduler = ["dask_scheduler", "--host", host, "--port", str(port), "--no-dashboard"]
    processes = [_start_dask_process(scheduler)]
    try:
        _wait_for(host, port, processes[0])
        processes.append(_start_workers(f"{host}:{port}", workers))
        ready(f"{host}:{port}")
        _watch_processes(processes)
    finally:
        _end_processes(processes)


def join_cluster(address: str, workers: int, ready: Callable[[str], None]) -> None:
    """Run workers for the scheduler at ``HOST:PORT`` until they end or the program is interrupted.

    Raises `BadInputError` for an invalid address, and `MissingEnvironmentError` if no scheduler answers there.
    """
    _require_distributed()
    host, _, port = address.removeprefix("tcp://").removeprefix("dask://").rpartition(":")
    if not host or not port.isdigit():
        raise BadInputError(f"{address!r} is not a scheduler address. Give HOST:PORT.")
    _wait_for(host, int(port), None)
    processes = [_start_workers(f"{host}:{port}", workers)]
    try:
        ready(f"{host}:{port}")
        _watch_processes(processes)
    finally:
        _end_processes(processes)


def _require_distributed() -> None:
    if importlib.util.find_spec("distributed") is None:
        raise MissingEnvironmentError(
            "A cluster needs the package distributed. Install it with: pip install 'benchmark-annotator[cluster]'"
        )


def _start_workers(address: str, workers: int) -> subprocess.Popen[bytes]:
    # One process per worker: scoring holds the GIL, and a worker that dies takes only one job with it.
    worker_options = ["--nworkers", str(workers), "--nthreads", "1"]
    return _start_dask_process(["dask_worker", f"tcp://{address}", *worker_options, "--no-dashboard"])


def _start_dask_process(arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    module, *options = arguments
    return subprocess.Popen([sys.executable, "-m", f"distributed.cli.{module}", *options])  # noqa: S603 - our own argv


def _wait_for(host: str, port: int, scheduler: subprocess.Popen[bytes] | None) -> None:
    deadline = time.monotonic() + _START_TIMEOUT_S
    while scheduler is None or scheduler.poll() is None:
        try:
            socket.create_connection((host, port), 1.0).close()
        except OSError as error:
            if time.monotonic() > deadline:
                raise MissingEnvironmentError(f"There is no Dask scheduler at {host}:{port} ({error}).") from None
            time.sleep(_POLL_S)
        else:
            return
    raise MissingEnvironmentError(f"The scheduler did not start at {host}:{port}. Is the port taken?")


def _watch_processes(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    while all(process.poll() is None for process in processes):
        time.sleep(_POLL_S)
    raise MissingEnvironmentError("A part of the cluster has ended; the rest was ended too.")


def _end_processes(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in reversed(processes):
        process.terminate()
    deadline = time.monotonic() + _END_TIMEOUT_S
    for process in processes:
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
