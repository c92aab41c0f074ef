"""A word of the reference that no rule asks for, and an alternative that is wrong, are found by the proof."""

from __future__ import annotations

import json

import pytest

from annotator.criteria import CriterionDocument, parse_criterion
from annotator.criteria.proof.changed_answers import changed_answers
from annotator.criteria.proof.changed_values import unchecked_values
from annotator.criteria.proof.distinctive_words import distinctive_words
from annotator.criteria.proof.impostors import JudgedQuestion, make_impostors
from annotator.criteria.proof.proof_checks import (
    DocumentJudge,
    ProofCheck,
    every_test_check,
    forbidden_check,
    prove_judge,
    right_answers,
    words_check,
)
from annotator.criteria.proof.undone_lines import undo_lines, undo_operators
from tests.samples import load_samples

SAMPLES = load_samples(__file__)
QUESTIONS = {name: JudgedQuestion(**row) for name, row in SAMPLES["questions"].items()}
GIT, GIL, SIXTY = QUESTIONS["git"], QUESTIONS["gil"], QUESTIONS["sixty"]
CONVERSATION = QUESTIONS["conversation"]


def _document(rules: str, *passing: str) -> CriterionDocument:
    examples = "".join(f"\n  - answer: {text!r}\n    expect: pass" for text in passing)
    source = f"grading:\n  keywords: {rules}\n" + (f"examples:{examples}\n" if passing else "")
    found = parse_criterion(source, {})
    assert found.document is not None, found
    return found.document


def _words(question: JudgedQuestion, document: CriterionDocument) -> ProofCheck | None:
    right = [text for _, text in right_answers(document, question)]
    return words_check(DocumentJudge(document), document, question.prompt, right)


@pytest.mark.parametrize(("question", "rules"), SAMPLES["what_matters"])
def test_a_criterion_that_asks_for_what_matters_holds(question: str, rules: str) -> None:
    found = _words(QUESTIONS[question], _document(rules))
    assert found is not None and found.outcome == "pass", found


@pytest.mark.parametrize(("question", "rules", "word"), SAMPLES["weakened"])
def test_a_weakened_criterion_is_caught(question: str, rules: str, word: str) -> None:
    found = _words(QUESTIONS[question], _document(rules))
    assert found is not None and found.outcome == "fail"
    missed = {trial.label: trial for trial in found.trials if trial.ok is False}
    assert word in missed
    assert missed[word].keyword == ("" if word.endswith(" alone") else word.partition(" → ")[0])


def test_a_word_that_another_right_answer_lacks_is_free() -> None:
    without = _document("[git reset]", "Use git reset with the flag that keeps the index, for one commit.")
    found = _words(GIT, without)
    assert found is not None and found.outcome == "pass"
    assert "--soft" not in {trial.label for trial in found.trials}
    changed = next(item for item in changed_answers(_document("[git reset]"), GIT.prompt, [GIT.reference]))
    found = _words(GIT, _document("[git reset]", changed.text))
    assert found is None or changed.word not in {trial.label for trial in found.trials}


def test_a_word_that_an_example_says_is_enough_may_stand_alone() -> None:
    found = _words(GIL, _document("[process]", "process"))
    assert found is not None and found.outcome == "pass"
    short = JudgedQuestion(prompt=GIL.prompt, reference="The lock does.")
    assert _words(short, _document("[lock]")) is None


@pytest.mark.parametrize("tolerance", [0, 0.5])
def test_a_bare_number_is_right_and_its_neighbours_are_not(tolerance: float) -> None:
    document = _document(f"[]\n  number: {{value: 62, tolerance: {tolerance}}}")
    found = _words(SIXTY, document)
    assert found is not None and found.outcome == "pass"
    assert [trial.label for trial in found.trials] == ["62 → 63", "62 → 61"]
    report = prove_judge(DocumentJudge(document), right_answers(document, SIXTY), make_impostors(document, SIXTY))
    assert report.proven, report.checks[1].summary


def test_an_alternative_that_an_example_accepts_is_right() -> None:
    rules = "[{content: {or: [equals, compareTo]}}]"
    found = _words(QUESTIONS["java"], _document(rules, "Compare the contents with a.compareTo(b) == 0."))
    assert found is None or found.outcome == "pass"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Call `df.drop_duplicates(keep='last')`.", ("drop_duplicates", "keep=")),
        ("```python\nx = load('a.txt')\nprint(x)\n```", ("load",)),
        ("It gives 42 since version 3.11.2.", ("42", "3.11.2")),
        ("Nothing to see.", ()),
    ],
)
def test_what_an_answer_names(text: str, words: tuple[str, ...]) -> None:
    assert distinctive_words(text) == words


def test_code_that_tests_judge_is_changed_elsewhere() -> None:
    source = "grading:\n  unit_test:\n    tests: ['assert f() == 1']\nlang: python\n"
    document = parse_criterion(source, {}).document
    assert (
        document is not None and changed_answers(document, "Write f.", ["```python\ndef f(): return g(1)\n```"]) == ()
    )


@pytest.mark.parametrize(("most", "proven"), [(0.6, True), (0.15, False)])
def test_a_loose_similarity_takes_what_is_far_from_the_reference(most: float, proven: bool) -> None:
    text = (
        "A context manager closes the file even when the block raises, because its exit method always runs at the end."
    )
    rule = f"metric: rougeL\n      references: [{text!r}]\n      min_score: 0.1\n      max_score: {most}\n"
    source = f"grading:\n  similarity:\n    - {rule}"
    document = parse_criterion(source, {}).document
    assert document is not None, parse_criterion(source, {})
    question = JudgedQuestion(prompt="What does `with open(...)` do?", reference=text)
    report = prove_judge(DocumentJudge(document), right_answers(document, question), make_impostors(document, question))
    assert report.proven is proven, report.checks[1].summary


def _blanks(*targets: str) -> ProofCheck | None:
    template = "A binary search takes [blank] time and needs the list to be [blank] beforehand."
    source = f"grading:\n  blank_filling:\n    template: {template!r}\n    targets: [{', '.join(targets)}]\n"
    found = parse_criterion(source, {})
    assert found.document is not None, found
    question = JudgedQuestion(
        prompt="What does a binary search need?", reference="A binary search takes O(log n) time."
    )
    right = [text for _, text in right_answers(found.document, question)]
    return words_check(DocumentJudge(found.document), found.document, question.prompt, right)


def test_blanks_that_hold_whole_words_are_sound() -> None:
    found = _blanks("{content: ['O(log n)', logarithmic]}", "{content: [sorted, ordered]}")
    assert found is not None and found.outcome == "pass"


@pytest.mark.parametrize(
    ("targets", "passing"),
    [
        (("{content: ['O(log n)']}", "{content: [sorted], substr_match: true}"), "unsorted"),
        (("{content: ['O(log n)']}", "{content: [sorted, unsorted]}"), "unsorted"),
        (("{content: ['O(log n)'], substr_match: true}", "{content: [log], substr_match: true}"), "O(log n)"),
    ],
)
def test_a_blank_that_takes_the_opposite_or_what_another_should_hold_is_weak(
    targets: tuple[str, str], passing: str
) -> None:
    found = _blanks(*targets)
    assert found is not None and found.outcome == "fail"
    passed = [trial for trial in found.trials if trial.ok is False]
    assert any(passing in trial.answer for trial in passed) and not any(trial.keyword for trial in passed)


@pytest.mark.parametrize(
    ("targets", "passing"),
    [
        ("{content: [writeheader, writerow, header]}, newline=None", ["writeheader → writerow"]),
        ("writeheader, {content: [{content: newline=.*, regex: true}]}", ["newline=None → newline=qxz"]),
        ("{content: [writeheader, header]}, newline=None", []),
    ],
)
def test_blanks_of_code_that_take_other_names_or_values_are_weak(targets: str, passing: list[str]) -> None:
    rules = f"blank_filling:\n    template: |\n      w.[blank]()\n      open(f, [blank])\n    targets: [{targets}]\n"
    loaded = parse_criterion(f"grading:\n  {rules}", {})
    assert loaded.document is not None, loaded
    found = _words(
        JudgedQuestion(prompt="Fill in both.", reference="w.writeheader()\nopen(f, newline=None)"), loaded.document
    )
    assert found is not None
    assert [str(trial.label) for trial in found.trials if trial.ok is False][: len(passing) or 1] == passing


@pytest.mark.parametrize(("question", "rules", "label"), SAMPLES["wrong_and_passing"])
def test_more_of_what_is_wrong_and_passes_is_found(question: str, rules: str, label: str) -> None:
    found = _words(QUESTIONS[question], _document(rules))
    assert found is not None and found.outcome == "fail"
    passing = {str(trial.label): trial.answer for trial in found.trials if trial.ok is False}
    assert label in passing and QUESTIONS[question].reference not in passing.values()


@pytest.mark.parametrize(("question", "rules"), SAMPLES["all_of_it"])
def test_what_asks_for_all_of_it_holds(question: str, rules: str) -> None:
    found = _words(QUESTIONS[question], _document(rules))
    assert found is not None and found.outcome == "pass", found.summary


def test_a_similarity_to_a_few_words_is_asked_about_each() -> None:
    rule = "grading:\n  similarity:\n    - {metric: rouge1, references: [enabled is false], "
    loose = parse_criterion(f"{rule}max_score: 0.5}}\n", {})
    assert loose.document is not None
    question = JudgedQuestion(prompt="How do I switch it off?", reference="enabled is false")
    found = _words(question, loose.document)
    assert found is not None and found.outcome == "fail" and "an answer without false passes" in found.summary
    strict = parse_criterion(f"{rule}min_score: 0.9, max_score: 1}}\n", {})
    assert strict.document is not None
    held = _words(question, strict.document)
    assert held is not None and held.outcome == "pass"


@pytest.mark.parametrize(("high", "outcome"), [(0.51, "fail"), (1, "pass")])
def test_a_similarity_to_many_words_is_asked_about_what_they_name(high: float, outcome: str) -> None:
    rule = json.dumps({"metric": "rougeL", "references": [CONVERSATION.reference], "min_score": 0.3, "max_score": high})
    document = parse_criterion(f"grading:\n  similarity:\n    - {rule}\n", {}).document
    assert document is not None
    found = _words(CONVERSATION, document)
    assert found is not None and found.outcome == outcome
    assert ("an answer without 127.0.0.1 passes" in found.summary) is (outcome == "fail")


def test_blanks_that_take_each_others_words_are_found() -> None:
    template = "The last is taken by [blank] and the first by [blank]."
    source = f"grading:\n  blank_filling:\n    template: {template}\n    blank_str: '[blank]'\n    targets: [%s]\n"
    question = JudgedQuestion(prompt="How?", reference="The last is taken by pop and the first by popleft.")
    either = parse_criterion(source % ", ".join(2 * ["{content: [pop, popleft]}"]), {}).document
    each = parse_criterion(source % "{content: [pop]}, {content: [popleft]}", {}).document
    assert either is not None and each is not None
    found, held = _words(question, either), _words(question, each)
    assert found is not None and found.outcome == "fail" and "popleft instead of pop" in found.summary
    assert held is not None and held.outcome == "pass", held.summary


@pytest.mark.parametrize(("most", "idle"), [("", False), ("  max_score: 2\n", False), ("  max_score: 1\n", True)])
def test_a_test_that_may_fail_is_told(most: str, idle: bool) -> None:
    tests = "".join(f"      - content: assert f({number}) == {number}\n" for number in (1, 2))
    document = parse_criterion(f"lang: python\ngrading:\n{most}  unit_test:\n    tests:\n{tests}", {}).document
    assert document is not None
    found = every_test_check(document)
    assert (found is not None) is idle
    assert found is None or len(found.facts["idle"]) == 2


@pytest.mark.parametrize(("question", "rules", "word"), SAMPLES["attributes_and_order"])
def test_attributes_and_the_order_of_rows_are_asked_about(question: str, rules: str, word: str) -> None:
    found = _words(QUESTIONS[question], _document(rules))
    assert found is not None
    missed = {trial.keyword for trial in found.trials if trial.ok is False}
    assert missed == ({word} if word else set())


def test_what_a_loop_begins_with_is_the_authors_choice() -> None:
    loop = JudgedQuestion(
        prompt="Why 3 each time?",
        reference="Use let:\n```js\nfor (let i = 0; i < 3; i++) { setTimeout(() => log(i)); }\n```",
    )
    found = _words(loop, _document("['for (let i']"))
    assert found is None or not any("3 instead of 0" in str(trial.label) for trial in found.trials)


@pytest.mark.parametrize(("template", "targets", "more", "passing"), SAMPLES["blanks_of_numbers"])
def test_numbers_that_blanks_do_not_hold_are_found(template: str, targets: str, more: str, passing: str) -> None:
    source = f"grading:\n  blank_filling:\n    template: '{template}'\n    targets: {targets}\n{more}"
    document = parse_criterion(source, {}).document
    assert document is not None
    found = _words(QUESTIONS["network"], document)
    assert found is not None
    missed = {str(trial.label) for trial in found.trials if trial.ok is False}
    assert (passing in missed) if passing else not missed, missed


@pytest.mark.parametrize(("reference", "rule", "label"), SAMPLES["wide_tolerances"])
def test_wide_tolerances_and_letters_of_any_case_are_told(reference: str, rule: str, label: str) -> None:
    loaded = parse_criterion(f"grading:\n  {rule}\n", {})
    assert loaded.document is not None
    found = _words(JudgedQuestion(prompt="What does it print?", reference=reference), loaded.document)
    passing = [str(trial.label) for trial in found.trials if trial.ok is False] if found else []
    assert passing[:1] == [label] * bool(label)


@pytest.mark.parametrize(("prompt", "rules", "missing"), SAMPLES["forbidden"])
def test_what_the_prompt_forbids_is_looked_for(prompt: str, rules: str, missing: list[str] | None) -> None:
    loaded = parse_criterion(f"grading:\n  {rules}\n", {})
    assert loaded.document is not None
    found = forbidden_check(loaded.document, prompt)
    said = list(found.facts.get("missing", ())) if found is not None else None
    assert said == missing or (said == [] and missing is None)


def test_what_the_question_has_and_what_comments_say_is_taken_over() -> None:
    rules = r"""
      - content: {content: "\\.loc\\[[^,\\n]+, 'discount'\\] =", regex: true}
      - quantize\\("""
    prompt = "How do I set these rows, with 0.1?\n\n    cheap['discount'] = 0.1\n\nBy how much, 2.68?"
    reference = "```python\ndf.loc[df.price < 10, 'discount'] = 0.1\nx.quantize(cent)  # Decimal('2.68')\n```"
    found = _words(JudgedQuestion(prompt=prompt, reference=reference), _document(rules))
    assert found is not None
    assert not any(str(trial.label).startswith(("0.1 →", "2.68 →")) for trial in found.trials)


def test_another_way_that_follows_the_code_is_no_part_of_what_is_asked_for() -> None:
    either = r"""[{content: {or: [{content: 'increment\.bind\(', regex: true}, {content: '=> *this', regex: true}]}}]"""
    reference = "Bind it:\n\n```js\nevent = this.increment.bind(this);\n```\n\nOr write `() => this.increment()`."
    found = _words(JudgedQuestion(prompt="Why is `this` not the counter?", reference=reference), _document(either))
    assert found is not None and not [trial.label for trial in found.trials if trial.ok is False]


@pytest.mark.parametrize(
    ("rules", "passing"),
    [
        ("[wg.Done(), wg.Wait()]", ["*sync → sync", "&wg → wg", "go w(i, &wg) → go w(i, wg)"]),
        ("[wg.Done(), {content: {content: 'wg +\\*sync', regex: true}}, '&wg']", []),
    ],
)
def test_signs_that_the_question_lacks_are_asked_for(rules: str, passing: list[str]) -> None:
    prompt = "Why does it wait?\n\n    func w(i int, wg sync.WaitGroup) { wg.Done() }\n    go w(i, wg)\n    wg.Wait()\n"
    reference = "```go\nfunc w(i int, wg *sync.WaitGroup) {\n\twg.Done()\n}\ngo w(i, &wg)\nwg.Wait()\n```"
    found = _words(JudgedQuestion(prompt=prompt, reference=reference), _document(rules))
    assert found is not None and [str(trial.label) for trial in found.trials if trial.ok is False] == passing


@pytest.mark.parametrize(("prompt", "code", "undone"), SAMPLES["undone_lines"])
def test_lines_that_the_question_lacks_are_undone(prompt: str, code: str, undone: list[list[str]]) -> None:
    text = f"Do it so:\n```\n{code}```"
    found = list(undo_lines(prompt, text))
    assert [[line, other] for line, other, _ in found] == undone
    assert all(changed == text.replace(line, other) or not other for line, other, changed in found)
    assert all(line not in changed for line, _, changed in found)


@pytest.mark.parametrize(
    ("rule", "passing"),
    [
        ("{or: [git revert, git reset, git checkout, git rebase, head, undo]}", ["undo"]),
        ("{or: [git revert, git reset, head]}", []),
        ("{or: [git revert, history, head]}", ["history"]),
    ],
)
def test_alternatives_beside_several_that_are_there_are_asked_for(rule: str, passing: list[str]) -> None:
    question = JudgedQuestion(
        prompt="How do I take it back with the history kept?", reference="```bash\ngit revert HEAD\n```"
    )
    found = _words(question, _document(f"[{{content: {rule}, to_lower: true}}]"))
    labels = [str(trial.label) for trial in found.trials if trial.ok is False] if found is not None else []
    assert [label for label in labels if "git revert →" in label] == [f"git revert → {other}" for other in passing]


def test_code_without_a_place_in_the_question_has_no_signs_of_it() -> None:
    assert not list(undo_operators("How do I add?", "```c\nint *f;\n```"))
    assert not list(undo_operators("Why?\n\n    print(1)\n", "```c\nint *f = malloc(a * b);\n```"))


def test_a_match_that_begins_with_a_raised_digit_is_no_number() -> None:
    question = JudgedQuestion(prompt="How large is it?", reference="It has x² and 5 apples in it.")
    found = _words(question, _document("[{content: {content: '² and', regex: true}}]"))
    assert found is not None and not any(str(trial.label).startswith("² ") for trial in found.trials)


def _document_changed_values(source: str) -> CriterionDocument:
    found = parse_criterion(source, {})
    assert found.document is not None, found
    return found.document


def _rules(*rules: str) -> CriterionDocument:
    return _document_changed_values("grading:\n  keywords:\n" + "".join(f"    - content: {rule}\n" for rule in rules))


def _missed(found: ProofCheck | None) -> set[str]:
    assert found is not None
    return {str(trial.label) for trial in found.trials if trial.ok is False}


@pytest.mark.parametrize(("question", "rules", "label"), SAMPLES["not_asked_for"])
def test_a_value_that_a_rule_names_and_does_not_ask_for_is_found(question: str, rules: list[str], label: str) -> None:
    assert label in _missed(_words(QUESTIONS[question], _rules(*rules)))


@pytest.mark.parametrize(("question", "rules"), SAMPLES["asked_for_or_free"])
def test_values_that_are_asked_for_or_are_the_author_s_own_are_no_weakness(question: str, rules: list[str]) -> None:
    assert _missed(_words(QUESTIONS[question], _rules(*rules))) == set()


def test_a_value_that_another_right_answer_lacks_is_free() -> None:
    rules = "grading:\n  keywords: [mean, axis=, skipna]\n"
    answer = "Use df.mean(axis='columns', skipna=True)."
    free = _document_changed_values(f'{rules}examples:\n  - {{answer: "{answer}", expect: pass}}\n')
    assert {"1 → 10", "True → False"} & _missed(_words(QUESTIONS["frame"], free)) == {"True → False"}


_KINDS = "A Python [blank] cannot be changed, while a [blank] can."


def _blanks_changed_values(template: str, reference: str, *targets: str) -> ProofCheck | None:
    source = f"grading:\n  blank_filling:\n    template: {template!r}\n    targets: [{', '.join(targets)}]\n"
    return _words(JudgedQuestion(prompt="Fill it.", reference=reference), _document_changed_values(source))


@pytest.mark.parametrize(
    ("targets", "missed"),
    [
        (("[tuple, list]", "[list, tuple]"), {"tuple → list", "list → tuple"}),
        (("[tuple]", "[tuple, list]"), {"list → tuple"}),
        (("[tuple, tuples]", "[list, lists]"), set()),
    ],
)
def test_a_blank_that_takes_what_another_should_hold_is_weak(targets: tuple[str, ...], missed: set[str]) -> None:
    reference = "A Python tuple cannot be changed,\nwhile a list can."
    assert (
        _missed(_blanks_changed_values(_KINDS, reference, *(f"{{content: {target}}}" for target in targets))) == missed
    )


def test_forms_of_one_word_may_stand_in_both_blanks() -> None:
    targets = ("{content: [int, integer]}", "{content: [integer, int]}")
    template = "The sum of an [blank] and an [blank] is one too."
    assert _missed(_blanks_changed_values(template, "The sum of an int and an integer is one too.", *targets)) == set()


@pytest.mark.parametrize(("most", "missed"), [(0.3, {"the first third"}), (0.51, set())])
@pytest.mark.parametrize("metric", ["rouge1", "rougeL"])
def test_a_third_of_the_reference_is_not_enough(metric: str, most: float, missed: set[str]) -> None:
    text = "Slices share the array they were cut from, so a change of one is seen in the other until append grows it."
    rule = f"{{metric: {metric}, references: ['{text}'], min_score: 0.1, max_score: {most}}}"
    document = _document_changed_values(f"grading:\n  similarity: [{rule}]\n")
    assert _missed(_words(JudgedQuestion(prompt="Why does my other slice change?", reference=text), document)) == missed


def test_text_without_words_has_no_third() -> None:
    document = _document_changed_values("grading:\n  similarity: [{metric: rouge1, references: ['?']}]\n")
    assert changed_answers(document, "What?", ["?"]) == ()


def _changes(rules: str, prompt: str, *right: str) -> list[str]:
    changed = changed_answers(_document(rules), prompt, right)
    assert all(item.text != right[0] for item in changed)
    return [f"{item.word} → {item.instead}" for item in changed if not item.alone and not item.part]


@pytest.mark.parametrize(("change", "rules", "prompt", "answer", "other"), SAMPLES["beside_another_answer"])
def test_a_change_is_made_beside_another_right_answer(
    change: str, rules: str, prompt: str, answer: str, other: str
) -> None:
    assert change in _changes(rules, prompt, answer)
    assert change in _changes(rules, prompt, answer, answer)
    assert change in _changes(rules, prompt, answer, other)


@pytest.mark.parametrize(("change", "rules", "prompt", "answer", "other"), SAMPLES["optional_by_another_answer"])
def test_a_change_that_another_right_answer_shows_to_be_free_is_not_made(
    change: str, rules: str, prompt: str, answer: str, other: str
) -> None:
    assert change in _changes(rules, prompt, answer, answer)
    assert change not in _changes(rules, prompt, answer, other)


def test_placeholders_and_columns_are_changed_where_they_stand() -> None:
    prompt, answer = "How (do I do it)?", "Why (so)?\n```sql\nSELECT a FROM t WHERE b = ? AND c = ?;\n```"
    [changed] = [item.text for item in changed_answers(_document("[zzz]"), prompt, [answer]) if item.word == "?"]
    assert changed == answer.replace("= ?", "= '?'")
    answer = "```sql\nCREATE INDEX i ON t (a,b, c);\n```"
    [changed] = [
        item.text for item in changed_answers(_document("[zzz]"), prompt, [answer]) if item.instead == "(b, a)"
    ]
    assert changed == answer.replace("a,b", "b, a")


@pytest.mark.parametrize(
    ("prompt", "text", "changed"),
    [
        ("Answer 5 here", "5", "38"),
        ("Set x to 1", "Don't use `f(x=1)`, it's `f(x=1)`", "Don't use `f(x=1)`, it's `f(x=10)`"),
        ("Sum along an axis", "```\nsum(a, axis=-1)\n```", "```\nsum(a, axis=-10)\n```"),
        ("Give m² as the unit", "unit = 'm²'", "unit = 'qxz'"),
    ],
)
def test_values_are_changed_where_they_stand(prompt: str, text: str, changed: str) -> None:
    assert [other for *_, other in unchecked_values([(0, len(text))], prompt, text)] == [changed]


def test_numbers_in_ranges_and_in_code_beside_words_are_changed_and_raised_digits_are_not() -> None:
    source = "grading:\n  blank_filling:\n    template: 'from [blank] of'\n    targets: ['one']\n"
    document = parse_criterion(source, {}).document
    assert document is not None
    changes = changed_answers(document, "Which range?", ["The range from `1..10` of 10² in `8`."])
    assert {change.word for change in changes if not change.blank} == {"1", "10", "8"}
