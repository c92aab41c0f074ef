"""One working session of one person: ``colleague.py PLACE PERSON SEED ACTS`` prints each act once it is saved."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from sqlalchemy import text

from annotator.base.addresses import SCHEME, Place, parse_server_address
from annotator.base.errors import BadInputError
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import aspect_reviews, panel_votes, three_experts
from annotator.services.criterion import revisions
from annotator.services.judge import blind_judging
from annotator.services.project import projects, undo
from annotator.services.prompt import paraphrases
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile


def parse_place(place: str) -> Place:
    """Return the path or the server's address that an argument names."""
    return parse_server_address(place) if place.startswith(SCHEME) else Path(place)


def _judge_next_pair(store: ProjectFile, choice: str) -> None:
    pair = next(iter(blind_judging.load_judging_queue(store).pairs), None)
    if pair is None:
        raise BadInputError("Every pair is judged.")
    blind_judging.judge_pair(store, pair.assignment_id, choice)


def choose_act(store: ProjectFile, chance: random.Random, keys: list[str], number: str) -> Callable[[], object]:
    """Return a random act on a random subject; its texts contain ``number``."""
    key = chance.choice(keys)
    vote = {"realistic": "yes", "uses_llm": chance.choice(("yes", "no", "abstain"))}
    acts: tuple[tuple[int, Callable[[], object]], ...] = (
        (6, lambda: triage.decide_subjects(store, [key], chance.choice(list(Verdict)), number)),
        (1, lambda: triage.decide_subjects(store, chance.sample(keys, 5), Verdict.ACCEPT, number)),
        (2, lambda: triage.label_rows(store, [triage.queue_row_of(store, key)], "area", number)),
        (4, lambda: paraphrases.save_prompt(store, key, f"How would you do {number}?")),
        (3, lambda: revisions.save_criterion(store, key, f"grading:\n  keywords:\n    - content: word{number}\n")),
        (2, lambda: aspect_reviews.add_review(store, key, {"difficulty": chance.randint(1, 5)}, number)),
        (2, lambda: aspect_reviews.add_comment(store, key, f"Remark {number}")),
        (2, lambda: panel_votes.cast_vote(store, key, vote)),
        (2, lambda: three_experts.save_artefact_edit(store, key, "solution", f"x = {number!r}")),
        (3, lambda: _judge_next_pair(store, chance.choice(("1", "2", "tie")))),
        (2, lambda: undo.undo_last_act(store)),
        (1, lambda: undo.redo_last_act(store)),
    )
    return chance.choices([act for _, act in acts], [weight for weight, _ in acts])[0]


def main() -> None:
    place, person, seed, count = parse_place(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
    chance = random.Random(seed)
    with closing(projects.open_project(place, annotator=person)) as store:
        with store.read() as db:
            keys = list(db.execute(text("SELECT key FROM subject ORDER BY key")).scalars())
            last = db.execute(text("SELECT max(seq) FROM change")).scalar() or 0
        for number in range(count):
            try:
                choose_act(store, chance, keys, f"{person}-{seed}-{number}")()
            except BadInputError:
                continue  # A refused act (a vote by an author, an edit that changes nothing) saves nothing.
            with store.read() as db:
                query = text("SELECT id, seq FROM change WHERE seq > :last ORDER BY seq")
                saved_changes = db.execute(query, {"last": last}).all()
            for change in saved_changes:
                last = change.seq
                os.write(1, f"{change.id}\n".encode())


if __name__ == "__main__":
    main()
