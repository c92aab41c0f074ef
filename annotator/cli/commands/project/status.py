"""The counts of open work in a project, read without loading SQLModel."""

from annotator.cli.command import command
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, text_table
from annotator.services.project import projects


@command("status", "annotator status p.annotator")
def show_status(store: Project) -> CommandAnswer:
    """Show what is to be done in a project."""
    counts, disk = projects.stage_counts(store), projects.disk_status(store)
    rows = [
        ("subjects", counts.subjects),
        ("open", counts.open),
        ("accepted", counts.accepted),
        ("rejected", counts.rejected),
        ("skipped", counts.skipped),
        ("flagged", counts.flagged),
        ("accepted, without a paraphrase", counts.without_prompt),
        ("accepted, without a criterion", counts.without_criterion),
        ("proven, but not in the newest release in their current state", counts.to_release),
        ("releases", counts.releases),
        ("runs", counts.runs),
        ("decisions saved", counts.decisions),
    ]
    data = {"name": store.project_name, "annotator": store.annotator, "counts": counts, "disk": disk}
    return CommandAnswer(
        data, f"{store.project_name}, as {store.annotator.name}\n{text_table(('what', 'count'), rows)}"
    )
