"""The first words of commands with their summaries and declaring modules, the lightest first."""

import importlib
from typing import NamedTuple

from annotator.cli.command import Command


class CommandWord(NamedTuple):
    """A first word of the command line."""

    summary: str
    modules: tuple[str, ...]


def _word(summary: str, *modules: str) -> CommandWord:
    return CommandWord(summary, modules)


WORDS = {
    "open": _word("open a project in the window", "program.window"),
    "demo": _word("build the sample project and show it", "program.demo"),
    "doctor": _word("check what works on this machine", "program.doctor"),
    "new": _word("create a project", "project.state"),
    "formats": _word("list the formats of import and export", "sources.imports"),
    "import": _word("import candidates from files or folders", "sources.imports"),
    "status": _word("show what is to be done in a project", "project.status"),
    "undo": _word("undo your last change", "project.state"),
    "redo": _word("redo what was undone", "project.state"),
    "backup": _word("create a checked backup", "project.state"),
    "check": _word("check that a project is intact", "project.state"),
    "history": _word("list changes, move between them, view and restore earlier states", "project.history"),
    "backups": _word("list, check and restore the backups of a project", "project.backups"),
    "recover": _word("check a damaged project, and save what can be read", "project.backups"),
    "mine": _word(
        "mine candidates from other people's code and questions",
        "sources.mine_repository",
        "sources.mine_subset",
        "sources.mine",
    ),
    "quotas": _word("set target numbers of subjects per kind", "select.quotas"),
    "queue": _word("assign candidates, so that no two people decide on the same one", "select.queue"),
    "list": _word("list the subjects of a project", "select.list_subjects"),
    "show": _word("show one subject", "select.subjects"),
    "select": _word("decide on a candidate", "select.subjects"),
    "label": _word("set a subject's difficulty, question type or licence", "select.subjects"),
    "paraphrase": _word("check a paraphrase, and override its checks", "prompt.checks"),
    "prompt": _word("save a paraphrase of a subject's prompt", "prompt.checks"),
    "criterion": _word("write, prove and try criteria", "criterion"),
    "rewrite": _word("rewrite mined code into a task that its own code does not solve", "prompt.rewrite"),
    "suggest": _word("suggestions by a model, for a person to accept or reject", "prompt.suggest"),
    "bugs": _word("implant bugs, prove them and review them", "bugs"),
    "tasks": _word("make items from code: understanding, completion, modification, review", "tasks"),
    "judge": _word("judge pairs blind", "judge"),
    "team": _word("review, vote, confirm, comment and settle", "consensus"),
    "packet": _word("share the work with a colleague as one file", "project.packet"),
    "project": _word("rename a project, copy it to a server and back", "project.server"),
    "lease": _word("reserve the next subject that nobody else has", "select.queue"),
    "release": _word("freeze, compare and export versions", "list_releases", "release"),
    "cluster": _word("start scoring workers, on one machine or several", "program.sandbox"),
    "run": _word("evaluate models on a release", "runs.list_runs", "runs.start", "runs.views"),
    "results": _word("show results: the leaderboard, further tables, figures, a report", "results"),
    "sandbox": _word("build and check the sandbox, where untrusted code runs", "program.sandbox"),
    "settings": _word("show and change the settings of this machine", "program.settings"),
    "completion": _word("print a script that lets a shell complete commands, options and files", "program.completion"),
    "manual": _word("read or search the manual", "program.manual"),
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
