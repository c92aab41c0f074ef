"""Blanks in Java, JavaScript, TypeScript and C++, placed on the tree of tree-sitter
(specification, task construction, 3.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from annotator.construction.blank_form import BLANK, Blank, fits, glued, visible
from annotator.construction.code_facts import Shape
from annotator.construction.edits import Edit
from annotator.construction.foreign import LANGUAGES, tree_of
from annotator.construction.material import ConstructionError, Material

if TYPE_CHECKING:
    from tree_sitter import Node

MOST = 8
"""How many blanks are tried in a program: each is run with every dummy, and compilers are slow."""
_DUMMIES = {"javascript": ("null", "0", "1", "true"), "typescript": ("null", "0", "1", "true"),
            "java": ("null", "0", "1", "true"), "c++": ("{}", "0", "1", "true")}  # fmt: skip
_VALUES = {
    "variable_declarator": "value", "init_declarator": "value", "assignment_expression": "right",
    "augmented_assignment_expression": "right",
}  # fmt: skip
_TESTED = ("if_statement", "while_statement", "do_statement", "for_statement")
_LOOPED = {"for_in_statement": "right", "enhanced_for_statement": "value", "for_range_loop": "right"}
_ARGUMENTS = ("arguments", "argument_list")
_WRAPPED = ("parenthesized_expression", "condition_clause", "expression_statement")
_NAMES = ("identifier", "type_identifier", "namespace_identifier", "shorthand_property_identifier")
_BRANCHES = (*_TESTED, *_LOOPED, "switch_case", "case_statement", "switch_label", "catch_clause", "ternary_expression",
             "conditional_expression", "&&", "||")  # fmt: skip
# What programs use without naming it anywhere else; names with a capital letter are taken for libraries too.
_KNOWN = {"parseInt", "parseFloat", "isNaN", "isFinite", "undefined", "console", "require", "std", "this"}


def places(material: Material) -> list[Blank]:
    """Return where a blank may stand, by the code alone: the `MOST` that hold most. Raises `ConstructionError`."""
    data, entry = entry_of(material)
    names = _counted(tree_of(material.code, material.language), data)
    found = {}
    for node, owner, removed in _nodes(_block(entry, material)):
        start, end = node.start_byte, node.end_byte
        filler = data[start:end].decode("utf-8", "surrogatepass")
        first, last = node.start_point[0] + 1, node.end_point[0] + 1
        if not fits(filler) or glued(data, start, end) or visible(material.code, filler, first, last):
            continue
        own = _bound(node, data)
        if any(
            names[name] == count and not _known(name) for name, count in _counted(node, data).items() if name not in own
        ):
            continue
        dummies = [Edit(start, end, text) for text in _DUMMIES[material.language]]
        left = node.child_by_field_name("left") if node.type == "binary_expression" else None
        if left is not None:
            dummies.append(Edit(start, end, data[left.start_byte : left.end_byte].decode("utf-8", "surrogatepass")))
        dummies.append(removed or Edit(owner.start_byte, owner.end_byte, ";"))
        found[start, end] = Blank(Edit(start, end, BLANK), filler, first, tuple(dummies))
    heaviest = sorted(found.values(), key=_weight)[:MOST]
    return sorted(heaviest, key=_place)


def body(material: Material) -> tuple[Edit, str, int]:
    """Return the edit that leaves a blank of a function's body, what stood there and its first line.

    Comments at the beginning of the body describe the task, and stay. Raises `ConstructionError`.
    """
    data, entry = entry_of(material)
    statements = _block(entry, material).named_children
    while statements and "comment" in statements[0].type:
        statements = statements[1:]
    if not statements:
        raise ConstructionError(f"{material.key} has no body that could be left out.")
    start, end = statements[0].start_byte, statements[-1].end_byte
    filler = data[start:end].decode("utf-8", "surrogatepass")
    return Edit(start, end, BLANK), filler, statements[0].start_point[0] + 1


def whole_statements(material: Material) -> set[tuple[int, int]]:
    """Return the places whose blanks would leave nothing of the body."""
    _, entry = entry_of(material)
    found = set()
    for node in _block(entry, material).named_children:
        if "comment" not in node.type:
            inner = node.named_children[-1] if node.type == "return_statement" and node.named_children else node
            value = next((item.child_by_field_name(_VALUES[item.type]) for item in node.named_children
                          if item.type in _VALUES), None)  # fmt: skip
            chosen = value or inner
            found.add((chosen.start_byte, chosen.end_byte))
    return found


def shape(material: Material) -> Shape:
    """Return how large the function is: lines of its body without comments and blanks; cyclomatic number."""
    data, entry = entry_of(material)
    block = _block(entry, material)
    texts = data[block.start_byte + 1 : block.end_byte - 1].decode("utf-8", "surrogatepass").splitlines()
    lines = sum(1 for line in texts if line.strip() and not line.lstrip().startswith(("//", "/*", "*")))
    return Shape(lines, 1 + sum(node.type in _BRANCHES for node in walk(block)))


def defines(answer: str, material: Material) -> bool:
    """Tell whether an answer defines the entry point, so that it is a whole program."""
    data = answer.encode("utf-8", "surrogatepass")
    return _find(tree_of(answer, material.language), data, material.entry_point) is not None


# -- the tree ----------------------------------------------------------------------------------------------------


def entry_of(material: Material) -> tuple[bytes, Node]:
    """Return a program's bytes and the node of its entry point. Raises `ConstructionError` if there is none."""
    if material.language not in LANGUAGES:
        raise ConstructionError(f"Functions are read in Python, {', '.join(LANGUAGES)}; not in {material.language}.")
    data = material.code.encode("utf-8", "surrogatepass")
    entry = _find(tree_of(material.code, material.language), data, material.entry_point)
    if entry is None:
        raise ConstructionError(f"There is no function {material.entry_point} in {material.key}.")
    return data, entry


def _find(root: Node, data: bytes, entry_point: str) -> Node | None:
    """Return the function of a name: declared, a method, or a value that is given the name."""
    wanted = entry_point.rpartition(".")[2].encode()
    for node in walk(root):
        if not wanted or node.child_by_field_name("body") is None:
            continue
        named = node.child_by_field_name("name") or node.child_by_field_name("declarator")
        if named is None and node.parent is not None and node.parent.type == "variable_declarator":
            named = node.parent.child_by_field_name("name")
        # The declarator of C++ holds the parameters, and may hold more than one name.
        while named is not None and (inner := named.child_by_field_name("declarator")) is not None:
            named = inner
        if named is not None and data[named.start_byte : named.end_byte].rpartition(b"::")[2] == wanted:
            return node
    return None


def _block(entry: Node, material: Material) -> Node:
    found = entry.child_by_field_name("body")
    if found is None or not found.type.endswith(("block", "compound_statement", "constructor_body")):
        raise ConstructionError(f"{material.key} has no body of statements.")
    return found


def walk(root: Node) -> Iterator[Node]:
    """Yield a node and all below it, in the order of the text."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack += reversed(node.children)


def _nodes(block: Node) -> Iterator[tuple[Node, Node, Edit | None]]:
    """Yield expressions for blanks, the statement around them, and the edit that removes the expression alone."""
    for node in walk(block):
        if node.type in _VALUES:
            value = node.child_by_field_name(_VALUES[node.type])
            if value is not None:
                yield value, _statement(node), None
        elif node.type == "return_statement" and node.named_children:
            yield node.named_children[0], node, None
        elif node.type in _TESTED and (held := node.child_by_field_name("condition")) is not None:
            test = held.named_children[-1] if held.type in _WRAPPED and held.named_children else held
            yield test, node, Edit(test.start_byte, test.end_byte, "false")
        elif node.type in _LOOPED and (source := node.child_by_field_name(_LOOPED[node.type])) is not None:
            yield source, node, None
        elif node.type in _ARGUMENTS:
            for argument in node.named_children:
                if argument.type != "spread_element" and "comment" not in argument.type:
                    yield argument, _statement(node), _without(node, argument)


def _statement(node: Node) -> Node:
    while node.parent is not None and not node.type.endswith(("_statement", "_declaration", "declaration")):
        node = node.parent
    return node


def _without(arguments: Node, argument: Node) -> Edit:
    """Return the edit that drops an argument with its comma."""
    listed = arguments.named_children
    at = listed.index(argument)
    start, end = argument.start_byte, argument.end_byte
    if at:
        start = listed[at - 1].end_byte
    elif len(listed) > 1:
        end = listed[1].start_byte
    return Edit(start, end, "")


def _counted(node: Node, data: bytes) -> dict[str, int]:
    """Return how often each name stands in a node."""
    found: dict[str, int] = {}
    for item in walk(node):
        if item.type in _NAMES and not _of_library(item):
            name = data[item.start_byte : item.end_byte].decode("utf-8", "surrogatepass")
            found[name] = found.get(name, 0) + 1
    return found


def _of_library(name: Node) -> bool:
    """Tell whether a name is one of a thing that stands before it (``Math.max``, ``std::max``)."""
    around = name.parent
    if around is not None and around.type == "template_function":
        name, around = around, around.parent
    if around is None:
        return False
    if around.type == "method_invocation":
        return around.child_by_field_name("object") is not None and around.child_by_field_name("name") == name
    return around.type == "qualified_identifier" and around.child_by_field_name("name") == name


def _bound(node: Node, data: bytes) -> set[str]:
    """Return the parameters of functions that stand in a node."""
    found: set[str] = set()
    for item in walk(node):
        for field in ("parameters", "parameter"):
            given = item.child_by_field_name(field)
            if given is not None:
                found.update(_counted(given, data))
    return found


def _known(name: str) -> bool:
    return name in _KNOWN or name[:1].isupper()


def _weight(blank: Blank) -> tuple[int, int]:
    return blank.weight


def _place(blank: Blank) -> int:
    return blank.edit.start
