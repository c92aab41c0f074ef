"""A response that is nothing but a program, in no fence, is taken whole where tests judge it."""

from __future__ import annotations

import pytest

from annotator.criteria import check
from annotator.criteria.metrics.extraction import extract
from annotator.criteria.metrics.unit_tests import program_of

PROGRAMS = {
    "python": "import re\n\n\ndef f(x):\n    return re.escape(x)\n\n\nclass A:\n    pass\n",
    "go": "package main\n\nimport \"fmt\"\n\nfunc f() {\n\tfmt.Println(1)\n}\n\nfunc g() {}\n",
    "javascript": "function f(x) {\n  return x;\n}\nconst g = (x) => f(x);\n",
    "typescript": "type A = { a: number };\nfunction f(x: A): number {\n  return x.a;\n}\nexport default f;\n",
    "java": "class A {\n  static int f() { return 1; }\n  public static void main(String[] args) {}\n}\n",
    "c++": "struct A {\n  int a;\n};\nint f(A a) { return a.a; }\nclass B {};\n",
}  # fmt: skip
OTHERS = {
    "python": "Use `f`:\n\ndef f(x):\n    return x\n",
    "javascript": "return x + 1;",
    "go": "    return 1\n}\n",
    "java": "        return 1;\n    }\n}",
    "c++": "Take a look at the header.",
    "bash": "f() { echo 1; }\n",
}


def _program(language: str, response: str, prefix: str = "") -> str:
    rules = f"unit_test: {{lang: {language}, tests: [{{content: x, prefix: {prefix!r}}}]}}"
    document = check(f"grading:\n  {rules}\n", {}).document
    assert document is not None
    return program_of(document.tests[0], response)


@pytest.mark.parametrize("language", PROGRAMS)
def test_a_whole_program_stays_whole(language: str) -> None:
    bare = _program(language, PROGRAMS[language])
    assert PROGRAMS[language].strip() in bare
    fenced = _program(language, f"```{language}\n{PROGRAMS[language]}```")
    assert bare.split() == fenced.split()


@pytest.mark.parametrize("language", OTHERS)
def test_the_rest_of_a_function_is_cut_as_the_published_grader_does(language: str) -> None:
    cut = extract("\n" + OTHERS[language], language).strip()
    assert _program(language, OTHERS[language]).strip().endswith(cut)


def test_what_follows_a_prefix_is_the_rest_of_it() -> None:
    program = _program("python", "def g():\n    return 2\n", "def f():")
    assert "return 2" not in program
