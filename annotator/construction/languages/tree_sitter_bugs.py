"""Logic and syntax bugs in Python, Java, JavaScript, TypeScript and C++: byte ranges of tree-sitter nodes are replaced
(specification, task construction, 2.1 and 2.3). A change whose tree has errors is not a logic bug."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from tree_sitter import Node

from annotator.construction.bugs.variables import types_of
from annotator.construction.edits import Edit, OperatorMatch, Proposal, apply_edits, omittable_regex_parts, remove_lines
from annotator.construction.python_facts import parse_python_code
from annotator.construction.python_program import Function
from annotator.construction.task_material import PYTHON, ConstructionError
from annotator.text.python_tree import UNREADABLE, read_tree
from annotator.text.syntax_trees import LANGUAGES, node_text, parse_program, parse_python, walk_nodes

_COMPARISONS = {
    "<": (("<=", "offbyone"), (">", "condition")), "<=": (("<", "offbyone"), (">=", "condition")),
    ">": ((">=", "offbyone"), ("<", "condition")), ">=": ((">", "offbyone"), ("<=", "condition")),
    **{old: ((new, "condition"),) for one, two in (("==", "!="), ("===", "!=="), ("in", "not in"), ("is", "is not"))
       for old, new in ((one, two), (two, one))},
}  # fmt: skip
_CONNECTIVES = {"&&": "||", "||": "&&", "and": "or", "or": "and"}
_ARITHMETIC = {
    "+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "//": "/", "**": "*", "&": "|", "|": "&", "^": "|", "<<": ">>",
    ">>": "<<",
}  # fmt: skip
_AUGMENTED_SIGNS = {f"{old}=": f"{new}=" for old, new in _ARITHMETIC.items()}
_COUNTING = {"++": "--", "--": "++"}
_NON_COMMUTATIVE = ("-", "/", "//", "%", "**")
_NO_EFFECT_WITH_ONE = ("*", "/", "//", "%", "**", "*=", "/=", "//=", "%=", "**=")
_SWAPS_IN_ALL_LANGUAGES = {"min": "max", "max": "min", "floor": "ceil", "ceil": "floor"}
_SWAPS = {
    **_SWAPS_IN_ALL_LANGUAGES, "push": "unshift", "some": "every", "every": "some", "toLowerCase": "toUpperCase",
    "toUpperCase": "toLowerCase", "startsWith": "endsWith", "endsWith": "startsWith", "indexOf": "lastIndexOf",
    "push_back": "push_front",
}  # fmt: skip
_PYTHON_FUNCTIONS = {**_SWAPS_IN_ALL_LANGUAGES, "any": "all", "all": "any"}
_PYTHON_PAIRS = (
    ("lower", "upper"), ("startswith", "endswith"), ("lstrip", "rstrip"), ("find", "rfind"), ("isupper", "islower"),
    ("isalpha", "isalnum"), ("ljust", "rjust"), ("keys", "values"), ("append", "extend"), ("union", "intersection"),
    ("capitalize", "title"),
)  # fmt: skip
_PYTHON_METHODS = {
    **_PYTHON_FUNCTIONS, **{old: new for one, two in _PYTHON_PAIRS for old, new in ((one, two), (two, one))},
    "isdigit": "isalpha", "index": "rindex", "split": "rsplit", "partition": "rpartition",
}  # fmt: skip
_EXCEPTION_SWAPS = {
    "ValueError": "TypeError", "TypeError": "ValueError", "KeyError": "IndexError", "IndexError": "KeyError",
    "ZeroDivisionError": "ValueError", "AttributeError": "KeyError", "Exception": "ValueError",
}  # fmt: skip
_NEVER_SWAPPED = (
    "min", "max", "gcd", "print", "isinstance", "issubclass", "getattr", "hasattr", "setattr", "map", "filter",
    "enumerate", "reduce", "starmap", "takewhile", "dropwhile", "filterfalse", "islice", "zip", "product", "chain",
)  # fmt: skip
"""Functions whose argument order makes no difference, or is so well known that nobody confuses it."""
_REGEX_FUNCTIONS = ("compile", "match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer")
_REMOVABLE_STEPS = ("trim", "trimStart", "trimEnd", "strip", "toLowerCase", "toUpperCase", "replace", "replaceAll",
                    "sort", "sorted", "reverse", "filter", "slice", "substring", "distinct", "flat", "normalize",
                    "toSorted", "toReversed", "reversed", "thenComparing", "thenComparingInt",
                    "thenComparingLong")  # fmt: skip
_PYTHON_STEPS = ("strip", "lstrip", "rstrip", "lower", "upper", "casefold", "copy", "removeprefix", "removesuffix")
"""Steps of a call chain that keep the type of the value, so that the program still works without one."""
_WRAPPERS = ("abs", "fabs", "floor", "ceil", "round", "trunc", "sqrt")
_PYTHON_WRAPPERS = ("abs", "sorted", "reversed", "round")
"""Functions that can be replaced by their argument."""
_TEXT_METHODS = ("toUpperCase", "toLowerCase", "substring", "substr", "trim", "join", "charAt", "repeat", "padStart",
                 "padEnd", "replace", "toString", "to_string", "String", "str")  # fmt: skip
"""Methods and functions that return texts."""

CALL_NODES = ("call_expression", "method_invocation", "call")
_CALCULATION_NODES = ("binary_expression", "binary_operator")
_UNARY_NODES = ("unary_expression", "unary_operator")
_INDEXED_NODES = ("subscript_expression", "array_access", "subscript")
_LOOSELY_BINDING_NODES = (
    *_CALCULATION_NODES, *_UNARY_NODES, "ternary_expression", "conditional_expression", "cast_expression",
    "boolean_operator", "comparison_operator", "not_operator", "lambda",
)  # fmt: skip
_MEMBER_NODES = ("member_expression", "field_access", "attribute")
_ACCESS_NODES = (*_MEMBER_NODES, "method_invocation", *_INDEXED_NODES)
"""Expressions that need brackets beside another operator, or before a member or index."""
_SWAPPABLE_NODES = ("identifier", *CALL_NODES, *_INDEXED_NODES, *_MEMBER_NODES)
"""Expressions that need no brackets as an operand and could be confused with the other operand."""
_ARGUMENT_NODES = ("arguments", "argument_list", "subscript_argument_list", "formal_parameters")
_BINARY_NODES = (*_CALCULATION_NODES, "assignment_expression", "augmented_assignment_expression", "update_expression",
           "boolean_operator", "comparison_operator", "augmented_assignment")  # fmt: skip
_AUGMENTED_NODES = ("augmented_assignment_expression", "augmented_assignment", "assignment_expression")
_ASSIGNMENT_NODES = ("variable_declarator", "init_declarator", "assignment_expression", "assignment")
_BLOCK_NODES = ("block", "statement_block", "compound_statement", "constructor_body")
_NUMBER_NODES = ("decimal_integer_literal", "number", "number_literal", "integer")
_STRING_NODES = ("string", "template_string", "string_literal")
_LITERAL_NODES = (
    "string", "number", "template_string", "array", "object", "null", "undefined", "true", "false", "integer",
    "float", "list", "dictionary", "set", "tuple", "none",
)  # fmt: skip
_JUMP_NODES = ("return_statement", "throw_statement", "continue_statement", "break_statement", "raise_statement")
_PYTHON_STATEMENT_NODES = ("if_statement", "elif_clause", "for_statement", "while_statement", "function_definition",
                      "with_statement", "try_statement", "class_definition")  # fmt: skip
_CLOSING = {")": "the closing ) is missing", "]": "the closing ] is missing"}
_TWO_SIDED_NODES = (
    "assignment_expression", "assignment", *_CALCULATION_NODES, "comparison_operator", "conditional_expression",
    "ternary_expression",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Program:
    """A program's bytes and language, and its variables that hold texts."""

    data: bytes
    language: str
    texts: frozenset[str]

    @property
    def is_python(self) -> bool:
        return self.language == PYTHON

    def text(self, node: Node | None) -> str:
        return "" if node is None else node_text(node, self.data)


def parse_foreign(code: str, language: str) -> Node:
    """Return the root of a program's syntax tree, with byte offsets.

    Raises `ConstructionError` for a language without a parser.
    """
    root = parse_python(code) if language == PYTHON else parse_program(code, language)
    if root is None:
        raise ConstructionError(f"There are no operators for {language}, only for {', '.join(LANGUAGES)}.")
    return root


def parses_cleanly(code: str, language: str) -> bool:
    """Return whether a program's tree has no errors and nothing missing."""
    return not parse_foreign(code, language).has_error


def without_comments(code: str, language: str) -> str:
    """Return a program without its comments and the lines that contained nothing else."""
    data = code.encode("utf-8", "surrogatepass")
    stack = [parse_foreign(code, language)]
    edits = []
    while stack:
        node = stack.pop()
        if "comment" in node.type:
            start, end = node.start_byte, node.end_byte
            line_start = data.rfind(b"\n", 0, start) + 1
            newline = data.find(b"\n", end)
            line_end = len(data) if newline < 0 else newline + 1
            is_alone = not data[line_start:start].strip() and not data[end:line_end].strip()
            edits.append(Edit(line_start, line_end, "") if is_alone else Edit(start, end, ""))
        else:
            stack += node.children
    return apply_edits(code, sorted(set(edits)))


def tree_bugs(code: str, language: str) -> list[Proposal]:
    """Return logic and syntax bugs. Raises `ConstructionError` if the language has no parser or the code has errors."""
    root = parse_foreign(code, language)
    if not _is_valid(code, root, language):
        raise ConstructionError("The code does not parse, so nothing can be changed in it.")
    data = code.encode("utf-8", "surrogatepass")
    program = _Program(data=data, language=language, texts=_text_names(root, code, language))
    proposals = []
    for node in nodes_in_functions(root, language):
        for kind, operator, edits, explanation in (*_operator_changes(node, program), *_syntax_changes(node, program)):
            changed = apply_edits(code, edits)
            family = "syntax" if kind == "parse" else "logic"
            if changed == code or not _fits_family(changed, min(edits).start, family, node, program):
                continue
            proposals.append(
                Proposal(
                    kind=f"{family}.{kind}", operator=operator, code=changed, reference=code, explanation=explanation
                )
            )
    return proposals


def _fits_family(changed: str, offset: int, family: str, node: Node, program: _Program) -> bool:
    """Return whether a change at byte ``offset`` suits its family.

    A program with a syntax bug does not parse; one with a logic bug parses and does not give itself away.
    """
    if not program.is_python:
        root = parse_foreign(changed, program.language)
        return root.has_error if family == "syntax" else not root.has_error and not _has_equal_sides(root, offset)
    # Only the function is parsed: with all of heapq.py for each of 700 changes, this took twelve times as long.
    start, end = _function_lines(node, program.data)
    data = changed.encode("utf-8", "surrogatepass")
    head = b"if True:\n" if program.data[start : start + 1] in (b" ", b"\t") else b""
    function = (head + data[start : end + len(data) - len(program.data)]).decode("utf-8", "surrogatepass")
    if family == "syntax":
        return not _is_python(function)
    return _is_python(function) and not _has_equal_sides(parse_foreign(function, PYTHON), offset - start + len(head))


def _function_lines(node: Node, data: bytes) -> tuple[int, int]:
    """Return the start and end of the lines of the outermost function around a node, without its decorators."""
    function = node
    ancestor = node.parent
    while ancestor is not None:
        if ancestor.type == "function_definition":
            function = ancestor
        ancestor = ancestor.parent
    end = data.find(b"\n", function.end_byte)
    return data.rfind(b"\n", 0, function.start_byte) + 1, end + 1 if end >= 0 else len(data)


def _is_valid(code: str, root: Node, language: str) -> bool:
    return _is_python(code) if language == PYTHON else not root.has_error


def _is_python(code: str) -> bool:
    try:
        return bool(read_tree(code))
    except UNREADABLE:
        return False


def _has_equal_sides(root: Node, offset: int) -> bool:
    """Return whether a change at byte ``offset`` made two sides of an assignment, an operation or a choice equal.

    A line such as ``x = x`` gives itself away.
    """
    child = root.descendant_for_byte_range(offset, offset)
    while child is not None and child.parent is not None:
        parent = child.parent
        if (
            child.is_named
            and parent.type in _TWO_SIDED_NODES
            and len({side.text for side in parent.named_children[-2:]}) == 1
        ):
            return parent.named_child_count > 1
        child = parent
    return False


def nodes_in_functions(root: Node, language: str) -> Iterator[Node]:
    """Yield the nodes inside functions in their order; in Python without annotations, decorators and f-strings."""
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, is_inside = stack.pop()
        if language == PYTHON and (node.type in ("type", "decorator", "parameters") or _is_formatted(node)):
            continue
        if is_inside:
            yield node
        is_body = node.type in _BLOCK_NODES and (
            language != PYTHON or (node.parent is not None and node.parent.type == "function_definition")
        )
        stack += [(child, is_inside or is_body) for child in reversed(node.children)]


def _is_formatted(node: Node) -> bool:
    return node.type == "string" and any(child.type == "interpolation" for child in node.children)


def _replace_node(node: Node, text: str) -> list[Edit]:
    return [Edit(node.start_byte, node.end_byte, text)]


def _operator_changes(node: Node, program: _Program) -> Iterator[OperatorMatch]:
    is_leaf = not node.children or node.type in ("not in", "is not")
    if is_leaf and not node.is_named and node.parent is not None and node.parent.type in _BINARY_NODES:
        yield from _sign_changes(node, node.parent, program)
    for types, operator in _OPERATORS:
        if node.type in types:
            yield from operator(node, program)
    for types, operator in _PYTHON_OPERATORS if program.is_python else _OTHER_OPERATORS:
        if node.type in types:
            yield from operator(node, program)
    yield from _removed_statement(node, program.data)


def _sign_changes(node: Node, parent: Node, program: _Program) -> Iterator[OperatorMatch]:
    text = program.text(node) if not node.children else node.type
    for replacement, kind in _COMPARISONS.get(text, ()):
        yield kind, "comparison", _replace_node(node, replacement), f"compares with {replacement} instead of {text}"
    # ``x || []`` gives a default, and nobody writes ``x && []`` for it.
    right_operand = node.next_named_sibling
    if text in _CONNECTIVES and right_operand is not None and right_operand.type not in _LITERAL_NODES:
        replacement = _CONNECTIVES[text]
        yield (
            "condition",
            "connective",
            _replace_node(node, replacement),
            f"joins conditions with {replacement} instead of {text}",
        )
    is_calculated = text in _ARITHMETIC or text in _AUGMENTED_SIGNS
    if is_calculated and not ((program.is_python or text in ("+", "+=")) and _joins_texts(parent, program)):
        replacement = _ARITHMETIC.get(text) or _AUGMENTED_SIGNS[text]
        operator = "augmented_assignment" if text in _AUGMENTED_SIGNS else "arithmetic"
        yield (
            "operation",
            operator,
            _replace_node(node, replacement),
            f"calculates with {replacement} instead of {text}",
        )
    if text in _AUGMENTED_SIGNS and program.is_python:
        yield "operation", "plain_assignment", _replace_node(node, "="), "overwrites the value instead of updating it"
    if text == "??":
        yield "condition", "falsy", _replace_node(node, "||"), "takes what is empty for what is missing"
    if text in _COUNTING:
        yield "operation", "counting", _replace_node(node, _COUNTING[text]), "counts the wrong way"


def _operand_swap(node: Node, program: _Program) -> Iterator[OperatorMatch]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    sign = program.text(node.child_by_field_name("operator"))
    if left is None or right is None or sign not in _NON_COMMUTATIVE or _joins_texts(node, program):
        return
    if left.type in _SWAPPABLE_NODES and right.type in _SWAPPABLE_NODES:
        yield "operation", "operand_swap", _swap_nodes(left, right, program), "takes the operands in the wrong order"


def _swap_nodes(left: Node, right: Node, program: _Program) -> list[Edit]:
    return [*_replace_node(left, program.text(right)), *_replace_node(right, program.text(left))]


def _number_changes(node: Node, program: _Program) -> Iterator[OperatorMatch]:
    text = program.text(node)
    if not text.isdigit() or (text != "0" and text[0] == "0"):
        return
    kind = "index" if _is_index(node) else "offbyone"
    for value in (int(text) + 1, int(text) - 1):
        if _is_plausible_number(node, value, program):
            yield kind, "number", _replace_node(node, str(value)), f"uses {value} instead of {text}"


def _is_index(node: Node) -> bool:
    ancestor = node.parent
    while ancestor is not None and ancestor.type in (
        *_CALCULATION_NODES,
        *_UNARY_NODES,
        "slice",
        "subscript_argument_list",
    ):
        ancestor = ancestor.parent
    return ancestor is not None and ancestor.type in _INDEXED_NODES


def _is_plausible_number(node: Node, value: int, program: _Program) -> bool:
    """Return whether a person might write a number in this place.

    Nobody divides by 1, counts in steps other than 1, starts at -2, subtracts 0 or changes a key beside its neighbours.
    """
    parent = node.parent
    grandparent = parent.parent if parent is not None else None
    if parent is None or grandparent is None:
        return True
    text = program.text(node)
    sign = program.text(parent.child_by_field_name("operator"))
    if parent.type in _UNARY_NODES and (
        grandparent.type in _ASSIGNMENT_NODES or (grandparent.type == "slice" and _is_step(parent))
    ):
        return False
    if parent.type == "pair" and parent.child_by_field_name("key") == node:
        return False
    is_counted = sign in ("+=", "-=") or parent.type in ("generator_expression", "list_comprehension")
    if text == "1" and is_counted and parent.child_by_field_name("left") != node:
        return False
    if value == 1 and sign in _NO_EFFECT_WITH_ONE and parent.child_by_field_name("right") == node:
        return False
    if value <= 0 and (parent.type in _UNARY_NODES or sign in _ARITHMETIC or sign in _AUGMENTED_SIGNS):
        return False
    if parent.type == "slice" and value == 0 and node.end_byte == parent.end_byte:
        return False
    if value >= 0 or program.is_python:
        return value >= 0 or _is_index(node)
    # Nobody begins to count a loop at -1.
    is_counter = grandparent.parent is not None and grandparent.parent.type == "for_statement"
    return parent.type in (*_ASSIGNMENT_NODES, "return_statement") and not is_counter


def _is_step(node: Node) -> bool:
    """Return whether a part of a slice is its step."""
    colons = (
        [child.start_byte for child in node.parent.children if child.type == ":"] if node.parent is not None else []
    )
    return len(colons) == 2 and node.start_byte > colons[1]


def _truth_value(node: Node, program: _Program) -> Iterator[OperatorMatch]:
    # Nobody writes a loop that never runs.
    if node.parent is None or node.parent.type != "while_statement":
        replacement = "false" if node.type == "true" else "true"
        replacement = replacement.title() if program.is_python else replacement
        yield "condition", "bool_flip", _replace_node(node, replacement), f"uses {replacement}"


def _dropped_negation(node: Node, program: _Program) -> Iterator[OperatorMatch]:
    operand = node.child_by_field_name("argument") or node.named_children[-1]
    sign = program.data[node.start_byte : operand.start_byte].strip()
    edit = Edit(node.start_byte, operand.start_byte, "")
    if sign in (b"!", b"not"):
        yield "condition", "dropped_not", [edit], "the negation is missing"
    elif sign == b"-" and operand.type not in (*_NUMBER_NODES, "float", "decimal_floating_point_literal"):
        yield "operation", "dropped_minus", [edit], "the sign is missing"


def _swapped_call(node: Node, program: _Program) -> Iterator[OperatorMatch]:
    """Call the counterpart of a function or method; a variable of the same name is left alone."""
    receiver, name = callee_of(node)
    python_names = _PYTHON_FUNCTIONS if receiver is None else _PYTHON_METHODS
    names = python_names if program.is_python else _SWAPS
    text = program.text(name)
    if text in names:
        yield "operation", "function_swap", _replace_node(name, names[text]), f"calls {names[text]} instead of {text}"


def _swapped_reference(node: Node, program: _Program) -> Iterator[OperatorMatch]:
    """Pass the counterpart of a method by its name: ``Math.floor`` in scripts, ``Math::max`` in Java."""
    name = node.named_children[-1]
    text = program.text(name)
    if text in _SWAPS and node.parent is not None and node.parent.type in ("arguments", "argument_list"):
        yield "operation", "function_swap", _replace_node(name, _SWAPS[text]), f"calls {_SWAPS[text]} instead of {text}"


def _missing_value(node: Node, _program: _Program) -> Iterator[OperatorMatch]:
    # Before brackets, ``?.`` would have to vanish instead of becoming a dot.
    if node.parent is not None and node.parent.type == "member_expression":
        yield "condition", "missing_value", _replace_node(node, "."), "asks what is missing for a part"


def _dropped_flag(node: Node, program: _Program) -> Iterator[OperatorMatch]:
    text = program.text(node)
    if "g" in text:
        yield "operation", "first_match", _replace_node(node, text.replace("g", "")), "only the first match is taken"


def _pattern_changes(node: Node, program: _Program) -> Iterator[OperatorMatch]:
    yield from _pattern_parts(program, node.start_byte, node.end_byte)


def _pattern_parts(program: _Program, start: int, end: int) -> Iterator[OperatorMatch]:
    """Yield the removal of one part of a regular expression: ``[a-z]+`` becomes ``[a-z]``."""
    text = program.data[start:end].decode("utf-8", "surrogatepass")
    for index, sign in omittable_regex_parts(text):
        offset = start + len(text[:index].encode("utf-8", "surrogatepass"))
        yield "operation", "pattern", [Edit(offset, offset + len(sign), "")], f"the pattern lacks {sign}"


def _text_names(root: Node, code: str, language: str) -> frozenset[str]:
    """Return the variables that hold texts by declaration or assignment, and those appended to them.

    In Python these include variables that hold lists and tuples, which other operators would reject as well.
    """
    data = code.encode("utf-8", "surrogatepass")
    if language == PYTHON:
        functions = [node for node in ast.walk(parse_python_code(code)) if isinstance(node, Function)]
        kinds = [pair for function in functions for pair in types_of(function).items()]
        return frozenset(name for name, kind in kinds if kind in ("str", "list", "tuple"))
    names: set[str] = set()
    nodes = list(walk_nodes(root))
    for _ in range(2):
        for node in nodes:
            target = node.child_by_field_name("name") or node.child_by_field_name("left")
            target = target or node.child_by_field_name("pattern")
            value = node.child_by_field_name("value") or node.child_by_field_name("right")
            kind = node.child_by_field_name("type")
            if target is None or target.type != "identifier":
                continue
            if kind is not None and node_text(kind, data).lower().strip(": ").endswith("string"):
                names.add(node_text(target, data))
            elif value is None:
                continue
            elif value.type in ("string", "template_string", "string_literal"):
                names.add(node_text(target, data))
            elif node.type == "augmented_assignment_expression" and node_text(target, data) in names:
                names.update([node_text(value, data)] if value.type == "identifier" else [])
    return frozenset(names)


def _joins_texts(node: Node, program: _Program) -> bool:
    """Return whether a sum, or one around it, contains a text; another operator makes no sense for texts."""
    while node.parent is not None and node.parent.type in (*_CALCULATION_NODES, *_AUGMENTED_NODES):
        node = node.parent
    stack = [node]
    while stack:
        item = stack.pop()
        name = item.child_by_field_name("property") or item.child_by_field_name("name")
        name = name or item.child_by_field_name("function")
        if "string" in item.type or item.type in ("list", "tuple", "list_comprehension"):
            return True
        if name is not None and program.text(name) in (*_TEXT_METHODS, "list", "sorted", "tuple"):
            return True
        if item.type == "identifier" and program.text(item) in program.texts:
            return True
        # Arguments and indices say nothing about the type of the result.
        parts = item.named_children if item.type not in ("subscript", "attribute") else []
        stack += [child for child in parts if child.type not in _ARGUMENT_NODES]
    return False


def _parts_with_names(node: Node) -> Iterator[Node]:
    return filter(None, map(node.child_by_field_name, ("property", "attribute", "name", "field")))


def callee_of(node: Node) -> tuple[Node | None, Node]:
    """Return the object on which a method is called, and the node of the function's name."""
    function = node.child_by_field_name("function") or node
    name = function
    while (inner := next(_parts_with_names(name), None)) is not None:
        name = inner
    return function.child_by_field_name("object") or function.child_by_field_name("argument"), name


def _removed_step(node: Node, program: _Program) -> Iterator[OperatorMatch]:
    """Remove a step: a method in a call chain, or a function around a value."""
    receiver, name = callee_of(node)
    arguments = node.child_by_field_name("arguments")
    values = arguments.named_children if arguments is not None and arguments.type in _ARGUMENT_NODES else []
    parent = node.parent
    text = program.text(name)
    if parent is None or (program.is_python and parent.type == "expression_statement"):
        return
    explanation = f"a step is missing: {text}"
    wrappers, steps = (_PYTHON_WRAPPERS, _PYTHON_STEPS) if program.is_python else (_WRAPPERS, _REMOVABLE_STEPS)
    is_wrapper = text in wrappers and (receiver is None if program.is_python else len(values) == 1)
    if is_wrapper and values and values[0].type != "list_splat":
        needs_brackets = values[0].type in _LOOSELY_BINDING_NODES and parent.type in (
            *_LOOSELY_BINDING_NODES,
            *_ACCESS_NODES,
        )
        value = f"({program.text(values[0])})" if needs_brackets else program.text(values[0])
        yield "missing", "removed_step", _replace_node(node, value), explanation
        return
    # Nobody writes ``b && b`` or ``x => x`` by mistake.
    sibling_texts = {program.text(other) for other in parent.named_children if other != node}
    if receiver is not None and text in steps and program.text(receiver) not in sibling_texts:
        yield "missing", "removed_step", [Edit(receiver.end_byte, node.end_byte, "")], explanation


def _null_check(node: Node, program: _Program) -> Iterator[OperatorMatch]:
    """Replace a comparison with null, undefined or None by a test of truth, which 0 and "" fail."""
    value = node.named_children[0]
    null = node.named_children[-1]
    is_null_check = program.text(null) in ("undefined", "null", "None") and program.language != "java"
    if is_null_check and value.type in ("identifier", *_MEMBER_NODES):
        sign = program.data[value.end_byte : null.start_byte]
        is_negative = b"!" in sign or b"not" in sign
        negation = f"(not {program.text(value)})" if program.is_python else f"!{program.text(value)}"
        edits = _replace_node(node, program.text(value) if is_negative else negation)
        yield "condition", "falsy", edits, "takes what is empty for what is missing"


def _jump_swap(node: Node, program: _Program) -> Iterator[OperatorMatch]:
    if _is_inside_switch(node):
        return
    replacement = "continue" if node.type == "break_statement" else "break"
    old = "break" if replacement == "continue" else "continue"
    if program.text(node).startswith(old):
        edit = Edit(node.start_byte, node.start_byte + len(old), replacement)
        yield "control", "break_continue", [edit], f"says {replacement} instead of {old}"


def _is_inside_switch(node: Node) -> bool:
    ancestor = node.parent
    while ancestor is not None and "for" not in ancestor.type and "while" not in ancestor.type:
        if "switch" in ancestor.type or "case" in ancestor.type:
            return True
        ancestor = ancestor.parent
    return False


def _removed_statement(node: Node, data: bytes) -> Iterator[OperatorMatch]:
    """Remove a guard, or a statement that only calls or updates; whole lines only."""
    parent = node.parent
    if parent is None or len(parent.named_children) < 2 or parent.type not in _BLOCK_NODES[:3]:
        return
    start = data.rfind(b"\n", 0, node.start_byte) + 1
    end = data.find(b"\n", node.end_byte)
    after = data[node.end_byte : end].strip()
    if data[start : node.start_byte].strip() or end < 0 or (after and not after.startswith(b"#")):
        return
    if node.type == "if_statement" and node.child_by_field_name("alternative") is None:
        body = node.child_by_field_name("consequence")
        last = body.named_children[-1] if body is not None and body.named_children else body
        if last is not None and last.type in _JUMP_NODES:
            yield "missing", "removed_guard", [remove_lines(data, start, end + 1)], "a case is not handled"
    elif node.type == "expression_statement" and node.named_children and not _gives_value(node.named_children[0]):
        yield "missing", "removed_statement", [remove_lines(data, start, end + 1)], "a step is missing"


def _gives_value(expression: Node) -> bool:
    """Return whether an expression assigns a variable, or is a docstring.

    Without the value, the variable is undefined in C++ and Python, and Java does not compile.
    """
    target = expression.child_by_field_name("left")
    if expression.type in ("assignment_expression", "assignment") and target is not None:
        sign = expression.child_by_field_name("operator")
        return target.type not in (*_MEMBER_NODES, *_INDEXED_NODES) and (sign is None or sign.type == "=")
    return expression.type in _STRING_NODES


def _call_in_python(node: Node, program: _Program) -> Iterator[OperatorMatch]:
    receiver, name = callee_of(node)
    text = program.text(name)
    arguments = node.child_by_field_name("arguments")
    values = arguments.named_children if arguments is not None and arguments.type == "argument_list" else []
    if text == "get" and receiver is not None and len(values) == 2:
        if values[1].type == "integer":
            other = str(int(program.text(values[1]), 0) + 1)
            yield "missing", "get_default", _replace_node(values[1], other), "starts from the wrong default"
        yield "missing", "get_default", [Edit(values[0].end_byte, values[1].end_byte, "")], "has no default"
    if text == "range" and receiver is None:
        limits = (("stop", values[:1]),) if len(values) == 1 else (("start", values[:1]), ("stop", values[1:2]))
        for place, limit in limits:
            for value in limit:
                yield from _shifted_limits(
                    value, program, "offbyone", f"range_{place}", f"the range's {place} is off by one"
                )
    pattern = values[0] if values and values[0].type == "string" and not _is_formatted(values[0]) else None
    if pattern is not None and program.text(receiver) == "re" and text in _REGEX_FUNCTIONS:
        yield from _pattern_parts(program, pattern.children[0].end_byte, pattern.children[-1].start_byte)
    if any(value.type in ("list_splat", "dictionary_splat") for value in values):
        return
    positional = [value for value in values if value.type not in ("keyword_argument", "comment")]
    constant_types = {value.type for value in positional if value.type in _LITERAL_NODES}
    for left, right in pairwise(positional):
        # A key and a default such as None are not confused with each other.
        are_confusable = left.type == right.type and program.text(left) != program.text(right)
        if are_confusable and text not in _NEVER_SWAPPED and len(constant_types) < 2:
            yield "variable", "argument_swap", _swap_nodes(left, right, program), "passes arguments in the wrong order"
    last = values[-1] if len(values) > 1 else None
    if last is not None and program.text(last.child_by_field_name("name")) == "reverse":
        edit = Edit(values[-2].end_byte, last.end_byte, "")
        yield "missing", "dropped_argument", [edit], "the order is not reversed"


def _shifted_limits(
    limit: Node, program: _Program, kind: str, operator: str, explanation: str
) -> Iterator[OperatorMatch]:
    """Shift a limit by one; a limit that ends in the opposite shift loses that instead."""
    left, right = limit.child_by_field_name("left"), limit.child_by_field_name("right")
    if limit.type == "binary_operator" and left is not None and program.text(right) == "1":
        if program.text(limit.child_by_field_name("operator")) in ("+", "-"):
            yield kind, operator, [Edit(left.end_byte, limit.end_byte, "")], explanation
    elif limit.type not in (*_NUMBER_NODES, "float", *_LOOSELY_BINDING_NODES[4:]) and not _is_negative_number(limit):
        for change in (" + 1", " - 1"):
            yield kind, operator, [Edit(limit.end_byte, limit.end_byte, change)], explanation


def _is_negative_number(node: Node) -> bool:
    return node.type == "unary_operator" and node.named_children[-1].type in (*_NUMBER_NODES, "float")


def _slice_changes(node: Node, program: _Program) -> Iterator[OperatorMatch]:
    colon = next((child.start_byte for child in node.children if child.type == ":"), node.end_byte)
    for limit in node.named_children:
        place = "lower" if limit.start_byte < colon else "upper"
        if limit.type != "unary_operator":
            yield from _shifted_limits(limit, program, "index", f"slice_{place}", "the slice is off by one")


def _return_changes(node: Node, program: _Program) -> Iterator[OperatorMatch]:
    value = node.named_children[0] if node.named_children else None
    parent = node.parent
    is_last = parent is not None and parent.parent is not None and parent.parent.type == "function_definition"
    if value is None or value.type == "none" or (is_last and parent is not None and parent.named_children[-1] == node):
        return
    if value.type == "call":
        # A common slip: the result is computed but not returned.
        yield "control", "forgotten_return", _replace_node(node, program.text(value)), "does not give the result back"
    elif value.type not in ("true", "false"):
        yield "control", "return_none", _replace_node(node, "return None"), "returns nothing here"


def _exception_swap(node: Node, program: _Program) -> Iterator[OperatorMatch]:
    """Catch or raise another exception."""
    is_raised = node.type == "raise_statement"
    error = node.named_children[0] if node.named_children else None
    error = error.child_by_field_name("function") if error is not None and is_raised else error
    new_name = _EXCEPTION_SWAPS.get(program.text(error)) if error is not None else None
    if error is not None and new_name is not None:
        yield (
            "control",
            "exception_type",
            _replace_node(error, new_name),
            f"raises {new_name}" if is_raised else f"catches {new_name}",
        )


_Operator = Callable[[Node, _Program], Iterator[OperatorMatch]]
_OPERATORS: tuple[tuple[tuple[str, ...], _Operator], ...] = (
    (_CALCULATION_NODES, _operand_swap), (_NUMBER_NODES, _number_changes), (("true", "false"), _truth_value),
    (("break_statement", "continue_statement"), _jump_swap), ((*_UNARY_NODES, "not_operator"), _dropped_negation),
    (CALL_NODES, _removed_step), (CALL_NODES, _swapped_call),
    (("binary_expression", "comparison_operator"), _null_check),
)  # fmt: skip
_PYTHON_OPERATORS: tuple[tuple[tuple[str, ...], _Operator], ...] = (
    (("call",), _call_in_python), (("slice",), _slice_changes), (("return_statement",), _return_changes),
    (("except_clause", "raise_statement"), _exception_swap),
)  # fmt: skip
_OTHER_OPERATORS: tuple[tuple[tuple[str, ...], _Operator], ...] = (
    (("optional_chain",), _missing_value), (("regex_flags",), _dropped_flag), (("regex_pattern",), _pattern_changes),
    (("member_expression", "method_reference"), _swapped_reference),
)  # fmt: skip


def _syntax_changes(node: Node, program: _Program) -> Iterator[OperatorMatch]:
    text = program.text(node) if not node.children else ""
    parent = node.parent
    if text == ";" and program.language in ("java", "c++"):
        yield "parse", "dropped_semicolon", _replace_node(node, ""), "the semicolon is missing"
    elif text in _CLOSING and not node.is_named and not (program.is_python and _spans_several_lines(parent)):
        yield "parse", "dropped_bracket", _replace_node(node, ""), _CLOSING[text]
    elif (
        node.type in ("string_literal", "string")
        and len(node.children) >= 2
        and not program.text(node).endswith(("'''", '"""'))
    ):
        yield "parse", "dropped_quote", _replace_node(node.children[-1], ""), "the closing quote is missing"
    if program.is_python and parent is not None:
        yield from _python_syntax_changes(node, parent, text, program)


def _spans_several_lines(node: Node | None) -> bool:
    return node is not None and node.start_point.row != node.end_point.row


def _python_syntax_changes(node: Node, parent: Node, text: str, program: _Program) -> Iterator[OperatorMatch]:
    data = program.data
    if text == ":" and parent.type in _PYTHON_STATEMENT_NODES and data[node.end_byte :].lstrip(b" ").startswith(b"\n"):
        yield "parse", "dropped_colon", _replace_node(node, ""), "the colon is missing"
    elif text == "==" and parent.parent is not None and parent.parent.type in _PYTHON_STATEMENT_NODES:
        yield "parse", "assignment_in_condition", _replace_node(node, "="), "assigns where it should compare"
    elif text in _FOREIGN_WORDS and parent.type not in ("not in", "is not"):
        kind = "foreign_keyword" if text in ("elif", "raise") else "foreign_operator"
        has_space = text == "not" and data[node.end_byte : node.end_byte + 1] == b" "
        edit = Edit(node.start_byte, node.end_byte + has_space, _FOREIGN_WORDS[text])
        yield "parse", kind, [edit], f"writes {edit.text}"
    elif node.type == "augmented_assignment" and program.text(node).replace(" ", "").endswith("+=1"):
        edit = Edit(node.named_children[0].end_byte, node.end_byte, "++")
        yield "parse", "foreign_operator", [edit], "writes ++"
    if parent.type == "block" and node.is_named and parent.named_children[0] != node:
        line = data.rfind(b"\n", 0, node.start_byte) + 1
        if not data[line : node.start_byte].strip():
            yield "parse", "wrong_indentation", [Edit(line, line, "  ")], "the line is indented too far"


_FOREIGN_WORDS = {"elif": "else if", "and": "&&", "or": "||", "not": "!", "raise": "throw"}
