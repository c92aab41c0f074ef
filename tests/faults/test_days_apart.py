"""Three people, two files and a server: three days of work apart, killed sessions, merges in random order."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from annotator.base.addresses import Place, ServerAddress
from annotator.services.judge import blind_judging
from annotator.services.judge.blind_judging import NewStudy
from annotator.services.judge.side_order import ServingPlan
from annotator.services.project import members, packets, projects, server_copy
from annotator.services.prompt import paraphrases
from annotator.store.file.project_file import ProjectFile
from annotator.store.merge import row_union
from tests.processes import private_environment
from tests.template_projects import project_of_rows

COLLEAGUE = Path(__file__).with_name("colleague.py")
PEOPLE = ("Ada", "Bo", "Cy")
SUBJECTS = 40
DAYS = 3
SESSIONS = 36
ACTS = 160
pytestmark = pytest.mark.slow


def _make_project(path: Path) -> None:
    """Make a project with a blind study of three raters, and close it."""
    rows = ({"id": f"{n:02}", "prompt": f"Sort list {n}.", "reference": f"x = {n}"} for n in range(SUBJECTS))
    store = project_of_rows(path, rows, ())
    for person in PEOPLE:
        members.add_annotator(store, person)
    keys = [f"{n:02}" for n in range(SUBJECTS // 2)]
    for key in keys:
        paraphrases.save_prompt(store, key, f"How is list {key} sorted?")
    pairs = blind_judging.candidate_pairs(store, "paraphrase", "original", "paraphrase", keys)
    study = NewStudy(
        name="wording",
        kind="paraphrase",
        name_a="before",
        name_b="after",
        raters=PEOPLE,
        plan=ServingPlan(repeats=0.25),
    )
    blind_judging.create_blind_study(store, study, pairs)
    store.close()


def _work(place: Place, person: str, chance: random.Random, acts: int, home: Path) -> set[str]:
    """Let a person work, and kill every second session at some act; return the ids of the acts that were saved."""
    argv = [sys.executable, str(COLLEAGUE), str(place), person, str(chance.random()), str(acts)]
    last_act = chance.randint(1, acts) if chance.random() < 0.5 else None
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=private_environment(home)) as session:
        assert session.stdout is not None
        saved: set[str] = set()
        for line in session.stdout:
            saved.add(line.strip())
            if len(saved) == last_act:
                session.kill()
    assert session.returncode == 0 or (last_act is not None and len(saved) >= last_act)
    return saved


def _open(place: Place) -> ProjectFile:
    return projects.open_project(place, annotator=PEOPLE[0])


def _exchange(source: Place, target: Place, packet: Path) -> None:
    with closing(_open(source)) as giver, closing(_open(target)) as taker:
        packets.export_packet(giver, packet, run_data=True)
        packets.import_packet(taker, packet, others=True)
    packet.unlink()


def _rows(store: ProjectFile) -> Mapping[str, Any]:
    with store.read() as db:
        return row_union.read_all(db, run_data=True)


def test_nothing_saved_is_lost_and_all_copies_become_equal(tmp_path: Path, database: ServerAddress) -> None:
    chance = random.Random(DAYS)
    files = [tmp_path / "ada.annotator", tmp_path / "bo.annotator"]
    _make_project(files[0])
    server_copy.copy_project(files[0], database)
    server_copy.copy_project(database, files[1])
    places: list[Place] = [*files, database]
    saved: set[str] = set()
    for _ in range(DAYS):
        for session in range(SESSIONS):
            at = session % len(places)
            # Each has a place of their own, and anybody may work on the server.
            person = PEOPLE[at] if at < len(files) else chance.choice(PEOPLE)
            saved |= _work(places[at], person, chance, ACTS, tmp_path)
        pairs = [(giver, taker) for giver in places for taker in places if giver != taker]
        for giver, taker in chance.sample(pairs, len(pairs) // 2):
            _exchange(giver, taker, tmp_path / "day.packet")
    # Whatever came to whom before, after these everybody has everything.
    for first, second in ((0, 1), (1, 2), (2, 0), (0, 1)):
        _exchange(places[first], places[second], tmp_path / "last.packet")
    states = []
    for place in places:
        with closing(_open(place)) as store:
            states.append(_rows(store))
            assert store.integrity() == ()
    print(f"\n{DAYS} days, {len(saved)} saved acts, {len(states[0]['change'])} in each copy")
    assert saved <= {row["id"] for row in states[0]["change"]}
    assert states[0] == states[1] == states[2]
