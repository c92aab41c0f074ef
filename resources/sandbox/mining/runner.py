"""Runs a repository's tests in the sandbox and writes down what came of them; the request lies in request.json.

Standard library and pytest only. Every variant of the repository runs in a forked child with a copy of its own time;
reports are lines of JSON behind a mark that the request names. The repository is part of the image, or an archive that
lies beside the request (``archive``).
"""

import base64
import contextlib
import io
import json
import os
import secrets
import select
import shutil
import signal
import sys
import tarfile
import threading
import time

LAYER = "/annotator"
REPOSITORY = LAYER + "/repository"
ENVIRONMENT = LAYER + "/environment"

PATIENCE = 4
INNER = {"<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"}


class TestTimeout(BaseException):
    """A test took longer than it may."""


class Tail(io.TextIOBase):
    """Keeps the end of what is written: pytest says there why it does not begin."""

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text = (self.text + text)[-600:]
        return len(text)


class Recorder:
    """A pytest plugin: outcomes by node, and (if asked) which functions ran and which of them the test called."""

    def __init__(self, root, trace, seconds):
        self.root = root + os.sep
        self.trace = trace
        self.seconds = seconds
        self.outcomes = {}
        self.messages = {}
        self.durations = {}
        self.calls = {}
        self._seen = {}
        self._keys = {}
        self._mine = None

    def _profile(self, frame, event, _argument):
        if event != "call":
            return
        code = frame.f_code
        try:
            key = self._keys[code]
        except KeyError:
            key = self._keys[code] = self._key(code)
        if key is None or self._seen.get(key):
            return
        back = frame.f_back
        while back is not None and back.f_code.co_name in INNER:
            back = back.f_back
        self._seen[key] = back is not None and self._is_test(back.f_code)

    def notice(self, frame, event, _argument):
        """Note every function that runs, from the collecting of the tests on."""
        if event == "call" and frame.f_code not in self._keys:
            self._keys[frame.f_code] = self._key(frame.f_code)

    def reached(self):
        """Return where what ran begins: [path, line] each."""
        return sorted({key for key in self._keys.values() if key is not None})

    def _key(self, code):
        name = code.co_filename
        if not name.startswith(self.root) or code.co_name in INNER or code.co_name == "<module>":
            return None
        return name[len(self.root) :], code.co_firstlineno

    def _is_test(self, code):
        if self._mine is None or code.co_filename != self._mine[0]:
            return False
        return self._mine[1] <= code.co_firstlineno <= self._mine[2]

    def _lines_of(self, item):
        import inspect

        function = inspect.unwrap(getattr(item, "function", None) or getattr(item, "obj", None))
        code = getattr(function, "__code__", None)
        if code is None:
            return None
        last = max((line for _, _, line in code.co_lines() if line), default=code.co_firstlineno)
        inner = [code]
        while inner:
            found = inner.pop()
            last = max([last, *(line for _, _, line in found.co_lines() if line)])
            inner.extend(part for part in found.co_consts if hasattr(part, "co_lines"))
        return code.co_filename, code.co_firstlineno, last

    def pytest_runtest_call(self, item):
        if self.trace:
            self._seen = {}
            self._mine = self._lines_of(item)
            threading.setprofile(self._profile)
            sys.setprofile(self._profile)

    def pytest_runtest_teardown(self, item):
        if self.trace:
            sys.setprofile(None)
            threading.setprofile(None)
            self.calls[item.nodeid] = [[path, line, bool(direct)] for (path, line), direct in self._seen.items()]

    def pytest_runtest_setup(self):
        limit(self.seconds)

    def pytest_runtest_logreport(self, report):
        if report.when == "teardown":
            limit(0)
        self.durations[report.nodeid] = self.durations.get(report.nodeid, 0) + report.duration
        before = self.outcomes.get(report.nodeid)
        if report.failed:
            self.outcomes[report.nodeid] = "fail"
            if before != "fail":
                self.messages[report.nodeid] = str(report.longrepr)[-600:]
        elif report.skipped and before is None:
            self.outcomes[report.nodeid] = "pass" if hasattr(report, "wasxfail") else "skip"
        elif report.when == "call" and before is None:
            self.outcomes[report.nodeid] = "pass"

    def pytest_collectreport(self, report):
        if report.failed:
            self.messages[report.nodeid or "."] = str(report.longrepr)[-600:]


def alarm(_number, _frame):
    raise TestTimeout("the test took too long")


def limit(seconds):
    """Stop the test after so much processor time, or several times as long of waiting (the machine may be busy)."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, seconds * PATIENCE)


def run_variant(variant, request, folder, place, write):
    """Run one variant's tests in this process and write the report."""
    import pytest

    for path, text in variant["files"].items():
        name = os.path.join(place, path)
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    os.chdir(place)
    roots = [request.get("environment", ENVIRONMENT)]
    if not variant["alone"]:
        roots += [os.path.join(place, root) if root else place for root in request["roots"]]
    sys.path[:0] = list(reversed(roots))
    sys.path[:] = [path for path in sys.path if path not in ("", folder)]
    os.environ["PYTHONPATH"] = os.pathsep.join(reversed(roots))
    signal.signal(signal.SIGALRM, alarm)
    signal.signal(signal.SIGPROF, alarm)
    recorder = Recorder(place, variant["trace"], variant["seconds"])
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    sys.stderr = said = Tail()
    options = [
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:doctest",
        "-o",
        "addopts=",
        "-o",
        "filterwarnings=",
        "--tb=line",
        "--rootdir",
        place,
        "--continue-on-collection-errors",
    ]
    if variant["until_failure"]:
        options.insert(0, "-x")
    if variant.get("reach"):
        threading.setprofile(recorder.notice)
        sys.setprofile(recorder.notice)
    code = 4
    # A name that pytest does not know stops everything, the files without names do not; so does a setting of the
    # repository that this pytest does not take.
    files = sorted({name.partition("::")[0] for name in variant["tests"]})
    attempts = [variant["tests"], files, ["-c", os.devnull, *files]]
    try:
        while attempts and code == 4 and not recorder.outcomes:
            code = int(pytest.main(options + attempts.pop(0), plugins=[recorder]))
        if code == 4 and not recorder.outcomes:
            recorder.messages.setdefault(".", said.text.strip())
    except BaseException as error:
        recorder.messages["."] = f"{type(error).__name__}: {error}"[-600:]
    sys.setprofile(None)
    limit(0)
    report = {
        "variant": variant["name"],
        "exit": code,
        "outcomes": recorder.outcomes,
        "messages": recorder.messages,
        "calls": recorder.calls,
        "durations": recorder.durations,
        "reached": recorder.reached(),
    }
    write(json.dumps(report))


def receive(reading, child, seconds):
    """Return the child's one line: its own children may hold the pipe open, so its end is not waited for."""
    data = b""
    deadline = time.monotonic() + seconds
    alive = True
    while not data.endswith(b"\n") and time.monotonic() < deadline:
        ready, _, _ = select.select([reading], [], [], 0.5 if alive else 0)
        if ready:
            chunk = os.read(reading, 1 << 16)
            if not chunk:
                break
            data += chunk
        elif not alive:
            break
        else:
            alive = os.waitpid(child, os.WNOHANG) == (0, 0)
    os.close(reading)
    return data.decode("utf-8", "replace").strip()


def take(folder, name):
    """Return the text of a file of the request, which the tests must not find any more."""
    path = os.path.join(folder, name)
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    os.unlink(path)
    return text


def lay_out(place, variant, archive):
    """Put the repository into the variant's folder; one that runs alone has none."""
    if variant["alone"]:
        os.mkdir(place)
    elif archive is None:
        shutil.copytree(REPOSITORY, place, symlinks=True)
    else:
        with tarfile.open(fileobj=io.BytesIO(archive)) as stored:
            for member in stored:
                name = os.path.join(place, member.name)
                os.makedirs(os.path.dirname(name), exist_ok=True)
                with open(name, "wb") as stream:
                    stream.write(stored.extractfile(member).read())


def main():
    folder = os.getcwd()
    request = json.loads(take(folder, "request.json"))
    archive = base64.b64decode(take(folder, request["archive"])) if request.get("archive") else None
    environment = request.get("environment", ENVIRONMENT)
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.path.insert(0, environment)
    import pytest  # noqa: F401 - imported once, before the forks

    sys.path.remove(environment)
    mark = request.pop("mark")
    for number, variant in enumerate(request["variants"]):
        place = os.path.join(folder, f"v{number}")
        lay_out(place, variant, archive)
        if archive is not None:
            # From here on it is the code's fault if there is no report.
            sys.stdout.write(mark + json.dumps({"ready": True}) + "\n")
            sys.stdout.flush()
        seal = secrets.token_hex(12)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            os.setsid()
            mark = None

            def write(text, descriptor=writing, seal=seal):
                data = (seal + text).encode() + b"\n"
                while data:
                    data = data[os.write(descriptor, data) :]

            try:
                run_variant(variant, request, folder, place, write)
            finally:
                os._exit(0)
        os.close(writing)
        text = receive(reading, child, variant["deadline"])
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(child, 0)
        # What does not begin with the seal was not written by us.
        report = text[len(seal) :] if text.startswith(seal) else json.dumps({"variant": variant["name"], "exit": -1})
        sys.stdout.write(mark + report + "\n")
        sys.stdout.flush()
        shutil.rmtree(place, ignore_errors=True)


main()
