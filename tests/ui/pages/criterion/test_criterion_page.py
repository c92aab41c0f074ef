"""The Criterion page: both faces, rules from selections, the proof, short texts."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QCheckBox, QLineEdit, QPlainTextEdit
from pytestqt.qtbot import QtBot

from annotator.criteria.metrics.rule_results import RuleResult
from annotator.model.changes import Changes
from annotator.model.rows.view_rows import ProvedRow
from annotator.services.select import triage
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.criterion.criterion_form import RuleBox
from annotator.ui.pages.criterion.editor import FORM, YAML
from annotator.ui.pages.criterion.proof_panel import describe_failed_proof, describe_proofs
from annotator.ui.pages.desk.steps import DeskStep
from annotator.ui.pages.shared.fact_texts import rule_detail
from annotator.ui.widgets.labels import join_list, shorten_end
from tests.windows import Wait, open_page


@pytest.fixture
def page(window: MainWindow, wait: Wait) -> Any:
    found = open_page(window, "Criterion")
    wait(lambda: found.answers.responses.row_count() == 7)  # type: ignore[attr-defined]
    yield found
    found.document.flush()  # type: ignore[attr-defined]
    found.own_writing.unsaved_texts.clear()  # type: ignore[attr-defined]


def _boxes(page: Any) -> list[RuleBox]:
    return list(page.document.form.boxes)


def _field(box: RuleBox, kind: type, name: str) -> Any:
    return next(item for item in box.findChildren(kind) if item.accessibleName().endswith(f": {name}"))


def _write(page: Any, text: str) -> None:
    page.document.show_face(YAML)
    page.document.yaml.setPlainText(text)


def test_with_all_its_content_it_fits_a_common_screen(page: Any, window: MainWindow) -> None:
    assert window.minimumSizeHint().width() <= 1280


def test_no_field_of_the_form_is_cut_on_a_small_screen(page: Any, window: MainWindow, wait: Wait) -> None:
    window.resize(1280, 800)
    _write(page, "grading:\n  keywords:\n    - a\n")
    page.document.show_face(FORM)
    wait(lambda: len(_boxes(page)) == 1)
    assert _boxes(page)[0].minimumSizeHint().width() <= page.document.form.viewport().width()


def test_what_is_no_number_gives_way_to_the_number_that_counts(page: Any, qtbot: QtBot, wait: Wait) -> None:
    _write(page, "grading:\n  keywords:\n    - content: a\n      weight: 2\n")
    page.document.show_face(FORM)
    wait(lambda: len(_boxes(page)) == 1)
    points = _field(_boxes(page)[0], QLineEdit, "points")
    wait(lambda: points.text() == "2")
    for typed in ("5,7", ""):
        points.setFocus()
        points.selectAll()
        qtbot.keyClicks(points, typed) if typed else qtbot.keyClick(points, Qt.Key.Key_Delete)
        assert points.text() == typed
        qtbot.keyClick(points, Qt.Key.Key_Tab)
        assert points.text() == "2"


def test_an_error_is_said_at_its_rule_in_the_form_and_at_its_line_in_yaml(page: Any, wait: Wait) -> None:
    _write(page, "grading:\n  keywords:\n    - a\n    - content: b\n      weight: heavy\n  number:\n    value: x\n")
    page.document.show_face(FORM)
    wait(lambda: len(_boxes(page)) == 3 and _boxes(page)[1].problems.text() != "")
    first, second, third = _boxes(page)
    assert first.problems.text() == "" and second.problems.text() == "points: weight must be a number"
    assert third.problems.text() == "the number is: value must be a number"
    assert _field(second, QLineEdit, "points").property("state") == "wrong"
    assert page.document.problems.text() == ""
    page.document.show_face(YAML)
    assert page.document.problems.text().startswith("Line 5: weight must be a number")


def test_form_and_yaml_are_in_step(page: Any, qtbot: QtBot, wait: Wait) -> None:
    _write(page, "# kept\ngrading:\n  keywords:\n    - tuple  # the word\n")
    page.document.show_face(FORM)
    wait(lambda: len(_boxes(page)) == 1)
    [box] = _boxes(page)
    assert _field(box, QPlainTextEdit, "look for").toPlainText() == "tuple"
    why = _field(box, QLineEdit, "why")
    qtbot.keyClicks(why, "it says so")
    wait(lambda: "why: it says so" in page.document.source)
    points = _field(box, QLineEdit, "points")
    points.selectAll()
    qtbot.keyClicks(points, "2.5")
    wait(lambda: "weight: 2.5" in page.document.source)
    _field(box, QCheckBox, "ignore case").click()
    assert "to_lower: true" in page.document.source
    assert "# kept" in page.document.source and "# the word" in page.document.source
    page.document.show_face(YAML)
    page.document.yaml.undo()
    wait(lambda: not _field(_boxes(page)[0], QCheckBox, "ignore case").isChecked())


def test_an_error_in_the_yaml_hides_the_form_with_a_sentence(page: Any, wait: Wait) -> None:
    _write(page, "grading: [")
    page.document.show_face(FORM)
    assert "error" in page.document.form.message.text()
    _write(page, "grading:\n  keywords: [a]\n")
    page.document.show_face(FORM)
    assert len(_boxes(page)) == 1


def test_a_criterion_from_nothing_to_proven_without_the_yaml(page: Any, qtbot: QtBot, wait: Wait) -> None:
    _write(page, "")
    page.document.show_face(FORM)
    assert "No rules yet" in page.document.form.message.text()
    # Select a word in the reference and make it a rule.
    page.answers.responses.select(0)
    text = page.answers.response.toPlainText()
    at = text.index("flatnonzero")
    cursor = page.answers.response.textCursor()
    cursor.setPosition(at)
    cursor.setPosition(at + len("flatnonzero"), QTextCursor.MoveMode.KeepAnchor)
    page.answers.response.setTextCursor(cursor)
    assert page.answers.make_rule_button.isEnabled()
    qtbot.mouseClick(page.answers.make_rule_button, Qt.MouseButton.LeftButton)
    wait(lambda: len(_boxes(page)) == 1)
    wait(lambda: page.answers.trial is not None and bool(page.answers.trial.scores))
    for _ in range(2):
        page.context.actions.action("criterion.prove").trigger()
    wait(lambda: page.criterion.is_proving)
    assert [job.label for job in page.session.jobs] == [f"Proving {page.view.row.title}"], "pressed twice, proven once"
    store = page.session.store
    subject = page.view.row.id

    def proven() -> bool:
        view = triage.load_subject(store, subject)
        return view.row.proven and view.criterion is not None and "flatnonzero" in view.criterion.source

    wait(proven)
    wait(lambda: page.proof.state.text().startswith("Weak. All required checks pass"))
    assert page.proof.table.row_count() > 8
    page.proof.table.select(1)
    assert page.answers.card.title == "the reference"


def test_tests_added_by_the_form_are_in_the_language_of_the_item(page: Any) -> None:
    _write(page, "")
    page.document.add_rule("unit_test", {"content": "assert True"})
    assert page.document.source.startswith("lang: python\n")


def test_answers_become_examples(page: Any, wait: Wait) -> None:
    _write(page, "grading:\n  keywords: [flatnonzero]\n")
    page.answers.responses.select(1)
    page.answers.must_pass_button.click()
    assert "expect: pass" in page.document.source
    page.document.show_face(FORM)
    wait(lambda: any(box.section == "examples" for box in _boxes(page)))


def test_what_saving_changes_is_said_before_saving(page: Any, wait: Wait) -> None:
    _write(page, "grading:\n  keywords: [nothing has this]\n")
    wait(lambda: page.document.effect.isVisible() and "Saving changes" in page.document.effect.text())
    assert "6 responses" in page.document.effect.text()
    headers = [page.answers.responses.model().headerData(n, Qt.Orientation.Horizontal) for n in range(4)]
    assert headers[-1] == "before"
    assert page.steps.reasons[DeskStep.PROVEN].full == "proven with an earlier text"


def test_keys_are_offered_and_explained(page: Any, qtbot: QtBot) -> None:
    page.document.show_face(YAML)
    editor = page.document.yaml
    editor.setPlainText("grading:\n  keywords:\n    - content: x\n      ")
    cursor = editor.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.End)
    editor.setTextCursor(cursor)
    qtbot.keyClicks(editor, "wei")
    qtbot.keyClick(QApplication.activePopupWidget(), Qt.Key.Key_Return)
    assert editor.toPlainText().endswith("weight: ")
    qtbot.keyClicks(editor, "2")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert editor.toPlainText().endswith("weight: 2\n      ")


@pytest.mark.parametrize(
    ("line", "next_line"),
    [("    - balance", "    "), ('    - "a: b"', "    "), ("    - content: x", "      "), ("    - content:", "      ")],
)
def test_a_new_line_stands_where_what_comes_next_does(page: Any, qtbot: QtBot, line: str, next_line: str) -> None:
    page.document.show_face(YAML)
    editor = page.document.yaml
    editor.setPlainText(f"grading:\n  keywords:\n{line}")
    cursor = editor.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.End)
    editor.setTextCursor(cursor)
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert editor.toPlainText().endswith(f"{line}\n{next_line}")


def test_templates_fill_an_empty_document(page: Any, wait: Wait) -> None:
    _write(page, "")
    page.document.insert_template("unit_test")
    wait(page.answers.run_tests_button.isVisible)


def test_what_was_typed_last_is_kept_with_its_own_subject(page: Any, qtbot: QtBot, wait: Wait) -> None:
    _write(page, "grading:\n  keywords:\n    - flatnonzero\n")
    page.document.show_face(FORM)
    subject, store = page.view.row.id, page.session.store
    qtbot.keyClicks(_field(_boxes(page)[0], QLineEdit, "why"), "typed just now")
    page.context.actions.trigger("queue.next")
    wait(lambda: page.view.row.id != subject)
    other = page.view.row.id
    qtbot.wait(400)
    assert "typed just now" not in page.document.source
    saved = [triage.load_subject(store, one).criterion for one in (subject, other)]
    assert not any(found is not None and "typed just now" in found.source for found in saved)
    page.show_subject(subject)
    wait(lambda: page.view.row.id == subject and "typed just now" in page.document.source)


def test_the_similarity_interval_is_tuned_on_the_plot(page: Any, qtbot: QtBot, wait: Wait) -> None:
    from annotator.ui.pages.criterion.trial_panel import SIMILARITY

    assert not page.answers.faces.button(SIMILARITY).isVisible()
    _write(
        page, "grading:\n  similarity:\n    - metric: rouge1\n      references: [np.where returns one index array]\n"
    )
    wait(lambda: page.answers.trial is not None and len(page.answers.trial.similarities) == 7)
    wait(page.answers.faces.button(SIMILARITY).isVisible)
    page.answers.faces.choose(SIMILARITY)
    plot = page.answers.similarity
    assert plot.interval == (0.3, 0.53)
    qtbot.keyClick(plot, Qt.Key.Key_Left)
    wait(lambda: "min_score: 0.29" in page.document.source)
    wait(lambda: page.answers.trial.source == page.document.source)
    start = QPoint(round(plot.x_of(0.53)), plot.height() // 2)
    end = QPoint(round(plot.x_of(0.8)), plot.height() // 2)
    qtbot.mousePress(plot, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(plot, end)
    qtbot.mouseRelease(plot, Qt.MouseButton.LeftButton, pos=end)
    wait(lambda: "max_score: 0.8" in page.document.source)
    assert "7 answers" in plot.accessibleDescription()


def test_a_test_that_the_proof_proposes_goes_into_the_document(page: Any, wait: Wait) -> None:
    trial = {
        "label": "line 2: compares with >=", "kind": "mutant", "expected": "fail", "score": None, "ok": False,
        "detail": "this test would notice it", "answer": "def f(): ...", "test": "assert f(4) == 1\n",
    }  # fmt: skip
    same = {**trial, "ok": None, "test": "", "label": "line 3: adds 0"}
    check = {
        "name": "mutants", "title": "Changed code fails", "outcome": "fail", "required": False, "summary": "3 of 4",
        "trials": [trial, same], "facts": {"killed": 3, "tried": 4},
    }  # fmt: skip
    page.go_to_step(DeskStep.PROVEN)
    panel = page.proof
    panel.show_proof([check], "Proven.")
    words = [panel.table.model().index(row, 0).data() for row in range(3)]
    assert words == ["✗ fails", "✗ not noticed", "? may be equivalent"]
    panel.table.select(2)
    assert not panel.add_test_button.isVisibleTo(panel)
    panel.table.select(1)
    assert panel.add_test_button.isVisibleTo(panel)
    wait(lambda: "def f()" in page.answers.response.toPlainText())
    panel.add_test_button.click()
    wait(lambda: "assert f(4) == 1" in page.document.source)
    assert "unit_test" in page.document.source


def test_all_that_is_not_proven_is_proven_by_one_act(page: Any, wait: Wait) -> None:
    _write(page, "grading:\n  keywords: [flatnonzero]\n")
    store, subject = page.session.store, page.view.row.id
    said: list[str] = []
    page.session.job_message_posted.connect(said.append)

    def proofs_said() -> int:
        return sum("prove" in text for text in said)

    page.context.actions.action("criterion.prove_all").trigger()
    wait(lambda: proofs_said() == 1)
    assert triage.load_subject(store, subject).proof is not None and any("proven" in text for text in said), said
    page.context.actions.action("criterion.prove_all").trigger()
    wait(lambda: proofs_said() == 2)


def test_a_row_of_the_proof_shows_beside_it_what_was_tried(page: Any, wait: Wait) -> None:
    page.go_to_step(DeskStep.PROVEN)
    wait(lambda: page.proof.table.row_count() > 2)
    page.details.show_tab("Reference")
    page.proof.table.select(1)
    wait(lambda: page.answers.response.isVisible() and page.answers.card.title == "the reference")
    assert page.proof.prove_button.isVisible() and not page.criterion.panel.isVisible()


def test_what_a_check_saw_is_read_whole_below_it(page: Any) -> None:
    panel = page.proof
    page.go_to_step(DeskStep.PROVEN)
    seen = "an answer with non-greedy instead of lazy passes; an answer with nongreedy instead of lazy passes"
    trial = {"label": "lazy", "kind": "word", "expected": "fail", "score": 1.0, "ok": False, "detail": "passes"}
    check = {
        "name": "words", "title": "Changed answers fail", "outcome": "fail", "required": False, "summary": seen,
        "trials": [trial], "facts": {},
    }  # fmt: skip
    panel.show_proof([check], "Weak.")
    assert panel.full_summary.isHidden()
    panel.table.select(0)
    assert panel.full_summary.text() == seen and panel.full_summary.wordWrap() and not panel.full_summary.isHidden()
    panel.table.select(1)
    assert panel.full_summary.text() == "passes"
    panel.show_proof([], "Not proven.")
    assert panel.full_summary.isHidden()


# What parts of pages say in a few words.


def _check(title: str, outcome: str, *, required: bool = True) -> dict[str, Any]:
    return {"title": title, "summary": f"summary of {title}", "required": required, "outcome": outcome}


def test_a_failed_proof_names_the_first_check_it_needs() -> None:
    checks = [
        _check("one", "pass"),
        _check("advice", "fail", required=False),
        _check("two", "fail"),
        _check("x", "fail"),
    ]
    assert describe_failed_proof(checks) == "Not proven. “two” failed: summary of two"
    assert describe_failed_proof(checks[:2]) == "Not proven: see what fails."


def test_a_finished_proof_says_what_came_of_it() -> None:
    good = ProvedRow(subject_id="1", key="k", title="Sort a list", outcome="pass", reason="")
    bad = ProvedRow(subject_id="2", key="k", title="Sort a list", outcome="fail", reason="the prompt, repeated passes")
    assert describe_proofs(((good,), Changes(frozenset()))) == "Proven: Sort a list"
    assert describe_proofs(((bad,), Changes(frozenset()))) == "Not proven: Sort a list · the prompt, repeated passes"


@pytest.mark.parametrize(("detail", "said"), [("found", ""), ("not found", ""), ("passed", "passed"), ("", "")])
def test_a_rule_does_not_say_twice_that_it_was_found(detail: str, said: str) -> None:
    assert (
        rule_detail(
            RuleResult(
                metric="keywords",
                label="x",
                matched=True,
                points=1.0,
                total=1.0,
                spans=(),
                why="",
                detail=detail,
                line=1,
            )
        )
        == said
    )


def test_titles_keep_their_beginning() -> None:
    assert shorten_end("short") == "short"
    assert shorten_end("a title that was cut before… and more", 30) == "a title that was cut before…"
    assert join_list(["1 pass", "2 fail"]) == "1 pass, 2 fail"


def test_a_recorded_run_is_not_said_to_be_of_earlier_runs(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Runs")
    wait(lambda: "recorded" in page.detail.numbers.text())
    assert "earlier" not in page.detail.numbers.text()


def test_sources_name_their_format_as_the_choice_does(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Sources")
    wait(lambda: page.table.row_count() == 1)
    assert page.table.model().index(0, 1).data() == page.format.itemText(page.format.findData("jsonl"))


def test_nothing_waits_for_a_release_that_holds_it_already(window: MainWindow, wait: Wait) -> None:
    wait(lambda: window.session.facts is not None)
    assert window.sidebar.button("Release").count == 0
    assert window.sidebar.button("Prompt").count == 3
