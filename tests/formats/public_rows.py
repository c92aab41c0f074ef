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
