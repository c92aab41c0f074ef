"""A word of the reference that no rule asks for, and an alternative that is wrong, are found by the proof."""

from __future__ import annotations

import json

import pytest

from annotator.criteria import CriterionDocument, check
from annotator.criteria.proof.changed_answers import changed_answers, distinctive_words
from annotator.criteria.proof.checks import (
    Check,
    DocumentJudge,
    every_test_check,
    forbidden_check,
    prove,
    right_answers,
    words_check,
)
from annotator.criteria.proof.impostors import Question, impostors
from annotator.criteria.proof.undone_lines import undone_lines, undone_signs

SQL = Question(
    "How do I keep only the departments with more than five people?",
    "Use `HAVING`:\n```sql\nSELECT dept FROM emp GROUP BY dept HAVING COUNT(*) > 5;\n```",
)
GIT = Question(
    "How do I undo the last commit but keep my changes?", "Run `git reset --soft HEAD~1`. The changes stay staged."
)
NODE = Question(
    "How to read a big file line by line in Node.js?",
    "Use the `readline` module over a stream:\n```js\nconst rl = readline.createInterface({ input:"
    " fs.createReadStream('a.txt') });\nfor await (const line of rl) { console.log(line); }\n```",
)
JAVA = Question(
    "Why does my program print false when it compares two strings with ==?",
    "`==` compares references. Use `equals()` for the contents: `a.equals(b)`.",
)
GIL = Question(
    "Why do threads not speed up Python code that computes?",
    "A lock lets one thread run at a time. Use a process for each part of the work.",
)
SIXTY = Question("How many pages? End with the number.", "There are 60 and 2 pages, so the answer is 62")
POST = Question("How do I send JSON in Python?", "```python\nresponse = requests.post(url, json={'a': 1})\n```")


def _document(rules: str, *passing: str) -> CriterionDocument:
    examples = "".join(f"\n  - answer: {text!r}\n    expect: pass" for text in passing)
    source = f"grading:\n  keywords: {rules}\n" + (f"examples:{examples}\n" if passing else "")
    found = check(source, {})
    assert found.document is not None, found
    return found.document


def _words(question: Question, document: CriterionDocument) -> Check | None:
    right = [text for _, text in right_answers(document, question)]
    return words_check(DocumentJudge(document), document, question.prompt, right)


@pytest.mark.parametrize(
    ("question", "rules"),
    [
        (SQL, "[HAVING, COUNT, GROUP BY]"),
        (GIT, "[git reset, --soft, HEAD~1]"),
        (NODE, "[readline, createInterface, createReadStream]"),
        (JAVA, "[equals]"),
        (JAVA, "[{content: {or: [equals, equals()]}}]"),
        (POST, "[requests.post, json=]"),
    ],
)
def test_a_criterion_that_asks_for_what_matters_holds(question: Question, rules: str) -> None:
    found = _words(question, _document(rules))
    assert found is not None and found.outcome == "pass", found


@pytest.mark.parametrize(
    ("question", "rules", "word"),
    [
        (SQL, "[COUNT, GROUP BY]", "HAVING"),
        (SQL, "[{content: {or: [HAVING, WHERE, ORDER BY, LIMIT]}}, COUNT, GROUP BY]", "HAVING → WHERE"),
        (GIT, "[git reset]", "--soft"),
        (GIT, "[git reset, {content: {or: ['--soft', '--hard', '--mixed']}}]", "--soft → --hard"),
        (NODE, "[readline, createInterface]", "createReadStream"),
        (NODE, "[stream]", "createInterface"),
        (JAVA, "[references]", "equals"),
        (JAVA, "[{content: {or: [equals, compareTo, hashCode]}}]", "equals → compareTo"),
        (POST, "[requests.post]", "json="),
        (GIL, "[process]", "process alone"),
        (GIL, "[{content: {or: [lock, thread]}}]", "thread alone"),
        (GIL, "[{content: {at_least: 1, of: [lock, thread, process]}}]", "lock alone"),
        (SIXTY, "[]\n  number: {value: 62, tolerance: 2}", "62 → 63"),
    ],
)
def test_a_weakened_criterion_is_caught(question: Question, rules: str, word: str) -> None:
    found = _words(question, _document(rules))
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
    short = Question(GIL.prompt, "The lock does.")
    assert _words(short, _document("[lock]")) is None


@pytest.mark.parametrize("tolerance", [0, 0.5])
def test_a_bare_number_is_right_and_its_neighbours_are_not(tolerance: float) -> None:
    document = _document(f"[]\n  number: {{value: 62, tolerance: {tolerance}}}")
    found = _words(SIXTY, document)
    assert found is not None and found.outcome == "pass"
    assert [trial.label for trial in found.trials] == ["62 → 63", "62 → 61"]
    report = prove(DocumentJudge(document), right_answers(document, SIXTY), impostors(document, SIXTY))
    assert report.proven, report.checks[1].summary


def test_an_alternative_that_an_example_accepts_is_right() -> None:
    rules = "[{content: {or: [equals, compareTo]}}]"
    found = _words(JAVA, _document(rules, "Compare the contents with a.compareTo(b) == 0."))
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
    document = check(source, {}).document
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
    document = check(source, {}).document
    assert document is not None, check(source, {})
    question = Question("What does `with open(...)` do?", text)
    report = prove(DocumentJudge(document), right_answers(document, question), impostors(document, question))
    assert report.proven is proven, report.checks[1].summary


def _blanks(*targets: str) -> Check | None:
    template = "A binary search takes [blank] time and needs the list to be [blank] beforehand."
    source = f"grading:\n  blank_filling:\n    template: {template!r}\n    targets: [{', '.join(targets)}]\n"
    found = check(source, {})
    assert found.document is not None, found
    question = Question("What does a binary search need?", "A binary search takes O(log n) time.")
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
    loaded = check(f"grading:\n  {rules}", {})
    assert loaded.document is not None, loaded
    found = _words(Question("Fill in both.", "w.writeheader()\nopen(f, newline=None)"), loaded.document)
    assert found is not None
    assert [str(trial.label) for trial in found.trials if trial.ok is False][: len(passing) or 1] == passing


CENTRE = Question(
    "How do I centre one box in the page?",
    "Make the page a grid:\n```css\nbody {\n  display: grid;\n  place-items: center;\n}\n```",
)
BORROW = Question(
    "Double every number in place.",
    "Borrow the elements, one at a time:\n```rust\nfor value in values.iter_mut() {\n    *value *= 2;\n}\n```",
)
CONFIG = Question(
    "ESLint does not find the file of the project. Why?",
    "Say where it is:\n```js\nmodule.exports = {\n  rootDir: __dirname,\n  level: workLevel,\n};\n```",
)
IMPORTS = Question(
    "The colours are not valid. What is missing?",
    'Import functions and mixins first:\n```scss\n@import "a/functions";\n@import "a/variables";\n'
    '@import "a/mixins";\n```',
)

PUSH = Question(
    "My branch was rewritten. How do I push it without losing what others pushed?",
    "Refuse where the remote has moved:\n```bash\ngit push --force-with-lease origin topic\n```",
)
LOGIN = Question(
    "How do I look up a user without a hole for injections?",
    'Pass the name beside the query:\n```python\nrow = db.execute("SELECT id FROM users WHERE name = ?", (name,))\n```',
)

BLOCKS = Question(
    "Why does this take six seconds?\n```python\nasync def get(url):\n    return load(url)\n```",
    "load blocks the loop; run it in a thread:\n```python\nasync def get(url):\n"
    "    return await asyncio.to_thread(load, url)\n```",
)
STOCK = Question(
    "Which statement adds 25 pieces, or the article?",
    "```sql\nINSERT INTO stock VALUES ('B', 25)\nON CONFLICT (sku) DO UPDATE SET quantity = stock.quantity + 25;\n```",
)
NIGHTLY = Question(
    "Which timer makes up for a missed run?",
    "`Persistent=true` makes up for it.\n```ini\n[Timer]\nPersistent=true\n[Install]\nWantedBy=timers.target\n```",
)
VISITS = Question(
    "Which statement counts a visit of the page?",
    "```sql\nINSERT INTO hits VALUES ('/', 1)\nON CONFLICT (page) DO UPDATE SET count = hits.count + 1;\n```",
)
TICKET = Question(
    "How do two buyers not get the last ticket?",
    "```sql\nSTART TRANSACTION;\nSELECT free FROM events FOR UPDATE;\nUPDATE events SET free = free - 1;\nCOMMIT;\n```",
)
AXES = Question("Why a tuple?", "There is one array per dimension; take the first: `np.where(a)[0]`.")
SOLD = Question(
    "Which products were never sold?",
    "NOT EXISTS is right where there are NULLs, too:\n"
    "```sql\nSELECT id FROM products AS p WHERE NOT EXISTS (SELECT 1 FROM lines AS l WHERE l.product = p.id);\n```",
)
CRON = Question("Which line of the crontab runs it five past every second hour?", "```\n5 */2 * * * run.sh\n```")
BRANCH = Question("Which command deletes a branch that was not merged?", "`git branch -D topic`")
INDEX = Question(
    "Which index serves the newest entries of one tenant?",
    "```sql\nCREATE INDEX log_newest ON log (tenant, created);\n```",
)


@pytest.mark.parametrize(
    ("question", "rules", "label"),
    [
        (BLOCKS, "[{content: {content: 'block.*loop', regex: true}}, def get]", "with the code of the question"),
        (NIGHTLY, "['[Timer]', WantedBy]", "Persistent=true"),
        (VISITS, "[{content: {content: 'ON CONFLICT .page. DO UPDATE', regex: true}}]", "hits.count + 1 → qxz"),
        (TICKET, "[START TRANSACTION, UPDATE events, COMMIT]", "FOR UPDATE"),
        (STOCK, "[ON CONFLICT, DO UPDATE SET quantity]", "stock.quantity + 25 → qxz"),
        (SOLD, "[{content: exists, to_lower: true}]", "NOT EXISTS → EXISTS"),
        (CRON, "[{content: '5 */2 * * * run.sh', ignore_space: true}]", "5 → 15"),
        (BRANCH, "[{content: 'git branch -D', to_lower: true}]", "-D → -d"),
        (INDEX, "[INDEX, log, tenant, created]", "(tenant, created) → (created, tenant)"),
        (PUSH, "[{content: {content: 'git push --force', regex: true}}]", "--force-with-lease → --force"),
        (LOGIN, "['SELECT id FROM users', '?', '(name,)']", "? → '?'"),
        (CENTRE, "[grid]", "place-items"),
        (BORROW, "['.iter']", "iter_mut → iter"),
        (BORROW, "['.iter_mut()']", "cut off after the first line of its code"),
        (CONFIG, "[rootDir]", "__dirname"),
        (IMPORTS, "[functions, mixins]", "without its code"),
    ],
)
def test_more_of_what_is_wrong_and_passes_is_found(question: Question, rules: str, label: str) -> None:
    found = _words(question, _document(rules))
    assert found is not None and found.outcome == "fail"
    passing = {str(trial.label): trial.answer for trial in found.trials if trial.ok is False}
    assert label in passing and question.reference not in passing.values()


@pytest.mark.parametrize(
    ("question", "rules"),
    [
        (BLOCKS, "[blocks, {content: {or: [to_thread(load, run_in_executor]}}, '    return await', 'url)']"),
        (STOCK, "[ON CONFLICT, 'SET quantity = stock.quantity + 25', INSERT INTO]"),
        (AXES, "[{content: {or: [per dimension, for each dimension, each axis]}}, np.where, '[0]']"),
        (SOLD, "['p WHERE NOT EXISTS', 'SELECT 1', 'l.product = p.id']"),
        (CRON, "[{content: {content: '^5 .*2 . . . run', regex: true}, code_only: true}]"),
        (BRANCH, "[git branch -D]"),
        (INDEX, "['CREATE INDEX', 'log (tenant, created)']"),
        (PUSH, "['git push --force-with-lease', origin]"),
        (LOGIN, "['execute(\"SELECT id FROM users WHERE name = ?\", (name,))']"),
        (CENTRE, "['display: grid', 'place-items: center']"),
        (BORROW, "['.iter_mut()', '*value *= 2']"),
        (CONFIG, "['rootDir: __dirname', 'workLevel', '};', module.exports]"),
    ],
)
def test_what_asks_for_all_of_it_holds(question: Question, rules: str) -> None:
    found = _words(question, _document(rules))
    assert found is not None and found.outcome == "pass", found.summary


def test_a_similarity_to_a_few_words_is_asked_about_each() -> None:
    rule = "grading:\n  similarity:\n    - {metric: rouge1, references: [enabled is false], "
    loose = check(f"{rule}max_score: 0.5}}\n", {})
    assert loose.document is not None
    question = Question("How do I switch it off?", "enabled is false")
    found = _words(question, loose.document)
    assert found is not None and found.outcome == "fail" and "an answer without false passes" in found.summary
    strict = check(f"{rule}min_score: 0.9, max_score: 1}}\n", {})
    assert strict.document is not None
    held = _words(question, strict.document)
    assert held is not None and held.outcome == "pass"


CONVERSATION = Question(
    "Nothing on my phone reaches the server. Why?",
    "By default the development server listens on 127.0.0.1 only, so that no other device in the network can reach it. "
    "Start it with `app.run(host='0.0.0.0')`, and let the firewall accept connections to port 5000.",
)


@pytest.mark.parametrize(("high", "outcome"), [(0.51, "fail"), (1, "pass")])
def test_a_similarity_to_many_words_is_asked_about_what_they_name(high: float, outcome: str) -> None:
    rule = json.dumps({"metric": "rougeL", "references": [CONVERSATION.reference], "min_score": 0.3, "max_score": high})
    document = check(f"grading:\n  similarity:\n    - {rule}\n", {}).document
    assert document is not None
    found = _words(CONVERSATION, document)
    assert found is not None and found.outcome == outcome
    assert ("an answer without 127.0.0.1 passes" in found.summary) is (outcome == "fail")


def test_blanks_that_take_each_others_words_are_found() -> None:
    template = "The last is taken by [blank] and the first by [blank]."
    source = f"grading:\n  blank_filling:\n    template: {template}\n    blank_str: '[blank]'\n    targets: [%s]\n"
    question = Question("How?", "The last is taken by pop and the first by popleft.")
    either = check(source % ", ".join(2 * ["{content: [pop, popleft]}"]), {}).document
    each = check(source % "{content: [pop]}, {content: [popleft]}", {}).document
    assert either is not None and each is not None
    found, held = _words(question, either), _words(question, each)
    assert found is not None and found.outcome == "fail" and "popleft instead of pop" in found.summary
    assert held is not None and held.outcome == "pass", held.summary


@pytest.mark.parametrize(("most", "idle"), [("", False), ("  max_score: 2\n", False), ("  max_score: 1\n", True)])
def test_a_test_that_may_fail_is_told(most: str, idle: bool) -> None:
    tests = "".join(f"      - content: assert f({number}) == {number}\n" for number in (1, 2))
    document = check(f"lang: python\ngrading:\n{most}  unit_test:\n    tests:\n{tests}", {}).document
    assert document is not None
    found = every_test_check(document)
    assert (found is not None) is idle
    assert found is None or len(found.facts["idle"]) == 2


LINK = Question(
    "How do I open /out in a new tab safely?",
    'Use these:\n```html\n<a class="out" href="/out" target="_blank" rel="noopener">Out</a>\n```',
)
LATEST = Question(
    "How do I get the newest order of each customer?",
    "```sql\nSELECT * FROM (SELECT o.*, ROW_NUMBER() OVER (PARTITION BY customer ORDER BY created DESC) AS n\n"
    "FROM orders o) t WHERE n = 1;\n```",
)


@pytest.mark.parametrize(
    ("question", "rules", "word"),
    [
        (LINK, "['target=\"_blank\"', 'href=\"/out\"']", "rel"),
        (LINK, "['target=\"_blank\"', 'href=\"/out\"', 'rel=\"noopener\"']", ""),
        (LATEST, "['ROW_NUMBER()', 'OVER (PARTITION BY customer ORDER BY created', 'WHERE n = 1;']", "DESC"),
        (LATEST, "['ROW_NUMBER()', 'OVER (PARTITION BY customer ORDER BY created DESC)', 'WHERE n = 1;']", ""),
    ],
)
def test_attributes_and_the_order_of_rows_are_asked_about(question: Question, rules: str, word: str) -> None:
    found = _words(question, _document(rules))
    assert found is not None
    missed = {trial.keyword for trial in found.trials if trial.ok is False}
    assert missed == ({word} if word else set())


def test_what_a_loop_begins_with_is_the_authors_choice() -> None:
    loop = Question(
        "Why 3 each time?", "Use let:\n```js\nfor (let i = 0; i < 3; i++) { setTimeout(() => log(i)); }\n```"
    )
    found = _words(loop, _document("['for (let i']"))
    assert found is None or not any("3 instead of 0" in str(trial.label) for trial in found.trials)


NETWORK = Question(
    "Which netmask and broadcast address has 10.20.4.0/22, and how many hosts?",
    "The netmask is 255.255.252.0, the broadcast address is 10.20.7.255, and there are 1022 hosts.",
)
FIRST = "The netmask is [blank], the broadcast address is"


@pytest.mark.parametrize(
    ("template", "targets", "more", "passing"),
    [
        (f"{FIRST} [blank], and there are [blank] hosts.", "[255.255.252.0, 10.20.7.255, '1022']", "", ""),
        (f"{FIRST} [blank], and there are [blank] hosts.",
         "[{content: [{content: '[0-9.]+', regex: true}]}, 10.20.7.255, '1022']", "", "255.255.252.0 → 255.255.253.0"),
        (f"{FIRST} [blank], and there are [blank] hosts.",
         "[255.255.252.0, {content: '.255', substr_match: true}, '1022']", "", "10.20.7.255 → 10.20.8.255"),
        (f"{FIRST} 10.20.7.255, and there are [blank] hosts.", "[255.255.252.0, '1022']", "",
         "10.20.7.255 → 10.20.8.255"),
        (f"{FIRST} [blank], and there are 1022 hosts.", "[255.255.252.0, 10.20.7.255]",
         "  number: {value: 1022, tolerance: 2}\n", "1022 → 1023"),
    ],
)  # fmt: skip
def test_numbers_that_blanks_do_not_hold_are_found(template: str, targets: str, more: str, passing: str) -> None:
    source = f"grading:\n  blank_filling:\n    template: '{template}'\n    targets: {targets}\n{more}"
    document = check(source, {}).document
    assert document is not None
    found = _words(NETWORK, document)
    assert found is not None
    missed = {str(trial.label) for trial in found.trials if trial.ok is False}
    assert (passing in missed) if passing else not missed, missed


@pytest.mark.parametrize(
    ("reference", "rule", "label"),
    [
        ("0.55 of the way from 48 to 120: 87.6", "number: {value: 87.6, tolerance: 5}", "87.6 → 89.352"),
        ("0.55 of the way from 48 to 120: 87.6", "number: {value: 87.6, tolerance: 0.05}", ""),
        ("O'Neil Mcdonald", 'equals: {value: "O\'Neil Mcdonald", to_lower: true}', "O'Neil Mcdonald → o'neil mcdonald"),
        ("O'Neil Mcdonald", 'equals: {value: "O\'Neil Mcdonald"}', ""),
        ("Paris", "equals: {value: Paris, to_lower: true}", ""),
        ('{"a": [{"first": 11}]}', "json: {value: {a: [{first: 11}]}, tolerance: 5}", "11 → 12"),
        ('{"a": [{"first": 11}]}', "json: {value: {a: [{first: 11}]}}", ""),
    ],
)
def test_wide_tolerances_and_letters_of_any_case_are_told(reference: str, rule: str, label: str) -> None:
    loaded = check(f"grading:\n  {rule}\n", {})
    assert loaded.document is not None
    found = _words(Question("What does it print?", reference), loaded.document)
    passing = [str(trial.label) for trial in found.trials if trial.ok is False] if found else []
    assert passing[:1] == [label] * bool(label)


@pytest.mark.parametrize(
    ("prompt", "rules", "missing"),
    [
        ("Write group(). Do not use `any`, our linter forbids it.", "keywords: [group]", ["any"]),
        ("Write group(). Do not use `any`.", "keywords: [group, {content: any, neg: true}]", None),
        ("Parse it without `URLSearchParams` or `URL`.", "keywords: [URLSearchParams]", []),
        ("Parse it without `eval()` and `exec`.", "ast: [{calls: eval, absent: true}]", ["exec"]),
        ("Parse it with `eval`, which never returns `x`.", "keywords: [group]", None),
        ("Use a heap, and do not sort all.", "unit_test: {lang: python, tests: [assert f() == 1]}", ["Use a heap"]),
        ("Write it without any loops.", "unit_test: {lang: python, tests: [assert f() == 1]}", ["without any loops"]),
        ("Write it without any loops.", "ast: [{calls: map}]", None),
        (
            "Return the list with no duplicates, never None.",
            "unit_test: {lang: python, tests: [assert f() == 1]}",
            None,
        ),
    ],
)
def test_what_the_prompt_forbids_is_looked_for(prompt: str, rules: str, missing: list[str] | None) -> None:
    loaded = check(f"grading:\n  {rules}\n", {})
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
    found = _words(Question(prompt, reference), _document(rules))
    assert found is not None
    assert not any(str(trial.label).startswith(("0.1 →", "2.68 →")) for trial in found.trials)


def test_another_way_that_follows_the_code_is_no_part_of_what_is_asked_for() -> None:
    either = r"""[{content: {or: [{content: 'increment\.bind\(', regex: true}, {content: '=> *this', regex: true}]}}]"""
    reference = "Bind it:\n\n```js\nevent = this.increment.bind(this);\n```\n\nOr write `() => this.increment()`."
    found = _words(Question("Why is `this` not the counter?", reference), _document(either))
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
    found = _words(Question(prompt, reference), _document(rules))
    assert found is not None and [str(trial.label) for trial in found.trials if trial.ok is False] == passing


NGINX = "Which lines are missing?\n\n    location /ws/ {\n        proxy_pass http://api;\n    }\n"
TICKS = "Why does it stay at 1?\n\n    const id = setInterval(() => setCount(count + 1), 1000);\n"


@pytest.mark.parametrize(
    ("prompt", "code", "undone"),
    [
        (
            NGINX,
            "location /ws/ {\n    proxy_pass http://api;\n    # both\n    set A $a;\n    set B $b;\n}\n",
            [("set A $a;", ""), ("set B $b;", "")],
        ),
        (
            TICKS,
            "const id = setInterval(() => setCount(c => c + 1), 1000);\nreturn () => clearInterval(id);\n",
            [
                (
                    "const id = setInterval(() => setCount(c => c + 1), 1000);",
                    "const id = setInterval(() => setCount(count + 1), 1000);",
                ),
                ("return () => clearInterval(id);", ""),
            ],
        ),
        (TICKS, "for item in items:\n    print(item)\n", []),
        ("How do I count?", "return 1\n", []),
    ],
)
def test_lines_that_the_question_lacks_are_undone(prompt: str, code: str, undone: list[tuple[str, str]]) -> None:
    text = f"Do it so:\n```\n{code}```"
    found = list(undone_lines(prompt, text))
    assert [(line, other) for line, other, _ in found] == undone
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
    question = Question("How do I take it back with the history kept?", "```bash\ngit revert HEAD\n```")
    found = _words(question, _document(f"[{{content: {rule}, to_lower: true}}]"))
    labels = [str(trial.label) for trial in found.trials if trial.ok is False] if found is not None else []
    assert [label for label in labels if "git revert →" in label] == [f"git revert → {other}" for other in passing]


def test_code_without_a_place_in_the_question_has_no_signs_of_it() -> None:
    assert not list(undone_signs("How do I add?", "```c\nint *f;\n```"))
    assert not list(undone_signs("Why?\n\n    print(1)\n", "```c\nint *f = malloc(a * b);\n```"))


def test_a_match_that_begins_with_a_raised_digit_is_no_number() -> None:
    question = Question("How large is it?", "It has x² and 5 apples in it.")
    found = _words(question, _document("[{content: {content: '² and', regex: true}}]"))
    assert found is not None and not any(str(trial.label).startswith("² ") for trial in found.trials)
