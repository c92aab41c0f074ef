"""Branches that are never taken and loops that end early, in languages that are not read into a tree."""

from __future__ import annotations

import pytest

from annotator.construction.languages.token_changes import TOKEN_LANGUAGES, token_changes
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

BRANCHES = SAMPLES["branches"]


@pytest.mark.parametrize(("language", "code", "holds"), BRANCHES)
def test_a_branch_is_never_taken(language: str, code: str, holds: str) -> None:
    found = [item.code for item in token_changes(code, language) if item.explanation == "the branch is never taken"]
    assert len(found) == 1 and holds in found[0]


def test_the_cases_hold_every_language() -> None:
    assert sorted(language for language, _, _ in BRANCHES) == sorted(TOKEN_LANGUAGES)


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
