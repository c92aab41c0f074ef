"""Code in languages without a parser here: definitions are found by how they are written, brackets are counted.

A body is put behind the prompt that opened it. Go refuses imports that are not used and code without those it uses, so
what the prompt imports goes with what uses it.
"""

from __future__ import annotations

import re

from annotator.answers.repairs import cleaned, readings
from annotator.answers.source import Part, Reader, Source, Wanted
from annotator.text.go_imports import name_of, read_imports, without_imports

_TEXTS = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`[^`]*`|//[^\n]*|/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_DECLARED = re.compile(r"\b(?:const|let|var|function|class|def|int|auto|double|bool|String)\s+([A-Za-z_$][\w$]*)")
_DEFINED = (
    r"\b(?:func|fn|function|def|sub|fun|proc)\s+(?:\([^)]*\)\s*)?(?:[\w<>]+(?:\.|::))?{name}(?=\W|$)",
    r"(?<![\w.]){name}\s*(?:<-|:=|=)\s*(?:async\s+)?(?:function\b|func\b|fn\b|lambda\b|proc\b|->|\\\(|\|)",
    r"^\s*(?:[\w<>\[\],:*&?.]+\s+)+{name}\s*(?:<[^>]*>)?\([^;]*?\)\s*(?:where[^{{]*)?(?:\{{|=>)",
    r"\b(?:class|struct|interface|enum|trait|type|module)\s+{name}\b",
    r"^\s*{name}\s*\(\)\s*\{{",
)
_SENTENCE = re.compile(r"^[A-Z][\w']*(?:,?\s+[\w',-]+){2,}.*[.:?!]$")
_HEADING = re.compile(r"^(?!(?:default|public|private|protected):)\w+:\s*$")
"""A word with a colon at the margin; further in it is a case or a label of code."""
_RUBY_OPENS = re.compile(
    r"^\s*(?:def|class|module|if|unless|while|until|case|begin|for)\b|\bdo\b[ \t]*(?:\|[^|\n]*\|)?[ \t]*$", re.MULTILINE
)
_USING = re.compile(r"^[ \t]*using\s[^;(){}]+;", re.MULTILINE)
_PROGRAMS = ("sql", "bash")
_CODE = re.compile(r"[;={}()]|\breturn\b|\bend\b")
_SQL = re.compile(r"^\s*(?:--[^\n]*\n\s*)*\(?\s*(?:select|with|insert|update|delete|create|alter|drop|merge|replace)\b",
                  re.IGNORECASE)  # fmt: skip


def read_plain(code: str, wanted: Wanted) -> Source | None:
    """Return code whose brackets are balanced; None for other text."""
    code, cleaning = cleaned(code)
    for text, reading in readings(code):
        if _balanced(text) and text.strip():
            kind = _kind(text, wanted)
            how = cleaning or reading
            return Source(
                code=text,
                parts=(_part(text),),
                kind="whole" if kind else "",
                functions=(),
                body=" ".join(text.split()),
                repaired=how,
            )
    return None


def find_plain(text: str, wanted: Wanted) -> list[Source]:
    """Return the code in a text of prose and code: from a line that defines the entry point to where it closes."""
    if wanted.language == "sql":
        return _queries(text, wanted)
    lines = text.split("\n")
    for first, line in enumerate(lines):
        if not defines("\n".join(lines[first : first + 2]), wanted.entry) or wanted.entry not in line:
            continue
        start = first
        while start and not _is_sentence(lines[start - 1]):
            start -= 1
        for last in range(first, len(lines)):
            source = read_plain("\n".join(lines[start : last + 1]), wanted)
            if wanted.language == "ruby" and not _ended("\n".join(lines[start : last + 1])):
                continue
            closed = last > first or "}" in line or line.rstrip().endswith(("end", ")"))
            if source is not None and source.kind and closed and lines[last].strip():
                return [source]
    return []


def _queries(text: str, wanted: Wanted) -> list[Source]:
    """Return the statements of SQL in a text: a paragraph that begins as one does."""
    found = []
    for paragraph in re.split(r"\n\s*\n", text):
        if _SQL.match(paragraph):
            source = read_plain(paragraph, wanted)
            if source is not None:
                found.append(source)
    return found


def _kind(code: str, wanted: Wanted) -> bool:
    if wanted.language == "sql":
        return _SQL.match(code) is not None
    return defines(code, wanted.entry)


def defines(code: str, name: str) -> bool:
    """Tell whether code is written as a definition of a name, whether or not it parses."""
    return bool(name) and any(
        re.search(pattern.format(name=re.escape(name)), code, re.MULTILINE) for pattern in _DEFINED
    )


def _part(code: str) -> Part:
    names = {word for word in set(_WORD.findall(code)) if defines(code, word)}
    return Part(
        code=code,
        binds=frozenset(names),
        uses=frozenset(_WORD.findall(code)) - names,
        is_import=False,
        is_definition=bool(names),
    )


def _balanced(code: str) -> bool:
    plain = _TEXTS.sub("", code)
    return all(plain.count(left) == plain.count(right) for left, right in ("()", "[]", "{}"))


def _ended(code: str) -> bool:
    """Tell whether each block of Ruby has its ``end``."""
    return len(_RUBY_OPENS.findall(code)) == len(re.findall(r"^\s*end\b", code, re.MULTILINE))


def free_words(test: str) -> frozenset[str]:
    """Return the words of tests that they do not declare."""
    return frozenset(_NAME.findall(test)) - frozenset(_DECLARED.findall(test))


def missing_words(source: Source, wanted: Wanted) -> set[str]:
    """Return the words that a program or its tests use and no part of it binds."""
    return (set(source.used) | set(wanted.names)) - set(source.bound) - {wanted.entry}


def _is_sentence(line: str) -> bool:
    return _SENTENCE.match(line.strip()) is not None or _HEADING.match(line) is not None


def has_sentences(text: str) -> bool:
    """Tell whether a line of a text is a sentence."""
    return any(_is_sentence(line) for line in text.split("\n"))


def without_sentences(text: str) -> str:
    """Return a text without the sentences that it begins and ends with."""
    lines = text.strip().split("\n")
    while len(lines) > 1 and (not lines[0].strip() or _is_sentence(lines[0])):
        lines.pop(0)
    while len(lines) > 1 and (not lines[-1].strip() or _is_sentence(lines[-1])):
        lines.pop()
    return "\n".join(lines)


def declares(code: str, name: str) -> bool:
    """Tell whether code declares a name anywhere, in a function too."""
    return re.search(rf"[\w>\]][\s*&]+{re.escape(name)}\s*(?:[=;:{{\[,)]|\bof\b|\bin\b)", code) is not None


def owner_of(tests: str, entry: str) -> str:
    """Return the class whose method tests call, by its name or on an object of it; empty for none."""
    called = re.findall(rf"\b([A-Z]\w*)\s*\.\s*{re.escape(entry)}\s*\(", tests)
    called += re.findall(rf"\bnew\s+([A-Z]\w*)\s*\([^()]*\)\s*\.\s*{re.escape(entry)}\s*\(", tests)
    for name, variable in re.findall(r"\b([A-Z]\w*)\s+(\w+)\s*=\s*new\s+\1\s*\(", tests):
        called += [name] if re.search(rf"\b{re.escape(variable)}\s*\.\s*{re.escape(entry)}\s*\(", tests) else []
    return called[0] if called else ""


def is_program(language: str) -> bool:
    """Tell whether answers in a language are whole programs, all of which count."""
    return language in _PROGRAMS


def continue_plain(prompt: str, text: str, wanted: Wanted) -> str | None:
    """Return the prompt with a body that goes on from it, up to where that closes; None where it opens none."""
    if not defines(prompt, wanted.entry) or has_sentences(text) or not _CODE.search(text):
        return None
    head, body = prompt.rstrip(), text.strip("\n").rstrip()
    if wanted.language != "ruby" and defines(body, wanted.entry):
        # It says the prompt again: what stands around the function is left to the tests to close, as in the prompt.
        left = _depth(body)
        return _with_imports(close(body), wanted) + "\n" if 0 < left < _depth(head) else None
    closed = _closed_in_ruby(head, body) if wanted.language == "ruby" else _closed(head, body)
    return None if closed is None else _with_imports(f"{head}\n{closed}\n", wanted)


def close(code: str) -> str:
    """Return code with the braces that it leaves open closed."""
    return code.rstrip() + "\n}" * _depth(code)


def _closed(head: str, body: str) -> str | None:
    """Return a body up to where it closes the braces that its head leaves open; None for a head that leaves none."""
    depth = _depth(head)
    if depth <= 0:
        return None
    for at, letter in enumerate(_blank(body)):
        depth += (letter == "{") - (letter == "}")
        if letter == "}" and depth <= 0:
            return body[: at + 1]
    return body + "\n}" * depth


def _closed_in_ruby(head: str, body: str) -> str | None:
    if _ended(head):
        return None
    lines = body.split("\n")
    for last in range(1, len(lines) + 1):
        if _ended("\n".join([head, *lines[:last]])):
            return "\n".join(lines[:last])
    return f"{body}\nend"


def _depth(code: str) -> int:
    plain = _blank(code)
    return plain.count("{") - plain.count("}")


def _blank(code: str) -> str:
    """Return code as long as it is, with nothing in its texts and comments."""
    return _TEXTS.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), code)


def _fitted(code: str, _: Source, wanted: Wanted) -> tuple[str, list[str]]:
    """Return a program with what it imports only in the prompt, and what its tests call where they look for it."""
    whole = _with_imports(code, wanted)
    notes = ["with imports from the prompt"] if whole != code else []
    fit = _FITS.get(wanted.language)
    if fit is not None and wanted.entry:
        fitted, note = fit(whole, wanted)
        return fitted, [*notes, note] if note else notes
    return whole, notes


def _fitted_rust(code: str, wanted: Wanted) -> tuple[str, str]:
    """Return Rust in which a function of a type can be called by its name alone."""
    found = _type_of_function(code, wanted)
    if found is None:
        return code, ""
    name, head, given = found
    return code + _FORWARD.format(
        name=name, entry=wanted.entry, head=head, given=given
    ), f"called as a function of {name}"


def _fitted_php(code: str, wanted: Wanted) -> tuple[str, str]:
    """Return PHP in which a method of a class, or a variable's function, can be called as a function."""
    entry = wanted.entry
    if re.search(rf"^\${re.escape(entry)}\s*=\s*(?:static\s+)?(?:function|fn)\b", code, re.MULTILINE):
        kept = f"$GLOBALS['{entry}'] = ${entry};"
        called = f"function {entry}(...$given) {{ return $GLOBALS['{entry}'](...$given); }}"
        return _without_end(code) + f"\n\n{kept}\n{called}\n", f"called as the function in ${entry}"
    name = _class_around(code, rf"\bfunction\s+{re.escape(entry)}\s*\(", r"^(?:final\s+|abstract\s+)?class\s+(\w+)")
    if not name or name in wanted.names:
        return code, ""
    called = f"function {entry}(...$given) {{ return (new {name}())->{entry}(...$given); }}"
    return _without_end(code) + f"\n\n{called}\n", f"called as a method of {name}"


def _without_end(code: str) -> str:
    return re.sub(r"\?>\s*\Z", "", code).rstrip()


def _fitted_ruby(code: str, wanted: Wanted) -> tuple[str, str]:
    """Return Ruby in which a method of a class or a module, or a lambda, can be called as a function."""
    entry = re.escape(wanted.entry)
    if re.search(rf"^{entry}\s*=\s*(?:->|lambda\b|proc\b|Proc\.new\b)", code, re.MULTILINE):
        defined = f"self.class.define_method(:{wanted.entry}, &{wanted.entry})"
        return f"{code.rstrip()}\n\n{defined}\n", "called as a method that is the lambda"
    name = _class_around(code, rf"^\s+def\s+(?:self\.)?{entry}(?![\w?!])", r"^(?:class|module)\s+([A-Z]\w*)")
    if not name or name in wanted.names or re.search(rf"^def\s+{entry}(?![\w?!])", code, re.MULTILINE):
        return code, ""
    own = re.search(rf"^module\s+{name}\b|\bdef\s+self\.{entry}(?![\w?!])|^\s*class\s*<<\s*self", code, re.MULTILINE)
    called = name if own else f"{name}.new"
    return (
        code.rstrip() + f"\n\ndef {wanted.entry}(...)\n  {called}.{wanted.entry}(...)\nend\n",
        f"called as a method of {name}",
    )


def _fitted_csharp(code: str, wanted: Wanted) -> tuple[str, str]:
    """Return C# in the class that the tests name, whatever namespace it is in."""
    notes = []
    name = _class_around(code, rf"\b{re.escape(wanted.entry)}\s*(?:<\w+>)?\s*\(", r"\bclass\s+(\w+)")
    if wanted.owner and name and not re.search(rf"\bclass\s+{re.escape(wanted.owner)}\b", code):
        code = re.sub(rf"(?<![\w.]){re.escape(name)}(?!\w)", wanted.owner, code)
        notes.append(f"class {name} named {wanted.owner}")
    shown = "\n".join(wanted.shown)
    spaces = [
        space
        for space in _SPACE.findall(_blank(code))
        if space not in shown and space.split(".")[0] not in wanted.names
    ]
    if spaces:
        code = _without_space(code) or "".join(f"using {space};\n" for space in dict.fromkeys(spaces)) + code
        notes.append(f"taken from namespace {spaces[0]}")
    return code, "; ".join(notes)


def _without_space(code: str) -> str:
    """Return C# without the one namespace that all of it stands in; empty where that is not so."""
    plain = _blank(code)
    found = list(_SPACE.finditer(plain))
    end = plain.rstrip().rfind("}")
    inside = plain[found[0].end() : end] if len(found) == 1 and plain.rstrip().endswith("}") else "}"
    depth = 0
    for sign in re.findall(r"[{}]", inside):
        depth += 1 if sign == "{" else -1
        if depth < 0:
            return ""
    return code[: found[0].start()] + code[found[0].end() : end].strip("\n") + "\n"


def _class_around(code: str, method: str, opening: str) -> str:
    """Return the class, as its opening line names it, that stands last before a method; empty for none."""
    plain = _blank(code)
    found = re.search(method, plain, re.MULTILINE)
    names = re.findall(opening, plain[: found.start()], re.MULTILINE) if found is not None else []
    return str(names[-1]) if names else ""


_SPACE = re.compile(r"^[ \t]*namespace\s+([\w.]+)\s*\{", re.MULTILINE)
_FITS = {"rust": _fitted_rust, "php": _fitted_php, "ruby": _fitted_ruby, "c#": _fitted_csharp}
_FORWARD = "\n#[allow(dead_code)]\nfn {entry}{head} {{ {name}::{entry}({given}) }}\n"


def _type_of_function(code: str, wanted: Wanted) -> tuple[str, str, str] | None:
    """Return the Rust type that alone has the entry point as a function, what follows the function's name in its head,
    and what it is given; None for none."""
    plain, entry = _blank(code), re.escape(wanted.entry)
    if re.search(rf"^(?:pub\s+)?fn\s+{entry}\b", plain, re.MULTILINE):
        return None
    around = re.search(
        rf"^impl\s+([A-Z]\w*)\s*\{{(?:(?!^\}}).)*?\bfn\s+{entry}\s*(?=[(<])", plain, re.MULTILINE | re.DOTALL
    )
    if around is None or around[1] in wanted.names:
        return None
    head = re.match(r"\s*(<[^(){}]*>)?\(([^(){}]*(?:\([^(){}]*\)[^(){}]*)*)\)[^{};]*", plain[around.end() :])
    if head is None or "self" in head[2]:
        return None
    given = re.findall(r"(?:^|,)\s*(?:mut\s+)?([a-z_]\w*)\s*:(?!:)", re.sub(r"<[^<>]*>|\([^()]*\)", "", head[2]))
    return around[1], re.sub(r"([(,]\s*)mut\s+", r"\1", head[0].strip()), ", ".join(given)


def _with_imports(code: str, wanted: Wanted) -> str:
    """Return code in Go with what the prompt imports as far as the code uses it, in C# with all of it; other code as
    it is."""
    if wanted.language == "c#":
        lines = [line.strip() for text in wanted.shown for line in _USING.findall(text)]
        return "".join(f"{line}\n" for line in dict.fromkeys(lines) if line not in code) + code
    if wanted.language != "go":
        return code
    shown, own = read_imports(*wanted.shown), read_imports(code)
    rest = without_imports(code)
    plain = _blank(rest)
    used = {item for item in (*shown, *own) if _uses_package(plain, name_of(item))}
    kept = tuple(item for item in own if item in used or item not in shown)
    kept += tuple(item for item in shown if item in used and item not in kept)
    if kept == own:
        return code
    package = re.match(r"\s*package[ \t]+\w+[^\n]*\n", rest)
    at = package.end() if package else 0
    return rest[:at] + "".join(f"import {item}\n" for item in kept) + rest[at:]


def _uses_package(plain: str, name: str) -> bool:
    return name in ("_", ".") or re.search(rf"(?<![\w.]){re.escape(name)}\.", plain) is not None


PLAIN = Reader(
    parses=False,
    read=read_plain,
    find=find_plain,
    free_names=free_words,
    missing=missing_words,
    fit=_fitted,
    go_on=continue_plain,
)
"""Reads languages without a parser here."""
