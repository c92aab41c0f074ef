"""Find gaps in the description of a task to write a body: unexplained optional parameters, and exceptions and texts
that only the tests mention.

A description cut from a manual often lacks the text after its examples. With the body gone, only the description can
explain what a parameter is for.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from annotator.construction.completion.blanks import BlankItem, find_entry_point
from annotator.construction.languages.language_calls import SCRIPTS
from annotator.construction.languages.tree_sitter_bugs import parse_foreign
from annotator.construction.python_facts import bare_name, quoted_texts, raised_names
from annotator.construction.task_material import Material
from annotator.text.syntax_trees import node_text, walk_nodes

_UNKNOWN_ARGUMENT_COUNT = 1_000
"""More arguments than any function has, so that no parameter counts as optional."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_NAME = re.compile(r"\w+")
_EXPECTS_ERROR = re.compile(r"\b(?:throws|toThrow\w*|rejects)\b")
_LETTERS = re.compile(r"[A-Za-z]{3}")
_TABLE_KEY = re.compile(r"""[{,]\s*["']?([\w$]+)["']?\s*:""")
_REFERENCED_FUNCTION = re.compile(r"\b(?:implementation|version|variant) of `+([^`]+)`")
_OPTIONAL_NODES = ("assignment_pattern", "optional_parameter", "optional_parameter_declaration")


def undescribed_parameters(item: BlankItem) -> tuple[str, ...]:
    """Return the optional parameters of the task's function that neither its description nor its code explains.

    In JavaScript and TypeScript a parameter is optional if a test leaves it out. A parameter counts as explained if the
    description has the words of its name (``base_type`` by "base types"), or if the code contains the name elsewhere.
    """
    described_words = [word.casefold() for word in _WORD.findall(item.material.description)]
    visible_words = _NAME.findall(item.code)
    return tuple(
        name
        for name in optional_parameters(item.material)
        if visible_words.count(name) < 2
        and not all(any(word.startswith(part.casefold()) for word in described_words) for part in _WORD.findall(name))
    )


def missing_reference(material: Material) -> str:
    """Return the function a description refers to ("the base implementation of `_.range`") if the code lacks it."""
    reference = _REFERENCED_FUNCTION.search(material.description)
    return reference[1] if reference and reference[1] not in material.code else ""


def undescribed_results(item: BlankItem) -> tuple[str, ...]:
    """Return the exceptions, texts and keys of tables that the tests require and the prompt does not mention.

    An exception must be in the description: that other code raises it does not say that this function should.
    """
    body = "\n".join(item.fillers)
    visible_text = f"{item.material.description}\n{item.code}"
    tests = "\n".join(test.code for test in item.material.tests)
    visible_words = set(_NAME.findall(visible_text))
    tested_words = set(_NAME.findall(tests))
    exceptions = [bare_name(name) for name in raised_names(body)]
    expects_error = _EXPECTS_ERROR.search(tests) is not None
    described_words = set(_NAME.findall(item.material.description))
    undescribed = [
        name
        for name in exceptions
        if name not in described_words and (name in tested_words or (name == "Error" and expects_error))
    ]
    quoted_in_tests = set(quoted_texts(tests))
    texts = [text for line in body.splitlines() if not raised_names(line) for text in quoted_texts(line)]
    undescribed += [
        text for text in texts if _LETTERS.search(text) and text in quoted_in_tests and text not in visible_text
    ]
    undescribed += [key for key in _TABLE_KEY.findall(body) if key in quoted_in_tests and key not in visible_words]
    return tuple(dict.fromkeys(undescribed))


def optional_parameters(material: Material) -> tuple[str, ...]:
    """Return the parameters of the entry point that a call may leave out.

    Raises `ConstructionError` if the entry point is not found.
    """
    data, entry = find_entry_point(material)
    parameters = entry.child_by_field_name("parameters") or _declared_parameters(entry)
    names = []
    required_count = _min_argument_count(material)
    for index, node in enumerate(parameters.named_children if parameters is not None else ()):
        if index >= required_count or node.type in _OPTIONAL_NODES or node.child_by_field_name("value") is not None:
            name = next((part for part in walk_nodes(_inner_pattern(node)) if part.type == "identifier"), None)
            if name is not None:
                names.append(node_text(name, data))
    return tuple(names)


def _min_argument_count(material: Material) -> int:
    """Return the smallest number of arguments in a script's tests, or a large number if it is unknown."""
    counts = [_UNKNOWN_ARGUMENT_COUNT]
    for test in material.tests if material.language in SCRIPTS else ():
        data = test.code.encode("utf-8", "surrogatepass")
        for node in walk_nodes(parse_foreign(test.code, material.language)):
            function = node.child_by_field_name("function")
            arguments = node.child_by_field_name("arguments")
            if function is None or arguments is None or arguments.type != "arguments":
                continue
            if node_text(function, data) == material.entry_point and all(
                part.type != "spread_element" for part in arguments.named_children
            ):
                counts.append(sum(part.type != "comment" for part in arguments.named_children))
    return min(counts)


def _declared_parameters(entry: Node) -> Node | None:
    """Return the parameters of a C++ function, which are inside its declarator."""
    return next((node for node in walk_nodes(entry) if node.type == "parameter_list"), None)


def _inner_pattern(node: Node) -> Node:
    for field in ("pattern", "left", "declarator"):
        if (inner := node.child_by_field_name(field)) is not None:
            return inner
    return node
