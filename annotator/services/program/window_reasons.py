"""Explain why no window can be shown on Linux: no display, or a missing system library (with its Debian package)."""

from __future__ import annotations

import ctypes
import os
import re

_COMMANDS_HINT = "The commands work without a window: annotator --help."
_NO_DISPLAY = re.compile(r"could not connect to display (\S*)|Failed to create wl_display")
_NO_PLATFORM = re.compile(r'Could not find the Qt platform plugin "([^"]*)"')
_PACKAGE_OF_LIBRARY = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
}
"""Library -> package of Debian and Ubuntu. The PySide6 wheels contain everything else."""


def missing_packages() -> tuple[str, ...]:
    """Return the packages whose libraries cannot be loaded here."""
    return tuple(package for library, package in _PACKAGE_OF_LIBRARY.items() if not _can_load(library))


def installation_advice(packages: tuple[str, ...]) -> str:
    """Return advice on installing missing packages, ending with the command to copy; empty if none are missing."""
    return f"On Debian or Ubuntu: apt install {' '.join(packages)}" if packages else ""


def explain_failure(qt_output: str) -> str:
    """Explain Qt's last output before it failed, in one sentence."""
    if bad_platform := _NO_PLATFORM.search(qt_output):
        return f"Qt has no platform {bad_platform[1]}; check the variable QT_QPA_PLATFORM. {_COMMANDS_HINT}"
    if advice := installation_advice(missing_packages()):
        return f"The window cannot be shown: system libraries are missing. {_COMMANDS_HINT} {advice}"
    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if _NO_DISPLAY.search(qt_output) and not display:
        return f"The window needs a screen, and DISPLAY and WAYLAND_DISPLAY are not set. {_COMMANDS_HINT}"
    if _NO_DISPLAY.search(qt_output):
        return (
            f"The window cannot reach the screen {display}: it does not answer, or refuses this user. {_COMMANDS_HINT}"
        )
    reason = next((line for line in qt_output.splitlines() if line.strip()), "it gave no reason")
    return f"The window cannot be shown: Qt does not start here ({reason}). {_COMMANDS_HINT}"


def _can_load(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True
