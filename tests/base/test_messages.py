"""Messages: English strings that remember their template and fields."""

from __future__ import annotations

import copy
import json

import pytest

from annotator.base.messages import (
    Message,
    encode_message,
    join_messages,
    mark_word,
    match_template,
    message_document,
    message_for_count,
    message_from_document,
)

LABEL = Message("Undo: {label}", label=Message("Accept {title}", title="Sort {x} a list"))


def test_a_message_is_its_english_text() -> None:
    assert LABEL == "Undo: Accept Sort {x} a list"
    assert Message("{a} of {b}", a=1, b="{a}") == "1 of {a}"
    assert message_for_count("{count} item", "{count} items", 1) == "1 item"
    assert message_for_count("{count} item", "{count} items", 2) == "2 items"


def test_copies_remember_template_and_fields() -> None:
    copied = copy.deepcopy(LABEL)
    assert (copied, copied.template, copied.fields) == (LABEL, LABEL.template, LABEL.fields)
    assert isinstance(copied.fields["label"], Message)


@pytest.mark.parametrize("message", [LABEL, Message("Clear the quotas"), Message("By {by}", by=mark_word("domain"))])
def test_a_message_comes_back_from_json(message: Message) -> None:
    found = message_from_document(str(message), json.loads(encode_message(message)))
    assert isinstance(found, Message)
    assert (found, found.template, found.fields) == (message, message.template, message.fields)


@pytest.mark.parametrize(
    "document",
    [None, [], "x", {}, {"template": 1, "fields": {}}, {"template": "Accept {title}", "fields": []},
     {"template": "Accept {title}", "fields": {"title": "other"}},
     {"template": "Accept {title}", "fields": {"title": {"template": 1}}}],
)  # fmt: skip
def test_what_does_not_agree_with_the_english_text_is_passed_over(document: object) -> None:
    found = message_from_document("Accept Sort a list", document)
    assert found == "Accept Sort a list" and not isinstance(found, Message)


def test_a_plain_text_has_no_document() -> None:
    assert message_document("Accept it") is None and encode_message("Accept it") == ""


def test_a_kept_text_is_read_as_the_first_template_that_makes_it() -> None:
    templates = ("uses a {sign} hash", "uses {new} instead of {old}", "uses {new}")
    found = match_template("uses [i + 1] instead of {x}", templates)
    assert isinstance(found, Message)
    assert (found, found.template) == ("uses [i + 1] instead of {x}", "uses {new} instead of {old}")
    assert found.fields == {"new": "[i + 1]", "old": "{x}"}
    other = match_template("what a model wrote", templates)
    assert other == "what a model wrote" and not isinstance(other, Message)


def test_joined_messages_keep_their_parts() -> None:
    joined = join_messages(Message("{name} {count}", name=mark_word(name), count=2) for name in ("easy", "hard"))
    assert joined == "easy 2, hard 2"
    assert all(isinstance(part, Message) for part in joined.fields.values())
    assert join_messages(()) == "none"
