"""Reads answers with their tests from the text files in ``answers/``.

A line ``=== NAME`` begins a pair, a line ``--- test`` its test; everything between stands as it is run.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).with_name("answers")
_PAIR, _TEST = "\n=== ", "\n--- test"


def load_answers(name: str) -> dict[str, tuple[str, str]]:
    """Return the answers of a file and their tests, by name."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").removesuffix("\n")
    pairs = {}
    for part in f"\n{text}".split(_PAIR)[1:]:
        title, _, texts = part.partition("\n")
        code, separator, test = f"\n{texts}".partition(_TEST)
        assert separator and title not in pairs, f"{name}: {title}"
        pairs[title] = (f"{code}\n", f"{test}\n")
    return pairs
