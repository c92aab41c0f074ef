"""Libraries that an item's own code imports: whether an answer failed only because one is not in the sandbox."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

from annotator.sandbox.work import Job, JobResult, Runner

_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+(\w+)[\w.]*[ \t]+import\b|import[ \t]+([\w., \t]+))", re.MULTILINE)
_MISSING = re.compile(r"No module named '(\w+)")


def modules_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the modules of the first level that lines of Python import; the rest need not be Python."""
    found: set[str] = set()
    for text in texts:
        for start, plain in _IMPORT.findall(text):
            listed = (
                [start] if start else [part.split()[0].partition(".")[0] for part in plain.split(",") if part.split()]
            )
            found.update(listed)
    return frozenset(found)


@dataclass
class OwnLibraries:
    """Asks sandboxes which modules they have, each once; from any thread."""

    _known: dict[tuple[str, str], bool] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def missing(self, texts: Iterable[str], job: Job, result: JobResult, runner: Runner) -> str:
        """Return the module that a failed job did not find, if the item's own ``texts`` import it; else nothing.

        What an answer says is not believed: the module is looked for by a job of its own.
        """
        if result.outcome != "fail" or not job.language.startswith("python"):
            return ""
        said = {
            name
            for text in (result.message, *(test.message for test in result.tests))
            for name in _MISSING.findall(text)
        }
        wanted = sorted(said & modules_of(texts)) if said else []
        return next((name for name in wanted if not self._is_there(name, job, runner)), "")

    def _is_there(self, module: str, job: Job, runner: Runner) -> bool:
        key = (module, job.libraries)
        with self._lock:
            if key in self._known:
                return self._known[key]
        asking = Job(f"look for {module}", "python", f"import importlib.util, sys\n"
                     f"sys.exit(importlib.util.find_spec({module!r}) is None)\n", libraries=job.libraries)  # fmt: skip
        there = runner.submit(asking).result().outcome != "fail"
        with self._lock:
            self._known[key] = there
        return there
