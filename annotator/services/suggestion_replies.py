"""Extract a description, a question or a criterion from a chat model's response, without the text around it."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Mapping

from annotator.answers.fences import split_blocks
from annotator.answers.normalising import without_reasoning
from annotator.answers.refusals import is_refusal
from annotator.base.resources import resource_path
from annotator.criteria import parse_criterion
from annotator.llm.templates import Template
from annotator.text.completions import Function, read_completion
from annotator.text.python_tree import readable_tree

KINDS = ("instruction", "requirement", "paraphrase", "domain", "criterion", "tests")
CHECKED = ("instruction", "requirement")
"""Kinds whose draft is checked against the code by a second request, as in DomainEval."""
CHECK = "check"
"""The template of that second request."""
REWRITE = "rewrite"
"""The kind of suggestions that are whole rewrites, requested part by part."""
BUG = "bug"
"""The kind of suggestions that are implanted bugs; `bugs propose` requests them."""
TAXONOMIES: Mapping[str, tuple[str, ...]] = {
    "domaineval": ("computation", "network", "basic operation", "system", "visualization", "cryptography"),
    "evocodebench": (
        "scientific engineering", "software development", "multimedia", "database", "system", "internet",
        "text processing", "communications", "utilities", "security",
    ),
}  # fmt: skip
"""The published domains to choose labels from, for projects without domains of their own."""


PLACES = frozenset({"title", "prompt", "reference", "context", "language", "domains"})
"""The placeholders of a template. A subject's tests are excluded, since the author of its text must not see them."""


def suggestion_templates() -> tuple[Template, ...]:
    """Return the built-in template of every kind."""
    return tuple(suggestion_template(kind) for kind in KINDS)


def suggestion_template(kind: str) -> Template:
    """Return the template for a kind of `KINDS`, `CHECK` or a step of a rewrite. Raises `KeyError` for any other."""
    texts = tomllib.loads(resource_path("prompts", "suggestions.toml").read_text(encoding="utf-8"))
    entry = texts[kind]
    return Template(name=f"suggest-{kind}", version=entry["version"], user=entry["text"], system=texts["system"])


_TEXT_NOUN = (
    r"(?:description|instruction|requirement|docstring|draft|specification|task|version|question|problem|prompt|"
    r"paraphrase)s?"
)
_INTRODUCTION = re.compile(
    r"(?:sure|certainly|of course|absolutely|okay|ok|great)\b[^\n]*[:!.]|"
    r"(?:here(?:['\u2019]s| is| are)|below is)\b[^\n]*:|"
    r"i(?:['\u2019]ve| have)? (?:made|checked|corrected|mended|added|fixed|revised|updated)\b[^\n]*",
    re.IGNORECASE,
)
_ANNOUNCEMENT = re.compile(
    rf"(?:^|\n)[^\n]{{0,80}}\b(?:here(?:['\u2019]s| is)|below is)\b[^\n]*\b{_TEXT_NOUN}\b[^\n]*:[ \t]*\n", re.IGNORECASE
)
_HEADING = re.compile(
    rf"(?:#{{1,6}}[ \t]+\W*(?:\w+[ \t]+){{0,3}}{_TEXT_NOUN}\W*\n|\*\*[ \t]*(?:\w+[ \t]+)?{_TEXT_NOUN}[ \t]*:?\*\*:?|"
    rf"(?:\w+[ \t]+)?{_TEXT_NOUN}[ \t]*:)[ \t]*",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"(?:please )?let me know\b|(?:i )?hope (?:this|that) helps|would you like\b|"
    r"(?:if you(?:['\u2019]d| would)? (?:like|want|need|prefer)|feel free)\b.*\b(?:i can|i could|let me|ask)\b",
    re.IGNORECASE,
)
_AGREEMENT = re.compile(
    r"\W*(?:yes\b\W*)?(?:(?:the|this|your) (?:description|instruction|requirement|draft)\b[^.\n]*"
    r"\b(?:correct|accurate|complete|consistent|fine|good|holds|matches|no (?:changes?|corrections?))\b|"
    r"no (?:changes?|corrections?|errors?)\b|(?:nothing|everything) (?:is|looks|to|needs)\b|"
    r"(?:all|looks) (?:good|correct)\b|ok\b)",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"\W*(?:(?:notes?|changes(?: made)?|what (?:i )?changed|key changes)\W*:|"
    r"(?:this|the) (?:paraphrase|rewrite|rewording|rephrasing|rewritten|revised|reworded|rephrased)\b|"
    r"this version (?:keeps|removes|asks|preserves|maintains|is|drops)\b|"
    r"i(?:['\u2019]ve| have)? (?:kept|removed|left|preserved|rewritten|rephrased|dropped|shortened)\b[^.\n]*"
    r"\b(?:greetings?|tone|wording|names|error messages?|original|question|thanks|stor(?:y|ies)|meaning)\b)[^\0]*",
    re.IGNORECASE,
)
"""A model's remark on its own wording."""
_HORIZONTAL_RULE = re.compile(r"\n[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*\n")
_YAML_KEY = re.compile(r"(?:lang|grading|prompt|post|setup|version|id|title)\w*:")
_MAX_REMARK_CHARACTERS = 300


def read_description(response: str) -> str:
    """Return the description in a response, ready for a docstring; empty if the model declines."""
    text = without_reasoning(response).text.strip()
    if len(text) <= _MAX_REMARK_CHARACTERS and is_refusal(text):
        return ""
    return _strip_heading(_extract_docstring(_strip_frame(text)))


def read_question(response: str) -> str:
    """Return the question in a response that paraphrases one; empty if the model declines.

    A horizontal rule or the model's remark on its changes ends the question.
    """
    text = without_reasoning(response).text.strip()
    # `is_refusal` treats a counter-question as a refusal, but here the response is meant to be a question.
    if len(text) <= _MAX_REMARK_CHARACTERS and "?" not in text and is_refusal(text):
        return ""
    text = _strip_heading(_strip_frame(text))
    parts = _HORIZONTAL_RULE.split(text)
    if len(parts) > 1 and (_REMARK.match(parts[-1].strip()) or _OFFER.match(parts[-1].strip())):
        text = text[: text.rindex(parts[-1])].rstrip("-*_ \t\n")
    if all(line.startswith(">") for line in text.splitlines()):
        text = "\n".join(line[1:].removeprefix(" ") for line in text.splitlines())
    while (remark := _REMARK.match(text.rpartition("\n\n")[2])) is not None and remark.end() < len(text):
        text = text.rpartition("\n\n")[0].rstrip()
    quote_signs = text[:1] + text[-1:]
    inner = text[1:-1]
    is_quoted = quote_signs in ('""', "\u201c\u201d") and bool(inner) and not set(quote_signs) & set(inner)
    return inner.strip() if is_quoted else text


def read_criterion(response: str) -> str:
    """Return the YAML of a criterion in a response.

    This is the last block with a valid criterion, else the last one tagged as YAML, else the last; without blocks, the
    lines from the first key of a criterion to the last line that belongs to it.
    """
    text = without_reasoning(response).text
    blocks = split_blocks(text)
    if not blocks:
        return _cut_yaml(text).strip("\n") + "\n"
    sound = [block for block in blocks if parse_criterion(block.code).document is not None]
    tagged = [block for block in blocks if block.language in ("yaml", "yml")]
    return (sound or tagged or blocks)[-1].code.strip("\n") + "\n"


def _cut_yaml(text: str) -> str:
    lines = text.strip("\n").split("\n")
    first = next((number for number, line in enumerate(lines) if _YAML_KEY.match(line)), 0)
    last = max((number for number, line in enumerate(lines) if line.startswith((" ", "- ")) or _YAML_KEY.match(line)),
               default=len(lines) - 1)  # fmt: skip
    return "\n".join(lines[first : last + 1])


def _strip_frame(text: str) -> str:
    """Return a text without introduction and closing words, and without a fence around the whole."""
    text = _strip_introduction(text)
    blocks = split_blocks(text)
    is_framed = len(blocks) == 1 and not blocks[0].intro and not _strip_offer(blocks[0].after)
    return blocks[0].code.strip() if is_framed else text


def _strip_heading(text: str) -> str:
    return _HEADING.sub("", text, count=1).strip() if _HEADING.match(text) else text


def is_agreement(response: str) -> bool:
    """Return whether a response to a check only says that the draft is correct."""
    text = without_reasoning(response).text.strip()
    return len(text) <= _MAX_REMARK_CHARACTERS and _AGREEMENT.match(text) is not None


def _strip_introduction(text: str) -> str:
    """Return a text without the sentences before and after it that address the user."""
    announcement = _ANNOUNCEMENT.search(text)
    first, _, remaining = text.partition("\n")
    if announcement is not None and remaining.strip():
        text = text[announcement.end() :].strip()
    elif _INTRODUCTION.fullmatch(first.strip()) and remaining.strip():
        text = remaining.strip()
    return _strip_offer(text)


def _strip_offer(text: str) -> str:
    above, _, last = text.rstrip().rpartition("\n")
    return above.rstrip() if _OFFER.match(last.strip()) else text


def _extract_docstring(text: str) -> str:
    """Return the docstring if the text is one, or a function with one; otherwise return the text."""
    completion = read_completion(text)
    if completion is not None and completion.description:
        return completion.description
    tree = readable_tree(text)
    if tree is None or len(tree.body) != 1:
        return text
    return ast.get_docstring(tree.body[0] if isinstance(tree.body[0], Function) else tree) or text
