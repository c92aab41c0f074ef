"""A screen in memory with a window manager, and a person at it: real keys and a real pointer, sent by xdotool."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

TOOLS = ("Xvfb", "openbox", "xdotool")
# What a desktop says of itself would bring its own file dialogs and its own look.
_OF_DESKTOPS = (
    "WAYLAND_DISPLAY",
    "XDG_CURRENT_DESKTOP",
    "QT_QPA_PLATFORMTHEME",
    "QT_SCALE_FACTOR",
    "QT_STYLE_OVERRIDE",
)


@contextmanager
def screen(width: int, height: int) -> Iterator[dict[str, str]]:
    """Yield the environment of programs that shall draw on a screen of this size; skip where there can be none."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"],
        pass_fds=[write], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    with os.fdopen(read) as stream:
        number = stream.readline().strip()
    if not number:
        server.wait(60)
        pytest.skip("Xvfb does not start here")
    environment = {name: value for name, value in os.environ.items() if name not in _OF_DESKTOPS}
    environment |= {"DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}
    manager = subprocess.Popen(["openbox"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield environment
    finally:
        for process in (manager, server):
            process.terminate()
            process.wait(60)
