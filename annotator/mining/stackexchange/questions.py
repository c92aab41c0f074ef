"""Read the questions that the funnel selects: text as Markdown, answers, language and attribution."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from annotator.mining.stackexchange.posts import Row
from annotator.mining.stackexchange.survey_result import SurveyResult, read_number
from annotator.mining.stackexchange.tags import EXCLUDED, TagResolution, TagTree, split_tags
from annotator.text.markup.html_to_markdown import to_markdown

# Contributors agreed to the version in force on the day a text was last changed.
_LICENCES = (("2018-05-02", "CC-BY-SA-4.0"), ("2011-04-08", "CC-BY-SA-3.0"), ("", "CC-BY-SA-2.5"))
_LICENCE = re.compile(r"CC[ -]BY-SA[ -](\d\.\d)", re.IGNORECASE)
_SITE = re.compile(
    r"(?:(?:[a-z0-9-]+\.)*stackexchange\.com|(?:[a-z]+\.)?(?:stackoverflow|serverfault|superuser|askubuntu|stackapps)\.com|"
    r"(?:meta\.)?mathoverflow\.net)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Credit:
    """The attribution of a text. Times are ISO 8601 as in the dump; missing values are ""."""

    author: str
    author_url: str
    url: str
    licence: str
    created: str
    edited: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForumAnswer:
    """An answer with a positive score, or the accepted one; the body is Markdown."""

    id: int
    score: int
    accepted: bool
    body: str
    credit: Credit


@dataclass(frozen=True, slots=True, kw_only=True)
class ForumQuestion:
    """A question that passed the funnel; ``days`` is its age, ``tag`` is the one that decided its language.

    The body is Markdown. ``answers`` begin with the accepted one; the others are sorted by score.
    """

    id: int
    title: str
    body: str
    tags: tuple[str, ...]
    days: int
    views: int
    score: int
    language: str
    area: str
    tag: str
    how: str
    languages: tuple[str, ...]
    closed: bool
    credit: Credit
    answers: tuple[ForumAnswer, ...]


def selected_questions(
    survey: SurveyResult,
    tree: TagTree,
    site: str = "",
    excluded: frozenset[str] = EXCLUDED,
    ids: frozenset[int] | None = None,
) -> Iterator[ForumQuestion]:
    """Yield the questions that pass the whole funnel, in the dump's order; with ``ids``, only those among them.

    Links point to ``site`` ("stackoverflow.com"); without one there are none.
    """
    selected = set()
    for head in survey.heads():
        resolution = tree.resolve(head.tags)
        if resolution.language and resolution.language not in excluded and (ids is None or head.id in ids):
            selected.add(head.id)
    today = survey.options.as_of
    for row, answers in survey.threads(frozenset(selected)):
        tags = split_tags(row.get("Tags", ""))
        yield _question(row, answers, tags, tree.resolve(tags), today.toordinal(), site)


def _question(
    row: Row, answers: Sequence[Row], tags: tuple[str, ...], resolution: TagResolution, today: int, site: str
) -> ForumQuestion:
    return ForumQuestion(
        id=int(row["Id"]),
        title=row.get("Title", "").strip(),
        body=to_markdown(row.get("Body", "")),
        tags=tags,
        days=today - date.fromisoformat(row["CreationDate"][:10]).toordinal(),
        views=read_number(row, "ViewCount"),
        score=read_number(row, "Score"),
        language=resolution.language,
        area=resolution.area,
        tag=resolution.tag,
        how=resolution.how,
        languages=resolution.languages,
        closed="ClosedDate" in row,
        credit=credit_of(row, site),
        answers=tuple(_answer(answer, row, site) for answer in answers),
    )


def _answer(row: Row, question: Row, site: str) -> ForumAnswer:
    return ForumAnswer(
        id=read_number(row, "Id"),
        score=read_number(row, "Score"),
        accepted=row.get("Id") == question.get("AcceptedAnswerId"),
        body=to_markdown(row.get("Body", "")),
        credit=credit_of(row, site),
    )


def credit_of(row: Row, site: str) -> Credit:
    """Return the attribution of a post, with the licence the dump names, else the one in force at its last change."""
    owner, post_id = row.get("OwnerUserId", ""), row.get("Id", "")
    created, edited = row.get("CreationDate", ""), row.get("LastEditDate", "")
    kind = "q" if row.get("PostTypeId") == "1" else "a"
    return Credit(
        author=row.get("OwnerDisplayName", "") or (f"user {owner}" if owner else ""),
        author_url=f"https://{site}/users/{owner}" if site and owner.lstrip("-").isdecimal() else "",
        url=f"https://{site}/{kind}/{post_id}" if site and post_id else "",
        licence=post_licence(row.get("ContentLicense", ""), max(created, edited)),
        created=created,
        edited=edited,
    )


def post_licence(licence_text: str, moment: str) -> str:
    """Return the SPDX identifier of the licence a dump names ("CC BY-SA 4.0"), else of the one in force at ``moment``.

    Returns "" for an undated text without a named licence.
    """
    match = _LICENCE.search(licence_text)
    if match:
        return f"CC-BY-SA-{match[1]}"
    return next(name for since, name in _LICENCES if moment >= since) if moment else ""


def guess_site(path: Path) -> str:
    """Return a dump's site from its file or folder name ("beer.stackexchange.com.7z"), else ""."""
    for text in (path.name.lower(), path.resolve().parent.name.lower()):
        if match := _SITE.search(text):
            return match[0]
    return ""
