"""Which names a piece of code takes from outside itself."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from annotator.mining.repository.evaluator import Evaluator
from annotator.mining.repository.scopes import COMPREHENSIONS, FUNCTIONS, Binding, Scope, scope_of
from annotator.text.python_tree import children


@dataclass(frozen=True, slots=True)
class Use:
    """A free name with the attributes read from it: ``rsa.prime.is_prime`` is rsa with (prime, is_prime)."""

    name: str
    attributes: tuple[str, ...]


def free_names(ev: Evaluator, node: ast.AST, dropped: Collection[int] = ()) -> Iterator[Use]:
    """Yield the names a statement reads that nothing inside it binds; nodes in ``dropped`` (by id) are left out."""
    none: frozenset[str] = frozenset()
    waiting: list[tuple[ast.AST, frozenset[str]]] = [(node, none)]
    while waiting:
        item, bound = waiting.pop()
        if id(item) in dropped:
            continue
        if isinstance(item, (ast.Attribute, ast.Name)):
            use, rest = _chain(item)
            if rest is not None:
                waiting.append((rest, bound))
            elif use is not None and use.name not in bound:
                yield use
        elif isinstance(item, ast.ClassDef):
            waiting.extend((child, bound) for child in (*item.decorator_list, *item.bases, *item.keywords))
            own = bound | ev.scope(item).bindings.keys()
            for child in item.body:
                # A class's names are seen in its own statements, not inside the functions that stand in it.
                waiting.append((child, bound if isinstance(child, FUNCTIONS) else own))
        elif isinstance(item, (*FUNCTIONS, ast.Lambda)):
            waiting.extend((child, bound) for child in _outside(item))
            inner = bound | _local(ev.scope(item))
            body = [item.body] if isinstance(item, ast.Lambda) else item.body
            waiting.extend((child, inner) for child in body)
        elif isinstance(item, COMPREHENSIONS):
            waiting.append((item.generators[0].iter, bound))
            inner = bound | _local(ev.scope(item))
            waiting.extend((child, inner) for child in children(item))
        else:
            waiting.extend((child, bound) for child in children(item))


def _local(scope: Scope) -> set[str]:
    return scope.bindings.keys() - scope.globals


def _chain(node: ast.Attribute | ast.Name) -> tuple[Use | None, ast.AST | None]:
    """Return a chain of attributes on a name, or the expression the chain begins with."""
    parts: list[str] = []
    inner: ast.AST = node
    while isinstance(inner, ast.Attribute):
        parts.append(inner.attr)
        inner = inner.value
    if isinstance(inner, ast.Name):
        return Use(inner.id, tuple(reversed(parts))), None
    return None, inner


def _outside(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[ast.AST]:
    """Return what of a function is evaluated outside it: decorators, defaults, annotations."""
    found: list[ast.AST] = [*node.args.defaults, *(item for item in node.args.kw_defaults if item is not None)]
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
    found.extend(item.annotation for item in arguments if item is not None and item.annotation is not None)
    if not isinstance(node, ast.Lambda):
        found.extend(node.decorator_list)
        if node.returns is not None:
            found.append(node.returns)
    return found


def bound_names(node: ast.stmt) -> dict[str, str]:
    """Return the names a top-level statement binds, with the imports or constants if nothing else binds a name."""
    found = {}
    for name, bindings in scope_of(ast.Module(body=[node], type_ignores=[])).bindings.items():
        if all(isinstance(binding.node, ast.Constant) and binding.how == "value" for binding in bindings):
            found[name] = "= " + ", ".join(sorted({ast.dump(binding.node) for binding in bindings}))
            continue
        texts = {_import_text(binding) for binding in bindings}
        found[name] = "" if "" in texts else "\n".join(sorted(texts))
    return found


def _import_text(binding: Binding) -> str:
    alias = binding.node
    if not isinstance(alias, ast.alias):
        return ""
    if binding.origin is not None:
        return f"from {binding.origin.module} import {alias.name}" if not binding.origin.level else ""
    return f"import {alias.name if alias.asname else alias.name.partition('.')[0]}"
