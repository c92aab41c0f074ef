"""Variants are run from one collection of their tests, with the outcomes of separate runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from annotator.base.resources import resource_path
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the sandbox runs Linux")

LIB = SAMPLES["lib"]
INNER = "def value():\n    return 7\n"
TESTS = SAMPLES["tests"]


def reports_of(folder: Path, changes: list[tuple[str, str, str, str, bool]]) -> dict[str, dict[str, Any]]:
    """Run a variant per change: (test, file, the function's first line, old and new text, whether it is shared)."""
    repository, place = folder / "repository", folder / "place"
    repository.mkdir()
    place.mkdir()
    texts = {"lib.py": LIB, "inner.py": INNER, "test_lib.py": TESTS}
    for name, text in texts.items():
        (repository / name).write_text(text, encoding="utf-8")
    variants = []
    for number, (test, path, start, replaced, shared) in enumerate(changes):
        old, _, new = replaced.partition(" -> ")
        text = texts[path]
        at = text.index(start)
        line = text[:at].count("\n") + 1
        changed = text[:at] + text[at:].replace(old, new, 1)
        variants.append({
            "name": f"{number}", "tests": [f"test_lib.py::{test}"], "files": {path: changed}, "trace": False,
            "alone": False, "until_failure": True, "seconds": 30, "deadline": 120, "shared": shared,
            "changed": [path, line],
        })  # fmt: skip
    request = {"mark": "#", "roots": [""], "variants": variants, "environment": "", "repository": str(repository)}
    reports = run_request(place, request)
    return {changes[int(report["variant"])][0]: report for report in reports}


def run_request(place: Path, request: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a request's variants and return the reports, in order."""
    (place / "request.json").write_text(json.dumps(request), encoding="utf-8")
    with resource_path("sandbox", "mining", "runner.py").open(encoding="utf-8") as program:
        done = subprocess.run(
            [sys.executable, "-"], stdin=program, cwd=place, capture_output=True, text=True, check=False, timeout=240,
            env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        )  # fmt: skip
    reports = [json.loads(line[1:]) for line in done.stdout.splitlines() if line.startswith("#")]
    assert len(reports) == len(request["variants"]), done.stderr
    return reports


CHANGES = [tuple(change) for change in SAMPLES["changes"]]


@pytest.mark.parametrize("shared", [True, False])
def test_each_change_is_noticed(tmp_path: Path, shared: bool) -> None:
    found = reports_of(tmp_path, [(*change, shared) for change in CHANGES])
    assert {name: report["exit"] for name, report in found.items()} == {change[0]: 1 for change in CHANGES}
    assert {name: report["outcomes"] for name, report in found.items()} == {
        change[0]: {f"test_lib.py::{change[0]}": "fail"} for change in CHANGES
    }


def test_a_change_does_not_reach_the_next_variant(tmp_path: Path) -> None:
    unchanged = [(name, path, start, "x -> x", True) for name, path, start, _ in CHANGES]
    first = [(name, path, start, change, True) for name, path, start, change in CHANGES[:1]]
    found = reports_of(tmp_path, [*first, *unchanged[1:]])
    assert found.pop("test_cached")["exit"] == 1
    assert all(report["exit"] == 0 for report in found.values()), found


def test_what_a_variant_writes_is_gone_for_the_next(tmp_path: Path) -> None:
    change = ("test_written", "lib.py", "def written", "x -> x", True)
    found = reports_of(tmp_path, [change, change, change])
    assert found["test_written"]["outcomes"] == {"test_lib.py::test_written": "pass"}


LIBRARY = SAMPLES["library"]
ALONE = SAMPLES["alone"]


def test_variants_that_run_alone_are_collected_together(tmp_path: Path) -> None:
    environment, place = tmp_path / "environment", tmp_path / "place"
    environment.mkdir()
    place.mkdir()
    (environment / "heavy.py").write_text(LIBRARY, encoding="utf-8")
    texts = [ALONE.format(expected=1), ALONE.format(expected=2), ALONE.format(expected=1)]
    variants = [
        {"name": f"{number}", "tests": [f"test_{number}.py::test_alone"], "files": {f"test_{number}.py": text},
         "trace": False, "alone": True, "until_failure": number == 1, "seconds": 30, "deadline": 120, "shared": True,
         "changed": None}
        for number, text in enumerate(texts)
    ]  # fmt: skip
    reports = run_request(place, {"mark": "#", "roots": [], "variants": variants, "environment": str(environment)})
    assert [list(report["outcomes"].values()) for report in reports] == [["pass"], ["fail"], ["pass"]]
    assert len((environment / "imports.txt").read_text(encoding="utf-8").split()) == 1


def test_a_test_that_fails_only_beside_others_is_reported(tmp_path: Path) -> None:
    repository, place = tmp_path / "repository", tmp_path / "place"
    repository.mkdir()
    place.mkdir()
    (repository / "test_a.py").write_text("import sys\nsys.marked = 1\ndef test_a(): pass\n", encoding="utf-8")
    test = "import sys\ndef test_b(): assert not hasattr(sys, 'marked')\ndef test_c(): assert not test_c\n"
    (repository / "test_b.py").write_text(test, encoding="utf-8")
    variants = [
        {"name": file, "tests": [f"{file}::{name}" for name in names], "files": {}, "trace": False, "alone": False,
         "until_failure": False, "seconds": 30, "deadline": 120, "shared": True, "changed": None}
        for file, names in (("test_a.py", ["test_a"]), ("test_b.py", ["test_b", "test_c"]))
    ]  # fmt: skip
    request = {"mark": "#", "roots": [""], "variants": variants, "environment": "", "repository": str(repository)}
    quiet, disturbed = run_request(place, request)
    assert quiet["outcomes"] == {"test_a.py::test_a": "pass"} and "disturbed" not in quiet
    assert disturbed["outcomes"] == {"test_b.py::test_b": "pass", "test_b.py::test_c": "fail"}
    assert disturbed["disturbed"] == ["test_b.py::test_b"]


def test_one_collection_serves_the_tests_of_several_files(tmp_path: Path) -> None:
    environment, repository, place = (tmp_path / name for name in ("environment", "repository", "place"))
    lib = "def one():\n    return 1\n"
    test = "import heavy, lib\n\ndef test_it():\n    assert lib.one() == 1\n"
    # pytest collects only one of two files with the same name, so the last runs from the beginning.
    files = ("test_a.py", "test_b.py", "inner/test_a.py")
    texts = {
        environment / "heavy.py": LIBRARY,
        repository / "lib.py": lib,
        **{repository / path: test for path in files},
    }
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    place.mkdir()
    variants = [
        {"name": path, "tests": [f"{path}::test_it"], "files": {"lib.py": lib.replace("1", value)}, "shared": True,
         "alone": False, "until_failure": True, "seconds": 30, "deadline": 99, "trace": False, "changed": ["lib.py", 1]}
        for path, value in zip(files, ("2", "1", "2"), strict=True)
    ]  # fmt: skip
    request = {"mark": "#", "roots": [""], "variants": variants, "environment": str(environment)}
    reports = run_request(place, {**request, "repository": str(repository)})
    assert [report["exit"] for report in reports] == [1, 0, 1]
    assert len((environment / "imports.txt").read_text(encoding="utf-8").split()) == 2
