"""What tests of the window share: how it ends, closed and without a question left open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from annotator.ui.app.main_window import MainWindow


def close(window: MainWindow) -> None:
    """Close a window for good; fails if closing asked something, which nobody would answer."""
    from annotator.ui.app.project_acts import ProjectActs

    # A question that nobody answers would keep the suite waiting for ever.
    asked: list[tuple[object, ...]] = []

    def never(_acts: ProjectActs, *question: object) -> bool:
        asked.append(question)
        return True

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ProjectActs, "_ask", never)
        window.close()
    window.deleteLater()
    assert not asked, f"closing the window asked: {asked}"
