"""Damage copies of a project at random and run a command on each: every one must end with a sentence.

    python -m tests.store.fuzz_damage PROJECT [FILES [SEED]]

Prints the seed, the kind of damage and the command of each file that ended in a bug report.
"""

from __future__ import annotations

import contextlib
import io
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from annotator.__main__ import main
from annotator.base.errors import ExitCode
from tests.store import planted_faults
from tests.store.planted_faults import Fault

COMMANDS = (
    "list {p}", "status {p}", "history list {p}", "release list {p}", "check {p}", "undo {p}", "backup {p}",
    "recover {p} --to {p}.new.annotator", "results leaderboard {p}", "team status {p}", "show python --project {p}",
    "judge list {p}", "run list {p}", "quotas show {p}", "backups verify {p}",
)  # fmt: skip


def run_damaged(project: Path, seed: int) -> str:
    """Damage a copy by a seed and run a command on it; returns what was done if that ended in a bug report."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="annotator-fuzz-") as folder:
        path = Path(folder, "p.annotator")
        shutil.copyfile(project, path)
        fault = _choose(path, chance, seed)
        fault.plant(path)
        words = chance.choice(COMMANDS).format(p=path).split()
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            status = main(words)
        told = "" if status != ExitCode.BUG else out.getvalue()[-1500:]
    return f"seed {seed}: {fault.kind}, {fault.name}, {words[0]} {words[1]}\n{told}" if told else ""


def _choose(path: Path, chance: random.Random, seed: int) -> Fault:
    """Return some flipped bits in half of the cases, else a planted fault."""
    if chance.random() < 0.5:
        return Fault(kind="bits", name="", plant=lambda target: _flip(target, chance))
    return chance.choice(list(planted_faults.faults(path, seed=seed)))


def _flip(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    # Where something stands: in empty space a flipped bit changes nothing.
    filled = [at for at in (chance.randrange(100, len(data)) for _ in range(400)) if data[at]]
    for at in filled[: chance.choice((1, 5, 40))]:
        data[at] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def bugs(project: Path, files: int, seed: int = 0) -> Iterator[str]:
    """Yield what ended in a bug report, of as many files."""
    for number in range(seed, seed + files):
        if found := run_damaged(project, number):
            yield found


if __name__ == "__main__":
    project_path, *numbers = sys.argv[1:]
    for text in bugs(Path(project_path), *map(int, numbers or ("100",))):
        print(text)
