"""Right Python answers pass and wrong ones fail in the mode their tests have, without an engine."""

from __future__ import annotations

import pytest

from annotator.sandbox import Job, Limits, Pool, TestCode
from annotator.sandbox.altered_tests import NONE_COMPARED, NONE_EXECUTED
from tests.sandbox.answer_pairs import load_answers

# What must pass between two processes as it would in one, and what must not.
RIGHT, WRONG = load_answers("python_right"), load_answers("python_wrong")
SPY = """
import gc, sys
text, frame = '', sys._getframe()
while frame:
    text += repr(frame.f_locals) + repr(list(frame.f_globals)); frame = frame.f_back
text += repr([item for item in gc.get_objects() if isinstance(item, (dict, list, tuple, bytearray))][:20000])
words = [''.join(reversed(word)) for word in ('372819', 'tcejbo nuR_', 'tcejbo rosivrepuS')]
found = any(word in text for word in words)
def add(a, b): return int(words[0]) if found else 0
"""


LACKING = "the tests need a library: no_such_library is not in this sandbox"


def _needs_image(name: str, case: tuple[str, str]) -> bool:
    """Tell whether an answer or its test needs a library that this machine's own Python may lack."""
    return any(library in text for text in (name, *case) for library in ("numpy", "pandas", "pytest"))


def _outcome(pool: Pool, code: str, test: str) -> tuple[str, str]:
    limits = Limits(wall_s=60, cpu_s=60, memory_mb=2048)
    result = pool.submit(Job(id="x", language="python", code=code, tests=(TestCode("t", test),), limits=limits)).result(
        120
    )
    return result.outcome, result.message


@pytest.mark.parametrize("name", [name for name in RIGHT if not _needs_image(name, RIGHT[name])])
def test_a_right_answer_passes(local: Pool, name: str) -> None:
    assert _outcome(local, *RIGHT[name]) == ("pass", "")


@pytest.mark.sandbox
@pytest.mark.parametrize("name", [name for name in RIGHT if _needs_image(name, RIGHT[name])])
def test_a_right_answer_with_a_library_of_the_image_passes(pool: Pool, name: str) -> None:
    assert _outcome(pool, *RIGHT[name]) == ("pass", "")


@pytest.mark.sandbox
def test_a_library_that_tests_for_pytest_need_is_machinery(pool: Pool) -> None:
    tests = "import pytest\nimport no_such_library\ndef test_a(): assert f() == 1"
    assert _outcome(pool, "def f(): return 1", tests) == ("machinery", LACKING)


LYING = {"less-than-all", "str-subclass-startswith", "int-subclass-arithmetic-lie", "object-arithmetic-lie"}
LOOKING = {"glob", "glob2", "setattr"} | LYING
"""Answers that look into what the tests give them or lie of themselves where no control shows it: they are disputed."""


@pytest.mark.parametrize("name", [name for name in WRONG if not _needs_image(name, WRONG[name])])
def test_a_wrong_answer_does_not(local: Pool, name: str) -> None:
    outcomes = ("fail", "crash", "disputed") if name in LOOKING else ("fail", "crash")
    assert _outcome(local, *WRONG[name])[0] in outcomes


@pytest.mark.sandbox
@pytest.mark.parametrize("name", [name for name in WRONG if _needs_image(name, WRONG[name])])
def test_a_wrong_answer_with_a_library_of_the_image_does_not(pool: Pool, name: str) -> None:
    assert _outcome(pool, *WRONG[name])[0] in ("fail", "crash")


def test_no_job_finds_anything_of_the_one_before(local: Pool) -> None:
    test = "assert add(1, 2) == 918273, add(1, 2)"
    assert [_outcome(local, SPY, test)[0] for _ in range(3)] == ["fail"] * 3


def test_a_library_that_only_the_tests_need_is_machinery_and_the_answers_own_a_fail(local: Pool) -> None:
    code = "def f(): return 1"
    plain = "import no_such_library\ndef test_a(): assert f() == 1"
    for test in ("import no_such_library\nassert f() == 1", plain):
        assert _outcome(local, code, test) == ("machinery", LACKING)
    for wrong in ("import no_such_library\n" + code, "def f(): import no_such_library"):
        outcome, message = _outcome(local, wrong, "assert f() == 1")
        assert outcome == "fail" and "no_such_library" in message


def test_a_result_says_what_two_processes_may_answer_otherwise(local: Pool) -> None:
    def touched(code: str, test: str) -> tuple[str, ...]:
        result = local.submit(Job(id="x", language="python", code=code, tests=(TestCode("t", test),))).result(60)
        return result.tests[0].touched

    assert touched("def f(): return [1]", "assert f() == [2]") == ()
    code = "class _N:\n    v = 1\ndef f(): return _N()"
    assert touched(code, "assert f().v == 1") == ("proxy",)
    assert touched(code, "assert f() == 1") == ("comparison", "proxy")


ASYNC = "import asyncio\nasync def add(a, b): return {}\n"
NOT_RUN = "asyncio.run = lambda work, **more: work.close()\n"
THREADS = "import threading\ndef add(a, b): return {}\n"
NO_THREADS = "threading.Thread.start = threading.Thread.join = lambda self, timeout=None: None\n"
AWAITED = """
import asyncio
def test_add():
    async def go():
        assert await add(1, 2) == 3
    asyncio.run(go())
"""
IN_THREAD = """
import threading
def test_add():
    bad = []
    def work():
        if add(1, 2) != 3: bad.append(1)
    thread = threading.Thread(target=work); thread.start(); thread.join()
    assert not bad
"""


def test_an_answer_that_keeps_checks_from_running_does_not_pass(local: Pool) -> None:
    assert _outcome(local, ASYNC.format("a + b"), AWAITED) == ("pass", "")
    assert _outcome(local, ASYNC.format(0) + NOT_RUN, AWAITED) == ("fail", NONE_EXECUTED)
    assert _outcome(local, THREADS.format("a + b"), IN_THREAD) == ("pass", "")
    assert _outcome(local, THREADS.format(0) + NO_THREADS, IN_THREAD) == ("disputed", NONE_COMPARED)


def test_a_test_without_a_check_or_with_one_that_is_rightly_not_executed_passes(local: Pool) -> None:
    code = "import sys\ndef f(x):\n    if x < 0: raise ValueError('negative')\n"
    for body in ("f(1)", "try:\n        f(-1)\n        assert False\n    except ValueError: pass",
                 "try: f(1)\n    except ValueError as error: assert False, error"):  # fmt: skip
        assert _outcome(local, code, f"import sys\ndef test_f():\n    {body}") == ("pass", "")


SERVER = """
import http.server, threading, urllib.request
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"here")
    def log_message(self, *args): pass
def fetch(host):
    with http.server.HTTPServer((host, 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with urllib.request.urlopen(f"http://localhost:{server.server_port}/", timeout=60) as page:
            text = page.read().decode()
        server.shutdown()
    return text
"""


@pytest.mark.sandbox
def test_a_server_of_the_answer_is_reached_as_localhost_and_nothing_outside(pool: Pool) -> None:
    outside = "import socket\ntry:\n    socket.create_connection(('192.0.2.1', 80), 2)\nexcept OSError as error:\n"
    outside += "    assert error.errno in (101, 113), error\nelse:\n    assert False\n"
    tests = "assert fetch('localhost') == 'here'\nassert fetch('127.0.0.1') == 'here'\n"
    assert _outcome(pool, SERVER, tests + outside) == ("pass", "")
