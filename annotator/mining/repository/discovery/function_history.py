"""When a repository and a function of it began and were last changed, by its history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from annotator.mining.repository.discovery.git_store import GitStore, ask_git, borrow_objects, is_bare

FUNCTION_SECONDS = 20.0
_MOVES = 6
"""How often a function is followed to another file."""
_MOVED_SHARE = 0.8
"""Share of lines that must have stood elsewhere for a function to have come from there."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit and its date."""

    name: str
    date: str


@dataclass(frozen=True, slots=True)
class _LineSpan:
    """Some lines of a file, from 1, both included."""

    path: str
    first: int
    last: int


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
        return min(dates, default="")

    @property
    def last_commit(self) -> str:
        """When the revision was committed."""
        return self.store.ask("log", "-1", "--format=%cI", self.revision).strip()

    def lines_of(self, path: str) -> list[str]:
        """Return the lines of a file at the revision, none if it is not there."""
        text = self.store.ask("cat-file", "blob", f"{self.revision}:{self._full(path)}")
        return text.removeprefix("\ufeff").split("\n") if text else []

    def commits_of(self, path: str, first: int, last: int) -> tuple[Commit, Commit] | None:
        """Return the first and the last commit that changed some lines (from 1); None where that is not known.

        Lines that came from another file are followed there; a commit that only moved them did not change them.
        """
        if self.store.is_shallow:
            return None
        revision, place = self.revision, _LineSpan(self._full(path), first, last)
        commits = self._changes_of(revision, place)
        for _ in range(_MOVES):
            origin = self._origin_of(revision, place, commits[-1].name) if commits else None
            if origin is None:
                break
            place, is_whole = origin
            revision = f"{commits[-1].name}^"
            changes = self._changes_of(revision, place)
            if not changes:
                break
            commits = [*(commits[:-1] if is_whole else commits), *changes]
        return (commits[-1], commits[0]) if commits else None

    def _changes_of(self, revision: str, place: _LineSpan) -> list[Commit]:
        """Return the commits that changed some lines while they stood in one file, the last first."""
        options = ("--no-patch", "--no-ext-diff", "--no-textconv", "--format=%H %cI")
        line_range = f"-L{place.first},{place.last}:{place.path}"
        log_text = self.store.ask("log", *options, line_range, revision, seconds=FUNCTION_SECONDS)
        return [Commit(*line.split()) for line in log_text.splitlines() if line]

    def _origin_of(self, revision: str, place: _LineSpan, commit: str) -> tuple[_LineSpan, bool] | None:
        """Return where lines that a commit added to a file stood before, and whether all did; None if too few did.

        Lines that still stand there after the commit were copied: what it added is new.
        """
        lines = self._blame("-C10", f"{commit}^..{revision}", place)
        moved = [line for line in lines if line.is_older]
        if not moved or len(moved) < _MOVED_SHARE * len(lines):
            return None
        path, _ = Counter(line.path for line in moved).most_common(1)[0]
        numbers = [line.number for line in moved if line.path == path]
        source = _LineSpan(path, min(numbers), max(numbers))
        left = self._blame("--reverse", f"{commit}^..{commit}", source)
        gone = [line for line in left if line.is_older or line.path != path]
        if not gone or len(gone) < _MOVED_SHARE * len(left):
            return None
        return source, len(moved) == len(lines)

    def _blame(self, option: str, revisions: str, place: _LineSpan) -> list[_BlamedLine]:
        """Return what ``git blame`` says of some lines, blank ones left out."""
        options = (option, "-w", "--line-porcelain", f"-L{place.first},{place.last}")
        report = self.store.ask("blame", *options, revisions, "--", place.path, seconds=FUNCTION_SECONDS)
        return [line for line in _read_blame(report) if line.text.strip()]

    def _full(self, path: str) -> str:
        return f"{self.prefix}/{path}" if self.prefix else path


@dataclass(frozen=True, slots=True)
class _BlamedLine:
    """A line with its place where it was written; ``is_older`` if that was before the commits that were asked about.

    In reverse it is where and when it was seen last.
    """

    text: str
    path: str
    number: int
    is_older: bool


def _read_blame(report: str) -> Iterator[_BlamedLine]:
    """Yield the lines of what ``git blame --line-porcelain`` reports."""
    fields: list[str] = []
    for line in report.split("\n"):
        if not line.startswith("\t"):
            fields.append(line)
            continue
        path = next((field.removeprefix("filename ") for field in fields if field.startswith("filename ")), "")
        yield _BlamedLine(line[1:], path, int(fields[0].split()[1]), "boundary" in fields)
        fields = []


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
