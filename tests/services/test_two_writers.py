"""What somebody else writes between the first look and the write of an act is neither lost nor overlooked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from annotator.base.errors import BadInputError
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import disagreements
from annotator.services.release import release_gates, release_list, versions
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile

SUBJECT = "jsonl:0"
Meanwhile = Callable[[Callable[[], object]], None]


@pytest.fixture
def meanwhile(store: ProjectFile, monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    """Return what lets an act happen at the last moment before the next write to the project."""

    def arrange(act: Callable[[], object]) -> None:
        write = store.write

        @contextmanager
        def write_later(**options: Any) -> Iterator[Any]:
            monkeypatch.setattr(store, "write", write)
            act()
            with write(**options) as db:
                yield db

        monkeypatch.setattr(store, "write", write_later)

    return arrange


def test_filters_of_two_people_are_both_kept(store: ProjectFile, other: ProjectFile, meanwhile: Meanwhile) -> None:
    meanwhile(lambda: triage.save_filter(other, "theirs", QueueFilter(languages=("java",))))
    triage.save_filter(store, "mine", QueueFilter())
    assert set(triage.load_saved_filters(store)) == {"mine", "theirs"}


def test_rules_that_two_people_set_both_hold(store: ProjectFile, other: ProjectFile, meanwhile: Meanwhile) -> None:
    meanwhile(lambda: release_gates.set_gate_rules(other, {"votes": "required"}))
    release_gates.set_gate_rules(store, {}, reviews=3)
    found = release_gates.load_gate_rules(store)
    assert found.is_required("votes") and found.reviews == 3


@pytest.mark.file_only("a server refuses the second decision, so that nobody differs")
def test_what_is_settled_is_not_settled_again(store: ProjectFile, other: ProjectFile, meanwhile: Meanwhile) -> None:
    triage.decide_subjects(store, [SUBJECT], Verdict.ACCEPT)
    triage.decide_subjects(other, [SUBJECT], Verdict.REJECT)
    meanwhile(
        lambda: disagreements.resolve_disagreement(other, SUBJECT, "decision", "discussion", "reject", "too short")
    )
    with pytest.raises(BadInputError, match="no open disagreement"):
        disagreements.resolve_disagreement(store, SUBJECT, "decision", "discussion", "accept", "often asked")
    [row] = disagreements.load_disagreements(store, settled=True)
    assert row.outcome == "reject"


def test_a_release_holds_the_items_its_gates_were_checked_on(
    store: ProjectFile, other: ProjectFile, meanwhile: Meanwhile
) -> None:
    triage.decide_subjects(store, [SUBJECT], Verdict.ACCEPT)
    meanwhile(lambda: triage.decide_subjects(other, ["jsonl:1"], Verdict.ACCEPT))
    with pytest.raises(BadInputError, match="changed while the gates were checked"):
        versions.create_release(store, "0.1", override_reason="a trial")
    assert release_list.list_releases(store) == ()
    row, _ = versions.create_release(store, "0.1", override_reason="a trial")
    assert row.item_count == 2
