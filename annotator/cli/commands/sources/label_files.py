"""Import labels that people gave in other tools, for the command `import`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from annotator.base.errors import BadInputError, UsageError
from annotator.cli.command import Option, Texts
from annotator.cli.output import CommandAnswer, text_table, write_error
from annotator.services.project import search_index
from annotator.services.sources import label_import
from annotator.services.sources.label_plan import LabelChoices, split_people
from annotator.store.file.project_file import ProjectFile

_CHOICE_HINT = "To choose the field that a question sets: --as QUESTION=TARGET, such as --as quality=decision."
_SECTION = "labels from other tools"


@dataclass(frozen=True, kw_only=True)
class LabelFileOptions:
    """Options for importing a file of labels."""

    as_: Annotated[
        Texts, Option("QUESTION=TARGET", "what answers to it become; may be repeated", flag="--as", section=_SECTION)
    ] = ()
    word: Annotated[Texts, Option("VALUE=WORD", "what a value means, such as good=accept", section=_SECTION)] = ()
    person: Annotated[
        Texts,
        Option("NAME", "annotator of rows that name nobody, or 3=NAME for person 3 of the file", section=_SECTION),
    ] = ()
    add: Annotated[bool, Option(help="add the tasks that are not in the project as candidates", section=_SECTION)] = (
        False
    )
    study: Annotated[str, Option("NAME", "name of the study made from comparisons", section=_SECTION)] = ""


def label_choices(options: LabelFileOptions) -> LabelChoices:
    """Convert the options to `LabelChoices`. Raises `UsageError` for one that is not NAME=VALUE."""
    renamed, unnamed = split_people(options.person)
    if len(unnamed) > 1 or not all(renamed.values()):
        raise UsageError("Give --person NAME once, for rows that name nobody; all others must be NAME-IN-FILE=NAME.")
    return LabelChoices(
        targets=_pairs("--as QUESTION=TARGET", options.as_),
        words=_pairs("--word VALUE=WORD", options.word),
        people=renamed,
        person=unnamed[0] if unnamed else "",
        add=options.add,
        study=options.study,
    )


def _pairs(option_text: str, texts: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for item in texts:
        # Questions may hold an equals sign, targets and names do not.
        name, equals, value = item.rpartition("=")
        if not (equals and name and value):
            raise UsageError(f"Write {option_text}, not {item}.")
        pairs[name.strip()] = value.strip()
    return pairs


@contextmanager
def advise_skipping() -> Iterator[None]:
    """Add a hint at --skip-bad to errors that list bad rows."""
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
    previews = [label_import.preview_labels(store, path, choices) for path in paths]
    texts = [_preview_text(path, preview) for path, preview in zip(paths, previews, strict=True)]
    data = [{"file": path.name, "preview": preview} for path, preview in zip(paths, previews, strict=True)]
    return CommandAnswer({"previews": data}, "\n\n".join(texts) + "\n\nNothing was imported.")


def _preview_text(path: Path, label_preview: label_import.LabelPreview) -> str:
    questions = [(row.question, str(row.answers), ", ".join(row.values)[:50], row.target, str(row.taken))
                 for row in label_preview.questions]  # fmt: skip
    people = ", ".join(f"{name} ({count}{', new' if is_new else ''})" for name, count, is_new in label_preview.people)
    examples = [(row.subject[:40], row.person, row.moment[:16], f"{row.question}: {row.answer}"[:40], row.becomes[:40])
                for row in label_preview.examples]  # fmt: skip
    lines = [
        f"{path.name}: labels from {label_preview.tool}",
        f"{label_preview.matched} of {label_preview.tasks} tasks are in the project"
        + (f", {label_preview.added_tasks} to be added" if label_preview.added_tasks else ""),
        text_table(("question", "answers", "values", "becomes", "taken"), questions),
        f"people: {people or 'none named'}",
    ]
    if examples:
        lines.append(text_table(("subject", "who", "when", "answer", "becomes"), examples))
    lines += [f"bad: {error}" for error in label_preview.bad]
    lines += [f"{label_preview.known} known"] if label_preview.known else []
    return "\n".join([*lines, *_describe_skipped_rows(label_preview.left_out), *_hints(label_preview)])


def _hints(label_preview: label_import.LabelPreview) -> list[str]:
    hints = []
    if any(row.target == "nothing" for row in label_preview.questions):
        hints.append(_CHOICE_HINT)
    if label_preview.matched + label_preview.added_tasks < label_preview.tasks:
        hints.append("To add the tasks that are not in the project as candidates: --add.")
    if not label_preview.people:
        hints.append("To say who answered where the file does not: --person NAME.")
    return hints


def _describe_skipped_rows(rows: Sequence[str]) -> list[str]:
    """Return one line per reason to leave rows out."""
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        location, _, reason = row.partition(": ")
        by_reason.setdefault(reason, []).append(location.rpartition(":")[2])
    return [f"left out: {reason} (rows {_ranges(places)})" for reason, places in by_reason.items()]


def _ranges(numbers: Sequence[str]) -> str:
    """Return row numbers as ranges: 1-3, 7."""
    parts: list[tuple[int, int]] = []
    for number in sorted({int(one) for one in numbers}):
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
            reports.append(label_import.import_labels(store, path, choices, skip_bad=skip_bad))
    added = sum((Counter(report.added) for report in reports), Counter[str]())
    left_out = [row for report in reports for row in report.left_out]
    new_people = list(dict.fromkeys(name for report in reports for name in report.new_people))
    subjects, known_rows = (sum(getattr(report, name) for report in reports) for name in ("subjects", "known"))
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
