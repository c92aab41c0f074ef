"""What was done, going back and forth in it, and the project as of any moment."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from annotator.base.errors import ExitCode
from annotator.cli.output import answer, table
from annotator.cli.parser import add_project, command, group

if TYPE_CHECKING:
    from annotator.cli.parser import Commands
    from annotator.model.history_rows import Effect

_SHORT = 60
_LINES = 50
_BECAME = {"done": "stands", "undone": "undone", "superseded": "undone for good", "event": "stands"}


def add(commands: Commands) -> None:
    """Add the history commands."""
    history = group(commands, "history", "list acts, go back and forth, see and restore the project as it was")
    parser = command(
        history,
        "list",
        "list what was done, newest first",
        'annotator history list p.annotator --search "Mei accept"',
        _list,
    )
    add_project(parser)
    parser.add_argument("--search", default="", metavar="TEXT", help="words in the act, the name or the date")
    parser.add_argument("--limit", type=int, default=50, metavar="N", help="how many at most (50)")
    parser.add_argument("--before", type=int, metavar="SEQ", help="go on with what came before this entry")
    parser = command(
        history,
        "go",
        "undo or redo your own acts up to a point",
        "annotator history go p.annotator --to 01a1fe00-facf --dry-run",
        _go,
    )
    add_project(parser)
    parser.add_argument("--to", required=True, metavar="ACT", help="the id of an act, or how it begins")
    parser.add_argument("--before", action="store_true", help="go to the moment before that act")
    parser.add_argument("--dry-run", action="store_true", help="only show what would change")
    parser = command(
        history,
        "at",
        "show the project as it stood at a moment",
        "annotator history at p.annotator --when 2026-11-21T10:30",
        _at,
    )
    _moment(parser)
    parser.add_argument("--subject", metavar="ID", help="one subject: how it differed from now")
    parser.add_argument("--limit", type=int, default=50, metavar="N", help="how many subjects at most (50)")
    parser = command(
        history,
        "restore",
        "bring one subject, or all work, back to how it stood",
        'annotator history restore p.annotator --when "2 h ago" --subject HumanEval/0',
        _restore,
    )
    _moment(parser)
    chosen = parser.add_mutually_exclusive_group(required=True)
    chosen.add_argument("--subject", action="append", metavar="ID", help="its id or key; repeat it for several")
    chosen.add_argument("--all", action="store_true", help="all subjects, and the quotas")
    parser.add_argument("--dry-run", action="store_true", help="only show what would change")


def _moment(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument(
        "--when", required=True, metavar="WHEN", help="date and time, a time ago (2 h, 3 days), or the id of an act"
    )
    parser.add_argument("--before", action="store_true", help="with an act: the moment before it")


def _list(options: argparse.Namespace) -> int:
    from annotator.services import history, projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        page = history.acts(store, options.search, max(1, options.limit), options.before)
    finally:
        store.close()
    rows = [
        (
            row.id[:13],
            row.created_at[:19].replace("T", " "),
            row.annotator,
            row.label,
            str(row.items),
            _BECAME[row.state],
        )
        for row in page.rows
    ]
    text = table(("act", "when (UTC)", "who", "what", "items", "state"), rows, (4,))
    answer(options.json, page, f"{text}\n{len(rows)} of {page.total} acts")
    return ExitCode.DONE


def _go(options: argparse.Namespace) -> int:
    from annotator.services import history, projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        if options.dry_run:
            steps = history.preview(store, options.to, before=options.before)
        else:
            steps, _ = history.go_to(store, options.to, before=options.before)
    finally:
        store.close()
    if not steps.way:
        text = "Nothing changes: the project is at that point."
    else:
        done = "undone" if steps.way == "undo" else "done again"
        count = len(steps.acts)
        head = f"{count} {'act' if count == 1 else 'acts'} {'would be ' * options.dry_run}{done}"
        text = "\n".join([head, *(f"  {item.label}" for item in steps.acts), _effects(steps.effects)])
    answer(options.json, {"done": not options.dry_run, **_plain(steps)}, text)
    return ExitCode.DONE


def _at(options: argparse.Namespace) -> int:
    from annotator.model.rows import QueueFilter
    from annotator.services import projects, selecting, timemachine

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        moment = timemachine.moment(store, options.when, before=options.before)
        if options.subject:
            found = timemachine.compare(store, moment, options.subject)
            text = _effects(found) if found else "The subject stood as it stands now."
            answer(options.json, {"moment": moment, "differences": found}, text)
            return ExitCode.DONE
        with timemachine.visit(store, moment) as past:
            counts = projects.stage_counts(past)
            page = selecting.queue_page(past, QueueFilter(), None, max(1, options.limit))
    finally:
        store.close()
    rows = [
        (row.key, row.title, row.verdict or "open", _has(row.has_prompt), _has(row.has_criterion)) for row in page.rows
    ]
    text = table(("key", "title", "verdict", "paraphrase", "criterion"), rows)
    total = f"{len(rows)} of {counts.subjects} subjects as of {timemachine.local_text(moment)}"
    answer(options.json, {"moment": moment, "counts": counts, "subjects": page.rows}, f"{text}\n{total}")
    return ExitCode.DONE


def _restore(options: argparse.Namespace) -> int:
    from annotator.services import projects, timemachine

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        moment = timemachine.moment(store, options.when, before=options.before)
        label = None
        if options.dry_run:
            plan = timemachine.preview(store, moment, options.subject)
        else:
            plan, changes = timemachine.restore(store, moment, options.subject)
            label = changes.label
    finally:
        store.close()
    for note in plan.left:
        sys.stderr.write(f"{note}\n")
    head = label or f"{len(plan.effects)} fields of {len(plan.subjects)} subjects would be restored"
    data = {"done": label, "moment": moment, "effects": plan.effects, "left": plan.left}
    answer(options.json, data, f"{head}\n{_effects(plan.effects)}")
    return ExitCode.DONE


def _has(there: bool) -> str:
    return "yes" if there else "no"


def _plain(steps: object) -> dict[str, object]:
    from annotator.cli.output import plain

    found = plain(steps)
    return found if isinstance(found, dict) else {}


def _effects(effects: Iterable[Effect]) -> str:
    rows = [(item.key, item.field, _short(item.before), _short(item.after)) for item in effects]
    more = f"\nand {len(rows) - _LINES} more" if len(rows) > _LINES else ""
    return table(("subject", "field", "now", "after it"), rows[:_LINES]) + more if rows else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return f"{line[: _SHORT - 1]}…" if len(line) > _SHORT else line or "none"
