"""The program that runs a repository's tests, on a repository of our own."""

from __future__ import annotations

import ast
import base64
import io
import json
import signal
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from annotator.base.resources import resource_path
from annotator.mining.repository.confirmation.journal import read_answer
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the sandbox runs Linux")
GOOD = "def test_good():\n    assert 1 + 1 == 2\n"
DOCTESTS = "[pytest]\naddopts = --doctest-modules\n"


def report_of(folder: Path, files: dict[str, str], tests: list[str], **more: Any) -> dict[str, Any]:
    """Run one variant and return what is reported of it."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    (folder / "archive").write_bytes(base64.b64encode(packed.getvalue()))
    variant = {
        "name": "v", "tests": tests, "files": {}, "trace": False, "alone": False, "until_failure": False,
        "seconds": 30, "deadline": 120, **more,
    }  # fmt: skip
    request = {"mark": "#", "roots": [""], "variants": [variant], "archive": "archive", "environment": ""}
    (folder / "request.json").write_text(json.dumps(request))
    with resource_path("sandbox", "mining", "runner.py").open(encoding="utf-8") as program:
        done = subprocess.run(
            [sys.executable, "-"], stdin=program, cwd=folder, capture_output=True, text=True, check=False, timeout=240
        )
    lines = [json.loads(line[1:]) for line in done.stdout.splitlines() if line.startswith("#")]
    assert len(lines) == 2, done.stderr
    found: dict[str, Any] = lines[1]
    return found


def test_a_setting_that_pytest_refuses_does_not_stop_the_tests(tmp_path: Path) -> None:
    files = {"test_lib.py": GOOD, "pytest.ini": "[pytest]\nminversion = 99\n"}
    found = report_of(tmp_path, files, ["test_lib.py::test_good"])
    assert (found["exit"], found["outcomes"]) == (0, {"test_lib.py::test_good": "pass"})


def test_fixtures_for_doctests_exist_but_no_doctest_runs(tmp_path: Path) -> None:
    fixture = (
        "import pytest\n@pytest.fixture(autouse=True)\ndef named(doctest_namespace):\n    doctest_namespace['x'] = 1\n"
    )
    files = {"conftest.py": fixture, "test_lib.py": f'"""\n>>> 1\n2\n"""\n{GOOD}', "pytest.ini": DOCTESTS}
    found = report_of(tmp_path, files, ["test_lib.py::test_good"])
    assert (found["exit"], found["outcomes"]) == (0, {"test_lib.py::test_good": "pass"})


def test_a_name_that_pytest_does_not_know_does_not_stop_the_others(tmp_path: Path) -> None:
    found = report_of(tmp_path, {"test_lib.py": GOOD}, ["test_lib.py::test_gone", "test_lib.py::test_good"])
    assert found["outcomes"] == {"test_lib.py::test_good": "pass"}


def test_what_pytest_says_before_it_begins_is_told(tmp_path: Path) -> None:
    found = report_of(tmp_path, {"test_lib.py": GOOD}, ["tests/test_gone.py::test_good"])
    assert found["exit"] == 4 and found["outcomes"] == {}
    assert "file or directory not found: tests/test_gone.py" in found["messages"]["."]


def test_a_plugin_that_adds_options_is_left_out(tmp_path: Path) -> None:
    plugin = "def pytest_load_initial_conftests(args):\n    args.append('--collect-only')\n"
    files = {
        "test_lib.py": GOOD,
        "adds_options.py": plugin,
        "pytest_enabler-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: pytest-enabler\nVersion: 1\n",
        "pytest_enabler-1.dist-info/entry_points.txt": "[pytest11]\nplugin-enabled options = adds_options\n",
    }
    found = report_of(tmp_path, files, ["test_lib.py::test_good"])
    assert found["outcomes"] == {"test_lib.py::test_good": "pass"}


def test_why_tests_are_skipped_is_told(tmp_path: Path) -> None:
    marked = f"import pytest\n\n\n@pytest.mark.skipif(True, reason='it needs a sound card')\n{GOOD}"
    whole = f"import pytest\n\npytest.skip('only for Windows', allow_module_level=True)\n\n\n{GOOD}"
    for number, (text, told) in enumerate([(marked, "it needs a sound card"), (whole, "only for Windows")]):
        (folder := tmp_path / str(number)).mkdir()
        answer = read_answer(report_of(folder, {"test_lib.py": text}, ["test_lib.py::test_good"]))
        assert answer.skipped("test_lib.py::test_good") and not answer.passed("test_lib.py::test_good")
        assert [message.removeprefix("Skipped: ") for message in answer.messages.values()] == [told]


def test_failing_examples_are_not_shortened(tmp_path: Path) -> None:
    text = SAMPLES["failing_examples_are_not_shortened"]
    found = report_of(tmp_path, {"test_lib.py": text}, ["test_lib.py"])
    assert found["outcomes"] == {"test_lib.py::test_short": "fail", "test_lib.py::test_not_the_shortest": "pass"}


def test_slow_examples_fail_no_test(tmp_path: Path) -> None:
    text = SAMPLES["slow_examples_fail_no_test"]
    found = report_of(tmp_path, {"test_lib.py": text}, ["test_lib.py"])
    assert found["outcomes"] == {"test_lib.py::test_slow": "pass"}, found["messages"]


def test_an_interrupt_is_an_exception(tmp_path: Path) -> None:
    text = SAMPLES["an_interrupt_is_an_exception"]
    starts = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        found = report_of(tmp_path, {"test_lib.py": text}, ["test_lib.py"], seconds=1, deadline=20)
    finally:
        signal.signal(signal.SIGINT, starts)
    assert found["outcomes"] == {"test_lib.py::test_interrupt": "pass"}


def test_processor_time_is_limited(tmp_path: Path) -> None:
    spins = "def test_spin():\n    while True:\n        pass\n"
    found = report_of(tmp_path, {"test_lib.py": spins}, ["test_lib.py::test_spin"], processor=2)
    assert found["exit"] == -1 and "outcomes" not in found


def test_what_a_test_of_examples_calls_in_an_expression_of_its_own(tmp_path: Path) -> None:
    text = (
        "from hypothesis import given, strategies as st\nfrom lib import f\n"
        "@given(st.lists(st.integers()))\ndef test_all(xs):\n    assert all(f(x) == x for x in [1, *xs])\n"
    )
    found = report_of(
        tmp_path, {"lib.py": "def f(x):\n    return x\n", "test_lib.py": text}, ["test_lib.py"], trace=True
    )
    assert ["lib.py", 1, True] in found["calls"]["test_lib.py::test_all"]


def test_what_a_test_calls_itself_or_through_libraries(tmp_path: Path) -> None:
    samples = SAMPLES["what_a_test_calls"]
    library, expected = samples["lib.py"], samples["tests"]
    tests = "".join(f"def test_{number}():\n    {line}\n" for number, line in enumerate(expected))
    text = f"import asyncio, copy, functools, re, pytest\nfrom lib import *\nBag.y = 1\n{tests}"
    found = report_of(tmp_path, {"lib.py": library, "test_lib.py": text}, ["test_lib.py"], trace=True)
    names = {
        node.lineno: node.name if kind is None else f"{kind.name}.{node.name}"
        for kind in (None, *(item for item in ast.parse(library).body if isinstance(item, ast.ClassDef)))
        for node in (kind or ast.parse(library)).body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    calls = [found["calls"][f"test_lib.py::test_{number}"] for number in range(len(expected))]
    direct = [sorted(names[line] for path, line, direct in seen if direct and path == "lib.py") for seen in calls]
    assert dict(zip(expected, direct, strict=True)) == expected
