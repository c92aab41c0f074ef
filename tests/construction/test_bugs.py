"""Bugs: operators, edits, proofs, rules, timings, leaks, selection, survivors."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.construction import canonical
from annotator.construction.bugs.behaviour import describe_behaviour, undocumented_exception, undocumented_text
from annotator.construction.bugs.bug_items import make_bug_item
from annotator.construction.bugs.bug_proofs import (
    BugEvidence,
    ProposalVerdict,
    check_reference,
    difficulty_of,
    find_telltale_words,
    prove_logic,
    prove_naming,
    prove_performance,
    prove_security,
    prove_syntax,
    recheck_verdicts,
    uncovered_lines,
    without_new_comments,
)
from annotator.construction.bugs.naming import naming_bugs
from annotator.construction.bugs.performance import performance_bugs
from annotator.construction.bugs.security import security_bugs
from annotator.construction.bugs.static_rules import new_hits, rule_hits
from annotator.construction.bugs.subtle_bugs import select_bugs
from annotator.construction.bugs.surviving_mutants import measure_strength
from annotator.construction.bugs.timing_curve import Timing, log_slope, make_workloads, measure_timing
from annotator.construction.bugs.variables import undefined_name_bugs, variable_bugs
from annotator.construction.completion.blanks import (
    complete_program,
    find_blanks,
    function_item,
    prove_blanks,
    sentence_items,
    start_blank_grade,
)
from annotator.construction.edits import Edit, Proposal, apply_edits, changed_lines, diff_hunks, merge_changes
from annotator.construction.languages.tree_sitter_bugs import tree_bugs
from annotator.construction.sandbox_probe import code_fingerprints, is_collected
from annotator.construction.task_material import ConstructionError, Material
from annotator.construction.test_splitting import split_tests
from annotator.construction.understanding.captured_calls import CaptureLimits, capture_calls
from annotator.sandbox import Pool
from annotator.services.bugs.model_bugs import bug_request, read_bug_proposal
from tests.construction.conftest import KEY_CHANGES, material
from tests.samples import load_samples

SAMPLES = load_samples(__file__)


def _bug(code: str, reference: str = KEY_CHANGES, kind: str = "logic.condition") -> Proposal:
    return Proposal(kind=kind, operator="by hand", code=code, reference=reference)


def logic_bugs(code: str) -> list[Proposal]:
    return [item for item in tree_bugs(code, "python") if item.family == "logic"]


def syntax_bugs(code: str) -> list[Proposal]:
    return [*(item for item in tree_bugs(code, "python") if item.family == "syntax"), *undefined_name_bugs(code)]


# -- edits -------------------------------------------------------------------------------------------------------


def test_edits_by_bytes() -> None:
    assert apply_edits("ä = 1\n", [Edit(5, 6, "22"), Edit(0, 2, "ö")]) == "ö = 22\n"
    for edits in ([Edit(0, 2, ""), Edit(1, 3, "")], [Edit(0, 99, "")], [Edit(3, 1, "")]):
        with pytest.raises(ValueError, match="overlap"):
            apply_edits("abc", edits)


LINES = st.lists(st.sampled_from(["a", "b", "c", "d", ""]), min_size=1, max_size=8)


@given(old=LINES, new=LINES)
def test_hunks_say_all_that_differs(old: list[str], new: list[str]) -> None:
    found = diff_hunks("\n".join(old), "\n".join(new))
    assert bool(found) == ("\n".join(old).splitlines() != "\n".join(new).splitlines())
    for hunk in found:
        assert hunk.changed == "\n".join("\n".join(new).splitlines()[hunk.lines[0] - 1 : hunk.lines[1]])


def test_changes_of_other_lines_merge_and_those_of_one_do_not() -> None:
    reference = "a\nb\nc\nd\n"
    assert merge_changes(reference, ["A\nb\nc\nd\n", "a\nb\nC\nd\n"]) == "A\nb\nC\nd\n"
    assert merge_changes(reference, ["a\nc\nd\n", "a\nb\nc\nD\n"]) == "a\nc\nD\n"
    assert merge_changes(reference, ["A\nb\nc\nd\n", "X\nb\nc\nd\n"]) is None
    assert merge_changes(reference, ["A\nb\nc\nd\n", "a\nB\nc\nd\n"]) is None
    assert changed_lines(reference, "a\nc\nd\n") == {2}


def test_a_check_function_is_split_into_assertions() -> None:
    text = "M = 1\ndef check(candidate):\n    import math\n    assert True, 'x'\n    assert candidate(1) == M\n" \
           "    for x in range(3):\n        assert candidate(x) == x\n    s = '''\n  a'''\n    assert candidate(s) == s\n"  # fmt: skip
    first, second, third = (test.code for test in split_tests(text, "f"))
    assert first == "M = 1\ncandidate = f\nimport math\nassert candidate(1) == M\n"
    assert "for x" in second and "for x" not in third and "'''\n  a'''" in third
    for test in (first, second, third):
        ast.parse(test)
    assert [test.code for test in split_tests("assert f(1)\nassert f(2)\n")] == ["assert f(1)\n", "assert f(2)\n"]
    assert len(split_tests("def (", "f")) == 1


def test_what_must_be_raised_is_a_test_of_its_own() -> None:
    text = SAMPLES["raised_on_purpose"]
    found = [test.code for test in split_tests(text, "f")]
    assert len(found) == 5 and all(code.startswith("import pytest\ndef bad") for code in found)
    assert found[1].endswith("with pytest.raises(ValueError):\n    f(-1)\n") and "f(-1)" not in found[2]
    assert "as told" in found[3] and found[3].endswith("assert told.value\n") and "f(0)" in found[4]


# -- logic -------------------------------------------------------------------------------------------------------


def test_the_paper_s_modification_sample(runner: Pool, key_changes: Material) -> None:
    baseline = check_reference(key_changes, runner)
    (verdict,) = prove_logic(baseline, [_bug(KEY_CHANGES.replace("s[i] !=", "s[i] =="))], runner)
    assert verdict.proof is not None
    assert (len(verdict.proof.failing), len(verdict.proof.passing)) == (3, 2)
    assert set(verdict.proof.failing.values()) == {"assert"} and difficulty_of(verdict.proof) == "medium"
    assert verdict.proof.as_json()["fail_to_pass"] == dict(verdict.proof.failing)


def test_operators_change_one_place_and_all_their_bugs_compile(runner: Pool, key_changes: Material) -> None:
    found = logic_bugs(KEY_CHANGES)
    operators = {item.operator for item in found}
    assert {"comparison", "number", "range_stop", "augmented_assignment", "removed_guard", "function_swap"} <= operators
    for item in found:
        ast.parse(item.code)
        assert len(item.hunks) == 1
    verdicts = prove_logic(check_reference(key_changes, runner), found, runner)
    assert [verdict.proposal for verdict in verdicts] == found
    proven = [verdict for verdict in verdicts if verdict.proven]
    assert len(proven) >= 8
    for verdict in proven:
        assert verdict.proof is not None and verdict.proof.failing and verdict.proof.passing
    chosen = select_bugs(key_changes, verdicts)
    assert len(chosen) == 3 and all(item.proof and item.proof.share_failing <= 0.5 for item in chosen)


def test_numbers_do_not_tell_that_a_tool_was_here() -> None:
    code = "def f(xs, n):\n    return xs[n - 1], xs[::-1], xs[-1], n * 1, n == 0, xs[0], xs[1:]\n"
    changed = {item.hunks[0].changed.strip() for item in logic_bugs(code) if item.operator == "number"}
    assert not any(odd in line for line in changed for odd in ("- 0", "-0", "* 0", "::0", "- -", "--"))
    assert not any("::-2" in line for line in changed), "a reversal keeps its step"
    assert any("xs[n - 2]" in line for line in changed) and any("xs[-2]" in line for line in changed)
    assert any("n == 1," in line for line in changed) and any("xs[0:]" in line for line in changed)
    assert not any("n == -1" in line for line in changed) and any("xs[-1], xs[1:]" in line for line in changed)
    table = "def f(word: str, more):\n    names = {3: 'three', 4: 'four'}\n    return names[4] + word + more\n"
    found = {item.hunks[0].changed.strip() for item in logic_bugs(table)}
    assert not any(line.startswith("names =") for line in found), "a key beside its neighbours"
    assert any("names[5]" in line for line in found) and not any("-" in line for line in found)


def test_what_nobody_would_write_is_not_proposed() -> None:
    code = "def f(x, y):\n    if isinstance(x, y):\n        return x * y\n    return divmod(x, y)\n"
    changed = [item.hunks[0].changed.strip() for item in logic_bugs(code)]
    assert "return x + y" in changed and "return divmod(y, x)" in changed
    assert not any("isinstance(y, x)" in line or "x // y" in line for line in changed)


def test_defaults_stay_and_a_return_is_forgotten_as_people_forget_it() -> None:
    code = SAMPLES["defaults_and_returns"]
    lines = {(item.operator, item.hunks[0].changed.strip()) for item in logic_bugs(code)}
    assert {line for name, line in lines if name == "connective"} == {"if not ys and not xs:"}
    assert ("forgotten_return", "sorted(xs)") in lines and ("return_none", "return None") in lines
    said = {item.explanation for item in logic_bugs("def f(n):\n    m = 9\n    m -= n\n    return m\n")}
    assert "overwrites the value instead of updating it" in said
    script = "function f(xs, ys) {\n  const zs = xs || [];\n  return zs.length > 1 || ys;\n}\n"
    joined = [item for item in tree_bugs(script, "javascript") if item.operator == "connective"]
    assert [item.explanation for item in joined] == ["joins conditions with && instead of ||"]
    assert "zs.length > 1 && ys" in joined[0].code


def test_a_change_does_not_show_its_own_place() -> None:
    code = SAMPLES["own_places"]
    lines = [item.hunks[0].changed.strip() for item in (*logic_bugs(code), *variable_bugs(code))]
    odd = SAMPLES["odd_places"]
    assert [line for line in lines for word in odd if word in line] == []
    assert "first -= 1" in lines and any("first % last" in line for line in lines)
    assert "new = '_'" in lines and any("last - first > 3" in line for line in lines)


def test_no_empty_lines_show_what_was_removed() -> None:
    code = "def f(xs, n):\n    n += 1\n\n    if n > 3:\n        return xs\n\n    xs.append(n)\n\n    return n, xs\n"
    removed = {item.hunks[0].original.strip(): item.code for item in logic_bugs(code) if "removed" in item.operator}
    assert set(removed) == {"n += 1", "if n > 3:\n        return xs", "xs.append(n)"}
    assert not any("\n\n\n" in text or ":\n\n" in text for text in removed.values())
    assert removed["xs.append(n)"] == code.replace("    xs.append(n)\n\n", "")
    script = "function f(xs, n) {\n  n += 1;\n\n  if (n > 3) {\n    return xs;\n  }\n\n  xs.push(n);\n  return n;\n}\n"
    texts = [item.code for item in tree_bugs(script, "javascript") if "removed" in item.operator]
    assert len(texts) == 3 and not any("\n\n\n" in text or "{\n\n" in text for text in texts)


def test_changes_that_only_a_tool_makes_are_not_made() -> None:
    script = SAMPLES["tool_changes"]
    found = [item for item in tree_bugs(script, "javascript") if item.family == "logic"]
    assert [item.code for item in found if item.operator == "arithmetic"] == [
        script.replace("length + n", "length - n")
    ]
    assert not [item for item in found if "(-1" in item.code or "[-1" in item.code], "places and arguments"
    assert [item for item in found if "at = -1" in item.code]
    steps = "const f = (b, xs) => {\n  const B = b && b.trim();\n  return xs.map(x => x.trim()).sort().concat(B);\n};\n"
    left = [item.code for item in tree_bugs(steps, "javascript") if item.operator == "removed_step"]
    assert left == [steps.replace(".sort()", "")]
    cpp = "int f(int x) {\n  int n;\n  n = 2;\n  n += x;\n  return n;\n}\n"
    gone = [item.code for item in tree_bugs(cpp, "c++") if item.operator == "removed_statement"]
    assert gone == [cpp.replace("  n += x;\n", "")], "a variable without a value may hold anything"
    java = "class S {\n  static String f(String a, String b) {\n    return a + b;\n  }\n}\n"
    assert not [item for item in tree_bugs(java, "java") if item.operator == "arithmetic"], "nobody subtracts texts"


def test_functions_around_a_value_and_signs_of_patterns_are_forgotten_in_scripts_too() -> None:
    code = "function f(s) {\n  const n = Math.abs(s.length - 9);\n  return s.replace(/^é[^a+]+$/, '') + Math.floor(n) * 2;\n}\n"
    found = [item for item in tree_bugs(code, "javascript") if item.operator in ("removed_step", "pattern")]
    assert [item.hunks[0].changed.strip() for item in found] == [
        "const n = s.length - 9;",
        "return s + Math.floor(n) * 2;",
        *(
            f"return s.replace(/{pattern}/, '') + Math.floor(n) * 2;"
            for pattern in ("é[^a+]+$", "^é[^a+]$", "^é[^a+]+")
        ),
        "return s.replace(/^é[^a+]+$/, '') + n * 2;",
    ]


def test_what_is_empty_is_taken_for_what_is_missing() -> None:
    code = "function f(x, y) {\n  if (x === undefined || y.n != null) return x ?? 1;\n  return x > y;\n}\n"
    found = [item for item in tree_bugs(code, "javascript") if item.operator == "falsy"]
    assert {item.hunks[0].changed.strip() for item in found} == {
        "if (!x || y.n != null) return x ?? 1;",
        "if (x === undefined || y.n) return x ?? 1;",
        "if (x === undefined || y.n != null) return x || 1;",
    }
    java = "class S {\n  static int f(String x) {\n    return x == null ? 0 : 1;\n  }\n}\n"
    assert not [item for item in tree_bugs(java, "java") if item.operator == "falsy"]
    python = "def f(x):\n    return 1 if x is None else x.y is not None\n"
    (none, some) = [item.code for item in tree_bugs(python, "python") if item.operator == "falsy"]
    assert "1 if (not x) else" in none and "else x.y\n" in some


def test_a_variable_with_the_name_of_a_function_stays() -> None:
    code = "function f(xs) {\n  let min = xs[0];\n  return Math.min(min, xs[1]);\n}\n"
    (swap,) = [item for item in tree_bugs(code, "javascript") if item.operator == "function_swap"]
    assert swap.code == code.replace("Math.min", "Math.max")


@pytest.mark.parametrize(
    ("language", "code", "change"),
    [
        ("javascript", "function f(xs) {\n  return xs.map(Math.floor);\n}\n", ("floor", "ceil")),
        ("java", "class S { static int f(IntStream x) { return x.reduce(0, Math::max); } }\n", ("::max", "::min")),
    ],
)
def test_a_function_that_is_passed_on_is_swapped(language: str, code: str, change: tuple[str, str]) -> None:
    (swap,) = [item for item in tree_bugs(code, language) if item.operator == "function_swap"]
    assert swap.code == code.replace(*change)


def test_what_is_dropped_is_one_argument() -> None:
    code = "def f(xs):\n    xs.sort(reverse=True)\n    return sorted(xs, key=abs, reverse=True), sorted(xs, reverse=True)\n"
    lines = [item.hunks[0].changed for item in logic_bugs(code) if item.operator == "dropped_argument"]
    assert [line.strip() for line in lines] == [
        "return sorted(xs, key=abs), sorted(xs, reverse=True)", "return sorted(xs, key=abs, reverse=True), sorted(xs)",
    ]  # fmt: skip


def test_calls_and_signs_of_patterns_are_forgotten() -> None:
    code = SAMPLES["forgotten_calls"]
    found = [item for item in logic_bugs(code) if item.operator in ("removed_step", "pattern")]
    assert [item.hunks[0].changed.strip() for item in found] == [
        "print(title)",
        "first = -(len(title) - 9) * sorted(words)[0]",
        "first = -abs(len(title) - 9) * words[0]",
        'made = (title + "ä").join(sorted(word for word in words))',
        *(f'return re.sub(r"{pattern}", str(first), made)' for pattern in (
            r"[^a+]+\+(?:b|\bé)$", r"^[^a+]\+(?:b|\bé)$", r"^[^a+]+\+(?:b|é)$", r"^[^a+]+\+(?:b|\bé)",
        )),
    ]  # fmt: skip
    for item in found:
        compile(item.code, "changed", "exec")


def test_arguments_of_well_known_roles_are_not_swapped() -> None:
    code = SAMPLES["well_known_roles"]
    swapped = [item.code for item in logic_bugs(code) if item.operator == "argument_swap"]
    assert swapped and all("map(keys, rows)" in text and "enumerate(found, start)" in text for text in swapped)


def test_bad_names_are_those_that_people_give() -> None:
    code = SAMPLES["bad_names"]
    found = naming_bugs(code, "f")
    named = {(line.split(" = ")[0].strip(), item.kind) for item in found for line in item.hunks[0].changed.splitlines()}
    assert ("sum, spot, kept", "naming.misleading") in named
    assert not any(text.startswith("for ") and kind == "naming.misleading" for text, kind in named)
    assert {text for text, kind in named if text.startswith("total, ") and kind == "naming.misleading"} == {
        "total, spot, list",
    }
    short = "def f(rows, limit):\n    max_width, rest = 3, limit\n    for input_row in rows:\n        rest += input_row\n    return max_width + rest\n"
    bad = [(line.strip(), item.kind) for item in naming_bugs(short, "f") for line in item.hunks[0].changed.splitlines()]
    assert ("max, rest = 3, limit", "naming.misleading") in bad and ("for input in rows:", "naming.misleading") in bad
    assert not any(re.search(r"\bl\b", line) for line, _ in bad), "nobody shortens to one letter"
    unread = naming_bugs("def f(n):\n    for _ in range(n):\n        last_n = n\n    return last_n\n", "f")
    assert unread and all("for _ in" in item.code for item in unread), "what is not read keeps its name"
    odd = naming_bugs("def f(n):\n    def g(_2, none):\n        return _2 + none\n    return g(n, n)\n", "f")
    assert not [line for item in odd for line in item.hunks[0].changed.splitlines() if "def g" in line], (
        "a name is a name"
    )
    assert not any(re.search(r"\b(?:Value|Spot|Kept|Total)\b", item.code) for item in found), "a variable is no class"
    helpers = [item for item in found if "def half_of" not in item.code]
    assert {item.kind for item in helpers} == {"naming.case"} and all("def halfOf" in item.code for item in helpers)


def test_a_value_is_not_named_as_only_functions_are() -> None:
    code = "def map_filter(rows, base_type):\n    for row in rows:\n        print(row, base_type)\n"
    named = {
        item.explanation.split()[0] for item in naming_bugs(code, "map_filter") if item.kind == "naming.misleading"
    }
    assert named == {"type"}


@pytest.mark.parametrize(("kind", "told"), [("naming.case", "misleading"), ("performance.memo", "longer than")])
def test_a_task_says_what_no_description_says(key_changes: Material, kind: str, told: str) -> None:
    changed = Proposal(
        kind=kind, operator="made", code=KEY_CHANGES.replace("return", "return  ", 1), reference=KEY_CHANGES
    )
    item = make_bug_item(key_changes, ProposalVerdict(changed, BugEvidence(steps=("P5",), passing=("t",))))
    assert "What is wrong: " in item.modification_prompt and told in item.modification_prompt
    assert "What is wrong" not in item.review_prompt(), "reviewers find it themselves"
    plain = make_bug_item(
        key_changes,
        ProposalVerdict(replace(changed, kind="logic.index"), BugEvidence(steps=("P1",), failing={"t": "assert"})),
    )
    assert "What is wrong" not in plain.modification_prompt


def test_bugs_of_methods_and_nested_functions_are_parsed_where_they_stand() -> None:
    code = (
        "class A:\n\tdef f(self, n):\n\t\tdef g(m):\n\t\t\treturn m < n\n\t\treturn g(2)\n\n\nif A:\n"
        "    @staticmethod\n    def h(xs, n):\n        xs.sort()  # in place\n        return range(-n)\n"
    )
    logic, syntax = [{item.code for item in bugs(code)} for bugs in (logic_bugs, syntax_bugs)]
    assert {code.replace("m < n", "m <= n"), code.replace("        xs.sort()  # in place\n", "")} <= logic
    assert code.replace("-n)", "-n + 1)") in logic and code.replace("-n)", "-n") not in logic
    assert {code.replace("g(2)", "g(2"), code.replace("-n)", "-n"), code.replace("g(m):", "g(m)")} <= syntax
    assert logic.isdisjoint(syntax)


def test_nobody_counts_by_twos_or_begins_with_minus_two() -> None:
    python = "def f(xs):\n    at = -1\n    for x in xs:\n        at += 1\n    return at + sum(1 for x in xs)\n"
    script = "function f(xs) {\n  let at = -1;\n  for (let i = 0; i < at; i++) at += 1;\n  return xs.indexOf(at);\n}\n"
    unlikely = ("+= 2", "sum(2", "sum(0", "-2", "i = -1")
    for bugs in (logic_bugs(python), tree_bugs(script, "javascript")):
        assert bugs and not [item for item in bugs if any(text in item.code for text in unlikely)]


def test_rare_operators_come_first(key_changes: Material) -> None:
    def verdict(operator: str, text: str) -> ProposalVerdict:
        bug = Proposal(
            kind="syntax.parse", operator=operator, code=KEY_CHANGES.replace("count = 0", text), reference=KEY_CHANGES
        )
        return ProposalVerdict(bug, BugEvidence(steps=("P0",), message="invalid syntax"))

    found = [verdict("wrong_indentation", "  count = 0"), verdict("dropped_quote", "count = '")]
    for often, rare in (("wrong_indentation", "dropped_quote"), ("dropped_quote", "wrong_indentation")):
        (chosen,) = select_bugs(key_changes, found, most=1, shares={"syntax": 9, often: 9}, plain_share=1)
        assert chosen.proposal.operator == rare


def test_bugs_of_the_function_itself_come_before_those_of_what_it_calls() -> None:
    code = "def helper(x):\n    return x * 3\n\n\ndef f(x):\n    return helper(x) + 5\n"
    made = material(code, [], "f")
    proof = BugEvidence(steps=("P1",), failing={"t1": "assert"}, passing=("t2", "t3"))
    inside = ProposalVerdict(Proposal(kind="logic.operation", operator="b", code=code.replace("+ 5", "- 5"), reference=code), replace(proof, failing={
        "t1": "assert", "t2": "assert"}, passing=("t3",)))  # fmt: skip
    outside = ProposalVerdict(
        Proposal(kind="logic.operation", operator="a", code=code.replace("x * 3", "x + 3"), reference=code), proof
    )
    assert select_bugs(made, [outside, inside], most=1) == (inside,)


def test_families_take_turns(key_changes: Material) -> None:
    def verdict(kind: str, number: int, failing: int) -> ProposalVerdict:
        code = KEY_CHANGES.replace("count = 0", f"count = {number}")
        proof = BugEvidence(
            steps=("P0",),
            failing={f"t{n}": "assert" for n in range(failing)},
            passing=tuple(f"p{n}" for n in range(5 - failing)),
        )
        return ProposalVerdict(
            Proposal(kind=kind, operator=f"operator {number}", code=code, reference=KEY_CHANGES), proof
        )

    proven = [verdict("syntax.parse", number, 0) for number in range(1, 9)]
    proven += [verdict("naming.case", number, 0) for number in range(11, 19)]
    proven += [verdict("logic.offbyone", number, 2) for number in range(21, 29)]
    for most, expected in ((3, (1, 1, 1)), (5, (1, 2, 2)), (9, (3, 3, 3)), (12, (4, 4, 4))):
        chosen = [item.proposal.family for item in select_bugs(key_changes, proven, most=most, plain_share=1)]
        counts = tuple(sorted(chosen.count(name) for name in ("logic", "syntax", "naming")))
        assert counts == expected and len(chosen) == most
    first = [select_bugs(key_changes, proven, most=1, shares=shares, plain_share=1)[0].proposal.family for shares in (
        {"syntax": 1, "naming": 1}, {"syntax": 0, "naming": 3, "logic": 2}, {"syntax": 2, "logic": 2})]  # fmt: skip
    assert first == ["logic", "syntax", "naming"]
    only = select_bugs(key_changes, proven[:8], most=6, plain_share=1)
    assert len(only) == 2, "easily proven bugs do not fill what others leave"
    alike = [replace(item, proposal=replace(item.proposal, operator="number")) for item in proven[16:18]]
    assert len(select_bugs(key_changes, alike)) == 1, "one operator makes one bug of a line"


CORPUS = sorted((Path(__file__).parents[2] / "annotator").rglob("*.py"))


@pytest.mark.parametrize("path", CORPUS[50::108], ids=lambda path: path.name)
def test_operators_on_other_people_s_sizes_of_code(path: Path) -> None:
    _try_operators(path)


@pytest.mark.parametrize("path", CORPUS[::27], ids=lambda path: path.name)
def test_operators_on_more_code(path: Path) -> None:
    _try_operators(path)


def _try_operators(path: Path) -> None:
    code = path.read_text(encoding="utf-8")
    lines = code.split("\n")
    starts = _statement_starts(code)
    for item in (
        *logic_bugs(code),
        *variable_bugs(code),
        *performance_bugs(code),
        *security_bugs(code),
        *naming_bugs(code),
    ):
        _parse_changed(item.code, lines, starts)
        assert item.code != code
    for item in syntax_bugs(code):
        assert item.code != code and item.family == "syntax"


def _statement_starts(code: str) -> list[int]:
    """Return where the statements of a module and of its classes begin, counted from nought, and where it ends."""
    module = ast.parse(code).body
    members = [member for node in module if isinstance(node, ast.ClassDef) for member in node.body]
    starts = {
        min(line.lineno for line in (node, *getattr(node, "decorator_list", ()))) - 1 for node in (*module, *members)
    }
    return sorted({0, len(code.split("\n")), *starts})


def _parse_changed(code: str, before: list[str], starts: list[int]) -> None:
    """Parse the statements that a change touches: those before and after it parse as they did.

    Where these alone do not parse, the whole code decides.
    """
    lines = code.split("\n")
    same = _common(before, lines)
    rest = _common(before[same:][::-1], lines[same:][::-1])
    first = max(start for start in starts if start <= same)
    last = min(start for start in starts if start >= len(before) - rest)
    touched = lines[first : len(lines) - len(before) + last]
    if before[first].startswith("    "):
        touched = ["class Whole:", "    pass", *touched, "    pass"]
    try:
        ast.parse("\n".join(touched))
    except SyntaxError:
        ast.parse(code)


def _common(before: list[str], after: list[str]) -> int:
    """Return how many lines are the same from the start."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))


def test_a_fifth_is_syntax_and_naming_at_most(key_changes: Material) -> None:
    def verdict(kind: str, number: int) -> ProposalVerdict:
        code = KEY_CHANGES.replace("count = 0", f"count = {number}")
        return ProposalVerdict(
            Proposal(kind=kind, operator=f"operator {number}", code=code, reference=KEY_CHANGES),
            BugEvidence(steps=("P0",), failing={"t": "assert"}, passing=("p",)),
        )

    kinds = ("syntax.parse", "naming.case", "logic.offbyone", "performance.io", "security.crypto")
    shares: Counter[str] = Counter()
    for number in range(1, 41, 3):
        proven = [verdict(kind, number + place) for place, kind in enumerate((kinds * 2)[number % 5 :][:3])]
        for item in select_bugs(key_changes, proven, shares=shares):
            shares[item.proposal.family] += 1
            plain = shares["syntax"] + shares["naming"]
            assert plain <= 0.2 * shares.total()
    assert shares["syntax"] and shares["naming"] and shares.total() > 20
    only = [verdict("syntax.parse", 1), verdict("naming.case", 2)]
    assert select_bugs(key_changes, only) == () and len(select_bugs(key_changes, only, plain_share=1)) == 2


def test_what_is_refused(runner: Pool) -> None:
    code = "def f(x):\n    if x < 0:\n        return -1\n    y = x + 1\n    return y if x != 99 else y\n"
    baseline = check_reference(material(code, ["assert f(1) == 2", "assert f(2) == 3"], "f"), runner)
    changes = {
        "equivalent": code.replace("y = x + 1", "y = (x + 1)"),
        "does not compile": code.replace("if x != 99", "iff x"),
        "fails every test": code.replace("x + 1", "x + 2"),
        "survives": code.replace("99", "98"),
        "no test runs line 3": code.replace("return -1", "return -2"),
        "does not load": code.replace("def f", "1 / 0\ndef f"),
        "the changed lines say bug": code.replace("x + 1", "x + 2  # the bug"),
    }
    verdicts = prove_logic(baseline, [_bug(item, code) for item in changes.values()], runner)
    assert [verdict.reason for verdict in verdicts] == list(changes)
    twice = prove_logic(baseline, [_bug(code.replace("x + 1", text), code) for text in ("x + 2", "x  + 2")], runner)
    assert [verdict.reason for verdict in twice] == ["fails every test", "duplicate"]
    assert uncovered_lines(baseline, _bug(code.replace("x < 0", "x <= 0"), code)) == []


def test_a_bug_that_fails_other_tests_each_time_is_none(runner: Pool) -> None:
    code = "def f(x):\n    return sorted({x, 'b', 'c', 'd'})\n"
    made = material(code, ["assert f('a') == ['a', 'b', 'c', 'd']", "assert len(f('b')) == 3"], "f")
    baseline = check_reference(made, runner)
    steady = _bug(code.replace("sorted", "len"), code)
    proven = prove_logic(baseline, [_bug(code.replace("'d'", "'e'"), code)], runner)
    assert [item.proven for item in recheck_verdicts(baseline, proven, runner)] == [True]
    said = ProposalVerdict(
        steady, BugEvidence(steps=("P1",), failing={made.tests[0].name: "assert"}, passing=(made.tests[1].name,))
    )
    assert recheck_verdicts(baseline, [said], runner)[0].reason == "fails different tests each time"


def test_a_reference_that_fails_or_is_flaky_is_refused(runner: Pool, key_changes: Material) -> None:
    with pytest.raises(ConstructionError, match="fails: t1"):
        check_reference(replace(key_changes, code=KEY_CHANGES.replace("!=", "==")), runner)
    flaky = material("def f():\n    return hash('a') % 2\n", ["assert f() == 0", "assert f() == f()"], "f")
    hashed = material("def f():\n    return [*{'a', 'b', 'c', 'd'}]\n", ["assert f() == ['a', 'b', 'c', 'd']"], "f")
    for item in (flaky, hashed):
        with pytest.raises(ConstructionError, match=r"only sometimes|fails"):
            check_reference(item, runner)
    with pytest.raises(ConstructionError, match="does not load"):
        check_reference(replace(key_changes, code="def f(:\n"), runner)
    with pytest.raises(ConstructionError, match="no tests"):
        check_reference(replace(key_changes, tests=()), runner)
    helped = material("def f():\n    return 1 // 0\n", ["assert raises(ZeroDivisionError, f)"], "f")
    with pytest.raises(ConstructionError, match="Neither the tests nor the code define raises: add it to the tests"):
        check_reference(helped, runner)


def test_an_endless_change_costs_little_and_is_refused(runner: Pool) -> None:
    code = "def f(n):\n    while n > 0:\n        n -= 1\n    return n\n"
    baseline = check_reference(material(code, [f"assert f({n}) == 0" for n in range(1, 9)] + ["f(0)"], "f"), runner)
    (verdict,) = prove_logic(baseline, [_bug(code.replace("        n -= 1\n", "        pass\n"), code)], runner)
    assert verdict.reason == "does not end"
    (slow,) = prove_logic(baseline, [_bug(code.replace("n -= 1", "n -= n != 8"), code)], runner)
    assert slow.reason == "only too slow"


def test_fingerprints(runner: Pool) -> None:
    same = ["def f(x):\n    '''a'''\n    return x + 1\n", "def f(x):\n    '''b'''\n\n    # c\n    return (x + 1)\n"]
    other = ["def f(x):\n    return min(x)\n", "def f(x):\n    return max(x)\n", "x = 'a'\n", "x = 'b'\n", "'a'\n", "x = 1\n",
             "x = 1.0\n", "x = True\n", "def f(:\n"]  # fmt: skip
    marks = code_fingerprints([*same, *other], runner)
    assert marks[0] == marks[1] and marks[-1] is None and len(set(marks)) == len(marks) - 1


def test_a_survivor_gets_the_input_that_kills_it(runner: Pool) -> None:
    code = "def f(xs, k):\n    if k > 3:\n        return sum(xs)\n    return len(xs)\n"
    tests = ["assert f([1, 2], 9) == 3", "assert f([1, 7], 1) == 2"]
    made = material(code, tests, "f")
    calls = [item.values for item in capture_calls(made, runner, CaptureLimits(min_lines=1)).instances]
    baseline = check_reference(made, runner, calls)
    bugs = [_bug(code.replace("k > 3", "k > 4"), code), _bug(code.replace("sum(xs)", "sum(xs) + 0"), code)]
    found = measure_strength(baseline, [*bugs, bugs[0], _bug(code.replace("len(xs)", "0"), code)], runner)
    assert (found.killed, len(found.survivors), len(found.gaps), found.score) == (1, 2, 1, 0.5)
    gap, same = found.survivors
    assert gap.killing is not None and gap.killing[1] == 4 and gap.test is not None and same.probably_equivalent
    stronger = replace(made, tests=(*made.tests, gap.test))
    assert prove_logic(check_reference(stronger, runner, calls), [gap.proposal], runner)[0].proven


def test_no_bugs_that_nobody_would_make() -> None:
    code = SAMPLES["nobody_makes"]
    found = [item.code for item in (*logic_bugs(code), *variable_bugs(code))]
    bodies = "\n".join(found)
    for never in (
        "while False",
        "tuple(xs) +",
        "// 1",
        "** 1",
        "None, 'key'",
        "takewhile(xs",
        "return None",
        "y[y]",
        "x[x]",
    ):
        assert never not in bodies, never
    for some in ("// 3", "return False", "n >= 3", "g(ys, xs)", "** 3"):
        assert some in bodies, some


def test_an_exception_that_nothing_tells_of_is_found() -> None:
    code = "def f(n):\n    if n < 0:\n        raise ValueError('n')\n    return n\n"
    without, other = "def f(n):\n    return n\n", code.replace("ValueError", "TypeError")
    made = replace(material(code, [], "f"), description="Returns n, which is not negative.")
    assert undocumented_exception(made, without) == undocumented_exception(made, other) == "ValueError"
    assert undocumented_exception(made, code.replace("n < 0", "n < 1")) == ""
    assert undocumented_exception(replace(made, description="Raises `ValueError` for less than 0."), without) == ""
    foreign = 'int f(int n) {\n  if (n < 0) throw std::out_of_range("n");\n  return n;\n}\n'
    removed = foreign.replace('  if (n < 0) throw std::out_of_range("n");\n', "")
    assert undocumented_exception(replace(made, code=foreign, language="c++"), removed) == "std::out_of_range"


def test_a_text_that_nobody_could_write_again_is_found() -> None:
    code = "def f(xs):\n    xs.append('ada')\n    if not xs:\n        raise ValueError('no items')\n    return ', '.join(xs)\n"
    made = material(code, [], "f")
    without = code.replace("    xs.append('ada')\n", "")
    assert undocumented_text(made, without) == "ada"
    assert undocumented_text(replace(made, description="Adds ada."), without) == ""
    assert undocumented_text(made, without + "# 'ada'\n") == ""
    assert undocumented_text(made, code.replace("', '.join(xs)", "xs")) == ", "
    assert undocumented_text(made, code.replace("', '.join(xs)", "', '.join(xs[1:])")) == ""
    guard = "    if not xs:\n        raise ValueError('no items')\n"
    assert undocumented_text(made, code.replace(guard, "")) == "", "what an exception says is no behaviour"
    counted = "def f(n):\n    if n > 255:\n        return -1\n    return n + 1\n"
    made = material(counted, [], "f")
    assert undocumented_text(made, "def f(n):\n    return n + 1\n") == "255"
    described = replace(made, description="Numbers over 255 give -1.")
    assert undocumented_text(described, "def f(n):\n    return n + 1\n") == ""
    assert undocumented_text(made, counted.replace("255", "256")) == "", "what stands there now shows about what it was"


def test_what_iterators_yield_is_said_of_them(runner: Pool) -> None:
    code = "def f(xs, n):\n    if n < 0:\n        raise ValueError(n)\n    return (x * n for x in xs if x > 1)\n"
    codes = [code.replace("> 1", "> 2"), code.replace("ValueError", "TypeError"), code.replace("return ", "")]
    refused = "try:\n    f([1], -1)\nexcept ValueError:\n    pass"
    made = material(code, ["assert list(f([1, 2, 3], 2)) == [4, 6]", refused], "f")
    assert describe_behaviour(made, codes, runner) == [
        "list(f(xs=[1, 2, 3], n=2)) returns [6]. It should return [4, 6].",
        "f(xs=[1], n=-1) raises TypeError. It should raise ValueError.",
        "f(xs=[1, 2, 3], n=2) returns None. It should return an iterator of [4, 6].",
    ]
    generator = code.replace("return (x * n for x in xs if x > 1)", "for x in xs:\n        yield x * n")
    eager = [generator.replace("x * n", "x + n"), generator.replace("ValueError", "TypeError")]
    cases = ["assert list(f([1, 2], 3)) == [3, 6]", "try:\n    next(f([1], -1))\nexcept ValueError:\n    pass"]
    assert describe_behaviour(material(generator, cases, "f"), eager, runner) == [
        "list(f(xs=[1, 2], n=3)) returns [4, 5]. It should return [3, 6].",
        "list(f(xs=[1], n=-1)) raises TypeError. It should raise ValueError.",
    ]
    assert not capture_calls(material(generator, cases, "f"), runner).instances, "nothing is asked about iterators"


def test_tests_that_are_collected_are_split_into_cases(runner: Pool) -> None:
    text = SAMPLES["unittest_cases"]
    cases = [part.code for part in split_tests(text, "f")]
    names = [name for code in cases for name in ("test_few", "test_none", "test_many", "test_more") if name in code]
    assert names == ["test_few", "test_none", "test_many", "test_more"], "each stands in one test alone"
    assert all("WANTED = 1" in code for code in cases) and "setUp" in cases[1] and "skipIf" not in cases[0]
    code = "def f(n):\n    if n > 6:\n        return 1\n    return 0\n"
    made = material(code, cases, "f")
    bug = _bug(code.replace("return 0", "return 1"), code)
    (verdict,) = prove_logic(check_reference(made, runner), [bug], runner)
    assert verdict.proof is not None and set(verdict.proof.failing) == {"t1", "t2"}
    inherited = text.replace("class Many(unittest.TestCase)", "class Many(Few)")
    assert [part.code for part in split_tests(inherited, "f")] == [inherited]


def test_functions_for_pytest_are_split_as_they_stand() -> None:
    text = FOR_PYTEST + "\n\ndef test_zero(tmp_path):\n    assert f(0) == 0\n"
    first, second = (part.code for part in split_tests(text, "f"))
    assert "parametrize" in first and "test_zero" not in first
    assert "parametrize" not in second and second.endswith("assert f(0) == 0\n")
    assert [part.code for part in split_tests(FOR_PYTEST, "f")] == [FOR_PYTEST], "one case is one test"


def test_a_reference_that_does_not_end_for_many_inputs_hides_no_gap(runner: Pool) -> None:
    code = "def f(n):\n    if n > 9:\n        return 1\n    while n % 2:\n        pass\n    return 0\n"
    made = material(code, ["assert f(4) == 0", "assert f(12) == 1", "assert f(2) == 0"], "f")
    calls = [item.values for item in capture_calls(made, runner, CaptureLimits(min_lines=1)).instances]
    bugs = [_bug(code.replace("n > 9", "n > 10"), code), _bug(code.replace("n % 2", "True"), code)]
    found = measure_strength(check_reference(made, runner, calls), bugs, runner)
    assert found.killed == 1 and [gap.killing for gap in found.gaps] == [(10,)]


COLLECTED = SAMPLES["collected"]
FOR_PYTEST = (
    "import pytest\n\n\n@pytest.mark.parametrize(('n', 'wanted'), [(2, 0), (7, 1)])\n"
    "def test_f(n, wanted):\n    assert f(n) == wanted\n"
)


@pytest.mark.parametrize("test", COLLECTED.values(), ids=COLLECTED)
def test_tests_that_are_collected_are_run_and_not_only_defined(runner: Pool, test: str) -> None:
    _assert_run(test, runner)


@pytest.mark.sandbox
def test_tests_for_pytest_are_run_and_not_only_defined(engine: Pool) -> None:
    _assert_run(FOR_PYTEST, engine)


def _assert_run(test: str, runner: Pool) -> None:
    code = "def f(n):\n    if n > 6:\n        return 1\n    return 0\n"
    made = material(code, [part.code for part in split_tests(test, "f")], "f")
    assert is_collected(made) and not is_collected(replace(made, tests=made.tests[:0]))
    noticed, missed = _bug(code.replace("return 1", "return 2"), code), _bug(code.replace("n > 6", "n > 5"), code)
    baseline = check_reference(made, runner)
    found = measure_strength(baseline, [noticed, missed], runner)
    assert found.killed == 1 and [item.proposal for item in found.survivors] == [missed]
    assert not prove_logic(baseline, [missed], runner)[0].proven
    with pytest.raises(ConstructionError, match="fails"):
        check_reference(replace(made, code=code.replace("return 1", "return 2")), runner)


# -- syntax, rules -----------------------------------------------------------------------------------------------


def test_syntax_is_proven_by_the_parser_and_names_by_a_rule_and_a_test(runner: Pool, key_changes: Material) -> None:
    found = syntax_bugs(KEY_CHANGES)
    verdicts = prove_syntax(check_reference(key_changes, runner), found, runner)
    assert sum(verdict.proven for verdict in verdicts) >= 0.9 * len(verdicts)
    kinds = {verdict.proposal.operator for verdict in verdicts if verdict.proven}
    assert {"dropped_colon", "dropped_bracket", "misspelt_name", "assignment_in_condition", "foreign_operator"} <= kinds
    named = [item for item in verdicts if item.proven and item.proposal.kind == "syntax.name"]
    assert all(item.proof and item.proof.rules[0].rule == "F821" for item in named)
    harmless = [_bug(KEY_CHANGES.replace("== 1", "== 2"), kind=kind) for kind in ("syntax.parse", "syntax.name")]
    reasons = [item.reason for item in prove_syntax(check_reference(key_changes, runner), harmless, runner)]
    assert reasons == ["parses", "no rule knows the name"]


PAIRS = SAMPLES["rules"]


def test_numbers_that_were_written_out_are_no_way_in() -> None:
    digits = "def f(n):\n    text = str(n)\n    return int(text[0]) + sum(int(d) for d in text) + int(str(n)[-1])\n"
    assert not security_bugs(digits)
    given = "def f(text):\n    total = 0\n    for part in text.split():\n        total += int(part)\n    return total\n"
    assert [item.operator for item in security_bugs(given)] == ["parse_to_eval"]


@pytest.mark.parametrize("rule", PAIRS)
def test_the_rule_fires_on_the_change_and_not_on_the_reference(rule: str, tmp_path: Path) -> None:
    code, operator = PAIRS[rule]["code"], PAIRS[rule]["operator"]
    (changed,) = [item.code for item in security_bugs(code) if item.operator == operator]
    before, after = rule_hits([code, changed])
    assert rule in {hit.rule for hit in new_hits(before, after, ("S",))}
    pytest.importorskip("bandit")
    fired = []
    for name, text in (("a.py", code), ("b.py", changed)):
        (tmp_path / name).write_text(text)
        argv = [sys.executable, "-m", "bandit", "-q", "-f", "json", "--ignore-nosec", str(tmp_path / name)]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        fired.append({row["test_id"] for row in json.loads(done.stdout)["results"]})
    assert "B" + rule[1:] in fired[1] - fired[0]


def test_marks_do_not_silence_rules_and_rules_run_nothing(tmp_path: Path) -> None:
    flag = tmp_path / "ran"
    code = f"open({str(flag)!r}, 'w')\nx = eval('1')  # noqa: S307\n# ruff: noqa\n"
    assert "S307" in {hit.rule for hit in rule_hits([code, "def (:"])[0]} and not flag.exists()


def test_security_and_naming_are_proven(runner: Pool) -> None:
    code = "import ast\ndef f(text):\n    '''Read it.'''\n    found_value = ast.literal_eval(text)\n    return found_value\n"
    baseline = check_reference(material(code, ["assert f('1') == 1", "assert f('[2]') == [2]"], "f"), runner)
    assert prove_security(baseline, security_bugs(code), runner)[0].reason == "no exploit is known", (
        "no call, no attack"
    )
    baseline = replace(baseline, calls=(("1",), ("[2]",)))
    (verdict,) = prove_security(baseline, security_bugs(code), runner)
    assert verdict.proof is not None and [hit.rule for hit in verdict.proof.rules] == ["S307"]
    assert verdict.proof.behaviour == "f runs code from its input."
    harmless = Proposal(
        kind="security.crypto",
        operator="by hand",
        code=code.replace("found_value = ", "found_value =  "),
        reference=code,
    )
    assert prove_security(baseline, [harmless], runner)[0].reason == "no rule fires"
    named = prove_naming(baseline, naming_bugs(code, "f"), runner)
    proven = [item.proposal for item in named if item.proven and item.proposal.kind == "naming.case"]
    assert {item.code.count("foundValue") for item in proven} == {2} and all(
        "def f(text)" in item.code for item in proven
    )


@pytest.mark.parametrize(("code", "calls", "operator", "reason"), SAMPLES["exploits"])
def test_bugs_of_security_are_proven_by_an_exploit_that_works(
    runner: Pool, code: str, calls: list[list[Any]], operator: str, reason: str
) -> None:
    given = ", ".join(map(canonical.form_text, calls[0]))
    baseline = check_reference(material(code, [f"f({given})"], "f"), runner, [tuple(call) for call in calls])
    (bug,) = [item for item in security_bugs(code) if item.operator == operator]
    (verdict,) = prove_security(baseline, [bug], runner)
    assert verdict.proven == (not reason) and verdict.reason.startswith(reason)


def test_a_bug_without_a_rule_needs_an_exploit(runner: Pool) -> None:
    code = "def f(root, name):\n    if '..' in name:\n        return None\n    return root + '/' + name\n"
    tests = ["assert f('a', 'b') == 'a/b'", "assert f('a', 'c') == 'a/c'", "f('a', '..')"]
    baseline = check_reference(material(code, tests, "f"), runner)
    bug = Proposal(
        kind="security.filesystem",
        operator="by hand",
        code=code.replace("'..' in name", "'..' == name"),
        reference=code,
    )
    assert prove_security(baseline, [bug], runner)[0].reason == "no rule fires"
    for test, reason in (("assert f('a', '../b') == 'a/../b'", ""), ("assert f('a', 'b') == 'a/b'", "the exploit works"),
                         ("assert f('a', '..') == 'a/..'", "the exploit fails")):  # fmt: skip
        found = prove_security(baseline, [bug], runner, exploits={bug.id: material(code, [test], "f")})[0]
        assert found.proven == (not reason) and found.reason.startswith(reason)


# -- performance -------------------------------------------------------------------------------------------------

NUMBERS = "def workload(size):\n    return (list(range(size)),)\n"
SLOWER = SAMPLES["slower"]


@pytest.mark.slow
@pytest.mark.parametrize("operator", SLOWER)
def test_what_grows_faster_is_accepted(runner: Pool, operator: str) -> None:
    code = SLOWER[operator]["code"]
    (bug,) = [item for item in performance_bugs(code) if item.operator == operator]
    given = ["f(12)", "f(9)"] if operator == "dropped_cache" else ["f([1, 2, 3])", "f([3, 1])"]
    made = material(code, given, "f")
    calls = [item.values for item in capture_calls(made, runner, CaptureLimits(min_lines=1)).instances]
    baseline = check_reference(made, runner, calls)
    (verdict,) = prove_performance(baseline, [replace(bug, workload=SLOWER[operator]["workload"])], runner)
    assert verdict.proof is not None, verdict.reason
    assert verdict.proof.timing is not None and verdict.proof.timing.ratio >= 3


@pytest.mark.slow
@pytest.mark.parametrize(("code", "tests", "operator"), SAMPLES["slow_on_some_inputs"])
def test_workloads_show_what_is_slow_on_some_inputs_only(
    runner: Pool, code: str, tests: list[str], operator: str
) -> None:
    made = material(code, tests, "f")
    calls = [item.values for item in capture_calls(made, runner, CaptureLimits(min_lines=1, iterators=True)).instances]
    baseline = check_reference(made, runner, calls)
    (bug,) = [item for item in performance_bugs(code) if item.operator == operator]
    (verdict,) = prove_performance(baseline, [bug], runner)
    assert verdict.proven, verdict.reason


def test_workloads_are_made_of_what_was_seen() -> None:
    def make(*call: Any) -> list[Any]:
        found: dict[str, Any] = {}
        made = []
        for plan in make_workloads([call]):
            exec(plan, found)
            made.append(found["workload"](20))
        return made

    ((graph, start),) = make({"$d": [[1, [2, 3]], [2, []]]}, 1)[:1]
    assert len(graph) == 20 and 1 in graph and start == 1
    assert all(other in graph for others in graph.values() for other in others)
    randomly, distinct, falling = make([3, 1], 2)
    assert len(randomly[0]) == 20 and randomly[1] == 2
    assert len(set(distinct[0])) == 20 and distinct[1] == 2
    assert falling[0] == sorted(falling[0], reverse=True) and falling[1] == 10
    assert len(set(make(["b", "c"])[1][0])) == 20
    assert [len(given[0]) for given in make({"$d": [["k", "v"]]})] == [21]
    assert make({"$d": [["k", "v"]]}, "k")[0][1] == "k" and len(make({"$d": [["k", "v"]]}, "x")[0][1]) == 20
    assert make(4, None) == [(23, None), (20, None)]
    assert make(None) == make({"$d": [[{"$t": [1]}, 2]]}) == []


@pytest.mark.slow
def test_joining_by_addition_is_no_bug(runner: Pool) -> None:
    joined = "def f(xs):\n    return ''.join(str(x) for x in xs)\n"
    added = "def f(xs):\n    text = ''\n    for x in xs:\n        text += str(x)\n    return text\n"
    timing = measure_timing(joined, added, "f", NUMBERS, runner)
    assert timing is not None and timing.equal and not timing.accepted


def test_the_decision_on_times() -> None:
    sizes = (1, 2, 4, 8)
    assert log_slope(sizes, (1, 4, 16, 64)) == pytest.approx(2)
    linear, square = (1.0, 2.0, 4.0, 8.0), (1.0, 4.0, 16.0, 64.0)
    assert Timing(sizes, linear, square, True).accepted and not Timing(sizes, linear, square, False).accepted
    assert not Timing(sizes, linear, tuple(2.9 * x for x in linear), True).accepted
    assert not Timing(sizes, linear, tuple(5 * x for x in linear), True).accepted
    slow = Timing(sizes, linear, tuple(10 * x for x in linear), True)
    assert slow.accepted
    for outlier in (40.0, 8000.0):
        assert not Timing(sizes, linear, (1.0, 2.0, 4.0, outlier), True).accepted, "one time proves nothing"
        assert not Timing(sizes, linear, (1.0, outlier, 4.0, 25.0), True).accepted
    assert log_slope(sizes, (1, 2, 400, 8)) == pytest.approx(1, abs=0.4)
    instant = Timing(sizes, *(tuple(x * 1e-6 for x in times) for times in (linear, square)), True)
    assert not instant.accepted, "a microsecond is slow for nobody"
    assert difficulty_of(BugEvidence(steps=("P4",), passing=("t",), timing=slow)) == "hard", (
        "nothing points at its line"
    )
    assert difficulty_of(BugEvidence(steps=("P3",), passing=("t",))) == "easy"


def test_what_changed_is_said_as_it_runs(runner: Pool) -> None:
    code = "def f(n):\n    if n < 0:\n        raise ValueError(n)\n    return n * 2\n"
    made = material(code, ["try:\n    f(-1)\nexcept ValueError:\n    pass", "assert f(3) == 6"], "f")
    codes = [code.replace("ValueError", "TypeError"), code.replace("* 2", "* 3"), code, code.replace("n < 0", "n < 9"),
             code.replace("    return", "    while n:\n        pass\n    return")]  # fmt: skip
    assert describe_behaviour(made, codes, runner) == [
        "f(n=-1) raises TypeError. It should raise ValueError.", "f(n=3) returns 9. It should return 6.", "",
        "f(n=3) raises ValueError. It should return 6.", "f(n=3) does not end. It should return 6.",
    ]  # fmt: skip
    assert describe_behaviour(replace(made, language="java"), codes, runner) == [""] * 5
    assert describe_behaviour(replace(made, entry_point="missing"), codes[:1], runner) == [""]


def test_a_comment_on_what_a_change_took_away_tells_of_it() -> None:
    reference = "x >>= 4  # by 4 bits, for a digit\nreturn max(x)  # a maximum\n"
    for old, new, found in (("= 4", "= 3", ("4",)), ("max(", "min(", ()), ("x)", "a)", ())):
        bug = Proposal(kind="logic.number", operator="o", code=reference.replace(old, new, 1), reference=reference)
        assert find_telltale_words(bug, "python") == found


def test_no_change_makes_two_sides_equal() -> None:
    code = "function f(n, m) {\n  n = Math.abs(n);\n  m = Math.abs(n) * n;\n  return n > 2 ? 1 : 2;\n}\n"
    changed = {line.strip() for bug in tree_bugs(code, "javascript") for line in bug.code.split("\n")}
    assert {"n = n;", "return n > 2 ? 2 : 2;", "return n > 2 ? 1 : 1;", "m = n * n;"}.isdisjoint(changed)
    assert {"return n > 2 ? 0 : 2;", "m = Math.abs(n) + n;"} <= changed


# -- leaks, models -----------------------------------------------------------------------------------------------


def test_leaks_and_their_removal() -> None:
    for line, found in (
        ("x = 2  # fixed", ("fixed",)),
        ("x = 'TODO'", ("TODO",)),
        ("x = 2  # two", ()),
        ("fix = 2", ()),
    ):
        assert (
            find_telltale_words(
                Proposal(kind="logic.operation", operator="o", code=f"{line}\n", reference="x = 1\n"), "python"
            )
            == found
        )
    assert (
        find_telltale_words(
            Proposal(
                kind="logic.operation", operator="o", code="raise E('error', 2)\n", reference="raise E('error', 1)\n"
            ),
            "python",
        )
        == ()
    )
    text = without_new_comments(
        "a = 1  # one\nb = 2\n", "a = 3  # one\nb = 4  # bug here\n# start\nc = '#'\n", "python"
    )
    assert text == "a = 3  # one\nb = 4\nc = '#'\n"


def test_a_model_s_bug_is_read_and_bounded(key_changes: Material) -> None:
    assert "logic.index" in bug_request(key_changes, "logic.index")
    code = KEY_CHANGES.replace("s[i] !=", "s[i] ==").replace("count += 1", "count += 1  # bug")
    answer = f"Here:\n```json\n{json.dumps({'code': code, 'label': 'x', 'explanation': 'why'})}\n```"
    found = read_bug_proposal(key_changes, answer, "logic.condition", "a model")
    assert found.code == KEY_CHANGES.replace("s[i] !=", "s[i] ==") and found.origin == "a model"
    for bad in ("no", json.dumps({"code": KEY_CHANGES}), json.dumps({"code": "x\n" * 20})):
        with pytest.raises(ConstructionError):
            read_bug_proposal(key_changes, bad, "logic.condition", "m")


# -- completion --------------------------------------------------------------------------------------------------

ALICE = SAMPLES["alice"]


@pytest.fixture
def alice() -> Material:
    cases = {"[1,2,3,4,10]": False, "[1,2,3,4,5,14]": True, "[5,5,5,25]": True}
    return material(ALICE, [f"assert canAliceWin(None, {xs}) is {won}" for xs, won in cases.items()], "canAliceWin")


def test_the_paper_s_blanks(runner: Pool, alice: Material) -> None:
    proven = prove_blanks(check_reference(alice, runner), find_blanks(alice), runner)
    assert {"double + it", "single + it"} <= {blank.filler for blank in proven}
    items = sentence_items(alice, [blank for blank in proven if "+" in blank.filler])
    (pair,) = [item for item in items if len(item.fillers) == 2]
    assert "double=____" in pair.code and "single=____" in pair.code and pair.fillers == ("double + it", "single + it")
    answers = {ALICE: 1, "double + it\nsingle + it": 1, "1. it + double\n2. it + single": 1, "double + it": 0, "": 0,
               "single + it\ndouble + it": 0, pair.code: 0, f"```python\n{ALICE}```": 1}  # fmt: skip
    assert {text: start_blank_grade(pair, text, runner)().score for text in answers} == answers
    assert {item.difficulty for item in items if len(item.fillers) == 1} == {"easy"}


def test_two_names_are_no_task(alice: Material) -> None:
    places = find_blanks(alice)
    assert any(len(item.fillers) > 1 for item in sentence_items(alice, places))
    assert sentence_items(alice, [replace(place, filler="name") for place in places]) == ()


def test_a_body_may_be_answered_alone(runner: Pool, alice: Material) -> None:
    item = function_item(alice)
    assert item.code == "def canAliceWin(self, nums):\n    ____\n"
    body = ALICE.partition("\n")[2]
    for answer in (ALICE, body, body.replace("\n    ", "\n").strip(), item.fillers[0]):
        assert start_blank_grade(item, answer, runner)().score == 1, complete_program(item, answer)
    assert start_blank_grade(item, "return True", runner)().score == 0


def test_a_blank_does_not_touch_a_word() -> None:
    made = material("def f(x, y):\n    if(x > 1) and y:\n        return(x + 1)\n    return -x\n", ["f(1, 2)"], "f")
    assert [blank.filler for blank in find_blanks(made)] == ["x + 1"]


def test_a_blank_is_no_message_of_an_exception_and_its_statement_can_be_removed() -> None:
    code = "def f(x):\n    if x < 0:\n        raise ValueError('below ' + str(0))\n    total = x + 1\n    return total * 2\n"
    found = {blank.filler: blank for blank in find_blanks(material(code, ["f(1)"], "f"))}
    assert "x + 1" in found and "'below ' + str(0)" not in found
    assert code.replace("total = x + 1", "pass") in [apply_edits(code, [dummy]) for dummy in found["x + 1"].dummies]


def test_blanks_leave_something_of_the_body(runner: Pool) -> None:
    code = SAMPLES["blanks_in_a_body"]
    made = material(code, ["assert f([3.5, 1.2], 2) == 4", "assert f([5.0, 2.0], 1) == 2"], "f")
    proven = prove_blanks(check_reference(made, runner), find_blanks(made), runner)
    fillers = [item.fillers for item in sentence_items(made, proven)]
    assert ("sum(found[:n])",) in fillers and ("sorted(math.floor(x) for x in xs)",) in fillers
    assert ("sorted(math.floor(x) for x in xs)", "sum(found[:n])") not in fillers
    one = material("def f(xs):\n    return sorted(xs)[0] + 7\n", ["assert f([2]) == 9"], "f")
    (whole,) = [blank for blank in find_blanks(one) if blank.filler == "sorted(xs)[0] + 7"]
    assert sentence_items(one, [whole]) == ()
    loop = material(
        "def f(numbers):\n    n = 2\n    m = 3\n    n += m\n    for x in numbers:\n        n += x * 2\n    return n\n",
        [],
        "f",
    )
    places = {blank.filler: blank for blank in find_blanks(loop)}
    assert [item.fillers for item in sentence_items(loop, [places["numbers"], places["x * 2"]])] == [
        ("x * 2",), ("numbers", "x * 2"),
    ]  # fmt: skip


def test_what_is_asked_for_alone_is_not_asked_for_together_again(alice: Material) -> None:
    for most in (1, 2, 3):
        found = [set(item.fillers) for item in sentence_items(alice, find_blanks(alice), most=most)]
        for place, fillers in enumerate(found):
            before = set().union(*found[:place])
            assert len(fillers - before) * 2 >= len(fillers), (fillers, before)


def test_a_program_in_python_has_all_its_blanks() -> None:
    lines = "".join(f"    x{n} = x{n - 1} + {n}00\n" for n in range(1, 12))
    program = material(f"def f(x0):\n{lines}    return max((x11 for _ in [x0]), default=x11)\n", [], "f")
    assert [blank.line for blank in find_blanks(program)] == list(range(2, 14))


@pytest.mark.parametrize("value", ["(x * 20)", "((x * 20))"])
def test_a_value_in_brackets_may_be_the_whole_body(value: str) -> None:
    for code, language in (
        (f"def f(x):\n    return {value}\n", "python"),
        (f"function f(x) {{\n  return {value};\n}}\n", "javascript"),
    ):
        program = material(code, [], "f", language)
        (place,) = find_blanks(program)
        assert place.filler == "x * 20" and sentence_items(program, [place]) == ()


def test_blanks_that_do_not_matter_fall_out(runner: Pool) -> None:
    code = "def f(x):\n    unused = x * 2\n    y = x + 100\n    return y - 100\n"
    made = material(code, ["assert f(3) == 3", "assert f(4) == 4"], "f")
    proven = prove_blanks(check_reference(made, runner), find_blanks(made), runner)
    assert {blank.filler for blank in proven} == {"x + 100", "y - 100"}


def test_no_blank_stands_for_what_an_exception_says() -> None:
    code = "def f(x):\n    if x < 0:\n        raise ValueError('nothing below nought')\n    return x + 1\n"
    script = (
        "function f(x) {\n  if (x < 0) {\n    throw new RangeError('nothing below nought');\n  }\n  return x + 1;\n}\n"
    )
    for program in (material(code, [], "f"), material(script, [], "f", "javascript")):
        assert [blank.filler for blank in find_blanks(program)] == ["x < 0", "x + 1"]
