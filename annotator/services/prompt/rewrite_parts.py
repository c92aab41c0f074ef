"""Read and write rewrites as text with headings: the form that models return and in which suggestions are stored."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, zip_longest
from typing import Any

from annotator.answers.choice import find_definition
from annotator.answers.code import code_spec_for
from annotator.answers.fences import language_of
from annotator.answers.finder import find_objects
from annotator.answers.sections import Section, split_sections
from annotator.base.errors import BadInputError
from annotator.mining.bare_functions import without_main
from annotator.mining.parity import ParityTable, parse_table
from annotator.mining.rendering import JAVA_CLASS, LANGUAGES, render_types
from annotator.mining.rewriting import TaskParameter, TaskSignature, read_signature, signature_text
from annotator.services.prompt.rewrites import RewriteWork
from annotator.services.suggestion_replies import read_description

PARTS = ("requirement", "signatures", "tests", "references")
"""The parts of a suggested rewrite that a person can accept; a language selects a single reference."""
TITLES: Mapping[str, str] = {
    "python": "Python", "javascript": "JavaScript", "typescript": "TypeScript", "java": "Java", "c++": "C++",
}  # fmt: skip
_SECTION_NAMES: Mapping[str, tuple[str, ...]] = {
    "requirement": ("requirement", "requirements"),
    "objective": ("objective", "objectives", "goal"),
    "signatures": ("signature", "signatures"),
    "parameters": ("parameter", "parameters", "arguments"),
    "result": ("result", "results", "returns", "constraints"),
    "changes": ("change", "changes", "twists"),
    "tests": ("test", "tests"),
    "checks": ("check", "checks"),
    **{language: (language,) for language in LANGUAGES},
}
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_LANGUAGE_LINE = re.compile(r"^(?P<label>[A-Za-z+#]+)(?:\s*\([^()]*\))?\s*[*_`]*\s*:\s*(?P<text>\S.*)$")
_PARAMETER_LINE = re.compile(
    r"^[*_`]*(?P<name>[A-Za-z_$][\w$]*)[*_`]*\s*(?:\([^()]*\))?[*_`]*\s*(?::|[-\u2013\u2014])\s*(?P<text>\S.*)$"
)
_FUNCTION_HEAD = re.compile(
    r"(?P<name>[A-Za-z_$][\w$]*)\s*(?:=\s*(?:async\s*)?(?:function\s*)?|<[^<>()]*>\s*)?\((?P<rest>.*)$", re.DOTALL
)
_STRING_LITERAL = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_NO_FUNCTION_STARTS = (
    "#", "//", "/*", "*", "import ", "from ", "using ", "class ", "public class ", "if ", "for ", "while "
)  # fmt: skip
_FAILED_PREFIX = "- ✗"
_ROW_LIST_KEYS = ("rows", "tests", "test_cases", "cases", "table", "testcases")
_ROW_KEYS: Mapping[str, tuple[str, ...]] = {
    "name": ("name", "title", "id"),
    "inputs": ("inputs", "input", "args", "arguments", "params"),
    "expected": ("expected", "expected_output", "output", "result"),
    "comparator": ("comparator", "compare", "comparison"),
}
_RAISES_KEYS = ("raises", "throws", "error", "exception")


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteParts:
    """The parts of a rewrite in a model's answer; missing parts are empty.

    ``signatures`` and ``references`` are by language, ``meanings`` describe the parameters, ``rows`` are rows of the
    table of tests as JSON objects that need not be valid.
    """

    requirement: str = ""
    objective: str = ""
    signatures: Mapping[str, TaskSignature] = field(default_factory=dict)
    meanings: Mapping[str, str] = field(default_factory=dict)
    result: str = ""
    twists: tuple[str, ...] = ()
    rows: tuple[Mapping[str, Any], ...] = ()
    references: Mapping[str, str] = field(default_factory=dict)

    def update(self, newer: RewriteParts) -> RewriteParts:
        """Return these parts with those of a newer answer in their place; rows are replaced or added by their name."""
        rows_by_name = {str(row.get("name")): row for row in self.rows}
        rows = {**rows_by_name, **{str(row.get("name")): row for row in newer.rows}}
        return RewriteParts(
            requirement=newer.requirement or self.requirement,
            objective=newer.objective or self.objective,
            signatures={**self.signatures, **newer.signatures},
            meanings={**self.meanings, **newer.meanings},
            result=newer.result or self.result,
            twists=newer.twists or self.twists,
            rows=tuple(rows.values()),
            references={**self.references, **newer.references},
        )


# -- read --------------------------------------------------------------------------------------------------------------


def read_parts(
    response: str,
    earlier_signatures: Mapping[str, TaskSignature] | None = None,
    *,
    only: str = "",
    earlier_rows: Sequence[Mapping[str, Any]] = (),
) -> RewriteParts:
    """Return the parts of a rewrite in a response.

    ``earlier_signatures`` are the signatures by language where the response does not give them.
    With ``only`` (``tests`` or a language), a response without headings is read as this part. Rows without a name get
    one that no other row has, neither here nor in ``earlier_rows``.
    """
    sections = split_sections(response, _SECTION_NAMES)
    if only and not sections:
        sections = {only: Section((response,))}
    signatures = _read_signatures(sections)
    earlier = earlier_signatures or {}
    all_signatures = {**signatures, **earlier} if only else {**earlier, **signatures}
    first = all_signatures.get("python") or next(iter(all_signatures.values()), TaskSignature(name="", parameters=()))
    references = {}
    for language in LANGUAGES:
        name = all_signatures.get(language, first).name
        code = _read_reference(sections.get(language), response, language, name, alone=only == language)
        if code:
            references[language] = code
    return RewriteParts(
        requirement=_read_section(sections.get("requirement")),
        objective=" ".join(_read_section(sections.get("objective")).split()),
        signatures=signatures,
        meanings=_read_meanings(sections.get("parameters")),
        result=" ".join(
            _strip_bullet(line) for line in _read_section(sections.get("result")).splitlines() if line.strip()
        ),
        twists=tuple(
            _strip_bullet(line) for line in _read_section(sections.get("changes")).splitlines() if line.strip()
        ),
        rows=_read_rows(sections.get("tests"), [item.name for item in first.parameters], earlier_rows),
        references=references,
    )


def _read_section(section: Section | None) -> str:
    return read_description(section.text) if section is not None else ""


def _strip_bullet(line: str) -> str:
    return _BULLET.sub("", line).strip()


def _read_meanings(section: Section | None) -> dict[str, str]:
    matches = (_PARAMETER_LINE.match(_strip_bullet(line)) for line in _read_section(section).splitlines())
    return {match["name"]: match["text"].strip() for match in matches if match is not None}


def _read_reference(section: Section | None, response: str, language: str, name: str, *, alone: bool) -> str:
    """Return the reference in a part, or in the whole response if only this part was asked for."""
    if not name:
        return ""
    entry = f"{JAVA_CLASS}.{name}" if language == "java" else name
    spec = code_spec_for(language, entry)
    for text in ([section.markdown] if section is not None else []) + ([response] if alone else []):
        definition = find_definition(text, spec)
        if definition is not None and definition.text.strip():
            return without_main(definition.text, language).strip() + "\n"
    return ""


def _read_signatures(sections: Mapping[str, Section]) -> dict[str, TaskSignature]:
    """Return the signatures by language: the lines of their part, else the code below a language's name."""
    signatures = {}
    section = sections.get("signatures")
    lines = section.lines if section is not None else ()
    for tag, line in lines:
        match = _LANGUAGE_LINE.match(_strip_bullet(line).strip("*_` "))
        language = language_of(match["label"]) if match is not None else ""
        text = match["text"] if match is not None and language in LANGUAGES else line
        language = language if language in LANGUAGES else language_of(tag)
        signature = read_any_signature(text, language)
        if signature is not None and (language in LANGUAGES or len(lines) == 1):
            signatures[language if language in LANGUAGES else "python"] = signature
    for language in LANGUAGES:
        code = sections[language].text if language in sections and language not in signatures else ""
        signature_in_code = _find_first_signature(code, language)
        if signature_in_code is not None:
            signatures[language] = signature_in_code
    return signatures


def _find_first_signature(code: str, language: str) -> TaskSignature | None:
    """Return the signature of the first function in code; comments and imports before it do not count."""
    lines = code.splitlines()
    for index, line in enumerate(lines):
        if "(" in line and not line.lstrip().startswith(_NO_FUNCTION_STARTS):
            return read_any_signature("\n".join(lines[index : index + 8]), language)
    return None


def read_any_signature(text: str, language: str) -> TaskSignature | None:
    """Return the signature in a line, in the notation of `signature_text` or of a language; None if there is none.

    Words before the name and default values are left out.
    """
    text = _STRING_LITERAL.sub("0", text).replace("`", "").strip()
    match = _FUNCTION_HEAD.search(text)
    if match is None:
        return None
    end = _find_closing_bracket(match["rest"])
    if end < 0:
        return None
    parameter_list, after_parameters = match["rest"][:end], match["rest"][end + 1 :].split("\n")[0].strip(" {;")
    parameters = tuple(_read_parameter(part, language) for part in _split_commas(parameter_list) if part.strip(" */"))
    returns = re.match(r"(?:->|=>|:)\s*(.+?)\s*:?$", after_parameters)
    words_before = text[: match.start()].split()
    result = ""
    if returns is not None:
        result = returns[1].rstrip(" :{")
    elif language in ("java", "c++"):
        result = " ".join(word for word in words_before if word not in _MODIFIER_WORDS)
    try:
        return read_signature(signature_text(TaskSignature(name=match["name"], parameters=parameters, returns=result)))
    except BadInputError:
        return None


_MODIFIER_WORDS = (
    "public", "private", "static", "final", "inline", "constexpr", "export", "default", "async", "function"
)  # fmt: skip


def _find_closing_bracket(text: str) -> int:
    depth = 1
    for index, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0:
            return index
    return -1


def _split_commas(text: str) -> list[str]:
    parts = [""]
    depth = 0
    for index, sign in enumerate(text):
        is_arrow = sign == ">" and text[index - 1 : index] in ("-", "=")
        depth += 0 if is_arrow else (sign in "([{<") - (sign in ")]}>")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def _read_parameter(text: str, language: str) -> TaskParameter:
    declaration = re.split(r"(?<![=<>!])=(?![=>])", text, maxsplit=1)[0].strip()
    name, colon, type_text = declaration.partition(":")
    if colon and not type_text.startswith(":"):  # a scope such as std:: is no type after a name
        return TaskParameter(name.strip("?* ") or "value", type_text.strip())
    words = re.split(r"[\s&*]+", declaration)
    if len(words) > 1 and language in ("java", "c++"):
        return TaskParameter(words[-1], declaration[: declaration.rfind(words[-1])].strip())
    return TaskParameter(declaration.strip("?* ") or "value")


def _read_rows(
    section: Section | None, parameters: Sequence[str], earlier: Sequence[Mapping[str, Any]]
) -> tuple[Mapping[str, Any], ...]:
    """Return the rows of a table, each with a name of its own: the JSON objects in it, or those in its list of rows."""
    if section is None:
        return ()
    code = "\n".join(block.code for block in section.blocks)
    rows: list[Mapping[str, Any]] = []
    for fields in find_objects(code or section.text):
        members = next((fields[key] for key in _ROW_LIST_KEYS if isinstance(fields.get(key), list)), [fields])
        rows += [_read_row(row, parameters) for row in members if isinstance(row, Mapping)]
    return tuple(_name_rows(rows, {_name_of_row(row) for row in earlier}))


def _name_of_row(row: Mapping[str, Any]) -> str:
    return str(row["name"]) if row.get("name") else ""


def _name_rows(rows: Sequence[Mapping[str, Any]], earlier: set[str]) -> Iterator[Mapping[str, Any]]:
    """Yield rows with different names: a row without one is numbered, and so is a name's second row."""
    used_names = {*earlier, *map(_name_of_row, rows)}
    earlier_names: set[str] = set()
    for row in rows:
        name = _name_of_row(row)
        if name and name not in earlier_names:
            earlier_names.add(name)
            yield row
            continue
        numbered = (f"{name} ({number})" for number in count(2)) if name else (f"row {number}" for number in count(1))
        new_name = next(item for item in numbered if item not in used_names)
        used_names.add(new_name)
        yield {**row, "name": new_name}


def _read_row(row: Mapping[str, Any], parameters: Sequence[str]) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for key, names in _ROW_KEYS.items():
        name = next((name for name in names if name in row), None)
        if name is not None:
            read[key] = row[name]
    inputs = read.get("inputs")
    if isinstance(inputs, Mapping) and parameters and set(inputs) == set(parameters):
        read["inputs"] = [inputs[name] for name in parameters]
    elif "inputs" in read and not isinstance(inputs, list):
        read["inputs"] = [inputs]
    is_error = any(row.get(name) for name in _RAISES_KEYS) and read.get("expected") is None
    if read.get("comparator") in _RAISES_KEYS or is_error:
        return {**{key: read[key] for key in ("name", "inputs") if key in read}, "comparator": "raises"}
    return {key: value for key, value in read.items() if key != "comparator" or value is not None}


# -- build -------------------------------------------------------------------------------------------------------------


def build_work(base: RewriteWork, parts: RewriteParts) -> RewriteWork:
    """Return a rewrite with the suggested parts in place of its own; raises `BadInputError` for invalid rows.

    Signatures in TypeScript, Java and C++ get the types of the values in the tests, those in JavaScript the same types
    as TypeScript.
    """
    table = parse_table({"rows": [dict(row) for row in parts.rows]}) if parts.rows else base.table
    common = parts.signatures.get("python") or next(iter(parts.signatures.values()), base.rewrite.after)
    common = _add_descriptions(common, parts)
    signatures = {
        language: _add_tested_types(
            _add_descriptions(parts.signatures.get(language, common), parts, common), common, table, language
        )
        for language in LANGUAGES
        if parts.signatures
    }
    rewrite = replace(
        base.rewrite,
        requirement=parts.requirement or base.rewrite.requirement,
        after=common,
        signatures=signatures or base.rewrite.signatures,
        twists=parts.twists or base.rewrite.twists,
    )
    return RewriteWork(rewrite, table, {**base.references, **parts.references})


def _add_descriptions(
    signature: TaskSignature, parts: RewriteParts, common: TaskSignature | None = None
) -> TaskSignature:
    """Return a signature with its objective, the meaning of its parameters, and the constraints on its result."""
    names = [item.name for item in (common or signature).parameters]
    parameters = []
    for number, item in enumerate(signature.parameters):
        common_name = names[number] if number < len(names) else ""
        meaning = parts.meanings.get(item.name) or parts.meanings.get(common_name, "") or item.meaning
        parameters.append(replace(item, meaning=meaning))
    return replace(
        signature,
        parameters=tuple(parameters),
        objective=parts.objective or signature.objective,
        constraints=parts.result or signature.constraints,
    )


def _add_tested_types(
    signature: TaskSignature, common: TaskSignature, table: ParityTable, language: str
) -> TaskSignature:
    types: Sequence[str] = [item.type for item in (common if language == "javascript" else signature).parameters]
    returns = signature.returns or common.returns
    try:
        tested_types, tested_result = render_types(table, "typescript" if language == "javascript" else language)
    except BadInputError:
        # C++ has no type for mixed values; the check of the tests reports that.
        tested_types, tested_result = (), ""
    if table.rows and language == "python":
        types = [written or tested for written, tested in zip_longest(types, tested_types, fillvalue="")]
        returns = returns or tested_result
    elif table.rows and tested_types:
        types = tested_types
        returns = tested_result
    parameters = tuple(
        replace(item, type=types[number] if number < len(types) else item.type)
        for number, item in enumerate(signature.parameters)
    )
    return replace(signature, parameters=parameters, returns=returns)


def select_parts(parts: RewriteParts, chosen_parts: Sequence[str]) -> RewriteParts:
    """Return only the chosen parts, or all parts if none are chosen.

    Raises `BadInputError` for an unknown part, and for one that the suggestion lacks.
    """
    if not chosen_parts:
        return parts
    languages = [name for name in LANGUAGES if name in chosen_parts or "references" in chosen_parts]
    if unknown := [name for name in chosen_parts if name not in (*PARTS, *LANGUAGES)]:
        raise BadInputError(f"A rewrite has no part {unknown[0]}. Choose from: {', '.join((*PARTS, *LANGUAGES))}.")
    signature_parts = (
        replace(parts, requirement="", rows=(), references={}) if "signatures" in chosen_parts else RewriteParts()
    )
    selected = replace(
        signature_parts,
        requirement=parts.requirement if "requirement" in chosen_parts else "",
        rows=parts.rows if "tests" in chosen_parts else (),
        references={name: parts.references[name] for name in languages if name in parts.references},
    )
    available = {
        "requirement": selected.requirement,
        "signatures": selected.signatures,
        "tests": selected.rows,
        "references": selected.references,
    }
    if missing := [name for name in chosen_parts if not available.get(name, selected.references.get(name))]:
        raise BadInputError(f"The suggestion lacks the part {missing[0]}, so nothing was accepted.")
    return selected


# -- write -------------------------------------------------------------------------------------------------------------


def write_parts(parts: RewriteParts, checks: Sequence[str] = ()) -> str:
    """Return parts as a text that `read_parts` can read; it begins with the results of the checks."""
    sections = [("Checks", "\n".join(f"- {line}" for line in checks))]
    sections += [("Requirement", parts.requirement), ("Objective", parts.objective)]
    sections.append(("Signatures", _write_signatures(parts.signatures)))
    sections.append(("Parameters", "\n".join(f"- {name}: {text}" for name, text in parts.meanings.items())))
    sections += [("Result", parts.result), ("Changes", "\n".join(f"- {text}" for text in parts.twists))]
    if parts.rows:
        sections.append(("Tests", f"```json\n{rows_text(parts.rows)}\n```"))
    for language in LANGUAGES:
        code = parts.references.get(language, "").strip("\n")
        sections.append((TITLES[language], f"```{language}\n{code}\n```" if code else ""))
    return "\n\n".join(f"## {title}\n\n{text}" for title, text in sections if text.strip()) + "\n"


def failed_checks(text: str) -> tuple[str, ...]:
    """Return the failed checks in a text written by `write_parts`."""
    section = split_sections(text, _SECTION_NAMES).get("checks")
    lines = section.text.splitlines() if section is not None else []
    return tuple(line.removeprefix(_FAILED_PREFIX).strip() for line in lines if line.startswith(_FAILED_PREFIX))


def _write_signatures(signatures: Mapping[str, TaskSignature]) -> str:
    return "\n".join(
        f"- {TITLES[language]}: {signature_text(signatures[language])}"
        for language in LANGUAGES
        if language in signatures
    )


def rows_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as a JSON list with one row per line."""
    lines = ",\n".join(f"  {json.dumps(dict(row), ensure_ascii=False)}" for row in rows)
    return f'{{"rows": [\n{lines}\n]}}'
