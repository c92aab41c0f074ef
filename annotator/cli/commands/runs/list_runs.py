"""List the runs of a project. A separate module, so that it does not load the code that executes runs."""

from annotator.cli.command import command
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, answer_list
from annotator.model.rows.run_rows import state_word
from annotator.services.runs import run_list


@command("run list", "annotator run list p.annotator", rows=True)
def list_runs(store: Project) -> CommandAnswer:
    """List the runs."""
    rows = run_list.list_runs(store)
    lines = [
        (
            row.id[:13],
            row.model,
            row.version,
            row.preset,
            state_word(row),
            f"{row.done}/{row.expected}",
            sum(row.failures.values()) or "",
            f"{row.cost:.4f} {row.currency}" if row.currency else "",
            row.created_at[:16],
        )
        for row in rows
    ]
    heads = ("run", "model", "release", "preset", "state", "scored", "failed", "cost", "started")
    return answer_list("runs", rows, heads, lines, (5, 6, 7), none="No runs yet.")
