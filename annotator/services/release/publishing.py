"""Publish a release to a data set repository of the Hugging Face Hub or to a git remote, with a tag per version.

By default only a plan is made, which lists the exported files and the target; sending must be requested explicitly.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.messages import Message
from annotator.base.secrets import redact
from annotator.jobs.progress import Progress
from annotator.services.release import exports, hub, release_list
from annotator.store.file.project_file import ProjectFile

BRANCH = "main"
TOKEN = "HF_TOKEN"  # noqa: S105 - the name of a key, not a key
_HUB_PREFIX = "hf:"
_HUB_PAGE_PREFIX = "https://huggingface.co/datasets/"
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
# "host:path" is ssh; "transport::address" would start a program.
_GIT_ADDRESS = re.compile(r"(?:https|ssh|file)://\S+|[\w.-]+@[\w.-]+:[^:\s]\S*|/\S.*|\.{1,2}/\S.*")
_GIT_TIMEOUT_S = 300
_MAX_DETAIL_LINES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """A planned or finished publication: ``files`` with their sizes, and ``remarks`` to read before sending.

    ``commit`` is the published commit, empty in a plan.
    """

    version: str
    place: str
    form: str
    files: tuple[tuple[str, int], ...]
    remarks: tuple[str, ...]
    commit: str = ""


def send_release(
    store: ProjectFile,
    version: str | None,
    place: str,
    *,
    send: bool = False,
    branch: str = BRANCH,
    endpoint: str = "",
    token: str = TOKEN,
    progress: Progress | None = None,
) -> Publication:
    """Publish a release (None: the newest) to ``hf:OWNER/NAME`` or a git address; without ``send`` only plan it.

    ``token`` names the Hub's key in the environment or keyring; ``endpoint`` is the address of another server to use
    instead of the Hub. Raises `BadInputError` if the version is published already, for an invalid place, and if the
    server refuses; `MissingEnvironmentError` for a missing program, package or key.
    """
    row, _ = release_list.find_release(store, version)
    target = _parse_place(place)
    form = "huggingface" if target.startswith(_HUB_PREFIX) else "annotator"
    remarks = [str(Message("Released with an unmet gate: {told}", told=gate_name)) for gate_name in row.overrides]
    with tempfile.TemporaryDirectory(prefix="annotator-publish-") as temp_dir:
        folder = Path(temp_dir) / "release"
        exported = exports.export_release(store, row.version, form, folder)
        remarks += [str(Message("Left out: {item}", item=item)) for item in exported.left_out]
        files = tuple((name, (folder / name).stat().st_size) for name in _list_files(folder))
        planned = Publication(version=row.version, place=target, form=form, files=files, remarks=tuple(remarks))
        if not send:
            return planned
        label = f"{store.project_name} {row.version}"
        if target.startswith(_HUB_PREFIX):
            server = hub.HubRepository(target.removeprefix(_HUB_PREFIX), endpoint, token)
            commit = server.send(folder, version_tag(row.version), label, branch, progress or Progress())
        else:
            commit = _push_release(folder, target, branch, version_tag(row.version), label, store.annotator.name)
    return Publication(version=row.version, place=target, form=form, files=files, remarks=tuple(remarks), commit=commit)


def version_tag(version: str) -> str:
    """Return the git tag of a version, with characters that git does not allow replaced."""
    return "v" + re.sub(r"[^0-9A-Za-z.+_-]+", "-", version).replace("..", ".").rstrip(".")


def _parse_place(text: str) -> str:
    """Return ``hf:OWNER/NAME`` or an address that git can push to."""
    place = text.strip()
    is_page = place.startswith(_HUB_PAGE_PREFIX)
    name = place.removeprefix(_HUB_PAGE_PREFIX).removesuffix("/") if is_page else place.removeprefix(_HUB_PREFIX)
    if name != place and _HUB_NAME.fullmatch(name):
        return _HUB_PREFIX + name
    if not place.startswith(_HUB_PREFIX) and "::" not in place and _GIT_ADDRESS.fullmatch(place):
        if redact(place) != place:
            raise BadInputError(
                "The address contains a password. Remove it here and let git store it (git credential)."
            )
        return place
    raise BadInputError(
        Message("Cannot publish to “{place}”. Give hf:OWNER/NAME or the address of a git repository.", place=place)
    )


def _list_files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


# git ------------------------------------------------------------------------------------------------------------------


def _push_release(folder: Path, address: str, branch: str, tag: str, label: str, person: str) -> str:
    """Replace the content of the remote's branch with the folder in one new, tagged commit; returns the commit id."""
    with tempfile.TemporaryDirectory(prefix="annotator-git-") as temp_dir:
        copy = Path(temp_dir)
        _run_git(copy, ["init", "--quiet"])
        place = os.fspath(Path(address).resolve()) if address.startswith((".", "/")) else address
        remote_refs = _run_git(copy, ["ls-remote", "--", place])
        ref_names = {line.partition("\t")[2] for line in remote_refs.splitlines()}
        if f"refs/tags/{tag}" in ref_names:
            raise BadInputError(
                Message("{tag} is already published there. A published version never changes.", tag=tag)
            )
        _run_git(copy, ["check-ref-format", f"refs/heads/{branch}"])
        if f"refs/heads/{branch}" in ref_names:
            _run_git(copy, ["fetch", "--quiet", "--depth=1", "--", place, f"refs/heads/{branch}"])
            _run_git(copy, ["update-ref", "HEAD", "FETCH_HEAD"])
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        _run_git(copy, ["add", "--all", "--force", "."])
        _run_git(
            copy,
            [
                *_choose_identity_options(copy, person),
                "commit",
                "--quiet",
                "--allow-empty",
                "--no-gpg-sign",
                "-m",
                label,
            ],
        )
        commit = _run_git(copy, ["rev-parse", "HEAD"]).strip()
        _run_git(copy, ["tag", "--no-sign", tag])
        _run_git(copy, ["push", "--quiet", "--atomic", "--", place, f"HEAD:refs/heads/{branch}", f"refs/tags/{tag}"])
    return commit


def _choose_identity_options(copy: Path, person: str) -> tuple[str, ...]:
    """Return git options that name the author, empty if git has an identity configured."""
    email = _run_git(copy, ["config", "--default", "", "--get", "user.email"]).strip()
    name = re.sub(r"[<>\n]", "", person).strip() or "Annotator"
    return () if email else ("-c", f"user.name={name}", "-c", "user.email=annotator@localhost.invalid")


def _run_git(copy: Path, arguments: Sequence[str]) -> str:
    """Run git without prompts, hooks or line-ending conversion, and return its output."""
    program = shutil.which("git")
    if program is None:
        raise MissingEnvironmentError(
            "git is not installed here. Install it, or export the release and push it yourself."
        )
    settings = ("core.hooksPath=" + os.devnull, "core.autocrlf=false", "core.attributesFile=" + os.devnull,
                "protocol.ext.allow=never", "gc.auto=0")  # fmt: skip
    options = [part for setting in settings for part in ("-c", setting)]
    inherited = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    environment = inherited | {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
        "LC_ALL": "C.UTF-8",
    }
    try:
        process = subprocess.run(  # noqa: S603 - our own argument list; addresses follow "--"
            [program, *options, *arguments], cwd=copy, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, errors="replace", timeout=_GIT_TIMEOUT_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise BadInputError(Message("git did not end within {seconds} seconds.", seconds=_GIT_TIMEOUT_S)) from error
    if process.returncode:
        details = tuple(redact(line) for line in process.stderr.splitlines() if line.strip())[-_MAX_DETAIL_LINES:]
        raise BadInputError("git refused, so the release is not published there.", details=details)
    return process.stdout
