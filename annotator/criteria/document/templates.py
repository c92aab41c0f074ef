"""Documents to start from, with a remark on every part."""

from __future__ import annotations

from annotator.base.resources import resource


def template(metric: str = "keywords") -> str:
    """Return a commented document for a metric."""
    return resource("criteria", "templates", f"{metric}.yaml").read_text(encoding="utf-8")
