"""Import candidates, recorded answers, published tables and labels of other tools, and list the formats."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import takewhile
from pathlib import Path
from typing import Annotated

from annotator.base.errors import BadInputError, UsageError
from annotator.base.messages import Message
from annotator.cli.command import Argument, Option, Texts, command
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
from annotator.services.sources import import_preview, tool_labels
from annotator.services.sources import imports as importing
from annotator.services.sources.import_preview import ImportPreview, PreviewRow
from annotator.services.sources.label_plan import LabelChoices, split_people
from annotator.store.file.project_file import ProjectFile

_AUTO, _PUBLISHED, _LABELS = "auto", "published", "labels"
_MAX_REASON_CHARACTERS = 60
_STATE_WORDS = {"read": "to be added", "known": "known", "changed": "known, with different content", "bad": "bad"}
_FORMATS = (_AUTO, *(item.name for item in IMPORTS), *(item.name for item in RESPONSES))


_CHOICE_HINT = "To choose the field that a question sets: --as QUESTION=TARGET, such as --as quality=decision."
_LABEL_SECTION = "labels from other tools"


@dataclass(frozen=True, kw_only=True)
class LabelFileOptions:
    """Options for importing a file of labels."""

    as_: Annotated[
        Texts,
        Option(
            "QUESTION=TARGET",
            "what the answers to a question become; may be repeated",
            flag="--as",
            section=_LABEL_SECTION,
        ),
    ] = ()
    word: Annotated[Texts, Option("VALUE=WORD", "meaning of a value, such as good=accept", section=_LABEL_SECTION)] = ()
    person: Annotated[
        Texts,
        Option(
            "NAME", "annotator for rows without one; 3=NAME: annotator for the file's person 3", section=_LABEL_SECTION
        ),
    ] = ()
    add: Annotated[
        bool, Option(help="add the tasks that are not in the project as candidates", section=_LABEL_SECTION)
    ] = False
    study: Annotated[str, Option("NAME", "name of the study made from comparisons", section=_LABEL_SECTION)] = ""


def label_choices(options: LabelFileOptions) -> LabelChoices:
    """Convert the options to `LabelChoices`. Raises `UsageError` for one that is not NAME=VALUE."""
    renamed, unnamed = split_people(options.person)
    if len(unnamed) > 1 or not all(renamed.values()):
        raise UsageError("Give --person NAME once, for rows without a name; all others must be NAME-IN-FILE=NAME.")
    return LabelChoices(
        targets=dict(_parse_pairs("--as QUESTION=TARGET", options.as_)),
        words=dict(_parse_pairs("--word VALUE=WORD", options.word)),
        people=renamed,
        person=unnamed[0] if unnamed else "",
        add=options.add,
        study=options.study,
    )


def _parse_pairs(option_text: str, texts: Sequence[str], *, at_last: bool = True) -> import_preview.Pairs:
    """Split texts at their last or first equals sign. Raises `UsageError` for a text without a name or value."""
    pairs = []
    for text in texts:
        # Questions may hold an equals sign, and so may columns; their targets and fields do not.
        name, equals, value = text.rpartition("=") if at_last else text.partition("=")
        if not (equals and name.strip() and value.strip()):
            raise UsageError(f"Write {option_text}, not {text}.")
        pairs.append((name.strip(), value.strip()))
    return tuple(pairs)


@contextmanager
def advise_skipping() -> Iterator[None]:
    """Add a hint about --skip-bad to errors that list bad rows."""
    try:
        yield
    except BadInputError as error:
        hint = " To import only the good rows: --skip-bad." if error.details else ""
        raise BadInputError(f"{error.message}{hint}", details=error.details) from error


def refuse_choices(choices: LabelChoices) -> None:
    """Raise `UsageError` if label options are given for a file without labels."""
    if choices != LabelChoices():
        raise UsageError("--as, --word, --person, --add and --study are for labels: annotator import labels FILE.")


def preview_labels(store: ProjectFile, paths: Sequence[Path], choices: LabelChoices) -> CommandAnswer:
    """Show what importing labels would do."""
    previews = [tool_labels.preview_labels(store, path, choices) for path in paths]
    texts = [_label_preview_text(path, preview) for path, preview in zip(paths, previews, strict=True)]
    data = [{"file": path.name, "preview": preview} for path, preview in zip(paths, previews, strict=True)]
    return CommandAnswer({"previews": data}, "\n\n".join(texts) + "\n\nNothing was imported.")


def _label_preview_text(path: Path, label_preview: tool_labels.LabelPreview) -> str:
    questions = [(row.question, str(row.answers), ", ".join(row.values)[:50], row.target, str(row.taken))
                 for row in label_preview.questions]  # fmt: skip
    people = ", ".join(f"{name} ({count}{', new' if is_new else ''})" for name, count, is_new in label_preview.people)
    examples = [(row.subject[:40], row.person, row.moment[:16], f"{row.question}: {row.answer}"[:40], row.becomes[:40])
                for row in label_preview.examples]  # fmt: skip
    lines = [
        f"{path.name}: labels from {label_preview.tool}",
        f"{label_preview.matched} of {label_preview.tasks} tasks are in the project"
        + (f", {label_preview.added_tasks} to be added" if label_preview.added_tasks else ""),
        text_table(("question", "answers", "values", "becomes", "imported"), questions),
        f"people: {people or 'none named'}",
    ]
    if examples:
        lines.append(text_table(("subject", "who", "when", "answer", "becomes"), examples))
    lines += [f"bad: {error}" for error in label_preview.bad]
    lines += [f"{label_preview.known} known"] if label_preview.known else []
    return "\n".join([*lines, *_describe_skipped_rows(label_preview.left_out), *_label_hints(label_preview)])


def _label_hints(label_preview: tool_labels.LabelPreview) -> list[str]:
    hints = []
    if any(row.target == "nothing" for row in label_preview.questions):
        hints.append(_CHOICE_HINT)
    if label_preview.matched + label_preview.added_tasks < label_preview.tasks:
        hints.append("To add the tasks that are not in the project as candidates: --add.")
    if not label_preview.people:
        hints.append("To name the annotator of answers for which the file names none: --person NAME.")
    return hints


def _describe_skipped_rows(rows: Sequence[str]) -> list[str]:
    """Return one line per reason to leave rows out."""
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        location, _, reason = row.partition(": ")
        by_reason.setdefault(reason, []).append(location.rpartition(":")[2])
    return [f"left out: {reason} (rows {_format_ranges(places)})" for reason, places in by_reason.items()]


def _format_ranges(numbers: Sequence[str]) -> str:
    """Return row numbers as ranges: 1-3, 7."""
    parts: list[tuple[int, int]] = []
    for number in sorted({int(text) for text in numbers}):
        if parts and parts[-1][1] == number - 1:
            parts[-1] = (parts[-1][0], number)
        else:
            parts.append((number, number))
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)


def import_labels(store: ProjectFile, paths: Sequence[Path], choices: LabelChoices, *, skip_bad: bool) -> CommandAnswer:
    """Import labels, as one undoable change per file."""
    reports = []
    for path in paths:
        with advise_skipping():
            reports.append(tool_labels.import_labels(store, path, choices, skip_bad=skip_bad))
    added = sum((Counter(report.added) for report in reports), Counter[str]())
    left_out = [row for report in reports for row in report.left_out]
    new_people = list(dict.fromkeys(name for report in reports for name in report.new_people))
    subjects = sum(report.subjects for report in reports)
    known_rows = sum(report.known for report in reports)
    bad = [row for report in reports for row in report.bad]
    counts_text = ", ".join(f"{count} {target}" for target, count in sorted(added.items())) or "no new labels"
    lines = [f"{counts_text}; {known_rows} known" + (f", {subjects} candidates added" if subjects else "")]
    lines += [f"new annotators: {', '.join(new_people)}"] if new_people else []
    lines += [f"bad: {row}" for row in bad]
    for line in _describe_skipped_rows(left_out):
        write_error(line)
    hint = f" {_CHOICE_HINT}" if any("nothing was chosen" in row for row in left_out) else ""
    lines += [f"{len(left_out)} left out.{hint}"] if left_out else []
    data = {
        "added": dict(added), "known": known_rows, "subjects": subjects, "new_people": new_people, "left_out": left_out,
        "bad": bad, "change_ids": [report.changes.change_id for report in reports],
    }  # fmt: skip
    return CommandAnswer(data, "\n".join(lines), follow_up=lambda: search_index.complete_search_index(store))


@command("formats", "annotator formats")
def list_formats() -> CommandAnswer:
    """List the import and export formats."""
    imports, responses = (
        text_table(("name", "description", "example"), [(item.name, item.title, item.example) for item in items])
        for items in (IMPORTS, RESPONSES)
    )
    exports = text_table(("name", "description"), [(item.name, item.title) for item in EXPORTS])
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
            "NAME==VERSION", "required library or a file listing some; npm:NAME==VERSION: JavaScript; may be repeated"
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
    labels: LabelFileOptions,
) -> CommandAnswer:
    """Import candidates from files or folders."""
    choices = label_choices(labels)
    format, paths = _split_format((format, *(str(path) for path in paths)))
    if format == _LABELS or (format == _AUTO and tool_labels.find_label_tool(paths[0])):
        if options.preview:
            return preview_labels(store, paths, choices)
        return import_labels(store, paths, choices, skip_bad=options.skip_bad)
    refuse_choices(choices)
    pairs = _parse_pairs("--map FIELD=COLUMN", options.map, at_last=False)
    known_format = "" if format == _AUTO else format
    if options.preview and format != _PUBLISHED:
        return _show_previews(store, paths, known_format, pairs, skip_bad=options.skip_bad)
    mapping, ignored = import_preview.split_mapping(pairs)
    warnings: tuple[Message, ...] = ()
    if not known_format or any(item.name == format for item in IMPORTS):
        format, mapping, warnings = _plan_imports(paths, known_format, mapping, ignored)
    if format == _PUBLISHED:
        return _import_published(store, paths)
    if is_response_format(format):
        return _import_answers(store, display, format, paths, options.skip_bad)
    with advise_skipping():
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
    # The parser gives one list; the last word is always a file, even if it has the name of a format.
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


def _plan_imports(
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


def _write_plan(name: str, plan: import_preview.ImportPlan, *, is_chosen: bool) -> None:
    """Write to stderr how a file is read (unless the user chose that), then notes and warnings."""
    renamed = "".join(
        f", {field} {'=' if field in READING_WORDS else 'from'} {column}"
        for field, column in plan.mapping.items()
        if column
    )
    if not is_chosen:
        write_error(f"{name} read as {_describe_format(plan.format)}{renamed}.")
    for note in (*plan.notes, *plan.warnings):
        write_error(f"{name}: {note}")


def _describe_format(name: str) -> str:
    """Return a format's title, followed by its name for the command line in brackets."""
    titles = {item.name: item.title for item in IMPORTS} | {item.name: item.title for item in RESPONSES}
    return f"{titles.get(name, name)} ({name})"


def _show_previews(
    store: ProjectFile, paths: Sequence[Path], format: str, pairs: import_preview.Pairs, *, skip_bad: bool
) -> CommandAnswer:
    mapping, ignored = import_preview.split_mapping(pairs)
    texts, data = [], []
    for path in paths:
        preview = import_preview.preview_import(path, format, mapping, ignored, store)
        is_of_answers = is_response_format(preview.format)
        answers = recorded_answers.count_answers(store, preview.format, path, skip_bad) if is_of_answers else None
        texts.append(_preview_text(path.name, preview, answers))
        data.append(
            {
                "file": path.name,
                **{name: getattr(preview, name) for name in ("format", "recognised", "mapping", "ignored", "lacking")},
                "items": [_summarise_candidate(item) for item in preview.items],
                "rows": [{"line": row.line, "state": row.state, "reason": row.reason} for row in preview.rows],
                "bad": preview.errors,
                "warnings": [str(warning) for warning in preview.warnings],
                "notes": [str(note) for note in preview.notes],
                "answers": answers and {"read": answers[0], "for_items": answers[1]},
            }
        )
    return CommandAnswer({"previews": data}, "\n\n".join(texts) + "\nNothing was imported.")


def _preview_text(name: str, file_preview: ImportPreview, answer_counts: tuple[int, int] | None) -> str:
    """Return the preview of a file as text: its columns, its rows or number of answers, and the columns left out."""
    lines = [f"{name}: {_describe_format(file_preview.format)}"]
    if file_preview.columns:
        # A place within a column, such as prompt.raw, is read from that column.
        places = {field: file_preview.mapping.get(field, field) for field in FIELDS}
        fields = {name: field for field, place in places.items() for name in (place.partition(".")[0], place)}
        lines.append(
            text_table(
                ("column", "field"), [(column, fields.get(column, "left out")) for column in file_preview.columns]
            )
        )
    rows = [
        (str(row.line or ""), _describe_state(row), *_make_item_cells(row.item, row.reason))
        for row in file_preview.rows
    ]
    if answer_counts:
        lines.append(f"answers: {answer_counts[0]}, {answer_counts[1]} of them for items of this project")
    else:
        lines.append(text_table(("line", "state", "title", "language", "tests", "reference", "licence"), rows))
    counts = Counter[str](row.state for row in file_preview.rows)
    counts_text = ", ".join(f"{counts[state]} {word}" for state, word in _STATE_WORDS.items() if counts[state])
    lines += [f"{'the first rows' if file_preview.has_more else 'rows'}: {counts_text}"] if counts_text else []
    if file_preview.ignored:
        lines.append(f"columns left out: {', '.join(import_preview.name_columns(file_preview.ignored))}")
    if file_preview.lacking:
        names = ", ".join(file_preview.lacking)
        lines.append(f"imported by the first items but not in the sandbox: {names} (add them with --library)")
    lines += [f"bad: {error}" for error in file_preview.errors]
    return "\n".join([*lines, *map(str, (*file_preview.notes, *file_preview.warnings))])


def _describe_state(row: PreviewRow) -> str:
    return f"{row.state} ({row.reason})" if row.reason and row.item else row.state


def _make_item_cells(item: Candidate | None, reason: str) -> tuple[str | int, ...]:
    """Return the cells of a candidate, or the reason why a row could not be read as one."""
    if item is None:
        is_short = len(reason) <= _MAX_REASON_CHARACTERS
        return (reason if is_short else f"{reason[: _MAX_REASON_CHARACTERS - 1]}…", "", "", "", "")
    return (item.title, item.language, str(len(item.tests)), bool(item.reference), item.licence or "?")


def _summarise_candidate(item: Candidate) -> dict[str, object]:
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
    unread_columns = (name for path in paths for name in import_preview.answer_columns_left_out(path, format))
    left_out = tuple(dict.fromkeys(unread_columns))
    data = {"added": report.added, "known": report.already_present}
    data |= {name: getattr(report, name) for name in names} | {"columns_left_out": left_out}
    return CommandAnswer(data, text + _describe_ignored(left_out))
