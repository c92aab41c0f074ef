"""Rows: spans, masks, contexts, filters, facts; functions matched to tests, star imports, and targets."""

from __future__ import annotations

import ast
import itertools
import json
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.errors import BadInputError
from annotator.mining.licences import normalise_licence
from annotator.mining.repository.confirmation.environment import own_metadata, requirements_of
from annotator.mining.repository.context.twins import NameIndex, split_name
from annotator.mining.repository.discovery.discovery_filters import (
    banned_calls,
    banned_text,
    domain_of,
    is_trivial,
    licence_filter,
    repository_filters,
)
from annotator.mining.repository.discovery.modules import load_project
from annotator.mining.repository.discovery.repository_facts import (
    RepositoryFacts,
    find_licence,
    read_facts,
    read_metadata,
)
from annotator.mining.repository.discovery.spans import replace_body, spans_of
from annotator.mining.repository.discovery.subset import SubsetChoice, SubsetEntry, SubsetTargets, select_subset
from annotator.mining.repository.discovery.tree import read_repository_tree
from annotator.mining.repository.pipeline import MiningOptions, mine_folder
from annotator.mining.repository.rows import MinedRepository, MinedSubject, rejection_reasons
from annotator.services.sources.repository_mining import candidate_of_mined_row
from tests.samples import load_samples

from .conftest import Found, Write

SAMPLES = load_samples(__file__)
FILES = SAMPLES["files"]


def _filled(files: dict[str, str], values: dict[str, str]) -> dict[str, str]:
    """Put each value where its name stands as ``<name>``."""
    found = dict(files)
    for name, value in values.items():
        found = {path: text.replace(f"<{name}>", value) for path, text in found.items()}
    return found


ALONE = [
    pytest.param(_filled(sample["files"], values), sample["functions"], id=f"{name}{number or ''}")
    for name, sample in SAMPLES["functions_run_alone"].items()
    for number, values in enumerate(sample.get("variants", [{}]))
]


@pytest.fixture
def mined(write: Write) -> tuple[Path, MinedRepository, dict[str, MinedSubject]]:
    root = write(FILES)
    found, _ = mine_folder(root)
    return root, found, {row.qualified_name: row for row in found.rows}


def test_what_is_a_subject(mined: Any) -> None:
    _, found, rows = mined
    assert set(rows) == {"scale", "Shape.area", "Shape.rounded", "Shape.load"}
    failed = {name: {item.name for item in row.filters if not item.passed} for name, row in rows.items()}
    assert failed == {"scale": set(), "Shape.area": set(), "Shape.rounded": {"lines"}, "Shape.load": {"banned calls"}}
    assert {row.qualified_name for row in found.selected} == {"scale", "Shape.area"}
    assert [test.node_id for test in rows["Shape.area"].tests] == ["tests/test_core.py::TestShape::test_area"]


def test_a_function_defined_twice_is_one_subject(write: Write) -> None:
    library = SAMPLES["a_function_defined_twice_is_one_subject"]["library"]
    test = SAMPLES["a_function_defined_twice_is_one_subject"]["test"]
    rows = mine_folder(write({"lib.py": library, "test_lib.py": test}))[0].rows
    assert [row.qualified_name for row in rows] == ["text", "size"]
    assert '"new"' in rows[0].code and "len(str(x))" in rows[1].code
    assert [len(row.tests) for row in rows] == [1, 1]


def test_too_short_and_too_long_are_two_reasons(write: Write) -> None:
    root = write(FILES)
    short = mine_folder(root, MiningOptions(lines=(6, 9)))[0].rows
    (few,) = [item for item in rejection_reasons(short) if item.reason.startswith("fewer than 6 lines of code")]
    assert len(few.functions) == 4 and "src/pkg/core.py::scale" in few.functions
    rows = mine_folder(root, MiningOptions(lines=(1, 1)))[0].rows
    (told,) = [item.reason for row in rows if row.qualified_name == "scale" for item in row.filters if item.reason]
    assert told == "more than 1 lines of code: 5"


def test_an_inherited_test_is_named_where_the_class_stands_that_inherits_it(write: Write) -> None:
    files = SAMPLES["an_inherited_test_is_named_where_the_class_stands_that_inherits_it"]
    _, session = mine_folder(write(files))
    assert session.node_ids() == ("tests/test_lib.py::LibTest::test_grow",)


def test_lines_of_code_are_counted_as_the_published_subjects_were(write: Write) -> None:
    library = SAMPLES["lines_of_code_are_counted_as_the_published_subjects_were"]
    test = "from lib import one, two\ndef test_both(): assert two(one(1)) == 6\n"
    rows = mine_folder(write({"lib.py": library, "test_lib.py": test}))[0].rows
    told = {row.qualified_name: [item.reason for item in row.filters if not item.passed] for row in rows}
    assert told == {"two": [], "one": ["fewer than 3 lines of code: 2"]}
    (long,) = mine_folder(write({"lib.py": library, "test_lib.py": test}), MiningOptions(lines=(1, 2)))[0].selected
    assert long.qualified_name == "one"


def test_spans_and_signatures(mined: Any) -> None:
    root, _, rows = mined
    lines = (root / "src/pkg/core.py").read_text().split("\n")
    scale = rows["scale"]
    assert lines[scale.body_span[0] - 1].strip() == "if value in LIMITS:"
    assert lines[scale.body_span[1] - 1].strip().startswith("return json_or")
    assert scale.signature == "def scale(\n    value,  # the value\n    by=half,\n):"
    assert (scale.docstring, scale.loc, scale.indent) == ("Scale a value.", 4, 4)
    assert rows["Shape.area"].signature == "def area(self, *,\n             factor: int = 1) -> int:"
    assert rows["Shape.rounded"].signature == "def rounded(self, x):"
    first, last = rows["Shape.rounded"].body_span
    assert first == last and lines[first - 1].strip() == "def rounded(self, x): return int(x)"


def test_dependencies(mined: Any) -> None:
    _, _, rows = mined
    scale = rows["scale"].dependencies
    assert scale.intra_file == ("pkg.core.LIMITS", "pkg.core.json_or")
    assert scale.cross_file == ("pkg.consts.FACTOR",)
    area = rows["Shape.area"].dependencies
    assert area.intra_class == ("pkg.core.Shape.rounded", "pkg.core.Shape.sides", "pkg.core.Shape.size")
    assert area.intra_file == ("pkg.core.scale",)
    assert area.count == 4


def test_dependencies_through_super(write: Write) -> None:
    library = SAMPLES["dependencies_through_super"]["library"]
    test = SAMPLES["dependencies_through_super"]["test"]
    rows = {row.qualified_name: row for row in mine_folder(write({"lib.py": library, "test_lib.py": test}))[0].rows}
    assert rows["Counted.keep"].dependencies.intra_class == ("lib.Counted.count",)
    assert rows["Counted.keep"].dependencies.intra_file == ("lib.Store.keep",)


def test_a_masked_context_is_the_context_but_for_the_subject(mined: Any) -> None:
    _, _, rows = mined
    for row in rows.values():
        assert row.context and row.masked.count("[MASK]") == 1
        assert "UNUSED" not in row.context
        head, _, tail = row.masked.partition("[MASK]")
        assert row.context.startswith(head.rstrip(" ")) and row.context.endswith(tail)
        ast.parse(row.context)
    assert 'LIMITS["a"] = 1' in rows["scale"].context
    assert "pkg" not in rows["scale"].context


def test_cut_tests_run_alone(mined: Any, tmp_path: Path) -> None:
    _, _, rows = mined
    for name in ("scale", "Shape.area"):
        row = rows[name]
        for number, test in enumerate(row.tests):
            assert test.code, test.node_id
            path = tmp_path / f"test_alone_{name.replace('.', '_')}_{number}.py"
            path.write_text(f"{row.context}\n\n{test.code}")
            # Our own fixture's code, so it may run here.
            done = subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(path)],
                capture_output=True, text=True, check=False, cwd=tmp_path,
            )  # fmt: skip
            assert done.returncode == 0, path.read_text() + done.stdout


def test_rows_are_json(mined: Any) -> None:
    _, _, rows = mined
    row = json.loads(json.dumps(rows["scale"].to_row()))
    assert row["selected"] is True
    assert {"repository", "revision", "licence", "module_path", "qualified_name", "kind", "masked", "tests"} <= set(row)
    assert row["dependencies"]["cross_file"] == ["pkg.consts.FACTOR"]
    assert row["context_lines"] == len(row["masked"].splitlines())


def test_replacing_a_body(mined: Any) -> None:
    root, _, _ = mined
    module = load_project(read_repository_tree(root)).by_path["src/pkg/core.py"]
    for name, info in module.functions.items():
        for body in ("pass", "raise NotImplementedError"):
            text = replace_body(info, body)
            tree = ast.parse(text)
            found = next(
                node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == info.name
            )
            kept = 1 if spans_of(info).docstring else 0
            assert len(found.body) == kept + 1, name
            assert ast.unparse(found.body[-1]) == body


def test_the_row_of_a_repository_recipe_needs_no_context(write: Write) -> None:
    root = write({**FILES, "src/pkg/core.py": FILES["src/pkg/core.py"] + "\nHERE = __file__\n"})
    found, _ = mine_folder(root, MiningOptions(recipe="evocodebench", with_contexts=False))
    assert {row.qualified_name for row in found.rows if row.selected} == {"scale", "Shape.area", "Shape.load"}


@pytest.mark.parametrize(("code", "tree", "paper"), SAMPLES["banned_calls"])
def test_banned_calls(code: str, tree: list[str], paper: list[str]) -> None:
    assert banned_calls(ast.parse(code)) == tuple(tree)
    assert set(banned_text(code)) == set(paper)


def test_calls_of_the_repositorys_own_methods_and_functions_are_not_banned(write: Write) -> None:
    root = write(SAMPLES["calls_of_the_repositorys_own_methods_and_functions_are_not_banned"])
    banned = {
        row.qualified_name: item.reason
        for row in mine_folder(root)[0].rows
        for item in row.filters
        if item.name == "banned calls"
    }
    assert banned == {
        "Schema.dumps": "",
        "Schema.save": "it makes banned calls: self.file.write",
        "opened": "",
        "Link.unlink": "it makes banned calls: self.file.unlink",
        "cut": "",
        "kill": "it makes banned calls: child.kill",
    }


@pytest.mark.parametrize(
    ("body", "trivial"),
    [("return self.x", True), ("pass", True), ("raise NotImplementedError", True), ("return 1", True),
     ("return self.x + 1", False), ("self.x = x", True), ("self.x = f(x)", False), ("'doc'\n    return self.a", True)],
)  # fmt: skip
def test_trivial(body: str, trivial: bool) -> None:
    node = ast.parse(f"def f(self, x):\n    {body}\n").body[0]
    assert isinstance(node, ast.FunctionDef)
    assert is_trivial(node) is trivial


def test_names_are_split_and_compared() -> None:
    assert split_name("parseHTTPHeader_v2") == {"parse", "http", "header", "v", "2"}
    names = NameIndex([("a.read_header", "read_header"), ("b.HeaderParse", "HeaderParse"), ("c.other", "other")])
    assert names.similar("parse_header") == ("b.HeaderParse", "a.read_header")
    assert names.similar("parse_header", own="b.HeaderParse") == ("a.read_header",)
    assert names.similar("parse_header", count=1) == ("b.HeaderParse",)
    assert names.similar("zzz") == ()


@given(st.text(max_size=30))
def test_tokens_are_parts_of_the_name(name: str) -> None:
    assert all(part in name.lower() for part in split_name(name))


def test_facts(write: Write, tmp_path: Path) -> None:
    licence = "MIT"
    root = write(
        {
            "pyproject.toml": f'[project]\nname = "x"\nversion = "1.2"\nlicense = "{licence}"\n',
            "README.md": "# An RSA cipher",
        }
    )
    metadata = tmp_path / "m.json"
    metadata.write_text(json.dumps({"full_name": "o/x", "stargazers_count": 120, "fork": False,
                                    "created_at": "2026-01-15T00:00:00Z", "topics": ["cryptography"]}))  # fmt: skip
    facts = read_facts(root, read_metadata(metadata))
    assert (facts.name, facts.licence, facts.stars, facts.created) == ("o/x", "MIT", 120, "2026-01-15")
    assert domain_of(facts) == "cryptography"
    passed = {item.name: item.passed for item in repository_filters(facts, "evocodebench", 3, date(2026, 7, 14))}
    assert passed == {"licence": True, "age": True, "no fork": True, "stars": True, "tests": True}
    late = {item.name: item.passed for item in repository_filters(facts, "evocodebench", 0, date(2026, 7, 15))}
    assert (late["age"], late["tests"]) == (False, False)
    nothing = repository_filters(RepositoryFacts(name="x"), "domaineval", 1, date(2026, 1, 1))
    assert nothing[0].reason == "the number of stars is not known"
    assert list(own_metadata(root)) == ["x-1.2.dist-info/METADATA"]
    (root / "pyproject.toml").unlink()
    assert own_metadata(root) == {}


def test_metadata_that_is_not_metadata(tmp_path: Path) -> None:
    for text in ("[1]", "{", "[" * 100_000):
        (tmp_path / "m.json").write_text(text)
        with pytest.raises(BadInputError):
            read_metadata(tmp_path / "m.json")


def test_licences(write: Write) -> None:
    root = write({"LICENSE": (Path(__file__).parents[3] / "LICENSE").read_text()})
    assert find_licence(root) == "Apache-2.0"
    assert normalise_licence("mit OR apache-2.0") == "MIT OR Apache-2.0"
    assert normalise_licence("whatever I like") == ""
    assert licence_filter("MIT").passed and licence_filter("GPL-3.0-only OR MIT").passed
    assert not licence_filter("MIT AND GPL-3.0-only").passed
    assert licence_filter("(MIT OR GPL-3.0-only)").passed and not licence_filter("(MIT AND GPL-3.0-only)").passed
    assert not licence_filter("").passed


def test_requirements_take_no_addresses_and_no_options(write: Write) -> None:
    root = write(SAMPLES["requirements_take_no_addresses_and_no_options"])
    found = requirements_of(root, load_project(read_repository_tree(root)))
    assert set(found) == {
        "attrs==23.1", "click", "hypothesis", "mock", "numpy", "pytest>=7,<9", "pytest-mock", "six>=1",
    }  # fmt: skip


def test_what_setup_py_gives_a_name_first_is_required(write: Write) -> None:
    text = SAMPLES["what_setup_py_gives_a_name_first_is_required"]
    root = write({"setup.py": text, "tests/test_x.py": "import orjson\ndef test_x(): assert orjson\n"})
    assert requirements_of(root, load_project(read_repository_tree(root))) == (
        "click<9.0,>=5.0", "click-log<0.5.0,>=0.3.0", "mock", "orjson", "pytest>=7,<9", "requests", "six",
    )  # fmt: skip


def test_optional_libraries_that_tests_import_are_required(write: Write) -> None:
    root = write(SAMPLES["optional_libraries_that_tests_import_are_required"])
    assert requirements_of(root, load_project(read_repository_tree(root))) == ("lxml", "pytest>=7,<9", "scipy>=1.7")


def test_what_a_test_puts_into_a_module_is_seen_by_the_function(write: Write) -> None:
    root = write(SAMPLES["what_a_test_puts_into_a_module_is_seen_by_the_function"])
    (row,) = [row for row in mine_folder(root)[0].rows if row.qualified_name == "play"]
    (test,) = row.tests
    solution: dict[str, Any] = {}
    exec(row.context, solution)
    judge = dict(solution)
    exec(test.code, judge)
    judge["test_play"]()
    assert "kit = " not in test.code and solution["play"](2) == 14


def test_a_function_that_tests_reach_only_through_helpers_is_turned_down(write: Write) -> None:
    body = "\n".join(f"    x += {number}" for number in range(6))
    root = write(
        {
            "pkg/__init__.py": "",
            "pkg/core.py": f"def far(x):\n{body}\n    return x\n\n\ndef near(x):\n{body}\n    return x\n",
            "tests/test_core.py": SAMPLES["a_function_that_tests_reach_only_through_helpers_is_turned_down"],
        }
    )
    found, _ = mine_folder(root)
    direct = {row.qualified_name: item for row in found.rows for item in row.filters if item.name == "direct"}
    assert (direct["far"].passed, direct["far"].reason) == (False, "tests reach it only through helpers")
    assert direct["near"].passed


def _run_alone(row: Any) -> None:
    """Run a row's first test with its context; it is our own fixture's code."""
    space: dict[str, Any] = {}
    exec(compile(f"{row.context}\n\n{row.tests[0].code}", "alone", "exec"), space)
    space[row.tests[0].qualified_name]()


def test_a_fixture_that_nobody_names_and_that_cannot_come_along_is_left_out(write: Write) -> None:
    root = write(SAMPLES["a_fixture_that_nobody_names_and_that_cannot_come_along_is_left_out"])
    (row,) = mine_folder(root)[0].rows
    assert "far_away" not in row.tests[0].code
    _run_alone(row)
    conftest = root / "tests" / "conftest.py"
    conftest.write_text("import pytest\n\n@pytest.fixture(autouse=True)\ndef near():\n    yield 1\n")
    assert "def near" in mine_folder(root)[0].rows[0].tests[0].code


@pytest.mark.parametrize(
    ("imported", "used"), [("from . import tools", "tools.reduce"), ("from .tools import reduce", "reduce")]
)
def test_what_a_module_takes_whole_from_elsewhere_is_found_in_it(write: Write, imported: str, used: str) -> None:
    root = write(
        _filled(
            SAMPLES["what_a_module_takes_whole_from_elsewhere_is_found_in_it"], {"imported": imported, "used": used}
        )
    )
    (row,) = mine_folder(root)[0].rows
    assert not [item.reason for item in row.filters if not item.passed]
    _run_alone(row)


@pytest.mark.parametrize(("files", "functions"), ALONE)
def test_functions_run_alone(write: Write, files: dict[str, str], functions: list[str]) -> None:
    rows = {row.qualified_name: row for row in mine_folder(write(files))[0].rows}
    for name in functions:
        _run_alone(rows[name])


def test_annotations_that_are_not_evaluated_behind_a_context_are_not_evaluated_in_its_file(write: Write) -> None:
    root = write(SAMPLES["annotations_that_are_not_evaluated_behind_a_context_are_not_evaluated_in_its_file"])
    (row,) = [row for row in mine_folder(root)[0].rows if row.qualified_name == "twice"]
    _run_alone(row)
    assert row.masked.startswith("from __future__ import annotations\n\n\n[MASK]")


def test_cut_out_tests_leave_no_gaps(write: Write) -> None:
    more = "\n\n".join(f"    def test_{name}(self):\n        self.assertEqual(twice(1), 2)" for name in "abcd")
    head = "import unittest\nfrom core import twice\n\n\nclass TestTwice(unittest.TestCase):\n"
    root = write(
        {"core.py": "def twice(x):\n    y = x\n    y += x\n    return y\n", "test_core.py": head + more + "\n"}
    )
    (row,) = mine_folder(root)[0].rows
    assert len(row.tests) == 4
    for test in row.tests:
        assert "\n\n\n" not in test.code.partition("class ")[2]
        ast.parse(test.code)


@pytest.mark.parametrize(("test", "why"), SAMPLES["why_a_test_does_not_run_alone_is_said_in_words"])
def test_why_a_test_does_not_run_alone_is_said_in_words(write: Write, test: str, why: str) -> None:
    source = "def shop(x):\n    y = x\n    return y + 1\n"
    (row,) = mine_folder(write({"shop.py": source, "test_shop.py": test}))[0].rows
    (found,) = [item for item in row.filters if item.name == "self-contained"]
    assert found.reason == f"in its tests, {why}"


@pytest.mark.parametrize("filling", SAMPLES["a_table_comes_along_with_the_loop_that_fills_it"])
def test_a_table_comes_along_with_the_loop_that_fills_it(write: Write, filling: str) -> None:
    count = "def count(x):\n    found = len(TABLE)\n    return found + x\n"
    source = f"from contextlib import suppress\n\nTABLE = []\n{filling}\n\n{count}"
    test = "from lib import count\n\ndef test_count():\n    assert count(1) == 4\n"
    (row,) = mine_folder(write({"lib.py": source, "test_lib.py": test}))[0].rows
    space: dict[str, Any] = {}
    exec(compile(row.context, "text", "exec"), space)
    assert space["count"](1) == 4


# A benchmark chosen to targets: what was reached is told as it is, and no other choice of cells is closer.
POOL = [
    SubsetEntry(f"{domain}-{number}", domain, number % 9)
    for domain, count in (("network", 150), ("system", 90), ("cryptography", 60))
    for number in range(count)
]


def reached(found: SubsetChoice) -> dict[str, tuple[float, float]]:
    return {row.name: (row.wanted, row.got) for row in found.reached}


def test_the_published_shares_are_met_where_they_can_be() -> None:
    shares = {"network": 0.5, "system": 0.3, "cryptography": 0.2}
    found = select_subset(POOL, SubsetTargets(100, domains=shares))
    told = reached(found)
    assert told["size"] == (100, 100) and len(set(found.keys)) == 100
    assert told["standalone"][1] == pytest.approx(0.27, abs=0.011)
    assert told["dependencies"][1] == pytest.approx(3.2, abs=0.011)
    for name, share in shares.items():
        assert told[f"domain {name}"][1] == pytest.approx(share, abs=0.011)
    by_key = {entry.key: entry for entry in POOL}
    assert told["dependencies"][1] == sum(by_key[key].dependencies for key in found.keys) / 100
    assert set(found.keys) == set(select_subset(POOL, SubsetTargets(100, domains=shares)).keys)
    assert set(found.keys) != set(select_subset(POOL, SubsetTargets(100, domains=shares), seed=1).keys)


def test_what_is_not_there_is_told() -> None:
    found = select_subset(
        [entry for entry in POOL if entry.dependencies > 4], SubsetTargets(50, domains={"network": 0.5, "x": 0.5})
    )
    told = reached(found)
    assert told["size"] == (50, 50) and told["standalone"] == (0.27, 0.0)
    assert 5 <= told["dependencies"][1] < 6 and told["domain x"] == (0.5, 0.0)
    few = select_subset(POOL[:3], SubsetTargets(10))
    assert reached(few)["size"] == (10, 3) and len(few.keys) == 3
    assert select_subset([], SubsetTargets(10)).keys == ()


@pytest.mark.parametrize(
    "targets",
    [SubsetTargets(0), SubsetTargets(5, standalone=1.5), SubsetTargets(5, dependencies=-1),
     SubsetTargets(5, domains={"a": 0.4, "b": 0.4}),
     SubsetTargets(5, domains={"a": 1.4, "b": -0.4})],
)  # fmt: skip
def test_targets_that_cannot_be_meant_are_refused(targets: SubsetTargets) -> None:
    with pytest.raises(BadInputError):
        select_subset(POOL, targets)


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 6)), max_size=9),
    st.integers(1, 5),
    st.floats(0, 1),
    st.floats(0, 6),
)
def test_any_pool_gives_as_many_as_it_can(
    pairs: list[tuple[str, int]], size: int, standalone: float, mean: float
) -> None:
    pool = [SubsetEntry(str(number), domain, count) for number, (domain, count) in enumerate(pairs)]
    found = select_subset(pool, SubsetTargets(size, standalone, mean))
    assert len(found.keys) == min(size, len(pool)) and set(found.keys) <= {entry.key for entry in pool}
    taken = [entry for entry in pool if entry.key in found.keys]
    cells = sorted((entry.domain, not entry.dependencies) for entry in taken)
    alike = (
        other for other in itertools.combinations(pool, len(taken))
        if sorted((entry.domain, not entry.dependencies) for entry in other) == cells
    )  # fmt: skip
    off = abs(sum(entry.dependencies for entry in taken) - mean * len(taken))
    # An exchange at a time may stop a little short of the best, never by more than one exchange can change.
    best = min(abs(sum(entry.dependencies for entry in other) - mean * len(other)) for other in alike)
    assert off <= best + 3


# What ``import *`` brings: what a module hands out, submodules that come back that way, and circles.
PACKAGE = SAMPLES["package"]


def rows_of(write: Write, files: dict[str, str]) -> dict[str, MinedSubject]:
    found, _ = mine_folder(write(files), MiningOptions())
    return {row.qualified_name: row for row in found.rows}


def alone(row: MinedSubject) -> str:
    """The reason why a function does not run alone; nothing if it does."""
    return next(found.reason for found in row.filters if found.name == "self-contained")


@pytest.mark.parametrize("listed", [True, False])
def test_a_submodule_that_a_star_brings_back_is_the_submodule(write: Write, listed: bool) -> None:
    styles = PACKAGE["src/plots/styles.py"]
    files = PACKAGE | {"src/plots/styles.py": ("__all__ = ['styled']\n" if listed else "") + styles}
    rows = rows_of(write, files)
    assert [alone(rows[name]) for name in ("named", "styled")] == ["", ""]
    row = rows["styled"]
    code = f"{row.context}\n{row.tests[0].code}\n{row.tests[0].qualified_name}()\n"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_all_does_not_list_is_taken_from_elsewhere(write: Write) -> None:
    rows = rows_of(write, SAMPLES["what_all_does_not_list_is_taken_from_elsewhere"])
    assert list(rows) == ["size"]
    assert rows["size"].module_path == "src/kit/first.py"
    assert alone(rows["size"]) == ""


def test_a_compiled_submodule_is_said_to_be_missing(write: Write) -> None:
    """Two modules take it from the package, and the package takes all of them: there is nothing behind it."""
    taking = "from kit import lib\n\ndef {0}(value):\n    found = lib.{0}(value)\n    return found\n"
    rows = rows_of(
        write,
        {
            "src/kit/__init__.py": "from .one import *\nfrom .two import *\n",
            "src/kit/one.py": taking.format("area"),
            "src/kit/two.py": taking.format("length"),
            "tests/test_kit.py": "import kit\n\ndef test_area():\n    assert kit.area(1) == 1\n",
        },
    )
    assert alone(rows["area"]) == "modules import each other in a cycle: lib in src/kit/__init__.py"


def test_a_function_is_titled_by_the_first_sentence_of_its_docstring(write: Write) -> None:
    kit = 'def f(a):\n    """Add one, e.g. to\n    a value.  It can be used."""\n    a += 1\n    return a\n'
    files = {"kit.py": kit, "test_kit.py": "import kit\n\ndef test_f():\n    assert kit.f(1) == 2\n"}
    assert candidate_of_mined_row(rows_of(write, files)["f"]).title == "f: Add one, e.g. to a value"


@pytest.mark.parametrize(("text", "brought"), SAMPLES["what_a_module_hands_out"])
def test_what_a_module_hands_out(write: Write, text: str, brought: dict[str, bool]) -> None:
    [module] = load_project(read_repository_tree(write({"m.py": text}))).modules
    assert {name: module.exports_name(name) for name in brought} == brought


# From tests to functions: every way a name can lead to one, and the mistakes of others that are not made.
LIBRARY = SAMPLES["library"]


def one(found: Found, body: str, head: str = "from lib.shapes import *") -> set[str]:
    text = f"{head}\n\ndef test_it():\n" + "\n".join(f"    {line}" for line in body.strip().split("\n"))
    files = {"lib/__init__.py": "from .shapes import double as twofold", "lib/shapes.py": LIBRARY}
    return found({**files, "tests/test_it.py": text + "\n    assert True\n"})["test_it"] - {"Shape.__init__"}


@pytest.mark.parametrize(("body", "expected"), SAMPLES["ways_to_a_function"])
def test_ways_to_a_function(found: Found, body: str, expected: list[str]) -> None:
    assert {name for name in one(found, body) if "inner" not in name and name[0] != "~"} == set(expected)


@pytest.mark.parametrize(("head", "call"), SAMPLES["ways_to_import"])
def test_ways_to_import(found: Found, head: str, call: str) -> None:
    assert one(found, call, head) == {"double"}


def test_fixtures_parametrised_values_and_set_up(found: Found) -> None:
    files = {
        "src/lib/shapes.py": LIBRARY,
        "src/lib/__init__.py": "",
        "tests/conftest.py": SAMPLES["fixtures_parametrised_values_and_set_up"]["tests/conftest.py"],
        "tests/test_all.py": SAMPLES["fixtures_parametrised_values_and_set_up"]["tests/test_all.py"],
    }
    result = found(files)
    assert result["test_fixture"] == {"Pen.draw", "Shape.compute"}
    assert result["test_values"] == {"double"}
    assert result["test_classes"] >= {"Square.compute"}
    assert "Square.compute" in result["SquareCase.test_kind"]
    assert result["SquareCase.test_pen"] == {"Pen.draw"}
    assert result["SquareCase.test_raising"] == {"?double"}


def test_what_is_no_test(found: Found) -> None:
    result = found(SAMPLES["what_is_no_test"])
    assert set(result) == {"test_by_helper", "test_calling"}
    assert result["test_calling"] == {"helper_of_tests", "~f"}


@pytest.mark.parametrize("sample", SAMPLES["tests_and_functions"].values(), ids=SAMPLES["tests_and_functions"])
def test_which_functions_tests_run(found: Found, sample: dict[str, Any]) -> None:
    result = found(sample["files"])
    assert {name: result.get(name) for name in sample["expected"]} == {
        name: set(functions) for name, functions in sample["expected"].items()
    }


def test_loops_end(found: Found) -> None:
    chain = "\n".join(f"def f{n}(): return f{n + 1}()" for n in range(400))
    result = found({name: text.replace("<chain>", chain) for name, text in SAMPLES["loops_end"].items()})
    assert result["test_all"] == {"own", "f0"}
