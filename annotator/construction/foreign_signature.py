"""What stands before the body of a function in Java, JavaScript, TypeScript or C++: names, types, how it is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotator.construction.foreign_blanks import entry_of, walk
from annotator.construction.material import ConstructionError, Material

if TYPE_CHECKING:
    from tree_sitter import Node

SCRIPTS = ("javascript", "typescript")
_CLASSES = ("class_declaration", "record_declaration", "enum_declaration", "class_specifier", "struct_specifier")
_UNFOLLOWED = ("generator_function_declaration", "template_declaration", "type_parameters", "generator_function")
_BODIES = ("statement_block", "block", "compound_statement")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter's name and its type as it is written (empty in JavaScript)."""

    name: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Signature:
    """How a function is called: ``call`` is what stands before the arguments, ``head`` the text before its body.

    Places are bytes of the code: ``start`` of the definition, ``name`` and ``end`` of its name, ``last`` after it.
    ``blocks`` are the places after the brackets that open blocks of statements in it.
    """

    parameters: tuple[Parameter, ...]
    result: str
    call: str
    head: str
    start: int
    name: tuple[int, int]
    last: int
    blocks: tuple[int, ...]
    in_class: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(item.name for item in self.parameters)


def signature_of(material: Material) -> Signature:
    """Return the signature of the entry point.

    Raises `ConstructionError` where calls cannot be followed or written: no such function, parameters that are taken
    apart or vary in number, type parameters, nothing returned, a method of an object in JavaScript.
    """
    data, entry = entry_of(material)
    key = material.key
    if any(node.type in _UNFOLLOWED for node in (entry, *entry.children, *_around(entry))) or _is_async(entry):
        raise ConstructionError(f"Calls of {key} cannot be followed: its function is generic, async or a generator.")
    if material.language in SCRIPTS:
        return _script(data, entry, material)
    return _java(data, entry, material) if material.language == "java" else _cpp(data, entry, material)


def _around(node: Node) -> list[Node]:
    found = []
    while node.parent is not None:
        node = node.parent
        found.append(node)
    return found


def _is_async(entry: Node) -> bool:
    return any(child.type == "async" for child in entry.children)


def _text(node: Node, data: bytes) -> str:
    return data[node.start_byte : node.end_byte].decode("utf-8", "surrogatepass")


def _blocks(entry: Node) -> tuple[int, ...]:
    return tuple(node.start_byte + 1 for node in walk(entry) if node.type in _BODIES)


def _field(node: Node, name: str, material: Material) -> Node:
    found = node.child_by_field_name(name)
    if found is None:
        raise ConstructionError(f"Calls of {material.key} cannot be followed: its function has no {name}.")
    return found


def _refused(material: Material) -> ConstructionError:
    return ConstructionError(f"Calls of {material.key} cannot be followed: its parameters are of an unknown form.")


def _script(data: bytes, entry: Node, material: Material) -> Signature:
    owner = entry if entry.type == "function_declaration" else entry.parent
    if owner is None or owner.type not in ("function_declaration", "variable_declarator"):
        raise ConstructionError(f"Calls of {material.key} cannot be followed: it is no function of the top level.")
    if any(node.type in (*_BODIES, "class_body") for node in _around(owner)):
        raise ConstructionError(f"Calls of {material.key} cannot be followed: it is no function of the top level.")
    single = entry.child_by_field_name("parameter")
    given = [single] if single is not None else _field(entry, "parameters", material).named_children
    parameters = []
    for node in given:
        held = node.child_by_field_name("pattern") or node.child_by_field_name("left") or node
        if held.type == "comment":
            continue
        if held.type != "identifier":
            raise _refused(material)
        parameters.append(Parameter(_text(held, data)))
    name = _field(owner, "name", material)
    return Signature(
        tuple(parameters), "", _text(name, data), "", owner.start_byte, (name.start_byte, name.end_byte),
        owner.end_byte, _blocks(entry),
    )  # fmt: skip


def _classes(entry: Node, data: bytes, material: Material) -> list[str]:
    found = [node for node in _around(entry) if node.type in _CLASSES]
    return [_text(_field(node, "name", material), data) for node in reversed(found)]


def _java(data: bytes, entry: Node, material: Material) -> Signature:
    if entry.type != "method_declaration":
        raise ConstructionError(f"Calls of {material.key} cannot be followed: it is no method.")
    parameters = []
    for node in _field(entry, "parameters", material).named_children:
        name, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
        if node.type != "formal_parameter" or name is None or kind is None or node.child_by_field_name("dimensions"):
            raise _refused(material)
        parameters.append(Parameter(_text(name, data), _text(kind, data)))
    result = _text(_field(entry, "type", material), data)
    name, body = _field(entry, "name", material), _field(entry, "body", material)
    fixed = any(node.type == "modifiers" and "static" in _text(node, data).split() for node in entry.children)
    classes = ".".join(_classes(entry, data, material))
    call = f"{classes}.{_text(name, data)}" if fixed else f"new {classes}().{_text(name, data)}"
    return _typed(data, entry, name, body, tuple(parameters), result, call, material)


def _cpp(data: bytes, entry: Node, material: Material) -> Signature:
    declarator = _field(entry, "declarator", material)
    while declarator.type != "function_declarator":
        declarator = _field(declarator, "declarator", material)
    parameters = []
    for node in _field(declarator, "parameters", material).named_children:
        inner = node.child_by_field_name("declarator")
        while inner is not None and inner.type == "reference_declarator":
            inner = inner.named_children[-1] if inner.named_children else None
        if node.type not in ("parameter_declaration", "optional_parameter_declaration") or inner is None:
            raise _refused(material)
        if inner.type != "identifier":
            raise _refused(material)
        kind = data[node.start_byte : inner.start_byte].decode("utf-8", "surrogatepass")
        parameters.append(Parameter(_text(inner, data), kind.strip()))
    name, body = _field(declarator, "declarator", material), _field(entry, "body", material)
    result = _text(_field(entry, "type", material), data)
    classes = _classes(entry, data, material)
    spoken = _text(name, data)
    call = f"{'::'.join(classes)}().{spoken}" if classes else spoken
    return _typed(data, entry, name, body, tuple(parameters), result, call, material)


def _typed(
    data: bytes, entry: Node, name: Node, body: Node, parameters: tuple[Parameter, ...], result: str, call: str,
    material: Material,
) -> Signature:  # fmt: skip
    if result == "void" or not result:
        raise ConstructionError(f"Calls of {material.key} cannot be followed: its function returns nothing.")
    head = data[entry.start_byte : body.start_byte].decode("utf-8", "surrogatepass")
    return Signature(
        parameters, result, call, head, entry.start_byte, (name.start_byte, name.end_byte), entry.end_byte,
        _blocks(entry), any(node.type in _CLASSES for node in _around(entry)),
    )  # fmt: skip
