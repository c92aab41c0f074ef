"""Prompt templates, which are named, versioned texts with placeholders, and suggestions asked for with them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.base.records import record_from
from annotator.llm.client import Asker
from annotator.llm.requests import ChatMessage, Decoding, Endpoint, Request

_PLACEHOLDER = re.compile(r"\{\{\s*([a-z][a-z0-9_]*)\s*\}\}")
TEXT_LIMIT = 200_000


@dataclass(frozen=True, slots=True)
class PromptExample:
    """A few-shot example: (placeholder, value) pairs for the template, and the answer."""

    values: tuple[tuple[str, str], ...]
    answer: str

    def as_json(self) -> dict[str, str]:
        """Return the example as a JSON object: a field for every placeholder, and ``answer``."""
        return {**dict(self.values), "answer": self.answer}


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A prompt in two forms: ``system`` and ``user`` for chat models, ``completion`` for base models.

    ``{{name}}`` is replaced by the value of that name in one pass, so braces inside a value are left alone. A protocol
    with shots shows ``examples``, formatted with the template itself.
    """

    name: str
    version: str
    user: str
    system: str = ""
    completion: str = ""
    examples: tuple[PromptExample, ...] = ()

    @property
    def hash(self) -> str:
        """A digest of the texts; templates with the same digest ask the same, except for examples."""
        return content_hash([self.system, self.user, self.completion])

    @property
    def places(self) -> tuple[str, ...]:
        """The names of the placeholders in all forms, in order."""
        texts = "\n".join((self.system, self.user, self.completion))
        return tuple(dict.fromkeys(_PLACEHOLDER.findall(texts)))

    def messages(self, values: Mapping[str, str], shots: int = 0) -> tuple[ChatMessage, ...]:
        """Return the chat, with ``shots`` examples as earlier turns.

        Raises `BadInputError` for a missing value, and if there are fewer examples.
        """
        system = _fill(self.system, values, self.name)
        turns = [ChatMessage("system", system)] if system.strip() else []
        for example in self._first_examples(shots):
            turns.append(ChatMessage("user", _fill(self.user, dict(example.values), self.name)))
            turns.append(ChatMessage("assistant", example.answer))
        return (*turns, ChatMessage("user", _fill(self.user, values, self.name)))

    def prompt(self, values: Mapping[str, str], shots: int = 0) -> str:
        """Return the text for a base model to continue, after ``shots`` examples separated by blank lines.

        Without ``completion`` it consists of ``system`` and ``user``. Raises the same errors as `messages`.
        """
        text = self.completion or self.user
        parts = [
            f"{_fill(text, dict(example.values), self.name)}\n{example.answer}\n\n"
            for example in self._first_examples(shots)
        ]
        if not self.completion and (system := _fill(self.system, values, self.name)).strip():
            parts.insert(0, f"{system}\n")
        return "".join((*parts, _fill(text, values, self.name)))

    def _first_examples(self, shots: int) -> tuple[PromptExample, ...]:
        if shots > len(self.examples):
            raise BadInputError(
                f"The protocol shows {shots} examples, and the template {self.name} has {len(self.examples)}. "
                "Add examples to the template, or show fewer."
            )
        return self.examples[:shots]

    def as_json(self) -> dict[str, Any]:
        """Return the template as a JSON object that `parse_template` reads."""
        row = {attribute.name: getattr(self, attribute.name) for attribute in fields(self)}
        return row | {"examples": [example.as_json() for example in self.examples]}


def parse_template(row: Any) -> Template:
    """Parse the result of `Template.as_json`. Raises `BadInputError` naming an invalid field."""
    if not isinstance(row, Mapping):
        raise BadInputError("A template must be an object with name, version and user.")
    field_names = {attribute.name for attribute in fields(Template)}
    for name, value in row.items():
        if name not in field_names:
            raise BadInputError(f"A template has no field {name}; there are: {', '.join(sorted(field_names))}.")
        if name == "examples":
            continue
        if not isinstance(value, str) or len(value) > TEXT_LIMIT:
            raise BadInputError(f"The template's {name} must be text of at most {TEXT_LIMIT:,} characters.")
    for name in ("name", "version", "user"):
        if not row.get(name, "").strip():
            raise BadInputError(f"The template has no {name}.")
    template = Template(**{**row, "examples": _parse_examples(row.get("examples", ()))})
    for number, example in enumerate(template.examples, start=1):
        missing = set(template.places) - {name for name, _ in example.values}
        if missing:
            raise BadInputError(f"Example {number} of the template has no {', '.join(sorted(missing))}.")
    return template


def _parse_examples(rows: Any) -> tuple[PromptExample, ...]:
    if not isinstance(rows, (list, tuple)):
        raise BadInputError("The template's examples must be a list.")
    examples = []
    for number, row in enumerate(rows, start=1):
        has_texts = isinstance(row, Mapping) and all(isinstance(value, str) for value in row.values())
        if not has_texts or not row.get("answer", "").strip() or len(str(row)) > TEXT_LIMIT:
            raise BadInputError(
                f"Example {number} of the template must have an answer and a text for every placeholder of the "
                f"template, of at most {TEXT_LIMIT:,} characters together."
            )
        values = tuple((str(name), value) for name, value in row.items() if name != "answer")
        examples.append(PromptExample(values, row["answer"]))
    return tuple(examples)


def _fill(text: str, values: Mapping[str, str], name: str) -> str:
    def value(match: re.Match[str]) -> str:
        filled = values.get(match[1])
        if filled is None:
            available = ", ".join(sorted(values)) or "none"
            raise BadInputError(
                f"The template {name} needs {{{{{match[1]}}}}}, which has no value here. Available are: {available}."
            )
        return filled

    return _PLACEHOLDER.sub(value, text)


DECLINED = "The model declined to make this suggestion. Try another model, or write it by hand."


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSuggestion:
    """A model's proposal. ``model`` is the one that answered; ``prompt`` holds the messages as sent.

    ``template`` is the template's name and version. ``complete`` is False if the answer was cut at the token limit.
    """

    text: str
    model: str
    prompt: tuple[ChatMessage, ...]
    usage: Mapping[str, int] = field(default_factory=dict)
    template: str = ""
    complete: bool = True
    request_hash: str = ""


@dataclass(frozen=True, slots=True)
class Helper:
    """A model that makes suggestions, with its endpoint and decoding."""

    asker: Asker
    endpoint: Endpoint
    model: str
    decoding: Decoding = field(default_factory=lambda: Decoding(temperature=0.2, max_tokens=2000))


def ask_for_suggestion(
    helper: Helper, template: Template, values: Mapping[str, str], *, sample: int = 0
) -> ModelSuggestion:
    """Ask for one suggestion; another ``sample`` gives a different one.

    Raises `BadInputError` if a value of the template is missing or the model refused or returned nothing, and the
    errors of `Client.ask`.
    """
    request = Request(
        endpoint=helper.endpoint.identity,
        model=helper.model,
        messages=template.messages(values),
        decoding=helper.decoding,
        sample=sample,
    )
    answer = helper.asker.ask(request)
    if answer.outcome == "refusal":
        raise BadInputError(DECLINED)
    if not answer.text.strip():
        raise BadInputError("The model returned nothing. Try again, or allow more tokens.")
    return record_from(
        ModelSuggestion,
        answer,
        prompt=request.messages,
        template=f"{template.name} {template.version}",
        complete=answer.outcome != "truncated",
    )
