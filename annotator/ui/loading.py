"""The services of the window's frame that need SQLModel, loaded behind the first paint.

Everything in `ui/app` and `ui/care` reaches them through this module, so that the frame is on screen before they are
loaded. Pages import their services at the top: their own modules are loaded when they are first shown.
"""

from __future__ import annotations

import importlib
import threading
from types import ModuleType
from typing import TYPE_CHECKING

_loading = threading.RLock()


def load_module(name: str) -> ModuleType:
    """Load a module. Threads take turns, as Python hands out half-loaded modules when two load parts of a package."""
    with _loading:
        return importlib.import_module(name)


class LateModule:
    """Stands for a module until something in it is first used."""

    def __init__(self, name: str) -> None:
        """Name the module; nothing is loaded yet."""
        self._name = name

    def __getattr__(self, name: str) -> object:
        """Load the module and return what it calls so."""
        return getattr(load_module(self._name), name)


if TYPE_CHECKING:
    from annotator.services.program import demo
    from annotator.services.project import members, recovery, search_index, time_machine, undo
    from annotator.services.runs import run_list
    from annotator.services.select import triage
else:
    demo = LateModule("annotator.services.program.demo")
    members = LateModule("annotator.services.project.members")
    recovery = LateModule("annotator.services.project.recovery")
    search_index = LateModule("annotator.services.project.search_index")
    time_machine = LateModule("annotator.services.project.time_machine")
    undo = LateModule("annotator.services.project.undo")
    run_list = LateModule("annotator.services.runs.run_list")
    triage = LateModule("annotator.services.select.triage")

__all__ = [
    "demo",
    "load_module",
    "load_services",
    "members",
    "recovery",
    "run_list",
    "search_index",
    "time_machine",
    "triage",
    "undo",
]


def load_services() -> None:
    """Load SQLModel and what the frame asks for as soon as a project is open; all work in lanes waits for it."""
    for name in ("annotator.services.project.members", "annotator.services.project.undo"):
        load_module(name)
