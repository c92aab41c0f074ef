"""Measure whether a change makes a program slower as inputs grow (specification, task construction, 2.4, P4)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from annotator.construction import canonical
from annotator.construction.canonical import Form
from annotator.construction.sandbox_probe import start_probe
from annotator.sandbox import Runner

REPEATS = 7
DOUBLINGS = 4
# The specification's conditions for a performance bug (2.4, P4).
MIN_RATIO = 3.0
MIN_LARGE_RATIO = 10.0
MIN_SLOPE_DIFFERENCE = 0.5
MIN_SLOW_S = 1e-3
"""A shorter time at the largest size is not noticeable and dominated by clock noise."""
_START_SIZES = (500, 4000, 32000)
_SMALL_START_SIZE = 3
"""The first size if numbers grow: doubly recursive functions would not finish for larger ones."""
_RUN_S = 2.0
_MIN_STEP_S = 2e-5
_WORKLOAD_HEAD = "import random\n\n\ndef workload(size):\n    rng = random.Random(size)\n"
_NEXT_PRIME = (
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
        """Slowdown factor at the largest size."""
        return self.changed[-1] / max(self.reference[-1], 1e-9)

    @property
    def ratios(self) -> tuple[float, ...]:
        """Slowdown factor at each size."""
        return tuple(new / max(old, 1e-9) for old, new in zip(self.reference, self.changed, strict=True))

    @property
    def slope_difference(self) -> float:
        """How much steeper the changed program's time grows, as an exponent of the size."""
        return log_slope(self.sizes, self.changed) - log_slope(self.sizes, self.reference)

    @property
    def accepted(self) -> bool:
        """Whether this proves a performance bug. A single size is not enough, as one measurement may be an outlier."""
        if len(self.sizes) < DOUBLINGS or not self.equal or self.ratio < MIN_RATIO or self.changed[-1] < MIN_SLOW_S:
            return False
        if median(self.ratios) >= MIN_LARGE_RATIO:
            return True
        return self.slope_difference >= MIN_SLOPE_DIFFERENCE and self.ratios[-2] >= MIN_RATIO / 2


def log_slope(sizes: Sequence[int], times: Sequence[float]) -> float:
    """Return the slope of log time over log size: the median of all pairwise slopes (Theil-Sen), robust to outliers."""
    points = [(math.log(size), math.log(max(time, 1e-9))) for size, time in zip(sizes, times, strict=True)]
    return median((y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in itertools.combinations(points, 2))


def measure_timing(
    reference: str,
    changed: str,
    entry: str,
    workload: str,
    runner: Runner,
    *,
    base: int | None = None,
    full: bool = False,
) -> Timing | None:
    """Time both programs on ``workload(size)`` at four doubling sizes; seven interleaved runs each, without outliers.

    Without a ``base`` the sizes grow until the reference takes long enough to be measured. Unless ``full``, a quick run
    at the largest size decides whether the others are measured. Returns None if a program or the workload failed.
    """
    last_timing: Timing | None = None
    for start in (base,) if base is not None else _start_sizes(workload):
        codes = (reference, changed)
        sizes = tuple(start * 2**step for step in range(DOUBLINGS))
        # Timing the largest size first saves the other sizes if there is no difference.
        timing = None if full else _measure_sizes(codes, entry, workload, sizes[-1:], 2, runner)
        if full or (timing is not None and timing.equal and timing.ratio >= MIN_RATIO / 2):
            timing = _measure_sizes(codes, entry, workload, sizes, REPEATS, runner)
        if timing is None and start == _SMALL_START_SIZE:
            continue
        if timing is None:
            return last_timing
        last_timing = timing
        if timing.accepted or not timing.equal or timing.reference[-1] > _MIN_STEP_S * 100:
            return timing
    return last_timing


def _measure_sizes(
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
    answer = start_probe(runner, task, wall_s=120.0, memory_mb=1024).answer()
    if answer["load"]:
        return None
    reference_times, changed_times = (tuple(times) for times in answer["times"])
    return Timing(sizes, reference_times, changed_times, all(answer["equal"]))


# -- workloads ---------------------------------------------------------------------------------------------------


def make_workloads(calls: Sequence[Sequence[Form]]) -> tuple[str, ...]:
    """Return sources of functions ``workload(size)`` that make arguments like the captured ones, but of a given size.

    Containers and texts grow to ``size``; if all arguments are numbers, the numbers grow. Random items may let a
    program end early, so the first call also gets workloads of distinct items, and of descending items with growing
    numbers beside them. The workload becomes part of the item, as the specification requires.
    """
    plans = dict.fromkeys(plan for call in list(calls)[:3] for plan in _workload_sources(call, _RANDOM))
    for order in (_DISTINCT, _DESCENDING):
        plans.update(dict.fromkeys(plan for call in list(calls)[:1] for plan in _workload_sources(call, order)))
    return tuple(plans)


_RANDOM = "random"
_DISTINCT = "distinct"
_DESCENDING = "falling"
_NEIGHBOURS = 3


def _workload_sources(call: Sequence[Form], order: str) -> Iterator[str]:
    # An argument that is a key of another argument must stay one.
    keys = [canonical.form_key(part) for form in call if canonical.tag_of(form) == "$d" for part in _mapping_keys(form)]
    growing = ["" if canonical.form_key(form) in keys else _growing_expression(form, order) for form in call]
    are_numbers = [type(form) is int for form in call]
    if any(growing):
        parts = [
            expression or ("size // 2" if is_number and order == _DESCENDING else canonical.form_text(form))
            for expression, is_number, form in zip(growing, are_numbers, call, strict=True)
        ]
        yield f"{_WORKLOAD_HEAD}    return ({', '.join(parts)},)\n"
        return
    if any(are_numbers) and order == _RANDOM:
        for size_expression, preparation in (("number", _NEXT_PRIME), ("size", "")):
            parts = [
                size_expression if is_number else canonical.form_text(form)
                for is_number, form in zip(are_numbers, call, strict=True)
            ]
            yield f"{_WORKLOAD_HEAD}{preparation}    return ({', '.join(parts)},)\n"


def _start_sizes(workload: str) -> tuple[int, ...]:
    """Return the first sizes to try; a growing number also starts small."""
    return _START_SIZES if "rng." in workload else (_SMALL_START_SIZE, *_START_SIZES)


def _growing_expression(form: Form, order: str) -> str:
    """Return an expression for a value like the form, but of length ``size``; empty if the form cannot grow."""
    tag = canonical.tag_of(form)
    body = canonical.body_of(form)
    if tag == "str":
        letters = "".join(sorted(set(body))) or "ab"
        return f"''.join(rng.choice({letters!r}) for _ in range(size))"
    if tag == "$d" and body:
        return _growing_mapping(body)
    if tag not in ("list", "$t", "$s") or not body:
        return ""
    item = _item_expression(body)
    if not item:
        return ""
    templates = {
        "list": "[{} for _ in range(size)]",
        "$t": "tuple({} for _ in range(size))",
        "$s": "{{{} for _ in range(size)}}",
    }
    if order == _RANDOM or tag == "$s":
        return templates[tag].format(item)
    if order == _DESCENDING:
        items = f"sorted(({item} for _ in range(size)), reverse=True)"
    elif {canonical.tag_of(part) for part in body} == {"int"}:
        items = "rng.sample(range(1, 8 * size), size)"
    elif {canonical.tag_of(part) for part in body} == {"str"}:
        items = f"[f'{_find_letter(body)}{{number}}' for number in rng.sample(range(size), size)]"
    else:
        return ""
    return f"tuple({items})" if tag == "$t" else items


def _growing_mapping(pairs: Sequence[Sequence[Form]]) -> str:
    """Return an expression for a mapping with ``size`` more keys; values that contain keys contain new ones."""
    keys = [key for key, _ in pairs]
    kinds = {canonical.tag_of(key) for key in keys}
    new_keys = {"int": "range(size)", "str": f"(f'{_find_letter(keys)}{{number}}' for number in range(size))"}
    if len(kinds) != 1 or not kinds <= set(new_keys):
        return ""
    # The captured keys stay, since another argument may name one.
    names = f"dict.fromkeys([{', '.join(map(canonical.form_text, keys))}, *{new_keys[kinds.pop()]}])"
    values = [value for _, value in pairs]
    container_tags = {canonical.tag_of(value) for value in values}
    parts = [part for value in values if canonical.tag_of(value) in ("list", "$t", "$s")
             for part in canonical.body_of(value)]  # fmt: skip
    if len(container_tags) == 1 and parts:
        item_expression = "rng.choice(names)" if any(part in keys for part in parts) else _item_expression(parts)
        opening, closing = {"list": "[]", "$s": "{}", "$t": ("tuple([", "])")}[container_tags.pop()]
        value = f"{opening}{item_expression} for _ in range({_NEIGHBOURS}){closing}" if item_expression else ""
    else:
        value = _item_expression(values)
    return f"(lambda names: {{name: {value} for name in names}})(list({names}))" if value else ""


def _mapping_keys(form: Form) -> list[Form]:
    return [key for key, _ in canonical.body_of(form)]


def _find_letter(forms: Sequence[Form]) -> str:
    """Return a letter from the captured texts as the first letter of new ones."""
    return next((letter for form in forms if isinstance(form, str) for letter in form if letter.isalpha()), "a")


def _item_expression(body: Sequence[Form]) -> str:
    kinds = {canonical.tag_of(item) for item in body}
    if kinds == {"int"}:
        return "rng.randrange(-4 * size, 4 * size)" if min(body) < 0 else "rng.randrange(1, 8 * size)"
    if kinds <= {"int", "$f"}:
        return "round(rng.uniform(-size, size), 3)"
    if kinds == {"str"}:
        letters = "".join(sorted(set("".join(body)))) or "ab"
        longest = max(2, min(12, max(len(item) for item in body)))
        return f"''.join(rng.choice({letters!r}) for _ in range({longest}))"
    return canonical.form_text(body[0]) if kinds == {"bool"} else ""
