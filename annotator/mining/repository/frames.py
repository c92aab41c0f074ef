"""Where an expression is evaluated: a scope, what encloses it, and what a call gave it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from annotator.mining.repository.modules import ClassInfo, FunctionInfo, Module
    from annotator.mining.repository.scopes import Scope
    from annotator.mining.repository.values import Value, Values


class Frame:
    """A scope in a context. Frames are compared by identity; the evaluator keeps one per context."""

    __slots__ = ("arguments", "function", "module", "outer", "owner", "receiver", "scope")

    def __init__(
        self,
        scope: Scope,
        module: Module,
        outer: Frame | None = None,
        *,
        function: FunctionInfo | None = None,
        owner: ClassInfo | None = None,
        receiver: Value | None = None,
        arguments: tuple[tuple[str, Values], ...] = (),
    ) -> None:
        """Keep what a name may be looked up in; ``owner`` is set for the frame of a class body."""
        self.scope = scope
        self.module = module
        self.outer = outer
        self.function = function
        self.owner = owner
        self.receiver = receiver
        self.arguments = dict(arguments)
