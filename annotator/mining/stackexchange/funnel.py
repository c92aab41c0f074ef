"""The funnel, stage by stage, with its counts; and what becomes of them when the line is dragged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from annotator.mining.stackexchange.kept import Head, Kept, Points
from annotator.mining.stackexchange.line import FilterLine
from annotator.mining.stackexchange.tags import EXCLUDED, TagTree

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


def count(
    kept: Kept,
    points: Points,
    heads: Sequence[Head],
    tree: TagTree,
    line: FilterLine | None = None,
    excluded: frozenset[str] = EXCLUDED,
) -> Funnel:
    """Count every stage for a line, the survey's own by default; `kept.points()` and `kept.heads()` are read once.

    Tags are known of the questions above the survey's line only. A line that lets others in makes the stages after it
    unknown until the dump is read again with that line.
    """
    drawn = kept.options.line
    line = line or drawn
    above = points.above(line)
    known = not bool((above & ~points.above(drawn)).any())
    languages: Counter[str] = Counter()
    placed = ambiguous = 0
    for head in heads:
        found = tree.resolve(head.tags) if line.keeps(head.views, head.days) else None
        if found is None or not found.language:
            continue
        placed += 1
        if found.language not in excluded:
            languages[found.language] += 1
            ambiguous += found.ambiguous
    wanted = kept.options.answers
    answers = "answer" if wanted == 1 else "answers"
    stages = (
        Stage(QUESTIONS, "questions in the dump", kept.counts.questions),
        Stage(ANSWERED, f"an accepted answer, and {wanted} {answers} with a positive score", len(points)),
        Stage(ABOVE, "views above the line", int(above.sum())),
        Stage(PLACED, "tags that name a language", placed if known else None),
        Stage(SELECTED, "a language that is not excluded", sum(languages.values()) if known else None),
    )
    ranked = sorted(languages.items(), key=lambda item: (-item[1], item[0]))
    return Funnel(stages, tuple(ranked) if known else (), ambiguous if known else 0)
