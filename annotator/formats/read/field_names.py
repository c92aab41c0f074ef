"""The fields of our own rows, and the names that other people give to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from annotator.base.errors import UsageError

TEXT_FIELDS = (
    "title", "task", "language", "domain", "area", "difficulty", "question_type", "licence", "prompt", "reference",
    "context", "entry_point", "criterion",
)  # fmt: skip
OBJECT_FIELDS = ("dependencies", "provenance", "extra")
FIELDS = ("id", *TEXT_FIELDS, *OBJECT_FIELDS, "views", "tests")
IGNORE = "ignore"
"""In place of a field: the column is left out, although its name says what it may hold."""
_OTHER_WORDS = {"answer": "reference", "license": "licence"}
_ALIKE = 0.8
_USUAL: dict[str, tuple[str, ...]] = {
    "prompt": (
        "question", "question_text", "instruction", "problem", "task_description", "query", "text", "frage",
        "question_body", "body", "问题", "题目", "提示", "提示词",
    ),
    "reference": (
        "answer", "solution", "canonical_solution", "reference_solution", "reference_answer", "expected_answer",
        "correct_answer", "code", "antwort", "答案", "参考答案",
    ),
    "tests": ("test", "test_list", "test_cases", "unit_tests", "测试"),
    "language": ("lang", "programming_language", "sprache", "语言", "编程语言"),
    "entry_point": ("function", "function_name"),
    "id": ("task_id", "question_id", "item_id", "编号"),
    "difficulty": ("level", "难度"),
}  # fmt: skip
"""How others call the fields of our own rows, the most telling names first."""
_TELLING = {"prompt": ("question", "prompt"), "reference": ("answer", "solution")}
"""Words that tell a field where they are part of a longer name that nothing else explains ("Your question")."""


def plain_name(name: str) -> str:
    """Return a column's name in lower case, its words joined with an underscore."""
    return "_".join(name.casefold().replace("_", " ").split())


def is_usual_name(name: str) -> bool:
    """Tell whether a column of this name is known to hold a field."""
    return plain_name(name) in _KNOWN


def similar_field(column: str) -> str:
    """Return the field that a column's name is probably meant for, as a slip of the pen; empty if there is none."""
    plain = column.lower().replace("-", "_").replace(" ", "_")
    by_letters = {field.replace("_", ""): field for field in FIELDS}
    found = get_close_matches(plain.replace("_", ""), by_letters, n=1, cutoff=_ALIKE)
    return by_letters[found[0]] if found and not is_usual_name(column) else ""


def usual_columns(columns: Sequence[str]) -> dict[str, str]:
    """Return the column of each of our fields that goes by another usual name, whatever its case and spaces.

    A name that only contains a telling word is taken where no other column is, and where it is the only one.
    """
    by_name = {plain_name(name): name for name in reversed(columns)}
    found = {}
    for field in FIELDS:
        names = (*(() if field in columns else (field,)), *_USUAL.get(field, ()))
        column = next((by_name[name] for name in names if name in by_name), None)
        if column is not None and field not in columns:
            found[field] = column
    for field, words in _TELLING.items():
        if field in found or field in columns:
            continue
        free = [name for name in columns if name not in found.values() and not is_usual_name(name)]
        for word in words:
            telling = [name for name in free if word in _words(name) and not _words(name) & _FOR_OTHER_FIELDS]
            if len(telling) == 1:
                found[field] = telling[0]
                break
    return found


def choose_columns(
    columns: Sequence[str], chosen: Mapping[str, str], ignored: Iterable[str] = (), *, guesses: bool = True
) -> dict[str, str]:
    """Return the column of each field: the chosen one, else one of a usual name that is neither chosen nor ignored.

    A field whose own column is ignored has "" for its column. Without ``guesses`` usual names tell nothing.
    """
    left_out = set(ignored)
    taken = {*chosen.values(), *left_out}
    usual = usual_columns([name for name in columns if name not in taken]) if guesses else {}
    own = {name: "" for name in FIELDS if name in columns and name in taken}
    return {**own, **usual, **chosen}


def unused_columns(columns: Sequence[str], mapping: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns that no field is read from."""
    read = {mapping.get(field, field) for field in FIELDS}
    read |= set() if "licence" in mapping else {"license"}
    read |= {column.partition(".")[0] for column in mapping.values() if column not in columns}
    return tuple(name for name in columns if name not in read)


def field_named(word: str) -> str:
    """Return the field that a word names, in any usual spelling. Raises `UsageError` naming the fields."""
    name = _OTHER_WORDS.get(plain_name(word), plain_name(word))
    if name in FIELDS or name == IGNORE:
        return name
    field = similar_field(word)
    meant = f" Did you mean {field}?" if field else ""
    raise UsageError(f"There is no field {word}.{meant} The fields are: {', '.join(FIELDS)}.")


def _words(name: str) -> set[str]:
    letters = "".join(letter if letter.isalnum() else " " for letter in name.casefold())
    return set(letters.split())


_KNOWN = frozenset({*FIELDS, *(name for names in _USUAL.values() for name in names)})
_FOR_OTHER_FIELDS = frozenset(
    ("id", "type", "number", "no", "count", "score", "date", "time", "status", "author", "url", "link", "tag", "tags")
)
