"""Made-up rows in the shapes of APPS, CodeContests, CRUXEval, ClassEval and sets of instructions."""

from __future__ import annotations

import json
from typing import Any

SUM = "n = int(input())\nprint(sum(map(int, input().split())))\n"
APPS: dict[str, Any] = {
    "problem_id": 7, "question": "Print the sum.", "solutions": json.dumps(["print 3", SUM]),
    "input_output": json.dumps({"inputs": ["2\n1 2\n", ["1", "5"]], "outputs": ["3\n", ["5"]]}),
    "difficulty": "introductory", "url": "", "starter_code": "",
}  # fmt: skip
CODECONTESTS: dict[str, Any] = {
    "name": "1_A. Sum", "description": "Print the sum.", "public_tests": {"input": ["1 2\n"], "output": ["3\n"]},
    "private_tests": [{"input": "5 6\n", "output": "11\n"}], "generated_tests": {"input": [], "output": []},
    "solutions": {"language": [2, 3], "solution": ["int main() {}", "print(sum(map(int, input().split())))"]},
    "time_limit": {"seconds": 2, "nanos": 500000000}, "input_file": "", "cf_rating": 800,
}  # fmt: skip
CRUXEVAL = {"code": "def f(a, b):\n    return (a, b)", "input": "1, 'x'", "output": "(1, 'x')", "id": "sample_0"}
CLASSEVAL: dict[str, Any] = {
    "task_id": "C_0", "skeleton": "class A:\n    pass\n", "test": "import unittest\n", "class_name": "A",
    "solution_code": "class A:\n    x = 1\n", "import_statement": ["import math"], "methods_info": [],
}  # fmt: skip
INSTRUCTION = {"instruction": "Sort it.", "input": "3, 1", "output": "1, 3"}
