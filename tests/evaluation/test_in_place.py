"""Answers go into their file at the body, and only the repository's tests decide."""

from __future__ import annotations

import ast
import base64
import io
import json
import tarfile
import textwrap
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.errors import BadInputError
from annotator.evaluation.answer_scoring import ScoreJob
from annotator.evaluation.repository_tests import (
    RepositoryPlace,
    body_of_answer,
    make_job,
    pack_files,
    read_repository_place,
    score_result,
    with_body,
)
from annotator.model.vocabulary import Outcome
from annotator.sandbox import JobResult
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

SOURCE = SAMPLES["source"]
PLACE = RepositoryPlace(
    digest="0" * 24,
    roots=("", "src"),
    path="lib.py",
    first=4,
    last=6,
    name="Box.put",
    tests=("test_lib.py::test_put", "test_lib.py::test_get"),
)
ITEM = {
    "key": "k",
    "extra": {
        "repositoryplace": {
            "digest": PLACE.digest, "roots": list(PLACE.roots), "path": PLACE.path, "body": [PLACE.first, PLACE.last],
            "name": PLACE.name, "tests": list(PLACE.tests),
        }
    },
}  # fmt: skip
FILES = {"lib.py": SOURCE.encode(), "test_lib.py": b"import lib\n", "data/a.bin": b"\xff\x00"}


def job(text: str, **more: Any) -> ScoreJob:
    return ScoreJob(item=ITEM, text=text, **more)


@pytest.mark.parametrize(("text", "body"), SAMPLES["answers"])
def test_the_body_of_an_answer(text: str, body: str) -> None:
    assert body_of_answer(job(text), PLACE).code == body


@pytest.mark.parametrize(("text", "body"), SAMPLES["continued"])
def test_the_body_of_a_continued_text(text: str, body: str) -> None:
    assert body_of_answer(job(text, continued=True, stops=("# end",)), PLACE).code == body


def test_imports_of_the_answer_are_completed_only_where_the_protocol_says_so() -> None:
    text = "import math\nfrom os import path, sep\n\ndef put(self, x):\n    return math.floor(x)\n"
    assert body_of_answer(job(text), PLACE).code == "return math.floor(x)"
    found = body_of_answer(job(text, complete=True), PLACE)
    assert (found.code, found.added) == ("import math\nreturn math.floor(x)", ("import math",))
    sent = make_job(ITEM, PLACE, FILES, found.code)
    assert score_result(
        sent, PLACE, JobResult(id="k", outcome="fail", stdout=f"{sent.mark}{{}}\n"), "stop", found.added
    ).detail["imports_added"] == ["import math"]


def test_a_body_stands_where_the_reference_stood() -> None:
    made = with_body(SOURCE, PLACE, "text = '''a\nb'''\nself.x = text\n\nreturn self")
    kept = ast.parse(made).body[0]
    assert isinstance(kept, ast.ClassDef) and [item.name for item in kept.body] == ["put", "get"]  # type: ignore[attr-defined]
    assert "        text = '''a\nb'''\n        self.x = text\n\n        return self\n" in made
    assert "kept" not in made and made.startswith(SOURCE.partition("        kept")[0])
    with pytest.raises(BadInputError, match="10 lines"):
        with_body(
            SOURCE,
            RepositoryPlace(digest="", roots=(), path="lib.py", first=4, last=60, name="put", tests=("t",)),
            "pass",
        )


@given(
    st.lists(
        st.sampled_from(["x = 1", "if x:\n    y = 2", "t = '''a\n  b\n'''", "for i in x:\n    pass", ""]), min_size=1
    )
)
def test_any_body_says_the_same_at_its_place(parts: list[str]) -> None:
    body = "\n".join([*parts, "return x"])
    answer = "def put(self, x):\n" + textwrap.indent("\n".join([*parts, "return x"]), "    ")
    if "'''" not in body:
        assert ast.dump(ast.parse(body_of_answer(job(answer), PLACE).code)) == ast.dump(ast.parse(body))
    kind = ast.parse(with_body(SOURCE, PLACE, body)).body[0]
    assert isinstance(kind, ast.ClassDef) and isinstance(kind.body[0], ast.FunctionDef)
    found = [ast.dump(item) for item in kind.body[0].body[1:]]
    assert found == [ast.dump(item) for item in ast.parse(body).body]


@pytest.mark.parametrize("change", SAMPLES["no_places"])
def test_places_that_cannot_be_meant_are_refused(change: dict[str, Any]) -> None:
    assert read_repository_place(ITEM) == PLACE
    with pytest.raises(BadInputError):
        read_repository_place({"extra": {"repositoryplace": ITEM["extra"]["repositoryplace"] | change}})


@pytest.mark.parametrize("extra", [None, {}, {"repositoryplace": "here"}, {"repositoryplace": []}])
def test_items_without_a_place_are_refused(extra: Any) -> None:
    with pytest.raises(BadInputError, match="does not state its location"):
        read_repository_place({"extra": extra})


def test_what_is_sent_holds_no_reference() -> None:
    copies = {**FILES, "build/lib.py": SOURCE.encode(), "old.pyc": b"x"}
    sent = make_job(ITEM, PLACE, copies, "return self")
    request = json.loads(sent.job.files["request.json"])
    packed_files = io.BytesIO(base64.b64decode(sent.job.files[request["archive"]]))
    with tarfile.open(fileobj=packed_files) as archive:
        assert archive.getnames() == ["data/a.bin", "test_lib.py"]
    (variant,) = request["variants"]
    assert list(variant["files"]) == ["lib.py"] and "kept = x" not in json.dumps(request)
    assert variant["tests"] == list(PLACE.tests) and request["roots"] == ["", "src"]
    assert make_job(ITEM, PLACE, FILES, "pass").mark != sent.mark
    with pytest.raises(BadInputError, match=r"no file lib\.py"):
        make_job(ITEM, PLACE, {}, "pass")


def test_an_archive_is_the_same_for_the_same_files() -> None:
    assert pack_files(FILES) == pack_files(dict(reversed(FILES.items())))


def told(outcomes: dict[str, str], exit_code: int = 0, mark: str = "") -> tuple[Any, Outcome, float | None]:
    sent = make_job(ITEM, PLACE, FILES, "return self")
    line = (mark or sent.mark) + json.dumps({"exit": exit_code, "outcomes": outcomes, "messages": {"a": "it broke"}})
    found = score_result(sent, PLACE, JobResult(id="k", outcome="pass", stdout=f"noise\n{sent.mark}{{}}\n{line}\n"))
    return found.detail, found.outcome, found.score


def test_every_test_must_pass_and_be_reported() -> None:
    both = dict.fromkeys(PLACE.tests, "pass")
    assert told(both)[1:] == (Outcome.PASS, 1.0)
    assert told({f"{PLACE.tests[0]}[1]": "pass", PLACE.tests[1]: "pass"})[1:] == (Outcome.PASS, 1.0)
    detail, outcome, score = told({PLACE.tests[0]: "pass"})
    assert (outcome, score, detail["message"]) == (Outcome.FAIL, 0.0, "it broke")
    assert [rule["matched"] for rule in detail["rules"]] == [True, False]
    assert told({**both, f"{PLACE.tests[0]}[2]": "fail"})[2] == 0.0
    assert told(both, exit_code=1)[2] == told(dict.fromkeys(PLACE.tests, "skip"))[2] == 0.0
    assert told(both, mark="another")[2] == 0.0


@pytest.mark.parametrize("line", ["", "{", "[]", "3", '{"outcomes": []}', '{"outcomes": 3, "exit": 0, "messages": 1}'])
def test_reports_that_are_none_do_not_pass(line: str) -> None:
    sent = make_job(ITEM, PLACE, FILES, "return self")
    assert (
        score_result(sent, PLACE, JobResult(id="k", outcome="pass", stdout=f"{sent.mark}{{}}\n{sent.mark}{line}")).score
        == 0.0
    )


def test_trouble_of_the_machinery_is_no_zero() -> None:
    sent = make_job(ITEM, PLACE, FILES, "return self")
    found = score_result(sent, PLACE, JobResult(id="k", outcome="machinery", message="no engine"))
    assert (found.outcome, found.score, found.detail["reason"]) == (Outcome.MACHINERY, None, "no engine")
    early = score_result(sent, PLACE, JobResult(id="k", outcome="fail", message="no room"))
    assert early.outcome == Outcome.MACHINERY and "could not be laid out" in early.detail["reason"]
    cut = score_result(sent, PLACE, JobResult(id="k", outcome="timeout", stdout=f"{sent.mark}{{}}\n"), "length")
    assert (cut.outcome, cut.score) == (Outcome.TRUNCATED, 0.0)
