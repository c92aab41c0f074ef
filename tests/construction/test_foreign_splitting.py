"""Tests in other languages are cut into single assertions; what is built otherwise stays whole."""

from __future__ import annotations

import pytest

from annotator.construction.languages.tree_sitter_bugs import parses_cleanly
from annotator.construction.test_splitting import split_foreign, split_tests
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

JAVASCRIPT = SAMPLES["javascript"]


@pytest.mark.parametrize(
    ("language", "code", "count", "marks"),
    [
        ("javascript", JAVASCRIPT, 3, ("add(1, 2)", "add(base, 0)", "add(0, 0)")),
        ("typescript", JAVASCRIPT, 3, ("add(1, 2)", "add(base, 0)", "add(0, 0)")),
        ("c++", SAMPLES["cpp"], 2, ("add(one, 2)", "add(one, 0)")),
        ("java", SAMPLES["java"], 2, ("s.add(1, 2)", "s.add(0, 0)")),
    ],
)
def test_each_part_has_one_assertion_and_all_of_its_set_up(
    language: str, code: str, count: int, marks: tuple[str, ...]
) -> None:
    parts = split_foreign(code, language)
    assert len(parts) == count
    for part, mark in zip(parts, marks, strict=True):
        assert parses_cleanly(part, language)
        assert [other for other in marks if other in part] == [mark]
    kept = {"javascript": "let base = 4;", "typescript": "let base = 4;", "c++": "one = 5;", "java": "new Solution()"}
    assert all(kept[language] in part for part in parts)
    if language == "c++":
        assert all("assert(x > 0)" in part and "return 0;" in part for part in parts), "helpers keep their own"


@pytest.mark.parametrize(("language", "code"), SAMPLES["stays_whole"])
def test_other_tests_stay_whole(language: str, code: str) -> None:
    assert split_foreign(code, language) == (code,)


def test_cases_of_junit_and_of_suites_are_cut() -> None:
    junit = SAMPLES["junit"]
    first, second = split_foreign(junit, "java")
    assert "one" in first and "two" not in first and "two" in second and "one" not in second
    assert all("void set()" in part and part.count("@Test") == 1 for part in (first, second))
    suite = (
        "describe('f', () => {\n  const n = 1;\n  it('adds', () => {\n    expect(f(n)).toBe(2);\n  });\n"
        "  test('adds more', () => {\n    expect(f(2)).toBe(3);\n  });\n});\n"
    )
    for language in ("javascript", "typescript"):
        first, second = split_foreign(suite, language)
        assert "'adds'" in first and "adds more" not in first and "adds more" in second and "'adds'" not in second
        assert all("const n = 1" in part for part in (first, second))
    one = suite.partition("  test(")[0] + "});\n"
    assert split_foreign(one, "javascript") == (one,)


@pytest.mark.parametrize(("language", "code", "kept", "gone"), SAMPLES["single_cases"])
def test_a_single_case_is_cut_into_its_assertions(language: str, code: str, kept: str, gone: str) -> None:
    first, second = split_foreign(code, language)
    assert kept in first and gone not in first
    assert kept in second and gone in second
    assert first.count("{") == first.count("}") and len(first) < len(code) > len(second)


def test_a_test_with_functions_of_its_own_is_split_all_the_same() -> None:
    helper = "def raises(kind, call):\n    try:\n        call()\n    except kind:\n        return True\n"
    helper += "    return False\n\n\n"
    body = SAMPLES["own_functions"]
    parts = [part.code for part in split_tests(f"{helper}def test_f():\n{body}", "f")]
    assert [part.rstrip().splitlines()[-1] for part in parts] == [
        "assert f(1) == 2", "assert raises(TypeError, lambda: f(None, double))", "assert f(Odd()) == 9"
    ]  # fmt: skip
    assert all("def raises" in part and "\nclass Odd(list):" in part for part in parts)
    counted = "def test_f():\n    n = 0\n    def add():\n        nonlocal n\n        n += 1\n    add()\n"
    counted += "    assert n\n    assert f()\n"
    assert len(split_tests(counted, "f")) == 1
