"""Keyword rules (criterion specification, part B, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import regex

from annotator.criteria.document.criterion_document import KeywordRule, Leaf, RuleGroup
from annotator.criteria.metrics import conditions
from annotator.criteria.metrics.rule_results import (
    REGEX_SECONDS,
    PatternTimeoutError,
    RuleResult,
    Spans,
    compile_pattern,
    find_offsets,
    literal_text,
    pattern_spans,
    pattern_timeout,
    untimed_length,
)
from annotator.text.code_spans import only_code

_Matcher = Callable[[str, list[str]], bool]
"""Tells whether a rule matches a text, given ``match`` or ``unmatch`` for each rule before it."""
_Normalizer = Callable[[str], str]
"""Converts a text of the criterion to the text to search for."""


@dataclass(frozen=True, slots=True)
class SearchText:
    """A text derived from a response; ``offsets`` has the offset of each character in the response, None if unknown."""

    text: str
    offsets: Sequence[int] | None

    def spans_in_response(self, spans: Spans) -> Spans:
        """Convert spans of the text to spans of the response."""
        if self.offsets is None:
            return ()
        return tuple((self.offsets[start], self.offsets[end - 1] + 1) for start, end in spans if end > start)


def search_text_of(
    response: str, *, to_lower: bool = False, ignore_space: bool = False, code_only: bool = False
) -> SearchText:
    """Return the text that a rule with these flags searches."""
    # Without the filler, pieces of code that prose separates would be joined when white space is removed.
    text = only_code(response, filler="\0" if ignore_space else " ") if code_only else response
    offsets: Sequence[int] | None = range(len(text))
    if ignore_space:
        offsets = [index for index, letter in enumerate(text) if not letter.isspace()]
        text = "".join(text.split())
    if to_lower:
        lowered = text.lower()
        # Lowering can change a text's length; then the offsets are unknown.
        offsets = offsets if len(lowered) == len(text) else None
        text = lowered
    return SearchText(text, offsets)


def search_target(text: str, *, to_lower: bool, ignore_space: bool) -> str:
    """Return the text to search for, changed in the same way as the searched text."""
    text = "".join(text.split()) if ignore_space else text
    return text.lower() if to_lower else text


class KeywordScorer:
    """The keyword rules of a document, prepared once for many responses."""

    def __init__(self, rules: Sequence[KeywordRule], *, spans: bool = True) -> None:
        """Prepare the rules; without ``spans``, results have no spans and no missing texts, which is faster."""
        self._rules = [_PreparedRule(rule) for rule in rules]
        self._spans = spans

    def score(self, response: str) -> tuple[list[RuleResult], list[str]]:
        """Return the rules' results, and the reasons why rules could not be judged."""
        results: list[RuleResult] = []
        reasons: list[str] = []
        context: list[str] = []
        search_texts: dict[tuple[bool, bool, bool], SearchText] = {}
        for prepared_rule in self._rules:
            search_text = search_texts.get(prepared_rule.flags)
            if search_text is None:
                to_lower, ignore_space, code_only = prepared_rule.flags
                search_text = search_texts[prepared_rule.flags] = search_text_of(
                    response, to_lower=to_lower, ignore_space=ignore_space, code_only=code_only
                )
            try:
                if prepared_rule.matches(search_text.text, context):
                    result = prepared_rule.found_in(search_text) if self._spans else prepared_rule.matched_result
                    context_word = "match"
                else:
                    result = prepared_rule.not_found_in(search_text) if self._spans else prepared_rule.unmatched_result
                    context_word = "unmatch"
            except (PatternTimeoutError, conditions.ConditionError) as error:
                reasons.append(f"line {prepared_rule.rule.line}: {error}")
                result = prepared_rule.unjudged(str(error))
                context_word = "unmatch"
            context.append(context_word)
            results.append(result)
        return results, reasons


class _PreparedRule:
    def __init__(self, rule: KeywordRule) -> None:
        self.rule = rule
        self.flags = (rule.to_lower, rule.ignore_space, rule.code_only)
        self._normalize = partial(search_target, to_lower=rule.to_lower, ignore_space=rule.ignore_space)
        self.matches = _make_matcher(rule.content, self._normalize)
        self._total = 0.0 if rule.neg else rule.weight
        self._points = -rule.weight if rule.neg else rule.weight
        self.matched_result = self._make_result(True, "found")
        self.unmatched_result = self._make_result(False, "not found")

    def _make_result(self, matched: bool | None, detail: str, spans: Spans = ()) -> RuleResult:
        rule = self.rule
        return RuleResult(
            metric="keywords",
            label=rule.label,
            matched=matched,
            points=self._points if matched else 0.0,
            total=self._total,
            spans=spans,
            why=rule.why,
            detail=detail,
            line=rule.line,
        )

    def unjudged(self, reason: str) -> RuleResult:
        """Return the result of a rule that could not be judged."""
        return self._make_result(None, reason)

    def found_in(self, search_text: SearchText) -> RuleResult:
        """Return the result of a match with its spans in the response."""
        if search_text.offsets is None:
            return self.matched_result
        spans: set[tuple[int, int]] = set()
        _collect_matches(self.rule.content, search_text.text, self._normalize, spans)
        return self._make_result(True, "found", search_text.spans_in_response(tuple(sorted(spans))))

    def not_found_in(self, search_text: SearchText) -> RuleResult:
        """Return the result of a rule without a match, naming the missing texts if others of the rule were found."""
        node = self.rule.content
        if isinstance(node, Leaf) or any(isinstance(child, RuleGroup) or child.cond for child in node.children):
            return self.unmatched_result
        missing = [
            child.text
            for child in node.children
            if isinstance(child, Leaf)
            and not _leaf_matcher(self._normalize(child.text), child.regex)(search_text.text, [])
        ]
        if not 0 < len(missing) < len(node.children):
            return self.unmatched_result
        return replace(self.unmatched_result, detail=f"not found: {', '.join(missing)}")


def _make_matcher(node: Leaf | RuleGroup, normalize: _Normalizer) -> _Matcher:
    """Return a function that tells whether a content tree matches a text."""
    if isinstance(node, Leaf):
        text = normalize(node.text)
        return _with_condition(_leaf_matcher(text, node.regex), node.cond, text)
    children = [_make_matcher(child, normalize) for child in node.children]
    needed = node.needed
    tries_all = any(_has_condition(child) for child in node.children)

    def matches_group(text: str, context: list[str]) -> bool:
        missing = needed
        remaining = len(children)
        for child in children:
            if not tries_all and not 0 < missing <= remaining:
                break
            missing -= child(text, context)
            remaining -= 1
        return missing <= 0

    return _with_condition(matches_group, node.cond, "")


def _has_condition(node: Leaf | RuleGroup) -> bool:
    """Return whether a tree has a condition. It can raise, so all nodes are tried, as in the reference scorer."""
    if node.cond:
        return True
    return isinstance(node, RuleGroup) and any(_has_condition(child) for child in node.children)


def _leaf_matcher(target: str, is_regex: bool) -> _Matcher:
    literal = literal_text(target) if is_regex else target
    if literal is not None:
        return lambda text, _: literal in text

    max_untimed_length = untimed_length(target)
    pattern: regex.Pattern[str] | None = None

    def search(text: str, _: list[str]) -> bool:
        nonlocal pattern
        try:
            if pattern is None:
                pattern = compile_pattern(target)
            if len(text) <= max_untimed_length:
                return pattern.search(text) is not None
            return pattern.search(text, timeout=REGEX_SECONDS) is not None
        except TimeoutError as error:
            raise pattern_timeout() from error

    return search


def _with_condition(matcher: _Matcher, cond: str, answer: str) -> _Matcher:
    if not cond:
        return matcher

    def matches_and_holds(text: str, context: list[str]) -> bool:
        if not matcher(text, context):
            return False
        names: dict[str, Any] = {"context": list(context), "ans": answer, "response": text}
        return conditions.condition_holds(conditions.parse_condition(cond), names)

    return matches_and_holds


def _collect_matches(node: Leaf | RuleGroup, text: str, normalize: _Normalizer, spans: set[tuple[int, int]]) -> None:
    """Add the spans where any leaf matches, even in branches that did not decide, so that highlights are complete."""
    if isinstance(node, RuleGroup):
        for child in node.children:
            _collect_matches(child, text, normalize, spans)
        return
    target = normalize(node.text)
    if node.regex:
        spans.update(pattern_spans(target, text) or ())
    else:
        spans.update((offset, offset + len(target)) for offset in find_offsets(target, text))
