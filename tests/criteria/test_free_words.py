"""What an answer says as its author likes is no gap of a criterion: the proof does not ask for it."""

from __future__ import annotations

import pytest

from annotator.criteria import CriterionDocument, check
from annotator.criteria.proof.checks import DocumentJudge, right_answers, words_check
from annotator.criteria.proof.impostors import Question

WHY_STICKY = Question(
    "Why does my header scroll away?",
    "Without an edge it behaves like `position: relative` in a container.\n\n"
    "```css\nth {\n  position: sticky;\n  top: 0;\n}\n```",
)
STICKY = Question("Show the rule that keeps my header in view.", WHY_STICKY.reference)
HALF_UP = Question(
    "How do I round a price up at five?",
    "```python\nprice = Decimal(text).quantize(cent, rounding=ROUND_HALF_UP)\n```",
)
PIPE = Question(
    "Why did it go on?", "Only the last command counts, so switch on `pipefail`:\n\n```bash\nset -o pipefail\n```"
)
SECURE = Question(
    "How do I install from requirements, with `pip install -r r.txt`?", "```sh\npip install -r r.txt --user\n```"
)
BORROW = Question(
    'How must the loop look?\n\n    for name in names {\n        say(name);\n    }\n    say("end");\n',
    '```rust\nfor name in &names {\n    say(name);\n}\nsay("end");\n```',
)
QUOTES = Question("Which line is right?", '```python\nwith patch("shop.checkout.rate"):\n    run()\n```')
LOST = Question("What happens?", "Taking it apart copies the number.")
POOL = Question(
    "My script maps a function over files. What do I change?",
    "Guard it:\n```python\nif __name__ == '__main__':\n    pool.map(work)\n```",
)
REVERT = Question(
    "How do I undo the merge?",
    "Here `-m 1` keeps the first parent.\n\n```bash\ngit revert -m 1 a1b2c3d\n```",
)
SEATS = Question(
    "How do I lock the row before this?\n\n    UPDATE events SET free = free - 1 WHERE id = 7;\n",
    "```sql\nSELECT free FROM events WHERE id = 7 FOR UPDATE;\nUPDATE events SET free = free - 1 WHERE id = 7;\n```",
)
CITIES = Question(
    "How do I keep the missing cities? The column is `city`, and each city counts.",
    "```python\ndf.groupby('city', dropna=False).sum()\n```",
)
FIRST_OF = Question("Where is a above 0.25?", "```python\nflat = np.where(a > 0.25)[0]\n```")
LABELLED = Question(
    'Make it a button.\n\n```html\n<div class="icon">\n  <i></i>\n</div>\n```\n',
    '```html\n<button class="icon" aria-label="Close">\n  <i></i>\n</button>\n```',
)
REMEDIES = Question(
    "What can I use for the computation?",
    "Threads share one lock. Use processes, for example ProcessPoolExecutor, as each has a lock of its own.",
)
EXAMPLE = Question(
    "How do I wait for the process?",
    "Use it, for example:\n\n```python\nresult = run(command, capture_output=True)\n```",
)


def _document(rules: str, *passing: str) -> CriterionDocument:
    examples = "".join(f"\n  - answer: {text!r}\n    expect: pass" for text in passing)
    found = check(f"grading:\n  {rules}\n" + (f"examples:{examples}\n" if passing else ""), {})
    assert found.document is not None, found
    return found.document


def _missed(question: Question, document: CriterionDocument) -> set[str]:
    right = [text for _, text in right_answers(document, question)]
    found = words_check(DocumentJudge(document), document, question.prompt, right)
    return {str(trial.label) for trial in found.trials if trial.ok is False} if found is not None else set()


CUT = "cut off after the first line of its code"


@pytest.mark.parametrize(
    ("question", "rules", "free"),
    [
        # Beside code: where a rule looks at the sentences, and where only code is asked for.
        (WHY_STICKY, "[container, 'top: 0', 'position: sticky']", "position: relative"),
        (STICKY, "['top: 0', 'position: sticky']", "position: relative"),
        # What leads to a name that is looked for.
        (HALF_UP, "[quantize, ROUND_HALF_UP, Decimal]", "rounding="),
        (PIPE, "[pipefail, last command]", "-o"),
        (PIPE, "[{content: pipefail, to_lower: true}, last command]", "-o → -O"),
        # What the question has.
        (SECURE, "[{content: pip install, to_lower: true}, --user]", "-r → -R"),
        (BORROW, "[in &names]", CUT),
        (POOL, "[__name__]", "map"),
        (SEATS, "[FOR UPDATE, 'UPDATE events SET free']", "free - 1 WHERE id = 7 → qxz"),
        (CITIES, "[{content: {content: 'groupby.*dropna=False', regex: true}}]", "city → qxz"),
        # Forms of one word.
        (QUOTES, "[{content: {or: ['\"shop.checkout.rate\"', '''shop.checkout.rate''', x.y]}}]",
         "\"shop.checkout.rate\" → 'shop.checkout.rate'"),
        (LOST, "[{content: {or: [copies, copy, lost]}}]", "copies → copy"),
        # What stands twice is right while it stands once; a part of a number is no number.
        (REVERT, "[git revert, {content: {content: 'm 1\\b', regex: true}}]", "1 → 10"),
        (FIRST_OF, "[{content: {content: 'where\\(a > 0.25\\)\\[\\d\\]', regex: true}}]", "0 → 3"),
        # What ends a tag, and what is one of several.
        (LABELLED, "['<button', 'aria-label=\"Close\"']", "</button>"),
        (REMEDIES, "[processes, lock]", "ProcessPoolExecutor"),
    ],
)  # fmt: skip
def test_what_the_author_may_choose_is_free(question: Question, rules: str, free: str) -> None:
    assert free not in _missed(question, _document(f"keywords: {rules}"))


@pytest.mark.parametrize(
    ("question", "rules", "missed"),
    [
        # The prompt asks why, and no rule looks at the sentences.
        (WHY_STICKY, "['top: 0', 'position: sticky']", "position: relative"),
        # Nobody looks for what is meant.
        (HALF_UP, "[quantize, Decimal]", "ROUND_HALF_UP"),
        (HALF_UP, "[quantize, Decimal]", "rounding="),
        (PIPE, "[last command]", "-o"),
        (REVERT, "[git revert, {content: {content: 'revert -m \\d', regex: true}}]", "1 → 10"),
        (
            Question("What do I fit with --user?", SECURE.reference),
            "[{content: pip, to_lower: true}, --user]",
            "-r → -R",
        ),
        (Question("How must it look?", BORROW.reference), "[in &names]", CUT),
        (EXAMPLE, "[run]", "capture_output="),
    ],
)
def test_what_is_meant_is_asked_for(question: Question, rules: str, missed: str) -> None:
    assert missed in _missed(question, _document(f"keywords: {rules}"))


def test_a_name_that_an_accepted_text_lacks_is_free() -> None:
    reference = "Open the file with O_CREAT and O_EXCL, so that the open fails where the path exists already."
    other = (
        "Let one call check and make it: with O_EXCL the open fails where the path exists already, so nobody slips in."
    )
    rule = f"similarity: [{{metric: rouge1, references: ['{reference}', '{other}'], min_score: 0.3, max_score: 0.6}}]"
    assert _missed(Question("What do we do instead?", reference), _document(rule)) == {"O_EXCL"}


def test_a_new_line_that_another_right_answer_lacks_is_free() -> None:
    question = Question(
        "How do I get them flat?\n\n    import numpy as np\n    a = np.array(b)\n",
        "```python\nimport numpy as np\n\nidx = np.where(a > 0)[0]\nflat = np.flatnonzero(a > 0)\n```",
    )
    rules = "keywords: [{content: {or: [flatnonzero, where]}}]"
    lines = {"idx = np.where(a > 0)[0]", "flat = np.flatnonzero(a > 0)"}
    assert _missed(question, _document(rules)) >= lines
    assert not lines & _missed(question, _document(rules, "Use `np.where(a > 0)[0]`."))
