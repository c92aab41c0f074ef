"""Commands to list, undo and redo changes, and to view or restore an earlier state of the project."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import islice
from typing import Annotated

from annotator.cli.command import OneOf, Option, Texts, command, parse_whole
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, text_table, write_error
from annotator.model.rows.history_rows import ActRow, Effect
from annotator.model.rows.queue_rows import QueueFilter
from annotator.services.project import projects, time_machine
from annotator.services.project import undo as history
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile

_MAX_CELL_CHARACTERS = 60
_MAX_EFFECT_ROWS = 50
_DEFAULT_LIMIT = 50
_PAGE_SIZE = 1_000
_STATE_WORDS = {"done": "in effect", "undone": "undone", "superseded": "permanently undone", "event": "in effect"}
_SUBJECTS_OR_ALL = OneOf(required=True)
_When = Annotated[str, Option("WHEN", "date and time, a time ago (2 h, 3 days), or the id of a change")]
_BeforeAct = Annotated[bool, Option(help="if WHEN is a change: use the moment before it")]


@command("history list", 'annotator history list p.annotator --search "Mei accept"', rows=True)
def list_acts(
    store: Project,
    *,
    search: Annotated[str, Option("TEXT", "words to find in changes, names and dates")] = "",
    limit: Annotated[int | None, Option("N", "maximum number (50; with --jsonl all)", parse=parse_whole)] = None,
    before: Annotated[int | None, Option("SEQ", "continue with the changes before this one")] = None,
) -> CommandAnswer:
    """List changes, newest first."""
    page = history.load_acts(store, search, limit or _DEFAULT_LIMIT, before)
    rows = [
        (row.id[:13], row.created_at[:19].replace("T", " "), row.annotator, row.label, row.items,
         _STATE_WORDS[row.state])
        for row in page.rows
    ]  # fmt: skip
    text = text_table(("change", "when (UTC)", "who", "what", "items", "state"), rows)
    all_rows = islice(_read_all(store, search, before), limit)
    return CommandAnswer(page, f"{text}\n{len(rows)} of {page.total} changes", rows=all_rows)


def _read_all(store: ProjectFile, search: str, before: int | None) -> Iterator[ActRow]:
    """Yield all acts matching a search, newest first, reading a page at a time."""
    page = history.load_acts(store, search, _PAGE_SIZE, before)
    yield from page.rows
    while page.before is not None:
        page = history.load_acts(store, search, _PAGE_SIZE, page.before)
        yield from page.rows


@command("history go", "annotator history go p.annotator --to 01a1fe00-facf --dry-run")
def go_to_act(
    store: Project,
    *,
    to: Annotated[str, Option("ACT", "id of a change, or its first characters")],
    before: Annotated[bool, Option(help="go to the moment before that change")] = False,
    dry_run: Annotated[bool, Option(help="only show what would change")] = False,
) -> CommandAnswer:
    """Undo or redo your own changes up to a point."""
    if dry_run:
        steps = history.preview_move_to_act(store, to, before=before)
    else:
        steps, _ = history.move_to_act(store, to, before=before)
    if not steps.way:
        text = "Nothing to change: the project is already at that point."
    else:
        verb = "undone" if steps.way == "undo" else "redone"
        count = len(steps.acts)
        head = f"{count} {'change' if count == 1 else 'changes'} {'would be ' if dry_run else ''}{verb}"
        text = "\n".join([head, *(f"  {item.label}" for item in steps.acts), _make_effects_table(steps.effects)])
    return CommandAnswer({"done": not dry_run, **asdict(steps)}, text)


@command("history at", "annotator history at p.annotator --when 2026-11-21T10:30")
def show_past(
    store: Project,
    *,
    when: _When,
    before: _BeforeAct = False,
    subject: Annotated[str | None, Option("ID", "compare this subject with its current state")] = None,
    limit: Annotated[int, Option("N", "maximum number of subjects (50)", parse=parse_whole)] = 50,
) -> CommandAnswer:
    """Show the project at an earlier moment."""
    moment = time_machine.parse_moment(store, when, before=before)
    if subject:
        differences = time_machine.compare_with_moment(store, moment, subject)
        text = _make_effects_table(differences) if differences else "The subject was the same as now."
        return CommandAnswer({"moment": moment, "differences": differences}, text)
    with time_machine.visit_moment(store, moment) as past:
        counts = projects.stage_counts(past)
        page = triage.queue_page(past, QueueFilter(), None, limit)
    rows = [(row.key, row.title, row.verdict or "open", row.has_prompt, row.has_criterion) for row in page.rows]
    text = text_table(("key", "title", "verdict", "paraphrase", "criterion"), rows)
    total = f"{len(rows)} of {counts.subjects} subjects as of {time_machine.local_moment_text(moment)}"
    return CommandAnswer({"moment": moment, "counts": counts, "subjects": page.rows}, f"{text}\n{total}")


@command("history restore", 'annotator history restore p.annotator --when "2 h ago" --subject HumanEval/0')
def restore_past(
    store: Project,
    *,
    when: _When,
    before: _BeforeAct = False,
    subject: Annotated[Texts, Option("ID", "id or key of the subject; may be repeated", among=_SUBJECTS_OR_ALL)] = (),
    all: Annotated[bool, Option(help="restore all subjects and the quotas", among=_SUBJECTS_OR_ALL)] = False,
    dry_run: Annotated[bool, Option(help="only show what would change")] = False,
) -> CommandAnswer:
    """Restore one subject, or all work, to an earlier moment."""
    moment = time_machine.parse_moment(store, when, before=before)
    label = None
    if dry_run:
        plan = time_machine.preview_restore(store, moment, None if all else subject)
    else:
        plan, changes = time_machine.restore_as_of(store, moment, None if all else subject)
        label = changes.label
    for note in plan.notes:
        write_error(f"{note}")
    head = label or f"{len(plan.effects)} fields of {len(plan.subjects)} subjects would be restored"
    data = {"done": label, "moment": moment, "effects": plan.effects, "left": plan.notes}
    return CommandAnswer(data, f"{head}\n{_make_effects_table(plan.effects)}")


def _make_effects_table(effects: Iterable[Effect]) -> str:
    rows = [(item.key, item.field, _shorten(item.before), _shorten(item.after)) for item in effects]
    omitted_note = f"\nand {len(rows) - _MAX_EFFECT_ROWS} more" if len(rows) > _MAX_EFFECT_ROWS else ""
    return (
        text_table(("subject", "field", "now", "after the change"), rows[:_MAX_EFFECT_ROWS]) + omitted_note
        if rows
        else ""
    )


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return f"{line[: _MAX_CELL_CHARACTERS - 1]}…" if len(line) > _MAX_CELL_CHARACTERS else line or "none"
