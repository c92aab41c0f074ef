"""Libraries of an item: named by content, found by its code alone, and machinery where they are not built."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from docker.errors import DockerException
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.evaluation.answer_scoring import ItemScorer, ScoreJob
from annotator.formats.read.import_records import Candidate, CandidateTest
from annotator.model.vocabulary import Outcome
from annotator.sandbox import Job, JobResult, Pool, TestCode, parse_job
from annotator.sandbox.layers import ensure_libraries
from annotator.sandbox.libraries import (
    LibrarySet,
    find_library_set,
    libraries_digest,
    libraries_image,
    library_set,
    not_built_message,
    refuse_libraries,
    runner_with_libraries,
)
from annotator.sandbox.sandbox_places import DockerPlace
from annotator.sandbox.units import units_of
from annotator.services import library_sets as libraries
from annotator.services.criterion import proofs
from annotator.services.project import projects
from annotator.services.select import triage
from annotator.services.sources import imports

SET = LibrarySet(("tinylib==1.0",))
NODE_SET = LibrarySet(("npm:tinylib==1.0.0",))
ABSENT = LibrarySet(("tinylib==99.0",))
CODE = "import tinylib\n\ndef twice(x):\n    return tinylib.double(x)\n"
TEST = TestCode("t", "assert twice(2) == 4")


def _item(libraries: LibrarySet | None, criterion: str = "") -> dict[str, Any]:
    extra = {"libraries": libraries.to_extra()} if libraries else {}
    return {"id": "i", "key": "i", "language": "python", "entry_point": "twice", "criterion": criterion,
            "tests": [{"name": "t", "code": TEST.code}], "extra": extra}  # fmt: skip


@pytest.mark.parametrize(
    "bad",
    ["tinylib", "tinylib>=1", "tinylib==1.*", "--index-url=http://a", "a @ file:///etc", "a==1 ; x", "a==1\n", "", 3],
)
def test_only_exact_versions_make_a_set(bad: Any) -> None:
    with pytest.raises(BadInputError, match="exact version"):
        library_set(["six==1.16.0", bad])
    with pytest.raises(BadInputError, match="at most"):
        library_set(f"a{number}==1" for number in range(300))


@given(st.lists(st.from_regex(r"[a-z][a-z0-9]{0,8}==[0-9]\.[0-9]", fullmatch=True), max_size=6))
def test_a_set_is_named_by_what_is_in_it(requirements: list[str]) -> None:
    made = library_set(requirements)
    assert made == library_set(reversed(requirements)) and set(made.requirements) == set(requirements)
    assert made.digest != library_set([*requirements, "another==1"]).digest
    assert find_library_set({"libraries": made.to_extra()}) == made


def test_a_set_is_of_python_or_of_npm() -> None:
    # Items that were released carry this digest.
    assert (SET.group, SET.digest) == ("python", "c8007bea2d5b4e8ba9fbe26c")
    made = library_set(["npm:lodash==4.17.21", "npm:@scope/pad==1.0.0-beta.1"])
    assert made.group == "javascript" and find_library_set({"libraries": made.to_extra()}) == made
    assert made.digest != LibrarySet(("lodash==4.17.21",)).digest
    with pytest.raises(BadInputError, match="not of both"):
        library_set(["npm:lodash==4.17.21", "six==1.16.0"])
    for bad in ("npm:lodash", "npm:../lodash==1.0.0", "npm:a/b==1.0.0", "npm:lodash@1==1.0.0", "maven:a==1"):
        with pytest.raises(BadInputError, match="exact version"):
            library_set([bad])


@pytest.mark.parametrize("bad", ["maven:junit", "npm:", "npm:../a", "npm:a@latest", "npm:a b", "npm:https://a"])
def test_languages_whose_items_can_name_libraries_are_told(bad: str) -> None:
    with pytest.raises(BadInputError, match="other languages only the libraries in their image"):
        libraries.resolve_library_set([bad])


def test_without_npm_it_is_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotator.services.library_sets.find_program", lambda _: None)
    with pytest.raises(MissingEnvironmentError, match="npm is not installed"):
        libraries.resolve_library_set(["npm:lodash==4.17.21"])


@pytest.mark.parametrize(
    "told",
    [
        "tinylib",
        {"requirements": "tinylib==1.0"},
        {"requirements": ["tinylib==1.0"]},
        {"requirements": ["tinylib==2.0"], "digest": SET.digest},
        {"requirements": ["--extra-index-url x"], "digest": SET.digest},
    ],
)
def test_a_set_that_was_tampered_with_is_refused(told: Any) -> None:
    with pytest.raises(BadInputError):
        find_library_set({"libraries": told})


def test_items_without_libraries_run_as_before() -> None:
    class Never:
        def submit(self, job: Job) -> Future[JobResult]:
            raise AssertionError(job)

    runner = Never()
    for extra in (None, {}, {"libraries": None}, {"libraries": "x"}, {"libraries": {"digest": 3}}, "x"):
        assert runner_with_libraries(runner, extra) is runner and libraries_digest(extra) == ""
    assert runner_with_libraries(None, {"libraries": SET.to_extra()}) is None
    (plain,) = units_of(Job(id="a", language="python", code="import numpy", tests=(TEST,)), "/x")  # type: ignore[misc]
    assert (plain.group, plain.preload) == ("python", ("numpy",)) and "libraries" not in plain.head


def test_a_line_says_how_often_each_test_runs() -> None:
    assert parse_job({"code": "x", "language": "go", "runs": 3}).runs == 3
    for bad in (0, 101, True, "3", 1.5, None):
        with pytest.raises(BadInputError, match="runs must be a whole number from 1 to 100"):
            parse_job({"code": "x", "language": "go", "runs": bad})


def test_the_supervisor_itself_loads_nothing_of_a_set() -> None:
    (unit,) = units_of(Job(id="a", language="python", code="import numpy", tests=(TEST,), libraries=SET.digest), "/x")  # type: ignore[misc]
    assert unit.group == f"python+{SET.digest}" and unit.preload == ()
    assert parse_job({"code": "x", "language": "python", "libraries": "ab12"}).libraries == "ab12"
    for bad in ("../etc", "AB", 3, "a" * 65):
        with pytest.raises(BadInputError, match="libraries"):
            parse_job({"code": "x", "language": "python", "libraries": bad})


def test_programs_in_other_languages_have_no_sets() -> None:
    for name in ("javascript", "typescript", "ruby"):
        (unit,) = units_of(Job(id="a", language=name, code="1", tests=(TEST,), libraries=NODE_SET.digest), "/x")  # type: ignore[misc]
        assert unit.group == ("script" if name == "ruby" else f"javascript+{NODE_SET.digest}")


@pytest.mark.sandbox
def test_javascript_finds_its_libraries_and_only_there(place: DockerPlace, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    (folder / "tinylib").mkdir(parents=True)
    (folder / "tinylib" / "package.json").write_text('{"name": "tinylib", "version": "1.0.0", "main": "main.js"}')
    (folder / "tinylib" / "main.js").write_text("exports.double = (x) => 2 * x;")
    ensure_libraries(place, NODE_SET, folder)
    required = "const { double } = require('tinylib');\nconst twice = (x) => double(x);\nmodule.exports = { twice };"
    imported = "import { double } from 'tinylib';\nexport const twice = (x) => double(x);"
    test = TestCode("t", "import { twice } from './twice';\ntest('twice', () => { expect(twice(2)).toBe(4); });")
    jobs = [
        Job(id=f"{name} {number} {bool(digest)}", language=name, code=code, tests=(test,), libraries=digest)
        for number, code in enumerate((required, imported))
        for name in ("javascript", "typescript")
        for digest in (NODE_SET.digest, "")
    ]
    try:
        with Pool(place, 2) as pool:
            found = {result.id: result for result in pool.run(jobs)}
    finally:
        place.client.images.remove(libraries_image(place.images.tag("javascript"), NODE_SET.digest))
    for name, result in found.items():
        assert result.outcome == ("pass" if name.endswith("True") else "fail"), (name, result)


def test_without_docker_libraries_are_missing() -> None:
    refuse_libraries("python")
    with pytest.raises(MissingEnvironmentError, match="Docker"):
        refuse_libraries(f"python+{SET.digest}")


@pytest.fixture
def built(place: DockerPlace, tmp_path: Path) -> Iterator[DockerPlace]:
    folder = tmp_path / "set"
    (folder / "tinylib").mkdir(parents=True)
    (folder / "tinylib" / "__init__.py").write_text("def double(x):\n    return 2 * x\n")
    (folder / "json.py").write_text("raise SystemExit('a module of Python was replaced')\n")
    (folder / "pytest.py").write_text("VERSION = 'of the set'\n")
    ensure_libraries(place, SET, folder)
    yield place
    with contextlib.suppress(DockerException):
        place.client.images.remove(libraries_image(place.images.tag("python"), SET.digest))


@pytest.mark.sandbox
def test_libraries_are_kept_as_bytecode(built: DockerPlace) -> None:
    test = TestCode("t", "import pathlib\nassert pathlib.Path(tinylib.__cached__).is_file()")
    with Pool(built, 1) as pool:
        (result,) = pool.run(
            [Job(id="with", language="python", code=CODE, tests=(test,), mode="shared", libraries=SET.digest)]
        )
    assert result.outcome == "pass", result


@pytest.mark.sandbox
@pytest.mark.parametrize("mode", ["judged", "fast"])
def test_code_finds_its_libraries_and_only_there(built: DockerPlace, mode: Any) -> None:
    order = "import json, pytest\nx = json.dumps([pytest.VERSION])\n\ndef twice(a):\n    return 2 * a"
    jobs = [
        Job(id="with", language="python", code=CODE, tests=(TEST,), mode=mode, libraries=SET.digest),
        Job(id="without", language="python", code=CODE, tests=(TEST,), mode=mode),
        Job(id="absent", language="python", code=CODE, tests=(TEST,), mode=mode, libraries=ABSENT.digest),
        Job(
            id="order",
            language="python",
            code=order,
            tests=(TestCode("t", "import tinylib\nassert twice(2) == 4"),),
            mode=mode,
            libraries=SET.digest,
        ),
    ]
    with Pool(built, 2) as pool:
        found = {result.id: result for result in pool.run(jobs)}
    assert found["with"].outcome == "pass", found["with"]
    assert found["without"].outcome == "fail" and "tinylib" in found["without"].tests[0].message
    assert found["absent"].outcome == "machinery" and found["absent"].message == not_built_message(ABSENT.digest)
    assert found["order"].outcome == "pass", found["order"]


@pytest.mark.sandbox
@pytest.mark.parametrize("mode", ["judged", "fast", "shared"])
def test_a_python_that_the_code_starts_finds_them_too(built: DockerPlace, mode: Any) -> None:
    code = (
        "import subprocess, sys\n\ndef twice(x):\n    program = f'import tinylib, json; print(tinylib.double({x}))'\n"
        "    return int(subprocess.run([sys.executable, '-c', program], capture_output=True, check=True).stdout)\n"
    )
    with Pool(built, 1) as pool:
        (result,) = pool.run(
            [Job(id="child", language="python", code=code, tests=(TEST,), mode=mode, libraries=SET.digest)]
        )
    assert result.outcome == "pass", result


@pytest.mark.sandbox
def test_scoring_finds_them_and_never_counts_their_absence(built: DockerPlace) -> None:
    criterion = f"lang: python\ngrading:\n  unit_test:\n    tests: ['{TEST.code}']\n"
    with Pool(built, 1) as pool:
        scorer = ItemScorer(sandbox=pool)
        for source in ("", criterion):
            right = scorer(ScoreJob(item=_item(SET, source), text=f"```python\n{CODE}```"))
            missing = scorer(ScoreJob(item=_item(ABSENT, source), text=f"```python\n{CODE}```"))
            assert right.outcome == Outcome.PASS and right.score == 1.0, right
            assert missing.outcome == Outcome.MACHINERY and missing.score is None
            assert "annotator sandbox libraries" in missing.detail["reason"]


@pytest.mark.sandbox
def test_a_proof_without_the_libraries_is_no_failure(built: DockerPlace, tmp_path: Path) -> None:
    store = projects.create_project(tmp_path / "p.annotator", "p", "ada")
    test = CandidateTest(name="t", code=TEST.code, language="python")
    made = [
        Candidate(
            key=name,
            title=name,
            language="python",
            prompt="Double it twice.",
            reference=CODE,
            entry_point="twice",
            extra={"libraries": found.to_extra()},
            tests=(test,),
        )
        for name, found in (("there", SET), ("absent", ABSENT))
    ]
    imports.import_candidates(store, "repository", Path(__file__), made, {})
    rows, _ = proofs.prove_subjects(store, ["there", "absent"])
    found = {row.key: row for row in rows}
    assert found["there"].outcome == "pass", found["there"]
    assert found["absent"].outcome == "machinery" and "annotator sandbox libraries" in found["absent"].reason
    view = triage.load_subject(store, "absent")
    assert view.proof is not None and view.proof.outcome == "machinery" and not view.row.proven
    known = {row.digest: row.ready for row in libraries.library_status(libraries.project_library_sets(store))}
    assert known == {SET.digest: True, ABSENT.digest: False}
    store.close()
