"""The modules by which tests import the code they test, for formats that run both as one program."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from annotator.sandbox.python_tests import SOLUTION
from annotator.text.python_tree import imported_names, modules_meaning, tree_or_empty

_STAND_IN = '''\
def _import_as(names):
    """Let tests import this program by these names, where nothing else has them."""
    import importlib.util
    import sys
    import types

    program = globals()

    class Program(types.ModuleType):
        def __setattr__(self, name, value):
            super().__setattr__(name, value)
            program[name] = value

    module = Program("solution")
    vars(module).update({{name: program[name] for name in program if name not in ("__name__", "__spec__")}})
    first = {{name.partition(".")[0] for name in names}}
    free = [name for name in first if name not in sys.modules and importlib.util.find_spec(name) is None]
    sys.modules.update({{name: module for name in names if name.partition(".")[0] in free}})


_import_as({names!r})
'''


def importable(test: str, names: Iterable[str]) -> str:
    """Return test code before which the program that it stands in becomes these modules; unchanged without any."""
    found = sorted(names)
    return f"{_STAND_IN.format(names=found)}\n\n{test}" if found else test


def modules_of_answer(code: str, test: str) -> set[str]:
    """Return the modules, with those above them, by which a test imports the code it tests."""
    meant = {SOLUTION, *modules_meaning(code, test)} - sys.stdlib_module_names
    found: set[str] = set()
    for name in imported_names(tree_or_empty(test)):
        parts = name.split(".")
        if parts[0] in meant:
            found.update(".".join(parts[: number + 1]) for number in range(len(parts)))
    return found
