"""Blind judging: create a study, export and import a rater's pairs, and report the agreement of the raters."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from annotator.base.errors import BadInputError, ExitCode, UsageError
from annotator.base.messages import message_for_count
from annotator.cli.command import (
    Argument,
    Option,
    Reason,
    Texts,
    command,
    parse_amount,
    parse_share,
    parse_whole,
    subjects_option,
)
from annotator.cli.open_project import Project, ReadOnlyProject
from annotator.cli.output import CommandAnswer, answer_changes, answer_list, read_text, text_table
from annotator.formats.write.export_folder import write_file
from annotator.services.judge import agreement, blind_judging, model_pairs, rater_changes, study_files
from annotator.services.judge.agreement import StudyReport, TextTable
from annotator.services.judge.blind_judging import HiddenNames
from annotator.services.judge.side_order import ServingPlan
from annotator.services.project import projects

_Study = Annotated[str | None, Option("NAME", "default: the newest")]
_KINDS = ("requirement", "paraphrase", "domain", "question_type", "response")


@dataclass(frozen=True, kw_only=True)
class PairOptions:
    """The name of a study, its pairs, and its raters."""

    name: Annotated[str, Option("N", "name of the study")]
    kind: Annotated[str, Option(help="what the pairs are", choices=_KINDS)]
    a: Annotated[str, Option("SIDE", "original, paraphrase, human, llm, reference, label or model:NAME")] = ""
    b: Annotated[str, Option("SIDE", "the other side of the pairs, as in --a")] = ""
    file: Annotated[Path | None, Option("F.jsonl", "JSON lines with subject, a and b instead", flag="--from")] = None
    rater: Annotated[Texts, Option("NAME", "may be repeated; new names are added to the project")] = ()
    subject: Annotated[Texts, subjects_option("default: all accepted subjects")] = ()


@dataclass(frozen=True, kw_only=True)
class ServingOptions:
    """How pairs are dealt to raters; the fields of a `ServingPlan`."""

    plan: Annotated[
        str, Option(help="how pairs are dealt to raters (all)", choices=("all", "balanced", "each", "overlap"))
    ] = "all"
    raters_per_pair: Annotated[int, Option("N", "raters per pair, for balanced (2)", parse=parse_whole)] = 2
    pairs_per_rater: Annotated[int, Option("N", "pairs per rater, for each")] = 0
    overlap: Annotated[float, Option("SHARE", "share judged by everyone, for overlap (0.2)", parse=parse_share)] = 0.2
    repeats: Annotated[float, Option("SHARE", "share shown again with the sides swapped (0.05)", parse=parse_share)] = (
        0.05
    )


@command(
    "judge new", "annotator judge new p.annotator --name first --kind response --a model:X --b model:Y --rater Ada"
)
def create_study(
    store: Project,
    *,
    pairing: PairOptions,
    serving: ServingOptions,
    guidelines: Annotated[Path | None, Option("F", "text shown beside the pairs")] = None,
    hide: Annotated[Texts, Option("WORD", "word to hide in the texts, such as a model name; may be repeated")] = (),
    preview: Annotated[bool, Option(help="show which words would be hidden in which pair; create nothing")] = False,
) -> CommandAnswer:
    """Create a study of pairs."""
    kind, a, b = pairing.kind, pairing.a, pairing.b
    if bool(pairing.file) == bool(a and b):
        raise UsageError("Give either --a and --b, or a file of pairs with --from.")
    if pairing.file:
        pairs = study_files.read_candidate_pairs(store, pairing.file)
    elif pairing.subject:
        pairs = blind_judging.candidate_pairs(store, kind, a, b, pairing.subject)
    else:
        pairs = blind_judging.candidate_pairs_of_accepted(store, kind, a, b)
    new_study = blind_judging.NewStudy(
        name=pairing.name,
        kind=kind,
        name_a=a or "a",
        name_b=b or "b",
        raters=pairing.rater or (store.annotator.name,),
        plan=ServingPlan(**asdict(serving)),
        guidelines=read_text(guidelines) if guidelines else "",
        hide=hide,
    )
    if preview:
        return _describe_hidden(blind_judging.preview_hidden(store, new_study, pairs))
    study_id, _ = blind_judging.create_blind_study(store, new_study, pairs, add_raters=True)
    [row] = [item for item in projects.list_studies(store) if item.id == study_id]
    identical_note = f" ({row.identical} with the same answer on both sides: ties, not judged)" if row.identical else ""
    return CommandAnswer(
        row, f"{_count_pairs(row.pairs)}{identical_note} for {', '.join(row.raters)}; commitment {row.commitment}"
    )


def _describe_hidden(hidden_names: Sequence[HiddenNames]) -> CommandAnswer:
    rows = [
        {"subject": item.pair.subject_id, "hidden": item.hidden, "a": item.pair.text_a, "b": item.pair.text_b}
        for item in hidden_names
    ]
    lines = [(item.pair.subject_id[:13], ", ".join(item.hidden) or "nothing") for item in hidden_names]
    return answer_list("pairs", rows, ("subject", "hidden in its texts"), lines)


@command("judge mine", "annotator judge mine p.annotator --annotator Bo")
def list_own_verdicts(store: Project, *, study: _Study = None) -> CommandAnswer:
    """List your own verdicts, with each pair as shown to you."""
    rows = blind_judging.my_verdicts(store, study)
    lines = [
        (row.pair.position + 1, row.title, row.choice.replace("_", " "), "again" if row.again else "",
         "" if row.seconds is None else f"{row.seconds:.0f} s", row.rationale, row.created_at)
        for row in rows
    ]  # fmt: skip
    heads = ("pair", "subject", "verdict", "shown", "time", "rationale", "at")
    return answer_list("verdicts", rows, heads, lines, (4,), none="You have not judged any pair of this study yet.")


@command("judge export", "annotator judge export p.annotator --annotator Bo --out bo.jsonl")
def export_pairs(
    store: Project,
    *,
    study: _Study = None,
    out: Annotated[Path, Option("F.jsonl", "file to write")],
    open: Annotated[bool, Option(help="only pairs not judged yet")] = False,
) -> CommandAnswer:
    """Write a rater's pairs, blind."""
    pairs = blind_judging.my_pairs(store, study, only_open=open)
    rater = store.annotator.name
    rows = [
        {"assignment": item.assignment_id, "pair": item.position + 1, "kind": item.kind, "question": item.question,
         "1": item.first, "2": item.second, "verdict": None, "rationale": "", "seconds": None, "skip": ""}
        for item in pairs
    ]  # fmt: skip
    write_file(out, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    data = {"file": str(out), "rater": rater, "pairs": len(rows)}
    return CommandAnswer(data, f"{_count_pairs(len(rows))} for {rater} written to {out.name}.")


@command("judge import", "annotator judge import p.annotator bo.jsonl --annotator Bo")
def import_judgements(
    store: Project,
    *,
    file: Annotated[Path, Argument("F.jsonl", "JSON lines with assignment, verdict, rationale, seconds, skip")],
) -> CommandAnswer:
    """Import a rater's judgements."""
    rows = study_files.read_judgements(file)
    added, known_count = blind_judging.import_judgements(store, rows)
    return CommandAnswer(
        {"added": added, "known": known_count},
        f"{added} judgement{'' if added == 1 else 's'} added, {known_count} known.",
    )


@command("judge skip", 'annotator judge skip p.annotator --pair 3 --reason "I wrote this answer"')
def skip_pair(
    store: Project,
    *,
    study: _Study = None,
    pair: Annotated[int, Option("N", "the number of your pair, as the window and judge export give it")],
    reason: Reason,
) -> CommandAnswer:
    """Skip one of your pairs; this is not a verdict, and the report shows the reason."""
    row = next((row for row in blind_judging.my_pairs(store, study) if row.position + 1 == pair), None)
    if row is None:
        raise BadInputError(f"You have no pair {pair} in this study.")
    return answer_changes(rater_changes.skip_pair(store, row.assignment_id, reason))


@command("judge take-up", "annotator judge take-up p.annotator")
def take_up_pairs(store: Project, *, study: _Study = None) -> CommandAnswer:
    """Return the pairs that you skipped to those you have to judge."""
    return answer_changes(rater_changes.take_up_skipped(store, study))


@command("judge hand-over", 'annotator judge hand-over p.annotator --from Bo --to Cy --reason "Bo is away"')
def hand_over_pairs(
    store: Project,
    *,
    study: _Study = None,
    from_rater: Annotated[str, Option("NAME", "the rater whose open pairs are handed over", flag="--from")],
    to_rater: Annotated[str, Option("NAME", "the rater who judges them now; new names are added", flag="--to")],
    reason: Reason,
) -> CommandAnswer:
    """Give an absent rater's open pairs to another person, which the history and the report record."""
    result = rater_changes.hand_over_pairs(store, study, from_rater, to_rater, reason, add_taker=True)
    text = f"{_count_pairs(result.moved)} of {from_rater} given to {to_rater}."
    if result.shared:
        text += f" {to_rater} already has {_count_pairs(result.shared)} of them; these stay with {from_rater}."
    if result.dropped:
        text += f" {_count_pairs(result.dropped)} that {from_rater} has judged once are not shown a second time."
    data = {"given": result.moved, "kept": result.shared, "dropped": result.dropped, "change": result.changes.change_id}
    return CommandAnswer(data, text)


@command("judge judgements", "annotator judge judgements p.annotator --jsonl", rows=True)
def list_judgements(store: ReadOnlyProject, *, study: _Study = None) -> CommandAnswer:
    """List the judgements of a study, once your batch is sealed."""
    fields = ("pair_id", "subject_id", "rater", "verdict", "both_bad", "serving", "seconds", "created_at", "late")
    rows = [dict(zip(fields, row, strict=True)) for row in agreement.judgement_rows(store, study)]
    lines = [
        (str(row["pair_id"])[:13], str(row["subject_id"])[:13], str(row["rater"]), str(row["verdict"]),
         bool(row["both_bad"]), str(row["serving"]), "n/a" if row["seconds"] is None else str(row["seconds"]),
         str(row["created_at"])[:16], "after unblinding" if row["late"] else "")
        for row in rows
    ]  # fmt: skip
    heads = ("pair", "subject", "rater", "verdict on A", "both bad", "serving", "seconds", "when (UTC)", "remark")
    return answer_list("judgements", rows, heads, lines, (5, 6), none="No judgements yet.")


@command("judge agreement", "annotator judge agreement p.annotator --rate 7.5")
def report_agreement(
    store: Project,
    *,
    study: _Study = None,
    margin: Annotated[float, Option(help="margin for non-inferiority: worse on at most this share (0.1)")] = 0.1,
    rate: Annotated[float, Option("MONEY", "cost of a rater's hour", parse=parse_amount)] = 0.0,
    currency: Annotated[str, Option("C", "currency of --rate ($)")] = "$",
    bad_apart: Annotated[
        bool, Option(help='do not treat "both bad" as a tie in coefficients', flag="--both-bad-apart")
    ] = False,
) -> CommandAnswer:
    """Show the result of a study and the agreement of its raters."""
    if not margin <= 1:
        raise BadInputError("The margin must be between 0 and 1.")
    report = agreement.study_report(store, study, margin=margin, rate=rate, currency=currency, bad_apart=bad_apart)
    return CommandAnswer(report, _describe(report))


@command("judge models", "annotator judge models p.annotator")
def compare_models(store: ReadOnlyProject) -> CommandAnswer:
    """Compare models over all unblinded studies, by pair and by Bradley-Terry scores."""
    comparison = model_pairs.compare_models(store)
    return CommandAnswer(
        comparison,
        "\n\n".join(
            [*_render_tables(model_pairs.model_pair_tables(comparison)), *model_pairs.model_pair_notes(comparison)]
        ),
    )


@command("judge verify", "annotator judge verify p.annotator")
def verify_map(store: Project, *, study: _Study = None) -> CommandAnswer:
    """Verify that nobody changed a study's pairs or the assignment of their sides since it was created."""
    check = blind_judging.verify_study(store, study)
    result_words = {True: "holds", False: "does NOT hold"}
    text = (
        f"commitment {check.commitment}\nmap {result_words[check.map_ok]}, pairs {result_words[check.pairs_ok]}, "
        f"orders {result_words[check.orders_ok]}, ties {result_words[check.ties_ok]}"
    )
    data = {name: getattr(check, name) for name in ("commitment", "map_ok", "pairs_ok", "orders_ok", "ties_ok", "ok")}
    return CommandAnswer(data, text, ExitCode.DONE if check.ok else ExitCode.BAD_INPUT)


@command("judge seal", "annotator judge seal p.annotator")
def seal_batch(store: Project, *, study: _Study = None) -> CommandAnswer:
    """Finish your batch; this cannot be undone."""
    return answer_changes(blind_judging.seal_own_batch(store, study))


@command("judge unblind", 'annotator judge unblind p.annotator --reason "all batches are sealed"')
def unblind_study(
    store: Project,
    *,
    study: _Study = None,
    reason: Reason,
    close_unsealed: Annotated[bool, Option(help="unblind even if some raters have not sealed their batch")] = False,
) -> CommandAnswer:
    """Reveal what was compared; this is logged and ends the study."""
    names, changes = blind_judging.unblind_sides(store, study, reason, close_unsealed=close_unsealed)
    return CommandAnswer(
        {"a": names[0], "b": names[1], "change": changes.change_id}, f"A is {names[0]}, B is {names[1]}."
    )


def _count_pairs(count: int) -> str:
    return message_for_count("{count} pair", "{count} pairs", count)


def _render_tables(sections: tuple[TextTable, ...]) -> list[str]:
    return [text_table(section.headers, section.rows, section.right) for section in sections if section.rows]


def _describe(report: StudyReport) -> str:
    a, b = report.names
    parts = [
        f"{report.study} ({report.kind}): {a} against {b}, {report.judged_pairs} of "
        f"{_count_pairs(report.pairs - report.identical)} judged; {report.raters_done} of {len(report.batches)} raters "
        "have finished",
        *_render_tables(agreement.study_tables(report)),
        *agreement.study_notes(report),
    ]
    return "\n\n".join(parts)
