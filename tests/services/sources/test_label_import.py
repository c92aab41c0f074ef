"""Labels of other annotation tools become the work of the people who gave them, through the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.store.file.project_file import ProjectFile

Command = Callable[..., tuple[str, str]]
MERGE, GREEDY = "How do I merge two dictionaries?", "How do I greedy match across lines?"
USER = "3fa85f64-5717-4562-b3fc-2c963f66afa6"


def _choice(name: str, value: str, kind: str = "choices") -> dict[str, Any]:
    held: Any = [value] if kind in ("choices", "text") else value
    return {
        "from_name": name,
        "to_name": "t",
        "type": "textarea" if kind == "text" else kind,
        "value": {"selected" if kind == "pairwise" else kind: held},
    }


def _annotation(person: object, *result: dict[str, Any], **more: object) -> dict[str, Any]:
    base = {"completed_by": person, "created_at": "2024-03-01T10:00:00.5Z", "was_cancelled": False, "lead_time": 4.5}
    return {**base, "result": list(result), **more}


ANA = {"id": 3, "email": "ana@example.org", "first_name": "Ana", "last_name": "Lee"}
LABEL_STUDIO = [
    {
        "id": 101,
        "data": {"text": MERGE, "answer1": "use |", "answer2": "use update"},
        "annotations": [
            _annotation(
                ANA,
                _choice("decision", "Accept"),
                _choice("realistic", "Yes"),
                _choice("uses_llm", "no"),
                _choice("difficulty", "Hard"),
                _choice("correctness", 4, "rating"),  # type: ignore[arg-type]
                _choice("note", "looks fine", "text"),
                _choice("better", "left", "pairwise"),
            ),
            _annotation(7, _choice("decision", "Reject"), _choice("better", "right", "pairwise")),
            _annotation(7, _choice("decision", "Accept"), was_cancelled=True),
        ],
        "predictions": [{"result": [], "model_version": "m"}],
    }
]
FILES: dict[str, tuple[str, Any, dict[str, int], tuple[str, ...]]] = {
    "label studio": ("ls.json", LABEL_STUDIO, {"decision": 2, "vote:realistic": 1, "vote:uses_llm": 1,
                     "label:difficulty": 1, "review:correctness": 1, "comment": 1, "judgement": 2},
                     ("Ana Lee", "Label Studio 7")),
    "label studio before 1.0": ("old.json", [{"id": 0, "data": {"text": MERGE},
                                "completions": [{"created_username": "eric", "created_at": 1700000000,
                                "result": [_choice("decision", "keep")]}]}], {"decision": 1}, ("eric",)),
    "label studio minimal": ("min.json", [{"text": MERGE, "id": 1, "decision": "accept", "domain": "networks",
                             "annotator": 12, "annotation_id": 5, "created_at": "2024-01-01T00:00:00Z",
                             "updated_at": "2024-01-01T00:00:00Z", "lead_time": 3.2}],
                             {"decision": 1, "label:domain": 1}, ("Label Studio 12",)),
    "label studio table": (
        "min.csv",
        'text,id,decision,annotator,annotation_id,created_at,updated_at,lead_time\n"'
        + MERGE
        + '",1,reject,bo@example.org,5,2024-01-01T00:00:00Z,2024-01-01T00:00:00Z,3.2\n',
        {"decision": 1},
        ("bo@example.org",),
    ),
    "argilla 2": ("argilla.json", [{"id": "0", "fields": {"text": "another text"}, "metadata": {"n": 1},
                  "suggestions": {"decision": {"value": "reject", "score": 0.9, "agent": "m"}},
                  "responses": {"decision": [{"value": "accept", "user_id": USER},
                  {"value": "reject", "user_id": "u2"}]}, "vectors": {}, "_server_id": "x"}], {"decision": 2},
                  ("Argilla 3fa85f64", "u2")),
    "argilla by id": ("index.json", {"0": {"id": "0", "fields": {"t": "x"}, "responses": {"verdict": [{"value": "skip",
                      "user_id": "ana"}]}}}, {"decision": 1}, ("ana",)),
    "argilla as columns": ("columns.json", {"id": ["0", "1"], "text": ["a", "b"],
                           "verdict.responses": [["accept"], ["reject", "accept"]],
                           "verdict.responses.users": [["ana"], ["ana", "bo"]],
                           "verdict.responses.status": [["submitted"], ["submitted", "draft"]],
                           "verdict.suggestion": [None, None]}, {"decision": 2}, ("ana",)),
    "argilla 1": ("feedback.jsonl", [{"fields": {"text": MERGE}, "external_id": None,
                  "responses": [{"user_id": "ana", "status": "submitted", "values": {"verdict": {"value": "accept"}}}],
                  "suggestions": []}], {"decision": 1}, ("ana",)),
    "argilla text tasks": ("texts.jsonl", [{"id": "0", "text": "x", "annotation": "discard", "annotation_agent": "ana",
                           "prediction": None}], {"decision": 1}, ("ana",)),
    "doccano": ("bo.jsonl", [{"id": 77, "text": MERGE, "label": ["accept"], "Comments": ["short but good"]}],
                {"decision": 1, "comment": 1}, ("bo",)),
    "potato": ("annotation_output/ana@example.org/annotated_instances.jsonl",
               [{"id": "0", "displayed_text": "x", "label_annotations": {"decision": {"accept": "true"},
               "remark": {"text_box": "why so long?"}}, "span_annotations": {},
               "behavioral_data": {"time_string": "Time spent: 0d 0h 0m 4s "}}], {"decision": 1, "comment": 1},
               ("ana@example.org",)),
    "potato state": ("annotation_output/u1/user_state.json", {"user_id": "alice",
                     "instance_id_to_label_to_value": {"0": [[{"schema": "verdict", "name": "reject"}, True]]},
                     "instance_id_to_span_to_value": {}}, {"decision": 1}, ("alice",)),
    "promptfoo": ("results.json", {"evalId": "e", "results": {"version": 3,
                  "results": [{"vars": {"question": MERGE}, "testIdx": 0, "provider": {"id": "openai:m", "label": "m"},
                  "gradingResult": {"pass": True, "comment": "the best of all",
                  "componentResults": [{"pass": True, "assertion": {"type": "human"}}]}},
                  {"vars": {"question": GREEDY}, "testIdx": 1, "gradingResult": {"pass": False}}]},
                  "metadata": {"author": "ana@example.org"}}, {"comment": 1}, ("ana@example.org",)),
}  # fmt: skip


def _write(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        path.write_text(content)
    elif name.endswith(".jsonl"):
        path.write_text("".join(json.dumps(row) + "\n" for row in content))
    else:
        path.write_text(json.dumps(content, indent=1))
    return path


def _import(command: Command, project: Path, path: Path, *options: str) -> Any:
    return json.loads(command("import", "labels", path, "--project", project, "--json", *options)[0])


@pytest.fixture
def project(store: ProjectFile) -> Path:
    assert isinstance(store.place, Path)
    return store.place


@pytest.mark.file_only("the command opens a file")
@pytest.mark.parametrize("form", FILES)
def test_labels_of_every_tool_become_work_of_their_people(
    command: Command, project: Path, tmp_path: Path, form: str
) -> None:
    name, content, added, people = FILES[form]
    path = _write(tmp_path, name, content)
    first = _import(command, project, path)
    assert (first["added"], tuple(first["new_people"]), first["known"]) == (added, people, 0)
    again = _import(command, project, path)
    assert (again["added"], again["new_people"], again["known"]) == ({}, [], sum(added.values()))
    # One act: taking it back takes everything back, and it can be imported once more.
    command("undo", project)
    assert _import(command, project, path)["added"] == added


def _task(text: str, *annotations: dict[str, Any], **data: str) -> dict[str, Any]:
    return {"id": 5, "data": {"text": text, **data}, "annotations": list(annotations)}


@pytest.mark.file_only("the command opens a file")
def test_a_person_says_what_a_question_becomes_and_who_answered(
    command: Command, project: Path, tmp_path: Path
) -> None:
    rows = [_task(MERGE, _annotation(3, _choice("quality", "gut"))), _task("x", _annotation(3), key="jsonl:1")]
    rows[1]["annotations"] = [_annotation(None, _choice("quality", "schlecht"))]
    path = _write(tmp_path, "ls.json", rows)
    shown = command("import", "labels", path, "--project", project, "--preview")[0]
    assert "nothing was chosen for the question quality" in shown and "--as QUESTION=TARGET" in shown
    words = ("--word", "gut=accept", "--word", "schlecht=reject", "--as", "quality=decision")
    done = _import(command, project, path, *words, "--person", "3=Ana", "--person", "Bo")
    assert done["added"] == {"decision": 2} and done["new_people"] == ["Ana", "Bo"]
    told = command("show", project, "--subject", "jsonl:0", "--json")[0]
    assert "Ana" in told and "2024-03-01T10:00:00.500000Z" in told
    assert "reject" in command("show", project, "--subject", "jsonl:1")[0]
    rows_file = _write(tmp_path, "rows.jsonl", [{"prompt": "p"}])
    assert "are for labels" in command("import", "jsonl", rows_file, "--project", project, "--add", status=2)[1]
    for wrong in (("--as", "quality=nonsense"), ("--as", "other=decision"), ("--as", "quality"), ("--word", "x")):
        command("import", "labels", path, "--project", project, *wrong, status=2)


@pytest.mark.file_only("the command opens a file")
def test_what_has_no_place_is_named(command: Command, project: Path, tmp_path: Path) -> None:
    command("team", "review", project, "--subject", "jsonl:0", "--correctness", "5")
    command("team", "lock", project, "--subject", "jsonl:2", "--reason", "done")
    rows = [
        _task(MERGE, _annotation(3, _choice("realistic", "yes"), _choice("difficulty", "very"))),
        _task("never heard of", _annotation(3, _choice("decision", "accept"))),
        _task(MERGE, _annotation(None, _choice("decision", "accept"))),
        _task("x", _annotation(3, _choice("decision", "accept")), key="jsonl:2"),
        _task("x", _annotation(3, _choice("label", "API", "labels")), key="jsonl:1"),
        _task("x", _annotation(3), key="jsonl:1"),
    ]
    found = _import(command, project, _write(tmp_path, "ls.json", rows))
    assert found["added"] == {}
    reasons = [row.split(": ", 1) for row in found["left_out"]]
    assert [place.rpartition(":")[2] for place, _ in reasons] == ["6", "1", "2", "3", "5", "4", "1"]
    told = " ".join(reason for _, reason in reasons)
    for reason in ("empty annotation", "the question difficulty", "not in the project", "does not say who", "locked",
                   "both questions"):  # fmt: skip
        assert reason in told, reason


@pytest.mark.file_only("the command opens a file")
def test_tasks_that_are_not_here_become_candidates_in_the_same_act(
    command: Command, project: Path, tmp_path: Path
) -> None:
    rows = [_task("Sort a list of ranges", _annotation("ana", _choice("decision", "keep")), language="python")]
    path = _write(tmp_path, "ls.json", rows)
    assert "--add" in command("import", "labels", path, "--project", project, "--preview")[0]
    done = _import(command, project, path, "--add")
    assert (done["subjects"], done["added"]) == (1, {"decision": 1})
    assert "accept" in command("list", project)[0].splitlines()[-2]
    command("undo", project)
    assert "Sort a list of ranges" not in command("list", project)[0]
    assert _import(command, project, path, "--add")["subjects"] == 1
    assert _import(command, project, path, "--add")["subjects"] == 0


@pytest.mark.file_only("the command opens a file")
def test_labels_are_recognised_and_candidates_stay_candidates(command: Command, project: Path, tmp_path: Path) -> None:
    for form in ("label studio", "argilla 2", "doccano", "potato", "promptfoo"):
        path = _write(tmp_path / form, *FILES[form][:2])
        shown = command("import", "auto", path, "--project", project, "--preview")[0]
        assert f"labels from {form.partition(' 2')[0]}" in shown.lower(), shown
    rows = [{"id": 1, "text": "Sort a list", "labels": ["easy"], "code": "sorted(x)"}]
    path = _write(tmp_path, "rows.jsonl", rows)
    assert "jsonl" in command("import", "auto", path, "--project", project, "--preview")[0]


@pytest.mark.file_only("the command opens a file")
def test_an_answer_without_a_time_replaces_nothing(command: Command, project: Path, tmp_path: Path) -> None:
    def rows(word: str, moment: str | None) -> list[dict[str, Any]]:
        return [_task(MERGE, _annotation("ana", _choice("decision", word), created_at=moment))]

    def take(word: str, moment: str | None) -> Any:
        return _import(command, project, _write(tmp_path, "ls.json", rows(word, moment)))

    assert take("accept", "2024-05-01T00:00:00Z")["added"] == {"decision": 1}
    assert "has answered accept here" in take("reject", None)["left_out"][0]
    assert take("accept", None)["known"] == 1
    # What was said before is added, and what was said last still counts.
    assert take("reject", "2024-04-01T00:00:00Z")["added"] == {"decision": 1}
    assert "accept" in command("list", project)[0]
    assert take("reject", "2024-06-01T00:00:00+02:00")["added"] == {"decision": 1}
    assert "reject" in command("list", project)[0]


@pytest.mark.file_only("the command opens a file")
def test_comparisons_become_a_study_that_holds(command: Command, project: Path, tmp_path: Path) -> None:
    path = _write(tmp_path, "ls.json", LABEL_STUDIO)
    command("import", "labels", path, "--project", project)
    (study,) = json.loads(command("judge", "list", project, "--json")[0])["studies"]
    assert (study["name"], study["pairs"], study["judged"]) == ("Label Studio: better", 1, 2)
    assert sorted(study["raters"]) == ["Ana Lee", "Label Studio 7"]
    command("judge", "verify", project)
    command("judge", "agreement", project)
    command("project", "join", project, "--name", "Zoe")
    command("judge", "agreement", project, "--annotator", "Zoe")


@pytest.mark.file_only("the command opens a file")
@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("x.json", "[1, 2]", "not an object"),
        ("x.json", '{"a": 1}', "not an export of a known tool"),
        ("x.json", '{"a": ', "not valid JSON"),
        ("x.json", "\xff", "is not UTF-8"),
        ("x.jsonl", '{"id": 1, "text": "t", "label": ["a"]}\n{"id": 2', "not valid JSON"),
        ("x.jsonl", '{"id": 1, "data": {}, "annotations": [{"result": [{"value": {}, "from_name": "q"}]}]}', ""),
        ("x.json", '[{"id": 1, "fields": {}, "responses": {"q": [7]}}]', "not in the form that Argilla writes"),
    ],
)
def test_files_that_are_odd_change_nothing(
    command: Command, project: Path, tmp_path: Path, name: str, content: str, told: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode("latin-1"))
    error = command("import", "labels", path, "--project", project, status=3 if told else 0)[1]
    assert told in error
    assert "from" not in command("history", "list", project)[0]
