"""Score responses against one document (criterion specification, part B, section 1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from annotator.criteria.document.criterion_document import CriterionDocument, Handler
from annotator.criteria.document.keys import METRICS
from annotator.criteria.metrics import handlers
from annotator.criteria.metrics.blank_filling import Alignment, align_responses, score_blanks
from annotator.criteria.metrics.conditions import ConditionError
from annotator.criteria.metrics.keywords import KeywordScorer
from annotator.criteria.metrics.python_syntax import score_syntax
from annotator.criteria.metrics.rule_results import CriterionScore, MetricScore, NotScoredError, RuleResult
from annotator.criteria.metrics.unit_tests import PendingTests, collect_unit_tests, start_unit_tests
from annotator.criteria.metrics.whole_answer import score_similarity, score_value
from annotator.sandbox import Runner
from annotator.sandbox.sandbox_jobs import UNSETTLED


def score_by_criterion(
    document: CriterionDocument, response: str, *, sandbox: Runner | None = None, only: Iterable[str] | None = None
) -> CriterionScore:
    """Score a response: points are summed over the metrics, clipped, divided by the total, times the full score.

    ``sandbox`` runs unit tests and handlers; ``only`` restricts the metrics. If a part of the document cannot be
    judged, the response is not scored, with the reason; the other parts are still reported. Scores can be below 0.
    """
    return next(score_all_by_criterion(document, [response], sandbox=sandbox, only=only))


def score_all_by_criterion(
    document: CriterionDocument,
    responses: Sequence[str],
    *,
    sandbox: Runner | None = None,
    only: Iterable[str] | None = None,
    spans: bool = True,
) -> Iterator[CriterionScore]:
    """Score responses to one document and yield the results in order; the same text is scored once.

    Templates are aligned with many responses at once, and the tests of all responses are queued in the sandbox
    together, so pass as many as fit in memory with their results. Without ``spans``, the places of keyword matches are
    not reported, which is faster.
    """
    work = _DocumentScoring(document, list(dict.fromkeys(responses)), sandbox, only, spans=spans)
    scored: dict[str, CriterionScore] = {}
    for response in responses:
        result = scored.get(response)
        if result is None:
            result = scored[response] = work.score(response)
        yield result


class _DocumentScoring:
    """One document, prepared for some responses."""

    def __init__(
        self,
        document: CriterionDocument,
        texts: Sequence[str],
        sandbox: Runner | None,
        only: Iterable[str] | None,
        *,
        spans: bool,
    ) -> None:
        used_metrics = document.metrics
        self._metrics = [metric for metric in METRICS if metric in used_metrics and (only is None or metric in only)]
        self._document = document
        self._sandbox = sandbox
        self._keyword_scorer = KeywordScorer(document.keywords, spans=spans)
        # With keywords alone and without places, the result depends only on which rules matched, so it can be cached.
        self._is_cacheable = self._metrics == ["keywords"] and document.keywords_handler is None and not spans
        self._cached_scores: dict[tuple[bool | None, ...], CriterionScore] = {}
        self._aligned: dict[str, Alignment] = {}
        if document.blanks is not None and "blank_filling" in self._metrics:
            self._aligned = align_responses(document.blanks, texts)
        self._pending: dict[str, PendingTests] = {}
        if "unit_test" in self._metrics and sandbox is not None:
            self._pending = {text: start_unit_tests(document.tests, text, sandbox) for text in texts}

    def score(self, response: str) -> CriterionScore:
        """Score one of the responses."""
        return self._score_keywords_only(response) if self._is_cacheable else self._score_all_metrics(response)

    def _score_keywords_only(self, response: str) -> CriterionScore:
        results, problems = self._keyword_scorer.score(response)
        if problems:
            return self._total_score(tuple(results), {"keywords": _sum_results(results)[0]}, problems)
        matched = tuple([result.matched for result in results])
        cached = self._cached_scores.get(matched)
        if cached is None:
            cached = self._cached_scores[matched] = self._total_score(
                tuple(results), {"keywords": _sum_results(results)[0]}, problems
            )
        return cached

    def _score_all_metrics(self, response: str) -> CriterionScore:
        rules: list[RuleResult] = []
        metrics: dict[str, MetricScore] = {}
        reasons: list[str] = []
        for metric in self._metrics:
            try:
                score, results = self._score_metric(metric, response, reasons)
            except (NotScoredError, ConditionError) as error:
                reasons.append(f"{metric.replace('_', ' ')}: {error}")
            else:
                metrics[metric] = score
                rules += results
        return self._total_score(tuple(rules), metrics, reasons)

    def _total_score(
        self, rules: tuple[RuleResult, ...], metrics: dict[str, MetricScore], reasons: list[str]
    ) -> CriterionScore:
        """Return the total score, or why the response cannot be scored."""
        document = self._document
        if reasons:
            return _not_scored("; ".join(reasons), rules, metrics)
        points = total = 0.0
        for metric in metrics.values():
            points += metric.points
            total += metric.total
        if document.max_score:
            total = document.max_score
            points = min(points, total)
        if document.min_score is not None:
            points = max(points, document.min_score)
        if total == 0:
            return _not_scored("the weights add up to zero", rules, metrics, points, total)
        score = points / total * document.full_score
        return CriterionScore(
            points=points,
            total=total,
            score=score,
            status="scored",
            reason="",
            rules=rules,
            metrics=metrics,
            unsettled=_find_doubt(rules),
        )

    def _score_metric(self, metric: str, response: str, reasons: list[str]) -> tuple[MetricScore, list[RuleResult]]:
        document = self._document
        if metric == "keywords":
            return self._score_keywords(response, reasons)
        if metric == "blank_filling":
            return self._score_blanks(response)
        if metric == "unit_test":
            return self._score_tests(response)
        if metric == "customized":
            return self._score_customized(response)
        if metric == "similarity":
            return _sum_results([score_similarity(rule, response) for rule in document.similarity])
        if metric == "ast":
            return _sum_results([score_syntax(rule, response) for rule in document.syntax])
        return _sum_results([score_value(rule, response) for rule in document.values if rule.metric == metric])

    def _score_keywords(self, response: str, reasons: list[str]) -> tuple[MetricScore, list[RuleResult]]:
        results, problems = self._keyword_scorer.score(response)
        reasons += problems
        score, _ = _sum_results(results)
        handler = self._document.keywords_handler
        if handler is not None and not problems:
            score = self._apply_handler(
                handler, score, ["match" if result.matched else "unmatch" for result in results]
            )
        return score, results

    def _score_blanks(self, response: str) -> tuple[MetricScore, list[RuleResult]]:
        rule = self._document.blanks
        assert rule is not None
        results = score_blanks(rule, response, self._aligned.get(response))
        score, _ = _sum_results(results)
        if rule.handler is not None:
            score = self._apply_handler(rule.handler, score, [result.detail for result in results])
        return score, results

    def _apply_handler(self, handler: Handler, score: MetricScore, context: list[str]) -> MetricScore:
        points, total, detail = handlers.call_handler(handler, [score.points, score.total, context], self._sandbox)
        return MetricScore(points, total, {"handler": detail})

    def _score_tests(self, response: str) -> tuple[MetricScore, list[RuleResult]]:
        if self._sandbox is None:
            raise NotScoredError("unit tests need the sandbox, which is not available; annotator doctor says why")
        return _sum_results(collect_unit_tests(self._pending[response]))

    def _score_customized(self, response: str) -> tuple[MetricScore, list[RuleResult]]:
        handler = self._document.customized
        assert handler is not None
        points, total, detail = handlers.call_handler(handler, [response], self._sandbox)
        label = f"{handler.module}.{handler.function}"
        matched = total > 0 and points >= total
        result = RuleResult(
            metric="customized",
            label=label,
            matched=matched,
            points=points,
            total=total,
            spans=(),
            why="",
            detail=str(detail)[:500],
            line=handler.line,
        )
        return MetricScore(points, total, {"detail": detail}), [result]


def _not_scored(
    reason: str,
    rules: tuple[RuleResult, ...],
    metrics: dict[str, MetricScore],
    points: float | None = None,
    total: float | None = None,
) -> CriterionScore:
    return CriterionScore(
        points=points, total=total, score=None, status="not_scored", reason=reason, rules=rules, metrics=metrics
    )


def _find_doubt(rules: Sequence[RuleResult]) -> str:
    """Return the most serious doubt about a test's verdict; empty if there is none."""
    doubts = {rule.unsettled for rule in rules}
    return next((kind for kind in reversed(UNSETTLED) if kind in doubts), "")


def _sum_results(results: list[RuleResult]) -> tuple[MetricScore, list[RuleResult]]:
    points = total = 0.0
    for result in results:
        points += result.points
        total += result.total
    return MetricScore(points, total), results
