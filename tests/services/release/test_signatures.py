"""A release is signed with an SSH key, and a forged one is found out."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.formats.interchange import release_folder
from annotator.formats.read.import_records import Candidate
from annotator.formats.write.export_folder import manifest_text, sha256
from annotator.services.release import signatures
from tests.formats.releases import head_of, item_of

pytestmark = pytest.mark.skipif(
    not signatures.is_signing_available(), reason="ssh-keygen (openssh-client) is not installed"
)


def _key(folder: Path, name: str) -> Path:
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(folder / name)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, timeout=60)
    return folder / name


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    items = [
        item_of(
            Candidate(
                key="jsonl:q", title="Double", task="generation", language="python", prompt="Double it", licence="MIT"
            )
        )
    ]
    release_folder.export_release(head_of(items), items, tmp_path / "r")
    return tmp_path / "r"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return _key(tmp_path, "ada")


@pytest.fixture
def allowed(tmp_path: Path, key: Path) -> Path:
    path = tmp_path / "allowed"
    path.write_text(f"ada@example.org {key.with_suffix('.pub').read_text()}")
    return path


def _forge(folder: Path) -> None:
    """Change a file, and write the manifest anew as its maker would have."""
    (folder / "README.md").write_text("# Another benchmark\n")
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["files"]["README.md"] = sha256((folder / "README.md").read_bytes())
    manifest["created_at"] = "2020-01-01T00:00:00Z"
    (folder / "manifest.json").write_text(manifest_text(manifest), "utf-8")
    assert release_folder.verify_release_folder(folder) == (), "without a signature, nothing tells it"


def _verify(folder: Path, *more: str | Path, capfd: Any) -> tuple[int, dict[str, Any]]:
    capfd.readouterr()
    status = main(["release", "verify", str(folder), *map(str, more), "--json"])
    return status, json.loads(capfd.readouterr().out)


def test_a_signature_names_its_key_and_its_signer(folder: Path, key: Path, allowed: Path, capfd: Any) -> None:
    assert _verify(folder, capfd=capfd)[1]["signature"] is None
    assert main(["release", "sign", str(folder), "--key", str(key)]) == 0
    status, found = _verify(folder, capfd=capfd)
    assert status == 0 and found["signature"]["key"].startswith("ED25519 SHA256:")
    status, found = _verify(folder, "--signer", "ada@example.org", "--allowed", allowed, capfd=capfd)
    assert (status, found["signature"]["signer"], found["problems"]) == (0, "ada@example.org", [])
    assert next(iter(release_folder.read_release_folder(folder, {}))) is not None, (
        "a signed release is read as any other"
    )
    signatures.sign_release_folder(folder, key)  # Once more, in place of the first.


def test_a_forged_manifest_fails_its_signature(folder: Path, key: Path, allowed: Path, capfd: Any) -> None:
    signatures.sign_release_folder(folder, key)
    _forge(folder)
    assert signatures.read_release_signature(folder) is None
    who = ("--signer", "ada@example.org", "--allowed", allowed)
    for more in ((), who):
        status, found = _verify(folder, *more, capfd=capfd)
        assert (status, found["sound"], len(found["problems"])) == (3, False, 1)


def test_signed_anew_with_another_key_is_seen(folder: Path, key: Path, allowed: Path, capfd: Any) -> None:
    first = signatures.sign_release_folder(folder, key)
    _forge(folder)
    other = signatures.sign_release_folder(folder, _key(folder.parent, "eve"))
    assert other.key != first.key and signatures.read_release_signature(folder) == other
    assert signatures.check_signer(folder, "ada@example.org", allowed) is None
    assert signatures.check_signer(folder, "eve", allowed) is None
    status, found = _verify(folder, "--signer", "ada@example.org", "--allowed", allowed, capfd=capfd)
    assert status == 3 and found["problems"][0].endswith(f"it is signed with {other.key}")
    (folder / "manifest.json.sig").unlink()
    status, found = _verify(folder, "--signer", "ada@example.org", "--allowed", allowed, capfd=capfd)
    assert (status, found["problems"]) == (3, ["it has no signature of ada@example.org"])


def test_a_signature_for_something_else_is_none(folder: Path, key: Path) -> None:
    signatures.sign_release_folder(folder, key)
    command = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", "git"]
    done = subprocess.run(
        command, input=(folder / "manifest.json").read_bytes(), capture_output=True, check=True, timeout=60
    )
    (folder / "manifest.json.sig").write_bytes(done.stdout)
    assert signatures.read_release_signature(folder) is None
    (folder / "manifest.json.sig").write_bytes(b"\x00nonsense")
    assert signatures.read_release_signature(folder) is None


def test_what_cannot_be_signed_is_told(folder: Path, key: Path, allowed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInputError, match="There is no key"):
        signatures.sign_release_folder(folder, folder / "nokey")
    with pytest.raises(BadInputError, match="Signing with the key"):
        signatures.sign_release_folder(folder, allowed)
    assert not signatures.is_signed(folder)
    with pytest.raises(BadInputError, match="no file nobody"):
        signatures.check_signer(folder, "ada", folder / "nobody")
    assert main(["release", "verify", str(folder), "--signer", "ada"]) == 2
    (folder / "manifest.json").rename(folder.parent / "manifest.json")
    (folder / "manifest.json.sig").write_text("x")
    assert main(["release", "verify", str(folder)]) == 3
    (folder.parent / "manifest.json").rename(folder / "manifest.json")
    (folder / "README.md").write_text("other\n")
    with pytest.raises(BadInputError, match="has changed since it was exported"):
        signatures.sign_release_folder(folder, key)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(MissingEnvironmentError, match="openssh-client"):
        signatures.read_release_signature(folder)
