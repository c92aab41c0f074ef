"""Two answers are the same where the scorer would run the same code, whatever is said around it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from annotator.services.judge import identical_answers
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import stored_runs
from tests.services.results.test_result_tables import build

_ITEM = {
    "language": "python",
    "entry_point": "twice",
    "prompt": "Double x.",
    "reference": "def twice(x):\n    return 2 * x",
}
_CODE = "def twice(x):\n    return x + x\n"


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (_CODE, True),
        (f"Here you go:\n\n```python\n{_CODE}```\nIt adds x to itself.", True),
        (f"<think>2 * x?</think>```py\r\n{_CODE}```", True),
        (f"```python\n{_CODE.replace('x + x', '2 * x')}```", False),
        ("I cannot help with that.", False),
    ],
)
def test_programs_are_compared_as_they_are_scored(
    store: ProjectFile, monkeypatch: pytest.MonkeyPatch, other: str, same: bool
) -> None:
    monkeypatch.setattr(stored_runs, "answered_item", lambda _db, response: _ITEM if response else None)
    one = (f"```python\n{_CODE}```", {"response": "one"})
    with store.read() as db:
        assert identical_answers.are_identical(db, "response", one, (other, {"response": "two"})) is same
        assert not identical_answers.are_identical(db, "response", (one[0], {}), (f"Sure. {one[0]}", {}))


def test_an_item_is_found_by_its_response(tmp_path: Path) -> None:
    with closing(build(tmp_path, 1, 2, 1)) as made, made.read() as db, made.reader() as connection:
        [[first], *_] = connection.execute("SELECT id FROM response").fetchall()
        item = stored_runs.answered_item(db, first)
        assert item is not None and item == stored_runs.fetch_response(db, first)[3]
        assert stored_runs.answered_item(db, "nonsense") is None
