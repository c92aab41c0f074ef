"""Something in the process opens and closes the project's file, which drops SQLite's locks: nothing saved is lost."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from annotator.services.project import projects
from annotator.services.sources import imports
from tests.processes import private_environment, run_command

VICTIM = Path(__file__).with_name("victim.py")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at the descriptors of another process"),
]


class Victim:
    """A process that has the project open."""

    def __init__(self, path: Path, guard: str, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(VICTIM), str(path), guard],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        assert self.hear() == "ready"

    def hear(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def tell(self, word: str) -> str:
        """Give an order; returns the answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()
        return self.hear()

    def end(self, kill: bool) -> None:
        if kill:
            self._process.send_signal(signal.SIGKILL)
        else:
            assert self.tell("quit") == "closed"
        self._process.communicate(timeout=60)


@contextmanager
def _victim(path: Path, guard: str, environment: dict[str, str], kill: bool) -> Iterator[Victim]:
    victim = Victim(path, guard, environment)
    try:
        yield victim
    finally:
        victim.end(kill)


@pytest.mark.parametrize("rounds", [2, 200])
@pytest.mark.parametrize("guard", ["guarded", "bare"])
def test_lost_locks_lose_no_act(tmp_path: Path, guard: str, rounds: int) -> None:
    path, rows = tmp_path / "p.annotator", tmp_path / "rows.jsonl"
    rows.write_text(
        "".join(json.dumps({"id": str(n), "prompt": f"Prompt {n}."}) + "\n" for n in range(3 * rounds + 10))
    )
    store = projects.create_project(path, "Demo", "Ada")
    imports.import_paths(store, "jsonl", [rows])
    store.close()
    environment = private_environment(tmp_path)
    acts: list[str] = []
    log_removed = 0
    for number in range(rounds):
        with _victim(path, guard, environment, kill=number % 2 == 0) as victim:
            acts.append(victim.tell("act"))
            assert victim.tell("look") == "looked"
            command = ("select", str(path), "--subject", str(number), "--verdict", "reject", "--json")
            done = run_command(*command, environment=environment)
            acts.append(f"saved {json.loads(done)['change']}")
            log_removed += not Path(f"{path}-wal").exists()
            acts.append(victim.tell("act"))
            assert victim.tell("removed") == "removed 0"
    with closing(sqlite3.connect(path)) as connection:
        there = {f"saved {row[0]}" for row in connection.execute("SELECT id FROM change")}
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        decided = connection.execute("SELECT count(*) FROM decision").fetchone()[0]
    lost = [act for act in acts if act not in there]
    print(f"\n{guard}: {rounds} rounds, {len(acts)} acts acknowledged, {log_removed} logs removed, {len(lost)} lost")
    assert lost == []
    assert all(act.startswith("saved ") for act in acts) and decided == len(acts)
    # The lock keeps the log; without it every other process removes it, and the acts are kept all the same.
    assert log_removed == (0 if guard == "guarded" else rounds)
