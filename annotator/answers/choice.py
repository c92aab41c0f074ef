"""Choose the program that a response gives: the last candidate that defines the entry point.

The candidates are the fenced blocks of a response, or the texts of a JSON value, or the whole of it; each alone, and
put where the prompt breaks off. One counts if the language accepts it and it defines the entry point. Those that do so
alone come before those that need the prompt or are tagged as another language; a body that is empty, that the prompt
shows, or that only tries the function out never comes before another. Sentences around the code are not interpreted.

What is particular to a language is asked of a `Reader`, which is given. So this module and those it imports need
Python alone, and what is exported scores answers with copies of them.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotator.answers.fences import Block, language_of, split_blocks
from annotator.answers.found import Found
from annotator.answers.normalising import straight_quotes, without_outer_tags
from annotator.answers.outcome import no_answer, says_nothing, spoken_text
from annotator.answers.reasoning import Spoken
from annotator.answers.refusals import declines
from annotator.answers.source import Part, Reader, Source, Wanted

LONGEST, LONGEST_SAID = 400_000, 100_000
"""So many characters are read of a response, and of what is left of it without its reasoning."""
_MOST_DEPTH, _MOST_BLOCKS, _MOST_JOINED, _MOST_READ = 20, 100, 6, 400_000
_SENTENCE = re.compile(r"[A-Z][\w']*,?(?: [\w',-]+){2,}.*[.:?!]")
_GOES_ON = re.compile(r"(?:elif|else|except|finally|end)\b|[)\]}]")
_FAMILIES = ({"javascript", "typescript"}, {"bash", "console"}, {"c", "c++"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    """A text that may be the answer: its block (counted from 1, 0 for none), its language by the tag of its fence."""

    code: str
    number: int = 0
    tag: str = ""
    is_closed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    """A program of a text; ``rank`` is how it stands to others, ``done`` what was done so that it counts."""

    source: Source
    text: _Text
    rank: int = 0
    done: str = ""


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
    language = language_of(language)
    owner, _, entry = entry_point.rpartition(".")
    programs = [text for text in shown if text.strip()]
    programs += [block.code for block in split_blocks(prompt)] or ([prompt] if prompt.strip() else [])
    names = frozenset().union(*(reader.free_names(test) for test in tests))
    if not owner and language in ("java", "c#") and entry:
        owner = _owner_of("\n".join(tests), entry)
    wanted = Wanted(
        language=language,
        reader=reader,
        entry=entry,
        owner=owner,
        shown=tuple(dict.fromkeys(programs)),
        names=names,
    )
    read = [reader.read(code, wanted) for code in wanted.shown]
    return replace(wanted, bodies=frozenset(source.body for source in read if source is not None and source.body))


def _owner_of(tests: str, entry: str) -> str:
    """Return the class whose method tests call, by its name or on an object of it; empty for none."""
    called = re.search(rf"\b(\w+)\s*(?:\([^()]*\)\s*)?\.\s*{re.escape(entry)}\s*\(", tests)
    if called is None:
        return ""
    made = re.search(rf"\b{called[1]}\s*=\s*new\s+(\w+)", tests)
    name = made[1] if made is not None else called[1]
    return name if name[:1].isupper() else ""


def choose_code(response: str, wanted: Wanted, *, finish_reason: str = "stop", prompt: str = "") -> Found:
    """Return the program that a response gives, and why; ``prompt`` is code that the response may go on from."""
    said = spoken_text(response[:LONGEST])
    if not said.text.strip():
        return no_answer(said, finish_reason, missing="code")
    if len(said.text) > LONGEST_SAID:
        said = replace(said, text=said.text[:LONGEST_SAID])
    texts = _texts(said.text, wanted)
    candidates = [one for text in texts for one in _candidates(text, wanted, prompt)]
    best = _best([one for one in candidates if one.source.kind])
    if best is not None:
        return _taken(best, candidates, texts, wanted)
    return _undefined(said, texts, candidates, wanted, finish_reason)


def choose_definition(response: str, wanted: Wanted) -> Found | None:
    """Return the whole program that a response gives; None where nothing in it defines the entry point."""
    texts = _texts(spoken_text(response[:LONGEST]).text[:LONGEST_SAID], wanted)
    candidates = [one for text in texts for one in _candidates(text, wanted, "")]
    best = _best([one for one in candidates if one.source.kind == "whole"])
    return _taken(best, candidates, texts, wanted) if best is not None else None


def _best(candidates: Sequence[_Candidate]) -> _Candidate | None:
    """Return the last candidate of the highest rank."""
    return max(reversed(candidates), key=lambda one: one.rank, default=None)


# -- candidates --------------------------------------------------------------------------------------------------------


def _texts(text: str, wanted: Wanted) -> list[_Text]:
    """Return the texts that may be the answer, in their order."""
    # To JavaScript a fence is three texts, and to PHP it is a text.
    fenced = wanted.language != "python" and ("```" in text or "~~~" in text)
    whole = wanted.reader.read(text, wanted) if not fenced else None
    blocks = []
    if whole is None or whole.kind != "whole":
        blocks = split_blocks(text, lambda code: wanted.reader.read(code, wanted) is not None)
    if not blocks:
        return list(_in_json(_Text(code=without_outer_tags(text))))
    # A lone fence may close what the prompt opened.
    before = [_Text(code=blocks[0].intro)] if len(blocks) == 1 and not blocks[0].closed else []
    return before + [
        given
        for number, block in list(enumerate(blocks, start=1))[-_MOST_BLOCKS:]
        for given in _in_json(_Text(code=block.code, number=number, tag=block.language, is_closed=block.closed))
    ]


def _in_json(text: _Text) -> Iterator[_Text]:
    """Yield the texts of a JSON value, with those in their fences; a text that is none as it is."""
    try:
        items = list(_strings(json.loads(text.code, strict=False)))
    except (ValueError, RecursionError):
        items = []
    if not items:
        yield text
    for item in items:
        for block in split_blocks(item) or [Block(code=item)]:
            yield replace(text, code=block.code, tag=block.language)


def _strings(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and depth < _MOST_DEPTH:
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item, depth + 1)


def _candidates(text: _Text, wanted: Wanted, prompt: str) -> Iterator[_Candidate]:
    """Yield the programs of a text: itself, the prompt with it, and the code in a text without fences."""
    alone = _read(text, wanted)
    foreign = _is_foreign(text.tag, wanted.language)
    if alone is not None and alone.source.kind == "whole":
        yield replace(alone, rank=min(alone.rank, 1)) if foreign else alone
        return
    filled = None if foreign else _filled(text, wanted, prompt)
    found = [] if text.number else _found(text, wanted)
    if filled is not None and filled.rank:
        # What goes on from the prompt is not looked for between lines of prose.
        found = [replace(one, source=replace(one.source, kind="")) for one in found]
    if alone is not None and not (foreign and not alone.source.kind):
        yield alone
    yield from found
    if filled is not None:
        yield filled


def _read(text: _Text, wanted: Wanted) -> _Candidate | None:
    """Return a text as a program; with plain quotes if it is none with typographic ones."""
    code = textwrap.dedent(text.code.strip("\n"))
    for given, done in ((code, ""), (straight_quotes(code), "typographic quotes made plain")):
        source = wanted.reader.read(given, wanted) if not done or given != code else None
        if source is not None:
            source = _tested(source, wanted)
            return _Candidate(source=source, text=text, rank=_rank(source, wanted), done=done)
    return None


def _tested(source: Source, wanted: Wanted) -> Source:
    """Return code as defining what is wanted where no entry point is named: what tests use, or anything at all."""
    defined = {name for part in source.parts if part.is_definition for name in part.binds}
    counts = defined & wanted.names if wanted.names else defined
    return replace(source, kind="whole") if not wanted.entry and counts else source


def _rank(source: Source, wanted: Wanted) -> int:
    """Return 2 for a definition, 0 for one that is empty or that the prompt shows."""
    if source.kind == "stub":
        return 0
    return 0 if source.body in wanted.bodies else 2


def _is_foreign(tag: str, language: str) -> bool:
    return bool(tag) and tag != language and not any({tag, language} <= family for family in _FAMILIES)


def _filled(text: _Text, wanted: Wanted, prompt: str) -> _Candidate | None:
    """Return the first program that a text makes of the prompt's open function; None for none."""
    if not prompt.strip() or not wanted.entry:
        return None
    openings = [block.code for block in split_blocks(prompt)][::-1] or [prompt, *code_runs(prompt, wanted.reader)]
    code = text.code.strip("\n").rstrip()
    alone = wanted.reader.read(textwrap.dedent(code), wanted)
    if alone is not None and all(part.is_definition or part.is_import for part in alone.parts):
        return None
    for opening in openings:
        given = wanted.reader.read(opening, wanted)
        if given is not None and given.kind == "whole":
            continue
        for program in wanted.reader.fill(opening, code, wanted, runs_on=not text.number):
            source = wanted.reader.read(program, wanted)
            if source is not None and source.kind == "whole":
                only_tries = alone is not None and not wanted.reader.fit(alone.code, alone, wanted)[0].strip()
                where = "put where the prompt breaks off"
                return _Candidate(source=source, text=text, rank=0 if only_tries else 1, done=where)
    return None


def _found(text: _Text, wanted: Wanted) -> list[_Candidate]:
    """Return the code in a text of prose and code, a program for each run of lines without prose."""
    found = []
    for run in code_runs(text.code, wanted.reader):
        source = wanted.reader.read(run, wanted)
        if source is not None:
            source = _tested(source, wanted)
            found.append(
                _Candidate(source=source, text=text, rank=_rank(source, wanted), done="found between lines of prose")
            )
    return found


def code_runs(text: str, reader: Reader) -> list[str]:
    """Return the runs of statements in a text: one begins in a line, and ends before the first line that stands no
    further in with which it is accepted."""
    runs: list[list[str]] = [[]]
    lines = text.split("\n")
    at = read = 0
    while at < len(lines) and read < _MOST_READ:
        end = at
        for _ in range(_MOST_JOINED if lines[at].strip() else 0):
            end = _next_margin(lines, at, end)
            joined = "\n".join(lines[at:end])
            read += len(joined) + 100
            statement = textwrap.dedent(joined)
            if reader.is_code(statement):
                runs[-1] += statement.split("\n")
                at = end
                break
            if end >= len(lines):
                at, runs = _after_prose(lines, at, runs)
                break
        else:
            at, runs = _after_prose(lines, at, runs)
    return ["\n".join(run) for run in runs if run]


def _after_prose(lines: Sequence[str], at: int, runs: list[list[str]]) -> tuple[int, list[list[str]]]:
    """Go on behind a line that begins no statement; one that is not empty ends a run."""
    return at + 1, [*runs, []] if lines[at].strip() and runs[-1] else runs


def _next_margin(lines: Sequence[str], at: int, end: int) -> int:
    """Return the first line behind ``end`` that stands as far out as the one at ``at`` and may begin a statement."""
    margin = len(lines[at]) - len(lines[at].lstrip())
    end = max(end, at) + 1
    while end < len(lines):
        line = lines[end]
        stands = len(line) - len(line.lstrip())
        if line.strip() and stands <= margin and not _GOES_ON.match(line.lstrip()):
            break
        end += 1
    return end


# -- the chosen one ----------------------------------------------------------------------------------------------------


def _taken(best: _Candidate, candidates: Sequence[_Candidate], texts: Sequence[_Text], wanted: Wanted) -> Found:
    code, helped = _completed(best, candidates, wanted)
    notes: list[str] = []
    # Without tests that use a name of it, it is a program, and kept whole.
    if wanted.entry or wanted.names:
        fitted, notes = wanted.reader.fit(code, best.source, wanted)
        code = fitted if fitted.strip() else code
    defining = {one.text.number for one in candidates if one.source.kind == "whole"}
    last = "the last that defines" if len(defining) > 1 else "which defines"
    if best.source.kind == "stub":
        last = "which leaves open"
    how = f"took {_place(best.text, texts)}, {last} {wanted.entry or 'what the tests use'}"
    return Found(code.strip("\n"), "; ".join([how, *(note for note in (best.done, *helped, *notes) if note)]))


def _place(text: _Text, texts: Sequence[_Text]) -> str:
    count = max(one.number for one in texts)
    if not text.number:
        return "the text"
    return f"block {text.number} of {count}" if count > 1 else "the only block"


def _completed(best: _Candidate, candidates: Sequence[_Candidate], wanted: Wanted) -> tuple[str, list[str]]:
    """Return the chosen code with what it uses and only other blocks or the prompt define."""
    source, reader = best.source, wanted.reader
    others = [one for one in candidates if one is not best and one.text.number != best.text.number]
    earlier = [one for one in reversed(others) if one.text.number < best.text.number]
    later = [one for one in others if one.text.number > best.text.number]
    if not best.text.number:
        earlier = [one for one in reversed(candidates) if one is not best]
    notes: list[str] = []
    code = source.code
    for name in sorted(source.classes & {*wanted.names, wanted.owner, wanted.entry}):
        for one in earlier:
            merged = reader.merge(code, one.source.code, name)
            if merged is not None:
                code = merged
                notes.append(f"with methods of {name} from {_other(one)}")
    now = reader.read(code, wanted) or source
    needed = reader.missing(now, wanted) | ({wanted.entry} if source.rebinds else set())
    bound = set(now.bound) - ({wanted.entry} if source.rebinds else set())
    pool = [(_other(one), one.source) for one in (*earlier, *later)]
    prompted = [_prompt_source(shown, wanted) for shown in wanted.shown]
    pool += [("the prompt", one) for one in prompted if one is not None]
    picked: dict[str, list[Part]] = {}
    for place, other in pool:
        parts = _picked(other, needed, bound, now, wanted)
        if parts:
            picked.setdefault(place, []).extend(parts)
    if not picked:
        return code, notes
    order = sorted(picked, key=lambda place: (place != "the prompt", place))
    notes.append("with imports or helpers from " + ", ".join(order))
    return reader.join([part for place in order for part in picked[place]], code), notes


def _other(one: _Candidate) -> str:
    return f"block {one.text.number}" if one.text.number else "elsewhere in the text"


def _prompt_source(code: str, wanted: Wanted) -> Source | None:
    """Return code of a prompt, which may break off in the entry point."""
    read = wanted.reader.read(code, wanted)
    if read is not None:
        return read
    for program in wanted.reader.fill(code, "", wanted, runs_on=False):
        read = wanted.reader.read(program, wanted)
        if read is not None:
            return read
    return None


def _picked(other: Source, needed: set[str], bound: set[str], chosen: Source, wanted: Wanted) -> list[Part]:
    """Return the parts of another source that are needed, and what these need in turn."""
    found: list[int] = []
    others = [at for at, part in enumerate(other.parts) if chosen.rebinds or not _is_version(part, wanted)]
    while True:
        more = [at for at in others if at not in found and _serves(other.parts[at], needed, bound, chosen, wanted)]
        if not more:
            return [other.parts[at] for at in sorted(found)]
        found += more
        for at in more:
            needed |= set(other.parts[at].uses) - bound
        bound |= {name for at in more for name in other.parts[at].binds}
        needed -= bound


def _is_version(part: Part, wanted: Wanted) -> bool:
    """Tell whether a part is, or holds, another version of the entry point."""
    return wanted.entry in part.binds or wanted.reader.attempts(part.code, wanted.entry)


def _serves(part: Part, needed: set[str], bound: set[str], chosen: Source, wanted: Wanted) -> bool:
    if part.is_import:
        return part.code not in chosen.code and wanted.reader.needs(part, needed)
    return bool(part.binds & needed) and not part.binds & bound


# -- nothing defines it ------------------------------------------------------------------------------------------------


def _undefined(
    said: Spoken, texts: Sequence[_Text], candidates: Sequence[_Candidate], wanted: Wanted, finish: str
) -> Found:
    """Return the program that is run where nothing counts: the longest that is accepted, else the last block."""
    own = [text for text in texts if text.number and not _is_foreign(text.tag, wanted.language)]
    broken_off = bool(own) and not own[-1].is_closed and (bool(wanted.entry) or _read(own[-1], wanted) is None)
    if finish == "length" or broken_off:
        return no_answer(said, finish, broken_off=broken_off, missing="code")
    if not wanted.reader.reads:
        return _program([text for text in own if text.tag] or own or texts, texts) or no_answer(
            said, finish, missing="code"
        )
    missing = f"nothing defines {wanted.entry}" if wanted.entry else "the longest program"
    accepted = [one for one in candidates if any(part.binds or part.is_import for part in one.source.parts)]
    if accepted:
        best = max(reversed(accepted), key=lambda one: len(one.source.code))
        return Found(best.source.code.strip("\n"), f"took {_place(best.text, texts)}: {missing}")
    longest = max(reversed(own), key=lambda text: len(text.code), default=None)
    if longest is not None and not declines(longest.code):
        return Found(longest.code.strip("\n"), f"took {_place(longest, texts)}: {missing}")
    if wanted.reader.attempts(said.text, wanted.entry):
        return Found(said.text.strip("\n"), "took the text: it defines the entry point, but is not accepted")
    return no_answer(said, finish, missing="code")


def _program(given: Sequence[_Text], texts: Sequence[_Text]) -> Found | None:
    """Return the last text that has at least half as many lines as the longest; None where all are empty."""
    programs = [(text, text.code.strip("\n") if text.number else _without_sentences(text.code)) for text in given]
    longest = max(code.count("\n") + 1 for _, code in programs)
    text, code = [(text, code) for text, code in programs if (code.count("\n") + 1) * 2 >= longest][-1]
    if says_nothing(code) or declines(text.code):
        return None
    return Found(code, f"took {_place(text, texts)}, the last program")


def _without_sentences(text: str) -> str:
    """Return a text without the sentences that it begins and ends with."""
    lines = text.strip().split("\n")
    while lines and (not lines[0].strip() or _SENTENCE.fullmatch(lines[0].strip())):
        lines.pop(0)
    while lines and (not lines[-1].strip() or _SENTENCE.fullmatch(lines[-1].strip())):
        lines.pop()
    return "\n".join(lines)
