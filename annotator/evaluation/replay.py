"""Answer a plan from recorded responses: no endpoint, no key, no cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from annotator.evaluation.planning import Planned
from annotator.llm import Answer, RequestFailedError
from annotator.llm.answers import Content


def replay(recorded: Mapping[tuple[str, int], tuple[str, str]], model: str) -> Callable[[Planned], Answer]:
    """Return a function that answers as recorded: (item key, sample) → (text, finish reason).

    It raises `RequestFailedError` for what was not recorded.
    """

    def ask(planned: Planned) -> Answer:
        found = recorded.get((planned.item_key, planned.sample))
        if found is None:
            raise RequestFailedError("This response was not recorded.", "not recorded", 1)
        text, finish = found
        content = Content(text, finish, model, {})
        return Answer(planned.hash, text, finish, content.outcome, model, cached=True)

    return ask
