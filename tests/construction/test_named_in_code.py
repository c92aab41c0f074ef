"""Exceptions and texts that lines of code name."""

from __future__ import annotations

from annotator.construction.python_facts import quoted_texts, without_quoted


def test_an_empty_text_opens_no_other() -> None:
    line = "return String(u || '').replace(/s$/, '') + \"it's\" + 'a\\'b';"
    assert quoted_texts(line) == ["it's", "a\\'b"]
    assert without_quoted("f('', 'x 12', 3)") == "f(, , 3)"
