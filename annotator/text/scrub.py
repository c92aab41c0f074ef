"""Take out of a text what would tell a blind rater whose it is: names of models and people, and stock phrases."""

from __future__ import annotations

from collections.abc import Iterable

import regex

MODEL = "[model]"
PERSON = "[person]"
SHORTEST_PERSON = 3
_TIMEOUT = 2.0

# Families and makers of models; a version, size or variant behind one is taken out with it.
_FAMILIES = (
    "chatgpt", "gpt", "openai", "codex", "claude", "anthropic", "gemini", "gemma", "bard", "palm", "deepmind", "llama",
    "code[ _-]?llama", "vicuna", "alpaca", "mi[sx]tral", "codestral", "qwen", "codeqwen", "deepseek",
    "starcoder", "santacoder", "wizardcoder", "wizardlm", "codegen", "codegeex", "phind", "copilot", "chatglm",
    "baichuan", "internlm", "magicoder", "octocoder", "davinci", "grok",
)  # fmt: skip
# A bare word that is also plain English ("palm", "gemini", "grok") only counts with a version behind it.
_PLAIN_ENGLISH = ("alpaca", "bard", "claude", "codex", "gemini", "gemma", "grok", "palm", "codegen", "vicuna")
_VERSION = (
    r"(?:[\s\-_.:/]*(?:v?\d+(?:[.\-]\d+)*[a-z]{0,2}(?![a-z0-9])|turbo|instruct|chat|opus|sonnet|haiku|base|coder))"
)
_SELF = r"\bas an? (?:ai|artificial intelligence)(?: language)?(?: model| assistant)?\b"


def scrub(text: str, models: Iterable[str] = (), people: Iterable[str] = ()) -> tuple[str, int]:
    """Return the text without identifying words, and how many were taken out.

    ``models`` are taken out in any case of letters, ``people`` as they are written and only from three letters on
    (a shorter name would take variables with it). Known families of models go too, with their versions.
    """
    count = 0
    for expression, by in _expressions(models, people):
        text, found = expression.subn(by, text, timeout=_TIMEOUT)
        count += found
    return text, count


def _expressions(models: Iterable[str], people: Iterable[str]) -> list[tuple[regex.Pattern[str], str]]:
    found = [(regex.compile(_SELF, regex.IGNORECASE), MODEL)]
    named = sorted({name.strip() for name in models if name.strip()}, key=_longest_first)
    if named:
        found.append((regex.compile(_any(named), regex.IGNORECASE), MODEL))
    families = [name for name in _FAMILIES if name not in _PLAIN_ENGLISH]
    either = f"(?:{'|'.join(families)}){_VERSION}*|(?:{'|'.join(_PLAIN_ENGLISH)}){_VERSION}+"
    found.append((regex.compile(rf"(?<![\w])(?:{either})(?![\w])", regex.IGNORECASE), MODEL))
    persons = sorted({name.strip() for name in people if len(name.strip()) >= SHORTEST_PERSON}, key=_longest_first)
    if persons:
        found.append((regex.compile(_any(persons)), PERSON))
    return found


def _any(names: Iterable[str]) -> str:
    return rf"(?<!\w)(?:{'|'.join(regex.escape(name) for name in names)})(?!\w)"


def _longest_first(name: str) -> tuple[int, str]:
    return -len(name), name
