"""Choose a benchmark from mined functions, by targets for its size and composition."""

from dataclasses import dataclass
from typing import Annotated

from annotator.base.errors import UsageError
from annotator.cli.command import Anyway, Option, command
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, text_table
from annotator.services.sources import benchmark_subset


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
    targets = benchmark_subset.SubsetTargets(
        target.size, target.standalone, target.dependencies, _shares(target.domains)
    )
    subset = benchmark_subset.propose_subset(store, targets, seed)
    changes = benchmark_subset.accept_subset(store, subset, anyway=anyway) if accept else None
    lines = [(row.name, f"{row.wanted:.4g}", f"{row.got:.4g}", f"{row.available:.4g}") for row in subset.reached]
    text = text_table(("target", "target value", "reached", "all available"), lines, right=(1, 2, 3))
    if changes is not None:
        text += f"\n\n{changes.label}."
    row = {"chosen": subset.keys, "reached": subset.reached, "change": changes.change_id if changes else None}
    return CommandAnswer(row, text)


def _shares(text: str) -> dict[str, float]:
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
