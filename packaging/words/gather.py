"""Bring the catalogues up to date with the code: new texts come in without a translation, those that are gone leave.

What comes from tables below the window (actions, settings, gates, states) is gathered from the tables themselves.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]

import texts  # noqa: E402

WORDS = texts.ROOT / "resources" / "words"
CONTEXT = "Annotator"
Key = tuple[str, str]
_HEADER_FILES = ("annotator/services", "annotator/ui")


def table_texts() -> Iterator[str]:
    """Return the texts of the tables that the window shows: closed sets whose members stand in the code."""
    from annotator.base.settings import SETTINGS
    from annotator.construction.bugs import taxonomy
    from annotator.construction.bugs.taxonomy import FAMILIES
    from annotator.criteria.document.document_form import FIELDS, TITLES
    from annotator.evaluation.presets import PRESETS
    from annotator.formats.documents.datasheet_document import QUESTIONS
    from annotator.formats.format_registry import EXPORTS, IMPORTS
    from annotator.model import vocabulary
    from annotator.model.rows import bug_rows
    from annotator.model.rows.queue_rows import SORTS
    from annotator.services.judge import blind_judging
    from annotator.services.release.release_gates import KINDS
    from annotator.services.results import error_labels
    from annotator.ui.app.actions import ACTIONS, MENUS
    from annotator.ui.pages.page_registry import PAGES

    yield from MENUS
    for spec in ACTIONS:
        yield from (spec.text, spec.help)
    for entry in PAGES:
        yield from (entry.name, entry.help)
    for setting in SETTINGS:
        yield from (setting.name, setting.help, setting.section, setting.unit)
        yield from (name for name in map(setting.choice_name, setting.choices) if name.isascii() and name != "English")
    for fields in FIELDS.values():
        for field in fields:
            yield from (field.label, field.help, *(word for word in field.choices if " " in word))
    yield from TITLES.values()
    for question in QUESTIONS:
        yield question.text
    yield from (kind.name for kind in KINDS)
    for form in (*IMPORTS, *EXPORTS):
        yield from (form.title, form.description)
    yield from (preset.title for preset in PRESETS)
    for kind in (
        vocabulary.Outcome,
        vocabulary.RunState,
        vocabulary.TaskFamily,
        vocabulary.Difficulty,
        vocabulary.Verdict,
    ):
        yield from (str(item) for item in kind)
    for family in vocabulary.TaskFamily:
        yield str(family).capitalize()
    for verdict in vocabulary.Verdict:
        yield str(verdict).capitalize()
    yield from (name.replace("_", " ").capitalize() for name in bug_rows.LABELS)
    yield from (*SORTS, *FAMILIES, *bug_rows.REASONS, *map(str.capitalize, bug_rows.ASPECTS))
    yield from (*taxonomy.NOTES, *taxonomy.RULES, *vocabulary.QUESTION_TYPES, *error_labels.LABELS)
    yield from map(blind_judging.default_guidelines, blind_judging.KINDS)


def header_texts() -> Iterator[str]:
    """Return the titles of columns: of result tables, and those in the tuples called headers that pages have."""
    for folder in _HEADER_FILES:
        for path in sorted((texts.ROOT / folder).rglob("*.py")):
            code = path.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(code)) if "headers = (" in code or "Column" in code else ():
                for part in _titles(node):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield part.value


def _titles(node: ast.AST) -> list[ast.expr]:
    """Return the titles in a call of `Column` or one of its class methods, or in a tuple called headers."""
    if isinstance(node, ast.Call):
        maker = ast.unparse(node.func).split(".")
        return node.args[:1] if any(name.lower().endswith("column") for name in maker) else []
    is_row = isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple)
    if is_row and any(isinstance(target, ast.Name) and target.id == "headers" for target in node.targets):
        return node.value.elts
    return []


OTHERS = (
    "planned running paused done stopped waiting expert adjudicator owner evaluator reviewer open accepted rejected "
    "flagged skipped unproven proven disputed solution tests instruction requirement keywords similarity equals "
    "number customized proposed Language Area tie all draft confirmed framework tool concept "
    "original paraphrase human llm reference label language area task domain difficulty target "
    "setup vote run project annotator source release score proof decision prompt criterion comment judgement review "
    "subject change|"
    "model under test|release item|score set|test case|the file|the file with its log|"
    "in review|asked for|opening|the first|work|time|original|the reference|unit test|blank filling|"
    "finish reason|served by|replay|time-out|connection|not recorded|malformed answer|broken stream|no choices|"
    "answer too large|wrong content|batch expired|from the cache|request hash|scored as|retries|attempts|usage|because|"
    "matching tests|running tests|running tests without functions|measuring the strength of tests|"
    "running functions alone|running functions with shortened contexts|running subjects with their tests"
).replace("|", " | ")
"""Words of closed sets that stand in no table: states, roles, reasons of backups, what a damaged file holds, steps of
jobs."""


def other_texts() -> Iterator[str]:
    """Return the words of `OTHERS`: single ones, and phrases between bars."""
    first, *phrases = OTHERS.split(" | ")
    yield from first.split()
    yield from phrases


def wanted() -> dict[Key, None]:
    """Return every text the catalogue must hold, in the order of the code, each once."""
    found: dict[Key, None] = {}
    for path, tree in texts.sources_with_texts().items():
        for item in texts.catalogue_texts(path, tree):
            if item.text:
                found[item.text, item.note] = None
    plain: Iterable[str] = (*table_texts(), *header_texts(), *other_texts())
    for text in plain:
        if any(character.isalpha() for character in text):
            found.setdefault((text, ""), None)
    return found


def read(path: Path) -> dict[Key, str]:
    """Return the translations a catalogue holds."""
    if not path.exists():
        return {}
    found: dict[Key, str] = {}
    for context in ElementTree.parse(path).getroot().iter("context"):
        if context.findtext("name") == CONTEXT:
            for message in context.iter("message"):
                key = message.findtext("source") or "", message.findtext("comment") or ""
                found[key] = message.findtext("translation") or ""
    return found


def write(path: Path, language: str, translations: dict[Key, str]) -> None:
    """Write a catalogue; the words of Qt in it stay as they are."""
    qt_contexts = []
    if path.exists():
        root = ElementTree.parse(path).getroot()
        qt_contexts = [context for context in root.iter("context") if context.findtext("name") != CONTEXT]
    root = ElementTree.Element("TS", version="2.1", language=language, sourcelanguage="en")
    context = ElementTree.SubElement(root, "context")
    ElementTree.SubElement(context, "name").text = CONTEXT
    for (text, note), translation in translations.items():
        message = ElementTree.SubElement(context, "message")
        ElementTree.SubElement(message, "source").text = text
        if note:
            ElementTree.SubElement(message, "comment").text = note
        made = ElementTree.SubElement(message, "translation")
        made.text = translation
        if not translation:
            made.set("type", "unfinished")
    root.extend(qt_contexts)
    ElementTree.indent(root, " ")
    body = ElementTree.tostring(root, encoding="unicode")
    path.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n{body}\n', encoding="utf-8")


def main() -> int:
    missing = 0
    keys = wanted()
    for path in sorted(WORDS.glob("*.ts")):
        known = read(path)
        found = {key: known.get(key, "") for key in keys}
        write(path, path.stem, found)
        empty = sum(not text for text in found.values())
        missing += empty
        print(f"{path.name}: {len(keys)} texts, {empty} to translate, {len(set(known) - set(keys))} gone")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
