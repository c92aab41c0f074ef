"""The Runs page against a server: forecast, queue, pause, stop, errors, one request, settings, scores."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotator.base.errors import KnownError
from annotator.llm.client import RetryPolicy
from annotator.model.rows.judging_rows import CandidatePair
from annotator.services.criterion import revisions
from annotator.services.judge import blind_judging
from annotator.services.judge.blind_judging import NewStudy
from annotator.services.runs import run_control, run_list
from annotator.services.select import triage
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.runs.run_detail import FACES
from annotator.ui.widgets.table import DataTable
from tests.llm.batch_desk import BatchDesk
from tests.llm.server import Server
from tests.llm.server import running as serving
from tests.windows import Wait, open_page, open_store


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr("annotator.llm.client.RetryPolicy", lambda: RetryPolicy(attempts=2, first_s=0.01))
    made = Server(delay_s=0.02)
    with serving(made):
        yield made


@pytest.fixture
def page(window: MainWindow, wait: Wait) -> Any:
    found = open_page(window, "Runs")
    wait(lambda: found.table.row_count() == 3)
    return found


def _fill(page: Any, server: Server, model: str = "new-model", **small: str) -> None:
    page.form.model.setText(model)
    page.form.endpoint.setEditText(server.url)
    for name, text in small.items():
        page.form.small_fields[name].setText(text)


def _rows(table: DataTable) -> list[list[str]]:
    model = table.model()
    return [[model.index(row, at).data() for at in range(model.columnCount())] for row in range(model.rowCount())]


def test_a_forecast_then_a_run_to_its_end(window: MainWindow, page: Any, server: Server, wait: Wait) -> None:
    _fill(page, server, samples="2", price_in="1", price_out="2", jobs="4")
    wait(lambda: "42 calls (21 items, 2 each)" in page.form.forecast.text())
    assert "USD" in page.form.forecast.text() and server.counts.requests == 0
    page.context.actions.action("runs.start").trigger()
    wait(lambda: page.table.row_count() == 4)
    wait(lambda: _rows(page.table)[0][3] == "done")
    assert _rows(page.table)[0][0] == "new-model" and _rows(page.table)[0][4] == "42 of 42"
    wait(lambda: "Run of new-model done: 42 of 42" in window.status.message.text())
    assert page.table.currentIndex().row() == 0, "a run that was started is the one that is looked at"
    wait(lambda: page.detail.table.row_count() == 21)
    assert "42 of 42 answered" in page.detail.numbers.text() and "USD" in page.detail.numbers.text()
    # The same again is known.
    page.form.small_fields["cap"].setText("5")
    wait(lambda: "42 already answered" in page.form.forecast.text())


def test_a_rater_of_a_blind_study_reads_why_answers_are_hidden(window: MainWindow, page: Any, wait: Wait) -> None:
    store = open_store(window)
    subject = triage.accepted_subjects(store)[0].id
    pair = CandidatePair(subject_id=subject, text_a="one", text_b="two", facts_a={}, facts_b={})
    study = NewStudy(name="pilot", kind="response", name_a="a", name_b="b", raters=(store.annotator.name,))
    page.table.select(1)
    page.detail.faces.choose(FACES.index("Requests"))
    wait(lambda: page.detail.text.toPlainText() != "")
    blind_judging.create_blind_study(store, study, [pair])
    page.detail.load_face()
    wait(lambda: not page.detail.text.toPlainText())
    page.detail.faces.choose(FACES.index("Items"))
    wait(lambda: "rater of the blind study pilot" in page.detail.table.empty_text)
    assert page.detail.table.row_count() == 0
    page.detail.faces.choose(FACES.index("Settings"))
    wait(lambda: page.detail.settings.row_count() > 0)
    assert "pilot" not in page.detail.table.empty_text
    results = open_page(window, "Results")
    wait(lambda: "rater of the blind study pilot" in results.items.empty_text)
    assert not window.error_bar.isVisible()


def test_a_batch_from_the_form_says_its_price_and_how_far_it_is(page: Any, server: Server, wait: Wait) -> None:
    server.batches = BatchDesk(looks=10**6)
    _fill(page, server, samples="2", price_in="1", price_out="2")
    page.form.batch.click()
    wait(lambda: "within a day, in batches" in page.form.forecast.text())
    assert "in batches (0.5 times the price)" in page.form.forecast.text()
    page.context.actions.action("runs.start").trigger()
    wait(lambda: page.table.row_count() == 4)
    page.table.select(0)
    wait(lambda: "The endpoint is processing a batch: 0 of 42 requests" in page.detail.numbers.text())
    server.batches.looks = 1
    wait(lambda: _rows(page.table)[0][3] == "done")
    assert _rows(page.table)[0][4] == "42 of 42" and server.counts.requests == 0


def test_a_connection_is_tested_before_anything_is_started(page: Any, server: Server, wait: Wait) -> None:
    _fill(page, server, samples="2")
    page.form.test_button.click()
    wait(lambda: "served-new-model answered in" in page.form.forecast.text())
    assert "Limits of the endpoint: limit-requests 500" in page.form.forecast.text()
    server.probe_faults = lambda key, attempt: "403"
    page.form.test_button.click()
    wait(lambda: "does not allow this" in page.form.forecast.text())
    assert server.counts.requests == 0 and page.table.row_count() == 3


def test_a_forecast_is_made_when_the_form_changes_and_when_a_run_ends(
    page: Any, server: Server, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    from annotator.ui.pages.runs import run_form

    made: list[str] = []

    def counted(store: Any, wish: Any) -> Any:
        made.append(wish.model)
        return real(store, wish)

    real = run_form.forecast_entered_run
    monkeypatch.setattr(run_form, "forecast_entered_run", counted)
    _fill(page, server, samples="1", jobs="2")
    wait(lambda: bool(made))
    before = len(made)
    for _ in range(5):
        page.activate()
    page.form.request_start()
    wait(lambda: page.list.table.row_count() > 0 and _rows(page.table)[0][3] == "done")
    wait(lambda: len(made) == before + 1)


def test_what_does_not_fit_is_said_where_it_was_typed(page: Any, server: Server, wait: Wait) -> None:
    for name, text, words in (
        ("samples", "many", "samples"), ("temperature", "-1", "temperature"), ("cap", "5", "price"),
        ("jobs", "0", "Parallel"), ("test_timeout", "soon", "time limit"),
    ):  # fmt: skip
        _fill(page, server, **{name: text})
        page.form.request_start()
        wait(page.form.problem.isVisible)
        assert words in page.form.problem.text()
        page.form.small_fields[name].clear()
    page.form.key_name.setText("sk-abcdefghijklmnopqrstuv")
    page.form.request_start()
    wait(lambda: "looks like a key" in page.form.problem.text())
    page.form.key_name.clear()
    page.form.model.clear()
    page.form.request_start()
    wait(lambda: "model" in page.form.problem.text())
    assert page.table.row_count() == 3 and server.counts.requests == 0


def test_pausing_stopping_and_going_on_with_another_in_the_queue(page: Any, server: Server, wait: Wait) -> None:
    server.delay_s = 0.05
    _fill(page, server, samples="10", jobs="4")
    page.form.request_start()
    wait(lambda: page.table.row_count() == 4)
    wait(lambda: server.counts.requests > 8)
    _fill(page, server, "second", samples="1")
    page.form.request_start()
    wait(lambda: page.table.row_count() == 5)
    wait(lambda: [row[3] for row in _rows(page.table)[:2]] == ["queued", "running"])
    page.table.select(1)
    wait(page.list.pause_button.isEnabled)
    page.context.actions.action("runs.pause").trigger()
    wait(lambda: _rows(page.table)[1][3] == "paused")
    wait(lambda: server.counts.open == 0)
    asked = server.counts.requests
    page.list.pause_button.click()
    wait(lambda: server.counts.requests > asked)
    page.list.stop_button.click()
    wait(lambda: _rows(page.table)[1][3] == "stopped")
    # What came in was kept, and the one that waited had its turn.
    wait(lambda: _rows(page.table)[0][3] == "done")
    store = page.session.store
    kept = run_list.list_runs(store)[1]
    assert 0 < kept.answered < 210
    page.table.select(1)
    wait(page.list.resume_button.isEnabled)
    page.list.resume_button.click()
    wait(lambda: _rows(page.table)[1][3] == "done")
    assert run_list.list_runs(store)[1].answered == 210
    assert all(count == 1 for count in server.counts.answered.values())


def test_failures_by_cause_one_request_and_a_retry(page: Any, server: Server, wait: Wait) -> None:
    server.faults = lambda key, attempt: "unfinished" if key[0] < "4" else ""
    _fill(page, server, samples="3")
    page.form.request_start()
    wait(lambda: page.table.row_count() == 4)
    wait(lambda: _rows(page.table)[0][3] == "done")
    page.table.select(0)
    wait(lambda: "without an answer" in page.detail.numbers.text())
    assert "Retry to complete them" in page.detail.reason.text()
    page.detail.faces.choose(1)
    wait(lambda: page.detail.errors.row_count() == 1)
    assert _rows(page.detail.errors)[0][:2] == ["no answer", "broken stream"]
    page.detail.faces.choose(2)
    wait(lambda: page.detail.requests.row_count() == 63)
    wait(lambda: "broke off" in page.detail.text.toPlainText())
    page.detail.requests.select(62)
    wait(lambda: "[user]" in page.detail.text.toPlainText() and "[answer]" in page.detail.text.toPlainText())
    assert "request hash" in page.detail.facts.text()
    failed = sum(page.detail.run.failures.values())
    page.detail.search.setText("Broke OFF")
    wait(lambda: page.detail.requests.row_count() == failed)
    page.detail.search.setText("")
    wait(lambda: page.detail.requests.row_count() == 63)
    server.faults = lambda key, attempt: ""
    page.list.retry_button.click()
    wait(lambda: _rows(page.table)[0][4] == "63 of 63")
    wait(lambda: not page.list.retry_button.isEnabled())


@pytest.fixture
def alerts(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The windows attention was drawn to, while people are in another program."""
    found: list[object] = []
    monkeypatch.setattr(QApplication, "alert", lambda widget, *_: found.append(widget))
    monkeypatch.setattr(window, "isActiveWindow", lambda: False)
    return found


def test_the_window_calls_when_a_run_ends_or_breaks_off(
    window: MainWindow, page: Any, server: Server, wait: Wait, alerts: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(page, server, samples="1", jobs="4")
    page.form.request_start()
    wait(lambda: len(alerts) == 1)
    assert alerts == [window] and "Run of new-model done: 21 of 21" in window.status.message.text()
    # A run that another program takes away breaks off; that is said on the page as well.
    broken = Mock(side_effect=KnownError("The run broke off.", details=("a line",)))
    monkeypatch.setattr(run_control, "resume_execution", broken)
    page.form.request_start()
    wait(lambda: len(alerts) == 2)
    assert page.list.status_label.text() == "The run broke off.\na line"


def test_the_window_calls_when_recorded_answers_are_scored_or_cannot_be(
    window: MainWindow, page: Any, wait: Wait, alerts: list[object], tmp_path: Path
) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text("not json\n")
    page.replay(path)
    wait(lambda: len(alerts) == 1)
    path.write_text(json.dumps({"subject": "np-where", "model": "recorded", "response": "x"}) + "\n")
    page.replay(path)
    wait(lambda: len(alerts) == 2)
    assert alerts == [window, window]


def test_recorded_answers_are_shown_once_they_are_scored(page: Any, wait: Wait, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"subject": "np-where", "model": "recorded", "response": "x"}) + "\n")
    page.replay(path)
    wait(lambda: page.table.row_count() == 4)
    wait(lambda: page.table.model().index(page.table.currentIndex().row(), 0).data() == "recorded")


def test_the_time_limit_of_tests_is_set_where_a_run_is_set_up(
    page: Any, server: Server, wait: Wait, tmp_path: Path
) -> None:
    assert page.form.small_fields["test_timeout"].placeholderText() == "10"
    _fill(page, server, samples="1", test_timeout="3")
    page.form.request_start()
    wait(lambda: page.table.row_count() == 4)
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"subject": "np-where", "model": "recorded", "response": "x"}) + "\n")
    page.form.small_fields["test_timeout"].setText("2.5")
    page.replay(path)
    wait(lambda: page.table.row_count() == 5)
    limits = {run.model: run.settings["protocol"]["test_timeout_s"] for run in run_list.list_runs(page.store)}
    assert limits["new-model"] == 3 and limits["recorded"] == 2.5


def test_nobody_is_called_who_is_here(
    window: MainWindow, page: Any, server: Server, wait: Wait, alerts: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window, "isActiveWindow", lambda: True)
    _fill(page, server, samples="1", jobs="4")
    page.form.request_start()
    wait(lambda: "Run of new-model done: 21 of 21" in window.status.message.text())
    wait(lambda: not page.session.jobs)
    assert not alerts


def test_settings_side_by_side_and_scores_beside_each_other(page: Any, server: Server, wait: Wait) -> None:
    server.reply = lambda body, key: "flatnonzero(a > 0.25) of a tuple"
    for samples in ("1", "2"):
        _fill(page, server, samples=samples)
        page.form.request_start()
        wait(lambda number=int(samples): page.table.row_count() == 3 + number)
    wait(lambda: [row[3] for row in _rows(page.table)[:2]] == ["done", "done"])
    page.table.select(0)
    page.detail.faces.choose(3)
    page.detail.other.setCurrentIndex(1)
    wait(lambda: page.detail.settings.model().columnCount() == 4)
    differing = [row[0] for row in _rows(page.detail.settings) if row[3] == "differs"]
    assert differing == ["Decoding"]
    store = page.session.store
    revisions.save_criterion(store, "np-where", "grading:\n  keywords:\n    - content: no such words\n")
    page.detail.faces.choose(0)
    wait(lambda: page.detail.table.row_count() > 0)
    [item] = [row for row in page.detail.table.view_payloads() if "np-where" in row.key]
    page.detail.table.row_activated.emit(item)
    wait(lambda: {row.key for row in page.detail.requests.view_payloads()} == {item.key})
    wait(lambda: "scored as partial" in page.detail.facts.text())
    page.list.rescore_button.click()
    wait(lambda: "scored as fail" in page.detail.facts.text())
    wait(lambda: "Scored again" in page.status_label.text())
    page.detail.faces.choose(4)
    wait(lambda: page.detail.scores.row_count() == 2)
    page.detail.scores.select(0)
    page.detail.use_button.click()
    wait(lambda: _rows(page.detail.scores)[0][3] == "counts")


def test_closing_the_project_takes_in_what_is_on_the_wire(
    window: MainWindow, page: Any, server: Server, wait: Wait
) -> None:
    from annotator.services.project import projects

    server.delay_s = 0.1
    _fill(page, server, samples="20", jobs="8")
    page.form.request_start()
    wait(lambda: server.counts.requests > 16)
    path = window.session.store.path  # type: ignore[union-attr]
    window.session.close()
    store = projects.open_project(path)
    [row] = [item for item in run_list.list_runs(store) if item.model == "new-model"]
    assert row.state == "stopped" and not row.live
    assert row.answered == sum(server.counts.answered.values()) == server.counts.requests
    store.close()


def test_the_page_by_keyboard(page: Any, qtbot: QtBot, server: Server, wait: Wait) -> None:
    wait(page.window().isActiveWindow)
    page.form.model.setFocus()
    qtbot.keyClicks(page.form.model, "typed")
    page.form.endpoint.setEditText(server.url)
    qtbot.keyClick(page.form.model, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    wait(lambda: page.table.row_count() == 4)
    wait(lambda: _rows(page.table)[0][:1] == ["typed"] and _rows(page.table)[0][3] == "done")


def test_preset_endpoints_are_offered_and_none_is_chosen_unasked(page: Any, wait: Wait) -> None:
    endpoint = page.form.endpoint
    wait(lambda: endpoint.findData("anthropic") >= 0 and endpoint.findData("google") >= 0)
    assert not endpoint.currentText(), "it would ask for money"
    page.form.model.setText("m")
    page.form.small_fields["samples"].setText("1")
    endpoint.setEditText("anthropic")
    page.form.small_fields["temperature"].setText("1.5")
    wait(lambda: "lowers every temperature to 1" in page.form.forecast.text())


def test_endpoints_prices_and_templates_are_edited_in_revisions(page: Any, qtbot: QtBot, wait: Wait) -> None:
    from annotator.services.project import undo
    from annotator.services.runs import run_setups
    from annotator.ui.pages.runs.setup_dialog import SetupDialog

    dialog = SetupDialog(page.session, page.theme, page)
    dialog.show()
    store = page.session.store
    dialog.add_entry("local")
    dialog.save_text()
    wait(lambda: [row.name for row in run_setups.list_own_setups(store, "endpoint")] == ["local"])
    wait(lambda: page.form.endpoint.findData("local") >= 0)
    dialog.kinds.choose(2)
    wait(lambda: dialog.table.row_count() > 5)
    dialog.text.setPlainText("{")
    dialog.save_text()
    assert "not JSON" in dialog.status_label.text()
    dialog.text.setPlainText('{"user": "Kindly: {{prompt}} {{nonsense}}"}')
    dialog.save_text()
    wait(lambda: "nonsense" in dialog.status_label.text())
    dialog.text.setPlainText('{"user": "Kindly: {{prompt}}"}')
    dialog.save_text()
    wait(lambda: bool(run_setups.protocol_named(store, "plain").templates))
    wait(dialog.remove_button.isEnabled)
    dialog.remove_button.click()
    wait(lambda: not run_setups.protocol_named(store, "plain").templates)
    undo.undo_last_act(store)
    assert run_setups.protocol_named(store, "plain").templates[0].user == "Kindly: {{prompt}}"
    dialog.close()
    dialog.deleteLater()


def test_a_paused_run_has_one_button_to_go_on_and_a_failure_its_whole_text(
    page: Any, server: Server, wait: Wait
) -> None:
    server.faults = lambda key, attempt: "400" if int(key[:8], 16) % 4 == 0 else ""
    server.delay_s = 0.3
    _fill(page, server, samples="4", jobs="2")
    page.form.request_start()
    wait(lambda: page.table.row_count() == 4)
    page.table.select(0)
    wait(lambda: _rows(page.table)[0][3] == "running" and page.list.pause_button.isEnabled())
    assert page.list.pause_button.isVisible() and not page.list.resume_button.isVisible()
    page.pause_run()
    wait(lambda: page.list.pause_button.text() == "Resume")
    assert not page.list.resume_button.isVisible()
    server.delay_s = 0.0
    page.pause_run()
    wait(lambda: _rows(page.table)[0][3] == "done")
    wait(page.list.resume_button.isVisible)
    page.detail.faces.choose(1)
    wait(lambda: page.detail.errors.row_count() > 0)
    page.detail.errors.select(0)
    wait(lambda: page.detail.example.text().endswith("scripted 400"))
