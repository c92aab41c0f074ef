"""The datasheet and the audit of a release as Markdown.

The datasheet has questions in seven sections, answered from the facts or by people, or left open; the sections are
those of Datasheets for Datasets, the wording is ours. The audit has a table per phase, with shares and no total.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from annotator.formats.documents.release_facts import DatasetFacts, bug_review_sentence
from annotator.formats.write.export_folder import markdown_line, markdown_text
from annotator.model.rows.audit_rows import phase_shares

SECTIONS = ("motivation", "composition", "collection", "preprocessing", "uses", "distribution", "maintenance")


@dataclass(frozen=True, slots=True)
class DatasheetQuestion:
    """A question of the datasheet; an open ``required`` question blocks a release."""

    id: str
    section: str
    text: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class DatasheetAnswer:
    """A question with its answers: ``facts`` from the project, and the text a ``person`` wrote; both may be set."""

    question: DatasheetQuestion
    facts: str
    person: str

    @property
    def open(self) -> bool:
        """Whether there is no answer at all."""
        return not self.facts and not self.person


QUESTIONS: tuple[DatasheetQuestion, ...] = (
    DatasheetQuestion("purpose", "motivation", "What was the benchmark made for, and which gap does it fill?", True),
    DatasheetQuestion("makers", "motivation", "Who made it, and on whose behalf?"),
    DatasheetQuestion("funding", "motivation", "Who paid for the work?"),
    DatasheetQuestion("instances", "composition", "What is an item, and how many are there of each kind?"),
    DatasheetQuestion("parts", "composition", "What does an item consist of, and what may be missing?"),
    DatasheetQuestion("sampling", "composition", "Are the items complete or a sample, and how was it drawn?"),
    DatasheetQuestion("splits", "composition", "Which splits are recommended?"),
    DatasheetQuestion("errors", "composition", "Which errors, noise or repetitions are known?"),
    DatasheetQuestion(
        "external", "composition", "Does it depend on external resources, such as repositories or websites?"
    ),
    DatasheetQuestion("sensitive", "composition", "Does it contain personal, confidential or offensive content?", True),
    DatasheetQuestion("sources", "collection", "Where were the candidates taken from?"),
    DatasheetQuestion("mechanism", "collection", "How were they collected and chosen, and by whom?"),
    DatasheetQuestion("timeframe", "collection", "Over which period were they collected?"),
    DatasheetQuestion("consent", "collection", "Did the authors of the sources know or agree, and under which terms?"),
    DatasheetQuestion("ethics", "collection", "Was there an ethical review?"),
    DatasheetQuestion("changes", "preprocessing", "How were the items rewritten, cleaned or labelled?"),
    DatasheetQuestion("raw", "preprocessing", "Is the raw material kept, and where?"),
    DatasheetQuestion("software", "preprocessing", "Which tools were used?"),
    DatasheetQuestion("used", "uses", "What has it been used for so far?"),
    DatasheetQuestion("suited", "uses", "What should it be used for, and what not?", True),
    DatasheetQuestion(
        "contamination", "uses", "How likely is it that models have seen the items, and what was done about it?"
    ),
    DatasheetQuestion("channel", "distribution", "How and where is it distributed, and since when?"),
    DatasheetQuestion("licence", "distribution", "Under which licences?"),
    DatasheetQuestion("restrictions", "distribution", "Do third parties or laws restrict its use?"),
    DatasheetQuestion("maintainer", "maintenance", "Who maintains it, and how are they reached?", True),
    DatasheetQuestion("updates", "maintenance", "Will it be updated, how often, and what happens to older versions?"),
    DatasheetQuestion("errata", "maintenance", "Which errors were found and fixed?"),
    DatasheetQuestion("contributions", "maintenance", "How can others contribute or report errors?"),
)


def make_datasheet_answers(facts: DatasetFacts) -> tuple[DatasheetAnswer, ...]:
    """Return every question with its answers from the facts and from people."""
    return tuple(
        DatasheetAnswer(
            question, _FROM_FACTS.get(question.id, _no_facts)(facts), facts.answers.get(question.id, "").strip()
        )
        for question in QUESTIONS
    )


def datasheet_text(facts: DatasetFacts) -> str:
    """Return DATASHEET.md; open questions are marked as such."""
    lines = [f"# Datasheet of {markdown_line(facts.project)} {markdown_line(facts.version)}", ""]
    answers = make_datasheet_answers(facts)
    for section in SECTIONS:
        lines += [f"## {section.capitalize()}", ""]
        for answer in answers:
            if answer.question.section != section:
                continue
            lines += [f"### {answer.question.text}", ""]
            lines += [markdown_text(answer.person), ""] if answer.person else []
            lines += [*map(_fact_line, answer.facts.split("\n")), ""] if answer.facts else []
            if answer.open:
                lines += ["*Open: nobody has answered this question yet.*", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _fact_line(text: str) -> str:
    mark = "- " if text.startswith("- ") else ""
    return mark + markdown_line(text.removeprefix(mark))


def _no_facts(_: DatasetFacts) -> str:
    return ""


def _count_line(title: str, counts: Mapping[str, int]) -> str:
    count_texts = ", ".join(f"{name or 'not set'} {count}" for name, count in counts.items())
    return f"- {title}: {count_texts}" if any(counts) else ""


def _describe_makers(facts: DatasetFacts) -> str:
    roles: dict[str, list[str]] = {}
    for person in facts.authors:
        roles.setdefault(person.role, []).append(person.name)
    return "\n".join(f"- {role}: {', '.join(names)}" for role, names in roles.items())


def _describe_instances(facts: DatasetFacts) -> str:
    groups = (_count_line(name.replace("_", " "), counts) for name, counts in facts.counts.items())
    return "\n".join([f"{facts.items} items.", "", *(line for line in groups if line)]).rstrip()


def _describe_parts(facts: DatasetFacts) -> str:
    sentence = (
        f"A prompt, its labels, a reference, tests and a criterion. Of {facts.items} items {facts.with_tests} have "
        f"tests and {facts.with_criterion} a criterion."
    )
    if not facts.modes:
        return sentence
    judged, shared = facts.modes.get("judged", 0), facts.modes.get("shared", 0)
    return (
        f"{sentence} The tests of {judged} run apart from the answer (mode judged), those of {shared} in one process "
        "with it (mode shared)."
    )


def _describe_errors(facts: DatasetFacts) -> str:
    lines = list(facts.errata)
    if facts.modes.get("shared"):
        lines.append(
            f"The tests of {facts.modes['shared']} of {facts.items} items run in the same process as the "
            "answer (mode shared), so an answer written to cheat could reach them."
        )
    if facts.overridden:
        lines.append(f"Released with unmet gates: {', '.join(facts.overridden)}. Reason: {facts.override_reason}")
    lines += [f"A gate was overridden for {override}" for override in facts.overrides[len(facts.overridden) :]]
    return "\n".join(f"- {line}" for line in lines)


def _describe_sources(facts: DatasetFacts) -> str:
    lines = [f"- {name}: {count} items" for name, count in facts.datasets.items() if name]
    for source in facts.sources:
        counts = ", ".join(f"{name} {count}" for name, count in sorted(source.counts.items()))
        read_suffix = f", read {source.read_at[:10]}" if source.read_at else ""
        lines.append(f"- {source.name} ({source.kind}{read_suffix}){': ' + counts if counts else ''}")
    return "\n".join(lines)


_MINED = {
    "published": "mined from repositories with the decisions of the published scripts",
    "own": "mined from repositories by this program's own rules",
}


def _describe_mechanism(facts: DatasetFacts) -> str:
    decision_count = sum(person.decisions for person in facts.contributors)
    decider_count = sum(person.decisions > 0 for person in facts.contributors)
    lines = [
        f"- {reason or 'no reason given'}: {count} candidate{'s' * (count != 1)} rejected"
        for reason, count in facts.filters.items()
    ]
    lines += [
        f"- {count} {'item' if count == 1 else 'items'} {_MINED[rules]}"
        for rules, count in facts.mining_rules.items()
        if rules in _MINED
    ]
    if decision_count:
        lines.append(f"- {decision_count} decisions by {decider_count} {'person' if decider_count == 1 else 'people'}")
    if review_sentence := bug_review_sentence(facts):
        lines.append(f"- {review_sentence}")
    return "\n".join(lines)


def _describe_timeframe(facts: DatasetFacts) -> str:
    days = sorted(source.read_at[:10] for source in facts.sources if source.read_at)
    if len(set(days)) <= 1:
        return f"Read on {days[0]}." if days else ""
    return f"Read between {days[0]} and {days[-1]}."


def _describe_changes(facts: DatasetFacts) -> str:
    if not facts.paraphrased:
        return ""
    return f"The prompts of {facts.paraphrased} of {facts.items} items were rewritten by experts."


def _describe_licence(facts: DatasetFacts) -> str:
    return "\n".join(f"- {name or 'not known'}: {count} items" for name, count in facts.licences.items())


def _describe_updates(facts: DatasetFacts) -> str:
    return "\n".join(
        f"- {version.version}, {version.created_at[:10]}: {version.items} items{_notes_suffix(version.notes)}"
        for version in facts.versions
    )


def _notes_suffix(notes: str) -> str:
    return f" ({' '.join(notes.split())})" if notes.strip() else ""


_FROM_FACTS: Mapping[str, Callable[[DatasetFacts], str]] = {
    "purpose": lambda facts: facts.description,
    "makers": _describe_makers,
    "instances": _describe_instances,
    "parts": _describe_parts,
    "splits": lambda facts: f"One split for evaluation, test, with {facts.items} items.",
    "errors": _describe_errors,
    "sources": _describe_sources,
    "mechanism": _describe_mechanism,
    "timeframe": _describe_timeframe,
    "changes": _describe_changes,
    "software": lambda facts: ", ".join(facts.tools),
    "channel": lambda facts: f"Released on {facts.date}{' at ' + facts.url if facts.url else ''}.",
    "licence": _describe_licence,
    "updates": _describe_updates,
    "errata": lambda facts: "\n".join(f"- {line}" for line in facts.errata),
}


def audit_text(project: str, version: str, rows: Sequence[Mapping[str, object]]) -> str:
    """Return AUDIT.md."""
    lines = [f"# Audit of {markdown_line(project)} {markdown_line(version)}".rstrip(), ""]
    lines += ["| phase | met | not met | open | not applicable |", "|---|---:|---:|---:|---:|"]
    shares = phase_shares(rows)
    lines += [
        f"| {share.phase} | {share.met} of {share.points} | {share.not_met} | {share.open} | {share.not_applicable} |"
        for share in shares
    ]
    lines += ["", "Evidence comes from the project, statements from people. A point without either is open.", ""]
    for share in shares:
        lines += [f"## {share.phase}", "", "| point | state | by | evidence or statement |", "|---|---|---|---|"]
        lines += [_audit_line(row) for row in rows if row["phase"] == share.phase]
        lines += [""]
    return "\n".join(lines)


def _audit_line(row: Mapping[str, object]) -> str:
    evidence = [str(row["evidence"])]
    if row["threshold"] is not None and row["value"] is not None:
        evidence.append(f"({row['value']:g}; {'at most' if row['at_most'] else 'at least'} {row['threshold']:g})")
    if row["statement"]:
        evidence.append(f"{row['person']}, {str(row['stated_at'])[:10]}: {row['statement']}")
    cells = (str(row["state"]), str(row["by"]), " ".join(part for part in evidence if part))
    return f"| {row['text']} (`{row['id']}`) | {' | '.join(map(markdown_line, cells))} |"
