"""Reject unknown commands and options, suggesting the nearest known one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from itertools import takewhile

from annotator.base.errors import UsageError
from annotator.cli.command import Command
from annotator.cli.registry import WORDS, load_commands

_PROJECT_SUFFIX = ".annotator"
_PROJECT_OPTION = "--project"
_GLOBAL_OPTIONS = ("--help", "--version")
_SIMILARITY = 0.7
"""The similarity from which a word is suggested for another; 'next' and 'export' have 0.6."""
_DASHES = "-\N{EN DASH}\N{EM DASH}"
"""Dashes, including those that word processors substitute."""


def refuse_unknown(arguments: Sequence[str]) -> None:
    """Raise `UsageError` for an unknown command or option; words after ``--`` are not checked."""
    words = list(takewhile(lambda word: word != "--", arguments))
    place = next((number for number, word in enumerate(words) if not word.startswith("-")), None)
    if place is None:
        _refuse_options("annotator", _GLOBAL_OPTIONS, words)
        return
    first = words[place]
    if f"--{first}" in _GLOBAL_OPTIONS:
        after = next((word for word in words[place + 1 :] if word in WORDS), "")
        suggestion = " ".join(item for item in ("annotator", after, f"--{first}") if item)
        raise UsageError(
            f"There is no command {first}. Did you mean {suggestion}? annotator --help lists the commands."
        )
    if first not in WORDS:
        if first.endswith(_PROJECT_SUFFIX):
            raise UsageError(f"There is no command {first}. To open the project: annotator open {first}")
        raise UsageError(
            f"There is no command {first}.{_suggest_or_list(first, WORDS)} annotator --help lists the commands."
        )
    command = _find_command(first, words[place + 1 : place + 2])
    if command is not None:
        flags = {item.flag for item in command.parameters if item.flag}
        _refuse_misplaced_project(f"annotator {command.name}", flags, words)
        forms = [*(["--json"] if command.json else []), *(["--jsonl"] if command.rows else [])]
        _refuse_options(f"annotator {command.name}", {"--help", *forms, *flags}, words)


def _find_command(first: str, following: Sequence[str]) -> Command | None:
    """Return the called command, or None for a group alone, such as ``annotator run --help``."""
    second = following[0] if following else ""
    commands = load_commands(first, second)
    exact = next((item for item in commands if item.name == first), None)
    by_word = {item.name.partition(" ")[2]: item for item in commands if item is not exact}
    if exact is not None:
        return by_word.get(second, exact)
    if not second or second.startswith("-"):
        return None
    if second not in by_word:
        listed = f"annotator {first} --help lists its commands."
        raise UsageError(f"annotator {first} has no command {second}.{_suggest_or_list(second, by_word)} {listed}")
    return by_word[second]


def _refuse_misplaced_project(name: str, flags: Collection[str], words: Sequence[str]) -> None:
    """Raise `UsageError` if the project is given as an argument instead of an option, or the other way round."""
    flags_used = [word.partition("=")[0] for word in words]
    project = next((word for word in words if word.endswith(_PROJECT_SUFFIX)), "")
    if _PROJECT_OPTION in flags and _PROJECT_OPTION not in flags_used and project:
        raise UsageError(f"{name} takes the project as an option: {_PROJECT_OPTION} {project}")
    if _PROJECT_OPTION in flags_used and _PROJECT_OPTION not in flags:
        raise UsageError(f"{name} takes the project without an option. {name} --help shows its usage.")


def _refuse_options(name: str, valid_flags: Collection[str], words: Sequence[str]) -> None:
    for word in words:
        flag = word.partition("=")[0]
        with_dashes = f"--{flag.lstrip(_DASHES)}"
        if flag[:1] in _DASHES and flag[:2] != "--" and len(flag) > 2 and with_dashes in valid_flags:
            raise UsageError(f"{name} has no option {flag}. Did you mean {with_dashes}, with two dashes?")
        if flag.startswith("--") and flag not in valid_flags:
            raise UsageError(
                f"{name} has no option {flag}.{suggest_word(flag, valid_flags)} {name} --help lists its options."
            )


def suggest_word(word: str, choices: Collection[str]) -> str:
    """Return " Did you mean …?" with a choice that begins with the word or is nearest to it, or an empty text."""
    longer = [item for item in sorted(choices) if len(word) > 1 and item.startswith(word)]
    # Compared without dashes, which all options share and which would raise every similarity.
    bare = {item.lstrip("-"): item for item in sorted(choices)}
    near = longer or [bare[item] for item in get_close_matches(word.lstrip("-"), bare, n=1, cutoff=_SIMILARITY)]
    return f" Did you mean {near[0]}?" if near else ""


def _suggest_or_list(word: str, choices: Collection[str]) -> str:
    return suggest_word(word, choices) or f" Choices: {', '.join(choices)}."
