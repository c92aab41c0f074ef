"""The map of the code and the pages of its packages: short, complete, and naming only what exists."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest

from tests.architecture.trees import PACKAGE, ROOT

MAP = PACKAGE / "ARCHITECTURE.md"
CONTRIBUTING = ROOT / ".github" / "CONTRIBUTING.md"
PACKAGES = sorted(path.parent for path in PACKAGE.glob("*/__init__.py"))
PAGES = [MAP, *(package / "README.md" for package in PACKAGES)]
MOST_LINES_OF_MAP, MOST_LINES_OF_README = 160, 60
FEWEST = 19
"""So many of the twenty sentences of the floor plan a stranger must find."""
_QUOTED = re.compile(r"`([\w./-]+)`")
_SUFFIXES = (".md", ".py", ".sql", ".toml", ".ts", ".yaml")


def test_every_row_names_a_file_that_exists() -> None:
    rows = re.findall(r"^\| [^|]+ \| `(annotator/[\w/]+\.py)` \|$", MAP.read_text("utf-8"), re.MULTILINE)
    assert len(rows) >= FEWEST
    assert [path for path in rows if not (ROOT / path).is_file()] == []


def test_every_package_has_a_place() -> None:
    text = MAP.read_text("utf-8")
    house = text[text.index("```") : text.rindex("```")]
    assert [package.name for package in PACKAGES if not re.search(rf"\b{package.name}/", house)] == []


def test_every_package_has_a_readme() -> None:
    lengths = {page: len(page.read_text("utf-8").splitlines()) if page.exists() else 0 for page in PAGES}
    assert [page.parent.name for page, length in lengths.items() if not length] == []
    assert lengths.pop(MAP) <= MOST_LINES_OF_MAP
    assert {page.parent.name: length for page, length in lengths.items() if length > MOST_LINES_OF_README} == {}


@pytest.mark.parametrize("page", [*PAGES, CONTRIBUTING], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_named_path_exists(page: Path) -> None:
    """Paths are from the page's own package, from ``annotator`` or from the root of the project."""
    named = [name for name in _QUOTED.findall(page.read_text("utf-8")) if "/" in name or name.endswith(_SUFFIXES)]
    # Tests and packages are built into this folder, which no checkout has.
    named = [name for name in named if not name.startswith("build/")]
    bases = (page.parent, PACKAGE, ROOT)
    assert [name for name in named if not any((base / name).exists() for base in bases)] == []


@pytest.mark.parametrize("page", [*PAGES, CONTRIBUTING], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_named_test_exists(page: Path) -> None:
    named = re.findall(r"`(test_\w+)`", page.read_text("utf-8"))
    assert [name for name in named if name not in _functions_of_tests()] == []


@functools.cache
def _functions_of_tests() -> frozenset[str]:
    texts = (path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    return frozenset(name for text in texts for name in re.findall(r"^\s*def (test_\w+)\(", text, re.MULTILINE))
