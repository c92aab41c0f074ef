"""Addresses of projects: what is read, what is refused, and that no secret gets through."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.addresses import ServerAddress, parse_place, parse_server_address
from annotator.base.errors import BadInputError

_NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z"), exclude_characters="/"), min_size=1)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "postgresql+psycopg://mei@db.example.org:5433/bench",
            ServerAddress(database="bench", user="mei", host="db.example.org", port=5433),
        ),
        ("postgresql://db/bench", ServerAddress(database="bench", user="", host="db")),
        ("POSTGRES://db/bench", ServerAddress(database="bench", user="", host="db")),
        ("postgresql+psycopg:///bench?host=/run/pg", ServerAddress(database="bench", options=(("host", "/run/pg"),))),
        ("postgresql+psycopg://[::1]:5432/b", ServerAddress(database="b", user="", host="::1", port=5432)),
    ],
)
def test_an_address_is_read(text: str, wanted: ServerAddress) -> None:
    assert parse_place(text) == parse_place(str(wanted)) == wanted


@pytest.mark.parametrize("text", ["p.annotator", "/tmp/p.annotator", "postgresql.annotator", "a:b", "http://x/y"])
def test_everything_else_is_a_file(text: str) -> None:
    assert parse_place(text) == Path(text)


def test_who_works_there_is_part_of_the_address_but_not_of_the_place() -> None:
    found = parse_server_address("postgresql+psycopg://h/b?annotator=Mei%20Lin&sslmode=require")
    assert found.annotator == "Mei Lin"
    assert found == parse_server_address("postgresql+psycopg://h/b?sslmode=require")
    assert "annotator=Mei+Lin" in str(found)


@given(_NAMES, st.text(_NAMES, max_size=0) | _NAMES, _NAMES, st.none() | st.integers(1, 65535))
def test_an_address_reads_as_it_is_written(database: str, user: str, person: str, port: int | None) -> None:
    made = ServerAddress(
        database=database, user=user, host="host", port=port, options=(("sslmode", "require"),), annotator=person
    )
    again = parse_server_address(str(made))
    assert again == made and again.annotator == person


@pytest.mark.parametrize(
    "text",
    [
        "postgresql+psycopg://mei:s3cretWord@h/b",
        "postgresql+psycopg://mei:@h/b",
        "postgresql+psycopg://h/b?password=s3cretWord",
        "postgresql+psycopg://mei:s3cretWord@h:notaport/b",
        "postgresql+psycopg://mei:s3cretWord@h/",
        "postgresql+psycopg://mei:s3cretWord@[::1/b",
    ],
)
def test_a_password_is_refused_and_never_repeated(text: str) -> None:
    with pytest.raises(BadInputError) as caught:
        parse_place(text)
    assert "s3cret" not in caught.value.message


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("postgresql+psycopg://h", "no database"),
        ("postgresql+psycopg://h/", "no database"),
        ("postgresql+psycopg://h/a/b", "no database"),
        ("postgresql+psycopg://h/b?options=-csearch_path%3Dx", "Unknown address option options"),
        ("postgresql+psycopg://h/b?passfile=/x", "Unknown address option passfile"),
        ("postgresql+psycopg://h:99999/b", "cannot be read"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(BadInputError, match=reason):
        parse_place(text)
