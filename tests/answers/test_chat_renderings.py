"""Answers as chat models write them: the right one passes, a wrong one in its place does not, and no answer is told."""

from __future__ import annotations

import difflib
import html
import json
import re
from dataclasses import dataclass
from itertools import product

import pytest

from annotator.answers.choice import find_code
from annotator.answers.code import code_spec_for
from annotator.answers.review import find_review
from annotator.answers.value import find_arguments, find_value
from annotator.construction import canonical
from annotator.construction.completion.blanks import BLANK, BlankItem, complete_program
from annotator.construction.review_grading import changed_lines
from annotator.construction.task_material import Material
from annotator.construction.understanding.literals import (
    AnswerError,
    is_value,
    parse_arguments,
    parse_value,
    read_python_signature,
)
from annotator.criteria import parse_criterion
from annotator.evaluation.answer_scoring import score_response
from tests.answers.chat_renderings import ALL, filled
from tests.answers.programs import PROGRAMS, Program
from tests.rows import check_rows

PYTHON = PROGRAMS["python"]
BUGGY = PYTHON.right.replace("2 * x", "x")
FAILURES = (ArithmeticError, AssertionError, LookupError, NameError, SyntaxError, TypeError, ValueError)


def _passes(code: str) -> bool:
    scope: dict[str, object] = {"__name__": "solution"}
    try:
        for text in (code, *PYTHON.tests):
            exec(text, scope)
    except FAILURES:
        return False
    return True


def _only_in(code: str, other: str) -> str:
    return next(line.strip() for line in code.split("\n") if line not in other.split("\n"))


def _texts(program: Program, code: str, draft: str) -> dict[str, str]:
    changed, old = _only_in(code, BUGGY if program is PYTHON else draft), _only_in(draft, code)
    lines = [line for line in BUGGY.split("\n") if line not in code.split("\n")]
    new = [line for line in code.split("\n") if line not in BUGGY.split("\n")]
    diff = list(
        difflib.unified_diff(BUGGY.split("\n"), code.split("\n"), "a/solution.py", "b/solution.py", lineterm="")
    )
    return {
        "CODE": code, "DRAFT": draft, "BODY": code.partition("\n")[2], "DRAFTBODY": draft.partition("\n")[2],
        "STUB": program.stub, "NAME": program.entry or "solution", "CALL": program.call, "OUT": program.output,
        "TAG": program.tag, "TAGUP": program.tag.upper(), "EXT": program.suffix, "LANGNAME": program.tag.title(),
        "CALLSTMT": program.shown, "COMMENT": program.comment, "KEY": changed, "DRAFTKEY": old, "CAMEL": "It",
        "FENCED": f"Here you go:\n\n```{program.tag}\n{code}\n```\n", "ORIG": BUGGY, "DIFF": "\n".join(diff),
        "MINUSPLUS": "\n".join(diff[3:]), "OLDLINE": "\n".join(lines), "NEWLINE": "\n".join(new),
        "OLDKEY": lines[0].strip() if lines else "",
    }  # fmt: skip


@pytest.mark.parametrize("family", ["function", "infill", "modification"])
def test_python(family: str) -> None:
    names = [name for group in ("code", "python", family) for name in ALL.get(group, ())]
    check_rows(_check_python, [(family, name) for name in names])


def _check_python(family: str, name: str) -> None:
    template = next(ALL[group][name] for group in ("code", "python", family) if name in ALL.get(group, ()))
    prompt, start, shown = "", "", ()
    if family == "function":
        prompt = start = f'{PYTHON.stub}\n    """Double what is near 0."""\n'
    elif family == "infill":
        shown, start = (f"{PYTHON.stub}\n    ____\n",), f"{PYTHON.stub}\n"
    else:
        shown = (f"{BUGGY}\n",)
    wanted = code_spec_for("python", PYTHON.entry, prompt=prompt, visible_code=shown, tests=PYTHON.tests)
    for code, draft, good in ((PYTHON.right, PYTHON.wrong, True), (PYTHON.wrong, PYTHON.right, False)):
        found = find_code(filled(template, _texts(PYTHON, code, draft)), wanted, prompt=start)
        assert found.text and _passes(found.text) is good, f"{found.how}\n{found.text}"


BLANKED = BlankItem(
    id="blanked",
    level="function",
    material=Material(key="blanked", language="python", code=f"{PYTHON.right}\n", tests=(), entry_point=PYTHON.entry),
    code=f"{PYTHON.stub}\n    {BLANK}\n",
    fillers=(PYTHON.right.partition("\n")[2],),
    lines=(2,),
    difficulty="easy",
)


@pytest.mark.parametrize("group", ["code", "python", "infill"])
def test_completions(group: str) -> None:
    check_rows(_check_completion, [(group, name) for name in ALL[group] if name != "json_completion"])


def _check_completion(group: str, name: str) -> None:
    for code, draft, good in ((PYTHON.right, PYTHON.wrong, True), (PYTHON.wrong, PYTHON.right, False)):
        found = complete_program(BLANKED, filled(ALL[group][name], _texts(PYTHON, code, draft)))
        assert found.text and _passes(found.text) is good, f"{found.how}\n{found.text}"


def test_no_completions() -> None:
    assert [name for name, text in ALL["no_answer"].items() if not complete_program(BLANKED, text).outcome] == []


UNSOLVED = {
    "r": ("smart_quotes_code", "escaped_backticks", "code_split_prose"),
    "sql": ("no_opening_fence", "escaped_backticks"),
    "bash": ("no_opening_fence", "smart_quotes_code", "git_commands_after", "escaped_backticks"),
}
"""What nothing tells apart without a parser, or what the language itself takes for code."""


def _squeezed(text: str) -> str:
    return re.sub(r"\s+|public|<\?php", "", text)


@pytest.mark.parametrize("language", [name for name in PROGRAMS if name != "python"])
def test_other_languages(language: str) -> None:
    program = PROGRAMS[language]
    wanted = code_spec_for(language, program.entry, prompt=program.prompt, tests=program.tests)
    off = []
    for name, template in ALL["code"].items():
        for code, draft in ((program.right, program.wrong), (program.wrong, program.right)):
            found = find_code(filled(template, _texts(program, code, draft)), wanted)
            kept, line, slip = (_squeezed(text) for text in (found.text, _only_in(code, draft), _only_in(draft, code)))
            whole = _squeezed(code.split("\n\n", 1)[-1]) in kept
            if not whole or slip in kept.replace(line, "") or "`" in kept:
                off.append(f"{name}: {found.how or found.outcome}\n{found.text}")
    assert [one for one in off if one.partition(":")[0] not in UNSOLVED.get(language, ())] == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("17", "12"), ("-3", "3"), ("1.5", "2.0"), ("'a3b1'", "'a1'"), ("[[1, 5], [8]]", "[[1]]"), ("True", "False"),
     ("None", "0"), ("(1, 'a')", "(2, 'b')"), ("{'a': [1]}", "{'a': []}"), ("''", "'x'")],
)  # fmt: skip
def test_values(right: str, wrong: str) -> None:
    check_rows(_check_value, [(name, right, wrong) for name in ALL["value"]])


def _check_value(name: str, right: str, wrong: str) -> None:
    for value, other in ((right, wrong), (wrong, right)):
        form = parse_value(value)
        written = json.dumps(canonical.body_of(form) if value.startswith(("(", "{")) else eval(value))
        if value.startswith(("(", "{")):
            written = value.replace("(", "[").replace(")", "]").replace("'", '"')
        texts = {"V": value, "O": other, "CALL": "f([1], 2)", "VJ": written, "VS": json.dumps(value),
                 "VH": html.escape(value)}  # fmt: skip
        text = filled(ALL["value"][name], texts)
        found = find_value(text, is_value, entry_point="f", is_text=isinstance(form, str))
        read = parse_value(found.text) if is_value(found.text) else found.text
        same = canonical.forms_equal(read, form) or found.text == form or str(read).replace("[", "(") == str(form)
        as_list = isinstance(form, dict) and canonical.forms_equal(read, canonical.body_of(form))
        assert same or as_list, f"{found}: {text}"


CODE = "def f(values, low, high):\n    return [values, low, high]\n"
NAMES = ("values", "low", "high")


@pytest.mark.parametrize(
    ("right", "wrong"), [(("[1, 5, 12]", "2", "10"), ("[1]", "2", "10")), (("'ab'", "-1", "None"), ("'b'", "0", "1"))]
)
def test_arguments(right: tuple[str, ...], wrong: tuple[str, ...]) -> None:
    check_rows(_check_arguments, [(name, right, wrong) for name in ALL["arguments"]])


def _check_arguments(name: str, right: tuple[str, ...], wrong: tuple[str, ...]) -> None:
    signature = read_python_signature(CODE, "f")

    def reads(text: str) -> bool:
        try:
            return bool(parse_arguments(text, "f", signature))
        except AnswerError:
            return False

    given, other = ", ".join(right), ", ".join(wrong)
    pairs = list(zip(NAMES, right, strict=True))
    in_json = [json.dumps(eval(value)) for value in right]
    texts = {
        "ARGS": given, "WARGS": other, "CALL": f"f({given})", "WCALL": f"f({other})", "OUT": "'a3b1'",
        "OUTJ": '"a3b1"', "NAME": "f", "NAMES": ", ".join(NAMES), "KW": ", ".join(f"{a}={b}" for a, b in pairs),
        "KWLINES": "\n".join(f"{a} = {b}" for a, b in pairs), "KWYAML": "\n".join(f"{a}: {b}" for a, b in pairs),
        "KWBULLETS": "\n".join(f"- `{a}`: `{b}`" for a, b in pairs),
        "KWBOLD": "\n".join(f"* **{a}** = {b}" for a, b in pairs),
        "KWTABLE": "\n".join(f"| `{a}` | `{b}` |" for a, b in pairs),
        "KWTABLEBARE": "\n".join(f"| {a} | {b} |" for a, b in pairs),
        "JSONNAMES": ", ".join(f'"{a}": {b}' for a, b in zip(NAMES, in_json, strict=True)),
        "JSONARGS": ", ".join(in_json), "PYNAMES": ", ".join(f"'{a}': {b}" for a, b in pairs), "CODE": CODE,
        "HARGS": html.escape(given), "WHERE": ", ".join(f"`{a} = {b}`" for a, b in pairs),
        "ARGSLINES": ",\n    ".join(right),
    }  # fmt: skip
    found = find_arguments(filled(ALL["arguments"][name], texts), reads, "f", NAMES)
    assert found.text, found
    wanted = dict(zip(NAMES, map(parse_value, right), strict=True))
    calls = parse_arguments(found.text, "f", signature)
    assert wanted in [dict(zip(NAMES, call.positional, strict=False)) | dict(call.keywords) for call in calls], found


@dataclass(frozen=True)
class Bug:
    code: str
    number: int
    fixed: str
    slip: str


BUGS = (
    Bug("def f(x, y):\n    if x and y >= x:\n        y = x\n    return y", 2, "if x and y <= x:", "if x and y > x:"),
    Bug('def f(names):\n    return ", ".join(name)', 2, 'return ", ".join(names)', 'return "; ".join(names)'),
)
KEYS = ("performance_issues", "security_issues", "syntax_errors", "logical_errors")
NOTHING = '"performance_issues": "", "security_issues": "", "syntax_errors": "", '


@pytest.mark.parametrize("bug", BUGS, ids=("compares", "joins"))
def test_reviews(bug: Bug) -> None:
    check_rows(_check_review, [(name, bug) for name in ALL["review"]])


def _check_review(name: str, bug: Bug) -> None:
    lines = bug.code.split("\n")
    old = lines[bug.number - 1]
    for line, slip in ((bug.fixed, bug.slip), (bug.slip, bug.fixed)):
        lines[bug.number - 1] = old[: len(old) - len(old.lstrip())] + line
        whole = "\n".join(lines)
        given = "{" + NOTHING + f'"logical_errors": {json.dumps(line)}' + "}"
        texts = {
            "P": NOTHING, "PH": html.escape(NOTHING), "L": line, "LJ": json.dumps(line), "LE": json.dumps(line)[1:-1],
            "LR": repr(line), "LH": html.escape(json.dumps(line) if name == "html_entities" else line),
            "SJ": json.dumps(slip), "ORIG": old.strip(), "OE": json.dumps(old.strip())[1:-1],
            "OJ": json.dumps(old.strip()), "N": str(bug.number), "W": whole, "WJ": json.dumps(whole),
            "WFJ": json.dumps(f"```python\n{whole}\n```"), "RJ": json.dumps(given), "LQ": line,
        }  # fmt: skip
        found = find_review(filled(ALL["review"][name], texts), KEYS, code=bug.code)
        assert set(found.values) == {"logical_errors"}, found
        value = found.values["logical_errors"]
        changed = changed_lines(value, bug.code)
        said = re.sub(r"\s*#.*$", "", changed[2] if changed is not None else value).strip()
        assert said == line or value.strip() == whole, found


KEYWORD = "grading:\n  keywords:\n    - content: --follow\n"
SAID = "Pass --follow together with the path. Git then keeps walking the history."
UNSAID = "Pass --graph together with the path. Git then draws the commits as a tree."


def test_texts() -> None:
    check_rows(_check_text, [(name,) for name in ALL["text"]])


def _check_text(name: str) -> None:
    document = parse_criterion(KEYWORD).document
    assert document is not None
    for said, other, outcome in ((SAID, UNSAID, "pass"), (UNSAID, SAID, "fail")):
        first, _, second = said.partition(". ")
        text = filled(ALL["text"][name], {"T": said, "O": other, "T1": f"{first}.", "T2": second})
        assert score_response(document, text).outcome.value == outcome


def test_no_answers() -> None:
    check_rows(_check_no_answer, [(name,) for name in ALL["no_answer"]])


def _check_no_answer(name: str) -> None:
    text = ALL["no_answer"][name]
    kinds = ("refusal",) if name[0] in "ra" else ("empty",) if name[0] == "e" else ("truncated", "empty")
    found = {
        language: find_code(text, code_spec_for(language, one.entry, prompt=one.prompt, tests=one.tests)).outcome
        for language, one in PROGRAMS.items()
    }
    document = parse_criterion(KEYWORD).document
    assert document is not None
    # Marks alone may be the text that is asked for.
    is_text = name not in ("e_dots", "e_dash", "e_more_2", "t_json_open")
    found["value"] = find_value(text, is_value, entry_point="f", is_text=is_text).outcome
    found["arguments"] = find_arguments(text, is_value, "f", ("x",)).outcome
    found["review"] = find_review(text, KEYS).outcome
    found["text"] = score_response(document, text).outcome.value
    assert {key: outcome for key, outcome in found.items() if outcome not in kinds} == {}


@pytest.mark.parametrize(
    ("text", "finish_reason"),
    [
        *product(
            ("```python\ndef double_all(", "```python\ndef double_all(xs):\n    out = []\n    for x in",
             'Here:\n\n```python\ndef double_all(xs):\n    """Return the', "```python\nimport math\nimport sy",
             "```python\ndef double_all(xs):\n    out = []\n    return sum(\n        x"),
            ("stop", "length"),
        ),
        # Without a fence nothing else tells code that breaks off from code that is wrong.
        ("def double_all(xs):\n    out = []\n    for x in xs:\n        if x", "length"),
        ('{"code": "def double_all(xs):', "length"),
    ],
)  # fmt: skip
def test_what_breaks_off_is_no_answer(text: str, finish_reason: str) -> None:
    prompt = f'{PYTHON.stub}\n    """Double what is near 0."""\n'
    wanted = code_spec_for("python", PYTHON.entry, prompt=prompt, tests=PYTHON.tests)
    assert find_code(text, wanted, prompt=prompt, finish_reason=finish_reason).outcome == "truncated"


def test_filtered_is_told() -> None:
    assert find_value("", is_value, finish_reason="content_filter").outcome == "filtered"
