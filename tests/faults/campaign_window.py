"""A window among several on one project: it decides, moves, clicks and undoes, and writes down what it was shown.

``campaign_window.py PLACE SEED SECONDS``: PLACE is a file or an address. It says "ready", works from "go" until the
time is over ("done"), looks on "check" whether all it shows is right, and closes on "quit". A line is one event.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QMessageBox
from sqlalchemy import text

from annotator.base.addresses import parse_place
from annotator.base.settings import Settings
from annotator.model.vocabulary import Verdict
from annotator.services.project import projects
from annotator.services.select import triage
from annotator.ui.app.application import make_application
from annotator.ui.app.main_window import MainWindow
from annotator.ui.app.session.session_notices import Receipt, WorkFailure
from annotator.ui.app.theme.look import Theme
from annotator.ui.pages.select.page import SelectPage

RIGHT_S = 1.0
WRONG_S = 10.0
"""When a line is late, which is counted as busy machines are, and when it is wrong, which no machine may be."""
ROWS = 60
"""So many lines of the list are compared with the project."""
NEWEST_ACTS = text(
    "SELECT d.subject_id, max(c.seq) AS newest FROM decision d "
    "JOIN change c ON coalesce(c.target_id, c.id) = d.change_id GROUP BY d.subject_id"
)


class Told(NamedTuple):
    """What the project says of a line, and the newest act on it: what was changed and changed back is new."""

    verdict: str | None
    act: int


class Sample(NamedTuple):
    """What the project said of the first lines at a moment."""

    taken: float
    lines: Mapping[str, Told]
    is_late: bool = False


class Hand:
    """Works in the window as a person would, faster."""

    def __init__(self, where: str, seed: int) -> None:
        self.chance = random.Random(seed)
        self.application = make_application()
        theme = Theme(self.application)
        theme.set_mode("light")
        folder = Path(os.environ["HOME"])
        settings = Settings(folder / f"settings-{seed}.json", {"backup_acts": 0, "backup_minutes": 100_000})
        self.window = MainWindow(theme, settings)
        self.changes: list[str] = []
        self.failures: list[str] = []
        self.sample: Sample | None = None
        self.window.session.saved.connect(self._saved)
        self.window.session.failed.connect(self._failed)
        self.window.show()
        project = parse_place(where)
        self.window.open_project(project)
        self.expect(lambda: self.window.session.store is not None, 60)
        self.window.show_page("Select")
        page = self.window.pages.page("Select")
        assert isinstance(page, SelectPage)
        self.page = page
        self.expect(self.is_shown, 60)
        # What is compared with the window comes from connections of its own.
        self.project = projects.open_project(project, read_only=True)

    def say(self, event: str, **facts: object) -> None:
        os.write(1, (json.dumps({"event": event, **facts}) + "\n").encode())

    def hear(self, word: str) -> None:
        assert sys.stdin.readline().strip() == word

    def _saved(self, receipt: Receipt) -> None:
        self.changes.append(receipt.change_id or "")

    def _failed(self, failure: WorkFailure) -> None:
        self.failures.append(failure.message)
        self.say("failed", what=failure.message)

    def until(self, condition: Callable[[], bool], seconds: float) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.application.processEvents()
            if condition():
                return True
            time.sleep(0.001)
        return False

    def expect(self, condition: Callable[[], bool], seconds: float) -> None:
        if not self.until(condition, seconds):
            raise TimeoutError("the window did not come so far")

    # -- what a person does ---------------------------------------------------------------------------------------

    def is_shown(self) -> bool:
        page = self.page
        if not page.is_settled or page.view is None:
            return False
        return page.view.row.id == page.queue.current_id() == page.queue.shown_id()

    def step(self) -> None:
        """Do one thing, and see it through."""
        act = self.chance.choices((self.decide, self.click, self.go_down, self.go_up, self.undo), (12, 2, 1, 1, 1))[0]
        if self.until(self.is_shown, 10):
            act()
        else:
            self.say("stuck")
            self.click()

    def decide(self) -> None:
        view = self.page.view
        assert view is not None
        known, failed = len(self.changes), len(self.failures)
        facts = {"subject": view.row.id, "shown": [item.id for item in view.decisions]}
        verdict = self.chance.choice((Verdict.ACCEPT, Verdict.REJECT, Verdict.SKIP, Verdict.FLAG))
        self.page.decide(verdict)
        asked, proceeds = False, True
        ended = lambda: len(self.changes) > known or len(self.failures) > failed  # noqa: E731
        if not self.until(lambda: ended() or self.question() is not None, 30):
            self.say("stuck", **facts)
            return
        box = self.question()
        if box is not None:
            asked, proceeds = True, self.chance.random() < 0.5
            role = QMessageBox.ButtonRole.AcceptRole if proceeds else QMessageBox.ButtonRole.RejectRole
            next(item for item in box.buttons() if box.buttonRole(item) == role).click()
        if proceeds and self.until(ended, 30) and len(self.changes) > known:
            self.say("decided", change=self.changes[known], asked=asked, **facts)
        elif not proceeds:
            self.say("left", **facts)

    def question(self) -> QMessageBox | None:
        found = self.window.findChildren(QMessageBox, "others-question")
        return next((box for box in found if box.isVisible()), None)

    def click(self) -> None:
        count = self.page.queue.model.rowCount()
        self.page.queue.list.setCurrentIndex(self.page.queue.model.index(self.chance.randrange(count)))

    def go_down(self) -> None:
        self.page.advance(1)

    def go_up(self) -> None:
        self.page.advance(-1)

    def undo(self) -> None:
        self.window.session.undo()

    # -- what is shown --------------------------------------------------------------------------------------------

    def truth(self) -> dict[str, Told]:
        rows = self.page.queue.model.rows[:ROWS]
        # The acts are read first: an act between the two readings makes a line newer later, never older.
        with self.project.read() as db:
            newest = {row.subject_id: row.newest for row in db.execute(NEWEST_ACTS)}
        return {row.id: Told(row.verdict, newest.get(row.id, 0)) for row in triage.subjects_at_rows(self.project, rows)}

    def shown(self) -> dict[str, str | None]:
        found = (self.page.queue.model.subject(number) for number in range(min(ROWS, len(self.page.queue.model.rows))))
        return {row.id: row.verdict for row in found if row is not None}

    def look(self) -> None:
        """Compare what is shown with what the project said a second ago, where it says so still."""
        if self.sample is None:
            self.sample = Sample(time.monotonic(), self.truth())
            return
        age = time.monotonic() - self.sample.taken
        if age < (WRONG_S if self.sample.is_late else RIGHT_S):
            return
        shown, now = self.shown(), self.truth()
        standing = {key: told for key, told in self.sample.lines.items() if now.get(key) == told}
        off = [key for key, told in standing.items() if shown.get(key) != told.verdict]
        if off and not self.sample.is_late:
            self.sample = Sample(self.sample.taken, {key: now[key] for key in off}, is_late=True)
            self.say("late", count=len(off), age=round(age, 2))
            return
        self.say("wrong" if off else "right", count=len(off), age=round(age, 2))
        self.sample = None

    def check(self) -> None:
        began = time.monotonic()
        right = self.until(self._all_right, 10)
        self.say("checked", right=right, seconds=round(time.monotonic() - began, 2))

    def _all_right(self) -> bool:
        lines = {key: told.verdict for key, told in self.truth().items()}
        return self.shown() == lines and self._counts_right()

    def _counts_right(self) -> bool:
        facts = self.window.session.facts
        return facts is not None and facts.counts == projects.stage_counts(self.project)


def main() -> None:
    where, seed, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    hand = Hand(where, seed)
    hand.say("ready")
    hand.hear("go")
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        hand.step()
        hand.look()
    hand.until(lambda: hand.is_shown() and hand.question() is None, 10)
    hand.say("done")
    hand.hear("check")
    hand.check()
    hand.hear("quit")
    hand.project.close()
    hand.window.close()
    hand.say("closed")
    os._exit(0)


if __name__ == "__main__":
    main()
