"""What goes with a release: datasheet, licences, attribution, citation, what changed, and what must not be in it."""

from __future__ import annotations

import io
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from annotator.formats.documents import (
    attribution,
    credit_lines,
    datasheet_document,
    licence_notices,
    licence_terms,
    personal_data,
    semantic_hashes,
)
from annotator.formats.documents.croissant import citation_text, croissant_version
from annotator.formats.documents.release_facts import collect_facts, count_by, frozen_facts
from annotator.formats.format_registry import EXPORTS, Writer, export_format
from annotator.formats.read.import_records import Candidate, CandidateTest
from annotator.formats.write.export_folder import markdown_line, markdown_text
from annotator.formats.write.huggingface import card_text
from tests.formats.releases import FACTS, head_of, human_eval, item_of

ITEM = item_of(
    Candidate(key="jsonl:a", title="A", language="python", licence="MIT", prompt="Why?", criterion="c", reference="r")
)


def test_the_datasheet_has_seven_sections_and_marks_what_is_open() -> None:
    facts = collect_facts(head_of([ITEM]), [ITEM])
    text = datasheet_document.datasheet_text(facts)
    assert [line[3:].lower() for line in text.splitlines() if line.startswith("## ")] == list(
        datasheet_document.SECTIONS
    )
    assert all(question.text in text for question in datasheet_document.QUESTIONS)
    assert "- expert: Ada Lovelace" in text
    assert "- too simple: 4 candidates rejected" in text and "- too long: 1 candidate rejected\n" in text
    assert "To see whether models can add." in text and "- MIT: 1 items" in text
    opened = [answer.question for answer in datasheet_document.make_datasheet_answers(facts) if answer.open]
    assert text.count("*Open:") == len(opened)
    assert {question.id for question in opened if question.required} == {"sensitive", "suited"}
    whole = frozen_facts(
        {**FACTS, "answers": {question.id: "Said." for question in datasheet_document.QUESTIONS}}
    ).as_json()
    head = head_of([ITEM], manifest={"facts": whole})
    assert not any(answer.open for answer in datasheet_document.make_datasheet_answers(collect_facts(head, [ITEM])))


def test_the_datasheet_says_by_whose_rules_items_were_mined() -> None:
    mined = [ITEM, *({**ITEM, "provenance": {"mining_rules": rules}} for rules in ("own", "published", "own"))]
    text = datasheet_document.datasheet_text(collect_facts(head_of(mined), mined))
    assert "- 2 items mined from repositories by this program's own rules" in text
    assert "- 1 item mined from repositories with the decisions of the published scripts" in text
    assert "mined from repositories" not in datasheet_document.datasheet_text(collect_facts(head_of([ITEM]), [ITEM]))


@pytest.mark.parametrize(("reviewers", "told"), [(0, ""), (1, "at least one reviewer."), (2, "at least 2 reviewers.")])
def test_a_release_tells_how_many_reviewers_accepted_a_bug(reviewers: int, told: str) -> None:
    flawed = item_of(Candidate(key="jsonl:b", title="B", prompt="Correct it.", extra={"bug": "b-1"}))
    head = head_of([ITEM, flawed], manifest={"facts": {**FACTS, "bug_reviewers": reviewers}})
    facts = collect_facts(head, [ITEM, flawed])
    documents = (datasheet_document.datasheet_text(facts), card_text(facts, "items.jsonl", 1))
    sentence = f"The implanted bug of each of 1 items was accepted by {told}"
    assert all((sentence in text) if told else ("implanted bug" not in text) for text in documents)
    assert "implanted bug" not in datasheet_document.datasheet_text(collect_facts(head, [ITEM]))


def test_facts_are_kept_with_a_release_as_they_were() -> None:
    kept = frozen_facts(FACTS)
    assert frozen_facts(kept.as_json()) == kept
    for nonsense in (None, [], {"sources": "x", "answers": 3, "tools": {}, "contributors": [1]}):
        assert frozen_facts(nonsense).sources == ()


def test_the_citation_is_sound_cff() -> None:
    facts = collect_facts(head_of([ITEM]), [ITEM])
    data = YAML(typ="safe", pure=True).load(io.StringIO(citation_text(facts)))
    assert data["cff-version"] == "1.2.0" and data["type"] == "dataset" and data["license"] == "MIT"
    assert data["authors"] == [{"family-names": "Lovelace", "given-names": "Ada"}]
    assert (data["date-released"], data["version"]) == ("2026-03-01", "0.1") or str(
        data["date-released"]
    ) == "2026-03-01"
    assert facts.cite_as.startswith("@misc{demo-bench-0.1,")


@pytest.mark.parametrize(
    ("expression", "permitted"),
    [
        ("MIT", True), ("Apache-2.0 OR GPL-3.0", True), ("CC-BY-ND-4.0", False), ("MIT AND CC-BY-ND-4.0", False),
        ("CC-BY-ND-4.0 OR MIT", True), ("LicenseRef-ours", None), ("", None), ("MIT AND Foo", None),
        (f"MIT{' ' * 50_000}OR Foo", True), ('BSD 2-Clause "Simplified" License', True),
        ("Apache License, Version 2.0", True), ("cc by-nd 4.0", False),
    ],
)  # fmt: skip
def test_licences_say_whether_they_permit_passing_on(expression: str, permitted: bool | None) -> None:
    assert licence_terms.may_be_passed_on(expression) is permitted


def _licensed(licence: str, **provenance: Any) -> dict[str, Any]:
    key = f"x:{licence}:{len(str(provenance))}"
    return item_of(Candidate(key=key, title="A", licence=licence, prompt="?", provenance=provenance))


def test_the_licence_file_names_every_licence_and_what_is_not_known() -> None:
    items = [ITEM, _licensed("CC BY-SA 4.0"), _licensed("")]
    counts = count_by(items, "licence")
    text = licence_notices.licence_file(head_of(items), items)
    assert "MIT (1 item)" in text and "https://creativecommons.org/licenses/by-sa/4.0/" in text
    assert "same licence" in text and "not known (1 item)" in text
    assert "The copyright notice of 1 item from a source without a name is not known." in text
    assert licence_terms.hub_licences(counts) == ["cc-by-sa-4.0", "mit", "other"]


SIX = [
    _licensed("MIT", repository="lab/kit", revision="a", copyright="Copyright (c) 2019 The Kit Authors"),
    _licensed("BSD-3-Clause", repository="lab/bees", copyright="Copyright 2011 Bee\nCopyright 2012 Wasp"),
    _licensed("ISC", repository="lab/ice", author="Ivy Ice"),
    _licensed(
        "Apache-2.0", repository="lab/tent", copyright="Copyright 2020 Tent Ltd", notice="Tent\nMade by Tent Ltd"
    ),
    _licensed("CC-BY-SA-4.0", site="stackoverflow.com", question_id=7, author="mia"),
    _licensed("MIT", dataset="HumanEval", task_id="HumanEval/0"),
]
TEXTS = {
    "MIT": 'THE SOFTWARE IS PROVIDED "AS IS"',
    "BSD-3-Clause": "Redistributions of source code must retain the above copyright",
    "ISC": "provided that the above",
    "Apache-2.0": "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION",
    "CC-BY-SA-4.0": "Attribution-ShareAlike 4.0 International",
}


@pytest.mark.parametrize(
    "write", [item.write for item in EXPORTS if item.name in ("annotator", "huggingface", "croissant")]
)
def test_a_release_of_six_sources_carries_what_its_licences_ask_for(write: Writer, tmp_path: Path) -> None:
    """As ``reuse lint`` asks of every file: a licence whose text is there, and whose it is."""
    write(head_of(SIX), SIX, tmp_path / "out")
    text = (tmp_path / "out" / "LICENSE").read_text("utf-8")
    credits = (tmp_path / "out" / "ATTRIBUTION.md").read_text("utf-8")
    assert all(words in text for words in TEXTS.values())
    for item in SIX:
        assert f"`{item['key']}`" in credits
    for notice in (
        "Copyright (c) 2019 The Kit Authors", "Copyright 2011 Bee", "Copyright 2012 Wasp", "Copyright (c) Ivy Ice",
        "Copyright 2020 Tent", "Copyright (c) OpenAI (https://openai.com)",
    ):  # fmt: skip
        assert notice in text
    assert "NOTICE of lab/tent:\n\nTent\nMade by Tent Ltd" in text
    assert "Copyright: Copyright 2011 Bee; Copyright 2012 Wasp." in credits and "Author: Ivy Ice." in credits
    assert "asked by mia on stackoverflow.com (https://stackoverflow.com/questions/7)" in credits
    assert "The set: Copyright (c) OpenAI (https://openai.com) (MIT)." in credits
    assert "[year]" not in text and "is not known" not in text and "several sources" in text


def test_a_file_in_the_format_of_a_set_is_not_that_set() -> None:
    own = _licensed("MIT", dataset="HumanEval", task_id="ours/1")
    assert "OpenAI" not in licence_notices.licence_file(head_of([own]), [own])


def test_one_source_is_not_called_several_hands() -> None:
    text = licence_notices.licence_file(head_of(SIX[:1]), SIX[:1])
    assert "several sources" not in text and "All items come from one source" in text


@pytest.mark.parametrize("licence", [one for one in licence_terms.KNOWN_LICENCES
                                     if one.hub in ("mit", "isc", "apache-2.0", "zlib")
                                     or one.id.startswith(("BSD", "GPL", "LGPL", "AGPL", "MPL", "EPL"))])  # fmt: skip
def test_the_text_of_every_licence_that_asks_for_it_is_at_hand(licence: licence_terms.Licence) -> None:
    assert len(licence_notices.licence_text_of(licence)) > 500


def test_an_author_is_credited_wherever_an_item_comes_from() -> None:
    for provenance in ({"source": "a book"}, {"dataset": "Own"}, {"repository": "lab/kit"}, {}):
        item = _licensed("MIT", **provenance, author="Ada Lovelace")
        assert "Author: Ada Lovelace." in attribution.attribution_paragraph(item)


@pytest.mark.parametrize(
    ("day", "licence"),
    [("2010-01-01", "CC-BY-SA-2.5"), ("2011-04-08", "CC-BY-SA-3.0"), ("2018-05-01T23:59:59", "CC-BY-SA-3.0"),
     ("2018-05-02", "CC-BY-SA-4.0"), ("", "CC-BY-SA-2.5")],
)  # fmt: skip
def test_stack_exchange_licences_go_by_the_day(day: str, licence: str) -> None:
    assert attribution.stack_exchange_licence(day) == licence


def test_posts_and_repositories_are_attributed() -> None:
    post = {
        "site": "stackoverflow.com", "question_id": 7, "author": "mia", "created_at": "2019-01-01",
        "answers": [{"id": 9, "author": "tom"}],
    }  # fmt: skip
    question = item_of(
        Candidate(key="so:7", title="How?", prompt="How?", provenance=post), prompt="Put otherwise: how?"
    )
    said = attribution.attribution_paragraph(question)
    assert '"How?", asked by mia on stackoverflow.com (https://stackoverflow.com/questions/7)' in said
    assert "answered by tom (https://stackoverflow.com/a/9)" in said and "CC-BY-SA-4.0" in said
    assert said.endswith("The text was rewritten.")
    credit = {
        "author": "mia",
        "author_url": "https://so.example/users/3",
        "url": "https://so.example/q/7",
        "licence": "CC-BY-SA-3.0",
    }
    kept = {
        "site": "so.example",
        "question_id": 7,
        "credit": credit,
        "answers": [{"id": 9, "credit": {"author": "tom"}}],
    }
    said = attribution.attribution_paragraph(
        item_of(Candidate(key="so:7", title="How?", prompt="How?", provenance=kept))
    )
    assert "asked by mia, https://so.example/users/3 on so.example (https://so.example/q/7)" in said
    assert "answered by tom (https://so.example/a/9)" in said and "CC-BY-SA-3.0" in said
    code = {"repository": "lab/kit", "revision": "abc", "path": "kit/a.py", "url": "https://example.org/kit"}
    mined = item_of(Candidate(key="r:1", title="f", prompt="?", licence="BSD-3-Clause", provenance=code))
    assert attribution.attribution_paragraph(mined) == (
        "Code from lab/kit at revision abc, kit/a.py (https://example.org/kit). "
        "Licence: BSD-3-Clause (https://spdx.org/licenses/BSD-3-Clause.html)."
    )
    text = attribution.attribution_text(head_of([mined, ITEM]), [mined, ITEM])
    assert "- `r:1`: Code from" in text and text.rstrip().endswith("- `jsonl:a`")


def _changed(**changes: Any) -> dict[str, Any]:
    return {**ITEM, **changes}


def test_what_changed_tells_which_scores_still_count() -> None:
    old = semantic_hashes.hash_parts(
        [ITEM, _changed(key="jsonl:b"), _changed(key="jsonl:c"), _changed(key="jsonl:gone")]
    )
    new = semantic_hashes.hash_parts(
        [
            ITEM,
            _changed(key="jsonl:b", title="T"),
            _changed(key="jsonl:c", prompt="?", tests=[1]),
            _changed(key="jsonl:new"),
        ]
    )
    diff = semantic_hashes.compare_parts(old, new)
    assert (diff.added, diff.removed, diff.same) == (("jsonl:new",), ("jsonl:gone",), ("jsonl:a",))
    assert diff.changed == {"jsonl:b": ("labels",), "jsonl:c": ("prompt", "tests")}
    assert diff.void == ("jsonl:c",) and diff.comparable == ("jsonl:a", "jsonl:b")
    assert semantic_hashes.draft_errata(diff) == (
        "jsonl:b: labels changed",
        "jsonl:c: prompt, tests changed; earlier scores are no longer valid",
        "jsonl:gone: taken out",
    )
    # A field that only newer versions have does not make every item a changed one.
    assert semantic_hashes.hash_parts([_changed(files={})]) == semantic_hashes.hash_parts([ITEM])
    # Nor does a mode that the tests themselves tell: they are run as before.
    told = {"name": "shared", "reason": "the tests use os", "forced": False}
    assert semantic_hashes.hash_parts([_changed(mode=told)]) == semantic_hashes.hash_parts([ITEM])


def test_every_field_of_an_item_is_in_one_part() -> None:
    fields = [name for names in semantic_hashes.PARTS.values() for name in names]
    assert sorted(fields) == sorted(set(fields))
    assert set(ITEM) | {"files", "mode"} == {*fields, "id", "key", "content_hash"}
    other = {"mode": {"name": "shared", "reason": "x", "forced": True}}
    for part, names in semantic_hashes.PARTS.items():
        for name in names:
            diff = semantic_hashes.compare_parts(
                semantic_hashes.hash_parts([ITEM]),
                semantic_hashes.hash_parts([_changed(**{name: other.get(name, "other")})]),
            )
            assert diff.changed == {ITEM["key"]: (part,)}
            assert bool(diff.void) == (part in semantic_hashes.SCORING)


@pytest.mark.parametrize(
    ("old", "new_items", "month", "suggested"),
    [
        ("0.1", [_changed(title="x")], "", "0.1.1"),
        ("1.2.3", [ITEM, _changed(key="n")], "", "1.3.0"),
        ("1.2.3", [_changed(prompt="x")], "", "2.0.0"),
        ("1.2", [_changed(context="x")], "", "2.0"),
        ("1.2", [ITEM, _changed(key="n")], "", "1.3"),
        ("1.2", [_changed(reference="x")], "", "1.2.1"),
        ("0.4", [], "", "0.5"),
        ("2026", [_changed(title="x")], "2611", "2026.1"),
        ("2603", [ITEM, _changed(key="n")], "2604", "2604"),
        ("2603.1", [_changed(title="x")], "2603", "2603.2"),
        ("spring", [_changed(title="x")], "", "spring.1"),
        ("spring.9", [_changed(title="x")], "", "spring.10"),
        ("1.2.3", [ITEM], "", ""),
        ("2603", [ITEM], "2604", ""),
    ],
)
def test_the_next_version_follows_from_what_changed(old: str, new_items: list[Any], month: str, suggested: str) -> None:
    diff = semantic_hashes.compare_parts(semantic_hashes.hash_parts([ITEM]), semantic_hashes.hash_parts(new_items))
    assert semantic_hashes.suggest_next_version(old, diff, month) == suggested


def test_croissant_versions_are_three_numbers() -> None:
    versions = [croissant_version(text) for text in ("0.1", "2603", "1.2.3", "spring")]
    assert versions == ["0.1.0", "2603.0.0", "1.2.3", "spring"]


AKIA = "AKIA" + "QWERTYUIOPASDFGH"
SECRETS = [
    ("private key", "-----BEGIN RSA PRIVATE KEY-----"),
    ("AWS access key", f"key = {AKIA}"),
    ("GitHub token", "ghp_" + "a1B2c3D4e5F6" * 3),
    ("GitHub token", "github_pat_" + "a1B2c3D4e5F6" * 3),
    ("Slack token", "xoxb-" + "123456789012-abcdefGHIJ"),
    ("model provider key", "sk-proj-" + "Zx9Yw8Vu7Ts6Rq5Po4Nm"),
    ("Hugging Face token", "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz012345"),
    ("web token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.dozjgNryP4J3jVmNHl0w5N"),
    ("password in an address", "postgres://admin:Tr0ub4dor@db.corp.net/x"),
    ("password or key in code", "api_key = '9f8e7d6c5b4a39281706'"),
    ("e-mail address", "write to jane.doe@uni-kassel.de"),
    ("telephone number", "call +49 561 804 1234"),
    ("network address", "ping 84.12.33.9"),
    ("card number", "4539 1488 0343 6467"),
    ("account number", "DE89 3704 0044 0532 0130 00"),
]
HARMLESS = [
    "user@example.com", "git@github.com:a/b.git", "@property\nname.setter", "a@b", "password = 'changeme'",
    "api_key = os.environ['KEY']", "secret = '<your secret here>'", "127.0.0.1 10.0.0.1 192.168.1.1 8.8.8.8",
    "version 1.2.3.4", "4111 1111 1111 1111", "4539 1488 0343 6468", "+1 202 555 0143", "DE88 3704 0044 0532 0130 00",
    "x @ y.T", "AKIAIOSFODNN7EXAMPLE", "sk-xxxxxxxxxxxxxxxxxxxxxxxx", "https://user:password@example.com",
]  # fmt: skip


@pytest.mark.parametrize(("rule", "text"), SECRETS)
def test_secrets_and_personal_data_are_found_and_never_shown(rule: str, text: str) -> None:
    found = personal_data.scan_text(f"first line\n{text}\n")
    assert rule in {item.rule for item in found} and {item.line for item in found} == {2}
    secret = text.split("= ")[-1].strip("'")
    assert all(secret not in item.masked_text for item in found)


@pytest.mark.parametrize("text", HARMLESS)
def test_placeholders_are_left_alone(text: str) -> None:
    assert personal_data.scan_text(text) == ()


def test_the_whole_item_is_looked_through() -> None:
    test = CandidateTest(name="t", code="x = 1\n# jane.doe@uni-kassel.de\n", inputs={"a": ["tom.roe@uni-kassel.de"]})
    item = item_of(Candidate(key="x:1", title="T", prompt="?", extra={"files": {"f.txt": AKIA}}, tests=(test,)))
    found = personal_data.scan_item(item)
    assert [(item.field, item.finding.rule, item.finding.line) for item in found] == [
        ("tests.1.code", "e-mail address", 2),
        ("tests.1.inputs.a.1", "e-mail address", 1),
        ("files.f.txt", "AWS access key", 1),
    ]
    report = personal_data.report_text(head_of([item]), found, 1)
    assert "Looked through 1 item: 3 findings in 1 item." in report and "jane.doe" not in report and AKIA not in report


def test_human_eval_holds_nothing_of_the_kind() -> None:
    assert [str(found) for item in human_eval() for found in personal_data.scan_item(item_of(item))] == []


@given(st.text(alphabet=st.sampled_from("aA1@.:/+- =_'\"\nkeysGBghp"), max_size=300))
def test_any_text_is_scanned(text: str) -> None:
    lines = text.splitlines()
    for found in personal_data.scan_text(text):
        assert 1 <= found.line <= len(lines) and 1 <= found.column <= len(lines[found.line - 1])


@pytest.mark.parametrize(
    "piece", ["a", "a@", "1.1.", "+1 2 3 ", "GB12", "a.b-", "://a:", "api_key ", "A1 ", "4000 ", "-"]
)
def test_a_hostile_text_takes_no_longer(piece: str) -> None:
    start = time.perf_counter()
    personal_data.scan_text(piece * (400_000 // len(piece)))
    assert time.perf_counter() - start < 60, "it grows with the square of the length"


@pytest.mark.parametrize("piece", [", ", " ", ",,,", "..", "<.", "_'"])
def test_a_hostile_comment_takes_no_longer(piece: str) -> None:
    start = time.perf_counter()
    lines = credit_lines.credit_lines(f"# Written by Ann\n# a {piece * (100_000 // len(piece))}", "python")
    assert lines == {1} and time.perf_counter() - start < 60, "it grows with the square of the length"


@pytest.mark.parametrize(
    ("text", "closing"),
    [("```\n~~~", "\n```"), ("````\n```", "\n````"), ("``` a`b", ""), ("~~~\nx\n~~~~", ""), ("```\n``` x", "\n```")],
)
def test_a_block_of_code_is_closed_by_its_own_mark(text: str, closing: str) -> None:
    assert markdown_text(text) == text + closing


def test_a_number_keeps_its_sign_in_markdown() -> None:
    assert [markdown_line(text) for text in ("+1.5", "-2", "- a")] == ["+1.5", "-2", "\\- a"]


HOSTILE = "a_b `c` | <img src=x onerror=alert(1)> [x](y) \x1b[31m\u202e & <script>\n# no heading\n```\n<b>"


def test_texts_of_people_and_data_are_no_markup_in_documents(tmp_path: Path) -> None:
    item = {**ITEM, "key": f"jsonl:{HOSTILE}", "licence": HOSTILE, "provenance": {"dataset": HOSTILE}}
    facts = frozen_facts({**FACTS, "answers": dict.fromkeys(("purpose", "makers"), HOSTILE), "filters": {HOSTILE: 1}})
    about = {"facts": facts.as_json(), "languages": {HOSTILE: 1}, "overridden": [HOSTILE]}
    head = head_of([item], manifest=about, notes=HOSTILE, project=HOSTILE)
    for name in ("annotator", "huggingface"):
        export_format(name).write(head, [item], tmp_path / name)  # type: ignore[misc]
    documents = [path for path in tmp_path.rglob("*.md") if path.is_file()]
    assert {"README.md", "DATASHEET.md", "ATTRIBUTION.md", "PERSONAL-DATA.md"} <= {path.name for path in documents}
    for path in documents:
        text = path.read_text("utf-8").partition("---\n\n")[2] or path.read_text("utf-8")
        assert not {"\x1b", "\u202e"} & set(text)
        prose = text.partition("```bibtex")[0].replace("\\<", "")
        assert "<img" not in prose and "<script" not in prose, path.name
        assert text.count("\n```") % 2 == 0, path.name
