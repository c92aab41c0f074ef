"""Build the sample project, and show it in the window or print a summary of it."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

from annotator.base.collecting import without_garbage_collection
from annotator.base.paths import data_dir
from annotator.cli.command import Option, command
from annotator.cli.commands.program.window import refuse_without_window, show_window
from annotator.cli.commands.results import leaderboard_text
from annotator.cli.output import CommandAnswer
from annotator.cli.progress_display import ProgressDisplay
from annotator.services.program import demo
from annotator.services.project import projects
from annotator.services.release import release_list
from annotator.services.results import result_tables


@command("demo", "annotator demo --headless")
def show_demo(
    display: ProgressDisplay,
    *,
    headless: Annotated[bool, Option(help="run the demo in the terminal, without a window")] = False,
    dir: Annotated[Path | None, Option("DIR", "folder for the sample project")] = None,
) -> CommandAnswer | int:
    """Build the sample project and show it."""
    folder = dir or data_dir() / "sample"
    progress = display.start("Building the sample project")
    if not headless:
        refuse_without_window()
        store = demo.open_or_build(folder, progress)
        with without_garbage_collection():
            return show_window(store, sample=True)
    with closing(demo.build_demo(folder, progress)) as store:
        counts = projects.stage_counts(store)
        board = result_tables.load_leaderboard(store)
        version = release_list.list_releases(store)[0].version
    steps = (
        f"import: {counts.subjects} subjects",
        f"select: {counts.accepted} accepted, {counts.rejected} rejected, {counts.flagged} flagged, "
        f"{counts.skipped} skipped, {counts.open} open",
        f"criterion: {counts.ready} of {counts.accepted} accepted subjects have one",
        f"release: {version} with {board.items} items",
        f"run: {len(board.rows)} models replayed",
    )
    text = "\n".join([*steps, "", leaderboard_text(board), "", f"The project is {store.place}"])
    return CommandAnswer({"project": str(store.place), "counts": counts, "leaderboard": board}, text)
