"""Agreeing with others: reviews, votes, comments, the three experts, settlements, locks."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.base.errors import ExitCode, UsageError
from annotator.cli.output import answer, table
from annotator.cli.parser import add_project, command, group

if TYPE_CHECKING:
    from annotator.cli.parser import Commands
    from annotator.metrics.values import Measure
    from annotator.model.rows import Changes
    from annotator.store.project_file import ProjectFile

_ASPECTS = ("correctness", "difficulty", "applicability", "readability")
_ANSWERS = ("yes", "no", "abstain")


def add(commands: Commands) -> None:
    """Add the group team."""
    inner = group(commands, "team", "review, vote, confirm, comment and settle")
    review = _subject(
        inner,
        "review",
        "mark a subject's four aspects",
        "annotator team review p.annotator --subject HumanEval/0 --correctness 5",
        _review,
    )
    for aspect in _ASPECTS:
        review.add_argument(f"--{aspect}", type=int, metavar="1..5")
    review.add_argument("--note", default="", metavar="N")
    vote = _subject(
        inner,
        "vote",
        "vote on a subject as one of the panel",
        "annotator team vote p.annotator --subject HumanEval/0 --realistic yes --uses-llm no",
        _vote,
    )
    vote.add_argument("--realistic", required=True, choices=_ANSWERS)
    vote.add_argument("--uses-llm", required=True, choices=_ANSWERS)
    _subject(
        inner,
        "votes",
        "show the votes on a subject, once yours is cast",
        "annotator team votes p.annotator --subject HumanEval/0",
        _votes,
    )
    _add_talk(inner)
    _add_artefacts(inner)
    _add_settling(inner)


def _add_talk(inner: Commands) -> None:
    comment = _subject(
        inner,
        "comment",
        "write a comment; @name mentions a person",
        'annotator team comment p.annotator --subject HumanEval/0 --text "@Bo look"',
        _comment,
    )
    comment.add_argument("--text", required=True, metavar="T")
    comment.add_argument("--reply-to", metavar="ID", help="the comment this answers; see annotator team comments")
    _subject(
        inner,
        "comments",
        "list the comments on a subject with whom they mention",
        "annotator team comments p.annotator --subject HumanEval/0",
        _comments,
    )
    panel = command(
        inner,
        "panel",
        "show how the panel votes, or set its size",
        "annotator team panel p.annotator --voters 13 --keep 10",
        _panel,
    )
    add_project(panel)
    panel.add_argument("--voters", type=int, metavar="N", help="how many vote")
    panel.add_argument("--keep", type=int, metavar="K", help="how many must approve; default: 10 of 13 and that share")
    mentions = command(
        inner, "mentions", "list what waits for your answer", "annotator team mentions p.annotator", _mentions
    )
    add_project(mentions)


def _add_artefacts(inner: Commands) -> None:
    edit = _subject(
        inner,
        "edit",
        "edit a subject's solution or tests",
        "annotator team edit p.annotator --subject HumanEval/0 --artefact solution --file s.py",
        _edit,
    )
    edit.add_argument("--file", type=Path, required=True, metavar="F", help="the new content; - for stdin")
    confirm = _subject(
        inner,
        "confirm",
        "confirm a subject's solution or tests; runs them first",
        "annotator team confirm p.annotator --subject HumanEval/0 --artefact tests",
        _confirm,
    )
    confirm.add_argument("--reject", action="store_true", help="send it back instead; needs --note")
    for parser in (edit, confirm):
        parser.add_argument("--artefact", required=True, choices=("solution", "tests"))
        parser.add_argument("--note", default="", metavar="N")


def _add_settling(inner: Commands) -> None:
    differ = command(
        inner,
        "disagreements",
        "list what people see differently",
        "annotator team disagreements p.annotator",
        _disagreements,
    )
    add_project(differ)
    differ.add_argument("--settled", action="store_true", help="with those that are settled")
    settle = _subject(
        inner,
        "settle",
        "settle a disagreement and record how",
        "annotator team settle p.annotator --subject HumanEval/0 --about decision --method majority",
        _settle,
    )
    settle.add_argument("--about", required=True, metavar="WHAT", help="see annotator team disagreements")
    settle.add_argument("--method", required=True, choices=("discussion", "majority", "adjudicator"))
    settle.add_argument("--outcome", default="", metavar="O")
    settle.add_argument("--reason", default="", metavar="R")
    lock = _subject(
        inner, "lock", "close a subject to further work", "annotator team lock p.annotator --subject HumanEval/0", _lock
    )
    lock.add_argument("--open", action="store_true", help="open it again; needs --reason")
    lock.add_argument("--reason", default="", metavar="R")
    _subject(
        inner,
        "history",
        "tell the whole story of a subject",
        "annotator team history p.annotator --subject HumanEval/0",
        _history,
    )


def _subject(
    inner: Commands, name: str, summary: str, example: str, call: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    parser = command(inner, name, summary, example, call)
    add_project(parser)
    parser.add_argument("--subject", required=True, metavar="ID", help="its id or key")
    return parser


def _do(options: argparse.Namespace, act: Callable[[ProjectFile], Changes]) -> int:
    """Open the project, act, and say what was done."""
    from annotator.services import projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        changes = act(store)
    finally:
        store.close()
    answer(options.json, {"done": changes.label, "change": changes.change_id}, changes.label)
    return ExitCode.DONE


def _ask(options: argparse.Namespace, question: Callable[[ProjectFile], Any]) -> Any:
    from annotator.services import projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        return question(store)
    finally:
        store.close()


def _review(options: argparse.Namespace) -> int:
    from annotator.services import reviewing

    marks = {aspect: getattr(options, aspect) for aspect in _ASPECTS if getattr(options, aspect) is not None}

    def act(store: ProjectFile) -> Changes:
        return reviewing.add_review(store, options.subject, marks, options.note)

    return _do(options, act)


def _vote(options: argparse.Namespace) -> int:
    from annotator.services import voting

    def act(store: ProjectFile) -> Changes:
        answers = {"realistic": options.realistic, "uses_llm": options.uses_llm}
        return voting.vote(store, options.subject, answers)

    return _do(options, act)


def _votes(options: argparse.Namespace) -> int:
    from annotator.services import voting

    def question(store: ProjectFile) -> Any:
        return voting.vote_state(store, options.subject)

    found = _ask(options, question)
    text = f"{found.cast} of {found.voters} votes are cast; {found.needed} approvals are needed."
    text += " Cast yours to see the others'." if found.approvals is None else f" {found.approvals} approve."
    for asked, counts in (found.tally or {}).items():
        text += f"\n{voting.QUESTIONS[asked]} {', '.join(f'{count} {said}' for said, count in counts.items())}."
    answer(options.json, found, text)
    return ExitCode.DONE


def _panel(options: argparse.Namespace) -> int:
    from annotator.base.errors import BadInputError
    from annotator.services import projects, voting

    if options.keep is not None and options.voters is None:
        raise UsageError("Give --voters with --keep.")
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        if options.voters is not None:
            voting.set_panel(store, options.voters, options.keep)
        rows = voting.panel_rows(store)
        voters, needed = voting.panel_of(store)
        try:
            report, hidden = voting.panel_report(store), ""
        except BadInputError as error:
            report, hidden = None, error.message
    finally:
        store.close()
    lines = [
        (row.key, f"{row.cast} of {row.voters}", "yes" if row.mine else "no",
         "hidden" if row.approvals is None else str(row.approvals), _kept(row.approvals, kept=row.kept))
        for row in rows
    ]  # fmt: skip
    text = f"{needed} of {voters} must approve.\n\n"
    text += table(("subject", "votes", "yours", "approve", "result"), lines) if rows else "No subject is accepted yet."
    if report is not None and report.subjects:
        text += f"\n\n{report.kept} of {report.subjects} subjects are kept."
        text += "".join(f"\n{count} with {found} approvals" for found, count in report.distribution.items())
        text += f"\nagreement (Gwet's AC1): {_measure(report.agreement.ac1)}"
    data = {"voters": voters, "needed": needed, "subjects": rows, "report": report, "hidden": hidden}
    answer(options.json, data, f"{text}\n\n{hidden}" if hidden else text)
    return ExitCode.DONE


def _kept(approvals: int | None, *, kept: bool | None) -> str:
    if approvals is None:
        return "hidden"
    return {True: "kept", False: "not kept", None: "open"}[kept]


def _measure(measure: Measure) -> str:
    return measure.reason if measure.value is None else f"{measure.value:.3f}"


def _comments(options: argparse.Namespace) -> int:
    from annotator.services import reviewing

    def question(store: ProjectFile) -> Any:
        return reviewing.comments(store, options.subject)

    rows = _ask(options, question)
    lines = [(row.id, row.annotator, ", ".join(row.mentions), row.reply_to or "", row.text) for row in rows]
    text = table(("id", "who", "mentions", "answers", "comment"), lines) if rows else "Nobody has commented."
    answer(options.json, {"comments": rows}, text)
    return ExitCode.DONE


def _comment(options: argparse.Namespace) -> int:
    from annotator.services import reviewing

    def act(store: ProjectFile) -> Changes:
        return reviewing.add_comment(store, options.subject, options.text, options.reply_to)

    return _do(options, act)


def _mentions(options: argparse.Namespace) -> int:
    from annotator.services import reviewing

    rows = _ask(options, reviewing.inbox)
    lines = [(row.annotator, row.key, row.text) for row in rows]
    answer(options.json, {"mentions": rows}, table(("who", "subject", "comment"), lines) if rows else "Nothing waits.")
    return ExitCode.DONE


def _edit(options: argparse.Namespace) -> int:
    from annotator.cli.commands.work import read_text
    from annotator.services import confirming

    content = read_text(options.file)

    def act(store: ProjectFile) -> Changes:
        return confirming.edit(store, options.subject, options.artefact, content, options.note)

    return _do(options, act)


def _confirm(options: argparse.Namespace) -> int:
    from annotator.services import confirming

    def act(store: ProjectFile) -> Changes:
        verdict = "reject" if options.reject else "confirm"
        return confirming.confirm(store, options.subject, options.artefact, verdict, options.note)

    return _do(options, act)


def _disagreements(options: argparse.Namespace) -> int:
    from annotator.services import settling

    def question(store: ProjectFile) -> Any:
        return settling.disagreements(store, settled=options.settled)

    rows = _ask(options, question)
    lines = [
        (
            row.key,
            row.about,
            "; ".join(f"{item.annotator}: {item.said}" for item in row.opinions),
            row.outcome or "open",
        )
        for row in rows
    ]
    text = table(("subject", "about", "opinions", "outcome"), lines) if rows else "Nobody disagrees."
    answer(options.json, {"disagreements": rows}, text)
    return ExitCode.DONE


def _settle(options: argparse.Namespace) -> int:
    from annotator.services import settling

    def act(store: ProjectFile) -> Changes:
        return settling.resolve(store, options.subject, options.about, options.method, options.outcome, options.reason)

    return _do(options, act)


def _lock(options: argparse.Namespace) -> int:
    from annotator.services import reviewing

    def act(store: ProjectFile) -> Changes:
        return reviewing.lock(store, options.subject, not options.open, options.reason)

    return _do(options, act)


def _history(options: argparse.Namespace) -> int:
    from annotator.services import selecting

    def question(store: ProjectFile) -> Any:
        return selecting.history(store, options.subject)

    rows = _ask(options, question)
    lines = [
        (row.created_at[:19], row.annotator, row.act + ("" if row.active else " (undone)"), row.detail) for row in rows
    ]
    answer(options.json, {"history": rows}, table(("when", "who", "what", "detail"), lines))
    return ExitCode.DONE
