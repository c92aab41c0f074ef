"""The requests of a run, generated lazily, one per item and sample; and their outcomes, asked or replayed."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass

from annotator.evaluation.item_prompts import build_question
from annotator.evaluation.presets import Protocol
from annotator.evaluation.released_items import Item, text_of
from annotator.llm.answers import Answer, ModelOutput, normalise_finish_reason
from annotator.llm.endpoint_errors import RequestFailedError
from annotator.llm.requests import Endpoint, Request


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRequest:
    """One request of a run. ``hash`` is the hash of ``request``; ``label`` is the name of the decoding pass.

    ``family`` is the item's task family, from which the length of its answer is estimated.
    """

    item_id: str
    item_key: str
    sample: int
    label: str
    template: str
    request: Request
    hash: str
    family: str = ""

    @property
    def id(self) -> tuple[str, int]:
        """The key of the response within its run: item id and sample."""
        return self.item_id, self.sample


@dataclass(frozen=True, slots=True)
class AnsweredRequest:
    """A request with its answer. ``cost`` is 0 for a cached answer."""

    planned: PlannedRequest
    answer: Answer
    cost: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedRequest:
    """A request that got no answer in all its attempts and can be retried. ``cause`` is a short name to group by.

    ``costly`` means that the last attempt returned, or may have returned, a paid answer that cannot be read. ``began``
    is the monotonic time of the first attempt.
    """

    planned: PlannedRequest
    cause: str
    reason: str
    attempts: int
    costly: bool = False
    began: float = 0.0


def plan_requests(
    items: Iterable[Item], protocol: Protocol, model: str, endpoint: Endpoint, *, again: int = 0
) -> Iterator[PlannedRequest]:
    """Yield every request of a run, the samples of an item together; the same input gives the same hashes.

    With ``again`` above 0, requests that already have an answer are sent once more. Raises `BadInputError` at an item
    that has no prompt.
    """
    for item in items:
        question = build_question(item, protocol)
        for sample in range(protocol.samples):
            decoding_pass = protocol.pass_of(sample)
            request = Request(
                endpoint=endpoint.identity,
                model=model,
                form=protocol.form,
                messages=question.messages,
                prompt=question.prompt,
                suffix=question.suffix,
                decoding=decoding_pass.decoding,
                sample=sample,
                again=again,
            )
            yield PlannedRequest(
                item_id=str(item["id"]),
                item_key=str(item.get("key", "")),
                sample=sample,
                label=decoding_pass.label,
                template=question.template,
                request=request,
                hash=request.hash,
                family=text_of(item, "task"),
            )


def pending_requests(
    planned: Iterable[PlannedRequest], stored: Container[tuple[str, int, str]]
) -> Iterator[PlannedRequest]:
    """Yield requests without a stored response. ``stored`` holds (item id, sample, request hash) of every response."""
    return (request for request in planned if (request.item_id, request.sample, request.hash) not in stored)


def replay_answers(
    recorded: Mapping[tuple[str, int], tuple[str, str]], model: str
) -> Callable[[PlannedRequest], Answer]:
    """Return a function that answers from recordings: (item key, sample) → (text, finish reason).

    It raises `RequestFailedError` for a response that was not recorded.
    """

    def ask(planned: PlannedRequest) -> Answer:
        recording = recorded.get((planned.item_key, planned.sample))
        if recording is None:
            raise RequestFailedError("This response was not recorded.", "not recorded", 1)
        text, recorded_reason = recording
        finish = normalise_finish_reason(recorded_reason)
        content = ModelOutput(text=text, finish_reason=finish, model=model, usage={})
        return Answer(
            request_hash=planned.hash,
            text=text,
            finish_reason=finish,
            outcome=content.outcome,
            model=model,
            cached=True,
        )

    return ask
