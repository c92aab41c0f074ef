"""Repositories on the Sources page: mined one after the other, paused, cancelled, gone on with, and taken."""

from __future__ import annotations

import io
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from annotator.jobs.progress import Progress
from annotator.model.vocabulary import Verdict
from annotator.services.project import undo
from annotator.services.select import triage
from annotator.services.sources import repository_mining
from annotator.services.sources.repository_mining import MiningOptions, MiningOutcome, MiningSource
from annotator.ui.app.main_window import MainWindow
from tests.llm.server import Server, running
from tests.windows import Wait, open_page

CODE = """import math


def spread(values):
    middle = sum(values) / len(values)
    total = sum((value - middle) ** 2 for value in values)
    return math.sqrt(total / len(values))


def short(x): return x + 1
"""
TESTS = """from stats import short, spread


def test_spread():
    assert spread([1, 1]) == 0


def test_short():
    assert short(1) == 2
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "stats-1.0"
    root.mkdir()
    (root / "stats.py").write_text(CODE)
    (root / "test_stats.py").write_text(TESTS)
    (root / "LICENSE").write_text("MIT License")
    return root


@pytest.fixture
def panel(window: MainWindow) -> Iterator[Any]:
    page = open_page(window, "Sources")
    page.ways.choose(3)
    found = page.panels.currentWidget()
    found.run_tests.setChecked(False)
    yield found


@pytest.fixture
def mined_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mine in a thread of this process: the process that mines is started by the test of all ways to the queue."""

    def mine(
        source: MiningSource, options: MiningOptions, progress: Progress, *, static_only: bool = False
    ) -> MiningOutcome:
        (outcome,) = repository_mining.mine_repositories([source], options, progress, static_only=static_only)
        return outcome

    monkeypatch.setattr(repository_mining, "mine_apart", mine)


def states(panel: Any) -> list[str]:
    return [entry.state for entry in panel.entries]


def test_from_a_folder_and_an_archive_to_the_queue(panel: Any, wait: Wait, repository: Path) -> None:
    archive = repository.parent / "more-2.tar.gz"
    with tarfile.open(archive, "w:gz") as bundle:
        for name, text in (("more/stats.py", CODE), ("more/test_stats.py", TESTS)):
            member = tarfile.TarInfo(name)
            member.size = len(text)
            bundle.addfile(member, io.BytesIO(text.encode()))
    assert panel.stack.currentWidget() is panel.empty
    panel.take_paths([repository, repository.parent / "gone", archive])
    wait(lambda: states(panel) == ["done", "failed", "done"])
    assert panel.list.row_count() == 3 and panel.detail.currentWidget() is panel.functions
    found = panel.functions
    assert "2 tests" in found.facts.text() and "stars: the number of stars is not known" in found.rules.text()
    assert found.filters.row_count() == 1 and found.table.row_count() == 2
    assert panel.entries[0].selected_names == {"stats.py::spread"}
    model = found.table.model()
    names = [model.headerData(number, Qt.Orientation.Horizontal) for number in range(model.columnCount())]
    assert [model.index(row, names.index("context")).data() for row in range(2)] == ["3", "1"]
    found.filters.select(0)
    wait(lambda: found.table.row_count() == 1)
    assert "short" in found.code.toPlainText() and "test_short" in found.other.toPlainText()
    assert found.why.text() == "lines: 1 line of code; at least 3 are required"
    assert found.pick.text() == "Add anyway"
    found.toggle()
    assert panel.entries[0].selected_names == {"stats.py::spread", "stats.py::short"}
    found.faces.choose(1)
    assert found.table.row_count() == 2
    found.take.click()
    wait(lambda: "2 candidates added" in panel.state.text())
    store = panel.session.store
    view = triage.load_subject(store, "repository:stats:stats.py:spread")
    assert view.tests and view.provenance["repository"] == "stats"
    taken = triage.load_subject(store, "repository:stats:stats.py:short")
    assert taken.extra["taken_against"][0]["name"] == "lines"
    panel.show_entry(panel.entries[1])
    assert "no folder gone" in panel.problem.text() and panel.again.text() == "Continue"
    panel.show_entry(panel.entries[2])
    assert panel.entries[2].selected_names == {"stats.py::spread"}


@pytest.mark.usefixtures("mined_here")
def test_sources_are_typed(panel: Any, wait: Wait, repository: Path) -> None:
    panel.source_field.setText("http://host.org/a https://host.org/b")
    panel.mine.click()
    assert "only https and ssh" in panel.state.text() and panel.entries == []
    spaced = repository.parent / "with spaces"
    repository.rename(spaced)
    panel.source_field.setText(str(spaced))
    panel.mine.click()
    assert panel.source_field.text() == ""
    wait(lambda: states(panel) == ["done"])
    assert [entry.source.name for entry in panel.entries] == ["with spaces"]
    empty = repository.parent / "empty"
    empty.mkdir()
    panel.source_field.setText(str(empty))
    panel.source_field.returnPressed.emit()
    wait(lambda: states(panel) == ["done", "done"])
    assert "it contains no readable Python files" in panel.functions.rules.text()


@pytest.mark.usefixtures("mined_here")
def test_pause_cancel_and_go_on(panel: Any, wait: Wait, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, passed, calls = repository_mining.mine_apart, threading.Event(), []

    def slow(path: Any, options: Any, progress: Progress, **rest: Any) -> Any:
        calls.append(path)
        while len(calls) == 1 and not passed.is_set():
            progress.report(1, 4, "running test_stats.py")
            passed.wait(0.02)
        return real(path, options, progress, **rest)

    monkeypatch.setattr(repository_mining, "mine_apart", slow)
    panel.take_paths([repository, repository])
    first = panel.entries[0]
    wait(lambda: first.job is not None and first.job.progress.done == 1)
    assert states(panel) == ["running", "waiting"]
    panel.toggle_pause()
    wait(lambda: panel.list.model().index(0, 1).data() == "paused 25%")
    assert panel.pause.text() == "Resume"
    panel.toggle_pause()
    wait(lambda: panel.list.model().index(0, 1).data() == "mining 25%")
    panel.cancel_shown()
    wait(lambda: states(panel) == ["cancelled", "done"])
    assert panel.again.isEnabled() and panel.again.text() == "Continue" and not panel.pause.isEnabled()
    panel.mine_again()
    wait(lambda: states(panel) == ["done", "done"])
    assert len(calls) == 3 and first.outcome.mined is not None


@pytest.mark.usefixtures("mined_here")
def test_a_benchmark_to_targets(panel: Any, wait: Wait, repository: Path) -> None:
    panel.faces.choose(1)
    wait(lambda: "known dependencies" in panel.subset.problem.text())
    panel.faces.choose(0)
    panel.take_paths([repository])
    wait(lambda: states(panel) == ["done"])
    panel.take_chosen()
    wait(lambda: "1 candidate added" in panel.state.text())
    subset = panel.subset
    subset.items.setValue(1)
    subset.propose()
    wait(lambda: subset.proposal is not None)
    assert subset.table.row_count() == 3 and subset.accept.text() == "Accept 1"
    subset.domains.add_share("network", 0.5)
    subset.propose()
    wait(lambda: "sum to 0.5" in subset.problem.text())
    assert not subset.accept.isEnabled()
    subset.domains.item(0, 1).setText("a lot")
    subset.propose()
    assert "a lot is not a share" in subset.problem.text()
    subset.domains.removeRow(0)
    subset.propose()
    wait(lambda: subset.accept.isEnabled())
    subset.accept_chosen()
    store = panel.session.store
    key = "repository:stats:stats.py:spread"
    wait(lambda: triage.load_subject(store, key).row.verdict == "accept")
    undo.undo_last_act(store)
    assert triage.load_subject(store, key).row.verdict != "accept"


@pytest.mark.usefixtures("mined_here")
def test_drafts_for_a_repository(window: MainWindow, panel: Any, wait: Wait, repository: Path) -> None:
    panel.take_paths([repository])
    wait(lambda: states(panel) == ["done"])
    panel.take_chosen()
    wait(lambda: "1 candidate added" in panel.state.text())
    store = panel.session.store
    key = "repository:stats:stats.py:spread"
    triage.decide_subjects(store, [key], Verdict.ACCEPT)
    panel.faces.choose(2)
    drafts = panel.suggestions
    wait(lambda: drafts.repository.findData("stats") > 0)
    drafts.repository.setCurrentIndex(drafts.repository.findData("stats"))
    drafts.ask.click()
    assert "Enter an endpoint" in drafts.state.text()
    server = Server(reply=lambda *_: "Say how far numbers lie apart.")
    with running(server):
        drafts.endpoint.setEditText(server.url)
        drafts.model.setText("m")
        drafts.ask.click()
        wait(lambda: drafts.table.row_count() == 1)
        assert drafts.text.toPlainText() == "Say how far numbers lie apart." and drafts.take.isEnabled()
        drafts.ask.click()
        wait(lambda: "already has a suggestion of this kind" in drafts.state.text())
    drafts.text.setPlainText("Give the spread.")
    [draft] = window.session.drafts.drafts
    drafts.reload()
    window.show_page("Select")
    window.show_draft(draft)
    wait(lambda: drafts.draft_bar.isVisible() or drafts.text.toPlainText() == "Give the spread.")
    drafts.take_suggestion()
    wait(lambda: not drafts.take.isEnabled() and drafts.text.isReadOnly())
    assert window.session.drafts.drafts == ()
    paraphrase = triage.load_subject(store, key).paraphrase
    assert paraphrase is not None and paraphrase.text == "Give the spread."
