"""A data set repository of the Hugging Face Hub, or of a server that speaks as it does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.messages import Message
from annotator.base.secrets import MASK, find_key, redact
from annotator.jobs.progress import Progress
from annotator.jobs.worker_process import run_in_process

_KIND = "dataset"


@dataclass(frozen=True, slots=True)
class Hub:
    """Where a release is sent: a repository's name, another server's address (empty: the Hub), the name of a key."""

    name: str
    endpoint: str = ""
    token: str = ""

    def send(self, folder: Path, tag: str, label: str, branch: str, progress: Progress) -> str:
        """Make the repository hold exactly the folder, as one commit with a tag; returns the commit.

        The repository is made, private, if there is none: who may see it is decided there. Raises `BadInputError` for
        a tag that is there already and for what the server refuses, `MissingEnvironmentError` without package or key.
        """
        key = find_key(self.token)
        if not key:
            raise MissingEnvironmentError(
                Message(
                    "There is no key {name}. Set it in the environment, or keep it: keyring set annotator {name}",
                    name=self.token,
                )
            )
        [commit] = run_in_process(send_folder, (self, key, folder, tag, label, branch), progress)
        return commit


def send_folder(
    hub: Hub, key: str, folder: Path, tag: str, label: str, branch: str, _progress: Progress
) -> Iterator[str]:
    """Send a folder and yield the commit; runs in a process of its own.

    The package reads its server from the environment once, when it is loaded: parts of it ask there whatever address
    a call is given, so with another address they would still ask the Hub.
    """
    if hub.endpoint:
        os.environ["HF_ENDPOINT"] = hub.endpoint
        # The Hub's own storage protocol is not what other servers speak; large files go there by Git LFS.
        os.environ.setdefault("HF_HUB_DISABLE_XET", "1")
    # Only what is published leaves the machine.
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
    try:
        from huggingface_hub import HfApi
        from huggingface_hub.errors import HfHubHTTPError
    except ImportError as error:
        raise MissingEnvironmentError(
            "Publishing to the Hub needs huggingface-hub. Install benchmark-annotator[hub]."
        ) from error
    # The bases of the package's own error are OSError and what its transport raises; a large file that does not arrive
    # is a RuntimeError with that as its cause.
    refusals = tuple(
        kind for kind in (*HfHubHTTPError.__bases__, ValueError, RuntimeError) if issubclass(kind, Exception)
    )
    try:
        yield _send(HfApi(endpoint=hub.endpoint or None, token=key), hub.name, folder, tag, label, branch)
    except refusals as error:
        # A server may repeat what it was sent.
        told = tuple(redact(str(one).replace(key, MASK)) for one in (error, error.__cause__) if one is not None)
        raise BadInputError("The server refused, so the release is not published there.", details=told) from error


def _send(api: Any, name: str, folder: Path, tag: str, label: str, branch: str) -> str:
    api.create_repo(name, repo_type=_KIND, private=True, exist_ok=True)
    known = api.list_repo_refs(name, repo_type=_KIND)
    if tag in {found.name for found in known.tags}:
        raise BadInputError(Message("{tag} is published there already. A version stays as it is.", tag=tag))
    sent = api.upload_folder(
        repo_id=name, repo_type=_KIND, folder_path=folder, commit_message=label, revision=branch, delete_patterns="*"
    )
    api.create_tag(name, repo_type=_KIND, tag=tag, revision=sent.oid, tag_message=label)
    return str(sent.oid)
