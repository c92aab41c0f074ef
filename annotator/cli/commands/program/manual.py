"""The manual in the terminal."""

from typing import Annotated

from annotator.cli.command import Argument, Option, Texts, command
from annotator.cli.output import CommandAnswer, answer_list
from annotator.services.program import manual


@command("manual", "annotator manual withdraw an item")
def show_manual(
    *,
    topic: Annotated[Texts, Argument("TOPIC", "a page, or words to search for; without it, list the pages")] = (),
    search: Annotated[str | None, Option("WORDS", "list the places with these words")] = None,
) -> CommandAnswer:
    """Read or search the manual."""
    pages = manual.load_manual()
    topic_text = " ".join(topic)
    name = topic_text.partition("#")[0].removesuffix(".md")
    hits = pages.search(search or topic_text) if search or name not in pages.topics else ()
    if search or hits:
        rows = [(hit.place, hit.title, hit.excerpt) for hit in hits]
        return answer_list("hits", hits, ("place", "what", "text"), rows, none="No match.")
    if topic_text:
        page = pages.topic(name)
        text = manual.format_for_terminal(page.text)
        return CommandAnswer({"topic": page.id, "title": page.title, "text": text}, text)
    topics = [{"topic": page.id, "title": page.title} for page in pages.topics.values()]
    return answer_list("topics", topics, ("page", "about"), [tuple(row.values()) for row in topics])
