"""When a repository and a function of it began and were last changed, by its history."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from annotator.mining.repository.discovery.git_store import GitStore, ask_git, borrow_objects, is_bare

FUNCTION_SECONDS = 20.0
_COMMIT = re.compile(r"^([0-9a-f]{40,64}) (\d{4}-\d\d-\d\dT\S+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit and its date."""

    name: str
    date: str


@dataclass(frozen=True, slots=True)
class RepositoryHistory:
    """The commits up to a revision; ``prefix`` is the folder in the repository that was read, empty for the whole."""

    store: GitStore
    revision: str
    prefix: str = ""

    @property
    def first_commit(self) -> str:
        """When the repository began, empty where the history was cut off."""
        if self.store.is_shallow:
            return ""
        dates = self.store.ask("log", "--max-parents=0", "--format=%cI", self.revision).split()
        return min((date for date in dates if re.match(r"\d{4}-\d\d-\d\dT", date)), default="")

    @property
    def last_commit(self) -> str:
        """When the revision was committed."""
        return self.store.ask("log", "-1", "--format=%cI", self.revision).strip()

    def lines_of(self, path: str) -> list[str]:
        """Return the lines of a file at the revision, none if it is not there."""
        text = self.store.ask("cat-file", "blob", f"{self.revision}:{self._full(path)}")
        return text.removeprefix("\ufeff").split("\n") if text else []

    def commits_of(self, path: str, first: int, last: int) -> tuple[Commit, Commit] | None:
        """Return the first and the last commit that changed some lines (from 1); None where that is not known."""
        if self.store.is_shallow:
            return None
        line_range = f"-L{first},{last}:{self._full(path)}"
        options = ("--no-patch", "--no-ext-diff", "--no-textconv", "--format=%H %cI")
        log_text = self.store.ask("log", *options, line_range, self.revision, seconds=FUNCTION_SECONDS)
        commits = [Commit(*match.groups()) for match in _COMMIT.finditer(log_text)]
        return (commits[-1], commits[0]) if commits else None

    def _full(self, path: str) -> str:
        return f"{self.prefix}/{path}" if self.prefix else path


@contextmanager
def open_history(root: Path) -> Iterator[RepositoryHistory | None]:
    """Open the history of a folder: a work tree, a tracked folder in one, or a bare repository."""
    location = _top_of(root)
    if location is None:
        yield None
        return
    top, prefix = location
    with borrow_objects(top) as borrowed:
        if borrowed is None:
            yield None
            return
        store, head = borrowed
        if prefix and store.ask("cat-file", "-t", f"{head}:{prefix}").strip() != "tree":
            # The folder lies in a work tree that does not track it, so the history is not its own.
            yield None
            return
        yield RepositoryHistory(store, head, prefix)


def _top_of(root: Path) -> tuple[Path, str] | None:
    """Return the top of the work tree that contains a folder, and the folder's path below it."""
    folder = root.resolve()
    if is_bare(folder):
        return folder, ""
    for top in (folder, *folder.parents):
        mark = top / ".git"
        if mark.is_symlink():
            return None
        if mark.exists():
            prefix = folder.relative_to(top).as_posix()
            inside = ask_git(top, "rev-parse", "--is-inside-work-tree").strip() == "true"
            return (top, "" if prefix == "." else prefix) if inside else None
    return None
