"""Choose the program in a response: the last candidate that defines the entry point.

The candidates are the fenced blocks of a response, or the texts of a JSON value, or the whole response; each alone, and
appended to the unfinished code of the prompt. A candidate counts if it parses and defines the entry point. Complete
programs come before those that need the prompt or are tagged as another language; a body that is empty, that repeats
the prompt, or that only demonstrates the function comes last. Sentences around the code are not interpreted.

Everything specific to a language is in the `Reader` that is passed in. So this module and its imports need only Python
itself, and exports score answers with copies of them.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from annotator.answers.fences import Block, language_of, split_blocks
from annotator.answers.normalising import FinalText, first_turn_and_all, straight_quotes, without_outer_tags
from annotator.answers.outcome import ExtractedAnswer, classify_missing_answer, final_text, has_no_content
from annotator.answers.refusals import is_refusal
from annotator.answers.source import (
    NO_DEFINITION,
    CodeSpec,
    EntryPointKind,
    ParsedCode,
    Part,
    Reader,
    demonstrations,
    join_parts,
)

MAX_RESPONSE_CHARS, _MAX_FINAL_CHARS = 400_000, 100_000
"""Maximum number of characters read of a response, and of its text without the reasoning."""
_MAX_BLOCKS, _MAX_LINES_JOINED, _MAX_CHARS_READ = 100, 6, 400_000
_SENTENCE = re.compile(r"[A-Z][\w']*,?(?: [\w',-]+){2,}.*[.:?!]|[A-Z][a-z]+(?: [\w',-]+)*:")
_CONTINUATION = re.compile(r"(?:elif|else|except|finally|end)\b|[)\]}]")
_FAMILIES = ({"javascript", "typescript"}, {"bash", "console"}, {"c", "c++"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _ProgramCandidate:
    """A program in a text; the highest ``rank`` wins, and ``note`` describes a change that made it parse."""

    source: ParsedCode
    text: Block
    rank: int = 0
    note: str = ""

    @property
    def kind(self) -> EntryPointKind:
        """Whether it defines the entry point."""
        return self.source.entry.kind


def build_code_spec(
    reader: Reader,
    language: str,
    entry_point: str,
    *,
    prompt: str = "",
    visible_code: Sequence[str] = (),
    tests: Sequence[str] = (),
) -> CodeSpec:
    """Return the spec of an item's code; ``visible_code`` is code shown with the prompt, in addition to its fences."""
    language = language_of(language)
    owner, _, entry = entry_point.rpartition(".")
    programs = [text for text in visible_code if text.strip()]
    programs += [block.code for block in split_blocks(prompt)] or ([prompt] if prompt.strip() else [])
    names = frozenset().union(*(reader.free_names(test) for test in tests))
    if not owner and language in ("java", "c#") and entry:
        owner = _owner_in_tests("\n".join(tests), entry)
    spec = CodeSpec(
        language=language,
        reader=reader,
        entry=entry,
        owner=owner,
        visible_code=tuple(dict.fromkeys(programs)),
        names=names,
    )
    sources = [reader.read(code, spec) for code in spec.visible_code]
    return replace(
        spec, bodies=frozenset(source.entry.body for source in sources if source is not None and source.entry.body)
    )


def _owner_in_tests(tests: str, entry: str) -> str:
    """Return the class whose method the tests call as the entry point, also on an object; empty for none."""
    call = re.search(rf"\b(\w+)\s*(?:\([^()]*\)\s*)?\.\s*{re.escape(entry)}\s*\(", tests)
    if call is None:
        return ""
    construction = re.search(rf"\b{call[1]}\s*=\s*new\s+(\w+)", tests)
    name = construction[1] if construction is not None else call[1]
    return name if name[:1].isupper() else ""


def find_code(response: str, spec: CodeSpec, *, finish_reason: str = "stop", prompt: str = "") -> ExtractedAnswer:
    """Return the program in a response, and why it was chosen; the response may continue the code in ``prompt``."""
    final = final_text(response[:MAX_RESPONSE_CHARS])
    final = replace(final, text=final.text[:_MAX_FINAL_CHARS])
    if not final.text.strip():
        return classify_missing_answer(final, finish_reason, missing="code")
    openings = _openings(prompt, spec)
    texts: list[Block] = []
    candidates: list[_ProgramCandidate] = []
    for turn in first_turn_and_all(final.text):
        texts = _answer_texts(turn, spec)
        candidates = [candidate for text in texts for candidate in _candidates(text, spec, openings)]
        best = _best_candidate(candidates)
        if best is None and any(text.number for text in texts):
            # Code may be outside the blocks, which then contain its output or the command that runs it.
            outside = _texts_outside(texts, spec)
            programs = [one for text in outside for one in _candidates(text, spec, ()) if one.kind == "whole"]
            texts, candidates, best = [*texts, *outside], [*candidates, *programs], _best_candidate(programs)
        if best is not None:
            return _build_answer(best, candidates, texts, spec)
        if not spec.reader.can_parse and ("```" in turn or "```" not in final.text):
            break
    return _fallback_answer(final, texts, candidates, spec, finish_reason, prompt)


def find_definition(response: str, spec: CodeSpec) -> ExtractedAnswer | None:
    """Return the complete program in a response; None if nothing in it defines the entry point."""
    texts = _answer_texts(final_text(response[:MAX_RESPONSE_CHARS]).text[:_MAX_FINAL_CHARS], spec)
    candidates = [candidate for text in texts for candidate in _candidates(text, spec, ())]
    best = _best_candidate(candidates, ("whole",))
    return _build_answer(best, candidates, texts, spec) if best is not None else None


def _best_candidate(
    candidates: Sequence[_ProgramCandidate], kinds: Sequence[EntryPointKind] = ("whole", "stub")
) -> _ProgramCandidate | None:
    """Return the last candidate of the highest rank that defines the entry point."""
    counting = [candidate for candidate in reversed(candidates) if candidate.kind in kinds]
    return max(counting, key=lambda candidate: candidate.rank, default=None)


# -- candidates --------------------------------------------------------------------------------------------------------


def _answer_texts(text: str, spec: CodeSpec) -> list[Block]:
    """Return the texts that may be the answer, in order."""
    # A fence parses as three template strings in JavaScript, and as plain text in PHP.
    fenced = spec.language != "python" and ("```" in text or "~~~" in text)
    whole = spec.reader.read(text, spec) if not fenced else None
    blocks = []
    if whole is None or whole.entry.kind != "whole":
        blocks = split_blocks(text, lambda code: spec.reader.read(code, spec) is not None)
    # In a response that continues or repeats the prompt's code, the first fence closes a block that the prompt opened.
    repeats_prompt = any(text.strip().startswith(code.strip()) for code in spec.visible_code)
    begins_with_code = repeats_prompt or _is_indented_code(text)
    before, fence, _ = text.partition("\n```")
    if fence and not spec.reader.can_parse and (begins_with_code or not blocks):
        blocks, text = [], before
    if not blocks:
        text = without_outer_tags(text)
        text = text if spec.reader.can_parse else _without_sentences(text)
        return _json_texts(Block(code=text))
    is_lone = len(blocks) == 1 and not blocks[0].closed
    intro = before if fence and begins_with_code else blocks[0].intro if is_lone else ""
    leading = [Block(code=intro)] if intro.strip() else []
    if leading and is_lone and not _without_sentences(blocks[0].code):
        return leading
    return leading + [
        member
        for number, block in list(enumerate(blocks, start=1))[-_MAX_BLOCKS:]
        for member in _json_texts(replace(block, number=number))
    ]


def _texts_outside(texts: Sequence[Block], spec: CodeSpec) -> list[Block]:
    """Return the prose around the blocks as one text, or as several without sentences if the reader cannot parse."""
    blocks = list({text.number: text for text in texts if text.number}.values())
    prose = [*(block.intro for block in blocks), blocks[-1].after]
    prose = ["\n\n".join(prose)] if spec.reader.can_parse else list(map(_without_sentences, prose))
    return [Block(code=text) for text in prose]


def _json_texts(text: Block) -> list[Block]:
    """Return the strings of a JSON value, or the blocks inside them; a text that is not JSON unchanged."""
    try:
        strings = _strings(json.loads(text.code, strict=False))
    except (ValueError, RecursionError):
        strings = []
    blocks = [block for string in strings for block in split_blocks(string) or [Block(code=string)]]
    return [replace(text, code=block.code, language=block.language) for block in blocks] or [text]


def _strings(value: Any) -> list[str]:
    """Return the strings in a JSON value, in order."""
    if isinstance(value, str):
        return [value]
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [string for member in members for string in _strings(member)]


def _candidates(text: Block, spec: CodeSpec, openings: Sequence[str]) -> list[_ProgramCandidate]:
    """Return the programs of a text: the text itself, the prompt completed by it, and code between prose.

    A text outside fences that begins with the prompt is read as a completion, unless it is already one program.
    """
    is_foreign = _is_foreign(text.language, spec.language)
    repeated = [] if text.number else [opening for opening in openings if text.code.strip().startswith(opening)]
    alone = _read_text(text, spec)
    if alone is not None and alone.kind == "whole" and not any(text.code.count(opening) > 1 for opening in repeated):
        return [replace(alone, rank=min(alone.rank, 1)) if is_foreign else alone]
    bodies = [replace(text, code=text.code.strip().removeprefix(opening)) for opening in repeated[:1]]
    bodies += [] if is_foreign else [text]
    filled = list(islice(filter(None, (_fill_prompt(body, spec, openings) for body in bodies)), 1))
    codes = [] if text.number else code_runs(text.code, spec.reader)
    read_runs = (_read_program(code, text, spec, "found between lines of prose") for code in codes)
    runs = [run for run in read_runs if run is not None]
    if filled and filled[0].rank:
        # A text that continues the prompt is all code, so parts of it are not programs of their own.
        runs = [replace(run, source=replace(run.source, entry=NO_DEFINITION)) for run in runs]
    return [*([alone] if alone is not None and alone.kind != "whole" else []), *runs, *filled]


def _read_text(text: Block, spec: CodeSpec) -> _ProgramCandidate | None:
    """Return a text as a program; typographic quotes are replaced if it does not parse with them."""
    code = textwrap.dedent(text.code.strip("\n"))
    plain = _read_program(code, text, spec)
    return plain or _read_program(straight_quotes(code), text, spec, "typographic quotes made plain")


def _read_program(code: str, text: Block, spec: CodeSpec, note: str = "") -> _ProgramCandidate | None:
    """Return code as a candidate. Its rank is 2, 1 outside its class, or 0 for a stub or a copy from the prompt.

    Without a named entry point, code is whole if it defines a name that the tests use, or any name if they use none.
    """
    source = spec.reader.read(code, spec)
    if source is None:
        return None
    defined = {name for part in source.parts if part.is_definition for name in part.binds}
    if not spec.entry and (defined & spec.names if spec.names else defined):
        source = replace(source, entry=source.entry._replace(kind="whole"))
    is_weak = source.entry.kind == "stub" or source.entry.body in spec.bodies
    return _ProgramCandidate(source=source, text=text, rank=0 if is_weak else 2 - source.entry.is_outside, note=note)


def _is_foreign(tag: str, language: str) -> bool:
    return bool(tag) and tag != language and not any({tag, language} <= family for family in _FAMILIES)


def _openings(prompt: str, spec: CodeSpec) -> list[str]:
    """Return the pieces of code in a prompt that may end inside the entry point, the likeliest first."""
    codes = [block.code for block in split_blocks(prompt)][::-1] or [prompt, *code_runs(prompt, spec.reader)]
    sources = [(code.strip(), spec.reader.read(code, spec)) for code in codes if spec.entry and code.strip()]
    return [code for code, source in sources if source is None or source.entry.kind != "whole"]


def _may_go_on(opening: str, spec: CodeSpec) -> bool:
    """Return whether a piece of code begins the entry point, or ends inside braces or a statement."""
    completed = spec.reader.complete_function(opening, "", spec, may_truncate=False)
    return spec.reader.looks_like_definition(opening, spec.entry) or any(completed)


def _fill_prompt(text: Block, spec: CodeSpec, openings: Sequence[str]) -> _ProgramCandidate | None:
    """Return the first program in which a text completes the prompt's unfinished function; None if there is none."""
    body = text.code.strip("\n").rstrip()
    alone = spec.reader.read(textwrap.dedent(body), spec) if openings else None
    if alone is not None and alone.parts and all(part.is_definition or part.is_import for part in alone.parts):
        return None
    if not spec.reader.can_parse and (has_no_content(body) or is_refusal(body)):
        return None
    for opening in openings:
        for program in spec.reader.complete_function(opening, body, spec, may_truncate=not text.number):
            source = spec.reader.read(program, spec)
            if source is not None and source.entry.kind:
                is_demo = alone is not None and len(demonstrations(alone, spec)) == len(alone.parts)
                rank = 0 if is_demo or source.entry.kind == "stub" else 1
                note = "put where the prompt breaks off"
                return _ProgramCandidate(source=source, text=text, rank=rank, note=note)
    return None


def code_runs(text: str, reader: Reader) -> list[str]:
    """Return the runs of statements in a text of prose and code.

    A statement starts at a line and ends before the next line with the same or less indentation, as soon as it parses.
    """
    runs: list[list[str]] = [[]]
    lines = text.split("\n")
    at = read = 0
    while at < len(lines) and read < _MAX_CHARS_READ:
        statement, end = "", at
        for end in islice(_statement_ends(lines, at), _MAX_LINES_JOINED if lines[at].strip() else 0):
            statement = textwrap.dedent("\n".join(lines[at:end]))
            if reader.is_code(statement):
                break
            statement = ""
        read += 100 + sum(map(len, lines[at:end]))
        if statement:
            runs[-1].append(statement)
        elif lines[at].strip() and runs[-1]:
            runs.append([])
        at = end if statement else at + 1
    return ["\n".join(run) for run in runs if run]


def _statement_ends(lines: Sequence[str], at: int) -> Iterator[int]:
    """Yield the lines after a line that are indented no more than it and may begin a statement, and the end."""
    margin = len(lines[at]) - len(lines[at].lstrip())
    for end in range(at + 1, len(lines)):
        text = lines[end].lstrip()
        if text and len(lines[end]) - len(text) <= margin and not _CONTINUATION.match(text):
            yield end
    yield len(lines)


# -- the answer from the best candidate --------------------------------------------------------------------------------


def _build_answer(
    best: _ProgramCandidate, candidates: Sequence[_ProgramCandidate], texts: Sequence[Block], spec: CodeSpec
) -> ExtractedAnswer:
    code, notes = _complete_code(best, candidates, spec)
    source = spec.reader.read(code, spec)
    # If no entry point and no test names are known, the answer is a script: its output is what counts.
    if source is not None and (spec.entry or spec.names):
        demos = demonstrations(source, spec)
        rest = spec.reader.read(source.without(demos), spec) if demos else None
        code, changes = spec.reader.adapt_to_tests(rest or source, spec)
        notes += [*changes, *(["without demonstration and test code"] if rest is not None else [])]
    defining = {candidate.text.number for candidate in candidates if candidate.kind == "whole"}
    reason = "the last that defines" if len(defining) > 1 else "which defines"
    if best.kind == "stub":
        reason = "which only declares"
    how = f"took {_describe_place(best.text, texts)}, {reason} {spec.entry or 'what the tests use'}"
    return ExtractedAnswer(code.strip("\n"), "; ".join([how, *(note for note in (best.note, *notes) if note)]))


def _describe_place(text: Block, texts: Sequence[Block]) -> str:
    count = max(other.number for other in texts)
    if not text.number:
        return "the text"
    return f"block {text.number} of {count}" if count > 1 else "the only block"


def _complete_code(
    best: _ProgramCandidate, candidates: Sequence[_ProgramCandidate], spec: CodeSpec
) -> tuple[str, list[str]]:
    """Return the chosen code with the definitions it needs from other blocks and the prompt, and notes on them."""
    source, reader = best.source, spec.reader
    number = best.text.number
    others = [one for one in candidates if one is not best and (not number or one.text.number != number)]
    preceding = [one for one in reversed(others) if one.text.number <= number]
    following = [one for one in others if one.text.number > number]
    notes: list[str] = []
    code = source.code
    for name in sorted(source.classes & {*spec.names, spec.owner, spec.entry}):
        for one in preceding:
            merged = reader.merge_missing_methods(code, one.source.code, name)
            if merged is not None:
                code = merged
                notes.append(f"with methods of {name} from {_describe_origin(one)}")
    current = reader.read(code, spec) or source
    needed = current.missing_names(spec)
    bound_names = set(current.bound_names) - needed
    pool = [(_describe_origin(one), one.source) for one in (*preceding, *following)]
    for code_shown in spec.visible_code:
        # The code of a prompt may end inside the entry point.
        attempts = (code_shown, *reader.complete_function(code_shown, "", spec, may_truncate=False))
        pool += [("the prompt", one) for one in (reader.read(each, spec) for each in attempts) if one is not None][:1]
    picked: dict[str, list[Part]] = {}
    for place, other in pool:
        parts = _pick_parts(other, needed, bound_names, current, spec)
        if parts:
            picked.setdefault(place, []).extend(parts)
    if not picked:
        return code, notes
    order = sorted(picked, key=lambda place: (place != "the prompt", place))
    notes.append("with imports or helpers from " + ", ".join(order))
    return join_parts([part for place in order for part in picked[place]], code), notes


def _describe_origin(candidate: _ProgramCandidate) -> str:
    return f"block {candidate.text.number}" if candidate.text.number else "elsewhere in the text"


def _pick_parts(
    other: ParsedCode, needed: set[str], bound_names: set[str], target: ParsedCode, spec: CodeSpec
) -> list[Part]:
    """Return the needed parts of another source, and the parts that these need in turn."""
    picked: list[Part] = []
    others = [one for one in other.parts if target.rebinds(spec.entry) or not one.binds & {spec.entry, spec.owner}]
    while additions := [one for one in others if one not in picked and _is_needed(one, needed, bound_names, target)]:
        picked += additions
        for part in additions:
            needed |= part.uses - bound_names
        bound_names |= {name for part in additions for name in part.binds}
        needed -= bound_names
    return [part for part in others if part in picked]


def _is_needed(part: Part, needed: set[str], bound_names: set[str], target: ParsedCode) -> bool:
    if part.is_import:
        is_used = part.binds & {*needed, *("*" if needed else "")} or part.code.startswith("from __future__ ")
        return part.code not in target.code and bool(is_used)
    return bool(part.binds & needed) and not part.binds & bound_names


# -- no definition of the entry point ----------------------------------------------------------------------------------


def _fallback_answer(
    final: FinalText,
    texts: Sequence[Block],
    candidates: Sequence[_ProgramCandidate],
    spec: CodeSpec,
    finish: str,
    prompt: str,
) -> ExtractedAnswer:
    """Return the program to run if nothing defines the entry point.

    That is its longest broken definition, else the longest program that parses, else the longest block.
    """
    blocks = [text for text in texts if text.number]
    native = [text for text in blocks if not _is_foreign(text.language, spec.language)]
    if blocks and not native and is_refusal(final.text):
        return classify_missing_answer(final, finish, missing="code")
    native = native or blocks
    is_cut_off = bool(native) and not native[-1].closed and (bool(spec.entry) or _read_text(native[-1], spec) is None)
    if finish == "length" or is_cut_off:
        return classify_missing_answer(final, finish, is_cut_off=is_cut_off, missing="code")
    if not spec.reader.can_parse:
        # The last text with at least half as many lines as the longest.
        tagged = [text for text in native if text.language]
        eligible = [text for text in tagged if text.language == spec.language] or tagged or native or texts
        sizes = [text.code.strip("\n").count("\n") + 1 for text in eligible]
        last = [text for text, size in zip(eligible, sizes, strict=True) if size * 2 >= max(sizes)][-1]
        if has_no_content(last.code) or is_refusal(last.code if last.number else final.text):
            return classify_missing_answer(final, finish, missing="code")
        code = next(spec.reader.complete_function(prompt, last.code, spec, may_truncate=not last.number), last.code)
        return ExtractedAnswer(code.strip("\n"), f"took {_describe_place(last, texts)}, the last program")
    attempts = [(text, text.code) for text in texts if spec.reader.looks_like_definition(text.code, spec.entry)]
    accepted = [one for one in candidates if any(part.binds or part.is_import for part in one.source.parts)]
    programs = attempts or [(one.text, one.source.code) for one in accepted]
    programs = programs or [(text, text.code) for text in native if not is_refusal(text.code)]
    if not programs and texts and _is_indented_code(texts[0].code) and not is_refusal(final.text):
        # The text continues the prompt, but together they do not parse.
        opening = next((text for text in _openings(prompt, spec) if _may_go_on(text, spec)), None)
        programs = [(texts[0], f"{opening}\n{texts[0].code}")] if opening is not None else []
    if not programs:
        return classify_missing_answer(final, finish, missing="code")
    text, code = max(reversed(programs), key=lambda program: len(program[1]))
    missing = f"nothing defines {spec.entry}" if spec.entry else "the longest program"
    return ExtractedAnswer(code.strip("\n"), f"took {_describe_place(text, texts)}: {missing}")


def _is_indented_code(text: str) -> bool:
    return text.lstrip("\n").startswith(("  ", "\t")) and bool(_without_sentences(text))


def _without_sentences(text: str) -> str:
    """Return a text without the sentences at its beginning and end."""
    lines = text.strip().split("\n")
    while lines and (not lines[0].strip() or _SENTENCE.fullmatch(lines[0].strip())):
        lines.pop(0)
    while lines and (not lines[-1].strip() or _SENTENCE.fullmatch(lines[-1].strip())):
        lines.pop()
    return "\n".join(lines)
