"""Stand-ins for objects of the other end: what is done with one is asked for where the object is.

An object of the answer could claim to be every value. So comparisons with the tests' own values are asked for only on
classes the tests made objects of, and it is noted that the answer's own class decided.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Protocol

_ARITHMETIC = ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "divmod", "pow", "lshift", "rshift", "and",
               "or", "xor")  # fmt: skip
_ORDER = ("__lt__", "__le__", "__gt__", "__ge__")
_COMPARISONS = frozenset(("__eq__", "__ne__", *_ORDER))
_WITH_OPERAND = frozenset(
    (*(f"__{name}__" for name in _ARITHMETIC), *(f"__r{name}__" for name in _ARITHMETIC), *_COMPARISONS)
)
OPERATIONS = frozenset((
    *_WITH_OPERAND, *(f"__i{name}__" for name in _ARITHMETIC), "__hash__", "__bool__", "__len__",
    "__iter__", "__next__", "__reversed__", "__contains__", "__getitem__", "__setitem__", "__delitem__", "__call__",
    "__enter__", "__exit__", "__str__", "__repr__", "__format__", "__int__", "__float__", "__complex__", "__index__",
    "__neg__", "__pos__", "__abs__", "__invert__", "__round__", "__trunc__", "__floor__", "__ceil__", "__bytes__",
    "__missing__", "__await__", "__aiter__", "__anext__", "__aenter__", "__aexit__", "__fspath__", "__length_hint__",
    "__get__",
)) - {"__get__"}  # fmt: skip
_TOLD = frozenset(("__name__", "__qualname__", "__doc__", "__module__", "__annotations__", "__defaults__",
                   "__kwdefaults__", "__wrapped__", "__version__", "__required_keys__", "__optional_keys__",
                   "__total__", "__members__", "__match_args__", "__slots__", "__notes__"))  # fmt: skip


class Asker(Protocol):
    """What a stand-in asks: its end of the channel."""

    guarded: bool
    touched: set[str]
    called: set[type]

    def ask(self, request: dict[str, Any], args: tuple[Any, ...] = (), keywords: dict[str, Any] | None = None) -> Any:
        """Ask the other end for something and wait for it."""
        ...


class Remote:
    """Stands for an object of the other end."""

    __slots__ = ("__dict__", "__weakref__", "_remote_end", "_remote_number")
    _remote_end: Asker
    _remote_number: int


class RemoteType(type):
    """A class of the other end: making one, and what stands in the class, is asked for there."""

    _class_end: Asker | None = None
    _class_number = 0

    def __call__(cls, /, *args: Any, **keywords: Any) -> Any:
        if cls._class_end is None:
            raise TypeError(f"cannot make a {cls.__name__}")
        for kind in cls.__mro__:
            cls._class_end.called.add(kind)
        return cls._class_end.ask({"do": "call", "on": cls._class_number}, args, keywords)

    def __instancecheck__(cls, value: Any) -> bool:
        # A tuple or text of a class that adds to it crosses as a value and keeps what stands for the rest of it.
        return super().__instancecheck__(value) or super().__instancecheck__(stand_in_of(value))

    def __getattr__(cls, name: str) -> Any:
        if cls._class_end is None or _is_hidden(name):
            raise AttributeError(name)
        cls._class_end.touched.add("proxy")
        return cls._class_end.ask({"do": "get", "on": cls._class_number, "name": name})

    def __setattr__(cls, name: str, value: Any) -> None:
        if cls._class_end is None:
            raise AttributeError(name)
        cls._class_end.ask({"do": "set", "on": cls._class_number, "name": name}, (value,))

    def _operate(cls, name: str, *args: Any) -> Any:
        if cls._class_end is None:
            raise TypeError(name)
        cls._class_end.touched.add("proxy")
        return cls._class_end.ask({"do": "operation", "on": cls._class_number, "name": name}, args)

    def __iter__(cls) -> Any:
        return cls._operate("__iter__")

    def __len__(cls) -> int:
        return int(cls._operate("__len__"))

    def __getitem__(cls, key: Any) -> Any:
        return cls._operate("__getitem__", key)

    def __contains__(cls, item: Any) -> bool:
        return bool(cls._operate("__contains__", item))

    def __bool__(cls) -> bool:
        return True


class RemoteErrorType(type):
    """A class of the other end's errors: one that the tests make is made there."""

    def is_of(cls, end: Asker) -> bool:
        """Tell whether it stands for a class of that end, and not for one derived from such a class."""
        return vars(cls).get("_class_end") is end

    def __call__(cls, /, *args: Any, **keywords: Any) -> Any:
        end = vars(cls).get("_class_end")
        if end is None:
            return super().__call__(*args, **keywords)
        end.touched.add("proxy")
        return end.ask({"do": "call", "on": vars(cls)["_class_number"]}, args, keywords)

    def __getattr__(cls, name: str) -> Any:
        end = vars(cls).get("_class_end")
        if end is None or _is_hidden(name) or name in ("_said", "_remote_end", "_remote_number"):
            raise AttributeError(name)
        end.touched.add("proxy")
        return end.ask({"do": "get", "on": vars(cls)["_class_number"], "name": name})


class RemoteError(BaseException, metaclass=RemoteErrorType):
    """Stands for an error of the other end's own class: what it does not carry is asked for."""

    def __getattr__(self, name: str) -> Any:
        end = self.__dict__.get("_remote_end")
        if end is None or _is_hidden(name):
            raise AttributeError(name)
        end.touched.add("proxy")
        return end.ask({"do": "get", "on": self.__dict__["_remote_number"], "name": name})


def _is_hidden(name: str) -> bool:
    """Tell whether only tools ask for that name, to see what an object is."""
    return (name.startswith("__") and name not in _TOLD) or name.startswith(("_pytest", "pytest", "_is_coroutine"))


def _get(self: Remote, name: str) -> Any:
    if _is_hidden(name):
        raise AttributeError(name)
    self._remote_end.touched.add("proxy")
    return self._remote_end.ask({"do": "get", "on": self._remote_number, "name": name})


def _set(self: Remote, name: str, value: Any) -> None:
    self._remote_end.ask({"do": "set", "on": self._remote_number, "name": name}, (value,))


def _delete(self: Remote, name: str) -> None:
    self._remote_end.ask({"do": "delete", "on": self._remote_number, "name": name})


def _copy(self: Remote) -> Any:
    return self._remote_end.ask({"do": "copy", "on": self._remote_number})


def _deep_copy(self: Remote, _: Any) -> Any:
    return self._remote_end.ask({"do": "deepcopy", "on": self._remote_number})


def _method(name: str) -> Callable[..., Any]:
    def method(self: Remote, /, *args: Any, **keywords: Any) -> Any:
        self._remote_end.touched.add("proxy")
        return self._remote_end.ask({"do": "method", "on": self._remote_number, "name": name}, args, keywords)

    method.__name__ = name
    return method


def _call(self: Remote, /, *args: Any, **keywords: Any) -> Any:
    return self._remote_end.ask({"do": "call", "on": self._remote_number}, args, keywords)


def _operation(name: str, *, is_own: bool) -> Callable[..., Any]:
    decides = is_own and (name in _COMPARISONS or name == "__contains__")

    def operate(self: Remote, *args: Any) -> Any:
        end = self._remote_end
        end.touched.add("proxy")
        if name in _WITH_OPERAND and not _is_trusted(self, args):
            end.touched.add("comparison")
            return NotImplemented
        if decides:
            end.touched.add("own_equality")
        answer = end.ask({"do": "operation", "on": self._remote_number, "name": name}, args)
        if name == "__exit__" and answer and args[1] is not None:
            # A check failed, and the answer would have it that it did not.
            end.touched.add("own_equality")
        return answer

    operate.__name__ = name
    return operate


def _is_trusted(self: Remote, operands: tuple[Any, ...]) -> bool:
    """Tell whether an operation is the tests' wish: on classes they made objects of, and among the answer's own.

    Any other object of the answer could claim to be every value. A bare object tells it nothing.
    """
    return (
        not self._remote_end.guarded
        or type(self) in self._remote_end.called
        or all(type(item) is object or stand_in_of(item) is not None for item in operands)
    )


def stand_in_of(value: Any) -> Remote | None:
    """Return what stands for an object of the other end: the value itself, or what a subclass of a value keeps."""
    if isinstance(value, Remote):
        return value
    try:
        remote = object.__getattribute__(value, "__dict__").get("_remote")
    except AttributeError:
        return None
    return remote if isinstance(remote, Remote) else None


def mirror(
    name: str, module: str, parents: tuple[type, ...], names: list[str], methods: list[str], doc: Any, real: type | None
) -> type:
    """Make the class of the stand-ins for objects of a class."""
    space: dict[str, Any] = {"__getattr__": _get, "__setattr__": _set, "__delattr__": _delete, "__copy__": _copy,
                             "__deepcopy__": _deep_copy, "__module__": module, "__qualname__": name,
                             "__doc__": doc if isinstance(doc, str) else None}  # fmt: skip
    space.update(
        (item, _method(item)) for item in methods if not item.startswith("__") and item not in Remote.__slots__
    )
    space["_own_methods"] = tuple(methods)
    for item in {*names, "__eq__", "__ne__"} & OPERATIONS:
        is_own = real is None and (item in names or "__eq__" in names)
        space[item] = _call if item == "__call__" else _operation(item, is_own=is_own)
    space["__annotations__"] = property(lambda self: _get(self, "__annotations__"))
    space.setdefault("__hash__", object.__hash__ if "__eq__" not in names else None)
    if "__str__" not in names and "__repr__" not in names:
        space["__repr__"] = lambda _: f"<{name} object>"
    if real is not None and not inspect.isabstract(real):
        space["__class__"] = property(lambda _: real)
    return RemoteType(name, parents or (Remote,), space)
