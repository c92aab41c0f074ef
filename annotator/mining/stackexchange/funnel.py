"""The funnel, stage by stage, counted for every place the line through age and views is dragged to.

What does not depend on the line is worked out once: logarithms of views, and what each question's tags resolve to. A
count is then a comparison of arrays, some milliseconds for a million questions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotator.base.messages import Message, message_for_count
from annotator.mining.stackexchange.age_and_views_line import FilterLine
from annotator.mining.stackexchange.survey_result import Head, Points, SurveyResult
from annotator.mining.stackexchange.tags import EXCLUDED, Share, TagTree

QUESTIONS, ANSWERED, ABOVE, PLACED, SELECTED = "questions", "answered", "above", "placed", "selected"


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: its name, what it asks for, and how many questions reached it (None: the dump must be read again)."""

    name: str
    label: str
    count: int | None


@dataclass(frozen=True, slots=True)
class Funnel:
    """All stages in order, the questions selected by language, and how many are ambiguous."""

    stages: tuple[Stage, ...]
    languages: tuple[tuple[str, int], ...]
    ambiguous: int

    def __getitem__(self, name: str) -> int | None:
        """Return the count of a stage."""
        return next(stage.count for stage in self.stages if stage.name == name)


FEW_POINTS = 20_000


@dataclass(frozen=True)
class Counted:
    """A line's funnel, the questions of each language and area, and how far the tag tree reaches above the line."""

    line: FilterLine
    funnel: Funnel
    by_area: dict[str, dict[str, int]]
    share: Share


class FunnelCounter:
    """Counts the funnel of one survey for any line, with one tag tree."""

    def __init__(
        self,
        survey: SurveyResult,
        points: Points,
        heads: Sequence[Head],
        tree: TagTree,
        excluded: frozenset[str] = EXCLUDED,
    ) -> None:
        """Take a survey, its points and heads (read once), and resolve every question's tags."""
        self.tree = tree
        self.excluded = excluded
        self.heads = tuple(heads)
        self._drawn = survey.options.line
        self._answers = survey.options.answers
        self._questions = survey.counts.questions
        self._points = points
        self._logs = np.log(np.maximum(points.views, 1))
        self._views = np.array([head.views for head in heads], dtype=np.int64)
        self._days = np.array([head.days for head in heads], dtype=np.int64)
        found = [tree.resolve(head.tags) for head in heads]
        self._names = tuple(sorted({item.language for item in found}))
        places = {name: place for place, name in enumerate(self._names)}
        self._languages = np.array([places[item.language] for item in found], dtype=np.int64)
        self._ambiguous = np.array([item.ambiguous for item in found], dtype=bool)
        loose = [(place, tag) for place, head in enumerate(heads) for tag in head.tags if tag not in tree]
        self._tags = tuple(dict.fromkeys(tag for _, tag in loose))
        numbers = {tag: number for number, tag in enumerate(self._tags)}
        self._head_of = np.array([place for place, _ in loose], dtype=np.int64)
        self._tag_of = np.array([numbers[tag] for _, tag in loose], dtype=np.int64)

    def with_tree(self, survey: SurveyResult, tree: TagTree) -> FunnelCounter:
        """Return a counter for another tag tree over the same survey."""
        return FunnelCounter(survey, self._points, self.heads, tree, self.excluded)

    @property
    def days(self) -> NDArray[np.int64]:
        """The age of every point in days."""
        return self._points.days

    @property
    def logs(self) -> NDArray[np.float64]:
        """The natural logarithm of every point's views, 0 where nobody viewed it."""
        return self._logs

    def count(self, line: FilterLine, shown: int = 200) -> Counted:
        """Count every stage above a line; stages after the line are unknown below the line of the survey."""
        above = self._above(line)
        known = not bool((above & ~self._above(self._drawn)).any())
        inside = line.keeps_all(self._views, self._days)
        counts = np.bincount(self._languages[inside], minlength=len(self._names))
        by_language = {name: int(count) for name, count in zip(self._names, counts, strict=True) if count}
        unresolved = by_language.pop("", 0)
        selected = {name: count for name, count in by_language.items() if name not in self.excluded}
        chosen = (
            inside
            & np.array([name != "" and name not in self.excluded for name in self._names] or [False])[self._languages]
        )
        placed = sum(by_language.values())
        answered = message_for_count(
            "an accepted answer, and {count} answer with a positive score",
            "an accepted answer, and {count} answers with a positive score",
            self._answers,
        )
        stages = (
            Stage(QUESTIONS, Message("questions in the dump"), self._questions),
            Stage(ANSWERED, answered, len(self._points)),
            Stage(ABOVE, Message("views above the line"), int(above.sum())),
            Stage(PLACED, Message("tags that name a language"), placed if known else None),
            Stage(SELECTED, Message("a language that is not excluded"), sum(selected.values()) if known else None),
        )
        ranked = sorted(selected.items(), key=lambda item: (-item[1], item[0]))
        ambiguous = int((self._ambiguous & chosen).sum())
        funnel = Funnel(stages, tuple(ranked) if known else (), ambiguous if known else 0)
        areas: dict[str, dict[str, int]] = {}
        for name, count in ranked:
            areas.setdefault(self.tree.areas.get(name, ""), {})[name] = count
        share = Share(
            placed + unresolved,
            placed,
            int((self._ambiguous & inside).sum()),
            self._unplaced(inside, shown),
        )
        return Counted(line, funnel, areas, share)

    def selected(self, line: FilterLine) -> dict[str, tuple[int, ...]]:
        """Return the Ids of the questions that pass the whole funnel, by language, in the dump's order."""
        inside = line.keeps_all(self._views, self._days)
        found: dict[str, list[int]] = {}
        for head, language, kept in zip(self.heads, self._languages, inside, strict=True):
            name = self._names[language]
            if kept and name and name not in self.excluded:
                found.setdefault(name, []).append(head.id)
        return {name: tuple(ids) for name, ids in found.items()}

    def dropped(self, stage: str, line: FilterLine, limit: int = 500) -> tuple[Head, ...]:
        """Return questions a stage drops, most viewed first: those below the line, without a language, or excluded.

        Of questions below the survey's own line no text was kept, so they are not among them.
        """
        inside = line.keeps_all(self._views, self._days)
        found = []
        for head, language, kept in zip(self.heads, self._languages, inside, strict=True):
            name = self._names[language]
            reached = {ABOVE: not kept, PLACED: bool(kept and not name), SELECTED: bool(kept and name in self.excluded)}
            if reached.get(stage, False):
                found.append(head)
        return tuple(sorted(found, key=lambda head: (-head.views, head.id))[:limit])

    def _above(self, line: FilterLine) -> NDArray[np.bool_]:
        heights = self._logs / math.log(line.base)
        kept: NDArray[np.bool_] = (self._points.views > 0) & (heights > line.intercept + line.slope * self._points.days)
        return kept

    def _unplaced(self, inside: NDArray[np.bool_], shown: int) -> tuple[tuple[str, int], ...]:
        counts = np.bincount(self._tag_of[inside[self._head_of]], minlength=len(self._tags))
        found = [(tag, int(count)) for tag, count in zip(self._tags, counts, strict=True) if count]
        return tuple(sorted(found, key=lambda item: (-item[1], item[0]))[:shown])


def count(
    survey: SurveyResult,
    points: Points,
    heads: Sequence[Head],
    tree: TagTree,
    line: FilterLine | None = None,
    excluded: frozenset[str] = EXCLUDED,
) -> Funnel:
    """Count every stage for a line, the survey's own by default; its points and heads are read once.

    Tags are known of the questions above the survey's line only. A line that lets others in makes the stages after it
    unknown until the dump is read again with that line.
    """
    return FunnelCounter(survey, points, heads, tree, excluded).count(line or survey.options.line).funnel


def _spread(counts: NDArray[np.int64], radius: int) -> NDArray[np.int64]:
    """Make every point a disc, so that a few of them can be seen."""
    height, width = counts.shape
    padded = np.pad(counts, radius)
    steps = range(-radius, radius + 1)
    found = np.zeros_like(counts)
    for down in steps:
        for across in steps:
            if down * down + across * across <= radius * radius:
                found += padded[radius + down : radius + down + height, radius + across : radius + across + width]
    return found


def density(
    days: NDArray[np.int64], logs: NDArray[np.float64], extent: tuple[float, float], size: tuple[int, int]
) -> NDArray[np.uint8]:
    """Return how densely points lie, as an image of ``size`` (width, height): 0 none, 1 to 255 by the logarithm.

    A few points are drawn as discs, many as single pixels. ``extent`` is the largest age and the largest logarithm of
    views shown; the first row of the image is the top.
    """
    width, height = size
    counts = np.zeros(width * height, dtype=np.int64)
    if len(days):
        across = np.clip((days * ((width - 1) / max(extent[0], 1e-9))).astype(np.int64), 0, width - 1)
        down = np.clip(((extent[1] - logs) * ((height - 1) / max(extent[1], 1e-9))).astype(np.int64), 0, height - 1)
        counts = np.bincount(down * width + across, minlength=width * height)
    if 0 < len(days) < FEW_POINTS:
        counts = _spread(counts.reshape(height, width), 2).reshape(-1)
    most = int(counts.max()) if counts.size else 0
    if not most:
        return np.zeros((height, width), dtype=np.uint8)
    scaled = np.where(counts > 0, 70 + 185 * np.log1p(counts) / math.log1p(most), 0)
    return scaled.astype(np.uint8).reshape(height, width)
