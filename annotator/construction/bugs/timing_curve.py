"""Whether a change makes a program slower as inputs grow (specification, task construction, 2.4, P4)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from annotator.construction import canonical
from annotator.construction.canonical import Form
from annotator.construction.sandbox_probe import ask
from annotator.sandbox import Runner

REPEATS = 7
DOUBLINGS = 4
RATIO, LARGE_RATIO, SLOPE = 3.0, 10.0, 0.5
SHORTEST_S = 1e-3
"""What takes less at the largest size is slow for nobody, and the clock decides more than the code."""
_BASES = (500, 4000, 32000)
_SMALL_BASE = 3
"""Where numbers grow: what calls itself twice for each of them ends for no larger one."""
_RUN_S = 2.0
_TOO_SHORT_S = 2e-5
_HEAD = "import random\n\n\ndef workload(size):\n    rng = random.Random(size)\n"
_PRIME = (
    "    number = size\n    while any(number % factor == 0 for factor in range(2, int(number**0.5) + 1)):\n"
    "        number += 1\n"
)


@dataclass(frozen=True, slots=True)
class Timing:
    """Times in seconds of the reference and the changed program at growing sizes, and whether outputs were equal."""

    sizes: tuple[int, ...]
    reference: tuple[float, ...]
    changed: tuple[float, ...]
    equal: bool

    @property
    def ratio(self) -> float:
        """How many times longer the change takes at the largest size."""
        return self.changed[-1] / max(self.reference[-1], 1e-9)

    @property
    def ratios(self) -> tuple[float, ...]:
        """How many times longer the change takes at each size."""
        return tuple(new / max(old, 1e-9) for old, new in zip(self.reference, self.changed, strict=True))

    @property
    def slope_difference(self) -> float:
        """By how much steeper the change grows, in powers of the size."""
        return slope(self.sizes, self.changed) - slope(self.sizes, self.reference)

    @property
    def accepted(self) -> bool:
        """Whether this proves a bug of performance: no single size does, as one time may be an accident."""
        if len(self.sizes) < DOUBLINGS or not self.equal or self.ratio < RATIO or self.changed[-1] < SHORTEST_S:
            return False
        if median(self.ratios) >= LARGE_RATIO:
            return True
        return self.slope_difference >= SLOPE and self.ratios[-2] >= RATIO / 2


def slope(sizes: Sequence[int], times: Sequence[float]) -> float:
    """Return the slope of times over sizes, both as logarithms: the middle of all pairs' slopes (Theil and Sen), which
    an outlier does not move."""
    points = [(math.log(size), math.log(max(time, 1e-9))) for size, time in zip(sizes, times, strict=True)]
    return median((y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in itertools.combinations(points, 2))


def measure(
    reference: str,
    changed: str,
    entry: str,
    workload: str,
    runner: Runner,
    *,
    base: int | None = None,
    full: bool = False,
) -> Timing | None:
    """Time both programs on ``workload(size)`` at four sizes, doubling; seven runs each, in turns, without outliers.

    Without a base the sizes grow until the reference takes long enough to be measured. None says that a program or the
    workload failed. A quick look at the largest size decides whether the rest is measured, unless ``full``.
    """
    best: Timing | None = None
    for start in (base,) if base is not None else _bases(workload):
        codes = (reference, changed)
        sizes = tuple(start * 2**step for step in range(DOUBLINGS))
        # A look at the largest size alone saves the rest where there is nothing to be seen.
        found = None if full else _measured(codes, entry, workload, sizes[-1:], 2, runner)
        if full or (found is not None and found.equal and found.ratio >= RATIO / 2):
            found = _measured(codes, entry, workload, sizes, REPEATS, runner)
        if found is None and start == _SMALL_BASE:
            continue
        if found is None:
            return best
        best = found
        if found.accepted or not found.equal or found.reference[-1] > _TOO_SHORT_S * 100:
            return found
    return best


def _measured(
    codes: tuple[str, str], entry: str, workload: str, sizes: tuple[int, ...], repeats: int, runner: Runner
) -> Timing | None:
    task = {
        "command": "measure",
        "codes": list(codes),
        "entry": entry,
        "workload": workload,
        "sizes": list(sizes),
        "repeats": repeats,
        "limit_s": _RUN_S,
    }
    answer = ask(runner, task, wall_s=120.0, memory_mb=1024).answer()
    if answer["load"]:
        return None
    first, second = (tuple(times) for times in answer["times"])
    return Timing(sizes, first, second, all(answer["equal"]))


# -- workloads ---------------------------------------------------------------------------------------------------


def workloads(calls: Sequence[Sequence[Form]]) -> tuple[str, ...]:
    """Return code of ``workload(size)`` that makes arguments like the captured ones, but as large as asked.

    Containers and texts grow to ``size``; where all arguments are numbers, these grow. What ends early or stays small
    on random items may not on others: the arguments of the first call are also made of distinct ones, and of falling
    ones with numbers beside them that grow too. The specification wants the workload to be part of the item.
    """
    found = dict.fromkeys(plan for call in list(calls)[:3] for plan in _plans(call, _RANDOM))
    for order in (_DISTINCT, _FALLING):
        found.update(dict.fromkeys(plan for call in list(calls)[:1] for plan in _plans(call, order)))
    return tuple(found)


_RANDOM, _DISTINCT, _FALLING = "random", "distinct", "falling"
_NEIGHBOURS = 3


def _plans(call: Sequence[Form], order: str) -> Iterator[str]:
    # What stands in another argument, such as a key to look up, must go on standing there.
    within = [canonical.key(part) for form in call if canonical.tag_of(form) == "$d" for part in _keys(form)]
    growing = ["" if canonical.key(form) in within else _grown(form, order) for form in call]
    numbers = [type(form) is int for form in call]
    if any(growing):
        parts = [
            grown or ("size // 2" if number and order == _FALLING else canonical.show(form))
            for grown, number, form in zip(growing, numbers, call, strict=True)
        ]
        yield f"{_HEAD}    return ({', '.join(parts)},)\n"
        return
    if any(numbers) and order == _RANDOM:
        for word, extra in (("number", _PRIME), ("size", "")):
            parts = [word if number else canonical.show(form) for number, form in zip(numbers, call, strict=True)]
            yield f"{_HEAD}{extra}    return ({', '.join(parts)},)\n"


def _bases(workload: str) -> tuple[int, ...]:
    """Return the sizes to begin with: small ones too where a number alone grows."""
    return _BASES if "rng." in workload else (_SMALL_BASE, *_BASES)


def _grown(form: Form, order: str) -> str:
    """Return an expression for something like a form, but of length ``size``; empty for what does not grow."""
    tag, body = canonical.tag_of(form), canonical.body_of(form)
    if tag == "str":
        letters = "".join(sorted(set(body))) or "ab"
        return f"''.join(rng.choice({letters!r}) for _ in range(size))"
    if tag == "$d" and body:
        return _grown_mapping(body)
    if tag not in ("list", "$t", "$s") or not body:
        return ""
    item = _item(body)
    if not item:
        return ""
    words = {
        "list": "[{} for _ in range(size)]",
        "$t": "tuple({} for _ in range(size))",
        "$s": "{{{} for _ in range(size)}}",
    }
    if order == _RANDOM or tag == "$s":
        return words[tag].format(item)
    if order == _FALLING:
        items = f"sorted(({item} for _ in range(size)), reverse=True)"
    elif {canonical.tag_of(part) for part in body} == {"int"}:
        items = "rng.sample(range(1, 8 * size), size)"
    elif {canonical.tag_of(part) for part in body} == {"str"}:
        items = f"[f'{_letter(body)}{{number}}' for number in rng.sample(range(size), size)]"
    else:
        return ""
    return f"tuple({items})" if tag == "$t" else items


def _grown_mapping(pairs: Sequence[Sequence[Form]]) -> str:
    """Return an expression for a mapping with ``size`` keys; values that list keys list some of the new ones."""
    keys = [key for key, _ in pairs]
    kinds = {canonical.tag_of(key) for key in keys}
    made = {"int": "range(size)", "str": f"(f'{_letter(keys)}{{number}}' for number in range(size))"}
    if len(kinds) != 1 or not kinds <= set(made):
        return ""
    # The keys that were seen stay, as another argument may name one.
    names = f"dict.fromkeys([{', '.join(map(canonical.show, keys))}, *{made[kinds.pop()]}])"
    values = [value for _, value in pairs]
    lists = {canonical.tag_of(value) for value in values}
    parts = [part for value in values if canonical.tag_of(value) in ("list", "$t", "$s")
             for part in canonical.body_of(value)]  # fmt: skip
    if len(lists) == 1 and parts:
        inside = "rng.choice(names)" if any(part in keys for part in parts) else _item(parts)
        open_, close = {"list": "[]", "$s": "{}", "$t": ("tuple([", "])")}[lists.pop()]
        value = f"{open_}{inside} for _ in range({_NEIGHBOURS}){close}" if inside else ""
    else:
        value = _item(values)
    return f"(lambda names: {{name: {value} for name in names}})(list({names}))" if value else ""


def _keys(form: Form) -> list[Form]:
    return [key for key, _ in canonical.body_of(form)]


def _letter(forms: Sequence[Form]) -> str:
    """Return a letter that the texts among some forms use, to begin new ones with."""
    return next((letter for form in forms if isinstance(form, str) for letter in form if letter.isalpha()), "a")


def _item(body: Sequence[Form]) -> str:
    kinds = {canonical.tag_of(item) for item in body}
    if kinds == {"int"}:
        return "rng.randrange(-4 * size, 4 * size)" if min(body) < 0 else "rng.randrange(1, 8 * size)"
    if kinds <= {"int", "$f"}:
        return "round(rng.uniform(-size, size), 3)"
    if kinds == {"str"}:
        letters = "".join(sorted(set("".join(body)))) or "ab"
        longest = max(2, min(12, max(len(item) for item in body)))
        return f"''.join(rng.choice({letters!r}) for _ in range({longest}))"
    return canonical.show(body[0]) if kinds == {"bool"} else ""
