"""Rates on the development data, where it lies beside the project: right answers, wrong ones, and no answers."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from annotator.answers.choice import find_code
from annotator.answers.code import code_spec_for
from annotator.answers.outcome import ExtractedAnswer
from annotator.answers.review import find_review
from annotator.answers.value import find_arguments, find_value
from annotator.construction import canonical
from annotator.construction.understanding.literals import (
    AnswerError,
    is_value,
    parse_arguments,
    parse_value,
    read_python_signature,
)
from annotator.criteria import parse_criterion
from annotator.evaluation.answer_scoring import score_response

DATA = Path(__file__).parents[3] / "shared" / "data" / "answers-dev" / "dev.jsonl"
OPEN = ("code_function", "code_infill")
FAILURES = (ArithmeticError, AssertionError, LookupError, NameError, SyntaxError, TypeError, ValueError)

pytestmark = pytest.mark.skipif(not DATA.is_file(), reason="the development data is not beside the project")


def _run(code: str, tests: list[str]) -> bool:
    scope: dict[str, Any] = {}
    try:
        for text in (code, *tests):
            exec(text, scope)
    except FAILURES:
        return False
    return True


def _code(row: dict[str, Any]) -> tuple[str, bool]:
    shown = [row["code"]] if "code" in row else []
    wanted = code_spec_for(
        row["language"], row["entry_point"], prompt=row["prompt"], visible_code=shown, tests=row["tests"]
    )
    prompt = row.get("code", "").replace("    ____\n", "") or row["prompt"] if row["family"] in OPEN else ""
    found = find_code(row["response"], wanted, prompt=prompt)
    if row["language"] != "python":
        # Run in the sandbox elsewhere; here a program is to be found, and the one that the response gives.
        return found.outcome, bool(found.text) and row["label"] == "right"
    return found.outcome, not found.outcome and _run(found.text, row["tests"])


def _forward(row: dict[str, Any]) -> tuple[str, bool]:
    wanted = parse_value(row["expected"])
    found = find_value(row["response"], is_value, entry_point=row["entry_point"], is_text=isinstance(wanted, str))
    same = found.text == wanted or (is_value(found.text) and canonical.forms_equal(parse_value(found.text), wanted))
    return found.outcome, not found.outcome and same


def _reverse(row: dict[str, Any]) -> tuple[str, bool]:
    signature = read_python_signature(row["code"], row["entry_point"])

    def reads(text: str) -> bool:
        try:
            return bool(parse_arguments(text, row["entry_point"], signature))
        except AnswerError:
            return False

    found: ExtractedAnswer = find_arguments(row["response"], reads, row["entry_point"], row["names"])
    if found.outcome:
        return found.outcome, False
    calls = parse_arguments(found.text, row["entry_point"], signature)
    written = [
        ", ".join(
            [
                *map(canonical.form_text, call.positional),
                *(f"{name}={canonical.form_text(form)}" for name, form in call.keywords),
            ]
        )
        for call in calls
    ]
    return "", any(_run(row["code"], [f"assert {row['entry_point']}({text}) == {row['output']}"]) for text in written)


def _review(row: dict[str, Any]) -> tuple[str, bool]:
    found = find_review(row["response"], row["keys"], code=row["code"])
    lines = row["code"].split("\n")
    old = lines[row["line"] - 1]
    lines[row["line"] - 1] = old[: len(old) - len(old.lstrip())] + found.values.get(row["key"], "").strip()
    return found.outcome, set(found.values) == {row["key"]} and _run("\n".join(lines), row["tests"])


def _by_criterion(row: dict[str, Any]) -> tuple[str, bool]:
    document = parse_criterion(row["criterion"]).document
    assert document is not None
    scored = score_response(document, row["response"])
    return scored.outcome.value, scored.score == document.full_score


JUDGES = {
    "code_function": _code, "code_infill": _code, "modification": _code, "cu_forward": _forward, "cu_reverse": _reverse,
    "review": _review, "keywords": _by_criterion, "similarity": _by_criterion,
}  # fmt: skip


@pytest.mark.parametrize("family", JUDGES)
def test_a_family(family: str) -> None:
    counts: Counter[str] = Counter()
    off: list[str] = []
    for line in DATA.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["family"] != family:
            continue
        outcome, passed = JUDGES[family](row)
        label = row["label"]
        good = {
            "right": passed, "wrong": not passed, "no_answer": outcome in ("refusal", "empty", "truncated", "filtered"),
        }[label]  # fmt: skip
        counts[label] += 1
        if not good:
            off.append(f"{label} {row['language']} {row['format']}: {outcome}")
    print(family, dict(counts), off)
    assert counts["right"] and counts["no_answer"]
    assert not off
