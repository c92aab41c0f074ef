"""Let tests import the code under test by its modules, for formats that run both as one program."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from annotator.sandbox.python_tests import SOLUTION
from annotator.text.python_tree import candidate_code_modules, imported_names, tree_or_empty

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


def with_modules(test: str, names: Iterable[str]) -> str:
    """Return test code that first registers its own program under these module names; unchanged without names."""
    sorted_names = sorted(names)
    return f"{_STAND_IN.format(names=sorted_names)}\n\n{test}" if sorted_names else test


def modules_of_answer(code: str, test: str) -> set[str]:
    """Return the modules by which a test imports the code under test, with their parent packages."""
    answer_modules = {SOLUTION, *candidate_code_modules(code, test)} - sys.stdlib_module_names
    modules: set[str] = set()
    for name in imported_names(tree_or_empty(test)):
        parts = name.split(".")
        if parts[0] in answer_modules:
            modules.update(".".join(parts[: number + 1]) for number in range(len(parts)))
    return modules
