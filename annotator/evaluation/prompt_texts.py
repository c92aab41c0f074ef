"""The default prompt templates; a project may edit each, under a version of its own."""

from __future__ import annotations

import tomllib

from annotator.base.resources import resource_path
from annotator.llm.templates import Template, parse_template


def _read_templates() -> tuple[Template, ...]:
    texts = tomllib.loads(resource_path("prompts", "protocols.toml").read_text(encoding="utf-8"))
    return tuple(parse_template({**parts, "name": name}) for name, parts in texts.items())


TEMPLATES: tuple[Template, ...] = _read_templates()


def default_template(name: str) -> Template | None:
    """Return the template of that name as it comes with the application."""
    return next((template for template in TEMPLATES if template.name == name), None)
