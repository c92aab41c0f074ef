"""Make wrong answers from a criterion and its question that must not pass."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

import rstr

from annotator.criteria.document.criterion_document import BlankTarget, CriterionDocument, Leaf, RuleGroup
from annotator.criteria.metrics.extraction import fenced_code_of
from annotator.text.python_tree import tree_or_empty

_REFUSAL = "I'm sorry, but I can't help with that request. Please consult the official documentation or a professional."
_UNRELATED = (
    "To set this up, open the settings of the project and look for the section on deployment. There you can choose a "
    "region and a plan, and the platform will take care of the rest. Make sure that the account has the permissions it "
    "needs, and wait for a few minutes until the change is visible. If it does not work, have a look at the logs. "
)
_EXCERPT_DIVISOR = 5
_CONSTANTS = ("None", "0", "1", "True", "''", "[]", "{}")
_SCRIPT_PARAMETERS = {"javascript": "...args", "typescript": "...args: any[]"}
_SCRIPT_CONSTANTS = ("null", "0", "1", "true", "''", "[]", "{}")
_SCRIPT_NAME = re.compile(
    r"^(?:export\s+(?:default\s+)?)?(?:async\s+)?(?:function\s*\*?|const|let|var)\s+([\w$]+)", re.MULTILINE
)
_FILLERS = ("0", "42", "Yes.", "It depends.")
_SAMPLE_LIMIT = 400
_STUFFING_LIMIT = 20_000
_OTHER_LANGUAGE_PROGRAMS = {
    "python": ("javascript", "function solve(...args) {{\n  return args[0];\n}}\nconsole.log(solve(1));\n"),
    "": ("python", "def {name}(*args):\n    return args[0] if args else None\n\nprint({name}(1))\n"),
}


@dataclass(frozen=True, slots=True)
class Impostor:
    """An answer that must not pass; ``kind`` is the kind of cheat or mistake."""

    kind: str
    label: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedQuestion:
    """The question of a criterion: the prompt as models see it, the reference answer and the entry point."""

    prompt: str
    reference: str = ""
    entry_point: str = ""
    language: str = ""
    tests: tuple[str, ...] = ()
    """Code of the tests that score answers if there is no document."""


def make_impostors(document: CriterionDocument | None, question: JudgedQuestion) -> tuple[Impostor, ...]:
    """Return an empty answer, the echoed prompt, a refusal, constants, stuffing, another language and failing examples.

    Without a document they are made for the question's tests.
    """
    candidates = [
        Impostor("empty", "an empty answer", ""),
        Impostor("echo", "the prompt, repeated", question.prompt),
        Impostor("refusal", "a refusal", _REFUSAL),
        *(
            Impostor("constant", f"the answer {text}", text)
            for text in _FILLERS
            if not _is_right_answer(document, text)
        ),
        *_constant_code(document, question),
        _stuffed_answer(document, question),
        *_dissimilar_answers(document, question),
        _answer_in_other_language(document, question),
        *(
            Impostor("example", f"the example in line {example.line}", example.answer)
            for example in (document.examples if document else ())
            if not example.passes
        ),
    ]
    reference = question.reference.strip()
    return tuple(
        item for item in candidates if item.kind == "empty" or (item.text.strip() and item.text.strip() != reference)
    )


def _is_right_answer(document: CriterionDocument | None, text: str) -> bool:
    """Return whether a filler happens to be the right value, so that it is not an impostor."""
    values = document.values if document else ()
    return any(str(rule.value).strip().lower() == text.rstrip(".").lower() for rule in values)


def _test_language(document: CriterionDocument | None, question: JudgedQuestion) -> str:
    """Return the language of the tests; empty if there are none."""
    if document is None:
        return question.language.lower() if question.tests else ""
    return document.tests[0].language if document.tests else ""


def _constant_code(document: CriterionDocument | None, question: JudgedQuestion) -> Iterator[Impostor]:
    """Yield code whose functions, named as in the reference, return a constant (Python, JavaScript, TypeScript)."""
    language = _test_language(document, question)
    if language in _SCRIPT_PARAMETERS:
        names = list(dict.fromkeys(_SCRIPT_NAME.findall(fenced_code_of(question.reference)))) or [question.entry_point]
        for constant in _SCRIPT_CONSTANTS if any(names) else ():
            body = "\n".join(
                f"function {name}({_SCRIPT_PARAMETERS[language]}) {{ return {constant}; }}" for name in names if name
            )
            yield Impostor("constant", f"code that returns {constant}", f"```{language}\n{body}\n```")
    if language != "python":
        return
    signatures = _function_signatures(fenced_code_of(question.reference)) or (
        [f"def {question.entry_point.rpartition('.')[2]}(*args, **kwargs):"] if question.entry_point else []
    )
    for constant in _CONSTANTS if signatures else ():
        body = "\n\n".join(f"{signature}\n    return {constant}" for signature in signatures)
        yield Impostor("constant", f"code that returns {constant}", f"```python\n{body}\n```")


def _function_signatures(code: str) -> list[str]:
    functions = (node for node in tree_or_empty(code).body if isinstance(node, ast.FunctionDef))
    return [f"def {node.name}(*args, **kwargs):" for node in functions]


def _stuffed_answer(document: CriterionDocument | None, question: JudgedQuestion) -> Impostor:
    """Return an answer that strings together everything the criterion searches for."""
    label = "all texts that the criterion searches for, strung together"
    language = _test_language(document, question)
    tests = [test.code for test in document.tests] if document else list(question.tests)
    parts = _searched_texts(document) if document else []
    if tests:
        code = "\n".join(tests)
        parts.append(f"```{language}\n{code}\n```")
    return Impostor("stuffing", label, "\n".join(parts)[:_STUFFING_LIMIT])


def _searched_texts(document: CriterionDocument) -> list[str]:
    parts: list[str] = []
    for rule in document.keywords:
        if not rule.neg:
            texts = _searched_texts_of_node(rule.content)
            parts += ["```", *texts, "```"] if rule.code_only else texts
    parts += [str(rule.value) for rule in document.values]
    parts += [alternative.text for target in _blank_targets(document) for alternative in target.alternatives[:1]]
    parts += [rule.name + "()" for rule in document.syntax if not rule.absent]
    for similar in document.similarity:
        words = similar.references[0].split()
        random.Random(len(words)).shuffle(words)
        parts.append(" ".join(words))
    return parts


def _blank_targets(document: CriterionDocument) -> tuple[BlankTarget, ...]:
    return document.blanks.targets if document.blanks else ()


def _dissimilar_answers(document: CriterionDocument | None, question: JudgedQuestion) -> Iterator[Impostor]:
    """If texts are compared, yield unrelated prose as long as the reference, and the first fifth of the reference."""
    words = question.reference.split()
    if document is None or not document.similarity or len(words) < 2 * _EXCERPT_DIVISOR:
        return
    prose = _UNRELATED.split()
    unrelated = (prose * (len(words) // len(prose) + 1))[: len(words)]
    yield Impostor("unrelated", "prose about something else", " ".join(unrelated))
    yield Impostor("beginning", "the first fifth of the reference", " ".join(words[: len(words) // _EXCERPT_DIVISOR]))


def _searched_texts_of_node(node: Leaf | RuleGroup) -> list[str]:
    if isinstance(node, Leaf):
        return [pattern_sample(node.text) if node.regex else node.text]
    return [text for child in node.children for text in _searched_texts_of_node(child)]


def pattern_sample(pattern: str) -> str:
    """Return a text that a regular expression matches; if none is found, the pattern without special characters."""
    maker = rstr.Rstr(random.Random(pattern))
    try:
        for _ in range(5):
            text = str(maker.xeger(pattern))[:_SAMPLE_LIMIT]
            if re.search(pattern, text):
                return text
    except (re.error, KeyError, NotImplementedError, OverflowError, RecursionError, ValueError, TypeError):
        pass
    return re.sub(r"\\[a-zA-Z]|[\\^$.|?*+()\[\]{}]", "", pattern)[:_SAMPLE_LIMIT]


def _answer_in_other_language(document: CriterionDocument | None, question: JudgedQuestion) -> Impostor:
    """Return an answer in a language that was not asked for."""
    expected_language = _test_language(document, question) or question.language.lower()
    language, program = _OTHER_LANGUAGE_PROGRAMS.get(expected_language, _OTHER_LANGUAGE_PROGRAMS[""])
    code = program.format(name=question.entry_point.rpartition(".")[2] or "solve")
    return Impostor("language", f"an answer in {language}", f"```{language}\n{code}```")
