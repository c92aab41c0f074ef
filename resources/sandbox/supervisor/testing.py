"""Run test code against the names it tests, and report every test by name.

Used by the judge (where the names are proxies) and by the fast mode (where they are the candidate's own objects).
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import inspect
import io
import linecache
import os
import re
import sys
import types
import unittest
from collections.abc import Callable, Mapping
from typing import Any

from solution import NAME, describe

FILE = "tests.py"
MODULE = "annotator_tests"
FILE_MODULE = "test_solution"
NOTHING_RAN = "No test was run."
_NEEDED = "the tests need a library: {} is not in this sandbox"
SKIPPED = "The test was skipped while it ran."
_IMPORTED = re.compile(rf"^\s*(?:import|from)\s+{NAME}\b", re.MULTILINE)
_IMPORTS = re.compile(r"^[ \t]*(?:import|from)[ \t]+([^\W\d]\w*)", re.MULTILINE)
_CONDITIONAL = (ast.If, ast.Try, ast.TryStar, ast.With, ast.AsyncWith)
_LOOKED_THROUGH: set[str] = set()
"""The places for libraries in which no plugin of pytest is installed, filled before the first fork."""
_FOR_MODULES = ("setUpModule", "setup_function", "setup_module", "tearDownModule", "teardown_function",
                "teardown_module")  # fmt: skip
Report = Callable[[str, str, str], None]


def run(style: str, name: str, source: str, names: Mapping[str, Any], report: Report, folder: str,
        own: types.ModuleType | None = None) -> None:  # fmt: skip
    """Run one piece of test code; ``report(test, outcome, message)`` hears of every test, outcome pass or fail.

    ``style`` is snippet (statements with assertions), functions (test functions and classes) or pytest. ``own`` is the
    solution's module, where it is in this process.
    """
    solution = sys.modules.setdefault(NAME, _as_module(names))
    other_names = _other_names(source, solution)
    sys.modules.update(dict.fromkeys(other_names, solution))
    if style == "pytest":
        _pytest(name, source, names, report, folder, alone=own is None)
        return
    # Tests see the names as if they stood below them: in one process, they are in the solution's own namespace, unless
    # they import it, as then what they replace there must not be what they mean themselves.
    module = types.ModuleType(MODULE) if own is None or other_names or _IMPORTED.search(source) else own
    module.__name__, module.__file__ = MODULE, FILE
    # There is no such file, so a Python that the tests spawn must not look for it.
    module.__spec__ = importlib.util.spec_from_loader("__main__", None)
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    if module is not own:
        module.__dict__.update(names)
    before = dict(vars(module))
    sys.modules[MODULE] = sys.modules["__main__"] = module
    try:
        exec(compile(source, FILE, "exec", dont_inherit=True), module.__dict__)
    except SystemExit as error:
        # unittest.main() at the end of a test file leaves this way; its tests are run, and counted, below.
        if style == "snippet" or error.code not in (None, False, 0) or not _is_own(error):
            report(name, "fail", f"the tests left with exit status {error.code!r}")
            return
    except BaseException as error:
        missing = own is None and _missing_library(error)
        report(name, "machinery" if missing else "fail", missing or describe(error, FILE))
        return
    if style == "snippet":
        report(name, "pass", "")
    else:
        own_names = {key: value for key, value in vars(module).items() if before.get(key) is not value}
        _collected(name, own_names, report)


def _is_own(error: SystemExit) -> bool:
    """Tell whether the tests left by themselves, or by unittest: the code under test would leave before the last."""
    trace = error.__traceback__
    files = []
    while trace is not None:
        files.append(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next
    return all(file == FILE or os.path.dirname(file) == os.path.dirname(unittest.__file__) for file in files[1:])


def _other_names(source: str, solution: types.ModuleType) -> list[str]:
    """Return the modules that are nowhere and of which the solution has all that tests import: they mean it by them."""
    tops = set(_IMPORTS.findall(source)) - sys.stdlib_module_names - {NAME}
    absent = {top for top in tops if top not in sys.modules and importlib.util.find_spec(top) is None}
    if not absent:
        return []
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return []
    module_names = []
    for name, imported in _imported_names(tree).items():
        if "*" in imported:
            used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and hasattr(solution, node.id)}
            imported = used | imported - {"*"}
        if name.partition(".")[0] in absent and imported and all(hasattr(solution, item) for item in imported):
            parts = name.split(".")
            module_names += [".".join(parts[: number + 1]) for number in range(len(parts))]
    return module_names


def _imported_names(tree: ast.Module) -> dict[str, set[str]]:
    """Return what tests import of each module, or ask one that they import for, where they cannot do without it.

    What they try to import may be a library: without it they have checks of their own, and the code must not be those.
    """
    imported: dict[str, set[str]] = {}
    modules: dict[str, str] = {}
    tried = {id(inner) for node in ast.walk(tree) if _may_do_without(node) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in tried:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imported.setdefault(node.module, set()).update(item.name for item in node.names)
        elif isinstance(node, ast.Import):
            modules.update({item.asname or item.name: item.name for item in node.names})
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            imported.setdefault(modules[node.value.id], set()).add(node.attr)
    return imported


def _may_do_without(node: ast.AST) -> bool:
    """Tell whether tests go on where what a statement holds fails, or do it under a condition."""
    if isinstance(node, ast.Try) and node.handlers:
        return not all(isinstance(handler.body[-1], ast.Raise) for handler in node.handlers)
    return isinstance(node, _CONDITIONAL)


def _missing_library(error: BaseException) -> str:
    """Say which library the tests import that is not here, or nothing; the solution's own imports fail elsewhere."""
    trace = error.__traceback__
    if not isinstance(error, ModuleNotFoundError) or not error.name or error.name == NAME or trace is None:
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    file = trace.tb_frame.f_code.co_filename
    if file != FILE and not file.startswith("<frozen importlib"):
        return ""
    return _NEEDED.format(error.name)


def _imported_in_vain(source: str, reason: str) -> str:
    """Say which library the tests themselves import that is not here, or nothing."""
    match = re.search(r"No module named '(\w+)", reason)
    if match is None or not re.search(rf"^\s*(import|from)\s+{match[1]}\b", source, re.MULTILINE):
        return ""
    return "" if match[1] == NAME or importlib.util.find_spec(match[1]) else _NEEDED.format(match[1])


def _as_module(names: Mapping[str, Any]) -> types.ModuleType:
    module = types.ModuleType(NAME)
    module.__dict__.update(names)
    return module


def _collected(name: str, namespace: Mapping[str, Any], report: Report) -> None:
    """Run unittest cases, test functions and plain test classes in the order they stand."""
    ran = 0
    for key, value in list(namespace.items()):
        if inspect.isclass(value) and getattr(value, "__module__", "") == MODULE:
            if issubclass(value, unittest.TestCase):
                ran += _cases(name, value, report)
            elif key.startswith("Test"):
                ran += _plain_class(name, key, value, report)
        elif key.startswith("test") and inspect.isfunction(value) and value.__module__ == MODULE:
            ran += 1
            _one(f"{name}::{key}", value, report)
    if not ran:
        report(name, "fail", NOTHING_RAN)


def _one(name: str, test: Callable[[], Any], report: Report) -> None:
    try:
        test()
    except BaseException as error:
        report(name, "fail", describe(error, FILE))
    else:
        report(name, "pass", "")


def _plain_class(name: str, key: str, kind: Any, report: Report) -> int:
    ran = 0
    prepared: list[type] = []
    for method in [item for item in vars(kind) if item.startswith("test")]:
        ran += 1
        _one(f"{name}::{key}::{method}", _bound(kind, method, prepared), report)
    if prepared and hasattr(kind, "teardown_class"):
        kind.teardown_class()
    return ran


def _bound(kind: Any, method: str, prepared: list[type]) -> Callable[[], None]:
    def call() -> None:
        if not prepared:
            prepared.append(kind)
            if hasattr(kind, "setup_class"):
                kind.setup_class()
        instance = kind()
        for before in ("setup_method", "setup"):
            if hasattr(instance, before):
                setup = getattr(instance, before)
                setup(*[None] * len(inspect.signature(setup).parameters))
                break
        try:
            getattr(instance, method)()
        finally:
            if hasattr(instance, "teardown_method"):
                instance.teardown_method(*[None] * len(inspect.signature(instance.teardown_method).parameters))

    return call


class _Result(unittest.TestResult):
    def __init__(self, name: str, report: Report) -> None:
        super().__init__()
        self._prefix, self._report, self.ran = name, report, 0
        self._bad: dict[str, str] = {}

    def _key(self, test: unittest.TestCase) -> str:
        return test.id().partition(".")[2].replace(".", "::") if test.id().startswith(MODULE) else test.id()

    def _fail(self, test: unittest.TestCase, message: str) -> None:
        self._bad.setdefault(self._key(test), message)

    def addError(self, test: Any, err: Any) -> None:
        self._fail(test, describe(err[1], FILE))

    def addFailure(self, test: Any, err: Any) -> None:
        self._fail(test, describe(err[1], FILE))

    def addSubTest(self, test: Any, _subtest: Any, err: Any) -> None:
        if err is not None:
            self._fail(test, describe(err[1], FILE))

    def addUnexpectedSuccess(self, test: Any) -> None:
        self._fail(test, "passed though it was expected to fail")

    def addSkip(self, test: Any, _reason: str) -> None:
        # A skip that the tests ask for is marked; one that is raised while a test runs may be the solution's.
        method = getattr(test, test.id().rpartition(".")[2], None)
        marked = getattr(method, "__unittest_skip__", False) or getattr(type(test), "__unittest_skip__", False)
        self._bad.setdefault(self._key(test), "" if marked else SKIPPED)

    def stopTest(self, test: Any) -> None:
        super().stopTest(test)
        key = self._key(test)
        message = self._bad.get(key)
        if message == "":
            return
        self.ran += 1
        self._report(f"{self._prefix}::{key}", "pass" if message is None else "fail", message or "")


def _cases(name: str, kind: type[unittest.TestCase], report: Report) -> int:
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(kind)
    result = _Result(name, report)
    suite.run(result)
    for key, message in result._bad.items():
        if message and key.startswith(("setUpClass", "tearDownClass", "unittest.suite")):
            result.ran += 1
            report(f"{name}::{key}", "fail", message)
    return result.ran


class _Plugin:
    """Reports what pytest does."""

    def __init__(self, name: str, report: Report, source: str, names: Mapping[str, Any]) -> None:
        self._name, self._report, self._source, self._names, self.ran = name, report, source, names, 0
        self._failed: dict[str, str] = {}
        self._marked: set[str] = set()
        self._expected = 0

    def pytest_addoption(self, parser: Any) -> None:
        """Add what pytest's reports to a terminal, which are left out, would have added for others to ask."""
        group = parser.getgroup("annotator")
        for name, value in (("verbose", 0), ("fulltrace", False), ("showlocals", False), ("tbstyle", "auto"),
                            ("no_header", True), ("no_summary", True), ("color", "no"), ("reportchars", ""),
                            ("show_capture", "no"), ("code_highlight", "no"), ("xfail_tb", False)):  # fmt: skip
            group.addoption(f"--annotator-{name}", dest=name, default=value)

    def pytest_pycollect_makeitem(self, name: str, obj: Any) -> list[Any] | None:
        """Leave out the solution's own tests."""
        return [] if self._names.get(name, self) is obj else None

    def pytest_collection_finish(self, session: Any) -> None:
        self._expected = len(session.items)
        for item in session.items:
            for owner in (getattr(item, "obj", None), getattr(item, "cls", None)):
                # Its own mark: a class could have it from the solution's.
                own = getattr(owner, "__dict__", {})
                if any(own.get(f"__unittest_{mark}__") for mark in ("skip", "expecting_failure")):
                    self._marked.add(item.nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        key = report.nodeid.partition("::")[2]
        if report.failed:
            self._failed.setdefault(key, _reason(report))
        elif report.skipped:
            # Only what the tests mark may be skipped: a skip or xfail that is raised may be the solution's.
            marks = ("xfail",) if hasattr(report, "wasxfail") else ("skip", "skipif")
            if report.nodeid not in self._marked and not any(mark in report.keywords for mark in marks):
                self._failed.setdefault(key, SKIPPED)
            elif marks != ("xfail",):
                self._failed.setdefault(key, "")
        if report.when == "teardown":
            self._expected -= 1
            message = self._failed.get(key)
            if message == "":
                return
            self.ran += 1
            self._report(f"{self._name}::{key}", "pass" if message is None else "fail", message or "")

    def finish(self) -> None:
        """Say so if a test that was found was not run, or if none was."""
        if self._expected > 0:
            self._report(self._name, "fail", "The tests ended before the last one.")
        elif not self.ran:
            self._report(self._name, "fail", NOTHING_RAN)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.ran += 1
            missing = _imported_in_vain(self._source, _reason(report))
            self._report(self._name, "machinery" if missing else "fail", missing or _reason(report))


def _reason(report: Any) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(crash.message) if crash is not None else str(report.longrepr)
    return text.strip()[:2000]


def load_pytest() -> None:
    """Load what pytest would load at each of its starts, its own plugins; children then find them loaded.

    It would also look through everything installed for plugins of others. Where there are none, children need not.
    """
    try:
        import importlib.metadata

        import pytest
    except ImportError:
        return
    if not importlib.metadata.entry_points(group="pytest11"):
        _LOOKED_THROUGH.update(sys.path)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        pytest.main(["--version", "-c", "/dev/null", "-p", "no:cacheprovider"])
    del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]


def _pytest(name: str, source: str, names: Mapping[str, Any], report: Report, folder: str, *, alone: bool) -> None:
    try:
        import pytest
    except ImportError:
        report(name, "machinery", "pytest is not in this sandbox")
        return
    injected = types.ModuleType("annotator_names")
    # What pytest itself would call is the solution's business, unless the tests call it.
    injected_names = [name for name in names if name not in _FOR_MODULES or name in source]
    injected.__dict__.update({**names, "pytest": names.get("pytest", pytest), "__all__": [*injected_names, "pytest"]})
    sys.modules["annotator_names"] = injected
    path = os.path.join(folder, f"{FILE_MODULE}.py")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(_with_names(source))
    plugin = _Plugin(name, report, source if alone else "", names)
    if _LOOKED_THROUGH.issuperset(set(sys.path) - {folder}):
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    # Old versions call a module's function of that name before the tests, as nose did: here it is the solution's.
    nose = ["-p", "no:nose"] if {"setup", "teardown"} & set(names) and "def setup(self" not in source else []
    options = ["-p", "no:terminal", "-p", "no:cacheprovider", "-p", "no:cov", *nose, "--rootdir", folder,
               "-c", "/dev/null", "--import-mode=importlib", "--basetemp", os.path.join(folder, "pytest"),
               path]  # fmt: skip
    with contextlib.suppress(SystemExit):
        pytest.main(options, plugins=[plugin])
    plugin.finish()


def _with_names(source: str) -> str:
    """Put the import of the tested names before the tests, after any future imports."""
    line = "from annotator_names import *\n"
    futures = [index for index, text in enumerate(source.splitlines()) if text.startswith("from __future__")]
    if not futures:
        return line + source
    lines = source.splitlines(keepends=True)
    return "".join([*lines[: futures[-1] + 1], line, *lines[futures[-1] + 1 :]])
