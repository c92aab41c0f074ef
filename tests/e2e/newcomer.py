"""A newcomer's half hour: from the first start to the first release, a replayed run, its leaderboard and exports.

    python -m tests.e2e.newcomer FOLDER [--pictures FOLDER] [--look dark] [--no-sample]

FOLDER holds ``tasks.jsonl`` (HumanEval rows) and ``answers.jsonl``; the project and the exports are made there. Keys
and pointer are real: an X server, a window manager and xdotool must be there.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication, QComboBox, QPlainTextEdit

from annotator.ui.app.application import make_application, run_app
from tests.newcomer_hands import Person, Window, front, part

NAME = "First steps"
ASK = "    # Two that are exactly as far apart as the threshold are not close."


def page(name: str) -> Any:
    """A page of the window."""
    return _window().pages.page(name)


def _window() -> Any:
    return next(item for item in QApplication.topLevelWidgets() if item.objectName() == "main-window")


def look_around(person: Person) -> None:
    """The sample and its tour, and back to the first screen."""
    person.click("Open the sample")
    person.wait("the tour begins", lambda: _window().tour.isVisible())
    for number in range(1, 8):
        time.sleep(0.8)
        person.see(f"tour-{number}")
        person.click("Done" if number == 7 else "Next")
    person.wait("the tour ends", lambda: not _window().tour.isVisible())
    person.press("ctrl+w")
    person.wait("the first screen", lambda: _window().welcome.isVisible())
    person.see("welcome-again")


def make_project(person: Person, folder: Path) -> None:
    """A project of one's own, by keyboard."""
    person.press("ctrl+n")
    person.wait("the dialog", lambda: front().objectName() == "new-project-dialog" and front().isActiveWindow())
    person.see("new-project-empty")
    person.write(NAME)
    person.press("Tab", "ctrl+a")
    person.write(str(folder / "first.annotator"))
    person.press("Tab", "Tab", "ctrl+a")
    person.write("Ada")
    person.see("new-project")
    person.press("Return")
    person.wait("the project is open", lambda: _window().session.store is not None and _window().pages.current_name)
    assert person.ask(lambda: _window().pages.current_name) == "Sources", "where the first thing to do is"


def first_pages(person: Person) -> None:
    """Every page while there is nothing on it, as somebody curious would look."""
    for key, name in zip("1234567890", _pages(), strict=True):
        person.press(f"ctrl+{key}")
        person.wait(name, lambda name=name: _window().pages.current_name == name)  # type: ignore[misc]
        time.sleep(0.5)
        person.see(f"empty-{name.lower()}")


def _pages() -> tuple[str, ...]:
    from annotator.ui.pages.page_registry import PAGES

    return tuple(item.name for item in PAGES)


def bring_in(person: Person, folder: Path) -> None:
    """Candidates from a file in the format of HumanEval."""
    person.press("ctrl+1")
    person.wait("the page", lambda: part("Format") is not None)
    person.press("ctrl+i")
    person.wait("a file dialog", lambda: front().inherits("QFileDialog"))
    person.see("import-dialog")
    person.give_file(folder / "tasks.jsonl")
    person.wait("the first items", lambda: page("Sources").preview.isVisible())
    person.wait("the format", lambda: _format() == "humaneval")
    person.see("import-preview")
    person.press("Return")
    person.wait("3 are there", lambda: "3 added" in page("Sources").report.text())
    person.see("imported")


def _format() -> str:
    box = part("Format")
    return str(box.currentData()) if isinstance(box, QComboBox) else ""


def select(person: Person) -> None:
    """Two are taken, the third is left out, by three keys."""
    person.press("ctrl+2")
    person.wait("the queue", lambda: page("Select") and page("Select").view and page("Select").queue.model.rowCount())
    person.see("select")
    for number, key in enumerate("aar", start=1):
        person.press(key)
        person.wait(f"{number} decisions", lambda n=number: _counts().decisions == n)  # type: ignore[misc]
    person.see("selected")


def _counts() -> Any:
    from annotator.services.project import projects

    return projects.stage_counts(_window().session.store)


def paraphrase(person: Person) -> None:
    """What models will be asked, in one's own words."""
    person.press("ctrl+3")
    person.wait("the subject", lambda: page("Prompt") and page("Prompt").view)
    person.see("prompt")
    person.press("ctrl+k")
    person.write("reset to")
    person.press("Return")
    person.wait("the original is there", lambda: page("Prompt").panes.paraphrase() == page("Prompt").view.prompt)
    person.click("Paraphrase")
    person.press("ctrl+End")
    person.write(ASK)
    # What models write follows right behind it.
    person.press("Return")
    time.sleep(0.6)
    person.see("paraphrased")
    person.press("ctrl+s")
    person.wait("it is saved", lambda: page("Prompt").view.paraphrase is not None)


def write_criteria(person: Person) -> None:
    """The first item is proven with the tests it came with, the second with a rule made of a word of its answer."""
    person.press("ctrl+4")
    person.wait("the subject", lambda: page("Criterion") and page("Criterion").view)
    person.wait("the responses", lambda: page("Criterion").answers.responses.row_count() > 0)
    person.see("criterion")
    first = person.ask(lambda: page("Criterion").view.row.id)
    person.press("ctrl+p")
    time.sleep(0.3)
    person.see("proving")
    person.wait("the tests are proven", lambda: page("Criterion").view.row.proven)
    person.see("proven-by-tests")
    person.press("Alt+Down")
    person.wait("the next one", lambda: page("Criterion").view.row.id != first)
    person.wait("its reference", lambda: page("Criterion").answers.responses.row_count() > 0)
    person.choose_in_menu("Add a rule", "Keywords")
    person.wait("the field", lambda: isinstance(QApplication.focusWidget(), QPlainTextEdit))
    # A word that the question holds too: whoever repeats the question would pass, and the proof says so.
    person.write("return")
    person.wait("it is scored", lambda: "return" in page("Criterion").document.source)
    person.press("ctrl+p")
    person.wait("it is refused", lambda: page("Criterion").proof.state.text().startswith("Not proven"))
    person.see("not-proven")
    person.press("ctrl+a")
    person.write("current_depth")
    person.wait("it is scored", lambda: "current_depth" in page("Criterion").document.source)
    time.sleep(0.6)
    person.see("criterion-written")
    person.press("ctrl+p")
    person.wait("it is proven", lambda: page("Criterion").view.row.proven)
    person.see("proven")


def review(person: Person) -> None:
    """One's own word on an item."""
    person.press("ctrl+7")
    person.wait("the page", lambda: _window().pages.current_name == "Consensus")
    person.click("List: Subjects")
    person.wait("the subjects", lambda: page("Consensus").table.row_count() == 2)
    person.wait("one of them", lambda: page("Consensus").subject_id and page("Consensus").review.isEnabled())
    person.click("correctness")
    person.press("5", "Return")
    person.click("Note on the review")
    person.write("Clear, and its tests are sound.")
    person.see("review")
    person.click("Save review")
    person.wait("it is there", lambda: page("Consensus").review.table.row_count() == 1)
    person.see("reviewed")


def release(person: Person) -> None:
    """Freeze the first version."""
    person.press("ctrl+8")
    person.wait("the gates", lambda: page("Release") and page("Release").gates.row_count() > 0)
    person.wait("nothing blocks", lambda: not page("Release").reason.isVisible())
    person.see("gates")
    person.click("Notes")
    person.write("Two items to begin with")
    person.click("Create release")
    person.wait("it is frozen", lambda: page("Release").table.row_count() == 1)
    person.see("released")


def replay(person: Person, folder: Path) -> None:
    """Recorded answers of a model are scored."""
    person.press("ctrl+9")
    person.wait("the page", lambda: _window().pages.current_name == "Runs")
    time.sleep(0.5)
    person.see("runs")
    person.click("Recorded…")
    person.give_file(folder / "answers.jsonl")
    person.wait("the run is done", lambda: _runs_done() == 1)
    person.wait("nothing runs", lambda: not _window().session.jobs)
    person.see("replayed")


def _runs_done() -> int:
    from annotator.services.runs import run_list

    return sum(row.state == "done" for row in run_list.list_runs(_window().session.store))


def results(person: Person, folder: Path) -> None:
    """The leaderboard, one response, and the table as a file."""
    person.press("ctrl+shift+l")
    person.wait("the board", lambda: page("Results") and page("Results").board.current_table is not None)
    time.sleep(1.0)
    person.see("results")
    person.press("ctrl+k")
    person.write("export the results")
    person.see("palette")
    person.press("Return")
    person.give_file(folder / "board.csv")
    person.wait("it is written", lambda: (folder / "board.csv").exists() and not _window().session.jobs)


def export(person: Person, folder: Path) -> None:
    """The release in the format others load."""
    (folder / "released").mkdir()
    person.press("ctrl+8")
    person.wait("the page", lambda: _window().pages.current_name == "Release")
    person.choose_in_menu("Export…", "HumanEval")
    person.give_file(folder / "released")
    person.wait("it is written", lambda: any((folder / "released").iterdir()))
    time.sleep(0.5)
    person.see("exported")


def half_hour(person: Person, folder: Path, look: str, *, sample: bool) -> None:
    """All of it."""
    person.wait("the window", lambda: _window().isActiveWindow())
    person.see("first-start")
    if look == "dark":
        person.press("ctrl+k")
        person.write("dark")
        person.press("Return")
        person.wait("it is dark", lambda: _window().theme.is_dark)
    if sample:
        look_around(person)
    make_project(person, folder)
    if sample:
        first_pages(person)
    bring_in(person, folder)
    select(person)
    paraphrase(person)
    write_criteria(person)
    review(person)
    release(person)
    replay(person, folder)
    results(person, folder)
    export(person, folder)
    person.press("ctrl+q")


def main() -> int:
    """Start the window as its users do, with somebody at it; returns its exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--look", default="light")
    parser.add_argument("--no-sample", action="store_true")
    options = parser.parse_args()
    make_application()
    person = Person(Window(), options.pictures, options.look)
    began = time.monotonic()

    def live() -> None:
        try:
            half_hour(person, options.folder, options.look, sample=not options.no_sample)
        except BaseException:  # noqa: BLE001  # whatever it is ends the half hour, with a picture of it
            traceback.print_exc()
            if options.pictures is not None:
                person.see("failed", calm=False)
            sys.stderr.flush()
            os._exit(1)

    threading.Thread(target=live, name="person", daemon=True).start()
    status = run_app()
    sys.stdout.write(json.dumps({"status": status, "seconds": round(time.monotonic() - began, 1)}) + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
