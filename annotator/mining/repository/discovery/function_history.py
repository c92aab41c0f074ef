"""Date a repository and its functions by the git history: first and last commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from annotator.mining.repository.discovery.git_store import GitStore, ask_git, borrow_objects, is_bare

FUNCTION_TIMEOUT_S = 20.0
_MAX_MOVES = 6
"""Number of times that a function is followed to another file."""
_MOVED_SHARE = 0.8
"""Share of a function's lines that must come from another place for it to count as moved from there."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit and its date."""

    name: str
    date: str


@dataclass(frozen=True, slots=True)
class _LineSpan:
    """A range of lines of a file, counted from 1, both ends included."""

    path: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class RepositoryHistory:
    """The commits up to a revision; ``prefix`` is the mined folder in the repository, empty for the whole."""

    store: GitStore
    revision: str
    prefix: str = ""

    @property
    def first_commit(self) -> str:
        """The date of the first commit, empty for a shallow clone."""
        if self.store.is_shallow:
            return ""
        dates = self.store.ask("log", "--max-parents=0", "--format=%cI", self.revision).split()
        return min(dates, default="")

    @property
    def last_commit(self) -> str:
        """The date of the revision."""
        return self.store.ask("log", "-1", "--format=%cI", self.revision).strip()

    def lines_of(self, path: str) -> list[str]:
        """Return the lines of a file at the revision, none if it does not exist."""
        text = self.store.ask("cat-file", "blob", f"{self.revision}:{self._repository_path(path)}")
        return text.removeprefix("\ufeff").split("\n") if text else []

    def commits_of(self, path: str, first: int, last: int) -> tuple[Commit, Commit] | None:
        """Return the first and the last commit that changed a range of lines (from 1); None if unknown.

        Lines that came from another file are followed there; a commit that only moved them did not change them.
        """
        if self.store.is_shallow:
            return None
        revision, span = self.revision, _LineSpan(self._repository_path(path), first, last)
        commits = self._find_changes(revision, span)
        for _ in range(_MAX_MOVES):
            origin = self._find_origin(revision, span, commits[-1].name) if commits else None
            if origin is None:
                break
            span, is_whole = origin
            revision = f"{commits[-1].name}^"
            changes = self._find_changes(revision, span)
            if not changes:
                break
            commits = [*(commits[:-1] if is_whole else commits), *changes]
        return (commits[-1], commits[0]) if commits else None

    def _find_changes(self, revision: str, span: _LineSpan) -> list[Commit]:
        """Return the commits that changed a range of lines while it was in this file, newest first."""
        options = ("--no-patch", "--no-ext-diff", "--no-textconv", "--format=%H %cI")
        line_range = f"-L{span.first},{span.last}:{span.path}"
        log_text = self.store.ask("log", *options, line_range, revision, seconds=FUNCTION_TIMEOUT_S)
        return [Commit(*line.split()) for line in log_text.splitlines() if line]

    def _find_origin(self, revision: str, span: _LineSpan, commit: str) -> tuple[_LineSpan, bool] | None:
        """Return where the lines that a commit added were moved from, and whether all were; None if too few were.

        Lines that are still at the old place after the commit were copied, so the added ones count as new.
        """
        lines = self._blame("-C10", f"{commit}^..{revision}", span)
        moved = [line for line in lines if line.is_older]
        if not moved or len(moved) < _MOVED_SHARE * len(lines):
            return None
        path, _ = Counter(line.path for line in moved).most_common(1)[0]
        numbers = [line.number for line in moved if line.path == path]
        source = _LineSpan(path, min(numbers), max(numbers))
        source_lines = self._blame("--reverse", f"{commit}^..{commit}", source)
        gone = [line for line in source_lines if line.is_older or line.path != path]
        if not gone or len(gone) < _MOVED_SHARE * len(source_lines):
            return None
        return source, len(moved) == len(lines)

    def _blame(self, option: str, revisions: str, span: _LineSpan) -> list[_BlamedLine]:
        """Return the output of ``git blame`` for a range of lines, without blank lines."""
        options = (option, "-w", "--line-porcelain", f"-L{span.first},{span.last}")
        report = self.store.ask("blame", *options, revisions, "--", span.path, seconds=FUNCTION_TIMEOUT_S)
        return [line for line in _read_blame(report) if line.text.strip()]

    def _repository_path(self, path: str) -> str:
        return f"{self.prefix}/{path}" if self.prefix else path


@dataclass(frozen=True, slots=True)
class _BlamedLine:
    """A line and where it was written; ``is_older`` if that was before the blamed range of commits.

    With ``--reverse`` it is where the line existed last.
    """

    text: str
    path: str
    number: int
    is_older: bool


def _read_blame(report: str) -> Iterator[_BlamedLine]:
    """Parse the output of ``git blame --line-porcelain``."""
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
    location = _find_work_tree(root)
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


def _find_work_tree(root: Path) -> tuple[Path, str] | None:
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
