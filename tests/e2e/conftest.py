"""What the tests of commands share."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.fixture
def run(command: Callable[..., tuple[str, str]]) -> Callable[..., str]:
    """Return what runs a command and gives its output, or its errors where a status is expected."""
    return lambda *arguments, status=0: command(*arguments, status=status)[1 if status else 0]
