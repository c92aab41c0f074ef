"""Merging copies with work that contradicts: nothing is lost without being shown, in whatever order they are merged."""

from __future__ import annotations

import itertools
import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from annotator.base.errors import BadInputError
from annotator.mining.quota_plan import Quota, quotas_json
from annotator.model.rows.judging_rows import ConflictRow
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import aspect_reviews, panel_votes, three_experts
from annotator.services.criterion import revisions
from annotator.services.judge import blind_judging
from annotator.services.judge.blind_judging import NewStudy
from annotator.services.project import members, packets, projects
from annotator.services.prompt import paraphrases
from annotator.services.select import quotas, triage, turns
from annotator.store.file.project_file import ProjectFile
from annotator.store.judging import stored_consensus

CRITERION = "version: 1\nlanguage: python\nmatchers:\n  - keyword: word{}\n"
SHOWN = {
    "decision": "verdict", "prompt": "text", "criterion": "source", "label": "value", "review": "difficulty",
    "vote": "choice", "revision": "content", "allotment": "person_id", "judgement": "verdict", "quotaplan": "quotas",
    "lock": "locked",
}  # fmt: skip
"""What two words of a kind differ in."""
KINDS = tuple(SHOWN)
CLOSED_BY_LOCK = ("decision", "prompt", "criterion", "review", "vote", "revision")
PEOPLE = ("Ada", "Ada", "Bo")
"""Who works in which copy: one person on two machines, and another."""


class Act(NamedTuple):
    """What is done in one copy: ``value`` is one of two, so that copies agree as often as they differ."""

    copy: int
    kind: str
    subject: int
    value: int


ACTS = st.builds(Act, st.integers(0, 2), st.sampled_from(KINDS), st.integers(0, 1), st.integers(0, 1))


def _do(store: ProjectFile, act: Act) -> dict[str, str]:
    """Carry an act out; returns what it is about with the words a conflict would show, nothing if it was refused."""
    key, value = str(act.subject), act.value
    try:
        return _act(store, act.kind, key, value)
    except BadInputError:
        return {}


def _act(store: ProjectFile, kind: str, key: str, value: int) -> dict[str, str]:
    mine = f"{kind} {key} {store.annotator.name}"
    if kind == "decision":
        # Accept against reject would be a disagreement, which is shown elsewhere.
        triage.decide_subjects(store, [key], (Verdict.ACCEPT, Verdict.FLAG)[value])
        return {f"{kind} {key}": ("accept", "flag")[value]}
    if kind == "prompt":
        paraphrases.save_prompt(store, key, f"What is text {value}?")
        return {f"{kind} {key}": f"What is text {value}?"}
    if kind == "criterion":
        revisions.save_criterion(store, key, CRITERION.format(value))
        return {f"{kind} {key}": CRITERION.format(value)}
    if kind == "label":
        triage.label_rows(store, [triage.queue_row_of(store, key)], "domain", f"domain {value}")
        return {f"{kind} {key}": f"domain {value}"}
    if kind == "review":
        aspect_reviews.add_review(store, key, {"difficulty": value + 1})
        return {mine: str(value + 1)}
    if kind == "vote":
        panel_votes.cast_vote(store, key, {"realistic": "yes", "uses_llm": ("yes", "no")[value]})
        return {f"{mine} realistic": "yes", f"{mine} uses_llm": ("yes", "no")[value]}
    if kind == "revision":
        three_experts.save_artefact_edit(store, key, "solution", f"solution {value}")
        return {f"{kind} {key}": f"solution {value}"}
    if kind == "lock":
        aspect_reviews.set_locked(store, key, True)
        return {f"{kind} {key}": "True"}
    return _act_on_projects(store, kind, key, value)


def _act_on_projects(store: ProjectFile, kind: str, key: str, value: int) -> dict[str, str]:
    if kind == "quotaplan":
        plan = [Quota((("language", "python"),), value + 1)]
        quotas.save_quotas(store, plan)
        return {f"{kind} -": json.dumps(quotas_json(plan))}
    if kind == "allotment":
        person = next(row for row in members.list_annotators(store) if row.name == ("Ada", "Bo")[value])
        turns.give_candidates(store, {person.name: [triage.queue_row_of(store, key)]})
        return {f"{kind} {key}": str(person.id)}
    pair = next(iter(blind_judging.load_judging_queue(store).pairs), None)
    if pair is None:
        return {}
    blind_judging.judge_pair(store, pair.assignment_id, ("1", "2")[value])
    return {f"{kind} - {pair.pair_id} {store.annotator.name}": ("1", "2")[value]}


@pytest.fixture
def base(store: ProjectFile) -> ProjectFile:
    members.add_annotator(store, "Bo")
    panel_votes.set_panel(store, 5, 4)
    for number in range(2):
        paraphrases.save_prompt(store, str(number), f"What about {number}?")
    pairs = blind_judging.candidate_pairs(store, "paraphrase", "original", "paraphrase", ["0", "1"])
    wanted = NewStudy(name="s", kind="paraphrase", name_a="before", name_b="after", raters=("Ada", "Bo"))
    blind_judging.create_blind_study(store, wanted, pairs)
    return store


Shown = set[tuple[str, frozenset[str]]]


def _merge_all(base: ProjectFile, files: list[Path], path: Path) -> tuple[list[str], Shown]:
    """Return what a copy says after merging the files in this order: the rows that hold, and the conflicts shown."""
    base.copy_to(path)
    with closing(projects.open_project(path)) as merged:
        for file in files:
            packets.import_packet(merged, file)
        rows = [f"{row.id} {row.verdict} {row.domain}" for row in triage.queue_page(merged, QueueFilter()).rows]
        rows += [str(triage.load_subject(merged, key).paraphrase) for key in "01"]
        with merged.read() as db:
            # What the list shows to somebody from whom no vote is hidden.
            shown = {_what_is_shown(row) for row in stored_consensus.fetch_conflicts(db)}
        assert merged.integrity() == ()
    return rows, shown


def _what_is_shown(row: ConflictRow) -> tuple[str, frozenset[str]]:
    """Return a conflict as its kind and what its sides say; with a lock, the kind and word that it did not know."""
    key = row.key.removeprefix("jsonl:") or "-"
    if row.table == "lock":
        _, table, row_id = row.row_id.split("/")
        content = next(side for side in (row.ours, row.theirs) if side["id"] == row_id)
        return f"lock {key} {table}", frozenset([str(content[SHOWN[table]])])
    return f"{row.table} {key}", frozenset(str(side[SHOWN[row.table]]) for side in (row.ours, row.theirs))


@pytest.mark.file_only("merges some hundred files; what merging adds is the same on a server")
# Each example merges six files, which takes some seconds.
@settings(
    max_examples=max(3, settings().max_examples // 25),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
    # Making a failing example smaller would take minutes.
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(acts=st.lists(ACTS, min_size=8, max_size=20), order=st.permutations(range(3)))
def test_nothing_said_apart_is_lost_without_being_shown(
    base: ProjectFile, tmp_path_factory: pytest.TempPathFactory, acts: list[Act], order: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("apart")
    files = [folder / f"{number}.annotator" for number in range(3)]
    words: list[dict[str, str]] = [{}, {}, {}]
    for number, (file, person) in enumerate(zip(files, PEOPLE, strict=True)):
        base.copy_to(file)
        with closing(projects.open_project(file)) as copy:
            members.switch_annotator(copy, person)
            for act in acts:
                if act.copy == number:
                    words[number] |= _do(copy, act)
    rows, shown = _merge_all(base, files, folder / "one.annotator")
    again, shown_again = _merge_all(base, [files[number] for number in order], folder / "other.annotator")
    assert (rows, shown) == (again, shown_again)
    assert shown == _expected(words)
    shutil.rmtree(folder)


def _expected(words: list[dict[str, str]]) -> Shown:
    """Return every two words on one matter that differ, and every word on what another copy has locked."""
    found: Shown = set()
    for one, other in itertools.permutations(words, 2):
        for about, word in one.items():
            table, key = about.split()[:2]
            if table in CLOSED_BY_LOCK and f"lock {key}" in other:
                found.add((f"lock {key} {table}", frozenset([word])))
            if other.get(about, word) != word:
                found.add((f"{table} {key}", frozenset((word, other[about]))))
    return found
