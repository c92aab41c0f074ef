"""Rows in the forms of public data sets, written for the tests: several of each kind, with the odd corners."""

from __future__ import annotations

from typing import Any

DOMAINEVAL: list[dict[str, Any]] = [
    {
        "method_name": name,
        "full_method_name": full,
        "method_path": f"../srcdata/Network/netkit/src/{path}",
        "method_code": f"import math\n\ndef {name}(a, b=2):\n    return math.pow(a, b)  # ☃\n",
        "test_code_list": [
            {
                "test_code": f"def test_{name}():\n    assert {name}(2) == 4\n\ntest_{name}()\n",
                "code_start": "import math\n" if name == "power" else "",
                "test_path": "../srcdata/Network/netkit/tests/test_all.py",
            },
            {"test_code": f"assert {name}(3) == 9\n", "code_start": "", "test_path": ""},
        ],
        "instruction": f"Functionality: Raise to a power, the {name} way.\n\nInputs:\n- a: base",
        "method_code_mask": f"import math\n\ndef {name}(a, b=2): [MASK]\n# {full}\n",
    }
    for name, full, path in (
        ("power", "power", "netkit/power.py"),
        ("power", "Tool.power", "netkit/power.py"),
        ("raise_it", "Tool.raise_it", "netkit/deep/tool.py"),
    )
]

EVOCODEBENCH: list[dict[str, Any]] = [
    {
        "namespace": f"kit.tools.{name}",
        "type": kind,
        "project_path": "Text/kit",
        "completion_path": "Text/kit/kit/tools.py",
        "signature_position": [13, 14],
        "body_position": [15, 20],
        "dependency": {"intra_class": ["kit.tools.Tool.x"], "intra_file": [], "cross_file": ["kit.base.load"]},
        "requirement": {"Functionality": f"Does {name}.", "Arguments": arguments},
        "tests": ["tests/test_tools.py::test_one", "tests/test_tools.py::TestTool::test_two[a-1]"],
        "indent": 8 if kind == "method" else 4,
        "domain": "Text Processing",
    }
    for name, kind, arguments in (("trim", "function", ":param text: the text"), ("Tool.fold", "method", ""))
]

NATURALCODEBENCH: list[dict[str, Any]] = [
    {
        "_id": 1,
        "prompt": "Your task is to generate python code to solve the following problem.\nAdd two numbers with add.",
        "problem": "Add two numbers with add.",
        "testcases": "class TestAdd:\n    def test_add(self):\n        with pytest.raises(TypeError):\n            add(1)\n",
        "setup_code": "",
        "reference_solution": "```python\ndef add(a, b):\n    return a + b\n```",
        "classification": "Software Engineering",
    },
    {
        "_id": 2,
        "prompt": "Your task is to generate java code to solve the following problem.",
        "problem": "Double a number.",
        "testcases": "class TestDouble {}",
        "setup_code": "import java.util.*;",
        "reference_solution": "```java\nclass Double2 {}\n```",
        "classification": "Data Science",
    },
]

MBPP: list[dict[str, Any]] = [
    {
        "task_id": 11,
        "text": "Write a python function to remove first and last occurrence of a given character.",
        "code": "def remove_Occ(s, ch):\n    return s.replace(ch, '', 1)\n",
        "test_list": ['assert remove_Occ("hello","l") == "helo"', 'assert set(remove_Occ("abcda","a")) == set("bcda")'],
        "test_setup_code": "",
        "challenge_test_list": ['assert remove_Occ("","l") == ""'],
    },
    {
        "task_id": 12,
        "prompt": "Sort a matrix by the sums of its rows.",
        "code": "def sort_matrix(m):\n    return sorted(m, key=sum)\n",
        "test_imports": ["import math"],
        "test_list": ["assert sort_matrix([[2], [1]]) == [[1], [2]]"],
    },
]

COCO: list[dict[str, Any]] = [
    {
        "task_id": "numpy/0",
        "description": "Sum of powers.",
        "code": "import numpy as np\n\ndef power_sum(a, b):\n    return np.sum(np.power(a, b))",
        "input": [[2, 3, 4], [1, 2, 3]],
        "expected_output": "75",
        "metadata": {"programming_language": "Python", "difficulty": "Easy", "test_aspect": "Mathematical Operations"},
    },
    {
        "task_id": "cpp/3",
        "description": "Twice a number, as a list.",
        "code": "int twice(int x) { return 2 * x; }",
        "input": 4,
        "expected_output": [8],
        "metadata": {"programming_language": "C++", "difficulty": "Medium", "test_aspect": ""},
    },
    {
        "task_id": "python/0",
        "description": "Whether Alice can win.",
        "incomplete_code": "def win(nums):\n    double = ____\n    return double != ____\n",
        "complete_code": "def win(nums):\n    double = sum(nums)\n    return double != 0\n",
        "data_soure": "https://example.org/problems/1",
        "input": "[1, 2]",
        "expected_output": "True",
        "metadata": {"programming_language": "Python", "difficulty": "Hard", "test_aspect": "Completion"},
    },
    {
        "task_id": "python/1",
        "description": "Count the changes of keys.",
        "corrected_code": "def f(s):\n    return sum(a != b for a, b in zip(s, s[1:]))\n",
        "bug_code": "def f(s):\n    return sum(a == b for a, b in zip(s, s[1:]))\n",
    },
    {
        "task_id": "python/2",
        "description": "Run what a user typed.",
        "code": "def run(text):\n    return eval(text)",
        "issue_categories": {"security_issues": {"lines": ["return eval(text)"], "description": "Runs anything."}},
        "metadata": {"programming_language": "Python", "difficulty": "Easy", "test_aspect": "Security"},
    },
    {
        "task_id": "python/3",
        "description": "Add, badly named and wrong.",
        "code": "def ADD(X, y):\n    return X - y",
        "issue_categories": {
            "logical_errors": {"lines": ["return X - y"]},
            "irregular_naming": {"lines": ["def ADD(X, y):"]},
        },
        "metadata": {"programming_language": "Python", "difficulty": "Medium", "test_aspect": "Both"},
    },
]

EVALPLUS: list[dict[str, Any]] = [
    {
        "task_id": "HumanEval/0",
        "prompt": 'def add(a, b):\n    """Add two numbers. More."""\n',
        "entry_point": "add",
        "canonical_solution": "    return a + b\n",
        "test": "def check(candidate):\n    assert candidate(1, 2) == 3\n",
        "contract": "    assert isinstance(a, int)\n",
        "base_input": [[1, 2], [3, 4]],
        "plus_input": [[10**18, -1], [0, 0]],
        "atol": 1e-06,
    },
    {
        "task_id": "HumanEval/1",
        "prompt": 'def same(a):\n    """Return it."""\n',
        "entry_point": "same",
        "canonical_solution": "    return a\n",
        "contract": "",
        "base_input": [["☃"], [[1, [2]]]],
        "plus_input": [],
        "atol": 0,
    },
]

MBPPPLUS: list[dict[str, Any]] = [
    {
        "task_id": 2,
        "code": "def similar(a, b):\n    return tuple(set(a) & set(b))\n",
        "prompt": "Write a function to find what two tuples share.",
        "source_file": "Benchmark Questions Verification V2.ipynb",
        "test_imports": [],
        "test_list": ["assert set(similar((3, 4), (4, 5))) == {4}"],
        "test": "inputs = [[(1, 2), (2, 3)]]\nresults = [(2,)]\n"
        "for given, wanted in zip(inputs, results):\n    assert set(similar(*given)) == set(wanted)\n",
    },
    {
        "task_id": "Mbpp/3",
        "prompt": '"""\nWrite a function that says whether a number is not prime.\nassert is_not_prime(10) == True\n"""\n',
        "entry_point": "is_not_prime",
        "canonical_solution": "def is_not_prime(n):\n    return n < 2 or any(n % i == 0 for i in range(2, n))\n",
        "base_input": [[2], [10]],
        "plus_input": [[1], [35]],
        "atol": 0,
        "contract": "\n  assert n > 0 # $_CONTRACT_$\n",
        "assertion": "assert is_not_prime(2) == False\nassert is_not_prime(10) == True\n",
    },
]

BIGCODEBENCH: list[dict[str, Any]] = [
    {
        "task_id": "BigCodeBench/0",
        "complete_prompt": 'import random\n\ndef task_func(n=3):\n    """\n    Return n dice. Every one is fair.\n    """\n',
        "instruct_prompt": "Return n dice. Write self-contained code starting with: ...",
        "canonical_solution": "    return [random.randint(1, 6) for _ in range(n)]\n",
        "code_prompt": "import random\ndef task_func(n=3):\n",
        "test": "import unittest\nclass TestCases(unittest.TestCase):\n    def test_count(self):\n"
        "        self.assertEqual(len(task_func(4)), 4)\n    def test_range(self):\n"
        "        self.assertTrue(all(1 <= face <= 6 for face in task_func(50)))\n",
        "entry_point": "task_func",
        "doc_struct": '{"description": ["Return n dice."]}',
        "libs": "['random']",
    }
]

LIVECODEBENCH: list[dict[str, Any]] = [
    {
        "question_title": "pair-sum",
        "question_content": "Return the places of two numbers that add up to target.",
        "platform": "leetcode",
        "question_id": "2999",
        "contest_id": "weekly-1",
        "contest_date": "2024-01-06T00:00:00",
        "starter_code": "class Solution:\n    def pairSum(self, nums: List[int], target: int) -> List[int]:\n        ",
        "difficulty": "easy",
        "public_test_cases": '[{"input": "[2, 7, 11]\\n9", "output": "[0, 1]", "testtype": "functional"}]',
        "private_test_cases": "eJxrYJmqwQABGjMAHhQEJQ==",
        "metadata": '{"func_name": "pairSum"}',
    },
    {
        "question_title": "Echo",
        "question_content": "Print the line twice.",
        "platform": "atcoder",
        "question_id": "abc999_a",
        "contest_id": "abc999",
        "contest_date": "2024-02-03T00:00:00",
        "starter_code": "",
        "difficulty": "easy",
        "public_test_cases": '[{"input": "a\\n", "output": "aa\\n", "testtype": "stdin"}]',
        "private_test_cases": '[{"input": "b\\n", "output": "bb\\n", "testtype": "stdin"}]',
        "metadata": "{}",
    },
]

_JAVA_OPENING = "import java.util.*;\nclass Problem {\n    // Adds one.\n    public static long addOne(long n) {\n"
MULTIPL_E: list[dict[str, Any]] = [
    {
        "name": "HumanEval_900_add_one",
        "language": "java",
        "prompt": _JAVA_OPENING,
        "doctests": "transform",
        "original": "originals/HumanEval_900_add_one.py",
        "prompt_terminology": "reworded",
        "tests": "    }\n    public static void main(String[] args) {\n    assert(addOne((1l)) == (2l));\n    }\n\n}\n",
        "stop_tokens": ["\n    }\n"],
    },
    {
        "name": "HumanEval_900_add_one",
        "language": "cpp",
        "prompt": "#include<assert.h>\n#include<bits/stdc++.h>\n// Adds one.\nlong add_one(long n) {\n",
        "doctests": "transform",
        "original": "originals/HumanEval_900_add_one.py",
        "prompt_terminology": "reworded",
        "tests": "}\nint main() {\n    auto candidate = add_one;\n    assert(candidate((1)) == (2));\n}\n",
        "stop_tokens": ["\n}"],
    },
    {
        "name": "HumanEval_900_add_one",
        "language": "js",
        "prompt": "//Adds one.\nfunction add_one(n){\n",
        "doctests": "transform",
        "original": "originals/HumanEval_900_add_one.py",
        "prompt_terminology": "reworded",
        "tests": "const assert = require('node:assert');\n\n\nfunction test() {\n  let candidate = add_one;\n"
        "  assert.deepEqual(candidate(1),2);\n}\n\ntest();",
        "stop_tokens": ["\nfunction "],
    },
]

HUMANEVALPACK: list[dict[str, Any]] = [
    {
        "task_id": "Python/900",
        "prompt": 'def add_one(n):\n    """ Add one. """\n',
        "declaration": "def add_one(n):\n",
        "canonical_solution": "    return n + 1\n",
        "buggy_solution": "    return n\n",
        "bug_type": "missing logic",
        "failure_symptoms": "incorrect output",
        "entry_point": "add_one",
        "import": "",
        "test_setup": "",
        "test": "def check(add_one):\n    assert add_one(1) == 2\n\ncheck(add_one)",
        "example_test": "",
        "signature": "add_one(n)",
        "docstring": "Add one.",
        "instruction": "Write a Python function add_one(n) to solve the following problem:\nAdd one.",
    },
    {
        "task_id": "JavaScript/900",
        "prompt": "/* Add one. */\nconst addOne = (n) => {\n",
        "declaration": "\nconst addOne = (n) => {\n",
        "canonical_solution": "  return n + 1;\n}\n",
        "buggy_solution": "  return n;\n}\n",
        "bug_type": "missing logic",
        "failure_symptoms": "incorrect output",
        "entry_point": "addOne",
        "import": "",
        "test_setup": "const assert = require('node:assert')",
        "test": "const testAddOne = () => {\n  assert.strictEqual(addOne(1), 2)\n}\n\ntestAddOne()\n",
        "example_test": "",
        "signature": "const addOne = (n)",
        "docstring": "Add one.",
        "instruction": "Write a JavaScript function addOne to solve the following problem:\nAdd one.",
    },
]

HUMANEVALX: list[dict[str, Any]] = [
    {
        "task_id": "Python/900",
        "prompt": 'def add_one(n):\n    import math\n    """"\n    Add one.\n    """\n',
        "declaration": 'def add_one(n):\n    import math\n    "\n',
        "canonical_solution": "    return n + 1\n",
        "test": "def check(add_one):\n    assert add_one(1) == 2\n\ncheck(add_one)",
        "example_test": "",
        "text": "Add one.",
    },
    {
        "task_id": "CPP/900",
        "prompt": "/* Add one. */\n#include<vector>\nlong add_one(long n){\n    for (int i=0;i<1;i++)\n    {\n",
        "declaration": "#include<vector>\nlong add_one(long n){\n    for (int i=0;i<1;i++)\n    {\n",
        "canonical_solution": "        if (n > 0) return n + 1;\n    }\n    return n + 1;\n}\n",
        "test": "#undef NDEBUG\n#include<assert.h>\nint main(){\n    assert (add_one(1) == 2);\n}\n",
        "example_test": "",
        "text": "Add one.",
    },
    {
        "task_id": "Java/900",
        "prompt": "import java.util.*;\n\nclass Solution {\n    /** Add one. */\n    public long addOne(long n) {\n",
        "declaration": "import java.util.*;\n\nclass Solution {\n    public long addOne(long n) {\n",
        "canonical_solution": "        return n + 1;\n    }\n}",
        "test": "public class Main {\n    public static void main(String[] args) {\n"
        "        if (new Solution().addOne(1) != 2) {\n            throw new AssertionError();\n        }\n    }\n}",
        "example_test": "",
        "text": "Add one.",
    },
    {
        "task_id": "Go/900",
        "prompt": 'import (\n    "math"\n)\n\n// Add one.\nfunc AddOne(n float64) float64 {\n',
        "import": 'import (\n    "math"\n)\n',
        "docstring": "// Add one.\n",
        "declaration": "\nfunc AddOne(n float64) float64 {\n",
        "canonical_solution": "    n = math.Floor(n)\n    return n + 1\n}\n\n",
        "test": "func TestAddOne(t *testing.T) {\n    assert := assert.New(t)\n    assert.Equal(2.0, AddOne(1))\n}\n",
        "example_test": "",
        "test_setup": 'package main\n\nimport (\n    "testing"\n    "github.com/stretchr/testify/assert"\n)\n',
    },
    {
        "task_id": "Rust/900",
        "prompt": "\n/*\n Add one.\n*/\n",
        "declaration": "\nuse std::collections::{HashMap, HashSet};\n\nfn add_one(n: i64) -> i64{\n",
        "canonical_solution": "\n    return n + 1;\n\n}\n",
        "test": "\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn test_add_one() {\n"
        "        assert_eq!(add_one(1), 2);\n    }\n}\n",
        "example_test": "",
    },
]
