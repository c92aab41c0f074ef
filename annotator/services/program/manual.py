"""The manual: Markdown pages in ``resources/help``, read once, found by words and by place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from annotator.base.errors import BadInputError
from annotator.base.resources import resource

TOPICS = (
    "getting-started", "tutorial-own-data", "tutorial-stack-overflow", "tutorial-repository", "tutorial-team",
    "tutorial-results", "how-to", "sources", "select", "prompt", "criterion", "bugs", "judge", "consensus", "release",
    "runs", "results", "team", "sandbox", "settings", "verdicts", "proofs", "blindness", "criterion-language",
    "criterion-keys", "formats", "file-fields", "notebook", "command-line", "troubleshooting",
)  # fmt: skip
"""Every page, in the order of reading."""

_HEADING = re.compile(r"(#{1,4}) (.+)")
_FENCE = re.compile(r"```")
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
_EXCERPT = 150
# Words that say nothing of what is looked for.
STOP_WORDS = frozenset((
    "a", "all", "an", "and", "another", "are", "as", "at", "be", "between", "can", "do", "does", "for", "from", "have",
    "how", "i", "in", "into", "is", "it", "make", "my", "of", "on", "one", "or", "our", "so", "that", "the",
    "their", "there", "this", "to", "two", "use", "using", "was", "we", "were", "what", "when", "where", "which", "who",
    "why", "with", "you", "your",
))  # fmt: skip
# Words that people use for the same thing; what stands first in a question need not stand in the manual.
SYNONYMS = (
    ("merge", "join", "combine", "unite"),
    ("delete", "remove", "withdraw", "discard", "erase", "take out"),
    ("subject", "candidate", "item", "question", "problem", "task"),
    ("rename", "name", "call", "title"),
    ("strengthen", "strict", "tighten"),
    ("weaken", "mild", "loosen", "relax"),
    ("settle", "resolve", "adjudicate"),
    ("disagreement", "conflict", "differ"),
    ("colleague", "team", "coworker", "collaborator", "teammate"),
    ("postgresql", "postgres", "psql"),
    ("windows", "microsoft"),
    ("macos", "mac", "apple", "osx"),
    ("error", "problem", "fail", "broken", "crash"),
    ("install", "setup", "upgrade"),
    ("evaluate", "run", "benchmark"),
    ("leaderboard", "ranking", "rank"),
    ("export", "save as", "publish"),
    ("shortcut", "key", "hotkey", "keyboard"),
    ("back up", "backup", "restore"),
    ("undo", "revert", "take back"),
    ("spreadsheet", "excel", "csv"),
    ("git", "github", "gitlab", "push"),
    ("cost", "price", "budget", "spend", "spending", "money"),
    ("licence", "license"),
    ("paraphrase", "rephrase", "reword", "rewrite"),
    ("criterion", "criteria", "rubric", "grading"),
    ("answer", "response", "completion", "output"),
    ("annotator", "rater", "annotators", "user"),
    ("colour", "color", "theme", "dark"),
    ("docker", "container"),
    ("layout", "folder", "structure"),
    ("language", "locale", "translation"),
)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it, up to the next heading; ``anchor`` names it in links."""

    anchor: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Topic:
    """A page of the manual; ``text`` is its Markdown, the first section is the page's own beginning."""

    id: str
    title: str
    text: str
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A section that holds what was looked for. ``place`` is ``topic`` or ``topic#anchor``."""

    place: str
    topic: str
    title: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class Manual:
    """All pages, by id, in the order of reading."""

    topics: Mapping[str, Topic]

    def topic(self, name: str) -> Topic:
        """Return a page. Raises `BadInputError` naming the pages there are."""
        found = self.topics.get(name)
        if found is None:
            raise BadInputError(f"The manual has no page {name}. There is: {', '.join(self.topics)}.")
        return found

    def search(self, words: str, limit: int = 40) -> tuple[Hit, ...]:
        """Return the sections that hold every word, best first: words of titles count most.

        A word is held where it, its singular or a word for the same thing begins some word. Words such as "how" and
        "the" are left out beside others.
        """
        typed = words_of(words)
        wanted = [word for word in typed if word not in STOP_WORDS] or typed
        found: list[tuple[int, int, Hit]] = []
        for topic in self.topics.values() if wanted else ():
            for number, section in enumerate(topic.sections):
                points = _points(wanted, topic, section, first=number == 0)
                if points:
                    place = topic.id if number == 0 else f"{topic.id}#{section.anchor}"
                    hit = Hit(place, topic.title, section.title, _excerpt(section.text, wanted))
                    found.append((-points, len(found), hit))
        return tuple(hit for _, _, hit in sorted(found, key=lambda item: (item[0], item[1]))[:limit])


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, as search takes them."""
    return re.findall(r"\w+", text.lower())


def load() -> Manual:
    """Read the manual. Raises `MissingEnvironmentError` if the installation lacks a page."""
    return Manual({name: parse(name, resource("help", f"{name}.md").read_text("utf-8")) for name in TOPICS})


def parse(name: str, text: str) -> Topic:
    """Cut a page into sections at its headings; lines that look like headings inside code are none."""
    sections: list[Section] = []
    title, lines, in_code = name, list[str](), False
    begun = False
    for line in text.splitlines():
        in_code ^= bool(_FENCE.match(line))
        heading = None if in_code else _HEADING.fullmatch(line)
        if heading is None:
            lines.append(line)
            continue
        if begun:
            sections.append(Section(anchor_of(title), title, "\n".join(lines).strip()))
        title, lines, begun = plain(heading[2]), [], True
    sections.append(Section(anchor_of(title), title, "\n".join(lines).strip()))
    return Topic(name, sections[0].title, text, tuple(sections))


def anchor_of(title: str) -> str:
    """Return the name of a section in links: its words in lower case, joined by hyphens."""
    return "-".join(re.findall(r"\w+", title.lower()))


def plain(text: str) -> str:
    """Return Markdown text without its marks."""
    text = _LINK.sub(r"\1", text)
    return re.sub(r"[*`|]+|^#+ |^-{3,}$", "", text, flags=re.MULTILINE)


def links(text: str) -> tuple[tuple[str, str], ...]:
    """Return the (text, target) of every link of a page."""
    return tuple((found[1], found[2]) for found in _LINK.finditer(text))


def with_keys(text: str, keys: Mapping[str, str]) -> str:
    """Put the keys in force into a page: ``[A](key:select.accept)`` shows what ``keys`` has for that action."""

    def shown(found: re.Match[str]) -> str:
        kind, _, action = found[2].partition(":")
        if kind != "key":
            return found[0]
        key = keys.get(action, found[1])
        return f"**{key}**" if key else "(no key)"

    return _LINK.sub(shown, text)


def for_terminal(text: str) -> str:
    """Return a page as text for a terminal: links and keys are left as their words."""
    return _LINK.sub(r"\1", text)


def _points(wanted: list[str], topic: Topic, section: Section, *, first: bool) -> int:
    total = 0
    title = section.title.lower()
    body = f"{title}\n{topic.title.lower()}\n{plain(section.text).lower()}"
    for word in wanted:
        pattern = _pattern(word)
        times = len(pattern.findall(body))
        if not times:
            return 0
        # The word itself counts more than one that means the same.
        typed = re.compile(rf"\b{re.escape(word)}")
        total += min(times, 5) + (20 if pattern.search(title) else 0) + (10 if typed.search(title) else 0)
    # A heading that says just what was asked for comes first, and a page before its sections.
    exact = 30 if re.split(r"\W+", title) == wanted else 0
    return total + exact + (5 if first else 0)


@cache
def _pattern(word: str) -> re.Pattern[str]:
    """Return what finds a word, its singular, and the words that mean the same."""
    singular = word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
    groups = (group for group in SYNONYMS if {word, singular} & set(group))
    spellings = {singular, *(other for group in groups for other in group)}
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(spellings)))})")


def _excerpt(text: str, wanted: list[str]) -> str:
    flat = " ".join(plain(text).split())
    found = _pattern(wanted[0]).search(flat.lower())
    start = max(0, (found.start() if found else 0) - 40)
    start = flat.rfind(" ", 0, start) + 1 if start else 0
    cut = flat[start : start + _EXCERPT]
    return f"{'…' if start else ''}{cut}{'…' if start + _EXCERPT < len(flat) else ''}"
