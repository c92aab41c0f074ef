"""Small changes of tokens, branches that are never taken and loops that end early, without a tree."""

from __future__ import annotations

import pytest

from annotator.construction.languages.token_changes import TOKEN_LANGUAGES, token_changes
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

CASES, BRANCHES = SAMPLES["cases"], SAMPLES["branches"]


@pytest.mark.parametrize(("language", "code", "holds"), CASES)
def test_each_language_has_changes_of_logic(language: str, code: str, holds: str) -> None:
    found = token_changes(code, language)
    assert any(holds in item.code for item in found)
    assert {item.family for item in found} == {"logic"}
    assert all(item.reference == code != item.code for item in found)
    assert len({item.code for item in found}) == len(found)


def test_the_cases_hold_every_language() -> None:
    for cases in (CASES, BRANCHES):
        assert sorted(language for language, _, _ in cases) == sorted(TOKEN_LANGUAGES)
    assert token_changes("SELECT 1", "sql") == []


def test_what_is_said_to_people_and_comments_stay() -> None:
    code = 'def f(a)\n  # adds 1 and 2\n  raise "not a number" unless a\n  puts "say 3 > 2"\nend\n'
    assert token_changes(code, "ruby") == []


def test_redirections_of_a_shell_are_no_comparisons() -> None:
    assert token_changes('f() {\n  sort < "$one" > "$two"\n}\n', "bash") == []
    assert any("-ge" in item.code for item in token_changes("[ $a -lt $b ]\n", "bash"))


def test_adding_nothing_stays() -> None:
    assert not any("- 0" in item.code for item in token_changes("f <- function(x) {\n  x + 0\n}\n", "r"))


@pytest.mark.parametrize(("language", "code", "holds"), BRANCHES)
def test_a_branch_is_never_taken(language: str, code: str, holds: str) -> None:
    found = [item.code for item in token_changes(code, language) if item.explanation == "the branch is never taken"]
    assert len(found) == 1 and holds in found[0]


@pytest.mark.parametrize(("language", "code", "holds"), SAMPLES["loops"])
def test_a_loop_ends_after_its_first_step(language: str, code: str, holds: str) -> None:
    found = [item.code for item in token_changes(code, language) if item.kind == "logic.control"]
    assert len(found) == 1 and holds in found[0]


def test_a_negation_is_dropped_where_it_stands_alone() -> None:
    found = {item.code for item in token_changes("if !seen[x] && a != b {\n}\n", "go")}
    assert "if seen[x] && a != b {\n}\n" in found and not any("a = b" in code for code in found)


@pytest.mark.parametrize(("language", "code", "left"), SAMPLES["often_the_same"])
def test_what_often_does_the_same_is_left_out(language: str, code: str, left: list[str]) -> None:
    made = [item.code for item in token_changes(code, language)]
    assert not [text for text in made for change in left if change in text]
