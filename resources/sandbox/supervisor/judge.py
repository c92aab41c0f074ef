"""The judge and the candidate: two processes, two users, and a channel that carries plain data only.

The candidate's code never runs in the judge, and the tests are never in the candidate's memory. The judge calls the
candidate's functions through proxies; what comes back is built anew from plain data, so that no object of the
candidate's can answer a comparison.
"""

from __future__ import annotations

import builtins
import importlib
import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

from solution import load, names_of
from wire import EndOfStreamError, Frames, WireError, decode, encode, write_frame

MESSAGE_LIMIT = 16 * 1024 * 1024
_MUTABLE = (list, dict, set, bytearray)
_REFUSED_MODULES = {"antigravity", "this", "idlelib", "turtledemo", "lib2to3", "unittest", "_pytest"}


class CandidateEndedError(Exception):
    """The candidate's process ended or spoke nonsense while the tests were running."""


class NotPlainDataError(AssertionError):
    """The candidate gave a value that cannot be compared as plain data."""


# -- the candidate's side ----------------------------------------------------------------------------------------


class Candidate:
    """Serves calls until the judge hangs up. Everything here may be tampered with by the code it runs."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._frames = Frames(fd, MESSAGE_LIMIT)
        self._kept: dict[int, Any] = {}

    def serve(self, code: str) -> None:
        """Load the code, say what it defined, then answer."""
        try:
            module = load(code)
        except BaseException as error:
            write_frame(self._fd, {"loaded": False, "error": _error(error)}, MESSAGE_LIMIT)
            return
        names = names_of(module)
        write_frame(
            self._fd, {"loaded": True, "names": {k: self._entry(k, v) for k, v in names.items()}}, MESSAGE_LIMIT
        )
        while True:
            try:
                request = self._frames.read()
            except EndOfStreamError:
                return
            self._answer(request, names)

    def _answer(self, request: Any, names: dict[str, Any]) -> None:
        try:
            target = names[request["name"]] if "name" in request else self._kept[request["kept"]]
            if request["act"] == "next":
                answer = {"value": self._value(next(target))}
            else:
                args = [self._argument(item) for item in request["args"]]
                keywords = {key: self._argument(item) for key, item in request["keywords"].items()}
                answer = {"value": self._value(target(*args, **keywords))}
                answer["after"] = self._changed(args, request["args"])
        except WireError as error:
            answer = {"opaque": str(error)}
        except BaseException as error:
            answer = {"error": _error(error)}
        try:
            write_frame(self._fd, answer, MESSAGE_LIMIT)
        except WireError as error:
            write_frame(self._fd, {"opaque": str(error)}, MESSAGE_LIMIT)

    def _entry(self, name: str, value: Any) -> Any:
        if isinstance(value, type) and issubclass(value, BaseException):
            return {"exception": _bases(value)}
        if inspect.ismodule(value):
            return {"module": value.__name__}
        if callable(value) and getattr(value, "__module__", None) in ("solution", None):
            return {"call": name}
        try:
            return {"value": encode(value)}
        except WireError:
            pass
        origin = getattr(value, "__module__", None)
        if isinstance(origin, str) and getattr(sys.modules.get(origin), name, None) is value:
            return {"from": origin}
        return {"call": name} if callable(value) else {"opaque": type(value).__name__}

    def _value(self, value: Any) -> Any:
        try:
            return encode(value)
        except WireError:
            if inspect.isfunction(value) or inspect.ismethod(value) or inspect.isbuiltin(value):
                return {"kept": self._keep(value), "act": "call"}
            if hasattr(value, "__next__"):
                return {"kept": self._keep(value), "act": "next"}
            raise

    def _keep(self, value: Any) -> int:
        self._kept[len(self._kept)] = value
        return len(self._kept) - 1

    def _argument(self, data: Any) -> Any:
        if isinstance(data, dict) and "given" in data:
            return self._given(data["given"])
        return decode(data)

    def _given(self, number: int) -> Callable[..., Any]:
        """A function of the tests': calling it asks the judge, who waits for this call's answer."""

        def call(*args: Any, **keywords: Any) -> Any:
            asked = {"ask": number, "args": [encode(item) for item in args],
                     "keywords": {key: encode(item) for key, item in keywords.items()}}  # fmt: skip
            write_frame(self._fd, asked, MESSAGE_LIMIT)
            answer = self._frames.read()
            if "error" in answer:
                kind = getattr(builtins, answer["error"]["type"], RuntimeError)
                raise kind(answer["error"]["text"])
            return decode(answer["value"])

        return call

    def _changed(self, args: list[Any], sent: list[Any]) -> dict[str, Any]:
        """Return the arguments that the call changed in place, so that the tests see it."""
        changed = {}
        for index, (value, before) in enumerate(zip(args, sent, strict=True)):
            if isinstance(value, _MUTABLE):
                after = encode(value)
                if after != before:
                    changed[str(index)] = after
        return changed


def _error(error: BaseException) -> dict[str, Any]:
    try:
        text = str(error)[:2000]
    except BaseException:
        text = ""
    try:
        args = [encode(item) for item in error.args][:8]
    except BaseException:
        args = [text]
    return {"bases": _bases(type(error)), "text": text, "args": args}


def _bases(kind: type) -> list[list[str]]:
    return [[base.__module__, base.__name__] for base in kind.__mro__ if issubclass(base, BaseException)]


# -- the judge's side --------------------------------------------------------------------------------------------


class Judge:
    """Gives the tests proxies for what the candidate defined."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._frames = Frames(fd, MESSAGE_LIMIT)
        self._exceptions: dict[tuple[str, str], type[BaseException]] = {}
        self._given: list[Callable[..., Any]] = []
        self.memory = False

    def names(self) -> dict[str, Any]:
        """Wait for the candidate and return the proxies by name. Raises what the code raised while it was loaded."""
        first = self._read()
        if not first.get("loaded"):
            raise self._raised(first["error"])
        found = {}
        for name, entry in first["names"].items():
            # Tests keep their own builtins: a candidate that redefines len or sorted redefines it for itself.
            if isinstance(name, str) and not hasattr(builtins, name):
                value = self._named(name, entry)
                if value is not None:
                    found[name] = value
        return found

    def _named(self, name: str, entry: Any) -> Any:
        if "call" in entry:
            return self._proxy({"name": entry["call"]}, name)
        if "exception" in entry:
            return self._exception(entry["exception"])
        if "module" in entry:
            return _library(entry["module"])
        if "from" in entry:
            return getattr(_library(entry["from"]), name, None)
        return decode(entry["value"]) if "value" in entry else None

    def _read(self) -> dict[str, Any]:
        try:
            message = self._frames.read()
        except (EndOfStreamError, OSError) as error:
            raise CandidateEndedError("the solution ended before its answer") from error
        except WireError as error:
            raise CandidateEndedError(f"the solution's answer could not be read ({error})") from error
        if not isinstance(message, dict):
            raise CandidateEndedError("the solution's answer could not be read")
        return message

    def _proxy(self, target: dict[str, Any], name: str) -> Callable[..., Any]:
        def call(*args: Any, **keywords: Any) -> Any:
            return self._call(target, args, keywords)

        call.__name__ = call.__qualname__ = name
        return call

    def _call(self, target: dict[str, Any], args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        request = {**target, "act": "call", "args": [self._argument(item) for item in args],
                   "keywords": {key: self._argument(item) for key, item in keywords.items()}}  # fmt: skip
        answer = self._ask(request)
        for index, after in answer.get("after", {}).items():
            _update(args[int(index)], decode(after))
        return self._value(answer["value"])

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            write_frame(self._fd, request, MESSAGE_LIMIT)
        except OSError as error:
            raise CandidateEndedError("the solution ended before it was asked") from error
        while True:
            answer = self._read()
            if "ask" in answer:
                self._serve(answer)
            elif "error" in answer:
                raise self._raised(answer["error"])
            elif "opaque" in answer:
                raise NotPlainDataError(f"the solution's value cannot be compared: {answer['opaque']}")
            elif "value" in answer:
                return answer
            else:
                raise CandidateEndedError("the solution's answer could not be read")

    def _serve(self, asked: dict[str, Any]) -> None:
        try:
            args = [decode(item) for item in asked["args"]]
            keywords = {key: decode(item) for key, item in asked["keywords"].items()}
            answer = {"value": encode(self._given[asked["ask"]](*args, **keywords))}
        except BaseException as error:
            answer = {"error": {"type": type(error).__name__, "text": str(error)[:2000]}}
        write_frame(self._fd, answer, MESSAGE_LIMIT)

    def _argument(self, value: Any) -> Any:
        try:
            return encode(value)
        except WireError:
            if hasattr(value, "__next__"):
                return encode(list(value))
            if callable(value):
                self._given.append(value)
                return {"given": len(self._given) - 1}
            raise

    def _value(self, data: Any) -> Any:
        if isinstance(data, dict) and "kept" in data:
            target = {"kept": int(data["kept"])}
            return self._proxy(target, "function") if data.get("act") == "call" else self._iterate(target)
        try:
            return decode(data)
        except WireError as error:
            raise NotPlainDataError(str(error)) from error

    def _iterate(self, target: dict[str, Any]) -> Any:
        while True:
            try:
                answer = self._ask({**target, "act": "next", "args": [], "keywords": {}})
            except StopIteration:
                return
            yield self._value(answer["value"])

    def _raised(self, error: Any) -> BaseException:
        kind = self._exception(error["bases"])
        if issubclass(kind, MemoryError):
            self.memory = True
        if issubclass(kind, (SystemExit, KeyboardInterrupt, GeneratorExit)):
            return CandidateEndedError(f"the solution raised {kind.__name__}")
        try:
            return kind(*[decode(item) for item in error["args"]])
        except Exception:
            return kind.__new__(kind, str(error["text"]))

    def _exception(self, bases: Any) -> type[BaseException]:
        """Return the class of that name: a library's own, or one made here with the same ancestors."""
        module, name = str(bases[0][0]), str(bases[0][1])
        if (module, name) not in self._exceptions:
            known = getattr(_library(module), name, None)
            if isinstance(known, type) and issubclass(known, BaseException):
                self._exceptions[module, name] = known
            else:
                base = self._exception(bases[1:]) if len(bases) > 1 else Exception
                self._exceptions[module, name] = type(name, (base,), {})
        return self._exceptions[module, name]


def _library(name: str) -> types.ModuleType | None:
    top = name.partition(".")[0]
    if (top not in sys.stdlib_module_names and top != "numpy") or top in _REFUSED_MODULES:
        return None
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _merged(old: Any, new: Any) -> Any:
    """Return the new value, or the old object made equal to it where the tests may hold on to that."""
    if type(old) is not type(new) or not isinstance(old, _MUTABLE):
        return new
    _update(old, new)
    return old


def _update(old: Any, new: Any) -> None:
    """Make a mutable argument equal to what the call made of it."""
    if isinstance(old, (list, bytearray)) and type(old) is type(new):
        old[:] = [_merged(old[at], item) if at < len(old) else item for at, item in enumerate(new)]
    elif isinstance(old, dict) and isinstance(new, dict):
        merged = {key: _merged(old[key], item) if key in old else item for key, item in new.items()}
        old.clear()
        old.update(merged)
    elif isinstance(old, set) and isinstance(new, set):
        old.clear()
        old |= new
