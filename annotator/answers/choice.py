"""Choose the program that a response gives: from its blocks, put together, with what it needs.

What is particular to a language is asked of a `Reader`, which is given. So this module and those it imports need
Python alone, and what is exported scores answers with copies of them.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotator.answers import plain_source
from annotator.answers.announcements import demotion, is_example, is_final, is_recommended, leaves_out
from annotator.answers.fences import Block, indented_runs, prose_of, split_blocks, without_fences, without_tag_lines
from annotator.answers.found import Found
from annotator.answers.outcome import no_answer, spoken_text
from annotator.answers.reasoning import Spoken
from annotator.answers.refusals import declines
from annotator.answers.repairs import apply_diff, diff_in, is_diff, new_side
from annotator.answers.source import Part, Reader, Source, Wanted
from annotator.text.python_tree import UNREADABLE, read_tree

LONGEST = 400_000
_MOST_DEPTH = 4
_CUT_JSON = re.compile(r"\s*\{\s*\"\w+\"\s*:")
_CODE_SIGN = re.compile(r"[()=<>|$;/\\]|\s-{1,2}\w")
_FENCE = re.compile(r"^(?:```|~~~)", re.MULTILINE)
_DEFINING = ("whole", "method", "rebinding")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A source with the block it comes from (counted from 1, 0 for text outside blocks), and why it is set back."""

    source: Source
    number: int
    block: Block
    demoted: str = ""


def wanted_of(
    reader: Reader,
    language: str,
    entry_point: str,
    *,
    prompt: str = "",
    shown: Sequence[str] = (),
    tests: Sequence[str] = (),
) -> Wanted:
    """Return what an item wants: ``shown`` is code that its prompt shows, beside what stands in the prompt's fences."""
    language = language.lower()
    owner, _, entry = entry_point.rpartition(".")
    programs = [text for text in shown if text.strip()]
    blocks = [block.code for block in split_blocks(prompt) if block.code.strip()]
    # Without a parser, sentences would pass for a program.
    is_code = bool(prompt.strip()) and (reader.parses or _reads_as_program(prompt))
    if is_code and not blocks:
        # A prompt ends where the answer goes on: its imports and helpers are read as if it were whole.
        programs.append(prompt if language == "python" or not reader.parses else plain_source.close(prompt))
    programs += blocks
    names = frozenset().union(*(reader.free_names(test) for test in tests))
    if not owner and language in ("java", "c#") and entry:
        owner = plain_source.owner_of("\n".join(tests), entry)
    text = "\n".join([prompt, *shown])
    named = not text.strip() or not entry or re.search(rf"(?<!\w){re.escape(entry)}(?!\w)", text) is not None
    return Wanted(
        language=language,
        reader=reader,
        entry=entry,
        owner=owner,
        shown=tuple(dict.fromkeys(programs)),
        names=names,
        named=named,
    )


def choose_code(
    response: str, wanted: Wanted, *, finish_reason: str = "stop", prompt: str = "", continued: bool = False
) -> Found:
    """Return the program that a response gives, and why.

    ``prompt`` is code that the response may go on from; ``continued`` says that it was written by a model that does so.
    """
    said = spoken_text(response[:LONGEST])
    text = said.text
    if not text.strip():
        return no_answer(said, finish_reason, missing="code")
    if continued:
        whole = _continued(text, wanted, prompt)
        if whole is not None:
            return whole
    blocks, candidates = _blocks_of(text, wanted)
    defining = [one for one in candidates if one.source.kind in (*_DEFINING, "stub")]
    if not any(one.source.kind in _DEFINING for one in defining):
        outside = _from_prose(text, blocks, wanted)
        candidates += outside
        defining += [one for one in outside if one.source.kind in (*_DEFINING, "stub")]
    if not any(one.source.kind in _DEFINING for one in defining):
        found = _body(text, blocks, wanted, prompt)
        if found is not None:
            return found
    if defining:
        return _chosen(defining, candidates, blocks, wanted)
    return _undefined(said, text, blocks, candidates, wanted, finish_reason)


def choose_definition(response: str, wanted: Wanted) -> Found | None:
    """Return the whole program that a response gives; None where nothing in it defines the entry point."""
    text = spoken_text(response[:LONGEST]).text
    blocks, candidates = _blocks_of(text, wanted)
    defining = [one for one in candidates if one.source.kind in _DEFINING]
    if not defining:
        candidates += _from_prose(text, blocks, wanted)
        defining = [one for one in candidates if one.source.kind in _DEFINING]
    return _chosen(defining, candidates, blocks, wanted) if defining else None


def _blocks_of(text: str, wanted: Wanted) -> tuple[list[Block], list[_Candidate]]:
    whole = _is_whole(text, wanted)
    blocks = [] if whole else split_blocks(text, lambda code: wanted.reader.read(code, wanted) is not None)
    candidates = _candidates(text, blocks, wanted)
    _mark_tested(wanted, candidates)
    return blocks, candidates


def _is_whole(text: str, wanted: Wanted) -> bool:
    """Tell whether a text as it stands is the program: fences in it, as in a docstring, are the program's own."""
    if not wanted.reader.parses or (wanted.language != "python" and _FENCE.search(text)):
        # To JavaScript a fence is three texts.
        return False
    source = wanted.reader.read(text, wanted)
    return source is not None and source.kind in _DEFINING


def _found_in(text: str, wanted: Wanted) -> list[Source]:
    return wanted.reader.find(without_tag_lines(text), wanted)


# -- candidates --------------------------------------------------------------------------------------------------------


def _candidates(text: str, blocks: Sequence[Block], wanted: Wanted) -> list[_Candidate]:
    read = [wanted.reader.read(code, wanted) for code in wanted.shown]
    shown = {source.body for source in read if source is not None and source.body}
    found: list[_Candidate] = []
    for number, block in enumerate(blocks, start=1):
        why = demotion(block.intro, block.after) or demotion(_comment_before(block.code), "")
        if any(block.code.strip() in one.source.code for one in found):
            why = why or "repeats a part of what stands before it"
        elif leaves_out(block.code):
            why = why or "leaves out what stands elsewhere"
        for source in _sources(block, wanted, [*(one.source.code for one in reversed(found)), *wanted.shown]):
            if source.kind == "stub":
                found.append(_Candidate(source, number, block, "has no body"))
            elif source.body and source.body in shown:
                found.append(_Candidate(source, number, block, "is what the prompt shows"))
            else:
                found.append(_Candidate(source, number, block, why))
    if not blocks:
        found += [_Candidate(source, 0, Block(code=text)) for source in _unfenced(text, wanted)]
    return found


def _comment_before(code: str) -> str:
    """Return the comment that a block begins with, if it is one line."""
    lines = [line.strip() for line in code.strip().split("\n")[:2]]
    comments = [re.sub(r"^(?:#+|//+|--)\s*", "", line) for line in lines if re.match(r"#(?!!)|//|--", line)]
    return comments[0] if len(comments) == 1 and lines[0].endswith(comments[0]) else ""


def _unfenced(text: str, wanted: Wanted) -> list[Source]:
    """Return the code of a text without blocks: the whole of it, texts of a JSON object, or what stands in prose."""
    given = (
        _json_codes(text, wanted)
        or _json_codes(_object_in(text), wanted)
        or _applied(diff_in(text), wanted.shown, wanted)
    )
    if given:
        return given
    # Without a parser, sentences around code would pass for code.
    is_code = wanted.reader.parses or not plain_source.has_sentences(text)
    source = wanted.reader.read(text, wanted) if is_code else None
    if source is not None and (source.kind or (wanted.language == "python" and _tells(source))):
        return [source]
    found = [one for one in _found_in(text, wanted) if not _is_cut(text, one.code)]
    if any(one.kind for one in found):
        return found
    runs = [wanted.reader.read(run, wanted) for run in indented_runs(text)]
    return [run for run in runs if run is not None and run.kind] or found


def _is_cut(text: str, code: str) -> bool:
    """Tell whether a text breaks off in the statement behind code that was found in it."""
    start = text.find(code)
    rest = [line for line in text[start + len(code) :].split("\n") if line.strip()] if start >= 0 else []
    if not rest or not rest[0][0].isspace():
        return False
    margin = len(rest[0]) - len(rest[0].lstrip())
    return all(len(line) - len(line.lstrip()) > margin for line in rest[1:])


def _tells(source: Source) -> bool:
    """Tell whether code that parses is more than words that happen to."""
    return any(part.is_definition or part.is_import or part.binds for part in source.parts)


def _sources(block: Block, wanted: Wanted, bases: Sequence[str]) -> list[Source]:
    code = block.code
    if block.language == "json" or code.lstrip()[:1] in "{[":
        given = _json_codes(code, wanted)
        if given:
            return given
    if block.language == "diff" or (wanted.language not in ("bash", "sql") and is_diff(code)):
        return _applied(code, bases, wanted)
    source = wanted.reader.read(code, wanted)
    if source is not None:
        foreign = block.language not in ("", wanted.language) and not _same_family(block.language, wanted.language)
        return [] if foreign and source.kind not in _DEFINING else [source]
    found = [source for source in _found_in(code, wanted) if source.kind or block.language == wanted.language]
    return found if block.closed else [source for source in found if not _is_cut(code, source.code)]


def _applied(diff: str, bases: Sequence[str], wanted: Wanted) -> list[Source]:
    """Return what a diff makes of the first code to which it applies, or a program that it adds wholly."""
    applied = apply_diff(diff, bases)
    source = wanted.reader.read(applied if applied is not None else new_side(diff), wanted) if diff else None
    if source is not None and (applied is not None or source.kind in _DEFINING):
        return [replace(source, repaired="a diff, applied to the code shown")]
    return []


def _same_family(tag: str, language: str) -> bool:
    return {tag, language} <= {"javascript", "typescript"} or {tag, language} <= {"bash", "console"}


def _json_codes(text: str, wanted: Wanted) -> list[Source]:
    """Return the programs in the texts of a JSON value, those inside other JSON included."""
    value = _read_json(text)
    found = []
    for item in _texts(value):
        blocks = split_blocks(item) if "```" in item else []
        for code in [block.code for block in blocks] or [item]:
            source = wanted.reader.read(code, wanted)
            if source is not None and (source.kind in _DEFINING or (not wanted.entry and _is_program(source, wanted))):
                found.append(replace(source, repaired="a text in JSON"))
    return found


def _read_json(text: str) -> Any:
    """Return the value that a text is as JSON or as Python writes it; None for other text."""
    stripped = without_tag_lines(text).strip()
    if not stripped.startswith(("{", "[", '"', "'")):
        return None
    try:
        return json.loads(stripped, strict=False)
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(read_tree(stripped, "eval"))
    except (*UNREADABLE, TypeError):
        return None


def _object_in(text: str) -> str:
    """Return the JSON object that begins a line of a text; empty for none."""
    for mark in re.finditer(r"^[ \t]*(?=\{)", text, re.MULTILINE):
        try:
            _, end = json.JSONDecoder(strict=False).raw_decode(text, mark.end())
        except (ValueError, RecursionError):
            continue
        return text[mark.end() : end]
    return ""


def _is_program(source: Source, wanted: Wanted) -> bool:
    return _tells(source) or (plain_source.is_program(wanted.language) and _CODE_SIGN.search(source.code) is not None)


def _texts(value: Any, depth: int = 0) -> Iterable[str]:
    if isinstance(value, str):
        yield value
        if value.lstrip().startswith("{") and depth < _MOST_DEPTH:
            try:
                yield from _texts(json.loads(value, strict=False), depth + 1)
            except (ValueError, RecursionError):
                return
    elif isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        # The cell of a notebook holds its lines.
        yield "".join(value)
        yield "\n".join(value)
    elif isinstance(value, dict | list) and depth < 20:
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item, depth + 1)


def _from_prose(text: str, blocks: Sequence[Block], wanted: Wanted) -> list[_Candidate]:
    """Return code outside the blocks, looked for only where no block defines the entry point."""
    if not blocks or not wanted.entry:
        return []
    found = _found_in(prose_of(text), wanted) or _found_in(without_fences(text), wanted)
    cut = not blocks[-1].closed
    return [_Candidate(source, 0, Block(code=text)) for source in found
            if source.kind in _DEFINING and not (cut and _is_cut(text, source.code))]  # fmt: skip


def _mark_tested(wanted: Wanted, candidates: list[_Candidate]) -> None:
    """Count what defines a name that the tests use as defining the entry point, where the item names none."""
    if wanted.entry:
        return
    for at, one in enumerate(candidates):
        defined = {name for part in one.source.parts if part.is_definition for name in part.binds}
        called = bool(defined & wanted.names)
        if (called or (not wanted.names and defined)) and not one.source.kind:
            candidates[at] = replace(one, source=replace(one.source, kind="whole"))


# -- the choice --------------------------------------------------------------------------------------------------------


def _chosen(
    defining: Sequence[_Candidate], candidates: Sequence[_Candidate], blocks: Sequence[Block], wanted: Wanted
) -> Found:
    standing = [one for one in defining if not one.demoted]
    bodied = [one for one in defining if one.source.kind != "stub"]
    best = _recommended(standing) or (standing or bodied or list(defining))[-1]
    code, helped = _completed(best, candidates, wanted)
    code, notes = _fitted(code, best.source, wanted)
    what = f"it defines {wanted.entry}" if wanted.entry else "it defines what the tests use"
    place = f"block {best.number} of {len(blocks)}" if best.number else "the code in the text"
    how = f"took {place}: {what}"
    done = [best.source.repaired, *helped, *notes]
    left = _left_out(best, candidates, blocks, wanted)
    how += "".join(f"; {note}" for note in done if note) + (f"; left out: {left}" if left else "")
    return Found(code, how)


def _recommended(standing: Sequence[_Candidate]) -> _Candidate | None:
    """Return the last candidate that is recommended, unless one behind it is announced as a correction."""
    found = None
    for one in standing:
        if is_recommended(one.block.intro):
            found = one
        elif is_final(one.block.intro):
            found = None
    return found


def _left_out(best: _Candidate, candidates: Sequence[_Candidate], blocks: Sequence[Block], wanted: Wanted) -> str:
    reasons = []
    for number, block in enumerate(blocks, start=1):
        if number == best.number:
            continue
        mine = [one for one in candidates if one.number == number]
        defines = any(one.source.kind for one in mine)
        why = next((one.demoted for one in mine if one.demoted), "")
        if why and defines:
            reasons.append(f"block {number} ({why})")
        elif defines:
            reasons.append(f"block {number} (an earlier version)" if number < best.number else f"block {number}")
        elif not mine:
            reasons.append(f"block {number} ({block.language or 'no program'})")
        elif is_example(block.intro) or (wanted.entry and wanted.entry in block.code):
            reasons.append("usage example")
    return ", ".join(dict.fromkeys(reasons))


def _completed(best: _Candidate, candidates: Sequence[_Candidate], wanted: Wanted) -> tuple[str, list[str]]:
    """Return the chosen code with what it uses and only other blocks or the prompt define."""
    source = best.source
    others = [one for one in candidates if one is not best]
    earlier = [one for one in others if one.number <= best.number]
    later = [one for one in others if one.number > best.number]
    shown = [Source(code=code) if (read := wanted.reader.read(code, wanted)) is None else read for code in wanted.shown]
    code = source.code
    notes: list[str] = []
    merge = wanted.reader.merge
    for name in sorted(name for name in source.classes if merge is not None and _refers(name, wanted)):
        for one in reversed(earlier):
            merged = merge(code, one.source.code, name) if merge is not None else None
            if merged is not None and not one.demoted.startswith("is what"):
                code = merged
                notes.append(f"methods of {name} from block {one.number}")
    now = source if code == source.code else wanted.reader.read(code, wanted) or source
    needed = wanted.reader.missing(now, wanted)
    if source.kind == "rebinding":
        needed |= {wanted.entry}
    pool = [(f"block {one.number}", one.source) for one in (*reversed(earlier), *later)]
    pool += [("the prompt", item) for item in shown]
    picked: dict[str, list[Part]] = {}
    bound = set(source.bound) - ({wanted.entry} if source.kind == "rebinding" else set())
    for place, other in pool:
        parts = _picked(other, needed, bound, source, wanted)
        if parts:
            picked.setdefault(place, []).extend(parts)
    if not picked:
        return code, notes
    order = sorted(picked, key=lambda place: (place != "the prompt", place))
    added = [part for place in order for part in picked[place]]
    texts = [part.code for part in sorted(added, key=lambda part: not part.is_import)]
    notes.append("with imports or helpers from " + ", ".join(order))
    return _joined(list(dict.fromkeys(texts)), code, wanted.language), notes


def _refers(name: str, wanted: Wanted) -> bool:
    return name in wanted.names or name in (wanted.owner, wanted.entry) or name == "Solution"


def _picked(other: Source, needed: set[str], bound: set[str], chosen: Source, wanted: Wanted) -> list[Part]:
    """Return the parts of another source that are needed, and what these need in turn."""
    found: list[int] = []
    while True:
        more = [
            at
            for at, part in enumerate(other.parts)
            if at not in found and _serves(part, needed, bound, chosen, wanted)
        ]
        if not more:
            break
        for at in more:
            part = other.parts[at]
            found.append(at)
            needed |= set(part.uses) - bound
        bound |= {name for at in more for name in other.parts[at].binds}
        needed -= {name for at in more for name in other.parts[at].binds}
    return [other.parts[at] for at in sorted(found)]


def _serves(part: Part, needed: set[str], bound: set[str], chosen: Source, wanted: Wanted) -> bool:
    if wanted.entry and wanted.entry in part.binds and chosen.kind != "rebinding":
        return False
    if part.is_definition and wanted.language != "python" and plain_source.defines(part.code, wanted.entry):
        return False
    if part.is_import and wanted.language in ("java", "c++"):
        return part.code not in chosen.code and not part.code.startswith("package")
    if part.is_import and "__future__" in part.code:
        return part.code not in chosen.code
    if part.is_import and part.code.rstrip().endswith("import *"):
        return part.code not in chosen.code and bool(needed)
    if wanted.language != "python" and not (part.is_definition or part.is_import):
        local = any(plain_source.declares(chosen.code, name) for name in part.binds)
        return bool(part.binds & needed & chosen.used) and not part.binds & bound and not local
    return bool(part.binds & needed) and not (part.is_definition and part.binds & bound)


def _joined(texts: Sequence[str], code: str, language: str) -> str:
    if language == "python":
        future = [text for text in texts if "__future__" in text and text.startswith("from")]
        own = re.findall(r"^from __future__ import .*$", code, re.MULTILINE)
        if future or (own and texts):
            code = re.sub(r"^from __future__ import .*$\n?", "", code, flags=re.MULTILINE)
        rest = [text for text in texts if text not in future]
        texts = [*dict.fromkeys([*future, *(own if texts else ())]), *rest]
    return "\n".join(texts) + "\n\n" + code


def _fitted(code: str, source: Source, wanted: Wanted) -> tuple[str, list[str]]:
    """Return the program as the tests call it: without what only shows, under the name that is wanted."""
    notes: list[str] = []
    if wanted.reader.fit is not None:
        code, notes = wanted.reader.fit(code, source, wanted)
    return code.strip("\n"), notes


def _fitted_whole(code: str, wanted: Wanted) -> str:
    """Return a program that was put together with the prompt, as the tests call it."""
    source = wanted.reader.read(code, wanted)
    return (_fitted(code, source, wanted)[0] if source is not None else code).rstrip("\n")


# -- no block defines it -----------------------------------------------------------------------------------------------


def _continued(text: str, wanted: Wanted, prompt: str) -> Found | None:
    """Return the program of a model that goes on from the prompt; None if it wrote a whole program of its own."""
    lines = text.lstrip("\n").split("\n")
    if any(line.lstrip().startswith(("```", "~~~")) for line in lines[:3]):
        return None
    code = _go_on(prompt, text, wanted)
    how = "took the text as the continuation of the prompt"
    return Found(_fitted_whole(code, wanted), how) if code is not None else None


def _go_on(prompt: str, text: str, wanted: Wanted) -> str | None:
    if not prompt.strip() or not wanted.entry or "```" in prompt or wanted.reader.go_on is None:
        return None
    return wanted.reader.go_on(prompt, text, wanted)


def _body(text: str, blocks: Sequence[Block], wanted: Wanted, prompt: str) -> Found | None:
    """Return the prompt with the body that a response gives, in its last block or as a whole."""
    if not prompt.strip() or declines(text):
        return None
    given = [(number, block) for number, block in enumerate(blocks, start=1)
             if block.language in ("", wanted.language)]  # fmt: skip
    given.sort(key=lambda pair: not _is_trial(pair[1], wanted))
    tries = [(f"took block {number} of {len(blocks)}", block.code) for number, block in reversed(given)]
    if not blocks:
        texts = list(_texts(_read_json(text)))
        tries = [("took a text in JSON", body) for body in reversed(texts)] or [
            ("took the text", without_tag_lines(text))
        ]
    if blocks and (before := re.split(r"^(?:```|~~~)[ \t]*$", text, maxsplit=1, flags=re.MULTILINE)[0]).strip():
        # The prompt opened the fence that the response closes.
        tries.append(("took the text before the fence", before))
    for how, body in tries:
        code = _go_on(prompt, body, wanted)
        if code is not None:
            return Found(_fitted_whole(code, wanted), f"{how}: a body that goes on from the prompt")
    return None


def _is_trial(block: Block, wanted: Wanted) -> bool:
    """Tell whether a block calls the entry point, is an example, or was withdrawn."""
    called = re.search(rf"(?<![\w.]){re.escape(wanted.entry)}\s*\(", block.code) is not None
    return called or is_example(block.intro) or bool(demotion(block.intro, block.after))


def _undefined(
    said: Spoken, text: str, blocks: Sequence[Block], candidates: Sequence[_Candidate], wanted: Wanted, finish: str
) -> Found:
    """Return what is left where nothing defines the entry point: a function of another name, the last program."""
    if blocks and not blocks[-1].closed and wanted.reader.read(blocks[-1].code, wanted) is None:
        return no_answer(said, finish, broken_off=True, missing="code")
    lone = [one for one in candidates if len(one.source.functions) == 1 and not one.demoted]
    if wanted.entry and not wanted.named and lone and wanted.language == "python":
        best = lone[-1]
        name = best.source.functions[0][0]
        code, helped = _completed(best, candidates, wanted)
        code, _ = _fitted(code, best.source, wanted)
        note = f"took the only function, {name}, for {wanted.entry}, which the prompt does not name"
        return Found(f"{code.rstrip()}\n\n\n{wanted.entry} = {name}", "; ".join([note, *helped]))
    broken = bool(blocks) and not blocks[-1].closed and bool(wanted.entry)
    if broken or (not blocks and _CUT_JSON.match(text) and _read_json(text) is None):
        return no_answer(said, finish, broken_off=True, missing="code")
    if plain_source.is_program(wanted.language) and any(one.source.repaired for one in candidates):
        best = [one for one in candidates if one.source.repaired][-1]
        return Found(best.source.code.strip("\n"), f"took {best.source.repaired}: the last program")
    own = [
        (number, block)
        for number, block in enumerate(blocks, start=1)
        if (block.language in ("", wanted.language) or _same_family(block.language, wanted.language))
        and not declines(block.code)
    ]
    plain = [(number, block) for number, block in own if not is_example(block.intro)] or own
    if plain_source.is_program(wanted.language):
        plain = _standing_programs(plain) or plain
    telling = [one for one in candidates if _tells(one.source) and not one.demoted]
    missing = f"no block defines {wanted.entry}" if wanted.entry else "the last program"
    if telling and not plain_source.is_program(wanted.language):
        best = telling[-1]
        code, _ = _completed(best, candidates, wanted)
        place = f"block {best.number} of {len(blocks)}" if best.number else "the code in the text"
        return Found(code.strip("\n"), f"took {place}: {missing}")
    if plain:
        number, block = plain[-1]
        return Found(block.code.strip("\n"), f"took block {number} of {len(blocks)}: {missing}")
    if not blocks and plain_source.defines(text, wanted.entry):
        if any(_is_cut(text, one.code) for one in _found_in(text, wanted)):
            return no_answer(said, finish, broken_off=True, missing="code")
        return Found(text.strip("\n"), "took the whole text: it is written as code, but does not parse")
    if not blocks and wanted.language in ("bash", "sql") and _reads_as_program(text):
        return Found(plain_source.without_sentences(text), "took the whole text")
    if not blocks and not wanted.reader.parses and wanted.language != "sql" and _reads_as_program(text):
        return Found(text.strip("\n"), "took the whole text")
    return no_answer(said, finish, missing="code")


def _standing_programs(blocks: Sequence[tuple[int, Block]]) -> list[tuple[int, Block]]:
    """Return the blocks that are neither set back by what is said of them nor a part of one before them."""
    recommended = [pair for pair in blocks if is_recommended(pair[1].intro)]
    return recommended or [
        (number, block)
        for at, (number, block) in enumerate(blocks)
        if not demotion(block.intro, block.after)
        and not any(block.code.strip() in one.code for _, one in blocks[:at] if one.code != block.code)
    ]


def _reads_as_program(text: str) -> bool:
    """Tell whether a text is written as a program, not as sentences."""
    if declines(text):
        return False
    lines = [line for line in text.split("\n") if line.strip()]
    sentences = [line for line in lines if re.match(r"^[A-Z][\w']*(?:,?\s+[\w'-]+){3,}.*[.:?!]$", line.strip())]
    return len(sentences) * 2 < len(lines) and _CODE_SIGN.search(without_tag_lines(text)) is not None
