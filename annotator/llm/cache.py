"""A cache of answers by the hash of their request: what was paid for is not paid again."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import replace
from typing import Protocol

from annotator.llm.answers import Answer
from annotator.llm.client import Asker
from annotator.llm.requests import Request


class AnswerCache(Protocol):
    """Where answers are kept. The store implements it; both methods may be called from any thread."""

    def get(self, request_hash: str) -> Answer | None:
        """Return the answer of that request, or None."""
        ...

    def put(self, answer: Answer) -> None:
        """Keep an answer under its ``request_hash``."""
        ...


class CachedAsker:
    """Asks only what the cache does not hold; threads that ask the same at once wait for one answer.

    To pay for an answer again, raise `Request.again`.
    """

    def __init__(self, asker: Asker, cache: AnswerCache) -> None:
        """Put ``cache`` before ``asker``."""
        self._asker, self._cache = asker, cache
        # None until somebody else waits for the answer.
        self._under_way: dict[str, Future[Answer] | None] = {}
        self._lock = threading.Lock()

    def ask(self, request: Request) -> Answer:
        """Return the answer, ``cached`` if nothing was paid; raises what the asker raises."""
        digest = request.hash
        other: Future[Answer] | None = None
        with self._lock:
            if digest in self._under_way:
                other = self._under_way[digest] = self._under_way[digest] or Future()
            else:
                self._under_way[digest] = None
        if other is not None:
            return replace(other.result(), cached=True)
        try:
            # Only now: whoever asked the same before has put its answer into the cache before leaving its place.
            found = self._cache.get(digest)
            answer = replace(found, cached=True) if found is not None else self._asker.ask(request)
            if found is None:
                self._cache.put(answer)
        except BaseException as error:
            waiting = self._leave(digest)
            if waiting is not None:
                waiting.set_exception(error)
            raise
        waiting = self._leave(digest)
        if waiting is not None:
            waiting.set_result(answer)
        return answer

    def _leave(self, digest: str) -> Future[Answer] | None:
        """Leave the place; returns where others wait for what came of it."""
        with self._lock:
            return self._under_way.pop(digest)
