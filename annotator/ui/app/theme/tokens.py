"""The colours of the two looks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Every colour the window uses, named for its meaning."""

    ground: str
    panel: str
    line: str
    text: str
    dim: str
    accent: str
    on_accent: str
    selection: str
    good: str
    good_ground: str
    attention: str
    attention_ground: str
    bad: str
    bad_ground: str
    code_keyword: str
    code_string: str
    code_number: str
    code_comment: str
    code_name: str


LIGHT = Tokens(
    ground="#f6f7f9", panel="#ffffff", line="#dfe3e8", text="#1c2330", dim="#5b6675", accent="#1f5fd0",
    on_accent="#ffffff", selection="#e3edfd", good="#1d7a3c", good_ground="#e2f4e7", attention="#8a5a00",
    attention_ground="#fbf0d9", bad="#b3261e", bad_ground="#fbe4e2", code_keyword="#0b6e2e", code_string="#9a3412",
    code_number="#6b5b00", code_comment="#4a7080", code_name="#1a3fb0",
)  # fmt: skip
DARK = Tokens(
    ground="#17191d", panel="#1f2227", line="#343a43", text="#e6e9ee", dim="#9aa3af", accent="#6ea8fe",
    on_accent="#0d1526", selection="#22344f", good="#56c271", good_ground="#1d3326", attention="#e5b454",
    attention_ground="#3a3020", bad="#ef7a76", bad_ground="#3c2425", code_keyword="#ff7b72", code_string="#a5d6ff",
    code_number="#79c0ff", code_comment="#8b949e", code_name="#d2a8ff",
)  # fmt: skip
