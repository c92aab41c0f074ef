"""Bug items: exports, grades of corrected programs and of reviews; other languages and SQL."""

from __future__ import annotations

import json
import re
import textwrap
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.answers.review import find_review
from annotator.construction.bugs.bug_items import (
    BugItem,
    combine_items,
    find_combined_problem,
    make_bug_item,
    make_combined_items,
)
from annotator.construction.bugs.bug_proofs import (
    BugEvidence,
    ProposalVerdict,
    check_reference,
    prove_logic,
    prove_security,
    prove_syntax,
)
from annotator.construction.bugs.security import security_bugs
from annotator.construction.bugs.taxonomy import FIVE_REVIEW_KEYS, FOUR_REVIEW_KEYS, family_of, review_key
from annotator.construction.edits import Proposal
from annotator.construction.interface_changes import InterfaceChange, update_item
from annotator.construction.languages.sql import normalise_query, query_bugs
from annotator.construction.languages.tree_sitter_bugs import parses_cleanly, tree_bugs
from annotator.construction.program_grades import find_rejection_reason, special_case_flags, start_program_grade
from annotator.construction.review_grading import (
    label_scores,
    reference_answer,
    replace_issue,
    start_modification,
    start_review,
    token_similarity,
    unchanged_answer,
)
from annotator.construction.task_material import ConstructionError, Material
from annotator.sandbox import Pool, TestCode
from tests.construction.conftest import KEY_CHANGES, material
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

CODE = SAMPLES["code"]
TESTS = ["assert f('[1, 2, 3]', 2) == [2, 3]", "assert f('[]', 2) == []", "assert f('[5, 7]', 6) == [7]"]


@pytest.fixture
def both(runner: Pool) -> tuple[BugItem, BugItem]:
    made = material(CODE, TESTS, "f")
    baseline = check_reference(made, runner)
    logic = prove_logic(
        baseline, [Proposal(kind="logic.offbyone", operator="c", code=CODE.replace(">=", ">"), reference=CODE)], runner
    )
    attacked = replace(baseline, calls=(("[5, 7]", 6),))
    security = prove_security(attacked, security_bugs(CODE), runner)
    return make_bug_item(made, logic[0]), make_bug_item(made, security[0])


def test_programs_are_graded_by_the_tests(runner: Pool, both: tuple[BugItem, BugItem]) -> None:
    logic, _ = both
    made = logic.material
    assert (
        start_program_grade(made, logic.reference, runner)().score == 1
        and start_program_grade(made, logic.code, runner)().score == 0
    )
    assert start_program_grade(made, "", runner)().status == "no_answer"
    assert (
        start_program_grade(made, "def f(text):\n    return []\n", runner)().detail
        == "the answer changes the function's arguments"
    )
    assert find_rejection_reason(made, CODE.replace("import ast", "import ast, test_f")) == "the answer imports test_f"
    assert find_rejection_reason(made, "x = 1\n") == "the answer does not define f"
    cheat = CODE.replace("    values", "    if text == '[1, 2, 3]':\n        return [2, 3]\n    values")
    assert special_case_flags(made, cheat) == ("the answer holds the test's input '[1, 2, 3]'",)
    assert start_program_grade(made, cheat, runner)().flags and not start_program_grade(made, CODE, runner)().flags


def test_exports_hold_what_the_forms_want(both: tuple[BugItem, BugItem]) -> None:
    logic, security = both
    row = json.loads(json.dumps(logic.as_modification()))
    assert (
        row["bugs"][0]["lines"] == [6, 6] and row["reference"] == CODE and row["prompt"].endswith("one block of code.")
    )
    review = logic.as_review()
    assert review["keys"] == list(FOUR_REVIEW_KEYS) and all(f'"{key}"' in review["prompt"] for key in FOUR_REVIEW_KEYS)
    assert review["issues"][0]["original"].strip() == "if value > least:"
    assert (
        "corrected_code" in security.as_review(FIVE_REVIEW_KEYS, full=True)
        and "naming_violations" in security.as_review(FIVE_REVIEW_KEYS)["prompt"]
    )
    naming = replace(logic, issues=(replace(logic.issues[0], kind="naming.case"),))
    with pytest.raises(ConstructionError, match="five keys"):
        naming.as_review()
    with pytest.raises(ConstructionError, match="not proven"):
        make_bug_item(
            logic.material,
            ProposalVerdict(Proposal(kind="logic.index", operator="o", code="a", reference="b"), reason="survives"),
        )


def test_the_controls_hold(runner: Pool, both: tuple[BugItem, BugItem]) -> None:
    for item in both:
        right, same = (
            start_review(item, reference_answer(item), runner)(),
            start_review(item, unchanged_answer(item), runner)(),
        )
        assert (right.binary, right.graded, right.status) == (1.0, 1.0, "pass") and all(right.localised.values())
        assert (same.binary, same.graded) == (0.0, 0.5) and same.exact
        nothing = start_review(item, "{}", runner)()
        assert (nothing.binary, nothing.graded, nothing.f1) == (0.0, 0.0, 0.0)
        assert start_review(item, "I see nothing.", runner)().status == "no_answer"
        assert start_modification(item, f"```python\n{item.reference}```", runner)().score == 1
        assert start_modification(item, item.code, runner)().score == 0


def test_a_review_may_be_partly_right(runner: Pool, both: tuple[BugItem, BugItem]) -> None:
    logic, _ = both
    more = json.dumps({"logic": "if value >= least:", "security": "ast.parse(text)", "style": "x", "syntax": "None."})
    found = start_review(logic, more, runner)()
    assert (found.binary, found.unknown, found.precision, found.recall) == (0.0, ("style",), 0.5, 1.0)
    assert found.graded == pytest.approx(0.5 * 2 / 3 + 0.5 - 0.25) and found.jaccard == 0.5
    accepted = replace(logic, accepted_labels=("security_issues",))
    assert start_review(accepted, more, runner)().binary == 1
    wrong = start_review(logic, '{"logical_errors": "if value < least:"}', runner)()
    assert (
        wrong.binary == 0 and wrong.fixed == {"logical_errors": False} and wrong.localised == {"logical_errors": True}
    )
    whole = json.dumps({"logical_errors": "see below", "corrected_code": CODE})
    assert start_review(logic, whole, runner)().binary == 1


def test_two_bugs_in_one_program(runner: Pool, both: tuple[BugItem, BugItem]) -> None:
    (made,) = make_combined_items(both)
    assert made.labels == {"logical_errors", "security_issues"} and made.difficulty == "hard"
    assert [issue.lines for issue in made.issues] == [(3, 3), (6, 6)]
    assert find_combined_problem(check_reference(made.material, runner), made, runner) == ""
    assert start_review(made, reference_answer(made), runner)().binary == 1
    assert start_review(made, unchanged_answer(made), runner)().fixed == {
        "logical_errors": False,
        "security_issues": False,
    }
    half = json.dumps({"logical_errors": "        if value >= least:"})
    found = start_review(made, half, runner)()
    assert found.fixed == {"logical_errors": True, "security_issues": False} and found.binary == 0
    with pytest.raises(ConstructionError, match="Two to four"):
        combine_items(both[:1])
    assert combine_items((both[0], both[0])) is None


def test_a_bug_that_only_removed_lines_can_be_fixed(runner: Pool, key_changes: Material) -> None:
    code = KEY_CHANGES.replace("            count += 1\n", "            pass\n").replace("    s = s.upper()\n", "")
    bug = Proposal(
        kind="logic.missing", operator="o", code=KEY_CHANGES.replace("    s = s.upper()\n", ""), reference=KEY_CHANGES
    )
    item = make_bug_item(key_changes, prove_logic(check_reference(key_changes, runner), [bug], runner)[0])
    assert item.issues[0].original == "" and item.issues[0].lines == (4, 4) and code != bug.code
    assert start_review(item, reference_answer(item), runner)().binary == 1
    assert start_review(item, unchanged_answer(item), runner)().binary == 0


def test_values_are_indented_as_the_lines_they_replace(both: tuple[BugItem, BugItem]) -> None:
    issue = replace(both[0].issues[0], original="    if a:\n        b\n", fixed="    if c:\n        d", lines=(2, 3))
    for value in (
        "if c:\n    d",
        "    if c:\n        d",
        "if c:\n        d",
        "  if c:\n      d",
        "\n      if c:\n          d\n",
    ):
        assert (
            replace_issue("def f():\n    if a:\n        b\nx\n", issue, value) == "def f():\n    if c:\n        d\nx\n"
        )
    deeper = replace(issue, original="        l = 1\n    l += 1", fixed="        k = 1\n    k += 1")
    assert replace_issue("1\n2\n3\n", deeper, deeper.fixed) == f"1\n{deeper.fixed}\n"
    wrong = replace(issue, original="      x", fixed="    x", lines=(2, 2))
    assert [replace_issue("a\n      x\n", wrong, value) for value in ("      x", "x", "    x")] == [
        "a\n      x\n",
        "a\n    x\n",
        "a\n    x\n",
    ]


def test_lines_of_a_bug_in_several_places_are_put_where_they_belong(both: tuple[BugItem, BugItem]) -> None:
    right = (
        "def f(xs):\n    seen = set()\n    for x in xs:\n        if x in seen:\n            seen.add(x)\n    return 0\n"
    )
    code = right.replace("set()", "[]").replace("seen.add", "seen.append")
    span = {"original": "\n".join(code.splitlines()[1:5]), "fixed": "\n".join(right.splitlines()[1:5]), "lines": (2, 5)}
    issue = replace(both[0].issues[0], **span)
    for value in ("seen = set()\nseen.add(x)", "    seen = set()\n            seen.add(x)", issue.fixed):
        assert replace_issue(code, issue, value) == right
    assert replace_issue(code, issue, "seen.add(x)") == code.replace("append", "add")
    other = "seen = {}\nfor x in xs:\n    seen[x] = 1"
    assert replace_issue(code, issue, other) == f"def f(xs):\n{textwrap.indent(other, '    ')}\n    return 0\n"
    whole = replace(issue, original="    a = 1\n    b = a + 1", fixed="    b = a * 2\n    c = b + 1", lines=(1, 2))
    assert replace_issue("    a = 1\n    b = a + 1\n", whole, "b = a + 2") == "    b = a + 2\n", "all lines had changed"


@pytest.mark.parametrize(("text", "values"), SAMPLES["nearly_in_json"])
def test_answers_nearly_in_json(text: str, values: dict[str, str]) -> None:
    assert dict(find_review(text, FOUR_REVIEW_KEYS).values) == values


@given(text=st.text(alphabet="{}[]\"':, \\/abc0\n", max_size=80))
def test_no_answer_breaks_the_reader(text: str) -> None:
    assert set(find_review(text, FIVE_REVIEW_KEYS).values) <= set(FIVE_REVIEW_KEYS)


def test_labels_over_many_answers() -> None:
    a, b = frozenset({"a"}), frozenset({"b"})
    found = label_scores([(a, a), (b, a), (a | b, b), (frozenset(), frozenset())], ("a", "b"))
    assert found.by_label == {"a": (1, 1, 1, 1), "b": (1, 1, 0, 2)}
    assert (
        found.micro_f1 == pytest.approx(4 / 7)
        and found.macro_f1 == pytest.approx((1 / 2 + 2 / 3) / 2)
        and found.exact == 0.5
    )
    assert token_similarity("if a > b:", "if a >= b:") >= 0.8 > token_similarity("if a > b:", "return x")
    assert label_scores([], ("a",)).micro_f1 == 1.0 and family_of("logic.index") == "logic"
    assert review_key("naming.case") == "naming_violations"
    with pytest.raises(ValueError, match="no kind"):
        family_of("logic.case")


# -- other languages ---------------------------------------------------------------------------------------------

PROGRAMS = SAMPLES["programs"]


@pytest.mark.parametrize("language", PROGRAMS)
def test_operators_of_other_languages(language: str) -> None:
    code, _ = PROGRAMS[language]
    found = tree_bugs(code, language)
    assert {item.family for item in found} == {"logic", "syntax"}
    for item in found:
        assert parses_cleanly(item.code, language) == (item.family == "logic") and len(item.hunks) == 1
    with pytest.raises(ConstructionError):
        tree_bugs(code + "}}", language)
    with pytest.raises(ConstructionError):
        tree_bugs(code, "cobol")


def test_no_text_is_taken_from_another_and_nothing_is_divided_by_one() -> None:
    code = SAMPLES["repeated_text"]
    bodies = "\n".join(item.code for item in tree_bugs(code, "javascript") if item.family == "logic")
    assert "count -= n" in bodies and "n - 1" in bodies and "n % 3" in bodies and "n / 3" in bodies
    assert not re.search(r"found -=|string -=|found - |[%/] 1\b", bodies)
    typed = "function f(a: string, b: string, n: number) {\n  return n + 1 > 2 ? a + b : b;\n}\n"
    bodies = "\n".join(item.code for item in tree_bugs(typed, "typescript") if item.family == "logic")
    assert "n - 1" in bodies and "a - b" not in bodies


def test_steps_of_a_chain_are_left_out() -> None:
    code = "const slug = (t) => {\n  return t.toLowerCase().replace(/a+/gi, '-').at(0);\n};\n"
    bodies = {item.code.splitlines()[1].strip() for item in tree_bugs(code, "javascript") if item.family == "logic"}
    assert "return t.replace(/a+/gi, '-').at(0);" in bodies
    assert "return t.toLowerCase().at(0);" in bodies
    assert "return t.toLowerCase().replace(/a+/i, '-').at(0);" in bodies
    assert all(".at(" in body for body in bodies)
    java = "class S {\n  static String f(String t) {\n    return t.trim().substring(1);\n  }\n}\n"
    made = {item.code.splitlines()[2].strip() for item in tree_bugs(java, "java") if item.family == "logic"}
    assert {"return t.substring(1);", "return t.trim();"} <= made


@pytest.mark.sandbox
def test_bugs_of_javascript_are_proven(engine: Pool) -> None:
    code, tests = PROGRAMS["javascript"]
    baseline = check_reference(material(code, tests, "f", "javascript"), engine)
    # Each is run in a process of its own, so some are enough.
    found = tree_bugs(code, "javascript")[::2]
    logic = prove_logic(baseline, [item for item in found if item.family == "logic"], engine)
    syntax = prove_syntax(baseline, [item for item in found if item.family == "syntax"], engine)
    assert sum(item.proven for item in logic) >= 5 and all(item.proven for item in syntax)
    item = make_bug_item(baseline.material, next(verdict for verdict in logic if verdict.proven))
    assert start_program_grade(item.material, item.reference, engine)().score == 1
    assert start_program_grade(item.material, item.code, engine)().score == 0
    assert start_review(item, reference_answer(item), engine)().binary == 1


QUERY = "select name, max(age) from people where age >= 18 and not gone group by name order by name limit 5"


def test_operators_of_sql() -> None:
    found = query_bugs(QUERY)
    assert {"operator", "order", "where", "number", "dropped_not"} <= {item.operator for item in found}
    assert len({item.code for item in found}) == len(found) and all(
        item.reference == normalise_query(QUERY) for item in found
    )
    for bad in ("select from where (", "", "-- nothing"):
        with pytest.raises(ConstructionError):
            query_bugs(bad)


@pytest.mark.sandbox
def test_bugs_of_sql_are_proven(engine: Pool) -> None:
    setup = "create table people (name text, age int, gone int);\ninsert into people values {};\n-- solution\n"
    rows = ("('a', 18, 0), ('b', 30, 0), ('b', 40, 0)", "('b', 30, 0), ('a', 50, 0)", "('x', 90, 1)")
    checks = ("count(*) = 2 and max(m) = 40", "count(*) = 2 and max(m) = 50", "count(*) = 0")
    code = "create view v as select name as n, max(age) as m from people where age >= 18 and not gone group by name"
    tests = tuple(
        TestCode(f"t{n}", f"{setup.format(row)}select {check} from v;")
        for n, (row, check) in enumerate(zip(rows, checks, strict=True))
    )
    made = Material(key="q", language="sql", code=normalise_query(code), tests=tests)
    verdicts = prove_logic(check_reference(made, engine), query_bugs(code), engine)
    assert sum(item.proven for item in verdicts) >= 3, [item.reason for item in verdicts]


def test_an_item_on_a_changed_interface(runner: Pool) -> None:
    new = "import collections.abc\ndef f(x):\n    return isinstance(x, collections.abc.Sized)\n"
    old = new.replace("collections.abc.Sized", "collections.Sized").replace("collections.abc", "collections")
    made = replace(
        material(new, ["import collections\nassert f('a')", "assert not f(1)"], "f"), description="Has a length?"
    )
    change = InterfaceChange(
        code=old, old="collections.Sized", new="collections.abc.Sized", library="collections", version="3.10"
    )
    item = update_item(made, change, runner)
    assert item.as_json()["bugs"][0]["type"] == "update" and "collections.Sized" in item.prompt
    assert (
        start_program_grade(made, item.code, runner)().score == 0
        and start_program_grade(made, new, runner)().score == 1
    )
    with pytest.raises(ConstructionError, match="passes all tests"):
        update_item(made, replace(change, code=new + "# collections.Sized\n"), runner)
    with pytest.raises(ConstructionError, match="No test imports"):
        update_item(replace(made, tests=made.tests[1:]), change, runner)


def test_a_proof_says_its_share() -> None:
    assert (
        BugEvidence(steps=("P1",), failing={"a": "assert"}, passing=("b", "c", "d")).share_failing == 0.25
        and BugEvidence(steps=()).share_failing == 0.0
    )
