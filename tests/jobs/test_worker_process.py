"""Work in a process of its own: what it gives, how it is paused and cancelled, and what becomes of it when it dies."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.base.errors import BadInputError, InterruptedWorkError
from annotator.jobs.progress import Cancelled, Progress
from annotator.jobs.worker_process import NICENESS, run_in_process


def squares(count: int, progress: Progress) -> Iterator[int]:
    for number in range(count):
        progress.report(number, count, f"square {number}")
        yield number * number


def about_itself(progress: Progress) -> Iterator[int]:
    del progress
    yield os.getpid()
    yield os.nice(0)


def refused(progress: Progress) -> Iterator[int]:
    del progress
    yield 1
    raise BadInputError("The file is bad.", details=("line 3",))


def broken(progress: Progress) -> Iterator[int]:
    del progress
    logging.getLogger("annotator.apart").warning("about to break")
    yield 1 // 0


def killed(progress: Progress) -> Iterator[int]:
    del progress
    yield 1
    os.kill(os.getpid(), signal.SIGKILL)


def endless(path: str, progress: Progress) -> Iterator[int]:
    step = 0
    try:
        while True:
            progress.report(step, None, f"step {step}")
            yield step
            step += 1
            time.sleep(0.005)
    except Cancelled:
        Path(path).write_text("tidied up", encoding="utf-8")
        raise


def test_parts_come_in_their_order_and_progress_is_told() -> None:
    progress = Progress()
    assert list(run_in_process(squares, (5,), progress)) == [0, 1, 4, 9, 16]
    assert progress.total == 5 and progress.text.startswith("square")


def test_it_is_another_process_behind_everything_else() -> None:
    pid, niceness = run_in_process(about_itself, (), Progress())
    assert pid != os.getpid()
    assert niceness == min(19, os.nice(0) + NICENESS)


def test_what_a_person_can_act_on_is_raised_as_it_was() -> None:
    work = run_in_process(refused, (), Progress())
    assert next(work) == 1
    with pytest.raises(BadInputError, match="The file is bad") as caught:
        next(work)
    assert caught.value.details == ("line 3",)


def test_a_bug_is_raised_with_its_trace_and_its_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "annotator"), pytest.raises(RuntimeError, match="ZeroDivisionError"):
        list(run_in_process(broken, (), Progress()))
    assert "about to break" in caplog.text


def test_a_process_that_is_killed_is_said_to_be() -> None:
    work = run_in_process(killed, (), Progress())
    assert next(work) == 1
    with pytest.raises(InterruptedWorkError, match="ended before it was finished"):
        next(work)


def test_cancelled_work_may_tidy_up(tmp_path: Path) -> None:
    progress, left = Progress(), tmp_path / "left"
    with pytest.raises(Cancelled):
        for step in run_in_process(endless, (str(left),), progress):
            if step == 3:
                progress.cancel()
    assert left.read_text(encoding="utf-8") == "tidied up"


def test_paused_work_waits_and_goes_on() -> None:
    progress, taken = Progress(), list[int]()
    work = run_in_process(endless, (os.devnull,), progress)
    thread = threading.Thread(target=_take, args=(work, taken, 100_000))
    thread.start()
    _until(lambda: len(taken) > 5)
    progress.pause()
    _until(lambda: _rests(taken))
    resting = len(taken)
    assert resting < 100_000
    progress.resume()
    _until(lambda: len(taken) > resting)
    progress.cancel()
    thread.join()


def test_work_that_is_left_early_ends(tmp_path: Path) -> None:
    left = tmp_path / "left"
    work = run_in_process(endless, (str(left),), Progress())
    assert next(work) == 0
    work.close()
    assert left.read_text(encoding="utf-8") == "tidied up"


def _take(work: Iterator[int], taken: list[int], most: int) -> None:
    try:
        for step in work:
            taken.append(step)
            if len(taken) >= most:
                return
    except Cancelled:
        return


def _rests(taken: list[int]) -> bool:
    before = len(taken)
    time.sleep(1.0)
    return len(taken) == before


def _until(holds: object) -> None:
    assert callable(holds)
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)
