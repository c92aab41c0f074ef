"""List the releases of a project, and show one. A separate module, so that these commands load no export code."""

from typing import Annotated

from annotator.cli.command import Option, command
from annotator.cli.open_project import Project, ReadOnlyProject
from annotator.cli.output import CommandAnswer, answer_list, text_table
from annotator.services.release import release_list


@command("release list", "annotator release list p.annotator")
def list_releases(store: Project) -> CommandAnswer:
    """List the releases."""
    rows = release_list.list_releases(store)
    lines = [
        (row.version, row.item_count, len(row.overrides), row.created_at[:10], row.annotator, row.notes) for row in rows
    ]
    heads = ("version", "items", "overrides", "created", "by", "notes")
    return answer_list("releases", rows, heads, lines, none="No releases yet.")


@command("release show", "annotator release show p.annotator --version 0.1")
def show_release(
    store: ReadOnlyProject, *, version: Annotated[str | None, Option("V", "default: the newest")] = None
) -> CommandAnswer:
    """Show a release with its gates and overrides."""
    row, gates = release_list.find_release(store, version)
    lines = [
        f"{row.version}: {row.item_count} items, created {row.created_at[:10]} by {row.annotator}. {row.notes}".rstrip()
    ]
    rows = [
        ("met" if gate["met"] else "not met", str(gate.get("overridden") or ""), gate["id"], gate["name"])
        for gate in gates
    ]
    lines += ["", text_table(("state", "overridden", "id", "gate"), rows, (1,))] if rows else []
    lines += ["", "Overridden:", *(f"  {override}" for override in row.overrides)] if row.overrides else []
    return CommandAnswer({"release": row, "gates": gates}, "\n".join(lines))
