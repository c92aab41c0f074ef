"""Programs in JavaScript and TypeScript: code and test are one script, and the test's statements are made to count.

What a test's statements return is given to the guard, which waits for promises; async functions of the test tell it
when they begin and end; its ``process.exit`` and ``console.assert`` are the guard's. Tests in the style of Jest, Vitest
or Mocha get ``describe``, ``it`` and ``expect`` from a guard of their own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from annotator.sandbox.programs.program import Program, Request, Step, check_tool, compile_step, guard_file, run
from annotator.sandbox.programs.source_text import closing_place, mask, replace_visible, top_level

_CALL = re.compile(
    r"^(?=\(async\b|\(function\b|(?!(?:if|for|while|switch|catch|with|function|return|await)\b)[A-Za-z_$][\w$.]*\()",
    re.MULTILINE,
)
"""A call that begins a line of a test: what it returns is assigned to the guard."""
_MODULE = re.compile(r"^\s*(?:import\s+[\w{*'\"]|export\s)", re.MULTILINE)
_WAITING = re.compile(r"^(?!.*(?:\basync\b|=>)).*\bawait\s", re.MULTILINE)
_EXIT = re.compile(r"(?<![\w.$])process\.exit(?=\s*\()")
_ASSERT = re.compile(r"(?<![\w.$])console\.assert(?=\s*\()")
_ASYNC = re.compile(r"\basync\b\s*(?:function\b\s*(?!\*)[\w$]*\s*)?(?:(?P<open>\()|[\w$]+\s*=>\s*\{)")
_BODY = re.compile(r"\s*(?::[^={};]*)?(?:=>\s*)?\{")
_NEVER = re.compile(r"new\s+Promise\s*(?:<[^>]*>)?\s*\(\s*\(\w*\)\s*=>\s*\{\s*\}\s*\)")
_IMPORT = re.compile(r"^import\s+(?!type\b)(?P<names>[^'\";]*?)\s+from\s*(?P<from>['\"][^'\"\n]+['\"]);?", re.MULTILINE)
_OWN_REQUIRE = re.compile(r"\brequire\s*\(\s*['\"]\.{1,2}/[^'\"\n]*['\"]\s*\)")
_OWN_NAMES = re.compile(
    r"^(?:const|let|var)\s*\{(?P<names>[^}]*)\}\s*=\s*require\s*\(\s*['\"]\.{1,2}/[^'\"\n]*['\"]\s*\)[ \t]*;?",
    re.MULTILINE,
)
_DECLARED = re.compile(
    r"^(?:export\s+)?(?:default\s+)?(?:async\s+)?(?P<kind>const(?:\s+enum)?|let|var|(?:abstract\s+)?class|enum|function)\b\s*\*?\s*"
    r"(?:\{(?P<several>[^}]*)\}|(?P<one>[\w$]+))",
    re.MULTILINE,
)
_OWN_IMPORT = re.compile(r"\bimport\s*\(\s*['\"]\.{1,2}/[^'\"\n]*['\"]\s*\)")
_EXPORTS = re.compile(r"^export\s", re.MULTILINE)
_ITSELF, _OWN = "./annotator-itself", "annotatorOwn"
"""What a module that imports itself calls its file until that has a name, and itself."""
_STYLE_IMPORT = re.compile(
    r"^(?:import\s*(?P<names>\{[^}]*\})\s*from\s*|(?:const|let|var)\s*(?P<taken>\{[^}]*\})\s*=\s*require\s*\(\s*)"
    r"['\"](?P<module>vitest|@jest/globals)['\"]\s*\)?[ \t]*;?",
    re.MULTILINE,
)
_STYLE_NAMES = (
    "describe", "suite", "it", "test", "expect", "jest", "vi", "xit", "xtest", "xdescribe", "fit", "fdescribe",
    "beforeAll", "beforeEach", "afterEach", "afterAll", "context", "specify", "before", "after",
)  # fmt: skip
_CASE = re.compile(r"(?<![\w$.])(?P<name>describe|suite|context|it|test|specify)\s*(?:\.\s*\w+\s*)?\(")
_EXPECT = re.compile(r"(?<![\w$.])expect\s*(?:\.\s*\w+\s*)?\(")
_TITLED = re.compile(rf"{_CASE.pattern}\s*['\"`]")
"""A case that has a title: what else is called by such a name may be the code's."""
_EXPECT_GUARD = "guard_expect.cjs"
_CHECK = re.compile(r"^(?:  |checks\.)(to[A-Z]\w*)(?::| =)", re.MULTILINE)
"""How the guard defines a check, and how a test calls one."""
_CHECKED = re.compile(r"\s*(?:\.\s*(?:not|resolves|rejects)\s*)*\.\s*(\w+)\s*\(")
_AMBIENT = re.compile(r"^declare\s[^\n]*$", re.MULTILINE)


def build_javascript(request: Request) -> Program:
    """Return a program in JavaScript."""
    text = _join(request, "globalThis")
    file = "main.mjs" if _MODULE.search(text) else "main.js"
    text = text.replace(_ITSELF, f"./{file}")
    return Program(files={file: text}, steps=(_node(request, file),), coverage=("v8", 0), guards=_node_guards(request))


def build_typescript(request: Request) -> Program:
    """Return a program in TypeScript; a module only where its statements wait, as no other script can."""
    text = _join(request, "(globalThis as any)")
    waits = any("await" in line for line in _WAITING.findall(top_level(mask(text, "javascript"))))
    file, form = ("main.mjs", "--format=esm") if waits else ("main.js", "--format=cjs")
    target = "--target=es2022" if waits else "--target=es2020"
    options = (form, target, "--platform=node", "--log-level=error", f"--outfile={file}",
               *(("--sourcemap=external",) if request.coverage else ()))  # fmt: skip
    steps = (compile_step("esbuild", "main.ts", *options), _node(request, file))
    text = text.replace(_ITSELF, f"./{file}")
    return Program(files={"main.ts": text}, steps=steps, coverage=("v8", 0), guards=_node_guards(request))


# -- starting Node ---------------------------------------------------------------------------------------------------

_FROM_SNAPSHOT = check_tool("node") + 'test -r "$0" && set -- --snapshot-blob "$0" "$@"; exec node "$@"'
"""Start Node from the image's snapshot where there is one for these flags: half the time of a start without."""


def _node(request: Request, file: str) -> Step:
    heap_mb = max(64, request.memory_mb * 3 // 4)
    flags = ("--stack-size=4000", f"--max-old-space-size={heap_mb}")
    guard = tuple(word for name in _node_guards(request) for word in ("--require", f"{request.tools}/{name}"))
    start = ("sh", "-c", _FROM_SNAPSHOT, f"{request.tools}/node-{heap_mb}.blob")
    return run(*start, *flags, *guard, file, needs=("node",))


def _node_guards(request: Request) -> dict[str, str]:
    """Return what is preloaded, in order."""
    if request.test is None:
        return {}
    names = ("guard_coverage.cjs", "guard.cjs") if request.coverage else ("guard.cjs",)
    styled = (_EXPECT_GUARD,) if _is_styled(request.code, request.test) else ()
    return {name: guard_file(name, request.key) for name in (*names, *styled)}


# -- code and test ---------------------------------------------------------------------------------------------------


def _join(request: Request, owner: str) -> str:
    """Return code and test, whose statements give the guard what they return and tell it when all were reached."""
    if request.test is None:
        return request.code
    handle = f"{owner}[Symbol.for('annotator.{request.key}')]"
    test = _import_the_code(request.test, request.code)
    if _is_styled(request.code, request.test):
        test = _name_the_style(test, f"{owner}[Symbol.for('annotator.expect.{request.key}')]", request.code)
    if "node:test" not in test:
        test = replace_visible(_EXIT, f"{handle}.exit", test, "javascript")
    test = replace_visible(_ASSERT, f"{handle}.check", test, "javascript")
    test = _follow_async(test, handle)
    test = _CALL.sub(lambda _: f";{handle}.result = ", test)
    imports, test = _keep_apart(request.code, test)
    return f"{request.code}\n;{imports}\n{test}\n;{handle}.reached();\n"


# -- the style of Jest, Vitest and Mocha ----------------------------------------------------------------------------


def own_imports(code: str, test: str) -> dict[str, tuple[str, ...]]:
    """Return the modules of Jest and Vitest whose names, as a test takes them, all have a stand-in here.

    ``jest`` is among them unless the test calls an ``expect`` that nobody defines and checks that we do not have.
    """
    taken: dict[str, list[str]] = {}
    covered = _has_all_checks(test)
    for found in _STYLE_IMPORT.finditer(test):
        taken.setdefault(found["module"], []).extend(_origins(found["names"] or found["taken"]))
    own = {module: tuple(names) for module, names in taken.items() if covered and set(names) <= set(_STYLE_NAMES)}
    return own if _takes_expect_from_nowhere(code, test) and not covered else {**own, "jest": ()}


def _has_all_checks(test: str) -> bool:
    checks = set(_CHECK.findall(guard_file(_EXPECT_GUARD, "")))
    masked = mask(test, "javascript")
    behind = (_closing(masked, found.end() - 1) + 1 for found in _EXPECT.finditer(masked))
    called = (_CHECKED.match(masked, place) for place in behind)
    return {found[1] for found in called if found is not None} <= checks


def _takes_expect_from_nowhere(code: str, test: str) -> bool:
    masked = mask(test, "javascript")
    return _EXPECT.search(masked) is not None and "expect" not in _names(test) | _names_for(test, code)


def _names_for(test: str, code: str) -> set[str]:
    """Return the names of the code without those by which a test means the functions of a test library."""
    masked = mask(test, "javascript")
    meant = {found["name"] for found in _TITLED.finditer(test) if masked[found.start()] != " "}
    return _names(code) - meant - ({"expect"} if meant else set())


def _origins(names: str) -> list[str]:
    """Return the names that a list takes from a module: of ``a as b`` and ``a: b`` it is the first."""
    words = (re.findall(r"[\w$]+", part) for part in names.strip("{} \n").split(","))
    return [found[0] for found in words if found]


def _is_styled(code: str, test: str) -> bool:
    """Tell whether a test uses what Jest, Vitest and Mocha define, and neither brings it along nor takes it from
    elsewhere."""
    if len(own_imports(code, test)) > 1:
        return True
    nowhere = _takes_expect_from_nowhere(code, test) or _takes_cases_from_nowhere(code, test)
    return nowhere and _has_all_checks(test)


def _takes_cases_from_nowhere(code: str, test: str) -> bool:
    called = {found["name"] for found in _CASE.finditer(mask(test, "javascript"))}
    return bool(called) and not called & (_names(test) | _names_for(test, code))


def _name_the_style(test: str, stand_in: str, code: str) -> str:
    """Return a test that takes the names it uses from the stand-in, on its first line; its imports of them are gone."""
    bound = {
        _listed(f"{{{part}}}").pop(): _origins(part)[0]
        for found in _STYLE_IMPORT.finditer(test)
        for part in (found["names"] or found["taken"]).strip("{} \n").split(",")
        if _origins(part)
    }
    left = _STYLE_IMPORT.sub(lambda found: "\n" * found[0].count("\n"), test)
    masked = mask(left, "javascript")
    taken = _names(left) | _names_for(left, code)
    for name in _STYLE_NAMES:
        if name not in bound.values() and name not in taken and re.search(rf"(?<![\w$.]){name}\b", masked):
            bound[name] = name
    pairs = ", ".join(name if name == origin else f"{origin}: {name}" for name, origin in bound.items())
    return f"const {{ {pairs} }} = {stand_in}; {left}"


def _import_the_code(test: str, code: str) -> str:
    """Return a test that may load the code as a module beside it: the code stands before it, in the same module.

    What is not known by the name that the test gives it is taken from what the code exports.
    """
    known = _names(code)
    is_module = _EXPORTS.search(code) is not None

    def bind(found: re.Match[str]) -> str:
        if found["from"][1] != ".":
            return found[0]
        rest = _without(found["names"], known)
        if rest and is_module:
            return f"import {rest} from '{_ITSELF}';"
        return _taken_from_exports(rest)

    test = _OWN_NAMES.sub(lambda found: "" if _listed(found["names"]) <= known else found[0], test)
    test = _OWN_REQUIRE.sub(_OWN if is_module else "module.exports", test)
    exports = _OWN if is_module else "{ default: module.exports, ...module.exports }"
    test = _IMPORT.sub(bind, _OWN_IMPORT.sub(f"Promise.resolve({exports})", test))
    return f"import * as {_OWN} from '{_ITSELF}'; {test}" if _OWN in test else test


def _taken_from_exports(names: str) -> str:
    """Return what binds the names of an import to what a script exports."""
    before, _, inside = names.partition("{")
    whole = [part.replace("* as", "").strip() for part in before.split(",")]
    parts = [f"const {name} = module.exports;" for name in whole if name]
    if inside:
        parts.append(f"const {{ {inside.rstrip('} ').replace(' as ', ': ')} }} = module.exports;")
    return " ".join(parts)


@dataclass(frozen=True, slots=True)
class _Insertion:
    at: int
    text: str


def _follow_async(test: str, handle: str) -> str:
    """Return a test whose async functions tell the guard when they begin and end: one that never ends is no pass."""
    masked = mask(test, "javascript")
    if any(masked.count(one) != masked.count(other) for one, other in ("{}", "()")):
        return test
    insertions: list[_Insertion] = []
    for found in _ASYNC.finditer(masked):
        body = found.end()
        if found["open"]:
            behind = _BODY.match(masked, _closing(masked, found.end() - 1) + 1)
            if behind is None:
                continue
            body = behind.end()
        end = _closing(masked, body - 1)
        if _NEVER.search(masked, body, end):
            continue
        insertions.append(_Insertion(body, f" const annotatorTurn = {handle}.begin(); try {{"))
        insertions.append(_Insertion(end, f"}} finally {{ {handle}.end(annotatorTurn); }} "))
    for item in sorted(insertions, key=lambda item: item.at, reverse=True):
        test = test[: item.at] + item.text + test[item.at :]
    return test


def _closing(masked: str, at: int) -> int:
    """Return where the bracket that opens at a place is closed; the end if it is not."""
    found = closing_place(masked, at)
    return len(masked) if found is None else found


def _keep_apart(code: str, test: str) -> tuple[str, str]:
    """Return the test's imports on one line, and the test: in a block where both declare what can be declared once."""
    known = _names(code)
    masked = mask(test, "javascript")
    if not _names(test) & known or not _clashes(code, test):
        return "", test
    imports = []
    for found in reversed(list(_IMPORT.finditer(test))):
        if masked[found.start()] == " ":
            continue
        kept = _without(found["names"], known)
        if kept:
            imports.append(f"import {kept} from {found['from']};")
        test = test[: found.start()] + "\n" * found[0].count("\n") + test[found.end() :]
    return "".join(reversed(imports)), f"{{\n{_AMBIENT.sub('', test)}\n}}"


def _clashes(code: str, test: str) -> bool:
    """Tell whether a name is declared twice of which one is no function or var; in a module not even these may be."""
    once, both = _names(code, once=True), _names(code)
    own_once, own = _names(test, once=True), _names(test)
    is_module = _MODULE.search(f"{code}\n{test}") is not None
    return bool(once & own or own_once & both or (is_module and both & own))


def _names(text: str, *, once: bool = False) -> set[str]:
    """Return the names that a text declares outside braces; with ``once`` those that cannot be declared again."""
    masked = mask(text, "javascript")
    names: set[str] = set()
    for found in _DECLARED.finditer(masked):
        if once and found["kind"] in ("function", "var"):
            continue
        names |= {found["one"]} if found["one"] else _listed(found["several"])
    for found in _IMPORT.finditer(text):
        if masked[found.start()] != " ":
            names |= _listed(found["names"])
    return names


def _listed(names: str) -> set[str]:
    """Return the names that a list binds: of ``a as b`` and ``a: b`` it is the last."""
    parts = (re.findall(r"[\w$]+", part.partition("=")[0]) for part in re.split(r"[{},]", names))
    return {words[-1] for words in parts if words}


def _without(names: str, known: set[str]) -> str:
    """Return what an import binds, without known names; empty if nothing is left."""
    before, brace, inside = names.partition("{")
    first = ", ".join(part.strip() for part in before.split(",") if part.strip() and not _listed(part) <= known)
    rest = (
        ", ".join(part.strip() for part in inside.rstrip("} \n").split(",") if not _listed(part) <= known)
        if brace
        else ""
    )
    return ", ".join(filter(None, (first, f"{{ {rest} }}" if rest else "")))
