"""Mine functions with tests from Python repositories, and choose a benchmark from them."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated, Literal, TextIO

from annotator.base.errors import ExitCode, MissingEnvironmentError, UsageError
from annotator.base.open_files import refuse_replacing_project
from annotator.base.records import record_from
from annotator.cli.command import Annotator, Anyway, Argument, OneOf, Option, Texts, command, parse_whole
from annotator.cli.open_project import Project, open_project
from annotator.cli.output import CommandAnswer, Value, text_table, write_error
from annotator.cli.progress_display import ProgressDisplay
from annotator.mining.repository.discovery.discovery_filters import CONTEXT_LIMIT, LINES, Rules
from annotator.mining.repository.discovery.repository_facts import read_metadata
from annotator.mining.repository.fetching.source_names import read_sources
from annotator.mining.repository.rows import MinedSubject, count_failures, rejection_reasons
from annotator.services.sources import repository_mining
from annotator.services.sources.repository_mining import MiningOutcome, mined_function_name

RECIPES = ("domaineval", "evocodebench")
_TARGET = OneOf(required=True)
_Limit = Annotated[
    int, Option("N", "maximum number of characters of a function with its context (default: 6000)", parse=parse_whole)
]
_SOURCES_HELP = (
    "addresses (https or ssh) and folders, with @ and a commit, tag or date; packages (name==version), archives, or "
    "files with one of these per line"
)


@dataclass(frozen=True, kw_only=True)
class RowTarget:
    """The destination of mined rows: a file or a project."""

    out: Annotated[Path | None, Option("F.jsonl", "file for the rows, one per line", among=_TARGET)] = None
    project: Annotated[Path | None, Option("P", "import the rows into this project", among=_TARGET)] = None
    annotator: Annotator = None


@dataclass(frozen=True, kw_only=True)
class RepositoryOptions:
    """Options for reading repositories and selecting functions."""

    domain: Annotated[str, Option("D", "domain of the repositories (default: guessed)")] = ""
    recipe: Annotated[
        Literal["domaineval", "evocodebench"],
        Option(help="benchmark whose rules to apply (default: domaineval)", choices=RECIPES),
    ] = "domaineval"
    metadata: Annotated[
        Path | None, Option("F.json", "facts about the repository in GitHub's field names, for one SOURCE")
    ] = None
    lines: Annotated[str | None, Option("N-N", "allowed lines of code of a function (default: 3-100)")] = None
    months: Annotated[int, Option("N", "maximum age of a repository, for evocodebench", parse=parse_whole)] = 6
    take: Annotated[Texts, Option("PATH::NAME", "keep this function even if filters exclude it")] = ()
    no_history: Annotated[bool, Option(help="fetch only the commit; functions then have no dates")] = False
    static_only: Annotated[bool, Option(help="only read code; run nothing in the sandbox")] = False
    all: Annotated[bool, Option(help="keep rows that a filter excluded, marked as such")] = False
    paper_mode: Annotated[bool, Option(help="decide as the recipe's published scripts do")] = False
    context_limit: _Limit = CONTEXT_LIMIT

    def settings(self) -> repository_mining.MiningOptions:
        """Return the rules to mine by."""
        return record_from(
            repository_mining.MiningOptions,
            self,
            metadata=read_metadata(self.metadata) if self.metadata is not None else None,
            rules="published" if self.paper_mode else "own",
            today=None,
            with_contexts=True,
            lines=_parse_lines(self.lines),
        )


@command("mine repository", "annotator mine repository prettytable==3.10.0 ~/src/rich --out subjects.jsonl")
def mine_repositories(
    display: ProgressDisplay,
    *,
    source_names: Annotated[tuple[str, ...], Argument("SOURCE", _SOURCES_HELP)],
    target: RowTarget,
    options: RepositoryOptions,
) -> CommandAnswer:
    """Find functions with tests in Python repositories."""
    sources = read_sources(source_names)
    if options.metadata is not None and len(sources) != 1:
        raise UsageError("--metadata describes one repository; give only one SOURCE with it.")
    settings = options.settings()
    take = options.take
    outcomes = repository_mining.mine_repositories(
        sources, settings, display.start("Mining"), static_only=options.static_only, history=not options.no_history
    )
    with ExitStack() as stack:
        if target.out is not None:
            store = None
            stream = stack.enter_context(_open_output(target.out))
        else:
            assert target.project is not None
            store = stack.enter_context(open_project(target.project, target.annotator))
            stream = None
        mined = []
        for outcome in outcomes:
            rows = repository_mining.select_mined_rows(outcome, everything=options.all, by_hand=take)
            if stream is not None:
                stream.writelines(repository_mining.rows_as_json_lines(rows))
                stream.flush()
            elif store is not None and rows:
                repository_mining.import_rows(store, outcome.source, rows)
            mined.append(_MiningResult(outcome, rows, take, settings.rules))
    for name in sorted(set(take) - {name for item in mined for name in item.by_hand}):
        write_error(f"{name} is not among the functions found, so it was not kept.")
    return CommandAnswer(
        [item.as_json() for item in mined],
        _make_result_tables(mined),
        ExitCode.DONE if any(item.listed for item in mined) else ExitCode.BAD_INPUT,
    )


@contextmanager
def _open_output(path: Path) -> Iterator[TextIO]:
    refuse_replacing_project(path)
    try:
        with path.open("w", encoding="utf-8") as stream:
            yield stream
    except OSError as error:
        raise MissingEnvironmentError(f"{path.name} could not be written ({error.strerror}).") from error


class _MiningResult:
    """The mining result of one repository."""

    def __init__(self, outcome: MiningOutcome, rows: Sequence[MinedSubject], take: Sequence[str], rules: Rules) -> None:
        self.outcome = outcome
        self.rules = rules
        self.by_hand = sorted({mined_function_name(row) for row in rows} & set(take))
        kept_rows = [row for row in rows if row.selected or mined_function_name(row) in self.by_hand]
        self.listed = len(rows)
        self.kept = len(kept_rows)
        self.in_place = sum(row.in_place for row in kept_rows)
        self.context_lines = round(median([row.context_lines for row in kept_rows])) if kept_rows else None
        self.weak = sum(bool(row.weakness) for row in kept_rows)
        self.reasons = rejection_reasons(outcome.mined.rows) if outcome.mined is not None else []
        self.turned_down = count_failures(outcome.mined.rows) if outcome.mined is not None else {}
        self.why = "" if kept_rows else repository_mining.explain_none_kept(outcome)
        remark = "; ".join(dict.fromkeys(filter(None, (self.why, outcome.note))))
        if remark:
            write_error(f"{outcome.source.name}: {remark}")

    def as_json(self) -> dict[str, object]:
        """Return the result as a JSON-able dictionary."""
        facts: dict[str, object] = {
            "repository": self.outcome.source.name,
            **{name: getattr(self, name) for name in ("rules", "kept", "listed", "in_place", "weak", "context_lines")},
            "problem": self.outcome.problem,
            "why": self.why,
            "by_hand": self.by_hand,
        }
        mined = self.outcome.mined
        if mined is not None:
            reasons = [
                {"filter": row.filter, "reason": row.reason, "functions": len(row.functions), "names": row.functions}
                for row in self.reasons
            ]
            facts |= {
                "candidates": len(mined.rows), "tests": mined.tests, "turned_down": self.turned_down,
                "reasons": reasons, "repository_filters": mined.repository_filters, "skipped": mined.skipped,
                "missing_libraries": self.outcome.missing, "note": self.outcome.note,
            }  # fmt: skip
        return facts

    def cells(self) -> tuple[Value, ...]:
        """Return the cells of its row in the table."""
        mined = self.outcome.mined
        counts = ("", "") if mined is None else (mined.tests, len(mined.rows))
        counts_by_filter = ", ".join(f"{name} {count}" for name, count in self.turned_down.items())
        context_lines = "" if self.context_lines is None else self.context_lines
        head = (self.outcome.source.name, self.rules, *counts, self.kept, self.in_place, self.weak)
        return (*head, context_lines, self.outcome.problem or counts_by_filter)


def _make_result_tables(mined: Sequence[_MiningResult]) -> str:
    """Return a table of the functions kept per repository, and one of the reasons for the others."""
    summary = text_table(
        ("repository", "rules", "tests", "candidates", "kept", "in place", "weak", "context", "excluded by"),
        [item.cells() for item in mined],
        right=(2, 3, 4, 5, 6, 7),
    )
    reason_rows = [
        (item.outcome.source.name, row.filter, row.reason, len(row.functions), row.functions[0])
        for item in mined
        for row in item.reasons
    ]
    if not reason_rows:
        return summary
    # The first name can be passed to --take.
    heads = ("repository", "filter", "reason", "functions", "examples")
    return f"{summary}\n\n{text_table(heads, reason_rows)}"


def _parse_lines(text: str | None) -> tuple[int, int]:
    if text is None:
        return LINES
    low, dash, high = text.partition("-")
    if not (dash and low.isdecimal() and high.isdecimal() and 1 <= int(low) <= int(high)):
        raise UsageError("--lines requires two numbers, the smaller first, such as 3-100.")
    return int(low), int(high)


@dataclass(frozen=True, kw_only=True)
class TargetOptions:
    """The targets for the benchmark's size and composition."""

    size: Annotated[int, Option("N", "number of functions")]
    standalone: Annotated[float, Option("S", "share of functions without dependencies, such as 0.27")] = 0.27
    dependencies: Annotated[float, Option("M", "mean number of dependencies, such as 3.2")] = 3.2
    domains: Annotated[str, Option("D=S,D=S", "shares that add up to 1 (default: not balanced)")] = ""


@command("mine subset", "annotator mine subset p.annotator --size 275 --domains network=0.4,system=0.6 --accept")
def choose_subset(
    store: Project,
    *,
    target: TargetOptions,
    seed: Annotated[int, Option("N", "seed of the choice; default: 0")] = 0,
    accept: Annotated[bool, Option(help="accept the chosen functions, in one change that can be undone")] = False,
    anyway: Anyway = False,
) -> CommandAnswer:
    """Choose a benchmark from mined functions by size, standalone share, dependencies and domains."""
    targets = repository_mining.SubsetTargets(
        target.size, target.standalone, target.dependencies, _parse_shares(target.domains)
    )
    subset = repository_mining.propose_subset(store, targets, seed)
    changes = repository_mining.accept_subset(store, subset, anyway=anyway) if accept else None
    lines = [(row.name, f"{row.wanted:.4g}", f"{row.got:.4g}", f"{row.available:.4g}") for row in subset.reached]
    text = text_table(("target", "target value", "reached", "all available"), lines, right=(1, 2, 3))
    if changes is not None:
        text += f"\n\n{changes.label}."
    row = {"chosen": subset.keys, "reached": subset.reached, "change": changes.change_id if changes else None}
    return CommandAnswer(row, text)


def _parse_shares(text: str) -> dict[str, float]:
    shares: dict[str, float] = {}
    for part in filter(None, text.split(",")):
        name, sign, share = part.rpartition("=")
        try:
            shares[name.strip()] = float(share)
        except ValueError:
            sign = ""
        if not sign:
            raise UsageError(f"--domains requires names with shares, such as network=0.4, not {part}.")
    return shares
