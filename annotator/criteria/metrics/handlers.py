"""Handlers: Python functions by a suite's authors that score a response. They are untrusted and run in the sandbox.

The two handlers of the published suite have built-in versions (specification, part B, 8) for when their files are
missing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from annotator.criteria.document.criterion_document import Handler
from annotator.criteria.metrics.rule_results import NotScoredError
from annotator.sandbox import Job, Limits, Runner

HandlerResult = tuple[float, float, object]
_RESULT_MARK = "annotator-handler-result:"
# A handler is untrusted code that may never return.
_TIMEOUT_S = 20.0


def call_handler(handler: Handler, arguments: Sequence[Any], runner: Runner | None) -> HandlerResult:
    """Call a handler with JSON arguments; return points, total and detail. Raises `NotScoredError`."""
    built_in = _BUILT_IN_HANDLERS.get((handler.module.rpartition(".")[2], handler.function))
    if not handler.source:
        if built_in is None:
            raise NotScoredError(f"the file of the handler {handler.module} is missing")
        return built_in(*arguments)
    if runner is None:
        if built_in is not None:
            return built_in(*arguments)
        raise NotScoredError(
            "handlers are untrusted code and need the sandbox, which is not available; annotator doctor says why"
        )
    return _call_in_sandbox(handler, arguments, runner)


def _call_in_sandbox(handler: Handler, arguments: Sequence[Any], runner: Runner) -> HandlerResult:
    program = (
        f"{handler.source}\n\nimport json as _json, sys as _sys\n"
        f"_given = _json.loads(_sys.stdin.read())\n_got = {handler.function}(*_given)\n"
        f"print({_RESULT_MARK!r} + _json.dumps([float(_got[0]), float(_got[1]), _got[2]], default=str))\n"
    )
    job = Job(
        id="handler",
        language="python",
        code=program,
        stdin=json.dumps(list(arguments)),
        limits=Limits(wall_s=_TIMEOUT_S, cpu_s=_TIMEOUT_S),
    )
    result = runner.submit(job).result()
    lines = [line for line in result.stdout.splitlines() if line.startswith(_RESULT_MARK)]
    if result.outcome != "pass" or not lines:
        raise NotScoredError(f"the handler {handler.module} failed: {result.message or 'it gave no result'}")
    points, total, detail = json.loads(lines[-1].removeprefix(_RESULT_MARK))
    return float(points), float(total), detail


def _score_clipboard(points: float, total: float, details: Sequence[str]) -> HandlerResult:
    """The post-handler of the blanks of case 0-0-21: two ways to copy text, the older one worth half."""
    del points, total
    captured = details[0].partition("response string: ")[2].rpartition(", ans: ")[0] if details else ""
    earned = 2.0 if "navigator.clipboard.writeText" in captured else 0.0
    if ".select()" in captured and 'document.execCommand("copy")' in captured:
        earned += 1.0
    return min(earned, 2.0), 2.0, list(details)


def _score_log_before_end(response: str) -> HandlerResult:
    """The custom handler of case 0-0-38: the log call must come before the end of the callback."""
    log = "console.log(this.newIds)"
    end = "});"
    if log not in response or end not in response:
        return 0.0, 1.0, "not all found"
    if response.find(log) < response.find(end):
        return 1.0, 1.0, "all found"
    return 0.0, 1.0, "all found but wrong placement"


_BUILT_IN_HANDLERS: dict[tuple[str, str], Callable[..., HandlerResult]] = {
    ("handler_0-0-21", "handler"): _score_clipboard,
    ("handler_0-0-38", "handle"): _score_log_before_end,
}
