"""Runs a repository's tests in the sandbox and writes down what came of them; the request lies in request.json.

Standard library and pytest only. Every variant of the repository runs in a forked child with a copy of its own time;
reports are lines of JSON behind a mark that the request names. The repository is part of the image, or an archive that
lies beside the request (``archive``).

Variants that say so (``shared``) run from one collection: what imports and collects forks once a variant, and the child
gets the changed function's code (``changed``: file and first line). Those that run without the repository (``alone``)
have files with names of their own, which are collected together.
Whatever a changed function could have altered by then runs from the beginning instead, in a process of its own, and so
does what fails beside others though nothing was changed.
"""

import base64
import contextlib
import gc
import io
import json
import os
import resource
import secrets
import select
import shutil
import signal
import sys
import tarfile
import threading
import time
import types

LAYER = "/annotator"
REPOSITORY = LAYER + "/repository"
ENVIRONMENT = LAYER + "/environment"

PATIENCE = 4
INNER = {"<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"}
LOOP = os.path.join("asyncio", "events.py")
ORIGINS = 16
"""How many calls back a coroutine keeps where it was made."""


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
        self._noticed = set()
        self._mine = None

    def _profile(self, frame, event, _argument):
        if event != "call":
            return
        key = self._key_of(frame.f_code)
        if key is None or self._seen.get(key):
            return
        self._seen[key] = self._is_test(*self._caller_of(frame))

    def _caller_of(self, frame):
        """Return the file and line of the repository's code that called a function, through libraries or not.

        What an event loop runs was called by what made the task's coroutine; a plain callback of it by nobody.
        """
        back = frame.f_back
        while back is not None:
            code = back.f_code
            if code.co_filename.startswith(self.root):
                return code.co_filename, code.co_firstlineno
            if code.co_name == "_run" and code.co_filename.endswith(LOOP):
                task = sys.modules["asyncio"].current_task()
                origins = getattr(task and task.get_coro(), "cr_origin", None) or ()
                places = ((path, line) for path, line, _ in origins)
                return next((place for place in places if place[0].startswith(self.root)), ("", 0))
            back = back.f_back
        return "", 0

    def notice(self, frame, event, _argument):
        """Note every function that runs."""
        if event == "call":
            self._noticed.add(self._key_of(frame.f_code))

    def reached(self):
        """Return where what was noticed begins: (path, line) each."""
        return sorted(self._noticed - {None})

    def _key_of(self, code):
        try:
            return self._keys[code]
        except KeyError:
            key = self._keys[code] = self._key(code)
            return key

    def _key(self, code):
        name = code.co_filename
        if not name.startswith(self.root) or code.co_name in INNER or code.co_name == "<module>":
            return None
        return name[len(self.root) :], code.co_firstlineno

    def _is_test(self, path, line):
        return self._mine is not None and path == self._mine[0] and self._mine[1] <= line <= self._mine[2]

    def _lines_of(self, item):
        import inspect

        function = inspect.unwrap(getattr(item, "function", None) or getattr(item, "obj", None))
        # Hypothesis runs the test that it keeps here, not what it wraps.
        function = inspect.unwrap(getattr(getattr(function, "hypothesis", None), "inner_test", function))
        code = getattr(function, "__code__", None)
        if code is None:
            return None
        last = max((line for _, _, line in code.co_lines() if line), default=code.co_firstlineno)
        inner = [code]
        while inner:
            code_part = inner.pop()
            last = max([last, *(line for _, _, line in code_part.co_lines() if line)])
            inner.extend(part for part in code_part.co_consts if hasattr(part, "co_lines"))
        return code.co_filename, code.co_firstlineno, last

    def pytest_runtest_call(self, item):
        if self.trace:
            self._seen = {}
            self._mine = self._lines_of(item)
            sys.set_coroutine_origin_tracking_depth(ORIGINS)
            threading.setprofile(self._profile)
            sys.setprofile(self._profile)

    def pytest_runtest_teardown(self, item):
        if self.trace:
            sys.setprofile(None)
            threading.setprofile(None)
            sys.set_coroutine_origin_tracking_depth(0)
            self.calls[item.nodeid] = [[path, line, bool(direct)] for (path, line), direct in self._seen.items()]

    def pytest_runtest_setup(self):
        limit(self.seconds)
        if self.trace:
            threading.setprofile(self.notice)
            sys.setprofile(self.notice)

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
            self.messages.setdefault(report.nodeid, why_skipped(report))
        elif report.when == "call" and before is None:
            self.outcomes[report.nodeid] = "pass"

    def pytest_collectreport(self, report):
        if report.failed:
            self.messages[report.nodeid or "."] = str(report.longrepr)[-600:]
        elif report.skipped:
            self.outcomes[report.nodeid] = "skip"
            self.messages[report.nodeid] = why_skipped(report)


def why_skipped(report):
    """Return the reason that pytest gives for leaving something out: the last of its path, line and reason."""
    reason = report.longrepr
    return str(reason[-1] if isinstance(reason, tuple) else reason)[-600:]


def alarm(_number, _frame):
    raise TestTimeout("the test took too long")


def limit(seconds):
    """Stop the test after so much processor time, or several times as long of waiting (the machine may be busy)."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, seconds * PATIENCE)


def limit_processor(variant):
    """End this process once it has taken the processor time that the variant may take, if it has such a limit."""
    if variant.get("processor"):
        seconds = max(1, int(variant["processor"]))
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds if most < 0 else min(seconds, most), most))


def run_variant(variant, request, folder, place, write):
    """Run one variant's tests in this process and write the report."""
    limit_processor(variant)
    write_files(place, variant["files"])
    recorder = Recorder(place, variant["trace"], variant["seconds"])
    report_outcome(variant, recorder, run_pytest(variant, request, folder, place, recorder), write)


def write_files(place, files):
    """Put a variant's files into its folder."""
    for path, text in files.items():
        name = os.path.join(place, path)
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)


def run_pytest(variant, request, folder, place, recorder):
    """Collect and run a variant's tests in this process; return pytest's exit status."""
    import pytest

    os.chdir(place)
    roots = [request.get("environment", ENVIRONMENT)]
    if not variant["alone"]:
        roots += [os.path.join(place, root) if root else place for root in request["roots"]]
    sys.path[:0] = list(reversed(roots))
    sys.path[:] = [path for path in sys.path if path not in ("", folder)]
    os.environ["PYTHONPATH"] = os.pathsep.join(reversed(roots))
    # The sandbox starts programs with the system's own handling, which ends the process; tests expect Python's.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGALRM, alarm)
    signal.signal(signal.SIGPROF, alarm)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    sys.stderr = tail = Tail()
    options = [
        "-q",
        "-p",
        "no:cacheprovider",
        # Tests run in the order in which they stand, also where the repository has them shuffled.
        "-p",
        "no:randomly",
        # pytest-enabler, under the name it goes by, adds options as addopts does: coverage's report took 2 s a run.
        "-p",
        "no:plugin-enabled options",
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
    set_hypothesis()
    if variant.get("reach") or variant["trace"]:
        threading.setprofile(recorder.notice)
        sys.setprofile(recorder.notice)
    code = 4
    # A name that pytest does not know stops everything, the files without names do not; so does a setting of the
    # repository that this pytest does not take.
    files = files_of([variant])
    attempts = [variant["tests"], files, ["-c", os.devnull, *files]]
    try:
        while attempts and code == 4 and not recorder.outcomes:
            code = int(pytest.main(options + attempts.pop(0), plugins=[recorder]))
        if code == 4 and not recorder.outcomes:
            recorder.messages.setdefault(".", tail.text.strip())
    except BaseException as error:
        recorder.messages["."] = f"{type(error).__name__}: {error}"[-600:]
    sys.setprofile(None)
    limit(0)
    return code


def set_hypothesis():
    """Let hypothesis fail a test without looking for a shorter example: that took five times as long as the tests.

    Its limits by the clock are lifted: on a busy machine they failed tests that pass. Ours counts processor time.
    """
    try:
        from hypothesis import HealthCheck, settings

        phases = [phase for phase in settings.default.phases if phase.name not in ("shrink", "explain")]
        slow = [HealthCheck.too_slow]
        settings.register_profile("sandbox", phases=phases, deadline=None, suppress_health_check=slow)
        settings.load_profile("sandbox")
    except Exception:  # It is not there, or a stranger's version, which may raise anything: the tests run as they are.
        return


def files_of(variants):
    """Return the files that the variants' tests stand in."""
    return sorted({name.partition("::")[0] for variant in variants for name in variant["tests"]})


def report_outcome(variant, recorder, code, write):
    """Write what came of a variant."""
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


class Collected(Recorder):
    """A recorder that forks once its tests are collected: each variant's run in a child of its own."""

    def __init__(self, root, variants, repository):
        super().__init__(root, False, 0)
        self.repository = repository
        self.variants = variants
        self.reports = {}
        self.variant = None
        self.write = None

    def pytest_runtestloop(self, session):
        """Run the variants (a hook of pytest; what it returns says whether the tests have been run)."""
        threading.setprofile(None)
        sys.setprofile(None)
        if threading.active_count() > 1:
            # A fork takes only one of the threads along, and what the others hold stays locked.
            return True
        place = self.root.rstrip(os.sep)
        files = list_files(place)
        functions = functions_in(self.root)
        # The collector leaves what is frozen alone, so that a child does not copy the memory of all objects.
        gc.freeze()
        collected = {item.nodeid.partition("::")[0] for item in session.items}
        for variant in self.variants:
            changes = functions_to_change(place, variant, self._noticed, functions)
            if changes is None or not collected.issuperset(files_of([variant])):
                continue
            reading, writing, child = start_child()
            if child == 0:
                os.close(reading)
                self.become(variant, writing, session, changes)
                return None
            os.close(writing)
            self.reports[variant["name"]] = receive(reading, child, variant["deadline"])
            end_child(child)
            restore_files(place, files, self.repository)
        return True

    def become(self, variant, writing, session, changes):
        """Be the process that runs one variant's tests."""
        self.variant, self.seconds, self.trace = variant, variant["seconds"], variant["trace"]
        self.write = line_writer(writing)
        self.messages = {}
        limit_processor(variant)
        write_files(self.root, variant["files"])
        for function, code in changes:
            function.__code__ = code
        test_names = set(variant["tests"])
        session.items = [item for item in session.items if {item.nodeid, without_parameters(item.nodeid)} & test_names]
        session.testscollected, session.testsfailed = len(session.items), 0
        if variant["until_failure"]:
            session.config.option.maxfail = 1
        if variant.get("reach"):
            threading.setprofile(self.notice)
            sys.setprofile(self.notice)


def without_parameters(name):
    """Return a test's name without the parameters in brackets; the path before it may hold brackets, too."""
    path, sign, test = name.partition("::")
    return f"{path}{sign}{test.partition('[')[0]}"


def functions_in(root):
    """Return the functions of the files in a folder, by file and first line."""
    functions = {}
    for item in gc.get_objects():
        if isinstance(item, types.FunctionType) and item.__code__.co_name not in INNER:
            code = item.__code__
            if code.co_filename.startswith(root):
                functions.setdefault((code.co_filename, code.co_firstlineno), []).append(item)
    return functions


def functions_to_change(root, variant, before, functions):
    """Return the functions that a variant changes, each with its new code; None if it cannot be done in this process.

    It cannot where the function ran before, by ``before``, or is not among the ``functions`` by file and first line,
    or closes over other variables.
    """
    if not variant.get("changed"):
        return []
    path, line = variant["changed"]
    if (path, line) in before:
        return None
    name = os.path.join(root, path)
    if (name, line) not in functions:
        # What is not imported yet will be, from the changed file.
        loaded = any(getattr(module, "__file__", None) == name for module in list(sys.modules.values()))
        return None if loaded else []
    try:
        waiting = [compile(variant["files"][path], name, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError, KeyError, RecursionError, MemoryError):
        return None
    codes = {}
    while waiting:
        code = waiting.pop()
        codes[code.co_firstlineno, code.co_name] = code
        waiting.extend(part for part in code.co_consts if isinstance(part, types.CodeType))
    changes = []
    for function in functions[name, line]:
        code = codes.get((line, function.__code__.co_name))
        if code is None or code.co_freevars != function.__code__.co_freevars:
            return None
        changes.append((function, code))
    return changes


def list_files(root):
    """Return what stands in a folder, by name: when a file was changed and how long it is, None for a folder."""
    entries = {}
    for place, folders, files in os.walk(root):
        for name in folders:
            entries[os.path.join(place, name)] = None
        for name in files:
            path = os.path.join(place, name)
            with contextlib.suppress(OSError):
                status = os.lstat(path)
                entries[path] = (status.st_mtime_ns, status.st_size)
    return entries


def restore_files(root, before, repository):
    """Bring a copy of the repository back to what it was."""
    now = list_files(root)
    for path in sorted(now.keys() - before.keys(), reverse=True):
        with contextlib.suppress(OSError):
            os.rmdir(path) if now[path] is None else os.unlink(path)
    for path, entry in before.items():
        if path in now and now[path] == entry:
            continue
        if entry is None:
            os.makedirs(path, exist_ok=True)
            continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with contextlib.suppress(OSError):
            shutil.copy2(os.path.join(repository, os.path.relpath(path, root)), path, follow_symlinks=False)


def run_collected(variants, request, folder, place, write):
    """Collect the tests of variants in this process and run each variant in a child; write the reports by name.

    A variant that cannot be run so has no report.
    """
    repository = request.get("repository", REPOSITORY)
    if variants[0]["alone"]:
        repository = f"{place}-unchanged"
        for variant in variants:
            write_files(place, variant["files"])
        shutil.copytree(place, repository)
    recorder = Collected(place, variants, repository)
    watched = any(variant["trace"] or variant.get("reach") or variant.get("changed") for variant in variants)
    first = {**variants[0], "tests": files_of(variants), "until_failure": False, "reach": watched, "trace": False}
    code = run_pytest(first, request, folder, place, recorder)
    if recorder.write is None:
        write(json.dumps(recorder.reports))
    else:
        report_outcome(recorder.variant, recorder, code, recorder.write)


def line_writer(descriptor, seal=""):
    """Return what writes a line into a pipe."""

    def write(text):
        data = (seal + text).encode() + b"\n"
        while data:
            data = data[os.write(descriptor, data) :]

    return write


def start_child():
    """Fork; return both ends of a pipe, and the child's id, which is 0 in the child."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
    return reading, writing, child


def end_child(child):
    """End a child with all that it started in its group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, 0)


def in_child(work, seconds, mark):
    """Call a function in a child, with what writes its report; return that, empty if none came.

    The child does not hold the mark.
    """
    # What does not begin with the seal was not written by us.
    seal = secrets.token_hex(12)
    reading, writing, child = start_child()
    if child == 0:
        os.close(reading)
        mark.clear()
        try:
            work(line_writer(writing, seal))
        finally:
            os._exit(0)
    os.close(writing)
    text = receive(reading, child, seconds)
    end_child(child)
    return text[len(seal) :] if text.startswith(seal) else ""


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


def lay_out(place, variant, archive, repository):
    """Put the repository into the variant's folder; one that runs alone has none."""
    if variant["alone"]:
        os.mkdir(place)
    elif archive is None:
        shutil.copytree(repository, place, symlinks=True)
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
    environment, repository = request.get("environment", ENVIRONMENT), request.get("repository", REPOSITORY)
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.path.insert(0, environment)
    import pytest  # noqa: F401 - imported once, before the forks

    set_hypothesis()
    sys.path.remove(environment)
    mark = [request.pop("mark")]
    number = 0
    for group in groups_of(request.pop("variants")):
        reports = {}
        if len(group) > 1 and archive is None:
            place = os.path.join(folder, f"v{number}")
            number += 1
            lay_out(place, group[0], None, repository)
            text = in_child(
                lambda write, place=place, group=group: run_collected(group, request, folder, place, write),
                sum(variant["deadline"] for variant in group),
                mark,
            )
            reports = read_reports(text)
            shutil.rmtree(place, ignore_errors=True)
            shutil.rmtree(f"{place}-unchanged", ignore_errors=True)
        for variant in group:
            shared_report = report = reports.get(variant["name"])
            if not report or ('"fail"' in report and not variant["until_failure"]):
                place = os.path.join(folder, f"v{number}")
                number += 1
                lay_out(place, variant, archive, repository)
                if archive is not None:
                    # From here on it is the code's fault if there is no report.
                    sys.stdout.write(mark[0] + json.dumps({"ready": True}) + "\n")
                    sys.stdout.flush()
                report = in_child(
                    lambda write, place=place, variant=variant: run_variant(variant, request, folder, place, write),
                    variant["deadline"],
                    mark,
                )
                report = add_disturbed(report, shared_report)
                shutil.rmtree(place, ignore_errors=True)
            sys.stdout.write(mark[0] + (report or json.dumps({"variant": variant["name"], "exit": -1})) + "\n")
            sys.stdout.flush()


def groups_of(variants):
    """Return the variants in order, those together that one collection serves."""
    groups = []
    for variant in variants:
        kind = bool(variant.get("shared")) and ("alone" if variant["alone"] else "repository")
        if kind and groups and groups[-1][0] == kind:
            groups[-1][1].append(variant)
        else:
            groups.append((kind, [variant]))
    return [group for _, group in groups]


def add_disturbed(report, shared_report):
    """Return a variant's report with the tests that pass in it but failed beside the tests of other variants."""
    if not report or not shared_report:
        return report
    with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
        fields = json.loads(report)
        failed = {name for name, outcome in json.loads(shared_report)["outcomes"].items() if outcome == "fail"}
        fields["disturbed"] = sorted(name for name in failed if fields["outcomes"].get(name) == "pass")
        return json.dumps(fields)
    return report


def read_reports(text):
    """Return reports by variant's name; none if a text does not hold any."""
    with contextlib.suppress(ValueError):
        reports = json.loads(text)
        if isinstance(reports, dict):
            return reports
    return {}


main()
