"""What a paraphrase must keep and must not tell: each check in words, the release gate, and its override."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import BadInputError
from annotator.model.rows.release_rows import Gate
from annotator.model.vocabulary import Verdict
from annotator.services.project import projects, undo
from annotator.services.prompt import paraphrases
from annotator.services.prompt.paraphrase_guard import PromptMaterial, check_paraphrase
from annotator.services.release import exports, release_gates, release_list, versions
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile
from tests.formats.releases import write_rows

ORIGINAL = (
    "Write `settle(balance, rate)` for pandas 2.1.4: it takes 0.25 off each entry.\n\n"
    "def settle(balance, rate):\n\nExample:\nsettle([4, 8], 0.5) == [3, 7]\n"
)
MATERIAL = PromptMaterial(
    original=ORIGINAL,
    language="python",
    entry_point="settle",
    context="",
    reference="def settle(balance, rate):\n    cut = accumulate_all(balance, 0.25)\n    return sorted(cut, key=abs)\n",
    tests=("assert settle([1, 2], 3) == 'forty-two'",),
)
GOOD = (
    "For pandas 2.1.4, please give `settle(balance, rate)`, which lessens every entry by 0.25.\n"
    "def settle(balance, rate):\nWith [4, 8] and so on: settle([4, 8], 0.5) gives [3, 7]."
)


def problems(paraphrase: str) -> list[str]:
    return [str(problem) for problem in check_paraphrase(MATERIAL, paraphrase).problems]


def test_a_paraphrase_that_keeps_everything_holds() -> None:
    found = check_paraphrase(MATERIAL, GOOD)
    assert found.problems == () and all(check.ok for check in found.checks)


@pytest.mark.parametrize(
    ("gone", "instead", "words"),
    [
        ("0.25", "a quarter", "The number `0.25` is missing."),
        ("def settle(balance, rate):", "", "The signature `def settle(balance, rate)` is missing."),
        ("[3, 7]", "something", "The example `settle([4, 8], 0.5) == [3, 7]` is missing."),
        ("please", "return sorted(cut, key=abs)", "It gives away part of the answer: `return sorted(cut, key=abs)`."),
        ("please", "with `accumulate_all`", "It names something the answer uses: `accumulate_all`."),
        ("please", "or say 'forty-two'", "It gives away what a test expects: `'forty-two'`."),
        ("please", "ple\u202ease", "A hidden character changes the reading order"),
        ("please", "ple\u200base", "It contains a hidden character: U+200B (zero width space), 1 times."),
    ],
)
def test_each_fault_is_said_in_words(gone: str, instead: str, words: str) -> None:
    assert any(words in problem for problem in problems(GOOD.replace(gone, instead))), problems(
        GOOD.replace(gone, instead)
    )


def test_a_name_that_no_answer_needs_is_told_and_blocks_nothing() -> None:
    found = check_paraphrase(MATERIAL, GOOD.replace("2.1.4", ""))
    assert found.problems == ()
    assert [problem for check in found.checks for problem in check.problems] == ["The version `2.1.4` is missing."]


def test_what_is_missing_with_its_example_is_said_once() -> None:
    material = PromptMaterial(original="Halve a list.\n>>> halve([4.5])\n2.25\n", reference="4.5 and 2.25")
    found = check_paraphrase(material, "Give half of every entry of a list.")
    assert [str(problem) for problem in found.problems] == ["The example `halve([4.5]) 2.25` is missing."]


def test_nearly_nothing_is_too_short_whatever_the_original_holds() -> None:
    plain = PromptMaterial(original="How do I sort a list?")
    assert [str(problem) for problem in check_paraphrase(plain, "x").problems] == ["It is too short to be a question."]
    assert not check_paraphrase(plain, "In which way are lists put in order?").problems
    assert not check_paraphrase(plain, "如何对列表排序").problems


def test_the_name_that_tests_call_is_kept() -> None:
    found = check_paraphrase(
        PromptMaterial(original="Write settle for lists of numbers.", entry_point="settle"), "Write code."
    )
    assert any("`settle`, which the tests call, is missing" in problem for problem in found.problems)


def test_nearness_is_told_and_blocks_nothing() -> None:
    found = check_paraphrase(MATERIAL, ORIGINAL)
    assert found.problems == () and not found.checks[-1].ok


@pytest.fixture
def store(tmp_path: Path) -> ProjectFile:
    made = projects.create_project(tmp_path / "p.annotator", "p", "ada")
    add(made, tmp_path, id="sort", prompt="How do I sort a list by `key` in 0.25 seconds?", reference="Use sorted(x).")
    return made


def add(store: ProjectFile, tmp_path: Path, **row: Any) -> None:
    imports.import_paths(
        store, "jsonl", [write_rows(tmp_path / "rows.jsonl", [{"language": "python", "licence": "MIT", **row}])]
    )
    triage.decide_subjects(store, [row["id"]], Verdict.ACCEPT)


def gate(store: ProjectFile) -> Gate:
    return next(gate for gate in release_gates.check_gates(store) if gate.id == "paraphrases")


def test_x_reaches_no_release_without_an_override_that_the_release_shows(store: ProjectFile) -> None:
    release_gates.set_gate_rules(
        store, {kind.id: "off" for kind in release_gates.KINDS if kind.rule and kind.id != "paraphrases"}
    )
    assert gate(store).ok
    paraphrases.save_prompt(store, "sort", "x")
    found = gate(store)
    assert found.required and not found.ok and "`key` is missing" in found.items[0].why
    with pytest.raises(BadInputError) as refused:
        versions.create_release(store, "0.1")
    assert "Every paraphrase keeps what it must keep" in refused.value.details[0]

    with pytest.raises(BadInputError, match="reason"):
        paraphrases.override_checks(store, "sort", "  ")
    paraphrases.override_checks(store, "sort", "the letter is the whole riddle")
    found = gate(store)
    assert found.ok and found.overridden[0].override.person == "ada"
    row, _ = versions.create_release(store, "0.1")
    assert "the letter is the whole riddle" in row.overrides[0] and "ada" in row.overrides[0]
    assert release_list.list_releases(store)[0].overrides == row.overrides
    shown, gates = release_list.find_release(store, "0.1")
    assert shown.overrides == row.overrides
    assert [item["overridden"] for item in gates if item["id"] == "paraphrases"] == [1]


def test_the_datasheet_of_an_export_tells_the_override(store: ProjectFile, tmp_path: Path) -> None:
    paraphrases.save_prompt(store, "sort", "x")
    paraphrases.override_checks(store, "sort", "the letter is the whole riddle")
    versions.create_release(store, "0.1", override_reason="a test")
    exports.export_release(store, "0.1", "annotator", tmp_path / "out")
    sheets = [path.read_text() for path in (tmp_path / "out").rglob("*.md")]
    assert any("the letter is the whole riddle" in text and "ada" in text for text in sheets)


def test_an_override_is_for_one_revision_and_can_be_undone(store: ProjectFile) -> None:
    paraphrases.save_prompt(store, "sort", "x")
    subject = triage.load_subject(store, "sort").row.id
    paraphrases.override_checks(store, "sort", "a riddle")
    assert paraphrases.load_prompt_states(store, [subject])[subject].ready
    undo.undo_last_act(store)
    assert not paraphrases.load_prompt_states(store, [subject])[subject].ready and not gate(store).ok
    undo.redo_last_act(store)
    assert gate(store).ok
    paraphrases.save_prompt(store, "sort", "y")
    assert not gate(store).ok, "another text is checked again"


def test_what_holds_needs_no_override(store: ProjectFile) -> None:
    with pytest.raises(BadInputError, match="nothing to override"):
        paraphrases.override_checks(store, "sort", "why not")


def test_an_original_that_reads_otherwise_than_it_is_is_named(store: ProjectFile, tmp_path: Path) -> None:
    add(store, tmp_path, id="bidi", prompt="Is \u202egnirts\u202c a name?", reference="Yes.")
    assert "U+202E" in gate(store).items[0].why
