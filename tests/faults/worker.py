"""A scripted hour of work in a real window, compressed into seconds; every save it hears of is printed at once.

``worker.py FILE SEED STEPS FAULT``: FAULT is none, disk (something fills the disk, room comes back) or permission
(file and folder lose their write permission, and get it back). Steps are chosen by SEED.
"""

from __future__ import annotations

import faulthandler
import json
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from annotator.base.settings import Settings
from annotator.ui.app.application import make_application
from annotator.ui.app.main_window import MainWindow
from annotator.ui.app.session.session_notices import Receipt, WorkFailure
from annotator.ui.app.theme.look import Theme

CRITERION = "grading:\n  keywords:\n    - content: {}\n"
FAULT_EVERY = 6
NOBODY = 65534


class Hand:
    """Works in the window as a person would: chooses a page, does something there, goes on when it is on disk."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path, self.seed = path, seed
        self.chance = random.Random(seed)
        self.application = make_application()
        theme = Theme(self.application)
        theme.set_mode("light")
        # Backups by the clock would race with the disk that is filled on purpose.
        settings = Settings(path.with_suffix(".settings"), {"backup_acts": 0, "backup_minutes": 100_000})
        self.window = MainWindow(theme, settings)
        self.heard = self.failed = 0
        self.text = ""
        self.window.session.saved.connect(self._saved)
        self.window.session.not_saved.connect(self._not_saved)
        self.window.show()
        self.window.open_project(path)
        self.until(self._is_open, 30)
        self.window.show_page("Select")
        self.until(self._has_queue, 30)
        self.until(self._is_warm, 30)

    def _is_warm(self) -> bool:
        facts = self.window.session.facts
        return facts is not None and bool(facts.annotators)

    def _is_open(self) -> bool:
        return self.window.session.store is not None

    def _has_queue(self) -> bool:
        page: Any = self.window.pages.page("Select")
        return bool(page and page.queue.selected_rows())

    def until(self, true: Callable[[], bool], seconds: float = 2.0) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.application.processEvents()
            if true():
                return True
            time.sleep(0.001)
        return False

    def rest(self, seconds: float) -> None:
        self.until(bool, seconds)

    def say(self, **facts: Any) -> None:
        os.write(1, (json.dumps(facts) + "\n").encode())  # no buffer of ours between the save and the pipe

    def _saved(self, receipt: Receipt) -> None:
        self.heard += 1
        self.say(event="saved", change=receipt.change_id, what=receipt.what, text=self.text)

    def _not_saved(self, failure: WorkFailure) -> None:
        self.failed += 1
        self.say(event="failed", what=failure.message, kept=failure.text == self.text)

    def step(self, number: int) -> bool:
        """Do one thing; returns whether it was saved (or there was nothing to do), False if saving failed."""
        self.window.session.flush()  # what the last step did has been heard of now
        heard, failed, self.text = self.heard, self.failed, ""
        act = self.chance.choices(
            (self.decide, self.label, self.paraphrase, self.criterion, self.comment, self.undo, self.redo),
            (6, 2, 4, 3, 2, 2, 1),
        )[0]
        if not act(number):
            return True
        self.until(lambda: self.heard > heard or self.failed > failed)
        return self.failed == failed

    def page(self, name: str) -> Any:
        self.window.show_page(name)
        self.until(lambda: self.window.pages.current_name == name)
        self.rest(0.01)
        return self.window.pages.page(name)

    def decide(self, _number: int) -> bool:
        self.page("Select")
        self.window.actions_table.trigger(
            f"select.{self.chance.choice(('accept', 'accept', 'reject', 'skip', 'flag'))}"
        )
        return True

    def label(self, _number: int) -> bool:
        self.page("Select")
        self.window.actions_table.trigger(f"select.{self.chance.choice(('easy', 'medium', 'hard'))}")
        return True

    def paraphrase(self, number: int) -> bool:
        page = self.page("Prompt")
        if not self.until(lambda: page.view is not None, 0.5):
            return False
        self.text = f"Paraphrase {self.seed} {number}: sort the list by its second element, newest first."
        page.panes.editor.setPlainText(self.text)
        self.window.actions_table.trigger("subject.save")
        return True

    def criterion(self, number: int) -> bool:
        page = self.page("Criterion")
        if not self.until(lambda: page.view is not None, 0.5):
            return False
        page.document.show_face(1)
        self.text = CRITERION.format(f"word{self.seed}x{number}")
        page.document.yaml.setPlainText(self.text)
        self.window.actions_table.trigger("subject.save")
        return True

    def comment(self, number: int) -> bool:
        page = self.page("Consensus")
        comments = page.details.comments
        if not self.until(lambda: bool(page.subject_id) and comments.draft.item_id == page.subject_id, 0.5):
            return False
        self.text = f"Comment {self.seed} {number}"
        comments.line.setText(self.text)
        comments.line.returnPressed.emit()
        return True

    def undo(self, _number: int) -> bool:
        self.window.session.undo()
        return self.window.session.facts is not None and bool(self.window.session.facts.undo_label)

    def redo(self, _number: int) -> bool:
        self.window.session.redo()
        return self.window.session.facts is not None and bool(self.window.session.facts.redo_label)

    # -- faults ---------------------------------------------------------------------------------------------------

    def with_fault(self, number: int, break_it: Callable[[], None], mend: Callable[[], None]) -> None:
        """Break something, work on, mend it, and press the button that saves again."""
        break_it()
        try:
            for more in range(4):
                if not self.step(number * 100 + more):
                    break
        finally:
            mend()
        bar, unsaved = self.window.error_bar, self.window.status.unsaved
        waiting = [item for item in bar.failures if item.retry is not None]
        self.say(event="fault", waiting=len(waiting), shown=bar.isVisible() and unsaved.isVisible())
        if waiting:
            self.text, heard = waiting[-1].text, self.heard
            bar.retry()
            self.until(lambda: self.heard > heard, 5)
            self.say(event="mended", saved=self.heard > heard, shown=unsaved.isVisible())
        bar.dismiss()

    def fill(self) -> None:
        """Take all the room there is."""
        for size in (1 << 20, 1 << 16, 1 << 12, 1 << 8):
            with (self.path.parent / "ballast").open("ab", buffering=0) as file:
                try:
                    while True:
                        file.write(bytes(size))
                except OSError:
                    continue

    def empty(self) -> None:
        (self.path.parent / "ballast").unlink()

    def shut(self) -> None:
        """Take the permission away as another program would: from files, folder, and from connections to come."""
        for path in self._files():
            path.chmod(0o444)
        self.path.parent.chmod(0o555)
        if os.geteuid() == 0:
            os.seteuid(NOBODY)  # permissions mean nothing to the superuser
        store = self.window.session.store
        if store is not None:
            store.writer().close()  # pooled connections keep the permission they were opened with

    def reopen(self) -> None:
        if os.getuid() == 0:
            os.seteuid(0)
        self.path.parent.chmod(0o755)
        for path in self._files():
            path.chmod(0o644)

    def _files(self) -> list[Path]:
        return [path for path in (Path(f"{self.path}{ending}") for ending in ("", "-wal", "-shm")) if path.exists()]


def main() -> None:
    faulthandler.enable()
    path, seed, steps, fault = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    hand = Hand(path, seed)
    if fault == "permission":
        # Another user may not read where Python is: everything is imported before.
        for act in (hand.decide, hand.paraphrase, hand.criterion, hand.comment, hand.undo, hand.redo):
            act(0)
            hand.rest(0.5)
    hand.say(event="ready")
    for number in range(steps):
        if fault == "disk" and number % FAULT_EVERY == FAULT_EVERY - 1:
            hand.with_fault(number, hand.fill, hand.empty)
        elif fault == "permission" and number % FAULT_EVERY == FAULT_EVERY - 1:
            hand.with_fault(number, hand.shut, hand.reopen)
        else:
            hand.step(number)
    hand.window.session.flush()
    hand.window.pages.finish_typing()
    left = hand.window.session.flush()
    hand.say(event="closing", left=[failure.message for failure in left])
    if not left:  # else the window would ask, and nobody is here to answer
        hand.window.close()
    hand.say(event="end")
    os._exit(0)


if __name__ == "__main__":
    main()
