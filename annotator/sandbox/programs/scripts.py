"""Programs in Bash, PHP, R and Ruby: one script, whose tests can exit with success only through the guard."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from types import MappingProxyType

from annotator.sandbox.programs.program import ProgramRequest, SandboxProgram, guard_file, run_step, start_file
from annotator.sandbox.programs.source_text import fit_braces, load_only_existing
from annotator.text.syntax_trees import node_text, parse_code, walk_nodes
from annotator.text.trees.javascript_tree import ByteEdits, Node

_LATE_GEMS, _LATE_PACKAGES = ".start.rb", ".start.R"

LOADED = MappingProxyType(
    {
        "r": re.compile(
            r"\b(?:library|require|requireNamespace|loadNamespace)\s*\(\s*['\"]?([A-Za-z][\w.]*)|\b([A-Za-z][\w.]*):::?"
        ),
        "ruby": re.compile(r"^require\s+['\"]([^'\"./][^'\"]*)['\"]", re.MULTILINE),
    }
)
"""Patterns of loading a library, by language."""


def _guards(request: ProgramRequest, name: str, needs: Sequence[str] = ()) -> dict[str, str]:
    """Return a guard, filled with the libraries that the tests need."""
    if request.test is None:
        return {}
    return {name: guard_file(name, request.key).replace("ANNOTATOR_NEEDS", ", ".join(map(json.dumps, needs)))}


def libraries_of_test(language: str, code: str, test: str) -> list[str]:
    """Return the libraries that a test loads, without those that the code mentions outside imports and may define
    itself."""
    pattern = LOADED[language]
    libraries = dict.fromkeys(word for match in pattern.finditer(test) for word in match.groups() if word)
    rest = pattern.sub("", code)
    return [word for word in libraries if word not in rest and not word.endswith("_helper")]


# -- R ---------------------------------------------------------------------------------------------------------------

_R_QUIT = re.compile(r"(?<![\w.])(?:base::)?(?:quit|q)(?=\s*\()")


def build_r(request: ProgramRequest) -> SandboxProgram:
    """Return a program in R."""
    if request.test is None:
        return SandboxProgram(files={"main.R": request.code}, steps=(run_step("Rscript", "--vanilla", "main.R"),))
    # The command that Rscript would start as a second process.
    started = run_step("R", "--no-echo", "--no-restore", "--vanilla", f"--file={_LATE_PACKAGES}", "--args", "main.R",
               f"{request.tools}/guard.R", env=(("R_DEFAULT_PACKAGES", "NULL"),))  # fmt: skip
    test = load_only_existing(request.test, "r")
    text = f"{request.code}\n{_R_QUIT.sub(f'annotator_{request.key}', test)}"
    return SandboxProgram(files={"main.R": text, _LATE_PACKAGES: start_file("start.R")}, steps=(started,),
                   guards=_guards(request, "guard.R", libraries_of_test("r", request.code, request.test)))  # fmt: skip


# -- Ruby ------------------------------------------------------------------------------------------------------------

_RUBY_EXIT = re.compile(
    r"(?P<before>(?:^|;|\b(?:then|else|do|and|or)\b|&&|\|\||\{|[?:](?=[ \t]))[ \t]*)"
    r"(?:Kernel\.)?exit\b!?(?![\w?=:.])",
    re.MULTILINE,
)
_RSPEC = re.compile(r"^\s*RSpec\.(?:describe|context|feature)\b|^require ['\"]rspec", re.MULTILINE)
_BARE_RSPEC = re.compile(r"^(?:describe|context)\b[^\n]*\bdo[ \t]*$", re.MULTILINE)
_NO_RSPEC = re.compile(r"\bminitest\b|\bdef (?:self\.)?describe\b", re.IGNORECASE)
"""Other frameworks with ``describe``, or a definition of it."""


def build_ruby(request: ProgramRequest) -> SandboxProgram:
    """Return a program in Ruby."""
    guard = () if request.test is None else (f"{request.tools}/guard.rb",)
    started = run_step("ruby", "--disable=gems", f"-r./{_LATE_GEMS}", *guard, "main.rb")
    text, needs = request.code, list[str]()
    if request.test is not None:
        needs = libraries_of_test("ruby", request.code, request.test)
        guard_name = f"AnnotatorGuard{request.key}"
        test = load_only_existing(request.test, "ruby")
        # As the command rspec does for a file of examples.
        text += f"\n{guard_name}.begin(__LINE__); " + (
            "require 'rspec/autorun'; " if _is_rspec(request.code, test) else ""
        )
        text += _RUBY_EXIT.sub(lambda match: f"{match['before']}{guard_name}.leave", test)
    return SandboxProgram(files={"main.rb": text, _LATE_GEMS: start_file("start.rb")}, steps=(started,),
                   guards=_guards(request, "guard.rb", needs))  # fmt: skip


def _is_rspec(code: str, test: str) -> bool:
    """Return whether a test is a file of examples that is run by the command rspec."""
    if _RSPEC.search(test) is not None:
        return True
    return _BARE_RSPEC.search(test) is not None and not _NO_RSPEC.search(f"{code}\n{test}")


# -- PHP -------------------------------------------------------------------------------------------------------------


_EXITS_IN = frozenset((
    "exit_statement", "function_call_expression", "expression_statement", "binary_expression",
    "conditional_expression", "arrow_function", "match_default_expression", "match_conditional_expression",
))  # fmt: skip
"""Nodes of which a bare ``exit`` may be a part; elsewhere it is the name of a method or a label."""


def build_php(request: ProgramRequest) -> SandboxProgram:
    """Return a program in PHP."""
    code = _without_end(request.code)
    text = code if code.lstrip().startswith("<?") else f"<?php\n{code}"
    if request.test is not None:
        test = _without_end(request.test)
        test = test.lstrip().removeprefix("<?php") if test.lstrip().startswith("<?php") else test
        declarations = _top_nodes(test, "declare_statement")
        # This one is allowed only at the beginning of a file.
        test = _replace_nodes(test, [(node, "") for node, declared in declarations if "strict_types" in declared])
        parts = fit_braces(text, test, "php")
        leave = f"\\AnnotatorGuard{request.key}::leave"
        is_apart = _are_apart(parts.code, parts.test)
        own = parts.test if is_apart else _without_known_uses(parts.test, parts.code)
        guarded_test = _replace_exits(load_only_existing(own, "php"), leave)
        begin = f"\\AnnotatorGuard{request.key}::begin(__LINE__);"
        if is_apart or len(_top_nodes(parts.code, "namespace_definition")) > len(_open_namespaces(parts.code)):
            begin = f"namespace {{ {begin} }} "
        text = f"{parts.code}\n{begin}{guarded_test}"
        if is_apart:
            text = _in_braces(parts.code) + begin + _in_braces(f"<?php\n{guarded_test}").removeprefix("<?php")
    strict = ("-d", "display_errors=stderr", "-d", "zend.assertions=1", "-d", "assert.exception=1",
              "-d", f"memory_limit={request.memory_mb}M")  # fmt: skip
    guard = () if request.test is None else (f"{request.tools}/guard.php",)
    framework = ("phpunit",) if request.test is not None and "PHPUnit\\" in request.test else ()
    return SandboxProgram(files={"main.php": text}, steps=(run_step("php", *strict, *guard, "main.php", *framework),),
                   guards=_guards(request, "guard.php"))  # fmt: skip


def _without_end(text: str) -> str:
    return text.rstrip().removesuffix("?>") if text.rstrip().endswith("?>") else text


def _top_nodes(text: str, kind: str) -> list[tuple[Node, str]]:
    """Return the parts of one kind of which a file consists, with their texts on one line."""
    root, data = parse_code(text, "php"), text.encode("utf-8", "surrogatepass")
    nodes = [node for node in (root.children if root else ()) if node.type == kind]
    return [(node, " ".join(node_text(node, data).split())) for node in nodes]


def _open_namespaces(text: str) -> list[tuple[Node, str]]:
    """Return the namespaces that have no braces, with their clauses."""
    return [part for part in _top_nodes(text, "namespace_definition") if part[1].endswith(";")]


def _replace_nodes(text: str, replacements: list[tuple[Node, str]]) -> str:
    edits = ByteEdits(text.encode("utf-8", "surrogatepass"))
    for node, replacement in replacements:
        edits.replace(node, replacement)
    return edits.apply()


def _are_apart(code: str, test: str) -> bool:
    """Return whether only one of code and test has a namespace, so that its names are not visible in the other."""
    spaces = [clause.split()[1].rstrip(";") for _, clause in _open_namespaces(code)]
    if not spaces:
        return bool(_open_namespaces(test)) and not _top_nodes(code, "namespace_definition")
    paths = [use.removeprefix("use ").removeprefix("function ").lstrip("\\")
             for _, use in _top_nodes(test, "namespace_use_declaration")]  # fmt: skip
    is_outside = not _top_nodes(test, "namespace_definition")
    return is_outside and any(path.startswith(f"{space}\\") for path in paths for space in spaces)


def _in_braces(text: str) -> str:
    """Return a file with its namespaces, or all of it, in braces, so that another file may follow."""
    namespaces = [(node, f"{clause[:-1]} {{") for node, clause in _open_namespaces(text)]
    if not namespaces:
        node, last = [*_top_nodes(text, "php_tag")[:1], *_top_nodes(text, "declare_statement")][-1]
        namespaces = [(node, f"{last} namespace {{")]
    begins = [(node, f"}}\n{begin}" if number else begin) for number, (node, begin) in enumerate(namespaces)]
    return _replace_nodes(text, begins) + "\n}\n"


def _without_known_uses(test: str, code: str) -> str:
    """Return a test without imports that the code has already, as both are in one file."""
    uses = [] if _top_nodes(test, "namespace_definition") else _top_nodes(test, "namespace_use_declaration")
    imported = {use for _, use in _top_nodes(code, "namespace_use_declaration")}
    return _replace_nodes(test, [(node, "") for node, use in uses if use in imported])


def _replace_exits(test: str, leave: str) -> str:
    """Return a test that exits through the guard's function, which takes the same arguments as ``exit``."""
    root, data = parse_code(test, "php"), test.encode("utf-8", "surrogatepass")
    exits = []
    for node in walk_nodes(root) if root else ():
        kinds = {node.type, node.parent.type if node.parent else ""}
        if node_text(node, data).lower() in ("exit", "die") and not kinds.isdisjoint(_EXITS_IN):
            is_called = data[node.end_byte :].lstrip().startswith(b"(")
            exits.append((node, leave if is_called else f"{leave}()"))
    return _replace_nodes(test, exits)


# -- Bash ------------------------------------------------------------------------------------------------------------

# In POSIX mode special builtins come before functions of their names. What the code has made read-only stays its own.
_OWN_BUILTINS = (
    "\nPOSIXLY_CORRECT=1\nunset -f unset exit set trap return eval exec "
    "test [ true false printf echo builtin command || exit 1\nset +e\nunset POSIXLY_CORRECT\n"
    "PATH=/usr/bin:/bin:$PATH\nhash -r\n"
)
_BASH_EXIT = re.compile(
    r"(?P<before>^|;|\bthen|\belse|&&|\|\|)(?P<space>[ \t]*)"
    r"exit[ \t]+(?P<status>0|\"?\$\{?[\w?#]+\}?\"?)[ \t]*(?=$|;|#)",
    re.MULTILINE,
)
_HEREDOC = re.compile(
    r"(?<!<)<<-?[ \t]*(?P<q>['\"]?)\\?(?P<end>[A-Za-z_]\w*)(?P=q)(?P<rest>[^\n]*\n)(?P<body>.*?^[ \t]*(?P=end)$)",
    re.MULTILINE | re.DOTALL,
)
_BASH_CLOSING = re.compile(r"\A\s*\}")
_BASH_OPENS = re.compile(r"\{[ \t]*(?:#[^\n]*)?$", re.MULTILINE)
_BASH_CLOSES = re.compile(r"^[ \t]*\}", re.MULTILINE)
_LOOKED_AT = re.compile(r"\$\?|\bPIPESTATUS\b|\$\{\?\}")


def build_bash(request: ProgramRequest) -> SandboxProgram:
    """Return a program in Bash."""
    guard = () if request.test is None else (f"{request.tools}/guard.sh",)
    text = request.code if request.test is None else _with_checks(request.code, request.test, request.key)
    return SandboxProgram(
        files={"main.sh": text}, steps=(run_step("bash", *guard, "main.sh"),), guards=_guards(request, "guard.sh")
    )


def _with_checks(code: str, test: str, key: str) -> str:
    """Return code and test; each command of the test must succeed unless the test looks at its status."""
    is_open = len(_BASH_OPENS.findall(code)) > len(_BASH_CLOSES.findall(code))
    if is_open and (match := _BASH_CLOSING.match(test)) is not None:
        code, test = f"{code}{match[0]}", test[match.end() :]
    elif not is_open:
        test = _BASH_CLOSING.sub("", test)
    bodies = [match.span("body") for match in _HEREDOC.finditer(test)]
    for match in reversed(list(_BASH_EXIT.finditer(test))):
        if not any(start <= match.start() < end for start, end in bodies):
            replacement = f"{match['before']}{match['space']}{_leave_command(match['status'], key)}"
            test = f"{test[: match.start()]}{replacement}{test[match.end() :]}"
    test = load_only_existing(test, "bash")
    first = f"{code}{_OWN_BUILTINS}{_command_checks(key, ())}".count("\n") + 1
    lines = test.split("\n")
    tolerated = [
        first + number
        for number, line in enumerate(lines)
        if _LOOKED_AT.search(line) or _LOOKED_AT.search(next(filter(str.strip, lines[number + 1 :]), ""))
    ]
    return f"{code}{_OWN_BUILTINS}{_command_checks(key, tolerated)}{test}"


def _leave_command(status: str, key: str) -> str:
    """Return the command with which the tests exit; it informs the guard if the status is 0."""
    name = f"annotator_status_{key}"
    return f"{{ {name}={status}; (( {name} == 0 )) && annotator_mark_{key}; exit ${name}; }}"


def _command_checks(key: str, tolerated: Sequence[int]) -> str:
    """Return the trap that checks every command outside functions, except on the tolerated lines."""
    return guard_file("checks.sh", key).replace("ANNOTATOR_LINES", " ".join(map(str, tolerated)))
