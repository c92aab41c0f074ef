"""Bodies that are not a function's own are tried on its tests, and twins do not show each other's."""

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
from annotator.mining.repository.context.twins import twins_of
from annotator.mining.repository.discovery.modules import load_project
from annotator.mining.repository.discovery.tree import read_repository_tree
from annotator.mining.repository.pipeline import MiningOptions, mine_folder
from annotator.mining.repository.rows import MinedSubject, count_failures, rejection_reasons
from annotator.services import repository_snapshots
from annotator.services.sources import repository_mining
from annotator.services.sources.repository_mining import add_surroundings, candidate_of_mined_row
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


# Functions with nearly the same body do not show each other's, wherever code is shown.
BODY = "        found = []\n        for one in keys:\n            found.append({call}(one))\n        return found\n"
FILES = {
    "client.py": (
        "class Client:\n    def fetch(self, key):\n        return key * 2\n\n"
        "    async def afetch(self, key):\n        return key * 2\n\n"
        f"    def get_all(self, keys):\n{BODY.format(call='self.fetch')}\n"
        f"    async def async_get_all(self, keys):\n{BODY.format(call='await self.afetch')}\n\n"
        "    async def other_all(self, keys):\n        return None\n\n\n"
        "class Sum:\n"
        "    def __add__(self, other):\n"
        "        if not isinstance(other, Sum):\n            return NotImplemented\n        return Sum(self, other)\n\n"
        "    def __radd__(self, other):\n"
        "        if not isinstance(other, Sum):\n            return NotImplemented\n        return Sum(other, self)\n\n"
        "END = 1\n"
    ),
    "test_client.py": "from client import Client\n\ndef test_all():\n    assert Client().get_all([1]) == [2]\n",
}


def test_twins_are_found_by_body(write: Write) -> None:
    functions = load_project(read_repository_tree(write(FILES))).by_path["client.py"].functions
    found = {name: [twin.name for twin in twins_of(info)] for name, info in functions.items()}
    assert found == {
        "Client.fetch": [], "Client.afetch": [], "Client.get_all": ["async_get_all"],
        "Client.async_get_all": ["get_all"], "Client.other_all": [], "Sum.__add__": ["__radd__"],
        "Sum.__radd__": ["__add__"],
    }  # fmt: skip


@pytest.mark.parametrize("recipe", ["domaineval", "evocodebench"])
def test_a_twin_shows_nothing(write: Write, recipe: str) -> None:
    mined, session = mine_folder(write(FILES), MiningOptions(recipe=recipe, with_contexts=recipe == "domaineval"))  # type: ignore[arg-type]
    (row,) = (row for row in add_surroundings(mined, session).rows if row.qualified_name == "Client.get_all")
    assert row.place is not None
    shown = (row.masked, row.place.above, row.place.below, *(code for _, code in row.place.functions))
    assert not any("found.append" in text for text in shown)
    assert "END = 1" in row.place.below and "async def async_get_all(self, keys):\n        ...\n\n" in row.place.below
    assert "client.Client.async_get_all" not in row.similar
    if recipe == "domaineval":
        assert "async_get_all" not in row.context and "def fetch" in row.context


DOCSTRING = (
    "    '''Do it.\n\n    {} with words as a template has them, which say over and over what {} is about.\n\n"
    "    :param cart: what it is about, as a page would say it, with all that is known of it\n"
    "    :returns: what comes of it, as a page would say it, with all that is known of it\n"
    "    :raises ValueError: where it is not about this, as a page would say it\n    '''\n"
)


def names_of_twins(write: Write, text: str) -> dict[str, list[str]]:
    functions = load_project(read_repository_tree(write({"lib.py": text}))).by_path["lib.py"].functions
    return {name: [twin.qualname for twin in twins_of(info)] for name, info in functions.items()}


def test_twins_are_found_whatever_is_said_of_them(write: Write) -> None:
    text = (
        f"def read(url):\n{DOCSTRING.format('It reads', 'reading')}    with Client(url) as client:  # the plain one\n"
        "        page = client.fetch(open_file(url))\n        return Page(page.text)\n\n\n"
        "async def read_async(url):\n    async with AsyncClient(url) as client:\n"
        "        page = await client.fetch_async(aio_open_file(url))\n        return AsyncPage(page.text)\n"
    )
    assert names_of_twins(write, text) == {"read": ["read_async"], "read_async": ["read"]}


def test_a_docstring_alike_makes_no_twins(write: Write) -> None:
    bodies = {
        "total": "return sum(one.price for one in cart if one.paid)",
        "names": "return [str(key).upper() for key in sorted(cart)]",
    }
    text = "".join(f"def {name}(cart):\n{DOCSTRING.format('A', 'b')}    {body}\n\n\n" for name, body in bodies.items())
    assert names_of_twins(write, text) == {"total": [], "names": []}


PARITY = (
    "class Parity:\n"
    "    def is_even(self, n):\n        if n < 0:\n            raise ValueError(n)\n"
    "        return True if n == 0 else self.is_odd(n - 1)\n\n"
    "    def is_odd(self, n):\n        if n < 0:\n            raise ValueError(n)\n"
    "        return False if n == 0 else self.is_even(n - 1)\n"
)
LOADERS = "".join(
    f"class {name}:\n    def load(self, keys):\n        found = {{}}\n        for key in keys:\n"
    f"            found[key] = self.one(key)\n        return found\n\n"
    f"    def one(self, key):\n        return {value}\n\n\n"
    for name, value in (("First", "key"), ("Second(First)", "First().one(key)"))
)


@pytest.mark.parametrize(
    ("text", "call", "name", "twin"),
    [
        (PARITY, "Parity().is_even(2)", "Parity.is_even", "Parity.is_odd"),
        (LOADERS, "Second().load([])", "Second.load", "First.load"),
    ],
)
def test_a_function_does_not_go_alone_with_a_twin_that_it_needs(
    write: Write, text: str, call: str, name: str, twin: str
) -> None:
    test = f"from lib import *\n\n\ndef test_it():\n    assert {call} is not None\n"
    mined, _ = mine_folder(write({"lib.py": text, "test_lib.py": test}))
    (row,) = (row for row in mined.rows if row.qualified_name == name)
    reasons = {item.name: item.reason for item in row.filters if not item.passed}
    assert row.context == "" and reasons["self-contained"] == f"it needs code with nearly the same body: {twin}"


def test_the_words_of_a_body_are_read_once(write: Write) -> None:
    functions = load_project(read_repository_tree(write({"lib.py": LOADERS}))).by_path["lib.py"].functions
    info = functions["First.load"]
    assert [twin.qualname for twin in twins_of(info)] == ["Second.load"]
    read = [each.body_words for each in functions.values()]
    assert [twin.qualname for twin in twins_of(info)] == ["Second.load"]
    assert all(each.body_words is words for each, words in zip(functions.values(), read, strict=True))
