"""Import candidates, recorded answers and published tables, and list the formats."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import takewhile
from pathlib import Path
from typing import Annotated

from annotator.base.errors import UsageError
from annotator.base.messages import Message
from annotator.cli.command import Argument, Option, Texts, command
from annotator.cli.commands.sources import label_files
from annotator.cli.open_project import ProjectOption
from annotator.cli.output import CommandAnswer, text_table, write_error
from annotator.cli.progress_display import ProgressDisplay
from annotator.formats.format_registry import EXPORTS, IMPORTS, RESPONSES, is_response_format
from annotator.formats.read.field_names import FIELDS, READING_WORDS
from annotator.formats.read.import_records import Candidate
from annotator.formats.recognition import OWN_FORMAT
from annotator.services.project import search_index
from annotator.services.results import published_tables
from annotator.services.runs import recorded_answers
from annotator.services.sources import import_preview, label_import
from annotator.services.sources import imports as importing
from annotator.services.sources.import_preview import ImportPreview, PreviewRow
from annotator.store.file.project_file import ProjectFile

_AUTO, _PUBLISHED, _LABELS = "auto", "published", "labels"
_REASON_SHOWN = 60
_STATES = {"read": "to be added", "known": "known", "changed": "known, with different content", "bad": "bad"}
_FORMATS = (_AUTO, *(item.name for item in IMPORTS), *(item.name for item in RESPONSES))


@command("formats", "annotator formats")
def list_formats() -> CommandAnswer:
    """List the formats of import and export."""
    imports, responses = (
        text_table(("name", "what", "example"), [(item.name, item.title, item.example) for item in items])
        for items in (IMPORTS, RESPONSES)
    )
    exports = text_table(("name", "what"), [(item.name, item.title) for item in EXPORTS])
    text = f"import\n{imports}\n\nimport of responses\n{responses}\n\nexport\n{exports}"
    data = {
        name: [{"name": item.name, "title": item.title, "description": item.description} for item in items]
        for name, items in (("import", IMPORTS), ("responses", RESPONSES), ("export", EXPORTS))
    }
    return CommandAnswer(data, text)


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """Options for reading files of candidates."""

    map: Annotated[
        Texts,
        Option(
            "FIELD=COLUMN",
            "read FIELD from COLUMN; also ignore=COLUMN, encoding=NAME, sheet=NAME, heads=none, rows=LIST, "
            "html=keep; may be repeated",
        ),
    ] = ()
    licence: Annotated[str, Option("NAME", "licence of candidates whose row states none, such as MIT")] = ""
    library: Annotated[
        Texts,
        Option(
            "NAME==VERSION",
            "required library or a file listing some; npm:NAME==VERSION: JavaScript; may be repeated",
        ),
    ] = ()
    skip_bad: Annotated[bool, Option(help="import the good rows and report the bad ones")] = False
    preview: Annotated[bool, Option(help="show what would happen to each row; import nothing")] = False


@command("import", "annotator import HumanEval.jsonl.gz --project p.annotator")
def import_files(
    display: ProgressDisplay,
    *,
    format: Annotated[
        str, Argument("FORMAT", "see annotator formats; default: detected from the content", _FORMATS, str)
    ] = _AUTO,
    paths: Annotated[
        tuple[Path, ...], Argument("PATH", "a file or a folder; - for JSON lines from stdin", stdin=".jsonl")
    ],
    store: ProjectOption,
    options: ReadingOptions,
    labels: label_files.LabelFileOptions,
) -> CommandAnswer:
    """Import candidates from files or folders."""
    choices = label_files.label_choices(labels)
    format, paths = _split_format((format, *(str(path) for path in paths)))
    if format == _LABELS or (format == _AUTO and label_import.find_label_tool(paths[0])):
        if options.preview:
            return label_files.preview_labels(store, paths, choices)
        return label_files.import_labels(store, paths, choices, skip_bad=options.skip_bad)
    label_files.refuse_choices(choices)
    mapping, ignored = import_preview.split_mapping(_parse_mappings(options.map))
    known_format = "" if format == _AUTO else format
    if options.preview and format != _PUBLISHED:
        return _show_previews(store, paths, known_format, mapping, ignored)
    warnings: tuple[Message, ...] = ()
    if not known_format or any(item.name == format for item in IMPORTS):
        format, mapping, warnings = _plan(paths, known_format, mapping, ignored)
    if format == _PUBLISHED:
        return _import_published(store, paths)
    if is_response_format(format):
        return _import_answers(store, display, format, paths, options.skip_bad)
    with label_files.advise_skipping():
        report = importing.import_paths(
            store,
            format,
            paths,
            mapping=mapping,
            skip_bad=options.skip_bad,
            progress=display.start("Importing"),
            licence=options.licence,
            libraries=options.library,
        )
    data, text = _describe_import(report)
    data["warnings"] = [str(warning) for warning in warnings]
    # The candidates are committed and usable now; indexing them for search can follow the answer.
    return CommandAnswer(
        data, text, follow_up=lambda: search_index.complete_search_index(store, display.start("Indexing for search"))
    )


def _split_format(words: Sequence[str]) -> tuple[str, tuple[Path, ...]]:
    """Return the format named before the files, and the files. Raises `UsageError` if the first file does not exist."""
    names = list(takewhile(_FORMATS.__contains__, words[:-1]))
    files = words[len(names) :]
    if not Path(files[0]).exists() and (matches := get_close_matches(files[0], _FORMATS, n=1)):
        raise UsageError(f"{files[0]} is neither a file nor a format; did you mean {matches[0]}?")
    return names[-1] if names else _AUTO, tuple(map(Path, files))


def _describe_import(report: importing.ImportReport) -> tuple[dict[str, object], str]:
    """Return the data and the summary of an import; keys whose content differs are listed on stderr."""
    names = ("added", "known", "changed", "bad", "errors", "left_out", "converted", "changed_keys")
    for key in report.changed_keys:
        write_error(f"  {key}: known with different content, left unchanged")
    if report.converted:
        write_error(str(import_preview.note_on_markup(", ".join(report.converted))))
    changed = f", {report.changed} known with different content (left unchanged)" if report.changed else ""
    text = f"{report.added} added, {report.known} known{changed}"
    text += _report_bad_rows(report.bad, report.errors) + _describe_ignored(report.left_out)
    return {name: getattr(report, name) for name in names}, text


def _plan(
    paths: Sequence[Path], format: str, mapping: dict[str, str], ignored: Sequence[str]
) -> tuple[str, dict[str, str], tuple[Message, ...]]:
    """Return the format and field mapping of the files, and the warnings, and write them to stderr.

    Raises `UsageError` if the files differ in format or mapping.
    """
    plans = [import_preview.plan_import(path, format, mapping, ignored) for path in paths]
    for path, plan in zip(paths, plans, strict=True):
        _write_plan(path.name, plan, is_chosen=format not in ("", OWN_FORMAT))
    first, *others = plans
    if any((plan.format, plan.mapping) != (first.format, first.mapping) for plan in others):
        raise UsageError("The files have different formats. Nothing was imported; import each format separately.")
    return first.format, first.mapping, tuple(warning for plan in plans for warning in plan.warnings)


def _parse_mappings(texts: Sequence[str]) -> list[tuple[str, str]]:
    pairs = []
    for text in texts:
        field, equals, column = text.partition("=")
        if not (field.strip() and equals and column.strip()):
            raise UsageError(f"--map takes FIELD=COLUMN, such as --map prompt=question; not {text}.")
        pairs.append((field.strip(), column))
    return pairs


def _write_plan(name: str, plan: import_preview.ImportPlan, *, is_chosen: bool) -> None:
    """Write to stderr how a file is read (unless the user chose that), then notes and warnings."""
    renamed = "".join(
        f", {field} {'=' if field in READING_WORDS else 'from'} {column}"
        for field, column in plan.mapping.items()
        if column
    )
    if not is_chosen:
        write_error(f"{name} read as {plan.format}{renamed}.")
    for note in (*plan.notes, *plan.warnings):
        write_error(f"{name}: {note}")


def _show_previews(
    store: ProjectFile, paths: Sequence[Path], format: str, mapping: Mapping[str, str], ignored: Sequence[str]
) -> CommandAnswer:
    previews = [import_preview.preview_import(path, format, mapping, ignored, store) for path in paths]
    texts = [_preview_text(path.name, file_preview) for path, file_preview in zip(paths, previews, strict=True)]
    data = [
        {
            "file": path.name,
            **{name: getattr(file_preview, name) for name in ("format", "recognised", "mapping")},
            "items": [_candidate_summary(item) for item in file_preview.items],
            "rows": [{"line": row.line, "state": row.state, "reason": row.reason} for row in file_preview.rows],
            "ignored": file_preview.ignored,
            "lacking": file_preview.lacking,
            "bad": file_preview.errors,
            "warnings": [str(warning) for warning in file_preview.warnings],
            "notes": [str(note) for note in file_preview.notes],
        }
        for path, file_preview in zip(paths, previews, strict=True)
    ]
    return CommandAnswer({"previews": data}, "\n\n".join(texts) + "\nNothing was imported.")


def _preview_text(name: str, file_preview: ImportPreview) -> str:
    """Return the preview of a file as text: its columns, its rows, and the columns left out."""
    lines = [f"{name}: {file_preview.format}"]
    if file_preview.columns:
        fields = {file_preview.mapping.get(field, field): field for field in FIELDS}
        lines.append(
            text_table(
                ("column", "field"), [(column, fields.get(column, "left out")) for column in file_preview.columns]
            )
        )
    rows = [(str(row.line or ""), _state(row), *_item_cells(row.item, row.reason)) for row in file_preview.rows]
    table = text_table(("line", "state", "title", "language", "tests", "reference", "licence"), rows)
    lines.append(table if rows else "model answers; only those for items of this project are kept")
    counts = Counter[str](row.state for row in file_preview.rows)
    counts_text = ", ".join(f"{counts[state]} {word}" for state, word in _STATES.items() if counts[state])
    lines += [f"{'the first rows' if file_preview.has_more else 'rows'}: {counts_text}"] if counts_text else []
    if file_preview.ignored:
        lines.append(f"columns left out: {', '.join(import_preview.name_columns(file_preview.ignored))}")
    if file_preview.lacking:
        names = ", ".join(file_preview.lacking)
        lines.append(f"imported by the first items but not in the sandbox: {names} (add them with --library)")
    lines += [f"bad: {error}" for error in file_preview.errors]
    return "\n".join([*lines, *map(str, (*file_preview.notes, *file_preview.warnings))])


def _state(row: PreviewRow) -> str:
    return f"{row.state} ({row.reason})" if row.reason and row.item else row.state


def _item_cells(item: Candidate | None, reason: str) -> tuple[str | int, ...]:
    """Return the cells of a candidate, or the reason why a row is none."""
    if item is None:
        return (reason if len(reason) <= _REASON_SHOWN else f"{reason[: _REASON_SHOWN - 1]}…", "", "", "", "")
    return (item.title, item.language, str(len(item.tests)), bool(item.reference), item.licence or "?")


def _candidate_summary(item: Candidate) -> dict[str, object]:
    return {
        **{name: getattr(item, name) for name in ("key", "title", "language")},
        "tests": len(item.tests),
        "reference": bool(item.reference),
        "licence": item.licence,
    }


def _report_bad_rows(bad: int, errors: Sequence[object]) -> str:
    """List the errors of bad rows on stderr, and return their count as the end of a sentence."""
    for error in errors:
        write_error(f"  {error}")
    return f", {bad} bad" if bad else ""


def _describe_ignored(columns: Sequence[str]) -> str:
    """Return the summary's line on the columns left out, or an empty text if all were read."""
    return f"\nColumns left out: {', '.join(import_preview.name_columns(columns))}" if columns else ""


def _import_published(store: ProjectFile, paths: Sequence[Path]) -> CommandAnswer:
    reports = [published_tables.import_published(store, path) for path in paths]
    names = [name for report in reports for name in report.names]
    data = {
        "added": sum(report.added for report in reports),
        "known": sum(report.already_present for report in reports),
        "tables": names,
    }
    text = f"{data['added']} added, {data['known']} known: {', '.join(names)}"
    return CommandAnswer(data, f"{text}\nNext: annotator results {store.place} --published {names[0]}")


def _import_answers(
    store: ProjectFile, display: ProgressDisplay, format: str, paths: Sequence[Path], skip_bad: bool
) -> CommandAnswer:
    report = recorded_answers.import_answers(store, format, paths, skip_bad, display.start("Importing"))
    names = ("left_out", "bad", "runs", "errors")
    text = f"{report.added} added, {report.already_present} known"
    if report.runs:
        text += f", {report.runs} runs"
    if report.left_out:
        text += f", {report.left_out} for items not in this project"
    text += _report_bad_rows(report.bad, report.errors)
    unread = (name for path in paths for name in import_preview.answer_columns_left_out(path, format))
    left_out = tuple(dict.fromkeys(unread))
    data = {"added": report.added, "known": report.already_present}
    data |= {name: getattr(report, name) for name in names} | {"columns_left_out": left_out}
    return CommandAnswer(data, text + _describe_ignored(left_out))
