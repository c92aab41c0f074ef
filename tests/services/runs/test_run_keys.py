"""The key is sent to the endpoint and is nowhere else: project file, logs, exports, outputs, process list."""

from __future__ import annotations

import gzip
import json
import logging
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from annotator.__main__ import main
from annotator.base.logs import LOGGER, set_up_logging
from annotator.llm.requests import Endpoint
from annotator.services.project import projects
from annotator.services.runs.run_plan import RunSpec
from tests.llm.server import Server
from tests.llm.server import running as serving
from tests.services.runs.conftest import build_project, sampled, start_run

ROOT = Path(__file__).parents[3]
# Of no known shape, so that nothing here rests on recognising keys.
KEY = "Zq7walrus.opaque+51/credential"
NAME = "TEST_RUN_KEY"


def _found(folder: Path) -> list[str]:
    found = []
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            data += gzip.decompress(data) if data[:2] == b"\x1f\x8b" else b""
            if KEY.encode() in data:
                found.append(str(path))
    return found


def test_the_key_is_nowhere_but_in_the_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.annotator"
    build_project(path, 8)
    # The endpoint says the key back, as some do, in an error and in a model's name.
    server = Server(lambda key, attempt: "503" if attempt == 1 and key < "8" else "", delay_s=0.05)
    server.status_body = {"error": {"message": f"bad key {KEY}", "code": None}}
    environment = {
        **os.environ, NAME: KEY, "XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
    }  # fmt: skip
    said = []

    def call(*arguments: str, status: int = 0) -> str:
        process = subprocess.Popen(
            [sys.executable, "-m", "annotator", *arguments], cwd=ROOT, env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        commands = []
        while process.poll() is None:
            commands += [_command(pid) for pid in Path("/proc").iterdir() if pid.name.isdigit()]
            time.sleep(0.2)
        out, err = process.communicate()
        assert process.returncode == status, err
        assert not any(KEY in command for command in commands), "the key is in the list of processes"
        said.extend((out, err))
        return out

    project = str(path)
    with serving(server):
        endpoint = tmp_path / "endpoint.json"
        endpoint.write_text(json.dumps({"base_url": server.url, "key_name": NAME}))
        call("run", "setup", project, "endpoint", "local", "--set", str(endpoint))
        call("run", "start", project, "--model", "m", "--endpoint", "local", "--samples", "2")
        assert {headers["authorization"] for headers in server.counts.headers} == {f"Bearer {KEY}"}
        server.faults = lambda key, attempt: "401"
        call("run", "start", project, "--model", "other", "--base-url", server.url, "--key-name", NAME, status=5)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    def show(*arguments: str) -> str:
        """Commands that ask nobody are as good in this process, and quicker."""
        assert main(list(arguments)) == 0
        said.extend(capfd.readouterr())
        return said[-2]

    capfd.readouterr()
    runs = json.loads(show("run", "list", project, "--json"))["runs"]
    assert {run["state"] for run in runs} == {"done", "stopped"}
    for run in runs:
        show("run", "show", project, run["id"], "--json")
        show("run", "log", project, run["id"], "--json")
    show("run", "log", project, runs[1]["id"], "--subject", "q0001", "--sample", "1", "--json")
    show("run", "compare", project, runs[0]["id"], runs[1]["id"])
    show("results", project, "--json")
    show("release", "export", project, "--out", str(tmp_path / "out"))
    show("backup", project)
    assert not any(KEY in text for text in said)
    assert (tmp_path / "out").is_dir() and len(list(tmp_path.rglob("*.annotator*"))) > 1
    assert _found(tmp_path) == []


def _command(process: Path) -> str:
    try:
        return (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def test_logs_of_a_run_hold_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, KEY)
    log = set_up_logging(tmp_path / "logs", logging.DEBUG)
    assert log is not None
    path = tmp_path / "p.annotator"
    build_project(path, 3)
    opened = projects.open_project(path)
    server = Server(lambda key, attempt: "503" if attempt == 1 else "")
    server.status_body = {"error": {"message": f"bad key {KEY}", "code": None}}
    with serving(server):
        start_run(
            opened, RunSpec(model="m", protocol=sampled(1), endpoint=Endpoint(base_url=server.url, key_name=NAME))
        )
    opened.close()
    for handler in list(logging.getLogger(LOGGER).handlers):
        if getattr(handler, "baseFilename", "") == str(log):
            logging.getLogger(LOGGER).removeHandler(handler)
            handler.close()
    assert _found(tmp_path) == []
