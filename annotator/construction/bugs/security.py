"""Security bugs in Python: a safe call becomes one that a static rule reports (specification, construction, 2.3)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from annotator.construction.edits import Edit, OperatorMatch, Proposal, make_proposals
from annotator.construction.python_program import PythonProgram

_UNSAFE_CALLS: dict[str, tuple[str, str, str]] = {
    "ast.literal_eval": ("eval", "injection", "runs text as code"),
    "literal_eval": ("eval", "injection", "runs text as code"),
    "hashlib.sha256": ("hashlib.md5", "crypto", "uses a broken hash"),
    "hashlib.sha512": ("hashlib.md5", "crypto", "uses a broken hash"),
    "sha256": ("md5", "crypto", "uses a broken hash"),
    "json.loads": ("pickle.loads", "deserialisation", "reads objects that can run code"),
    "json.load": ("pickle.load", "deserialisation", "reads objects that can run code"),
    "secrets.choice": ("random.choice", "crypto", "draws from a generator that can be predicted"),
    "secrets.randbelow": ("random.randrange", "crypto", "draws from a generator that can be predicted"),
    "ssl.create_default_context": ("ssl._create_unverified_context", "transport", "does not check certificates"),
}
"""Safe call -> (unsafe call, kind of bug, explanation)."""
_MODULE_OF_NAME = {"pickle": "pickle", "random": "random", "md5": "hashlib", "hashlib": "hashlib", "ssl": "ssl"}
"""The first part of an unsafe call -> the module to import for it."""
_SECRETS = ("password", "secret", "token", "passwd")
_KEYWORD_CHANGES = (
    ("filter", "data", "", "filesystem", "unpacks members outside the folder"),
    ("debug", "False", "True", "config", "shows a debugger to everybody"),
    ("autoescape", "True", "False", "config", "does not escape what it puts into pages"),
)
"""(keyword argument, safe value, unsafe value or "" to omit the argument, kind of bug, explanation)."""


def security_bugs(code: str) -> list[Proposal]:
    """Return security bugs. Raises `ConstructionError` if the code is not Python."""
    program = PythonProgram(code)
    nodes = ast.walk(program.tree)
    return make_proposals(
        code, "security", (change for node in nodes for operator in _OPERATORS for change in operator(program, node))
    )


def _dotted_name(node: ast.AST) -> str:
    return ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""


def _import_edits(program: PythonProgram, name: str) -> list[Edit]:
    """Return the edit that imports the module a new name needs; empty if it is imported already."""
    module = _MODULE_OF_NAME.get(name.partition(".")[0], "")
    imports = [node for node in program.tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    imported_modules = {item.name for node in imports if isinstance(node, ast.Import) for item in node.names}
    if not module or ("." in name and module in imported_modules):
        return []
    text = f"import {module}\n" if "." in name else f"from {module} import {name}\n"
    ordinary_imports = [node for node in imports if getattr(node, "module", "") != "__future__"]
    after_future = program.line_span(imports[-1].lineno)[1] + 1 if imports else 0
    offset = program.byte_offset(ordinary_imports[-1].lineno, 0) if ordinary_imports else after_future
    return [Edit(offset, offset, text)]


def _replaced_calls(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if not isinstance(node, ast.Call):
        return
    name = _dotted_name(node.func)
    if name in _UNSAFE_CALLS:
        new, kind, explanation = _UNSAFE_CALLS[name]
        yield kind, "unsafe_call", [*_import_edits(program, new), program.replace(node.func, new)], explanation
    elif name == "yaml.safe_load":
        end = program.span(node)[1] - 1
        edits = [program.replace(node.func, "yaml.load"), Edit(end, end, ", Loader=yaml.Loader")]
        yield "deserialisation", "unsafe_load", edits, "reads objects that can run code"
    elif name in ("int", "float") and len(node.args) == 1 and not node.keywords:
        # A string made from a number, as in int(str(n)), cannot come from an attacker.
        if not isinstance(node.args[0], ast.Constant) and not _is_number_text(
            node.args[0], _number_text_names(program.tree)
        ):
            yield "injection", "parse_to_eval", [program.replace(node.func, "eval")], "runs text as code"
    elif name == "getattr" and len(node.args) == 2:
        owner, attribute = (program.text(item) for item in node.args)
        text = f"eval({owner!r} + '.' + {attribute})"
        yield "injection", "getattr_to_eval", [program.replace(node, text)], "runs text as code"
    elif name.endswith("mkstemp"):
        yield (
            "filesystem",
            "mktemp",
            [program.replace(node.func, name.replace("mkstemp", "mktemp"))],
            "leaves a race condition",
        )


def _number_text_names(tree: ast.Module) -> set[str]:
    """Return the names whose values come from ``str()``, or are characters of such a value."""
    names: set[str] = set()
    # ast.walk goes breadth-first, so a name may be used before its assignment is seen; the second pass finds it.
    for _ in range(2):
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                pairs = [(target, node.value) for target in node.targets]
            elif isinstance(node, ast.For | ast.comprehension):
                pairs = [(node.target, node.iter)]
            else:
                continue
            names.update(
                item.id for item, value in pairs if isinstance(item, ast.Name) and _is_number_text(value, names)
            )
    return names


def _is_number_text(node: ast.expr, names: set[str]) -> bool:
    while isinstance(node, ast.Subscript):
        node = node.value
    return _dotted_name(node) in names or (isinstance(node, ast.Call) and _dotted_name(node.func) == "str")


def _subprocess_calls(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if not isinstance(node, ast.Call) or not _dotted_name(node.func).startswith("subprocess.") or not node.args:
        return
    command_list = node.args[0]
    if (
        not isinstance(command_list, ast.List)
        or not command_list.elts
        or any(isinstance(item, ast.Starred) for item in command_list.elts)
    ):
        return
    words = [_fstring_part(program, item) for item in command_list.elts]
    if any('"' in item or "\\" in item for item in words):
        return
    command = 'f"' + " ".join(words) + '"'
    after = program.span(command_list)[1]
    edits = [program.replace(command_list, command), Edit(after, after, ", shell=True")]
    yield "injection", "shell", edits, "passes the text to a shell"
    has_import = any(line.strip() == "import os" for line in program.code.splitlines())
    import_edits = [] if has_import else [Edit(0, 0, "import os\n")]
    yield (
        "injection",
        "os_system",
        [*import_edits, program.replace(node, f"os.system({command})")],
        "passes the text to a shell",
    )


def _fstring_part(program: PythonProgram, node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.replace("{", "{{").replace("}", "}}")
    return "{" + program.text(node) + "}"


def _query_calls(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "execute"):
        return
    if len(node.args) != 2 or not isinstance(node.args[0], ast.Constant) or not isinstance(node.args[1], ast.Tuple):
        return
    text = str(node.args[0].value)
    values = node.args[1].elts
    for mark in ("?", "%s"):
        # Braces or quotes in the query would need escaping in the f-string.
        if text.count(mark) == len(values) and values and "{" not in text and '"' not in text:
            for value in values:
                text = text.replace(mark, "'{" + program.text(value).replace('"', "'") + "}'", 1)
            edits = [Edit(program.span(node.args[0])[0], program.span(node.args[1])[1], f'f"{text}"')]
            yield "injection", "sql_text", edits, "puts values into the query's text"
            return


def _changed_keywords(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if not isinstance(node, ast.Call):
        return
    name = _dotted_name(node.func)
    end = program.span(node)[1] - 1
    keywords = {item.arg: item for item in node.keywords}
    if name.startswith(("requests.", "httpx.")) and name.rpartition(".")[2] in ("get", "post", "put", "delete", "head"):
        if "verify" not in keywords and node.args:
            yield "transport", "verify_off", [Edit(end, end, ", verify=False")], "does not check certificates"
        if "timeout" in keywords:
            yield "transport", "no_timeout", _drop_keyword(program, node, keywords["timeout"]), "may wait forever"
    for argument, old, new, kind, explanation in _KEYWORD_CHANGES:
        if argument in keywords and ast.unparse(keywords[argument].value).strip("'\"") == old:
            edits = (
                [program.replace(keywords[argument].value, new)]
                if new
                else _drop_keyword(program, node, keywords[argument])
            )
            yield kind, f"{argument}_changed", edits, explanation


def _drop_keyword(program: PythonProgram, node: ast.Call, keyword: ast.keyword) -> list[Edit]:
    ends = [program.span(item)[1] for item in node.args] + [program.span(item)[1] for item in node.keywords]
    start = max((end for end in ends if end <= program.span(keyword)[0]), default=program.span(keyword)[0])
    return [Edit(start, program.span(keyword)[1], "")]


def _changed_values(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        is_secret = any(word in node.targets[0].id.lower() for word in _SECRETS)
        if is_secret and ast.unparse(node.value).startswith(("os.environ", "os.getenv", "getpass.")):
            yield "secrets", "literal_password", [program.replace(node.value, '"s3cr3t-Pa55"')], "contains a password"
    elif isinstance(node, ast.Constant) and node.value in ("127.0.0.1", "localhost"):
        yield "config", "all_interfaces", [program.replace(node, '"0.0.0.0"')], "listens on all interfaces"
    elif isinstance(node, ast.Call) and _dotted_name(node.func) == "os.chmod" and len(node.args) == 2:
        yield "filesystem", "open_mode", [program.replace(node.args[1], "0o777")], "lets everybody write"
    elif isinstance(node, ast.Call) and _dotted_name(node.func).endswith("compare_digest") and len(node.args) == 2:
        left, right = (program.text(item) for item in node.args)
        yield (
            "crypto",
            "plain_comparison",
            [program.replace(node, f"({left} == {right})")],
            "leaks information through its timing",
        )
    elif isinstance(node, ast.ImportFrom | ast.Import) and "defusedxml" in ast.unparse(node):
        text = program.text(node)
        plain = "xml.etree" if "ElementTree" in text else "xml"
        yield (
            "deserialisation",
            "plain_xml",
            [program.replace(node, text.replace("defusedxml", plain, 1))],
            "expands external entities",
        )


_OPERATORS: tuple[Callable[[PythonProgram, ast.AST], Iterator[OperatorMatch]], ...] = (
    _replaced_calls,
    _subprocess_calls,
    _query_calls,
    _changed_keywords,
    _changed_values,
)
