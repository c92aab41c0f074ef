"""The fields of our own rows, and other common names for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from annotator.base.errors import UsageError

TEXT_FIELDS = (
    "title", "task", "language", "domain", "area", "difficulty", "question_type", "licence", "prompt", "reference",
    "context", "entry_point", "criterion",
)  # fmt: skip
OBJECT_FIELDS = ("dependencies", "provenance", "extra")
CREDIT_FIELDS = ("author", "copyright", "url")
"""Fields that become parts of the provenance, from which attribution and licence files are made."""
FIELDS = ("id", *TEXT_FIELDS, *CREDIT_FIELDS, *OBJECT_FIELDS, "views", "tests")
IGNORE = "ignore"
"""Used in place of a field: the column is left out although its name matches a field."""
READING_WORDS = ("encoding", "sheet", "heads", "rows", "html")
"""Used in place of a field: how a file is read. ``heads=none`` is for a table whose first row is data, ``rows`` names
the list of rows within an object, and ``html=keep`` leaves HTML as it is.
"""
_FIELD_ALIASES = {"answer": "reference", "license": "licence"}
_MIN_SIMILARITY = 0.8
_COMMON_NAMES: dict[str, tuple[str, ...]] = {
    "prompt": (
        "question", "question_text", "raw_nl", "instruction", "problem", "task_description", "query", "text",
        "frage", "question_body", "body", "problem_statement", "description",
        "pregunta", "вопрос", "問題", "문제", "질문", "问题", "题目", "提示", "提示词",
    ),
    "reference": (
        "answer", "solution", "canonical_solution", "reference_solution", "reference_answer", "expected_answer",
        "correct_answer", "code", "antwort", "lösung", "réponse", "respuesta", "solución", "ответ", "正解", "정답",
        "答案", "参考答案",
    ),
    "tests": ("test", "test_list", "test_cases", "unit_test", "unit_tests", "测试"),
    "language": ("lang", "programming_language", "sprache", "语言", "编程语言"),
    "entry_point": ("function", "function_name"),
    "id": ("task_id", "question_id", "item_id", "编号"),
    "difficulty": ("level", "schwierigkeit", "difficulté", "dificultad", "难度"),
    "author": ("authors", "autor", "auteur", "作者"),
    "url": ("link", "source_url", "链接"),
}  # fmt: skip
"""Common names for our fields, the most specific ones first."""
_TELLING_WORDS = {
    "difficulty": ("difficulty",),
    "prompt": ("prompt", "question", "questions", "query", "вопрос"),
    "reference": ("reference", "answer", "solution", "ответ"),
}
"""Words that identify a field as part of a longer, otherwise unknown name ("Your question")."""


def plain_name(name: str) -> str:
    """Return a column's name in lower case, its words joined with an underscore."""
    return "_".join(name.casefold().replace("_", " ").split())


def is_usual_name(name: str) -> bool:
    """Return whether a column name is a known name of a field."""
    return plain_name(name) in _KNOWN_NAMES


def similar_field(column: str) -> str:
    """Return the field that a column name probably misspells, or ""."""
    spelling = column.lower().replace("-", "_").replace(" ", "_")
    by_letters = {field.replace("_", ""): field for field in FIELDS}
    matches = get_close_matches(spelling.replace("_", ""), by_letters, n=1, cutoff=_MIN_SIMILARITY)
    return by_letters[matches[0]] if matches and not is_usual_name(column) else ""


def usual_columns(columns: Sequence[str]) -> dict[str, str]:
    """Return the columns of fields with another common name, ignoring case and spaces, by field.

    A name that only contains a telling word is used if the field has no other column and the name is the only one.
    """
    by_name = {plain_name(name): name for name in reversed(columns)}
    by_field = {}
    for field in FIELDS:
        names = (*(() if field in columns else (field,)), *_COMMON_NAMES.get(field, ()))
        column = next((by_name[name] for name in names if name in by_name), None)
        if column is not None and field not in columns:
            by_field[field] = column
    for field, words in _TELLING_WORDS.items():
        if field in by_field or field in columns:
            continue
        unassigned = [name for name in columns if name not in by_field.values() and not is_usual_name(name)]
        for word in words:
            matching = [
                name
                for name in unassigned
                if word in _split_words(name) and not _split_words(name) & _WORDS_OF_OTHER_FIELDS
            ]
            if len(matching) == 1:
                by_field[field] = matching[0]
                break
    return by_field


def choose_columns(
    columns: Sequence[str], selected: Mapping[str, str], ignored: Iterable[str] = (), *, guesses: bool = True
) -> dict[str, str]:
    """Return the column of each field: the selected one, else one with a common name that is not used or ignored.

    A field whose own column is ignored gets "". Without ``guesses`` common names are not used.
    """
    left_out = set(ignored)
    unavailable = {*selected.values(), *left_out}
    usual_by_field = usual_columns([name for name in columns if name not in unavailable]) if guesses else {}
    ignored_fields = {name: "" for name in FIELDS if name in columns and name in unavailable}
    return {**ignored_fields, **usual_by_field, **selected}


def unused_columns(columns: Sequence[str], mapping: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns that no field is read from."""
    read_columns = {mapping.get(field, field) for field in FIELDS}
    read_columns |= set() if "licence" in mapping else {"license"}
    read_columns |= {column.partition(".")[0] for column in mapping.values() if column not in columns}
    return tuple(name for name in columns if name not in read_columns)


def find_field(word: str) -> str:
    """Return the field with a name, in any common spelling. Raises `UsageError` listing the fields."""
    name = _FIELD_ALIASES.get(plain_name(word), plain_name(word))
    if name in (*FIELDS, IGNORE, *READING_WORDS):
        return name
    field = similar_field(word)
    hint = f" Did you mean {field}?" if field else ""
    raise UsageError(f"There is no field {word}.{hint} The fields are: {', '.join(FIELDS)}.")


def _split_words(name: str) -> set[str]:
    letters = "".join(letter if letter.isalnum() else " " for letter in name.casefold())
    return set(letters.split())


_KNOWN_NAMES = frozenset({*FIELDS, *(name for names in _COMMON_NAMES.values() for name in names)})
_WORDS_OF_OTHER_FIELDS = frozenset(
    ("id", "type", "number", "no", "count", "score", "date", "time", "status", "author", "url", "link", "tag", "tags",
     "video")
)  # fmt: skip
