# ruff: noqa: RUF001 - Chinese has colons and commas of its own
"""The words of the window: none is bare in the code, and every catalogue holds them all."""

from __future__ import annotations

import ast
import importlib
import re
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from annotator.base.errors import MissingEnvironmentError
from annotator.base.messages import Message, format_fields, mark_word, message_for_count
from annotator.base.resources import resource_path
from annotator.base.settings import find_setting
from annotator.construction.bugs.taxonomy import note_message
from annotator.model.rows.bug_rows import BugRow
from annotator.ui.app import translation as words
from annotator.ui.app.translation import tr, tr_count, tr_message, translate_word
from annotator.ui.pages.bugs.bug_proof_panel import bug_origin_text
from annotator.ui.widgets.labels import ago_text
from tests.ui.pseudo_language import pseudo

TOOL = Path(__file__).resolve().parents[3] / "packaging" / "words"
FIELD = re.compile(r"\{\w+\}")
ACCELERATOR = re.compile(r"&[^\W_]")


def _tool(name: str) -> ModuleType:
    """The rules of the tool that wraps and gathers texts; a name of its own keeps it from clashing."""
    sys.path.insert(0, str(TOOL))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(TOOL))


@pytest.fixture
def chinese(qapp: QApplication) -> Iterator[None]:
    """The window in Chinese."""
    catalogue = words.install_translation(qapp, "zh_CN")
    assert catalogue is not None
    yield
    qapp.removeTranslator(catalogue)


# -- the code --------------------------------------------------------------------------------------------------------


def test_no_text_of_the_window_is_bare() -> None:
    texts = _tool("texts")
    bare = [item for path, tree in texts.window_sources().items() for item in texts.bare_texts(path, tree)]
    told = "\n".join(
        f"annotator/ui/{item.path}:{item.line}: {item.text!r} is shown but not translated" for item in bare
    )
    assert not bare, f"{told}\nPut each into tr."


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('w.setText("Save")', ["Save"]),
        ('w.setText("save" if n else "Open")', ["save", "Open"]),
        ('w.setText(tr("Save"))', []),
        ('w.setObjectName("save")', []),
        ('button("Save", clicked=save)', ["Save"]),
        ('w.setToolTip(f"{n} rows are left")', [" rows are left"]),
        ('x = f"{n:,} rows" if n else "No row yet"', ["No row yet"]),
        ('TITLE = "The sentence of a constant"', ["The sentence of a constant"]),
        ('tr("Saved {by}", by="some person")', ["some person"]),
        ('"""Say nothing."""\nx["Some key"] == "Some value"\nd = {"not shown": 1}', []),
        ('log.warning("it is late")\nraise ValueError("it is late")', []),
        ('w.setText(f"{a} · {b}")', []),
    ],
)
def test_what_counts_as_a_text(code: str, found: list[str]) -> None:
    assert [item.text for item in _tool("texts").bare_texts("some.py", ast.parse(code))] == found


def test_a_wrapper_takes_literals_only() -> None:
    with pytest.raises(ValueError, match=r"some\.py:2: tr takes literals"):
        _tool("texts").catalogue_texts("some.py", ast.parse("def f(x):\n    tr(x)"))


# -- the catalogues --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_a_catalogue_holds_every_text_and_no_other(language: str) -> None:
    gather = _tool("gather")
    asked, held = gather.wanted(), gather.read(resource_path("words", f"{language}.ts"))
    assert not [key for key in asked if not held.get(key)], "run packaging/words/run, then translate what is new"
    assert not set(held) - set(asked), "run packaging/words/run: these texts are gone"


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_translations_keep_fields_keys_and_patterns(language: str) -> None:
    gather = _tool("gather")
    for (text, _), translation in gather.read(resource_path("words", f"{language}.ts")).items():
        assert Counter(FIELD.findall(text)).keys() == Counter(FIELD.findall(translation)).keys(), text
        assert len(ACCELERATOR.findall(text)) == len(ACCELERATOR.findall(translation)), text
        assert re.findall(r"\*\.[\w.]+", text) == re.findall(r"\*\.[\w.]+", translation), text
        assert translation.count(";;") == text.count(";;"), text
        assert text.endswith("…") == translation.endswith("…"), text
        assert text[:1] not in "✓✗⚠◷" or translation.startswith(text[:1]), text


def test_chinese_says_everything_in_chinese() -> None:
    gather = _tool("gather")
    same = [text for (text, _), said in gather.read(resource_path("words", "zh_CN.ts")).items() if said == text]
    # What is the same is a name, a unit or a pattern: no two English words stand beside each other.
    sentences = [text for text in same if re.search(r"\b[a-z]{2,} [a-z]{2,}\b", text)]
    assert not sentences
    assert len(same) < 60


TERMS = {
    "paraphrases?": "改写", "criteri(on|a)": "准则", "prove[ns]?": "证明", "bugs?": "缺陷", "consensus": "共识",
    "judgements?": "评判", "releases?": "发布|版本", "runs": "运行", "responses?": "回答", "gates?": "关卡",
    "overrid(e|den)": "放行", "weak": "薄弱|弱", "anchors?": "锚点", "candidates?": "候选", "benchmarks?": "基准",
    "packets?": "工作包", "sandbox": "沙箱", "endpoints?": "端点", "tokens": "词元", "datasheet": "数据说明书",
    "leaderboard": "排行榜", "leak(s|age)?": "泄漏", "dumps?": "转储", "subjects?": "条目", "reviews?": "评审|审查",
    "unblind": "揭盲", "drafts?": "稿",
}  # fmt: skip
"""English words of the field and the one Chinese word for each (resources/words/GLOSSARY.md)."""
NEVER = re.compile("您|！|门槛|泄露|评审小组|谢绝|密封")
"""Words that one of the glossary stands for."""
NAMES = re.compile(r"\{\w+\}|annotator sandbox \w+|CoCo-Bench")


def test_chinese_has_one_word_for_one_thing() -> None:
    gather = _tool("gather")
    said = [(NAMES.sub("", text), said) for (text, _), said in gather.read(resource_path("words", "zh_CN.ts")).items()]
    wrong = [
        (text, chinese)
        for word, wanted in TERMS.items()
        for text, chinese in said
        if re.search(rf"\b({word})\b", text, re.IGNORECASE) and not re.search(wanted, chinese)
    ]
    assert not wrong, "say it in the words of resources/words/GLOSSARY.md"
    assert not [item for item in said if NEVER.search(item[1])]


def test_accelerators_of_one_form_differ(chinese: None) -> None:
    keys = [re.findall(r"&(\w)", translate_word(text))[0] for text in ("&Endpoint", "&Model", "&Kinds")]
    assert len(set(keys)) == len(keys)


# -- the functions ---------------------------------------------------------------------------------------------------


def test_english_needs_no_catalogue(qapp: QApplication) -> None:
    assert words.install_translation(qapp, "en") is None
    assert tr("Opening {name}…", name="a {b} %1") == "Opening a {b} %1…"
    assert tr_count("{count} change", "{count} changes", 1) == "1 change"
    assert tr_count("{count} change", "{count} changes", 12_000) == "12,000 changes"
    assert translate_word("") == "" and translate_word("no such word") == "no such word"


def test_chinese_is_said(chinese: None) -> None:
    assert tr("Opening {name}…", name="a") == "正在打开 a…"
    assert tr_count("{count} change", "{count} changes", 2) == "2 次操作"
    assert translate_word("accepted") == "已接受" and translate_word("no such word") == "no such word"
    assert tr("Score") != tr("Score", "where to score responses")
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "取消"


def test_workers_may_ask(chinese: None) -> None:
    said: list[str] = []
    threads = [threading.Thread(target=lambda: said.append(tr("Cancel"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == ["取消"] * 4


@pytest.mark.parametrize(
    ("wanted", "system", "shown"),
    [
        ("system", ["zh-Hans-CN"], "zh_CN"), ("system", ["zh-CN", "en-US"], "zh_CN"), ("system", ["en-GB"], "en"),
        ("system", ["zh-Hant-TW"], "en"), ("system", ["de-DE", "zh-CN"], "zh_CN"), ("system", [], "en"),
        ("system", ["C"], "en"), ("en", ["zh-CN"], "en"), ("zh_CN", ["en-US"], "zh_CN"), ("xx", ["zh-CN"], "en"),
    ],
)  # fmt: skip
def test_the_language_is_the_settings_or_the_systems(wanted: str, system: list[str], shown: str) -> None:
    assert words.language_for(wanted, system) == shown


def test_the_setting_offers_every_language() -> None:
    language = find_setting("language")
    assert language.choices == ("system", "en", *words.LANGUAGES)
    assert [language.choice_name(choice) for choice in language.choices] == ["Same as system", "English", "简体中文"]
    assert find_setting("look").choice_name("dark") == "Dark"


def test_a_sentence_that_is_data_is_not_taken_for_one_of_ours(chinese: None) -> None:
    # A title may be written like a word of ours; in a field it stays a name.
    assert tr_message(Message("Accept {title}", title="Tests")) == "接受 Tests"
    assert tr_message(Message("Criterion of {title}", title="Score")) == "Score 的准则"
    assert tr_message(Message("Accept {title}", title="{title}")) == "接受 {title}"


@pytest.mark.parametrize("content", [None, b"", b"<TS><context>", b"\xff\xfe\x00", b"not a catalogue"])
def test_a_catalogue_that_cannot_be_read_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "zh_CN.ts"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(
        MissingEnvironmentError, match=r"The words of zh_CN cannot be read .* Install annotator again\."
    ):
        words.read_catalogue(path)


@given(st.text(max_size=30), st.dictionaries(st.sampled_from(("a", "b", "name")), st.text(max_size=9), max_size=3))
def test_filling_fields_never_fails_and_fills_once(text: str, values: dict[str, str]) -> None:
    said = format_fields(text, values)
    assert said == text or values
    assert format_fields("{a}{b}", {"a": "{b}", "b": "x"}) == "{b}x"


@given(st.text(alphabet=st.characters(exclude_characters="{}[]"), min_size=2, max_size=60))
def test_a_disguised_text_is_longer_and_marked_once(text: str) -> None:
    said = pseudo(text)
    assert said.startswith("[") and said.endswith("·]") and pseudo(said) == said
    assert len(said) >= len(text) * 1.4


def test_a_disguised_text_keeps_its_fields() -> None:
    assert pseudo("Save {name} now") == "[Šåvé {name} ñöw·······]"


def test_times_ago_as_the_commands_say_them() -> None:
    from datetime import timedelta

    from annotator.base import clock

    now = clock.now()
    for seconds in (0, 59, 60, 3599, 3600, 86_399, 86_400, 172_799, 172_800, 9_000_000):
        assert ago_text(now - timedelta(seconds=seconds), now) == clock.ago(now - timedelta(seconds=seconds), now)


# -- sentences from below --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "chinese_words"),
    [
        (Message("Leaderboard of release {version}", version="0.1"), "发布 0.1 的排行榜"),
        (Message("Accept {count} subjects", count=3), "接受 3 个条目"),
        (Message("Accept {title}", title="all items"), "接受 all items"),
        (Message("Undo: {label}", label=Message("Accept {count} subjects", count=3)), "撤销：接受 3 个条目"),
        (Message("Scores by {by}, release {version}", by=mark_word("domain"), version="2 {x}"),
         "按领域的得分，发布 2 {x}"),
        (message_for_count("{count} item {what}", "{count} items {what}", 3, what=Message("not proven")),
         "3 道题：未证明"),
        ("nothing the catalogue knows", "nothing the catalogue knows"),
        ("", ""),
    ],
)  # fmt: skip
def test_messages_of_services_are_translated_with_their_fields(chinese: None, said: str, chinese_words: str) -> None:
    assert tr_message(said) == chinese_words


def test_the_notes_and_rules_of_bugs_are_said_in_chinese(chinese: None) -> None:
    assert tr_message(note_message("compares with >= instead of >")) == "用 >= 比较，应为 >"
    assert tr_message(note_message("forgets the last row")) == "forgets the last row", "the words of a model"
    row = BugRow(
        id="",
        subject_id="",
        key="",
        title="",
        family="logic",
        kind="logic.offbyone",
        operator="slice_lower",
        origin="operator",
        state="proven",
        accepts=0,
        rejects=0,
        replaces="",
        created_at="",
    )
    assert bug_origin_text(row) == "由规则“切片下界”生成。"


def test_a_message_takes_literals_only() -> None:
    texts = _tool("texts")
    code = 'Message("By {by}", by=x)\nmessage_for_count("one", "many", 2)'
    assert [item.text for item in texts.catalogue_texts("some.py", ast.parse(code))] == ["By {by}", "one", "many"]
    with pytest.raises(ValueError, match=r"some\.py:2: Message takes literals"):
        texts.catalogue_texts("some.py", ast.parse("def f(x):\n    Message(x)"))
