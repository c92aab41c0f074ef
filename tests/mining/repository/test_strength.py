"""Bodies that are not a function's own are tried on its tests; what does not run alone is judged in its repository."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.evaluation.item_prompts import surroundings_of
from annotator.evaluation.repository_tests import GRADER
from annotator.mining.repository.confirmation.confirm import TestConfirmation
from annotator.mining.repository.confirmation.journal import Variant, VariantAnswer
from annotator.mining.repository.confirmation.weak_bodies import weak_bodies
from annotator.mining.repository.context.place import add_places
from annotator.mining.repository.pipeline import mine_folder
from annotator.mining.repository.rows import MinedSubject, count_failures, rejection_reasons
from annotator.services import repository_snapshots
from annotator.services.sources import repository_mining
from annotator.services.sources.repository_mining import candidate_of_mined_row
from tests.samples import load_samples

from .conftest import Write

SAMPLES = load_samples(__file__)

BOX = SAMPLES["box"]


def bodies(root: Path) -> dict[str, dict[str, str]]:
    _, session = mine_folder(root)
    module = session.project.by_path["lib.py"]
    return {
        name: {body.description: body.file for body in weak_bodies(info)}
        for name, info in module.functions.items()
        if not name.endswith("__init__")
    }


def test_what_is_tried_follows_the_function(write: Write) -> None:
    found = bodies(write(BOX))
    assert list(found["Box.copy"]) == ["return self", "return True", "return False"]
    assert list(found["Box.size"]) == ["return text", "return 2", "return 0", "the branches of wide and text swapped"]
    assert list(found["Box.put"]) == ["return self", "return x", "the branches of x swapped"]
    assert "\n        return 2\n" in found["Box.size"]["return 2"]
    assert "if (not (wide and text)):" in found["Box.size"]["the branches of wide and text swapped"]
    assert '"ä" if (not (x)) else None' in found["Box.put"]["the branches of x swapped"]
    for files in found.values():
        for text in files.values():
            compile(text, "lib.py", "exec")


class Really:
    """Stands for the sandbox: runs the tests of a variant here."""

    def run(self, variants: list[Variant], stage: str = "", batch: int = 0) -> Iterator[tuple[Variant, VariantAnswer]]:
        for variant in variants:
            space: dict[str, object] = {}
            exec(compile(variant.files["lib.py"], "lib.py", "exec"), space)
            exec(compile(BOX["test_lib.py"].replace("from lib import Box", ""), "test_lib.py", "exec"), space)
            outcomes = {}
            for test in variant.tests:
                try:
                    space[test.partition("::")[2]]()  # type: ignore[operator]
                    outcomes[test] = "pass"
                except (AssertionError, AttributeError, TypeError):
                    outcomes[test] = "fail"
            yield variant, VariantAnswer(exit=int("fail" in outcomes.values()), outcomes=outcomes)


def test_weak_tests_are_shown_with_the_test_that_would_notice(write: Write) -> None:
    mined, session = mine_folder(write(BOX))
    rows = [
        replace(row, tests=tuple(replace(test, confirmed=True) for test in row.tests), filters=()) for row in mined.rows
    ]
    work = TestConfirmation(session.project, session.tree, Really())  # type: ignore[arg-type]
    weighed = {row.qualified_name: row for row in work.measure_strength(rows)}
    assert weighed["Box.copy"].weakness == (
        "its tests pass with return self; a test that changes the result and then looks at the original would notice"
    )
    assert weighed["Box.size"].weakness == ""
    assert weighed["Box.put"].weakness == (
        "its tests pass with the branches of x swapped; a test for each side of x would notice"
    )
    assert all(row.selected for row in weighed.values()), "weak is shown, not turned down"
    assert "return self" in candidate_of_mined_row(weighed["Box.copy"]).extra["weak_tests"]
    assert "weak_tests" not in candidate_of_mined_row(weighed["Box.size"]).extra


TWO_NAMES = SAMPLES["two_names"]


def confirmed(rows: tuple[MinedSubject, ...]) -> list[MinedSubject]:
    return [replace(row, tests=tuple(replace(test, confirmed=True) for test in row.tests)) for row in rows]


def test_what_does_not_run_alone_is_judged_in_its_repository(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repository_snapshots, "data_dir", lambda: tmp_path / "data")
    root = write(TWO_NAMES)
    mined, session = mine_folder(root)
    (before,) = [row for row in confirmed(mined.rows) if row.qualified_name == "both"]
    assert count_failures([before]) == {"self-contained": 1} and not before.selected
    assert next(item.reason for item in before.filters if item.name == "self-contained").startswith(
        "a name has two meanings: helper ("
    )
    [told] = rejection_reasons([before])
    assert (told.filter, told.functions) == ("self-contained", ("shop/two.py::both",))
    assert told.reason.startswith("a name has two meanings: helper ("), "with what differs, as it is one alone"
    files = repository_snapshots.read_snapshot_files(root)
    (row,) = repository_mining.judge_in_place(session, [before], files, ["pytest==8.0"])
    assert row.in_place and row.selected and count_failures([row]) == {}
    made = candidate_of_mined_row(row)
    assert made.extra["grader"] == GRADER and made.extra["repositoryplace"]["tests"] == ["test_shop.py::test_both"]
    assert "[MASK]" in made.context and "first(x)" not in made.context
    assert repository_snapshots.load_snapshot(made.extra["repositoryplace"]["digest"]) == files
    assert made.tests[0].code.startswith("def test_both")


def test_a_function_that_stands_alone_is_judged_by_the_tests_that_do(write: Write) -> None:
    files = BOX | {
        "test_more.py": "import lib\nimport sys\n\n\ndef test_whole():\n    assert lib.Box(1).size() == 1 and lib\n"
    }
    (row,) = [row for row in mine_folder(write(files))[0].rows if row.qualified_name == "Box.size"]
    assert "" in {test.code for test in row.tests}, "one of its tests takes a module as a whole"
    made = candidate_of_mined_row(row)
    assert made.tests and all(test.code for test in made.tests)
    bare = replace(row, tests=tuple(replace(test, code="") for test in row.tests))
    assert len(candidate_of_mined_row(bare).tests) == len(row.tests), "what was not cut out is still told"


def test_the_true_reason_of_tests_is_told(write: Write) -> None:
    files = {
        "lib.py": "def f(x):\n    y = x\n    y += 1\n    return y\n",
        "other.py": "import types\n\n\ndef g():\n    return 1\n",
        "test_lib.py": "import other\nfrom lib import f\n\n\ndef test_f():\n    assert f(len(vars(other))) and other\n",
    }
    (row,) = [row for row in mine_folder(write(files))[0].rows if row.qualified_name == "f"]
    (reason,) = [item.reason for item in row.filters if item.name == "self-contained"]
    assert reason == "in its tests, a module is used as a whole: other in test_lib.py"


def test_the_signature_that_is_asked_for_stands_at_the_left_edge(write: Write) -> None:
    source = "class Box:\n    def put(\n        self,\n        x,\n    ):\n        y = x\n        return y\n"
    test = "from lib import Box\n\ndef test_put():\n    assert Box().put(1) == 1\n"
    mined, session = mine_folder(write({"lib.py": source, "test_lib.py": test}))
    (row,) = add_places(session, mined.rows)
    made = candidate_of_mined_row(row)
    assert made.prompt == "def put(\n    self,\n    x,\n):"
    assert made.extra["signature"] == "def put(\n        self,\n        x,\n    ):", "as it stands in its file"
    item = {"language": "python", "entry_point": made.entry_point, "prompt": made.prompt, "extra": dict(made.extra)}
    assert surroundings_of(item).requirement == "", "the signature is no requirement"
