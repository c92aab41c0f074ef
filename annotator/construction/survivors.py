"""How strong tests are: which mutants of a reference survive them, and the input that would kill each
(specification, task construction, 2.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotator.construction import canonical
from annotator.construction.canonical import Form
from annotator.construction.edits import Proposal
from annotator.construction.material import Runner
from annotator.construction.probing import start_calls
from annotator.construction.proofs import Baseline, Verdict
from annotator.construction.quality_proofs import first_difference

if TYPE_CHECKING:
    from annotator.sandbox import TestCode

RANDOM_INPUTS = 1000


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that no test fails. ``killing`` are arguments that tell it from the reference, None if none was found
    (then it is probably equivalent); ``test`` is the test that they would make."""

    proposal: Proposal
    killing: tuple[Form, ...] | None
    test: TestCode | None

    @property
    def probably_equivalent(self) -> bool:
        """Whether no input was found that tells it from the reference."""
        return self.killing is None


@dataclass(frozen=True, slots=True)
class Strength:
    """What the tests see of the mutants: killed ones, survivors that some input would kill, and the rest."""

    killed: int
    survivors: tuple[Survivor, ...]

    @property
    def gaps(self) -> tuple[Survivor, ...]:
        """Survivors with an input that would kill them: what the tests do not see."""
        return tuple(item for item in self.survivors if not item.probably_equivalent)

    @property
    def score(self) -> float | None:
        """The share of the mutants killed, of those that are not probably equivalent; None without any."""
        count = self.killed + len(self.gaps)
        return self.killed / count if count else None


def strength(baseline: Baseline, verdicts: Sequence[Verdict], runner: Runner) -> Strength:
    """Judge the tests by the verdicts of `prove_logic`: a killed mutant failed a test, a survivor none.

    Each survivor gets a thousand random inputs like the captured ones.
    """
    alive = [verdict.proposal for verdict in verdicts if verdict.reason == "survives"]
    killed = sum(1 for verdict in verdicts if verdict.proven or verdict.reason in _KILLED)
    inputs = first_difference(baseline, [item.code for item in alive], runner, count=RANDOM_INPUTS)
    found = []
    for proposal, killing in zip(alive, inputs, strict=True):
        test = None if killing is None else killing_test(baseline, killing, runner)
        found.append(Survivor(proposal, None if killing is None else tuple(killing), test))
    return Strength(killed, tuple(found))


_KILLED = ("fails every test", "does not end", "only too slow", "does not load", "fails other tests each time")


def killing_test(baseline: Baseline, arguments: Sequence[Form], runner: Runner) -> TestCode | None:
    """Return the test that an input makes: the reference's own answer is what is expected."""
    from annotator.sandbox import TestCode

    entry = baseline.material.entry_point
    answers = start_calls(baseline.material.code, entry, [(list(arguments), {})], runner)()
    if not answers or "output" not in answers[0]:
        return None
    given = ", ".join(canonical.show(form) for form in arguments)
    call, expected = f"{entry}({given})", canonical.show(answers[0]["output"])
    return TestCode(f"gap {call}"[:80], f"{_needed(given + expected)}assert {call} == {expected}\n")


def _needed(text: str) -> str:
    """Return the imports that values as they are shown need."""
    lines = {"np.": "import numpy as np\n", "deque(": "from collections import deque\n"}
    lines["fromisoformat("] = "from datetime import date, datetime, time\n"
    lines["timedelta("] = "from datetime import timedelta\n"
    return "".join(line for mark, line in lines.items() if mark in text)
