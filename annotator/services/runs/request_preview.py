"""Preview the exact request that a model will get for a subject, before there is a release or a run."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.base.errors import BadInputError
from annotator.evaluation.presets import Protocol
from annotator.evaluation.prompts import build_question
from annotator.llm.requests import Request
from annotator.services.runs import run_setups
from annotator.services.runs.run_log import body_text
from annotator.services.runs.run_plan import engine_item
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import stored_subjects
from annotator.store.runs import run_data, stored_releases

MODEL = "…"
"""Placeholder for the model's name."""
_PLAIN = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPreview:
    """A subject's request under one of the project's protocols: its text, or why it cannot be built."""

    subject_id: str
    protocols: tuple[Protocol, ...]
    chosen: str
    text: str = ""
    problem: str = ""


def preview_request(store: ProjectFile, subject_id: str, protocol: str = "") -> RequestPreview:
    """Return the first request that a protocol makes of a subject, from its saved texts.

    The default protocol is that of the project's newest run, else the plain one. Raises `BadInputError` for an unknown
    subject.
    """
    protocols = run_setups.list_protocols(store)
    with store.read() as db:
        item = engine_item(stored_releases.current_item(db, stored_subjects.find_subject(db, subject_id).id))
        preset = protocol or run_data.newest_preset(db)
    names = {one.name for one in protocols}
    protocol_name = preset if preset in names else _PLAIN
    try:
        return RequestPreview(
            subject_id=item["id"],
            protocols=protocols,
            chosen=protocol_name,
            text=_text(item, run_setups.protocol_named(store, protocol_name)),
        )
    except BadInputError as error:
        return RequestPreview(subject_id=item["id"], protocols=protocols, chosen=protocol_name, problem=error.message)


def _text(item: dict[str, object], protocol: Protocol) -> str:
    question = build_question(item, protocol)
    decoding = protocol.pass_of(0).decoding
    request = Request(
        endpoint="",
        model=MODEL,
        form=protocol.form,
        messages=question.messages,
        prompt=question.prompt,
        suffix=question.suffix,
        decoding=decoding,
    )
    return body_text(request.body())
