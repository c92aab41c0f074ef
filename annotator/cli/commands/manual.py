"""The manual in the terminal."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from annotator.base.errors import ExitCode
from annotator.cli.output import answer, table
from annotator.cli.parser import command

if TYPE_CHECKING:
    from annotator.cli.parser import Commands


def add(commands: Commands) -> None:
    """Add manual."""
    parser = command(
        commands, "manual", "read the manual, or look something up in it", "annotator manual --search docker", _manual
    )
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help="a page; without one, the pages are listed")
    parser.add_argument("--search", metavar="WORDS", help="list the places that hold these words")


def _manual(options: argparse.Namespace) -> int:
    from annotator.services import manual

    pages = manual.load()
    if options.search:
        hits = pages.search(options.search)
        rows = [(hit.place, hit.title, hit.excerpt) for hit in hits]
        answer(options.json, {"hits": hits}, table(("place", "what", "text"), rows) if hits else "Nothing fits.")
    elif options.topic:
        topic = pages.topic(str(options.topic).partition("#")[0].removesuffix(".md"))
        text = manual.for_terminal(topic.text)
        answer(options.json, {"topic": topic.id, "title": topic.title, "text": text}, text)
    else:
        listed = [{"topic": topic.id, "title": topic.title} for topic in pages.topics.values()]
        lines = [(topic.id, topic.title) for topic in pages.topics.values()]
        answer(options.json, {"topics": listed}, table(("page", "about"), lines))
    return ExitCode.DONE
