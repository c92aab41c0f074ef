"""Small changes of programs in languages that are not read into a tree."""

from __future__ import annotations

import pytest

from annotator.construction.languages.token_changes import TOKEN_LANGUAGES, token_changes
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

CASES = SAMPLES["cases"]


@pytest.mark.parametrize(("language", "code", "holds"), CASES)
def test_each_language_has_changes_of_logic(language: str, code: str, holds: str) -> None:
    found = token_changes(code, language)
    assert any(holds in item.code for item in found)
    assert {item.family for item in found} == {"logic"}
    assert all(item.reference == code != item.code for item in found)
    assert len({item.code for item in found}) == len(found)


def test_the_cases_hold_every_language() -> None:
    assert sorted(language for language, _, _ in CASES) == sorted(TOKEN_LANGUAGES)
    assert token_changes("SELECT 1", "sql") == []


def test_what_is_said_to_people_and_comments_stay() -> None:
    code = 'def f(a)\n  # adds 1 and 2\n  raise "not a number" unless a\n  puts "say 3 > 2"\nend\n'
    assert token_changes(code, "ruby") == []


def test_redirections_of_a_shell_are_no_comparisons() -> None:
    assert token_changes('f() {\n  sort < "$one" > "$two"\n}\n', "bash") == []
    assert any("-ge" in item.code for item in token_changes("[ $a -lt $b ]\n", "bash"))


def test_adding_nothing_stays() -> None:
    assert not any("- 0" in item.code for item in token_changes("f <- function(x) {\n  x + 0\n}\n", "r"))
