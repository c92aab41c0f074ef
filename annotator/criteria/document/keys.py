"""The keys of a criterion document, in one table.

A key has a kind of value, a default and a help text; one that holds mappings also has their keys. The loader checks
documents by this table, the JSON Schema and the manual are generated from it, and the form shows the keys with a label.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

from annotator.base.messages import Message

Kind = Literal["text", "code", "file", "plain", "number", "whole", "flag", "choice", "condition", "content", "any",
               "mapping", "ignored"]  # fmt: skip
"""``code`` is a text of several lines, ``file`` a file name, ``plain`` a text, number or boolean; the value of an
``ignored`` key is never read."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key; ``default`` is its value if it is not written, and for a required key the form's initial value.

    ``bare`` is the kind of value that may replace a mapping and is read as its content. ``label`` names the form's
    field, or for a key that holds mappings its section.
    """

    name: str
    kind: Kind
    help: str
    default: Any = ""
    label: str = ""
    choices: tuple[str, ...] = ()
    keys: tuple[Key, ...] = ()
    shape: Literal["one", "list", "one or list"] = "one"
    bare: Literal["", "text", "plain"] = ""
    is_required: bool = False

    @property
    def inner_keys(self) -> tuple[Key, ...]:
        """The keys of the mappings it holds; ``content`` is recursive."""
        return CONTENT if self.kind == "content" else self.keys


_WEIGHT = Key("weight", "number", "Points for this rule.", 1.0, "points")
_WHY = Key("why", "text", "What this rule shows, for people who review the criterion.", label="why")
_LOWER = Key(
    "to_lower", "flag", "Convert the answer and the text or pattern to lower case first.", False, "ignore case"
)
REGEX = Key("regex", "flag", "The text is a regular expression.", False)
COND = Key("cond", "condition", "A condition beside the match, such as context[-1].startswith('match').")
_STRIP = Key("strip", "flag", "White space at both ends does not count.", True)
_TOLERANCE = Key("tolerance", "number", "How far the number may be off.", 0.0, "tolerance")

CONTENT = (
    Key("content", "content", "The text or pattern."),
    REGEX,
    COND,
    Key("or", "content", "Any of these.", shape="list"),
    Key("and", "content", "All of these.", shape="list"),
    Key("at_least", "whole", "How many entries of the list under of must be found."),
    Key("of", "content", "The entries that at_least counts.", shape="list"),
)
_HANDLER = (
    Key("module", "text", "The module's name; its file is beside the document.", is_required=True),
    Key("func", "text", "The function's name.", is_required=True),
    Key("real_metric_type", "text", "The metric under which its points are counted."),
)
_HANDLER_HELP = "A Python function beside the document that decides; it runs in the sandbox."
_POST_HANDLER = Key("post_handler", "mapping", _HANDLER_HELP, None, keys=_HANDLER)
CONTENT_KEY = Key("content", "content", "What to look for.")
KEYWORD = (
    CONTENT_KEY,
    _LOWER,
    Key("ignore_space", "flag", "Ignore white space in the answer and in the text.", False,
        "ignore spaces"),
    Key("code_only", "flag", "Search only the answer's code: code blocks and text in backticks.", False,
        "in code only"),
    Key("neg", "flag", "Deduct the points if it is found.", False, "must not appear"),
    _WEIGHT,
    _WHY,
    _POST_HANDLER,
)  # fmt: skip
ANSWER = (Key("content", "plain", "An accepted answer.", is_required=True), REGEX, COND)
_TARGET = (
    Key("content", "mapping", "What the blank must contain, or a list of what it may contain.", (), keys=ANSWER,
        shape="one or list", bare="plain", is_required=True),
    _LOWER,
    Key("substr_match", "flag", "Containing it is enough.", False, "contains is enough"),
    _WEIGHT,
    _WHY,
)  # fmt: skip
_BLANKS = (
    Key("template", "code", "The text with its blanks; some text must follow the last one.", label="template",
        is_required=True),
    Key("blank_str", "text", "How a blank is marked.", "[blank]", "a blank is"),
    Key("targets", "mapping", "One entry for each blank, in order.", (), "What the blanks hold", keys=_TARGET,
        shape="list", bare="plain", is_required=True),
    Key("escape", "text", "Characters stripped from what was captured.", " '\"`"),
    Key("prefix", "text", "Text put before the answer."),
    _POST_HANDLER,
)  # fmt: skip
_TEST = (
    Key("name", "text", "Name of the test in results.", label="name"),
    Key(
        "content",
        "code",
        "The test's code; it fails by raising an exception or with an exit status above 0.",
        label="code",
    ),
    Key("path", "file", "A file with the test's code, beside the document."),
    Key("prefix", "text", "Code before the answer, lost where the answer has fences."),
    Key("prefix_path", "file", "A file with code that is put before the answer's."),
    Key("cleanup_path", "ignored", "Read for older suites; the sandbox needs none."),
    Key("timeout", "number", "Seconds; 0 means the language's default.", 0.0, "seconds"),
    Key("only_longest", "flag", "Use only the longest block of code in the answer.", False),
    _WEIGHT,
    _WHY,
)
_TESTS = (
    Key("lang", "text", "The language of the tests, if it is not the document's."),
    Key("tests", "mapping", "Code, or mappings with content or path.", (), "Unit tests", keys=_TEST, shape="list",
        bare="text", is_required=True),
)  # fmt: skip
ROUGE = ("rougeLsum", "rougeL", "rouge1", "rouge2")
_SIMILARITY = (
    Key("metric", "choice", "The ROUGE metric to use.", "rougeLsum", "metric", ROUGE, is_required=True),
    Key("references", "code", "Reference answers: texts, or files given by path.", label="reference",
        keys=(Key("path", "file", "The file with the reference answer, beside the document.", is_required=True),),
        shape="list", bare="text", is_required=True),
    Key("min_score", "number", "Similarity up to which an answer earns no points.", 0.3, "no points below"),
    Key(
        "max_score", "number", "Similarity from which an answer earns all points (rouge1: 0.53).", 0.51,
        "all points from"),
    _WEIGHT,
    _WHY,
)  # fmt: skip
EQUALS_VALUE = Key("value", "plain", "The text that the whole answer must be.", label="the answer is", is_required=True)
_EQUALS = (
    EQUALS_VALUE,
    _LOWER,
    _STRIP,
    _WEIGHT,
    _WHY,
)
_NUMBER = (
    Key("value", "number", "The number that the answer must give.", 0.0, "the number is", is_required=True),
    _TOLERANCE,
    _WEIGHT,
    _WHY,
)
_JSON = (Key("value", "any", "Any value.", None, is_required=True), _LOWER, _TOLERANCE, _WEIGHT, _WHY)
_SYNTAX = (
    Key("calls", "text", "A function the code must call, such as sorted or os.path.join."),
    Key("imports", "text", "A module the code must import."),
    Key("defines", "text", "A function or class the code must define."),
    Key("absent", "flag", "The code must not do this.", False, "must not"),
    _WEIGHT,
    _WHY,
)
GRADING = (
    Key("max_score", "number", "The points that count as all; more are cut off.", None),
    Key("min_score", "number", "The points never go below this.", None),
    Key("keywords", "mapping", "Texts and patterns that the answer must contain.", (), "Keywords", keys=KEYWORD,
        shape="list", bare="plain"),
    Key("blank_filling", "mapping", "A text with blanks is aligned with the answer; the text in each blank is "
        "compared.", None, "Blank filling", keys=_BLANKS),
    Key("unit_test", "mapping", "Tests that run with the answer's code in the sandbox.", (), keys=_TESTS),
    Key("similarity", "mapping", "How much the answer's words are those of reference answers (ROUGE).", (),
        "Similarity to references", keys=_SIMILARITY, shape="list"),
    Key("customized", "mapping", _HANDLER_HELP, None, keys=_HANDLER),
    Key("equals", "mapping", "The whole answer must be this text.", (), "The whole answer", keys=_EQUALS,
        shape="one or list"),
    Key("number", "mapping", "The last number of the answer must be this one.", (), "A number", keys=_NUMBER,
        shape="one or list"),
    Key("json", "mapping", "The answer is read as JSON and compared by structure.", (), keys=_JSON,
        shape="one or list"),
    Key("ast", "mapping", "What the syntax tree of Python code must contain.", (), "Syntax of the code", keys=_SYNTAX,
        shape="one or list"),
)  # fmt: skip
METRICS = tuple(key.name for key in GRADING if key.kind == "mapping")
_EXAMPLE = (
    Key("expect", "choice", "Whether the answer must earn the full score.", "pass", "expected result", ("pass", "fail"),
        is_required=True),
    Key("answer", "code", "The answer to try.", label="answer", is_required=True),
    _WHY,
)  # fmt: skip
_HEAD = (
    Key("id", "plain", "The case's name in its suite."),
    Key("prompt_path", "ignored", "The file with the prompt, in a suite."),
    Key("type", "text", "The type of question."),
    Key("lang", "text", "The language of the answer's code."),
    Key("full_score", "number", "The score of an answer with all points.", 1.0),
    Key("null_score", "number", "The score where there is no answer.", 0.0),
    Key("grading", "mapping", "The metrics; their points are added up.", None, keys=GRADING, is_required=True),
    Key("examples", "mapping", "Answers that must pass, or must fail; the proof tries them.", (),
        "Examples for the proof", keys=_EXAMPLE, shape="list"),
)  # fmt: skip
DOCUMENT = Key("document", "mapping", "How one response is scored.", keys=_HEAD)

_SYNONYMS: Mapping[str, str] = {
    **dict.fromkeys(("any", "any_of", "one_of", "either"), "or"),
    **dict.fromkeys(("all", "all_of", "both", "every"), "and"),
    **dict.fromkeys(("min", "minimum", "least", "n_of", "count", "some_of"), "at_least"),
    **dict.fromkeys(("ignore_case", "case_insensitive", "lower", "lowercase", "any_case"), "to_lower"),
    **dict.fromkeys(("not", "negate", "must_not", "forbidden", "exclude"), "neg"),
    **dict.fromkeys(("ignore_whitespace", "any_spacing", "strip_space"), "ignore_space"),
    **dict.fromkeys(("in_code", "only_code", "in_code_only"), "code_only"),
    **dict.fromkeys(("points", "score"), "weight"),
    **dict.fromkeys(("reason", "comment", "note"), "why"),
    **dict.fromkeys(("text", "code", "keyword", "word"), "content"),
    "pattern": "regex",
    "language": "lang",
}
"""Words that people write instead of a key -> the key."""


def key_at(path: Sequence[str]) -> Key | None:
    """Return the key at a path of keys without list positions; the document for an empty path."""
    current: Key | None = DOCUMENT
    for name in path:
        current = next((key for key in current.inner_keys if key.name == name), None) if current else None
    return current


def keys_at(path: Sequence[str]) -> dict[str, str]:
    """Return the allowed keys of the mapping at a path (without list positions), with their descriptions."""
    parent = key_at(path)
    return {key.name: key.help for key in parent.inner_keys} if parent else {}


def form_sections(parent: Key = DOCUMENT, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Key]]:
    """Yield (path, key) of the form's sections, in the order of the table."""
    for key in parent.keys:
        path = (*above, key.name)
        if key.kind == "mapping" and key.label:
            yield path, key
        yield from form_sections(key, path)


def describe_unknown(kind: Message, name: str, names: Sequence[str], elsewhere: Sequence[str] = ()) -> str:
    """Return a sentence about an unknown name, with the name that was probably meant or else with all names."""
    likely = (*names, *elsewhere)
    plain = name.lower().replace("-", "_")
    suggestions = [_SYNONYMS[plain]] if _SYNONYMS.get(plain) in likely else get_close_matches(plain, likely, n=1)
    if suggestions:
        return Message("there is no {kind} {name}; did you mean {meant}?", kind=kind, name=name, meant=suggestions[0])
    return Message("there is no {kind} {name}; there are: {names}", kind=kind, name=name, names=", ".join(names))
