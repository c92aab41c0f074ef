"""Recorded responses as runs: which model they are of, and whether they answer what would be asked now."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.open_files import refuse_project
from annotator.evaluation.planning import PlannedRequest, replay
from annotator.evaluation.presets import Protocol, parse_protocol
from annotator.evaluation.prompts import Question, build
from annotator.formats.interchange.responses import read_responses
from annotator.formats.read.candidates import RecordedResponse, RowError
from annotator.llm.answers import UNKNOWN_END
from annotator.llm.requests import Message as ChatMessage
from annotator.llm.requests import Request
from annotator.model.tables.run import Run
from annotator.services.runs.execution import Recording
from annotator.services.runs.run_plan import engine_item, protocol_of, recorded_protocol

Frozen = Sequence[Mapping[str, Any]]
"""The items of a release."""


def read_file(path: Path, item_order: Callable[[], Sequence[str]] = tuple) -> list[RecordedResponse]:
    """Return the responses of a file; ``item_order`` is as in `read_responses`.

    Raises `BadInputError` naming its bad rows, or if it holds none.
    """
    rows = list(read_responses(path, item_order))
    good = [row for row in rows if not isinstance(row, RowError)]
    bad = [row for row in rows if isinstance(row, RowError)]
    if bad:
        raise BadInputError(
            f"{path.name} has {len(bad)} bad row{'s' * (len(bad) > 1)}, so no run was started. "
            "Mend the file and try again.",
            details=tuple(str(error) for error in bad[:50]),
        )
    if not good:
        raise BadInputError(f"{path.name} holds no responses, so no run was started.")
    return good


def named(rows: Sequence[RecordedResponse], models: Sequence[str], name: str, file: str) -> list[RecordedResponse]:
    """Return the responses of some models (of all, if none are named); ``name`` is that of rows that tell no model.

    Raises `BadInputError` if there are such rows and no name, or if a model named is not in the file.
    """
    told = [row if row.is_model_named else replace(row, model=name) for row in rows]
    if not name and any(not row.is_model_named for row in rows):
        raise BadInputError(f"{file} does not say which model answered. Give the model's name, and try again.")
    present = list(dict.fromkeys(row.model for row in told))
    missing = [model for model in models if model not in present]
    if missing:
        raise BadInputError(
            f"{file} has no responses of {', '.join(missing)}. It has: {', '.join(present)}. No run was started."
        )
    return [row for row in told if not models or row.model in models]


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """The responses of one model that have a place in a run.

    ``elsewhere`` answer no item of the release, ``other_prompt`` were asked something else than the run asks, of
    ``untold`` nobody knows what they were asked, of ``unended`` why they ended.
    """

    rows: tuple[RecordedResponse, ...]
    protocol: Protocol
    elsewhere: int
    other_prompt: int
    untold: int
    unended: int

    def with_test_timeout(self, seconds: float) -> Placed:
        """Return the same with that limit for tests that name none."""
        row = self.protocol.as_json() | {"test_timeout_s": seconds}
        return replace(self, protocol=parse_protocol(row))


def place(rows: Sequence[RecordedResponse], frozen: Frozen, protocol: Protocol | None) -> Placed:
    """Sort the responses of one model by whether they answer what a protocol asks about the items of a release."""
    names = names_of(frozen)
    here = [row for row in rows if row.subject in names]
    asked = _Asked(frozen, protocol)
    fitting = [row for row in here if not row.prompt or asked.is_same(names[row.subject][0], row.prompt)]
    used = protocol or recorded_protocol(1 + max((row.sample for row in fitting), default=0))
    return Placed(
        rows=tuple(row for row in fitting if row.sample < used.samples),
        protocol=used,
        elsewhere=len(rows) - len(here),
        other_prompt=len(here) - len(fitting),
        untold=sum(not row.prompt for row in fitting),
        unended=sum(row.finish_reason == UNKNOWN_END for row in fitting),
    )


class _Asked:
    """What is asked about items: by a protocol, else their prompts as they stand in the release."""

    def __init__(self, frozen: Frozen, protocol: Protocol | None) -> None:
        self._items = {str(item["id"]): item for item in frozen}
        self._protocol = protocol
        self._questions: dict[str, Question] = {}

    def question(self, item_id: str) -> Question:
        """Return the question about an item."""
        found = self._questions.get(item_id)
        if found is None:
            item = self._items[item_id]
            found = Question("", messages=(ChatMessage("user", str(item.get("prompt") or "")),))
            if self._protocol is not None:
                # What it was run with elsewhere may need what the item here lacks.
                with contextlib.suppress(BadInputError):
                    found = build(engine_item(item), self._protocol)
            self._questions[item_id] = found
        return found

    def is_same(self, item_id: str, told: str) -> bool:
        """Tell whether a model was asked that.

        Without a protocol it may have been asked more around the item's prompt, by whoever ran it.
        """
        question, seen = self.question(item_id), " ".join(told.split())
        parts = [*(message.content for message in question.messages), question.prompt]
        asked = [" ".join(part.split()) for part in parts if part.strip()]
        if self._protocol is None:
            return asked[-1:] == [seen] or bool(asked and asked[-1] in seen)
        return seen in (asked[-1] if asked else "", " ".join(asked))


def names_of(frozen: Frozen) -> dict[str, tuple[str, str]]:
    """Return (id, key) of items by key, and by the part of the key after the format's name where that is unique."""
    found: dict[str, tuple[str, str]] = {}
    short: dict[str, list[tuple[str, str]]] = {}
    for item in frozen:
        entry = (str(item["id"]), str(item["key"]))
        found[entry[1]] = entry
        short.setdefault(entry[1].partition(":")[2], []).append(entry)
    for name, entries in short.items():
        if name and len(entries) == 1:
            found.setdefault(name, entries[0])
    return found


def digest_of(path: Path) -> str:
    """Return the hash of a file, by which it is known again."""
    refuse_project(path)
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def make_recording(run: Run, model: str, rows: Sequence[RecordedResponse], frozen: Frozen) -> Recording:
    """Return what a run's recorded responses plan and answer; of several to the same sample the last counts."""
    about = run.settings.get("replay") or {}
    protocol = protocol_of(run)
    asked = _Asked(frozen, protocol if about.get("asked") else None)
    names, where = names_of(frozen), f"recorded:{about.get('sha256', '')}"
    answers: dict[tuple[str, int], tuple[str, str]] = {}
    planned: dict[tuple[str, int], PlannedRequest] = {}
    for row in place(rows, frozen, protocol if about.get("asked") else None).rows:
        item_id, item_key = names[row.subject]
        if row.sample >= protocol.samples:
            continue
        question = asked.question(item_id)
        request = Request(
            endpoint=where,
            model=model,
            form=protocol.form if about.get("asked") else "chat",
            messages=question.messages,
            prompt=question.prompt,
            suffix=question.suffix,
            sample=row.sample,
        )
        label = protocol.pass_of(row.sample).label if about.get("asked") else ""
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
    # Together by item, so that what an item's answers share is done once.
    return Recording([planned[at] for at in sorted(planned)], replay(answers, model))


def recording_again(run: Run, model: str, answered: int, frozen: Frozen, path: Path | None) -> Recording | None:
    """Return the recording of a run that goes on; None if its file is not given and not needed.

    Raises `BadInputError` if it is needed, or is another file.
    """
    about = run.settings.get("replay") or {}
    if path is None:
        if answered < about.get("responses", 0):
            raise BadInputError(
                f"Not all of the recorded responses had been read. Give the file {about.get('file', '')} again."
            )
        return None
    if about.get("sha256") not in (None, digest_of(path)):
        raise BadInputError(f"{path.name} is not the file this run was started with ({about.get('file')}).")
    rows = named(read_file(path, lambda: [str(item["key"]) for item in frozen]), [model], model, path.name)
    return make_recording(run, model, rows, frozen)
