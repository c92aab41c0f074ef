"""Identifiers, clock, secrets, settings, resources."""

from __future__ import annotations

import logging
import os
import sys
import uuid
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base import clock, logs, paths
from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.ids import content_hash, new_id, stable_id
from annotator.base.open_files import open_output
from annotator.base.resources import resource_path
from annotator.base.secrets import find_key, redact
from annotator.base.settings import SETTINGS, Settings


def test_new_ids_are_version_7_unique_and_in_order_of_time() -> None:
    ids = [new_id() for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert {uuid.UUID(item).version for item in ids} == {7}
    assert [item[:8] for item in ids] == sorted(item[:8] for item in ids)


def test_stable_ids_depend_on_the_parts_not_their_joining() -> None:
    assert stable_id("a", "b") == stable_id("a", "b")
    assert stable_id("ab", "") != stable_id("a", "b")


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_stable_ids_are_uuids_of_version_5(parts: list[str]) -> None:
    expected = uuid.uuid5(uuid.UUID("5f0d3c6e-0f5b-5a39-9c1b-6d8f1f4f6a10"), "\0".join(parts))
    assert stable_id(*parts) == str(expected)


@given(st.dictionaries(st.text(), st.integers()))
def test_content_hash_ignores_the_order_of_keys(value: dict[str, int]) -> None:
    assert content_hash(value) == content_hash(dict(reversed(value.items())))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "just now"), (59, "just now"), (60, "1 min ago"), (3599, "59 min ago"), (3600, "1 h ago"),
     (90_000, "yesterday"), (200_000, "2 days ago")],
)  # fmt: skip
def test_ago(seconds: int, words: str) -> None:
    moment = clock.now()
    assert clock.ago(moment - timedelta(seconds=seconds), moment) == words


def test_time_is_written_and_read_back() -> None:
    text = clock.now_text()
    assert clock.parse_time(text).strftime("%Y-%m-%dT%H:%M:%S.%fZ") == text


@pytest.mark.parametrize(
    "secret",
    [
        "sk-abcdefghijklmnopqrstuvwx",
        "Authorization: Bearer abcdef.ghijkl-mnopqr",
        'api_key="hunter2hunter2"',
        "https://user:passw0rd@host/v1",
        "password: correcthorse",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "key=sk-proj-abcdefghijklmnop_qrst",
        "/v1/hf_abcdefghijklmnopqrst.",
        "sk-proj-abcdefghijklmnop_qrst.json",
    ],
)
def test_secrets_are_removed(secret: str) -> None:
    cleaned = redact(f"failed with {secret} here")
    assert "[removed]" in cleaned
    for part in ("abcdefghijklmnop", "hunter2", "passw0rd", "correcthorse", "abcdef.ghijkl"):
        assert part not in cleaned


@pytest.mark.parametrize(
    "text",
    [
        "The token count was 12. See line 3 of skeleton-builder.py",
        "benchmark-results-of-may.eval has 3 bad rows",
        "/data/hf_humaneval_samples_2024.jsonl.gz is no zip file",
        "framework-independent-benchmark_of_2024 is a folder",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert redact(text) == text


def test_logs_hold_no_secret_and_nothing_that_errors_quote(tmp_path: Path) -> None:
    path = logs.set_up_logging(tmp_path / "logs")
    assert path is not None
    logger = logging.getLogger(logs.LOGGER)
    prompt = tmp_path.name
    try:
        logger.error("call failed: api_key=abcdefghijkl")
        try:
            try:
                int(prompt)
            except ValueError as error:
                raise KeyError(prompt) from error
        except KeyError:
            logger.exception("reading failed")
    finally:
        for handler in list(logger.handlers):
            handler.close()
            logger.removeHandler(handler)
    text = path.read_text()
    assert "abcdefghijkl" not in text
    assert "ValueError\nled to\n" in text and text.endswith("builtins.KeyError\n")
    assert "test_base.py" in text and prompt not in text


def test_a_key_comes_from_the_environment_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "value")
    assert find_key("MY_KEY") == "value"


def test_settings_keep_what_they_do_not_know(tmp_path: Path) -> None:
    path = tmp_path / "config" / "settings.json"
    settings = Settings.load(path)
    assert settings.get("look") == "system"
    settings.with_value("look", "dark").with_value("text_scale", 125)
    path.write_text(path.read_text().replace("{", '{"later": 1, ', 1))
    again = Settings.load(path).with_value("backups", 7)
    assert again.get("look") == "dark"
    assert Settings.load(path).values["later"] == 1


def test_a_value_that_does_not_fit_falls_back_to_the_default(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "s.json", {"look": "pink", "text_scale": "big"})
    assert settings.get("look") == "system"
    assert settings.get("text_scale") == 100
    assert len({setting.key for setting in SETTINGS}) == len(SETTINGS)


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff\xfe"])
def test_a_broken_settings_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(content)
    with pytest.raises(BadInputError, match=r"settings\.json"):
        Settings.load(path)


def test_resources_are_found_or_their_absence_explained() -> None:
    assert resource_path("samples").is_dir()
    with pytest.raises(MissingEnvironmentError, match=r"samples/none\.txt"):
        resource_path("samples", "none.txt")


def test_a_bare_project_name_gets_the_suffix() -> None:
    assert paths.project_path("demo").name == "demo.annotator"
    assert paths.project_path("demo.db").name == "demo.db"


def test_an_output_replaces_a_file_and_is_written_through_a_link(tmp_path: Path) -> None:
    rows, link = tmp_path / "rows.jsonl", tmp_path / "link.jsonl"
    link.symlink_to(rows)
    for path, text in ((rows, "first"), (link, "second")):
        with open_output(path) as stream:
            stream.write(text)
        assert rows.read_text() == text
        assert link.is_symlink()
    with pytest.raises(ZeroDivisionError), open_output(rows) as stream:
        stream.write(str(1 // 0))
    assert rows.read_text() == "second"
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no devices in folders")
def test_a_device_is_never_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with open_output(pipe) as stream:
        stream.write("row")
    assert os.read(reader, 9) == b"row"
    os.close(reader)
    assert pipe.is_fifo()
