"""A library or tool that is not here is nobody's fault but ours, if the tests alone need it; nobody can pretend so."""

from __future__ import annotations

import venv
from pathlib import Path

import pytest

from annotator.sandbox import Job, Limits, Pool, TestCode, sandbox_places
from annotator.sandbox.programs.test_libraries import library_check_steps
from annotator.sandbox.python_tests import inspect_tests
from annotator.sandbox.sandbox_jobs import Mode
from annotator.sandbox.sandbox_places import DockerPlace, LocalPlace

LIMITS = Limits(wall_s=20.0, cpu_s=20.0)
NEEDED = (
    ("r", "f <- function(x) x", "library(tinytest)\nexpect_equal(f(1), 1)"),
    ("javascript", "const f = (x) => x;", "const { expect } = require('chai');\nexpect(f(1)).to.equal(1);"),
    ("typescript", "export const f = (x: number) => x;", "import { expect } from 'chai';\nexpect(f(1)).to.equal(1);"),
    ("ruby", "def f(x) = x", "require 'shoulda'\nraise unless f(1) == 1"),
    ("c++", "int f(int x) { return x; }", "#include <nowhere/ut.hpp>\nint main() { return f(1) - 1; }"),
    ("r", "library(nowhere)\nf <- function(x) x", "library(nowhere)\nstopifnot(f(1) == 1)"),
    ("java", "import org.mockito.Mockito;\nclass S { }", "import org.mockito.Mockito;\nclass Main { }"),
    ("java", "class S { }", "import org.mockito.Mockito;\nclass Main { public static void main(String[] a) { } }"),
    ("c", "int f(int x) { return x; }", '#include "f.h"\n#include "unity/unity.h"\nint main(void) {\n'
     "  UNITY_BEGIN();\n  TEST_ASSERT_EQUAL_INT(1, f(1));\n  return UNITY_END();\n}"),
    ("bash", "f() { echo acrobats; }", '#!/usr/bin/env bats\n\n@test "one" {\n  run f\n  [ "$output" = 1 ]\n}'),
    ("bash", "bats() { echo 1; }", '#!/usr/bin/bats\n@test "one" {\n  run bats\n  [ "$output" = 1 ]\n}'),
    ("bash", "f() { echo 1; }", "bats_require_minimum_version 1.5.0\n@test 'one' {\n  run f\n  [ $output = 1 ]\n}"),
    ("c#", "using KellermanSoftware.CompareNetObjects;\nclass S { public static int F(int x) { return x; } }",
     "class CompareLogicTests { static void Main() {\n  var same = new CompareLogic().Compare(S.F(1), 1);\n"
     "  if (!same.AreEqual) throw new System.Exception(); } }"),
)  # fmt: skip
PRETENDED = (
    ("javascript", "console.error('node is not in this sandbox'); process.exit(127);", "if (f(1) !== 1) throw 1;"),
    ("bash", "echo 'bash is not in this sandbox' >&2; exit 127", "[ \"$(f 1)\" = 1 ]"),
    ("ruby", "STDERR.puts 'shoulda is not in this sandbox'; exit 127", "raise unless f(1) == 1"),
    ("r", "library(nowhere)\nf <- function(x) x", "stopifnot(f(1) == 1)"),
    ("bash", "echo 'bats is not in this sandbox' >&2; exit 127", "[ \"$(f 1)\" = 1 ]"),
)  # fmt: skip


@pytest.mark.sandbox
def test_what_only_the_tests_need_is_machinery_and_what_the_answer_needs_is_not(languages: Pool) -> None:
    jobs = [
        Job(id=f"{name} {number}", language=name, code=code, tests=(TestCode("t", test),), limits=LIMITS)
        for number, (name, code, test) in enumerate((*NEEDED, *PRETENDED))
    ]
    outcomes = {result.id: (result.outcome, result.message) for result in languages.run(jobs)}
    for number, job in enumerate(jobs):
        outcome, message = outcomes[job.id]
        if number < len(NEEDED):
            assert outcome == "machinery" and "is not in this sandbox" in message, (job.id, outcome, message)
        else:
            assert outcome in ("fail", "crash"), (job.id, outcome, message)


@pytest.mark.parametrize(
    ("name", "code", "test"),
    [
        ("r", "", "library(dplyr)\nstats::sd(1)"),
        ("javascript", "", "const assert = require('node:assert');\nimport fs from 'fs';\nrequire('./solution')"),
        ("ruby", "", "require 'minitest/autorun'"),
        ("c++", "", "#include <vector>\n#include <bits/stdc++.h>\n#include <boost/any.hpp>"),
        ("java", "package com.example.util;\nclass S { }", "import java.util.*;\nimport com.example.util.S;"),
        ("go", "", 'import (\n\t"testing"\n\t"github.com/stretchr/testify/assert"\n)'),
        ("python", "", "import torch"),
        ("ruby", "", "require 'spec_helper'\nrequire './stack'\nRSpecial.describe"),
        ("go", "package stack", 'package stack_test\nimport st "example.com/x/stack"'),
        ("java", "public class S { }", "import com.example.S;\nimport static com.example.S.one;"),
        ("c", "", '#include "src/stack.h"'),
        ("bash", "", "cat > t.bats <<'EOF'\n#!/usr/bin/env bats\n@test \"a\" {\n}\nEOF\n[ -f t.bats ]"),
        ("bash", "", '#!/usr/bin/env bash\ncat > t <<EOF\n@test "a" {\nEOF'),
        ("bash", "", "echo '\n@test \"a\" {'"),
        ("bash", "echo bats", "#!/usr/bin/env acrobats\n[ $(f) = bats ]"),
        ("c#", "class S { object F() { return new CompareLogic(); } }", "class P { static void Main() { S.F(); } }"),
        ("c#", "class CompareLogic { }", "class P { static void Main() { new CompareLogic(); } }"),
        ("c#", "", "class CompareLogic { } class P { static void Main() { new CompareLogic(); } }"),
        ("c#", "", 'class P { static void Main() { /* new CompareLogic() */ f("new CompareLogic()"); } }'),
    ],
)
def test_nothing_is_asked_for_what_is_always_there(name: str, code: str, test: str) -> None:
    assert library_check_steps(name, code, test) == ()


F = "def f(n): return n"
PYTHON_NEEDS = (
    (F, "import torch\nassert f(1) == 1"),
    (F, "import os\nimport torch.nn as nn\nassert f(1) == 1"),
    (F, "import unittest\nfrom torch import Tensor\nclass T(unittest.TestCase):\n    def test_f(self):\n"
        "        self.assertEqual(f(1), 1)"),
    (F, "def check(candidate):\n    import torch\n    assert candidate(1) == 1\ncheck(f)"),
    (F, "import os\nclass TestF:\n    def test_f(self):\n        from torch import nn\n        assert f(1) == 1"),
    (F, "import pytest, torch\n@pytest.mark.parametrize('n', [1])\ndef test_f(n):\n    assert f(n) == n"),
    (F, "import pytest, sys\n@pytest.fixture\ndef net():\n    import torch\n    return 1\n"
        "def test_f(net):\n    assert f(1) == 1"),
    ("import torch\ndef f(n): return n", "import os\nimport torch\nassert f(1) == 1"),
    ("def f(n):\n    import torch\n    return n", "import torch\nassert f(1) == 1"),
)  # fmt: skip
"""Code and tests; the tests import what is not there."""
PYTHON_PRETENDS = (
    ("import torch\ndef f(n): return 2", "import os\nassert f(1) == 1"),
    ("def f(n): raise ModuleNotFoundError(\"No module named 'torch'\")", "import os\nassert f(1) == 1"),
    ("def f(n): raise ModuleNotFoundError(\"No module named 'numpy'\")", "import os, numpy\nassert f(1) == 1"),
    ("def f(n): import torch", "try:\n    import torch\nexcept ImportError:\n    torch = None\nassert f(1) == 1"),
    ("def f(n): import torch", "import sys\nif len(sys.argv) > 9:\n    import torch\nassert f(1) == 1"),
    ("def f(n): import fake", "import sys, types\nsys.modules['fake'] = types.ModuleType('fake')\nimport fake\n"
     "del sys.modules['fake']\nassert f(1) == 1"),
    ("raise ImportError(\"No module named 'helper'\")", "import os\nfrom helper import one\nassert f(1) == one"),
    ("def f(n): return 2", "import numpy\nassert f(1) == 1"),
)  # fmt: skip
"""The answer alone wants a library, or says so."""


@pytest.mark.sandbox
@pytest.mark.parametrize("mode", ["judged", "shared"])
def test_what_tests_in_python_import_in_vain_is_machinery_in_every_mode(place: DockerPlace, mode: Mode) -> None:
    jobs = [
        Job(
            id=f"{number}",
            language="python",
            code=code,
            tests=(TestCode("t", test),),
            limits=LIMITS,
            mode=mode,
            files={"helper.py": "one = 1"},
        )
        for number, (code, test) in enumerate((*PYTHON_NEEDS, *PYTHON_PRETENDS))
    ]
    with Pool(place, 1) as pool:
        found = {result.id: (result.outcome, result.message) for result in pool.run(jobs)}
    for number, job in enumerate(jobs):
        outcome, message = found[job.id]
        if number < len(PYTHON_NEEDS):
            told = "torch" in message and "is not in this sandbox" in message
            assert outcome == "machinery" and told, (job.code, job.tests, found[job.id])
        else:
            assert outcome == "fail", (job.code, job.tests, found[job.id])


@pytest.mark.parametrize(
    ("test", "libraries"),
    [
        ("import os, torch.nn\nfrom numpy.linalg import norm\nfrom solution import f", ("numpy", "torch")),
        ("def test_f():\n    import torch", ("torch",)),
        ("from . import helper\nfrom .torch import nn", ()),
        ("try:\n    import torch\nexcept ImportError:\n    import numpy", ()),
        ("if TYPE_CHECKING:\n    import torch", ()),
        ("with pytest.raises(ImportError):\n    import torch", ()),
        ("open('made.py', 'w').write('one = 1')\nimport made", ()),
        ("import pytest\ntorch = pytest.importorskip('torch')", ("pytest",)),
        ("import torch\nthis is no Python", ()),
    ],
)
def test_the_libraries_of_tests_are_those_they_import_in_any_case(test: str, libraries: tuple[str, ...]) -> None:
    assert inspect_tests(test).libraries == libraries


def test_without_pytest_its_tests_are_machinery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    venv.create(tmp_path / "bare", symlinks=True, with_pip=False)
    monkeypatch.setattr(sandbox_places, "find_python", lambda: str(tmp_path / "bare" / "bin" / "python"))
    tests = "import pytest\n\n@pytest.mark.parametrize('n', [1])\ndef test_f(n):\n    assert f(n) == 1\n"
    place = LocalPlace()
    with Pool(place, 1) as pool:
        for mode in ("judged", "shared"):
            job = Job(id=mode, language="python", code="def f(n): return 1", tests=(TestCode("t", tests),), mode=mode)
            result = pool.submit(job).result(60)
            assert (result.outcome, result.message) == ("machinery", "pytest is not in this sandbox")
    place.close()
