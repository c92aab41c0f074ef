"""A question as the funnel hands it over: text as Markdown, answers, language, and whom to credit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from markdownify import MarkdownConverter

from annotator.mining.stackexchange.posts import Row
from annotator.mining.stackexchange.survey_result import SurveyResult, number
from annotator.mining.stackexchange.tags import EXCLUDED, Resolution, TagTree, split_tags

# What contributors agreed to: the version in force on the day a text was last changed.
_LICENCES = (("2018-05-02", "CC-BY-SA-4.0"), ("2011-04-08", "CC-BY-SA-3.0"), ("", "CC-BY-SA-2.5"))
_LICENCE = re.compile(r"CC[ -]BY-SA[ -](\d\.\d)", re.IGNORECASE)
_SITE = re.compile(
    r"(?:(?:[a-z0-9-]+\.)*stackexchange\.com|(?:[a-z]+\.)?(?:stackoverflow|serverfault|superuser|askubuntu|stackapps)\.com|"
    r"(?:meta\.)?mathoverflow\.net)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Credit:
    """Whom a text is owed to. Times are ISO 8601 as in the dump; what the dump does not say is ""."""

    author: str
    author_url: str
    url: str
    licence: str
    created: str
    edited: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer with a positive score, or the accepted one; the body is Markdown."""

    id: int
    score: int
    accepted: bool
    body: str
    credit: Credit


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question that passed the funnel; ``days`` is its age, ``tag`` decided its language, the body is Markdown.

    ``answers`` are in order: the accepted one, then by score.
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
    answers: tuple[Answer, ...]


def questions(
    survey: SurveyResult,
    tree: TagTree,
    site: str = "",
    excluded: frozenset[str] = EXCLUDED,
    wanted: frozenset[int] | None = None,
) -> Iterator[Question]:
    """Yield the questions that pass the whole funnel, in the dump's order, of those in ``wanted`` if that is given.

    ``site`` ("stackoverflow.com") is what links are made of; without one there are none.
    """
    chosen = set()
    for head in survey.heads():
        found = tree.resolve(head.tags)
        if found.language and found.language not in excluded and (wanted is None or head.id in wanted):
            chosen.add(head.id)
    today = survey.options.as_of
    for row, answers in survey.threads(frozenset(chosen)):
        tags = split_tags(row.get("Tags", ""))
        yield _question(row, answers, tags, tree.resolve(tags), today.toordinal(), site)


def _question(
    row: Row, answers: Sequence[Row], tags: tuple[str, ...], found: Resolution, today: int, site: str
) -> Question:
    return Question(
        id=int(row["Id"]),
        title=row.get("Title", "").strip(),
        body=to_markdown(row.get("Body", "")),
        tags=tags,
        days=today - date.fromisoformat(row["CreationDate"][:10]).toordinal(),
        views=number(row, "ViewCount"),
        score=number(row, "Score"),
        language=found.language,
        area=found.area,
        tag=found.tag,
        how=found.how,
        languages=found.languages,
        closed="ClosedDate" in row,
        credit=credit(row, site),
        answers=tuple(_answer(answer, row, site) for answer in answers),
    )


def _answer(row: Row, question: Row, site: str) -> Answer:
    return Answer(
        id=number(row, "Id"),
        score=number(row, "Score"),
        accepted=row.get("Id") == question.get("AcceptedAnswerId"),
        body=to_markdown(row.get("Body", "")),
        credit=credit(row, site),
    )


def credit(row: Row, site: str) -> Credit:
    """Return whom a post is owed to, and the licence the dump names, else the one in force at its last change."""
    owner, identity = row.get("OwnerUserId", ""), row.get("Id", "")
    created, edited = row.get("CreationDate", ""), row.get("LastEditDate", "")
    kind = "q" if row.get("PostTypeId") == "1" else "a"
    return Credit(
        author=row.get("OwnerDisplayName", "") or (f"user {owner}" if owner else ""),
        author_url=f"https://{site}/users/{owner}" if site and owner.lstrip("-").isdecimal() else "",
        url=f"https://{site}/{kind}/{identity}" if site and identity else "",
        licence=licence(row.get("ContentLicense", ""), max(created, edited)),
        created=created,
        edited=edited,
    )


def licence(named: str, moment: str) -> str:
    """Return the SPDX identifier of the licence a dump names ("CC BY-SA 4.0"), else of the one in force at ``moment``.

    Raises nothing: an undated text without a named licence gives "", because nothing is known of it.
    """
    found = _LICENCE.search(named)
    if found:
        return f"CC-BY-SA-{found[1]}"
    return next(name for since, name in _LICENCES if moment >= since) if moment else ""


def guess_site(path: Path) -> str:
    """Return the site a dump is of, as its file's or folder's name says ("beer.stackexchange.com.7z"), else ""."""
    for text in (path.name.lower(), path.resolve().parent.name.lower()):
        if found := _SITE.search(text):
            return found[0]
    return ""


# A body has at most 30,000 characters; beyond this only its words are kept.
BODY_LIMIT = 1_000_000
_LANGUAGE = re.compile(r"lang(?:uage)?-([\w+#.-]+)")
_FENCE = re.compile(r"^\s*(`{3,})", re.MULTILINE)
_BLANK = re.compile(r"\n{3,}")
_NAMES = {"py": "python", "js": "javascript", "ts": "typescript", "cs": "csharp", "rb": "ruby", "sh": "bash",
          "golang": "go", "none": "", "default": "", "all": ""}  # fmt: skip


def to_markdown(html: str) -> str:
    """Return a post's body as Markdown: headings with #, lists with -, code fenced with its language.

    A body that is nested past all reason, or far longer than a site accepts, is kept as its words alone.
    """
    if len(html) <= BODY_LIMIT:
        try:
            return str(_CONVERTER.convert(html)).strip("\n") + "\n"
        except RecursionError:
            pass
    words = _Words()
    words.feed(html[: 4 * BODY_LIMIT])
    words.close()
    return _BLANK.sub("\n\n", "".join(words.found)).strip() + "\n"


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)


def _language(element: Any) -> str:
    names = " ".join([*element.get("class", ()), *((element.code or {}).get("class", ()) if element.code else ())])
    found = _LANGUAGE.search(names)
    name = found[1].lower() if found else ""
    return _NAMES.get(name, name)


class _Converter(MarkdownConverter):
    """Fences code that itself holds a fence with a longer one, and leaves out scripts and styles."""

    def convert_pre(self, el: Any, text: str, parent_tags: Any) -> str:  # noqa: ARG002 - the library's
        code = el.get_text().strip("\n")
        fence = "`" * max([3, *(len(marks) + 1 for marks in _FENCE.findall(code))])
        return f"\n\n{fence}{_language(el)}\n{code}\n{fence}\n\n"

    def convert_script(self, el: Any, text: str, parent_tags: Any) -> str:  # noqa: ARG002 - the library's
        return ""

    convert_style = convert_script


_CONVERTER = _Converter(heading_style="ATX", bullets="-")
