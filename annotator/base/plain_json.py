"""Write ``NaN`` and the infinities, which JSON lacks, in stored JSON and in Python code."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

_NUMBER = "$numberDouble"


def plain_json(value: Any) -> Any:
    """Return a value with ``NaN`` and infinities encoded as objects, as in MongoDB's Extended JSON."""
    if isinstance(value, float) and not math.isfinite(value):
        names = {math.inf: "Infinity", -math.inf: "-Infinity"}
        return {_NUMBER: names.get(value, "NaN")}
    if isinstance(value, Mapping):
        return {name: plain_json(element) for name, element in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_json(element) for element in value]
    return value


def python_value(value: Any) -> Any:
    """Return the original value of a result of `plain_json`."""
    if isinstance(value, Mapping):
        if value.keys() == {_NUMBER}:
            return float(value[_NUMBER])
        return {name: python_value(element) for name, element in value.items()}
    return [python_value(element) for element in value] if isinstance(value, list) else value


def python_text(value: Any) -> str:
    """Return a JSON value as Python code; ``repr`` would write ``NaN`` and infinities as undefined names."""
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {python_text(element)}" for name, element in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(python_text, value)) + "]"
    return repr(value)
