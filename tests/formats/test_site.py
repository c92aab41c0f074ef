"""The site of a release's results: safe pages, links that stay, a search in a browser."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import BadInputError
from annotator.formats.read.import_records import Candidate
from annotator.formats.write import site_writer
from annotator.formats.write.site_writer import SiteAnswer, SiteForm
from annotator.model.rows.result_rows import Leaderboard, LeaderboardRow
from tests.formats.releases import head_of, item_of, page_after_scripts
from tests.result_projects import leaderboard_row

EVIL = "</pre></script><script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"


def _row(model: str) -> LeaderboardRow:
    return leaderboard_row(
        model, rank=1, score=0.5, low=0.4, high=0.6, passed=1, failed=1, items=2, samples=2, run_id=f"run-{model}",
        protocol="greedy",
    )  # fmt: skip


def _items(count: int) -> list[dict[str, Any]]:
    made = [
        Candidate(key=f"jsonl:q/{n}", title=f"Item {n}", task="generation", language="python", prompt=f"Write {n}")
        for n in range(count)
    ]
    return [item_of(candidate) | {"reference": "secret_reference"} for candidate in made]


def _answers(items: list[dict[str, Any]], models: str, samples: int, text: str) -> list[SiteAnswer]:
    return [
        SiteAnswer(
            subject_id=item["id"],
            run_id=f"run-{model}",
            sample=sample,
            outcome="pass" if sample else "fail",
            score=float(bool(sample)),
            text=f"{text} {at}",
        )
        for at, item in enumerate(items)
        for model in models
        for sample in range(samples)
    ]


def _export(folder: Path, models: str, items: list[dict[str, Any]], answers: list[SiteAnswer]) -> Path:
    board = Leaderboard(version="0.1", rows=tuple(map(_row, models)), items=len(items))
    site_writer.export_site(head_of(items), board, items, answers, folder)
    return folder


def test_pages_hold_answers_as_text_and_load_nothing(tmp_path: Path) -> None:
    items = _items(2)
    out = _export(tmp_path / "out", "x", items, _answers(items, "x", 2, EVIL))
    pages = {path.name: path.read_text("utf-8") for path in out.rglob("*.html")}
    assert len(pages) == 3 and "index.html" in pages
    for text in pages.values():
        assert "<img" not in text and "<script>document" not in text and "secret_reference" not in text
        assert "default-src 'none'" in html.unescape(text) and not re.search(r"https?://", text)
    assert "1 of 2" in pages["index.html"]
    for link in re.findall(r'href="(items/[^"]+)"', pages["index.html"]):
        assert (out / link).is_file()
    with pytest.raises(BadInputError, match="no finished run"):
        site_writer.export_site(
            head_of(items), Leaderboard(version="0.1", rows=(), items=2), items, [], tmp_path / "none"
        )


def test_prompts_and_references_are_there_as_asked(tmp_path: Path) -> None:
    items = [item | {"tests": [{"name": "t", "code": "assert secret_test"}]} for item in _items(2)]
    items[0]["title"] = items[0]["prompt"]
    board = Leaderboard(version="0.1", rows=(_row("x"),), items=2)
    answers = _answers(items, "x", 1, "answer")
    found = {}
    for name, form in (("public", SiteForm(prompts=False)), ("usual", SiteForm()), ("own", SiteForm(references=True))):
        site_writer.export_site(head_of(items), board, items, answers, tmp_path / name, form=form)
        found[name] = "".join(path.read_text("utf-8") for path in (tmp_path / name).rglob("*.html"))
    shown = {
        name: ("Write 0" in text, "secret_reference" in text, "secret_test" in text) for name, text in found.items()
    }
    assert shown == {"public": (False,) * 3, "usual": (True, False, False), "own": (True,) * 3}
    assert all("answer 1" in text and "Item 1" in text for text in found.values())


def test_models_that_were_asked_alike_share_the_line_about_it(tmp_path: Path) -> None:
    items = _items(1)
    for protocol, told in (("greedy", "Protocol: greedy."), ("pass@1", "Protocols: greedy: x; pass@1: y")):
        rows = (_row("x"), replace(_row("y"), protocol=protocol))
        out = tmp_path / protocol
        site_writer.export_site(head_of(items), Leaderboard(version="0.1", rows=rows, items=1), items, [], out)
        assert told in (out / "index.html").read_text("utf-8")


def test_a_link_to_an_answer_stays_when_a_model_comes(tmp_path: Path) -> None:
    items = _items(3)
    before = _export(tmp_path / "one", "x", items, _answers(items, "x", 2, "old"))
    after = _export(tmp_path / "two", "wx", items, _answers(items, "wx", 2, "old"))
    anchors = {
        path.name: set(re.findall(r'<section id="([^"]+)"', path.read_text("utf-8")))
        for path in (before / "items").iterdir()
    }
    assert len(anchors) == 3 and all(len(found) == 2 for found in anchors.values())
    for name, found in anchors.items():
        assert found < set(re.findall(r'<section id="([^"]+)"', (after / "items" / name).read_text("utf-8")))
    # Names that look alike as files, and protocols, are told apart.
    alike = {
        site_writer.answer_anchor(row, 0) for row in (_row("a b"), _row("a-b"), replace(_row("a b"), protocol="other"))
    }
    assert len(alike) == 3


def test_a_whole_benchmark_stays_small(tmp_path: Path) -> None:
    items = _items(164)
    out = _export(tmp_path / "out", "wxyz", items, _answers(items, "wxyz", 5, "def f(x):\n    return x\n" * 60))
    assert sum(path.stat().st_size for path in out.rglob("*.*")) < 30_000_000


def test_a_browser_searches_items_and_answers(tmp_path: Path) -> None:
    items = _items(4)
    answers = [
        *_answers(items, "x", 1, EVIL),
        SiteAnswer(
            subject_id=items[2]["id"], run_id="run-x", sample=1, outcome="pass", score=1.0, text="the Needle < hay"
        ),
    ]
    out = _export(tmp_path / "out", "x", items, answers)

    # Under its own policy: the search has run, and nothing of the answers has.
    found = page_after_scripts(out / "index.html", tmp_path)
    assert "<output>4 of 4</output>" in found and "<title>run" not in found
    act = (
        "<script>const f=document.querySelector('#search input');f.value='needle <';"
        "f.dispatchEvent(new Event('input'));"
        "document.title=JSON.stringify([...document.querySelectorAll('#items tbody tr')]"
        ".filter(row=>!row.hidden).map(row=>row.cells[0].textContent));</script>"
    )
    text = (out / "index.html").read_text("utf-8")
    (out / "index.html").write_text(re.sub(r"<meta http-equiv[^>]*>", "", text).replace("</body>", f"{act}</body>"))
    title = re.search(r"<title>(.*?)</title>", page_after_scripts(out / "index.html", tmp_path))
    assert title and json.loads(html.unescape(title[1])) == [items[2]["key"]]
    [page] = [path for path in (out / "items").iterdir() if "eedle" in path.read_text("utf-8")]
    assert "<title>run" not in page_after_scripts(page, tmp_path)


def test_a_search_is_in_the_address(tmp_path: Path) -> None:
    items = _items(4)
    out = _export(tmp_path / "out", "x", items, _answers(items, "x", 1, "text"))
    found = page_after_scripts(out / "index.html", tmp_path, "#search=item%202")
    assert "<output>1 of 4</output>" in found
    rows = re.findall(r"<tr([^>]*)><td><a", found)
    assert [("hidden" in row) for row in rows] == [True, True, False, True]
    act = (
        "<script>const f=document.querySelector('#search input');f.value='item 3';"
        "f.dispatchEvent(new Event('input'));document.title=location.hash;</script>"
    )
    text = (out / "index.html").read_text("utf-8")
    (out / "index.html").write_text(re.sub(r"<meta http-equiv[^>]*>", "", text).replace("</body>", f"{act}</body>"))
    assert "<title>#search=item%203</title>" in page_after_scripts(out / "index.html", tmp_path)


def test_a_small_screen_shows_pages_whole(tmp_path: Path) -> None:
    items = [item | {"title": f"A title of many words {'and more ' * 30}", "prompt": "x" * 900} for item in _items(2)]
    rows = tuple(replace(_row(name), model=name) for name in ("a-model-with-a-long-name-70b-instruct", "y", "z"))
    out = tmp_path / "out"
    answers = [
        SiteAnswer(subject_id=items[0]["id"], run_id="run-y", sample=0, outcome="pass", score=1.0, text="w" * 900)
    ]
    site_writer.export_site(head_of(items), Leaderboard(version="0.1", rows=rows, items=2), items, answers, out)
    pages = [out / "index.html", *sorted((out / "items").iterdir())]
    text = pages[0].read_text("utf-8")
    assert all(page.read_text("utf-8").count("<main>") == 1 for page in pages)
    assert re.search(r'<td class="title">A title of many words [a-z ]{30,60}…</td>', text)
    frames = "".join(f'<iframe width="390" height="800" src="{page.relative_to(out)}"></iframe>' for page in pages)
    measure = (
        "<script>addEventListener('load',()=>{document.title=[...document.querySelectorAll('iframe')].map(frame=>{"
        "const page=frame.contentDocument,inner=[...page.querySelectorAll('html,div.scroll,pre')];"
        "return inner.filter(part=>part.scrollWidth>part.clientWidth+1).length+'/'+inner.length}).join(' ')})</script>"
    )
    frame = out / "frame.html"
    frame.write_text(f"<title>none</title>{frames}{measure}")
    title = re.search(r"<title>(.*?)</title>", page_after_scripts(frame, tmp_path))
    assert title and re.fullmatch(r"0/3 0/[2-9] 0/[2-9]", title[1]), title
