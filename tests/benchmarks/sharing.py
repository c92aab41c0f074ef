"""Several people on one queue: what eight clients get done, what kills do to it, and what one decision costs.

    python -m tests.benchmarks.sharing ADDRESS [--items 5000] [--clients 8] [--kills 24]

The database must be empty. A client takes the next subject nobody has and decides on it, until none is left; clients
are killed at random moments, and another takes the killed one's place.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

from annotator.base.addresses import Place, parse_place
from annotator.base.errors import BadInputError
from annotator.model.vocabulary import Verdict
from annotator.services.project import members, projects
from annotator.services.select import leases, triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Outcome:
    """What came of it: ``twice`` counts subjects two clients had at once, ``again`` those given anew after a kill."""

    items: int
    seconds: float
    killed: int
    decided: int
    decisions: int
    lost: int
    twice: int
    again: int
    refused: int

    @property
    def each_second(self) -> float:
        """Items a second, all clients together."""
        return self.items / self.seconds


def fill(where: Place, items: int, people: Sequence[str], folder: Path) -> None:
    """Make a project with that many open subjects and those people."""
    rows = folder / "rows.jsonl"
    with rows.open("w") as out:
        for number in range(items):
            row = {"id": str(number), "title": f"Task {number}", "prompt": f"Solve task {number}.", "reference": "x",
                   "language": "python", "licence": "MIT", "provenance": {"source": "made"}}  # fmt: skip
            out.write(json.dumps(row) + "\n")
    store = projects.create_project(where, "Sharing", people[0])
    for person in people[1:]:
        members.add_annotator(store, person)
    imports.import_paths(store, "jsonl", [rows])
    store.close()


def work(where: Place, person: str, log: Path, seconds: float, think: float) -> None:
    """Take, think for up to ``think`` seconds and decide until nothing is open; every step is a line of the log."""
    store, chance = projects.open_project(where, annotator=person), random.Random(str(log))
    with log.open("a", buffering=1) as out:
        while True:
            rows = leases.take_next_subjects(store, seconds=seconds)
            for row in rows:
                out.write(f"given {row.id} {_term(store, row.id)}\n")
                time.sleep(chance.uniform(0, think))
                try:
                    leases.decide_leased(store, row.id, Verdict.ACCEPT)
                    out.write(f"decided {row.id} -\n")
                except BadInputError:
                    out.write(f"refused {row.id} -\n")
            if not rows:
                if not _open(store):
                    break
                time.sleep(0.1)
    store.close()


def _term(store: ProjectFile, subject_id: str) -> str:
    """Return from when till when a subject is this client's, by the project's own clock; "-" if it is lost already."""
    with store.reader() as connection:
        query = "SELECT taken_at, until FROM lease WHERE subject_id = %s AND client = %s"
        found = connection.execute(query, (subject_id, store.client)).fetchone()
    return f"{found[0]!r}/{found[1]!r}" if found else "-"


def _open(store: ProjectFile) -> int:
    return triage.queue_page(store, leases.OPEN, None, 1).total


def share(
    where: Place, folder: Path, items: int, clients: int, kills: int, seconds: float, think: float = 0.0, seed: int = 1
) -> Outcome:
    """Let clients work through a queue while some of them are killed at random moments."""
    people = [f"Person {number}" for number in range(clients)]
    fill(where, items, people, folder)
    chance, logs, started = random.Random(seed), list[Path](), time.time()

    def start(number: int) -> subprocess.Popen[bytes]:
        logs.append(folder / f"client-{len(logs)}.log")
        command = [sys.executable, "-m", "tests.benchmarks.sharing", str(where), "--client", people[number],
                   "--log", str(logs[-1]), "--lease", str(seconds), "--think", str(think)]  # fmt: skip
        return subprocess.Popen(command, cwd=ROOT)

    running = {number: start(number) for number in range(clients)}
    writes = dict(enumerate(logs))
    killed = 0
    while running:
        time.sleep(chance.uniform(0.02, 0.3))
        for number, client in list(running.items()):
            if client.poll() is not None:
                assert client.returncode == 0, f"client {number} ended with {client.returncode}"
                del running[number]
        busy = [number for number in running if writes[number].exists() and writes[number].stat().st_size]
        if killed < kills and busy:
            number = chance.choice(busy)
            running[number].send_signal(signal.SIGKILL)
            running[number].wait()
            killed += 1
            running[number] = start(number)
            writes[number] = logs[-1]
    took = time.time() - started
    return _outcome(where, logs, items, took, killed)


def _outcome(where: Place, logs: Sequence[Path], items: int, took: float, killed: int) -> Outcome:
    store = projects.open_project(where, annotator="Person 0")
    with store.reader() as connection:
        rows = connection.execute("SELECT subject_id, count(*) FROM decision GROUP BY subject_id").fetchall()
        decided = connection.execute("SELECT count(*) FROM subject WHERE verdict = 'accept'").fetchone()[0]
    store.close()
    given: dict[str, int] = {}
    terms: dict[str, list[list[float]]] = {}
    refused = 0
    for act, subject, term in _lines(logs):
        refused += act == "refused"
        if act == "given":
            given[subject] = given.get(subject, 0) + 1
            if term != "-":
                terms.setdefault(subject, []).append([float(moment) for moment in term.split("/")])
    # Somebody else may have a subject once its lease has lapsed, and not before.
    twice = sum(later[0] < before[1] for found in terms.values() for before, later in pairwise(sorted(found)))
    return Outcome(
        items, took, killed, decided, sum(row[1] for row in rows), items - len(rows), twice,
        sum(count - 1 for count in given.values()), refused,
    )  # fmt: skip


def _lines(logs: Sequence[Path]) -> Iterator[tuple[str, str, str]]:
    for log in logs:
        # The last line of a killed client may be cut.
        for line in log.read_text().splitlines(keepends=True) if log.exists() else ():
            if line.endswith("\n"):
                act, subject, term = line.split()
                yield act, subject, term


def latency(where: Place, folder: Path, decisions: int = 200) -> tuple[float, float]:
    """Return the median and the 95th percentile of one decision in milliseconds."""
    fill(where, decisions, ["Person 0"], folder)
    store = projects.open_project(where, annotator="Person 0")
    ids = [row.id for row in triage.queue_page(store, leases.OPEN, None, decisions).rows]
    times = []
    for subject in ids:
        began = time.perf_counter()
        triage.decide_subjects(store, [subject], Verdict.ACCEPT)
        times.append(1000 * (time.perf_counter() - began))
    store.close()
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


def main() -> None:
    """Run one of the measurements."""
    parser = argparse.ArgumentParser()
    parser.add_argument("place", type=parse_place)
    parser.add_argument("--items", type=int, default=5000)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--kills", type=int, default=24)
    parser.add_argument("--lease", type=float, default=10.0)
    parser.add_argument("--think", type=float, default=0.02)
    parser.add_argument("--latency", action="store_true")
    parser.add_argument("--client")
    parser.add_argument("--log", type=Path)
    options = parser.parse_args()
    if options.client:
        work(options.place, options.client, options.log, options.lease, options.think)
        return
    with tempfile.TemporaryDirectory() as folder:
        if options.latency:
            median, most = latency(options.place, Path(folder))
            print(f"median {median:.1f} ms, 95 % within {most:.1f} ms")
            return
        found = share(
            options.place,
            folder=Path(folder),
            items=options.items,
            clients=options.clients,
            kills=options.kills,
            seconds=options.lease,
            think=options.think,
        )
    print(json.dumps({**asdict(found), "each_second": found.each_second}, indent=2))


if __name__ == "__main__":
    main()
