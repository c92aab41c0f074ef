"""Answers as chat models write them, with tests of several styles: each came out wrong once, or could."""

from __future__ import annotations

from tests.samples import load_samples
from tests.sandbox.verdict_programs import Case

NATURAL = tuple(Case(**row) for row in load_samples(__file__))
