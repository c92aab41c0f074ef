"""Guesses that need no understanding of the code; calls that one of them answers are not used for items
(specification, task construction, 3.2)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from annotator.construction import canonical
from annotator.construction.canonical import Form

COMMON_SHARE = 0.2
"""A result of more than this share of the inputs can be guessed as a constant."""
_CONSTANTS: tuple[Form, ...] = (0, 1, -1, "", [], {"$d": []}, {"$s": []}, {"$fs": []})
_SEQUENCES = ("list", "$t", "$q", "$s", "$fs", "str")
_MAX_DIGITS = 8
# The number of guesses grows exponentially with the parameters, so larger calls get fewer mixtures.
_FEW_PARAMETERS = 4
_MIXED_PARAMETERS = 3


def answer_by_guess(values: Sequence[Form], output: Form) -> str:
    """Return which guess at the returned value is right, or "".

    The guesses are each argument, its text, its first and last part and its length, the argument without these parts, a
    text in lower and upper case, the list of all arguments, the usual constants, and both truth values.
    """
    if isinstance(output, bool) or output is None:
        return "the result is a bare true, false or nothing"
    if any(canonical.forms_equal(constant, output) for constant in _CONSTANTS):
        return "the result is a usual constant"
    if any(canonical.forms_equal(echo, output) for echo in _iter_echoes(values)):
        return "the result is an argument"
    if any(canonical.forms_equal(part, output) for value in values for part in _first_and_last_parts(value)):
        return "the result is the first or last part of an argument"
    if any(canonical.forms_equal(variant, output) for value in values for variant in _near_variants(value)):
        return "the result is nearly an argument"
    if output in [len(_parts_of(value)) for value in values if _parts_of(value)]:
        return "the result is the length of an argument"
    return ""


def _iter_echoes(values: Sequence[Form]) -> Iterator[Form]:
    for value in values:
        yield value
        yield [value]
        yield canonical.form_text(value)
        tag = canonical.tag_of(value)
        body = canonical.body_of(value)
        if tag in ("$s", "$fs"):
            yield list(body)
            yield {"$s": body}
    yield list(values)


def _parts_of(form: Form) -> list[Form]:
    tag = canonical.tag_of(form)
    body = canonical.body_of(form)
    if tag == "$d":
        return [part for pair in body for part in pair]
    return list(body) if tag in _SEQUENCES else []


def _first_and_last_parts(form: Form) -> list[Form]:
    """Return the first and last part of a value, and recursively those of these parts."""
    parts = _parts_of(form)
    if isinstance(form, str):
        return [*parts[:1], *parts[-1:]]
    width = 2 if canonical.tag_of(form) == "$d" else 1
    ends = [*parts[:width], *parts[-width:]]
    return [*ends, *(end for part in ends for end in _first_and_last_parts(part))]


def _near_variants(form: Form) -> Iterator[Form]:
    if isinstance(form, str):
        for text in (form, form.lower(), form.upper(), form.capitalize(), form.title()):
            yield from (text, text.strip(), text[:-1], text[1:])
    elif canonical.tag_of(form) in ("list", "$t"):
        parts = _parts_of(form)
        yield from (parts[:-1], parts[1:])


def is_common_result(output: Form, others: Sequence[Form]) -> bool:
    """Return whether a result is so common that it can be guessed without looking at the input."""
    return bool(others) and sum(canonical.forms_equal(output, other) for other in others) > COMMON_SHARE * len(others)


def needs_calculator(form: Form) -> bool:
    """Return whether a value contains a number with too many digits for mental arithmetic."""
    tag = canonical.tag_of(form)
    body = canonical.body_of(form)
    if tag in ("int", "$i", "$f"):
        return sum(letter.isdigit() for letter in str(body)) > _MAX_DIGITS
    if tag == "$c":
        return True
    return tag != "str" and any(needs_calculator(part) for part in _parts_of(form))


def guess_arguments(values: Sequence[Form], output: Form) -> list[list[Form]]:
    """Return lists of arguments that pass the requested output through, or are usual constants.

    The output, its text, its parts and lists of it are tried as the only argument, as each argument and as all of them,
    combined with empty and small values and the output's length (in all mixtures if there are few parameters), and
    combined with the call's other arguments: an output that is sorted or cut stays so with the same key or length.
    """
    count = len(values)
    pass_through: list[Form] = [output, canonical.form_text(output), [output], [[output]]]
    if isinstance(output, str):
        pass_through += [f" {output} ", list(output)]
    if canonical.tag_of(output) in ("$t", "$q", "$s", "$fs"):
        pass_through.append(list(canonical.body_of(output)))
    parts = _parts_of(output)
    # Many functions return the only part of a value unchanged.
    likely_forms = [*pass_through[:3], *(parts if len(parts) == 1 else [])]
    pass_through += likely_forms[3:]
    calls = [*([parts] if len(parts) == count else []), *([form] * count for form in pass_through)]
    bases = [[empty_form(value) for value in values], [_small_value(value) for value in values], [1] * count,
             [[]] * count, [len(_parts_of(output))] * count]  # fmt: skip
    if count > 1:
        # Parameters with default values may be left out.
        calls += [[form] for form in pass_through[:3]]
    if 1 < count <= _FEW_PARAMETERS:
        for form, base, index in itertools.product(likely_forms, bases, range(count)):
            calls.append([*base[:index], form, *base[index + 1 :]])
    for form, index in itertools.product(pass_through, range(count)):
        calls.append([*values[:index], form, *values[index + 1 :]])
    if 1 < count <= _MIXED_PARAMETERS:
        calls += _mixed_calls(likely_forms, count, len(parts))
    calls += [*bases, [0] * count, [""] * count, ["a"] * count, [[1]] * count, [[1, 2, 3]] * count]
    calls_by_key = {canonical.form_key(call): call for call in calls}
    return list(calls_by_key.values())


def _mixed_calls(forms: Sequence[Form], count: int, length: int) -> list[list[Form]]:
    """Return calls with a value in one place and small numbers or the length in the others.

    Each is also returned without the last places, which may have default values.
    """
    calls = []
    for form, index in itertools.product(forms, range(count)):
        for others in itertools.product((0, 1, length), repeat=count - 1):
            call = [*others[:index], form, *others[index:]]
            calls += [call, call[: index + 1]] if index else [call]
    return calls


def empty_form(form: Form) -> Form:
    """Return the empty value of the same type: zero, an empty text or an empty collection."""
    if isinstance(form, dict):
        empties: dict[str, Form] = {"$t": [], "$s": [], "$d": [], "$f": "0.0"}
        (tag,) = list(form)[:1] or [""]
        return {tag: empties[tag]} if tag in empties else form
    return type(form)() if isinstance(form, bool | int | str | list) else form


def _small_value(form: Form) -> Form:
    """Return a small value of the same type."""
    small_values: dict[str, Form] = {
        "int": 1,
        "bool": True,
        "str": "a",
        "list": [1],
        "$t": {"$t": [1]},
        "$f": {"$f": "1.0"},
    }
    return small_values.get(canonical.tag_of(form), empty_form(form))
