"""What code in C# uses that came after Mono's compiler and libraries, which stand still since C# 7."""

from __future__ import annotations

import re

from annotator.sandbox.programs.source_text import mask

_TYPE = r"[A-Za-z_][\w.]{0,99}(?:<[^(){};]{0,99}>)?(?:\[\])?"
_SYNTAX = (
    ("a switch expression", r"[\w)\]]\s+switch\s*\{"),
    ("a pattern", r"\bis\s+(?:not\b|[<>{(]|[^;{}&|?:]{0,99}\b(?:or|and)\b)"),
    ("a pattern", r"\bcase\s[^:;{}]{0,99}\bwhen\b|\bcase\s+[A-Z][\w.<>]{0,99}\s+[a-z_]\w*\s*:"),
    ("an index from the end", r"\[\s*\^|\.\.\s*\^"),
    ("a range", r"\[[^\][;{}]{0,99}\.\.[^\][;{}]{0,99}\]"),
    ("??=", r"\?\?="),
    ("new without a type", r"(?:=>?|\breturn|[(?])\s*new\s*\("),
    ("a collection expression", r"(?:=|=>|\breturn|[(,])\s*\[(?!\s*(?:assembly|module)\b)[^\]]{0,99}\]\s*[;,)]"),
    ("a using declaration", r"\busing\s+(?:var|[A-Z][\w.<>]{0,99})\s+\w+\s*=[^;(]{0,99}[\w)(][^;]{0,99};"),
    ("a deconstruction", r"\bforeach\s*\(\s*(?:var\s*)?\("),
    ("a static lambda", r"(?:=>|[=(,])\s*static\s+(?:\w+|\([^()]{0,99}\))\s*=>"),
    ("a lambda's own type", r"\bvar\s+\w+\s*=\s*(?:\([^()]{0,99}\)|\w+)\s*=>"),
    ("a discard", r"\(\s*_\s*,\s*_\s*\)\s*=>"),
    ("a nullable reference", r"\b(?:string|object|dynamic|[A-Z]\w*(?:<[^(){};]{0,99}>)?|\w+\[\])\?\s+\w+\s*[;=,)({]"),
    ("a nullable reference", r"[\w)\]]!\s*[.;,)\[]|^\s*#nullable\b"),
    ("a record", r"\brecord\s+(?:struct\s+|class\s+)?[A-Z]\w*"),
    ("init", r"\bget\s*;\s*(?:\w+\s+)?init\s*;"),
    ("required", r"\brequired\s+\w"),
    ("a readonly member", rf"\breadonly\s+{_TYPE}\s+\w+\s*(?:\(|\{{|=>)"),
    ("a primary constructor", r"\b(?:class|struct)\s+\w+(?:<[^(){};]{0,99}>)?\s*\("),
    ("a default member", r"\binterface\s+\w+[^{};]{0,99}\{(?:[^{}]{0,99};)?[^{};]{0,99}\)\s*(?:=>|\{)"),
    ("notnull", r"\bwhere\s+\w+\s*:\s*notnull\b"),
    ("a file type", r"^\s*file\s+(?:static\s+)?(?:class|struct|record|interface)\b"),
    ("a global using", r"^\s*global\s+using\b"),
    ("await foreach", r"\bawait\s+(?:foreach|using)\b|\bIAsyncEnumerable\b"),
    (
        "newer parts of .NET",
        r"\.(?:(?:Max|Min|Distinct|Union|Except|Intersect|Count|Aggregate)By|Chunk|Order(?:Descending)?)\s*[(<]",
    ),
    (
        "newer parts of .NET",
        r"\b(?:PriorityQueue|DateOnly|TimeOnly|U?Int128|JsonSerializer|Frozen(?:Set|Dictionary))\b",
    ),
    ("newer parts of .NET", r"\bCollectionsMarshal\b|\bRandom\.Shared\b|\.ThrowIf\w+\s*\("),
)
_TEXT = (("a raw string", '"""'), ('@$"', r'@\$"'))
"""What is seen in strings alone, which are blanked for the others."""
_FUNCTION = re.compile(
    rf"(?<=[;{{}}])\s*(?:(?:static|async)\s+)*(?!(?:new|else|return|await|throw|yield)\b){_TYPE}\??\s+\w+\s*"
    r"(?:<[^(){};]{0,99}>)?\s*\([^(){};]{0,99}\)\s*(?:where[^{};]{0,99})?(?:\{|=>)"
)
_BRACE = re.compile(r"[{}]")
_OF_TYPE = re.compile(r"\b(?:class|struct|interface|record|namespace|enum)\s+[^;{}]{0,200}$")


def newer_csharp(*texts: str) -> str:
    """Return what code and tests use that Mono's compiler does not know, with commas; an empty text if it is nothing.

    It is asked only about what did not compile: a look at the text cannot be exact.
    """
    masked = [mask(text, "c#") for text in texts]
    found = ["a local function"] if any(map(_has_local_function, masked)) else []
    for table, places in ((_TEXT, texts), (_SYNTAX, masked)):
        found += [name for name, pattern in table if any(re.search(pattern, text, re.MULTILINE) for text in places)]
    return ", ".join(dict.fromkeys(found))


def _has_local_function(masked: str) -> bool:
    """Tell whether a function stands in braces that are no type's."""
    open_braces: list[int] = []
    at = 0
    for found in _FUNCTION.finditer(masked):
        for brace in _BRACE.finditer(masked, at, found.start()):
            if brace[0] == "{":
                open_braces.append(brace.start())
            elif open_braces:
                open_braces.pop()
        at = found.start()
        if open_braces and _OF_TYPE.search(masked, max(0, open_braces[-1] - 500), open_braces[-1]) is None:
            return True
    return False
