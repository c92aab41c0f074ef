"""Find the objects of its repository that a generated function uses (metrics specification, 1.3).

Names are resolved as if the function were in its place in the repository: first in the program itself, then in the file
around it, if the release has that file. Otherwise a free name resolves to the reference name with the same ending, else
to an object of the function's own module; attributes of objects of unknown class are matched by their ending as well.
Builtins and objects of other packages are not dependencies.

The reference is analysed in the same way, and names that this analysis misses are not expected of answers, so that the
recall of the reference is 1.
"""

from __future__ import annotations

import ast
import builtins
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from annotator.answers.choice import find_code
from annotator.answers.code import code_spec_for
from annotator.evaluation.released_items import Item, text_of
from annotator.text.python_tree import readable_tree, tree_or_empty

GROUPS = ("intra_class", "intra_file", "cross_file")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NAMING_NODES = (*_FUNCTIONS, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
_BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionLocation:
    """The location of a function: its module's dotted name, its class ("" for none), its own name.

    ``reference`` are the qualified names that its reference uses; ``file_names`` maps the names in its file to
    qualified names.
    """

    module: str
    owner: str
    name: str
    reference: frozenset[str]
    file_names: Mapping[str, str] = field(default_factory=dict)

    @property
    def package(self) -> str:
        """The first part of the module's name."""
        return self.module.partition(".")[0]


def locate_function(item: Item) -> FunctionLocation | None:
    """Return the location of an item's function; None if the item does not list what its reference uses."""
    dependencies = item.get("dependencies")
    if not isinstance(dependencies, Mapping) or not any(
        isinstance(dependencies.get(name), (list, tuple)) for name in GROUPS
    ):
        return None
    reference = frozenset(str(name) for group in GROUPS for name in dependencies.get(group) or ())
    provenance = item.get("provenance")
    provenance_fields = provenance if isinstance(provenance, Mapping) else {}
    path = (
        str(provenance_fields.get("path") or "")
        .removesuffix(".py")
        .removesuffix("/__init__")
        .replace("/", ".")
        .strip(".")
    )
    qualified = text_of(item, "entry_point", "qualified_name")
    module = path
    namespace = str(provenance_fields.get("namespace") or "")
    if namespace:
        # The namespace is module, class and function. The part that the path ends with is the module.
        parts = namespace.split(".")
        module = next(
            (
                ".".join(parts[:length])
                for length in range(len(parts) - 1, 0, -1)
                if _ends_with(path, ".".join(parts[:length]))
            ),
            ".".join(parts[:-1]),
        )
        qualified = namespace[len(module) + 1 :]
    own_names = [str(name) for group in GROUPS[:2] for name in dependencies.get(group) or ()]
    for start in range(len(module.split("."))):
        # Paths may begin with the repository's folder or "src", but names never do.
        shorter = ".".join(module.split(".")[start:])
        if any(name.startswith(f"{shorter}.") for name in own_names):
            module = shorter
            break
    location = FunctionLocation(
        module=module,
        owner=qualified.rpartition(".")[0],
        name=qualified.rpartition(".")[2],
        reference=reference,
        file_names=_top_level_targets(text_of(item, "context", "context_above"), module),
    )
    return replace(location, reference=_visible_names(text_of(item, "reference"), location))


def _visible_names(reference: str, location: FunctionLocation) -> frozenset[str]:
    """Return the listed names that the analysis finds in a reference; all of them if its function is missing."""
    tree = tree_or_empty(textwrap.dedent(reference))
    visible = location.reference & _names_in(tree, location)
    is_defined = any(isinstance(node, _FUNCTIONS) and node.name == location.name for node in tree.body)
    return visible if visible or is_defined else location.reference


def find_used_names(answer: str, location: FunctionLocation) -> frozenset[str] | None:
    """Return the qualified names of repository objects that an answer's function uses; None if it does not parse.

    ``answer`` is a model's text. The function with the location's name and the answer's other functions are read, or
    the whole answer if it has no function of that name.
    """
    tree = readable_tree(find_code(answer, code_spec_for("python", location.name)).text)
    return _names_in(tree, location) if tree is not None else None


def _names_in(tree: ast.Module, location: FunctionLocation) -> frozenset[str]:
    names = dict(location.file_names)
    _add_imported_names(tree.body, location.module, names)
    helpers = {node.name for node in tree.body if isinstance(node, (*_FUNCTIONS, ast.ClassDef))} - {location.name}
    finder = _AnswerDependencyFinder(
        location, {name: target for name, target in names.items() if name not in helpers}, helpers
    )
    definitions = [node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS) and node.name == location.name]
    roots: list[ast.AST] = [definitions[-1]] if definitions else [tree]
    if definitions:
        roots += [node for node in tree.body if isinstance(node, _FUNCTIONS) and node.name in helpers]
    for root in roots:
        finder.collect(root)
    own_name = (
        f"{location.module}.{location.owner}.{location.name}"
        if location.owner
        else f"{location.module}.{location.name}"
    )
    return frozenset(finder.names - {own_name})


def _ends_with(path: str, name: str) -> bool:
    return path == name or path.endswith(f".{name}")


def _top_level_targets(source: str, module: str) -> dict[str, str]:
    """Return the qualified names of a file's top-level names; empty for a text that does not parse."""
    names: dict[str, str] = {}
    tree = tree_or_empty(source)
    for node in tree.body:
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            names[node.name] = f"{module}.{node.name}"
        alias_target = node.value.id if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) else ""
        for target in _assigned_names(node):
            # ``LIMIT = OTHER`` makes another name for the same object.
            names[target] = names.get(alias_target) or f"{module}.{target}"
    _add_imported_names(tree.body, module, names)
    return names


def _assigned_names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        for part in node.targets if isinstance(node, ast.Assign) else [node.target]:
            yield from (name_node.id for name_node in ast.walk(part) if isinstance(name_node, ast.Name))


def _add_imported_names(body: Iterable[ast.stmt], module: str, names: dict[str, str]) -> None:
    """Add the names that imports bind, as dotted names."""
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    names[alias.asname or alias.name.partition(".")[0]] = (
                        alias.name if alias.asname else alias.name.partition(".")[0]
                    )
            elif isinstance(node, ast.ImportFrom):
                source = node.module or ""
                if node.level:
                    package_parts = module.split(".")[: -node.level]
                    source = ".".join([*package_parts, *([source] if source else [])])
                for alias in node.names:
                    names[alias.asname or alias.name] = f"{source}.{alias.name}"


class _AnswerDependencyFinder:
    def __init__(self, location: FunctionLocation, file_names: Mapping[str, str], helpers: set[str]) -> None:
        self._location = location
        self._file_names = file_names
        self._helpers = helpers
        self._by_last_part: dict[str, list[str]] = {}
        for name in sorted(location.reference):
            self._by_last_part.setdefault(name.rpartition(".")[2], []).append(name)
        self.names: set[str] = set()

    def collect(self, root: ast.AST) -> None:
        """Add the objects that a function names."""
        local_names = _bound_names(root)
        receiver = self._receiver(root)
        pending: list[ast.AST] = list(ast.iter_child_nodes(root))
        while pending:
            node = pending.pop()
            parts = _dotted_parts(node)
            if parts and isinstance(node, (ast.Attribute, ast.Name)):
                self._add_reference(parts, local_names, receiver)
                continue
            if isinstance(node, ast.Attribute):
                self._add_by_ending([node.attr])
            pending.extend(ast.iter_child_nodes(node))

    def _receiver(self, root: ast.AST) -> str:
        if not self._location.owner or not isinstance(root, _FUNCTIONS) or root.name != self._location.name:
            return ""
        is_static = any(
            isinstance(decorator, ast.Name) and decorator.id == "staticmethod" for decorator in root.decorator_list
        )
        arguments = [*root.args.posonlyargs, *root.args.args]
        return arguments[0].arg if arguments and not is_static else ""

    def _add_reference(self, parts: list[str], local_names: set[str], receiver: str) -> None:
        first_name = parts[0]
        location = self._location
        if first_name == receiver and receiver:
            if len(parts) > 1:
                self.names.add(f"{location.module}.{location.owner}.{parts[1]}")
                self._add_by_ending(parts[1:])
            return
        if first_name in local_names or first_name in self._helpers:
            self._add_by_ending(parts[1:])
            return
        if first_name in self._file_names:
            target = self._file_names[first_name]
            module, _, last = target.rpartition(".")
            if module == location.module and target not in location.reference:
                # A context may include definitions of other files as if they were its own.
                self.names.update(self._names_ending_like([last, *parts[1:]]) or {target})
            elif self._is_own(target):
                self._add_chain(target, parts[1:])
            if self._is_own(target):
                self._add_by_ending(parts[1:])
            return
        matches = self._names_ending_like(parts)
        if matches:
            self.names.update(matches)
        elif first_name not in _BUILTINS:
            self.names.add(f"{location.module}.{first_name}")

    def _add_by_ending(self, attributes: Iterable[str]) -> None:
        """Add attributes of objects of unknown class: the reference names with the same ending."""
        for name in attributes:
            self.names.update(self._names_ending_like([name]))

    def _is_own(self, target: str) -> bool:
        roots = {self._location.package, *(name.partition(".")[0] for name in self._location.reference)}
        return target.partition(".")[0] in roots

    def _add_chain(self, target: str, attributes: list[str]) -> None:
        """Add an object and those of its attributes that the reference uses. A module itself is not an object."""
        names = [".".join([target, *attributes[:length]]) for length in range(len(attributes) + 1)]
        known_names = [name for name in names if self._matching_names(name)]
        if known_names:
            self.names.update(full_name for name in known_names for full_name in self._matching_names(name))
        elif not any(name.startswith(f"{target}.") for name in self._location.reference) or not attributes:
            self.names.add(target)
        else:
            self.names.add(names[1])

    def _matching_names(self, name: str) -> list[str]:
        """Return the reference names for a name: itself, or objects that its package re-exports from a module."""
        if name in self._location.reference:
            return [name]
        package, _, last = name.rpartition(".")
        return [
            full_name
            for full_name in self._by_last_part.get(last, ())
            if package and full_name.startswith(f"{package}.")
        ]

    def _names_ending_like(self, parts: list[str]) -> list[str]:
        """Return the reference names that end in the longest matching beginning of a free name."""
        for length in range(len(parts), 0, -1):
            tail = ".".join(parts[:length])
            matches = [name for name in self._by_last_part.get(parts[length - 1], ()) if name.endswith(f".{tail}")]
            if matches:
                return matches
        return []


def _dotted_parts(node: ast.AST) -> list[str]:
    """Return the parts of a dotted name that is read, first part first; nothing for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or (not parts and not isinstance(node.ctx, ast.Load)):
        return []
    return [node.id, *reversed(parts)]


def _bound_names(root: ast.AST) -> set[str]:
    """Return every name that a function binds somewhere inside: arguments, assignments, loops, handlers, patterns."""
    names: set[str] = set()
    for node in ast.walk(root):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, _NAMING_NODES) and node is not root and node.name:
            names.add(node.name)
        elif isinstance(node, ast.Global):
            names.difference_update(node.names)
    return names


def locate_functions(items: Iterable[Mapping[str, Any]]) -> dict[str, FunctionLocation]:
    """Return, by item id, the function locations of all items that list what their reference uses."""
    locations = {str(item["id"]): locate_function(item) for item in items}
    return {key: location for key, location in locations.items() if location is not None}
