"""Which program is taken from a response, and what is no answer."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.answers.choice import find_code
from annotator.answers.code import code_spec_for
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

PYTHON = code_spec_for("python", "f", prompt='def f(x):\n    """Double x."""\n', tests=("assert f(1) == 2",))


def take(text: str, entry: str = "f", language: str = "python") -> str:
    return find_code(text, code_spec_for(language, entry)).text


@pytest.mark.parametrize(("text", "entry", "code"), SAMPLES["taken_code"])
def test_the_code_of_an_answer(text: str, entry: str, code: str) -> None:
    assert take(text, entry) == code


def test_the_types_of_c_plus_plus_may_be_asked_for() -> None:
    code = "bool is_number(std::any a) {\n    return a.type() == typeid(int) || a.type() == typeid(double);\n}"
    assert take(f"Here it is, with `typeid`:\n\n```cpp\n{code}\n```\n", "is_number", "c++") == code
    assert find_code(code, code_spec_for("c++", "is_number")).how == "took the text, which defines is_number"


def test_the_reason_names_the_block() -> None:
    text = "```python\ndef f(x):\n    return 2 * x\n```\n\nExample usage:\n\n```python\nprint(f(1))\n```"
    found = find_code(text, PYTHON)
    assert found.how == "took block 1 of 2, which defines f"


def test_helpers_and_imports_come_from_other_blocks_and_from_the_prompt() -> None:
    text = "```python\ndef g(x):\n    return sqrt(x)\n```\nand\n```python\ndef f(x):\n    return g(x) + pi\n```"
    wanted = code_spec_for("python", "f", prompt="from math import pi, sqrt\n\ndef f(x):\n    ...\n")
    found = find_code(text, wanted)
    assert found.text.split("\n")[0] == "from math import pi, sqrt" and "def g(x)" in found.text
    assert "with imports or helpers from the prompt, block 1" in found.how


def test_what_only_shows_goes_and_what_fills_a_table_stays() -> None:
    text = SAMPLES["fills_a_table"]
    code = take(text)
    assert "table[i] = i" in code and not any(word in code for word in ("input", "assert", "print", "__main__"))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("print(1); x = 2\ndef f(a):\n    return a + x", "x = 2\ndef f(a):\n    return a + x"),
        ("def f(a):\n    return a\nprint(f(2))  # It is 2.", "def f(a):\n    return a"),
        ('{"code": "y = 1\\rx = 2\\rdef f(a):\\r    return a"}', "y = 1\rx = 2\rdef f(a):\r    return a"),
    ],
)
def test_demonstration_goes_with_its_semicolon_and_comment(text: str, code: str) -> None:
    assert take(text) == code


def test_a_future_import_of_the_prompt_is_kept() -> None:
    wanted = code_spec_for("python", "f", prompt="from __future__ import annotations\n\ndef f(x):\n    ...\n")
    found = find_code("class A:\n    def me(self) -> A:\n        return self\n\ndef f(x):\n    return A()", wanted)
    assert found.text.startswith("from __future__ import annotations\n")


def test_a_rebinding_and_a_part_of_a_class_are_merged_with_what_was_before() -> None:
    text = "```python\ndef f(x):\n    return x\n```\nCached:\n```python\nimport functools\nf = functools.cache(f)\n```"
    code = take(text)
    assert "return x" in code and code.rstrip().endswith("f = functools.cache(f)")
    parts = SAMPLES["part_of_a_class"]
    merged = find_code(parts, code_spec_for("python", "A", tests=("assert A().a() + A().b() == 4",))).text
    scope: dict[str, type] = {}
    exec(merged, scope)
    assert scope["A"]().a() + scope["A"]().b() == 4


@pytest.mark.parametrize("code", ["module.exports.f = function (x) { return x; };", "exports.f = (x) => x;"])
def test_what_is_only_exported_is_called_by_its_name(code: str) -> None:
    assert take(f"```js\n{code}\n```", "f", "javascript").endswith("const f = module.exports.f || module.exports;")
    assert take("```js\nconst f = (x) => x;\nmodule.exports = { f };\n```", "f", "javascript").count("const f") == 1


@pytest.mark.parametrize(("text", "finish", "outcome"), SAMPLES["no_answers"])
def test_what_is_no_answer_has_its_own_name(text: str, finish: str, outcome: str) -> None:
    found = find_code(text, PYTHON, finish_reason=finish)
    assert (found.outcome, found.text) == (outcome, "")


_PIECES = st.sampled_from(
    ["```", "```python\n", "~~~", "\n", "def f(x):\n", "    return x", "<think>", "</think>", "> ", "- ", "`", "'",
     '"', "class A:", "print(f(1))", "{", "}", "\u00a0", ">>> ", "<|channel|>final<|message|>", "import os", "@@ @@"]
)  # fmt: skip
_RESPONSES = st.lists(st.one_of(_PIECES, st.text(max_size=5)), max_size=25).map("".join)
_LANGUAGES = st.sampled_from(["python", "java", "c++", "javascript", "go", "sql", "bash"])


@given(_RESPONSES, _LANGUAGES)
def test_no_response_breaks_the_extraction(text: str, language: str) -> None:
    found = find_code(text, code_spec_for(language, "f", prompt="def f(x):\n", tests=("f(1)",)), prompt="def f(x):\n")
    assert bool(found.text.strip()) != bool(found.outcome)
    assert found.how


@pytest.mark.parametrize(("language", "code"), [("haskell", "double x = 2 * x"), ("klingon", "cha'logh x")])
def test_a_language_that_nobody_here_reads_is_known_by_its_tag(language: str, code: str) -> None:
    wanted = code_spec_for(language, "", prompt="Double x.", tests=("double 2",))
    assert find_code(f"Here:\n\n```{language}\n{code}\n```\n", wanted).text == code


GO_PROMPT = 'import (\n    "math"\n    "strings"\n)\n\n// Root of the length.\nfunc Root(text string) float64 {\n'
GO_BODY = SAMPLES["go_body"]


@pytest.mark.parametrize("ending", ["}\n", "}\n\nfunc main() {\n}\n", ""])
def test_a_body_goes_on_from_the_prompt(ending: str) -> None:
    wanted = code_spec_for("go", "Root", prompt=GO_PROMPT)
    found = find_code(GO_BODY + ending, wanted, prompt=GO_PROMPT)
    assert found.text.rstrip().endswith("not } yet\n    }\n}")
    # Go compiles nothing that imports what it does not use.
    assert '"math"' in found.text and '"strings"' not in found.text
    fenced = find_code(f"```go\n{GO_BODY}{ending}```", wanted, prompt=GO_PROMPT)
    # What stands in a fence behind the function was written with it.
    assert " ".join(fenced.text.split()).startswith(" ".join(found.text.split()))


def test_a_class_that_the_prompt_opens_is_closed_behind_the_body() -> None:
    prompt = "public static class S {\n    // Add one.\n    public static int AddOne(int n) {\n"
    wanted = code_spec_for("c#", "AddOne", prompt=prompt)
    for body in ("        return n + 1;\n", "        return n + 1;\n    }\n", "        return n + 1;\n    }\n}\n\n}"):
        assert find_code(body, wanted, prompt=prompt).text.split() == (prompt + "return n + 1; } }").split()


def test_a_prompt_that_is_said_again_with_its_body_is_closed_as_the_prompt_is() -> None:
    prompt = "using System;\n\nnamespace N {\n    public class P {\n        public static int AddOne(int n) {\n"
    wanted = code_spec_for("c#", "AddOne", prompt=prompt)
    found = find_code(f"```csharp\n{prompt}            return n + 1;\n        }}\n```", wanted, prompt=prompt)
    assert found.text.split() == (prompt + "return n + 1; } } }").split()
    # What breaks off in the function itself is not finished for it.
    assert "}" not in find_code(f"```csharp\n{prompt}    if (n > 0) {{\n```", wanted, prompt=prompt).text


UNFINISHED = SAMPLES["unfinished"]


@pytest.mark.parametrize("language", UNFINISHED)
def test_imports_of_a_prompt_that_ends_in_the_middle_are_taken_over(language: str) -> None:
    prompt, answer, line = UNFINISHED[language]
    tests = ("class Main { static void main() { AddOne.addOne(null); } }",) if language == "java" else ()
    wanted = code_spec_for(language, "addOne", prompt=prompt, tests=tests)
    text = find_code(f"Here it is:\n\n```\n{answer}\n```", wanted, prompt=prompt).text
    assert text.count(line) == 1 and text.count("addOne(") == 1, text
    if language == "java":
        assert text.count("class AddOne") == 1 and text.index(line) < text.index("class AddOne")
    # Its own imports are not repeated.
    whole = find_code(f"```\n{line}\n{answer}\n```", wanted, prompt=prompt).text
    assert whole.count(line) == 1


def test_an_answer_in_go_takes_over_the_imports_of_the_prompt_that_it_uses() -> None:
    wanted = code_spec_for("go", "Root", prompt=GO_PROMPT)
    body = "func Root(text string) float64 {\n    return math.Sqrt(float64(len(text)))\n}\n"
    given = f'package main\n\nimport "fmt"\n\n{body}\nfunc show() {{ fmt.Println(1) }}\n'
    assert find_code(f"```go\n{body}```", wanted).text == f'import "math"\n{body}'.rstrip()
    imports = [line for line in find_code(f"```go\n{given}```", wanted).text.split("\n") if line.startswith("import")]
    assert imports == ['import "fmt"', 'import "math"']
    # An import of its own that it does not use is its own mistake.
    unused = given.replace("fmt.Println(1)", "")
    assert 'import "fmt"' in find_code(f"```go\n{unused}```", wanted).text


def test_a_body_of_ruby_goes_on_from_the_prompt_and_prose_does_not() -> None:
    prompt = "# Add one.\ndef add_one(n)\n"
    wanted = code_spec_for("ruby", "add_one", prompt=prompt)
    body = "  if n.nil?\n    return 0\n  end\n  n + 1\n"
    whole = f"{prompt}{body}end"
    assert find_code(f"{body}end\n\nputs add_one(1)\n", wanted, prompt=prompt).text.strip() == whole
    assert find_code(body, wanted, prompt=prompt).text.strip() == whole
    assert "def add_one" not in find_code("I would return the number plus one.", wanted, prompt=prompt).text


_OPEN_CLASS = "import java.util.*;\n\nclass Solution {\n    public int topTwo(List<Integer> n) {\n"


@pytest.mark.parametrize("test", SAMPLES["methods_alone"])
def test_a_method_alone_is_put_into_the_class_that_the_tests_call(test: str) -> None:
    wanted = code_spec_for("java", "topTwo", prompt=_OPEN_CLASS, tests=(test,))
    found = find_code(f"```java\n{SAMPLES['streams']}\n```", wanted, prompt=_OPEN_CLASS)
    assert "class Solution {" in found.text and "put into class Solution" in found.how
    # A static method can be called on the class and on an object.
    assert "public static int topTwo" in found.text and "private static int best" in found.text


@pytest.mark.parametrize(("language", "entry", "code", "added"), SAMPLES["called_by_the_name"])
def test_what_stands_in_a_class_or_has_no_name_is_called_by_the_name_asked_for(
    language: str, entry: str, code: str, added: str
) -> None:
    found = find_code(f"Here:\n\n```{language}\n{code}\n```", code_spec_for(language, entry, prompt=f"Write {entry}."))
    assert added in found.text


def test_a_class_of_c_sharp_has_the_name_that_the_tests_call() -> None:
    code = "using System;\n\npublic class Solution {\n    public static int F(int n) { return n; }\n}"
    wanted = code_spec_for("c#", "F", prompt="Write F.", tests=("if (Problem.F(1) != 1) throw new Exception();",))
    found = find_code(f"```csharp\n{code}\n```", wanted)
    assert "class Problem {" in found.text and "class Solution named Problem" in found.how


@pytest.mark.parametrize(("language", "prompt", "body"), SAMPLES["shadowed_bodies"])
@pytest.mark.parametrize("fenced", [False, True])
def test_a_variable_of_a_body_named_as_the_function_defines_nothing(
    language: str, prompt: str, body: str, *, fenced: bool
) -> None:
    wanted = code_spec_for(language, "size", prompt=prompt)
    found = find_code(f"```\n{body}\n```" if fenced else body, wanted, prompt=prompt)
    assert found.text.split() == f"{prompt} {body}".split() and "put where the prompt breaks off" in found.how


@pytest.mark.parametrize(("language", "prompt", "program"), SAMPLES["empty_functions"])
@pytest.mark.parametrize("write", ["return BODY;", "{ return BODY; }"])
def test_a_body_goes_into_the_empty_function_of_a_prompt(language: str, prompt: str, program: str, write: str) -> None:
    body = write.replace("BODY", "$text" if language == "php" else "text")
    found = find_code(body, code_spec_for(language, "size", prompt=prompt), prompt=prompt)
    assert found.text.split() == program.replace("BODY", body).split()


@pytest.mark.parametrize("run_on", SAMPLES["run_on"])
def test_what_runs_on_behind_a_body_goes(run_on: str) -> None:
    prompt = 'def f(x):\n    """Double x."""\n'
    body = "    y = x\n    return 2 * y\n"
    assert find_code(body + run_on, PYTHON, prompt=prompt).text.split() == (prompt + body).split()
    head = "int f(int x) {\n"
    wanted = code_spec_for("c++", "f", prompt=head)
    answer = find_code(f"    return 2 * x;\n}}\n{run_on}", wanted, prompt=head)
    assert answer.text.split() == f"{head} return 2 * x; }}".split()


def test_a_helper_that_runs_on_is_kept_where_the_body_calls_it() -> None:
    prompt = 'def f(x):\n    """Double x."""\n'
    text = "    return twice(x)\n\n\ndef twice(x):\n    return 2 * x\n\n\nThat is all there is to it.\n"
    scope: dict[str, Callable[[int], int]] = {}
    exec(find_code(text, PYTHON, prompt=prompt).text, scope)
    assert scope["f"](4) == 8


@pytest.mark.parametrize(
    ("language", "right", "other"),
    [
        ("python", "def f(x):\n    return x", "f = int(input())"),
        ("python", "def f(x):\n    return x", "x = 3\nf = str(x)\nprint(f)"),
        ("javascript", "const f = (x) => x;", "const f = Number('3');\nconsole.log(f);"),
        ("javascript", "const f = (x) => x;", "const f = require('./f');"),
        ("ruby", "def f(x)\n  x\nend", "f = gets.to_i"),
    ],
)
def test_a_value_under_the_name_of_the_function_defines_nothing(language: str, right: str, other: str) -> None:
    text = f"```{language}\n{right}\n```\n\nUse it:\n\n```{language}\n{other}\n```"
    assert find_code(text, code_spec_for(language, "f", prompt="Write f.")).text == right


@pytest.mark.parametrize("code", ["f = make(2)", "f = make", "f = cache(make(2))", "f = lambda x: 2 * x"])
def test_a_function_that_is_made_by_another_defines_it(code: str) -> None:
    made = f"from functools import cache\n\ndef make(n):\n    return lambda x: n * x\n\n{code}"
    assert find_code(f"```python\n{made}\n```", PYTHON).how == "took the only block, which defines f"


def test_tests_of_its_own_are_not_started() -> None:
    code = "import unittest\n\ndef f(x):\n    return x\n\nclass T(unittest.TestCase):\n    pass\n\nunittest.main()"
    assert "main()" not in take(f"```python\n{code}\n```")


def test_signatures_of_typescript_stay() -> None:
    code = "function f(x: number): string;\nfunction f(x: any): string { return '' + x; }"
    assert take(f"```ts\n{code}\n```", "f", "typescript") == code


def test_a_language_may_be_called_otherwise() -> None:
    text = "```cpp\nint f(int x) { return x; }\n```\n\nIt prints:\n\n```\n1\n```"
    assert take(text, "f", "cpp") == "int f(int x) { return x; }"


def test_a_block_of_another_language_comes_second() -> None:
    own = "```java\nclass A { static int f(int x) { return 2 * x; } }\n```"
    other = "class A { static int f(int x) { return x; } }"
    wanted = code_spec_for("java", "f", prompt="Write f.")
    assert "2 * x" in find_code(f"{own}\n\nIn C#:\n\n```csharp\n{other}\n```", wanted).text
    assert find_code(f"```csharp\n{other}\n```", wanted).text == other


def test_a_prompt_may_import_before_its_text() -> None:
    prompt = 'def f(x):\n    import math\n    """Round x up."""\n'
    body = "    return math.ceil(x)\n"
    wanted = code_spec_for("python", "f", prompt=prompt)
    assert find_code(body, wanted, prompt=prompt).text.split() == (prompt + body).split()


def test_what_was_repaired_is_told() -> None:
    found = find_code("```python\ndef f(x):\n    return [\u201c2\u201d][0] * x\n```", PYTHON)
    assert '"2"' in found.text and found.how == "took the only block, which defines f; typographic quotes made plain"


def test_a_fence_inside_a_docstring_is_the_programs_own() -> None:
    code = 'def grow(x):\n    """Grow.\n\n    ```pycon\n    >>> grow(1)\n    2\n    ```\n    """\n    return x + 1'
    assert find_code(code, code_spec_for("python", "grow")).text == code
    fenced = f"Here it is:\n\n````python\n{code}\n````\n"
    assert find_code(fenced, code_spec_for("python", "grow")).text == code


@pytest.mark.parametrize(
    ("language", "method", "other"),
    [
        ("python", "class Calc:\n    def add(self, a, b):\n        return a + b", "def add(a, b):\n    return a - b"),
        ("java", "class Calc { int add(int a, int b) { return a + b; } }",
         "class Show { int add(int a, int b) { return a - b; } }"),
    ],
)  # fmt: skip
def test_a_method_is_not_the_later_function_of_its_name(language: str, method: str, other: str) -> None:
    spec = code_spec_for(language, "Calc.add")
    for joint in ("\n\n", f"\n```\nor\n```{language}\n"):
        assert "a + b" in find_code(f"```{language}\n{method}{joint}{other}\n```", spec).text.partition("Show")[0]
    assert "a - b" in find_code(f"```{language}\n{other}\n```", spec).text


@pytest.mark.parametrize(
    ("language", "prompt", "body"),
    [
        ("python", 'def f(x):\n    """Double x."""\n', "    # Your code here\n    pass"),
        ("go", "package main\n\nfunc f(x int) int {\n", "    // Your code here\n}"),
        ("ruby", "def f(x)\n", "  # Your code here\nend"),
    ],
)
def test_a_body_that_was_left_open_is_an_answer_that_fails(language: str, prompt: str, body: str) -> None:
    found = find_code(body, code_spec_for(language, "f", prompt=prompt), prompt=prompt)
    assert (found.text, found.outcome) == (f"{prompt}{body}".strip("\n"), "")
    assert found.how.startswith("took the text, which only declares f")


@pytest.mark.parametrize("text", ["created_at > '2020'", "updated_at = 1", "with_tax > 3", "selected = 1"])
def test_a_column_that_begins_like_a_verb_is_no_statement(text: str) -> None:
    prompt = "SELECT a FROM t WHERE"
    spec = code_spec_for("sql", "", prompt=prompt)
    assert find_code(text, spec, prompt=prompt).text == f"{prompt}\n{text}"
    assert find_code(f"-- all\nselect {text} from t", spec, prompt=prompt).text.startswith("-- all\nselect")


@pytest.mark.parametrize("language", ["java", "c#"])
def test_a_method_without_a_class_may_correct_one_in_its_class(language: str) -> None:
    wrong = "class Solution {\n  int add(int a, int b) { return a - b; }\n}"
    text = f"```{language}\n{wrong}\n```\nCorrected:\n```{language}\nint add(int a, int b) {{ return a + b; }}\n```"
    code = find_code(text, code_spec_for(language, "Solution.add")).text
    assert "class Solution" in code and "a + b" in code and "a - b" not in code


@pytest.mark.parametrize("body", ["return 2 * x", "    return 2 * x", "        return 2 * x"])
def test_the_body_of_a_method_may_have_any_margin(body: str) -> None:
    prompt = 'class C:\n    def f(self, x):\n        """Double x."""\n'
    found = find_code(body, code_spec_for("python", "C.f", prompt=prompt), prompt=prompt)
    assert found.text == f"{prompt}        return 2 * x"


def test_a_body_at_the_margin_is_indented_as_the_prompt_is() -> None:
    prompt = 'def f(x):\n   """Double x."""\n   \n'
    found = find_code("if x:\n    return 2 * x\nreturn 0", code_spec_for("python", "f", prompt=prompt), prompt=prompt)
    assert found.text.endswith("\n   if x:\n       return 2 * x\n   return 0")


@pytest.mark.parametrize(
    ("language", "prompt", "body"),
    [
        ("c++", "vector<int> f(vector<int> v) {\n", "    sort(v.begin(), v.end());\n    return v;\n}"),
        ("javascript", "function f(a) {\n", "  const end = a.length;\n  return end;\n}"),
        ("go", "func f(a []int) int {\n", "\tend := len(a)\n\treturn end\n}"),
        (
            "java",
            "class A {\n    static int f(int[] a) {\n",
            "        int end = a.length;\n        return end;\n    }\n}",
        ),
        ("ruby", "def f(range)\n", "  range.end\nend"),
    ],
)
def test_a_name_may_be_a_keyword_of_another_language(language: str, prompt: str, body: str) -> None:
    wanted = code_spec_for(language, "f", prompt=prompt)
    found = find_code(f"{body}\n", wanted, prompt=prompt)
    assert found.text.split() == (prompt + body).split()
    assert found.how.partition(";")[0] == "took the text, which defines f"


@pytest.mark.parametrize(
    ("language", "prompt", "code", "fence"),
    [
        ("python", "", "def f(x):\n    return 2 * x\n)", "```python\n{}\n```"),
        ("ruby", "", "def f(x)\n  x\nend\nend", "```ruby\n{}\n```"),
        ("python", "def f(x):\n", "    y = (x\n    return y", "{}"),
        ("python", 'def f(x):\n    """Double."""\n', "    y = x +\n    return y", "{}"),
        ("javascript", "function f(x) {\n", "    if (x) {\n        return 1", "{}"),
        ("javascript", "", "def f(x):\n  return x", "A:\n```python\n{}\n```\nB."),
        ("javascript", "", "def f(x):\n  return x", "A:\n```js\n{}\n```\nB."),
    ],
)
def test_code_that_is_not_accepted_is_an_answer_that_fails(language: str, prompt: str, code: str, fence: str) -> None:
    answer = find_code(fence.format(code), code_spec_for(language, "f", prompt=prompt), prompt=prompt)
    assert (answer.text.removeprefix(prompt).strip("\n"), answer.how.partition(": ")[2]) == (code, "nothing defines f")


@pytest.mark.parametrize(
    ("language", "code", "other"),
    [
        (
            "c",
            "int f(int x) {\n  int n = 0;\n  int m = 1;\n  char c = '';\n  return n;\n}",
            "int main() {\n  int result = f(2);\n  int twice = f(result);\n  return result + twice + result;\n}",
        ),
        (
            "typescript",
            "const f = (x) => {\n  let n = 1;\n  return n if x else 2;\n}",
            "let result = 1;\nlet more = f(result);",
        ),
        ("python", "def f(x):\n    return x +\n", "result = 2\ntwice = f(result)\nthrice = f(twice)\n"),
    ],
)
def test_a_broken_definition_is_run_rather_than_a_piece_of_it(language: str, code: str, other: str) -> None:
    for text in (code, f"```{language}\n{code}\n```\n\n```{language}\n{other}\n```"):
        assert take(text, "f", language) == code.strip()


@pytest.mark.parametrize("tag", ["", "text", "output", "bash", "console", "json", "diff"])
@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "def f(x):\n    y = 2\n\n    return y * x"),
        ("javascript", "function f(x) {\n  return 2 * x;\n}"),
        ("go", "func f(x int) int {\n\treturn 2 * x\n}"),
        ("ruby", "def f(x)\n  2 * x\nend"),
        ("r", "f <- function(x) {\n  2 * x\n}"),
        ("bash", "f() {\n  echo $((2 * $1))\n}"),
    ],
)
def test_code_outside_of_blocks_is_read_if_no_block_counts(language: str, code: str, tag: str) -> None:
    shown = f"```{tag}\n4\n```"
    assert take(f"{code}\n\nThe output:\n\n{shown}\n\nIt doubles.", "f", language) == code
    assert take(f"The output:\n\n{shown}\n\nIt is from this.\n\n{code}", "f", language) == code
    fenced = f"An old one:\n\n{code.replace('2', '3')}\n\n```{language}\n{code}\n```\n{shown}"
    assert take(fenced, "f", language) == code, "a block that counts comes first"


def test_what_is_shown_on_a_console_is_no_shell_program_beside_one() -> None:
    code = 'f() {\n  echo $((2 * $1))\n}\nf "$1"'
    assert take(f"```bash\n{code}\n```\n```console\n$ ./f 2\n4\n$ ./f 3\n6\n```", "", "bash") == code
    assert take("```console\necho 4\n```", "", "bash") == "echo 4"


@pytest.mark.parametrize("language", ["python", "java", "r", "bash"])
def test_a_refusal_with_a_text_in_a_fence_is_a_refusal(language: str) -> None:
    said = "I'm sorry, but I can't help with that request.\n\n```text\nSee the policy for details.\n```"
    assert find_code(said, code_spec_for(language, "f")).outcome == "refusal"


@pytest.mark.parametrize(
    ("language", "prompt", "text", "outcome"),
    [
        ("go", "func f(x int) int {\n", "    if x == 0 return 1\n    return x\n}", ""),
        ("javascript", "function f(x) {\n", "```javascript\nfunction f(x) {\n  return x.map((y", "truncated"),
    ],
)
def test_code_that_does_not_parse_fails_if_it_is_complete(language: str, prompt: str, text: str, outcome: str) -> None:
    found = find_code(text, code_spec_for(language, "f", prompt=prompt), prompt=prompt)
    assert (found.outcome, bool(found.text)) == (outcome, not outcome)


@pytest.mark.parametrize(
    ("prompt", "text", "outcome"),
    [
        ("def f(x):\n", "    I'm sorry, but I can't help with that.", "refusal"),
        ("def f(x):\n", "    Sure, here is how I would do it.", "empty"),
        ("What does f return?", "    return x +", "empty"),
    ],
)
def test_indented_prose_is_no_body(prompt: str, text: str, outcome: str) -> None:
    assert find_code(text, code_spec_for("python", "f", prompt=prompt), prompt=prompt).outcome == outcome


@pytest.mark.parametrize(
    ("language", "helper", "code"),
    [
        ("javascript", "function g(x) { return x; }", "function f(x) { return g(x) === 1; }"),
        ("java", "static int g(int x) { return x; }", "static int f(int x) { return g(x); }"),
        ("java", "static int g(int x) { return x; }", "static int f(int x) { int y = g(x); return y; }"),
        ("c++", "int g(int x) { return x; }", "int f(int x) { int y = g(x); return y; }"),
    ],
)
def test_what_is_compared_or_called_comes_from_another_block(language: str, helper: str, code: str) -> None:
    text = f"```{language}\n{helper}\n```\n```{language}\n{code}\n```"
    assert take(text, "f", language).split() == f"{helper} {code}".split()


def test_an_object_whose_member_the_tests_set_is_no_demonstration() -> None:
    code = "function f(x) { return x; }\nmodule.exports = f;\nconst config = Object.create(null);"
    test = "config.limit = 3; console.assert(f(1) === 1);"
    text = f"```javascript\n{code}\n```"
    assert "const config" in find_code(text, code_spec_for("javascript", "f", tests=[test])).text
