"""The imports of a file that a piece of its code needs to run by itself."""

from __future__ import annotations

import ast
import re

from annotator.text.python_tree import readable_tree

_STANDARD_HEADER = re.compile(r"^[ \t]*(#[ \t]*include[ \t]*<\w+>|using namespace std;)", re.MULTILINE)
_JAVA_IMPORT = re.compile(r"^import\s+(?:static\s+)?java\.[\w.]*?\.(\w+|\*)\s*;", re.MULTILINE)


def imports_of_code(text: str, code: str, language: str) -> str:
    """Return the lines with which a file imports what ``code`` uses, nothing if it uses nothing of that.

    Of Java and C++ the standard library alone counts, since nothing else can be there. JavaScript and TypeScript give
    nothing, since what they import are packages and files beside them.
    """
    if language == "python":
        lines = _python_imports(text, code)
    elif language == "c++":
        lines = list(dict.fromkeys(match[1] for match in _STANDARD_HEADER.finditer(text)))
    elif language == "java":
        used = set(re.findall(r"\w+", code))
        lines = [match[0] for match in _JAVA_IMPORT.finditer(text) if match[1] == "*" or match[1] in used]
    else:
        lines = []
    return "".join(f"{line}\n" for line in lines)


def _python_imports(text: str, code: str) -> list[str]:
    file, piece = readable_tree(text), readable_tree(code)
    if file is None or piece is None:
        return []
    used = {node.id for node in ast.walk(piece) if isinstance(node, ast.Name)}
    lines = []
    for node in file.body:
        if isinstance(node, ast.ImportFrom):
            # The package is not available beside a single function of it, so relative imports are dropped.
            names = [] if node.level else [item for item in node.names if _local_name(item) in used]
            if node.module == "__future__":
                names = node.names
            if names:
                lines.append(ast.unparse(ast.ImportFrom(node.module, names, 0)))
        elif isinstance(node, ast.Import):
            aliases = [item for item in node.names if _local_name(item).partition(".")[0] in used]
            if aliases:
                lines.append(ast.unparse(ast.Import(aliases)))
    return lines


def _local_name(item: ast.alias) -> str:
    return item.asname or item.name
