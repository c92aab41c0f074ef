"""Implanted bugs: propose, ask a model for, combine, prove, list, review, edit and export them."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from annotator.cli.command import Option, Texts, command
from annotator.cli.commands.runs.options import ModelOptions
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, answer_changes, paint_difference, read_text, text_table
from annotator.cli.progress_display import ProgressDisplay
from annotator.llm.client import CachedAsker, Client
from annotator.llm.templates import Helper
from annotator.model.rows.bug_rows import ASPECTS, BUG_STATES, LABELS, REASONS, SEVERAL, ProposedRow
from annotator.services.bugs import combined_bugs, model_bugs
from annotator.services.bugs import implanted_bugs as bugs
from annotator.services.runs.recorder import StoreCache

FAMILIES = ("logic", "performance", "security", "syntax", "naming")
_Bug = Annotated[str, Option("ID", "id of the bug, or its first characters")]
_SubjectsWithCode = Annotated[Texts, Option("ID", "default: all accepted subjects with code")]


@command("bugs propose", "annotator bugs propose p.annotator --subject HumanEval/0 --family logic")
def propose_bugs(
    store: Project,
    display: ProgressDisplay,
    *,
    subject: _SubjectsWithCode = (),
    family: Annotated[Texts, Option(help="default: all; may be repeated", choices=FAMILIES)] = (),
    most: Annotated[int, Option("N", "maximum number of bugs per subject (3)")] = 3,
) -> CommandAnswer:
    """Implant bugs in subjects and keep the proven ones."""
    families = family or FAMILIES
    rows, _ = bugs.propose_bugs(store, subject, families, display.start("Proposing bugs"), most=most)
    return CommandAnswer(rows, "\n".join([_describe_proposals(rows), *bugs.describe_mix(store, rows, families)]))


@command("bugs ask", "annotator bugs ask p.annotator --kind logic.index --base-url http://localhost:8000/v1 --model m")
def ask_for_bugs(
    store: Project,
    display: ProgressDisplay,
    *,
    subject: _SubjectsWithCode = (),
    kind: Annotated[Texts, Option("K", "kind of bug, such as logic.index; may be repeated")] = (),
    count: Annotated[int, Option("N", "number of bugs per kind and subject (3)")] = 3,
    model_options: ModelOptions,
) -> CommandAnswer:
    """Ask a model for bugs and keep the proven ones."""
    endpoint = model_options.find_endpoint(store)
    with Client(endpoint) as client:
        helper = Helper(CachedAsker(client, StoreCache(store)), endpoint, model_options.model)
        rows, _ = model_bugs.ask_model_for_bugs(
            store, helper, subject, kind or ("logic.condition",), display.start("Asking for bugs"), count=count
        )
    return CommandAnswer(rows, _describe_proposals(rows))


@command("bugs combine", "annotator bugs combine p.annotator --count 2")
def combine_bugs(
    store: Project,
    display: ProgressDisplay,
    *,
    subject: Annotated[Texts, Option("ID", "default: all subjects with bugs")] = (),
    bug: Annotated[Texts, Option("ID", "combine exactly these bugs; may be repeated")] = (),
    count: Annotated[int, Option("N", "number of bugs in one program (2)")] = 2,
    most: Annotated[int, Option("N", "maximum number of programs per subject (1)")] = 1,
) -> CommandAnswer:
    """Combine several proven bugs of a subject in one program."""
    rows, _ = combined_bugs.combine_bugs(store, subject, bug, display.start("Combining bugs"), count=count, most=most)
    return CommandAnswer(rows, _describe_proposals(rows))


@command("bugs prove", "annotator bugs prove p.annotator")
def prove_bugs(
    store: Project,
    display: ProgressDisplay,
    *,
    bug: Annotated[Texts, Option("ID", "prove this bug, even if it has a proof")] = (),
) -> CommandAnswer:
    """Prove bugs that have no proof."""
    rows, _ = bugs.prove_bugs(store, bug, display.start("Proving"))
    text = text_table(
        ("bug", "key", "outcome", "reason"), [(row.bug_id, row.key, row.outcome, row.reason) for row in rows]
    )
    return CommandAnswer(rows, text if rows else "Every bug has a proof.")


@command("bugs list", "annotator bugs list p.annotator --state disputed", rows=True)
def list_bugs(
    store: Project,
    *,
    state: Annotated[Texts, Option(help="only bugs in this state; may be repeated", choices=BUG_STATES)] = (),
    family: Annotated[Texts, Option(help="only this family; may be repeated", choices=(*FAMILIES, SEVERAL))] = (),
    subject: Annotated[str | None, Option("ID", "only bugs of this subject")] = None,
) -> CommandAnswer:
    """List bugs."""
    rows = bugs.find_bugs(store, state, family, subject)
    cells = [(row.id, row.key, row.kind, row.operator, row.state, f"{row.accepts}:{row.rejects}") for row in rows]
    text = text_table(("bug", "key", "kind", "operator", "state", "votes"), cells)
    return CommandAnswer(rows, f"{text}\n{len(rows)} bugs", rows=rows)


@command("bugs show", "annotator bugs show p.annotator --bug 0192f")
def show_bug(store: Project, *, bug: _Bug) -> CommandAnswer:
    """Show a bug with its proof and reviews."""
    view = bugs.load_bug(store, bug)
    row = view.row
    parts = [
        f"{row.id} {row.key} {row.kind} by {row.operator}: {row.state}",
        "\n".join(
            difflib.unified_diff(
                view.reference.splitlines(), view.code.splitlines(), "reference", "bug", n=3, lineterm=""
            )
        ),
        text_table(("test", "before", "after"), view.matrix) if view.matrix else view.problem,
        *(f"{item.annotator}: {item.verdict} {item.reason}".rstrip() for item in view.reviews),
    ]
    return CommandAnswer(view, "\n\n".join(parts), paint=paint_difference)


@dataclass(frozen=True, kw_only=True)
class AspectOptions:
    """The aspects that a bug meets or fails."""

    holds: Annotated[Texts, Option(help="aspect that is met; may be repeated", choices=ASPECTS)] = ()
    fails: Annotated[Texts, Option(help="aspect that is not met", choices=ASPECTS)] = ()


@command("bugs review", 'annotator bugs review p.annotator --bug 0192f --verdict reject --reason "too easy"')
def review_bug(
    store: Project,
    *,
    bug: _Bug,
    verdict: Annotated[str, Option(help="your verdict", choices=("accept", "reject"))],
    reason: Annotated[str, Option("R", f"reason; common ones: {', '.join(REASONS)}")] = "",
    aspects: AspectOptions,
    also: Annotated[Texts, Option(help="another label to accept in review answers", choices=LABELS)] = (),
) -> CommandAnswer:
    """Accept or reject a bug."""
    aspect_values = {**dict.fromkeys(aspects.holds, True), **dict.fromkeys(aspects.fails, False)}
    changes = bugs.review_bug(store, bug, verdict, reason, aspect_values, also)
    row = bugs.load_bug(store, bug).row
    text = f"{changes.label}. It is {row.state.replace('_', ' ')}."
    return answer_changes(changes, text, bug=row.id, state=row.state)


@command("bugs edit", "annotator bugs edit p.annotator --bug 0192f --code-file changed.py")
def edit_bug(
    store: Project,
    display: ProgressDisplay,
    *,
    bug: _Bug,
    code_file: Annotated[Path, Option("F.py", "the whole program; - for stdin")],
) -> CommandAnswer:
    """Replace a bug with your version, and prove it."""
    code = read_text(code_file)
    bug_id, changes = bugs.edit_bug(store, bug, code)
    (row,), _ = bugs.prove_bugs(store, [bug_id], display.start("Proving"))
    proof_text = "It is proven." if row.outcome == "pass" else f"It is not proven: {row.reason}."
    text = f"{changes.label}. {proof_text}\n{bug_id}"
    return answer_changes(changes, text, bug=bug_id, outcome=row.outcome, why=row.reason)


@command("bugs export", "annotator bugs export p.annotator --out bugs.jsonl")
def export_bugs(
    store: Project,
    *,
    out: Annotated[Path, Option("F.jsonl", "file to write")],
    state: Annotated[Texts, Option(help="default: accepted; may be repeated", choices=BUG_STATES[1:])] = (),
    full: Annotated[bool, Option(help="include the corrected program in review items")] = False,
) -> CommandAnswer:
    """Write bugs as modification and review items."""
    states = tuple(state) or ("accepted",)
    count = bugs.export_bugs(store, out, states, full=full)
    data = {"bugs": count, "items": 2 * count, "file": str(out)}
    return CommandAnswer(data, f"{count} bugs as {2 * count} items in {out.name}")


def _describe_proposals(rows: Sequence[ProposedRow]) -> str:
    lines = [
        (row.key, row.tried, row.proven, row.kept,
         row.reason or "; ".join(f"{count} {reason}" for reason, count in row.refused.items()))
        for row in rows
    ]  # fmt: skip
    text = text_table(("key", "tried", "proven", "kept", "reason"), lines)
    return f"{text}\n{sum(row.kept for row in rows)} bugs in {len(rows)} subjects"
