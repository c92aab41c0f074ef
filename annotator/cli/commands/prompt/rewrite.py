"""Rewrite mined code into a task its author's code does not solve."""

from pathlib import Path
from typing import Annotated

from annotator.cli.command import Option, Reason, Subject, command
from annotator.cli.interruption import sigterm_as_interrupt
from annotator.cli.open_project import Project
from annotator.cli.output import Answer, read_json, table
from annotator.cli.progress_display import ProgressDisplay
from annotator.services.prompt import rewrite_items, rewrites
from annotator.services.prompt.rewrites import RewriteView

_SIGNS = {True: "✓", False: "✗", None: "?"}


@command("rewrite show", "annotator rewrite show p.annotator --subject merge --json > rewrite.json")
@sigterm_as_interrupt()
def show_rewrite(store: Project, *, subject: Subject) -> Answer:
    """Show a rewrite, or a first draft, with its gates."""
    return _describe(rewrites.view(store, subject))


@command("rewrite set", "annotator rewrite set p.annotator --subject merge --file rewrite.json")
@sigterm_as_interrupt()
def save_rewrite(
    store: Project, *, subject: Subject, file: Annotated[Path, Option("F.json", "as rewrite show --json gives it")]
) -> Answer:
    """Save a rewrite with its table of tests and references."""
    document = read_json(file)
    if isinstance(document, dict) and "document" in document:
        document = document["document"]
    rewrites.save(store, subject, document)
    return _describe(rewrites.view(store, subject))


@command("rewrite check", "annotator rewrite check p.annotator --subject merge")
@sigterm_as_interrupt()
def check_rewrite(store: Project, display: ProgressDisplay, *, subject: Subject) -> Answer:
    """Run mined code and references on the table, and show the gates."""
    return _describe(rewrites.check(store, subject, display.start("Checking")))


@command(
    "rewrite explain", 'annotator rewrite explain p.annotator --subject merge --language java --reason "unreachable"'
)
def explain_coverage(
    store: Project, *, subject: Subject, language: Annotated[str, Option("L")], reason: Reason
) -> Answer:
    """Say why a reference may stay below full coverage."""
    rewrites.explain(store, subject, language, reason)
    return _describe(rewrites.view(store, subject))


@command("rewrite confirm", "annotator rewrite confirm p.annotator --subject merge --language java --annotator Ada")
def confirm_reason(store: Project, *, subject: Subject, language: Annotated[str, Option("L")]) -> Answer:
    """Confirm the reason another person gave."""
    rewrites.confirm(store, subject, language)
    return _describe(rewrites.view(store, subject))


@command("rewrite make", "annotator rewrite make p.annotator --subject merge")
def make_items(store: Project, *, subject: Subject) -> Answer:
    """Make an item of each language from a rewrite that passes its gates; made again, outdated ones are rejected."""
    rows, changes = rewrite_items.make(store, subject)
    lines = [(row.key, row.language, row.state) for row in rows]
    text = table(("key", "language", "state"), lines)
    text += f"\n{changes.label}." if changes.label else "\nNothing new was made."
    text += " Accept these items in place of the subject that was rewritten, which is not released."
    return Answer({"items": rows, "done": changes.label, "change": changes.change_id}, text)


def _describe(rewrite: RewriteView) -> Answer:
    data = {
        "document": rewrites.work_json(rewrite.work),
        "saved": rewrite.saved,
        "checked": rewrite.checked,
        "passed": rewrite.passed,
        "gates": rewrite.gates,
        "disagreements": rewrite.disagreements,
        "results": rewrite.results,
        "coverage": rewrite.coverage,
    }
    rows = [(_SIGNS[gate.passed], gate.name, gate.detail) for gate in rewrite.gates]
    heading = f"{rewrite.subject.row.title}: {'rewritten' if rewrite.saved else 'a first draft, not saved yet'}"
    return Answer(data, f"{heading}\n{table(('', 'gate', 'seen'), rows)}")
