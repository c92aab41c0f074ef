"""The manual: load the Markdown pages in ``resources/help``, search them and format them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from annotator.base.errors import BadInputError
from annotator.base.resources import resource_path

TOPICS = (
    "getting-started", "tutorial-own-data", "tutorial-stack-overflow", "tutorial-repository", "tutorial-team",
    "tutorial-results", "how-to", "sources", "repositories", "select", "prompt", "rewrite", "criterion", "bugs",
    "judge", "consensus", "release", "runs", "results", "team", "sandbox", "settings", "verdicts", "proofs",
    "blindness", "criterion-language", "criterion-keys", "formats", "file-fields", "notebook", "command-line",
    "troubleshooting",
)  # fmt: skip
"""All pages in reading order."""

_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
_EXCERPT_CHARACTERS = 150
# Words that are too common to narrow down a search.
STOP_WORDS = frozenset((
    "a", "all", "an", "and", "another", "are", "as", "at", "be", "between", "can", "do", "does", "for", "from", "have",
    "how", "i", "in", "into", "is", "it", "make", "my", "of", "on", "one", "or", "our", "so", "that", "the",
    "their", "there", "this", "to", "two", "use", "using", "was", "we", "were", "what", "when", "where", "which", "who",
    "why", "with", "you", "your",
))  # fmt: skip
# Groups of synonyms, because a question's word need not be the manual's.
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
class ManualSection:
    """A heading and the text below it, up to the next heading; ``anchor`` is its name in links."""

    anchor: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ManualTopic:
    """A page of the manual; ``text`` is its Markdown, the first section is the beginning of the page."""

    id: str
    title: str
    text: str
    sections: tuple[ManualSection, ...]


@dataclass(frozen=True, slots=True)
class ManualHit:
    """A section that matches a search. ``place`` is ``topic`` or ``topic#anchor``."""

    place: str
    topic: str
    title: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class Manual:
    """All pages by id, in reading order."""

    topics: Mapping[str, ManualTopic]

    def topic(self, name: str) -> ManualTopic:
        """Return a page. Raises `BadInputError`, with a list of the pages, for an unknown one."""
        page = self.topics.get(name)
        if page is None:
            raise BadInputError(f"The manual has no page {name}. Choose from: {', '.join(self.topics)}.")
        return page

    def search(self, words: str, limit: int = 40) -> tuple[ManualHit, ...]:
        """Return the sections that match every word, best first; words in titles count most.

        A word matches if it, its singular or a synonym begins a word of the section. `STOP_WORDS` are ignored unless
        there are no other words.
        """
        typed_words = split_words(words)
        terms = [word for word in typed_words if word not in STOP_WORDS] or typed_words
        hits: list[tuple[int, int, ManualHit]] = []
        for topic in self.topics.values() if terms else ():
            for number, section in enumerate(topic.sections):
                points = _score_section(terms, topic, section, first=number == 0)
                if points:
                    place = topic.id if number == 0 else f"{topic.id}#{section.anchor}"
                    hit = ManualHit(place, topic.title, section.title, _make_excerpt(section.text, terms))
                    hits.append((-points, len(hits), hit))
        return tuple(hit for _, _, hit in sorted(hits, key=lambda item: (item[0], item[1]))[:limit])


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return re.findall(r"\w+", text.lower())


def load_manual() -> Manual:
    """Read the manual. Raises `MissingEnvironmentError` if the installation lacks a page."""
    return Manual({name: parse_topic(name, resource_path("help", f"{name}.md").read_text("utf-8")) for name in TOPICS})


def parse_topic(name: str, text: str) -> ManualTopic:
    """Split a page into sections at its headings, ignoring lines in code blocks that look like headings."""
    sections: list[ManualSection] = []
    title = name
    lines: list[str] = []
    is_in_code = has_heading = False
    for line in text.splitlines():
        is_in_code ^= line.startswith("```")
        marks, _, heading = line.partition(" ")
        if is_in_code or marks not in ("#", "##", "###", "####") or not heading:
            lines.append(line)
            continue
        if has_heading:
            sections.append(ManualSection(anchor_of(title), title, "\n".join(lines).strip()))
        title = strip_markdown(heading)
        lines = []
        has_heading = True
    sections.append(ManualSection(anchor_of(title), title, "\n".join(lines).strip()))
    return ManualTopic(name, sections[0].title, text, tuple(sections))


def anchor_of(title: str) -> str:
    """Return a section's link anchor: the words of its title in lower case, joined by hyphens."""
    return "-".join(split_words(title))


def strip_markdown(text: str) -> str:
    """Return Markdown as plain text, without its markup."""
    text = _LINK.sub(r"\1", text)
    return re.sub(r"[*`|]+|^#+ |^-{3,}$", "", text, flags=re.MULTILINE)


def insert_shortcuts(text: str, keys: Mapping[str, str]) -> str:
    """Replace key links by the current shortcuts: ``[A](key:select.accept)`` becomes the key of that action."""

    def replacement(match: re.Match[str]) -> str:
        kind, _, action = match[2].partition(":")
        if kind != "key":
            return match[0]
        key = keys.get(action, match[1])
        return f"**{key}**" if key else "(no key)"

    return _LINK.sub(replacement, text)


def format_for_terminal(text: str) -> str:
    """Return a page as text for a terminal, with links and keys replaced by their words."""
    return _LINK.sub(r"\1", text)


def _score_section(terms: list[str], topic: ManualTopic, section: ManualSection, *, first: bool) -> int:
    total = 0
    title = section.title.lower()
    body = f"{title}\n{topic.title.lower()}\n{strip_markdown(section.text).lower()}"
    for word in terms:
        pattern = _search_pattern(word)
        match_count = len(pattern.findall(body))
        if not match_count:
            return 0
        # The word itself counts more than a synonym.
        typed_word = re.compile(rf"\b{re.escape(_make_singular(word))}")
        total += min(match_count, 5)
        total += 20 if pattern.search(title) else 0
        total += 10 if typed_word.search(title) else 0
    # A heading that equals the search comes first, and a page before its sections.
    exact_points = 30 if re.split(r"\W+", title) == terms else 0
    return total + exact_points + (5 if first else 0)


@cache
def _search_pattern(word: str) -> re.Pattern[str]:
    """Return a pattern for a word, its singular and its synonyms."""
    singular = _make_singular(word)
    groups = (group for group in SYNONYMS if {word, singular} & set(group))
    spellings = {singular, *(other for group in groups for other in group)}
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(spellings)))})")


def _make_singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _make_excerpt(text: str, terms: list[str]) -> str:
    plain_text = " ".join(strip_markdown(text).split())
    match = _search_pattern(terms[0]).search(plain_text.lower())
    start = max(0, (match.start() if match else 0) - 40)
    start = plain_text.rfind(" ", 0, start) + 1 if start else 0
    excerpt = plain_text[start : start + _EXCERPT_CHARACTERS]
    return f"{'…' if start else ''}{excerpt}{'…' if start + _EXCERPT_CHARACTERS < len(plain_text) else ''}"
