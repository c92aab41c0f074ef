"""A cache of answers by request hash, so that no answer is paid for twice."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import replace
from typing import Protocol

from annotator.llm.answers import Answer
from annotator.llm.client import Asker
from annotator.llm.requests import Request


class AnswerCache(Protocol):
    """A store of answers, implemented by the project's store; its methods may be called from any thread."""

    def get(self, request_hash: str) -> Answer | None:
        """Return the answer to the request with this hash, or None."""
        ...

    def store_answer(self, answer: Answer) -> None:
        """Keep an answer under its ``request_hash``."""
        ...


class CachedAsker:
    """Sends only requests that the cache cannot answer; threads with the same request wait for one answer.

    To pay for an answer again, increase `Request.again`.
    """

    def __init__(self, asker: Asker, cache: AnswerCache) -> None:
        self._asker, self._cache = asker, cache
        # The value is None until another thread waits for the same answer.
        self._under_way: dict[str, Future[Answer] | None] = {}
        self._lock = threading.Lock()

    def ask(self, request: Request) -> Answer:
        """Return the answer, marked ``cached`` if it cost nothing; raises what the asker raises."""
        digest = request.hash
        pending: Future[Answer] | None = None
        with self._lock:
            if digest in self._under_way:
                pending = self._under_way[digest] = self._under_way[digest] or Future()
            else:
                self._under_way[digest] = None
        if pending is not None:
            return replace(pending.result(), cached=True)
        try:
            # Looked up only now: an earlier thread stores its answer before it leaves its place.
            stored_answer = self._cache.get(digest)
            answer = replace(stored_answer, cached=True) if stored_answer is not None else self._asker.ask(request)
            if stored_answer is None:
                self._cache.store_answer(answer)
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
        """Remove the running request; return the future on which other threads wait, if any."""
        with self._lock:
            return self._under_way.pop(digest)
