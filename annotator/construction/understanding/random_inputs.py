"""Random inputs similar to captured ones, used to find trivial items, gaps in tests and differing outputs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from annotator.construction import canonical
from annotator.construction.canonical import Form

_MAX_CHANGES = 3
_MAX_TEXT_LENGTH = 12
_CAPTURED_SHARE = 0.2
"""The share of changed arguments that get another captured value instead of a varied one."""


@dataclass(slots=True)
class _Observations:
    """The values captured for one argument: forms, numbers, letters and elements."""

    forms: list[Form] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    letters: str = ""
    parts: list[Form] = field(default_factory=list)


def random_calls(captured: Sequence[Sequence[Form]], count: int, seed: int = 0) -> list[list[Form]]:
    """Return ``count`` lists of arguments made from captured ones (lists of canonical forms of the same length).

    Numbers stay near captured ones or are 0, 1, -1; texts use captured letters; containers grow, shrink and swap parts.
    Equal seeds give equal inputs. Without captured calls there are none.
    """
    if not captured or not captured[0]:
        return []
    rng = random.Random(seed)
    observations = [_observe_values([call[index] for call in captured]) for index in range(len(captured[0]))]
    calls = []
    for _ in range(count):
        arguments = list(rng.choice(captured))
        for index in rng.sample(range(len(arguments)), rng.randint(1, len(arguments))):
            arguments[index] = (
                rng.choice(observations[index].forms)
                if rng.random() < _CAPTURED_SHARE
                else _InputMaker(rng, observations[index]).vary(arguments[index])
            )
        calls.append(arguments)
    return calls


def _observe_values(forms: list[Form]) -> _Observations:
    observations = _Observations(forms)
    letters: set[str] = set()
    forms_to_read = list(forms)
    for depth in range(4):
        inner_forms: list[Form] = []
        for form in forms_to_read:
            tag = canonical.tag_of(form)
            body = canonical.body_of(form)
            if tag == "int":
                observations.numbers.append(form)
            elif tag == "str":
                letters.update(form)
            elif tag in ("list", "$t", "$q", "$s", "$fs"):
                inner_forms += body
                observations.parts += body if depth == 0 else []
            elif tag == "$d":
                inner_forms += [item for pair in body for item in pair]
        forms_to_read = inner_forms[:500]
    observations.letters = "".join(sorted(letters)) or "ab"
    return observations


class _InputMaker:
    def __init__(self, rng: random.Random, observations: _Observations) -> None:
        self._rng = rng
        self._observed = observations

    def vary(self, form: Form, depth: int = 0) -> Form:
        maker = _VARIERS.get(canonical.tag_of(form))
        return form if maker is None or depth > 4 else maker(self, form, depth)

    def _vary_integer(self, form: Form, _depth: int) -> Form:
        low = max(min([0, *self._observed.numbers]), form - 1000)
        high = min(max([1, *self._observed.numbers]), form + 1000)
        near_values = [form - 1, form + 1, 0, 1, -1 if low < 0 else 2, -form if low < 0 else form, form * 2]
        if self._rng.random() < 0.5:
            return self._rng.choice(near_values)
        return self._rng.randint(*sorted((low, high + 5)))

    def _vary_float(self, form: Form, _depth: int) -> Form:
        value = float(form["$f"])
        near_values = [0.0, 1.0, -value, value / 2, value * 2, value + 1, round(value, 1), self._rng.uniform(-10, 10)]
        return canonical.float_form(self._rng.choice(near_values))

    def _vary_bool(self, _form: Form, _depth: int) -> Form:
        return self._rng.random() < 0.5

    def _vary_text(self, form: Form, _depth: int) -> Form:
        rng = self._rng
        kind = rng.randrange(7)
        if kind == 0:
            return "".join(rng.choice(self._observed.letters) for _ in range(rng.randint(0, _MAX_TEXT_LENGTH)))
        if kind == 1 and form:
            return form[rng.randrange(len(form)) :]
        if kind == 2 and form:
            return form[::-1]
        if kind == 3:
            return form + rng.choice(self._observed.letters)
        if kind == 4:
            return form.swapcase()
        if kind == 5:
            return ""
        index = rng.randint(0, len(form))
        return form[:index] + rng.choice(self._observed.letters) + form[index + 1 :]

    def _vary_items(self, items: list[Form], depth: int) -> list[Form]:
        rng = self._rng
        varied = list(items)
        for _ in range(rng.randint(1, _MAX_CHANGES)):
            kind = rng.randrange(5)
            if kind == 0 and varied:
                del varied[rng.randrange(len(varied))]
            elif kind == 1 and (varied or (self._observed.parts and depth == 0)):
                part = rng.choice(self._observed.parts if self._observed.parts and depth == 0 else varied)
                varied.insert(rng.randint(0, len(varied)), part)
            elif kind == 2 and varied:
                rng.shuffle(varied)
            elif kind == 3 and varied and rng.random() < 0.2:
                varied = []
            elif varied:
                index = rng.randrange(len(varied))
                varied[index] = self.vary(varied[index], depth + 1)
        return varied

    def _vary_tagged(self, form: Form, depth: int) -> Form:
        tag = canonical.tag_of(form)
        if tag == "$t" and depth:
            # A nested tuple is usually a record, so its length stays.
            return {"$t": [self.vary(item, depth + 1) for item in form["$t"]]}
        return {tag: self._vary_items(form[tag], depth)}

    def _vary_set(self, form: Form, depth: int) -> Form:
        tag = canonical.tag_of(form)
        return canonical.set_form(tag, self._vary_items(form[tag], depth))

    def _vary_dict(self, form: Form, depth: int) -> Form:
        pairs = [(entry_key, self.vary(value, depth + 1)) for entry_key, value in form["$d"]]
        if pairs and self._rng.random() < 0.3:
            del pairs[self._rng.randrange(len(pairs))]
        if pairs and self._rng.random() < 0.3:
            entry_key, value = self._rng.choice(pairs)
            pairs.append((self.vary(entry_key, depth + 1), value))
        return canonical.mapping_form(pairs)


_VARIERS: dict[str, Callable[[_InputMaker, Form, int], Form]] = {
    "int": _InputMaker._vary_integer, "$f": _InputMaker._vary_float, "bool": _InputMaker._vary_bool,
    "str": _InputMaker._vary_text, "list": _InputMaker._vary_items, "$t": _InputMaker._vary_tagged,
    "$q": _InputMaker._vary_tagged, "$s": _InputMaker._vary_set, "$fs": _InputMaker._vary_set,
    "$d": _InputMaker._vary_dict,
}  # fmt: skip
