"""Functions written in their repository: mined, released, answered by a replay and judged by the repository's tests."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.evaluation.answer_scoring import ScoreJob
from annotator.evaluation.item_prompts import build_question, surroundings_of
from annotator.evaluation.presets import find_protocol_preset
from annotator.formats.format_registry import import_format
from annotator.jobs.progress import Progress
from annotator.model.vocabulary import Outcome, Verdict
from annotator.sandbox import Pool
from annotator.sandbox.sandbox_places import DockerPlace
from annotator.services import repository_snapshots
from annotator.services.criterion import proofs
from annotator.services.project import projects
from annotator.services.release import exports, versions
from annotator.services.repository_snapshots import InPlaceJudge, grade_in_place
from annotator.services.runs import run_control
from annotator.services.select import triage
from annotator.services.sources import repository_mining
from annotator.services.sources.repository_mining import MiningOptions, import_rows, mine_repositories
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import stored_subjects
from tests.samples import load_samples

FILES: dict[str, str] = load_samples(__file__)
KEY = "repository:shop:shop/cart.py:Cart.total"
RIGHT = "def total(self, discount=0):\n    return sum(map(price_of, self.names)) - discount"


def written(root: Path) -> Path:
    for name, text in FILES.items():
        path = root / "shop" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root / "shop"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep what mining keeps in a folder of the test; the image has a pytest of its own, so nothing is fetched."""

    def installed(program: str, wanted: object, target: Path) -> bool:
        target.mkdir(parents=True)
        return True

    for module in (repository_mining, repository_snapshots):
        monkeypatch.setattr(module, "data_dir", lambda: tmp_path / "data")
    monkeypatch.setattr("annotator.mining.repository.confirmation.environment.install_libraries", installed)
    return tmp_path / "data"


@pytest.fixture
def mined(place: DockerPlace, data: Path, tmp_path: Path) -> ProjectFile:
    """A project with what mining by EvoCodeBench's recipe found in the repository."""
    root = written(tmp_path)
    (outcome,) = mine_repositories([root], MiningOptions(recipe="evocodebench"), Progress())
    assert outcome.mined is not None, outcome.problem
    rows = {row.qualified_name: row for row in outcome.mined.rows}
    assert rows["Cart.total"].selected, rows["Cart.total"].filters
    store = projects.create_project(tmp_path / "p.annotator", "p", "ada")
    import_rows(store, root, [rows["Cart.total"]])
    return store


@pytest.mark.sandbox
def test_what_does_not_run_alone_is_judged_in_place_by_the_other_recipe_too(
    place: DockerPlace, data: Path, tmp_path: Path
) -> None:
    files = {
        "two/__init__.py": "",
        "two/one.py": "def helper(x):\n    return x + 1\n",
        "two/both.py": "from two.one import helper as first\n\n\ndef helper(x):\n    return x + 2\n\n\n"
        "def both(x):\n    y = first(x)\n    y += helper(x)\n    return y\n",
        "test_two.py": "from two.both import both\n\n\ndef test_both():\n    assert both(1) == 5\n",
    }
    for name, text in files.items():
        path = tmp_path / "two" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (outcome,) = mine_repositories([tmp_path / "two"], MiningOptions(), Progress())
    assert outcome.mined is not None, outcome.problem
    (row,) = [row for row in outcome.mined.rows if row.qualified_name == "both"]
    assert row.selected and row.in_place and not row.weakness, row.filters
    store = projects.create_project(tmp_path / "p.annotator", "p", "ada")
    import_rows(store, outcome.source, [row])
    key = "repository:two:two/both.py:both"
    triage.decide_subjects(store, [key], Verdict.ACCEPT)
    (proof,), _ = proofs.prove_subjects(store, [key])
    assert proof.outcome == "pass", proof


@pytest.mark.sandbox
def test_from_the_repository_to_scores(mined: ProjectFile, data: Path, tmp_path: Path) -> None:
    store = mined
    shown_to_models(store)
    triage.decide_subjects(store, [KEY], Verdict.ACCEPT)
    (row,), _ = proofs.prove_subjects(store, [KEY])
    assert row.outcome == "pass", row
    versions.create_release(store, "0.1", override_reason="a test")
    answers = [
        f"```python\n{RIGHT}\n```",
        "```python\ndef total(self, discount=0):\n    return 8\n```",
        "I do not know.",
    ]
    path = tmp_path / "answers.jsonl"
    lines = [{"subject": KEY, "sample": n, "model": "m", "response": text} for n, text in enumerate(answers)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run_control.start_replay(store, "0.1", path)
    assert scores(store) == [("pass", 1.0), ("fail", 0.0), ("refusal", 0.0)]
    exports.export_release(store, "0.1", "evocodebench", tmp_path / "evo")
    (row,) = map(json.loads, (tmp_path / "evo" / "data.jsonl").read_text("utf-8").splitlines())
    # The published scripts look for the repository in the first folder of the path.
    assert (row["project_path"], row["completion_path"]) == ("shop", "shop/shop/cart.py")
    (candidate,) = import_format("evocodebench").read(tmp_path / "evo" / "data.jsonl", {})
    assert candidate.key == "evocodebench:shop.cart.Cart.total" and len(candidate.tests) == 2  # type: ignore[union-attr]
    store.close()


def shown_to_models(store: ProjectFile) -> None:
    with store.read() as db:
        view = stored_subjects.load_subject_view(db, triage.load_subject(store, KEY).row.id)
    item = proofs.item_of(view)
    around = surroundings_of(item)
    assert around.signature == "def total(self, discount=0):" and around.name == "Cart.total"
    assert around.above.endswith("return self\n\n") and around.below == ""
    assert "secret_of_the_reference" not in around.above + around.signature
    for context in ("none", "above", "infilling", "similar"):
        shown = build_question(item, find_protocol_preset(f"evocodebench-{context}-greedy"))
        text = "".join(message.content for message in shown.messages)
        assert "def total(self, discount=0):" in text and "secret_of_the_reference" not in text


def scores(store: ProjectFile) -> list[tuple[str, float]]:
    with store.reader() as connection:
        return [tuple(row) for row in connection.execute("SELECT outcome, score FROM current_score ORDER BY sample")]


# -- answers that mean harm -------------------------------------------------------------------------------------------

PLACE = {
    "digest": "", "roots": [""], "path": "shop/cart.py", "body": [16, 19], "name": "Cart.total",
    "tests": ["tests/test_cart.py::test_total", "tests/test_cart.py::test_discount"],
}  # fmt: skip
SPOIL = """
    import os, pathlib
    here = pathlib.Path(__file__).resolve().parent.parent
    for name in ("shop/prices.py", "tests/test_cart.py", "tests/conftest.py", "shop/__init__.py"):
        (here / name).write_text("raise SystemExit('spoiled')")
    for folder in (here, here.parent, pathlib.Path("/tmp"), pathlib.Path("/annotator/libraries"), pathlib.Path.home()):
        for name in ("conftest.py", "sitecustomize.py", "usercustomize.py", "left-behind"):
            try:
                (folder / name).write_text("raise SystemExit('spoiled')")
            except OSError:
                pass
    return sum(map(price_of, self.names)) - discount
"""
LOOK = """
    import os
    for folder, _, names in os.walk("/tmp"):
        assert "left-behind" not in names, folder
    for top in ("/tmp", "/annotator", os.path.expanduser("~"), os.getcwd()):
        for folder, _, names in os.walk(top):
            for name in names:
                try:
                    text = open(os.path.join(folder, name)).read()
                except (OSError, ValueError):
                    continue
                assert "of_the_" + "reference" not in text, name
    return sum(map(price_of, self.names)) - discount
"""
FORGE = """
    import gc, json, os, sys
    tests = ["tests/test_cart.py::test_total", "tests/test_cart.py::test_discount"]
    report = json.dumps({"exit": 0, "outcomes": dict.fromkeys(tests, "pass"), "messages": {}})
    for number in range(64):
        for text in (report, "mark" + report):
            try:
                os.write(number, text.encode() + bytes([10]))
            except OSError:
                pass
    os._exit(0)
"""
HARM = {
    "forged": FORGE,
    "left": "    import os\n    os._exit(0)",
    "killed its parent": "    import os, signal\n    os.kill(os.getppid(), signal.SIGKILL)",
    "changed the tests": (
        "    import sys\n    module = sys.modules[type(self).__module__]\n"
        "    open('tests/test_cart.py', 'w').write('def test_total(): pass')\n    return 0"
    ),
    "does not parse": "    return (",
    "for ever": "    while True:\n        pass",
}


@pytest.fixture(scope="module")
def one(place: DockerPlace) -> Iterator[Pool]:
    """One supervisor for all that mean harm, so that each answer comes where the one before was."""
    with Pool(place, 1) as pool:
        yield pool


@pytest.fixture
def judge(one: Pool, data: Path) -> InPlaceJudge:
    files = {name: text.encode() for name, text in FILES.items()}
    item = {"key": KEY, "extra": {"repositoryplace": {**PLACE, "digest": repository_snapshots.save_snapshot(files)}}}
    return InPlaceJudge(item, one)


def given(judge: InPlaceJudge, body: str) -> Any:
    text = f"```python\ndef total(self, discount=0):\n{textwrap.indent(textwrap.dedent(body), '    ')}\n```"
    return grade_in_place(ScoreJob(item=judge.item, text=text), judge.sandbox)


@pytest.mark.sandbox
def test_no_answer_reaches_the_next(judge: InPlaceJudge, data: Path) -> None:
    (kept,) = (data / "repositories").iterdir()
    before = kept.read_bytes()
    assert given(judge, SPOIL).outcome == Outcome.PASS
    looked = given(judge, LOOK)
    assert looked.outcome == Outcome.PASS, looked
    assert kept.read_bytes() == before
    assert [verdict.score for verdict in judge.verdicts([RIGHT, "return 1"], expected=True)] == [1.0, 0.0]


@pytest.mark.sandbox
@pytest.mark.parametrize("harm", list(HARM))
def test_harm_does_not_pass(judge: InPlaceJudge, harm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if harm == "for ever":
        monkeypatch.setattr("annotator.evaluation.repository_tests.TEST_SECONDS", 1.0)
    found = given(judge, HARM[harm])
    assert (found.outcome, found.score) == (Outcome.FAIL, 0.0), found


@pytest.mark.sandbox
def test_a_repository_that_is_not_here_is_machinery(judge: InPlaceJudge, data: Path) -> None:
    (kept,) = (data / "repositories").iterdir()
    kept.unlink()
    found = given(judge, "    return 0")
    assert (found.outcome, found.score) == (Outcome.MACHINERY, None)
    assert "annotator sandbox repositories" in found.detail["reason"]


def test_without_code_or_a_sandbox_nothing_runs() -> None:
    item = {"key": KEY, "extra": {"repositoryplace": {**PLACE, "digest": "0" * 24}}}
    assert grade_in_place(ScoreJob(item=item, text="```\n```"), None).outcome == Outcome.EMPTY
    assert "sandbox" in grade_in_place(ScoreJob(item=item, text=RIGHT), None).detail["reason"]
    assert grade_in_place(ScoreJob(item={"key": "x"}, text=RIGHT), None).outcome == Outcome.MACHINERY
