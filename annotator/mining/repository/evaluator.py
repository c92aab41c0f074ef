"""Lazy abstract evaluation: what an expression stands for, without running anything.

Nothing is evaluated before it is asked for, everything is evaluated once per context, and every way round is bounded:
by a set of what is being evaluated, by depth, by the number of values kept, and by the number of contexts per function.
"""

from __future__ import annotations

import ast
import builtins
from typing import Any

from annotator.mining.repository import attributes, calling, fixtures, hints
from annotator.mining.repository.frames import Frame
from annotator.mining.repository.modules import ClassInfo, FunctionInfo, Module, Project
from annotator.mining.repository.scopes import (
    COMPREHENSIONS,
    FUNCTIONS,
    STAR,
    Binding,
    Position,
    Scope,
    ScopeNode,
    scope_of,
    start_of,
)
from annotator.mining.repository.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    Items,
    LambdaValue,
    Literal,
    Many,
    Mapping,
    Value,
    Values,
    is_ours,
    merged,
)

DEPTH_LIMIT = 70
CONTEXTS_LIMIT = 24
_BUILTINS = frozenset(dir(builtins))
OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "lshift", ast.RShift: "rshift",
    ast.MatMult: "matmul", ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert",
}  # fmt: skip


class Evaluator:
    """Answers questions about one repository; keeps what it has found out."""

    def __init__(self, project: Project) -> None:
        """Evaluate in a project. Not to be shared between threads."""
        self.project = project
        self.memo: dict[tuple[Any, ...], Values] = {}
        self.kept: list[ast.AST] = []
        self._scopes: dict[int, Scope] = {}
        self._frames: dict[tuple[Any, ...], Frame] = {}
        self._contexts: dict[int, int] = {}
        self._active: set[tuple[Any, ...]] = set()
        self._depth = 0

    # -- frames ---------------------------------------------------------------------------------------------------

    def scope(self, node: ScopeNode) -> Scope:
        """Return the scope of a node, collected once."""
        found = self._scopes.get(id(node))
        if found is None:
            found = self._scopes[id(node)] = scope_of(node)
        return found

    def module_frame(self, module: Module) -> Frame:
        """Return the frame of a module's top level."""
        return self._frame(module.tree, module, None)

    def class_frame(self, value: ClassValue | Instance) -> Frame:
        """Return the frame of a class body."""
        return self._frame(value.info.node, value.info.module, value.frame, owner=value.info)

    def class_value(self, info: ClassInfo) -> ClassValue:
        """Return a class by its definition."""
        outer = info.module.classes.get(info.qualname.rpartition(".")[0])
        if outer is not None and outer is not info:
            return ClassValue(info, self.class_frame(self.class_value(outer)))
        return ClassValue(info, self.module_frame(info.module))

    def function_frame(
        self,
        info: FunctionInfo,
        receiver: Value | None = None,
        outer: Frame | None = None,
        given: tuple[tuple[str, Values], ...] = (),
    ) -> Frame:
        """Return the frame of a call; a function called in very many ways gets one frame for the rest of them."""
        if outer is None:
            outer = self.class_frame(self.class_value(info.owner)) if info.owner else self.module_frame(info.module)
        key = (id(info.node), id(outer), receiver, given)
        if key not in self._frames:
            seen = self._contexts.get(id(info.node), 0)
            if given and seen >= CONTEXTS_LIMIT:
                given = ()
            self._contexts[id(info.node)] = seen + 1
        return self._frame(info.node, info.module, outer, function=info, receiver=receiver, arguments=given)

    def lambda_frame(self, value: LambdaValue, given: tuple[tuple[str, Values], ...]) -> Frame:
        """Return the frame of a lambda's body."""
        return self._frame(value.node, value.frame.module, value.frame, arguments=given)

    def _frame(
        self,
        node: ScopeNode,
        module: Module,
        outer: Frame | None,
        *,
        function: FunctionInfo | None = None,
        owner: ClassInfo | None = None,
        receiver: Value | None = None,
        arguments: tuple[tuple[str, Values], ...] = (),
    ) -> Frame:
        key = (id(node), id(outer), receiver, arguments)
        found = self._frames.get(key)
        if found is None:
            found = Frame(
                self.scope(node), module, outer, function=function, owner=owner, receiver=receiver, arguments=arguments
            )
            self._frames[key] = found
        return found

    # -- expressions ----------------------------------------------------------------------------------------------

    def once(self, key: tuple[Any, ...], compute: Any, *arguments: Any) -> Values:
        """Return what ``compute`` returns, once per key; nothing where that leads in a circle or too deep."""
        found = self.memo.get(key)
        if found is not None:
            return found
        if key in self._active or self._depth >= DEPTH_LIMIT:
            return ()
        self._active.add(key)
        self._depth += 1
        try:
            values: Values = compute(*arguments)
        finally:
            self._depth -= 1
            self._active.discard(key)
        self.memo[key] = values
        return values

    def values(self, node: ast.AST, frame: Frame) -> Values:
        """Return what an expression may stand for; nothing if that is not known."""
        match node:
            case ast.Constant():
                if isinstance(node.value, (str, int)) and not isinstance(node.value, bool):
                    return (Literal(node.value),)
                return (ExternalInstance(type(node.value).__name__),)
            case ast.Name():
                return self.once((id(node), id(frame)), self.name, node.id, frame, start_of(node))
        return self.once((id(node), id(frame)), self._compute, node, frame)

    def _compute(self, node: ast.AST, frame: Frame) -> Values:
        match node:
            case ast.Attribute():
                owners = self.values(node.value, frame)
                return merged(*(attributes.attribute(self, owner, node.attr) for owner in owners))
            case ast.Call():
                return merged(*(calling.call(self, each, node, frame) for each in self.values(node.func, frame)))
            case ast.Subscript():
                return calling.subscript(self, self.values(node.value, frame), node.slice, frame)
            case ast.BinOp():
                return self._operation(node, frame)
            case ast.UnaryOp() if not isinstance(node.op, ast.Not):
                return self._methods(node.operand, f"__{OPERATORS[type(node.op)]}__", frame)
            case ast.BoolOp():
                return merged(*(self.values(item, frame) for item in node.values))
            case ast.IfExp():
                return merged(self.values(node.body, frame), self.values(node.orelse, frame))
            case ast.Await() | ast.Starred() | ast.NamedExpr():
                return self.values(node.value, frame)
            case ast.Lambda():
                return (LambdaValue(node, frame),)
        return self._container(node, frame)

    def _container(self, node: ast.AST, frame: Frame) -> Values:
        match node:
            case ast.Tuple() | ast.List():
                if any(isinstance(item, ast.Starred) for item in node.elts) or len(node.elts) > 64:
                    return (Many(merged(*(self.values(item, frame) for item in node.elts[:64]))),)
                return (Items(tuple(self.values(item, frame) for item in node.elts)),)
            case ast.Set():
                return (Many(merged(*(self.values(item, frame) for item in node.elts[:64]))),)
            case ast.Dict():
                pairs = list(zip(node.keys, node.values, strict=True))[:64]
                named = tuple(
                    (key.value, self.values(value, frame))
                    for key, value in pairs
                    if isinstance(key, ast.Constant) and isinstance(key.value, str)
                )
                return (Mapping(merged(*(self.values(value, frame) for _, value in pairs)), named),)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return (Many(self.values(node.elt, self.inner(node, frame))),)
            case ast.DictComp():
                return (Mapping(self.values(node.value, self.inner(node, frame))),)
            case ast.JoinedStr():
                return (ExternalInstance("str"),)
        return ()

    def inner(self, node: ast.AST, frame: Frame) -> Frame:
        """Return the frame of a comprehension."""
        assert isinstance(node, COMPREHENSIONS)
        return self._frame(node, frame.module, frame)

    def _operation(self, node: ast.BinOp, frame: Frame) -> Values:
        name = OPERATORS[type(node.op)]
        left, right = self.values(node.left, frame), self.values(node.right, frame)
        if isinstance(node.op, (ast.Add, ast.Mult)) and any(isinstance(item, (Items, Many)) for item in left):
            return (Many(self.elements(merged(left, right))),)
        found = self._methods(node.left, f"__{name}__", frame)
        return found or self._methods(node.right, f"__r{name}__", frame)

    def _methods(self, node: ast.AST, name: str, frame: Frame) -> Values:
        owners = [value for value in self.values(node, frame) if isinstance(value, Instance)]
        return merged(*(calling.call_method(self, owner, name) for owner in owners))

    # -- names ----------------------------------------------------------------------------------------------------

    def name(self, name: str, frame: Frame, at: Position | None) -> Values:
        """Return what a name stands for at a position (anywhere, without one)."""
        found: Frame | None = frame
        while found is not None:
            scope = found.scope
            if name in scope.globals:
                found, at = self.module_frame(found.module), None
                continue
            if scope.kind != "class" or found is frame:
                if name in found.arguments:
                    return found.arguments[name]
                bindings = scope.bindings.get(name)
                if bindings:
                    return self.bound(bindings, found, at)
                if scope.stars:
                    starred = attributes.from_stars(self, found, name)
                    if starred:
                        return starred
            if scope.kind == "function":
                at = None
            found = found.outer
        return (External(f"builtins.{name}"),) if name in _BUILTINS else ()

    def bound(self, bindings: list[Binding], frame: Frame, at: Position | None) -> Values:
        """Return the values of those bindings that may hold at a position: back to the last one that surely does."""
        chosen = []
        for binding in reversed(bindings):
            if at is not None and binding.at > at:
                continue
            chosen.append(binding)
            inside = all(at is not None and low <= at[0] <= high for low, high in binding.blocks)
            if inside:
                break
        return merged(*(self.binding(item, frame) for item in chosen or bindings))

    def binding(self, binding: Binding, frame: Frame) -> Values:
        """Return what one binding binds."""
        return self.once((id(binding), id(frame)), self._binding, binding, frame)

    def _binding(self, binding: Binding, frame: Frame) -> Values:
        node = binding.node
        match binding.how:
            case "def":
                return self._definition(node, frame)
            case "import" | "from":
                return attributes.imported(self, binding, frame.module)
            case "value":
                return self.unpack(self.values(node, frame), binding.path)
            case "annotated":
                return self._annotated(binding, frame)
            case "element":
                return self.unpack(self.elements(self.values(node, frame)), binding.path)
            case "enter":
                return self.unpack(self.entered(self.values(node, frame)), binding.path)
            case "except":
                classes = merged(self.values(node, frame), self.elements(self.values(node, frame)))
                return tuple(Instance(item.info, item.frame) for item in classes if isinstance(item, ClassValue))
            case "parameter":
                return self._parameter(binding, frame)
        return ()

    def _definition(self, node: ast.AST, frame: Frame) -> Values:
        if isinstance(node, ast.ClassDef):
            return (ClassValue(self.project.classes[id(node)], frame),)
        assert isinstance(node, FUNCTIONS)
        return (FunctionValue(self.project.functions[id(node)], frame),)

    def _annotated(self, binding: Binding, frame: Frame) -> Values:
        assert binding.annotation is not None
        assigned = () if binding.node is binding.annotation else self.values(binding.node, frame)
        if any(map(is_ours, assigned)):
            return self.unpack(assigned, binding.path)
        return hints.instances(self, binding.annotation, frame) or assigned

    def _parameter(self, binding: Binding, frame: Frame) -> Values:
        function = frame.function
        if function is None:
            return self.values(binding.default, frame.outer) if binding.default and frame.outer else ()
        positional = [*function.node.args.posonlyargs, *function.node.args.args]
        if not function.is_static and positional and positional[0] is binding.node:
            if frame.receiver is not None:
                return (frame.receiver,)
            assert function.owner is not None
            owner = self.class_value(function.owner)
            return (owner,) if function.takes_class else (Instance(owner.info, owner.frame),)
        annotated: Values = ()
        if binding.annotation is not None and frame.outer is not None:
            annotated = hints.instances(self, binding.annotation, frame.outer)
            extra = function.node.args
            if binding.node is extra.vararg:
                annotated = (Many(annotated),)
        given = fixtures.parameter(self, function, binding.name, frame)
        if any(map(is_ours, annotated)):
            return calling.narrowed(self, annotated, given)
        if given:
            return given
        default = self.values(binding.default, frame.outer) if binding.default and frame.outer else ()
        return merged(tuple(value for value in default if is_ours(value)), annotated)

    # -- taking values apart --------------------------------------------------------------------------------------

    def elements(self, values: Values) -> Values:
        """Return what iterating over values gives."""
        found: list[Values] = []
        for value in values:
            match value:
                case Many():
                    found.append(value.element)
                case Items():
                    found.extend(value.elements)
                case Instance():
                    found.append(self.once(("iterate", value), self._iterate, value))
        return merged(*found)

    def _iterate(self, value: Instance) -> Values:
        made = calling.call_method(self, value, "__iter__")
        if made:
            others = tuple(item for item in made if not isinstance(item, Instance))
            stepped = [
                calling.call_method(self, item, "__next__") or (self.elements((item,)) if item != value else ())
                for item in made
                if isinstance(item, Instance)
            ]
            return merged(self.elements(others), *stepped)
        return calling.call_method(self, value, "__getitem__")

    def entered(self, values: Values) -> Values:
        """Return what ``with value as name`` binds."""
        return calling.entered(self, values)

    def unpack(self, values: Values, path: tuple[int, ...]) -> Values:
        """Follow a path into unpacked values."""
        for index in path:
            found: list[Values] = []
            for value in values:
                if isinstance(value, Items):
                    if index == STAR:
                        found.append((Many(merged(*value.elements)),))
                    elif index < len(value.elements):
                        found.append(value.elements[index])
                elif isinstance(value, Many) and index == STAR:
                    found.append((value,))
                else:
                    found.append(self.elements((value,)))
            values = merged(*found)
        return values
