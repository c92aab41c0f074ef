"""A release folder is as its manifest lists it: files, folders, links, pipes, modes, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.formats.documents.semantic_hashes import hash_parts
from annotator.formats.interchange import release_folder
from annotator.formats.read.import_records import Candidate, CandidateTest
from annotator.formats.write.export_folder import manifest_text, sha256
from tests.formats.releases import head_of, item_of

posix = pytest.mark.skipif(os.name != "posix", reason="links, pipes and modes of POSIX")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    test = CandidateTest(name="test", code="assert double(2) == 4\n", language="python")
    candidate = Candidate(
        key="jsonl:q",
        title="Double",
        task="generation",
        language="python",
        prompt="Double it",
        licence="MIT",
        tests=(test,),
    )
    items = [item_of(candidate)]
    release_folder.export_release(head_of(items), items, tmp_path / "r")
    assert release_folder.verify_release_folder(tmp_path / "r") == ()
    return tmp_path / "r"


def _link_folder(folder: Path) -> None:
    # The same content, reached through a link: whoever owns its target can change it later.
    shutil.move(folder / "tests", folder.parent / "elsewhere")
    (folder / "tests").symlink_to(folder.parent / "elsewhere")


def _link_file(folder: Path) -> None:
    shutil.move(folder / "LICENSE", folder.parent / "LICENSE")
    (folder / "LICENSE").symlink_to(folder.parent / "LICENSE")


def _swap(folder: Path, make: Callable[[Path], object]) -> None:
    (folder / "LICENSE").unlink()
    make(folder / "LICENSE")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))


def _link_manifest(folder: Path) -> None:
    shutil.move(folder / "manifest.json", folder.parent / "manifest.json")
    (folder / "manifest.json").symlink_to(folder.parent / "manifest.json")


def _pipe_as_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()
    os.mkfifo(folder / "manifest.json")


def _rename_in_manifest(folder: Path) -> None:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["files"]["./LICENSE"] = manifest["files"].pop("LICENSE")
    path.write_text(json.dumps(manifest))


def _exchange(folder: Path) -> None:
    one, other = folder / "README.md", folder / "DATASHEET.md"
    texts = one.read_bytes(), other.read_bytes()
    one.write_bytes(texts[1])
    other.write_bytes(texts[0])


def _edit(name: str, edit: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(edit((folder / name).read_bytes()))


def _reorder(content: bytes) -> bytes:
    item = json.loads(content)
    return json.dumps(dict(reversed(item.items())), ensure_ascii=False).encode() + b"\n"


def _older_manifest(folder: Path) -> None:
    """Put the manifest of the release before beside the files of this one."""
    items = [
        item_of(
            Candidate(
                key="jsonl:q", title="Triple", task="generation", language="python", prompt="Triple it", licence="MIT"
            )
        )
    ]
    release_folder.export_release(head_of(items), items, folder.parent / "older")
    shutil.copyfile(folder.parent / "older" / "manifest.json", folder / "manifest.json")


def _say_a_name_twice(folder: Path) -> None:
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace("{", '{"version": "9.9",', 1))


ALTERATIONS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a folder behind a link": (_link_folder, "tests is a symbolic link"),
    "a file behind a link": (_link_file, "LICENSE is a symbolic link"),
    "a new link to a folder": (lambda it: (it / "more").symlink_to(it / "tests"), "more is a symbolic link"),
    "a new link to nothing": (lambda it: (it / "more").symlink_to("nowhere"), "more is a symbolic link"),
    "the manifest behind a link": (_link_manifest, "manifest.json is a symbolic link"),
    "a pipe": (lambda it: os.mkfifo(it / "pipe"), "pipe is a named pipe"),
    "a pipe below": (lambda it: os.mkfifo(it / "tests" / "pipe"), "tests/pipe is a named pipe"),
    "a pipe for a file": (lambda it: _swap(it, os.mkfifo), "LICENSE is a named pipe"),
    "a pipe for the manifest": (_pipe_as_manifest, "manifest.json is a named pipe"),
    "a socket": (lambda it: _swap(it, _socket), "LICENSE is a socket"),
    "a folder for a file": (lambda it: _swap(it, Path.mkdir), "LICENSE is missing"),
    "an executable": (lambda it: (it / "README.md").chmod(0o744), "README.md can be executed"),
    "a special mode": (lambda it: (it / "README.md").chmod(0o4644), "README.md has a special mode (4644)"),
    "open to everybody": (lambda it: (it / "items.jsonl").chmod(0o646), "items.jsonl can be changed by everybody"),
    "a file": (lambda it: (it / "more").write_text(""), "more is not part of the release"),
    "a hidden file": (lambda it: (it / ".more").write_text(""), ".more is not part of the release"),
    "a file below": (lambda it: (it / "tests" / "more.py").write_text(""), "tests/more.py is not part"),
    "an empty folder": (lambda it: (it / "more").mkdir(), "more is a folder that is not part of the release"),
    "a missing file": (lambda it: (it / "LICENSE").unlink(), "LICENSE is missing"),
    "a byte more": (lambda it: (it / "LICENSE").open("a").write("x"), "LICENSE has changed"),
    "two files exchanged": (_exchange, "README.md has changed"),
    "another encoding": (_edit("items.jsonl", lambda old: old.decode().encode("utf-16")), "items.jsonl has changed"),
    "a mark of byte order": (_edit("README.md", lambda old: b"\xef\xbb\xbf" + old), "README.md has changed"),
    "line ends of Windows": (_edit("README.md", lambda old: old.replace(b"\n", b"\r\n")), "README.md has changed"),
    "a line twice": (_edit("items.jsonl", lambda old: old + old), "items.jsonl has changed"),
    "names in another order": (_edit("items.jsonl", _reorder), "items.jsonl has changed"),
    "no last line end": (_edit("items.jsonl", lambda old: old.rstrip(b"\n")), "items.jsonl has changed"),
    "an empty file": (_edit("LICENSE", lambda old: b""), "LICENSE has changed"),
    "a name in other case": (lambda it: (it / "LICENSE").rename(it / "License"), "LICENSE is missing"),
    "an older manifest": (_older_manifest, "items.jsonl has changed"),
    "a later date": (
        _edit("manifest.json", lambda old: old.replace(b'"created_at": "2', b'"created_at": "3')),
        "manifest.json has changed",
    ),
    "a name twice in the manifest": (_say_a_name_twice, "manifest.json has changed"),
    "a folder renamed": (lambda it: (it / "tests").rename(it / "test"), "tests/jsonl-q/001.py is missing"),
    "another name for a file": (_rename_in_manifest, "'./LICENSE' is outside the release"),
}


@posix
@pytest.mark.parametrize("what", ALTERATIONS)
def test_every_alteration_is_noticed(folder: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    alter, told = ALTERATIONS[what]
    monkeypatch.chdir(folder)  # The path of a socket is short.
    alter(folder)
    assert any(problem.startswith(told) for problem in release_folder.verify_release_folder(folder)), (
        release_folder.verify_release_folder(folder)
    )


def _change_rows(change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Callable[[Path], object]:
    def edit(folder: Path) -> None:
        rows = change([json.loads(line) for line in (folder / "items.jsonl").read_text("utf-8").splitlines()])
        text = "".join(json.dumps(row, sort_keys=True, ensure_ascii=False) + "\n" for row in rows)
        (folder / "items.jsonl").write_text(text, "utf-8")

    return edit


def _forge(folder: Path) -> None:
    """Write every hash of the manifest anew, as whoever altered the files would."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    rows = [json.loads(line) for line in (folder / "items.jsonl").read_text("utf-8").splitlines()]
    manifest["files"] = {name: sha256((folder / name).read_bytes()) for name in manifest["files"]}
    hashes = json.dumps([row["content_hash"] for row in rows], separators=(",", ":"))
    manifest |= {"items": len(rows), "semantic": hash_parts(rows), "content_hash": sha256(hashes.encode())}
    path.write_text(manifest_text(manifest), "utf-8")


CHANGED_ITEMS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a label": (_change_rows(lambda rows: [{**rows[0], "licence": "CC0-1.0"}]), "jsonl:q (labels)"),
    "two parts": (_change_rows(lambda rows: [{**rows[0], "tests": [], "prompt": "x"}]), "jsonl:q (prompt, tests)"),
    "an item twice": (_change_rows(lambda rows: rows * 2), "jsonl:q occurs 2 times"),
    "another key": (_change_rows(lambda rows: [{**rows[0], "key": "jsonl:p"}]), "jsonl:q is missing, jsonl:p is new"),
    "a key of two lines": (_change_rows(lambda rows: [{**rows[0], "key": "a\nb"}]), r"'a\nb is new'"),
    "no JSON": (_edit("items.jsonl", lambda old: old[:-9]), "row 1 cannot be read, jsonl:q is missing"),
    "written otherwise": (_edit("items.jsonl", lambda old: old + b"\n"), "the same items, in another order"),
}  # fmt: skip


@pytest.mark.parametrize("what", CHANGED_ITEMS)
def test_changed_items_are_named_with_what_changed(folder: Path, what: str) -> None:
    alter, told = CHANGED_ITEMS[what]
    alter(folder)
    [problem] = release_folder.verify_release_folder(folder)
    assert problem.startswith("items.jsonl has changed: ") and told in problem


FORGED: dict[str, tuple[Callable[[Path], object], str]] = {
    "a test": (_edit("tests/jsonl-q/001.py", lambda old: b"pass\n"), "001.py differs from its copy in items.jsonl"),
    "an item": (
        _change_rows(lambda rows: [{**rows[0], "reference": "pass"}]),
        "the content of jsonl:q in items.jsonl does not match",
    ),
    "an item twice": (_change_rows(lambda rows: rows * 2), "in items.jsonl, jsonl:q occurs 2 times"),
    "two prompts in a row": (
        _edit("items.jsonl", lambda old: old.replace(b'"prompt":', b'"prompt": "x", "prompt":', 1)),
        "items.jsonl is not formatted as an export formats it",
    ),
    "no item": (
        _change_rows(lambda rows: [_rehashed({**rows[0], "tests": [1]})]),
        "an item that no release contains",
    ),
}


def _rehashed(item: dict[str, Any]) -> dict[str, Any]:
    del item["content_hash"]
    return {**item, "content_hash": content_hash(item)}


@pytest.mark.parametrize("what", FORGED)
def test_what_contradicts_itself_is_noticed_though_every_hash_fits(folder: Path, what: str) -> None:
    alter, told = FORGED[what]
    alter(folder)
    _forge(folder)
    [problem] = release_folder.verify_release_folder(folder)
    assert told in problem


def test_a_manifest_that_lists_no_parts_of_items_is_noticed(folder: Path) -> None:
    path = folder / "manifest.json"
    path.write_text(manifest_text({**json.loads(path.read_text("utf-8")), "semantic": [1]}), "utf-8")
    assert release_folder.verify_release_folder(folder) == ("manifest.json has no valid list of the items' parts",)


@posix
def test_names_that_cannot_be_seen_are_quoted(folder: Path) -> None:
    for name in ("x\ny", "LICENSE ", "a\u202eb"):
        (folder / name).write_text("x")
    told = ("'LICENSE ' is not part of the release", r"'a\u202eb' is not part of the release",
            r"'x\ny' is not part of the release")  # fmt: skip
    assert release_folder.verify_release_folder(folder) == told


def test_an_archive_is_to_be_unpacked_first(folder: Path) -> None:
    with pytest.raises(BadInputError, match="Unpack"):
        release_folder.verify_release_folder(Path(shutil.make_archive(str(folder), "zip", folder)))


@posix
def test_the_command_says_it_and_fails(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["release", "verify", str(folder)]) == 0
    _link_folder(folder)
    capfd.readouterr()
    assert main(["release", "verify", str(folder)]) == 3
    assert "tests is a symbolic link" in "".join(capfd.readouterr())


@posix
def test_a_file_system_without_modes_is_told_in_one_sentence(folder: Path) -> None:
    for path in folder.rglob("*"):
        path.chmod(0o755)
    assert release_folder.verify_release_folder(folder) == (
        "all files can be executed, as on file systems without modes",
    )


def test_a_release_without_its_items_does_not_verify(folder: Path) -> None:
    (folder / "items.jsonl").unlink()
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    del manifest["files"]["items.jsonl"]
    (folder / "manifest.json").write_text(manifest_text(manifest), "utf-8")
    assert "manifest.json counts 1 items, but items.jsonl holds 0" in release_folder.verify_release_folder(folder)
