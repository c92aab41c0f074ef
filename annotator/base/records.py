"""Build data classes from other objects with the same field names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TypeVar

Record = TypeVar("Record")


def record_from(record_class: type[Record], source: object, /, **others: object) -> Record:
    """Return an instance of a data class, with its fields taken from ``source``'s attributes (or keys) of these names.

    ``others`` are the fields that ``source`` lacks or has in another form. Defaults are never used, so that a renamed
    field is noticed: raises `TypeError` if one is missing.
    """
    names = [data_field.name for data_field in fields(record_class) if data_field.name not in others]  # type: ignore[arg-type]  # a data class
    values = (
        source
        if isinstance(source, Mapping)
        else {name: getattr(source, name) for name in names if hasattr(source, name)}
    )
    if missing := [name for name in names if name not in values]:
        raise TypeError(f"{record_class.__name__} needs {', '.join(missing)}")
    return record_class(**{name: values[name] for name in names}, **others)
