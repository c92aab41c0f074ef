"""Frames and plain values: the only things that cross from one process of the sandbox to another.

A frame is a 4-byte length and JSON. A value is JSON, or an object with one key that names what JSON lacks, so that
nothing is ever unpickled and no method of the candidate's objects is called by whoever reads it.
"""

from __future__ import annotations

import base64
import collections
import datetime
import decimal
import fractions
import json
import math
import os
import struct
import sys
from collections.abc import Callable
from typing import Any

FRAME_LIMIT = 64 * 1024 * 1024
DEPTH_LIMIT = 400
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


def encode(value: Any, depth: int = 0) -> Any:
    """Return a value as JSON. Raises `WireError` for anything but plain data (by exact type)."""
    kind = type(value)
    if kind in _EXACT or kind is int:
        return value
    if kind is float:
        return value if math.isfinite(value) else {"f": repr(value)}
    if depth > DEPTH_LIMIT:
        raise WireError("the value is nested too deeply")
    if kind is list:
        # Most lists hold nothing that is written otherwise: one look at the types instead of a call for every item.
        return value if _SAME.issuperset(map(type, value)) else [encode(item, depth + 1) for item in value]
    if kind is tuple:
        return {"t": [encode(item, depth + 1) for item in value]}
    if kind is dict:
        return {"d": [[encode(key, depth + 1), encode(item, depth + 1)] for key, item in value.items()]}
    if kind is set or kind is frozenset:
        return {"s" if kind is set else "z": [encode(item, depth + 1) for item in value]}
    if kind is bytes or kind is bytearray:
        return {"b" if kind is bytes else "a": base64.b64encode(value).decode("ascii")}
    if kind is complex:
        return {"c": [repr(value.real), repr(value.imag)]}
    return _encode_rarer(value, kind, depth)


def _encode_rarer(value: Any, kind: type, depth: int) -> Any:
    if kind is range:
        return {"r": [value.start, value.stop, value.step]}
    if kind in (decimal.Decimal, fractions.Fraction):
        return {"n": [kind.__name__, str(value)]}
    if kind is datetime.date:
        return {"i": [kind.__name__, value.isoformat()]}
    if kind in (datetime.datetime, datetime.time):
        zone = None if value.tzinfo is None else _encode_zone(value.tzinfo)
        return {"q": [kind.__name__, value.replace(tzinfo=None).isoformat(), value.fold, zone]}
    if kind is datetime.timezone or (kind.__module__ == "zoneinfo" and kind.__name__ == "ZoneInfo"):
        return {"tz": _encode_zone(value)}
    if kind is datetime.timedelta:
        return {"i": ["timedelta", [value.days, value.seconds, value.microseconds]]}
    if kind in (collections.OrderedDict, collections.Counter, collections.deque):
        plain = list(value) if kind is collections.deque else dict(value)
        return {"k": [kind.__name__, encode(plain, depth + 1)]}
    if kind is collections.defaultdict:
        return encode(dict(value), depth + 1)
    pathlib = sys.modules.get("pathlib")
    if pathlib is not None and kind in (pathlib.PosixPath, pathlib.PurePosixPath):
        return {"p": str(value)}
    if kind in (type(NotImplemented), type(Ellipsis)):
        return {"e": kind.__name__}
    numpy = sys.modules.get("numpy")
    if numpy is not None and issubclass(kind, (numpy.ndarray, numpy.generic)):
        return _encode_array(numpy, value)
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return {"t": [encode(item, depth + 1) for item in tuple.__iter__(value)]}
    if issubclass(kind, (bool, int, float, str)) and kind.__module__ != "builtins":
        return _encode_subclass(value)
    raise WireError(f"a value of type {kind.__name__} is not plain data")


def _encode_subclass(value: Any) -> Any:
    """Write what an int, float or str subclass (an enum member, say) holds, whatever it claims to equal."""
    if isinstance(value, int):
        return int.__index__(value)
    return encode(float.__pos__(value)) if isinstance(value, float) else str.__str__(value)


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


def _decode_named(inner: Any) -> Any:
    kinds: dict[str, Any] = {"Decimal": decimal.Decimal, "Fraction": fractions.Fraction}
    return kinds[inner[0]](inner[1])


def _decode_moment(inner: Any) -> Any:
    name, value = inner
    return datetime.timedelta(*value) if name == "timedelta" else datetime.date.fromisoformat(value)


def _decode_time(inner: Any) -> Any:
    name, text, fold, zone = inner
    kinds: dict[str, Any] = {"time": datetime.time, "datetime": datetime.datetime}
    return kinds[name].fromisoformat(text).replace(fold=fold, tzinfo=None if zone is None else _decode_zone(zone))


def _decode_zone(inner: Any) -> Any:
    if isinstance(inner, str):
        from zoneinfo import ZoneInfo

        return ZoneInfo(inner)
    offset, name = datetime.timedelta(*inner[0]), inner[1]
    return datetime.timezone(offset) if name is None else datetime.timezone(offset, name)


def _decode_collection(inner: Any) -> Any:
    kinds: dict[str, Any] = {
        "OrderedDict": collections.OrderedDict,
        "Counter": collections.Counter,
        "deque": collections.deque,
    }
    return kinds[inner[0]](decode(inner[1]))


def _decode_path(inner: Any) -> Any:
    from pathlib import PurePosixPath

    return PurePosixPath(inner)


def _decode_array(inner: Any) -> Any:
    import numpy

    kind, shape, text, scalar, order = inner
    fields = [tuple(field) for field in kind] if isinstance(kind, list) else kind
    array = numpy.frombuffer(base64.b64decode(text), dtype=numpy.dtype(fields)).reshape(shape).copy(order)
    return array[()] if scalar else array


_DECODERS: dict[str, Any] = {
    "f": float,
    "h": lambda inner: int(inner, 16),
    "t": lambda inner: tuple(decode(item) for item in inner),
    "d": lambda inner: {decode(key): decode(item) for key, item in inner},
    "s": lambda inner: {decode(item) for item in inner},
    "z": lambda inner: frozenset(decode(item) for item in inner),
    "b": base64.b64decode,
    "a": lambda inner: bytearray(base64.b64decode(inner)),
    "c": lambda inner: complex(float(inner[0]), float(inner[1])),
    "r": lambda inner: range(*inner),
    "n": _decode_named,
    "i": _decode_moment,
    "q": _decode_time,
    "tz": _decode_zone,
    "k": _decode_collection,
    "p": _decode_path,
    "e": lambda inner: {"NotImplementedType": NotImplemented, "ellipsis": Ellipsis}[inner],
    "y": _decode_array,
}
