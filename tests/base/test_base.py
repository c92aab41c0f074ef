"""Identifiers, clock, secrets, settings and resources; messages, programs, late imports and the frozen bundle."""

from __future__ import annotations

import copy
import json
import logging
import os
import sys
import uuid
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base import clock, ids, logs, paths
from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.ids import content_hash, new_id, stable_id
from annotator.base.messages import (
    Message,
    encode_message,
    join_messages,
    mark_word,
    match_template,
    message_document,
    message_for_count,
    message_from_document,
)
from annotator.base.open_files import open_output
from annotator.base.resources import find_program, resource_path
from annotator.base.secrets import find_key, redact
from annotator.base.settings import SETTINGS, Settings
from annotator.construction.bugs import static_rules
from annotator.sandbox import sandbox_places
from tests.rows import check_rows


def test_new_ids_are_version_7_unique_and_in_order_of_time() -> None:
    ids = [new_id() for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert {(uuid.UUID(item).version, uuid.UUID(item).variant) for item in ids} == {(7, uuid.RFC_4122)}
    assert [item[:8] for item in ids] == sorted(item[:8] for item in ids)


def test_stable_ids_depend_on_the_parts_not_their_joining() -> None:
    assert stable_id("a", "b") == stable_id("a", "b")
    assert stable_id("ab", "") != stable_id("a", "b")


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_stable_ids_are_uuids_of_version_5(parts: list[str]) -> None:
    expected = uuid.uuid5(uuid.UUID("5f0d3c6e-0f5b-5a39-9c1b-6d8f1f4f6a10"), "\0".join(parts))
    assert stable_id(*parts) == str(expected)


def test_hexadecimal_text_has_one_of_the_lengths() -> None:
    assert [text for text in ("0af1", "0af", "0AF1", "0ag1", "") if ids.is_hex(text, (4, 40))] == ["0af1"]


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
                try:
                    raise KeyError(prompt) from error
                except KeyError:
                    raise TypeError(prompt)  # noqa: B904 - what it was raised beside is logged too
        except TypeError:
            logger.exception("reading failed")
    finally:
        for handler in list(logger.handlers):
            handler.close()
            logger.removeHandler(handler)
    text = path.read_text()
    assert "abcdefghijkl" not in text
    assert "ValueError\nled to\n" in text and "KeyError\nled to\n" in text
    assert text.endswith("builtins.TypeError\n")
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


# What is loaded late is the same as what would have been there at once.


def test_a_log_is_there_before_its_first_line_and_takes_all_of_them(tmp_path: Path) -> None:
    path = tmp_path / "annotator.log"
    handler = logs.LogFile(path)
    handler.setFormatter(logs.RedactingFormatter("%(message)s"))
    assert path.read_text() == ""
    for text in ("one", "two, password=abcdefghijkl"):
        handler.handle(logging.LogRecord("annotator", logging.INFO, "", 0, text, None, None))
    handler.flush()
    assert path.read_text().splitlines() == ["one", "two, [removed]"]
    handler.close()


def test_a_log_that_cannot_be_written_is_said_at_once(tmp_path: Path) -> None:
    (tmp_path / "annotator.log").mkdir()
    with pytest.raises(OSError, match=r"annotator\.log"):
        logs.LogFile(tmp_path / "annotator.log")
    assert logs.set_up_logging(tmp_path) is None


# What differs in a frozen bundle: where files of ours lie, and which Python runs code.


def test_resources_of_the_bundle_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "resources" / "help").mkdir(parents=True)
    (tmp_path / "resources" / "help" / "select.md").write_text("# Frozen\n")
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert resource_path("help", "select.md").read_text() == "# Frozen\n"


def test_the_rule_checker_of_the_bundle_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    name = "ruff.exe" if sys.platform == "win32" else "ruff"
    (tmp_path / name).write_text("")
    (tmp_path / name).chmod(0o755)
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert static_rules.find_ruff() == str(tmp_path / name)


def test_a_bundle_runs_code_with_the_machines_python_or_says_that_there_is_none(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sandbox_places.shutil, "which", lambda name, path=None: f"/usr/bin/{name}")
    assert sandbox_places.find_python() == "/usr/bin/python3"
    monkeypatch.setattr(sandbox_places.shutil, "which", lambda name, path=None: None)
    with pytest.raises(MissingEnvironmentError, match="requires Python on this machine"):
        sandbox_places.find_python()


# A family of samples that is one test reports every row that fails.


def _check_half(number: int, half: int) -> None:
    assert number // half == 2


def test_every_failing_row_is_named() -> None:
    check_rows(_check_half, [(4, 2), (6, 3)])
    with pytest.raises(AssertionError) as failure:
        check_rows(_check_half, [(4, 2), (9, 3), (1, 0)])
    message = str(failure.value)
    assert message.startswith("2 of 3 rows fail:")
    assert "(9, 3): AssertionError" in message and "(1, 0): ZeroDivisionError" in message and "(4, 2)" not in message


def test_no_rows_are_a_failure() -> None:
    with pytest.raises(AssertionError, match="no rows"):
        check_rows(_check_half, [])


# Programs are found beside Python first, then on the search path.


def test_programs_of_the_environment_need_no_search_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    for name in ("ruff", "uv"):
        found = find_program(name)
        assert found is not None and Path(found).parent.samefile(Path(sys.executable).parent)
    assert find_program("no-such-program") is None


@pytest.mark.skipif(os.name != "posix", reason="programs end in .exe on Windows")
def test_other_programs_are_found_on_the_search_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "some-program"
    program.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_program("some-program") == str(program)


@pytest.mark.skipif(os.name != "posix", reason="programs end in .exe on Windows")
def test_a_frozen_bundle_has_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "uv"
    program.touch(0o755)
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert find_program("uv") == str(program)


# Messages: English strings that remember their template and fields.
LABEL = Message("Undo: {label}", label=Message("Accept {title}", title="Sort {x} a list"))


def test_a_message_is_its_english_text() -> None:
    assert LABEL == "Undo: Accept Sort {x} a list"
    assert Message("{a} of {b}", a=1, b="{a}") == "1 of {a}"
    assert message_for_count("{count} item", "{count} items", 1) == "1 item"
    assert message_for_count("{count} item", "{count} items", 2) == "2 items"


def test_copies_remember_template_and_fields() -> None:
    copied = copy.deepcopy(LABEL)
    assert (copied, copied.template, copied.fields) == (LABEL, LABEL.template, LABEL.fields)
    assert isinstance(copied.fields["label"], Message)


@pytest.mark.parametrize("message", [LABEL, Message("Clear the quotas"), Message("By {by}", by=mark_word("domain"))])
def test_a_message_comes_back_from_json(message: Message) -> None:
    found = message_from_document(str(message), json.loads(encode_message(message)))
    assert isinstance(found, Message)
    assert (found, found.template, found.fields) == (message, message.template, message.fields)


@pytest.mark.parametrize(
    "document",
    [None, [], "x", {}, {"template": 1, "fields": {}}, {"template": "Accept {title}", "fields": []},
     {"template": "Accept {title}", "fields": {"title": "other"}},
     {"template": "Accept {title}", "fields": {"title": {"template": 1}}}],
)  # fmt: skip
def test_what_does_not_agree_with_the_english_text_is_passed_over(document: object) -> None:
    found = message_from_document("Accept Sort a list", document)
    assert found == "Accept Sort a list" and not isinstance(found, Message)


def test_a_plain_text_has_no_document() -> None:
    assert message_document("Accept it") is None and encode_message("Accept it") == ""


def test_a_kept_text_is_read_as_the_first_template_that_makes_it() -> None:
    templates = ("uses a {sign} hash", "uses {new} instead of {old}", "uses {new}")
    found = match_template("uses [i + 1] instead of {x}", templates)
    assert isinstance(found, Message)
    assert (found, found.template) == ("uses [i + 1] instead of {x}", "uses {new} instead of {old}")
    assert found.fields == {"new": "[i + 1]", "old": "{x}"}
    other = match_template("what a model wrote", templates)
    assert other == "what a model wrote" and not isinstance(other, Message)


def test_joined_messages_keep_their_parts() -> None:
    joined = join_messages(Message("{name} {count}", name=mark_word(name), count=2) for name in ("easy", "hard"))
    assert joined == "easy 2, hard 2"
    assert all(isinstance(part, Message) for part in joined.fields.values())
    assert join_messages(()) == "none"
