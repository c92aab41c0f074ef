"""Mining repositories, choosing a benchmark and asking after libraries, through main()."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from annotator.sandbox.libraries import LibrarySet, library_set
from annotator.services import library_sets, repository_snapshots

SET = LibrarySet(("no-such-library-anywhere==0.0.1",))


@pytest.fixture
def run(command: Any) -> Any:
    def call(*arguments: str | Path, status: int = 0) -> Any:
        out, err = command(*arguments, status=status)
        return json.loads(out) if "--json" in arguments and not status else out + err

    return call


@pytest.fixture
def project(tmp_path: Path, run: Any) -> Path:
    path = tmp_path / "p.annotator"
    run("new", path, "--name", "p", "--annotator", "ada")
    return path


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "tools-1.0"
    root.mkdir()
    helper = "def helper(x):\n    y = x\n    y += 1\n    return y\n"
    users = "".join(
        f"\n\ndef use{n}(x):\n    y = {'helper(x)' if n % 2 else 'x'}\n    y += {n}\n    return y\n" for n in range(6)
    )
    (root / "tools.py").write_text(f"{helper}{users}\n\ndef tiny(x): return x + 1\n")
    names = [f"use{n}" for n in range(6)] + ["tiny"]
    (root / "test_tools.py").write_text(
        f"from tools import {', '.join(names)}\n"
        + "".join(f"\n\ndef test_{name}():\n    assert {name}(1)\n" for name in names)
    )
    return root


def test_from_a_repository_to_a_benchmark(run: Any, project: Path, repository: Path) -> None:
    mining = ("mine", "repository", repository, "--project", project, "--static-only", "--json")
    (told,) = run(*mining, "--take", "tools.py::tiny", "--domain", "system")
    assert (told["kept"], told["candidates"], told["by_hand"]) == (7, 7, ["tools.py::tiny"])
    assert told["context_lines"] == 1
    assert "context of 6 lines" in run("show", project, "--subject", "repository:tools:tools.py:use1")
    assert run(*mining, "--domain", "system")[0]["kept"] == 6
    shown = run("show", project, "--subject", "repository:tools:tools.py:tiny", "--json")
    assert shown["extra"]["taken_against"][0]["name"] == "lines"
    choosing = ("mine", "subset", project, "--size", "4", "--standalone", "0.5", "--dependencies", "0.5")
    found = run(*choosing, "--json")
    told = {row["name"]: (row["wanted"], row["got"]) for row in found["reached"]}
    assert told == {"size": (4, 4), "standalone": (0.5, 0.5), "dependencies": (0.5, 0.5)}
    assert found["change"] is None and run("status", project, "--json")["counts"]["accepted"] == 0
    text = run(*choosing, "--domains", "system=1", "--accept")
    assert "domain system" in text and "Accept 4 subjects chosen by targets." in text
    assert run("status", project, "--json")["counts"]["accepted"] == 4
    assert "Accept 4 subjects" in run("undo", project)
    assert run("status", project, "--json")["counts"]["accepted"] == 0


def test_what_cannot_be_mined_or_chosen_says_so(run: Any, project: Path, repository: Path, tmp_path: Path) -> None:
    out = tmp_path / "o.jsonl"
    mining = ("mine", "repository", repository, "--out", out, "--static-only")
    for lines in ("3", "9-3", "a-b", "0-4", "-3-4"):
        assert "--lines requires two numbers" in run(*mining, f"--lines={lines}", status=2)
    assert "nothing.py::x is not among the functions" in run(*mining, "--take", "nothing.py::x")
    (told,) = run(*mining, "--json")[0]["reasons"]
    assert (told["filter"], told["functions"], told["names"]) == ("lines", 1, ["tools.py::tiny"])
    assert "tools.py::tiny" in run(*mining)
    run(*mining, "--lines", "1-100")
    assert len(out.read_text().splitlines()) == 7
    assert "neither a folder nor" in run("mine", "repository", out, "--out", tmp_path / "x", "--static-only", status=3)
    choosing = ("mine", "subset", project)
    assert "Mine a repository first" in run(*choosing, "--size", "4", status=3)
    run("mine", "repository", repository, "--project", project, "--static-only")
    assert "at least one" in run(*choosing, "--size", "0", status=3)
    assert "sum to 0.4" in run(*choosing, "--size", "4", "--domains", "a=0.4", status=3)
    assert "between 0 and 1" in run(*choosing, "--size", "4", "--standalone", "2", status=3)
    for text in ("a", "a=", "a=b", "a=0.5,b"):
        assert "--domains requires" in run(*choosing, "--size", "4", "--domains", text, status=2)


def test_what_mining_wrote_is_imported_and_found_by_verdicts(
    run: Any, project: Path, repository: Path, tmp_path: Path
) -> None:
    out = tmp_path / "mined.jsonl"
    mining = ("mine", "repository", repository, "--static-only", "--all", "--lines", "1-100")
    run(*mining, "--out", out)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    told = run("import", "auto", out, "--project", project, "--json")
    assert (told["added"], told["bad"]) == (len(rows), 0)
    # Mining them straight into the project gives the same candidates, so nothing is added.
    run(*mining, "--project", project)
    assert f"{len(rows)} of {len(rows)} subjects" in run("list", project)
    broken = tmp_path / "broken.jsonl"
    broken.write_text(json.dumps({**rows[0], "tests": ["test_a"]}) + "\n")
    assert "column tests must be a list of objects" in run("import", "mined", broken, "--project", project, status=3)
    first = rows[0]
    key = f"repository:{first['repository']}:{first['module_path']}:{first['qualified_name']}"
    run("select", project, "--subject", key, "--verdict", "accept")
    run("release", "create", project, "--version", "1", "--override", "a test")
    verdicts = tmp_path / "outcomes.jsonl"
    row = {"model": "m", "protocol": "pass@1", "domain": "", "repository": first["repository"],
           "path": first["module_path"], "function": first["qualified_name"], "outcomes": ["pass"]}  # fmt: skip
    mask = hashlib.sha256(first["masked"].encode()).hexdigest()[:12]
    verdicts.write_text("".join(json.dumps({**row, "model": name, "mask": mask}) + "\n" for name, mask in (
        ("a", ""), ("b", mask), ("c", "0" * 12))))  # fmt: skip
    told = run("import", "outcomes", verdicts, "--project", project, "--json")
    assert (told["added"], told["left_out"]) == (2, 1)


def item(path: Path, extra: dict[str, Any]) -> Path:
    row = {"id": str(extra), "prompt": "p", "language": "python", "extra": extra}
    path.write_text(json.dumps(row) + "\n")
    return path


def test_libraries_of_a_project(run: Any, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_sets, "data_dir", lambda: tmp_path / "data")
    assert "No item requires a library." in run("sandbox", "libraries", project)
    for number in range(2):
        row = item(tmp_path / f"{number}.jsonl", {"libraries": SET.to_extra(), "number": number})
        run("import", "jsonl", row, "--project", project)
    run("import", "jsonl", item(tmp_path / "none.jsonl", {"other": 1}), "--project", project)
    from annotator.services.project import projects

    store = projects.open_project(project)
    assert library_sets.project_library_sets(store) == ((SET, 2),)
    store.close()
    bad = {"libraries": {"digest": SET.digest, "requirements": ["--index-url=http://x"]}}
    run("import", "jsonl", item(tmp_path / "bad.jsonl", bad), "--project", project)
    assert "exact version" in run("sandbox", "libraries", project, status=3)


def test_of_many_libraries_the_first_are_named(
    run: Any, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_sets, "data_dir", lambda: tmp_path / "data")
    many = library_set(f"package{number:02}==1.0" for number in range(12))
    run("import", "jsonl", item(tmp_path / "a.jsonl", {"libraries": many.to_extra()}), "--project", project)
    said = run("sandbox", "libraries", project, status=4)
    assert "package09==1.0 and 2 more" in said and "package10" not in said


def test_repositories_of_a_project(
    run: Any, project: Path, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repository_snapshots, "data_dir", lambda: tmp_path / "data")
    assert "No item runs in a repository." in run("sandbox", "repositories", project)
    digest = repository_snapshots.snapshot_digest(repository_snapshots.read_snapshot_files(repository))
    for number, place in enumerate(({"digest": digest}, {"digest": digest}, {"digest": "0" * 24}, {}, [1])):
        row = item(tmp_path / f"{number}.jsonl", {"repositoryplace": place, "number": number})
        run("import", "jsonl", row, "--project", project)
    asking = ("sandbox", "repositories", project)
    assert run(*asking, status=4).count("not stored here") == 2
    run(*asking, "--from", repository, status=4)
    assert run(*asking, status=4).count("not stored here") == 1
    other = tmp_path / "other"
    other.mkdir()
    assert "No item runs in this version of other" in run(*asking, "--from", other, status=3)


@pytest.mark.sandbox
def test_libraries_that_are_not_published_are_missing(
    run: Any, project: Path, tmp_path: Path, place: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_sets, "data_dir", lambda: tmp_path / "data")
    monkeypatch.setattr("annotator.mining.repository.confirmation.environment.install_libraries", lambda *_: False)
    run("import", "jsonl", item(tmp_path / "a.jsonl", {"libraries": SET.to_extra()}), "--project", project)
    assert "not built" in run("sandbox", "libraries", project, status=4)
    assert "could not be fetched" in run("sandbox", "libraries", project, "--build", status=4)
