"""Messages: English sentences that remember their template and fields, so that the window can translate them.

A service writes ``Message("{count} items are flagged.", count=3)``. It is a string, so commands, logs and files use it
as it is; the window translates the template and fills the fields again (`annotator.ui.app.translation.tr_message`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Self

_FIELD = re.compile(r"\{(\w+)\}")

Document = dict[str, object]
"""A message as JSON: its template, and its fields with texts or documents as values."""


class Message(str):
    """An English text with its ``template`` and ``fields``; a field may be a message of its own.

    ``template`` is a literal, so that the catalogue can be made from the code. A text without fields is its own
    template; a value that is a plain text, such as a title or a name, is never translated.
    """

    __slots__ = ("fields", "template")
    template: str
    fields: Mapping[str, object]

    def __new__(cls, template: str, /, **fields: object) -> Self:
        """Fill the fields of a template."""
        message = super().__new__(cls, format_fields(template, fields))
        message.template, message.fields = template, fields
        return message

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, object]]:
        """Return the arguments that recreate this message, for `copy` and pickle."""
        return (self.template,), dict(self.fields)


def format_fields(template: str, values: Mapping[str, object]) -> str:
    """Replace a template's fields by values; braces in values and unknown fields are left unchanged."""
    return _FIELD.sub(lambda field: str(values.get(field[1], field[0])), template) if values else template


def mark_word(text: str) -> Message:
    """Mark a word of a closed set, such as a kind or a grouping, to be translated where it fills a field."""
    return Message(text)


def message_for_count(singular: str, plural: str, count: int, /, **fields: object) -> Message:
    """Return the singular or plural message for a count, which also fills ``{count}``; unused fields are dropped."""
    template = singular if count == 1 else plural
    names = set(_FIELD.findall(template))
    return Message(template, **{name: value for name, value in {"count": count, **fields}.items() if name in names})


def join_messages(parts: Iterable[Message]) -> Message:
    """Join messages with commas into one; return "none" if there are none."""
    return reduce(
        lambda joined, part: Message("{parts}, {part}", parts=joined, part=part), list(parts) or [Message("none")]
    )


def match_template(text: str, templates: Iterable[str]) -> str:
    """Return a stored English text as a message of the first template that matches it, or unchanged if none does."""
    for template in templates:
        parts = _FIELD.split(template)
        # re.split with a group alternates: text at even positions, field names at odd ones.
        pattern = "".join(f"(?P<{part}>.+)" if index % 2 else re.escape(part) for index, part in enumerate(parts))
        match = re.fullmatch(pattern, text, re.DOTALL)
        if match:
            return Message(template, **match.groupdict())
    return text


def message_document(text: str) -> Document | None:
    """Return a message as a JSON-able document, or None for a plain text."""
    if not isinstance(text, Message):
        return None
    fields = {
        name: message_document(value) if isinstance(value, Message) else str(value)
        for name, value in text.fields.items()
    }
    return {"template": text.template, "fields": fields}


def message_from_document(text: str, document: object) -> str:
    """Return the message stored beside its English ``text``, or the plain text if the two differ."""
    message = _parse_document(document)
    return message if message == text and message is not None else text


def _parse_document(document: object) -> Message | None:
    if not isinstance(document, dict) or not isinstance(document.get("template"), str):
        return None
    fields = document.get("fields")
    if not isinstance(fields, dict):
        return None
    values = {
        str(name): (_parse_document(value) or "") if isinstance(value, dict) else str(value)
        for name, value in fields.items()
    }
    return Message(document["template"], **values)


def encode_message(text: str) -> str:
    """Return a message as a line of JSON, or an empty text for a plain text."""
    document = message_document(text)
    return json.dumps(document, ensure_ascii=False) if document else ""
