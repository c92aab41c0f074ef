"""A study gives the same report, byte for byte, in two windows on one file, by packets, and on a server.

40 pairs of three models' answers, judged by four raters. One item is skipped by a rater, and an absent rater's pairs go
to another.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from annotator.base.addresses import Place, ServerAddress
from annotator.model.vocabulary import Verdict
from annotator.services.judge import agreement, blind_judging, model_pairs, rater_changes
from annotator.services.judge.blind_judging import NewStudy
from annotator.services.judge.side_order import ServingPlan
from annotator.services.project import members, packets, projects, server_copy
from annotator.services.runs import run_control
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile

MODELS = ("model-a", "model-b", "model-c")
RATERS = ("Bo", "Cy", "Di", "Ed")
ABSENT = "Fay"
PAIRS = {(0, 1): 14, (0, 2): 13, (1, 2): 13}
"""The two models of each study, and how many of the 14 items it has: 40 pairs in all."""


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A project with three studies, in which nothing is judged yet."""
    path, items, answers = tmp_path / "base.annotator", tmp_path / "items.jsonl", tmp_path / "answers.jsonl"
    rows = [{"id": f"i{n}", "title": f"Item {n}", "prompt": f"Question {n}", "reference": "x", "language": "python",
             "task": "question", "licence": "MIT"} for n in range(14)]  # fmt: skip
    items.write_text("".join(json.dumps(row) + "\n" for row in rows))
    texts = [{"subject": f"i{n}", "model": name, "response": f"answer {number} to {n}, {'long ' * number}"}
             for n in range(14) for number, name in enumerate(MODELS)]  # fmt: skip
    answers.write_text("".join(json.dumps(row) + "\n" for row in texts))
    with closing(projects.create_project(path, "Study", "Ada")) as store:
        imports.import_paths(store, "jsonl", [items])
        keys = [f"jsonl:i{n}" for n in range(14)]
        triage.decide_subjects(store, keys, Verdict.ACCEPT)
        run_control.store_recorded_samples(store, answers)
        for name in (*RATERS, ABSENT):
            members.add_annotator(store, name)
        for (one, other), count in PAIRS.items():
            sides = (f"model:{MODELS[one]}", f"model:{MODELS[other]}")
            # Fay stands for Ed: with her, every pair has three raters of whom two to four come.
            new = NewStudy(name=f"{one} against {other}", kind="response", name_a=sides[0], name_b=sides[1],
                           raters=(*RATERS[:3], ABSENT), secret=f"secret {one} {other}",
                           plan=ServingPlan(plan="balanced", raters_per_pair=3, repeats=0.1))  # fmt: skip
            pairs = blind_judging.candidate_pairs(store, "response", *sides, keys[:count])
            blind_judging.create_blind_study(store, new, pairs)
            rater_changes.hand_over_pairs(store, new.name, ABSENT, "Ed", "Fay is away")
    return path


def _studies(store: ProjectFile) -> list[str]:
    return sorted(row.id for row in projects.list_studies(store))


def _choose(rater: str, first: str, second: str) -> str:
    """Return what a rater thinks of two texts, whichever stands first, but Cy leans to the side that does."""
    if rater == "Cy" and "answer 2" not in first + second:
        return "1"
    digest = hashlib.sha256("|".join((rater, *sorted((first, second)))).encode()).digest()[0]
    better = sorted((first, second))[digest % 2]
    return "tie" if digest < 40 else "both_bad" if digest > 240 else "1" if better == first else "2"


def _judge_next(store: ProjectFile, study: str) -> bool:
    """Judge the next pair of a study, or seal the batch if there is none. Returns whether there was one."""
    pairs = blind_judging.load_judging_queue(store, study).pairs
    if not pairs:
        blind_judging.seal_own_batch(store, study)
        return False
    pair, rater = pairs[0], store.annotator.name
    if rater == "Di" and "answer 0 to 3," in pair.first + pair.second:
        rater_changes.skip_pair(store, pair.assignment_id, "Di wrote item 3")
    else:
        choice = _choose(rater, pair.first, pair.second)
        blind_judging.judge_pair(store, pair.assignment_id, choice, seconds=10.0 + len(choice))
    return True


def _judge_at_once(stores: list[ProjectFile], rng: random.Random) -> None:
    """Let the people of several open projects judge in turns, in random order."""
    waiting = [(store, study) for store in stores for study in _studies(store)]
    while waiting:
        place = rng.randrange(len(waiting))
        if not _judge_next(*waiting[place]):
            waiting.pop(place)


def _in_windows(place: Place, rng: random.Random) -> None:
    for together in (RATERS[:2], RATERS[2:]):
        with ExitStack() as windows:
            _judge_at_once(
                [windows.enter_context(closing(projects.open_project(place, annotator=name))) for name in together], rng
            )


def _by_packets(path: Path, rng: random.Random) -> None:
    backs = []
    for name in RATERS:
        share, own, back = (path.with_name(f"{name}{ending}") for ending in (".packet", ".annotator", ".back"))
        with closing(projects.open_project(path, annotator="Ada")) as store:
            packets.export_packet(store, share, person=name)
        with closing(packets.open_packet(share, own)) as store:
            _judge_at_once([store], rng)
            packets.export_packet(store, back)
        backs.append(back)
    with closing(projects.open_project(path, annotator="Ada")) as store:
        for back in rng.sample(backs, len(backs)):
            assert packets.import_packet(store, back).conflicts == 0


def _report(place: Place) -> bytes:
    """Return everything that the window and the commands show of the studies, before and after unblinding."""
    with closing(projects.open_project(place, annotator="Ada")) as store:
        parts: list[object] = []
        for study in _studies(store):
            assert blind_judging.verify_study(store, study).ok
            for _ in range(2):
                report = agreement.study_report(store, study, rate=7.5)
                parts += [*agreement.study_tables(report), *agreement.study_notes(report)]
                blind_judging.unblind_sides(store, study, "all is judged", close_unsealed=True)
        comparison = model_pairs.compare_models(store)
        parts += [*model_pairs.model_pair_tables(comparison), *model_pairs.model_pair_notes(comparison)]
    return "\n".join(map(repr, parts)).encode()


@pytest.fixture
def copy(base: Path, tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    def make(name: str) -> Path:
        path = tmp_path / name / "p.annotator"
        path.parent.mkdir()
        with closing(projects.open_project(base, annotator="Ada")) as store:
            store.copy_to(path)
        return path

    return make


@pytest.mark.slow
def test_a_study_gives_the_same_report_everywhere(copy: Callable[[str], Path], database: ServerAddress) -> None:
    # Three times about 130 verdicts, each a transaction of its own.
    windows, mail = copy("windows"), copy("packets")
    server_copy.copy_project(windows, database)
    _in_windows(windows, random.Random(1))
    _by_packets(mail, random.Random(2))
    _in_windows(database, random.Random(3))
    reports = [_report(place) for place in (windows, mail, database)]
    assert b"Di wrote item 3" in reports[0] and b"Fay to Ed" in reports[0]
    assert all(name.encode() in reports[0] for name in MODELS)
    assert reports[1] == reports[0]
    assert reports[2] == reports[0]
