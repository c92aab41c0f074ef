"""Parsers for numbers on the command line, with error messages in words."""

from __future__ import annotations

import argparse
import math
from typing import TypeVar

Number = TypeVar("Number", int, float)
_LARGEST = 2**63 - 1
"""The largest integer of SQLite and PostgreSQL (signed 64 bits)."""


def parse_integer(text: str) -> int:
    """Parse a whole number, which may be negative."""
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text or 'an empty text'} is not a whole number") from None
    if abs(value) > _LARGEST:
        raise argparse.ArgumentTypeError(f"{text} is too large")
    return value


def parse_count(text: str) -> int:
    """Parse a whole number of at least 0."""
    return _within(text, parse_integer(text), 0, _LARGEST, "a whole number, 0 or more")


def parse_whole(text: str) -> int:
    """Parse a whole number above 0."""
    return _within(text, parse_integer(text), 1, _LARGEST, "a whole number above 0")


def parse_port(text: str) -> int:
    """Parse a port number."""
    return _within(text, parse_integer(text), 1, 65535, "a port, from 1 to 65535")


def parse_decimal(text: str) -> float:
    """Parse a number, which may be negative."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text or 'an empty text'} is not a number")
    return value


def parse_amount(text: str) -> float:
    """Parse a number of at least 0."""
    return _within(text, parse_decimal(text), 0, 1e9, "a number, 0 or more")


def parse_share(text: str) -> float:
    """Parse a share from 0 to 1."""
    return _within(text, parse_decimal(text), 0, 1, "a share from 0 to 1")


def _within(text: str, value: Number, minimum: float, maximum: float, description: str) -> Number:
    """Return a number if it is in the range; an error says that the text is not ``description``."""
    if not minimum <= value <= maximum:
        raise argparse.ArgumentTypeError(f"{text} is not {description}")
    return value
