"""What waits in a project, read without loading SQLModel."""

from annotator.cli.command import command
from annotator.cli.open_project import Project
from annotator.cli.output import Answer, table
from annotator.services.project import projects


@command("status", "annotator status p.annotator")
def show_status(store: Project) -> Answer:
    """Say what waits in a project."""
    counts, disk = projects.stage_counts(store), projects.disk_status(store)
    rows = [
        ("subjects", str(counts.subjects)),
        ("open", str(counts.open)),
        ("accepted", str(counts.accepted)),
        ("rejected", str(counts.rejected)),
        ("skipped", str(counts.skipped)),
        ("flagged", str(counts.flagged)),
        ("accepted without a paraphrase", str(counts.without_prompt)),
        ("accepted without a criterion", str(counts.without_criterion)),
        ("proven, not in the newest release as they are", str(counts.to_release)),
        ("releases", str(counts.releases)),
        ("runs", str(counts.runs)),
        ("decisions on disk", str(counts.decisions)),
    ]
    data = {"name": store.project_name, "annotator": store.annotator, "counts": counts, "disk": disk}
    return Answer(data, f"{store.project_name}, as {store.annotator.name}\n{table(('what', 'count'), rows, (1,))}")
