"""What belongs to installers: one version everywhere, sound files for the desktop, recipes that name what exists."""

from __future__ import annotations

import configparser
import json
import os
import plistlib
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import annotator
from annotator.base.paths import PROJECT_SUFFIX
from annotator.cli.command import HIDDEN
from annotator.cli.parser import WORDS, load_commands
from annotator.store.file.schema import APPLICATION_ID

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"
LINUX = PACKAGING / "linux"
METAINFO = LINUX / "benchmark.annotator.app.metainfo.xml"
MIME = "application/x-annotator-project"

if not PACKAGING.exists():
    pytest.skip("not a checkout: the packaging folder is absent", allow_module_level=True)


def test_one_version_everywhere():
    version = annotator.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    newest = re.search(
        r"^## \[(\S+)\] - (\d{4}-\d\d-\d\d)$", (PACKAGING / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
    )
    assert newest is not None
    assert newest[1] == version
    release = ElementTree.parse(METAINFO).find("releases/release")
    assert release is not None
    assert (release.get("version"), release.get("date")) == (version, newest[2])


def test_no_recipe_names_a_version_of_its_own():
    others = (".md", ".lock", ".xml", ".pyc")
    recipes = [path for path in PACKAGING.rglob("*") if path.is_file() and path.suffix not in others]
    assert len(recipes) > 10
    for path in recipes:
        assert annotator.__version__ not in path.read_text("utf-8"), path


def test_the_project_type_is_the_same_for_everybody():
    desktop = configparser.ConfigParser(interpolation=None)
    desktop.optionxform = str  # type: ignore[assignment, method-assign]
    desktop.read(LINUX / "annotator.desktop", encoding="utf-8")
    entry = desktop["Desktop Entry"]
    assert entry["MimeType"] == f"{MIME};"
    assert entry["Exec"].split() == [entry["TryExec"], "%f"]
    assert (LINUX / entry["TryExec"]).exists()
    spaces = {"m": "http://www.freedesktop.org/standards/shared-mime-info"}
    kind = ElementTree.parse(LINUX / "annotator-mime.xml").find("m:mime-type", spaces)
    assert kind is not None
    assert kind.get("type") == MIME
    glob, number = kind.find("m:glob", spaces), kind.find("m:magic/m:match/m:match", spaces)
    assert glob is not None
    assert glob.get("pattern") == f"*{PROJECT_SUFFIX}"
    assert number is not None
    assert int(number.get("value", ""), 16) == APPLICATION_ID
    assert number.get("offset") == "68", "where SQLite keeps it"
    metainfo = ElementTree.parse(METAINFO)
    assert metainfo.findtext("provides/mediatype") == MIME
    assert metainfo.findtext("launchable") == "annotator.desktop"
    for file in ("windows/annotator.iss", "bundle/annotator.spec"):
        assert PROJECT_SUFFIX.removeprefix(".") in (PACKAGING / file).read_text("utf-8")


@pytest.mark.skipif(shutil.which("appstreamcli") is None, reason="appstreamcli is not installed (Debian: appstream)")
def test_the_metainfo_is_valid():
    done = subprocess.run(
        ["appstreamcli", "validate", "--no-net", "--format", "text", str(METAINFO)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif(shutil.which("desktop-file-validate") is None, reason="desktop-file-utils is not installed")
def test_the_desktop_entry_is_valid():
    done = subprocess.run(["desktop-file-validate", str(LINUX / "annotator.desktop")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    "script",
    sorted(path for path in PACKAGING.rglob("*") if path.is_file() and path.read_bytes()[:2] == b"#!"),
    ids=lambda path: str(path.relative_to(PACKAGING)),
)
def test_scripts_parse_and_can_be_run(script: Path):
    shell = "bash" if b"bash" in script.read_bytes().splitlines()[0] else "sh"
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    assert script.stat().st_mode & 0o111, "it must be executable"
    assert subprocess.run([shell, "-n", str(script)], capture_output=True).returncode == 0


def test_the_spec_parses_and_what_recipes_name_exists():
    spec = PACKAGING / "bundle" / "annotator.spec"
    compile(spec.read_text("utf-8"), str(spec), "exec")
    plistlib.loads((PACKAGING / "macos" / "entitlements.plist").read_bytes())
    for recipe in (*PACKAGING.rglob("build"), *PACKAGING.rglob("*.ps1"), LINUX / "pack"):
        for named in re.findall(r"(?:packaging|resources)/[\w./-]+\w", recipe.read_text("utf-8")):
            assert (ROOT / named).exists(), f"{recipe.name} names {named}"
    for named in re.findall(
        r'Source: "\.\.\\\.\.\\([^"*]+)', (PACKAGING / "windows" / "annotator.iss").read_text("utf-8")
    ):
        assert named.startswith("dist")


@pytest.mark.parametrize(("name", "tool"), [("bundle", "pyinstaller"), ("notices", "cyclonedx-bom")])
def test_what_makes_the_bundle_is_locked(name: str, tool: str):
    lock = (PACKAGING / f"requirements-{name}.lock").read_text("utf-8")
    wanted = re.findall(r"^([\w-]+)[>=<]", (PACKAGING / f"requirements-{name}.in").read_text("utf-8"), re.MULTILINE)
    assert tool in wanted
    for package in wanted:
        assert re.search(rf"^{package}==", lock, re.MULTILINE), package
    assert tool not in json.dumps((ROOT / "packaging" / "requirements.lock").read_text("utf-8"))


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-test.lock"])
def test_the_scripts_find_uv_in_the_locks(lock: str):
    assert len(re.findall(r"^uv==\S+ ", (PACKAGING / lock).read_text("utf-8"), re.MULTILINE)) == 1


def test_every_command_has_a_page_for_man(tmp_path: Path):
    pages = runpy.run_path(str(PACKAGING / "manual" / "man_pages.py"))["pages"]()
    commands = [item for word in WORDS for item in load_commands(word)]
    assert len(pages) == len(commands) + 1
    for item in commands:
        name = f"annotator-{item.name.replace(' ', '-')}"
        assert f".BR {name} (1)" in pages["annotator.1"]
        page = pages[f"{name}.1"].replace("\\-", "-")
        assert all(part.flag in page for part in item.parameters if part.declared.help != HIDDEN), item.name
        assert page.count(".SH") == 6


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
@pytest.mark.parametrize(
    "name", ["annotator.1", "annotator-run-start.1", "annotator-select.1", "annotator-sandbox-exec.1"]
)
def test_pages_for_man_are_sound(name: str):
    page = runpy.run_path(str(PACKAGING / "manual" / "man_pages.py"))["pages"]()[name]
    done = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-z"], input=page, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_bundle_carries_completions_and_pages_for_man():
    pack, build = ((PACKAGING / name).read_text("utf-8") for name in ("linux/pack", "bundle/build"))
    for shell in ("bash", "zsh", "fish"):
        assert f"build/completions/{shell}" in pack and shell in build
    assert "build/man" in pack and "packaging/manual/man_pages.py build/man" in build


def test_the_window_of_macos_and_windows_is_no_background_program():
    assert '"LSBackgroundOnly": False' in (PACKAGING / "bundle" / "annotator.spec").read_text("utf-8")
    recipe = (PACKAGING / "windows" / "annotator.iss").read_text("utf-8")
    assert "usPostUninstall" in recipe and "RegWriteExpandStringValue(HKA, PathKey(''), 'Path', Path)" in recipe


@pytest.mark.skipif(shutil.which("sh") is None, reason="sh is not installed")
@pytest.mark.parametrize(("words", "status"), [("formats", 0), ("status nowhere.annotator", 3), ("list --limt", 2)])
def test_a_program_without_streams_ends_as_it_should(words: str, status: int):
    entry = PACKAGING / "bundle" / "entry.py"
    line = f"exec {shlex.quote(sys.executable)} {shlex.quote(str(entry))} {words} >&- 2>&-"
    done = subprocess.run(["sh", "-c", line], env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    assert done.returncode == status
