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

Test = Callable[[str, list[str]], bool]
"""Tells whether a rule matches a text, given ``match`` or ``unmatch`` for each rule before it."""
Sought = Callable[[str], str]
"""Converts a text of the criterion to the text to search for."""


@dataclass(frozen=True, slots=True)
class SearchText:
    """A text derived from a response; ``places`` has the offset of each character in the response, None if unknown."""

    text: str
    places: Sequence[int] | None

    def in_response(self, spans: Spans) -> Spans:
        """Convert spans of the text to spans of the response."""
        if self.places is None:
            return ()
        return tuple((self.places[start], self.places[end - 1] + 1) for start, end in spans if end > start)


def search_text_of(
    response: str, *, to_lower: bool = False, ignore_space: bool = False, code_only: bool = False
) -> SearchText:
    """Return the text that a rule with these flags searches."""
    # Without the filler, pieces of code that prose separates would be joined when white space is removed.
    text = only_code(response, filler="\0" if ignore_space else " ") if code_only else response
    places: Sequence[int] | None = range(len(text))
    if ignore_space:
        places = [at for at, letter in enumerate(text) if not letter.isspace()]
        text = "".join(text.split())
    if to_lower:
        lowered = text.lower()
        # Lowering can change a text's length; then the offsets are unknown.
        places = places if len(lowered) == len(text) else None
        text = lowered
    return SearchText(text, places)


def search_target(text: str, *, to_lower: bool, ignore_space: bool) -> str:
    """Return the text to search for, changed in the same way as the searched text."""
    text = "".join(text.split()) if ignore_space else text
    return text.lower() if to_lower else text


class KeywordScorer:
    """The keyword rules of a document, prepared once for many responses."""

    def __init__(self, rules: Sequence[KeywordRule], *, spans: bool = True) -> None:
        """Prepare the rules; without ``spans``, results have no places and no missing texts, which is faster."""
        self._rules = [_ReadyRule(rule) for rule in rules]
        self._spans = spans

    def score(self, response: str) -> tuple[list[RuleResult], list[str]]:
        """Return the rules' results, and the reasons why rules could not be judged."""
        results: list[RuleResult] = []
        reasons: list[str] = []
        context: list[str] = []
        search_texts: dict[tuple[bool, bool, bool], SearchText] = {}
        for ready in self._rules:
            search_text = search_texts.get(ready.flags)
            if search_text is None:
                lower, spaceless, code = ready.flags
                search_text = search_texts[ready.flags] = search_text_of(
                    response, to_lower=lower, ignore_space=spaceless, code_only=code
                )
            try:
                if ready.matches(search_text.text, context):
                    result = ready.found_in(search_text) if self._spans else ready.found
                    word = "match"
                else:
                    result = ready.not_found_in(search_text) if self._spans else ready.not_found
                    word = "unmatch"
            except (PatternTimeoutError, conditions.ConditionError) as error:
                reasons.append(f"line {ready.rule.line}: {error}")
                result, word = ready.unjudged(str(error)), "unmatch"
            context.append(word)
            results.append(result)
        return results, reasons


class _ReadyRule:
    def __init__(self, rule: KeywordRule) -> None:
        self.rule = rule
        self.flags = (rule.to_lower, rule.ignore_space, rule.code_only)
        self._sought = partial(search_target, to_lower=rule.to_lower, ignore_space=rule.ignore_space)
        self.matches = _test(rule.content, self._sought)
        self._total = 0.0 if rule.neg else rule.weight
        self._points = -rule.weight if rule.neg else rule.weight
        self.found, self.not_found = self._make_result(True, "found"), self._make_result(False, "not found")

    def _make_result(self, matched: bool | None, detail: str, places: Spans = ()) -> RuleResult:
        rule = self.rule
        return RuleResult(
            metric="keywords",
            label=rule.label,
            matched=matched,
            points=self._points if matched else 0.0,
            total=self._total,
            spans=places,
            why=rule.why,
            detail=detail,
            line=rule.line,
        )

    def unjudged(self, reason: str) -> RuleResult:
        """Return the result of a rule that could not be judged."""
        return self._make_result(None, reason)

    def found_in(self, search_text: SearchText) -> RuleResult:
        """Return the result of a match with its places in the response."""
        if search_text.places is None:
            return self.found
        places: set[tuple[int, int]] = set()
        _collect(self.rule.content, search_text.text, self._sought, places)
        return self._make_result(True, "found", search_text.in_response(tuple(sorted(places))))

    def not_found_in(self, search_text: SearchText) -> RuleResult:
        """Return the result of a rule without a match, naming the missing texts if others of the rule were found."""
        node = self.rule.content
        if isinstance(node, Leaf) or any(isinstance(child, RuleGroup) or child.cond for child in node.children):
            return self.not_found
        missing = [
            child.text
            for child in node.children
            if isinstance(child, Leaf) and not _leaf(self._sought(child.text), child.regex)(search_text.text, [])
        ]
        if not 0 < len(missing) < len(node.children):
            return self.not_found
        return replace(self.not_found, detail=f"not found: {', '.join(missing)}")


def _test(node: Leaf | RuleGroup, sought: Sought) -> Test:
    """Return a function that tells whether a content tree matches a text."""
    if isinstance(node, Leaf):
        text = sought(node.text)
        return _with_condition(_leaf(text, node.regex), node.cond, text)
    children = [_test(child, sought) for child in node.children]
    needed, eager = node.needed, any(_has_condition(child) for child in node.children)

    def group(text: str, context: list[str]) -> bool:
        missing, remaining = needed, len(children)
        for child in children:
            if not eager and not 0 < missing <= remaining:
                break
            missing -= child(text, context)
            remaining -= 1
        return missing <= 0

    return _with_condition(group, node.cond, "")


def _has_condition(node: Leaf | RuleGroup) -> bool:
    """Tell whether a tree has a condition. It can fail on a response, so all nodes are tried, as in the reference."""
    if node.cond:
        return True
    return isinstance(node, RuleGroup) and any(_has_condition(child) for child in node.children)


def _leaf(sought: str, is_regex: bool) -> Test:
    literal = literal_text(sought) if is_regex else sought
    if literal is not None:
        return lambda text, _: literal in text

    untimed = untimed_length(sought)
    pattern: regex.Pattern[str] | None = None

    def search(text: str, _: list[str]) -> bool:
        nonlocal pattern
        try:
            if pattern is None:
                pattern = compile_pattern(sought)
            if len(text) <= untimed:
                return pattern.search(text) is not None
            return pattern.search(text, timeout=REGEX_SECONDS) is not None
        except TimeoutError as error:
            raise pattern_timeout() from error

    return search


def _with_condition(test: Test, cond: str, sought: str) -> Test:
    if not cond:
        return test

    def both(text: str, context: list[str]) -> bool:
        if not test(text, context):
            return False
        names: dict[str, Any] = {"context": list(context), "ans": sought, "response": text}
        return conditions.condition_holds(conditions.parse_condition(cond), names)

    return both


def _collect(node: Leaf | RuleGroup, text: str, sought: Sought, places: set[tuple[int, int]]) -> None:
    """Add the places where any leaf matches, even in branches that did not decide, so that highlights are complete."""
    if isinstance(node, RuleGroup):
        for child in node.children:
            _collect(child, text, sought, places)
        return
    target = sought(node.text)
    if node.regex:
        places.update(pattern_spans(target, text) or ())
    else:
        places.update((at, at + len(target)) for at in find_offsets(target, text))
