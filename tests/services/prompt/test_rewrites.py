"""The leak guard from the first draft to the gates: through services, commands and the sandbox."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError
from annotator.sandbox import Job, JobResult, Pool, TestResult
from annotator.sandbox.libraries import library_set
from annotator.services.program import sandbox
from annotator.services.project import members, undo
from annotator.services.prompt import rewrites
from annotator.store.file.project_file import ProjectFile
from tests.template_projects import project_of_rows

CODE = "def cut(text: str) -> list:\n    return text.split(',')\n"
ROW = {"id": "cut", "title": "Cut", "prompt": "Cut a line at its commas.", "reference": CODE,
       "language": "python", "entry_point": "cut"}  # fmt: skip
TABLE = {
    "rows": [
        {"name": "typical", "inputs": ["a;b", ";"], "expected": {"parts": ["a", "b"]}},
        {"name": "corner", "inputs": ["", ";"], "expected": {"parts": [""]}},
    ]
}
PYTHON = "def cut(text, sign):\n    if sign == '':\n        return None\n    return {'parts': text.split(sign)}\n"
SCRIPT = "function cut(text, sign) {\n  return {parts: text.split(sign)};\n}\n"


@pytest.fixture
def project(tmp_path: Path) -> ProjectFile:
    return project_of_rows(tmp_path / "p.annotator", [ROW], ())


def _document(store: ProjectFile, **changes: Any) -> dict[str, Any]:
    document = rewrites.rewrite_work_json(rewrites.load_rewrite(store, "cut").work)
    rewrite = document["rewrite"]
    rewrite["requirement"] = (
        "Split a record wherever a given sign stands and hand back an object that holds the pieces."
    )
    rewrite["after"] = {
        "name": "cut",
        "parameters": [{"name": "text", "type": "str"}, {"name": "sign", "type": "str"}],
        "returns": "object",
    }
    rewrite["twists"] = ["the delimiter becomes a parameter"]
    stated = {**rewrite["after"], "objective": "split", "constraints": "parts in order"}
    rewrite["signatures"] = {"python": stated, "javascript": stated}
    return {**document, "table": TABLE, "references": {"python": PYTHON, "javascript": SCRIPT}, **changes}


def _gates(view: rewrites.RewriteView) -> dict[str, bool | None]:
    return {gate.name: gate.passed for gate in view.gates}


def test_a_first_draft_knows_the_mined_signature(project: ProjectFile) -> None:
    view = rewrites.load_rewrite(project, "cut")
    assert not view.saved and not view.passed
    before = view.work.rewrite.before
    assert (before.name, [p.name for p in before.parameters], before.returns) == ("cut", ["text"], "list")
    assert _gates(view) == {
        "changed": False, "new words": False, "stated": False, "original fails": None, "references agree": False
    }  # fmt: skip
    assert rewrites.mined_signature("def (", "python", "f").name == "f"
    project.close()


def test_a_rewrite_is_saved_and_undone(project: ProjectFile) -> None:
    rewrites.save_rewrite(project, "cut", _document(project))
    view = rewrites.load_rewrite(project, "cut")
    assert view.saved and _gates(view)["changed"] and _gates(view)["new words"] and _gates(view)["stated"]
    kinds = [change.kind for change in view.work.rewrite.changes]
    assert kinds == ["parameter count", "return", "twist"]
    undo.undo_last_act(project)
    assert not rewrites.load_rewrite(project, "cut").saved
    document = _document(project)
    document["references"]["go"] = "package main"
    document["rewrite"]["before"]["name"] = ""
    rewrites.save_rewrite(project, "cut", document)
    stated = next(gate for gate in rewrites.load_rewrite(project, "cut").gates if gate.name == "stated")
    assert not stated.passed and "go" in stated.detail
    undo.undo_last_act(project)
    with pytest.raises(BadInputError, match="no rewrite"):
        rewrites.check_rewrite(project, "cut")
    project.close()


@pytest.mark.parametrize(
    "document",
    [
        3,
        {},
        {"rewrite": {}, "colour": 1},
        {"rewrite": {"before": {}, "after": {}}, "references": []},
        {"rewrite": {"before": {}, "after": {}}, "references": {"cobol": "x"}},
        {"rewrite": {"before": {}, "after": {}}, "table": {"rows": [{}]}},
    ],
)
def test_bad_documents_change_nothing(project: ProjectFile, document: Any) -> None:
    with pytest.raises(BadInputError):
        rewrites.save_rewrite(project, "cut", document)
    assert not rewrites.load_rewrite(project, "cut").saved
    project.close()


def test_gates_are_run_and_exceptions_confirmed(project: ProjectFile, pool: Pool) -> None:
    rewrites.save_rewrite(project, "cut", _document(project))
    view = rewrites.check_rewrite(project, "cut")
    assert _gates(view)["original fails"] and _gates(view)["references agree"]
    assert view.coverage["javascript"][0] == 1.0 and view.coverage["python"][0] < 1.0
    assert _gates(view)["coverage in javascript"] and _gates(view)["coverage in python"] is False
    (lacking,) = (gate.detail for gate in view.gates if gate.name == "coverage in python")
    assert "not run: line 3, a branch of line 2;" in lacking
    rewrites.explain_coverage(project, "cut", "python", "an empty sign cannot come")
    with pytest.raises(BadInputError, match="other than its author"):
        rewrites.confirm_coverage(project, "cut", "python")
    for name in ("Bo", "Cy"):
        assert not rewrites.load_rewrite(project, "cut").passed
        members.switch_annotator(project, name)
        rewrites.confirm_coverage(project, "cut", "python")
    assert rewrites.load_rewrite(project, "cut").passed
    undo.undo_last_act(project)
    assert not rewrites.load_rewrite(project, "cut").passed, "a confirmation can be taken back"
    undo.redo_last_act(project)
    changed = _document(project, references={"python": PYTHON + "# edited\n", "javascript": SCRIPT})
    rewrites.save_rewrite(project, "cut", changed)
    view = rewrites.load_rewrite(project, "cut")
    assert not view.checked and not view.passed, "what holds, holds for one content alone"
    with pytest.raises(BadInputError, match="no reason"):
        rewrites.confirm_coverage(project, "cut", "python")
    project.close()


class _BusyPool:
    """Answers as a sandbox does; what runs for the first time may run out of time, or a person may interrupt it."""

    def __init__(self, slow: str, times: int, interrupted_at: str = "") -> None:
        self.slow, self.left, self.ran, self.interrupted_at = slow, times, list[str](), interrupted_at

    def run(self, jobs: list[Job]) -> Iterator[JobResult]:
        for job in jobs:
            if job.id == self.interrupted_at:
                self.interrupted_at = ""
                raise KeyboardInterrupt
            self.ran.append(job.id)
            yield self._result(job)

    def _result(self, job: Job) -> JobResult:
        late = job.id == self.slow and self.left > 0
        self.left -= late
        outcome = "fail" if job.id == "original" else "timeout" if late else "pass"
        coverage = {"executed": [1], "missing": [], "branches": []} if outcome == "pass" else None
        tests = tuple(TestResult(name=test.name, outcome=outcome, message="got x") for test in job.tests or ())
        return JobResult(id=job.id, outcome=outcome, tests=tests, coverage=coverage)


@pytest.mark.parametrize(("times", "agree"), [(1, True), (2, False)])
def test_what_ran_out_of_time_runs_once_more(
    project: ProjectFile, monkeypatch: pytest.MonkeyPatch, times: int, agree: bool
) -> None:
    pool = _BusyPool("javascript", times)
    monkeypatch.setattr(sandbox, "open_sandbox", lambda **_: nullcontext((pool, None)))
    rewrites.save_rewrite(project, "cut", _document(project))
    view = rewrites.check_rewrite(project, "cut")
    assert pool.ran == ["original", "python", "javascript", "javascript"]
    assert _gates(view)["references agree"] is agree
    project.close()


def test_an_interrupted_check_keeps_its_results(project: ProjectFile, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = _BusyPool("", 0, "javascript")
    monkeypatch.setattr(sandbox, "open_sandbox", lambda **_: nullcontext((pool, None)))
    rewrites.save_rewrite(project, "cut", _document(project))
    with pytest.raises(KeyboardInterrupt):
        rewrites.check_rewrite(project, "cut")
    view = rewrites.load_rewrite(project, "cut")
    assert set(view.results) == {"original", "python"} and _gates(view)["references agree"] is None
    assert _gates(rewrites.check_rewrite(project, "cut"))["references agree"]
    assert pool.ran == ["original", "python", "javascript"]
    project.close()


def test_disagreements_and_a_leaking_original_are_shown(project: ProjectFile, pool: Pool) -> None:
    table = {"rows": [{"name": "old", "inputs": ["a,b"], "expected": ["a", "b"]}]}
    wrong = "function cut(text) { return text.split(';'); }"
    rewrites.save_rewrite(
        project, "cut", _document(project, table=table, references={"python": CODE, "javascript": wrong})
    )
    view = rewrites.check_rewrite(project, "cut")
    gates = {gate.name: gate for gate in view.gates}
    assert (
        gates["original fails"].passed is False
        and "passes 1 of 1 tests (100%, at most 50% are allowed): old" in gates["original fails"].detail
    )
    assert gates["references agree"].passed is False and "javascript fail" in gates["references agree"].detail
    assert 'javascript: Error: got ["a,b"]' in gates["references agree"].detail
    assert view.disagreements[0].outcomes == {"python": "pass", "javascript": "fail"}
    project.close()


def test_rewriting_by_command(
    project: ProjectFile, tmp_path: Path, pool: Pool, capsys: pytest.CaptureFixture[str]
) -> None:
    document = _document(project)
    project.close()
    path, file = str(project.path), tmp_path / "rewrite.json"
    file.write_text(json.dumps(document))

    def run(*arguments: str) -> Any:
        capsys.readouterr()
        assert main(["rewrite", *arguments, "--subject", "cut", "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    assert run("show", path)["saved"] is False
    assert run("set", path, "--file", str(file))["saved"]
    assert run("check", path)["checked"]
    run("explain", path, "--language", "python", "--reason", "cannot come")
    assert main(["rewrite", "confirm", path, "--subject", "cut", "--language", "python"]) == 3
    assert main(["rewrite", "confirm", path, "--subject", "cut", "--language", "go"]) == 3
    file.write_text("{")
    assert main(["rewrite", "set", path, "--subject", "cut", "--file", str(file)]) == 3
    assert main(["rewrite", "explain", path, "--subject", "cut", "--language", "python", "--reason", " "]) == 3


def test_only_the_head_of_a_class_needs_no_row() -> None:
    coverage = {"executed": [2], "missing": [1], "branches": []}
    for line, share in (("private static class Node {", 1.0), ('String text = "a class b";', 0.5)):
        assert rewrites.coverage_shares(coverage, f"{line}\nint x = 1;", "java") == (share, 1.0)


def test_jobs_find_the_libraries_that_the_mined_code_needs(tmp_path: Path) -> None:
    needed = library_set(["idna==3.7"])
    row = {**ROW, "extra": {"libraries": needed.to_extra()}}
    store = project_of_rows(tmp_path / "p.annotator", [row], ())
    shown = rewrites.load_subject(store, "cut")
    jobs = rewrites.rewrite_jobs(shown, rewrites.parse_rewrite_work(_document(store)))
    assert {job.id: job.libraries for job in jobs if job.language == "python"} == {
        "original": needed.digest,
        "python": needed.digest,
    }
    store.close()
