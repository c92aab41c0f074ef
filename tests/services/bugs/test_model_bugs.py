"""Bugs that a model proposes: kept with what was asked, proven like all others, taken by a person once mended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.construction.bugs.taxonomy import SUBTYPES
from annotator.llm.endpoint_errors import EndpointStopError, RequestFailedError
from annotator.llm.requests import Endpoint
from annotator.llm.templates import Helper
from annotator.model.rows.bug_rows import KINDS, ProposedRow
from annotator.services import sandbox_sessions as benches
from annotator.services import suggestions
from annotator.services.bugs import implanted_bugs, model_bugs
from annotator.services.project import undo
from annotator.store.file.project_file import ProjectFile
from tests.construction.conftest import KEY_CASES, KEY_CHANGES, KEY_ROW
from tests.services.prompt.chat_model import ListedModel
from tests.template_projects import project_of_rows

GOOD = KEY_CHANGES.replace("s[i] !=", "s[i] ==")
BLIND = KEY_CHANGES.replace("len(s) == 1", "len(s) <= 1")


def said(code: str, label: str = "whatever") -> str:
    return "Sure:\n```json\n" + json.dumps({"code": code, "label": label, "explanation": "compares wrongly"}) + "\n```"


@pytest.fixture
def store(tmp_path: Path, runner: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProjectFile]:
    monkeypatch.setattr(benches.Workbench, "runner", lambda _self: runner)
    rows = (KEY_ROW, {**KEY_ROW, "id": "bare", "tests": []})
    with closing(project_of_rows(tmp_path / "p.annotator", rows, ["keys"])) as project:
        yield project


def _ask(store: ProjectFile, *texts: str | Exception, count: int = 1) -> tuple[ListedModel, ProposedRow]:
    model = ListedModel(*texts)
    helper = Helper(model, Endpoint(base_url="http://127.0.0.1:1/v1"), "asked-model")
    (row,), _ = model_bugs.ask_model_for_bugs(store, helper, count=count)
    return model, row


def test_kinds_are_those_of_the_taxonomy() -> None:
    assert tuple(f"{family}.{name}" for family, names in SUBTYPES.items() for name in names) == KINDS


def test_a_proven_answer_becomes_a_bug_for_reviewers(store: ProjectFile) -> None:
    model, row = _ask(store, said(GOOD))
    assert (row.tried, row.proven, row.kept) == (1, 1, 1)
    (request,) = model.asked
    assert request.decoding.temperature == 0.8 and "logic.condition" in request.messages[-1].content
    (listed,) = implanted_bugs.find_bugs(store)
    assert (listed.kind, listed.operator, listed.origin, listed.state) == (
        "logic.condition", "model", "model-1", "proven")  # fmt: skip
    view = implanted_bugs.load_bug(store, listed.id)
    assert view.code == GOOD and view.explanation == "compares wrongly" and len(view.matrix) == len(KEY_CASES)
    (kept,) = suggestions.find_suggestions(store)
    assert (kept.kind, kept.state) == ("bug", "accepted") and json.loads(kept.text)["label"] == "logic.condition"
    undo.undo_last_act(store)
    assert implanted_bugs.find_bugs(store) == () and suggestions.find_suggestions(store)[0].state == "open"


def test_a_change_that_no_test_sees_is_given_back_once(store: ProjectFile) -> None:
    model, row = _ask(store, said(BLIND), said(GOOD))
    assert (row.tried, row.kept, row.refused) == (2, 1, {"survives": 1})
    again = model.asked[1].messages[-1].content
    assert "All tests pass" in again and BLIND.splitlines()[1].strip() in again
    assert [item.state for item in suggestions.find_suggestions(store)] == ["accepted", "open"]
    _, row = _ask(store, said(BLIND), said(BLIND))
    assert row.kept == 0 and row.refused == {"survives": 2}  # type: ignore[attr-defined]  # see above


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I would rather not.", "contains no program"),
        (said(KEY_CHANGES), "changes nothing"),
        (said(KEY_CHANGES + "".join(f"x{n} = {n}\n" for n in range(11))), "at most 10"),
        (said(GOOD.replace("count += 1", 'count += 1  # bug: wrong"')), ""),
        (said("def countKeyChanges(self, s):\n    return (\n"), ""),
    ],
)
def test_what_is_no_bug_is_refused_and_kept_to_be_seen(store: ProjectFile, text: str, reason: str) -> None:
    _, row = _ask(store, text)
    assert len(suggestions.find_suggestions(store)) == 1
    if reason:
        assert row.kept == 0 and any(reason in said for said in row.refused)  # type: ignore[attr-defined]  # see above
    for listed in implanted_bugs.find_bugs(store):
        assert "bug:" not in implanted_bugs.load_bug(store, listed.id).code, "comments on the changed lines are gone"


def test_the_same_bug_twice_is_kept_once(store: ProjectFile) -> None:
    _, row = _ask(store, said(GOOD), said(GOOD), count=2)
    assert (row.proven, row.kept) == (2, 1) and row.refused == {"proposed before": 1}  # type: ignore[attr-defined]


def test_a_person_mends_a_suggestion_and_takes_it(store: ProjectFile) -> None:
    _ask(store, said(BLIND), said(BLIND))
    first = suggestions.find_suggestions(store)[0]
    with pytest.raises(BadInputError, match="not proven"):
        suggestions.accept_suggestion(store, first.id)
    changes = suggestions.accept_suggestion(store, first.id, said(GOOD))
    (listed,) = implanted_bugs.find_bugs(store)
    assert listed.origin == "model-1, edited" and changes.change_id and listed.state == "proven"
    with pytest.raises(BadInputError, match="already"):
        suggestions.accept_suggestion(store, suggestions.find_suggestions(store)[1].id, said(GOOD))


def test_an_endpoint_that_answers_nothing_about_a_subject_ends_the_asking(store: ProjectFile) -> None:
    silent, refused = (RequestFailedError("There is no answer.", cause, 8) for cause in ("HTTP 503", "HTTP 400"))
    with pytest.raises(RequestFailedError, match="no answer"):
        _ask(store, silent, silent, count=2)
    _, row = _ask(store, silent, said(GOOD), count=2)
    assert row.kept == 1 and row.refused == {"There is no answer.": 1}
    _, row = _ask(store, refused, count=1)
    assert row.refused == {"There is no answer.": 1}


def test_bad_requests(store: ProjectFile, monkeypatch: pytest.MonkeyPatch) -> None:
    helper = Helper(ListedModel(), Endpoint(base_url="http://127.0.0.1:1/v1"), "m")
    for kinds in (["logic.magic"], []):
        with pytest.raises(BadInputError, match="no kind of bug"):
            model_bugs.ask_model_for_bugs(store, helper, kinds=kinds)
    with pytest.raises(BadInputError, match="one to twenty"):
        model_bugs.ask_model_for_bugs(store, helper, count=0)
    (row,), _ = model_bugs.ask_model_for_bugs(store, helper, ["bare"])
    assert "no tests" in row.reason
    _, row = _ask(store, BadInputError("The model declined."))  # type: ignore[assignment]
    assert row.refused == {"The model declined.": 1}
    with pytest.raises(EndpointStopError):
        _ask(store, EndpointStopError("The key is wrong."))
    monkeypatch.setattr(benches.Workbench, "runner", lambda _self: None)
    with pytest.raises(MissingEnvironmentError):
        model_bugs.ask_model_for_bugs(store, helper)
