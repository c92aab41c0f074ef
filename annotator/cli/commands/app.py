"""The window, the sample project, and what works on this machine."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.base.collecting import without_collecting
from annotator.base.errors import ExitCode, MissingEnvironmentError
from annotator.cli.output import answer, progress_line, table
from annotator.cli.parser import command, project_place

if TYPE_CHECKING:
    from annotator.cli.parser import Commands
    from annotator.store.project_file import ProjectFile


def add(commands: Commands) -> None:
    """Add open, demo and doctor."""
    parser = command(commands, "open", "open a project in the window", "annotator open p.annotator", _open, json=False)
    parser.add_argument("project", type=project_place, metavar="PROJECT")
    parser = command(commands, "demo", "build the sample project and show it", "annotator demo --headless", _demo)
    parser.add_argument("--headless", action="store_true", help="do the same job in the terminal, without a window")
    parser.add_argument("--dir", type=Path, metavar="DIR", help="where the sample project is kept")
    parser = command(commands, "doctor", "say what works on this machine", "annotator doctor --json", _doctor)
    parser.add_argument(
        "--project", type=project_place, metavar="P", help="also look at this project and its surroundings"
    )
    # What the check of the window calls in a process of its own, which a broken toolkit may end.
    parser.add_argument("--window-only", action="store_true", help=argparse.SUPPRESS)


def start(_: argparse.Namespace) -> int:
    """Open the window with the last project, or the welcome screen."""
    with without_collecting():
        return _window(None)


def _open(options: argparse.Namespace) -> int:
    with without_collecting():
        from annotator.services import projects

        # Opened here, so that what is wrong with it is said before there is a window; the window takes it over.
        return _window(projects.open_project(options.project))


def _window(store: ProjectFile | None) -> int:
    try:
        from annotator.ui import toolkit

        toolkit.load()
        from annotator.ui.app import run_app
    except ImportError as error:
        if store is not None:
            store.close()
        raise MissingEnvironmentError(
            f"The window cannot be shown here: {error}. Install PySide6 and the libraries it needs, or use the "
            "commands (annotator --help)."
        ) from error
    return run_app(store)


def _demo(options: argparse.Namespace) -> int:
    from annotator.base.paths import data_dir
    from annotator.services import demo, results

    folder = options.dir or data_dir() / "sample"
    progress = progress_line("sample project")
    if not options.headless:
        store = demo.open_or_build(folder, progress)
        with without_collecting():
            return _window(store)
    from annotator.cli.commands.results import leaderboard_text
    from annotator.services import projects, releasing

    store = demo.build_demo(folder, progress)
    try:
        counts = projects.stage_counts(store)
        board = results.leaderboard(store)
        version = releasing.releases(store)[0].version
    finally:
        store.close()
    steps = (
        f"import: {counts.subjects} subjects",
        f"select: {counts.accepted} accepted, {counts.rejected} rejected, {counts.flagged} flagged, "
        f"{counts.skipped} skipped, {counts.open} open",
        f"criterion: {counts.ready} of {counts.accepted} accepted subjects have one",
        f"release: {version} with {board.items} items",
        f"run: {len(board.rows)} models replayed",
    )
    text = "\n".join([*steps, "", leaderboard_text(board), "", f"The project is {store.place}"])
    answer(options.json, {"project": str(store.place), "counts": counts, "leaderboard": board}, text)
    return ExitCode.DONE


def _doctor(options: argparse.Namespace) -> int:
    if options.window_only:
        from annotator.ui.app import window_facts

        answer(True, window_facts(), "")
        return ExitCode.DONE
    from annotator.services.doctor import examine

    findings = examine(options.project)
    rows = [("yes" if item.ok else "no", item.name, item.detail) for item in findings]
    answer(options.json, {"checks": findings}, table(("works", "what", "detail"), rows))
    needed = [item for item in findings if item.needed and not item.ok]
    if needed:
        sys.stderr.write(f"{needed[0].name} does not work here, and Annotator needs it.\n")
        return ExitCode.ENVIRONMENT
    return ExitCode.DONE
