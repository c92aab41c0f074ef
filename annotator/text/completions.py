"""Prompts that a model completes: Python code that ends in a signature and its description (HumanEval's style)."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from dataclasses import dataclass

from annotator.base.messages import Message
from annotator.text.python_tree import readable_tree

_CODE_START = re.compile(r"(?:from \w|import \w|def \w|async def \w|class \w|@\w)")
_LITERAL = re.compile(r"[rRuU]?(\"\"\"|'''|\"|')(.*)\1", re.DOTALL)
_INDENT = "    "
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """The parts of a prompt: ``fixed`` ends with the signature's line, ``tail`` follows the docstring.

    ``description`` is the dedented docstring; ``names`` are those that the code before the function defines.
    """

    fixed: str
    indent: str
    description: str
    tail: str
    name: str
    signature: str
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Composed:
    """A prompt for models; ``problem`` says why a description could not be put below the fixed code, or is empty."""

    text: str
    problem: str = ""


def is_python(language: str) -> bool:
    """Return whether prompts of a language can be split; an unnamed language counts as Python."""
    return language.lower() in ("python", "python3", "")


def read_completion(prompt: str, entry_point: str = "") -> Completion | None:
    """Split a prompt into its parts; None if it is not code that ends in a signature, with or without a docstring."""
    tree = readable_tree(prompt)
    has_docstring = tree is not None
    if tree is None:
        # A prompt that ends in a signature parses only with a body.
        tree = readable_tree(f"{prompt.rstrip()}\n{_INDENT}pass\n")
    last = tree.body[-1] if tree is not None and tree.body else None
    if tree is None or not isinstance(last, Function):
        return None
    if entry_point and last.name != entry_point.rpartition(".")[2]:
        return None
    names = frozenset(_defined_names(tree.body[:-1]))
    signature = signature_of(last)
    *imports, last_statement = last.body
    if not all(isinstance(node, ast.Import | ast.ImportFrom) for node in imports):
        return None
    if not has_docstring:
        if not isinstance(last_statement, ast.Pass):
            return None
        return Completion(
            fixed=f"{prompt.rstrip()}\n",
            indent=_INDENT,
            description="",
            tail="\n",
            name=last.name,
            signature=signature,
            names=names,
        )
    if not (
        isinstance(last_statement, ast.Expr)
        and isinstance(last_statement.value, ast.Constant)
        and isinstance(last_statement.value.value, str)
    ):
        return None
    before, after = _split_around(prompt, last_statement)
    head, _, margin = before.rpartition("\n")
    fixed, indent = (f"{head}\n", margin) if not margin.strip() and head else (f"{before.rstrip()}\n", _INDENT)
    tail = after if after.startswith("\n") else f"\n{after}"
    description = _literal_content(prompt[len(before) : len(prompt) - len(after)]) or last_statement.value.value
    return Completion(
        fixed=fixed,
        indent=indent,
        description=inspect.cleandoc(description),
        tail=tail,
        name=last.name,
        signature=signature,
        names=names,
    )


def signature_of(function: Function) -> str:
    """Return a function's signature on one line, without decorators or the colon."""
    word = "async def" if isinstance(function, ast.AsyncFunctionDef) else "def"
    result = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return f"{word} {function.name}({ast.unparse(function.args)}){result}"


def compose_prompt(original: str, paraphrase: str, entry_point: str = "", language: str = "") -> Composed:
    """Return the prompt for models: a description of a function goes below the original's code and signature.

    A paraphrase that is complete code with the same signature is used unchanged, as is that of any other prompt.
    """
    base = read_completion(original, entry_point) if is_python(language) else None
    text = textwrap.dedent(paraphrase.replace("\r\n", "\n")).strip()
    if base is None or not text:
        return Composed(paraphrase)
    problem = _problem_of_code(base, paraphrase, text)
    if problem is not None:
        return Composed(paraphrase, problem)
    quotes = next((mark for mark in ('"""', "'''") if mark not in text), "")
    if not quotes:
        return Composed(paraphrase, Message("It contains both \"\"\" and ''', so it cannot be a docstring."))
    # A raw docstring, so that a typed backslash stays one.
    start = f"{'r' if chr(92) in text else ''}{quotes}"
    ending = "\n" if "\n" in text or text[-1] in "\"'\\" else ""
    inner = textwrap.indent(f"{start}{text}{ending}{quotes}", base.indent)
    composed = f"{base.fixed}{inner}{base.tail}"
    reread = read_completion(composed, base.name)
    if reread is None or reread.signature != base.signature:
        return Composed(paraphrase, Message("It cannot be a docstring: the code would no longer parse as Python."))
    return Composed(composed)


def _problem_of_code(base: Completion, paraphrase: str, text: str) -> str | None:
    """Return the problem of a paraphrase that is code, "" if there is none; None for prose."""
    completion = read_completion(paraphrase, base.name)
    if completion is not None:
        if completion.signature != base.signature:
            fields = {"now": completion.signature, "wanted": base.signature}
            return Message("The signature is `{now}`, but the original has `{wanted}`.", **fields)
        lost = sorted(base.names - completion.names)
        if not lost:
            return ""
        return Message("The code before the function lacks `{name}`, which the original has.", name=lost[0])
    tree = readable_tree(text)
    functions = [node.name for node in tree.body if isinstance(node, Function)] if tree is not None else []
    if base.name in functions:
        return Message("`{name}` has a body already. End with its description.", name=base.name)
    if functions:
        fields = {"name": base.name, "found": functions[-1]}
        return Message("It defines `{found}`, but the original ends in `{name}`.", **fields)
    if tree is None and _CODE_START.match(text) and re.search(rf"^\s*def {re.escape(base.name)}\b", text, re.MULTILINE):
        return Message("It is code that does not parse as Python. Correct it, or write only the description.")
    return None


def complete_reference(prompt: str, reference: str, entry_point: str = "") -> str:
    """Return the program of a prompt and its reference: the fixed code and the body, without the description.

    The description is left out so that its words cannot satisfy a criterion that searches the answer.
    """
    base = read_completion(prompt, entry_point)
    if base is not None:
        program = f"{base.fixed}{reference}"
        if readable_tree(program) is not None:
            return program
    return f"{prompt}{reference}"


def _split_around(prompt: str, node: ast.Expr) -> tuple[str, str]:
    """Return the text before and after a node; the tree counts columns in bytes."""
    lines = [f"{line}\n" for line in prompt.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    first, last = lines[node.lineno - 1].encode(), lines[(node.end_lineno or node.lineno) - 1].encode()
    before = "".join(lines[: node.lineno - 1]) + first[: node.col_offset].decode()
    after = last[node.end_col_offset :].decode() + "".join(lines[node.end_lineno :])
    return before, after


def _literal_content(literal: str) -> str:
    """Return the source between a literal's quotes, with escapes unresolved, as models read it."""
    match = _LITERAL.fullmatch(literal)
    return match[2] if match else ""


def _defined_names(body: list[ast.stmt]) -> set[str]:
    """Return the names that top-level statements import, define or assign."""
    names: set[str] = set()
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, Function | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return names
