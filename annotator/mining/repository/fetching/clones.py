"""Fetch a commit from an address with git: only over https or ssh, no submodules, hooks or filters, with limits."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.ids import is_hex
from annotator.jobs.progress import Progress
from annotator.mining.repository.discovery.git_store import GitStore, git_command, git_environment, is_day, make_store

MAX_BYTES = 1024 * 1024 * 1024
FETCH_TIMEOUT_S = 1800.0
_POLL_SECONDS = 0.2
_BRANCHES_AND_TAGS = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")


@dataclass(frozen=True, slots=True)
class Clone:
    """A fetched repository: its objects, the requested commit, and whether it came without its history."""

    store: GitStore
    commit: str
    is_shallow: bool = False


class _LimitExceededError(Exception):
    """The fetch exceeded the size or time limit."""


@dataclass(frozen=True, slots=True)
class _GitOutput:
    succeeded: bool
    output: str


def fetch_commit(address: str, revision: str, folder: Path, progress: Progress, *, history: bool = True) -> Clone:
    """Fetch a commit, tag, branch or the last commit of a date (YYYY-MM-DD); the newest if none is named.

    Includes the history unless ``history`` is False or it is too large. Raises `BadInputError` if the revision does not
    exist, the server cannot be reached or a limit is exceeded, `MissingEnvironmentError` without git, `Cancelled` if
    cancelled.
    """
    if not git_command(["version"]):
        raise MissingEnvironmentError("git is not installed, so the repository cannot be fetched. Install git.")
    if history or is_day(revision):
        try:
            return _fetch(address, revision, _new_store(folder, "whole"), progress, ())
        except _LimitExceededError:
            if is_day(revision):
                raise BadInputError(_describe_limit(address)) from None
    try:
        clone = _fetch(address, revision, _new_store(folder, "shallow"), progress, ("--depth=1",))
    except _LimitExceededError:
        raise BadInputError(_describe_limit(address)) from None
    return Clone(clone.store, clone.commit, is_shallow=True)


def list_remote_tags(address: str) -> dict[str, str]:
    """Return the tags of a repository with their commits. Raises `BadInputError` if it cannot be reached."""
    with tempfile.TemporaryDirectory(prefix="annotator-tags-") as temporary:
        store = make_store(Path(temporary))
        git_output = _run_git(store, ["ls-remote", "--tags", "--quiet", "--", address], Progress(), seconds=60)
    if not git_output.succeeded:
        raise BadInputError(_describe_unreachable(address, git_output.output))
    tags = {}
    for line in git_output.output.splitlines():
        commit, _, name = line.partition("\t")
        if name.startswith("refs/tags/") and is_hex(commit, range(40, 65)):
            # The line with ^{} follows the tag's own line and holds its commit.
            tags[name.removeprefix("refs/tags/").removesuffix("^{}")] = commit
    return tags


def _new_store(folder: Path, name: str) -> GitStore:
    store_folder = folder / name
    store_folder.mkdir()
    return make_store(store_folder)


def _describe_limit(address: str) -> str:
    return (
        f"The repository at {address} is larger than {MAX_BYTES // 1024**2:,} MB or takes too long, so it was not "
        "mined. Clone it yourself and name the folder."
    )


def _describe_unreachable(address: str, output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip() and not line.startswith("hint:")]
    kinds = ("fatal: ", "error: ", "ERROR: ")
    message = next((line for line in lines if line.startswith(kinds)), lines[-1] if lines else "")
    reason = (message.partition(": ")[2] if message.startswith(kinds) else message)[:200].rstrip(". ")
    return (
        f"The repository at {address} could not be fetched ({reason or 'git failed'}). Check the address and the "
        "connection, or clone it yourself and name the folder."
    )


def _fetch(address: str, revision: str, store: GitStore, progress: Progress, options: tuple[str, ...]) -> Clone:
    reference = "HEAD" if not revision or is_day(revision) else revision
    git_output = _fetch_refs(store, address, (reference,), progress, options)
    commit = store.resolve("FETCH_HEAD") if git_output.succeeded else ""
    if not commit and is_hex(reference, range(4, 65)):
        # An abbreviated commit, or a server that does not serve commits by hash.
        git_output = _fetch_refs(store, address, _BRANCHES_AND_TAGS, progress, ())
        commit = store.resolve(reference)
        if git_output.succeeded and not commit:
            raise BadInputError(_describe_no_revision(address, revision))
    if not commit:
        missing = "couldn't find remote ref" in git_output.output or git_output.succeeded
        raise BadInputError(
            _describe_no_revision(address, revision)
            if missing and revision
            else _describe_unreachable(address, git_output.output)
        )
    if is_day(revision):
        commit = store.last_of_day(revision, commit)
        if not commit:
            raise BadInputError(f"The repository at {address} has no commit from {revision} or before.")
    return Clone(store, commit)


def _describe_no_revision(address: str, revision: str) -> str:
    return f"The repository at {address} has no commit, tag or branch {revision}. Check the repository's tags."


def _fetch_refs(
    store: GitStore, address: str, refs: tuple[str, ...], progress: Progress, more_options: tuple[str, ...]
) -> _GitOutput:
    options = ("--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", "--no-write-commit-graph", "--quiet")
    progress.report(0, 0, f"fetching {address}")
    return _run_git(store, ["fetch", *options, *more_options, "--", address, *refs], progress)


def _run_git(store: GitStore, arguments: list[str], progress: Progress, seconds: float = FETCH_TIMEOUT_S) -> _GitOutput:
    """Run git with network access; kill it if it exceeds the size or time limit or is cancelled."""
    command = git_command(["-C", str(store.folder), *arguments], network=True)
    with tempfile.TemporaryFile() as output_file:
        try:
            process = subprocess.Popen(  # noqa: S603 - no shell; untrusted arguments follow --
                command,
                stdin=subprocess.DEVNULL,
                stdout=output_file,
                stderr=subprocess.STDOUT,
                env=git_environment(store.folder.parent, network=True),
                start_new_session=True,
            )
        except OSError as error:
            raise MissingEnvironmentError(f"git could not be started ({error.strerror}).") from error
        try:
            _watch(process, store, progress, seconds)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        output_file.seek(0)
        return _GitOutput(process.returncode == 0, output_file.read(4 * 1024 * 1024).decode("utf-8", "replace"))


def _watch(process: subprocess.Popen[bytes], store: GitStore, progress: Progress, seconds: float) -> None:
    end = time.monotonic() + seconds
    while process.poll() is None:
        progress.check()
        if time.monotonic() > end or _size_of(store.folder / "objects") > MAX_BYTES:
            raise _LimitExceededError
        try:
            process.wait(_POLL_SECONDS)
        except subprocess.TimeoutExpired:
            continue
    if _size_of(store.folder / "objects") > MAX_BYTES:
        raise _LimitExceededError


def _size_of(folder: Path) -> int:
    total = 0
    for directory, _, names in os.walk(folder):
        for name in names:
            try:
                total += Path(directory, name).stat().st_size
            except OSError:
                continue  # git has just renamed it
    return total
