"""The manual in the terminal."""

from typing import Annotated

from annotator.cli.command import Argument, Option, command
from annotator.cli.output import Answer, table
from annotator.services.program import manual


@command("manual", "annotator manual --search docker")
def show_manual(
    *,
    topic: Annotated[str | None, Argument("TOPIC", "a page; without one, the pages are listed")] = None,
    search: Annotated[str | None, Option("WORDS", "list the places that hold these words")] = None,
) -> Answer:
    """Read the manual, or look something up in it."""
    pages = manual.load()
    if search:
        hits = pages.search(search)
        rows = [(hit.place, hit.title, hit.excerpt) for hit in hits]
        return Answer({"hits": hits}, table(("place", "what", "text"), rows) if hits else "Nothing fits.")
    if topic:
        page = pages.topic(topic.partition("#")[0].removesuffix(".md"))
        text = manual.for_terminal(page.text)
        return Answer({"topic": page.id, "title": page.title, "text": text}, text)
    listed = [{"topic": page.id, "title": page.title} for page in pages.topics.values()]
    lines = [(page.id, page.title) for page in pages.topics.values()]
    return Answer({"topics": listed}, table(("page", "about"), lines))
