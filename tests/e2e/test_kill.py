"""A process killed at any moment loses no decision that it had acknowledged."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from annotator.services.project import projects
from annotator.services.sources import imports
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

DECISIONS = 500
MOST_READ = 40
"""How many acknowledgements are read at most before a kill; it falls somewhere into the decision after them."""

_WORKER = SAMPLES["worker"]


@pytest.mark.slow
@pytest.mark.parametrize("kills", [4, 50])
def test_no_acknowledged_decision_is_lost(tmp_path: Path, kills: int) -> None:
    path = tmp_path / "p.annotator"
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps({"id": n, "prompt": f"Prompt {n}"}) + "\n" for n in range(100)))
    store = projects.create_project(path, "Demo", "Ada")
    imports.import_paths(store, "jsonl", [rows])
    store.close()
    chance = random.Random(20261121)
    acknowledged: set[str] = set()
    start = 0
    for _ in range(kills):
        with subprocess.Popen(
            [sys.executable, "-c", _WORKER, str(path), str(start), str(start + DECISIONS)],
            stdout=subprocess.PIPE,
            text=True,
        ) as worker:
            assert worker.stdout is not None
            assert worker.stdout.readline() == "ready\n"
            heard = [worker.stdout.readline() for _ in range(chance.randint(0, MOST_READ))]
            time.sleep(chance.uniform(0.0, 0.01))
            os.kill(worker.pid, signal.SIGKILL)
            # What the worker had printed before it died is what it acknowledged.
            heard += worker.stdout.read().splitlines(keepends=True)
        acknowledged.update(line.strip() for line in heard if line.endswith("\n") and line != "end\n")
        start += DECISIONS
    store = projects.open_project(path)
    assert projects.check_integrity(store) == ()
    with store.reader() as connection:
        kept = {row[0] for row in connection.execute("SELECT reason FROM decision WHERE active = 1")}
        # The current verdict agrees with the newest decision, for every subject, after all those kills.
        stale = connection.execute(
            "SELECT count(*) FROM subject s WHERE s.verdict IS NOT (SELECT d.verdict FROM decision d "
            "WHERE d.subject_id = s.id AND d.active = 1 ORDER BY d.created_at DESC, d.id DESC LIMIT 1)"
        ).fetchone()[0]
    store.close()
    assert len(acknowledged) > kills
    assert acknowledged <= kept
    assert stale == 0
