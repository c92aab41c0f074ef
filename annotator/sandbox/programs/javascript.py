"""Programs in JavaScript and TypeScript: code and test are one script, and the test's statements are made to count.

What a test's statements return is given to the guard, which waits for promises; async functions of the test tell it
when they begin and end; its ``process.exit`` and ``console.assert`` are the guard's. Tests in the style of Jest, Vitest
or Mocha get ``describe``, ``it`` and ``expect`` from Jest itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from annotator.sandbox.programs.program import (
    ProgramRequest,
    ProgramStep,
    SandboxProgram,
    check_tool,
    compile_step,
    guard_file,
    run_step,
)
from annotator.text.syntax_trees import walk_nodes
from annotator.text.trees.javascript_tree import FUNCTIONS, ByteEdits, JavaScriptSource, Node, outside_functions

_ITSELF, _OWN = "./annotator-itself", "annotatorOwn"
"""Placeholders for the file and the namespace of a module that imports itself."""
_FRAMEWORKS = frozenset(("vitest", "@jest/globals", "mocha", "expect", "jest"))
"""Modules that define the same names as Jest."""
_CASES = frozenset(("describe", "suite", "context", "it", "test", "specify"))
_STYLE_NAMES = (*_CASES, "expect", "jest", "vi", "xit", "xtest", "xdescribe", "fit", "fdescribe",
                "beforeAll", "beforeEach", "afterEach", "afterAll", "before", "after")  # fmt: skip
_USED = (("expect", "()"), ("expect", ""), ("jest", ""), ("vi", ""))
"""Names that tests use and a framework may lack: checks, makers of matchers, mocks."""
_BUILT_IN = frozenset(
    ("assert", "async_hooks", "buffer", "child_process", "crypto", "events", "fs", "http", "module", "os", "path",
     "perf_hooks", "process", "querystring", "readline", "stream", "string_decoder", "timers", "url", "util", "v8",
     "vm", "worker_threads", "zlib")
)  # fmt: skip
_ASSERTIONS = frozenset(("assert", "assert/strict", "chai"))
"""Modules whose functions check something."""
_BRANCHES = frozenset(("catch_clause", "if_statement", "ternary_expression", "switch_statement", "binary_expression"))
_HANDLERS = frozenset(("catch", "on", "once"))
"""Methods that take a function for an error or an event."""
_OLDER_DECORATORS = '--tsconfig-raw={"compilerOptions":{"experimentalDecorators":true}}'
_OLDER_TYPES = frozenset(
    ("descriptor", "PropertyDescriptor", "TypedPropertyDescriptor", "MethodDecorator", "PropertyDecorator",
     "ParameterDecorator")
)  # fmt: skip
"""Names of what only older decorators are or are given."""
_KEY = re.compile(r"\w*(?:key|name|prop)|[^:]*:\s*(?:string|symbol|PropertyKey)\b", re.IGNORECASE)
"""The second parameter of an older decorator, by its name or type: the standard's is a context."""
_MEMBERS = ("method_definition", "public_field_definition", "pair")
_AGAIN = frozenset(("function_declaration", "generator_function_declaration", "var"))
"""Kinds of declarations that a script may repeat."""


def build_javascript(request: ProgramRequest) -> SandboxProgram:
    """Return a program in JavaScript: a module where it imports, exports or waits outside functions."""
    joined = _join(request, "javascript")
    file = "main.mjs" if JavaScriptSource(joined.text, "javascript").is_module else "main.js"
    text = joined.text.replace(_ITSELF, f"./{file}")
    steps = (_node(request, joined, file),)
    return SandboxProgram(files={file: text}, steps=steps, coverage=("v8", 0), guards=joined.guards)


def build_typescript(request: ProgramRequest) -> SandboxProgram:
    """Return a program in TypeScript; a module only where its statements wait, as no other script can."""
    joined = _join(request, "typescript")
    program = JavaScriptSource(joined.text, "typescript")
    file, form = ("main.mjs", "--format=esm") if program.has_top_level_await else ("main.js", "--format=cjs")
    target = "--target=es2022" if program.has_top_level_await else "--target=es2020"
    options = (form, target, "--platform=node", "--log-level=error", f"--outfile={file}",
               *((_OLDER_DECORATORS,) if _has_older_decorators(program) else ()),
               *(("--sourcemap=external",) if request.coverage else ()))  # fmt: skip
    steps = (compile_step("esbuild", "main.ts", *options), _node(request, joined, file))
    text = joined.text.replace(_ITSELF, f"./{file}")
    return SandboxProgram(files={"main.ts": text}, steps=steps, coverage=("v8", 0), guards=joined.guards)


def _has_older_decorators(program: JavaScriptSource) -> bool:
    """Return whether a program uses decorators as TypeScript had them before the standard.

    Parameters are decorated, or a decorator that the program defines takes a member's key or a descriptor.
    """
    nodes = list(walk_nodes(program.root))
    decorators = [node for node in nodes if node.type == "decorator"]
    if any(node.parent is not None and "parameter" in node.parent.type for node in decorators):
        return True
    functions = [node for node in nodes if node.type in FUNCTIONS] if decorators else []
    return any(_is_older(decorator.named_children[-1], functions, program) for decorator in decorators)


def _is_older(decorator: Node, functions: list[Node], program: JavaScriptSource) -> bool:
    """Return whether one of the functions defines this decorator (a name or a call) as an older one."""
    callee = decorator.child_by_field_name("function")
    owner, _, name = program.of(callee or decorator).rpartition(".")
    for function in functions:
        definition = _definition_of(function)
        if _defined_name(definition, program) != name or (definition.type in _MEMBERS and not owner):
            continue
        decorating = _returned(function, program) if callee else (function,)
        if any(program.of(node) in _OLDER_TYPES for node in walk_nodes(definition)) or any(
            _takes_key(one, program) for one in decorating
        ):
            return True
    return False


def _definition_of(function: Node) -> Node:
    """Return the node that names a function: itself, or the variable or member that holds it."""
    return function if function.child_by_field_name("name") or function.parent is None else function.parent


def _defined_name(definition: Node, program: JavaScriptSource) -> str:
    return program.of(definition.child_by_field_name("name") or definition.child_by_field_name("key"))


def _returned(function: Node, program: JavaScriptSource) -> Iterator[Node]:
    """Yield the functions that a function returns, itself or by a name."""
    inside = [node for node in outside_functions(function) if node != function]
    values = [node.named_children[0] for node in inside if node.type == "return_statement" and node.named_children]
    texts = {program.of(value).strip("()") for value in (function.child_by_field_name("body"), *values)}
    for node in inside:
        if (
            node.type in FUNCTIONS
            and {program.of(node).strip("()"), _defined_name(_definition_of(node), program)} & texts
        ):
            yield node


def _takes_key(function: Node, program: JavaScriptSource) -> bool:
    """Return whether a function takes three arguments, or a member's key as its second."""
    parameters = function.child_by_field_name("parameters")
    texts = [program.of(node) for node in parameters.named_children if node.type != "comment"] if parameters else []
    return len(texts) > 2 or (len(texts) == 2 and _KEY.match(texts[1]) is not None)


# -- starting Node ---------------------------------------------------------------------------------------------------

_FROM_SNAPSHOT = check_tool("node") + 'test -r "$0" && set -- --snapshot-blob "$0" "$@"; exec node "$@"'
"""Start Node from the image's snapshot if it has one for these flags, which halves the start time."""


@dataclass(frozen=True, slots=True)
class _JavaScriptProgram:
    """Code and test as one text, and the guards that are loaded before it, in order."""

    text: str
    guards: dict[str, str]


def _node(request: ProgramRequest, joined: _JavaScriptProgram, file: str) -> ProgramStep:
    heap_mb = max(64, request.memory_mb * 3 // 4)
    flags = ("--stack-size=4000", f"--max-old-space-size={heap_mb}")
    guard = tuple(word for name in joined.guards for word in ("--require", f"{request.tools}/{name}"))
    start = ("sh", "-c", _FROM_SNAPSHOT, f"{request.tools}/node-{heap_mb}.blob")
    return run_step(*start, *flags, *guard, file, needs=("node",))


# -- code and test ---------------------------------------------------------------------------------------------------


def _join(request: ProgramRequest, language: str) -> _JavaScriptProgram:
    """Return code and test; the test's statements pass their results to the guard and report when all were reached."""
    if request.test is None:
        return _JavaScriptProgram(request.code, {})
    # Starts with a name: a line that starts with a bracket would continue the expression on the line above.
    handle = f"globalThis[Symbol.for('annotator.{request.key}')]"
    code, test = JavaScriptSource(request.code, language), JavaScriptSource(request.test, language)
    style_names = _style_names(code, test)
    edits = ByteEdits(test.data)
    assignments, moved, own = _edit_imports(code, test, edits)
    must_check = _count_checks(test, edits, handle)
    _edit_calls(test, edits, handle)
    _edit_async(test, edits, handle)
    for node in test.root.children:
        if node.type == "ambient_declaration":
            edits.replace(node, "")
    first_line = "".join(assignments)
    if style_names:
        pairs = ", ".join(f"{framework_name}: {local_name}" for framework_name, local_name in style_names)
        first_line = f"const {{ {pairs} }} = globalThis[Symbol.for('annotator.expect.{request.key}')]; {first_line}"
    text = f"{first_line}{edits.apply()}"
    if _clashes(
        code, test, {local_name for _, local_name in style_names} | own, is_module=code.is_module or bool(moved)
    ):
        text = f"{{\n{text}\n}}"
    itself = f"import * as {_OWN} from '{_ITSELF}';" if _OWN in text else ""
    text = f"{request.code}\n;{itself}{''.join(moved)}\n{text}\n;{handle}.reached();\n"
    return _JavaScriptProgram(text, _guards(request, test, style_names, must_check=must_check))


def _style_names(code: JavaScriptSource, test: JavaScriptSource) -> tuple[tuple[str, str], ...]:
    """Return the framework names that a test imports or uses: pairs of the framework's name and the test's name.

    A name that the code declares is the code's, unless the test calls it with a title as frameworks do.
    """
    framework_names = {
        local_name: framework_name
        for item in test.imports
        if item.module in _FRAMEWORKS
        for framework_name, local_name in item.names
    }
    titled = {
        function_name.partition(".")[0] for node, function_name in test.calls(walk_nodes(test.root)) if _has_title(node)
    } & _CASES
    others = {local_name for item in test.imports if item.module not in _FRAMEWORKS for _, local_name in item.names}
    titled_names = titled | ({"expect"} if titled else set())
    for name in _STYLE_NAMES:
        is_foreign = name in others or (name in test.declared and name not in framework_names)
        if name in test.mentioned and not is_foreign and (name not in code.declared or name in titled_names):
            framework_names.setdefault(name, name)
    if not any(name in test.mentioned for name in framework_names):
        return ()
    return tuple((framework_name, local_name) for local_name, framework_name in framework_names.items())


def _has_title(call: Node) -> bool:
    arguments = call.child_by_field_name("arguments")
    return bool(
        arguments and arguments.named_children and arguments.named_children[0].type in ("string", "template_string")
    )


def _edit_imports(
    code: JavaScriptSource, test: JavaScriptSource, edits: ByteEdits
) -> tuple[list[str], list[str], set[str]]:
    """Replace a test's imports of the code, which precedes it in the same module.

    Returns the assignments for the test's first line, the imports that go before it, and the names that both bind.
    Names that the code does not declare are taken from its exports.
    """
    assignments: list[str] = []
    moved: list[str] = []
    own: set[str] = set()
    exports = _OWN if code.is_module else "module.exports"
    for item in test.imports:
        rest = [
            (exported_name, local_name) for exported_name, local_name in item.names if local_name not in code.declared
        ]
        if item.module in _FRAMEWORKS:
            edits.replace(item.node, "")
        elif item.module.startswith(".") and (item.is_import or not rest):
            edits.replace(item.node, "")
            for exported_name, local_name in rest:
                whole = exported_name == "*" or (exported_name == "default" and not code.is_module)
                assignments.append(f"const {local_name} = {exports}{'' if whole else '.' + exported_name}; ")
            own |= {local_name for _, local_name in rest}
        elif item.is_import:
            edits.replace(item.node, "")
            if rest or not item.names:
                moved.append(_import_of(rest, item.module))
        else:
            own |= {local_name for _, local_name in item.names}
    for node in walk_nodes(test.root):
        if test.required_module(node).startswith("."):
            edits.replace(node, exports)
        elif test.required_module(node, "import").startswith("."):
            loaded = _OWN if code.is_module else "{ default: module.exports, ...module.exports }"
            edits.replace(node, f"Promise.resolve({loaded})")
    return assignments, moved, own


def _import_of(names: list[tuple[str, str]], module: str) -> str:
    """Return statements that import names from a module."""
    whole = [
        f"import * as {local_name} from '{module}';" for exported_name, local_name in names if exported_name == "*"
    ]
    parts = ", ".join(f"{exported_name} as {local_name}" for exported_name, local_name in names if exported_name != "*")
    return "".join((*whole, f"import {{ {parts} }} from '{module}';" if parts or not names else ""))


def _count_checks(test: JavaScriptSource, edits: ByteEdits, handle: str) -> bool:
    """Let calls of an assertion module be counted; return whether a test that passes must have made one of them.

    It need not have if each of them may be skipped, or says that the test has failed (``assert.fail``).
    """
    names = set(_assertion_names(test))
    must_check = False
    for node, function_name in test.calls(walk_nodes(test.root)):
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        # A chain such as expect(x).to.equal is a member of what its first call returns.
        if function is None or "(" in function_name or function_name.partition(".")[0] not in names:
            continue
        edits.insert(function.start_byte, f"{handle}.counted(")
        edits.insert(function.end_byte, ")")
        first = arguments.named_children[0] if arguments is not None and arguments.named_child_count else None
        must_check |= not (function_name.endswith("fail") or test.of(first) == "false" or _may_be_skipped(node, test))
    return must_check


def _assertion_names(test: JavaScriptSource) -> Iterator[str]:
    """Yield the names by which a test knows an assertion module or a part of it."""
    for item in test.imports:
        if item.module.removeprefix("node:") in _ASSERTIONS:
            yield from (local_name for _, local_name in item.names)
    for node in test.outside:
        value = node.child_by_field_name("value") if node.type == "variable_declarator" else None
        if value is not None and value.type == "member_expression":
            owner = test.required_module(value.child_by_field_name("object"))
            if owner.removeprefix("node:") in _ASSERTIONS:
                yield test.of(node.child_by_field_name("name"))


def _may_be_skipped(node: Node, test: JavaScriptSource) -> bool:
    """Return whether a call stands in a branch, or in a function for an error or an event."""
    above = node.parent
    while above is not None:
        function = above.child_by_field_name("function") if above.type == "call_expression" else None
        if above.type in _BRANCHES or test.of(function).rpartition(".")[2] in _HANDLERS:
            return True
        above = above.parent
    return False


def _edit_calls(test: JavaScriptSource, edits: ByteEdits, handle: str) -> None:
    """Pass the results of top-level calls to the guard, and redirect ``console.assert`` and ``process.exit`` to it."""
    for node in test.outside:
        if node.type == "expression_statement" and node.named_children[0].type == "call_expression":
            # A space keeps it apart from a word before, as in else[1].forEach(f).
            edits.insert(node.start_byte, f" {handle}.result = ")
    leaves = all(item.module != "node:test" for item in test.imports)
    for node, function_name in test.calls(walk_nodes(test.root)):
        function = node.child_by_field_name("function")
        if function is not None and (function_name == "console.assert" or (function_name == "process.exit" and leaves)):
            edits.replace(function, f"{handle}.{'check' if function_name == 'console.assert' else 'exit'}")


def _edit_async(test: JavaScriptSource, edits: ByteEdits, handle: str) -> None:
    """Let async functions report their begin and end to the guard: a test with one that never ends does not pass."""
    for node in walk_nodes(test.root):
        body = node.child_by_field_name("body")
        is_async = node.type in FUNCTIONS and any(part.type == "async" for part in node.children)
        if not is_async or body is None or body.type != "statement_block" or "generator" in node.type:
            continue
        if any(part.type == "*" for part in node.children) or any(
            _never_settles(part, test) for part in walk_nodes(body)
        ):
            continue
        edits.insert(body.start_byte + 1, f" const annotatorTurn = {handle}.begin(); try {{")
        edits.insert(body.end_byte - 1, f"}} finally {{ {handle}.end(annotatorTurn); }} ")


def _never_settles(node: Node, test: JavaScriptSource) -> bool:
    """Return whether a promise is made with an empty function, so that it never settles."""
    if node.type != "new_expression" or test.of(node.child_by_field_name("constructor")) != "Promise":
        return False
    arguments = node.child_by_field_name("arguments")
    work = arguments.named_children[0] if arguments and arguments.named_child_count else None
    body = work.child_by_field_name("body") if work is not None else None
    return body is not None and body.type == "statement_block" and body.named_child_count == 0


def _clashes(code: JavaScriptSource, test: JavaScriptSource, more: set[str], *, is_module: bool) -> bool:
    """Return whether a name is declared twice in a way that JavaScript forbids; modules forbid all repetitions."""
    tests = {name: kind for name, kind in test.declared.items() if kind != "import"} | dict.fromkeys(more, "const")
    both = code.declared.keys() & tests.keys()
    return any(is_module or code.declared[name] not in _AGAIN or tests[name] not in _AGAIN for name in both)


# -- guards ----------------------------------------------------------------------------------------------------------


def _guards(
    request: ProgramRequest, test: JavaScriptSource, style_names: tuple[tuple[str, str], ...], *, must_check: bool
) -> dict[str, str]:
    """Return the guards to preload, in order, filled with what the test needs besides the code."""
    names = ("guard_coverage.cjs", "guard.cjs") if request.coverage else ("guard.cjs",)
    texts = {name: guard_file(name, request.key) for name in (*names, *(("guard_expect.cjs",) if style_names else ()))}
    checks = any(framework_name == "expect" for framework_name, _ in style_names)
    settings = {
        "ANNOTATOR_NEEDS": list(_modules(test)),
        "ANNOTATOR_CHECKS": checks,
        "ANNOTATOR_MUST_CHECK": must_check,
        "ANNOTATOR_USED": _used(test, dict(style_names)),
    }
    for word, value in settings.items():
        texts = {name: text.replace(word, json.dumps(value)) for name, text in texts.items()}
    return texts


def _modules(test: JavaScriptSource) -> Iterator[str]:
    """Yield the modules that a test loads, other than files, frameworks and what Node has."""
    loaded = (test.required_module(node) for node in walk_nodes(test.root))
    for name in dict.fromkeys((*(item.module for item in test.imports), *loaded)):
        plain = name.removeprefix("node:").partition("/")[0]
        if name and name[0] not in "./" and name not in _FRAMEWORKS and plain not in _BUILT_IN and name[:5] != "node:":
            yield name


def _used(test: JavaScriptSource, style_names: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the members that a test uses of each object in ``_USED``, without those it defines."""
    owners = {f"{style_names[name]}{call}": f"{name}{call}" for name, call in _USED if name in style_names}
    used: dict[str, set[str]] = {name: set() for name in owners.values()}
    nodes = list(walk_nodes(test.root))
    name_nodes = (node.child_by_field_name("name") or node.child_by_field_name("key") for node in nodes)
    defined = {test.of(name) for name in name_nodes}
    for node in nodes:
        if node.type != "member_expression":
            continue
        name, thing = test.of(node.child_by_field_name("property")), node.child_by_field_name("object")
        while thing is not None and thing.type == "member_expression":
            if test.of(thing.child_by_field_name("property")) not in ("not", "resolves", "rejects"):
                break
            thing = thing.child_by_field_name("object")
        if thing is None or name in defined:
            continue
        is_call = thing.type == "call_expression"
        owner = f"{test.of(thing.child_by_field_name('function'))}()" if is_call else test.of(thing)
        if owner in owners:
            used[owners[owner]].add(name)
    imported = {
        framework_name
        for framework_name in style_names.values()
        if framework_name.isidentifier() and framework_name != "default"
    }
    return {name: sorted(members) for name, members in used.items()} | {"import": sorted(imported)}
