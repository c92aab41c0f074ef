"""The manual: every page is there, every link leads somewhere, and what is made from the code is up to date."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError
from annotator.base.resources import resource_path
from annotator.criteria.document.keys import METRICS
from annotator.criteria.document.loader import parse_criterion
from annotator.services.program import manual

PACKAGE = Path(manual.__file__).parents[2]
TOOL = PACKAGE.parent / "packaging" / "manual"
AGAIN = "run packaging/manual/run and commit what it writes"


@pytest.fixture(scope="module")
def pages() -> manual.Manual:
    return manual.load_manual()


def test_no_page_is_left_out(pages: manual.Manual):
    assert {path.stem for path in resource_path("help").glob("*.md")} == set(manual.TOPICS)
    titles = [topic.title for topic in pages.topics.values()]
    assert len(set(titles)) == len(titles)
    assert all(topic.text.startswith("# ") for topic in pages.topics.values())


@pytest.mark.parametrize(
    ("name", "made"),
    [("command-line", "command_line"), ("criterion-keys", "criterion_keys"), ("file-fields", "file_fields")],
)
def test_pages_made_from_the_code_are_up_to_date(pages: manual.Manual, name: str, made: str):
    assert pages.topic(name).text == runpy.run_path(str(TOOL / f"{made}.py"))["reference"](), AGAIN


def test_every_command_and_metric_is_described(pages: manual.Manual):
    text = pages.topic("command-line").text
    for command in ("annotator import", "annotator run start", "annotator manual", "annotator settings set"):
        assert f"## {command}\n" in text
    assert "  --help" not in text
    for metric in METRICS:
        assert f"## grading: {metric}\n" in pages.topic("criterion-keys").text


@pytest.mark.parametrize("name", manual.TOPICS)
def test_every_link_leads_somewhere(pages: manual.Manual, name: str):
    topic = pages.topic(name)
    for text, target in re.findall(r"\[([^\]]*)\]\(([^)\s]+)\)", topic.text):
        assert text
        if target.startswith("key:"):
            continue
        page, _, anchor = target.partition("#")
        found = pages.topic(page.removesuffix(".md") or name)
        assert not anchor or anchor in {section.anchor for section in found.sections}, target


@pytest.mark.parametrize("name", manual.TOPICS)
def test_anchors_are_unique_on_a_page(pages: manual.Manual, name: str):
    anchors = [section.anchor for section in pages.topic(name).sections]
    assert len(set(anchors)) == len(anchors)


def test_examples_of_the_criterion_language_are_sound(pages: manual.Manual):
    examples = re.findall(r"```yaml\n(.*?)```", pages.topic("criterion-language").text, re.DOTALL)
    assert len(examples) >= 9
    for example in examples:
        checked = parse_criterion(example)
        assert checked.document is not None, (example, checked.problems)
        assert [problem for problem in checked.problems if problem.severity == "error"] == []


def test_sentences_in_troubleshooting_are_said_somewhere(pages: manual.Manual):
    code = "\n".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
    spoken = " ".join(re.sub(r'"\s*\n\s*f?"', "", code).split())
    headings = re.findall(r"^### (.+)$", pages.topic("troubleshooting").text, re.MULTILINE)
    assert len(headings) > 12
    assert [heading for heading in headings if heading not in spoken] == []


def test_search_puts_titles_first_and_wants_every_word(pages: manual.Manual):
    hits = pages.search("docker engine")
    assert hits[0].place == "troubleshooting#no-docker-engine-answers"
    assert pages.search("docker zebra") == ()
    assert pages.search("  ") == ()
    assert pages.search("QUOTAS")[0].title == "Quotas"
    assert any(hit.place.startswith("select") for hit in pages.search("quotas"))
    assert all(len(hit.excerpt) < 160 for hit in pages.search("a"))


def test_search_knows_other_words_for_the_same_thing(pages: manual.Manual):
    assert pages.search("merge the projects") == pages.search("merge project")
    assert {hit.place for hit in pages.search("delete")} == {hit.place for hit in pages.search("remove")}
    assert pages.search("how do I") != (), "words that say nothing are looked for where there are no others"


def test_code_holds_no_headings():
    topic = manual.parse_topic("x", "# One\n\n```\n# not a heading\n```\n\n## Two `words`\n\ntext\n")
    assert [section.title for section in topic.sections] == ["One", "Two words"]
    assert topic.sections[1].anchor == "two-words"


def test_keys_in_force_are_put_in():
    text = "Press [A](key:select.accept) or [R](key:select.reject), see [more](select.md)."
    shown = manual.insert_shortcuts(text, {"select.accept": "X", "select.reject": ""})
    assert shown == "Press **X** or (no key), see [more](select.md)."


def test_the_command_lists_shows_and_finds(capsys: pytest.CaptureFixture[str]):
    assert main(["manual", "--json"]) == 0
    assert [row["topic"] for row in json.loads(capsys.readouterr().out)["topics"]] == list(manual.TOPICS)
    assert main(["manual", "select"]) == 0
    out = capsys.readouterr().out
    assert "# Select" in out
    assert "key:" not in out
    assert main(["manual", "--search", "docker engine", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["hits"][0]["topic"] == "Troubleshooting"
    assert main(["manual", "klingon"]) == 3
    assert "Choose from: getting-started" in capsys.readouterr().err


def test_an_unknown_page_is_named(pages: manual.Manual):
    with pytest.raises(BadInputError, match="no page nowhere"):
        pages.topic("nowhere")


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("withdraw an item", "how-to#withdraw-an-item-or-delete-a-subject"),
        ("use vllm", "how-to#add-a-model"),
        ("share with a colleague", "how-to#share-work-with-a-colleague"),
    ],
)
def test_words_that_name_no_page_are_looked_for(words: str, place: str, capsys: pytest.CaptureFixture[str]):
    assert main(["manual", *words.split(), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["hits"][0]["place"] == place
    # As one argument they mean the same.
    assert main(["manual", words]) == 0
    assert place in capsys.readouterr().out


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
