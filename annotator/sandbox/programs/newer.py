"""What code and tests use that came after the tools of the images: there they fail, right or wrong."""

from __future__ import annotations

import re
from typing import NamedTuple

from annotator.sandbox.programs.source_text import mask


class Later(NamedTuple):
    """Something a language got later: its name, how text looks that uses it, and what the tools say of it there."""

    name: str
    text: str
    said: str = ""


_MISSING = "is not a function"
_UNKNOWN = r"No such file|not a member of|has not been declared|not declared|does not name"
_JAVASCRIPT = (
    Later("a later method of arrays", r"\.to(?:Sorted|Reversed|Spliced)\s*\(|\.with\s*\(\s*-?\w+\s*,", _MISSING),
    Later("groupBy", r"\b(?:Object|Map)\.groupBy\s*\(", _MISSING),
    Later("Array.fromAsync", r"\bArray\.fromAsync\s*\(", _MISSING),
    Later("Promise.withResolvers", r"\bPromise\.(?:withResolvers|try)\s*\(", _MISSING),
    Later("isWellFormed", r"\.(?:is|to)WellFormed\s*\(", _MISSING),
    Later(
        "operations of sets",
        r"\bnew Set\b",
        r"\.(?:union|intersection|(?:symmetricD|d)ifference|is(?:Subset|Superset|Disjoint)\w+) is not a function",
    ),
    Later(
        "operations of iterators",
        r"\.(?:values|keys|entries)\(",
        r"(?:values|keys|entries)\(.*\)\.\w+ is not a function",
    ),
    Later("RegExp.escape", r"\bRegExp\.escape\s*\(", _MISSING),
)
_LATER: dict[str, tuple[Later, ...]] = {
    "python": (
        Later(
            "quotes inside an f-string",
            r"""\b[rR]?[fF][rR]?(["'])(?:(?!\1)[^{\n]){0,300}\{(?:(?!\1)[^}\n]){0,300}\1[^}\n]{0,300}\}""",
            r"SyntaxError: (?:f-string|unterminated string|invalid syntax)",
        ),
        Later(
            "a type parameter",
            r"^\s*(?:async\s+)?(?:def|class)\s+\w+\[",
            r"SyntaxError: (?:expected '\('|invalid syntax)",
        ),
        Later("a type statement", r"^\s*type\s+\w+(?:\[.*\])?\s*=", "SyntaxError: invalid syntax"),
        Later("a t-string", r"""\b[rR]?t[rR]?["']""", "SyntaxError: invalid syntax"),
        Later(
            "a newer part of the library",
            "^",
            r"cannot import name '(?:batched|override|TypeAliasType|ReadOnly|TypeIs|sumprod|deprecated)' from"
            r" '(?:itertools|typing|math|warnings)'|module 'itertools' has no attribute 'batched'"
            r"|module 'math' has no attribute 'sumprod'"
            r"|module 'typing' has no attribute '(?:override|TypeAliasType|ReadOnly|TypeIs)'"
            r"|module 'copy' has no attribute 'replace'|'(?:Posix)?Path' object has no attribute 'walk'",
        ),
    ),
    "javascript": _JAVASCRIPT,
    "typescript": (
        *_JAVASCRIPT,
        Later("a const type parameter", r"<\s*const\s+\w", r"\[ERROR\]"),
        Later("using", r"^\s*(?:await\s+)?using\s+\w+\s*=", r"\[ERROR\]"),
    ),
    "java": (
        Later(
            "a pattern in a switch",
            r"\bcase\s+(?:[A-Z][\w.<>?, ]*\s+\w+\s*(?:->|:|when\b|&&)|null\b)",
            "preview feature|constant expression required|expected",
        ),
        Later("a record pattern", r"\b(?:instanceof|case)\s+[A-Z][\w.]*(?:<[^()<>]*>)?\s*\(", "expected|illegal start"),
        Later(
            "a sequenced collection",
            r"\.(?:(?:get|remove|add)(?:First|Last)|reversed)\s*\(|\bSequenced\w+\b",
            r"symbol:\s+(?:method (?:(?:get|remove|add)(?:First|Last)|reversed)\(|class Sequenced)",
        ),
        Later(
            "a virtual thread",
            r"\b(?:newVirtualThreadPerTaskExecutor|(?:start|of)Virtual\w*|StructuredTaskScope|ScopedValue)\b",
            r"symbol:\s+\w+ (?:newVirtual|startVirtual|ofVirtual|Structured|Scoped)",
        ),
        Later("an unnamed variable", r"\b_\s*(?:->|[,):=])", "'_' is a keyword|underscore"),
        Later(
            "a main without a class",
            r"^\s*(?:static\s+)?void\s+main\s*\(",
            "class, interface, enum, or record expected",
        ),
        Later("a newer part of the library", r"\bMath\.clamp\b|\bGatherers\b", r"symbol:\s+\w+ (?:clamp|Gatherers)"),
    ),
    "c++": (
        Later("std::format", r"\b(?:v?format(?:_to)?|formatter)\b", _UNKNOWN),
        Later("std::print", r"\bprint(?:ln)?\b", r"print: No such file|println?\W+ is not a member of"),
        Later(
            "a newer view",
            r"\b(?:zip|enumerate|chunk|slide|stride|adjacent|pairwise|cartesian_product|join_with|to|fold_left|repeat|concat)\b",
            r"not a member of \W*std::(?:ranges|views)",
        ),
        Later(
            "a newer header",
            r"#\s*include\s*<(?:generator|mdspan|flat_map|flat_set|stdfloat|inplace_vector|text_encoding|debugging)>",
            "No such file",
        ),
        Later("an object parameter", r"\(\s*this\s+(?:const\s+)?\w+", "error"),
    ),
    "c": (Later("C23", r"\b(?:nullptr|constexpr|typeof_unqual)\b|#\s*embed\b", "error"),),
    "go": (Later("a newer Go", "^", r"requires go1\.\d+ or later"),),
    "php": (
        Later(
            "a newer function",
            "^",
            r"undefined function (?:array_(?:find|find_key|any|all|first|last)|json_validate|str_(?:in|de)crement"
            r"|mb_(?:[lr]?trim|[ul]cfirst|str_pad))\(",
        ),
        Later("a typed constant", r"\bconst\s+\??[A-Za-z_|]+\s+\w+\s*=", 'expecting "="'),
        Later("a property hook", r"\$\w+\s*(?:=[^;{}]{0,99})?\{\s*(?:get|set)\b", r'unexpected token "\{"'),
        Later("asymmetric visibility", r"\b(?:private|protected)\(set\)", "unexpected"),
        Later("new without parentheses", r"\bnew\s+\w+\([^()]{0,99}\)\s*->", 'unexpected token "->"'),
    ),
    "ruby": (
        Later("Data", r"\bData\.define\b", r"uninitialized constant (?:\w+::)?Data\b|undefined method .define."),
        Later("the parameter it", r"\bit\b", "undefined local variable or method .it'"),
    ),
    "r": (Later("%||%", r"%\|\|%", r'could not find function "%\|\|%"'),),
    "sql": (
        Later(
            "a newer function",
            "^",
            "no such function: (?i:concat|concat_ws|string_agg|octet_length|timediff|median|if|unistr)$",
        ),
    ),
}
_TYPE = r"[A-Za-z_][\w.]{0,99}(?:<[^(){};]{0,99}>)?(?:\[\])?"
"""A type of C#."""
_ABSENT = "does not contain a definition|could not be found"
_CSHARP = (
    Later("a switch expression", r"[\w)\]]\s+switch\s*\{"),
    Later("a pattern", r"\bis\s+(?:not\b|[<>{(]|[^;{}&|?:]{0,99}\b(?:or|and)\b)"),
    Later("a pattern", r"\bcase\s[^:;{}]{0,99}\bwhen\b|\bcase\s+[A-Z][\w.<>]{0,99}\s+[a-z_]\w*\s*:"),
    Later("an index from the end", r"\[\s*\^|\.\.\s*\^"),
    Later("a range", r"\[[^\][;{}]{0,99}\.\.[^\][;{}]{0,99}\]"),
    Later("??=", r"\?\?="),
    Later("new without a type", r"(?:=>?|\breturn|[(?])\s*new\s*\("),
    Later("a collection expression", r"(?:=|=>|\breturn|[(,])\s*\[(?!\s*(?:assembly|module)\b)[^\]]{0,99}\]\s*[;,)]"),
    Later("a using declaration", r"\busing\s+(?:var|[A-Z][\w.<>]{0,99})\s+\w+\s*=[^;(]{0,99}[\w)(][^;]{0,99};"),
    Later("a deconstruction", r"\bforeach\s*\(\s*(?:var\s*)?\("),
    Later("a static lambda", r"(?:=>|[=(,])\s*static\s+(?:\w+|\([^()]{0,99}\))\s*=>"),
    Later("a lambda's own type", r"\bvar\s+\w+\s*=\s*(?:\([^()]{0,99}\)|\w+)\s*=>"),
    Later("a discard", r"\(\s*_\s*,\s*_\s*\)\s*=>"),
    Later(
        "a nullable reference", r"\b(?:string|object|dynamic|[A-Z]\w*(?:<[^(){};]{0,99}>)?|\w+\[\])\?\s+\w+\s*[;=,)({]"
    ),
    Later("a nullable reference", r"[\w)\]]!\s*[.;,)\[]|^\s*#nullable\b"),
    Later("a record", r"\brecord\s+(?:struct\s+|class\s+)?[A-Z]\w*"),
    Later("init", r"\bget\s*;\s*(?:\w+\s+)?init\s*;"),
    Later("required", r"\brequired\s+\w"),
    Later("a readonly member", rf"\breadonly\s+{_TYPE}\s+\w+\s*(?:\(|\{{|=>)"),
    Later("a primary constructor", r"\b(?:class|struct)\s+\w+(?:<[^(){};]{0,99}>)?\s*\("),
    Later("a default member", r"\binterface\s+\w+[^{};]{0,99}\{(?:[^{}]{0,99};)?[^{};]{0,99}\)\s*(?:=>|\{)"),
    Later("notnull", r"\bwhere\s+\w+\s*:\s*notnull\b"),
    Later("a file type", r"^\s*file\s+(?:static\s+)?(?:class|struct|record|interface)\b"),
    Later("a global using", r"^\s*global\s+using\b"),
    Later("await foreach", r"\bawait\s+(?:foreach|using)\b|\bIAsyncEnumerable\b"),
    Later(
        "a newer part of .NET",
        r"\.(?:(?:Max|Min|Distinct|Union|Except|Intersect|Count|Aggregate)By|Chunk|Order(?:Descending)?)\s*[(<]",
        _ABSENT,
    ),
    Later(
        "a newer part of .NET",
        r"\b(?:PriorityQueue|DateOnly|TimeOnly|U?Int128|JsonSerializer|Frozen(?:Set|Dictionary))\b",
        _ABSENT,
    ),
    Later(
        "a newer part of .NET",
        r"\bCollectionsMarshal\b|\bRandom\.Shared\b|\.ThrowIf\w+\s*\(",
        _ABSENT,
    ),
)
_CSHARP_TEXT = (Later("a raw string", '"""'), Later('@$"', r'@\$"'))
"""What is seen in strings alone, which are blanked for the others."""
_FUNCTION = re.compile(
    rf"(?<=[;{{}}])\s*(?:(?:static|async)\s+)*(?!(?:new|else|return|await|throw|yield)\b){_TYPE}\??\s+\w+\s*"
    r"(?:<[^(){};]{0,99}>)?\s*\([^(){};]{0,99}\)\s*(?:where[^{};]{0,99})?(?:\{|=>)"
)
_BRACE = re.compile(r"[{}]")
_OF_TYPE = re.compile(r"\b(?:class|struct|interface|record|namespace|enum)\s+[^;{}]{0,200}$")


def newer(language: str, code: str, test: str, said: str) -> str:
    """Return what failing code and its test use that the tools are too old for, with commas; else an empty text.

    ``said`` is what the tools said. It is asked of failures alone: a look at the text cannot be exact.
    """
    texts = (code, test)
    if language != "c#":
        return _named(_LATER.get(language, ()), texts, said)
    masked = (mask(code, "c#"), mask(test, "c#"))
    local = "a local function" if any(map(_has_local_function, masked)) else ""
    return ", ".join(filter(None, (local, _named(_CSHARP_TEXT, texts, said), _named(_CSHARP, masked, said))))


def _named(table: tuple[Later, ...], texts: tuple[str, ...], said: str) -> str:
    names = (
        later.name
        for later in table
        if re.search(later.said, said, re.MULTILINE)
        and any(re.search(later.text, text, re.MULTILINE) for text in texts)
    )
    return ", ".join(dict.fromkeys(names))


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
