"""Differences, anchors, distances, colours and positions."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.text.anchors import check_anchors, find_anchors
from annotator.text.diff import changed_parts, line_diff, word_diff
from annotator.text.distance import word_distance
from annotator.text.highlight import highlight_spans
from annotator.ui.widgets.code.highlighting import Utf16Positions

TEXTS = st.text(alphabet=st.sampled_from("ab c\n.,(é\U0001f600\U00020000"), max_size=60)


@given(TEXTS, TEXTS)
def test_the_parts_of_a_difference_give_both_texts_back(a: str, b: str) -> None:
    for parts in (word_diff(a, b), line_diff(a, b)):
        assert "".join(part.text for part in parts if part.kind != "added") == a
        assert "".join(part.text for part in parts if part.kind != "removed") == b
        for part in parts:
            if part.kind != "added":
                assert a[part.a_start : part.a_start + len(part.text)] == part.text
            if part.kind != "removed":
                assert b[part.b_start : part.b_start + len(part.text)] == part.text


def test_changed_words_are_told_from_kept_ones() -> None:
    parts = word_diff("How do I merge two dicts?", "Show how to merge two dictionaries.")
    assert [part.text for part in parts if part.kind == "same"] == [" merge two "]
    assert word_diff("same", "same")[0].kind == "same"


def test_a_difference_of_large_texts_is_bounded() -> None:
    start = time.perf_counter()
    parts = word_diff("a b " * 40_000, "c d " * 40_000)
    assert {part.kind for part in parts} >= {"removed", "added"}
    assert time.perf_counter() - start < 20


def test_anchors_are_names_numbers_and_versions() -> None:
    text = "Since `np.where` of v1.24.3 give me 3 rows with sort_keys or maxSplit, e.g. os.path.join()."
    text += "\n```\nhidden_x\n```"
    found = {(anchor.text, anchor.kind) for anchor in find_anchors(text)}
    assert found >= {("np.where", "quoted"), ("v1.24.3", "version"), ("3", "number"), ("sort_keys", "name")}
    assert found >= {("maxSplit", "name"), ("os.path.join()", "name")}
    assert not any("hidden" in word for word, _ in found)
    state = {
        anchor.text: is_kept for anchor, is_kept in check_anchors(find_anchors(text), "Use os.path.join and 3, not 13.")
    }
    assert state["os.path.join()"] and state["3"] and not state["np.where"]
    # The 3 within 13 is another number.
    state = {anchor.text: is_kept for anchor, is_kept in check_anchors(find_anchors(text), "Use os.path.join and 13.")}
    assert state["os.path.join()"] and not state["3"]


@given(TEXTS, TEXTS)
def test_distance_is_a_share(a: str, b: str) -> None:
    assert 0 <= word_distance(a, b) <= 1
    assert word_distance(a, a) == 0
    assert word_distance(a, b) == pytest.approx(word_distance(b, a))


@given(TEXTS)
def test_positions_agree_with_the_encoding(text: str) -> None:
    places = Utf16Positions(text)
    for index in range(len(text) + 1):
        units = len(text[:index].encode("utf-16-le")) // 2
        assert places.units(index) == units


@given(st.text(max_size=80), st.sampled_from(["python", "javascript", "c++", "yaml", "klingon", ""]))
def test_coloured_stretches_lie_in_the_text_in_order(code: str, language: str) -> None:
    last = 0
    for span in highlight_spans(code, language):
        assert last <= span.start < span.end <= len(code)
        last = span.start


def test_keywords_of_a_language_are_coloured() -> None:
    code = "def f():\n    return 'text'  # why\n"
    kinds = {code[span.start : span.end].strip(): span.kind for span in highlight_spans(code, "python")}
    assert kinds["def"] == "keyword" and kinds["f"] == "function" and kinds["# why"] == "comment"


def test_changed_lines_are_compared_by_word_and_others_are_whole() -> None:
    old = "def f(a):\n    if a > 1:\n        return a\n    return 0\n"
    new = "import os\ndef f(a):\n    if a >= 1:\n        return a\n"
    found = [(part.kind, part.text) for part in changed_parts(old, new)]
    assert found == [("added", "import os\n"), ("added", "="), ("removed", "    return 0\n")]
    for part in changed_parts(old, new):
        text, start = (old, part.a_start) if part.kind == "removed" else (new, part.b_start)
        assert text[start : start + len(part.text)] == part.text
    assert changed_parts(old, old) == ()
