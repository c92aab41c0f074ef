"""What a run asks: one request per item and sample, made as it is needed, so that a plan costs no memory."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from annotator.evaluation.items import Item
from annotator.evaluation.presets import Protocol
from annotator.evaluation.prompts import build
from annotator.llm import Endpoint, Request


@dataclass(frozen=True, slots=True)
class Planned:
    """One request of a run. ``hash`` is its request's; ``label`` names the pass; ``template`` what it was made from."""

    item_id: str
    item_key: str
    sample: int
    label: str
    template: str
    request: Request
    hash: str

    @property
    def id(self) -> tuple[str, int]:
        """What tells the responses of a run apart."""
        return self.item_id, self.sample


def plan(
    items: Iterable[Item], protocol: Protocol, model: str, endpoint: Endpoint, *, again: int = 0
) -> Iterator[Planned]:
    """Yield every request of a run, the samples of an item together; the same input gives the same hashes.

    ``again`` above 0 asks anew what was answered before. Raises `BadInputError` at an item that cannot be asked.
    """
    for item in items:
        question = build(item, protocol)
        for sample in range(protocol.samples):
            chosen = protocol.pass_of(sample)
            request = Request(
                endpoint=endpoint.identity,
                model=model,
                form=protocol.form,
                messages=question.messages,
                prompt=question.prompt,
                suffix=question.suffix,
                decoding=chosen.decoding,
                sample=sample,
                again=again,
            )
            yield Planned(
                str(item["id"]),
                str(item.get("key", "")),
                sample,
                chosen.label,
                question.template,
                request,
                request.hash,
            )


def pending(planned: Iterable[Planned], stored: Container[tuple[str, int, str]]) -> Iterator[Planned]:
    """Yield what is not stored yet. ``stored`` holds (item id, sample, request hash) of every response on disk."""
    return (item for item in planned if (item.item_id, item.sample, item.hash) not in stored)
