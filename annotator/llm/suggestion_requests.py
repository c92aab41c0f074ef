"""Ask a model for a suggestion that a person then judges: an instruction, paraphrase, criterion or bug."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from annotator.base.errors import BadInputError
from annotator.base.records import record_from
from annotator.llm.client import Asker
from annotator.llm.requests import ChatMessage, Decoding, Endpoint, Request
from annotator.llm.templates import Template

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
