"""Completions of base models and chat models in every language: the body that was written is the one that is run."""

from __future__ import annotations

import time

import pytest

from annotator.answers.choice import find_code
from annotator.answers.code import code_spec_for, reader_of
from tests.answers.completions import Function, shapes
from tests.rows import check_rows
from tests.samples import load_samples

FUNCTIONS = {
    language: [
        Function(language=language, **{name: row[name] for name in ("tag", "other", "demo")}, **function)
        for function in row["functions"]
    ]
    for language, row in load_samples(__file__.replace("test_completions", "completions")).items()
}


def _code_only(text: str) -> str:
    """Return a program in one line, without its comments and a last semicolon."""
    lines = [line for line in text.split("\n") if not line.startswith(("#", "--"))]
    return " ".join(" ".join(lines).split()).rstrip(";")


def _check_shape(function: Function, name: str, response: str) -> None:
    reader = reader_of(function.language)
    spec = code_spec_for(function.language, function.entry, prompt=function.prompt)
    found = find_code(response, spec, prompt=function.prompt)
    if not reader.can_parse:
        # Text may run on behind the function, but only as code.
        assert _code_only(found.text).startswith(_code_only(function.joined)), f"{name}: {found}"
        assert "###" not in found.text and "```" not in found.text and "User:" not in found.text, found.text
        return
    expected, actual = reader.read(function.joined, spec), reader.read(found.text, spec)
    assert expected is not None and expected.entry.kind == "whole"
    assert actual is not None and actual.entry.body == expected.entry.body, f"{name}: {found}"


@pytest.mark.parametrize("language", FUNCTIONS)
def test_every_shape_of_a_completion(language: str) -> None:
    functions = FUNCTIONS[language]
    rows = [
        (function, name, response)
        for number, function in enumerate(functions)
        for name, response in shapes(function, f"{function.prompt.rstrip()}\n{functions[number - 1].body}").items()
    ]
    assert len(rows) > 120
    check_rows(_check_shape, rows)


def test_a_body_with_many_braces_is_filled_in_one_pass() -> None:
    prompt, body = "many() {", "    { :; }\n" * 20_000
    spec = code_spec_for("bash", "many", prompt=prompt)
    begun = time.perf_counter()
    filled = list(reader_of("bash").complete_function(prompt, f"{body}}}\nmore() {{\n}}\n", spec, may_truncate=True))
    assert filled == [f"{prompt}\n{body}}}"]
    # Reading from the start for every brace took minutes.
    assert time.perf_counter() - begun < 5


@pytest.mark.parametrize("language", FUNCTIONS)
def test_what_only_talks_is_no_completion(language: str) -> None:
    for function in FUNCTIONS[language]:
        spec = code_spec_for(language, function.entry, prompt=function.prompt)
        for text, finish, outcome in (
            ("", "stop", "empty"),
            ("\n", "length", "truncated"),
            ("I'm sorry, but I can't help with that.", "stop", "refusal"),
            ("<think>The body has to", "length", "truncated"),
            ("Could you tell me what the function is for?", "stop", "refusal"),
        ):
            found = find_code(text, spec, finish_reason=finish, prompt=function.prompt)
            assert (found.outcome, found.text) == (outcome, ""), text
