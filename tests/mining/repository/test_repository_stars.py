"""What ``import *`` brings: what a module hands out, submodules that come back that way, and circles."""

from __future__ import annotations

import subprocess
import sys

import pytest

from annotator.mining.repository.discovery.modules import load_project
from annotator.mining.repository.discovery.tree import read_repository_tree
from annotator.mining.repository.pipeline import MiningOptions, mine_folder
from annotator.mining.repository.rows import MinedSubject
from tests.samples import load_samples

from .conftest import Write

SAMPLES = load_samples(__file__)

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


@pytest.mark.parametrize(("text", "brought"), SAMPLES["what_a_module_hands_out"])
def test_what_a_module_hands_out(write: Write, text: str, brought: dict[str, bool]) -> None:
    [module] = load_project(read_repository_tree(write({"m.py": text}))).modules
    assert {name: module.exports_name(name) for name in brought} == brought
