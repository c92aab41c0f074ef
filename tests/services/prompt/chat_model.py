"""A model that answers requests for the parts of a rewrite as chat models do: with talk, headings and fences of all
kinds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from annotator.llm.answers import Answer
from annotator.llm.requests import Endpoint, Request
from annotator.llm.templates import Helper

TITLES = {"python": "Python", "javascript": "JavaScript", "typescript": "TypeScript", "java": "Java", "c++": "C++"}


def step_of(request: str) -> str:
    """Return the part that a request asks for: task, tests or a language."""
    found = re.search(r"reference solution of this task in (\S+)\. It must", request)
    if found:
        return next(name for name, title in TITLES.items() if title == found[1])
    return "tests" if "Write the tests of this task" in request else "task"


class ChatModel:
    """Answers each part from a table: the first answer, then the second where it is asked again."""

    def __init__(self, answers: Mapping[str, tuple[str, ...]]) -> None:
        self.answers = {step: list(texts) for step, texts in answers.items()}
        self.asked: list[tuple[str, str]] = []
        self.before_answer: Callable[[str], None] = lambda step: None

    def reply(self, request: str) -> str:
        """Return the answer to a request."""
        step = step_of(request)
        self.before_answer(step)
        self.asked.append((step, request))
        texts = self.answers[step]
        return texts.pop(0) if len(texts) > 1 else texts[0]

    def ask(self, request: Request) -> Answer:
        text = self.reply(request.messages[-1].content)
        cut = text.endswith("<cut>")
        return Answer(
            request_hash=request.hash,
            text=text.removesuffix("<cut>"),
            finish_reason="length" if cut else "stop",
            outcome="truncated" if cut else "answer",
            model="chat-1",
            usage={"total_tokens": 5},
            seconds=0.1,
        )


class ListedModel:
    """Answers from a list, in the end always the same, and remembers what it was asked."""

    def __init__(self, *texts: str | Exception) -> None:
        self.texts, self.asked = list(texts), list[Request]()

    def ask(self, request: Request) -> Answer:
        self.asked.append(request)
        text = self.texts.pop(0) if len(self.texts) > 1 else self.texts[0]
        if isinstance(text, Exception):
            raise text
        return Answer(
            request_hash=request.hash,
            text=text,
            finish_reason="stop",
            outcome="answer",
            model="model-1",
            usage={"total_tokens": 7},
            seconds=0.1,
        )


def helper_of(model: ChatModel) -> Helper:
    """Return a helper that asks a model without a server."""
    return Helper(model, Endpoint(base_url="http://127.0.0.1:1/v1"), "asked")
