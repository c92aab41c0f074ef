"""The code of rendered answers, found as EvalPlus, the LM Evaluation Harness and Inspect find it, and as we do.

Prints how many right answers pass and how many wrong ones: ``pytest -s``, with ANNOTATOR_LONG=1.
"""

from __future__ import annotations

import ast
import json
import secrets
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from annotator.answers.choice import find_code
from annotator.answers.code import code_spec_for
from tests.answers.test_answers_dev import DATA
from tests.answers.test_renderings import CODES, NAME, RIGHT, STUB, TESTS, WRONG, render
from tests.formats.consumers import consumer

pytestmark = pytest.mark.slow

FAMILIES = ("code_function", "code_infill", "modification")
PEERS = Path(__file__).with_name("peers.py")
OURS = "Annotator"


@dataclass(frozen=True)
class Answer:
    """An answer to an item in Python, and whether it is right; ``head`` is the prompt, where it is code."""

    data: str
    name: str
    right: bool
    response: str
    prompt: str
    head: str
    entry_point: str
    tests: tuple[str, ...]
    shown: tuple[str, ...] = ()


def _is_code(text: str) -> bool:
    try:
        return bool(ast.parse(text).body)
    except SyntaxError:
        return False


def _of_the_data() -> list[Answer]:
    if not DATA.is_file():
        pytest.skip("the development data is not beside the project")
    found = []
    for row in map(json.loads, DATA.read_text(encoding="utf-8").splitlines()):
        if row["family"] not in FAMILIES or row["language"] != "python" or row["label"] == "no_answer":
            continue
        going_on = row.get("code", "").replace("    ____\n", "") if row["family"] == "code_infill" else ""
        head = going_on or (row["prompt"] if _is_code(row["prompt"]) else "")
        shown = (row["code"],) if "code" in row else ()
        found.append(
            Answer("answers-dev", f"{row['family']} {row['format']}", row["label"] == "right", row["response"],
                   row["prompt"], head, row["entry_point"], tuple(row["tests"]), shown)
        )  # fmt: skip
    return found


def _of_our_renderings() -> list[Answer]:
    return [
        Answer(
            "renderings", name, right, render(template, code, draft), "Write double_all(xs).", "", NAME, TESTS, (STUB,)
        )
        for name, template in CODES.items()
        for right, code, draft in ((True, RIGHT, WRONG), (False, WRONG, RIGHT))
    ]


def _ours(answer: Answer) -> str:
    wanted = code_spec_for(
        "python", answer.entry_point, prompt=answer.prompt, visible_code=answer.shown, tests=answer.tests
    )
    return find_code(answer.response, wanted, prompt=answer.head or answer.prompt).text


def _theirs(name: str, answers: list[Answer], python: Path) -> dict[str, list[str]]:
    rows = [{"response": one.response, "head": one.head, "entry_point": one.entry_point} for one in answers]
    done = subprocess.run(
        [str(python), str(PEERS), name], input=json.dumps(rows), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def _passes(code: str, tests: tuple[str, ...]) -> bool:
    if not code.strip():
        return False
    word = secrets.token_hex(8)
    program = "\n".join([code, *tests, f"print({word!r})"])
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", program], capture_output=True, stdin=subprocess.DEVNULL, timeout=20,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return False
    return done.stdout.decode(errors="replace").endswith(f"{word}\n")


def test_ours_is_best(tmp_path_factory: pytest.TempPathFactory) -> None:
    answers = [*_of_the_data(), *_of_our_renderings()]
    programs: dict[str, list[str]] = {OURS: [_ours(one) for one in answers]}
    for peer in ("evalplus", "lm-eval", "inspect"):
        programs |= _theirs(peer, answers, consumer(peer, tmp_path_factory) / "python")
    passed: dict[str, list[bool]] = {}
    with ThreadPoolExecutor(2) as pool:
        for name, found in programs.items():
            passed[name] = list(pool.map(_passes, found, [one.tests for one in answers]))
    counts = {name: _counted(answers, row) for name, row in passed.items()}
    for name, count in counts.items():
        print(f"{name:28}", *(f"{data} {kind} {count[data, right]:3}" for data in ("answers-dev", "renderings")
                              for right, kind in ((True, "right"), (False, "wrong"))))  # fmt: skip
    for at, one in enumerate(answers):
        better = [name for name, row in passed.items() if row[at] == one.right != passed[OURS][at]]
        if better:
            print(f"better than ours on {one.data} {one.name}, {'right' if one.right else 'wrong'}: {better}")
    total = Counter((one.data, one.right) for one in answers)
    print(dict(total))
    assert all(passed[OURS][at] == one.right for at, one in enumerate(answers))
    for name, count in counts.items():
        assert name == OURS or count["answers-dev", True] < counts[OURS]["answers-dev", True], name


def _counted(answers: list[Answer], row: list[bool]) -> Counter[tuple[str, bool]]:
    return Counter((one.data, one.right) for one, passes in zip(answers, row, strict=True) if passes)
