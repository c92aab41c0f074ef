"""Read the history of a repository that may be hostile, using only its objects and our own settings.

Commands run in a bare repository that we create, which borrows the objects of the other one, so the configuration,
hooks and attributes of the other one never take effect.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from annotator.base.ids import is_hex

TIMEOUT_S = 30.0
ARCHIVE_TIMEOUT_S = 300.0
_SETTINGS = {
    "core.fsmonitor": "false", "core.hooksPath": os.devnull, "core.pager": "cat", "core.attributesFile": os.devnull,
    "protocol.allow": "never", "log.showSignature": "false", "gpg.program": "false", "gc.auto": "0",
    "safe.directory": "*", "core.commitGraph": "true", "core.quotePath": "false",
}  # fmt: skip
_NETWORK_SETTINGS = {"protocol.https.allow": "always", "protocol.ssh.allow": "always", "maintenance.auto": "false"}
_INHERITED_VARIABLES = (
    "GIT_SSL_CAINFO", "SSL_CERT_FILE", "SSL_CERT_DIR", "SSH_AUTH_SOCK", "https_proxy", "HTTPS_PROXY", "all_proxy",
    "ALL_PROXY", "no_proxy", "NO_PROXY",
)  # fmt: skip
# Files exactly as committed: no filters, no changed line ends or keywords, nothing left out of an archive.
_ATTRIBUTES = "* !filter !diff !merge -text -ident -export-ignore -export-subst !working-tree-encoding\n"
_MAX_SHALLOW_BYTES = 1024 * 1024
COMMIT_DIGITS = range(40, 65)


def is_day(text: str) -> bool:
    """Return whether a text is a day (YYYY-MM-DD), which may stand in place of a commit name."""
    return [len(part) for part in text.split("-")] == [4, 2, 2] and text.replace("-", "").isdecimal()


def git_command(arguments: Sequence[str], *, network: bool = False) -> list[str]:
    """Return a git command line that runs no foreign hook, helper or program; network access only if ``network``.

    Empty if git is not installed.
    """
    program = shutil.which("git")
    if program is None:
        return []
    settings = _SETTINGS | (_NETWORK_SETTINGS if network else {})
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    return [program, *options, "--no-pager", *arguments]


def git_environment(ceiling: Path, *, network: bool = False) -> dict[str, str]:
    """Return the environment for git: no settings of this machine, no prompts, no lazy fetching."""
    variables = {
        "PATH": os.environ.get("PATH", ""), "HOME": os.devnull, "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull, "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0", "GIT_CEILING_DIRECTORIES": str(ceiling),
    }  # fmt: skip
    if network:
        variables |= {name: os.environ[name] for name in _INHERITED_VARIABLES if name in os.environ}
        variables["GIT_SSH_COMMAND"] = "ssh -oBatchMode=yes"
    return variables


def ask_git(folder: Path, *arguments: str, seconds: float = TIMEOUT_S) -> str:
    """Run git on a folder and return its output, "" if it fails."""
    command = git_command(["-C", str(folder), *arguments])
    if not command:
        return ""
    try:
        process = subprocess.run(  # noqa: S603 - a list of our own arguments
            command,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=seconds,
            env=git_environment(folder.resolve().parent),
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return process.stdout if process.returncode == 0 else ""


@dataclass(frozen=True, slots=True)
class GitStore:
    """A bare repository of our own."""

    folder: Path

    def ask(self, *arguments: str, seconds: float = TIMEOUT_S) -> str:
        """Run git and return its output, "" if it fails."""
        return ask_git(self.folder, *arguments, seconds=seconds)

    def resolve(self, name: str) -> str:
        """Return the full hash of the commit that a branch, tag or commit refers to, empty if there is none."""
        commit = self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").strip()
        return commit if is_hex(commit, COMMIT_DIGITS) else ""

    def last_of_day(self, day: str, commit: str) -> str:
        """Return the last ancestor of a commit up to the end of a day (YYYY-MM-DD, UTC), empty if there is none."""
        return self.ask("rev-list", "-1", "--first-parent", f"--before={day}T23:59:59Z", commit).strip()

    @property
    def is_shallow(self) -> bool:
        """Whether the clone is shallow, so that its history is incomplete."""
        return self.ask("rev-parse", "--is-shallow-repository").strip() == "true"

    def write_archive(self, commit: str, folder: str, out: Path) -> bool:
        """Write the files of a commit, or of a folder in it, as a tar archive; return whether that succeeded."""
        tree = f"{commit}:{folder}" if folder else commit
        self.ask("archive", "--format=tar", f"--output={out}", tree, seconds=ARCHIVE_TIMEOUT_S)
        return out.is_file() and out.stat().st_size > 0


def make_store(folder: Path, object_format: str = "sha1") -> GitStore:
    """Create an empty bare repository in an existing folder."""
    ask_git(folder, "init", "--quiet", "--bare", "--template=", f"--object-format={object_format}", ".")
    info = folder / "info"
    info.mkdir(exist_ok=True)
    (info / "attributes").write_text(_ATTRIBUTES, encoding="utf-8")
    return GitStore(folder)


@contextmanager
def borrow_objects(folder: Path) -> Iterator[tuple[GitStore, str] | None]:
    """Open a store over the objects of a repository (a work tree's top or a bare one), with its current commit.

    None without git or without a commit.
    """
    head = ask_git(folder, "rev-parse", "--verify", "HEAD").strip()
    if not is_hex(head, COMMIT_DIGITS):
        yield None
        return
    objects = folder / ask_git(folder, "rev-parse", "--git-path", "objects").rstrip("\n")
    shallow = folder / ask_git(folder, "rev-parse", "--git-path", "shallow").rstrip("\n")
    with tempfile.TemporaryDirectory(prefix="annotator-history-") as temporary:
        store = make_store(Path(temporary), "sha256" if len(head) == 64 else "sha1")
        alternates_folder = Path(temporary, "objects", "info")
        alternates_folder.mkdir(parents=True, exist_ok=True)
        (alternates_folder / "alternates").write_text(f"{objects.resolve()}\n", encoding="utf-8")
        if shallow.is_file() and not shallow.is_symlink() and shallow.stat().st_size <= _MAX_SHALLOW_BYTES:
            lines = shallow.read_text("ascii", "replace").splitlines()
            commits = [line for line in lines if is_hex(line, COMMIT_DIGITS)]
            Path(temporary, "shallow").write_text("".join(f"{line}\n" for line in commits), encoding="ascii")
        yield store, head


def is_bare(folder: Path) -> bool:
    """Return whether a folder looks like a bare repository."""
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()


def find_named_commit(folder: Path, name: str) -> str:
    """Return the commit that a name refers to in a local repository, searching its branches and tags."""
    for reference in (name, f"refs/tags/{name}", f"refs/heads/{name}", f"refs/remotes/origin/{name}"):
        commit = ask_git(
            folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}"
        ).strip()
        if is_hex(commit, COMMIT_DIGITS):
            return commit
    return ""
