"""Several windows on one project for a while: each shows what is there, and nothing is decided by two unasked.

Long: ten minutes on a file, and 1,000 candidates on a server (tests/long_tests.py).
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from annotator.base.addresses import Place, ServerAddress
from annotator.model.vocabulary import ChangeKind
from annotator.services.project import members, projects
from annotator.services.select import leases
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile
from tests.processes import private_environment, run_command

WINDOW = Path(__file__).with_name("campaign_window.py")
START_S = 180.0
PEOPLE = ("Ada", "Bo", "Cy", "Di")
pytestmark = pytest.mark.slow


@dataclass
class Window:
    """A process with a window, and what it has written down."""

    process: subprocess.Popen[str]
    log: Path
    killed: bool = field(default=False)

    def events(self, *names: str) -> list[dict[str, Any]]:
        # The last line may be half written.
        lines = self.log.read_text().split("\n")[:-1]
        found = [json.loads(line) for line in lines if line.startswith("{")]
        return [event for event in found if not names or event["event"] in names]

    def tell(self, word: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()

    def expect(self, event: str, seconds: float) -> None:
        end = time.monotonic() + seconds
        while not self.events(event):
            assert self.process.poll() is None or event == "closed", self.log.read_text()[-2000:]
            assert time.monotonic() < end, f"no {event}: {self.log.read_text()[-2000:]}"
            time.sleep(0.05)

    def kill(self) -> None:
        self.killed = True
        self.process.kill()
        self.process.wait()


@contextmanager
def _windows(places: Sequence[Place], folder: Path, seconds: float) -> Iterator[list[Window]]:
    windows: list[Window] = []
    try:
        for number, where in enumerate(places):
            home = folder / f"home-{number}"
            home.mkdir()
            log = folder / f"window-{number}.log"
            with log.open("w") as out, (folder / f"window-{number}.errors").open("w") as errors:
                process = subprocess.Popen(
                    [sys.executable, str(WINDOW), str(where), str(number), str(seconds)],
                    stdin=subprocess.PIPE, stdout=out, stderr=errors, text=True, env=private_environment(home),
                )  # fmt: skip
            windows.append(Window(process, log))
        for window in windows:
            window.expect("ready", START_S)
        yield windows
    finally:
        for window in windows:
            with suppress(OSError):
                window.process.kill()
            window.process.wait()


def _make(where: Place, folder: Path, count: int, people: Sequence[str]) -> ProjectFile:
    rows = folder / "rows.jsonl"
    rows.write_text("".join(json.dumps({"id": f"{n:04}", "prompt": f"Prompt {n}."}) + "\n" for n in range(count)))
    store = projects.create_project(where, "Demo", people[0])
    imports.import_paths(store, "jsonl", [rows])
    for name in people[1:]:
        members.add_annotator(store, name)
    return store


def _finish(windows: Sequence[Window], seconds: float) -> None:
    """Let windows end their work, compare what they show with the project, and close them."""
    for window in windows:
        window.expect("done", seconds + 120)
    for window in windows:
        window.tell("check")
    for window in windows:
        window.expect("checked", 60)
    for window in windows:
        window.tell("quit")
    for window in windows:
        window.expect("closed", 60)


def _decided_unasked(store: ProjectFile, windows: Sequence[Window], *, must_ask: bool) -> tuple[int, list[str]]:
    """Walk through the undo log; returns how often one window decided on another's, and where nobody had been asked.

    ``must_ask`` says that having seen the other's decision is not enough.
    """
    said = {event["change"]: (number, event) for number, window in enumerate(windows)
            for event in window.events("decided")}  # fmt: skip
    with store.read() as db:
        changes = db.execute(text("SELECT id, kind, target_id FROM change ORDER BY seq")).all()
        rows = db.execute(text("SELECT id, subject_id, change_id, created_at FROM decision")).all()
    of_change = {row.change_id: row for row in rows}
    standing: dict[str, dict[str, Any]] = {}
    over, unasked = 0, []
    for change in changes:
        row = of_change.get(change.target_id or change.id)
        if row is None:
            continue
        there = standing.setdefault(row.subject_id, {})
        if change.kind == ChangeKind.UNDO:
            there.pop(row.id, None)
            continue
        before = max(there.values(), key=lambda item: (item.created_at, item.id), default=None)
        there[row.id] = row
        # A command names its subject; of a window that was killed the last act may not be written down.
        if change.kind != ChangeKind.DO or change.id not in said or before is None:
            continue
        actor, event = said[change.id]
        assert event["subject"] == row.subject_id, "decided on what was shown"
        if said.get(before.change_id, (None,))[0] == actor:
            continue
        over += 1
        if not event["asked"] and (must_ask or before.id not in event["shown"]):
            unasked.append(row.subject_id)
    return over, unasked


def _figures(windows: Sequence[Window]) -> str:
    counts = Counter(event["event"] for window in windows for event in window.events())
    asked = sum(event["asked"] for window in windows for event in window.events("decided")) + counts["left"]
    took = [event["seconds"] for window in windows for event in window.events("checked")]
    looked = counts["right"] + counts["wrong"]
    return (
        f"{counts['decided']} decided, asked {asked} times ({counts['left']} left), "
        f"looked {looked} times: {counts['late']} late after 1 s, {counts['wrong']} wrong after 10 s; "
        f"all right after {max(took, default=0):.2f} s at the end; {counts['failed']} failed, {counts['stuck']} stuck"
    )


def _assert_right(windows: Sequence[Window]) -> None:
    for window in windows:
        assert window.events("wrong", "failed", "stuck") == []
        if not window.killed:
            assert [event["right"] for event in window.events("checked")] == [True]
            assert len(window.events("decided")) > 5


@pytest.mark.parametrize(("seconds", "count"), [(8, 40), (600, 300)])
def test_two_windows_and_a_command_on_a_file(tmp_path: Path, seconds: float, count: int) -> None:
    path = tmp_path / "p.annotator"
    store = _make(path, tmp_path, count, PEOPLE[:1])
    environment = private_environment(tmp_path)
    commands = 0
    with _windows([path, path], tmp_path, seconds) as windows:
        for window in windows:
            window.tell("go")
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            key = f"jsonl:{commands * 7 % count:04}"
            verdict = ("accept", "reject")[commands % 2]
            run_command("select", str(path), "--subject", key, "--verdict", verdict, environment=environment)
            commands += 1
        _finish(windows, seconds)
        over, unasked = _decided_unasked(store, windows, must_ask=False)
        print(f"\nfile, {seconds} s, {count} candidates, {commands} commands: {_figures(windows)}; "
              f"{over} decided over another's, {len(unasked)} of them unasked and unseen")  # fmt: skip
        _assert_right(windows)
        assert unasked == []
        assert store.integrity() == ()
    store.close()


@pytest.mark.parametrize(("seconds", "count"), [(10, 80), (300, 1000)])
def test_four_windows_on_a_server(tmp_path: Path, database: ServerAddress, seconds: float, count: int) -> None:
    """One of them is killed at half time: nobody gets what it had before its lease is over."""
    store = _make(database, tmp_path, count, PEOPLE)
    places = [replace(database, annotator=name) for name in PEOPLE]
    with _windows(places, tmp_path, seconds) as windows:
        for window in windows:
            window.tell("go")
        time.sleep(seconds / 2)
        windows[-1].kill()
        _finish(windows[:-1], seconds)
        over, unasked = _decided_unasked(store, windows, must_ask=True)
        print(f"\nserver, {seconds} s, {count} candidates: {_figures(windows)}; "
              f"{over} decided over another's, {len(unasked)} of them unasked")  # fmt: skip
        _assert_right(windows)
        assert unasked == []
        left = leases.current_leases(store)
        assert {row.annotator for row in left} <= {PEOPLE[-1]} and len(left) <= 1, (
            "closing ends leases, a crash does not"
        )
        assert all(row.seconds_left <= leases.LEASE_S for row in left)
    store.close()
