"""Modules that are loaded after the first paint, or when they are first used.

Everything in `ui/app` and `ui/care` uses services through this module, so that the frame is on screen before they and
SQLModel are loaded. Pages import their services at the top, because a page's own module is loaded when it is first
shown. Parts of pages that are not visible at first, such as comments, also use services through this module.
"""

from __future__ import annotations

import importlib
import threading
from types import ModuleType
from typing import TYPE_CHECKING

_loading = threading.RLock()


def load_module(name: str) -> ModuleType:
    """Import a module under a lock: threads importing parts of one package can see half-initialised modules."""
    with _loading:
        return importlib.import_module(name)


class LateModule:
    """A proxy that imports a module when one of its attributes is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> object:
        """Import the module and return its attribute."""
        return getattr(load_module(self._name), name)


if TYPE_CHECKING:
    from annotator.services.consensus import aspect_reviews, three_experts
    from annotator.services.program import demo
    from annotator.services.project import members, recovery, search_index, time_machine, undo
    from annotator.services.runs import run_list, run_log
    from annotator.services.select import triage
else:
    aspect_reviews = LateModule("annotator.services.consensus.aspect_reviews")
    demo = LateModule("annotator.services.program.demo")
    members = LateModule("annotator.services.project.members")
    recovery = LateModule("annotator.services.project.recovery")
    search_index = LateModule("annotator.services.project.search_index")
    time_machine = LateModule("annotator.services.project.time_machine")
    undo = LateModule("annotator.services.project.undo")
    run_list = LateModule("annotator.services.runs.run_list")
    run_log = LateModule("annotator.services.runs.run_log")
    three_experts = LateModule("annotator.services.consensus.three_experts")
    triage = LateModule("annotator.services.select.triage")

__all__ = [
    "aspect_reviews",
    "demo",
    "load_module",
    "load_services",
    "members",
    "recovery",
    "run_list",
    "run_log",
    "search_index",
    "three_experts",
    "time_machine",
    "triage",
    "undo",
]


def load_services() -> None:
    """Import SQLModel and the services needed as soon as a project is open; all work in lanes waits for it."""
    for name in ("annotator.services.project.members", "annotator.services.project.undo"):
        load_module(name)
