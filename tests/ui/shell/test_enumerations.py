"""Enumerations of Qt's binding come out as Python's own, however they are built."""

from __future__ import annotations

import enum
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.ui import enumerations
from annotator.ui.enumerations import Maker, described

BASES = (enum.Enum, enum.IntEnum, enum.Flag, enum.IntFlag)
_ALL_OF_QT = """
import enum
own = enum.EnumType._create_
from annotator.ui import toolkit
toolkit.load()
assert enum.EnumType._create_ is not own
quick = enum.EnumType._create_
from annotator.ui.enumerations import described
seen = bad = 0
def both(cls, name, names=None, **rest):
    global seen, bad
    rest["module"] = rest.get("module") or "somewhere"
    made = quick(cls, name, names, **rest)
    seen += 1
    bad += described(made) != described(own(cls, name, names, **rest))
    return made
enum.EnumType._create_ = both
from PySide6 import QtCore, QtGui, QtWidgets
for module in (QtCore, QtGui, QtWidgets):
    for name in dir(module):
        getattr(module, name)
assert seen > 300 and bad == 0, (seen, bad)
Qt = QtCore.Qt
assert Qt.Key(Qt.Key.Key_A.value) is Qt.Key.Key_A
assert (Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop).name == "AlignLeft|AlignTop"
assert Qt.Key.__module__ == "PySide6.QtCore"
print("same", seen)
"""


@pytest.fixture(scope="module")
def own() -> Iterator[Callable[..., Any]]:
    """Python's own way, whatever an earlier test has put in its place."""
    found = enum.EnumType.__dict__["_create_"]
    while found.__closure__ is not None:
        held = dict(zip(found.__code__.co_freevars, found.__closure__, strict=True))
        if "own" not in held:
            break
        found = held["own"].cell_contents
    yield found


NAMES = st.lists(
    st.tuples(st.from_regex(r"[A-Z][a-z]{0,5}", fullmatch=True), st.integers(-(2**33), 2**33)),
    max_size=12,
    unique_by=lambda pair: pair[0],
)


@given(names=NAMES, base=st.sampled_from(BASES))
def test_what_is_built_is_what_python_builds(
    own: Callable[..., Any], names: list[tuple[str, int]], base: type[enum.Enum]
) -> None:
    maker = Maker(base, own)
    if not maker.takes(names):
        return
    made = maker.make("Made", names, "somewhere", enum.KEEP)
    assert described(made) == described(own(base, "Made", names, module="somewhere", boundary=enum.KEEP))
    for name, value in names:
        assert made[name].value == value and made(value) is made[name] and getattr(made, name) is made[name]


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(
    "names",
    [
        None,
        "One Two",
        ["One", "Two"],
        {"One": 1},
        [("One", "text")],
        [("One", 1.5)],
        [("One", True)],
        [("One", 1), ("One", 2)],
        [("_One", 1)],
        [("__one__", 1)],
        [("mro", 1)],
        [("name", 1)],
        [("value", 1)],
        [("One", 1, 2)],
        [["One", 1]],
    ],
)
def test_all_that_is_not_plain_is_left_to_python(own: Callable[..., Any], base: type[enum.Enum], names: object) -> None:
    assert not Maker(base, own).takes(names)


@pytest.mark.parametrize("base", BASES)
def test_the_sample_tells_the_ways_apart(
    own: Callable[..., Any], base: type[enum.Enum], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Maker(base, own).is_true()

    def other(*given: Any, **named: Any) -> Any:
        made = own(*given, **named)
        type.__setattr__(made, "_added_later_", 1)
        return made

    maker = Maker(base, own)
    monkeypatch.setattr(maker, "_own", other)
    maker.make("First", [("One", 1)], "somewhere", enum.KEEP)
    monkeypatch.setattr(maker, "_own", lambda *given, **named: _without_map(own(*given, **named)))
    assert not maker.is_true()


def _without_map(made: Any) -> Any:
    made._value2member_map_.clear()
    return made


def test_where_python_builds_otherwise_nothing_is_put_in_its_place(
    own: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(enum.EnumType, "_create_", own)
    monkeypatch.setattr(Maker, "is_true", lambda _self: False)
    enumerations.install()
    assert enum.EnumType.__dict__["_create_"] is own
    monkeypatch.delattr(enum.EnumType, "_create_")
    enumerations.install()
    assert not hasattr(enum.EnumType, "_create_")


def test_enumerations_people_write_are_as_ever(own: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enum.EnumType, "_create_", own)
    enumerations.install()
    assert enum.EnumType.__dict__["_create_"] is not own
    made = enum.Enum("Made", "One Two")
    assert [member.value for member in made] == [1, 2]
    assert made.__module__ == __name__
    plain: Any = enum.IntEnum("Plain", [("One", 1), ("Two", 2)])
    assert plain.__module__ == __name__ and plain.Two > plain.One
    mixed: Any = enum.Enum("Mixed", [("One", "1")], type=str)
    assert mixed.One == "1"
    with pytest.raises(TypeError):
        enum.Enum("Twice", [("One", 1), ("One", 2)])


def test_all_of_qt_is_as_python_builds_it() -> None:
    done = subprocess.run([sys.executable, "-c", _ALL_OF_QT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("same")
