"""The judge and the candidate: two processes, two users, and a channel that carries data and requests only.

The candidate's code never runs in the judge, and the tests are never in the candidate's memory. The judge calls the
candidate's functions through stand-ins; what comes back is built anew from plain data, or asked for where it is.
"""

from __future__ import annotations

import builtins
import sys
import types
from collections.abc import Callable
from typing import Any

from crossing import End, EndedError, attribute, is_a, library
from solution import NAME, load, names_of
from testing import FILE_MODULE, MODULE
from wire import WireError

_NO_NAMES = frozenset(("__annotations__", "__builtins__", "__cached__", "__class__", "__dict__", "__doc__", "__file__",
                       "__loader__", "__name__", "__package__", "__path__", "__spec__"))  # fmt: skip
CandidateEndedError = EndedError


# -- the candidate's side ----------------------------------------------------------------------------------------


class Candidate:
    """Serves calls until the judge hangs up. Everything here may be tampered with by the code it runs."""

    def __init__(self, fd: int) -> None:
        self._end = End(fd, guarded=False)
        self._told: dict[str, Any] = {}
        self._module = types.ModuleType(NAME)

    def serve(self, code: str) -> None:
        """Load the code, say what it defined, then answer."""
        try:
            self._module = load(code)
        except BaseException as error:
            self._end.say({"loaded": False, "error": self._end.describe(error)})
            return
        self._end.say({"loaded": True, "names": self._changed(), "self": self._end.stay(self._module)})
        self._end.more = self._changed
        self._end.serve()

    def _changed(self) -> dict[str, Any]:
        """Return the names that stand for something else than when they were told."""
        changed = {}
        for name, value in names_of(self._module).items():
            if name not in self._told or self._told[name] is not value:
                self._told[name] = value
                changed[name] = self._entry(name, value)
        return changed

    def _entry(self, name: str, value: Any) -> Any:
        if is_a(value, types.ModuleType):
            return {"module": value.__name__}
        origin = attribute(value, "__module__", None)
        if type(origin) is str and origin != NAME and attribute(sys.modules.get(origin), name, None) is value:
            return {"from": origin}
        try:
            return {"value": self._end.pack_whole(value)}
        except (WireError, RecursionError):
            return {"value": self._end.stay(value)}


# -- the judge's side --------------------------------------------------------------------------------------------


class Judge:
    """Gives the tests stand-ins for what the candidate defined.

    Tests keep their own builtins; only those of ``shadowed`` may be the candidate's, as the tests are about them.
    """

    def __init__(self, fd: int, shadowed: tuple[str, ...] = ()) -> None:
        self._end = End(fd, guarded=True)
        self._end.take_more = self._renew
        self._shadowed = frozenset(shadowed)
        self._names: dict[str, Any] = {}
        self._borrowed: set[str] = set()

    @property
    def memory(self) -> bool:
        """Whether the candidate ran out of memory."""
        return self._end.memory

    @property
    def touched(self) -> set[str]:
        """What the tests did, since this was last emptied, that another process may answer otherwise."""
        return self._end.touched

    def names(self) -> dict[str, Any]:
        """Wait for the candidate and return the stand-ins by name. Raises what the code raised while it was loaded."""
        first = self._end.hear()
        if not first.get("loaded"):
            raise self._end.understand(self._end.raised, first.get("error"))
        self._names = self._end.understand(self._named, first.get("names"))
        self._borrowed = {name for name, entry in first["names"].items() if "value" not in entry}
        public = self._names.pop("__all__", None)
        module = _Module(self._end.understand(self._end.unpack, first.get("self")), self._names)
        if type(public) in (list, tuple) and all(isinstance(name, str) and hasattr(module, name) for name in public):
            module.__dict__["__all__"] = public
        sys.modules[NAME] = module
        return self._names

    def read(self, tests: str) -> None:
        """Learn from the tests what they expect: that the candidate exits, or that its random numbers are theirs."""
        self._end.expect(tests)
        self._share_seeds(tests)

    def _share_seeds(self, tests: str) -> None:
        """Let the tests, if they seed random numbers, seed the candidate's too."""
        for name in ("random", "numpy.random") if "seed(" in tests else ():
            if name.partition(".")[0] in tests and (module := library(name)) is not None:
                vars(module)["seed"] = self._seeding(name, vars(module)["seed"])

    def _seeding(self, name: str, own: Callable[..., None]) -> Callable[..., None]:
        def seed(*args: Any, **keywords: Any) -> None:
            own(*args, **keywords)
            self._end.ask({"do": "seed", "name": name}, args, keywords)

        return seed

    def _named(self, entries: Any) -> dict[str, Any]:
        values = {}
        for name, entry in entries.items():
            if isinstance(name, str) and self._is_allowed(name, entry):
                value = self._value(name, entry)
                if value is not None or "value" in entry:
                    values[name] = value
        return values

    def _is_allowed(self, name: str, entry: Any) -> bool:
        if name in self._shadowed:
            return "value" in entry
        if hasattr(builtins, name) or name in _NO_NAMES:
            return False
        if name == "__all__":
            return "value" in entry
        return not name.startswith("__") or not isinstance(entry.get("value", {}), dict)

    def _value(self, name: str, entry: Any) -> Any:
        if "module" in entry:
            return library(str(entry["module"]))
        if "from" in entry:
            return getattr(library(str(entry["from"])), name, None)
        return self._end.unpack(entry["value"])

    def _renew(self, entries: Any) -> None:
        """Give the tests what the candidate's names stand for now, where the tests have not taken the name over."""
        for name, value in self._named(entries).items():
            before = self._names.get(name)
            self._names[name] = value
            # A library's name is not the candidate's: tests that replace it there still mean the library.
            if name in self._borrowed:
                continue
            for module in (sys.modules.get(item) for item in (MODULE, FILE_MODULE)):
                space = vars(module) if module is not None else {}
                if name in space and space[name] is before:
                    space[name] = value


class _Module(types.ModuleType):
    """The answer as the tests import it."""

    def __init__(self, remote: Any, names: dict[str, Any]) -> None:
        super().__init__(NAME)
        self.__dict__["_remote"] = remote
        self.__dict__["_names"] = names
        self.__dict__["__all__"] = [name for name in names if not name.startswith("_")]

    def __getattr__(self, name: str) -> Any:
        names = self.__dict__["_names"]
        if name in names:
            return names[name]
        if name.startswith("__"):
            raise AttributeError(f"module {NAME!r} has no attribute {name!r}")
        return getattr(self.__dict__["_remote"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__"):
            super().__setattr__(name, value)
        else:
            setattr(self.__dict__["_remote"], name, value)

    def __dir__(self) -> list[str]:
        return sorted(self.__dict__["_names"])
