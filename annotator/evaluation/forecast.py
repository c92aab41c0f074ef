"""The forecast of a run: calls, tokens, time and cost, as a range before the run and corrected by its first answers.

The expected length of an answer is the mean of this model's earlier answers to the same task family in this project,
else that of the project's other models, else a typical length for the family, and never above the token limit. The
range divides and multiplies it by a factor: 1.6 for the model's own answers, else 4, and more if there are few calls.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from annotator.base.messages import Message, join_messages
from annotator.evaluation.planning import PlannedRequest
from annotator.llm.prices import Price, estimate_tokens
from annotator.model.rows.run_rows import AnswerHistory, AnswerLength
from annotator.model.vocabulary import TaskFamily

# Means of chat models' answers: a value is a line, a completed function a dozen, an explanation some paragraphs. On the
# same 164 functions, the means of seventeen models lie between 49 and 221 tokens.
USUAL_ANSWER_TOKENS: Mapping[str, float] = MappingProxyType(
    {
        TaskFamily.GENERATION: 200.0,
        TaskFamily.COMPLETION: 120.0,
        TaskFamily.UNDERSTANDING: 40.0,
        TaskFamily.MODIFICATION: 250.0,
        TaskFamily.REVIEW: 100.0,
        TaskFamily.QUESTION: 300.0,
    }
)
USUAL_TOKENS_PER_SECOND = 40.0
Range = tuple[float, float]
"""A lower and an upper bound; actual values are rarely outside."""
_OTHER_FAMILY_TOKENS = 200.0
# Factors by which the mean of a run may differ: under another protocol, and for a model without answers so far.
_OWN_FACTOR = 1.6
_OTHER_FACTOR = 4.0
# Single answers spread by some 0.65 of their mean, so the mean of n of them by 1.645 · 0.65 / √n nine times in ten.
_SPREAD_OF_ONE = 1.07
_MIN_ANSWERS = 10
# Ranges for an unknown model: from slow to fast, and as factors of the estimated prompt tokens.
_TOKENS_PER_SECOND: Range = (15.0, 120.0)
_PROMPT_FACTORS: Range = (0.8, 1.6)
_MIN_NEW_ANSWERS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """The tokens, time and cost of a run. ``cost`` is None without a price; ``basis`` says where lengths come from.

    ``priced`` is the date on which the price was looked up, "" if unknown.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    cost: float | None
    currency: str
    basis: str
    priced: str = ""
    seconds_range: Range = (0.0, 0.0)
    cost_range: Range | None = None

    @property
    def cost_texts(self) -> tuple[str, str, str] | None:
        """The cost and its range, with four decimals for small amounts; None without a price."""
        if self.cost is None or self.cost_range is None:
            return None
        digits = 2 if self.cost >= 0.1 else 4
        cost, low, high = (f"{value:.{digits}f}" for value in (self.cost, *self.cost_range))
        return cost, low, high


@dataclass(frozen=True, slots=True, kw_only=True)
class _Totals:
    """Expected tokens of all answers together, and their range."""

    usual: float
    range: Range


def estimate_run(
    planned: Iterable[PlannedRequest], price: Price | None, concurrency: int, history: AnswerHistory | None = None
) -> Forecast:
    """Return the forecast of requests that have not been sent yet (runs specification)."""
    earlier_answers = history or AnswerHistory()
    per_character, per_token = earlier_answers.prompt_tokens_per_character, earlier_answers.seconds_per_token
    calls_by_kind: Counter[tuple[str, int | None]] = Counter()
    prompt = 0.0
    for request_plan in planned:
        characters = request_plan.request.characters
        prompt += estimate_tokens(characters) if per_character is None else characters * per_character
        calls_by_kind[request_plan.family, request_plan.request.decoding.max_tokens] += 1
    calls = calls_by_kind.total()
    answer_tokens = _expect_answers(calls_by_kind, earlier_answers)
    parallel_calls = max(1, min(concurrency, calls or 1))
    usual_s = 1 / USUAL_TOKENS_PER_SECOND if per_token is None else per_token
    fast_s, slow_s = (1 / speed for speed in reversed(_TOKENS_PER_SECOND)) if per_token is None else (usual_s, usual_s)
    min_factor, max_factor = _PROMPT_FACTORS if per_character is None else (1.0, 1.0)
    low, high = answer_tokens.range
    return Forecast(
        calls=calls,
        prompt_tokens=round(prompt),
        completion_tokens=round(answer_tokens.usual),
        seconds=answer_tokens.usual * usual_s / parallel_calls,
        cost=price.cost(prompt, answer_tokens.usual) if price else None,
        currency=price.currency if price else "",
        basis=_describe_basis({family for family, _ in calls_by_kind}, earlier_answers),
        priced=price.as_of if price else "",
        seconds_range=(low * fast_s / parallel_calls, high * slow_s / parallel_calls),
        cost_range=(price.cost(prompt * min_factor, low), price.cost(prompt * max_factor, high)) if price else None,
    )


def _expect_answers(calls_by_kind: Mapping[tuple[str, int | None], int], history: AnswerHistory) -> _Totals:
    """Add up the expected answer tokens; ``calls_by_kind`` counts the calls by task family and token limit."""
    calls: Counter[str] = Counter()
    for (family, _), count in calls_by_kind.items():
        calls[family] += count
    usual, low, high = 0.0, 0.0, 0.0
    for (family, limit), count in calls_by_kind.items():
        length = _find_length(family, history.own)
        factor = _OWN_FACTOR if length else _OTHER_FACTOR
        length = length or _find_length(family, history.others)
        mean = length.mean_tokens if length else USUAL_ANSWER_TOKENS.get(family, _OTHER_FAMILY_TOKENS)
        range_factor = math.exp(math.hypot(math.log(factor), _SPREAD_OF_ONE / math.sqrt(calls[family])))
        usual += count * min(mean, limit or mean)
        low += count * min(mean / range_factor, limit or mean)
        high += count * min(mean * range_factor, limit or mean * range_factor)
    return _Totals(usual=usual, range=(low, high))


def _find_length(family: str, lengths: Mapping[str, AnswerLength]) -> AnswerLength | None:
    """Return the length of earlier answers to a task family; None for too few answers."""
    length = lengths.get(family)
    return length if length is not None and length.answers >= _MIN_ANSWERS else None


def _describe_basis(families: Iterable[str], history: AnswerHistory) -> Message:
    own = others = 0
    is_usual = False
    for family in families:
        own_length, other_length = (_find_length(family, lengths) for lengths in (history.own, history.others))
        own += own_length.answers if own_length else 0
        others += other_length.answers if other_length and not own_length else 0
        is_usual = is_usual or not (own_length or other_length)
    parts = [Message("{count} earlier answers", count=f"{own:,}")] if own else []
    parts += [Message("{count} answers of other models", count=f"{others:,}")] if others else []
    parts += [Message("typical answer lengths")] if is_usual or not parts else []
    return join_messages(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestProgress:
    """The progress of a run. ``settled`` requests are answered or failed.

    ``new_answers`` and the values after it count only since the run was last started or resumed.
    """

    settled: int
    new_answers: int
    prompt_tokens: int
    completion_tokens: int
    cost: float


@dataclass(frozen=True, slots=True)
class Outlook:
    """A forecast corrected by the answers so far: the remaining time, and the tokens and cost since the last start."""

    seconds_left: float
    prompt_tokens: int
    completion_tokens: int
    cost: float


def update_forecast(progress: RequestProgress, total: int, seconds: float) -> Outlook | None:
    """Return the corrected forecast of ``total`` requests after ``seconds``; None before the first few answers."""
    if progress.new_answers < _MIN_NEW_ANSWERS or seconds <= 0:
        return None
    remaining = max(0, total - progress.settled)
    growth = 1 + remaining / progress.new_answers
    return Outlook(
        seconds_left=remaining * seconds / progress.settled,
        prompt_tokens=round(progress.prompt_tokens * growth),
        completion_tokens=round(progress.completion_tokens * growth),
        cost=progress.cost * growth,
    )


def format_seconds(seconds: float) -> str:
    """Return a duration as short text, for commands and logs: "40 s", "12 min", "3.5 h"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
