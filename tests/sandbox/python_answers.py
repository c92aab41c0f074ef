"""Answers and their tests: what must pass between two processes as it would in one, and what must not."""

RIGHT: dict[str, tuple[str, str]] = {
    "a value that was given comes back as itself": (
        """
def f(x): return x
def last(*items, default=None): return items[-1] if items else default
""",
        """
import datetime, decimal, fractions, uuid
values = [b"bytes", bytes(300), "text" * 9, 10 ** 30, 2.5, 1j, (1, [2]), frozenset({1}), datetime.date(2024, 1, 2),
          datetime.datetime.now(), decimal.Decimal("1.50"), fractions.Fraction(1, 3), uuid.uuid4(), range(5), slice(1)]
for value in values:
    assert f(value) is value, value
    assert id(value) == id(f(value))
    assert f(x=value) is value and last(0, value) is value and last(default=value) is value
""",
    ),
    "a value that equals the one given is another": (
        """
def f(x): return x[:1] + x[1:]
""",
        """
for value in (b"bytes", "text" * 9, (1, 2)):
    assert f(value) == value and f(value) is not value
""",
    ),
    "import-from": (
        """
def f(x): return x+1
LIMIT=3
_hidden=4
""",
        """
from solution import f, LIMIT
import solution
assert f(1)==2 and LIMIT==3 and solution._hidden==4 and solution.f(2)==3
""",
    ),
    "star": (
        """
def f(x): return x+1
""",
        """
from solution import *
assert f(1)==2
""",
    ),
    "setglobal": (
        """
rate=1
def f(): return rate
""",
        """
import solution
solution.rate=5
assert f()==5 and solution.rate==5
""",
    ),
    "kwmut": (
        """
def f(*, a, b): a.append(1); b['x']=2
""",
        """
a=[];b={}
f(a=a,b=b)
assert a==[1] and b=={'x':2}
""",
    ),
    "setmut": (
        """
def f(s): s.add(4); s.discard(1)
""",
        """
s={1,2}
t=s
f(s)
assert t=={2,4}
""",
    ),
    "alias": (
        """
def f(a,b): a.append(1); return a is b
""",
        """
x=[]
assert f(x,x) is True and x==[1]
""",
    ),
    "ident-nested": (
        """
def f(d): return d['k']
""",
        """
k=[1]
d={'k':k}
assert f(d) is k
""",
    ),
    "keep": (
        """
box=[]
def put(x): box.append(x)
def get(): return box[0]
""",
        """
a=[1]
put(a)
a.append(2)
assert get()==[1,2] and get() is a
""",
    ),
    "ret-mutate": (
        """
_s={}
def get(): return _s
def size(): return len(_s)
""",
        """
g=get()
g['a']=1
assert size()==1
""",
    ),
    "gen-close": (
        """
log=[]
def g():
    try:
        yield 1
        yield 2
    finally:
        log.append('closed')
""",
        """
it=g()
assert next(it)==1
it.close()
assert log==['closed']
""",
    ),
    "gen-send": (
        """
def g():
    x=yield 0
    while True:
        x=yield x*2
""",
        """
it=g()
next(it)
assert it.send(4)==8 and it.send(5)==10
""",
    ),
    "gen-return": (
        """
def g():
    yield 1
    return 7
""",
        """
it=g()
next(it)
try: next(it)
except StopIteration as e: assert e.value==7
else: assert 0
""",
    ),
    "gen-type": (
        """
import types
def g():
    yield 1
""",
        """
import types
assert isinstance(g(), types.GeneratorType) and iter(g())
""",
    ),
    "enum-private": (
        """
import enum
class _C(enum.Enum):
    A=1
    B=2
def f(n): return _C(n)
""",
        """
r=f(1)
assert r.name=='A' and r.value==1 and r is f(1) and f(1)==f(1) and f(1)!=f(2)
""",
    ),
    "intenum": (
        """
import enum
class _C(enum.IntEnum):
    A=1
    B=2
def f(n): return _C(n)
""",
        """
r=f(2)
assert r==2 and r.name=='B' and r>1 and {2:1}[r]==1
""",
    ),
    "lower-op": (
        """
class vec:
    def __init__(s,x,y): s.x=x; s.y=y
    def __add__(s,o): return vec(s.x+o.x,s.y+o.y)
    def __eq__(s,o): return (s.x,s.y)==(o.x,o.y)
    def __repr__(s): return f'vec({s.x}, {s.y})'
    def __len__(s): return 2
    def __getitem__(s,i): return (s.x,s.y)[i]
    def __mul__(s,k): return vec(s.x*k,s.y*k)
    __rmul__=__mul__
    def __lt__(s,o): return s.x<o.x
    def __bool__(s): return bool(s.x)
    def __hash__(s): return hash((s.x,s.y))
""",
        """
v=vec(1,2)+vec(3,4)
assert v==vec(4,6) and repr(v)=='vec(4, 6)' and len(v)==2 and v[1]==6 and list(v)==[4,6]
assert 2*v==vec(8,12) and vec(1,1)<vec(2,0) and not vec(0,1) and len({vec(1,1),vec(1,1)})==1
assert sorted([vec(3,0),vec(1,0)])[0].x==1
assert isinstance(v, vec) and type(v).__name__=='vec'
v.x=9
assert v.x==9
""",
    ),
    "lower-eq-plain": (
        """
class money:
    def __init__(s,x): s.x=x
    def __eq__(s,o): return s.x==(o.x if isinstance(o,money) else o)
""",
        """
assert money(3)==3 and money(3)!=4 and money(3)==money(3)
""",
    ),
    "prop": (
        """
class acct:
    total=0
    def __init__(s): s._b=1; acct.total+=1
    @property
    def b(s): return s._b
    @b.setter
    def b(s,v):
        if v<0: raise ValueError('neg')
        s._b=v
    @classmethod
    def make(cls): return cls()
    @staticmethod
    def two(): return 2
""",
        """
a=acct.make()
assert a.b==1 and acct.two()==2 and acct.total==1
a.b=5
assert a.b==5 and a._b==5
try: a.b=-1
except ValueError as e: assert str(e)=='neg'
else: assert 0
""",
    ),
    "listsub": (
        """
class stacklist(list):
    def top(self): return self[-1]
    def push(self,x): self.append(x)
def f(): return stacklist([1,2])
""",
        """
r=f()
assert r==[1,2] and r.top()==2 and isinstance(r,list) and len(r)==2
r.push(3)
assert r==[1,2,3]
r.append(4)
assert r.top()==4
""",
    ),
    "dictsub": (
        """
class attrdict(dict):
    def __getattr__(self,n):
        try: return self[n]
        except KeyError: raise AttributeError(n)
    def __missing__(self,k): return k*2
def f(): return attrdict(a=1)
""",
        """
r=f()
assert r.a==1 and r=={'a':1} and r['a']==1
""",
    ),
    "dictsub-missing": (
        """
class m(dict):
    def __missing__(self,k): return k*2
def f(): return m(a=1)
""",
        """
r=f()
assert r['zz']=='zzzz'
""",
    ),
    "cm-class": (
        """
class timer:
    def __enter__(s): s.on=True; return s
    def __exit__(s,*e): s.on=False; s.e=e[0]; return e[0] is KeyError
""",
        """
with timer() as t: assert t.on
assert not t.on
with timer() as t: raise KeyError('x')
assert t.e is KeyError
""",
    ),
    "cm-swallow": (
        """
from contextlib import contextmanager
@contextmanager
def quiet():
    try: yield
    except ValueError: pass
""",
        """
with quiet(): raise ValueError('x')
try:
    with quiet(): raise KeyError('y')
except KeyError: pass
else: assert 0
""",
    ),
    "exc-chain": (
        """
class Low(Exception): pass
class HighError(Exception):
    def __init__(s,m,*,code): super().__init__(m); s.code=code
def f():
    try: raise Low('a')
    except Low as e: raise HighError('b',code=3) from e
""",
        """
try: f()
except HighError as e: assert e.code==3 and str(e)=='b' and str(e.__cause__)=='a' and e.args==('b',)
else: assert 0
""",
    ),
    "exc-str": (
        """
class FooError(Exception):
    def __init__(s,n): s.n=n
    def __str__(s): return f'foo {s.n}'
def f(): raise FooError(3)
""",
        """
import pytest
def test_a():
    with pytest.raises(FooError, match='foo 3') as e: f()
    assert e.value.n==3 and issubclass(FooError, Exception)
""",
    ),
    "exc-inherit": (
        """
class BaseErr(Exception): pass
class ChildErr(BaseErr): pass
def f(): raise ChildErr('x')
""",
        """
try: f()
except BaseErr as e: assert type(e).__name__=='ChildErr'
""",
    ),
    "test-exc-identity": (
        """
def ap(fn):
    try: return fn()
    except ValueError: return 'v'
    finally: pass
""",
        """
class Boom(Exception): pass
b=Boom('z')
def bad(): raise b
try: ap(bad)
except Boom as e: assert e is b
else: assert 0
def v(): raise ValueError
assert ap(v)=='v'
""",
    ),
    "item-mutate": (
        """
def raise_all(xs):
    for x in xs: x.pay *= 2
    return max(xs,key=lambda x:x.pay)
""",
        """
class Emp:
    def __init__(s,p): s.pay=p
es=[Emp(1),Emp(5)]
r=raise_all(es)
assert es[0].pay==2 and r is es[1]
""",
    ),
    "item-methods": (
        """
def area(s): return sum(x.area() for x in s)
""",
        """
class Sq:
    def __init__(s,a): s.a=a
    def area(s): return s.a**2
assert area([Sq(1),Sq(2)])==5
""",
    ),
    "item-ops": (
        """
def total(xs):
    t=xs[0]
    for x in xs[1:]: t=t+x
    return t
""",
        """
class P:
    def __init__(s,x): s.x=x
    def __add__(s,o): return P(s.x+o.x)
    def __eq__(s,o): return s.x==o.x
assert total([P(1),P(2)])==P(3)
""",
    ),
    "tree": (
        """
def depth(t): return 0 if t is None else 1+max(depth(t.left),depth(t.right))
def invert(t):
    if t is None: return None
    t.left,t.right=invert(t.right),invert(t.left)
    return t
""",
        """
class T:
    def __init__(s,v,l=None,r=None): s.v=v; s.left=l; s.right=r
t=T(1,T(2,T(3)))
assert depth(t)==3
r=invert(t)
assert r is t and t.left is None and t.right.v==2
""",
    ),
    "filelike": (
        """
def shout(f): return [l.strip().upper() for l in f]
def w(f): f.write('hi'); print('yo',file=f)
""",
        r"""
class Fake:
    def __init__(s): s.out=[]
    def write(s,x): s.out.append(x)
    def __iter__(s): return iter(['a\n','b\n'])
f=Fake()
assert shout(f)==['A','B']
w(f)
assert ''.join(f.out)=='hiyo\n'
""",
    ),
    "stringio": (
        r"""
import io
def mk(): return io.StringIO('a\nb')
""",
        r"""
r=mk()
assert r.readline()=='a\n' and r.read()=='b'
""",
    ),
    "match": (
        r"""
import re
def f(s): return re.search(r'(?P<y>\d+)-(\d+)',s)
""",
        """
m=f('ab 12-34')
assert m.group('y')=='12' and m.groups()==('12','34') and m.span()==(3,8) and m[2]=='34' and m
assert m.groupdict()=={'y':'12'} and m.start()==3
""",
    ),
    "views": (
        """
def f(): d={'a':1,'b':2}; return d.items(), d.keys(), d.values()
""",
        """
i,k,v=f()
assert sorted(i)==[('a',1),('b',2)] and k=={'a','b'} and list(v)==[1,2] and 'a' in k and len(v)==2
""",
    ),
    "dts": (
        """
import datetime as d, uuid, decimal, fractions, pathlib
def f():
    return (
        d.datetime(2020,1,2,tzinfo=d.timezone(d.timedelta(hours=2))), decimal.Decimal('1.10'),
        fractions.Fraction(1,3), pathlib.Path('/a/b.txt'), uuid.UUID(int=7),
        d.timedelta(days=1), d.date(2020,1,1), d.time(1,2),
    )
""",
        """
import datetime as d, uuid
from decimal import Decimal
from fractions import Fraction
a,b,c,p,u,t,x,y=f()
assert a==d.datetime(2020,1,1,22,tzinfo=d.timezone.utc) and a.utcoffset()==d.timedelta(hours=2)
assert str(b)=='1.10' and c==Fraction(1,3) and p.suffix=='.txt' and u.int==7 and t.days==1
assert x.year==2020 and y.minute==2
""",
    ),
    "zone": (
        """
from zoneinfo import ZoneInfo
from datetime import datetime
def f(): return datetime(2020,7,1,tzinfo=ZoneInfo('UTC'))
""",
        """
assert f().tzinfo.key=='UTC' and f().tzname()=='UTC'
""",
    ),
    "partial2": (
        """
from functools import partial
def add(a,b): return a+b
def f(): return partial(add,1)
""",
        """
p=f()
assert p(2)==3 and p.args==(1,) and p.func(1,1)==2
""",
    ),
    "nt-methods": (
        """
from collections import namedtuple
class _P(namedtuple('_P','x y')):
    def norm(self): return self.x+self.y
def f(): return _P(1,2)
""",
        """
p=f()
x,y=p
assert p.x==1 and p[1]==2 and p._replace(x=5).x==5 and p._asdict()=={'x':1,'y':2} and p.norm()==3
assert p==(1,2) and p._fields==('x','y')
""",
    ),
    "dc-private": (
        """
from dataclasses import dataclass, field
@dataclass(order=True)
class _R:
    n:int
    tags:list=field(default_factory=list)
def f(n): return _R(n)
""",
        """
r=f(1)
r.tags.append('a')
assert r.tags==['a'] and r.n==1 and repr(r)=="_R(n=1, tags=['a'])" and f(2)>f(1) and f(1)==f(1)
""",
    ),
    "coro": (
        """
async def f(x): return x+1
""",
        """
c=f(1)
try: c.send(None)
except StopIteration as e: assert e.value==2
else: assert 0
""",
    ),
    "decor-count": (
        """
def counted(fn):
    def w(*a,**k):
        w.calls+=1
        return fn(*a,**k)
    w.calls=0
    return w
""",
        """
@counted
def g(x,y=1): return x+y
assert g(1)==2 and g(1,y=5)==6 and g.calls==2
""",
    ),
    "wraps": (
        """
import functools
def deco(fn):
    @functools.wraps(fn)
    def w(*a): return fn(*a)
    return w
""",
        """
@deco
def hello(x):
    'doc of hello'
    return x
assert hello.__name__=='hello' and hello.__doc__=='doc of hello' and hello(3)==3
""",
    ),
    "memo": (
        """
def memo(fn):
    c={}
    def w(n):
        if n not in c: c[n]=fn(n)
        return c[n]
    return w
""",
        """
calls=[]
@memo
def sq(n):
    calls.append(n)
    return n*n
assert sq(3)==9 and sq(3)==9 and calls==[3]
""",
    ),
    "cb-lists": (
        """
def each(fn,xs):
    for x in xs: fn(x)
""",
        """
xs=[[1],[2]]
each(lambda x:x.append(0),xs)
assert xs==[[1,0],[2,0]]
""",
    ),
    "sortkey": (
        """
def order(xs,key): xs.sort(key=key)
""",
        """
xs=['bb','a','ccc']
order(xs,len)
assert xs==['a','bb','ccc']
order(xs,lambda s:-len(s))
assert xs[0]=='ccc'
""",
    ),
    "np-mutate": (
        """
import numpy as np
def f(a,out=None):
    a*=2
    if out is not None: out[:]=a
""",
        """
import numpy as np
a=np.ones((2,2))
b=np.zeros((2,2))
f(a,out=b)
assert a.sum()==8 and b.sum()==8 and a.dtype==np.float64
""",
    ),
    "np-ret": (
        """
import numpy as np
def f(): return {'m':np.eye(2),'s':np.float32(1.5),'b':np.array([True,False]),'u':np.array(['a','bb'])}
""",
        """
import numpy as np
r=f()
assert np.allclose(r['m'],[[1,0],[0,1]]) and r['s'].dtype==np.float32 and r['b'].any() and r['u'][1]=='bb'
""",
    ),
    "np-dt": (
        """
import numpy as np
def f(): return np.array(['2020-01-01'],dtype='datetime64[D]')
""",
        """
import numpy as np
assert f()[0]==np.datetime64('2020-01-01')
""",
    ),
    "np-struct": (
        """
import numpy as np
def f(): return np.array([(1,2.5)],dtype=[('a','i4'),('b','f8')])
""",
        """
r=f()
assert r['a'][0]==1 and r['b'][0]==2.5
""",
    ),
    "pd-proxy": (
        """
import pandas as pd
def f(): return pd.DataFrame({'a':[1,2],'b':['x','y']})
def s(): return pd.Series([1,2,3],index=list('abc'),name='q')
""",
        """
d=f()
assert d.shape==(2,2) and list(d.columns)==['a','b'] and d['a'].sum()==3 and d.loc[0,'b']=='x' and len(d)==2
q=s()
assert q['b']==2 and q.tolist()==[1,2,3] and q.name=='q' and (q>1).sum()==2 and d.equals(f())
""",
    ),
    "deep1000": (
        """
class node:
    def __init__(s,v,n=None): s.v=v; s.next=n
def mk(n):
    h=None
    for i in range(n): h=node(i,h)
    return h
""",
        """
h=mk(1000)
c=0
while h: c+=1; h=h.next
assert c==1000
""",
    ),
    "deeplist": (
        """
def f(n):
    x=[]
    for _ in range(n): x=[x]
    return x
""",
        """
x=f(800)
for _ in range(800): x=x[0]
assert len(x)==0
""",
    ),
    "cyc": (
        """
def f():
    a=[1]
    a.append(a)
    return a
""",
        """
a=f()
assert a[0]==1 and a[1] is a
""",
    ),
    "bigdict": (
        """
def f(n): return {i:str(i) for i in range(n)}
""",
        """
d=f(200000)
assert len(d)==200000 and d[7]=='7'
""",
    ),
    "bigarg": (
        """
def f(x): x.sort(); return x[0]
""",
        """
x=list(range(300000,0,-1))
assert f(x)==1 and x[0]==1 and x[-1]==300000
""",
    ),
    "many": (
        """
def f(x): return x+1
""",
        """
for i in range(5000): assert f(i)==i+1
""",
    ),
    "manylists": (
        """
def f(x): return sorted(x)
""",
        """
for i in range(3000):
    assert f([i,2,1])==sorted([i,2,1])
""",
    ),
    "manygen": (
        """
def g(n):
    for i in range(n): yield i
""",
        """
assert sum(g(20000))==sum(range(20000))
""",
    ),
    "lazyarg": (
        """
def take(it,n): return [next(it) for _ in range(n)]
""",
        """
seen=[]
def src():
    i=0
    while True:
        seen.append(i); yield i; i+=1
assert take(src(),3)==[0,1,2] and seen==[0,1,2]
""",
    ),
    "zipargs": (
        """
def f(z): return [a*b for a,b in z]
""",
        """
assert f(zip([1,2],[3,4]))==[3,8]
assert f(iter([(1,1)]))==[1]
assert f((i,i) for i in range(3))==[0,1,4]
""",
    ),
    "pytest-approx": (
        """
def f(): return [0.1+0.2, 1e-9]
""",
        """
import pytest
def test_a():
    assert f()==pytest.approx([0.3,1e-9])
    assert f()[0]==pytest.approx(0.3)
""",
    ),
    "pytest-fix": (
        """
def f(x): return x*2
""",
        """
import pytest
@pytest.fixture(params=[1,2])
def n(request): return request.param
@pytest.fixture
def box():
    b=[]
    yield b
    assert b
def test_a(n,box):
    box.append(f(n))
    assert box==[n*2]
class TestX:
    @pytest.mark.parametrize('a,b',[(1,2),pytest.param(2,4,id='two')])
    def test_b(self,a,b): assert f(a)==b
""",
    ),
    "pytest-cls": (
        """
class stack:
    def __init__(s): s.i=[]
    def push(s,x): s.i.append(x)
    def __len__(s): return len(s.i)
""",
        """
import pytest
@pytest.fixture
def s(): return stack()
def test_a(s):
    s.push(1)
    assert len(s)==1 and s.i==[1]
    with pytest.raises(AttributeError): s.nope
""",
    ),
    "pytest-mp": (
        """
import time
def stamp(): return time.time()
""",
        """
import time
def test_a(monkeypatch):
    monkeypatch.setattr(time,'time',lambda: 5)
    assert stamp()==5
""",
    ),
    "pytest-capsys": (
        """
def hi(): print('hi')
""",
        r"""
def test_a(capsys):
    hi()
    assert capsys.readouterr().out=='hi\n'
""",
    ),
    "unittest2": (
        """
def div(a,b): return a/b
""",
        """
import unittest
class T(unittest.TestCase):
    @classmethod
    def setUpClass(cls): cls.k=2
    def setUp(self): self.x=4
    def test_a(self):
        self.assertEqual(div(self.x,self.k),2)
        self.assertAlmostEqual(div(1,3),0.3333333,places=5)
        with self.assertRaises(ZeroDivisionError): div(1,0)
        with self.assertRaisesRegex(ZeroDivisionError,'division'): div(1,0)
        for i in range(1,3):
            with self.subTest(i=i): self.assertTrue(div(i,1))
if __name__=='__main__': unittest.main()
""",
    ),
    "doctest2": (
        """
class Box:
    '''
    >>> Box(2).double()
    4
    '''
    def __init__(s,n): s.n=n
    def double(s): return s.n*2
def inc(n):
    '''
    >>> inc(1)
    2
    '''
    return n+1
""",
        """
import doctest, solution
r=doctest.testmod(solution)
assert r.failed==0 and r.attempted==2
""",
    ),
    "typevar-cb": (
        """
from typing import Callable
def compose(*fs:Callable):
    def go(x):
        for f in reversed(fs): x=f(x)
        return x
    return go
""",
        """
h=compose(lambda x:x+1,lambda x:x*2)
assert h(3)==7 and compose()(5)==5 and compose(str,abs)(-2)=='2'
""",
    ),
    "callable-cls": (
        """
class multiplier:
    def __init__(s,k): s.k=k
    def __call__(s,x): return s.k*x
""",
        """
m=multiplier(3)
assert m(4)==12 and callable(m) and list(map(m,[1,2]))==[3,6]
""",
    ),
    "iter-cls": (
        """
class countdown:
    def __init__(s,n): s.n=n
    def __iter__(s): return s
    def __next__(s):
        if s.n<=0: raise StopIteration
        s.n-=1
        return s.n+1
""",
        """
assert list(countdown(3))==[3,2,1]
it=iter(countdown(2))
assert next(it)==2 and next(it)==1 and next(it,None) is None
""",
    ),
    "obj-in": (
        """
class bag:
    def __init__(s,*a): s.a=set(a)
    def __contains__(s,x): return x in s.a
    def __len__(s): return len(s.a)
def mk(): return bag(1,2)
""",
        """
b=bag(1,2)
assert 1 in b and 5 not in b and 3 in bag(3) and 2 in mk() and len(mk())==2
""",
    ),
    "str-fmt": (
        """
class temp:
    def __init__(s,c): s.c=c
    def __str__(s): return f'{s.c}C'
    def __format__(s,spec): return format(s.c,spec)
    def __float__(s): return float(s.c)
    def __int__(s): return int(s.c)
def mk(): return temp(21.5)
""",
        """
t=mk()
assert str(t)=='21.5C' and f'{t:.2f}'=='21.50' and float(t)==21.5 and int(t)==21 and f'{t!s}'=='21.5C'
""",
    ),
    "deque-ret": (
        """
from collections import deque, Counter, OrderedDict, defaultdict
def f(): return deque([1,2],maxlen=2), Counter('aab'), defaultdict(int,{'a':1})
def g(d): d.append(3); d['x']=1 if isinstance(d,dict) else 0
""",
        """
d,c,e=f()
d.append(3)
assert list(d)==[2,3] and d.maxlen==2 and c['z']==0 and e['q']==0 and c.most_common(1)==[('a',2)]
""",
    ),
    "frozen-key": (
        """
def f(): return {frozenset({1}):(1,[2])}
""",
        """
assert f()=={frozenset({1}):(1,[2])}
""",
    ),
    "none-bool": (
        """
def f(x): return None if x else False
""",
        """
assert f(1) is None and f(0) is False
""",
    ),
    "lit-ident": (
        """
def f(): return Ellipsis, NotImplemented
""",
        """
assert f()==(...,NotImplemented)
""",
    ),
    "types": (
        """
def f(): return int, str, ValueError, list
""",
        """
assert f()==(int,str,ValueError,list)
""",
    ),
    "future-ann": (
        """
from __future__ import annotations
def f(x:int)->str: return str(x)
""",
        """
assert f.__annotations__=={'x':'int','return':'str'} and f(1)=='1'
""",
    ),
    "lru": (
        """
from functools import lru_cache
@lru_cache(maxsize=None)
def f(n): return n if n<2 else f(n-1)+f(n-2)
""",
        """
assert f(50)==12586269025 and f.cache_info().currsize==51
f.cache_clear()
assert f.cache_info().currsize==0
""",
    ),
    "attr-fn": (
        """
def f(): return 1
f.tag='x'
""",
        """
assert f.tag=='x'
f.tag='y'
assert f.tag=='y' and f.__name__=='f'
""",
    ),
    "shadow-max": (
        """
def max(a,b): return -1
""",
        """
assert max(1,2)==-1
""",
    ),
    "copyobj": (
        """
class cfg:
    def __init__(s): s.d={'a':[1]}
""",
        """
import copy
c=cfg()
d=copy.deepcopy(c)
d.d['a'].append(2)
assert c.d=={'a':[1]} and d.d=={'a':[1,2]}
""",
    ),
    "mv": (
        """
def f(b):
    m=memoryview(b)
    return m[1:3]
""",
        """
assert f(b'abcd').tobytes()==b'bc' and bytes(f(b'abcd'))==b'bc'
""",
    ),
    "ba": (
        """
def f(b): b.extend(b'x')
""",
        """
b=bytearray(b'a')
f(b)
assert b==bytearray(b'ax')
""",
    ),
    "odict": (
        """
from collections import OrderedDict
def f(d): d.move_to_end('a')
""",
        """
from collections import OrderedDict
d=OrderedDict(a=1,b=2)
f(d)
assert list(d)==['b','a']
""",
    ),
    "inspectless": (
        """
import asyncio
async def f(): return 3
def g(): return asyncio.run(f())
""",
        """
assert g()==3
""",
    ),
    "globalsvar": (
        """
from collections import defaultdict
cache={}
hits=0
def f(x):
    global hits
    if x in cache: hits+=1
    cache[x]=1
""",
        """
f(1); f(1)
assert hits==1 and cache=={1:1}
""",
    ),
    "pytest-global": (
        """
n=0
def inc():
    global n
    n+=1
""",
        """
import pytest
def test_a():
    inc()
    assert n==1
""",
    ),
    "types-alias": (
        """
import collections
def f(): return collections.ChainMap({'a':1},{'b':2})
""",
        """
assert f()['b']==2 and dict(f())=={'a':1,'b':2} and 'a' in f()
""",
    ),
}

WRONG: dict[str, tuple[str, str]] = {
    "eq": (
        """
class X:
    def __eq__(s,o): return True
def f(): return X()
""",
        """
assert f()==3
""",
    ),
    "eq2": (
        """
class X:
    def __eq__(s,o): return True
def f(): return [X()]
""",
        """
assert f()==[3]
""",
    ),
    "eq3": (
        """
class f:
    def __eq__(s,o): return True
""",
        """
assert f()==3
""",
    ),
    "lt": (
        """
class X:
    def __sub__(s,o): return s
    def __abs__(s): return s
    def __lt__(s,o): return True
def f(): return X()
""",
        """
assert abs(f()-3)<1e-9
""",
    ),
    "in": (
        """
class X:
    def __contains__(s,o): return True
def f(): return X()
""",
        """
assert 3 in f()
""",
    ),
    "strsub": (
        """
class S(str):
    def __eq__(s,o): return True
    __hash__=str.__hash__
def f(): return S('a')
""",
        """
assert f()=='b'
""",
    ),
    "listsub": (
        """
class S(list):
    def __eq__(s,o): return True
def f(): return S([1])
""",
        """
assert f()==[2]
""",
    ),
    "tupsub": (
        """
class S(tuple):
    def __eq__(s,o): return True
def f(): return S([1])
""",
        """
assert f()==(2,)
""",
    ),
    "ntsub": (
        """
from collections import namedtuple
class S(namedtuple('S','a')):
    def __eq__(s,o): return True
def f(): return S(1)
""",
        """
assert f()==(2,)
""",
    ),
    "decimal": (
        """
import decimal
class S(decimal.Decimal):
    def __eq__(s,o): return True
    __hash__=None
def f(): return S(1)
""",
        """
assert f()==2
""",
    ),
    "np": (
        """
import numpy as np
class S(np.ndarray):
    def __eq__(s,o): return np.array(True)
def f(): return np.array([1]).view(S)
""",
        """
assert (f()==[2]).all()
""",
    ),
    "noreturn": (
        """
def f(x): x=sorted(x)
""",
        """
a=[2,1]
f(a)
assert a==[1,2]
""",
    ),
    "copy": (
        """
def f(x): return list(x)
""",
        """
a=[1]
assert f(a) is a
""",
    ),
    "glob": (
        """
def f(c):
    try:
        g=c.__globals__
        return g['SECRET']
    except AttributeError: return 0
""",
        """
SECRET=918
assert f(lambda: 1)==918
""",
    ),
    "glob2": (
        """
def f(c):
    try: return c.gi_frame.f_globals['SECRET']
    except AttributeError: return 0
""",
        """
SECRET=918
def g(): yield 1
assert f(g())==918
""",
    ),
    "setattr": (
        """
def f(t):
    type(t).check=lambda *a: None
    t.check=lambda *a: None
    return 0
""",
        """
class T:
    def check(self,a): assert a==1
t=T()
r=f(t)
T.check(t,r)
""",
    ),
    "all": (
        """
def all(x): return True
def add(a,b): return 0
""",
        """
assert all(add(a,b)==a+b for a,b in [(1,2)])
""",
    ),
    "exit": (
        """
import os
def f(): os._exit(0)
""",
        """
assert f()==1
""",
    ),
    "skip": (
        """
import pytest
def f(): pytest.skip('x')
""",
        """
import pytest
def test_a(): assert f()==1
""",
    ),
    "raise": (
        """
def f(): raise AssertionError
""",
        """
try:
    assert f()==1
except ValueError: pass
""",
    ),
}
