"""Ctrl+C ends a command whatever Python is at just then."""

import argparse
import signal
import sys
import threading
import time

import pytest

from annotator.cli.command import command
from annotator.cli.run import no_interrupt_lost


class _Interrupted:
    def __del__(self) -> None:
        raise KeyboardInterrupt


class _Broken:
    def __del__(self) -> None:
        raise ValueError("in a finalizer")


@pytest.mark.parametrize("wait", [time.sleep, lambda seconds: threading.Event().wait(seconds)], ids=["sleep", "event"])
def test_an_interruption_during_a_finalizer_comes_again(wait: object) -> None:
    assert callable(wait)
    with pytest.raises(KeyboardInterrupt), no_interrupt_lost():
        _Interrupted()
        wait(30)


def test_other_errors_of_finalizers_are_reported_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda lost: reported.append(lost.exc_type))
    mine = sys.unraisablehook
    with no_interrupt_lost():
        _Broken()
    assert reported == [ValueError]
    assert sys.unraisablehook is mine


def test_a_command_that_ends_first_is_not_interrupted_afterwards() -> None:
    with no_interrupt_lost():
        _Interrupted()
    time.sleep(0.2)


def test_sigterm_interrupts_a_command_as_ctrl_c_does() -> None:
    def end_oneself() -> int:
        """End."""
        signal.raise_signal(signal.SIGTERM)
        return 0

    with pytest.raises(KeyboardInterrupt):
        command("end", "annotator end", json=False)(end_oneself).run(argparse.Namespace())
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
