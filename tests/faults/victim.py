"""Works in a project as it is told, a word a line, and says of each act that it is saved once the service returns.

``victim.py FILE GUARD``: GUARD is "guarded", or "bare", where the file lock of the process is not held, as on a system
that has no such locks. Words: act, look (open and close the file as anything in the process may do), removed (name the
open descriptors of removed logs), quit.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.project import projects
from annotator.services.select import triage
from annotator.store.file.file_lock import FileLock


def say(text: str) -> None:
    os.write(1, f"{text}\n".encode())  # no buffer of ours between the save and the pipe


def go_bare() -> None:
    """Hold the lock only while connections are replaced, which needs it in every case."""
    hold, bar = FileLock.hold, FileLock.bar

    def no_hold(_lock: FileLock) -> None:
        return None

    def held_bar(lock: FileLock) -> None:
        hold(lock)
        bar(lock)

    FileLock.hold, FileLock.bar = no_hold, held_bar  # type: ignore[method-assign]


def removed(path: Path) -> int:
    """Count the open descriptors of logs that have no name any more."""
    count = 0
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue
        count += target.startswith(str(path)) and target.endswith("(deleted)")
    return count


def main() -> None:
    path = Path(sys.argv[1])
    if sys.argv[2] == "bare":
        go_bare()
    store = projects.open_project(path)
    rows = [row.row for row in triage.queue_page(store, QueueFilter(), limit=200).rows]
    say("ready")
    for line in sys.stdin:
        word = line.strip()
        if word == "act":
            say(f"saved {triage.decide_queue_rows(store, [rows.pop()], Verdict.ACCEPT)[1].change_id}")
        elif word == "look":
            path.open("rb").close()
            say("looked")
        elif word == "removed":
            say(f"removed {removed(path)}")
        elif word == "quit":
            store.close()
            say("closed")
            return


if __name__ == "__main__":
    main()
