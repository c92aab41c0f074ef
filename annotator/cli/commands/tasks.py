"""Items made from subjects' code: make, list, show, decide on and export them."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from annotator.base.errors import BadInputError
from annotator.base.records import record_from
from annotator.cli.command import Anyway, Option, Reason, Subject, Texts, command, subjects_option
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, Value, answer_changes, read_text, text_table
from annotator.cli.progress_display import ProgressDisplay
from annotator.construction.interface_changes import InterfaceChange
from annotator.model.rows.task_rows import TASK_FAMILIES
from annotator.model.vocabulary import Verdict
from annotator.services.select import triage
from annotator.services.tasks import listing, making

_VERDICTS = ("open", "accept", "reject", "skip", "flag")
_Families = Annotated[Texts, Option(help="default: all; may be repeated", choices=TASK_FAMILIES)]


@command("tasks make", "annotator tasks make p.annotator --family understanding --family completion")
def make_items(
    store: Project,
    display: ProgressDisplay,
    *,
    subject: Annotated[Texts, subjects_option("default: all accepted subjects with tests")] = (),
    family: _Families = (),
    most: Annotated[int, Option("N", "maximum number of items per kind and subject (2)")] = 2,
) -> CommandAnswer:
    """Make items from accepted subjects and accepted bugs; each is checked before it is kept."""
    rows, changes = making.make_task_items(
        store, subject, family or TASK_FAMILIES, display.start("Making items"), most=most
    )
    cells: list[tuple[Value, ...]] = [
        (row.key, *(row.kept.get(name, 0) for name in TASK_FAMILIES), row.reason) for row in rows
    ]
    dropped: Counter[str] = Counter()
    for row in rows:
        dropped.update(row.dropped)
    lines = [
        text_table(("key", *TASK_FAMILIES, "reason"), cells),
        *(f"{count} left out: {reason}" for reason, count in dropped.most_common()),
        f"{changes.label}." if changes.label else "Nothing new.",
    ]
    return CommandAnswer({"subjects": rows, "done": changes.label, "change": changes.change_id}, "\n".join(lines))


@dataclass(frozen=True, kw_only=True)
class ChangeOptions:
    """The interface that changed, and a program that uses the old one."""

    code_file: Annotated[Path, Option("F.py", "file with the old program; - for stdin")]
    old: Annotated[str, Option("NAME", "the removed call, as in the old program")]
    new: Annotated[str, Option("NAME", "the call that replaces it, as in the reference")]
    library: Annotated[str, Option("MODULE", "library that a test of the subject imports")]
    version: Annotated[str, Option("V", "first version without the old call")]

    def read(self) -> InterfaceChange:
        """Return the change with the old program."""
        return record_from(InterfaceChange, self, code=read_text(self.code_file))


@command(
    "tasks update",
    "annotator tasks update p.annotator --subject sized --code-file old.py --old collections.Sized "
    "--new collections.abc.Sized --library collections --version 3.10",
)
def make_interface_change(
    store: Project,
    display: ProgressDisplay,
    *,
    subject: Annotated[str, Option("ID", "subject whose reference uses the new call and whose tests run")],
    change: ChangeOptions,
) -> CommandAnswer:
    """Make an item from a changed interface: update old code to the subject's interface."""
    key, changes = making.make_update_item(store, subject, change.read(), display.start("Proving"))
    summary = f"{changes.label}." if changes.label else "This item already exists."
    return CommandAnswer({"item": key, "done": changes.label, "change": changes.change_id}, f"{summary}\n{key}")


@command("tasks list", "annotator tasks list p.annotator --verdict open", rows=True)
def list_items(
    store: Project,
    *,
    family: _Families = (),
    verdict: Annotated[Texts, Option(help="only this verdict; may be repeated", choices=_VERDICTS)] = (),
    subject: Annotated[str | None, Option("ID", "only items made from this subject")] = None,
) -> CommandAnswer:
    """List the items made from subjects."""
    rows = listing.list_task_items(store, family, verdict, subject)
    cells = [(row.key, row.task, row.what, row.difficulty, row.verdict or "open", row.proven, row.fits) for row in rows]
    text = text_table(("key", "family", "what", "difficulty", "verdict", "proven", "fits"), cells)
    return CommandAnswer(rows, f"{text}\n{len(rows)} items", rows=rows)


@command("tasks show", "annotator tasks show p.annotator --item made:HumanEval/0/forward-1a2b3c4d")
def show_item(store: Project, *, item: Subject) -> CommandAnswer:
    """Show an item made from a subject, with its answer."""
    view = listing.load_task_item(store, item)
    row = view.row
    facts = "\n".join(f"{name}: {value}" for name, value in view.facts)
    text = f"{row.key} ({row.task}, {row.what})\n\n{view.prompt}\n\nReference answer:\n{view.reference}\n\n{facts}"
    return CommandAnswer(view, text)


@command("tasks decide", "annotator tasks decide p.annotator --verdict accept --family understanding")
def decide_on_items(
    store: Project,
    *,
    item: Annotated[Texts, Option("ID", "default: all open items of --family")] = (),
    family: _Families = (),
    verdict: Annotated[str, Option(help="your verdict", choices=_VERDICTS[1:])],
    reason: Reason = "",
    anyway: Anyway = False,
) -> CommandAnswer:
    """Accept or reject items made from subjects."""
    if item:
        ids = [listing.load_task_item(store, item_id).row.id for item_id in item]
    else:
        ids = [row.id for row in listing.list_task_items(store, family, ("open",))]
    if not ids:
        raise BadInputError("There are no open items to decide on.")
    changes = triage.decide_subjects(store, ids, Verdict(verdict), reason, anyway=anyway)
    return answer_changes(changes, items=len(ids))


@command("tasks export", "annotator tasks export p.annotator --out items.jsonl")
def export_items(
    store: Project,
    *,
    out: Annotated[Path, Option("F.jsonl", "file to write")],
    family: _Families = (),
    verdict: Annotated[Texts, Option(help="default: accept; may be repeated", choices=_VERDICTS)] = (),
) -> CommandAnswer:
    """Write items made from subjects, one JSON object per line."""
    count = listing.export_task_items(store, out, family, tuple(verdict) or ("accept",))
    return CommandAnswer({"items": count, "file": str(out)}, f"{count} items in {out.name}")
