"""Find the dependencies of functions as EvoCodeBench's published parser does.

The parser reads every file of a repository twice, and resolves base classes in between. It keeps the value and type of
the last expression; a name or attribute that resolves to a definition of the repository is a use of it. Its odd rules
are reproduced too: bindings in all branches count, imports bind in the importing scope, `str` and `repr` use methods of
their argument, and the "class" of a variable in a module is the module.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from annotator.mining.repository.context.function_dependencies import Dependencies
from annotator.mining.repository.discovery.modules import FunctionInfo, Module, ParsedProject
from annotator.mining.repository.published.names import (
    ARGUMENT,
    Entity,
    Kind,
    NameGraph,
    NameScope,
    linearize_classes,
    split_path,
)

_TYPE_NAMES = frozenset({"int", "str", "float", "bool", "object", "list", "dict", "tuple"})
_COLLECTIONS = frozenset({"list", "dict", "tuple"})
"""Reading a variable of one of these types does not change the last expression."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class PublishedParser:
    """Finds the dependencies of a repository's functions."""

    def __init__(self, project: ParsedProject) -> None:
        self._paths = {module.path: module_name(project, module) for module in project.modules}
        self._graph = NameGraph({name: path for path, name in self._paths.items()})
        reader = _NameReader(self._graph, set(self._paths.values()))
        for repeat in range(2):
            for module in project.modules:
                reader.read(module, self._paths[module.path])
            if not repeat:
                reader.resolve_bases()
        self._graph.collapse_inner_scopes()

    def is_found(self, info: FunctionInfo) -> bool:
        """Return whether the parser finds a function. It takes one with the dotted name of a module for that module."""
        return f"{self._paths[info.module.path]}.{info.qualname}" not in self._paths.values()

    def dependencies(self, info: FunctionInfo) -> Dependencies:
        """Return the names that a function uses from its class, its file, and other files."""
        user = self._graph.find(f"{self._paths[info.module.path]}.{info.qualname}")
        groups: dict[str, set[str]] = {"class": set(), "file": set(), "other": set()}
        for used in self._graph.uses.get(user.path, ()) if user is not None else ():
            assert user is not None
            if used.namespace is not None and not (used.file == user.file and user.path in used.namespace):
                groups[_relation(user, used)].add(used.path)
        return Dependencies(
            *(tuple(sorted(groups[name])) for name in ("class", "file", "other")),
        )


def _relation(user: Entity, used: Entity) -> str:
    """Return the group of a dependency ("class", "file" or "other"). Classes are compared by name only."""
    owner = _class_name(used)
    if owner and owner == _class_name(user):
        return "class"
    return "file" if used.file == user.file else "other"


def _class_name(entity: Entity) -> str:
    if entity.kind in ("function", "module"):
        return ""
    return entity.name if entity.kind == "class" else (entity.namespace or "").rpartition(".")[2]


def module_name(project: ParsedProject, module: Module) -> str:
    """Return a file's dotted name, starting at the topmost of the consecutive packages above it."""
    path = module.path.removesuffix(".py").removesuffix("/__init__")
    folders = path.split("/")
    start = len(folders) - 1
    while start and "/".join([*folders[:start], "__init__.py"]) in project.by_path:
        start -= 1
    return ".".join(folders[start:])


class _NameReader(ast.NodeVisitor):
    """Reads files into a graph; ``_value`` and ``_type`` belong to the last expression."""

    def __init__(self, graph: NameGraph, modules: set[str]) -> None:
        self._graph, self._modules = graph, modules
        self._module = ""
        self._names: list[str] = []
        self._scopes: list[NameScope] = []
        self._classes: list[Entity] = []
        self._in_class = [False]
        self._bases: dict[Entity, list[ast.expr]] = {}
        self._orders: dict[Entity, list[Entity]] = {}
        self._value: Entity | None = None
        self._type: str | None = None

    def read(self, module: Module, name: str) -> None:
        """Read one file."""
        self._module, self._graph.file = name, module.path
        try:
            self._graph.add_scopes(name, module.text)
            self.visit(module.tree)
        except (RecursionError, SyntaxError):
            # Like the published parser, skip the rest of a file that cannot be read.
            self._names, self._scopes, self._classes, self._in_class = [], [], [], [False]

    def resolve_bases(self) -> None:
        """Resolve the base classes of all classes that were read."""
        bases: dict[Entity, list[Entity]] = {}
        for entity, nodes in self._bases.items():
            self._scopes.append(self._graph.scopes[entity.namespace or ""])
            bases[entity] = [base for node in nodes if (base := self._base(node)) and base.namespace is not None]
            self._scopes.pop()
        self._orders = linearize_classes(bases)

    def _base(self, node: ast.expr) -> Entity | None:
        if isinstance(node, ast.Name):
            return self._look_up(node.id)[0]
        return self._attribute(node)[1] if isinstance(node, ast.Attribute) else None

    # -- definitions ------------------------------------------------------------------------------------------------

    def visit_Module(self, node: ast.Module) -> None:
        entity = self._graph.entity(*_with_name(split_path(self._module)), "module")
        entity.type, entity.file, entity.defined = entity.path, self._graph.file, True
        same = self._graph.entity("", self._module, "module")
        same.defined = True
        self._graph.uses.setdefault(self._module, {})
        with self._enter_scope(self._module, self._graph.scopes[self._module]):
            self.generic_visit(node)
        self._value = None

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        entity = self._define(node.name, "class")
        self._graph.uses.setdefault(entity.path, {})
        self._bind(node.name, entity)
        self._classes.append(entity)
        with self._enter_scope(node.name, self._scope_at(entity.path), is_class=True):
            self._bases[entity] = node.bases
            for item in (*node.bases, *node.body):
                self.visit(item)
        self._classes.pop()

    def visit_FunctionDef(self, node: _Function) -> None:
        for decorator in node.decorator_list:
            self._value = None
            self.visit(decorator)
        self._value = None
        is_method = self._in_class[-1]
        entity = self._define(node.name, "method" if is_method else "function")
        entity.value = entity
        self._graph.uses[entity.path] = {}
        self._bind(node.name, entity)
        scope = self._scope_at(entity.path)
        with self._enter_scope(node.name, scope):
            self._bind_arguments(node.args, scope)
            if is_method and node.args.args:
                scope.names[node.args.args[0].arg] = self._classes[-1]
            self._read_arguments(node.args)
            for item in node.body:
                self.visit(item)
            if node.returns is not None:
                self._read_returned(node.returns, scope)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        with self._inner_scope("lambda") as scope:
            self._bind_arguments(node.args, scope)
            self._read_arguments(node.args)
            self.visit(node.body)

    def visit_Return(self, node: ast.Return) -> None:
        self._value = None
        self.generic_visit(node)
        returned = self._graph.find(self._type)
        if returned is not None and returned.defined:
            self._scope_at(self._here().path).returned = returned.type

    def _define(self, name: str, kind: Kind) -> Entity:
        here = self._here()
        entity = self._graph.entity(here.path, name, kind)
        entity.type, entity.file = entity.path, self._graph.file
        entity.defined = here.defined = True
        return entity

    def _bind_arguments(self, arguments: ast.arguments, scope: NameScope) -> None:
        """Bind parameters to placeholders, which hide equal names around the function."""
        for item in (*arguments.args, *arguments.kwonlyargs):
            scope.names[item.arg] = self._graph.entity(scope.path, ARGUMENT)

    def _read_arguments(self, arguments: ast.arguments) -> None:
        for item in arguments.args:
            if item.annotation is not None:
                self.visit(item)
        for default, item in zip(reversed(arguments.defaults), reversed(arguments.args), strict=False):
            self._assign([item], _parts(default))
        for item, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if value is not None:
                self._assign([item], _parts(value))

    def visit_arg(self, node: ast.arg) -> None:
        annotated = self._type_named(node.annotation) if node.annotation is not None else None
        entity = self._graph.entity(self._here().path, node.arg, "name")
        entity.defined = True
        if annotated is not None:
            entity.type = annotated
        self._bind(node.arg, entity)
        self._value, self._type = entity, entity.type

    def _type_named(self, node: ast.expr) -> str | None:
        """Return the type that an annotation names; a string is taken as a name."""
        if isinstance(node, ast.Constant):
            entity = self._look_up(str(node.value))[0]
            return entity.type if entity is not None else None
        self.visit(node)
        return self._type

    def _read_returned(self, node: ast.expr, scope: NameScope) -> None:
        if isinstance(node, ast.Constant):
            if node.value is None:
                return
            entity, name = self._look_up(str(node.value))[0], str(node.value)
            returned_type = entity.type if entity is not None else None
        else:
            self.visit(node)
            returned_type, name = self._type, self._value.name if self._value is not None else ""
        if returned_type is not None:
            scope.returned = returned_type
        elif name and scope.returned is None:
            scope.returned = name

    # -- imports ----------------------------------------------------------------------------------------------------

    def visit_Import(self, node: ast.Import) -> None:
        for item in node.names:
            here = self._here()
            module = self._graph.entity("", item.name, "import")
            module.type, module.value = module.path, module
            self._graph.add_use(here, module)
            name = item.asname or item.name
            entity = self._graph.entity(here.path, name, "import")
            entity.value, entity.type = module, module.path
            self._bind(name, entity, defined=False)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        source = self._source(node)
        for item in node.names:
            here, name = self._here(), item.asname or item.name
            entity = self._graph.entity(here.path, name, "import")
            origin = self._graph.entity(source, item.name, "import")
            origin.type = origin.path
            entity.type, entity.value = origin.path, origin
            definition: Entity | None = origin
            if f"{source}.{item.name}" not in self._modules:
                definition = self._graph.look_up_in(source, item.name) if source in self._modules else None
            if definition is not None and definition.defined:
                entity.value, entity.type = definition, definition.type
            self._graph.add_use(here, entity)
            self._bind(name, entity.value, defined=False)

    def _source(self, node: ast.ImportFrom) -> str:
        """Return the dotted name of the imported module; an absolute one may start at any folder above the file."""
        if node.level:
            above = self._module.rsplit(".", node.level)[0]
            return f"{above}.{node.module}" if node.module else above
        name = node.module or ""
        folders = f"{self._module.rpartition('.')[0]}." if "." in self._module else ""
        first = name.partition(".")[0]
        return folders[: folders.rfind(first)] + name if first in folders else name

    # -- statements -------------------------------------------------------------------------------------------------

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._assign(_parts(target), _parts(node.value))

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._assign(_parts(node.target), _parts(node.value))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._value = self._type = None
        if node.value is not None:
            self._assign([node.target], _parts(node.value) or [node.value])
        else:
            self.visit(node.target)
        annotated_type = self._type_named(node.annotation)
        self._value, self._type = None, annotated_type
        self.visit(node.target)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self._assign(_parts(node.target), _parts(node.iter))
        for item in (*node.body, *node.orelse):
            self.visit(item)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> None:
        self.visit_For(node)

    def visit_With(self, node: ast.With) -> None:
        for item in node.items:
            self._value = self._type = None
            self.visit(item.context_expr)
            if isinstance(item.optional_vars, ast.Name):
                self._assign([item.optional_vars], _parts(item.context_expr))
            elif item.optional_vars is not None:
                self.visit(item.optional_vars)
            self._value = self._type = None
        for statement in node.body:
            self.visit(statement)

    def _assign(self, targets: Sequence[ast.AST], values: Sequence[ast.expr]) -> None:
        """Bind targets to values. If their numbers differ, plain names get the first value."""
        self._value = self._type = None
        results = []
        for value in values:
            self.visit(value)
            results.append((self._value, self._type))
            if len(targets) == len(values):
                self._value = self._type = None
        for number, target in enumerate(targets):
            if len(targets) == len(values):
                self._value, self._type = results[number]
            else:
                self._value, self._type = results[0] if results and isinstance(target, ast.Name) else (None, None)
            self.visit(target)
        self._value = self._type = None

    # -- expressions ------------------------------------------------------------------------------------------------

    def visit_Constant(self, node: ast.Constant) -> None:
        entity = self._graph.entity("", type(node.value).__name__, "name")
        entity.type = entity.name
        self._value, self._type = entity, entity.type

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self._bind(node.id, self._value, self._type)
            return
        if not isinstance(node.ctx, ast.Load):
            return
        entity, scope = self._look_up(node.id)
        here = self._here_or_none()
        if entity is None and (node.id in _TYPE_NAMES or node.id == "__name__"):
            entity = self._graph.entity("", node.id, "name")
            entity.type = "str" if node.id == "__name__" else node.id
            entity.defined = False
        current = self._classes[-1] if self._classes else None
        if here is not None and entity is not None and entity is not current and scope != here.path:
            self._graph.add_use(here, entity, by_type=not entity.defined)
        if entity is None or entity.type not in _COLLECTIONS:
            self._value, self._type = entity, entity.type if entity is not None else None

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Store):
            self._set_attribute(node, self._value, self._type)
        elif isinstance(node.ctx, ast.Load):
            self._value = self._attribute(node)[1]
            self._type = self._value.type

    def _set_attribute(self, node: ast.Attribute, value: Entity | None, kind: str | None) -> None:
        owner, attribute = self._attribute(node)
        scope = self._graph.scopes.get(owner.path) if owner.namespace is not None else None
        if scope is None:
            return
        entity = self._graph.entity(scope.path, attribute.name, "name")
        scope.names[attribute.name] = entity
        entity.defined = True
        if kind is not None:
            attribute.type, attribute.defined, entity.type = kind, True, kind
            if value is not None:
                attribute.value = entity.value = value

    def _attribute(self, node: ast.Attribute) -> tuple[Entity, Entity]:
        """Return the owner of an attribute and the attribute, and record its use."""
        owner = self._owner(node)
        attribute = self._graph.entity(owner.path, node.attr, "attribute")
        owner = self._defining_class(owner, node.attr)
        if owner.is_function:
            return owner, self._graph.entity(f"{owner.path}()", node.attr)
        used = self._graph.entity(owner.type, node.attr, "attribute")
        used.type = used.type or used.path
        self._graph.add_use(self._here_or_none(), used, by_type=False)
        attribute.type = used.type
        scope = self._graph.scopes.get(attribute.path)
        if scope is not None and scope.returned is not None:
            attribute.value = self._graph.entity(*_with_name(split_path(scope.returned)))
            attribute.type = attribute.value.type
        return owner, attribute

    def _owner(self, node: ast.Attribute) -> Entity:
        """Return the entity before the dot."""
        if isinstance(node.value, ast.Attribute):
            return self._attribute(node.value)[1]
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, int | float | complex | str):
            owner = self._graph.entity("", "Constant", "class")
            owner.type = owner.name
            return owner
        self.visit(node.value)
        name = node.value.id if isinstance(node.value, ast.Name) else "UNKNOWN"
        owner = self._value if self._value is not None else self._graph.entity("", name)
        owner.type = self._type
        return owner

    def _defining_class(self, owner: Entity, name: str) -> Entity:
        """Return the class in an object's method resolution order that has an attribute; the last one if none has."""
        owner_class = self._graph.find(owner.type)
        if owner_class is None:
            return owner
        if self._graph.look_up_in(owner_class.path, name) is None:
            for item in self._orders.get(owner_class, ()):
                above = self._graph.find(item.type)
                owner_class = above if above is not None else owner_class
                if above is not None and self._graph.look_up_in(above.path, name) is not None:
                    break
        return owner_class

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.visit(node.slice)
        if not (isinstance(node.value, ast.Name) and node.value.id == "Optional"):
            self.visit(node.value)

    def visit_List(self, node: ast.List) -> None:
        for item in node.elts:
            self.visit(item)

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._comprehension("listcomp", node.generators, node.elt)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._comprehension("setcomp", node.generators, node.elt)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._comprehension("genexpr", node.generators, node.elt)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension("dictcomp", node.generators, node.key, node.value)

    def _comprehension(self, name: str, generators: Sequence[ast.comprehension], *parts: ast.expr) -> None:
        first, *others = generators
        for item in _parts(first.iter):
            self.visit(item)
        with self._inner_scope(name):
            for item in (*first.ifs, *_parts(first.target)):
                self.visit(item)
            for generator in others:
                self._assign(_parts(generator.target), _parts(generator.iter))
                for item in generator.ifs:
                    self.visit(item)
            for part in parts:
                self.visit(part)

    # -- calls ------------------------------------------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> None:
        for item in (*node.args, *(keyword.value for keyword in node.keywords)):
            self.visit(item)
        builtin = self._builtin_result(node)
        if builtin is not None:
            self._value, self._type = builtin, builtin.type
            self._graph.add_use(self._here(), builtin)
            return
        self._value = self._type = None
        self.visit(node.func)
        function = self._value
        if function is not None:
            result = self._graph.entity(function.path, "()", "name")
            result.value = function
        else:
            result = self._graph.entity(self._here().path, "NUK_CALL", "name")
        result.type = self._type if self._type is not None else result.type
        if function is not None and function in self._bases:
            self._use_constructor(function)
        scope = self._graph.scopes.get(result.type or "")
        if scope is not None and scope.returned is not None:
            result.type = scope.returned
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) > 1:
            self._read_getattr(node, result)
        if result.type is None and result.value is not None:
            result.type = result.value.path
        self._value, self._type = result, result.type

    def _use_constructor(self, class_entity: Entity) -> None:
        """Record the use of a class's ``__init__``, own or inherited; if there is none, that of its last base class."""
        owner = class_entity
        if self._graph.look_up_in(class_entity.path, "__init__") is None:
            for item in self._orders.get(class_entity, ()):
                owner = item
                if self._graph.look_up_in(item.path, "__init__") is not None:
                    break
        constructor = self._graph.entity(owner.path, "__init__", "method")
        constructor.type = constructor.path
        self._graph.add_use(self._here(), constructor)

    def _builtin_result(self, node: ast.Call) -> Entity | None:
        """Return the result of ``super()``, or the method that ``str`` or ``repr`` of a variable uses, else None."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "super":
            order = self._orders.get(self._classes[-1], []) if self._classes else []
            return order[1] if len(order) > 1 else None
        if name in ("str", "repr") and len(node.args) == 1 and isinstance(node.args[0], ast.Name | ast.Attribute):
            attribute = self._attribute(ast.Attribute(node.args[0], f"__{name}__", ast.Load()))[1]
            attribute.type = "str"
            return attribute
        return None

    def _read_getattr(self, node: ast.Call, result: Entity) -> None:
        name_node = node.args[1]
        if isinstance(name_node, ast.Constant | ast.Name):
            name = str(name_node.value) if isinstance(name_node, ast.Constant) else name_node.id
        else:
            self.visit(name_node)
            name = self._value.path if self._value is not None else ""
        self.visit(node.args[0])
        entity = self._graph.look_up_in(self._value.type, name) if self._value and self._value.type else None
        if entity is not None and entity.type is not None:
            result.type = entity.type
            self._graph.add_use(self._here(), entity, by_type=not entity.defined)

    # -- scopes -----------------------------------------------------------------------------------------------------

    def _here_or_none(self) -> Entity | None:
        return self._here() if self._names else None

    def _here(self) -> Entity:
        """Return the entity of the namespace that is being read."""
        return self._graph.entity(".".join(self._names[:-1]), self._names[-1], "namespace")

    def _scope_at(self, path: str) -> NameScope:
        return self._graph.scopes.setdefault(path, NameScope(path))

    @contextmanager
    def _enter_scope(self, name: str, scope: NameScope, *, is_class: bool = False) -> Iterator[None]:
        self._names.append(name)
        self._scopes.append(scope)
        self._in_class.append(is_class)
        yield
        self._in_class.pop()
        self._scopes.pop()
        self._names.pop()

    @contextmanager
    def _inner_scope(self, name: str) -> Iterator[NameScope]:
        scope = self._scope_at(".".join([*self._names, name]))
        with self._enter_scope(name, scope):
            # Outer scopes are collapsed before inner ones, so uses in inner ones may be lost, as published.
            self._here()
            yield scope
        here = self._here()
        self._value = self._graph.entity(here.path, name, "namespace")
        self._value.defined = here.defined = True

    def _look_up(self, name: str) -> tuple[Entity | None, str]:
        """Return the binding of a name in the innermost scope that has one, and that scope's path."""
        for scope in reversed(self._scopes):
            entity = scope.names.get(name)
            if entity is not None:
                return entity, scope.path
        return None, ""

    def _bind(self, name: str, value: Entity | None, kind: str | None = None, *, defined: bool = True) -> None:
        """Bind a name in the innermost scope that has it."""
        scope = next((item for item in reversed(self._scopes) if name in item.names), None)
        if scope is None:
            return
        entity = scope.names[name]
        if entity is None or ARGUMENT in entity.path:
            entity = self._graph.entity(scope.path, name, "name")
            scope.names[name] = entity
        entity.defined = defined
        if value is not None:
            entity.type, entity.value = value.type, value
        elif kind is not None:
            entity.type = kind
            if entity.value is not None and entity.value.type != kind:
                entity.value = None


def _parts(node: ast.expr) -> list[ast.expr]:
    """Return the items of a tuple or list, else a list with the expression itself."""
    return list(node.elts) if isinstance(node, ast.Tuple | ast.List) else [node]


def _with_name(parts: tuple[str | None, str | None]) -> tuple[str | None, str]:
    namespace, name = parts
    return namespace, name or ""
