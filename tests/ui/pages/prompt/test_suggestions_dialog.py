"""Suggestions by a model where people write, and what the guard finds in what is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtWidgets import QPlainTextEdit

from annotator.mining.rendering import LANGUAGES
from annotator.mining.rewriting import TaskSignature
from annotator.model.tables.work_tables import Suggestion
from annotator.services import suggestions
from annotator.services.criterion import revisions
from annotator.services.prompt import paraphrases
from annotator.services.prompt.rewrite_parts import RewriteParts
from annotator.services.select import triage
from annotator.store.queue import stored_subjects
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.criterion.editor import YAML
from annotator.ui.pages.desk import paraphrase_step
from annotator.ui.pages.prompt.rewrite_dialog import RewriteTexts, replace_parts
from annotator.ui.pages.shared.model_suggestions import SuggestionsDialog
from tests.llm.server import Server, running
from tests.windows import Wait, open_page, open_store

GOOD, BAD = "grading:\n  keywords: [tuple]\n", "grading:\n  keyword: [tuple]\n"


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server(reply=lambda *_: f"Sure:\n```yaml\n{GOOD}```")
    with running(made):
        yield made


def _page(window: MainWindow, name: str, wait: Wait) -> Any:
    found = open_page(window, name)
    wait(lambda: found.view is not None)
    return found


def _opened(page: Any, wait: Wait) -> SuggestionsDialog:
    page.show_suggestions()
    [dialog] = page.findChildren(SuggestionsDialog)
    wait(lambda: bool(dialog.status_label.text()) or dialog.table.row_count() > 0)
    return dialog  # type: ignore[no-any-return]


def _ask(dialog: SuggestionsDialog, server: Server, wait: Wait) -> None:
    before = dialog.table.row_count()
    wait(lambda: dialog.endpoint.findText("anthropic") >= 0)
    assert dialog.endpoint.currentText() == "", "a preset is not chosen by itself"
    dialog.endpoint.setEditText(server.url)
    dialog.model.setEditText("m")
    dialog.ask_button.click()
    wait(lambda: dialog.table.row_count() == before + 1)


def test_a_suggestion_becomes_the_criterion_only_when_it_is_used(
    window: MainWindow, server: Server, wait: Wait
) -> None:
    page = _page(window, "Criterion", wait)
    before = page.view.criterion.source
    page.context.actions.trigger("subject.drafts")
    [dialog] = page.findChildren(SuggestionsDialog)
    wait(lambda: "No suggestion yet" in dialog.status_label.text())
    _ask(dialog, server, wait)
    assert dialog.text.toPlainText() == GOOD
    assert page.document.source == before
    dialog.faces.choose(1)
    dialog.faces.picked.emit(1)
    wait(lambda: "[user]" in dialog.text.toPlainText())
    prompt = page.view.paraphrase.text if page.view.paraphrase else page.view.prompt
    assert prompt.strip()[:40] in dialog.text.toPlainText()
    assert dialog.text.isReadOnly()
    dialog.faces.choose(0)
    dialog.faces.picked.emit(0)
    dialog.text.setPlainText(GOOD.replace("tuple", "a list"))
    wait(dialog.use_button.isEnabled)
    dialog.use_button.click()
    wait(lambda: page.document.source == GOOD.replace("tuple", "a list"))
    wait(lambda: not dialog.use_button.isEnabled())
    window.session.undo()
    wait(lambda: page.document.source == before)
    wait(dialog.use_button.isEnabled)
    dialog.close()


def test_a_suggested_bug_that_was_not_taken_is_listed(window: MainWindow, wait: Wait) -> None:
    page = _page(window, "Prompt", wait)
    row = Suggestion(
        subject_id=page.view.row.id, kind="bug", text="{}", model="m", template="bug 1", prompt=[], complete=True
    )
    with window.session.store.write() as db:
        db.add(row)
    dialog = _opened(page, wait)
    wait(lambda: dialog.table.row_count() == 1)
    assert dialog.text.toPlainText() == "{}"
    dialog.close()


def test_a_suggestion_with_an_error_cannot_be_used_until_it_is_mended(
    window: MainWindow, server: Server, wait: Wait
) -> None:
    page = _page(window, "Criterion", wait)
    server.reply = lambda *_: f"```yaml\n{BAD}```"
    dialog = _opened(page, wait)
    _ask(dialog, server, wait)
    wait(lambda: "Line 2" in dialog.status_label.text())
    assert not dialog.use_button.isEnabled()
    dialog.text.setPlainText(GOOD)
    wait(dialog.use_button.isEnabled)
    dialog.reject_button.click()
    wait(lambda: not dialog.reject_button.isEnabled())
    [row] = suggestions.find_suggestions(window.session.store, page.view.row.id)  # type: ignore[arg-type]
    assert (row.state, row.text) == ("rejected", BAD)
    dialog.close()


def test_what_is_written_and_cannot_be_saved_stays(window: MainWindow, wait: Wait) -> None:
    page = _page(window, "Criterion", wait)
    page.document.show_face(YAML)
    page.document.yaml.setPlainText(BAD)
    page.show_suggestions()
    assert not page.findChildren(SuggestionsDialog)
    assert page.document.source == BAD
    assert "Line 2" in page.document.problems.text()
    page.own_writing.unsaved_texts.clear()


def test_an_answer_that_comes_after_the_dialog_is_closed_is_kept(window: MainWindow, wait: Wait) -> None:
    page = _page(window, "Criterion", wait)
    slow = Server(reply=lambda *_: f"```yaml\n{GOOD}```", delay_s=0.5)
    with running(slow):
        dialog = _opened(page, wait)
        dialog.endpoint.setEditText(slow.url)
        dialog.model.setEditText("m")
        dialog.ask_button.click()
        assert not dialog.ask_button.isEnabled()
        dialog.close()
        store = open_store(window)
        wait(lambda: len(suggestions.find_suggestions(store)) == 1 and not window.session.jobs)
    assert not window.error_bar.isVisible()


def test_a_cancelled_question_can_be_asked_again(window: MainWindow, wait: Wait) -> None:
    page = _page(window, "Criterion", wait)
    dialog = _opened(page, wait)
    dialog.endpoint.setEditText("http://127.0.0.1:9/v1")
    dialog.model.setEditText("m")
    dialog.ask_button.click()
    [job] = [job for job in window.session.jobs if job.label.startswith("Asking")]
    job.progress.cancel()
    wait(lambda: dialog.ask_button.isEnabled() and dialog.ask_button.text() == "Ask")
    dialog.close()


def test_what_cannot_be_asked_is_said(window: MainWindow, wait: Wait) -> None:
    page = _page(window, "Prompt", wait)
    dialog = _opened(page, wait)
    assert dialog.kind.currentData() == "paraphrase"
    for place, model, said in (
        ("", "m", "Give the name of an endpoint"),
        ("nowhere", "m", "no endpoint nowhere"),
        ("http://127.0.0.1:9/v1", "", "Enter the model's name"),
        ("http://127.0.0.1:9/v1", "m", "127.0.0.1:9/v1 cannot be reached"),
    ):
        dialog.endpoint.setEditText(place)
        dialog.model.setEditText(model)
        dialog.ask_button.click()
        wait(lambda said=said: said in dialog.status_label.text() and dialog.ask_button.isEnabled())  # type: ignore[misc]
    dialog.close()


def test_a_paraphrase_is_used_on_the_prompt_page(window: MainWindow, server: Server, wait: Wait) -> None:
    page = _page(window, "Prompt", wait)
    server.reply = lambda *_: "How is a list turned into a tuple?"
    dialog = _opened(page, wait)
    _ask(dialog, server, wait)
    dialog.use_button.click()
    wait(lambda: page.panes.paraphrase() == "How is a list turned into a tuple?")
    dialog.close()


def test_a_suggestion_that_a_release_would_refuse_says_why_before_it_is_used(
    window: MainWindow, server: Server, wait: Wait
) -> None:
    page = _page(window, "Prompt", wait)
    server.reply = lambda *_: "x"
    dialog = _opened(page, wait)
    dialog.kind.setCurrentIndex(dialog.kind.findData("paraphrase"))
    _ask(dialog, server, wait)
    wait(lambda: dialog.status_label.property("role") == "problem" and bool(dialog.status_label.text()))
    assert dialog.status_label.text().startswith(suggestions.suggestion_problems(page.view, "x")[0])
    assert dialog.use_button.isEnabled(), "a person may use it and mend it on the desk"
    prompt = page.view.prompt
    dialog.text.setPlainText(prompt)
    wait(lambda: not dialog.status_label.text())
    dialog.close()


def test_suggestions_for_one_subject_do_not_show_with_another(window: MainWindow, server: Server, wait: Wait) -> None:
    page = _page(window, "Criterion", wait)
    dialog = _opened(page, wait)
    _ask(dialog, server, wait)
    dialog.close()
    first = page.view.row.id
    page.queue.select_next()
    wait(lambda: page.view is not None and page.view.row.id != first)
    store = open_store(window)
    revisions.save_criterion(store, page.view.row.id, GOOD)
    with store.read() as db:
        assert stored_subjects.load_subject_view(db, page.view.row.id).criterion is not None
    wait(lambda: not page.findChildren(SuggestionsDialog))
    other = _opened(page, wait)
    assert other.table.row_count() == 0
    other.close()


def test_what_is_changed_in_a_suggestion_comes_back(window: MainWindow, server: Server, wait: Wait) -> None:
    page = _page(window, "Criterion", wait)
    dialog = _opened(page, wait)
    _ask(dialog, server, wait)
    dialog.text.setPlainText(GOOD + "# half a remar")
    drafts = window.session.drafts
    [draft] = drafts.drafts
    assert (draft.key.field, draft.subject_id) == ("prompt.suggestion", page.view.row.id)
    dialog.close()
    window.pages.drop_pages()
    window.show_draft(draft)
    page = window.pages.page("Prompt")
    wait(lambda: bool(page.findChildren(SuggestionsDialog)))
    [dialog] = page.findChildren(SuggestionsDialog)
    wait(lambda: dialog.text.toPlainText() == GOOD + "# half a remar")
    assert dialog.draft_bar.isVisible()
    # What was asked is no draft, and does not disturb it.
    dialog.faces.choose(1)
    dialog.faces.picked.emit(1)
    wait(lambda: "[user]" in dialog.text.toPlainText())
    dialog.faces.choose(0)
    dialog.faces.picked.emit(0)
    assert dialog.text.toPlainText() == GOOD + "# half a remar"
    dialog.draft_bar.discard_button.click()
    assert dialog.text.toPlainText() == GOOD and drafts.drafts == ()
    dialog.text.setPlainText(BAD)
    dialog.reject_button.click()
    wait(lambda: drafts.drafts == ())
    dialog.close()


# What the guard finds is said in words while typing, in the queue, and can be overridden.


def _guard_page(window: MainWindow, wait: Wait) -> Any:
    found = open_page(window, "Prompt")
    wait(lambda: found.view is not None and found.panes.paraphrase() != "")
    return found


def _status(page: Any) -> str:
    row = page.queue.model.subject(page.queue.list.currentIndex().row())
    found = page.paraphrase.guard.status(row)
    return found[0] if found else ""


def test_what_is_missing_is_said_while_typing_and_the_queue_says_check(
    window: MainWindow, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = _guard_page(window, wait)
    wait(lambda: page.paraphrase.checks is not None)
    page.panes.editor.setPlainText("x")
    wait(lambda: "missing" in page.paraphrase.guard_line.problems.text())
    assert page.paraphrase.guard_line.problems.isVisible() and "too short" in page.paraphrase.guard_line.problems.text()
    assert not page.paraphrase.guard_line.button.isVisible(), "only what is saved can be kept all the same"

    assert page.save()
    wait(lambda: _status(page) == "check")
    wait(page.paraphrase.guard_line.button.isVisible)
    monkeypatch.setattr(paraphrase_step, "ask_on_page", lambda *_, **__: "it is a riddle")
    page.paraphrase.guard_line.button.click()
    wait(lambda: _status(page) == "ready")
    wait(lambda: "it is a riddle" in page.paraphrase.guard_line.override_label.text())
    assert not page.paraphrase.guard_line.problems.isVisible() and not page.paraphrase.guard_line.button.isVisible()
    store = page.session.store
    subject = page.view.row.id
    state = paraphrases.load_prompt_states(store, [subject])[subject]
    assert state.override is not None and state.override.reason == "it is a riddle"

    page.panes.editor.setPlainText("y")
    wait(lambda: "missing" in page.paraphrase.guard_line.problems.text())


def test_nothing_to_keep_is_not_said_beside_what_is_missing(window: MainWindow, wait: Wait) -> None:
    page = _guard_page(window, wait)
    wait(lambda: page.paraphrase.checks is not None)

    page.panes.editor.setPlainText("x")
    wait(lambda: bool(page.paraphrase.checks.problems))
    lost = replace(page.paraphrase.checks, anchors=())
    page.paraphrase.show_checks(lost)
    assert page.paraphrase.checks_row.count() == 0
    page.paraphrase.show_checks(replace(lost, checks=()))
    assert page.paraphrase.checks_row.count() == 2, "the words, and that there is none"


def test_the_editor_has_the_focus_after_opening_and_saving(window: MainWindow, wait: Wait) -> None:
    page = _guard_page(window, wait)
    wait(page.panes.editor.hasFocus)
    first = page.view.row.id
    page.queue.list.setFocus()
    page.save_next()
    wait(lambda: page.view is not None and page.view.row.id != first)
    wait(page.panes.editor.hasFocus)


def test_no_button_of_the_page_takes_an_acceptance_back_by_the_way(window: MainWindow, wait: Wait) -> None:
    page = _guard_page(window, wait)
    assert "select.skip" not in page.header.buttons
    store = page.session.store
    assert triage.load_subject(store, page.view.row.id).row.verdict == "accept"


def test_code_is_monospaced_and_unwrapped_prose_is_not(window: MainWindow, wait: Wait) -> None:
    page = _guard_page(window, wait)
    panes, mode = page.panes, QPlainTextEdit.LineWrapMode
    panes.set_texts('def add(a, b):\n    """Add two numbers."""\n', "Add them, please.")
    assert panes.original.lineWrapMode() == mode.NoWrap
    assert panes.original.font().family() == window.theme.code_font().family()
    assert panes.editor.lineWrapMode() == mode.WidgetWidth
    assert panes.editor.font().family() != window.theme.code_font().family()
    panes.set_texts("Why does it return a tuple?", "Why is it a tuple?")
    assert panes.original.lineWrapMode() == mode.WidgetWidth


def test_the_distance_says_from_where_on_it_is_far_enough(window: MainWindow, wait: Wait) -> None:
    page = _guard_page(window, wait)
    wait(lambda: page.paraphrase.checks is not None)
    row = page.paraphrase.distance_row
    tips = {row.itemAt(place).widget().toolTip() for place in range(row.count())}
    assert tips == {"Distance from the original, 0 to 1; 0.3 or more is far enough"}


# What a suggestion gives replaces typed texts; what it lacks stays as it was typed.


def _texts(word: str) -> RewriteTexts:
    return RewriteTexts(
        requirement=f"{word} requirement",
        signatures=[[f"{word} {number}", "", ""] for number in range(2 + len(LANGUAGES))],
        twists=f"{word} twist",
        rows=[[f"{word} row"]],
        references={"python": f"{word} python", "java": f"{word} java"},
    )


def test_an_incomplete_suggestion_leaves_what_it_lacks() -> None:
    given = RewriteParts(references={"java": "class Solution {}"})
    taken = replace_parts(_texts("typed"), _texts("suggested"), given, ())
    assert taken.references == {"python": "typed python", "java": "suggested java"}
    assert taken.model_copy(update={"references": {}}) == _texts("typed").model_copy(update={"references": {}})


def test_only_the_chosen_part_is_taken() -> None:
    given = RewriteParts(requirement="r", rows=({"name": "row"},), references={"python": "p"})
    taken = replace_parts(_texts("typed"), _texts("suggested"), given, ("requirement",))
    assert taken == _texts("typed").model_copy(update={"requirement": "suggested requirement"})


def test_signatures_of_other_languages_and_of_the_mined_code_stay() -> None:
    given = RewriteParts(signatures={"java": TaskSignature(name="cut", parameters=())})
    taken = replace_parts(_texts("typed"), _texts("suggested"), given, ("signatures",))
    changed = [row[0] for row in taken.signatures if row[0].startswith("suggested")]
    assert changed == ["suggested 1", f"suggested {2 + LANGUAGES.index('java')}"] and taken.twists == "typed twist"
