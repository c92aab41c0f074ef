"""Render the prompt for a rewrite in one language: the description as a comment, and the signature."""

from __future__ import annotations

import re
from collections.abc import Sequence

from annotator.mining.parity import ParityTable
from annotator.mining.rendering import JAVA_CLASS, render_types
from annotator.mining.rewriting import Rewrite, TaskSignature
from annotator.text.python_tree import readable_tree

_TYPE = re.compile(
    r"(?:const |unsigned |long |final )*[\w.:]+(?:<[^;(){}]*>)?(?:\[\])*\s*[&*]*"
    r"(?:\s*\|\s*[\w.]+(?:<[^;(){}]*>)?(?:\[\])*)*"
)
"""Matches a possible type of Java, C++ or TypeScript, but not several words of prose."""


def render_statement(rewrite: Rewrite, table: ParityTable, language: str) -> str:
    """Return the description and the signature of a rewrite as source code of one of the five languages.

    A stated type that is not valid in a typed language, or only copies the common signature, is replaced by that of the
    tests.
    """
    signature = rewrite.signatures.get(language, rewrite.after)
    if language == "python":
        return _python_statement(rewrite, signature)
    parameters, returns = _choose_types(rewrite, signature, table, language)
    named_types = list(zip((item.name for item in signature.parameters), parameters, strict=False))
    comment = _comment_block(rewrite, signature, language)
    if language == "javascript":
        return f"{comment}function {signature.name}({', '.join(name for name, _ in named_types)}) {{\n}}\n"
    if language == "typescript":
        listed = ", ".join(f"{name}: {kind}" for name, kind in named_types)
        return f"{comment}function {signature.name}({listed}): {returns} {{\n}}\n"
    listed = ", ".join(f"{kind} {name}" for name, kind in named_types)
    if language == "c++":
        return f"{comment}{returns} {signature.name}({listed});\n"
    body = f"{comment}static {returns} {signature.name}({listed}) {{\n}}\n"
    inside = "".join(f"    {line}".rstrip() + "\n" for line in body.splitlines())
    return f"class {JAVA_CLASS} {{\n{inside}}}\n"


def _choose_types(
    rewrite: Rewrite, signature: TaskSignature, table: ParityTable, language: str
) -> tuple[Sequence[str], str]:
    stated = [item.type for item in signature.parameters]
    common = [item.type for item in rewrite.after.parameters]
    if language == "javascript":
        return stated, signature.returns
    parameter_types, result = render_types(table, language)
    test_types = [*parameter_types, *stated[len(parameter_types) :]]
    parameters = [
        _choose_type(own_type, common[index] if index < len(common) else "", test_types[index])
        for index, own_type in enumerate(stated)
    ]
    return parameters, _choose_type(signature.returns, rewrite.after.returns, result)


def _choose_type(stated: str, common: str, tested: str) -> str:
    """Return the stated type if it was written for this language, else that of the tests."""
    own_type = stated.strip()
    return own_type if own_type and own_type != common.strip() and _TYPE.fullmatch(own_type) else tested


def _description_lines(rewrite: Rewrite, signature: TaskSignature) -> list[str]:
    objective = signature.objective.strip()
    lines = rewrite.requirement.strip().splitlines()
    return [*lines, "", objective] if objective and objective != rewrite.requirement.strip() else lines


def _python_statement(rewrite: Rewrite, signature: TaskSignature) -> str:
    parameters = ", ".join(
        f"{item.name}: {item.type}" if readable_tree(f"x: {item.type}") else item.name for item in signature.parameters
    )
    returns = f" -> {signature.returns}" if readable_tree(f"x: {signature.returns}") else ""
    described = [
        f"{item.name} ({item.type}){': ' + item.meaning if item.meaning else ''}" for item in signature.parameters
    ]
    text = "\n".join([*_description_lines(rewrite, signature), "", *described, _result_text(signature)])
    text = text.replace('"""', "'''").replace("\\", "\\\\")
    inside = "".join(f"    {line}".rstrip() + "\n" for line in text.splitlines())
    return f'def {signature.name}({parameters}){returns}:\n    """{inside.lstrip()}    """\n'


def _result_text(signature: TaskSignature) -> str:
    return ": ".join(filter(None, (f"Returns {signature.returns}".strip(), signature.constraints.strip())))


def _comment_block(rewrite: Rewrite, signature: TaskSignature, language: str) -> str:
    described = []
    for item in signature.parameters:
        kind = f"{{{item.type}}} " if language == "javascript" else ""
        described.append(f"@param {kind}{item.name} {item.meaning}".rstrip())
    kind = f"{{{signature.returns}}} " if language == "javascript" else ""
    returns = f"@returns {kind}{signature.constraints or signature.returns}".rstrip()
    lines = [*_description_lines(rewrite, signature), "", *described, returns]
    inside = "".join(f" * {line}".rstrip() + "\n" for line in "\n".join(lines).replace("*/", "* /").splitlines())
    return f"/**\n{inside} */\n"
