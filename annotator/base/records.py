"""Build records from other records by the names of their fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TypeVar

Made = TypeVar("Made")


def record_from(kind: type[Made], source: object, /, **others: object) -> Made:
    """Return a data class filled from the attributes (or keys) of ``source`` with the names of its fields.

    ``others`` are the fields that ``source`` lacks or has in another form. No field falls back to its default, so a
    renamed one is noticed: raises `TypeError` if one is missing.
    """
    names = [item.name for item in fields(kind) if item.name not in others]  # type: ignore[arg-type]  # a data class
    values = (
        source
        if isinstance(source, Mapping)
        else {name: getattr(source, name) for name in names if hasattr(source, name)}
    )
    if missing := [name for name in names if name not in values]:
        raise TypeError(f"{kind.__name__} needs {', '.join(missing)}")
    return kind(**{name: values[name] for name in names}, **others)
