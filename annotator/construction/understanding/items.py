"""Understanding: predict the output of a call, or deduce an input (specification, task construction, 3.3)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from annotator.answers.arguments import find_arguments
from annotator.answers.value import find_value
from annotator.base.ids import stable_id
from annotator.construction import canonical
from annotator.construction.canonical import Form, Mode
from annotator.construction.completion.blanks import foreign_shape
from annotator.construction.languages.calls import signature_of as foreign_signature
from annotator.construction.languages.calls import start_calls as start_foreign
from annotator.construction.languages.sql import shape as query_shape
from annotator.construction.languages.values import texted, writable, written
from annotator.construction.material import PYTHON, SQL, ConstructionError, Material
from annotator.construction.program_grades import Graded
from annotator.construction.python_facts import Difficulty, Shape, shape_of, start_difficulty
from annotator.construction.sandbox_probe import BASE_LIMIT_S, start_calls
from annotator.construction.understanding.captured_calls import Captured, Instance, diverse, same_output, shown_code
from annotator.construction.understanding.literals import (
    AnswerError,
    Call,
    is_value,
    parse_arguments,
    parse_value,
    signature_of,
)
from annotator.construction.understanding.random_inputs import random_calls
from annotator.sandbox import Runner

Direction = Literal["forward", "reverse"]
RANDOM_CALLS = 200
TRIVIAL_SHARE = 0.5
HARD_STEPS = 200
_FORWARD = (
    "Work out what the call below returns.\n\nCode:\n```{fence}\n{code}\n```\n\nArguments of {entry}, as a list:\n"
    "```\n{given}\n```\n\nAnswer with the returned value only, written {how}, on the last line, after `Answer:`."
)
_REVERSE = (
    "Find arguments with which the function below returns the given value.\n\nCode:\n```{fence}\n{code}\n```\n\n"
    "Value that {entry} shall return:\n```\n{given}\n```\n\n"
    "Answer with one list of arguments only, written {how}, on the last line, after `Answer:`. Any that work will do."
)
_QUERY = (
    "Work out the rows that the query below gives.\n\nTables:\n```sql\n{given}\n```\n\nQuery:\n```sql\n{code}\n```\n\n"
    "Answer with a list of the rows only, each row a list of its values, written as JSON, on the last line, after "
    "`Answer:`."
)
_FENCES = {"c++": "cpp"}


@dataclass(frozen=True, slots=True)
class UnderstandingItem:
    """One question about a call. ``code`` is what is shown; ``arguments`` and ``output`` are canonical forms.

    ``mode`` is how values are compared, ``strip`` whether white space at the end of texts is ignored. Values of Python
    are written as Python writes them, those of other languages as JSON.
    """

    id: str
    key: str
    direction: Direction
    code: str
    entry_point: str
    arguments: tuple[tuple[str, Form], ...]
    output: Form
    steps: int
    mutates: bool
    difficulty: Difficulty
    mode: Mode = "loose"
    strip: bool = False
    language: str = PYTHON

    @property
    def material(self) -> Material:
        """The code as calls of it are made."""
        return Material(self.key, self.language, self.code, (), self.entry_point)

    def written(self, form: Form) -> str:
        """Return a value as the item shows it."""
        return canonical.show(form) if self.language == PYTHON else written(form)

    @property
    def prompt(self) -> str:
        """The question as models are asked."""
        if self.language == SQL:
            return _QUERY.format(given=self.arguments[0][1], code=self.code.strip("\n"))
        text = _FORWARD if self.direction == "forward" else _REVERSE
        given = [value for _, value in self.arguments] if self.direction == "forward" else self.output
        fence, how = _FENCES.get(self.language, self.language), "as Python writes it"
        return text.format(
            code=self.code.strip("\n"), entry=self.entry_point, given=self.written(given), fence=fence,
            how=how if self.language == PYTHON else "as JSON",
        )  # fmt: skip

    @property
    def reference(self) -> str:
        """An answer that is right."""
        return self.written(self.output if self.direction == "forward" else [value for _, value in self.arguments])

    def as_json(self) -> dict[str, Any]:
        """Return the item as a JSON object, in the order of a release."""
        return {
            "id": self.id, "key": self.key, "task": "understanding", "direction": self.direction,
            "language": self.language, "code": self.code, "entry_point": self.entry_point, "prompt": self.prompt,
            "arguments": [list(pair) for pair in self.arguments], "output": self.output, "reference": self.reference,
            "mode": self.mode, "strip": self.strip, "steps": self.steps, "mutates": self.mutates,
            "difficulty": self.difficulty,
        }  # fmt: skip


def make_items(
    material: Material, captured: Captured, runner: Runner, *, most: int = 5, mode: Mode = "loose"
) -> tuple[UnderstandingItem, ...]:
    """Return forward and reverse items of one function, at most ``most`` of each, of diverse calls.

    Forward items that give nothing for nothing (an empty output for an empty argument, no rows) are left out; so are
    reverse items whose output is empty, or is reached by more than half of random inputs or by copying it into the
    arguments.
    """
    usable = [item for item in captured.instances if not item.raises and _speakable(item, material.language)]
    code = shown_code(material)
    chosen = diverse([item for item in usable if not _gives_nothing(item, material.language)], most)
    forward = [_item(material, code, item, "forward", mode) for item in chosen]
    # Tables that give some rows can be had by writing the rows down.
    deducible = _deducible(material, usable, runner) if material.language != SQL else []
    reverse = [_item(material, code, item, "reverse", mode) for item in diverse(deducible, most)]
    return (*forward, *reverse)


def _gives_nothing(item: Instance, language: str) -> bool:
    # That a query finds nothing is guessed too easily.
    return _empty(item.output) and (language == SQL or any(map(_empty, item.values)))


def _speakable(item: Instance, language: str) -> bool:
    return language == PYTHON or all(writable(form) for form in (*item.values, item.output))


def _item(material: Material, code: str, instance: Instance, direction: Direction, mode: Mode) -> UnderstandingItem:
    difficulty = start_difficulty(_shape(material))
    if instance.steps > HARD_STEPS:
        difficulty = "hard"
    part = canonical.key(instance.values if direction == "forward" else instance.output)
    return UnderstandingItem(
        stable_id("understanding", direction, material.key, code, part),
        material.key,
        direction,
        code,
        material.entry_point,
        instance.arguments,
        instance.output,
        instance.steps,
        instance.mutated,
        difficulty,
        mode,
        language=material.language,
    )


def _shape(material: Material) -> Shape:
    if material.language == SQL:
        return query_shape(material.code)
    python = material.language == PYTHON
    return shape_of(material.code, material.entry_point) if python else foreign_shape(material)


def _deducible(material: Material, instances: Sequence[Instance], runner: Runner) -> list[Instance]:
    """Return the first instance of each output that is worth asking for."""
    kept: dict[str, Instance] = {}
    for item in instances:
        if item.arguments and not _empty(item.output):
            kept.setdefault(canonical.key(item.output), item)
    if not kept:
        return []
    calls = random_calls([item.values for item in instances], RANDOM_CALLS)
    names = [name for name, _ in instances[0].arguments]
    # Copying the value, or its text, into every argument is a trick that needs no understanding, and so is nothing at
    # all: they are tried beside random inputs.
    tricks: list[list[Form]] = [[_nothing(value) for value in instances[0].values]]
    tricks += [[form] * len(names) for item in kept.values() for form in (item.output, canonical.show(item.output))]
    tried = [Call(named=tuple(zip(names, call, strict=True))) for call in (*tricks, *calls)]
    answers = _start_calls(material, tried, runner, limit_s=0.3)()
    outputs = [answer["output"] for answer in answers[len(tricks) :] if "output" in answer]
    if not outputs:
        # Without random inputs nothing shows that the item is not trivial.
        return []
    reached = [[answers[0], *answers[1 + 2 * at : 3 + 2 * at]] for at in range(len(kept))]
    return [
        item
        for item, found in zip(kept.values(), reached, strict=True)
        if not any("output" in answer and canonical.equal(answer["output"], item.output) for answer in found)
        and sum(canonical.equal(other, item.output) for other in outputs) <= TRIVIAL_SHARE * len(outputs)
    ]


def _start_calls(
    material: Material, calls: Sequence[Call], runner: Runner, *, limit_s: float
) -> Callable[[], list[dict[str, Any]]]:
    """Start calls in any language; the answers are those of `probing.start_calls`."""
    if material.language == PYTHON:
        given = [(call.positional, dict(call.named)) for call in calls]
        return start_calls(material.code, material.entry_point, given, runner, limit_s=limit_s)
    signature = foreign_signature(material)
    placed = [[texted(form) for form in _arguments_in_order(call, signature.names)] for call in calls]
    return start_foreign(material, signature, placed, limit_s, runner)


def _arguments_in_order(call: Call, names: Sequence[str]) -> list[Form]:
    named = dict(call.named)
    return [*call.positional, *(named[name] for name in names[len(call.positional) :] if name in named)]


def _nothing(form: Form) -> Form:
    """Return the empty value of the same kind: nought, an empty text, a collection without items."""
    if isinstance(form, dict):
        empties: dict[str, Form] = {"$t": [], "$s": [], "$d": [], "$f": "0.0"}
        (tag,) = list(form)[:1] or [""]
        return {tag: empties[tag]} if tag in empties else form
    return type(form)() if isinstance(form, bool | int | str | list) else form


def _empty(form: Form) -> bool:
    body = canonical.body_of(form)
    return form is None or (isinstance(body, list | str) and not body)


# -- grade -------------------------------------------------------------------------------------------------------


def grade_forward(item: UnderstandingItem, response: str, finish_reason: str = "stop") -> Graded:
    """Compare the value that a response gives with the output. A text may stand without quotes."""
    is_text, keyed = isinstance(item.output, str), canonical.tag_of(item.output) == "$d"
    answer = find_value(
        response, is_value, entry_point=item.entry_point, is_text=is_text, keyed=keyed, finish_reason=finish_reason
    )
    if answer.outcome:
        return Graded(0.0, "no_answer", answer.how, (), answer.how, answer.outcome)
    if is_text and answer.text == item.output.strip():
        return Graded(1.0, "pass", how=answer.how)
    try:
        found = parse_value(answer.text)
    except AnswerError as error:
        return Graded(0.0, "fail", error.message, how=answer.how)
    if item.language != PYTHON:
        found = texted(found)
    if same_output(item.material, found, item.output, item.mode, strip=item.strip):
        return Graded(1.0, "pass", how=answer.how)
    return Graded(0.0, "fail", f"answered {item.written(found)[:200]}", how=answer.how)


def start_reverse(
    item: UnderstandingItem, response: str, runner: Runner, *, every_line: bool = False, finish_reason: str = "stop"
) -> Callable[[], Graded]:
    """Start the grading of deduced arguments by a call in the sandbox; call what is returned for the grade.

    Any arguments that give the output count. With ``every_line`` each line must hold arguments that do.
    """
    signature = _signature(item)
    answer = find_arguments(
        response, lambda text: _fits(text, item.entry_point, signature), item.entry_point, list(signature.parameters),
        finish_reason=finish_reason,
    )  # fmt: skip
    if answer.outcome:
        missing = Graded(0.0, "no_answer", answer.how, (), answer.how, answer.outcome)
        return lambda: missing
    texts = [line for line in response.splitlines() if line.strip()] if every_line else [answer.text]
    try:
        readings = [parse_arguments(text, item.entry_point, signature) for text in texts]
    except AnswerError as error:
        refused = Graded(0.0, "fail", error.message, how=answer.how)
        return lambda: refused
    calls = [call for reading in readings for call in reading]
    read = _start_calls(item.material, calls, runner, limit_s=BASE_LIMIT_S)
    return lambda: replace(_judge(item, readings, read()), how=answer.how)


def _fits(text: str, entry_point: str, signature: inspect.Signature) -> bool:
    try:
        parse_arguments(text, entry_point, signature)
    except AnswerError:
        return False
    return True


def _signature(item: UnderstandingItem) -> inspect.Signature:
    if item.language == PYTHON:
        return signature_of(item.code, item.entry_point)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature([inspect.Parameter(name, kind) for name in foreign_signature(item.material).names])


def _judge(item: UnderstandingItem, readings: Sequence[Sequence[Call]], answers: Sequence[dict[str, Any]]) -> Graded:
    if not readings:
        return Graded(0.0, "no_answer", "the answer is empty")
    if not answers:
        raise ConstructionError(f"The code of the item {item.id} does not load, so nothing can be graded with it.")
    rest = iter(answers)
    for reading in readings:
        found = [next(rest) for _ in reading]
        if not any(
            "output" in answer and canonical.equal(answer["output"], item.output, item.mode, strip=item.strip)
            for answer in found
        ):
            return Graded(0.0, "fail", _why(item, found[0]))
    return Graded(1.0, "pass")


def _why(item: UnderstandingItem, answer: dict[str, Any]) -> str:
    if "output" in answer:
        return f"gives {item.written(answer['output'])[:200]}"
    if answer.get("timeout"):
        return "does not end in time"
    return f"raises {answer['raises']}" if "raises" in answer else "gives something that is no plain value"
