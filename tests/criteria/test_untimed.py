"""Which patterns are searched without a time limit: those whose work is bounded by the text, and no others."""

import sys

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.criteria.metrics.rule_results import untimed_length


@pytest.mark.parametrize(
    "pattern",
    ["sum\\(", "a.b", "[a-z+*]x", "foo|bar|baz", "(foo|bar)x", "(?:a)b?", "(?i)word", "\\*\\+", "[]*]", "[^]+]"],
)
def test_what_repeats_nothing_is_searched_in_any_text(pattern: str) -> None:
    assert untimed_length(pattern) == sys.maxsize


@pytest.mark.parametrize("pattern", ["b\\w+a", "for .*:", "[a-z]+x", "a{2,3}", "(?:x|y)z*", "\\s*$"])
def test_one_simple_repetition_is_searched_in_short_texts(pattern: str) -> None:
    assert 0 < untimed_length(pattern) < sys.maxsize


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+b", "(a|aa)*b", "(a*)*", "a*b*", "(?:a+)b+", "(?R)", "(?1)", "(?P<n>a)", "(?<=a)b", "a?a?a?a?aaaa", "[[a]b]",
     "(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)", "(foo){e<=3}", "(?>a)", "(ab)+"],
)  # fmt: skip
def test_what_may_take_any_time_keeps_its_limit(pattern: str) -> None:
    assert untimed_length(pattern) == 0


_PARTS = st.sampled_from(
    ["a", "b", ".", "[ab]", "(a|b)", "a?", "b*", "\\w", "\\(", "x+", "a{1,3}", "|", "(?:ab)", "\\|"]
)


@settings(max_examples=300)
@given(st.lists(_PARTS, min_size=1, max_size=7).map("".join))
def test_a_pattern_that_is_let_off_is_soon_done(pattern: str) -> None:
    """On the worst texts there are, a pattern without a limit takes a small part of what the limit would allow."""
    longest = min(untimed_length(pattern), 4_000)
    known = regex.compile(pattern)
    for text in ("a" * longest, "ab" * (longest // 2), "b" * longest):
        known.search(text + "!"[:longest], timeout=30)
