"""Suggestions are kept with what was asked, change nothing by themselves, and can be undone when taken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.base.errors import BadInputError
from annotator.criteria import CriterionError
from annotator.jobs.progress import Progress
from annotator.llm.endpoint_errors import EndpointStopError, RequestFailedError
from annotator.llm.requests import Endpoint
from annotator.llm.templates import Helper
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services import suggestions
from annotator.services.project import projects, undo
from annotator.services.runs import run_setups
from annotator.services.select import triage
from annotator.services.sources.repository_mining import (
    MiningOptions,
    import_rows,
    mine_repositories,
    select_mined_rows,
)
from annotator.services.suggestion_replies import (
    KINDS,
    TAXONOMIES,
    is_agreement,
    read_criterion,
    read_description,
    read_question,
    suggestion_template,
)
from annotator.store.file.project_file import ProjectFile
from annotator.store.work import stored_rewrites as stored
from tests.rows import check_rows
from tests.samples import load_samples
from tests.services.prompt.chat_model import ListedModel
from tests.template_projects import project_of_rows

SAID = {
    "instruction": "Here is the instruction:\nAdd two numbers.",
    "requirement": "Functionality: adds.\nArguments:\n:param a: int",
    "paraphrase": "How are two numbers added?",
    "domain": " Computation.",
    "criterion": "Sure:\n```yaml\ngrading:\n  keywords: [plus]\n```\nGood luck",
    "tests": "```yaml\nlang: python\ngrading:\n  unit_test:\n    tests: [assert add(1, 2) == 3]\n```",
}


@pytest.fixture
def store(tmp_path: Path) -> ProjectFile:
    row = {"id": "add", "title": "add", "prompt": "hi! add two numbers pls", "reference": "def add(a, b): ...",
           "language": "python", "domain": "basic operation"}  # fmt: skip
    return project_of_rows(tmp_path / "p.annotator", [row, {"id": "other", "prompt": "q"}], (), people=("ada",))


def helper(model: ListedModel) -> Helper:
    return Helper(model, Endpoint(base_url="http://127.0.0.1:1/v1"), "asked-model")


def made(store: ProjectFile, kind: str) -> str:
    asked = suggestions.make_suggestions(store, kind, ["add"], helper(ListedModel(SAID[kind])))
    rows, left_out = asked.rows, asked.left_out
    assert not left_out
    return rows[0].id


@pytest.mark.parametrize("kind", KINDS)
def test_templates_have_no_place_that_is_never_filled(kind: str) -> None:
    template = suggestion_template(kind)
    assert set(template.places) <= {"title", "prompt", "reference", "context", "language", "domains"}
    assert "test" not in template.user.lower() or kind in ("tests", "instruction")


def test_what_was_asked_is_kept(store: ProjectFile) -> None:
    model = ListedModel(SAID["instruction"], "Add two numbers, and return the sum.")
    asked = suggestions.make_suggestions(store, "instruction", ["add"], helper(model))
    [row], changes = asked.rows, asked.changes
    assert (row.text, row.model, row.state) == ("Add two numbers, and return the sum.", "model-1", "open")
    assert row.template == "suggest-instruction 1, suggest-check 2" and "suggestion" in changes.nouns
    first, second = (request.messages[-1].content for request in model.asked)
    assert "def add(a, b): ..." in first and "def add(a, b): ..." in second, "the draft is checked against the code"
    assert "Add two numbers.\n" in second and "Add two numbers" not in first
    with store.read() as db:
        assert stored.find_suggestion(db, row.id).usage == {"total_tokens": 14}, "what both requests took"
    assert triage.load_subject(store, "add").paraphrase is None


@pytest.mark.parametrize("kind", ["instruction", "requirement", "paraphrase"])
def test_prompts_are_taken_by_a_person(store: ProjectFile, kind: str) -> None:
    suggestion = made(store, kind)
    suggestions.accept_suggestion(store, suggestion)
    view = triage.load_subject(store, "add")
    assert view.paraphrase is not None and (view.paraphrase.annotator, view.paraphrase.origin) == ("ada", "model-1")
    assert suggestions.find_suggestions(store, "add")[0].state == "accepted"
    undo.undo_last_act(store)
    assert triage.load_subject(store, "add").paraphrase is None
    assert suggestions.find_suggestions(store, "add", only_open=True)[0].id == suggestion


def test_an_edited_suggestion_says_so(store: ProjectFile) -> None:
    suggestions.accept_suggestion(store, made(store, "paraphrase"), "How do I add?")
    view = triage.load_subject(store, "add")
    assert view.paraphrase is not None
    assert (view.paraphrase.text, view.paraphrase.origin) == ("How do I add?", "model-1, edited")


@pytest.mark.parametrize("kind", ["criterion", "tests"])
def test_criteria_are_taken_when_sound(store: ProjectFile, kind: str) -> None:
    suggestions.accept_suggestion(store, made(store, kind))
    criterion = triage.load_subject(store, "add").criterion
    assert criterion is not None and "```" not in criterion.source
    bad = made(store, kind)
    with pytest.raises(CriterionError):
        suggestions.accept_suggestion(store, bad, "grading: 3")
    assert suggestions.find_suggestions(store, "add", only_open=True)[0].id == bad


def test_domains_are_labels_with_a_way_back(store: ProjectFile) -> None:
    suggestion = made(store, "domain")
    assert suggestions.find_suggestions(store)[0].text in TAXONOMIES["domaineval"]
    suggestions.accept_suggestion(store, suggestion)
    assert triage.load_subject(store, "add").row.domain == "computation"
    rows = [triage.queue_row_of(store, key) for key in ("add", "other")]
    triage.label_rows(store, rows, "domain", "system")
    assert triage.load_subject(store, "other").row.domain == "system"
    undo.undo_last_act(store)
    assert triage.load_subject(store, "add").row.domain == "computation"
    assert triage.load_subject(store, "other").row.domain == ""
    undo.undo_last_act(store)
    assert triage.load_subject(store, "add").row.domain == "basic operation"
    undo.redo_last_act(store)
    assert triage.load_subject(store, "add").row.domain == "computation"


def test_rejected_ones_stay_in_the_history(store: ProjectFile) -> None:
    suggestions.reject_suggestion(store, made(store, "paraphrase"))
    assert suggestions.find_suggestions(store, "add", only_open=True) == ()
    assert suggestions.find_suggestions(store, "add")[0].state == "rejected"


def test_one_subject_that_fails_does_not_stop_the_rest(store: ProjectFile) -> None:
    model = ListedModel(BadInputError("The model declined."), SAID["paraphrase"])
    asked = suggestions.make_suggestions(store, "paraphrase", ["other", "add"], helper(model))
    rows, left_out = asked.rows, asked.left_out
    assert len(rows) == 1 and left_out == (("jsonl:other", "The model declined."),)
    stop = EndpointStopError("The key is wrong.", 401)
    with pytest.raises(EndpointStopError):
        suggestions.make_suggestions(store, "paraphrase", ["other", "add"], helper(ListedModel(stop)))


def test_an_endpoint_that_falls_silent_is_asked_no_more(store: ProjectFile) -> None:
    silent = RequestFailedError("There is no answer.", "HTTP 503", 8)
    model = ListedModel(silent, silent, SAID["paraphrase"], silent, silent, silent, SAID["paraphrase"])
    asked = suggestions.make_suggestions(store, "paraphrase", ["add", "other"] * 4, helper(model))
    assert (len(asked.rows), asked.failed, len(asked.left_out)) == (1, 7, 7)
    assert len(model.asked) == 6, "three subjects in a row without an answer, and then nobody"
    assert "no longer answers" in asked.left_out[-1][1]


def test_bad_input_is_refused(store: ProjectFile) -> None:
    with pytest.raises(BadInputError, match="no kind"):
        suggestions.make_suggestions(store, "poem", ["add"], helper(ListedModel()))
    with pytest.raises(BadInputError, match="no suggestion"):
        suggestions.accept_suggestion(store, "none")
    with pytest.raises(BadInputError, match="empty"):
        suggestions.accept_suggestion(store, made(store, "paraphrase"), " ")


MARK = "assert add(20, 22) == 42"


@pytest.fixture
def mined(tmp_path: Path) -> ProjectFile:
    """Two repositories with two accepted functions each, whose tests hold a mark."""
    made = projects.create_project(tmp_path / "m.annotator", "m", "ada")
    for name in ("one", "two"):
        root = tmp_path / name
        root.mkdir()
        body = "    total = a\n    total += b\n    return total\n"
        (root / "lib.py").write_text(f"def add(a, b):\n{body}\n\ndef plus(a, b):\n{body}")
        (root / "test_lib.py").write_text(
            f"from lib import add, plus\n\n\ndef test_add():\n    {MARK}\n\n\n"
            "def test_plus():\n    assert plus(1, 1) == 2\n"
        )
        (outcome,) = mine_repositories([root], MiningOptions(), Progress(), static_only=True)
        assert import_rows(made, root, select_mined_rows(outcome, everything=False)).added == 2
    triage.decide_queue_rows(made, triage.queue_ids(made, QueueFilter()), Verdict.ACCEPT)
    return made


def asked_of(model: ListedModel) -> str:
    return "\n".join(part.content for request in model.asked for part in request.messages)


@pytest.mark.parametrize("kind", ["instruction", "requirement", "domain", "paraphrase"])
def test_tests_are_never_part_of_what_is_asked(mined: ProjectFile, kind: str) -> None:
    ids = suggestions.list_accepted_ids(mined, "one")
    view = triage.load_subject(mined, ids[0])
    assert any(MARK in test.code for test in view.tests), "the mark must be where it could leak from"
    model = ListedModel(*[SAID[kind]] * 2)
    asked = suggestions.make_suggestions(mined, kind, ids, helper(model))
    rows, left_out = asked.rows, asked.left_out
    assert len(rows) == 2 and not left_out
    told = asked_of(model)
    assert "total += b" in told or kind == "paraphrase"
    assert MARK not in told and "test_add" not in told and "42" not in told


def test_a_repository_is_asked_about_once(mined: ProjectFile) -> None:
    assert suggestions.list_mined_repositories(mined) == ("one", "two")
    assert len(suggestions.list_accepted_ids(mined)) == 4 and len(suggestions.list_accepted_ids(mined, "two")) == 2
    assert suggestions.list_accepted_ids(mined, "three") == () and suggestions.list_accepted_ids(mined, "on") == ()
    ids = suggestions.list_accepted_ids(mined, "two", "instruction")
    first = suggestions.make_suggestions(mined, "instruction", ids, helper(ListedModel(*["Add them."] * 2))).rows
    assert suggestions.list_accepted_ids(mined, "two", "instruction") == ()
    assert len(suggestions.list_accepted_ids(mined, "two", "requirement")) == 2
    suggestions.reject_suggestion(mined, first[0].id)
    assert suggestions.list_accepted_ids(mined, "two", "instruction") == (first[0].subject_id,)
    with pytest.raises(BadInputError, match="no endpoint nowhere"):
        suggestions.ask_about_remaining(mined, "nowhere", "m", "instruction")


def test_templates_can_be_edited_but_not_to_show_tests(mined: ProjectFile) -> None:
    ids = suggestions.list_accepted_ids(mined, "one")
    run_setups.save_run_setup(
        mined, "template", "suggest-instruction", {"user": "Say it short: {{reference}}", "system": ""}
    )
    model = ListedModel("Add.", "Add.")
    rows = suggestions.make_suggestions(mined, "instruction", ids, helper(model)).rows
    assert asked_of(model).startswith("Say it short: def ") and rows[0].template.startswith("suggest-instruction 2,")
    for place in ("tests", "signature"):
        with pytest.raises(BadInputError, match=f"a place for {place}, which is never filled"):
            run_setups.save_run_setup(
                mined, "template", "suggest-requirement", {"user": f"{{{{{place}}}}}", "system": ""}
            )
    undo.undo_last_act(mined)
    model = ListedModel("Add.")
    suggestions.make_suggestions(mined, "instruction", ids[:1], helper(model))
    assert "Write the instruction" in asked_of(model)


@pytest.mark.parametrize("check", ["", "I'm sorry, but I can't help with that."])
def test_a_check_that_says_nothing_leaves_the_draft(store: ProjectFile, check: str) -> None:
    model = ListedModel("Add two numbers.", check or BadInputError("nothing"))
    (row,) = suggestions.make_suggestions(store, "instruction", ["add"], helper(model)).rows
    assert (row.text, row.template) == ("Add two numbers.", "suggest-instruction 1")


def test_a_check_that_agrees_confirms_the_draft(store: ProjectFile) -> None:
    model = ListedModel("Add two numbers.", "The description is correct. No changes are needed.")
    (row,) = suggestions.make_suggestions(store, "instruction", ["add"], helper(model)).rows
    assert row.text == "Add two numbers." and row.template.endswith("suggest-check 2")


def test_who_declines_makes_no_draft(store: ProjectFile) -> None:
    asked = suggestions.make_suggestions(
        store, "instruction", ["add"], helper(ListedModel("I'm sorry, but I can't help with that."))
    )
    assert not asked.rows and "declined" in asked.left_out[0][1]


def test_what_would_keep_a_draft_out_is_told_before_it_is_taken(mined: ProjectFile) -> None:
    subject = suggestions.list_accepted_ids(mined)[0]
    leaking = ListedModel("Add both in `total`.")
    (row,) = suggestions.make_suggestions(mined, "instruction", [subject], helper(leaking)).rows
    (told,) = suggestions.suggestions_with_problems(mined, [row])
    assert any("`total`" in problem for problem in told.problems) and not row.problems


def test_a_check_sees_what_stands_around_the_function(mined: ProjectFile) -> None:
    model = ListedModel("Add two numbers.")
    suggestions.make_suggestions(mined, "requirement", suggestions.list_accepted_ids(mined)[:1], helper(model))
    assert all("[MASK]" in request.messages[-1].content.split("Around it", 1)[1] for request in model.asked)


SAMPLES = load_samples(__file__)
PLAIN = "Return the sum of `a` and `b`.\n\nRaises TypeError for texts."
QUESTION = "How can I sort `rows` by date in pandas 2.1?\n\nIt raises KeyError."
CRITERION = (
    "lang: python\ngrading:\n  unit_test:\n    tests:\n      - name: typical\n        content: |\n"
    "          assert add(1, 2) == 3\n"
)


@pytest.mark.parametrize(
    ("read", "family", "expected"),
    [
        (read_description, "what_is_said_around_a_description_goes", PLAIN),
        (read_question, "what_is_said_around_a_question_goes", QUESTION),
        (read_criterion, "what_is_said_around_a_criterion_goes", CRITERION),
        (read_description, "a_description_stays_as_it_is", None),
        (read_question, "a_question_stays_as_it_is", None),
        (is_agreement, "a_check_may_only_agree", True),
    ],
)
def test_a_reply_is_read_as_what_it_says(read: Callable[[str], object], family: str, expected: object) -> None:
    def check(reply: str) -> None:
        assert read(reply) == (reply if expected is None else expected)

    check_rows(check, ((reply,) for reply in SAMPLES[family]))


def test_a_description_is_no_agreement_and_declining_is_no_description() -> None:
    assert not any(map(is_agreement, SAMPLES["a_description_stays_as_it_is"]))
    assert read_description("I'm sorry, but I can't help with that.") == ""
