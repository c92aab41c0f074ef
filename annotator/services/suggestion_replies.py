"""Extract a function's description from a chat model's response, without greetings, headings, fences and offers."""

from __future__ import annotations

import ast
import inspect
import re

from annotator.answers.fences import split_blocks
from annotator.answers.reasoning import without_reasoning
from annotator.answers.refusals import is_refusal
from annotator.text.completions import Function, read_completion
from annotator.text.python_tree import readable_tree

_WHAT = r"(?:description|instruction|requirement|docstring|draft|specification|task|version)s?"
_TALK = re.compile(
    r"(?:sure|certainly|of course|absolutely|okay|ok|great)\b[^\n]*[:!.]|"
    r"(?:here(?:['\u2019]s| is| are)|below is)\b[^\n]*:|"
    r"i(?:['\u2019]ve| have)? (?:made|checked|corrected|mended|added|fixed|revised|updated)\b[^\n]*",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    rf"(?:^|\n)[^\n]{{0,80}}\b(?:here(?:['\u2019]s| is)|below is)\b[^\n]*\b{_WHAT}\b[^\n]*:[ \t]*\n", re.IGNORECASE
)
_HEADING = re.compile(
    rf"(?:#{{1,6}}[ \t]+\W*(?:\w+[ \t]+){{0,3}}{_WHAT}\W*\n|\*\*[ \t]*(?:\w+[ \t]+)?{_WHAT}[ \t]*:?\*\*:?|"
    rf"(?:\w+[ \t]+)?{_WHAT}[ \t]*:)[ \t]*",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"(?:please )?let me know\b|(?:i )?hope (?:this|that) helps|would you like\b|"
    r"(?:if you(?:['\u2019]d| would)? (?:like|want|need|prefer)|feel free)\b.*\b(?:i can|i could|let me|ask)\b",
    re.IGNORECASE,
)
_AGREES = re.compile(
    r"\W*(?:yes\b\W*)?(?:(?:the|this|your) (?:description|instruction|requirement|draft)\b[^.\n]*"
    r"\b(?:correct|accurate|complete|consistent|fine|good|holds|matches|no (?:changes?|corrections?))\b|"
    r"no (?:changes?|corrections?|errors?)\b|(?:nothing|everything) (?:is|looks|to|needs)\b|"
    r"(?:all|looks) (?:good|correct)\b|ok\b)",
    re.IGNORECASE,
)
_LONGEST_REMARK = 300
_QUOTED = re.compile(r"[rRuU]?(\"\"\"|''')(.*)\1", re.DOTALL)


def read_description(response: str) -> str:
    """Return the description in a response, ready for a docstring; empty if the model declines."""
    text = without_reasoning(response).text.strip()
    if len(text) <= _LONGEST_REMARK and is_refusal(text):
        return ""
    text = _without_talk(text)
    blocks = split_blocks(text)
    if len(blocks) == 1 and not blocks[0].intro and not _without_offer(blocks[0].after):
        text = blocks[0].code
    text = _of_docstring(text)
    return _HEADING.sub("", text, count=1).strip() if _HEADING.match(text) else text


def is_agreement(response: str) -> bool:
    """Tell whether a response to a check only says that the draft is correct."""
    text = without_reasoning(response).text.strip()
    return len(text) <= _LONGEST_REMARK and _AGREES.match(text) is not None


def _without_talk(text: str) -> str:
    """Return a text without the sentences before and after it that address the user."""
    announced = _ANNOUNCES.search(text)
    first, _, rest = text.partition("\n")
    if announced is not None and rest.strip():
        text = text[announced.end() :].strip()
    elif _TALK.fullmatch(first.strip()) and rest.strip():
        text = rest.strip()
    return _without_offer(text)


def _without_offer(text: str) -> str:
    above, _, last = text.rstrip().rpartition("\n")
    return above.rstrip() if _OFFER.match(last.strip()) else text


def _of_docstring(text: str) -> str:
    """Return the docstring if the text is one, or a function with one; otherwise return the text."""
    quoted = _QUOTED.fullmatch(text.strip())
    if quoted is not None and quoted[1] not in quoted[2]:
        return inspect.cleandoc(quoted[2]).strip()
    completion = read_completion(text)
    if completion is not None and completion.description:
        return completion.description
    tree = readable_tree(text)
    only = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    return (ast.get_docstring(only) or text) if isinstance(only, Function) else text
