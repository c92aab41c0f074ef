"""What the tests of commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.__main__ import main


@pytest.fixture
def command(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[str, str]]:
    """Return what runs a command, checks its status, and gives what it wrote to both streams."""

    def call(*arguments: str | Path, status: int = 0) -> tuple[str, str]:
        capfd.readouterr()
        found = main([str(item) for item in arguments])
        out, err = capfd.readouterr()
        assert found == status, err
        return out, err

    return call


@pytest.fixture
def run(command: Callable[..., tuple[str, str]]) -> Callable[..., str]:
    """Return what runs a command and gives its output, or its errors where a status is expected."""
    return lambda *arguments, status=0: command(*arguments, status=status)[1 if status else 0]
