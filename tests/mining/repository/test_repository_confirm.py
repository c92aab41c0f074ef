"""Confirmation: what is made of the sandbox's answers, and (with an engine) the whole of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.base.errors import MissingEnvironmentError
from annotator.cli.parser import build_parser
from annotator.jobs.progress import Cancelled, Progress
from annotator.mining.repository.confirmation.confirm import (
    NO_REPORT,
    NOT_FOUND,
    PASSES,
    TESTS_PER_PROCESS,
    TestConfirmation,
    VariantRunner,
)
from annotator.mining.repository.confirmation.confirm_alone import confirm_alone, replace_masked_body
from annotator.mining.repository.confirmation.journal import Variant, VariantAnswer
from annotator.mining.repository.confirmation.long_contexts import drop_long_context, drop_long_contexts
from annotator.mining.repository.context.place import reduce_shown_contexts
from annotator.mining.repository.discovery.discovery_filters import FilterVerdict
from annotator.mining.repository.pipeline import MiningSession, mine_folder
from annotator.mining.repository.rows import MinedSubject, count_failures
from annotator.sandbox import Job, JobResult
from annotator.services.sources import repository_mining
from annotator.services.sources.repository_mining import MiningOptions, candidate_of_mined_row, mine_repositories
from tests.samples import load_samples

from .conftest import Write

SAMPLES = load_samples(__file__)

FILES = SAMPLES["files"]
MANY = 150
"""Definitions that have more characters together than a context may have."""


class Answers:
    """Stands for the sandbox: answers each variant as a function says."""

    def __init__(self, answer: Callable[[Variant], VariantAnswer]) -> None:
        self.answer = answer
        self.asked: list[Variant] = []

    def run(self, variants: list[Variant], stage: str = "", batch: int = 0) -> Iterator[tuple[Variant, VariantAnswer]]:
        for variant in variants:
            self.asked.append(variant)
            yield variant, self.answer(variant)


class Told(Answers):
    """Answers as a dictionary says, by test and by whether the body is missing."""

    def __init__(self, ran: dict[str, list[tuple[str, int, bool]]], failing: set[str], blind: set[str]) -> None:
        super().__init__(self._say)
        self.ran, self.failing, self.blind = ran, failing, blind

    def _say(self, variant: Variant) -> VariantAnswer:
        bad = {test for test in variant.tests if test in self.failing or (variant.files and test not in self.blind)}
        outcomes = {test: "fail" if test in bad else "pass" for test in variant.tests}
        messages = dict.fromkeys(bad, "AssertionError")
        calls = {test: self.ran.get(test, []) for test in variant.tests} if variant.trace else {}
        return VariantAnswer(exit=int(bool(bad)), outcomes=outcomes, messages=messages, calls=calls)


def _run(session: MiningSession, told: Answers) -> TestConfirmation:
    """Run all tests of what was mined, as the stand-in answers."""
    work = TestConfirmation(session.project, session.tree, told)  # type: ignore[arg-type]
    work.run_tests(session.node_ids())
    return work


def test_rows_follow_what_was_seen(write: Write) -> None:
    root = write(FILES)
    mined, session = mine_folder(root, MiningOptions(with_contexts=False))
    assert {row.qualified_name for row in mined.rows} == {"add", "weak", "Box.put"}
    ran = {
        "test_lib.py::test_add": [("lib.py", 1, True)],
        "test_lib.py::test_weak": [("lib.py", 13, True)],
        "test_lib.py::test_hidden": [("lib.py", 7, True)],
        "test_lib.py::test_failing": [("lib.py", 1, True)],
    }
    told = Told(ran, {"test_lib.py::test_failing"}, {"test_lib.py::test_weak"})
    work = _run(session, told)
    confirmed = work.confirm(session.with_observed_calls(mined.rows, work.calls_by_test))
    assert [variant.trace for variant in told.asked] == [True, *[False] * (PASSES - 1)]
    # What failed, or runs no function that may be kept, is not run again.
    assert {*told.asked[1].tests} == {f"test_lib.py::{name}" for name in ("test_add", "test_weak", "test_hidden")}
    rows = {row.qualified_name: row for row in work.check_noticing(confirmed)}
    assert {test.node_id: test.confirmed for test in rows["add"].tests} == {
        "test_lib.py::test_add": True,
        "test_lib.py::test_failing": False,
    }
    answers = {
        name: {item.name: item.reason for item in row.filters if not item.passed and item.name != "self-contained"}
        for name, row in rows.items()
    }
    assert answers["add"] == {}
    assert answers["unseen"] == {}
    assert answers["weak"] == {"noticed": "its tests still pass with only pass as body"}
    assert answers["Box.put"] == {"executable": "no passing test runs it"}
    assert not rows["weak"].selected and not rows["Box.put"].selected


def test_a_call_that_other_code_of_the_repository_made_is_a_helpers(write: Write) -> None:
    library = (
        "class Shape:\n    def area(self):\n        size = 1\n        size += 1\n        return size\n\n\n"
        "class Square(Shape):\n    def area(self):\n        size = 2\n        return size + super().area()\n\n\n"
        'def make() -> Shape:\n    kinds = dict(globals())\n    return kinds["Square"]()\n\n\n'
        "def wrapped(function):\n    return lambda: function()\n\n\n"
        "@wrapped\ndef behind():\n    size = 1\n    return size\n"
    )
    tests = (
        "from lib import *\n\n\ndef test_made():\n    assert make().area() == 4\n\n\n"
        "def test_behind():\n    assert behind() == 1\n"
    )
    mined, session = mine_folder(write({"lib.py": library, "test_lib.py": tests}))
    ran = {
        "test_lib.py::test_made": [("lib.py", 2, False), ("lib.py", 9, True), ("lib.py", 14, True)],
        "test_lib.py::test_behind": [("lib.py", 23, False)],
    }
    work = _run(session, Told(ran, set(), set()))
    rows = {
        row.qualified_name: row for row in work.confirm(session.with_observed_calls(mined.rows, work.calls_by_test))
    }
    assert {name: [(test.how, test.confirmed) for test in row.tests] for name, row in rows.items()} == {
        "Shape.area": [("helper", True)], "Square.area": [("call", True)], "make": [("call", True)],
        "behind": [("call", True)],
    }  # fmt: skip
    direct = {name: [item.passed for item in row.filters if item.name == "direct"] for name, row in rows.items()}
    assert direct == {"Shape.area": [False], "Square.area": [True], "make": [True], "behind": [True]}


def test_one_of_many_tests_may_notice(write: Write) -> None:
    names = [f"test_a{number}" for number in range(9)] + ["test_last"]
    tests = "".join(f"\n\ndef {name}():\n    assert add(1, 2)\n" for name in names)
    root = write({"lib.py": FILES["lib.py"], "test_lib.py": f"from lib import add\n{tests}"})
    mined, session = mine_folder(root, MiningOptions(with_contexts=False))
    ran = {f"test_lib.py::{name}": [("lib.py", 1, True)] for name in names}
    told = Told(ran, set(), {f"test_lib.py::{name}" for name in names[:-1]})
    work = _run(session, told)
    (row,) = work.check_noticing(work.confirm(mined.rows))
    assert [item for item in row.filters if item.name == "noticed"] == [FilterVerdict("noticed", True)]


def test_why_other_tests_fail_is_told_where_those_that_pass_do_not_run_a_function(write: Write) -> None:
    mined, session = mine_folder(write(FILES))
    work = _run(session, Told({}, {"test_lib.py::test_failing"}, set()))
    (row,) = [row for row in work.confirm(mined.rows) if row.qualified_name == "add"]
    assert ("executable", "no passing test runs it, and others do not pass: AssertionError") in [
        (item.name, item.reason) for item in row.filters
    ]


def test_skipped_tests_are_told_apart_from_failing_ones(write: Write) -> None:
    mined, session = mine_folder(write(FILES))

    def answer(variant: Variant) -> VariantAnswer:
        skipped = {"test_lib.py::test_add[NOTSET]": "skip", "test_lib.py::test_failing": "skip"}
        return VariantAnswer(
            exit=0, outcomes=skipped | {"test_lib.py::test_box[1]": "skip", "test_lib.py::test_box[2]": "fail"}
        )

    work = _run(session, Answers(answer))
    rows = work.confirm(mined.rows)
    reasons = {row.qualified_name: item.reason for row in rows for item in row.filters if item.name == "executable"}
    assert reasons["add"].startswith("pytest skips its tests")
    assert reasons["Box.put"] == "its tests do not pass"


def test_tests_that_pytest_does_not_find_are_told_apart_from_failing_ones(write: Write) -> None:
    mined, session = mine_folder(write(FILES))
    work = _run(session, Answers(lambda variant: VariantAnswer(exit=0, outcomes={"test_lib.py::test_box": "fail"})))
    reasons = {
        row.qualified_name: item.reason for row in work.confirm(mined.rows) for item in row.filters if item.reason
    }
    assert reasons["add"] == NOT_FOUND
    assert reasons["Box.put"] == "its tests do not pass"


def test_a_test_that_ends_its_process_takes_no_other_along(write: Write) -> None:
    mined, session = mine_folder(write(FILES))

    def answer(variant: Variant) -> VariantAnswer:
        if "test_lib.py::test_box" in variant.tests:
            return VariantAnswer()
        calls = {"test_lib.py::test_add": [("lib.py", 1, True)]} if variant.trace else {}
        return VariantAnswer(exit=0, outcomes=dict.fromkeys(variant.tests, "pass"), calls=calls)

    work = _run(session, Answers(answer))
    assert work.passing == {*session.node_ids()} - {"test_lib.py::test_box"}
    rows = {row.qualified_name: row for row in work.confirm(mined.rows)}
    assert any(test.confirmed for test in rows["add"].tests)
    assert ("executable", f"its tests do not pass three times: {NO_REPORT}") in [
        (item.name, item.reason) for item in rows["Box.put"].filters
    ]


def test_a_condition_that_does_not_come_about_is_told(write: Write) -> None:
    mined, session = mine_folder(write(SAMPLES["a_condition_that_does_not_come_about_is_told"]))
    work = _run(session, Answers(lambda variant: VariantAnswer(exit=0, outcomes={"test_lib.py::test_address": "pass"})))
    reasons = {
        row.qualified_name: item.reason
        for row in work.confirm(mined.rows)
        for item in row.filters
        if item.name == "executable"
    }
    below = 'it is below "{}", which does not happen in the sandbox'
    assert reasons == {
        "inet_pton": f"no passing test runs it: {below.format('except ImportError')}",
        "beep": f"{NOT_FOUND}: " + below.format("if sys.platform == 'win32'"),
    }


def test_tests_of_a_long_file_run_in_parts(write: Write) -> None:
    tests = "".join(f"\n\ndef test_a{number}():\n    assert add(1, 2)\n" for number in range(2 * TESTS_PER_PROCESS + 1))
    _, session = mine_folder(write({"lib.py": FILES["lib.py"], "test_lib.py": f"from lib import add\n{tests}"}))
    told = Told({}, set(), set())
    work = _run(session, told)
    assert [len(variant.tests) for variant in told.asked] == [TESTS_PER_PROCESS, TESTS_PER_PROCESS, 1]
    assert len({variant.name for variant in told.asked}) == len(told.asked)
    assert work.passing == set(session.node_ids())


def test_a_function_compiled_anew_begins_below_its_decorators(write: Write) -> None:
    mined, session = mine_folder(write(SAMPLES["a_function_compiled_anew_begins_below_its_decorators"]))
    work = _run(session, Told({"test_lib.py::test_add": [("lib.py", 6, True)]}, set(), set()))
    (row,) = work.confirm(session.with_observed_calls(mined.rows, work.calls_by_test))
    assert [test.confirmed for test in row.tests] == [True]
    assert ("lib.py", 4) in work.reached()["test_lib.py::test_add"]


def test_a_context_with_another_body(write: Write) -> None:
    rows = {row.qualified_name: row for row in mine_folder(write(FILES))[0].rows}
    assert "def add(a, b):\n    pass\n" in replace_masked_body(rows["add"], "pass") + "\n"
    assert (
        "    def put(self, x):\n        raise NotImplementedError\n"
        in replace_masked_body(rows["Box.put"], BODY) + "\n"
    )


BODY = "raise NotImplementedError"


def test_cut_tests_must_notice(write: Write) -> None:
    rows = [row for row in mine_folder(write(FILES))[0].rows if row.qualified_name in ("add", "weak")]
    names = {row.qualified_name: number for number, row in enumerate(rows)}

    def answer(variant: Variant) -> VariantAnswer:
        body = json.loads(variant.name)[2]
        weak = json.loads(variant.name)[1] == "weak"
        outcome = "pass" if not body or weak else "fail"
        return VariantAnswer(exit=0, outcomes=dict.fromkeys(variant.tests, outcome))

    told = Answers(answer)
    judged = confirm_alone(rows, told)  # type: ignore[arg-type]
    assert judged[names["add"]].selected
    assert "still pass with only" in next(
        item.reason for item in judged[names["weak"]].filters if item.name == "self-contained"
    )


def _wide(tmp: Write, unused: int = 48) -> Path:
    """A class of which a test needs two methods of many, one of them by a name that only running shows."""
    padding = "\n".join(f"    def unused_{number}(self):\n        return {number}\n" for number in range(unused))
    source = (
        "class Wide:\n    def total(self, x):\n        y = x\n        y += getattr(self, 'in' + 'ner')()\n"
        f"        return y\n\n    def inner(self):\n        return 1\n\n{padding}"
    )
    test = "from wide import Wide\n\ndef test_total():\n    assert Wide().total(2) == 3\n"
    return tmp({"wide.py": source, "test_wide.py": test})


@pytest.mark.parametrize("enough", [True, False])
def test_a_long_context_is_cut_to_what_is_reached_if_its_tests_pass_then(write: Write, enough: bool) -> None:
    (row,) = mine_folder(_wide(write))[0].rows
    assert "unused_3" in row.context
    inner = row.context[: row.context.index("    def inner")].count("\n") + 1
    asked: list[Variant] = []

    def answer(variant: Variant) -> VariantAnswer:
        asked.append(variant)
        (file,) = variant.files
        good = not json.loads(variant.name)[2] and (enough or "unused_3" in variant.files[file])
        reached = [(file, inner), ("elsewhere.py", 12)] if variant.reach else []
        return VariantAnswer(exit=0, outcomes=dict.fromkeys(variant.tests, "pass" if good else "fail"), reached=reached)

    told = Answers(answer)
    (judged,) = confirm_alone([row], told)  # type: ignore[arg-type]
    assert judged.selected and [variant.reach for variant in asked[:2]] == [True, False]
    assert ("unused_3" in judged.context, "unused_3" in judged.masked) == (not enough, not enough)
    assert "def inner" in judged.context and "[MASK]" in judged.masked
    assert all("unused_3" not in text for variant in asked[2:] for text in variant.files.values()) is enough


def test_a_context_that_is_too_long_is_not_run_alone(write: Write) -> None:
    mined, session = mine_folder(_wide(write, 2 * MANY))
    (row,) = mined.rows
    (test,) = row.tests
    starts = {info.qualname: info.node.lineno for info in session.project.by_path["wide.py"].functions.values()}
    little = {test.node_id: {("wide.py", starts["Wide.total"]), ("wide.py", starts["Wide.inner"])}}
    much = {test.node_id: {("wide.py", line) for line in starts.values()}}
    assert drop_long_contexts([row], session.project, little) == [row]
    (left,) = drop_long_contexts([row], session.project, much)
    assert left.context == "" and not left.selected
    assert "its context is too long" in next(item.reason for item in left.filters if item.name == "self-contained")
    placed = repository_mining.add_surroundings(replace(mined, rows=(_confirmed(left),)), session, "digest").rows[0]
    assert placed.in_place and placed.selected
    (shown,) = reduce_shown_contexts(
        session, [placed], {test.node_id: [(*place, True) for place in much[test.node_id]]}
    )
    assert "unused_3" in placed.masked and "unused_3" not in shown.masked and "class Wide" in shown.masked
    session.maker.options = replace(session.maker.options, context_limit=10**6)
    (shown,) = reduce_shown_contexts(
        session, [placed], {test.node_id: [(*place, True) for place in much[test.node_id]]}
    )
    assert "unused_3" in shown.masked


def test_tests_that_bring_too_much_along_do_not_run_alone(write: Write) -> None:
    much = "\n".join(f"def other_{number}(x):\n    return x + {number}\n" for number in range(MANY))
    called = " + ".join(f"other_{number}(x)" for number in range(MANY))
    one, every = (
        "def one(x):\n    y = x\n    return y + 1\n",
        f"def every(x):\n    y = one(x)\n    return y + {called}\n",
    )
    source = f"{one}\n{much}\n\n{every}"
    far = "from lib import every, one\n\ndef test_far():\n    assert every(one(1)) == {}\n"
    near = "from lib import one\n\ndef test_near():\n    assert one(1) == 2\n"
    mined, session = mine_folder(write({"lib.py": source, "test_far.py": far, "test_near.py": near}))
    row = next(row for row in mined.rows if row.qualified_name == "one")
    (left,) = drop_long_contexts([row], session.project, {})
    assert left.context and [bool(test.code) for test in left.tests] == [False, True]
    alone = replace(row, tests=tuple(test for test in row.tests if test.path == "test_far.py"))
    (left,) = drop_long_contexts([alone], session.project, {})
    assert not left.context and not left.selected
    assert "its tests need too much code" in next(item.reason for item in left.filters if item.name == "self-contained")


def test_what_could_be_judged_in_place_is_turned_down_for_one_reason(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repository_mining, "save_snapshot", lambda files: "digest")
    mined, session = mine_folder(_wide(write, 2 * MANY))
    (row,) = mined.rows
    ran = {test.node_id: [("elsewhere.py", 1, True)] for test in row.tests}
    work = _run(session, Told(ran, set(), set()))
    (unconfirmed,) = drop_long_contexts(work.confirm([row]), session.project, {})
    failing = [item.name for item in unconfirmed.filters if not item.passed]
    assert "self-contained" in failing
    assert count_failures([unconfirmed]) == {"executable": 1}
    lines = FilterVerdict("lines", False, "2 lines of code")
    left = drop_long_context(_confirmed(row)).with_filter(lines)
    (placed,) = repository_mining.judge_in_place(session, [left], {}, ())
    assert placed.in_place and count_failures([placed]) == {"lines": 1}


def test_why_tests_do_not_run_alone_is_told_as_it_was_found(write: Write) -> None:
    files = {**FILES, "test_lib.py": "import lib\n\ndef test_add():\n    assert lib.add(1, 2) == 3\n    assert lib\n"}
    (row,) = mine_folder(write(files))[0].rows
    (told,) = [item for item in row.filters if item.name == "self-contained"]
    assert "a module is used as a whole" in told.reason
    (judged,) = confirm_alone([row], Told({}, set(), set()))  # type: ignore[arg-type]
    assert told in judged.filters


def _confirmed(row: MinedSubject) -> MinedSubject:
    return replace(row, tests=tuple(replace(test, confirmed=True) for test in row.tests))


def test_a_context_that_cannot_be_cut_short_is_left_in_place(write: Write) -> None:
    (row,) = mine_folder(_wide(write, MANY))[0].rows

    def answer(variant: Variant) -> VariantAnswer:
        (text,) = variant.files.values()
        good = not json.loads(variant.name)[2] and "unused_3" in text
        return VariantAnswer(exit=0, outcomes=dict.fromkeys(variant.tests, "pass" if good else "fail"))

    told = Answers(answer)
    (judged,) = confirm_alone([row], told)  # type: ignore[arg-type]
    assert judged.context == "" and [item.name for item in judged.filters if not item.passed] == ["self-contained"]


@pytest.mark.parametrize(("seconds", "kept"), [((0.1, 9.0), [True, False]), ((9.0, 9.0), [True, True])])
def test_slow_tests_are_left_out_where_a_quicker_one_is(
    write: Write, seconds: tuple[float, float], kept: list[bool]
) -> None:
    more = "\n\ndef test_more():\n    assert add(2, 2) == 4\n"
    files = {**FILES, "test_lib.py": "from lib import add\n\ndef test_add():\n    assert add(1, 2) == 3\n" + more}
    (row,) = [row for row in mine_folder(write(files))[0].rows if row.qualified_name == "add"]

    def answer(variant: Variant) -> VariantAnswer:
        outcome = "fail" if json.loads(variant.name)[2] else "pass"
        durations = dict(zip(variant.tests, seconds, strict=False))
        return VariantAnswer(exit=0, outcomes=dict.fromkeys(variant.tests, outcome), durations=durations)

    told = Answers(answer)
    (judged,) = confirm_alone([row], told)  # type: ignore[arg-type]
    assert [bool(test.code) for test in judged.tests] == kept and judged.selected


def test_a_job_has_room_for_all_its_variants() -> None:
    class Taken:
        size = 1

        def run(self, jobs: Iterator[Job]) -> Iterator[JobResult]:
            for job in jobs:
                asked = json.loads(job.files["request.json"])["variants"]
                assert job.limits.wall_s > sum(item["deadline"] for item in asked)
                yield JobResult(id=job.id, outcome="timeout")

    variants = [Variant(name=str(number), tests=("t.py::t",), until_failure=number % 2 == 0) for number in range(40)]
    found = list(VariantRunner(Taken(), [""]).run(variants))  # type: ignore[arg-type]
    assert [variant for variant, _ in found] == variants and all("timeout" in answer.problem for _, answer in found)


def test_every_processor_has_work_and_the_stage_is_told_before_it_ends() -> None:
    told: list[tuple[int, int | None, str]] = []
    progress = Progress(lambda state: told.append((state.done, state.total, state.text)), every_s=0)

    class Counting:
        size = 2
        jobs = 0

        def run(self, jobs: Iterator[Job]) -> Iterator[JobResult]:
            for job in jobs:
                assert told, "the stage is told before anything has run"
                self.jobs += 1
                yield JobResult(id=job.id, outcome="timeout")

    counting = Counting()
    runner = VariantRunner(counting, [""], None, progress)  # type: ignore[arg-type]
    variants = [Variant(name=str(number), tests=("t.py::t",)) for number in range(5)]
    assert len(list(runner.run(variants, "running tests"))) == 5 and counting.jobs == 2
    assert told[0] == (0, 5, "running tests") and told[-1] == (5, 5, "running tests")
    assert not list(runner.run([], "measuring the strength of tests")) and told[-1][2] == "running tests"


def test_one_repository_that_fails_does_not_stop_the_others(write: Write, tmp_path: Path) -> None:
    root = write(FILES)
    outcomes = list(mine_repositories([tmp_path / "gone", root], MiningOptions(), Progress(), static_only=True))
    assert outcomes[0].mined is None and "no folder gone" in outcomes[0].problem
    assert outcomes[1].mined is not None and len(outcomes[1].mined.rows) == 3


def test_mining_stops_when_asked(write: Write) -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        list(mine_repositories([write(FILES)], MiningOptions(), progress, static_only=True))


def test_rows_become_candidates(write: Write) -> None:
    for row in mine_folder(write(FILES))[0].rows:
        made = candidate_of_mined_row(row)
        assert made.key.startswith("repository:") and made.key.endswith(row.qualified_name)
        assert made.entry_point == row.qualified_name and made.prompt.startswith("def ")
        assert made.extra["row"]["module_path"] == "lib.py"


def test_the_command(write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, out = write(FILES), tmp_path / "rows.jsonl"
    parser = build_parser("mine")
    words = ["mine", "repository", str(root), "--static-only", "--all", "--out", str(out), "--json"]
    options = parser.parse_args(words)
    assert options.call(options) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["qualified_name"] for row in rows] == ["add", "weak", "Box.put"]
    assert json.loads(capsys.readouterr().out)[0]["candidates"] == 3
    options = parser.parse_args([*words, "--lines", "40-60"])
    options.call(options)
    told = json.loads(capsys.readouterr().out)[0]
    assert sum(item["functions"] for item in told["reasons"]) == 3 == sum(told["turned_down"].values())
    options = parser.parse_args(["mine", "repository", str(tmp_path / "gone"), "--static-only", "--out", str(out)])
    assert options.call(options) == 3


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sandbox to mine with, whose files lie in the test's own folder; skips where there is none."""
    try:
        repository_mining.mining_place().close()
    except MissingEnvironmentError as error:
        pytest.skip(error.message)
    monkeypatch.setattr(repository_mining, "data_dir", lambda: tmp_path)
    monkeypatch.setattr("annotator.mining.repository.confirmation.environment.install_libraries", _installed)


@pytest.mark.sandbox
@pytest.mark.usefixtures("engine")
def test_with_an_engine(write: Write) -> None:
    root = write(FILES)
    (root / "test_harm.py").write_text(
        "import os, time\n\ndef test_leave():\n    assert 1\n    os._exit(0)\n\n"
        "def test_wait():\n    assert open('/annotator/repository/lib.py', 'a')\n"
    )
    before = (root / "lib.py").read_text()
    (outcome,) = mine_repositories([root], MiningOptions(), Progress())
    assert outcome.mined is not None, outcome.problem
    rows = {row.qualified_name: row for row in outcome.mined.rows}
    assert set(rows) == {"add", "weak", "Box.put", "unseen"}
    assert {name for name, row in rows.items() if row.selected} == {"add", "Box.put", "unseen"}
    # The test of unseen takes the module as a whole. What is weak alone is judged in the repository, and turned down.
    assert {name for name, row in rows.items() if row.in_place} == {"unseen", "weak"}
    against = {item.name for item in rows["weak"].filters if rows["weak"].counts_against(item)}
    assert against == {"noticed"}
    assert [test.confirmed for test in rows["unseen"].tests] == [True]
    assert (root / "lib.py").read_text() == before


@pytest.mark.sandbox
@pytest.mark.usefixtures("engine")
def test_a_context_that_is_cut_runs(write: Write) -> None:
    (outcome,) = mine_repositories([_wide(write)], MiningOptions(), Progress())
    assert outcome.mined is not None, outcome.problem
    rows = {row.qualified_name: row for row in outcome.mined.rows}
    assert rows["Wide.total"].selected and not rows["Wide.total"].in_place
    assert "def inner" in rows["Wide.total"].context and "unused_" not in rows["Wide.total"].context


def _installed(program: str, wanted: object, target: Path, *_: str) -> bool:
    """The image has a pytest of its own, so nothing needs to be fetched."""
    target.mkdir(parents=True)
    return True
