"""Extract code as others do; run by the Python of their own environment: ``python peers.py NAME < answers.json``.

The functions are the packages' own, taken from their files where importing these would fetch things.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Extract = Callable[[dict[str, str]], str]
"""From ``response``, ``head`` (the prompt, where it is code) and ``entry_point`` to a program."""


def _functions(package: str, file: str, **names: Any) -> dict[str, Any]:
    """Return the functions of a file of a package, without importing the package."""
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.origin is not None
    tree = ast.parse(Path(spec.origin).with_name("__init__.py").parent.joinpath(file).read_text("utf-8"))
    kept: list[ast.stmt] = [node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.decorator_list]
    space: dict[str, Any] = {"re": re, "Any": Any, "Callable": Callable, **names}
    exec(compile(ast.Module(kept, []), file, "exec", dont_inherit=True), space)
    return space


def evalplus() -> dict[str, Extract]:
    """Return the sanitizer, on answers of chat models and on what goes on from a prompt."""
    from evalplus.sanitize import sanitize

    return {
        "EvalPlus": lambda row: sanitize(row["response"], row["entry_point"]),
        "EvalPlus, prompt first": lambda row: sanitize(f"{row['head']}\n{row['response']}", row["entry_point"]),
    }


def lm_eval() -> dict[str, Extract]:
    """Return what the tasks humaneval, humaneval_instruct and mbpp_instruct do."""
    human_eval = _functions("lm_eval", "tasks/humaneval/utils.py")
    mbpp = _functions("lm_eval", "tasks/mbpp/utils.py", Union=None)

    def one(name: str) -> Extract:
        return lambda row: str(human_eval[name]([[row["response"]]], [{"prompt": row["head"]}])[0][0])

    return {
        "lm-eval humaneval": one("build_predictions"),
        "lm-eval humaneval_instruct": one("build_predictions_instruct"),
        # Its prompt ends with an open fence, which an answer of a chat model opens itself.
        "lm-eval mbpp_instruct": lambda row: str(mbpp["extract_code_blocks"](row["response"].removeprefix("```"))),
    }


def inspect() -> dict[str, Extract]:
    """Return what inspect_evals' HumanEval does, and the block it is made of."""
    spec = importlib.util.find_spec("inspect_evals")
    assert spec is not None and spec.submodule_search_locations is not None
    path = Path(next(iter(spec.submodule_search_locations)), "utils", "code.py")
    loaded = importlib.util.spec_from_file_location("inspect_code", path)
    assert loaded is not None and loaded.loader is not None
    code = importlib.util.module_from_spec(loaded)
    loaded.loader.exec_module(code)
    human_eval = _functions("inspect_evals", "humaneval/humaneval.py", extract_code_block=code.extract_code_block)

    return {
        "Inspect humaneval": lambda row: row["head"] + str(human_eval["find_code"](row["response"])),
        "Inspect, the block": lambda row: str(code.extract_code_block(row["response"], "python") or row["response"]),
    }


if __name__ == "__main__":
    rows = json.load(sys.stdin)
    found = {"evalplus": evalplus, "lm-eval": lm_eval, "inspect": inspect}[sys.argv[1]]()
    json.dump({name: [extract(row) for row in rows] for name, extract in found.items()}, sys.stdout)
