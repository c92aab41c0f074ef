"""Scoring functions that worker processes can import."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any


def length(job: Any) -> int:
    return len(job)


def dies_once(job: tuple[str, str]) -> str:
    """Kill the process that runs it the first time a job is run; ``job`` is a name and a folder for marks."""
    name, folder = job
    mark = Path(folder) / name
    if name.startswith("deadly") and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.01)
    return f"{name} scored"


def slow(job: tuple[str, str]) -> tuple[str, int]:
    """Leave a mark of the process that runs it, then take a while."""
    name, folder = job
    (Path(folder) / f"{os.getpid()}-{name}").touch()
    time.sleep(0.05)
    return name, os.getpid()


def always_dies(job: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def end_worker() -> None:
    """Kill the process of a cluster's worker that is asked what it is."""
    os.kill(os.getpid(), signal.SIGKILL)


def raises(job: Any) -> None:
    raise ValueError(f"cannot score {job}")


def with_process(job: Any) -> tuple[Any, int]:
    """Tell which process scored a job."""
    return job, os.getpid()
