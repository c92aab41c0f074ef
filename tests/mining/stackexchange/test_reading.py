"""The reader of Posts.xml, and what it makes of tags, bodies and licences."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import sys
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.parsers import expat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.errors import BadInputError, KnownError
from annotator.mining.stackexchange import archives, posts
from annotator.mining.stackexchange.posts import Row, find_newest_day, parse_posts, read_rows
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

ROWS = b"".join(
    b'<row Id="%d" PostTypeId="1" CreationDate="2020-01-%02dT00:00:00" Body="&lt;p&gt;%s&lt;/p&gt;" />\n'
    % (n, n, b"x" * n)
    for n in range(1, 29)
)
DUMP = b'\xef\xbb\xbf<?xml version="1.0" encoding="utf-8"?>\r\n<posts>\r\n' + ROWS + b"</posts>"


def _zst(data: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd.compress(data)


def _archive(path: Path, members: dict[str, bytes]) -> None:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members.items():
                archive.writestr(name, data)
    else:
        import py7zr

        with py7zr.SevenZipFile(path, "w", filters=[{"id": py7zr.FILTER_LZMA2, "preset": 0}]) as archive:
            for name, data in members.items():
                archive.writestr(data, name)


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "Posts.xml": lambda data: data,
    "Posts.xml.gz": gzip.compress,
    "Posts.xml.xz": lzma.compress,
    "Posts.xml.bz2": bz2.compress,
    "Posts.xml.zst": _zst,
}


def _ids(found: object) -> list[str]:
    return [row["Id"] for batch in found for row in batch.rows]  # type: ignore[attr-defined]  # batches


@pytest.fixture(params=[*PACKED, "dump.7z", "dump.zip"])
def dump(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / request.param
    if request.param in PACKED:
        path.write_bytes(PACKED[request.param](DUMP))
    else:
        _archive(path, {"Badges.xml": b"<badges/>", "Posts.xml": DUMP, "readme.txt": b"hello"})
    return path


def test_every_packing_gives_the_same_rows(dump: Path) -> None:
    before = set(threading.enumerate())
    rows = [row for batch in read_rows(dump) for row in batch.rows]
    assert [row["Id"] for row in rows] == [str(n) for n in range(1, 29)]
    assert rows[2]["Body"] == "<p>xxx</p>"
    assert find_newest_day(dump) == "2020-01-28"
    assert not [thread for thread in threading.enumerate() if thread not in before]


def test_reading_goes_on_from_any_bookmark(dump: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "BLOCK_BYTES", 100)
    before: list[str] = []
    for batch in read_rows(dump):
        before += [row["Id"] for row in batch.rows]
        assert before + _ids(read_rows(dump, batch.position)) == [str(n) for n in range(1, 29)]


def test_leaving_early_ends_the_threads(tmp_path: Path) -> None:
    path = tmp_path / "dump.7z"
    body = random.Random(1).randbytes(500).hex().encode()
    rows = b"".join(b'<row Id="%d" Body="%s"/>' % (n, body[n % 900 :] + body) for n in range(9000))
    _archive(path, {"Posts.xml": b"<posts>" + rows + b"</posts>"})
    before = set(threading.enumerate())
    found = read_rows(path)
    assert next(found).rows
    found.close()  # type: ignore[attr-defined]  # a generator
    assert not [thread for thread in threading.enumerate() if thread not in before]


@given(st.lists(st.integers(1, 60), max_size=60))
def test_where_blocks_end_does_not_matter(sizes: list[int]) -> None:
    blocks, place = [], 0
    for size in [*sizes, len(DUMP)]:
        blocks.append(DUMP[place : place + size])
        place += size
    assert _ids(parse_posts(blocks, "x")) == [str(n) for n in range(1, 29)]


class _DeferringParser:
    """An expat parser that parses nothing before every third block, and the rest when it is closed.

    Expat 2.6 defers like this. Between calls it may not know where it is either.
    """

    def __init__(self, parser: expat.XMLParserType) -> None:
        self.__dict__.update(_parser=parser, _held=[], _index=-1)

    def __getattr__(self, name: str) -> object:
        if name == "SetReparseDeferralEnabled":
            raise AttributeError(name)
        return getattr(self._parser, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._parser, name, value)

    @property
    def CurrentByteIndex(self) -> int:  # noqa: N802 - expat's name
        return -1 if self._held else int(self._parser.CurrentByteIndex)

    def Parse(self, data: bytes, final: bool) -> int:  # noqa: N802 - expat's name
        self._held.append(data)
        if not final and len(self._held) < 3:
            return 1
        data = b"".join(self._held)
        self._held.clear()
        return int(self._parser.Parse(data, final))


@pytest.mark.parametrize("size", [1, 37, 100, 5000, len(DUMP) - 9, len(DUMP)])
def test_rows_that_the_parser_holds_back_are_read(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    create = expat.ParserCreate
    monkeypatch.setattr(posts.expat, "ParserCreate", lambda encoding: _DeferringParser(create(encoding)))
    blocks = [DUMP[place : place + size] for place in range(0, len(DUMP), size)]
    before: list[str] = []
    for batch in parse_posts(blocks, "x"):
        before += [row["Id"] for row in batch.rows]
        rest = [DUMP[place : place + 400] for place in range(batch.position, len(DUMP), 400)]
        resumed = list(parse_posts(rest, "x", batch.position))
        assert before + _ids(resumed) == [str(n) for n in range(1, 29)]
        assert all(later.position >= batch.position for later in resumed)
    assert before == [str(n) for n in range(1, 29)]


def test_the_last_row_is_read_when_it_comes_alone() -> None:
    last = DUMP.rindex(b"<row")
    for end in (last + 1, DUMP.rindex(b"</posts>"), len(DUMP)):
        assert _ids(parse_posts([DUMP[:last], DUMP[last:end], DUMP[end:]], "x")) == [str(n) for n in range(1, 29)]


HOSTILE = {
    "entities": b'<!DOCTYPE posts [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><posts><row Id="&b;"/></posts>',
    "an outside entity": b'<!DOCTYPE posts [<!ENTITY a SYSTEM "file:///etc/passwd">]><posts><row Id="&a;"/></posts>',
    "an outside type": b'<!DOCTYPE posts SYSTEM "http://example.org/x.dtd"><posts/>',
    "nesting": b"<posts><row Id='1'>" + b"<a>" * 100_000,
    "an endless attribute": b'<posts><row Id="1" Body="' + b"x" * (9 * 1024 * 1024),
    "an endless comment": b"<posts><!--" + b"x" * (9 * 1024 * 1024),
    "an endless name": b"<" + b"x" * (9 * 1024 * 1024),
    "an undefined entity": b'<posts><row Id="&nbsp;"/></posts>',
    "another root": b"<users><row Id='1'/></users>",
    "no XML": b"Id,Body\n1,hello\n",
    "nothing": b"",
    "half a dump": DUMP[: len(DUMP) // 2],
    "another encoding": DUMP.replace(b"xxx", b"\xff\xfe\xfd"),
    "UTF-16": DUMP[3:].decode().encode("utf-16"),
    "a null": b'<posts><row Id="&#0;"/></posts>',
    "an attribute twice": b'<posts><row Id="1" Id="2"/></posts>',
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_what_is_not_a_dump_is_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "Posts.xml"
    path.write_bytes(data)
    with pytest.raises(BadInputError, match=r"Posts\.xml is not"):
        for _ in read_rows(path):
            pass


@given(st.binary(max_size=300))
def test_any_bytes_are_rows_or_one_known_error(data: bytes) -> None:
    try:
        found: list[Row] = [row for batch in parse_posts([data], "x") for row in batch.rows]
    except KnownError as error:
        assert "x is not" in str(error)
    else:
        assert all(isinstance(row, dict) for row in found)


@pytest.mark.parametrize("name", ["dump.7z", "dump.zip"])
def test_which_member_is_read_is_never_guessed(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    _archive(path, {"a/Posts.xml": DUMP, "b/posts.xml": DUMP.replace(b"</posts>", b"<row Id='99'/></posts>")})
    with pytest.raises(BadInputError, match="several"):
        list(read_rows(path))
    assert _ids(read_rows(path, member="b/posts.xml"))[-1] == "99"
    with pytest.raises(BadInputError, match=r"no member c\.xml"):
        list(read_rows(path, member="c.xml"))
    path.unlink()
    _archive(path, {"readme.txt": b"hello"})
    with pytest.raises(BadInputError, match=r"no Posts\.xml"):
        list(read_rows(path))


def test_damaged_archives_are_refused(dump: Path) -> None:
    data = dump.read_bytes()
    if dump.name == "Posts.xml":
        pytest.skip("a plain file has no checksum")
    for broken in (data[: len(data) // 2], data[:40] + bytes(60) + data[100:], data[:9]):
        dump.write_bytes(broken)
        with pytest.raises(BadInputError, match=dump.name):
            list(read_rows(dump))


def test_an_encrypted_archive_is_refused(tmp_path: Path) -> None:
    import py7zr

    path = tmp_path / "dump.7z"
    with py7zr.SevenZipFile(path, "w", password="secret") as archive:
        archive.writestr(DUMP, "Posts.xml")
    with pytest.raises(BadInputError, match="encrypted"):
        list(read_rows(path))


def test_an_archive_that_asks_for_gigabytes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "Posts.xml.xz"
    path.write_bytes(lzma.compress(DUMP, preset=6))
    monkeypatch.setattr(archives, "MAX_DICTIONARY_BYTES", 1024 * 1024)
    with pytest.raises(BadInputError, match="MB to unpack"):
        list(read_rows(path))


def test_what_is_missing_says_so(tmp_path: Path) -> None:
    for call in (lambda path: list(read_rows(path)), find_newest_day):
        with pytest.raises(BadInputError, match=r"no file gone\.xml"):
            call(tmp_path / "gone.xml")
    (tmp_path / "Posts.xml").write_bytes(b"<posts></posts>")
    with pytest.raises(BadInputError, match="without a post"):
        find_newest_day(tmp_path / "Posts.xml")


def test_a_long_row_within_the_limit_is_read() -> None:
    body = b"x" * (posts.MAX_TOKEN_BYTES // 2)
    blocks = [b"<posts><row Id='1' Body='", *(body[n : n + 65536] for n in range(0, len(body), 65536)), b"'/></posts>"]
    assert len(next(row for batch in parse_posts(blocks, "x") for row in batch.rows)["Body"]) == len(body)


# Tags to languages, bodies to Markdown, and who is owed what under which licence.
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
