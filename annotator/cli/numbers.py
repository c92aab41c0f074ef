"""Read the numbers of a command line, and say in words what is wrong with one."""

from __future__ import annotations

import argparse


def parse_integer(text: str) -> int:
    """Read a whole number, which may be below 0."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number") from None


def parse_decimal(text: str) -> float:
    """Read a number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not a number") from None


def parse_whole(text: str) -> int:
    """Read a whole number above 0."""
    value = parse_integer(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above 0")
    return value


def parse_amount(text: str) -> float:
    """Read a number that is not below 0."""
    value = parse_decimal(text)
    if not 0 <= value < 1e9:
        raise argparse.ArgumentTypeError(f"{text} is not a number, 0 or more")
    return value


def parse_share(text: str) -> float:
    """Read a share from 0 to 1."""
    value = parse_decimal(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not a share from 0 to 1")
    return value
