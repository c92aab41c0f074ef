"""From tests to functions: every way a name can lead to one, and the mistakes of others that are not made."""

from __future__ import annotations

import pytest

from .conftest import Found

LIBRARY = """
    import functools
    from contextlib import contextmanager

    class Shape:
        sides = 0

        def __init__(self, name):
            self.name = name
            self.pen = Pen()

        @classmethod
        def make(cls, name):
            return cls(name)

        @property
        def area(self):
            return self.compute() * 2

        def compute(self):
            return 1

        def grow(self) -> "Shape":
            return self

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def __iter__(self):
            yield Pen()

        def __add__(self, other):
            return Shape("sum")

    class Square(Shape):
        def compute(self):
            return super().compute() + 1

    class Pen:
        def draw(self):
            return 1

    class Box:
        def __iter__(self):
            return self

        def __next__(self):
            return Pen()

    def double(x):
        return 2 * x

    def build(kind=Square):
        return kind("built")

    @contextmanager
    def opened():
        yield Pen()

    def pens() -> list[Pen]:
        return []

    twice = functools.partial(double, 2)
"""


def one(found: Found, body: str, head: str = "from lib.shapes import *") -> set[str]:
    text = f"{head}\n\ndef test_it():\n" + "\n".join(f"    {line}" for line in body.strip().split("\n"))
    files = {"lib/__init__.py": "from .shapes import double as twofold", "lib/shapes.py": LIBRARY}
    return found({**files, "tests/test_it.py": text + "\n    assert True\n"})["test_it"] - {"Shape.__init__"}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("double(1)", {"double"}),
        ("x = Shape('a')\nx.compute()", {"Shape.compute"}),
        ("Square('a').compute()", {"Square.compute"}),
        ("Square('a').grow().compute()", {"Shape.grow", "Square.compute"}),
        ("Square.make('a').compute()", {"Shape.make", "Square.compute"}),
        ("build().compute()", {"build", "Square.compute"}),
        ("build(kind=Shape).compute()", {"build", "Shape.compute"}),
        ("with opened() as pen:\n    pen.draw()", {"opened", "Pen.draw"}),
        ("with Shape('a') as it:\n    it.compute()", {"Shape.compute", "?Shape.__enter__", "?Shape.__exit__"}),
        ("for pen in pens():\n    pen.draw()", {"pens", "Pen.draw"}),
        ("for pen in Shape('a'):\n    pen.draw()", {"Pen.draw", "?Shape.__iter__"}),
        ("[pen.draw() for pen in Shape('a')]", {"Pen.draw", "?Shape.__iter__"}),
        ("for pen in Box():\n    pen.draw()", {"Pen.draw", "?Box.__iter__", "?Box.__next__"}),
        ("[p.draw() for p in pens()]", {"pens", "Pen.draw"}),
        ("a, (b, *c) = Pen(), (1, Pen(), Pen())\na.draw()\nc[0].draw()", {"Pen.draw"}),
        ("Shape('a').pen.draw()", {"Pen.draw"}),
        ("x = Shape('a').area", {".Shape.area"}),
        ("(Shape('a') + Shape('b')).compute()", {"Shape.compute", "?Shape.__add__"}),
        ("twice()", {"double"}),
        ("f = lambda s: s.compute()\nf(Square('a'))", {"Square.compute"}),
        ("getattr(Pen(), 'draw')()", {"Pen.draw"}),
        ("{'a': Pen()}['a'].draw()", {"Pen.draw"}),
        ("getattr(Pen(), 'draw', double)()", {"Pen.draw"}),
        ("getattr(Pen(), 'dr' + name, double)(1)", {"double"}),
        ("list(map(double, [1]))", {"?double"}),
        ("import re\nre.sub('a', double, 'a')", {"?double"}),
        ("import re\nre.compile('a').sub(double, 'a')", {"?double"}),
        ("import re\nre.sub('a', repl=double, string='a')", {"?double"}),
        ("from functools import reduce\nreduce(double, [1])", {"?double"}),
        ("sorted([2, 1], key=double)", {"?double"}),
        ("max([2, 1], key=Square.make)", {"?Shape.make"}),
        ("print(double, key=double)", set()),
        ("next(iter(pens())).draw()", {"pens", "Pen.draw"}),
        ("x = 1\nx = Pen()\nx.draw()\nx = Shape('a')", {"Pen.draw"}),
        ("if 1:\n    x = Pen()\nelse:\n    x = Shape('a')\nx.draw()", {"Pen.draw"}),
        ("def inner():\n    return double(3)\ninner()", {"double"}),
        ("double = str\ndouble(1)", set()),
    ],
)
def test_ways_to_a_function(found: Found, body: str, expected: set[str]) -> None:
    assert {name for name in one(found, body) if "inner" not in name and name[0] != "~"} == expected


@pytest.mark.parametrize(
    ("head", "call"),
    [
        ("import lib", "lib.twofold(1)"),
        ("import lib.shapes", "lib.shapes.double(1)"),
        ("import lib.shapes as s", "s.double(1)"),
        ("from lib import shapes", "shapes.double(1)"),
        ("from lib import twofold as t", "t(1)"),
        ("import importlib", "importlib.import_module('lib.shapes').double(1)"),
        ("from importlib import import_module as load, reload", "reload(load('lib')).twofold(1)"),
        ("try:\n    from fast import double\nexcept ImportError:\n    from lib.shapes import double", "double(1)"),
    ],
)
def test_ways_to_import(found: Found, head: str, call: str) -> None:
    assert one(found, call, head) == {"double"}


def test_fixtures_parametrised_values_and_set_up(found: Found) -> None:
    files = {
        "src/lib/shapes.py": LIBRARY,
        "src/lib/__init__.py": "",
        "tests/conftest.py": """
            import pytest
            from lib.shapes import Pen, Shape

            @pytest.fixture
            def pen():
                yield Pen()

            @pytest.fixture(name="shape")
            def made():
                return Shape("x")

            @pytest.fixture
            def on_class(request):
                request.cls.held = Pen()
        """,
        "tests/test_all.py": """
            import unittest
            import pytest
            from lib.shapes import Pen, Shape, Square, double

            def test_fixture(pen, shape):
                assert pen.draw() and shape.compute()

            @pytest.mark.parametrize("f, x", [(double, 1), (Pen, 2)])
            def test_values(f, x):
                assert f(x)

            @pytest.mark.parametrize(("kind",), [pytest.param(Square)])
            def test_classes(kind):
                assert kind("a").compute()

            @pytest.mark.usefixtures("on_class")
            class TestHeld:
                def test_held(self):
                    assert self.held.draw()

            class Base:
                kind = Shape

                def test_kind(self):
                    self.assertEqual(self.kind("a").compute(), 1)

            class SquareCase(Base, unittest.TestCase):
                kind = Square

                def setUp(self):
                    self.pen = Pen()

                def test_pen(self):
                    self.assertTrue(self.pen.draw())

                def test_raising(self):
                    self.assertRaises(ValueError, double, 1)
        """,
    }
    result = found(files)
    assert result["test_fixture"] == {"Pen.draw", "Shape.compute"}
    assert result["test_values"] == {"double"}
    assert result["test_classes"] >= {"Square.compute"}
    assert result["TestHeld.test_held"] == {"Pen.draw"}
    assert "Square.compute" in result["SquareCase.test_kind"]
    assert result["SquareCase.test_pen"] == {"Pen.draw"}
    assert result["SquareCase.test_raising"] == {"?double"}


def test_what_is_no_test(found: Found) -> None:
    result = found(
        {
            "lib.py": "def f(): return 1",
            "test_lib.py": """
                import pytest, lib

                @pytest.fixture
                def test_data():
                    assert lib.f()

                def test_without_assertion():
                    lib.f()

                def check(x):
                    assert x

                def test_by_helper():
                    check(lib.f())

                def helper_of_tests():
                    assert lib.f()

                def test_calling():
                    helper_of_tests()
            """,
        }
    )
    assert set(result) == {"test_by_helper", "test_calling"}
    assert result["test_calling"] == {"helper_of_tests", "~f"}


def test_a_yielded_assertion_is_one(found: Found) -> None:
    result = found(
        {
            "lib.py": "def f(x): return x",
            "test_lib.py": """
                import lib
                from nose import tools

                def test_yielded():
                    for value in (1, 2):
                        yield tools.assert_equal, lib.f(value), value

                def test_generator():
                    yield lib.f(1), 1
            """,
        }
    )
    assert result == {"test_yielded": {"f"}}


def test_a_fixture_is_not_the_method_of_its_name(found: Found) -> None:
    result = found(
        {
            "lib.py": "class Frame:\n    def melt(self): return self\n    def df(self): return 1\n",
            "test_lib.py": """
                import pytest
                from lib import Frame

                @pytest.fixture
                def df():
                    return Frame()

                def test_melt(df):
                    assert df.melt()
            """,
        }
    )
    assert result["test_melt"] == {"Frame.melt"}


def test_loops_end(found: Found) -> None:
    chain = "\n".join(f"def f{n}(): return f{n + 1}()" for n in range(400))
    result = found(
        {
            "a.py": "from b import *\nfrom b import thing\ndef own(): return own()\nx = x.y\nclass A(A): pass\n",
            "b.py": f"from a import *\nfrom a import thing\n{chain}\ndef f400(): return f0()\n",
            "test_a.py": """
                import a, b
                from a import own, thing, missing

                def test_all():
                    assert own()
                    thing(); missing(); a.x.z(); b.f0().x(); a.A().y()
            """,
        }
    )
    assert result["test_all"] == {"own", "f0"}


def test_a_metaclass_is_called_with_its_class(found: Found) -> None:
    result = found(
        {
            "lib.py": """
                class Meta(type):
                    def __call__(cls, *args):
                        return type.__call__(cls, *args)

                class Base(metaclass=Meta):
                    def run(self):
                        return 1
            """,
            "test_lib.py": """
                from lib import Base

                def test_it():
                    class Inner(Base):
                        pass

                    assert Inner().run()
            """,
        }
    )
    assert result["test_it"] == {"Meta.__call__", "Base.run"}


def test_a_declared_class_may_be_one_below_it(found: Found) -> None:
    result = found(
        {
            "lib.py": """
                from typing import Type

                class Locale:
                    def names(self): return 1
                    def title(self): return 2
                    @property
                    def year(self): return 3
                    def __len__(self): return 4

                class French(Locale):
                    def names(self): return 5
                    @property
                    def year(self): return 6
                    def __len__(self): return 7

                def kind(name) -> Type[Locale]: ...
                def made(name) -> Locale: ...
            """,
            "test_lib.py": """
                from lib import French, Locale, kind, made

                class Ours(Locale):
                    def title(self): return 8

                def test_declared():
                    assert made("fr").names() and kind("fr")().names()
                    assert made("fr").title() and made("fr").year and len(made("fr"))

                def test_certain():
                    assert Locale().names() and French().names() and Locale().year and len(French())
            """,
        }
    )
    assert result["test_declared"] == {"made", "kind", "Locale.title"}
    assert result["test_certain"] == {"Locale.names", "French.names", ".Locale.year", "?French.__len__"}


def test_what_the_repository_does_with_functions_is_its_own(found: Found) -> None:
    result = found(
        {
            "lib.py": """
                def sub(a, b): return a
                def given(x): return x
            """,
            "test_lib.py": """
                from lib import given, sub

                def test_own(): assert sub(given, given)
            """,
        }
    )
    assert result == {"test_own": {"sub"}}


def test_what_is_asked_of_an_object_without_a_name(found: Found) -> None:
    result = found(
        {
            "lib.py": """
                class Bag:
                    kept = 1
                    def __contains__(self, item): return True
                    def __iter__(self): return iter([])
                    def __setattr__(self, name, value): pass
                    def __delattr__(self, name): pass
                    def __getattr__(self, name): return 1

                class Spy:
                    def __getattribute__(self, name): return 1
            """,
            "test_lib.py": """
                from lib import Bag, Spy

                def test_in(): assert 1 in Bag() and 2 not in [Bag()]
                def test_loop():
                    for item in Bag(): assert item
                def test_list(): assert list(Bag()) == []
                def test_known(): assert Bag().kept
                def test_unknown(): assert Bag().other
                def test_set():
                    bag = Bag()
                    bag.x = 1
                    del bag.x
                    assert 1
                def test_spied(): assert Spy().anything
            """,
        }
    )
    assert {name: found - {"Bag", "Spy"} for name, found in result.items()} == {
        "test_in": {"?Bag.__contains__"},
        "test_loop": {"?Bag.__iter__"},
        "test_list": {"?Bag.__iter__"},
        "test_known": set(),
        "test_unknown": {"?Bag.__getattr__"},
        "test_set": {"?Bag.__setattr__", "?Bag.__delattr__"},
        "test_spied": {"?Spy.__getattribute__"},
    }


def test_generated_parameters_and_named_fixtures(found: Found) -> None:
    result = found(
        {
            "lib.py": """
                class Base:
                    def add(self): return self

                class Line(Base): pass
                class Pie(Base):
                    def cut(self): return self

                BY_NAME = dict([(k, v) for k, v in locals().items() if isinstance(v, type)])
                CHARTS = list(BY_NAME.values())
            """,
            "tests/conftest.py": """
                import lib
                import pytest

                def pytest_generate_tests(metafunc):
                    if "Chart" in metafunc.fixturenames:
                        metafunc.parametrize("Chart", lib.CHARTS)

                @pytest.fixture
                def line(request):
                    request.cls.chart = lib.Line()

                @pytest.fixture(name="round")
                def pie(request):
                    request.cls.chart = lib.Pie()
            """,
            "tests/test_lib.py": """
                import pytest
                from lib import Base, Pie

                def test_every(Chart): assert Chart().add()

                @pytest.mark.usefixtures("line")
                class TestLine:
                    def test_cut(self): assert self.chart.cut()

                @pytest.mark.usefixtures("round")
                class TestPie:
                    def test_cut(self): assert self.chart.cut()

                class TestAny:
                    def test_cut(self): assert self.chart.cut()

                @pytest.fixture
                def made() -> Pie:
                    return Pie()

                def test_declared(made: Base): assert made.cut()
            """,
        }
    )
    assert result["test_every"] == {"Base.add"}
    assert result["TestLine.test_cut"] == set()
    assert result["TestPie.test_cut"] == result["TestAny.test_cut"] == {"Pie.cut"}
    assert result["test_declared"] == {"Pie.cut"}
