"""Programs whose verdicts were wrong once, or could be: code, test, and what must come out.

``pass`` may stand with the number of tests that must have run; everything else must be rejected. Those that are long
are compiled slowly, and differ from another of the file in the code that is right or wrong, not in how it is tested.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.samples import load_samples


@dataclass(frozen=True, slots=True)
class Case:
    """One program; ``ran`` is how many tests a pass stands for, 0 for programs that must not pass.

    ``machinery`` marks tests in which the sandbox finds no test, which is not the answer's fault;
    ``is_long`` keeps a program for the long tests.
    """

    language: str
    name: str
    code: str
    test: str
    ran: int = 0
    machinery: bool = False
    is_long: bool = False


CASES = tuple(Case(**row) for row in load_samples(__file__))
