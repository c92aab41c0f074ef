"""As published: a small repository gives what the published scripts give, decision by decision."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.formats.interchange.domaineval import domaineval_row
from annotator.jobs.progress import Progress
from annotator.mining.repository.confirmation.journal import Variant, VariantAnswer
from annotator.mining.repository.pipeline import MiningOptions, mine_folder
from annotator.mining.repository.published.mining import PublishedSession, mine_as_published
from annotator.mining.repository.published.published_matching import PublishedMatcher, imports_of
from annotator.mining.repository.rows import MinedRepository
from annotator.services.sources.repository_mining import candidate_of_mined_row, mine_repositories, mined_function_name
from tests.samples import load_samples

from .conftest import Write

SAMPLES = load_samples(__file__)
OPTIONS = MiningOptions(rules="published")
Mined = tuple[MinedRepository, PublishedSession]


@pytest.fixture
def mined(write: Write) -> Mined:
    return mine_as_published(write(SAMPLES["files"]), OPTIONS)


class Executing:
    """Stands for the sandbox: executes each program of our own samples as the sandbox's test does."""

    def run(self, variants: list[Variant], stage: str = "", batch: int = 0) -> Iterator[tuple[Variant, VariantAnswer]]:
        for variant in variants:
            (text,) = variant.files.values()
            (code,) = (ast.literal_eval(node.value) for node in ast.parse(text).body if isinstance(node, ast.Assign))
            (test,) = variant.tests
            problem = ""
            try:
                compile(code, "<string>", "exec")
                exec(code, {})
            except Exception as error:  # noqa: BLE001 - any of them is the program's outcome
                problem = f"RuntimeError: {type(error).__name__}: {error}"
            outcome = "fail" if problem else "pass"
            yield variant, VariantAnswer(exit=0, outcomes={test: outcome}, messages={test: problem})


def test_functions_are_matched_and_turned_down_as_published(mined: Mined) -> None:
    found, _ = mined
    decisions = {mined_function_name(row): [item.name for item in row.filters if not item.passed] for row in found.rows}
    assert decisions == SAMPLES["decisions"]
    assert found.tests == 2 and all(row.rules == "published" for row in found.rows)


def test_a_function_called_by_two_texts_is_one_subject_with_a_test_for_each(mined: Mined) -> None:
    (row,) = (row for row in mined[0].rows if row.qualified_name == "scale")
    assert [test.qualified_name for test in row.tests] == ["TestBox.test_all"] * 2
    assert [re.search(r"assertEqual\((.*?)\(1\)", test.code).group(1) for test in row.tests] == ["scale", "scale"]
    (double,) = (row for row in mined[0].rows if row.qualified_name == "double")
    assert "from pkg import inner" in double.tests[0].code
    assert double.tests[0].code.endswith("\ntest_others()\n") and "def test_others():" in double.tests[0].code


def test_dependencies_are_those_of_the_published_parser(mined: Mined) -> None:
    rows = {mined_function_name(row): row.dependencies for row in mined[0].rows}
    for name, (intra_class, intra_file, cross_file) in SAMPLES["dependencies"].items():
        found = rows[name]
        assert (found.intra_class, found.intra_file, found.cross_file) == (
            tuple(intra_class), tuple(intra_file), tuple(cross_file)
        ), name  # fmt: skip


def test_the_rows_of_a_repository_recipe_have_these_dependencies_too(write: Write) -> None:
    root = write(SAMPLES["files"])
    own = {row.qualified_name: row for row in mine_folder(root, MiningOptions(recipe="evocodebench"))[0].rows}
    options = MiningOptions(recipe="evocodebench", rules="published")
    published = {row.qualified_name: row for row in mine_folder(root, options)[0].rows}
    name = "Box.keep"
    assert published[name].rules == "published" and own[name].rules == "own"
    assert published[name].dependencies.intra_file == ()
    assert "pkg.base.Base.keep" in own[name].dependencies.cross_file


def test_what_is_missing_is_added_while_a_subject_runs(mined: Mined) -> None:
    found, session = mined
    rows = {row.qualified_name: row for row in session.confirm(found.rows, Executing())}  # type: ignore[arg-type]
    scale = rows["scale"]
    # The package is not installed, so its imports are left out, and the name that its file defines is added.
    assert scale.context == "import os\nFACTOR = 2\ndef scale(value):\n    result = value * FACTOR\n    return result"
    (verdict,) = (item for item in scale.filters if item.name == "self-contained")
    assert verdict.reason == "alone, its tests do not pass: NameError: name 'pkg' is not defined"


def test_a_subject_that_runs_is_exported_as_the_script_writes_it(write: Write) -> None:
    files = {
        "lib.py": "import math\nSTEP = 2\ndef grow(value):\n    # more\n    total = value + STEP\n    return total\n",
        "test_lib.py": "import lib\nclass TestGrow:\n    def test_it(self, a=1):\n        assert lib.grow(1) == 3\n"
        "def test_plain(tmp_path):\n    assert lib.grow(2) == 4\n",
    }
    found, session = mine_as_published(write(files), OPTIONS)
    (row,) = session.confirm(found.rows, Executing())  # type: ignore[arg-type]
    assert row.selected and [test.confirmed for test in row.tests] == [True, True]
    code = "import math\nSTEP = 2\ndef grow(value):\n    total = value + STEP\n    return total"
    assert row.context == code
    candidate = candidate_of_mined_row(row)
    assert candidate.provenance["mining_rules"] == "published"
    item = {
        "language": "python", "reference": candidate.reference, "entry_point": candidate.entry_point,
        "context": candidate.context, "prompt": "Grow it.", "provenance": candidate.provenance, "domain": "",
        "extra": {},
        "tests": [{"code": t.code, "name": t.name, "language": "python", "inputs": t.inputs} for t in candidate.tests],
    }  # fmt: skip
    exported = domaineval_row(item)
    assert exported["method_name"] == exported["full_method_name"] == "grow" and exported["method_path"] == "lib.py"
    assert exported["method_code_mask"].rstrip() == "import math\nSTEP = 2\ndef grow(value): [MASK]"
    plain, test = exported["test_code_list"]
    assert plain["test_code"] == "def test_plain():\n    assert grow(2) == 4\ntest_plain()\n"
    assert plain["test_path"] == test["test_path"] == "test_lib.py"
    expected = "\nclass TestGrow():\n    def test_it(self):\n        assert grow(1) == 3\nTestGrow().test_it()\n"
    assert test["test_code"] == expected.lstrip("\n") and test["code_start"] == ""
    scope: dict[str, object] = {}
    exec(exported["method_code"] + "\n" + test["test_code"], scope)


@pytest.mark.parametrize(
    ("limit", "passes"), [(len("import os\ndef f(a):\n    a += 1\n    return a\n"), True), (20, False)]
)
def test_the_limit_of_characters_is_an_option(write: Write, limit: int, passes: bool) -> None:
    files = {
        "lib.py": "import os\ndef f(a):\n    a += 1\n    return a\n",
        "test_lib.py": "import lib\ndef test_f():\n    assert lib.f(1) == 2\n",
    }
    (row,) = mine_as_published(write(files), replace(OPTIONS, context_limit=limit))[0].rows
    assert row.selected is passes


def test_imports_inside_functions_count(tmp_path: Path) -> None:
    tree = ast.parse("import a.b as c, d\ndef f():\n    from .. import e\n    from ..g import h as i\n")
    found = [item.code for item in imports_of(tree)]
    assert found == ["import a.b as c", "import d", "from .. import e", "from ..g import h as i"]
    assert re.match("from", found[2])


def test_packages_that_hand_names_to_each_other_end(write: Write) -> None:
    files = {
        "one/__init__.py": "from two import *\n",
        "two/__init__.py": "from one import *\n",
        "test_one.py": "import one\ndef test_it():\n    assert one.missing(1)\n",
    }
    _, session = mine_as_published(write(files), OPTIONS)
    matcher: PublishedMatcher = session.matcher
    (test,) = matcher.tests()
    assert [(call.text, call.path) for call in matcher.calls(test)] == [("one.missing", "")]


def test_what_the_published_scripts_do_not_find_is_told(write: Write) -> None:
    files = {
        "src/lib.py": "def f(a):\n    return a\n",
        "test_lib.py": "import lib\ndef test_f():\n    assert lib.f(1) == 1\n",
    }
    (outcome,) = mine_repositories([write(files)], OPTIONS, Progress(), static_only=True)
    assert outcome.note.startswith("none of its 1 tests calls a function of its own; the published scripts find no")


def test_a_function_with_the_name_of_a_module_is_dropped_by_name(write: Write) -> None:
    files = {
        "pkg/__init__.py": "def tool(a):\n    a += 1\n    return a\n",
        "pkg/tool.py": "",
        "test_pkg.py": "import pkg\ndef test_tool():\n    assert pkg.tool(1) == 2\n",
    }
    (row,) = mine_folder(write(files), MiningOptions(recipe="evocodebench", rules="published"))[0].rows
    assert [item.name for item in row.filters if item.name == "dependencies" and not item.passed]
