"""Prompt templates: named, versioned texts with places for values, all of which can be edited."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.llm.requests import Message

_PLACE = re.compile(r"\{\{\s*([a-z][a-z0-9_]*)\s*\}\}")
TEXT_LIMIT = 200_000


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt in two forms: ``system`` and ``user`` for chat models, ``completion`` for base models.

    ``{{name}}`` is replaced by the value of that name, in one pass: braces inside a value are left alone.
    """

    name: str
    version: str
    user: str
    system: str = ""
    completion: str = ""

    @property
    def hash(self) -> str:
        """A digest of the texts: two templates with the same one ask the same."""
        return content_hash([self.system, self.user, self.completion])

    @property
    def places(self) -> tuple[str, ...]:
        """The names of all values that some form needs, in order."""
        texts = "\n".join((self.system, self.user, self.completion))
        return tuple(dict.fromkeys(_PLACE.findall(texts)))

    def messages(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """Return the chat. Raises `BadInputError` naming a value that is missing."""
        system = _fill(self.system, values, self.name)
        user = Message("user", _fill(self.user, values, self.name))
        return (Message("system", system), user) if system.strip() else (user,)

    def prompt(self, values: Mapping[str, str]) -> str:
        """Return the text a base model continues; without one of its own it is the system's and the user's text."""
        if self.completion:
            return _fill(self.completion, values, self.name)
        return "\n".join(message.content for message in self.messages(values))

    def as_json(self) -> dict[str, str]:
        """Return the template as a JSON object that `parse_template` reads."""
        return {item.name: getattr(self, item.name) for item in fields(self)}


def parse_template(row: Any) -> Template:
    """Read what `Template.as_json` wrote. Raises `BadInputError` naming the field that does not fit."""
    if not isinstance(row, Mapping):
        raise BadInputError("A template must be an object with name, version and user.")
    known = {item.name for item in fields(Template)}
    for name, value in row.items():
        if name not in known:
            raise BadInputError(f"A template has no field {name}; there are: {', '.join(sorted(known))}.")
        if not isinstance(value, str) or len(value) > TEXT_LIMIT:
            raise BadInputError(f"The template's {name} must be text of at most {TEXT_LIMIT:,} characters.")
    for name in ("name", "version", "user"):
        if not row.get(name, "").strip():
            raise BadInputError(f"The template has no {name}.")
    return Template(**row)


def _fill(text: str, values: Mapping[str, str], name: str) -> str:
    def value(match: re.Match[str]) -> str:
        found = values.get(match[1])
        if found is None:
            there = ", ".join(sorted(values)) or "none"
            raise BadInputError(
                f"The template {name} needs {{{{{match[1]}}}}}, which is not there; there are: {there}."
            )
        return found

    return _PLACE.sub(value, text)
