"""Branches that are never taken and loops that end early, in languages that are not read into a tree."""

from __future__ import annotations

import pytest

from annotator.construction.languages.token_changes import TOKEN_LANGUAGES, token_changes

BRANCHES = (
    ("go", 'func f(a string) int {\n\tif a == "" {\n\t\treturn 1\n\t}\n\treturn 2\n}\n', "\tif false {\n"),
    ("rust", "fn f(a: i32) -> i32 {\n    if a > 2 { 1 } else { 2 }\n}\n", "if false { 1 }"),
    ("ruby", "def f(a)\n  return 1 if a == 'x'\n  2\nend\n", "  return 1 if false"),
    ("php", "<?php\nfunction f($a) {\n  if (g($a) > 1) {\n    return 1;\n  }\n  return 2;\n}\n", "  if (false) {\n"),
    ("c", "int f(int a) {\n    if (a && (a > 2)) return 1;\n    return 2;\n}\n", "    if (0) return 1;"),
    ("c#", "static int F(int a) {\n    if (a > 2) return 1;\n    return 2;\n}\n", "    if (false) return 1;"),
    ("r", "f <- function(a) {\n  if (a > 2) {\n    return(1)\n  }\n  2\n}\n", "  if (FALSE) {\n"),
    ("bash", 'f() {\n  if [ "$1" = a ]; then\n    echo 1\n  fi\n}\n', "  if false ; then\n"),
)
LOOPS = (
    ("go", "for _, x := range xs {\n\tall += x\n}\n", "\tall += x\nbreak\n}"),
    ("rust", "for x in xs {\n    all += x;\n}\n", "    all += x;\nbreak;\n}"),
    ("php", "<?php\nforeach ($xs as $x) {\n  $all .= $x;\n}\n", "  $all .= $x;\nbreak;\n}"),
    ("c", "for (int i = 0; i < n; i++) {\n    all += f(i);\n}\n", "    all += f(i);\nbreak;\n}"),
    ("c#", "while (n > 0) {\n    n -= 3;\n}\n", "    n -= 3;\nbreak;\n}"),
    ("r", "for (x in xs) {\n  all <- all + x\n}\n", "  all <- all + x\nbreak\n}"),
    ("bash", "for x in $xs; do\n  echo $x\ndone\n", "  echo $x\nbreak\ndone"),
)


@pytest.mark.parametrize(("language", "code", "holds"), BRANCHES)
def test_a_branch_is_never_taken(language: str, code: str, holds: str) -> None:
    found = [item.code for item in token_changes(code, language) if item.explanation == "the branch is never taken"]
    assert len(found) == 1 and holds in found[0]


def test_the_cases_hold_every_language() -> None:
    assert sorted(language for language, _, _ in BRANCHES) == sorted(TOKEN_LANGUAGES)


@pytest.mark.parametrize(("language", "code", "holds"), LOOPS)
def test_a_loop_ends_after_its_first_step(language: str, code: str, holds: str) -> None:
    found = [item.code for item in token_changes(code, language) if item.kind == "logic.control"]
    assert len(found) == 1 and holds in found[0]


def test_a_negation_is_dropped_where_it_stands_alone() -> None:
    found = {item.code for item in token_changes("if !seen[x] && a != b {\n}\n", "go")}
    assert "if seen[x] && a != b {\n}\n" in found and not any("a = b" in code for code in found)


@pytest.mark.parametrize(
    ("language", "code", "left"),
    [
        ("rust", "*counts.entry(x).or_insert(0) += 1;\n", ("or_insert(1)", "+= 2")),
        ("c", "int inside = 0;\ninside = 1;\n", ("inside = 2", "inside = 1;\ninside = 1")),
        ("c#", "for (long d = 2; d * d <= n; d++) {\n}\n", ("d + d",)),
        ("ruby", "run.first\n", ("run.last",)),
        ("go", "if x := f(); x > 1 {\n}\n", ("if false",)),
        ("rust", "if let Some(x) = y {\n}\n", ("if false",)),
    ],
)
def test_what_often_does_the_same_is_left_out(language: str, code: str, left: tuple[str, ...]) -> None:
    made = [item.code for item in token_changes(code, language)]
    assert not [text for text in made for change in left if change in text]
