"""Find code that says a model wrote it: comments with one of the phrases, attributed to functions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from annotator.jobs.progress import Progress
from annotator.mining.generated_code import licences
from annotator.mining.generated_code.attribution import How, attribute
from annotator.mining.generated_code.clusters import name_words
from annotator.mining.generated_code.file_rules import file_faults
from annotator.mining.generated_code.files import Skipped, SourceFile, Tree, source_files
from annotator.mining.generated_code.languages import parse
from annotator.mining.generated_code.phrases import TRACE, Mention, mentions
from annotator.mining.generated_code.syntax import Comment, Parsed

_SENTENCE_END = re.compile(r"\.\s|\s@|\s:param|\.$")


@dataclass(frozen=True, slots=True)
class Found:
    """A function or class whose author says that a model wrote it.

    Lines are 1-based and inclusive. ``how`` is how the comment was attributed; where a person has to do that
    ("manual"), there is no name and no code. ``summary`` is the first sentence of what its own comment says it does.
    ``imports`` maps the file's local names to what they stand for; ``file_faults`` say why the file is not hand-kept.
    """

    tree: Tree
    path: str
    language: str
    name: str
    kind: str
    start: int
    end: int
    code: str
    comment: Comment
    mention: Mention
    strict: bool
    how: How
    licence: str
    summary: str
    imports: tuple[tuple[str, str], ...]
    file_faults: tuple[tuple[str, str], ...]
    stars: int = 0


def scan(paths: Sequence[Path], progress: Progress | None = None, *, strict: bool = False) -> Iterator[Found | Skipped]:
    """Yield what is found in folders, archives and files, each function once, and the files that were skipped.

    Raises `BadInputError` for a path that is not there or a damaged archive.
    """
    progress = progress or Progress()
    seen = 0
    for path in paths:
        for item in source_files(path):
            seen += 1
            progress.report(seen, text=f"{seen:,} source files of {path.name}")
            if isinstance(item, Skipped):
                yield item
            elif TRACE.search(item.data):
                yield from scan_file(item, strict=strict)


def scan_file(file: SourceFile, *, strict: bool = False) -> Iterator[Found | Skipped]:
    """Yield what one file holds; a function that several comments speak of is found once, with the first of them."""
    try:
        text = file.data.decode("utf-8-sig")
    except UnicodeDecodeError:
        yield Skipped(file.path, "not UTF-8")
        return
    if "\0" in text:
        yield Skipped(file.path, "not text")
        return
    parsed = parse(text, file.language, file.path)
    licence = licences.header(text) or file.licence
    faults = tuple(file_faults(file.path, text))
    given: set[tuple[int, int]] = set()
    for comment in parsed.comments:
        hits = mentions(comment.text, strict=strict)
        if not hits:
            continue
        # A comment is negated only if all it says is.
        hit = next((item for item in hits if not item.negated), hits[0])
        found = attribute(comment, parsed, file.language, text)
        nobody = Found(
            tree=file.tree,
            path=file.path,
            language=file.language,
            name="",
            kind="",
            start=comment.start,
            end=comment.end,
            code="",
            comment=comment,
            mention=hit,
            strict=bool(mentions(comment.text, strict=True)),
            how=found.how,
            licence=licence,
            summary="",
            imports=parsed.imports,
            file_faults=faults,
        )
        if not found.definitions:
            yield nobody
        for item in found.definitions:
            if (item.start, item.end) not in given:
                given.add((item.start, item.end))
                summary = _summary(item.name, item.start, parsed)
                yield replace(
                    nobody,
                    name=item.name,
                    kind=item.kind,
                    start=item.start,
                    end=item.end,
                    code=item.code,
                    summary=summary,
                )


def _summary(name: str, start: int, parsed: Parsed) -> str:
    """Return a sentence on what a definition does: from a comment near its head, else its name in words."""
    above = [item for item in reversed(parsed.comments) if start - 3 <= item.end < start]
    below = [item for item in parsed.comments if start <= item.start <= start + 3]
    for comment in (*above, *below):
        sentence = _SENTENCE_END.split(comment.text, maxsplit=1)[0].strip()
        if len(sentence.split()) >= 4 and not mentions(sentence):
            return sentence
    return " ".join(name_words(name))
