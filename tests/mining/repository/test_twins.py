"""Functions with nearly the same body do not show each other's, wherever code is shown."""

from __future__ import annotations

import pytest

from annotator.mining.repository.context.twins import twins_of
from annotator.mining.repository.discovery.modules import load_project
from annotator.mining.repository.discovery.tree import read_repository_tree
from annotator.mining.repository.pipeline import MiningOptions, mine_folder
from annotator.services.sources.repository_mining import add_surroundings

from .conftest import Write

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
    read = [each.compared for each in functions.values()]
    assert [twin.qualname for twin in twins_of(info)] == ["Second.load"]
    assert all(each.compared is words for each, words in zip(functions.values(), read, strict=True))
