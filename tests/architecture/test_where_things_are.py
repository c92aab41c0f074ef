"""The table of annotator/ARCHITECTURE.md that tells where things are names files that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "annotator" / "ARCHITECTURE.md").read_text(encoding="utf-8")
FEWEST = 19
"""So many of the twenty sentences of the floor plan a stranger must find."""


def test_every_row_names_a_file_that_exists() -> None:
    rows = re.findall(r"^\| [^|]+ \| `(annotator/[\w/]+\.py)` \|$", PAGE, re.MULTILINE)
    assert len(rows) >= FEWEST
    assert [path for path in rows if not (ROOT / path).is_file()] == []


def test_every_other_path_of_the_page_exists_too() -> None:
    """Paths are from the package's root, or from the root of the project."""
    named = re.findall(r"`((?:\w+/)+[\w.]*)`", PAGE)
    bases = (ROOT, ROOT / "annotator")
    assert [path for path in named if not any((base / path).exists() for base in bases)] == []
