"""Completion: a function without its body, or a program with up to three blanks, each proven to matter
(specification, task construction, 3.4)."""

from __future__ import annotations

import ast
import builtins
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from annotator.base.ids import stable_id
from annotator.construction import foreign_blanks
from annotator.construction.blank_form import BLANK, Blank, fits, glued, visible
from annotator.construction.code_facts import Difficulty, docstring_node, parse, shape_of, start_difficulty
from annotator.construction.edits import Edit, apply
from annotator.construction.grades import Graded, code_in, start_program
from annotator.construction.material import PYTHON, ConstructionError, Material, Matrix
from annotator.construction.probing import Run, start_tests
from annotator.construction.proofs import Baseline
from annotator.construction.spans import Program

if TYPE_CHECKING:
    from annotator.sandbox import Runner

Level = Literal["function", "sentence"]
_DUMMIES = ("None", "0", "1", "True")
_PROMPT = (
    "Complete the code below so that it does what the description says.\n\nDescription:\n{description}\n\n"
    "Code:\n```{language}\n{code}\n```\n\nEvery {blank} stands for something that is missing. "
    "Answer with the completed code only."
)


@dataclass(frozen=True, slots=True)
class BlankItem:
    """One completion task. ``code`` holds the blanks, ``fillers`` what stood there, ``tests`` decide."""

    id: str
    level: Level
    material: Material
    code: str
    fillers: tuple[str, ...]
    lines: tuple[int, ...]
    difficulty: Difficulty

    @property
    def prompt(self) -> str:
        """The task as models are asked."""
        return _PROMPT.format(
            description=self.material.description or "(none; the code says it)", language=self.material.language,
            code=self.code.strip("\n"), blank=BLANK,
        )  # fmt: skip

    @property
    def reference(self) -> str:
        """An answer that is right."""
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
    """Return the task of writing the whole body: signature and description stay. Raises `ConstructionError`."""
    if material.language != PYTHON:
        edit, filler, line = foreign_blanks.body(material)
        return _made(material, "function", [edit], (filler,), (line,), 0)
    program = Program(material.code)
    node = _entry(program, material)
    skipped = docstring_node(node)
    body = [item for item in node.body if item is not skipped]
    if not body or body[0].lineno == node.lineno:
        raise ConstructionError(f"{material.key} has no body that could be left out.")
    start, end = program.span(body[0])[0], program.span(body[-1])[1]
    decorated = [item.lineno for item in getattr(body[0], "decorator_list", [])]
    start = program.at(min(decorated), body[0].col_offset) if decorated else start
    filler = program.data[start:end].decode("utf-8", "surrogatepass")
    return _made(material, "function", [Edit(start, end, BLANK)], (filler,), (body[0].lineno,), 0)


def _entry(program: Program, material: Material) -> ast.FunctionDef:
    for node in ast.walk(program.tree):
        if isinstance(node, ast.FunctionDef) and node.name == material.entry_point:
            return node
    raise ConstructionError(f"There is no function {material.entry_point} in {material.key}.")


# -- sentence level ----------------------------------------------------------------------------------------------


def blank_places(material: Material) -> list[Blank]:
    """Return where a blank may stand, by the code alone; whether it matters is for the tests to show."""
    if material.language != PYTHON:
        return foreign_blanks.places(material)
    program = Program(material.code)
    found = []
    for node, owner, removed in _places(program, _entry(program, material)):
        filler = program.text(node)
        last = node.end_lineno or node.lineno
        if not fits(filler) or glued(program.data, *program.span(node)) or _only_here(program, node):
            continue
        if visible(program.code, filler, node.lineno, last):
            continue
        dummies = [program.replace(node, text) for text in _DUMMIES]
        if isinstance(node, ast.BinOp | ast.Compare):
            dummies.append(program.replace(node, program.text(node.left)))
        elif isinstance(node, ast.BoolOp):
            dummies.append(program.replace(node, program.text(node.values[0])))
        dummies.append(removed if removed is not None else program.replace(owner, "pass"))
        found.append(Blank(program.replace(node, BLANK), filler, node.lineno, tuple(dummies)))
    return sorted({blank.edit: blank for blank in found}.values(), key=_by_place)


def _by_place(blank: Blank) -> Edit:
    return blank.edit


def _places(program: Program, entry: ast.FunctionDef) -> Iterator[tuple[ast.expr, ast.stmt, Edit | None]]:
    """Yield expressions for blanks, the statement around them, and the edit that removes the expression alone."""
    for node in program.inside(entry):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.Return):
            if node.value is not None:
                yield node.value, node, None
        elif isinstance(node, ast.If | ast.While):
            yield node.test, node, program.replace(node.test, "False")
        elif isinstance(node, ast.For):
            yield node.iter, node, program.replace(node.iter, "()")
        elif isinstance(node, ast.Call):
            for argument in node.args:
                if not isinstance(argument, ast.Starred | ast.GeneratorExp):
                    yield argument, _statement(program, node), _without(program, node, argument)


def _without(program: Program, node: ast.Call, argument: ast.expr) -> Edit:
    """Return the edit that drops an argument with its comma."""
    at = node.args.index(argument)
    start, end = program.span(argument)
    if at:
        start = program.span(node.args[at - 1])[1]
    elif len(node.args) > 1:
        end = program.span(node.args[1])[0]
    return Edit(start, end, "")


def _statement(program: Program, node: ast.AST) -> ast.stmt:
    while not isinstance(node, ast.stmt):
        node = program.parents[node]
    return node


def _only_here(program: Program, node: ast.expr) -> bool:
    """Tell whether the expression uses a name that the rest of the code does not show."""
    inside = {id(item) for item in ast.walk(node)}
    used = {item.id for item in ast.walk(node) if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Load)}
    own = {item.id for item in ast.walk(node) if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)}
    shown: set[str] = set(dir(builtins))
    for item in ast.walk(program.tree):
        if id(item) in inside:
            continue
        if isinstance(item, ast.Name):
            shown.add(item.id)
        elif isinstance(item, ast.arg):
            shown.add(item.arg)
        elif isinstance(item, ast.FunctionDef | ast.ClassDef):
            shown.add(item.name)
        elif isinstance(item, ast.alias):
            shown.add((item.asname or item.name).partition(".")[0])
    lambdas = {argument.arg for item in ast.walk(node) if isinstance(item, ast.Lambda) for argument in item.args.args}
    return bool(used - own - lambdas - shown)


def prove_blanks(baseline: Baseline, blanks: Sequence[Blank], runner: Runner) -> list[Blank]:
    """Return the blanks that matter: with each of the dummy fillers at least one test fails."""
    material, run = baseline.material, Run(limit_s=baseline.limit_s)
    waiting: list[list[Callable[[], Matrix]]] = []
    for blank in blanks:
        programs = {apply(material.code, [dummy]) for dummy in blank.dummies}
        if material.code in programs:
            waiting.append([])
            continue
        waiting.append([start_tests(material, code, run, runner) for code in sorted(programs)])
    return [
        blank
        for blank, reads in zip(blanks, waiting, strict=True)
        if reads and not any(matrix.whole for matrix in [read() for read in reads])
    ]


def sentence_items(material: Material, proven: Sequence[Blank], *, most: int = 3) -> tuple[BlankItem, ...]:
    """Return at most ``most`` items with one blank, and as many with two and with three, on different lines.

    Fillers that hold more come first; a blank is used once per number of blanks where there are enough. A name alone is
    no task, and blanks that leave nothing of the body are the task of the whole function.
    """
    ranked = sorted(proven, key=_by_weight)
    whole = _whole_statements(material)
    alone = [blank for blank in ranked if not blank.filler.isidentifier() and not whole <= {blank.span}]
    items = [_item(material, (blank,)) for blank in alone[:most]]
    for count in (2, 3):
        made: list[BlankItem] = []
        used: set[Edit] = set()
        for group in itertools.combinations(ranked[:12], count):
            lines = {blank.line for blank in group}
            if whole <= {blank.span for blank in group}:
                continue
            if len(lines) == count and not any(blank.edit in used for blank in group) and _apart(group):
                made.append(_item(material, group))
                used.update(blank.edit for blank in group)
            if len(made) == most:
                break
        items += made
    return tuple(items)


def _whole_statements(material: Material) -> set[tuple[int, int]]:
    """Return the places whose blanks would leave nothing of the body: the values of its statements, imports and texts
    left out; a statement that holds more stands there as a whole."""
    if material.language != PYTHON:
        return foreign_blanks.whole_statements(material)
    program = Program(material.code)
    found = set()
    for node in _entry(program, material).body:
        if isinstance(node, ast.Import | ast.ImportFrom) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ):
            continue
        value = node.value if isinstance(node, ast.Return | ast.Assign) and node.value is not None else node
        found.add(program.span(value))
    return found


def _by_weight(blank: Blank) -> tuple[int, int]:
    return blank.weight


def _apart(group: Sequence[Blank]) -> bool:
    edits = sorted(blank.edit for blank in group)
    return all(left.end <= right.start for left, right in itertools.pairwise(edits))


def _item(material: Material, group: Sequence[Blank]) -> BlankItem:
    ordered = sorted(group, key=_by_place)
    edits, fillers = [blank.edit for blank in ordered], tuple(blank.filler for blank in ordered)
    return _made(material, "sentence", edits, fillers, tuple(blank.line for blank in ordered), len(ordered))


def _made(
    material: Material,
    level: Level,
    edits: Sequence[Edit],
    fillers: tuple[str, ...],
    lines: tuple[int, ...],
    count: int,
) -> BlankItem:
    code = apply(material.code, edits)
    shape = (
        shape_of(material.code, material.entry_point) if material.language == PYTHON else foreign_blanks.shape(material)
    )
    identity = stable_id("generation", material.key, code)
    return BlankItem(identity, level, material, code, fillers, lines, start_difficulty(shape, count))


# -- grade -------------------------------------------------------------------------------------------------------


def completed(item: BlankItem, response: str) -> str:
    """Return the program that an answer means: a whole program, or fillers, one per blank (a line each, or commas).

    Returns an empty text where the number of fillers does not fit.
    """
    answer = code_in(response).strip("\n")
    if _is_whole(item.material, answer):
        return answer
    if item.level == "function":
        return _with_body(item, answer)
    lines = [re.sub(r"^\s*(?:\d+[.)]|[-*])\s+", "", line).strip().strip("`") for line in answer.splitlines()]
    fillers = [line for line in lines if line]
    if len(fillers) != len(item.fillers):
        return ""
    parts = item.code.split(BLANK)
    return "".join(part + filler for part, filler in zip(parts, [*fillers, ""], strict=True))


def _is_whole(material: Material, answer: str) -> bool:
    """Tell whether an answer defines the entry point, so that it is a whole program."""
    if material.language != PYTHON:
        return foreign_blanks.defines(answer, material)
    return bool(re.search(rf"^\s*(?:async\s+)?def\s+{re.escape(material.entry_point)}\b", answer, re.MULTILINE))


def _with_body(item: BlankItem, answer: str) -> str:
    before, _, after = item.code.partition(BLANK)
    indent = before[before.rfind("\n") + 1 :]
    lines = [line for line in answer.splitlines() if line.strip()]
    if not lines:
        return ""
    own = min(len(line) - len(line.lstrip()) for line in lines)
    if not own and len(lines) > 1 and answer.startswith(lines[0]):
        # The first line stands where the blank stood; the others bring their indentation with them.
        rest = min(len(line) - len(line.lstrip()) for line in lines[1:])
        if rest >= len(indent):
            return before + answer + after
    body = "\n".join((indent + line[own:]) if line.strip() else "" for line in answer.splitlines())
    return before[: len(before) - len(indent)] + body + after


def only_blanks_filled(item: BlankItem, code: str) -> bool:
    """Tell whether a program is the task's with its blanks filled and nothing else changed (the strict option)."""
    try:
        return _same(parse(item.code), parse(code))
    except ConstructionError:
        return False


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, ast.Name) and left.id == BLANK:
        return isinstance(right, ast.expr)
    if type(left) is not type(right):
        return False
    if isinstance(left, ast.AST):
        return all(_same(getattr(left, name, None), getattr(right, name, None)) for name in left._fields)
    if isinstance(left, list):
        masked = [at for at, item in enumerate(left) if _is_blank_statement(item)]
        if masked:
            at, after = masked[0], len(left) - masked[0] - 1
            tail = right[len(right) - after :] if after else []
            return len(right) > at + after and _same(left[:at], right[:at]) and _same(left[at + 1 :], tail)
        return len(left) == len(right) and all(_same(a, b) for a, b in zip(left, right, strict=True))
    return bool(left == right)


def _is_blank_statement(node: Any) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Name) and node.value.id == BLANK


def start_grade(item: BlankItem, response: str, runner: Runner, *, strict: bool = False) -> Callable[[], Graded]:
    """Start the grading of an answer; call what is returned for the grade: 1 if all tests pass."""
    code = completed(item, response)
    if strict and code and not only_blanks_filled(item, code):
        changed = Graded(0.0, "fail", "the answer changes code outside the blanks")
        return lambda: changed
    return start_program(item.material, code, runner)
