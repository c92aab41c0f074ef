"""Follow and make calls in Java, JavaScript, TypeScript and C++ (specification, task construction, 3.1): the call is
wrapped, and what it was given and gave is printed as JSON.

The programs serve the making of items and calls with values only, on code that has no reason to deceive.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

from tree_sitter import Node

from annotator.base.errors import MissingEnvironmentError
from annotator.base.resources import resource
from annotator.construction.canonical import Form
from annotator.construction.completion.blanks import entry_of
from annotator.construction.edits import Edit, apply
from annotator.construction.languages.values import expression, read_form
from annotator.construction.material import ConstructionError, Material
from annotator.construction.sandbox_probe import MEMORY_MB
from annotator.sandbox import Job, JobResult, Limits, Runner, TestCode
from annotator.text.syntax_trees import node_text, walk_nodes

SCRIPTS = ("javascript", "typescript")
_CLASSES = ("class_declaration", "record_declaration", "enum_declaration", "class_specifier", "struct_specifier")
_UNFOLLOWED = ("generator_function_declaration", "generator_function")
_GENERIC = ("template_declaration", "type_parameters")
_MODULE = re.compile(r"^\s*(?:import\s+[\w{*'\"]|export\s)", re.MULTILINE)
_BODIES = ("statement_block", "block", "compound_statement")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter's name and its type as it is written (empty in JavaScript)."""

    name: str
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """How a function is called: ``call`` is what stands before the arguments, ``head`` the text before its body.

    ``plain_head`` is the head without default values, which C++ allows in the first declaration alone. Places are bytes
    of the code: ``start`` of the definition, ``name`` and ``end`` of its name, ``last`` after it. ``blocks`` are the
    places after the brackets that open blocks of statements in it.
    """

    parameters: tuple[Parameter, ...]
    result: str
    call: str
    head: str
    start: int
    name: tuple[int, int]
    last: int
    blocks: tuple[int, ...]
    in_class: bool = False
    plain_head: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(item.name for item in self.parameters)


def signature_of(material: Material) -> Signature:
    """Return the signature of the entry point.

    Raises `ConstructionError` where calls cannot be followed or written: no such function, parameters that are taken
    apart or vary in number, type parameters, nothing returned, a method of an object in JavaScript.
    """
    data, entry = entry_of(material)
    key = material.key
    # Types of a script are gone when it runs.
    unfollowed = _UNFOLLOWED if material.language in SCRIPTS else (*_UNFOLLOWED, *_GENERIC)
    if any(node.type in unfollowed for node in (entry, *entry.children, *_around(entry))) or _is_async(entry):
        raise ConstructionError(f"Calls of {key} cannot be followed: its function is generic, async or a generator.")
    if material.language in SCRIPTS:
        return _script(data, entry, material)
    return _java(data, entry, material) if material.language == "java" else _cpp(data, entry, material)


def _around(node: Node) -> list[Node]:
    found = []
    while node.parent is not None:
        node = node.parent
        found.append(node)
    return found


def _is_async(entry: Node) -> bool:
    return any(child.type == "async" for child in entry.children)


def _blocks(entry: Node) -> tuple[int, ...]:
    return tuple(node.start_byte + 1 for node in walk_nodes(entry) if node.type in _BODIES)


def _field(node: Node, name: str, material: Material) -> Node:
    found = node.child_by_field_name(name)
    if found is None:
        raise ConstructionError(f"Calls of {material.key} cannot be followed: its function has no {name}.")
    return found


def _refused(material: Material) -> ConstructionError:
    return ConstructionError(f"Calls of {material.key} cannot be followed: its parameters are of an unknown form.")


def _script(data: bytes, entry: Node, material: Material) -> Signature:
    owner = entry if entry.type == "function_declaration" else entry.parent
    if owner is None or owner.type not in ("function_declaration", "variable_declarator"):
        raise ConstructionError(f"Calls of {material.key} cannot be followed: it is no function of the top level.")
    if any(node.type in (*_BODIES, "class_body") for node in _around(owner)):
        raise ConstructionError(f"Calls of {material.key} cannot be followed: it is no function of the top level.")
    single = entry.child_by_field_name("parameter")
    given = [single] if single is not None else _field(entry, "parameters", material).named_children
    parameters = []
    for node in given:
        held = node.child_by_field_name("pattern") or node.child_by_field_name("left") or node
        if held.type == "comment":
            continue
        if held.type != "identifier":
            raise _refused(material)
        parameters.append(Parameter(node_text(held, data)))
    name = _field(owner, "name", material)
    return Signature(
        parameters=tuple(parameters),
        result="",
        call=node_text(name, data),
        head="",
        start=owner.start_byte,
        name=(name.start_byte, name.end_byte),
        last=owner.end_byte,
        blocks=_blocks(entry),
    )


def _classes(entry: Node, data: bytes, material: Material) -> list[str]:
    found = [node for node in _around(entry) if node.type in _CLASSES]
    return [node_text(_field(node, "name", material), data) for node in reversed(found)]


def _java(data: bytes, entry: Node, material: Material) -> Signature:
    if entry.type != "method_declaration":
        raise ConstructionError(f"Calls of {material.key} cannot be followed: it is no method.")
    parameters = []
    for node in _field(entry, "parameters", material).named_children:
        name, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
        if node.type != "formal_parameter" or name is None or kind is None or node.child_by_field_name("dimensions"):
            raise _refused(material)
        parameters.append(Parameter(node_text(name, data), node_text(kind, data)))
    result = node_text(_field(entry, "type", material), data)
    name, body = _field(entry, "name", material), _field(entry, "body", material)
    fixed = any(node.type == "modifiers" and "static" in node_text(node, data).split() for node in entry.children)
    classes = ".".join(_classes(entry, data, material))
    call = f"{classes}.{node_text(name, data)}" if fixed else f"new {classes}().{node_text(name, data)}"
    return _typed(
        data,
        entry=entry,
        name=name,
        body=body,
        parameters=tuple(parameters),
        result=result,
        call=call,
        material=material,
    )


def _cpp(data: bytes, entry: Node, material: Material) -> Signature:
    declarator = _field(entry, "declarator", material)
    while declarator.type != "function_declarator":
        declarator = _field(declarator, "declarator", material)
    parameters = []
    for node in _field(declarator, "parameters", material).named_children:
        inner = node.child_by_field_name("declarator")
        while inner is not None and inner.type == "reference_declarator":
            inner = inner.named_children[-1] if inner.named_children else None
        if node.type not in ("parameter_declaration", "optional_parameter_declaration") or inner is None:
            raise _refused(material)
        if inner.type != "identifier":
            raise _refused(material)
        kind = data[node.start_byte : inner.start_byte].decode("utf-8", "surrogatepass")
        parameters.append(Parameter(node_text(inner, data), kind.strip()))
    name, body = _field(declarator, "declarator", material), _field(entry, "body", material)
    result = node_text(_field(entry, "type", material), data)
    classes = _classes(entry, data, material)
    spoken = node_text(name, data)
    call = f"{'::'.join(classes)}().{spoken}" if classes else spoken
    found = _typed(
        data,
        entry=entry,
        name=name,
        body=body,
        parameters=tuple(parameters),
        result=result,
        call=call,
        material=material,
    )
    defaults = []
    for node in _field(declarator, "parameters", material).named_children:
        inner, value = node.child_by_field_name("declarator"), node.child_by_field_name("default_value")
        if inner is not None and value is not None:
            defaults.append(Edit(inner.end_byte - entry.start_byte, value.end_byte - entry.start_byte, ""))
    return replace(found, plain_head=apply(found.head, defaults))


def _typed(
    data: bytes, entry: Node, name: Node, body: Node, parameters: tuple[Parameter, ...], result: str, call: str,
    material: Material,
) -> Signature:  # fmt: skip
    if result == "void" or not result:
        raise ConstructionError(f"Calls of {material.key} cannot be followed: its function returns nothing.")
    head = data[entry.start_byte : body.start_byte].decode("utf-8", "surrogatepass")
    return Signature(
        parameters=parameters,
        result=result,
        call=call,
        head=head,
        start=entry.start_byte,
        name=(name.start_byte, name.end_byte),
        last=entry.end_byte,
        blocks=_blocks(entry),
        in_class=any(node.type in _CLASSES for node in _around(entry)),
    )


_HARNESS = {"javascript": "follow.js", "typescript": "follow.js", "java": "Follow.java", "c++": "follow.hpp"}
_OWN = "annotator_own_"
_WALL_S = 20.0
_COMPILE_S = 60.0


def start_following(material: Material, signature: Signature, runner: Runner) -> Callable[[], list[dict[str, Any]]]:
    """Run every test on the program whose calls are followed; call what is returned for what they said.

    A row holds ``arguments`` and ``output`` (canonical), ``raises``, ``steps``, ``places`` and ``mutated``.
    """
    nonce = secrets.token_hex(12)
    text = _join_programs(material.language, nonce, _followed(material, signature))
    # Each test as the sandbox runs it, so that test classes, cases and functions without a main are called too.
    waiting = [_submit(material, text, _WALL_S, runner, (test,)) for test in material.tests]

    def read() -> list[dict[str, Any]]:
        results = [future.result() for future in waiting]
        rows = [row for result in results for row in _rows(result, nonce)]
        if results and all(result.outcome == "compile_error" for result in results):
            why = results[0].message or "no compiler said why"
            raise ConstructionError(f"Calls of {material.key} cannot be followed: its tests do not compile ({why}).")
        for row in rows:
            row["arguments"] = [read_form(item) for item in row["arguments"]]
            row["output"] = read_form(row["output"])
        return rows

    return read


def start_calls(
    material: Material, signature: Signature, calls: Sequence[Sequence[Form]], limit_s: float, runner: Runner
) -> Callable[[], list[dict[str, Any]]]:
    """Start calls with values by position. The answers are ``{"output": form}``, or ``raises``, ``timeout`` or
    ``unsupported``; an empty list says that the program did not run. ``unmade`` marks calls whose arguments do not
    fit, or before which the program ended."""
    nonce = secrets.token_hex(12)
    written = [_arguments(call, signature, material.language) for call in calls]
    fitting = [(number, given) for number, given in enumerate(written) if given is not None]
    unfit = {"raises": "TypeError", "unmade": True}
    if not fitting:
        return lambda: [dict(unfit) for _ in calls]
    text = _join_programs(
        material.language, nonce, _calling(material, signature, [given for _, given in fitting], limit_s)
    )
    future = _submit(material, text, min(600.0, _WALL_S + limit_s * len(fitting)), runner)

    def read() -> list[dict[str, Any]]:
        rows = {int(row.pop("number")): row for row in _rows(future.result(), nonce)}
        if not rows:
            return []
        for row in rows.values():
            if "output" in row:
                row["output"] = read_form(row["output"])
        found = [dict(unfit) for _ in calls]
        for place, (number, _) in enumerate(fitting):
            found[number] = rows.get(place, {"raises": "no answer", "unmade": True})
        return found

    return read


def _arguments(call: Sequence[Form], signature: Signature, language: str) -> list[str] | None:
    """Return the arguments as expressions; None where they do not fit the parameters, of which scripts may leave out
    the last."""
    count = len(signature.parameters)
    if len(call) > count or (len(call) < count and language not in SCRIPTS):
        return None
    found = [expression(form, item.kind, language) for form, item in zip(call, signature.parameters, strict=False)]
    kept = [text for text in found if text is not None]
    return kept if len(kept) == len(found) else None


def _submit(
    material: Material, text: str, wall_s: float, runner: Runner, tests: tuple[TestCode, ...] | None = None
) -> Future[JobResult]:
    limits = Limits(
        wall_s=wall_s, cpu_s=wall_s, compile_s=_COMPILE_S, kept_kb=8192, output_kb=16384, memory_mb=MEMORY_MB
    )
    # What the calls say is wanted, not whether the tests pass: a pass needs no control.
    job = Job(id=material.key, language=material.language, code=text, tests=tests, limits=limits, mode="fast")
    return runner.submit(job)


def _rows(done: JobResult, nonce: str) -> list[dict[str, Any]]:
    if done.outcome == "machinery":
        raise MissingEnvironmentError(f"The sandbox failed: {done.message} Nothing was made; try again.")
    lines = [line.removeprefix(nonce) for line in done.stdout.splitlines() if line.startswith(nonce)]
    return [json.loads(line) for line in lines]


def _join_programs(language: str, nonce: str, program: str) -> str:
    harness = (resource("construction") / _HARNESS[language]).read_text(encoding="utf-8").replace("NONCE", nonce)
    # A class of the harness must not be the last before main, which is what is run in Java.
    return f"{harness}\n{program}"


# -- follow ------------------------------------------------------------------------------------------------------


def _followed(material: Material, signature: Signature) -> str:
    """Return the program with its entry point under another name, and in its place one that tells of each call."""
    language, code = material.language, material.code
    data = code.encode("utf-8", "surrogatepass")
    start, end = signature.name
    name = data[start:end].decode("utf-8", "surrogatepass")
    own = f"{_OWN}{name.rpartition('::')[2]}"
    at = {"java": "AnnotatorFollow.at", "c++": "annotator_follow::at"}.get(language, "annotatorFollow.at")
    edits = [Edit(start, end, own)]
    edits += [Edit(place, place, f" {at}({number});") for number, place in enumerate(signature.blocks)]
    if language in SCRIPTS:
        return f"{apply(code, edits)}\nfunction {name}(...given) {{ return annotatorFollow.follow({own}, given); }}\n"
    wrapper = (_java_wrapper if language == "java" else _cpp_wrapper)(signature, own)
    head = signature.head
    if language == "c++" and not signature.in_class:
        edits.append(Edit(signature.start, signature.start, f"{signature.head};\n"))
        head = signature.plain_head
    edits.append(Edit(signature.last, signature.last, f"\n{head}{wrapper}\n"))
    return apply(code, sorted(edits))


def _java_wrapper(signature: Signature, own: str) -> str:
    given = ", ".join(signature.names)
    return (
        f"{{\n if (AnnotatorFollow.depth > 0) return {own}({given});\n Object[] annotatorGiven = {{{given}}};\n"
        f" AnnotatorFollow.begin(annotatorGiven);\n {signature.result} annotatorOut;\n"
        f" try {{ annotatorOut = {own}({given}); }}\n"
        " catch (Throwable error) { AnnotatorFollow.end(null, annotatorGiven, error); throw error; }\n"
        " AnnotatorFollow.end(annotatorOut, annotatorGiven, null);\n return annotatorOut;\n}"
    )


def _cpp_wrapper(signature: Signature, own: str) -> str:
    given = ", ".join(signature.names)
    first = f"annotator_call({given})" if given else "annotator_call{}"
    ended = f"annotator_out, {given}" if given else "annotator_out"
    return (
        f"{{\n annotator_follow::Call {first};\n auto annotator_out = {own}({given});\n"
        f" annotator_call.end({ended});\n return annotator_out;\n}}"
    )


# -- calls -------------------------------------------------------------------------------------------------------


def _calling(material: Material, signature: Signature, calls: Sequence[Sequence[str]], limit_s: float) -> str:
    milliseconds = max(1, round(limit_s * 1000))
    if material.language in SCRIPTS:
        listed = ", ".join(f"[{', '.join(given)}]" for given in calls)
        # A module has no require.
        loaded = (
            'import annotatorVm from "node:vm";'
            if _MODULE.search(material.code)
            else 'var annotatorVm = require("vm");'
        )
        made = f"annotatorFollow.make({signature.call}, [{listed}], {milliseconds}, annotatorVm);"
        return f"{loaded}\n{material.code}\n;\n{made}\n"
    if material.language == "java":
        # A method may hold 64 kB of code only, so each call has its own.
        works = "\n".join(
            f" static Object call{number}() throws Throwable {{ return {signature.call}({', '.join(given)}); }}"
            for number, given in enumerate(calls)
        )
        listed = ", ".join(f"Main::call{number}" for number in range(len(calls)))
        return (
            f"{material.code}\nclass Main {{\n{works}\n"
            " public static void main(String[] arguments) throws Exception {\n"
            f"  AnnotatorFollow.make(new AnnotatorFollow.Work[] {{{listed}}}, {milliseconds});\n }}\n}}\n"
        )
    works = "\n".join(
        f" annotator_follow::make({number}, {limit_s}, [] {{ {_cpp_call(signature, given)} }});"
        for number, given in enumerate(calls)
    )
    return f"{material.code}\nint main() {{\n{works}\n return 0;\n}}\n"


def _cpp_call(signature: Signature, given: Sequence[str]) -> str:
    # Parameters may be references that are written to, so arguments are variables.
    variables = " ".join(f"auto annotator_{number} = {text};" for number, text in enumerate(given))
    named = ", ".join(f"annotator_{number}" for number in range(len(given)))
    return f"{variables} return annotator_follow::result({signature.call}({named}));"
