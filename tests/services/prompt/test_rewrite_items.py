"""Items made from rewrites, from the rewrite to the release, its export and back, by commands."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from annotator.__main__ import main
from annotator.services.consensus import three_experts
from annotator.services.project import projects
from annotator.services.prompt import rewrites
from annotator.store.work import stored_proofs
from annotator.store.work import stored_rewrites as stored
from tests.samples import load_samples
from tests.template_projects import project_of_rows

SAMPLES = load_samples(__file__)

MINED = "def cut(text):\n    return text.split(',')\n"
ROWS = SAMPLES["rows"]
REFERENCES = SAMPLES["references"]
AFTER = SAMPLES["after"]


def document(languages: Sequence[str] = tuple(REFERENCES), **changes: Any) -> dict[str, Any]:
    stated = {**AFTER, "objective": "Cut a record at a sign.", "constraints": "an empty sign is refused with an error"}
    before = {"name": "cut", "parameters": [{"name": "text", "type": ""}], "returns": "list"}
    rewrite = {
        "summary": "Cut a line at its commas.",
        "requirement": "Split a record wherever a given sign stands, and hand back what lies between the signs.",
        "before": before,
        "after": AFTER,
        "signatures": dict.fromkeys(languages, stated),
        "twists": ["the delimiter becomes a parameter"],
    }
    references = {language: REFERENCES[language] for language in languages}
    return {"rewrite": rewrite, "table": {"rows": ROWS}, "references": references, **changes}


class Project:
    """A project with one mined function, and the commands on it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys
        self.path = str(folder / "p.annotator")
        row = {"id": "cut", "title": "Cut", "prompt": "Cut a line at its commas.", "reference": MINED,
               "language": "python", "entry_point": "cut", "licence": "MIT",
               "provenance": {"repository": "lines", "revision": "1f", "path": "lines.py"}}  # fmt: skip
        project_of_rows(Path(self.path), [row], (), people=("Ada", "Bo", "Cy", "Di", "Ed", "Fi")).close()

    def __call__(self, *words: str, status: int = 0) -> Any:
        """Run a command with --json; returns its data, or what it says of an error."""
        self.capsys.readouterr()
        assert main([*words, "--json"]) == status, self.capsys.readouterr().err
        found = self.capsys.readouterr()
        return json.loads(found.out) if status == 0 else found.err

    def save(self, **changes: Any) -> None:
        """Save the rewrite."""
        file = self.folder / "rewrite.json"
        file.write_text(json.dumps(document(**changes)))
        self("rewrite", "set", self.path, "--subject", "cut", "--file", str(file))

    def record_check(self, mined: str = "fail") -> None:
        """Keep what running the rewrite shows where all is well, without a sandbox."""
        with closing(projects.open_project(Path(self.path))) as store:
            view = rewrites.load_rewrite(store, "cut")
            names = [row.name for row in view.work.table.rows]
            rows = [{"name": name, "outcome": "pass", "message": ""} for name in names]
            old = [{"name": name, "outcome": mined, "message": "AssertionError: []"} for name in names]
            detail = {
                "results": {"original": old, **dict.fromkeys(view.work.references, rows)},
                "coverage": dict.fromkeys(view.work.references, (1.0, 1.0)),
            }
            with store.write() as db:
                stored_proofs.record_proof(db, view.subject.row.id, stored.KIND, view.content_hash, "pass", detail)

    def make(self) -> dict[str, str]:
        """Make items; returns the keys by language of those that stand."""
        rows = self("rewrite", "make", self.path, "--subject", "cut")["items"]
        return {row["language"]: row["key"] for row in rows if row["state"] != "outdated"}

    def accept(self, *keys: str) -> None:
        """Accept items."""
        for key in keys:
            self("select", self.path, "--subject", key, "--verdict", "accept")

    def agree(self, *keys: str) -> None:
        """Let three experts confirm items, and a panel of three keep the rewrite."""
        self("team", "panel", self.path, "--voters", "3", "--keep", "2")
        for name in ("Ada", "Bo", "Cy"):
            for key in keys:
                for artefact in ("solution", "tests"):
                    words = ("--subject", key, "--artefact", artefact, "--annotator", name)
                    self("team", "confirm", self.path, *words)
        for name, answer in (("Di", "yes"), ("Ed", "yes"), ("Fi", "no")):
            words = ("--subject", keys[0], "--realistic", answer, "--uses-llm", "yes", "--annotator", name)
            self("team", "vote", self.path, *words)

    def gate(self, name: str) -> dict[str, str]:
        """Return why items do not meet a gate, by key."""
        gates = self("release", "gates", self.path)["gates"]
        (found,) = (gate for gate in gates if gate["id"] == name)
        return {item["key"]: item["why"] for item in found["items"]}


@pytest.fixture
def project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Project:
    return Project(tmp_path, capsys)


@pytest.fixture
def unrun(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let experts confirm without a sandbox: the runs are looked at by the test with one."""
    monkeypatch.setattr(three_experts, "run_artefacts", lambda *_: ("", "", None))


def _released(project: Project, version: str) -> dict[str, dict[str, Any]]:
    out = project.folder / f"release-{version}"
    project("release", "export", project.path, "--version", version, "--out", str(out))
    rows = map(json.loads, (out / "items.jsonl").read_text().splitlines())
    return {row["language"]: row for row in rows}


def test_a_rewrite_that_does_not_hold_gives_no_items(project: Project) -> None:
    said = project("rewrite", "make", project.path, "--subject", "cut", status=3)
    assert "does not pass all its gates" in said and "no items were made" in said
    project.save()
    assert "original fails" in project("rewrite", "make", project.path, "--subject", "cut", status=3)
    project.record_check(mined="pass")
    said = project("rewrite", "make", project.path, "--subject", "cut", status=3)
    assert "the mined code passes 3 of 4 tests (75%, at most 50% are allowed): typical, corner, order" in said
    project("release", "gates", project.path, "--mined-percent", "75")
    assert project("rewrite", "show", project.path, "--subject", "cut")["passed"]
    project("release", "gates", project.path, "--mined-percent", "74")
    project("rewrite", "make", project.path, "--subject", "cut", status=3)
    assert [row["key"] for row in project("list", project.path)["rows"]] == ["jsonl:cut"]


def test_items_are_released_with_what_was_said_of_the_rewrite(project: Project, unrun: None) -> None:
    project.save(languages=("python", "java"))
    project.record_check()
    keys = project.make()
    assert list(keys) == ["python", "java"] and all(key.startswith("rewrite:cut/") for key in keys.values())
    project.accept("cut", *keys.values())
    assert project.gate("rewrites") == {"jsonl:cut": "it has a rewrite: make its items and reject this one"}
    project("select", project.path, "--subject", "cut", "--verdict", "reject")
    assert project.gate("rewrites") == {}
    waiting = project.gate("rewrites-agreed")
    assert set(waiting) == set(keys.values())
    assert waiting[keys["java"]] == ("solution: 3 more confirmations; tests: 3 more confirmations; 0 of 13 votes")
    project.agree(*keys.values())
    assert project.gate("rewrites-agreed") == {} and project.gate("duplicates") == {}
    why = ("--override", "not proven here")
    project("release", "create", project.path, "--version", "0.1", *why)
    items = _released(project, "0.1")
    java = items["java"]
    assert "static List<String> cut(String text, String sign)" in java["prompt"]
    assert "Split a record wherever a given sign stands" in java["prompt"] and java["licence"] == "MIT"
    assert [test["name"] for test in java["tests"]] == [row["name"] for row in ROWS]
    assert java["extra"]["test_file"].count("static void row") == len(ROWS) + 1
    facts = java["provenance"]["rewrite"]
    assert [change["kind"] for change in facts["changes"]] == ["parameter count", "return", "twist"]
    assert facts["coverage"] == {"lines": 1.0, "branches": 1.0} and 0 < facts["similarity"] < 0.9
    assert facts["original"] == {"does not fit": 4} and all(facts["gates"].values())
    assert facts["experts"]["tests"] == {"state": "confirmed", "confirmed_by": ["Ada", "Bo", "Cy"]}
    assert (facts["panel"]["approvals"], facts["panel"]["kept"], facts["panel"]["cast"]) == (2, True, 3)
    assert facts["panel"]["votes"][0] == {"voter": "Di", "realistic": "yes", "uses_llm": "yes"}
    # Names are a project's to show, and a vote voids no score.
    project("team", "panel", project.path, "--show", "pseudonyms")
    project("release", "create", project.path, "--version", "0.2", *why)
    hidden = _released(project, "0.2")["java"]["provenance"]["rewrite"]
    voters = [vote["voter"] for vote in hidden["panel"]["votes"]]
    assert set(voters).isdisjoint({"Di", "Ed", "Fi"}) and voters == sorted(voters)
    assert all(re.fullmatch("expert [0-9a-f]{8}", voter) for voter in voters), "no number tells who joined when"
    diff = project("release", "diff", project.path, "--version", "0.1", "--to", "0.2")
    assert len(diff["comparable"]) == len(keys)


def test_items_follow_their_rewrite(project: Project) -> None:
    project.save()
    project.record_check()
    first = project.make()
    project.accept(*first.values())
    assert project("rewrite", "make", project.path, "--subject", "cut")["done"] == ""
    project.save(references={**REFERENCES, "python": REFERENCES["python"].replace("empty", "blank")})
    blocked = project.gate("rewrites")
    assert "has changed" in blocked[first["python"]] and "was not run yet" in blocked[first["java"]]
    project.record_check()
    assert set(project.gate("rewrites")) == {first["python"]}
    second = project.make()
    assert {name for name in first if first[name] != second[name]} == {"python"}
    verdicts = {row["key"]: row["verdict"] for row in project("list", project.path)["rows"]}
    assert verdicts[first["python"]] == "reject" and verdicts[second["python"]] is None
    project.accept(second["python"])
    assert project.gate("rewrites") == {} and project.gate("duplicates") == {}
    # What experts change of an item belongs into the rewrite, where all languages run on it.
    file = project.folder / "edited.java"
    file.write_text(REFERENCES["java"] + "// edited\n")
    edit = ("--subject", second["java"], "--artefact", "solution", "--file", str(file))
    project("team", "edit", project.path, *edit)
    assert set(project.gate("rewrites")) == {second["java"]}
    project("undo", project.path)
    said = project("rewrite", "make", project.path, "--subject", second["java"], status=3)
    assert "Name the subject that was rewritten" in said


def test_the_papers_layout_comes_back_whole(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.save()
    project.record_check()
    keys = project.make()
    project.accept(*keys.values())
    project("release", "create", project.path, "--version", "0.1", "--override", "no agreement")
    out = project.folder / "layout"
    project("release", "export", project.path, "--format", "realisticcodebench", "--out", str(out))
    folders = {path.relative_to(out / "tasks").as_posix() for path in (out / "tasks").glob("*/*")}
    assert folders == {f"t1/{name}" for name in ("python", "javascript", "typescript", "java", "c&cpp")}
    assert (out / "tasks/t1/python/answer.py").read_text() == REFERENCES["python"]
    assert "module.exports = { cut };" in (out / "tasks/t1/javascript/answer.js").read_text()
    _run_by_own_tools(out / "tasks/t1")

    before = _released(project, "0.1")
    (project.folder / "other").mkdir()
    other = str(project.folder / "other" / "q.annotator")
    project("new", other, "--name", "Demo", "--annotator", "Ada")
    assert project("import", "realisticcodebench", str(out), "--project", other)["added"] == len(keys)
    for key in keys.values():
        project("select", other, "--subject", key, "--verdict", "accept")
    project("release", "create", other, "--version", "0.1", "--override", "not proven here")
    project.path, project.folder = other, project.folder / "other"
    assert _released(project, "0.1") == before
    # What came with another project's release is what that said of it.
    assert project.gate("rewrites") == {}
    # The authors' three files are enough, and a changed one is noticed.
    changed = out / "tasks/t1/python/test.py"
    changed.write_text(changed.read_text() + "# changed\n")
    said = project("import", "realisticcodebench", str(out), "--project", other, status=3)
    assert "test.py has changed since" in said
    (out / "tasks/t1/python/item.json").unlink()
    assert project("import", "realisticcodebench", str(out), "--project", other)["added"] == 1


def _run_by_own_tools(task: Path) -> None:
    """Run the tests of a task with what this machine has of the languages' own tools."""
    commands = {
        "python": ("python3 -m unittest test.py", "python3"),
        "javascript": ("node test.js", "node"),
        "java": ("javac -encoding UTF-8 Answer.java Test.java && java -ea Test", "javac"),
        "c&cpp": ("g++ -std=c++17 -o test test.cpp && ./test", "g++"),
        "typescript": ("tsc --module commonjs --target es2020 test.ts && node test.js", "tsc"),
    }
    for name, (command, tool) in commands.items():
        if shutil.which(tool):
            done = subprocess.run(command, shell=True, cwd=task / name, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"


@pytest.mark.sandbox
@pytest.mark.usefixtures("lent_sandbox")
def test_references_that_are_compiled_are_run_on_the_table(project: Project) -> None:
    project.save(languages=["java"])
    checked = project("rewrite", "check", project.path, "--subject", "cut")
    assert checked["passed"], checked["gates"]


@pytest.mark.sandbox
@pytest.mark.usefixtures("lent_sandbox")
@pytest.mark.parametrize(
    "languages", [pytest.param(("python", "javascript"), id="two"), pytest.param(tuple(REFERENCES), id="five")]
)
def test_a_rewrite_becomes_proven_items(project: Project, languages: Sequence[str]) -> None:
    project.save(languages=languages)
    checked = project("rewrite", "check", project.path, "--subject", "cut")
    assert checked["passed"], checked["gates"]
    (original,) = (gate for gate in checked["gates"] if gate["name"] == "original fails")
    # The row that expects an error is no row that the mined code passes: it takes one argument.
    assert original["detail"] == "all 4 tests: does not fit 4"
    keys = project.make()
    assert set(keys) == set(languages)
    project("select", project.path, "--subject", "cut", "--verdict", "reject")
    project.accept(*keys.values())
    proofs = project("criterion", "prove", project.path)["proofs"]
    assert {row["key"]: row["outcome"] for row in proofs} == dict.fromkeys(keys.values(), "pass"), proofs
    project.agree(keys["python"])
    why = ("--override", "only Python is confirmed")
    project("release", "create", project.path, "--version", "0.1", *why)
    gates = {gate["id"]: gate["ok"] for gate in project("release", "gates", project.path)["gates"]}
    assert gates["proofs"] and gates["rewrites"] and not gates["rewrites-agreed"]
