"""Captured calls and the items made of them, canonical values, and programs that count calls."""

from __future__ import annotations

import importlib.util
import math
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.resources import resource_path
from annotator.construction import canonical
from annotator.construction.bugs.surviving_mutants import changes_capacity
from annotator.construction.canonical import form_text, forms_equal, same_items
from annotator.construction.edits import Proposal
from annotator.construction.languages.single_call import end_at_second_call
from annotator.construction.languages.tree_sitter_bugs import tree_bugs
from annotator.construction.python_facts import without_docstrings
from annotator.construction.task_material import ConstructionError
from annotator.construction.understanding.captured_calls import CaptureLimits, capture_calls
from annotator.construction.understanding.guesses import answer_by_guess, empty_form, guess_arguments, needs_calculator
from annotator.construction.understanding.literals import (
    AnswerError,
    parse_arguments,
    parse_value,
    read_python_signature,
)
from annotator.construction.understanding.random_inputs import random_calls
from annotator.construction.understanding.understanding_items import (
    UnderstandingItem,
    make_understanding_items,
    start_reverse,
)
from annotator.sandbox import Job, Pool, TestCode
from annotator.text.syntax_trees import parse_code, walk_nodes
from tests.construction.conftest import grade, material
from tests.samples import load_samples

SAMPLES = load_samples(__file__)
POWER = SAMPLES["power"]
ADD = "def add(a, b):\n    return a + b\n"


def _item(code: str, entry: str, direction: str, arguments: list[object], output: object) -> UnderstandingItem:
    named = tuple((f"a{number}", value) for number, value in enumerate(arguments))
    return UnderstandingItem(
        id="i",
        key="k",
        direction=direction,
        code=code,
        entry_point=entry,
        arguments=named,
        output=output,
        steps=3,
        mutates=False,
        difficulty="easy",
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answer", "score"), [("75", 1), ("Output: 75", 1), ("```\n75\n```", 1), ("75.0", 1), ("76", 0)]
)
def test_the_paper_s_forward_vector(runner: Pool, answer: str, score: float) -> None:
    assert grade(_item(POWER, "power_sum", "forward", [[2, 3, 4], [1, 2, 3]], 75), answer, runner).score == score


@pytest.mark.sandbox
def test_the_paper_s_reverse_vector(engine: Pool) -> None:
    item = _item(POWER, "power_sum", "reverse", [[1, 1, 10], [1, 1, 2]], 102)
    right = ["[[1,1,10],[1,1,2]]", "([100,2],[1,1])", "power_sum([101,1],[1,1])", "arr1=[102], arr2=[1]",
             '{"arr1":[102],"arr2":[1]}']  # fmt: skip
    assert [grade(item, answer, engine).score for answer in right] == [1.0] * 5
    assert [grade(item, answer, engine).score for answer in ("102", '__import__("os")')] == [0.0, 0.0]
    caught = capture_calls(material(POWER, ["assert power_sum([2, 3, 4], [1, 2, 3]) == 75"], "power_sum"), engine)
    assert [(entry.values, entry.output) for entry in caught.instances] == [([[2, 3, 4], [1, 2, 3]], 75)]


@pytest.mark.parametrize(("answer", "score"), [("(3,5)", 1), ("4,4", 1), ("6,2", 1), ("3,4", 0), ("None", 0)])
def test_any_input_that_works_counts(runner: Pool, answer: str, score: float) -> None:
    graded = grade(_item(ADD, "add", "reverse", [3, 5], 8), answer, runner)
    assert (graded.score, graded.status == "pass") == (score, bool(score))


def test_several_lines(runner: Pool) -> None:
    item = _item(ADD, "add", "reverse", [3, 5], 8)
    assert start_reverse(item, "3, 5\n1, 1", runner)().score == 1
    assert start_reverse(item, "3, 5\n1, 1", runner, every_line=True)().score == 0
    assert start_reverse(item, "3, 5\n1, 7", runner, every_line=True)().score == 1


def test_a_bare_word_equals_a_text_and_nothing_is_no_answer(runner: Pool) -> None:
    item = _item("def f(a):\n    return a\n", "f", "forward", ["NO"], "NO")
    assert [grade(item, text, runner).score for text in ("NO", "'NO'", '"NO"', "no", "")] == [1, 1, 1, 0, 0]
    assert grade(item, "  ", runner).status == "no_answer"


@pytest.mark.parametrize(
    ("output", "right", "wrong"),
    [
        ({"$t": [0, 2, 0, 3]}, "(0, 2, 0, 3)", "[0, 2, 0, 3]"), ([1, 2], "[1, 2]", "(1, 2)"),
        ([{"$t": [1, "a"]}], "[(1, 'a')]", "[[1, 'a']]"), ({"$d": [["a", {"$t": [1]}]]}, "{'a': (1,)}", "{'a': [1]}"),
    ],
)  # fmt: skip
def test_a_list_is_no_tuple_as_python_writes_them(runner: Pool, output: object, right: str, wrong: str) -> None:
    item = _item("def f(a):\n    return a\n", "f", "forward", [1], output)
    for answer in (right, f"Answer: {right}", f"The result is `{right}`."):
        assert grade(item, answer, runner).score == 1
    assert [grade(item, f"Answer: {wrong}", runner).status, grade(item, wrong, runner).score] == ["fail", 0]


def test_an_input_that_does_not_end_fails(runner: Pool) -> None:
    item = _item("def f(n):\n    while n:\n        pass\n    return 5\n", "f", "reverse", [0], 5)
    assert grade(item, "1", runner).detail == "does not end in time" and grade(item, "0", runner).score == 1


def _captured(runner: Pool, entry: str, tests: list[str]) -> list[tuple[object, object, bool]]:
    found = capture_calls(material(SAMPLES["state"], tests, entry), runner, CaptureLimits(min_lines=1))
    return [(item.values, item.output, item.mutated) for item in found.instances]


def test_arguments_are_as_they_were_before_the_call(runner: Pool) -> None:
    found = _captured(runner, "f", ["assert f([1], 2) == 9", "f([5, 9], 5)", "f([1], 2)"])
    assert sorted(found, key=str) == [([[1], 2], 9, True), ([[5, 9], 5], [9], True)]


@pytest.mark.parametrize("entry", ["noise", "clock", "drawn", "seeded", "hashed", "obj", "gen"])
def test_what_does_not_repeat_or_has_no_plain_value_is_left_out(runner: Pool, entry: str) -> None:
    assert _captured(runner, entry, [f"{entry}(3)"]) == []


def test_calls_of_tests_that_are_collected_are_captured(runner: Pool) -> None:
    unit = SAMPLES["class_of_unittest"]
    plain = (
        "class TestAdd:\n    def setup_method(self):\n        self.six = 6\n\n"
        "    def test_six(self):\n        add(self.six, 1)\n"
    )
    functions = (
        "def test_eight():\n    add(8, 1)\n\ndef test_fixture(number):\n    add(number, 1)\n\n"
        "def helper():\n    add(0, 0)\n"
    )
    made = material(ADD, [unit, plain, functions], "add")
    found = [item.values for item in capture_calls(made, runner, CaptureLimits(min_lines=1)).instances]
    assert sorted(found) == [[1, 2], [4, 5], [6, 1], [8, 1]]


def test_only_the_outermost_call_counts(runner: Pool) -> None:
    assert _captured(runner, "deep", ["assert deep(4) == 7"]) == [([4], 7, False)]


def test_exceptions_are_kept_only_if_asked_for(runner: Pool) -> None:
    code = "def f(x):\n    if x:\n        raise ValueError(x)\n    return 5\n"
    made = material(code, ["try:\n    f(1)\nexcept ValueError:\n    pass", "f(0)"], "f")
    assert [item.raises for item in capture_calls(made, runner).instances] == [""]
    both = capture_calls(made, runner, CaptureLimits(exceptions=True)).instances
    assert sorted((item.raises, str(item.output)) for item in both) == [("", "5"), ("ValueError", "None")]


def test_items_are_not_trivial_and_their_reference_is_right(runner: Pool) -> None:
    code = "def f(n):\n    '''f(3) -> 14'''\n    if n > 100:\n        return 1\n    return n * 4 + 2\n"
    made = material(code, [f"f({n})" for n in (3, 7, 200, 300, 400)], "f")
    items = make_understanding_items(made, capture_calls(made, runner), runner)
    forward = [item for item in items if item.direction == "forward"]
    reverse = [item for item in items if item.direction == "reverse"]
    assert {item.output for item in forward} >= {14, 30} and 1 not in {item.output for item in forward}
    assert {item.output for item in reverse} <= {14, 30}
    assert all(grade(item, item.reference, runner).score == 1 for item in items)
    assert all("14" not in item.code for item in items) and len({item.id for item in items}) == len(items)
    same = material("def f(x):\n    y = x\n    return y\n", ["f(5)", "f(8)"], "f")
    why: Counter[str] = Counter()
    assert not make_understanding_items(same, capture_calls(same, runner), runner, dropped=why)
    assert why == {"forward: the result is an argument": 2, "reverse: the value passed through gives it": 2}


def test_what_is_shown_holds_no_answer(runner: Pool) -> None:
    text = '    """\n    f([7, 8]) -> 15\n    """\n'
    code = f"def f(xs):\n    import math\n{text}    total = math.fsum(xs)\n    return int(total)\n"
    made = material(code, ["assert f([7, 8]) == 15", "assert f([1]) == 1"], "f")
    items = make_understanding_items(made, capture_calls(made, runner), runner)
    assert items and all("->" not in item.code and "import math" in item.code for item in items)
    only = "def f():\n    'Nothing.'\n    'More.'\n"
    assert without_docstrings(only) == only, "a body of texts alone stays"
    texts = "def f(text):\n    cut = text.strip()\n    number = float(cut)\n    return round(number)\n"
    read = material(texts, ["assert f('10') == 10", "assert f(' 7.6') == 8"], "f")
    directions = [item.direction for item in make_understanding_items(read, capture_calls(read, runner), runner)]
    assert "reverse" not in directions, "the value in quotes would do"


def test_what_nothing_gives_is_not_asked_for(runner: Pool) -> None:
    code = "def f(xs, low):\n    for x in xs:\n        if x <= low:\n            return -x\n    return 'none'\n"
    made = material(code, ["assert f([3, 8], 1) == 'none'", "assert f([4, 2], 3) == -2", "f([9, 1], 1)"], "f")
    reverse = [
        item
        for item in make_understanding_items(made, capture_calls(made, runner), runner)
        if item.direction == "reverse"
    ]
    assert {item.output for item in reverse} == {-2}, "an empty list gives 'none', and ([1], 1) gives -1"
    assert [empty_form(form) for form in (True, 7, "a", [1], None, {"$f": "2.5"}, {"$t": [1]}, {"$d": [["a", 1]]})] == [
        False, 0, "", [], None, {"$f": "0.0"}, {"$t": []}, {"$d": []},
    ]  # fmt: skip
    assert empty_form({"$b": "YQ=="}) == {"$b": "YQ=="}


def test_material_that_cannot_be_captured(runner: Pool) -> None:
    made = material(ADD, ["add(1, 2)"], "missing")
    with pytest.raises(ConstructionError, match="not a plain function"):
        capture_calls(replace(made, code=ADD + "    # three\n\nX = 1\n"), runner)
    with pytest.raises(ConstructionError, match="python, sql, java"):
        capture_calls(replace(made, language="rust"), runner)
    with pytest.raises(ConstructionError, match="entry point"):
        capture_calls(replace(made, language="java", entry_point=""), runner)


def test_nothing_for_nothing_and_digests_are_no_questions(runner: Pool) -> None:
    code = "def f(xs, sign):\n    kept = []\n    for x in xs:\n        kept.append(sign * x)\n    return kept\n"
    made = material(code, ["assert f([], 2) == []", "assert f([1, 2], 3) == [3, 6]"], "f")
    forward = [
        item
        for item in make_understanding_items(made, capture_calls(made, runner), runner)
        if item.direction == "forward"
    ]
    assert forward[0].reference == "[3, 6]" and all(item.output for item in forward)
    digest = "import hashlib\ndef f(text):\n    data = text.encode()\n    return hashlib.md5(data).hexdigest()\n"
    hashed = material(digest, ["assert len(f('a')) == 32"], "f")
    assert capture_calls(hashed, runner).dropped == {"results of hashlib cannot be worked out": 1}
    assert capture_calls(hashed, runner, CaptureLimits(readable=False)).instances


def test_a_value_passed_through_beside_its_length_is_no_question(runner: Pool) -> None:
    code = (
        "def pick(items, size, skip=0):\n    kept = sorted(items, reverse=True)\n"
        "    kept = kept[skip:]\n    return tuple(kept[:size])\n"
    )
    made = material(code, ["pick([3, 9, 4, 7], 2)", "pick([5, 8, 6, 1], 3, 1)", "pick([2, 4, 6, 8, 9], 3)"], "pick")
    calls = guess_arguments([[3, 9, 4, 7], 2, 0], {"$t": [9, 7]})
    assert [{"$t": [9, 7]}, 2, 0] in calls and [2, {"$t": [9, 7]}] in calls
    directions = {item.direction for item in make_understanding_items(made, capture_calls(made, runner), runner)}
    assert directions == {"forward"}


def test_a_value_passed_through_beside_the_other_arguments_is_no_question(runner: Pool) -> None:
    code = (
        "def ranked(rows, field):\n    out = sorted(rows, key=lambda row: -row[field])\n"
        "    return [dict(row) for row in out]\n"
    )
    rows = "[{'cost': 4, 'age': 9}, {'cost': 7, 'age': 8}, {'cost': 5, 'age': 6}]"
    made = material(code, [f"ranked({rows}, 'cost')", f"ranked({rows}[1:], 'age')"], "ranked")
    directions = {item.direction for item in make_understanding_items(made, capture_calls(made, runner), runner)}
    assert directions == {"forward"}, "what is in order already stays so by the same field"


def test_two_calls_that_are_nearly_the_same_make_one_item(runner: Pool) -> None:
    code = (
        "def joined(text, sign):\n    words = text.split(sign)\n    words = [word.title() for word in words]\n"
        "    return ''.join(words)\n"
    )
    made = material(code, ["joined('hello-big-world-again', '-')"], "joined")
    forward = [
        item
        for item in make_understanding_items(made, capture_calls(made, runner), runner, most=4)
        if item.direction == "forward"
    ]
    shown = [str([value for _, value in item.arguments]) for item in forward]
    assert len(shown) > 1
    assert max(SequenceMatcher(None, *pair).ratio() for pair in combinations(shown, 2)) <= 0.85


def test_an_argument_of_many_digits_is_asked_of_nobody(runner: Pool) -> None:
    code = (
        "def base16(n):\n    text = ''\n    while n:\n        text = '0123456789abcdef'[n % 16] + text\n"
        "        n //= 16\n    return text\n"
    )
    made = material(code, ["base16(3735928559)", "base16(700)"], "base16")
    items = make_understanding_items(made, capture_calls(made, runner), runner)
    assert items and all(len(str(dict(item.arguments)["n"])) < 9 for item in items)


@pytest.mark.parametrize(("values", "output", "why"), SAMPLES["values_by_guess"])
def test_what_a_guess_answers_is_no_question(values: list[Any], output: Any, why: str) -> None:
    assert why in answer_by_guess(values, output) and bool(why) == bool(answer_by_guess(values, output))


def test_the_value_is_passed_through_in_every_place() -> None:
    assert [{"$d": []}, 7] in guess_arguments([{"$d": [[7, [2]]]}, 3], [7]), "what stands alone in the value"
    tried = guess_arguments([[1], 5], [4, 6])
    assert [[4, 6], 0] in tried and [[4, 6], 1] in tried and [[], [4, 6]] in tried and [4, 6] in tried
    assert [[4, 6]] in tried and [[4, 6], 2] in tried, "defaults, and the length"
    assert needs_calculator([{"$f": "0.123456789"}]) and not needs_calculator([2500, {"$f": "0.25"}, "123456789012"])


def test_guesses_do_not_reach_reverse_items_and_most_results_are_no_items(runner: Pool) -> None:
    code = "def f(xs, n):\n    out = list(xs)\n    if n > 1:\n        out.append(n)\n    return out\n"
    made = material(code, ["f([4, 6], 0)", "f([5, 7], 3)"], "f")
    items = make_understanding_items(made, capture_calls(made, runner), runner, most=3)
    assert not [item for item in items if item.direction == "reverse"], "the list, and nothing more, gives it"
    forward = [item for item in items if item.direction == "forward"]
    assert len(forward) == 3 and len({item.reference for item in forward}) == 3, "generated inputs fill up"
    assert all(grade(item, item.reference, runner).score == 1 and item.guessed > 0 for item in forward)
    often = "def f(n):\n    if n % 50 == 7:\n        return n * 3 + 1\n    return 'other'\n"
    rare = material(often, ["f(7)", "f(8)", "f(57)"], "f")
    kept = make_understanding_items(rare, capture_calls(rare, runner), runner, most=3)
    assert kept and all(item.output != "other" for item in kept)


def test_what_an_iterator_yields_is_asked_for(runner: Pool) -> None:
    code = (
        "def spread(xs, n):\n    last = 0\n    for x in xs:\n        last = last * 10 + x\n        if x > n:\n"
        "            yield last\n"
    )
    made = material(code, ["list(spread([1, 5, 3], 2))", "list(spread([4, 2, 6, 1], 3))"], "spread")
    items = make_understanding_items(made, capture_calls(made, runner, CaptureLimits(iterators=True)), runner, most=2)
    assert {(item.direction, item.drawn) for item in items} == {("forward", True), ("reverse", True)}
    forward = next(item for item in items if item.direction == "forward" and item.reference == "[15, 153]")
    assert "yields: it returns an iterator" in forward.prompt and "a list of all that it yields" in forward.prompt
    assert grade(forward, "Answer: [15, 153]", runner).score == 1 and grade(forward, "[15]", runner).score == 0
    reverse = next(item for item in items if item.direction == "reverse" and item.output == [15, 153])
    assert "an iterator of the given values" in reverse.prompt
    assert grade(reverse, "[1, 5, 3], 2", runner).score == 1 and grade(reverse, "[1, 5], 2", runner).score == 0


# A function that ends the process at its second call tells whether tests call it more than once.
PROGRAMS: dict[str, dict[str, str]] = SAMPLES["programs"]


def _test(language: str, *numbers: int) -> str:
    program = PROGRAMS[language]
    calls = [
        program["call"]
        .replace("GIVEN", str(number))
        .replace("WANTED", "1" if language == "python" else str(number + 1))
        for number in numbers
    ]
    return (program["around"] or "TESTS").replace("TESTS", "".join(calls))


@pytest.mark.sandbox
@pytest.mark.parametrize("language", PROGRAMS)
def test_tests_that_call_once_pass_and_those_that_call_twice_do_not(pool: Pool, language: str) -> None:
    code = PROGRAMS[language]["code"]
    changed = end_at_second_call(code, language, [_test(language, 1)])
    assert changed is not None and changed != code
    results = [
        pool.submit(
            Job(
                id="t",
                language=language,
                code=changed,
                tests=(TestCode("t", _test(language, *numbers)),),
                mode="together",
            )
        )
        for numbers in ((1,), (1, 2))
    ]
    once, twice = (future.result() for future in results)
    assert once.outcome == "pass", once
    assert twice.outcome not in ("pass", "machinery"), twice


@pytest.mark.parametrize(
    ("language", "code", "tests"),
    [
        ("python", "def f():\n    return 1\n", "assert f() == 1"),
        ("python", "class F:\n    def g(self, x): ...\n", "F().g(1)"),
        ("go", "func f() int {\n\treturn 1\n}\n", "f()"),
        ("go", "func f(a int) int {\n\treturn 1\n}\n", "g(1)"),
        ("r", "f <- function(x) x + 1\nif (TRUE) {\n}\n", "f(1)"),
        ("javascript", "const f = (x) => x.map((y) => { return y; });\n", "f([1])"),
        ("c#", "static class A { static int f(int x) => x; }\nclass B { }\n", "A.f(1)"),
        ("bash", "f() {\n  echo 1\n}\n", "f 1"),
        ("sql", "SELECT 1", "SELECT 1"),
    ],
)
def test_what_takes_nothing_or_has_no_body_of_its_own_is_left(language: str, code: str, tests: str) -> None:
    assert end_at_second_call(code, language, [tests]) is None


@pytest.mark.parametrize(("language", "code", "guards"), SAMPLES["guards"])
def test_a_guarded_program_parses_as_before(language: str, code: str, guards: int) -> None:
    changed = end_at_second_call(code, language, ["f(1), A(1), constructor(1), __construct(1)"])
    assert len(set(re.findall(r"called\d+", (changed or "").lower()))) == guards
    before, after = (_errors(text, language) for text in (code, changed or code))
    assert after == before


def _errors(code: str, language: str) -> int:
    root = parse_code(code, language)
    assert root is not None
    return sum(node.is_error or node.is_missing for node in walk_nodes(root))


def test_methods_are_functions_too() -> None:
    code = "class Sum {\n  add(number) {\n    return number;\n  }\n}\n"
    assert end_at_second_call(code, "javascript", ["new Sum().add(1)"]) is not None


def test_a_function_that_calls_itself_is_called_once() -> None:
    changed = end_at_second_call("def f(n):\n    return 0 if n < 1 else 1 + f(n - 1)\n", "python", ["f"])
    assert changed is not None
    runs = [subprocess.run([sys.executable, "-c", changed + calls], check=False) for calls in ("f(5)", "f(1), f(2)")]
    assert [run.returncode for run in runs] == [0, 1]


# A change of what is reserved is told from one of what is there.


@pytest.mark.parametrize(
    ("code", "old", "new", "is_capacity"),
    [
        ("Set<Integer> seen = new HashSet<>(values.length * 2);", "2", "3", True),
        ("var text = new System.Text.StringBuilder(16);", "16", "17", True),
        ("let mut all = Vec::with_capacity(20);", "20", "21", True),
        ("flat := make([]string, 0, 16)", "16", "17", True),
        ("flat := make([]string, 3)", "3", "4", False),
        ("flat := make([]string, 0, 16)", " 0", " 1", False),
        ("Set<Integer> seen = new HashSet<>(List.of(1, 2));", "1", "3", False),
        ("int n = new HashSet<>(values).size() + 2;", "2", "3", False),
        ("Thread worker = new Thread(2);", "2", "3", False),
    ],
)
def test_what_is_reserved(code: str, old: str, new: str, is_capacity: bool) -> None:
    at = code.index(old)
    changed = code[:at] + new + code[at + len(old) :]
    assert (
        changes_capacity(
            Proposal(kind="logic.offbyone", operator="token", code=f"x;\n{changed}", reference=f"x;\n{code}")
        )
        is is_capacity
    )


def test_a_truth_value_among_what_is_reserved_is_none() -> None:
    code = "entries = new LinkedHashMap<>(16, 0.75f, true);\n"
    [flipped] = [
        item for item in tree_bugs(f"class C {{ void f() {{\n{code}}} }}\n", "java") if item.operator == "bool_flip"
    ]
    assert not changes_capacity(flipped)


# Canonical values, equality, and the readers of answers: vectors of the specification, hostile input.


def _inside() -> Any:
    spec = importlib.util.spec_from_file_location("probe_values", resource_path("construction", "values.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


INSIDE = _inside()
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.binary(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=4) | st.integers(), inner, max_size=4)
        | st.sets(st.integers() | st.text(max_size=3), max_size=4)
        | st.frozensets(st.integers(), max_size=4)
    ),
    max_leaves=12,
)


@given(value=VALUES)
def test_a_value_goes_through_its_form_and_its_text(value: Any) -> None:
    form = INSIDE.encode(value)
    back = INSIDE.decode(form)
    assert type(back) is type(value) and INSIDE.encode(back) == form
    assert forms_equal(form, form, "strict") and forms_equal(form, form)
    assert forms_equal(parse_value(form_text(form)), form)


@given(text=st.text(max_size=60) | st.text(alphabet="()[]{},:'\"-*01.eE_fx \n`", max_size=60))
def test_no_text_gets_past_the_readers(text: str) -> None:
    for read in (lambda: parse_value(text), lambda: parse_arguments(text, "f", SIGNATURE)):
        try:
            read()
        except AnswerError:
            continue


SIGNATURE = read_python_signature("def f(a, b=1, *, c=2):\n    return a\n", "f")


@pytest.mark.parametrize(
    ("left", "right", "loose", "strict"),
    [
        ("75", "75.0", True, False), ("(1, 2)", "[1, 2]", True, False), ("np.array([1, 2])", "[1, 2.0]", True, False),
        ("True", "1", False, False), ("1.0000001", "1.0", False, False),
        ("1.0000000001", "1.0", True, True), ("1.00001", "1.0", False, False),
        ("nan", "nan", True, True), ("{1: 2, 3: 4}", "{3: 4, 1: 2}", True, True), ("{1, 2}", "{2, 1}", True, True),
        ("{1, 2}", "[1, 2]", False, False), ("'a '", "'a'", False, False), ("frozenset({1})", "{1}", True, False),
        ("{'a': [1, (2,)]}", "{'a': [1, [2]]}", True, False), ("Counter('aab')", "{'a': 2, 'b': 1}", True, True),
        ("[0] * 3", "[0, 0, 0]", True, True), ("None", "0", False, False), ("deque([1])", "[1]", True, False),
        ("2**3", "8", None, None), ("10000000000000000000", "1e19", True, False), ("1+2j", "complex(1, 2)", True, True),
    ],
)  # fmt: skip
def test_equality(left: str, right: str, loose: bool | None, strict: bool | None) -> None:
    if loose is None:
        with pytest.raises(AnswerError):
            parse_value(left)
        return
    a, b = parse_value(left), parse_value(right)
    assert (forms_equal(a, b), forms_equal(a, b, "strict")) == (loose, strict)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("(0, 2, 0, 3)", "[0, 2, 0, 3]", False), ("[(1, 'a')]", "[[1, 'a']]", False),
        ("{'a': (1,)}", "{'a': [1]}", False),
        ("{(1, 2): 3}", "{(1, 2.0): 3}", True), ("(1, 2)", "(1, 2.0)", True), ("deque([1])", "[1]", False),
        ("np.array([1, 2])", "[1, 2.0]", True), ("frozenset({1})", "{1}", True), ("[[1], []]", "[[1.0], []]", True),
    ],
)  # fmt: skip
def test_what_is_written_keeps_lists_and_tuples_apart(left: str, right: str, same: bool) -> None:
    assert forms_equal(parse_value(left), parse_value(right), "written") is same


def test_strings_may_lose_their_end_and_rows_their_order() -> None:
    assert forms_equal("a \n", "a", strip=True) and not forms_equal(" a", "a", strip=True)
    rows, other = [{"$t": [1, "a"]}, {"$t": [1, "a"]}, {"$t": [2, "b"]}], [{"$t": [2, "b"]}, [1, "a"], [1, "a"]]
    assert same_items(rows, other) and not forms_equal(rows, other)
    assert not same_items(rows, [[1, "a"], [2, "b"], [2, "b"]])


@pytest.mark.parametrize(
    "hostile",
    ['__import__("os")', "open('/etc/passwd')", "[x for x in ()]", "().__class__", "f'{1}'", "lambda: 0", "[0] * 10**9",
     "[[0] * 9999] * 9999", "a", "1 if 1 else 2", "os.system", "eval('1')", "{**{}}", "set(*[1])", "-'a'", "...",
     "np.load('x')", "defaultdict(list, {}).x", "(" * 500, "9" * 30_000, "int64(__import__('os'))"],
)  # fmt: skip
def test_a_hostile_answer_is_refused(hostile: str) -> None:
    with pytest.raises(AnswerError):
        parse_value(hostile)


VALUE_POWER = read_python_signature("def power_sum(arr1, arr2):\n    return 0\n", "power_sum")


@pytest.mark.parametrize(
    ("answer", "values"),
    [("[[1,1,10],[1,1,2]]", [[1, 1, 10], [1, 1, 2]]), ("([100,2],[1,1])", [[100, 2], [1, 1]]),
     ("power_sum([101,1],[1,1])", [[101, 1], [1, 1]]), ("arr1=[102], arr2=[1]", [[102], [1]]),
     ('{"arr1":[102],"arr2":[1]}', [[102], [1]]), ("[1], [2]", [[1], [2]])],
)  # fmt: skip
def test_arguments_in_all_their_forms(answer: str, values: list[Any]) -> None:
    (call,) = parse_arguments(answer, "power_sum", VALUE_POWER)
    assert [*call.positional, *dict(call.keywords).values()] == values


@pytest.mark.parametrize(
    "answer", ["102", '__import__("os")', "[1]", "a=1, b=2", "*[[1], [2]]", "[1) + (2]", "", "x, y"]
)
def test_what_is_no_list_of_arguments(answer: str) -> None:
    with pytest.raises(AnswerError):
        parse_arguments(answer, "power_sum", VALUE_POWER)


def test_a_single_list_may_be_the_argument_or_a_list_of_arguments() -> None:
    one = read_python_signature("def f(x):\n    return x\n", "f")
    first, second = parse_arguments("[5]", "f", one)
    assert first.positional == ([5],) and second.positional == (5,)


@given(values=st.lists(st.lists(st.integers()) | st.text() | st.floats(allow_nan=False), min_size=1, max_size=3))
def test_random_inputs_repeat_and_keep_their_kinds(values: list[Any]) -> None:
    call = [INSIDE.encode(value) for value in values]
    made = random_calls([call], 20, seed=3)
    assert made == random_calls([call], 20, seed=3) and len(made) == 20
    for item in made:
        assert [canonical.tag_of(form) for form in item] == [canonical.tag_of(form) for form in call]
        INSIDE.decode(item)


def test_several_threads_read_at_once() -> None:
    deep = "[" * 60 + "1" + "]" * 60
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(parse_value, [deep, "{'a': (1, 2.5)}", f"[{deep}, {deep}]"] * 200))
    assert len(found) == 600 and found[0] == found[3]


def test_numbers_near_the_edges() -> None:
    assert form_text(INSIDE.encode(10**40)) == str(10**40) and form_text(INSIDE.encode(math.inf)) == "float('inf')"
    with pytest.raises(INSIDE.UnsupportedError):
        INSIDE.encode(object())
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(INSIDE.UnsupportedError):
        INSIDE.encode(loop)
