"""A small program with its test in each language, beside the plain tool chain in the same container.

The plain tool chain gets the same text as a file and the commands its manual begins with. What the best known way takes
is a share of that, so the goal is a share too.
"""

from __future__ import annotations

import shlex
import statistics
import time
from dataclasses import dataclass

from annotator.sandbox import Job, Place, Pool, TestCode, language
from tests.benchmarks.figures import Figure, within

_ROUNDS = 5
_MARGIN = 1.3
_PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Known:
    """A language's program and test, the plain commands for both in one file, and the best share of their time seen."""

    language: str
    code: str
    test: str
    file: str
    commands: str
    best: float


KNOWN = (
    Known("python", "def add(a, b):\n    return a + b\n",
          "import pytest\n\n@pytest.mark.parametrize('a', [1, 2])\ndef test_add(a):\n    assert add(a, 2) == a + 2\n",
          "test_main.py", "python3 -m pytest -q -p no:cacheprovider test_main.py", 24 / 143),
    Known("javascript", "function add(a, b) { return a + b }", "require('assert').strictEqual(add(1, 2), 3)",
          "main.js", "node main.js", 55 / 87),
    Known("typescript", "function add(a: number, b: number): number { return a + b }",
          "if (add(1, 2) !== 3) throw new Error('no')", "main.ts", "tsc --target es2020 main.ts && node main.js",
          (6 + 55) / (1545 + 87)),
    Known("java", "import java.util.*;\nclass Solution { static int add(int a, int b) { return a + b; } }",
          "class Main { public static void main(String[] a) { if (Solution.add(1, 2) != 3) throw new Error(); } }",
          "Main.java", "javac Main.java && java Main", 255 / 570),
    Known("c++", "#include <bits/stdc++.h>\nint add(int a, int b) { return a + b; }",
          "int main() { std::map<std::string, int> m; m[\"x\"] = add(1, 2); assert(m[\"x\"] == 3); }",
          "main.cpp", "g++ -std=c++17 -o main main.cpp && ./main", 376 / 1530),
    Known("go", 'package main\nimport "fmt"\nfunc add(a, b int) int { fmt.Print(""); return a + b }',
          'func main() { if add(1, 2) != 3 { panic("no") } }', "main.go", "GOCACHE=/tmp/.go go run main.go", 79 / 187),
    Known("rust", "fn add(a: i32, b: i32) -> i32 { a + b }", "fn main() { assert_eq!(add(1, 2), 3); }",
          "main.rs", "rustc main.rs && ./main", 172 / 355),
    Known("r", "add <- function(a, b) a + b", "stopifnot(add(1, 2) == 3)", "main.R", "Rscript main.R", 34 / 141),
    Known("ruby", "def add(a, b) = a + b", "raise 'no' unless add(1, 2) == 3", "main.rb", "ruby main.rb", 8 / 45),
    Known("php", "<?php\nfunction add($a, $b) { return $a + $b; }", "if (add(1, 2) !== 3) throw new Exception('no');",
          "main.php", "php main.php", 1.0),
    Known("c#", "class S { public static int Add(int a, int b) { return a + b; } }",
          'class P { static void Main() { if (S.Add(1, 2) != 3) throw new System.Exception("no"); } }',
          "main.cs", "mcs -out:main.exe main.cs && mono main.exe", 1.0),
)  # fmt: skip


def figures(pool: Pool, place: Place) -> list[Figure]:
    """Measure the languages whose image is built. Raises `RuntimeError` if a test that passes comes out otherwise."""
    return [_measured(pool, known) for known in KNOWN if place.has(language(known.language).group)]


def _measured(pool: Pool, known: Known) -> Figure:
    ours, plain = list[float](), list[float]()
    for number in range(_ROUNDS + 1):
        pair = _ours(pool, known), _plain(pool, known)
        if number:  # The first warms the files up.
            ours.append(pair[0])
            plain.append(pair[1])
    beside = (statistics.median(plain), "plain tool chain")
    return within("languages", known.language, statistics.median(ours), "ms", _MARGIN * known.best, beside)


def _ours(pool: Pool, known: Known) -> float:
    job = Job("one", known.language, known.code, (TestCode("t", known.test),))
    start = time.perf_counter()
    result = pool.submit(job).result()
    took = (time.perf_counter() - start) * 1000
    if result.outcome != "pass":
        raise RuntimeError(f"a test in {known.language} that passes came out as {result.outcome}: {result.message}")
    return took


def _plain(pool: Pool, known: Known) -> float:
    text = f"{known.code}\n{known.test}\n"
    script = f"printf %s {shlex.quote(text)} > {known.file} && {{ {known.commands}; }}"
    start = time.perf_counter()
    result = pool.submit_command(language(known.language).group, ("sh", "-c", script), _PATIENCE_S).result()
    took = (time.perf_counter() - start) * 1000
    if result.outcome != "pass":
        raise RuntimeError(f"the plain tool chain of {known.language} failed: {result.message}{result.stdout[-300:]}")
    return took
