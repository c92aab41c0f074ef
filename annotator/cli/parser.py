"""The words of the command line: the registry of commands, their parser, and suggestions for misspelt ones."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from itertools import takewhile
from typing import NamedTuple, NoReturn

from annotator import __version__
from annotator.base.errors import UsageError
from annotator.cli.command import EXIT_STATUS, Command, ParameterVisitor, add_parser

_PROJECT_SUFFIX = ".annotator"
_PROJECT_OPTION = "--project"
_GLOBAL_OPTIONS = ("--help", "--version")
_MIN_SIMILARITY = 0.7
"""The similarity from which a word is suggested for another; 'next' and 'export' have 0.6."""
_DASHES = "-\N{EN DASH}\N{EM DASH}"
"""Dashes, including those that word processors substitute."""


class CommandWord(NamedTuple):
    """A first word of the command line."""

    summary: str
    modules: tuple[str, ...]


def _describe_word(summary: str, *modules: str) -> CommandWord:
    return CommandWord(summary, modules)


WORDS = {
    "open": _describe_word("open a project in the window", "program.window"),
    "demo": _describe_word("build the sample project and show it", "program.sample_project"),
    "doctor": _describe_word("check what works on this machine", "program.machine"),
    "new": _describe_word("create a project", "project.state"),
    "formats": _describe_word("list the import and export formats", "sources.import_files"),
    "import": _describe_word("import candidates from files or folders", "sources.import_files"),
    "status": _describe_word("show what is to be done in a project", "overview"),
    "undo": _describe_word("undo your last change", "project.state"),
    "redo": _describe_word("redo the change that was undone last", "project.state"),
    "backup": _describe_word("create a checked backup", "project.state"),
    "check": _describe_word("check that a project is intact", "project.state"),
    "history": _describe_word("list changes, move between them, view and restore earlier states", "project.history"),
    "backups": _describe_word("list, check and restore the backups of a project", "project.backup_commands"),
    "recover": _describe_word("check a damaged project, and save what can be read", "project.backup_commands"),
    "mine": _describe_word(
        "mine candidates from other people's code and questions", "sources.mine_repository", "sources.mine"
    ),
    "quotas": _describe_word("set target numbers of subjects per kind", "select"),
    "queue": _describe_word("assign candidates, so that no two people decide on the same one", "select"),
    "list": _describe_word("list the subjects of a project", "overview"),
    "show": _describe_word("show one subject", "select"),
    "select": _describe_word("decide on a candidate", "select"),
    "label": _describe_word("set a subject's difficulty, question type or licence", "select"),
    "paraphrase": _describe_word("check a paraphrase, and override its checks", "prompt.prompts"),
    "prompt": _describe_word("save a paraphrase of a subject's prompt", "prompt.prompts"),
    "criterion": _describe_word("write, prove and try criteria", "criterion"),
    "rewrite": _describe_word("rewrite mined code into a task that its own code does not solve", "prompt.prompts"),
    "suggest": _describe_word("suggestions by a model, for a person to accept or reject", "prompt.suggest"),
    "bugs": _describe_word("implant bugs, prove them and review them", "bugs"),
    "tasks": _describe_word("make items from code: understanding, completion, modification, review", "tasks"),
    "judge": _describe_word("judge pairs blind", "overview", "judge"),
    "team": _describe_word("review, vote, confirm, comment and settle", "consensus"),
    "packet": _describe_word("share the work with a colleague as one file", "project.sharing"),
    "project": _describe_word("rename a project, copy it to a server and back", "project.sharing"),
    "lease": _describe_word("reserve the next subject that nobody else has", "select"),
    "release": _describe_word("freeze, compare and export versions", "overview", "release"),
    "cluster": _describe_word("start scoring workers, on one machine or several", "program.machine"),
    "run": _describe_word("evaluate models on a release", "overview", "runs.start", "runs.views"),
    "results": _describe_word("show results: the leaderboard, further tables, figures, a report", "results"),
    "sandbox": _describe_word("build and check the sandbox, where untrusted code runs", "program.machine"),
    "settings": _describe_word("show and change the settings of this machine", "program.help"),
    "completion": _describe_word(
        "print a script that lets a shell complete commands, options and files", "program.help"
    ),
    "manual": _describe_word("read or search the manual", "program.help"),
}


def load_commands(word: str, second: str = "") -> tuple[Command, ...]:
    """Import the modules of a first word one by one, and return its commands in order of declaration.

    Stops after the module that declares the command with this ``second`` word, so that `run list` does not load
    `run start`.
    """
    commands: list[Command] = []
    for name in WORDS[word].modules:
        module = importlib.import_module(f"annotator.cli.commands.{name}")
        declared = (item for item in vars(module).values() if isinstance(item, Command))
        commands += (item for item in declared if item.name.partition(" ")[0] == word)
        if any(item.name == f"{word} {second}" for item in commands):
            break
    return tuple(commands)


class CommandParser(argparse.ArgumentParser):
    """Reports a usage error as one sentence with a hint at ``--help``."""

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError`."""
        end = "" if message.endswith(("?", ".")) else "."
        raise UsageError(f"{self.prog}: {message}{end} {self.prog} --help shows its usage.")


def build_parser(
    only_word: str | None = None, visit: ParameterVisitor | None = None, second: str = ""
) -> argparse.ArgumentParser:
    """Return the parser; every command sets ``call``, a function from the parsed options to the exit status.

    With a command's first word as ``only_word`` the parser knows only that command; with any other word, all commands
    by name and summary (for ``--help`` and unknown commands); with None, everything. If a word is both a command and
    a group, it is parsed as a group if ``second`` names one of its commands. ``visit`` is called with each parameter.
    """
    parser = CommandParser(
        prog="annotator",
        description="Turn mined candidates into a proven, released benchmark for code models, and read the results.",
        epilog=EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", "-V", action="version", version=f"annotator {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", prog=parser.prog)
    for word in (only_word,) if only_word in WORDS else WORDS:
        if only_word is not None and only_word != word:
            add_parser(commands.add_parser, word, WORDS[word].summary)
            continue
        loaded_commands = load_commands(word, second)
        same_name_command = next((item for item in loaded_commands if item.name == word), None)
        if same_name_command is not None and f"{word} {second}" not in {item.name for item in loaded_commands}:
            same_name_command.add_to(
                commands.add_parser, visit, [item for item in loaded_commands if item is not same_name_command]
            )
            continue
        group = add_parser(commands.add_parser, word, WORDS[word].summary)
        group.set_defaults(call=_refuse_group, group=group.prog)
        inner = group.add_subparsers(title="commands", metavar="COMMAND")
        for item in loaded_commands:
            if item is not same_name_command:
                item.add_to(inner.add_parser, visit)
    return parser


def _refuse_group(options: argparse.Namespace) -> NoReturn:
    raise UsageError(f"{options.group} requires a command; {options.group} --help lists them.")


def refuse_unknown(arguments: Sequence[str]) -> None:
    """Raise `UsageError` for an unknown command or option; words after ``--`` are not checked."""
    words = list(takewhile(lambda word: word != "--", arguments))
    word_index = next((number for number, word in enumerate(words) if not word.startswith("-")), None)
    if word_index is None:
        _refuse_options("annotator", _GLOBAL_OPTIONS, words)
        return
    first_word = words[word_index]
    if f"--{first_word}" in _GLOBAL_OPTIONS:
        command_word = next((word for word in words[word_index + 1 :] if word in WORDS), "")
        suggestion = " ".join(item for item in ("annotator", command_word, f"--{first_word}") if item)
        raise UsageError(
            f"There is no command {first_word}. Did you mean {suggestion}? annotator --help lists the commands."
        )
    if first_word not in WORDS:
        if first_word.endswith(_PROJECT_SUFFIX):
            raise UsageError(f"There is no command {first_word}. To open the project: annotator open {first_word}")
        raise UsageError(
            f"There is no command {first_word}.{_suggest_or_list(first_word, WORDS)} "
            "annotator --help lists the commands."
        )
    command = _find_command(first_word, words[word_index + 1 : word_index + 2])
    if command is not None:
        flags = {item.flag for item in command.parameters if item.flag}
        _refuse_misplaced_project(f"annotator {command.name}", flags, words)
        format_flags = [*(["--json"] if command.json else []), *(["--jsonl"] if command.rows else [])]
        _refuse_options(f"annotator {command.name}", {"--help", *format_flags, *flags}, words)


def _find_command(first: str, following: Sequence[str]) -> Command | None:
    """Return the called command, or None for a group alone, such as ``annotator run --help``."""
    second = following[0] if following else ""
    commands = load_commands(first, second)
    same_name_command = next((item for item in commands if item.name == first), None)
    by_word = {item.name.partition(" ")[2]: item for item in commands if item is not same_name_command}
    if same_name_command is not None:
        return by_word.get(second, same_name_command)
    if not second or second.startswith("-"):
        return None
    if second not in by_word:
        list_advice = f"annotator {first} --help lists its commands."
        raise UsageError(f"annotator {first} has no command {second}.{_suggest_or_list(second, by_word)} {list_advice}")
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
    completions = [item for item in sorted(choices) if len(word) > 1 and item.startswith(word)]
    # Compared without dashes, which all options share and which would raise every similarity.
    choices_by_bare_name = {item.lstrip("-"): item for item in sorted(choices)}
    suggestions = completions or [
        choices_by_bare_name[item]
        for item in get_close_matches(word.lstrip("-"), choices_by_bare_name, n=1, cutoff=_MIN_SIMILARITY)
    ]
    return f" Did you mean {suggestions[0]}?" if suggestions else ""


def _suggest_or_list(word: str, choices: Collection[str]) -> str:
    return suggest_word(word, choices) or f" Choices: {', '.join(choices)}."
