"""The window's state in QSettings: geometry, last page, layouts of pages, recent projects.

The user's settings, such as look and text size, are in `annotator.base.settings`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QSettings

from annotator.base.addresses import Place, parse_place
from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash

MAX_RECENT = 8


class WindowState:
    """Reads and writes the window's state; invalid values are ignored."""

    def __init__(self, store: QSettings | None = None) -> None:
        """Use the platform's settings for this application, or ``store``."""
        self._store = store if store is not None else QSettings("annotator", "annotator")

    @property
    def geometry(self) -> QByteArray | None:
        """The window's size and position in Qt's binary format."""
        value = self._store.value("window/geometry")
        return value if isinstance(value, QByteArray) else None

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self._store.setValue("window/geometry", value)

    @property
    def last_page(self) -> str:
        """The name of the last page, or an empty text."""
        return self._text("window/page")

    @last_page.setter
    def last_page(self, value: str) -> None:
        self._store.setValue("window/page", value)

    def page_state(self, name: str, project: Place | None = None) -> dict[str, Any]:
        """Return a page's saved state for a project, else that of the last project."""
        for key in (_page_key(name, project), _page_key(name, None)):
            try:
                value = json.loads(self._text(key))
            except ValueError:
                continue
            if isinstance(value, dict):
                return value
        return {}

    def set_page_state(self, name: str, state: dict[str, Any], project: Place | None = None) -> None:
        """Save the result of a page's ``state()``; raises TypeError if it is not plain JSON."""
        self._store.setValue(_page_key(name, project), json.dumps(state))

    def recent(self) -> tuple[Place, ...]:
        """Return the recent projects, newest first: files that still exist, and server addresses."""
        try:
            value = json.loads(self._text("projects/recent"))
        except ValueError:
            return ()
        if not isinstance(value, list):
            return ()
        places = [_existing_place(item) for item in value if isinstance(item, str)]
        return tuple(item for item in places if item is not None)

    def add_recent(self, path: Place) -> None:
        """Put a project at the top of the recent ones."""
        path = path.resolve() if isinstance(path, Path) else path
        others = [other for other in self.recent() if other != path]
        recent = [path, *others][:MAX_RECENT]
        self._store.setValue("projects/recent", json.dumps([str(item) for item in recent]))

    def forget_last(self) -> None:
        """Forget the last project, so that the next start shows the welcome screen."""
        self._store.remove("projects/last")

    @property
    def last_project(self) -> Place | None:
        """The project that was open last, if it still exists."""
        text = self._text("projects/last")
        return _existing_place(text) if text else None

    @last_project.setter
    def last_project(self, path: Place) -> None:
        self._store.setValue("projects/last", str(path.resolve() if isinstance(path, Path) else path))

    @property
    def last_folder(self) -> Path | None:
        """The folder used last in a file dialog."""
        text = self._text("files/folder")
        return Path(text) if text else None

    @last_folder.setter
    def last_folder(self, folder: Path) -> None:
        self._store.setValue("files/folder", str(folder))

    @property
    def is_tour_seen(self) -> bool:
        """Whether the tour was shown, so that it does not start automatically again."""
        return self._text("window/tour") == "seen"

    @is_tour_seen.setter
    def is_tour_seen(self, value: bool) -> None:
        self._store.setValue("window/tour", "seen" if value else "")

    def sync(self) -> None:
        """Write pending settings to disk."""
        self._store.sync()

    def _text(self, key: str) -> str:
        value = self._store.value(key, "")
        return value if isinstance(value, str) else ""


def _page_key(name: str, project: Place | None) -> str:
    if project is None:
        return f"pages/{name}"
    return f"projects/{content_hash(str(project))[:16]}/{name}"


def _existing_place(text: str) -> Place | None:
    """Parse the place of a project; return None for a missing file or an invalid address."""
    try:
        parsed = parse_place(text)
    except BadInputError:
        return None
    return parsed if not isinstance(parsed, Path) or parsed.is_file() else None
