"""Mining that was cut off goes on where it was; one repository's trouble is not another's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.errors import MissingEnvironmentError
from annotator.jobs.progress import Cancelled, Progress
from annotator.mining.repository.confirmation import journal as journals
from annotator.mining.repository.confirmation.confirm import TestConfirmation, VariantRunner
from annotator.mining.repository.confirmation.environment import needs_libraries, with_libraries
from annotator.mining.repository.confirmation.journal import Journal, Variant, VariantAnswer
from annotator.mining.repository.pipeline import MiningOptions, mine_folder
from annotator.mining.repository.rows import MinedTest
from annotator.sandbox import Job, JobResult
from annotator.services.sources import repository_mining
from annotator.services.sources.repository_mining import candidate_of_mined_row, mine_repositories, select_mined_rows

from .conftest import Write

LIBRARY = {
    f"lib{n}.py": "def f(x):\n    y = x\n    y += 1\n    return y\n\n\ndef g(x):\n    y = x\n    y -= 1\n    return y\n"
    for n in range(3)
} | {
    f"test_lib{n}.py": f"from lib{n} import f, g\n\n\ndef test_f():\n    assert f(1) == 2\n\n\n"
    "def test_g():\n    assert g(1) == 0\n"
    for n in range(3)
}  # fmt: skip


class Engine:
    """Stands for the pool: answers every variant of a job, and breaks down after so many jobs."""

    size = 2

    def __init__(self, jobs: int = 10**6, outcome: str = "pass") -> None:
        self.left, self.outcome, self.variants = jobs, outcome, 0

    def run(self, jobs: Iterator[Job], ahead: int | None = None) -> Iterator[JobResult]:
        import json

        # A small bound would leave supervisors idle behind one slow job: answers come in order.
        assert ahead is None
        for job in jobs:
            if not self.left:
                raise KeyboardInterrupt
            self.left -= 1
            request = json.loads(job.files["request.json"])
            lines = []
            for item in request["variants"]:
                self.variants += 1
                outcomes = dict.fromkeys(item["tests"], "fail" if item["files"] else self.outcome)
                report: dict[str, Any] = {"variant": item["name"], "exit": 0, "outcomes": outcomes}
                if item["trace"]:
                    report["calls"] = {test: [[test.partition("::")[0][5:], 1, True]] for test in item["tests"]}
                lines.append(request["mark"] + json.dumps(report))
            yield JobResult(id=job.id, outcome="pass", stdout="\n".join(lines))


def confirmed(root: Path, engine: Engine, journal: Journal) -> list[tuple[Any, ...]]:
    mined, session = mine_folder(root, MiningOptions(with_contexts=False))
    work = TestConfirmation(session.project, session.tree, VariantRunner(engine, [""], journal))  # type: ignore[arg-type]
    work.run_tests(session.node_ids())
    rows = work.check_noticing(work.confirm(session.with_observed_calls(mined.rows, work.calls_by_test)))
    return [(row.key, row.filters, row.tests) for row in rows]


def test_a_killed_run_goes_on_and_comes_to_the_same(write: Write, tmp_path: Path) -> None:
    root = write(LIBRARY)
    whole = Engine()
    expected = confirmed(root, whole, Journal(tmp_path / "a", "r"))
    assert whole.variants > 9
    for jobs in range(3):
        cut = Engine(jobs)
        with pytest.raises(KeyboardInterrupt):
            confirmed(root, cut, Journal(tmp_path / f"b{jobs}", "r"))
        path = tmp_path / f"b{jobs}" / "r.jsonl"
        if jobs:
            os.truncate(path, path.stat().st_size - 7)
        rest = Engine()
        assert confirmed(root, rest, Journal(tmp_path / f"b{jobs}", "r")) == expected
        assert rest.variants == whole.variants - cut.variants + bool(jobs)
    again = Engine()
    assert confirmed(root, again, Journal(tmp_path / "a", "r")) == expected and again.variants == 0


answers = st.builds(
    VariantAnswer,
    exit=st.integers(-1, 5),
    outcomes=st.dictionaries(st.text(max_size=5), st.sampled_from(["pass", "fail"]), max_size=3),
    messages=st.dictionaries(st.text(max_size=5), st.text(max_size=9), max_size=3),
    calls=st.dictionaries(
        st.text(max_size=5), st.lists(st.tuples(st.text(max_size=5), st.integers(), st.booleans())), max_size=2
    ),
    durations=st.dictionaries(st.text(max_size=5), st.floats(0, 100), max_size=2),
)


@given(st.lists(answers, max_size=4), st.binary(max_size=30))
def test_what_is_kept_comes_back_whatever_was_torn(
    tmp_path_factory: Any, kept: list[VariantAnswer], torn: bytes
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    journal = Journal(folder, "x")
    variants = [Variant(name=str(number), tests=("t",)) for number in range(len(kept))]
    for variant, answer in zip(variants, kept, strict=True):
        journal.record(variant, answer)
        with (folder / "x.jsonl").open("ab") as stream:
            stream.write(torn)
    again = Journal(folder, "x")
    assert [again.get(variant) for variant in variants] == kept
    assert again.get(Variant(name="0", tests=("t",), trace=True)) is None


def test_trouble_of_the_machinery_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path, "x")
    journal.record(Variant(name="a", tests=()), VariantAnswer(problem="the sandbox was closed"))
    assert len(Journal(tmp_path, "x")) == 0
    monkeypatch.setattr(journals, "MAX_JOURNALS", 2)
    for name in "abcd":
        Journal(tmp_path, name).record(Variant(name="a", tests=()), VariantAnswer(exit=0))
    assert len(list(tmp_path.iterdir())) == 2
    (tmp_path / "file").write_text("")
    with pytest.raises(MissingEnvironmentError, match="cannot be saved"):
        Journal(tmp_path / "file", "x")


def test_any_failure_of_one_leaves_the_others(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(LIBRARY)
    real, met = repository_mining.mine_folder, []

    def odd(path: Path, *rest: Any) -> Any:
        met.append(path)
        if len(met) == 1:
            raise ZeroDivisionError("strange")
        return real(path, *rest)

    monkeypatch.setattr(repository_mining, "mine_folder", odd)
    first, second = mine_repositories([root, root], MiningOptions(), Progress(), static_only=True)
    assert first.mined is None and "ZeroDivisionError: strange" in first.problem
    assert second.mined is not None and len(second.mined.rows) == 6
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        list(mine_repositories([root], MiningOptions(), progress, static_only=True))


def test_a_filtered_function_can_be_taken_by_hand(write: Write) -> None:
    root = write(
        LIBRARY
        | {"short.py": "def s(): return 1 + 1\n", "test_s.py": "from short import s\ndef test_s(): assert s()\n"}
    )
    (outcome,) = mine_repositories([root], MiningOptions(), Progress(), static_only=True)
    plain = select_mined_rows(outcome, everything=False)
    taken = select_mined_rows(outcome, everything=False, by_hand=["short.py::s", "nothing.py::x"])
    assert {row.key for row in taken} - {row.key for row in plain} == {("short.py", "s")}
    made = {row.qualified_name: candidate_of_mined_row(row) for row in taken}
    assert made["s"].extra["taken_against"] == [{"name": "lines", "reason": "fewer than 3 lines of code: 1"}]
    assert "taken_against" not in made["f"].extra


@pytest.mark.parametrize(
    ("context", "test", "needed"),
    [
        ("import json\nfrom os import path\n", "import pytest\nfrom _pytest import x", False),
        ("import pyasn1.codec\n", "", True),
        ("def f():\n    from six import text_type\n", "", True),
        ("from . import sibling\n", "", False),
        ("", "def test_a(mocker):\n    assert mocker", True),
        ("mocker = 1\n", "def test_a():\n    assert 1", False),
        ("def broken(:\n", "", False),
    ],
)
def test_what_needs_libraries(write: Write, context: str, test: str, needed: bool) -> None:
    from dataclasses import replace

    row = mine_folder(write(LIBRARY))[0].rows[0]
    row = replace(
        row,
        context=context,
        tests=(
            MinedTest(path="test_x.py", qualified_name="test_a", node_id="test_x.py::test_a", code=test, how="call"),
        ),
    )
    assert needs_libraries(row) is needed
    (done,) = with_libraries([row], ["six==1.16.0"])
    assert done.libraries == (("six==1.16.0",) if needed else ())
    extra = candidate_of_mined_row(done).extra
    assert (extra.get("libraries") or {}).get("requirements") == (["six==1.16.0"] if needed else None)
