"""A release is published to a git remote and a data set server, once per version, after a dry run; no key is told."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
import logging
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.formats.interchange import release_folder
from annotator.model.vocabulary import Verdict
from annotator.services.release import publishing, versions
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from tests.git_remote import make_remote, run_git
from tests.template_projects import project_of_rows

KEY = "hf_thisIsNoRealKeyButLooksLikeOne"
needs_hub = pytest.mark.skipif(
    importlib.util.find_spec("huggingface_hub") is None, reason="huggingface-hub is not installed"
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ProjectFile]:
    rows = [
        {"id": f"i{n}", "title": f"Item {n}", "prompt": f"Question {n}\r\nwith both ends", "reference": "x",
         "language": "python", "task": "question", "licence": "MIT"}
        for n in range(3)
    ]  # fmt: skip
    with closing(project_of_rows(tmp_path / "p.annotator", rows, people=("Ada <ada>",), release="1.0")) as made:
        yield made


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return make_remote(tmp_path)


def _check_out(remote: Path, name: str, folder: Path) -> None:
    folder.mkdir()
    run_git(
        "-c", "core.autocrlf=false", f"--git-dir={remote}", f"--work-tree={folder}", "checkout", "-q", name, "--", "."
    )


def test_a_plan_says_what_would_be_sent_and_sends_nothing(store: ProjectFile, remote: Path) -> None:
    plan = publishing.send_release(store, None, str(remote))
    names = [name for name, _ in plan.files]
    assert {"README.md", "DATASHEET.md", "croissant.json", "CITATION.cff", "LICENSE", "ATTRIBUTION.md"} <= set(names)
    assert plan.commit == "" and plan.form == "annotator" and any("a test" in told for told in plan.remarks)
    assert run_git("-C", remote, "for-each-ref") == ""


def test_versions_follow_each_other_on_a_git_remote_byte_for_byte(
    store: ProjectFile, remote: Path, tmp_path: Path
) -> None:
    first = publishing.send_release(store, "1.0", str(remote), send=True)
    one, two = tmp_path / "one", tmp_path / "two"
    _check_out(remote, "v1.0", one)
    assert release_folder.verify_release_folder(one) == ()
    assert run_git("-C", remote, "rev-parse", "v1.0").strip() == first.commit
    with pytest.raises(BadInputError, match="already published there"):
        publishing.send_release(store, "1.0", str(remote), send=True)
    triage.decide_subjects(store, ["jsonl:i0"], Verdict.REJECT)
    versions.create_release(store, "2.0", override_reason="a test")
    second = publishing.send_release(store, None, str(remote), send=True)
    assert run_git("-C", remote, "rev-parse", "main^").strip() == first.commit
    _check_out(remote, "main", two)
    assert (
        release_folder.verify_release_folder(two) == ()
        and run_git("-C", remote, "rev-parse", "main").strip() == second.commit
    )
    assert json.loads((two / "manifest.json").read_text("utf-8"))["version"] == "2.0"


def test_a_hook_of_the_remote_that_refuses_leaves_branch_and_tag_alone(store: ProjectFile, remote: Path) -> None:
    hook = remote / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho no room for ghp_abcdefghijklmnopqrstu >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(BadInputError, match="git refused") as refused:
        publishing.send_release(store, "1.0", str(remote), send=True)
    assert any("no room" in line for line in refused.value.details)
    assert not any("ghp_" in line for line in refused.value.details)
    assert run_git("-C", remote, "for-each-ref") == ""


@pytest.mark.parametrize(
    "place",
    ["", "here", "ext::sh -c true", "-oProxyCommand=x", "hf:ada", "hf:../x", "https://a:secretword@b.org/r.git"],
)
def test_what_is_no_place_is_refused(store: ProjectFile, place: str) -> None:
    with pytest.raises(BadInputError, match=r"Cannot publish to|password"):
        publishing.send_release(store, None, place)


def test_pages_of_the_hub_are_its_repositories(store: ProjectFile) -> None:
    plan = publishing.send_release(store, None, "https://huggingface.co/datasets/ada/bench/")
    assert plan.place == "hf:ada/bench" and "data/test.jsonl" in dict(plan.files)
    assert {"README.md", "croissant.json", "CITATION.cff", "LICENSE", "ATTRIBUTION.md"} <= set(dict(plan.files))


class FakeHub(BaseHTTPRequestHandler):
    """Answers what a data set server is asked when a folder is uploaded; keeps files and tags."""

    def do_GET(self) -> None:
        state = self.server.state  # type: ignore[attr-defined]
        if "/refs" in self.path:
            self._say({"branches": [], "converts": [], "tags": [
                {"name": name, "ref": f"refs/tags/{name}", "targetCommit": commit} for name, commit in state["tags"]
            ]})  # fmt: skip
        elif "/tree/" in self.path:
            self._say([{"type": "file", "path": name, "size": 1, "oid": "0"} for name in state["files"]])
        else:
            self._say(
                {"id": "ada/bench", "sha": "0" * 40, "siblings": [{"rfilename": name} for name in state["files"]]}
            )

    def do_PUT(self) -> None:
        state = self.server.state  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if state["lose"]:
            self._say({"error": "no room"}, 403)
            return
        state["objects"][self.path] = body
        self._say({}, ETag=f'"{len(state["objects"])}"')

    def _say_where_large_files_go(self, wanted: Any) -> None:
        """Answer Git LFS: an object in one part, or in parts of so many bytes that are completed then."""
        state, found = self.server.state, []  # type: ignore[attr-defined]
        for row in wanted["objects"]:
            place = f"http://{self.headers['Host']}/objects/{row['oid']}"
            upload: dict[str, Any] = {"href": place}
            if state["part"]:
                count = -(-row["size"] // state["part"])
                parts = {str(n): f"{place}/{n}" for n in range(1, count + 1)}
                upload = {"href": f"{place}/complete", "header": {"chunk_size": str(state["part"]), **parts}}
            actions = {"upload": upload, "verify": {"href": f"{place}/verify"}}
            found.append({"oid": row["oid"], "size": row["size"], "actions": actions})
        self._say({"transfer": "multipart" if state["part"] else "basic", "objects": found})

    def _keep_large_file(self, row: Any) -> None:
        """Take a large file into the repository: its object, whole or from its parts, must have come before."""
        state = self.server.state  # type: ignore[attr-defined]
        parts = [path for path in state["objects"] if path.startswith(f"/objects/{row['oid']}")]
        content = b"".join(state["objects"][path] for path in sorted(parts, key=lambda path: (len(path), path)))
        assert hashlib.sha256(content).hexdigest() == row["oid"] and len(content) == row["size"]
        state["files"][row["path"]] = content

    def do_POST(self) -> None:
        state = self.server.state  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        state["seen"].append((self.path, self.headers.get("Authorization")))
        if state["refuse"]:
            self._say({"error": f"no {self.headers.get('Authorization')}"}, 403)
        elif "/preupload/" in self.path:
            files = json.loads(body)["files"]
            self._say(
                {"files": [
                    {"path": row["path"], "uploadMode": "lfs" if row["path"] in state["large"] else "regular",
                     "shouldIgnore": False} for row in files
                ]}
            )  # fmt: skip
        elif self.path.endswith("/objects/batch"):
            self._say_where_large_files_go(json.loads(body))
        elif self.path.startswith("/objects/"):
            self._say({})
        elif "/commit/" in self.path:
            for line in map(json.loads, body.splitlines()):
                if line["key"] == "file":
                    state["files"][line["value"]["path"]] = base64.b64decode(line["value"]["content"])
                elif line["key"] == "lfsFile":
                    self._keep_large_file(line["value"])
                elif line["key"] == "deletedFile":
                    del state["files"][line["value"]["path"]]
            oid = f"{len(state['seen']):040x}"
            self._say(
                {
                    "success": True,
                    "commitOid": oid,
                    "commitUrl": f"http://{self.headers['Host']}/datasets/ada/bench/commit/{oid}",
                }
            )
        elif "/tag/" in self.path:
            state["tags"].append((json.loads(body)["tag"], self.path.rpartition("/")[2]))
            self._say({})
        elif "create" in self.path:
            state["private"] = json.loads(body).get("private") or json.loads(body).get("visibility")
            self._say({"url": f"http://{self.headers['Host']}/datasets/ada/bench"})
        else:
            self._say({"errors": [], "warnings": []})

    def _say(self, value: Any, status: int = 200, **headers: str) -> None:
        text = json.dumps(value).encode()
        self.send_response(status)
        for name, told in headers.items():
            self.send_header(name, told)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_words: object) -> None:
        """Say nothing."""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, dict[str, Any]]]:
    monkeypatch.setenv("HF_TOKEN", KEY)
    server = ThreadingHTTPServer(("127.0.0.1", 0), FakeHub)
    server.state = {  # type: ignore[attr-defined]
        "files": {}, "tags": [], "seen": [], "refuse": False, "large": (), "objects": {}, "part": 0, "lose": False,
    }  # fmt: skip
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", server.state  # type: ignore[attr-defined]
    server.shutdown()
    server.server_close()


@needs_hub
def test_a_release_is_published_to_a_data_set_server(
    store: ProjectFile, hub: tuple[str, dict[str, Any]], capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    endpoint, state = hub
    state["files"]["data/of-an-older-version.jsonl"] = b"{}"
    words = ["release", "publish", str(store.path), "--to", "hf:ada/bench", "--endpoint", endpoint]
    assert main(words) == 0 and not state["seen"]
    with caplog.at_level(logging.DEBUG):
        assert main([*words, "--send", "--json"]) == 0
    told = capsys.readouterr()
    assert KEY not in told.out + told.err + caplog.text
    assert all(key == f"Bearer {KEY}" for path, key in state["seen"] if "validate" not in path)
    assert state["private"] in (True, "private")
    assert "data/of-an-older-version.jsonl" not in state["files"] and [name for name, _ in state["tags"]] == ["v1.0"]
    rows = [json.loads(line) for line in state["files"]["data/test.jsonl"].splitlines()]
    assert [row["key"] for row in rows] == ["jsonl:i0", "jsonl:i1", "jsonl:i2"]
    card = state["files"]["README.md"].decode()
    assert "license: mit" in card and "a test" in card
    described = json.loads(state["files"]["croissant.json"])
    assert described["distribution"][0]["contentUrl"] == "data/test.jsonl"
    with pytest.raises(BadInputError, match="already published there"):
        publishing.send_release(store, None, "hf:ada/bench", send=True, endpoint=endpoint)


LARGE = "data/test.jsonl"


@needs_hub
@pytest.mark.parametrize("part", [0, 100], ids=["whole", "in parts"])
def test_a_large_file_goes_by_git_lfs_where_the_server_asks_for_it(
    store: ProjectFile, hub: tuple[str, dict[str, Any]], part: int
) -> None:
    endpoint, state = hub
    state |= {"large": (LARGE,), "part": part}
    plan = publishing.send_release(store, None, "hf:ada/bench")
    publishing.send_release(store, None, "hf:ada/bench", send=True, endpoint=endpoint)
    assert len(state["files"][LARGE]) == dict(plan.files)[LARGE] and [name for name, _ in state["tags"]] == ["v1.0"]
    assert [json.loads(line)["key"] for line in state["files"][LARGE].splitlines()] == [f"jsonl:i{n}" for n in range(3)]
    assert len(state["objects"]) == (-(-len(state["files"][LARGE]) // part) if part else 1)


@needs_hub
def test_a_large_file_that_does_not_arrive_leaves_no_commit_and_no_tag(
    store: ProjectFile, hub: tuple[str, dict[str, Any]]
) -> None:
    endpoint, state = hub
    state |= {"large": (LARGE,), "lose": True}
    with pytest.raises(BadInputError, match="server refused") as refused:
        publishing.send_release(store, None, "hf:ada/bench", send=True, endpoint=endpoint)
    assert any(LARGE in line for line in refused.value.details) and any("403" in line for line in refused.value.details)
    assert not state["files"] and not state["tags"]


class KeepingServer(ThreadingHTTPServer):
    """Keeps what it is asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), RefusingProxy)
        self.asked: list[bytes] = []


class RefusingProxy(BaseHTTPRequestHandler):
    """Refuses whatever is asked of it, and keeps the address."""

    def parse_request(self) -> bool:
        assert isinstance(self.server, KeepingServer)
        self.server.asked.append(self.raw_requestline)
        super().parse_request()
        self.send_error(403)
        return False

    def log_message(self, *_words: object) -> None:
        """Say nothing."""


@needs_hub
def test_only_the_server_that_is_named_is_asked(
    store: ProjectFile, hub: tuple[str, dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint, state = hub
    proxy = KeepingServer()
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.server_port}")
        monkeypatch.setenv(name.lower(), f"http://127.0.0.1:{proxy.server_port}")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    # Nothing that the package kept of an earlier day answers in the server's place, and it may ask what it wants.
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "0")
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    try:
        publishing.send_release(store, None, "hf:ada/bench", send=True, endpoint=endpoint)
    finally:
        proxy.shutdown()
        proxy.server_close()
    assert [name for name, _ in state["tags"]] == ["v1.0"]
    assert proxy.asked == []


@needs_hub
def test_a_refusal_and_a_server_that_is_not_there_are_told_without_the_key(
    store: ProjectFile, hub: tuple[str, dict[str, Any]]
) -> None:
    endpoint, state = hub
    state["refuse"] = True
    for address in (endpoint, "http://127.0.0.1:9"):
        with pytest.raises(BadInputError, match="server refused") as refused:
            publishing.send_release(store, None, "hf:ada/bench", send=True, endpoint=address)
        assert KEY not in "".join(map(str, (refused.value, *refused.value.details)))


def test_without_a_key_nothing_is_sent(store: ProjectFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr("keyring.get_password", lambda *_: None)
    with pytest.raises(MissingEnvironmentError, match="no key HF_TOKEN"):
        publishing.send_release(store, None, "hf:ada/bench", send=True)
