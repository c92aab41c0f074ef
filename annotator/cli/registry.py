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
    "doctor": _word("say what works on this machine", "program.doctor"),
    "new": _word("make a project", "project.state"),
    "formats": _word("list what import and export know", "sources.imports"),
    "import": _word("import candidates from files or folders", "sources.imports"),
    "status": _word("say what waits in a project", "project.status"),
    "undo": _word("take your last act back", "project.state"),
    "redo": _word("do what was undone again", "project.state"),
    "backup": _word("write a checked copy", "project.state"),
    "check": _word("check that a project is sound", "project.state"),
    "history": _word("list acts, go back and forth, see and restore the project as it was", "project.history"),
    "backups": _word("list, check and put back the backups of a project", "project.backups"),
    "recover": _word("say what is intact in a damaged project, and save what can be read", "project.backups"),
    "mine": _word(
        "mine candidates from other people's code and questions",
        "sources.mine_repository",
        "sources.mine_subset",
        "sources.mine",
    ),
    "quotas": _word("say how many subjects of which kind are wanted", "select.quotas"),
    "queue": _word("deal the candidates out, so that no two people decide on the same one", "select.queue"),
    "list": _word("list the subjects of a project", "select.list_subjects"),
    "show": _word("show one subject", "select.subjects"),
    "select": _word("decide on a candidate", "select.subjects"),
    "label": _word("say how hard a subject is, what kind of question, or under which licence", "select.subjects"),
    "paraphrase": _word("check a paraphrase, and override its checks", "prompt.checks"),
    "prompt": _word("save a paraphrase of a subject's prompt", "prompt.paraphrase"),
    "criterion": _word("write, prove and try criteria", "criterion"),
    "rewrite": _word("rewrite mined code into a task that its own code does not solve", "prompt.rewrite"),
    "suggest": _word("drafts by a model, for a person to take or turn down", "prompt.suggest"),
    "bugs": _word("implant bugs, prove them and review them", "bugs"),
    "tasks": _word("items made from code: understanding, completion, modification, review", "tasks"),
    "judge": _word("judge pairs blind", "judge"),
    "team": _word("review, vote, confirm, comment and settle", "consensus"),
    "packet": _word("share the work with a colleague as one file", "project.packet"),
    "project": _word("rename a project, bring it onto a server and back", "project.server"),
    "lease": _word("take the next subject nobody else has", "select.lease"),
    "release": _word("freeze, compare and export versions", "list_releases", "release"),
    "cluster": _word("start workers that score, on one machine or several", "program.cluster"),
    "run": _word("evaluate models on a release", "runs.list_runs", "runs.start", "runs.views"),
    "results": _word("show results: the leaderboard, further tables, figures, a report", "results"),
    "sandbox": _word("the place where untrusted code runs", "program.sandbox"),
    "settings": _word("see and change the settings of this machine", "program.settings"),
    "completion": _word("let a shell complete commands, options and files", "program.completion"),
    "manual": _word("read the manual, or look something up in it", "program.manual"),
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
