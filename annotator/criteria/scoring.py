"""Score one response against one document (criterion specification, part B, section 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from annotator.criteria import handlers
from annotator.criteria.blanks import score_blanks
from annotator.criteria.conditions import ConditionError
from annotator.criteria.document import CriterionDocument, Handler
from annotator.criteria.keywords import score_keywords
from annotator.criteria.results import MetricScore, NotScoredError, RuleResult, Scored
from annotator.criteria.similarity import score_similarity
from annotator.criteria.syntax import score_syntax
from annotator.criteria.unit_tests import Runner, score_tests
from annotator.criteria.values import score_value

ORDER = ("keywords", "blank_filling", "unit_test", "similarity", "customized", "equals", "number", "json", "ast")


def score(
    document: CriterionDocument, response: str, *, sandbox: Runner | None = None, only: Iterable[str] | None = None
) -> Scored:
    """Score a response: points are summed over the metrics, clipped, divided by the total, times the full score.

    ``sandbox`` runs unit tests and handlers; ``only`` restricts to some metrics. A document with a part that cannot be
    judged here is not scored, with the reason; what was judged is still reported. Scores below 0 are possible.
    """
    work = _Scoring(document, response, sandbox)
    for metric in ORDER:
        if only is None or metric in only:
            work.run(metric)
    return work.sum_up()


class _Scoring:
    def __init__(self, document: CriterionDocument, response: str, sandbox: Runner | None) -> None:
        self._document, self._response, self._sandbox = document, response, sandbox
        self._rules: list[RuleResult] = []
        self._metrics: dict[str, MetricScore] = {}
        self._reasons: list[str] = []

    def run(self, metric: str) -> None:
        """Score one metric if the document has it."""
        steps: dict[str, Callable[[], None]] = {
            "keywords": self._keywords,
            "blank_filling": self._blanks,
            "unit_test": self._tests,
            "customized": self._customized,
        }
        try:
            steps.get(metric, lambda: self._plain(metric))()
        except (NotScoredError, ConditionError) as error:
            self._reasons.append(f"{metric.replace('_', ' ')}: {error}")

    def sum_up(self) -> Scored:
        """Return the whole, or why there is none."""
        rules = tuple(self._rules)
        if self._reasons:
            return Scored(None, None, None, "not_scored", "; ".join(self._reasons), rules, self._metrics)
        points = sum(metric.points for metric in self._metrics.values())
        total = sum(metric.total for metric in self._metrics.values())
        if self._document.max_score:
            total = self._document.max_score
            points = min(points, total)
        if self._document.min_score is not None:
            points = max(points, self._document.min_score)
        if total == 0:
            return Scored(points, total, None, "not_scored", "the weights add up to zero", rules, self._metrics)
        return Scored(points, total, points / total * self._document.full_score, "scored", "", rules, self._metrics)

    def _keep(self, metric: str, results: Iterable[RuleResult], extra: dict[str, object] | None = None) -> None:
        found = list(results)
        if not found:
            return
        self._rules += found
        points, total = sum(result.points for result in found), sum(result.total for result in found)
        self._metrics[metric] = MetricScore(points, total, extra or {})

    def _keywords(self) -> None:
        document = self._document
        if not document.keywords and document.keywords_handler is None:
            return
        results, reasons = score_keywords(document.keywords, self._response)
        self._keep("keywords", results)
        self._reasons += reasons
        if document.keywords_handler is not None and not reasons:
            context = ["match" if result.matched else "unmatch" for result in results]
            self._handled("keywords", document.keywords_handler, context)

    def _blanks(self) -> None:
        rule = self._document.blanks
        if rule is None:
            return
        results = score_blanks(rule, self._response)
        self._keep("blank_filling", results)
        if rule.handler is not None:
            self._handled("blank_filling", rule.handler, [result.detail for result in results])

    def _handled(self, metric: str, handler: Handler, context: list[str]) -> None:
        before = self._metrics.get(metric, MetricScore(0.0, 0.0))
        points, total, detail = handlers.call(handler, [before.points, before.total, context], self._sandbox)
        self._metrics[metric] = MetricScore(points, total, {"handler": detail})

    def _tests(self) -> None:
        if self._document.tests:
            self._keep("unit_test", score_tests(self._document.tests, self._response, self._sandbox))

    def _customized(self) -> None:
        handler = self._document.customized
        if handler is None:
            return
        points, total, detail = handlers.call(handler, [self._response], self._sandbox)
        label = f"{handler.module}.{handler.function}"
        matched = total > 0 and points >= total
        result = RuleResult("customized", label, matched, points, total, (), "", str(detail)[:500], handler.line)
        self._keep("customized", [result], {"detail": detail})

    def _plain(self, metric: str) -> None:
        document, response = self._document, self._response
        rules: dict[str, tuple[Any, ...]] = {"similarity": document.similarity, "ast": document.syntax}
        scorers: dict[str, Callable[[Any, str], RuleResult]] = {"similarity": score_similarity, "ast": score_syntax}
        found = rules.get(metric, tuple(rule for rule in document.values if rule.metric == metric))
        scorer = scorers.get(metric, score_value)
        self._keep(metric, [scorer(rule, response) for rule in found])
