"""A model suggests a whole rewrite: its parts are found in chatty answers, checked, kept, and taken by a person."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import BadInputError
from annotator.jobs.progress import Progress
from annotator.llm.endpoint_errors import RequestFailedError
from annotator.model.vocabulary import Verdict
from annotator.sandbox import Job, JobResult, Pool, TestResult
from annotator.services import suggestions
from annotator.services.program import sandbox
from annotator.services.project import undo
from annotator.services.prompt import rewrites
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from tests.samples import load_samples
from tests.services.prompt.chat_model import ChatModel, helper_of
from tests.template_projects import project_of_rows

SAMPLES = load_samples(__file__)
GOOD: dict[str, str] = SAMPLES["good"]
CODE = "def cut(text: str) -> list:\n    return text.split(',')\n"
LANGUAGES = ["python", "javascript", "typescript", "java", "c++"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ProjectFile]:
    row = {"id": "cut", "title": "Cut", "prompt": "Cut a line at its commas.", "reference": CODE,
           "language": "python", "entry_point": "cut"}  # fmt: skip
    with closing(project_of_rows(tmp_path / "p.annotator", [row], ())) as made:
        yield made


class Bench:
    """A sandbox of a few rules: the mined code fails, and a program fails rows as its own comments say."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.mined_passes: set[str] = set()
        self.wrong_rows: set[str] = set()

    def run(self, jobs: list[Job]) -> list[JobResult]:
        self.ran += [job.id for job in jobs]
        return [self._result(job) for job in jobs]

    def _result(self, job: Job) -> JobResult:
        names = [test.name for test in job.tests or ()]
        failing = {name for name in names if f"fails {name}" in job.code or name in self.wrong_rows}
        if job.id == "original":
            failing = set(names) - self.mined_passes
        tests = tuple(
            TestResult(name=name, outcome="fail" if name in failing else "pass",
                       message="AssertionError: got ['a']" if name in failing else "")
            for name in names
        )  # fmt: skip
        missing = [2] if "uncovered" in job.code else []
        return JobResult(
            id=job.id,
            outcome="fail" if failing else "pass",
            tests=tests,
            coverage={"executed": [1], "missing": missing, "branches": []},
        )


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    made = Bench()
    monkeypatch.setattr(sandbox, "open_sandbox", lambda **_: nullcontext((made, None)))
    return made


def ask(store: ProjectFile, model: ChatModel, **options: Any) -> tuple[Any, list[str]]:
    """Ask about the one subject; returns the batch and the lines that were told."""
    told: list[str] = []
    return suggestions.make_suggestions(store, "rewrite", ["cut"], helper_of(model), tell=told.append, **options), told


def answers(**changes: Any) -> dict[str, tuple[str, ...]]:
    """Return good answers to every part, with others in the place of some."""
    changed = {name.replace("cpp", "c++"): texts for name, texts in changes.items()}
    return {step: changed.get(step, (text,)) for step, text in GOOD.items()}


# Slow: programs in five languages are compiled and run on every row, for the suggestion and for the proof.
def test_from_a_mined_function_to_items_without_an_override(store: ProjectFile, pool: Pool) -> None:
    model = ChatModel(answers())
    batch, told = ask(store, model)
    assert not batch.left_out and len(told) == 7
    assert [step for step, _ in model.asked] == ["task", "tests", *LANGUAGES], "each part is asked for once"
    (row,) = batch.rows
    assert row.complete and "✗" not in row.text and row.text.count("✓") == 10
    assert not rewrites.load_rewrite(store, "cut").saved, "a suggestion changes nothing"
    suggestions.accept_suggestion(store, row.id)
    view = rewrites.check_rewrite(store, "cut")
    assert view.passed, [gate for gate in view.gates if not gate.passed]
    assert sorted(view.work.references) == sorted(LANGUAGES) and sorted(view.work.rewrite.signatures) == sorted(
        LANGUAGES
    )


def test_every_part_of_a_chatty_answer_is_found(store: ProjectFile, bench: Bench) -> None:
    batch, _ = ask(store, ChatModel(answers()))
    suggestions.accept_suggestion(store, batch.rows[0].id)
    work = rewrites.load_rewrite(store, "cut").work
    rewrite = work.rewrite
    assert rewrite.requirement.startswith("Split a record") and rewrite.requirement.endswith("cannot split\nanything.")
    assert rewrite.twists == ("the delimiter becomes a parameter", "an empty delimiter is an error")
    assert [item.meaning for item in rewrite.signatures["java"].parameters] == ["the record", "where it is cut"]
    assert [item.type for item in rewrite.signatures["c++"].parameters] == ["std::string", "std::string"]
    assert rewrite.signatures["python"].returns == "list[str]"
    assert rewrite.signatures["java"].returns == "List<String>"
    assert "refused with an error" in rewrite.signatures["c++"].constraints
    assert [(row.name, row.comparator) for row in work.table.rows][2:] == [
        ("order", "unordered"), ("long sign", "equal"), ("old comma", "equal"), ("empty sign", "raises"),
    ]  # fmt: skip
    assert work.table.rows[2].inputs == ("b-a", "-")
    assert "__main__" not in work.references["python"] and "class Solution" in work.references["java"]
    assert "Explanation" not in "".join(work.references.values()) and "```" not in "".join(work.references.values())
    assert "return parts;" in work.references["c++"]


def test_an_answer_with_everything_is_asked_for_once(store: ProjectFile, bench: Bench) -> None:
    parts = [GOOD["task"], f"### Tests\n{GOOD['tests']}"]
    titles = {"c++": "C++ solution", "java": "Java", "python": "Python reference solution", "typescript": "TypeScript",
              "javascript": "**JavaScript**:"}  # fmt: skip
    parts += [f"## {title}\n{GOOD[name].split('</think>')[-1]}" for name, title in titles.items()]
    model = ChatModel({"task": ("\n\n".join(parts),)})
    batch, _ = ask(store, model)
    assert [step for step, _ in model.asked] == ["task"]
    assert batch.rows[0].complete and "✗" not in batch.rows[0].text


def test_what_a_check_finds_goes_back_once(store: ProjectFile, bench: Bench) -> None:
    wrong = GOOD["java"].replace("if (sign", "// fails long sign\n        if (sign")
    model = ChatModel(answers(java=(wrong, GOOD["java"]), cpp=("I cannot write C++ today.", GOOD["c++"])))
    batch, told = ask(store, model)
    steps = [step for step, _ in model.asked]
    assert steps == ["task", "tests", "python", "javascript", "typescript", "java", "java", "c++", "c++"]
    again = [request for step, request in model.asked if step == "java"][1]
    assert "You answered:" in again and "It does not give what long sign expects: AssertionError: got ['a']" in again
    assert batch.rows[0].complete and "✗" not in batch.rows[0].text
    assert any(line.startswith("Cut: C++: There is no complete program in C++ that defines cut") for line in told)


def test_a_second_wrong_answer_is_kept_and_told(store: ProjectFile, bench: Bench) -> None:
    wrong = GOOD["java"].replace("if (sign", "// fails long sign\n        if (sign")
    model = ChatModel(answers(java=(wrong,)))
    batch, _ = ask(store, model)
    assert [step for step, _ in model.asked].count("java") == 2
    assert "✗ references agree: long sign: java fail" in batch.rows[0].text, "a person sees what is wrong, and decides"


def test_a_row_that_every_reference_fails_is_doubted(store: ProjectFile, bench: Bench) -> None:
    bench.wrong_rows = {"order"}
    (row,) = ask(store, ChatModel(answers()))[0].rows
    assert "✗ references agree: order: no reference passes, so the row itself may be wrong" in row.text


def test_rows_that_an_answer_corrects_are_run_in_every_language(store: ProjectFile, bench: Bench) -> None:
    rows = '## Tests\n```json\n[{"name": "long sign", "inputs": ["a::b", "::"], "expected": ["a", "b", "c"]}]\n```'
    bad_tests = GOOD["tests"].replace('"::"], "expected": ["a", "b"]', '"::"], "expected": ["x"]')
    assert bad_tests != GOOD["tests"]
    uncovered = GOOD["typescript"].replace("if (!sign)", "// uncovered\n  if (!sign)")
    model = ChatModel(answers(tests=(bad_tests,), typescript=(uncovered, f"{GOOD['typescript']}\n{rows}")))
    batch, _ = ask(store, model)
    assert '"expected": ["a", "b", "c"]' in batch.rows[0].text and batch.rows[0].text.count('"name": "long sign"') == 1
    assert bench.ran.count("python") == 2 and bench.ran.count("java") == 1, "what ran on the old table runs again"
    again = next(request for step, request in model.asked[5:] if step == "typescript")
    assert "No row runs line 2." in again


def test_mined_code_that_passes_too_many_rows_is_told_to_the_model(store: ProjectFile, bench: Bench) -> None:
    bench.mined_passes = {"typical", "order", "long sign", "old comma"}
    model = ChatModel(answers())
    batch, _ = ask(store, model)
    again = [request for step, request in model.asked if step == "tests"][1]
    assert "the mined code passes 4 of 6 tests (67%, at most 50% are allowed): typical, order" in again
    assert "✗ original fails" in batch.rows[0].text


def test_without_a_sound_table_no_reference_is_asked_for(store: ProjectFile, bench: Bench) -> None:
    model = ChatModel(answers(tests=('```json\n[{"name": "a", "inputs": ["x"], "expected": 1}]\n```',)))
    batch, told = ask(store, model)
    assert [step for step, _ in model.asked] == ["task", "tests", "tests"]
    assert not batch.rows[0].complete and any(
        "A row has 1 inputs, and the function 2 parameters" in line for line in told
    )
    skipped = "Python, JavaScript, TypeScript, Java, C++"
    assert told[-1].endswith(f"not requested, because the table of tests is missing or invalid: {skipped}")


def test_answers_without_any_part_are_not_saved(store: ProjectFile, bench: Bench) -> None:
    batch, _ = ask(store, ChatModel({"task": ("Could you share the code?",)}))
    assert not batch.rows and "no part of a rewrite" in batch.left_out[0][1]


def test_an_answer_that_was_cut_off_is_asked_for_again(store: ProjectFile, bench: Bench) -> None:
    cut = GOOD["c++"][: GOOD["c++"].index("while")] + "<cut>"
    model = ChatModel(answers(cpp=(cut, GOOD["c++"])))
    batch, _ = ask(store, model)
    again = [request for step, request in model.asked if step == "c++"][1]
    assert "The answer was cut off" in again and batch.rows[0].complete


def test_a_cut_off_table_keeps_its_whole_rows(store: ProjectFile, bench: Bench) -> None:
    cut = GOOD["tests"][: GOOD["tests"].index('["a", ""]')] + "<cut>"
    batch, _ = ask(store, ChatModel(answers(tests=(cut,))))
    assert '"name": "old comma"' in batch.rows[0].text and '"name": "empty sign"' not in batch.rows[0].text


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RequestFailedError("There is no answer.", "HTTP 503", 8)])
def test_an_interruption_keeps_what_is_done_and_asking_again_goes_on(
    store: ProjectFile, bench: Bench, error: BaseException
) -> None:
    model = ChatModel(answers())

    def stop(step: str) -> None:
        if step == "typescript":
            raise error

    model.before_answer = stop
    if isinstance(error, KeyboardInterrupt):
        with pytest.raises(KeyboardInterrupt):
            ask(store, model)
    else:
        batch, _ = ask(store, model)
        assert batch.failed == 1 and not batch.rows
    (kept,) = suggestions.find_suggestions(store, "cut")
    assert not kept.complete
    (told,) = suggestions.suggestions_with_problems(store, [kept])
    assert told.problems == ("missing: TypeScript, Java, C++",)
    triage.decide_subjects(store, ["cut"], Verdict.ACCEPT)
    assert len(suggestions.list_accepted_ids(store, unasked_kind="rewrite")) == 1, "it is not done"
    later = ChatModel(answers())
    batch, _ = ask(store, later)
    assert [step for step, _ in later.asked] == ["typescript", "java", "c++"], "only what is missing is asked for"
    assert batch.rows[0].complete and "✗" not in batch.rows[0].text
    assert suggestions.list_accepted_ids(store, unasked_kind="rewrite") == ()
    third = ChatModel(answers())
    ask(store, third)
    assert len(third.asked) == 7, "after a whole suggestion, asking again makes another one"


def test_a_person_takes_parts_changes_them_and_undoes_it(store: ProjectFile, bench: Bench) -> None:
    (row,) = ask(store, ChatModel(answers()))[0].rows
    suggestions.accept_suggestion(store, row.id, parts=["tests", "java"])
    work = rewrites.load_rewrite(store, "cut").work
    assert len(work.table.rows) == 6 and list(work.references) == ["java"]
    assert work.rewrite.requirement == "Cut a line at its commas." and not work.rewrite.signatures
    assert suggestions.find_suggestions(store, "cut")[0].state == "accepted"
    undo.undo_last_act(store)
    assert not rewrites.load_rewrite(store, "cut").saved
    assert suggestions.find_suggestions(store, "cut")[0].state == "open"
    suggestions.accept_suggestion(store, row.id, row.text.replace("Split a record", "Divide a record"))
    assert rewrites.load_rewrite(store, "cut").work.rewrite.requirement.startswith("Divide a record")
    with pytest.raises(BadInputError, match="no part poem"):
        suggestions.accept_suggestion(store, row.id, parts=["poem"])
    with pytest.raises(BadInputError, match="no part of a rewrite"):
        suggestions.accept_suggestion(store, row.id, "Nothing here.")
    with pytest.raises(BadInputError, match="lacks the part java"):
        suggestions.accept_suggestion(store, row.id, row.text[: row.text.index("## Java\n")], parts=["java"])


def test_what_was_asked_is_kept_and_progress_is_told(store: ProjectFile, bench: Bench) -> None:
    seen: list[str] = []
    progress = Progress(lambda work: seen.append(work.text), every_s=0)
    batch, _ = ask(store, ChatModel(answers()), progress=progress)
    prompt = suggestions.suggestion_prompt(store, batch.rows[0].id)
    assert CODE.strip() in prompt and "Cut a line at its commas." in prompt and "## Signatures" in prompt
    assert "[assistant]\nSure! Here's a rewritten task" in prompt, "with the answers"
    assert {"Cut: asking for tests", "Cut: checking Java", "Cut: asking for C++"} <= set(seen)
