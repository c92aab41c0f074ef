"""Trace and make calls in Java, JavaScript, TypeScript and C++ (specification, task construction, 3.1): a wrapper
prints the arguments and the result of each call as JSON.

The harness serves only to make items and to call references; it does not resist code that tries to deceive it.
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
from annotator.base.resources import resource_path
from annotator.construction.canonical import Form
from annotator.construction.completion.blanks import find_entry_point
from annotator.construction.edits import Edit, apply_edits
from annotator.construction.languages.language_values import foreign_expression, read_form
from annotator.construction.sandbox_probe import MEMORY_MB
from annotator.construction.task_material import ConstructionError, Material
from annotator.sandbox import Job, JobResult, Limits, Runner, TestCode
from annotator.text.syntax_trees import node_text, walk_nodes

SCRIPTS = ("javascript", "typescript")
_CLASS_NODES = ("class_declaration", "record_declaration", "enum_declaration", "class_specifier", "struct_specifier")
_NAMESPACE_NODE = "namespace_definition"
_UNTRACEABLE_NODES = ("generator_function_declaration", "generator_function")
_GENERIC_NODES = ("template_declaration", "type_parameters")
_MODULE_SYNTAX = re.compile(r"^[ \t]*(?:import\s+[\w{*'\"]|export\s)", re.MULTILINE)
_BODY_NODES = ("statement_block", "block", "compound_statement")


@dataclass(frozen=True, slots=True)
class ForeignParameter:
    """A parameter's name and its type as it is written (empty in JavaScript)."""

    name: str
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignSignature:
    """The signature of a function: ``call`` is the expression before the arguments, ``head`` the text before its body.

    ``plain_head`` is the head without default values, which C++ allows only in the first declaration. Places are byte
    offsets: ``start`` of the definition, the span of its ``name``, ``last`` after the definition, and ``blocks`` after
    each bracket that opens a block of statements.
    """

    parameters: tuple[ForeignParameter, ...]
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


def read_foreign_signature(material: Material) -> ForeignSignature:
    """Return the signature of the entry point.

    Raises `ConstructionError` if calls cannot be traced or written: no such function, destructured or variadic
    parameters, type parameters, no return value, or an object's method in JavaScript.
    """
    data, entry = find_entry_point(material)
    key = material.key
    # Type parameters do not matter in scripts, whose types are erased at run time.
    untraceable = _UNTRACEABLE_NODES if material.language in SCRIPTS else (*_UNTRACEABLE_NODES, *_GENERIC_NODES)
    if any(node.type in untraceable for node in (entry, *entry.children, *_find_ancestors(entry))) or _is_async(entry):
        raise ConstructionError(f"Calls of {key} cannot be traced: its function is generic, async or a generator.")
    if material.language in SCRIPTS:
        return _script_signature(data, entry, material)
    if material.language == "java":
        return _java_signature(data, entry, material)
    return _cpp_signature(data, entry, material)


def _find_ancestors(node: Node) -> list[Node]:
    ancestors = []
    while node.parent is not None:
        node = node.parent
        ancestors.append(node)
    return ancestors


def _is_async(entry: Node) -> bool:
    return any(child.type == "async" for child in entry.children)


def _block_starts(entry: Node) -> tuple[int, ...]:
    return tuple(node.start_byte + 1 for node in walk_nodes(entry) if node.type in _BODY_NODES)


def _required_field(node: Node, name: str, material: Material) -> Node:
    child = node.child_by_field_name(name)
    if child is None:
        raise ConstructionError(f"Calls of {material.key} cannot be traced: its function has no {name}.")
    return child


def _unknown_parameters(material: Material) -> ConstructionError:
    return ConstructionError(f"Calls of {material.key} cannot be traced: its parameters have an unsupported form.")


def _script_signature(data: bytes, entry: Node, material: Material) -> ForeignSignature:
    owner = entry if entry.type == "function_declaration" else entry.parent
    if owner is None or owner.type not in ("function_declaration", "variable_declarator"):
        raise ConstructionError(f"Calls of {material.key} cannot be traced: it is not a top-level function.")
    if any(node.type in (*_BODY_NODES, "class_body") for node in _find_ancestors(owner)):
        raise ConstructionError(f"Calls of {material.key} cannot be traced: it is not a top-level function.")
    single = entry.child_by_field_name("parameter")
    nodes = [single] if single is not None else _required_field(entry, "parameters", material).named_children
    parameters = []
    for node in nodes:
        pattern = node.child_by_field_name("pattern") or node.child_by_field_name("left") or node
        if pattern.type == "comment":
            continue
        if pattern.type != "identifier":
            raise _unknown_parameters(material)
        parameters.append(ForeignParameter(node_text(pattern, data)))
    name = _required_field(owner, "name", material)
    return ForeignSignature(
        parameters=tuple(parameters),
        result="",
        call=node_text(name, data),
        head="",
        start=owner.start_byte,
        name=(name.start_byte, name.end_byte),
        last=owner.end_byte,
        blocks=_block_starts(entry),
    )


def _scope_names(entry: Node, data: bytes) -> list[str]:
    """Return the names of the namespaces and classes around a function, the outermost first."""
    names = [
        node.child_by_field_name("name")
        for node in _find_ancestors(entry)
        if node.type in (*_CLASS_NODES, _NAMESPACE_NODE)
    ]
    return [node_text(name, data) for name in reversed(names) if name is not None]


def _java_signature(data: bytes, entry: Node, material: Material) -> ForeignSignature:
    if entry.type != "method_declaration":
        raise ConstructionError(f"Calls of {material.key} cannot be traced: it is not a method.")
    parameters = []
    for node in _required_field(entry, "parameters", material).named_children:
        name = node.child_by_field_name("name")
        kind = node.child_by_field_name("type")
        if node.type != "formal_parameter" or name is None or kind is None or node.child_by_field_name("dimensions"):
            raise _unknown_parameters(material)
        parameters.append(ForeignParameter(node_text(name, data), node_text(kind, data)))
    name = _required_field(entry, "name", material)
    is_static = any(node.type == "modifiers" and "static" in node_text(node, data).split() for node in entry.children)
    classes = ".".join(_scope_names(entry, data))
    call = f"{classes}.{node_text(name, data)}" if is_static else f"new {classes}().{node_text(name, data)}"
    return _typed_signature(data, entry, material, name=name, parameters=parameters, call=call)


def _cpp_signature(data: bytes, entry: Node, material: Material) -> ForeignSignature:
    declarator = _required_field(entry, "declarator", material)
    while declarator.type != "function_declarator":
        declarator = _required_field(declarator, "declarator", material)
    parameters = []
    for node in _required_field(declarator, "parameters", material).named_children:
        inner = node.child_by_field_name("declarator")
        while inner is not None and inner.type == "reference_declarator":
            inner = inner.named_children[-1] if inner.named_children else None
        if node.type not in ("parameter_declaration", "optional_parameter_declaration") or inner is None:
            raise _unknown_parameters(material)
        if inner.type != "identifier":
            raise _unknown_parameters(material)
        kind = data[node.start_byte : inner.start_byte].decode("utf-8", "surrogatepass")
        parameters.append(ForeignParameter(node_text(inner, data), kind.strip()))
    name = _required_field(declarator, "declarator", material)
    in_class = any(node.type in _CLASS_NODES for node in _find_ancestors(entry))
    scope = "::".join(_scope_names(entry, data))
    function_name = node_text(name, data)
    call = f"{scope}().{function_name}" if in_class else f"{scope}::{function_name}".removeprefix("::")
    signature = _typed_signature(data, entry, material, name=name, parameters=parameters, call=call)
    defaults = []
    for node in _required_field(declarator, "parameters", material).named_children:
        inner = node.child_by_field_name("declarator")
        value = node.child_by_field_name("default_value")
        if inner is not None and value is not None:
            defaults.append(Edit(inner.end_byte - entry.start_byte, value.end_byte - entry.start_byte, ""))
    return replace(signature, plain_head=apply_edits(signature.head, defaults))


def _typed_signature(
    data: bytes, entry: Node, material: Material, *, name: Node, parameters: Sequence[ForeignParameter], call: str
) -> ForeignSignature:
    result = node_text(_required_field(entry, "type", material), data)
    body = _required_field(entry, "body", material)
    if result == "void" or not result:
        raise ConstructionError(f"Calls of {material.key} cannot be traced: its function returns nothing.")
    head = data[entry.start_byte : body.start_byte].decode("utf-8", "surrogatepass")
    return ForeignSignature(
        parameters=tuple(parameters),
        result=result,
        call=call,
        head=head,
        start=entry.start_byte,
        name=(name.start_byte, name.end_byte),
        last=entry.end_byte,
        blocks=_block_starts(entry),
        in_class=any(node.type in _CLASS_NODES for node in _find_ancestors(entry)),
    )


_HARNESS_FILES = {"javascript": "follow.js", "typescript": "follow.js", "java": "Follow.java", "c++": "follow.hpp"}
_ORIGINAL_PREFIX = "annotator_own_"
_WALL_S = 20.0
_COMPILE_S = 60.0


def start_tracing_calls(
    material: Material, signature: ForeignSignature, runner: Runner
) -> Callable[[], list[dict[str, Any]]]:
    """Start every test on the traced program and return a function that waits for the traced calls.

    A row holds ``arguments`` and ``output`` (canonical), ``raises``, ``steps``, ``places`` and ``mutated``.
    """
    nonce = secrets.token_hex(12)
    text = _join_programs(material.language, nonce, _traced_program(material, signature))
    # Tests run the way the sandbox runs them, so that test classes and functions without a main are called too.
    futures = [_submit_program(material, text, _WALL_S, runner, (test,)) for test in material.tests]

    def read_calls() -> list[dict[str, Any]]:
        results = [future.result() for future in futures]
        rows = [row for result in results for row in _read_rows(result, nonce)]
        if results and all(result.outcome == "compile_error" for result in results):
            message = results[0].message or "without a message"
            raise ConstructionError(f"Calls of {material.key} cannot be traced: its tests do not compile ({message}).")
        for row in rows:
            row["arguments"] = [read_form(item) for item in row["arguments"]]
            row["output"] = read_form(row["output"])
        return rows

    return read_calls


def start_foreign_calls(
    material: Material,
    signature: ForeignSignature,
    calls: Sequence[Sequence[Form]],
    limit_s: float,
    runner: Runner,
    *,
    runs: int = 1,
) -> Callable[[], list[dict[str, Any]]]:
    """Start calls with positional arguments and return a function that waits for the answers.

    The answers are ``{"output": form}``, or ``raises``, ``timeout`` or ``unsupported``; the list is empty if the
    program did not run. ``unmade`` marks calls whose arguments do not fit, or before which the program ended, and
    ``unsteady`` those that several runs of the program do not answer alike.
    """
    nonce = secrets.token_hex(12)
    argument_lists = [_argument_expressions(call, signature, material.language) for call in calls]
    callable_lists = [
        (number, expressions) for number, expressions in enumerate(argument_lists) if expressions is not None
    ]
    unmade_answer = {"raises": "TypeError", "unmade": True}
    if not callable_lists:
        return lambda: [dict(unmade_answer) for _ in calls]
    text = _join_programs(
        material.language,
        nonce,
        _calling_program(material, signature, [expressions for _, expressions in callable_lists], limit_s),
    )
    future = _submit_program(material, text, min(600.0, _WALL_S + limit_s * len(callable_lists)), runner, runs=runs)

    def read_answers() -> list[dict[str, Any]]:
        rows: dict[int, list[dict[str, Any]]] = {}
        for row in _read_rows(future.result(), nonce):
            rows.setdefault(int(row.pop("number")), []).append(row)
        if not rows:
            return []
        answers = [dict(unmade_answer) for _ in calls]
        for index, (number, _) in enumerate(callable_lists):
            answers[number] = _common_answer(rows.get(index, []), runs)
        return answers

    return read_answers


def _common_answer(rows: Sequence[dict[str, Any]], runs: int) -> dict[str, Any]:
    """Return the answer to a call that all runs of a program gave."""
    if not rows:
        return {"raises": "no answer", "unmade": True}
    if len(rows) != runs or any(row != rows[0] for row in rows):
        return {"unsteady": True}
    return {**rows[0], "output": read_form(rows[0]["output"])} if "output" in rows[0] else rows[0]


def _argument_expressions(call: Sequence[Form], signature: ForeignSignature, language: str) -> list[str] | None:
    """Return the arguments as expressions, or None if they do not fit the parameters.

    Scripts may leave out the last parameters.
    """
    count = len(signature.parameters)
    if len(call) > count or (len(call) < count and language not in SCRIPTS):
        return None
    expressions = [
        foreign_expression(form, item.kind, language) for form, item in zip(call, signature.parameters, strict=False)
    ]
    written_expressions = [text for text in expressions if text is not None]
    return written_expressions if len(written_expressions) == len(expressions) else None


def _submit_program(
    material: Material,
    text: str,
    wall_s: float,
    runner: Runner,
    tests: tuple[TestCode, ...] | None = None,
    runs: int = 1,
) -> Future[JobResult]:
    limits = Limits(
        wall_s=wall_s, cpu_s=wall_s, compile_s=_COMPILE_S, kept_kb=8192, output_kb=16384, memory_mb=MEMORY_MB
    )
    # Only the printed calls matter here, not whether the tests pass, so passes need no check.
    job = Job(
        id=material.key, language=material.language, code=text, tests=tests, limits=limits, mode="fast", runs=runs
    )
    return runner.submit(job)


def _read_rows(job_result: JobResult, nonce: str) -> list[dict[str, Any]]:
    if job_result.outcome == "machinery":
        raise MissingEnvironmentError(f"The sandbox failed: {job_result.message} No item was created; try again.")
    lines = [line.removeprefix(nonce) for line in job_result.stdout.splitlines() if line.startswith(nonce)]
    return [json.loads(line) for line in lines]


def _join_programs(language: str, nonce: str, program: str) -> str:
    harness = (
        (resource_path("construction") / _HARNESS_FILES[language]).read_text(encoding="utf-8").replace("NONCE", nonce)
    )
    # In Java the last class is run, so the harness must come before the program.
    return f"{harness}\n{program}"


# -- traced programs ---------------------------------------------------------------------------------------------


def _traced_program(material: Material, signature: ForeignSignature) -> str:
    """Return the program with its entry point renamed and replaced by a wrapper that reports each call."""
    language = material.language
    code = material.code
    data = code.encode("utf-8", "surrogatepass")
    start, end = signature.name
    name = data[start:end].decode("utf-8", "surrogatepass")
    original_name = f"{_ORIGINAL_PREFIX}{name.rpartition('::')[2]}"
    report_function = {"java": "AnnotatorFollow.at", "c++": "annotator_follow::at"}.get(language, "annotatorFollow.at")
    edits = [Edit(start, end, original_name)]
    edits += [Edit(index, index, f" {report_function}({number});") for number, index in enumerate(signature.blocks)]
    if language in SCRIPTS:
        edited = apply_edits(code, edits)
        return f"{edited}\nfunction {name}(...given) {{ return annotatorFollow.follow({original_name}, given); }}\n"
    wrapper = (_java_wrapper if language == "java" else _cpp_wrapper)(signature, original_name)
    head = signature.head
    if language == "c++" and not signature.in_class:
        edits.append(Edit(signature.start, signature.start, f"{signature.head};\n"))
        head = signature.plain_head
    edits.append(Edit(signature.last, signature.last, f"\n{head}{wrapper}\n"))
    return apply_edits(code, sorted(edits))


def _java_wrapper(signature: ForeignSignature, original_name: str) -> str:
    arguments = ", ".join(signature.names)
    return (
        f"{{\n if (AnnotatorFollow.depth > 0) return {original_name}({arguments});\n"
        f" Object[] annotatorGiven = {{{arguments}}};\n"
        f" AnnotatorFollow.begin(annotatorGiven);\n {signature.result} annotatorOut;\n"
        f" try {{ annotatorOut = {original_name}({arguments}); }}\n"
        " catch (Throwable error) { AnnotatorFollow.end(null, annotatorGiven, error); throw error; }\n"
        " AnnotatorFollow.end(annotatorOut, annotatorGiven, null);\n return annotatorOut;\n}"
    )


def _cpp_wrapper(signature: ForeignSignature, original_name: str) -> str:
    arguments = ", ".join(signature.names)
    call_declaration = f"annotator_call({arguments})" if arguments else "annotator_call{}"
    end_arguments = f"annotator_out, {arguments}" if arguments else "annotator_out"
    return (
        f"{{\n annotator_follow::Call {call_declaration};\n auto annotator_out = {original_name}({arguments});\n"
        f" annotator_call.end({end_arguments});\n return annotator_out;\n}}"
    )


# -- calls -------------------------------------------------------------------------------------------------------


def _calling_program(
    material: Material, signature: ForeignSignature, calls: Sequence[Sequence[str]], limit_s: float
) -> str:
    milliseconds = max(1, round(limit_s * 1000))
    if material.language in SCRIPTS:
        call_list = ", ".join(f"[{', '.join(expressions)}]" for expressions in calls)
        # A module has no require.
        vm_import = (
            'import annotatorVm from "node:vm";'
            if _MODULE_SYNTAX.search(material.code)
            else 'var annotatorVm = require("vm");'
        )
        statement = f"annotatorFollow.make({signature.call}, [{call_list}], {milliseconds}, annotatorVm);"
        return f"{vm_import}\n{material.code}\n;\n{statement}\n"
    if material.language == "java":
        # A method may have at most 64 kB of code, so each call has its own.
        call_functions = "\n".join(
            f" static Object call{number}() throws Throwable {{ return {signature.call}({', '.join(expressions)}); }}"
            for number, expressions in enumerate(calls)
        )
        call_list = ", ".join(f"Main::call{number}" for number in range(len(calls)))
        return (
            f"{material.code}\nclass Main {{\n{call_functions}\n"
            " public static void main(String[] arguments) throws Exception {\n"
            f"  AnnotatorFollow.make(new AnnotatorFollow.Work[] {{{call_list}}}, {milliseconds});\n }}\n}}\n"
        )
    call_functions = "\n".join(
        f" annotator_follow::make({number}, {limit_s}, [] {{ {_cpp_call(signature, expressions)} }});"
        for number, expressions in enumerate(calls)
    )
    return f"{material.code}\nint main() {{\n{call_functions}\n return 0;\n}}\n"


def _cpp_call(signature: ForeignSignature, expressions: Sequence[str]) -> str:
    # Parameters may be references that are written to, so arguments are variables.
    variables = " ".join(f"auto annotator_{number} = {text};" for number, text in enumerate(expressions))
    arguments = ", ".join(f"annotator_{number}" for number in range(len(expressions)))
    return f"{variables} return annotator_follow::result({signature.call}({arguments}));"
