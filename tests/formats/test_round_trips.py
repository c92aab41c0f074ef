"""Import → export → import of public data loses nothing; a bad row is a sentence with its place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import BadInputError
from annotator.formats.format_registry import EXPORTS, ExportFormat, export_format, import_format
from annotator.formats.interchange import (
    cocobench,
    domaineval,
    evalplus,
    evocodebench,
    humaneval,
    infibench,
    release_folder,
)
from annotator.formats.read import outcomes
from annotator.formats.read.import_records import Candidate, CandidateTest, RowError
from annotator.formats.recognition import recognise_format
from annotator.services.sources import imports
from tests.formats import public_rows
from tests.formats.releases import candidates, head_of, human_eval, item_of, shared, write_rows
from tests.formats.releases import infibench_suite as suite

ROWS = {
    "domaineval": (public_rows.DOMAINEVAL, domaineval.export_domaineval),
    "evocodebench": (public_rows.EVOCODEBENCH, evocodebench.export_evocodebench),
    "coco": (public_rows.COCO, partial(cocobench.export_cocobench, naming=True)),
    "evalplus": (public_rows.EVALPLUS, evalplus.export_evalplus),
}


def _by_key(found: Sequence[Candidate]) -> dict[str, Candidate]:
    return {item.key: item for item in found}


@pytest.mark.parametrize("name", ROWS)
def test_rows_come_back_as_they_were(tmp_path: Path, name: str) -> None:
    rows, export = ROWS[name]
    first = candidates(name, write_rows(tmp_path / "Network" / "netkit.jsonl", rows))
    items = [item_of(candidate) for candidate in first]
    done = export(head_of(items), items, tmp_path / "out")
    assert (done.items, done.left_out, done.notes) == (len(rows), (), ())
    written = [
        json.loads(line) for path in done.files if path.suffix == ".jsonl" for line in path.open(encoding="utf-8")
    ]
    assert sorted(map(_canonical, written)) == sorted(map(_canonical, rows))
    data = [path for path in done.files if path.suffix == ".jsonl"]
    back = candidates(name, data[0] if len(data) == 1 else tmp_path / "out")
    assert _by_key(back) == _by_key(first)
    assert {"LICENSE", "ATTRIBUTION.md"} <= {path.name for path in done.files}


def _mixed(folder: Path) -> list[dict[str, Any]]:
    """Return items of every source, two of which have one name in their sets."""
    found = human_eval()[:4]
    for name, (rows, _) in ROWS.items():
        found += candidates(name, write_rows(folder / "Network" / f"{name}.jsonl", rows))
    rewrite = Candidate(
        key="rewrite:double:python", title="Double", language="python", prompt="Double x.\n",
        reference="def double(x):\n    return 2 * x\n", entry_point="double", licence="MIT",
        tests=(CandidateTest(name="t", code="from answer import double\nassert double(2) == 4\n", language="python"),),
        provenance={"task": "t1"},
    )  # fmt: skip
    return [item_of(candidate) for candidate in [*found, rewrite]]


CODE = ("reference", "entry_point")
PARTS = {
    # A prompt in prose becomes a comment in what has to be one program.
    "humaneval": CODE, "evalplus": CODE, "lm-eval": CODE,
    "inspect": ("prompt", "reference", "entry_point", "context", "licence"),
    "infibench": ("prompt",),
    "coco": ("prompt", "reference", "entry_point", "context", "licence", "tests"),
}  # fmt: skip
"""The fields that a format holds; one that is not listed holds all of them."""


@pytest.mark.parametrize("format", [item for item in EXPORTS if item.source == "items"], ids=lambda item: item.name)
def test_every_export_of_items_is_imported_again(tmp_path: Path, format: ExportFormat) -> None:
    """Each item comes back under its key with all that the format holds, wherever it came from."""
    if format.name == "huggingface-parquet":
        pytest.importorskip("pyarrow")
    items = _mixed(tmp_path)
    assert format.write is not None
    done = format.write(head_of(items), items, tmp_path / "out")
    assert recognise_format(tmp_path / "out").formats == ("annotator",)
    back = _by_key(candidates("annotator", tmp_path / "out"))
    left = {item.key for item in done.left_out}
    assert len(back) == done.items and left | set(back) == {item["key"] for item in items}, "nothing is lost unnamed"
    for item in items:
        if item["key"] in left:
            continue
        found = item_of(back[item["key"]])
        names = PARTS.get(format.name) or tuple(name for name in item if name not in ("id", "content_hash"))
        judged = [bool(one["tests"] or one["criterion"]) for one in (item, found)]
        assert judged[0] == judged[1], "what judges an answer comes back in some form"
        assert {name: found.get(name) for name in names} == {name: item.get(name) for name in names}


def test_a_changed_export_is_refused(tmp_path: Path) -> None:
    items = [item_of(candidate) for candidate in human_eval()[:2]]
    humaneval.export_humaneval(head_of(items), items, tmp_path / "out")
    rows = tmp_path / "out" / "problems.jsonl"
    rows.write_text(rows.read_text("utf-8").replace("return", "return "), "utf-8")
    with pytest.raises(BadInputError, match="has changed since it was exported"):
        candidates("annotator", tmp_path / "out")


@pytest.mark.parametrize("name", ["humaneval", "evalplus", "lm-eval", "inspect"])
def test_two_items_of_one_name_are_not_taken_for_one(tmp_path: Path, name: str) -> None:
    (first, *_) = human_eval()
    items = [item_of(first), item_of(first, key="jsonl:HumanEval/0")]
    write = export_format(name).write
    assert write is not None
    done = write(head_of(items), items, tmp_path / "out")
    assert done.items == 1 and "HumanEval/0 is that of humaneval:HumanEval/0" in done.left_out[0].reason


def test_rows_that_mining_writes_come_back(tmp_path: Path) -> None:
    found = human_eval()[:3]
    imports.write_rows(tmp_path / "mined.jsonl", found)
    assert candidates("jsonl", tmp_path / "mined.jsonl") == found


def _canonical(row: dict[str, Any]) -> str:
    return json.dumps(row, sort_keys=True)


@pytest.mark.parametrize(
    "prompt",
    [
        'def add(a):\n    """Functionality: Adds one.\n    Arguments:\n    :param a: int\n    :return: int\n    """\n',
        "def add(a):\n\nAdds one.\n:param a: int\n:return: int",
    ],
)
def test_a_description_becomes_the_parts_of_a_requirement(tmp_path: Path, prompt: str) -> None:
    (first, *_) = candidates("evocodebench", write_rows(tmp_path / "rows.jsonl", public_rows.EVOCODEBENCH))
    item = item_of(first, prompt=prompt, entry_point="add")
    item["extra"] |= {"signature": "def add(a):", "decorators": ""}
    done = evocodebench.export_evocodebench(head_of([item]), [item], tmp_path / "out")
    (data,) = (path for path in done.files if path.suffix == ".jsonl")
    row = json.loads(data.read_text(encoding="utf-8"))
    assert row["requirement"] == {"Functionality": "Adds one.", "Arguments": ":param a: int\n:return: int"}


def test_human_eval_comes_back_byte_for_byte(tmp_path: Path) -> None:
    first = human_eval()
    items = [item_of(candidate) for candidate in first]
    done = humaneval.export_humaneval(head_of(items), items, tmp_path / "out")
    assert done.items == 164 and not done.left_out
    assert candidates("humaneval", tmp_path / "out" / "problems.jsonl") == first


def test_the_infibench_share_comes_back(tmp_path: Path) -> None:
    first = suite(tmp_path / "suite")
    items = [item_of(candidate) for candidate in first]
    done = infibench.export_infibench(head_of(items), items, tmp_path / "out")
    assert done.items == len(first) == 41
    assert _by_key(candidates("infibench", tmp_path / "out")) == _by_key(first)
    release_folder.export_release(head_of(items), items, tmp_path / "release")
    assert candidates("annotator", tmp_path / "release") == first, "the files of the suite come along"


@pytest.mark.parametrize("name", [*ROWS, "naturalcodebench", "mbpp"])
def test_a_release_folder_holds_everything(tmp_path: Path, name: str) -> None:
    rows = ROWS[name][0] if name in ROWS else getattr(public_rows, name.upper())
    first = candidates(name, write_rows(tmp_path / "rows.jsonl", rows))
    items = [item_of(candidate) for candidate in first]
    items[0] = item_of(first[0], prompt="Put otherwise.", criterion="grading:\n  keywords: [a]\n", views=12)
    release_folder.export_release(head_of(items), items, tmp_path / "out")
    back = candidates("annotator", tmp_path / "out")
    assert back[1:] == first[1:]
    assert back[0].paraphrase == "Put otherwise." and back[0].prompt == first[0].prompt
    assert (back[0].views, back[0].criterion) == (12, "grading:\n  keywords: [a]\n")
    again = [item_of(candidate) for candidate in back]
    unlike = ("id", "content_hash")
    for old, new in zip(items, again, strict=True):
        assert {key: value for key, value in old.items() if key not in unlike} == {
            key: value for key, value in new.items() if key not in unlike
        }


def test_natural_code_bench_rows_are_made_to_run() -> None:
    found = candidates("naturalcodebench", shared("naturalcodebench-dev", "python.jsonl.gz"))
    assert len(found) == 24 and {item.language for item in found} == {"python"}
    assert all("```" not in item.reference for item in found)
    # Four of them use pytest without importing it.
    assert sum(item.tests[0].code.startswith("import pytest\n") for item in found) == 4
    assert all("pytest." not in item.tests[0].code or "import pytest" in item.tests[0].code for item in found)


def test_mbpp_rows_of_both_kinds(tmp_path: Path) -> None:
    whole, sanitized = candidates("mbpp", write_rows(tmp_path / "m.jsonl", public_rows.MBPP))
    assert (whole.key, whole.entry_point, whole.licence) == ("mbpp:11", "remove_Occ", "")
    assert [test.name for test in whole.tests] == ["test 1", "test 2", "challenge 1"]
    assert sanitized.tests[0].code == "import math\nassert sort_matrix([[2], [1]]) == [[1], [2]]"
    assert sanitized.prompt.startswith("Sort")


def test_realistic_code_bench_folders(tmp_path: Path) -> None:
    def task(name: str, files: dict[str, str]) -> None:
        for path, text in files.items():
            file = tmp_path / "tasks" / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode("latin-1"))

    signature = "/**\n * Converts a value between 0 and 1 to a colour.\n */\nint f(float v);"
    task("t2", {"c&cpp/signature.cpp": signature, "c&cpp/answer.cpp": "int f(float v) {}", "c&cpp/test.cpp": "TEST"})
    java = {"Signature.java": signature, "Answer.java": "class Answer {}", "Tester.java": "class T {}"}
    task("t10", {f"java/{name}": text for name, text in java.items()})
    python = {"python/signature.py": "def f(): ...", "python/test.py": "x"}
    task("t1", {**python, "python/adapted.py": "def f():\n    return 1\r\n"})
    task("t3", python)
    task("t4", {**python, "python/answer.py": "\xff"})
    found = list(import_format("realisticcodebench").read(tmp_path / "tasks", {}))
    good = [item for item in found if isinstance(item, Candidate)]
    keys = [f"realisticcodebench:{name}" for name in ("t1/python", "t2/c&cpp", "t10/java")]
    assert [item.key for item in good] == keys
    assert good[1].language == "c++" and good[1].title == "Converts a value between 0 and 1 to a colour."
    assert good[0].reference == "def f():\n    return 1\n"
    bad = [str(item) for item in found if isinstance(item, RowError)]
    assert bad == [
        "t3/python: there is no file with the answer (answer or adapted)",
        "t4/python/answer.py: it is not UTF-8 text (byte 1)",
    ]
    with pytest.raises(BadInputError, match="folder of tasks"):
        list(import_format("realisticcodebench").read(tmp_path / "tasks" / "t1" / "python" / "test.py", {}))


@pytest.mark.parametrize(
    ("name", "row", "words"),
    [
        ("mbpp", {"task_id": 1, "text": "x", "code": "y", "test_list": []}, "no tests"),
        ("mbpp", {"task_id": True, "text": "x"}, "column task_id"),
        ("evalplus", {**public_rows.EVALPLUS[0], "base_input": [1]}, "base_input must be a list of argument lists"),
        ("evalplus", {**public_rows.EVALPLUS[0], "atol": "x"}, "atol must be a number"),
        ("domaineval", {**public_rows.DOMAINEVAL[0], "test_code_list": ["x"]}, "entry 1 of test_code_list"),
        ("domaineval", {**public_rows.DOMAINEVAL[0], "instruction": "\x00"}, "null character"),
        ("evocodebench", {**public_rows.EVOCODEBENCH[0], "body_position": [9, 3]}, "lines in order"),
        ("evocodebench", {**public_rows.EVOCODEBENCH[0], "type": "class"}, "function or method"),
        ("naturalcodebench", {**public_rows.NATURALCODEBENCH[0], "reference_solution": "a ```b"}, "one fenced block"),
        ("coco", {"task_id": "a", "description": "b"}, "none of the four families"),
        ("coco", {**public_rows.COCO[4], "issue_categories": {"x": 1}}, "column x must be an object"),
        ("humaneval", {"task_id": " ", "prompt": "p"}, "task_id is empty"),
    ],
)
def test_a_bad_row_is_named_with_its_line(tmp_path: Path, name: str, row: dict[str, Any], words: str) -> None:
    good = getattr(public_rows, name.upper(), [])[:1]
    path = write_rows(tmp_path / "rows.jsonl", [*good, row])
    found = list(import_format(name).read(path, {}))
    assert isinstance(found[-1], RowError) and words in found[-1].reason
    assert found[-1].line == len(good) + 1 and all(isinstance(item, Candidate) for item in found[:-1])


def test_published_verdicts_are_counted_as_published() -> None:
    path = shared("domaineval-results", "outcomes.jsonl.gz")
    rows = list(outcomes.read_outcomes(path))
    good = [row for row in rows if isinstance(row, outcomes.RecordedOutcome)]
    assert len(good) == len(rows) == 10_102
    passed: dict[tuple[str, str], list[bool]] = {}
    for row in good:
        passed.setdefault((row.model, row.protocol), []).append("pass" in row.outcomes)
    assert {key: (sum(marks), len(marks)) for key, marks in passed.items() if key[1] == "pass@1"} == {
        ("std", "pass@1"): (2452, 2454),
        ("gpt-3.5-turbo", "pass@1"): (1787, 2454),
        ("gpt-4o-mini", "pass@1"): (2000, 2454),
    }
    assert len({(row.model, row.protocol, row.key) for row in good}) == 10_102


def test_a_verdict_names_the_subject_the_importer_makes(tmp_path: Path) -> None:
    masked = (
        "def kruskal(num_nodes: int, edges: list[tuple[int, int, int]]) ->list[tuple\n    [int, int, int]]: [MASK]\n"
    )
    row = {
        **public_rows.DOMAINEVAL[0],
        "method_name": "kruskal",
        "full_method_name": "kruskal",
        "method_path": "../srcdata/Basic/Python/graphs/minimum_spanning_tree_kruskal.py",
        "method_code_mask": masked,
    }
    subject = candidates("domaineval", write_rows(tmp_path / "r.jsonl", [row]))[0]
    verdicts = outcomes.read_outcomes(shared("domaineval-results", "outcomes.jsonl.gz"))
    named = [v for v in verdicts if isinstance(v, outcomes.RecordedOutcome) and v.key == subject.key]
    # The mask of the published row (63de241b2b54) is the hash of this text.
    assert {row.model for row in named} == {"std", "gpt-3.5-turbo", "gpt-4o-mini"} and subject.domain == "Basic"
