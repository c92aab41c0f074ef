"""What would be done again after every fork though it need not be.

Loaded first. The locks of ``threading`` are made anew in a forked child because another thread may have held one. The
supervisor has no other thread, and this alone would cost a child a quarter of a millisecond. So the hook is kept from
the supervisor's forks and given to its children, whose own forks need it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

_Hook = Callable[[], Any]
_register = os.register_at_fork
_put_off: list[_Hook] = []


def _noted(**hooks: _Hook) -> None:
    hook = hooks.get("after_in_child")
    if hook is not None and len(hooks) == 1 and getattr(hook, "__module__", "") == "threading":
        _put_off.append(hook)
    else:
        _register(**hooks)


os.register_at_fork = _noted  # type: ignore[assignment]  # the same keywords


def loaded() -> None:
    """Everything is loaded: note no more hooks. If something has started threads, the hooks hold for our forks too."""
    os.register_at_fork = _register
    threading = sys.modules.get("threading")
    if threading is not None and threading.active_count() > 1:
        in_child()
        _put_off.clear()


def in_child() -> None:
    """Register what was put off, for the forks of this process."""
    for hook in _put_off:
        _register(after_in_child=hook)
