"""Sign an exported release or a packet with an SSH key and verify signatures: ``ssh-keygen -Y``.

A release's manifest has the SHA-256 of every file, so its signature covers them all. Keys stay outside the project.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.messages import Message
from annotator.formats.interchange.release_folder import verify_release_folder
from annotator.formats.write.export_folder import MANIFEST, SIGNATURE

# The namespace of ssh-keygen: a signature made for something else, such as a commit, is not accepted.
NAMESPACE = "annotator-release"
PACKET_NAMESPACE = "annotator-packet"
# Long enough to type a passphrase or touch a hardware key.
_TIMEOUT_S = 300
_FINGERPRINT = re.compile(r"with (\S+) key (SHA256:\S+)")


@dataclass(frozen=True, slots=True)
class ReleaseSignature:
    """A release's signature: the ``key`` that made it, and its verified ``signer``, empty if not checked."""

    key: str
    signer: str = ""


def sign_release_folder(folder: Path, key: Path) -> ReleaseSignature:
    """Sign an unaltered release with an SSH key, replacing an older signature.

    ``key`` is a private key, or a public one whose private half an agent holds. Raises `BadInputError` for an altered
    release or a key that cannot sign, `MissingEnvironmentError` without ssh-keygen or if the file cannot be written.
    """
    if problems := verify_release_folder(folder):
        raise BadInputError(
            Message("{name} has changed since it was exported, so it was not signed.", name=folder.name),
            details=problems[:20],
        )
    _sign(folder / MANIFEST, folder / SIGNATURE, key, NAMESPACE)
    signature = read_release_signature(folder)
    if signature is None:
        raise BadInputError(
            Message("The signature made with the key {name} does not match the release.", name=key.name)
        )
    return signature


def sign_packet(path: Path, key: Path) -> None:
    """Write a packet's signature to a file next to it. Raises as `sign_release_folder` does."""
    _sign(path, _find_signature_path(path), key, PACKET_NAMESPACE)


def find_packet_signer(path: Path, allowed: Path) -> str:
    """Return which of the allowed signers has signed a packet. Raises `BadInputError` if none has."""
    _refuse_missing(allowed)
    signature = _find_signature_path(path)
    data = path.read_bytes() if path.is_file() and signature.is_file() else b""
    principals = _run_tool(["find-principals", "-f", _resolve_path(allowed), "-s", _resolve_path(signature)], data)
    is_listed = bool(data) and principals.returncode == 0
    for signer in principals.stdout.decode("utf-8", "replace").splitlines() if is_listed else ():
        verify = [
            "verify",
            "-f",
            _resolve_path(allowed),
            "-I",
            signer,
            "-n",
            PACKET_NAMESPACE,
            "-s",
            _resolve_path(signature),
        ]
        if _run_tool(verify, data).returncode == 0:
            return signer
    raise BadInputError(f"{path.name} is not signed with a key that {allowed.name} lists. Nothing was changed.")


def _find_signature_path(path: Path) -> Path:
    return path.with_name(path.name + ".sig")


def _sign(path: Path, signature: Path, key: Path, namespace: str) -> None:
    if not key.is_file():
        raise BadInputError(Message("There is no key {name}. Create one with ssh-keygen -t ed25519.", name=key.name))
    process = _run_tool(["sign", "-f", _resolve_path(key), "-n", namespace], path.read_bytes())
    if process.returncode:
        raise BadInputError(
            Message("Signing with the key {name} failed; nothing was signed.", name=key.name),
            details=tuple(process.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]),
        )
    try:
        signature.write_bytes(process.stdout)
        signature.chmod(0o644)
    except OSError as error:
        raise MissingEnvironmentError(f"{signature.name} could not be written ({error.strerror}).") from error


def _resolve_path(path: Path) -> str:
    return os.fspath(path.resolve())


def _refuse_missing(allowed: Path) -> None:
    if not allowed.is_file():
        raise BadInputError(Message("There is no file {name} with allowed signers.", name=allowed.name))


def is_signing_available() -> bool:
    """Return whether ssh-keygen is installed."""
    return shutil.which("ssh-keygen") is not None


def is_signed(folder: Path) -> bool:
    """Return whether a release has a manifest and a signature, both plain files."""
    return all((folder / name).is_file() and not (folder / name).is_symlink() for name in (MANIFEST, SIGNATURE))


def read_release_signature(folder: Path) -> ReleaseSignature | None:
    """Return the key that signed this manifest, None if the signature is invalid; the signer is not checked.

    Raises `MissingEnvironmentError` without ssh-keygen.
    """
    return _parse_signature(_run_on_manifest(["check-novalidate"], folder), "")


def check_signer(folder: Path, signer: str, allowed: Path) -> ReleaseSignature | None:
    """Return the signature if it was made with a key that ``allowed`` lists for ``signer``, else None.

    ``allowed`` is a file of allowed signers as in ssh-keygen(1): a name and a public key per line. Raises
    `BadInputError` if there is no such file, `MissingEnvironmentError` without ssh-keygen.
    """
    _refuse_missing(allowed)
    signer_options = ["-f", _resolve_path(allowed), "-I", signer]
    return _parse_signature(_run_on_manifest(["verify", *signer_options], folder), signer)


def _run_on_manifest(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[bytes]:
    signature = ["-n", NAMESPACE, "-s", _resolve_path(folder / SIGNATURE)]
    return _run_tool([*arguments, *signature], (folder / MANIFEST).read_bytes())


def _run_tool(arguments: list[str], data: bytes) -> subprocess.CompletedProcess[bytes]:
    tool = shutil.which("ssh-keygen")
    if tool is None:
        raise MissingEnvironmentError(
            "Signatures need ssh-keygen, which is not installed here. Install OpenSSH (Debian: openssh-client)."
        )
    try:
        return subprocess.run(  # noqa: S603 - a program by its path, with a list of arguments
            [tool, "-Y", *arguments], input=data, capture_output=True, check=False, timeout=_TIMEOUT_S,
            env={**os.environ, "LC_ALL": "C"},
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise MissingEnvironmentError(f"ssh-keygen did not answer within {_TIMEOUT_S} seconds.") from error
    except OSError as error:
        raise MissingEnvironmentError(f"ssh-keygen could not be run ({error.strerror}).") from error


def _parse_signature(process: subprocess.CompletedProcess[bytes], signer: str) -> ReleaseSignature | None:
    match = _FINGERPRINT.search(process.stdout.decode("utf-8", "replace"))
    return ReleaseSignature(f"{match[1]} {match[2]}", signer) if process.returncode == 0 and match else None
