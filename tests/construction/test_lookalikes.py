"""Code is changed for the strength of tests: what people take for the same, and single tokens."""

from __future__ import annotations

import ast

import pytest

from annotator.construction.bugs.lookalikes import lookalikes
from annotator.construction.languages.sql import query_lookalikes
from annotator.construction.languages.token_changes import TOKEN_LANGUAGES, token_changes
from annotator.construction.languages.tree_sitter_bugs import parses_cleanly, tree_bugs
from tests.samples import load_samples

SAMPLES = load_samples(__file__)


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("return re.fullmatch('a', x)", {"re.match('a', x)", "re.fullmatch('a')"}),
        ("return x.split()", {"x.split(' ')"}),
        ("return x.splitlines()", {"x.split('\\n')"}),
        ("return (x - y).total_seconds()", {"(x - y).seconds"}),
        ("return x // (y + 1)", {"int(x / (y + 1))"}),
        ("return sorted(x, key=lambda p: (p.a, p.b))", {"sorted(x, key=lambda p: (p.a,))", "sorted(x)"}),
        ("return next(iter(x), None)", {"next(iter(x))"}),
        ("return y.quantize(x, decimal.ROUND_HALF_UP)", {"y.quantize(x)", "y.quantize(x, decimal.ROUND_HALF_EVEN)"}),
        ("return f(x)", set()),
        ("return deepcopy(x)", set()),
    ],
)
def test_lookalikes_of_python(line: str, changed: set[str]) -> None:
    found = lookalikes(f"def f(x, *, y):\n    {line}\n", "python")
    assert {item.code.splitlines()[1].strip().removeprefix("return ") for item in found} == changed
    for item in found:
        ast.parse(item.code)


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("x.sort((a, b) => a - b)", {"x.sort()"}),
        ("x.reduce((a, b) => a + b, 0)", {"x.reduce((a, b) => a + b)"}),
        ("Number(x)", {"parseInt(x)"}),
        ("x.replaceAll('a', 'b')", {"x.replace('a', 'b')", "x.replaceAll('a')"}),
        ("p.at - q.at || p.id - q.id", {"p.at - q.at"}),
        ("g(x)", set()),
    ],
)
@pytest.mark.parametrize("language", ["javascript", "typescript"])
def test_lookalikes_of_scripts(language: str, line: str, changed: set[str]) -> None:
    found = lookalikes(f"function f({{ x, p, q }}) {{\n  return {line};\n}}\n", language)
    lines = {item.code.splitlines()[1].strip().removeprefix("return ").rstrip("; ") for item in found}
    assert lines == changed and all(parses_cleanly(item.code, language) for item in found)


@pytest.mark.parametrize(("language", "code", "changed"), SAMPLES["exchanged_parameters"])
def test_parameters_of_one_type_are_exchanged(language: str, code: str, changed: list[str]) -> None:
    found = lookalikes(code, language)
    assert [item.code.splitlines()[0] for item in found] == changed


@pytest.mark.parametrize(("language", "code", "part"), SAMPLES["returned"])
def test_what_is_returned_is_changed(language: str, code: str, part: str) -> None:
    found = [item.code for item in lookalikes(code, language) if item.operator == "other_result"]
    assert len(found) == bool(part) and all(part in text and parses_cleanly(text, language) for text in found)


def test_quotes_around_variables_of_a_shell_are_left_out() -> None:
    code = 'f() {\n  mv -- "$1" "${1%.JPG}.jpg" && echo "done: $1" "${x}"\n}\n'
    found = [item.code.splitlines()[1] for item in token_changes(code, "bash") if "quotes" in item.explanation]
    assert found == [
        '  mv -- $1 "${1%.JPG}.jpg" && echo "done: $1" "${x}"', '  mv -- "$1" "${1%.JPG}.jpg" && echo "done: $1" ${x}',
    ]  # fmt: skip


def test_what_is_missing_is_asked_for_a_part() -> None:
    found = tree_bugs("function f(u) {\n  return u?.a?.[0];\n}\n", "javascript")
    assert [item.code for item in found if "missing for a part" in item.explanation] == [
        "function f(u) {\n  return u.a?.[0];\n}\n"
    ]


@pytest.mark.parametrize(("query", "why", "part"), SAMPLES["queries"])
def test_more_changes_of_queries(query: str, why: str, part: str) -> None:
    [code] = [item.code for item in query_lookalikes(query) if item.explanation == why]
    assert part in code


# Small changes of tokens, branches that are never taken and loops that end early, without a tree.
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
