"""Logic and syntax bugs in Java, JavaScript, TypeScript and C++: byte ranges of tree-sitter nodes are replaced
(specification, task construction, 2.1 and 2.3). A change whose tree has errors is not a logic bug."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from annotator.construction.edits import Edit, OperatorMatch, Proposal, apply_edits, omittable_regex_parts, remove_lines
from annotator.construction.task_material import ConstructionError
from annotator.text.syntax_trees import LANGUAGES, node_text, parse_program, walk_nodes

_COMPARISONS = {
    "<": (("<=", "offbyone"), (">", "condition")), "<=": (("<", "offbyone"), (">=", "condition")),
    ">": ((">=", "offbyone"), ("<", "condition")), ">=": ((">", "offbyone"), ("<=", "condition")),
    "==": (("!=", "condition"),), "!=": (("==", "condition"),), "===": (("!==", "condition"),),
    "!==": (("===", "condition"),),
}  # fmt: skip
_CONNECTIVES = {"&&": "||", "||": "&&"}
_LITERALS = ("string", "number", "template_string", "array", "object", "null", "undefined", "true", "false")
_ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "+=": "-=", "-=": "+=", "*=": "+=", "/=": "*="}
_COUNTING = {"++": "--", "--": "++"}
_FUNCTION_SWAPS = {"min": "max", "max": "min", "floor": "ceil", "ceil": "floor", "push": "unshift", "some": "every",
                   "every": "some", "toLowerCase": "toUpperCase", "toUpperCase": "toLowerCase",
                   "startsWith": "endsWith", "endsWith": "startsWith", "indexOf": "lastIndexOf",
                   "push_back": "push_front"}  # fmt: skip
_REMOVABLE_STEPS = ("trim", "trimStart", "trimEnd", "strip", "toLowerCase", "toUpperCase", "replace", "replaceAll",
                    "sort", "sorted", "reverse", "filter", "slice", "substring", "distinct", "flat", "normalize",
                    "toSorted", "toReversed", "reversed", "thenComparing", "thenComparingInt",
                    "thenComparingLong")  # fmt: skip
"""Steps of a call chain that keep the type of the value, so that the program still works without one."""
_WRAPPERS = ("abs", "fabs", "floor", "ceil", "round", "trunc", "sqrt")
"""Functions that can be replaced by their argument."""
_LOOSELY_BINDING = (
    "binary_expression",
    "ternary_expression",
    "conditional_expression",
    "unary_expression",
    "cast_expression",
)
_ACCESSES = ("member_expression", "field_access", "method_invocation", "subscript_expression", "array_access")
"""Expressions that need brackets beside another operator, or before a member or index."""
_TEXT_METHODS = ("toUpperCase", "toLowerCase", "substring", "substr", "trim", "join", "charAt", "repeat", "padStart",
                 "padEnd", "replace", "toString", "to_string", "String")  # fmt: skip
"""Methods and functions that return texts."""
_ARGUMENT_NODES = ("arguments", "argument_list", "subscript_argument_list", "formal_parameters")
_BINARY = ("binary_expression", "assignment_expression", "augmented_assignment_expression", "update_expression")
_ASSIGNMENT_NODES = ("variable_declarator", "init_declarator", "assignment_expression")
_NUMBERS = ("decimal_integer_literal", "number", "number_literal")
_JUMP_NODES = ("return_statement", "throw_statement", "continue_statement", "break_statement")
_CLOSING = {")": "the closing ) is missing", "]": "the closing ] is missing"}


def parse_foreign(code: str, language: str) -> Node:
    """Return the root of a program's syntax tree, with byte offsets.

    Raises `ConstructionError` for a language without a parser.
    """
    root = parse_program(code, language)
    if root is None:
        raise ConstructionError(f"There are no operators for {language}, only for {', '.join(LANGUAGES)}.")
    return root


def parses_cleanly(code: str, language: str) -> bool:
    """Return whether a program's tree has no errors and nothing missing."""
    return not parse_foreign(code, language).has_error


def without_comments(code: str, language: str) -> str:
    """Return a program without its comments and the lines that contained nothing else."""
    data = code.encode("utf-8", "surrogatepass")
    stack, edits = [parse_foreign(code, language)], []
    while stack:
        node = stack.pop()
        if "comment" in node.type:
            start, end = node.start_byte, node.end_byte
            line, after = data.rfind(b"\n", 0, start) + 1, data.find(b"\n", end)
            after = len(data) if after < 0 else after + 1
            alone = not data[line:start].strip() and not data[end:after].strip()
            edits.append(Edit(line, after, "") if alone else Edit(start, end, ""))
        else:
            stack += node.children
    return apply_edits(code, sorted(set(edits)))


_SIDED = ("assignment_expression", "binary_expression", "conditional_expression", "ternary_expression")


def foreign_bugs(code: str, language: str) -> list[Proposal]:
    """Return logic and syntax bugs. Raises `ConstructionError` if the language has no parser or the code has errors."""
    data = code.encode("utf-8", "surrogatepass")
    root = parse_foreign(code, language)
    if root.has_error:
        raise ConstructionError("The code does not parse, so nothing can be changed in it.")
    proposals = []
    texts = _text_names(root, data)
    for node in _walk(root):
        for kind, operator, edits, explanation in (*_operators(node, data, texts), *_syntax(node, data, language)):
            changed = apply_edits(code, edits)
            family = "syntax" if kind == "parse" else "logic"
            changed_root = parse_foreign(changed, language)
            at = min(edit.start for edit in edits)
            if changed == code or (family == "syntax") != changed_root.has_error:
                continue
            if family == "syntax" or not _has_equal_sides(changed_root, at):
                proposals.append(
                    Proposal(
                        kind=f"{family}.{kind}",
                        operator=operator,
                        code=changed,
                        reference=code,
                        explanation=explanation,
                    )
                )
    return proposals


def _has_equal_sides(root: Node, at: int) -> bool:
    """Return whether a change at a place made two sides of an assignment, an operation or a choice equal (``x = x``):
    such a line gives itself away."""
    child = root.descendant_for_byte_range(at, at)
    while child is not None and child.parent is not None:
        parent = child.parent
        if child.is_named and parent.type in _SIDED and len({side.text for side in parent.named_children[-2:]}) == 1:
            return parent.named_child_count > 1
        child = parent
    return False


def _walk(root: Node) -> Iterator[Node]:
    """Yield the nodes inside functions, in their order."""
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, inside = stack.pop()
        if inside:
            yield node
        inside = inside or node.type in ("block", "statement_block", "compound_statement", "constructor_body")
        stack += [(child, inside) for child in reversed(node.children)]


def _replace(node: Node, text: str) -> list[Edit]:
    return [Edit(node.start_byte, node.end_byte, text)]


def _operators(node: Node, data: bytes, texts: frozenset[str]) -> Iterator[OperatorMatch]:
    parent = node.parent
    text = node_text(node, data) if not node.children else ""
    if parent is not None and not node.is_named and parent.type in _BINARY:
        for new, kind in _COMPARISONS.get(text, ()):
            yield kind, "comparison", _replace(node, new), f"compares with {new} instead of {text}"
        # ``x || []`` gives a default, and nobody writes ``x && []`` for it.
        if (
            text in _CONNECTIVES
            and node.next_named_sibling is not None
            and node.next_named_sibling.type not in _LITERALS
        ):
            new = _CONNECTIVES[text]
            yield "condition", "connective", _replace(node, new), f"joins conditions with {new} instead of {text}"
        if text in _ARITHMETIC and not (text in ("+", "+=") and _joins_texts(parent, data, texts)):
            new = _ARITHMETIC[text]
            yield "operation", "arithmetic", _replace(node, new), f"calculates with {new} instead of {text}"
        if text == "??":
            yield "condition", "falsy", _replace(node, "||"), "takes what is empty for what is missing"
        if text in _COUNTING:
            yield "operation", "counting", _replace(node, _COUNTING[text]), "counts the wrong way"
    elif node.type == "optional_chain" and parent is not None and parent.type == "member_expression":
        # Before brackets, ``?.`` would have to vanish instead of becoming a dot.
        yield "condition", "missing_value", _replace(node, "."), "asks what is missing for a part"
    elif node.type in _NUMBERS and text.isdigit() and (text == "0" or text[0] != "0"):
        kind = "index" if parent is not None and "subscript" in parent.type else "offbyone"
        calculated = parent is not None and parent.type in ("binary_expression", "unary_expression")
        for value in (int(text) + 1, int(text) - 1):
            # ``n - 0`` or ``xs[-1]`` would look machine-made.
            if (
                value > 0 or not (calculated or (value < 0 and _is_argument_or_index(node)))
            ) and not _is_implausible_number(node, value, data):
                yield kind, "number", _replace(node, str(value)), f"uses {value} instead of {text}"
    elif node.type in ("true", "false"):
        new = "false" if node.type == "true" else "true"
        yield "condition", "bool_flip", _replace(node, new), f"uses {new}"
    elif node.type in ("break_statement", "continue_statement") and text == "":
        yield from _jump(node, data)
    elif node.type == "unary_expression" and data[node.start_byte : node.start_byte + 1] == b"!":
        yield "condition", "dropped_not", [Edit(node.start_byte, node.start_byte + 1, "")], "the negation is missing"
    elif node.type in ("identifier", "property_identifier", "field_identifier") and text in _FUNCTION_SWAPS:
        yield (
            "operation",
            "function_swap",
            _replace(node, _FUNCTION_SWAPS[text]),
            f"calls {_FUNCTION_SWAPS[text]} instead of {text}",
        )
    elif node.type == "regex_flags" and "g" in text:
        yield "operation", "first_match", _replace(node, text.replace("g", "")), "only the first match is taken"
    elif node.type == "binary_expression" and node.children:
        yield from _null_check(node, data)
    elif node.type == "regex_pattern":
        for index, sign in omittable_regex_parts(text):
            at = node.start_byte + len(text[:index].encode("utf-8", "surrogatepass"))
            yield "operation", "pattern", [Edit(at, at + len(sign), "")], f"the pattern lacks {sign}"
    elif node.type in ("call_expression", "method_invocation"):
        yield from _removed_step(node, data)
    yield from _statement(node, data)


def _text_names(root: Node, data: bytes) -> frozenset[str]:
    """Return the variables that hold texts by declaration or assignment, and those appended to them."""
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
            if kind is not None and node_text(kind, data).strip(": ") == "string":
                names.add(node_text(target, data))
            elif value is None:
                continue
            elif value.type in ("string", "template_string", "string_literal"):
                names.add(node_text(target, data))
            elif node.type == "augmented_assignment_expression" and node_text(target, data) in names:
                names.update([node_text(value, data)] if value.type == "identifier" else [])
    return frozenset(names)


def _is_implausible_number(number: Node, value: int, data: bytes) -> bool:
    """Return whether a number in this place would be implausible: nobody divides by 1, counts in steps other than 1, or
    starts at -2."""
    parent = number.parent
    around = parent.parent if parent is not None and parent.type == "unary_expression" else None
    if around is not None and around.type in _ASSIGNMENT_NODES:
        return node_text(number, data) == "1"
    if parent is None or parent.child_by_field_name("right") != number:
        return False
    sign = parent.child_by_field_name("operator")
    if sign is not None and node_text(sign, data) in ("+=", "-="):
        return node_text(number, data) == "1"
    return value == 1 and sign is not None and node_text(sign, data) in ("*", "/", "%", "*=", "/=", "%=", "**")


def _joins_texts(node: Node, data: bytes, texts: frozenset[str]) -> bool:
    """Return whether a sum, or one around it, contains a text; another operator makes no sense for texts."""
    while node.parent is not None and node.parent.type in _BINARY:
        node = node.parent
    stack = [node]
    while stack:
        item = stack.pop()
        name = item.child_by_field_name("property") or item.child_by_field_name("name")
        if "string" in item.type or (name is not None and node_text(name, data) in _TEXT_METHODS):
            return True
        if item.type == "identifier" and node_text(item, data) in texts:
            return True
        # Arguments and indices say nothing about the type of the result.
        stack += [child for child in item.named_children if child.type not in _ARGUMENT_NODES]
    return False


def _is_argument_or_index(number: Node) -> bool:
    """Return whether a number is an argument, an index, or the operand of an augmented assignment."""
    around = number.parent.type if number.parent is not None else ""
    return around in _ARGUMENT_NODES or "subscript" in around or around == "augmented_assignment_expression"


def _removed_step(node: Node, data: bytes) -> Iterator[OperatorMatch]:
    """Remove a step: a method in a call chain, or a function around a value."""
    function = node.child_by_field_name("function") or node
    receiver = function.child_by_field_name("object")
    name = function.child_by_field_name("property") or function.child_by_field_name("name") or function
    arguments = node.child_by_field_name("arguments")
    values = arguments.named_children if arguments is not None else []
    if node_text(name, data) in _WRAPPERS and len(values) == 1:
        is_loose = (
            values[0].type in _LOOSELY_BINDING
            and node.parent is not None
            and node.parent.type in (*_LOOSELY_BINDING, *_ACCESSES)
        )
        value = f"({node_text(values[0], data)})" if is_loose else node_text(values[0], data)
        yield "missing", "removed_step", _replace(node, value), f"a step is missing: {node_text(name, data)}"
        return
    if receiver is None or name == function or node.parent is None:
        return
    # Nobody writes ``b && b`` or ``x => x`` by mistake.
    beside = {node_text(other, data) for other in node.parent.named_children if other != node}
    if node_text(name, data) in _REMOVABLE_STEPS and node_text(receiver, data) not in beside:
        edit = Edit(receiver.end_byte, node.end_byte, "")
        yield "missing", "removed_step", [edit], f"a step is missing: {node_text(name, data)}"


def _null_check(node: Node, data: bytes) -> Iterator[OperatorMatch]:
    """Replace a comparison with null or undefined by a test of truth, which 0 and "" fail."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    sign = node.child_by_field_name("operator")
    if left is None or right is None or sign is None or right.type not in ("undefined", "null"):
        return
    if node_text(right, data) in ("undefined", "null") and left.type in ("identifier", "member_expression"):
        no = "" if node_text(sign, data).startswith("!") else "!"
        explanation = "takes what is empty for what is missing"
        yield "condition", "falsy", _replace(node, f"{no}{node_text(left, data)}"), explanation


def _jump(node: Node, data: bytes) -> Iterator[OperatorMatch]:
    if _inside_switch(node):
        return
    new = "continue" if node.type == "break_statement" else "break"
    old = "break" if new == "continue" else "continue"
    if node_text(node, data).startswith(old):
        edit = Edit(node.start_byte, node.start_byte + len(old), new)
        yield "control", "break_continue", [edit], f"says {new} instead of {old}"


def _inside_switch(node: Node) -> bool:
    up = node.parent
    while up is not None and "for" not in up.type and "while" not in up.type:
        if "switch" in up.type or "case" in up.type:
            return True
        up = up.parent
    return False


def _statement(node: Node, data: bytes) -> Iterator[OperatorMatch]:
    """Remove a guard, or a statement that only calls or updates; whole lines only."""
    parent = node.parent
    if parent is None or len(parent.named_children) < 2 or parent.type not in ("block", "statement_block",
                                                                              "compound_statement"):  # fmt: skip
        return
    start = data.rfind(b"\n", 0, node.start_byte) + 1
    end = data.find(b"\n", node.end_byte)
    if data[start : node.start_byte].strip() or end < 0 or data[node.end_byte : end].strip():
        return
    if node.type == "if_statement" and node.child_by_field_name("alternative") is None:
        body = node.child_by_field_name("consequence")
        last = body.named_children[-1] if body is not None and body.named_children else body
        if last is not None and last.type in _JUMP_NODES:
            yield "missing", "removed_guard", [remove_lines(data, start, end + 1)], "a case is not handled"
    elif node.type == "expression_statement" and not _assigns_variable(node):
        yield "missing", "removed_statement", [remove_lines(data, start, end + 1)], "a step is missing"


def _assigns_variable(statement: Node) -> bool:
    """Return whether a statement assigns a variable. Without it the variable is undefined in C++, and Java does not
    compile."""
    expression = statement.named_children[0] if statement.named_children else None
    target = (
        expression.child_by_field_name("left")
        if expression is not None and expression.type == "assignment_expression"
        else None
    )
    operator = expression.child_by_field_name("operator") if expression is not None else None
    return target is not None and target.type == "identifier" and (operator is None or operator.type == "=")


def _syntax(node: Node, data: bytes, language: str) -> Iterator[OperatorMatch]:
    text = node_text(node, data) if not node.children else ""
    if text == ";" and language in ("java", "c++"):
        yield "parse", "dropped_semicolon", _replace(node, ""), "the semicolon is missing"
    elif text in _CLOSING and not node.is_named:
        yield "parse", "dropped_bracket", _replace(node, ""), _CLOSING[text]
    elif node.type in ("string_literal", "string") and len(node.children) >= 2:
        last = node.children[-1]
        yield "parse", "dropped_quote", _replace(last, ""), "the closing quote is missing"
