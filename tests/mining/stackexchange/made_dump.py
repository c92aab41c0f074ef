"""A made Posts.xml: any number of posts, streamed, the same for the same seed, with the funnel's counts beside it.

The counts are found while writing, from the numbers themselves: no code of the application is used.

    python -m tests.mining.stackexchange.made_dump 2000000 Posts.xml
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from xml.sax.saxutils import quoteattr

AS_OF = date(2023, 6, 14)
FIRST = date(2008, 8, 1)
TAGS = "python javascript reactjs pandas java c# json regex android history docker git".split()  # noqa: SIM905
LANGUAGES = {"python": "python", "javascript": "javascript", "reactjs": "javascript", "pandas": "python",
             "java": "java", "c#": "c#", "json": "json", "regex": "regex", "docker": "bash", "git": "bash"}  # fmt: skip
EXPLICIT = ("python", "javascript", "java", "c#", "json", "regex")
HEAVY = ("reactjs", "pandas")
_WORDS = """how can the list be sorted by its second key <b>&amp;</b> 'quoted' "twice" """.split()  # noqa: SIM905


@dataclass
class Truth:
    """What is in the dump, counted while it was written."""

    posts: int = 0
    questions: int = 0
    answered: int = 0
    above: int = 0
    placed: int = 0
    selected: int = 0
    ids: list[int] = field(default_factory=list)


@dataclass
class _Question:
    accepted: bool
    views: int
    days: int
    tags: tuple[str, ...]
    answers: int


def language(tags: tuple[str, ...]) -> str:
    """Return the language of a post by the rules, for the few tags used here."""
    for names in (EXPLICIT, HEAVY, tuple(LANGUAGES)):
        for tag in tags:
            if tag in names:
                return LANGUAGES[tag]
    return ""


def lines(posts: int, truth: Truth, seed: int = 7, bars: bool = False, window: int = 1000) -> Iterator[bytes]:
    """Yield a dump of ``posts`` posts line by line and fill in ``truth``; ``bars`` spells tags |a|b|.

    Answers refer to one of the last ``window`` questions, so memory here is constant as well.
    """
    rng = random.Random(seed)
    bodies = [quoteattr("<p>" + " ".join(rng.choices(_WORDS, k=rng.randint(20, 250))) + "</p>\n") for _ in range(400)]
    open_ones: dict[int, _Question] = {}
    yield b'\xef\xbb\xbf<?xml version="1.0" encoding="utf-8"?>\r\n<posts>\r\n'
    for identity in range(1, posts + 1):
        truth.posts += 1
        day = FIRST + timedelta(days=identity * (AS_OF - FIRST).days // posts)
        body = bodies[rng.randrange(len(bodies))]
        moment = f"{day}T{rng.randrange(24):02}:00:00.000"
        score = rng.randint(-2, 9)
        if rng.random() < 0.4 or not open_ones:
            tags = tuple(rng.sample(TAGS, rng.randint(1, 3)))
            views = int(math.exp(rng.uniform(0, 16)))
            found = _Question(rng.random() < 0.6, views, (AS_OF - day).days, tags, 0)
            if len(open_ones) >= window:
                oldest = next(iter(open_ones))
                _settle(oldest, open_ones.pop(oldest), truth)
            open_ones[identity] = found
            truth.questions += 1
            spelt = "|" + "|".join(tags) + "|" if bars else "".join(f"&lt;{tag}&gt;" for tag in tags)
            accepted = f' AcceptedAnswerId="{identity + 1}"' if found.accepted else ""
            yield (
                f'  <row Id="{identity}" PostTypeId="1"{accepted} CreationDate="{moment}" Score="{score}" '
                f'ViewCount="{views}" Body={body} OwnerUserId="{identity % 999}" Title="Question {identity}" '
                f'Tags="{spelt}" AnswerCount="1" ContentLicense="CC BY-SA 3.0" />\r\n'
            ).encode()
        else:
            parent = rng.choice(tuple(open_ones)[-40:])
            open_ones[parent].answers += score > 0
            yield (
                f'  <row Id="{identity}" PostTypeId="2" ParentId="{parent}" CreationDate="{moment}" Score="{score}" '
                f'Body={body} OwnerUserId="{identity % 999}" CommentCount="0" ContentLicense="CC BY-SA 3.0" />\r\n'
            ).encode()
    for identity, found in open_ones.items():
        _settle(identity, found, truth)
    yield b"</posts>\r\n"


def _settle(identity: int, found: _Question, truth: Truth) -> None:
    if not (found.accepted and found.answers >= 3):
        return
    truth.answered += 1
    if found.views <= 0 or math.log(found.views) <= 5 + 0.0035 * found.days:
        return
    truth.above += 1
    about = language(found.tags)
    truth.placed += bool(about)
    if about and about not in ("json", "regex"):
        truth.selected += 1
        truth.ids.append(identity)


def write(path: Path, posts: int, seed: int = 7, bars: bool = False) -> Truth:
    """Write a dump to a file and return what is in it."""
    truth = Truth()
    with path.open("wb") as stream:
        for line in lines(posts, truth, seed, bars):
            stream.write(line)
    return truth


if __name__ == "__main__":
    print(write(Path(sys.argv[2]), int(sys.argv[1])).selected)
