"""A library that tests need and the sandbox lacks, through main(): it is named, and no retry is offered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.sandbox import Pool

PYTHON = "def same(a, b):\n    return a == b\n"
JAVASCRIPT = "function same(a, b) { return JSON.stringify(a) === JSON.stringify(b); }"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "code", "test", "library"),
    [
        ("javascript", JAVASCRIPT, "const R = require('ramda');\nif (!R.equals(same(1, 1), true)) throw 1;", "ramda"),
        ("python", PYTHON, "import no_such_library\nassert same([1], no_such_library.one())", "no_such_library"),
    ],
)  # fmt: skip
def test_the_summary_names_the_library(
    command: Any, tmp_path: Path, place: Pool, language: str, code: str, test: str, library: str
) -> None:
    project, questions, answers = (tmp_path / name for name in ("p.annotator", "q.jsonl", "a.jsonl"))
    rows = [
        {"id": f"q{at}", "language": language, "entry_point": "same", "prompt": f"same(a, b): {at}.", "reference": code,
         "tests": [test], "licence": "MIT"}
        for at in range(2)
    ]  # fmt: skip
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows))
    answers.write_text(
        "".join(json.dumps({"subject": row["id"], "model": "m", "response": code}) + "\n" for row in rows)
    )
    command("new", project, "--name", "Demo", "--annotator", "Ada")
    command("import", "--project", project, "jsonl", questions)
    command("select", project, "--subject", "q0", "--subject", "q1", "--verdict", "accept")
    command("release", "create", project, "--override", "a test")
    out, err = command("run", "start", project, "--replay", answers, "--model", "m", "--json")
    [run] = json.loads(out.splitlines()[-1])["runs"]
    assert run["outcomes"] == {"machinery": 2}
    assert f"m: 2 answers not scored: the library {library} is not available in the sandbox" in err
    assert "etry" not in err
    [cause] = json.loads(command("run", "show", project, run["id"], "--json")[0])["failures"]
    assert (cause["count"], cause["lasting"]) == (2, True)
    err = command("run", "rescore", project, run["id"], "--with", "release")[1]
    assert f"2 answers not scored: the library {library} is not available in the sandbox" in err and "gain" not in err
