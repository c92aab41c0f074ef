"""Runs in the sandbox: tests of a program one by one, captured calls, replays, timings, fingerprints.

A task comes as JSON on standard input; the answer is one line that starts with the task's nonce. What the program
under study prints goes nowhere.
"""

import collections
import datetime
import dis
import hashlib
import inspect
import itertools
import json
import os
import random
import signal
import sys
import time
import types

FILE = "subject.py"
_CLOCK = time.perf_counter
_DUMPS = json.dumps
_SKIPPED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


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
    data = ("\n" + task["nonce"] + _DUMPS(answer) + "\n").encode("ascii")
    while data:
        data = data[os.write(out, data) :]


def _loaded(program, name="subject"):
    module = types.ModuleType(name)
    module.__file__ = FILE
    sys.modules[name] = module
    exec(program, module.__dict__)
    return module


def _compiled(text, file=FILE):
    return compile(text, file, "exec", dont_inherit=True)


def _named(error):
    try:
        text = str(error)
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text}"[:500]


# -- tests -------------------------------------------------------------------------------------------------------


def run_tests(task):
    """Run every test against a fresh copy of the program; order and hash seed are the task's."""
    try:
        program = _compiled(task["code"])
        with Alarm(task["limit_s"]):
            _loaded(program)
    except (Exception, SystemExit, OverError) as error:
        return {"load": _named(error), "line": getattr(error, "lineno", None) or 0}
    order = list(range(len(task["tests"])))
    if task["order"]:
        random.Random(task["order"]).shuffle(order)
    results = [None] * len(order)
    lines, over = set(), 0
    for index in order:
        if over >= task["patience"]:
            results[index] = ["timeout", "not run: the tests before it did not end", 0.0, 0]
            continue
        results[index] = _run_test(program, task["tests"][index], task["limit_s"], lines if task["lines"] else None)
        over += results[index][0] == "timeout"
    return {"load": "", "tests": results, "lines": sorted(lines)}


def _run_test(program, text, limit, lines):
    # Each test has the same start: what one draws from the shared generator does not depend on those before it.
    random.seed(20)
    started = _CLOCK()
    kind, message, place = "pass", "", 0
    if lines is not None:
        sys.settrace(_line_tracer(lines))
    try:
        with Alarm(limit):
            module = _loaded(program)
            exec(_compiled(text, "tests.py"), module.__dict__)
    except OverError:
        kind, message = "timeout", f"not finished after {limit} s"
    except AssertionError as error:
        kind, message = "assert", _named(error)
    except (Exception, SystemExit) as error:
        kind, message, place = "exception", _named(error), _line_of(error)
    finally:
        sys.settrace(None)
    return [kind, message, _CLOCK() - started, place]


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

    def __init__(self, entry, most_steps):
        from annotator_values import UnsupportedError, encode

        self._encode, self._unsupported = encode, UnsupportedError
        self._entry, self._most = entry, most_steps
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
            return
        arguments = self._arguments(frame)
        if arguments is not None:
            self._call = {"arguments": arguments, "steps": 0, "branches": set(), "last": 0}

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


def _returns_here(frame):
    """Tell a return of None from an exception that leaves the function."""
    code = frame.f_code.co_code
    return 0 <= frame.f_lasti < len(code) and dis.opname[code[frame.f_lasti]].startswith("RETURN")


def capture(task):
    """Run the tests and return the calls of the entry point that they make."""
    program = _compiled(task["code"])
    found = []
    for text in task["tests"]:
        random.seed(20)
        module = _loaded(program)
        target = getattr(module, task["entry"], None)
        if not isinstance(target, types.FunctionType):
            return {"load": "", "calls": [], "problem": "the entry point is not a plain function"}
        recorder = Recorder(task["entry"], task["most_steps"])
        recorder.first = target.__code__.co_firstlineno
        test = _compiled(text, "tests.py")
        sys.settrace(recorder)
        try:
            with Alarm(task["limit_s"]):
                exec(test, module.__dict__)
        except (Exception, SystemExit, OverError):
            continue
        finally:
            sys.settrace(None)
        found += recorder.calls[: task["most"]]
    return {"load": "", "calls": found, "problem": ""}


# -- calls -------------------------------------------------------------------------------------------------------


def run_calls(task):
    """Call the entry point with canonical arguments; each call gets fresh values."""
    from annotator_values import UnsupportedError, decode, encode

    if task["frozen"]:
        _stop_clocks()
    try:
        with Alarm(task["limit_s"]):
            module = _loaded(_compiled(task["code"]))
        function = getattr(module, task["entry"])
    except (Exception, SystemExit, OverError) as error:
        return {"load": _named(error)}
    results = []
    for arguments, keywords in task["calls"]:
        random.seed()
        try:
            given = [decode(item) for item in arguments]
            named = {key: decode(item) for key, item in keywords}
            with Alarm(task["limit_s"]):
                value = function(*given, **named)
                results.append({"output": encode(value)})
        except OverError:
            results.append({"timeout": True})
        except UnsupportedError as error:
            results.append({"unsupported": str(error)})
        except (Exception, SystemExit) as error:
            results.append({"raises": type(error).__name__})
    return {"load": "", "results": results}


def _stop_clocks():
    """Make clocks, entropy and sockets raise, so that a call that needs them does not repeat."""
    import socket

    def stopped(*_arguments, **_keywords):
        raise RuntimeError("there is no clock, entropy or network here")

    for name in ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "localtime",
                 "gmtime", "ctime", "process_time", "thread_time"):  # fmt: skip
        setattr(time, name, stopped)
    os.urandom = stopped
    socket.socket = stopped
    moment, day = datetime.datetime, datetime.date

    class Moment(moment):
        now = utcnow = today = staticmethod(stopped)

    class Day(day):
        today = staticmethod(stopped)

    datetime.datetime, datetime.date = Moment, Day


# -- timing ------------------------------------------------------------------------------------------------------


def measure(task):
    """Time programs on growing inputs: the least of several runs each, fresh input each, runs interleaved."""
    from annotator_values import UnsupportedError, encode

    maker = types.ModuleType("workload")
    exec(_compiled(task["workload"], "workload.py"), maker.__dict__)
    programs = [_compiled(text) for text in task["codes"]]
    times, equal = [[] for _ in programs], []
    for size in task["sizes"]:
        best = [float("inf")] * len(programs)
        outputs = [None] * len(programs)
        for _ in range(task["repeats"]):
            for index, program in enumerate(programs):
                # A fresh module, so that a cache of one run does not serve the next.
                function = getattr(_loaded(program), task["entry"])
                arguments = maker.workload(size)
                try:
                    with Alarm(task["limit_s"]):
                        started = _CLOCK()
                        value = function(*arguments)
                        took = _CLOCK() - started
                except OverError:
                    took, value = task["limit_s"], None
                    outputs[index] = "over"
                except (Exception, SystemExit) as error:
                    return {"load": _named(error)}
                best[index] = min(best[index], took)
                if outputs[index] is None:
                    try:
                        outputs[index] = _DUMPS(encode(value), sort_keys=True)
                    except UnsupportedError as error:
                        return {"load": f"UnsupportedError: {error}"}
            if max(best) > task["limit_s"] / 4:
                break
        for index in range(len(programs)):
            times[index].append(best[index])
        done = [text for text in outputs if text != "over"]
        equal.append(len(set(done)) <= 1)
    return {"load": "", "times": times, "equal": equal}


# -- fingerprints ------------------------------------------------------------------------------------------------


def fingerprints(task):
    """Return a hash of each program's compiled code, or null where it does not compile."""
    return {"load": "", "marks": [_fingerprint(text) for text in task["codes"]]}


def _fingerprint(text):
    try:
        program = _compiled(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    digest = hashlib.sha256()
    _feed(program, digest)
    return digest.hexdigest()


def _feed(code, digest):
    instructions = [item for item in dis.get_instructions(code) if item.opname not in ("NOP", "CACHE", "EXTENDED_ARG")]
    places = {item.offset: number for number, item in enumerate(instructions)}
    jumps = set(dis.hasjrel) | set(dis.hasjabs)
    following = {id(item): after.argval for item, after in itertools.pairwise(instructions)}
    for item in instructions:
        value = item.argval
        if isinstance(value, types.CodeType):
            digest.update(f"{item.opname} code\0".encode())
            _feed(value, digest)
        elif item.opcode in jumps:
            target = next((places[at] for at in range(value, value + 400, 2) if at in places), -1)
            digest.update(f"{item.opname} {target}\0".encode())
        elif item.opcode in dis.hasconst:
            documents = following.get(id(item)) == "__doc__"
            shown = "docstring" if documents else f"{type(value).__name__} {value!r}"
            digest.update(f"{item.opname} {shown}\0".encode())
        else:
            digest.update(f"{item.opname} {value!r}\0".encode("utf-8", "replace"))
    handlers = [
        (places.get(item.start), places.get(item.target), item.depth, item.lasti)
        for item in getattr(dis.Bytecode(code), "exception_entries", ())
    ]
    names = (code.co_name, code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], code.co_flags, handlers)
    digest.update(repr(names).encode("utf-8", "replace"))


COMMANDS = {
    "tests": run_tests,
    "capture": capture,
    "calls": run_calls,
    "measure": measure,
    "fingerprints": fingerprints,
}

if __name__ == "__main__":
    main()
