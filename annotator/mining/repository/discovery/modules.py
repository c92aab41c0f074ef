"""Parse a repository's modules, index their classes and functions, and resolve imports to modules."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from annotator.mining.repository.discovery.scopes import FUNCTIONS, FunctionNode, dotted_name
from annotator.mining.repository.discovery.tree import RepositoryTree, SkippedFile, SourceFile, is_test_path
from annotator.text.python_tree import child_nodes, read_tree

MAX_NESTING = 250
_SOURCE_FOLDERS = ("src", "lib", "python")


@dataclass(eq=False, slots=True, kw_only=True)
class Module:
    """A parsed file. ``lines`` are the source's lines; ``names`` the dotted names it can be imported under."""

    path: str
    text: str
    tree: ast.Module
    names: tuple[str, ...]
    is_test: bool
    lines: list[str] = field(default_factory=list)
    functions: dict[str, FunctionInfo] = field(default_factory=dict)
    classes: dict[str, ClassInfo] = field(default_factory=dict)
    _read_names: set[str] = field(default_factory=set)
    _exported_names: frozenset[str] | None = None

    def mentioned(self) -> set[str]:
        """Return every name and attribute that occurs in the file (cached)."""
        if not self._read_names:
            pending: list[ast.AST] = [self.tree]
            while pending:
                node = pending.pop()
                if isinstance(node, ast.Attribute):
                    self._read_names.add(node.attr)
                elif isinstance(node, ast.Name):
                    self._read_names.add(node.id)
                pending += child_nodes(node)
        return self._read_names

    def exports_name(self, name: str) -> bool:
        """Return whether ``from module import *`` imports a name that the module has: if ``__all__`` lists it, or, for
        a missing or computed ``__all__``, if it does not begin with an underscore.
        """
        if self._exported_names is None:
            self._exported_names = frozenset(_all_names(self.tree))
        return name in self._exported_names if self._exported_names else not name.startswith("_")

    @property
    def dotted(self) -> str:
        """The shortest name it can be imported under."""
        return min(self.names, key=len, default=self.path.removesuffix(".py").replace("/", "."))

    @property
    def is_package(self) -> bool:
        """Whether the file is a package's ``__init__``."""
        return self.path.endswith("__init__.py")


@dataclass(eq=False, slots=True)
class ClassInfo:
    """A class definition."""

    name: str
    qualname: str
    node: ast.ClassDef
    module: Module


@dataclass(eq=False, slots=True, kw_only=True)
class FunctionInfo:
    """A function definition; ``owner`` is the class of a method. ``nested``: it is defined inside a function.

    ``body_words`` caches the words that `twins_of` compares.
    """

    name: str
    qualname: str
    node: FunctionNode
    module: Module
    owner: ClassInfo | None = None
    nested: bool = False
    body_words: list[str] | None = None

    @property
    def decorators(self) -> tuple[str, ...]:
        """The decorators' dotted names, without their arguments."""
        return tuple(
            dotted_name(item.func if isinstance(item, ast.Call) else item) for item in self.node.decorator_list
        )

    def decorated(self, *names: str) -> bool:
        """Return whether the last part of a decorator's name is one of ``names``."""
        return any(item.rpartition(".")[2] in names for item in self.decorators)

    @property
    def is_property(self) -> bool:
        """Whether the function is read as an attribute."""
        return self.decorated("property", "cached_property", "abstractproperty", "lazy_property")

    @property
    def is_static(self) -> bool:
        """Whether the function is called without a receiver."""
        return self.owner is None or self.decorated("staticmethod")

    @property
    def takes_class(self) -> bool:
        """Whether the receiver is the class itself."""
        implicit = self.name in ("__init_subclass__", "__class_getitem__", "__new__")
        return self.owner is not None and (implicit or self.decorated("classmethod", "abstractclassmethod"))


@dataclass(slots=True, eq=False, kw_only=True)
class ParsedProject:
    """All modules that could be parsed; ``functions`` and ``classes`` are keyed by the id of their node."""

    modules: tuple[Module, ...]
    skipped: tuple[SkippedFile, ...]
    by_path: dict[str, Module] = field(default_factory=dict)
    by_name: dict[str, list[Module]] = field(default_factory=dict)
    functions: dict[int, FunctionInfo] = field(default_factory=dict)
    classes: dict[int, ClassInfo] = field(default_factory=dict)

    def module_named(self, name: str, near: Module | None = None) -> Module | None:
        """Return the module of an absolute import; of several, the one that shares most folders with ``near``."""
        modules = self.by_name.get(name)
        if not modules:
            return None
        if len(modules) == 1 or near is None:
            return modules[0]
        return max(modules, key=lambda module: _shared_folders(module.path, near.path))

    def relative(self, module: Module, level: int, name: str) -> Module | None:
        """Return the module of a relative import with ``level`` dots in ``module``."""
        folders = module.path.split("/")[:-1]
        if level - 1 > len(folders):
            return None
        folders = folders[: len(folders) - (level - 1)]
        return self.at("/".join([*folders, *(name.split(".") if name else [])]))

    def source_of(self, module: Module, node: ast.ImportFrom) -> Module | None:
        """Return the module that a ``from m import …`` in ``module`` imports from; None if it is an external one."""
        name = node.module or ""
        return self.relative(module, node.level, name) if node.level else self.module_named(name, module)

    def at(self, path: str) -> Module | None:
        """Return the module or package at a path without ``.py``."""
        package = f"{path}/__init__.py" if path else "__init__.py"
        return self.by_path.get(f"{path}.py") or self.by_path.get(package)

    def child(self, module: Module, name: str) -> Module | None:
        """Return the submodule of a package."""
        return self.at(f"{module.path.removesuffix('/__init__.py')}/{name}") if module.is_package else None


def load_project(tree: RepositoryTree) -> ParsedProject:
    """Parse every file of a tree; a file that does not parse is skipped with the reason."""
    modules = []
    skipped = list(tree.skipped)
    roots = import_roots(tree)
    is_root_package = any(file.path == "__init__.py" for file in tree.files)
    package = tree.root.resolve().name if is_root_package else ""
    for file in tree.files:
        try:
            parsed = parse_module_text(file.text)
        except ValueError as error:
            skipped.append(SkippedFile(file.path, str(error)))
            continue
        module = Module(
            path=file.path,
            text=file.text,
            tree=parsed,
            names=_dotted_names(file, roots, package),
            is_test=is_test_path(file.path),
        )
        module.lines = file.text.split("\n")
        modules.append(module)
    project = ParsedProject(modules=tuple(modules), skipped=tuple(skipped))
    for module in modules:
        project.by_path[module.path] = module
        for name in module.names:
            project.by_name.setdefault(name, []).append(module)
        _add_definitions(project, module)
    return project


def parse_module_text(text: str) -> ast.Module:
    """Parse source code. Raises `ValueError` with the reason, also for code nested too deep to be walked."""
    try:
        tree = read_tree(text)
    except SyntaxError as error:
        raise ValueError(f"it does not parse: line {error.lineno}: {error.msg}") from error
    except (RecursionError, MemoryError, ValueError) as error:
        raise ValueError("it does not parse: it is nested too deep or not text") from error
    level: list[ast.AST] = [tree]
    depth = 0
    while level:
        depth += 1
        if depth > MAX_NESTING:
            raise ValueError(f"it is nested deeper than {MAX_NESTING} levels")
        level = [child for node in level for child in child_nodes(node)]
    return tree


def _all_names(tree: ast.Module) -> list[str]:
    """Return the names that ``__all__`` lists; none if it is built from anything but literal names."""
    names: list[str] = []
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        is_about_all = any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            is_about_all = dotted_name(node.value.func).startswith("__all__.")
        if not is_about_all:
            continue
        value = getattr(node, "value", None)
        items = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [None]
        listed = [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]
        if len(listed) < len(items):
            return []
        names += listed
    return names


def import_roots(tree: RepositoryTree) -> tuple[str, ...]:
    """Return the folders that imports start from: the root, ``src``, ``lib`` and test folders that are not packages."""
    packages = {file.path.removesuffix("/__init__.py") for file in tree.files if file.path.endswith("/__init__.py")}
    folders = {file.path.rpartition("/")[0] for file in tree.files}
    every = {"/".join(folder.split("/")[: depth + 1]) for folder in folders for depth in range(folder.count("/") + 1)}
    roots = [""]
    for folder in sorted(every - packages - {""}):
        if folder.rpartition("/")[2] in _SOURCE_FOLDERS or is_test_path(f"{folder}/x.py"):
            roots.append(folder)
    return tuple(roots)


def _dotted_names(file: SourceFile, roots: Iterable[str], package: str) -> tuple[str, ...]:
    """Return the dotted names of a file; ``package`` is the root folder's name if it is a package itself."""
    names = []
    path = file.path.removesuffix(".py").removesuffix("/__init__")
    for root in roots:
        inner = path if not root else path[len(root) + 1 :] if path.startswith(root + "/") else ""
        if inner and inner != "__init__" and all(part.isidentifier() for part in inner.split("/")):
            names.append(inner.replace("/", "."))
    if package.isidentifier():
        inner = "" if path == "__init__" else path
        if path == "__init__" or all(part.isidentifier() for part in inner.split("/")):
            names.append(".".join([package, *inner.split("/")]).strip("."))
    return tuple(names)


def _shared_folders(path: str, other: str) -> int:
    count = 0
    for one, two in zip(path.split("/"), other.split("/"), strict=False):
        if one != two:
            break
        count += 1
    return count


def _add_definitions(project: ParsedProject, module: Module) -> None:
    """Index every class and function of a module; a later definition replaces an earlier one of the same name."""
    pending: list[tuple[ast.AST, str, ClassInfo | None, bool]] = [(module.tree, "", None, False)]
    while pending:
        node, prefix, owner, nested = pending.pop()
        for child in definitions_in(node):
            qualname = f"{prefix}{child.name}"
            if isinstance(child, ast.ClassDef):
                class_info = ClassInfo(child.name, qualname, child, module)
                project.classes[id(child)] = class_info
                if not nested:
                    module.classes[qualname] = class_info
                pending.append((child, f"{qualname}.", class_info, nested))
            else:
                function = FunctionInfo(
                    name=child.name, qualname=qualname, node=child, module=module, owner=owner, nested=nested
                )
                project.functions[id(child)] = function
                if not nested and not function.decorated("overload", "setter", "deleter"):
                    module.functions[qualname] = function
                pending.append((child, f"{qualname}.<locals>.", None, True))


def definitions_in(node: ast.AST) -> Iterator[ast.ClassDef | FunctionNode]:
    """Yield the classes and functions defined directly in a node, also inside its ``if``, ``try`` and ``with``."""
    pending = child_nodes(node)[::-1]
    while pending:
        child = pending.pop()
        if isinstance(child, (*FUNCTIONS, ast.ClassDef)):
            yield child
        elif isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case)):
            pending.extend(reversed(child_nodes(child)))
