"""Canonical values inside the sandbox: plain data to JSON and back (annotator/construction/canonical.py reads them)."""

import base64
import collections
import datetime
import json
import math
import sys

_EXACT = 2**53
_NODES = 20_000
_DATES = {
    "datetime": datetime.datetime,
    "date": datetime.date,
    "time": datetime.time,
}


class UnsupportedError(Exception):
    """A value that has no canonical form."""


def encode(value):
    """Return the canonical form. Raises UnsupportedError for anything but plain data, or for too much of it."""
    return _Encoder().encode(value)


class _Encoder:
    def __init__(self):
        self.left = _NODES

    def encode(self, value):
        self.left -= 1
        if self.left < 0:
            raise UnsupportedError("too large")
        kind = type(value)
        if value is None or kind in (bool, str):
            return value
        if kind is int:
            return value if -_EXACT < value < _EXACT else {"$i": _digits(value)}
        if kind is float:
            return {"$f": repr(value)}
        if kind is complex:
            return {"$c": [repr(value.real), repr(value.imag)]}
        if kind in (bytes, bytearray):
            return {"$b": base64.b64encode(bytes(value)).decode("ascii")}
        try:
            return self._container(value, kind)
        except RecursionError:
            raise UnsupportedError("too deep") from None

    def _container(self, value, kind):
        if kind is list:
            return [self.encode(item) for item in value]
        if kind is tuple or (isinstance(value, tuple) and hasattr(kind, "_fields")):
            return {"$t": [self.encode(item) for item in value]}
        if kind is set:
            return {"$s": self._sorted(value)}
        if kind is frozenset:
            return {"$fs": self._sorted(value)}
        if kind in (dict, collections.OrderedDict, collections.defaultdict, collections.Counter):
            pairs = [[self.encode(key), self.encode(item)] for key, item in value.items()]
            return {"$d": sorted(pairs, key=_order_of_pair)}
        if kind is collections.deque:
            return {"$q": [self.encode(item) for item in value]}
        return self._special(value, kind)

    def _sorted(self, value):
        return sorted((self.encode(item) for item in value), key=order)

    def _special(self, value, kind):
        for name, known in _DATES.items():
            if kind is known or kind.__base__ is known:
                return {"$dt": [name, value.isoformat()]}
        if kind is datetime.timedelta:
            return {"$dt": ["timedelta", repr(value.total_seconds())]}
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            if isinstance(value, numpy.generic):
                return self.encode(value.item())
            if kind is numpy.ndarray and value.dtype.kind in "biufcUS":
                return {"$nd": [str(value.dtype), list(value.shape), [self.encode(x) for x in value.ravel().tolist()]]}
        raise UnsupportedError(kind.__name__)


def _digits(value):
    if abs(value).bit_length() > 20_000:
        raise UnsupportedError("too large a number")
    limit = getattr(sys, "set_int_max_str_digits", None)
    if limit is not None:
        limit(0)
    return str(value)


def order(form):
    """The sort key of a canonical form."""
    return json.dumps(form, sort_keys=True)


def _order_of_pair(pair):
    return order(pair[0])


def decode(form):
    """Return the value of a canonical form."""
    if isinstance(form, list):
        return [decode(item) for item in form]
    if not isinstance(form, dict):
        return form
    ((tag, body),) = form.items()
    return _DECODERS[tag](body)


def _decode_dict(body):
    return {decode(key): decode(item) for key, item in body}


def _decode_number(body):
    limit = getattr(sys, "set_int_max_str_digits", None)
    if limit is not None:
        limit(0)
    return int(body)


def _decode_float(body):
    return math.nan if body == "nan" else float(body)


def _decode_date(body):
    name, text = body
    if name == "timedelta":
        return datetime.timedelta(seconds=float(text))
    return _DATES[name].fromisoformat(text)


def _decode_array(body):
    import numpy

    dtype, shape, flat = body
    return numpy.array(decode(flat), dtype=dtype).reshape(shape)


_DECODERS = {
    "$i": _decode_number,
    "$f": _decode_float,
    "$c": lambda body: complex(float(body[0]), float(body[1])),
    "$b": base64.b64decode,
    "$t": lambda body: tuple(decode(item) for item in body),
    "$s": lambda body: {decode(item) for item in body},
    "$fs": lambda body: frozenset(decode(item) for item in body),
    "$d": _decode_dict,
    "$q": lambda body: collections.deque(decode(item) for item in body),
    "$dt": _decode_date,
    "$nd": _decode_array,
}
