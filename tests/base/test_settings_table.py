"""Settings as a table: what fits, what does not, and what stays on disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError
from annotator.base.settings import SETTINGS, SHORTCUTS, Settings, find_setting


def test_every_setting_explains_itself_and_its_default_fits():
    assert len({item.key for item in SETTINGS}) == len(SETTINGS)
    assert SHORTCUTS not in {item.key for item in SETTINGS}
    for item in SETTINGS:
        assert item.name[0].isupper()
        assert item.help.endswith(".")
        for value in (item.default, item.low, item.high):
            assert value is None or item.problem(value) == ""


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("text_scale", 40, "Text size must be from 50 to 200 %."),
        ("text_scale", "big", "Text size must be a whole number."),
        ("text_scale", True, "Text size must be a whole number."),
        ("look", "pink", "Theme must be one of system, light, dark."),
        ("open_last", "yes", "Open the last project must be yes or no."),
        ("backups", 0, "Backups must be from 1 to 1000."),
    ],
)
def test_a_value_that_does_not_fit_is_refused(tmp_path: Path, key: str, value, said: str):
    assert find_setting(key).problem(value) == said
    settings = Settings(tmp_path / "s.json", {})
    with pytest.raises(BadInputError, match="Nothing was changed"):
        settings.with_value(key, value)
    assert not (tmp_path / "s.json").exists()


def test_typed_values_are_read():
    assert find_setting("open_last").parse("no") is False
    assert find_setting("text_scale").parse(" 125 ") == 125
    assert find_setting("annotator").parse("Mei") == "Mei"
    for key, text in (("text_scale", "1.5"), ("open_last", "maybe"), ("look", ""), ("backups", "-1")):
        with pytest.raises(BadInputError):
            find_setting(key).parse(text)


def test_a_reset_leaves_the_rest_alone(tmp_path: Path):
    path = tmp_path / "s.json"
    settings = Settings(path, {"of_a_later_version": [1]}).with_value("look", "dark").with_value("backups", 9)
    settings = settings.without("look")
    assert (settings.get("look"), settings.get("backups")) == ("system", 9)
    assert json.loads(path.read_text()) == {"of_a_later_version": [1], "backups": 9}


def test_what_another_program_wrote_meanwhile_is_kept(tmp_path: Path):
    path = tmp_path / "s.json"
    mine = Settings.load(path).with_value("look", "dark")
    Settings.load(path).with_value("backups", 9)
    assert mine.with_value("text_scale", 125).get("backups") == 9


def test_shortcuts_are_kept_beside_the_settings(tmp_path: Path):
    path = tmp_path / "s.json"
    settings = Settings.load(path).with_shortcuts({"select.accept": ("X",), "select.skip": ()})
    assert Settings.load(path).shortcuts == {"select.accept": ("X",), "select.skip": ()}
    assert SHORTCUTS not in settings.with_shortcuts({}).values


@pytest.mark.parametrize("odd", [3, "A", ["A"], {"select.accept": "A"}, {"select.accept": [1]}, None])
def test_odd_shortcuts_count_as_none(tmp_path: Path, odd):
    assert Settings(tmp_path / "s.json", {SHORTCUTS: odd}).shortcuts == {}


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert main(["settings", "set", "text_scale", "125", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"key": "text_scale", "value": 125}
    assert main(["settings", "list", "--json"]) == 0
    listed = {row["key"]: row["value"] for row in json.loads(capsys.readouterr().out)["settings"]}
    assert listed["text_scale"] == 125
    assert main(["settings", "reset", "text_scale"]) == 0
    assert "reset to 100" in capsys.readouterr().out
    assert main(["settings", "set", "text_scale", "9"]) == 3
    for unknown in (["set", "nothing", "1"], ["reset", "nothing"]):
        assert main(["settings", *unknown]) == 2
    assert main(["settings"]) == 2
