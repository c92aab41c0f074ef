"""Publish to a data set repository of the Hugging Face Hub or a compatible server."""

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

_REPOSITORY_TYPE = "dataset"


@dataclass(frozen=True, slots=True)
class HubRepository:
    """A target repository: its name, the server's address (empty: the Hub), and the name of the access key."""

    name: str
    endpoint: str = ""
    token: str = ""

    def send(self, folder: Path, tag: str, label: str, branch: str, progress: Progress) -> str:
        """Replace the repository's content with the folder in one tagged commit; returns the commit id.

        A missing repository is created as private; its visibility is decided on the server. Raises `BadInputError` if
        the tag exists or the server refuses, `MissingEnvironmentError` without the package or the key.
        """
        key = find_key(self.token)
        if not key:
            raise MissingEnvironmentError(
                Message(
                    "There is no key {name}. Set it in the environment, or store it: keyring set annotator {name}",
                    name=self.token,
                )
            )
        [commit] = run_in_process(send_folder, (self, key, folder, tag, label, branch), progress)
        return commit


def send_folder(
    hub: HubRepository, key: str, folder: Path, tag: str, label: str, branch: str, _progress: Progress
) -> Iterator[str]:
    """Upload a folder and yield the commit id; runs in its own process.

    huggingface_hub reads HF_ENDPOINT once at import, and parts of it ignore the address given to a call. In this
    process they would still contact the Hub.
    """
    if hub.endpoint:
        os.environ["HF_ENDPOINT"] = hub.endpoint
        # Other servers do not support Xet, the Hub's storage protocol; they take large files by Git LFS.
        os.environ.setdefault("HF_HUB_DISABLE_XET", "1")
    # Nothing but the release itself may leave the machine.
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
    try:
        from huggingface_hub import HfApi
        from huggingface_hub.errors import HfHubHTTPError
    except ImportError as error:
        raise MissingEnvironmentError(
            "Publishing to the Hub needs huggingface-hub. Install benchmark-annotator[hub]."
        ) from error
    # HfHubHTTPError derives from OSError and the transport's own error; a failed upload of a large file is a
    # RuntimeError with one of these as its cause.
    refusal_errors = tuple(
        kind for kind in (*HfHubHTTPError.__bases__, ValueError, RuntimeError) if issubclass(kind, Exception)
    )
    try:
        yield _send(HfApi(endpoint=hub.endpoint or None, token=key), hub.name, folder, tag, label, branch)
    except refusal_errors as error:
        # A server's error message may repeat the key that it was sent.
        details = tuple(
            redact(str(cause).replace(key, MASK)) for cause in (error, error.__cause__) if cause is not None
        )
        raise BadInputError("The server refused, so the release is not published there.", details=details) from error


def _send(api: Any, name: str, folder: Path, tag: str, label: str, branch: str) -> str:
    api.create_repo(name, repo_type=_REPOSITORY_TYPE, private=True, exist_ok=True)
    refs = api.list_repo_refs(name, repo_type=_REPOSITORY_TYPE)
    if tag in {existing.name for existing in refs.tags}:
        raise BadInputError(Message("{tag} is already published there. A published version never changes.", tag=tag))
    commit = api.upload_folder(
        repo_id=name,
        repo_type=_REPOSITORY_TYPE,
        folder_path=folder,
        commit_message=label,
        revision=branch,
        delete_patterns="*",
    )
    api.create_tag(name, repo_type=_REPOSITORY_TYPE, tag=tag, revision=commit.oid, tag_message=label)
    return str(commit.oid)
