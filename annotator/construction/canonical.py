"""Canonical values: how they are written and compared (specification, task construction, 3.2).

A form is JSON: null, true, 5 and "x" as they are, lists as lists, and ``{tag: body}`` for the rest: ``$i`` big integer,
``$f`` float, ``$c`` complex, ``$b`` bytes, ``$t`` tuple, ``$q`` deque, ``$s`` set, ``$fs`` frozenset, ``$d`` dict as
sorted pairs, ``$dt`` date or time, ``$nd`` array (dtype, shape, flat list). They are created in the sandbox
(resources/construction/values.py).
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

Form = Any
Mode = Literal["loose", "written", "strict"]
# JSON readers that use doubles hold whole numbers exactly only below this.
MAX_EXACT_INTEGER = 2**53
_SEQUENCES = ("list", "$t", "$q", "$nd")
# The tolerances of the specification (3.2).
RELATIVE_TOLERANCE = 1e-9
ABSOLUTE_TOLERANCE = 1e-12


def form_key(form: Form) -> str:
    """Return a text that identifies the form, for use as a key."""
    return json.dumps(form, sort_keys=True)


def tag_of(form: Form) -> str:
    """Return the form's tag; ``list``, ``str``, ``int``, ``bool`` or ``none`` for those without."""
    if isinstance(form, dict):
        return str(next(iter(form)))
    if form is None:
        return "none"
    return type(form).__name__


def body_of(form: Form) -> Any:
    """Return the body behind the tag, or the form itself if it has no tag."""
    return next(iter(form.values())) if isinstance(form, dict) else form


def integer_form(value: int) -> Form:
    """Return the form of a whole number."""
    return value if -MAX_EXACT_INTEGER < value < MAX_EXACT_INTEGER else {"$i": str(value)}


def float_form(value: float) -> Form:
    """Return the form of a float."""
    return {"$f": repr(value)}


def mapping_form(pairs: Sequence[tuple[Form, Form]]) -> Form:
    """Return the form of a dict; the last of several pairs with the same key counts."""
    pairs_by_key = {form_key(entry_key): [entry_key, value] for entry_key, value in pairs}
    return {"$d": [pairs_by_key[name] for name in sorted(pairs_by_key)]}


def set_form(tag: str, items: Sequence[Form]) -> Form:
    """Return the form of a set (``$s``) or frozenset (``$fs``)."""
    items_by_key = {form_key(item): item for item in items}
    return {tag: [items_by_key[name] for name in sorted(items_by_key)]}


# -- texts -------------------------------------------------------------------------------------------------------


def form_text(form: Form) -> str:
    """Return the value as a Python expression."""
    tag = tag_of(form)
    body = body_of(form)
    if tag in ("none", "bool", "int", "str"):
        return repr(body)
    if tag in ("$i", "$f"):
        return _number_text(str(body))
    return _FORMATTERS[tag](body)


def _number_text(text: str) -> str:
    return f"float({text!r})" if text in ("nan", "inf", "-inf") else text


def _item_texts(items: Sequence[Form]) -> str:
    return ", ".join(form_text(item) for item in items)


def _array_text(body: Any) -> str:
    dtype, shape, flat = body
    nested: list[Any] = list(flat)
    for size in reversed(shape[1:]):
        nested = [nested[start : start + size] for start in range(0, len(nested), size)] if size else []
    return f"np.array({form_text(nested)})" if nested else f"np.zeros({tuple(shape)!r}, dtype={dtype!r})"


_FORMATTERS: dict[str, Callable[[Any], str]] = {
    "list": lambda body: f"[{_item_texts(body)}]",
    "$t": lambda body: f"({_item_texts(body)},)" if len(body) == 1 else f"({_item_texts(body)})",
    "$q": lambda body: f"deque([{_item_texts(body)}])",
    "$s": lambda body: f"{{{_item_texts(body)}}}" if body else "set()",
    "$fs": lambda body: f"frozenset({{{_item_texts(body)}}})" if body else "frozenset()",
    "$d": lambda body: "{" + ", ".join(f"{form_text(left)}: {form_text(right)}" for left, right in body) + "}",
    "$c": lambda body: f"complex({body[0]}, {body[1]})",
    "$b": lambda body: repr(base64.b64decode(body)),
    "$dt": lambda body: (
        f"{body[0]}.fromisoformat({body[1]!r})" if body[0] != "timedelta" else f"timedelta(0, {body[1]})"
    ),
    "$nd": _array_text,
}


# -- equality ----------------------------------------------------------------------------------------------------


def forms_equal(left: Form, right: Form, mode: Mode = "loose", *, strip: bool = False) -> bool:
    """Return whether two forms are equal.

    Loose: tuples, lists, deques and arrays of equal content are equal, and so are 75 and 75.0; floats are compared with
    a relative tolerance of 1e-9 and an absolute one of 1e-12; nan equals nan; a bool is never a number. Written is
    loose, but keeps lists, tuples and deques apart, as Python's ``==`` does; an array counts as a list. Strict also
    keeps the other types of containers and numbers apart. ``strip`` ignores white space at the end of texts.
    """
    family = _comparison_family(left, mode)
    if family != _comparison_family(right, mode):
        return False
    if family == "number":
        return _numbers_equal(left, right)
    if family == "sequence" or (mode == "written" and family in _SEQUENCES):
        return _same_sequences(_sequence_items(left), _sequence_items(right), mode, strip)
    if family == "set":
        return same_items(body_of(left), body_of(right), mode, strip=strip)
    if family == "$d":
        return _same_pairs(body_of(left), body_of(right), mode, strip)
    if family == "$c":
        return all(_is_close(float(x), float(y)) for x, y in zip(left["$c"], right["$c"], strict=True))
    if family == "str" and strip:
        return bool(left.rstrip() == right.rstrip())
    if mode == "strict" and family in ("list", "$t", "$q", "$s", "$fs", "$nd", "$f"):
        return _strictly_equal(family, left, right, strip)
    return bool(left == right)


def _strictly_equal(family: str, left: Form, right: Form, strip: bool) -> bool:
    if family == "$f":
        return _numbers_equal(left, right)
    if family in ("$s", "$fs"):
        return same_items(body_of(left), body_of(right), "strict", strip=strip)
    if family == "$nd" and left["$nd"][:2] != right["$nd"][:2]:
        return False
    left_items, right_items = (form["$nd"][2] if family == "$nd" else body_of(form) for form in (left, right))
    return _same_sequences(left_items, right_items, "strict", strip)


def _same_sequences(left: Sequence[Form], right: Sequence[Form], mode: Mode, strip: bool) -> bool:
    return len(left) == len(right) and all(
        forms_equal(left_item, right_item, mode, strip=strip) for left_item, right_item in zip(left, right, strict=True)
    )


def _comparison_family(form: Form, mode: Mode) -> str:
    tag = tag_of(form)
    if mode == "strict":
        return "int" if tag == "$i" else tag
    if tag in ("int", "$i", "$f"):
        return "number"
    if tag in _SEQUENCES and mode == "loose":
        return "sequence"
    if tag == "$nd":
        return "list"
    return "set" if tag in ("$s", "$fs") else tag


def _sequence_items(form: Form) -> list[Form]:
    if tag_of(form) != "$nd":
        return list(body_of(form))
    _, shape, flat = form["$nd"]
    items: list[Form] = list(flat)
    for size in reversed(shape[1:]):
        items = [items[start : start + size] for start in range(0, len(items), size)] if size else [[]] * int(shape[0])
    return items if shape else list(flat)


def _numbers_equal(left: Form, right: Form) -> bool:
    if not any(tag_of(form) == "$f" for form in (left, right)):
        return str(body_of(left)) == str(body_of(right))
    try:
        return _is_close(float(body_of(left)), float(body_of(right)))
    except OverflowError:
        return False


def _is_close(left: float, right: float) -> bool:
    return (math.isnan(left) and math.isnan(right)) or math.isclose(
        left, right, rel_tol=RELATIVE_TOLERANCE, abs_tol=ABSOLUTE_TOLERANCE
    )


def same_items(left: Sequence[Form], right: Sequence[Form], mode: Mode = "loose", *, strip: bool = False) -> bool:
    """Return whether two sequences have the same items, equally often, in any order (rows of an unordered query)."""
    if len(left) != len(right):
        return False
    unmatched = list(right)
    for item in left:
        index = next(
            (number for number, other in enumerate(unmatched) if forms_equal(item, other, mode, strip=strip)), None
        )
        if index is None:
            return False
        del unmatched[index]
    return True


def _same_pairs(left: Sequence[Any], right: Sequence[Any], mode: Mode, strip: bool) -> bool:
    return same_items([{"$t": pair} for pair in left], [{"$t": pair} for pair in right], mode, strip=strip)
