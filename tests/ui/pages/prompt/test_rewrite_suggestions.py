"""Suggested rewrites in the window: asked for, read beside the rewrite, taken into the fields, and saved."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from annotator.services import suggestions
from annotator.services.program import sandbox
from annotator.services.project import projects
from annotator.services.prompt import rewrites
from annotator.services.sources import imports
from annotator.ui.pages.prompt.rewrite_dialog import RewriteDialog
from tests.llm.server import Server, running
from tests.samples import load_samples
from tests.services.prompt import test_suggested_rewrites as rewriting
from tests.services.prompt.chat_model import ChatModel
from tests.windows import window_on

SAMPLES: dict[str, Any] = load_samples(rewriting.__file__)
GOOD: dict[str, str] = SAMPLES["good"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    row = {"id": "cut", "title": "Cut", "prompt": "Cut a line at its commas.", "reference": rewriting.CODE,
           "language": "python", "entry_point": "cut"}  # fmt: skip
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    store = projects.create_project(tmp_path / "p.annotator", "Demo", "Ada")
    imports.import_paths(store, "jsonl", [tmp_path / "rows.jsonl"])
    store.close()
    return tmp_path / "p.annotator"


@pytest.fixture(autouse=True)
def bench(monkeypatch: pytest.MonkeyPatch) -> rewriting.Bench:
    made = rewriting.Bench()
    monkeypatch.setattr(sandbox, "open_sandbox", lambda **_: nullcontext((made, None)))
    return made


def test_a_suggestion_is_asked_for_taken_changed_and_saved(qtbot: Any, project: Path) -> None:
    model = ChatModel({step: (text,) for step, text in GOOD.items()})
    server = Server(reply=lambda body, _: model.reply(body["messages"][-1]["content"]))
    with running(server), window_on(qtbot, project, "Prompt") as window:
        dialog = RewriteDialog(window, window.pages.context, "cut")
        dialog.open_once()
        beside = dialog.suggestions
        qtbot.waitUntil(lambda: dialog.view is not None and "No suggestion yet" in beside.text.toPlainText())
        assert not beside.take_button.isEnabled()
        beside.endpoint.setEditText(server.url)
        beside.model.setEditText("m")
        beside.ask_button.click()
        qtbot.waitUntil(lambda: beside.table.row_count() == 1, timeout=15_000)
        assert "## Requirement" in beside.text.toPlainText() and "Cut: C++: agrees" in beside.progress.text()
        assert dialog.panes.paraphrase() == "Cut a line at its commas.", "it lies beside and changes nothing"
        beside.part.setCurrentIndex(beside.part.findData("tests"))
        beside.take_button.click()
        qtbot.waitUntil(lambda: len(dialog.table.cells()) == 6)
        assert dialog.faces.current == 2 and dialog.panes.paraphrase() == "Cut a line at its commas."
        beside.part.setCurrentIndex(0)
        beside.take_button.click()
        qtbot.waitUntil(lambda: dialog.panes.paraphrase().startswith("Split a record"))
        assert dialog.signatures.item(5, 0).text() == "cut(text: String, sign: String) -> List<String>"
        assert dialog.signatures.item(0, 0).text() == "cut(text: str) -> list", "the mined signature stays"
        store = window.session.store
        assert store is not None and not rewrites.load_rewrite(store, "cut").saved
        dialog.panes.editor.setPlainText("Divide a record wherever a sign stands.")
        dialog.save(False)
        qtbot.waitUntil(lambda: rewrites.load_rewrite(store, "cut").saved)
        work = rewrites.load_rewrite(store, "cut").work
        assert work.rewrite.requirement.startswith("Divide") and len(work.references) == 5
        assert [item.meaning for item in work.rewrite.after.parameters] == ["the record", "where it is cut"]
        qtbot.waitUntil(lambda: suggestions.find_suggestions(store, "cut")[0].state == "accepted")
        dialog.reject()


def test_an_endpoint_that_does_not_answer_is_told(qtbot: Any, project: Path) -> None:
    with window_on(qtbot, project, "Prompt") as window:
        dialog = RewriteDialog(window, window.pages.context, "cut")
        dialog.open_once()
        beside = dialog.suggestions
        qtbot.waitUntil(lambda: dialog.view is not None)
        beside.endpoint.setEditText("http://127.0.0.1:1/v1")
        beside.model.setEditText("m")
        beside.ask_button.click()
        qtbot.waitUntil(lambda: "cannot be reached" in beside.problem.text(), timeout=15_000)
        qtbot.waitUntil(lambda: beside.ask_button.isEnabled())
        dialog.reject()
