"""Find a function's dependencies on its repository: in its class, its file, and other files (specification, 5)."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from annotator.mining.repository.calls.evaluator import Evaluator
from annotator.mining.repository.calls.possible_values import (
    ClassValue,
    Frame,
    FunctionValue,
    Instance,
    ModuleValue,
    Super,
    Values,
)
from annotator.mining.repository.discovery.modules import FunctionInfo, Module
from annotator.mining.repository.discovery.scopes import FUNCTIONS, FunctionNode


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Fully qualified names, sorted, without duplicates."""

    intra_class: tuple[str, ...] = ()
    intra_file: tuple[str, ...] = ()
    cross_file: tuple[str, ...] = ()

    @property
    def last_names(self) -> frozenset[str]:
        """The last parts of all names."""
        names = (*self.intra_class, *self.intra_file, *self.cross_file)
        return frozenset(name.rpartition(".")[2] for name in names)

    @property
    def count(self) -> int:
        """Number of dependencies."""
        return len(self.intra_class) + len(self.intra_file) + len(self.cross_file)


def dependencies_of(evaluator: Evaluator, info: FunctionInfo) -> Dependencies:
    """Return the functions, classes, constants and own attributes of the repository that a function refers to."""
    finder = _DependencyFinder(evaluator, info)
    finder.run()
    own = f"{info.module.dotted}.{info.qualname}"
    groups = (finder.intra_class, finder.intra_file, finder.cross_file)
    return Dependencies(*(tuple(sorted(name for name in group if name != own)) for group in groups))


class _DependencyFinder:
    def __init__(self, evaluator: Evaluator, info: FunctionInfo) -> None:
        self.evaluator, self.info = evaluator, info
        self.intra_class: set[str] = set()
        self.intra_file: set[str] = set()
        self.cross_file: set[str] = set()

    def run(self) -> None:
        frame = self.evaluator.frames.of_function(self.info)
        pending: list[tuple[ast.AST, Frame]] = [(item, frame) for item in self.info.node.body]
        while pending:
            node, frame = pending.pop()
            if isinstance(node, ast.Attribute) and self._attribute(node, frame):
                # ``self.x`` and ``module.x`` count as one name; the part before the dot does not count again.
                continue
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self._name(node, frame)
            pending.extend(self.evaluator.children(node, frame))

    def _attribute(self, node: ast.Attribute, frame: Frame) -> bool:
        """Add the dependency of an attribute access; return whether that covers the part before the dot too."""
        is_covered = False
        for owner in self.evaluator.evaluate(node.value, frame):
            if isinstance(owner, (Instance, ClassValue)):
                is_covered = self._member(owner, node) or is_covered
            elif isinstance(owner, Super):
                self._add_methods(self.evaluator.super_attribute(owner, node.attr))
            elif isinstance(owner, ModuleValue):
                self._of_module(owner.module, node.attr)
                is_covered = True
        return is_covered

    def _member(self, owner: Instance | ClassValue, node: ast.Attribute) -> bool:
        own_class = self.info.owner
        if own_class is not None and isinstance(node.value, ast.Name) and self._is_receiver(node.value.id):
            definer = self._definer(owner, node.attr)
            if definer is not None:
                self._add(definer.info.module, f"{definer.info.qualname}.{node.attr}")
            return True
        self._add_methods(self.evaluator.look_up(self.evaluator.mro(owner), node.attr))
        return False

    def _definer(self, owner: Instance | ClassValue, name: str) -> ClassValue | None:
        """Return the class of the repository that defines an attribute: in its body, or in one of its methods."""
        return next(
            (
                class_value
                for class_value in self.evaluator.mro(owner)
                if isinstance(class_value, ClassValue) and self._defines(class_value, name)
            ),
            None,
        )

    def _defines(self, class_value: ClassValue, name: str) -> bool:
        bindings = self.evaluator.frames.of_class(class_value).scope.bindings
        return name in bindings or any(
            (first_argument(binding.node), name) in self.evaluator.frames.scope(binding.node).attributes
            for group in bindings.values()
            for binding in group
            if binding.how == "def" and isinstance(binding.node, FUNCTIONS)
        )

    def _add_methods(self, values: Values) -> None:
        for item in values:
            if isinstance(item, FunctionValue) and item.info.owner is not None:
                self._add(item.info.module, item.info.qualname)

    def _is_receiver(self, name: str) -> bool:
        return not self.info.is_static and first_argument(self.info.node) == name

    def _of_module(self, module: Module, name: str) -> None:
        values = self.evaluator.module_attribute(module, name)
        is_named = False
        for item in values:
            if isinstance(item, (FunctionValue, ClassValue)):
                self._add(item.info.module, item.info.qualname)
                is_named = True
            elif isinstance(item, ModuleValue):
                is_named = True
        if not is_named and name in self.evaluator.frames.of_module(module).scope.bindings:
            self._add(module, name)

    def _name(self, node: ast.Name, frame: Frame) -> None:
        module_frame = self._bound_in(node.id, frame)
        if module_frame is None:
            return
        if node.id not in module_frame.scope.bindings:
            for item in self.evaluator.star_attribute(module_frame, node.id):
                if isinstance(item, (FunctionValue, ClassValue)):
                    self._add(item.info.module, item.info.qualname)
            return
        module = module_frame.module
        for binding in module_frame.scope.bindings.get(node.id, ()):
            if binding.how == "from" and binding.origin is not None:
                source = self.evaluator.project.source_of(module, binding.origin)
                if source is not None and isinstance(binding.node, ast.alias):
                    self._of_module(source, binding.node.name)
                return
            if binding.how == "import":
                return
        self._add(module, node.id)

    def _bound_in(self, name: str, frame: Frame) -> Frame | None:
        """Return the frame of the module that binds a name, None if a nearer scope binds it or nothing does.

        A module with star imports counts as binding every name.
        """
        current: Frame | None = frame
        while current is not None:
            is_bound = name in current.scope.bindings and name not in current.scope.globals
            if current.scope.kind == "module":
                return current if is_bound or current.scope.stars else None
            if is_bound and current.scope.kind != "class":
                return None
            current = current.outer
        return None

    def _add(self, module: Module, qualname: str) -> None:
        name = f"{module.dotted}.{qualname}"
        own_class = self.info.owner
        if module is not self.info.module:
            self.cross_file.add(name)
        elif own_class is not None and qualname.startswith(f"{own_class.qualname}."):
            self.intra_class.add(name)
        elif own_class is None or qualname != own_class.qualname:
            self.intra_file.add(name)


def first_argument(node: FunctionNode) -> str:
    """Return the name of a function's first argument, empty if it has none."""
    arguments = [*node.args.posonlyargs, *node.args.args]
    return arguments[0].arg if arguments else ""
