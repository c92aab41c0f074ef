"""Which class a value really has: one that an annotation names may be any class below it (specification, 3.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotator.mining.repository import attributes
from annotator.mining.repository.modules import ClassInfo
from annotator.mining.repository.values import ClassValue, Instance, Value, Values

if TYPE_CHECKING:
    from annotator.mining.repository.evaluator import Evaluator

MANY = 0.25
"""The share of the classes below that have a method of their own, from which on the base's is not taken for granted."""


def unsure(ev: Evaluator, owner: Value | None, name: str) -> bool:
    """Tell whether another method than the one found may well run: running the tests says which."""
    if not isinstance(owner, (Instance, ClassValue)) or not owner.declared:
        return False
    below = [kind for kind in heirs(ev, owner.info) if isinstance(kind, ClassValue)]
    return bool(below) and sum(_has_own(ev, kind, owner.info, name) for kind in below) >= MANY * len(below)


def _has_own(ev: Evaluator, kind: ClassValue, info: ClassInfo, name: str) -> bool:
    """Tell whether a class finds a name before it comes to a base."""
    for base in attributes.order(ev, kind):
        if isinstance(base, ClassValue):
            if base.info is info:
                return False
            if name in ev.class_frame(base).scope.bindings:
                return True
    return False


def heirs(ev: Evaluator, info: ClassInfo) -> Values:
    """Return the classes that have a class among their bases, those of the tests left out."""
    return ev.once(("heirs", info.module.path, info.qualname), _heirs, ev, info)


def _heirs(ev: Evaluator, info: ClassInfo) -> Values:
    kinds = [
        ev.class_value(other) for other in ev.project.classes.values() if other is not info and not other.module.is_test
    ]
    return tuple(
        kind
        for kind in kinds
        if any(isinstance(base, ClassValue) and base.info is info for base in attributes.order(ev, kind))
    )
