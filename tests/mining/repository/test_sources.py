"""What people name as sources is fetched safely, refused with a sentence, and gives the same candidates every way."""

from __future__ import annotations

import ast
import json
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.cli.parser import build_parser
from annotator.jobs.progress import Cancelled, Progress
from annotator.mining.repository.discovery.function_history import open_history
from annotator.mining.repository.discovery.repository_facts import own_name
from annotator.mining.repository.fetching import clones, packages
from annotator.mining.repository.fetching.packages import repository_address, tag_of
from annotator.mining.repository.fetching.source_names import parse_source, read_sources
from annotator.mining.repository.fetching.source_opening import open_source
from annotator.mining.repository.pipeline import MiningOptions
from annotator.services.sources import repository_mining
from annotator.services.sources.repository_mining import (
    MiningOutcome,
    candidate_of_mined_row,
    explain_none_kept,
    mine_repositories,
    select_mined_rows,
)
from tests.samples import load_samples

from .secure_server import Server, serve

SAMPLES = load_samples(__file__)

LIB = "def first(x):\n    y = x\n    y += 1\n    return y\n"
MORE = "\n\ndef second(x):\n    y = x\n    y += 2\n    return y\n"
TESTS = "from lib import *\n\n\ndef test_first():\n    assert first(1) == 2\n"
MORE_TESTS = "\n\ndef test_second():\n    assert second(1) == 3\n"
PROJECT = '[project]\nname = "Lib"\nversion = "1.0"\n'


def git(root: Path, *arguments: str, day: str = "2020-01-01") -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    moment = f"{day}T12:00:00Z"
    done = subprocess.run(
        ["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True, text=True,
        env={"PATH": "/usr/bin:/bin", "GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment, "HOME": "/nowhere"},
    )  # fmt: skip
    return done.stdout.strip()


@pytest.fixture
def work_tree(tmp_path: Path) -> Path:
    """A repository with a version of 2020, which has one function, and one of 2022, which has two."""
    root = tmp_path / "work" / "lib"
    root.mkdir(parents=True)
    git(root, "init", "-q")
    files = {"lib.py": LIB.replace("y += 1", "y = y + 1"), "test_lib.py": TESTS, "pyproject.toml": PROJECT}
    for name, text in files.items():
        (root / name).write_text(text)
    git(root, "add", ".")
    git(root, "commit", "-qm", "one", day="2020-01-01")
    git(root, "tag", "v1.0")
    (root / "lib.py").write_text(LIB)
    git(root, "commit", "-qam", "two", day="2021-06-01")
    (root / "lib.py").write_text(LIB + MORE)
    (root / "test_lib.py").write_text(TESTS + MORE_TESTS)
    git(root, "commit", "-qam", "three", day="2022-03-01")
    git(root, "tag", "-am", "second", "v2.0", day="2022-03-02")
    return root


@pytest.fixture
def server(tmp_path: Path, work_tree: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    folder = tmp_path / "served"
    folder.mkdir()
    git(folder, "clone", "-q", "--bare", str(work_tree), "lib.git")
    with serve(folder) as found:
        monkeypatch.setenv("GIT_SSL_CAINFO", str(found.certificate))
        monkeypatch.setenv("SSL_CERT_FILE", str(found.certificate))
        monkeypatch.setenv("UV_DEFAULT_INDEX", f"{found.address}/simple")
        yield found


def mined(*named: str | Path, **more: bool) -> list[MiningOutcome]:
    return list(mine_repositories(named, MiningOptions(), Progress(), static_only=True, **more))


def names(outcome: MiningOutcome) -> list[str]:
    assert outcome.mined is not None, outcome.problem
    return [row.qualified_name for row in outcome.mined.rows]


# -- what is meant -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "expected"), SAMPLES["addresses_are_read"])
def test_addresses_are_read(text: str, expected: list[str]) -> None:
    found = parse_source(text)
    assert (found.kind, found.problem) == ("address", "")
    assert (found.address, found.revision, found.subfolder) == tuple(expected)
    assert found.name == "b"


@pytest.mark.parametrize(("text", "told"), SAMPLES["what_cannot_be_meant_says_what_to_write"])
def test_what_cannot_be_meant_says_what_to_write(text: str, told: str) -> None:
    assert told in parse_source(text).problem


def test_packages_and_lists(tmp_path: Path) -> None:
    package = parse_source("Pretty.Table == 3.10.0")
    assert (package.kind, package.package, package.revision) == ("package", "pretty-table", "3.10.0")
    (tmp_path / "beside").mkdir()
    listed = tmp_path / "sources.txt"
    listed.write_text(
        "# what we want\nhttps://h.org/a/b@v1  # the first\n\nbeside\nattrs==23.1.0\nhttp://h.org/x\nbeside\n"
    )
    found = read_sources([str(listed)])
    assert [(item.kind, item.name) for item in found[:3]] == [
        ("address", "b"), ("path", "beside"), ("package", "attrs 23.1.0"),
    ]  # fmt: skip
    assert len(found) == 4 and found[3].problem.startswith("Line 6 of sources.txt: http://h.org/x: only")
    (tmp_path / "empty.txt").write_text("# nothing\n")
    assert "it lists none" in read_sources([tmp_path / "empty.txt"])[0].problem


# -- addresses ---------------------------------------------------------------------------------------------------------


def test_a_commit_a_tag_and_a_date_are_fetched(server: Server, work_tree: Path) -> None:
    address = f"{server.address}/lib.git"
    commit = git(work_tree, "rev-parse", "HEAD~1")
    wanted = ["", "@v1.0", "@v2.0", "@2021-12-31", "@main", f"@{commit}", f"@{commit[:9]}"]
    found = mined(*(address + item for item in wanted))
    assert [names(item) for item in found] == [
        ["first", "second"], ["first"], ["first", "second"], ["first"], ["first", "second"], ["first"], ["first"],
    ]  # fmt: skip
    last = found[0].mined
    assert last is not None
    assert last.facts.revision == git(work_tree, "rev-parse", "HEAD") and last.facts.address == address
    assert (last.facts.created, last.facts.last_commit[:10]) == ("2020-01-01", "2022-03-01")
    first, second = (row.provenance.known_fields() for row in last.rows)
    assert first["function_first_commit"].startswith("2020-01-01 ")  # type: ignore[union-attr]
    assert first["function_last_commit"] == f"2021-06-01 {commit}"
    assert second["function_first_commit"] == f"2022-03-01 {last.facts.revision}"


def test_functions_are_dated_through_splits_moves_and_renames(tmp_path: Path) -> None:
    def function(number: int, words: str) -> str:
        lines = [f"    {word}_{number} = '{word} of {number}'.upper()" for word in words.split()]
        return "\n".join([f"def function_{number}():", *lines, f"    return {words.split()[0]}_{number}", "", "", ""])

    codes = {
        number: function(number, words)
        for number, words in enumerate(("apple pear plum", "red green blue", "oak elm ash", "iron gold tin"))
    }
    root = tmp_path / "lib"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    stages: list[tuple[str, dict[str, list[int]]]] = [
        ("2020-01-01", {"one.py": [0, 1, 2]}),
        ("2021-01-01", {"one.py": [0], "two.py": [1, 2]}),
        ("2022-01-01", {"one.py": [0, 2], "two.py": [1]}),
        ("2022-06-01", {"two.py": [1, 3]}),
    ]
    for day, files in stages:
        for name, numbers in files.items():
            (root / name).write_text("".join(codes[number] for number in numbers))
        git(root, "add", ".")
        git(root, "commit", "-qm", day, day=day)
    git(root, "mv", "two.py", "three.py")
    (root / "three.py").write_text(codes[1].replace("green of", "lime of") + codes[3])
    git(root, "add", ".")
    git(root, "commit", "-qm", "renamed", day="2023-01-01")
    found = {}
    with open_history(root) as history:
        assert history is not None
        for name in ("one.py", "three.py"):
            for node in ast.parse((root / name).read_text()).body:
                commits = history.commits_of(name, node.lineno, node.end_lineno or 0)
                found[node.name] = [commit.date[:10] for commit in commits or ()]  # type: ignore[attr-defined]
    assert found == {
        "function_0": ["2020-01-01", "2020-01-01"],
        "function_1": ["2020-01-01", "2023-01-01"],
        "function_2": ["2020-01-01", "2020-01-01"],
        "function_3": ["2022-06-01", "2022-06-01"],
    }


def test_functions_are_dated_in_files_of_any_name_and_copies_begin_anew(tmp_path: Path) -> None:
    def function(name: str, result: int) -> str:
        lines = [f"    {name[:2]}_part_{number} = source.read_{name[:2]}_part({number})" for number in range(12)]
        return "\n".join([f"def {name}(source):", *lines, f"    return {name[:2]}_part_{result}", "", "", ""])

    git(tmp_path, "init", "-q")
    stages: list[tuple[str, dict[str, str]]] = [
        ("2020-01-01", {"café.py": function("moved", 0) + function("stays", 0), "plain.py": function("old", 0)}),
        ("2021-01-01", {"plain.py": function("old", 0) + function("old_too", 1)}),
        ("2022-01-01", {"café.py": function("stays", 0), "naïve.py": function("moved", 0)}),
    ]
    for day, files in stages:
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-qm", day, day=day)
    with open_history(tmp_path) as history:
        assert history is not None
        dates = [history.commits_of(name, line, line + 13) for name, line in (("naïve.py", 1), ("plain.py", 17))]
    assert [[commit.date[:4] for commit in found or ()] for found in dates] == [["2020", "2020"], ["2021", "2021"]]


def test_a_commit_alone_has_no_dates_of_functions(server: Server) -> None:
    (found,) = mined(f"{server.address}/lib.git@v2.0", history=False)
    assert names(found) == ["first", "second"] and "its history was not fetched" in found.note
    assert found.mined is not None and found.mined.facts.created == ""
    assert "function_first_commit" not in found.mined.rows[0].provenance.known_fields()


def test_what_is_not_there_is_refused_with_a_sentence(server: Server) -> None:
    address = f"{server.address}/lib.git"
    found = mined(f"{address}@v9", f"{server.address}/none.git", f"{address}@2019-01-01", f"{address}@abcdef1")
    assert [item.mined for item in found] == [None] * 4
    told = [item.problem for item in found]
    assert "no commit, tag or branch v9" in told[0] and "could not be fetched" in told[1]
    assert "no commit from 2019-01-01" in told[2] and "abcdef1" in told[3]


def test_a_large_repository_is_refused_and_a_long_history_left_out(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clones, "MAX_BYTES", 10)
    (found,) = mined(f"{server.address}/lib.git")
    assert "larger than" in found.problem and "name the folder" in found.problem


def test_fetching_can_be_cancelled_and_needs_git(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress = Progress()
    progress.cancel()
    source = parse_source(f"{server.address}/lib.git")
    with pytest.raises(Cancelled), open_source(source, progress):
        pass
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingEnvironmentError, match="Install git"), open_source(source):
        pass


def test_submodules_hooks_and_attributes_do_nothing(server: Server, work_tree: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    (work_tree / ".gitattributes").write_text("*.py filter=evil diff=evil export-subst\ntest_lib.py export-ignore\n")
    (work_tree / ".gitmodules").write_text(f'[submodule "x"]\n\tpath = x\n\turl = {server.address}/other.git\n')
    (work_tree / "lib.py").write_text(LIB + "# $Format:%H$\n" + MORE)
    (work_tree / "link.py").symlink_to("/etc/passwd")
    git(work_tree, "add", ".")
    git(work_tree, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},x")
    git(work_tree, "commit", "-qm", "harm")
    for name in ("filter.evil.smudge", "diff.evil.textconv", "core.fsmonitor", "uploadpack.packObjectsHook"):
        git(work_tree, "config", name, f"touch {mark}")
    git(work_tree, "push", "-q", str(server.folder / "lib.git"), "HEAD:main")
    for source in (f"{server.address}/lib.git", f"{work_tree}@HEAD"):
        with open_source(parse_source(source)) as opened:
            assert "$Format:%H$" in (opened.root / "lib.py").read_text()
            assert (opened.root / "test_lib.py").is_file() and not (opened.root / "link.py").exists()
            root = opened.root
        assert not root.exists()
    assert names(mined(work_tree)[0]) == ["first", "second"]
    assert not mark.exists() and not any("other.git" in path for path in server.asked)


# -- packages ----------------------------------------------------------------------------------------------------------


def sdist(folder: Path, files: dict[str, str], name: str = "lib-1.0") -> Path:
    path = folder / f"{name}.tar.gz"
    root = folder / name
    for each, text in files.items():
        (root / each).parent.mkdir(parents=True, exist_ok=True)
        (root / each).write_text(text)
    with tarfile.open(path, "w:gz") as bundle:
        bundle.add(root, arcname=name)
    return path


def test_an_sdist_with_tests_is_taken(server: Server, tmp_path: Path) -> None:
    files = {"lib.py": LIB, "test_lib.py": TESTS, "PKG-INFO": "Name: lib\nVersion: 1.0\n"}
    server.add_package_file("lib", sdist(tmp_path, files), **{"upload-time": "2020-01-02T03:04:05Z"})
    (found,) = mined("Lib==1.0")
    assert names(found) == ["first"] and found.source.name == "lib 1.0"
    assert found.mined is not None and found.mined.facts.published == "2020-01-02"
    assert found.mined.facts.revision == "1.0"


def test_a_package_without_tests_leads_to_its_repository(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "_HOSTS", ("localhost",))
    facts = f"Name: lib\nVersion: 1.0\nProject-URL: Source, {server.address}/team/lib.git\n"
    wheel = tmp_path / "lib-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("lib.py", LIB)
        archive.writestr("lib-1.0.dist-info/METADATA", facts)
    (server.folder / "team").mkdir()
    (server.folder / "team" / "lib").symlink_to("../lib.git")
    server.add_package_file("lib", wheel)
    (found,) = mined("lib==1.0")
    assert names(found) == ["first"] and "its repository was used at v1.0" in found.note
    monkeypatch.undo()


def test_packages_that_cannot_be_had_say_why(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.add_package_file("lib", sdist(tmp_path, {"lib.py": LIB, "PKG-INFO": "Name: lib\n"}))
    bad = sdist(tmp_path, {"lib.py": LIB}, "bad-1.0")
    server.add_package_file("bad", bad)
    (server.folder / "simple" / "bad" / bad.name).write_bytes(b"another")
    told = [item.problem for item in mined("lib==1.0", "lib==3", "none==1", "bad==1.0")]
    assert "has no tests, and its metadata names no repository" in told[0]
    assert (
        "no files of lib 3" in told[1]
        and "not exist there" in told[2]
        and "differs from its digest in the package index" in told[3]
    )
    monkeypatch.setenv("UV_DEFAULT_INDEX", f"{server.address}/away/simple")
    assert "http, not https" in mined("lib==1.0")[0].problem
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:1/simple")
    assert "not an https address" in mined("lib==1.0")[0].problem


def test_the_repository_and_the_tag_of_a_package() -> None:
    told = "Home-page: https://lib.org\nProject-URL: Bug Tracker, https://github.com/a/b/issues\n"
    assert repository_address(told) == "https://github.com/a/b"
    assert repository_address(told + "Project-URL: Source, http://github.com/c/d.git\n") == "https://github.com/c/d"
    assert repository_address("Home-page: https://lib.org\n") == ""
    for tag in ("lib-1.0", "v1.0", "1.0", "release-1.0", "v1_0", "v1", "python-lib-1.0"):
        assert tag_of("1.0", "lib", {tag: "", "x": "", "v1.0.1": "", "lib-extra-1.0": ""}) == tag
    assert tag_of("1.0", "lib", {"v1.0rc1": ""}) == ""


# -- folders -----------------------------------------------------------------------------------------------------------


def test_one_content_has_one_key_whatever_way_it_came(server: Server, work_tree: Path, tmp_path: Path) -> None:
    archive, plain = tmp_path / "lib-2.0.tar.gz", tmp_path / "plain-2.0"
    git(work_tree, "archive", "--prefix=lib-2.0/", f"--output={archive}", "v2.0")
    git(tmp_path, "clone", "-q", "--bare", str(work_tree), "mirror.git")
    # Python 3.11.2 of Debian cannot unpack a tar file safely, so the folder comes from a zip file.
    git(work_tree, "archive", "--prefix=lib-2.0/", f"--output={tmp_path / 'plain.zip'}", "v2.0")
    with zipfile.ZipFile(tmp_path / "plain.zip") as bundle:
        bundle.extractall(plain)
    ways = [archive, plain / "lib-2.0", work_tree, tmp_path / "mirror.git", f"{tmp_path / 'mirror.git'}@v2.0",
            f"{server.address}/lib.git", f"{server.address}/lib.git@v2.0"]  # fmt: skip
    found = mined(*ways)
    rows = [[candidate_of_mined_row(row) for row in item.mined.rows] for item in found if item.mined is not None]
    keys = {tuple(row.key for row in each) for each in rows}
    assert len(rows) == len(ways) and keys == {("repository:lib:lib.py:first", "repository:lib:lib.py:second")}
    assert len({tuple(row.content_hash() for row in each) for each in rows}) == 1
    revision = git(work_tree, "rev-parse", "HEAD")
    known = [item.mined.facts.revision for item in found if item.mined is not None]
    assert known == [revision, "", *[revision] * 5], "git writes the commit into archives it makes"


def test_a_folder_is_mined_as_it_was_on_a_day(work_tree: Path) -> None:
    found = mined(
        f"{work_tree}@2021-12-31", f"{work_tree}@2022-03-01", f"{work_tree}@1999-01-01", f"{work_tree}@nosuch"
    )
    assert [names(item) for item in found[:2]] == [["first"], ["first", "second"]]
    assert [item.problem for item in found[2:]] == [
        f"{work_tree.name} has no commit from 1999-01-01 or before.",
        f"{work_tree.name} has no nosuch, so nothing was mined. Name a commit, tag, branch or date of it.",
    ]


def test_a_folder_of_a_repository_has_its_history(work_tree: Path, tmp_path: Path) -> None:
    inner = work_tree / "packages" / "one"
    inner.mkdir(parents=True)
    for name, text in {"lib.py": LIB, "test_lib.py": TESTS}.items():
        (inner / name).write_text(text)
    (other := work_tree / "not-kept").mkdir()
    (other / "lib.py").write_text(LIB)
    (other / "test_lib.py").write_text(TESTS)
    git(work_tree, "add", "packages")
    git(work_tree, "commit", "-qm", "four", day="2023-05-05")
    found = mined(inner, f"{work_tree}@HEAD#subdirectory=packages/one", other)
    for item in found[:2]:
        assert names(item) == ["first"] and item.mined is not None
        assert str(item.mined.rows[0].provenance.function_first_commit).startswith("2023-05-05")
    assert found[2].mined is not None and found[2].mined.facts.revision == ""
    (inner / "lib.py").write_text("# changed\n" + LIB)
    (changed,) = mined(inner)
    assert "differ from their commit" in changed.note


def test_names_without_versions(tmp_path: Path) -> None:
    for name, expected in {"rsa-4.9": "rsa", "rsa-python-rsa-0f1e2d3": "rsa-python-rsa", "rsa-main": "rsa",
                           "tool-2": "tool-2", "x.git": "x", "rsa-4.x": "rsa-4.x",
                           "rsa-4.9.x": "rsa"}.items():  # fmt: skip
        (tmp_path / name).mkdir()
        assert own_name(tmp_path / name) == expected
    (tmp_path / "rsa-4.9" / "setup.py").write_text("from setuptools import setup\nsetup(name='Chinese_Calendar')\n")
    assert own_name(tmp_path / "rsa-4.9") == "chinese-calendar"


# -- reasons -----------------------------------------------------------------------------------------------------------


def test_nothing_found_has_its_reason(tmp_path: Path) -> None:
    for name, files in {"no-code": {"a.txt": ""}, "no-tests": {"lib.py": LIB},
                        "no-calls": {"test_a.py": "def test_a():\n    assert 1\n"}}.items():  # fmt: skip
        (tmp_path / name).mkdir()
        for each, text in files.items():
            (tmp_path / name / each).write_text(text)
    found = mined(tmp_path / "no-code", tmp_path / "no-tests", tmp_path / "no-calls")
    assert [explain_none_kept(item).partition(",")[0].partition(";")[0] for item in found] == [
        "it contains no readable Python files",
        "none of its 1 Python files contains a test with an assertion",
        "none of its 1 tests calls a function of its own",
    ]


def test_functions_of_compiled_languages_are_named_as_passed_over(tmp_path: Path) -> None:
    (tmp_path / "fast.pyx").write_text("def f(x):\n    return x\n")
    (tmp_path / "deep.c").write_text("int f(void);\n")
    (tmp_path / "test_fast.py").write_text("import fast\n\ndef test_f():\n    assert fast.f(1) == 1\n")
    (outcome,) = mined(tmp_path)
    assert "only Python functions are mined, not those in its .c, .pyx files" in outcome.note
    (tmp_path / "fast.pyx").unlink()
    (tmp_path / "deep.c").unlink()
    (outcome,) = mined(tmp_path)
    assert "only Python functions" not in outcome.note


def test_an_old_repository_is_turned_down_as_a_whole(
    work_tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "rows.jsonl"
    words = ["mine", "repository", str(work_tree), "--recipe", "evocodebench", "--static-only", "--out", str(out)]
    parser = build_parser("mine")
    options = parser.parse_args(words)
    assert options.call(options) == 3 and out.read_text() == ""
    told = capsys.readouterr().err
    assert "age: created on 2020-01-01; at most 6 months are required" in told
    options = parser.parse_args([*words, "--all"])
    assert options.call(options) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["selected"] for row in rows] == [False, False]
    assert {
        "name": "repository age",
        "passed": False,
        "reason": "created on 2020-01-01; at most 6 months are required",
    } in (rows[0]["filters"])
    (outcome,) = mine_repositories([work_tree], MiningOptions(recipe="evocodebench"), Progress(), static_only=True)
    assert not select_mined_rows(outcome, everything=False)
    (row,) = select_mined_rows(outcome, everything=False, by_hand=["lib.py::first"])
    assert candidate_of_mined_row(row).extra["taken_against"][0]["name"] == "repository age"


def test_uv_is_asked_for_before_any_work(work_tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotator.mining.repository.confirmation.environment.find_program", lambda _name: None)
    monkeypatch.setattr(repository_mining, "open_source", lambda *_: pytest.fail("work was begun"))
    with pytest.raises(MissingEnvironmentError, match="uv is not installed"):
        list(mine_repositories([work_tree], MiningOptions(), Progress()))


def test_a_source_that_is_no_source_does_not_stop_the_others(work_tree: Path) -> None:
    found = mined("http://h.org/a", work_tree)
    assert "only https and ssh" in found[0].problem and names(found[1]) == ["first", "second"]
    with pytest.raises(BadInputError), open_source(found[0].source):
        pass


def test_the_copyright_notices_of_a_repository_come_along(work_tree: Path) -> None:
    (work_tree / "LICENSE.txt").write_text(
        "Copyright (c) 2019 The Kit Authors\nCopyright 2021, Bee\n\nThe above copyright notice shall be included.\n"
        "Copyright [yyyy] [name of copyright owner]\nCopyright (c) <year> <owner>\nCopyright License. Each\n"
    )
    (work_tree / "NOTICE").write_text("Kit\nCopyright 2022 Tent Ltd.\n")
    (outcome,) = mined(work_tree)
    assert outcome.mined is not None
    origin = candidate_of_mined_row(outcome.mined.rows[0]).provenance
    assert origin["copyright"].split("\n") == [
        "Copyright (c) 2019 The Kit Authors", "Copyright 2021, Bee", "Copyright 2022 Tent Ltd.",
    ]  # fmt: skip
    assert origin["notice"] == "Kit\nCopyright 2022 Tent Ltd."
