"""The distribution's name, and what is said of the package of somebody else with our module's name."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

from annotator import __main__
from annotator.base.errors import MissingEnvironmentError
from annotator.base.resources import other_package_advice
from annotator.figures.chart_data import Bars
from annotator.figures.drawing import draw_chart

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["annotator-0.1.3.dist-info", "annotator-2.0-py3.11.egg-info"])
def test_a_package_of_our_modules_name_is_told_with_what_to_do(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "benchmark_annotator-0.1.0.dist-info").mkdir()
    assert other_package_advice(tmp_path) == ""
    (tmp_path / name).mkdir()
    assert "pip uninstall annotator" in other_package_advice(tmp_path)
    monkeypatch.setattr(__main__, "__file__", str(tmp_path / "annotator" / "__main__.py"))
    assert __main__.main(["formats", "--json"]) == 0
    assert "Another package named annotator" in capsys.readouterr().err


def test_without_matplotlib_a_figure_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingEnvironmentError, match=r"benchmark-annotator\[app\]"):
        draw_chart(Bars(title="t", names=("x",), values=(1.0,), label="n"))


@pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="not a checkout")
def test_texts_name_extras_that_there_are() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pages = [ROOT / "README.md", *(ROOT / "annotator").rglob("*.py"), *(ROOT / "resources" / "help").glob("*.md")]
    named = [(path.name, *found) for path in pages
             for found in re.findall(r"([\w-]*annotator)\[(\w+)\]", path.read_text("utf-8"))]  # fmt: skip
    assert len(named) > 5
    assert {name for _, name, _ in named} == {project["name"]} == {"benchmark-annotator"}
    assert {extra for _, _, extra in named} <= project["optional-dependencies"].keys()
