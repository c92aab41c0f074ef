"""The toolkit loads with bytecode kept from an earlier start, and behaves as if it had not been."""

from __future__ import annotations

import builtins
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

from annotator.ui.toolkit import KeptCode, Later, kept_folder, load

SOURCE = b"value = 6 * 7\n"
NAME = "shibokensupport/made.py"


def _run(code: object) -> object:
    space: dict[str, object] = {}
    exec(code, space)  # type: ignore[arg-type]  # code of this test
    return space["value"]


def _never(*_: object) -> object:
    raise AssertionError("compiled again")


def _kept(folder: Path, source: bytes = SOURCE) -> KeptCode:
    made = KeptCode(folder)
    made.compiling(compile)(source, NAME, "exec")
    made.tidy()
    return made


def _bytecode(folder: Path) -> Path:
    (file,) = folder.glob("*.carried")
    return Path(importlib.util.cache_from_source(str(file)))


@pytest.fixture(autouse=True)
def _writing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


def test_what_was_compiled_once_is_taken_as_python_kept_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "deep" / "kept"
    _kept(folder)
    assert _bytecode(folder).is_file()
    monkeypatch.setattr(SourceFileLoader, "source_to_code", _never)
    assert _run(KeptCode(folder).compiling(_never)(SOURCE, NAME, "exec")) == 42


def test_other_files_and_other_ways_of_compiling_are_python_s_own(tmp_path: Path) -> None:
    seen: list[tuple[object, ...]] = []

    def own(*given: object, **named: object) -> object:
        seen.append((*given, *named))
        return "made"

    compiling = KeptCode(tmp_path / "kept").compiling(own)
    assert compiling("text", NAME, "exec") == "made"
    assert compiling(SOURCE, "elsewhere.py", "exec") == "made"
    assert compiling(SOURCE, NAME, "exec", dont_inherit=True) == "made"
    assert len(seen) == 3
    assert not (tmp_path / "kept").exists()


def test_what_an_earlier_version_carried_is_thrown_away(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    _kept(folder)
    old = _bytecode(folder)
    _kept(folder, b"value = 1\n")
    assert not old.exists()
    assert _run(KeptCode(folder).compiling(_never)(b"value = 1\n", NAME, "exec")) == 1


def _cut(content: bytes) -> bytes:
    return content[:-3]


def _of_another_python(content: bytes) -> bytes:
    return b"\0\0\0\0" + content[4:]


def _nothing(_: bytes) -> bytes:
    return b""


@pytest.mark.parametrize("spoil", [_cut, _of_another_python, _nothing])
def test_bytecode_that_is_not_whole_is_made_anew(tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    folder = tmp_path / "kept"
    _kept(folder)
    kept = _bytecode(folder)
    whole = kept.read_bytes()
    kept.write_bytes(spoil(whole))
    assert _run(KeptCode(folder).compiling(compile)(SOURCE, NAME, "exec")) == 42
    assert _run(KeptCode(folder).compiling(_never)(SOURCE, NAME, "exec")) == 42
    assert kept.read_bytes() == whole


def test_nothing_is_written_where_python_writes_no_bytecode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert _run(KeptCode(tmp_path / "kept").compiling(compile)(SOURCE, NAME, "exec")) == 42
    assert not (tmp_path / "kept").exists()


def test_a_folder_that_cannot_be_made_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    assert _run(KeptCode(tmp_path / "taken" / "kept").compiling(compile)(SOURCE, NAME, "exec")) == 42
    assert (tmp_path / "taken").read_text() == "a file"


def test_it_is_kept_where_python_keeps_bytecode(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    assert tmp_path in kept_folder().parents


def test_an_expression_is_built_when_it_is_used() -> None:
    built: list[str] = []

    def build() -> re.Pattern[str]:
        built.append("now")
        return re.compile("a+")

    later = Later(build)
    find = later.finditer
    assert not built
    assert [found[0] for found in find("caat a")] == ["aa", "a"]
    assert later.sub("b", "caat") == "cbt"
    assert later.pattern == "a+"
    assert built == ["now"]
    with pytest.raises(AttributeError):
        _ = later.nothing_of_the_kind


def test_loading_twice_changes_nothing() -> None:
    before = (builtins.compile, re.compile, builtins.__import__)
    load()
    assert (builtins.compile, re.compile, builtins.__import__) == before


_WRONG_CALLS = """
import builtins, re, sys
own = (builtins.compile, re.compile)
if sys.argv[1] == "toolkit":
    from annotator.ui import toolkit
    toolkit.load()
    assert builtins.__import__ is not builtins.__feature_import__
from PySide6.QtWidgets import QApplication, QLabel
assert (builtins.compile, re.compile) == own
application = QApplication([])
for wrong in (lambda: QLabel(1, 2, 3, 4), lambda: QLabel("x").setText(3.5), lambda: QLabel("x").resize("a")):
    try:
        wrong()
    except TypeError as error:
        print(error)
"""


def test_wrong_calls_are_explained_as_without_it(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    said = []
    for way in ("plain", "toolkit", "toolkit"):
        done = subprocess.run(
            [sys.executable, "-c", _WRONG_CALLS, way], capture_output=True, text=True, check=True, env=environment
        )
        said.append(done.stdout)
    assert "Supported signatures" in said[0]
    assert said[0] == said[1] == said[2]
    kept = [path for path in tmp_path.rglob("*.carried") if "toolkit" in path.parent.name]
    assert len(kept) > 5
