"""What crosses between judge and candidate: values as data, containers by identity, everything else as a stand-in.

A value crosses as data only if its exact type is one of those here; everything else stays where it is and is used
through a `Remote`, which asks the other end. A subclass of such a type crosses as both: what it inherits is done on the
data, what it defines itself is asked for. Where something else is lost, the judge notes a loss.

Both ends run the same code. A container that can change is numbered when it first crosses; whoever changed it says so
with its next message, so that both ends hold the same content and the same object comes back as itself. The judge's end
refuses what could lead from an object of the tests to the tests themselves.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import functools
import importlib
import math
import operator
import sys
import types
import unittest
from _thread import RLock, allocate_lock
from collections.abc import Callable, Iterable
from typing import Any

from remote import OPERATIONS, Remote, RemoteError, RemoteErrorType, mirror, stand_in_of
from solution import note_answer
from wire import LOSSY, SCALARS, EndOfStreamError, Frames, Turns, WireError, decode, deeply, encode, write_frame

MESSAGE_LIMIT = 64 * 1024 * 1024
DEPTH_LIMIT = 1500
_KEPT_ITEMS, _KEPT_CONTAINERS = 20_000, 200
_PLAIN_LIBRARIES = {"builtins", "collections", "datetime", "decimal", "fractions", "numpy", "pathlib", "uuid"}
_REFUSED_MODULES = {"antigravity", "this", "idlelib", "turtledemo", "lib2to3", "unittest", "_pytest"}
_FRAMES = ("f_", "gi_", "cr_", "ag_", "tb_", "co_", "func_", "im_")
_BASES: dict[str, type] = {"list": list, "dict": dict, "set": set, "bytearray": bytearray,
                           "deque": collections.deque, "OrderedDict": collections.OrderedDict,
                           "Counter": collections.Counter, "defaultdict": collections.defaultdict}  # fmt: skip
_KINDS = {kind: name for name, kind in _BASES.items()}
_ARRAYS = ("ndarray", "matrix")
_CAUSES = 10
_ENDING: dict[str, type[BaseException]] = {
    "SystemExit": SystemExit, "KeyboardInterrupt": KeyboardInterrupt, "GeneratorExit": GeneratorExit,
}  # fmt: skip
_SET: tuple[tuple[type[BaseException], tuple[str, ...]], ...] = (
    (OSError, ("filename", "filename2")),
    (ImportError, ("name", "path")),
    (NameError, ("name",)),
    (AttributeError, ("name", "obj")),
)
"""What errors of Python carry beside their arguments."""
_KEPT_NANS = 1000
_OF_ERRORS = frozenset(("__notes__", "_said", "_remote_end", "_remote_number"))
_WHOLE = slice(None)
_VALUES: dict[type, Callable[[Any], Any]] = {
    int: int.__index__, float: float.__pos__, complex: complex.__pos__, str: str.__str__, frozenset: frozenset.copy,
    bytes: lambda value: bytes.__getitem__(value, _WHOLE), tuple: lambda value: tuple.__getitem__(value, _WHOLE),
}  # fmt: skip
"""What cannot change and may have subclasses, and what makes a plain one of it without asking its class."""
_VIEWS: dict[str, Callable[[Any], Any]] = {
    "dict_keys": dict.keys, "dict_values": dict.values, "dict_items": dict.items, "memoryview": memoryview,
}  # fmt: skip
_ACTS: dict[str, Callable[..., Any]] = {"get": getattr, "set": setattr, "delete": delattr}
_METHODS = (types.FunctionType, types.WrapperDescriptorType, types.MethodDescriptorType)
_NOT_ASKED = frozenset(("__hash__", "__getattribute__", "__getattr__", "__setattr__", "__delattr__"))


_MADE = {
    "f": mirror("function", "builtins", (), ["__call__"], [], None, types.FunctionType),
    "m": mirror("module", "builtins", (), [], [], None, types.ModuleType),
}
"""The classes of stand-ins that every job needs, made before the first fork."""


class EndedError(Exception):
    """The other end is gone or speaks nonsense."""


class _Shared:
    """A container that both ends hold, and what was in it when they last agreed."""

    __slots__ = ("content", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.content = content_of(value)


def content_of(value: Any) -> Any:
    """Return what is in a container, to see later whether that changed: items by identity."""
    if isinstance(value, dict):
        kind = _base(value)
        return (*kind.keys(value), *kind.values(value))
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, (list, set, collections.deque)):
        return tuple(_base(value).__iter__(value))
    if value.dtype.hasobject:
        return tuple(value.flat)
    return value.tobytes() + repr(value.shape).encode()


def _base(value: Any) -> Any:
    """Return the most special of the types that cross as data of which a value is, or None."""
    return next((kind for kind in type(value).__mro__ if kind in _KINDS or kind in _VALUES), None)


class _Catch:
    """Equal to nothing, and knows afterwards what it was compared with."""

    other: Any = None

    def __eq__(self, other: object) -> bool:
        self.other = other
        return False

    __hash__ = None  # type: ignore[assignment]


def _shown_by(view: Any, *, live: bool) -> Any:
    """Return what all of a view shows, None for one of a part; the dictionary itself only if it may be ``live``."""
    if type(view) is memoryview:
        holder: Any = view.obj
        whole = type(holder) in (bytes, bytearray) and view.nbytes == len(holder) and view.format == "B"
        return holder if whole else None
    catch = _Catch()
    # A view gives out only a proxy, which compares as the dictionary does.
    _ = view.mapping == catch
    return catch.other if live and catch.other is not None else dict(view.mapping)


def is_a(value: Any, kinds: type | tuple[type, ...]) -> bool:
    """Tell whether a value is of a class by its true type; a lazy object may raise or lie where asked for its class."""
    return issubclass(type(value), kinds)


def attribute(value: Any, name: str, default: Any) -> Any:
    """Return an attribute of a value, or ``default`` where it has none or cannot be asked."""
    try:
        return getattr(value, name, default)
    except Exception:
        return default


def _address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


def _is_array(kind: type) -> bool:
    return kind.__module__ == "numpy" and kind.__name__ in _ARRAYS


def is_same(before: Any, now: Any) -> bool:
    """Tell whether two contents are of the same items."""
    if type(before) is bytes or type(now) is bytes:
        return bool(before == now)
    return len(before) == len(now) and all(map(operator.is_, before, now))


class End:
    """One end of the channel. ``guarded`` is the judge's: it answers only what no secret of the tests hangs on."""

    def __init__(self, fd: int, *, guarded: bool) -> None:
        self._fd, self.guarded = fd, guarded
        self._frames = Frames(fd, MESSAGE_LIMIT)
        self._step = 1 if guarded else -1
        self._next = 0
        self._shared: dict[int, _Shared] = {}
        self._numbers: dict[int, int] = {}
        self._given: dict[int, Any] = {}
        self._given_numbers: dict[int, int] = {}
        self._stand_ins: dict[int, Any] = {}
        self._classes: dict[int, type] = {}
        self._mirrors: dict[Any, type] = {}
        self._inherited: dict[tuple[type, type], type] = {}
        self._values: dict[int, Any] = {}
        self._dropped: list[int] = []
        self._errors: dict[int, BaseException] = {}
        self._nans: dict[int, float] = {0: math.nan}
        self._nan_numbers = {id(math.nan): 0}
        self._error_numbers: dict[int, int] = {}
        self._asking, self._writing = RLock(), allocate_lock()
        self._turns = Turns()
        self._is_hearing = False
        self._reply: dict[str, Any] | None = None
        self._exceptions: dict[tuple[str, str], type[BaseException]] = {}
        self.touched: set[str] = set()
        self.memory = False
        self.expected: tuple[type[BaseException], ...] = ()
        self.called: set[type] = set(_MADE.values())
        self.more: Callable[[], dict[str, Any] | None] = lambda: None
        self.take_more: Callable[[Any], None] = lambda _: None

    # -- messages -------------------------------------------------------------------------------------------------

    def ask(self, request: dict[str, Any], args: Iterable[Any] = (), keywords: dict[str, Any] | None = None) -> Any:
        """Ask the other end for something and wait for it; meanwhile answer what it asks."""
        originals = [*args]
        if originals:
            request["args"] = [self.pack_or_keep(item) for item in originals]
        if keywords:
            request["keywords"] = {key: self.pack_or_keep(item) for key, item in keywords.items()}
            originals += keywords.values()
        # One thread asks at a time; what it is asked meanwhile it may answer by asking.
        with self._asking:
            return self._asked(request, originals)

    def _asked(self, request: dict[str, Any], originals: list[Any]) -> Any:
        self.say(request)
        while True:
            answer = self._next_message()
            if "do" in answer:
                self.say(self._answered(answer))
                continue
            if "error" in answer:
                error = self.understand(self.raised, answer["error"])
                self._agree(answer)
                raise error
            if "same" in answer:
                value = self.understand(originals.__getitem__, answer["same"])
            elif "value" in answer:
                value = self.understand(self.unpack, answer["value"])
            else:
                raise EndedError("the solution's answer could not be read")
            self._agree(answer)
            if self.guarded:
                self._forget()
                if request["do"] == "call":
                    note_answer(value)
            return value

    def serve(self) -> None:
        """Answer until the other end hangs up."""
        while True:
            try:
                message = self._next_message(serving=True)
            except EndedError:
                return
            if "do" in message:
                self.say(self._answered(message))
                continue
            with self._turns:
                # Another thread waits for this.
                self._reply = message
                self._turns.notify_all()

    def _next_message(self, *, serving: bool = False) -> dict[str, Any]:
        """Wait for a message while no other thread does, or for the reply that another thread has heard."""
        with self._turns:
            while self._is_hearing and (serving or self._reply is None):
                self._turns.wait()
            if not serving and self._reply is not None:
                reply, self._reply = self._reply, None
                return reply
            self._is_hearing = True
        try:
            return self.hear()
        finally:
            with self._turns:
                self._is_hearing = False
                self._turns.notify_all()

    def understand(self, reading: Callable[[Any], Any], data: Any) -> Any:
        """Read what the other end said. Raises `EndedError` for nonsense."""
        try:
            return deeply(lambda: reading(data))
        except EndedError:
            raise
        except Exception as error:
            raise EndedError(f"the solution's answer could not be read ({error})") from error

    def _agree(self, message: dict[str, Any]) -> None:
        if "changed" in message:
            self.understand(self._refill_all, message["changed"])
        if "more" in message:
            self.understand(self.take_more, message["more"])
        if "drop" in message:
            self.understand(self._drop, message["drop"])

    def _drop(self, numbers: Any) -> None:
        for number in numbers:
            shared = self._shared.pop(number, None)
            if shared is not None:
                self._numbers.pop(id(shared.value), None)

    def _refill_all(self, changed: Any) -> None:
        for number, inner in changed:
            shared = self._shared.get(number)
            if shared is not None:
                self._refill(shared.value, inner)
                shared.content = content_of(shared.value)

    def say(self, message: dict[str, Any]) -> None:
        """Send a message, and with it what changed since the last."""
        with self._writing:
            self._say(message)

    def _say(self, message: dict[str, Any]) -> None:
        changed = []
        for number in list(self._shared):
            shared = self._shared[number]
            now = content_of(shared.value)
            if not is_same(shared.content, now):
                shared.content = now
                with contextlib.suppress(WireError, RecursionError):
                    packing = functools.partial(self._inner, shared.value, 1)
                    changed.append([number, deeply(functools.partial(self._undo_on_error, packing))])
        if changed:
            message["changed"] = changed
        if self._dropped:
            message["drop"], self._dropped = self._dropped, []
        more = self.more()
        if more:
            message["more"] = more
        try:
            write_frame(self._fd, message, MESSAGE_LIMIT)
        except OSError as error:
            raise EndedError("the solution ended before it was asked") from error
        except WireError as error:
            if self.guarded or "do" in message:
                raise
            write_frame(self._fd, {"error": self.describe(WireError(str(error)))}, MESSAGE_LIMIT)

    def hear(self) -> dict[str, Any]:
        """Wait for a message. Raises `EndedError`."""
        try:
            message = self._frames.read()
        except (EndOfStreamError, OSError) as error:
            raise EndedError("the solution ended before its answer") from error
        except WireError as error:
            raise EndedError(f"the solution's answer could not be read ({error})") from error
        if not isinstance(message, dict):
            raise EndedError("the solution's answer could not be read")
        return message

    def _forget(self) -> None:
        """Let go of containers that nobody else holds, and of the oldest where they are too many."""
        items = count = 0
        for number in reversed(list(self._shared)):
            shared = self._shared[number]
            value = shared.value
            items, count = items + len(shared.content), count + 1
            if sys.getrefcount(value) <= 3 or items > _KEPT_ITEMS or count > _KEPT_CONTAINERS:
                self._numbers.pop(id(value), None)
                del self._shared[number]
                self._dropped.append(number)

    # -- answering ------------------------------------------------------------------------------------------------

    def _answered(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            args, keywords = self.take_arguments(request)
            value = self._do(request, args, keywords)
            # What was given comes back as itself, also where it crosses as a copy: a text, a tuple, a date. None is
            # what a traceback crosses as.
            arguments = () if value is None else (*args, *keywords.values())
            same = next((place for place, item in enumerate(arguments) if item is value), None)
            answer = {"value": self.pack_or_keep(value)} if same is None else {"same": same}
        except EndedError:
            raise
        except BaseException as error:
            answer = {"error": self.describe(error)}
        return answer

    def take_arguments(self, request: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Read what a request gives, and what it says of containers that both ends hold."""
        args = [self._unpack_deep(item) for item in request.get("args", ())]
        keywords = {key: self._unpack_deep(item) for key, item in request.get("keywords", {}).items()}
        self._agree(request)
        return args, keywords

    def _do(self, request: dict[str, Any], args: list[Any], keywords: dict[str, Any]) -> Any:
        target: Any = self._given[request["on"]] if "on" in request else None
        act, name = request["do"], request.get("name", "")
        if self.guarded:
            _refuse_secrets(target, act, name)
        if act == "seed" and not self.guarded:
            return importlib.import_module(name).seed(*args, **keywords)
        if act == "call":
            return target(*args, **keywords)
        if act == "method":
            return getattr(target, name)(*args, **keywords)
        if act == "operation":
            if name not in OPERATIONS:
                raise AttributeError(name)
            if name == "__getitem__" and isinstance(target, type):
                return target[args[0]]  # type: ignore[index]  # a class that can be asked for one of an item's kind
            return getattr(type(target), name)(target, *args, **keywords)
        if act in _ACTS:
            return _ACTS[act](target, name, *args)
        return copy.copy(target) if act == "copy" else copy.deepcopy(target)

    # -- values out -----------------------------------------------------------------------------------------------

    def pack_or_keep(self, value: Any) -> Any:
        """Pack a value; one that goes too deep stays here."""
        if type(value) in SCALARS:
            return self.pack(value)
        try:
            return deeply(lambda: self.pack_whole(value))
        except (WireError, RecursionError):
            return self.stay(value)

    def pack_whole(self, value: Any) -> Any:
        """Pack a value, or number none of the containers in it."""
        return self._undo_on_error(lambda: self.pack(value))

    def _undo_on_error(self, packing: Callable[[], Any]) -> Any:
        """Return what the packing returns; where it fails, forget its numbers: the other end never hears them."""
        before = self._next
        try:
            return packing()
        except BaseException:
            for number in [item for item in self._shared if (item - before) * self._step > 0]:
                self._numbers.pop(id(self._shared[number].value), None)
                del self._shared[number]
            for number in [item for item in self._given if (item - before) * self._step > 0]:
                self._given_numbers.pop(id(self._given[number]), None)
            raise

    def pack(self, value: Any, depth: int = 0) -> Any:
        """Return a value as JSON; what is no data is numbered and stays here."""
        kind = type(value)
        if kind in SCALARS:
            return self._float(value) if kind is float else value
        if kind is tuple:
            if depth > DEPTH_LIMIT:
                raise WireError("the value is nested too deeply")
            return {"t": [self.pack(item, depth + 1) for item in value]}
        if kind in _KINDS or _is_array(kind):
            if depth > DEPTH_LIMIT:
                raise WireError("the value is nested too deeply")
            return self._container(value, depth)
        if kind is frozenset:
            return {"z": [self.pack(item, depth + 1) for item in value]}
        base = None if kind in _VALUES else _base(value)
        if base is not None and not (kind.__module__ == "numpy" and base is not tuple):
            stand_in = stand_in_of(value)
            if stand_in is not None and stand_in._remote_end is self:
                return {"O": stand_in._remote_number}
            return self._container(value, depth) if base in _KINDS else self._subclassed(value, kind, base, depth)
        try:
            plain = encode(value)
        except WireError:
            return self._rarer(value, kind, depth)
        if not LOSSY.isdisjoint(plain):
            self.note("loss")
        return plain

    def _float(self, value: float) -> Any:
        """Return a float as JSON. One that is not a number is equal to nothing: it is numbered, and comes back."""
        if value == value or (id(value) not in self._nan_numbers and len(self._nans) > _KEPT_NANS):
            return encode(value)
        numpy = sys.modules.get("numpy")
        if numpy is not None and value is numpy.nan:
            return {"nan": "numpy"}
        number = self._nan_numbers.get(id(value))
        return {"nan": self._keep_nan(self._count(), value) if number is None else number}

    def _keep_nan(self, number: int, value: float) -> int:
        self._nans[number] = value
        self._nan_numbers[id(value)] = number
        return number

    def _nan(self, inner: Any) -> Any:
        if inner == "numpy":
            return importlib.import_module("numpy").nan
        if inner not in self._nans:
            self._keep_nan(int(inner), float("nan"))
        return self._nans[inner]

    def _container(self, value: Any, depth: int) -> Any:
        number = self._shared_number(value)
        if number is not None:
            return {"=": number}
        number = self._count()
        shared = self._shared[number] = _Shared(value)
        self._numbers[id(value)] = number
        try:
            inner = self._inner(value, depth + 1)
        except WireError:
            del self._shared[number], self._numbers[id(value)]
            raise
        kind = type(value)
        if kind not in _KINDS and not _is_array(kind):
            return {"m": [number, _KINDS[_base(value)], inner, self.stay(value)]}
        if not self.guarded and len(shared.content) > _KEPT_ITEMS:
            del self._shared[number], self._numbers[id(value)]
        if _is_array(type(value)) and not value.dtype.hasobject:
            place = self._place(value)
            inner = inner if place is None else {"view": [*place, inner]}
        return {"m": [number, _KINDS.get(kind, kind.__name__), inner]}

    def _place(self, value: Any) -> list[Any] | None:
        """Return where an array lies in one that both ends hold: its number, offset and strides; None elsewhere."""
        whole = value.base
        number = None if whole is None else self._shared_number(whole)
        if number is None or not _is_array(type(whole)) or whole.dtype.hasobject or not whole.flags.forc:
            return None
        return [number, _address(value) - _address(whole), list(value.strides)]

    def _shared_number(self, value: Any) -> int | None:
        """Return the number of a container that both ends hold. An address alone may be of one that is gone."""
        number = self._numbers.get(id(value))
        shared = self._shared.get(number) if number is not None else None
        return number if shared is not None and shared.value is value else None

    def _count(self) -> int:
        self._next += self._step
        return self._next

    def _inner(self, value: Any, depth: int) -> Any:
        if isinstance(value, dict):
            items: Any = [[self.pack(key, depth), self.pack(item, depth)] for key, item in _base(value).items(value)]
            if isinstance(value, collections.defaultdict):
                return [self.pack(value.default_factory, depth), items]
            return items
        if isinstance(value, bytearray):
            return encode(value)
        if isinstance(value, (list, set, collections.deque)):
            inner = list(content_of(value))
            kinds = set(map(type, inner))
            if not SCALARS.issuperset(kinds) or (float in kinds and any(map(operator.ne, inner, inner))):
                inner = [self.pack(item, depth) for item in inner]
            elif float in kinds:
                inner = encode(inner)
            return [value.maxlen, inner] if isinstance(value, collections.deque) else inner
        if value.dtype.hasobject:
            return {"objects": [list(value.shape), [self.pack(item, depth) for item in value.flat]]}
        return encode(value.view(sys.modules["numpy"].ndarray))

    def _rarer(self, value: Any, kind: type, depth: int) -> Any:
        if is_a(value, Remote) and value._remote_end is self:
            return {"O": value._remote_number}
        if is_a(value, type):
            return self._class(value)
        if is_a(value, types.TracebackType):
            return None
        if is_a(value, BaseException):
            return {"x": self.describe(value)}
        if kind is slice:
            return {"sl": [self.pack(item, depth) for item in (value.start, value.stop, value.step)]}
        if kind.__module__ == "builtins" and kind.__name__ in _VIEWS:
            content = _shown_by(value, live=not self.guarded)
            self.note("loss")
            return self.stay(value) if content is None else {"v": [kind.__name__, self.pack(content, depth + 1)]}
        if is_a(value, types.ModuleType):
            return {"g": [value.__name__, ""]}
        if self.guarded and is_a(value, (types.BuiltinFunctionType, types.FunctionType)) and _global(value):
            return {"g": [value.__module__, value.__qualname__]}
        return self.stay(value)

    def _subclassed(self, value: Any, kind: type, base: type, depth: int) -> Any:
        fields = [str(field) for field in getattr(kind, "_fields", ())] if base is tuple else []
        return {"sub": [fields, self.pack(_VALUES[base](value), depth + 1), self.stay(value)]}

    def note(self, what: str) -> None:
        """Note in the judge what another process may answer otherwise."""
        if self.guarded:
            self.touched.add(what)

    def stay(self, value: Any) -> Any:
        """Number an object that stays here, and say what it is."""
        number = self._numbered(value)
        # The answer may look at it, or change it, in ways that a stand-in does not answer as the object would.
        self.note("given")
        kind = "f" if type(value) is types.FunctionType else "m" if type(value) is types.ModuleType else None
        description: dict[str, Any] = {"n": number, "k": kind or self._class(type(value))}
        if is_a(value, (types.FunctionType, types.BuiltinFunctionType, types.MethodType)) or (
            callable(value) and attribute(value, "__wrapped__", None) is not None
        ):
            description["f"] = [str(attribute(value, "__name__", "")), attribute(value, "__doc__", None)]
        return {"o": description}

    def _class(self, kind: type) -> Any:
        """Say what a class is: a library's by its name, another by what it can do."""
        if isinstance(kind, RemoteErrorType) and kind.is_of(self):
            return {"O": vars(kind)["_class_number"]}
        if issubclass(kind, BaseException):
            return {"xc": self._error_class(kind)}
        if kind.__module__ in _PLAIN_LIBRARIES and _global(kind):
            return {"g": [kind.__module__, kind.__qualname__]}
        self.note("given")
        number = self._given_numbers.get(id(kind))
        if number is not None:
            return {"cl": number}
        number = self._numbered(kind)
        own = kind.__module__.partition(".")[0] not in _libraries()
        bases = [self._class(base) for base in kind.__bases__ if base is not object and not _global(base)]
        names = _operations_of(kind)
        methods = []
        data_base = next((base for base in kind.__mro__ if base in _KINDS or base in _VALUES), None)
        value_base: Any = None
        for base in kind.__mro__ if own else ():
            value_base = value_base or (base if base is data_base else None)
            # A library's class that comes before what holds the value has the word too, as IntEnum before int.
            before = data_base is not None and value_base is None
            if before or base.__module__.partition(".")[0] not in _libraries():
                methods += [name for name, item in vars(base).items()
                            if isinstance(item, _METHODS if before else types.FunctionType)
                            and (value_base is None or not hasattr(value_base, name))
                            and (name in OPERATIONS or not name.startswith("__"))]  # fmt: skip
        doc = kind.__doc__ if isinstance(kind.__doc__, str) else None
        return {"cl": number, "is": [kind.__name__, kind.__module__, own, bases, names, methods, doc]}

    def _numbered(self, value: Any) -> int:
        """Return the number of something that stays here."""
        number = self._given_numbers.get(id(value))
        if number is None:
            number = self._count()
            self._given[number] = value
            self._given_numbers[id(value)] = number
        return number

    def _error_class(self, kind: type[BaseException]) -> Any:
        """Say what a class of errors is: its name and ancestors, and its number if it is no library's."""
        own = kind.__module__.partition(".")[0] not in _libraries()
        bases = [self._error_class(base) for base in kind.__bases__ if issubclass(base, BaseException)]
        return [kind.__module__, kind.__name__, bases if kind.__module__ != "builtins" else [],
                self._numbered(kind) if own else None]  # fmt: skip

    def expect(self, tests: str) -> None:
        """Let the answer raise what would end the tests, where they name it."""
        named_errors = [kind for name, kind in _ENDING.items() if name in tests]
        self.expected = tuple(_ENDING.values()) if "BaseException" in tests else tuple(named_errors)

    def describe(self, error: BaseException, depth: int = 0) -> Any:
        """Say what an error is and, as far as the chain is not too long, what it was raised from or while handling."""
        notes = _notes_of(error)
        known_number = self._error_numbers.get(id(error))
        if known_number is not None:
            return {"yours": known_number, "notes": notes} if notes else {"yours": known_number}
        number = self._numbered(error)
        try:
            text = str(error)[:2000]
        except BaseException:
            text = ""
        description: dict[str, Any] = {"number": number, "kind": self._error_class(type(error)), "text": text}
        try:
            description["args"] = [self.pack(item) for item in error.args][:8]
            own = {name: self.pack(item) for name, item in vars(error).items() if name not in _OF_ERRORS}
            if own:
                description["own"] = own
            if not self.guarded:
                names = next((names for kind, names in _SET if isinstance(error, kind)), ())
                description["set"] = {name: self.pack(getattr(error, name)) for name in names}
            if notes:
                description["notes"] = notes
            if error.__suppress_context__:
                description["suppressed"] = True
            if error.__cause__ is not None and depth < _CAUSES:
                description["cause"] = self.describe(error.__cause__, depth + 1)
            elif error.__context__ is not None and depth < _CAUSES and not self.guarded:
                # What the tests were handling is not the answer's to know.
                description["context"] = self.describe(error.__context__, depth + 1)
        except BaseException:
            description.setdefault("args", [text])
        return description

    # -- values in ------------------------------------------------------------------------------------------------

    def _unpack_deep(self, data: Any) -> Any:
        """Return a value that the other end packed, also one nested deeper than the limit for calls that holds."""
        return data if type(data) in SCALARS else deeply(lambda: self.unpack(data))

    def unpack(self, data: Any) -> Any:
        """Return the value that the other end packed."""
        if not isinstance(data, (dict, list)):
            return data
        if isinstance(data, dict) and "cl" in data:
            return self._class_of(data)
        if isinstance(data, list) or len(data) != 1:
            raise WireError("not a value")
        ((kind, inner),) = data.items()
        reader = _READERS.get(kind)
        if reader is not None:
            return reader(self, inner)
        if kind in LOSSY:
            self.note("loss")
        return decode(data)

    def _made(self, inner: Any) -> Any:
        number, name, items, *stand_in_data = inner
        if len(items) > _KEPT_ITEMS:
            # The other end keeps no account of it: what the tests change in it stays unknown there.
            self.note("size")
        if name in _ARRAYS:
            place = items.pop("view", None) if isinstance(items, dict) else None
            items = items if place is None else place[3]
            value = self._array(name, items)
            if place is not None and type(value).__name__ == "ndarray":
                value = self._in_place(value, *place[:3])
        else:
            kind = _BASES[name]
            if stand_in_data:
                stand_in = self.unpack(stand_in_data[0])
                kind = self._inheriting(stand_in, kind)
            value = kind(maxlen=items[0]) if name == "deque" else kind()
            if stand_in_data:
                value.__dict__["_remote"] = stand_in
        shared = self._shared[number] = _Shared(value)
        self._numbers[id(value)] = number
        self._refill(value, items)
        shared.content = content_of(value)
        return value

    def _in_place(self, value: Any, number: Any, offset: Any, strides: Any) -> Any:
        """Return an array as a view into one that both ends hold, where that lies in one piece here too."""
        whole = self._shared[number].value
        if not whole.flags.forc:
            return value
        whole = whole if whole.flags.c_contiguous else whole.T
        return type(value)(value.shape, value.dtype, whole, int(offset), tuple(int(stride) for stride in strides))

    def _array(self, name: str, items: Any) -> Any:
        import numpy

        if isinstance(items, dict) and "objects" in items:
            value = numpy.empty([int(size) for size in items["objects"][0]], dtype=object)
        else:
            value = decode(items)
        return value.view(numpy.matrix) if name == "matrix" else value

    def _refill(self, value: Any, items: Any) -> None:
        """Make a container's content what the other end says; containers in it stay the objects they are."""
        if isinstance(value, dict):
            if isinstance(value, collections.defaultdict):
                factory, items = items
                # Not what a subclass calls so.
                vars(collections.defaultdict)["default_factory"].__set__(value, self.unpack(factory))
            contents = [(self.unpack(key), self.unpack(item)) for key, item in items]
            kind = collections.OrderedDict if isinstance(value, collections.OrderedDict) else dict
            kind.clear(value)
            for key, item in contents:
                kind.__setitem__(value, key, item)
        elif isinstance(value, (list, bytearray)):
            contents = decode(items) if isinstance(value, bytearray) else self._items(items)
            _base(value).__setitem__(value, _WHOLE, contents)
        elif isinstance(value, (set, collections.deque)):
            base, is_set = _base(value), isinstance(value, set)
            contents = self._items(items if is_set else items[1])
            base.clear(value)
            (base.update if is_set else base.extend)(value, contents)
        elif isinstance(items, dict) and "objects" in items:
            for index, item in enumerate(items["objects"][1]):
                value.flat[index] = self.unpack(item)
        else:
            now = decode(items)
            if now.shape == value.shape and now.dtype == value.dtype:
                value[...] = now

    def _items(self, items: Any) -> list[Any]:
        if SCALARS.issuperset(map(type, items)):
            return list(items)
        return [self.unpack(item) for item in items]

    def _view(self, inner: Any) -> Any:
        self.note("loss")
        return _VIEWS[inner[0]](self.unpack(inner[1]))

    def _global_of(self, inner: Any) -> Any:
        module, name = str(inner[0]), str(inner[1])
        if not self.guarded:
            target: Any = importlib.import_module(module)
            for part in name.split(".") if name else ():
                target = getattr(target, part)
            return target
        target = library(module)
        if not name:
            self.note("loss")
            return target
        target = getattr(target, name, None)
        if module not in _PLAIN_LIBRARIES or not isinstance(target, type):
            raise WireError("not a value")
        return target

    def _subclass(self, inner: Any) -> Any:
        fields, data, stand_in_data = inner
        plain, stand_in = self.unpack(data), self.unpack(stand_in_data)
        earlier = self._values.get(stand_in._remote_number)
        if earlier is not None and (type(plain) is not tuple or is_same(tuple(earlier), plain)):
            return earlier
        base = _tuple_class(type(stand_in).__name__, tuple(map(str, fields))) if fields else type(plain)
        kind = self._inheriting(stand_in, base)
        value = kind(*plain) if fields else kind(plain)
        value.__dict__["_remote"] = stand_in
        self._values[stand_in._remote_number] = value
        return value

    def _inheriting(self, stand_in: Remote, base: type) -> type:
        """Return a class with a base of ours that asks the other end for what the class there defines itself."""
        if not isinstance(stand_in, Remote):
            raise WireError("not a value")
        self.note("loss")
        stand_in_class = type(stand_in)
        key = stand_in_class, base

        def missing(self: Any, name: str) -> Any:
            remote = self.__dict__.get("_remote")
            if remote is None or name.startswith("__"):
                raise AttributeError(name)
            return getattr(remote, name)

        subclass = self._inherited.get(key)
        if subclass is None:
            space: dict[str, Any] = {"__getattr__": missing, "__module__": stand_in_class.__module__}
            space.update(__setattr__=_there(setattr), __delattr__=_there(delattr))
            space.update(__copy__=_there(copy.copy), __deepcopy__=_there(copy.deepcopy))
            own = [name for name in vars(stand_in_class).get("_own_methods", ()) if name not in _NOT_ASKED]
            for name in own:
                # What the base of a value that cannot change says of it, the answer's class cannot say otherwise.
                may_say = base in _KINDS or name.startswith("_")
                if name in OPERATIONS or (may_say and hasattr(base, name)):
                    space[name] = _asked(name, base)
            subclass = self._inherited[key] = type(stand_in_class.__name__, (base,), space)
        return subclass

    def _stand_in(self, inner: Any) -> Any:
        number = int(inner["n"])
        stand_in = self._stand_ins.get(number)
        if stand_in is None:
            kind = _MADE[inner["k"]] if isinstance(inner["k"], str) else self.unpack(inner["k"])
            mirror = kind if isinstance(kind, type) and issubclass(kind, Remote) else self._mirror_of(kind)
            stand_in = object.__new__(mirror)
            object.__setattr__(stand_in, "_remote_end", self)
            object.__setattr__(stand_in, "_remote_number", number)
            if "f" in inner:
                name, doc = inner["f"]
                stand_in.__dict__.update(__name__=str(name), __qualname__=str(name), __doc__=doc)
            self._stand_ins[number] = stand_in
        return stand_in

    def _mirror_of(self, kind: Any) -> type:
        """Return the class of stand-ins for objects of a library's class."""
        mirror_class = self._mirrors.get(kind)
        if mirror_class is None:
            if not isinstance(kind, type):
                raise WireError("not a value")
            names = _operations_of(kind)
            mirror_class = self._mirrors[kind] = mirror(
                kind.__name__, kind.__module__, (), names, [], kind.__doc__, kind
            )
            self.called.add(mirror_class)
        return mirror_class

    def _class_of(self, data: Any) -> Any:
        number = int(data["cl"])
        mirror_class = self._classes.get(number)
        if mirror_class is None:
            name, module, own, bases, names, methods, doc = data["is"]
            base_classes = [self.unpack(base) for base in bases]
            parents = tuple(base for base in base_classes if isinstance(base, type) and issubclass(base, Remote))
            real = None if own else _real_class(str(module), str(name))
            mirror_class = mirror(str(name), str(module), parents, [str(item) for item in names],
                            [str(item) for item in methods], doc, real)  # fmt: skip
            type.__setattr__(mirror_class, "_class_end", self)
            type.__setattr__(mirror_class, "_class_number", number)
            self._classes[number] = mirror_class
            if not own:
                self.called.add(mirror_class)
        return mirror_class

    def raised(self, data: Any) -> BaseException:
        """Return the error that the other end described."""
        if "yours" in data:
            own_error = self._given[data["yours"]]
            assert isinstance(own_error, BaseException)
            _note(own_error, data.get("notes"))
            return own_error
        kind = self.exception(data["kind"])
        if issubclass(kind, MemoryError):
            self.memory = True
        if self.guarded and issubclass(kind, tuple(_ENDING.values())) and not issubclass(kind, self.expected):
            return EndedError(f"the solution raised {kind.__name__}")
        args = [self.unpack(item) for item in data["args"]]
        number = int(data["number"])
        try:
            # As any class makes its objects: a stand-in of a class would have it made by the other end.
            error: BaseException = self._errors.get(number) or type.__call__(kind, *args)
        except Exception:
            error = kind.__new__(kind, str(data["text"]))
        own = {str(name): self.unpack(item) for name, item in data.get("own", {}).items()}
        error.__dict__.update({name: item for name, item in own.items() if not name.startswith("__")})
        for name, item in data.get("set", {}).items():
            # An error of the answer's own class has them by other ways, or not at all.
            with contextlib.suppress(AttributeError):
                setattr(error, str(name), self.unpack(item))
        if str(error) != data["text"] and hasattr(type(error), "_said"):
            error.__dict__["_said"] = str(data["text"])
        if "cause" in data:
            error.__cause__ = self.raised(data["cause"])
        if "context" in data:
            error.__context__ = self.raised(data["context"])
        if data.get("suppressed"):
            error.__suppress_context__ = True
        _note(error, data.get("notes"))
        self._errors[number] = error
        self._error_numbers[id(error)] = number
        if isinstance(error, RemoteError):
            error.__dict__.update(_remote_end=self, _remote_number=number)
            self.touched.add("proxy")
        return error

    def exception(self, description: Any) -> type[BaseException]:
        """Return the class of that name: a library's own, or one made here with the same ancestors."""
        module, name, bases, number = str(description[0]), str(description[1]), description[2], description[3]
        error_class: Any = self._exceptions.get((module, name))
        if error_class is None:
            source = library(module) if self.guarded else sys.modules.get(module)
            real_class = getattr(source, name, None)
            if isinstance(real_class, type) and issubclass(real_class, BaseException):
                error_class = real_class
            else:
                parents = tuple(self.exception(base) for base in bases) or (Exception,)
                if not any(issubclass(parent, RemoteError) for parent in parents):
                    parents = (RemoteError, *parents)
                error_class = RemoteErrorType(name, parents, {"_said": None, "__str__": _said, "__module__": module})
                if number is not None:
                    type.__setattr__(error_class, "_class_end", self)
                    type.__setattr__(error_class, "_class_number", int(number))
            self._exceptions[module, name] = error_class
        kind: type[BaseException] = error_class
        return kind


def _notes_of(error: BaseException) -> list[str]:
    notes = vars(error).get("__notes__")
    return [item for item in notes if type(item) is str] if type(notes) is list else []


def _note(error: BaseException, notes: Any) -> None:
    if notes:
        error.__notes__ = [str(item) for item in notes]


def _asked(name: str, base: type) -> Callable[..., Any]:
    def operate(self: Any, *args: Any, **keywords: Any) -> Any:
        remote = self.__dict__.get("_remote")
        answer = NotImplemented if remote is None else getattr(remote, name)(*args, **keywords)
        if answer is not NotImplemented or not hasattr(base, name):
            return answer
        return getattr(base, name)(self, *args, **keywords)

    return operate


def _there(act: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *args: act(self.__dict__["_remote"], *args)


def _said(self: BaseException) -> str:
    text = self.__dict__.get("_said")
    if isinstance(text, str):
        return text
    writers = (vars(kind).get("__str__") for kind in type(self).__mro__)
    return str(next(writer for writer in writers if writer is not None and writer is not _said)(self))


_READERS: dict[str, Callable[[End, Any], Any]] = {
    "t": lambda end, inner: tuple(end._items(inner)), "z": lambda end, inner: frozenset(end._items(inner)),
    "sl": lambda end, inner: slice(*end._items(inner)), "=": lambda end, number: end._shared[number].value,
    "O": lambda end, number: end._given[number], "m": End._made, "v": End._view, "g": End._global_of,
    "sub": End._subclass, "o": End._stand_in, "xc": End.exception, "x": End.raised, "nan": End._nan,
}  # fmt: skip


@functools.lru_cache(maxsize=256)
def _tuple_class(name: str, fields: tuple[str, ...]) -> type:
    return collections.namedtuple(name if name.isidentifier() else "Tuple", fields, rename=True)


def _operations_of(kind: type) -> list[str]:
    """Return the operations a class has of its own, not from its metaclass or from object."""
    return sorted({name for base in kind.__mro__ if base is not object for name in vars(base) if name in OPERATIONS})


def _real_class(module: str, name: str) -> type | None:
    """Return a library's class by its name, also one that only ``types`` has a name for."""
    library_class = getattr(library(module), name, None)
    if not isinstance(library_class, type) and module == "builtins":
        library_class = next(
            (kind for kind in vars(types).values() if isinstance(kind, type) and kind.__name__ == name), None
        )
    return library_class if isinstance(library_class, type) else None


def _global(value: Any) -> bool:
    """Tell whether a class or function is a library's, found there by its name."""
    module, name = attribute(value, "__module__", None), attribute(value, "__qualname__", "")
    if not isinstance(module, str) or not isinstance(name, str) or module.partition(".")[0] not in _libraries():
        return False
    return getattr(sys.modules.get(module), name, None) is value


@functools.lru_cache(maxsize=1)
def _libraries() -> frozenset[str]:
    return sys.stdlib_module_names | {"numpy", "pandas"}


def library(name: str) -> types.ModuleType | None:
    """Return a library that the judge may load because the candidate names it."""
    top = name.partition(".")[0]
    if top not in _libraries() or top in _REFUSED_MODULES:
        return None
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _refuse_secrets(target: Any, act: str, name: str) -> None:
    """Let nothing of the tests' objects be reached but what is public, and nothing be changed but their instances."""
    if act in ("get", "set", "delete", "method") and (name.startswith(("_", *_FRAMES)) or not isinstance(name, str)):
        raise AttributeError(name)
    if act in ("set", "delete") and isinstance(
        target, (type, types.FunctionType, types.MethodType, types.ModuleType, unittest.TestCase)
    ):
        raise AttributeError(name)
