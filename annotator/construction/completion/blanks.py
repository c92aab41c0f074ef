"""Completion tasks: a function without its body, or a program with up to three blanks, each shown to affect the tests.

They are made in all languages with a parser (specification, task construction, 3.4).
"""

from __future__ import annotations

import builtins
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from tree_sitter import Node

from annotator.answers.choice import find_definition
from annotator.answers.fences import split_blocks
from annotator.answers.normalising import without_outer_tags
from annotator.answers.outcome import ExtractedAnswer, classify_missing_answer, final_text, has_no_content
from annotator.answers.refusals import is_refusal
from annotator.base.ids import stable_id
from annotator.construction.bugs.bug_proofs import Baseline
from annotator.construction.edits import Edit, apply_edits
from annotator.construction.languages.tree_sitter_bugs import parse_foreign
from annotator.construction.program_grades import Graded, program_requirements, start_answer_grade
from annotator.construction.python_facts import CodeSize, Difficulty, start_difficulty
from annotator.construction.sandbox_probe import RunOptions, start_tests
from annotator.construction.task_material import PYTHON, ConstructionError, Material, Matrix
from annotator.sandbox import Runner
from annotator.text.python_tree import readable_tree
from annotator.text.syntax_trees import LANGUAGES, node_text, walk_nodes

BLANK = "____"
# A blank's text has 3 to 80 characters and does not occur again within three lines (specification 3.4).
MIN_FILLER_LENGTH = 3
MAX_FILLER_LENGTH = 80
NEARBY_LINES = 3
BlankLevel = Literal["function", "sentence"]
MAX_BLANKS = 8
"""Maximum number of blanks to try per compiled program; each runs with every dummy filler, and compilers are slow."""
_DUMMIES = {
    PYTHON: ("None", "0", "1", "True"), "javascript": ("null", "0", "1", "true", "[]", "{}"),
    "typescript": ("null", "0", "1", "true", "[]", "{}"), "java": ("null", "0", "1", "true"),
    "c++": ("{}", "0", "1", "true"),
}  # fmt: skip
_CREATION_NODES = ("object_creation_expression", "new_expression")
_CAST_NODES = ("as_expression", "satisfies_expression", "cast_expression")
_VALUE_FIELDS = {
    "variable_declarator": "value", "init_declarator": "value", "assignment_expression": "right",
    "augmented_assignment_expression": "right", "assignment": "right", "augmented_assignment": "right",
}  # fmt: skip
_OPERATION_NODES = ("binary_expression", "binary_operator", "boolean_operator", "comparison_operator")
_CONDITIONAL_NODES = ("if_statement", "elif_clause", "while_statement", "do_statement", "for_statement")
_LOOP_SOURCES = {"for_in_statement": "right", "enhanced_for_statement": "value", "for_range_loop": "right",
                 "for_statement": "right"}  # fmt: skip
_THROWING_NODES = ("throw_statement", "raise_statement")
"""Nobody can guess the message of an exception."""
_UNFIT_ARGUMENTS = ("spread_element", "list_splat", "dictionary_splat", "keyword_argument", "generator_expression")
_MEMBER_FIELDS = {"method_invocation": "name", "qualified_identifier": "name", "attribute": "attribute",
                  "keyword_argument": "name"}  # fmt: skip
_BINDING_FIELDS = ("parameters", "parameter")
_BODIES_OF_MEMBERS = ("class_body", "declaration_list", "enum_body", "field_declaration_list", "interface_body")
_BLOCK_ENDINGS = ("block", "compound_statement", "constructor_body")
_ARGUMENT_NODES = ("arguments", "argument_list")
_WRAPPER_NODES = ("parenthesized_expression", "condition_clause", "expression_statement")
_NAME_NODES = ("identifier", "type_identifier", "namespace_identifier", "shorthand_property_identifier")
_BRANCH_NODES = (*_CONDITIONAL_NODES, *_LOOP_SOURCES, "switch_case", "case_statement", "switch_label", "catch_clause",
                 "ternary_expression", "conditional_expression", "&&", "||", "and", "or", "except_clause",
                 "for_in_clause", "if_clause", "case_clause", "assert_statement")  # fmt: skip
_PYTHON_NAMES = frozenset(dir(builtins))
_OTHER_NAMES = frozenset(
    ("parseInt", "parseFloat", "isNaN", "isFinite", "undefined", "console", "require", "std", "this")
)
_PROMPT = (
    "Complete the code below so that it does what the description says.\n\nDescription:\n{description}\n\n"
    "Code:\n```{language}\n{code}\n```\n\nEvery {blank} stands for something that is missing. "
    "Answer with the whole completed code in one block of code."
)


@dataclass(frozen=True, slots=True)
class Blank:
    """A possible blank: the edit that makes it, the original text, and dummy fillers that must fail."""

    edit: Edit
    filler: str
    line: int
    dummies: tuple[Edit, ...]

    @property
    def span(self) -> tuple[int, int]:
        """Its byte offsets in the code."""
        return self.edit.start, self.edit.end

    @property
    def weight(self) -> tuple[int, int]:
        """Sort key that puts longer fillers first."""
        return -min(len(self.filler), 30), self.edit.start


def fits_blank(filler: str) -> bool:
    """Return whether a text is a single line of a length that suits a blank."""
    return MIN_FILLER_LENGTH <= len(filler) <= MAX_FILLER_LENGTH and "\n" not in filler and BLANK not in filler


def touches_word(data: bytes, start: int, end: int) -> bool:
    """Return whether a word is adjacent to a span (``if(a) and b``), so that a blank would merge with it."""
    neighbours = data[max(0, start - 1) : start] + data[end : end + 1]
    return any(letter.isalnum() or letter == "_" for letter in neighbours.decode("latin-1"))


def is_visible_nearby(code: str, filler: str, first: int, last: int) -> bool:
    """Return whether the same text occurs again within three lines of a range of lines."""
    window = "\n".join(code.splitlines()[max(0, first - 1 - NEARBY_LINES) : last + NEARBY_LINES])
    return window.count(filler) > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class BlankItem:
    """One completion task. ``code`` has the blanks, ``fillers`` are the original texts; the material's tests decide."""

    id: str
    level: BlankLevel
    material: Material
    code: str
    fillers: tuple[str, ...]
    lines: tuple[int, ...]
    difficulty: Difficulty

    @property
    def prompt(self) -> str:
        """The prompt for models."""
        return _PROMPT.format(
            description=self.material.description or "(none; the code says it)", language=self.material.language,
            code=self.code.strip("\n"), blank=BLANK,
        )  # fmt: skip

    @property
    def reference(self) -> str:
        """The original program, which is a correct answer."""
        return self.material.code

    def as_json(self) -> dict[str, Any]:
        """Return the item as a JSON object, in the order of a release."""
        return {
            "id": self.id, "key": self.material.key, "task": "generation", "level": self.level,
            "language": self.material.language, "description": self.material.description, "code": self.code,
            "entry_point": self.material.entry_point, "prompt": self.prompt, "fillers": list(self.fillers),
            "lines": list(self.lines), "reference": self.reference, "difficulty": self.difficulty,
            "tests": [{"name": test.name, "code": test.code} for test in self.material.tests],
        }  # fmt: skip


def function_item(material: Material) -> BlankItem:
    """Return the task to write the whole body; signature, docstring and comments at the beginning of the body stay.

    Raises `ConstructionError` if there is no such function, or it has no body that could be left out. In Python, a body
    on the line of its signature is none, since an answer of several lines would not fit there.
    """
    data, entry = find_entry_point(material)
    statements = _body_statements(_body_block(entry, material))
    if not statements or (material.language == PYTHON and _line_start_text(statements[0], data).strip()):
        raise ConstructionError(f"{material.key} has no body that could be left out.")
    edit = Edit(statements[0].start_byte, statements[-1].end_byte, BLANK)
    filler = data[edit.start : edit.end].decode("utf-8", "surrogatepass")
    return _make_item(material, "function", [edit], (filler,), (statements[0].start_point[0] + 1,), 0)


def _line_start_text(node: Node, data: bytes) -> bytes:
    """Return the text before a node on its first line."""
    return data[data.rfind(b"\n", 0, node.start_byte) + 1 : node.start_byte]


def _body_statements(block: Node) -> list[Node]:
    """Return the statements of a body after its docstring and the comments at its beginning, which describe it."""
    statements = block.named_children
    while statements and ("comment" in statements[0].type or _is_docstring(statements[0])):
        statements = statements[1:]
    return statements


def _is_docstring(statement: Node) -> bool:
    return statement.type == "expression_statement" and [node.type for node in statement.children] == ["string"]


# -- sentence level ----------------------------------------------------------------------------------------------


def find_blanks(material: Material) -> list[Blank]:
    """Return the possible blanks of a program; outside Python, those with the longest fillers.

    `prove_blanks` tells whether they affect the tests. Raises `ConstructionError` if there is no such function.
    """
    data, entry = find_entry_point(material)
    names = _count_names(parse_foreign(material.code, material.language), data)
    no_statement, false_condition = ("pass", "False") if material.language == PYTHON else (";", "false")
    blanks = {}
    for node, statement, removal in _blank_candidates(_body_block(entry, material), false_condition):
        node = _without_brackets(node)
        start, end = node.start_byte, node.end_byte
        filler = data[start:end].decode("utf-8", "surrogatepass")
        first, last = node.start_point[0] + 1, node.end_point[0] + 1
        if (
            not fits_blank(filler)
            or touches_word(data, start, end)
            or is_visible_nearby(material.code, filler, first, last)
        ):
            continue
        bound_names = _bound_names(node, data)
        if any(
            names[name] == count and not _is_global(name, material.language)
            for name, count in _count_names(node, data).items()
            if name not in bound_names
        ):
            continue
        dummies = [Edit(start, end, text) for text in _DUMMIES[material.language]]
        if node.type in _OPERATION_NODES:
            dummies.append(Edit(start, end, node_text(node.named_children[0], data)))
        dummies += [Edit(start, end, text) for text in _easy_fillers(node, data)]
        dummies.append(removal or Edit(statement.start_byte, statement.end_byte, no_statement))
        blanks[start, end] = Blank(Edit(start, end, BLANK), filler, first, tuple(dummies))
    limit = len(blanks) if material.language == PYTHON else MAX_BLANKS
    heaviest = sorted(blanks.values(), key=lambda blank: blank.weight)[:limit]
    return sorted(heaviest, key=lambda blank: blank.edit)


def _without_brackets(node: Node) -> Node:
    """Return the expression inside brackets."""
    while node.type == "parenthesized_expression":
        inner = next((child for child in node.named_children if "comment" not in child.type), None)
        if inner is None:
            break
        node = inner
    return node


def prove_blanks(baseline: Baseline, blanks: Sequence[Blank], runner: Runner) -> list[Blank]:
    """Return the blanks for which at least one test fails with every dummy filler."""
    material = baseline.material
    options = RunOptions(limit_s=baseline.limit_s, stop_at_failure=True)
    pending: list[list[Callable[[], Matrix]]] = []
    for blank in blanks:
        programs = {apply_edits(material.code, [dummy]) for dummy in blank.dummies}
        if material.code in programs:
            # With a dummy the program is the reference itself, so the blank is too easy to guess.
            pending.append([])
            continue
        pending.append([start_tests(material, code, options, runner) for code in sorted(programs)])
    proven = []
    for blank, runs in zip(blanks, pending, strict=True):
        matrices = [read_matrix() for read_matrix in runs]
        if matrices and not any(matrix.all_passed for matrix in matrices):
            proven.append(blank)
    return proven


def sentence_items(material: Material, proven: Sequence[Blank], *, most: int = 3) -> tuple[BlankItem, ...]:
    """Return at most ``most`` items each with one, two and three blanks, on different lines.

    Longer fillers come first, and overlapping blanks are left out. At least half of an item's blanks occur in no
    earlier item, so that no item just combines two others. A single name is not a task, nor are two names together, and
    blanks that cover the whole body are left to the function level.
    """
    disjoint_blanks: list[Blank] = []
    for blank in sorted(proven, key=lambda blank: blank.weight):
        if _are_disjoint([*disjoint_blanks, blank]):
            disjoint_blanks.append(blank)
    groups = {count: _blank_groups(material, disjoint_blanks[:12], count) for count in (1, 2, 3)}
    # With few places, preferring groups with fewer fresh blanks leaves enough for all three counts.
    prefers_most_fresh = len(disjoint_blanks) >= sum(groups)
    used_edits: set[Edit] = set()
    selected: list[tuple[Blank, ...]] = []
    for _, (count, candidates) in itertools.product(range(most), groups.items()):
        fresh_counts = {group: sum(blank.edit not in used_edits for blank in group) for group in candidates}
        fresh_groups = [group for group in candidates if 2 * fresh_counts[group] >= count]
        best = (max if prefers_most_fresh else min)(fresh_groups, key=lambda group: fresh_counts[group], default=())
        if best:
            selected.append(best)
            used_edits.update(blank.edit for blank in best)
    return tuple(_sentence_item(material, group) for group in sorted(selected, key=len))


def _blank_groups(material: Material, disjoint_blanks: Sequence[Blank], count: int) -> list[tuple[Blank, ...]]:
    """Return the groups of blanks that may form one item."""
    whole_body = _whole_statements(material)
    max_names = 0 if count == 1 else 1
    return [
        group
        for group in itertools.combinations(disjoint_blanks, count)
        if not whole_body <= {blank.span for blank in group}
        and sum(blank.filler.isidentifier() for blank in group) <= max_names
        and len({blank.line for blank in group}) == count
    ]


def _whole_statements(material: Material) -> set[tuple[int, int]]:
    """Return the spans that make up the whole body: the values of returns and assignments, and other statements whole.

    Imports, comments and docstrings do not count.
    """
    _, entry = find_entry_point(material)
    spans = set()
    for node in _body_statements(_body_block(entry, material)):
        if "comment" not in node.type and not node.type.startswith("import"):
            inner = node.named_children[-1] if node.type == "return_statement" and node.named_children else node
            value = next((item.child_by_field_name(_VALUE_FIELDS[item.type]) for item in node.named_children
                          if item.type in _VALUE_FIELDS), None)  # fmt: skip
            target = _without_brackets(value or inner)
            spans.add((target.start_byte, target.end_byte))
    return spans


def _are_disjoint(group: Sequence[Blank]) -> bool:
    edits = sorted(blank.edit for blank in group)
    return all(left.end <= right.start for left, right in itertools.pairwise(edits))


def _sentence_item(material: Material, group: Sequence[Blank]) -> BlankItem:
    blanks = sorted(group, key=lambda blank: blank.edit)
    edits = [blank.edit for blank in blanks]
    fillers = tuple(blank.filler for blank in blanks)
    return _make_item(material, "sentence", edits, fillers, tuple(blank.line for blank in blanks), len(blanks))


def _make_item(
    material: Material,
    level: BlankLevel,
    edits: Sequence[Edit],
    fillers: tuple[str, ...],
    lines: tuple[int, ...],
    count: int,
) -> BlankItem:
    code = apply_edits(material.code, edits)
    identity = stable_id("generation", material.key, code)
    return BlankItem(
        id=identity,
        level=level,
        material=material,
        code=code,
        fillers=fillers,
        lines=lines,
        difficulty=start_difficulty(function_size(material), count),
    )


def _is_global(name: str, language: str) -> bool:
    """Return whether a name needs no definition here; outside Python, capitalised names count as libraries."""
    if language == PYTHON:
        return name in _PYTHON_NAMES
    return name in _OTHER_NAMES or name[:1].isupper()


def _easy_fillers(node: Node, data: bytes) -> Iterator[str]:
    """Yield fillers that are easy to guess: the name inside a cast, and a constructor call without its arguments."""
    arguments = node.child_by_field_name("arguments")
    function = node.child_by_field_name("function")
    if node.type in _CREATION_NODES and arguments is not None:
        yield data[node.start_byte : arguments.start_byte].decode("utf-8", "surrogatepass") + "()"
    operand = node.child_by_field_name("value") or node.named_children[0] if node.type in _CAST_NODES else None
    if function is not None and arguments is not None and data[function.start_byte :].startswith(b"static_cast<"):
        operand = arguments.named_children[0] if arguments.named_children else None
    if operand is not None and operand.type == "identifier":
        yield node_text(operand, data)


def function_size(material: Material) -> CodeSize:
    """Return a function's size: lines of its body without docstring, comments and empty lines, and its complexity."""
    data, entry = find_entry_point(material)
    # The body of an arrow function such as ``x => x + 1`` is its expression.
    block = entry.child_by_field_name("body") or _body_block(entry, material)
    statements = _body_statements(block) if block.type.endswith(_BLOCK_ENDINGS) else [block]
    span = data[statements[0].start_byte : statements[-1].end_byte] if statements else b""
    texts = span.decode("utf-8", "surrogatepass").splitlines()
    signs = ("#",) if material.language == PYTHON else ("//", "/*", "*")
    lines = sum(1 for line in texts if line.strip() and not line.lstrip().startswith(signs))
    return CodeSize(lines, 1 + sum(node.type in _BRANCH_NODES for node in walk_nodes(block)))


def _missing_function(material: Material) -> ConstructionError:
    if not material.entry_point:
        return ConstructionError(f"{material.key} has no entry point. State the function to test.")
    return ConstructionError(f"There is no function {material.entry_point} in {material.key}.")


def find_entry_point(material: Material) -> tuple[bytes, Node]:
    """Return a program's bytes and the node of its entry point. Raises `ConstructionError` if there is none."""
    if material.language not in (PYTHON, *LANGUAGES):
        raise ConstructionError(
            f"Functions can be found in Python, {', '.join(LANGUAGES)}, but not in {material.language}."
        )
    data = material.code.encode("utf-8", "surrogatepass")
    entry = _find_function(parse_foreign(material.code, material.language), data, material.entry_point)
    if entry is None:
        raise _missing_function(material)
    return data, entry


def function_names(code: str, language: str) -> tuple[str, ...]:
    """Return the distinct names of the functions in a program."""
    data = code.encode("utf-8", "surrogatepass")
    names = (name.decode("utf-8", "surrogatepass") for name, _ in functions_in(parse_foreign(code, language), data))
    return tuple(dict.fromkeys(names))


def _find_function(root: Node, data: bytes, entry_point: str) -> Node | None:
    """Return the outermost function with a name: a declaration, a method, or a function assigned to a variable."""
    last_name = entry_point.rpartition(".")[2].encode()
    matches = [node for name, node in functions_in(root, data) if name == last_name] if last_name else []
    return min(matches, key=_node_depth, default=None)


def _node_depth(node: Node) -> int:
    return 0 if node.parent is None else 1 + _node_depth(node.parent)


def functions_in(root: Node, data: bytes) -> Iterator[tuple[bytes, Node]]:
    """Yield the functions of a program with their names."""
    for node in walk_nodes(root):
        body = node.child_by_field_name("body")
        # Loops have a body and a variable's name, too.
        if body is None or body.type in _BODIES_OF_MEMBERS or node.type in ("class_definition", *_LOOP_SOURCES):
            continue
        name_node = node.child_by_field_name("name") or node.child_by_field_name("declarator")
        if name_node is None and node.parent is not None and node.parent.type == "variable_declarator":
            name_node = node.parent.child_by_field_name("name")
        # The declarator of C++ holds the parameters, and may hold more than one name.
        while name_node is not None and (inner := name_node.child_by_field_name("declarator")) is not None:
            name_node = inner
        if name_node is not None:
            yield data[name_node.start_byte : name_node.end_byte].rpartition(b"::")[2], node


def _body_block(entry: Node, material: Material) -> Node:
    body = entry.child_by_field_name("body")
    if body is None or not body.type.endswith(_BLOCK_ENDINGS):
        raise ConstructionError(f"{material.key} has no body of statements.")
    return body


def _blank_candidates(block: Node, false_condition: str) -> Iterator[tuple[Node, Node, Edit | None]]:
    """Yield expressions for blanks, the statement around them, and the edit that removes the expression alone.

    A condition is replaced by ``false_condition`` instead.
    """
    for node in walk_nodes(block):
        if node.type in _VALUE_FIELDS:
            value = node.child_by_field_name(_VALUE_FIELDS[node.type])
            if value is not None and value.type not in _VALUE_FIELDS:
                yield value, _enclosing_statement(node), None
        elif node.type == "return_statement" and node.named_children:
            yield node.named_children[0], node, None
        elif node.type in _CONDITIONAL_NODES and (condition := node.child_by_field_name("condition")) is not None:
            tested = (
                condition.named_children[-1]
                if condition.type in _WRAPPER_NODES and condition.named_children
                else condition
            )
            yield tested, node, Edit(tested.start_byte, tested.end_byte, false_condition)
        elif node.type in _LOOP_SOURCES and (source := node.child_by_field_name(_LOOP_SOURCES[node.type])) is not None:
            yield source, node, None
        elif node.type in _ARGUMENT_NODES and _enclosing_statement(node).type not in _THROWING_NODES:
            for argument in node.named_children:
                if argument.type not in _UNFIT_ARGUMENTS and "comment" not in argument.type:
                    yield argument, _enclosing_statement(node), _argument_removal(node, argument)


def _enclosing_statement(node: Node) -> Node:
    while node.parent is not None and not node.type.endswith(("_statement", "_declaration", "declaration")):
        node = node.parent
    return node


def _argument_removal(arguments: Node, argument: Node) -> Edit:
    """Return the edit that drops an argument with its comma."""
    siblings = arguments.named_children
    index = siblings.index(argument)
    start, end = argument.start_byte, argument.end_byte
    if index:
        start = siblings[index - 1].end_byte
    elif len(siblings) > 1:
        end = siblings[1].start_byte
    return Edit(start, end, "")


def _count_names(node: Node, data: bytes) -> dict[str, int]:
    """Return how often each name occurs in a node."""
    counts: dict[str, int] = {}
    for item in walk_nodes(node):
        if item.type in _NAME_NODES and not _is_library_member(item):
            name = node_text(item, data)
            counts[name] = counts.get(name, 0) + 1
    return counts


def _is_library_member(name: Node) -> bool:
    """Return whether a name is a member of the name before it (``Math.max``, ``std::max``), or of an argument."""
    parent = name.parent
    if parent is not None and parent.type == "template_function":
        name, parent = parent, parent.parent
    if parent is None or (parent.type == "method_invocation" and parent.child_by_field_name("object") is None):
        return False
    field = _MEMBER_FIELDS.get(parent.type)
    return field is not None and parent.child_by_field_name(field) == name


def _bound_names(node: Node, data: bytes) -> set[str]:
    """Return the names that an expression binds: parameters of functions inside it, and variables of its loops."""
    names: set[str] = set()
    for item in walk_nodes(node):
        for field in (*_BINDING_FIELDS, *(("left",) if item.type == "for_in_clause" else ())):
            binding = item.child_by_field_name(field)
            if binding is not None:
                names.update(_count_names(binding, data))
    return names


# -- grade -------------------------------------------------------------------------------------------------------


def complete_program(item: BlankItem, response: str, finish_reason: str = "stop") -> ExtractedAnswer:
    """Return the completed program from an answer, which is a whole program or one line for each blank.

    There is no answer if the number of lines differs from the number of blanks.
    """
    whole_program = find_definition(response, program_requirements(item.material, item.code))
    if whole_program is not None:
        return whole_program
    final = final_text(response)
    blocks = split_blocks(final.text)
    body_indexes = [index for index, block in enumerate(blocks) if not _calls_entry_point(item, block.code)] or list(
        range(len(blocks))
    )
    answer = (blocks[body_indexes[-1]].code if blocks else without_outer_tags(final.text)).strip("\n")
    source = f"took block {body_indexes[-1] + 1} of {len(blocks)}" if blocks else "took the whole text"
    if not answer.strip() or (not blocks and (is_refusal(answer) or has_no_content(answer))):
        return classify_missing_answer(final, finish_reason, missing="code")
    if item.level == "function":
        program = _insert_body(item, answer)
        if program and ((blocks and not is_refusal(answer)) or _parses_as_code(item, program)):
            return ExtractedAnswer(program, f"{source}: the body that is missing")
        return classify_missing_answer(final, finish_reason, missing="code")
    lines = [re.sub(r"^\s*(?:\d+[.)]|[-*])\s+", "", line).strip().strip("`") for line in answer.splitlines()]
    fillers = [line for line in lines if line]
    if len(fillers) != len(item.fillers):
        missing = classify_missing_answer(final, finish_reason, missing="code")
        return replace(missing, how=f"{len(fillers)} lines for {len(item.fillers)} blanks, and no whole program")
    parts = item.code.split(BLANK)
    program = "".join(part + filler for part, filler in zip(parts, [*fillers, ""], strict=True))
    return ExtractedAnswer(program, f"{source}: one line for each blank")


def _calls_entry_point(item: BlankItem, code: str) -> bool:
    """Return whether code calls the function, which makes it a usage example."""
    entry = item.material.entry_point
    return bool(entry) and re.search(rf"(?<![\w.]){re.escape(entry)}\s*\(", code) is not None


def _parses_as_code(item: BlankItem, program: str) -> bool:
    """Return whether a program with an unfenced body parses; prose does not."""
    if item.material.language == PYTHON:
        return readable_tree(program) is not None
    return item.material.language not in LANGUAGES or not parse_foreign(program, item.material.language).has_error


def _insert_body(item: BlankItem, answer: str) -> str:
    before, _, after = item.code.partition(BLANK)
    indent = before[before.rfind("\n") + 1 :]
    if indent.strip():
        # The body shares a line with its signature; in lines of its own, a comment at its end hides no bracket.
        return f"{before}\n{answer}\n{after}" if answer.strip() else ""
    lines = [line for line in answer.splitlines() if line.strip()]
    if not lines:
        return ""
    own_indent = min(len(line) - len(line.lstrip()) for line in lines)
    if not own_indent and len(lines) > 1 and answer.startswith(lines[0]):
        # The first line goes where the blank was; the other lines are indented already.
        following_indent = min(len(line) - len(line.lstrip()) for line in lines[1:])
        if following_indent >= len(indent):
            return before + answer + after
    body = "\n".join((indent + line[own_indent:]) if line.strip() else "" for line in answer.splitlines())
    return before[: len(before) - len(indent)] + body + after


def start_blank_grade(
    item: BlankItem, response: str, runner: Runner, *, finish_reason: str = "stop"
) -> Callable[[], Graded]:
    """Start grading an answer and return a function that waits for the grade: 1 if all tests pass."""
    return start_answer_grade(item.material, complete_program(item, response, finish_reason), runner)
