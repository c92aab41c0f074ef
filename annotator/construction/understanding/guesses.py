"""Answers that need no understanding of the code: each is tried on an item before it is made
(specification, task construction, 3.2)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from annotator.construction import canonical
from annotator.construction.canonical import Form

COMMON_SHARE = 0.2
"""A result that more than this share of inputs give is guessed as a constant."""
_CONSTANTS: tuple[Form, ...] = (0, 1, -1, "", [], {"$d": []}, {"$s": []}, {"$fs": []})
_SEQUENCES = ("list", "$t", "$q", "$s", "$fs", "str")
_MOST_DIGITS = 8
_DIGITS = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_FEW_PARAMETERS = 4
_MIXED_PARAMETERS = 3


def answer_by_guess(values: Sequence[Form], output: Form) -> str:
    """Return which guess at the returned value is right, or nothing.

    Tried are each argument, its text, its first and last part and its length, what is left without these parts, a text
    in small and capital letters, all arguments as a list, the usual constants, and both truth values.
    """
    if isinstance(output, bool) or output is None:
        return "the result is a bare true, false or nothing"
    if any(canonical.equal(constant, output) for constant in _CONSTANTS):
        return "the result is a usual constant"
    if any(canonical.equal(echo, output) for echo in _echoes(values)):
        return "the result is an argument"
    if any(canonical.equal(part, output) for value in values for part in _ends(value)):
        return "the result is the first or last part of an argument"
    if any(canonical.equal(near, output) for value in values for near in _nearly(value)):
        return "the result is nearly an argument"
    if output in [len(_parts(value)) for value in values if _parts(value)]:
        return "the result is the length of an argument"
    return ""


def _echoes(values: Sequence[Form]) -> Iterator[Form]:
    for value in values:
        yield value
        yield [value]
        yield canonical.show(value)
        tag, body = canonical.tag_of(value), canonical.body_of(value)
        if tag in ("$s", "$fs"):
            yield list(body)
            yield {"$s": body}
    yield list(values)


def _parts(form: Form) -> list[Form]:
    tag, body = canonical.tag_of(form), canonical.body_of(form)
    if tag == "$d":
        return [part for pair in body for part in pair]
    return list(body) if tag in _SEQUENCES else []


def _ends(form: Form) -> list[Form]:
    """Return what stands first and last in a value, and in what stands there."""
    parts = _parts(form)
    if isinstance(form, str):
        return [*parts[:1], *parts[-1:]]
    width = 2 if canonical.tag_of(form) == "$d" else 1
    found = [*parts[:width], *parts[-width:]]
    return [*found, *(end for part in found for end in _ends(part))]


def _nearly(form: Form) -> Iterator[Form]:
    if isinstance(form, str):
        for text in (form, form.lower(), form.upper(), form.capitalize(), form.title()):
            yield from (text, text.strip(), text[:-1], text[1:])
    elif canonical.tag_of(form) in ("list", "$t"):
        parts = _parts(form)
        yield from (parts[:-1], parts[1:])


def common_result(output: Form, others: Sequence[Form]) -> bool:
    """Tell whether so many inputs give a result that it is guessed without looking at the input."""
    return bool(others) and sum(canonical.equal(output, other) for other in others) > COMMON_SHARE * len(others)


def needs_calculator(form: Form) -> bool:
    """Tell whether a value holds a number with more digits than anybody works out by reading."""
    tag, body = canonical.tag_of(form), canonical.body_of(form)
    if tag in ("int", "$i", "$f"):
        found = _DIGITS.search(str(body))
        return found is not None and sum(letter.isdigit() for letter in found[0]) > _MOST_DIGITS
    if tag == "$c":
        return True
    return tag != "str" and any(needs_calculator(part) for part in _parts(form))


def guess_arguments(values: Sequence[Form], output: Form) -> list[list[Form]]:
    """Return arguments that pass the wanted value through, or are usual constants.

    The value, its text, its parts and lists of it stand in the first place alone, in each and in all, beside empty and
    small values and its length, which are mixed where there are few parameters; and beside the other arguments of the
    call: what is sorted or cut already stays so by the same key or length.
    """
    count = len(values)
    passed: list[Form] = [output, canonical.show(output), [output], [[output]]]
    if isinstance(output, str):
        passed += [f" {output} ", list(output)]
    if canonical.tag_of(output) in ("$t", "$q", "$s", "$fs"):
        passed.append(list(canonical.body_of(output)))
    parts = _parts(output)
    # What alone stands in the value is given back by much that gives back anything.
    first = [*passed[:3], *(parts if len(parts) == 1 else [])]
    passed += first[3:]
    found = [*([parts] if len(parts) == count else []), *([form] * count for form in passed)]
    fills = [[empty_of(value) for value in values], [_small(value) for value in values], [1] * count, [[]] * count,
             [len(_parts(output))] * count]  # fmt: skip
    if count > 1:
        # What has a default value may be left out.
        found += [[form] for form in passed[:3]]
    if 1 < count <= _FEW_PARAMETERS:
        for form, fill, at in itertools.product(first, fills, range(count)):
            found.append([*fill[:at], form, *fill[at + 1 :]])
    for form, at in itertools.product(passed, range(count)):
        found.append([*values[:at], form, *values[at + 1 :]])
    if 1 < count <= _MIXED_PARAMETERS:
        found += _mixed(first, count, len(parts))
    found += [*fills, [0] * count, [""] * count, ["a"] * count, [[1]] * count, [[1, 2, 3]] * count]
    kept = {canonical.key(call): call for call in found}
    return list(kept.values())


def _mixed(forms: Sequence[Form], count: int, length: int) -> list[list[Form]]:
    """Return calls with a value in one place and each small number or the length in the others; the last places, which
    may have default values, are left out too."""
    found = []
    for form, at in itertools.product(forms, range(count)):
        for others in itertools.product((0, 1, length), repeat=count - 1):
            call = [*others[:at], form, *others[at:]]
            found += [call, call[: at + 1]] if at else [call]
    return found


def empty_of(form: Form) -> Form:
    """Return the empty value of the same kind: nought, an empty text, a collection without items."""
    if isinstance(form, dict):
        empties: dict[str, Form] = {"$t": [], "$s": [], "$d": [], "$f": "0.0"}
        (tag,) = list(form)[:1] or [""]
        return {tag: empties[tag]} if tag in empties else form
    return type(form)() if isinstance(form, bool | int | str | list) else form


def _small(form: Form) -> Form:
    """Return a small value of the same kind."""
    small: dict[str, Form] = {"int": 1, "bool": True, "str": "a", "list": [1], "$t": {"$t": [1]}, "$f": {"$f": "1.0"}}
    return small.get(canonical.tag_of(form), empty_of(form))
