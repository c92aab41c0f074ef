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
        """Return what makes an equal message, for copies and for other processes."""
        return (self.template,), dict(self.fields)


def format_fields(template: str, values: Mapping[str, object]) -> str:
    """Put values in the place of a text's fields; braces in values and unknown fields stay as they are."""
    return _FIELD.sub(lambda field: str(values.get(field[1], field[0])), template) if values else template


def mark_word(text: str) -> Message:
    """Mark a word of a closed set, such as a kind or a grouping, to be translated where it fills a field."""
    return Message(text)


def message_for_count(one: str, many: str, count: int, /, **fields: object) -> Message:
    """Return one of two messages by a count, which also fills ``{count}``; it keeps only the fields it names."""
    template = one if count == 1 else many
    named = set(_FIELD.findall(template))
    return Message(template, **{name: value for name, value in {"count": count, **fields}.items() if name in named})


def join_messages(parts: Iterable[Message]) -> Message:
    """Return messages one after the other as one, "none" without any."""
    return reduce(
        lambda joined, part: Message("{parts}, {part}", parts=joined, part=part), list(parts) or [Message("none")]
    )


def match_template(text: str, templates: Iterable[str]) -> str:
    """Return a kept English text as the message of the first template that makes it; the text itself if none does."""
    for template in templates:
        parts = _FIELD.split(template)
        # The odd parts are the names of fields.
        pattern = "".join(f"(?P<{part}>.+)" if at % 2 else re.escape(part) for at, part in enumerate(parts))
        found = re.fullmatch(pattern, text, re.DOTALL)
        if found:
            return Message(template, **found.groupdict())
    return text


def as_document(text: str) -> Document | None:
    """Return a message as what JSON holds, None for a text that is no message."""
    if not isinstance(text, Message):
        return None
    fields = {
        name: as_document(value) if isinstance(value, Message) else str(value) for name, value in text.fields.items()
    }
    return {"template": text.template, "fields": fields}


def from_document(text: str, document: object) -> str:
    """Return the message that was stored beside its English ``text``; the text itself if they do not agree."""
    found = _read(document)
    return found if found == text and found is not None else text


def _read(document: object) -> Message | None:
    if not isinstance(document, dict) or not isinstance(document.get("template"), str):
        return None
    fields = document.get("fields")
    if not isinstance(fields, dict):
        return None
    values = {
        str(name): (_read(value) or "") if isinstance(value, dict) else str(value) for name, value in fields.items()
    }
    return Message(document["template"], **values)


def encode(text: str) -> str:
    """Return a message as a line of JSON, empty for a text that is no message."""
    document = as_document(text)
    return json.dumps(document, ensure_ascii=False) if document else ""
