"""Count the questions at each stage of the funnel, for any position of the line through age and views.

Everything independent of the line is computed once: logarithms of views, and the language of each question's tags. A
count is then a comparison of arrays, some milliseconds for a million questions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotator.base.messages import Message, message_for_count
from annotator.mining.stackexchange.survey import FilterLine
from annotator.mining.stackexchange.survey_result import Head, Points, SurveyResult
from annotator.mining.stackexchange.tags import EXCLUDED, Share, TagTree

QUESTIONS, ANSWERED, ABOVE, PLACED, SELECTED = "questions", "answered", "above", "placed", "selected"


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: its name, its condition as text, and the number of questions (None: the dump must be read again)."""

    name: str
    label: str
    count: int | None


@dataclass(frozen=True, slots=True)
class Funnel:
    """All stages in order, the numbers of selected questions by language, and of ambiguous ones."""

    stages: tuple[Stage, ...]
    languages: tuple[tuple[str, int], ...]
    ambiguous: int

    def __getitem__(self, name: str) -> int | None:
        """Return the count of a stage."""
        return next(stage.count for stage in self.stages if stage.name == name)


MAX_POINTS_AS_DISCS = 20_000


@dataclass(frozen=True)
class FunnelCount:
    """The funnel of a line, question counts by area and language, and the tag tree's coverage above the line."""

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
        """Resolve the tags of every question of a survey; ``points`` and ``heads`` are the survey's."""
        self.tree = tree
        self.excluded = excluded
        self.heads = tuple(heads)
        self._survey_line = survey.options.line
        self._answers = survey.options.answers
        self._questions = survey.counts.questions
        self._points = points
        self._logs = np.log(np.maximum(points.views, 1))
        self._views = np.array([head.views for head in heads], dtype=np.int64)
        self._days = np.array([head.days for head in heads], dtype=np.int64)
        resolutions = [tree.resolve(head.tags) for head in heads]
        self._names = tuple(sorted({item.language for item in resolutions}))
        numbers_by_name = {name: index for index, name in enumerate(self._names)}
        self._languages = np.array([numbers_by_name[item.language] for item in resolutions], dtype=np.int64)
        self._ambiguous = np.array([item.ambiguous for item in resolutions], dtype=bool)
        unplaced = [(index, tag) for index, head in enumerate(heads) for tag in head.tags if tag not in tree]
        self._tags = tuple(dict.fromkeys(tag for _, tag in unplaced))
        numbers = {tag: number for number, tag in enumerate(self._tags)}
        self._head_of = np.array([index for index, _ in unplaced], dtype=np.int64)
        self._tag_of = np.array([numbers[tag] for _, tag in unplaced], dtype=np.int64)

    def with_tree(self, survey: SurveyResult, tree: TagTree) -> FunnelCounter:
        """Return a counter for another tag tree over the same survey."""
        return FunnelCounter(survey, self._points, self.heads, tree, self.excluded)

    @property
    def days(self) -> NDArray[np.int64]:
        """The age of every question with enough answers, in days."""
        return self._points.days

    @property
    def logs(self) -> NDArray[np.float64]:
        """The natural logarithm of the views of each of these questions, 0 without views."""
        return self._logs

    def count(self, line: FilterLine, max_tags: int = 200) -> FunnelCount:
        """Count every stage above a line; later stages are unknown if the line is below the survey's in places."""
        above = self._is_above(line)
        is_covered = not bool((above & ~self._is_above(self._survey_line)).any())
        is_above = line.keeps_all(self._views, self._days)
        counts = np.bincount(self._languages[is_above], minlength=len(self._names))
        by_language = {name: int(count) for name, count in zip(self._names, counts, strict=True) if count}
        unresolved = by_language.pop("", 0)
        selected = {name: count for name, count in by_language.items() if name not in self.excluded}
        is_selected = (
            is_above
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
            Stage(PLACED, Message("tags that name a language"), placed if is_covered else None),
            Stage(SELECTED, Message("a language that is not excluded"), sum(selected.values()) if is_covered else None),
        )
        ranked = sorted(selected.items(), key=lambda item: (-item[1], item[0]))
        ambiguous = int((self._ambiguous & is_selected).sum())
        funnel = Funnel(stages, tuple(ranked) if is_covered else (), ambiguous if is_covered else 0)
        areas: dict[str, dict[str, int]] = {}
        for name, count in ranked:
            areas.setdefault(self.tree.areas.get(name, ""), {})[name] = count
        share = Share(
            placed + unresolved,
            placed,
            int((self._ambiguous & is_above).sum()),
            self._unplaced(is_above, max_tags),
        )
        return FunnelCount(line, funnel, areas, share)

    def selected(self, line: FilterLine) -> dict[str, tuple[int, ...]]:
        """Return the Ids of the questions that pass the whole funnel, by language, in the dump's order."""
        is_above = line.keeps_all(self._views, self._days)
        ids_by_language: dict[str, list[int]] = {}
        for head, language, is_kept in zip(self.heads, self._languages, is_above, strict=True):
            name = self._names[language]
            if is_kept and name and name not in self.excluded:
                ids_by_language.setdefault(name, []).append(head.id)
        return {name: tuple(ids) for name, ids in ids_by_language.items()}

    def dropped(self, stage: str, line: FilterLine, limit: int = 500) -> tuple[Head, ...]:
        """Return questions that a stage drops (below the line, without a language, or excluded), most viewed first.

        Questions below the survey's own line are not included, because the survey keeps no text of them.
        """
        is_above = line.keeps_all(self._views, self._days)
        heads = []
        for head, language, is_kept in zip(self.heads, self._languages, is_above, strict=True):
            name = self._names[language]
            reached = {
                ABOVE: not is_kept,
                PLACED: bool(is_kept and not name),
                SELECTED: bool(is_kept and name in self.excluded),
            }
            if reached.get(stage, False):
                heads.append(head)
        return tuple(sorted(heads, key=lambda head: (-head.views, head.id))[:limit])

    def _is_above(self, line: FilterLine) -> NDArray[np.bool_]:
        heights = self._logs / math.log(line.base)
        is_kept: NDArray[np.bool_] = (self._points.views > 0) & (
            heights > line.intercept + line.slope * self._points.days
        )
        return is_kept

    def _unplaced(self, is_above: NDArray[np.bool_], max_tags: int) -> tuple[tuple[str, int], ...]:
        counts = np.bincount(self._tag_of[is_above[self._head_of]], minlength=len(self._tags))
        tag_counts = [(tag, int(count)) for tag, count in zip(self._tags, counts, strict=True) if count]
        return tuple(sorted(tag_counts, key=lambda item: (-item[1], item[0]))[:max_tags])


def _spread_points(counts: NDArray[np.int64], radius: int) -> NDArray[np.int64]:
    """Turn every point into a disc, so that single points are visible."""
    height, width = counts.shape
    padded = np.pad(counts, radius)
    steps = range(-radius, radius + 1)
    spread = np.zeros_like(counts)
    for down in steps:
        for across in steps:
            if down * down + across * across <= radius * radius:
                spread += padded[radius + down : radius + down + height, radius + across : radius + across + width]
    return spread


def density_image(
    days: NDArray[np.int64], logs: NDArray[np.float64], extent: tuple[float, float], size: tuple[int, int]
) -> NDArray[np.uint8]:
    """Return the density of points as an image of ``size`` (width, height): 0 for none, 1 to 255 by the logarithm.

    A few points are drawn as discs, many as single pixels. ``extent`` is the largest age and the largest logarithm of
    views shown; the first row of the image is the top.
    """
    width, height = size
    counts = np.zeros(width * height, dtype=np.int64)
    if len(days):
        across = np.clip((days * ((width - 1) / max(extent[0], 1e-9))).astype(np.int64), 0, width - 1)
        down = np.clip(((extent[1] - logs) * ((height - 1) / max(extent[1], 1e-9))).astype(np.int64), 0, height - 1)
        counts = np.bincount(down * width + across, minlength=width * height)
    if 0 < len(days) < MAX_POINTS_AS_DISCS:
        counts = _spread_points(counts.reshape(height, width), 2).reshape(-1)
    most = int(counts.max()) if counts.size else 0
    if not most:
        return np.zeros((height, width), dtype=np.uint8)
    scaled = np.where(counts > 0, 70 + 185 * np.log1p(counts) / math.log1p(most), 0)
    return scaled.astype(np.uint8).reshape(height, width)
