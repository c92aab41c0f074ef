"""A long context is cut down to what the tests reach and what the code that is left names."""

from __future__ import annotations

import ast

from hypothesis import given
from hypothesis import strategies as st

from annotator.answers.masked import MASK
from annotator.mining.repository.context.needed import SHORT_CONTEXT_LINES, ShownContext, keep_needed
from tests.samples import load_samples

SAMPLES = load_samples(__file__)
PADDING = "\n".join(
    f"    def unused_{number}(self):\n        return helper_{number}()\n" for number in range(SHORT_CONTEXT_LINES)
)
HELPERS = "\n\n".join(f"def helper_{number}():\n    return {number}" for number in range(SHORT_CONTEXT_LINES))


def _filled(name: str) -> str:
    return SAMPLES[name].replace("{helpers}", HELPERS).replace("{padding}", PADDING)


SOURCE = _filled("source")


def _line(text: str, start: str) -> int:
    return next(number for number, line in enumerate(text.split("\n"), 1) if line.strip().startswith(start))


def _shown(source: str, name: str) -> ShownContext:
    node = next(item for item in ast.walk(ast.parse(source)) if getattr(item, "name", "") == name)
    assert isinstance(node, ast.FunctionDef)
    lines = source.split("\n")
    masked = [*lines[: node.lineno - 1], " " * node.col_offset + MASK, *lines[node.end_lineno :]]
    return ShownContext(source, "\n".join(masked))


def test_what_nobody_reaches_or_names_goes() -> None:
    found = keep_needed(_shown(SOURCE, "subject"), {_line(SOURCE, "def ran")})
    for gone in ("unused_", "helper_", "unneeded", "Nobody needs", "Nor that", "WORDS", "import re"):
        assert gone not in found.text, gone
    stays = "import math", "LIMIT = 3", "def ran", "def asked", "def area", "def other", "Table.unbound", "annotations"
    for kept in stays:
        assert kept in found.text, kept


def test_values_of_a_class_that_nothing_reads_go_with_what_only_they_name() -> None:
    values = _filled("values")
    source = SOURCE.replace(PADDING, values).replace("class Table(Base)", "class Table")
    source = source.replace("        return other()", "        return self.limit + getattr(self, 'named') + other()")
    found = keep_needed(_shown(source, "subject"), {_line(source, "def ran")}, ["def test_far():\n    Table.far\n"])
    for gone in ("words = WORDS", "pairs", "WORDS =", "import re", "unneeded", "again"):
        assert gone not in found.text, gone
    for kept in ("    limit = 3", "    named =", "    far = 1", "def ran"):
        assert kept in found.text, kept
    inherited = source.replace("class Table", "class Table(Base)")
    assert "pairs" in keep_needed(_shown(inherited, "subject"), ()).text


DOCUMENTED = _filled("documented")


def test_docstrings_of_a_long_context_keep_their_first_paragraph() -> None:
    found = keep_needed(_shown(DOCUMENTED, "subject"), ())
    for gone in ("With more", ">>>", "or two"):
        assert gone not in found.text, gone
    for kept in ('"""A module.\n"""', '"""\n    A table.\n    """', 'one,\n        """', "Always.", "At all."):
        assert kept in found.text, kept
    assert found.masked == _shown(found.text, "subject").masked


def test_docstrings_that_code_reads_stay() -> None:
    for reader in ("Table.__doc__", "inspect.getdoc(Table)", "getattr(Table, '__doc__')"):
        assert ">>>" in keep_needed(_shown(DOCUMENTED, "subject"), (), [reader]).text


def test_a_class_is_never_left_empty() -> None:
    source = SOURCE + f"\n\nclass Other:\n    one = 1\n\n{PADDING}\n"
    found = keep_needed(_shown(source, "subject"), (), ["Other"]).text
    assert "class Other" in found and len(found) < len(source)


def test_a_method_compiled_anew_is_reached_below_its_decorators() -> None:
    source = SOURCE.replace("    def ran(self)", "    @math.checked\n    def ran(self)")
    assert "@math.checked" in keep_needed(_shown(source, "subject"), {_line(source, "def ran")}).text


def test_what_is_left_stands_as_far_apart_as_before() -> None:
    found = keep_needed(_shown(SOURCE, "subject"), ())
    assert "LIMIT = 3\n\n\nclass Base" in found.text
    assert "\n\n\n\n" not in found.text


def test_a_property_keeps_its_setter_and_a_class_how_it_is_made() -> None:
    found = keep_needed(_shown(SOURCE, "subject"), ())
    assert "@size.setter" in found.text
    assert "What stands above the setter" in found.text
    assert "def __init__" in found.text


def test_the_masked_text_is_the_text_with_the_function_masked() -> None:
    found = keep_needed(_shown(SOURCE, "subject"), ())
    assert found.masked == _shown(found.text, "subject").masked


def test_what_is_left_runs() -> None:
    found = keep_needed(_shown(SOURCE, "subject"), {_line(SOURCE, "def ran")})
    space: dict[str, object] = {}
    exec(compile(found.text, "text", "exec"), space)
    table = space["Table"]
    assert callable(table)
    assert table([1, 2]).subject() == 2


def test_what_the_tests_name_stays() -> None:
    assert "def helper_7" in keep_needed(_shown(SOURCE, "subject"), (), ["assert helper_7() == 7"]).text


def test_loops_that_fill_what_is_needed_stay() -> None:
    filled = "TABLE = {}\nfor key in range(3):\n    TABLE[key] = key\n"
    spare = "OTHER = []\nfor value in range(4):\n    OTHER.append(value)\n"
    found = keep_needed(_shown(f"{filled}{spare}{HELPERS}\n\n\ndef subject():\n    return len(TABLE)\n", "subject"), ())
    assert found.text == f"{filled}\n\ndef subject():\n    return len(TABLE)\n"


def test_a_short_context_stays_whole() -> None:
    source = "def helper():\n    return 1\n\n\ndef subject():\n    return 2\n"
    shown = _shown(source, "subject")
    assert keep_needed(shown, ()) is shown


def test_what_cannot_be_read_stays_whole() -> None:
    for shown in (
        ShownContext("def broken(:\n" * 99, MASK + "\n" * 99),
        ShownContext("x = 1\n" * 99, "x = 1\n" * 99),
        _shown(SOURCE, "subject"),
    ):
        assert keep_needed(shown, (), ["not python ("]) is shown


def test_statements_that_share_a_line_stay_together() -> None:
    source = f"LEFT = 1; RIGHT = 2\n{HELPERS}\n\n\ndef subject():\n    return RIGHT\n"
    assert keep_needed(_shown(source, "subject"), ()).text.startswith("LEFT = 1; RIGHT = 2\n")


def test_a_class_without_any_needed_method_keeps_its_body() -> None:
    body = "\n".join(
        f"    def method_{number}(self):\n        return {number}" for number in range(SHORT_CONTEXT_LINES)
    )
    source = f"class Only:\n{body}\n\n\ndef subject():\n    return Only\n"
    assert "method_3" in keep_needed(_shown(source, "subject"), ()).text


@given(st.sets(st.integers(1, SOURCE.count("\n"))))
def test_any_reach_leaves_code_with_the_function_whole(reached: set[int]) -> None:
    shown = _shown(SOURCE, "subject")
    found = keep_needed(shown, reached)
    ast.parse(found.text)
    first, last = shown.span()
    assert "\n".join(SOURCE.split("\n")[first - 1 : last]) in found.text
    assert found.masked == _shown(found.text, "subject").masked


COMMENTED = _filled("commented")


def test_a_comment_goes_with_what_it_belongs_to() -> None:
    found = keep_needed(_shown(COMMENTED, "subject"), ())
    comments = [line.strip() for line in found.text.split("\n") if line.strip().startswith("#")]
    assert comments == [
        "# What stands above the first statement.",
        "# -- tables --",
        "# How it is kept.",
        "# -- making --",
        "# At the end of a method.",
        "# What stands above the function.",
        "# -- the end --",
    ]
    assert found.masked == _shown(found.text, "subject").masked
