"""The prompt templates for suggestions; their texts are in ``resources/prompts``, each with a version."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

from annotator.base.resources import resource_path
from annotator.llm.templates import Template

KINDS = ("instruction", "requirement", "paraphrase", "domain", "criterion", "tests")
CHECKED, CHECK = ("instruction", "requirement"), "check"
"""Kinds whose draft a second request checks against the code, as DomainEval does, and that request's template."""
REWRITE = "rewrite"
"""The kind of suggestions that are whole rewrites, asked for part by part."""
BUG = "bug"
"""The kind of suggestions that are implanted bugs; `bugs propose` requests them."""
TAXONOMIES: Mapping[str, tuple[str, ...]] = {
    "domaineval": ("computation", "network", "basic operation", "system", "visualization", "cryptography"),
    "evocodebench": (
        "scientific engineering", "software development", "multimedia", "database", "system", "internet",
        "text processing", "communications", "utilities", "security",
    ),
}  # fmt: skip
"""The published domains to choose labels from, for projects without domains of their own."""


PLACES = frozenset({"title", "prompt", "reference", "context", "language", "domains"})
"""The placeholders of a template. A subject's tests are not among them: whoever writes its text must not see them."""


def suggestion_templates() -> tuple[Template, ...]:
    """Return the built-in template of every kind."""
    return tuple(suggestion_template(kind) for kind in KINDS)


def suggestion_template(kind: str) -> Template:
    """Return the template for a kind of `KINDS`, `CHECK` or a step of a rewrite. Raises `KeyError` for any other."""
    texts = tomllib.loads(resource_path("prompts", "suggestions.toml").read_text(encoding="utf-8"))
    entry = texts[kind]
    return Template(name=f"suggest-{kind}", version=entry["version"], user=entry["text"], system=texts["system"])
