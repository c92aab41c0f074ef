"""Replay recorded responses as runs: choose the models, and check that the responses answer the same prompts."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.open_files import refuse_project
from annotator.evaluation.item_prompts import ModelQuestion, build_question
from annotator.evaluation.planning import PlannedRequest, replay_answers
from annotator.evaluation.presets import Protocol, parse_protocol
from annotator.formats.interchange.response_files import read_responses
from annotator.formats.read.import_records import ImportedResponse, RowError
from annotator.llm.answers import UNKNOWN_END
from annotator.llm.requests import ChatMessage as ChatMessage
from annotator.llm.requests import Request
from annotator.model.tables.run_tables import Run
from annotator.services.runs.execution import RecordedSource
from annotator.services.runs.run_plan import engine_item, protocol_of, recorded_protocol
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import stored_subjects
from annotator.store.runs import stored_releases

ReleasedItems = Sequence[Mapping[str, Any]]
"""The items of a release."""


def read_recorded_file(path: Path, item_order: Callable[[], Sequence[str]] = tuple) -> list[ImportedResponse]:
    """Return the responses in a file; ``item_order`` is as in `read_responses`.

    Raises `BadInputError` naming bad rows, or if there are no responses.
    """
    rows = list(read_responses(path, item_order))
    good = [row for row in rows if not isinstance(row, RowError)]
    bad = [row for row in rows if isinstance(row, RowError)]
    if bad:
        raise BadInputError(
            f"{path.name} has {len(bad)} bad row{'s' * (len(bad) > 1)}, so no run was started. "
            "Correct the file and try again.",
            details=tuple(str(error) for error in bad[:50]),
        )
    if not good:
        raise BadInputError(f"{path.name} contains no responses, so no run was started.")
    return good


def item_order(store: ProjectFile) -> tuple[str, ...]:
    """Return the item keys of the newest release in order; without a release, the candidates' in import order."""
    with store.read() as db:
        if not stored_releases.fetch_release_rows(db):
            return stored_subjects.list_keys(db)
    return load_release_order(store, None)


def load_release_order(store: ProjectFile, version: str | None) -> tuple[str, ...]:
    """Return the item keys of a release (None: the newest) in order."""
    with store.read() as db:
        return tuple(
            str(item["key"]) for item in stored_releases.items_of(db, stored_releases.fetch_release(db, version).id)
        )


def select_responses_of_models(
    rows: Sequence[ImportedResponse], models: Sequence[str], name: str, file: str
) -> list[ImportedResponse]:
    """Return the responses of some models (default: all); rows without a model get ``name``.

    Raises `BadInputError` if there are such rows and no name, or if a model is not in the file.
    """
    named_rows = [row if row.is_model_named else replace(row, model=name) for row in rows]
    if not name and any(not row.is_model_named for row in rows):
        raise BadInputError(f"{file} does not say which model answered. Give the model's name, and try again.")
    present = list(dict.fromkeys(row.model for row in named_rows))
    missing = [model for model in models if model not in present]
    if missing:
        raise BadInputError(
            f"{file} has no responses of {', '.join(missing)}. It has: {', '.join(present)}. No run was started."
        )
    return [row for row in named_rows if not models or row.model in models]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedResponses:
    """The responses of one model that fit a run, and counts of the others.

    ``unknown_item_count`` responses are for items outside the release, ``other_prompt_count`` for a different prompt.
    Of those that fit, ``unknown_prompt_count`` have no known prompt, ``unknown_finish_count`` no known finish reason.
    """

    rows: tuple[ImportedResponse, ...]
    protocol: Protocol
    unknown_item_count: int
    other_prompt_count: int
    unknown_prompt_count: int
    unknown_finish_count: int

    def counts_in(self, items: ReleasedItems) -> dict[str, int]:
        """Return the counts that are stored with the run."""
        names = item_names(items)
        return {
            "left_out": self.unknown_item_count,
            "other_prompt": self.other_prompt_count,
            "untold": self.unknown_prompt_count,
            "unended": self.unknown_finish_count,
            "responses": len({(names[row.subject], row.sample) for row in self.rows}),
        }

    def with_test_timeout(self, seconds: float) -> MatchedResponses:
        """Return a copy with this default time limit for tests."""
        row = self.protocol.as_json() | {"test_timeout_s": seconds}
        return replace(self, protocol=parse_protocol(row))


def match_responses(
    rows: Sequence[ImportedResponse], items: ReleasedItems, protocol: Protocol | None
) -> MatchedResponses:
    """Match the responses of one model with the prompts that a protocol makes of a release's items."""
    names = item_names(items)
    known_rows = [row for row in rows if row.subject in names]
    prompts = _Prompts(items, protocol)
    fitting = [row for row in known_rows if not row.prompt or prompts.is_same(names[row.subject][0], row.prompt)]
    effective_protocol = protocol or recorded_protocol(1 + max((row.sample for row in fitting), default=0))
    return MatchedResponses(
        rows=tuple(row for row in fitting if row.sample < effective_protocol.samples),
        protocol=effective_protocol,
        unknown_item_count=len(rows) - len(known_rows),
        other_prompt_count=len(known_rows) - len(fitting),
        unknown_prompt_count=sum(not row.prompt for row in fitting),
        unknown_finish_count=sum(row.finish_reason == UNKNOWN_END for row in fitting),
    )


class _Prompts:
    """The prompts of items: built by a protocol, or without one the items' own prompts."""

    def __init__(self, items: ReleasedItems, protocol: Protocol | None) -> None:
        self._items = {str(item["id"]): item for item in items}
        self._protocol = protocol
        self._questions: dict[str, ModelQuestion] = {}

    def question(self, item_id: str) -> ModelQuestion:
        """Return the prompt of an item."""
        prompt = self._questions.get(item_id)
        if prompt is None:
            item = self._items[item_id]
            prompt = ModelQuestion("", messages=(ChatMessage("user", str(item.get("prompt") or "")),))
            if self._protocol is not None:
                # The protocol may need a field that the item lacks; the plain prompt is used then.
                with contextlib.suppress(BadInputError):
                    prompt = build_question(engine_item(item), self._protocol)
            self._questions[item_id] = prompt
        return prompt

    def is_same(self, item_id: str, prompt: str) -> bool:
        """Return whether a recorded prompt is that of the item.

        Without a protocol the recorded prompt may have additional text around the item's prompt.
        """
        question = self.question(item_id)
        normalized = " ".join(prompt.split())
        parts = [*(message.content for message in question.messages), question.prompt]
        texts = [" ".join(part.split()) for part in parts if part.strip()]
        if self._protocol is None:
            return texts[-1:] == [normalized] or bool(texts and texts[-1] in normalized)
        return normalized in (texts[-1] if texts else "", " ".join(texts))


def item_names(items: ReleasedItems) -> dict[str, tuple[str, str]]:
    """Return key -> (id, key) of items; a key without its format prefix also works if it is unique."""
    by_name: dict[str, tuple[str, str]] = {}
    by_short_name: dict[str, list[tuple[str, str]]] = {}
    for item in items:
        entry = (str(item["id"]), str(item["key"]))
        by_name[entry[1]] = entry
        by_short_name.setdefault(entry[1].partition(":")[2], []).append(entry)
    for name, entries in by_short_name.items():
        if name and len(entries) == 1:
            by_name.setdefault(name, entries[0])
    return by_name


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file, to recognise it later."""
    refuse_project(path)
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def make_recording(run: Run, model: str, rows: Sequence[ImportedResponse], items: ReleasedItems) -> RecordedSource:
    """Return a run's recorded responses as planned requests with answers; the last response to a sample counts."""
    replay_settings = run.settings.get("replay") or {}
    protocol = protocol_of(run)
    prompts = _Prompts(items, protocol if replay_settings.get("asked") else None)
    names = item_names(items)
    source = f"recorded:{replay_settings.get('sha256', '')}"
    answers: dict[tuple[str, int], tuple[str, str]] = {}
    planned: dict[tuple[str, int], PlannedRequest] = {}
    for row in match_responses(rows, items, protocol if replay_settings.get("asked") else None).rows:
        item_id, item_key = names[row.subject]
        if row.sample >= protocol.samples:
            continue
        question = prompts.question(item_id)
        request = Request(
            endpoint=source,
            model=model,
            form=protocol.form if replay_settings.get("asked") else "chat",
            messages=question.messages,
            prompt=question.prompt,
            suffix=question.suffix,
            sample=row.sample,
        )
        label = protocol.pass_of(row.sample).label if replay_settings.get("asked") else ""
        answers[item_key, row.sample] = row.text, row.finish_reason
        planned[item_id, row.sample] = PlannedRequest(
            item_id=item_id,
            item_key=item_key,
            sample=row.sample,
            label=label,
            template=question.template,
            request=request,
            hash=request.hash,
        )
    # Sorted by item, so that work shared by an item's answers is done once.
    return RecordedSource([planned[place] for place in sorted(planned)], replay_answers(answers, model))


def reopen_recording(
    run: Run, model: str, answered: int, items: ReleasedItems, path: Path | None
) -> RecordedSource | None:
    """Return the recording for resuming a run, None if no file is given and all responses were read before.

    Raises `BadInputError` if the file is needed, or is not the one the run was started with.
    """
    replay_settings = run.settings.get("replay") or {}
    if path is None:
        if answered < replay_settings.get("responses", 0):
            raise BadInputError(
                f"Not all recorded responses had been read. Give the file {replay_settings.get('file', '')} again."
            )
        return None
    if replay_settings.get("sha256") not in (None, file_sha256(path)):
        raise BadInputError(f"{path.name} is not the file this run was started with ({replay_settings.get('file')}).")
    rows = select_responses_of_models(
        read_recorded_file(path, lambda: [str(item["key"]) for item in items]), [model], model, path.name
    )
    return make_recording(run, model, rows, items)
