"""Runs in the sandbox: tests of a program one by one, captured calls, replays, timings, fingerprints.

A task comes as JSON on standard input; the answer is one line that starts with the task's nonce. What the program
under study prints goes nowhere.
"""

import collections
import collections.abc
import datetime
import dis
import inspect
import json
import os
import random
import sys
import time
import types

from annotator_common import CLOCK, DUMPS, FILE, MOST_DRAWN, Alarm, OverError, compiled, drawn, loaded, named
from annotator_programs import fingerprints, measure, run_queries

_SKIPPED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def main():
    """Do what standard input asks for."""
    task = json.loads(sys.stdin.read())
    out = os.dup(1)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    random.seed()
    try:
        answer = COMMANDS[task["command"]](task)
    except OverError:
        answer = {"load": "TimeoutError: over"}
    data = ("\n" + task["nonce"] + DUMPS(answer) + "\n").encode("ascii")
    while data:
        data = data[os.write(out, data) :]


# -- tests -------------------------------------------------------------------------------------------------------


def run_tests(task):
    """Run every test against a fresh copy of the program; order and hash seed are the task's."""
    try:
        program = compiled(task["code"])
        with Alarm(task["limit_s"]):
            loaded(program)
    except (Exception, SystemExit, OverError) as error:
        return {"load": named(error), "line": getattr(error, "lineno", None) or 0}
    order = list(range(len(task["tests"])))
    if task["order"]:
        random.Random(task["order"]).shuffle(order)
    results = [None] * len(order)
    lines, over, failed = set(), 0, False
    for index in order:
        if over >= task["patience"]:
            results[index] = ["timeout", "not run: the tests before it did not end", 0.0, 0]
            continue
        if failed and task["first_failure"]:
            results[index] = ["skipped", "not run: a test before it failed", 0.0, 0]
            continue
        results[index] = _run_test(program, task["tests"][index], task["limit_s"], lines if task["lines"] else None)
        over += results[index][0] == "timeout"
        failed = failed or results[index][0] != "pass"
    return {"load": "", "tests": results, "lines": sorted(lines)}


def _run_test(program, text, limit, lines):
    # Each test has the same start: what one draws from the shared generator does not depend on those before it.
    random.seed(20)
    started = CLOCK()
    kind, message, place = "pass", "", 0
    if lines is not None:
        sys.settrace(_line_tracer(lines))
    try:
        with Alarm(limit):
            module = loaded(program)
            exec(compiled(text, "tests.py"), module.__dict__)
    except OverError:
        kind, message = "timeout", f"not finished after {limit} s"
    except AssertionError as error:
        kind, message = "assert", named(error)
    except (Exception, SystemExit) as error:
        kind, message, place = "exception", named(error), _line_of(error)
    finally:
        sys.settrace(None)
    return [kind, message, CLOCK() - started, place]


def _line_of(error):
    place, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE:
            place = trace.tb_lineno
        trace = trace.tb_next
    return place


def _line_tracer(lines):
    def local(frame, event, _argument):
        if event == "line":
            lines.add(frame.f_lineno)
        return local

    def begin(frame, _event, _argument):
        return local if frame.f_code.co_filename == FILE else None

    return begin


# -- captured calls ----------------------------------------------------------------------------------------------


class Recorder:
    """Notes the outermost calls of one function: arguments before, result after, steps and branches between."""

    def __init__(self, entry, most_steps, iterators):
        from annotator_values import UnsupportedError, encode

        self._encode, self._unsupported = encode, UnsupportedError
        self._entry, self._most = entry, most_steps
        self._iterators, self._begun = iterators, {}
        self._depth = 0
        self._call = None
        self.calls = []

    def __call__(self, frame, _event, _argument):
        if frame.f_code.co_filename != FILE:
            return None
        if frame.f_code.co_name == self._entry and frame.f_code.co_firstlineno == self.first:
            self._depth += 1
            if self._depth == 1:
                self._begin(frame)
            return self._outer
        return self._inner if self._call is not None else None

    first = 0

    def _begin(self, frame):
        self._call = None
        if frame.f_code.co_flags & _SKIPPED:
            if self._iterators and frame.f_code.co_flags & inspect.CO_GENERATOR:
                self._begin_generator(frame)
            return
        arguments = self._arguments(frame)
        if arguments is not None:
            self._call = {"arguments": arguments, "steps": 0, "branches": set(), "last": 0}

    def _begin_generator(self, frame):
        """Note what a generator was given, the first time it is asked for something."""
        if id(frame) in self._begun:
            return
        self._begun[id(frame)] = frame
        arguments = self._arguments(frame)
        if arguments is not None:
            self.calls.append(_iterating({"arguments": arguments, "steps": 0, "branches": []}))

    def _arguments(self, frame):
        code = frame.f_code
        count = code.co_argcount + code.co_kwonlyargcount
        if code.co_flags & (inspect.CO_VARKEYWORDS | inspect.CO_VARARGS):
            return None
        try:
            return [[name, self._encode(frame.f_locals[name])] for name in code.co_varnames[:count]]
        except (self._unsupported, KeyError):
            return None

    def _step(self, frame):
        call = self._call
        if call is not None:
            call["steps"] += 1
            call["branches"].add((call["last"], frame.f_lineno))
            call["last"] = frame.f_lineno

    def _inner(self, frame, event, _argument):
        if event == "line":
            self._step(frame)
        return self._inner

    def _outer(self, frame, event, argument):
        if event == "line":
            self._step(frame)
        elif event == "exception" and self._depth == 1 and self._call is not None:
            self._call["raised"] = argument[0].__name__
        elif event == "return":
            self._depth -= 1
            if self._depth == 0 and self._call is not None:
                self._end(frame, argument)
        return self._outer

    def _end(self, frame, value):
        call, self._call = self._call, None
        if call["steps"] > self._most:
            return
        left_by_error = value is None and call.get("raised") and not _returns_here(frame)
        record = {"arguments": call["arguments"], "steps": call["steps"], "branches": sorted(call["branches"])}
        if left_by_error:
            record["raises"] = call["raised"]
        else:
            try:
                record["output"] = self._encode(value)
            except self._unsupported:
                if self._iterators and isinstance(value, collections.abc.Iterator):
                    self.calls.append(_iterating(record))
                return
        record["mutated"] = self._mutated(frame, call["arguments"])
        self.calls.append(record)

    def _mutated(self, frame, before):
        """Tell whether an argument that is still bound to its name was changed in place."""
        try:
            return any(
                isinstance(frame.f_locals.get(name), (list, dict, set, bytearray, collections.deque))
                and self._encode(frame.f_locals[name]) != form
                for name, form in before
            )
        except self._unsupported:
            return True


def _iterating(record):
    """Return a call whose values are still to be drawn, which a trace could not do without changing what it traces."""
    return {**record, "iterates": True, "mutated": False}


def _returns_here(frame):
    """Tell a return of None from an exception that leaves the function."""
    code = frame.f_code.co_code
    return 0 <= frame.f_lasti < len(code) and dis.opname[code[frame.f_lasti]].startswith("RETURN")


def capture(task):
    """Run the tests and return the calls of the entry point that they make."""
    program = compiled(task["code"])
    found = []
    for text in task["tests"]:
        random.seed(20)
        module = loaded(program)
        target = getattr(module, task["entry"], None)
        if hasattr(target, "cache_info"):
            # What is answered from the cache of functools is no call that could be followed; the first of each kind is.
            target = target.__wrapped__
        if not isinstance(target, types.FunctionType):
            return {"load": "", "calls": [], "problem": "the entry point is not a plain function"}
        recorder = Recorder(task["entry"], task["most_steps"], task["iterators"])
        recorder.first = target.__code__.co_firstlineno
        test, before = compiled(text, "tests.py"), dict(vars(module))
        sys.settrace(recorder)
        try:
            with Alarm(task["limit_s"]):
                exec(test, module.__dict__)
                _run_cases(module, before)
        except (Exception, SystemExit, OverError):
            continue
        finally:
            sys.settrace(None)
        found += recorder.calls[: task["most"]]
    return {"load": "", "calls": found, "problem": ""}


def _run_cases(module, before):
    """Call the tests that somebody would have to collect: methods of test classes, functions without parameters."""
    for name, value in list(vars(module).items()):
        if before.get(name) is value:
            continue
        if isinstance(value, type):
            for method in dir(value):
                if method.startswith("test"):
                    _run_case(_bound_steps(value, method))
        elif isinstance(value, types.FunctionType) and name.startswith("test"):
            _run_case([value])


def _bound_steps(owner, method):
    """Yield what a test method needs before it, and itself."""
    unittest = sys.modules.get("unittest")
    case = owner(method) if unittest is not None and issubclass(owner, unittest.TestCase) else owner()
    for step in ("setUpClass", "setup_class", "setUp", "setup_method"):
        if hasattr(case, step):
            yield getattr(case, step)
    yield getattr(case, method)


def _run_case(steps):
    """Take steps until one fails; what needs more than its name, such as a fixture, fails at once."""
    try:
        for step in steps:
            step()
    except (Exception, SystemExit):
        return


# -- calls -------------------------------------------------------------------------------------------------------


def run_calls(task):
    """Call the entry point with canonical arguments; each call gets fresh values."""
    from annotator_values import UnsupportedError, decode, encode

    if task["frozen"]:
        _stop_clocks()
    try:
        with Alarm(task["limit_s"]):
            module = loaded(compiled(task["code"]))
        function = getattr(module, task["entry"])
    except (Exception, SystemExit, OverError) as error:
        return {"load": named(error)}
    results, over = [], 0
    for arguments, keywords in task["calls"]:
        if over >= task["patience"]:
            results.append({"timeout": True})
            continue
        random.seed()
        try:
            given = [decode(item) for item in arguments]
            keyed = {key: decode(item) for key, item in keywords}
            with Alarm(task["limit_s"]):
                value = function(*given, **keyed)
                results.append({"output": encode(drawn(value, MOST_DRAWN) if task["drawn"] else value)})
        except OverError:
            over += 1
            results.append({"timeout": True})
        except UnsupportedError as error:
            results.append({"unsupported": str(error)})
        except (Exception, SystemExit) as error:
            results.append({"raises": type(error).__name__})
    return {"load": "", "results": results}


def _stop_clocks():
    """Make clocks, chance and sockets raise, so that a call that needs them does not repeat."""
    import socket

    def stopped(*_arguments, **_keywords):
        raise RuntimeError("there is no clock, chance or network here")

    for name in ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "localtime",
                 "gmtime", "ctime", "process_time", "thread_time"):  # fmt: skip
        setattr(time, name, stopped)
    os.urandom = stopped
    # Libraries draw bits when they are loaded.
    kept = ("seed", "getstate", "setstate", "getrandbits", "randbytes")
    drawing = [name for name in random.__all__ if name[0].islower() and name not in kept]
    for owner in (random, random.Random, random.SystemRandom):
        for name in drawing:
            setattr(owner, name, stopped)
    socket.socket = stopped
    moment, day = datetime.datetime, datetime.date

    class Moment(moment):
        now = utcnow = today = staticmethod(stopped)

    class Day(day):
        today = staticmethod(stopped)

    datetime.datetime, datetime.date = Moment, Day


COMMANDS = {
    "tests": run_tests,
    "capture": capture,
    "calls": run_calls,
    "measure": measure,
    "fingerprints": fingerprints,
    "queries": run_queries,
}

if __name__ == "__main__":
    main()
