"""Items about a changed interface: code with a removed call must be updated to the new one
(specification, task construction, 2.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from annotator.base.ids import stable_id
from annotator.construction.bugs.bug_proofs import check_reference, start_fresh_runs
from annotator.construction.program_grades import find_rejection_reason
from annotator.construction.python_facts import Difficulty, parse_python_code, top_level_imports
from annotator.construction.task_material import ConstructionError, Material
from annotator.sandbox import Runner

_PROMPT = (
    "The code below uses {old}, which {library} {version} no longer has. Bring it to {new}; it must do the same as "
    "before.\n\nDescription:\n{description}\n\nCode:\n```{language}\n{code}\n```\n\n"
    "Answer with the whole corrected code in one block of code."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class InterfaceChange:
    """A call ``old`` in ``code`` that ``new`` replaces: ``version`` is the first of ``library`` without the old one.

    ``library`` is a module name that tests import.
    """

    code: str
    old: str
    new: str
    library: str
    version: str

    def names(self) -> dict[str, str]:
        """Return all fields except the code."""
        return {"old": self.old, "new": self.new, "library": self.library, "version": self.version}


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateItem:
    """A modification item: ``material`` is the code after the change, with tests for the new version."""

    id: str
    material: Material
    change: InterfaceChange
    difficulty: Difficulty = "medium"

    @property
    def code(self) -> str:
        """The program before the change."""
        return self.change.code

    @property
    def reference(self) -> str:
        """The program after the change."""
        return self.material.code

    @property
    def prompt(self) -> str:
        """The prompt for models."""
        return _PROMPT.format(
            **self.change.names(), code=self.code.strip("\n"),
            description=self.material.description or "(none; the code says it)", language=self.material.language,
        )  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """Return the item as a JSON object; it is graded like every modification item."""
        return {
            "id": self.id, "key": self.material.key, "task": "modification", "language": self.material.language,
            "description": self.material.description, "code": self.code, "entry_point": self.material.entry_point,
            "prompt": self.prompt, "reference": self.reference, "difficulty": self.difficulty,
            "bugs": [{"type": "update", **self.change.names()}],
            "tests": [{"name": test.name, "code": test.code} for test in self.material.tests],
        }  # fmt: skip


def update_item(material: Material, change: InterfaceChange, runner: Runner) -> UpdateItem:
    """Prove and return an update item.

    With the installed library the old code must fail a test and the new code none, in fresh processes; a test must
    import the library; and the old code must have the same function with the same arguments. Raises `ConstructionError`
    with the first condition that fails.
    """
    code = change.code
    for text, name, version in ((code, change.old, "old"), (material.code, change.new, "new")):
        if not name.strip() or name not in text:
            raise ConstructionError(f"The {version} code does not contain {name or 'the changed call'!r}.")
    parse_python_code(code)
    if difference := find_rejection_reason(material, code):
        raise ConstructionError(f"The old code does not fit the new one: {difference.replace('answer', 'old code')}.")
    if not any(change.library in top_level_imports(test.code) for test in material.tests):
        raise ConstructionError(f"No test imports {change.library}, so none shows that the new version is installed.")
    baseline = check_reference(material, runner)
    runs = start_fresh_runs(baseline, code, runner)()
    if any(run.all_passed for run in runs):
        raise ConstructionError(
            f"The old code passes all tests; the installed {change.library} still has the old call."
        )
    return UpdateItem(id=stable_id("update", material.key, code), material=material, change=change)
