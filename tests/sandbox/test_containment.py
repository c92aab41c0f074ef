"""Whatever a solution writes, and however a command is ended: every job is answered, and what is done is kept."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

from annotator.sandbox import Job, Pool, TestCode
from annotator.sandbox.links import LinkClosedError, SocketLink
from annotator.sandbox.units import Unit, units_of
from annotator.sandbox.verdicts import read_result

WRONG = "def add(a, b):\n    return 0\n"
RIGHT = "def add(a, b):\n    return a + b\n"
TEST = (TestCode("t", "assert add(1, 2) == 3"),)
LINES = ["7", "[1]", "null", '"x"', "{}", '{"done": {}}', '{"step": 3}', '{"coverage": 1}', "{", '{"test": []}']


@pytest.mark.parametrize("mode", ["judged", "fast"])
def test_no_line_on_a_descriptor_breaks_off_a_batch(local: Pool, mode: Any) -> None:
    code = WRONG + "import os\nfor fd in range(3, 64):\n    try: os.write(fd, {!r})\n    except OSError: pass\n"
    jobs = [
        Job(id=line, language="python", code=code.format(f"{line}\n".encode()), tests=TEST, mode=mode) for line in LINES
    ]
    results = list(local.run([*jobs, Job(id="right", language="python", code=RIGHT, tests=TEST)]))
    assert [result.id for result in results] == [*LINES, "right"]
    assert {result.outcome for result in results[:-1]} == {"fail"} and results[-1].outcome == "pass"


RECORDS: list[Any] = [
    {"done": 1}, {"test": 1}, {"test": "t", "outcome": 3, "message": None}, {"load": []}, {"load": "compile"},
    {"done": "x", "memory": [], "problem": 4}, {"test": "t", "outcome": "machinery", "message": "m"},
]  # fmt: skip


def _raw(records: list[Any], **more: Any) -> dict[str, Any]:
    return {"status": 0, "candidate_status": 0, "timeout": False, "flooded": False, "memory": False, "stdout": "",
            "stderr": "", "records": records, "wall_s": 0.1, "cpu_s": 0.1, "peak_kb": 10, **more}  # fmt: skip


def _unit(mode: Any = "fast") -> Unit:
    (unit,) = units_of(Job(id="j", language="python", code=WRONG, tests=TEST, mode=mode), "/x")  # type: ignore[misc]
    return unit


@pytest.mark.parametrize("record", RECORDS)
def test_a_report_the_solution_could_have_written_is_never_machinery(record: Any) -> None:
    unit = _unit()
    forged = {**record, "nonce": unit.nonce}
    for records in ([forged], [forged, {"done": 1, "nonce": unit.nonce}], [5, None, forged]):
        assert read_result(unit, _raw(records)).outcome in ("fail", "compile_error")


@pytest.mark.parametrize(
    "coverage",
    [1, [], {"files": {}}, {"executed": [1]}, {"executed": ["a"], "missing": [], "branches": []},
     {"executed": [], "missing": [], "branches": [[1]]},
     {"executed": [], "missing": [], "branches": [], "arms": [[1, [0]]]}],
)  # fmt: skip
def test_coverage_that_is_none_is_left_out(coverage: Any) -> None:
    assert read_result(_unit(), _raw([], coverage=coverage)).coverage is None
    whole = {"executed": [1], "missing": [2], "branches": [[1, 1, 2]], "arms": [[1, [0, 1]]]}
    assert read_result(_unit(), _raw([], coverage=whole)).coverage == whole


def test_runs_of_a_program_that_were_not_all_reported_do_not_pass() -> None:
    tests = (TestCode("t", "int main() { return one() - 1; }"),)
    job = Job(id="j", language="c++", code="int one();", tests=tests, mode="fast", runs=3)
    (unit,) = units_of(job, "/x")  # type: ignore[misc]
    passed = {"step": "run", "status": 0, "timeout": False, "finished": True, "ran": 1, "wall_s": 0.1, "cpu_s": 0.1,
              "peak_kb": 1}  # fmt: skip
    failed = {**passed, "status": 1, "finished": False}
    empty = {**passed, "ran": 0}
    outcomes = {3: "pass", 2: "machinery", 1: "machinery"}
    assert {count: read_result(unit, _raw([passed] * count)).outcome for count in outcomes} == outcomes
    assert read_result(unit, _raw([passed, passed], timeout=True)).outcome == "timeout"
    assert read_result(unit, _raw([failed] * 3, stderr="no")).outcome == "fail"
    for mixed in ([passed, failed, passed], [empty, passed, passed], [passed, passed, {**failed, "timeout": True}]):
        assert read_result(unit, _raw(mixed)).outcome == "flaky"


def test_half_a_surrogate_pair_is_written_out(local: Pool) -> None:
    code = "def add(a, b):\n    raise ValueError('\\ud800 hi')\n"
    result = local.submit(Job(id="x", language="python", code=code, tests=TEST)).result()
    assert result.outcome == "fail" and "\\ud800 hi" in result.message
    json.dumps(result.as_json(), ensure_ascii=False).encode()


def test_one_job_that_cannot_be_run_does_not_end_the_others(local: Pool) -> None:
    jobs = [
        Job(id="a", language="python", code=RIGHT, tests=TEST),
        Job(id="b", language="klingon", code="qapla", tests=TEST),
        Job(id="c", language="python", code=RIGHT, tests=TEST),
    ]
    found = {result.id: result for result in local.run(jobs)}

    def cut_off() -> Any:
        yield jobs[0]
        raise KeyError("no more")

    rest = local.run(cut_off())
    assert next(rest).outcome == "pass"
    with pytest.raises(KeyError):
        next(rest)
    assert {name: result.outcome for name, result in found.items()} == {"a": "pass", "b": "machinery", "c": "pass"}
    assert "klingon" in found["b"].message


def test_a_stream_that_is_out_of_step_closes_the_link() -> None:
    class Said(SocketLink):
        def __init__(self, data: bytes) -> None:
            self._incoming, self._said = bytearray(), [data]

        def _receive(self) -> bytes:
            return self._said.pop() if self._said else b""

    for data in (b"\0\0\0\2[]", b"\0\0\0\1{", b"\xff\xff\xff\xff"):
        with pytest.raises(LinkClosedError):
            Said(data).frames()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_command_at_once_and_keeps_what_is_done(number: signal.Signals) -> None:
    rows = [
        {"id": "first", "language": "python", "code": RIGHT, "tests": [{"name": "t", "code": TEST[0].code}]},
        {"id": "long", "language": "python", "code": "import time\ntime.sleep(60)", "limits": {"wall_s": 90}},
        {"id": "behind", "language": "python", "code": "print('behind')"},
    ]
    argv = [sys.executable, "-m", "annotator", "sandbox", "exec", "--place", "local", "--allow-local", "--jobs", "2"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("".join(json.dumps(row) + "\n" for row in rows).encode())
        process.stdin.close()
        found = [json.loads(process.stdout.readline())]
        time.sleep(1.5)
        started = time.monotonic()
        process.send_signal(number)
        found += [json.loads(line) for line in process.stdout]
        status = process.wait(80)
        assert time.monotonic() - started < 40, "it was waited for"
    assert status == 5 and [row["id"] for row in found] == ["first", "behind"]


_FAMILIES = """
import socket
def refused(make, family):
    try: found = make(family, socket.SOCK_STREAM if family != 17 else socket.SOCK_RAW)
    except OSError as error: return error.errno
    for one in found if isinstance(found, tuple) else [found]: one.close()
    return 0
def families(): return {family: refused(socket.socket, family) for family in range(1, 46)}
def pairs(): return [refused(socket.socketpair, family) for family in (socket.AF_UNIX, 40)]
def links(): return refused(lambda *_: socket.socket(16, socket.SOCK_RAW, 0), 16)
"""


def test_sockets_are_of_families_that_a_network_namespace_confines(local: Pool) -> None:
    test = (
        "found = families()\nassert {found.pop(family) for family in (1, 2, 10)} == {0} and found.pop(16) in (0, 94)\n"
    )
    test += "assert set(found.values()) == {97}, found\nassert pairs() == [0, 97] and links() == 0"
    result = local.submit(Job(id="x", language="python", code=_FAMILIES, tests=(TestCode("t", test),))).result(60)
    assert (result.outcome, result.message) == ("pass", "")
