"""What models are asked when they make suggestions: the texts are in ``resources/prompts``, with a version each."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

from annotator.base.resources import resource
from annotator.llm.templates import Template

KINDS = ("instruction", "requirement", "paraphrase", "domain", "criterion", "tests")
CHECKED, CHECK = ("instruction", "requirement"), "check"
"""Kinds whose draft is checked against the code by a second request, as DomainEval does, and the template of that."""
BUG = "bug"
"""The kind of suggestions that are implanted bugs; they are asked for with `bugs propose`."""
TAXONOMIES: Mapping[str, tuple[str, ...]] = {
    "domaineval": ("computation", "network", "basic operation", "system", "visualization", "cryptography"),
    "evocodebench": (
        "scientific engineering", "software development", "multimedia", "database", "system", "internet",
        "text processing", "communications", "utilities", "security",
    ),
}  # fmt: skip
"""The published domains that labels are chosen from, where a project has none of its own."""


PLACES = frozenset({"title", "prompt", "reference", "context", "language", "domains"})
"""What a template may ask for. A subject's tests are not among it: whoever writes its text must not see them."""


def templates() -> tuple[Template, ...]:
    """Return the template of every kind, as it comes with the application."""
    return tuple(template_of(kind) for kind in KINDS)


def template_of(kind: str) -> Template:
    """Return the template for a kind of `KINDS`, or for `CHECK`; raises KeyError for another."""
    texts = tomllib.loads(resource("prompts", "suggestions.toml").read_text(encoding="utf-8"))
    found = texts[kind]
    return Template(name=f"suggest-{kind}", version=found["version"], user=found["text"], system=texts["system"])
