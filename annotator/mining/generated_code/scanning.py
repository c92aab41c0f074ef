"""Find code whose comments say that a model wrote it, and the functions that these comments refer to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Literal

from annotator.jobs.progress import Progress
from annotator.mining import licences
from annotator.mining.generated_code.code_languages import parse_source_code
from annotator.mining.generated_code.definitions_of_code import definitions_of_code, imports_of_code
from annotator.mining.generated_code.duplicates import name_words
from annotator.mining.generated_code.model_mentions import TRACE, Mention, find_mentions
from annotator.mining.generated_code.parsed_source import CodeComment, Data, Definition, Parsed
from annotator.mining.generated_code.source_files import CodeFile, CodeTree, SkippedCodeFile, source_files
from annotator.mining.generated_code.standing_alone import uncredited_text

_SENTENCE_END = re.compile(r"(?<!\.)\.\)?(?:\s|$)")
_TAGS = re.compile(r"(?:^|\s)(?:@|:param\b)")
_DESCRIPTION_TAGS = (["@brief"], ["@desc"], ["@description"], ["@summary"])


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeMatch:
    """A function or class whose author says that a model wrote it.

    Lines are 1-based and inclusive. ``how`` says how the comment was attributed; if it refers to data, or a person has
    to decide ("manual"), there is no code, and the lines are the comment's. ``summary`` is the first sentence of the
    function's own comment. ``imports`` are pairs of the file's local names and their origins, ``head`` has the imports,
    functions and constants of the file that the code uses, and ``file_faults`` say why the file is not hand-written.
    """

    tree: CodeTree
    path: str
    language: str
    name: str
    kind: str
    start: int
    end: int
    code: str
    comment: CodeComment
    mention: Mention
    strict: bool
    how: How
    licence: str
    summary: str
    imports: tuple[tuple[str, str], ...]
    file_faults: tuple[tuple[str, str], ...]
    stars: int = 0
    head: str = ""


def scan_paths(
    paths: Sequence[Path], progress: Progress | None = None, *, strict: bool = False
) -> Iterator[CodeMatch | SkippedCodeFile]:
    """Yield the matches in folders, archives and files, each function once, and the skipped files.

    Raises `BadInputError` for a missing path or a damaged archive.
    """
    progress = progress or Progress()
    file_count = 0
    for path in paths:
        for item in source_files(path):
            file_count += 1
            progress.report(file_count, text=f"{file_count:,} source files of {path.name}")
            if isinstance(item, SkippedCodeFile):
                yield item
            elif TRACE.search(item.data):
                yield from scan_file(item, strict=strict)


def scan_file(file: CodeFile, *, strict: bool = False) -> Iterator[CodeMatch | SkippedCodeFile]:
    """Yield the matches of one file; a function with several such comments is yielded once, with the first."""
    try:
        text = file.data.decode("utf-8-sig")
    except UnicodeDecodeError:
        yield SkippedCodeFile(file.path, "not UTF-8")
        return
    if "\0" in text:
        yield SkippedCodeFile(file.path, "not text")
        return
    parsed = parse_source_code(text, file.language, file.path)
    licence = licences.licence_header(text) or file.licence
    faults = tuple(file_faults(file.path, text))
    reported_lines: set[tuple[int, int]] = set()
    for comment in parsed.comments:
        mentions_found = find_mentions(comment.text, strict=strict)
        if not mentions_found:
            continue
        # A comment counts as negated only if all its mentions are.
        mention = next((item for item in mentions_found if not item.negated), mentions_found[0])
        attribution = attribute_comment(comment, parsed, file.language, text)
        template = CodeMatch(
            tree=file.tree,
            path=file.path,
            language=file.language,
            name=attribution.data,
            kind="",
            start=comment.start,
            end=comment.end,
            code="",
            comment=comment,
            mention=mention,
            strict=bool(find_mentions(comment.text, strict=True)),
            how=attribution.how,
            licence=licence,
            summary="",
            imports=parsed.imports,
            file_faults=faults,
        )
        if not attribution.definitions:
            yield template
        for item in attribution.definitions:
            if (item.start, item.end) not in reported_lines:
                reported_lines.add((item.start, item.end))
                summary = _summary(item.name, item.start, parsed, text)
                yield replace(
                    template,
                    name=item.name,
                    kind=item.kind,
                    start=item.start,
                    end=item.end,
                    code=item.code,
                    summary=summary,
                    head=_needed_header(text, item, file.language),
                )


def _needed_header(text: str, item: Definition, language: str) -> str:
    """Return the imports and, except for methods outside Java, the definitions of a file that a definition needs."""
    is_beside_them = language == "java" or not item.outer
    needed = definitions_of_code(text, item.code, language) if is_beside_them else ""
    imports = imports_of_code(text, f"{needed}\n{item.code}", language)
    return f"{imports}\n\n{needed}" if imports and needed else imports or needed


def _summary(name: str, start: int, parsed: Parsed, text: str) -> str:
    """Return a sentence on what a definition does: from a comment above it or its docstring, else its name in words.

    The credits to a model are removed first, and the description ends at the first tag (@param), @brief aside. Other
    comments inside the definition are about single lines, so they are not used.
    """
    above = [item for item in reversed(parsed.comments) if start - 3 <= item.end < start]
    below = [item for item in parsed.comments if start <= item.start <= start + 3 and item.place == "docstring"]
    for comment in (*above, *below):
        words = uncredited_text(text.split("\n")[comment.start - 1 : comment.end]).split()
        description = _TAGS.split(" ".join(words[words[:1] in _DESCRIPTION_TAGS :]), maxsplit=1)[0]
        sentences = (item.strip() for item in _SENTENCE_END.split(description))
        sentence = next((item for item in sentences if any(map(str.isalnum, item))), "")
        if len(sentence.split()) >= 4:
            return sentence
    return " ".join(name_words(name))


How = Literal["inside", "before", "file", "data", "manual"]
FILE_HEADER_LINES = 10
_MAX_DISTANCE = 200


@dataclass(frozen=True, slots=True)
class Attribution:
    """The target of a comment, and how it was decided: definitions, a ``data`` name, or neither."""

    how: How
    definitions: tuple[Definition, ...] = ()
    data: str = ""


def attribute_comment(comment: CodeComment, parsed: Parsed, language: str, text: str) -> Attribution:
    """Return the target of a comment in ``text``, by the syntax around it.

    A docstring refers to its definition. A comment at most one blank line before a definition, other comments aside,
    refers to that. On the line of a field or variable, within it or right above it, it refers to data. Elsewhere inside
    a definition it refers to the innermost one; in the first ten lines, to every top-level function of the file.
    Otherwise a person has to decide.
    """
    enclosing = [item for item in parsed.definitions if item.start <= comment.start and comment.end <= item.end]
    owner = _innermost(enclosing) if enclosing else None
    if comment.place != "docstring":
        first, last = (owner.start, owner.end) if owner is not None else (1, text.count("\n") + 1)
        if comment.place == "alone":
            following = _following_definition(comment, parsed, text.splitlines(), last)
            if following is not None:
                return Attribution("before", (following,))
        if owner is None or owner.kind == "class":
            within = [item for item in parsed.data if first <= item.start and item.end <= last]
            data = _data_of(comment, within, parsed)
            if data is not None:
                return Attribution("data", data=data.name)
    if owner is not None:
        return Attribution("inside", (owner,))
    if comment.start <= FILE_HEADER_LINES:
        functions = top_level_functions(parsed, language)
        if functions:
            return Attribution("file", functions)
    return Attribution("manual")


def _data_of(comment: CodeComment, variables: Sequence[Data], parsed: Parsed) -> Data | None:
    """Return the field or variable that a comment is in, after or right above, unless it contains definitions."""
    candidates = [item for item in variables if item.start <= comment.start and comment.end <= item.end]
    if comment.place == "alone":
        candidates += [item for item in variables if item.start == comment.end + 1]
    without_definitions = [
        item for item in candidates if not any(item.start <= inner.start <= item.end for inner in parsed.definitions)
    ]
    return max(without_definitions, key=lambda item: (item.start, -item.end), default=None)


def _innermost(definitions: Sequence[Definition]) -> Definition:
    return max(definitions, key=lambda item: (len(item.outer), item.start, -item.end))


def _following_definition(comment: CodeComment, parsed: Parsed, lines: Sequence[str], last: int) -> Definition | None:
    """Return the definition that begins after a comment, if nothing but a blank line and other comments is between."""
    commented = {line for item in parsed.comments for line in range(item.start, item.end + 1)}
    line, blank = comment.end, 0
    while line < last and line - comment.end < _MAX_DISTANCE:
        line += 1
        starting = [item for item in parsed.definitions if item.start == line and item.end <= last]
        if starting:
            return max(starting, key=lambda item: item.end)
        if line > len(lines) or (line not in commented and lines[line - 1].strip()):
            return None
        blank = 0 if line in commented else blank + 1
        if blank > 1:
            return None
    return None


def top_level_functions(parsed: Parsed, language: str) -> tuple[Definition, ...]:
    """Return the top-level functions of a file (in Java the methods of its classes), else its top-level classes."""
    methods = ("class",) if language == "java" else ()
    functions = tuple(item for item in parsed.definitions if item.kind == "function" and item.outer == methods)
    return functions or tuple(item for item in parsed.definitions if item.kind == "class" and not item.outer)


_TEST_FOLDERS = frozenset(("test", "tests", "__tests__", "spec", "specs", "e2e", "testing", "testdata", "__mocks__"))
_TEST_NAMES = (
    "test_*", "*_test.*", "*[._-]test.[jt]s", "*[._-]test.[jt]sx", "*[._-]test.[cm][jt]s", "*[._-]spec.[jt]s",
    "*[._-]spec.[jt]sx", "*[._-]spec.[cm][jt]s", "*Test.java", "*Tests.java", "*TestCase.java", "*IT.java",
    "conftest.py",
)  # fmt: skip
_VENDOR_FOLDERS = frozenset((
    "node_modules", "vendor", "vendored", "third_party", "third-party", "thirdparty", "3rdparty", "external", "extern",
    "bower_components", "site-packages", "dist-packages", "jspm_packages", "pods",
))  # fmt: skip
_BUILD_FOLDERS = frozenset(("dist", "build", "generated", "__generated__", ".next", "out"))
_GENERATED_NAMES = (
    "*_pb2.py", "*_pb2_grpc.py", "*.pb.cc", "*.pb.h", "*.g.[jt]s", "moc_*", "ui_*", "*.designer.*",
)  # fmt: skip
_GENERATED_MARKS = (
    "@generated", "do not edit", "do not modify", "autogenerated file", "auto-generated file",
    "autogenerated by the protocol", "auto-generated by the protocol",
)  # fmt: skip
_LONG_LINE = 2000


def file_faults(path: str, text: str) -> list[tuple[str, str]]:
    """Return why a file is not hand-written code of the repository: (rule, evidence) pairs, empty if it is."""
    pure = PurePosixPath(path)
    folders = [part.lower() for part in pure.parts[:-1]]
    faults = []
    for rule, names, patterns, name in (
        ("test code", _TEST_FOLDERS, _TEST_NAMES, pure.name),
        ("vendored code", _VENDOR_FOLDERS, (), pure.name),
        ("generated code", _BUILD_FOLDERS, _GENERATED_NAMES, pure.name.lower()),
    ):
        evidence = next((part for part in folders if part in names), "")
        if not evidence and any(fnmatchcase(name, pattern) for pattern in patterns):
            evidence = pure.name
        if evidence:
            faults.append((rule, evidence))
    start = text[:4000].lower()
    faults += [("generated code", mark) for mark in _GENERATED_MARKS if mark in start][:1]
    if ".min." in pure.name or any(len(line) > _LONG_LINE for line in text.splitlines()):
        faults.append(("minified code", pure.name))
    return faults
