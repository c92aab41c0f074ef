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


def _file(package: str, name: str) -> Path:
    """Return a file of a package that is not imported."""
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.submodule_search_locations is not None
    return Path(next(iter(spec.submodule_search_locations)), name)


def _functions(path: Path, names: tuple[str, ...], **space: Any) -> dict[str, Any]:
    """Return functions of a file, without running the rest of it."""
    tree = ast.parse(path.read_text("utf-8"))
    kept: list[ast.stmt] = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in names]
    space["re"] = re
    exec(compile(ast.Module(kept, []), path.name, "exec", dont_inherit=True), space)
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
    names = ("build_predictions", "build_predictions_instruct")
    human_eval = _functions(_file("lm_eval", "tasks/humaneval/utils.py"), names)
    mbpp = _functions(_file("lm_eval", "tasks/mbpp/utils.py"), ("extract_code_blocks",))

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
    loaded = importlib.util.spec_from_file_location("inspect_code", _file("inspect_evals", "utils/code.py"))
    assert loaded is not None and loaded.loader is not None
    code = importlib.util.module_from_spec(loaded)
    loaded.loader.exec_module(code)
    human_eval = _functions(
        _file("inspect_evals", "humaneval/humaneval.py"),
        ("find_code", "extract_function_body"),
        extract_code_block=code.extract_code_block,
    )

    return {
        "Inspect humaneval": lambda row: row["head"] + str(human_eval["find_code"](row["response"])),
        "Inspect, the block": lambda row: str(code.extract_code_block(row["response"], "python") or row["response"]),
    }


if __name__ == "__main__":
    rows = json.load(sys.stdin)
    found = {"evalplus": evalplus, "lm-eval": lm_eval, "inspect": inspect}[sys.argv[1]]()
    json.dump({name: [extract(row) for row in rows] for name, extract in found.items()}, sys.stdout)
