"""Build the manual as a site with mkdocs: site.py FOLDER. A dead link or a missing page ends it."""

import inspect
import json
import logging
import sys
import tempfile
from pathlib import Path

from mkdocs.commands.build import build as build_pages
from mkdocs.config import load_config

from annotator import notebook
from annotator.services.program import manual
from annotator.services.program.manual import anchor_of
from annotator.ui.app.action_registry import key_text
from annotator.ui.app.actions import ACTIONS

NAVIGATION = {
    "Tutorials": ("getting-started", *(name for name in manual.TOPICS if name.startswith("tutorial-"))),
    "How to": ("how-to", "troubleshooting"),
    "Pages of the window": ("sources", "repositories", "select", "prompt", "rewrite", "criterion", "bugs", "judge",
                            "consensus", "release", "runs", "results", "settings"),
    "Working together, running code": ("team", "sandbox"),
    "Explanations": ("verdicts", "proofs", "blindness"),
    "Reference": ("criterion-language", "criterion-keys", "formats", "file-fields", "command-line", "notebook"),
}  # fmt: skip

_BEGIN = """# Annotator

Turn mined candidates into a benchmark for code language models: select, paraphrase, write and prove criteria, release
versions, run models on them, and read the results.

New here? [Your own questions](tutorial-own-data.md) takes ten minutes. Looking for something? [Search](search.md), or
see [How to](how-to.md).
"""

_SEARCH = """# Search

<input id="words" type="search" aria-label="Search the manual" placeholder="Words, such as merge projects" autofocus>
<div id="hits" aria-live="polite"></div>
<script src="sections.js"></script>
<script>
const field = document.getElementById("words"), hits = document.getElementById("hits");
const forms = word => {
  const one = word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
  return [one, ...manual.synonyms.filter(group => group.includes(word) || group.includes(one)).flat()];
};
const holds = (text, word) => forms(word).some(form => ` ${text}`.includes(` ${form}`));
function look() {
  const typed = field.value.toLowerCase().split(/[^\\p{L}\\p{N}_]+/u).filter(Boolean);
  const kept = typed.filter(word => !manual.ignored.includes(word)), words = kept.length ? kept : typed;
  const found = words.length ? manual.sections.filter(item => words.every(word => holds(item.words, word))) : [];
  const points = item => words.filter(word => holds(item.heading, word)).length;
  found.sort((a, b) => points(b) - points(a));
  hits.replaceChildren(...found.slice(0, 40).map(item => {
    const line = document.createElement("p"), link = document.createElement("a");
    link.href = item.place;
    link.textContent = `${item.topic}: ${item.title}`;
    line.append(link);
    return line;
  }));
  if (words.length && !found.length) hits.textContent = "No match. Try fewer words.";
}
field.addEventListener("input", look);
</script>
"""


def write_pages(folder: Path) -> None:
    """Write what mkdocs reads: the pages with the keys put in, the beginning, the search, and the Python interface."""
    keys = {spec.id: key_text(spec.shortcuts[0]) for spec in ACTIONS if spec.shortcuts}
    pages = manual.load_manual()
    for name, topic in pages.topics.items():
        (folder / f"{name}.md").write_text(manual.insert_shortcuts(topic.text, keys), encoding="utf-8")
    (folder / "index.md").write_text(_BEGIN, encoding="utf-8")
    (folder / "search.md").write_text(_SEARCH, encoding="utf-8")
    (folder / "python-interface.md").write_text(_interface(), encoding="utf-8")
    (folder / "sections.js").write_text(f"const manual = {json.dumps(_sections(pages))};\n", encoding="utf-8")


def _sections(pages: manual.Manual) -> dict[str, object]:
    rows = []
    for topic in pages.topics.values():
        for number, section in enumerate(topic.sections):
            place = f"{topic.id}.html" + (f"#{section.anchor}" if number else "")
            heading, text = (
                " ".join(manual.split_words(part)) for part in (section.title, manual.strip_markdown(section.text))
            )
            topic_words = " ".join(manual.split_words(topic.title))
            rows.append({"place": place, "topic": topic.title, "title": section.title, "heading": heading,
                         "words": f"{heading} {topic_words} {text}"})  # fmt: skip
    return {"sections": rows, "synonyms": manual.SYNONYMS, "ignored": sorted(manual.STOP_WORDS)}


def _interface() -> str:
    """Return the page about `annotator.notebook`, made from its signatures and docstrings."""
    lines = [
        "# Python interface",
        "",
        "Made from the code of `annotator.notebook`; [Notebooks](notebook.md) shows its use.",
        "",
    ]
    for name in notebook.__all__:
        found = getattr(notebook, name)
        members = [(name, found)]
        if inspect.isclass(found):
            members += [(f"{name}.{key}", value) for key, value in vars(found).items() if not key.startswith("_")]
        for title, value in members:
            if isinstance(value, property):
                value = value.fget
            said = inspect.getdoc(value)
            if callable(value) and said:
                shown = "" if inspect.isclass(value) else str(inspect.signature(value))
                lines += [f"## {title}", "", f"```\n{title}{shown}\n```", "", said, ""]
    return "\n".join(lines)


def build(folder: Path) -> None:
    """Build the site. Raises `mkdocs.exceptions.Abort` for a dead link, an unknown anchor or a page left out."""
    placed = [name for names in NAVIGATION.values() for name in names]
    if sorted(placed) != sorted(manual.TOPICS):
        raise ValueError(f"not in the navigation: {sorted(set(manual.TOPICS) ^ set(placed))}")
    navigation = [{title: [f"{name}.md" for name in names]} for title, names in NAVIGATION.items()]
    navigation[-1]["Reference"].append("python-interface.md")
    logging.getLogger("mkdocs").setLevel(logging.WARNING)
    with tempfile.TemporaryDirectory() as work:
        pages, settings = Path(work) / "pages", Path(work) / "mkdocs.yml"
        pages.mkdir()
        write_pages(pages)
        settings.write_text("site_name: Annotator\n", encoding="utf-8")
        build_pages(
            load_config(
                str(settings),
                docs_dir=str(pages),
                site_dir=str(folder.resolve()),
                nav=[{"Begin": "index.md"}, {"Search": "search.md"}, *navigation],
                # Its styles and scripts lie beside the pages, and nothing is asked of the network.
                theme={"name": "readthedocs", "highlightjs": False, "include_search_page": False},
                plugins=[],
                use_directory_urls=False,
                strict=True,
                validation={"nav": {"omitted_files": "warn", "not_found": "warn"},
                            "links": {"not_found": "warn", "anchors": "warn", "unrecognized_links": "warn"}},
                markdown_extensions=["tables", "fenced_code", {"toc": {"slugify": lambda text, _: anchor_of(text)}}],
            )
        )  # fmt: skip


if __name__ == "__main__":
    build(Path(sys.argv[1]))
