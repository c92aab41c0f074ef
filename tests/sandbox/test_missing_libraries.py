"""A library or tool that is not here is nobody's fault but ours, if the tests alone need it; nobody can pretend so."""

from __future__ import annotations

import venv
from pathlib import Path

import pytest

from annotator.sandbox import Job, Limits, Pool, TestCode, places
from annotator.sandbox.places import DockerPlace, LocalPlace
from annotator.sandbox.programs.test_libraries import ask_for_libraries

LIMITS = Limits(wall_s=20.0, cpu_s=20.0)
NEEDED = (
    ("r", "f <- function(x) x", "library(tinytest)\nexpect_equal(f(1), 1)"),
    ("javascript", "const f = (x) => x;", "const { expect } = require('chai');\nexpect(f(1)).to.equal(1);"),
    ("typescript", "export const f = (x: number) => x;", "import { expect } from 'chai';\nexpect(f(1)).to.equal(1);"),
    ("ruby", "def f(x) = x", "require 'shoulda'\nraise unless f(1) == 1"),
    ("c++", "int f(int x) { return x; }", "#include <gmock/gmock.h>\nTEST(F, One) { EXPECT_THAT(f(1), 1); }"),
    ("java", "class S { }", "import org.mockito.Mockito;\nclass Main { public static void main(String[] a) { } }"),
)
PRETENDED = (
    ("javascript", "console.error('node is not in this sandbox'); process.exit(127);", "if (f(1) !== 1) throw 1;"),
    ("bash", "echo 'bash is not in this sandbox' >&2; exit 127", "[ \"$(f 1)\" = 1 ]"),
    ("ruby", "STDERR.puts 'shoulda is not in this sandbox'; exit 127", "raise unless f(1) == 1"),
    ("r", "library(nowhere)\nf <- function(x) x", "library(nowhere)\nstopifnot(f(1) == 1)"),
)  # fmt: skip


@pytest.mark.sandbox
def test_what_only_the_tests_need_is_machinery_and_what_the_answer_needs_is_not(place: DockerPlace) -> None:
    jobs = [
        Job(f"{name} {number}", name, code, (TestCode("t", test),), limits=LIMITS)
        for number, (name, code, test) in enumerate((*NEEDED, *PRETENDED))
    ]
    with Pool(place, 2) as pool:
        outcomes = {result.id: (result.outcome, result.message) for result in pool.run(jobs)}
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
    ],
)
def test_nothing_is_asked_for_what_is_always_there(name: str, code: str, test: str) -> None:
    assert ask_for_libraries(name, code, test) == ()


def test_without_pytest_its_tests_are_machinery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    venv.create(tmp_path / "bare", symlinks=True, with_pip=False)
    monkeypatch.setattr(places, "_python", lambda: str(tmp_path / "bare" / "bin" / "python"))
    tests = "import pytest\n\n@pytest.mark.parametrize('n', [1])\ndef test_f(n):\n    assert f(n) == 1\n"
    place = LocalPlace()
    with Pool(place, 1) as pool:
        for mode in ("judged", "shared"):
            job = Job(mode, "python", "def f(n): return 1", (TestCode("t", tests),), mode=mode)
            result = pool.submit(job).result(60)
            assert (result.outcome, result.message) == ("machinery", "pytest is not in this sandbox")
    place.close()
