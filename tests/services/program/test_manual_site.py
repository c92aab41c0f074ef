"""The manual as a site: it builds without a dead link, asks nothing of the network, and leaves no page out."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import pytest

from annotator.services.program import manual

pytest.importorskip("mkdocs", reason="mkdocs is not installed (the extra test)")
pytest.importorskip("PySide6", reason="the keys of the window come from its table")
SITE = Path(__file__).parents[3] / "packaging" / "manual" / "site.py"
if not SITE.exists():
    pytest.skip("not a checkout: the packaging folder is absent", allow_module_level=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    runpy.run_path(str(SITE))["build"](folder)
    return folder


def test_every_page_is_there_and_asks_nothing_of_the_network(site: Path) -> None:
    pages = {path.stem: path.read_text(encoding="utf-8") for path in site.glob("*.html")}
    assert {*manual.TOPICS, "index", "search", "python-interface"} <= set(pages)
    for name, text in pages.items():
        assert not re.search(r"<(?:script|link|img)[^>]+(?:src|href)=.https?:", text), name
        assert 'href="key:' not in text, name


def test_what_search_finds_is_there(site: Path) -> None:
    text = (site / "sections.js").read_text(encoding="utf-8")
    found = json.loads(text.removeprefix("const manual = ").rstrip().removesuffix(";"))
    assert {"merge", "two"} & set(found["ignored"]) == {"two"}
    for row in found["sections"]:
        page, _, anchor = row["place"].partition("#")
        html = (site / page).read_text(encoding="utf-8")
        assert not anchor or f'id="{anchor}"' in html, row["place"]


def test_the_python_interface_is_told(site: Path) -> None:
    text = (site / "python-interface.html").read_text(encoding="utf-8")
    assert "open_project" in text and "Project.scores" in text


def test_a_dead_link_ends_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mkdocs.exceptions import Abort

    made = manual.load_manual()
    broken = manual.parse_topic("select", "# Select\n\nSee [more](nowhere.md).\n")
    monkeypatch.setattr(manual, "load_manual", lambda: manual.Manual({**made.topics, "select": broken}))
    with pytest.raises(Abort):
        runpy.run_path(str(SITE))["build"](tmp_path)
