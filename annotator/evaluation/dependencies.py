"""Which objects of its repository a generated function names (metrics specification, 1.3).

The program is read as if it stood in its place: its names are looked up in itself, then in the file around it, as far
as the release knows that. Where it does not, a free name stands for the reference name that ends like it, else for
something of the function's own module; so does what is asked of an object whose class reading does not tell. What the
language and other packages bring is no dependency.

The reference is read in the same way, and what cannot be seen in it is not asked of answers: its recall is 1.
"""

from __future__ import annotations

import ast
import builtins
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from annotator.answers.code import find_code, wanted_code
from annotator.evaluation.items import Item, text_of
from annotator.text.python_tree import readable_tree, tree_or_empty

GROUPS = ("intra_class", "intra_file", "cross_file")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NAMED = (*_FUNCTIONS, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
_BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a function stands: its module's dotted name, its class (empty: none), its own name.

    ``reference`` are the names seen in its reference; ``around`` maps names of the file to what they stand for.
    """

    module: str
    owner: str
    name: str
    reference: frozenset[str]
    around: Mapping[str, str] = field(default_factory=dict)

    @property
    def package(self) -> str:
        """The first part of the module's name: what begins otherwise is another package."""
        return self.module.partition(".")[0]


def place_of(item: Item) -> Place | None:
    """Return where an item's function stands; None if the item does not say what its reference uses."""
    needs = item.get("dependencies")
    if not isinstance(needs, Mapping) or not any(isinstance(needs.get(name), (list, tuple)) for name in GROUPS):
        return None
    reference = frozenset(str(name) for group in GROUPS for name in needs.get(group) or ())
    provenance = item.get("provenance")
    told = provenance if isinstance(provenance, Mapping) else {}
    path = str(told.get("path") or "").removesuffix(".py").removesuffix("/__init__").replace("/", ".").strip(".")
    qualified = text_of(item, "entry_point", "qualified_name")
    module = path
    namespace = str(told.get("namespace") or "")
    if namespace:
        # The namespace ends in class and function; its beginning is the module wherever the repository's root is.
        parts = namespace.split(".")
        module = next(
            (".".join(parts[:at]) for at in range(len(parts) - 1, 0, -1) if _ends(path, ".".join(parts[:at]))),
            ".".join(parts[:-1]),
        )
        qualified = namespace[len(module) + 1 :]
    own = [str(name) for group in GROUPS[:2] for name in needs.get(group) or ()]
    for start in range(len(module.split("."))):
        # A repository's folder or "src" stands before the package in paths, never in names.
        shorter = ".".join(module.split(".")[start:])
        if any(name.startswith(f"{shorter}.") for name in own):
            module = shorter
            break
    place = Place(
        module=module,
        owner=qualified.rpartition(".")[0],
        name=qualified.rpartition(".")[2],
        reference=reference,
        around=_around(text_of(item, "context", "context_above"), module),
    )
    return replace(place, reference=_seen(text_of(item, "reference"), place))


def _seen(reference: str, place: Place) -> frozenset[str]:
    """Return the names that can be seen in a reference; all it is said to use if its function is not there."""
    tree = tree_or_empty(textwrap.dedent(reference))
    seen = place.reference & _names_in(tree, place)
    whole = any(isinstance(node, _FUNCTIONS) and node.name == place.name for node in tree.body)
    return seen if seen or whole else place.reference


def names_used(answer: str, place: Place) -> frozenset[str] | None:
    """Return the qualified names of repository objects that an answer's function uses; None if it does not parse.

    ``answer`` is a model's text. The function of the place's name counts with everything it calls of the answer
    itself; without one of that name all of the answer does.
    """
    tree = readable_tree(find_code(answer, wanted_code("python", place.name)).text)
    return _names_in(tree, place) if tree is not None else None


def _names_in(tree: ast.Module, place: Place) -> frozenset[str]:
    around = dict(place.around)
    _bind(tree.body, place.module, around)
    helpers = {node.name for node in tree.body if isinstance(node, (*_FUNCTIONS, ast.ClassDef))} - {place.name}
    found = _Finder(place, {name: target for name, target in around.items() if name not in helpers}, helpers)
    mine = [node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS) and node.name == place.name]
    roots: list[ast.AST] = [mine[-1]] if mine else [tree]
    if mine:
        roots += [node for node in tree.body if isinstance(node, _FUNCTIONS) and node.name in helpers]
    for root in roots:
        found.look(root)
    own = f"{place.module}.{place.owner}.{place.name}" if place.owner else f"{place.module}.{place.name}"
    return frozenset(found.names - {own})


def _ends(path: str, name: str) -> bool:
    return path == name or path.endswith(f".{name}")


def _around(source: str, module: str) -> dict[str, str]:
    """Return what the top-level names of a file stand for; nothing for a text that does not parse."""
    found: dict[str, str] = {}
    tree = tree_or_empty(source)
    for node in tree.body:
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            found[node.name] = f"{module}.{node.name}"
        same = node.value.id if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) else ""
        for target in _targets(node):
            # ``LIMIT = OTHER`` is another name of the same thing.
            found[target] = found.get(same) or f"{module}.{target}"
    _bind(tree.body, module, found)
    return found


def _targets(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        for part in node.targets if isinstance(node, ast.Assign) else [node.target]:
            yield from (inner.id for inner in ast.walk(part) if isinstance(inner, ast.Name))


def _bind(body: Iterable[ast.stmt], module: str, names: dict[str, str]) -> None:
    """Enter what imports bind, as dotted names."""
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
                    before = module.split(".")[: -node.level]
                    source = ".".join([*before, *([source] if source else [])])
                for alias in node.names:
                    names[alias.asname or alias.name] = f"{source}.{alias.name}"


class _Finder:
    def __init__(self, place: Place, around: Mapping[str, str], helpers: set[str]) -> None:
        self._place, self._around, self._helpers = place, around, helpers
        self._ends: dict[str, list[str]] = {}
        for name in sorted(place.reference):
            self._ends.setdefault(name.rpartition(".")[2], []).append(name)
        self.names: set[str] = set()

    def look(self, root: ast.AST) -> None:
        """Enter what a function names."""
        local = _bound(root)
        receiver = self._receiver(root)
        waiting: list[ast.AST] = list(ast.iter_child_nodes(root))
        while waiting:
            node = waiting.pop()
            chain = _chain(node)
            if chain and isinstance(node, (ast.Attribute, ast.Name)):
                self._enter(chain, local, receiver)
                continue
            if isinstance(node, ast.Attribute):
                self._ask_unknown([node.attr])
            waiting.extend(ast.iter_child_nodes(node))

    def _receiver(self, root: ast.AST) -> str:
        if not self._place.owner or not isinstance(root, _FUNCTIONS) or root.name != self._place.name:
            return ""
        static = any(isinstance(item, ast.Name) and item.id == "staticmethod" for item in root.decorator_list)
        arguments = [*root.args.posonlyargs, *root.args.args]
        return arguments[0].arg if arguments and not static else ""

    def _enter(self, chain: list[str], local: set[str], receiver: str) -> None:
        first, place = chain[0], self._place
        if first == receiver and receiver:
            if len(chain) > 1:
                self.names.add(f"{place.module}.{place.owner}.{chain[1]}")
                self._ask_unknown(chain[1:])
            return
        if first in local or first in self._helpers:
            self._ask_unknown(chain[1:])
            return
        if first in self._around:
            target = self._around[first]
            module, _, last = target.rpartition(".")
            if module == place.module and target not in place.reference:
                # A context may hold what it needs of other files, as if it were its own.
                self.names.update(self._like([last, *chain[1:]]) or {target})
            elif self._inside(target):
                self._add_chain(target, chain[1:])
            if self._inside(target):
                self._ask_unknown(chain[1:])
            return
        known = self._like(chain)
        if known:
            self.names.update(known)
        elif first not in _BUILTINS:
            self.names.add(f"{place.module}.{first}")

    def _ask_unknown(self, attributes: Iterable[str]) -> None:
        """Enter what is asked of objects whose class is not known: the reference names that end like it."""
        for name in attributes:
            self.names.update(self._like([name]))

    def _inside(self, target: str) -> bool:
        roots = {self._place.package, *(name.partition(".")[0] for name in self._place.reference)}
        return target.partition(".")[0] in roots

    def _add_chain(self, target: str, rest: list[str]) -> None:
        """Enter an object and the longest name behind it that the reference knows; a module itself is no object."""
        names = [".".join([target, *rest[:at]]) for at in range(len(rest) + 1)]
        known = [name for name in names if self._known(name)]
        if known:
            self.names.update(same for name in known for same in self._known(name))
        elif not any(name.startswith(f"{target}.") for name in self._place.reference) or not rest:
            self.names.add(target)
        else:
            self.names.add(names[1])

    def _known(self, name: str) -> list[str]:
        """Return the reference names that a name stands for: itself, or what a package passes on under it."""
        if name in self._place.reference:
            return [name]
        package, _, last = name.rpartition(".")
        return [full for full in self._ends.get(last, ()) if package and full.startswith(f"{package}.")]

    def _like(self, chain: list[str]) -> list[str]:
        """Return the reference names that end like a free name, its longest part first."""
        for length in range(len(chain), 0, -1):
            tail = ".".join(chain[:length])
            found = [name for name in self._ends.get(chain[length - 1], ()) if name.endswith(f".{tail}")]
            if found:
                return found
        return []


def _chain(node: ast.AST) -> list[str]:
    """Return the parts of a dotted name that is read, first part first; nothing for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or (not parts and not isinstance(node.ctx, ast.Load)):
        return []
    return [node.id, *reversed(parts)]


def _bound(root: ast.AST) -> set[str]:
    """Return every name that a function binds somewhere inside: arguments, assignments, loops, handlers, patterns."""
    names: set[str] = set()
    for node in ast.walk(root):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, _NAMED) and node is not root and node.name:
            names.add(node.name)
        elif isinstance(node, ast.Global):
            names.difference_update(node.names)
    return names


def places_of(items: Iterable[Mapping[str, Any]]) -> dict[str, Place]:
    """Return the places of all items that say what their reference uses, by id."""
    found = {str(item["id"]): place_of(item) for item in items}
    return {key: place for key, place in found.items() if place is not None}
