"""Starting cheaper changes no verdict: Ruby without RubyGems, R without its packages."""

from __future__ import annotations

import builtins
import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.resources import resource_path
from annotator.sandbox import LANGUAGES, Job, Limits, Pool, TestCode, find_language
from annotator.sandbox.languages import ProgramRequest
from annotator.sandbox.sandbox_places import DockerPlace
from tests.benchmarks import languages as bench_languages
from tests.benchmarks import unit_tests
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

SUPERVISOR = str(resource_path("sandbox", "supervisor"))


@pytest.mark.sandbox
def test_node_from_its_snapshot_does_what_it_does_without(place: DockerPlace) -> None:
    # The snapshot holds for the flags of the usual memory, so a little more memory goes without it.
    files = {"other.js": "exports.x = 5; exports.y = 6"}
    usual = Limits(wall_s=60, cpu_s=60)
    more = replace(usual, memory_mb=usual.memory_mb + 8)
    done: list[dict[str, tuple[str, str]]] = []
    for limits in (usual, more):
        jobs = [
            Job(id=what, language="javascript", code=code, files=files, stdin="given", limits=limits)
            for what, code in SAMPLES["node"].items()
        ]
        with Pool(place, 1) as pool:
            done.append({item.id: (item.outcome, item.stdout) for item in pool.run(jobs)})
            listed = pool.submit_command("javascript", ("sh", "-c", "ls /opt/annotator")).result().stdout
    assert done[0] == done[1]
    wanted = f"node-{usual.memory_mb * 3 // 4}.blob"
    assert wanted in listed and done[0]["the folder"][1].strip().endswith("5")


@pytest.mark.sandbox
@pytest.mark.parametrize("memory_mb", [512, 520])
def test_coverage_of_node_is_the_same_from_its_snapshot(languages: Pool, memory_mb: int) -> None:
    code = "function f(x) {\n  if (x) {\n    return 1\n  }\n  return 2\n}"
    job = Job(
        id="c",
        language="javascript",
        code=code,
        tests=(TestCode("t", "require('assert').equal(f(1), 1)"),),
        coverage=True,
        limits=Limits(memory_mb=memory_mb, wall_s=60, cpu_s=60),
    )
    found = languages.submit(job).result()
    assert found.outcome == "pass" and found.coverage is not None
    assert found.coverage["missing"] == [5] and 3 in found.coverage["executed"]


@pytest.mark.sandbox
@pytest.mark.parametrize(("name", "tests"), [("ruby", SAMPLES["ruby"]), ("r", SAMPLES["r"])])
def test_what_is_loaded_late_is_there_when_it_is_asked_for(languages: Pool, name: str, tests: dict[str, str]) -> None:
    code = {"ruby": "def add(a, b) = a + b", "r": "add <- function(a, b) a + b"}[name]
    found = list(
        languages.run(
            Job(id=what, language=name, code=code, tests=(TestCode("t", test),)) for what, test in tests.items()
        )
    )
    assert {result.id: (result.outcome, result.stderr) for result in found if result.outcome != "pass"} == {}


def test_ruby_and_r_are_started_with_what_lies_in_the_resources() -> None:
    for name, file in (("ruby", "start.rb"), ("r", "start.R")):
        build = find_language(name).build
        assert build is not None
        program = build(ProgramRequest(code="x", test="y", memory_mb=64, tools="/tools"))
        text = resource_path("sandbox", "starts", file).read_text(encoding="utf-8")
        assert program.files[f".{file}"] == text and any(f".{file}" in word for word in program.steps[-1].argv)
    alone = find_language("r").build(ProgramRequest(code="x", test=None, memory_mb=64, tools="/tools"))  # type: ignore[misc]  # R has one
    assert alone.steps[0].env == () and list(alone.files) == ["main.R"]


@pytest.mark.parametrize(("name", "tool"), [("javascript", "node"), ("go", "go")])
def test_a_tool_that_a_shell_starts_is_said_to_be_missing(tmp_path: Path, name: str, tool: str) -> None:
    build = find_language(name).build
    assert build is not None
    step = build(ProgramRequest(code="x", test="y", memory_mb=64, tools="/tools")).steps[0]
    assert step.argv[0] == "sh"
    done = subprocess.run(["/bin/sh", *step.argv[1:]], cwd=tmp_path, env={"PATH": str(tmp_path)}, capture_output=True,
                          text=True, check=False)  # fmt: skip
    # This status with these words is machinery, not a verdict.
    assert (done.returncode, done.stderr) == (127, f"{tool} is not in this sandbox\n")


@pytest.mark.parametrize("memory_mb", [Limits().memory_mb, 1024])
def test_the_flags_of_node_are_those_of_the_snapshots_in_its_image(memory_mb: int) -> None:
    build = find_language("javascript").build
    assert build is not None
    argv = build(ProgramRequest(code="x", test="y", memory_mb=memory_mb, tools="/opt/annotator")).steps[0].argv
    flags = [word for word in argv if word.startswith(("--stack-size", "--max-old"))]
    made = resource_path("sandbox", "images", "javascript.Dockerfile").read_text(encoding="utf-8")
    heap = flags[1].rpartition("=")[2]
    assert f'flags="{flags[0]} --max-old-space-size=$heap"' in made and argv[3].endswith(f"/node-{heap}.blob")
    assert heap in made.partition("for heap in ")[2].partition(";")[0].split()


def test_programs_in_cpp_are_compiled_as_their_precompiled_header_was() -> None:
    build = find_language("c++").build
    assert build is not None
    argv = build(ProgramRequest(code="x", test="y", memory_mb=64, tools="/tools")).steps[0].argv
    lines = resource_path("sandbox", "images", "headers.sh").read_text().splitlines()
    command = next(line for line in lines if line.startswith("compile="))
    headers = [line for line in lines if "c++-header" in line]
    # Whatever defines a macro or chooses a dialect must be in both.
    telling = [word for word in argv if word.startswith(("-std", "-D", "-m", "-f")) or word == "-pthread"]
    assert [word for word in telling if not word.startswith("-fuse-ld")] == ["-std=c++17"]
    assert headers and all("$compile" in line for line in headers) and "-std=c++17" in command


@pytest.fixture(scope="module")
def python_unit() -> Iterator[Any]:
    """The supervisor's module of that name."""
    before = set(sys.modules)
    sys.path.insert(0, SUPERVISOR)
    yield importlib.import_module("python_unit")
    sys.path.remove(SUPERVISOR)
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(SUPERVISOR):
            del sys.modules[name]


@given(name=st.text(), message=st.text(), nonce=st.text("0123456789abcdef", max_size=32), memory=st.booleans())
def test_reports_are_the_json_they_were(python_unit: Any, name: str, message: str, nonce: str, memory: bool) -> None:
    read, write = os.pipe()
    try:
        reporter = python_unit.Reporter(write, nonce)
        reporter.report(name, "pass", message)
        reporter.finish(memory=memory, problem=message)
        lines = [json.loads(line) for line in os.read(read, 1 << 16).splitlines()]
    finally:
        os.close(read)
        os.close(write)
    assert lines == [
        {"test": name, "outcome": "pass", "message": message, "nonce": nonce},
        {"done": 1, "memory": memory, "problem": message, "nonce": nonce},
    ]


def test_a_snapshot_sees_what_is_replaced_and_not_what_is_put_back(python_unit: Any, monkeypatch: Any) -> None:
    before = python_unit.snapshot()
    with monkeypatch.context() as patch:
        patch.setattr("builtins.len", max)
        assert python_unit.is_replaced(before, python_unit.snapshot())
    with monkeypatch.context() as patch:
        patch.delattr("builtins.print")
        assert python_unit.is_replaced(before, python_unit.snapshot())
    assert not python_unit.is_replaced(before, python_unit.snapshot())
    with monkeypatch.context() as patch:
        patch.setattr("unittest.TestCase.assertEqual", lambda *_: None)
        assert python_unit.is_replaced(before, python_unit.snapshot())
    with monkeypatch.context() as patch:
        # What modules made with pybind11 do as they load.
        patch.setitem(vars(builtins), "__pybind11_internals_v4__", object())
        assert not python_unit.is_replaced(before, python_unit.snapshot())


def test_every_language_that_is_measured_is_one_of_the_sandbox() -> None:
    known = [item.language for item in bench_languages.KNOWN]
    assert len(set(known)) == len(known) and set(known) <= {item.name for item in LANGUAGES}
    assert all(0 < item.best <= 1 for item in bench_languages.KNOWN)


@pytest.mark.sandbox
def test_unit_tests_are_measured_beside_bare_forks_of_them(place: DockerPlace) -> None:
    cases = [(f"def f(): return {number}", f"assert f() == {number}") for number in range(6)]
    with Pool(place, 2) as pool:
        found = unit_tests.rates(pool, place, cases, rounds=1)
        assert unit_tests.idle(pool, cases[:1], "judged") > 0
        with pytest.raises(RuntimeError, match="fail"):
            unit_tests.through(pool, place, [("x = 1", "assert x == 2")], "fast")
        with pytest.raises(RuntimeError, match="bare forks"):
            unit_tests.rates(pool, place, [("x = 1", "assert x == 2")], rounds=1)
    assert min(found.floor.a_second, found.fast.a_second, found.judged.a_second) > 0
    assert found.floor.processor_ms is not None and found.floor.processor_ms > 0


@pytest.mark.sandbox
def test_a_language_is_measured_beside_its_plain_tool_chain(place: DockerPlace, monkeypatch: Any) -> None:
    known = next(item for item in bench_languages.KNOWN if item.language == "php")
    monkeypatch.setattr(bench_languages, "KNOWN", (known,))
    monkeypatch.setattr(bench_languages, "_ROUNDS", 1)
    with Pool(place, 1) as pool:
        (figure,) = bench_languages.figures(pool, place)
    assert figure.what == "php" and figure.value > 0 and figure.floor


def test_many_reports_come_through_while_the_program_never_stops_writing(local: Pool) -> None:
    code = (
        "import os, threading\n"
        "def write():\n    while True:\n        os.write(1, b'x')\n"
        "threading.Thread(target=write, daemon=True).start()\n"
    )
    tests = "\n".join(f"def test_{'n' * 90}_{number}(): pass" for number in range(900))
    limits = Limits(wall_s=60, cpu_s=60)
    job = Job(id="x", language="python", code=code, tests=(TestCode("t", tests),), mode="fast", limits=limits)
    result = local.submit(job).result()
    assert (result.outcome, len(result.tests), result.message) == ("pass", 900, "")


def test_the_judge_does_not_read_before_the_candidate_has_read_its_part(python_unit: Any) -> None:
    found = {}
    for said in (b"r", b"x", b""):
        read, write = os.pipe()
        os.write(write, said)
        os.close(write)
        found[said] = python_unit.is_read(read)
        os.close(read)
    assert found == {b"r": True, b"x": False, b"": False}
    read, write = os.pipe()
    os.close(write)
    nowhere = -1
    status = python_unit.judge({}, None, "/nowhere", nowhere, nowhere, read)
    os.close(read)
    assert status == python_unit.OUT_OF_STEP


PLAIN = st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(), st.lists)
"""What frames hold as it is; other containers are written where they cross (`test_crossing`)."""


@given(value=PLAIN)
def test_lists_cross_as_they_are_and_never_as_the_same_object(python_unit: Any, value: Any) -> None:
    wire = sys.modules["wire"]
    sent = json.loads(json.dumps(wire.encode(value)))
    assert repr(wire.decode(sent)) == repr(value)
    if isinstance(sent, list):
        # A call may change its arguments in place; what was sent is compared with them afterwards.
        assert wire.decode(sent) is not sent


@given(messages=st.lists(PLAIN, max_size=6), ahead=st.sampled_from([1, 3, 4, 7, 8192]))
def test_frames_are_read_one_by_one_however_they_come(python_unit: Any, messages: list[Any], ahead: int) -> None:
    wire = sys.modules["wire"]
    sent = [wire.encode(message) for message in messages]
    with tempfile.TemporaryFile(buffering=0) as stream, mock.patch.object(wire, "_AHEAD", ahead):
        for message in sent:
            wire.write_frame(stream.fileno(), message)
        stream.seek(0)
        frames = wire.Frames(stream.fileno(), 1 << 20)
        assert [frames.read() for _ in sent] == json.loads(json.dumps(sent))
        with pytest.raises(wire.EndOfStreamError):
            frames.read()


def test_a_frame_over_the_limit_or_cut_short_is_refused(python_unit: Any) -> None:
    wire = sys.modules["wire"]
    for data, kind in ((b"\0\0\1\0" + b"x" * 256, wire.WireError), (b"\0\0\0\5[1]", wire.EndOfStreamError),
                       (b"\0\0\0\2[1]", wire.WireError), (b"\0\0", wire.EndOfStreamError)):  # fmt: skip
        read, write = os.pipe()
        os.write(write, data)
        os.close(write)
        with pytest.raises(kind):
            wire.Frames(read, 255).read()
        os.close(read)


def test_a_child_has_no_descriptors_but_its_own() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SAMPLES["children"], SUPERVISOR], capture_output=True, text=True, check=True
    )
    listed, *own = done.stdout.split()
    # The folder that is listed has a descriptor of its own while it is.
    assert set(own) <= set(listed.split(",")) and len(set(listed.split(",")) - {"0", "1", "2", *own}) == 1
