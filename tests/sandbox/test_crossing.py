"""What crosses between judge and candidate, and the turns at their channel, without an engine."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.resources import resource_path

SUPERVISOR = resource_path("sandbox", "supervisor")
_MODULES = ("crossing", "remote", "solution", "wire")


@pytest.fixture(scope="module")
def crossing() -> Iterator[ModuleType]:
    sys.path.insert(0, str(SUPERVISOR))
    yield importlib.import_module("crossing")
    sys.path.remove(str(SUPERVISOR))
    for name in _MODULES:
        sys.modules.pop(name, None)


def test_an_address_that_is_used_again_is_another_container(crossing: ModuleType) -> None:
    end = crossing.End(0, guarded=True)
    gone, new = [1], [2]
    number = end.pack(gone)["m"][0]
    end._numbers[id(new)] = number
    assert end.pack(new) != {"=": number}
    assert end.pack(gone) == {"=": number}


def test_what_is_not_packed_whole_gives_no_numbers(crossing: ModuleType) -> None:
    class Leaf:
        pass

    end = crossing.End(0, guarded=False)
    inner = [Leaf()]
    deep: list[object] = [inner]
    for _ in range(crossing.DEPTH_LIMIT + 10):
        deep = [deep]
    deep.insert(0, inner)
    with pytest.raises((crossing.WireError, RecursionError)):
        end.pack_whole(deep)
    assert end._shared == {}
    packed = end.pack_whole(inner)
    assert "is" in packed["m"][2][0]["o"]["k"]


def test_arguments_may_be_nested_deeper_than_calls_may(crossing: ModuleType) -> None:
    judge, candidate = crossing.End(0, guarded=True), crossing.End(0, guarded=False)
    nested: list[object] = []
    for _ in range(400):
        nested = [nested]
    packed = judge.pack_or_keep(nested)
    (found,), _ = candidate.take_arguments({"do": "call", "args": [packed]})
    depth = 0
    while found:
        found, depth = found[0], depth + 1
    assert depth == 400


def test_what_the_tests_give_is_noted(crossing: ModuleType) -> None:
    judge = crossing.End(0, guarded=True)
    judge.pack_or_keep([1, "a", {2}])
    assert judge.touched == set()
    judge.pack_or_keep(lambda: 1)
    assert judge.touched == {"given"}


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=9)
    | st.binary(max_size=9)
    | st.complex_numbers(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=4) | st.integers() | st.tuples(st.integers()), inner, max_size=4)
        | st.sets(st.integers() | st.text(max_size=3), max_size=4)
        | st.frozensets(st.integers(), max_size=4)
    ),
    max_leaves=15,
)


@given(value=VALUES)
def test_plain_values_come_back_as_they_were(crossing: Any, value: Any) -> None:
    judge, candidate = crossing.End(0, guarded=True), crossing.End(0, guarded=False)
    back = judge.unpack(json.loads(json.dumps(candidate.pack_or_keep(value))))
    assert judge.touched == set()
    assert repr(back) == repr(value) or (isinstance(value, (set, frozenset)) and back == value) or _same(back, value)


def _same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return list(a) == list(b) and all(_same(a[key], b[key]) for key in a)
    return bool(a == b) or repr(a) == repr(b)


class Liar(int):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__


def test_what_claims_to_equal_all_arrives_as_what_it_is(crossing: Any) -> None:
    judge, candidate = crossing.End(0, guarded=True), crossing.End(0, guarded=False)
    back = judge.unpack(candidate.pack_or_keep(Liar(5)))
    assert back == 5 and back != 6 and isinstance(back, int)
    assert judge.touched == {"comparison", "loss", "proxy"}


def test_threads_hand_a_thing_on_as_with_a_condition(crossing: ModuleType) -> None:
    turn, given, seen = crossing.Turns(), [0], []

    def take(number: int) -> None:
        with turn:
            while given[0] != number:
                turn.wait()
            seen.append(number)
            given[0] += 1
            turn.notify_all()

    with ThreadPoolExecutor(8) as pool:
        for future in [pool.submit(take, number) for number in reversed(range(8))]:
            future.result(timeout=30)
    assert seen == list(range(8))


def test_one_that_waits_gives_the_lock_back(crossing: ModuleType) -> None:
    turn, began, done = crossing.Turns(), threading.Event(), threading.Event()

    def wait() -> None:
        with turn:
            began.set()
            turn.wait()
        done.set()

    threading.Thread(target=wait, daemon=True).start()
    assert began.wait(30)
    with turn:
        assert not done.is_set()
        turn.notify_all()
        assert not done.wait(0.05)
    assert done.wait(30)


def test_the_process_jobs_are_forked_from_has_no_threads_module_loaded() -> None:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import supervisor; print('threading' in sys.modules)"
    found = subprocess.run(
        [sys.executable, "-I", "-c", code, str(SUPERVISOR)], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "False"
