"""Where file dialogs begin: beside the project, not wherever the program was started."""

from __future__ import annotations

from pathlib import Path

from annotator.ui.app.session.session import Session


def beside_project(session: Session, name: str = "") -> str:
    """Return the open project's folder, or a file of this name in it; the home folder where there is none."""
    store = session.store
    folder = Path.home() if store is None or store.shared else store.path.parent
    return str(folder / name)
