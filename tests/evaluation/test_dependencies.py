"""Names of repository objects in generated code: the reference's own come out whole, others are told apart."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.evaluation.named_dependencies import FunctionLocation, find_used_names, locate_function, locate_functions
from annotator.mining.repository.pipeline import mine_folder
from annotator.services.sources.repository_mining import candidate_of_mined_row
from tests.samples import load_samples

FILES: dict[str, str] = load_samples(__file__)


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    root = tmp_path_factory.mktemp("repository")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    mined, _ = mine_folder(root)
    found = {}
    for row in mined.rows:
        made = candidate_of_mined_row(row)
        found[row.qualified_name] = {
            "id": row.qualified_name, "dependencies": made.dependencies, "provenance": made.provenance,
            "entry_point": made.entry_point, "context": made.context, "reference": made.reference,
        }  # fmt: skip
    return found


@pytest.mark.parametrize("name", ["scale", "Shape.area", "Shape.rounded"])
def test_a_reference_names_what_mining_found_in_it(items: dict[str, Any], name: str) -> None:
    item = items[name]
    place = locate_function(item)
    assert place is not None and (place.module == "pkg.core" or not place.reference)
    assert find_used_names(textwrap.dedent(item["reference"]), place) == place.reference
    assert (
        find_used_names(f"Here it is:\n```python\n{textwrap.dedent(item['reference'])}\n```", place) == place.reference
    )


def test_without_the_file_free_names_stand_for_the_reference_s(items: dict[str, Any]) -> None:
    area, scale = (locate_function(items[name] | {"context": ""}) for name in ("Shape.area", "scale"))
    assert area is not None and scale is not None
    assert find_used_names(textwrap.dedent(items["Shape.area"]["reference"]), area) == area.reference
    found = find_used_names(items["scale"]["reference"], scale)
    # What the file calls by another name cannot be told without it, so it is not asked of answers either.
    assert found is not None and scale.reference <= found
    assert "pkg.consts.LIMITS" not in scale.reference and "pkg.core.half" in scale.reference


def test_what_is_asked_of_an_object_of_unknown_class_counts() -> None:
    needs = {"intra_file": ["pkg.core.open_table"], "cross_file": ["pkg.table.Table.add_row", "pkg.table.Table.grow"]}
    reference = "def fill(rows):\n    table = open_table()\n    for row in rows:\n        table.add_row(row)\n"
    item = {"dependencies": needs, "provenance": {"path": "pkg/core.py"}, "entry_point": "fill", "reference": reference}
    place = locate_function(item)
    assert place is not None
    # Nothing in the reference's text asks for ``grow``, so nothing in an answer can be expected to.
    assert place.reference == {"pkg.core.open_table", "pkg.table.Table.add_row"}
    found = find_used_names("def fill(rows):\n    [open_table().add_row(row) for row in rows]\n", place)
    assert found == place.reference
    assert find_used_names("def fill(rows):\n    rows.clear()\n", place) == frozenset()


def test_a_reference_that_cannot_be_read_asks_for_all_it_is_said_to_use() -> None:
    needs = {"intra_file": ["pkg.core.half"]}
    place = locate_function({"dependencies": needs, "provenance": {"path": "pkg/core.py"}, "reference": "def f(:"})
    assert place is not None and place.reference == {"pkg.core.half"}


def test_other_programs_name_less_and_other_things(items: dict[str, Any]) -> None:
    place = locate_function(items["Shape.area"])
    assert place is not None
    code = """
    def area(self, factor=1):
        import numpy as np
        from pkg.other import helper
        scale = np.sqrt(self.size)
        unknown(len([x for x in range(3)]))
        return helper(scale, self.colour) * factor
    """
    found = find_used_names(textwrap.dedent(code), place)
    assert found == {"pkg.core.Shape.size", "pkg.core.Shape.colour", "pkg.other.helper", "pkg.core.unknown"}
    assert find_used_names("def area(self:", place) is None
    assert find_used_names("", place) == frozenset()


def test_helpers_of_an_answer_count_with_it_and_are_no_dependency(items: dict[str, Any]) -> None:
    place = locate_function(items["scale"])
    assert place is not None
    code = "def own(x):\n    return half(x)\n\ndef scale(value, by=None):\n    return own(value) * STEP\n"
    assert find_used_names(code, place) == {"pkg.core.half", "pkg.core.STEP"}
    hidden = "def half(x):\n    return x\n\ndef scale(value):\n    return half(value)\n"
    assert find_used_names(hidden, place) == frozenset()


def test_a_name_that_a_package_passes_on_is_the_reference_s() -> None:
    place = FunctionLocation(
        module="pkg.use", owner="", name="f", reference=frozenset({"pkg.core.scale", "pkg.consts.FACTOR"})
    )
    assert find_used_names("from pkg import scale\ndef f():\n    return scale(1)\n", place) == {"pkg.core.scale"}
    assert find_used_names("import pkg.consts as c\ndef f():\n    return c.FACTOR\n", place) == {"pkg.consts.FACTOR"}
    assert find_used_names("from json import scale\ndef f():\n    return scale(1)\n", place) == frozenset()
    relative = "from ..pkg import core\ndef f():\n    return core.scale\n"
    assert find_used_names(
        relative,
        FunctionLocation(module="top.pkg.use", owner="", name="f", reference=frozenset({"top.pkg.core.scale"})),
    ) == {"top.pkg.core.scale"}


def test_evocodebench_places_come_from_namespace_and_path() -> None:
    item = {
        "id": "a", "entry_point": "run",
        "dependencies": {"intra_class": ["boost.core.Job.name"], "intra_file": [], "cross_file": ["boost.io.save"]},
        "provenance": {"namespace": "boost.core.Job.run", "path": "Project/Boost/src/boost/core.py"},
    }  # fmt: skip
    places = locate_functions([item, {"id": "b", "dependencies": {}}, {"id": "c", "dependencies": None}])
    assert set(places) == {"a"}
    place = places["a"]
    assert (place.module, place.owner, place.name) == ("boost.core", "Job", "run")
    assert find_used_names("def run(self):\n    save(self.name)\n", place) == place.reference


@given(st.text(max_size=200))
def test_any_text_has_names_or_does_not_parse(text: str) -> None:
    place = FunctionLocation(module="m", owner="C", name="f", reference=frozenset({"m.C.x"}))
    found = find_used_names(text, place)
    assert found is None or all(isinstance(name, str) for name in found)
