"""Import candidates, recorded answers and published tables, and list the formats."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from annotator.base.errors import BadInputError, UsageError
from annotator.cli.command import Argument, Option, Texts, command
from annotator.cli.open_project import ProjectOption
from annotator.cli.output import Answer, progress_line, table, write_error
from annotator.formats.read.candidates import Candidate
from annotator.formats.registry import EXPORTS, IMPORTS, RESPONSES, is_response_format
from annotator.services.project import search_index
from annotator.services.results import published_tables
from annotator.services.runs import recorded_answers
from annotator.services.sources import import_preview
from annotator.services.sources import imports as importing
from annotator.store.file.project_file import ProjectFile

_RECOGNISE, _PUBLISHED = "auto", "published"
_FORMATS = (_RECOGNISE, *(item.name for item in IMPORTS), *(item.name for item in RESPONSES))


@command("formats", "annotator formats")
def list_formats() -> Answer:
    """List what import and export know."""
    imports, responses = (
        table(("name", "what", "example"), [(item.name, item.title, item.example) for item in items])
        for items in (IMPORTS, RESPONSES)
    )
    exports = table(("name", "what"), [(item.name, item.title) for item in EXPORTS])
    text = f"import\n{imports}\n\nimport of responses\n{responses}\n\nexport\n{exports}"
    data = {
        name: [{"name": item.name, "title": item.title, "description": item.description} for item in items]
        for name, items in (("import", IMPORTS), ("responses", RESPONSES), ("export", EXPORTS))
    }
    return Answer(data, text)


@command("import", "annotator import humaneval HumanEval.jsonl.gz --project p.annotator")
def import_files(
    *,
    format: Annotated[str, Argument("FORMAT", "see annotator formats; auto recognises it", _FORMATS)],
    paths: Annotated[
        tuple[Path, ...], Argument("PATH", "a file or a folder; - for JSON lines from stdin", stdin=".jsonl")
    ],
    store: ProjectOption,
    map: Annotated[Texts, Option("FIELD=COLUMN", "where a field is found (jsonl); repeat it")] = (),
    licence: Annotated[str, Option("NAME", "of candidates whose row names none, such as MIT")] = "",
    library: Annotated[
        Texts,
        Option(
            "NAME==VERSION",
            "what the candidates need, or a file of such; npm:NAME==VERSION for JavaScript; repeat it",
        ),
    ] = (),
    skip_bad: Annotated[bool, Option(help="keep the good rows; bad ones are reported")] = False,
    preview: Annotated[bool, Option(help="show five items and the columns left out; import nothing")] = False,
) -> Answer:
    """Import candidates from files or folders."""
    mapping = _mapping_of(map)
    if format == _RECOGNISE and paths:
        format, mapping = import_preview.recognised_format(paths[0], mapping)
        renamed = "".join(f", {name} from {column}" for name, column in mapping.items())
        write_error(f"{paths[0].name} is read as {format}{renamed}.")
    if format == _PUBLISHED:
        return _import_published(store, paths)
    if preview:
        return _show_previews(paths, format, mapping)
    if is_response_format(format):
        return _import_answers(store, format, paths, skip_bad)
    warnings = [warning for path in paths for warning in _warn(path, format, mapping)]
    try:
        report = importing.import_paths(
            store,
            format,
            paths,
            mapping=mapping,
            skip_bad=skip_bad,
            progress=progress_line("import"),
            licence=licence,
            libraries=library,
        )
    except BadInputError as error:
        hint = " To do that: --skip-bad." if error.details else ""
        raise BadInputError(f"{error.message}{hint}", details=error.details) from error
    data = {name: getattr(report, name) for name in ("added", "known", "changed", "bad", "errors", "left_out")}
    data |= {"warnings": warnings, "changed_keys": report.changed_keys}
    text = f"{report.added} added, {report.known} known"
    for key in report.changed_keys:
        write_error(f"  {key}: known with other content, left as it was")
    if report.changed:
        text += f", {report.changed} known with other content (left as they were)"
    text += _report_bad_rows(report.bad, report.errors)
    text += _name_left_out(report.left_out)
    # They are in the project and can be worked on; only search has to catch up.
    return Answer(data, text, follow_up=lambda: search_index.complete(store, progress_line("search")))


def _mapping_of(pairs: Sequence[str]) -> dict[str, str]:
    mapping = {}
    for pair in pairs:
        field, equals, column = pair.partition("=")
        if not (field and equals and column):
            raise UsageError(f"--map takes FIELD=COLUMN, such as --map prompt=question; it was given {pair}.")
        mapping[field] = column
    return mapping


def _warn(path: Path, format: str, mapping: Mapping[str, str]) -> Sequence[str]:
    """Say before an import what speaks against the format; a file that cannot be read is refused by the import."""
    try:
        warnings = import_preview.format_warnings(path, format, mapping)
    except BadInputError:
        return ()
    for warning in warnings:
        write_error(f"{path.name}: {warning}")
    return [str(warning) for warning in warnings]


def _show_previews(paths: Sequence[Path], format: str, mapping: Mapping[str, str]) -> Answer:
    previews = [import_preview.preview_import(path, format, mapping) for path in paths]
    texts = []
    for path, found in zip(paths, previews, strict=True):
        rows = [
            (item.title, item.language, str(len(item.tests)), bool(item.reference), item.licence or "?")
            for item in found.items
        ]
        lines = [f"{path.name}: {found.format}", table(("title", "language", "tests", "reference", "licence"), rows)]
        lines += [_name_left_out(found.ignored).strip()] if found.ignored else []
        lines += [_lacking(found.lacking)] if found.lacking else []
        lines += [f"bad: {error}" for error in found.errors] + [str(warning) for warning in found.warnings]
        texts.append("\n".join(lines))
    data = [
        {
            "file": path.name,
            "format": found.format,
            "recognised": found.recognised,
            "items": [_item_shown(item) for item in found.items],
            "ignored": found.ignored,
            "lacking": found.lacking,
            "bad": found.errors,
            "warnings": [str(warning) for warning in found.warnings],
        }
        for path, found in zip(paths, previews, strict=True)
    ]
    return Answer({"previews": data}, "\n\n".join(texts) + "\nNothing was imported.")


def _lacking(modules: Sequence[str]) -> str:
    names = ", ".join(modules)
    return f"imported by the first items and not in the sandbox: {names} (name what they need with --library)"


def _item_shown(item: Candidate) -> dict[str, object]:
    return {
        "key": item.key,
        "title": item.title,
        "language": item.language,
        "tests": len(item.tests),
        "reference": bool(item.reference),
        "licence": item.licence,
    }


def _report_bad_rows(bad: int, errors: Sequence[object]) -> str:
    """List what is wrong with rows that were left out, and return how many they are, for the end of a sentence."""
    for error in errors:
        write_error(f"  {error}")
    return f", {bad} bad" if bad else ""


def _name_left_out(columns: Sequence[str]) -> str:
    """Return the line of a summary that names the columns left out; nothing where all were read."""
    return f"\nColumns left out: {', '.join(import_preview.name_columns(columns))}" if columns else ""


def _import_published(store: ProjectFile, paths: Sequence[Path]) -> Answer:
    reports = [published_tables.import_published(store, path) for path in paths]
    names = [name for report in reports for name in report.names]
    data = {
        "added": sum(report.added for report in reports),
        "known": sum(report.known for report in reports),
        "tables": names,
    }
    text = f"{data['added']} added, {data['known']} known: {', '.join(names)}"
    return Answer(data, f"{text}\nNext: annotator results {store.place} --published {names[0]}")


def _import_answers(store: ProjectFile, format: str, paths: Sequence[Path], skip_bad: bool) -> Answer:
    report = recorded_answers.import_answers(store, format, paths, skip_bad, progress_line("import"))
    names = ("added", "known", "left_out", "bad", "runs", "errors")
    text = f"{report.added} added, {report.known} known"
    if report.runs:
        text += f", {report.runs} runs"
    if report.left_out:
        text += f", {report.left_out} on nothing that is here"
    text += _report_bad_rows(report.bad, report.errors)
    unread = (name for path in paths for name in import_preview.answer_columns_left_out(path, format))
    left_out = tuple(dict.fromkeys(unread))
    data = {name: getattr(report, name) for name in names} | {"columns_left_out": left_out}
    return Answer(data, text + _name_left_out(left_out))
