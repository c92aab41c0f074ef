"""The words of the search index, and nothing only SQLite knows in shared statements."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import annotator.store
from annotator.store.queue.search import index_words

STORE = Path(annotator.store.__file__).parent


def test_the_stores_own_statements_keep_to_what_both_understand() -> None:
    """What only SQLite knows is in the modules of the file, and where a file is read beside the project."""
    with_a_file = {"bulk_acts.py", "earlier_rows.py", "merged_state.py", "past.py", "project_copy.py"}
    only_sqlite = re.compile(
        r"INSERT OR |\browid DESC|sum\([\w.]+ (=|IS)|\bIS subject\.|PRAGMA|strftime|GLOB|"
        r"sqlite_master|group_concat"
    )
    found = {}
    for path in sorted(STORE.rglob("*.py")):
        strings = " ".join(re.findall(r'"([^"\n]*)"', path.read_text(encoding="utf-8")))
        if path.parent.name != "file" and (match := only_sqlite.search(strings)):
            found[path.name] = match[0]
    assert found.keys() == with_a_file, found


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Über-Wörter", ["uber", "worter"]),
        ("numpy_array np.array(x)", ["array", "np", "numpy_array", "x"]),
        ("a a A", ["a"]),
        ("日本 файл", ["日本", "фаил"]),
        ("", []),
    ],
)
def test_words_of_a_text(text: str, wanted: list[str]) -> None:
    assert index_words(text) == sorted(wanted)


def test_what_would_not_fit_the_index_is_cut() -> None:
    assert [len(word) for word in index_words("x" * 5000)] == [200]
    assert len(index_words(" ".join(f"w{number}" for number in range(30_000)))) == 20_000
