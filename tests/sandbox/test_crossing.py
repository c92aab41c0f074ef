"""What crosses between judge and candidate, without an engine."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from annotator.base.resources import resource

SUPERVISOR = resource("sandbox", "supervisor")
_MODULES = ("crossing", "remote", "solution", "turns", "wire")


@pytest.fixture
def crossing(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(SUPERVISOR))
    yield importlib.import_module("crossing")
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
