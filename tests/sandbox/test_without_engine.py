"""The parts of the sandbox that need no engine: reading jobs, looking at tests, plain values, cleaning, links."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docker
import docker.errors
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.errors import BadInputError, KnownError, MissingEnvironmentError
from annotator.base.resources import resource_path
from annotator.sandbox import LANGUAGES, Job, Limits, Pool, TestCode, find_language, parse_job
from annotator.sandbox.containers import connect_to_docker
from annotator.sandbox.images import GROUPS, build_context
from annotator.sandbox.languages import ProgramRequest
from annotator.sandbox.links import Link
from annotator.sandbox.python_tests import inspect_tests
from annotator.sandbox.sandbox_places import LocalPlace
from annotator.sandbox.units import units_of
from tests.sandbox.programs import PROGRAMS


@pytest.fixture(scope="module")
def inside() -> Iterator[Any]:
    """The modules of the supervisor, as the sandbox imports them."""
    folder = str(resource_path("sandbox", "supervisor"))
    sys.path.insert(0, folder)
    names = ("wire", "clean", "confine", "solution", "measured")
    yield type("Inside", (), {name: importlib.import_module(name) for name in names})
    sys.path.remove(folder)
    for name in names:
        del sys.modules[name]


class Liar(int):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__


def test_only_exact_types_are_plain(inside: Any) -> None:
    for value in (Liar(5), object(), type("Same", (), {"__eq__": lambda s, o: True, "__hash__": None})(), len, type):
        with pytest.raises(inside.wire.WireError):
            inside.wire.encode(value)


@given(data=st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda i: st.lists(i, max_size=3) | st.dictionaries(
    st.sampled_from("fdtszbacrnikpey") | st.text(max_size=2), i, max_size=2), max_leaves=10))  # fmt: skip
def test_any_data_is_a_value_or_refused(inside: Any, data: Any) -> None:
    try:
        inside.wire.decode(data)
    except inside.wire.WireError:
        pass
    except TypeError as error:
        assert "unhashable" in str(error)


def test_a_deep_tree_with_traps_is_removed_and_links_are_not_followed(inside: Any, tmp_path: Path) -> None:
    place, outside = tmp_path / "place", tmp_path / "outside"
    place.mkdir()
    outside.mkdir()
    (outside / "keep").write_text("kept")
    here = os.getcwd()
    os.chdir(place)
    try:
        for _ in range(1200):
            os.mkdir("d")
            os.chdir("d")
    finally:
        os.chdir(here)
    (place / "link").symlink_to(outside)
    (place / "shut").mkdir()
    (place / "shut" / "f").write_text("x")
    (place / "shut").chmod(0)
    os.mkfifo(place / "fifo")
    inside.clean.empty(str(place))
    assert list(place.iterdir()) == []
    assert (outside / "keep").read_text() == "kept"


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ([], "not an object"),
        ({"language": "python"}, "no text in code"),
        ({"language": "python", "code": "x", "test": []}, "field test"),
        ({"language": "python", "code": "x", "tests": {}}, "list"),
        ({"language": "python", "code": "x", "tests": [{"name": "a"}]}, "test 1"),
        ({"language": "python", "code": "x", "mode": "quick"}, "mode"),
        ({"language": "python", "code": "x", "files": {"../a": "b"}}, "leaves"),
        ({"language": "python", "code": "x", "files": {"/etc/a": "b"}}, "leaves"),
        ({"language": "python", "code": "x", "limits": {"wall_s": -1}}, "above 0"),
        ({"language": "python", "code": "x", "limits": {"colour": 1}}, "no limit colour"),
        ({"language": "python", "code": "x", "id": True}, "id"),
    ],
)
def test_jobs_with_faults_are_refused_by_name(row: Any, words: str) -> None:
    with pytest.raises(BadInputError, match="Job 3") as caught:
        parse_job(row, 3)
    assert words in caught.value.message


def test_a_job_reads_back() -> None:
    job = parse_job({"id": 7, "language": "py", "code": "x", "tests": [{"code": "y"}], "limits": {"wall_s": 2}})
    assert (job.id, job.tests, job.limits.wall_s, job.limits.cpu_s) == ("7", (TestCode("test 1", "y"),), 2.0, 2.0)
    assert find_language(job.language).name == "python"
    with pytest.raises(KnownError, match="no language cobol"):
        find_language("cobol")


@pytest.mark.parametrize(
    ("test", "style", "nothing", "together"),
    [
        ("assert f(1) == 2", "snippet", False, ""),
        ("def check(c):\n    assert c(1)\ncheck(f)", "snippet", False, ""),
        ("def check(c):\n    assert c(1)", "snippet", True, ""),
        ("import pytest\n# nothing", "snippet", True, ""),
        ("METADATA = {'a': 1}\n'''doc'''", "snippet", True, ""),
        ("", "snippet", True, ""),
        ("def test_a():\n    assert f(1)", "functions", False, ""),
        ("import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass", "functions", False, ""),
        ("import pytest\ndef test_a():\n    pass", "pytest", False, ""),
        ("def test_a(tmp_path):\n    pass", "pytest", False, "the fixture tmp_path"),
        ("class TestX:\n    def test_a(self, capsys):\n        pass", "pytest", False, "the fixture capsys"),
        (
            "class TestX:\n    def test_a(self): pass\n    def test_b(self, far): pass\nTestX().test_a()",
            "snippet",
            False,
            "",
        ),
        ("class TestX:\n    def test_a(self): pass\nmain(TestX())", "functions", False, ""),
        ("import sys\nassert f(1)", "snippet", False, "use sys"),
        ("from unittest.mock import patch\nassert f(1)", "snippet", False, "patch or open"),
        ("assert Node(1).value == 1", "snippet", False, ""),
        ("class A(Node): pass\nassert A(1).value == 1", "snippet", False, "derive a class from Node"),
        ("def f(:", "snippet", False, ""),
    ],
)
def test_test_code_is_looked_at_before_it_runs(test: str, style: str, nothing: bool, together: str) -> None:
    found = inspect_tests(test)
    assert (found.style, found.runs_nothing) == (style, nothing)
    assert together in found.same_process
    assert bool(together) == bool(found.same_process)


def test_a_solution_cannot_talk_its_way_out_of_the_judge() -> None:
    code = "class add:\n    pass\nimport sys\nclass Node: pass\nclass METADATA: pass\nclass ValueError: pass"
    tests = ("assert add(1, 2) == 3", "METADATA = {}\nassert add(1, 2) == 3", "try: add(1)\nexcept ValueError: pass")
    for test in tests:
        (unit,) = units_of(Job(id="a", language="python", code=code, tests=(TestCode("t", test),)), "/x")  # type: ignore[misc]
        assert (unit.head["kind"], unit.weaker) == ("judged", "")


@pytest.mark.parametrize("name", [item.name for item in LANGUAGES if item.build is not None])
def test_every_language_puts_code_and_test_into_one_program(name: str) -> None:
    build = find_language(name).build
    assert build is not None
    code, test = PROGRAMS[name].code, PROGRAMS[name].passing
    alone = build(ProgramRequest(code=code, test=None, memory_mb=256, tools="/tools"))
    tested = build(ProgramRequest(code=code, test=test, memory_mb=256, tools="/tools"))
    assert alone.steps[-1].kind == tested.steps[-1].kind == "run"
    assert "/tools/guard" in json.dumps([step.argv for step in tested.steps])
    assert (
        "/tools/guard." not in json.dumps([step.argv for step in alone.steps]).replace("guard.jar", "") or name == "sql"
    )
    # R alone is started as it is: what starts it later is for tests.
    assert set(alone.files) == set(tested.files) - ({".start.R"} if name == "r" else set())


def test_imports_of_two_parts_become_one_list() -> None:
    java = find_language("java").build
    go = find_language("go").build
    assert java is not None and go is not None
    text = java(
        ProgramRequest(
            code="import a.B;\npublic class S {}",
            test="import a.B;\nimport c.D;\npublic class Main { public static void main(String[] x) {} }",
            memory_mb=256,
            tools="/t",
        )
    )
    assert text.files["Main.java"].count("import a.B;") == 1
    started = text.steps[-1].argv[-1]
    assert started.startswith("AnnotatorTests") and 'forName("Main")' in "".join(text.files.values())
    source = go(
        ProgramRequest(
            code='package main\nimport (\n\t"fmt"\n)\nfunc f() {}',
            test='package main\nimport "fmt"\nfunc main() { fmt.Print() }',
            memory_mb=256,
            tools="/t",
        )
    )
    assert source.files["main.go"].count('"fmt"') == 1 and "annotatorProgram" in source.files["main.go"]


def test_build_contexts_are_the_same_bytes_twice() -> None:
    for group in GROUPS:
        assert build_context(group).getvalue() == build_context(group).getvalue()


def test_code_runs_on_this_machine_only_when_that_was_asked_for() -> None:
    place = LocalPlace()
    with Pool(place, 1) as pool:
        jobs = [
            Job(id="good", language="python", code="def f(x): return x", tests=(TestCode("t", "assert f(1) == 1"),)),
            Job(id="bad", language="python", code="def f(x): return 0", tests=(TestCode("t", "assert f(1) == 1"), TestCode("u", "assert f(0) == 0"))),
            Job(id="none", language="python", code="def f(x): return 0", tests=(TestCode("t", "import math"),)),
            Job(id="empty", language="python", code="  ", tests=(TestCode("t", "assert 1"),)),
            Job(id="no tests", language="python", code="x = 1", tests=()),
            Job(id="alone", language="python", code="import sys\nprint(sys.stdin.read(), open('a/b.txt').read())", tests=None, stdin="in", files={"a/b.txt": "file"}),
            Job(id="child", language="python", code="import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\n"),
        ]  # fmt: skip
        found = {result.id: result for result in pool.run(jobs)}
    place.close()
    assert {name: result.outcome for name, result in found.items()} == {
        "good": "pass", "bad": "fail", "none": "fail", "empty": "no_code", "no tests": "fail", "alone": "pass", "child": "pass",
    }  # fmt: skip
    assert [test.outcome for test in found["bad"].tests] == ["fail", "pass"]
    assert found["alone"].stdout == "in file\n"
    assert found["none"].message == found["no tests"].message == "No test was run."
    assert "LocalPlace" not in repr(place.weakness) and "without isolation" in place.weakness


def test_folders_of_programs_that_were_killed_are_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left = tmp_path / "annotator-sandbox-tools-1-0-abc"
    left.mkdir()
    place = LocalPlace()
    assert not left.exists() and len(list(tmp_path.iterdir())) == 1
    place.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(shutil.which("javac") is None, reason="this machine has no compiler of Java")
def test_tools_of_java_are_compiled_when_java_is_run_first() -> None:
    place = LocalPlace()
    place.start("python", 256, ()).close()
    assert not list(Path(place.tools).iterdir())
    place.start("java", 256, ()).close()
    assert (Path(place.tools) / "guard.jar").exists()
    place.close()


def test_a_job_of_an_unknown_language_is_refused(local: Pool) -> None:
    with pytest.raises(KnownError, match="no language"):
        local.submit(Job(id="x", language="klingon", code="qapla")).result()


class _Script(Link):
    """A link that says what it is told to say."""

    def __init__(self, pieces: list[bytes]) -> None:
        super().__init__("script")
        self._pieces, self.sent = pieces, b""

    def fileno(self) -> int:
        return -1

    def _receive(self) -> bytes:
        return self._pieces.pop(0) if self._pieces else b""

    def _transmit(self, data: memoryview) -> int:
        self.sent += bytes(data[:3])
        return len(data[:3])

    def close(self) -> None:
        pass


@given(
    rows=st.lists(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=9), max_size=3), max_size=5),
    cut=st.integers(1, 9),
)
def test_frames_survive_being_cut_anywhere(rows: list[dict[str, Any]], cut: int) -> None:
    sender = _Script([])
    for row in rows:
        sender.send(row)
    stream = sender.sent
    receiver = _Script([stream[at : at + cut] for at in range(0, len(stream), cut)])
    assert receiver.frames() == rows


class Counted:
    """This machine, with the limits of memory of the supervisors that were started."""

    def __init__(self) -> None:
        self._place = LocalPlace()
        self.tools, self.started = self._place.tools, list[int]()

    def start(self, group: str, memory_mb: int, preload: tuple[str, ...]) -> Link:
        self.started.append(memory_mb)
        return self._place.start(group, memory_mb, preload)

    def close(self) -> None:
        self._place.close()


def test_supervisors_of_several_kinds_wait_for_more_work_and_the_longest_idle_one_makes_room() -> None:
    place = Counted()
    jobs = {mb: Job(id=str(mb), language="bash", code="true", limits=Limits(memory_mb=mb)) for mb in range(256, 262)}
    with Pool(place, 1) as pool:
        for mb in (256, 257, 256, 257):
            assert pool.submit(jobs[mb]).result(60).outcome == "pass"
        assert len(place.started) == 2
        # After the last of six kinds, the four that ran last are there, and the first must be started again.
        for mb in (*jobs, 258, 259, 260, 261, 256):
            assert pool.submit(jobs[mb]).result(60).outcome == "pass"
    first = place.started[0]
    assert [mb - first for mb in place.started] == [0, 1, 2, 3, 4, 5, 0]
    place.close()


class Broken:
    """Stands for a place with a bug: no supervisor starts, and not for a reason that anybody knows."""

    tools = "."

    def start(self, group: str, memory_mb: int, preload: tuple[str, ...]) -> Link:
        raise RuntimeError("a bug")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_nobody_waits_for_a_pool_whose_thread_has_ended() -> None:
    with Pool(Broken(), 1) as pool:
        job = Job(id="j", language="bash", code="true")
        assert pool.submit(job).result(60).outcome == "machinery"
        with pytest.raises(KnownError, match="closed"):
            pool.submit(job).result(60)


def test_the_supervisors_modules_are_those_in_the_folder() -> None:
    from annotator.sandbox.links import SUPERVISOR_MODULES

    assert {path.stem for path in resource_path("sandbox", "supervisor").glob("*.py")} == set(SUPERVISOR_MODULES)


def test_an_engine_that_this_user_may_not_use_is_told_apart_from_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_options: object) -> None:
        raise docker.errors.DockerException(
            "Error while fetching server API version: ('Connection aborted.', PermissionError(13, 'Permission denied'))"
        )

    monkeypatch.setenv("DOCKER_HOST", "unix:///run/docker.sock")
    monkeypatch.setattr(docker, "from_env", refuse)
    with pytest.raises(MissingEnvironmentError, match=r"no permission to use it.*usermod -aG docker"):
        connect_to_docker()
