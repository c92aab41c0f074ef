"""What a repository needs: the code that tests reach, libraries of its time, and files of its published wheel."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.answers.masked import MASK
from annotator.base.clock import now_text
from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.mining.repository.confirmation import built_files as module
from annotator.mining.repository.confirmation import environment
from annotator.mining.repository.confirmation.built_files import built_files, files_of_wheel, missing_modules
from annotator.mining.repository.confirmation.confirm import end_of_message
from annotator.mining.repository.confirmation.environment import EARLIEST_DAY, make_environment
from annotator.mining.repository.context.needed import SHORT_CONTEXT_LINES, ShownContext, keep_needed
from annotator.mining.repository.discovery.modules import load_project
from annotator.mining.repository.discovery.repository_facts import own_version
from annotator.mining.repository.discovery.tree import read_repository_tree
from annotator.services import repository_snapshots
from tests.mining.repository.conftest import Write
from tests.samples import load_samples

SAMPLES = load_samples(__file__)
PADDING = "\n".join(
    f"    def unused_{number}(self):\n        return helper_{number}()\n" for number in range(SHORT_CONTEXT_LINES)
)
HELPERS = "\n\n".join(f"def helper_{number}():\n    return {number}" for number in range(SHORT_CONTEXT_LINES))


def _filled(name: str) -> str:
    return SAMPLES[name].replace("{helpers}", HELPERS).replace("{padding}", PADDING)


SOURCE = _filled("source")


def _line(text: str, start: str) -> int:
    return next(number for number, line in enumerate(text.split("\n"), 1) if line.strip().startswith(start))


def _shown(source: str, name: str) -> ShownContext:
    node = next(item for item in ast.walk(ast.parse(source)) if getattr(item, "name", "") == name)
    assert isinstance(node, ast.FunctionDef)
    lines = source.split("\n")
    masked = [*lines[: node.lineno - 1], " " * node.col_offset + MASK, *lines[node.end_lineno :]]
    return ShownContext(source, "\n".join(masked))


def test_what_nobody_reaches_or_names_goes() -> None:
    found = keep_needed(_shown(SOURCE, "subject"), {_line(SOURCE, "def ran")})
    for gone in ("unused_", "helper_", "unneeded", "Nobody needs", "Nor that", "WORDS", "import re"):
        assert gone not in found.text, gone
    stays = "import math", "LIMIT = 3", "def ran", "def asked", "def area", "def other", "Table.unbound", "annotations"
    for kept in stays:
        assert kept in found.text, kept


def test_values_of_a_class_that_nothing_reads_go_with_what_only_they_name() -> None:
    values = _filled("values")
    source = SOURCE.replace(PADDING, values).replace("class Table(Base)", "class Table")
    source = source.replace("        return other()", "        return self.limit + getattr(self, 'named') + other()")
    found = keep_needed(_shown(source, "subject"), {_line(source, "def ran")}, ["def test_far():\n    Table.far\n"])
    for gone in ("words = WORDS", "pairs", "WORDS =", "import re", "unneeded", "again"):
        assert gone not in found.text, gone
    for kept in ("    limit = 3", "    named =", "    far = 1", "def ran"):
        assert kept in found.text, kept
    inherited = source.replace("class Table", "class Table(Base)")
    assert "pairs" in keep_needed(_shown(inherited, "subject"), ()).text


DOCUMENTED = _filled("documented")


def test_docstrings_of_a_long_context_keep_their_first_paragraph() -> None:
    found = keep_needed(_shown(DOCUMENTED, "subject"), ())
    for gone in ("With more", ">>>", "or two"):
        assert gone not in found.text, gone
    for kept in ('"""A module.\n"""', '"""\n    A table.\n    """', 'one,\n        """', "Always.", "At all."):
        assert kept in found.text, kept
    assert found.masked == _shown(found.text, "subject").masked


def test_docstrings_that_code_reads_stay() -> None:
    for reader in ("Table.__doc__", "inspect.getdoc(Table)", "getattr(Table, '__doc__')"):
        assert ">>>" in keep_needed(_shown(DOCUMENTED, "subject"), (), [reader]).text


def test_a_class_is_never_left_empty() -> None:
    source = SOURCE + f"\n\nclass Other:\n    one = 1\n\n{PADDING}\n"
    found = keep_needed(_shown(source, "subject"), (), ["Other"]).text
    assert "class Other" in found and len(found) < len(source)


def test_a_method_compiled_anew_is_reached_below_its_decorators() -> None:
    source = SOURCE.replace("    def ran(self)", "    @math.checked\n    def ran(self)")
    assert "@math.checked" in keep_needed(_shown(source, "subject"), {_line(source, "def ran")}).text


def test_what_is_left_stands_as_far_apart_as_before() -> None:
    found = keep_needed(_shown(SOURCE, "subject"), ())
    assert "LIMIT = 3\n\n\nclass Base" in found.text
    assert "\n\n\n\n" not in found.text


def test_a_property_keeps_its_setter_and_a_class_how_it_is_made() -> None:
    found = keep_needed(_shown(SOURCE, "subject"), ())
    assert "@size.setter" in found.text
    assert "What stands above the setter" in found.text
    assert "def __init__" in found.text


def test_the_masked_text_is_the_text_with_the_function_masked() -> None:
    found = keep_needed(_shown(SOURCE, "subject"), ())
    assert found.masked == _shown(found.text, "subject").masked


def test_what_is_left_runs() -> None:
    found = keep_needed(_shown(SOURCE, "subject"), {_line(SOURCE, "def ran")})
    space: dict[str, object] = {}
    exec(compile(found.text, "text", "exec"), space)
    table = space["Table"]
    assert callable(table)
    assert table([1, 2]).subject() == 2


def test_what_the_tests_name_stays() -> None:
    assert "def helper_7" in keep_needed(_shown(SOURCE, "subject"), (), ["assert helper_7() == 7"]).text


def test_loops_that_fill_what_is_needed_stay() -> None:
    filled = "TABLE = {}\nfor key in range(3):\n    TABLE[key] = key\n"
    spare = "OTHER = []\nfor value in range(4):\n    OTHER.append(value)\n"
    found = keep_needed(_shown(f"{filled}{spare}{HELPERS}\n\n\ndef subject():\n    return len(TABLE)\n", "subject"), ())
    assert found.text == f"{filled}\n\ndef subject():\n    return len(TABLE)\n"


def test_a_short_context_stays_whole() -> None:
    source = "def helper():\n    return 1\n\n\ndef subject():\n    return 2\n"
    shown = _shown(source, "subject")
    assert keep_needed(shown, ()) is shown


def test_what_cannot_be_read_stays_whole() -> None:
    for shown in (
        ShownContext("def broken(:\n" * 99, MASK + "\n" * 99),
        ShownContext("x = 1\n" * 99, "x = 1\n" * 99),
        _shown(SOURCE, "subject"),
    ):
        assert keep_needed(shown, (), ["not python ("]) is shown


def test_statements_that_share_a_line_stay_together() -> None:
    source = f"LEFT = 1; RIGHT = 2\n{HELPERS}\n\n\ndef subject():\n    return RIGHT\n"
    assert keep_needed(_shown(source, "subject"), ()).text.startswith("LEFT = 1; RIGHT = 2\n")


def test_a_class_without_any_needed_method_keeps_its_body() -> None:
    body = "\n".join(
        f"    def method_{number}(self):\n        return {number}" for number in range(SHORT_CONTEXT_LINES)
    )
    source = f"class Only:\n{body}\n\n\ndef subject():\n    return Only\n"
    assert "method_3" in keep_needed(_shown(source, "subject"), ()).text


@given(st.sets(st.integers(1, SOURCE.count("\n"))))
def test_any_reach_leaves_code_with_the_function_whole(reached: set[int]) -> None:
    shown = _shown(SOURCE, "subject")
    found = keep_needed(shown, reached)
    ast.parse(found.text)
    first, last = shown.span()
    assert "\n".join(SOURCE.split("\n")[first - 1 : last]) in found.text
    assert found.masked == _shown(found.text, "subject").masked


COMMENTED = _filled("commented")


def test_a_comment_goes_with_what_it_belongs_to() -> None:
    found = keep_needed(_shown(COMMENTED, "subject"), ())
    comments = [line.strip() for line in found.text.split("\n") if line.strip().startswith("#")]
    assert comments == [
        "# What stands above the first statement.",
        "# -- tables --",
        "# How it is kept.",
        "# -- making --",
        "# At the end of a method.",
        "# What stands above the function.",
        "# -- the end --",
    ]
    assert found.masked == _shown(found.text, "subject").masked


# What a repository lacks until it is built comes from its published wheel, and from no other project's.
CLOUD = SAMPLES["cloud"]


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    folder = tmp_path / "wheel"
    for name, data in SAMPLES["wheel"].items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(data)
    return folder


def test_modules_that_are_imported_and_not_there_are_found(write: Write) -> None:
    files = {
        **CLOUD,
        "src/cloud/colours.py": "VERSION = 1\n",
        "src/cloud/more.py": SAMPLES["modules_that_are_imported_and_not_there_are_found"],
        "src/cloud/nested/inner.py": "",
    }
    found = missing_modules(load_project(read_repository_tree(write(files))))
    # ``fast`` is a name that the package itself has, and a folder without __init__ is a package all the same.
    assert found == ["cloud.absolute", "cloud.deep.er", "cloud.fast", "cloud.lines", "cloud.unknown"]


def test_files_are_laid_beside_the_package_and_replace_nothing(write: Write, wheel: Path) -> None:
    files = files_of_wheel(wheel, read_repository_tree(write(CLOUD)))
    assert sorted(files) == [
        "src/cloud.libs/libm.so",
        "src/cloud/fast.py",
        "src/cloud/lines.cpython-311-x86_64-linux-gnu.so",
    ]
    assert files["src/cloud/fast.py"] == b"def count(): return 1"


def test_a_wheel_of_another_project_gives_nothing(write: Write, wheel: Path) -> None:
    assert (
        files_of_wheel(wheel, read_repository_tree(write({"sky/__init__.py": "", "sky/test_x.py": "assert 1\n"}))) == {}
    )


def test_the_version_asked_for_comes_before_that_written_out_and_the_day(
    write: Write, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(CLOUD)
    tree = read_repository_tree(root)
    project = load_project(tree)
    asked: list[tuple[str, str]] = []
    known = {"cloud==1.2", "cloud"}

    def wheel_folder(requirement: str, until: str, cache: Path) -> tuple[Path, str] | None:
        asked.append((requirement, until))
        return (wheel, "cloud==1.2") if requirement in known else None

    monkeypatch.setattr(module, "wheel_folder", wheel_folder)
    built = built_files(root, tree, project, tmp_path, version="", day="2024-05-06")
    assert asked == [("cloud==1.2", "")] and built.wheel == "cloud==1.2" and len(built.files) == 3
    assert built.note == "built files were taken from the wheel cloud==1.2"
    asked.clear()
    built_files(root, tree, project, tmp_path, version="1.3", day="2024-05-06")
    assert asked == [("cloud==1.3", ""), ("cloud", "2024-05-06")]
    known.clear()
    built = built_files(root, tree, project, tmp_path, version="", day="")
    assert not built.files and "cloud.fast, cloud.lines must be built, and no wheel of cloud 1.2" in built.note


def test_a_whole_repository_asks_for_nothing(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "wheel_folder", lambda *_: pytest.fail("it was asked for"))
    root = write({"lib.py": "def f(): return 1\n", "test_lib.py": "import lib\n"})
    tree = read_repository_tree(root)
    assert not built_files(root, tree, load_project(tree), tmp_path, version="1", day="").note


@pytest.mark.parametrize(("files", "version"), SAMPLES["versions_are_read_where_they_are_written_out"])
def test_versions_are_read_where_they_are_written_out(write: Write, files: dict[str, str], version: str) -> None:
    assert own_version(write({**files, "x.py": ""})) == version


def test_a_colleague_keeps_the_same_content_with_the_same_wheel(
    write: Write, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repository_snapshots, "data_dir", lambda: tmp_path / "data")
    monkeypatch.setattr(repository_snapshots, "wheel_folder", lambda *_: (wheel, "cloud==1.2"))
    root = write(CLOUD)
    digest = repository_snapshots.snapshot_digest(repository_snapshots.read_snapshot_files(root, wheel="cloud==1.2"))
    with pytest.raises(BadInputError, match="No item runs in"):
        repository_snapshots.take_snapshots([root], [(digest, 1)])
    assert repository_snapshots.take_snapshots([root], [(digest, 1)], wheels=["cloud==1.2"]) == (digest,)
    assert "src/cloud/fast.py" in repository_snapshots.load_snapshot(digest)


def test_the_cause_of_a_long_report_is_told() -> None:
    report = "x.py:3: in <module>\n    from .fast import count\nE   ModuleNotFoundError: No module named 'cloud.fast'"
    assert end_of_message(report) == "ModuleNotFoundError: No module named 'cloud.fast'"
    assert end_of_message("x.py:3: AssertionError: assert 1 == 2") == "x.py:3: AssertionError: assert 1 == 2"


# Libraries of a repository's time: what was published by the day of its last commit, unless only later ones fit.
Index = Callable[[dict[str, str]], None]


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Index:
    """An index of packages by the day of their first wheel."""

    def serve(first: dict[str, str]) -> None:
        def run(_program: str, *arguments: str) -> bool:
            day = arguments[arguments.index("--exclude-newer") + 1] if "--exclude-newer" in arguments else "9999"
            wanted = arguments[arguments.index("--") + 1 :]
            if not all(first.get(name, "2000-01-01") <= day for name in wanted):
                return False
            if "--dry-run" not in arguments:
                folder = Path(arguments[arguments.index("--target") + 1])
                folder.mkdir()
                (folder / "installed").write_text(f"{day}: {' '.join(wanted)}")
            return True

        monkeypatch.setattr(environment, "uv_program", lambda: "uv")
        monkeypatch.setattr(environment, "run_uv", run)

    return serve


def _installed(found: environment.Environment) -> str:
    return (found.folder / "installed").read_text()


def test_libraries_are_those_of_the_day(index: Index, tmp_path: Path) -> None:
    index({})
    old = make_environment(["pandas", "pytest"], tmp_path, "2024-01-25")
    assert _installed(old) == "2024-01-25: pandas pytest"
    assert _installed(make_environment(["pandas", "pytest"], tmp_path)) == "9999: pandas pytest"
    assert _installed(old) == "2024-01-25: pandas pytest", "another day is another environment"


def test_a_day_before_this_python_gives_the_first_that_fit_it(index: Index, tmp_path: Path) -> None:
    index({})
    assert _installed(make_environment(["pytest"], tmp_path, "2013-05-01")) == f"{EARLIEST_DAY}: pytest"


def test_what_was_published_later_is_taken_all_the_same(index: Index, tmp_path: Path) -> None:
    index({"numba": "2023-05-01"})
    found = make_environment(["numba", "pytest"], tmp_path, "2023-01-01")
    assert _installed(found) == "9999: numba pytest" and found.missing == ()


def test_what_has_no_wheel_is_missing_and_the_rest_of_its_day(index: Index, tmp_path: Path) -> None:
    index({"cairo": "99999"})
    found = make_environment(["cairo", "pytest"], tmp_path, "2024-01-25")
    assert _installed(found) == "2024-01-25: pytest" and found.missing == ("cairo",)
    again = make_environment(["cairo", "pytest"], tmp_path, "2024-01-25")
    assert again == found
    today = now_text()[:10]
    for each in (found, again):
        assert each.missing_text.startswith("no wheel for Python 3.11 (")
        assert each.missing_text.endswith(f"until 2024-01-25 or later, was found for cairo, searched on {today}")


ADDRESS = "https://index.example/six/six-1.0-py3-none-any.whl"


@pytest.mark.parametrize(
    ("report", "reached"),
    [
        (f"Failed to fetch: {ADDRESS}\n  cause: error sending request for url ({ADDRESS})\n  cause: dns error", False),
        (f"Request failed after 3 retries in 8.8s\n  cause: error sending request for url ({ADDRESS})", False),
        (f"Failed to download {ADDRESS}\n  cause: operation timed out", False),
        (f"Failed to fetch: {ADDRESS}\n  cause: HTTP status server error (503 Service Unavailable)", False),
        (f"Failed to fetch: {ADDRESS}\n  cause: HTTP status client error (404 Not Found) for url ({ADDRESS})", True),
        (f"Failed to fetch: {ADDRESS}\n  cause: HTTP status client error (403 Forbidden) for url ({ADDRESS})", True),
        ("No solution found when resolving dependencies", True),
    ],
)
def test_an_index_that_cannot_be_reached_says_nothing_about_wheels(tmp_path: Path, report: str, reached: bool) -> None:
    uv = tmp_path / "uv"
    uv.write_text(f"#!/bin/sh\ncat >&2 <<'END'\nerror: {report}\nEND\nexit 2\n")
    uv.chmod(0o755)
    if reached:
        assert environment.run_uv(str(uv), "pip", "install", "six") is False
        return
    with pytest.raises(MissingEnvironmentError, match="index could not be reached"):
        environment.run_uv(str(uv), "pip", "install", "six")
