"""The frame of every page we write: style and script stand in it, its policy forbids loading anything else."""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterable

from annotator.base.resources import resource


def page(title: str, parts: Iterable[str], *, more_style: str = "", pictures: bool = False) -> str:
    """Return a page with a title and parts of HTML as its body; ``pictures`` lets it show those it holds itself."""
    style = resource("formats", "leaderboard.css").read_text("utf-8") + more_style
    script = resource("formats", "leaderboard.js").read_text("utf-8")
    images = "img-src data:; " if pictures else ""
    policy = (
        f"default-src 'none'; {images}style-src '{_digest(style)}'; script-src '{_digest(script)}'; base-uri 'none'"
    )
    lines = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html.escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>",
        *parts,
        f"<script>{script}</script>\n</body>\n</html>\n",
    ]
    return "\n".join(line for line in lines if line)


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
