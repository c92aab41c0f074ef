"""Understanding items: predict the output of a call, or deduce its input (specification, task construction, 3.3)."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any, Literal

from annotator.answers.value import find_arguments, find_value
from annotator.base.ids import stable_id
from annotator.construction import canonical
from annotator.construction.canonical import Form, Mode
from annotator.construction.completion.blanks import function_size
from annotator.construction.languages.language_calls import read_foreign_signature as foreign_signature
from annotator.construction.languages.language_calls import start_foreign_calls as start_foreign
from annotator.construction.languages.language_values import form_json, is_json_form, with_text_keys
from annotator.construction.languages.sql import query_size as query_shape
from annotator.construction.program_grades import Graded, grade_missing
from annotator.construction.python_facts import CodeSize, Difficulty, start_difficulty
from annotator.construction.sandbox_probe import BASE_LIMIT_S, start_python_calls
from annotator.construction.task_material import PYTHON, SQL, ConstructionError, Material
from annotator.construction.understanding.captured_calls import (
    CallInstance,
    CapturedCalls,
    CaptureLimits,
    keep_repeatable,
    outputs_equal,
    select_diverse,
    shown_code,
)
from annotator.construction.understanding.guesses import (
    answer_by_guess,
    guess_arguments,
    is_common_result,
    needs_calculator,
)
from annotator.construction.understanding.literals import (
    AnswerError,
    CallArguments,
    is_value,
    parse_arguments,
    parse_value,
    read_python_signature,
)
from annotator.construction.understanding.random_inputs import random_calls
from annotator.sandbox import Runner

Direction = Literal["forward", "reverse"]
RANDOM_CALLS = 200
TRIVIAL_SHARE = 0.25
"""Outputs of more than this share of the generated inputs are not used for reverse items."""
MAX_GUESSED_SHARE = 0.25
MIN_RESULTS = 20
HARD_STEPS = 200
"""Items whose call executes more lines are hard."""
SHORT_CALL = 16
"""Shorter calls may differ by a single character."""
MAX_CALL_SIMILARITY = 0.85
TOO_MANY_DIGITS = "a number has more digits than one works out"
PASSED_THROUGH = "the value passed through gives it"
_EASIER_DIFFICULTY: dict[Difficulty, Difficulty] = {"hard": "medium", "medium": "easy", "easy": "easy"}
_FORWARD = (
    "Work out what the call below {gives}.\n\nCode:\n```{fence}\n{code}\n```\n\nArguments of {entry}, as a list:\n"
    "```\n{given}\n```\n\nAnswer with {what} only, written {how}, on the last line, after `Answer:`."
)
_REVERSE = (
    "Find arguments with which the function below {gives}.\n\nCode:\n```{fence}\n{code}\n```\n\n"
    "{what} that {entry} shall {give}:\n```\n{given}\n```\n\n"
    "Answer with one list of arguments only, written {how}, on the last line, after `Answer:`. Any that work will do."
)
_QUERY = (
    "Work out the rows that the query below gives.\n\nTables:\n```sql\n{given}\n```\n\nQuery:\n```sql\n{code}\n```\n\n"
    "Answer with a list of the rows only, each row a list of its values, written as JSON, on the last line, after "
    "`Answer:`."
)
_RESULT_PHRASES = {
    ("forward", False): {"gives": "returns", "what": "the returned value"},
    ("forward", True): {"gives": "yields: it returns an iterator", "what": "a list of all that it yields"},
    ("reverse", False): {"gives": "returns the given value", "what": "Value", "give": "return"},
    ("reverse", True): {
        "gives": "returns an iterator of the given values", "what": "Values, as a list,", "give": "yield"
    },
}  # fmt: skip
_FENCES = {"c++": "cpp"}


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderstandingItem:
    """One question about a call. ``code`` is the code in the prompt; ``arguments`` and ``output`` are canonical forms.

    ``mode`` is how values are compared, ``strip`` whether white space at the end of texts is ignored. Values are
    written as Python expressions for Python, as JSON for other languages. ``guessed`` is the share of the function's
    inputs for which a guess is right. ``drawn`` means that the function returns an iterator whose items are the output.
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
    guessed: float = 0.0
    drawn: bool = False

    @property
    def material(self) -> Material:
        """The code as material for making calls."""
        return Material(key=self.key, language=self.language, code=self.code, tests=(), entry_point=self.entry_point)

    def written(self, form: Form) -> str:
        """Return a value as it is written in the prompt."""
        return canonical.form_text(form) if self.language == PYTHON else form_json(form)

    @property
    def prompt(self) -> str:
        """The prompt for models."""
        if self.language == SQL:
            return _QUERY.format(given=self.arguments[0][1], code=self.code.strip("\n"))
        text = _FORWARD if self.direction == "forward" else _REVERSE
        quoted_value = [value for _, value in self.arguments] if self.direction == "forward" else self.output
        notation = "as Python writes it" if self.language == PYTHON else "as JSON"
        return text.format(
            code=self.code.strip("\n"), entry=self.entry_point, given=self.written(quoted_value),
            fence=_FENCES.get(self.language, self.language), how=notation,
            **_RESULT_PHRASES[self.direction, self.drawn],
        )  # fmt: skip

    @property
    def reference(self) -> str:
        """A correct answer."""
        return self.written(self.output if self.direction == "forward" else [value for _, value in self.arguments])

    def as_json(self) -> dict[str, Any]:
        """Return the item as a JSON object, in the order of a release."""
        return {
            "id": self.id, "key": self.key, "task": "understanding", "direction": self.direction,
            "language": self.language, "code": self.code, "entry_point": self.entry_point, "prompt": self.prompt,
            "arguments": [list(pair) for pair in self.arguments], "output": self.output, "reference": self.reference,
            "mode": self.mode, "strip": self.strip, "steps": self.steps, "mutates": self.mutates,
            "difficulty": self.difficulty, "guessed": self.guessed, "drawn": self.drawn,
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _ItemMaterial:
    """The material for the items of one function: its captured calls, and calls on generated inputs."""

    material: Material
    code: str
    mode: Mode
    captured: tuple[CallInstance, ...]
    generated: tuple[CallInstance, ...]

    @property
    def all(self) -> tuple[CallInstance, ...]:
        """All calls, those of the tests first."""
        return (*self.captured, *self.generated)


def make_understanding_items(
    material: Material,
    captured: CapturedCalls,
    runner: Runner,
    *,
    most: int = 5,
    mode: Mode = "loose",
    dropped: Counter[str] | None = None,
) -> tuple[UnderstandingItem, ...]:
    """Return forward and reverse items for diverse calls of one function, at most ``most`` of each.

    Calls that a guess answers are not used; ``dropped`` counts the reasons. If the tests make too few calls, forward
    items use generated inputs too. If many inputs can be guessed, the difficulty is lower.
    """
    usable = [item for item in captured.instances if not item.raises and _is_writable(item, material.language)]
    if not all(item.iterates for item in usable):
        usable = [item for item in usable if not item.iterates]
    if not usable:
        return ()
    generated = _generate_instances(material, usable, runner)
    source = _ItemMaterial(
        material=material, code=shown_code(material), mode=mode, captured=tuple(usable), generated=tuple(generated)
    )
    dropped_counts = Counter[str]() if dropped is None else dropped
    forward = _forward_items(source, most, runner, dropped_counts)
    # Reverse items make no sense for queries: writing the rows into a table would often be enough.
    reverse = _reverse_items(source, most, runner, dropped_counts) if material.language != SQL else []
    return (*forward, *reverse)


def _generate_instances(material: Material, usable: Sequence[CallInstance], runner: Runner) -> list[CallInstance]:
    """Return calls on generated inputs that return a plain value."""
    if material.language == SQL:
        return []
    names = [name for name, _ in usable[0].arguments]
    known_keys = {canonical.form_key(item.values) for item in usable}
    inputs = {canonical.form_key(call): call for call in random_calls([item.values for item in usable], RANDOM_CALLS)}
    new_calls = [call for key, call in inputs.items() if key not in known_keys]
    calls = [CallArguments(keywords=tuple(zip(names, call, strict=True))) for call in new_calls]
    returns_iterator = usable[0].iterates
    answers = _start_calls(material, calls, runner, limit_s=0.3, exhaust=returns_iterator)() if calls else []
    steps = min(item.steps for item in usable)
    mutated = any(item.mutated for item in usable)
    instances = [
        CallInstance(
            arguments=tuple(zip(names, call, strict=True)),
            output=answer["output"],
            steps=steps,
            branches=frozenset(),
            mutated=mutated,
            iterates=returns_iterator,
        )
        for call, answer in zip(new_calls, answers, strict=False)
        if "output" in answer
    ]
    return [item for item in instances if _is_writable(item, material.language)]


def _forward_items(source: _ItemMaterial, most: int, runner: Runner, dropped: Counter[str]) -> list[UnderstandingItem]:
    outputs = [item.output for item in source.all]
    reasons = [_forward_problem(item, outputs, source.material.language) for item in source.captured]
    dropped.update(f"forward: {reason}" for reason in reasons if reason)
    usable = [item for item, reason in zip(source.captured, reasons, strict=True) if not reason]
    selected = _with_distinct_outputs(usable, most)
    if len(selected) < most:
        selected_outputs = {canonical.form_key(item.output) for item in selected}
        candidates = [
            item
            for item in source.generated
            if canonical.form_key(item.output) not in selected_outputs and _is_readable(item)
            and not _forward_problem(item, outputs, source.material.language)
        ]  # fmt: skip
        new_instances: list[CallInstance] = []
        for item in _with_distinct_outputs(candidates, len(candidates)):
            if len(new_instances) < most - len(selected) and not any(
                _are_alike(item, other) for other in (*selected, *new_instances)
            ):
                new_instances.append(item)
        selected += keep_repeatable(source.material, new_instances, runner)
    guessed_share = sum(bool(answer_by_guess(item.values, item.output)) for item in source.all) / len(source.all)
    return [_make_item(source, item, "forward", guessed_share) for item in selected]


def _needs_calculator(item: CallInstance) -> bool:
    return any(map(needs_calculator, (*item.values, item.output)))


def _are_alike(instance: CallInstance, other: CallInstance) -> bool:
    """Return whether two calls are too similar to make two questions; short calls may differ by a single letter."""
    texts = canonical.form_text(instance.values), canonical.form_text(other.values)
    return min(map(len, texts)) >= SHORT_CALL and SequenceMatcher(None, *texts).ratio() > MAX_CALL_SIMILARITY


def _is_readable(item: CallInstance) -> bool:
    limits = CaptureLimits()
    return max(len(canonical.form_text(item.values)), len(canonical.form_text(item.output))) <= limits.characters // 2


def _with_distinct_outputs(instances: Sequence[CallInstance], most: int) -> list[CallInstance]:
    first: dict[str, CallInstance] = {}
    for item in select_diverse(instances, len(instances)):
        first.setdefault(canonical.form_key(item.output), item)
    return list(first.values())[:most]


def _forward_problem(item: CallInstance, outputs: Sequence[Form], language: str) -> str:
    # A query cannot return its tables as a value.
    values = item.values if language != SQL else []
    reason = answer_by_guess(values, item.output)
    if not reason and _needs_calculator(item):
        reason = TOO_MANY_DIGITS
    if not reason and len(outputs) >= MIN_RESULTS and is_common_result(item.output, outputs):
        reason = "most inputs give this result"
    return reason


def _reverse_items(source: _ItemMaterial, most: int, runner: Runner, dropped: Counter[str]) -> list[UnderstandingItem]:
    """Return reverse items for outputs that neither generated inputs nor passing the output through can produce."""
    instance_by_output: dict[str, CallInstance] = {}
    outputs = [item.output for item in source.generated]
    for item in source.captured:
        reason = _reverse_problem(item, outputs)
        if reason:
            dropped[f"reverse: {reason}"] += 1
        else:
            instance_by_output.setdefault(canonical.form_key(item.output), item)
    candidates = select_diverse(list(instance_by_output.values()), 2 * most)
    pass_through = _find_passed_through(source.material, candidates, runner)
    dropped.update(f"reverse: {PASSED_THROUGH}" for is_passed_through in pass_through if is_passed_through)
    selected = [
        item for item, is_passed_through in zip(candidates, pass_through, strict=True) if not is_passed_through
    ][:most]
    return [_make_item(source, item, "reverse", _share_of_equal(item.output, outputs)) for item in selected]


def _reverse_problem(item: CallInstance, outputs: Sequence[Form]) -> str:
    if not item.arguments:
        return "there is no argument"
    if not outputs:
        # Without generated inputs nothing shows that the item is not trivial.
        return "no generated input gives a result"
    if isinstance(item.output, bool) or _is_empty(item.output):
        return "the result is empty, or a bare true or false"
    if _needs_calculator(item):
        return TOO_MANY_DIGITS
    return "many inputs give this result" if _share_of_equal(item.output, outputs) > TRIVIAL_SHARE else ""


def _share_of_equal(output: Form, outputs: Sequence[Form]) -> float:
    return sum(canonical.forms_equal(other, output) for other in outputs) / max(1, len(outputs))


def _find_passed_through(material: Material, instances: Sequence[CallInstance], runner: Runner) -> list[bool]:
    """Return for each call whether guessed arguments produce its output."""
    attempts = [
        (number, call) for number, item in enumerate(instances) for call in guess_arguments(item.values, item.output)
    ]
    if not attempts:
        return []
    names = [name for name, _ in instances[0].arguments]
    calls = [CallArguments(keywords=tuple(zip(names, call, strict=False))) for _, call in attempts]
    answers = _start_calls(material, calls, runner, limit_s=0.3, exhaust=instances[0].iterates)()
    if not answers:
        return [True] * len(instances)
    reproduced = {
        number
        for (number, _), answer in zip(attempts, answers, strict=True)
        if "output" in answer and canonical.forms_equal(answer["output"], instances[number].output)
    }
    return [number in reproduced for number in range(len(instances))]


def _is_writable(item: CallInstance, language: str) -> bool:
    return language == PYTHON or all(is_json_form(form) for form in (*item.values, item.output))


def _make_item(
    source: _ItemMaterial, instance: CallInstance, direction: Direction, guessed_share: float
) -> UnderstandingItem:
    material = source.material
    code = source.code
    difficulty = start_difficulty(_code_size(material))
    if instance.steps > HARD_STEPS:
        difficulty = "hard"
    if guessed_share > MAX_GUESSED_SHARE:
        difficulty = _EASIER_DIFFICULTY[difficulty]
    question_value = canonical.form_key(instance.values if direction == "forward" else instance.output)
    return UnderstandingItem(
        id=stable_id("understanding", direction, material.key, code, question_value),
        key=material.key,
        direction=direction,
        code=code,
        entry_point=material.entry_point,
        arguments=instance.arguments,
        output=instance.output,
        steps=instance.steps,
        mutates=instance.mutated,
        difficulty=difficulty,
        mode=source.mode,
        language=material.language,
        guessed=round(guessed_share, 3),
        drawn=instance.iterates,
    )


def _code_size(material: Material) -> CodeSize:
    if material.language == SQL:
        return query_shape(material.code)
    return function_size(material)


def _start_calls(
    material: Material, calls: Sequence[CallArguments], runner: Runner, *, limit_s: float, exhaust: bool = False
) -> Callable[[], list[dict[str, Any]]]:
    """Start calls in any language, with answers like those of `sandbox_probe`."""
    if material.language == PYTHON:
        arguments = [(call.positional, dict(call.keywords)) for call in calls]
        return start_python_calls(
            material.code, material.entry_point, arguments, runner, limit_s=limit_s, exhaust=exhaust
        )
    signature = foreign_signature(material)
    positional = [[with_text_keys(form) for form in _arguments_in_order(call, signature.names)] for call in calls]
    return start_foreign(material, signature, positional, limit_s, runner)


def _arguments_in_order(call: CallArguments, names: Sequence[str]) -> list[Form]:
    keywords = dict(call.keywords)
    return [*call.positional, *(keywords[name] for name in names[len(call.positional) :] if name in keywords)]


def _is_empty(form: Form) -> bool:
    body = canonical.body_of(form)
    return form is None or (isinstance(body, list | str) and not body)


# -- grade -------------------------------------------------------------------------------------------------------


def grade_forward(item: UnderstandingItem, response: str, finish_reason: str = "stop") -> Graded:
    """Grade a response by comparing its value with the output. A text may lack its quotes.

    A Python prompt asks for a Python expression, so a list does not count as a tuple there.
    """
    is_text = isinstance(item.output, str)
    answer = find_value(
        response,
        is_value,
        entry_point=item.entry_point,
        is_text=is_text,
        keyed=canonical.tag_of(item.output) == "$d",
        finish_reason=finish_reason,
    )
    if answer.outcome:
        return grade_missing(answer)
    if is_text and answer.text == item.output.strip():
        return Graded(score=1.0, status="pass", how=answer.how)
    try:
        form = parse_value(answer.text)
    except AnswerError as error:
        return Graded(score=0.0, status="fail", detail=error.message, how=answer.how)
    mode: Mode = "written" if item.language == PYTHON and item.mode == "loose" else item.mode
    if item.language != PYTHON:
        form = with_text_keys(form)
    if outputs_equal(item.material, form, item.output, mode, strip=item.strip):
        return Graded(score=1.0, status="pass", how=answer.how)
    return Graded(score=0.0, status="fail", detail=f"answered {item.written(form)[:200]}", how=answer.how)


def start_reverse(
    item: UnderstandingItem, response: str, runner: Runner, *, every_line: bool = False, finish_reason: str = "stop"
) -> Callable[[], Graded]:
    """Start grading deduced arguments by a call in the sandbox and return a function that waits for the grade.

    Any arguments that produce the output count. With ``every_line`` each line must contain such arguments.
    """
    signature = _read_signature(item)
    answer = find_arguments(
        response, lambda text: _are_arguments(text, item.entry_point, signature), item.entry_point,
        list(signature.parameters), finish_reason=finish_reason,
    )  # fmt: skip
    if answer.outcome:
        return lambda: grade_missing(answer)
    texts = [line for line in response.splitlines() if line.strip()] if every_line else [answer.text]
    try:
        readings = [parse_arguments(text, item.entry_point, signature) for text in texts]
    except AnswerError as error:
        failed = Graded(score=0.0, status="fail", detail=error.message, how=answer.how)
        return lambda: failed
    calls = [call for reading in readings for call in reading]
    read_answers = _start_calls(item.material, calls, runner, limit_s=BASE_LIMIT_S, exhaust=item.drawn)
    return lambda: replace(_grade_readings(item, readings, read_answers()), how=answer.how)


def _are_arguments(text: str, entry_point: str, signature: inspect.Signature) -> bool:
    try:
        parse_arguments(text, entry_point, signature)
    except AnswerError:
        return False
    return True


def _read_signature(item: UnderstandingItem) -> inspect.Signature:
    if item.language == PYTHON:
        return read_python_signature(item.code, item.entry_point)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature([inspect.Parameter(name, kind) for name in foreign_signature(item.material).names])


def _grade_readings(
    item: UnderstandingItem, readings: Sequence[Sequence[CallArguments]], answers: Sequence[dict[str, Any]]
) -> Graded:
    if not readings:
        return Graded(score=0.0, status="no_answer", detail="the answer is empty")
    if not answers:
        raise ConstructionError(f"The code of the item {item.id} does not load, so nothing can be graded with it.")
    remaining_answers = iter(answers)
    for reading in readings:
        reading_answers = [next(remaining_answers) for _ in reading]
        if not any(
            "output" in answer and canonical.forms_equal(answer["output"], item.output, item.mode, strip=item.strip)
            for answer in reading_answers
        ):
            return Graded(score=0.0, status="fail", detail=_failure_reason(item, reading_answers[0]))
    return Graded(score=1.0, status="pass")


def _failure_reason(item: UnderstandingItem, answer: dict[str, Any]) -> str:
    if "output" in answer:
        return f"gives {item.written(answer['output'])[:200]}"
    if answer.get("timeout"):
        return "does not end in time"
    return f"raises {answer['raises']}" if "raises" in answer else "gives something that is no plain value"
