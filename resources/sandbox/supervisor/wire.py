"""Frames and plain values: the only things that cross from one process of the sandbox to another.

A frame is a 4-byte length and JSON. A value is JSON, or an object with one key that names what JSON lacks, so that
nothing is ever unpickled and no method of the candidate's objects is called by whoever reads it.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import fractions
import functools
import importlib
import json
import math
import os
import struct
import sys
from _thread import LockType, allocate_lock
from collections.abc import Callable
from typing import Any

FRAME_LIMIT = 64 * 1024 * 1024
_LENGTH = struct.Struct(">I")
_AHEAD = 8192
_DEEP = 12_000
_LONG_BITS = 10_000
_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]  # there since Python 2.6
_dumps = json.JSONEncoder(separators=(",", ":")).encode
_EXACT = (str, bool, type(None))
_SAME = frozenset({*_EXACT, int})
SCALARS = _SAME | {float}


class EndOfStreamError(Exception):
    """The other side closed the channel."""


class WireError(ValueError):
    """A value that cannot be written as plain data, or data that is no value."""


def read_exactly(fd: int, count: int) -> bytes:
    """Read ``count`` bytes from a descriptor, never more. Raises `EndOfStreamError`."""
    parts = []
    while count:
        part = os.read(fd, min(count, 1 << 20))
        if not part:
            raise EndOfStreamError
        parts.append(part)
        count -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def write_all(fd: int, data: bytes) -> None:
    """Write all of ``data``."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def read_frame(fd: int, limit: int = FRAME_LIMIT) -> Any:
    """Read one frame. Raises `EndOfStreamError`, or `WireError` for one that is too long or not JSON."""
    data = read_exactly(fd, _length(read_exactly(fd, _LENGTH.size), limit))
    return _message(data)


def _length(data: bytes, limit: int) -> int:
    length: int = _LENGTH.unpack_from(data)[0]
    if length > limit:
        raise WireError(f"a message of {length} bytes is over the limit")
    return length


def _message(data: bytes) -> Any:
    try:
        # What json.loads does, without what it looks at first: frames have no other encoding and no blanks around.
        text = data.decode("utf-8", "surrogatepass")
        message, end = deeply(lambda: _scan(text, 0))
    except (ValueError, RecursionError, StopIteration) as error:
        raise WireError("a message is not JSON") from error
    if end != len(text):
        raise WireError("a message is not JSON")
    return message


class Frames:
    """Frames from a descriptor that nobody else reads: most come whole with one read."""

    def __init__(self, fd: int, limit: int) -> None:
        self._fd, self._limit = fd, limit
        self._ahead = b""

    def read(self) -> Any:
        """Read one frame. Raises as `read_frame` does."""
        data = self._ahead
        while len(data) < _LENGTH.size:
            piece = os.read(self._fd, _AHEAD)
            if not piece:
                raise EndOfStreamError
            data += piece
        end = _LENGTH.size + _length(data, self._limit)
        if len(data) < end:
            data += read_exactly(self._fd, end - len(data))
        self._ahead = data[end:]
        return _message(data[_LENGTH.size : end])


def write_frame(fd: int, message: Any, limit: int = FRAME_LIMIT) -> None:
    """Write one frame. Raises `WireError` for one over the limit."""
    try:
        data = deeply(lambda: _dumps(message)).encode("ascii")
    except ValueError:
        # A whole number of very many digits; in hexadecimal it is written and read at once.
        data = deeply(lambda: _dumps(_short(message))).encode("ascii")
    if len(data) > limit:
        raise WireError(f"a message of {len(data)} bytes is over the limit")
    write_all(fd, _LENGTH.pack(len(data)) + data)


def deeply(work: Callable[[], Any]) -> Any:
    """Return what the work returns; where it goes too deep for the limit that holds, it may go deeper once."""
    try:
        return work()
    except RecursionError:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, _DEEP))
        try:
            return work()
        finally:
            sys.setrecursionlimit(before)


def _short(message: Any) -> Any:
    if type(message) is int and message.bit_length() > _LONG_BITS:
        return {"h": hex(message)}
    if isinstance(message, list):
        return [_short(item) for item in message]
    return {key: _short(item) for key, item in message.items()} if isinstance(message, dict) else message


def encode(value: Any) -> Any:
    """Return a value as JSON. Raises `WireError` for anything but plain data (by exact type)."""
    kind = type(value)
    if kind in _SAME:
        return value
    if kind is float:
        return value if math.isfinite(value) else {"f": repr(value)}
    if kind is list:
        return [encode(item) for item in value]
    name = f"{kind.__module__}.{kind.__qualname__}"
    if name in _PLAIN:
        return {name: _PLAIN[name][0](value)}
    numpy = sys.modules.get("numpy")
    if numpy is not None and issubclass(kind, (numpy.ndarray, numpy.generic)):
        return _encode_array(numpy, value)
    raise WireError(f"a value of type {kind.__name__} is not plain data")


def _encode_bytes(value: Any) -> str:
    return base64.b64encode(value).decode("ascii")


def _encode_time(value: Any) -> Any:
    zone = None if value.tzinfo is None else _encode_zone(value.tzinfo)
    return [value.replace(tzinfo=None).isoformat(), value.fold, zone]


def _encode_zone(zone: Any) -> Any:
    """Write a time zone: one of the database by its key, another as its offset and, where it has one, its name."""
    if type(zone) is datetime.timezone:
        offset = zone.utcoffset(None)
        name, usual = zone.tzname(None), datetime.timezone(offset).tzname(None)
        return [[offset.days, offset.seconds, offset.microseconds], None if name == usual else name]
    if type(zone).__module__ == "zoneinfo" and type(zone.key) is str:
        return zone.key
    raise WireError("a time zone of another class is not plain data")


def _encode_array(numpy: Any, value: Any) -> Any:
    array = numpy.asarray(value)
    if array.dtype.hasobject or type(value) not in (numpy.ndarray, type(array[()])):
        raise WireError("an array of objects is not plain data")
    if array.dtype.type is numpy.record:
        raise WireError("a record, whose fields are attributes, is not plain data")
    scalar = not isinstance(value, numpy.ndarray)
    text = base64.b64encode(numpy.ascontiguousarray(array).tobytes()).decode("ascii")
    kind = array.dtype.str if array.dtype.names is None else array.dtype.descr
    by_columns = not scalar and array.flags.f_contiguous and not array.flags.c_contiguous
    return {"y": [kind, list(array.shape), text, scalar, "F" if by_columns else "C"]}


def decode(data: Any) -> Any:
    """Return the value that `encode` wrote. Raises `WireError` for data it cannot have written."""
    if isinstance(data, list):
        return data.copy() if SCALARS.issuperset(map(type, data)) else [decode(item) for item in data]
    if not isinstance(data, dict):
        return data
    if len(data) != 1:
        raise WireError("not a value")
    ((kind, inner),) = data.items()
    try:
        return _DECODERS[kind](inner)
    except WireError:
        raise
    except Exception as error:
        raise WireError(f"not a value: {error}") from error


def _decode_time(kind: Any, inner: Any) -> Any:
    text, fold, zone = inner
    return kind.fromisoformat(text).replace(fold=fold, tzinfo=None if zone is None else _decode_zone(zone))


def _decode_zone(inner: Any) -> Any:
    if isinstance(inner, str):
        from zoneinfo import ZoneInfo

        return ZoneInfo(inner)
    offset, name = datetime.timedelta(*inner[0]), inner[1]
    return datetime.timezone(offset) if name is None else datetime.timezone(offset, name)


def _path(name: str) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    return str, lambda inner: getattr(importlib.import_module("pathlib"), name)(inner)


def _decode_array(inner: Any) -> Any:
    import numpy

    kind, shape, text, scalar, order = inner
    fields = [tuple(field) for field in kind] if isinstance(kind, list) else kind
    array = numpy.frombuffer(base64.b64decode(text), dtype=numpy.dtype(fields)).reshape(shape).copy(order)
    return array[()] if scalar else array


_PLAIN: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "builtins.bytes": (_encode_bytes, base64.b64decode),
    "builtins.bytearray": (_encode_bytes, lambda inner: bytearray(base64.b64decode(inner))),
    "builtins.complex": (lambda value: [repr(value.real), repr(value.imag)], lambda inner: complex(*map(float, inner))),
    "builtins.range": (lambda value: [value.start, value.stop, value.step], lambda inner: range(*inner)),
    "builtins.ellipsis": (lambda _: 0, lambda _: ...),
    "builtins.NotImplementedType": (lambda _: 0, lambda _: NotImplemented),
    "decimal.Decimal": (str, decimal.Decimal),
    "fractions.Fraction": (str, fractions.Fraction),
    "datetime.date": (str, datetime.date.fromisoformat),
    "datetime.datetime": (_encode_time, functools.partial(_decode_time, datetime.datetime)),
    "datetime.time": (_encode_time, functools.partial(_decode_time, datetime.time)),
    "datetime.timedelta": (
        lambda value: [value.days, value.seconds, value.microseconds],
        lambda inner: datetime.timedelta(*inner),
    ),
    "datetime.timezone": (_encode_zone, _decode_zone),
    "zoneinfo.ZoneInfo": (_encode_zone, _decode_zone),
    "uuid.UUID": (str, lambda inner: importlib.import_module("uuid").UUID(inner)),
    "re.Pattern": (
        lambda value: [encode(value.pattern), value.flags],
        lambda inner: importlib.import_module("re").compile(decode(inner[0]), inner[1]),
    ),
    "array.array": (
        lambda value: [value.typecode, _encode_bytes(value.tobytes())],
        lambda inner: importlib.import_module("array").array(inner[0], base64.b64decode(inner[1])),
    ),
    **{
        f"{module}.{name}": _path(name)
        for module in ("pathlib", "pathlib._local")
        for name in ("PurePosixPath", "PosixPath")
    },
}
"""What is plain data, by its exact type: how it is written as JSON and read."""
_DECODERS: dict[str, Callable[[Any], Any]] = {
    "f": float,
    "h": lambda inner: int(inner, 16),
    "y": _decode_array,
    **{name: read for name, (_, read) in _PLAIN.items()},
}
LOSSY = frozenset(("array.array", "pathlib.PosixPath", "pathlib._local.PosixPath"))
"""What is not the same elsewhere: it can be changed, or there are files behind it."""


class Turns:
    """A lock that can be waited under, as threading's Condition: threads of one process take turns at a channel.

    Every fork of a process in which threading is loaded goes through all it knows, and most jobs have no threads: it is
    not loaded here.
    """

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._waiting: list[LockType] = []

    def __enter__(self) -> None:
        """Take the lock."""
        self._lock.acquire()

    def __exit__(self, *_error: object) -> None:
        """Give the lock back."""
        self._lock.release()

    def wait(self) -> None:
        """Give the lock back, wait to be notified, and take it again."""
        own = allocate_lock()
        own.acquire()
        self._waiting.append(own)
        self._lock.release()
        try:
            own.acquire()
        finally:
            self._lock.acquire()

    def notify_all(self) -> None:
        """Wake all that wait; they go on when the lock is given back."""
        waiting, self._waiting = self._waiting, []
        for own in waiting:
            own.release()
