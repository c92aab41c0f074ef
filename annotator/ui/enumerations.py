"""Builds the enumerations of Qt's binding sooner.

The binding asks Python for an enumeration for every one of Qt's as soon as the class it is in is looked at: hundreds
of them with thousands of members until the first page is there. Python's own way is made for what people write
in a class and looks at every member many times. What the binding asks for is a list of names with whole numbers,
which needs none of that: the result is the same, down to what is kept where.
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable
from typing import Any

_BASES = (enum.Enum, enum.IntEnum, enum.Flag, enum.IntFlag)
_SAMPLE = [("Second", 4), ("First", 1), ("Again", 1), ("Nothing", 0), ("Both", 5), ("Below", -3)]
_MEMBERS = ("_member_names_", "_member_map_", "_value2member_map_")
_BITS = ("_flag_mask_", "_singles_mask_", "_all_bits_")


def install() -> None:
    """Build enumerations sooner from now on, if what is built here is what this version of Python builds."""
    own = getattr(enum.EnumType, "_create_", None)
    if own is None:
        return
    makers = {base: Maker(base, own) for base in _BASES}
    if all(maker.is_true() for maker in makers.values()):
        setattr(enum.EnumType, "_create_", _creating(own, makers))  # noqa: B010 - the type stubs do not know it


def _creating(own: Callable[..., Any], makers: dict[Any, Maker]) -> Callable[..., Any]:
    """Return ``own``, which is Python's, so that plain enumerations are built by their makers."""

    def create(
        cls: Any,
        class_name: str,
        names: Any,
        *,
        module: str | None = None,
        qualname: str | None = None,
        type: Any = None,
        start: Any = 1,
        boundary: Any = None,
    ) -> Any:
        module = module or _asking()
        maker = makers.get(cls)
        if maker is not None and module and qualname is None and type is None and maker.takes(names):
            return maker.make(class_name, names, module, boundary)
        return own(cls, class_name, names, module=module, qualname=qualname, type=type, start=start, boundary=boundary)

    return create


def _asking() -> str | None:
    """Return the module that asked for an enumeration, found as Python finds it; None where no Python asked."""
    try:
        # This, what builds, the class that was called, and whoever called that.
        return str(sys._getframe(3).f_globals["__name__"])
    except (ValueError, KeyError):
        return None


class Maker:
    """Builds enumerations with one base, after an empty one that Python has built."""

    def __init__(self, base: Any, own: Callable[..., Any]) -> None:
        """Take the base and Python's own way of building."""
        self._base = base
        self._own = own
        self._flag = issubclass(base, enum.Flag)
        self._taken = {name for parent in base.__mro__ for name in vars(parent)} | {"mro", ""}
        self._empty: dict[Any, dict[str, Any]] = {}

    def is_true(self) -> bool:
        """Say whether a sample of all there may be comes out as Python's own."""
        theirs = self._own(self._base, "Sample", _SAMPLE, module=__name__, boundary=enum.KEEP)
        ours = self.make("Sample", _SAMPLE, __name__, enum.KEEP)
        return described(ours) == described(theirs)

    def takes(self, names: Any) -> bool:
        """Say whether a list is of pairs of a plain name and a whole number, no name twice."""
        if type(names) is not list:
            return False
        for pair in names:
            if type(pair) is not tuple or len(pair) != 2 or type(pair[1]) is not int or pair[0].startswith("_"):
                return False
        found = dict(names)
        return len(found) == len(names) and self._taken.isdisjoint(found)

    def make(self, name: str, names: list[tuple[str, int]], module: str, boundary: Any) -> Any:
        """Return an enumeration of these names; `takes` has agreed to them."""
        made = self._new_class(name, module, boundary)
        order, by_name, by_value = (vars(made)[kept] for kept in _MEMBERS)
        new, whole, flag = made._new_member_, made._use_args_, self._flag
        put = type.__setattr__
        mask = singles = 0
        for member_name, value in names:
            if flag:
                mask |= value
                if value and not value & (value - 1):
                    singles |= value
            member = by_value.get(value)
            if member is None:
                member = new(made, value) if whole else new(made)
                member._value_ = value
                member._name_ = member_name
                member.__objclass__ = made
                member._sort_order_ = len(order)
                by_value[value] = member
                if not flag or (value and not value & (value - 1)):
                    order.append(member_name)
            by_name[member_name] = member
            put(made, member_name, member)
        if flag:
            for kept, bits in zip(_BITS, (mask, singles, 2 ** mask.bit_length() - 1), strict=True):
                put(made, kept, bits)
            values = [by_name[single]._value_ for single in order]
            if values != sorted(values):
                put(made, "_iter_member_", made._iter_member_by_def_)
        return made

    def _new_class(self, name: str, module: str, boundary: Any) -> Any:
        """Return an enumeration without members, with places of its own for them."""
        if boundary not in self._empty:
            empty = self._own(self._base, "Empty", [], module=__name__, boundary=boundary)
            self._empty[boundary] = dict(vars(empty))
        content = dict(self._empty[boundary])
        content["__module__"] = module
        for kept, value in content.items():
            if type(value) in (list, dict, set):
                content[kept] = value.copy()
        creating = content.pop("__new__")
        made = type.__new__(enum.EnumType, name, (self._base,), content)
        # Put there afterwards, as Python does, it stays the function it is.
        type.__setattr__(made, "__new__", creating)
        return made


def described(made: Any) -> dict[str, Any]:
    """Return all that an enumeration and its members keep, comparable with another one's."""
    told: dict[str, Any] = {"names": (made.__name__, made.__qualname__, made.__mro__[1:])}
    told.update({name: _told(value) for name, value in vars(made).items()})
    told["members"] = [
        (name, type(member) is made, member.__objclass__ is made, {**vars(member), "__objclass__": None})
        for name, member in made.__members__.items()
    ]
    return told


def _told(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return value._name_
    if isinstance(value, dict):
        return [(key, _told(found)) for key, found in value.items()]
    return getattr(value, "__func__", value)
