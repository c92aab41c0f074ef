"""Error labels: a short list and one's own, per person, undone like other work, counted."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from annotator.base.errors import BadInputError
from annotator.services.project import members, undo
from annotator.services.results import error_labels
from annotator.store.file.project_file import ProjectFile
from tests.llm.server import Server
from tests.services.runs.conftest import spec, start_run


def test_labels_are_put_changed_counted_and_undone(store: ProjectFile, serve: Callable[[Server], Server]) -> None:
    server = serve(
        Server(reply=lambda body, key: "nothing" if body["messages"][-1]["content"] < "question 4" else "answer")
    )
    row, _ = start_run(store, spec(server, samples=1))
    failed = error_labels.failed_responses_of_run(store, row.id)
    assert [item.key for item in failed] == [f"jsonl:q000{number}" for number in range(4)]
    ids = [item.response_id for item in failed]
    error_labels.label_failed_responses(store, ids[:2], "logic error")
    error_labels.label_failed_responses(store, [ids[2]], "  Wrong   Library ", "uses another one")
    assert error_labels.count_labels(store, row.id).counts == (("logic error", 2), ("wrong library", 1))
    assert [item.response_id for item in error_labels.failed_responses_of_run(store, row.id, unlabelled=True)] == [
        ids[3]
    ]
    assert [(choice.label, choice.key) for choice in error_labels.list_label_choices(store)] == [
        ("logic error", "1"), ("missing context", "2"), ("vague requirement", "3"), ("wrong library", "4"),
    ]  # fmt: skip
    # One's own later label takes the place of the earlier one, another person's stands beside it.
    error_labels.label_failed_responses(store, [ids[0]], "missing context")
    assert [found.label for found in error_labels.labels_of(store, ids[0])] == ["missing context"]
    members.switch_annotator(store, "Ben")
    error_labels.label_failed_responses(store, [ids[0]], "logic error")
    counts = error_labels.count_labels(store, row.id)
    assert (counts.failed, counts.labelled, counts.disputed) == (4, 3, 1)
    undo.undo_last_act(store)
    assert [found.label for found in error_labels.labels_of(store, ids[0])] == ["missing context"]
    members.switch_annotator(store, "Ada")
    error_labels.label_failed_responses(store, [ids[0]], "")
    assert error_labels.labels_of(store, ids[0]) == ()
    undo.undo_last_act(store)
    assert error_labels.labels_of(store, ids[0])[0].annotator == "Ada"


def test_what_cannot_be_labelled(store: ProjectFile) -> None:
    for ids, name in (([], "logic error"), (["nonsense"], "logic error"), (["x"], "y" * 61)):
        with pytest.raises(BadInputError):
            error_labels.label_failed_responses(store, ids, name)
    assert error_labels.list_label_choices(store)[0].label == "logic error"
