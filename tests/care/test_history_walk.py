"""The history, and going to a point of it."""

from __future__ import annotations

import json

import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError
from annotator.model.words import Verdict
from annotator.services import history, projects, selecting
from annotator.store.project_file import ProjectFile


def _decide(store: ProjectFile, ids: list[str]) -> list[str]:
    return [selecting.decide(store, [item], Verdict.ACCEPT).change_id or "" for item in ids]


def test_acts_are_listed_with_who_when_and_how_many(store: ProjectFile, ids: list[str]) -> None:
    selecting.decide(store, ids[:5], Verdict.ACCEPT)
    projects.switch_annotator(store, "Ben")
    selecting.decide(store, ids[:2], Verdict.REJECT)
    rows = history.acts(store).rows
    assert [(row.annotator, row.items, row.mine) for row in rows] == [
        ("Ben", 2, True),
        ("Ada", 5, False),
        ("Ada", len(ids), False),
    ]
    assert rows[0].created_at > rows[1].created_at > rows[2].created_at
    history.undo(store)
    assert history.acts(store).rows[0].state == "undone"


def test_every_word_of_a_search_must_fit(store: ProjectFile, ids: list[str]) -> None:
    _decide(store, ids[:3])
    assert history.acts(store, "ADA accept").total == 3
    selecting.decide(store, ids[:1], Verdict.REJECT)
    assert history.acts(store, "Reject ada").total == 1
    assert history.acts(store, "accept %").total == 0
    assert history.acts(store, "ben").total == 0


def test_pages_follow_each_other(store: ProjectFile, ids: list[str]) -> None:
    _decide(store, ids)
    first = history.acts(store, limit=5)
    second = history.acts(store, limit=5, before=first.before)
    assert first.total == second.total == len(ids) + 1
    assert [row.seq for row in first.rows + second.rows] == sorted(
        (row.seq for row in first.rows + second.rows), reverse=True
    )
    last = history.acts(store, limit=5, before=3)
    assert last.before is None


def test_a_preview_is_exact_and_changes_nothing(store: ProjectFile, ids: list[str]) -> None:
    acts = _decide(store, ids[:4])
    before = store.path.read_bytes(), history.acts(store)
    steps = history.preview(store, acts[1])
    assert (steps.way, len(steps.acts)) == ("undo", 2)
    assert {(item.subject_id, item.field, item.before, item.after) for item in steps.effects} == {
        (ids[2], "verdict", "accept", "open"),
        (ids[3], "verdict", "accept", "open"),
    }
    assert (store.path.read_bytes(), history.acts(store)) == before
    assert len(history.preview(store, acts[1], before=True).acts) == 3


def test_going_back_and_forth(store: ProjectFile, ids: list[str]) -> None:
    acts = _decide(store, ids[:4])
    steps, changes = history.go_to(store, acts[0])
    assert (len(steps.acts), changes.label) == (3, "Undo 3 acts")
    assert projects.stage_counts(store).accepted == 1
    steps, _ = history.go_to(store, acts[2])
    assert (steps.way, len(steps.acts)) == ("redo", 2)
    assert projects.stage_counts(store).accepted == 3
    assert history.go_to(store, acts[2])[0].way == ""
    assert history.go_to(store, acts[3])[0].way == "redo"


def test_only_ones_own_acts_move(store: ProjectFile, ids: list[str]) -> None:
    first = _decide(store, ids[:2])
    projects.switch_annotator(store, "Ben")
    _decide(store, ids[2:4])
    steps, _ = history.go_to(store, first[0])
    assert len(steps.acts) == 2
    assert projects.stage_counts(store).accepted == 2


def test_what_is_not_there_is_said(store: ProjectFile) -> None:
    for wrong in ("", "ffffffff", "%", "0"):
        with pytest.raises(BadInputError):
            history.preview(store, wrong)


def test_the_commands(store: ProjectFile, ids: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    acts, path = _decide(store, ids[:3]), str(store.path)
    assert main(["history", "list", path, "--search", "accept", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert [row["id"] for row in found["rows"]] == acts[::-1]
    assert main(["history", "go", path, "--to", acts[0], "--dry-run"]) == 0
    assert "2 acts would be undone" in capfd.readouterr().out
    assert projects.stage_counts(store).accepted == 3
    assert main(["history", "go", path, "--to", acts[0]]) == 0
    assert "2 acts undone" in capfd.readouterr().out
    assert projects.stage_counts(store).accepted == 1
    assert main(["history", "go", path, "--to", acts[0]]) == 0
    assert "Nothing changes" in capfd.readouterr().out
    assert main(["history", "go", path, "--to", "nothing"]) == 3
    assert main(["history"]) == 2
