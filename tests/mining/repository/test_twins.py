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
