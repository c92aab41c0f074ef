"""Right answers made of functions, in the styles people test them in."""

RIGHT: dict[str, tuple[str, str]] = {
    "locale": (
        """
import locale
def money(amount):
    locale.setlocale(locale.LC_ALL, "en_US.UTF-8")
    return locale.currency(amount, grouping=True)
def in_german(amount):
    locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
    return locale.format_string("%.2f", amount, grouping=True)
""",
        """
assert money(1234.5) == "$1,234.50"
assert in_german(1234.5) == "1.234,50"
""",
    ),
    "singledispatch": (
        """
from functools import singledispatch
@singledispatch
def show(x): return f"? {x}"
@show.register
def _(x: int): return f"int {x}"
@show.register(list)
def _(x): return "list " + ",".join(map(show, x))
""",
        """
assert show(1) == "int 1"
assert show([1, "a"]) == "list int 1,? a"
assert show.dispatch(int)(5) == "int 5"
@show.register(str)
def _(x): return "str " + x
assert show("q") == "str q"
assert show([1, "a"]) == "list int 1,str a"
assert int in show.registry
""",
    ),
    "async-generator": (
        """
import asyncio
async def ticks(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i
async def total(n):
    return sum([x async for x in ticks(n)])
""",
        """
import asyncio
async def collect(): return [x async for x in ticks(4)]
def test_collect():
    assert asyncio.run(collect()) == [0, 1, 2, 3]
def test_total():
    assert asyncio.run(total(5)) == 10
""",
    ),
    "decimal-fraction": (
        """
from decimal import Decimal, ROUND_HALF_UP
from fractions import Fraction
def money(x): return Decimal(str(x)).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
def third(n): return Fraction(n, 3)
""",
        """
from decimal import Decimal
from fractions import Fraction
assert money(2.675) == Decimal("2.68")
assert str(money(1)) == "1.00"
assert isinstance(money(1), Decimal)
assert third(2) + third(1) == 1
assert third(5) == Fraction(5, 3) and third(5).numerator == 5
assert abs(float(third(1)) - 0.3333) < 1e-3
assert money("1.005").as_tuple().exponent == -2
""",
    ),
    "mutation": (
        """
def normalise(rows, *, seen, log=None):
    for row in rows:
        row["name"] = row["name"].strip().lower()
        seen.add(row["name"])
        if log is not None: log.append(("ok", row["name"]))
    rows.sort(key=lambda r: r["name"])
""",
        """
rows = [{"name": " B"}, {"name": "a "}]
first = rows[0]
seen, log = set(), []
assert normalise(rows, seen=seen, log=log) is None
assert rows == [{"name": "a"}, {"name": "b"}]
assert rows[1] is first and first["name"] == "b"
assert seen == {"a", "b"} and log == [("ok", "b"), ("ok", "a")]
""",
    ),
    "tempfile": (
        """
from pathlib import Path
import json
def save(path, data): Path(path).write_text(json.dumps(data))
def load(path): return json.loads(Path(path).read_text())
def count(folder): return sum(1 for p in Path(folder).rglob("*.txt"))
""",
        """
import tempfile, os
from pathlib import Path
def test_round(tmp_path):
    save(tmp_path / "a.json", {"x": [1, 2]})
    assert load(tmp_path / "a.json") == {"x": [1, 2]}
def test_count():
    with tempfile.TemporaryDirectory() as d:
        Path(d, "s").mkdir()
        (Path(d) / "s" / "q.txt").write_text("1")
        Path(d, "r.txt").touch()
        assert count(d) == 2
""",
    ),
    "monkeypatch-time": (
        """
import time, os
def stamp(): return int(time.time())
def home(): return os.environ.get("APP_HOME", "/none")
""",
        """
import time
def test_stamp(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 12.9)
    assert stamp() == 12
def test_env(monkeypatch):
    monkeypatch.setenv("APP_HOME", "/x")
    assert home() == "/x"
    monkeypatch.delenv("APP_HOME")
    assert home() == "/none"
""",
    ),
    "approx": (
        """
import math
def roots(a, b, c):
    d = math.sqrt(b*b - 4*a*c)
    return [(-b - d) / (2*a), (-b + d) / (2*a)]
def stats(xs): return {"mean": sum(xs)/len(xs), "max": max(xs)}
""",
        """
import pytest
def test_roots(): assert roots(1, -3, 2) == pytest.approx([1, 2])
def test_stats(): assert stats([0.1, 0.2, 0.3]) == pytest.approx({"mean": 0.2, "max": 0.3})
def test_one(): assert stats([0.1+0.2])["mean"] == pytest.approx(0.3, rel=1e-9)
def test_not(): assert stats([1])["mean"] != pytest.approx(1.1)
""",
    ),
    "parametrize": (
        """
def roman(n):
    out = ""
    for v, s in ((1000,"M"),(900,"CM"),(500,"D"),(400,"CD"),(100,"C"),
                 (90,"XC"),(50,"L"),(40,"XL"),(10,"X"),(9,"IX"),(5,"V"),(4,"IV"),(1,"I")):
        while n >= v: out += s; n -= v
    return out
""",
        """
import pytest
@pytest.mark.parametrize("n, expected", [(1, "I"), (4, "IV"), (1994, "MCMXCIV"), pytest.param(0, "", id="zero")])
def test_roman(n, expected):
    assert roman(n) == expected
@pytest.fixture(params=[9, 90])
def value(request): return request.param
def test_fixture(value): assert roman(value)[-1] in "XC"
class TestGroup:
    @pytest.mark.parametrize("n", range(1, 4))
    def test_ones(self, n): assert roman(n) == "I" * n
""",
    ),
    "numpy-args": (
        """
import numpy as np
def scale(a, k):
    a *= k
def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
def mask(a): return a[a > 0]
""",
        """
import numpy as np
a = np.array([1.0, 2.0])
scale(a, 3)
np.testing.assert_allclose(a, [3.0, 6.0])
m = np.arange(6).reshape(2, 3).astype(float)
s = softmax(m)
assert s.shape == (2, 3)
assert np.allclose(s.sum(axis=1), 1)
assert (mask(np.array([-1, 2, 3])) == np.array([2, 3])).all()
assert mask(np.array([1])).dtype == np.int64
v = m[0]
scale(v, 2)
assert m[0, 2] == 4.0
""",
    ),
    "numpy-matrix": (
        """
import numpy as np
def zeros(shape):
    a = np.ndarray.__new__(np.matrix, shape)
    a.fill(0)
    return a
def inverse(m): return m.I
def double(m): m *= 2
def masked(a, low): return np.ma.masked_less(a, low)
def points(xs, ys): return np.rec.fromarrays([xs, ys], names="x,y")
""",
        """
import numpy as np
np.testing.assert_array_equal(zeros((2, 3)), np.matrix([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
np.testing.assert_array_equal(zeros(2), np.matrix([[0.0, 0.0]]))
assert isinstance(zeros(2), np.matrix) and zeros(2).T.shape == (2, 1)
m = np.matrix([[2.0, 0.0], [0.0, 4.0]])
assert (m * inverse(m) == np.eye(2)).all()
double(m)
assert m[1, 1] == 8.0
a = masked(np.array([1, 2, 3]), 2)
assert a.sum() == 5
assert a.mask.tolist() == [True, False, False]
np.testing.assert_array_equal(a, np.ma.array([1, 2, 3], mask=[True, False, False]))
p = points([1, 2], [3.0, 4.0])
assert p.x.tolist() == [1, 2] and p[1].y == 4.0
""",
    ),
    "pandas": (
        """
import pandas as pd
def totals(df): return df.groupby("k")["v"].sum()
def clean(df): return df.dropna().reset_index(drop=True)
def add_col(df): df["w"] = df["v"] * 2
""",
        """
import pandas as pd
import numpy as np
def test_totals():
    df = pd.DataFrame({"k": list("aba"), "v": [1, 2, 3]})
    pd.testing.assert_series_equal(totals(df), pd.Series([4, 2], index=pd.Index(["a", "b"], name="k"), name="v"))
def test_clean():
    out = clean(pd.DataFrame({"v": [1.0, np.nan, 3.0]}))
    assert len(out) == 2 and list(out.index) == [0, 1]
def test_add():
    df = pd.DataFrame({"v": [1]})
    add_col(df)
    assert df["w"].tolist() == [2]
""",
    ),
    "itertools-groups": (
        """
from itertools import groupby, chain, accumulate, combinations
def runs(xs): return [(k, len(list(g))) for k, g in groupby(xs)]
def flat(xs): return chain.from_iterable(xs)
def prefix(xs): return accumulate(xs)
def combos(xs, n): return combinations(xs, n)
""",
        """
import itertools
assert runs("aabccc") == [("a", 2), ("b", 1), ("c", 3)]
it = flat([[1], [2, 3]])
assert next(it) == 1 and list(it) == [2, 3]
assert list(prefix([1, 2, 3])) == [1, 3, 6]
assert set(combos("abc", 2)) == {("a", "b"), ("a", "c"), ("b", "c")}
assert list(itertools.islice(flat(itertools.repeat([1, 2])), 5)) == [1, 2, 1, 2, 1]
assert isinstance(prefix([]), itertools.accumulate)
assert max(prefix([1, -2, 5])) == 4
assert dict(zip("ab", flat([[1], [2]]))) == {"a": 1, "b": 2}
""",
    ),
    "closures": (
        """
def counter(start=0):
    n = start
    def inc(by=1):
        nonlocal n
        n += by
        return n
    inc.reset = lambda: globals().__setitem__("was", True)
    return inc
def compose(*fs):
    def run(x):
        for f in reversed(fs): x = f(x)
        return x
    return run
def memo(f):
    cache = {}
    def g(*a):
        if a not in cache: cache[a] = f(*a)
        return cache[a]
    g.cache = cache
    g.__name__ = f.__name__
    return g
""",
        """
c, d = counter(), counter(10)
assert c() == 1 and c(5) == 6 and d() == 11
assert compose(str, lambda x: x + 1)(4) == "5"
calls = []
@memo
def sq(x):
    calls.append(x)
    return x * x
assert [sq(2), sq(2), sq(3)] == [4, 4, 9]
assert calls == [2, 3]
assert sq.__name__ == "sq"
assert sq.cache == {(2,): 4, (3,): 9}
assert callable(c)
assert compose()(7) == 7
""",
    ),
    "warnings": (
        """
import warnings
def old(x):
    warnings.warn("old is deprecated", DeprecationWarning, stacklevel=2)
    return x
def quiet(x): return x
""",
        """
import warnings, pytest
def test_warns():
    with pytest.warns(DeprecationWarning, match="deprecated"):
        assert old(3) == 3
def test_catch():
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        old(1); quiet(2)
    assert len(w) == 1 and issubclass(w[0].category, DeprecationWarning)
def test_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DeprecationWarning): old(1)
""",
    ),
    "caplog": (
        """
import logging
log = logging.getLogger("app.core")
def divide(a, b):
    if b == 0:
        log.error("division of %d by zero", a)
        return None
    log.debug("ok")
    return a / b
""",
        """
import logging
def test_error(caplog):
    assert divide(1, 0) is None
    assert "division of 1 by zero" in caplog.text
    assert caplog.records[0].levelname == "ERROR"
def test_debug(caplog):
    with caplog.at_level(logging.DEBUG, logger="app.core"): divide(4, 2)
    assert [r.message for r in caplog.records] == ["ok"]
""",
    ),
    "capsys": (
        """
import sys
def table(rows):
    for k, v in rows.items(): print(f"{k:<5}|{v:>5}")
    print("done", file=sys.stderr)
def ask(): return input("name? ").title()
""",
        r"""
def test_table(capsys):
    table({"a": 1, "bb": 22})
    out, err = capsys.readouterr()
    assert out.splitlines() == ["a    |    1", "bb   |   22"]
    assert err == "done\n"
def test_ask(monkeypatch):
    monkeypatch.setattr("builtins.input", lambda prompt: "ada")
    assert ask() == "Ada"
""",
    ),
    "seeds": (
        """
import random
def roll(n, rng=random): return [rng.randint(1, 6) for _ in range(n)]
def shuffled(xs, seed):
    r = random.Random(seed)
    xs = list(xs)
    r.shuffle(xs)
    return xs
""",
        """
import random
random.seed(7)
expected = [random.randint(1, 6) for _ in range(5)]
random.seed(7)
assert roll(5) == expected
assert roll(3, random.Random(1)) == roll(3, random.Random(1))
assert shuffled(range(10), 3) == shuffled(range(10), 3)
assert sorted(shuffled("hello", 0)) == sorted("hello")
assert all(1 <= x <= 6 for x in roll(50))
class Fixed:
    def randint(self, a, b): return b
assert roll(2, Fixed()) == [6, 6]
""",
    ),
    "datetimes": (
        """
from datetime import datetime, date, timedelta, timezone, time
def next_workday(d):
    d += timedelta(days=1)
    while d.weekday() > 4: d += timedelta(days=1)
    return d
def to_utc(dt): return dt.astimezone(timezone.utc)
def span(a, b): return abs(b - a)
""",
        """
from datetime import datetime, date, timedelta, timezone
assert next_workday(date(2024, 5, 3)) == date(2024, 5, 6)
assert next_workday(datetime(2024, 5, 3, 12)).hour == 12
z = timezone(timedelta(hours=2))
assert to_utc(datetime(2024, 1, 1, 1, tzinfo=z)) == datetime(2023, 12, 31, 23, tzinfo=timezone.utc)
assert to_utc(datetime(2024, 1, 1, 1, tzinfo=z)).isoformat() == "2023-12-31T23:00:00+00:00"
assert span(date(2024, 3, 1), date(2024, 2, 1)).days == 29
assert span(date(2024, 3, 1), date(2024, 2, 1)) > timedelta(days=28)
""",
    ),
    "regex": (
        r"""
import re
WORD = re.compile(r"(?P<k>\w+)=(?P<v>\d+)")
def first(s): return WORD.search(s)
def pairs(s): return {m["k"]: int(m["v"]) for m in WORD.finditer(s)}
def matches(s): return WORD.finditer(s)
""",
        """
m = first("x a=1")
assert m and m.group("k") == "a" and m.span() == (2, 5) and m["v"] == "1"
assert m.groupdict() == {"k": "a", "v": "1"} and m.groups() == ("a", "1")
assert first("zzz") is None
assert pairs("a=1 b=22") == {"a": 1, "b": 22}
assert [x.start() for x in matches("a=1 b=2")] == [0, 4]
assert WORD.pattern.startswith("(?P<k>") and WORD.groups == 2
assert WORD.fullmatch("q=9")
import re
assert isinstance(m, re.Match) and isinstance(WORD, re.Pattern)
""",
    ),
    "generators-send": (
        """
def averager():
    total = n = 0
    avg = None
    try:
        while True:
            x = yield avg
            total += x; n += 1
            avg = total / n
    except ValueError:
        yield "reset"
    finally:
        LOG.append("closed")
LOG = []
def delegate():
    r = yield from inner()
    yield r
def inner():
    yield 1
    return 2
""",
        """
g = averager()
assert next(g) is None
assert g.send(10) == 10 and g.send(20) == 15
assert g.throw(ValueError) == "reset"
g.close()
assert LOG == ["closed"]
assert list(delegate()) == [1, 2]
it = inner()
next(it)
try: next(it)
except StopIteration as e: assert e.value == 2
else: assert False
import inspect
""",
    ),
    "tests-own-class": (
        """
def total(items): return sum(i.price * i.qty for i in items)
def by_attr(items, name): return sorted(items, key=lambda i: getattr(i, name))
def bump(item, **kw):
    for k, v in kw.items(): setattr(item, k, v)
    return item
def walk(node):
    yield node.name
    for c in node.children: yield from walk(c)
""",
        """
from dataclasses import dataclass, field
@dataclass
class It:
    price: float
    qty: int = 1
    name: str = ""
    children: list = field(default_factory=list)
a, b = It(2, 3, "a"), It(1, 1, "b")
assert total([a, b]) == 7
assert by_attr([a, b], "price") == [b, a]
assert by_attr([a, b], "price")[0] is b
assert bump(a, qty=10) is a and a.qty == 10
a.children.append(b)
assert list(walk(a)) == ["a", "b"]
""",
    ),
    "stdin-filelike": (
        """
import io, csv
def parse(f): return [dict(r) for r in csv.DictReader(f)]
def write(f, rows):
    w = csv.writer(f)
    w.writerows(rows)
def lines(f):
    for n, line in enumerate(f, 1): yield n, line.rstrip()
""",
        r"""
import io
assert parse(io.StringIO("a,b\n1,2\n")) == [{"a": "1", "b": "2"}]
out = io.StringIO()
write(out, [[1, "x,y"]])
assert out.getvalue() == '1,"x,y"\r\n'
assert list(lines(io.StringIO("a\nb"))) == [(1, "a"), (2, "b")]
""",
    ),
    "filelike-class": (
        """
def copy(src, dst, size=2):
    n = 0
    while chunk := src.read(size):
        dst.write(chunk); n += len(chunk)
    return n
""",
        """
class Src:
    def __init__(self, s): self.s = s
    def read(self, n):
        out, self.s = self.s[:n], self.s[n:]
        return out
class Dst:
    def __init__(self): self.parts = []
    def write(self, x): self.parts.append(x)
d = Dst()
assert copy(Src("hello"), d) == 5
assert d.parts == ["he", "ll", "o"]
""",
    ),
    "annot-plain": (
        '''
def greet(name: str, *, loud: bool = False) -> str:
    """Greet."""
    return name.upper() if loud else name
greet.calls = 3
''',
        """
assert greet.__doc__ == "Greet." and greet.__name__ == "greet"
assert greet.__annotations__ == {"name": str, "loud": bool, "return": str}
assert greet.__kwdefaults__ == {"loud": False}
assert greet.calls == 3
try: greet("a", True)
except TypeError as e: assert "positional" in str(e)
else: assert False
try: greet()
except TypeError as e: assert "name" in str(e)
""",
    ),
    "strings-bytes": (
        """
import struct, hashlib, base64
def pack(*xs): return struct.pack(f">{len(xs)}H", *xs)
def digest(b): return hashlib.sha256(b).hexdigest()[:8]
def hasher(): return hashlib.md5()
def b64(s): return base64.b64encode(s.encode()).decode()
def view(b): return memoryview(b)[1:3]
""",
        r"""
assert pack(1, 2) == b"\x00\x01\x00\x02"
assert digest(b"a") == "ca978112"
h = hasher(); h.update(b"x")
assert h.hexdigest() == "9dd4e461268c8034f5c8564e155c67a6"
assert b64("hi") == "aGk="
assert bytes(view(b"abcd")) == b"bc" and view(b"abcd") == b"bc"
""",
    ),
    "recursion-limit": (
        """
def depth(x): return 1 + max(map(depth, x), default=0) if isinstance(x, list) else 0
def nest(n):
    x = []
    for _ in range(n): x = [x]
    return x
def flatten(x):
    if isinstance(x, (list, tuple)):
        for i in x: yield from flatten(i)
    else: yield x
""",
        """
assert depth([1, [2, [3]]]) == 3
assert depth(nest(50)) == 51
assert list(flatten([1, (2, [3]), []])) == [1, 2, 3]
x = []
x.append(x)
try: depth(x)
except RecursionError: pass
else: assert False
""",
    ),
    "self-ref-graph": (
        """
def link(d):
    d["self"] = d
    return d
def shared():
    a = [1]
    return [a, a]
def cyc():
    l = [1]; l.append(l); return l
def clone(x):
    import copy
    return copy.deepcopy(x)
""",
        """
d = {}
assert link(d) is d and d["self"] is d
s = shared()
s[0].append(2)
assert s[1] == [1, 2] and s[0] is s[1]
c = cyc()
assert c[1] is c and c[1][1][0] == 1
src = {"a": [1]}
got = clone(src)
assert got == src and got is not src and got["a"] is not src["a"]
""",
    ),
    "operator-default-mut": (
        """
def append_to(x, acc=[]):
    acc.append(x)
    return acc
STATE = {"n": 0}
def tick():
    STATE["n"] += 1
    return STATE
HIST = []
def push(x):
    global HIST
    HIST = HIST + [x]
""",
        """
assert append_to(1) == [1]
assert append_to(2) == [1, 2]
assert append_to(3, [0]) == [0, 3]
assert tick() is STATE and STATE["n"] == 1
tick()
assert STATE == {"n": 2}
STATE["n"] = 10
assert tick()["n"] == 11
push(1); push(2)
assert HIST == [1, 2]
""",
    ),
    "threads": (
        """
from concurrent.futures import ThreadPoolExecutor
import threading, queue
def pmap(f, xs):
    with ThreadPoolExecutor(4) as ex: return list(ex.map(f, xs))
def producer(q, n):
    t = threading.Thread(target=lambda: [q.put(i) for i in range(n)])
    t.start(); return t
""",
        """
assert pmap(lambda x: x * x, range(5)) == [0, 1, 4, 9, 16]
assert pmap(str, [1]) == ["1"]
""",
    ),
    "threads-q": (
        """
import threading, queue
def producer(q, n):
    t = threading.Thread(target=lambda: [q.put(i) for i in range(n)])
    t.start(); return t
""",
        """
import queue
q = queue.Queue()
t = producer(q, 3)
t.join()
assert [q.get_nowait() for _ in range(3)] == [0, 1, 2]
""",
    ),
    "doctest-like": (
        '''
def fact(n):
    """Factorial.

    >>> fact(5)
    120
    >>> [fact(i) for i in range(4)]
    [1, 1, 2, 6]
    >>> fact(-1)
    Traceback (most recent call last):
        ...
    ValueError: negative
    """
    if n < 0: raise ValueError("negative")
    return 1 if n < 2 else n * fact(n - 1)
''',
        """
import doctest, solution
def test_doc():
    failed, tried = doctest.testmod(solution)
    assert tried == 3 and failed == 0
def test_big(): assert fact(20) == 2432902008176640000 and fact(200) % 1000 == 0
""",
    ),
    "perf-many-calls": (
        """
def is_prime(n):
    if n < 2: return False
    i = 2
    while i * i <= n:
        if n % i == 0: return False
        i += 1
    return True
""",
        """
assert sum(is_prime(i) for i in range(20000)) == 2262
""",
    ),
    "gen-lazy-inf": (
        """
def primes():
    seen = []
    n = 2
    while True:
        if all(n % p for p in seen): seen.append(n); yield n
        n += 1
def take(it, n): return [next(it) for _ in range(n)]
def batched(it, n):
    it = iter(it)
    while chunk := tuple(x for _, x in zip(range(n), it)): yield chunk
""",
        """
from itertools import takewhile, islice
assert list(takewhile(lambda p: p < 20, primes())) == [2, 3, 5, 7, 11, 13, 17, 19]
g = primes()
assert take(g, 3) == [2, 3, 5] and next(g) == 7
assert list(batched(range(5), 2)) == [(0, 1), (2, 3), (4,)]
def gen():
    for i in range(3): yield i
assert take(gen(), 2) == [0, 1]
import types
assert isinstance(primes(), types.GeneratorType)
from collections.abc import Iterator, Iterable, Generator
assert isinstance(primes(), Iterator) and isinstance(primes(), Generator)
assert hasattr(primes(), "__next__")
""",
    ),
    "print-capture": (
        """
def show(xs):
    for x in xs: print(x, end=" ")
    print()
""",
        r"""
import io
from contextlib import redirect_stdout
buf = io.StringIO()
with redirect_stdout(buf): show([1, 2])
assert buf.getvalue() == "1 2 \n"
""",
    ),
    "sets-frozen": (
        """
def powerset(s):
    s = list(s)
    return {frozenset(x for i, x in enumerate(s) if m >> i & 1) for m in range(1 << len(s))}
def sym(a, b): return a ^ b
def uniq(xs): return list(dict.fromkeys(xs))
def inverse(d): return {v: k for k, v in d.items()}
""",
        """
assert powerset({1, 2}) == {frozenset(), frozenset({1}), frozenset({2}), frozenset({1, 2})}
assert isinstance(powerset("a"), set)
assert sym({1, 2}, {2, 3}) == {1, 3}
assert uniq([3, 1, 3]) == [3, 1]
assert inverse({"a": 1}) == {1: "a"}
assert inverse({(1, 2): "x"}) == {"x": (1, 2)}
a = {1}
assert sym(a, a) == set() and a == {1}
""",
    ),
    "nan-inf-big": (
        """
import math, cmath
def f(x): return x / x if x else math.nan
def big(n): return 7 ** n
def roots(): return cmath.sqrt(-1)
def inf(): return float("-inf"), -0.0
def divmod2(a, b): return divmod(a, b)
""",
        """
import math
assert math.isnan(f(0)) and f(0) != f(0)
assert big(1000) == 7 ** 1000 and big(10**4) % 10 == 1
assert roots() == 1j and roots().imag == 1
assert inf()[0] == -math.inf and math.copysign(1, inf()[1]) == -1
assert divmod2(-7, 2) == (-4, 1)
assert type(f(2)) is float and type(big(1)) is int
assert f(True) == 1.0
assert round(f(3), 2) is not None
""",
    ),
}
