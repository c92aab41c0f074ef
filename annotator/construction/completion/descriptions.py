"""Find what a task of writing a body does not say: optional parameters that nobody can know the meaning of, exceptions
and texts that its tests want.

A description that was cut from a manual often leaves out what comes after its examples. The code shows what a parameter
is for as long as it is there; without the body only the description does.
"""

from __future__ import annotations

import ast
import re

from tree_sitter import Node

from annotator.construction.completion.blanks import BlankItem, entry_of
from annotator.construction.languages.calls import SCRIPTS
from annotator.construction.languages.tree_sitter_bugs import tree_of
from annotator.construction.material import PYTHON, Material
from annotator.construction.named_in_code import bare_name, quoted_texts, raised_names
from annotator.text.python_tree import read_tree
from annotator.text.syntax_trees import node_text, walk_nodes

_MANY = 1_000
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_NAME = re.compile(r"\w+")
_EXPECTED = re.compile(r"\b(?:throws|toThrow\w*|rejects)\b")
_WORDS = re.compile(r"[A-Za-z]{3}")
_KEY = re.compile(r"""[{,]\s*["']?([\w$]+)["']?\s*:""")
_REFERENCE = re.compile(r"\b(?:implementation|version|variant) of `+([^`]+)`")
_OPTIONAL = ("assignment_pattern", "optional_parameter", "optional_parameter_declaration")


def undescribed_parameters(item: BlankItem) -> tuple[str, ...]:
    """Return the optional parameters of a function whose body is to be written that nothing shown tells of.

    In scripts those are optional that a test leaves out.

    What counts is a description that has the words of the name (``base_type`` by "base types"), or other code that is
    shown and has the name itself: a function that the body may call, or a comment.
    """
    described = [word.casefold() for word in _WORD.findall(item.material.description)]
    shown = _NAME.findall(item.code)
    return tuple(
        name
        for name in optional_parameters(item.material)
        if shown.count(name) < 2
        and not all(any(word.startswith(part.casefold()) for word in described) for part in _WORD.findall(name))
    )


def told_elsewhere(material: Material) -> str:
    """Return what a description only refers to, as "the base implementation of `_.range`" does, if it is not shown."""
    found = _REFERENCE.search(material.description)
    return found[1] if found and found[1] not in material.code else ""


def untold_results(item: BlankItem) -> tuple[str, ...]:
    """Return the exceptions, texts and keys of tables in what is to be written that its tests name, and nothing that is
    shown does. That other code raises an exception does not say that this shall."""
    body, shown = "\n".join(item.fillers), f"{item.material.description}\n{item.code}"
    tests = "\n".join(test.code for test in item.material.tests)
    known, wanted = set(_NAME.findall(shown)), set(_NAME.findall(tests))
    raised = [bare_name(name) for name in raised_names(body)]
    expects = _EXPECTED.search(tests) is not None
    told = set(_NAME.findall(item.material.description))
    found = [name for name in raised if name not in told and (name in wanted or (name == "Error" and expects))]
    quoted = set(quoted_texts(tests))
    texts = [text for line in body.splitlines() if not raised_names(line) for text in quoted_texts(line)]
    found += [text for text in texts if _WORDS.search(text) and text in quoted and text not in shown]
    found += [key for key in _KEY.findall(body) if key in quoted and key not in known]
    return tuple(dict.fromkeys(found))


def optional_parameters(material: Material) -> tuple[str, ...]:
    """Return the parameters of the entry point that a call may leave out. Raises `ConstructionError` for no entry."""
    if material.language == PYTHON:
        return _of_python(material)
    data, entry = entry_of(material)
    parameters = entry.child_by_field_name("parameters") or _declared_parameters(entry)
    found = []
    always = _fewest_arguments(material)
    for place, node in enumerate(parameters.named_children if parameters is not None else ()):
        if place >= always or node.type in _OPTIONAL or node.child_by_field_name("value") is not None:
            name = next((part for part in walk_nodes(_pattern(node)) if part.type == "identifier"), None)
            if name is not None:
                found.append(node_text(name, data))
    return tuple(found)


def _fewest_arguments(material: Material) -> int:
    """Return how many arguments the tests of a script give at least; a large number where it cannot be told."""
    counts = [_MANY]
    for test in material.tests if material.language in SCRIPTS else ():
        data = test.code.encode("utf-8", "surrogatepass")
        for node in walk_nodes(tree_of(test.code, material.language)):
            called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
            if called is None or given is None or given.type != "arguments":
                continue
            if node_text(called, data) == material.entry_point and all(
                part.type != "spread_element" for part in given.named_children
            ):
                counts.append(sum(part.type != "comment" for part in given.named_children))
    return min(counts)


def _of_python(material: Material) -> tuple[str, ...]:
    for node in ast.walk(read_tree(material.code)):
        if isinstance(node, ast.FunctionDef) and node.name == material.entry_point.rpartition(".")[2]:
            given = node.args
            placed = [*given.posonlyargs, *given.args]
            named = [name for name, value in zip(given.kwonlyargs, given.kw_defaults, strict=True) if value is not None]
            return tuple(name.arg for name in (*placed[len(placed) - len(given.defaults) :], *named))
    return ()


def _declared_parameters(entry: Node) -> Node | None:
    """Return the parameters of a function in C++, which stand in its declarator."""
    return next((node for node in walk_nodes(entry) if node.type == "parameter_list"), None)


def _pattern(node: Node) -> Node:
    for field in ("pattern", "left", "declarator"):
        if (found := node.child_by_field_name(field)) is not None:
            return found
    return node
