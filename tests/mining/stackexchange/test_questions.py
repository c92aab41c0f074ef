"""Tags to languages, bodies to Markdown, and who is owed what under which licence."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.errors import BadInputError, KnownError
from annotator.mining.stackexchange.questions import Credit, credit_of, guess_site, post_licence
from annotator.mining.stackexchange.tags import (
    TagNode,
    TagTree,
    default_tag_tree,
    parse_tag_tree,
    read_tag_tree,
    split_tags,
)
from annotator.text.markup.html_to_markdown import to_markdown
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

TREE = default_tag_tree()


@pytest.mark.parametrize(("text", "tags"), SAMPLES["both_spellings_of_tags"])
def test_both_spellings_of_tags(text: str, tags: list[str]) -> None:
    assert split_tags(text) == tuple(tags)


@pytest.mark.parametrize(("tags", "language", "how"), SAMPLES["the_default_tree_resolves"])
def test_the_default_tree_resolves(tags: str, language: str, how: str) -> None:
    found = TREE.resolve(tags.split())
    assert (found.language, found.how) == (language, how)
    assert found.area == TREE.areas.get(language, "")


def test_several_languages_are_marked() -> None:
    assert TREE.resolve(["java", "spring", "python"]).languages == ("java", "python")
    assert TREE.resolve(["java", "python"]).ambiguous and not TREE.resolve(["java", "spring"]).ambiguous
    assert TREE.resolve(["django", "docker"]).ambiguous


def test_every_language_has_one_area_and_the_five_areas_are_there() -> None:
    areas = [area for area in TREE.areas.values() if area]
    assert len(areas) == 17
    assert set(areas) == {"front-end", "back-end", "data science", "mobile and desktop", "IT operations"}


def test_the_share_names_what_to_place_next() -> None:
    share = TREE.share([("python",), ("zig",), ("zig", "wasm"), ("java", "c#")])
    assert (share.questions, share.resolved, share.ambiguous, share.fraction) == (4, 2, 1, 0.5)
    assert share.unplaced == (("zig", 2), ("wasm", 1))
    assert TREE.share([]).fraction == 0


def test_a_tree_is_edited_as_a_document() -> None:
    assert parse_tag_tree(TREE.document()).nodes == TREE.nodes
    more = TagTree([*TREE.nodes, TagNode(tag="polars", kind="framework", parent="python")])
    assert more.resolve(["polars"]).language == "python"
    assert (
        TagTree([TagNode(tag="go", kind="language", language="go", area="x", weight=0)]).resolve(["go"]).language == ""
    )


TREES = [*SAMPLES["trees_with_faults"], ("[" * 100_000, "not valid JSON")]


@pytest.mark.parametrize(("text", "words"), TREES)
def test_a_tree_with_faults_says_which(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "tree.json"
    path.write_text(text)
    with pytest.raises(BadInputError, match=words):
        read_tag_tree(path)


def test_a_body_becomes_markdown() -> None:
    html = (
        '<p>Use <code>np.where</code> &amp; <a href="http://x.y/z">this</a>:</p>'
        '<pre class="lang-py prettyprint-override"><code>x = np.where(a &gt; 1, 0, *b)\n\n\n\ny = 1\n</code></pre>'
        "<ul><li>one</li><li><em>two</em></li></ul><blockquote><p>said</p></blockquote><h2>End</h2>"
        "<script>alert(1)</script>"
    )
    assert to_markdown(html) == (
        "Use `np.where` & [this](http://x.y/z):\n\n```python\nx = np.where(a > 1, 0, *b)\n\n\n\ny = 1\n```\n\n"
        "- one\n- *two*\n\n> said\n\n## End\n"
    )
    assert to_markdown("<pre><code>```\nfence\n```</code></pre>") == "````\n```\nfence\n```\n````\n"


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 50_000 + "word",
        "<ul><li>" * 5000 + "word",
        "<p>word</p>" * 200_000,
        "<!DOCTYPE x [<!ENTITY a 'b'>]>word",
    ],
)
def test_hostile_bodies_keep_their_words(html: str) -> None:
    assert "word" in to_markdown(html)


@given(st.text(max_size=300))
def test_any_body_is_some_markdown(html: str) -> None:
    assert to_markdown(html).endswith("\n")


@pytest.mark.parametrize(("named", "moment", "expected"), SAMPLES["the_licence_goes_by_the_date"])
def test_the_licence_goes_by_the_date(named: str, moment: str, expected: str) -> None:
    assert post_licence(named, moment) == expected


def test_a_later_edit_brings_the_later_licence() -> None:
    row = {"Id": "5", "PostTypeId": "2", "OwnerUserId": "7", "CreationDate": "2010-01-01", "LastEditDate": "2019-01-01"}
    found = credit_of(row, "stackoverflow.com")
    assert found.licence == "CC-BY-SA-4.0" and found.url == "https://stackoverflow.com/a/5"
    assert found.author_url == "https://stackoverflow.com/users/7"
    nobody = Credit(author="Ada", author_url="", url="", licence="", created="", edited="")
    assert credit_of({"OwnerDisplayName": "Ada"}, "") == nobody


@pytest.mark.parametrize(("name", "site"), SAMPLES["the_site_is_in_the_name"])
def test_the_site_is_in_the_name(name: str, site: str) -> None:
    assert guess_site(Path("/dumps") / name) == site


def test_a_tree_that_is_not_there_says_so() -> None:
    with pytest.raises(KnownError, match=r"tree\.json cannot be read"):
        read_tag_tree(Path("/nowhere/tree.json"))
