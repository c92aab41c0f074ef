"""Load programs under study and bound their time (inside the sandbox)."""

import collections.abc
import itertools
import json
import signal
import sys
import time
import types

FILE = "subject.py"
CLOCK = time.perf_counter
DUMPS = json.dumps
MOST_DRAWN = 1000


class OverError(BaseException):
    """The time of one piece of work is over."""


def _ring(_number, _frame):
    raise OverError


class Alarm:
    """Raises OverError after some seconds of processor time, and again while the code swallows it."""

    def __init__(self, seconds):
        self._seconds = seconds

    def __enter__(self):
        signal.signal(signal.SIGPROF, _ring)
        signal.signal(signal.SIGALRM, _ring)
        signal.setitimer(signal.ITIMER_PROF, self._seconds, 0.05)
        signal.setitimer(signal.ITIMER_REAL, self._seconds * 4, 0.05)

    def __exit__(self, *_):
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def loaded(program, name="subject"):
    """Run a compiled program as a module and return it."""
    module = types.ModuleType(name)
    module.__file__ = FILE
    sys.modules[name] = module
    exec(program, module.__dict__)
    return module


def compiled(text, file=FILE):
    """Compile a program's text."""
    return compile(text, file, "exec", dont_inherit=True)


def named(error):
    """Return an error's type and text, cut."""
    try:
        text = str(error)
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text}"[:500]


def drawn(value, most=None):
    """Return what an iterator yields as a list, unless that is more than wanted; other values as they are."""
    if not isinstance(value, collections.abc.Iterator):
        return value
    found = list(itertools.islice(value, None if most is None else most + 1))
    return value if most is not None and len(found) > most else found
