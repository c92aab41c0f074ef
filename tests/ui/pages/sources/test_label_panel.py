"""Labels from other tools in the window: shown, chosen and imported where candidates are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tests.windows import Wait, open_page

if TYPE_CHECKING:
    from annotator.ui.app.main_window import MainWindow


def _export(folder: Path) -> Path:
    path = folder / "export.json"
    annotations = [
        {
            "completed_by": person,
            "created_at": "2024-03-01T10:00:00Z",
            "result": [{"from_name": "quality", "type": "choices", "value": {"choices": [value]}}],
        }
        for person, value in (("Ana", "keep"), (None, "gut"))
    ]
    path.write_text(json.dumps([{"id": 1, "data": {"question": "What is a set?"}, "annotations": annotations}]))
    return path


def test_labels_are_shown_chosen_and_imported(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = open_page(window, "Sources")
    page.preview_paths([_export(tmp_path)])
    panel = page.labels
    wait(lambda: panel.isVisible())
    assert not page.preview.isVisible() and "Label Studio" in panel.heading.text()
    assert list(panel.boxes) == ["quality"] and not panel.take.isEnabled()
    # Nothing is guessed for a question with a value of its own: its two answers are named.
    assert panel.left_out.toPlainText().count("nothing was chosen") == 2
    box = panel.boxes["quality"]
    box.setCurrentIndex(box.findData("decision"))
    panel.add.setChecked(True)
    panel.words.setText("gut=accept")
    panel.person.setText("Bo, Ana=Ann")
    assert (panel.choices().person, panel.choices().people) == ("Bo", {"Ana": "Ann"})
    assert panel.study.isHidden(), "a study is made of comparisons only"
    panel.person.editingFinished.emit()
    wait(lambda: panel.take.isEnabled() and "Bo" in panel.people.text())
    panel.take.click()
    wait(lambda: "2 labels added" in page.report.text())
    assert "Ann" in page.report.text() and not panel.isVisible()
